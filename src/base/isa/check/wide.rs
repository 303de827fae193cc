//! Rules on 64-bit operands, most of which apply to the small core (CHV, BXT, GLK) only; and rules
//! on destinations of gen8.

use super::facts::{InstFacts, direct_address, is_arf, is_null, vstride};
use super::rule::Rule;
use crate::inst::{ArfReg, RegFile, Region, Src};
use crate::opcode::Opcode;
use crate::types::Type;

const WIDE: &str =
    "Register Region Restrictions: Special Requirements for Handling Double Precision Data Types";

/// Rules of all cores of gen8 and gen9.
pub static RULES: &[Rule] = &[Rule {
    name: "wide_align16",
    prm: WIDE,
    text: "in align16 an operation with a 64-bit destination and narrower sources has at most 2 channels",
    broken: |f| {
        let narrow = |s: &Src| s.ty.size_bytes() != 8;
        let wide = f.inst.dst.ty.size_bytes() == 8 && f.exec_size() > 2;
        f.is_alu() && f.inst.align16 && wide && f.sources().iter().any(narrow)
    },
}];

/// Rules of the small core.
pub static SMALL_CORES: &[Rule] = &[
    Rule {
        name: "wide_stride",
        prm: WIDE,
        text: "in a 64-bit operation sources and destination have the same stride, a multiple of a quadword; scalar sources are exempt",
        broken: |f| {
            let dst = u32::from(f.inst.dst.hstride) * f.inst.dst.ty.size_bytes();
            wide_regions(f).any(|(s, region)| {
                let step = match region.hstride {
                    0 => vstride(region),
                    h => h.into(),
                };
                let src = step * s.ty.size_bytes();
                src % 8 != 0 || dst % 8 != 0 || src != dst
            })
        },
    },
    Rule {
        name: "wide_linear",
        prm: WIDE,
        text: "in a 64-bit operation VertStride is Width times HorzStride",
        broken: |f| {
            wide_regions(f).any(|(_, region)| {
                vstride(region) != u32::from(region.width) * u32::from(region.hstride)
            })
        },
    },
    Rule {
        name: "wide_offset",
        prm: WIDE,
        text: "in a 64-bit operation sources and destination have the same offset in their registers; scalar sources are exempt",
        broken: |f| {
            let to = direct_address(f.inst.dst.addr).map(|p| p.1);
            wide_regions(f).any(|(s, _)| direct_address(s.addr).map(|p| p.1) != to)
        },
    },
    Rule {
        name: "wide_indirect",
        prm: WIDE,
        text: "a 64-bit operation has no indirect operand",
        broken: |f| {
            let indirect = |addr| direct_address(addr).is_none();
            let read = f.sources().iter().any(|s| indirect(s.addr));
            is_wide(f) && (indirect(f.inst.dst.addr) || read)
        },
    },
    Rule {
        name: "wide_register",
        prm: WIDE,
        text: "a 64-bit operation uses no architecture register, including the accumulator",
        broken: |f| {
            let other = |file, addr| file == RegFile::Arf && !is_null(file, addr);
            let implicit = f.inst.op == Opcode::Mac || f.inst.acc_wr;
            let written = other(f.inst.dst.file, f.inst.dst.addr);
            let read = f.sources().iter().any(|s| other(s.file, s.addr));
            is_wide(f) && (implicit || written || read)
        },
    },
    Rule {
        name: "wide_dependency",
        prm: WIDE,
        text: "a 64-bit operation has neither NoDDClr nor NoDDChk",
        broken: |f| is_wide(f) && (f.inst.no_dd_clr || f.inst.no_dd_chk),
    },
];

/// Rules of gen8 and before.
pub static GEN8: &[Rule] = &[
    Rule {
        name: "destination_owords",
        prm: "Register Region Restrictions: Region Alignment Rules",
        text: "if a source spans two registers and the destination one, the destination is in one half of the register, or evenly in both",
        broken: |f| {
            let two = f
                .regions()
                .any(|(s, _)| direct_address(s.addr).is_some() && f.src_end_bytes(s) > 32);
            let Some((low, high)) = elements_per_part(f, 16) else {
                return false;
            };
            let one = f.written_dst().is_some_and(|d| f.dst_end_bytes(d) <= 32);
            one && two && low != 0 && high != 0 && low != high
        },
    },
    Rule {
        name: "destination_registers",
        prm: "Register Region Restrictions: Region Alignment Rules",
        text: "a destination that spans two registers has half of its elements in each",
        broken: |f| {
            let spans = f.written_dst().is_some_and(|d| f.dst_end_bytes(d) > 32);
            spans && elements_per_part(f, 32).is_some_and(|(low, high)| low != high)
        },
    },
];

/// True for a 64-bit operation: one with a 64-bit operand, or a product of doublewords.
fn is_wide(f: &InstFacts) -> bool {
    let dword = |s: &Src| matches!(s.ty, Type::D | Type::Ud);
    let product = f.inst.op == Opcode::Mul && f.sources().iter().all(dword);
    let read = f.sources().iter().any(|s| s.ty.size_bytes() == 8);
    f.is_alu() && (product || read || f.inst.dst.ty.size_bytes() == 8)
}

/// The sources of a 64-bit align1 operation that are not scalar.
fn wide_regions<'a>(f: &InstFacts<'a>) -> impl Iterator<Item = (&'a Src, Region)> + use<'a> {
    let wide = is_wide(f);
    f.regions().filter(move |(s, region)| {
        wide && *region != Region::SCALAR && !is_arf(s.file, s.addr, ArfReg::Null)
    })
}

/// Numbers of elements of an align1 destination that start in even and in odd parts of
/// `part_bytes`.
fn elements_per_part(f: &InstFacts, part_bytes: u32) -> Option<(u32, u32)> {
    let dst = f.written_dst().filter(|_| f.is_align1())?;
    let first = direct_address(dst.addr)?.1;
    let step = u32::from(dst.hstride) * dst.ty.size_bytes();
    let starts = (0..f.exec_size()).map(|i| first + i * step);
    let low = starts
        .filter(|start| start % (2 * part_bytes) < part_bytes)
        .count() as u32;
    Some((low, f.exec_size() - low))
}
