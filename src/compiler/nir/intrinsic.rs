//! The intrinsics table: everything that touches memory, other invocations, or the machine's state.
//!
//! One entry gives the name, the sources (components × bits; 0 = any, fixed by the def or by the
//! value), the result, the names of the constant indices, and what the optimiser may do with it.
//! The classes are those of the rule table for cross-lane operations: passes ask [`Effects`],
//! and none has a list of names of its own.

/// What an operation does beyond computing its result from its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effects(pub u16);

impl Effects {
    /// None: a pure function of operands and invocation.
    pub const PURE: Effects = Effects(0);
    /// Reads memory that others may write.
    pub const READS: Effects = Effects(1);
    /// Writes memory, or does something else that must happen exactly once for each execution.
    pub const WRITES: Effects = Effects(2);
    /// The result depends on other members of the tangle: their values or their presence.
    pub const CROSS_THREAD: Effects = Effects(4);
    /// The set of invocations that execute it together must stay exactly as it is.
    pub const CONVERGENT: Effects = Effects(8);
    /// Defined only if the whole scope executes it: may move earlier, never under a condition.
    pub const UNIFORM_CONTROL: Effects = Effects(16);
    /// Helper lanes must be alive.
    pub const NEEDS_HELPERS: Effects = Effects(32);
    /// An operand must be uniform; moving it out of a divergent loop can break that.
    pub const UNIFORM_OPERAND: Effects = Effects(64);
    /// Cross-thread, but by index: independent of which other lanes are active.
    pub const BY_INDEX: Effects = Effects(128);
    /// Orders memory accesses around it.
    pub const BARRIER: Effects = Effects(256);

    /// Both.
    pub const fn or(self, other: Effects) -> Effects {
        Effects(self.0 | other.0)
    }
    /// True if any flag of `other` is set.
    pub const fn any(self, other: Effects) -> bool {
        self.0 & other.0 != 0
    }
    /// May be deleted if the result is unused.
    pub const fn can_eliminate(self) -> bool {
        !self.any(Effects(2 | 256))
    }
    /// A pure function: may be moved, merged and repeated freely.
    pub const fn can_reorder(self) -> bool {
        self.0 == 0
    }
}

/// Shape of a source or result: components and bits, 0 where any will do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Components, 0 = any.
    pub components: u8,
    /// Bits, 0 = any.
    pub bits: u8,
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub struct IntrinsicInfo {
    /// Name in text.
    pub name: &'static str,
    /// Sources in order.
    pub srcs: &'static [Shape],
    /// Result, if any.
    pub def: Option<Shape>,
    /// Names of the constant indices, in order.
    pub indices: &'static [&'static str],
    /// What the optimiser may do.
    pub effects: Effects,
}

/// Atomic operations: the value of an `atomic_op` index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
#[expect(missing_docs, reason = "NIR's names")]
pub enum AtomicOp {
    IAdd,
    IMin,
    UMin,
    IMax,
    UMax,
    IAnd,
    IOr,
    IXor,
    Xchg,
    FAdd,
    FMin,
    FMax,
    CmpXchg,
}

macro_rules! shape {
    (any) => {
        Shape {
            components: 0,
            bits: 0,
        }
    };
    (any $b:literal) => {
        Shape {
            components: 0,
            bits: $b,
        }
    };
    ($c:literal x any) => {
        Shape {
            components: $c,
            bits: 0,
        }
    };
    ($c:literal x $b:literal) => {
        Shape {
            components: $c,
            bits: $b,
        }
    };
}
macro_rules! opt_shape {
    () => { None };
    ($($s:tt)+) => { Some(shape!($($s)+)) };
}

macro_rules! intrinsics {
    ($($(#[$doc:meta])* $variant:ident $name:literal ($([$($src:tt)*])*) -> [$($def:tt)*]
        {$($index:ident)*} $($eff:ident)|+;)*) => {
        /// The intrinsics.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum IntrinsicOp { $($(#[$doc])* $variant,)* }

        /// The table, in the order of [`IntrinsicOp`].
        pub static INTRINSICS: &[IntrinsicInfo] = &[$(IntrinsicInfo {
            name: $name,
            srcs: &[$(shape!($($src)*)),*],
            def: opt_shape!($($def)*),
            indices: &[$(stringify!($index)),*],
            effects: Effects(0 $(| Effects::$eff.0)+),
        },)*];

        impl IntrinsicOp {
            /// All of them, in the table's order.
            pub const ALL: &[IntrinsicOp] = &[$(IntrinsicOp::$variant,)*];
        }
    };
}

impl IntrinsicOp {
    /// The row of the table.
    pub fn info(self) -> &'static IntrinsicInfo {
        &INTRINSICS[self as usize]
    }
    /// The intrinsic with this name.
    pub fn from_name(name: &str) -> Option<IntrinsicOp> {
        Self::ALL.iter().copied().find(|op| op.info().name == name)
    }
    /// Position of the index `name` among this intrinsic's indices.
    pub fn index_of(self, name: &str) -> Option<usize> {
        self.info().indices.iter().position(|n| *n == name)
    }
}

// `access` is a bit set: 1 coherent, 2 restrict, 4 volatile, 8 non_writable, 16 non_readable, 32 non_uniform.
// `align_mul` and `align_offset` are bytes: address % align_mul == align_offset.
intrinsics! {
    // --- derefs: before I/O is lowered -----------------------------------------------------------
    /// Reads through a pointer.
    LoadDeref "load_deref" ([1 x 32]) -> [any] {access} READS;
    /// Writes a value through a pointer. Bit i of write_mask: component i is written.
    StoreDeref "store_deref" ([1 x 32] [any]) -> [] {write_mask access} WRITES;
    /// Copies a whole object (dst, src).
    CopyDeref "copy_deref" ([1 x 32] [1 x 32]) -> [] {dst_access src_access} READS | WRITES;
    /// Read-modify-write through a pointer; the result is the old value.
    DerefAtomic "deref_atomic" ([1 x 32] [1 x any]) -> [1 x any] {atomic_op access} READS | WRITES;
    /// Compare (source 1) and exchange (source 2).
    DerefAtomicSwap "deref_atomic_swap" ([1 x 32] [1 x any] [1 x any]) -> [1 x any] {access} READS | WRITES;
    /// Length of the runtime array that ends the buffer block pointed to (source: pointer to the array).
    DerefBufferArrayLength "deref_buffer_array_length" ([1 x 32]) -> [1 x 32] {} PURE;

    // --- resources -------------------------------------------------------------------------------
    /// Handle of a buffer descriptor: element `source 0` of the array at (set, binding). Opaque, 32 bits.
    VulkanResourceIndex "vulkan_resource_index" ([1 x 32]) -> [1 x 32] {set binding} PURE;

    // --- memory, after lowering: offsets and sizes in bytes -----------------------------------------
    /// (handle, offset)
    LoadUbo "load_ubo" ([1 x 32] [1 x 32]) -> [any] {access align_mul align_offset} PURE;
    /// (handle, offset)
    LoadSsbo "load_ssbo" ([1 x 32] [1 x 32]) -> [any] {access align_mul align_offset} READS;
    /// (value, handle, offset)
    StoreSsbo "store_ssbo" ([any] [1 x 32] [1 x 32]) -> [] {write_mask access align_mul align_offset} WRITES;
    /// (handle, offset, data)
    SsboAtomic "ssbo_atomic" ([1 x 32] [1 x 32] [1 x any]) -> [1 x any] {atomic_op access} READS | WRITES;
    /// (handle, offset, compare, data)
    SsboAtomicSwap "ssbo_atomic_swap" ([1 x 32] [1 x 32] [1 x any] [1 x any]) -> [1 x any] {access} READS | WRITES;
    /// Size in bytes of the buffer bound (handle).
    GetSsboSize "get_ssbo_size" ([1 x 32]) -> [1 x 32] {} PURE;
    /// (offset); `base` is added.
    LoadPushConstant "load_push_constant" ([1 x 32]) -> [any] {base range align_mul align_offset} PURE;
    /// (offset)
    LoadShared "load_shared" ([1 x 32]) -> [any] {base align_mul align_offset} READS;
    /// (value, offset)
    StoreShared "store_shared" ([any] [1 x 32]) -> [] {base write_mask align_mul align_offset} WRITES;
    /// (offset, data)
    SharedAtomic "shared_atomic" ([1 x 32] [1 x any]) -> [1 x any] {base atomic_op} READS | WRITES;
    /// (offset, compare, data)
    SharedAtomicSwap "shared_atomic_swap" ([1 x 32] [1 x any] [1 x any]) -> [1 x any] {base} READS | WRITES;
    /// (offset), in the invocation's own scratch
    LoadScratch "load_scratch" ([1 x 32]) -> [any] {base align_mul align_offset} READS;
    /// (value, offset)
    StoreScratch "store_scratch" ([any] [1 x 32]) -> [] {base write_mask align_mul align_offset} WRITES;
    /// (address)
    LoadGlobal "load_global" ([1 x 64]) -> [any] {access align_mul align_offset} READS;
    /// As load_global, but memory that nobody writes during the shader.
    LoadGlobalConstant "load_global_constant" ([1 x 64]) -> [any] {access align_mul align_offset} PURE;
    /// (value, address)
    StoreGlobal "store_global" ([any] [1 x 64]) -> [] {write_mask access align_mul align_offset} WRITES;
    /// (address, data)
    GlobalAtomic "global_atomic" ([1 x 64] [1 x any]) -> [1 x any] {atomic_op access} READS | WRITES;
    /// (address, compare, data)
    GlobalAtomicSwap "global_atomic_swap" ([1 x 64] [1 x any] [1 x any]) -> [1 x any] {access} READS | WRITES;

    // --- barriers. Scopes and semantics are SPIR-V's numbers; scope 4 (Invocation) in execution_scope = none -----
    /// Control and memory barrier. memory_modes: 1 ssbo and global, 2 shared, 4 image.
    Barrier "barrier" () -> [] {execution_scope memory_scope memory_semantics memory_modes} BARRIER | WRITES | CROSS_THREAD | CONVERGENT;
    /// Ends the invocation.
    Terminate "terminate" () -> [] {} WRITES | CONVERGENT;
    /// SubgroupSize-independent clock (volatile), two dwords.
    ShaderClock "shader_clock" () -> [2 x 32] {scope} WRITES;

    // --- system values -----------------------------------------------------------------------------
    /// gl_WorkGroupID, before the base of vkCmdDispatchBase is added.
    LoadWorkgroupId "load_workgroup_id" () -> [3 x 32] {} PURE;
    /// Base of vkCmdDispatchBase.
    LoadBaseWorkgroupId "load_base_workgroup_id" () -> [3 x 32] {} PURE;
    /// gl_NumWorkGroups.
    LoadNumWorkgroups "load_num_workgroups" () -> [3 x 32] {} PURE;
    /// gl_LocalInvocationID.
    LoadLocalInvocationId "load_local_invocation_id" () -> [3 x 32] {} PURE;
    /// gl_LocalInvocationIndex.
    LoadLocalInvocationIndex "load_local_invocation_index" () -> [1 x 32] {} PURE;
    /// gl_SubgroupID.
    LoadSubgroupId "load_subgroup_id" () -> [1 x 32] {} PURE;
    /// gl_NumSubgroups.
    LoadNumSubgroups "load_num_subgroups" () -> [1 x 32] {} PURE;
    /// gl_SubgroupSize.
    LoadSubgroupSize "load_subgroup_size" () -> [1 x 32] {} PURE;
    /// gl_SubgroupInvocationID.
    LoadSubgroupInvocation "load_subgroup_invocation" () -> [1 x 32] {} PURE;
    /// Subgroup masks, as a uvec4: relation 0 eq, 1 ge, 2 gt, 3 le, 4 lt.
    LoadSubgroupMask "load_subgroup_mask" () -> [4 x 32] {relation} PURE;

    // --- subgroup operations: class E (they read the mask) ---------------------------------------------
    /// One invocation of the tangle gets true.
    Elect "elect" () -> [1 x 1] {} CROSS_THREAD | CONVERGENT;
    /// Index of the first active invocation.
    FirstInvocation "first_invocation" () -> [1 x 32] {} CROSS_THREAD | CONVERGENT;
    /// Bit mask of the invocations whose operand is true.
    Ballot "ballot" ([1 x 1]) -> [any 32] {} CROSS_THREAD | CONVERGENT;
    /// True if any.
    VoteAny "vote_any" ([1 x 1]) -> [1 x 1] {} CROSS_THREAD | CONVERGENT;
    /// True if all.
    VoteAll "vote_all" ([1 x 1]) -> [1 x 1] {} CROSS_THREAD | CONVERGENT;
    /// True if all have the same bits.
    VoteIeq "vote_ieq" ([any]) -> [1 x 1] {} CROSS_THREAD | CONVERGENT;
    /// True if all compare equal as floats.
    VoteFeq "vote_feq" ([any]) -> [1 x 1] {} CROSS_THREAD | CONVERGENT;
    /// The first active invocation's value.
    ReadFirstInvocation "read_first_invocation" ([any]) -> [any] {} CROSS_THREAD | CONVERGENT;
    /// Own bit of a ballot (uniform operand).
    InverseBallot "inverse_ballot" ([any 32]) -> [1 x 1] {} CROSS_THREAD | BY_INDEX | UNIFORM_OPERAND;
    /// Reduction of (value) over clusters of cluster_size (0: all); reduction_op is an `AluOp`'s number.
    Reduce "reduce" ([any]) -> [any] {reduction_op cluster_size} CROSS_THREAD | CONVERGENT;
    /// Inclusive scan.
    InclusiveScan "inclusive_scan" ([any]) -> [any] {reduction_op} CROSS_THREAD | CONVERGENT;
    /// Exclusive scan.
    ExclusiveScan "exclusive_scan" ([any]) -> [any] {reduction_op} CROSS_THREAD | CONVERGENT;

    // --- class R: other lanes' values by index ---------------------------------------------------------
    /// (value, uniform invocation)
    ReadInvocation "read_invocation" ([any] [1 x 32]) -> [any] {} CROSS_THREAD | BY_INDEX | UNIFORM_OPERAND;
    /// (value, invocation)
    Shuffle "shuffle" ([any] [1 x 32]) -> [any] {} CROSS_THREAD | BY_INDEX;
    /// (value, mask)
    ShuffleXor "shuffle_xor" ([any] [1 x 32]) -> [any] {} CROSS_THREAD | BY_INDEX;
    /// (value, delta)
    ShuffleUp "shuffle_up" ([any] [1 x 32]) -> [any] {} CROSS_THREAD | BY_INDEX;
    /// (value, delta)
    ShuffleDown "shuffle_down" ([any] [1 x 32]) -> [any] {} CROSS_THREAD | BY_INDEX;
    /// (value, index in quad)
    QuadBroadcast "quad_broadcast" ([any] [1 x 32]) -> [any] {} CROSS_THREAD | BY_INDEX | UNIFORM_OPERAND;
    /// Horizontal neighbour.
    QuadSwapHorizontal "quad_swap_horizontal" ([any]) -> [any] {} CROSS_THREAD | BY_INDEX;
    /// Vertical neighbour.
    QuadSwapVertical "quad_swap_vertical" ([any]) -> [any] {} CROSS_THREAD | BY_INDEX;
    /// Diagonal neighbour.
    QuadSwapDiagonal "quad_swap_diagonal" ([any]) -> [any] {} CROSS_THREAD | BY_INDEX;
}
