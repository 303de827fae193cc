//! The sampling engine's caches: sampler states and texels.
//!
//! In:  offsets of sampler states. Out: decoded sampler states.
//! Ref: SKL PRM vol. 2d, "SAMPLER_STATE".

use super::cache::TextureCache;
use super::lod::{self, LevelSelection};
use super::state::Sampler;
use crate::bindings::Bindings;
use crate::rules;
use crate::surface::Image;
use eu::{HostSimd, StopReason};

/// The sampling engine as one worker's threads see it.
pub(crate) struct Engine {
    pub(super) host: HostSimd,
    /// Sampler states by address.
    samplers: Vec<(u64, Sampler)>,
    next: usize,
    pub(super) texels: TextureCache,
    /// [`lod::constant_selection`] of the sampler and the surface whose states are at these
    /// addresses.
    constant: Option<([u64; 2], Option<LevelSelection>)>,
}

/// Sampler states that are cached; a dispatch uses few.
const CACHED_SAMPLERS: usize = 8;

impl Default for Engine {
    fn default() -> Engine {
        Engine {
            host: HostSimd::detect(),
            samplers: Vec::new(),
            next: 0,
            texels: TextureCache::default(),
            constant: None,
        }
    }
}

impl Engine {
    /// The level selection that all plain samples of a surface with a sampler share, if there is
    /// one. `addresses` are those of the sampler state and of the surface state.
    pub(super) fn constant_selection(
        &mut self,
        addresses: [u64; 2],
        sampler: &Sampler,
        image: &Image,
    ) -> Option<LevelSelection> {
        match &self.constant {
            Some((known, selection)) if *known == addresses => *selection,
            _ => {
                let selection = lod::constant_selection(sampler, image);
                self.constant = Some((addresses, selection));
                selection
            }
        }
    }

    /// The decoded sampler state at an offset from the dynamic state base address. Strict mode
    /// checks that it lies inside the heap.
    pub fn sampler_state(
        &mut self,
        bindings: &Bindings<'_>,
        offset: u64,
    ) -> Result<Sampler, StopReason> {
        let address = bindings.bases.dynamic + offset;
        if let Some(known) = self.samplers.iter().find(|s| s.0 == address) {
            return Ok(known.1);
        }
        let heap = bindings
            .bases
            .dynamic_pages
            .filter(|_| bindings.limits.is_some());
        if let Some(pages) = heap.filter(|pages| offset + 16 > pages * 4096) {
            let what = format!("a sampler state at byte {offset:#x} of {pages} pages");
            return Err(rules::SAMPLER_BOUNDS.stop(what, address));
        }
        let sampler = Sampler::read(&bindings.view, bindings.bases.dynamic, address)?;
        match self.samplers.get_mut(self.next) {
            Some(place) => *place = (address, sampler),
            None => self.samplers.push((address, sampler)),
        }
        self.next = (self.next + 1) % CACHED_SAMPLERS;
        Ok(sampler)
    }
}
