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
    /// Ends invocations or makes helpers of them: what reads the set of active invocations, or that state, may
    /// see another behind it.
    pub const CHANGES_MASK: Effects = Effects(512);
    /// The result may differ by invocation though all operands are the same. No effect: it binds no pass but
    /// the divergence analysis.
    pub const LANE: Effects = Effects(1024);

    /// Pure, but the machine asks another unit for it: not worth doing where nobody needs it.
    pub const MESSAGE: Effects = Effects(2048);

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
        self.0 & !(Effects::LANE.0 | Effects::MESSAGE.0) == 0
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
    #[inline]
    pub fn index_of(self, name: &str) -> Option<usize> {
        self.info().indices.iter().position(|n| *n == name)
    }
}

// `location` is a slot (io.rs), `component` counts 32 bits in it, `base` is the driver's number of the slot, known when
// the stages are linked; `num_slots` are those that the offset (in slots) may reach. `image_dim`, `format`, `dest_type`
// and `src_type`: tex.rs. A coordinate has the components that its dimension has, a layer last.
// `access` is a bit set: 1 coherent, 2 restrict, 4 volatile, 8 non_writable, 16 non_readable, 32 non_uniform,
// 64 aliased, 128 unchanging.
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
    /// The address that a pointer to physical storage is; of another pointer the offset in its resource (low 32 bits) and what
    /// resource that is.
    DerefAddress "deref_address" ([1 x 32]) -> [1 x 64] {} PURE;

    // --- resources -------------------------------------------------------------------------------
    /// Handle of a descriptor's surface: element `source 0` of the array at (set, binding). Opaque, 32 bits.
    VulkanResourceIndex "vulkan_resource_index" ([1 x 32]) -> [1 x 32] {set binding} PURE;
    /// Handle of a descriptor's sampler, in the same way.
    VulkanSamplerIndex "vulkan_sampler_index" ([1 x 32]) -> [1 x 32] {set binding} PURE;

    // --- memory, after lowering: offsets and sizes in bytes -----------------------------------------
    /// (handle, offset)
    LoadUbo "load_ubo" ([1 x 32] [1 x 32]) -> [any] {access align_mul align_offset} MESSAGE;
    /// (handle, offset)
    LoadSsbo "load_ssbo" ([1 x 32] [1 x 32]) -> [any] {access align_mul align_offset} READS;
    /// (value, handle, offset)
    StoreSsbo "store_ssbo" ([any] [1 x 32] [1 x 32]) -> [] {write_mask access align_mul align_offset} WRITES;
    /// (handle, offset, data)
    SsboAtomic "ssbo_atomic" ([1 x 32] [1 x 32] [1 x any]) -> [1 x any] {atomic_op access} READS | WRITES;
    /// (handle, offset, compare, data)
    SsboAtomicSwap "ssbo_atomic_swap" ([1 x 32] [1 x 32] [1 x any] [1 x any]) -> [1 x any] {access} READS | WRITES;
    /// Size in bytes of the buffer bound (handle).
    GetSsboSize "get_ssbo_size" ([1 x 32]) -> [1 x 32] {} MESSAGE;
    /// Address of the first byte of the buffer bound (handle).
    LoadSsboAddress "load_ssbo_address" ([1 x 32]) -> [1 x 64] {} MESSAGE;
    /// (offset); `base` is added.
    LoadPushConstant "load_push_constant" ([1 x 32]) -> [any] {base range align_mul align_offset} PURE;
    /// (offset), in what the shader's constant variables hold
    LoadConstant "load_constant" ([1 x 32]) -> [any] {base align_mul align_offset} MESSAGE;
    /// (offset)
    LoadShared "load_shared" ([1 x 32]) -> [any] {base align_mul align_offset} READS;
    /// (value, offset)
    StoreShared "store_shared" ([any] [1 x 32]) -> [] {base write_mask align_mul align_offset} WRITES;
    /// (offset, data)
    SharedAtomic "shared_atomic" ([1 x 32] [1 x any]) -> [1 x any] {base atomic_op} READS | WRITES;
    /// (offset, compare, data)
    SharedAtomicSwap "shared_atomic_swap" ([1 x 32] [1 x any] [1 x any]) -> [1 x any] {base} READS | WRITES;
    /// (offset), in the invocation's own scratch
    LoadScratch "load_scratch" ([1 x 32]) -> [any] {base align_mul align_offset} READS | LANE;
    /// (value, offset)
    StoreScratch "store_scratch" ([any] [1 x 32]) -> [] {base write_mask align_mul align_offset} WRITES;
    /// (address)
    LoadGlobal "load_global" ([1 x 64]) -> [any] {access align_mul align_offset} READS;
    /// As load_global, but memory that nobody writes during the shader.
    LoadGlobalConstant "load_global_constant" ([1 x 64]) -> [any] {access align_mul align_offset} MESSAGE;
    /// (value, address)
    StoreGlobal "store_global" ([any] [1 x 64]) -> [] {write_mask access align_mul align_offset} WRITES;
    /// (address, data)
    GlobalAtomic "global_atomic" ([1 x 64] [1 x any]) -> [1 x any] {atomic_op access} READS | WRITES;
    /// (address, compare, data)
    GlobalAtomicSwap "global_atomic_swap" ([1 x 64] [1 x any] [1 x any]) -> [1 x any] {access} READS | WRITES;

    // --- barriers. Scopes and semantics are SPIR-V's numbers; scope 4 (Invocation) in execution_scope = none -----
    /// Control and memory barrier. memory_modes: 1 ssbo and global, 2 shared, 4 image.
    Barrier "barrier" () -> [] {execution_scope memory_scope memory_semantics memory_modes} BARRIER | WRITES | CROSS_THREAD | CONVERGENT;
    /// From here on no other invocation of this pixel that comes before or behind is between its own such place and its end.
    BeginInterlock "begin_interlock" () -> [] {} BARRIER | WRITES | CONVERGENT;
    /// Ends the invocation.
    Terminate "terminate" () -> [] {} WRITES | CONVERGENT | CHANGES_MASK;
    /// Ends the invocation where the operand is true.
    TerminateIf "terminate_if" ([1 x 1]) -> [] {} WRITES | CONVERGENT | CHANGES_MASK;
    /// Makes a helper of the invocation: it goes on, without effect on memory and outputs.
    Demote "demote" () -> [] {} WRITES | CONVERGENT | CHANGES_MASK;
    /// As `demote`, where the operand is true.
    DemoteIf "demote_if" ([1 x 1]) -> [] {} WRITES | CONVERGENT | CHANGES_MASK;
    /// SubgroupSize-independent clock (volatile), two dwords.
    ShaderClock "shader_clock" () -> [2 x 32] {scope} WRITES | LANE;

    // --- system values -----------------------------------------------------------------------------
    /// gl_WorkGroupID, before the base of vkCmdDispatchBase is added.
    LoadWorkgroupId "load_workgroup_id" () -> [3 x 32] {} PURE;
    /// Base of vkCmdDispatchBase.
    LoadBaseWorkgroupId "load_base_workgroup_id" () -> [3 x 32] {} PURE;
    /// gl_NumWorkGroups.
    LoadNumWorkgroups "load_num_workgroups" () -> [3 x 32] {} PURE;
    /// gl_LocalInvocationID.
    LoadLocalInvocationId "load_local_invocation_id" () -> [3 x 32] {} LANE;
    /// gl_LocalInvocationIndex.
    LoadLocalInvocationIndex "load_local_invocation_index" () -> [1 x 32] {} LANE;
    /// gl_SubgroupID.
    LoadSubgroupId "load_subgroup_id" () -> [1 x 32] {} PURE;
    /// gl_NumSubgroups.
    LoadNumSubgroups "load_num_subgroups" () -> [1 x 32] {} PURE;
    /// gl_SubgroupSize.
    LoadSubgroupSize "load_subgroup_size" () -> [1 x 32] {} PURE;
    /// gl_SubgroupInvocationID.
    LoadSubgroupInvocation "load_subgroup_invocation" () -> [1 x 32] {} LANE;
    /// Subgroup masks, as a uvec4: relation 0 eq, 1 ge, 2 gt, 3 le, 4 lt.
    LoadSubgroupMask "load_subgroup_mask" () -> [4 x 32] {relation} LANE;

    /// gl_VertexID as OpenGL counts: the index, base vertex included. Vulkan's VertexIndex.
    LoadVertexId "load_vertex_id" () -> [1 x 32] {} LANE;
    /// The index, without the base vertex or first vertex.
    LoadVertexIdZeroBase "load_vertex_id_zero_base" () -> [1 x 32] {} LANE;
    /// vertexOffset of an indexed draw, firstVertex of another: what VertexIndex begins at.
    LoadFirstVertex "load_first_vertex" () -> [1 x 32] {} PURE;
    /// gl_BaseVertex: Vulkan's BaseVertex, the same as `load_first_vertex`.
    LoadBaseVertex "load_base_vertex" () -> [1 x 32] {} PURE;
    /// The instance, without the base instance.
    LoadInstanceId "load_instance_id" () -> [1 x 32] {} LANE;
    /// firstInstance.
    LoadBaseInstance "load_base_instance" () -> [1 x 32] {} PURE;
    /// Number of the draw in a multi draw.
    LoadDrawId "load_draw_id" () -> [1 x 32] {} PURE;
    /// View of multiview.
    LoadViewIndex "load_view_index" () -> [1 x 32] {} LANE;
    /// gl_PrimitiveID, where it is no output of the stage before.
    LoadPrimitiveId "load_primitive_id" () -> [1 x 32] {} LANE;
    /// Vertex of the patch, or run of the geometry shader.
    LoadInvocationId "load_invocation_id" () -> [1 x 32] {} LANE;
    /// Vertices of the patch that comes in.
    LoadPatchVerticesIn "load_patch_vertices_in" () -> [1 x 32] {} PURE;
    /// Where in the patch; z is 1 - x - y for triangles, else 0.
    LoadTessCoord "load_tess_coord" () -> [3 x 32] {} LANE;
    /// gl_FragCoord; w is 1/w.
    LoadFragCoord "load_frag_coord" () -> [4 x 32] {} LANE;
    /// The fragment's pixel: gl_FragCoord.xy rounded down, whichever sample it is for.
    LoadPixelCoord "load_pixel_coord" () -> [2 x 32] {} LANE;
    /// True in what faces the viewer.
    LoadFrontFace "load_front_face" () -> [1 x 1] {} LANE;
    /// gl_SampleID.
    LoadSampleId "load_sample_id" () -> [1 x 32] {} LANE;
    /// gl_SamplePosition.
    LoadSamplePos "load_sample_pos" () -> [2 x 32] {} LANE;
    /// gl_SampleMaskIn.
    LoadSampleMaskIn "load_sample_mask_in" () -> [1 x 32] {} LANE;
    /// True in helpers, as the shader begins.
    LoadHelperInvocation "load_helper_invocation" () -> [1 x 1] {} LANE;
    /// True in helpers, demoted ones included: ordered with `demote`.
    IsHelperInvocation "is_helper_invocation" () -> [1 x 1] {} READS | LANE;
    /// gl_PointCoord.
    LoadPointCoord "load_point_coord" () -> [2 x 32] {} LANE;
    /// Layer of the framebuffer that is drawn to.
    LoadLayerId "load_layer_id" () -> [1 x 32] {} LANE;

    // --- inputs and outputs of a stage, after lowering. Offsets count slots; a vertex is one of those that a patch or
    // primitive has ------------------------------------------------------------------------------------
    /// (offset): vertex attribute, flat or per-patch input.
    LoadInput "load_input" ([1 x 32]) -> [any] {base component location num_slots} LANE;
    /// (vertex, offset)
    LoadPerVertexInput "load_per_vertex_input" ([1 x 32] [1 x 32]) -> [any] {base component location num_slots} LANE;
    /// (barycentric coordinates, offset)
    LoadInterpolatedInput "load_interpolated_input" ([2 x 32] [1 x 32]) -> [any] {base component location num_slots} LANE;
    /// Barycentric coordinates at the pixel's centre: weights of the second and third vertex.
    LoadBarycentricPixel "load_barycentric_pixel" () -> [2 x 32] {interp_mode} LANE;
    /// At a place that is covered.
    LoadBarycentricCentroid "load_barycentric_centroid" () -> [2 x 32] {interp_mode} LANE;
    /// At the sample that the invocation is for.
    LoadBarycentricSample "load_barycentric_sample" () -> [2 x 32] {interp_mode} LANE;
    /// (sample)
    LoadBarycentricAtSample "load_barycentric_at_sample" ([1 x 32]) -> [2 x 32] {interp_mode} LANE | MESSAGE;
    /// (offset in pixels from the centre)
    LoadBarycentricAtOffset "load_barycentric_at_offset" ([2 x 32]) -> [2 x 32] {interp_mode} LANE | MESSAGE;
    /// (offset): reads what the stage wrote: per-patch outputs of tessellation control.
    LoadOutput "load_output" ([1 x 32]) -> [any] {base component location num_slots} READS | LANE;
    /// (vertex, offset)
    LoadPerVertexOutput "load_per_vertex_output" ([1 x 32] [1 x 32]) -> [any] {base component location num_slots} READS | LANE;
    /// (value, offset). index: of dual-source blending; stream: of a geometry shader.
    StoreOutput "store_output" ([any] [1 x 32]) -> [] {base write_mask component location num_slots index stream} WRITES;
    /// (value, vertex, offset)
    StorePerVertexOutput "store_per_vertex_output" ([any] [1 x 32] [1 x 32]) -> [] {base write_mask component location num_slots} WRITES;
    /// Interpolates an input through its pointer, at a covered place.
    InterpDerefAtCentroid "interp_deref_at_centroid" ([1 x 32]) -> [any] {} LANE | MESSAGE;
    /// (pointer, sample)
    InterpDerefAtSample "interp_deref_at_sample" ([1 x 32] [1 x 32]) -> [any] {} LANE | MESSAGE;
    /// (pointer, offset in pixels from the centre)
    InterpDerefAtOffset "interp_deref_at_offset" ([1 x 32] [2 x 32]) -> [any] {} LANE | MESSAGE;
    /// Ends a vertex: the outputs are undefined behind it.
    EmitVertex "emit_vertex" () -> [] {stream} WRITES | CONVERGENT;
    /// Ends a strip.
    EndPrimitive "end_primitive" () -> [] {stream} WRITES | CONVERGENT;

    // --- derivatives: class U, of values of the quad ------------------------------------------------------
    /// In x, as the implementation likes.
    Ddx "ddx" ([any]) -> [any] {} CROSS_THREAD | UNIFORM_CONTROL | NEEDS_HELPERS;
    /// In y.
    Ddy "ddy" ([any]) -> [any] {} CROSS_THREAD | UNIFORM_CONTROL | NEEDS_HELPERS;
    /// In x, of the invocation's own row.
    DdxFine "ddx_fine" ([any]) -> [any] {} CROSS_THREAD | UNIFORM_CONTROL | NEEDS_HELPERS;
    /// In y, of the invocation's own column.
    DdyFine "ddy_fine" ([any]) -> [any] {} CROSS_THREAD | UNIFORM_CONTROL | NEEDS_HELPERS;
    /// In x, the same for the quad.
    DdxCoarse "ddx_coarse" ([any]) -> [any] {} CROSS_THREAD | UNIFORM_CONTROL | NEEDS_HELPERS;
    /// In y, the same for the quad.
    DdyCoarse "ddy_coarse" ([any]) -> [any] {} CROSS_THREAD | UNIFORM_CONTROL | NEEDS_HELPERS;

    // --- storage images and texel buffers: through a pointer to the variable, then by handle -----------------
    /// (pointer, coordinate, sample, level)
    ImageDerefLoad "image_deref_load" ([1 x 32] [any 32] [1 x 32] [1 x 32]) -> [any] {image_dim image_array format access dest_type} READS;
    /// (pointer, coordinate, sample, value, level)
    ImageDerefStore "image_deref_store" ([1 x 32] [any 32] [1 x 32] [any] [1 x 32]) -> [] {image_dim image_array format access src_type} WRITES;
    /// (pointer, coordinate, sample, data)
    ImageDerefAtomic "image_deref_atomic" ([1 x 32] [any 32] [1 x 32] [1 x any]) -> [1 x any] {image_dim image_array format access atomic_op} READS | WRITES;
    /// (pointer, coordinate, sample, compare, data)
    ImageDerefAtomicSwap "image_deref_atomic_swap" ([1 x 32] [any 32] [1 x 32] [1 x any] [1 x any]) -> [1 x any] {image_dim image_array format access} READS | WRITES;
    /// (pointer, level): texels in each direction, and layers.
    ImageDerefSize "image_deref_size" ([1 x 32] [1 x 32]) -> [any 32] {image_dim image_array format access} MESSAGE;
    /// (pointer)
    ImageDerefSamples "image_deref_samples" ([1 x 32]) -> [1 x 32] {image_dim image_array format access} MESSAGE;
    /// (handle, coordinate, sample, level)
    BindlessImageLoad "bindless_image_load" ([1 x 32] [any 32] [1 x 32] [1 x 32]) -> [any] {image_dim image_array format access dest_type} READS;
    /// (handle, coordinate, sample, value, level)
    BindlessImageStore "bindless_image_store" ([1 x 32] [any 32] [1 x 32] [any] [1 x 32]) -> [] {image_dim image_array format access src_type} WRITES;
    /// (handle, coordinate, sample, data)
    BindlessImageAtomic "bindless_image_atomic" ([1 x 32] [any 32] [1 x 32] [1 x any]) -> [1 x any] {image_dim image_array format access atomic_op} READS | WRITES;
    /// (handle, coordinate, sample, compare, data)
    BindlessImageAtomicSwap "bindless_image_atomic_swap" ([1 x 32] [any 32] [1 x 32] [1 x any] [1 x any]) -> [1 x any] {image_dim image_array format access} READS | WRITES;
    /// (handle, level)
    BindlessImageSize "bindless_image_size" ([1 x 32] [1 x 32]) -> [any 32] {image_dim image_array format access} MESSAGE;
    /// (handle)
    BindlessImageSamples "bindless_image_samples" ([1 x 32]) -> [1 x 32] {image_dim image_array format access} MESSAGE;

    // --- subgroup operations: class E (they read the mask) ---------------------------------------------
    /// One invocation of the tangle gets true.
    Elect "elect" () -> [1 x 1] {} CROSS_THREAD | CONVERGENT | LANE;
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
    InverseBallot "inverse_ballot" ([any 32]) -> [1 x 1] {} CROSS_THREAD | BY_INDEX | UNIFORM_OPERAND | LANE;
    /// Reduction of (value) over clusters of cluster_size (0: all); reduction_op is an `AluOp`'s number.
    Reduce "reduce" ([any]) -> [any] {reduction_op cluster_size} CROSS_THREAD | CONVERGENT;
    /// Inclusive scan.
    InclusiveScan "inclusive_scan" ([any]) -> [any] {reduction_op} CROSS_THREAD | CONVERGENT | LANE;
    /// Exclusive scan.
    ExclusiveScan "exclusive_scan" ([any]) -> [any] {reduction_op} CROSS_THREAD | CONVERGENT | LANE;

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
