//! Decoded state of the pixel pipeline for a draw.
//!
//! In:  latched commands and the state structures that they point to. Out: [`State`].
//! Ref: SKL PRM vol. 2a, "3DSTATE_PS", "3DSTATE_PS_EXTRA", "3DSTATE_WM", "3DSTATE_SAMPLE_MASK";
//!      vol. 2d, "BLEND_STATE", "COLOR_CALC_STATE".

use super::blend::{AlphaState, Blend};
use super::depth::DepthStencil;
use super::gap::gap;
use super::target_rules;
use crate::draw::exec::{Draw, Shader};
use crate::draw::raster::{Lines, RasterState};
use crate::fate;
use crate::memory::AddressSpaceView;
use crate::observer::Via;
use eu::StopReason;
use hw::draw::{
    state_binding_table_pointers_ps as table, state_blend_state_pointers as blend_pointer,
    state_cc_state_pointers as cc_pointer, state_multisample as multisample, state_ps as ps,
    state_ps_blend as ps_blend, state_ps_extra as extra, state_sample_mask as mask,
    state_sampler_state_pointers_ps as samplers, state_wm as wm,
};
use hw::draw_state::{blend_state, color_calc_state as cc};
use hw::value::draw::{
    alpha_test_format, computed_depth_mode, early_depth_stencil_control, floating_point_mode,
    input_coverage_mask, pixel_location, render_target_resolve, wm_force,
};

/// The kernel of one dispatch width.
#[derive(Clone, Copy, Debug)]
pub(super) struct Variant {
    pub shader: Shader,
    /// Dispatch GRF Start Register.
    pub start: usize,
}

/// Operations on the aux surface that render target writes stand for, instead of writing colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AuxOperation {
    FastClear,
    /// Writes the clear colour to cleared blocks; compressed blocks stay compressed.
    PartialResolve,
    FullResolve,
}

/// Input Coverage Mask State: the samples in the shader's input coverage mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Coverage {
    /// The samples that the object covers.
    Covered,
    /// The covered samples of pixels that lie entirely within the object.
    Inner,
    /// The samples that passed the early tests.
    AfterDepth,
}

/// The state of the pixel pipeline.
pub(super) struct State<'a> {
    /// A pixel shader is enabled.
    pub valid: bool,
    /// Its kernels of 8, 16 and 32 pixels.
    pub variants: [Option<Variant>; 3],
    pub vector_mask: bool,
    pub statistics: bool,
    /// Samples per pixel.
    pub samples: u32,
    /// Sample positions in a pixel, in pixels.
    pub positions: [[f64; 2]; 16],
    /// The offset of a pixel's location: its centre or its upper left corner.
    pub centre: f64,
    pub sample_mask: u16,
    /// Lines are smooth: their samples tell the covered area of a pixel.
    pub smooth_lines: bool,
    /// Threads are dispatched per sample.
    pub per_sample: bool,
    /// Depth and stencil are tested before the shader.
    pub early: bool,
    /// Barycentric Interpolation Mode.
    pub barycentrics: u32,
    pub uses_depth: bool,
    pub uses_w: bool,
    /// Position XY Offset Select.
    pub offsets: u64,
    /// Position ZW Interpolation Mode.
    pub zw_mode: u64,
    pub input_coverage: bool,
    /// The kind of input coverage.
    pub coverage: Coverage,
    pub constants: Vec<u32>,
    pub attributes: bool,
    pub omask: bool,
    pub computes_depth: bool,
    pub computes_stencil: bool,
    pub aux_operation: Option<AuxOperation>,
    /// The state declares that the shader writes to render targets; strict mode compares this with
    /// the messages.
    pub declares_target_writes: bool,
    /// The hazards of compressed targets are avoided: see [`target_rules::check_hazards_avoided`].
    pub avoids_hazards: bool,
    /// Wide targets must be linear: see [`target_rules::check_width`].
    pub narrow_tiled_targets: bool,
    /// The state declares that the shader uses the pixel interpolator.
    pub declares_interpolator: bool,
    /// Sampler states: bytes from the dynamic state base address.
    pub samplers: u32,
    /// Address of the binding table.
    pub table: u64,
    /// Address that the entries of the binding table are relative to.
    pub surface_base: u64,
    pub depth: DepthStencil<'a>,
    pub blends: Vec<Blend>,
    pub constant: [f32; 4],
    pub alpha: AlphaState,
}

impl<'a> State<'a> {
    /// Decodes the state of a draw.
    pub fn read(
        draw: &Draw<'a>,
        view: &AddressSpaceView<'_>,
        constants: Vec<u32>,
    ) -> Result<State<'a>, StopReason> {
        let get = |field| draw.state.get(&ps::PACKET, field);
        let has = |field| draw.state.flag(&extra::PACKET, field);
        let of_wm = |field| draw.state.get(&wm::PACKET, field);
        let raster = RasterState::read(draw)?;
        let samples = raster.samples as u32;
        if of_wm(wm::POLYGON_STIPPLE_ENABLE) == 1 {
            return gap(draw.at, "polygon stipple");
        }
        let input_coverage = draw
            .state
            .get(&extra::PACKET, extra::INPUT_COVERAGE_MASK_STATE);
        let coverage = match input_coverage {
            input_coverage_mask::NONE | input_coverage_mask::NORMAL => Coverage::Covered,
            input_coverage_mask::INNER_CONSERVATIVE if raster.conservative => Coverage::Inner,
            input_coverage_mask::INNER_CONSERVATIVE => {
                return gap(draw.at, "inner input coverage of what is not conservative");
            }
            _ => Coverage::AfterDepth,
        };
        let valid = has(extra::PIXEL_SHADER_VALID) && dispatches(draw);
        let (cc_words, constant) = read_color_calc(draw, view)?;
        let (alpha, blends) = match valid {
            true => read_blend_state(draw, view, &cc_words)?,
            false => (AlphaState::default(), Vec::new()),
        };
        let computes_depth = valid
            && draw
                .state
                .get(&extra::PACKET, extra::PIXEL_SHADER_COMPUTED_DEPTH_MODE)
                != computed_depth_mode::PSCDEPTH_OFF;
        let early = tests_early(draw, valid, computes_depth, &alpha);
        let bound = draw
            .state
            .get(&table::PACKET, table::POINTER_TO_PS_BINDING_TABLE);
        let sampler = draw
            .state
            .get(&samplers::PACKET, samplers::POINTER_TO_PS_SAMPLER_STATE);
        let location = draw
            .state
            .get(&multisample::PACKET, multisample::PIXEL_LOCATION);
        let centre = match location {
            pixel_location::CENTER => 0.5,
            _ => 0.0,
        };
        Ok(State {
            variants: match valid {
                true => variants(draw, bound, sampler),
                false => [None; 3],
            },
            valid,
            vector_mask: get(ps::VECTOR_MASK_ENABLE) == 1,
            statistics: of_wm(wm::STATISTICS_ENABLE) == 1,
            samples,
            positions: match samples {
                1 => [[centre; 2]; 16],
                _ => raster
                    .positions
                    .map(|(x, y)| [x as f64 / 256.0, y as f64 / 256.0]),
            },
            centre,
            sample_mask: draw.state.get(&mask::PACKET, mask::SAMPLE_MASK) as u16,
            smooth_lines: matches!(raster.lines, Lines::Smooth { .. }),
            per_sample: has(extra::PIXEL_SHADER_IS_PER_SAMPLE) && samples > 1,
            early,
            barycentrics: of_wm(wm::BARYCENTRIC_INTERPOLATION_MODE) as u32,
            uses_depth: has(extra::PIXEL_SHADER_USES_SOURCE_DEPTH),
            uses_w: has(extra::PIXEL_SHADER_USES_SOURCE_W),
            offsets: get(ps::POSITION_XY_OFFSET_SELECT),
            zw_mode: of_wm(wm::POSITION_ZW_INTERPOLATION_MODE),
            input_coverage: input_coverage != input_coverage_mask::NONE,
            coverage,
            constants: match get(ps::PUSH_CONSTANT_ENABLE) == 1 {
                true => constants,
                false => Vec::new(),
            },
            attributes: has(extra::ATTRIBUTE_ENABLE),
            omask: has(extra::OMASK_PRESENT_TO_RENDER_TARGET),
            computes_depth,
            computes_stencil: has(extra::PIXEL_SHADER_COMPUTES_STENCIL),
            aux_operation: aux_operation(draw),
            declares_target_writes: target_rules::declares_target_writes(draw.state),
            avoids_hazards: draw.state.avoids_hazards,
            narrow_tiled_targets: draw.state.narrow_tiled_targets,
            declares_interpolator: target_rules::declares_interpolator(draw.state),
            samplers: sampler as u32,
            table: draw.base.surface + bound,
            surface_base: draw.base.surface,
            depth: DepthStencil::read(draw)?,
            blends,
            constant,
            alpha,
        })
    }
}

/// The address that a pointer packet holds, if its valid bit is set.
fn dynamic_state_pointer(
    draw: &Draw<'_>,
    packet: &hw::Packet,
    valid: hw::Field,
    field: hw::Field,
) -> Option<u64> {
    (draw.state.flag(packet, valid)).then(|| draw.base.dynamic + draw.state.get(packet, field))
}

/// Reads COLOR_CALC_STATE: its dwords, and the blend constant.
fn read_color_calc(
    draw: &Draw<'_>,
    view: &AddressSpaceView<'_>,
) -> Result<([u32; 6], [f32; 4]), StopReason> {
    let (mut cc_words, mut constant) = ([0; 6], [0.0; 4]);
    if let Some(at) = dynamic_state_pointer(
        draw,
        &cc_pointer::PACKET,
        cc_pointer::COLOR_CALC_STATE_POINTER_VALID,
        cc_pointer::COLOR_CALC_STATE_POINTER,
    ) {
        view.by(Via::State, |view| view.read_block(at, &mut cc_words))?;
        fate::check(&cc::PACKET, &cc_words, view.is_strict(), at)?;
        constant = [
            cc::BLEND_CONSTANT_COLOR_RED,
            cc::BLEND_CONSTANT_COLOR_GREEN,
            cc::BLEND_CONSTANT_COLOR_BLUE,
            cc::BLEND_CONSTANT_COLOR_ALPHA,
        ]
        .map(|field| f32::from_bits(field.get(&cc_words) as u32));
    }
    Ok((cc_words, constant))
}

/// Reads BLEND_STATE and its entries.
///
/// The caller skips it without a pixel shader: then nothing is blended, and the pointer may refer
/// to memory that was unmapped since, as in depth clears of Mesa's OpenGL driver.
fn read_blend_state(
    draw: &Draw<'_>,
    view: &AddressSpaceView<'_>,
    cc_words: &[u32; 6],
) -> Result<(AlphaState, Vec<Blend>), StopReason> {
    let mut blends = Vec::new();
    let Some(at) = dynamic_state_pointer(
        draw,
        &blend_pointer::PACKET,
        blend_pointer::BLEND_STATE_POINTER_VALID,
        blend_pointer::BLEND_STATE_POINTER,
    ) else {
        return Ok((AlphaState::default(), blends));
    };
    let mut head = [0];
    view.by(Via::State, |view| view.read_block(at, &mut head))?;
    fate::check(&blend_state::PACKET, &head, view.is_strict(), at)?;
    let flag = |field: hw::Field| field.get(&head) == 1;
    let offsets = [blend_state::X_DITHER_OFFSET, blend_state::Y_DITHER_OFFSET];
    let dither = flag(blend_state::COLOR_DITHER_ENABLE)
        .then(|| offsets.map(|field| field.get(&head) as u32));
    let to_coverage = flag(blend_state::ALPHA_TO_COVERAGE_ENABLE);
    if to_coverage && flag(blend_state::ALPHA_TO_COVERAGE_DITHER_ENABLE) {
        return gap(draw.at, "dithered alpha to coverage");
    }
    let disables = draw.state.flag(
        &extra::PACKET,
        extra::PIXEL_SHADER_DISABLES_ALPHA_TO_COVERAGE,
    );
    let alpha = AlphaState {
        to_coverage: to_coverage && !disables,
        to_one: flag(blend_state::ALPHA_TO_ONE_ENABLE),
        test: flag(blend_state::ALPHA_TEST_ENABLE).then(|| {
            let raw = cc_words[1];
            let reference = match cc::ALPHA_TEST_FORMAT.get(cc_words) {
                alpha_test_format::ALPHATEST_UNORM8 => (raw & 0xff) as f32 / 255.0,
                _ => f32::from_bits(raw),
            };
            (blend_state::ALPHA_TEST_FUNCTION.get(&head), reference)
        }),
    };
    let independent = flag(blend_state::INDEPENDENT_ALPHA_BLEND_ENABLE);
    for i in 0..8 {
        let mut words = [0; 2];
        let read = view.by(Via::State, |view| {
            view.read_block(at + 4 + i * 8, &mut words)
        });
        if read.is_err() {
            break;
        }
        if i == 0 && view.is_strict() {
            target_rules::check_blend(draw.state, &head, &words, draw.at)?;
        }
        let mut blend = Blend::read(&words, independent);
        blend.dither = dither;
        blends.push(blend);
    }
    Ok((alpha, blends))
}

/// Whether depth and stencil are tested before the shader.
fn tests_early(draw: &Draw<'_>, valid: bool, computes_depth: bool, alpha: &AlphaState) -> bool {
    let has = |field| draw.state.flag(&extra::PACKET, field);
    let blend_flag = |field| draw.state.flag(&ps_blend::PACKET, field);
    let alpha_kills = blend_flag(ps_blend::ALPHA_TO_COVERAGE_ENABLE)
        || blend_flag(ps_blend::ALPHA_TEST_ENABLE)
        || alpha.to_coverage
        || alpha.test.is_some();
    let kills = has(extra::PIXEL_SHADER_KILLS_PIXEL)
        || has(extra::OMASK_PRESENT_TO_RENDER_TARGET)
        || has(extra::PIXEL_SHADER_COMPUTES_STENCIL)
        || computes_depth
        || alpha_kills;
    match draw.state.get(&wm::PACKET, wm::EARLY_DEPTH_STENCIL_CONTROL) {
        _ if !valid => true,
        early_depth_stencil_control::EDSC_PSEXEC => false,
        early_depth_stencil_control::EDSC_PREPS => true,
        _ => !kills,
    }
}

/// The aux operation of a fast clear or resolve draw.
fn aux_operation(draw: &Draw<'_>) -> Option<AuxOperation> {
    let get = |field| draw.state.get(&ps::PACKET, field);
    match (
        get(ps::RENDER_TARGET_FAST_CLEAR_ENABLE),
        get(ps::RENDER_TARGET_RESOLVE_TYPE),
    ) {
        (1, _) => Some(AuxOperation::FastClear),
        (_, render_target_resolve::RESOLVE_DISABLED) => None,
        (_, render_target_resolve::RESOLVE_PARTIAL) => Some(AuxOperation::PartialResolve),
        _ => Some(AuxOperation::FullResolve),
    }
}

/// Whether pixels get threads (WM_INT::ThreadDispatchEnable): unless forced, only if a thread can
/// have an effect. Killing pixels has one if depth or stencil is written.
fn dispatches(draw: &Draw<'_>) -> bool {
    use hw::draw::{
        state_depth_buffer as db, state_stencil_buffer as sb, state_wm_depth_stencil as ds,
    };
    let has = |field| draw.state.flag(&extra::PACKET, field);
    let blends = |field| draw.state.flag(&ps_blend::PACKET, field);
    match draw
        .state
        .get(&wm::PACKET, wm::FORCE_THREAD_DISPATCH_ENABLE)
    {
        wm_force::FORCE_OFF => return false,
        wm_force::FORCE_ON => return true,
        _ => {}
    }
    let tested = |field| draw.state.flag(&ds::PACKET, field);
    let depth = tested(ds::DEPTH_BUFFER_WRITE_ENABLE)
        && draw.state.flag(&db::PACKET, db::DEPTH_WRITE_ENABLE);
    let stencil = tested(ds::STENCIL_BUFFER_WRITE_ENABLE)
        && draw.state.flag(&sb::PACKET, sb::STENCIL_BUFFER_ENABLE);
    let computes = has(extra::PIXEL_SHADER_COMPUTES_STENCIL)
        || draw
            .state
            .get(&extra::PACKET, extra::PIXEL_SHADER_COMPUTED_DEPTH_MODE)
            != computed_depth_mode::PSCDEPTH_OFF;
    let tests = tested(ds::DEPTH_TEST_ENABLE) || tested(ds::STENCIL_TEST_ENABLE);
    let kills = has(extra::PIXEL_SHADER_KILLS_PIXEL)
        || has(extra::OMASK_PRESENT_TO_RENDER_TARGET)
        || blends(ps_blend::ALPHA_TO_COVERAGE_ENABLE)
        || blends(ps_blend::ALPHA_TEST_ENABLE);
    let writes =
        blends(ps_blend::HAS_WRITEABLE_RT) && !has(extra::PIXEL_SHADER_DOES_NOT_WRITE_TO_RT);
    writes
        || has(extra::PIXEL_SHADER_HAS_UAV)
        || (kills || computes) && (depth || stencil)
        || computes && tests
}

/// The kernels by width: the only enabled width uses pointer 0, and SIMD8 always does; otherwise
/// SIMD32 uses pointer 1 and SIMD16 pointer 2.
fn variants(draw: &Draw<'_>, table: u64, sampler: u64) -> [Option<Variant>; 3] {
    let get = |field| draw.state.get(&ps::PACKET, field);
    let enabled = [
        ps::N8_PIXEL_DISPATCH_ENABLE,
        ps::N16_PIXEL_DISPATCH_ENABLE,
        ps::N32_PIXEL_DISPATCH_ENABLE,
    ]
    .map(|field| get(field) == 1);
    let alone = enabled.iter().filter(|e| **e).count() == 1;
    let pointers = [
        (
            ps::KERNEL_START_POINTER_0,
            ps::DISPATCH_GRF_START_REGISTER_FOR_CONSTANT_SETUP_DATA_0,
        ),
        (
            ps::KERNEL_START_POINTER_1,
            ps::DISPATCH_GRF_START_REGISTER_FOR_CONSTANT_SETUP_DATA_1,
        ),
        (
            ps::KERNEL_START_POINTER_2,
            ps::DISPATCH_GRF_START_REGISTER_FOR_CONSTANT_SETUP_DATA_2,
        ),
    ];
    let scratch = get(ps::SCRATCH_SPACE_BASE_POINTER);
    let variant = |on: bool, (kernel, start): (hw::Field, hw::Field)| {
        on.then(|| Variant {
            shader: Shader {
                kernel: get(kernel),
                binding_table: table,
                samplers: sampler,
                scratch,
                scratch_bytes: match scratch {
                    0 => 0,
                    _ => 1024 << get(ps::PER_THREAD_SCRATCH_SPACE),
                },
                alternate_floats: get(ps::FLOATING_POINT_MODE) == floating_point_mode::ALTERNATE,
            },
            start: get(start) as usize,
        })
    };
    let [zero, one, two] = pointers;
    [
        variant(enabled[0], zero),
        variant(enabled[1], if alone { zero } else { two }),
        variant(enabled[2], if alone { zero } else { one }),
    ]
}

#[cfg(test)]
mod tests;
