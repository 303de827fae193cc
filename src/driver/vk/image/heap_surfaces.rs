//! Surface states of an image that descriptors in heaps refer to.
//!
//! In:  surface states. Out: their place in the bindless heap, which they keep as long as the image
//!      lives: such descriptors have no view. Equal states share a place, so that equal descriptors
//!      have equal bits.

use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::heap_states::HeapStates;
use crate::surface_state::SurfaceStateWords;

/// The surface states of an image's descriptors in heaps.
#[derive(Debug, Default)]
pub struct HeapSurfaces(Mutex<FxHashMap<SmallVec<[SurfaceStateWords; 2]>, Arc<HeapStates>>>);

impl HeapSurfaces {
    /// The place of consecutive surface states.
    pub fn states(&self, surfaces: &[SurfaceStateWords]) -> Arc<HeapStates> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known
            .entry(SmallVec::from_slice(surfaces))
            .or_default()
            .clone()
    }
}
