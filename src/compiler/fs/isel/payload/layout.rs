//! The result of a payload's layout.
//!
//! In:  the GRFs that a stage's `lay_out` assigns. Out: what the rest of the backend needs of them.

use abi::StageInfo;

/// Where the push data of a thread is, and where its payload ends.
pub(crate) struct PayloadLayout {
    /// First GRF of push data.
    pub(crate) push_grf: u16,
    /// Description of the stage for the driver.
    pub(crate) stage: StageInfo,
    /// First GRF after the payload.
    pub(crate) end: u16,
}
