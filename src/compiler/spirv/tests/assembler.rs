//! Operands whose number depends on the ones before them: as the assembler writes them, and as the
//! check of capabilities reads them.

use crate::asm::assemble;
use crate::grammar;
use crate::operands::operands;
use rspirv::grammar::OperandKind as K;
use spirv::Op;

/// The words of the last instruction, without its opcode word.
fn last_operands(text: &str, words: usize) -> Vec<u32> {
    let module = assemble(text, (1, 6)).unwrap();
    module[module.len() - words..].to_vec()
}

#[test]
fn memory_access_masks_have_their_own_parameters() {
    // Two masks of one instruction: neither reads the other as its parameter. The ids are 1 and 2.
    let copy =
        |masks: &str, words| last_operands(&format!("OpCopyMemory %to %from {masks}"), words);
    assert_eq!(copy("Aligned 4 Aligned 8", 6), [1, 2, 2, 4, 2, 8]);
    assert_eq!(copy("Volatile Aligned 8", 5), [1, 2, 1, 2, 8]);
    let both = "Aligned|MakePointerVisible|NonPrivatePointer 16 %scope";
    assert_eq!(copy(both, 5), [1, 2, 2 | 16 | 32, 16, 3]);
}

#[test]
fn operands_behind_a_string_are_found() {
    let name = u32::from_le_bytes(*b"main");
    let info = grammar::by_number(Op::EntryPoint as u32).unwrap();
    let found = operands(info, &[5, 4, name, name, 0, 7, 8]);
    let expected = [
        (K::ExecutionModel, 5),
        (K::IdRef, 4),
        (K::IdRef, 7),
        (K::IdRef, 8),
    ];
    assert_eq!(found, expected);
}
