//! The ABI between compiled shaders and the driver that launches them.
//!
//! In:  a [`PipelineLayout`]: where the driver places descriptors.
//! Out: a [`ShaderBinary`]: machine code in one or more SIMD widths, and its launch parameters.
//!
//! ## Descriptors (gen9+) A descriptor set is a range of the *bindless surface heap*
//! (STATE_BASE_ADDRESS, Bindless Surface State Base Address). A descriptor is at
//! [`DescriptorBinding::offset_bytes`] + array element × [`DescriptorBinding::stride_bytes`] in its
//! set, in slots of [`DESCRIPTOR_SLOT_BYTES`]: each a 64-byte RENDER_SURFACE_STATE, or a
//! SAMPLER_STATE with padding. If the samplers of a set are packed in a table, they are not among
//! these slots. The *handle* of a surface is its byte offset in the heap shifted left by 6, which
//! is the extended descriptor of a bindless message: bits 31:12 = offset / 64. The shader receives
//! the handle of each set's start as a push value ([`DriverValue::SetHandle`]) and adds constants,
//! so that binding a set costs the driver one dword. If several messages use the same extended
//! descriptor, it is pushed complete ([`DriverValue::SetDescriptor`]), so that one move copies it
//! to a0. Dynamic buffers have their own surfaces, written when they are bound, and their handles
//! are separate push values ([`DriverValue::DynamicHandle`]).
//!
//! Dword 12 ([`SURFACE_BYTES_DWORD`]) of a buffer's RENDER_SURFACE_STATE holds the exact size of
//! the buffer in bytes (0 for a null surface). The hardware ignores that dword without an auxiliary
//! surface (it is a clear colour otherwise). The length query of a runtime array loads it from the
//! 64-bit address [`DriverValue::SurfaceHeapAddress`] + (handle >> 6) + 48.
//!
//! The slots of a descriptor, by [`DescriptorKind`]:
//!
//! - buffers: one surface, format RAW, SURFTYPE_BUFFER.
//! - sampled image, input attachment, uniform texel buffer: one surface, with the view's format and
//!   swizzle.
//! - sampler: the sampler state.
//! - combined image sampler: the surface (with a multi-planar conversion: one for each plane, then
//!   the sampler state of all planes but the first), then the sampler state.
//! - storage image, storage texel buffer: a surface with the view's format for typed writes, and
//!   for reads without a declared format; then one with [`typed_read_format()`] for typed reads and
//!   atomics. For texels of 64 bits, both have format R32G32_UINT and hold a [`TexelAddressing`].
//!
//! [`DescriptorBinding::samplers`] gives the position of a sampler state: in a table with the set's
//! other samplers, so that messages select it by index ([`SamplerTable`]); or in the *last* slot
//! of an element, as for mutable descriptors and for descriptors with a conversion. The *handle of
//! a sampler* is the byte offset of its state from Dynamic State Base Address:
//! [`DriverValue::SetPlace`] (the set's handle >> 6) + offset in the set +
//! [`PipelineLayout::sampler_base_bytes`], modulo 2^32.
//!
//! Storage images of cubes are SURFTYPE_2D with six layers per cube, because typed messages have no
//! faces; size queries divide. Fetches of samples fetch the MCS data first, whether or not the
//! surface has an MCS. Input attachments are fetched at (x, y, framebuffer layer); a surface with
//! one layer ignores the layer.
//!
//! ## Indirect descriptors
//! The heap has room for 2^20 surfaces. Sets that could take up much of it are in memory instead,
//! in a region of 4 GiB ([`PipelineLayout::indirect_base_high`]), each descriptor
//! [`IndirectDescriptor::BYTES`] long. Shaders load the handles of images and samplers, whose
//! states belong to the views and samplers themselves, and address and size of buffers, which they
//! access by address (A64) with a bounds check. [`DriverValue::SetHandle`] of such a set is its
//! offset in the region plus [`IndirectDescriptor::TAG`].
//!
//! ## Descriptor heaps
//! A shader for descriptor heaps has no sets, but [`HeapMappings`] in its layout. Descriptors in
//! heaps are indirect ones, and a bound heap has the handle of a set: [`RESOURCE_HEAP_SET`] and
//! [`SAMPLER_HEAP_SET`] have one binding, indexed by the byte offset of a descriptor
//! ([`SetLayout::heap`]).
//!
//! ## Constant data
//! A shader may have constant data, [`ConstantData`]. The driver creates a surface
//! for it in the bindless heap, of exactly its size, and patches that surface's handle into the
//! code.
//!
//! ## Push data
//! One block for all threads, [`PushData`]: a range of the application's push
//! constants, then driver values, a dword each, padded to whole registers (8 dwords). For compute,
//! with [`ComputeInfo::per_thread_push`], one register for each thread of the workgroup follows,
//! whose dword 0 is the thread's index in the workgroup. The payload is r0 (header), then the
//! block, then the thread's register. In graphics stages, ranges of uniform buffers may follow the
//! block ([`PushedRange`]), each a whole number of registers.
//!
//! ## Graphics stages
//! [`VertexInfo`], [`TessControlInfo`], [`TessEvalInfo`], [`GeometryInfo`],
//! [`FragmentInfo`]. Their payload is the fixed function's, then the same block from
//! [`SimdVariant::push_grf`] on, then vertex elements or attribute setup data.

mod binary;
mod descriptor;
mod graphics;
mod heap;
mod push;
mod texel_addressing;
mod typed_read_format;
mod ycbcr;

pub use binary::*;
pub use descriptor::*;
pub use graphics::*;
pub use heap::*;
pub use push::*;
pub use texel_addressing::{ADDRESSED_TEXEL_BYTES, TexelAddressing};
pub use typed_read_format::typed_read_format;
pub use ycbcr::{ColourModel, ConvertedBinding, YcbcrComponent, YcbcrConversion};
