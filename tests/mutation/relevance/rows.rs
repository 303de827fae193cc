//! The conditions under which single fields count.
//!
//! In:  the state of a draw or dispatch, and a field. Out: false where some row excludes the field.
//! Ref: SKL PRM vol. 2a and 2d, each field's description and "exists if".

use super::stages::*;
use super::state::{State, strip};
use draw_state as ds;
use hw::{draw, draw_state, media, mi, state as hw_state};

/// True unless a row excludes the field.
pub fn counts(state: &State<'_, '_>) -> bool {
    geometry(state)
        && raster(state)
        && pixel(state)
        && depth(state)
        && resources(state)
        && memory(state)
}

/// Vertex fetch, the geometry stages, and stream output.
fn geometry(state: &State<'_, '_>) -> bool {
    rows! { state.place, state.field;
        draw::state_vs [USER_CLIP_DISTANCE_CLIP_TEST_ENABLE_BITMASK] if state.clip_tests() && state.vs_last();
        draw::state_vs [USER_CLIP_DISTANCE_CULL_TEST_ENABLE_BITMASK] if state.cull_tests() && state.vs_last();
        draw::state_ds [USER_CLIP_DISTANCE_CLIP_TEST_ENABLE_BITMASK] if state.clip_tests() && state.ds_last();
        draw::state_ds [USER_CLIP_DISTANCE_CULL_TEST_ENABLE_BITMASK] if state.cull_tests() && state.ds_last();
        draw::state_gs [USER_CLIP_DISTANCE_CLIP_TEST_ENABLE_BITMASK] if state.clip_tests();
        draw::state_gs [USER_CLIP_DISTANCE_CULL_TEST_ENABLE_BITMASK] if state.cull_tests();
        draw::state_vs [VERTEX_URB_ENTRY_OUTPUT_READ_OFFSET] if state.set_up() && state.vs_last();
        draw::state_ds [VERTEX_URB_ENTRY_OUTPUT_READ_OFFSET] if state.set_up() && state.ds_last();
        draw::state_gs [VERTEX_URB_ENTRY_OUTPUT_READ_OFFSET] if state.set_up();
        draw::state_hs [VERTEX_URB_ENTRY_READ_OFFSET] if state.own(draw::state_hs::VERTEX_URB_ENTRY_READ_LENGTH) != 0;
        draw::state_vs [VERTEX_URB_ENTRY_READ_OFFSET] if state.own(draw::state_vs::VERTEX_URB_ENTRY_READ_LENGTH) != 0;
        draw::state_gs [VERTEX_URB_ENTRY_READ_OFFSET] if state.own(draw::state_gs::VERTEX_URB_ENTRY_READ_LENGTH) != 0;
        draw::state_ds [PATCH_URB_ENTRY_READ_OFFSET] if state.own(draw::state_ds::PATCH_URB_ENTRY_READ_LENGTH) != 0;
        // Kernels of other domains have no third coordinate.
        draw::state_ds [COMPUTE_W_COORDINATE_ENABLE]
            if state.own(draw::state_ds::COMPUTE_W_COORDINATE_ENABLE) == 1 || get!(state.work, state_te::TE_DOMAIN) == 1;
        draw::state_gs [STATIC_OUTPUT_VERTEX_COUNT] if state.own(draw::state_gs::STATIC_OUTPUT) == 1;
        draw::state_gs [REORDER_MODE] if strip(state.topology());
        draw::state_gs [DISCARD_ADJACENCY] if state.adjacency();
        draw::state_streamout [REORDER_MODE] if strip(state.streamed());
        // Where nothing is to be seen of what is rendered, it may be.
        draw::state_streamout [FORCE_RENDERING] if state.own(draw::state_streamout::RENDERING_DISABLE) == 1
            && (flag!(state.work, state_ps_extra::PIXEL_SHADER_VALID) || depth_used(state.work) || state.stencil() || state.work.uses.counters);
        // The number of the only instance is 0, as what stands in its place.
        draw::state_vf_sgvs [INSTANCEID_ELEMENT_OFFSET INSTANCEID_COMPONENT_NUMBER INSTANCEID_ENABLE]
            if state.indirect() || get!(state.work, primitive::INSTANCE_COUNT) > 1;
        draw::state_vf [COMPONENT_PACKING_ENABLE] if state.packed();
        draw::state_vf_sgvs [VERTEXID_ENABLE] if state.own(draw::state_vf_sgvs::VERTEXID_ELEMENT_OFFSET) < state.elements();
        draw::state_vf_sgvs [INSTANCEID_ENABLE] if state.own(draw::state_vf_sgvs::INSTANCEID_ELEMENT_OFFSET) < state.elements();
        draw::state_so_buffer [SO_BUFFER_ENABLE STREAM_OFFSET_WRITE_ENABLE STREAM_OUTPUT_BUFFER_OFFSET_ADDRESS_ENABLE
            STREAM_OFFSET STREAM_OUTPUT_BUFFER_OFFSET_ADDRESS SURFACE_BASE_ADDRESS SURFACE_SIZE]
            if state.bound(state.own(draw::state_so_buffer::SO_BUFFER_INDEX) as u32);
        draw::state_so_buffer [STREAM_OFFSET] if state.own(draw::state_so_buffer::STREAM_OFFSET_WRITE_ENABLE) == 1;
        draw::state_so_buffer [STREAM_OUTPUT_BUFFER_OFFSET_ADDRESS]
            if state.own(draw::state_so_buffer::STREAM_OUTPUT_BUFFER_OFFSET_ADDRESS_ENABLE) == 1;
        draw_state::vertex_buffer_state [NULL_VERTEX_BUFFER] if state.own(ds::vertex_buffer_state::BUFFER_SIZE) != 0;
        draw::state_vf [CUT_INDEX] if flag!(state.work, state_vf::INDEXED_DRAW_CUT_INDEX_ENABLE) && indexed(state.work);
        draw::state_vf [INDEXED_DRAW_CUT_INDEX_ENABLE] if indexed(state.work);
        draw::state_vf_instancing [INSTANCE_DATA_STEP_RATE] if state.own(draw::state_vf_instancing::INSTANCING_ENABLE) == 1;
        draw::state_vf_sgvs [VERTEXID_ELEMENT_OFFSET VERTEXID_COMPONENT_NUMBER]
            if state.own(draw::state_vf_sgvs::VERTEXID_ENABLE) == 1;
        draw::state_vf_sgvs [INSTANCEID_ELEMENT_OFFSET INSTANCEID_COMPONENT_NUMBER]
            if state.own(draw::state_vf_sgvs::INSTANCEID_ENABLE) == 1;
        draw::primitive [VERTEX_COUNT_PER_INSTANCE START_VERTEX_LOCATION INSTANCE_COUNT] if !state.indirect();
        draw::primitive [START_INSTANCE_LOCATION] if !state.indirect() && state.instanced();
        draw::primitive [BASE_VERTEX_LOCATION] if !state.indirect() && indexed(state.work);
        draw_state::vertex_element_state [SOURCE_ELEMENT_OFFSET SOURCE_ELEMENT_FORMAT VERTEX_BUFFER_INDEX] if fetches(state.place);
        draw_state::vertex_element_state [EDGE_FLAG_ENABLE]
            if flag!(state.work, state_raster::FRONT_FACE_FILL_MODE) || flag!(state.work, state_raster::BACK_FACE_FILL_MODE);
        draw::state_streamout [STREAM_1_VERTEX_READ_LENGTH STREAM_1_VERTEX_READ_OFFSET] if state.stream(1);
        draw::state_streamout [STREAM_2_VERTEX_READ_LENGTH STREAM_2_VERTEX_READ_OFFSET] if state.stream(2);
        draw::state_streamout [STREAM_3_VERTEX_READ_LENGTH STREAM_3_VERTEX_READ_OFFSET] if state.stream(3);
        draw::state_so_decl_list [STREAM_TO_BUFFER_SELECTS_1] if state.stream(1);
        draw::state_so_decl_list [STREAM_TO_BUFFER_SELECTS_2] if state.stream(2);
        draw::state_so_decl_list [STREAM_TO_BUFFER_SELECTS_3] if state.stream(3);
        draw::state_streamout [BUFFER_1_SURFACE_PITCH] if state.bound(1);
        draw::state_streamout [BUFFER_2_SURFACE_PITCH] if state.bound(2);
        draw::state_streamout [BUFFER_3_SURFACE_PITCH] if state.bound(3);
    }
}

/// Clipping, setup and rasterisation.
fn raster(state: &State<'_, '_>) -> bool {
    rows! { state.place, state.field;
        draw::state_clip [CLIP_ENABLE] if state.topology() != RECTLIST;
        draw::state_clip [USER_CLIP_DISTANCE_CLIP_TEST_ENABLE_BITMASK]
            if state.own(draw::state_clip::FORCE_USER_CLIP_DISTANCE_CLIP_TEST_ENABLE_BITMASK) == 1;
        draw::state_clip [USER_CLIP_DISTANCE_CULL_TEST_ENABLE_BITMASK]
            if state.own(draw::state_clip::FORCE_USER_CLIP_DISTANCE_CULL_TEST_ENABLE_BITMASK) == 1;
        // What lies outside is not seen in any case: the viewport's extents cut triangles; counts
        // see it, and points and lines.
        draw::state_clip [VIEWPORT_XY_CLIP_TEST_ENABLE]
            if state.work.uses.clipped || state.kinds(true, true, false) || !flag!(state.work, state_clip::GUARDBAND_CLIP_TEST_ENABLE);
        draw::state_wm [FORCE_THREAD_DISPATCH_ENABLE]
            if state.own(draw::state_wm::FORCE_THREAD_DISPATCH_ENABLE) != 0 || state.work.pixel_sends().writes || state.by_shader();
        draw::state_wm [FORCE_THREAD_DISPATCH_ENABLE] if !state.threads_run();
        draw::state_wm [EARLY_DEPTH_STENCIL_CONTROL] if depth_used(state.work) || stencil_tested(state.work);
        draw::state_wm [POSITION_ZW_INTERPOLATION_MODE] if state.by_depth() && flag!(state.work, state_multisample::NUMBER_OF_MULTISAMPLES);
        draw::state_raster [GLOBAL_DEPTH_OFFSET_ENABLE_SOLID GLOBAL_DEPTH_OFFSET_ENABLE_WIREFRAME GLOBAL_DEPTH_OFFSET_ENABLE_POINT]
            if state.own(draw::state_raster::GLOBAL_DEPTH_OFFSET_CONSTANT) != 0 || state.own(draw::state_raster::GLOBAL_DEPTH_OFFSET_SCALE) != 0;
        draw::state_sf [LINE_WIDTH LAST_PIXEL_ENABLE] if state.kinds(false, true, false);
        draw::state_sf [POINT_WIDTH_SOURCE] if state.kinds(true, false, false);
        draw::state_sf [POINT_WIDTH] if state.kinds(true, false, false) && flag!(state.work, state_sf::POINT_WIDTH_SOURCE);
        draw::state_clip [MINIMUM_POINT_WIDTH MAXIMUM_POINT_WIDTH] if state.kinds(true, false, false);
        draw::state_raster [CULL_MODE FRONT_WINDING FRONT_FACE_FILL_MODE BACK_FACE_FILL_MODE] if state.kinds(false, false, true);
        draw::state_raster [SMOOTH_POINT_ENABLE] if state.kinds(true, false, false);
        draw::state_raster [ANTIALIASING_ENABLE] if state.kinds(false, true, false);
        draw::state_raster [GLOBAL_DEPTH_OFFSET_ENABLE_SOLID] if state.kinds(false, false, true) && depth_used(state.work);
        draw::state_raster [GLOBAL_DEPTH_OFFSET_ENABLE_WIREFRAME] if state.objects().triangles && state.objects().lines && depth_used(state.work);
        draw::state_raster [GLOBAL_DEPTH_OFFSET_ENABLE_POINT] if state.objects().triangles && state.objects().points && depth_used(state.work);
        draw::state_raster [GLOBAL_DEPTH_OFFSET_CONSTANT GLOBAL_DEPTH_OFFSET_SCALE GLOBAL_DEPTH_OFFSET_CLAMP]
            if flag!(state.work, state_raster::GLOBAL_DEPTH_OFFSET_ENABLE_SOLID) && depth_used(state.work);
        draw::state_wm [LINE_STIPPLE_ENABLE] if state.kinds(false, true, false);
        draw::state_wm [POINT_RASTERIZATION_RULE] if state.kinds(true, false, false);
        draw::state_wm [POLYGON_STIPPLE_ENABLE] if state.kinds(false, false, true);
        draw::state_sbe [PRIMITIVE_ID_OVERRIDE_ATTRIBUTE_SELECT]
            if [draw::state_sbe::PRIMITIVE_ID_OVERRIDE_COMPONENT_X, draw::state_sbe::PRIMITIVE_ID_OVERRIDE_COMPONENT_Y,
                draw::state_sbe::PRIMITIVE_ID_OVERRIDE_COMPONENT_Z, draw::state_sbe::PRIMITIVE_ID_OVERRIDE_COMPONENT_W]
                .iter().any(|component| state.own(*component) == 1);
        draw::state_sbe [VERTEX_URB_ENTRY_READ_OFFSET] if state.own(draw::state_sbe::FORCE_VERTEX_URB_ENTRY_READ_OFFSET) == 1;
        draw::state_sbe [VERTEX_URB_ENTRY_READ_LENGTH] if state.own(draw::state_sbe::FORCE_VERTEX_URB_ENTRY_READ_LENGTH) == 1;
        draw::state_sbe [POINT_SPRITE_TEXTURE_COORDINATE_ORIGIN]
            if state.objects().points && state.own(draw::state_sbe::POINT_SPRITE_TEXTURE_COORDINATE_ENABLE) != 0;
        draw_state::sf_clip_viewport [VIEWPORT_MATRIX_ELEMENT_M00 VIEWPORT_MATRIX_ELEMENT_M11 VIEWPORT_MATRIX_ELEMENT_M22
            VIEWPORT_MATRIX_ELEMENT_M30 VIEWPORT_MATRIX_ELEMENT_M31 VIEWPORT_MATRIX_ELEMENT_M32]
            if flag!(state.work, state_sf::VIEWPORT_TRANSFORM_ENABLE);
        draw_state::sf_clip_viewport [VIEWPORT_MATRIX_ELEMENT_M22 VIEWPORT_MATRIX_ELEMENT_M32] if depth_used(state.work) || state.by_depth();
        draw_state::scissor_rect [SCISSOR_RECTANGLE_X_MIN SCISSOR_RECTANGLE_Y_MIN SCISSOR_RECTANGLE_X_MAX
            SCISSOR_RECTANGLE_Y_MAX] if flag!(state.work, state_raster::SCISSOR_RECTANGLE_ENABLE);
        draw::state_sf [AA_LINE_DISTANCE_MODE] if flag!(state.work, state_raster::ANTIALIASING_ENABLE) && state.objects().lines;
        draw::state_sf [TRIANGLE_FAN_PROVOKING_VERTEX_SELECT LINE_STRIP_LIST_PROVOKING_VERTEX_SELECT
            TRIANGLE_STRIP_LIST_PROVOKING_VERTEX_SELECT] if rasterises(state.work);
    }
}

/// Pixel shader threads and blending.
fn pixel(state: &State<'_, '_>) -> bool {
    rows! { state.place, state.field;
        draw::state_ps [PUSH_CONSTANT_ENABLE] if state.pushes(&draw::state_constant_ps::PACKET);
        // Partial and full resolves differ in what is compressed; of AUX_CCS_E surfaces alone
        // something is.
        draw::state_ps [RENDER_TARGET_RESOLVE_TYPE] if state.own(draw::state_ps::RENDER_TARGET_RESOLVE_TYPE) & 1 == 0 || state.compressed();
        // Of several widths each gives the same; the kernels' places change only where eight pixels
        // have none.
        draw::state_ps [N16_PIXEL_DISPATCH_ENABLE N32_PIXEL_DISPATCH_ENABLE] if state.own(*state.field) == 0 || !widths(state.work)[0];
        // Enabled without need, the field only costs time.
        draw::state_ps_blend [HAS_WRITEABLE_RT] if state.own(draw::state_ps_blend::HAS_WRITEABLE_RT) == 1;
        draw::state_ps_extra [PIXEL_SHADER_HAS_UAV] if !state.threads_run() && !state.forced()
            && (state.own(draw::state_ps_extra::PIXEL_SHADER_HAS_UAV) == 1 || state.work.uses.counters);
        // A pixel that is said to be killed and is not only costs time.
        draw::state_ps_extra [PIXEL_SHADER_KILLS_PIXEL] if state.own(draw::state_ps_extra::PIXEL_SHADER_KILLS_PIXEL) == 1;
        // Helper pixels, which only the vector mask has, write nothing to render targets.
        draw::state_ps [VECTOR_MASK_ENABLE] if state.own(draw::state_ps::VECTOR_MASK_ENABLE) == 1 || state.work.pixel_sends().writes;
        draw_state::blend_state_entry [COLOR_CLAMP_RANGE] if state.clamps();
        // Without threads that write colours nothing is blended.
        draw_state::blend_state_entry [PRE_BLEND_COLOR_CLAMP_ENABLE POST_BLEND_COLOR_CLAMP_ENABLE] if state.ps() && state.threads_run();
        draw::state_ps [KERNEL_START_POINTER_0 DISPATCH_GRF_START_REGISTER_FOR_CONSTANT_SETUP_DATA_0]
            if first_kernel(state.work);
        draw::state_ps [KERNEL_START_POINTER_2 DISPATCH_GRF_START_REGISTER_FOR_CONSTANT_SETUP_DATA_2]
            if third_kernel(state.work);
        draw::state_ps [KERNEL_START_POINTER_1 DISPATCH_GRF_START_REGISTER_FOR_CONSTANT_SETUP_DATA_1]
            if second_kernel(state.work);
        draw_state::blend_state_entry [SOURCE_BLEND_FACTOR DESTINATION_BLEND_FACTOR COLOR_BLEND_FUNCTION] if state.blends();
        draw_state::blend_state_entry [SOURCE_ALPHA_BLEND_FACTOR DESTINATION_ALPHA_BLEND_FACTOR ALPHA_BLEND_FUNCTION]
            if state.blends() && state.separate();
        draw_state::blend_state [INDEPENDENT_ALPHA_BLEND_ENABLE] if state.blends();
        draw_state::blend_state [ALPHA_TEST_FUNCTION] if state.alpha_test();
        draw_state::blend_state [X_DITHER_OFFSET Y_DITHER_OFFSET] if state.own(ds::blend_state::COLOR_DITHER_ENABLE) == 1;
        draw_state::blend_state_entry [LOGIC_OP_FUNCTION] if state.own(ds::blend_state_entry::LOGIC_OP_ENABLE) == 1;
        draw_state::blend_state [ALPHA_TO_COVERAGE_DITHER_ENABLE ALPHA_TO_ONE_ENABLE]
            if state.own(ds::blend_state::ALPHA_TO_COVERAGE_ENABLE) == 1;
        draw_state::color_calc_state [BLEND_CONSTANT_COLOR_RED BLEND_CONSTANT_COLOR_GREEN BLEND_CONSTANT_COLOR_BLUE
            BLEND_CONSTANT_COLOR_ALPHA] if state.blends() && state.constant();
        draw_state::color_calc_state [ALPHA_TEST_FORMAT] if state.alpha_test();
        draw_state::color_calc_state [ALPHA_REFERENCE_VALUE_AS_UNORM8]
            if state.alpha_test() && state.own(ds::color_calc_state::ALPHA_TEST_FORMAT) == 0;
        draw_state::color_calc_state [ALPHA_REFERENCE_VALUE_AS_FLOAT32]
            if state.alpha_test() && state.own(ds::color_calc_state::ALPHA_TEST_FORMAT) == 1;
        draw::state_ps_blend [SOURCE_BLEND_FACTOR DESTINATION_BLEND_FACTOR] if flag!(state.work, state_ps_blend::COLOR_BUFFER_BLEND_ENABLE);
        draw::state_ps_blend [SOURCE_ALPHA_BLEND_FACTOR DESTINATION_ALPHA_BLEND_FACTOR]
            if flag!(state.work, state_ps_blend::COLOR_BUFFER_BLEND_ENABLE) && state.separate();
        draw::state_ps_blend [INDEPENDENT_ALPHA_BLEND_ENABLE] if state.blends();
        draw::state_cc_state_pointers [COLOR_CALC_STATE_POINTER COLOR_CALC_STATE_POINTER_VALID] if state.alpha_test() || state.blends() && state.constant();
        draw::state_ps_extra [PIXEL_SHADER_DISABLES_ALPHA_TO_COVERAGE] if state.alpha();
    }
}

/// Depth and stencil tests.
fn depth(state: &State<'_, '_>) -> bool {
    rows! { state.place, state.field;
        // Without depth the command only gives the size of the stencil buffer.
        draw::state_depth_buffer [SURFACE_PITCH SURFACE_BASE_ADDRESS SURFACE_QPITCH] if depth_used(state.work);
        draw::state_depth_buffer [DEPTH_WRITE_ENABLE]
            if operates(state.work) || flag!(state.work, state_wm_depth_stencil::DEPTH_BUFFER_WRITE_ENABLE);
        draw::state_depth_buffer [SURFACE_QPITCH] if state.depth_layered();
        draw::state_stencil_buffer [SURFACE_QPITCH] if state.depth_layered();
        draw::state_hier_depth_buffer [SURFACE_QPITCH] if state.depth_layered();
        draw::state_depth_buffer [STENCIL_WRITE_ENABLE] if state.stencil_writes();
        draw::state_wm_hz_op [STENCIL_CLEAR_VALUE] if state.own(draw::state_wm_hz_op::STENCIL_BUFFER_CLEAR_ENABLE) == 1;
        draw::state_wm_depth_stencil [STENCIL_FAIL_OP STENCIL_PASS_DEPTH_PASS_OP STENCIL_PASS_DEPTH_FAIL_OP
            BACKFACE_STENCIL_FAIL_OP BACKFACE_STENCIL_PASS_DEPTH_PASS_OP BACKFACE_STENCIL_PASS_DEPTH_FAIL_OP] if state.writes();
        // COMPAREFUNCTION_ALWAYS does not fail.
        draw::state_wm_depth_stencil [STENCIL_PASS_DEPTH_FAIL_OP BACKFACE_STENCIL_PASS_DEPTH_FAIL_OP]
            if depth_tested(state.work) && flag!(state.work, state_wm_depth_stencil::DEPTH_TEST_FUNCTION);
        draw::state_wm_depth_stencil [STENCIL_BUFFER_WRITE_ENABLE] if !state.kept();
        draw::state_wm_depth_stencil [DOUBLE_SIDED_STENCIL_ENABLE] if state.topology() != RECTLIST;
        draw::state_wm_depth_stencil [DEPTH_TEST_FUNCTION] if depth_tested(state.work);
        draw::state_wm_depth_stencil [STENCIL_TEST_FUNCTION STENCIL_FAIL_OP STENCIL_PASS_DEPTH_PASS_OP
            STENCIL_PASS_DEPTH_FAIL_OP STENCIL_TEST_MASK STENCIL_REFERENCE_VALUE DOUBLE_SIDED_STENCIL_ENABLE] if state.tested();
        draw::state_wm_depth_stencil [STENCIL_WRITE_MASK] if state.tested() && state.writes();
        draw::state_wm_depth_stencil [BACKFACE_STENCIL_TEST_FUNCTION BACKFACE_STENCIL_FAIL_OP
            BACKFACE_STENCIL_PASS_DEPTH_PASS_OP BACKFACE_STENCIL_PASS_DEPTH_FAIL_OP BACKFACE_STENCIL_TEST_MASK
            BACKFACE_STENCIL_REFERENCE_VALUE] if state.sided();
        draw::state_wm_depth_stencil [BACKFACE_STENCIL_WRITE_MASK] if state.sided() && state.writes();
        draw::state_viewport_state_pointers_cc [CC_VIEWPORT_POINTER] if depth_used(state.work);
        draw_state::cc_viewport [MINIMUM_DEPTH MAXIMUM_DEPTH] if depth_used(state.work);
        draw::state_wm_depth_stencil [STENCIL_TEST_ENABLE STENCIL_BUFFER_WRITE_ENABLE]
            if flag!(state.work, state_stencil_buffer::STENCIL_BUFFER_ENABLE);
        draw::state_wm_depth_stencil [STENCIL_BUFFER_WRITE_ENABLE] if state.tested();
        draw::state_wm_depth_stencil [DEPTH_TEST_ENABLE DEPTH_BUFFER_WRITE_ENABLE]
            if get!(state.work, state_depth_buffer::SURFACE_TYPE) != 7;
    }
}

/// What stages are given: statistics, binding tables, samplers, push constants, scratch space.
fn resources(state: &State<'_, '_>) -> bool {
    rows! { state.place, state.field;
        draw::state_vs [DISPATCH_GRF_START_REGISTER_FOR_URB_DATA]
            if state.pushes(&draw::state_constant_vs::PACKET) || state.own(draw::state_vs::VERTEX_URB_ENTRY_READ_LENGTH) != 0;
        draw::state_hs [DISPATCH_GRF_START_REGISTER_FOR_URB_DATA DISPATCH_GRF_START_REGISTER_FOR_URB_DATA_5]
            if state.pushes(&draw::state_constant_hs::PACKET);
        draw::state_ds [DISPATCH_GRF_START_REGISTER_FOR_URB_DATA]
            if state.pushes(&draw::state_constant_ds::PACKET) || state.own(draw::state_ds::PATCH_URB_ENTRY_READ_LENGTH) != 0;
        draw::state_gs [DISPATCH_GRF_START_REGISTER_FOR_URB_DATA DISPATCH_GRF_START_REGISTER_FOR_URB_DATA_5_4]
            if state.pushes(&draw::state_constant_gs::PACKET) || state.own(draw::state_gs::VERTEX_URB_ENTRY_READ_LENGTH) != 0;
        draw::state_vs [STATISTICS_ENABLE] if state.work.uses.counters;
        draw::state_hs [STATISTICS_ENABLE] if state.work.uses.counters;
        draw::state_ds [STATISTICS_ENABLE] if state.work.uses.counters;
        draw::state_gs [STATISTICS_ENABLE] if state.work.uses.counters;
        draw::state_clip [STATISTICS_ENABLE] if state.work.uses.counters;
        draw::state_wm [STATISTICS_ENABLE] if state.work.uses.counters;
        draw::state_vf_statistics [STATISTICS_ENABLE] if state.work.uses.counters;
        draw::state_binding_table_pointers_vs [POINTER_TO_VS_BINDING_TABLE]
            if state.sends().table() && state.counts(&draw::state_vs::PACKET, draw::state_vs::BINDING_TABLE_ENTRY_COUNT);
        draw::state_sampler_state_pointers_vs [POINTER_TO_VS_SAMPLER_STATE]
            if state.counts(&draw::state_vs::PACKET, draw::state_vs::SAMPLER_COUNT);
        draw::state_push_constant_alloc_vs [CONSTANT_BUFFER_OFFSET CONSTANT_BUFFER_SIZE] if state.vs() && state.pushes(&draw::state_constant_vs::PACKET);
        draw::state_binding_table_pointers_hs [POINTER_TO_HS_BINDING_TABLE]
            if state.sends().table() && state.counts(&draw::state_hs::PACKET, draw::state_hs::BINDING_TABLE_ENTRY_COUNT);
        draw::state_sampler_state_pointers_hs [POINTER_TO_HS_SAMPLER_STATE]
            if state.counts(&draw::state_hs::PACKET, draw::state_hs::SAMPLER_COUNT);
        draw::state_push_constant_alloc_hs [CONSTANT_BUFFER_OFFSET CONSTANT_BUFFER_SIZE] if state.hs() && state.pushes(&draw::state_constant_hs::PACKET);
        draw::state_binding_table_pointers_ds [POINTER_TO_DS_BINDING_TABLE]
            if state.sends().table() && state.counts(&draw::state_ds::PACKET, draw::state_ds::BINDING_TABLE_ENTRY_COUNT);
        draw::state_sampler_state_pointers_ds [POINTER_TO_DS_SAMPLER_STATE]
            if state.counts(&draw::state_ds::PACKET, draw::state_ds::SAMPLER_COUNT);
        draw::state_push_constant_alloc_ds [CONSTANT_BUFFER_OFFSET CONSTANT_BUFFER_SIZE] if state.ds() && state.pushes(&draw::state_constant_ds::PACKET);
        draw::state_binding_table_pointers_gs [POINTER_TO_GS_BINDING_TABLE]
            if state.sends().table() && state.counts(&draw::state_gs::PACKET, draw::state_gs::BINDING_TABLE_ENTRY_COUNT);
        draw::state_sampler_state_pointers_gs [POINTER_TO_GS_SAMPLER_STATE]
            if state.counts(&draw::state_gs::PACKET, draw::state_gs::SAMPLER_COUNT);
        draw::state_push_constant_alloc_gs [CONSTANT_BUFFER_OFFSET CONSTANT_BUFFER_SIZE] if state.gs() && state.pushes(&draw::state_constant_gs::PACKET);
        draw::state_binding_table_pointers_ps [POINTER_TO_PS_BINDING_TABLE]
            if state.sends().table() && state.counts(&draw::state_ps::PACKET, draw::state_ps::BINDING_TABLE_ENTRY_COUNT);
        draw::state_sampler_state_pointers_ps [POINTER_TO_PS_SAMPLER_STATE]
            if state.counts(&draw::state_ps::PACKET, draw::state_ps::SAMPLER_COUNT);
        draw::state_push_constant_alloc_ps [CONSTANT_BUFFER_OFFSET CONSTANT_BUFFER_SIZE] if state.ps() && state.pushes(&draw::state_constant_ps::PACKET);
        draw::state_vs [SCRATCH_SPACE_BASE_POINTER PER_THREAD_SCRATCH_SPACE] if state.own(draw::state_vs::SCRATCH_SPACE_BASE_POINTER) != 0;
        draw::state_hs [SCRATCH_SPACE_BASE_POINTER PER_THREAD_SCRATCH_SPACE] if state.own(draw::state_hs::SCRATCH_SPACE_BASE_POINTER) != 0;
        draw::state_ds [SCRATCH_SPACE_BASE_POINTER PER_THREAD_SCRATCH_SPACE] if state.own(draw::state_ds::SCRATCH_SPACE_BASE_POINTER) != 0;
        draw::state_gs [SCRATCH_SPACE_BASE_POINTER PER_THREAD_SCRATCH_SPACE] if state.own(draw::state_gs::SCRATCH_SPACE_BASE_POINTER) != 0;
        draw::state_ps [SCRATCH_SPACE_BASE_POINTER PER_THREAD_SCRATCH_SPACE] if state.own(draw::state_ps::SCRATCH_SPACE_BASE_POINTER) != 0;
    }
}

/// Surfaces, samplers, compute dispatches, base addresses and MI commands.
fn memory(state: &State<'_, '_>) -> bool {
    rows! { state.place, state.field;
        // The caller has nothing left to do.
        mi::mi_batch_buffer_start [SECOND_LEVEL_BATCH_BUFFER] if !state.work.last;
        // What is read as typed or untyped memory has no channels.
        hw_state::render_surface_state [SHADER_CHANNEL_SELECT_RED SHADER_CHANNEL_SELECT_GREEN SHADER_CHANNEL_SELECT_BLUE
            SHADER_CHANNEL_SELECT_ALPHA] if state.sends().sampler || state.is_target();
        hw_state::sampler_state [SHADOW_FUNCTION] if state.sends().compares();
        hw_state::sampler_state [TCZ_ADDRESS_CONTROL_MODE R_ADDRESS_MIN_FILTER_ROUNDING_ENABLE
            R_ADDRESS_MAG_FILTER_ROUNDING_ENABLE] if state.kinds_sampled(2);
        hw_state::sampler_state [MIP_MODE_FILTER] if state.levels();
        hw_state::sampler_state [CUBE_SURFACE_CONTROL_MODE] if state.kinds_sampled(3);
        hw_state::interface_descriptor_data [SAMPLER_STATE_POINTER] if state.sends().samples();
        media::state_base_address [GENERAL_STATE_BASE_ADDRESS GENERAL_STATE_BASE_ADDRESS_MODIFY_ENABLE
            GENERAL_STATE_BUFFER_SIZE GENERAL_STATE_BUFFER_SIZE_MODIFY_ENABLE] if state.work.uses.general;
        media::state_base_address [INDIRECT_OBJECT_BASE_ADDRESS INDIRECT_OBJECT_BASE_ADDRESS_MODIFY_ENABLE
            INDIRECT_OBJECT_BUFFER_SIZE INDIRECT_OBJECT_BUFFER_SIZE_MODIFY_ENABLE] if state.work.uses.indirect;
        media::state_base_address [BINDLESS_SURFACE_STATE_BASE_ADDRESS BINDLESS_SURFACE_STATE_BASE_ADDRESS_MODIFY_ENABLE
            BINDLESS_SURFACE_STATE_SIZE] if state.work.uses.bindless;
        // A longer command without the flag is undocumented (ERRATA.md).
        mi::mi_store_data_imm [STORE_QWORD] if state.place.words.len() <= 4;
        media::media_vfe_state [SCRATCH_SPACE_BASE_POINTER PER_THREAD_SCRATCH_SPACE]
            if state.own(media::media_vfe_state::SCRATCH_SPACE_BASE_POINTER) != 0;
        media::gpgpu_walker [THREAD_GROUP_ID_X_DIMENSION THREAD_GROUP_ID_Y_DIMENSION THREAD_GROUP_ID_Z_DIMENSION]
            if state.own(media::gpgpu_walker::INDIRECT_PARAMETER_ENABLE) == 0;
        media::gpgpu_walker [INDIRECT_DATA_START_ADDRESS] if state.own(media::gpgpu_walker::INDIRECT_DATA_LENGTH) != 0;
    }
}
