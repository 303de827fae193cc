//! Views of texel buffers in descriptor buffers, which the application gives by address.
//!
//! In:  addresses.
//! Out: views, one for each range and format: nothing tells when a descriptor is not used any more,
//!      so they stay.

use std::sync::{Arc, Mutex, PoisonError};

use ash::vk as api;
use rustc_hash::FxHashMap;

use crate::buffer_view::BufferView;
use crate::error::Result;
use crate::physical::PhysicalDevice;

/// A texel buffer that is given by its address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TexelBuffer {
    /// Address of the first texel.
    pub address: u64,
    /// Size in bytes.
    pub bytes: u64,
    /// Format.
    pub format: api::Format,
}

/// The views of a device.
#[derive(Debug, Default)]
pub struct TexelBuffers(Mutex<FxHashMap<TexelBuffer, Arc<BufferView>>>);

impl TexelBuffers {
    /// The view of a texel buffer.
    pub fn view(&self, physical: &PhysicalDevice, texels: TexelBuffer) -> Result<Arc<BufferView>> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(view) = known.get(&texels) {
            return Ok(view.clone());
        }
        let TexelBuffer {
            address,
            bytes,
            format,
        } = texels;
        let view = Arc::new(BufferView::from_address(physical, address, bytes, format)?);
        known.insert(texels, view.clone());
        Ok(view)
    }
}
