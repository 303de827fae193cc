//! The validator of the IR.
//!
//! In:  any shader that `parse` or a pass can build, however invalid.
//! Out: the first rule that is violated, and where. Never panics: ids are checked before anything
//!      is indexed.
//!
//! Rules:
//! 1. Every id refers to an element of its arena; blocks, ifs, loops and instructions are in lists
//!    at most once; a def refers to the instruction that defines it.
//! 2. A list begins and ends with a block and alternates blocks with ifs and loops.
//! 3. Phis come first in a block, a jump only last; `break` and `continue` are inside a loop.
//! 4. Operands and results have the components and bits that the tables demand.
//! 5. The condition of an `if` is one boolean.
//! 6. A value dominates its uses; a phi has one value for each predecessor, which dominates the
//!    predecessor's end. Operands in unreachable blocks only have to exist.
//! 7. A variable has a slot if and only if its mode is shader_in or shader_out; all its slots
//!    exist, and its component is at most 3.
//! 8. A `tex` has a texture, the operands that its operation requires, and a sampler if and only if
//!    it needs one; components of operands and result match the dimension, as do those of an image
//!    intrinsic's coordinate and size.
//! 9. An intrinsic is used only in stages in which it is defined.

use crate::cfg::Cfg;
use crate::fold;
use crate::intrinsic::{IntrinsicOp, ValueShape};
use crate::ir::*;
use crate::op::{BaseType, SizeRule};
use crate::shader::{CfEvent, ListRef};
use crate::tex::{Dim, IMAGE_FORMATS, TexOp, TexSrc};
use crate::types::{Type, VariableMode};
use entity::{Id, IdMap, IdSet};

/// A violated rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{location}: {message}")]
pub struct ValidateError {
    /// Instruction, block or construct.
    pub location: String,
    /// The violation.
    pub message: String,
}

type Result<T = ()> = std::result::Result<T, ValidateError>;

fn violation<T>(location: impl Into<String>, message: impl Into<String>) -> Result<T> {
    Err(ValidateError {
        location: location.into(),
        message: message.into(),
    })
}

/// Checks a shader. Returns the first violation found.
pub fn validate(s: &Shader) -> Result {
    check_types(s)?;
    check_lists(s)?;
    let layout = s.layout();
    let positions = check_positions(s, &layout)?;
    let mut depth = 0u32;
    for event in &layout {
        match *event {
            CfEvent::Loop(_) => depth += 1,
            CfEvent::EndLoop(_) => depth -= 1,
            CfEvent::If(i) => {
                let Some(d) = s.defs.get(s.ifs[i].cond) else {
                    return violation(format!("if #{}", i.index()), "the condition does not exist");
                };
                if (d.num_components, d.bit_size) != (1, 1) {
                    return violation(
                        format!("if %{}", s.ifs[i].cond.index()),
                        "the condition must be one boolean",
                    );
                }
            }
            CfEvent::Block(b) => check_block(s, b, depth)?,
            _ => {}
        }
    }
    check_ssa(s, &positions)
}

fn check_types(s: &Shader) -> Result {
    let known = |id: Id<Type>, below: Id<Type>| s.types.get(id).is_some() && id < below;
    for (id, ty) in s.types.iter() {
        let ok = match ty {
            Type::Bool | Type::Int(8 | 16 | 32 | 64) | Type::Float(16 | 32 | 64) => true,
            Type::Int(_) | Type::Float(_) => false,
            Type::Vector { elem, len } => {
                known(*elem, id)
                    && (2..=16).contains(len)
                    && matches!(s.types[*elem], Type::Bool | Type::Int(_) | Type::Float(_))
            }
            Type::Matrix { column, .. } => {
                known(*column, id) && matches!(s.types[*column], Type::Vector { .. })
            }
            Type::Array { elem, .. } => known(*elem, id),
            Type::Struct { members, .. } => members.iter().all(|m| known(m.ty, id)),
            Type::Image {
                bits, base, format, ..
            } => {
                matches!(bits, 32 | 64)
                    && matches!(base, BaseType::Int | BaseType::Uint | BaseType::Float)
                    && (*format as usize) < IMAGE_FORMATS.len()
            }
            Type::Sampler => true,
            Type::SampledImage(image) => {
                known(*image, id) && matches!(s.types[*image], Type::Image { storage: false, .. })
            }
            // Only pointers may refer to a later type: linked lists do.
            Type::Pointer { to, .. } => s.types.get(*to).is_some(),
        };
        if !ok {
            return violation(
                format!("type t{}", id.index()),
                "invalid element or member type",
            );
        }
    }
    for (id, v) in s.vars.iter() {
        if s.types.get(v.ty).is_none() {
            return violation(format!("v{}", id.index()), "its type does not exist");
        }
        if let Err(message) = check_io_var(s, v) {
            return violation(format!("v{}", id.index()), message);
        }
    }
    Ok(())
}

/// Rule 7.
fn check_io_var(s: &Shader, v: &Variable) -> std::result::Result<(), String> {
    let wanted = matches!(v.mode, VariableMode::ShaderIn | VariableMode::ShaderOut);
    let Some(io) = v.io else {
        return match wanted {
            true => Err("an input or output has no location".into()),
            false => Ok(()),
        };
    };
    if !wanted {
        return Err("only an input or output has a location".into());
    }
    let mut ty = v.ty;
    if s.is_per_vertex(v) {
        match s.types[ty] {
            Type::Array { elem, .. } => ty = elem,
            _ => {
                return Err("must be an array, because it is per vertex in this stage".into());
            }
        }
    }
    let slots = match &s.types[ty] {
        Type::Array { len, .. } if io.compact => {
            (u32::from(io.component) + len.unwrap_or(1)).div_ceil(4)
        }
        _ if io.compact => return Err("only an array can be compact".into()),
        _ => s.types.count_slots(ty),
    };
    if io.component > 3 || io.slot.plus(slots.saturating_sub(1)).is_none() {
        return Err("the slots are out of range".into());
    }
    Ok(())
}

/// Rules 1 and 2 for lists. A shader that passes has a finite layout order, so that
/// `Shader::layout` terminates.
fn check_lists(s: &Shader) -> Result {
    let (mut ifs, mut loops, mut blocks) = (IdSet::new(), IdSet::new(), IdSet::new());
    let mut work = vec![ListRef::Body];
    while let Some(list) = work.pop() {
        let location = format!("{list:?}");
        let nodes = s.list(list);
        if nodes.len().is_multiple_of(2) {
            return violation(location, "must begin and end with a block");
        }
        for (k, node) in nodes.iter().enumerate() {
            if matches!(node, CfNode::Block(_)) != (k % 2 == 0) {
                return violation(location, "blocks must alternate with ifs and loops");
            }
            let fresh = match *node {
                CfNode::Block(b) => s.blocks.get(b).is_some() && blocks.insert(b),
                CfNode::If(i) => {
                    work.extend([ListRef::Then(i), ListRef::Else(i)]);
                    s.ifs.get(i).is_some() && ifs.insert(i)
                }
                CfNode::Loop(l) => {
                    work.push(ListRef::Loop(l));
                    s.loops.get(l).is_some() && loops.insert(l)
                }
            };
            if !fresh {
                return violation(
                    location,
                    format!("{node:?} does not exist or appears twice"),
                );
            }
        }
    }
    Ok(())
}

fn instr_name(s: &Shader, id: Id<Instr>) -> String {
    match s.instrs.get(id).and_then(Instr::def) {
        Some(d) => format!("%{}", d.index()),
        None => match s.instrs.get(id) {
            Some(Instr::Intrinsic(i)) => format!("{} (#{})", i.op.info().name, id.index()),
            _ => format!("instruction #{}", id.index()),
        },
    }
}

/// The block of each instruction and its position in the block; `None` for instructions in no
/// block.
type InstrPositions = IdMap<Instr, Option<(Id<Block>, u32)>>;

/// Rule 1 for instructions.
fn check_positions(s: &Shader, layout: &[CfEvent]) -> Result<InstrPositions> {
    let mut positions: InstrPositions = IdMap::for_arena(&s.instrs, None);
    for event in layout {
        let CfEvent::Block(b) = *event else { continue };
        for (k, &id) in s.blocks[b].instrs.iter().enumerate() {
            let Some(instr) = s.instrs.get(id) else {
                return violation(
                    format!("b{}", b.index()),
                    "contains an instruction that does not exist",
                );
            };
            if positions[id].is_some() {
                return violation(instr_name(s, id), "appears twice");
            }
            positions[id] = Some((b, k as u32));
            if let Some(def) = instr.def() {
                match s.defs.get(def) {
                    Some(d) if d.instr == id => {}
                    _ => {
                        return violation(
                            instr_name(s, id),
                            "its def belongs to another instruction",
                        );
                    }
                }
                let d = s.defs[def];
                if !matches!(d.bit_size, 1 | 8 | 16 | 32 | 64)
                    || !(1..=MAX_COMPONENTS as u8).contains(&d.num_components)
                {
                    return violation(instr_name(s, id), "invalid components or bits");
                }
            }
            let mut missing = None;
            instr.for_each_src(|d| {
                if s.defs
                    .get(d)
                    .is_none_or(|d| s.instrs.get(d.instr).is_none())
                {
                    missing = Some(d);
                }
            });
            if let Some(d) = missing {
                return violation(instr_name(s, id), format!("%{} does not exist", d.index()));
            }
            if let Instr::Phi(p) = instr
                && p.srcs.iter().any(|(b, _)| s.blocks.get(*b).is_none())
            {
                return violation(instr_name(s, id), "refers to a block that does not exist");
            }
        }
    }
    Ok(positions)
}

fn check_block(s: &Shader, b: Id<Block>, loop_depth: u32) -> Result {
    let instrs = &s.blocks[b].instrs;
    let mut phis = true;
    for (k, &id) in instrs.iter().enumerate() {
        let instr = &s.instrs[id];
        match instr {
            Instr::Phi(_) if !phis => return violation(instr_name(s, id), "phis must come first"),
            Instr::Jump(j) => {
                if k + 1 != instrs.len() {
                    return violation(format!("b{}", b.index()), "a jump must come last");
                }
                if *j != Jump::Return && loop_depth == 0 {
                    return violation(
                        format!("b{}", b.index()),
                        "break or continue outside a loop",
                    );
                }
            }
            _ => {}
        }
        phis &= matches!(instr, Instr::Phi(_));
        if let Err(message) = check_shapes(s, instr) {
            return violation(instr_name(s, id), message);
        }
    }
    Ok(())
}

/// Rules 4, 8 and 9. All ids of the instruction are known to exist, except variables and types.
fn check_shapes(s: &Shader, instr: &Instr) -> std::result::Result<(), String> {
    match instr {
        Instr::Alu(a) => check_alu(s, a),
        Instr::Const { def, values } => {
            let d = s.defs[*def];
            if values.len() != usize::from(d.num_components) {
                return Err(format!("has {} values", values.len()));
            }
            if values.iter().any(|v| v & !fold::mask(d.bit_size) != 0) {
                return Err("a value does not fit its bits".into());
            }
            Ok(())
        }
        Instr::Intrinsic(i) => check_intrinsic(s, i),
        Instr::Tex(t) => check_tex(s, t),
        Instr::Phi(p) => {
            let d = s.defs[p.def];
            for (_, v) in &p.srcs {
                let v = s.defs[*v];
                if (v.num_components, v.bit_size) != (d.num_components, d.bit_size) {
                    return Err("an operand has a different shape".into());
                }
            }
            Ok(())
        }
        Instr::Deref(d) => check_deref(s, d),
        Instr::Undef { .. } | Instr::Jump(_) => Ok(()),
    }
}

fn check_alu(s: &Shader, a: &Alu) -> std::result::Result<(), String> {
    let info = a.op.info();
    let def = s.defs[a.def];
    if a.srcs.len() != info.srcs.len() {
        return Err(format!("{} takes {} operands", info.name, info.srcs.len()));
    }
    if info.out_components != 0 && def.num_components != info.out_components {
        return Err(format!(
            "the result of {} must have {} components",
            info.name, info.out_components
        ));
    }
    if !info.out.admits(def.bit_size) {
        return Err(format!(
            "the result of {} cannot have {} bits",
            info.name, def.bit_size
        ));
    }
    let mut same = (info.out.size == SizeRule::Same).then_some(def.bit_size);
    for (i, (src, rule)) in a.srcs.iter().zip(info.srcs).enumerate() {
        let d = s.defs[src.def];
        if !rule.ty.admits(d.bit_size) {
            return Err(format!("operand {i} cannot have {} bits", d.bit_size));
        }
        if rule.ty.size == SizeRule::Same && *same.get_or_insert(d.bit_size) != d.bit_size {
            return Err(format!(
                "operand {i} has {} bits, unlike the others",
                d.bit_size
            ));
        }
        let used = usize::from(a.src_components(i, def.num_components));
        if src.swizzle[..used].iter().any(|c| *c >= d.num_components) {
            return Err(format!("operand {i} has no such component"));
        }
    }
    Ok(())
}

fn check_intrinsic(s: &Shader, i: &Intrinsic) -> std::result::Result<(), String> {
    let info = i.op.info();
    let fits = |shape: ValueShape, d: Def| {
        (shape.components == 0 || shape.components == d.num_components)
            && (shape.bits == 0 || shape.bits == d.bit_size)
    };
    if i.srcs.len() != info.srcs.len() || i.indices.len() != info.indices.len() {
        return Err(format!(
            "{} takes {} operands and {} indices",
            info.name,
            info.srcs.len(),
            info.indices.len()
        ));
    }
    for (k, (src, shape)) in i.srcs.iter().zip(info.srcs).enumerate() {
        if !fits(*shape, s.defs[*src]) {
            return Err(format!("operand {k} has the wrong shape"));
        }
    }
    match (info.def, i.def) {
        (None, None) => {}
        (Some(shape), Some(d)) => {
            if !fits(shape, s.defs[d]) {
                return Err("the result has the wrong shape".into());
            }
        }
        (Some(_), None) => return Err(format!("{} needs a result", info.name)),
        (None, Some(_)) => return Err(format!("{} has no result", info.name)),
    }
    check_stage(s, i)?;
    check_image(s, i)?;
    use IntrinsicOp as Op;
    let value = match i.op {
        Op::StoreDeref => Some(i.srcs[1]),
        _ if i.op.index_of("write_mask").is_some() => Some(i.srcs[0]),
        _ => None,
    };
    if let Some(v) = value
        && u64::from(i.index("write_mask")) >> s.defs[v].num_components != 0
    {
        return Err("write_mask has bits for components that the value does not have".into());
    }
    let mul = i.index("align_mul");
    if i.op.index_of("align_mul").is_some()
        && (!mul.is_power_of_two() || i.index("align_offset") >= mul)
    {
        return Err("align_mul must be a power of two above align_offset".into());
    }
    Ok(())
}

/// Rule 9.
fn check_stage(s: &Shader, i: &Intrinsic) -> std::result::Result<(), String> {
    use IntrinsicOp as Op;
    use Stage::*;
    let stages: &[Stage] = match i.op {
        Op::LoadVertexId
        | Op::LoadVertexIdZeroBase
        | Op::LoadFirstVertex
        | Op::LoadBaseVertex
        | Op::LoadInstanceId
        | Op::LoadBaseInstance
        | Op::LoadDrawId => &[Vertex],
        Op::LoadInvocationId => &[TessControl, Geometry],
        Op::LoadPatchVerticesIn => &[TessControl, TessEval],
        Op::LoadTessCoord => &[TessEval],
        Op::LoadPrimitiveId => &[TessControl, TessEval, Geometry],
        Op::LoadPerVertexInput => &[TessControl, TessEval, Geometry],
        Op::LoadOutput | Op::LoadPerVertexOutput | Op::StorePerVertexOutput => &[TessControl],
        Op::EmitVertex | Op::EndPrimitive => &[Geometry],
        Op::LoadFragCoord
        | Op::LoadPixelCoord
        | Op::LoadFrontFace
        | Op::LoadSampleId
        | Op::LoadSamplePos
        | Op::LoadSampleMaskIn
        | Op::LoadCoverageSamples
        | Op::LoadHelperInvocation
        | Op::LoadPointCoord
        | Op::LoadLayerId
        | Op::LoadInterpolatedInput
        | Op::LoadBarycentricPixel
        | Op::LoadBarycentricCentroid
        | Op::LoadBarycentricSample
        | Op::LoadBarycentricAtSample
        | Op::LoadBarycentricAtOffset
        | Op::InterpDerefAtCentroid
        | Op::InterpDerefAtSample
        | Op::InterpDerefAtOffset
        | Op::Demote
        | Op::DemoteIf => &[Fragment],
        Op::LoadInput => &[Vertex, TessEval, Fragment],
        Op::StoreOutput => &[Vertex, TessControl, TessEval, Geometry, Fragment],
        _ => return Ok(()),
    };
    if stages.contains(&s.stage) {
        Ok(())
    } else {
        Err(format!("{} is not defined in this stage", i.op.info().name))
    }
}

/// Rule 8 for image intrinsics.
fn check_image(s: &Shader, i: &Intrinsic) -> std::result::Result<(), String> {
    use IntrinsicOp as Op;
    if i.op.index_of("image_dim").is_none() {
        return Ok(());
    }
    let Some(dim) = Dim::from_index(i.index("image_dim")) else {
        return Err("invalid dimension".into());
    };
    let array = i.index("image_array") != 0;
    if i.index("format") as usize >= IMAGE_FORMATS.len() {
        return Err("invalid format".into());
    }
    let components = |d: Id<Def>| s.defs[d].num_components;
    match i.op {
        Op::ImageDerefSize | Op::BindlessImageSize => {
            let wanted = dim.size_components() + u8::from(array);
            if i.def.is_some_and(|d| components(d) != wanted) {
                return Err(format!("the size must have {wanted} components"));
            }
        }
        Op::ImageDerefSamples | Op::BindlessImageSamples => {}
        _ => {
            let wanted = dim.image_components(array);
            if components(i.srcs[1]) != wanted {
                return Err(format!("the coordinate must have {wanted} components"));
            }
        }
    }
    Ok(())
}

/// Rule 8 for `tex`.
fn check_tex(s: &Shader, t: &Tex) -> std::result::Result<(), String> {
    let info = t.op.info();
    for (k, (kind, _)) in t.srcs.iter().enumerate() {
        if t.srcs[..k].iter().any(|x| x.0 == *kind) {
            return Err(format!("{kind:?} appears twice"));
        }
    }
    for need in info.needs {
        if t.src(*need).is_none() {
            return Err(format!("{} needs {need:?}", info.name));
        }
    }
    let has =
        |a: TexSrc, b: TexSrc| usize::from(t.src(a).is_some()) + usize::from(t.src(b).is_some());
    if has(TexSrc::TextureDeref, TexSrc::TextureHandle) != 1 {
        return Err(format!("{} needs exactly one texture", info.name));
    }
    if has(TexSrc::SamplerDeref, TexSrc::SamplerHandle) != usize::from(t.op.needs_sampler()) {
        let sampler = if t.op.needs_sampler() {
            "needs exactly one sampler"
        } else {
            "takes no sampler"
        };
        return Err(format!("{} {sampler}", info.name));
    }
    if t.shadow && !t.op.is_query() && t.src(TexSrc::Comparator).is_none() {
        return Err("a comparison needs a reference".into());
    }
    if t.component > 3 || (t.component != 0 && t.op != TexOp::Tg4) {
        return Err("only tg4 has a component".into());
    }
    if t.tg4_offsets.is_some() && t.op != TexOp::Tg4 {
        return Err("only tg4 has offsets".into());
    }
    let wanted = t.result_components();
    if s.defs[t.def].num_components != wanted {
        return Err(format!(
            "the result of {} must have {wanted} components",
            info.name
        ));
    }
    for &(kind, d) in &t.srcs {
        let shape = s.defs[d];
        let components = match kind {
            TexSrc::Coord => t.coord_components(),
            TexSrc::Offset | TexSrc::Ddx | TexSrc::Ddy => t.dim.offset_components(),
            TexSrc::MsMcs => 2,
            _ => 1,
        };
        let bits = match kind {
            TexSrc::Coord
            | TexSrc::Projector
            | TexSrc::Comparator
            | TexSrc::Bias
            | TexSrc::Lod
            | TexSrc::MinLod
            | TexSrc::Ddx
            | TexSrc::Ddy => &[16, 32][..],
            _ => &[32][..],
        };
        if shape.num_components != components || !bits.contains(&shape.bit_size) {
            return Err(format!("{kind:?} has the wrong shape"));
        }
    }
    Ok(())
}

fn check_deref(s: &Shader, d: &Deref) -> std::result::Result<(), String> {
    if s.types.get(d.ty).is_none() {
        return Err("its type does not exist".into());
    }
    let shape = s.defs[d.def];
    if shape.num_components != 1 || !matches!(shape.bit_size, 32 | 64) {
        return Err("a pointer must be one component of 32 or 64 bits".into());
    }
    let parent = |p: Id<Def>| match s.instr_of(p) {
        Instr::Deref(d) => s.types.get(d.ty).ok_or("the parent's type does not exist"),
        _ => Err("the parent is not a deref"),
    };
    let index = |i: Id<Def>| match s.defs[i] {
        Def {
            num_components: 1,
            bit_size: 32 | 64,
            ..
        } => Ok(()),
        _ => Err("the index must be an integer scalar"),
    };
    match d.kind {
        DerefKind::Var(v) => match s.vars.get(v) {
            None => return Err("the variable does not exist".into()),
            Some(v) if v.mode != d.mode || v.ty != d.ty => {
                return Err("mode or type differs from the variable's".into());
            }
            _ => {}
        },
        DerefKind::Array {
            parent: p,
            index: i,
        } => {
            index(i)?;
            match *parent(p)? {
                Type::Array { elem, .. } | Type::Vector { elem, .. } if elem == d.ty => {}
                Type::Matrix { column, .. } if column == d.ty => {}
                _ => return Err("the parent is not an array of this type".into()),
            }
        }
        DerefKind::PtrAsArray {
            parent: p,
            index: i,
            ..
        } => {
            index(i)?;
            parent(p)?;
        }
        DerefKind::Struct { parent: p, member } => match parent(p)? {
            Type::Struct { members, .. }
                if members.get(member as usize).is_some_and(|m| m.ty == d.ty) => {}
            _ => return Err("the parent has no such member of this type".into()),
        },
        DerefKind::Cast { .. } => {}
    }
    Ok(())
}

/// Rule 6.
fn check_ssa(s: &Shader, positions: &InstrPositions) -> Result {
    let cfg = Cfg::new(s);
    for &b in &cfg.order {
        if !cfg[b].reachable {
            continue;
        }
        for (k, &id) in s.blocks[b].instrs.iter().enumerate() {
            let instr = &s.instrs[id];
            if let Instr::Phi(p) = instr {
                let preds = &cfg[b].preds;
                let known = |x: &Id<Block>| cfg[*x].reachable;
                let wanted = preds.iter().filter(|x| known(x)).count();
                let found = p.srcs.iter().filter(|(x, _)| known(x)).count();
                if wanted != found {
                    return violation(
                        instr_name(s, id),
                        format!("has {found} values for {wanted} predecessors"),
                    );
                }
                for (n, (from, v)) in p.srcs.iter().enumerate() {
                    if !preds.contains(from) || p.srcs[..n].iter().any(|x| x.0 == *from) {
                        return violation(
                            instr_name(s, id),
                            format!("b{} is not a predecessor, or appears twice", from.index()),
                        );
                    }
                    let ok = !known(from)
                        || positions[s.defs[*v].instr]
                            .is_some_and(|(d, _)| cfg.dominates(d, *from));
                    if !ok {
                        return violation(
                            instr_name(s, id),
                            format!(
                                "%{} does not dominate the end of b{}",
                                v.index(),
                                from.index()
                            ),
                        );
                    }
                }
                continue;
            }
            let mut wrong = None;
            instr.for_each_src(|d| {
                let ok = positions[s.defs[d].instr].is_some_and(|(from, at)| {
                    if from == b {
                        (at as usize) < k
                    } else {
                        cfg.dominates(from, b)
                    }
                });
                if !ok {
                    wrong = Some(d);
                }
            });
            if let Some(d) = wrong {
                return violation(
                    instr_name(s, id),
                    format!("%{} does not dominate this use", d.index()),
                );
            }
        }
    }
    for (b, i) in conditions(s) {
        let cond = s.ifs[i].cond;
        let ok = !cfg[b].reachable
            || positions[s.defs[cond].instr].is_some_and(|(d, _)| cfg.dominates(d, b));
        if !ok {
            return violation(
                format!("if %{}", cond.index()),
                "the condition does not dominate the if",
            );
        }
    }
    Ok(())
}

/// Each `if` with the block before it.
fn conditions(s: &Shader) -> Vec<(Id<Block>, Id<If>)> {
    let layout = s.layout();
    layout
        .windows(2)
        .filter_map(|w| match *w {
            [CfEvent::Block(b), CfEvent::If(i)] => Some((b, i)),
            _ => None,
        })
        .collect()
}
