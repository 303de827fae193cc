//! Errors for constructs that the backend does not support.
//!
//! In:  an instruction. Out: [`FsError::Unsupported`].

use crate::error::FsError;
use nir::{Alu, Intrinsic, Tex};

/// The error for an intrinsic that the backend does not implement.
pub(super) fn unsupported(i: &Intrinsic) -> FsError {
    unsupported_intrinsic(i, "not implemented in this backend")
}

/// The error for an intrinsic that the backend does not implement in this form.
pub(super) fn unsupported_intrinsic(i: &Intrinsic, what: &'static str) -> FsError {
    FsError::Unsupported {
        op: i.op.info().name,
        what,
    }
}

/// The error for an ALU operation that the backend does not implement in this form.
pub(super) fn unsupported_alu(alu: &Alu, what: &'static str) -> FsError {
    FsError::Unsupported {
        op: alu.op.info().name,
        what,
    }
}

/// The error for a texture instruction that the backend does not implement in this form.
pub(super) fn unsupported_tex(tex: &Tex, what: &'static str) -> FsError {
    FsError::Unsupported {
        op: tex.op.info().name,
        what,
    }
}

/// The error for intrinsics, described by `op`, that are not valid in the shader's stage.
pub(super) fn wrong_stage(op: &'static str) -> FsError {
    FsError::Unsupported {
        op,
        what: "not valid in this stage",
    }
}
