//! Errors of constructs that the backend does not support.
//!
//! In:  an instruction. Out: [`FsError::Unsupported`].

use crate::error::FsError;
use nir::Intrinsic;

pub(super) fn unsupported(i: &Intrinsic) -> FsError {
    FsError::Unsupported {
        op: i.op.info().name,
        what: "not in this backend yet",
    }
}
