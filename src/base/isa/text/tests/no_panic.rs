//! Arbitrary text never causes a panic.

use crate::testing::random_inst::Random;
use crate::text::{assemble_kernel, disassemble_kernel};
use hw::Gen;

#[test]
fn assembling_random_text_does_not_panic() {
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
