//! Any words: an error, or NIR that the validator accepts. Seeds: `seeds.sh`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use spirv_front::{Module, Options};

fuzz_target!(|data: &[u8]| {
    let words: Vec<u32> = data
        .chunks_exact(4)
        .map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]]))
        .collect();
    let Ok(module) = Module::parse(&words) else {
        return;
    };
    let names: Vec<String> = module.entry_points().map(|e| e.0.to_owned()).collect();
    for name in names.iter().take(2) {
        let options = Options {
            entry_point: name,
            specialization: &[(0, 3), (1, 0)],
            ..Options::default()
        };
        if let Ok(shader) = module.to_nir(&options) {
            nir::validate(&shader).unwrap();
        }
    }
});
