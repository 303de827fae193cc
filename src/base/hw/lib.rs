//! Devices, workarounds, packets and surface formats as tables.
