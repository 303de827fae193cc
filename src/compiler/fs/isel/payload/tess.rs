//! The payloads of tessellation threads, and what the driver must know about the stages.
//!
//! In:  the intrinsics of the shader. Out: [`ControlThread`] and [`EvaluationThread`], whose parts
//! get GRFs in their `lay_out`.
//! Ref: SKL PRM vol. 7, "Hull Shader: SINGLE_PATCH Payload", "Domain Shader: SIMD8 Payload", "Patch
//! URB Entry".

use super::layout::PayloadLayout;
use super::outputs::Outputs;
use super::scan::intrinsics;
use crate::error::FsError;
use crate::lir::builder::Lanes;
use crate::lir::{GRF_BYTES, Lir, VgrfId};
use abi::{PatchMap, StageInfo, TessControlInfo, TessDomain, TessEvalInfo, TessSpacing};
use nir::{CfEvent, IntrinsicOp, Shader, Slot};

/// Payload registers with the URB handles of the patch's input vertices.
const HANDLE_REGISTERS: u32 = 4;
/// Maximum pushed registers of a patch's URB entry.
pub(crate) const MAX_PUSHED: u32 = 24;

/// The payload of a tessellation control thread: eight control points of a patch.
pub(crate) struct ControlThread {
    pub(crate) info: TessControlInfo,
    /// The domain, which determines the dwords of the tessellation levels.
    pub(crate) domain: TessDomain,
    /// The URB handles of the input vertices, a dword each.
    pub(crate) inputs: VgrfId,
    /// The URB handle of the patch's entry, in every lane.
    pub(crate) patch: Option<Lanes>,
    /// The control point number of each lane.
    pub(crate) invocation: Option<Lanes>,
}

/// The tessellation domain, which either stage may declare.
fn tess_domain(sh: &Shader) -> Result<TessDomain, FsError> {
    match sh.info.tess.domain {
        nir::TessDomain::Quads => Ok(TessDomain::Quads),
        nir::TessDomain::Triangles => Ok(TessDomain::Triangles),
        nir::TessDomain::Isolines => Ok(TessDomain::Isolines),
        nir::TessDomain::Unspecified => Err(FsError::Unsupported {
            op: "tessellation shader",
            what: "neither stage declares the domain",
        }),
    }
}

/// True for the slots of the patch header: tessellation levels.
pub(crate) fn is_tess_level(slot: u32) -> bool {
    [Slot::TESS_LEVEL_OUTER, Slot::TESS_LEVEL_INNER]
        .iter()
        .any(|s| u32::from(s.0) == slot)
}

/// The dword of the patch header that holds a tessellation level; `None` if the domain does not
/// have it.
pub(crate) fn tess_level_dword(domain: TessDomain, slot: u32, component: u32) -> Option<u32> {
    let is_outer = slot == u32::from(Slot::TESS_LEVEL_OUTER.0);
    match (domain, is_outer, component) {
        (TessDomain::Quads, true, 0..=3) | (TessDomain::Triangles, true, 0..=2) => {
            Some(7 - component)
        }
        (TessDomain::Quads, false, 0..=1) => Some(3 - component),
        (TessDomain::Triangles, false, 0) => Some(4),
        (TessDomain::Isolines, true, 0..=1) => Some(6 + component),
        _ => None,
    }
}

impl ControlThread {
    /// Scans a tessellation control shader.
    pub(crate) fn new(
        sh: &Shader,
        layout: &[CfEvent],
        lir: &mut Lir,
    ) -> Result<ControlThread, FsError> {
        use IntrinsicOp as I;
        let (mut patch, mut point) = (0u128, 0u128);
        for i in intrinsics(sh, layout) {
            let written = match i.op {
                I::StoreOutput | I::LoadOutput => &mut patch,
                I::StorePerVertexOutput | I::LoadPerVertexOutput => &mut point,
                _ => continue,
            };
            let first = i.index("location");
            for slot in (first..first + i.index("num_slots").max(1)).filter(|&s| !is_tess_level(s))
            {
                *written |= 1u128.checked_shl(slot).unwrap_or(0);
            }
        }
        Ok(ControlThread {
            info: TessControlInfo {
                patch: PatchMap::new(patch, point, sh.info.tess.vertices_out),
            },
            domain: tess_domain(sh)?,
            inputs: lir.vgrf(HANDLE_REGISTERS * GRF_BYTES),
            patch: None,
            invocation: None,
        })
    }

    /// Registers of the payload, without push data.
    pub(crate) const PAYLOAD_REGISTERS: usize = 1 + HANDLE_REGISTERS as usize;

    /// Assigns GRFs: r0, input handles, push data.
    pub(crate) fn lay_out(&self, lir: &mut Lir, push_regs: u16) -> PayloadLayout {
        lir.vgrfs[self.inputs].fixed = Some(1);
        let grf = 1 + HANDLE_REGISTERS as u16;
        PayloadLayout {
            push_grf: grf,
            stage: StageInfo::TessControl(self.info.clone()),
            end: grf + push_regs,
        }
    }
}

/// The payload of a tessellation evaluation thread: eight points of a patch's domain.
pub(crate) struct EvaluationThread {
    pub(crate) info: TessEvalInfo,
    /// The layout of the patch's URB entry.
    pub(crate) patch_map: PatchMap,
    /// The domain coordinates u, v, w.
    pub(crate) coordinates: VgrfId,
    /// The URB handles of the output vertices, r4.
    pub(crate) handles: VgrfId,
    /// The pushed registers that are read: (register of the patch's entry, VGRF).
    pub(crate) pushed: Vec<(u32, VgrfId)>,
    /// The URB handle of the patch's entry, in every lane.
    pub(crate) patch: Option<Lanes>,
    pub(crate) outputs: Outputs,
}

impl EvaluationThread {
    /// Scans a tessellation evaluation shader. `previous_stage` describes the control stage, if
    /// known.
    pub(crate) fn new(
        sh: &Shader,
        layout: &[CfEvent],
        previous_stage: Option<&StageInfo>,
        lir: &mut Lir,
    ) -> Result<EvaluationThread, FsError> {
        use IntrinsicOp as I;
        let patch_map = match previous_stage {
            Some(StageInfo::TessControl(control)) => control.patch.clone(),
            // Compiled without its control stage: assumes that exactly what it reads was written.
            _ => {
                let (mut patch, mut point) = (0u128, 0u128);
                for i in intrinsics(sh, layout) {
                    let read = match i.op {
                        I::LoadInput => &mut patch,
                        I::LoadPerVertexInput => &mut point,
                        _ => continue,
                    };
                    let first = i.index("location");
                    let slots = first..first + i.index("num_slots").max(1);
                    for slot in slots.filter(|&s| !is_tess_level(s)) {
                        *read |= 1u128.checked_shl(slot).unwrap_or(0);
                    }
                }
                PatchMap::new(patch, point, sh.info.tess.vertices_in)
            }
        };
        let modes = &sh.info.tess;
        let outputs = Outputs::new(sh, layout);
        Ok(EvaluationThread {
            info: TessEvalInfo {
                outputs: outputs.vertices(),
                domain: tess_domain(sh)?,
                spacing: match modes.spacing {
                    nir::TessSpacing::Unspecified | nir::TessSpacing::Equal => TessSpacing::Equal,
                    nir::TessSpacing::FractionalEven => TessSpacing::FractionalEven,
                    nir::TessSpacing::FractionalOdd => TessSpacing::FractionalOdd,
                },
                ccw: modes.ccw.unwrap_or(true),
                point_mode: modes.point_mode,
                pushed_grf: 0,
            },
            patch_map,
            coordinates: lir.vgrf(3 * GRF_BYTES),
            handles: lir.vgrf(GRF_BYTES),
            pushed: Vec::new(),
            patch: None,
            outputs,
        })
    }

    /// Upper bound of the payload's registers, without push data.
    pub(crate) const PAYLOAD_REGISTERS: usize = 5 + MAX_PUSHED as usize;

    /// Assigns GRFs: r0, domain coordinates, output handles, push data, the patch's URB entry.
    pub(crate) fn lay_out(&self, lir: &mut Lir, push_regs: u16) -> PayloadLayout {
        const COORDINATES_GRF: u8 = 1;
        const HANDLES_GRF: u8 = 4;
        const PUSH_GRF: u16 = 5;
        lir.vgrfs[self.coordinates].fixed = Some(COORDINATES_GRF);
        lir.vgrfs[self.handles].fixed = Some(HANDLES_GRF);
        let first = PUSH_GRF + push_regs;
        let mut pushed_grf = 0;
        for &(register, v) in &self.pushed {
            lir.vgrfs[v].fixed = u8::try_from(u32::from(first) + register).ok();
            pushed_grf = pushed_grf.max(register as u8 + 1);
        }
        let info = TessEvalInfo {
            pushed_grf,
            ..self.info.clone()
        };
        let end = first + u16::from(pushed_grf);
        PayloadLayout {
            push_grf: PUSH_GRF,
            stage: StageInfo::TessEval(info),
            end,
        }
    }
}
