//! The table of workarounds: errata of the hardware, and restrictions that apply to some parts.
//!
//! A row states what software must do, which parts require it, what happens otherwise, and the
//! document. Steppings that were never sold are not considered. Driver and compiler query the table
//! by name, and strict mode has a rule for the same name; a row that nothing queries states why it
//! is not needed, or why it is left undone. tests/errata.rs checks that.
//! In:  a device or a generation, and a workaround. Out: [`Device::needs`], [`Wa::required_on`].
//! Ref: SKL PRM, programming notes of the packets named, and vol. 16 "Workarounds"; the KBL, BXT
//!      and GLK PRMs agree unless noted. Names like WaX and numbers are Intel's.

use crate::device::{Device, Platform};
use crate::generation::Gen;

/// Identifies a workaround.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wa {
    /// Operands of 64-bit operations have the same stride and the same offset in their registers.
    Align64BitRegions,
    /// An empty PIPE_CONTROL precedes every VF cache invalidate.
    NullPipeControlBeforeVfInvalidate,
    /// A VF cache invalidate needs a post-sync operation.
    PostSyncWithVfInvalidate,
    /// The VF cache ignores the address bits above 32.
    VfCacheKeyedBy32Bits,
    /// A texture cache invalidate needs a command streamer stall in GPGPU mode.
    StallWithTextureInvalidateOnGpgpu,
    /// A post-sync operation needs a command streamer stall in GPGPU mode.
    StallWithPostSyncOnGpgpu,
    /// PIPELINE_SELECT needs the flushes that its programming notes list.
    FlushBeforePipelineSelect,
    /// The pointer to the colour calculator state is invalidated before GPGPU mode is selected.
    DropColorCalcBeforeGpgpu,
    /// MEDIA_VFE_STATE precedes the selection of 3D mode.
    VfeStateBefore3d,
    /// The barrier mode must match the selected pipeline.
    BarrierMode,
    /// Constant buffer 0 is used only together with buffer 3.
    ConstantBuffer0Needs3,
    /// No vertex cache with tessellation.
    NoVertexCacheWithTessellation,
    /// Vertex shaders have a lower limit of URB entries.
    FewVertexUrbEntries,
    /// Read-after-write hazards of the MCS are avoided by a mode bit.
    MscRawHazard,
    /// No preemption within lines with adjacency and a geometry shader.
    NoMidObjectPreemptionForLineAdjacency,
    /// No preemption within triangle fans and polygons.
    NoMidObjectPreemptionForFans,
    /// No preemption within line loops.
    NoMidObjectPreemptionForLineLoops,
    /// No preemption within instanced draws.
    NoMidObjectPreemptionForInstances,
    /// Tiled render targets are at most 16382 pixels wide.
    NoTiledTargetsOver16382,
    /// Some block-compressed formats bypass the sampler's L2.
    SamplerL2BypassForBc,
    /// ASTC 5x5 and surfaces with aux data are not sampled without a texture cache invalidate in
    /// between.
    FlushBetweenAstc5x5AndAux,
    /// Addresses are canonical.
    CanonicalAddresses,
    /// A pixel shader's payload has more than the header.
    HeaderOnlyPixelShader,
    /// Mip Tail Start LOD lies beyond the last level of a surface without mip tail.
    MipTailStartBeyondLevels,
    /// Flag registers that a thread writes are read before its end.
    ReadFlagsBeforeEot,
    /// The notification register is cleared before a barrier message.
    ClearNotificationBeforeBarrier,
    /// The sampler does not read one surface in two formats without a texture cache invalidate in
    /// between.
    InvalidateBetweenFormats,
    /// A null surface has no defined number of levels.
    NullSurfaceLevels,
    /// Void-extent blocks of ASTC have no denormal colours.
    NoAstcVoidExtentDenormals,
    /// A vertex buffer of no bytes is a null vertex buffer.
    NullVertexBufferWhenEmpty,
    /// The pitch of depth buffers with eight samples is a multiple of 256 bytes.
    DepthPitchWith8Samples,
    /// Surfaces with a CCS that are scanned out have a pitch of four tiles' multiples.
    CcsScanoutPitch,
    /// Geometry shaders have a lower limit of URB entries.
    FewGeometryUrbEntries,
    /// A call needs a thread switch.
    ThreadSwitchAfterCall,
    /// SEL does not mix floats of 32 and 16 bits.
    NoMixedFloatSel,
    /// Sources of integer divisions have no modifiers.
    NoModifiersOnIntegerDivision,
    /// A hull or geometry shader with more than 13 vertex handles in its payload has a limit on the
    /// first register of its URB data.
    DispatchGrfWithManyHandles,
    /// A geometry shader with more than 13 vertex handles, which pulls all inputs, pushes no
    /// constants.
    NoConstantsForPulledGeometry,
    /// Timestamps and depth counts need a command streamer stall.
    StallWithTimestamp,
    /// A stall comes before MEDIA_VFE_STATE.
    StallBeforeVfeState,
    /// Data is flushed before the L3 configuration changes.
    FlushBeforeL3Config,
    /// MEDIA_STATE_FLUSH comes between a walker and loads of its inputs.
    FlushAfterWalker,
    /// No SIMD32 pixel shaders with 16 samples.
    NoSimd32With16Samples,
    /// Push constants are dropped from the context at the end.
    DropConstantsAtEnd,
    /// Constants are loaded again after GPGPU mode is selected.
    ReloadConstantsForGpgpu,
    /// Depth and stencil buffers are not one-dimensional.
    No1dDepth,
    /// The sampler reads fast-cleared sRGB surfaces only if the clear colour is 0 or 1.
    ZeroOneClearColours,
    /// Multisampled surfaces are fast-cleared to 0 or 1 only.
    ZeroOneClearColoursWithSamples,
    /// Mixed-mode float instructions have at most eight channels.
    MixedFloatSimd8,
    /// MUL and MACH of a product have no modifiers on the second source.
    NoModifiersOnMach,
    /// NoSrcDepSet is not set before the message that ends the thread.
    NoSrcDepBeforeEot,
    /// A pass-through geometry shader where flat attributes of a strip come from the last vertex.
    GeometryForTrailingVertex,
    /// Render target writes under conservative rasterisation have a header.
    ConservativeRasterHeader,
    /// The domain shader's cache is disabled.
    NoDomainShaderCache,
    /// No lossless compression of surfaces that are sampled with an explicit level.
    NoCompressionForSampleLevel,
    /// A flush comes before 3DSTATE_GS.
    FlushBeforeGs,
    /// Border colours of R32G32_FLOAT.
    BorderOfR32G32Float,
    /// The hashing of pixels over slices.
    SliceHashing,
    /// The stencil cache's stall for pixel mask data.
    StencilPmaStall,
}

/// What the project does about a workaround.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handling {
    /// Code of driver or compiler queries it, and strict mode has a rule.
    Handled,
    /// Nothing has to be done, for this reason.
    NotNeeded(&'static str),
    /// Nothing is done although the driver may do what is affected, for this reason: first suspects
    /// if a machine shows the consequence.
    Accepted(&'static str),
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Workaround {
    /// The workaround.
    pub wa: Wa,
    /// Intel's name or number of the workaround; empty if there is none.
    pub name: &'static str,
    /// What software must do.
    pub requirement: &'static str,
    /// What happens otherwise; empty if no document says.
    pub consequence: &'static str,
    /// The section of the PRM, or another source.
    pub prm: &'static str,
    /// What the project does about it.
    pub handling: Handling,
    affects: Parts,
}

/// The parts that a workaround applies to.
#[derive(Clone, Copy, Debug)]
enum Parts {
    /// First and last generation.
    Gens(Gen, Gen),
    LowPower,
    Platforms(&'static [Platform]),
    GtLevel(Gen, u8),
    /// GT1 of gen9, but not GT1.5, which has a third subslice.
    Gen9Gt1,
    /// Gen8, and Skylake except GT4.
    Gen8AndSkylakeBelowGt4,
    /// GT1 of Kaby Lake and Coffee Lake, but not GT1.5.
    KabyLakeGt1,
}

const fn row(
    wa: Wa,
    affects: Parts,
    name: &'static str,
    prm: &'static str,
    requirement: &'static str,
    consequence: &'static str,
) -> Workaround {
    Workaround {
        wa,
        name,
        requirement,
        consequence,
        prm,
        handling: Handling::Handled,
        affects,
    }
}

/// A row that needs no code, with the reason.
const fn not_needed(why: &'static str, row: Workaround) -> Workaround {
    Workaround {
        handling: Handling::NotNeeded(why),
        ..row
    }
}

/// A row that is left undone, with the reason.
const fn accepted(why: &'static str, row: Workaround) -> Workaround {
    Workaround {
        handling: Handling::Accepted(why),
        ..row
    }
}

const GEN9: Parts = Parts::Gens(Gen::Gen9, Gen::Gen9);
const GEN8_9: Parts = Parts::Gens(Gen::Gen8, Gen::Gen9);

/// Why restrictions of preemption within draws need no code.
const COMMAND_LEVEL: &str = "the kernel leaves gen9 at command level (CS_CHICKEN1), and no batch of ours writes that register";

/// The table of workarounds.
#[rustfmt::skip]
pub const WORKAROUNDS: &[Workaround] = &[
    row(Wa::Align64BitRegions, Parts::LowPower, "", "vol. 7, \"Register Region Restrictions\"",
        "64-bit operations and products of doublewords: vector operands have the same stride, a multiple of 8 bytes, and the same offset in their registers; no ARFs, no indirect addressing",
        "wrong results"),
    row(Wa::NullPipeControlBeforeVfInvalidate, GEN9, "", "vol. 2a, PIPE_CONTROL, VF Cache Invalidation Enable",
        "a PIPE_CONTROL with all fields zero before one with VF Cache Invalidation Enable",
        "stale vertices"),
    row(Wa::PostSyncWithVfInvalidate, GEN8_9, "", "vol. 2a, PIPE_CONTROL, VF Cache Invalidation Enable",
        "VF Cache Invalidation Enable together with a Post Sync Operation that writes",
        "the invalidate may not take effect"),
    row(Wa::VfCacheKeyedBy32Bits, GEN8_9, "", "vol. 2a, 3DSTATE_VERTEX_BUFFERS",
        "invalidate the VF cache before using vertex or index buffers whose addresses have the same low 32 bits as others used since the last invalidate",
        "stale vertices"),
    row(Wa::StallWithTextureInvalidateOnGpgpu, Parts::Gens(Gen::Gen9, Gen::Gen11), "HSD 2132585", "vol. 2a, PIPE_CONTROL, Texture Cache Invalidation Enable",
        "Command Streamer Stall Enable with Texture Cache Invalidation Enable in GPGPU mode",
        "undefined"),
    row(Wa::StallWithPostSyncOnGpgpu, GEN9, "", "vol. 2a, PIPE_CONTROL, Post Sync Operation",
        "Command Streamer Stall Enable with a post-sync operation in GPGPU mode",
        "undefined"),
    row(Wa::FlushBeforePipelineSelect, Parts::Gens(Gen::Gen8, Gen::Gen12_5), "", "vol. 2a, PIPELINE_SELECT",
        "a stalling flush of the write caches, then an invalidate of the read-only ones, before the mode changes",
        "hang, or stale data"),
    row(Wa::DropColorCalcBeforeGpgpu, GEN8_9, "", "vol. 2a, PIPELINE_SELECT",
        "3DSTATE_CC_STATE_POINTERS with an invalid pointer before GPGPU mode is selected",
        "hang when the context is restored"),
    row(Wa::VfeStateBefore3d, GEN9, "", "vol. 2a, PIPELINE_SELECT, mid-object preemption",
        "MEDIA_VFE_STATE before 3D mode is selected from GPGPU mode",
        "hang"),
    row(Wa::BarrierMode, Parts::Platforms(&[Platform::GeminiLake]), "", "GLK vol. 2c, SLICE_COMMON_ECO_CHICKEN1",
        "the barrier mode of the pipeline is written after PIPELINE_SELECT",
        "hang at barriers of tessellation control shaders"),
    row(Wa::ConstantBuffer0Needs3, GEN8_9, "", "vol. 2a, 3DSTATE_CONSTANT_*",
        "without a flush, no constants in buffer 0 after constants without buffer 3: fill the buffers from 3 down",
        "undefined constants"),
    row(Wa::NoVertexCacheWithTessellation, Parts::GtLevel(Gen::Gen9, 4), "", "not in the PRM: Mesa observed hangs",
        "3DSTATE_VS with Vertex Cache Disable when there is a domain shader",
        "hang"),
    row(Wa::FewVertexUrbEntries, Parts::Gen9Gt1, "", "vol. 2a, 3DSTATE_URB_VS; Mesa observed lost vertices",
        "at most 928 URB entries of the vertex shader",
        "lost vertices"),
    row(Wa::MscRawHazard, GEN9, "", "vol. 2c, CACHE_MODE_1",
        "MSC RAW Hazard Avoidance Bit, Partial Resolve Disable In VC and Float Blend Optimization Enable are set when the context is initialised",
        "corrupted multisampled targets"),
    not_needed(COMMAND_LEVEL,
        row(Wa::NoMidObjectPreemptionForLineAdjacency, GEN9, "WaDisableMidObjectPreemptionForGSLineStripAdj", "vol. 2c, CS_CHICKEN1",
        "preemption at command level for line strips with adjacency and a geometry shader",
        "hang")),
    not_needed(COMMAND_LEVEL,
        row(Wa::NoMidObjectPreemptionForFans, GEN9, "WaDisableMidObjectPreemptionForTrifanOrPolygon", "vol. 2c, CS_CHICKEN1",
        "preemption at command level for triangle fans and polygons",
        "hang")),
    not_needed(COMMAND_LEVEL,
        row(Wa::NoMidObjectPreemptionForLineLoops, GEN9, "WaDisableMidObjectPreemptionForLineLoop", "vol. 2c, CS_CHICKEN1",
        "preemption at command level for line loops",
        "hang")),
    not_needed(COMMAND_LEVEL,
        row(Wa::NoMidObjectPreemptionForInstances, GEN9, "WA#0798", "vol. 2c, CS_CHICKEN1",
        "preemption at command level for draws of more than one instance",
        "hang")),
    row(Wa::NoTiledTargetsOver16382, Parts::Gen8AndSkylakeBelowGt4, "", "vol. 2d, RENDER_SURFACE_STATE, Width",
        "single-sampled render targets wider than 16382 pixels are linear",
        "corrupted targets"),
    row(Wa::SamplerL2BypassForBc, GEN9, "", "vol. 2d, RENDER_SURFACE_STATE, Sampler L2 Bypass Mode Disable",
        "Sampler L2 Bypass Mode Disable for BC2_UNORM, BC3_UNORM, BC5_UNORM, BC5_SNORM and BC7_UNORM",
        "wrong texels"),
    row(Wa::FlushBetweenAstc5x5AndAux, GEN9, "", "vol. 4, sampler workarounds",
        "a texture cache invalidate between sampling ASTC 5x5 and sampling a surface with MCS, CCS or HiZ; never both in one draw",
        "wrong texels, hang"),
    row(Wa::HeaderOnlyPixelShader, GEN9, "0877, WaSendDummyConstantsForPS, WaInsertDummyPushConstPs", "vol. 16, 0877",
        "a pixel shader has attributes or push constants, even if it reads none",
        "hang"),
    row(Wa::CanonicalAddresses, Parts::Gens(Gen::Gen8, Gen::Gen12_5), "", "vol. 2a, MI_LOAD_REGISTER_MEM, Memory Address",
        "bits 63:48 of addresses repeat bit 47: the hardware ignores them, and assumes that they are canonical",
        "undefined"),
    row(Wa::MipTailStartBeyondLevels, GEN9, "WaSetMipTailStartLODLargertoSurfaceLOD", "vol. 2d, RENDER_SURFACE_STATE, Mip Tail Start LOD",
        "Mip Tail Start LOD is beyond the last level of a surface of several levels that has no mip tail: 15",
        "texels of a mip tail that does not exist"),
    row(Wa::FewGeometryUrbEntries, Parts::KabyLakeGt1, "", "not in the PRM: Mesa observed hangs",
        "at most 256 URB entries of the geometry shader",
        "hang"),
    row(Wa::ReadFlagsBeforeEot, GEN9, "WaClearArfDependenciesBeforeEot", "Intel's compiler; Mesa, WaClearArfDependenciesBeforeEot",
        "a flag register that is written is read, or written again and read, before the message that ends the thread",
        "the next thread of the slot waits for the flag register: hang"),
    row(Wa::ClearNotificationBeforeBarrier, GEN9, "WaResetN0BeforeGatewayMessage", "Intel's compiler",
        "n0 is cleared before a barrier message, as the gateway may send a spurious notification",
        "hang"),
    row(Wa::InvalidateBetweenFormats, GEN9, "WaSamplerCacheFlushBetweenRedescribedSurfaceReads", "Intel's compute driver; Mesa, for blits",
        "a texture cache invalidate between reads of one surface in two formats",
        "wrong texels"),
    row(Wa::NullSurfaceLevels, GEN9, "Wa_1940217", "vol. 7, resinfo",
        "the number of levels of a null surface is not taken from resinfo",
        "an undefined number of levels"),
    row(Wa::NoAstcVoidExtentDenormals, GEN9, "WaEnableVoidExtentBlockPatchingforASTCLDRTextures", "Intel's workaround tables; Mesa",
        "void-extent blocks of ASTC LDR textures have no denormal colours",
        "wrong texels"),
    row(Wa::NullVertexBufferWhenEmpty, GEN9, "WaNullVertexBufferWhenZeroSize", "vol. 2a, VERTEX_BUFFER_STATE, Null Vertex Buffer",
        "Null Vertex Buffer where no bytes are bound",
        "undefined vertices"),
    row(Wa::DepthPitchWith8Samples, GEN9, "WaMsaa8xTileYDepthPitchAlignment", "Intel's workaround tables",
        "the pitch of depth buffers with eight samples is a multiple of 256 bytes",
        "corrupted depth"),
    row(Wa::CcsScanoutPitch, GEN9, "WaLosslessCompressionSurfaceStride, display WA #0531", "Intel's memory manager; Linux, intel_fb_stride_alignment",
        "with a CCS and more than 3840 pixels in a row, the pitch of a surface that is scanned out is a multiple of four tiles",
        "corrupted scanout; Linux refuses the framebuffer"),
    not_needed("no shader of ours contains CALL",
        row(Wa::ThreadSwitchAfterCall, GEN9, "WaThreadSwitchAfterCall", "vol. 16",
            "the instruction after CALL and RET has thread control Switch",
            "hang")),
    not_needed("the rules for instructions of crate isa refuse it",
        row(Wa::NoMixedFloatSel, GEN9, "", "vol. 7, \"Special Requirements for Handling Mixed Mode Float Operations\"",
            "SEL and CMP have sources of one float type",
            "wrong results")),
    not_needed("the rules for instructions of crate isa refuse it",
        row(Wa::NoModifiersOnIntegerDivision, GEN9, "", "vol. 2a, math, INT DIV",
            "sources of integer divisions have no modifiers",
            "wrong results")),
    not_needed("hull shaders are of single-patch mode with pulled vertices beyond 13 handles, and no geometry shader has more than 6 vertices",
        row(Wa::DispatchGrfWithManyHandles, GEN9, "WaDispatchGRFHWIssueInGSAndHSUnit", "vol. 16",
            "with more than 13 handles, Dispatch GRF Start Register For URB Data is at most 15",
            "wrong payload")),
    not_needed("no geometry shader has more than 6 vertices",
        row(Wa::NoConstantsForPulledGeometry, GEN9, "WaDoNotPushConstantsForAllPulledGSTopologies", "vol. 16",
            "a geometry shader with more than 13 handles that pulls all its inputs pushes no constants",
            "wrong payload")),
    not_needed("counters are stored from registers, never by PIPE_CONTROL",
        row(Wa::StallWithTimestamp, Parts::GtLevel(Gen::Gen9, 4), "WaForceCsStallOnTimestampQueryOrDepthCount", "vol. 2a, PIPE_CONTROL, Post Sync Operation; Mesa",
            "Command Streamer Stall Enable with writes of timestamps and depth counts",
            "hang")),
    row(Wa::StallBeforeVfeState, GEN9, "WaSendMIFLUSHBeforeVFE", "vol. 2a, MEDIA_VFE_STATE",
        "a stalling PIPE_CONTROL before MEDIA_VFE_STATE",
        "hang"),
    row(Wa::FlushBeforeL3Config, GEN8_9, "WaDCFlushOnL3CacheConfig", "vol. 5, L3 Allocation and Programming",
        "a PIPE_CONTROL with DC Flush Enable and Command Streamer Stall Enable before L3CNTLREG is written",
        "lost data, hang"),
    row(Wa::FlushAfterWalker, GEN8_9, "WaAddMediaStateFlushCmd", "vol. 2a, MEDIA_STATE_FLUSH",
        "MEDIA_STATE_FLUSH between a walker and the next MEDIA_CURBE_LOAD or MEDIA_INTERFACE_DESCRIPTOR_LOAD",
        "threads with inputs of another walker"),
    row(Wa::NoSimd32With16Samples, GEN9, "", "vol. 2a, 3DSTATE_PS, 32 Pixel Dispatch Enable",
        "no SIMD32 dispatch for each pixel with 16 samples",
        "undefined"),
    not_needed("leaving the 3D pipeline disables the pointers, and every command buffer leaves it",
        row(Wa::DropConstantsAtEnd, GEN8_9, "WADisableGTPAndSetISPDisable", "vol. 2a, PIPE_CONTROL, Indirect State Pointers Disable",
            "Indirect State Pointers Disable at the end of batches that set push constants",
            "a restore of the context reads memory that was freed")),
    not_needed("each dispatch loads its constants",
        row(Wa::ReloadConstantsForGpgpu, GEN9, "", "not in the PRM: Mesa calls it undocumented",
            "MEDIA_CURBE_LOAD after GPGPU mode is selected",
            "undefined constants")),
    not_needed("1D depth and stencil images are described as 2D ones of one row",
        row(Wa::No1dDepth, GEN9, "WaDisable1DDepthStencil", "Intel's workaround tables",
            "depth and stencil buffers are not of type 1D",
            "undefined")),
    not_needed("sRGB surfaces with other clear colours are resolved before they are sampled",
        row(Wa::ZeroOneClearColours, GEN9, "WaZeroOneClearValuesAtSampler", "Intel's workaround tables; vol. 2d, RENDER_SURFACE_STATE, Red Clear Color",
            "the sampler reads fast-cleared surfaces of these formats only if the clear colour is 0 or 1",
            "wrong texels")),
    accepted("ANV fast-clears them to any colour; other clear colours than 0 and 1 are first suspects in multisampled pictures",
        row(Wa::ZeroOneClearColoursWithSamples, GEN9, "WaZeroOneClearValuesMSAA", "Intel's workaround tables, without the condition",
            "fast clears of multisampled surfaces to 0 or 1 only",
            "wrong colours")),
    not_needed("the rules for instructions of crate isa refuse mixed modes of 16 channels",
        row(Wa::MixedFloatSimd8, GEN9, "WaBreakF32MixedModeIntoSimd8", "vol. 7, \"Special Requirements for Handling Mixed Mode Float Operations\"",
            "instructions with F and HF operands have at most eight channels if the destination is F",
            "wrong results")),
    not_needed("the operands of MACH have no source modifiers: only floats get any",
        row(Wa::NoModifiersOnMach, GEN9, "WaAdditionalMovWhenSrc1ModOnMulMach", "Intel's workaround tables",
            "no modifier on the second source of MUL and MACH",
            "wrong results")),
    not_needed("no instruction of ours sets NoSrcDepSet",
        row(Wa::NoSrcDepBeforeEot, GEN9, "WaDisableNoSrcDepSetBeforeEOTSend", "Intel's workaround tables",
            "the instruction before the message that ends the thread does not set NoSrcDepSet",
            "hang")),
    accepted("a geometry shader for each strip with VK_EXT_provoking_vertex would cost every such draw; ANV has none either; first suspect if flat attributes of strips are wrong",
        row(Wa::GeometryForTrailingVertex, GEN9, "WaInsertGSforConstInterpolatedTrailingVertex", "Intel's workaround tables, of its OpenGL driver",
            "a pass-through geometry shader for triangle strips whose flat attributes come from the last vertex",
            "wrong attributes")),
    row(Wa::ConservativeRasterHeader, Parts::Platforms(&[Platform::Skylake]), "WaConservativeRasterization", "Intel's workaround tables: on every Skylake, on other parts before those that were sold",
        "render target writes have a header with the pixel mask; as Intel's compiler states no condition for it, no conservative rasterisation, like ANV 26.2.6",
        "wrong coverage"),
    accepted("no document states the condition, and Mesa leaves the cache enabled; first suspect if vertices of tessellated patches are wrong",
        row(Wa::NoDomainShaderCache, GEN9, "WaEnableDSCacheWorkAround", "Intel's workaround tables, by name alone",
            "3DSTATE_DS with Cache Disable",
            "wrong vertices")),
    accepted("what is sampled with an explicit level is not known when an image is created; Mesa compresses too; INGOT_DEBUG=no-ccs-e is the test",
        row(Wa::NoCompressionForSampleLevel, GEN9, "WaDisableLosslessCompressionForSampleL", "Intel's workaround tables, by name alone",
            "no lossless compression of surfaces that sample_l reads",
            "wrong texels")),
    accepted("no document states which flush, and Mesa emits none on this generation",
        row(Wa::FlushBeforeGs, GEN9, "WaFlushBefore3DSTATEGS", "Intel's workaround tables, by name alone",
            "a flush before 3DSTATE_GS",
            "")),
    accepted("no document states what to do, and Mesa does nothing; first suspect if borders of R32G32_FLOAT are wrong",
        row(Wa::BorderOfR32G32Float, GEN9, "WaFixR32G32FloatBorderTextureAddressingMode", "Intel's workaround tables, by name alone",
            "another way of borders for R32G32_FLOAT",
            "wrong borders")),
    accepted("it costs speed alone, mostly on GT3 and GT4",
        row(Wa::SliceHashing, GEN9, "", "vol. 2c, GT_MODE, Slice Hashing; Mesa",
            "GT_MODE hashes pixels over slices by the size of the target",
            "slow")),
    accepted("it costs speed alone",
        row(Wa::StencilPmaStall, GEN9, "WaAvoidStcPMAStall", "vol. 2c, CACHE_MODE_0, STC PMA Optimization Enable; Mesa",
            "the optimisation is enabled where depth and stencil tests allow it",
            "slow")),
];

impl Wa {
    /// True if every part of a generation needs this workaround, so that the packets of the
    /// generation may rely on it.
    pub const fn required_on(self, hw_gen: Gen) -> bool {
        let mut at = 0;
        while at < WORKAROUNDS.len() {
            let row = &WORKAROUNDS[at];
            if row.wa as u8 == self as u8
                && let Parts::Gens(first, last) = row.affects
            {
                return first as u8 <= hw_gen as u8 && hw_gen as u8 <= last as u8;
            }
            at += 1;
        }
        false
    }
}

impl Device {
    /// True if the device needs this workaround.
    pub fn needs(&self, wa: Wa) -> bool {
        WORKAROUNDS
            .iter()
            .any(|row| row.wa == wa && row.affects(self))
    }
}

impl Workaround {
    /// True if the workaround applies to the device.
    pub fn affects(&self, device: &Device) -> bool {
        match self.affects {
            Parts::Gens(first, last) => (first..=last).contains(&device.hw_gen),
            Parts::LowPower => device.low_power,
            Parts::Platforms(platforms) => platforms.contains(&device.platform),
            Parts::GtLevel(hw_gen, gt) => {
                device.hw_gen == hw_gen && device.gt == gt && !device.low_power
            }
            Parts::Gen9Gt1 => {
                let gt1 = device.gt == 1 && device.subslices < 3;
                device.hw_gen == Gen::Gen9 && gt1 && !device.low_power
            }
            Parts::Gen8AndSkylakeBelowGt4 => {
                device.hw_gen == Gen::Gen8 || device.platform == Platform::Skylake && device.gt != 4
            }
            Parts::KabyLakeGt1 => {
                matches!(device.platform, Platform::KabyLake | Platform::CoffeeLake)
                    && device.gt == 1
                    && device.subslices < 3
            }
        }
    }
}

#[cfg(test)]
mod tests;
