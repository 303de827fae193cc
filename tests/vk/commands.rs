//! What commands do to memory.

use ash::vk;

use crate::rig::{Kernel, Rig};

/// A pipeline that writes `value` to the first `count` dwords of its buffer: push constants are
/// value and count.
fn fill(rig: &Rig, kind: vk::DescriptorType, buffer: &crate::rig::Buffer<'_>) -> Kernel {
    Kernel::new(
        rig,
        &crate::rig::fill(),
        kind,
        &[buffer],
        vk::PipelineCache::null(),
    )
}

/// Fails with the first difference alone.
fn same<T: PartialEq + std::fmt::Debug>(found: &[T], expected: &[T]) {
    assert_eq!(found.len(), expected.len());
    let difference = found
        .iter()
        .zip(expected)
        .position(|(found, expected)| found != expected);
    if let Some(at) = difference {
        panic!("element {at}: {:?}, expected {:?}", found[at], expected[at]);
    }
}

#[test]
fn fill_buffer_writes_only_its_range() {
    let rig = Rig::new();
    let buffer = rig.buffer(1024);
    buffer.data.fill(1);
    rig.run(|commands| unsafe {
        rig.device
            .cmd_fill_buffer(commands, buffer.buffer, 16, 500 & !3, 0xdead_beef);
        rig.device
            .cmd_fill_buffer(commands, buffer.buffer, 1000, vk::WHOLE_SIZE, 7);
    });
    let dwords = buffer.dwords();
    for (index, &dword) in dwords.iter().enumerate() {
        let expected = match index * 4 {
            16..516 => 0xdead_beef,
            1000.. => 7,
            _ => 0x0101_0101,
        };
        assert_eq!(dword, expected, "dword {index}");
    }
}

#[test]
fn copies_of_any_alignment() {
    let rig = Rig::new();
    let (source, target) = (rig.buffer(4096), rig.buffer(4096));
    for (index, byte) in source.data.iter_mut().enumerate() {
        *byte = (index * 7 + index / 256) as u8;
    }
    let mut expected = vec![0xee; 4096];
    target.data.fill(0xee);
    let mut regions = Vec::new();
    let mut at = 0;
    for length in 1..60usize {
        let from = (length * 37) % 2000;
        regions.push(
            vk::BufferCopy::default()
                .src_offset(from as u64)
                .dst_offset(at as u64)
                .size(length as u64),
        );
        expected[at..at + length].copy_from_slice(&source.data[from..from + length]);
        // Neighbours within a dword, sometimes with a gap.
        at += length + length % 3;
    }
    rig.run(|commands| unsafe {
        rig.device
            .cmd_copy_buffer(commands, source.buffer, target.buffer, &regions);
    });
    same(target.data, &expected);
}

#[test]
fn update_buffer_copies_its_data() {
    let rig = Rig::new();
    let buffer = rig.buffer(70_000);
    let data: Vec<u8> = (0..65_536u32).map(|index| (index % 251) as u8).collect();
    rig.run(|commands| unsafe {
        rig.device
            .cmd_update_buffer(commands, buffer.buffer, 4, &data);
        rig.device
            .cmd_update_buffer(commands, buffer.buffer, 65_600, &[1, 2, 3, 4]);
    });
    same(&buffer.data[4..65_540], &data);
    assert_eq!(buffer.data[65_600..65_604], [1, 2, 3, 4]);
    assert_eq!(buffer.data[..4], [0; 4]);
}

#[test]
fn direct_indirect_and_base_dispatches() {
    let rig = Rig::new();
    let buffer = rig.buffer(4096);
    let counts = rig.buffer(64);
    let kernel = fill(&rig, vk::DescriptorType::STORAGE_BUFFER, &buffer);
    rig.run(|commands| unsafe {
        kernel.bind(&rig, commands, &[], &[5, 1024]);
        rig.device.cmd_dispatch(commands, 2, 1, 1);
    });
    let dwords = buffer.dwords();
    assert!(
        dwords[..128].iter().all(|&dword| dword == 5)
            && dwords[128..].iter().all(|&dword| dword == 0)
    );

    counts.data[16..28].copy_from_slice(&[3, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]);
    rig.run(|commands| unsafe {
        kernel.bind(&rig, commands, &[], &[6, 1024]);
        rig.device
            .cmd_dispatch_indirect(commands, counts.buffer, 16);
    });
    let dwords = buffer.dwords();
    assert!(
        dwords[..192].iter().all(|&dword| dword == 6)
            && dwords[192..].iter().all(|&dword| dword == 0)
    );

    rig.run(|commands| unsafe {
        kernel.bind(&rig, commands, &[], &[7, 1024]);
        rig.device.cmd_dispatch_base(commands, 10, 0, 0, 1, 1, 1);
        rig.device.cmd_dispatch(commands, 0, 1, 1);
    });
    let dwords = buffer.dwords();
    assert!(dwords[640..704].iter().all(|&dword| dword == 7));
    assert!(
        dwords[192..640]
            .iter()
            .chain(&dwords[704..])
            .all(|&dword| dword == 0)
    );
    kernel.destroy(&rig);
}

#[test]
fn dynamic_buffer_offsets() {
    let rig = Rig::new();
    let buffer = rig.buffer(4096);
    let kernel = fill(&rig, vk::DescriptorType::STORAGE_BUFFER_DYNAMIC, &buffer);
    rig.run(|commands| unsafe {
        kernel.bind(&rig, commands, &[256], &[9, 8]);
        rig.device.cmd_dispatch(commands, 1, 1, 1);
        kernel.bind(&rig, commands, &[1024], &[10, 4]);
        rig.device.cmd_dispatch(commands, 1, 1, 1);
    });
    let dwords = buffer.dwords();
    for (index, &dword) in dwords.iter().enumerate() {
        let expected = match index {
            64..72 => 9,
            256..260 => 10,
            _ => 0,
        };
        assert_eq!(dword, expected, "dword {index}");
    }
    kernel.destroy(&rig);
}

#[test]
fn barriers_order_read_after_write() {
    let rig = Rig::new();
    let (a, b) = (rig.buffer(4096), rig.buffer(4096));
    rig.run(|commands| unsafe {
        for round in 0..8 {
            rig.device
                .cmd_fill_buffer(commands, a.buffer, 0, 4096, round);
            rig.barrier(commands);
            let region = [vk::BufferCopy::default()
                .src_offset(u64::from(round) * 8)
                .dst_offset(u64::from(round) * 64)
                .size(64)];
            rig.device
                .cmd_copy_buffer(commands, a.buffer, b.buffer, &region);
            rig.barrier(commands);
        }
    });
    for (index, &dword) in b.dwords()[..128].iter().enumerate() {
        assert_eq!(dword, index as u32 / 16);
    }
}

#[test]
fn secondary_command_buffers_execute() {
    let rig = Rig::new();
    let buffer = rig.buffer(256);
    let kernel = fill(&rig, vk::DescriptorType::STORAGE_BUFFER, &buffer);
    let secondary = rig.command_buffer(vk::CommandBufferLevel::SECONDARY);
    let inheritance = vk::CommandBufferInheritanceInfo::default();
    let info = vk::CommandBufferBeginInfo::default()
        .flags(vk::CommandBufferUsageFlags::SIMULTANEOUS_USE)
        .inheritance_info(&inheritance);
    unsafe {
        rig.device.begin_command_buffer(secondary, &info).unwrap();
        kernel.bind(&rig, secondary, &[], &[3, 16]);
        rig.device.cmd_dispatch(secondary, 1, 1, 1);
        rig.device.end_command_buffer(secondary).unwrap();
    }
    for _ in 0..2 {
        buffer.data.fill(0);
        rig.run(|commands| unsafe {
            rig.device
                .cmd_execute_commands(commands, &[secondary, secondary]);
            rig.barrier(commands);
            rig.device.cmd_fill_buffer(commands, buffer.buffer, 0, 4, 8);
        });
        let dwords = buffer.dwords();
        assert_eq!((dwords[0], dwords[1], dwords[15], dwords[16]), (8, 3, 3, 0));
    }
    kernel.destroy(&rig);
}

#[test]
fn long_command_buffer_submitted_repeatedly() {
    let rig = Rig::new();
    let buffer = rig.buffer(4096);
    let counters: Vec<u32> = (0..1024).collect();
    let commands = rig.record(|commands| unsafe {
        // More than one chunk of batch, state and surfaces.
        for &index in &counters {
            rig.device
                .cmd_fill_buffer(commands, buffer.buffer, u64::from(index) * 4, 4, index);
        }
        rig.barrier(commands);
    });
    for _ in 0..3 {
        buffer.data.fill(0xff);
        rig.submit(&[commands, commands], vk::Fence::null());
        unsafe { rig.device.queue_wait_idle(rig.queue) }.unwrap();
        same(&buffer.dwords(), &counters);
    }
}

#[test]
fn dispatches_have_the_maximum_push_constants() {
    let rig = Rig::new();
    let limits = unsafe { rig.instance.get_physical_device_properties(rig.physical) }.limits;
    assert_eq!(limits.max_push_constants_size, 256);
    // By numbers known when the shader is compiled, and by ones that are not.
    let words = crate::rig::compile(
        "#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Out { uint words[]; };
layout(push_constant) uniform Push { uint pushed[64]; };
void main()
{
    uint at = gl_LocalInvocationID.x;
    words[at] = pushed[at ^ 1];
    if (at == 0) { words[64] = pushed[31]; words[65] = pushed[32]; words[66] = pushed[63]; }
}",
    );
    let out = rig.buffer(4 * 67);
    let kind = vk::DescriptorType::STORAGE_BUFFER;
    let kernel = Kernel::new(&rig, &words, kind, &[&out], vk::PipelineCache::null());
    let pushed: Vec<u32> = (0..64).map(|at| 1000 + at * at).collect();
    rig.run(|commands| {
        kernel.bind(&rig, commands, &[], &pushed);
        unsafe { rig.device.cmd_dispatch(commands, 1, 1, 1) };
    });
    let found = out.dwords();
    for at in 0..64 {
        assert_eq!(found[at], pushed[at ^ 1], "{at}");
    }
    assert_eq!(found[64..], [pushed[31], pushed[32], pushed[63]]);
    kernel.destroy(&rig);
}

/// `VkCopyMemoryIndirectInfoKHR`.
#[repr(C)]
struct CopyList {
    s_type: vk::StructureType,
    p_next: *const std::ffi::c_void,
    flags: [u32; 2],
    count: u32,
    address: u64,
    size: u64,
    stride: u64,
}

#[test]
fn copies_are_read_from_memory_that_commands_wrote() {
    let rig = Rig::new();
    let d = &rig.device;
    type Copy = unsafe extern "system" fn(vk::CommandBuffer, *const CopyList);
    let copy = unsafe {
        let load = rig.instance.fp_v1_0().get_device_proc_addr;
        let found = load(d.handle(), c"vkCmdCopyMemoryIndirectKHR".as_ptr());
        std::mem::transmute::<unsafe extern "system" fn(), Copy>(found.unwrap())
    };
    let address = |buffer: &crate::rig::Buffer<'_>| unsafe {
        let info = vk::BufferDeviceAddressInfo::default().buffer(buffer.buffer);
        d.get_buffer_device_address(&info)
    };
    const BYTES: u64 = 1 << 17;
    let (source, target) = (rig.buffer(BYTES), rig.buffer(BYTES));
    for (at, dword) in source.data.chunks_exact_mut(4).enumerate() {
        dword.copy_from_slice(&(at as u32 + 1).to_le_bytes());
    }
    // Offsets in dwords, and dwords: few, none, more than one step of all invocations, one.
    let copies = [
        (3, 100, 7),
        (9, 50, 0),
        (11, 200, 9000),
        (20_000, 30_000, 1),
    ];
    let strides = [24u64, 40];
    for stride in strides {
        target.data.fill(0);
        let mut words = vec![0xdead_beef_u32; copies.len() * stride as usize / 4];
        for (at, (from, to, count)) in copies.into_iter().enumerate() {
            let values = [
                address(&source) + from * 4,
                address(&target) + to * 4,
                count * 4,
            ];
            let values = values.iter().flat_map(|v| [*v as u32, (*v >> 32) as u32]);
            let start = at * stride as usize / 4;
            words[start..start + 6].copy_from_slice(&values.collect::<Vec<_>>());
        }
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let list = rig.buffer(1024);
        let info = CopyList {
            s_type: vk::StructureType::from_raw(1_000_549_002),
            p_next: std::ptr::null(),
            flags: [0; 2],
            count: copies.len() as u32,
            address: address(&list) + 64,
            size: bytes.len() as u64,
            stride,
        };
        rig.run(|commands| unsafe {
            d.cmd_update_buffer(commands, list.buffer, 64, &bytes);
            rig.barrier(commands);
            copy(commands, &raw const info);
        });
        let mut expected = vec![0u32; BYTES as usize / 4];
        for (from, to, count) in copies {
            for at in 0..count as usize {
                expected[to as usize + at] = from as u32 + at as u32 + 1;
            }
        }
        same(&target.dwords(), &expected);
    }
    // A list whose copies overlap is refused.
    let info = CopyList {
        s_type: vk::StructureType::from_raw(1_000_549_002),
        p_next: std::ptr::null(),
        flags: [0; 2],
        count: 2,
        address: address(&source),
        size: 64,
        stride: 20,
    };
    let commands = rig.command_buffer(vk::CommandBufferLevel::PRIMARY);
    let refused = rig.record_into(commands, |commands| unsafe {
        copy(commands, &raw const info)
    });
    assert!(refused.is_err());
}
