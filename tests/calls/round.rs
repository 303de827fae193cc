//! A round: objects are made, threads record with them, what they recorded is submitted and waited
//! for, and everything is destroyed.

use ash::vk;

use crate::object::Objects;
use crate::random::Random;
use crate::record::{Recorder, barrier, transition};
use crate::scene::Scene;
use crate::world::World;

/// Plays a round.
///
/// # Panics
/// If a command fails, or takes longer than [`WAIT_NS`].
pub fn play(world: &mut World, seed: u64) {
    let mut random = Random::new(seed);
    if random.one_in(4) {
        world.renew_shaders();
    }
    let world = &*world;
    let objects = Objects::new(world, &mut random);
    let scenes: Vec<_> = (0..random.range(1, 3))
        .map(|_| Scene::new(world, &mut random, &objects))
        .collect();
    lay_out(world, &objects);

    let mut recorders: Vec<_> = (0..random.range(1, 4))
        .map(|_| Recorder::new(world, &objects, &scenes, random.fork()))
        .collect();
    let counts: Vec<_> = recorders.iter().map(|_| random.range(1, 3)).collect();
    std::thread::scope(|scope| {
        for (recorder, count) in recorders.iter_mut().zip(counts) {
            scope.spawn(move || (0..count).for_each(|_| recorder.primary()));
        }
    });
    let mut commands: Vec<_> = recorders
        .iter()
        .flat_map(|recorder| recorder.commands.iter().copied())
        .collect();
    // Nothing depends on their order, but that queries are reset before they are used: they are, in
    // the buffer that uses them.
    for at in (1..commands.len()).rev() {
        commands.swap(at, random.below(at as u64 + 1) as usize);
    }
    submit(world, &mut random, &commands);

    recorders.into_iter().for_each(Recorder::destroy);
    scenes.into_iter().for_each(|scene| scene.destroy(world));
    objects.destroy(world);
}

/// A submission takes no longer on the simulator, however busy its machine is.
const WAIT_NS: u64 = 120_000_000_000;

/// Brings new images to GENERAL.
fn lay_out(world: &World, objects: &Objects) {
    let d = &world.device;
    unsafe {
        let pool = d
            .create_command_pool(&vk::CommandPoolCreateInfo::default(), None)
            .expect("a pool");
        let info = vk::CommandBufferAllocateInfo::default()
            .command_pool(pool)
            .command_buffer_count(1);
        let commands = d.allocate_command_buffers(&info).expect("a command buffer");
        d.begin_command_buffer(commands[0], &vk::CommandBufferBeginInfo::default())
            .expect("begun");
        for image in &objects.images {
            transition(
                d,
                commands[0],
                image,
                vk::ImageLayout::UNDEFINED,
                vk::ImageLayout::GENERAL,
            );
        }
        barrier(d, commands[0]);
        d.end_command_buffer(commands[0]).expect("ended");
        let submits = [vk::SubmitInfo::default().command_buffers(&commands)];
        d.queue_submit(world.queue, &submits, vk::Fence::null())
            .expect("submitted");
        d.queue_wait_idle(world.queue).expect("idle");
        d.destroy_command_pool(pool, None);
    }
}

/// Submits all, in groups of random sizes, tied by semaphores of both kinds, by either form, and
/// waits.
fn submit(world: &World, random: &mut Random, commands: &[vk::CommandBuffer]) {
    let d = &world.device;
    let everything = vk::PipelineStageFlags::ALL_COMMANDS;
    let all2 = vk::PipelineStageFlags2::ALL_COMMANDS;
    unsafe {
        let fence = d
            .create_fence(&vk::FenceCreateInfo::default(), None)
            .expect("a fence");
        let plain = d
            .create_semaphore(&vk::SemaphoreCreateInfo::default(), None)
            .expect("a semaphore");
        let mut kind =
            vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE);
        let info = vk::SemaphoreCreateInfo::default().push_next(&mut kind);
        let timeline = d.create_semaphore(&info, None).expect("a semaphore");
        let mut reached = 0u64;
        let mut signalled = false;
        let mut rest = commands;
        while !rest.is_empty() {
            let (group, after) = rest.split_at(random.range(1, rest.len() as u32) as usize);
            rest = after;
            let last = if rest.is_empty() {
                fence
            } else {
                vk::Fence::null()
            };
            if random.one_in(2) {
                // By the newer form: each waits for the value of the one before, and signals the
                // next.
                let infos: Vec<_> = group
                    .iter()
                    .map(|c| vk::CommandBufferSubmitInfo::default().command_buffer(*c))
                    .collect();
                let at = |value| {
                    vk::SemaphoreSubmitInfo::default()
                        .semaphore(timeline)
                        .value(value)
                        .stage_mask(all2)
                };
                let (wait, signal) = ([at(reached)], [at(reached + 1)]);
                let info = vk::SubmitInfo2::default()
                    .command_buffer_infos(&infos)
                    .wait_semaphore_infos(&wait)
                    .signal_semaphore_infos(&signal);
                d.queue_submit2(world.queue, &[info], last)
                    .expect("submitted");
                reached += 1;
            } else {
                let (semaphores, stages) = ([plain], [everything]);
                let mut info = vk::SubmitInfo::default().command_buffers(group);
                if signalled {
                    info = info
                        .wait_semaphores(&semaphores)
                        .wait_dst_stage_mask(&stages);
                }
                if !signalled || random.one_in(2) {
                    info = info.signal_semaphores(&semaphores);
                    signalled = true;
                } else {
                    signalled = false;
                }
                d.queue_submit(world.queue, &[info], last)
                    .expect("submitted");
            }
        }
        d.wait_for_fences(&[fence], true, WAIT_NS)
            .expect("done in time");
        let (semaphores, values) = ([timeline], [reached]);
        let info = vk::SemaphoreWaitInfo::default()
            .semaphores(&semaphores)
            .values(&values);
        d.wait_semaphores(&info, WAIT_NS).expect("done in time");
        d.queue_wait_idle(world.queue).expect("idle");
        d.destroy_fence(fence, None);
        d.destroy_semaphore(plain, None);
        d.destroy_semaphore(timeline, None);
    }
}
