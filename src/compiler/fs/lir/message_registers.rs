//! The validator's rules for message registers.

use crate::lir::inst::{Inst, Op, Payload};
use crate::lir::operand::{GRF_BYTES, Mrf, Reg};
use crate::lir::program::Lir;
use isa::MessageRegisters;

/// Values whose halves COMPR4 stores four registers apart.
pub(crate) const COLOURS: usize = 4;

/// Checks the accesses of an instruction to message registers: they are written by SIMD8 and SIMD16
/// moves and by collects, and read by messages; the device has them, and COMPR4 if it is used.
pub(crate) fn check(lir: &Lir, inst: &Inst) -> Result<(), &'static str> {
    for (i, s) in inst.src.iter().enumerate().take(inst.sources()) {
        let Reg::Mrf(m) = s.reg else { continue };
        if inst.op != Op::Send || i > 0 || m.compr4 {
            return Err("message registers are read by messages, as their first payload");
        }
        check_range(lir, m, s.offset + inst.src_bytes(i))?;
    }
    let payload = match inst.op {
        Op::Collect(payload) => lir.payloads.get(payload),
        _ => None,
    };
    let parts = payload.map_or(&[][..], |p| &p.parts);
    if parts.iter().any(|p| matches!(p.src.reg, Reg::Mrf(_))) {
        return Err("a payload is not made of message registers");
    }
    let Reg::Mrf(m) = inst.dst.reg else {
        return Ok(());
    };
    match (inst.op, payload) {
        (Op::Collect(_), Some(payload)) => {
            check_range(lir, m, payload.bytes())?;
            check_collect(inst, m, payload)
        }
        (Op::Eu(isa::Opcode::Mov), _) => {
            let end = inst.dst.offset + inst.dst_bytes();
            let mrf_info = check_range(lir, m, end + if m.compr4 { 3 * GRF_BYTES } else { 0 })?;
            if m.compr4 && !mrf_info.compr4 {
                return Err("the part has no COMPR4");
            }
            // Gen7 introduced NibCtrl.
            if !inst.group.is_multiple_of(8) || inst.exec > 8 && inst.group > 0 {
                return Err("lanes are those of a half, or of both");
            }
            let halves = inst.exec == 16 && inst.dst.offset.is_multiple_of(GRF_BYTES);
            if m.compr4 && !(halves && inst.dst_bytes() == 2 * GRF_BYTES) {
                return Err("COMPR4 is for sixteen lanes of 32 bits");
            }
            let regs = end.div_ceil(GRF_BYTES) - inst.dst.offset / GRF_BYTES;
            match regs > 2 {
                true => Err("the destination spans more than two registers"),
                false => Ok(()),
            }
        }
        _ => Err("message registers are written by moves"),
    }
}

/// The message registers of the device, if `bytes` bytes from `m` on exist.
fn check_range(lir: &Lir, m: Mrf, bytes: u32) -> Result<MessageRegisters, &'static str> {
    match lir.message_registers {
        None => Err("the part has no message registers"),
        Some(available) if u32::from(m.nr) + bytes.div_ceil(GRF_BYTES) > available.count.into() => {
            Err("beyond the last message register")
        }
        Some(available) => Ok(available),
    }
}

fn check_collect(inst: &Inst, m: Mrf, payload: &Payload) -> Result<(), &'static str> {
    if inst.exec > 16 {
        return Err("no message in message registers has more than sixteen lanes");
    }
    if !m.compr4 || inst.exec < 16 {
        return Ok(());
    }
    let values = payload.parts.iter().skip_while(|p| p.header);
    let colours = values.take(COLOURS).filter(|p| {
        let size = p.src.ty.size_bytes();
        p.bytes == 16 * 4 && (size == 4 || p.src.reg == Reg::Null)
    });
    match colours.count() {
        COLOURS => Ok(()),
        _ => Err("COMPR4 is for four values of 32 bits"),
    }
}
