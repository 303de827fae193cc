//! Descriptors as data, for descriptor buffers.
//!
//! In:  buffers, images and samplers. Out: bytes that the application places in its buffers.
//! Ref: VK_EXT_descriptor_buffer, `vkGetDescriptorEXT`.

use abi::IndirectDescriptor;

use super::contents::DescriptorContents;
use super::indirect::{describe, describe_buffer};
use crate::context::Context;
use crate::error::Result;
use crate::surface_state::BufferDescriptor;

/// Bytes of a descriptor in a descriptor buffer.
pub const DESCRIPTOR_BYTES: usize = IndirectDescriptor::BYTES as usize;

/// A descriptor for a descriptor buffer.
pub type DescriptorBytes = [u8; DESCRIPTOR_BYTES];

fn bytes(descriptor: IndirectDescriptor) -> DescriptorBytes {
    let mut bytes = [0; DESCRIPTOR_BYTES];
    for (to, dword) in bytes.as_chunks_mut().0.iter_mut().zip(descriptor.dwords) {
        *to = dword.to_le_bytes();
    }
    bytes
}

/// The descriptor of a buffer for a descriptor buffer.
pub fn buffer_descriptor(context: &Context, buffer: BufferDescriptor) -> Result<DescriptorBytes> {
    let null = context.indirect()?.null(context.gpu.bindless())?;
    Ok(bytes(describe_buffer(null, buffer)))
}

/// The descriptor of an image, sampler or texel buffer for a descriptor buffer.
pub fn image_descriptor(
    context: &Context,
    contents: &DescriptorContents<'_>,
) -> Result<DescriptorBytes> {
    let heap = context.gpu.bindless();
    let null = context.indirect()?.null(heap)?;
    Ok(bytes(describe(heap, null, &contents.indirect())?))
}
