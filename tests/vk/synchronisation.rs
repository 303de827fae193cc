//! Fences, semaphores, events, queries.

use ash::vk;

use crate::rig::{Kernel, Rig, compile};

#[test]
fn fences_signal_wait_and_reset() {
    let rig = Rig::new();
    let d = &rig.device;
    let buffer = rig.buffer(64);
    let commands = rig.record(|commands| unsafe {
        d.cmd_fill_buffer(commands, buffer.buffer, 0, 64, 1);
        rig.barrier(commands);
    });
    unsafe {
        let signalled = vk::FenceCreateInfo::default().flags(vk::FenceCreateFlags::SIGNALED);
        let (a, b) = (
            d.create_fence(&signalled, None).unwrap(),
            d.create_fence(&Default::default(), None).unwrap(),
        );
        assert!(d.get_fence_status(a).unwrap());
        assert!(!d.get_fence_status(b).unwrap());
        assert_eq!(
            d.wait_for_fences(&[a, b], true, 1000),
            Err(vk::Result::TIMEOUT)
        );
        d.wait_for_fences(&[a, b], false, u64::MAX).unwrap();
        d.reset_fences(&[a]).unwrap();
        assert!(!d.get_fence_status(a).unwrap());
        rig.submit(&[commands], b);
        d.wait_for_fences(&[b], true, u64::MAX).unwrap();
        assert_eq!(buffer.dwords()[15], 1);
        // Nothing but a fence.
        d.queue_submit(rig.queue, &[], a).unwrap();
        d.wait_for_fences(&[a, b], true, u64::MAX).unwrap();
        d.destroy_fence(a, None);
        d.destroy_fence(b, None);
    }
}

/// An object that recycles a destroyed one starts in the state that Vulkan defines, whatever its
/// last state.
#[test]
fn recreated_objects_start_unsignalled() {
    let rig = Rig::new();
    let d = &rig.device;
    let timelines = ash::khr::timeline_semaphore::Device::new(&rig.instance, d);
    let timeline = |initial: u64| unsafe {
        let mut kind = vk::SemaphoreTypeCreateInfo::default()
            .semaphore_type(vk::SemaphoreType::TIMELINE)
            .initial_value(initial);
        let info = vk::SemaphoreCreateInfo::default().push_next(&mut kind);
        d.create_semaphore(&info, None).unwrap()
    };
    let value = |of| unsafe { timelines.get_semaphore_counter_value(of).unwrap() };
    let signalled = vk::FenceCreateInfo::default().flags(vk::FenceCreateFlags::SIGNALED);
    let stages = [vk::PipelineStageFlags::ALL_COMMANDS];
    for round in 0..3 {
        unsafe {
            // More than are pooled.
            let fences: Vec<_> = (0..100)
                .map(|i| {
                    let info = if i % 2 == 0 {
                        signalled
                    } else {
                        Default::default()
                    };
                    let fence = d.create_fence(&info, None).unwrap();
                    assert_eq!(d.get_fence_status(fence), Ok(i % 2 == 0), "{round}, {i}");
                    fence
                })
                .collect();
            d.queue_submit(rig.queue, &[], fences[1]).unwrap();
            d.wait_for_fences(&fences[..2], true, u64::MAX).unwrap();
            for fence in fences {
                d.destroy_fence(fence, None);
            }
            let counts: Vec<_> = (0..10).map(|i| timeline(i % 3)).collect();
            for (i, &count) in (0..).zip(&counts) {
                assert_eq!(value(count), i % 3, "{round}");
                let info = vk::SemaphoreSignalInfo::default()
                    .semaphore(count)
                    .value(99);
                timelines.signal_semaphore(&info).unwrap();
                assert_eq!(value(count), 99);
            }
            for count in counts {
                d.destroy_semaphore(count, None);
            }
            let binary = [d.create_semaphore(&Default::default(), None).unwrap()];
            let submits = [
                vk::SubmitInfo::default().signal_semaphores(&binary),
                vk::SubmitInfo::default()
                    .wait_semaphores(&binary)
                    .wait_dst_stage_mask(&stages),
            ];
            d.queue_submit(rig.queue, &submits, vk::Fence::null())
                .unwrap();
            d.queue_wait_idle(rig.queue).unwrap();
            d.destroy_semaphore(binary[0], None);
        }
    }
}

#[test]
fn binary_semaphores_chain_submissions() {
    let rig = Rig::new();
    let d = &rig.device;
    let buffer = rig.buffer(64);
    unsafe {
        let semaphore = d.create_semaphore(&Default::default(), None).unwrap();
        let signals = [semaphore];
        let stages = [vk::PipelineStageFlags::ALL_COMMANDS];
        for round in 1..4 {
            let first = [rig.record(|commands| {
                d.cmd_fill_buffer(commands, buffer.buffer, 0, 64, round);
                rig.barrier(commands);
            })];
            let second = [rig.record(|commands| {
                let region = [vk::BufferCopy::default().dst_offset(32).size(4)];
                d.cmd_copy_buffer(commands, buffer.buffer, buffer.buffer, &region);
                rig.barrier(commands);
            })];
            let submits = [
                vk::SubmitInfo::default()
                    .command_buffers(&first)
                    .signal_semaphores(&signals),
                vk::SubmitInfo::default()
                    .command_buffers(&second)
                    .wait_semaphores(&signals)
                    .wait_dst_stage_mask(&stages),
            ];
            d.queue_submit(rig.queue, &submits, vk::Fence::null())
                .unwrap();
            d.queue_wait_idle(rig.queue).unwrap();
            assert_eq!(buffer.dwords()[8], round);
        }
        d.destroy_semaphore(semaphore, None);
    }
}

/// A submission takes a semaphore's signal away, and gives it a new one.
#[test]
fn binary_semaphore_waited_and_signalled_in_one_submission() {
    let rig = Rig::new();
    let d = &rig.device;
    unsafe {
        let semaphore = d.create_semaphore(&Default::default(), None).unwrap();
        let semaphores = [semaphore];
        let stages = [vk::PipelineStageFlags::ALL_COMMANDS];
        let first = vk::SubmitInfo::default().signal_semaphores(&semaphores);
        let last = vk::SubmitInfo::default()
            .wait_semaphores(&semaphores)
            .wait_dst_stage_mask(&stages);
        let both = last.signal_semaphores(&semaphores);
        for submits in [[first, both, last], [first, both, both]] {
            for submit in submits {
                d.queue_submit(rig.queue, &[submit], vk::Fence::null())
                    .unwrap();
            }
        }
        d.queue_submit(rig.queue, &[last], vk::Fence::null())
            .unwrap();
        d.queue_wait_idle(rig.queue).unwrap();
        d.destroy_semaphore(semaphore, None);
    }
}

#[test]
fn timeline_semaphores_order_out_of_order_submissions() {
    let rig = Rig::new();
    let d = &rig.device;
    let timelines = ash::khr::timeline_semaphore::Device::new(&rig.instance, d);
    let buffer = rig.buffer(64);
    unsafe {
        let mut kind = vk::SemaphoreTypeCreateInfo::default()
            .semaphore_type(vk::SemaphoreType::TIMELINE)
            .initial_value(5);
        let info = vk::SemaphoreCreateInfo::default().push_next(&mut kind);
        let semaphore = d.create_semaphore(&info, None).unwrap();
        let semaphores = [semaphore];
        assert_eq!(timelines.get_semaphore_counter_value(semaphore).unwrap(), 5);
        let commands = [rig.record(|commands| {
            d.cmd_fill_buffer(commands, buffer.buffer, 0, 64, 4);
            rig.barrier(commands);
        })];
        // Waits for a value that only the host signals, later; the commands after it must wait too.
        let (waits, signals) = ([7], [9]);
        let stages = [vk::PipelineStageFlags::ALL_COMMANDS];
        let mut values = vk::TimelineSemaphoreSubmitInfo::default()
            .wait_semaphore_values(&waits)
            .signal_semaphore_values(&signals);
        let submit = vk::SubmitInfo::default()
            .command_buffers(&commands)
            .wait_semaphores(&semaphores)
            .wait_dst_stage_mask(&stages)
            .signal_semaphores(&semaphores)
            .push_next(&mut values);
        d.queue_submit(rig.queue, &[submit], vk::Fence::null())
            .unwrap();
        let fence = d.create_fence(&Default::default(), None).unwrap();
        d.queue_submit(rig.queue, &[], fence).unwrap();
        assert_eq!(
            d.wait_for_fences(&[fence], true, 2_000_000),
            Err(vk::Result::TIMEOUT)
        );
        assert_eq!(buffer.dwords()[0], 0);
        timelines
            .signal_semaphore(
                &vk::SemaphoreSignalInfo::default()
                    .semaphore(semaphore)
                    .value(7),
            )
            .unwrap();
        let wait = vk::SemaphoreWaitInfo::default()
            .semaphores(&semaphores)
            .values(&signals);
        timelines.wait_semaphores(&wait, u64::MAX).unwrap();
        d.wait_for_fences(&[fence], true, u64::MAX).unwrap();
        assert_eq!(timelines.get_semaphore_counter_value(semaphore).unwrap(), 9);
        assert_eq!(buffer.dwords()[0], 4);
        let late = [10];
        let wait = vk::SemaphoreWaitInfo::default()
            .semaphores(&semaphores)
            .values(&late);
        assert_eq!(
            timelines.wait_semaphores(&wait, 1000),
            Err(vk::Result::TIMEOUT)
        );
        d.destroy_fence(fence, None);
        d.destroy_semaphore(semaphore, None);
    }
}

/// Dispatches in two submissions: a timeline semaphore between them makes the writes of the first
/// available to the second, without a pipeline barrier.
#[test]
fn timeline_semaphore_orders_memory_between_dispatches() {
    let rig = Rig::new();
    let d = &rig.device;
    let timelines = ash::khr::timeline_semaphore::Device::new(&rig.instance, d);
    let [middle, out] = [rig.buffer(4096), rig.buffer(4096)];
    let kernel = |body: &str| {
        let words = compile(&format!(
            "#version 450
            layout(local_size_x = 64) in;
            layout(set = 0, binding = 0) buffer A {{ uint a[]; }};
            layout(set = 0, binding = 1) buffer B {{ uint b[]; }};
            layout(push_constant) uniform P {{ uint pushed; }};
            void main() {{ uint i = gl_GlobalInvocationID.x; {body} }}"
        ));
        let kind = vk::DescriptorType::STORAGE_BUFFER;
        let cache = vk::PipelineCache::null();
        Kernel::new(&rig, &words, kind, &[&middle, &out], cache)
    };
    let writer = kernel("a[i] = i * pushed;");
    let reader = kernel("b[i] = a[1023 - i] + pushed;");
    unsafe {
        let mut kind =
            vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE);
        let info = vk::SemaphoreCreateInfo::default().push_next(&mut kind);
        let semaphores = [d.create_semaphore(&info, None).unwrap()];
        let stages = [vk::PipelineStageFlags::COMPUTE_SHADER];
        for round in 1..5u32 {
            let dispatch = |kernel: &Kernel| {
                [rig.record(|commands| {
                    kernel.bind(&rig, commands, &[], &[round]);
                    d.cmd_dispatch(commands, 16, 1, 1);
                })]
            };
            let (first, second) = (dispatch(&writer), dispatch(&reader));
            let last = [u64::from(2 * round - 2)];
            let [between, done] = [[u64::from(2 * round - 1)], [u64::from(2 * round)]];
            let values = |waits, signals| {
                vk::TimelineSemaphoreSubmitInfo::default()
                    .wait_semaphore_values(waits)
                    .signal_semaphore_values(signals)
            };
            let mut values = [values(&last, &between), values(&between, &done)];
            let submit = |commands, values| {
                vk::SubmitInfo::default()
                    .command_buffers(commands)
                    .wait_semaphores(&semaphores)
                    .wait_dst_stage_mask(&stages)
                    .signal_semaphores(&semaphores)
                    .push_next(values)
            };
            let [first_values, second_values] = &mut values;
            let submits = [submit(&first, first_values), submit(&second, second_values)];
            // By one call, and by two.
            let calls = if round % 2 == 0 { 1 } else { 2 };
            for submits in submits.chunks(calls) {
                d.queue_submit(rig.queue, submits, vk::Fence::null())
                    .unwrap();
            }
            let wait = vk::SemaphoreWaitInfo::default()
                .semaphores(&semaphores)
                .values(&done);
            timelines.wait_semaphores(&wait, u64::MAX).unwrap();
            let wanted: Vec<u32> = (0..1024).map(|i| (1023 - i) * round + round).collect();
            assert!(out.dwords() == wanted, "{round}");
        }
        d.queue_wait_idle(rig.queue).unwrap();
        d.destroy_semaphore(semaphores[0], None);
    }
    writer.destroy(&rig);
    reader.destroy(&rig);
}

#[test]
fn events_from_host_and_device() {
    let rig = Rig::new();
    let d = &rig.device;
    let all = vk::PipelineStageFlags::ALL_COMMANDS;
    unsafe {
        let event = d.create_event(&Default::default(), None).unwrap();
        assert!(!d.get_event_status(event).unwrap());
        rig.run(|commands| d.cmd_set_event(commands, event, all));
        assert!(d.get_event_status(event).unwrap());
        rig.run(|commands| d.cmd_reset_event(commands, event, all));
        assert!(!d.get_event_status(event).unwrap());
        let buffer = rig.buffer(64);
        d.set_event(event).unwrap();
        rig.run(|commands| {
            d.cmd_wait_events(commands, &[event], all, all, &[], &[], &[]);
            d.cmd_fill_buffer(commands, buffer.buffer, 0, 64, 2);
        });
        assert_eq!(buffer.dwords()[0], 2);
        d.reset_event(event).unwrap();
        d.destroy_event(event, None);
    }
}

#[test]
fn synchronization2_commands_order_like_the_original_ones() {
    use vk::{AccessFlags2 as A, PipelineStageFlags2 as S};
    let rig = Rig::new();
    let d = &rig.device;
    let new = ash::khr::synchronization2::Device::new(&rig.instance, d);
    let copies = ash::khr::copy_commands2::Device::new(&rig.instance, d);
    let buffer = rig.buffer(64);
    unsafe {
        let event = d.create_event(&Default::default(), None).unwrap();
        let info = vk::QueryPoolCreateInfo::default()
            .query_type(vk::QueryType::TIMESTAMP)
            .query_count(2);
        let queries = d.create_query_pool(&info, None).unwrap();
        let barriers = [
            // Says nothing that is needed; the other does.
            vk::MemoryBarrier2::default().src_stage_mask(S::HOST),
            vk::MemoryBarrier2::default()
                .src_stage_mask(S::CLEAR)
                .src_access_mask(A::TRANSFER_WRITE)
                .dst_stage_mask(S::COPY)
                .dst_access_mask(A::TRANSFER_READ | A::TRANSFER_WRITE),
        ];
        let dependency = vk::DependencyInfo::default().memory_barriers(&barriers);
        let first = rig.record(|commands| {
            d.cmd_reset_query_pool(commands, queries, 0, 2);
            new.cmd_write_timestamp2(commands, S::NONE, queries, 0);
            d.cmd_fill_buffer(commands, buffer.buffer, 0, 4, 7);
            new.cmd_pipeline_barrier2(commands, &dependency);
            let region = [vk::BufferCopy2::default().dst_offset(4).size(4)];
            let copy = vk::CopyBufferInfo2::default()
                .src_buffer(buffer.buffer)
                .dst_buffer(buffer.buffer)
                .regions(&region);
            copies.cmd_copy_buffer2(commands, &copy);
            new.cmd_set_event2(commands, event, &dependency);
            new.cmd_write_timestamp2(commands, S::ALL_COMMANDS, queries, 1);
        });
        let second = rig.record(|commands| {
            new.cmd_wait_events2(commands, &[event], &[dependency]);
            let region = [vk::BufferCopy::default()
                .src_offset(4)
                .dst_offset(8)
                .size(4)];
            d.cmd_copy_buffer(commands, buffer.buffer, buffer.buffer, &region);
            rig.barrier(commands);
            new.cmd_reset_event2(commands, event, S::COPY);
        });
        let mut kind = vk::SemaphoreTypeCreateInfo::default()
            .semaphore_type(vk::SemaphoreType::TIMELINE)
            .initial_value(3);
        let info = vk::SemaphoreCreateInfo::default().push_next(&mut kind);
        let semaphore = d.create_semaphore(&info, None).unwrap();
        let at = |value| {
            [vk::SemaphoreSubmitInfo::default()
                .semaphore(semaphore)
                .value(value)
                .stage_mask(S::ALL_COMMANDS)]
        };
        let (waits, signals) = ([at(3), at(5)], [at(5), at(9)]);
        let commands = [first, second]
            .map(|commands| [vk::CommandBufferSubmitInfo::default().command_buffer(commands)]);
        let submits = [0, 1].map(|which| {
            vk::SubmitInfo2::default()
                .wait_semaphore_infos(&waits[which])
                .command_buffer_infos(&commands[which])
                .signal_semaphore_infos(&signals[which])
        });
        let fence = d.create_fence(&Default::default(), None).unwrap();
        new.queue_submit2(rig.queue, &submits, fence).unwrap();
        d.wait_for_fences(&[fence], true, u64::MAX).unwrap();
        let timeline = ash::khr::timeline_semaphore::Device::new(&rig.instance, d);
        assert_eq!(timeline.get_semaphore_counter_value(semaphore), Ok(9));
        assert_eq!(buffer.dwords()[..4], [7, 7, 7, 0]);
        assert!(!d.get_event_status(event).unwrap());
        let mut times = [0u64; 2];
        d.get_query_pool_results(queries, 0, &mut times, vk::QueryResultFlags::TYPE_64)
            .unwrap();
        assert!(times[0] < times[1]);
        // Protected memory is not offered.
        let protected = [vk::SubmitInfo2::default().flags(vk::SubmitFlags::PROTECTED)];
        let refused = new.queue_submit2(rig.queue, &protected, vk::Fence::null());
        assert_eq!(refused, Err(vk::Result::ERROR_FEATURE_NOT_PRESENT));
        d.destroy_fence(fence, None);
        d.destroy_semaphore(semaphore, None);
        d.destroy_query_pool(queries, None);
        d.destroy_event(event, None);
    }
}

#[test]
fn timestamps_increase_and_report_availability() {
    let rig = Rig::new();
    let d = &rig.device;
    let (buffer, results) = (rig.buffer(64), rig.buffer(256));
    unsafe {
        let info = vk::QueryPoolCreateInfo::default()
            .query_type(vk::QueryType::TIMESTAMP)
            .query_count(4);
        let pool = d.create_query_pool(&info, None).unwrap();
        results.data.fill(0xcc);
        rig.run(|commands| {
            d.cmd_reset_query_pool(commands, pool, 0, 4);
            d.cmd_write_timestamp(commands, vk::PipelineStageFlags::TOP_OF_PIPE, pool, 0);
            d.cmd_fill_buffer(commands, buffer.buffer, 0, 64, 2);
            d.cmd_write_timestamp(commands, vk::PipelineStageFlags::BOTTOM_OF_PIPE, pool, 1);
            let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WITH_AVAILABILITY;
            d.cmd_copy_query_pool_results(commands, pool, 0, 3, results.buffer, 0, 16, flags);
        });
        let mut values = [[0u64; 2]; 3];
        let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WITH_AVAILABILITY;
        let read = d.get_query_pool_results(pool, 0, &mut values, flags);
        assert_eq!(read, Err(vk::Result::NOT_READY));
        assert_eq!((values[0][1], values[1][1], values[2][1]), (1, 1, 0));
        assert!(values[0][0] > 0 && values[1][0] > values[0][0]);
        let mut short = [0u32; 2];
        d.get_query_pool_results(pool, 0, &mut short, vk::QueryResultFlags::WAIT)
            .unwrap();
        assert_eq!(
            short.map(u64::from),
            [values[0][0] & 0xffff_ffff, values[1][0] & 0xffff_ffff]
        );
        let copied: Vec<u64> = results
            .data
            .chunks_exact(8)
            .map(|b| u64::from_le_bytes(b.try_into().unwrap()))
            .collect();
        assert_eq!(copied[..4], [values[0][0], 1, values[1][0], 1]);
        // The third is not available: its value stays, and its availability is 0.
        assert_eq!(copied[4..6], [0xcccc_cccc_cccc_cccc, 0]);
        let reset = ash::ext::host_query_reset::Device::new(&rig.instance, d);
        (reset.fp().reset_query_pool_ext)(d.handle(), pool, 0, 4);
        let mut one = [0u64];
        assert_eq!(
            d.get_query_pool_results(pool, 0, &mut one, vk::QueryResultFlags::TYPE_64),
            Err(vk::Result::NOT_READY)
        );
        d.destroy_query_pool(pool, None);
        let info = vk::QueryPoolCreateInfo::default()
            .query_type(vk::QueryType::PERFORMANCE_QUERY_KHR)
            .query_count(1);
        assert_eq!(
            d.create_query_pool(&info, None).err(),
            Some(vk::Result::ERROR_FEATURE_NOT_PRESENT)
        );
    }
}

#[test]
fn hang_loses_only_its_device() {
    let (rig, other) = (Rig::new(), Rig::new());
    let d = &rig.device;
    let all = vk::PipelineStageFlags::ALL_COMMANDS;
    unsafe {
        let event = d.create_event(&Default::default(), None).unwrap();
        let commands =
            rig.record(|commands| d.cmd_wait_events(commands, &[event], all, all, &[], &[], &[]));
        let fence = d.create_fence(&Default::default(), None).unwrap();
        rig.submit(&[commands], fence);
        assert_eq!(
            d.wait_for_fences(&[fence], true, u64::MAX),
            Err(vk::Result::ERROR_DEVICE_LOST)
        );
        assert_eq!(
            d.get_fence_status(fence),
            Err(vk::Result::ERROR_DEVICE_LOST)
        );
        let submit = [vk::SubmitInfo::default()];
        // Also without anything to submit or to wait for.
        for submits in [&submit[..], &[]] {
            assert_eq!(
                d.queue_submit(rig.queue, submits, vk::Fence::null()),
                Err(vk::Result::ERROR_DEVICE_LOST)
            );
        }
        let timelines = ash::khr::timeline_semaphore::Device::new(&rig.instance, d);
        assert_eq!(
            timelines.wait_semaphores(&vk::SemaphoreWaitInfo::default(), 0),
            Err(vk::Result::ERROR_DEVICE_LOST)
        );
        assert_eq!(d.device_wait_idle(), Err(vk::Result::ERROR_DEVICE_LOST));
        d.destroy_fence(fence, None);
        d.destroy_event(event, None);
        other
            .device
            .queue_submit(other.queue, &submit, vk::Fence::null())
            .unwrap();
        other.device.device_wait_idle().unwrap();
    }
}

#[test]
fn host_signals_end_gpu_waits() {
    let rig = Rig::new();
    let d = &rig.device;
    let all = vk::PipelineStageFlags::ALL_COMMANDS;
    unsafe {
        let info = vk::QueryPoolCreateInfo::default()
            .query_type(vk::QueryType::TIMESTAMP)
            .query_count(2);
        let pool = d.create_query_pool(&info, None).unwrap();
        let (go, done) = (
            d.create_event(&Default::default(), None).unwrap(),
            d.create_event(&Default::default(), None).unwrap(),
        );
        let commands = rig.record(|commands| {
            d.cmd_reset_query_pool(commands, pool, 0, 2);
            d.cmd_write_timestamp(commands, vk::PipelineStageFlags::TOP_OF_PIPE, pool, 0);
            d.cmd_wait_events(commands, &[go], all, all, &[], &[], &[]);
            d.cmd_write_timestamp(commands, vk::PipelineStageFlags::BOTTOM_OF_PIPE, pool, 1);
            d.cmd_set_event(commands, done, all);
        });
        let fence = d.create_fence(&Default::default(), None).unwrap();
        rig.submit(&[commands], fence);
        // The GPU has begun when its first timestamp is there: the host's time counts from then on.
        let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WAIT;
        d.get_query_pool_results(pool, 0, &mut [0u64], flags)
            .unwrap();
        assert_eq!(
            d.wait_for_fences(&[fence], true, 20_000_000),
            Err(vk::Result::TIMEOUT)
        );
        assert!(!d.get_event_status(done).unwrap());
        d.set_event(go).unwrap();
        d.wait_for_fences(&[fence], true, u64::MAX).unwrap();
        assert!(d.get_event_status(done).unwrap());
        let mut times = [0u64; 2];
        d.get_query_pool_results(pool, 0, &mut times, flags)
            .unwrap();
        // 20 ms at 12 MHz.
        assert!(times[1] - times[0] >= 240_000, "{times:?}");
        d.destroy_fence(fence, None);
        d.destroy_event(go, None);
        d.destroy_event(done, None);
        d.destroy_query_pool(pool, None);
    }
}

/// A queue with VK_KHR_internally_synchronized_queues, without a lock of the application's.
#[test]
fn threads_submit_to_an_internally_synchronised_queue_at_once() {
    const FLAG: vk::DeviceQueueCreateFlags = vk::DeviceQueueCreateFlags::from_raw(4);
    const THREADS: u32 = 4;
    const ROUNDS: u32 = 25;
    let rig = Rig::new();
    // VkPhysicalDeviceInternallySynchronizedQueuesFeaturesKHR: type, chain, feature.
    let feature = [1_000_504_000u64, 0, 1];
    let names = [c"VK_KHR_internally_synchronized_queues".as_ptr()];
    let queues = [vk::DeviceQueueCreateInfo::default()
        .flags(FLAG)
        .queue_priorities(&[1.0])];
    let mut info = vk::DeviceCreateInfo::default()
        .queue_create_infos(&queues)
        .enabled_extension_names(&names);
    info.p_next = feature.as_ptr().cast();
    unsafe {
        let d = rig
            .instance
            .create_device(rig.physical, &info, None)
            .unwrap();
        // The queue is found by its flags only.
        assert_eq!(d.get_device_queue(0, 0), vk::Queue::null());
        let plain = vk::DeviceQueueInfo2::default();
        assert_eq!(d.get_device_queue2(&plain), vk::Queue::null());
        let queue = d.get_device_queue2(&plain.flags(FLAG));
        assert_ne!(queue, vk::Queue::null());
        let bytes = u64::from(THREADS * ROUNDS * 4);
        let info = vk::BufferCreateInfo::default()
            .size(bytes)
            .usage(vk::BufferUsageFlags::TRANSFER_DST);
        let buffer = d.create_buffer(&info, None).unwrap();
        let info = vk::MemoryAllocateInfo::default().allocation_size(bytes);
        let memory = d.allocate_memory(&info, None).unwrap();
        d.bind_buffer_memory(buffer, memory, 0).unwrap();
        let work = |thread: u32| {
            let pool = d.create_command_pool(&Default::default(), None).unwrap();
            let info = vk::CommandBufferAllocateInfo::default()
                .command_pool(pool)
                .command_buffer_count(ROUNDS);
            let all = d.allocate_command_buffers(&info).unwrap();
            let fence = d.create_fence(&Default::default(), None).unwrap();
            for (round, &commands) in (0..).zip(&all) {
                let at = thread * ROUNDS + round;
                d.begin_command_buffer(commands, &Default::default())
                    .unwrap();
                d.cmd_fill_buffer(commands, buffer, u64::from(at * 4), 4, at + 1);
                d.end_command_buffer(commands).unwrap();
                let commands = [commands];
                let submit = [vk::SubmitInfo::default().command_buffers(&commands)];
                d.queue_submit(queue, &submit, fence).unwrap();
                d.wait_for_fences(&[fence], true, u64::MAX).unwrap();
                d.reset_fences(&[fence]).unwrap();
            }
            d.queue_wait_idle(queue).unwrap();
            d.destroy_fence(fence, None);
            d.destroy_command_pool(pool, None);
        };
        std::thread::scope(|scope| {
            for thread in 0..THREADS {
                let work = &work;
                scope.spawn(move || work(thread));
            }
        });
        let flags = vk::MemoryMapFlags::empty();
        let data = d.map_memory(memory, 0, vk::WHOLE_SIZE, flags).unwrap();
        let found = std::slice::from_raw_parts(data.cast::<u32>(), (THREADS * ROUNDS) as usize);
        let wanted: Vec<_> = (1..=THREADS * ROUNDS).collect();
        assert_eq!(found, wanted);
        d.destroy_buffer(buffer, None);
        d.free_memory(memory, None);
        d.destroy_device(None);
    }
}
