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
type SetLayouts = SmallVec<[Arc<SetLayout>; USUAL_SETS]>;

/// `VkPipelineLayout`.
///
/// The members that few layouts have are behind pointers: the smaller a layout, the less is copied
/// when one is created.
#[derive(Clone, Debug)]
pub struct PipelineLayout {
    /// Set layouts.
    pub sets: SetLayouts,
    /// The layout as the compiler sees it.
    abi: OnceLock<Arc<abi::PipelineLayout>>,
    /// The layout's own members if its shader uses descriptor heaps.
    heap: Option<Arc<HeapLayout>>,
}

/// What only the layout of a shader that uses descriptor heaps has.
#[derive(Debug)]
pub(super) struct HeapLayout {
    /// The set of embedded samplers, and its number.
    pub(super) embedded: Option<(u32, Arc<SetLayout>)>,
    /// What the layout was made of.
    pub(super) parameters: HeapParameters,
}

impl PipelineLayout {
    /// Creates a pipeline layout from set layouts and push constant ranges.
    pub fn new(sets: &[Arc<SetLayout>], push: &[PushRange]) -> Result<Self> {
        let mut layout = Self::without_sets(push.iter().copied())?;
        sets.iter()
            .try_for_each(|set| layout.add_set(set.clone()))?;
        Ok(layout)
    }

    /// Creates a pipeline layout to which [`PipelineLayout::add_set`] adds the set layouts.
    #[inline]
    pub fn without_sets(push: impl IntoIterator<Item = PushRange>) -> Result<Self> {
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
        Ok(Self {
            sets: SetLayouts::new(),
            abi: OnceLock::new(),
            heap: None,
        })
    }

    /// Adds the layout of the next set.
    #[inline]
    pub fn add_set(&mut self, set: Arc<SetLayout>) -> Result<()> {
        if self.sets.len() >= limits::MAX_SETS as usize {
            return Err(Error::InvalidUse {
                why: "more set layouts than maxBoundDescriptorSets",
            });
        }
        self.sets.push(set);
        Ok(())
    }

    /// The layout of a shader that uses descriptor heaps, which the compiler sees as `abi`. It has
    /// no sets of its own.
    pub(super) fn with_heap(abi: abi::PipelineLayout, heap: HeapLayout) -> Result<Self> {
        Ok(Self {
            abi: OnceLock::from(Arc::new(abi)),
            heap: Some(Arc::new(heap)),
            ..Self::new(&[], &[])?
        })
    }

    /// The layout for a pipeline, which may outlive the application's handle. All pipelines of a
    /// handle share what the compiler sees.
    pub fn for_pipeline(&self) -> Arc<Self> {
        self.abi();
        Arc::new(self.clone())
    }

    /// The index of each set's first dynamic buffer in the layout.
    pub fn dynamic_bases(&self) -> impl Iterator<Item = u32> {
        self.sets.iter().scan(0, |next, set| {
            let base = *next;
            *next += set.size.dynamic;
            Some(base)
        })
    }

    /// The layout as the compiler sees it, made for the first pipeline that has it.
    pub fn abi(&self) -> &abi::PipelineLayout {
        self.shared_abi()
    }

    /// As [`PipelineLayout::abi`]; all pipelines of a handle share it.
    pub(crate) fn shared_abi(&self) -> &Arc<abi::PipelineLayout> {
        self.abi.get_or_init(|| {
            let sets = self.sets.iter().zip(self.dynamic_bases());
            Arc::new(abi::PipelineLayout {
                sets: sets.map(|(set, base)| set.to_abi(base)).collect(),
                sampler_base_bytes: SAMPLER_BASE_BYTES,
                indirect_base_high: BASE_HIGH,
                heap: None,
            })
        })
    }

    /// What the layout of a shader that uses descriptor heaps was made of; `None` for others.
    pub fn heap_parameters(&self) -> Option<&HeapParameters> {
        Some(&self.heap.as_ref()?.parameters)
    }

    /// The number of the set of embedded samplers that the shader reads, and the set's handle;
    /// `None` if it has none, or does not use descriptor heaps.
    pub(crate) fn embedded_samplers(&self) -> Option<(u32, u32)> {
        let (number, set) = self.heap.as_ref()?.embedded.as_ref()?;
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
