//! Any bytes, as code and as text: no panic, and what decodes and encodes once does so for ever
//! with the same bits.
#![no_main]

use hw::Gen;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let mut at = 0;
    while let Some(rest) = data.get(at..).filter(|rest| rest.len() >= 8) {
        let Ok((inst, length)) = isa::decode(rest, Gen::Gen9) else {
            at += 8;
            continue;
        };
        at += length;
        // Text and verdict exist for whatever decodes.
        let text = isa::disassemble(&inst);
        let _ = isa::check(&inst, Gen::Gen9);
        let Ok(bytes) = isa::encode(&inst, Gen::Gen9) else {
            continue;
        };
        // Bits without a meaning may be lost once, and never again.
        let (again, _) = isa::decode(&bytes, Gen::Gen9).expect("our own encoding");
        assert_eq!(
            isa::encode(&again, Gen::Gen9).as_ref(),
            Ok(&bytes),
            "{inst:?}"
        );
        // The checker does not know every operand that is nonsense, so what is read back may be
        // refused or differ.
        let _ = isa::assemble(&text, Gen::Gen9);
    }
    let _ = isa::disassemble_kernel(data, Gen::Gen9);
    if let Ok(text) = std::str::from_utf8(data) {
        let _ = isa::assemble_kernel(text, Gen::Gen9);
    }
});
