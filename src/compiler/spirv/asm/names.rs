//! Names of enumerants.

use crate::grammar::newer_enumerant;
use bitflags::Flags;
use rspirv::grammar::OperandKind as K;
use std::str::FromStr;

/// The value of the enumerant or mask `word` of an operand kind.
pub(super) fn enumerant(kind: K, word: &str) -> Option<u32> {
    if let Some(number) = newer_enumerant(kind, word) {
        return Some(number);
    }
    macro_rules! e {
        ($t:ident) => {
            enumerant_number::<spirv::$t>(word, |v| v as u32)
        };
    }
    Some(match kind {
        K::SourceLanguage => e!(SourceLanguage)?,
        K::ExecutionModel => e!(ExecutionModel)?,
        K::AddressingModel => e!(AddressingModel)?,
        K::MemoryModel => e!(MemoryModel)?,
        K::ExecutionMode => e!(ExecutionMode)?,
        K::StorageClass => e!(StorageClass)?,
        K::Dim => enumerant_number::<spirv::Dim>(&format!("Dim{word}"), |v| v as u32)?,
        K::SamplerAddressingMode => e!(SamplerAddressingMode)?,
        K::SamplerFilterMode => e!(SamplerFilterMode)?,
        K::ImageFormat => e!(ImageFormat)?,
        K::ImageChannelOrder => e!(ImageChannelOrder)?,
        K::ImageChannelDataType => e!(ImageChannelDataType)?,
        K::FPRoundingMode => e!(FPRoundingMode)?,
        K::LinkageType => e!(LinkageType)?,
        K::AccessQualifier => e!(AccessQualifier)?,
        K::FunctionParameterAttribute => e!(FunctionParameterAttribute)?,
        K::Decoration => e!(Decoration)?,
        K::BuiltIn => e!(BuiltIn)?,
        K::Scope => e!(Scope)?,
        K::GroupOperation => e!(GroupOperation)?,
        K::Capability => e!(Capability)?,
        K::PackedVectorFormat => e!(PackedVectorFormat)?,
        K::RayQueryIntersection => e!(RayQueryIntersection)?,
        K::ImageOperands => mask::<spirv::ImageOperands>(word)?,
        K::FPFastMathMode => mask::<spirv::FPFastMathMode>(word)?,
        K::SelectionControl => mask::<spirv::SelectionControl>(word)?,
        K::LoopControl => mask::<spirv::LoopControl>(word)?,
        K::FunctionControl => mask::<spirv::FunctionControl>(word)?,
        K::MemorySemantics => mask::<spirv::MemorySemantics>(word)?,
        K::MemoryAccess => mask::<spirv::MemoryAccess>(word)?,
        K::RayFlags => mask::<spirv::RayFlags>(word)?,
        K::KernelProfilingInfo => mask::<spirv::KernelProfilingInfo>(word)?,
        _ => return None,
    })
}

/// A mask of flag names joined by `|`. Crate `spirv` has MAKE_POINTER_VISIBLE for the assembly's
/// MakePointerVisible.
fn mask<T: Flags<Bits = u32>>(word: &str) -> Option<u32> {
    let mut value = 0;
    for name in word.split('|') {
        let wanted = name.to_ascii_uppercase();
        let flag = T::FLAGS
            .iter()
            .find(|f| f.name().replace('_', "") == wanted)?;
        value |= flag.value().bits();
    }
    Some(value)
}

/// The number of the enumerant `name`; `None` if there is none.
fn enumerant_number<T: FromStr + Copy>(name: &str, number: fn(T) -> u32) -> Option<u32> {
    T::from_str(name).ok().map(number)
}
