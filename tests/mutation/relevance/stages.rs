//! Which stages of a draw run, and what it rasterises and tests.
//!
//! In:  a draw's state. Out: predicates that the tables of conditions share.

use crate::look::{Place, Work};
use hw::{Field, Packet, draw, draw_state};

/// What a draw's objects are when they are rasterised.
#[derive(Clone, Copy, Default)]
pub struct Objects {
    pub points: bool,
    pub lines: bool,
    pub triangles: bool,
}

/// True if a stage's threads run.
pub fn runs(work: &Work<'_>, stage: &'static Packet) -> bool {
    let is = |other: &Packet| std::ptr::eq(stage, other);
    match stage {
        _ if is(&draw::state_vs::PACKET) => flag!(work, state_vs::ENABLE),
        _ if is(&draw::state_hs::PACKET) => flag!(work, state_hs::ENABLE),
        _ if is(&draw::state_ds::PACKET) => flag!(work, state_ds::ENABLE),
        _ if is(&draw::state_gs::PACKET) => flag!(work, state_gs::ENABLE),
        _ => flag!(work, state_ps_extra::PIXEL_SHADER_VALID) && rasterises(work),
    }
}

/// Where the kernels start that a stage may run.
pub fn kernels(work: &Work<'_>, stage: &'static Packet) -> Vec<u64> {
    let is = |other: &Packet| std::ptr::eq(stage, other);
    match stage {
        _ if is(&draw::state_vs::PACKET) => vec![get!(work, state_vs::KERNEL_START_POINTER)],
        _ if is(&draw::state_hs::PACKET) => vec![get!(work, state_hs::KERNEL_START_POINTER)],
        _ if is(&draw::state_ds::PACKET) => vec![get!(work, state_ds::KERNEL_START_POINTER)],
        _ if is(&draw::state_gs::PACKET) => vec![get!(work, state_gs::KERNEL_START_POINTER)],
        _ => {
            let used = [
                (draw::state_ps::KERNEL_START_POINTER_0, first_kernel(work)),
                (draw::state_ps::KERNEL_START_POINTER_1, second_kernel(work)),
                (draw::state_ps::KERNEL_START_POINTER_2, third_kernel(work)),
            ];
            let used = used.into_iter().filter(|(_, used)| *used);
            used.map(|(field, _)| work.get(stage, field)).collect()
        }
    }
}

/// Widths of pixel shader threads that are enabled: 8, 16, 32 pixels.
pub fn widths(work: &Work<'_>) -> [bool; 3] {
    [
        flag!(work, state_ps::N8_PIXEL_DISPATCH_ENABLE),
        flag!(work, state_ps::N16_PIXEL_DISPATCH_ENABLE),
        flag!(work, state_ps::N32_PIXEL_DISPATCH_ENABLE),
    ]
}

pub fn first_kernel(work: &Work<'_>) -> bool {
    let [eight, sixteen, thirty_two] = widths(work);
    eight || sixteen != thirty_two
}

pub fn second_kernel(work: &Work<'_>) -> bool {
    let [eight, sixteen, thirty_two] = widths(work);
    thirty_two && (eight || sixteen)
}

pub fn third_kernel(work: &Work<'_>) -> bool {
    let [eight, sixteen, thirty_two] = widths(work);
    sixteen && (eight || thirty_two)
}

pub fn rasterises(work: &Work<'_>) -> bool {
    !flag!(work, state_streamout::RENDERING_DISABLE)
}

pub fn objects(work: &Work<'_>) -> Objects {
    let topology = match () {
        _ if flag!(work, state_gs::ENABLE) => get!(work, state_gs::OUTPUT_TOPOLOGY),
        // Point, line, triangles.
        _ if flag!(work, state_te::TE_ENABLE) => {
            [1, 2, 4, 4][get!(work, state_te::OUTPUT_TOPOLOGY) as usize % 4]
        }
        _ => get!(work, state_vf_topology::PRIMITIVE_TOPOLOGY_TYPE),
    };
    let mut objects = match topology {
        // POINTLIST, POINTLIST_BF.
        0x01 | 0x12 => Objects {
            points: true,
            ..Objects::default()
        },
        // LINELIST, LINESTRIP, with adjacency, LINELOOP, LINESTRIP_CONT and the like.
        0x02 | 0x03 | 0x09 | 0x0a | 0x10 | 0x11 | 0x13 | 0x15 => Objects {
            lines: true,
            ..Objects::default()
        },
        _ => Objects {
            triangles: true,
            ..Objects::default()
        },
    };
    if objects.triangles {
        let modes = [
            get!(work, state_raster::FRONT_FACE_FILL_MODE),
            get!(work, state_raster::BACK_FACE_FILL_MODE),
        ];
        objects.lines = modes.contains(&1);
        objects.points = modes.contains(&2);
    }
    objects
}

pub fn indexed(work: &Work<'_>) -> bool {
    get!(work, primitive::VERTEX_ACCESS_TYPE) == 1
}

pub fn depth_tested(work: &Work<'_>) -> bool {
    flag!(work, state_wm_depth_stencil::DEPTH_TEST_ENABLE)
        && get!(work, state_depth_buffer::SURFACE_TYPE) != 7
}

pub fn depth_used(work: &Work<'_>) -> bool {
    let operates = operates(work);
    depth_tested(work) || flag!(work, state_wm_depth_stencil::DEPTH_BUFFER_WRITE_ENABLE) || operates
}

/// _3DPRIM_RECTLIST: never clipped, and faces the viewer.
pub const RECTLIST: u64 = 0x0f;

/// The operations of 3DSTATE_WM_HZ_OP; its other fields are their parameters.
pub const OPERATIONS: [Field; 4] = [
    draw::state_wm_hz_op::DEPTH_BUFFER_CLEAR_ENABLE,
    draw::state_wm_hz_op::STENCIL_BUFFER_CLEAR_ENABLE,
    draw::state_wm_hz_op::DEPTH_BUFFER_RESOLVE_ENABLE,
    draw::state_wm_hz_op::HIERARCHICAL_DEPTH_BUFFER_RESOLVE_ENABLE,
];

pub fn operates(work: &Work<'_>) -> bool {
    flag!(work, state_wm_hz_op::DEPTH_BUFFER_CLEAR_ENABLE)
        || flag!(work, state_wm_hz_op::DEPTH_BUFFER_RESOLVE_ENABLE)
        || flag!(
            work,
            state_wm_hz_op::HIERARCHICAL_DEPTH_BUFFER_RESOLVE_ENABLE
        )
}

pub fn stencil_tested(work: &Work<'_>) -> bool {
    flag!(work, state_wm_depth_stencil::STENCIL_TEST_ENABLE)
        && flag!(work, state_stencil_buffer::STENCIL_BUFFER_ENABLE)
}

/// Elements that read vertex buffers.
pub fn fetched<'a>(work: &'a Work<'_>) -> impl Iterator<Item = &'a Place> {
    use draw_state::vertex_element_state as element;
    let all = work.all(&element::PACKET);
    all.filter(|place| element::VALID.get(&place.words) == 1 && fetches(place))
}

pub fn fetches(place: &Place) -> bool {
    use draw_state::vertex_element_state as element;
    let controls = [
        element::COMPONENT_0_CONTROL,
        element::COMPONENT_1_CONTROL,
        element::COMPONENT_2_CONTROL,
        element::COMPONENT_3_CONTROL,
    ];
    controls
        .iter()
        .any(|control| control.get(&place.words) == 1)
}
