//! What the pixel pipeline finds at a draw, decoded once.
//!
//! In:  latched commands and the state they point to. Out: [`State`].
//! Ref: SKL PRM vol. 2a, "3DSTATE_PS", "3DSTATE_PS_EXTRA", "3DSTATE_WM", "3DSTATE_SAMPLE_MASK"; vol. 2d, "BLEND_STATE",
//! "COLOR_CALC_STATE".

use super::blend::{AlphaState, Blend};
use super::depth::DepthStencil;
use super::gap::gap;
use super::target_rules;
use crate::draw::exec::{Draw, Shader};
use crate::draw::raster::{Lines, RasterState};
use crate::fate;
use crate::memory::View;
use crate::observer::Via;
use eu::Stop;
use hw::draw::{
    state_binding_table_pointers_ps as table, state_blend_state_pointers as blend_pointer,
    state_cc_state_pointers as cc_pointer, state_multisample as multisample, state_ps as ps,
    state_ps_blend as ps_blend, state_ps_extra as extra, state_sample_mask as mask,
    state_sampler_state_pointers_ps as samplers, state_wm as wm,
};
use hw::draw_state::{blend_state, color_calc_state as cc};

/// A kernel for a width.
#[derive(Clone, Copy, Debug)]
pub(super) struct Variant {
    pub shader: Shader,
    /// Dispatch GRF Start Register.
    pub start: usize,
}

/// RESOLVE_PARTIAL of Render Target Resolve Type.
const RESOLVE_PARTIAL: u64 = 1;

/// What writes to a render target mean instead of colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AuxOperation {
    FastClear,
    /// Blocks that were cleared are made real, those that are compressed stay so.
    PartialResolve,
    FullResolve,
}

/// Input Coverage Mask State: which samples a shader is told are covered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Coverage {
    /// The object's.
    Covered,
    /// Of pixels that lie within the object.
    Inner,
    /// Those that passed the tests before the shader.
    AfterDepth,
}

/// All of it.
pub(super) struct State<'a> {
    /// There is a pixel shader.
    pub valid: bool,
    /// Its kernels of 8, 16 and 32 pixels.
    pub variants: [Option<Variant>; 3],
    pub vector_mask: bool,
    pub statistics: bool,
    /// Samples of a pixel, and where they are in parts of a pixel.
    pub samples: u32,
    pub positions: [[f64; 2]; 16],
    /// Where a pixel is taken: at its centre, or at its upper left corner.
    pub centre: f64,
    pub sample_mask: u16,
    /// Lines are told by how much of a pixel they cover.
    pub smooth_lines: bool,
    /// A thread's channels stand for samples.
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
    /// Which coverage it is.
    pub coverage: Coverage,
    pub constants: Vec<u32>,
    pub attributes: bool,
    pub omask: bool,
    pub computes_depth: bool,
    pub computes_stencil: bool,
    pub aux_operation: Option<AuxOperation>,
    /// The state says that the shader writes to render targets; pulls barycentric weights: strict mode compares.
    pub declares_target_writes: bool,
    /// Hazards of compressed targets are avoided.
    pub avoids_hazards: bool,
    pub declares_interpolator: bool,
    /// Sampler states: bytes from the dynamic state base address.
    pub samplers: u32,
    /// Addresses of the binding table and of what its entries count from.
    pub table: u64,
    pub surface_base: u64,
    pub depth: DepthStencil<'a>,
    pub blends: Vec<Blend>,
    pub constant: [f32; 4],
    pub alpha: AlphaState,
}

impl<'a> State<'a> {
    /// Decodes what a draw finds.
    pub fn read(draw: &Draw<'a>, view: &View<'_>, constants: Vec<u32>) -> Result<State<'a>, Stop> {
        let get = |field| draw.state.get(&ps::PACKET, field);
        let has = |field| draw.state.flag(&extra::PACKET, field);
        let of_wm = |field| draw.state.get(&wm::PACKET, field);
        let raster = RasterState::read(draw)?;
        let samples = raster.samples as u32;
        if of_wm(wm::POLYGON_STIPPLE_ENABLE) == 1 {
            return gap(draw.at, "polygon stipple");
        }
        let coverage = draw
            .state
            .get(&extra::PACKET, extra::INPUT_COVERAGE_MASK_STATE);
        let covers = coverage != 0;
        let coverage = match coverage {
            0 | 1 => Coverage::Covered,
            2 if raster.conservative => Coverage::Inner,
            2 => {
                return gap(draw.at, "inner input coverage of what is not conservative");
            }
            _ => Coverage::AfterDepth,
        };
        let valid = has(extra::PIXEL_SHADER_VALID) && dispatches(draw);
        let mut alpha = AlphaState::default();
        let (mut blends, mut constant) = (Vec::new(), [0.0; 4]);
        let pointer = |packet, valid, field| {
            (draw.state.flag(packet, valid))
                .then(|| draw.base.dynamic + draw.state.get(packet, field))
        };
        let mut cc_words = [0; 6];
        if let Some(at) = pointer(
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
        // Without a pixel shader nothing is blended, and the pointer may be from work whose memory is gone: Mesa's OpenGL driver
        // clears depth so.
        if let Some(at) = pointer(
            &blend_pointer::PACKET,
            blend_pointer::BLEND_STATE_POINTER_VALID,
            blend_pointer::BLEND_STATE_POINTER,
        )
        .filter(|_| valid)
        {
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
            let quiet = has(extra::PIXEL_SHADER_DISABLES_ALPHA_TO_COVERAGE);
            alpha = AlphaState {
                to_coverage: to_coverage && !quiet,
                to_one: flag(blend_state::ALPHA_TO_ONE_ENABLE),
                test: flag(blend_state::ALPHA_TEST_ENABLE).then(|| {
                    let raw = cc_words[1];
                    let reference = match cc::ALPHA_TEST_FORMAT.get(&cc_words) {
                        0 => (raw & 0xff) as f32 / 255.0,
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
        }
        let alpha_kills = draw
            .state
            .flag(&ps_blend::PACKET, ps_blend::ALPHA_TO_COVERAGE_ENABLE)
            || draw
                .state
                .flag(&ps_blend::PACKET, ps_blend::ALPHA_TEST_ENABLE)
            || alpha.to_coverage
            || alpha.test.is_some();
        let computes_depth = valid
            && draw
                .state
                .get(&extra::PACKET, extra::PIXEL_SHADER_COMPUTED_DEPTH_MODE)
                != 0;
        let kills = has(extra::PIXEL_SHADER_KILLS_PIXEL)
            || has(extra::OMASK_PRESENT_TO_RENDER_TARGET)
            || has(extra::PIXEL_SHADER_COMPUTES_STENCIL)
            || computes_depth
            || alpha_kills;
        // Early Depth/Stencil Control: 1 after the shader, 2 before it.
        let early = match of_wm(wm::EARLY_DEPTH_STENCIL_CONTROL) {
            _ if !valid => true,
            1 => false,
            2 => true,
            _ => !kills,
        };
        let aux_operation = match (
            get(ps::RENDER_TARGET_FAST_CLEAR_ENABLE),
            get(ps::RENDER_TARGET_RESOLVE_TYPE),
        ) {
            (1, _) => Some(AuxOperation::FastClear),
            (_, 0) => None,
            (_, RESOLVE_PARTIAL) => Some(AuxOperation::PartialResolve),
            _ => Some(AuxOperation::FullResolve),
        };
        let bound = draw
            .state
            .get(&table::PACKET, table::POINTER_TO_PS_BINDING_TABLE);
        let sampler = draw
            .state
            .get(&samplers::PACKET, samplers::POINTER_TO_PS_SAMPLER_STATE);
        let location = draw
            .state
            .get(&multisample::PACKET, multisample::PIXEL_LOCATION);
        let centre = if location == 0 { 0.5 } else { 0.0 };
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
            input_coverage: covers,
            coverage,
            constants: match get(ps::PUSH_CONSTANT_ENABLE) {
                1 => constants,
                _ => Vec::new(),
            },
            attributes: has(extra::ATTRIBUTE_ENABLE),
            omask: has(extra::OMASK_PRESENT_TO_RENDER_TARGET),
            computes_depth,
            computes_stencil: has(extra::PIXEL_SHADER_COMPUTES_STENCIL),
            aux_operation,
            declares_target_writes: target_rules::declares_target_writes(draw.state),
            avoids_hazards: draw.state.avoids_hazards,
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

/// Whether pixels have threads (WM_INT::ThreadDispatchEnable): where it is not forced, only such as leave something. What a
/// thread kills counts where depth or stencil are written.
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
        1 => return false,
        2 => return true,
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
            != 0;
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

/// Which pointer is which width's: a width alone has pointer 0, and so has 8 always; else 32 has 1 and 16 has 2.
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
                alternate_floats: get(ps::FLOATING_POINT_MODE) == 1,
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
