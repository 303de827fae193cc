use super::*;

/// A 64-bit ELF file with program headers of these types.
fn elf(types: &[u32]) -> Vec<u8> {
    let mut bytes = b"\x7fELF\x02\x01\x01".to_vec();
    bytes.resize(64, 0);
    bytes[32] = 64;
    bytes[54] = 56;
    bytes[56] = types.len() as u8;
    for kind in types {
        bytes.extend_from_slice(&kind.to_le_bytes());
        bytes.resize(bytes.len() + 52, 0);
    }
    bytes
}

#[test]
fn only_elf_files_without_an_interpreter_are_statically_linked() {
    let path = std::env::temp_dir().join(format!("ingot-static-{}", std::process::id()));
    let linked = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        is_statically_linked(path.as_os_str())
    };
    // 1: PT_LOAD, 2: PT_DYNAMIC, which static programs that can be relocated have, too.
    assert!(linked(&elf(&[1, 1])) && linked(&elf(&[1, 2])));
    assert!(!linked(&elf(&[1, 3, 2])));
    assert!(!linked(b"#!/bin/sh\n") && !linked(&elf(&[1])[..66]));
    std::fs::remove_file(&path).unwrap();
    assert!(!is_statically_linked(path.as_os_str()));
    // Looked up in PATH.
    assert!(!is_statically_linked(OsStr::new("sh")));
}
