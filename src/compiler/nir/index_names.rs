//! Symbolic values of intrinsics' constant indices in text.
//!
//! In:  an index's name and a value or its name. Out: the name or the value.

use crate::intrinsic::AtomicOp;
use crate::io::{INTERPS, Slot};
use crate::op::AluOp;
use crate::tex::{BASES, DIMS, IMAGE_FORMATS};

pub(crate) const ATOMIC_OPS: [(AtomicOp, &str); 13] = [
    (AtomicOp::IAdd, "iadd"),
    (AtomicOp::IMin, "imin"),
    (AtomicOp::UMin, "umin"),
    (AtomicOp::IMax, "imax"),
    (AtomicOp::UMax, "umax"),
    (AtomicOp::IAnd, "iand"),
    (AtomicOp::IOr, "ior"),
    (AtomicOp::IXor, "ixor"),
    (AtomicOp::Xchg, "xchg"),
    (AtomicOp::FAdd, "fadd"),
    (AtomicOp::FMin, "fmin"),
    (AtomicOp::FMax, "fmax"),
    (AtomicOp::CmpXchg, "cmpxchg"),
];

impl AtomicOp {
    /// The operation with this value of an `atomic_op` index.
    pub fn from_index(index: u32) -> Option<AtomicOp> {
        ATOMIC_OPS.get(index as usize).map(|a| a.0)
    }
}

/// The symbolic name of a value of the index `name`; `None` if it is printed as a number.
pub(crate) fn value_name(name: &str, value: u32) -> Option<String> {
    let at = value as usize;
    let word = match name {
        "atomic_op" => ATOMIC_OPS.get(at).map(|a| a.1),
        "reduction_op" => AluOp::ALL.get(at).map(|a| a.info().name),
        "image_dim" => DIMS.get(at).map(|d| d.1),
        "format" => IMAGE_FORMATS.get(at).copied(),
        "dest_type" | "src_type" => BASES.get(at).map(|b| b.1),
        "interp_mode" => INTERPS.get(at).map(|i| i.1),
        "location" if value < u32::from(Slot::END) => return Some(Slot(value as u8).name()),
        _ => None,
    };
    word.map(str::to_owned)
}

/// The value of the index `name` with the symbolic name `word`.
pub(crate) fn value_from_name(name: &str, word: &str) -> Option<u32> {
    let at = match name {
        "atomic_op" => ATOMIC_OPS.iter().position(|a| a.1 == word),
        "reduction_op" => AluOp::from_name(word).map(|o| o as usize),
        "image_dim" => DIMS.iter().position(|d| d.1 == word),
        "format" => IMAGE_FORMATS.iter().position(|f| *f == word),
        "dest_type" | "src_type" => BASES.iter().position(|b| b.1 == word),
        "interp_mode" => INTERPS.iter().position(|i| i.1 == word),
        "location" => Slot::from_name(word).map(|s| usize::from(s.0)),
        _ => None,
    };
    at.map(|v| v as u32)
}
