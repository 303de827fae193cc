//! Heaps, mappings and pipelines that use them. Structures are written as quadwords: type, chain,
//! members.

use std::ffi::CStr;

use ash::vk;
use ash::vk::Handle;

use crate::rig::{Buffer, Rig};

/// The type of the extension's first structure.
const TYPE: u64 = 1_000_135_000;
/// VkBindHeapInfoEXT.
pub const BIND_HEAP: u64 = TYPE + 3;
const PIPELINE_HEAP: u64 = 1 << 36;
/// Bytes of a descriptor.
pub const DESCRIPTOR: usize = 16;
/// Size of a heap.
pub const HEAP_BYTES: u64 = 4096;
/// All types of resources.
pub const ALL: u32 = 0x7fff_ffff;

pub use vk::DescriptorType as Type;

/// Two members of 32 bits.
pub fn two(low: u32, high: u32) -> u64 {
    u64::from(low) | u64::from(high) << 32
}

pub fn address(rig: &Rig, buffer: &Buffer<'_>) -> u64 {
    let info = vk::BufferDeviceAddressInfo::default().buffer(buffer.buffer);
    unsafe { rig.device.get_buffer_device_address(&info) }
}

/// A command of the extension.
fn pointer(rig: &Rig, name: &CStr) -> unsafe extern "system" fn() {
    let load = rig.instance.fp_v1_0().get_device_proc_addr;
    unsafe { load(rig.device.handle(), name.as_ptr()) }.unwrap()
}

/// Records a command with one structure.
pub fn record(rig: &Rig, name: &CStr, commands: vk::CommandBuffer, words: &[u64]) {
    type Command = unsafe extern "system" fn(vk::CommandBuffer, *const u64);
    unsafe {
        let command =
            std::mem::transmute::<unsafe extern "system" fn(), Command>(pointer(rig, name));
        command(commands, words.as_ptr());
    }
}

/// Calls vkWriteResourceDescriptorsEXT or vkWriteSamplerDescriptorsEXT for one descriptor.
fn write(rig: &Rig, name: &CStr, info: *const u64, to: &mut [u8]) -> vk::Result {
    type Command = unsafe extern "system" fn(vk::Device, u32, *const u64, *const u64) -> vk::Result;
    let range = [to.as_mut_ptr() as u64, to.len() as u64];
    unsafe {
        let command =
            std::mem::transmute::<unsafe extern "system" fn(), Command>(pointer(rig, name));
        command(rig.device.handle(), 1, info, range.as_ptr())
    }
}

/// What a descriptor is of; `None`: nothing.
pub enum Resource<'a> {
    Buffer(Option<(u64, u64)>),
    Texels(Option<(vk::Format, u64, u64)>),
    Image(Option<&'a vk::ImageViewCreateInfo<'a>>),
}

/// The first bytes of a buffer.
pub fn first_bytes(buffer: &Buffer<'_>, bytes: u64) -> Resource<'static> {
    Resource::Buffer(Some((address(buffer.rig, buffer), bytes)))
}

/// Memory of a heap.
pub fn heap(rig: &Rig) -> Buffer<'_> {
    let usage =
        vk::BufferUsageFlags::from_raw(1 << 28) | vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS;
    rig.buffer_for(HEAP_BYTES, usage)
}

/// Writes the descriptor of a resource at a byte offset.
pub fn write_descriptor(heap: &mut Buffer<'_>, at: usize, kind: Type, resource: Resource<'_>) {
    let mut data = [0; 5];
    let mut pointer = data.as_ptr() as u64;
    match resource {
        Resource::Buffer(Some((address, bytes))) => data[..2].copy_from_slice(&[address, bytes]),
        Resource::Texels(Some((format, address, bytes))) => {
            data = [TYPE, 0, format.as_raw() as u64, address, bytes];
        }
        Resource::Image(Some(info)) => {
            let layout = vk::ImageLayout::GENERAL.as_raw() as u64;
            data = [TYPE + 1, 0, std::ptr::from_ref(info) as u64, layout, 0];
        }
        _ => pointer = 0,
    }
    let info = [TYPE + 2, 0, kind.as_raw() as u64, pointer];
    let (rig, to) = (heap.rig, &mut heap.data[at..at + DESCRIPTOR]);
    let result = write(rig, c"vkWriteResourceDescriptorsEXT", info.as_ptr(), to);
    assert_eq!(result, vk::Result::SUCCESS);
    std::hint::black_box(&data);
}

/// Writes a sampler at a byte offset.
pub fn write_sampler(heap: &mut Buffer<'_>, at: usize, info: &vk::SamplerCreateInfo<'_>) {
    let (rig, to) = (heap.rig, &mut heap.data[at..at + DESCRIPTOR]);
    let info = std::ptr::from_ref(info).cast();
    let result = write(rig, c"vkWriteSamplerDescriptorsEXT", info, to);
    assert_eq!(result, vk::Result::SUCCESS);
}

/// Registers a border colour, at `index` if that is requested.
pub fn register(
    rig: &Rig,
    colour: &vk::SamplerCustomBorderColorCreateInfoEXT<'_>,
    request: Option<()>,
    index: &mut u32,
) -> vk::Result {
    type Command = unsafe extern "system" fn(
        vk::Device,
        *const vk::SamplerCustomBorderColorCreateInfoEXT<'_>,
        u32,
        *mut u32,
    ) -> vk::Result;
    let name = c"vkRegisterCustomBorderColorEXT";
    unsafe {
        let command =
            std::mem::transmute::<unsafe extern "system" fn(), Command>(pointer(rig, name));
        command(rig.device.handle(), colour, request.is_some().into(), index)
    }
}

/// Unregisters the border colour with an index.
pub fn unregister(rig: &Rig, index: u32) {
    type Command = unsafe extern "system" fn(vk::Device, u32);
    let name = c"vkUnregisterCustomBorderColorEXT";
    unsafe {
        let command =
            std::mem::transmute::<unsafe extern "system" fn(), Command>(pointer(rig, name));
        command(rig.device.handle(), index);
    }
}

/// `VkBindHeapInfoEXT`.
pub fn bind_info(rig: &Rig, heap: &Buffer<'_>) -> [u64; 6] {
    [BIND_HEAP, 0, address(rig, heap), HEAP_BYTES, 0, 0]
}

/// `VkCommandBufferInheritanceDescriptorHeapInfoEXT`.
pub fn inheritance(samplers: &[u64; 6], resources: &[u64; 6]) -> [u64; 4] {
    let pointers = [samplers, resources].map(|info| info.as_ptr() as u64);
    [TYPE + 10, 0, pointers[0], pointers[1]]
}

pub fn bind_resources(rig: &Rig, commands: vk::CommandBuffer, heap: &Buffer<'_>) {
    record(
        rig,
        c"vkCmdBindResourceHeapEXT",
        commands,
        &bind_info(rig, heap),
    );
}

pub fn bind_samplers(rig: &Rig, commands: vk::CommandBuffer, heap: &Buffer<'_>) {
    record(
        rig,
        c"vkCmdBindSamplerHeapEXT",
        commands,
        &bind_info(rig, heap),
    );
}

/// Sets push data from an offset.
pub fn push(rig: &Rig, commands: vk::CommandBuffer, offset: u32, dwords: &[u32]) {
    let (data, bytes) = (dwords.as_ptr() as u64, 4 * dwords.len() as u64);
    let info = [TYPE + 4, 0, offset.into(), data, bytes];
    record(rig, c"vkCmdPushDataEXT", commands, &info);
}

/// `VkDescriptorSetAndBindingMappingEXT`.
pub type Mapping = [u64; 12];

/// Where the resources of some bindings are.
#[derive(Clone, Copy)]
pub enum Source {
    /// Heap offset and array stride, and those of the sampler.
    Constant([u32; 2], [u32; 2]),
    /// Heap offset, push offset, index stride, array stride, and those of the sampler.
    PushIndex([u32; 4], [u32; 4]),
    /// As `PushIndex`, with one index for image and sampler.
    SharedIndex([u32; 4], [u32; 4]),
    /// Heap offset, push offset, address offset, index stride, array stride, and those of the
    /// sampler.
    IndirectIndex([u32; 5], [u32; 5]),
    /// The same, without array strides.
    IndirectIndexArray([u32; 4], [u32; 4]),
    /// Heap offset and push offset.
    HeapData(u32, u32),
    PushData(u32),
    PushAddress(u32),
    /// Push offset and address offset.
    IndirectAddress(u32, u32),
}

const NO_SAMPLER: *const vk::SamplerCreateInfo<'static> = std::ptr::null();

/// Maps `count` bindings from `first` of `set` on.
pub fn map(
    (set, first, count): (u32, u32, u32),
    mask: u32,
    source: Source,
    embedded: Option<&vk::SamplerCreateInfo<'static>>,
) -> Mapping {
    let sampler = embedded.map_or(NO_SAMPLER, std::ptr::from_ref) as u64;
    let (number, data) = match source {
        Source::Constant([offset, stride], [other, other_stride]) => (
            0,
            [
                two(offset, stride),
                sampler,
                two(other, other_stride),
                0,
                0,
                0,
                0,
            ],
        ),
        Source::PushIndex(image, other) | Source::SharedIndex(image, other) => {
            let shares = matches!(source, Source::SharedIndex(..));
            let data = [
                two(image[0], image[1]),
                two(image[2], image[3]),
                sampler,
                two(shares.into(), other[0]),
                two(other[1], other[2]),
                two(other[3], 0),
                0,
            ];
            (1, data)
        }
        Source::IndirectIndex(image, other) => {
            let data = [
                two(image[0], image[1]),
                two(image[2], image[3]),
                two(image[4], 0),
                sampler,
                two(0, other[0]),
                two(other[1], other[2]),
                two(other[3], other[4]),
            ];
            (2, data)
        }
        Source::IndirectIndexArray(image, other) => {
            let data = [
                two(image[0], image[1]),
                two(image[2], image[3]),
                sampler,
                two(0, other[0]),
                two(other[1], other[2]),
                two(other[3], 0),
                0,
            ];
            (3, data)
        }
        Source::HeapData(offset, push) => (4, [two(offset, push), 0, 0, 0, 0, 0, 0]),
        Source::PushData(offset) => (5, [offset.into(), 0, 0, 0, 0, 0, 0]),
        Source::PushAddress(offset) => (6, [offset.into(), 0, 0, 0, 0, 0, 0]),
        Source::IndirectAddress(push, at) => (7, [two(push, at), 0, 0, 0, 0, 0, 0]),
    };
    let mut mapping = [0; 12];
    mapping[..5].copy_from_slice(&[TYPE + 5, 0, two(set, first), two(count, mask), number]);
    mapping[5..].copy_from_slice(&data);
    mapping
}

/// `VkShaderDescriptorSetAndBindingMappingInfoEXT`, the chain of a shader stage.
pub fn mapping_info(mappings: &[Mapping]) -> [u64; 4] {
    let pointer = mappings.as_ptr() as u64;
    [TYPE + 6, 0, mappings.len() as u64, pointer]
}

/// `VkPipelineCreateFlags2CreateInfo` with the flag of heaps.
pub fn heap_flags() -> [u64; 3] {
    [1_000_470_005, 0, PIPELINE_HEAP]
}

/// A compute pipeline without a layout.
pub fn pipeline(rig: &Rig, words: &[u32], mappings: &[Mapping]) -> vk::Pipeline {
    let d = &rig.device;
    let (chain, flags) = (mapping_info(mappings), heap_flags());
    unsafe {
        let info = vk::ShaderModuleCreateInfo::default().code(words);
        let module = d.create_shader_module(&info, None).unwrap();
        let mut stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(module)
            .name(c"main");
        stage.p_next = chain.as_ptr().cast();
        let mut info = vk::ComputePipelineCreateInfo::default().stage(stage);
        info.p_next = flags.as_ptr().cast();
        assert!(info.layout.is_null());
        let made = d.create_compute_pipelines(vk::PipelineCache::null(), &[info], None);
        d.destroy_shader_module(module, None);
        made.unwrap()[0]
    }
}

/// Dispatches a workgroup of a new pipeline, after `bind` has bound heaps and set push data.
pub fn dispatch(
    rig: &Rig,
    words: &[u32],
    mappings: &[Mapping],
    bind: impl FnOnce(vk::CommandBuffer),
) {
    let (d, pipeline) = (&rig.device, pipeline(rig, words, mappings));
    rig.run(|commands| unsafe {
        d.cmd_bind_pipeline(commands, vk::PipelineBindPoint::COMPUTE, pipeline);
        bind(commands);
        d.cmd_dispatch(commands, 1, 1, 1);
    });
    unsafe { d.destroy_pipeline(pipeline, None) };
}
