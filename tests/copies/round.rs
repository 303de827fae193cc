//! A round: objects are made, commands of random kinds are recorded and submitted, and all that is
//! known of their results is compared.
//!
//! In:  a seed. Out: nothing, or a panic with the bytes that are wrong and what was recorded.

use ash::vk;

use crate::clear;
use crate::copy;
use crate::format::Layout;
use crate::object::{Buffer, Image, Last};
use crate::random::Random;
use crate::record::Recorder;
use crate::scale;
use crate::world::World;

/// A submission takes no longer on the simulator, however busy its machine is.
const WAIT_NS: u64 = 120_000_000_000;

/// Bytes of the buffer that noise comes from, and of the one that copies go to and from.
const NOISE_BYTES: u64 = 4 << 20;
const COPIED_BYTES: u64 = 256 << 10;

/// What a round works with.
struct Objects {
    images: Vec<Image>,
    noise: Buffer,
    used: usize,
    copied: Vec<Buffer>,
}

/// Images of formats that can be copied to each other, and some that cannot.
fn images(world: &World, random: &mut Random) -> Vec<Image> {
    let mut all = Vec::new();
    let first: &Layout = random.pick(&world.formats);
    let bytes = first.aspects[0].bytes;
    let colour = first.is_colour();
    let count = random.range(3, 6);
    while (all.len() as u32) < count {
        let layout = match random.below(6) {
            0 => Some(random.pick(&world.formats)),
            1 | 2 => Some(first),
            _ => random.pick_where(&world.formats, |layout| {
                layout.aspects[0].bytes == bytes && layout.is_colour() == colour
            }),
        };
        all.extend(layout.and_then(|layout| Image::new(world, random, layout)));
    }
    all
}

/// Two different ones of many.
fn two(images: &mut [Image], [a, b]: [usize; 2]) -> Option<(&mut Image, &mut Image)> {
    let [a, b] = images.get_disjoint_mut([a, b]).ok()?;
    Some((a, b))
}

/// Records a command.
fn command(recorder: &mut Recorder<'_>, random: &mut Random, objects: &mut Objects) {
    let Objects {
        images,
        noise,
        used,
        copied,
    } = objects;
    let mut pick = || random.below(images.len() as u64) as usize;
    let (a, b) = (pick(), pick());
    match random.below(16) {
        0..3 if images[a].single() => {
            copy::upload(recorder, random, (noise, used), &mut images[a]);
        }
        3..5 if images[a].single() => {
            let target = random.below(2) as usize;
            copy::download(recorder, random, &mut images[a], &mut copied[target]);
        }
        5..8 => copy::copy(recorder, random, images, [a, b]),
        8..10 => {
            let fitting: Vec<usize> = (0..images.len())
                .filter(|to| scale::can_blit(&images[a], &images[*to]))
                .collect();
            if let Some(to) = fitting.get(b % fitting.len().max(1)) {
                scale::blit(recorder, random, images, [a, *to]);
            }
        }
        10 => {
            let fitting = (0..images.len())
                .flat_map(|from| (0..images.len()).map(move |to| [from, to]))
                .filter(|[from, to]| scale::can_resolve(&images[*from], &images[*to]));
            let fitting: Vec<_> = fitting.collect();
            if let Some(pair) = fitting.get(b % fitting.len().max(1))
                && let Some((from, to)) = two(images, *pair)
            {
                scale::resolve(recorder, random, from, to, false);
            }
        }
        11 => {
            if let [from, to] = &mut copied[..] {
                copy::copy_buffer(recorder, random, from, to);
            }
        }
        12 | 13 => clear::clear(recorder, random, &mut images[a]),
        _ => clear::render(recorder, random, images, a, None),
    }
}

/// An image of one sample for what is in one of several.
fn single_of(world: &World, image: &Image) -> Option<Image> {
    let usage = match image.layout.is_colour() {
        true => vk::ImageUsageFlags::COLOR_ATTACHMENT,
        false => vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT,
    };
    image
        .usage
        .contains(usage)
        .then(|| Image::joined(world, image, usage))
}

/// Samples are joined in images of one each: by a command, or by a rendering.
fn join(recorder: &mut Recorder<'_>, random: &mut Random, objects: &mut Objects) {
    let several: Vec<usize> = (0..objects.images.len())
        .filter(|at| !objects.images[*at].single())
        .collect();
    for from in several {
        let Some(single) = single_of(recorder.world, &objects.images[from]) else {
            continue;
        };
        let to = objects.images.len();
        objects.images.push(single);
        let wild = objects.images[from].wild && objects.images[from].layout.is_float();
        let colour = objects.images[from].layout.is_colour();
        if colour && random.one_in(2) {
            if let Some((from, to)) = two(&mut objects.images, [from, to]) {
                scale::resolve(recorder, random, from, to, true);
            }
        } else if !wild {
            clear::render(recorder, random, &mut objects.images, from, Some(to));
        }
    }
}

/// Plays a round.
///
/// # Panics
/// If a command fails, or what is found differs from what is meant.
pub fn play(world: &World, seed: u64) -> usize {
    let mut random = Random::new(seed);
    let random = &mut random;
    let mut objects = Objects {
        images: images(world, random),
        noise: Buffer::new(world, NOISE_BYTES),
        used: random.below(64) as usize,
        copied: vec![
            Buffer::new(world, COPIED_BYTES),
            Buffer::new(world, COPIED_BYTES - 4096),
        ],
    };
    let mut log = Vec::new();
    let batches = random.range(1, 3);
    for batch in 1..=batches {
        let commands = random.range(4, 14);
        run(world, &mut log, |recorder| {
            for _ in 0..commands {
                command(recorder, random, &mut objects);
            }
            if batch == batches {
                join(recorder, random, &mut objects);
            }
        });
        forget(&mut objects);
    }
    let count = log.iter().filter(|line| !line.starts_with(' ')).count();
    compare(world, random, &mut objects, &mut log);
    let Objects {
        images,
        noise,
        copied,
        ..
    } = objects;
    images.into_iter().for_each(|image| image.destroy(world));
    noise.destroy(world);
    copied.into_iter().for_each(|buffer| buffer.destroy(world));
    count
}

/// After a wait for the queue, all its writes are visible.
fn forget(objects: &mut Objects) {
    for image in &mut objects.images {
        image.last = Last::NOTHING;
    }
    for buffer in objects.copied.iter_mut().chain([&mut objects.noise]) {
        buffer.last = Last::NOTHING;
    }
}

/// Everything comes back, and is what it must be.
fn compare(world: &World, random: &mut Random, objects: &mut Objects, log: &mut Vec<String>) {
    for buffer in &mut objects.copied {
        let model = buffer.model.clone();
        if let Some(at) = model.differs(buffer.data()) {
            let (meant, found) = (model.bytes[at], buffer.data()[at]);
            fail(
                log,
                &format!("a buffer at {at}: {found:#x}, not {meant:#x}"),
            );
        }
    }
    let sizes = objects.images.iter().map(|image| {
        let levels = image.parts.iter().flat_map(|part| &part.levels);
        // The row and slice pitch may be larger.
        levels
            .map(|level| {
                let [columns, rows, slices] = level.size.map(u64::from);
                let bytes = level.data.bytes.len() as u64 / (columns * rows * slices);
                (columns + 6) * (rows + 4) * slices * bytes + 64
            })
            .sum::<u64>()
    });
    let mut all = Buffer::new(world, sizes.sum::<u64>().max(4));
    let mut spans = Vec::new();
    run(world, log, |recorder| {
        let mut at = 0;
        for (index, image) in objects.images.iter_mut().enumerate() {
            if image.single() && image.now != vk::ImageLayout::UNDEFINED {
                let end = copy::download_all(recorder, random, image, &mut all, at);
                spans.push((at..end, index));
                at = end;
            }
        }
    });
    let model = all.model.clone();
    if let Some(at) = model.differs(all.data()) {
        let image = spans.iter().find(|(span, _)| span.contains(&at));
        let told = image.map_or(String::new(), |(_, index)| {
            objects.images[*index].description()
        });
        let start = image.map_or(0, |(span, _)| span.start);
        let (meant, found) = (model.bytes[at], all.data()[at]);
        let at = at - start;
        fail(
            log,
            &format!("{told}, byte {at}: {found:#x}, not {meant:#x}"),
        );
    }
    all.destroy(world);
    for image in &objects.images {
        if let Some(what) = image.differs(world) {
            fail(log, &format!("{}: {what}", image.description()));
        }
    }
}

fn fail(log: &[String], what: &str) -> ! {
    for line in log {
        eprintln!("{line}");
    }
    panic!("{what}")
}

/// Records, submits and waits.
fn run(world: &World, log: &mut Vec<String>, record: impl FnOnce(&mut Recorder<'_>)) {
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
        let mut recorder = Recorder {
            world,
            commands: commands[0],
            views: Vec::new(),
            log: std::mem::take(log),
        };
        record(&mut recorder);
        let views = recorder.views;
        *log = recorder.log;
        log.push(" submitted".into());
        // What is mapped is read when all is done.
        let barrier = [vk::MemoryBarrier2::default()
            .src_stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS)
            .src_access_mask(vk::AccessFlags2::MEMORY_WRITE)
            .dst_stage_mask(vk::PipelineStageFlags2::HOST)
            .dst_access_mask(vk::AccessFlags2::HOST_READ)];
        let info = vk::DependencyInfo::default().memory_barriers(&barrier);
        d.cmd_pipeline_barrier2(commands[0], &info);
        if let Err(error) = d.end_command_buffer(commands[0]) {
            fail(log, &format!("recording: {error}"));
        }
        let fence = d
            .create_fence(&vk::FenceCreateInfo::default(), None)
            .expect("a fence");
        let submits = [vk::SubmitInfo::default().command_buffers(&commands)];
        let done = d
            .queue_submit(world.queue, &submits, fence)
            .and_then(|()| d.wait_for_fences(&[fence], true, WAIT_NS));
        if let Err(error) = done {
            fail(log, &format!("running: {error}"));
        }
        d.destroy_fence(fence, None);
        for view in views {
            d.destroy_image_view(view, None);
        }
        d.destroy_command_pool(pool, None);
    }
}
