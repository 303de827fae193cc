//! Checks that the text of a program is the program.

use crate::lir::inst::{Inst, Op, Payload};
use crate::lir::operand::Src;
use crate::lir::parse::parse;
use crate::lir::print;
use crate::lir::program::Lir;

/// Prints and parses a program. Returns the first difference: the index of an instruction, or the
/// number of instructions if the difference is elsewhere, and a description.
pub(crate) fn check(lir: &Lir) -> Result<(), (usize, String)> {
    let text = print::program(lir, None);
    let end = lir.insts.len();
    let parsed = parse(&text).map_err(|e| (end, format!("its text is not LIR: {e}")))?;
    let facts = |l: &Lir| {
        (
            l.width,
            l.message_registers,
            l.scratch_bytes,
            l.cross_block_flags,
            l.insts.len(),
        )
    };
    if facts(lir) != facts(&parsed) || !lir.vgrfs.iter().eq(parsed.vgrfs.iter()) {
        return Err((end, "its text has another first line or VGRF".to_owned()));
    }
    let pairs = lir.insts.iter().zip(&parsed.insts);
    for (at, (a, b)) in pairs.enumerate() {
        if payload(lir, a) != payload(&parsed, b) || normalised(a) != normalised(b) {
            return Err((at, format!("its text is another instruction: {a:?}, {b:?}")));
        }
    }
    Ok(())
}

/// The payload of a collect.
fn payload<'a>(lir: &'a Lir, inst: &Inst) -> Option<&'a Payload> {
    match inst.op {
        Op::Collect(payload) => lir.payloads.get(payload),
        _ => None,
    }
}

/// The instruction without what has no meaning: the number of its payload, and sources that the
/// operation does not have.
fn normalised(inst: &Inst) -> Inst {
    let mut out = *inst;
    if let Op::Collect(_) = out.op {
        out.op = Op::Collect(entity::Id::new(0));
    }
    let sources = out.sources();
    out.src[sources..].fill(Src::NULL);
    out
}
