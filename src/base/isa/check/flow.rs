//! Rules on single operations: MATH, comparison and selection, logic, carry, WAIT, jumps.

use super::facts::{GRF_BYTES, direct_address, is_arf, is_null};
use super::rule::Rule;
use crate::inst::{ArfReg, CondMod, MathFn, RegFile, Src};
use crate::opcode::{EncodingClass, Opcode};
use crate::types::Type;

const MATH: &str = "MATH: Extended Math Function";

pub static RULES: &[Rule] = &[
    Rule {
        name: "math_size",
        prm: MATH,
        text: "MATH has at most 16 channels, integer division at most 8",
        broken: |f| {
            let max = if f.inst.math.is_some_and(divides) {
                8
            } else {
                16
            };
            f.class == EncodingClass::Math && f.inst.exec_size > max
        },
    },
    Rule {
        name: "math_types",
        prm: MATH,
        text: "integer division takes D and UD, other functions F and HF",
        broken: |f| {
            if f.class != EncodingClass::Math || f.inst.is_math_macro() {
                return false;
            }
            let division = f.inst.math.is_some_and(divides);
            let fits = |ty| match ty {
                Type::D | Type::Ud => division,
                Type::F | Type::Hf | Type::Vf => !division,
                _ => false,
            };
            !(fits(f.inst.dst.ty) && f.sources().iter().all(|s| fits(s.ty)))
        },
    },
    Rule {
        name: "math_registers",
        prm: MATH,
        text: "MATH reads general registers and immediates and writes general registers",
        broken: |f| {
            let arf = |s: &Src| s.file == RegFile::Arf && !is_null(s.file, s.addr);
            let dst = &f.inst.dst;
            let written = dst.file == RegFile::Arf && !is_null(dst.file, dst.addr);
            let is_macro = f.inst.is_math_macro();
            f.class == EncodingClass::Math && !is_macro && (written || f.sources().iter().any(arf))
        },
    },
    Rule {
        name: "math_modifiers",
        prm: MATH,
        text: "integer division has no source modifiers",
        broken: |f| {
            let division = f.class == EncodingClass::Math && f.inst.math.is_some_and(divides);
            division && f.sources().iter().any(|s| s.negate || s.abs)
        },
    },
    Rule {
        name: "math_split",
        prm: "Register Region Restrictions: Region Alignment Rules",
        text: "a destination of MATH that spans two registers has half of its elements in each",
        broken: |f| {
            if f.class != EncodingClass::Math || !f.is_align1() {
                return false;
            }
            let Some(dst) = f.written_dst() else {
                return false;
            };
            let sub = direct_address(dst.addr).map_or(0, |p| p.1);
            let step = u32::from(dst.hstride) * dst.ty.size_bytes();
            let high = (0..f.exec_size()).filter(|i| sub + i * step >= GRF_BYTES);
            let high = high.count() as u32;
            high != 0 && high * 2 != f.exec_size()
        },
    },
    Rule {
        name: "compare_condition",
        prm: "CMP, CMPN",
        text: "a comparison has a conditional modifier",
        broken: |f| {
            let compares = matches!(f.inst.op, Opcode::Cmp | Opcode::Cmpn);
            compares && f.inst.cmod == CondMod::None
        },
    },
    Rule {
        name: "select_condition",
        prm: "SEL",
        text: "SEL has either a predicate or a conditional modifier",
        broken: |f| {
            let by_flag = f.inst.pred.is_some();
            let by_compare = f.inst.cmod != CondMod::None;
            f.inst.op == Opcode::Sel && by_flag == by_compare
        },
    },
    Rule {
        name: "logic_types",
        prm: "AND, OR, XOR, NOT, SHL, SHR, ASR",
        text: "logic and shifts take integers",
        broken: |f| {
            let op = f.inst.op;
            let bits = op.info().logic || matches!(op, Opcode::Shl | Opcode::Shr | Opcode::Asr);
            let float = f.inst.dst.ty.is_float() || f.sources().iter().any(|s| s.ty.is_float());
            bits && float
        },
    },
    Rule {
        name: "logic_modifiers",
        prm: "AND, OR, XOR, NOT",
        text: "logic has no absolute modifier and does not saturate",
        broken: |f| {
            let modified = f.inst.saturate || f.sources().iter().any(|s| s.abs);
            f.inst.op.info().logic && modified
        },
    },
    Rule {
        name: "carry_size",
        prm: "ADDC, SUBB, MACH",
        text: "ADDC, SUBB and MACH have at most 8 channels, the number of integers in an accumulator",
        broken: |f| {
            let op = matches!(f.inst.op, Opcode::Addc | Opcode::Subb | Opcode::Mach);
            op && f.inst.exec_size > 8
        },
    },
    Rule {
        name: "read_only",
        prm: "ARF Registers: Channel Enable Register",
        text: "the channel enable register is not written",
        broken: |f| {
            let reg = ArfReg::ChannelEnable;
            f.written_dst().is_some_and(|d| is_arf(d.file, d.addr, reg))
        },
    },
    Rule {
        name: "register_exists",
        prm: "ARF Registers: Register Address",
        text: "no architecture register has the numbers 0xe0 to 0xef",
        broken: |f| {
            let none = |file, addr| {
                let number = direct_address(addr).map_or(0, |p| p.0);
                file == RegFile::Arf && number >> 4 == 0xe
            };
            let dst = &f.inst.dst;
            let sources = f.sources().iter().any(|s| none(s.file, s.addr));
            sources || f.written_dst().is_some() && none(dst.file, dst.addr)
        },
    },
    Rule {
        name: "wait_notification",
        prm: "WAIT",
        text: "the operand of WAIT is a notification register",
        broken: |f| {
            let waits = f.inst.op == Opcode::Wait;
            let is_notification = |s: &Src| is_arf(s.file, s.addr, ArfReg::Notification);
            waits && !f.inst.src.first().is_some_and(is_notification)
        },
    },
    Rule {
        name: "jmpi_scalar",
        prm: "JMPI",
        text: "JMPI has one channel",
        broken: |f| f.inst.op == Opcode::Jmpi && f.inst.exec_size != 1,
    },
    Rule {
        name: "jump_aligned",
        prm: "EU Instruction Format: JIP, UIP",
        text: "jump distances are multiples of 8 bytes",
        broken: |f| {
            let odd = |distance: i32| distance % 8 != 0;
            let uip = f.class == EncodingClass::JipUip || f.inst.op == Opcode::Brc;
            f.inst.op.is_branch() && (odd(f.inst.jip) || uip && odd(f.inst.uip))
        },
    },
];

fn divides(function: MathFn) -> bool {
    use MathFn::{IntDivBoth, IntDivQuotient, IntDivRemainder};
    matches!(function, IntDivBoth | IntDivQuotient | IntDivRemainder)
}
