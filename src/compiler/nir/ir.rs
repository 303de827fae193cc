//! The data structure: a shader owns its arenas; control flow is a tree of lists.
//!
//! As in NIR, a list of control-flow nodes alternates: it begins and ends with a block, and between two
//! blocks stands exactly one `if` or `loop`. A `Jump` may only be the last instruction of a block.
//! A loop repeats until a `break` (falling off the end of its body is a `continue`).

use crate::capture::Capture;
use crate::exact::FloatControls;
use crate::intrinsic::IntrinsicOp;
use crate::io::{Distances, FragmentInfo, GeometryInfo, IoVar, TessInfo};
use crate::link::Link;
use crate::op::{AluOp, Base};
use crate::tex::{Dim, TexOp, TexSrc};
use crate::types::{Mode, Type, Types};
use entity::{Arena, Id};
use smallvec::SmallVec;

/// Most components a def can have.
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
    /// Name of the entry point, for people.
    pub name: String,
    /// Facts about the shader that are not instructions.
    pub info: Info,
    /// Interned data types of variables and derefs.
    pub types: Types,
    /// Variables.
    pub vars: Arena<Variable>,
    /// Basic blocks.
    pub blocks: Arena<Block>,
    /// Instructions, also those no longer placed in any block.
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
pub struct Info {
    /// Compute: invocations in a workgroup, x, y, z (specialised).
    pub workgroup_size: [u32; 3],
    /// Compute: which invocations derivatives are taken between.
    pub derivative_group: DerivativeGroup,
    /// Compute: bytes of shared memory, known after shared variables are lowered.
    pub shared_bytes: u32,
    /// Shared memory is laid out by the shader: its variables are blocks that lie on one another.
    pub shared_blocks: bool,
    /// Bytes of scratch for each invocation that variables need, known after they are lowered.
    pub scratch_bytes: u32,
    /// End of the push constants that the shader declares.
    pub push_constant_bytes: u32,
    /// Float controls: bits of [`FloatControls`] in the order declared there.
    pub float_controls: FloatControls,
    /// Distances that the stage writes for its vertices.
    pub distances: Distances,
    /// Distances to clip by that stand before those to cull by in the vertices that come in, where that is known.
    pub clips_before: Option<u8>,
    /// What goes to buffers beside rasterisation.
    pub capture: Capture,
    /// Outputs that the stage behind finds elsewhere than in their slots: those of a stage that was told who that is.
    pub links: Vec<Link>,
    /// Views that a draw is made for, a bit each; none: there is no multiview.
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
    /// None are: all derivatives are 0.
    #[default]
    None,
    /// Those of two columns in two rows; sizes in x and y are even.
    Quads,
    /// Those of four local invocation indices, the first a multiple of 4.
    Linear,
}

/// A variable.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Name in the source, for people; may be empty.
    pub name: String,
    /// Storage.
    pub mode: Mode,
    /// Data type, with explicit layout for buffer and push constant blocks.
    pub ty: Id<Type>,
    /// Descriptor set, for resources.
    pub set: u32,
    /// Binding in the set, for resources.
    pub binding: u32,
    /// What it is of the stage's interface: of shader_in and shader_out, and of no other.
    pub io: Option<IoVar>,
    /// Access qualifiers of the resource.
    pub access: Access,
    /// Initial value of FunctionTemp, ShaderTemp, Constant or Shared (zero) variables.
    pub init: Option<ConstValue>,
    /// After constant, shared or scratch variables are laid out: byte offset.
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
    /// Other variables may be the same memory; of those that do not say so each has its own. SPIR-V 2.18.2, "Aliasing".
    pub aliased: bool,
    /// Of a load: nobody writes the memory while the shader runs.
    pub unchanging: bool,
}

/// A list of control-flow nodes; see the module's rules.
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
    /// The instruction that makes it.
    pub instr: Id<Instr>,
    /// 1..=16.
    pub num_components: u8,
    /// 1, 8, 16, 32 or 64.
    pub bit_size: u8,
}

/// An instruction.
#[derive(Clone, Debug)]
pub enum Instr {
    /// An operation on values alone.
    Alu(Alu),
    /// A constant; one bit pattern each component, zero-extended.
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
    /// Everything that touches the world: memory, other invocations, system values.
    Intrinsic(Intrinsic),
    /// Sampling, fetching and asking about a texture.
    Tex(Tex),
    /// A value chosen by the edge that control came from.
    Phi(Phi),
    /// Leaves the block otherwise than by falling through.
    Jump(Jump),
}

/// An operation on values alone.
#[derive(Clone, Debug, PartialEq)]
pub struct Alu {
    /// The operation.
    pub op: AluOp,
    /// The result.
    pub def: Id<Def>,
    /// The operands.
    pub srcs: SmallVec<[AluSrc; 3]>,
    /// Must not be changed in a way that changes any bit of the result (NoContraction and stricter).
    pub exact: bool,
    /// Float-controls promises that forbid changes: NaN, infinity and sign of zero are preserved.
    pub preserve_nan_inf_sz: bool,
}

/// An operand of an ALU operation: a def, and which component each lane of the operation reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AluSrc {
    /// The value.
    pub def: Id<Def>,
    /// `swizzle[i]` is read for component `i` of the operation.
    pub swizzle: [u8; MAX_COMPONENTS],
}

impl AluSrc {
    /// All components in order.
    pub fn identity(def: Id<Def>) -> AluSrc {
        AluSrc {
            def,
            swizzle: std::array::from_fn(|i| i as u8),
        }
    }
    /// One component for all.
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
    pub mode: Mode,
    /// Type pointed to.
    pub ty: Id<Type>,
    /// Access qualifiers gathered along the chain.
    pub access: Access,
}

/// The forms of [`Deref`].
#[derive(Clone, Debug, PartialEq)]
pub enum DerefKind {
    /// A variable.
    Var(Id<Variable>),
    /// An element of an array, a column of a matrix, a component of a vector, or one of an array of resources.
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
        /// What the address is a multiple of, 0 if that is not known.
        align_bytes: u32,
    },
}

/// An intrinsic. What its sources and indices mean stands in the table, [`crate::intrinsic`].
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

/// Sampling, fetching and asking about a texture.
#[derive(Clone, Debug, PartialEq)]
pub struct Tex {
    /// Which.
    pub op: TexOp,
    /// The result: four components, one for a shadow comparison, those of the size or level for queries.
    pub def: Id<Def>,
    /// The operands, each kind at most once.
    pub srcs: SmallVec<[(TexSrc, Id<Def>); 4]>,
    /// Dimension.
    pub dim: Dim,
    /// The texture is an array.
    pub array: bool,
    /// The texture is compared with a reference.
    pub shadow: bool,
    /// How the result's bits are to be read.
    pub dest_type: Base,
    /// `tg4`: the component gathered.
    pub component: u8,
    /// `tg4`: an offset for each of the four texels (ConstOffsets).
    pub tg4_offsets: Option<[[i8; 2]; 4]>,
    /// The texture may differ within a subgroup.
    pub texture_non_uniform: bool,
    /// The sampler may differ within a subgroup.
    pub sampler_non_uniform: bool,
}

impl Tex {
    /// The operand of a kind.
    pub fn src(&self, kind: TexSrc) -> Option<Id<Def>> {
        self.srcs.iter().find(|s| s.0 == kind).map(|s| s.1)
    }
    /// Takes the operand of a kind away.
    pub fn remove_src(&mut self, kind: TexSrc) -> Option<Id<Def>> {
        let at = self.srcs.iter().position(|s| s.0 == kind)?;
        Some(self.srcs.remove(at).1)
    }
    /// Sets the operand of a kind, in place of one that is there.
    pub fn set_src(&mut self, kind: TexSrc, def: Id<Def>) {
        match self.srcs.iter_mut().find(|s| s.0 == kind) {
            Some(s) => s.1 = def,
            None => self.srcs.push((kind, def)),
        }
    }
    /// Components of the coordinates, layer included.
    pub fn coord_components(&self) -> u8 {
        // The level of detail does not depend on the layer.
        self.dim.coord_components() + u8::from(self.array && self.op != TexOp::Lod)
    }
    /// Components of the result that the operation makes.
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
