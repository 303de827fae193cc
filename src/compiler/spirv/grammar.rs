//! The grammar tables: operand lists by opcode and by name.
//!
//! Ref: "SPIR-V Specification", the unified grammar, from crate `rspirv`.

use rspirv::grammar::{INSTRUCTION_TABLE, Instruction};
use rustc_hash::FxHashMap;
use std::sync::OnceLock;

/// Opcodes below this number (the core ones) are looked up by index, others by hash.
const DENSE: usize = 512;

struct Table {
    dense: Vec<Option<&'static Instruction<'static>>>,
    sparse: FxHashMap<u32, &'static Instruction<'static>>,
    names: FxHashMap<&'static str, &'static Instruction<'static>>,
}

fn table() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut t = Table {
            dense: vec![None; DENSE],
            sparse: FxHashMap::default(),
            names: FxHashMap::default(),
        };
        for inst in INSTRUCTION_TABLE.iter() {
            let number = inst.opcode as u32;
            match t.dense.get_mut(number as usize) {
                Some(slot) => *slot = Some(inst),
                None => {
                    t.sparse.insert(number, inst);
                }
            }
            t.names.insert(inst.opname, inst);
        }
        t
    })
}

/// The grammar of the instruction with this number.
pub(crate) fn by_number(opcode: u32) -> Option<&'static Instruction<'static>> {
    let t = table();
    match t.dense.get(opcode as usize) {
        Some(slot) => *slot,
        None => t.sparse.get(&opcode).copied(),
    }
}

/// The grammar of the instruction with this name, without "Op".
pub(crate) fn by_name(name: &str) -> Option<&'static Instruction<'static>> {
    table().names.get(name).copied()
}
