//! Machine code assembled by `iga64 -p=9` (IGA 1.1.0) is decoded and encoded to the same bytes;
//! random bytes cause no panic.

use crate::check::check;
use crate::decode::decode;
use crate::encode::encode;
use crate::inst::{Addr, Desc, RegFile};
use crate::opcode::Opcode;
use crate::testing::random_inst::Random;
use crate::text::disassemble;
use crate::types::Type;
use hw::Gen;

/// Text, and the four dwords of machine code.
const VECTORS: &[(&str, [u32; 4])] = &[
    (
        "mov (8|M0) r1.0<1>:ud 0x5:ud",
        [0x0060_0001, 0x2020_0608, 0, 5],
    ),
    (
        "mov (16|M0) r1.0<1>:f r3.0<8;8,1>:f",
        [0x0080_0001, 0x2020_3ae8, 0x008d_0060, 0],
    ),
    (
        "(W) add (1|M0) r1.0<1>:d r2.0<0;1,0>:d -3:w",
        [0x40, 0x2020_0a2c, 0x1e00_0040, 0xfffd_fffd],
    ),
    (
        "(f0.0) sel (8|M8) r10.0<1>:f r11.0<8;8,1>:f -r12.0<8;8,1>:f",
        [0x0061_1002, 0x2140_3ae8, 0x3a8d_0160, 0x008d_4180],
    ),
    (
        "cmp (16|M0) (lt)f0.0 null<1>:d r2.0<8;8,1>:d r3.0<8;8,1>:d",
        [0x0580_0010, 0x2000_0a20, 0x0a8d_0040, 0x008d_0060],
    ),
    (
        "mad (8|M0) r10.0<1>:f r11.0<2;1>:f r12.0<2;1>:f r13.0<1>:f",
        [0x0060_015b, 0x0a1e_0000, 0x3900_b1c8, 0x0347_2018],
    ),
    (
        "math.inv (8|M0) r1.0<1>:f r2.0<8;8,1>:f",
        [0x0160_0038, 0x2020_3ae8, 0x008d_0040, 0],
    ),
    (
        "(f0.0) if (16|M0) 32 32",
        [0x0081_0022, 0x2000_0e00, 0x20, 0x20],
    ),
    (
        "endif (16|M0) 16",
        [0x0080_0025, 0x2000_0000, 0x0e00_0000, 0x10],
    ),
    (
        "while (16|M0) 0",
        [0x0080_0027, 0x2000_0000, 0x0e00_0000, 0],
    ),
    (
        "(W) jmpi -32",
        [0x20, 0x3400_0004, 0x0e00_1400, 0xffff_ffd0],
    ),
    ("wait n0.0", [0x30, 0x3200_0000, 0x1200, 0]),
    (
        "send (8|M0) r1:w r2 0xC 0x02106E00",
        [0x0c60_0031, 0x2020_0268, 0x0600_0040, 0x0210_6e00],
    ),
    (
        "(W) send (8|M0) null r127 0x27 0x02000010 {EOT}",
        [0x0760_0031, 0x2000_0204, 0x0600_0fe0, 0x8200_0010],
    ),
    (
        "sends (8|M0) null:w r2 r5 0x8C 0x04026E00",
        [0x0c60_0033, 0x5070, 0x42, 0x0402_6e00],
    ),
    (
        "sends (8|M0) null:w r2 r5 a0.2 0x04026E00",
        [0x0060_0033, 0x2000_5070, 0x0002_0040, 0x0402_6e00],
    ),
    (
        "send (8|M0) r1:w r2 0xC a0.0",
        [0x0c60_0031, 0x2020_0268, 0x40, 0x200],
    ),
    (
        "mov (8|M0) r1.0<1>:f r[a0.0]<8;8,1>:f",
        [0x0060_0001, 0x2020_3ae8, 0x008d_8000, 0],
    ),
    (
        "mov (1|M0) r1.0<1>:df 1.5:df",
        [1, 0x2020_56c8, 0, 0x3ff8_0000],
    ),
    (
        "(f1.1.any8h) mov (8|M0) r1.0<1>:ud 0x5:ud",
        [0x0068_0001, 0x2020_060b, 0, 5],
    ),
    (
        "(~f0.0.all16h) mov (16|M0) r1.0<1>:ud 0x5:ud",
        [0x009b_0001, 0x2020_0608, 0, 5],
    ),
    (
        "add (8|M0) (sat)r1.0<1>:f (abs)r2.0<8;8,1>:f -(abs)r3.0<8;8,1>:f",
        [0x8060_0040, 0x2020_3ae8, 0x3a8d_2040, 0x008d_6060],
    ),
    (
        "and (8|M0) (ne)f1.0 r1.0<1>:ud ~r2.0<8;8,1>:ud r3.0<8;8,1>:ud",
        [0x0260_0005, 0x2020_020a, 0x028d_4040, 0x008d_0060],
    ),
    (
        "mov (8|M0) r1.0<1>:w 0x12345678:v",
        [0x0060_0001, 0x2020_3668, 0, 0x1234_5678],
    ),
    (
        "mov (8|M0) acc0.0<1>:f r2.0<8;8,1>:f {AccWrEn}",
        [0x1060_0001, 0x2400_3ae0, 0x008d_0040, 0],
    ),
    (
        "mul (8|M0) r1.0<1>:ud acc0.0<8;8,1>:ud r3.0<16;8,2>:uw {NoDDClr,NoDDChk}",
        [0x0060_0641, 0x2020_0008, 0x128d_0400, 0x00ae_0060],
    ),
    (
        "mov (8|M0) r1.1<2>:uw r2.3<8;4,2>:uw {Atomic}",
        [0x0060_4001, 0x4022_1248, 0x008a_0046, 0],
    ),
    (
        "csel (8|M0) (lt)f0.0 r1.0<1>:f r2.0<2;1>:f r3.0<2;1>:f r4.0<1>:f",
        [0x0560_0112, 0x011e_0000, 0x3900_21c8, 0x0107_2006],
    ),
    (
        "mad (16|M16) (sat)r10.0<1>:df -r11.0<2;1>:df (abs)r12.0<2;1>:df r13.2<0>:df",
        [0x8080_215b, 0x0a1e_d8c0, 0x3900_b1c8, 0x0362_2018],
    ),
    (
        "mov (8|M0) r[a0.0,32]<1>:ud r1.0<8;8,1>:ud",
        [0x0060_0001, 0xa020_0208, 0x008d_0020, 0],
    ),
    (
        "mov (16|M0) r1.0<1>:ud r[a0.0,16]<8,1>:ud",
        [0x0080_0001, 0x2020_0208, 0x01ed_8010, 0],
    ),
    (
        "call (8|M0) r5.0 32",
        [0x0060_002c, 0x20a0_0028, 0x0e45_0000, 0x20],
    ),
    (
        "ret (8|M0) r5.0",
        [0x0060_002d, 0x2000_0a00, 0x0045_00a0, 0],
    ),
    ("brd (8|M0) -32", [0x0060_0021, 0x3400_0e20, 0, 0xffff_ffe0]),
    (
        "goto (8|M0) -64 -48",
        [0x0060_002e, 0x2000_0e00, 0xffff_ffd0, 0xffff_ffc0],
    ),
    ("nop", [0x7e, 0, 0, 0]),
];

fn bytes(dwords: [u32; 4]) -> Vec<u8> {
    dwords.iter().flat_map(|d| d.to_le_bytes()).collect()
}

#[test]
fn vectors_round_trip_through_decoding_and_encoding() {
    for (text, dwords) in VECTORS {
        let bytes = bytes(*dwords);
        let (inst, len) = decode(&bytes, Gen::Gen9).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!(len, 16);
        let again = encode(&inst, Gen::Gen9).unwrap_or_else(|e| panic!("{text}: {e}"));
        let word = |b: &[u8]| u128::from_le_bytes(b.try_into().expect("16 bytes"));
        assert_eq!(
            word(&again),
            word(&bytes),
            "{text}: {:x} for {:x}",
            word(&again),
            word(&bytes)
        );
    }
}

#[test]
fn decoded_fields_match_the_text() {
    let inst = |i: usize| decode(&bytes(VECTORS[i].1), Gen::Gen9).unwrap().0;
    let sel = inst(3);
    assert_eq!((sel.op, sel.exec_size, sel.chan_off), (Opcode::Sel, 8, 8));
    assert!(sel.src[1].negate && sel.pred.is_some());
    let sends = inst(15);
    assert_eq!(sends.send.unwrap().ex_desc, Desc::A0(4));
    assert_eq!(sends.dst.file, RegFile::Arf);
    let jmpi = inst(10);
    assert_eq!(jmpi.jip, -32);
    let mad = inst(28);
    assert_eq!(mad.src[2].ty, Type::Df);
    assert_eq!(
        mad.src[2].addr,
        Addr::Direct {
            nr: 13,
            sub_bytes: 16
        }
    );
    // A 64-bit scalar is replicated by its swizzle of dwords, not by RepCtrl.
    assert_eq!((mad.src[2].rep_ctrl, mad.src[2].swizzle), (false, 0x44));
    assert!(mad.src[1].abs && mad.src[0].negate && mad.saturate);
}

#[test]
fn decoding_random_bytes_does_not_panic() {
    let mut random = Random::new(1);
    for _ in 0..100_000 {
        let word = u128::from(random.next()) | u128::from(random.next()) << 64;
        if let Ok((inst, _)) = decode(&word.to_le_bytes(), Gen::Gen9) {
            // Decoded garbage may have combinations that cannot be encoded.
            let _ = encode(&inst, Gen::Gen9);
            let _ = disassemble(&inst);
            let _ = check(&inst, Gen::Gen9);
        }
    }
    assert!(decode(&[0; 7], Gen::Gen9).is_err());
    assert!(decode(&[1; 15], Gen::Gen9).is_err());
}

#[test]
fn encoding_of_a_decoded_instruction_is_stable() {
    let mut random = Random::new(2);
    let mut same = 0;
    for _ in 0..100_000 {
        let word = u128::from(random.next()) | u128::from(random.next()) << 64;
        // Clear the compaction bit: only the uncompacted form has 16 bytes to compare.
        let word = word & !(1 << 29);
        let Ok((inst, _)) = decode(&word.to_le_bytes(), Gen::Gen9) else {
            continue;
        };
        let Ok(bytes) = encode(&inst, Gen::Gen9) else {
            continue;
        };
        // The first encoding may drop meaningless bits, a second one must not change anything.
        let again = decode(&bytes, Gen::Gen9).expect("our own encoding");
        assert_eq!(encode(&again.0, Gen::Gen9), Ok(bytes), "{word:032x}");
        same += 1;
    }
    assert!(same > 1000, "{same}");
}
