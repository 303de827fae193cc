//! Checks the invariants that hold after the pipeline (see the crate's documentation).
//!
//! In:  a shader after the pipeline.
//! Out: an error for the first instruction that violates an invariant.

use crate::pass::{Ctx, OptError};
use crate::passes::lower_image_formats::is_read_format;
use crate::passes::lower_int64::uses_int64;
use crate::passes::lower_soft_fp64::uses_fp64;
use entity::Id;
use nir::*;

/// Checks that the FS backend supports all instructions of a shader, on the part described by
/// `ctx`.
pub fn validate_lowered(s: &Shader, ctx: &Ctx) -> Result<(), OptError> {
    for b in s.block_order() {
        for &id in &s.blocks[b].instrs {
            let i = &s.instrs[id];
            if let Err(what) = check(s, i).and_then(|()| check_native_units(s, i, ctx)) {
                return Err(OptError::Unsupported(what));
            }
        }
    }
    Ok(())
}

fn check(s: &Shader, i: &Instr) -> Result<(), String> {
    match i {
        Instr::Deref(d) => Err(format!("a pointer that cannot be resolved ({:?})", d.mode)),
        Instr::Phi(p) if s.defs[p.def].num_components != 1 => Err("a phi of a vector".into()),
        Instr::Alu(a) => check_alu(s, a),
        Instr::Intrinsic(i) => check_intrinsic(s, i),
        Instr::Tex(t) => check_tex(t),
        _ => Ok(()),
    }
}

/// Checks that no instruction needs an execution unit that the part lacks.
fn check_native_units(s: &Shader, i: &Instr, ctx: &Ctx) -> Result<(), String> {
    let what = match i {
        Instr::Alu(a) => {
            let lacking = ctx.soft_fp64 && uses_fp64(s, i) || ctx.soft_int64 && uses_int64(s, i);
            lacking.then(|| a.op.info().name)
        }
        // The backend itself splits 64-bit integers in subgroup operations.
        Instr::Intrinsic(i) => {
            let double = |d: Id<Def>| s.defs[d].bit_size == 64;
            let op = i.op.index_of("reduction_op").and_then(|_| {
                let number = i.index("reduction_op") as usize;
                AluOp::ALL.get(number)
            });
            let of_floats = op.is_some_and(|op| op.info().out.base == BaseType::Float);
            let is_vote = i.op == IntrinsicOp::VoteFeq;
            let lacking = (of_floats || is_vote) && i.srcs.iter().any(|d| double(*d));
            (ctx.soft_fp64 && lacking).then(|| i.op.info().name)
        }
        _ => None,
    };
    match what {
        Some(name) => Err(format!(
            "{name} of 64 bits needs a unit that the part lacks"
        )),
        None => Ok(()),
    }
}

fn check_alu(s: &Shader, a: &Alu) -> Result<(), String> {
    use AluOp as Op;
    let def = s.defs[a.def];
    if a.op.is_vec() {
        return Ok(());
    }
    let name = a.op.info().name;
    if def.num_components != 1 && a.op != Op::Mov {
        return Err(format!("{name} of a vector"));
    }
    let bits = a
        .srcs
        .first()
        .map_or(def.bit_size, |x| s.defs[x.def].bit_size);
    if is_supported_alu(s, a, bits) {
        Ok(())
    } else {
        Err(format!("{name} of {bits} bits"))
    }
}

/// True if the backend supports an ALU operation whose first operand has `bits` bits.
fn is_supported_alu(s: &Shader, a: &Alu, bits: u8) -> bool {
    use AluOp as Op;
    match a.op {
        Op::Mov | Op::Bcsel => true,
        Op::FAdd
        | Op::FMul
        | Op::FFma
        | Op::FNeg
        | Op::FAbs
        | Op::FSat
        | Op::FMin
        | Op::FMax
        | Op::FLt
        | Op::FGe
        | Op::FEq
        | Op::FNeu
        | Op::IAdd
        | Op::IMul
        | Op::INeg
        | Op::IAbs
        | Op::IMin
        | Op::IMax
        | Op::UMin
        | Op::UMax
        | Op::ILt
        | Op::IGe
        | Op::ULt
        | Op::UGe
        | Op::IEq
        | Op::INe
        | Op::IAnd
        | Op::IOr
        | Op::IXor
        | Op::INot
        | Op::IShl
        | Op::IShr
        | Op::UShr => bits != 8,
        Op::FLrp => bits == 32,
        Op::FFloor | Op::FCeil | Op::FTrunc | Op::FFract | Op::FRoundEven => bits != 64,
        Op::FRcp
        | Op::FSqrt
        | Op::FRsq
        | Op::FExp2
        | Op::FLog2
        | Op::FSin
        | Op::FCos
        | Op::FPow => bits != 64,
        Op::IMulHigh
        | Op::UMulHigh
        | Op::IMul2x32_64
        | Op::UMul2x32_64
        | Op::IDiv
        | Op::UDiv
        | Op::IRem
        | Op::UMod
        | Op::BitfieldReverse
        | Op::BitCount
        | Op::FindLsb
        | Op::UClz
        | Op::UBfe
        | Op::IBfe
        | Op::Bfi
        | Op::Bfm => bits == 32,
        Op::ExtractU8 | Op::ExtractI8 | Op::ExtractU16 | Op::ExtractI16 => {
            s.const_of(a.srcs[1].def).is_some()
        }
        Op::B2I
        | Op::B2F
        | Op::I2I
        | Op::U2U
        | Op::I2F
        | Op::U2F
        | Op::F2I
        | Op::F2U
        | Op::F2F
        | Op::F2FRtz
        | Op::F2FRtne => true,
        Op::Pack64_2x32Split
        | Op::Unpack64_2x32SplitX
        | Op::Unpack64_2x32SplitY
        | Op::Pack32_2x16Split
        | Op::Unpack32_2x16SplitX
        | Op::Unpack32_2x16SplitY
        | Op::PackHalf2x16Split
        | Op::UnpackHalf2x16SplitX
        | Op::UnpackHalf2x16SplitY => true,
        _ => false,
    }
}

fn check_tex(t: &Tex) -> Result<(), String> {
    if t.texture_non_uniform || t.sampler_non_uniform || t.offset_non_uniform {
        return Err(format!("{} with non-uniform operands", t.op.info().name));
    }
    let fetch = matches!(t.op, TexOp::Txf | TexOp::TxfMs);
    for (kind, _) in &t.srcs {
        let lowered = match kind {
            TexSrc::TextureDeref | TexSrc::SamplerDeref | TexSrc::Projector => true,
            TexSrc::Offset => fetch,
            _ => false,
        };
        if lowered {
            return Err(format!("{} with {kind:?}", t.op.info().name));
        }
    }
    if t.op == TexOp::TxfMs && t.src(TexSrc::MsMcs).is_none() {
        return Err("txf_ms without MCS data".into());
    }
    match t.tg4_offsets {
        Some(_) => Err("tg4 with four offsets".into()),
        None => Ok(()),
    }
}

fn check_image(i: &Intrinsic) -> Result<(), String> {
    let name = i.op.info().name;
    let dim = Dim::from_index(i.index("image_dim"));
    if i.index("access") & Access::NON_UNIFORM != 0 {
        return Err(format!("{name} with non-uniform handles"));
    }
    match i.op {
        IntrinsicOp::BindlessImageLoad if !is_read_format(i.index("format")) => Err(format!(
            "{name} with a format that the data port cannot read"
        )),
        IntrinsicOp::BindlessImageSize if dim == Some(Dim::Cube) => {
            Err(format!("{name} of a cube"))
        }
        _ if dim == Some(Dim::SubpassData) => Err(format!("{name} of an input attachment")),
        _ => Ok(()),
    }
}

fn check_intrinsic(s: &Shader, i: &Intrinsic) -> Result<(), String> {
    use IntrinsicOp as Op;
    let name = i.op.info().name;
    if i.op.index_of("image_dim").is_some() {
        check_image(i)?;
    }
    let wide = |k: usize| i.srcs.get(k).is_some_and(|d| s.defs[*d].bit_size == 64);
    let value = match i.op {
        Op::SsboAtomic | Op::SsboAtomicSwap if wide(2) => {
            return Err(format!("{name} of 64 bits"));
        }
        Op::BindlessImageStore | Op::BindlessImageAtomic | Op::BindlessImageAtomicSwap
            if wide(3) =>
        {
            return Err(format!("{name} of 64 bits"));
        }
        Op::BindlessImageLoad if i.def.is_some_and(|d| s.defs[d].bit_size == 64) => {
            return Err(format!("{name} of 64 bits"));
        }
        Op::LoadUbo
        | Op::LoadSsbo
        | Op::LoadPushConstant
        | Op::LoadConstant
        | Op::LoadShared
        | Op::LoadScratch
        | Op::LoadGlobal
        | Op::LoadGlobalConstant => i.def,
        Op::StoreSsbo | Op::StoreShared | Op::StoreScratch | Op::StoreGlobal => Some(i.srcs[0]),
        Op::LoadDeref
        | Op::StoreDeref
        | Op::CopyDeref
        | Op::DerefAtomic
        | Op::DerefAtomicSwap
        | Op::DerefBufferArrayLength
        | Op::DerefAddress
        | Op::LoadLocalInvocationId
        | Op::LoadLocalInvocationIndex
        | Op::LoadNumSubgroups
        | Op::LoadSubgroupMask
        | Op::LoadVertexId
        | Op::LoadBaseVertex
        | Op::InterpDerefAtCentroid
        | Op::InterpDerefAtSample
        | Op::InterpDerefAtOffset
        | Op::ImageDerefLoad
        | Op::ImageDerefStore
        | Op::ImageDerefAtomic
        | Op::ImageDerefAtomicSwap
        | Op::ImageDerefSize
        | Op::ImageDerefSamples => return Err(name.into()),
        Op::LoadInput
        | Op::LoadPerVertexInput
        | Op::LoadInterpolatedInput
        | Op::LoadOutput
        | Op::LoadPerVertexOutput
        | Op::StoreOutput
        | Op::StorePerVertexOutput => {
            let d = s.defs[i.def.unwrap_or(i.srcs[0])];
            let end = i.index("component") + u32::from(d.num_components);
            return match end <= 4 && d.bit_size == 32 {
                true => Ok(()),
                false => Err(format!("{name} that exceeds its slot or is not of 32 bits")),
            };
        }
        _ => return Ok(()),
    };
    let Some(d) = value.map(|v| s.defs[v]) else {
        return Ok(());
    };
    let ok = match d.bit_size {
        32 => d.num_components <= 4,
        8 | 16 => d.num_components == 1,
        _ => false,
    };
    if ok {
        Ok(())
    } else {
        Err(format!(
            "{name} of {} x {} bits",
            d.num_components, d.bit_size
        ))
    }
}
