//! Packets from clipping to rasterisation.
//!
//! In:  [`RasterState`], viewports, scissors, multisample state. Out: packets and state structures
//!      of CLIP, SF and WM.
//! Ref: SKL PRM vol. 2a, "3DSTATE_CLIP", "3DSTATE_SF", "3DSTATE_RASTER", "3DSTATE_MULTISAMPLE",
//!      "3DSTATE_SAMPLE_PATTERN"; vol. 2d, "SF_CLIP_VIEWPORT", "CC_VIEWPORT", "SCISSOR_RECT"; vol.
//!      7, "Multisample Modes" (which API mode gives which lines).

use hw::draw::{
    state_clip, state_line_stipple, state_multisample, state_raster, state_sample_mask,
    state_sample_pattern, state_sf,
};
use hw::draw_state::{cc_viewport, scissor_rect, sf_clip_viewport};
use hw::value::draw::{
    aa_line_distance_mode, clip_api_mode, cull_mode, fill_mode, raster_api_mode,
};

use crate::draw::shader::PipelineShaders;
use crate::draw::state::{
    CullMode, FixedFunctionState, LineMode, LineStipple, MultisampleState, PixelRect, PolygonMode,
    RasterState, SampleLocations, Topology, Viewport,
};

fn float(value: f32) -> u64 {
    value.to_bits().into()
}

/// Provoking vertex of triangles in strips and lists, of lines, and of triangle fans. A fan's first
/// vertex in Vulkan's order is its second, as all triangles share the hub.
fn provoking_vertices(last: bool) -> [u64; 3] {
    if last { [2, 1, 2] } else { [0, 0, 1] }
}

/// Primitive type at rasterisation, before the polygon mode applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PrimitiveForm {
    Points,
    Lines,
    Triangles,
}

/// Primitive type that the geometry or tessellation stage emits. `None`: the input topology
/// decides.
pub(super) fn output_form(shaders: &PipelineShaders<'_>) -> Option<PrimitiveForm> {
    use abi::OutputTopology as Made;
    if let Some(geometry) = &shaders.geometry {
        return Some(match geometry.info.topology {
            Made::Points => PrimitiveForm::Points,
            Made::LineStrip => PrimitiveForm::Lines,
            Made::TriangleStrip => PrimitiveForm::Triangles,
        });
    }
    let info = shaders.tessellation.as_ref()?.evaluation.info;
    Some(match (info.point_mode, info.domain) {
        (true, _) => PrimitiveForm::Points,
        (false, abi::TessDomain::Isolines) => PrimitiveForm::Lines,
        (false, _) => PrimitiveForm::Triangles,
    })
}

/// Whether primitives are rasterised as lines.
fn draws_lines(state: &FixedFunctionState, output_form: Option<PrimitiveForm>) -> bool {
    let form = output_form.unwrap_or(match state.topology {
        Topology::LineList
        | Topology::LineStrip
        | Topology::LineListAdjacency
        | Topology::LineStripAdjacency => PrimitiveForm::Lines,
        Topology::PointList => PrimitiveForm::Points,
        _ => PrimitiveForm::Triangles,
    });
    match form {
        PrimitiveForm::Points => false,
        PrimitiveForm::Lines => true,
        PrimitiveForm::Triangles => state.raster.fill == PolygonMode::Lines,
    }
}

/// The pipeline's contribution to 3DSTATE_CLIP.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClipFacts {
    pub counted: bool,
    pub linear_barycentrics: bool,
    pub writes_viewport: bool,
    pub writes_layer: bool,
}

/// 3DSTATE_CLIP.
pub(super) fn clip(facts: ClipFacts, raster: &RasterState, viewport_count: u8) -> [u32; 4] {
    use state_clip as c;
    let [triangles, lines, fans] = provoking_vertices(raster.provoking_last);
    let highest = if facts.writes_viewport {
        viewport_count.saturating_sub(1)
    } else {
        0
    };
    c::words::<4>()
        .flag(c::STATISTICS_ENABLE, facts.counted)
        .flag(c::EARLY_CULL_ENABLE, true)
        .with(c::TRIANGLE_STRIP_LIST_PROVOKING_VERTEX_SELECT, triangles)
        .with(c::LINE_STRIP_LIST_PROVOKING_VERTEX_SELECT, lines)
        .with(c::TRIANGLE_FAN_PROVOKING_VERTEX_SELECT, fans)
        .flag(
            c::NON_PERSPECTIVE_BARYCENTRIC_ENABLE,
            facts.linear_barycentrics,
        )
        .flag(c::GUARDBAND_CLIP_TEST_ENABLE, true)
        .with(
            c::API_MODE,
            if raster.near_at_minus_w {
                clip_api_mode::APIMODE_OGL
            } else {
                clip_api_mode::APIMODE_D3D
            },
        )
        .flag(c::CLIP_ENABLE, !raster.screen)
        .flag(c::PERSPECTIVE_DIVIDE_DISABLE, raster.screen)
        .with(c::MAXIMUM_VP_INDEX, highest.into())
        .flag(c::FORCE_ZERO_RTA_INDEX_ENABLE, !facts.writes_layer)
        // An eighth of a pixel, and the field's maximum.
        .with(c::MINIMUM_POINT_WIDTH, 1)
        .with(c::MAXIMUM_POINT_WIDTH, 0x7ff)
        .dwords
}

/// 3DSTATE_SF.
pub(super) fn sf(point_size_of_vertices: bool, counted: bool, raster: &RasterState) -> [u32; 4] {
    use state_sf as s;
    let [triangles, lines, fans] = provoking_vertices(raster.provoking_last);
    // U11.7.
    let width = (raster.line_width * 128.0).clamp(0.0, 0x3ffff as f32) as u64;
    s::words::<4>()
        .flag(s::VIEWPORT_TRANSFORM_ENABLE, !raster.screen)
        .flag(s::STATISTICS_ENABLE, counted)
        .with(s::LINE_WIDTH, width)
        // One pixel, in eighths.
        .with(s::POINT_WIDTH, 8)
        .flag(s::POINT_WIDTH_SOURCE, !point_size_of_vertices)
        .with(
            s::AA_LINE_DISTANCE_MODE,
            aa_line_distance_mode::AALINEDISTANCE_TRUE,
        )
        .with(s::TRIANGLE_STRIP_LIST_PROVOKING_VERTEX_SELECT, triangles)
        .with(s::LINE_STRIP_LIST_PROVOKING_VERTEX_SELECT, lines)
        .with(s::TRIANGLE_FAN_PROVOKING_VERTEX_SELECT, fans)
        // Vol. 7, "Depth Offset": the unit of the constant is 1 then.
        .flag(
            s::LEGACY_GLOBAL_DEPTH_BIAS_ENABLE,
            raster.depth_bias.absolute,
        )
        .dwords
}

/// 3DSTATE_RASTER. Antialiasing must be off if a colour target has an integer format
/// (`integer_target`): there is no alpha to scale.
pub(super) fn raster(
    state: &FixedFunctionState,
    output_form: Option<PrimitiveForm>,
    integer_target: bool,
) -> [u32; 5] {
    use state_raster as r;
    let raster = &state.raster;
    // Wide rectangular lines are rasterised as parallelograms: closer to the specification than
    // what the multisample rule gives on this generation.
    let is_thin = raster.line_width < 1.007_812_5;
    let lines = match raster.lines {
        LineMode::Default if state.multisample.samples > 1 => LineMode::Rectangular,
        LineMode::Default => LineMode::Bresenham,
        mode => mode,
    };
    let (api, multisampling, smooth) = match (draws_lines(state, output_form), lines) {
        (false, _) => (raster_api_mode::DX10_0, true, false),
        (true, LineMode::Rectangular | LineMode::Default) => {
            (raster_api_mode::DX10_0, is_thin, false)
        }
        (true, LineMode::Bresenham) => (raster_api_mode::DX9_OGL, false, false),
        (true, LineMode::Smooth) => (raster_api_mode::DX9_OGL, false, true),
    };
    let fill = match raster.fill {
        PolygonMode::Solid => fill_mode::SOLID,
        PolygonMode::Lines => fill_mode::WIREFRAME,
        PolygonMode::Points => fill_mode::POINT,
    };
    let cull = match raster.cull {
        CullMode::Both => cull_mode::BOTH,
        CullMode::None => cull_mode::NONE,
        CullMode::Front => cull_mode::FRONT,
        CullMode::Back => cull_mode::BACK,
    };
    let (biased, bias) = (raster.biased, raster.depth_bias);
    r::words::<5>()
        .flag(r::VIEWPORT_Z_NEAR_CLIP_TEST_ENABLE, raster.clips_depth())
        .flag(r::VIEWPORT_Z_FAR_CLIP_TEST_ENABLE, raster.clips_depth())
        .flag(r::SCISSOR_RECTANGLE_ENABLE, true)
        .flag(r::ANTIALIASING_ENABLE, smooth && !integer_target)
        .with(r::FRONT_FACE_FILL_MODE, fill)
        .with(r::BACK_FACE_FILL_MODE, fill)
        .flag(r::GLOBAL_DEPTH_OFFSET_ENABLE_POINT, biased)
        .flag(r::GLOBAL_DEPTH_OFFSET_ENABLE_WIREFRAME, biased)
        .flag(r::GLOBAL_DEPTH_OFFSET_ENABLE_SOLID, biased)
        .flag(r::DX_MULTISAMPLE_RASTERIZATION_ENABLE, multisampling)
        .with(r::CULL_MODE, cull)
        .flag(r::FRONT_WINDING, !raster.front_is_clockwise)
        .with(r::API_MODE, api)
        .flag(r::CONSERVATIVE_RASTERIZATION_ENABLE, raster.conservative)
        .with(r::GLOBAL_DEPTH_OFFSET_CONSTANT, float(bias.constant))
        .with(r::GLOBAL_DEPTH_OFFSET_SCALE, float(bias.slope))
        .with(r::GLOBAL_DEPTH_OFFSET_CLAMP, float(bias.clamp))
        .dwords
}

/// 3DSTATE_LINE_STIPPLE.
pub(super) fn stipple(from: LineStipple) -> [u32; 3] {
    use state_line_stipple as l;
    let factor = u64::from(from.factor.clamp(1, 256));
    l::words::<3>()
        .with(l::LINE_STIPPLE_PATTERN, from.pattern.into())
        .with(l::LINE_STIPPLE_REPEAT_COUNT, factor)
        // U1.16.
        .with(l::LINE_STIPPLE_INVERSE_REPEAT_COUNT, (1 << 16) / factor)
        .dwords
}

/// 3DSTATE_MULTISAMPLE and 3DSTATE_SAMPLE_MASK.
pub(super) fn multisample(from: &MultisampleState) -> [u32; 4] {
    use {state_multisample as m, state_sample_mask as s};
    let samples = from.samples.max(1);
    let present = (1_u64 << samples.min(16)) - 1;
    let [a, b] = m::words::<2>()
        .with(m::NUMBER_OF_MULTISAMPLES, samples.trailing_zeros().into())
        .dwords;
    let [c, d] = s::words::<2>()
        .with(s::SAMPLE_MASK, u64::from(from.mask) & present)
        .dwords;
    [a, b, c, d]
}

/// Standard sample locations, x and y in sixteenths of a pixel. Ref: Vulkan 1.3, "Standard sample
/// locations".
const SAMPLES_1: [(u8, u8); 1] = [(8, 8)];
const SAMPLES_2: [(u8, u8); 2] = [(12, 12), (4, 4)];
const SAMPLES_4: [(u8, u8); 4] = [(6, 2), (14, 6), (2, 10), (10, 14)];
const SAMPLES_8: [(u8, u8); 8] = [
    (9, 5),
    (7, 11),
    (13, 9),
    (5, 3),
    (3, 13),
    (1, 7),
    (11, 15),
    (15, 1),
];
const SAMPLES_16: [(u8, u8); 16] = [
    (9, 9),
    (7, 5),
    (5, 10),
    (12, 7),
    (3, 6),
    (10, 13),
    (13, 11),
    (11, 3),
    (6, 14),
    (8, 1),
    (4, 2),
    (2, 12),
    (0, 8),
    (15, 4),
    (14, 15),
    (1, 0),
];

/// Packs up to four positions, one byte each.
fn positions(samples: &[(u8, u8)], first: usize) -> u32 {
    let four = samples.iter().skip(first).take(4).zip((0..).step_by(8));
    four.fold(0, |word, (&(x, y), shift)| {
        word | (u32::from(y & 0xf) | u32::from(x & 0xf) << 4) << shift
    })
}

/// 3DSTATE_SAMPLE_PATTERN, which has the positions for all sample counts.
pub(super) fn sample_pattern(locations: Option<&SampleLocations>) -> [u32; 9] {
    fn positions_for<'a>(
        custom: Option<&'a SampleLocations>,
        standard: &'a [(u8, u8)],
    ) -> &'a [(u8, u8)] {
        let custom = custom.filter(|custom| usize::from(custom.samples) == standard.len());
        custom.map_or(standard, |custom| {
            custom.positions.get(..standard.len()).unwrap_or(standard)
        })
    }
    let [one, two, four, eight, sixteen] = [
        &SAMPLES_1[..],
        &SAMPLES_2[..],
        &SAMPLES_4[..],
        &SAMPLES_8[..],
        &SAMPLES_16[..],
    ]
    .map(|standard| positions_for(locations, standard));
    [
        state_sample_pattern::PACKET.header,
        positions(sixteen, 0),
        positions(sixteen, 4),
        positions(sixteen, 8),
        positions(sixteen, 12),
        positions(eight, 4),
        positions(eight, 0),
        positions(four, 0),
        positions(two, 0) | positions(one, 0) << 16,
    ]
}

/// Minimum in one instruction: valid use has no NaN here.
#[inline(always)]
fn min(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

/// Maximum, likewise.
#[inline(always)]
fn max(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// Extent of the guard band from its centre, in pixels: limit of the rasteriser's coordinates.
const GUARD_BAND: f32 = 16384.0;

/// The guard band along one axis in normalized device coordinates: as large as the rasteriser
/// allows, centred on viewport and render area.
fn guard_band(scale: f32, middle: f32, size: f32) -> [f32; 2] {
    if scale == 0.0 {
        return [0.0, 0.0];
    }
    let (low, high) = (middle - scale.abs(), middle + scale.abs());
    let centre = (min(low, 0.0) + max(high, size)) / 2.0;
    let ends = [
        (centre - GUARD_BAND - middle) / scale,
        (centre + GUARD_BAND - middle) / scale,
    ];
    [min(ends[0], ends[1]), max(ends[0], ends[1])]
}

/// SF_CLIP_VIEWPORT: viewport transformation and clip bounds. Depth is transformed from 0..1, or
/// from -1..1.
#[inline(always)]
pub(super) fn viewport(from: &Viewport, area: &PixelRect, near_at_minus_w: bool) -> [u32; 16] {
    use sf_clip_viewport as v;
    let (half_width, half_height) = (from.width / 2.0, from.height / 2.0);
    let (x, y) = (from.x + half_width, from.y + half_height);
    let right = area.x.saturating_add(area.width);
    let bottom = area.y.saturating_add(area.height);
    let [left_band, right_band] = guard_band(half_width, x, right as f32);
    let [upper_band, lower_band] = guard_band(half_height, y, bottom as f32);
    // Rendering is limited to the intersection of viewport and render area.
    let left_edge = max(from.x, area.x as f32);
    let right_edge = min(from.x + from.width, right as f32) - 1.0;
    let (top, low) = (
        min(from.y, from.y + from.height),
        max(from.y, from.y + from.height),
    );
    let (depth_scale, depth_offset) = if near_at_minus_w {
        ((from.far - from.near) / 2.0, (from.far + from.near) / 2.0)
    } else {
        (from.far - from.near, from.near)
    };
    v::words::<16>()
        .with(v::VIEWPORT_MATRIX_ELEMENT_M00, float(half_width))
        .with(v::VIEWPORT_MATRIX_ELEMENT_M11, float(half_height))
        .with(v::VIEWPORT_MATRIX_ELEMENT_M22, float(depth_scale))
        .with(v::VIEWPORT_MATRIX_ELEMENT_M30, float(x))
        .with(v::VIEWPORT_MATRIX_ELEMENT_M31, float(y))
        .with(v::VIEWPORT_MATRIX_ELEMENT_M32, float(depth_offset))
        .with(v::X_MIN_CLIP_GUARDBAND, float(left_band))
        .with(v::X_MAX_CLIP_GUARDBAND, float(right_band))
        .with(v::Y_MIN_CLIP_GUARDBAND, float(upper_band))
        .with(v::Y_MAX_CLIP_GUARDBAND, float(lower_band))
        .with(v::X_MIN_VIEWPORT, float(left_edge))
        .with(v::X_MAX_VIEWPORT, float(right_edge))
        .with(v::Y_MIN_VIEWPORT, float(max(top, area.y as f32)))
        .with(v::Y_MAX_VIEWPORT, float(min(low, bottom as f32) - 1.0))
        .dwords
}

/// CC_VIEWPORT: the range that depth is clamped to, else 0..1.
pub(super) fn depth_range(from: &Viewport, raster: &RasterState) -> [u32; 2] {
    use cc_viewport as v;
    let [minimum, maximum] = match (raster.depth_clamp, raster.clamp_range) {
        (false, _) => [0.0, 1.0],
        (true, Some(range)) => range,
        (true, None) => [from.near.min(from.far), from.near.max(from.far)],
    };
    v::words::<2>()
        .with(v::MINIMUM_DEPTH, float(minimum))
        .with(v::MAXIMUM_DEPTH, float(maximum))
        .dwords
}

/// Whether a viewport covers an area entirely.
pub(super) fn covers(viewport: &Viewport, area: &PixelRect) -> bool {
    let spans = |start: f32, length: f32, first: u32, count: u32| {
        let end = start + length;
        min(start, end) <= first as f32 && max(start, end) >= first.saturating_add(count) as f32
    };
    spans(viewport.x, viewport.width, area.x, area.width)
        && spans(viewport.y, viewport.height, area.y, area.height)
}

/// Pixels that a viewport covers at least in part. Primitives are clipped at the guard band only,
/// so that wide lines and points keep their shape at the viewport's edge; the scissor cuts off the
/// rest.
pub(super) fn covered_pixels(viewport: &Viewport) -> PixelRect {
    let span = |start: f32, length: f32| {
        let end = start + length;
        let (low, high) = (min(start, end), max(start, end));
        // Negative numbers become zero; a fraction covers one more pixel.
        let whole = high as u32;
        let end = whole.saturating_add(u32::from((whole as f32) < high));
        let low = low as u32;
        (low, end.saturating_sub(low))
    };
    let (x, width) = span(viewport.x, viewport.width);
    let (y, height) = span(viewport.y, viewport.height);
    PixelRect {
        x,
        y,
        width,
        height,
    }
}

/// SCISSOR_RECT within the render area. The maximum is inclusive: an empty rectangle has its
/// maximum below its minimum.
#[inline(always)]
pub(super) fn scissor(from: &PixelRect, area: &PixelRect) -> [u32; 2] {
    use scissor_rect as s;
    let within = from.and(area);
    let words = s::words::<2>();
    if within.width == 0 || within.height == 0 {
        return words
            .with(s::SCISSOR_RECTANGLE_X_MIN, 1)
            .with(s::SCISSOR_RECTANGLE_Y_MIN, 1)
            .dwords;
    }
    words
        .with(s::SCISSOR_RECTANGLE_X_MIN, within.x.into())
        .with(s::SCISSOR_RECTANGLE_Y_MIN, within.y.into())
        .with(
            s::SCISSOR_RECTANGLE_X_MAX,
            u64::from(within.x + within.width - 1),
        )
        .with(
            s::SCISSOR_RECTANGLE_Y_MAX,
            u64::from(within.y + within.height - 1),
        )
        .dwords
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sample_positions_match_the_packet_fields() {
        use state_sample_pattern as p;
        let standard = sample_pattern(None);
        let at = |x: hw::Field, y: hw::Field| (x.get(&standard), y.get(&standard));
        assert_eq!(at(p::N1X_SAMPLE0_X_OFFSET, p::N1X_SAMPLE0_Y_OFFSET), (8, 8));
        assert_eq!(
            at(p::N2X_SAMPLE0_X_OFFSET, p::N2X_SAMPLE0_Y_OFFSET),
            (12, 12)
        );
        assert_eq!(
            at(p::N4X_SAMPLE1_X_OFFSET, p::N4X_SAMPLE1_Y_OFFSET),
            (14, 6)
        );
        assert_eq!(at(p::N8X_SAMPLE3_X_OFFSET, p::N8X_SAMPLE3_Y_OFFSET), (5, 3));
        assert_eq!(
            at(p::N8X_SAMPLE6_X_OFFSET, p::N8X_SAMPLE6_Y_OFFSET),
            (11, 15)
        );
        assert_eq!(
            at(p::N16X_SAMPLE7_X_OFFSET, p::N16X_SAMPLE7_Y_OFFSET),
            (11, 3)
        );
        assert_eq!(
            at(p::N16X_SAMPLE15_X_OFFSET, p::N16X_SAMPLE15_Y_OFFSET),
            (1, 0)
        );
        let mut custom = SampleLocations {
            samples: 8,
            ..SampleLocations::default()
        };
        custom.positions[6] = (3, 12);
        let words = sample_pattern(Some(&custom));
        assert_eq!(p::N8X_SAMPLE6_X_OFFSET.get(&words), 3);
        assert_eq!(p::N8X_SAMPLE6_Y_OFFSET.get(&words), 12);
        let others = |words: &[u32; 9]| [words[1], words[4], words[7], words[8]];
        assert_eq!(others(&words), others(&standard));
    }

    #[test]
    fn partially_covered_pixels_belong_to_the_viewport() {
        let viewport = Viewport {
            x: -3.5,
            y: 124.5,
            width: 20.0,
            height: -56.0,
            near: 0.0,
            far: 1.0,
        };
        let pixels = PixelRect {
            x: 0,
            y: 68,
            width: 17,
            height: 57,
        };
        assert_eq!(covered_pixels(&viewport), pixels);
        // They are not covered entirely.
        assert!(!covers(&viewport, &pixels));
        let whole = PixelRect {
            x: 0,
            y: 69,
            width: 16,
            height: 55,
        };
        assert!(covers(&viewport, &whole));
    }

    #[test]
    fn guard_bands_contain_the_viewport_within_the_rasterisers_limits() {
        for (x, width) in [(0.0, 64.0), (-100.0, 4096.0), (500.0, -20.0)] {
            let [low, high] = guard_band(width / 2.0, x + width / 2.0, 64.0);
            assert!(low <= -1.0 && high >= 1.0, "{low} {high}");
            let ends = [low, high].map(|at| x + width / 2.0 + at * width / 2.0);
            assert!((ends[1] - ends[0]).abs() <= 2.0 * GUARD_BAND + 1.0);
        }
        assert_eq!(guard_band(0.0, 5.0, 64.0), [0.0, 0.0]);
    }

    #[test]
    fn an_empty_scissor_discards_everything() {
        use scissor_rect as s;
        let area = PixelRect {
            width: 8,
            height: 8,
            ..PixelRect::default()
        };
        let outside = PixelRect {
            x: 8,
            width: 4,
            height: 4,
            ..PixelRect::default()
        };
        let words = scissor(&outside, &area);
        assert!(s::SCISSOR_RECTANGLE_X_MAX.get(&words) < s::SCISSOR_RECTANGLE_X_MIN.get(&words));
        let inside = PixelRect {
            x: 2,
            y: 3,
            width: 40,
            height: 1,
        };
        let words = scissor(&inside, &area);
        assert_eq!(s::SCISSOR_RECTANGLE_X_MAX.get(&words), 7);
        assert_eq!(s::SCISSOR_RECTANGLE_Y_MAX.get(&words), 3);
    }
}
