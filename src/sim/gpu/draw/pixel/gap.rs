//! The error for what the pixel pipeline does not simulate.
//!
//! In:  the address of a command or message, what is missing. Out: [`StopReason::Unimplemented`].

use eu::StopReason;

/// Stops the draw at `at`: `what` is not simulated.
pub(super) fn gap<T>(at: u64, what: &str) -> Result<T, StopReason> {
    Err(StopReason::Unimplemented {
        what: what.into(),
        at,
    })
}
