//! The hull shader: control points of a patch to its URB entry.
//!
//! In:  3DSTATE_HS, the vertices of a patch, push constants. Out: the patch's entry as the threads
//!      wrote it: header with tessellation factors, per-patch outputs, per-vertex outputs.
//! Ref: SKL PRM vol. 7, "Hull Shader (HS) Stage", "Thread Payload: SINGLE_PATCH".

use super::exec::{Draw, Executor, Shader, UrbEntries, pad_to_data};
use super::object::Vue;
use eu::StopReason;
use hw::draw::{
    state_binding_table_pointers_hs as table, state_hs as hs,
    state_sampler_state_pointers_hs as samplers, state_urb_hs as urb_hs,
};
use hw::value::draw::{hs_dispatch_mode, hs_floating_point_mode};

/// Maximum number of vertices of a patch.
const MAX_VERTICES: usize = 32;

/// The hull shader stage for one draw.
pub(crate) struct Hull<'a> {
    executor: Executor<'a>,
    instances: u32,
    /// Dispatch GRF Start Register: registers before the push constants.
    start: usize,
    constants: Vec<u32>,
    /// Dwords of a patch's entry.
    pub entry: usize,
    /// Increment of HS_INVOCATION_COUNT.
    pub invocations: u64,
    payloads: Vec<Vec<u32>>,
    statistics: bool,
    /// Include Vertex Handles: payloads hold the URB handles of the vertices.
    includes_handles: bool,
}

impl<'a> Hull<'a> {
    /// Reads the state; `None` if the stage is disabled.
    pub fn new(draw: Draw<'a>, constants: Vec<u32>) -> Result<Option<Hull<'a>>, StopReason> {
        let get = |field| draw.state.get(&hs::PACKET, field);
        if get(hs::ENABLE) == 0 {
            return Ok(None);
        }
        let gap = |what: &str| StopReason::Unimplemented {
            what: what.into(),
            at: draw.at,
        };
        if get(hs::DISPATCH_MODE) != hs_dispatch_mode::SINGLE_PATCH {
            return Err(gap(
                "a hull shader dispatched in another mode than SINGLE_PATCH",
            ));
        }
        if get(hs::VERTEX_URB_ENTRY_READ_LENGTH) != 0 {
            return Err(gap("vertices pushed to a hull shader"));
        }
        let scratch = get(hs::SCRATCH_SPACE_BASE_POINTER);
        let shader = Shader {
            kernel: get(hs::KERNEL_START_POINTER),
            binding_table: draw
                .state
                .get(&table::PACKET, table::POINTER_TO_HS_BINDING_TABLE),
            samplers: draw
                .state
                .get(&samplers::PACKET, samplers::POINTER_TO_HS_SAMPLER_STATE),
            scratch,
            scratch_bytes: match scratch {
                0 => 0,
                _ => 1024 << get(hs::PER_THREAD_SCRATCH_SPACE),
            },
            alternate_floats: get(hs::FLOATING_POINT_MODE) == hs_floating_point_mode::ALTERNATE,
        };
        let start = get(hs::DISPATCH_GRF_START_REGISTER_FOR_URB_DATA)
            | get(hs::DISPATCH_GRF_START_REGISTER_FOR_URB_DATA_5) << 5;
        let size = draw
            .state
            .get(&urb_hs::PACKET, urb_hs::HS_URB_ENTRY_ALLOCATION_SIZE);
        Ok(Some(Hull {
            executor: Executor::new(draw, "HS", shader)?,
            instances: get(hs::INSTANCE_COUNT) as u32 + 1,
            start: start as usize,
            constants,
            entry: (size as usize + 1) * 16,
            invocations: 0,
            payloads: Vec::new(),
            statistics: get(hs::STATISTICS_ENABLE) == 1,
            includes_handles: get(hs::INCLUDE_VERTEX_HANDLES) == 1,
        }))
    }

    /// Runs the threads of one patch; returns the handle of its entry.
    pub fn patch(
        &mut self,
        urb: &mut dyn UrbEntries,
        vertices: &[Vue],
        primitive_id: u32,
    ) -> Result<u32, StopReason> {
        let patch = urb.allocate(self.entry)?;
        let mut handles = [0; MAX_VERTICES];
        if self.includes_handles {
            for (handle, vertex) in handles.iter_mut().zip(vertices) {
                *handle = urb.allocate(vertex.len())?;
                urb.write_entry(*handle, vertex)?;
            }
        }
        self.payloads.resize(self.instances as usize, Vec::new());
        for (instance, payload) in self.payloads.iter_mut().enumerate() {
            // All instances of a patch run concurrently on the machine, so each has its own scratch
            // memory.
            self.executor.worker = instance as u32;
            let (scratch, code) = self.executor.scratch_dwords();
            payload.clear();
            // R0.1 holds the primitive ID in this dispatch mode; Include Primitive ID concerns the
            // other modes.
            payload.extend([
                patch,
                primitive_id,
                (instance as u32) << 17,
                code,
                0,
                scratch,
                0,
                0,
            ]);
            if self.includes_handles {
                payload.extend(handles);
            }
            pad_to_data(payload, self.start, self.constants.len());
            payload.extend(&self.constants);
        }
        self.executor.run_group(&self.payloads, 0xff, urb)?;
        self.invocations += u64::from(self.statistics);
        Ok(patch)
    }

    /// The stage's executor, for its statistics.
    pub fn executor(&self) -> &Executor<'a> {
        &self.executor
    }
}
