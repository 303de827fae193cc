//! Pipeline layouts.
//!
//! In:  set layouts and push constant ranges. Out: the layout as the compiler sees it.

use std::sync::{Arc, OnceLock};

use ash::vk as api;
use smallvec::SmallVec;

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

/// Most pipeline layouts have at most so many sets and need no heap memory for lists of them.
const USUAL_SETS: usize = 4;

/// The set layouts of a pipeline layout.
pub type SetLayouts = SmallVec<[Arc<SetLayout>; USUAL_SETS]>;

/// `VkPipelineLayout`.
#[derive(Debug)]
pub struct PipelineLayout {
    /// Set layouts.
    pub sets: SetLayouts,
    /// Index of each set's first dynamic buffer in the layout.
    pub dynamic_base: SmallVec<[u32; USUAL_SETS]>,
    /// Dynamic buffers of all sets.
    pub dynamic_count: u32,
    /// The layout as the compiler sees it.
    abi: OnceLock<abi::PipelineLayout>,
    /// The set of embedded samplers of a shader that uses descriptor heaps, and its number.
    pub(super) embedded: Option<(u32, Arc<SetLayout>)>,
    /// What the layout of a shader that uses descriptor heaps was made of.
    pub(super) heap: Option<HeapParameters>,
}

impl PipelineLayout {
    /// Creates a pipeline layout from set layouts and push constant ranges.
    pub fn new(sets: &[Arc<SetLayout>], push: &[PushRange]) -> Result<Self> {
        Self::with_sets(sets.iter().cloned().collect(), push.iter().copied())
    }

    /// Creates a pipeline layout that takes its set layouts over.
    pub fn with_sets(sets: SetLayouts, push: impl IntoIterator<Item = PushRange>) -> Result<Self> {
        if sets.len() > limits::MAX_SETS as usize {
            return Err(Error::InvalidUse {
                why: "more set layouts than maxBoundDescriptorSets",
            });
        }
        let fits = |range: PushRange| {
            range
                .offset_bytes
                .checked_add(range.bytes)
                .is_some_and(|end| end <= limits::MAX_PUSH_CONSTANTS_BYTES)
        };
        if !push.into_iter().all(fits) {
            return Err(Error::InvalidUse {
                why: "a push constant range beyond maxPushConstantsSize",
            });
        }
        let mut dynamic_count = 0;
        let bases = sets.iter().map(|set| {
            let base = dynamic_count;
            dynamic_count += set.size.dynamic;
            base
        });
        Ok(Self {
            dynamic_base: bases.collect(),
            dynamic_count,
            sets,
            abi: OnceLock::new(),
            embedded: None,
            heap: None,
        })
    }

    /// A layout without sets of its own, which the compiler sees as `abi`.
    pub(super) fn with_abi(abi: abi::PipelineLayout) -> Result<Self> {
        Ok(Self {
            abi: OnceLock::from(abi),
            ..Self::new(&[], &[])?
        })
    }

    /// The layout as the compiler sees it, made for the first pipeline that has it.
    pub fn abi(&self) -> &abi::PipelineLayout {
        self.abi.get_or_init(|| {
            let sets = self.sets.iter().zip(&self.dynamic_base);
            abi::PipelineLayout {
                sets: sets.map(|(set, &base)| set.to_abi(base)).collect(),
                sampler_base_bytes: SAMPLER_BASE_BYTES,
                indirect_base_high: BASE_HIGH,
                heap: None,
            }
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
        let heap = self.abi.get().and_then(|abi| abi.heap.as_ref());
        if let Some(heap) = heap {
            let mut mappings = heap.mappings.iter();
            let images = READ_ONLY_IMAGE | READ_WRITE_IMAGE;
            return mappings.any(|mapping| mapping.resources & images != 0);
        }
        let bindings = self.sets.iter().flat_map(|set| &set.bindings);
        let mut kinds = bindings.map(|binding| binding.info.kind);
        kinds.any(|kind| [D::INPUT_ATTACHMENT, D::MUTABLE_EXT].contains(&kind))
    }
}
