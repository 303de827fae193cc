//! The intrinsics table: operations on memory, other invocations, I/O and system values.
//!
//! An entry gives the name, the sources (components × bits; 0 = any, given by the def), the result,
//! the names of the constant indices, and the effects. Passes decide by [`Effects`]; none keeps its
//! own list of intrinsics.

/// Side effects of an operation and restrictions on moving it, as a bit set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effects(pub u16);

impl Effects {
    /// A pure function of the operands.
    pub const PURE: Effects = Effects(0);
    /// Reads memory that other operations or invocations may write.
    pub const READS: Effects = Effects(1);
    /// Writes memory, or has another effect that must occur exactly once for each execution.
    pub const WRITES: Effects = Effects(2);
    /// The result depends on other invocations of the tangle: their values, or which of them are
    /// active.
    pub const CROSS_THREAD: Effects = Effects(4);
    /// Convergent: the set of invocations that execute it together must not change.
    pub const CONVERGENT: Effects = Effects(8);
    /// Defined only in uniform control flow: may move earlier, never under a condition.
    pub const UNIFORM_CONTROL: Effects = Effects(16);
    /// Helper invocations must still be active.
    pub const NEEDS_HELPERS: Effects = Effects(32);
    /// An operand must be uniform; moving the operation out of a divergent loop can violate that.
    pub const UNIFORM_OPERAND: Effects = Effects(64);
    /// Cross-thread by lane index: independent of which other lanes are active.
    pub const BY_INDEX: Effects = Effects(128);
    /// Orders memory accesses around it.
    pub const BARRIER: Effects = Effects(256);
    /// Terminates invocations or demotes them to helpers: operations that depend on the set of
    /// active invocations must not move across.
    pub const CHANGES_MASK: Effects = Effects(512);
    /// The result may be divergent though all operands are uniform. Only the divergence analysis
    /// uses this; it does not restrict motion.
    pub const LANE: Effects = Effects(1024);

    /// Pure, but implemented by a message to a shared function: too expensive to execute
    /// speculatively.
    pub const MESSAGE: Effects = Effects(2048);

    /// The union.
    pub const fn or(self, other: Effects) -> Effects {
        Effects(self.0 | other.0)
    }
    /// True if any flag of `other` is set.
    pub const fn any(self, other: Effects) -> bool {
        self.0 & other.0 != 0
    }
    /// True if the operation may be removed when its result is unused.
    pub const fn can_eliminate(self) -> bool {
        !self.any(Effects(2 | 256))
    }
    /// True if the operation may be moved, merged with an equal one, and duplicated.
    pub const fn can_reorder(self) -> bool {
        self.0 & !(Effects::LANE.0 | Effects::MESSAGE.0) == 0
    }
}

/// Components and bits of a source or result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueShape {
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
    pub srcs: &'static [ValueShape],
    /// Result, if any.
    pub def: Option<ValueShape>,
    /// Names of the constant indices, in order.
    pub indices: &'static [&'static str],
    /// Side effects and restrictions on moving it.
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
        ValueShape {
            components: 0,
            bits: 0,
        }
    };
    (any $b:literal) => {
        ValueShape {
            components: 0,
            bits: $b,
        }
    };
    ($c:literal x any) => {
        ValueShape {
            components: $c,
            bits: 0,
        }
    };
    ($c:literal x $b:literal) => {
        ValueShape {
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

// `location` is a slot (io.rs), `component` the first 32-bit component in it, `base` the backend's
// number of the slot, set when the stages are linked; `num_slots` is the number of slots that the
// offset (in slots) may address. `image_dim`, `format`, `dest_type` and `src_type`: tex.rs. A
// coordinate has as many components as its dimension, and then the array layer. `access` is a bit
// set: 1 coherent, 2 restrict, 4 volatile, 8 non_writable, 16 non_readable, 32 non_uniform, 64
// aliased, 128 unchanging. `align_mul` and `align_offset` are bytes: address % align_mul ==
// align_offset.
intrinsics! {
    // --- derefs: before I/O is lowered
    /// Loads through a pointer.
    LoadDeref "load_deref" ([1 x 32]) -> [any] {access} READS;
    /// (pointer, value): stores through a pointer the components whose bit in write_mask is set.
    StoreDeref "store_deref" ([1 x 32] [any]) -> [] {write_mask access} WRITES;
    /// (destination pointer, source pointer): copies a whole object.
    CopyDeref "copy_deref" ([1 x 32] [1 x 32]) -> [] {dst_access src_access} READS | WRITES;
    /// (pointer, data): atomic read-modify-write; the result is the old value.
    DerefAtomic "deref_atomic" ([1 x 32] [1 x any]) -> [1 x any] {atomic_op access} READS | WRITES;
    /// (pointer, compare, data): atomic compare-and-exchange; the result is the old value.
    DerefAtomicSwap "deref_atomic_swap" ([1 x 32] [1 x any] [1 x any]) -> [1 x any] {access} READS | WRITES;
    /// Length of the runtime array that ends the buffer block pointed to (source: pointer to the
    /// array).
    DerefBufferArrayLength "deref_buffer_array_length" ([1 x 32]) -> [1 x 32] {} PURE;
    /// The address of a pointer to physical storage. For other pointers a value for comparisons:
    /// the byte offset (low 32 bits) and a number of the resource (high 32 bits).
    DerefAddress "deref_address" ([1 x 32]) -> [1 x 64] {} PURE;

    // --- resources
    /// (element): handle of the descriptor's surface at (set, binding). Opaque, 32 bits.
    VulkanResourceIndex "vulkan_resource_index" ([1 x 32]) -> [1 x 32] {set binding} PURE;
    /// (element): handle of the descriptor's sampler at (set, binding). Opaque, 32 bits.
    VulkanSamplerIndex "vulkan_sampler_index" ([1 x 32]) -> [1 x 32] {set binding} PURE;

    // --- memory, after lowering: offsets and sizes in bytes
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
    /// (handle): dwords that the driver keeps in a surface's state, from byte `base` of it on.
    LoadSurfaceState "load_surface_state" ([1 x 32]) -> [any 32] {base} MESSAGE;
    /// (offset); `base` is added.
    LoadPushConstant "load_push_constant" ([1 x 32]) -> [any] {base range align_mul align_offset} PURE;
    /// (offset), in the shader's constant data
    LoadConstant "load_constant" ([1 x 32]) -> [any] {base align_mul align_offset} MESSAGE;
    /// (offset)
    LoadShared "load_shared" ([1 x 32]) -> [any] {base align_mul align_offset} READS;
    /// (value, offset)
    StoreShared "store_shared" ([any] [1 x 32]) -> [] {base write_mask align_mul align_offset} WRITES;
    /// (offset, data)
    SharedAtomic "shared_atomic" ([1 x 32] [1 x any]) -> [1 x any] {base atomic_op} READS | WRITES;
    /// (offset, compare, data)
    SharedAtomicSwap "shared_atomic_swap" ([1 x 32] [1 x any] [1 x any]) -> [1 x any] {base} READS | WRITES;
    /// (offset), in the invocation's scratch
    LoadScratch "load_scratch" ([1 x 32]) -> [any] {base align_mul align_offset} READS | LANE;
    /// (value, offset), in the invocation's scratch
    StoreScratch "store_scratch" ([any] [1 x 32]) -> [] {base write_mask align_mul align_offset} WRITES;
    /// (address)
    LoadGlobal "load_global" ([1 x 64]) -> [any] {access align_mul align_offset} READS;
    /// (address): as load_global, of memory that is not written while the shader runs.
    LoadGlobalConstant "load_global_constant" ([1 x 64]) -> [any] {access align_mul align_offset} MESSAGE;
    /// (value, address)
    StoreGlobal "store_global" ([any] [1 x 64]) -> [] {write_mask access align_mul align_offset} WRITES;
    /// (address, data)
    GlobalAtomic "global_atomic" ([1 x 64] [1 x any]) -> [1 x any] {atomic_op access} READS | WRITES;
    /// (address, compare, data)
    GlobalAtomicSwap "global_atomic_swap" ([1 x 64] [1 x any] [1 x any]) -> [1 x any] {access} READS | WRITES;

    // --- barriers. Scopes and semantics are SPIR-V's numbers; scope 4 (Invocation) in
    // execution_scope = none
    /// Control and memory barrier. memory_modes: 1 ssbo and global, 2 shared, 4 image.
    Barrier "barrier" () -> [] {execution_scope memory_scope memory_semantics memory_modes} BARRIER | WRITES | CROSS_THREAD | CONVERGENT;
    /// Begins the fragment shader interlock: waits until earlier invocations of the same pixel have
    /// ended. The critical section lasts until the invocation's end.
    BeginInterlock "begin_interlock" () -> [] {} BARRIER | WRITES | CONVERGENT;
    /// Ends the invocation.
    Terminate "terminate" () -> [] {} WRITES | CONVERGENT | CHANGES_MASK;
    /// Ends the invocation where the operand is true.
    TerminateIf "terminate_if" ([1 x 1]) -> [] {} WRITES | CONVERGENT | CHANGES_MASK;
    /// Demotes the invocation to a helper: it continues, without effect on memory and outputs.
    Demote "demote" () -> [] {} WRITES | CONVERGENT | CHANGES_MASK;
    /// As `demote`, where the operand is true.
    DemoteIf "demote_if" ([1 x 1]) -> [] {} WRITES | CONVERGENT | CHANGES_MASK;
    /// A clock of 64 bits, as two dwords; volatile.
    ShaderClock "shader_clock" () -> [2 x 32] {scope} WRITES | LANE;

    // --- system values
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

    /// VertexIndex: the index, including the base vertex.
    LoadVertexId "load_vertex_id" () -> [1 x 32] {} LANE;
    /// The index, without the base vertex or first vertex.
    LoadVertexIdZeroBase "load_vertex_id_zero_base" () -> [1 x 32] {} LANE;
    /// vertexOffset of an indexed draw, firstVertex of a non-indexed draw: the first VertexIndex.
    LoadFirstVertex "load_first_vertex" () -> [1 x 32] {} PURE;
    /// BaseVertex; in Vulkan the same as `load_first_vertex`.
    LoadBaseVertex "load_base_vertex" () -> [1 x 32] {} PURE;
    /// The instance index, without the base instance.
    LoadInstanceId "load_instance_id" () -> [1 x 32] {} LANE;
    /// firstInstance.
    LoadBaseInstance "load_base_instance" () -> [1 x 32] {} PURE;
    /// DrawIndex: number of the draw in a multi-draw.
    LoadDrawId "load_draw_id" () -> [1 x 32] {} PURE;
    /// ViewIndex of multiview.
    LoadViewIndex "load_view_index" () -> [1 x 32] {} LANE;
    /// gl_PrimitiveID, as a system value rather than an output of the previous stage.
    LoadPrimitiveId "load_primitive_id" () -> [1 x 32] {} LANE;
    /// gl_InvocationID: output vertex of the patch, or instance of the geometry shader.
    LoadInvocationId "load_invocation_id" () -> [1 x 32] {} LANE;
    /// gl_PatchVerticesIn: number of vertices of the input patch.
    LoadPatchVerticesIn "load_patch_vertices_in" () -> [1 x 32] {} PURE;
    /// gl_TessCoord; z is 1 - x - y for triangles, else 0.
    LoadTessCoord "load_tess_coord" () -> [3 x 32] {} LANE;
    /// gl_FragCoord; w is 1/w.
    LoadFragCoord "load_frag_coord" () -> [4 x 32] {} LANE;
    /// The fragment's pixel: gl_FragCoord.xy rounded down, for any sample.
    LoadPixelCoord "load_pixel_coord" () -> [2 x 32] {} LANE;
    /// gl_FrontFacing.
    LoadFrontFace "load_front_face" () -> [1 x 1] {} LANE;
    /// gl_SampleID.
    LoadSampleId "load_sample_id" () -> [1 x 32] {} LANE;
    /// gl_SamplePosition.
    LoadSamplePos "load_sample_pos" () -> [2 x 32] {} LANE;
    /// gl_SampleMaskIn.
    LoadSampleMaskIn "load_sample_mask_in" () -> [1 x 32] {} LANE;
    /// Samples of a pixel whose coverage the alpha of colour 0 determines; 0: none.
    LoadCoverageSamples "load_coverage_samples" () -> [1 x 32] {} PURE;
    /// gl_HelperInvocation: true in invocations that start as helpers.
    LoadHelperInvocation "load_helper_invocation" () -> [1 x 1] {} LANE;
    /// True in helpers, including demoted invocations; ordered with `demote`.
    IsHelperInvocation "is_helper_invocation" () -> [1 x 1] {} READS | LANE;
    /// gl_PointCoord.
    LoadPointCoord "load_point_coord" () -> [2 x 32] {} LANE;
    /// Framebuffer layer that the fragment is rendered to.
    LoadLayerId "load_layer_id" () -> [1 x 32] {} LANE;

    // --- inputs and outputs of a stage, after lowering. Offsets count slots; `vertex` is an index
    // into the patch's or primitive's vertices
    /// (offset): vertex attribute, flat or per-patch input.
    LoadInput "load_input" ([1 x 32]) -> [any] {base component location num_slots} LANE;
    /// (vertex, offset)
    LoadPerVertexInput "load_per_vertex_input" ([1 x 32] [1 x 32]) -> [any] {base component location num_slots} LANE;
    /// (barycentric coordinates, offset)
    LoadInterpolatedInput "load_interpolated_input" ([2 x 32] [1 x 32]) -> [any] {base component location num_slots} LANE;
    /// Barycentric coordinates at the pixel's centre: weights of the second and third vertex.
    LoadBarycentricPixel "load_barycentric_pixel" () -> [2 x 32] {interp_mode} LANE;
    /// Barycentric coordinates at the centroid, a covered position in the pixel.
    LoadBarycentricCentroid "load_barycentric_centroid" () -> [2 x 32] {interp_mode} LANE;
    /// Barycentric coordinates at the invocation's sample.
    LoadBarycentricSample "load_barycentric_sample" () -> [2 x 32] {interp_mode} LANE;
    /// (sample): barycentric coordinates at the sample's position.
    LoadBarycentricAtSample "load_barycentric_at_sample" ([1 x 32]) -> [2 x 32] {interp_mode} LANE | MESSAGE;
    /// (offset in pixels from the centre): barycentric coordinates at that position.
    LoadBarycentricAtOffset "load_barycentric_at_offset" ([2 x 32]) -> [2 x 32] {interp_mode} LANE | MESSAGE;
    /// (offset): reads back a per-patch output of a tessellation control shader.
    LoadOutput "load_output" ([1 x 32]) -> [any] {base component location num_slots} READS | LANE;
    /// (vertex, offset)
    LoadPerVertexOutput "load_per_vertex_output" ([1 x 32] [1 x 32]) -> [any] {base component location num_slots} READS | LANE;
    /// (value, offset). index: source of dual-source blending; stream: of a geometry shader.
    StoreOutput "store_output" ([any] [1 x 32]) -> [] {base write_mask component location num_slots index stream} WRITES;
    /// (value, vertex, offset)
    StorePerVertexOutput "store_per_vertex_output" ([any] [1 x 32] [1 x 32]) -> [] {base write_mask component location num_slots} WRITES;
    /// Interpolates the input pointed to at the centroid.
    InterpDerefAtCentroid "interp_deref_at_centroid" ([1 x 32]) -> [any] {} LANE | MESSAGE;
    /// (pointer, sample)
    InterpDerefAtSample "interp_deref_at_sample" ([1 x 32] [1 x 32]) -> [any] {} LANE | MESSAGE;
    /// (pointer, offset in pixels from the centre)
    InterpDerefAtOffset "interp_deref_at_offset" ([1 x 32] [2 x 32]) -> [any] {} LANE | MESSAGE;
    /// Emits a vertex; all outputs are undefined afterwards.
    EmitVertex "emit_vertex" () -> [] {stream} WRITES | CONVERGENT;
    /// Ends the current strip.
    EndPrimitive "end_primitive" () -> [] {stream} WRITES | CONVERGENT;

    // --- derivatives, within a quad: defined only in uniform control flow
    /// Derivative in x, fine or coarse at the implementation's choice.
    Ddx "ddx" ([any]) -> [any] {} CROSS_THREAD | UNIFORM_CONTROL | NEEDS_HELPERS;
    /// Derivative in y, fine or coarse at the implementation's choice.
    Ddy "ddy" ([any]) -> [any] {} CROSS_THREAD | UNIFORM_CONTROL | NEEDS_HELPERS;
    /// Derivative in x, of the invocation's row.
    DdxFine "ddx_fine" ([any]) -> [any] {} CROSS_THREAD | UNIFORM_CONTROL | NEEDS_HELPERS;
    /// Derivative in y, of the invocation's column.
    DdyFine "ddy_fine" ([any]) -> [any] {} CROSS_THREAD | UNIFORM_CONTROL | NEEDS_HELPERS;
    /// Derivative in x, the same for the whole quad.
    DdxCoarse "ddx_coarse" ([any]) -> [any] {} CROSS_THREAD | UNIFORM_CONTROL | NEEDS_HELPERS;
    /// Derivative in y, the same for the whole quad.
    DdyCoarse "ddy_coarse" ([any]) -> [any] {} CROSS_THREAD | UNIFORM_CONTROL | NEEDS_HELPERS;

    // --- storage images and texel buffers: through a pointer to the variable, then by handle
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

    // --- subgroup operations that depend on the set of active invocations
    /// True in exactly one active invocation.
    Elect "elect" () -> [1 x 1] {} CROSS_THREAD | CONVERGENT | LANE;
    /// Index of the first active invocation.
    FirstInvocation "first_invocation" () -> [1 x 32] {} CROSS_THREAD | CONVERGENT;
    /// Bit mask of the invocations whose operand is true.
    Ballot "ballot" ([1 x 1]) -> [any 32] {} CROSS_THREAD | CONVERGENT;
    /// True if the operand is true in any active invocation.
    VoteAny "vote_any" ([1 x 1]) -> [1 x 1] {} CROSS_THREAD | CONVERGENT;
    /// True if the operand is true in all active invocations.
    VoteAll "vote_all" ([1 x 1]) -> [1 x 1] {} CROSS_THREAD | CONVERGENT;
    /// True if the operand's bits are equal in all active invocations.
    VoteIeq "vote_ieq" ([any]) -> [1 x 1] {} CROSS_THREAD | CONVERGENT;
    /// True if the operand compares equal, as floats, in all active invocations.
    VoteFeq "vote_feq" ([any]) -> [1 x 1] {} CROSS_THREAD | CONVERGENT;
    /// The first active invocation's value.
    ReadFirstInvocation "read_first_invocation" ([any]) -> [any] {} CROSS_THREAD | CONVERGENT;
    /// The invocation's bit of a ballot (uniform operand).
    InverseBallot "inverse_ballot" ([any 32]) -> [1 x 1] {} CROSS_THREAD | BY_INDEX | UNIFORM_OPERAND | LANE;
    /// (value): reduction over clusters of cluster_size invocations (0: all); reduction_op is an
    /// `AluOp`'s number.
    Reduce "reduce" ([any]) -> [any] {reduction_op cluster_size} CROSS_THREAD | CONVERGENT;
    /// (value): inclusive scan.
    InclusiveScan "inclusive_scan" ([any]) -> [any] {reduction_op} CROSS_THREAD | CONVERGENT | LANE;
    /// (value): exclusive scan.
    ExclusiveScan "exclusive_scan" ([any]) -> [any] {reduction_op} CROSS_THREAD | CONVERGENT | LANE;

    // --- subgroup operations that read other lanes by index
    /// (value, lane): the value of a uniform lane
    ReadInvocation "read_invocation" ([any] [1 x 32]) -> [any] {} CROSS_THREAD | BY_INDEX | UNIFORM_OPERAND;
    /// (value, lane)
    Shuffle "shuffle" ([any] [1 x 32]) -> [any] {} CROSS_THREAD | BY_INDEX;
    /// (value, mask): the value of lane ^ mask
    ShuffleXor "shuffle_xor" ([any] [1 x 32]) -> [any] {} CROSS_THREAD | BY_INDEX;
    /// (value, delta): the value of lane - delta
    ShuffleUp "shuffle_up" ([any] [1 x 32]) -> [any] {} CROSS_THREAD | BY_INDEX;
    /// (value, delta): the value of lane + delta
    ShuffleDown "shuffle_down" ([any] [1 x 32]) -> [any] {} CROSS_THREAD | BY_INDEX;
    /// (value, index in quad)
    QuadBroadcast "quad_broadcast" ([any] [1 x 32]) -> [any] {} CROSS_THREAD | BY_INDEX | UNIFORM_OPERAND;
    /// The value of the horizontal neighbour in the quad.
    QuadSwapHorizontal "quad_swap_horizontal" ([any]) -> [any] {} CROSS_THREAD | BY_INDEX;
    /// The value of the vertical neighbour in the quad.
    QuadSwapVertical "quad_swap_vertical" ([any]) -> [any] {} CROSS_THREAD | BY_INDEX;
    /// The value of the diagonal neighbour in the quad.
    QuadSwapDiagonal "quad_swap_diagonal" ([any]) -> [any] {} CROSS_THREAD | BY_INDEX;
}
