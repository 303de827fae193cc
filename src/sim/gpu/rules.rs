//! Table of the rules that strict mode checks.
//!
//! In:  nothing. Out: [`RULES`], which `ingot sim --rules` prints, and a static for each row, from
//!      which units and strict mode create errors. Drivers in use on real machines obey them, but
//!      for those marked `unless lenient`.

use eu::StopReason;
use hw::{Device, Wa};

/// A requirement of the PRM on batches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchRule {
    /// Short name; stable.
    pub name: &'static str,
    /// The section of the PRM that states it.
    pub prm: &'static str,
    /// The requirement, in one line.
    pub help: &'static str,
    /// Drivers in use on real machines are known to break it, though documents or other drivers of
    /// Intel's have the erratum: [`crate::Options::lenient`] leaves it out.
    pub unless_lenient: bool,
    /// The workaround that the rule enforces.
    pub workaround: Option<Wa>,
}

impl BatchRule {
    /// Whether the rule is enforced on a device.
    pub(crate) fn applies(&self, device: &Device, lenient: bool) -> bool {
        let needed = self.workaround.is_none_or(|wa| device.needs(wa));
        needed && !(lenient && self.unless_lenient)
    }

    /// The error for a batch that breaks the rule at this address.
    pub(crate) fn stop(&self, what: impl Into<String>, at: u64) -> StopReason {
        StopReason::Undefined {
            rule: self.name,
            prm: self.prm,
            what: what.into(),
            at,
        }
    }

    /// Returns an error unless `holds`; `what` describes the violation.
    pub(crate) fn check(
        &self,
        holds: bool,
        at: u64,
        what: impl FnOnce() -> String,
    ) -> Result<(), StopReason> {
        match holds {
            true => Ok(()),
            false => Err(self.stop(what(), at)),
        }
    }
}

macro_rules! rules {
    ($($id:ident $name:literal $(unless $lenient:ident)? $(for $workaround:expr)?, $prm:literal, $help:literal;)*) => {
        $(pub(crate) static $id: BatchRule = BatchRule {
            name: $name,
            prm: concat!("SKL PRM ", $prm),
            help: $help,
            unless_lenient: rules!(@unless $($lenient)?),
            workaround: rules!(@workaround $($workaround)?),
        };)*
        /// Every rule for batches and dispatches. The rules for instructions are in the `eu` crate.
        pub static RULES: &[&BatchRule] = &[$(&$id),*];
    };
    (@unless) => { false };
    (@unless lenient) => { true };
    (@workaround) => { None };
    (@workaround $workaround:expr) => { Some($workaround) };
}

#[rustfmt::skip]
rules! {
    COMMAND_LENGTH "command-length", "vol. 2a, DWord Length", "a command has the length of its kind";
    RESERVED_BITS "reserved-bits", "vol. 2a, Reserved: MBZ", "reserved bits of commands and descriptors are zero";
    ADDRESS_CANONICAL "address-canonical" for Wa::CanonicalAddresses, "vol. 2a, MI_LOAD_REGISTER_MEM, Memory Address",
        "addresses are canonical, bits 63:48 repeat bit 47, but for those of MI_BATCH_BUFFER_START and STATE_BASE_ADDRESS";
    PRIVILEGED_REGISTER "privileged-register", "vol. 2a, MI_LOAD_REGISTER_IMM, User Mode Non-Privileged Registers",
        "batches of processes write only registers that the hardware or the kernel makes unprivileged";
    PIPELINE_SELECT_FLUSH "pipeline-select-flush" for Wa::FlushBeforePipelineSelect, "vol. 2a, PIPELINE_SELECT, programming notes",
        "before the pipeline changes, a stalling PIPE_CONTROL waits for work and flushes its writes";
    PIPELINE_SELECT_INVALIDATE "pipeline-select-invalidate", "vol. 2a, PIPELINE_SELECT, programming notes",
        "before the pipeline changes, a second PIPE_CONTROL invalidates the read-only caches";
    BASE_ADDRESS_FLUSH "base-address-flush", "vol. 2a, STATE_BASE_ADDRESS, programming notes",
        "before STATE_BASE_ADDRESS, a stalling PIPE_CONTROL waits for work and flushes its writes";
    BASE_ADDRESS_INVALIDATE "base-address-invalidate", "vol. 2a, STATE_BASE_ADDRESS, programming notes",
        "between a change of a base address and the next dispatch, the caches of data relative to it are invalidated";
    CONTEXT_WORKAROUND "context-workaround", "vol. 2c, CACHE_MODE_1, COMMON_SLICE_CHICKEN2; Linux, intel_workarounds.c",
        "masked writes keep the bits that the kernel sets in every context";
    CACHE_MODE "cache-mode" for Wa::MscRawHazard, "vol. 2c, CACHE_MODE_1, MSC RAW Hazard Avoidance Bit",
        "draws to targets with aux surfaces have MSC RAW hazard avoidance enabled";
    L3_DIVISION "l3-division", "vol. 2c, L3CNTLREG; vol. 5, L3 Allocation and Programming",
        "the L3 configuration is one of those documented";
    L3_DRAINED "l3-drained" for Wa::FlushBeforeL3Config, "vol. 5, L3 Allocation and Programming",
        "the L3 configuration changes only when work is complete and its writes are flushed";
    L3_INVALIDATED "l3-invalidated", "vol. 5, L3 Allocation and Programming",
        "read-only caches that work has used are invalidated after it, and a later PIPE_CONTROL stalls, before the L3 configuration changes";
    L3_CURBE "l3-curbe" unless lenient, "vol. 5, L3 Allocation and Programming",
        "constants are loaded after the last change of the L3 configuration, which moves the URB that holds them";
    PIPE_CONTROL_TEXTURE "pipe-control-texture" for Wa::StallWithTextureInvalidateOnGpgpu, "vol. 2a, PIPE_CONTROL, Texture Cache Invalidation Enable",
        "an invalidation of the texture cache comes with a stall for GPGPU work: its own, or one before it and one after (ERRATA.md)";
    PIPE_CONTROL_POST_SYNC "pipe-control-post-sync" unless lenient for Wa::StallWithPostSyncOnGpgpu, "vol. 2a, PIPE_CONTROL, Post Sync Operation",
        "a post-sync operation comes with a stall of its own in GPGPU mode";
    PIPE_CONTROL_VF "pipe-control-vf" for Wa::PostSyncWithVfInvalidate, "vol. 2a, PIPE_CONTROL, VF Cache Invalidation Enable",
        "an invalidation of the vertex fetch cache comes with a post-sync operation";
    POST_SYNC_ALIGNMENT "post-sync-alignment", "vol. 2a, PIPE_CONTROL, Address", "post-sync operations write aligned quadwords";
    STORE_LENGTH "store-length", "vol. 2a, MI_STORE_DATA_IMM, Store Qword; DWord Length", "the command contains the whole quadword that it stores";
    STORE_ALIGNMENT "store-alignment", "vol. 2a, MI_STORE_DATA_IMM, Address", "a stored quadword is aligned";
    VFE_STALL "vfe-stall" for Wa::StallBeforeVfeState, "vol. 2a, MEDIA_VFE_STATE", "a stalling PIPE_CONTROL comes between work and MEDIA_VFE_STATE";
    VFE_BEFORE_3D "vfe-before-3d" for Wa::VfeStateBefore3d, "vol. 2a, PIPELINE_SELECT, mid-object preemption",
        "MEDIA_VFE_STATE comes between the last walker and the selection of the 3D pipeline";
    VFE_THREADS "vfe-threads", "vol. 2a, MEDIA_VFE_STATE, Maximum Number of Threads", "no more threads than the machine has";
    VFE_SCRATCH "vfe-scratch", "vol. 2a, MEDIA_VFE_STATE, Per Thread Scratch Space", "scratch of a thread is at most 2 MB";
    CURBE_FLUSH "curbe-flush" for Wa::FlushAfterWalker, "vol. 2a, MEDIA_STATE_FLUSH", "a flush comes between GPGPU_WALKER and MEDIA_CURBE_LOAD";
    CURBE_ALIGNMENT "curbe-alignment", "vol. 2a, MEDIA_CURBE_LOAD", "start and length of CURBE data are multiples of 64 bytes";
    CURBE_ALLOCATION "curbe-allocation", "vol. 2a, MEDIA_VFE_STATE, CURBE Allocation Size", "CURBE data fits what is allocated";
    CURBE_READ "curbe-read", "vol. 2d, INTERFACE_DESCRIPTOR_DATA, Constant URB Entry Read Length",
        "threads read no more constants than were loaded";
    DESCRIPTOR_FLUSH "interface-descriptor-flush", "vol. 2a, MEDIA_INTERFACE_DESCRIPTOR_LOAD",
        "a flush comes between GPGPU_WALKER and MEDIA_INTERFACE_DESCRIPTOR_LOAD";
    DESCRIPTOR_RANGE "interface-descriptor-range", "vol. 2a, MEDIA_INTERFACE_DESCRIPTOR_LOAD",
        "interface descriptors start at a multiple of 64 bytes, and are 1 to 64 of 32 bytes";
    DESCRIPTOR_BOUNDS "interface-descriptor-bounds", "vol. 2a, MEDIA_INTERFACE_DESCRIPTOR_LOAD",
        "a walker's interface descriptor is one of those loaded";
    WALKER_PIPELINE "walker-pipeline", "vol. 2a, PIPELINE_SELECT", "the GPGPU pipeline is selected when a walker executes";
    WALKER_THREADS "walker-threads", "vol. 2a, GPGPU_WALKER, Thread Width Counter Maximum",
        "walker and descriptor agree on the threads of a workgroup";
    WALKER_SIMD "walker-simd", "vol. 2a, GPGPU_WALKER, SIMD Size", "8, 16 or 32 channels";
    WALKER_MASK "walker-mask", "vol. 2a, GPGPU_WALKER, Right Execution Mask", "the execution masks of the last row and column enable a channel";
    WALKER_GROUP "walker-group", "vol. 2a, GPGPU_WALKER", "a workgroup has no more threads than a subslice and the VFE can run concurrently";
    SLM_SIZE "slm-size", "vol. 2d, INTERFACE_DESCRIPTOR_DATA, Shared Local Memory Size", "at most 64 KB, by its code";
    SLM_L3 "slm-l3", "vol. 2c, L3CNTLREG, SLM Mode Enable", "the L3 configuration enables shared local memory if a kernel uses it";
    SLM_BOUNDS "slm-bounds", "vol. 7, Shared Local Memory", "accesses stay inside the allocated shared local memory";
    BARRIER_ENABLE "barrier-enable", "vol. 2d, INTERFACE_DESCRIPTOR_DATA, Barrier Enable", "a thread that waits at a barrier has the barrier enabled";
    BINDLESS_BOUNDS "bindless-bounds", "vol. 2a, STATE_BASE_ADDRESS, Bindless Surface State Size",
        "a surface handle lies in the bindless heap";
    HEAP_BOUNDS "heap-bounds", "vol. 2a, STATE_BASE_ADDRESS, Dynamic State Buffer Size",
        "constants, descriptors and kernels lie in their heaps";
    SCRATCH_BOUNDS "scratch-bounds", "vol. 7, Scratch Block Read/Write", "a thread accesses only its own scratch memory";
    SCRATCH_ROOM "scratch-room", "vol. 2a, 3DSTATE_PS, Scratch Space Base Pointer",
        "scratch memory has room for every number that the machine gives to a thread";
    BLOCK_MASK "block-mask", "vol. 7, OWord Block Write",
        "a block write with disabled channels has one channel for each dword: no document defines the others (ERRATA.md)";
    SURFACE_PITCH "surface-pitch", "vol. 2d, RENDER_SURFACE_STATE, Surface Pitch", "the pitch of a tiled surface is whole tiles";
    SURFACE_BASE "surface-base", "vol. 2d, RENDER_SURFACE_STATE, Surface Base Address", "a tiled surface begins at a multiple of a tile: 4 KB, or 64 KB of TileYs";
    SURFACE_ALIGNMENT "surface-alignment", "vol. 2d, RENDER_SURFACE_STATE, Surface Horizontal Alignment",
        "the alignments of levels are 4, 8 or 16 elements";
    SURFACE_CCS_ALIGNMENT "surface-ccs-alignment", "vol. 2d, RENDER_SURFACE_STATE, Surface Horizontal Alignment",
        "levels of a surface with a CCS and several of them are aligned to 16 elements";
    SURFACE_CCS_FORMAT "surface-ccs-format", "vol. 2d, RENDER_SURFACE_STATE, Auxiliary Surface Mode; SURFACE_FORMAT",
        "a surface with AUX_CCS_E has a format that supports lossless compression";
    SURFACE_L2_BYPASS "surface-l2-bypass" for Wa::SamplerL2BypassForBc, "vol. 2d, RENDER_SURFACE_STATE, Sampler L2 Bypass Mode Disable",
        "surfaces of BC2_UNORM, BC3_UNORM, BC5_UNORM, BC5_SNORM and BC7_UNORM do not bypass the sampler's L2";
    SURFACE_MIP_TAIL "surface-mip-tail" for Wa::MipTailStartBeyondLevels, "vol. 2d, RENDER_SURFACE_STATE, Mip Tail Start LOD",
        "the mip tail of an image of several levels starts beyond the last one: images in Y, X or W tiles or in rows have none";
    SURFACE_QPITCH "surface-qpitch", "vol. 2d, RENDER_SURFACE_STATE, Surface QPitch",
        "the rows between slices of a 3D surface in TileYf or TileYs are whole tiles";
    SURFACE_SHARED "surface-shared", "vol. 2d, MEMORY_OBJECT_CONTROL_STATE; the kernel's intel_mocs.c, entry 1",
        "images in dma-bufs are cached as the page tables say: the display engine does not snoop the LLC";
    SAMPLER_FORMATS "sampler-formats" unless lenient for Wa::InvalidateBetweenFormats, "vol. 7, Sampler; WaSamplerCacheFlushBetweenRedescribedSurfaceReads",
        "the texture cache is invalidated between reads of one surface in two formats";
    SAMPLER_ASTC "sampler-astc-5x5" unless lenient for Wa::FlushBetweenAstc5x5AndAux, "vol. 4, sampler workarounds",
        "the texture cache is invalidated between reads of ASTC 5x5 and of surfaces with CCS, MCS or HiZ";
    ASTC_VOID_EXTENT "astc-void-extent" for Wa::NoAstcVoidExtentDenormals, "vol. 5, ASTC Void Extent; WaEnableVoidExtentBlockPatchingforASTCLDRTextures",
        "void-extent blocks of ASTC that the sampler reads have no channel that is a denormal half float";
    SURFACE_CCS_PITCH "surface-ccs-pitch" unless lenient for Wa::CcsScanoutPitch, "vol. 12, display WA #0531; Linux, intel_fb_stride_alignment",
        "a surface of a dma-buf with a CCS and more than 3840 pixels in a row, which may be scanned out, has a pitch of a multiple of four tiles";
    SURFACE_ASTC_TILING "surface-astc-tiling", "vol. 2d, RENDER_SURFACE_STATE, Tile Mode", "ASTC textures are in Y tiles";
    WORK_ORDER "work-order", "vol. 2a, PIPE_CONTROL, Command Streamer Stall Enable",
        "a stalling PIPE_CONTROL comes between work that writes memory and other work that reads or writes it";
    TEXTURE_STALE "texture-stale", "vol. 2a, PIPE_CONTROL, Texture Cache Invalidation Enable",
        "the texture cache is invalidated between work that writes memory and the sampler's reads of it";
    CONSTANT_STALE "constant-stale", "vol. 2a, PIPE_CONTROL, Constant Cache Invalidation Enable",
        "the constant cache is invalidated between work that writes memory and its reads of it";
    VERTEX_STALE "vertex-stale", "vol. 2a, PIPE_CONTROL, VF Cache Invalidation Enable",
        "the vertex fetch cache is invalidated between work that writes memory and vertex fetch's reads of it";
    VERTEX_TAG "vertex-tag" for Wa::VfCacheKeyedBy32Bits, "vol. 2a, 3DSTATE_VERTEX_BUFFERS, Buffer Starting Address",
        "the vertex fetch cache is invalidated before a buffer is read at a multiple of 4 GB from where it was read before";
    STATE_STALE "state-stale", "vol. 2a, PIPE_CONTROL, State Cache Invalidation Enable",
        "the state cache is invalidated between a write of surface states, samplers and the like and their use";
    INSTRUCTION_STALE "instruction-stale", "vol. 2a, PIPE_CONTROL, Instruction Cache Invalidate Enable",
        "the instruction cache is invalidated between a write of a kernel and its execution";
    POST_SYNC_PENDING "post-sync-pending", "vol. 2a, PIPE_CONTROL, Post-Sync Operation; Pipe Control Flush Enable",
        "a stall, a PIPE_CONTROL that waits for it, or a semaphore's wait, comes between a post-sync operation and other accesses to what it writes";
    RENDER_FLUSH "render-flush", "vol. 7, End-of-Pipe Synchronization",
        "a stalling PIPE_CONTROL and a flush of the render cache come between draws to a render target and other units' accesses";
    DEPTH_FLUSH "depth-flush", "vol. 7, End-of-Pipe Synchronization",
        "a stalling PIPE_CONTROL and a flush of the depth cache come between draws to a depth buffer and other units' accesses";
    COMMANDS_STALE "commands-stale", "vol. 2a, PIPE_CONTROL, DC Flush Enable",
        "a stalling PIPE_CONTROL flushes the writer's cache between work that writes memory and commands that read it";
    URB_ENTRIES "urb-entries", "vol. 2a, 3DSTATE_URB_VS, VS Number of URB Entries",
        "the number of a stage's entries is in the documented range, and a multiple of eight if they are smaller than nine rows";
    DRAW_PIPELINE "draw-pipeline", "vol. 2a, PIPELINE_SELECT", "the 3D pipeline is selected when a draw executes";
    DRAW_STATE "draw-state", "vol. 7, 3D Pipeline State", "the state of every unit is programmed before a draw";
    VERTEX_COMPONENTS "vertex-components", "vol. 2d, 3D_Vertex_Component_Control",
        "components from the source come first; components that are not stored come last, and at least one is stored";
    VERTEX_HEADER "vertex-header", "vol. 7, Vertex URB Entry (VUE) Formats",
        "without a vertex shader the first element is a vertex's header, whose first dword is zero";
    INDEX_ALIGNMENT "index-alignment", "vol. 2a, 3DSTATE_INDEX_BUFFER, Buffer Starting Address",
        "an index buffer begins at a multiple of its indices' size";
    VERTEX_ENTRY "vertex-entry", "vol. 2a, 3DSTATE_URB_VS, VS URB Entry Allocation Size",
        "vertex elements fit the entries of the vertex shader";
    URB_READ "urb-read", "vol. 7, Vertex URB Entry (VUE) Formats", "a stage reads only inside a URB entry";
    STAGE_PAYLOAD "stage-payload", "vol. 2a, 3DSTATE_VS, Dispatch GRF Start Register For URB Data",
        "constants and vertex data of a stage start after the rest of its payload";
    GS_VERTICES "gs-vertices", "vol. 2a, 3DSTATE_GS, Expected Vertex Count",
        "a geometry shader expects as many vertices as the objects have";
    SO_DECLS "so-decls", "vol. 2a, 3DSTATE_SO_DECL_LIST, Num Entries, Stream to Buffer Selects",
        "a stream's declarations are in the list and use only buffers that the stream selects";
    VIEW_EXTENT "view-extent", "vol. 2d, RENDER_SURFACE_STATE, Render Target View Extent; vol. 2a, 3DSTATE_DEPTH_BUFFER",
        "the view extent of a 1D or 2D target equals its layers";
    SBE_ATTRIBUTES "sbe-attributes", "vol. 2a, 3DSTATE_SBE, Vertex URB Entry Read Length",
        "attributes come from the part of a vertex that setup reads";
    RECTLIST_STATE "rectlist-state", "vol. 7, 3D Primitives Overview, RECTLIST",
        "rectangles are in screen space and filled";
    STAGE_THREADS "stage-threads", "vol. 2a, 3DSTATE_VS, Maximum Number of Threads",
        "a geometry stage has no more threads than the part's documents allow";
    URB_ENTRIES_LIMIT "urb-entries-limit", "vol. 2a, 3DSTATE_URB_VS; workarounds of GT1 parts",
        "parts that lose work above a number of URB entries have no more";
    VERTEX_CACHE_TESSELLATION "vertex-cache-tessellation" for Wa::NoVertexCacheWithTessellation, "vol. 2a, 3DSTATE_VS, Vertex Cache Disable; hangs of GT4 that Mesa observed",
        "parts that hang have the vertex cache disabled with tessellation";
    BARRIER_MODE "barrier-mode" for Wa::BarrierMode, "vol. 2c, SLICE_COMMON_ECO_CHICKEN1 (GLK)",
        "the barrier mode of Gemini Lake is that of the pipeline that uses barriers";
    DEPTH_PITCH "depth-pitch" unless lenient for Wa::DepthPitchWith8Samples, "vol. 2a, 3DSTATE_DEPTH_BUFFER, Surface Pitch; WaMsaa8xTileYDepthPitchAlignment",
        "the pitch of a depth buffer with eight samples is a multiple of 256 bytes";
    VERTEX_BUFFER_EMPTY "vertex-buffer-empty" for Wa::NullVertexBufferWhenEmpty, "vol. 2a, VERTEX_BUFFER_STATE, Null Vertex Buffer",
        "a vertex buffer without bytes is a null vertex buffer";
    CONSERVATIVE_RASTER "conservative-raster" unless lenient for Wa::ConservativeRasterHeader, "vol. 2a, 3DSTATE_RASTER, Conservative Rasterization Enable; WaConservativeRasterization",
        "parts that compute wrong coverage draw without conservative rasterisation";
    TARGET_WIDTH "target-width" for Wa::NoTiledTargetsOver16382, "vol. 2d, RENDER_SURFACE_STATE, Width; WaAvoid16KWidthForTiledSurfaces",
        "single-sampled render targets wider than 16382 pixels are linear";
    PS_HEADER_ONLY "ps-header-only" for Wa::HeaderOnlyPixelShader, "vol. 16, 0877",
        "threads of a pixel shader have attributes, constants or other data behind the payload's header";
    PS_DISPATCH "ps-dispatch", "vol. 2a, 3DSTATE_PS, 8 Pixel Dispatch Enable", "a pixel shader enables at least one dispatch width";
    PS_PAYLOAD "ps-payload", "vol. 2a, 3DSTATE_PS, Dispatch GRF Start Register For Constant/Setup Data",
        "constants and attributes of a pixel shader start after the rest of its payload";
    PS_END "ps-end", "vol. 7, Render Target Write, Last Render Target Select",
        "a pixel shader ends with a render target write that has Last Render Target Select set";
    TARGET_LENGTH "target-length", "vol. 7, Render Target Write, Message Length",
        "a render target write has exactly the payload that the pixel shader's state announces";
    TARGET_ORDER "target-order", "vol. 2a, sendc; vol. 7, Thread Dependency",
        "the first write of a pixel shader to a render target is a SENDC, which waits for threads of older objects on its pixels";
    TARGET_SAMPLES "target-samples", "vol. 2a, 3DSTATE_MULTISAMPLE, Number of Multisamples",
        "render targets have the sample count of 3DSTATE_MULTISAMPLE";
    TARGET_SELECTS "target-selects", "vol. 2d, RENDER_SURFACE_STATE, Shader Channel Select Red",
        "the channel selects of a render target only permute red, green and blue";
    TARGET_COMPRESSED "target-compressed", "vol. 2d, RENDER_SURFACE_STATE, Auxiliary Surface Mode; vol. 7, Render Target Resolve",
        "a target drawn with compression enabled is fully resolved before it is drawn to with compression disabled";
    FAST_CLEAR_SURFACE "fast-clear-surface", "vol. 7, Render Target Fast Clear",
        "fast clears and resolves are used only on surfaces with an aux surface";
    MULTISAMPLES "multisamples", "vol. 2a, 3DSTATE_MULTISAMPLE, Number of Multisamples", "1 to 16 samples";
    CLIP_MODE "clip-mode", "vol. 2a, 3DSTATE_CLIP, Clip Mode", "the clip mode is not reserved";
    FILL_MODE "fill-mode", "vol. 2a, 3DSTATE_RASTER, Front Face Fill Mode", "the fill mode is not reserved";
    MI_MATH "mi-math-opcode", "vol. 2a, MI_MATH", "the ALU instruction is not reserved";
    MI_PREDICATE "mi-set-predicate", "vol. 2a, MI_SET_PREDICATE, Predicate Enable", "the condition is not reserved";
    PREDICATE_SOURCES "mi-predicate-sources", "vol. 2a, MI_PREDICATE, Compare Operation",
        "the registers that a predicate compares were written";
    MI_BATCH_LEVEL "mi-batch-level", "vol. 2a, MI_BATCH_BUFFER_START, Second Level Batch Buffer",
        "no jump from a second-level batch to a first-level one";
    MI_ATOMIC "mi-atomic-operation", "vol. 2a, MI_ATOMIC, Atomic Opcode",
        "the operation is not reserved and matches the data size";
    SAMPLER_BOUNDS "sampler-bounds", "vol. 2a, STATE_BASE_ADDRESS, Dynamic State Buffer Size",
        "sampler states lie in the heap";
    PS_SAMPLES "ps-samples" for Wa::NoSimd32With16Samples, "vol. 2a, 3DSTATE_PS, 32 Pixel Dispatch Enable",
        "SIMD32 dispatch is off with 16 samples";
    PS_SAMPLE_WIDTH "ps-sample-width", "vol. 7, Pixel Grouping (Dispatch Size) Control",
        "per-sample dispatch enables one width";
    PS_PUSH_CONSTANTS "ps-push-constants", "vol. 2a, 3DSTATE_PS, Push Constant Enable",
        "push constants for pixel shaders are enabled if there are any";
    PS_ATTRIBUTES "ps-attributes", "vol. 2a, 3DSTATE_PS_EXTRA, Attribute Enable",
        "a pixel shader has attributes enabled exactly if setup produces any";
    DEPTH_BUFFER_PLACE "depth-buffer-place", "vol. 2a, 3DSTATE_DEPTH_BUFFER, Surface Base Address",
        "depth and stencil buffers consist of whole tiles; HiZ needs a depth buffer";
    SO_PITCH "so-pitch", "vol. 2a, 3DSTATE_STREAMOUT, Buffer 0 Surface Pitch", "the pitch of a stream output buffer is a multiple of 4 bytes, at most 2048";
    SO_READ "so-read", "vol. 2a, 3DSTATE_STREAMOUT, Stream 0 Vertex Read Length",
        "stream output reads only inside a vertex";
    SO_OFFSET_IDLE "so-offset-idle", "vol. 2c, SO_WRITE_OFFSET",
        "a stalling PIPE_CONTROL comes between stream output and commands that load or store its offsets";
    BLEND_LOGIC_OP "blend-logic-op", "vol. 2d, BLEND_STATE_ENTRY, Logic Op Enable", "a render target has a logic op or blending, not both";
    CONSTANT_RELOAD "constant-reload", "vol. 2a, 3DSTATE_PUSH_CONSTANT_ALLOC_VS",
        "after push constants are allocated, 3DSTATE_CONSTANT_* comes before the next draw";
    CONSTANT_COMMIT "constant-commit", "vol. 2a, 3DSTATE_CONSTANT_VS",
        "after 3DSTATE_CONSTANT_*, the stage's 3DSTATE_BINDING_TABLE_POINTERS_* comes before the next draw";
    CONSTANT_EARLY "constant-early", "vol. 2a, 3DSTATE_CONSTANT_VS; vol. 7, Push Constants",
        "a batch does not write the memory of constants between the binding table pointer that commits them and a draw (ERRATA.md)";
    CONSTANT_ORDER "constant-order" for Wa::ConstantBuffer0Needs3, "vol. 2a, 3DSTATE_CONSTANT(Body)",
        "after constants without a fourth buffer, those with a first one come only after a stall";
    CONSTANT_DISABLED "constant-disabled", "vol. 2a, PIPE_CONTROL, Indirect State Pointers Disable",
        "after it, 3DSTATE_CONSTANT_* of each enabled stage comes before the next draw";
    HZ_OP_SEQUENCE "hz-op-sequence", "vol. 2a, 3DSTATE_WM_HZ_OP",
        "after a clear or resolve come a PIPE_CONTROL with a post-sync operation and a 3DSTATE_WM_HZ_OP of zeros";
    DEPTH_CLEAR_BEFORE "depth-clear-before", "vol. 7, Depth Buffer Clear",
        "a PIPE_CONTROL with depth flush and depth stall comes between draws and a clear by 3DSTATE_WM_HZ_OP";
    DEPTH_CLEAR_AFTER "depth-clear-after", "vol. 7, Depth Buffer Clear",
        "a PIPE_CONTROL with depth flush and depth stall comes between a clear of a part of the depth buffer and draws";
    FAST_CLEAR_SYNC "fast-clear-sync" unless lenient, "vol. 7, MCS Buffer for Render Target(s)",
        "a render target flush with a stall comes between fast clears, resolves and other draws";
    HIZ_RESOLVE "hiz-resolve", "vol. 7, Depth Buffer Resolve",
        "depths written through HiZ are resolved before the depth buffer is used without HiZ";
    COLOUR_RESOLVE "colour-resolve", "vol. 7, Render Target Resolve; vol. 2a, 3DSTATE_PS, Render Target Resolve Type",
        "a surface drawn with compression enabled, or fast-cleared, is fully resolved before the sampler reads it without an aux surface";
    HIZ_FILLED "hiz-filled", "vol. 7, Hierarchical Depth Buffer Resolve; Depth Buffer Clear",
        "HiZ is cleared whole or resolved before draws use it, and again after depths were written without it";
    PIPELINE_SELECT_COLOUR "pipeline-select-colour" for Wa::DropColorCalcBeforeGpgpu, "vol. 2a, PIPELINE_SELECT, programming notes",
        "the colour calculator's state pointer is not valid when GPGPU is selected";
    PIPE_CONTROL_VF_NULL "pipe-control-vf-null" for Wa::NullPipeControlBeforeVfInvalidate, "vol. 2a, PIPE_CONTROL, VF Cache Invalidation Enable",
        "a PIPE_CONTROL of zeros comes right before an invalidation of the vertex fetch cache";
    PIPE_CONTROL_COUNT "pipe-control-count", "vol. 2a, PIPE_CONTROL, Render Target Cache Flush Enable",
        "depth counts and timestamps come without a flush of render targets or a stall at the scoreboard";
    PIPE_CONTROL_COUNT_STALL "pipe-control-count-stall", "vol. 2a, PIPE_CONTROL, Depth Stall Enable",
        "a depth count is written with a depth stall, which keeps samples of later objects out of it";
    PIPE_CONTROL_SNAPSHOT "pipe-control-snapshot", "vol. 2a, PIPE_CONTROL, Global Snapshot Count Reset", "it is never set";
    PIPE_CONTROL_POINTERS "pipe-control-pointers", "vol. 2a, PIPE_CONTROL, Indirect State Pointers Disable",
        "state pointers are disabled, and media state is cleared, with a stall";
    PIPE_CONTROL_TLB "pipe-control-tlb", "vol. 2a, PIPE_CONTROL, TLB Invalidate",
        "the TLB is invalidated with a stall or a post-sync operation";
    PIPE_CONTROL_LLC "pipe-control-llc", "vol. 2a, PIPE_CONTROL, Flush LLC", "the last level cache is flushed with an immediate write";
    URB_OVERLAP "urb-overlap", "vol. 2a, 3DSTATE_URB_VS, VS URB Starting Address",
        "entries and push constants of the stages lie in the URB and do not overlap";
    FIELD_VALUE "field-value", "vol. 2, each command and structure", "a field has a value that its description allows";
    BASE_ADDRESS_MODIFY "base-address-modify", "vol. 2a, STATE_BASE_ADDRESS, Modify Enable",
        "a nonzero address or size comes with its modify bit";
    BASE_ADDRESS_GIVEN "base-address-given", "vol. 2a, STATE_BASE_ADDRESS, Modify Enable",
        "this context has programmed the general, surface, dynamic and instruction base before work: a context starts without any";
    BASE_ADDRESS_WRAP "base-address-wrap", "vol. 2a, STATE_BASE_ADDRESS, General State Buffer Size",
        "a heap ends before the address space does";
    KERNEL_PREFETCH "kernel-prefetch", "vol. 7, EU Overview, instruction prefetch",
        "the 128 bytes after a kernel are mapped: they may be prefetched (SNB PRM vol. 4 part 2)";
    COMMAND_PREFETCH "command-prefetch", "vol. 3, Command Streamer, batch buffer prefetch",
        "commands do not modify commands less than 512 bytes ahead without a jump in between";
    CLEAR_PARAMS "clear-params", "vol. 2a, 3DSTATE_CLEAR_PARAMS, Depth Clear Value Valid",
        "HiZ has a valid clear value";
    CLIP_BARYCENTRIC "clip-barycentric", "vol. 2a, 3DSTATE_CLIP, Non-Perspective Barycentric Enable",
        "the clipper provides non-perspective barycentrics if the pixel shader uses them";
    HIZ_PLACE "hiz-place", "vol. 2a, 3DSTATE_HIER_DEPTH_BUFFER",
        "a HiZ buffer consists of whole tiles, covers the depth buffer, and does not overlap it";
    LINE_STIPPLE "line-stipple", "vol. 2a, 3DSTATE_LINE_STIPPLE, Line Stipple Inverse Repeat Count",
        "a stipple's inverse repeat count is the inverse of its repeat count";
    PS_BLEND "ps-blend", "vol. 2a, 3DSTATE_PS_BLEND", "it agrees with BLEND_STATE on the first render target";
    PS_WRITES "ps-writes", "vol. 2a, 3DSTATE_PS_BLEND, Has Writeable RT; 3DSTATE_PS_EXTRA, Pixel Shader Does not write to RT",
        "the state of a pixel shader that writes to a render target says so";
    PS_PULLS "ps-pulls", "vol. 2a, 3DSTATE_PS_EXTRA, Pixel Shader Pulls Bary",
        "the state of a pixel shader that uses the pixel interpolator says so";
    PUSH_ALLOCATION "push-allocation", "vol. 2a, 3DSTATE_PUSH_CONSTANT_ALLOC_VS, Constant Buffer Size",
        "a stage's push constants fit what is allocated for them";
    SMOOTH_LINES "smooth-lines", "vol. 2a, 3DSTATE_SF, AA Line Distance Mode", "smooth lines are drawn by their true distance";
    PROVOKING_VERTEX "provoking-vertex", "vol. 2a, 3DSTATE_SF and 3DSTATE_CLIP, Provoking Vertex Select",
        "clipper and setup select the same, existing provoking vertex";
    HZ_OP_CLEAR "hz-op-clear", "vol. 2a, 3DSTATE_WM_HZ_OP, Sample Mask; Full Surface Depth and Stencil Clear",
        "a clear or resolve covers all samples; with Full Surface it covers all pixels";
    DEPTH_CLEAR_RANGE "depth-clear-range", "vol. 7, Depth Buffer Clear; vol. 2d, CC_VIEWPORT",
        "the depth clear value lies in the viewport's range, or is a denormal of D32_FLOAT";
    BLEND_CLAMP "blend-clamp", "vol. 2d, BLEND_STATE_ENTRY, Post-Blend Color Clamp Enable",
        "colours are clamped before and after blending to the range of the render target";
}
