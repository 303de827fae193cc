//! Devices, workarounds, packets and surface formats as tables.
//!
//! Facts only: the position of bits, and the properties of parts. The behaviour of the hardware is
//! implemented in the driver and in the simulator independently, so that one misreading cannot pass
//! every test.
//! Tests: `tests.rs`, and inline in each file.

pub mod batch;
mod declare;
mod device;
mod device_table;
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
pub mod mocs;
mod pack;
pub mod packet;
mod pci_family;
pub mod register;
pub mod state;
pub mod surface;
pub mod value;
mod workaround;

pub use device::{Cap, Device, Platform};
pub use device_table::DEVICES;
pub use format::{ChannelKind, FORMATS, Format};
pub use format_use::FormatUse;
pub use generation::Gen;
pub use l3::L3Config;
pub use pack::PacketWords;
pub use packet::{Field, FieldKind, Packet};
pub use pci_family::{INTEL_VENDOR, pci_family};
pub use workaround::{Handling, WORKAROUNDS, Wa, Workaround};

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
