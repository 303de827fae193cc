//! The error for what the pixel pipeline does not simulate.
//!
//! In:  the address of a command or message, what is missing. Out: [`Stop::Unimplemented`].

use eu::Stop;

/// Stops the draw at `at`: `what` is not simulated.
pub(super) fn gap<T>(at: u64, what: &str) -> Result<T, Stop> {
    Err(Stop::Unimplemented {
        what: what.into(),
        at,
    })
}
