//! When a field's unit is on: which bits of a field a draw or dispatch looks at, by its other state.
//!
//! In:  a command or structure, and the draw's or dispatch's state. Out: bits of the field that may make a difference. A bit left
//! out is one that the PRM says nothing looks at in that state; where it is silent, the bit counts.
//! Ref: SKL PRM vol. 2a and 2d, each field's description and "exists if".

use crate::finest;
use crate::look::{Place, Work};
use crate::textures::{of_sampler, of_surface};
use hw::{Field, Packet, draw, draw_state, media, mi, state};

/// What a draw's objects are when they are rasterised.
#[derive(Clone, Copy, Default)]
struct Objects {
    points: bool,
    lines: bool,
    triangles: bool,
}

macro_rules! get {
    ($work:expr, $command:ident::$field:ident) => {
        $work.get(&draw::$command::PACKET, draw::$command::$field)
    };
}

macro_rules! flag {
    ($work:expr, $command:ident::$field:ident) => {
        get!($work, $command::$field) != 0
    };
}

/// True for a field among these of one packet.
macro_rules! among {
    ($place:expr, $field:expr, $table:ident::$packet:ident [$($own:ident)+]) => {
        std::ptr::eq($place.packet, &$table::$packet::PACKET) && [$($table::$packet::$own),+].contains($field)
    };
}

/// Rows of fields and the condition under which they count; every row that names a field has to hold.
macro_rules! rows {
    ($place:expr, $field:expr; $($table:ident::$packet:ident [$($own:ident)+] if $condition:expr;)*) => {
        $((!among!($place, $field, $table::$packet [$($own)+]) || $condition))&&*
    };
}

/// Commands all of whose fields count under a condition, but for those named.
macro_rules! whole {
    ($place:expr, $field:expr; $([$($packet:ident)+] $(but $flag:ident::$own:ident)? if $condition:expr;)*) => {
        $((![$(&draw::$packet::PACKET),+].iter().any(|packet: &&Packet| std::ptr::eq($place.command, *packet))
            $(|| std::ptr::eq($place.packet, &draw::$flag::PACKET) && *$field == draw::$flag::$own)? || $condition))&&*
    };
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
fn widths(work: &Work<'_>) -> [bool; 3] {
    [
        flag!(work, state_ps::N8_PIXEL_DISPATCH_ENABLE),
        flag!(work, state_ps::N16_PIXEL_DISPATCH_ENABLE),
        flag!(work, state_ps::N32_PIXEL_DISPATCH_ENABLE),
    ]
}

fn first_kernel(work: &Work<'_>) -> bool {
    let [eight, sixteen, thirty_two] = widths(work);
    eight || sixteen != thirty_two
}

fn second_kernel(work: &Work<'_>) -> bool {
    let [eight, sixteen, thirty_two] = widths(work);
    thirty_two && (eight || sixteen)
}

fn third_kernel(work: &Work<'_>) -> bool {
    let [eight, sixteen, thirty_two] = widths(work);
    sixteen && (eight || thirty_two)
}

fn rasterises(work: &Work<'_>) -> bool {
    !flag!(work, state_streamout::RENDERING_DISABLE)
}

fn objects(work: &Work<'_>) -> Objects {
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

fn indexed(work: &Work<'_>) -> bool {
    get!(work, primitive::VERTEX_ACCESS_TYPE) == 1
}

fn depth_tested(work: &Work<'_>) -> bool {
    flag!(work, state_wm_depth_stencil::DEPTH_TEST_ENABLE)
        && get!(work, state_depth_buffer::SURFACE_TYPE) != 7
}

fn depth_used(work: &Work<'_>) -> bool {
    let operates = operates(work);
    depth_tested(work) || flag!(work, state_wm_depth_stencil::DEPTH_BUFFER_WRITE_ENABLE) || operates
}

/// _3DPRIM_RECTLIST: never clipped, and faces the viewer.
const RECTLIST: u64 = 0x0f;

/// What 3DSTATE_WM_HZ_OP can do: the rest of it says how.
const OPERATIONS: [Field; 4] = [
    draw::state_wm_hz_op::DEPTH_BUFFER_CLEAR_ENABLE,
    draw::state_wm_hz_op::STENCIL_BUFFER_CLEAR_ENABLE,
    draw::state_wm_hz_op::DEPTH_BUFFER_RESOLVE_ENABLE,
    draw::state_wm_hz_op::HIERARCHICAL_DEPTH_BUFFER_RESOLVE_ENABLE,
];

fn operates(work: &Work<'_>) -> bool {
    flag!(work, state_wm_hz_op::DEPTH_BUFFER_CLEAR_ENABLE)
        || flag!(work, state_wm_hz_op::DEPTH_BUFFER_RESOLVE_ENABLE)
        || flag!(
            work,
            state_wm_hz_op::HIERARCHICAL_DEPTH_BUFFER_RESOLVE_ENABLE
        )
}

fn stencil_tested(work: &Work<'_>) -> bool {
    flag!(work, state_wm_depth_stencil::STENCIL_TEST_ENABLE)
        && flag!(work, state_stencil_buffer::STENCIL_BUFFER_ENABLE)
}

/// Elements that read vertex buffers.
fn fetched<'a>(work: &'a Work<'_>) -> impl Iterator<Item = &'a Place> {
    use draw_state::vertex_element_state as element;
    let all = work.all(&element::PACKET);
    all.filter(|place| element::VALID.get(&place.words) == 1 && fetches(place))
}

fn fetches(place: &Place) -> bool {
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

/// Bits of a field that a draw or dispatch may depend on.
pub fn bits(work: &Work<'_>, place: &Place, field: &Field) -> u64 {
    let all = asked(work, place, field) & finest::bits(work, place, field);
    // Of an address of 64 bits, or an offset that makes one, those above 47 are ignored, and assumed to be canonical.
    let first = field.lo / 32 * 32;
    match matches!(field.kind, hw::Kind::Address | hw::Kind::Offset) && field.hi + 1 - first == 64 {
        true => all & ((1 << (48 - (field.lo - first))) - 1),
        false => all,
    }
}

/// The same, by what the field is for.
fn asked(work: &Work<'_>, place: &Place, field: &Field) -> u64 {
    use draw_state as ds;
    let is = |packet: &Packet| std::ptr::eq(place.packet, packet);
    let objects = objects(work);
    let kinds = |points, lines, triangles| {
        objects.points && points || objects.lines && lines || objects.triangles && triangles
    };
    let run = |stage| runs(work, stage);
    let (vs, hs, ds_, gs, ps) = (
        run(&draw::state_vs::PACKET),
        run(&draw::state_hs::PACKET),
        run(&draw::state_ds::PACKET),
        run(&draw::state_gs::PACKET),
        run(&draw::state_ps::PACKET),
    );
    let streams = flag!(work, state_streamout::SO_FUNCTION_ENABLE);
    let hz = flag!(work, state_depth_buffer::HIERARCHICAL_DEPTH_BUFFER_ENABLE) && depth_used(work);
    let stencil = stencil_tested(work) || flag!(work, state_wm_hz_op::STENCIL_BUFFER_CLEAR_ENABLE);
    let rasterises = rasterises(work);
    let on = whole! { place, field;
        [state_vs] but state_vs::ENABLE if vs;
        [state_constant_vs state_binding_table_pointers_vs state_sampler_state_pointers_vs] if vs;
        [state_hs] but state_hs::ENABLE if hs;
        [state_te] but state_te::TE_ENABLE if hs;
        [state_ds] but state_ds::ENABLE if ds_;
        [state_gs] but state_gs::ENABLE if gs;
        [state_constant_hs state_binding_table_pointers_hs state_sampler_state_pointers_hs state_urb_hs] if hs;
        [state_constant_ds state_binding_table_pointers_ds state_sampler_state_pointers_ds state_urb_ds] if ds_;
        [state_constant_gs state_binding_table_pointers_gs state_sampler_state_pointers_gs state_urb_gs] if gs;
        [state_ps_extra] but state_ps_extra::PIXEL_SHADER_VALID if ps;
        [state_ps state_constant_ps state_binding_table_pointers_ps state_sampler_state_pointers_ps state_ps_blend state_sbe state_sbe_swiz] if ps;
        [state_line_stipple] if flag!(work, state_wm::LINE_STIPPLE_ENABLE) && objects.lines;
        [state_hier_depth_buffer state_clear_params] if hz;
        [state_depth_buffer] but state_depth_buffer::SURFACE_TYPE
            if get!(work, state_depth_buffer::SURFACE_TYPE) != 7 && (depth_used(work) || stencil);
        [state_stencil_buffer] if stencil;
        [state_streamout] but state_streamout::SO_FUNCTION_ENABLE
            if streams || [draw::state_streamout::RENDERING_DISABLE, draw::state_streamout::RENDER_STREAM_SELECT].contains(field);
        [state_so_buffer state_so_decl_list] if streams;
        [state_index_buffer] if indexed(work);
        [state_vf_component_packing] if flag!(work, state_vf::COMPONENT_PACKING_ENABLE);
        [state_clip] but state_clip::CLIP_ENABLE if flag!(work, state_clip::CLIP_ENABLE) && rasterises;
        [state_sf state_raster state_wm state_wm_depth_stencil state_viewport_state_pointers_sf_clip state_viewport_state_pointers_cc state_cc_state_pointers state_blend_state_pointers state_multisample state_sample_mask state_sample_pattern state_drawing_rectangle] if rasterises || operates(work);
        [state_scissor_state_pointers] if flag!(work, state_raster::SCISSOR_RECTANGLE_ENABLE) && rasterises;
        [state_wm_hz_op] if operates(work) || flag!(work, state_wm_hz_op::STENCIL_BUFFER_CLEAR_ENABLE)
            || OPERATIONS.contains(field);
    };
    if !on {
        return 0;
    }
    let tested = flag!(work, state_wm_depth_stencil::STENCIL_TEST_ENABLE);
    let sided = tested && flag!(work, state_wm_depth_stencil::DOUBLE_SIDED_STENCIL_ENABLE);
    let writes = flag!(work, state_wm_depth_stencil::STENCIL_BUFFER_WRITE_ENABLE);
    let indirect = flag!(work, primitive::INDIRECT_PARAMETER_ENABLE);
    let instanced = work
        .all(&draw::state_vf_instancing::PACKET)
        .any(|place| draw::state_vf_instancing::INSTANCING_ENABLE.get(&place.words) == 1);
    let own = |field: Field| field.get(&place.words);
    let blends = work
        .all(&ds::blend_state_entry::PACKET)
        .any(|place| ds::blend_state_entry::COLOR_BUFFER_BLEND_ENABLE.get(&place.words) == 1);
    let constant = work.all(&ds::blend_state_entry::PACKET).any(|place| {
        use ds::blend_state_entry as e;
        let factors = [
            e::SOURCE_BLEND_FACTOR,
            e::DESTINATION_BLEND_FACTOR,
            e::SOURCE_ALPHA_BLEND_FACTOR,
            e::DESTINATION_ALPHA_BLEND_FACTOR,
        ];
        let factors = factors.map(|factor| factor.get(&place.words));
        factors
            .iter()
            .any(|code| [0x07, 0x08, 0x17, 0x18].contains(code))
    });
    let separate = work
        .all(&ds::blend_state::PACKET)
        .any(|place| ds::blend_state::INDEPENDENT_ALPHA_BLEND_ENABLE.get(&place.words) == 1);
    let alpha_test = flag!(work, state_ps_blend::ALPHA_TEST_ENABLE);
    let stream = |number: usize| {
        use draw::state_so_decl_list as list;
        get!(work, state_streamout::SO_FUNCTION_ENABLE) == 1
            && work.get(
                &list::PACKET,
                [
                    list::NUM_ENTRIES_0,
                    list::NUM_ENTRIES_1,
                    list::NUM_ENTRIES_2,
                    list::NUM_ENTRIES_3,
                ][number],
            ) != 0
    };
    // A buffer that some stream goes to.
    let bound = |number: u32| {
        use draw::state_so_decl_list as list;
        let selects = [
            list::STREAM_TO_BUFFER_SELECTS_0,
            list::STREAM_TO_BUFFER_SELECTS_1,
            list::STREAM_TO_BUFFER_SELECTS_2,
            list::STREAM_TO_BUFFER_SELECTS_3,
        ];
        selects
            .iter()
            .any(|select| work.get(&list::PACKET, *select) >> number & 1 == 1)
    };
    let counts = |packet: &'static Packet, field: Field| work.get(packet, field) != 0;
    let pushes = |packet: &'static Packet| {
        let bodies = work
            .all(&ds::state_constant_body::PACKET)
            .filter(move |body| std::ptr::eq(body.command, packet));
        bodies
            .flat_map(|body| body.packet.fields.iter().map(move |field| (body, field)))
            .any(|(body, field)| field.name == "Read Length" && field.get(&body.words) != 0)
    };
    let alpha = blends
        || work
            .all(&ds::blend_state::PACKET)
            .any(|place| ds::blend_state::ALPHA_TO_COVERAGE_ENABLE.get(&place.words) == 1);
    use draw_state::vertex_element_state as element;
    let topology = get!(work, state_vf_topology::PRIMITIVE_TOPOLOGY_TYPE);
    let adjacency = (0x09..=0x0c).contains(&topology);
    // TRISTRIP, TRISTRIP_ADJ, TRISTRIP_REVERSE: every other triangle turns.
    let strip = |topology: u64| [0x05, 0x0c, 0x0d].contains(&topology);
    let streamed = match gs {
        true => get!(work, state_gs::OUTPUT_TOPOLOGY),
        false => topology,
    };
    // Threads run for depth and stencil that they compute, and for pixels that they kill.
    let by_shader = flag!(work, state_ps_extra::PIXEL_SHADER_COMPUTED_DEPTH_MODE)
        || flag!(work, state_ps_extra::PIXEL_SHADER_COMPUTES_STENCIL)
        || flag!(work, state_ps_extra::PIXEL_SHADER_KILLS_PIXEL);
    // Where the setup takes attributes, and finds them where the last stage says.
    let set_up = !flag!(work, state_sbe::FORCE_VERTEX_URB_ENTRY_READ_OFFSET)
        && flag!(work, state_sbe::NUMBER_OF_SF_OUTPUT_ATTRIBUTES);
    let clips = flag!(work, state_clip::CLIP_ENABLE) && rasterises;
    let clip_tests = clips
        && !flag!(
            work,
            state_clip::FORCE_USER_CLIP_DISTANCE_CLIP_TEST_ENABLE_BITMASK
        );
    let cull_tests = clips
        && !flag!(
            work,
            state_clip::FORCE_USER_CLIP_DISTANCE_CULL_TEST_ENABLE_BITMASK
        );
    let (vs_last, ds_last) = (!gs && !ds_, !gs);
    let elements = work
        .all(&element::PACKET)
        .take_while(|place| element::VALID.get(&place.words) == 1)
        .count() as u64;
    let layered = |minimum: u64, extent: u64, kind: u64| minimum != 0 || extent != 0 || kind == 2;
    let depth_layered = {
        use draw::state_depth_buffer as depth;
        let get = |field| work.get(&depth::PACKET, field);
        layered(
            get(depth::MINIMUM_ARRAY_ELEMENT),
            get(depth::RENDER_TARGET_VIEW_EXTENT),
            get(depth::SURFACE_TYPE),
        )
    };
    let stencil_writes = writes && flag!(work, state_wm_depth_stencil::STENCIL_TEST_ENABLE)
        || flag!(work, state_wm_hz_op::STENCIL_BUFFER_CLEAR_ENABLE);
    // Threads run for what they write, whatever else they are said to do.
    let threads_run = flag!(work, state_ps_blend::HAS_WRITEABLE_RT)
        && !flag!(work, state_ps_extra::PIXEL_SHADER_DOES_NOT_WRITE_TO_RT);
    // ForceON.
    let forced = get!(work, state_wm::FORCE_THREAD_DISPATCH_ENABLE) == 2;
    let by_depth = flag!(work, state_ps_extra::PIXEL_SHADER_USES_SOURCE_DEPTH)
        || flag!(work, state_ps_extra::PIXEL_SHADER_USES_SOURCE_W);
    let kept = {
        use draw::state_wm_depth_stencil as f;
        [
            f::STENCIL_FAIL_OP,
            f::STENCIL_PASS_DEPTH_FAIL_OP,
            f::STENCIL_PASS_DEPTH_PASS_OP,
            f::BACKFACE_STENCIL_FAIL_OP,
            f::BACKFACE_STENCIL_PASS_DEPTH_FAIL_OP,
            f::BACKFACE_STENCIL_PASS_DEPTH_PASS_OP,
        ]
        .into_iter()
        .all(|op| work.get(&f::PACKET, op) == 0)
    };
    let packed = {
        let words = work.all(&draw::state_vf_component_packing::PACKET).next();
        let nibble = |i: u64| {
            let word = words.and_then(|place| place.words.get(1 + i as usize / 8));
            word.map_or(0, |word| word >> (4 * (i % 8)) & 15)
        };
        (0..elements).any(|i| nibble(i) != 15)
    };
    let sends = work.sends(place);
    let is_target = std::ptr::eq(
        place.command,
        &draw::state_binding_table_pointers_ps::PACKET,
    ) && ps;
    let kinds_sampled = |wanted: u64| {
        use state::render_surface_state as f;
        work.all(&f::PACKET)
            .any(|surface| f::SURFACE_TYPE.get(&surface.words) == wanted)
    };
    // Some surface has levels to choose from; of render targets the field names theirs.
    let levels = work
        .all(&state::render_surface_state::PACKET)
        .any(|surface| state::render_surface_state::MIP_COUNT_LOD.get(&surface.words) != 0);
    // AUX_CCS_E.
    let compressed = work
        .all(&state::render_surface_state::PACKET)
        .any(|surface| {
            state::render_surface_state::AUXILIARY_SURFACE_MODE.get(&surface.words) == 5
        });
    let clamps = own(ds::blend_state_entry::PRE_BLEND_COLOR_CLAMP_ENABLE) == 1
        || own(ds::blend_state_entry::POST_BLEND_COLOR_CLAMP_ENABLE) == 1;
    let on = rows! { place, field;
        draw::state_clip [CLIP_ENABLE] if topology != RECTLIST;
        draw::state_clip [USER_CLIP_DISTANCE_CLIP_TEST_ENABLE_BITMASK]
            if own(draw::state_clip::FORCE_USER_CLIP_DISTANCE_CLIP_TEST_ENABLE_BITMASK) == 1;
        draw::state_clip [USER_CLIP_DISTANCE_CULL_TEST_ENABLE_BITMASK]
            if own(draw::state_clip::FORCE_USER_CLIP_DISTANCE_CULL_TEST_ENABLE_BITMASK) == 1;
        draw::state_vs [USER_CLIP_DISTANCE_CLIP_TEST_ENABLE_BITMASK] if clip_tests && vs_last;
        draw::state_vs [USER_CLIP_DISTANCE_CULL_TEST_ENABLE_BITMASK] if cull_tests && vs_last;
        draw::state_ds [USER_CLIP_DISTANCE_CLIP_TEST_ENABLE_BITMASK] if clip_tests && ds_last;
        draw::state_ds [USER_CLIP_DISTANCE_CULL_TEST_ENABLE_BITMASK] if cull_tests && ds_last;
        draw::state_gs [USER_CLIP_DISTANCE_CLIP_TEST_ENABLE_BITMASK] if clip_tests;
        draw::state_gs [USER_CLIP_DISTANCE_CULL_TEST_ENABLE_BITMASK] if cull_tests;
        // What lies outside is not seen in any case: the viewport's extents cut triangles; counts see it, and points and lines.
        draw::state_clip [VIEWPORT_XY_CLIP_TEST_ENABLE]
            if work.uses.clipped || kinds(true, true, false) || !flag!(work, state_clip::GUARDBAND_CLIP_TEST_ENABLE);
        draw::state_vs [VERTEX_URB_ENTRY_OUTPUT_READ_OFFSET] if set_up && vs_last;
        draw::state_ds [VERTEX_URB_ENTRY_OUTPUT_READ_OFFSET] if set_up && ds_last;
        draw::state_gs [VERTEX_URB_ENTRY_OUTPUT_READ_OFFSET] if set_up;
        draw::state_vs [DISPATCH_GRF_START_REGISTER_FOR_URB_DATA]
            if pushes(&draw::state_constant_vs::PACKET) || own(draw::state_vs::VERTEX_URB_ENTRY_READ_LENGTH) != 0;
        draw::state_hs [DISPATCH_GRF_START_REGISTER_FOR_URB_DATA DISPATCH_GRF_START_REGISTER_FOR_URB_DATA_5]
            if pushes(&draw::state_constant_hs::PACKET);
        draw::state_ds [DISPATCH_GRF_START_REGISTER_FOR_URB_DATA]
            if pushes(&draw::state_constant_ds::PACKET) || own(draw::state_ds::PATCH_URB_ENTRY_READ_LENGTH) != 0;
        draw::state_gs [DISPATCH_GRF_START_REGISTER_FOR_URB_DATA DISPATCH_GRF_START_REGISTER_FOR_URB_DATA_5_4]
            if pushes(&draw::state_constant_gs::PACKET) || own(draw::state_gs::VERTEX_URB_ENTRY_READ_LENGTH) != 0;
        draw::state_hs [VERTEX_URB_ENTRY_READ_OFFSET] if own(draw::state_hs::VERTEX_URB_ENTRY_READ_LENGTH) != 0;
        draw::state_vs [VERTEX_URB_ENTRY_READ_OFFSET] if own(draw::state_vs::VERTEX_URB_ENTRY_READ_LENGTH) != 0;
        draw::state_gs [VERTEX_URB_ENTRY_READ_OFFSET] if own(draw::state_gs::VERTEX_URB_ENTRY_READ_LENGTH) != 0;
        draw::state_ds [PATCH_URB_ENTRY_READ_OFFSET] if own(draw::state_ds::PATCH_URB_ENTRY_READ_LENGTH) != 0;
        // Kernels of other domains have no third coordinate.
        draw::state_ds [COMPUTE_W_COORDINATE_ENABLE]
            if own(draw::state_ds::COMPUTE_W_COORDINATE_ENABLE) == 1 || get!(work, state_te::TE_DOMAIN) == 1;
        draw::state_gs [STATIC_OUTPUT_VERTEX_COUNT] if own(draw::state_gs::STATIC_OUTPUT) == 1;
        draw::state_gs [REORDER_MODE] if strip(topology);
        draw::state_gs [DISCARD_ADJACENCY] if adjacency;
        draw::state_streamout [REORDER_MODE] if strip(streamed);
        // Where nothing is to be seen of what is rendered, it may be.
        draw::state_streamout [FORCE_RENDERING] if own(draw::state_streamout::RENDERING_DISABLE) == 1
            && (flag!(work, state_ps_extra::PIXEL_SHADER_VALID) || depth_used(work) || stencil || work.uses.counters);
        // The caller has nothing left to do.
        mi::mi_batch_buffer_start [SECOND_LEVEL_BATCH_BUFFER] if !work.last;
        draw::state_ps [PUSH_CONSTANT_ENABLE] if pushes(&draw::state_constant_ps::PACKET);
        // Partial and full resolves differ in what is compressed; of AUX_CCS_E surfaces alone something is.
        draw::state_ps [RENDER_TARGET_RESOLVE_TYPE] if own(draw::state_ps::RENDER_TARGET_RESOLVE_TYPE) & 1 == 0 || compressed;
        // Of several widths each gives the same; the kernels' places change only where eight pixels have none.
        draw::state_ps [N16_PIXEL_DISPATCH_ENABLE N32_PIXEL_DISPATCH_ENABLE] if own(*field) == 0 || !widths(work)[0];
        // What is said without being so only takes the machine more time.
        draw::state_ps_blend [HAS_WRITEABLE_RT] if own(draw::state_ps_blend::HAS_WRITEABLE_RT) == 1;
        draw::state_wm [FORCE_THREAD_DISPATCH_ENABLE]
            if own(draw::state_wm::FORCE_THREAD_DISPATCH_ENABLE) != 0 || work.pixel_sends().writes || by_shader;
        // The number of the only instance is 0, as what stands in its place.
        draw::state_vf_sgvs [INSTANCEID_ELEMENT_OFFSET INSTANCEID_COMPONENT_NUMBER INSTANCEID_ENABLE]
            if indirect || get!(work, primitive::INSTANCE_COUNT) > 1;
        draw::state_ps_extra [PIXEL_SHADER_HAS_UAV] if !threads_run && !forced
            && (own(draw::state_ps_extra::PIXEL_SHADER_HAS_UAV) == 1 || work.uses.counters);
        // The same.
        draw::state_ps_extra [PIXEL_SHADER_KILLS_PIXEL] if own(draw::state_ps_extra::PIXEL_SHADER_KILLS_PIXEL) == 1;
        draw::state_wm [FORCE_THREAD_DISPATCH_ENABLE] if !threads_run;
        draw::state_wm [EARLY_DEPTH_STENCIL_CONTROL] if depth_used(work) || stencil_tested(work);
        // Helper pixels, which only the vector mask has, write nothing to render targets.
        draw::state_ps [VECTOR_MASK_ENABLE] if own(draw::state_ps::VECTOR_MASK_ENABLE) == 1 || work.pixel_sends().writes;
        draw::state_wm [POSITION_ZW_INTERPOLATION_MODE] if by_depth && flag!(work, state_multisample::NUMBER_OF_MULTISAMPLES);
        draw::state_raster [GLOBAL_DEPTH_OFFSET_ENABLE_SOLID GLOBAL_DEPTH_OFFSET_ENABLE_WIREFRAME GLOBAL_DEPTH_OFFSET_ENABLE_POINT]
            if own(draw::state_raster::GLOBAL_DEPTH_OFFSET_CONSTANT) != 0 || own(draw::state_raster::GLOBAL_DEPTH_OFFSET_SCALE) != 0;
        // Without depth it tells only how large the stencil buffer is.
        draw::state_depth_buffer [SURFACE_PITCH SURFACE_BASE_ADDRESS SURFACE_QPITCH] if depth_used(work);
        draw::state_depth_buffer [DEPTH_WRITE_ENABLE]
            if operates(work) || flag!(work, state_wm_depth_stencil::DEPTH_BUFFER_WRITE_ENABLE);
        draw::state_depth_buffer [SURFACE_QPITCH] if depth_layered;
        draw::state_stencil_buffer [SURFACE_QPITCH] if depth_layered;
        draw::state_hier_depth_buffer [SURFACE_QPITCH] if depth_layered;
        draw::state_depth_buffer [STENCIL_WRITE_ENABLE] if stencil_writes;
        draw::state_wm_hz_op [STENCIL_CLEAR_VALUE] if own(draw::state_wm_hz_op::STENCIL_BUFFER_CLEAR_ENABLE) == 1;
        draw::state_wm_depth_stencil [STENCIL_FAIL_OP STENCIL_PASS_DEPTH_PASS_OP STENCIL_PASS_DEPTH_FAIL_OP
            BACKFACE_STENCIL_FAIL_OP BACKFACE_STENCIL_PASS_DEPTH_PASS_OP BACKFACE_STENCIL_PASS_DEPTH_FAIL_OP] if writes;
        // COMPAREFUNCTION_ALWAYS does not fail.
        draw::state_wm_depth_stencil [STENCIL_PASS_DEPTH_FAIL_OP BACKFACE_STENCIL_PASS_DEPTH_FAIL_OP]
            if depth_tested(work) && flag!(work, state_wm_depth_stencil::DEPTH_TEST_FUNCTION);
        draw::state_wm_depth_stencil [STENCIL_BUFFER_WRITE_ENABLE] if !kept;
        draw::state_wm_depth_stencil [DOUBLE_SIDED_STENCIL_ENABLE] if topology != RECTLIST;
        draw::state_vf [COMPONENT_PACKING_ENABLE] if packed;
        draw::state_vf_sgvs [VERTEXID_ENABLE] if own(draw::state_vf_sgvs::VERTEXID_ELEMENT_OFFSET) < elements;
        draw::state_vf_sgvs [INSTANCEID_ENABLE] if own(draw::state_vf_sgvs::INSTANCEID_ELEMENT_OFFSET) < elements;
        draw::state_so_buffer [SO_BUFFER_ENABLE STREAM_OFFSET_WRITE_ENABLE STREAM_OUTPUT_BUFFER_OFFSET_ADDRESS_ENABLE
            STREAM_OFFSET STREAM_OUTPUT_BUFFER_OFFSET_ADDRESS SURFACE_BASE_ADDRESS SURFACE_SIZE]
            if bound(own(draw::state_so_buffer::SO_BUFFER_INDEX) as u32);
        draw::state_so_buffer [STREAM_OFFSET] if own(draw::state_so_buffer::STREAM_OFFSET_WRITE_ENABLE) == 1;
        draw::state_so_buffer [STREAM_OUTPUT_BUFFER_OFFSET_ADDRESS]
            if own(draw::state_so_buffer::STREAM_OUTPUT_BUFFER_OFFSET_ADDRESS_ENABLE) == 1;
        draw_state::vertex_buffer_state [NULL_VERTEX_BUFFER] if own(ds::vertex_buffer_state::BUFFER_SIZE) != 0;
        draw_state::blend_state_entry [COLOR_CLAMP_RANGE] if clamps;
        // Without threads that write colours nothing is blended.
        draw_state::blend_state_entry [PRE_BLEND_COLOR_CLAMP_ENABLE POST_BLEND_COLOR_CLAMP_ENABLE] if ps && threads_run;
        // What is read as typed or untyped memory has no channels.
        state::render_surface_state [SHADER_CHANNEL_SELECT_RED SHADER_CHANNEL_SELECT_GREEN SHADER_CHANNEL_SELECT_BLUE
            SHADER_CHANNEL_SELECT_ALPHA] if sends.sampler || is_target;
        state::sampler_state [SHADOW_FUNCTION] if sends.compares();
        state::sampler_state [TCZ_ADDRESS_CONTROL_MODE R_ADDRESS_MIN_FILTER_ROUNDING_ENABLE
            R_ADDRESS_MAG_FILTER_ROUNDING_ENABLE] if kinds_sampled(2);
        state::sampler_state [MIP_MODE_FILTER] if levels;
        state::sampler_state [CUBE_SURFACE_CONTROL_MODE] if kinds_sampled(3);
        state::interface_descriptor_data [SAMPLER_STATE_POINTER] if sends.samples();
        media::state_base_address [GENERAL_STATE_BASE_ADDRESS GENERAL_STATE_BASE_ADDRESS_MODIFY_ENABLE
            GENERAL_STATE_BUFFER_SIZE GENERAL_STATE_BUFFER_SIZE_MODIFY_ENABLE] if work.uses.general;
        media::state_base_address [INDIRECT_OBJECT_BASE_ADDRESS INDIRECT_OBJECT_BASE_ADDRESS_MODIFY_ENABLE
            INDIRECT_OBJECT_BUFFER_SIZE INDIRECT_OBJECT_BUFFER_SIZE_MODIFY_ENABLE] if work.uses.indirect;
        media::state_base_address [BINDLESS_SURFACE_STATE_BASE_ADDRESS BINDLESS_SURFACE_STATE_BASE_ADDRESS_MODIFY_ENABLE
            BINDLESS_SURFACE_STATE_SIZE] if work.uses.bindless;
        draw::state_ps [KERNEL_START_POINTER_0 DISPATCH_GRF_START_REGISTER_FOR_CONSTANT_SETUP_DATA_0]
            if first_kernel(work);
        draw::state_ps [KERNEL_START_POINTER_2 DISPATCH_GRF_START_REGISTER_FOR_CONSTANT_SETUP_DATA_2]
            if third_kernel(work);
        draw::state_ps [KERNEL_START_POINTER_1 DISPATCH_GRF_START_REGISTER_FOR_CONSTANT_SETUP_DATA_1]
            if second_kernel(work);
        draw::state_wm_depth_stencil [DEPTH_TEST_FUNCTION] if depth_tested(work);
        draw::state_wm_depth_stencil [STENCIL_TEST_FUNCTION STENCIL_FAIL_OP STENCIL_PASS_DEPTH_PASS_OP
            STENCIL_PASS_DEPTH_FAIL_OP STENCIL_TEST_MASK STENCIL_REFERENCE_VALUE DOUBLE_SIDED_STENCIL_ENABLE] if tested;
        draw::state_wm_depth_stencil [STENCIL_WRITE_MASK] if tested && writes;
        draw::state_wm_depth_stencil [BACKFACE_STENCIL_TEST_FUNCTION BACKFACE_STENCIL_FAIL_OP
            BACKFACE_STENCIL_PASS_DEPTH_PASS_OP BACKFACE_STENCIL_PASS_DEPTH_FAIL_OP BACKFACE_STENCIL_TEST_MASK
            BACKFACE_STENCIL_REFERENCE_VALUE] if sided;
        draw::state_wm_depth_stencil [BACKFACE_STENCIL_WRITE_MASK] if sided && writes;
        draw::state_vf [CUT_INDEX] if flag!(work, state_vf::INDEXED_DRAW_CUT_INDEX_ENABLE) && indexed(work);
        draw::state_vf [INDEXED_DRAW_CUT_INDEX_ENABLE] if indexed(work);
        draw::state_vf_instancing [INSTANCE_DATA_STEP_RATE] if own(draw::state_vf_instancing::INSTANCING_ENABLE) == 1;
        draw::state_vf_sgvs [VERTEXID_ELEMENT_OFFSET VERTEXID_COMPONENT_NUMBER]
            if own(draw::state_vf_sgvs::VERTEXID_ENABLE) == 1;
        draw::state_vf_sgvs [INSTANCEID_ELEMENT_OFFSET INSTANCEID_COMPONENT_NUMBER]
            if own(draw::state_vf_sgvs::INSTANCEID_ENABLE) == 1;
        draw::primitive [VERTEX_COUNT_PER_INSTANCE START_VERTEX_LOCATION INSTANCE_COUNT] if !indirect;
        draw::primitive [START_INSTANCE_LOCATION] if !indirect && instanced;
        draw::primitive [BASE_VERTEX_LOCATION] if !indirect && indexed(work);
        draw::state_sf [LINE_WIDTH LAST_PIXEL_ENABLE] if kinds(false, true, false);
        draw::state_sf [POINT_WIDTH_SOURCE] if kinds(true, false, false);
        draw::state_sf [POINT_WIDTH] if kinds(true, false, false) && flag!(work, state_sf::POINT_WIDTH_SOURCE);
        draw::state_clip [MINIMUM_POINT_WIDTH MAXIMUM_POINT_WIDTH] if kinds(true, false, false);
        draw::state_raster [CULL_MODE FRONT_WINDING FRONT_FACE_FILL_MODE BACK_FACE_FILL_MODE] if kinds(false, false, true);
        draw::state_raster [SMOOTH_POINT_ENABLE] if kinds(true, false, false);
        draw::state_raster [ANTIALIASING_ENABLE] if kinds(false, true, false);
        draw::state_raster [GLOBAL_DEPTH_OFFSET_ENABLE_SOLID] if kinds(false, false, true) && depth_used(work);
        draw::state_raster [GLOBAL_DEPTH_OFFSET_ENABLE_WIREFRAME] if objects.triangles && objects.lines && depth_used(work);
        draw::state_raster [GLOBAL_DEPTH_OFFSET_ENABLE_POINT] if objects.triangles && objects.points && depth_used(work);
        draw::state_raster [GLOBAL_DEPTH_OFFSET_CONSTANT GLOBAL_DEPTH_OFFSET_SCALE GLOBAL_DEPTH_OFFSET_CLAMP]
            if flag!(work, state_raster::GLOBAL_DEPTH_OFFSET_ENABLE_SOLID) && depth_used(work);
        draw::state_wm [LINE_STIPPLE_ENABLE] if kinds(false, true, false);
        draw::state_wm [POINT_RASTERIZATION_RULE] if kinds(true, false, false);
        draw::state_wm [POLYGON_STIPPLE_ENABLE] if kinds(false, false, true);
        draw::state_sbe [PRIMITIVE_ID_OVERRIDE_ATTRIBUTE_SELECT]
            if [draw::state_sbe::PRIMITIVE_ID_OVERRIDE_COMPONENT_X, draw::state_sbe::PRIMITIVE_ID_OVERRIDE_COMPONENT_Y,
                draw::state_sbe::PRIMITIVE_ID_OVERRIDE_COMPONENT_Z, draw::state_sbe::PRIMITIVE_ID_OVERRIDE_COMPONENT_W]
                .iter().any(|component| own(*component) == 1);
        draw::state_sbe [VERTEX_URB_ENTRY_READ_OFFSET] if own(draw::state_sbe::FORCE_VERTEX_URB_ENTRY_READ_OFFSET) == 1;
        draw::state_sbe [VERTEX_URB_ENTRY_READ_LENGTH] if own(draw::state_sbe::FORCE_VERTEX_URB_ENTRY_READ_LENGTH) == 1;
        draw::state_sbe [POINT_SPRITE_TEXTURE_COORDINATE_ORIGIN]
            if objects.points && own(draw::state_sbe::POINT_SPRITE_TEXTURE_COORDINATE_ENABLE) != 0;
        draw_state::blend_state_entry [SOURCE_BLEND_FACTOR DESTINATION_BLEND_FACTOR COLOR_BLEND_FUNCTION] if blends;
        draw_state::blend_state_entry [SOURCE_ALPHA_BLEND_FACTOR DESTINATION_ALPHA_BLEND_FACTOR ALPHA_BLEND_FUNCTION]
            if blends && separate;
        draw_state::blend_state [INDEPENDENT_ALPHA_BLEND_ENABLE] if blends;
        draw_state::blend_state [ALPHA_TEST_FUNCTION] if alpha_test;
        draw_state::blend_state [X_DITHER_OFFSET Y_DITHER_OFFSET] if own(ds::blend_state::COLOR_DITHER_ENABLE) == 1;
        draw_state::blend_state_entry [LOGIC_OP_FUNCTION] if own(ds::blend_state_entry::LOGIC_OP_ENABLE) == 1;
        draw_state::blend_state [ALPHA_TO_COVERAGE_DITHER_ENABLE ALPHA_TO_ONE_ENABLE]
            if own(ds::blend_state::ALPHA_TO_COVERAGE_ENABLE) == 1;
        draw_state::color_calc_state [BLEND_CONSTANT_COLOR_RED BLEND_CONSTANT_COLOR_GREEN BLEND_CONSTANT_COLOR_BLUE
            BLEND_CONSTANT_COLOR_ALPHA] if blends && constant;
        draw_state::color_calc_state [ALPHA_TEST_FORMAT] if alpha_test;
        draw_state::color_calc_state [ALPHA_REFERENCE_VALUE_AS_UNORM8]
            if alpha_test && own(ds::color_calc_state::ALPHA_TEST_FORMAT) == 0;
        draw_state::color_calc_state [ALPHA_REFERENCE_VALUE_AS_FLOAT32]
            if alpha_test && own(ds::color_calc_state::ALPHA_TEST_FORMAT) == 1;
        // What counts where a longer command lacks it no document says (ERRATA.md).
        mi::mi_store_data_imm [STORE_QWORD] if place.words.len() <= 4;
        draw::state_ps_blend [SOURCE_BLEND_FACTOR DESTINATION_BLEND_FACTOR] if flag!(work, state_ps_blend::COLOR_BUFFER_BLEND_ENABLE);
        draw::state_ps_blend [SOURCE_ALPHA_BLEND_FACTOR DESTINATION_ALPHA_BLEND_FACTOR]
            if flag!(work, state_ps_blend::COLOR_BUFFER_BLEND_ENABLE) && separate;
        draw::state_ps_blend [INDEPENDENT_ALPHA_BLEND_ENABLE] if blends;
        draw_state::vertex_element_state [SOURCE_ELEMENT_OFFSET SOURCE_ELEMENT_FORMAT VERTEX_BUFFER_INDEX] if fetches(place);
        draw::state_vs [STATISTICS_ENABLE] if work.uses.counters;
        draw::state_hs [STATISTICS_ENABLE] if work.uses.counters;
        draw::state_ds [STATISTICS_ENABLE] if work.uses.counters;
        draw::state_gs [STATISTICS_ENABLE] if work.uses.counters;
        draw::state_clip [STATISTICS_ENABLE] if work.uses.counters;
        draw::state_wm [STATISTICS_ENABLE] if work.uses.counters;
        draw::state_vf_statistics [STATISTICS_ENABLE] if work.uses.counters;
        draw::state_binding_table_pointers_vs [POINTER_TO_VS_BINDING_TABLE]
            if sends.table() && counts(&draw::state_vs::PACKET, draw::state_vs::BINDING_TABLE_ENTRY_COUNT);
        draw::state_sampler_state_pointers_vs [POINTER_TO_VS_SAMPLER_STATE]
            if counts(&draw::state_vs::PACKET, draw::state_vs::SAMPLER_COUNT);
        draw::state_push_constant_alloc_vs [CONSTANT_BUFFER_OFFSET CONSTANT_BUFFER_SIZE] if vs && pushes(&draw::state_constant_vs::PACKET);
        draw::state_binding_table_pointers_hs [POINTER_TO_HS_BINDING_TABLE]
            if sends.table() && counts(&draw::state_hs::PACKET, draw::state_hs::BINDING_TABLE_ENTRY_COUNT);
        draw::state_sampler_state_pointers_hs [POINTER_TO_HS_SAMPLER_STATE]
            if counts(&draw::state_hs::PACKET, draw::state_hs::SAMPLER_COUNT);
        draw::state_push_constant_alloc_hs [CONSTANT_BUFFER_OFFSET CONSTANT_BUFFER_SIZE] if hs && pushes(&draw::state_constant_hs::PACKET);
        draw::state_binding_table_pointers_ds [POINTER_TO_DS_BINDING_TABLE]
            if sends.table() && counts(&draw::state_ds::PACKET, draw::state_ds::BINDING_TABLE_ENTRY_COUNT);
        draw::state_sampler_state_pointers_ds [POINTER_TO_DS_SAMPLER_STATE]
            if counts(&draw::state_ds::PACKET, draw::state_ds::SAMPLER_COUNT);
        draw::state_push_constant_alloc_ds [CONSTANT_BUFFER_OFFSET CONSTANT_BUFFER_SIZE] if ds_ && pushes(&draw::state_constant_ds::PACKET);
        draw::state_binding_table_pointers_gs [POINTER_TO_GS_BINDING_TABLE]
            if sends.table() && counts(&draw::state_gs::PACKET, draw::state_gs::BINDING_TABLE_ENTRY_COUNT);
        draw::state_sampler_state_pointers_gs [POINTER_TO_GS_SAMPLER_STATE]
            if counts(&draw::state_gs::PACKET, draw::state_gs::SAMPLER_COUNT);
        draw::state_push_constant_alloc_gs [CONSTANT_BUFFER_OFFSET CONSTANT_BUFFER_SIZE] if gs && pushes(&draw::state_constant_gs::PACKET);
        draw::state_binding_table_pointers_ps [POINTER_TO_PS_BINDING_TABLE]
            if sends.table() && counts(&draw::state_ps::PACKET, draw::state_ps::BINDING_TABLE_ENTRY_COUNT);
        draw::state_sampler_state_pointers_ps [POINTER_TO_PS_SAMPLER_STATE]
            if counts(&draw::state_ps::PACKET, draw::state_ps::SAMPLER_COUNT);
        draw::state_push_constant_alloc_ps [CONSTANT_BUFFER_OFFSET CONSTANT_BUFFER_SIZE] if ps && pushes(&draw::state_constant_ps::PACKET);
        draw::state_cc_state_pointers [COLOR_CALC_STATE_POINTER COLOR_CALC_STATE_POINTER_VALID] if alpha_test || blends && constant;
        draw::state_viewport_state_pointers_cc [CC_VIEWPORT_POINTER] if depth_used(work);
        draw_state::sf_clip_viewport [VIEWPORT_MATRIX_ELEMENT_M00 VIEWPORT_MATRIX_ELEMENT_M11 VIEWPORT_MATRIX_ELEMENT_M22
            VIEWPORT_MATRIX_ELEMENT_M30 VIEWPORT_MATRIX_ELEMENT_M31 VIEWPORT_MATRIX_ELEMENT_M32]
            if flag!(work, state_sf::VIEWPORT_TRANSFORM_ENABLE);
        draw_state::sf_clip_viewport [VIEWPORT_MATRIX_ELEMENT_M22 VIEWPORT_MATRIX_ELEMENT_M32] if depth_used(work) || by_depth;
        draw_state::cc_viewport [MINIMUM_DEPTH MAXIMUM_DEPTH] if depth_used(work);
        draw_state::scissor_rect [SCISSOR_RECTANGLE_X_MIN SCISSOR_RECTANGLE_Y_MIN SCISSOR_RECTANGLE_X_MAX
            SCISSOR_RECTANGLE_Y_MAX] if flag!(work, state_raster::SCISSOR_RECTANGLE_ENABLE);
        draw::state_ps_extra [PIXEL_SHADER_DISABLES_ALPHA_TO_COVERAGE] if alpha;
        draw::state_sf [AA_LINE_DISTANCE_MODE] if flag!(work, state_raster::ANTIALIASING_ENABLE) && objects.lines;
        draw::state_sf [TRIANGLE_FAN_PROVOKING_VERTEX_SELECT LINE_STRIP_LIST_PROVOKING_VERTEX_SELECT
            TRIANGLE_STRIP_LIST_PROVOKING_VERTEX_SELECT] if rasterises;
        draw_state::vertex_element_state [EDGE_FLAG_ENABLE]
            if flag!(work, state_raster::FRONT_FACE_FILL_MODE) || flag!(work, state_raster::BACK_FACE_FILL_MODE);
        draw::state_streamout [STREAM_1_VERTEX_READ_LENGTH STREAM_1_VERTEX_READ_OFFSET] if stream(1);
        draw::state_streamout [STREAM_2_VERTEX_READ_LENGTH STREAM_2_VERTEX_READ_OFFSET] if stream(2);
        draw::state_streamout [STREAM_3_VERTEX_READ_LENGTH STREAM_3_VERTEX_READ_OFFSET] if stream(3);
        draw::state_so_decl_list [STREAM_TO_BUFFER_SELECTS_1] if stream(1);
        draw::state_so_decl_list [STREAM_TO_BUFFER_SELECTS_2] if stream(2);
        draw::state_so_decl_list [STREAM_TO_BUFFER_SELECTS_3] if stream(3);
        draw::state_streamout [BUFFER_1_SURFACE_PITCH] if bound(1);
        draw::state_streamout [BUFFER_2_SURFACE_PITCH] if bound(2);
        draw::state_streamout [BUFFER_3_SURFACE_PITCH] if bound(3);
        draw::state_vs [SCRATCH_SPACE_BASE_POINTER PER_THREAD_SCRATCH_SPACE] if own(draw::state_vs::SCRATCH_SPACE_BASE_POINTER) != 0;
        draw::state_hs [SCRATCH_SPACE_BASE_POINTER PER_THREAD_SCRATCH_SPACE] if own(draw::state_hs::SCRATCH_SPACE_BASE_POINTER) != 0;
        draw::state_ds [SCRATCH_SPACE_BASE_POINTER PER_THREAD_SCRATCH_SPACE] if own(draw::state_ds::SCRATCH_SPACE_BASE_POINTER) != 0;
        draw::state_gs [SCRATCH_SPACE_BASE_POINTER PER_THREAD_SCRATCH_SPACE] if own(draw::state_gs::SCRATCH_SPACE_BASE_POINTER) != 0;
        draw::state_ps [SCRATCH_SPACE_BASE_POINTER PER_THREAD_SCRATCH_SPACE] if own(draw::state_ps::SCRATCH_SPACE_BASE_POINTER) != 0;
        media::media_vfe_state [SCRATCH_SPACE_BASE_POINTER PER_THREAD_SCRATCH_SPACE]
            if own(media::media_vfe_state::SCRATCH_SPACE_BASE_POINTER) != 0;
        draw::state_wm_depth_stencil [STENCIL_TEST_ENABLE STENCIL_BUFFER_WRITE_ENABLE]
            if flag!(work, state_stencil_buffer::STENCIL_BUFFER_ENABLE);
        draw::state_wm_depth_stencil [STENCIL_BUFFER_WRITE_ENABLE] if tested;
        draw::state_wm_depth_stencil [DEPTH_TEST_ENABLE DEPTH_BUFFER_WRITE_ENABLE]
            if get!(work, state_depth_buffer::SURFACE_TYPE) != 7;
        media::gpgpu_walker [THREAD_GROUP_ID_X_DIMENSION THREAD_GROUP_ID_Y_DIMENSION THREAD_GROUP_ID_Z_DIMENSION]
            if own(media::gpgpu_walker::INDIRECT_PARAMETER_ENABLE) == 0;
        media::gpgpu_walker [INDIRECT_DATA_START_ADDRESS] if own(media::gpgpu_walker::INDIRECT_DATA_LENGTH) != 0;
    };
    if !on {
        return 0;
    }
    let below = |count: u64| {
        1u64.checked_shl(count as u32)
            .map_or(u64::MAX, |bit| bit - 1)
    };
    let attributes = get!(work, state_sbe::NUMBER_OF_SF_OUTPUT_ATTRIBUTES);
    // Which of several of one name this is: by its place among them.
    let number = || {
        place
            .packet
            .fields
            .iter()
            .filter(|other| other.name == field.name && other.lo < field.lo)
            .count() as u64
    };
    match () {
        _ if is(&draw::state_sbe::PACKET) && field.name == "Attribute Active Component Format" => {
            if number() < attributes {
                u64::MAX
            } else {
                0
            }
        }
        _ if is(&draw::state_sbe::PACKET)
            && *field == draw::state_sbe::CONSTANT_INTERPOLATION_ENABLE =>
        {
            // Kernels take what is flat from the place where the first vertex's value is in any case.
            let selects = [
                get!(work, state_sf::TRIANGLE_STRIP_LIST_PROVOKING_VERTEX_SELECT),
                get!(work, state_sf::LINE_STRIP_LIST_PROVOKING_VERTEX_SELECT),
            ];
            // TRIFAN and POLYGON have a select of their own.
            let first = selects == [0; 2] && ![0x06, 0x0e].contains(&topology);
            below(attributes) & if first { !own(*field) } else { u64::MAX }
        }
        _ if is(&draw::state_sbe::PACKET)
            && *field == draw::state_sbe::POINT_SPRITE_TEXTURE_COORDINATE_ENABLE =>
        {
            if objects.points { below(attributes) } else { 0 }
        }
        _ if is(&draw::state_sbe_swiz::PACKET) => {
            use ds::sf_output_attribute_detail as detail;
            let used = flag!(work, state_sbe::ATTRIBUTE_SWIZZLE_ENABLE) && number() < attributes;
            let value = [field.get(&place.words) as u32];
            let overridden = [
                detail::COMPONENT_OVERRIDE_X,
                detail::COMPONENT_OVERRIDE_Y,
                detail::COMPONENT_OVERRIDE_Z,
                detail::COMPONENT_OVERRIDE_W,
            ];
            let constant = overridden
                .iter()
                .any(|component| component.get(&value) == 1);
            let mut unused = [0];
            if !constant {
                detail::CONSTANT_SOURCE.set(&mut unused, 3);
            }
            // The mode is the first attribute's.
            if number() != 0 {
                detail::SWIZZLE_CONTROL_MODE.set(&mut unused, 1);
            }
            if used { u64::from(!unused[0]) } else { 0 }
        }
        _ if is(&draw::state_sample_pattern::PACKET) => {
            let samples = 1u64 << get!(work, state_multisample::NUMBER_OF_MULTISAMPLES);
            if field.name.starts_with(&format!("{samples}x ")) {
                u64::MAX
            } else {
                0
            }
        }
        _ if is(&draw::state_sample_mask::PACKET) => {
            below(1 << get!(work, state_multisample::NUMBER_OF_MULTISAMPLES))
        }
        _ if is(&ds::state_constant_body::PACKET) && field.name == "Buffer" => {
            let length = place
                .packet
                .fields
                .iter()
                .filter(|other| other.name == "Read Length")
                .nth(number() as usize);
            if length.is_some_and(|length| length.get(&place.words) != 0) {
                u64::MAX
            } else {
                0
            }
        }
        _ if is(&ds::vertex_buffer_state::PACKET) => {
            let index = ds::vertex_buffer_state::VERTEX_BUFFER_INDEX.get(&place.words);
            let reads = |element: &Place| {
                ds::vertex_element_state::VERTEX_BUFFER_INDEX.get(&element.words) == index
            };
            if fetched(work).any(reads) {
                u64::MAX
            } else {
                0
            }
        }
        _ if is(&ds::vertex_element_state::PACKET) && *field != ds::vertex_element_state::VALID => {
            if own(ds::vertex_element_state::VALID) == 1 {
                u64::MAX
            } else {
                0
            }
        }
        _ if is(&draw::state_vf_instancing::PACKET) => {
            let index = draw::state_vf_instancing::VERTEX_ELEMENT_INDEX.get(&place.words);
            let element = work
                .all(&ds::vertex_element_state::PACKET)
                .nth(index as usize);
            if element.is_some_and(fetches) {
                u64::MAX
            } else {
                0
            }
        }
        _ if is(&state::render_surface_state::PACKET) && !of_surface(place, field) => 0,
        // AUX_CCS_D disables the compression of render targets, and is AUX_CCS_E to the sampler.
        _ if is(&state::render_surface_state::PACKET)
            && *field == state::render_surface_state::AUXILIARY_SURFACE_MODE
            && own(*field) == 5 =>
        {
            !(1 << 2)
        }
        _ if is(&state::sampler_state::PACKET)
            && !(sends.samples() && of_sampler(place, field)) =>
        {
            0
        }
        // The rest of the mask is for what is inert.
        _ if is(&media::pipeline_select::PACKET) && *field == media::pipeline_select::MASK_BITS => {
            0b11
        }
        _ if is(&media::gpgpu_walker::PACKET)
            && [
                media::gpgpu_walker::RIGHT_EXECUTION_MASK,
                media::gpgpu_walker::BOTTOM_EXECUTION_MASK,
            ]
            .contains(field) =>
        {
            below(8 << own(media::gpgpu_walker::SIMD_SIZE))
        }
        _ if is(&mi::mi_load_register_imm::PACKET)
            && *field == mi::mi_load_register_imm::DATA_DWORD =>
        {
            let offset = mi::mi_load_register_imm::REGISTER_OFFSET.get(&place.words) as u32;
            gpu::fate::register::of(offset).map_or(u64::MAX, |registers| registers.counts().into())
        }
        _ if is(&ds::so_decl_entry::PACKET) => {
            let streams = [
                "Stream 0 Decl",
                "Stream 1 Decl",
                "Stream 2 Decl",
                "Stream 3 Decl",
            ];
            let of = streams.iter().position(|name| *name == field.name);
            if of.is_none_or(stream) { u64::MAX } else { 0 }
        }
        _ if is(&draw::state_so_decl_list::PACKET) && field.name.starts_with("Num Entries") => {
            u64::MAX
        }
        _ if is(&ds::sampler_border_color_state::PACKET) => {
            let border =
                |place: &Place| of_sampler(place, &state::sampler_state::BORDER_COLOR_POINTER);
            if work.all(&state::sampler_state::PACKET).any(border) {
                u64::MAX
            } else {
                0
            }
        }
        _ => u64::MAX,
    }
}
