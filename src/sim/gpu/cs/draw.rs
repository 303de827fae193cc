//! 3DPRIMITIVE, and 3D state commands with an immediate effect. Ref: SKL PRM vol. 2a; vol. 2c,
//! statistics.

use crate::cs::streamer::BatchRun;
use crate::draw::exec::Draw;
use crate::draw::pipeline::{self, Primitive, Totals};
use crate::draw::{constants, pixel, sol};
use crate::profile::WorkProfile;
use crate::surface::Image;
use crate::target_images::Role;
use eu::StopReason;
use hw::draw_state::vertex_buffer_state;
use hw::value::draw::vertex_access_type;
use hw::{Packet, draw, register};
use std::sync::Mutex;
use std::time::Instant;

impl BatchRun<'_> {
    /// Executes a 3DSTATE_* command.
    pub(super) fn state_3d(
        &mut self,
        packet: &Packet,
        words: &[u32],
        at: u64,
    ) -> Result<(), StopReason> {
        self.context.draw.latch(packet, words);
        if let Some(watch) = self.watch
            && let Some((stage, named)) = self.context.draw.take_commit(packet)
        {
            let wide = Mutex::new(());
            let draw = self.draw(at, &wide);
            let committed = constants::read(&draw, named);
            if committed.is_ok() {
                watch.constants_committed(stage, constants::ranges(&draw, named));
            }
            self.context.draw.committed_constants[stage] = Some(committed);
        }
        if std::ptr::eq(packet, &draw::state_so_buffer::PACKET) {
            if let Some((index, offset)) = sol::write_offset(words, &self.view)? {
                let to = register::SO_WRITE_OFFSET0 + index as u32 * 4;
                self.context.set_register(to, offset);
            }
        } else if std::ptr::eq(packet, &draw::state_wm_hz_op::PACKET) {
            use draw::state_wm_hz_op as f;
            let acts = [
                f::DEPTH_BUFFER_CLEAR_ENABLE,
                f::STENCIL_BUFFER_CLEAR_ENABLE,
                f::DEPTH_BUFFER_RESOLVE_ENABLE,
                f::HIERARCHICAL_DEPTH_BUFFER_RESOLVE_ENABLE,
            ];
            if acts.iter().any(|field| field.get(words) == 1) {
                let wide = Mutex::new(());
                self.begin_work(at);
                pixel::hz_op(&self.draw(at, &wide), words)?;
                self.end_work();
                self.drawn_targets.begin();
                let depth = pixel::depth_targets(&self.draw(at, &wide), true);
                self.show_targets(depth);
            }
        }
        Ok(())
    }

    /// Reports the start of a draw's work to strict mode.
    fn begin_work(&self, at: u64) {
        if let Some(watch) = self.watch {
            watch.begin(at);
        }
    }

    fn end_work(&self) {
        if let Some(watch) = self.watch {
            watch.end();
        }
    }

    /// Records the targets that a draw wrote, if images of them are requested.
    fn show_targets(&mut self, targets: Vec<(Role, Image)>) {
        let Some(sink) = &self.gpu.options.targets else {
            return;
        };
        self.drawn_targets.draw(targets);
        if sink.each_draw {
            self.drawn_targets.show(self.space, sink);
        }
    }

    fn draw<'d>(&'d self, at: u64, wide: &'d Mutex<()>) -> Draw<'d> {
        Draw {
            at,
            state: &self.context.draw,
            base: self.context.base,
            space: self.space,
            options: &self.gpu.options,
            kernels: &self.gpu.kernels,
            wide,
            budget: &self.budget,
            watch: self.watch,
        }
    }

    /// Number of vertices from `first` that start before byte `end_work` of vertex buffer 0, where
    /// stream output ended.
    fn vertices_up_to(&self, end_work: u32, first: u32, at: u64) -> Result<u32, StopReason> {
        let buffer = self.context.draw.vertex_buffers.get(&0);
        let pitch = buffer.map_or(0, |words| vertex_buffer_state::BUFFER_PITCH.get(words));
        if pitch == 0 {
            return Err(StopReason::Fault {
                what: "hang: a draw to an end offset never gets there with a pitch of 0".into(),
                at,
            });
        }
        let vertices = u64::from(end_work).div_ceil(pitch);
        // The quotient of a dword fits a dword.
        Ok(vertices.saturating_sub(first.into()) as u32)
    }

    /// Executes a 3DPRIMITIVE.
    pub(super) fn primitive(&mut self, words: &[u32], at: u64) -> Result<(), StopReason> {
        use draw::primitive as f;
        if f::PREDICATE_ENABLE.get(words) == 1 && !self.context.predicate {
            return Ok(());
        }
        let state = &self.context.draw;
        let topology = draw::state_vf_topology::PRIMITIVE_TOPOLOGY_TYPE;
        let get = |field: hw::Field| field.get(words) as u32;
        let mut primitive = Primitive {
            topology: state.get(&draw::state_vf_topology::PACKET, topology) as u32,
            indexed: f::VERTEX_ACCESS_TYPE.get(words) == vertex_access_type::RANDOM,
            vertices: get(f::VERTEX_COUNT_PER_INSTANCE),
            first_vertex: get(f::START_VERTEX_LOCATION),
            instances: get(f::INSTANCE_COUNT),
            first_instance: get(f::START_INSTANCE_LOCATION),
            base_vertex: get(f::BASE_VERTEX_LOCATION) as i32,
        };
        if f::INDIRECT_PARAMETER_ENABLE.get(words) == 1 {
            primitive.vertices = self.context.register(register::PRIMITIVE_VERTEX_COUNT);
            primitive.first_vertex = self.context.register(register::PRIMITIVE_START_VERTEX);
            primitive.instances = self.context.register(register::PRIMITIVE_INSTANCE_COUNT);
            primitive.first_instance = self.context.register(register::PRIMITIVE_START_INSTANCE);
            primitive.base_vertex = self.context.register(register::PRIMITIVE_BASE_VERTEX) as i32;
        }
        if f::END_OFFSET_ENABLE.get(words) == 1 {
            let end_work = self.context.register(register::PRIMITIVE_END_OFFSET);
            primitive.vertices = self.vertices_up_to(end_work, primitive.first_vertex, at)?;
        }
        let offsets =
            [0, 1, 2, 3].map(|i| self.context.register(register::SO_WRITE_OFFSET0 + i * 4));
        let started = Instant::now();
        let wide = Mutex::new(());
        self.drawn_targets.begin();
        self.begin_work(at);
        self.budget.begin_command();
        let totals = pipeline::run(self.draw(at, &wide), &primitive, offsets)?;
        self.end_work();
        if self.gpu.options.targets.is_some() {
            let mut targets = totals.targets.clone();
            targets.extend(pixel::depth_targets(&self.draw(at, &wide), false));
            self.show_targets(targets);
        }
        self.add_statistics(&totals);
        for stage in &totals.stages {
            self.report.threads += stage.threads;
            self.report.instructions += stage.statistics.instructions;
            self.report.messages += stage.messages.total();
        }
        self.report.dispatches += 1;
        if self.gpu.options.profile {
            self.report.work.push(WorkProfile {
                command: "3DPRIMITIVE",
                submission: 0,
                extent: format!(
                    "{} x {} {}",
                    primitive.vertices,
                    primitive.instances,
                    if primitive.indexed {
                        "indices"
                    } else {
                        "vertices"
                    }
                ),
                address: at,
                stages: totals.stages,
                host: started.elapsed(),
            });
        }
        Ok(())
    }

    /// Adds a draw's counts to the statistics registers.
    fn add_statistics(&mut self, totals: &Totals) {
        let context = &mut *self.context;
        let mut add = |counter: u32, count: u64| {
            let sum = context.register64(counter).wrapping_add(count);
            context.set_register64(counter, sum);
        };
        add(register::HS_INVOCATION_COUNT, totals.hs_invocations);
        add(register::DS_INVOCATION_COUNT, totals.ds_invocations);
        add(register::IA_VERTICES_COUNT, totals.ia_vertices);
        add(register::IA_PRIMITIVES_COUNT, totals.ia_primitives);
        add(register::VS_INVOCATION_COUNT, totals.vs_invocations);
        add(register::GS_INVOCATION_COUNT, totals.gs_invocations);
        add(register::GS_PRIMITIVES_COUNT, totals.gs_primitives);
        add(register::CL_INVOCATION_COUNT, totals.cl_invocations);
        add(register::CL_PRIMITIVES_COUNT, totals.cl_primitives);
        add(register::PS_INVOCATION_COUNT, totals.pixels.invocations);
        add(register::PS_DEPTH_COUNT, totals.pixels.samples_passed);
        for i in 0..4 {
            add(
                register::SO_NUM_PRIMS_WRITTEN0 + i * 8,
                totals.so_written[i as usize],
            );
            add(
                register::SO_PRIM_STORAGE_NEEDED0 + i * 8,
                totals.so_needed[i as usize],
            );
        }
        for (i, offset) in totals.so_offsets.into_iter().enumerate() {
            context.set_register(register::SO_WRITE_OFFSET0 + i as u32 * 4, offset);
        }
    }
}

#[cfg(test)]
mod tests;
