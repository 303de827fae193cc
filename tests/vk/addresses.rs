//! Buffers by their address: what a shader is given is a number, and no descriptor.

use ash::vk;

use crate::rig::{Kernel, Rig, compile};

#[test]
fn shaders_reach_buffers_through_their_addresses() {
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
