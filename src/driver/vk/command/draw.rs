//! Draws, and setters of dynamic state.
//!
//! In:  values of the API. Out: the state of `cmd`, with the dirty groups; draws.
//! Ref: Vulkan 1.3, "Dynamic State", "Drawing Commands", "Fixed-Function Vertex Processing".

use std::sync::Arc;

use ash::vk as api;
use cmd::CounterAddresses;
use cmd::draw::state::{
    BlendTarget, CaptureBuffer, DepthBias, DirtyGroups, FixedFunctionState, IndexBuffer,
    LineStipple, StencilFace, VertexBuffer,
};
use cmd::draw::{ByteCount, DrawParams};

use super::buffer::{BindPoint, CommandBuffer};
use crate::compiler::Stage;
use crate::error::{Error, Result};
use crate::graphics::{Pipeline, ShaderObject, VertexBinding, convert, set_vertex_input};

const OUT_OF_RANGE: Error = Error::InvalidUse {
    why: "more viewports, scissors or vertex buffers than there can be",
};
const UNBOUND: Error = Error::InvalidUse {
    why: "a draw without a graphics pipeline, or outside a rendering",
};

/// The `count` elements from `first` on.
fn elements_mut<T>(all: &mut [T], first: u32, count: usize) -> Result<&mut [T]> {
    let first = first as usize;
    let elements = all.get_mut(first..first.saturating_add(count));
    elements.ok_or(OUT_OF_RANGE)
}

/// The selected faces.
fn faces(
    all: &mut [StencilFace; 2],
    selected: api::StencilFaceFlags,
) -> impl Iterator<Item = &mut StencilFace> {
    let wanted = [api::StencilFaceFlags::FRONT, api::StencilFaceFlags::BACK];
    let pairs = all.iter_mut().zip(wanted);
    pairs.filter_map(move |(face, flag)| selected.contains(flag).then_some(face))
}

/// A vertex buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VertexBufferBinding {
    /// GPU address; 0: none.
    pub address: u64,
    /// Size in bytes.
    pub bytes: u64,
    /// Stride in bytes. `None`: unchanged.
    pub stride_bytes: Option<u64>,
}

impl CommandBuffer {
    /// Binds a graphics pipeline.
    #[inline]
    pub fn bind_graphics(&mut self, pipeline: &Pipeline) -> Result<()> {
        self.bound_shaders.clear();
        let lay = |state: &mut FixedFunctionState| pipeline.fixed().apply(state);
        self.recorder.draws().bind(pipeline.draw(), lay);
        self.embed_samplers(BindPoint::Graphics, pipeline.embedded_samplers())
    }

    /// Binds a shader object to a graphics stage. `None`: unbinds what is bound to it.
    pub fn bind_shader(&mut self, stage: Stage, shader: Option<&Arc<ShaderObject>>) -> Result<()> {
        self.bound_shaders.bind(stage, shader)
    }

    /// Binds the program of the shader objects that a draw uses, if they have changed.
    #[inline]
    fn prepare_shaders(&mut self) -> Result<()> {
        match self.bound_shaders.is_changed {
            true => self.bind_program(),
            false => Ok(()),
        }
    }

    #[cold]
    fn bind_program(&mut self) -> Result<()> {
        let (views, bound) = (self.rendering.views.mask(), &self.bound_shaders);
        let program = self
            .shader_programs
            .find_or_link(&self.context, bound, views)?;
        let lay = |state: &mut FixedFunctionState| program.fixed().apply(state);
        self.recorder.draws().bind(program.draw(), lay);
        self.embed_samplers(BindPoint::Graphics, program.embedded_samplers())?;
        self.bound_shaders.is_changed = false;
        Ok(())
    }

    #[inline]
    fn set(&mut self, groups: DirtyGroups, change: impl FnOnce(&mut FixedFunctionState)) {
        self.recorder.draws().change(groups, change);
    }

    /// Sets viewports from index `first` on.
    pub fn set_viewports(&mut self, first: u32, from: &[api::Viewport]) -> Result<()> {
        let mut set = Err(OUT_OF_RANGE);
        self.set(DirtyGroups::VIEWPORTS, |state| {
            set = elements_mut(&mut state.viewports, first, from.len()).map(|elements| {
                for (to, from) in elements.iter_mut().zip(from) {
                    *to = convert::viewport(from);
                }
            });
        });
        set
    }

    /// Sets all viewports and the viewport count.
    pub fn set_all_viewports(&mut self, from: &[api::Viewport]) -> Result<()> {
        self.set_viewports(0, from)?;
        self.set(DirtyGroups::VIEWPORTS, |state| {
            state.viewport_count = from.len() as u8;
        });
        Ok(())
    }

    /// Sets scissors from index `first` on.
    pub fn set_scissors(&mut self, first: u32, from: &[api::Rect2D]) -> Result<()> {
        let mut set = Err(OUT_OF_RANGE);
        self.set(DirtyGroups::SCISSORS, |state| {
            set = elements_mut(&mut state.scissors, first, from.len()).map(|elements| {
                for (to, from) in elements.iter_mut().zip(from) {
                    *to = convert::area(from);
                }
            });
        });
        set
    }

    /// Sets the line width.
    pub fn set_line_width(&mut self, pixels: f32) {
        self.set(DirtyGroups::RASTER, |state| {
            state.raster.line_width = pixels
        });
    }

    /// Sets the depth bias.
    pub fn set_depth_bias(&mut self, bias: DepthBias) {
        self.set(DirtyGroups::RASTER, |state| state.raster.depth_bias = bias);
    }

    /// Sets minimum and maximum of clamped depth. `None`: those of each viewport.
    pub fn set_depth_clamp_range(&mut self, range: Option<[f32; 2]>) {
        self.set(DirtyGroups::DEPTH_RANGE, |state| {
            state.raster.clamp_range = range;
        });
    }

    /// Sets strides of vertex buffers, and attributes.
    pub fn set_vertex_input(
        &mut self,
        bindings: impl Iterator<Item = VertexBinding> + Clone,
        attributes: impl Iterator<Item = api::VertexInputAttributeDescription>,
    ) -> Result<()> {
        let hw_gen = self.context.physical.info().device.hw_gen;
        let mut set = Ok(0);
        let groups = DirtyGroups::ATTRIBUTES.with(DirtyGroups::VERTEX_BUFFERS);
        self.set(groups, |state| {
            set = set_vertex_input(hw_gen, bindings, attributes, state);
        });
        set.map(|_| ())
    }

    /// Sets the index that restarts primitives, until an index buffer is bound.
    pub fn set_restart_index(&mut self, index: u32) {
        self.set(DirtyGroups::ASSEMBLY, |state| {
            state.index_buffer.restart_index = Some(index);
        });
    }

    /// Enables depth bias.
    pub fn set_depth_bias_enable(&mut self, on: bool) {
        self.set(DirtyGroups::RASTER, |state| state.raster.biased = on);
    }

    /// Enables rasteriser discard.
    pub fn set_rasterizer_discard(&mut self, on: bool) {
        self.set(DirtyGroups::RASTER, |state| state.raster.discard = on);
    }

    /// Enables depth clipping, independent of depth clamping.
    pub fn set_depth_clip(&mut self, on: bool) {
        self.set(DirtyGroups::RASTER, |state| {
            state.raster.depth_clip = Some(on)
        });
    }

    /// Enables depth clamping to the viewport's range.
    pub fn set_depth_clamp(&mut self, on: bool) {
        let groups = DirtyGroups::RASTER.with(DirtyGroups::DEPTH_RANGE);
        self.set(groups, |state| state.raster.depth_clamp = on);
    }

    /// Sets whether clip space depth goes from -w to w.
    pub fn set_near_at_minus_w(&mut self, on: bool) {
        let groups = DirtyGroups::RASTER.with(DirtyGroups::DEPTH_RANGE);
        self.set(groups, |state| state.raster.near_at_minus_w = on);
    }

    /// Sets the rasterisation stream.
    pub fn set_stream(&mut self, from: u32) -> Result<()> {
        let stream = convert::stream(from)?;
        self.set(DirtyGroups::RASTER, |state| state.raster.stream = stream);
        Ok(())
    }

    /// Sets the conservative rasterisation mode.
    pub fn set_conservative_mode(
        &mut self,
        from: api::ConservativeRasterizationModeEXT,
    ) -> Result<()> {
        let conservative = convert::conservative(from)?;
        self.set(DirtyGroups::RASTER, |state| {
            state.raster.conservative = conservative;
        });
        Ok(())
    }

    /// Sets custom sample locations, for pipelines that enable them.
    pub fn set_sample_locations(
        &mut self,
        from: &api::SampleLocationsInfoEXT<'_>,
        elements: &[api::SampleLocationEXT],
    ) -> Result<()> {
        let locations = convert::locations(from, elements)?;
        self.set(DirtyGroups::LOCATIONS, |state| state.locations = locations);
        Ok(())
    }

    /// Enables custom sample locations.
    pub fn set_sample_locations_enable(&mut self, on: bool) {
        self.set(DirtyGroups::LOCATIONS, |state| state.located = on);
    }

    /// Sets the polygon mode.
    pub fn set_polygon_mode(&mut self, from: api::PolygonMode) -> Result<()> {
        let fill = convert::fill(from)?;
        self.set(DirtyGroups::RASTER, |state| state.raster.fill = fill);
        Ok(())
    }

    /// Sets the line rasterisation mode.
    pub fn set_line_rasterization_mode(
        &mut self,
        from: api::LineRasterizationModeEXT,
    ) -> Result<()> {
        let lines = convert::lines(from)?;
        self.set(DirtyGroups::RASTER, |state| state.raster.lines = lines);
        Ok(())
    }

    /// Enables line stipple.
    pub fn set_line_stipple_enable(&mut self, on: bool) {
        let groups = DirtyGroups::RASTER.with(DirtyGroups::BLEND);
        self.set(groups, |state| state.raster.stippled = on);
    }

    /// Sets the line stipple.
    pub fn set_line_stipple(&mut self, factor: u32, pattern: u16) {
        let factor = factor as u16;
        self.set(DirtyGroups::RASTER, |state| {
            state.raster.stipple = LineStipple { factor, pattern };
        });
    }

    /// Sets the provoking vertex mode.
    pub fn set_provoking_vertex(&mut self, from: api::ProvokingVertexModeEXT) {
        let last = from == api::ProvokingVertexModeEXT::LAST_VERTEX;
        self.set(DirtyGroups::RASTER, |state| {
            state.raster.provoking_last = last
        });
    }

    /// Sets the tessellation domain origin.
    pub fn set_domain_origin(&mut self, from: api::TessellationDomainOrigin) {
        let lower_left = from == api::TessellationDomainOrigin::LOWER_LEFT;
        self.set(DirtyGroups::DOMAIN, |state| state.lower_left = lower_left);
    }

    /// Sets the number of samples of a pixel.
    pub fn set_samples(&mut self, from: api::SampleCountFlags) -> Result<()> {
        let samples = convert::samples(from)?;
        self.set(DirtyGroups::MULTISAMPLE, |state| {
            state.multisample.samples = samples;
        });
        Ok(())
    }

    /// Enables alpha to coverage.
    pub fn set_alpha_to_coverage(&mut self, on: bool) {
        self.set(DirtyGroups::MULTISAMPLE, |state| {
            state.multisample.alpha_to_coverage = on;
        });
    }

    /// Sets the number of vertices of a patch.
    pub fn set_patch_points(&mut self, points: u32) {
        self.set(DirtyGroups::ASSEMBLY, |state| {
            state.patch_points = points.min(32) as u8;
        });
    }

    /// Sets the sample mask.
    pub fn set_sample_mask(&mut self, mask: u32) {
        self.set(DirtyGroups::MULTISAMPLE, |state| {
            state.multisample.mask = mask as u16;
        });
    }

    /// Enables alpha to one.
    pub fn set_alpha_to_one(&mut self, on: bool) {
        self.set(DirtyGroups::MULTISAMPLE, |state| {
            state.multisample.alpha_to_one = on;
        });
    }

    /// Sets the cull mode.
    pub fn set_cull(&mut self, from: api::CullModeFlags) {
        self.set(DirtyGroups::RASTER, |state| {
            state.raster.cull = convert::cull(from)
        });
    }

    /// Sets the front face.
    pub fn set_front_face(&mut self, from: api::FrontFace) {
        self.set(DirtyGroups::RASTER, |state| {
            state.raster.front_is_clockwise = from == api::FrontFace::CLOCKWISE;
        });
    }

    /// Sets the blend constants.
    pub fn set_blend_constants(&mut self, constants: [f32; 4]) {
        self.set(DirtyGroups::BLEND_CONSTANTS, |state| {
            state.blend.constants = constants
        });
    }

    /// Enables the logic operation.
    pub fn set_logic_op_enable(&mut self, on: bool) {
        self.set(DirtyGroups::BLEND, |state| state.blend.logic = on);
    }

    /// Sets the logic operation.
    pub fn set_logic_op(&mut self, from: api::LogicOp) -> Result<()> {
        let op = convert::logic_op(from)?;
        self.set(DirtyGroups::BLEND, |state| state.blend.logic_op = op);
        Ok(())
    }

    /// Enables colour writes by target, from target 0 on.
    pub fn set_colour_writes(&mut self, from: &[api::Bool32]) {
        self.set(DirtyGroups::BLEND, |state| {
            state.blend.write_mask = convert::written(from);
        });
    }

    fn set_targets<T>(
        &mut self,
        first: u32,
        from: &[T],
        change: impl Fn(&mut BlendTarget, &T) -> Result<()>,
    ) -> Result<()> {
        let mut set = Err(OUT_OF_RANGE);
        self.set(DirtyGroups::BLEND, |state| {
            set = elements_mut(&mut state.blend.targets, first, from.len()).and_then(|to| {
                to.iter_mut()
                    .zip(from)
                    .try_for_each(|(to, from)| change(to, from))
            });
        });
        set
    }

    /// Enables blending of targets, from index `first` on.
    pub fn set_blend_enables(&mut self, first: u32, from: &[api::Bool32]) -> Result<()> {
        self.set_targets(first, from, |to, &on| {
            to.blended = on != api::FALSE;
            Ok(())
        })
    }

    /// Sets the blend equations of targets, from index `first` on.
    pub fn set_blend_equations(
        &mut self,
        first: u32,
        from: &[api::ColorBlendEquationEXT],
    ) -> Result<()> {
        self.set_targets(first, from, |to, from| {
            to.equations = convert::equations(from)?;
            Ok(())
        })
    }

    /// Sets the colour write masks of targets, from index `first` on.
    pub fn set_write_masks(&mut self, first: u32, from: &[api::ColorComponentFlags]) -> Result<()> {
        self.set_targets(first, from, |to, mask| {
            to.write_mask = mask.as_raw() as u8 & 0xf;
            Ok(())
        })
    }

    /// Sets the primitive topology.
    pub fn set_topology(&mut self, from: api::PrimitiveTopology) -> Result<()> {
        let topology = convert::topology(from)?;
        self.set(DirtyGroups::ASSEMBLY, |state| state.topology = topology);
        Ok(())
    }

    /// Enables primitive restart.
    pub fn set_primitive_restart(&mut self, on: bool) {
        self.set(DirtyGroups::ASSEMBLY, |state| state.restart = on);
    }

    /// Enables the depth test.
    pub fn set_depth_test(&mut self, on: bool) {
        self.set(DirtyGroups::DEPTH_STENCIL, |state| {
            state.depth_stencil.depth_test = on;
        });
    }

    /// Enables depth writes.
    pub fn set_depth_write(&mut self, on: bool) {
        self.set(DirtyGroups::DEPTH_STENCIL, |state| {
            state.depth_stencil.depth_write = on;
        });
    }

    /// Sets the depth comparison.
    pub fn set_depth_compare(&mut self, from: api::CompareOp) -> Result<()> {
        let compare = convert::compare(from)?;
        self.set(DirtyGroups::DEPTH_STENCIL, |state| {
            state.depth_stencil.depth_compare = compare;
        });
        Ok(())
    }

    /// Enables the stencil test.
    pub fn set_stencil_test(&mut self, on: bool) {
        self.set(DirtyGroups::DEPTH_STENCIL, |state| {
            state.depth_stencil.stencil_test = on;
        });
    }

    fn set_faces(&mut self, selected: api::StencilFaceFlags, change: impl Fn(&mut StencilFace)) {
        self.set(DirtyGroups::DEPTH_STENCIL, |state| {
            faces(&mut state.depth_stencil.stencil, selected).for_each(change);
        });
    }

    /// Sets the stencil compare mask.
    pub fn set_stencil_compare_mask(&mut self, selected: api::StencilFaceFlags, mask: u32) {
        self.set_faces(selected, |face| face.compare_mask = mask as u8);
    }

    /// Sets the stencil write mask.
    pub fn set_stencil_write_mask(&mut self, selected: api::StencilFaceFlags, mask: u32) {
        self.set_faces(selected, |face| face.write_mask = mask as u8);
    }

    /// Sets the stencil reference.
    pub fn set_stencil_reference(&mut self, selected: api::StencilFaceFlags, reference: u32) {
        self.set_faces(selected, |face| face.reference = reference as u8);
    }

    /// Sets the stencil operations (stencil fails, depth fails, both pass) and comparison.
    pub fn set_stencil_op(
        &mut self,
        selected: api::StencilFaceFlags,
        [fail, depth_fail, pass]: [api::StencilOp; 3],
        compare: api::CompareOp,
    ) -> Result<()> {
        let fail = convert::stencil_op(fail)?;
        let depth_fail = convert::stencil_op(depth_fail)?;
        let pass = convert::stencil_op(pass)?;
        let compare = convert::compare(compare)?;
        self.set_faces(selected, |face| {
            *face = StencilFace {
                fail,
                depth_fail,
                pass,
                compare,
                ..*face
            };
        });
        Ok(())
    }

    /// Binds a vertex buffer.
    #[inline]
    pub fn bind_vertices(&mut self, binding: u32, from: VertexBufferBinding) -> Result<()> {
        let mut bound = Ok(());
        self.set(DirtyGroups::VERTEX_BUFFERS, |state| {
            let Some(to) = state.vertex_buffers.get_mut(binding as usize) else {
                bound = Err(OUT_OF_RANGE);
                return;
            };
            let stride = from.stride_bytes.map_or(Some(to.stride_bytes), |stride| {
                u16::try_from(stride).ok().filter(|&stride| stride <= 2048)
            });
            let Some(stride_bytes) = stride else {
                bound = Err(OUT_OF_RANGE);
                return;
            };
            *to = VertexBuffer {
                address: from.address,
                bytes: u32::try_from(from.bytes).unwrap_or(u32::MAX),
                stride_bytes,
            };
            state.vertex_buffer_count = state.vertex_buffer_count.max(binding as u8 + 1);
        });
        bound
    }

    /// Binds a transform feedback buffer.
    pub fn bind_capture(&mut self, binding: u32, address: u64, bytes: u64) -> Result<()> {
        let buffer = CaptureBuffer { address, bytes };
        match self.recorder.bind_capture(binding as usize, buffer) {
            true => Ok(()),
            false => Err(Error::InvalidUse {
                why: "more buffers than maxTransformFeedbackBuffers",
            }),
        }
    }

    /// Begins transform feedback at the offsets in the counter buffers.
    pub fn begin_capture(&mut self, counters: &CounterAddresses) -> Result<()> {
        self.recorder.begin_capture(counters)
    }

    /// Ends transform feedback, and writes the offsets to the counter buffers.
    pub fn end_capture(&mut self, counters: &CounterAddresses) -> Result<()> {
        self.recorder.end_capture(counters)
    }

    /// Draws with a vertex count from a byte count in memory.
    pub fn draw_byte_count(&mut self, draw: &DrawParams, count: &ByteCount) -> Result<()> {
        if count.stride_bytes == 0 {
            return Err(Error::InvalidUse {
                why: "a vertex stride of 0",
            });
        }
        self.prepare_shaders()?;
        if self.recorder.draw_byte_count(draw, count)? {
            return Ok(());
        }
        Err(UNBOUND)
    }

    /// Binds the index buffer.
    #[inline]
    pub fn bind_indices(
        &mut self,
        address: u64,
        bytes: u64,
        index_type: api::IndexType,
    ) -> Result<()> {
        let (index, _) = convert::index_type(index_type)?;
        self.set(DirtyGroups::INDEX_BUFFER, |state| {
            state.index_buffer = IndexBuffer {
                address,
                bytes: u32::try_from(bytes).unwrap_or(u32::MAX),
                index,
                restart_index: None,
            };
        });
        Ok(())
    }

    /// Draws.
    #[inline]
    pub fn draw(&mut self, draw: &DrawParams) -> Result<()> {
        self.prepare_shaders()?;
        if self.recorder.draw(draw)? {
            return Ok(());
        }
        Err(UNBOUND)
    }

    /// Draws `count` times with parameters from memory.
    pub fn draw_indirect(
        &mut self,
        address: u64,
        count: u32,
        stride_bytes: u32,
        indexed: bool,
    ) -> Result<()> {
        self.prepare_shaders()?;
        for number in 0..count {
            let at = address + u64::from(number) * u64::from(stride_bytes);
            if !self.recorder.draw_indirect(at, indexed, number)? {
                return Err(UNBOUND);
            }
        }
        Ok(())
    }

    /// Draws with parameters and draw count from memory.
    pub fn draw_counted(
        &mut self,
        address: u64,
        stride_bytes: u32,
        indexed: bool,
        count_at: u64,
        max_count: u32,
    ) -> Result<()> {
        self.prepare_shaders()?;
        let recorder = &mut self.recorder;
        if recorder.draw_indirect_count(address, stride_bytes, indexed, count_at, max_count)? {
            return Ok(());
        }
        Err(UNBOUND)
    }

    /// Begins conditional rendering: draws, dispatches and attachment clears run if a dword is not
    /// zero or, `inverted`, if it is zero.
    pub fn begin_conditional_rendering(&mut self, address: u64, inverted: bool) -> Result<()> {
        self.recorder.begin_conditional_rendering(address, inverted)
    }

    /// Ends conditional rendering.
    pub fn end_conditional_rendering(&mut self) {
        self.recorder.set_conditional(false);
    }
}
