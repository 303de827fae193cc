//! Fragment packets: attribute set-up, pixel shader, depth and stencil tests, blending.
//!
//! In:  fragment shaders, [`DepthStencil`], [`BlendState`]. Out: packets and state structures of
//!      SBE, WM, PS and the colour calculator.
//! Ref: SKL PRM vol. 2a, "3DSTATE_SBE", "3DSTATE_SBE_SWIZ", "3DSTATE_WM", "3DSTATE_PS",
//!      "3DSTATE_PS_EXTRA", "3DSTATE_PS_BLEND", "3DSTATE_WM_DEPTH_STENCIL"; vol. 2d, "BLEND_STATE",
//!      "COLOR_CALC_STATE".

use hw::Wa;
use hw::draw::{
    state_ps, state_ps_blend, state_ps_extra, state_sbe, state_sbe_swiz, state_wm,
    state_wm_depth_stencil,
};
use hw::draw_state::{
    blend_state, blend_state_entry, color_calc_state, sf_output_attribute_detail,
};
use hw::value::draw::{
    color_clamp_range, compare_function, computed_depth_mode, constant_source,
    early_depth_stencil_control, input_coverage_mask, line_region_width, position_xy_offset,
    render_target_resolve, stencil_op, wm_force,
};

use crate::draw::shader::{
    ComputedDepth, FragmentInput, FragmentShader, FragmentVariant, INPUTS, InputSource, TargetOp,
};
use crate::draw::state::{
    BlendEquation, BlendFactor, BlendOp, BlendState, BlendTarget, CompareOp, DepthStencil,
    MultisampleState, TARGETS,
};
use crate::draw::target::DepthStencilTarget;
use crate::gen9::is_required;

/// Attributes with a swizzle entry; later ones always come from the slot of their own index.
const SWIZZLED: usize = abi::MAX_SWIZZLED_INPUTS;
/// Threads of each pixel shader dispatcher.
const DISPATCHER_THREADS: u64 = 64;

/// 3DSTATE_SBE and 3DSTATE_SBE_SWIZ: the VUE slots that fragment attributes come from. Returns
/// `None` if an attribute beyond the sixteenth does not come from the slot of its own index.
pub(super) fn attributes(shader: &FragmentShader<'_>) -> Option<([u32; 6], [u32; 11])> {
    use {sf_output_attribute_detail as detail, state_sbe as sbe, state_sbe_swiz as swiz};
    const XYZW: u32 = 0xffff_ffff;
    let slots = shader.inputs.iter().filter_map(|input| match input.source {
        InputSource::Slot(slot) => Some(u32::from(slot)),
        _ => None,
    });
    // Slots are read in pairs.
    let first = match shader.inputs.get(SWIZZLED).map(|input| input.source) {
        Some(InputSource::Slot(slot)) => u32::from(slot).checked_sub(SWIZZLED as u32)? & !1,
        _ => slots.clone().min().unwrap_or(2) & !1,
    };
    let end = slots.max().map_or(first + 1, |last| last + 1);
    let mut swizzle = swiz::words::<11>();
    let (mut flat, mut points) = (0_u32, 0_u32);
    if shader.inputs.len() > INPUTS {
        return None;
    }
    for (index, input) in shader.inputs.iter().enumerate() {
        flat |= u32::from(input.flat) << index;
        let how = detail::words::<1>();
        let how = match input.source {
            InputSource::PointCoord => {
                points |= 1 << index;
                continue;
            }
            InputSource::PrimitiveId | InputSource::Zero => how
                .with(
                    detail::CONSTANT_SOURCE,
                    if input.source == InputSource::Zero {
                        constant_source::CONST_0000
                    } else {
                        constant_source::PRIM_ID
                    },
                )
                .flag(detail::COMPONENT_OVERRIDE_X, true)
                .flag(detail::COMPONENT_OVERRIDE_Y, true)
                .flag(detail::COMPONENT_OVERRIDE_Z, true)
                .flag(detail::COMPONENT_OVERRIDE_W, true),
            InputSource::Slot(slot) => {
                let from = u32::from(slot).checked_sub(first)?;
                if index >= SWIZZLED {
                    if from != index as u32 {
                        return None;
                    }
                    continue;
                }
                how.with(detail::SOURCE_ATTRIBUTE, from.into())
            }
        };
        // Two entries per dword, after the header.
        let entry = swizzle.dwords.get_mut(1 + index / 2)?;
        if index >= SWIZZLED {
            return None;
        }
        *entry |= how.dwords[0] << (16 * (index % 2));
    }
    let mut words = sbe::words::<6>()
        .flag(sbe::ATTRIBUTE_SWIZZLE_ENABLE, true)
        .with(
            sbe::NUMBER_OF_SF_OUTPUT_ATTRIBUTES,
            shader.inputs.len() as u64,
        )
        .with(sbe::VERTEX_URB_ENTRY_READ_OFFSET, u64::from(first / 2))
        .with(
            sbe::VERTEX_URB_ENTRY_READ_LENGTH,
            u64::from((end - first).div_ceil(2)),
        )
        .flag(sbe::FORCE_VERTEX_URB_ENTRY_READ_OFFSET, true)
        .flag(sbe::FORCE_VERTEX_URB_ENTRY_READ_LENGTH, true)
        .with(sbe::POINT_SPRITE_TEXTURE_COORDINATE_ENABLE, points.into())
        .with(sbe::CONSTANT_INTERPOLATION_ENABLE, flat.into())
        .dwords;
    // All four components of all attributes are active: two bits each.
    words[4] = XYZW;
    words[5] = XYZW;
    Some((words, swizzle.dwords))
}

/// The shader with an attribute of zeros, which it does not read, if it has neither attributes nor
/// push constants: the payload of its threads must not end behind the header
/// ([`hw::Wa::HeaderOnlyPixelShader`]).
pub(super) fn with_payload<'a>(shader: &FragmentShader<'a>) -> Option<FragmentShader<'a>> {
    let header_only = shader.inputs.is_empty() && shader.push.all_registers() == 0;
    header_only.then(|| FragmentShader {
        inputs: vec![FragmentInput {
            source: InputSource::Zero,
            flat: true,
        }],
        ..shader.clone()
    })
}

/// Assigns the variants to the packet's three kernel slots, depending on which variants there are.
///
/// Ref: vol. 2a, 3DSTATE_PS, "Kernel Start Pointer 0": the narrowest alone or SIMD8 in slot 0,
///      SIMD32 in 1, SIMD16 in 2.
fn kernel_slots(variants: &[Option<FragmentVariant>; 3]) -> [Option<FragmentVariant>; 3] {
    match *variants {
        [Some(eight), sixteen, thirty_two] => [Some(eight), thirty_two, sixteen],
        [None, Some(sixteen), None] => [Some(sixteen), None, None],
        [None, None, Some(thirty_two)] => [Some(thirty_two), None, None],
        [None, sixteen, thirty_two] => [None, thirty_two, sixteen],
    }
}

/// Sample count from which SIMD32 dispatch is not allowed.
///
/// Ref: vol. 2a, 3DSTATE_PS, "32 Pixel Dispatch Enable": not in PER_PIXEL dispatch with sixteen
///      samples.
const NO_SIMD32_SAMPLES: u8 = {
    assert!(is_required(Wa::NoSimd32With16Samples));
    16
};

/// 3DSTATE_PS for both ranges of sample counts, which decide which variants are enabled.
#[derive(Clone, Copy, Debug)]
pub(super) struct PsBySamples {
    below_16: [u32; 12],
    at_16: [u32; 12],
}

impl PsBySamples {
    /// The packets of a shader.
    pub fn new(from: &FragmentShader<'_>) -> PsBySamples {
        let [eight, sixteen, thirty_two] = from.variants;
        let narrow = [eight, sixteen, None];
        let depends =
            thirty_two.is_some() && !from.per_sample && narrow.iter().any(Option::is_some);
        let below_16 = shader(from);
        PsBySamples {
            below_16,
            at_16: if depends {
                packet(from, narrow)
            } else {
                below_16
            },
        }
    }

    /// The packet without a shader.
    pub fn none() -> PsBySamples {
        let nothing = state_ps::words::<12>().dwords;
        PsBySamples {
            below_16: nothing,
            at_16: nothing,
        }
    }

    /// The packet for a sample count.
    #[inline]
    pub fn for_samples(&self, samples: u8) -> &[u32; 12] {
        if samples < NO_SIMD32_SAMPLES {
            &self.below_16
        } else {
            &self.at_16
        }
    }
}

/// 3DSTATE_PS. Per-sample dispatch allows one SIMD width only: the widest variant.
///
/// Ref: SNB PRM vol. 2 part 1, 7.7.1 "Pixel Grouping (Dispatch Size) Control", which parts before
///      gen12 keep to.
pub(super) fn shader(from: &FragmentShader<'_>) -> [u32; 12] {
    let mut variants = from.variants;
    if from.per_sample
        && let Some(widest) = variants.iter().rposition(Option::is_some)
    {
        variants[..widest].fill(None);
    }
    packet(from, variants)
}

fn packet(from: &FragmentShader<'_>, variants: [Option<FragmentVariant>; 3]) -> [u32; 12] {
    use state_ps as ps;
    let [first, second, third] = kernel_slots(&variants);
    let kernel = |variant: Option<FragmentVariant>| variant.map_or(0, |v| v.kernel_offset_bytes);
    let start = |variant: Option<FragmentVariant>| variant.map_or(0, |v| u64::from(v.first_grf));
    let has = |index: usize| variants.get(index).is_some_and(Option::is_some);
    let mut words = ps::words::<12>()
        .with(ps::KERNEL_START_POINTER_0, kernel(first))
        .with(ps::KERNEL_START_POINTER_1, kernel(second))
        .with(ps::KERNEL_START_POINTER_2, kernel(third))
        .with(
            ps::DISPATCH_GRF_START_REGISTER_FOR_CONSTANT_SETUP_DATA_0,
            start(first),
        )
        .with(
            ps::DISPATCH_GRF_START_REGISTER_FOR_CONSTANT_SETUP_DATA_1,
            start(second),
        )
        .with(
            ps::DISPATCH_GRF_START_REGISTER_FOR_CONSTANT_SETUP_DATA_2,
            start(third),
        )
        // Helper pixels run too.
        .flag(ps::VECTOR_MASK_ENABLE, true)
        .flag(ps::N8_PIXEL_DISPATCH_ENABLE, has(0))
        .flag(ps::N16_PIXEL_DISPATCH_ENABLE, has(1))
        .flag(ps::N32_PIXEL_DISPATCH_ENABLE, has(2))
        .with(
            ps::POSITION_XY_OFFSET_SELECT,
            if from.reads_sample_position {
                position_xy_offset::POSOFFSET_SAMPLE
            } else {
                position_xy_offset::POSOFFSET_NONE
            },
        )
        .flag(ps::PUSH_CONSTANT_ENABLE, from.push.all_registers() > 0)
        .with(
            ps::MAXIMUM_NUMBER_OF_THREADS_PER_PSD,
            DISPATCHER_THREADS - 1,
        );
    words = match from.target_op {
        TargetOp::None => words,
        TargetOp::FastClear => words.flag(ps::RENDER_TARGET_FAST_CLEAR_ENABLE, true),
        TargetOp::PartialResolve => words.with(
            ps::RENDER_TARGET_RESOLVE_TYPE,
            render_target_resolve::RESOLVE_PARTIAL,
        ),
        TargetOp::Resolve => words.with(
            ps::RENDER_TARGET_RESOLVE_TYPE,
            render_target_resolve::RESOLVE_FULL,
        ),
    };
    if from.scratch.thread_bytes > 0 {
        words = words
            .with(ps::PER_THREAD_SCRATCH_SPACE, from.scratch.code())
            .with(ps::SCRATCH_SPACE_BASE_POINTER, from.scratch.address);
    }
    words.dwords
}

/// 3DSTATE_PS_EXTRA.
pub(super) fn shader_extra(from: &FragmentShader<'_>) -> [u32; 2] {
    use state_ps_extra as extra;
    let depth = match from.depth {
        ComputedDepth::No => computed_depth_mode::PSCDEPTH_OFF,
        ComputedDepth::Any => computed_depth_mode::PSCDEPTH_ON,
        ComputedDepth::Greater => computed_depth_mode::PSCDEPTH_ON_GE,
        ComputedDepth::Less => computed_depth_mode::PSCDEPTH_ON_LE,
    };
    let mut words = extra::words::<2>()
        .flag(extra::PIXEL_SHADER_VALID, true)
        .flag(extra::ATTRIBUTE_ENABLE, !from.inputs.is_empty())
        .flag(extra::PIXEL_SHADER_PULLS_BARY, from.pulls_barycentrics)
        .flag(extra::PIXEL_SHADER_COMPUTES_STENCIL, from.writes_stencil)
        .flag(extra::PIXEL_SHADER_IS_PER_SAMPLE, from.per_sample)
        .flag(extra::PIXEL_SHADER_USES_SOURCE_W, from.reads_w)
        .flag(extra::PIXEL_SHADER_USES_SOURCE_DEPTH, from.reads_depth)
        .with(extra::PIXEL_SHADER_COMPUTED_DEPTH_MODE, depth)
        // Early tests are still possible, but their writes wait for the shader's end.
        .flag(
            extra::PIXEL_SHADER_KILLS_PIXEL,
            from.kills || from.reads_tests,
        )
        .flag(extra::OMASK_PRESENT_TO_RENDER_TARGET, from.writes_mask);
    if from.reads_coverage {
        let coverage = match from.coverage_is_tested {
            true => input_coverage_mask::DEPTH_COVERAGE,
            false => input_coverage_mask::NORMAL,
        };
        words = words.with(extra::INPUT_COVERAGE_MASK_STATE, coverage);
    }
    words.dwords
}

/// The pipeline's contribution to 3DSTATE_WM.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WmFacts {
    pub barycentrics: u8,
    pub early_tests: bool,
    pub has_side_effects: bool,
    pub kills: bool,
    pub valid: bool,
    pub counted: bool,
}

/// 3DSTATE_WM. Thread dispatch is forced on if the shader does more than write colours: side
/// effects, discards, or counted samples.
pub(super) fn wm(facts: WmFacts, stippled: bool, writes_colour: bool) -> [u32; 2] {
    use state_wm as wm;
    let tests = match (facts.early_tests, facts.has_side_effects) {
        (true, _) => early_depth_stencil_control::EDSC_PREPS,
        (false, true) => early_depth_stencil_control::EDSC_PSEXEC,
        (false, false) => early_depth_stencil_control::EDSC_NORMAL,
    };
    let forced = facts.valid && (facts.has_side_effects || facts.kills || !writes_colour);
    wm::words::<2>()
        .flag(wm::STATISTICS_ENABLE, facts.counted)
        .with(
            wm::LINE_ANTIALIASING_REGION_WIDTH,
            line_region_width::PIXELS_1,
        )
        .flag(wm::LINE_STIPPLE_ENABLE, stippled)
        .with(
            wm::BARYCENTRIC_INTERPOLATION_MODE,
            facts.barycentrics.into(),
        )
        .with(wm::EARLY_DEPTH_STENCIL_CONTROL, tests)
        .with(
            wm::FORCE_THREAD_DISPATCH_ENABLE,
            if forced { wm_force::FORCE_ON } else { 0 },
        )
        .dwords
}

/// Ref: vol. 2a, "3D_Compare_Function".
fn compare_code(compare: CompareOp) -> u64 {
    match compare {
        CompareOp::Always => compare_function::ALWAYS,
        CompareOp::Never => compare_function::NEVER,
        CompareOp::Less => compare_function::LESS,
        CompareOp::Equal => compare_function::EQUAL,
        CompareOp::LessOrEqual => compare_function::LEQUAL,
        CompareOp::Greater => compare_function::GREATER,
        CompareOp::NotEqual => compare_function::NOTEQUAL,
        CompareOp::GreaterOrEqual => compare_function::GEQUAL,
    }
}

/// Ref: vol. 2a, "3D_Stencil_Operation".
fn stencil_code(op: crate::draw::state::StencilOp) -> u64 {
    use crate::draw::state::StencilOp;
    match op {
        StencilOp::Keep => stencil_op::KEEP,
        StencilOp::Zero => stencil_op::ZERO,
        StencilOp::Replace => stencil_op::REPLACE,
        StencilOp::IncrementClamp => stencil_op::INCRSAT,
        StencilOp::DecrementClamp => stencil_op::DECRSAT,
        StencilOp::IncrementWrap => stencil_op::INCR,
        StencilOp::DecrementWrap => stencil_op::DECR,
        StencilOp::Invert => stencil_op::INVERT,
    }
}

/// 3DSTATE_WM_DEPTH_STENCIL. Tests of absent buffers are off.
pub(super) fn depth_stencil(from: &DepthStencil, target: &DepthStencilTarget) -> [u32; 4] {
    use state_wm_depth_stencil as ds;
    let mut words = ds::words::<4>().flag(ds::DOUBLE_SIDED_STENCIL_ENABLE, true);
    if from.depth_test && !from.ignores_depth && target.depth.is_some() {
        words = words
            .flag(ds::DEPTH_TEST_ENABLE, true)
            .flag(ds::DEPTH_BUFFER_WRITE_ENABLE, from.depth_write)
            .with(ds::DEPTH_TEST_FUNCTION, compare_code(from.depth_compare));
    }
    if from.stencil_test && !from.ignores_stencil && target.stencil.is_some() {
        let [front, back] = &from.stencil;
        let writes = front.write_mask != 0 || back.write_mask != 0;
        words = words
            .flag(ds::STENCIL_TEST_ENABLE, true)
            .flag(ds::STENCIL_BUFFER_WRITE_ENABLE, writes)
            .with(ds::STENCIL_TEST_FUNCTION, compare_code(front.compare))
            .with(ds::STENCIL_FAIL_OP, stencil_code(front.fail))
            .with(
                ds::STENCIL_PASS_DEPTH_FAIL_OP,
                stencil_code(front.depth_fail),
            )
            .with(ds::STENCIL_PASS_DEPTH_PASS_OP, stencil_code(front.pass))
            .with(ds::STENCIL_TEST_MASK, front.compare_mask.into())
            .with(ds::STENCIL_WRITE_MASK, front.write_mask.into())
            .with(ds::STENCIL_REFERENCE_VALUE, front.reference.into())
            .with(
                ds::BACKFACE_STENCIL_TEST_FUNCTION,
                compare_code(back.compare),
            )
            .with(ds::BACKFACE_STENCIL_FAIL_OP, stencil_code(back.fail))
            .with(
                ds::BACKFACE_STENCIL_PASS_DEPTH_FAIL_OP,
                stencil_code(back.depth_fail),
            )
            .with(
                ds::BACKFACE_STENCIL_PASS_DEPTH_PASS_OP,
                stencil_code(back.pass),
            )
            .with(ds::BACKFACE_STENCIL_TEST_MASK, back.compare_mask.into())
            .with(ds::BACKFACE_STENCIL_WRITE_MASK, back.write_mask.into())
            .with(ds::BACKFACE_STENCIL_REFERENCE_VALUE, back.reference.into());
    }
    words.dwords
}

/// Ref: vol. 2a, "3D_Color_Buffer_Blend_Factor".
fn factor_code(factor: BlendFactor) -> u64 {
    match factor {
        BlendFactor::One => 1,
        BlendFactor::Source => 2,
        BlendFactor::SourceAlpha => 3,
        BlendFactor::DestinationAlpha => 4,
        BlendFactor::Destination => 5,
        BlendFactor::SourceAlphaSaturate => 6,
        BlendFactor::Constant => 7,
        BlendFactor::ConstantAlpha => 8,
        BlendFactor::Source1 => 9,
        BlendFactor::Source1Alpha => 10,
        BlendFactor::Zero => 17,
        BlendFactor::OneMinusSource => 18,
        BlendFactor::OneMinusSourceAlpha => 19,
        BlendFactor::OneMinusDestinationAlpha => 20,
        BlendFactor::OneMinusDestination => 21,
        BlendFactor::OneMinusConstant => 23,
        BlendFactor::OneMinusConstantAlpha => 24,
        BlendFactor::OneMinusSource1 => 25,
        BlendFactor::OneMinusSource1Alpha => 26,
    }
}

fn op_code(op: BlendOp) -> u64 {
    match op {
        BlendOp::Add => 0,
        BlendOp::Subtract => 1,
        BlendOp::ReverseSubtract => 2,
        BlendOp::Min => 3,
        BlendOp::Max => 4,
    }
}

/// The equation for the hardware, which applies blend factors even to min and max.
fn hw_equation(from: BlendEquation) -> BlendEquation {
    match from.op {
        BlendOp::Min | BlendOp::Max => BlendEquation {
            source: BlendFactor::One,
            destination: BlendFactor::One,
            op: from.op,
        },
        _ => from,
    }
}

fn reads_second_source(equations: &[BlendEquation; 2]) -> bool {
    let second = |factor| {
        matches!(
            factor,
            BlendFactor::Source1
                | BlendFactor::OneMinusSource1
                | BlendFactor::Source1Alpha
                | BlendFactor::OneMinusSource1Alpha
        )
    };
    equations
        .iter()
        .any(|equation| second(equation.source) || second(equation.destination))
}

/// The equations of a target. `None`: no blending, also if the factors need a second source that
/// the shader lacks.
fn equations(target: &BlendTarget, logic: bool, dual_source: bool) -> Option<[BlendEquation; 2]> {
    let both = target.equations;
    let blended = target.blended && !logic && (dual_source || !reads_second_source(&both));
    blended.then(|| both.map(hw_equation))
}

/// The colour outputs of a draw.
#[derive(Clone, Copy, Debug)]
pub(super) struct ColourTargets {
    /// Mask of the targets that are present and that the shader writes.
    pub targets: u8,
    /// Mask of the targets without logic operations.
    pub without_logic_op: u8,
    /// The shader writes a second blend source.
    pub dual_source: bool,
    /// The shader writes the sample mask.
    pub writes_mask: bool,
}

/// Dwords of BLEND_STATE with its entries.
pub(super) const BLEND_DW: usize = 1 + 2 * TARGETS;

/// BLEND_STATE with an entry for each target, 3DSTATE_PS_BLEND (which repeats the state of target
/// 0), and whether any colour is written.
pub(super) fn blend(
    from: &BlendState,
    samples: &MultisampleState,
    colours: ColourTargets,
) -> ([u32; BLEND_DW], [u32; 2], bool) {
    use {blend_state as bs, blend_state_entry as entry, state_ps_blend as ps};
    let dual = colours.dual_source;
    let drawn = colours.targets & from.write_mask;
    // Most draws have few targets; absent ones have no equations.
    let blended: [_; TARGETS] = std::array::from_fn(|index| match drawn >> index & 1 {
        0 => None,
        _ => equations(&from.targets[index], from.logic, dual),
    });
    let independent = blended
        .iter()
        .flatten()
        .any(|[colour, alpha]| colour != alpha);
    // A shader that writes the sample mask has applied alpha to coverage itself, and the hardware
    // would ignore alpha then.
    let to_coverage = samples.alpha_to_coverage && !colours.writes_mask;
    let [state] = bs::words::<1>()
        .flag(bs::ALPHA_TO_COVERAGE_ENABLE, to_coverage)
        .flag(bs::ALPHA_TO_ONE_ENABLE, samples.alpha_to_one)
        .flag(bs::INDEPENDENT_ALPHA_BLEND_ENABLE, independent)
        .dwords;
    let mut words = [0; BLEND_DW];
    words[0] = state;
    let mut writes = false;
    let any = entry::words::<2>()
        .flag(entry::PRE_BLEND_COLOR_CLAMP_ENABLE, true)
        .flag(entry::POST_BLEND_COLOR_CLAMP_ENABLE, true)
        .with(
            entry::COLOR_CLAMP_RANGE,
            color_clamp_range::COLORCLAMP_RTFORMAT,
        );
    let masked = |mask: u8| {
        any.flag(entry::WRITE_DISABLE_RED, mask & 1 == 0)
            .flag(entry::WRITE_DISABLE_GREEN, mask & 2 == 0)
            .flag(entry::WRITE_DISABLE_BLUE, mask & 4 == 0)
            .flag(entry::WRITE_DISABLE_ALPHA, mask & 8 == 0)
    };
    let nothing = masked(0).dwords;
    let entries = words[1..].as_chunks_mut::<2>().0.iter_mut();
    for ((index, entry), blended) in entries.enumerate().zip(&blended) {
        if drawn >> index & 1 == 0 {
            *entry = nothing;
            continue;
        }
        let mask = from.targets[index].write_mask;
        writes |= mask & 0xf != 0;
        let mut packed = masked(mask);
        if from.logic && colours.without_logic_op >> index & 1 == 0 {
            packed = packed
                .flag(entry::LOGIC_OP_ENABLE, true)
                .with(entry::LOGIC_OP_FUNCTION, u64::from(from.logic_op & 0xf));
        }
        if let Some([colour, alpha]) = blended {
            packed = packed
                .flag(entry::COLOR_BUFFER_BLEND_ENABLE, true)
                .with(entry::SOURCE_BLEND_FACTOR, factor_code(colour.source))
                .with(
                    entry::DESTINATION_BLEND_FACTOR,
                    factor_code(colour.destination),
                )
                .with(entry::COLOR_BLEND_FUNCTION, op_code(colour.op))
                .with(entry::SOURCE_ALPHA_BLEND_FACTOR, factor_code(alpha.source))
                .with(
                    entry::DESTINATION_ALPHA_BLEND_FACTOR,
                    factor_code(alpha.destination),
                )
                .with(entry::ALPHA_BLEND_FUNCTION, op_code(alpha.op));
        }
        *entry = packed.dwords;
    }
    let mut packed = ps::words::<2>()
        .flag(ps::HAS_WRITEABLE_RT, writes)
        .flag(ps::ALPHA_TO_COVERAGE_ENABLE, to_coverage)
        .flag(ps::INDEPENDENT_ALPHA_BLEND_ENABLE, independent);
    if let [Some([colour, alpha]), ..] = &blended {
        packed = packed
            .flag(ps::COLOR_BUFFER_BLEND_ENABLE, true)
            .with(ps::SOURCE_BLEND_FACTOR, factor_code(colour.source))
            .with(
                ps::DESTINATION_BLEND_FACTOR,
                factor_code(colour.destination),
            )
            .with(ps::SOURCE_ALPHA_BLEND_FACTOR, factor_code(alpha.source))
            .with(
                ps::DESTINATION_ALPHA_BLEND_FACTOR,
                factor_code(alpha.destination),
            );
    }
    (words, packed.dwords, writes)
}

/// COLOR_CALC_STATE.
pub(super) fn constants(blend: &BlendState) -> [u32; 6] {
    use color_calc_state as cc;
    let [red, green, blue, alpha] = blend.constants.map(|value| u64::from(value.to_bits()));
    cc::words::<6>()
        .with(cc::BLEND_CONSTANT_COLOR_RED, red)
        .with(cc::BLEND_CONSTANT_COLOR_GREEN, green)
        .with(cc::BLEND_CONSTANT_COLOR_BLUE, blue)
        .with(cc::BLEND_CONSTANT_COLOR_ALPHA, alpha)
        .dwords
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variant(kernel_offset_bytes: u64) -> Option<FragmentVariant> {
        Some(FragmentVariant {
            kernel_offset_bytes,
            first_grf: kernel_offset_bytes as u32 / 64,
        })
    }

    fn fragment(
        push: &abi::PushData,
        variants: [Option<FragmentVariant>; 3],
        per_sample: bool,
    ) -> FragmentShader<'_> {
        FragmentShader {
            per_sample,
            ..FragmentShader::new(variants, push)
        }
    }

    #[test]
    fn simd32_dispatch_is_off_with_sixteen_samples() {
        use state_ps as ps;
        let push = abi::PushData::default();
        let all = [variant(64), variant(128), variant(192)];
        let packets = PsBySamples::new(&fragment(&push, all, false));
        let wide = |words: &[u32; 12]| ps::N32_PIXEL_DISPATCH_ENABLE.get(words);
        let kernel = |words: &[u32; 12]| ps::KERNEL_START_POINTER_1.get(words) * 64;
        for samples in [0, 1, 2, 4, 8] {
            let words = packets.for_samples(samples);
            assert_eq!((wide(words), kernel(words) != 0), (1, true), "{samples}");
        }
        let at_16 = packets.for_samples(16);
        assert_eq!((wide(at_16), kernel(at_16)), (0, 0));
        assert_eq!(ps::N8_PIXEL_DISPATCH_ENABLE.get(at_16), 1);
        assert_eq!(ps::N16_PIXEL_DISPATCH_ENABLE.get(at_16), 1);
        // The packets are the same without a SIMD32 variant, with per-sample dispatch, or with
        // SIMD32 alone.
        let two = [all[0], all[1], None];
        let alone = [None, None, all[2]];
        for (variants, per_sample) in [(two, false), (all, true), (alone, false)] {
            let packets = PsBySamples::new(&fragment(&push, variants, per_sample));
            assert_eq!(packets.for_samples(1), packets.for_samples(16));
        }
    }

    #[test]
    fn per_sample_dispatch_enables_one_width() {
        use state_ps as ps;
        let push = abi::PushData::default();
        let [eight, sixteen, thirty_two] = [variant(64), variant(128), variant(192)];
        let widths = |variants, per_sample| {
            let words = shader(&fragment(&push, variants, per_sample));
            let on = [
                ps::N8_PIXEL_DISPATCH_ENABLE,
                ps::N16_PIXEL_DISPATCH_ENABLE,
                ps::N32_PIXEL_DISPATCH_ENABLE,
            ];
            (
                on.map(|field| field.get(&words)),
                ps::KERNEL_START_POINTER_0.get(&words),
            )
        };
        assert_eq!(widths([eight, sixteen, None], false), ([1, 1, 0], 64));
        assert_eq!(widths([eight, sixteen, None], true), ([0, 1, 0], 128));
        assert_eq!(widths([eight, None, None], true), ([1, 0, 0], 64));
        assert_eq!(widths([eight, sixteen, thirty_two], true), ([0, 0, 1], 192));
    }
}
