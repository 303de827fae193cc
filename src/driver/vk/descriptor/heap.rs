//! Descriptor heaps: layouts of shaders that use them, and the states that their descriptors refer
//! to.
//!
//! In:  mappings of bindings, embedded samplers; the parameters of samplers. Out: pipeline layouts;
//!      samplers that live as long as the device.
//!
//! Descriptors in heaps are indirect descriptors (see `indirect`), and so heaps are in the memory
//! of descriptor buffers. A heap takes the place of a set, as `abi` describes it. The states of
//! images belong to the images, those of samplers and texel buffers to the device.
//! Ref: VK_EXT_descriptor_heap.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use ash::vk as api;
use compile::Stage;
use rustc_hash::FxHashMap;

use super::heap_words::HeapParameters;
use super::indirect::BASE_HIGH;
use super::layout::{BindingInfo, SetLayout};
use super::pipeline_layout::{HeapLayout, PipelineLayout};
use crate::context::{Context, SAMPLER_BASE_BYTES};
use crate::error::{Error, Result};
use crate::limits;
use crate::sampler::{Sampler, SamplerInfo, SamplerKey};

/// Number of the first set after those that stand for heaps.
const FIRST_EMBEDDED_SET: u32 = abi::SAMPLER_HEAP_SET + 1;

/// The set of a stage's embedded samplers.
fn embedded_set(stage: Stage) -> u32 {
    FIRST_EMBEDDED_SET
        + match stage {
            Stage::Vertex | Stage::Compute => 0,
            Stage::TessControl => 1,
            Stage::TessEval => 2,
            Stage::Geometry => 3,
            Stage::Fragment => 4,
        }
}

impl PipelineLayout {
    /// The layout of a shader that uses descriptor heaps.
    pub fn for_heaps(context: &Context, stage: Stage, parameters: HeapParameters) -> Result<Self> {
        let samplers = parameters.samplers.iter();
        let samplers: Vec<_> = samplers
            .map(|info| Sampler::new(context, info))
            .collect::<Result<_>>()?;
        let embedded_set = embedded_set(stage);
        let mut sets = vec![abi::SetLayout::default(); embedded_set as usize + 1];
        for set in [abi::RESOURCE_HEAP_SET, abi::SAMPLER_HEAP_SET] {
            sets[set as usize] = abi::SetLayout::heap();
        }
        let embedded = match samplers.is_empty() {
            true => None,
            false => {
                let set = embed(context, samplers)?;
                sets[embedded_set as usize] = set.to_abi(0);
                Some((embedded_set, Arc::new(set)))
            }
        };
        let abi = abi::PipelineLayout {
            sets,
            sampler_base_bytes: SAMPLER_BASE_BYTES,
            indirect_base_high: BASE_HIGH,
            heap: Some(abi::HeapMappings {
                mappings: parameters.mappings.clone(),
                embedded_set,
                base_high: BASE_HIGH,
            }),
        };
        Self::with_heap(
            abi,
            HeapLayout {
                embedded,
                parameters,
            },
        )
    }
}

/// A set with a sampler in each binding.
fn embed(context: &Context, samplers: Vec<Arc<Sampler>>) -> Result<SetLayout> {
    let mut set = SetLayout::empty(false);
    set.use_descriptor_buffer();
    let mut builder = set.placing(samplers.len());
    for (binding, sampler) in (0..).zip(samplers) {
        let kind = api::DescriptorType::COMBINED_IMAGE_SAMPLER;
        builder.add_fixed(BindingInfo::plain(binding, kind, 1), vec![sampler]);
    }
    builder.finish()?;
    set.embed_samplers(context)?;
    Ok(set)
}

/// A custom border colour and the format that it is for.
type CustomBorder = ([u32; 4], api::Format);

/// The samplers of a device's descriptors in heaps: one for each set of parameters, as nothing
/// tells when a descriptor is not used any more. Those with a custom border colour stay until the
/// colour is unregistered.
#[derive(Debug, Default)]
pub struct HeapSamplers(Mutex<HeapSamplerTables>);

#[derive(Debug, Default)]
struct HeapSamplerTables {
    samplers: FxHashMap<SamplerKey, Arc<Sampler>>,
    /// Registered border colours by index, and how often each is registered.
    borders: BTreeMap<u32, (CustomBorder, u32)>,
}

impl HeapSamplers {
    /// The sampler with these parameters.
    pub fn sampler(&self, context: &Context, info: &SamplerInfo) -> Result<Arc<Sampler>> {
        if info.conversion.is_some() {
            return Err(Error::InvalidUse {
                why: "a sampler with a conversion in a sampler heap",
            });
        }
        let mut tables = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = info.key();
        if let Some(sampler) = tables.samplers.get(&key) {
            return Ok(sampler.clone());
        }
        let sampler = Sampler::new(context, info)?;
        tables.samplers.insert(key, sampler.clone());
        Ok(sampler)
    }

    /// Registers a border colour, at `index` if given. Returns its index.
    pub fn register_border(&self, border: CustomBorder, index: Option<u32>) -> Result<u32> {
        let mut tables = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let borders = &mut tables.borders;
        let count: u32 = borders.values().map(|(_, count)| count).sum();
        if count >= limits::MAX_CUSTOM_BORDERS {
            return Err(Error::TooManyObjects {
                what: "registered border colours",
            });
        }
        let index = match index {
            Some(index) => index,
            None => (0..)
                .zip(borders.keys())
                .find(|(free, used)| free != *used)
                .map_or(borders.len() as u32, |(free, _)| free),
        };
        let is_taken = borders
            .get(&index)
            .is_some_and(|(other, _)| *other != border);
        if is_taken || index >= limits::MAX_CUSTOM_BORDERS {
            return Err(Error::InvalidOpaqueCaptureAddress);
        }
        borders.entry(index).or_insert((border, 0)).1 += 1;
        Ok(index)
    }

    /// Unregisters the border colour with an index.
    pub fn unregister_border(&self, index: u32) {
        let mut tables = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let HeapSamplerTables { samplers, borders } = &mut *tables;
        let Some((border, count)) = borders.get_mut(&index) else {
            return;
        };
        *count -= 1;
        if *count > 0 {
            return;
        }
        let border = *border;
        borders.remove(&index);
        if !borders.values().any(|(other, _)| *other == border) {
            samplers.retain(|key, _| key.custom_border() != Some(border));
        }
    }
}
