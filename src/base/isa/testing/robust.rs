//! Bytes and text of any kind are answered, never with a panic.

use super::random::Random;
use crate::{assemble_kernel, check, decode, disassemble, disassemble_kernel, encode};
use hw::Gen;

#[test]
fn no_bytes_make_decoding_panic() {
    let mut random = Random::new(1);
    for _ in 0..100_000 {
        let word = u128::from(random.next()) | u128::from(random.next()) << 64;
        if let Ok((inst, _)) = decode(&word.to_le_bytes(), Gen::Gen9) {
            // What was decoded can be encoded, but for combinations that only garbage has.
            let _ = encode(&inst, Gen::Gen9);
            let _ = disassemble(&inst);
            let _ = check(&inst, Gen::Gen9);
        }
    }
    assert!(decode(&[0; 7], Gen::Gen9).is_err());
    assert!(decode(&[1; 15], Gen::Gen9).is_err());
}

#[test]
fn what_decodes_and_encodes_stays_the_same() {
    let mut random = Random::new(2);
    let mut same = 0;
    for _ in 0..100_000 {
        let word = u128::from(random.next()) | u128::from(random.next()) << 64;
        // Only the long form has 16 bytes to compare.
        let word = word & !(1 << 29);
        let Ok((inst, _)) = decode(&word.to_le_bytes(), Gen::Gen9) else {
            continue;
        };
        let Ok(bytes) = encode(&inst, Gen::Gen9) else {
            continue;
        };
        // Bits without a meaning may be lost once, and never again.
        let again = decode(&bytes, Gen::Gen9).expect("our own encoding");
        assert_eq!(encode(&again.0, Gen::Gen9), Ok(bytes), "{word:032x}");
        same += 1;
    }
    assert!(same > 1000, "{same}");
}

#[test]
fn compacted_forms_come_back() {
    let mut random = Random::new(3);
    let mut found = 0;
    for _ in 0..50_000 {
        let low = random.next() | 1 << 29;
        let Ok(word) = crate::compact::expand(low, Gen::Gen9) else {
            continue;
        };
        if let Some(again) = crate::compact::compact(word, Gen::Gen9) {
            assert_eq!(crate::compact::expand(again, Gen::Gen9), Ok(word));
            found += 1;
        }
    }
    assert!(found > 10_000, "{found}");
}

#[test]
fn no_text_makes_the_assembler_panic() {
    const PIECES: &[&str] = &[
        "mov",
        "add",
        "(8|M0)",
        "(W)",
        "(f0.0)",
        "r1.0",
        "<8;8,1>",
        ":f",
        ":ud",
        "1.5",
        "-",
        "0x",
        "send",
        "if",
        "goto",
        "L0",
        ":",
        "{",
        "}",
        "Compacted",
        "EOT",
        ",",
        "(lt)",
        "f1.1",
        "\n",
        "//",
        "/*",
        "*/",
        "é",
        " ",
        " ",
        "acc0",
        "null",
        "a0.2",
        "r[a0.0,5]",
        "<1>",
        "math.inv",
        "mad",
        "qnan(0x1)",
        ".xyzw",
        "(abs)",
        "(sat)",
        "jmpi",
        "call",
        "wait",
        "n0.0",
        "99999999999",
    ];
    let mut random = Random::new(4);
    for _ in 0..20_000 {
        let mut text = String::new();
        for _ in 0..random.below(14) {
            text += PIECES[random.below(PIECES.len())];
            if random.chance(2) {
                text.push(' ');
            }
        }
        if let Ok(code) = assemble_kernel(&text, Gen::Gen9) {
            let again = disassemble_kernel(&code, Gen::Gen9);
            assert!(again.is_ok(), "{text}: {again:?}");
        }
    }
}
