//! Devices, workarounds, packets and surface formats as tables.
//!
//! Facts alone: where bits stand and what parts have. What the machine does with them stands in the driver and in the
//! simulator, each for itself.

pub mod batch;
mod device;
pub mod draw;
pub mod draw_state;
mod format;
mod format_use;
pub mod gen8;
mod generation;
mod l3;
pub mod layout;
pub mod media;
pub mod mi;
mod pack;
pub mod packet;
mod parts;
pub mod register;
pub mod state;
pub mod surface;
mod workaround;

pub use device::{Cap, Device, Platform};
pub use format::{ChannelKind, FORMATS, Format};
pub use format_use::FormatUse;
pub use generation::Gen;
pub use l3::L3Division;
pub use pack::Words;
pub use packet::{Field, Kind, Packet};
pub use parts::DEVICES;
pub use workaround::{WORKAROUNDS, Wa, Workaround};

#[cfg(test)]
mod tests;
