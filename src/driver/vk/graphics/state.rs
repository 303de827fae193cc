//! Fixed-function state of a pipeline.
//!
//! In:  the API's structures, without pointers. Out: [`StaticStateWords`], which is applied to the
//!      state of a command buffer when the pipeline is bound; dynamic state is kept.
//! Ref: Vulkan 1.3, "Graphics Pipelines", "Dynamic State".

use ash::vk as api;
use cmd::draw::StaticState;
use cmd::draw::state::{
    BlendEquation, BlendTarget, DepthBias, DirtyGroups, FixedFunctionState, LineMode, LineStipple,
    StencilFace, Topology,
};
use hw::Gen;

use super::convert;
use super::dynamic::Dynamic;
use super::parts::Parts;
use super::vertex;
use crate::compiler::COVERAGE_OF_COMMANDS;
use crate::error::{Error, Result};

/// Parameters of fixed-function state. Structures that may be absent are options.
#[derive(Clone, Copy, Debug, Default)]
pub struct FixedInfo<'a> {
    /// The parts of a pipeline that this is the state of.
    pub parts: Parts,
    /// Vertex buffer bindings.
    pub bindings: &'a [api::VertexInputBindingDescription],
    /// Vertex attributes.
    pub attributes: &'a [api::VertexInputAttributeDescription],
    /// Vertex attribute divisors other than 1.
    pub divisors: &'a [api::VertexInputBindingDivisorDescriptionEXT],
    /// Topology and primitive restart.
    pub assembly: Option<(api::PrimitiveTopology, bool)>,
    /// Control points of a patch.
    pub patch_points: u8,
    /// The tessellation domain origin is the lower left corner.
    pub lower_left: bool,
    /// Viewport count and scissor count.
    pub viewport_counts: [u32; 2],
    /// Clip space depth goes from -w to w.
    pub near_at_minus_w: bool,
    /// Minimum and maximum of clamped depth, if not those of the viewports.
    pub clamp_range: Option<[f32; 2]>,
    /// Viewports, unless dynamic.
    pub viewports: &'a [api::Viewport],
    /// Scissors, unless dynamic.
    pub scissors: &'a [api::Rect2D],
    /// Rasterisation state.
    pub raster: Option<&'a api::PipelineRasterizationStateCreateInfo<'a>>,
    /// The constant factor of depth bias is the bias itself.
    pub absolute_bias: bool,
    /// Conservative rasterisation mode, if given.
    pub conservative: Option<api::ConservativeRasterizationModeEXT>,
    /// Custom sample locations are enabled.
    pub located: bool,
    /// Custom sample locations, unless dynamic.
    pub locations: Option<&'a api::SampleLocationsInfoEXT<'a>>,
    /// The locations array.
    pub sample_locations: &'a [api::SampleLocationEXT],
    /// Rasterisation stream.
    pub stream: u32,
    /// The last vertex is the provoking vertex.
    pub provoking_last: bool,
    /// Depth clip enable, if given apart from depth clamping.
    pub depth_clip: Option<bool>,
    /// Line rasterisation state, if given.
    pub lines: Option<&'a api::PipelineRasterizationLineStateCreateInfoEXT<'a>>,
    /// Multisample state.
    pub multisample: Option<&'a api::PipelineMultisampleStateCreateInfo<'a>>,
    /// Sample mask.
    pub sample_mask: Option<u32>,
    /// Depth and stencil state.
    pub depth_stencil: Option<&'a api::PipelineDepthStencilStateCreateInfo<'a>>,
    /// There is no depth, or no stencil attachment, or its contents are not accessed.
    pub ignores_depth_stencil: [bool; 2],
    /// Mask of the colour attachments that are not written, whatever the shader does.
    pub ignored_targets: u8,
    /// Blend state, except targets.
    pub blend: Option<&'a api::PipelineColorBlendStateCreateInfo<'a>>,
    /// Blend state by target.
    pub blend_targets: &'a [api::PipelineColorBlendAttachmentState],
    /// Colour write enables, if given.
    pub colour_writes: &'a [api::Bool32],
    /// Dynamic states.
    pub dynamic: &'a [api::DynamicState],
}

impl FixedInfo<'_> {
    /// Sample count if alpha to coverage is enabled; else 0. [`COVERAGE_OF_COMMANDS`] if commands
    /// set one of the two.
    pub(super) fn alpha_to_coverage_samples(&self) -> u8 {
        let enabled_by_commands = self.is_dynamic(api::DynamicState::ALPHA_TO_COVERAGE_ENABLE_EXT);
        let decided = |from: &&api::PipelineMultisampleStateCreateInfo<'_>| {
            enabled_by_commands || from.alpha_to_coverage_enable != api::FALSE
        };
        let counted_by_commands = self.is_dynamic(api::DynamicState::RASTERIZATION_SAMPLES_EXT);
        match self.multisample.filter(decided) {
            None => 0,
            Some(_) if enabled_by_commands || counted_by_commands => COVERAGE_OF_COMMANDS,
            Some(from) => from.rasterization_samples.as_raw().min(16) as u8,
        }
    }

    fn is_dynamic(&self, state: api::DynamicState) -> bool {
        self.dynamic.contains(&state)
    }

    /// Control points of a patch; 0 if commands set them.
    pub(super) fn known_patch_points(&self) -> u32 {
        match self.is_dynamic(api::DynamicState::PATCH_CONTROL_POINTS_EXT) {
            true => 0,
            false => self.patch_points.into(),
        }
    }

    /// Whether sample shading is in effect: more than one invocation for each pixel, if the number
    /// of samples is known, or could be.
    pub(super) fn has_sample_shading(&self) -> bool {
        self.multisample.is_some_and(|from| {
            let samples = match self.is_dynamic(api::DynamicState::RASTERIZATION_SAMPLES_EXT) {
                true => 16.0,
                false => from.rasterization_samples.as_raw() as f32,
            };
            from.sample_shading_enable != api::FALSE && from.min_sample_shading * samples > 1.0
        })
    }
}

/// See the module.
#[derive(Clone, Debug)]
pub struct StaticStateWords {
    state: Box<FixedFunctionState>,
    dynamic: Dynamic,
    /// Number of attributes, vertex buffers and colour targets that the pipeline sets; no shader
    /// uses others.
    attributes: usize,
    buffers: usize,
    targets: usize,
}

const OVER_LIMITS: Error = Error::InvalidUse {
    why: "more vertex bindings, attributes, viewports or colour attachments than there can be",
};

/// Sets vertex buffers and attributes. Returns the number of attribute locations that were set.
fn attributes(hw_gen: Gen, info: &FixedInfo<'_>, state: &mut FixedFunctionState) -> Result<usize> {
    let sets_strides = info.is_dynamic(api::DynamicState::VERTEX_INPUT_BINDING_STRIDE);
    let bindings = info.bindings.iter().map(|from| {
        let divisor = info.divisors.iter().find(|d| d.binding == from.binding);
        vertex::Binding {
            binding: from.binding,
            // What commands set is ignored here, whatever its value.
            stride_bytes: if sets_strides { 0 } else { from.stride },
            per_instance: (from.input_rate == api::VertexInputRate::INSTANCE)
                .then(|| divisor.map_or(1, |divisor| divisor.divisor)),
        }
    });
    vertex::set_input(hw_gen, bindings, info.attributes.iter().copied(), state)
}

fn raster(info: &FixedInfo<'_>, state: &mut FixedFunctionState) -> Result<()> {
    let Some(from) = info.raster else {
        return Ok(());
    };
    let lines = info.lines;
    let stipple = lines.map_or(LineStipple::default(), |lines| LineStipple {
        factor: lines.line_stipple_factor as u16,
        pattern: lines.line_stipple_pattern,
    });
    state.raster = cmd::draw::state::RasterState {
        screen: false,
        discard: from.rasterizer_discard_enable != api::FALSE,
        fill: convert::fill(from.polygon_mode)?,
        cull: convert::cull(from.cull_mode),
        front_is_clockwise: from.front_face == api::FrontFace::CLOCKWISE,
        depth_clip: info.depth_clip,
        depth_clamp: from.depth_clamp_enable != api::FALSE,
        clamp_range: info.clamp_range,
        near_at_minus_w: info.near_at_minus_w,
        biased: from.depth_bias_enable != api::FALSE,
        depth_bias: DepthBias {
            constant: from.depth_bias_constant_factor,
            slope: from.depth_bias_slope_factor,
            clamp: from.depth_bias_clamp,
            absolute: info.absolute_bias,
        },
        line_width: from.line_width,
        lines: match lines {
            None => LineMode::Default,
            Some(lines) => convert::lines(lines.line_rasterization_mode)?,
        },
        stippled: lines.is_some_and(|lines| lines.stippled_line_enable != api::FALSE),
        stipple,
        conservative: match info.conservative {
            None => false,
            Some(mode) => convert::conservative(mode)?,
        },
        stream: convert::stream(info.stream)?,
        provoking_last: info.provoking_last,
    };
    Ok(())
}

fn multisample(info: &FixedInfo<'_>, state: &mut FixedFunctionState) -> Result<()> {
    let Some(from) = info.multisample else {
        return Ok(());
    };
    state.located = info.located;
    if let Some(locations) = info.locations {
        state.locations = convert::locations(locations, info.sample_locations)?;
    }
    let samples = match info.is_dynamic(api::DynamicState::RASTERIZATION_SAMPLES_EXT) {
        true => 1,
        false => convert::samples(from.rasterization_samples)?,
    };
    state.multisample = cmd::draw::state::MultisampleState {
        samples,
        mask: info.sample_mask.map_or(0xffff, |mask| mask as u16),
        alpha_to_coverage: from.alpha_to_coverage_enable != api::FALSE,
        alpha_to_one: from.alpha_to_one_enable != api::FALSE,
    };
    Ok(())
}

fn face(from: &api::StencilOpState) -> Result<StencilFace> {
    Ok(StencilFace {
        fail: convert::stencil_op(from.fail_op)?,
        depth_fail: convert::stencil_op(from.depth_fail_op)?,
        pass: convert::stencil_op(from.pass_op)?,
        compare: convert::compare(from.compare_op)?,
        compare_mask: from.compare_mask as u8,
        write_mask: from.write_mask as u8,
        reference: from.reference as u8,
    })
}

fn depth_stencil(info: &FixedInfo<'_>, state: &mut FixedFunctionState) -> Result<()> {
    let [ignores_depth, ignores_stencil] = info.ignores_depth_stencil;
    let Some(from) = info.depth_stencil else {
        state.depth_stencil.ignores_depth = ignores_depth;
        state.depth_stencil.ignores_stencil = ignores_stencil;
        return Ok(());
    };
    if from.depth_bounds_test_enable != api::FALSE {
        return Err(Error::FeatureNotPresent {
            what: "depthBounds",
        });
    }
    state.depth_stencil = cmd::draw::state::DepthStencil {
        depth_test: from.depth_test_enable != api::FALSE,
        depth_compare: convert::compare(from.depth_compare_op)?,
        depth_write: from.depth_write_enable != api::FALSE,
        stencil_test: from.stencil_test_enable != api::FALSE,
        stencil: [face(&from.front)?, face(&from.back)?],
        ignores_depth,
        ignores_stencil,
    };
    Ok(())
}

fn blend_target(from: &api::PipelineColorBlendAttachmentState) -> Result<BlendTarget> {
    let blended = from.blend_enable != api::FALSE;
    // Equations may be invalid without blending, unless it is enabled dynamically.
    let equations = convert::equations(&api::ColorBlendEquationEXT {
        src_color_blend_factor: from.src_color_blend_factor,
        dst_color_blend_factor: from.dst_color_blend_factor,
        color_blend_op: from.color_blend_op,
        src_alpha_blend_factor: from.src_alpha_blend_factor,
        dst_alpha_blend_factor: from.dst_alpha_blend_factor,
        alpha_blend_op: from.alpha_blend_op,
    });
    let equations = match (blended, equations) {
        (false, Err(_)) => [BlendEquation::default(); 2],
        (_, equations) => equations?,
    };
    Ok(BlendTarget {
        blended,
        equations,
        write_mask: from.color_write_mask.as_raw() as u8 & 0xf,
    })
}

fn blend(info: &FixedInfo<'_>, state: &mut FixedFunctionState) -> Result<()> {
    let Some(from) = info.blend else {
        return Ok(());
    };
    let blend = &mut state.blend;
    if info.blend_targets.len() > blend.targets.len() {
        return Err(OVER_LIMITS);
    }
    for (to, from) in blend.targets.iter_mut().zip(info.blend_targets) {
        *to = blend_target(from)?;
    }
    blend.logic = from.logic_op_enable != api::FALSE;
    blend.logic_op = match (blend.logic, convert::logic_op(from.logic_op)) {
        (false, Err(_)) => 0,
        (_, op) => op?,
    };
    blend.write_mask = convert::written(info.colour_writes);
    blend.constants = from.blend_constants;
    Ok(())
}

fn viewports(info: &FixedInfo<'_>, state: &mut FixedFunctionState) -> Result<()> {
    let [viewports, scissors] = info.viewport_counts;
    let count = viewports.max(scissors);
    if count as usize > state.viewports.len() {
        return Err(OVER_LIMITS);
    }
    state.viewport_count = count as u8;
    for (to, from) in state.viewports.iter_mut().zip(info.viewports) {
        *to = convert::viewport(from);
    }
    for (to, from) in state.scissors.iter_mut().zip(info.scissors) {
        *to = convert::area(from);
    }
    Ok(())
}

/// Collects the groups that changed.
struct ChangedGroups(DirtyGroups);

impl ChangedGroups {
    #[inline]
    fn set<T: PartialEq + Copy>(&mut self, group: DirtyGroups, to: &mut T, from: T) {
        if *to != from {
            *to = from;
            self.0 = self.0.with(group);
        }
    }
}

impl StaticStateWords {
    /// Creates fixed-function state.
    pub fn new(hw_gen: Gen, info: &FixedInfo<'_>) -> Result<Self> {
        let mut state = Box::new(FixedFunctionState::default());
        let attributes = attributes(hw_gen, info, &mut state)?;
        if let Some((topology, restart)) = info.assembly {
            state.topology = convert::topology(topology)?;
            state.restart = restart;
        }
        state.patch_points = info.patch_points;
        state.lower_left = info.lower_left;
        raster(info, &mut state)?;
        viewports(info, &mut state)?;
        multisample(info, &mut state)?;
        depth_stencil(info, &mut state)?;
        blend(info, &mut state)?;
        let count = |numbers: Option<u32>| numbers.map_or(0, |last| last as usize + 1);
        Ok(Self {
            state,
            dynamic: Dynamic::from_states(info.dynamic)? & Dynamic::of_parts(info.parts),
            attributes,
            buffers: count(info.bindings.iter().map(|from| from.binding).max()),
            targets: info.blend_targets.len(),
        })
    }

    /// Adds the state of other parts of a pipeline.
    pub(super) fn include(&mut self, from: &Self, parts: Parts) {
        self.dynamic |= from.dynamic;
        let (to, state) = (&mut *self.state, &*from.state);
        if parts.contains(Parts::VERTEX_INPUT) {
            (self.attributes, self.buffers) = (from.attributes, from.buffers);
            to.attributes = state.attributes;
            to.vertex_buffers = state.vertex_buffers;
            to.topology = state.topology;
            to.restart = state.restart;
        }
        if parts.contains(Parts::PRE_RASTERIZATION) {
            to.patch_points = state.patch_points;
            to.lower_left = state.lower_left;
            to.raster = state.raster;
            to.viewport_count = state.viewport_count;
            to.viewports = state.viewports;
            to.scissors = state.scissors;
        }
        let tests = to.depth_stencil;
        if parts.contains(Parts::FRAGMENT_SHADER) {
            to.depth_stencil = cmd::draw::state::DepthStencil {
                ignores_depth: tests.ignores_depth,
                ignores_stencil: tests.ignores_stencil,
                ..state.depth_stencil
            };
        }
        if parts.contains(Parts::FRAGMENT_OUTPUT) {
            self.targets = from.targets;
            to.depth_stencil.ignores_depth = state.depth_stencil.ignores_depth;
            to.depth_stencil.ignores_stencil = state.depth_stencil.ignores_stencil;
            to.located = state.located;
            to.locations = state.locations;
            to.multisample = state.multisample;
            to.blend = state.blend;
        }
    }

    /// State of shader objects: commands set all of it. Whether depth or stencil may be read is
    /// known when they are linked.
    pub(super) fn of_shader_objects() -> Self {
        Self {
            state: Box::default(),
            dynamic: Dynamic::all().difference(Dynamic::ATTACHMENT_FEEDBACK_LOOP),
            attributes: 0,
            buffers: 0,
            targets: 0,
        }
    }

    /// Whether nothing is rasterised, whatever commands set.
    pub(super) fn always_discards(&self) -> bool {
        self.state.raster.discard && !self.dynamic.contains(Dynamic::RASTERIZER_DISCARD_ENABLE)
    }

    /// State of the pipelines that clear attachments; each draw sets area, depth and write masks.
    pub(crate) fn for_clears(samples: u8) -> Self {
        let mut state = Box::<FixedFunctionState>::default();
        state.raster.depth_clip = Some(false);
        state.multisample.samples = samples;
        let blending = Dynamic::COLOR_BLEND_ENABLE
            .union(Dynamic::COLOR_BLEND_EQUATION)
            .union(Dynamic::COLOR_WRITE_MASK);
        Self {
            state,
            dynamic: blending,
            attributes: 0,
            buffers: 0,
            targets: 0,
        }
    }

    /// State of the pipelines that draw rectangles to targets.
    pub(crate) fn for_rectangles(samples: u8) -> Self {
        let mut fixed = Self::for_clears(samples);
        fixed.state.topology = Topology::Rectangles;
        fixed.state.raster.screen = true;
        for target in &mut fixed.state.blend.targets {
            target.write_mask = 0xf;
        }
        fixed
    }

    /// Whether commands enable attachment feedback loops.
    pub(super) fn has_dynamic_feedback_loops(&self) -> bool {
        self.dynamic.contains(Dynamic::ATTACHMENT_FEEDBACK_LOOP)
    }

    /// All state, for meta draws.
    pub(crate) fn state(&self) -> &FixedFunctionState {
        &self.state
    }

    /// The static state.
    pub(super) fn static_state(&self) -> StaticState<'_> {
        let groups = Dynamic::GROUPS
            .iter()
            .fold(DirtyGroups::NONE, |groups, row| {
                match self.dynamic.intersects(row.1) {
                    true => groups,
                    false => groups.with(row.0),
                }
            });
        StaticState {
            state: &self.state,
            groups,
        }
    }

    /// Applies the static state to `to`. Returns the groups that changed.
    pub fn apply(&self, to: &mut FixedFunctionState) -> DirtyGroups {
        let from = &*self.state;
        let is_dynamic = |dynamic: Dynamic| self.dynamic.intersects(dynamic);
        let mut changed = ChangedGroups(DirtyGroups::NONE);
        let attributes = to.attributes.iter_mut().zip(&from.attributes);
        if !is_dynamic(Dynamic::VERTEX_INPUT) {
            for (to, from) in attributes.take(self.attributes) {
                changed.set(DirtyGroups::ATTRIBUTES, to, *from);
            }
        }
        if !is_dynamic(Dynamic::VERTEX_INPUT_BINDING_STRIDE.union(Dynamic::VERTEX_INPUT)) {
            let buffers = to.vertex_buffers.iter_mut().zip(&from.vertex_buffers);
            for (to, from) in buffers.take(self.buffers) {
                let stride = &mut to.stride_bytes;
                changed.set(DirtyGroups::VERTEX_BUFFERS, stride, from.stride_bytes);
            }
        }
        if !is_dynamic(Dynamic::PRIMITIVE_TOPOLOGY) {
            // The topology also decides whether lines are rasterised.
            changed.set(DirtyGroups::ASSEMBLY, &mut to.topology, from.topology);
        }
        if !is_dynamic(Dynamic::PRIMITIVE_RESTART_ENABLE) {
            changed.set(DirtyGroups::ASSEMBLY, &mut to.restart, from.restart);
        }
        if !is_dynamic(Dynamic::PATCH_CONTROL_POINTS) {
            let points = &mut to.patch_points;
            changed.set(DirtyGroups::ASSEMBLY, points, from.patch_points);
        }
        if !is_dynamic(Dynamic::TESSELLATION_DOMAIN_ORIGIN) {
            changed.set(DirtyGroups::DOMAIN, &mut to.lower_left, from.lower_left);
        }
        let raster = self.raster(&to.raster);
        let range = |raster: &cmd::draw::state::RasterState| {
            (
                raster.depth_clamp,
                raster.near_at_minus_w,
                raster.clamp_range,
            )
        };
        if range(&raster) != range(&to.raster) {
            changed.0 = changed.0.with(DirtyGroups::DEPTH_RANGE);
        }
        changed.set(DirtyGroups::RASTER, &mut to.raster, raster);
        let mut samples = from.multisample;
        if is_dynamic(Dynamic::SAMPLE_MASK) {
            samples.mask = to.multisample.mask;
        }
        if is_dynamic(Dynamic::RASTERIZATION_SAMPLES) {
            samples.samples = to.multisample.samples;
        }
        if is_dynamic(Dynamic::ALPHA_TO_COVERAGE_ENABLE) {
            samples.alpha_to_coverage = to.multisample.alpha_to_coverage;
        }
        if is_dynamic(Dynamic::ALPHA_TO_ONE_ENABLE) {
            samples.alpha_to_one = to.multisample.alpha_to_one;
        }
        changed.set(DirtyGroups::MULTISAMPLE, &mut to.multisample, samples);
        let enabled_by_commands = is_dynamic(Dynamic::SAMPLE_LOCATIONS_ENABLE);
        if !enabled_by_commands {
            changed.set(DirtyGroups::LOCATIONS, &mut to.located, from.located);
        }
        if (from.located || enabled_by_commands) && !is_dynamic(Dynamic::SAMPLE_LOCATIONS) {
            changed.set(DirtyGroups::LOCATIONS, &mut to.locations, from.locations);
        }
        let tests = self.depth_stencil(&to.depth_stencil);
        changed.set(DirtyGroups::DEPTH_STENCIL, &mut to.depth_stencil, tests);
        let (blend, static_blend) = (&mut to.blend, &from.blend);
        let targets = blend.targets.iter_mut().zip(&static_blend.targets);
        for (to, from) in targets.take(self.targets) {
            let target = self.target(*from, to);
            changed.set(DirtyGroups::BLEND, to, target);
        }
        if !is_dynamic(Dynamic::LOGIC_OP_ENABLE) {
            changed.set(DirtyGroups::BLEND, &mut blend.logic, static_blend.logic);
        }
        if !is_dynamic(Dynamic::LOGIC_OP) {
            changed.set(
                DirtyGroups::BLEND,
                &mut blend.logic_op,
                static_blend.logic_op,
            );
        }
        if !is_dynamic(Dynamic::COLOR_WRITE_ENABLE) {
            changed.set(
                DirtyGroups::BLEND,
                &mut blend.write_mask,
                static_blend.write_mask,
            );
        }
        if !is_dynamic(Dynamic::BLEND_CONSTANTS) {
            changed.set(
                DirtyGroups::BLEND_CONSTANTS,
                &mut blend.constants,
                static_blend.constants,
            );
        }
        if !is_dynamic(Dynamic::VIEWPORT_WITH_COUNT) {
            let (count, static_blend) = (&mut to.viewport_count, from.viewport_count);
            changed.set(DirtyGroups::VIEWPORTS, count, static_blend);
        }
        if !is_dynamic(Dynamic::VIEWPORT.union(Dynamic::VIEWPORT_WITH_COUNT)) {
            changed.set(DirtyGroups::VIEWPORTS, &mut to.viewports, from.viewports);
        }
        if !is_dynamic(Dynamic::SCISSOR.union(Dynamic::SCISSOR_WITH_COUNT)) {
            changed.set(DirtyGroups::SCISSORS, &mut to.scissors, from.scissors);
        }
        changed.0
    }

    fn raster(&self, current: &cmd::draw::state::RasterState) -> cmd::draw::state::RasterState {
        let is_dynamic = |dynamic: Dynamic| self.dynamic.contains(dynamic);
        let mut raster = self.state.raster;
        if is_dynamic(Dynamic::LINE_WIDTH) {
            raster.line_width = current.line_width;
        }
        if is_dynamic(Dynamic::DEPTH_BIAS) {
            raster.depth_bias = current.depth_bias;
        }
        if is_dynamic(Dynamic::DEPTH_BIAS_ENABLE) {
            raster.biased = current.biased;
        }
        if is_dynamic(Dynamic::CULL_MODE) {
            raster.cull = current.cull;
        }
        if is_dynamic(Dynamic::FRONT_FACE) {
            raster.front_is_clockwise = current.front_is_clockwise;
        }
        if is_dynamic(Dynamic::RASTERIZER_DISCARD_ENABLE) {
            raster.discard = current.discard;
        }
        if is_dynamic(Dynamic::CONSERVATIVE_RASTERIZATION_MODE) {
            raster.conservative = current.conservative;
        }
        if is_dynamic(Dynamic::RASTERIZATION_STREAM) {
            raster.stream = current.stream;
        }
        if is_dynamic(Dynamic::POLYGON_MODE) {
            raster.fill = current.fill;
        }
        if is_dynamic(Dynamic::LINE_STIPPLE) {
            raster.stipple = current.stipple;
        }
        if is_dynamic(Dynamic::LINE_STIPPLE_ENABLE) {
            raster.stippled = current.stippled;
        }
        if is_dynamic(Dynamic::LINE_RASTERIZATION_MODE) {
            raster.lines = current.lines;
        }
        if is_dynamic(Dynamic::DEPTH_CLIP_ENABLE) {
            raster.depth_clip = current.depth_clip;
        }
        if is_dynamic(Dynamic::DEPTH_CLAMP_ENABLE) {
            raster.depth_clamp = current.depth_clamp;
        }
        if is_dynamic(Dynamic::DEPTH_CLAMP_RANGE) {
            raster.clamp_range = current.clamp_range;
        }
        if is_dynamic(Dynamic::DEPTH_CLIP_NEGATIVE_ONE_TO_ONE) {
            raster.near_at_minus_w = current.near_at_minus_w;
        }
        if is_dynamic(Dynamic::PROVOKING_VERTEX_MODE) {
            raster.provoking_last = current.provoking_last;
        }
        raster
    }

    fn target(&self, mut target: BlendTarget, current: &BlendTarget) -> BlendTarget {
        let is_dynamic = |dynamic: Dynamic| self.dynamic.contains(dynamic);
        if is_dynamic(Dynamic::COLOR_BLEND_ENABLE) {
            target.blended = current.blended;
        }
        if is_dynamic(Dynamic::COLOR_BLEND_EQUATION) {
            target.equations = current.equations;
        }
        if is_dynamic(Dynamic::COLOR_WRITE_MASK) {
            target.write_mask = current.write_mask;
        }
        target
    }

    fn depth_stencil(
        &self,
        current: &cmd::draw::state::DepthStencil,
    ) -> cmd::draw::state::DepthStencil {
        let is_dynamic = |dynamic: Dynamic| self.dynamic.contains(dynamic);
        let mut tests = self.state.depth_stencil;
        if is_dynamic(Dynamic::DEPTH_TEST_ENABLE) {
            tests.depth_test = current.depth_test;
        }
        if is_dynamic(Dynamic::DEPTH_WRITE_ENABLE) {
            tests.depth_write = current.depth_write;
        }
        if is_dynamic(Dynamic::DEPTH_COMPARE_OP) {
            tests.depth_compare = current.depth_compare;
        }
        if is_dynamic(Dynamic::STENCIL_TEST_ENABLE) {
            tests.stencil_test = current.stencil_test;
        }
        for (face, current) in tests.stencil.iter_mut().zip(&current.stencil) {
            if is_dynamic(Dynamic::STENCIL_OP) {
                *face = StencilFace {
                    compare_mask: face.compare_mask,
                    write_mask: face.write_mask,
                    reference: face.reference,
                    ..*current
                };
            }
            if is_dynamic(Dynamic::STENCIL_COMPARE_MASK) {
                face.compare_mask = current.compare_mask;
            }
            if is_dynamic(Dynamic::STENCIL_WRITE_MASK) {
                face.write_mask = current.write_mask;
            }
            if is_dynamic(Dynamic::STENCIL_REFERENCE) {
                face.reference = current.reference;
            }
        }
        tests
    }
}
