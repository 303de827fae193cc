//! The vertex shader: fetched vertices to [`Vue`]s, eight at a time.
//!
//! In:  3DSTATE_VS, the dwords of vertex elements, push constants. Out: each vertex's URB entry. If
//!      the stage is disabled, the fetched dwords are the entry.
//! Ref: SKL PRM vol. 7, "Vertex Shader (VS) Stage", "SIMD8 Payload".

use super::exec::{Draw, Executor, Shader, UrbEntries, pad_to_data};
use super::object::Vue;
use super::urb::Urb;
use eu::StopReason;
use hw::draw::{
    state_binding_table_pointers_vs as table, state_sampler_state_pointers_vs as samplers,
    state_urb_vs as urb_vs, state_vs as vs,
};
use hw::value::draw::floating_point_mode;

const LANES: usize = 8;

/// The vertex shader stage for one draw.
pub(crate) struct VertexShader<'a> {
    executor: Executor<'a>,
    data_register: usize,
    constants: Vec<u32>,
    samplers: u32,
    /// Dwords of a vertex that are pushed: the first, and their number.
    pushed: (usize, usize),
    /// Dwords of an entry.
    entry: usize,
    statistics: bool,
    /// Increment of VS_INVOCATION_COUNT.
    pub invocations: u64,
}

impl<'a> VertexShader<'a> {
    /// Reads the state; `None` if the stage is disabled.
    pub fn new(
        draw: Draw<'a>,
        constants: Vec<u32>,
    ) -> Result<Option<VertexShader<'a>>, StopReason> {
        let get = |field| draw.state.get(&vs::PACKET, field);
        if get(vs::ENABLE) == 0 {
            return Ok(None);
        }
        if get(vs::SIMD8_DISPATCH_ENABLE) == 0 {
            return Err(StopReason::Unimplemented {
                what: "a vertex shader of SIMD4x2".into(),
                at: draw.at,
            });
        }
        let scratch = get(vs::SCRATCH_SPACE_BASE_POINTER);
        let samplers = draw
            .state
            .get(&samplers::PACKET, samplers::POINTER_TO_VS_SAMPLER_STATE);
        let shader = Shader {
            kernel: get(vs::KERNEL_START_POINTER),
            binding_table: draw
                .state
                .get(&table::PACKET, table::POINTER_TO_VS_BINDING_TABLE),
            samplers,
            scratch,
            scratch_bytes: match scratch {
                0 => 0,
                _ => 1024 << get(vs::PER_THREAD_SCRATCH_SPACE),
            },
            alternate_floats: get(vs::FLOATING_POINT_MODE) == floating_point_mode::ALTERNATE,
        };
        let size = draw
            .state
            .get(&urb_vs::PACKET, urb_vs::VS_URB_ENTRY_ALLOCATION_SIZE);
        Ok(Some(VertexShader {
            executor: Executor::new(draw, "VS", shader)?,
            data_register: get(vs::DISPATCH_GRF_START_REGISTER_FOR_URB_DATA) as usize,
            constants,
            samplers: samplers as u32,
            pushed: (
                get(vs::VERTEX_URB_ENTRY_READ_OFFSET) as usize * 8,
                get(vs::VERTEX_URB_ENTRY_READ_LENGTH) as usize * 8,
            ),
            entry: (size as usize + 1) * 16,
            statistics: get(vs::STATISTICS_ENABLE) == 1,
            invocations: 0,
        }))
    }

    /// Shades `count` vertices of `dwords` dwords each and appends the entry of each.
    pub fn vertices(
        &mut self,
        urb: &mut Urb,
        fetched: &[u32],
        (count, dwords): (usize, usize),
        out: &mut Vec<Vue>,
    ) -> Result<(), StopReason> {
        let (scratch, code) = self.executor.scratch_dwords();
        let mut payload = Vec::new();
        let mut entry = Vec::new();
        for first in (0..count).step_by(LANES) {
            let count = (count - first).min(LANES);
            let vertices = fetched.get(first * dwords..).unwrap_or_default();
            urb.reset();
            payload.clear();
            payload.extend([0, 0, 0, self.samplers | code, 0, scratch, 0, 0]);
            let mut handles = [0; LANES];
            for handle in handles.iter_mut().take(count) {
                *handle = urb.allocate(self.entry)?;
            }
            payload.extend(handles);
            let data = self.constants.len() + self.pushed.1;
            pad_to_data(&mut payload, self.data_register, data);
            payload.extend(&self.constants);
            for component in self.pushed.0..self.pushed.0 + self.pushed.1 {
                for lane in 0..LANES {
                    let value = vertices
                        .get(lane * dwords + component)
                        .filter(|_| component < dwords && lane < count);
                    payload.push(value.copied().unwrap_or(0));
                }
            }
            self.executor.run(&payload, (1u32 << count) - 1, urb)?;
            for handle in handles.iter().take(count) {
                urb.read_entry(*handle, self.entry, &mut entry)?;
                out.push(entry.as_slice().into());
            }
            if self.statistics {
                self.invocations += count as u64;
            }
        }
        Ok(())
    }

    /// The stage's executor, for its statistics.
    pub fn executor(&self) -> &Executor<'a> {
        &self.executor
    }
}
