//! The grammar tables: operand lists by opcode and by name.
//!
//! Instructions and enumerants that are newer than crate `rspirv` have tables here.
//!
//! Ref: "SPIR-V Specification", the unified grammar, from crate `rspirv`; SPV_KHR_constant_data.

use rspirv::grammar::{
    INSTRUCTION_TABLE, Instruction, LogicalOperand, OperandKind, OperandQuantifier,
};
use rustc_hash::FxHashMap;
use spirv::Op;
use std::sync::OnceLock;

/// An instruction that is newer than the crates' definitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NewerOp {
    /// OpConstantDataKHR.
    ConstantData,
    /// OpSpecConstantDataKHR.
    SpecConstantData,
}

impl NewerOp {
    const ALL: [NewerOp; 2] = [NewerOp::ConstantData, NewerOp::SpecConstantData];

    /// Its opcode.
    const fn number(self) -> u32 {
        match self {
            NewerOp::ConstantData => 5147,
            NewerOp::SpecConstantData => 5148,
        }
    }

    /// Its grammar, whose opcode is that of OpUndef: an instruction with a type, a result, and no
    /// operands that are ids.
    fn grammar(self) -> &'static Instruction<'static> {
        match self {
            NewerOp::ConstantData => &CONSTANT_DATA,
            NewerOp::SpecConstantData => &SPEC_CONSTANT_DATA,
        }
    }

    /// The instruction with this opcode.
    pub(crate) fn by_number(opcode: u32) -> Option<NewerOp> {
        Self::ALL.into_iter().find(|op| op.number() == opcode)
    }
}

const DATA_OPERANDS: &[LogicalOperand] = &[
    LogicalOperand {
        kind: OperandKind::IdResultType,
        quantifier: OperandQuantifier::One,
    },
    LogicalOperand {
        kind: OperandKind::IdResult,
        quantifier: OperandQuantifier::One,
    },
    LogicalOperand {
        kind: OperandKind::LiteralInteger,
        quantifier: OperandQuantifier::ZeroOrMore,
    },
];

const fn constant_data(opname: &'static str) -> Instruction<'static> {
    Instruction {
        opname,
        opcode: Op::Undef,
        capabilities: &[],
        extensions: &[],
        operands: DATA_OPERANDS,
    }
}

static CONSTANT_DATA: Instruction<'static> = constant_data("ConstantDataKHR");
static SPEC_CONSTANT_DATA: Instruction<'static> = constant_data("SpecConstantDataKHR");

/// The number of a capability or decoration that is newer than the crates' definitions.
pub(crate) fn newer_enumerant(kind: OperandKind, name: &str) -> Option<u32> {
    match (kind, name) {
        (OperandKind::Capability, "ConstantDataKHR") => Some(5146),
        (OperandKind::Decoration, "UTFEncodedKHR") => Some(5145),
        _ => None,
    }
}

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
        None => match t.sparse.get(&opcode) {
            Some(info) => Some(info),
            None => NewerOp::by_number(opcode).map(NewerOp::grammar),
        },
    }
}

/// The opcode and the grammar of the instruction with this name, without "Op".
pub(crate) fn by_name(name: &str) -> Option<(u32, &'static Instruction<'static>)> {
    let known = table().names.get(name).copied();
    known.map(|info| (info.opcode as u32, info)).or_else(|| {
        let mut newer = NewerOp::ALL.into_iter();
        let op = newer.find(|op| op.grammar().opname == name)?;
        Some((op.number(), op.grammar()))
    })
}
