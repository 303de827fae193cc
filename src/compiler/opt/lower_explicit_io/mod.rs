//! Turns pointers into handles, offsets and addresses.
//!
//! In:  loads, stores and atomics through derefs of buffers, push constants, shared memory, physical
//!      storage buffers, and of the local variables that `lower_vars_to_ssa` left.
//! Out: `load_ssbo` and its like, with byte offsets and what is known of their alignment. No derefs of
//!      those modes. Constant, shared and scratch variables are laid out; booleans in memory are 32 bits, 0 or 1.
//!
//! A pointer that goes through a phi or `bcsel` (variable pointers) becomes a pair of values there, and lies in a variable as
//! one: handle, then offset. A pointer that nothing has made (null, undefined) is a handle without an offset.
//! Ref: SPIR-V "Universal Validation Rules", variable pointers; Vulkan spec, "Shader Resource Interface".
//! Tests: tests/opt/lower_explicit_io/.

mod access;

use crate::pass::Ctx;
use entity::{Id, IdMap};
use nir::*;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A lowered pointer.
#[derive(Clone, Copy, Debug)]
struct Addr {
    mode: Mode,
    /// Buffer handle, or 64-bit base address.
    base: Option<Id<Def>>,
    /// Dynamic part of the offset in bytes.
    offset: Option<Id<Def>>,
    /// Constant part.
    constant: u32,
    /// The whole offset is `align_offset` modulo `align_mul`.
    align_mul: u32,
    align_offset: u32,
    /// Bytes between the components of the vector pointed to, if not just behind one another (a column of a row-major matrix).
    component_stride: Option<u32>,
    /// Elements of the descriptor array still to be indexed, innermost first: pointer to an array of resources.
    resource: Option<(Id<Variable>, Option<Id<Def>>)>,
}

impl Addr {
    /// A pointer of which no alignment is known: what it is aligned to, a cast further on tells.
    fn unaligned(mode: Mode, base: Option<Id<Def>>, offset: Option<Id<Def>>) -> Addr {
        Addr {
            mode,
            base,
            offset,
            constant: 0,
            align_mul: 1,
            align_offset: 0,
            component_stride: None,
            resource: None,
        }
    }
}

/// A phi of pointers, and the phis of its parts.
struct PointerPhi {
    pointer: Id<Instr>,
    mode: Mode,
    handle: Option<Id<Instr>>,
    offset: Id<Instr>,
}

struct Lower<'s> {
    s: &'s mut Shader,
    addr: IdMap<Def, Option<Addr>>,
    /// Where values that are pointers point, but no addresses.
    modes: IdMap<Def, Option<Mode>>,
    natural: IdMap<Type, (u32, u32)>,
    phis: Vec<PointerPhi>,
}

fn lowers(mode: Mode) -> bool {
    !matches!(mode, Mode::ShaderIn | Mode::ShaderOut | Mode::Uniform)
}

fn is_temp(mode: Mode) -> bool {
    matches!(mode, Mode::FunctionTemp | Mode::ShaderTemp)
}

/// Modes in which a variable is laid out by us and not by the shader.
fn is_ours(s: &Shader, mode: Mode) -> bool {
    is_temp(mode) || mode == Mode::Constant || mode == Mode::Shared && !s.info.shared_blocks
}

/// Entry point.
pub fn lower_explicit_io(s: &mut Shader, _: &Ctx) -> bool {
    let order = s.block_order();
    let any = order.iter().any(|b| {
        s.blocks[*b].instrs.iter().any(|i| match &s.instrs[*i] {
            Instr::Deref(d) => lowers(d.mode),
            _ => false,
        })
    });
    if !any {
        return false;
    }
    let natural = s.types.natural_sizes();
    lay_out(s, &natural, &order);
    let mut l = Lower {
        addr: IdMap::for_arena(&s.defs, None),
        modes: pointer_modes(s, &order),
        natural,
        s,
        phis: Vec::new(),
    };
    for b in order {
        l.block(b);
    }
    l.finish_phis();
    true
}

/// Where each value points that is a pointer: derefs, what is cast to one, and what phis and choices make of them.
fn pointer_modes(s: &Shader, order: &[Id<Block>]) -> IdMap<Def, Option<Mode>> {
    let mut modes = IdMap::for_arena(&s.defs, None);
    let mut joins: Vec<SmallVec<[Id<Def>; 4]>> = Vec::new();
    for id in order.iter().flat_map(|b| &s.blocks[*b].instrs) {
        match &s.instrs[*id] {
            Instr::Deref(d) if lowers(d.mode) && d.mode != Mode::Global => {
                modes[d.def] = Some(d.mode);
                if let DerefKind::Cast { parent, .. } = d.kind {
                    modes[parent] = Some(d.mode);
                }
            }
            Instr::Phi(p) => joins.push(p.srcs.iter().map(|x| x.1).chain([p.def]).collect()),
            Instr::Alu(a) => match a.op {
                AluOp::Bcsel => {
                    joins.push(SmallVec::from_slice(&[a.srcs[1].def, a.srcs[2].def, a.def]));
                }
                AluOp::Mov => joins.push(SmallVec::from_slice(&[a.srcs[0].def, a.def])),
                _ => {}
            },
            _ => {}
        }
    }
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for join in &joins {
            let Some(mode) = join.iter().find_map(|d| modes[*d]) else {
                continue;
            };
            for &d in join {
                changed |= modes[d].is_none();
                modes[d] = Some(mode);
            }
        }
    }
    modes
}

/// Gives each constant, shared and scratch variable that is still used its place. Constants that are the same share theirs.
fn lay_out(s: &mut Shader, natural: &IdMap<Type, (u32, u32)>, order: &[Id<Block>]) {
    let mut used = entity::IdSet::new();
    for b in order {
        for i in &s.blocks[*b].instrs {
            if let Instr::Deref(d) = &s.instrs[*i]
                && let DerefKind::Var(v) = d.kind
            {
                used.insert(v);
            }
        }
    }
    let mut inits = Vec::new();
    let mut constant_bytes = 0;
    let mut constants = FxHashMap::default();
    for (id, v) in s.vars.iter_mut() {
        if !used.contains(id) || v.offset_bytes.is_some() {
            continue;
        }
        let (size, align) = natural[v.ty];
        let end = match v.mode {
            Mode::Constant => {
                if let Some(&at) = constants.get(&(v.ty, v.init.clone())) {
                    v.offset_bytes = Some(at);
                    continue;
                }
                &mut constant_bytes
            }
            Mode::Shared => &mut s.info.shared_bytes,
            Mode::FunctionTemp | Mode::ShaderTemp => &mut s.info.scratch_bytes,
            _ => continue,
        };
        let at = end.next_multiple_of(align.max(4));
        v.offset_bytes = Some(at);
        *end = at.saturating_add(size);
        if v.mode == Mode::Constant {
            constants.insert((v.ty, v.init.clone()), at);
        }
        if is_temp(v.mode) && v.init.is_some() {
            inits.push(id);
        }
    }
    let Some(&entry) = order.first() else { return };
    // Initial values of what stays in memory are stored where the shader begins.
    let rest = std::mem::take(&mut s.blocks[entry].instrs);
    let mut b = Builder::at_end_of_block(s, entry);
    for id in inits {
        store_initial(&mut b, id);
    }
    s.blocks[entry].instrs.extend(rest);
}

fn store_initial(b: &mut Builder<'_>, var: Id<Variable>) {
    let Some(init) = b.shader.vars[var].init.clone() else {
        return;
    };
    let root = b.deref_var(var);
    let mut work = vec![(root, &init)];
    while let Some((ptr, init)) = work.pop() {
        match init {
            ConstValue::Vector(v) => {
                let Some((_, bits)) = b
                    .shader
                    .deref_of(ptr)
                    .and_then(|d| b.shader.types.value_shape(d.ty))
                else {
                    continue;
                };
                let value = b.constant(bits, v);
                b.store_deref(ptr, value);
            }
            ConstValue::Composite(parts) => {
                for (i, part) in parts.iter().enumerate().rev() {
                    let index = b.imm_u32(i as u32);
                    let to = b
                        .deref_array(ptr, index)
                        .or_else(|| b.deref_struct(ptr, i as u32));
                    if let Some(to) = to {
                        work.push((to, part));
                    }
                }
            }
        }
    }
}

/// Alignment of a sum where `stride` times something unknown is added.
fn add_stride(mul: u32, offset: u32, stride: u32) -> (u32, u32) {
    if stride == 0 {
        return (mul, offset);
    }
    let mul = mul.min(1 << stride.trailing_zeros());
    (mul, offset & (mul - 1))
}

impl Lower<'_> {
    fn block(&mut self, block: Id<Block>) {
        let instrs = std::mem::take(&mut self.s.blocks[block].instrs);
        for id in instrs {
            let keep = match &self.s.instrs[id] {
                Instr::Deref(d) if lowers(d.mode) => {
                    let d = d.clone();
                    let a = self.deref(block, &d);
                    self.addr[d.def] = a;
                    a.is_none()
                }
                Instr::Intrinsic(i) => match i.srcs.first().and_then(|d| self.addr[*d]) {
                    Some(a) if !i.op.info().srcs.is_empty() => {
                        let i = i.clone();
                        !self.access(block, id, &i, a)
                    }
                    _ => true,
                },
                Instr::Alu(a) if a.op == AluOp::Bcsel => {
                    let a = a.clone();
                    !self.select(block, &a)
                }
                Instr::Alu(a) if a.op == AluOp::Mov => {
                    let addr = self.addr[a.srcs[0].def];
                    let def = a.def;
                    self.addr[def] = addr;
                    addr.is_none()
                }
                Instr::Phi(p) => {
                    let p = p.clone();
                    !self.phi(block, id, &p)
                }
                _ => true,
            };
            if keep {
                self.s.blocks[block].instrs.push(id);
            }
        }
    }

    fn deref(&mut self, block: Id<Block>, d: &Deref) -> Option<Addr> {
        match d.kind {
            DerefKind::Var(v) => Some(self.variable(block, d, v)),
            DerefKind::Struct { parent, member } => {
                let a = self.pointer(parent, d.mode)?;
                let of = self.s.deref_of(parent)?.ty;
                let Type::Struct { members, .. } = self.s.types.get(of)? else {
                    return None;
                };
                let offset = if is_ours(self.s, d.mode) {
                    let mut at = 0u32;
                    for m in members.iter().take(member as usize) {
                        at = at.next_multiple_of(self.natural[m.ty].1) + self.natural[m.ty].0;
                    }
                    at.next_multiple_of(self.natural[d.ty].1)
                } else {
                    members.get(member as usize)?.offset_bytes
                };
                Some(self.add_const(a, offset))
            }
            DerefKind::Array { parent, index } => {
                let a = self.pointer(parent, d.mode)?;
                let of = self.s.deref_of(parent)?.ty;
                if let Some((var, element)) = a.resource {
                    return Some(self.resource_element(block, d, a, var, element, of, index));
                }
                let mut out = a;
                let natural = |l: &Self, ty| {
                    let (size, align) = l.natural[ty];
                    size.next_multiple_of(align)
                };
                let ours = is_ours(self.s, d.mode);
                let stride = match *self.s.types.get(of)? {
                    Type::Array {
                        elem, stride_bytes, ..
                    } => {
                        if ours || stride_bytes == 0 {
                            natural(self, elem)
                        } else {
                            stride_bytes
                        }
                    }
                    Type::Vector { elem, .. } => {
                        let stride = out.component_stride.take();
                        stride.unwrap_or(self.natural[elem].0)
                    }
                    Type::Matrix {
                        column,
                        stride_bytes,
                        row_major,
                        ..
                    } => {
                        let elem = match *self.s.types.get(column)? {
                            Type::Vector { elem, .. } => elem,
                            _ => return None,
                        };
                        if ours || stride_bytes == 0 {
                            natural(self, column)
                        } else if row_major {
                            out.component_stride = Some(stride_bytes);
                            self.natural[elem].0
                        } else {
                            stride_bytes
                        }
                    }
                    _ => return None,
                };
                Some(self.add_index(block, out, index, stride))
            }
            DerefKind::PtrAsArray {
                parent,
                index,
                stride_bytes,
            } => {
                let a = self.pointer(parent, d.mode)?;
                let stride = if stride_bytes == 0 {
                    let (size, align) = self.natural[d.ty];
                    size.next_multiple_of(align)
                } else {
                    stride_bytes
                };
                Some(self.add_index(block, a, index, stride))
            }
            DerefKind::Cast {
                parent,
                align_bytes,
                ..
            } => {
                let mut a = self.pointer(parent, d.mode)?;
                // Outside of physical storage everything lies where its scalars may.
                let align_bytes = match d.mode {
                    Mode::Global => align_bytes,
                    _ => align_bytes.max(self.natural[d.ty].1),
                };
                if align_bytes.is_power_of_two() && align_bytes > a.align_mul {
                    (a.align_mul, a.align_offset) = (align_bytes, 0);
                }
                Some(a)
            }
        }
    }

    fn variable(&mut self, block: Id<Block>, d: &Deref, v: Id<Variable>) -> Addr {
        let var = &self.s.vars[v];
        let mut a = Addr {
            mode: d.mode,
            base: None,
            offset: None,
            constant: 0,
            align_mul: 1 << 20,
            align_offset: 0,
            component_stride: None,
            resource: None,
        };
        match d.mode {
            Mode::Ubo | Mode::Ssbo => {
                // minUniformBufferOffsetAlignment and minStorageBufferOffsetAlignment are at least this.
                a.align_mul = 64;
                if matches!(self.s.types.get(var.ty), Some(Type::Array { .. })) {
                    a.resource = Some((v, None));
                } else {
                    a.base = Some(self.handle(block, v, None));
                }
            }
            Mode::Constant | Mode::Shared | Mode::FunctionTemp | Mode::ShaderTemp => {
                let at = var.offset_bytes.unwrap_or(0);
                a = self.add_const(a, at);
            }
            _ => {}
        }
        a
    }

    fn handle(&mut self, block: Id<Block>, v: Id<Variable>, element: Option<Id<Def>>) -> Id<Def> {
        let (set, binding) = (self.s.vars[v].set, self.s.vars[v].binding);
        let mut b = Builder::at_end_of_block(self.s, block);
        let element = element.unwrap_or_else(|| b.imm_u32(0));
        b.load(
            IntrinsicOp::VulkanResourceIndex,
            1,
            32,
            &[element],
            &[set, binding],
        )
    }

    fn resource_element(
        &mut self,
        block: Id<Block>,
        d: &Deref,
        mut a: Addr,
        var: Id<Variable>,
        element: Option<Id<Def>>,
        of: Id<Type>,
        index: Id<Def>,
    ) -> Addr {
        let len = match self.s.types.get(of) {
            Some(Type::Array { len, .. }) => len.unwrap_or(0),
            _ => 0,
        };
        let element = {
            let mut b = Builder::at_end_of_block(self.s, block);
            let index = if b.bits(index) == 64 {
                b.u2u(index, 32)
            } else {
                index
            };
            match element {
                None => index,
                Some(outer) => {
                    let scaled = b.imul_imm(outer, i64::from(len));
                    b.iadd(scaled, index)
                }
            }
        };
        if matches!(self.s.types.get(d.ty), Some(Type::Array { .. })) {
            a.resource = Some((var, Some(element)));
        } else {
            a.resource = None;
            a.base = Some(self.handle(block, var, Some(element)));
        }
        a
    }

    fn add_const(&self, mut a: Addr, bytes: u32) -> Addr {
        a.constant = a.constant.wrapping_add(bytes);
        a.align_offset = a.align_offset.wrapping_add(bytes) & (a.align_mul - 1);
        a
    }

    fn add_index(&mut self, block: Id<Block>, mut a: Addr, index: Id<Def>, stride: u32) -> Addr {
        if let Some(i) = self.s.const_component(index, 0) {
            return self.add_const(a, (i as u32).wrapping_mul(stride));
        }
        (a.align_mul, a.align_offset) = add_stride(a.align_mul, a.align_offset, stride);
        let wide = a.mode == Mode::Global;
        let mut b = Builder::at_end_of_block(self.s, block);
        let index = match (wide, b.bits(index)) {
            (true, 32) => b.i2i(index, 64),
            (false, 64) => b.u2u(index, 32),
            _ => index,
        };
        let bytes = b.imul_imm(index, i64::from(stride));
        a.offset = Some(match a.offset {
            None => bytes,
            Some(old) => b.iadd(old, bytes),
        });
        a
    }

    /// The address of any pointer value. A raw one is an address in physical storage, an offset in shared memory, and
    /// in buffers a handle.
    fn pointer(&mut self, d: Id<Def>, mode: Mode) -> Option<Addr> {
        if let Some(a) = self.addr[d] {
            return Some(a);
        }
        let (base, offset) = match (mode, self.s.defs[d].bit_size) {
            (Mode::Global, 64) | (Mode::Ssbo | Mode::Ubo, 32) => (Some(d), None),
            (Mode::Shared, _) => (None, Some(d)),
            _ => return None,
        };
        Some(Addr::unaligned(mode, base, offset))
    }

    /// The dynamic and constant parts together.
    fn whole_offset(b: &mut Builder<'_>, a: &Addr, extra: u32) -> Id<Def> {
        let constant = a.constant.wrapping_add(extra);
        match a.offset {
            None => b.imm_u32(constant),
            Some(o) => b.iadd_imm(o, i64::from(constant as i32)),
        }
    }

    fn address(b: &mut Builder<'_>, a: &Addr, extra: u32) -> Id<Def> {
        let base = a.base.unwrap_or_else(|| b.imm_int(64, 0));
        let base = match a.offset {
            Some(o) => b.iadd(base, o),
            None => base,
        };
        b.iadd_imm(base, i64::from(a.constant.wrapping_add(extra)))
    }

    /// A choice between pointers: choose their parts.
    fn select(&mut self, block: Id<Block>, alu: &Alu) -> bool {
        let (x, y) = (alu.srcs[1].def, alu.srcs[2].def);
        let (x, y) = match self.modes[alu.def] {
            Some(mode) => (self.pointer(x, mode), self.pointer(y, mode)),
            None => (self.addr[x], self.addr[y]),
        };
        let (Some(x), Some(y)) = (x, y) else {
            return false;
        };
        let cond = alu.srcs[0];
        let mut b = Builder::at_end_of_block(self.s, block);
        let cond = b.channel(cond.def, cond.swizzle[0]);
        let base = match (x.base, y.base) {
            (Some(p), Some(q)) if p == q => Some(p),
            (Some(p), Some(q)) => Some(b.bcsel(cond, p, q)),
            (p, _) => p,
        };
        let (p, q) = if x.mode == Mode::Global {
            let (p, q) = (Self::address(&mut b, &x, 0), Self::address(&mut b, &y, 0));
            let base = b.bcsel(cond, p, q);
            self.addr[alu.def] = Some(Addr {
                base: Some(base),
                offset: None,
                ..Self::merged(x, y)
            });
            return true;
        } else {
            (
                Self::whole_offset(&mut b, &x, 0),
                Self::whole_offset(&mut b, &y, 0),
            )
        };
        let offset = b.bcsel(cond, p, q);
        self.addr[alu.def] = Some(Addr {
            base,
            offset: Some(offset),
            ..Self::merged(x, y)
        });
        true
    }

    fn merged(x: Addr, y: Addr) -> Addr {
        let differ = x.align_offset ^ y.align_offset;
        let mut mul = x.align_mul.min(y.align_mul);
        if differ & (mul - 1) != 0 {
            mul = 1 << (differ.trailing_zeros());
        }
        Addr {
            constant: 0,
            align_mul: mul,
            align_offset: x.align_offset & (mul - 1),
            ..x
        }
    }

    /// A phi of pointers becomes phis of their parts, filled when all blocks are done.
    fn phi(&mut self, block: Id<Block>, id: Id<Instr>, phi: &Phi) -> bool {
        let known = |d: Id<Def>| self.addr[d].map(|a| a.mode).or_else(|| self.mode_of(d));
        let mode = self.modes[phi.def].or_else(|| phi.srcs.iter().find_map(|x| known(x.1)));
        let Some(mode) = mode else {
            return false;
        };
        let empty = |def| {
            Instr::Phi(Phi {
                def,
                srcs: SmallVec::new(),
            })
        };
        let wide = mode == Mode::Global;
        let base = matches!(mode, Mode::Ssbo | Mode::Ubo).then(|| self.s.add_instr(1, 32, empty));
        let (offset_id, offset) = self.s.add_instr(1, if wide { 64 } else { 32 }, empty);
        if let Some((base_id, _)) = base {
            self.s.blocks[block].instrs.push(base_id);
        }
        self.s.blocks[block].instrs.push(offset_id);
        self.phis.push(PointerPhi {
            pointer: id,
            mode,
            handle: base.map(|b| b.0),
            offset: offset_id,
        });
        let (base, offset) = match wide {
            true => (Some(offset), None),
            false => (base.map(|b| b.1), Some(offset)),
        };
        self.addr[phi.def] = Some(Addr::unaligned(mode, base, offset));
        true
    }

    /// Mode of a pointer that has not been reached yet.
    fn mode_of(&self, d: Id<Def>) -> Option<Mode> {
        self.s.deref_of(d).map(|d| d.mode).filter(|m| lowers(*m))
    }

    fn finish_phis(&mut self) {
        for PointerPhi {
            pointer,
            mode,
            handle: base,
            offset,
        } in std::mem::take(&mut self.phis)
        {
            let Instr::Phi(phi) = self.s.instrs[pointer].clone() else {
                continue;
            };
            let (mut bases, mut offsets) = (SmallVec::new(), SmallVec::new());
            for (from, d) in phi.srcs {
                let Some(a) = self.pointer(d, mode) else {
                    continue;
                };
                let at = match self.s.jump_of(from) {
                    Some(_) => self.s.blocks[from].instrs.len() - 1,
                    None => self.s.blocks[from].instrs.len(),
                };
                let mut b = Builder::before(self.s, from, at);
                let value = if a.mode == Mode::Global {
                    Self::address(&mut b, &a, 0)
                } else {
                    Self::whole_offset(&mut b, &a, 0)
                };
                let handle = match a.base {
                    Some(h) => h,
                    None => b.undef(1, 32),
                };
                bases.push((from, handle));
                offsets.push((from, value));
            }
            if let Some(base) = base
                && let Instr::Phi(p) = &mut self.s.instrs[base]
            {
                p.srcs = bases;
            }
            if let Instr::Phi(p) = &mut self.s.instrs[offset] {
                p.srcs = offsets;
            }
        }
    }
}
