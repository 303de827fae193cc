//! Every call of the kernel that allocates, or may need to, fails once, from instance to
//! destruction.

use ash::vk;

use crate::faults::Faults;
use crate::rig::{Rig, Work, glsl};

/// More than there are.
const MAX_CALLS: u32 = 2000;

const SHADER: &str = "layout(local_size_x = 16) in;
layout(set = 0, binding = 0) buffer B { uint v[]; } b;
layout(push_constant) uniform P { uint add; };
void main() { b.v[gl_GlobalInvocationID.x] += add; }";

/// One life: buffers, a pipeline, events, queries, semaphores of both kinds, several submissions.
fn life(faults: &std::sync::Arc<Faults>, words: &[u32]) -> Result<(), vk::Result> {
    let rig = Rig::with_faults(faults)?;
    let mut made = Made::default();
    let done = work(&rig, words, &mut made);
    unsafe {
        let _ = rig.device.device_wait_idle();
        rig.device.destroy_event(made.event, None);
        rig.device.destroy_query_pool(made.queries, None);
        for semaphore in made.semaphores {
            rig.device.destroy_semaphore(semaphore, None);
        }
    }
    done
}

#[derive(Default)]
struct Made {
    event: vk::Event,
    queries: vk::QueryPool,
    semaphores: Vec<vk::Semaphore>,
}

fn work(rig: &Rig, words: &[u32], made: &mut Made) -> Result<(), vk::Result> {
    const STORAGE: vk::DescriptorType = vk::DescriptorType::STORAGE_BUFFER;
    let d = &rig.device;
    let mut work = Work::new(rig);
    work.make_pipeline(words, &[STORAGE])?;
    let (buffers, data) = work.memory(2, 1 << 16)?;
    work.describe(0, STORAGE, buffers[0]);
    unsafe {
        made.event = d.create_event(&Default::default(), None)?;
        let info = vk::QueryPoolCreateInfo::default()
            .query_type(vk::QueryType::TIMESTAMP)
            .query_count(2);
        made.queries = d.create_query_pool(&info, None)?;
        made.semaphores
            .push(d.create_semaphore(&Default::default(), None)?);
        let mut kind = vk::SemaphoreTypeCreateInfo::default()
            .semaphore_type(vk::SemaphoreType::TIMELINE)
            .initial_value(1);
        let info = vk::SemaphoreCreateInfo::default().push_next(&mut kind);
        made.semaphores.push(d.create_semaphore(&info, None)?);
    }
    let semaphores = [made.semaphores[0], made.semaphores[1]];
    let all = vk::PipelineStageFlags::ALL_COMMANDS;
    let commands = [work.record(&[7], |d, commands| unsafe {
        d.cmd_reset_query_pool(commands, made.queries, 0, 2);
        d.cmd_write_timestamp(commands, all, made.queries, 0);
        d.cmd_fill_buffer(commands, buffers[1], 0, 1 << 16, 3);
        d.cmd_set_event(commands, made.event, all);
        // More than the first buffer of the batch has room for.
        for at in 0..40 {
            d.cmd_update_buffer(commands, buffers[1], at * 64, &[at as u8; 64]);
        }
    })?];
    let values = ([0, 1], [0, 2]);
    let mut timeline =
        vk::TimelineSemaphoreSubmitInfo::default().signal_semaphore_values(&values.1);
    let submit = vk::SubmitInfo::default()
        .command_buffers(&commands)
        .signal_semaphores(&semaphores)
        .push_next(&mut timeline);
    work.submit(&submit)?;
    work.wait()?;
    let stages = [all; 2];
    let mut timeline = vk::TimelineSemaphoreSubmitInfo::default().wait_semaphore_values(&values.0);
    let submit = vk::SubmitInfo::default()
        .command_buffers(&commands)
        .wait_semaphores(&semaphores)
        .wait_dst_stage_mask(&stages)
        .push_next(&mut timeline);
    work.submit(&submit)?;
    work.wait()?;
    let timelines = ash::khr::timeline_semaphore::Device::new(rig.instance(), d);
    unsafe {
        let value = timelines.get_semaphore_counter_value(semaphores[1])?;
        d.queue_wait_idle(rig.queue)?;
        assert_eq!(value, 2);
        assert!(d.get_event_status(made.event)?);
    }
    assert_eq!((data[0], data[15], data[16]), (14, 14, 0));
    assert_eq!(data[(1 << 14) + 16 * 39], 39 * 0x0101_0101);
    Ok(())
}

#[test]
fn each_allocation_fails_once_and_nothing_leaks() {
    let words = glsl(SHADER);
    let mut failed_calls = std::collections::BTreeSet::new();
    for n in 1..MAX_CALLS {
        let faults = Faults::at(n);
        let result = life(&faults, &words);
        assert_eq!(
            faults.open(),
            [],
            "call {n}, {:?}, leaves these open",
            faults.failed()
        );
        assert_eq!(crate::panics(), 0, "call {n}, {:?}", faults.failed());
        let Some(call) = faults.failed() else {
            // There are no more calls.
            assert_eq!(result, Ok(()));
            assert!(n > 20, "only {n} calls");
            for call in [
                "gem_create",
                "mapping",
                "execbuffer2",
                "syncobj_create",
                "context_create",
            ] {
                assert!(failed_calls.contains(call), "{call} never failed");
            }
            return;
        };
        failed_calls.insert(call);
        // The last wait belongs to the test, which ignores its result.
        let good = match result {
            Ok(()) => call.starts_with("syncobj_timeline_wait") || call == "get_reset_stats",
            Err(vk::Result::ERROR_OUT_OF_HOST_MEMORY | vk::Result::ERROR_OUT_OF_DEVICE_MEMORY) => {
                true
            }
            Err(vk::Result::ERROR_MEMORY_MAP_FAILED) => {
                call == "mapping" || call == "gem_mmap_offset"
            }
            // What has been submitted in part cannot be taken back.
            Err(vk::Result::ERROR_DEVICE_LOST) => call == "execbuffer2" || call == "syncobj_reset",
            Err(_) => false,
        };
        assert!(good, "call {n}, {call}: {result:?}");
    }
    panic!("no end of calls");
}
