//! The geometry shader: objects to objects.
//!
//! In:  3DSTATE_GS, the vertices of an object, push constants. Out: [`StreamObject`]s cut from what the shader wrote.
//! Instances of an object share threads of eight channels.
//! Ref: SKL PRM vol. 7, "Geometry Shader (GS) Stage", "Thread Payload: SIMD8".

use super::exec::{Draw, Entries, Executor, Shader};
use super::gs_output::{Layout, StreamObject};
use super::object::{Vue, dword};
use eu::Stop;
use hw::draw::{
    state_binding_table_pointers_gs as table, state_gs as gs,
    state_sampler_state_pointers_gs as samplers, state_urb_gs as urb_gs,
};

const LANES: usize = 8;
/// Dispatch Mode SIMD8.
const SIMD8: u64 = 3;
/// Vertices of an object at most.
const MOST: usize = 32;

/// The stage for one draw.
pub(crate) struct Geometry<'a> {
    executor: Executor<'a>,
    layout: Layout,
    start: usize,
    constants: Vec<u32>,
    primitive_id: bool,
    handles: bool,
    /// Dwords of each vertex that are pushed: from, how many.
    read: (usize, usize),
    expected: usize,
    discard_adjacency: bool,
    leading: bool,
    instances: usize,
    increment: u64,
    statistics: bool,
    /// Dwords of an output entry.
    entry: usize,
    /// What GS_INVOCATION_COUNT grows by.
    pub invocations: u64,
    /// What GS_PRIMITIVES_COUNT grows by.
    pub primitives: u64,
}

impl<'a> Geometry<'a> {
    /// Reads the state; none where the stage is off.
    pub fn new(draw: Draw<'a>, constants: Vec<u32>) -> Result<Option<Geometry<'a>>, Stop> {
        let get = |field| draw.state.get(&gs::PACKET, field);
        if get(gs::ENABLE) == 0 {
            return Ok(None);
        }
        let gap = |what: &str| Stop::Unimplemented {
            what: what.into(),
            at: draw.at,
        };
        if get(gs::DISPATCH_MODE) != SIMD8 {
            return Err(gap(
                "a geometry shader dispatched in another mode than SIMD8",
            ));
        }
        let scratch = get(gs::SCRATCH_SPACE_BASE_POINTER);
        let shader = Shader {
            kernel: get(gs::KERNEL_START_POINTER),
            binding_table: draw
                .state
                .get(&table::PACKET, table::POINTER_TO_GS_BINDING_TABLE),
            samplers: draw
                .state
                .get(&samplers::PACKET, samplers::POINTER_TO_GS_SAMPLER_STATE),
            scratch,
            scratch_bytes: match scratch {
                0 => 0,
                _ => 1024 << get(gs::PER_THREAD_SCRATCH_SPACE),
            },
            alternate_floats: get(gs::FLOATING_POINT_MODE) == 1,
        };
        let start = get(gs::DISPATCH_GRF_START_REGISTER_FOR_URB_DATA)
            | get(gs::DISPATCH_GRF_START_REGISTER_FOR_URB_DATA_5_4) << 4;
        let size = draw
            .state
            .get(&urb_gs::PACKET, urb_gs::GS_URB_ENTRY_ALLOCATION_SIZE);
        Ok(Some(Geometry {
            layout: Layout::new(draw.state).map_err(gap)?,
            executor: Executor::new(draw, "GS", shader)?,
            start: start as usize,
            constants,
            primitive_id: get(gs::INCLUDE_PRIMITIVE_ID) == 1,
            handles: get(gs::INCLUDE_VERTEX_HANDLES) == 1,
            read: (
                get(gs::VERTEX_URB_ENTRY_READ_OFFSET) as usize * 8,
                get(gs::VERTEX_URB_ENTRY_READ_LENGTH) as usize * 8,
            ),
            expected: (get(gs::EXPECTED_VERTEX_COUNT) as usize).min(MOST),
            discard_adjacency: get(gs::DISCARD_ADJACENCY) == 1,
            leading: get(gs::REORDER_MODE) == 0,
            instances: get(gs::INSTANCE_CONTROL) as usize + 1,
            increment: get(gs::INVOCATIONS_INCREMENT_VALUE) + 1,
            statistics: get(gs::STATISTICS_ENABLE) == 1,
            entry: (size as usize + 1) * 16,
            invocations: 0,
            primitives: 0,
        }))
    }

    /// True where the shader is not to see vertices of adjacent objects.
    pub fn discards_adjacency(&self) -> bool {
        self.discard_adjacency
    }

    /// REORDER_LEADING: odd triangles of strips come in with their first vertex in its place (0, 2, 1), not the last
    /// (1, 0, 2).
    pub fn takes_leading(&self) -> bool {
        self.leading
    }

    /// Runs the shader's instances on an object. The entries made in the URB can be freed afterwards.
    pub fn object(
        &mut self,
        urb: &mut dyn Entries,
        vertices: &[Vue],
        primitive_id: u32,
        out: &mut Vec<StreamObject>,
    ) -> Result<(), Stop> {
        let count = self.expected.max(vertices.len()).min(MOST);
        let mut inputs = [0; MOST];
        if self.handles {
            for (handle, vertex) in inputs.iter_mut().zip(vertices) {
                *handle = urb.allocate(vertex.len())?;
                urb.put(*handle, vertex)?;
            }
        }
        let (scratch, code) = self.executor.scratch();
        let first = out.len();
        let mut payload: Vec<u32> = Vec::new();
        let mut entry = Vec::new();
        for base in (0..self.instances).step_by(LANES) {
            let lanes = (self.instances - base).min(LANES);
            let mut outputs = [0; LANES];
            payload.clear();
            payload.extend([0, 0, 0, code, 0, scratch, 0, 0]);
            for (lane, output) in outputs.iter_mut().enumerate() {
                if lane < lanes {
                    *output = urb.allocate(self.entry)?;
                    // The instance is in the handle's upper bits.
                    payload.push(*output | ((base + lane) as u32) << 27);
                } else {
                    payload.push(0);
                }
            }
            if self.primitive_id {
                payload.extend([primitive_id; LANES]);
            }
            if self.handles {
                match self.instances {
                    1 => {
                        for handle in inputs.iter().take(count) {
                            payload.extend([*handle; LANES]);
                        }
                    }
                    // All channels have the same vertices: their handles stand side by side.
                    _ => payload.extend(inputs.iter().take(count.next_multiple_of(LANES))),
                }
            }
            payload.resize(self.start.max(1) * 8, 0);
            payload.extend(&self.constants);
            for i in 0..count {
                let vertex: &[u32] = vertices.get(i).map_or(&[], |vertex| vertex);
                for at in self.read.0..self.read.0 + self.read.1 {
                    payload.extend([dword(vertex, at); LANES]);
                }
            }
            self.executor.run(&payload, (1u32 << lanes) - 1, urb)?;
            for handle in outputs.iter().take(lanes) {
                urb.take(*handle, self.entry, &mut entry)?;
                self.layout.objects(&entry, primitive_id, out);
            }
        }
        if self.statistics {
            self.invocations += self.increment * self.instances as u64;
            self.primitives += (out.len() - first) as u64;
        }
        Ok(())
    }

    /// Threads and instructions so far.
    pub fn executor(&self) -> &Executor<'a> {
        &self.executor
    }
}
