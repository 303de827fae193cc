//! Runs a draw through all units.
//!
//! In:  a [`Primitive`]'s parameters and the latched state. Out: memory written, and the counts of
//!      [`Totals`]. Each distinct vertex of an instance is shaded once, in the order of first use;
//!      objects follow in the order of the primitives, which blending depends on.
//! Ref: SKL PRM vol. 7, "3D Pipeline Stages"; vol. 2a, "3DPRIMITIVE".

use super::assembly::{Assembled, assemble};
use super::clip::{self, ClipState};
use super::constants;
use super::exec::{Draw, Executor};
use super::gs::Geometry;
use super::gs_output::{Provoking, StreamObject};
use super::object::{Kind, Object, ObjectCoverage, SetupObject, Vue};
use super::pixel::{PixelCounts, PixelWorkers};
use super::raster::{self, RasterState};
use super::setup::{self, SetupState};
use super::sol::StreamOut;
use super::tess::Tessellator;
use super::urb::Urb;
use super::vertex_reuse::VertexReuse;
use super::vf::{Vertex, VertexFetch};
use super::vs::VertexShader;
use crate::profile::StageWork;
use crate::surface::Image;
use crate::target_images::Role;
use eu::StopReason;
use hw::draw as packets;

/// The parameters of 3DPRIMITIVE, from the command or from the registers of an indirect draw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Primitive {
    pub topology: u32,
    /// Vertex Access Type: RANDOM, by the index buffer, instead of SEQUENTIAL.
    pub indexed: bool,
    pub vertices: u32,
    pub first_vertex: u32,
    pub instances: u32,
    pub first_instance: u32,
    pub base_vertex: i32,
}

/// The increments of the statistics registers, and the results of a draw.
#[derive(Clone, Debug, Default)]
pub(crate) struct Totals {
    pub ia_vertices: u64,
    pub ia_primitives: u64,
    pub vs_invocations: u64,
    pub hs_invocations: u64,
    pub ds_invocations: u64,
    pub gs_invocations: u64,
    pub gs_primitives: u64,
    pub cl_invocations: u64,
    pub cl_primitives: u64,
    pub pixels: PixelCounts,
    /// SO_WRITE_OFFSET before and after.
    pub so_offsets: [u32; 4],
    pub so_written: [u64; 4],
    pub so_needed: [u64; 4],
    /// Render targets that were written.
    pub targets: Vec<(Role, Image)>,
    /// Work of the threads of each stage.
    pub stages: Vec<StageWork>,
}

/// A vertex after its shader.
struct Shaded {
    vue: Vue,
    /// Edge flag: the edge from this vertex to the next is drawn.
    edge: bool,
}

/// Pixels of the largest surface. An object may exceed it if neither clipping nor a scissor limits
/// it to a target.
const MAX_OBJECT_PIXELS: u64 = 1 << 28;
/// Maximum number of vertices of one instance, all of which are in memory at once.
const MAX_VERTICES: u32 = 1 << 22;

/// The units after the vertex shader.
struct PostVertexUnits<'a> {
    tess: Option<Tessellator<'a>>,
    gs: Option<Geometry<'a>>,
    so: StreamOut<'a>,
    clip: ClipState,
    setup: SetupState,
    raster: RasterState,
    pixels: PixelWorkers<'a>,
    urb: Urb,
    provoking: Provoking,
    cl_invocations: u64,
    cl_primitives: u64,
    /// Address of the 3DPRIMITIVE.
    at: u64,
    clipped: Vec<Object>,
    set_up: Vec<SetupObject>,
    cover: ObjectCoverage,
}

/// Runs a draw. `so_offsets` are the current write offsets of the stream output buffers.
pub(crate) fn run(
    draw: Draw<'_>,
    primitive: &Primitive,
    so_offsets: [u32; 4],
) -> Result<Totals, StopReason> {
    let mut totals = Totals {
        so_offsets,
        ..Totals::default()
    };
    if primitive.vertices == 0 || primitive.instances == 0 {
        return Ok(totals);
    }
    if primitive.vertices > MAX_VERTICES {
        return Err(StopReason::Unimplemented {
            what: format!("an instance of {} vertices", primitive.vertices),
            at: draw.at,
        });
    }
    let fetch = VertexFetch::read(&draw)?;
    if primitive.indexed {
        fetch.bind_index_buffer();
    }
    let vs_constants = constants::push(&draw, &packets::state_constant_vs::PACKET)?;
    let mut vs = VertexShader::new(draw, vs_constants)?;
    let mut units = PostVertexUnits::new(draw, so_offsets)?;
    let statistics = draw.state.flag(
        &packets::state_vf_statistics::PACKET,
        packets::state_vf_statistics::STATISTICS_ENABLE,
    );
    let runs = runs(&fetch, primitive)?;
    let mut ids: Vec<u32> = runs.iter().flatten().copied().collect();
    let reuse = VertexReuse::deduplicate(&mut ids);
    for instance in 0..primitive.instances {
        draw.budget
            .spend_on_fixed_functions(ids.len() + 1, draw.at)?;
        let shaded = shade(&fetch, &mut vs, &mut units.urb, primitive, &ids, instance)?;
        let mut primitive_id = 0;
        for run in &runs {
            let vertices: Vec<&Shaded> = run
                .iter()
                .filter_map(|id| shaded.get(reuse.index_of(*id)?))
                .collect();
            let mut objects = Vec::new();
            let known = assemble(
                primitive.topology,
                vertices.len(),
                units.provoking,
                &mut |o| {
                    objects.push(o);
                },
            );
            if !known {
                return Err(StopReason::Unimplemented {
                    what: format!("primitive topology {:#x}", primitive.topology),
                    at: draw.at,
                });
            }
            if statistics {
                totals.ia_vertices += run.len() as u64;
                totals.ia_primitives += objects.len() as u64;
            }
            draw.budget
                .spend_on_fixed_functions(objects.len(), draw.at)?;
            for assembled in objects {
                units.assembled(&assembled, &vertices, primitive_id)?;
                primitive_id += 1;
            }
        }
    }
    units.flush()?;
    units.pixels.finish()?;
    units.so.finish()?;
    units.add_totals(vs.as_ref(), &mut totals);
    Ok(totals)
}

/// The vertex indices of each run between cut indices.
fn runs(fetch: &VertexFetch<'_>, primitive: &Primitive) -> Result<Vec<Vec<u32>>, StopReason> {
    let mut runs = vec![Vec::new()];
    for i in 0..primitive.vertices {
        let at = u64::from(primitive.first_vertex) + u64::from(i);
        if !primitive.indexed {
            runs.last_mut()
                .into_iter()
                .for_each(|run| run.push(at as u32));
            continue;
        }
        let index = fetch.index(at)?;
        match fetch.cut == Some(index) {
            true => runs.push(Vec::new()),
            false => runs.last_mut().into_iter().for_each(|run| run.push(index)),
        }
    }
    Ok(runs)
}

/// Shades the vertices `ids` of an instance, which are all distinct.
fn shade(
    fetch: &VertexFetch<'_>,
    vs: &mut Option<VertexShader<'_>>,
    urb: &mut Urb,
    primitive: &Primitive,
    ids: &[u32],
    instance: u32,
) -> Result<Vec<Shaded>, StopReason> {
    let mut fetched = Vec::new();
    let mut edges = Vec::with_capacity(ids.len());
    for id in ids {
        let vertex = Vertex {
            id: match primitive.indexed {
                true => *id,
                false => id.wrapping_sub(primitive.first_vertex),
            },
            row: match primitive.indexed {
                true => id.wrapping_add_signed(primitive.base_vertex),
                false => *id,
            },
            instance,
            first_instance: primitive.first_instance,
        };
        edges.push(fetch.fetch(vertex, &mut fetched)?);
    }
    let mut vues: Vec<Vue> = Vec::with_capacity(ids.len());
    match vs {
        Some(vs) => {
            let sizes = (ids.len(), fetch.dwords());
            vs.vertices(urb, &fetched, sizes, &mut vues)?;
        }
        None => vues.extend(fetched.chunks(fetch.dwords().max(1)).map(Vue::from)),
    }
    let shaded = |(vue, edge)| Shaded { vue, edge };
    Ok(vues.into_iter().zip(edges).map(shaded).collect())
}

impl<'a> PostVertexUnits<'a> {
    /// Reads the state of all units.
    fn new(draw: Draw<'a>, so_offsets: [u32; 4]) -> Result<PostVertexUnits<'a>, StopReason> {
        let mut so = StreamOut::new(draw);
        so.offsets = so_offsets;
        Ok(PostVertexUnits {
            tess: Tessellator::new(
                draw,
                constants::push(&draw, &packets::state_constant_hs::PACKET)?,
                constants::push(&draw, &packets::state_constant_ds::PACKET)?,
            )?,
            gs: Geometry::new(
                draw,
                constants::push(&draw, &packets::state_constant_gs::PACKET)?,
            )?,
            so,
            clip: ClipState::read(&draw)?,
            setup: SetupState::read(&draw)?,
            raster: RasterState::read(&draw)?,
            pixels: PixelWorkers::new(
                draw,
                constants::push(&draw, &packets::state_constant_ps::PACKET)?,
            )?,
            urb: Urb::new(draw.options.strict),
            provoking: Provoking::new(draw.state),
            cl_invocations: 0,
            cl_primitives: 0,
            at: draw.at,
            clipped: Vec::new(),
            set_up: Vec::new(),
            cover: ObjectCoverage::default(),
        })
    }

    /// Adds the counts of all units to the draw's totals, after its end.
    fn add_totals(&self, vs: Option<&VertexShader<'_>>, totals: &mut Totals) {
        totals.so_offsets = self.so.offsets;
        totals.so_written = self.so.written;
        totals.so_needed = self.so.needed;
        totals.cl_invocations = self.cl_invocations;
        totals.cl_primitives = self.cl_primitives;
        let mut stage = |executor: &Executor<'_>| totals.stages.push(executor.work());
        if let Some(vs) = vs {
            stage(vs.executor());
            totals.vs_invocations = vs.invocations;
        }
        if let Some(tess) = &self.tess {
            stage(tess.hull.executor());
            stage(tess.domain.executor());
            totals.hs_invocations = tess.hull.invocations;
            totals.ds_invocations = tess.domain.invocations;
        }
        if let Some(gs) = &self.gs {
            stage(gs.executor());
            totals.gs_invocations = gs.invocations;
            totals.gs_primitives = gs.primitives;
        }
        totals.targets = self.pixels.written();
        totals.stages.extend(self.pixels.stages());
        totals.stages.retain(|stage| stage.threads > 0);
        totals.pixels = self.pixels.counts();
    }
}

impl PostVertexUnits<'_> {
    /// Passes an assembled object through tessellation and the geometry shader.
    fn assembled(
        &mut self,
        assembled: &Assembled,
        vertices: &[&Shaded],
        primitive_id: u32,
    ) -> Result<(), StopReason> {
        let of = |reuse: &[usize]| -> Vec<Vue> {
            let found = reuse.iter().filter_map(|place| vertices.get(*place));
            found.map(|vertex| vertex.vue.clone()).collect()
        };
        let leading = self.gs.as_ref().is_some_and(Geometry::reorders_leading);
        let all = assembled.geometry_shader_order(leading);
        let all = all.get(..assembled.count).unwrap_or_default();
        let Some(kind) = assembled.kind else {
            let mut objects = Vec::new();
            if let Some(tess) = &mut self.tess {
                self.urb.reset();
                tess.patch(&mut self.urb, &of(all), primitive_id, &mut objects)?;
            }
            for object in objects {
                let vertices = object.vertices.clone();
                self.geometry(object, vertices)?;
            }
            return Ok(());
        };
        let (own, provoking) = assembled.object_vertices();
        let mut edges = assembled.edges;
        if assembled.uses_edge_flags {
            for (edge, place) in edges.iter_mut().zip(own) {
                *edge &= vertices.get(place).is_none_or(|vertex| vertex.edge);
            }
        }
        let object = Object {
            kind,
            vertices: of(own.get(..kind.vertices()).unwrap_or_default()),
            provoking,
            primitive_id,
            edges,
            continues: assembled.continues,
            cut: None,
        };
        let discards = self.gs.as_ref().is_some_and(Geometry::discards_adjacency);
        let seen: Vec<usize> = match (discards && assembled.adjacency, kind) {
            (true, Kind::Line) => all.iter().skip(1).take(2).copied().collect(),
            (true, _) => all.iter().step_by(2).copied().collect(),
            _ => all.to_vec(),
        };
        self.geometry(object, of(&seen))
    }

    /// Passes an object to the geometry shader, if enabled. `seen` are the vertices that the shader
    /// receives.
    fn geometry(&mut self, object: Object, seen: Vec<Vue>) -> Result<(), StopReason> {
        let Some(gs) = &mut self.gs else {
            return self.stream(0, object);
        };
        let mut out: Vec<StreamObject> = Vec::new();
        self.urb.reset();
        gs.object(&mut self.urb, seen, object.primitive_id, &mut out)?;
        self.streams(out)
    }

    /// Runs the geometry shader on the objects that wait for a thread to be filled.
    fn flush(&mut self) -> Result<(), StopReason> {
        let Some(gs) = &mut self.gs else {
            return Ok(());
        };
        let mut out = Vec::new();
        self.urb.reset();
        gs.flush(&mut self.urb, &mut out)?;
        self.streams(out)
    }

    /// Passes the objects of all streams on.
    fn streams(&mut self, objects: Vec<StreamObject>) -> Result<(), StopReason> {
        for StreamObject { stream, object } in objects {
            self.stream(stream, object)?;
        }
        Ok(())
    }

    /// Passes an object from stream output to the pixel pipeline.
    fn stream(&mut self, stream: u8, object: Object) -> Result<(), StopReason> {
        if self.so.is_enabled() {
            self.so.object(stream, &object)?;
        }
        if self.so.render != Some(stream) {
            return Ok(());
        }
        self.clipped.clear();
        clip::clip(&self.clip, object, &mut self.clipped);
        if self.clip.statistics {
            self.cl_invocations += 1;
            self.cl_primitives += self.clipped.len() as u64;
        }
        for object in &self.clipped {
            self.set_up.clear();
            setup::setup_object(&self.setup, object, &mut self.set_up);
            for set_up in self.set_up.drain(..) {
                let bounding_box_pixels = raster::bounding_box_pixels(&self.raster, &set_up);
                if bounding_box_pixels > MAX_OBJECT_PIXELS {
                    return Err(StopReason::Unimplemented {
                        what: format!(
                            "an object of up to {bounding_box_pixels} pixels, more than any surface has"
                        ),
                        at: self.at,
                    });
                }
                self.cover.clear();
                raster::rasterise(&self.raster, &set_up, &mut self.cover);
                if !self.cover.is_empty() {
                    self.pixels.queue_object(set_up, &self.cover)?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
