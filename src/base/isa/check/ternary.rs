//! Rules on three-source instructions, which on gen8 and gen9 exist only in align16.

use super::facts::{GRF_BYTES, InstFacts, direct_address};
use super::rule::Rule;
use crate::inst::{CondMod, RegFile, Src};
use crate::opcode::{EncodingClass, Opcode};
use crate::types::Type;

const FORMAT: &str = "EU Instruction Format: Three-Source Instructions";

pub static RULES: &[Rule] = &[
    Rule {
        name: "ternary_align16",
        prm: FORMAT,
        text: "three-source instructions are in align16",
        broken: |f| is_ternary(f) && !f.inst.align16,
    },
    Rule {
        name: "ternary_registers",
        prm: FORMAT,
        text: "operands of three-source instructions are general registers, addressed directly",
        broken: |f| {
            let grf = |file, addr| file == RegFile::Grf && direct_address(addr).is_some();
            let dst = &f.inst.dst;
            is_ternary(f)
                && !(grf(dst.file, dst.addr) && f.inst.src.iter().all(|s| grf(s.file, s.addr)))
        },
    },
    Rule {
        name: "ternary_types",
        prm: FORMAT,
        text: "operands of three-source instructions are F, D, UD, DF or HF",
        broken: |f| {
            let has = |ty| matches!(ty, Type::F | Type::D | Type::Ud | Type::Df | Type::Hf);
            is_ternary(f) && !(has(f.inst.dst.ty) && f.inst.src.iter().all(|s| has(s.ty)))
        },
    },
    Rule {
        name: "ternary_one_type",
        prm: FORMAT,
        text: "the three sources have the same type, but F and HF may be mixed",
        broken: |f| {
            let kind = |ty| if ty == Type::Hf { Type::F } else { ty };
            let first = kind(f.inst.src[0].ty);
            is_ternary(f) && f.inst.src.iter().any(|s| kind(s.ty) != first)
        },
    },
    Rule {
        name: "ternary_integers",
        prm: "BFE, BFI2",
        text: "bit-field instructions take D and UD",
        broken: |f| {
            let bits = matches!(f.inst.op, Opcode::Bfe | Opcode::Bfi2);
            let float = f.inst.dst.ty.is_float() || f.inst.src.iter().any(|s| s.ty.is_float());
            bits && float
        },
    },
    Rule {
        name: "ternary_floats",
        prm: "CSEL, LRP, MADM",
        text: "CSEL, LRP and MADM take floats",
        broken: |f| {
            let op = matches!(f.inst.op, Opcode::Csel | Opcode::Lrp | Opcode::Madm);
            op && !(f.inst.dst.ty.is_float() && f.inst.src.iter().all(|s| s.ty.is_float()))
        },
    },
    Rule {
        name: "ternary_span",
        prm: "Register Region Restrictions: Region Alignment Rules",
        text: "an operand of a three-source instruction spans at most two registers",
        broken: |f| {
            let end = |addr, ty: Type| {
                direct_address(addr).map_or(0, |p| p.1) + f.exec_size() * ty.size_bytes()
            };
            let mut wide = f.inst.src.iter().filter(|s| !is_replicated(s));
            is_ternary(f)
                && (end(f.inst.dst.addr, f.inst.dst.ty) > 2 * GRF_BYTES
                    || wide.any(|s| end(s.addr, s.ty) > 2 * GRF_BYTES))
        },
    },
    Rule {
        name: "ternary_aligned",
        prm: FORMAT,
        text: "a source that is not replicated starts at a multiple of 16 bytes, the destination at a multiple of 4",
        broken: |f| {
            let off =
                |addr, step: u32| direct_address(addr).is_some_and(|p| !p.1.is_multiple_of(step));
            let mut wide = f.inst.src.iter().filter(|s| !is_replicated(s));
            is_ternary(f) && (off(f.inst.dst.addr, 4) || wide.any(|s| off(s.addr, 16)))
        },
    },
    Rule {
        name: "csel_condition",
        prm: "CSEL",
        text: "CSEL has a conditional modifier",
        broken: |f| f.inst.op == Opcode::Csel && f.inst.cmod == CondMod::None,
    },
];

fn is_ternary(f: &InstFacts) -> bool {
    f.class == EncodingClass::ThreeSource && f.inst.op != Opcode::Madm
}

/// True if all channels read one element: by RepCtrl, or for a double by a swizzle that repeats its
/// two dwords.
fn is_replicated(src: &Src) -> bool {
    src.rep_ctrl || (src.ty == Type::Df && src.region.vstride == 0) || src.swizzle == 0x44
}
