//! Devices, workarounds, packets and surface formats as tables.

mod generation;

pub use generation::Gen;
