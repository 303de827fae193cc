//! The IR's data structures: a shader owns arenas of instructions, values and blocks; control flow
//! is a tree of lists.
//!
//! As in NIR, a list of control-flow nodes begins and ends with a block and has exactly one `if` or
//! `loop` between two blocks. A `Jump` may only be the last instruction of a block. A loop repeats
//! until a `break` (reaching the end of its body is a `continue`).

use crate::capture::TransformFeedbackInfo;
use crate::exact::FloatControls;
use crate::intrinsic::IntrinsicOp;
use crate::io::{ClipCullDistances, FragmentInfo, GeometryInfo, IoVar, TessInfo};
use crate::link::OutputLink;
use crate::op::{AluOp, BaseType};
use crate::tex::{Dim, TexOp, TexSrc};
use crate::types::{Type, Types, VariableMode};
use entity::{Arena, Id};
use smallvec::SmallVec;

/// Maximum number of components of a def.
pub const MAX_COMPONENTS: usize = 16;

/// Shader stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "Vulkan's names")]
pub enum Stage {
    Vertex,
    TessControl,
    TessEval,
    Geometry,
    Fragment,
    Compute,
}

/// A shader: one entry point with everything inlined.
#[derive(Clone, Debug)]
pub struct Shader {
    /// Stage.
    pub stage: Stage,
    /// Name of the entry point, for debugging.
    pub name: String,
    /// Facts about the shader that are not instructions.
    pub info: ShaderInfo,
    /// Interned data types of variables and derefs.
    pub types: Types,
    /// Variables.
    pub vars: Arena<Variable>,
    /// Basic blocks.
    pub blocks: Arena<Block>,
    /// Instructions, including those that are in no block any more.
    pub instrs: Arena<Instr>,
    /// SSA values.
    pub defs: Arena<Def>,
    /// Ifs.
    pub ifs: Arena<If>,
    /// Loops.
    pub loops: Arena<Loop>,
    /// The body of the entry point.
    pub body: CfList,
}

/// Facts about a shader that are not instructions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShaderInfo {
    /// Compute: invocations in a workgroup, x, y, z (specialised).
    pub workgroup_size: [u32; 3],
    /// Compute: which four invocations form a quad for derivatives.
    pub derivative_group: DerivativeGroup,
    /// Compute: bytes of shared memory; set when shared variables are lowered to offsets.
    pub shared_bytes: u32,
    /// Shared variables have explicit layouts and alias each other
    /// (SPV_KHR_workgroup_memory_explicit_layout).
    pub shared_explicit_layout: bool,
    /// Bytes of scratch that variables need for each invocation; set when they are lowered to
    /// scratch.
    pub scratch_bytes: u32,
    /// Size of the push constant block that the shader declares, from byte 0.
    pub push_constant_bytes: u32,
    /// Float controls (SPV_KHR_float_controls).
    pub float_controls: FloatControls,
    /// Clip and cull distances that the stage writes.
    pub distances: ClipCullDistances,
    /// Number of clip distances in the incoming vertices, if known: cull distances follow them in
    /// the same slots.
    pub input_clip_distances: Option<u8>,
    /// Outputs captured by transform feedback.
    pub capture: TransformFeedbackInfo,
    /// Outputs that the next stage reads from another slot, or as a constant. Empty unless the
    /// stages were linked.
    pub links: Vec<OutputLink>,
    /// Mask of the views that each draw is repeated for; 0 without multiview.
    pub views: u32,
    /// Execution modes of a fragment shader.
    pub fragment: FragmentInfo,
    /// Execution modes of a geometry shader.
    pub geometry: GeometryInfo,
    /// Execution modes of tessellation shaders.
    pub tess: TessInfo,
}

/// Which four invocations of a workgroup are a quad. SPV_NV_compute_shader_derivatives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DerivativeGroup {
    /// There are no quads: all derivatives are 0.
    #[default]
    None,
    /// 2×2 neighbours in x and y; the workgroup's sizes in x and y are even.
    Quads,
    /// Four consecutive local invocation indices, the first a multiple of 4.
    Linear,
}

/// A variable.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Name in the source, for debugging; may be empty.
    pub name: String,
    /// Storage.
    pub mode: VariableMode,
    /// Data type, with explicit layout for buffer and push constant blocks.
    pub ty: Id<Type>,
    /// Descriptor set, for resources.
    pub set: u32,
    /// Binding in the set, for resources.
    pub binding: u32,
    /// Slot and interpolation; present exactly for modes shader_in and shader_out.
    pub io: Option<IoVar>,
    /// Access qualifiers of the resource.
    pub access: Access,
    /// Initial value of FunctionTemp, ShaderTemp, Constant or Shared (zero) variables.
    pub init: Option<ConstValue>,
    /// Byte offset of a constant, shared or scratch variable; set when it is lowered to an offset.
    pub offset_bytes: Option<u32>,
}

/// A constant of any type: leaves are bit patterns.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ConstValue {
    /// A scalar or vector: one bit pattern for each component.
    Vector(SmallVec<[u64; 4]>),
    /// Elements of an array, columns of a matrix, or members of a struct.
    Composite(Vec<ConstValue>),
}

/// Access qualifiers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "SPIR-V's names")]
pub struct Access {
    pub coherent: bool,
    pub restrict: bool,
    pub volatile: bool,
    pub non_writable: bool,
    pub non_readable: bool,
    pub non_uniform: bool,
    /// The memory may also be accessed through other variables. SPIR-V 2.18.2, "Aliasing".
    pub aliased: bool,
    /// Of a load: the memory is not written while the shader runs, so the load can be reordered
    /// (NIR's `ACCESS_CAN_REORDER`).
    pub unchanging: bool,
}

/// A list of control-flow nodes. It alternates between blocks and ifs or loops; see the module's
/// documentation.
pub type CfList = Vec<CfNode>;

/// A node of control flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "self-explanatory")]
pub enum CfNode {
    Block(Id<Block>),
    If(Id<If>),
    Loop(Id<Loop>),
}

/// A basic block: instructions in order, phis first, a jump only at the end.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// The instructions.
    pub instrs: Vec<Id<Instr>>,
}

/// An `if` on a one-bit scalar.
#[derive(Clone, Debug)]
pub struct If {
    /// The condition: 1 component, 1 bit.
    pub cond: Id<Def>,
    /// Executed where the condition is true.
    pub then_list: CfList,
    /// Executed where it is false.
    pub else_list: CfList,
}

/// An endless loop.
#[derive(Clone, Debug)]
pub struct Loop {
    /// The body.
    pub body: CfList,
}

/// An SSA value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Def {
    /// The instruction that defines it.
    pub instr: Id<Instr>,
    /// 1..=16.
    pub num_components: u8,
    /// 1, 8, 16, 32 or 64.
    pub bit_size: u8,
}

/// An instruction.
#[derive(Clone, Debug)]
pub enum Instr {
    /// An ALU operation: a pure function of its operands.
    Alu(Alu),
    /// A constant: one zero-extended bit pattern for each component.
    Const {
        /// The value.
        def: Id<Def>,
        /// Bit patterns.
        values: SmallVec<[u64; 4]>,
    },
    /// An undefined value.
    Undef {
        /// The value.
        def: Id<Def>,
    },
    /// A step of an access chain.
    Deref(Deref),
    /// An operation on memory, other invocations or system values.
    Intrinsic(Intrinsic),
    /// Samples, fetches from, or queries a texture.
    Tex(Tex),
    /// A value selected by the predecessor that control came from.
    Phi(Phi),
    /// Transfers control: break, continue or return.
    Jump(Jump),
}

/// An ALU operation: a pure function of its operands.
#[derive(Clone, Debug, PartialEq)]
pub struct Alu {
    /// The operation.
    pub op: AluOp,
    /// The result.
    pub def: Id<Def>,
    /// The operands.
    pub srcs: SmallVec<[AluSrc; 3]>,
    /// Optimisations must not change any bit of the result (NoContraction and stricter).
    pub exact: bool,
    /// Optimisations must preserve NaN, infinity and the sign of zero (SignedZeroInfNanPreserve).
    pub preserve_nan_inf_sz: bool,
}

/// An operand of an ALU operation: a def and a swizzle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AluSrc {
    /// The value.
    pub def: Id<Def>,
    /// Component `i` of the operation reads component `swizzle[i]` of the def.
    pub swizzle: [u8; MAX_COMPONENTS],
}

impl AluSrc {
    /// All components of `def` in order.
    pub fn identity(def: Id<Def>) -> AluSrc {
        AluSrc {
            def,
            swizzle: std::array::from_fn(|i| i as u8),
        }
    }
    /// One component of `def`, for every component of the operation.
    pub fn splat(def: Id<Def>, component: u8) -> AluSrc {
        AluSrc {
            def,
            swizzle: [component; MAX_COMPONENTS],
        }
    }
}

/// A step of an access chain. The result is a pointer: opaque (one 32-bit component) until
/// `lower_explicit_io` or `lower_vars_to_ssa` removes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Deref {
    /// The pointer.
    pub def: Id<Def>,
    /// The step.
    pub kind: DerefKind,
    /// Storage pointed to.
    pub mode: VariableMode,
    /// Type pointed to.
    pub ty: Id<Type>,
    /// Access qualifiers accumulated along the chain.
    pub access: Access,
}

/// The forms of [`Deref`].
#[derive(Clone, Debug, PartialEq)]
pub enum DerefKind {
    /// A variable.
    Var(Id<Variable>),
    /// An element of an array, a column of a matrix, a component of a vector, or a descriptor of an
    /// array of resources.
    Array {
        /// Pointer to the whole.
        parent: Id<Def>,
        /// Index, a 32-bit scalar.
        index: Id<Def>,
    },
    /// `OpPtrAccessChain`'s first index: steps over whole elements of the parent's own type.
    PtrAsArray {
        /// Pointer to an element.
        parent: Id<Def>,
        /// Index, a 32-bit scalar.
        index: Id<Def>,
        /// Bytes from one element to the next.
        stride_bytes: u32,
    },
    /// A member of a struct.
    Struct {
        /// Pointer to the struct.
        parent: Id<Def>,
        /// Index of the member.
        member: u32,
    },
    /// A pointer made from something else: a phi, a select, an address.
    Cast {
        /// The value.
        parent: Id<Def>,
        /// `ArrayStride` of the pointer type, 0 if none.
        stride_bytes: u32,
        /// Alignment of the address, 0 if unknown.
        align_bytes: u32,
    },
}

/// An intrinsic. [`crate::intrinsic`] documents the sources and indices of each.
#[derive(Clone, Debug, PartialEq)]
pub struct Intrinsic {
    /// Which.
    pub op: IntrinsicOp,
    /// The result, if it has one.
    pub def: Option<Id<Def>>,
    /// The operands.
    pub srcs: SmallVec<[Id<Def>; 4]>,
    /// The constant indices, in the table's order.
    pub indices: SmallVec<[u32; 4]>,
}

/// Samples, fetches from, or queries a texture.
#[derive(Clone, Debug, PartialEq)]
pub struct Tex {
    /// Which.
    pub op: TexOp,
    /// The result: see [`Tex::result_components`].
    pub def: Id<Def>,
    /// The operands, each kind at most once.
    pub srcs: SmallVec<[(TexSrc, Id<Def>); 4]>,
    /// Dimension.
    pub dim: Dim,
    /// The texture is an array.
    pub array: bool,
    /// The texture's depth is compared with the operand `Comparator`.
    pub shadow: bool,
    /// Type of the result's components.
    pub dest_type: BaseType,
    /// `tg4`: the component gathered.
    pub component: u8,
    /// `tg4`: an offset for each of the four texels (ConstOffsets).
    pub tg4_offsets: Option<[[i8; 2]; 4]>,
    /// The texture may differ between invocations of a subgroup (non-uniform access).
    pub texture_non_uniform: bool,
    /// The sampler may differ between invocations of a subgroup (non-uniform access).
    pub sampler_non_uniform: bool,
    /// The operand `PackedOffset` may differ between invocations of a subgroup.
    pub offset_non_uniform: bool,
}

impl Tex {
    /// The operand of a kind.
    pub fn src(&self, kind: TexSrc) -> Option<Id<Def>> {
        self.srcs.iter().find(|s| s.0 == kind).map(|s| s.1)
    }
    /// Removes and returns the operand of a kind.
    pub fn remove_src(&mut self, kind: TexSrc) -> Option<Id<Def>> {
        let at = self.srcs.iter().position(|s| s.0 == kind)?;
        Some(self.srcs.remove(at).1)
    }
    /// Sets the operand of a kind, replacing an existing one.
    pub fn set_src(&mut self, kind: TexSrc, def: Id<Def>) {
        match self.srcs.iter_mut().find(|s| s.0 == kind) {
            Some(s) => s.1 = def,
            None => self.srcs.push((kind, def)),
        }
    }
    /// Components of the coordinates, including the array layer.
    pub fn coord_components(&self) -> u8 {
        // The level of detail does not depend on the layer.
        self.dim.coord_components() + u8::from(self.array && self.op != TexOp::Lod)
    }
    /// Components of the operation's result: 1 for a shadow comparison, those of the size or level
    /// for queries, else 4.
    pub fn result_components(&self) -> u8 {
        match self.op {
            TexOp::Txs => self.dim.size_components() + u8::from(self.array),
            TexOp::Lod | TexOp::TxfMsMcs => 2,
            TexOp::QueryLevels | TexOp::TextureSamples => 1,
            TexOp::Tg4 => 4,
            _ if self.shadow => 1,
            _ => 4,
        }
    }
}

/// A phi.
#[derive(Clone, Debug, PartialEq)]
pub struct Phi {
    /// The result.
    pub def: Id<Def>,
    /// One value for each predecessor.
    pub srcs: SmallVec<[(Id<Block>, Id<Def>); 2]>,
}

/// A jump, always at the end of its block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Jump {
    /// Leaves the innermost loop.
    Break,
    /// Goes to the top of the innermost loop.
    Continue,
    /// Ends the invocation (the entry point returns).
    Return,
}
