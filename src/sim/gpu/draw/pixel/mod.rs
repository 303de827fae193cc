//! The pixel pipeline: covered samples of an object to depth, stencil and render targets.
//!
//! In:  a [`super::object::SetupObject`] and its [`super::object::ObjectCoverage`]. Out: threads
//!      dispatched, messages executed, memory written. Objects are processed one after the other,
//!      and a thread ends before the next begins, so blending is in order.
//! Ref: SKL PRM vol. 7, "Windower (WM) Stage", "Pixel Shader Thread Dispatch", "Render Target
//!      Write".
//!
//! | file | in → out |
//! | --- | --- |
//! | `state` | latched commands → decoded state of a draw |
//! | `tiles` | objects → the parts of each worker |
//! | `dispatch` | an object's covered samples → threads |
//! | `payload` | an object, its subspans → a thread's registers |
//! | `message` | render target writes → samples tested, colours for targets |
//! | `thread_replay` | the messages of one thread → the same messages for other threads |
//! | `interpolator` | pixel interpolator messages → barycentric weights |
//! | `backend` | a pixel's samples, depth and colour → the units below |
//! | `depth`, `blend`, `dither`, `target` | a sample → memory |
//! | `target_rules` | state and messages of render target writes → strict mode's rules |
//! | `clear` | fast clears, resolves, 3DSTATE_WM_HZ_OP → memory |

mod backend;
mod blend;
mod clear;
mod depth;
mod dispatch;
mod dither;
mod gap;
mod interpolator;
mod message;
mod payload;
mod state;
mod target;
mod target_rules;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
mod thread_replay;
mod tiles;

pub(crate) use clear::hz_op;
pub(crate) use depth::targets as depth_targets;
pub(crate) use dispatch::PixelCounts;
pub(crate) use tiles::PixelWorkers;
