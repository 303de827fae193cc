//! Images, their memory layout, and views.
//!
//! In:  descriptions. Out: memory requirements, addresses, surface states for render targets,
//!      sampler and data port.
//!
//! An image with depth and stencil has two surfaces, one after the other. Aux surfaces (MCS, CCS,
//! HiZ) follow their main surface.
//! Ref: Vulkan specification, "Resource Creation".
//!
//! Files import in one direction: `create_info` ← `aux_choice` ← `object` ← `view`; `texel` imports
//! none.

mod aux_choice;
mod create_info;
mod heap_surfaces;
mod object;
pub mod texel;
mod view;

pub use aux_choice::{AuxKind, have_compatible_compression, is_worth_fast_clear};
pub use create_info::ImageCreateInfo;
pub use object::{ALIGNMENTS, AuxSurface, Image, ImagePlane};
pub use view::{View, ViewInfo};
