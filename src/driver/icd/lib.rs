//! The C face of the driver.
