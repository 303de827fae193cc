//! Images: what they hold, where their parts lie, and views of them.
//!
//! In:  descriptions. Out: memory requirements; addresses; surfaces for render targets, the sampler and the data port.
//! An image of depth and stencil is two surfaces, one after the other. Colours of several samples have a
//! control surface behind them, by which samples of one colour are stored once.
//! Ref: Vulkan specification, "Resource Creation".
//!
//! Files import one way: `object` ← `view`; `texel` stands alone.

mod object;
pub mod texel;
mod view;

pub use object::{Aux, AuxKind, Image, Info, Part, compress_alike, is_worth_blocks};
pub use view::{View, ViewInfo};
