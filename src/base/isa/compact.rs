//! Converts between the 16-byte form and the compacted 8-byte form of gen8 to gen11.
//!
//! The compacted form holds indices into tables of common combinations of fields, and register
//! numbers.
//!
//! Ref: SKL PRM vol. 7, "EU Compact Instruction Format" and its tables (ControlIndex,
//!      DataTypeIndex, SubRegIndex, SrcIndex; SourceIndex and ControlIndex of three-source
//!      instructions). Tests: below, and `check/tests/anv.rs`.

use crate::layout::{OPCODE, SOURCES};
use crate::opcode::{EncodingClass, Opcode};
use hw::Gen;

/// ControlIndex: bits 33:31, 23:12, 10:9, 34 and 8.
#[rustfmt::skip]
const CONTROL: [u32; 32] = [
    0x2, 0x4000, 0x4001, 0x4002, 0x4003, 0x4004, 0x4005, 0x4007,
    0x4008, 0x4009, 0x400d, 0x6000, 0x6001, 0x6002, 0x6003, 0x6004,
    0x6005, 0x6007, 0x6009, 0x600d, 0x6010, 0x6100, 0x8000, 0x8002,
    0x8004, 0x8100, 0x16000, 0x16010, 0x18000, 0x18100, 0x28000, 0x28100,
];

/// DataTypeIndex: bits 63:61, 94:89 and 46:35.
#[rustfmt::skip]
const DATA_TYPE: [u32; 32] = [
    0x40001, 0x40040, 0x40041, 0x400c1, 0x4015d, 0x405dd, 0x40741, 0x40745,
    0x4075d, 0x41041, 0x43040, 0x43041, 0x45145, 0x47144, 0x47145, 0x5c75d,
    0x5d71d, 0x5d75c, 0x5d75d, 0x5f75c, 0x40c, 0x4005d, 0x40145, 0x41040,
    0x45144, 0x47104, 0x49209, 0x5775d, 0x5f75d, 0x4f34c, 0x49248, 0x4b248,
];

/// DataTypeIndex on gen11, where types have other codes.
#[rustfmt::skip]
const DATA_TYPE_GEN11: [u32; 32] = [
    0x40001, 0x40040, 0x40041, 0x400c1, 0x40165, 0x40be5, 0x40941, 0x40945,
    0x40965, 0x41041, 0x43040, 0x43041, 0x45145, 0x47144, 0x47145, 0x64965,
    0x65925, 0x65964, 0x65965, 0x67964, 0x40c, 0x40065, 0x40145, 0x41040,
    0x45144, 0x47104, 0x49209, 0x6f965, 0x67965, 0x4f34c, 0x49248, 0x4b248,
];

/// SubRegIndex: bits 100:96, 68:64 and 52:48.
#[rustfmt::skip]
const SUBREG: [u16; 32] = [
    0x0, 0x1, 0x8, 0xf, 0x10, 0x80, 0x100, 0x180,
    0x200, 0x210, 0x280, 0x1000, 0x1001, 0x1081, 0x1082, 0x1083,
    0x1084, 0x1087, 0x1088, 0x108e, 0x108f, 0x1180, 0x11e8, 0x2000,
    0x2180, 0x3000, 0x3c87, 0x4000, 0x5000, 0x6000, 0x7000, 0x701c,
];

/// SrcIndex: bits 88:77 or 120:109.
#[rustfmt::skip]
const SOURCE: [u16; 32] = [
    0x0, 0x2, 0x10, 0x12, 0x18, 0x20, 0x28, 0x48,
    0x50, 0x70, 0x78, 0x300, 0x302, 0x308, 0x310, 0x312,
    0x320, 0x328, 0x338, 0x340, 0x342, 0x348, 0x350, 0x360,
    0x368, 0x370, 0x371, 0x378, 0x468, 0x469, 0x46a, 0x588,
];

/// ControlIndex of three-source instructions: bits 36:32 and 28:8.
#[rustfmt::skip]
const TERNARY_CONTROL: [u32; 4] = [
    0x806001, 0x6001, 0x8001, 0x8021,
];

/// SourceIndex of three-source instructions: swizzles, modifiers and types.
#[rustfmt::skip]
const TERNARY_SOURCE: [u64; 4] = [
    0x7272720f000, 0x7272720f002, 0x7272720f008, 0x7272720f020,
];

/// Bits `hi..=lo` of a compact instruction.
fn bits(low: u64, hi: u32, lo: u32) -> u64 {
    low >> lo & ((1 << (hi - lo + 1)) - 1)
}

/// Sets `value` at bit `lo` of an instruction whose bits there are zero.
fn or_bits(word: &mut u128, lo: u32, value: u64) {
    *word |= u128::from(value) << lo;
}

/// Expands a compacted instruction to the 16-byte form with the compaction bit cleared. The error
/// is the unknown opcode number.
pub fn expand(low: u64, hw_gen: Gen) -> Result<u128, u8> {
    let number = bits(low, 6, 0) as u8;
    let op = Opcode::from_number(number, hw_gen).ok_or(number)?;
    let mut word = 0;
    OPCODE.or_into(&mut word, number.into());
    if op.info().class == EncodingClass::ThreeSource {
        expand_ternary(low, &mut word);
        return Ok(word);
    }
    or_bits(&mut word, 30, bits(low, 7, 7));
    let control = u64::from(CONTROL[bits(low, 12, 8) as usize]);
    or_bits(&mut word, 31, bits(control, 18, 16));
    or_bits(&mut word, 12, bits(control, 15, 4));
    or_bits(&mut word, 9, bits(control, 3, 2));
    or_bits(&mut word, 34, bits(control, 1, 1));
    or_bits(&mut word, 8, bits(control, 0, 0));
    let types = if hw_gen >= Gen::Gen11 {
        &DATA_TYPE_GEN11
    } else {
        &DATA_TYPE
    };
    let types = u64::from(types[bits(low, 17, 13) as usize]);
    or_bits(&mut word, 61, bits(types, 20, 18));
    or_bits(&mut word, 89, bits(types, 17, 12));
    or_bits(&mut word, 35, bits(types, 11, 0));
    let sub = u64::from(SUBREG[bits(low, 22, 18) as usize]);
    or_bits(&mut word, 64, bits(sub, 9, 5));
    or_bits(&mut word, 48, bits(sub, 4, 0));
    or_bits(&mut word, 77, SOURCE[bits(low, 34, 30) as usize].into());
    or_bits(&mut word, 28, bits(low, 23, 23));
    or_bits(&mut word, 24, bits(low, 27, 24));
    or_bits(&mut word, 53, bits(low, 47, 40));
    or_bits(&mut word, 69, bits(low, 55, 48));
    let immediate = SOURCES.iter().any(|s| s.file.get(word) == 3);
    if immediate {
        let imm = bits(low, 39, 35) << 8 | bits(low, 63, 56);
        // 13 bits in two's complement, sign-extended to 32.
        let imm = (imm as u32) << 19;
        or_bits(&mut word, 96, u64::from((imm as i32 >> 19) as u32));
    } else {
        or_bits(&mut word, 96, bits(sub, 14, 10));
        or_bits(&mut word, 109, SOURCE[bits(low, 39, 35) as usize].into());
        or_bits(&mut word, 101, bits(low, 63, 56));
    }
    Ok(word)
}

/// Compacts a 16-byte instruction; `None` if the tables lack one of its combinations of fields.
pub fn compact(word: u128, hw_gen: Gen) -> Option<u64> {
    let field = |hi: u32, lo: u32| (word >> lo) as u64 & ((1 << (hi - lo + 1)) - 1);
    let op = Opcode::from_number(field(6, 0) as u8, hw_gen)?;
    let low = if op.info().class == EncodingClass::ThreeSource {
        compact_ternary(&field)?
    } else {
        compact_basic(word, &field, hw_gen)?
    };
    // Bits that the compacted form cannot represent would be lost.
    (expand(low, hw_gen).ok()? == word).then_some(low)
}

fn index_of<T: Copy + Into<u64>>(table: &[T], value: u64) -> Option<u64> {
    let index = table.iter().position(|row| (*row).into() == value)?;
    Some(index as u64)
}

fn compact_basic(word: u128, field: &dyn Fn(u32, u32) -> u64, hw_gen: Gen) -> Option<u64> {
    let control = field(33, 31) << 16 | field(23, 12) << 4 | field(10, 9) << 2;
    let control = control | field(34, 34) << 1 | field(8, 8);
    let types = if hw_gen >= Gen::Gen11 {
        &DATA_TYPE_GEN11
    } else {
        &DATA_TYPE
    };
    let data_type = field(63, 61) << 18 | field(94, 89) << 12 | field(46, 35);
    let immediate = SOURCES.iter().any(|s| s.file.get(word) == 3);
    let mut sub = field(68, 64) << 5 | field(52, 48);
    if !immediate {
        sub |= field(100, 96) << 10;
    }
    let mut low = field(6, 0) | field(30, 30) << 7 | 1 << 29;
    low |= index_of(&CONTROL, control)? << 8;
    low |= index_of(types, data_type)? << 13;
    low |= index_of(&SUBREG, sub)? << 18;
    low |= field(28, 28) << 23 | field(27, 24) << 24;
    low |= index_of(&SOURCE, field(88, 77))? << 30;
    low |= field(60, 53) << 40 | field(76, 69) << 48;
    if immediate {
        low |= field(108, 104) << 35 | field(103, 96) << 56;
    } else {
        low |= index_of(&SOURCE, field(120, 109))? << 35 | field(108, 101) << 56;
    }
    Some(low)
}

fn compact_ternary(field: &dyn Fn(u32, u32) -> u64) -> Option<u64> {
    let control = field(36, 35) << 24 | field(34, 32) << 21 | field(28, 8);
    let source = field(126, 125) << 47 | field(105, 104) << 45 | field(84, 84) << 44;
    let source = source | field(83, 83) << 43 | field(114, 107) << 35 | field(93, 86) << 27;
    let source = source | field(72, 65) << 19 | field(55, 37);
    let mut low = field(6, 0) | 1 << 29;
    low |= index_of(&TERNARY_CONTROL, control)? << 8;
    low |= index_of(&TERNARY_SOURCE, source)? << 10;
    low |= field(62, 56) << 12 | field(64, 64) << 28 | field(30, 30) << 30;
    low |= field(31, 31) << 31 | field(85, 85) << 32 | field(106, 106) << 33;
    low |= field(75, 73) << 34 | field(96, 94) << 37 | field(117, 115) << 40;
    low |= field(82, 76) << 43 | field(103, 97) << 50 | field(124, 118) << 57;
    Some(low)
}

fn expand_ternary(low: u64, word: &mut u128) {
    let control = u64::from(TERNARY_CONTROL[bits(low, 9, 8) as usize]);
    or_bits(word, 35, bits(control, 25, 24));
    or_bits(word, 32, bits(control, 23, 21));
    or_bits(word, 8, bits(control, 20, 0));
    let source = TERNARY_SOURCE[bits(low, 11, 10) as usize];
    or_bits(word, 125, bits(source, 48, 47));
    or_bits(word, 104, bits(source, 46, 45));
    or_bits(word, 84, bits(source, 44, 44));
    or_bits(word, 83, bits(source, 43, 43));
    or_bits(word, 107, bits(source, 42, 35));
    or_bits(word, 86, bits(source, 34, 27));
    or_bits(word, 65, bits(source, 26, 19));
    or_bits(word, 37, bits(source, 18, 0));
    or_bits(word, 56, bits(low, 18, 12));
    or_bits(word, 64, bits(low, 28, 28));
    or_bits(word, 30, bits(low, 30, 30));
    or_bits(word, 31, bits(low, 31, 31));
    or_bits(word, 85, bits(low, 32, 32));
    or_bits(word, 106, bits(low, 33, 33));
    or_bits(word, 73, bits(low, 36, 34));
    or_bits(word, 94, bits(low, 39, 37));
    or_bits(word, 115, bits(low, 42, 40));
    or_bits(word, 76, bits(low, 49, 43));
    or_bits(word, 97, bits(low, 56, 50));
    or_bits(word, 118, bits(low, 63, 57));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::random_inst::Random;

    #[test]
    fn compaction_inverts_expansion() {
        let mut random = Random::new(3);
        let mut found = 0;
        for _ in 0..50_000 {
            let low = random.next() | 1 << 29;
            let Ok(word) = expand(low, Gen::Gen9) else {
                continue;
            };
            if let Some(again) = compact(word, Gen::Gen9) {
                assert_eq!(expand(again, Gen::Gen9), Ok(word));
                found += 1;
            }
        }
        assert!(found > 10_000, "{found}");
    }
}
