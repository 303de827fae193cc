//! Mappings of a shader's resources to descriptor heaps.
//!
//! In:  the chain of a shader stage. Out: its layout.
//! Ref: VK_EXT_descriptor_heap, "Shader Bindings".

use std::ffi::c_void;
use std::sync::Arc;

use vk::descriptor::{
    HeapIndex, HeapMapping, HeapOffset, HeapParameters, IndexLocation, MappingSource,
    PipelineLayout,
};
use vk::pipeline::Stage;
use vk::sampler::SamplerInfo;

use crate::types as c;
use crate::types::descriptor_mapping_source as source;
use crate::{raw, sampler};

/// Bits of an index for an image and for a sampler in one dword.
const IMAGE_INDEX_BITS: u8 = 20;
const SAMPLER_INDEX_BITS: u8 = 12;

/// The layout of a shader that uses descriptor heaps.
///
/// # Safety
/// The chain is valid.
pub unsafe fn layout(
    context: &vk::Context,
    stage: Stage,
    chain: *const c_void,
) -> vk::Result<Arc<PipelineLayout>> {
    type Node<'a> = c::ShaderDescriptorSetAndBindingMappingInfoEXT<'a>;
    // SAFETY: as the caller says.
    let all = unsafe {
        raw::find_in_chain::<Node<'_>>(chain).map_or(&[][..], |node| {
            raw::slice(node.p_mappings, node.mapping_count)
        })
    };
    let mut parameters = HeapParameters::default();
    for mapping in all {
        // SAFETY: as the caller says.
        let source = unsafe { mapping_source(mapping, &mut parameters.samplers)? };
        parameters.mappings.push(HeapMapping {
            set: mapping.descriptor_set,
            first_binding: mapping.first_binding,
            binding_count: mapping.binding_count,
            resources: mapping.resource_mask,
            source,
        });
    }
    let layout = PipelineLayout::for_heaps(context, stage, parameters)?;
    Ok(Arc::new(layout))
}

/// Where the shader reads the index of a descriptor, and the index's bytes for each step.
type IndexSource = (IndexLocation, u32);

/// The descriptors that a mapping leads to, in the terms of the structures that have them.
struct Descriptors {
    offset: u32,
    index: Option<IndexSource>,
    array_stride: u32,
    /// The same for the sampler of a combined image sampler.
    sampler: (u32, Option<IndexSource>, u32),
    /// `useCombinedImageSamplerIndex`.
    shares_index: c::Bool32,
    embedded: *const c::SamplerCreateInfo<'static>,
}

fn heap_offset(
    offset_bytes: u32,
    index: Option<IndexSource>,
    array_stride_bytes: u32,
    (first_bit, bits): (u8, u8),
) -> HeapOffset {
    HeapOffset {
        offset_bytes,
        array_stride_bytes,
        index: index.map(|(location, stride_bytes)| HeapIndex {
            location,
            first_bit,
            bits,
            stride_bytes,
        }),
    }
}

impl Descriptors {
    /// The mapping. An embedded sampler is added to `samplers`.
    ///
    /// # Safety
    /// The embedded sampler is null or valid.
    unsafe fn source(self, samplers: &mut Vec<SamplerInfo>) -> vk::Result<MappingSource> {
        const WHOLE: (u8, u8) = (0, 32);
        // SAFETY: as the caller says.
        let embedded = match unsafe { self.embedded.as_ref() } {
            None => None,
            Some(info) => {
                // SAFETY: as the caller says.
                samplers.push(unsafe { sampler::sampler_info(info)? });
                Some(samplers.len() as u32 - 1)
            }
        };
        let (offset, index, stride) = self.sampler;
        let alone = |bits| heap_offset(self.offset, self.index, self.array_stride, bits);
        let combined = match (self.shares_index != c::FALSE, self.index, index) {
            (true, Some((location, _)), Some((_, index_stride))) => {
                let index = Some((location, index_stride));
                let bits = (IMAGE_INDEX_BITS, SAMPLER_INDEX_BITS);
                [
                    alone((0, IMAGE_INDEX_BITS)),
                    heap_offset(offset, index, stride, bits),
                ]
            }
            _ => [alone(WHOLE), heap_offset(offset, index, stride, WHOLE)],
        };
        Ok(MappingSource::Descriptor {
            alone: alone(WHOLE),
            combined,
            embedded,
        })
    }
}

fn pushed(offset_bytes: u32, stride: u32) -> Option<IndexSource> {
    Some((IndexLocation::Push { offset_bytes }, stride))
}

fn in_memory(
    push_offset_bytes: u32,
    address_offset_bytes: u32,
    is_array: bool,
    stride: u32,
) -> Option<IndexSource> {
    let location = IndexLocation::Memory {
        push_offset_bytes,
        address_offset_bytes,
        is_array,
    };
    Some((location, stride))
}

/// Where a mapping leads to.
///
/// # Safety
/// The structure and what it points to are valid.
unsafe fn mapping_source(
    mapping: &c::DescriptorSetAndBindingMappingEXT<'_>,
    samplers: &mut Vec<SamplerInfo>,
) -> vk::Result<MappingSource> {
    let data = &mapping.source_data;
    // SAFETY: the source tells which member of the union is valid; samplers are null or valid, as
    // the caller says.
    unsafe {
        let descriptors = match mapping.source {
            source::HEAP_WITH_CONSTANT_OFFSET => {
                let from = &data.constant_offset;
                Descriptors {
                    offset: from.heap_offset,
                    index: None,
                    array_stride: from.heap_array_stride,
                    sampler: (
                        from.sampler_heap_offset,
                        None,
                        from.sampler_heap_array_stride,
                    ),
                    shares_index: c::FALSE,
                    embedded: from.p_embedded_sampler.cast(),
                }
            }
            source::HEAP_WITH_PUSH_INDEX => {
                let from = &data.push_index;
                Descriptors {
                    offset: from.heap_offset,
                    index: pushed(from.push_offset, from.heap_index_stride),
                    array_stride: from.heap_array_stride,
                    sampler: (
                        from.sampler_heap_offset,
                        pushed(from.sampler_push_offset, from.sampler_heap_index_stride),
                        from.sampler_heap_array_stride,
                    ),
                    shares_index: from.use_combined_image_sampler_index,
                    embedded: from.p_embedded_sampler.cast(),
                }
            }
            source::HEAP_WITH_INDIRECT_INDEX => {
                let from = &data.indirect_index;
                let index = |push, address, stride| in_memory(push, address, false, stride);
                Descriptors {
                    offset: from.heap_offset,
                    index: index(
                        from.push_offset,
                        from.address_offset,
                        from.heap_index_stride,
                    ),
                    array_stride: from.heap_array_stride,
                    sampler: (
                        from.sampler_heap_offset,
                        index(
                            from.sampler_push_offset,
                            from.sampler_address_offset,
                            from.sampler_heap_index_stride,
                        ),
                        from.sampler_heap_array_stride,
                    ),
                    shares_index: from.use_combined_image_sampler_index,
                    embedded: from.p_embedded_sampler.cast(),
                }
            }
            source::HEAP_WITH_INDIRECT_INDEX_ARRAY => {
                let from = &data.indirect_index_array;
                let index = |push, address, stride| in_memory(push, address, true, stride);
                Descriptors {
                    offset: from.heap_offset,
                    index: index(
                        from.push_offset,
                        from.address_offset,
                        from.heap_index_stride,
                    ),
                    array_stride: 0,
                    sampler: (
                        from.sampler_heap_offset,
                        index(
                            from.sampler_push_offset,
                            from.sampler_address_offset,
                            from.sampler_heap_index_stride,
                        ),
                        0,
                    ),
                    shares_index: from.use_combined_image_sampler_index,
                    embedded: from.p_embedded_sampler.cast(),
                }
            }
            source::RESOURCE_HEAP_DATA => {
                return Ok(MappingSource::HeapData {
                    offset_bytes: data.heap_data.heap_offset,
                    push_offset_bytes: data.heap_data.push_offset,
                });
            }
            source::PUSH_DATA => {
                return Ok(MappingSource::PushData {
                    offset_bytes: data.push_data_offset,
                });
            }
            source::PUSH_ADDRESS => {
                return Ok(MappingSource::PushAddress {
                    push_offset_bytes: data.push_address_offset,
                });
            }
            source::INDIRECT_ADDRESS => {
                return Ok(MappingSource::IndirectAddress {
                    push_offset_bytes: data.indirect_address.push_offset,
                    address_offset_bytes: data.indirect_address.address_offset,
                });
            }
            _ => {
                return Err(vk::Error::InvalidUse {
                    why: "a source of descriptor mappings that the device does not have",
                });
            }
        };
        descriptors.source(samplers)
    }
}
