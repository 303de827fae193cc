//! Buffers by their address: what a shader is given is a number, and no descriptor.

use ash::vk;

use crate::rig::{Kernel, Rig, compile};

#[test]
fn buffer_device_address() {
    let rig = Rig::new();
    let extension = ash::khr::buffer_device_address::Device::new(&rig.instance, &rig.device);
    let (from, to) = (rig.buffer(256), rig.buffer(256));
    for (n, dword) in from.data.chunks_exact_mut(4).enumerate() {
        dword.copy_from_slice(&(n as u32).to_le_bytes());
    }
    let address = |buffer: vk::Buffer| {
        let info = vk::BufferDeviceAddressInfo::default().buffer(buffer);
        let address = unsafe { extension.get_buffer_device_address(&info) };
        assert!(address != 0 && address.is_multiple_of(16));
        [address as u32, (address >> 32) as u32]
    };
    let [a, b] = address(from.buffer);
    let [c, d] = address(to.buffer);
    let words = compile(
        "#version 450
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 64) in;
layout(buffer_reference, std430) buffer Words { uint w[]; };
layout(push_constant) uniform Push { Words from, to; };
void main()
{
    uint i = gl_LocalInvocationIndex;
    to.w[63 - i] = from.w[i] * 3;
}",
    );
    let kind = vk::DescriptorType::STORAGE_BUFFER;
    // The set is there, and the shader does not look at it.
    let kernel = Kernel::new(&rig, &words, kind, &[&from], vk::PipelineCache::null());
    rig.run(|commands| {
        kernel.bind(&rig, commands, &[], &[a, b, c, d]);
        unsafe { rig.device.cmd_dispatch(commands, 1, 1, 1) };
    });
    let wanted: Vec<u32> = (0..64).map(|n| (63 - n) * 3).collect();
    assert_eq!(to.dwords(), wanted);
    kernel.destroy(&rig);
}

/// Memory with a capturable address, or with a captured one.
fn replayed(rig: &Rig, bytes: u64, address: u64) -> Result<vk::DeviceMemory, vk::Result> {
    let kinds = vk::MemoryAllocateFlags::DEVICE_ADDRESS
        | vk::MemoryAllocateFlags::DEVICE_ADDRESS_CAPTURE_REPLAY;
    let mut flags = vk::MemoryAllocateFlagsInfo::default().flags(kinds);
    let mut asked =
        vk::MemoryOpaqueCaptureAddressAllocateInfo::default().opaque_capture_address(address);
    let info = vk::MemoryAllocateInfo::default()
        .allocation_size(bytes)
        .push_next(&mut flags)
        .push_next(&mut asked);
    unsafe { rig.device.allocate_memory(&info, None) }
}

#[test]
fn capture_replay_addresses() {
    // What memory and buffers have for addresses, the first asked for anew, the others as they were
    // told.
    let run = |told: Option<[u64; 3]>, order: [usize; 3]| {
        let rig = Rig::new();
        let d = &rig.device;
        let extension = ash::khr::buffer_device_address::Device::new(&rig.instance, d);
        let sizes = [4096u64, 70_000, 256];
        let mut memories = [vk::DeviceMemory::null(); 3];
        let mut addresses = [0; 3];
        for at in order {
            let address = told.map_or(0, |told| told[at]);
            // Other memory is made between, and is not in the way.
            let other = vk::MemoryAllocateInfo::default().allocation_size(1 << 20);
            unsafe {
                let other = d.allocate_memory(&other, None).unwrap();
                memories[at] = replayed(&rig, sizes[at], address).unwrap();
                let info = vk::DeviceMemoryOpaqueCaptureAddressInfo::default().memory(memories[at]);
                addresses[at] = extension.get_device_memory_opaque_capture_address(&info);
                let info = vk::BufferCreateInfo::default()
                    .flags(vk::BufferCreateFlags::DEVICE_ADDRESS_CAPTURE_REPLAY)
                    .size(sizes[at])
                    .usage(vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS);
                let buffer = d.create_buffer(&info, None).unwrap();
                d.bind_buffer_memory(buffer, memories[at], 0).unwrap();
                let info = vk::BufferDeviceAddressInfo::default().buffer(buffer);
                let opaque = extension.get_buffer_opaque_capture_address(&info);
                assert_eq!(opaque, 0, "a buffer is where its memory is");
                assert_eq!(extension.get_buffer_device_address(&info), addresses[at]);
                d.destroy_buffer(buffer, None);
                d.free_memory(other, None);
            }
        }
        assert!(addresses.iter().all(|&address| address != 0));
        // Where something lies already nothing can be put.
        assert_eq!(
            replayed(&rig, 4096, addresses[1] + 4096).err(),
            Some(vk::Result::ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS)
        );
        for memory in memories {
            unsafe { d.free_memory(memory, None) };
        }
        addresses
    };
    let first = run(None, [0, 1, 2]);
    assert_eq!(run(Some(first), [2, 0, 1]), first);
}

/// Rows of five halves, of which four are moved: the compiler joins them to dwords, which are at
/// multiples of two bytes, and with a stated alignment to aligned ones.
#[test]
fn halves_are_joined_at_addresses() {
    for (align, row) in [(2, 5), (8, 8)] {
        let rig = Rig::new();
        let extension = ash::khr::buffer_device_address::Device::new(&rig.instance, &rig.device);
        let (from, to) = (rig.buffer(1024), rig.buffer(1024));
        let source: Vec<u16> = (0..512u16).map(|n| n.wrapping_mul(77) + 3).collect();
        for (half, bytes) in source.iter().zip(from.data.chunks_exact_mut(2)) {
            bytes.copy_from_slice(&half.to_le_bytes());
        }
        let address = |buffer: vk::Buffer| {
            let info = vk::BufferDeviceAddressInfo::default().buffer(buffer);
            let address = unsafe { extension.get_buffer_device_address(&info) };
            [address as u32, (address >> 32) as u32]
        };
        let [a, b] = address(from.buffer);
        let [c, d] = address(to.buffer);
        let words = compile(&format!(
            "#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 64) in;
layout(buffer_reference, std430, buffer_reference_align = {align}) buffer Row {{ uint16_t h[4]; }};
layout(push_constant) uniform Push {{ uint64_t from, to; }};
void main()
{{
    uint64_t at = uint64_t(gl_LocalInvocationIndex) * {row}ul * 2ul;
    Row a = Row(from + at), b = Row(to + at);
    uint16_t moved[4];
    for (int k = 0; k < 4; k++)
        moved[k] = a.h[3 - k] + uint16_t(k);
    for (int k = 0; k < 4; k++)
        b.h[k] = moved[k];
}}"
        ));
        let kind = vk::DescriptorType::STORAGE_BUFFER;
        let kernel = Kernel::new(&rig, &words, kind, &[&from], vk::PipelineCache::null());
        rig.run(|commands| {
            kernel.bind(&rig, commands, &[], &[a, b, c, d]);
            unsafe { rig.device.cmd_dispatch(commands, 1, 1, 1) };
        });
        let wanted: Vec<u16> = (0..512)
            .map(|n| match (n / row, n % row) {
                (lane @ 0..64, k @ 0..4) => source[lane * row + 3 - k].wrapping_add(k as u16),
                _ => 0,
            })
            .collect();
        let found = to.dwords().into_iter();
        let found: Vec<u16> = found.flat_map(|d| [d as u16, (d >> 16) as u16]).collect();
        assert_eq!(found, wanted, "aligned to {align}");
        kernel.destroy(&rig);
    }
}

/// What all lanes read at one address is read in blocks of at most 128 bytes, up to the end of the
/// buffer and the page; what the shader writes meanwhile is read again.
#[test]
fn uniform_addresses() {
    let rig = Rig::new();
    let extension = ash::khr::buffer_device_address::Device::new(&rig.instance, &rig.device);
    let words = compile(
        "#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 32) in;
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Rows { uvec4 v[16]; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words { uint w[]; };
layout(push_constant) uniform Push { Rows from; Words to; };
void main()
{
    uint i = gl_LocalInvocationIndex;
    // Rows 13 to 15 end with the page.
    uvec4 sum = from.v[13] + from.v[15] * 2 + from.v[14] * 4;
    uvec4 far = from.v[0] + from.v[9] * 3 + from.v[1].wzyx;
    to.w[i] = sum[i & 3] * 1000 + far[i & 3];
    Words dwords = Words(from);
    // The last three dwords of the page, and one that the shader writes between two reads.
    to.w[32 + i] = dwords.w[61] + dwords.w[62] * 2 + dwords.w[63] * 4;
    uvec4 a = from.v[2], b = from.v[3];
    uint before = a.x + b.y;
    barrier();
    from.v[3].y = before + 1;
    memoryBarrierBuffer();
    barrier();
    a = from.v[2];
    b = from.v[3];
    to.w[64 + i] = before * 1000 + a.x + b.y;
    // Only some lanes get here, and not in every workgroup.
    if (i + gl_WorkGroupID.x * 32 > 40) to.w[96 + i] = from.v[4].z + i;
}",
    );
    let kind = vk::DescriptorType::STORAGE_BUFFER;
    {
        let (from, to) = (rig.buffer(4096), rig.buffer(1024));
        for (n, dword) in from.data.chunks_exact_mut(4).enumerate() {
            dword.copy_from_slice(&(n as u32).to_le_bytes());
        }
        let address = |buffer: vk::Buffer| {
            let info = vk::BufferDeviceAddressInfo::default().buffer(buffer);
            unsafe { extension.get_buffer_device_address(&info) }
        };
        let last_rows = address(from.buffer) + 4096 - 256;
        let push = [last_rows, address(to.buffer)].map(|a| [a as u32, (a >> 32) as u32]);
        let kernel = Kernel::new(&rig, &words, kind, &[&to], vk::PipelineCache::null());
        rig.run(|commands| {
            kernel.bind(&rig, commands, &[], push.as_flattened());
            unsafe { rig.device.cmd_dispatch(commands, 1, 1, 1) };
        });
        let dword = |n: u32| 1024 - 64 + n;
        let row = |r: u32, k: u32| dword(4 * r + k);
        for i in 0..32 {
            let k = i & 3;
            let sum = row(13, k) + row(15, k) * 2 + row(14, k) * 4;
            let far = row(0, k) + row(9, k) * 3 + row(1, 3 - k);
            let found = to.dwords();
            let at = |n: u32| found[n as usize];
            assert_eq!(at(i), sum * 1000 + far, "lane {i}");
            assert_eq!(at(32 + i), dword(61) + dword(62) * 2 + dword(63) * 4);
            let before = row(2, 0) + row(3, 1);
            assert_eq!(at(64 + i), before * 1000 + row(2, 0) + before + 1);
            assert_eq!(at(96 + i), 0);
        }
        kernel.destroy(&rig);
    }
}

/// What a pointer leads to may be a storage buffer, whose offsets are multiples of 4, although the
/// type of the pointer is declared to be aligned to an OWord.
#[test]
fn uniform_addresses_less_aligned_than_declared() {
    let rig = Rig::new();
    let extension = ash::khr::buffer_device_address::Device::new(&rig.instance, &rig.device);
    let words = compile(
        "#version 450
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 8) in;
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Rows { uvec4 v[3]; };
layout(push_constant) uniform Push { Rows from; };
layout(std430, binding = 0) buffer Out { uint sums[]; };
void main()
{
    uvec4 first = from.v[0], last = from.v[2];
    sums[gl_LocalInvocationIndex] = first.x + first.w * 100 + last.y * 10000;
}",
    );
    let (from, to) = (rig.buffer(256), rig.buffer(32));
    for (n, dword) in (0_u32..).zip(from.data.chunks_exact_mut(4)) {
        dword.copy_from_slice(&n.to_le_bytes());
    }
    let info = vk::BufferDeviceAddressInfo::default().buffer(from.buffer);
    let address = unsafe { extension.get_buffer_device_address(&info) };
    let kind = vk::DescriptorType::STORAGE_BUFFER;
    let kernel = Kernel::new(&rig, &words, kind, &[&to], vk::PipelineCache::null());
    for offset in 0..4 {
        let first = address + 4 * offset;
        rig.run(|commands| {
            kernel.bind(&rig, commands, &[], &[first as u32, (first >> 32) as u32]);
            unsafe { rig.device.cmd_dispatch(commands, 1, 1, 1) };
        });
        let dword = offset as u32;
        let sum = dword + (dword + 3) * 100 + (dword + 9) * 10000;
        assert_eq!(to.dwords(), [sum; 8], "offset {offset}");
    }
    kernel.destroy(&rig);
}
