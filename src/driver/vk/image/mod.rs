//! Images, their memory layout, and views.
//!
//! In:  descriptions. Out: memory requirements, addresses, surface states for render targets,
//!      sampler and data port.
//!
//! An image with depth and stencil has two surfaces, one after the other. Aux surfaces (MCS, CCS,
//! HiZ) follow their main surface.
//! Ref: Vulkan specification, "Resource Creation".
//!
//! Files import in one direction: `object` ← `view`; `texel` imports neither.

mod object;
pub mod texel;
mod view;

pub use object::{
    AuxKind, AuxSurface, Image, ImageCreateInfo, ImagePlane, have_compatible_compression,
    is_worth_fast_clear,
};
pub use view::{View, ViewInfo};
