//! Memory of the interpreter: variables, shared memory, scratch, and pointers into them.

use crate::ir::*;
use crate::types::{Type, Types, VariableMode};
use entity::{Id, IdMap};
use rustc_hash::FxHashMap;

/// A pointer: an object and a byte offset in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Ptr {
    pub(super) space: Space,
    pub(super) offset: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Space {
    /// A local variable of the executing invocation.
    Private(Id<Variable>),
    /// A variable shared by the workgroup.
    Shared(Id<Variable>),
    /// Shared memory, after shared variables are lowered to offsets.
    SharedBytes,
    /// Scratch, after local variables are lowered to offsets.
    ScratchBytes,
    /// Constant data, after constant variables are lowered to offsets.
    ConstantBytes,
    /// Push constants.
    Push,
    /// Index into `Machine::buffers`.
    Buffer(usize),
    /// An array of resources that is not fully indexed yet; `offset` counts elements.
    Resources(Id<Variable>),
    /// A pointer to no object.
    None,
}

impl Ptr {
    /// A 64-bit value that is unique to the object and byte, for comparisons; all ones if the
    /// object cannot be compared.
    pub(super) fn synthetic_address(self) -> u64 {
        let resource = match self.space {
            Space::Buffer(n) => n,
            Space::Shared(v) => v.index(),
            _ => return u64::MAX,
        };
        global_address(resource, self.offset)
    }
}

pub(super) struct Memory {
    pub(super) private: FxHashMap<(Id<Variable>, usize), Vec<u8>>,
    pub(super) shared: FxHashMap<Id<Variable>, Vec<u8>>,
    pub(super) shared_bytes: Vec<u8>,
    pub(super) scratch: Vec<Vec<u8>>,
    pub(super) constants: Vec<u8>,
    /// Interned pointers; the value of a pointer in the shader is its index here.
    ptrs: Vec<Ptr>,
    ptr_numbers: FxHashMap<Ptr, u64>,
    pub(super) sizes: IdMap<Type, (u64, u64)>,
    lanes: usize,
}

/// (bytes, alignment) of each type in natural layout.
fn natural_sizes(types: &Types) -> IdMap<Type, (u64, u64)> {
    let mut out: IdMap<Type, (u64, u64)> = IdMap::with_default((0, 1));
    for (id, ty) in types.iter() {
        let (size, align) = match ty {
            Type::Bool => (4, 4),
            Type::Int(b) | Type::Float(b) => (u64::from(*b) / 8, u64::from(*b) / 8),
            Type::Vector { elem, len } => (out[*elem].0 * u64::from(*len), out[*elem].1),
            Type::Pointer { .. } => (8, 8),
            // Descriptors are not stored in memory.
            Type::Image { .. } | Type::Sampler | Type::SampledImage(_) => (0, 1),
            Type::Matrix {
                column, columns, ..
            } => (out[*column].0 * u64::from(*columns), out[*column].1),
            Type::Array { elem, len, .. } => {
                (out[*elem].0 * u64::from(len.unwrap_or(0)), out[*elem].1)
            }
            Type::Struct { members, .. } => members.iter().fold((0u64, 1u64), |(end, align), m| {
                let (size, a) = out[m.ty];
                (end.next_multiple_of(a) + size, align.max(a))
            }),
        };
        out[id] = (size.next_multiple_of(align), align);
    }
    out
}

impl Memory {
    pub(super) fn new(s: &Shader, lanes: usize) -> Memory {
        Memory {
            private: FxHashMap::default(),
            shared: FxHashMap::default(),
            shared_bytes: Vec::new(),
            scratch: Vec::new(),
            constants: s.constant_data(),
            ptrs: Vec::new(),
            ptr_numbers: FxHashMap::default(),
            sizes: natural_sizes(&s.types),
            lanes,
        }
    }

    /// Clears all memory for a new workgroup and writes initial values.
    pub(super) fn reset(&mut self, s: &Shader) {
        self.private.clear();
        self.shared.clear();
        self.shared_bytes = vec![0; s.info.shared_bytes as usize];
        self.scratch = vec![vec![0; s.info.scratch_bytes as usize]; self.lanes];
        for (id, v) in s.vars.iter() {
            let size = self.sizes[v.ty].0.min(1 << 20) as usize;
            match v.mode {
                VariableMode::Shared => {
                    self.shared.insert(id, vec![0; size]);
                }
                VariableMode::FunctionTemp | VariableMode::ShaderTemp | VariableMode::Constant => {
                    let mut bytes = vec![0; size];
                    if let Some(init) = &v.init {
                        self.write_initial_value(s, &mut bytes, v.ty, init);
                    }
                    for l in 0..self.lanes {
                        self.private.insert((id, l), bytes.clone());
                    }
                }
                _ => {}
            }
        }
    }

    fn write_initial_value(&self, s: &Shader, bytes: &mut [u8], ty: Id<Type>, init: &ConstValue) {
        let mut work = vec![(0u64, ty, init)];
        while let Some((at, ty, init)) = work.pop() {
            match init {
                ConstValue::Vector(v) => {
                    let (_, bits) = s.types.value_shape(ty).unwrap_or((1, 32));
                    let n = usize::from(if bits == 1 { 32 } else { bits }) / 8;
                    for (c, x) in v.iter().enumerate() {
                        let at = at as usize + c * n;
                        if let Some(to) = bytes.get_mut(at..at + n) {
                            to.copy_from_slice(&x.to_le_bytes()[..n]);
                        }
                    }
                }
                ConstValue::Composite(parts) => {
                    let mut end = 0;
                    for (k, part) in parts.iter().enumerate() {
                        let ty = match &s.types[ty] {
                            Type::Array { elem, .. } => *elem,
                            Type::Matrix { column, .. } => *column,
                            Type::Struct { members, .. } => match members.get(k) {
                                Some(m) => m.ty,
                                None => continue,
                            },
                            _ => continue,
                        };
                        let (size, align) = self.sizes[ty];
                        end = u64::next_multiple_of(end, align);
                        work.push((at + end, ty, part));
                        end += size;
                    }
                }
            }
        }
    }

    pub(super) fn intern_ptr(&mut self, p: Ptr) -> u64 {
        *self.ptr_numbers.entry(p).or_insert_with(|| {
            self.ptrs.push(p);
            self.ptrs.len() as u64 - 1
        })
    }

    pub(super) fn interned_ptr(&self, v: u64) -> Ptr {
        self.ptrs.get(v as usize).copied().unwrap_or(Ptr {
            space: Space::None,
            offset: 0,
        })
    }
}

/// True if variables of this mode have no explicit layout.
pub(super) fn has_natural_layout(mode: VariableMode) -> bool {
    use VariableMode::{Constant, FunctionTemp, ShaderTemp, Shared};
    matches!(mode, FunctionTemp | ShaderTemp | Constant | Shared)
}

/// The address of a byte of physical storage: buffer `n` begins at `(n + 1) << 32`.
pub(super) fn global_address(buffer: usize, offset: u64) -> u64 {
    ((buffer as u64 + 1) << 32) + offset
}
