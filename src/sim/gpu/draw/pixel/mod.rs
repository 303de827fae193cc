//! The pixel pipeline: covered samples of an object to depth, stencil and render targets.
//!
//! In:  a [`SetupObject`] and its [`ObjectCoverage`]. Out: threads dispatched, messages carried out, memory written.
//! Objects come one after the other, and a thread ends before the next begins, so what blends is in order.
//! Ref: SKL PRM vol. 7, "Windower (WM) StageFunctions", "Pixel Shader Thread Dispatch", "Render Target Write".
//!
//! | file | in → out |
//! | --- | --- |
//! | `state` | latched commands → what a draw finds |
//! | `payload` | an object, its subspans → a thread's registers |
//! | `message` | render target writes → samples settled, colours for targets |
//! | `repeat` | what one thread has sent → the same for others |
//! | `interpolator` | pixel interpolator messages → barycentric weights |
//! | `depth`, `blend`, `target` | a sample → memory |
//! | `tiles` | objects → parts of them, by worker |
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
