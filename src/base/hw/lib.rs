//! Devices, workarounds, packets and surface formats as tables.
//!
//! Facts alone: where bits stand and what parts have. What the machine does with them stands in the driver and in the
//! simulator, each for itself.

pub mod batch;
mod device;
pub mod draw;
pub mod draw_state;
mod format;
mod generation;
pub mod media;
pub mod mi;
mod pack;
pub mod packet;
pub mod register;
pub mod state;
pub mod surface;

pub use device::{Cap, DEVICES, Device, Platform, Wa};
pub use format::{ChannelKind, FORMATS, Format};
pub use generation::Gen;
pub use pack::Words;
pub use packet::{Field, Kind, Packet};

#[cfg(test)]
mod tests;
