//! The table of workarounds: hardware restrictions that apply to some parts only.
//!
//! A row states what software must do, which parts require it, and the document. Steppings that
//! were never sold are not considered.
//! In:  a device and a workaround. Out: [`Device::needs`].
//! Ref: SKL PRM, programming notes of the packets named; the KBL, BXT and GLK PRMs agree unless
//!      noted.

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
    /// The section of the PRM.
    pub prm: &'static str,
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
    /// Gen8, and Skylake except GT4.
    Gen8AndSkylakeBelowGt4,
}

const fn row(
    wa: Wa,
    affects: Parts,
    name: &'static str,
    prm: &'static str,
    requirement: &'static str,
) -> Workaround {
    Workaround {
        wa,
        name,
        requirement,
        prm,
        affects,
    }
}

const GEN9: Parts = Parts::Gens(Gen::Gen9, Gen::Gen9);
const GEN8_9: Parts = Parts::Gens(Gen::Gen8, Gen::Gen9);

/// The table of workarounds.
#[rustfmt::skip]
pub static WORKAROUNDS: &[Workaround] = &[
    row(Wa::Align64BitRegions, Parts::LowPower, "", "vol. 7, \"Register Region Restrictions\"",
        "64-bit operations and products of doublewords: vector operands have the same stride, a multiple of 8 bytes, and the same offset in their registers; no ARFs, no indirect addressing"),
    row(Wa::NullPipeControlBeforeVfInvalidate, GEN9, "", "vol. 2a, PIPE_CONTROL, VF Cache Invalidation Enable",
        "a PIPE_CONTROL with all fields zero before one with VF Cache Invalidation Enable"),
    row(Wa::PostSyncWithVfInvalidate, GEN8_9, "", "vol. 2a, PIPE_CONTROL, VF Cache Invalidation Enable",
        "VF Cache Invalidation Enable together with a Post Sync Operation that writes"),
    row(Wa::VfCacheKeyedBy32Bits, GEN8_9, "", "vol. 2a, 3DSTATE_VERTEX_BUFFERS",
        "invalidate the VF cache before using vertex or index buffers whose addresses have the same low 32 bits as others used since the last invalidate"),
    row(Wa::StallWithTextureInvalidateOnGpgpu, Parts::Gens(Gen::Gen9, Gen::Gen11), "HSD 2132585", "vol. 2a, PIPE_CONTROL, Texture Cache Invalidation Enable",
        "Command Streamer Stall Enable with Texture Cache Invalidation Enable in GPGPU mode"),
    row(Wa::StallWithPostSyncOnGpgpu, GEN9, "", "vol. 2a, PIPE_CONTROL, Post Sync Operation",
        "Command Streamer Stall Enable with a post-sync operation in GPGPU mode"),
    row(Wa::FlushBeforePipelineSelect, Parts::Gens(Gen::Gen8, Gen::Gen12_5), "", "vol. 2a, PIPELINE_SELECT",
        "a stalling flush of the write caches, then an invalidate of the read-only ones, before the mode changes"),
    row(Wa::DropColorCalcBeforeGpgpu, GEN8_9, "", "vol. 2a, PIPELINE_SELECT",
        "3DSTATE_CC_STATE_POINTERS with an invalid pointer before GPGPU mode is selected"),
    row(Wa::VfeStateBefore3d, GEN9, "", "vol. 2a, PIPELINE_SELECT, mid-object preemption",
        "MEDIA_VFE_STATE before 3D mode is selected from GPGPU mode"),
    row(Wa::BarrierMode, Parts::Platforms(&[Platform::GeminiLake]), "", "GLK vol. 2c, SLICE_COMMON_ECO_CHICKEN1",
        "the barrier mode of the pipeline is written after PIPELINE_SELECT"),
    row(Wa::ConstantBuffer0Needs3, GEN8_9, "", "vol. 2a, 3DSTATE_CONSTANT_*",
        "without a flush, no constants in buffer 0 after constants without buffer 3: fill the buffers from 3 down"),
    row(Wa::NoVertexCacheWithTessellation, Parts::GtLevel(Gen::Gen9, 4), "", "not in the PRM: Mesa observed hangs",
        "3DSTATE_VS with Vertex Cache Disable when there is a domain shader"),
    row(Wa::FewVertexUrbEntries, Parts::GtLevel(Gen::Gen9, 1), "", "vol. 2a, 3DSTATE_URB_VS; Mesa observed lost vertices",
        "at most 928 URB entries of the vertex shader"),
    row(Wa::MscRawHazard, GEN9, "", "vol. 2c, CACHE_MODE_1",
        "MSC RAW Hazard Avoidance Bit, Partial Resolve Disable In VC and Float Blend Optimization Enable are set when the context is initialised"),
    row(Wa::NoMidObjectPreemptionForLineAdjacency, GEN9, "WaDisableMidObjectPreemptionForGSLineStripAdj", "vol. 2c, CS_CHICKEN1",
        "preemption at command level for line strips with adjacency and a geometry shader"),
    row(Wa::NoMidObjectPreemptionForFans, GEN9, "WaDisableMidObjectPreemptionForTrifanOrPolygon", "vol. 2c, CS_CHICKEN1",
        "preemption at command level for triangle fans and polygons"),
    row(Wa::NoMidObjectPreemptionForLineLoops, GEN9, "WaDisableMidObjectPreemptionForLineLoop", "vol. 2c, CS_CHICKEN1",
        "preemption at command level for line loops"),
    row(Wa::NoMidObjectPreemptionForInstances, GEN9, "WA#0798", "vol. 2c, CS_CHICKEN1",
        "preemption at command level for draws of more than one instance"),
    row(Wa::NoTiledTargetsOver16382, Parts::Gen8AndSkylakeBelowGt4, "", "vol. 2d, RENDER_SURFACE_STATE, Width",
        "single-sampled render targets wider than 16382 pixels are linear"),
    row(Wa::SamplerL2BypassForBc, GEN9, "", "vol. 2d, RENDER_SURFACE_STATE, Sampler L2 Bypass Mode Disable",
        "Sampler L2 Bypass Mode Disable for BC2_UNORM, BC3_UNORM, BC5_UNORM, BC5_SNORM and BC7_UNORM"),
    row(Wa::FlushBetweenAstc5x5AndAux, GEN9, "", "vol. 4, sampler workarounds",
        "a texture cache invalidate between sampling ASTC 5x5 and sampling a surface with MCS, CCS or HiZ; never both in one draw"),
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
    /// True if the workaround applies to the device.
    pub fn affects(&self, device: &Device) -> bool {
        match self.affects {
            Parts::Gens(first, last) => (first..=last).contains(&device.hw_gen),
            Parts::LowPower => device.low_power,
            Parts::Platforms(platforms) => platforms.contains(&device.platform),
            Parts::GtLevel(hw_gen, gt) => {
                device.hw_gen == hw_gen && device.gt == gt && !device.low_power
            }
            Parts::Gen8AndSkylakeBelowGt4 => {
                device.hw_gen == Gen::Gen8 || device.platform == Platform::Skylake && device.gt != 4
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device_table::DEVICES;

    #[test]
    fn workarounds_are_unique_and_apply_to_some_device() {
        for (i, row) in WORKAROUNDS.iter().enumerate() {
            assert!(
                WORKAROUNDS[..i].iter().all(|other| other.wa != row.wa),
                "{:?}",
                row.wa
            );
            assert!(DEVICES.iter().any(|d| d.needs(row.wa)), "{:?}", row.wa);
            assert!(
                !row.requirement.is_empty() && !row.prm.is_empty(),
                "{:?}",
                row.wa
            );
        }
    }

    #[test]
    fn workarounds_apply_to_the_right_devices() {
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
