//! The fixed functions' state of a pipeline.
//!
//! In:  the API's structures, without their pointers. Out: [`Fixed`], which is laid over the state of a command buffer when the
//! pipeline is bound: what is dynamic stays as it was set.
//! Ref: Vulkan 1.3, "Graphics Pipelines", "Dynamic State".

use ash::vk as api;
use cmd::draw::StaticState;
use cmd::draw::state::{
    BlendTarget, DepthBias, Dirty, Equation, Lines, State, StencilFace, Stipple, Topology,
};
use hw::Gen;

use super::convert;
use super::dynamic::Dynamic;
use super::vertex;
use crate::error::{Error, Result};

/// The structures that a pipeline's state is made from. What Vulkan lets be absent is an option.
#[derive(Clone, Copy, Debug, Default)]
pub struct FixedInfo<'a> {
    /// Vertex buffers.
    pub bindings: &'a [api::VertexInputBindingDescription],
    /// Attributes.
    pub attributes: &'a [api::VertexInputAttributeDescription],
    /// Instances that share a value, by binding, where it is not one.
    pub divisors: &'a [api::VertexInputBindingDivisorDescriptionEXT],
    /// Topology and primitive restart.
    pub assembly: Option<(api::PrimitiveTopology, bool)>,
    /// Points of a patch.
    pub patch_points: u8,
    /// The origin of tessellation's domain is its lower left corner.
    pub lower_left: bool,
    /// How many viewports and scissors.
    pub viewport_counts: [u32; 2],
    /// The near plane is at z = -w.
    pub near_at_minus_w: bool,
    /// The viewports, unless they are dynamic.
    pub viewports: &'a [api::Viewport],
    /// The scissors, unless they are dynamic.
    pub scissors: &'a [api::Rect2D],
    /// Rasterization.
    pub raster: Option<&'a api::PipelineRasterizationStateCreateInfo<'a>>,
    /// What triangles cover, where that is said.
    pub conservative: Option<api::ConservativeRasterizationModeEXT>,
    /// Samples do not lie where they always do.
    pub located: bool,
    /// Where they lie, unless commands say that.
    pub locations: Option<&'a api::SampleLocationsInfoEXT<'a>>,
    /// Their places.
    pub places: &'a [api::SampleLocationEXT],
    /// The stream that is drawn.
    pub stream: u32,
    /// The last vertex gives flat attributes.
    pub provoking_last: bool,
    /// Objects are clipped at the near and the far plane, where that is said apart from clamping.
    pub depth_clip: Option<bool>,
    /// How lines are drawn, where that is said.
    pub lines: Option<&'a api::PipelineRasterizationLineStateCreateInfoEXT<'a>>,
    /// Samples.
    pub multisample: Option<&'a api::PipelineMultisampleStateCreateInfo<'a>>,
    /// Samples that may be written.
    pub sample_mask: Option<u32>,
    /// Depth and stencil.
    pub depth_stencil: Option<&'a api::PipelineDepthStencilStateCreateInfo<'a>>,
    /// Blending, but for its targets.
    pub blend: Option<&'a api::PipelineColorBlendStateCreateInfo<'a>>,
    /// Blending, by target.
    pub blend_targets: &'a [api::PipelineColorBlendAttachmentState],
    /// Whether targets are written, where that is said.
    pub colour_writes: &'a [api::Bool32],
    /// What commands set.
    pub dynamic: &'a [api::DynamicState],
}

impl FixedInfo<'_> {
    /// Samples of a pixel that alpha decides about; 0: none.
    pub(super) fn samples_by_alpha(&self) -> u8 {
        let decided = |from: &&api::PipelineMultisampleStateCreateInfo<'_>| {
            from.alpha_to_coverage_enable != api::FALSE
        };
        let from = self.multisample.filter(decided);
        from.map_or(0, |from| from.rasterization_samples.as_raw().min(16) as u8)
    }

    /// Whether fragments are shaded for each sample: more than one of a pixel's is asked for.
    pub(super) fn shades_samples(&self) -> bool {
        self.multisample.is_some_and(|from| {
            let samples = from.rasterization_samples.as_raw() as f32;
            from.sample_shading_enable != api::FALSE && from.min_sample_shading * samples > 1.0
        })
    }
}

/// See the module.
#[derive(Clone, Debug)]
pub struct Fixed {
    state: Box<State>,
    dynamic: Dynamic,
    /// Places of attributes, vertex buffers and colour targets that it speaks of: no shader reads others.
    attributes: usize,
    buffers: usize,
    targets: usize,
}

const TOO_MANY: Error = Error::InvalidUse {
    why: "more vertex bindings, attributes, viewports or colour attachments than there can be",
};

/// Vertex buffers, and attributes: how many places of those are spoken of.
fn attributes(hw_gen: Gen, info: &FixedInfo<'_>, state: &mut State) -> Result<usize> {
    let mut places = 0;
    for binding in info.bindings {
        let place = state.vertex_buffers.get_mut(binding.binding as usize);
        let stride = u16::try_from(binding.stride).ok();
        let stride = stride.filter(|&stride| stride <= 2048);
        place.ok_or(TOO_MANY)?.stride_bytes = stride.ok_or(Error::InvalidUse {
            why: "a stride of vertices above maxVertexInputBindingStride",
        })?;
    }
    for from in info.attributes {
        let parts = vertex::attributes(hw_gen, from.format).ok_or(Error::FormatNotSupported)?;
        let binding = info.bindings.iter().find(|b| b.binding == from.binding);
        let divisor = info.divisors.iter().find(|d| d.binding == from.binding);
        let binding = binding.ok_or(Error::InvalidUse {
            why: "a vertex attribute without its binding",
        })?;
        let offset = u16::try_from(from.offset).ok();
        let offset = offset.filter(|&at| at <= 2047).ok_or(TOO_MANY)?;
        for (location, part) in (from.location as usize..).zip(parts) {
            let place = state.attributes.get_mut(location);
            *place.ok_or(TOO_MANY)? = cmd::draw::state::Attribute {
                buffer: u8::try_from(binding.binding).map_err(|_| TOO_MANY)?,
                offset_bytes: offset + part.offset_bytes,
                per_instance: (binding.input_rate == api::VertexInputRate::INSTANCE)
                    .then(|| divisor.map_or(1, |divisor| divisor.divisor)),
                ..part
            };
            places = places.max(location + 1);
        }
    }
    Ok(places)
}

fn raster(info: &FixedInfo<'_>, state: &mut State) -> Result<()> {
    let Some(from) = info.raster else {
        return Ok(());
    };
    let lines = info.lines;
    let stipple = lines.map_or(Stipple::default(), |lines| Stipple {
        factor: lines.line_stipple_factor as u16,
        pattern: lines.line_stipple_pattern,
    });
    state.raster = cmd::draw::state::Raster {
        screen: false,
        discard: from.rasterizer_discard_enable != api::FALSE,
        fill: convert::fill(from.polygon_mode)?,
        cull: convert::cull(from.cull_mode),
        front_is_clockwise: from.front_face == api::FrontFace::CLOCKWISE,
        depth_clip: info.depth_clip,
        depth_clamp: from.depth_clamp_enable != api::FALSE,
        near_at_minus_w: info.near_at_minus_w,
        biased: from.depth_bias_enable != api::FALSE,
        depth_bias: DepthBias {
            constant: from.depth_bias_constant_factor,
            slope: from.depth_bias_slope_factor,
            clamp: from.depth_bias_clamp,
        },
        line_width: from.line_width,
        lines: match lines {
            None => Lines::Default,
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

fn multisample(info: &FixedInfo<'_>, state: &mut State) -> Result<()> {
    let Some(from) = info.multisample else {
        return Ok(());
    };
    state.located = info.located;
    if let Some(locations) = info.locations {
        state.locations = convert::locations(locations, info.places)?;
    }
    // Vulkan's flags of counts are the counts.
    let samples = from.rasterization_samples.as_raw();
    if !matches!(samples, 1 | 2 | 4 | 8 | 16) {
        return Err(Error::FeatureNotPresent {
            what: "this number of samples",
        });
    }
    state.multisample = cmd::draw::state::Multisample {
        samples: samples as u8,
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

fn depth_stencil(info: &FixedInfo<'_>, state: &mut State) -> Result<()> {
    let Some(from) = info.depth_stencil else {
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
    };
    Ok(())
}

fn blend_target(from: &api::PipelineColorBlendAttachmentState) -> Result<BlendTarget> {
    let blended = from.blend_enable != api::FALSE;
    // Equations of what is not blended may be garbage; where commands turn blending on, they are not.
    let equations = convert::equations(&api::ColorBlendEquationEXT {
        src_color_blend_factor: from.src_color_blend_factor,
        dst_color_blend_factor: from.dst_color_blend_factor,
        color_blend_op: from.color_blend_op,
        src_alpha_blend_factor: from.src_alpha_blend_factor,
        dst_alpha_blend_factor: from.dst_alpha_blend_factor,
        alpha_blend_op: from.alpha_blend_op,
    });
    let equations = match (blended, equations) {
        (false, Err(_)) => [Equation::default(); 2],
        (_, equations) => equations?,
    };
    Ok(BlendTarget {
        blended,
        equations,
        write_mask: from.color_write_mask.as_raw() as u8 & 0xf,
    })
}

fn blend(info: &FixedInfo<'_>, state: &mut State) -> Result<()> {
    let Some(from) = info.blend else {
        return Ok(());
    };
    let blend = &mut state.blend;
    if info.blend_targets.len() > blend.targets.len() {
        return Err(TOO_MANY);
    }
    for (to, from) in blend.targets.iter_mut().zip(info.blend_targets) {
        *to = blend_target(from)?;
    }
    blend.logic = from.logic_op_enable != api::FALSE;
    blend.logic_op = match (blend.logic, convert::logic_op(from.logic_op)) {
        (false, Err(_)) => 0,
        (_, op) => op?,
    };
    blend.written = convert::written(info.colour_writes);
    blend.constants = from.blend_constants;
    Ok(())
}

fn viewports(info: &FixedInfo<'_>, state: &mut State) -> Result<()> {
    let [viewports, scissors] = info.viewport_counts;
    let count = viewports.max(scissors);
    if count as usize > state.viewports.len() {
        return Err(TOO_MANY);
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

/// What a change of state has changed.
struct Changed(Dirty);

impl Changed {
    #[inline]
    fn put<T: PartialEq + Copy>(&mut self, group: Dirty, to: &mut T, from: T) {
        if *to != from {
            *to = from;
            self.0 = self.0.with(group);
        }
    }
}

impl Fixed {
    /// The state of these structures.
    pub fn new(hw_gen: Gen, info: &FixedInfo<'_>) -> Result<Self> {
        let mut state = Box::new(State::default());
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
        let places = |numbers: Option<u32>| numbers.map_or(0, |last| last as usize + 1);
        Ok(Self {
            state,
            dynamic: Dynamic::of(info.dynamic)?,
            attributes,
            buffers: places(info.bindings.iter().map(|from| from.binding).max()),
            targets: info.blend_targets.len(),
        })
    }

    /// That of the pipelines that clear so many samples: where, how deep and which colours each draw says.
    pub(crate) fn clearing(samples: u8) -> Self {
        let mut state = Box::<State>::default();
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

    /// That of the pipelines that cover rectangles of targets of so many samples with one colour.
    pub(crate) fn covering(samples: u8) -> Self {
        let mut fixed = Self::clearing(samples);
        fixed.state.topology = Topology::Rectangles;
        fixed.state.raster.screen = true;
        for target in &mut fixed.state.blend.targets {
            target.write_mask = 0xf;
        }
        fixed
    }

    /// All of it, for draws of the driver's.
    pub(crate) fn state(&self) -> &State {
        &self.state
    }

    /// The state that no command sets while it is bound.
    pub(super) fn own(&self) -> StaticState<'_> {
        let groups = Dynamic::GROUPS.iter().fold(Dirty::NONE, |groups, row| {
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

    /// Lays it over a state; which groups have changed.
    pub fn apply(&self, to: &mut State) -> Dirty {
        let from = &*self.state;
        let is = |dynamic: Dynamic| self.dynamic.intersects(dynamic);
        let mut all = Changed(Dirty::NONE);
        let attributes = to.attributes.iter_mut().zip(&from.attributes);
        for (to, from) in attributes.take(self.attributes) {
            all.put(Dirty::ATTRIBUTES, to, *from);
        }
        if !is(Dynamic::VERTEX_INPUT_BINDING_STRIDE) {
            let buffers = to.vertex_buffers.iter_mut().zip(&from.vertex_buffers);
            for (to, from) in buffers.take(self.buffers) {
                let stride = &mut to.stride_bytes;
                all.put(Dirty::VERTEX_BUFFERS, stride, from.stride_bytes);
            }
        }
        if !is(Dynamic::PRIMITIVE_TOPOLOGY) {
            // It also says whether lines are drawn.
            all.put(Dirty::ASSEMBLY, &mut to.topology, from.topology);
        }
        if !is(Dynamic::PRIMITIVE_RESTART_ENABLE) {
            all.put(Dirty::ASSEMBLY, &mut to.restart, from.restart);
        }
        all.put(Dirty::ASSEMBLY, &mut to.patch_points, from.patch_points);
        if !is(Dynamic::TESSELLATION_DOMAIN_ORIGIN) {
            all.put(Dirty::DOMAIN, &mut to.lower_left, from.lower_left);
        }
        let raster = self.raster(&to.raster);
        let range =
            |raster: &cmd::draw::state::Raster| (raster.depth_clamp, raster.near_at_minus_w);
        if range(&raster) != range(&to.raster) {
            all.0 = all.0.with(Dirty::DEPTH_RANGE);
        }
        all.put(Dirty::RASTER, &mut to.raster, raster);
        let mut samples = from.multisample;
        if is(Dynamic::SAMPLE_MASK) {
            samples.mask = to.multisample.mask;
        }
        if is(Dynamic::ALPHA_TO_ONE_ENABLE) {
            samples.alpha_to_one = to.multisample.alpha_to_one;
        }
        all.put(Dirty::MULTISAMPLE, &mut to.multisample, samples);
        all.put(Dirty::LOCATIONS, &mut to.located, from.located);
        if from.located && !is(Dynamic::SAMPLE_LOCATIONS) {
            all.put(Dirty::LOCATIONS, &mut to.locations, from.locations);
        }
        let tests = self.depth_stencil(&to.depth_stencil);
        all.put(Dirty::DEPTH_STENCIL, &mut to.depth_stencil, tests);
        let (blend, said) = (&mut to.blend, &from.blend);
        let targets = blend.targets.iter_mut().zip(&said.targets);
        for (to, from) in targets.take(self.targets) {
            let target = self.target(*from, to);
            all.put(Dirty::BLEND, to, target);
        }
        if !is(Dynamic::LOGIC_OP_ENABLE) {
            all.put(Dirty::BLEND, &mut blend.logic, said.logic);
        }
        if !is(Dynamic::LOGIC_OP) {
            all.put(Dirty::BLEND, &mut blend.logic_op, said.logic_op);
        }
        if !is(Dynamic::COLOR_WRITE_ENABLE) {
            all.put(Dirty::BLEND, &mut blend.written, said.written);
        }
        if !is(Dynamic::BLEND_CONSTANTS) {
            all.put(Dirty::BLEND_CONSTANTS, &mut blend.constants, said.constants);
        }
        if !is(Dynamic::VIEWPORT_WITH_COUNT) {
            let (count, said) = (&mut to.viewport_count, from.viewport_count);
            all.put(Dirty::VIEWPORTS, count, said);
        }
        if !is(Dynamic::VIEWPORT.union(Dynamic::VIEWPORT_WITH_COUNT)) {
            all.put(Dirty::VIEWPORTS, &mut to.viewports, from.viewports);
        }
        if !is(Dynamic::SCISSOR.union(Dynamic::SCISSOR_WITH_COUNT)) {
            all.put(Dirty::SCISSORS, &mut to.scissors, from.scissors);
        }
        all.0
    }

    fn raster(&self, set: &cmd::draw::state::Raster) -> cmd::draw::state::Raster {
        let is = |dynamic: Dynamic| self.dynamic.contains(dynamic);
        let mut raster = self.state.raster;
        if is(Dynamic::LINE_WIDTH) {
            raster.line_width = set.line_width;
        }
        if is(Dynamic::DEPTH_BIAS) {
            raster.depth_bias = set.depth_bias;
        }
        if is(Dynamic::DEPTH_BIAS_ENABLE) {
            raster.biased = set.biased;
        }
        if is(Dynamic::CULL_MODE) {
            raster.cull = set.cull;
        }
        if is(Dynamic::FRONT_FACE) {
            raster.front_is_clockwise = set.front_is_clockwise;
        }
        if is(Dynamic::RASTERIZER_DISCARD_ENABLE) {
            raster.discard = set.discard;
        }
        if is(Dynamic::CONSERVATIVE_RASTERIZATION_MODE) {
            raster.conservative = set.conservative;
        }
        if is(Dynamic::RASTERIZATION_STREAM) {
            raster.stream = set.stream;
        }
        if is(Dynamic::POLYGON_MODE) {
            raster.fill = set.fill;
        }
        if is(Dynamic::LINE_STIPPLE) {
            raster.stipple = set.stipple;
        }
        if is(Dynamic::LINE_STIPPLE_ENABLE) {
            raster.stippled = set.stippled;
        }
        if is(Dynamic::LINE_RASTERIZATION_MODE) {
            raster.lines = set.lines;
        }
        if is(Dynamic::DEPTH_CLIP_ENABLE) {
            raster.depth_clip = set.depth_clip;
        }
        if is(Dynamic::DEPTH_CLAMP_ENABLE) {
            raster.depth_clamp = set.depth_clamp;
        }
        if is(Dynamic::DEPTH_CLIP_NEGATIVE_ONE_TO_ONE) {
            raster.near_at_minus_w = set.near_at_minus_w;
        }
        if is(Dynamic::PROVOKING_VERTEX_MODE) {
            raster.provoking_last = set.provoking_last;
        }
        raster
    }

    fn target(&self, mut target: BlendTarget, set: &BlendTarget) -> BlendTarget {
        let is = |dynamic: Dynamic| self.dynamic.contains(dynamic);
        if is(Dynamic::COLOR_BLEND_ENABLE) {
            target.blended = set.blended;
        }
        if is(Dynamic::COLOR_BLEND_EQUATION) {
            target.equations = set.equations;
        }
        if is(Dynamic::COLOR_WRITE_MASK) {
            target.write_mask = set.write_mask;
        }
        target
    }

    fn depth_stencil(
        &self,
        set: &cmd::draw::state::DepthStencil,
    ) -> cmd::draw::state::DepthStencil {
        let is = |dynamic: Dynamic| self.dynamic.contains(dynamic);
        let mut tests = self.state.depth_stencil;
        if is(Dynamic::DEPTH_TEST_ENABLE) {
            tests.depth_test = set.depth_test;
        }
        if is(Dynamic::DEPTH_WRITE_ENABLE) {
            tests.depth_write = set.depth_write;
        }
        if is(Dynamic::DEPTH_COMPARE_OP) {
            tests.depth_compare = set.depth_compare;
        }
        if is(Dynamic::STENCIL_TEST_ENABLE) {
            tests.stencil_test = set.stencil_test;
        }
        for (face, set) in tests.stencil.iter_mut().zip(&set.stencil) {
            if is(Dynamic::STENCIL_OP) {
                *face = StencilFace {
                    compare_mask: face.compare_mask,
                    write_mask: face.write_mask,
                    reference: face.reference,
                    ..*set
                };
            }
            if is(Dynamic::STENCIL_COMPARE_MASK) {
                face.compare_mask = set.compare_mask;
            }
            if is(Dynamic::STENCIL_WRITE_MASK) {
                face.write_mask = set.write_mask;
            }
            if is(Dynamic::STENCIL_REFERENCE) {
                face.reference = set.reference;
            }
        }
        tests
    }
}
