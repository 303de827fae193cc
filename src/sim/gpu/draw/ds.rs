//! The domain shader: points of a patch's domain to vertices.
//!
//! In:  3DSTATE_DS, a patch's URB entry, points of its domain, push constants. Out: a [`Vue`] for
//!      each point.
//! Ref: SKL PRM vol. 7, "Domain Shader (DS) Stage", "Thread Payload: SIMD8".

use super::exec::{Draw, Executor, Shader, UrbEntries, pad_to_data};
use super::object::Vue;
use eu::StopReason;
use hw::draw::{
    state_binding_table_pointers_ds as table, state_ds as ds,
    state_sampler_state_pointers_ds as samplers, state_urb_ds as urb_ds,
};
use hw::value::draw::{ds_dispatch_mode, floating_point_mode};

const LANES: usize = 8;
/// The value of pushed dwords beyond the end of a patch's entry, where the next entry may begin:
/// easy to recognise.
///
/// Mesa's compiler pushes sixteen rows if a control point's index is not known at compile time,
/// however short the entry is.
const PAST_ENTRY: u32 = 0xffc0_beef;

/// 1 with 16 fraction bits.
const ONE: i32 = 1 << 16;

/// The domain shader stage for one draw.
pub(crate) struct Domain<'a> {
    executor: Executor<'a>,
    data_register: usize,
    constants: Vec<u32>,
    /// Dwords of the patch's entry that are pushed: the first, and their number.
    pushed: (usize, usize),
    /// Compute W Coordinate Enable.
    w: bool,
    /// Dwords of a vertex's entry.
    entry: usize,
    /// Increment of DS_INVOCATION_COUNT.
    pub invocations: u64,
    statistics: bool,
}

impl<'a> Domain<'a> {
    /// Reads the state; `None` if the stage is disabled.
    pub fn new(draw: Draw<'a>, constants: Vec<u32>) -> Result<Option<Domain<'a>>, StopReason> {
        let get = |field| draw.state.get(&ds::PACKET, field);
        if get(ds::ENABLE) == 0 {
            return Ok(None);
        }
        if get(ds::DISPATCH_MODE) != ds_dispatch_mode::SIMD8_SINGLE_PATCH {
            return Err(StopReason::Unimplemented {
                what: "a domain shader dispatched in another mode than SIMD8_SINGLE_PATCH".into(),
                at: draw.at,
            });
        }
        let scratch = get(ds::SCRATCH_SPACE_BASE_POINTER);
        let shader = Shader {
            kernel: get(ds::KERNEL_START_POINTER),
            binding_table: draw
                .state
                .get(&table::PACKET, table::POINTER_TO_DS_BINDING_TABLE),
            samplers: draw
                .state
                .get(&samplers::PACKET, samplers::POINTER_TO_DS_SAMPLER_STATE),
            scratch,
            scratch_bytes: match scratch {
                0 => 0,
                _ => 1024 << get(ds::PER_THREAD_SCRATCH_SPACE),
            },
            alternate_floats: get(ds::FLOATING_POINT_MODE) == floating_point_mode::ALTERNATE,
        };
        let size = draw
            .state
            .get(&urb_ds::PACKET, urb_ds::DS_URB_ENTRY_ALLOCATION_SIZE);
        Ok(Some(Domain {
            executor: Executor::new(draw, "DS", shader)?,
            data_register: get(ds::DISPATCH_GRF_START_REGISTER_FOR_URB_DATA) as usize,
            constants,
            pushed: (
                get(ds::PATCH_URB_ENTRY_READ_OFFSET) as usize * 8,
                get(ds::PATCH_URB_ENTRY_READ_LENGTH) as usize * 8,
            ),
            w: get(ds::COMPUTE_W_COORDINATE_ENABLE) == 1,
            entry: (size as usize + 1) * 16,
            invocations: 0,
            statistics: get(ds::STATISTICS_ENABLE) == 1,
        }))
    }

    /// Runs the shader on all points of a patch; `patch` is the handle of its URB entry and `entry`
    /// the content.
    pub fn points(
        &mut self,
        urb: &mut dyn UrbEntries,
        (patch, entry): (u32, &[u32]),
        points: &[[i32; 2]],
        primitive_id: u32,
    ) -> Result<Vec<Vue>, StopReason> {
        let mut vertices = Vec::with_capacity(points.len());
        let mut outputs = [0; LANES];
        for handle in outputs.iter_mut().take(points.len()) {
            *handle = urb.allocate(self.entry)?;
        }
        let (scratch, code) = self.executor.scratch_dwords();
        let mut read = Vec::new();
        let mut payload = Vec::new();
        for lanes in points.chunks(LANES) {
            payload.clear();
            payload.extend([patch, primitive_id, 0, code, 0, scratch, 0, 0]);
            payload.resize(4 * 8, 0);
            for (lane, [u, v]) in lanes.iter().enumerate() {
                let w = if self.w { ONE - u - v } else { 0 };
                for (register, value) in [*u, *v, w].into_iter().enumerate() {
                    if let Some(to) = payload.get_mut((1 + register) * 8 + lane) {
                        *to = (value as f32 / ONE as f32).to_bits();
                    }
                }
            }
            payload.extend(outputs);
            let data = self.constants.len() + self.pushed.1;
            pad_to_data(&mut payload, self.data_register, data);
            payload.extend(&self.constants);
            let pushed = entry.iter().skip(self.pushed.0).copied();
            payload.extend(
                pushed
                    .chain(std::iter::repeat(PAST_ENTRY))
                    .take(self.pushed.1),
            );
            for handle in outputs.iter().take(lanes.len()) {
                urb.reset_entry(*handle, self.entry)?;
            }
            self.executor
                .run(&payload, (1u32 << lanes.len()) - 1, urb)?;
            for handle in outputs.iter().take(lanes.len()) {
                urb.read_entry(*handle, self.entry, &mut read)?;
                vertices.push(read.as_slice().into());
            }
        }
        if self.statistics {
            self.invocations += points.len() as u64;
        }
        Ok(vertices)
    }

    /// The stage's executor, for its statistics.
    pub fn executor(&self) -> &Executor<'a> {
        &self.executor
    }
}
