//! Fates of the 3D pipeline's commands.
//!
//! In:  the tables of `hw`. Out: the fate of each of their fields. Ref: SKL PRM vol. 2a.

use crate::fate::reason::*;
use crate::fate::table::fates;
use hw::draw;

#[rustfmt::skip]
fates! {
    draw::primitive {
        modelled: PREDICATE_ENABLE, INDIRECT_PARAMETER_ENABLE, VERTEX_ACCESS_TYPE, END_OFFSET_ENABLE,
            VERTEX_COUNT_PER_INSTANCE, START_VERTEX_LOCATION, INSTANCE_COUNT, START_INSTANCE_LOCATION,
            BASE_VERTEX_LOCATION;
        inert(IN_ORDER): UAV_COHERENCY_REQUIRED;
        inert(REPLACED): PRIMITIVE_TOPOLOGY_TYPE;
    }
    draw::state_aa_line_parameters { refused named "*"; }
    draw::state_binding_table_edit_ds { never named "*"; }
    draw::state_binding_table_edit_gs { never named "*"; }
    draw::state_binding_table_edit_hs { never named "*"; }
    draw::state_binding_table_edit_ps { never named "*"; }
    draw::state_binding_table_edit_vs { never named "*"; }
    draw::state_binding_table_pointers_ds {
        modelled: POINTER_TO_DS_BINDING_TABLE;
    }
    draw::state_binding_table_pointers_gs {
        modelled: POINTER_TO_GS_BINDING_TABLE;
    }
    draw::state_binding_table_pointers_hs {
        modelled: POINTER_TO_HS_BINDING_TABLE;
    }
    draw::state_binding_table_pointers_ps {
        modelled: POINTER_TO_PS_BINDING_TABLE;
    }
    draw::state_binding_table_pointers_vs {
        modelled: POINTER_TO_VS_BINDING_TABLE;
    }
    draw::state_binding_table_pool_alloc {
        inert(MOCS): MOCS;
        refused: BINDING_TABLE_POOL_ENABLE;
        inert(OFF): BINDING_TABLE_POOL_BASE_ADDRESS, BINDING_TABLE_POOL_BUFFER_SIZE;
    }
    draw::state_blend_state_pointers {
        modelled: BLEND_STATE_POINTER_VALID, BLEND_STATE_POINTER;
    }
    draw::state_cc_state_pointers {
        modelled: COLOR_CALC_STATE_POINTER_VALID, COLOR_CALC_STATE_POINTER;
    }
    draw::state_chroma_key { inert(OFF) named "*"; }
    draw::state_clear_params {
        modelled: DEPTH_CLEAR_VALUE;
        ruled("clear-params"): DEPTH_CLEAR_VALUE_VALID;
    }
    draw::state_clip {
        modelled: USER_CLIP_DISTANCE_CULL_TEST_ENABLE_BITMASK, STATISTICS_ENABLE,
            FORCE_USER_CLIP_DISTANCE_CLIP_TEST_ENABLE_BITMASK, FORCE_USER_CLIP_DISTANCE_CULL_TEST_ENABLE_BITMASK,
            TRIANGLE_FAN_PROVOKING_VERTEX_SELECT, LINE_STRIP_LIST_PROVOKING_VERTEX_SELECT,
            TRIANGLE_STRIP_LIST_PROVOKING_VERTEX_SELECT, PERSPECTIVE_DIVIDE_DISABLE, CLIP_MODE,
            USER_CLIP_DISTANCE_CLIP_TEST_ENABLE_BITMASK, GUARDBAND_CLIP_TEST_ENABLE, VIEWPORT_XY_CLIP_TEST_ENABLE,
            API_MODE, CLIP_ENABLE, FORCE_ZERO_RTA_INDEX_ENABLE;
        refused: FORCE_CLIP_MODE, VERTEX_SUB_PIXEL_PRECISION_SELECT;
        inert(EARLY): EARLY_CULL_ENABLE;
        allows("clip-barycentric"): NON_PERSPECTIVE_BARYCENTRIC_ENABLE;
        bound: MAXIMUM_VP_INDEX, MAXIMUM_POINT_WIDTH, MINIMUM_POINT_WIDTH;
    }
    draw::state_constant_ds {
        inert(MOCS): MOCS;
    }
    draw::state_constant_gs {
        inert(MOCS): MOCS;
    }
    draw::state_constant_hs {
        inert(MOCS): MOCS;
    }
    draw::state_constant_ps {
        inert(MOCS): MOCS;
    }
    draw::state_constant_vs {
        inert(MOCS): MOCS;
    }
    draw::state_depth_buffer {
        modelled: SURFACE_PITCH, SURFACE_FORMAT, HIERARCHICAL_DEPTH_BUFFER_ENABLE, STENCIL_WRITE_ENABLE,
            DEPTH_WRITE_ENABLE, SURFACE_TYPE, SURFACE_BASE_ADDRESS, LOD, WIDTH, HEIGHT, MINIMUM_ARRAY_ELEMENT,
            SURFACE_QPITCH, RENDER_TARGET_VIEW_EXTENT, MIP_TAIL_START_LOD, TILED_RESOURCE_MODE;
        inert(MOCS): MOCS;
        // Elements beyond the view are not drawn to.
        bound: DEPTH;
    }
    draw::state_drawing_rectangle {
        refused: CORE_MODE_SELECT;
        modelled: CLIPPED_DRAWING_RECTANGLE_X_MIN, CLIPPED_DRAWING_RECTANGLE_Y_MIN, DRAWING_RECTANGLE_ORIGIN_X,
            DRAWING_RECTANGLE_ORIGIN_Y;
        bound: CLIPPED_DRAWING_RECTANGLE_X_MAX, CLIPPED_DRAWING_RECTANGLE_Y_MAX;
    }
    draw::state_ds {
        modelled: KERNEL_START_POINTER, FLOATING_POINT_MODE, SCRATCH_SPACE_BASE_POINTER,
            PATCH_URB_ENTRY_READ_OFFSET, DISPATCH_GRF_START_REGISTER_FOR_URB_DATA,
            ENABLE, COMPUTE_W_COORDINATE_ENABLE, DISPATCH_MODE, STATISTICS_ENABLE,
            USER_CLIP_DISTANCE_CULL_TEST_ENABLE_BITMASK, USER_CLIP_DISTANCE_CLIP_TEST_ENABLE_BITMASK,
            VERTEX_URB_ENTRY_OUTPUT_READ_OFFSET;
        refused: SOFTWARE_EXCEPTION_ENABLE, ILLEGAL_OPCODE_EXCEPTION_ENABLE, VECTOR_MASK_ENABLE;
        inert(IN_ORDER): ACCESSES_UAV;
        inert(SCHEDULING): THREAD_DISPATCH_PRIORITY, MAXIMUM_NUMBER_OF_THREADS;
        inert(PREFETCH): BINDING_TABLE_ENTRY_COUNT, SAMPLER_COUNT;
        inert(VERTEX_CACHE): CACHE_DISABLE;
        allows("sbe-attributes"): VERTEX_URB_ENTRY_OUTPUT_LENGTH;
        inert(OFF): DUAL_PATCH_KERNEL_START_POINTER;
        // A thread may use less scratch memory, and less of an entry, than is provided.
        bound: PER_THREAD_SCRATCH_SPACE, PATCH_URB_ENTRY_READ_LENGTH;
    }
    draw::state_gather_constant_ds { never named "*"; }
    draw::state_gather_constant_gs { never named "*"; }
    draw::state_gather_constant_hs { never named "*"; }
    draw::state_gather_constant_ps { never named "*"; }
    draw::state_gather_constant_vs { never named "*"; }
    draw::state_gather_pool_alloc { never named "*"; }
    draw::state_gs {
        modelled: KERNEL_START_POINTER, EXPECTED_VERTEX_COUNT, FLOATING_POINT_MODE, SCRATCH_SPACE_BASE_POINTER,
            DISPATCH_GRF_START_REGISTER_FOR_URB_DATA, VERTEX_URB_ENTRY_READ_OFFSET,
            INCLUDE_VERTEX_HANDLES, OUTPUT_TOPOLOGY, OUTPUT_VERTEX_SIZE,
            DISPATCH_GRF_START_REGISTER_FOR_URB_DATA_5_4, ENABLE, DISCARD_ADJACENCY, REORDER_MODE,
            INCLUDE_PRIMITIVE_ID, INVOCATIONS_INCREMENT_VALUE, STATISTICS_ENABLE, DISPATCH_MODE, DEFAULT_STREAM_ID,
            INSTANCE_CONTROL, CONTROL_DATA_HEADER_SIZE, STATIC_OUTPUT_VERTEX_COUNT, STATIC_OUTPUT,
            CONTROL_DATA_FORMAT, USER_CLIP_DISTANCE_CULL_TEST_ENABLE_BITMASK,
            USER_CLIP_DISTANCE_CLIP_TEST_ENABLE_BITMASK, VERTEX_URB_ENTRY_OUTPUT_READ_OFFSET;
        refused: SOFTWARE_EXCEPTION_ENABLE, MASK_STACK_EXCEPTION_ENABLE, ILLEGAL_OPCODE_EXCEPTION_ENABLE,
            VECTOR_MASK_ENABLE, SINGLE_PROGRAM_FLOW;
        inert(IN_ORDER): ACCESSES_UAV;
        inert(SCHEDULING): THREAD_DISPATCH_PRIORITY, MAXIMUM_NUMBER_OF_THREADS;
        inert(PREFETCH): BINDING_TABLE_ENTRY_COUNT, SAMPLER_COUNT;
        inert(HINT): HINT;
        allows("sbe-attributes"): VERTEX_URB_ENTRY_OUTPUT_LENGTH;
        // A thread may have more memory, and more of an entry, than it uses.
        bound: PER_THREAD_SCRATCH_SPACE, VERTEX_URB_ENTRY_READ_LENGTH;
    }
    draw::state_hier_depth_buffer {
        allows("hiz-place"): SURFACE_PITCH, SURFACE_BASE_ADDRESS, SURFACE_QPITCH;
        inert(MOCS): MOCS;
    }
    draw::state_hs {
        refused: SOFTWARE_EXCEPTION_ENABLE, ILLEGAL_OPCODE_EXCEPTION_ENABLE, VECTOR_MASK_ENABLE, SINGLE_PROGRAM_FLOW;
        modelled: FLOATING_POINT_MODE, INSTANCE_COUNT, STATISTICS_ENABLE, ENABLE, KERNEL_START_POINTER,
            SCRATCH_SPACE_BASE_POINTER, DISPATCH_MODE,
            DISPATCH_GRF_START_REGISTER_FOR_URB_DATA, INCLUDE_VERTEX_HANDLES,
            DISPATCH_GRF_START_REGISTER_FOR_URB_DATA_5;
        inert(SCHEDULING): THREAD_DISPATCH_PRIORITY, MAXIMUM_NUMBER_OF_THREADS;
        inert(PREFETCH): BINDING_TABLE_ENTRY_COUNT, SAMPLER_COUNT;
        inert(HS_PRIMITIVE_ID): INCLUDE_PRIMITIVE_ID;
        ruled("urb-read"): VERTEX_URB_ENTRY_READ_OFFSET;
        inert(IN_ORDER): ACCESSES_UAV;
        // A thread may have more memory, and more of an entry, than it uses.
        bound: PER_THREAD_SCRATCH_SPACE, VERTEX_URB_ENTRY_READ_LENGTH;
    }
    draw::state_index_buffer {
        inert(MOCS): MOCS;
        modelled: INDEX_FORMAT, BUFFER_STARTING_ADDRESS;
        bound: BUFFER_SIZE;
    }
    draw::state_line_stipple {
        modelled: LINE_STIPPLE_PATTERN, LINE_STIPPLE_REPEAT_COUNT;
        inert(OFF): CURRENT_STIPPLE_INDEX, CURRENT_REPEAT_COUNTER;
        refused: MODIFY_ENABLE_CURRENT_REPEAT_COUNTER_CURRENT_STIPPLE_INDEX;
        ruled("line-stipple"): LINE_STIPPLE_INVERSE_REPEAT_COUNT;
    }
    draw::state_monofilter_size { inert(OFF) named "*"; }
    draw::state_multisample {
        modelled: NUMBER_OF_MULTISAMPLES, PIXEL_LOCATION;
        refused: PIXEL_POSITION_OFFSET_ENABLE;
    }
    draw::state_poly_stipple_offset { inert(OFF) named "*"; }
    draw::state_poly_stipple_pattern { inert(OFF) named "*"; }
    draw::state_ps {
        modelled: KERNEL_START_POINTER_0, FLOATING_POINT_MODE, VECTOR_MASK_ENABLE, SCRATCH_SPACE_BASE_POINTER,
            N8_PIXEL_DISPATCH_ENABLE, N16_PIXEL_DISPATCH_ENABLE,
            N32_PIXEL_DISPATCH_ENABLE, POSITION_XY_OFFSET_SELECT, RENDER_TARGET_RESOLVE_TYPE,
            RENDER_TARGET_FAST_CLEAR_ENABLE, PUSH_CONSTANT_ENABLE,
            DISPATCH_GRF_START_REGISTER_FOR_CONSTANT_SETUP_DATA_2,
            DISPATCH_GRF_START_REGISTER_FOR_CONSTANT_SETUP_DATA_1,
            DISPATCH_GRF_START_REGISTER_FOR_CONSTANT_SETUP_DATA_0, KERNEL_START_POINTER_1, KERNEL_START_POINTER_2;
        refused: SOFTWARE_EXCEPTION_ENABLE, MASK_STACK_EXCEPTION_ENABLE, ILLEGAL_OPCODE_EXCEPTION_ENABLE,
            ROUNDING_MODE, SINGLE_PRECISION_DENORMAL_MODE, SINGLE_PROGRAM_FLOW;
        inert(SCHEDULING): THREAD_DISPATCH_PRIORITY, MAXIMUM_NUMBER_OF_THREADS_PER_PSD;
        inert(PREFETCH): BINDING_TABLE_ENTRY_COUNT, SAMPLER_COUNT;
        // A thread may have more memory than it uses.
        bound: PER_THREAD_SCRATCH_SPACE;
    }
    draw::state_ps_blend {
        ruled("ps-blend"): INDEPENDENT_ALPHA_BLEND_ENABLE, DESTINATION_BLEND_FACTOR, SOURCE_BLEND_FACTOR,
            DESTINATION_ALPHA_BLEND_FACTOR, SOURCE_ALPHA_BLEND_FACTOR, COLOR_BUFFER_BLEND_ENABLE;
        modelled: ALPHA_TEST_ENABLE, ALPHA_TO_COVERAGE_ENABLE;
        ruled("ps-writes"): HAS_WRITEABLE_RT;
    }
    draw::state_ps_extra {
        modelled: INPUT_COVERAGE_MASK_STATE, PIXEL_SHADER_COMPUTES_STENCIL, PIXEL_SHADER_IS_PER_SAMPLE,
            PIXEL_SHADER_DISABLES_ALPHA_TO_COVERAGE, ATTRIBUTE_ENABLE, PIXEL_SHADER_USES_SOURCE_W,
            PIXEL_SHADER_USES_SOURCE_DEPTH, PIXEL_SHADER_COMPUTED_DEPTH_MODE, PIXEL_SHADER_KILLS_PIXEL,
            OMASK_PRESENT_TO_RENDER_TARGET, PIXEL_SHADER_VALID, PIXEL_SHADER_HAS_UAV;
        allows("ps-pulls"): PIXEL_SHADER_PULLS_BARY;
        refused: FORCE_COMPUTED_DEPTH;
        ruled("ps-writes"): PIXEL_SHADER_DOES_NOT_WRITE_TO_RT;
    }
    draw::state_push_constant_alloc_ds {
        allows("push-allocation"): CONSTANT_BUFFER_SIZE;
        allows("urb-overlap"): CONSTANT_BUFFER_OFFSET;
    }
    draw::state_push_constant_alloc_gs {
        allows("push-allocation"): CONSTANT_BUFFER_SIZE;
        allows("urb-overlap"): CONSTANT_BUFFER_OFFSET;
    }
    draw::state_push_constant_alloc_hs {
        allows("push-allocation"): CONSTANT_BUFFER_SIZE;
        allows("urb-overlap"): CONSTANT_BUFFER_OFFSET;
    }
    draw::state_push_constant_alloc_ps {
        allows("push-allocation"): CONSTANT_BUFFER_SIZE;
        allows("urb-overlap"): CONSTANT_BUFFER_OFFSET;
    }
    draw::state_push_constant_alloc_vs {
        allows("push-allocation"): CONSTANT_BUFFER_SIZE;
        allows("urb-overlap"): CONSTANT_BUFFER_OFFSET;
    }
    draw::state_raster {
        modelled: VIEWPORT_Z_NEAR_CLIP_TEST_ENABLE, SCISSOR_RECTANGLE_ENABLE, ANTIALIASING_ENABLE,
            BACK_FACE_FILL_MODE, FRONT_FACE_FILL_MODE, GLOBAL_DEPTH_OFFSET_ENABLE_POINT,
            GLOBAL_DEPTH_OFFSET_ENABLE_WIREFRAME, GLOBAL_DEPTH_OFFSET_ENABLE_SOLID,
            DX_MULTISAMPLE_RASTERIZATION_ENABLE, SMOOTH_POINT_ENABLE, CULL_MODE, FORCED_SAMPLE_COUNT, FRONT_WINDING,
            CONSERVATIVE_RASTERIZATION_ENABLE, VIEWPORT_Z_FAR_CLIP_TEST_ENABLE, GLOBAL_DEPTH_OFFSET_CONSTANT,
            GLOBAL_DEPTH_OFFSET_SCALE, GLOBAL_DEPTH_OFFSET_CLAMP;
        inert(OFF): DX_MULTISAMPLE_RASTERIZATION_MODE;
        refused: FORCE_MULTISAMPLING;
        inert(RASTER_API): API_MODE;
    }
    draw::state_rs_constant_pointer { never named "*"; }
    draw::state_sampler_palette_load0 { never named "*"; }
    draw::state_sampler_palette_load1 { never named "*"; }
    draw::state_sampler_state_pointers_ds {
        modelled: POINTER_TO_DS_SAMPLER_STATE;
    }
    draw::state_sampler_state_pointers_gs {
        modelled: POINTER_TO_GS_SAMPLER_STATE;
    }
    draw::state_sampler_state_pointers_hs {
        modelled: POINTER_TO_HS_SAMPLER_STATE;
    }
    draw::state_sampler_state_pointers_ps {
        modelled: POINTER_TO_PS_SAMPLER_STATE;
    }
    draw::state_sampler_state_pointers_vs {
        modelled: POINTER_TO_VS_SAMPLER_STATE;
    }
    draw::state_sample_mask {
        bound: SAMPLE_MASK;
    }
    draw::state_sample_pattern { words("draw/raster/state.rs") named "*"; }
    draw::state_sbe {
        modelled: PRIMITIVE_ID_OVERRIDE_ATTRIBUTE_SELECT, VERTEX_URB_ENTRY_READ_OFFSET,
            PRIMITIVE_ID_OVERRIDE_COMPONENT_X, PRIMITIVE_ID_OVERRIDE_COMPONENT_Y, PRIMITIVE_ID_OVERRIDE_COMPONENT_Z,
            PRIMITIVE_ID_OVERRIDE_COMPONENT_W, POINT_SPRITE_TEXTURE_COORDINATE_ORIGIN, ATTRIBUTE_SWIZZLE_ENABLE,
            NUMBER_OF_SF_OUTPUT_ATTRIBUTES, FORCE_VERTEX_URB_ENTRY_READ_OFFSET,
            POINT_SPRITE_TEXTURE_COORDINATE_ENABLE, CONSTANT_INTERPOLATION_ENABLE;
        words("draw/setup/attributes.rs") named "Attribute Active Component Format";
        ruled("sbe-attributes"): VERTEX_URB_ENTRY_READ_LENGTH, FORCE_VERTEX_URB_ENTRY_READ_LENGTH;
    }
    draw::state_sbe_swiz {
        words("draw/setup/attributes.rs") named "Attribute";
        refused named "Attribute Wrap Shortest Enables";
    }
    draw::state_scissor_state_pointers {
        modelled: SCISSOR_RECT_POINTER;
    }
    draw::state_sf {
        modelled: VIEWPORT_TRANSFORM_ENABLE, LINE_WIDTH, POINT_WIDTH, POINT_WIDTH_SOURCE, LAST_PIXEL_ENABLE,
            LEGACY_GLOBAL_DEPTH_BIAS_ENABLE;
        inert(COUNTS): STATISTICS_ENABLE;
        refused: VERTEX_SUB_PIXEL_PRECISION_SELECT;
        inert(SMOOTH): LINE_END_CAP_ANTIALIASING_REGION_WIDTH;
        inert(REPLACED): SMOOTH_POINT_ENABLE;
        ruled("smooth-lines"): AA_LINE_DISTANCE_MODE;
        ruled("provoking-vertex"): TRIANGLE_FAN_PROVOKING_VERTEX_SELECT, LINE_STRIP_LIST_PROVOKING_VERTEX_SELECT,
            TRIANGLE_STRIP_LIST_PROVOKING_VERTEX_SELECT;
    }
    draw::state_so_buffer {
        modelled: STREAM_OUTPUT_BUFFER_OFFSET_ADDRESS_ENABLE, STREAM_OFFSET_WRITE_ENABLE, SO_BUFFER_INDEX,
            SO_BUFFER_ENABLE, SURFACE_BASE_ADDRESS, STREAM_OUTPUT_BUFFER_OFFSET_ADDRESS, STREAM_OFFSET;
        inert(MOCS): MOCS;
        bound: SURFACE_SIZE;
    }
    draw::state_so_decl_list {
        modelled: STREAM_TO_BUFFER_SELECTS_0, STREAM_TO_BUFFER_SELECTS_1, STREAM_TO_BUFFER_SELECTS_2,
            STREAM_TO_BUFFER_SELECTS_3, NUM_ENTRIES_0, NUM_ENTRIES_1, NUM_ENTRIES_2, NUM_ENTRIES_3;
    }
    draw::state_stencil_buffer {
        modelled: SURFACE_PITCH, STENCIL_BUFFER_ENABLE, SURFACE_BASE_ADDRESS, SURFACE_QPITCH;
        inert(MOCS): MOCS;
    }
    draw::state_streamout {
        modelled: FORCE_RENDERING, SO_STATISTICS_ENABLE, REORDER_MODE, RENDER_STREAM_SELECT, RENDERING_DISABLE,
            SO_FUNCTION_ENABLE, STREAM_0_VERTEX_READ_OFFSET, STREAM_1_VERTEX_READ_OFFSET, STREAM_2_VERTEX_READ_OFFSET,
            STREAM_3_VERTEX_READ_OFFSET, BUFFER_0_SURFACE_PITCH, BUFFER_1_SURFACE_PITCH, BUFFER_2_SURFACE_PITCH,
            BUFFER_3_SURFACE_PITCH;
        // More of a vertex may be read than is written out.
        bound: STREAM_0_VERTEX_READ_LENGTH, STREAM_1_VERTEX_READ_LENGTH, STREAM_2_VERTEX_READ_LENGTH,
            STREAM_3_VERTEX_READ_LENGTH;
    }
    draw::state_te {
        modelled: TE_ENABLE, TE_DOMAIN, OUTPUT_TOPOLOGY, PARTITIONING;
        refused: TE_MODE;
        bound: MAXIMUM_TESSELLATION_FACTOR_ODD, MAXIMUM_TESSELLATION_FACTOR_NOT_ODD;
    }
    draw::state_urb_clear { never named "*"; }
    draw::state_urb_ds {
        allows("urb-entries"): DS_NUMBER_OF_URB_ENTRIES;
        bound: DS_URB_ENTRY_ALLOCATION_SIZE;
        allows("urb-overlap"): DS_URB_STARTING_ADDRESS;
    }
    draw::state_urb_gs {
        allows("urb-entries"): GS_NUMBER_OF_URB_ENTRIES;
        bound: GS_URB_ENTRY_ALLOCATION_SIZE;
        allows("urb-overlap"): GS_URB_STARTING_ADDRESS;
    }
    draw::state_urb_hs {
        allows("urb-entries"): HS_NUMBER_OF_URB_ENTRIES;
        bound: HS_URB_ENTRY_ALLOCATION_SIZE;
        allows("urb-overlap"): HS_URB_STARTING_ADDRESS;
    }
    draw::state_urb_vs {
        allows("urb-entries"): VS_NUMBER_OF_URB_ENTRIES;
        bound: VS_URB_ENTRY_ALLOCATION_SIZE;
        allows("urb-overlap"): VS_URB_STARTING_ADDRESS;
    }
    draw::state_vertex_buffers {}
    draw::state_vertex_elements {}
    draw::state_vf {
        modelled: INDEXED_DRAW_CUT_INDEX_ENABLE, COMPONENT_PACKING_ENABLE, CUT_INDEX;
        refused: SEQUENTIAL_DRAW_CUT_INDEX_ENABLE;
    }
    draw::state_vf_component_packing { words("draw/vf.rs") named "*"; }
    draw::state_vf_instancing {
        modelled: VERTEX_ELEMENT_INDEX, INSTANCING_ENABLE, INSTANCE_DATA_STEP_RATE;
    }
    draw::state_vf_sgvs {
        modelled: VERTEXID_ELEMENT_OFFSET, VERTEXID_COMPONENT_NUMBER, VERTEXID_ENABLE, INSTANCEID_ELEMENT_OFFSET,
            INSTANCEID_COMPONENT_NUMBER, INSTANCEID_ENABLE;
    }
    draw::state_vf_statistics {
        modelled: STATISTICS_ENABLE;
    }
    draw::state_vf_topology {
        modelled: PRIMITIVE_TOPOLOGY_TYPE;
    }
    draw::state_viewport_state_pointers_cc {
        modelled: CC_VIEWPORT_POINTER;
    }
    draw::state_viewport_state_pointers_sf_clip {
        modelled: SF_CLIP_VIEWPORT_POINTER;
    }
    draw::state_vs {
        modelled: KERNEL_START_POINTER, FLOATING_POINT_MODE, SCRATCH_SPACE_BASE_POINTER,
            VERTEX_URB_ENTRY_READ_OFFSET, DISPATCH_GRF_START_REGISTER_FOR_URB_DATA,
            ENABLE, SIMD8_DISPATCH_ENABLE, STATISTICS_ENABLE, USER_CLIP_DISTANCE_CULL_TEST_ENABLE_BITMASK,
            USER_CLIP_DISTANCE_CLIP_TEST_ENABLE_BITMASK, VERTEX_URB_ENTRY_OUTPUT_READ_OFFSET;
        refused: SOFTWARE_EXCEPTION_ENABLE, ILLEGAL_OPCODE_EXCEPTION_ENABLE, VECTOR_MASK_ENABLE,
            SINGLE_VERTEX_DISPATCH;
        inert(IN_ORDER): ACCESSES_UAV;
        inert(SCHEDULING): THREAD_DISPATCH_PRIORITY, MAXIMUM_NUMBER_OF_THREADS;
        inert(PREFETCH): BINDING_TABLE_ENTRY_COUNT, SAMPLER_COUNT;
        inert(VERTEX_CACHE): VERTEX_CACHE_DISABLE;
        allows("sbe-attributes"): VERTEX_URB_ENTRY_OUTPUT_LENGTH;
        // A thread may have more memory, and more of an entry, than it uses.
        bound: PER_THREAD_SCRATCH_SPACE, VERTEX_URB_ENTRY_READ_LENGTH;
    }
    draw::state_wm {
        refused: FORCE_KILL_PIXEL_ENABLE, LEGACY_DIAMOND_LINE_RASTERIZATION,
            LEGACY_HIERARCHICAL_DEPTH_BUFFER_RESOLVE_ENABLE, LEGACY_DEPTH_BUFFER_RESOLVE_ENABLE,
            LEGACY_DEPTH_BUFFER_CLEAR_ENABLE;
        modelled: POINT_RASTERIZATION_RULE, LINE_STIPPLE_ENABLE, POLYGON_STIPPLE_ENABLE,
            BARYCENTRIC_INTERPOLATION_MODE, POSITION_ZW_INTERPOLATION_MODE, FORCE_THREAD_DISPATCH_ENABLE,
            EARLY_DEPTH_STENCIL_CONTROL, STATISTICS_ENABLE;
        inert(SMOOTH): LINE_ANTIALIASING_REGION_WIDTH, LINE_END_CAP_ANTIALIASING_REGION_WIDTH;
    }
    draw::state_wm_chromakey {
        refused: CHROMAKEY_KILL_ENABLE;
    }
    draw::state_wm_depth_stencil {
        modelled: DEPTH_BUFFER_WRITE_ENABLE, DEPTH_TEST_ENABLE, STENCIL_BUFFER_WRITE_ENABLE, STENCIL_TEST_ENABLE,
            DOUBLE_SIDED_STENCIL_ENABLE, DEPTH_TEST_FUNCTION, STENCIL_TEST_FUNCTION,
            BACKFACE_STENCIL_PASS_DEPTH_PASS_OP, BACKFACE_STENCIL_PASS_DEPTH_FAIL_OP, BACKFACE_STENCIL_FAIL_OP,
            BACKFACE_STENCIL_TEST_FUNCTION, STENCIL_PASS_DEPTH_PASS_OP, STENCIL_PASS_DEPTH_FAIL_OP, STENCIL_FAIL_OP,
            BACKFACE_STENCIL_WRITE_MASK, BACKFACE_STENCIL_TEST_MASK, STENCIL_WRITE_MASK, STENCIL_TEST_MASK,
            BACKFACE_STENCIL_REFERENCE_VALUE, STENCIL_REFERENCE_VALUE;
    }
    draw::state_wm_hz_op {
        modelled: NUMBER_OF_MULTISAMPLES, STENCIL_CLEAR_VALUE, HIERARCHICAL_DEPTH_BUFFER_RESOLVE_ENABLE,
            DEPTH_BUFFER_RESOLVE_ENABLE, DEPTH_BUFFER_CLEAR_ENABLE, STENCIL_BUFFER_CLEAR_ENABLE,
            CLEAR_RECTANGLE_X_MIN, CLEAR_RECTANGLE_Y_MIN;
        bound: CLEAR_RECTANGLE_X_MAX, CLEAR_RECTANGLE_Y_MAX;
        allows("hz-op-clear"): FULL_SURFACE_DEPTH_AND_STENCIL_CLEAR, SAMPLE_MASK;
        refused: PIXEL_POSITION_OFFSET_ENABLE, SCISSOR_RECTANGLE_ENABLE;
    }
}
