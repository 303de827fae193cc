//! Conversion of API values to `cmd` values. Values that Vulkan does not define are errors.
//!
//! Ref: Vulkan 1.3, "Drawing Commands", "Rasterization", "Fragment Operations", "The Framebuffer".

use ash::vk as api;
use cmd::draw::state::{
    BlendEquation, BlendFactor, BlendOp, CompareOp, CullMode, IndexType, LineMode, PixelRect,
    PolygonMode, SampleLocations, StencilOp, Topology, Viewport,
};

use crate::error::{Error, Result};

const UNKNOWN: Error = Error::InvalidUse {
    why: "an undefined enum value in pipeline state",
};

/// Sample count: the values of the flags are the counts.
pub fn samples(from: api::SampleCountFlags) -> Result<u8> {
    match from.as_raw() {
        count @ (1 | 2 | 4 | 8 | 16) => Ok(count as u8),
        _ => Err(Error::FeatureNotPresent {
            what: "this number of samples",
        }),
    }
}

/// Primitive topology.
pub fn topology(from: api::PrimitiveTopology) -> Result<Topology> {
    use api::PrimitiveTopology as P;
    Ok(match from {
        P::POINT_LIST => Topology::PointList,
        P::LINE_LIST => Topology::LineList,
        P::LINE_STRIP => Topology::LineStrip,
        P::TRIANGLE_LIST => Topology::TriangleList,
        P::TRIANGLE_STRIP => Topology::TriangleStrip,
        P::TRIANGLE_FAN => Topology::TriangleFan,
        P::LINE_LIST_WITH_ADJACENCY => Topology::LineListAdjacency,
        P::LINE_STRIP_WITH_ADJACENCY => Topology::LineStripAdjacency,
        P::TRIANGLE_LIST_WITH_ADJACENCY => Topology::TriangleListAdjacency,
        P::TRIANGLE_STRIP_WITH_ADJACENCY => Topology::TriangleStripAdjacency,
        P::PATCH_LIST => Topology::Patches,
        _ => return Err(UNKNOWN),
    })
}

/// Polygon mode.
pub fn fill(from: api::PolygonMode) -> Result<PolygonMode> {
    Ok(match from {
        api::PolygonMode::FILL => PolygonMode::Solid,
        api::PolygonMode::LINE => PolygonMode::Lines,
        api::PolygonMode::POINT => PolygonMode::Points,
        _ => return Err(UNKNOWN),
    })
}

/// Cull mode.
pub fn cull(from: api::CullModeFlags) -> CullMode {
    let front = from.contains(api::CullModeFlags::FRONT);
    match (front, from.contains(api::CullModeFlags::BACK)) {
        (false, false) => CullMode::None,
        (true, false) => CullMode::Front,
        (false, true) => CullMode::Back,
        (true, true) => CullMode::Both,
    }
}

/// Compare operation.
pub fn compare(from: api::CompareOp) -> Result<CompareOp> {
    use api::CompareOp as C;
    Ok(match from {
        C::NEVER => CompareOp::Never,
        C::LESS => CompareOp::Less,
        C::EQUAL => CompareOp::Equal,
        C::LESS_OR_EQUAL => CompareOp::LessOrEqual,
        C::GREATER => CompareOp::Greater,
        C::NOT_EQUAL => CompareOp::NotEqual,
        C::GREATER_OR_EQUAL => CompareOp::GreaterOrEqual,
        C::ALWAYS => CompareOp::Always,
        _ => return Err(UNKNOWN),
    })
}

/// Stencil operation.
pub fn stencil_op(from: api::StencilOp) -> Result<StencilOp> {
    use api::StencilOp as S;
    Ok(match from {
        S::KEEP => StencilOp::Keep,
        S::ZERO => StencilOp::Zero,
        S::REPLACE => StencilOp::Replace,
        S::INCREMENT_AND_CLAMP => StencilOp::IncrementClamp,
        S::DECREMENT_AND_CLAMP => StencilOp::DecrementClamp,
        S::INVERT => StencilOp::Invert,
        S::INCREMENT_AND_WRAP => StencilOp::IncrementWrap,
        S::DECREMENT_AND_WRAP => StencilOp::DecrementWrap,
        _ => return Err(UNKNOWN),
    })
}

/// Blend factor.
pub fn factor(from: api::BlendFactor) -> Result<BlendFactor> {
    use api::BlendFactor as B;
    Ok(match from {
        B::ZERO => BlendFactor::Zero,
        B::ONE => BlendFactor::One,
        B::SRC_COLOR => BlendFactor::Source,
        B::ONE_MINUS_SRC_COLOR => BlendFactor::OneMinusSource,
        B::DST_COLOR => BlendFactor::Destination,
        B::ONE_MINUS_DST_COLOR => BlendFactor::OneMinusDestination,
        B::SRC_ALPHA => BlendFactor::SourceAlpha,
        B::ONE_MINUS_SRC_ALPHA => BlendFactor::OneMinusSourceAlpha,
        B::DST_ALPHA => BlendFactor::DestinationAlpha,
        B::ONE_MINUS_DST_ALPHA => BlendFactor::OneMinusDestinationAlpha,
        B::CONSTANT_COLOR => BlendFactor::Constant,
        B::ONE_MINUS_CONSTANT_COLOR => BlendFactor::OneMinusConstant,
        B::CONSTANT_ALPHA => BlendFactor::ConstantAlpha,
        B::ONE_MINUS_CONSTANT_ALPHA => BlendFactor::OneMinusConstantAlpha,
        B::SRC_ALPHA_SATURATE => BlendFactor::SourceAlphaSaturate,
        B::SRC1_COLOR => BlendFactor::Source1,
        B::ONE_MINUS_SRC1_COLOR => BlendFactor::OneMinusSource1,
        B::SRC1_ALPHA => BlendFactor::Source1Alpha,
        B::ONE_MINUS_SRC1_ALPHA => BlendFactor::OneMinusSource1Alpha,
        _ => return Err(UNKNOWN),
    })
}

/// Conservative rasterisation mode: true for overestimation.
pub fn conservative(from: api::ConservativeRasterizationModeEXT) -> Result<bool> {
    use api::ConservativeRasterizationModeEXT as M;
    match from {
        M::DISABLED => Ok(false),
        M::OVERESTIMATE => Ok(true),
        M::UNDERESTIMATE => Err(Error::FeatureNotPresent {
            what: "primitiveUnderestimation",
        }),
        _ => Err(UNKNOWN),
    }
}

/// Sample locations, for a grid of one pixel.
pub fn locations(
    from: &api::SampleLocationsInfoEXT<'_>,
    places: &[api::SampleLocationEXT],
) -> Result<SampleLocations> {
    let samples = from.sample_locations_per_pixel.as_raw();
    let grid = from.sample_location_grid_size;
    let known = matches!(samples, 1 | 2 | 4 | 8 | 16) && [grid.width, grid.height] == [1, 1];
    if !known || places.len() != samples as usize {
        return Err(Error::InvalidUse {
            why: "sample locations that are not those of one pixel",
        });
    }
    let mut locations = SampleLocations {
        samples: samples as u8,
        ..SampleLocations::default()
    };
    let sixteenths = |at: f32| (at * 16.0).clamp(0.0, 15.0) as u8;
    for (to, from) in locations.positions.iter_mut().zip(places) {
        *to = (sixteenths(from.x), sixteenths(from.y));
    }
    Ok(locations)
}

/// Rasterisation stream.
pub fn stream(from: u32) -> Result<u8> {
    match u8::try_from(from) {
        Ok(stream) if usize::from(stream) < abi::STREAMS => Ok(stream),
        _ => Err(Error::InvalidUse {
            why: "a stream beyond maxTransformFeedbackStreams",
        }),
    }
}

/// Line rasterisation mode.
pub fn lines(from: api::LineRasterizationModeEXT) -> Result<LineMode> {
    use api::LineRasterizationModeEXT as L;
    Ok(match from {
        L::DEFAULT => LineMode::Default,
        L::RECTANGULAR => LineMode::Rectangular,
        L::BRESENHAM => LineMode::Bresenham,
        L::RECTANGULAR_SMOOTH => LineMode::Smooth,
        _ => return Err(UNKNOWN),
    })
}

/// Blend equations of colour and of alpha.
pub fn equations(from: &api::ColorBlendEquationEXT) -> Result<[BlendEquation; 2]> {
    Ok([
        BlendEquation {
            source: factor(from.src_color_blend_factor)?,
            destination: factor(from.dst_color_blend_factor)?,
            op: blend_op(from.color_blend_op)?,
        },
        BlendEquation {
            source: factor(from.src_alpha_blend_factor)?,
            destination: factor(from.dst_alpha_blend_factor)?,
            op: blend_op(from.alpha_blend_op)?,
        },
    ])
}

/// Mask of the targets with colour writes; targets that are not listed are written.
pub fn written(from: &[api::Bool32]) -> u8 {
    let targets = from.iter().take(u8::BITS as usize).enumerate();
    targets.fold(u8::MAX, |all, (target, &on)| match on {
        api::FALSE => all & !(1 << target),
        _ => all,
    })
}

/// Blend operation.
pub fn blend_op(from: api::BlendOp) -> Result<BlendOp> {
    Ok(match from {
        api::BlendOp::ADD => BlendOp::Add,
        api::BlendOp::SUBTRACT => BlendOp::Subtract,
        api::BlendOp::REVERSE_SUBTRACT => BlendOp::ReverseSubtract,
        api::BlendOp::MIN => BlendOp::Min,
        api::BlendOp::MAX => BlendOp::Max,
        _ => return Err(UNKNOWN),
    })
}

/// Truth table of a logic operation: source 1 and destination 1 at bit 3, 1 and 0 at bit 2, 0 and 1
/// at bit 1.
pub fn logic_op(from: api::LogicOp) -> Result<u8> {
    use api::LogicOp as L;
    use hw::value::draw::logic_op;
    Ok(match from {
        L::CLEAR => logic_op::CLEAR as u8,
        L::NOR => logic_op::NOR as u8,
        L::AND_INVERTED => logic_op::AND_INVERTED as u8,
        L::COPY_INVERTED => logic_op::COPY_INVERTED as u8,
        L::AND_REVERSE => logic_op::AND_REVERSE as u8,
        L::INVERT => logic_op::INVERT as u8,
        L::XOR => logic_op::XOR as u8,
        L::NAND => logic_op::NAND as u8,
        L::AND => logic_op::AND as u8,
        L::EQUIVALENT => logic_op::EQUIV as u8,
        L::NO_OP => logic_op::NOOP as u8,
        L::OR_INVERTED => logic_op::OR_INVERTED as u8,
        L::COPY => logic_op::COPY as u8,
        L::OR_REVERSE => logic_op::OR_REVERSE as u8,
        L::OR => logic_op::OR as u8,
        L::SET => logic_op::SET as u8,
        _ => return Err(UNKNOWN),
    })
}

/// Index type, and its size in bytes.
pub fn index_type(from: api::IndexType) -> Result<(IndexType, u32)> {
    Ok(match from {
        api::IndexType::UINT16 => (IndexType::U16, 2),
        api::IndexType::UINT32 => (IndexType::U32, 4),
        api::IndexType::UINT8_EXT => (IndexType::U8, 1),
        _ => return Err(UNKNOWN),
    })
}

/// Viewport.
pub fn viewport(from: &api::Viewport) -> Viewport {
    Viewport {
        x: from.x,
        y: from.y,
        width: from.width,
        height: from.height,
        near: from.min_depth,
        far: from.max_depth,
    }
}

/// Rectangle. Negative offsets are invalid; the rectangle is clipped there.
pub fn area(from: &api::Rect2D) -> PixelRect {
    let span = |offset: i32, extent: u32| {
        let cut = offset.min(0).unsigned_abs();
        (offset.max(0).cast_unsigned(), extent.saturating_sub(cut))
    };
    let (x, width) = span(from.offset.x, from.extent.width);
    let (y, height) = span(from.offset.y, from.extent.height);
    PixelRect {
        x,
        y,
        width,
        height,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logic_ops_have_the_right_truth_tables() {
        type Op = fn(bool, bool) -> bool;
        let table = |op: Op| {
            [(false, false), (false, true), (true, false), (true, true)]
                .iter()
                .enumerate()
                .fold(0, |bits, (at, &(s, d))| bits | u8::from(op(s, d)) << at)
        };
        use api::LogicOp as L;
        let cases: [(L, Op); 16] = [
            (L::CLEAR, |_, _| false),
            (L::AND, |s, d| s & d),
            (L::AND_REVERSE, |s, d| s & !d),
            (L::COPY, |s, _| s),
            (L::AND_INVERTED, |s, d| !s & d),
            (L::NO_OP, |_, d| d),
            (L::XOR, |s, d| s ^ d),
            (L::OR, |s, d| s | d),
            (L::NOR, |s, d| !(s | d)),
            (L::EQUIVALENT, |s, d| s == d),
            (L::INVERT, |_, d| !d),
            (L::OR_REVERSE, |s, d| s | !d),
            (L::COPY_INVERTED, |s, _| !s),
            (L::OR_INVERTED, |s, d| !s | d),
            (L::NAND, |s, d| !(s & d)),
            (L::SET, |_, _| true),
        ];
        for (op, meaning) in cases {
            assert_eq!(logic_op(op), Ok(table(meaning)), "{op:?}");
        }
        assert!(logic_op(L::from_raw(16)).is_err());
    }

    #[test]
    fn rectangles_are_clipped_at_the_origin() {
        let from = api::Rect2D {
            offset: api::Offset2D { x: -3, y: 5 },
            extent: api::Extent2D {
                width: 10,
                height: 4,
            },
        };
        let cut = area(&from);
        assert_eq!((cut.x, cut.y, cut.width, cut.height), (0, 5, 7, 4));
    }
}
