//! Pipeline layouts.
//!
//! In:  set layouts and push constant ranges. Out: the layout as the compiler sees it.

use std::sync::Arc;

use ash::vk as api;

use super::heap_words::HeapParameters;
use super::indirect::BASE_HIGH;
use super::layout::SetLayout;
use crate::context::SAMPLER_BASE_BYTES;
use crate::error::{Error, Result};
use crate::limits;

/// A push constant range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PushRange {
    /// Offset in bytes.
    pub offset_bytes: u32,
    /// Size in bytes.
    pub bytes: u32,
}

/// `VkPipelineLayout`.
#[derive(Debug)]
pub struct PipelineLayout {
    /// Set layouts.
    pub sets: Vec<Arc<SetLayout>>,
    /// Index of each set's first dynamic buffer in the layout.
    pub dynamic_base: Vec<u32>,
    /// Dynamic buffers of all sets.
    pub dynamic_count: u32,
    /// The layout as the compiler sees it.
    pub abi: abi::PipelineLayout,
    /// The set of embedded samplers of a shader that uses descriptor heaps, and its number.
    pub(super) embedded: Option<(u32, Arc<SetLayout>)>,
    /// What the layout of a shader that uses descriptor heaps was made of.
    pub(super) heap: Option<HeapParameters>,
}

impl PipelineLayout {
    /// Creates a pipeline layout from set layouts and push constant ranges.
    pub fn new(sets: &[Arc<SetLayout>], push: &[PushRange]) -> Result<Self> {
        if sets.len() > limits::MAX_SETS as usize {
            return Err(Error::InvalidUse {
                why: "more set layouts than maxBoundDescriptorSets",
            });
        }
        let fits = |range: &PushRange| {
            range
                .offset_bytes
                .checked_add(range.bytes)
                .is_some_and(|end| end <= limits::MAX_PUSH_CONSTANTS_BYTES)
        };
        if !push.iter().all(fits) {
            return Err(Error::InvalidUse {
                why: "a push constant range beyond maxPushConstantsSize",
            });
        }
        let (mut dynamic_base, mut dynamic_count) = (Vec::with_capacity(sets.len()), 0);
        for set in sets {
            dynamic_base.push(dynamic_count);
            dynamic_count += set.size.dynamic;
        }
        let abi = sets
            .iter()
            .zip(&dynamic_base)
            .map(|(set, &base)| set.to_abi(base))
            .collect();
        let abi = abi::PipelineLayout {
            sets: abi,
            sampler_base_bytes: SAMPLER_BASE_BYTES,
            indirect_base_high: BASE_HIGH,
            heap: None,
        };
        Ok(Self {
            sets: sets.to_vec(),
            dynamic_base,
            dynamic_count,
            abi,
            embedded: None,
            heap: None,
        })
    }

    /// What the layout of a shader that uses descriptor heaps was made of; `None` for others.
    pub fn heap_parameters(&self) -> Option<&HeapParameters> {
        self.heap.as_ref()
    }

    /// The number of the set of embedded samplers that the shader reads, and the set's handle;
    /// `None` if it has none, or does not use descriptor heaps.
    pub(crate) fn embedded_samplers(&self) -> Option<(u32, u32)> {
        let (number, set) = self.embedded.as_ref()?;
        Some((*number, set.embedded_handle()?))
    }

    /// Whether a set has a binding that may hold input attachments.
    pub fn may_hold_input_attachments(&self) -> bool {
        use abi::resource_type::{READ_ONLY_IMAGE, READ_WRITE_IMAGE};
        use api::DescriptorType as D;
        if let Some(heap) = &self.abi.heap {
            let mut mappings = heap.mappings.iter();
            let images = READ_ONLY_IMAGE | READ_WRITE_IMAGE;
            return mappings.any(|mapping| mapping.resources & images != 0);
        }
        let bindings = self.sets.iter().flat_map(|set| &set.bindings);
        let mut kinds = bindings.map(|binding| binding.info.kind);
        kinds.any(|kind| [D::INPUT_ATTACHMENT, D::MUTABLE_EXT].contains(&kind))
    }
}
