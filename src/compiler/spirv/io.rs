//! Inputs and outputs of a stage: slots, built-ins, and blocks, each member of which becomes a
//! variable.
//!
//! In:  a global variable of class Input or Output. Out: a pointer to a NIR variable, to a block's
//!      members, or to a system value.
//! Ref: Vulkan, "Shader Input and Output Interfaces", "Built-In Variables".

use crate::error::Result;
use crate::reader::Inst;
use crate::state::Translator;
use crate::types::Ty;
use crate::value::{AccessStep, Pointer, PointerBase, Value};
use entity::Id;
use nir::{Access, InterpLocation, InterpMode, IoVar, Slot, Stage, Type, Variable, VariableMode};
use smallvec::SmallVec;
use spirv::{BuiltIn, Decoration, StorageClass};
use std::rc::Rc;

/// Slot of a built-in that is an interface variable, with `compact` and `patch` set as needed;
/// `None` for system values.
fn builtin_slot(b: BuiltIn, stage: Stage, mode: VariableMode) -> Option<IoVar> {
    let input = mode == VariableMode::ShaderIn;
    let fragment_in = input && stage == Stage::Fragment;
    let mut io = IoVar::default();
    io.slot = match b {
        BuiltIn::Position => Slot::POS,
        BuiltIn::PointSize => Slot::PSIZ,
        BuiltIn::ClipDistance => Slot::CLIP_DIST0,
        BuiltIn::CullDistance => Slot::CULL_DIST0,
        BuiltIn::Layer => Slot::LAYER,
        BuiltIn::ViewportIndex => Slot::VIEWPORT,
        BuiltIn::PrimitiveId if fragment_in || !input => Slot::PRIMITIVE_ID,
        BuiltIn::TessLevelOuter => Slot::TESS_LEVEL_OUTER,
        BuiltIn::TessLevelInner => Slot::TESS_LEVEL_INNER,
        BuiltIn::FragDepth => Slot::FRAG_DEPTH,
        BuiltIn::FragStencilRefEXT => Slot::FRAG_STENCIL,
        BuiltIn::SampleMask if !input => Slot::FRAG_SAMPLE_MASK,
        _ => return None,
    };
    io.patch = matches!(b, BuiltIn::TessLevelOuter | BuiltIn::TessLevelInner);
    io.compact = io.patch || matches!(b, BuiltIn::ClipDistance | BuiltIn::CullDistance);
    if fragment_in
        && matches!(
            b,
            BuiltIn::Layer | BuiltIn::ViewportIndex | BuiltIn::PrimitiveId
        )
    {
        io.interp = InterpMode::Flat;
    }
    Some(io)
}

/// Decorations of an interface variable or block member.
#[derive(Clone, Copy, Default)]
struct IoDecorations {
    io: IoVar,
    location: Option<u32>,
    builtin: Option<BuiltIn>,
    access: Access,
    /// XfbBuffer: the transform feedback buffer.
    buffer: Option<u32>,
    /// XfbStride, in bytes.
    stride: Option<u32>,
    /// Offset: byte in the captured vertex.
    offset: Option<u32>,
}

impl Translator<'_> {
    fn io_decorations(&self, id: u32, member: Option<u32>, from: IoDecorations) -> IoDecorations {
        let mut d = from;
        for deco in self
            .module
            .decorations(id)
            .iter()
            .filter(|d| d.member == member)
        {
            let arg = deco.args.first().copied().unwrap_or(0);
            match deco.kind {
                Decoration::Location => d.location = Some(arg),
                Decoration::Component => d.io.component = arg.min(255) as u8,
                Decoration::Index => d.io.index = arg.min(255) as u8,
                Decoration::Stream => d.io.stream = arg.min(255) as u8,
                Decoration::XfbBuffer => d.buffer = Some(arg),
                Decoration::XfbStride => d.stride = Some(arg),
                Decoration::Offset => d.offset = Some(arg),
                Decoration::Flat => d.io.interp = InterpMode::Flat,
                Decoration::NoPerspective => d.io.interp = InterpMode::NoPerspective,
                Decoration::Centroid => d.io.sampling = InterpLocation::Centroid,
                Decoration::Sample => d.io.sampling = InterpLocation::Sample,
                Decoration::Patch => d.io.patch = true,
                Decoration::BuiltIn => d.builtin = BuiltIn::from_u32(arg),
                kind => crate::types::add_access(&mut d.access, kind),
            }
        }
        d
    }

    /// Translates a variable of class Input or Output.
    pub fn io_variable(&mut self, inst: &Inst, class: StorageClass, to: u32) -> Result<Value> {
        let mode = self.variable_mode(class, to)?;
        let stage = self.emit.shader.stage;
        let own = self.io_decorations(inst.id, None, IoDecorations::default());
        let pointer = |base, access| {
            Value::Pointer(Rc::new(Pointer {
                base,
                steps: SmallVec::new(),
                class,
                mode,
                to,
                access,
                align_bytes: 0,
            }))
        };
        if let Some(b) = own.builtin
            && mode == VariableMode::ShaderIn
            && builtin_slot(b, stage, mode).is_none()
        {
            if stage == Stage::Fragment && matches!(b, BuiltIn::SampleId | BuiltIn::SamplePosition)
            {
                self.emit.shader.info.fragment.sample_shading = true;
            }
            return Ok(pointer(PointerBase::BuiltIn(b), own.access));
        }
        if stage == Stage::Compute {
            return inst
                .loc
                .unsupported("an input or output of this stage that is not built in");
        }
        // A block or an array of blocks: an element per vertex, or an array that the shader
        // declares.
        let mut inner = to;
        let mut arrays: SmallVec<[u32; 2]> = SmallVec::new();
        while let Ty::Array { elem, len, .. } = &*self.ty(inner)? {
            arrays.push(len.unwrap_or(1));
            inner = *elem;
        }
        let block = matches!(&*self.ty(inner)?, Ty::Struct { .. })
            && self.module.has_decoration(inner, Decoration::Block);
        let value = if block {
            let vars = self.block_members(inst, mode, inner, &arrays, own)?;
            pointer(
                PointerBase::Block {
                    vars,
                    arrays: arrays.len() as u8,
                },
                own.access,
            )
        } else {
            let ty = self.nir_type(to, false)?;
            let mut own = own;
            own.io.signed = self.is_signed_16(to)?;
            let var = self.io_var(self.module.name(inst.id), mode, ty, own, None)?;
            pointer(PointerBase::Var(var), own.access)
        };
        if let Some(&init) = inst.args.get(1)
            && mode == VariableMode::ShaderOut
            && let Value::Pointer(p) = &value
        {
            let init = self.value(init)?;
            let p = p.clone();
            let was = self.emit.set_in_prologue(true);
            let stored = self.store(&p, &init, Access::default());
            self.emit.set_in_prologue(was);
            stored?;
        }
        Ok(value)
    }

    /// Whether the scalars of a type are signed integers of 16 bits. Vertex inputs and fragment
    /// outputs, for which it matters, have no members of different types.
    fn is_signed_16(&self, ty: u32) -> Result<bool> {
        let mut inner = ty;
        loop {
            inner = match &*self.ty(inner)? {
                Ty::Array { elem, .. } | Ty::Vector { elem, .. } => *elem,
                Ty::Int { bits: 16, signed } => return Ok(*signed),
                _ => return Ok(false),
            };
        }
    }

    /// Creates a variable for each member of a block; arrays if the block is an array.
    fn block_members(
        &mut self,
        inst: &Inst,
        mode: VariableMode,
        block: u32,
        arrays: &[u32],
        own: IoDecorations,
    ) -> Result<Rc<[Id<Variable>]>> {
        let Ty::Struct { members, .. } = &*self.ty(block)? else {
            return inst.loc.expected("a block", format!("%{block}"));
        };
        let name = self.module.name(inst.id);
        let mut location = own.location;
        let mut vars = Vec::with_capacity(members.len());
        for (k, &m) in members.iter().enumerate() {
            let from = IoDecorations {
                location,
                offset: None,
                ..own
            };
            let mut d = self.io_decorations(block, Some(k as u32), from);
            d.io.signed = self.is_signed_16(m)?;
            let mut ty = self.nir_type(m, false)?;
            // Members may be decorated `Patch`, too. The outermost array may be the per-vertex one.
            let per_vertex =
                self.emit.shader.is_per_vertex_mode(mode) && !own.io.patch && !d.io.patch;
            let elements = arrays
                .iter()
                .skip(usize::from(per_vertex))
                .fold(1u32, |n, len| n.saturating_mul(*len));
            // An array of blocks that the shader declares: the slots of a member in all elements
            // are consecutive, followed by the next member's. Both sides of the interface declare
            // the block alike, so they agree.
            if elements > 1 && d.builtin.is_none() && d.location != location {
                return inst
                    .loc
                    .unsupported("an array of blocks whose members have locations of their own");
            }
            let slots = self
                .emit
                .shader
                .types
                .count_slots(ty)
                .saturating_mul(elements);
            for &len in arrays.iter().rev() {
                ty = self.emit.shader.types.intern(Type::Array {
                    elem: ty,
                    len: Some(len),
                    stride_bytes: 0,
                });
            }
            if d.builtin.is_none() {
                location = d.location.map(|l| l.saturating_add(slots));
            } else {
                d.location = None;
            }
            let member = self
                .module
                .member_names
                .get(&(block, k as u32))
                .cloned()
                .unwrap_or_default();
            let full = match name.is_empty() || d.builtin.is_some() {
                true => member,
                false => format!("{name}.{member}"),
            };
            let blocks = (elements > 1).then_some(elements);
            vars.push(self.io_var(full, mode, ty, d, blocks)?);
        }
        Ok(vars.into())
    }

    fn io_var(
        &mut self,
        name: String,
        mode: VariableMode,
        ty: Id<Type>,
        d: IoDecorations,
        elements: Option<u32>,
    ) -> Result<Id<Variable>> {
        let stage = self.emit.shader.stage;
        let mut io = d.io;
        if let Some(b) = d.builtin {
            let Some(builtin) = builtin_slot(b, stage, mode) else {
                return self.loc().unsupported(format!("built-in {b:?} here"));
            };
            io.slot = builtin.slot;
            io.patch |= builtin.patch;
            io.compact = builtin.compact;
            if builtin.interp == InterpMode::Flat {
                io.interp = InterpMode::Flat;
            }
        } else {
            let Some(location) = d.location else {
                return self.loc().expected("a Location", "none");
            };
            let slot = match io.patch {
                true => Slot::patch(location),
                false => Slot::var(location),
            };
            let Some(slot) = slot else {
                return self
                    .loc()
                    .expected("a location that exists", location.to_string());
            };
            io.slot = slot;
            if io.component > 3 {
                return self
                    .loc()
                    .expected("a component below 4", io.component.to_string());
            }
        }
        if stage == Stage::Fragment
            && mode == VariableMode::ShaderIn
            && io.sampling == InterpLocation::Sample
        {
            self.emit.shader.info.fragment.sample_shading = true;
        }
        self.check_slots(mode, ty, io)?;
        if mode == VariableMode::ShaderOut {
            self.add_capture(ty, io, d, elements)?;
        }
        let var = self.emit.variable(name, mode, ty);
        let v = self.emit.var_mut(var);
        v.io = Some(io);
        v.access = d.access;
        Ok(var)
    }

    /// Records the dwords of an output that transform feedback captures. Each element of an array
    /// of blocks is captured to its own buffer.
    fn add_capture(
        &mut self,
        ty: Id<Type>,
        io: IoVar,
        d: IoDecorations,
        blocks: Option<u32>,
    ) -> Result<()> {
        if !self.captures {
            return Ok(());
        }
        let shader = &mut self.emit.shader;
        let capture = &mut shader.info.capture;
        let max = nir::CAPTURE_BUFFERS as u32;
        let count = blocks.unwrap_or(1);
        let last = |first: u32| first.saturating_add(count - 1) < max;
        if let (Some(buffer), Some(stride)) = (d.buffer.filter(|&b| last(b)), d.stride) {
            for place in capture
                .strides_bytes
                .iter_mut()
                .skip(buffer as usize)
                .take(count as usize)
            {
                *place = stride;
            }
        }
        let (Some(first), Some(offset)) = (d.buffer, d.offset) else {
            return Ok(());
        };
        if !last(first) || io.stream > 3 {
            return self
                .loc()
                .expected("one of four buffers and streams", "another");
        }
        let (mut elem, mut at) = (ty, io);
        if blocks.is_some()
            && let Some(Type::Array { elem: inner, .. }) = shader.types.get(ty)
        {
            elem = *inner;
        }
        let mut fits = true;
        for buffer in first..first + count {
            fits &= capture.add(&shader.types, elem, at, buffer as u8, offset);
            let slots = shader.types.count_slots(elem);
            at.slot = at.slot.plus(slots).unwrap_or(at.slot);
        }
        match fits {
            true => Ok(()),
            false => self
                .loc()
                .unsupported("transform feedback of so many components"),
        }
    }

    /// Rejects a per-vertex variable that is not an array, and a variable that exceeds the slots.
    fn check_slots(&self, mode: VariableMode, ty: Id<Type>, io: IoVar) -> Result<()> {
        let types = &self.emit.shader.types;
        let mut ty = ty;
        if self.emit.shader.is_per_vertex_mode(mode) && !io.patch {
            match types.get(ty) {
                Some(Type::Array { elem, .. }) => ty = *elem,
                _ => return self.loc().expected("an array of vertices", "another type"),
            }
        }
        let slots = match types.get(ty) {
            Some(Type::Array { len, .. }) if io.compact => {
                (u32::from(io.component).saturating_add(len.unwrap_or(1))).div_ceil(4)
            }
            _ if io.compact => return self.loc().expected("an array of scalars", "another type"),
            _ => types.count_slots(ty),
        };
        match io.slot.plus(slots.saturating_sub(1)) {
            Some(_) => Ok(()),
            None => self.loc().expected(
                "slots that exist",
                format!("{slots} from {}", io.slot.name()),
            ),
        }
    }

    /// Converts a pointer into a block to a pointer to the member's variable; `None` if `p` points
    /// to a whole block or array of blocks.
    pub fn resolve_block_member(&self, p: &Pointer) -> Result<Option<Pointer>> {
        let PointerBase::Block { vars, arrays } = &p.base else {
            return Ok(Some(p.clone()));
        };
        let at = usize::from(*arrays);
        let Some(step) = p.steps.get(at) else {
            return Ok(None);
        };
        let AccessStep::Struct(member) = *step else {
            return self.loc().expected("a member of the block", "another step");
        };
        let Some(&var) = vars.get(member as usize) else {
            return self.loc().expected("a member", member.to_string());
        };
        let mut steps = p.steps.clone();
        steps.remove(at);
        Ok(Some(Pointer {
            base: PointerBase::Var(var),
            steps,
            ..p.clone()
        }))
    }

    /// Pointers to the elements of the array, or members of the block, that `p` points to.
    pub fn block_parts(&mut self, p: &Pointer) -> Result<Vec<Pointer>> {
        let mut parts = Vec::new();
        match &*self.ty(p.to)? {
            Ty::Array {
                elem,
                len: Some(len),
                ..
            } => {
                for i in 0..*len {
                    let mut part = p.clone();
                    part.to = *elem;
                    part.steps.push(AccessStep::Array(self.emit.imm32(i)));
                    parts.push(part);
                }
            }
            Ty::Struct { members, .. } => {
                for (i, &m) in members.iter().enumerate() {
                    let mut part = p.clone();
                    part.to = m;
                    part.steps.push(AccessStep::Struct(i as u32));
                    parts.push(part);
                }
            }
            _ => return self.loc().expected("a block", format!("%{}", p.to)),
        }
        Ok(parts)
    }
}
