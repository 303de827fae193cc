//! Workarounds: what some parts need, and which parts those are.
//!
//! A row says what software must do, and where it is written. Rows are about parts as they were sold: what only earlier
//! steppings need is left out. Code asks [`Device::needs`].
//!
//! Ref: SKL PRM, programming notes of the packets named; KBL, BXT and GLK PRMs alike unless said otherwise.

use crate::{Device, Gen, Platform};

/// A workaround, by what it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wa {
    /// 64-bit regions have one stride and one place.
    Align64BitRegions,
    /// An empty PIPE_CONTROL before every VF cache invalidate.
    NullPipeControlBeforeVfInvalidate,
    /// A VF cache invalidate has a post-sync operation.
    PostSyncWithVfInvalidate,
    /// The VF cache mixes up addresses that differ above 32 bits.
    VfCacheKeyedBy32Bits,
    /// A texture invalidate stalls in GPGPU mode.
    StallWithTextureInvalidateOnGpgpu,
    /// A post-sync operation stalls in GPGPU mode.
    StallWithPostSyncOnGpgpu,
    /// PIPELINE_SELECT needs the flushes that its programming notes list.
    FlushBeforePipelineSelect,
    /// The colour calculator's state is dropped before GPGPU mode.
    DropColorCalcBeforeGpgpu,
    /// MEDIA_VFE_STATE before 3D mode.
    VfeStateBefore3d,
    /// Barriers have a mode for each pipeline.
    BarrierMode,
    /// Constant buffer 0 only together with buffer 3.
    ConstantBuffer0Needs3,
    /// No vertex cache with tessellation.
    NoVertexCacheWithTessellation,
    /// Fewer URB entries of vertex shaders.
    FewVertexUrbEntries,
    /// Hazards of multisample control reads are avoided by a mode bit.
    MscRawHazard,
    /// No preemption within lines with adjacency and a geometry shader.
    NoMidObjectPreemptionForLineAdjacency,
    /// No preemption within triangle fans and polygons.
    NoMidObjectPreemptionForFans,
    /// No preemption within line loops.
    NoMidObjectPreemptionForLineLoops,
    /// No preemption within instanced draws.
    NoMidObjectPreemptionForInstances,
    /// Tiled colour targets are at most 16382 pixels wide.
    NoTiledTargetsOver16382,
    /// Some block-compressed formats bypass the sampler's L2.
    SamplerL2BypassForBc,
    /// Nothing compressed is sampled beside ASTC of 5 × 5.
    FlushBetweenAstc5x5AndAux,
}

/// What is known of a workaround.
#[derive(Clone, Copy, Debug)]
pub struct Workaround {
    /// Which.
    pub wa: Wa,
    /// The name or number that Intel gives it, where there is one.
    pub name: &'static str,
    /// What software must do.
    pub demand: &'static str,
    /// Where it is written.
    pub prm: &'static str,
    affects: Parts,
}

/// Parts that need a workaround.
#[derive(Clone, Copy, Debug)]
enum Parts {
    Gens(Gen, Gen),
    LowPower,
    Platforms(&'static [Platform]),
    GtLevel(Gen, u8),
    /// Gen8, and Skylake but for GT4.
    WideTargets,
}

const fn row(
    wa: Wa,
    affects: Parts,
    name: &'static str,
    prm: &'static str,
    demand: &'static str,
) -> Workaround {
    Workaround {
        wa,
        name,
        demand,
        prm,
        affects,
    }
}

const GEN9: Parts = Parts::Gens(Gen::Gen9, Gen::Gen9);
const GEN8_9: Parts = Parts::Gens(Gen::Gen8, Gen::Gen9);

/// The workarounds.
#[rustfmt::skip]
pub static WORKAROUNDS: &[Workaround] = &[
    row(Wa::Align64BitRegions, Parts::LowPower, "", "vol. 7, \"Register Region Restrictions\"",
        "64-bit operations and products of doublewords: vector operands 8 bytes apart at one place of their registers, no architecture registers, direct"),
    row(Wa::NullPipeControlBeforeVfInvalidate, GEN9, "", "vol. 2a, PIPE_CONTROL, VF Cache Invalidation Enable",
        "a PIPE_CONTROL with all fields zero before one with VF Cache Invalidation Enable"),
    row(Wa::PostSyncWithVfInvalidate, GEN8_9, "", "vol. 2a, PIPE_CONTROL, VF Cache Invalidation Enable",
        "Post Sync Operation with VF Cache Invalidation Enable is a write"),
    row(Wa::VfCacheKeyedBy32Bits, GEN8_9, "", "vol. 2a, 3DSTATE_VERTEX_BUFFERS",
        "invalidate the VF cache before vertex or index buffers are used that share the low 32 bits of their addresses with others used since the last invalidate"),
    row(Wa::StallWithTextureInvalidateOnGpgpu, Parts::Gens(Gen::Gen9, Gen::Gen11), "HSD 2132585", "vol. 2a, PIPE_CONTROL, Texture Cache Invalidation Enable",
        "Command Streamer Stall Enable with Texture Cache Invalidation Enable in GPGPU mode"),
    row(Wa::StallWithPostSyncOnGpgpu, GEN9, "", "vol. 2a, PIPE_CONTROL, Post Sync Operation",
        "Command Streamer Stall Enable with a post-sync operation in GPGPU mode"),
    row(Wa::FlushBeforePipelineSelect, Parts::Gens(Gen::Gen8, Gen::Gen12_5), "", "vol. 2a, PIPELINE_SELECT",
        "a stalling flush of the write caches, then an invalidate of the read-only ones, before the mode changes"),
    row(Wa::DropColorCalcBeforeGpgpu, GEN8_9, "", "vol. 2a, PIPELINE_SELECT",
        "3DSTATE_CC_STATE_POINTERS with its pointer not valid before GPGPU mode is selected"),
    row(Wa::VfeStateBefore3d, GEN9, "", "vol. 2a, PIPELINE_SELECT, mid-object preemption",
        "MEDIA_VFE_STATE before 3D mode is selected from GPGPU mode"),
    row(Wa::BarrierMode, Parts::Platforms(&[Platform::GeminiLake]), "", "GLK vol. 2c, SLICE_COMMON_ECO_CHICKEN1",
        "the barrier mode of the pipeline is written after PIPELINE_SELECT"),
    row(Wa::ConstantBuffer0Needs3, GEN8_9, "", "vol. 2a, 3DSTATE_CONSTANT_VS and its like",
        "no constants in buffer 0 after none in buffer 3 without a flush: fill buffers from 3 down"),
    row(Wa::NoVertexCacheWithTessellation, Parts::GtLevel(Gen::Gen9, 4), "", "not in the PRM: hangs that Mesa found",
        "3DSTATE_VS with Vertex Cache Disable where there is a domain shader"),
    row(Wa::FewVertexUrbEntries, Parts::GtLevel(Gen::Gen9, 1), "", "vol. 2a, 3DSTATE_URB_VS; vertices that Mesa saw lost",
        "at most 928 URB entries of the vertex shader"),
    row(Wa::MscRawHazard, GEN9, "", "vol. 2c, CACHE_MODE_1",
        "MSC RAW Hazard Avoidance Bit, Partial Resolve Disable In VC and Float Blend Optimization Enable are set with the context"),
    row(Wa::NoMidObjectPreemptionForLineAdjacency, GEN9, "WaDisableMidObjectPreemptionForGSLineStripAdj", "vol. 2c, CS_CHICKEN1",
        "preemption at command level for line strips with adjacency and a geometry shader"),
    row(Wa::NoMidObjectPreemptionForFans, GEN9, "WaDisableMidObjectPreemptionForTrifanOrPolygon", "vol. 2c, CS_CHICKEN1",
        "preemption at command level for triangle fans and polygons"),
    row(Wa::NoMidObjectPreemptionForLineLoops, GEN9, "WaDisableMidObjectPreemptionForLineLoop", "vol. 2c, CS_CHICKEN1",
        "preemption at command level for line loops"),
    row(Wa::NoMidObjectPreemptionForInstances, GEN9, "WA#0798", "vol. 2c, CS_CHICKEN1",
        "preemption at command level for draws of more than one instance"),
    row(Wa::NoTiledTargetsOver16382, Parts::WideTargets, "", "vol. 2d, RENDER_SURFACE_STATE, Width",
        "colour targets of one sample that are wider than 16382 pixels are linear"),
    row(Wa::SamplerL2BypassForBc, GEN9, "", "vol. 2d, RENDER_SURFACE_STATE, Sampler L2 Bypass Mode Disable",
        "Sampler L2 Bypass Mode Disable for BC2_UNORM, BC3_UNORM, BC5_UNORM, BC5_SNORM and BC7_UNORM"),
    row(Wa::FlushBetweenAstc5x5AndAux, GEN9, "", "vol. 4, sampler workarounds",
        "a texture cache invalidate between sampling ASTC of 5 × 5 and sampling a surface with MCS, CCS or HiZ, never both in one draw"),
];

impl Device {
    /// True if the device needs this workaround.
    pub fn needs(&self, wa: Wa) -> bool {
        WORKAROUNDS
            .iter()
            .any(|row| row.wa == wa && row.affects(self))
    }
}

impl Workaround {
    /// True if the device needs it.
    pub fn affects(&self, device: &Device) -> bool {
        match self.affects {
            Parts::Gens(first, last) => (first..=last).contains(&device.hw_gen),
            Parts::LowPower => device.low_power,
            Parts::Platforms(platforms) => platforms.contains(&device.platform),
            Parts::GtLevel(hw_gen, gt) => {
                device.hw_gen == hw_gen && device.gt == gt && !device.low_power
            }
            Parts::WideTargets => {
                device.hw_gen == Gen::Gen8 || device.platform == Platform::Skylake && device.gt != 4
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DEVICES;

    #[test]
    fn each_has_one_row_that_some_device_needs() {
        for (i, row) in WORKAROUNDS.iter().enumerate() {
            assert!(
                WORKAROUNDS[..i].iter().all(|other| other.wa != row.wa),
                "{:?}",
                row.wa
            );
            assert!(DEVICES.iter().any(|d| d.needs(row.wa)), "{:?}", row.wa);
            assert!(
                !row.demand.is_empty() && !row.prm.is_empty(),
                "{:?}",
                row.wa
            );
        }
    }

    #[test]
    fn who_needs_which() {
        let needs = |name: &str, wa| Device::by_name(name).expect("a device").needs(wa);
        assert!(needs("bxt", Wa::Align64BitRegions) && needs("glk", Wa::Align64BitRegions));
        assert!(!needs("skl", Wa::Align64BitRegions) && !needs("tgl", Wa::Align64BitRegions));
        assert!(needs("glk", Wa::BarrierMode) && !needs("bxt", Wa::BarrierMode));
        assert!(
            needs("skl", Wa::NoTiledTargetsOver16382) && !needs("kbl", Wa::NoTiledTargetsOver16382)
        );
        assert!(!needs("skl-1932", Wa::NoTiledTargetsOver16382));
        assert!(needs("skl-1932", Wa::NoVertexCacheWithTessellation));
        assert!(!needs("skl", Wa::NoVertexCacheWithTessellation));
        assert!(
            needs("skl-1902", Wa::FewVertexUrbEntries) && !needs("bxt", Wa::FewVertexUrbEntries)
        );
        assert!(needs("icl", Wa::StallWithTextureInvalidateOnGpgpu));
        assert!(!needs("icl", Wa::NullPipeControlBeforeVfInvalidate));
    }
}
