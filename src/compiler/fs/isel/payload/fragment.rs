//! The payload of fragment threads, and what the driver must know about the stage.
//!
//! In:  the intrinsics of the shader. Out: [`FragmentThread`], whose values get GRFs in
//! [`FragmentThread::lay_out`].
//! Ref: SKL PRM vol. 7, "Pixel Shader Thread Payload".

use super::layout::PayloadLayout;
use super::outputs::Outputs;
use super::scan::intrinsics;
use crate::error::FsError;
use crate::lir::builder::Lanes;
use crate::lir::{Lir, VgrfId};
use abi::{BARYCENTRIC_MODES, ComputedDepth, FragmentInfo, StageInfo};
use nir::{CfEvent, DepthLayout, Effects, IntrinsicOp, Shader, Slot};

/// Pixels of a group: the payload is laid out group by group.
const PIXEL_GROUP: usize = 16;

/// A per-pixel payload value, if it is read: one VGRF for each group of up to sixteen pixels.
pub(crate) type PayloadValue = Option<[VgrfId; 2]>;

/// The payload of a fragment thread.
pub(crate) struct FragmentThread {
    pub(crate) info: FragmentInfo,
    pub(crate) barycentrics: [PayloadValue; BARYCENTRIC_MODES],
    pub(crate) depth: PayloadValue,
    pub(crate) w: PayloadValue,
    pub(crate) sample_positions: PayloadValue,
    pub(crate) coverage: PayloadValue,
    /// Attribute setup data: (attribute, half of its components, register).
    pub(crate) setup: Vec<(usize, u8, VgrfId)>,
    /// The dispatch mask of threads with two pixel groups, whose payload has it in two registers.
    pub(crate) dispatch_mask: Option<Lanes>,
    /// The mask of live pixels, in shaders that demote pixels and keep a mask.
    pub(crate) live_mask: Option<Lanes>,
    /// In shaders that track demoted pixels in a flag: true if terminated lanes may continue.
    pub(crate) flag_continues: Option<bool>,
    pub(crate) outputs: Outputs,
    /// Number of distinct barycentric coordinates that the shader reads.
    coordinates: usize,
}

impl FragmentThread {
    /// Scans a fragment shader. Fails if it has too many inputs.
    pub(crate) fn new(
        sh: &Shader,
        layout: &[CfEvent],
        previous_stage: Option<&StageInfo>,
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
                            // The shader promises to write the primitive's own depth, but it does
                            // write it: a message with depth from a shader that is declared to
                            // compute none hangs the GPU.
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
        if info.inputs.len() > abi::MAX_SWIZZLED_INPUTS
            && let Some(vertices) = previous_stage.and_then(StageInfo::vertex_outputs)
        {
            info.inputs = inputs_in_vue_order(&info.inputs, &vertices.vue)?;
        }
        if info.inputs.len() > 32 {
            return Err(FsError::Limit {
                what: "fragment shader inputs",
                need: info.inputs.len() as u64,
                max: 32,
            });
        }
        for (attribute, slot) in info.inputs.iter().enumerate() {
            info.flat_inputs |= ((flat >> slot & 1) as u64) << attribute;
        }
        Ok(FragmentThread {
            info,
            barycentrics: [None; BARYCENTRIC_MODES],
            depth: None,
            w: None,
            sample_positions: None,
            coverage: None,
            setup: Vec::new(),
            dispatch_mask: None,
            live_mask: None,
            flag_continues: None,
            outputs: Outputs::new(sh, layout),
            coordinates: coordinates.len(),
        })
    }

    pub(crate) fn outputs(&mut self) -> &mut Outputs {
        &mut self.outputs
    }

    pub(crate) fn info(&self) -> &FragmentInfo {
        &self.info
    }

    /// Upper bound of the payload's registers without push data, for SIMD32.
    pub(crate) fn payload_registers(&self) -> usize {
        // Headers; depth, w, sample positions and coverage; two barycentric coordinates of each
        // kind.
        const HEADERS: usize = 3;
        const VALUES: usize = 4 * 4;
        const COORDINATES: usize = 2 * 4;
        HEADERS + VALUES + COORDINATES * self.coordinates + 2 * self.info.inputs.len()
    }

    /// Assigns GRFs: r0; r1 for each pixel group; for each pixel group barycentric coordinates,
    /// depth, w, sample positions, coverage; push data; attribute setup data. Mesa has the pixel
    /// groups in the same order (`brw_fs_thread_payload.cpp`).
    pub(crate) fn lay_out(&self, lir: &mut Lir, push_regs: u16) -> PayloadLayout {
        let mut info = self.info.clone();
        let groups = usize::from(lir.width).div_ceil(PIXEL_GROUP);
        let mut grf = 1 + groups as u16;
        for group in 0..groups {
            let mut assign_grf = |value: PayloadValue| {
                if let Some(registers) = value {
                    let vgrf = &mut lir.vgrfs[registers[group]];
                    vgrf.fixed = u8::try_from(grf).ok();
                    grf += vgrf.regs;
                }
                value.is_some()
            };
            for (mode, &value) in self.barycentrics.iter().enumerate() {
                info.barycentric_modes |= u8::from(assign_grf(value)) << mode;
            }
            info.source_depth = assign_grf(self.depth);
            info.source_w = assign_grf(self.w);
            info.sample_positions = assign_grf(self.sample_positions);
            info.input_coverage = assign_grf(self.coverage);
        }
        let first = grf + push_regs;
        for &(attribute, half, v) in &self.setup {
            let reg = first + 2 * attribute as u16 + u16::from(half);
            lir.vgrfs[v].fixed = u8::try_from(reg).ok();
        }
        let end = first + 2 * info.inputs.len() as u16;
        PayloadLayout {
            push_grf: grf,
            stage: StageInfo::Fragment(info),
            end,
        }
    }
}

/// The inputs of a shader with many inputs, in VUE order, including slots that it does not read.
/// Inputs that the vertex does not have replace unread slots.
fn inputs_in_vue_order(inputs: &[u8], vertices: &abi::VueMap) -> Result<Vec<u8>, FsError> {
    let in_vertex = |slot: &u8| !abi::in_header(*slot) && vertices.slot_index(*slot).is_some();
    let last = inputs.iter().filter(|s| in_vertex(s));
    let end = last.filter_map(|s| vertices.slot_index(*s)).max();
    let mut all = vertices.slots.clone();
    all.truncate(end.map_or(0, |last| last + 1));
    let not_in_vertex = || inputs.iter().filter(|s| !in_vertex(s));
    let is_free = |slot: u8| abi::in_header(slot) || !inputs.contains(&slot);
    let free_indices = |all: &[u8]| -> Vec<usize> {
        let first = all.iter().take(abi::MAX_SWIZZLED_INPUTS).enumerate();
        first.filter(|p| is_free(*p.1)).map(|p| p.0).collect()
    };
    // The setup unit reads pairs of slots. Unread slots at the start are skipped, if the rest has
    // room for the inputs that the vertex does not have.
    let unread = all.iter().take_while(|slot| is_free(**slot)).count() & !1;
    let rest = all.get(unread..).unwrap_or_default();
    if free_indices(rest).len() >= not_in_vertex().count() {
        all.drain(..unread);
    }
    let free = free_indices(&all);
    for (k, &slot) in not_in_vertex().enumerate() {
        let entry = free.get(k).and_then(|&index| all.get_mut(index));
        *entry.ok_or(FsError::Limit {
            what: "fragment shader inputs that the vertex does not have",
            need: not_in_vertex().count() as u64,
            max: free.len() as u64,
        })? = slot;
    }
    Ok(all)
}

/// True for writes that other invocations can see: buffers, images, addresses, but not scratch.
fn writes_memory(op: IntrinsicOp) -> bool {
    op.info().effects.any(Effects::WRITES) && op != IntrinsicOp::StoreScratch
}
