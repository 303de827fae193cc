//! The set of a pipeline's dynamic states.
//!
//! In:  `VkDynamicState` values. Out: a bit set. Unsupported dynamic state is an error.

use ash::vk::DynamicState;
use cmd::draw::state::DirtyGroups;

use super::parts::Parts;
use crate::error::{Error, Result};

/// `VK_DYNAMIC_STATE_DEPTH_CLAMP_RANGE_EXT`, which is newer than the definitions of ash.
const DEPTH_CLAMP_RANGE: DynamicState = DynamicState::from_raw(1_000_582_000);

bitflags::bitflags! {
    /// See the module.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub(super) struct Dynamic: u64 {
        const VIEWPORT = 1;
        const SCISSOR = 1 << 1;
        const LINE_WIDTH = 1 << 2;
        const DEPTH_BIAS = 1 << 3;
        const BLEND_CONSTANTS = 1 << 4;
        const STENCIL_COMPARE_MASK = 1 << 5;
        const STENCIL_WRITE_MASK = 1 << 6;
        const STENCIL_REFERENCE = 1 << 7;
        const CULL_MODE = 1 << 8;
        const FRONT_FACE = 1 << 9;
        const PRIMITIVE_TOPOLOGY = 1 << 10;
        const VIEWPORT_WITH_COUNT = 1 << 11;
        const SCISSOR_WITH_COUNT = 1 << 12;
        const VERTEX_INPUT_BINDING_STRIDE = 1 << 13;
        const DEPTH_TEST_ENABLE = 1 << 14;
        const DEPTH_WRITE_ENABLE = 1 << 15;
        const DEPTH_COMPARE_OP = 1 << 16;
        const STENCIL_TEST_ENABLE = 1 << 17;
        const STENCIL_OP = 1 << 18;
        const RASTERIZER_DISCARD_ENABLE = 1 << 19;
        const DEPTH_BIAS_ENABLE = 1 << 20;
        const PRIMITIVE_RESTART_ENABLE = 1 << 21;
        const POLYGON_MODE = 1 << 22;
        const TESSELLATION_DOMAIN_ORIGIN = 1 << 23;
        const LINE_STIPPLE = 1 << 24;
        const LINE_STIPPLE_ENABLE = 1 << 25;
        const LINE_RASTERIZATION_MODE = 1 << 26;
        const LOGIC_OP = 1 << 27;
        const LOGIC_OP_ENABLE = 1 << 28;
        const ALPHA_TO_ONE_ENABLE = 1 << 29;
        const DEPTH_CLIP_ENABLE = 1 << 30;
        const DEPTH_CLAMP_ENABLE = 1 << 31;
        const DEPTH_CLIP_NEGATIVE_ONE_TO_ONE = 1 << 32;
        const PROVOKING_VERTEX_MODE = 1 << 33;
        const COLOR_BLEND_ENABLE = 1 << 34;
        const COLOR_BLEND_EQUATION = 1 << 35;
        const COLOR_WRITE_MASK = 1 << 36;
        const COLOR_WRITE_ENABLE = 1 << 37;
        const SAMPLE_MASK = 1 << 38;
        const RASTERIZATION_STREAM = 1 << 39;
        const CONSERVATIVE_RASTERIZATION_MODE = 1 << 40;
        const SAMPLE_LOCATIONS = 1 << 41;
        const VERTEX_INPUT = 1 << 42;
        const DEPTH_CLAMP_RANGE = 1 << 43;
        const ATTACHMENT_FEEDBACK_LOOP = 1 << 44;
        const SAMPLE_LOCATIONS_ENABLE = 1 << 45;
        const RASTERIZATION_SAMPLES = 1 << 46;
        const ALPHA_TO_COVERAGE_ENABLE = 1 << 47;
        const PATCH_CONTROL_POINTS = 1 << 48;
    }
}

impl Dynamic {
    /// State groups, each with the dynamic states that affect it; for viewports, only the count.
    pub(super) const GROUPS: [(DirtyGroups, Dynamic); 6] = [
        (DirtyGroups::ATTRIBUTES, Self::VERTEX_INPUT),
        (
            DirtyGroups::ASSEMBLY,
            Self::PRIMITIVE_TOPOLOGY
                .union(Self::PRIMITIVE_RESTART_ENABLE)
                .union(Self::PATCH_CONTROL_POINTS),
        ),
        (
            DirtyGroups::RASTER,
            Self::LINE_WIDTH
                .union(Self::DEPTH_BIAS)
                .union(Self::DEPTH_BIAS_ENABLE)
                .union(Self::CULL_MODE)
                .union(Self::FRONT_FACE)
                .union(Self::RASTERIZER_DISCARD_ENABLE)
                .union(Self::POLYGON_MODE)
                .union(Self::LINE_STIPPLE)
                .union(Self::LINE_STIPPLE_ENABLE)
                .union(Self::LINE_RASTERIZATION_MODE)
                .union(Self::DEPTH_CLIP_ENABLE)
                .union(Self::DEPTH_CLAMP_ENABLE)
                .union(Self::DEPTH_CLIP_NEGATIVE_ONE_TO_ONE)
                .union(Self::PROVOKING_VERTEX_MODE)
                .union(Self::RASTERIZATION_STREAM)
                .union(Self::CONSERVATIVE_RASTERIZATION_MODE),
        ),
        (
            DirtyGroups::MULTISAMPLE,
            Self::SAMPLE_MASK
                .union(Self::ALPHA_TO_ONE_ENABLE)
                .union(Self::RASTERIZATION_SAMPLES)
                .union(Self::ALPHA_TO_COVERAGE_ENABLE),
        ),
        (
            DirtyGroups::BLEND,
            Self::LOGIC_OP
                .union(Self::LOGIC_OP_ENABLE)
                .union(Self::COLOR_BLEND_ENABLE)
                .union(Self::COLOR_BLEND_EQUATION)
                .union(Self::COLOR_WRITE_MASK)
                .union(Self::COLOR_WRITE_ENABLE),
        ),
        (DirtyGroups::VIEWPORTS, Self::VIEWPORT_WITH_COUNT),
    ];

    /// The states that belong to parts of a pipeline. Those of other parts have no effect.
    pub(super) fn of_parts(parts: Parts) -> Self {
        let vertex_input = Self::VERTEX_INPUT
            | Self::VERTEX_INPUT_BINDING_STRIDE
            | Self::PRIMITIVE_TOPOLOGY
            | Self::PRIMITIVE_RESTART_ENABLE;
        let fragment_shader = Self::DEPTH_TEST_ENABLE
            | Self::DEPTH_WRITE_ENABLE
            | Self::DEPTH_COMPARE_OP
            | Self::STENCIL_TEST_ENABLE
            | Self::STENCIL_OP
            | Self::STENCIL_COMPARE_MASK
            | Self::STENCIL_WRITE_MASK
            | Self::STENCIL_REFERENCE
            | Self::ATTACHMENT_FEEDBACK_LOOP;
        let fragment_output = Self::BLEND_CONSTANTS
            | Self::LOGIC_OP
            | Self::LOGIC_OP_ENABLE
            | Self::COLOR_BLEND_ENABLE
            | Self::COLOR_BLEND_EQUATION
            | Self::COLOR_WRITE_MASK
            | Self::COLOR_WRITE_ENABLE
            | Self::ALPHA_TO_ONE_ENABLE
            | Self::ALPHA_TO_COVERAGE_ENABLE
            | Self::SAMPLE_MASK
            | Self::SAMPLE_LOCATIONS
            | Self::SAMPLE_LOCATIONS_ENABLE
            | Self::RASTERIZATION_SAMPLES
            | Self::ATTACHMENT_FEEDBACK_LOOP;
        let others = vertex_input | fragment_shader | fragment_output;
        let rows = [
            (Parts::VERTEX_INPUT, vertex_input),
            (Parts::PRE_RASTERIZATION, others.complement()),
            (Parts::FRAGMENT_SHADER, fragment_shader),
            (Parts::FRAGMENT_OUTPUT, fragment_output),
        ];
        let own = rows.into_iter().filter(|row| parts.contains(row.0));
        own.fold(Self::empty(), |all, row| all | row.1)
    }

    /// The set of a list of states.
    pub(super) fn from_states(states: &[DynamicState]) -> Result<Self> {
        let mut all = Self::empty();
        for &state in states {
            all |= match state {
                DynamicState::VIEWPORT => Self::VIEWPORT,
                DynamicState::SCISSOR => Self::SCISSOR,
                DynamicState::LINE_WIDTH => Self::LINE_WIDTH,
                DynamicState::DEPTH_BIAS => Self::DEPTH_BIAS,
                DynamicState::BLEND_CONSTANTS => Self::BLEND_CONSTANTS,
                DynamicState::STENCIL_COMPARE_MASK => Self::STENCIL_COMPARE_MASK,
                DynamicState::STENCIL_WRITE_MASK => Self::STENCIL_WRITE_MASK,
                DynamicState::STENCIL_REFERENCE => Self::STENCIL_REFERENCE,
                DynamicState::CULL_MODE => Self::CULL_MODE,
                DynamicState::FRONT_FACE => Self::FRONT_FACE,
                DynamicState::PRIMITIVE_TOPOLOGY => Self::PRIMITIVE_TOPOLOGY,
                DynamicState::VIEWPORT_WITH_COUNT => Self::VIEWPORT_WITH_COUNT,
                DynamicState::SCISSOR_WITH_COUNT => Self::SCISSOR_WITH_COUNT,
                DynamicState::VERTEX_INPUT_BINDING_STRIDE => Self::VERTEX_INPUT_BINDING_STRIDE,
                DynamicState::DEPTH_TEST_ENABLE => Self::DEPTH_TEST_ENABLE,
                DynamicState::DEPTH_WRITE_ENABLE => Self::DEPTH_WRITE_ENABLE,
                DynamicState::DEPTH_COMPARE_OP => Self::DEPTH_COMPARE_OP,
                DynamicState::STENCIL_TEST_ENABLE => Self::STENCIL_TEST_ENABLE,
                DynamicState::STENCIL_OP => Self::STENCIL_OP,
                DynamicState::RASTERIZER_DISCARD_ENABLE => Self::RASTERIZER_DISCARD_ENABLE,
                DynamicState::DEPTH_BIAS_ENABLE => Self::DEPTH_BIAS_ENABLE,
                DynamicState::PRIMITIVE_RESTART_ENABLE => Self::PRIMITIVE_RESTART_ENABLE,
                DynamicState::POLYGON_MODE_EXT => Self::POLYGON_MODE,
                DynamicState::TESSELLATION_DOMAIN_ORIGIN_EXT => Self::TESSELLATION_DOMAIN_ORIGIN,
                DynamicState::LINE_STIPPLE_EXT => Self::LINE_STIPPLE,
                DynamicState::LINE_STIPPLE_ENABLE_EXT => Self::LINE_STIPPLE_ENABLE,
                DynamicState::LINE_RASTERIZATION_MODE_EXT => Self::LINE_RASTERIZATION_MODE,
                DynamicState::LOGIC_OP_EXT => Self::LOGIC_OP,
                DynamicState::LOGIC_OP_ENABLE_EXT => Self::LOGIC_OP_ENABLE,
                DynamicState::ALPHA_TO_ONE_ENABLE_EXT => Self::ALPHA_TO_ONE_ENABLE,
                DynamicState::DEPTH_CLIP_ENABLE_EXT => Self::DEPTH_CLIP_ENABLE,
                DynamicState::DEPTH_CLAMP_ENABLE_EXT => Self::DEPTH_CLAMP_ENABLE,
                DynamicState::DEPTH_CLIP_NEGATIVE_ONE_TO_ONE_EXT => {
                    Self::DEPTH_CLIP_NEGATIVE_ONE_TO_ONE
                }
                DynamicState::PROVOKING_VERTEX_MODE_EXT => Self::PROVOKING_VERTEX_MODE,
                DynamicState::COLOR_BLEND_ENABLE_EXT => Self::COLOR_BLEND_ENABLE,
                DynamicState::COLOR_BLEND_EQUATION_EXT => Self::COLOR_BLEND_EQUATION,
                DynamicState::COLOR_WRITE_MASK_EXT => Self::COLOR_WRITE_MASK,
                DynamicState::COLOR_WRITE_ENABLE_EXT => Self::COLOR_WRITE_ENABLE,
                DynamicState::SAMPLE_MASK_EXT => Self::SAMPLE_MASK,
                DynamicState::RASTERIZATION_STREAM_EXT => Self::RASTERIZATION_STREAM,
                DynamicState::CONSERVATIVE_RASTERIZATION_MODE_EXT => {
                    Self::CONSERVATIVE_RASTERIZATION_MODE
                }
                DynamicState::SAMPLE_LOCATIONS_EXT => Self::SAMPLE_LOCATIONS,
                DynamicState::VERTEX_INPUT_EXT => Self::VERTEX_INPUT,
                DynamicState::ATTACHMENT_FEEDBACK_LOOP_ENABLE_EXT => Self::ATTACHMENT_FEEDBACK_LOOP,
                DEPTH_CLAMP_RANGE => Self::DEPTH_CLAMP_RANGE,
                DynamicState::RASTERIZATION_SAMPLES_EXT => Self::RASTERIZATION_SAMPLES,
                DynamicState::ALPHA_TO_COVERAGE_ENABLE_EXT => Self::ALPHA_TO_COVERAGE_ENABLE,
                DynamicState::PATCH_CONTROL_POINTS_EXT => Self::PATCH_CONTROL_POINTS,
                DynamicState::SAMPLE_LOCATIONS_ENABLE_EXT => Self::SAMPLE_LOCATIONS_ENABLE,
                // Depth bounds tests are not supported: they are off, whatever is set.
                DynamicState::DEPTH_BOUNDS | DynamicState::DEPTH_BOUNDS_TEST_ENABLE => {
                    Self::empty()
                }
                _ => {
                    return Err(Error::FeatureNotPresent {
                        what: "a dynamic state of an extension",
                    });
                }
            };
        }
        Ok(all)
    }
}
