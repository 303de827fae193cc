//! Rules on operand types, conversions and immediates.

use super::facts::{InstFacts, direct_address, is_arf, is_null};
use super::rule::Rule;
use crate::inst::{ArfReg, Dst, RegFile, Src};
use crate::opcode::{EncodingClass, Opcode};
use crate::types::Type;

const TYPES: &str = "Register Region Restrictions: General Restrictions Based on Operand Types";
const MIXED: &str =
    "Register Region Restrictions: Special Restrictions for Handling Mixed Mode Float Operations";
const IMMEDIATE: &str = "Immediate";
const CONVERT: &str = "MOV";

pub static RULES: &[Rule] = &[
    Rule {
        name: "byte_packed",
        prm: TYPES,
        text: "only a MOV without conversion or modifiers writes packed bytes",
        broken: |f| {
            converted_dst(f).is_some_and(|d| is_byte(d.ty) && d.hstride == 1 && !f.is_raw_move())
                && !is_byte_constant(f)
        },
    },
    Rule {
        name: "byte_and_64_bit",
        prm: CONVERT,
        text: "there is no conversion between bytes and 64-bit types",
        broken: |f| converts(f, is_byte, |ty| ty.size_bytes() == 8),
    },
    Rule {
        name: "half_and_64_bit",
        prm: CONVERT,
        text: "there is no conversion between HF and 64-bit types",
        broken: |f| converts(f, |ty| ty == Type::Hf, |ty| ty.size_bytes() == 8),
    },
    Rule {
        name: "half_and_integer",
        prm: CONVERT,
        text: "a conversion between HF and an integer writes the low parts of dwords: destination elements are a dword apart and dword-aligned",
        broken: |f| {
            let Some(dst) = converted_dst(f).filter(|_| f.is_align1()) else {
                return false;
            };
            let step = u32::from(dst.hstride) * dst.ty.size_bytes();
            let odd = direct_address(dst.addr).is_some_and(|p| !p.1.is_multiple_of(4));
            is_half_and_integer(f) && (step != 4 || odd)
        },
    },
    Rule {
        name: "half_destination",
        prm: CONVERT,
        text: "a conversion to HF writes every other word; in mixed mode also packed words that start at a multiple of 16 bytes",
        broken: |f| {
            let Some(dst) = converted_dst(f).filter(|_| f.is_align1()) else {
                return false;
            };
            let to_half = dst.ty == Type::Hf && f.sources().iter().any(|s| s.ty != Type::Hf);
            let aligned = direct_address(dst.addr).is_none_or(|p| p.1.is_multiple_of(16));
            let packed = f.is_mixed_float() && dst.hstride == 1 && aligned;
            to_half && dst.hstride != 2 && !packed
        },
    },
    Rule {
        name: "destination_ratio",
        prm: TYPES,
        text: "if the execution type is wider than the destination type, the destination stride is the size of the execution type",
        broken: |f| {
            narrowed_dst(f).is_some_and(|(dst, exec_bytes)| {
                let step = u32::from(dst.hstride) * dst.ty.size_bytes();
                let copied_byte = is_byte(dst.ty) && f.is_raw_move();
                step != exec_bytes && !copied_byte
            })
        },
    },
    Rule {
        name: "destination_part",
        prm: TYPES,
        text: "if the execution type is wider than the destination type, the destination is aligned to the execution type; \
               a byte may also be at offset 1",
        broken: |f| {
            narrowed_dst(f).is_some_and(|(dst, exec_bytes)| {
                let Some((_, sub)) = direct_address(dst.addr).filter(|_| f.is_align1()) else {
                    return false;
                };
                let part = sub % exec_bytes;
                part != 0 && !(is_byte(dst.ty) && part == 1)
            })
        },
    },
    Rule {
        name: "float_and_integer",
        prm: TYPES,
        text: "sources are all floats or all integers",
        broken: |f| {
            let kinds = f.sources().iter().map(|s| s.ty.is_float());
            let (mut floats, mut integers) = (false, false);
            kinds.for_each(|float| {
                floats |= float;
                integers |= !float;
            });
            f.is_alu() && floats && integers
        },
    },
    Rule {
        name: "mixed_indirect",
        prm: MIXED,
        text: "sources of mixed-mode float operations are addressed directly",
        broken: |f| {
            f.is_mixed_float() && f.sources().iter().any(|s| direct_address(s.addr).is_none())
        },
    },
    Rule {
        name: "mixed_single_size",
        prm: MIXED,
        // Mesa's developers found by tests on real machines that MOV may have 16, and its compiler
        // relies on that (brw_lower_simd_width.cpp).
        text: "mixed mode with an F destination has at most 8 channels, but in a MOV",
        broken: |f| {
            let is_wide = f.inst.dst.ty == Type::F && f.inst.exec_size > 8;
            f.is_mixed_float() && is_wide && f.inst.op != Opcode::Mov
        },
    },
    Rule {
        name: "mixed_half_size",
        prm: MIXED,
        text: "mixed mode with a packed HF destination has at most 8 channels",
        broken: |f| {
            let dst = &f.inst.dst;
            let packed = dst.ty == Type::Hf && dst.hstride == 1;
            f.is_mixed_float() && packed && f.inst.exec_size > 8
        },
    },
    Rule {
        name: "mixed_math",
        prm: MIXED,
        text: "HF sources of mixed-mode MATH are strided",
        broken: |f| {
            let mut halves = f.regions().filter(|(s, _)| s.ty == Type::Hf);
            f.class == EncodingClass::Math
                && f.is_mixed_float()
                && halves.any(|(_, r)| r.hstride <= 1)
        },
    },
    Rule {
        name: "mixed_accumulator",
        prm: MIXED,
        text: "mixed mode that reads an accumulator writes HF to every other word",
        broken: |f| {
            let named = |s: &Src| is_arf(s.file, s.addr, ArfReg::Accumulator);
            let implied = matches!(f.inst.op, Opcode::Mac | Opcode::Mach | Opcode::Sada2);
            let reads = implied || f.sources().iter().any(named);
            let dst = &f.inst.dst;
            f.is_mixed_float() && f.is_align1() && reads && dst.ty == Type::Hf && dst.hstride != 2
        },
    },
    Rule {
        name: "mixed_align16",
        prm: MIXED,
        text: "mixed mode in align16 has at most 8 channels and packed sources",
        broken: |f| {
            let packed = f.sources().iter().all(|s| s.region.vstride == 4);
            f.is_mixed_float() && f.inst.align16 && (f.inst.exec_size > 8 || !packed)
        },
    },
    Rule {
        name: "immediate_type",
        prm: IMMEDIATE,
        text: "an immediate is not a byte",
        broken: |f| f.immediate().is_some_and(|s| is_byte(s.ty)),
    },
    Rule {
        name: "immediate_last",
        prm: IMMEDIATE,
        text: "only the last source can be an immediate",
        broken: |f| {
            let others = f.sources().len().saturating_sub(1);
            f.is_alu()
                && f.sources()
                    .iter()
                    .take(others)
                    .any(|s| s.file == RegFile::Imm)
        },
    },
    Rule {
        name: "immediate_64_bit",
        prm: IMMEDIATE,
        text: "only an instruction with one source has a 64-bit immediate",
        broken: |f| {
            let wide = f.immediate().is_some_and(|s| s.ty.size_bytes() == 8);
            wide && f.sources().len() > 1
        },
    },
    Rule {
        name: "immediate_modifiers",
        prm: IMMEDIATE,
        text: "an immediate has no modifiers",
        broken: |f| f.immediate().is_some_and(|s| s.negate || s.abs),
    },
    Rule {
        name: "immediate_vector",
        prm: TYPES,
        text: "with a vector immediate the destination starts at a multiple of 16 bytes, and its elements are a word (V, UV) \
               or a dword (VF) apart",
        broken: |f| {
            let step = match f.immediate().map(|s| s.ty) {
                Some(Type::V | Type::Uv) => 2,
                Some(Type::Vf) => 4,
                _ => return false,
            };
            let Some(dst) = f.written_dst().filter(|_| f.is_align1()) else {
                return false;
            };
            let odd = direct_address(dst.addr).is_some_and(|p| !p.1.is_multiple_of(16));
            odd || u32::from(dst.hstride) * dst.ty.size_bytes() != step
        },
    },
    Rule {
        name: "register_type",
        prm: "EU Instruction Format: Operand Types",
        text: "V, UV and VF are types of immediates only; NF does not exist in these generations",
        broken: |f| {
            let vector = |ty| matches!(ty, Type::V | Type::Uv | Type::Vf | Type::Nf);
            let mut registers = f.sources().iter().filter(|s| s.file != RegFile::Imm);
            let source = registers.any(|s| vector(s.ty));
            f.is_alu() && (source || vector(f.inst.dst.ty))
        },
    },
    Rule {
        name: "source_null",
        prm: "ARF Registers: Null Register",
        text: "arithmetic does not read null",
        broken: |f| {
            let mut sources = f.sources().iter();
            f.class == EncodingClass::Basic && sources.any(|s| is_null(s.file, s.addr))
        },
    },
    Rule {
        name: "immediate_written",
        prm: "EU Instruction Format: Destination Operand",
        text: "a destination is a general or an architecture register",
        broken: |f| {
            let file = f.inst.dst.file;
            (f.is_alu() || f.class == EncodingClass::ThreeSource)
                && matches!(file, RegFile::Imm | RegFile::Mrf)
        },
    },
];

fn is_byte(ty: Type) -> bool {
    ty.size_bytes() == 1
}

/// True for a MOV of an immediate byte, which the rule on immediates reports.
fn is_byte_constant(f: &InstFacts) -> bool {
    f.inst.op == Opcode::Mov && f.immediate().is_some_and(|s| is_byte(s.ty))
}

/// The destination to which the rules on conversions apply: that of arithmetic with more than one
/// channel.
fn converted_dst<'a>(f: &InstFacts<'a>) -> Option<&'a Dst> {
    let dst = &f.inst.dst;
    (f.is_alu() && f.exec_size() > 1).then_some(dst)
}

/// True if the types of the destination and of a source satisfy `a` and `b`, in either order.
fn converts(f: &InstFacts, a: impl Fn(Type) -> bool, b: impl Fn(Type) -> bool) -> bool {
    converted_dst(f).is_some_and(|dst| {
        let mut sources = f.sources().iter();
        sources.any(|s| (a(dst.ty) && b(s.ty)) || (b(dst.ty) && a(s.ty)))
    })
}

/// True for conversions between HF and integers, in either direction.
fn is_half_and_integer(f: &InstFacts) -> bool {
    converts(f, |ty| ty == Type::Hf, |ty: Type| !ty.is_float())
}

/// Destination, and size in bytes of the execution type, if that is wider. `None` in mixed mode and
/// for conversions between HF and integers, which have their own rules. (ANV converts HF to bytes
/// that are a dword apart, as those rules require, not a word.)
fn narrowed_dst<'a>(f: &InstFacts<'a>) -> Option<(&'a Dst, u32)> {
    let dst = converted_dst(f).filter(|_| !f.is_mixed_float() && !is_half_and_integer(f))?;
    let exec_bytes = f.execution_type().size_bytes();
    let packed_byte = is_byte(dst.ty) && dst.hstride == 1;
    (exec_bytes > dst.ty.size_bytes() && !packed_byte).then_some((dst, exec_bytes))
}
