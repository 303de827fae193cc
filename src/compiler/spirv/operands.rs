//! The operands of an instruction, with their kinds, as the grammar describes them.
//!
//! In:  the grammar of an instruction and its words. Out: kind and first word of each operand,
//!      including the parameters of enumerants; the capabilities of enumerants.
//! Ref: the unified grammar, from crate `rspirv`.

use crate::grammar;
use crate::reader::string_len_words;
use rspirv::dr::Operand;
use rspirv::grammar::{Instruction, LogicalOperand, OperandKind as K, OperandQuantifier};
use smallvec::{SmallVec, smallvec};
use spirv::Op;

/// The enumerants in `word`: one of a value, one of each bit that is set in a mask. Empty for other
/// operands, and for enumerants that the grammar does not know.
pub(crate) fn enumerants(kind: K, word: u32) -> SmallVec<[Operand; 2]> {
    macro_rules! value {
        ($t:ident) => {
            spirv::$t::from_u32(word)
                .map(Operand::$t)
                .into_iter()
                .collect()
        };
    }
    macro_rules! mask {
        ($t:ident) => {
            (0..32)
                .filter(|bit| word >> bit & 1 != 0)
                .filter_map(|bit| spirv::$t::from_bits(1 << bit))
                .map(Operand::$t)
                .collect()
        };
    }
    match kind {
        K::ImageOperands => mask!(ImageOperands),
        K::FPFastMathMode => mask!(FPFastMathMode),
        K::SelectionControl => mask!(SelectionControl),
        K::LoopControl => mask!(LoopControl),
        K::FunctionControl => mask!(FunctionControl),
        K::MemorySemantics => mask!(MemorySemantics),
        K::MemoryAccess => mask!(MemoryAccess),
        K::KernelProfilingInfo => mask!(KernelProfilingInfo),
        K::RayFlags => mask!(RayFlags),
        K::FragmentShadingRate => mask!(FragmentShadingRate),
        K::RawAccessChainOperands => mask!(RawAccessChainOperands),
        K::CooperativeMatrixOperands => mask!(CooperativeMatrixOperands),
        K::TensorAddressingOperands => mask!(TensorAddressingOperands),
        K::TensorOperands => mask!(TensorOperands),
        K::SourceLanguage => value!(SourceLanguage),
        K::ExecutionModel => value!(ExecutionModel),
        K::AddressingModel => value!(AddressingModel),
        K::MemoryModel => value!(MemoryModel),
        K::ExecutionMode => value!(ExecutionMode),
        K::StorageClass => value!(StorageClass),
        K::Dim => value!(Dim),
        K::SamplerAddressingMode => value!(SamplerAddressingMode),
        K::SamplerFilterMode => value!(SamplerFilterMode),
        K::ImageFormat => value!(ImageFormat),
        K::FPRoundingMode => value!(FPRoundingMode),
        K::FPDenormMode => value!(FPDenormMode),
        K::FPOperationMode => value!(FPOperationMode),
        K::FPEncoding => value!(FPEncoding),
        K::LinkageType => value!(LinkageType),
        K::AccessQualifier => value!(AccessQualifier),
        K::FunctionParameterAttribute => value!(FunctionParameterAttribute),
        K::Decoration => value!(Decoration),
        K::BuiltIn => value!(BuiltIn),
        K::Scope => value!(Scope),
        K::GroupOperation => value!(GroupOperation),
        K::RayQueryIntersection => value!(RayQueryIntersection),
        K::PackedVectorFormat => value!(PackedVectorFormat),
        _ => SmallVec::new(),
    }
}

/// The operands in `words`, which follow the opcode word: kind and first word of each. Ends where
/// the words end. Literals whose size depends on a type, and the targets of a switch, which are
/// always last, are left out.
pub(crate) fn operands(info: &Instruction, words: &[u32]) -> Vec<(K, u32)> {
    let mut out = Vec::with_capacity(words.len());
    // The operands to read, the next one last.
    let mut pending: Vec<LogicalOperand> = info.operands.iter().rev().cloned().collect();
    let mut pos = 0;
    while let Some(operand) = pending.pop() {
        let rest = words.get(pos..).unwrap_or(&[]);
        let Some(&word) = rest.first() else { break };
        let kind = operand.kind;
        if operand.quantifier == OperandQuantifier::ZeroOrMore {
            pending.push(operand);
        }
        pos += match kind {
            K::LiteralString => string_len_words(rest).unwrap_or(rest.len()),
            K::LiteralContextDependentNumber | K::PairLiteralIntegerIdRef => break,
            K::PairIdRefIdRef => {
                out.extend(rest.iter().take(2).map(|&id| (K::IdRef, id)));
                2
            }
            K::PairIdRefLiteralInteger => {
                out.push((K::IdRef, word));
                2
            }
            K::LiteralSpecConstantOpInteger => {
                // The operands of the operation, without its result type and result.
                let operation = grammar::by_number(word);
                let operands = operation.map_or(&[][..], |o| o.operands);
                let own = |o: &&LogicalOperand| {
                    !matches!(
                        o.kind,
                        K::IdResultType | K::IdResult | K::LiteralSpecConstantOpInteger
                    )
                };
                pending.extend(operands.iter().rev().filter(own).cloned());
                out.push((kind, word));
                1
            }
            _ => {
                let found = enumerants(kind, word);
                let parameters: SmallVec<[LogicalOperand; 4]> = found
                    .iter()
                    .flat_map(Operand::additional_operands)
                    .collect();
                pending.extend(parameters.into_iter().rev());
                out.push((kind, word));
                1
            }
        };
    }
    out
}

/// The capabilities that an instruction needs, one of each list, with the operand that needs it:
/// `None` for the instruction itself.
pub(crate) fn requirements(
    info: &Instruction,
    operands: &[(K, u32)],
) -> Vec<(Option<String>, SmallVec<[spirv::Capability; 4]>)> {
    let mut out = vec![(None, info.capabilities.iter().copied().collect())];
    for &(kind, word) in operands {
        if kind == K::LiteralSpecConstantOpInteger
            && let Some(operation) = grammar::by_number(word)
        {
            let needs = operation.capabilities.iter().copied().collect();
            out.push((Some(operation.opname.to_owned()), needs));
        }
        for found in enumerants(kind, word) {
            let needs = found.required_capabilities().into();
            out.push((Some(format!("{kind:?} {found}")), needs));
        }
    }
    // What the specification says in prose: an image type with multisampling and Sampled 2, which
    // is no subpass input, needs StorageImageMultisample ("Capability").
    let literals = |i: usize| operands.get(i).map(|o| o.1);
    if info.opcode == Op::TypeImage
        && literals(2) != Some(spirv::Dim::DimSubpassData as u32)
        && literals(5) == Some(1)
        && literals(6) == Some(2)
    {
        let needs = smallvec![spirv::Capability::StorageImageMultisample];
        out.push((Some("a multisampled storage image".to_owned()), needs));
    }
    out.retain(|(_, needs)| !needs.is_empty());
    out
}
