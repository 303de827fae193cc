//! What a fragment thread starts with, and what its launcher must know.
//!
//! In:  the intrinsics of the shader. Out: [`FragmentThread`], whose parts get registers when all is known.
//! Ref: SKL PRM vol. 7, "Pixel Shader Thread Payload".

use super::outputs::Outputs;
use super::scan::intrinsics;
use crate::error::FsError;
use crate::lir::builder::Lanes;
use crate::lir::{Lir, VgrfId};
use abi::{BARYCENTRIC_MODES, ComputedDepth, FragmentInfo, StageInfo};
use nir::{CfEvent, DepthLayout, Effects, IntrinsicOp, Shader, Slot};

/// Pixels that the payload has together.
const GROUP: usize = 16;

/// A value of the payload, if it is read: the registers of each group of up to sixteen pixels.
pub(in crate::isel) type Value = Option<[VgrfId; 2]>;

/// A fragment thread.
pub(in crate::isel) struct FragmentThread {
    pub(in crate::isel) info: FragmentInfo,
    pub(in crate::isel) barycentrics: [Value; BARYCENTRIC_MODES],
    pub(in crate::isel) depth: Value,
    pub(in crate::isel) w: Value,
    pub(in crate::isel) sample_positions: Value,
    pub(in crate::isel) coverage: Value,
    /// Setup data: (attribute, half of its components, register).
    pub(in crate::isel) setup: Vec<(usize, u8, VgrfId)>,
    /// The pixels as they came, of threads that have them in two registers.
    pub(in crate::isel) dispatched: Option<Lanes>,
    /// The pixels that live, where some may die.
    pub(in crate::isel) live: Option<Lanes>,
    /// Where those that have ended are in a flag instead: they may go on.
    pub(in crate::isel) ended_run_on: Option<bool>,
    pub(in crate::isel) outputs: Outputs,
    /// Kinds of barycentric coordinates that are asked for.
    coordinates: usize,
}

impl FragmentThread {
    pub(in crate::isel) fn new(
        sh: &Shader,
        layout: &[CfEvent],
        before: Option<&StageInfo>,
    ) -> Result<FragmentThread, FsError> {
        use IntrinsicOp as I;
        let modes = &sh.info.fragment;
        let mut info = FragmentInfo {
            per_sample: modes.sample_shading,
            early_tests: modes.early_fragment_tests,
            post_depth_coverage: modes.post_depth_coverage,
            ..FragmentInfo::default()
        };
        let mut flat = 0u128;
        let mut coordinates = Vec::new();
        for i in intrinsics(sh, layout) {
            let slots = || {
                let first = i.index("location");
                first..first + i.index("num_slots").max(1)
            };
            match i.op {
                I::LoadInput | I::LoadInterpolatedInput => {
                    for slot in slots() {
                        info.inputs.push(slot as u8);
                        let bit = 1u128.checked_shl(slot).unwrap_or(0);
                        flat |= if i.op == I::LoadInput { bit } else { 0 };
                    }
                }
                I::LoadBarycentricPixel
                | I::LoadBarycentricCentroid
                | I::LoadBarycentricSample
                | I::LoadBarycentricAtSample
                | I::LoadBarycentricAtOffset => {
                    coordinates.push((i.op as u32, i.index("interp_mode")));
                }
                I::Demote | I::DemoteIf | I::Terminate | I::TerminateIf => info.kills = true,
                I::StoreOutput => match Slot(i.index("location") as u8) {
                    Slot::FRAG_DEPTH => {
                        info.computed_depth = match modes.depth_layout {
                            DepthLayout::Any => ComputedDepth::On,
                            DepthLayout::Greater => ComputedDepth::GreaterOrEqual,
                            DepthLayout::Less => ComputedDepth::LessOrEqual,
                            // What it writes should be the primitive's own, and is written all the same. A message with
                            // depths for a shader that is said to make none hangs the machine.
                            DepthLayout::Unchanged => ComputedDepth::LessOrEqual,
                        }
                    }
                    Slot::FRAG_SAMPLE_MASK => info.output_mask = true,
                    Slot::FRAG_STENCIL => info.output_stencil = true,
                    _ => {
                        for target in slots().map(|s| s.saturating_sub(Slot::VAR0.0.into())) {
                            info.targets |= 1u8.checked_shl(target).unwrap_or(0);
                        }
                        info.dual_source |= i.index("index") == 1;
                    }
                },
                _ => info.writes_memory |= writes_memory(i.op),
            }
        }
        coordinates.sort_unstable();
        coordinates.dedup();
        info.inputs.sort_unstable();
        info.inputs.dedup();
        if info.inputs.len() > abi::FREE_INPUTS
            && let Some(vertices) = before.and_then(StageInfo::vertex_outputs)
        {
            info.inputs = in_order(&info.inputs, &vertices.vue)?;
        }
        if info.inputs.len() > 32 {
            return Err(FsError::Limit {
                what: "attributes of a fragment shader",
                need: info.inputs.len() as u64,
                max: 32,
            });
        }
        for (at, slot) in info.inputs.iter().enumerate() {
            info.flat_inputs |= ((flat >> slot & 1) as u64) << at;
        }
        Ok(FragmentThread {
            info,
            barycentrics: [None; BARYCENTRIC_MODES],
            depth: None,
            w: None,
            sample_positions: None,
            coverage: None,
            setup: Vec::new(),
            dispatched: None,
            live: None,
            ended_run_on: None,
            outputs: Outputs::new(sh, layout),
            coordinates: coordinates.len(),
        })
    }

    pub(in crate::isel) fn outputs(&mut self) -> &mut Outputs {
        &mut self.outputs
    }

    pub(in crate::isel) fn info(&self) -> &FragmentInfo {
        &self.info
    }

    /// Registers of the payload besides push data, at most: those of the widest shader.
    pub(in crate::isel) fn payload_registers(&self) -> usize {
        // Headers; depth, w, positions and coverage; two coordinates of a kind.
        const HEADERS: usize = 3;
        const VALUES: usize = 4 * 4;
        const COORDINATES: usize = 2 * 4;
        HEADERS + VALUES + COORDINATES * self.coordinates + 2 * self.info.inputs.len()
    }

    /// r0, then r1 for each sixteen pixels; for each sixteen pixels coordinates, depth, w, positions, coverage; push data; setup data.
    /// Mesa counts the groups of 32 pixels in the same order (`brw_fs_thread_payload.cpp`).
    pub(in crate::isel) fn lay_out(&self, lir: &mut Lir, push_regs: u16) -> (u16, StageInfo, u16) {
        let mut info = self.info.clone();
        let groups = usize::from(lir.width).div_ceil(GROUP);
        let mut at = 1 + groups as u16;
        for group in 0..groups {
            let mut take = |value: Value| {
                if let Some(registers) = value {
                    let vgrf = &mut lir.vgrfs[registers[group]];
                    vgrf.fixed = u8::try_from(at).ok();
                    at += vgrf.regs;
                }
                value.is_some()
            };
            for (mode, &value) in self.barycentrics.iter().enumerate() {
                info.barycentric_modes |= u8::from(take(value)) << mode;
            }
            info.source_depth = take(self.depth);
            info.source_w = take(self.w);
            info.sample_positions = take(self.sample_positions);
            info.input_coverage = take(self.coverage);
        }
        let first = at + push_regs;
        for &(attribute, half, v) in &self.setup {
            let reg = first + 2 * attribute as u16 + u16::from(half);
            lir.vgrfs[v].fixed = u8::try_from(reg).ok();
        }
        let end = first + 2 * info.inputs.len() as u16;
        (at, StageInfo::Fragment(info), end)
    }
}

/// The inputs of a shader that has many, as the vertices have them: those that it does not read too, but for places that others take,
/// which are in no vertex.
fn in_order(inputs: &[u8], vertices: &abi::VueMap) -> Result<Vec<u8>, FsError> {
    let in_vertex = |slot: &u8| !abi::in_header(*slot) && vertices.place(*slot).is_some();
    let last = inputs.iter().filter(|s| in_vertex(s));
    let end = last.filter_map(|s| vertices.place(*s)).max();
    let mut all = vertices.slots.clone();
    all.truncate(end.map_or(0, |last| last + 1));
    let others = || inputs.iter().filter(|s| !in_vertex(s));
    let is_free = |slot: u8| abi::in_header(slot) || !inputs.contains(&slot);
    let places = |all: &[u8]| -> Vec<usize> {
        let first = all.iter().take(abi::FREE_INPUTS).enumerate();
        first.filter(|p| is_free(*p.1)).map(|p| p.0).collect()
    };
    // Slots are read by twos: what lies before the first is left out, if it need not hold what is in no vertex.
    let unread = all.iter().take_while(|slot| is_free(**slot)).count() & !1;
    let rest = all.get(unread..).unwrap_or_default();
    if places(rest).len() >= others().count() {
        all.drain(..unread);
    }
    let free = places(&all);
    for (k, &slot) in others().enumerate() {
        let place = free.get(k).and_then(|&at| all.get_mut(at));
        *place.ok_or(FsError::Limit {
            what: "attributes of a fragment shader that are no vertices' own",
            need: others().count() as u64,
            max: free.len() as u64,
        })? = slot;
    }
    Ok(all)
}

/// True for what others can see: buffers, images, addresses; not for what an invocation has for itself.
fn writes_memory(op: IntrinsicOp) -> bool {
    op.info().effects.any(Effects::WRITES) && op != IntrinsicOp::StoreScratch
}
