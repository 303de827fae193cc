//! What tessellation threads start with, and what their launchers must know.
//!
//! In:  the intrinsics of the shader. Out: [`ControlThread`], [`EvaluationThread`], whose parts get registers when all is known.
//! Ref: SKL PRM vol. 7, "Hull Shader: SINGLE_PATCH Payload", "Domain Shader: SIMD8 Payload", "Patch URB Entry".

use super::outputs::Outputs;
use super::scan::intrinsics;
use crate::error::FsError;
use crate::lir::builder::Lanes;
use crate::lir::{GRF_BYTES, Lir, VgrfId};
use abi::{PatchMap, StageInfo, TessControlInfo, TessDomain, TessEvalInfo, TessSpacing};
use nir::{CfEvent, IntrinsicOp, Shader, Slot};

/// Registers in which the handles of a patch's vertices come.
const HANDLE_REGISTERS: u32 = 4;
/// Registers of a patch's entry that may be pushed.
pub(in crate::isel) const MOST_PUSHED: u32 = 24;

/// A control thread: eight control points of a patch.
pub(in crate::isel) struct ControlThread {
    pub(in crate::isel) info: TessControlInfo,
    /// Kind of patch: it says where levels stand.
    pub(in crate::isel) domain: TessDomain,
    /// The handles of the vertices that come in, a dword each.
    pub(in crate::isel) inputs: VgrfId,
    /// The handle of the patch's entry, for every lane.
    pub(in crate::isel) patch: Option<Lanes>,
    /// The control points that the lanes are for.
    pub(in crate::isel) invocation: Option<Lanes>,
}

fn domain_of(sh: &Shader) -> Result<TessDomain, FsError> {
    match sh.info.tess.domain {
        nir::TessDomain::Quads => Ok(TessDomain::Quads),
        nir::TessDomain::Triangles => Ok(TessDomain::Triangles),
        nir::TessDomain::Isolines => Ok(TessDomain::Isolines),
        nir::TessDomain::Unspecified => Err(FsError::Unsupported {
            op: "a tessellation shader",
            what: "the kind of patch is known from neither stage",
        }),
    }
}

/// True for slots of the patch's header.
pub(in crate::isel) fn is_level(slot: u32) -> bool {
    [Slot::TESS_LEVEL_OUTER, Slot::TESS_LEVEL_INNER]
        .iter()
        .any(|s| u32::from(s.0) == slot)
}

/// The dword of the patch's header in which a tessellation level stands; `None` where the domain has none such.
pub(in crate::isel) fn level_dword(domain: TessDomain, slot: u32, component: u32) -> Option<u32> {
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
    pub(in crate::isel) fn new(
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
            for slot in (first..first + i.index("num_slots").max(1)).filter(|&s| !is_level(s)) {
                *written |= 1u128.checked_shl(slot).unwrap_or(0);
            }
        }
        Ok(ControlThread {
            info: TessControlInfo {
                patch: PatchMap::new(patch, point, sh.info.tess.vertices_out),
            },
            domain: domain_of(sh)?,
            inputs: lir.vgrf(HANDLE_REGISTERS * GRF_BYTES),
            patch: None,
            invocation: None,
        })
    }

    /// Registers of the payload besides push data.
    pub(in crate::isel) const PAYLOAD_REGISTERS: usize = 1 + HANDLE_REGISTERS as usize;

    /// r0, handles, push data.
    pub(in crate::isel) fn lay_out(&self, lir: &mut Lir, push_regs: u16) -> (u16, StageInfo, u16) {
        lir.vgrfs[self.inputs].fixed = Some(1);
        let at = 1 + HANDLE_REGISTERS as u16;
        let info = StageInfo::TessControl(self.info.clone());
        (at, info, at + push_regs)
    }
}

/// An evaluation thread: eight points of a patch's domain.
pub(in crate::isel) struct EvaluationThread {
    pub(in crate::isel) info: TessEvalInfo,
    /// Where the parts of the patch lie.
    pub(in crate::isel) patch_map: PatchMap,
    /// u, v, w.
    pub(in crate::isel) coordinates: VgrfId,
    /// The handles of the vertices' URB entries, r4.
    pub(in crate::isel) handles: VgrfId,
    /// Registers of the patch's entry that are read: (register of the entry, register).
    pub(in crate::isel) pushed: Vec<(u32, VgrfId)>,
    /// The handle of the patch's entry, for every lane.
    pub(in crate::isel) patch: Option<Lanes>,
    pub(in crate::isel) outputs: Outputs,
}

impl EvaluationThread {
    pub(in crate::isel) fn new(
        sh: &Shader,
        layout: &[CfEvent],
        before: Option<&StageInfo>,
        lir: &mut Lir,
    ) -> Result<EvaluationThread, FsError> {
        use IntrinsicOp as I;
        let patch_map = match before {
            Some(StageInfo::TessControl(control)) => control.patch.clone(),
            // On its own: what it reads is what was written.
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
                    for slot in slots.filter(|&s| !is_level(s)) {
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
                domain: domain_of(sh)?,
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

    /// Registers of the payload besides push data, at most.
    pub(in crate::isel) const PAYLOAD_REGISTERS: usize = 5 + MOST_PUSHED as usize;

    /// r0, coordinates, handles, push data, the patch.
    pub(in crate::isel) fn lay_out(&self, lir: &mut Lir, push_regs: u16) -> (u16, StageInfo, u16) {
        const COORDINATES_AT: u8 = 1;
        const HANDLES_AT: u8 = 4;
        const PUSH_AT: u16 = 5;
        lir.vgrfs[self.coordinates].fixed = Some(COORDINATES_AT);
        lir.vgrfs[self.handles].fixed = Some(HANDLES_AT);
        let first = PUSH_AT + push_regs;
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
        (PUSH_AT, StageInfo::TessEval(info), end)
    }
}
