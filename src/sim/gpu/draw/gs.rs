//! The geometry shader: objects to objects.
//!
//! In:  3DSTATE_GS, the vertices of an object, push constants. Out: [`StreamObject`]s decoded from
//!      the shader's output. The eight channels of a thread run eight instances of one object or,
//!      if objects have one instance, eight objects.
//! Ref: SKL PRM vol. 7, "Geometry Shader (GS) Stage", "Thread Payload: SIMD8".

use super::exec::{Draw, Executor, Shader, UrbEntries, pad_to_data};
use super::gs_output::{EntryLayout, StreamObject};
use super::object::{Vue, dword};
use eu::StopReason;
use hw::draw::{
    state_binding_table_pointers_gs as table, state_gs as gs,
    state_sampler_state_pointers_gs as samplers, state_urb_gs as urb_gs,
};
use hw::value::draw::{floating_point_mode, gs_dispatch_mode, reorder_mode};

const LANES: usize = 8;
/// Vertices of an input object, and its primitive ID.
type Object = (Vec<Vue>, u32);

/// Maximum number of vertices of an object.
const MAX_VERTICES: usize = 32;

/// The geometry shader stage for one draw.
pub(crate) struct Geometry<'a> {
    executor: Executor<'a>,
    layout: EntryLayout,
    data_register: usize,
    constants: Vec<u32>,
    primitive_id: bool,
    handles: bool,
    /// Dwords of each vertex that are pushed: the first, and their number.
    pushed: (usize, usize),
    expected: usize,
    discard_adjacency: bool,
    leading: bool,
    instances: usize,
    increment: u64,
    statistics: bool,
    /// Dwords of an output entry.
    entry: usize,
    /// Objects that wait until a thread's channels are filled.
    waiting: Vec<Object>,
    /// Increment of GS_INVOCATION_COUNT.
    pub invocations: u64,
    /// Increment of GS_PRIMITIVES_COUNT.
    pub primitives: u64,
}

impl<'a> Geometry<'a> {
    /// Reads the state; `None` if the stage is disabled.
    pub fn new(draw: Draw<'a>, constants: Vec<u32>) -> Result<Option<Geometry<'a>>, StopReason> {
        let get = |field| draw.state.get(&gs::PACKET, field);
        if get(gs::ENABLE) == 0 {
            return Ok(None);
        }
        let gap = |what: &str| StopReason::Unimplemented {
            what: what.into(),
            at: draw.at,
        };
        if get(gs::DISPATCH_MODE) != gs_dispatch_mode::SIMD8 {
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
            alternate_floats: get(gs::FLOATING_POINT_MODE) == floating_point_mode::ALTERNATE,
        };
        let data_register = get(gs::DISPATCH_GRF_START_REGISTER_FOR_URB_DATA)
            | get(gs::DISPATCH_GRF_START_REGISTER_FOR_URB_DATA_5_4) << 4;
        let size = draw
            .state
            .get(&urb_gs::PACKET, urb_gs::GS_URB_ENTRY_ALLOCATION_SIZE);
        Ok(Some(Geometry {
            layout: EntryLayout::new(draw.state).map_err(gap)?,
            executor: Executor::new(draw, "GS", shader)?,
            data_register: data_register as usize,
            constants,
            primitive_id: get(gs::INCLUDE_PRIMITIVE_ID) == 1,
            handles: get(gs::INCLUDE_VERTEX_HANDLES) == 1,
            pushed: (
                get(gs::VERTEX_URB_ENTRY_READ_OFFSET) as usize * 8,
                get(gs::VERTEX_URB_ENTRY_READ_LENGTH) as usize * 8,
            ),
            expected: (get(gs::EXPECTED_VERTEX_COUNT) as usize).min(MAX_VERTICES),
            discard_adjacency: get(gs::DISCARD_ADJACENCY) == 1,
            leading: get(gs::REORDER_MODE) == reorder_mode::LEADING,
            instances: get(gs::INSTANCE_CONTROL) as usize + 1,
            increment: get(gs::INVOCATIONS_INCREMENT_VALUE) + 1,
            statistics: get(gs::STATISTICS_ENABLE) == 1,
            entry: (size as usize + 1) * 16,
            waiting: Vec::new(),
            invocations: 0,
            primitives: 0,
        }))
    }

    /// True if the shader does not receive the adjacent vertices.
    pub fn discards_adjacency(&self) -> bool {
        self.discard_adjacency
    }

    /// REORDER_LEADING: odd triangles of strips keep their first vertex in place (0, 2, 1), not the
    /// last (1, 0, 2).
    pub fn reorders_leading(&self) -> bool {
        self.leading
    }

    /// Queues an object and, if that fills a thread, runs the shader and appends its output. The
    /// caller may free the URB entries afterwards.
    pub fn object(
        &mut self,
        urb: &mut dyn UrbEntries,
        vertices: Vec<Vue>,
        primitive_id: u32,
        out: &mut Vec<StreamObject>,
    ) -> Result<(), StopReason> {
        self.waiting.push((vertices, primitive_id));
        match self.instances > 1 || self.waiting.len() == LANES {
            true => self.flush(urb, out),
            false => Ok(()),
        }
    }

    /// Runs the shader on the queued objects.
    pub fn flush(
        &mut self,
        urb: &mut dyn UrbEntries,
        out: &mut Vec<StreamObject>,
    ) -> Result<(), StopReason> {
        let waiting = std::mem::take(&mut self.waiting);
        let first = out.len();
        let objects = waiting.as_slice();
        match (self.instances, objects) {
            (_, []) => {}
            (1, _) => {
                let lanes: Vec<_> = objects.iter().map(|object| (object, 0)).collect();
                self.thread(urb, objects, &lanes, out)?;
            }
            _ => {
                for object in objects {
                    let one = std::slice::from_ref(object);
                    for base in (0..self.instances).step_by(LANES) {
                        let instances = base..self.instances.min(base + LANES);
                        let lanes: Vec<_> = instances.map(|i| (object, i as u32)).collect();
                        self.thread(urb, one, &lanes, out)?;
                    }
                }
            }
        }
        if self.statistics {
            self.invocations += self.increment * (self.instances * waiting.len()) as u64;
            self.primitives += (out.len() - first) as u64;
        }
        Ok(())
    }

    /// Runs a thread. Each lane has one of `objects` and an instance of it.
    fn thread(
        &mut self,
        urb: &mut dyn UrbEntries,
        objects: &[Object],
        lanes: &[(&Object, u32)],
        out: &mut Vec<StreamObject>,
    ) -> Result<(), StopReason> {
        let max_len = objects.iter().map(|object| object.0.len()).max();
        let count = self.expected.max(max_len.unwrap_or(0)).min(MAX_VERTICES);
        // Handles by object, then by vertex.
        let mut inputs = vec![[0; MAX_VERTICES]; objects.len()];
        if self.handles {
            for (handles, (vertices, _)) in inputs.iter_mut().zip(objects) {
                for (handle, vertex) in handles.iter_mut().zip(vertices) {
                    *handle = urb.allocate(vertex.len())?;
                    urb.write_entry(*handle, vertex)?;
                }
            }
        }
        let (scratch, code) = self.executor.scratch_dwords();
        let mut payload: Vec<u32> = vec![0, 0, 0, code, 0, scratch, 0, 0];
        // Appends a dword for each lane. Disabled lanes get zero if objects differ, else the value
        // of the enabled ones.
        let row = |payload: &mut Vec<u32>, of: &dyn Fn(&Object) -> u32| {
            let filler = match objects {
                [one] if self.instances > 1 => of(one),
                _ => 0,
            };
            let each = lanes.iter().map(|(object, _)| of(object));
            payload.extend(each.chain(std::iter::repeat(filler)).take(LANES));
        };
        let mut outputs = [0; LANES];
        for (output, _) in outputs.iter_mut().zip(lanes) {
            *output = urb.allocate(self.entry)?;
        }
        // The upper bits of an output handle hold the instance.
        let instances = lanes.iter().map(|lane| lane.1).chain(std::iter::repeat(0));
        payload.extend(outputs.iter().zip(instances).map(|(o, i)| o | i << 27));
        if self.primitive_id {
            row(&mut payload, &|object| object.1);
        }
        if self.handles {
            match (self.instances, inputs.as_slice()) {
                (1, _) => {
                    for vertex in 0..count {
                        let each = inputs.iter().map(|handles| handles[vertex]);
                        payload.extend(each.chain(std::iter::repeat(0)).take(LANES));
                    }
                }
                // All channels have the same vertices, so one register holds the handles of eight
                // vertices.
                (_, [handles, ..]) => {
                    payload.extend(handles.iter().take(count.next_multiple_of(LANES)));
                }
                (_, []) => {}
            }
        }
        let data = self.constants.len() + count * self.pushed.1;
        pad_to_data(&mut payload, self.data_register, data);
        payload.extend(&self.constants);
        for i in 0..count {
            for at in self.pushed.0..self.pushed.0 + self.pushed.1 {
                row(&mut payload, &|(vertices, _)| {
                    vertices.get(i).map_or(0, |vertex| dword(vertex, at))
                });
            }
        }
        self.executor
            .run(&payload, (1u32 << lanes.len()) - 1, urb)?;
        let mut entry = Vec::new();
        for (handle, (object, _)) in outputs.iter().zip(lanes) {
            urb.read_entry(*handle, self.entry, &mut entry)?;
            self.layout.split_objects(&entry, object.1, out);
        }
        Ok(())
    }

    /// The stage's executor, for its statistics.
    pub fn executor(&self) -> &Executor<'a> {
        &self.executor
    }
}
