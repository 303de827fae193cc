//! Commands of the 3D pipeline: 3DSTATE_* and 3DPRIMITIVE.
//!
//! Ref: SKL PRM vol. 2a. Tests: `tests.rs` compares them with genxml.

use crate::declare::packets;

#[rustfmt::skip]
packets! {
    /// SKL PRM vol. 2a, "3DPRIMITIVE".
    primitive "3DPRIMITIVE" [Gen9..Gen9] dwords 7 header 0x7b000005 mask 0xffff0000 length 0xff bias 2 {
        PREDICATE_ENABLE "Predicate Enable" 8..8 Bool;
        UAV_COHERENCY_REQUIRED "UAV Coherency Required" 9..9 Bool;
        INDIRECT_PARAMETER_ENABLE "Indirect Parameter Enable" 10..10 Bool;
        PRIMITIVE_TOPOLOGY_TYPE "Primitive Topology Type" 32..37 Uint;
        VERTEX_ACCESS_TYPE "Vertex Access Type" 40..40 Uint;
        END_OFFSET_ENABLE "End Offset Enable" 41..41 Bool;
        VERTEX_COUNT_PER_INSTANCE "Vertex Count Per Instance" 64..95 Uint;
        START_VERTEX_LOCATION "Start Vertex Location" 96..127 Uint;
        INSTANCE_COUNT "Instance Count" 128..159 Uint;
        START_INSTANCE_LOCATION "Start Instance Location" 160..191 Uint;
        BASE_VERTEX_LOCATION "Base Vertex Location" 192..223 Int;
    }
    /// SKL PRM vol. 2a, "3DSTATE_AA_LINE_PARAMETERS".
    state_aa_line_parameters "3DSTATE_AA_LINE_PARAMETERS" [Gen9..Gen9] dwords 3 header 0x790a0001 mask 0xffff0000 length 0xff bias 2 {
        AA_COVERAGE_SLOPE "AA Coverage Slope" 32..39 Uint;
        AA_POINT_COVERAGE_SLOPE "AA Point Coverage Slope" 40..47 Uint;
        AA_COVERAGE_BIAS "AA Coverage Bias" 48..55 Uint;
        AA_POINT_COVERAGE_BIAS "AA Point Coverage Bias" 56..63 Uint;
        AA_COVERAGE_ENDCAP_SLOPE "AA Coverage EndCap Slope" 64..71 Uint;
        AA_POINT_COVERAGE_ENDCAP_SLOPE "AA Point Coverage EndCap Slope" 72..79 Uint;
        AA_COVERAGE_ENDCAP_BIAS "AA Coverage EndCap Bias" 80..87 Uint;
        AA_POINT_COVERAGE_ENDCAP_BIAS "AA Point Coverage EndCap Bias" 88..95 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_BINDING_TABLE_EDIT_DS".
    state_binding_table_edit_ds "3DSTATE_BINDING_TABLE_EDIT_DS" [Gen9..Gen9] dwords 0 header 0x78460000 mask 0xffff0000 length 0x1ff bias 2 {
        BINDING_TABLE_EDIT_TARGET "Binding Table Edit Target" 32..33 Uint;
        BINDING_TABLE_BLOCK_CLEAR "Binding Table Block Clear" 48..63 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_BINDING_TABLE_EDIT_GS".
    state_binding_table_edit_gs "3DSTATE_BINDING_TABLE_EDIT_GS" [Gen9..Gen9] dwords 0 header 0x78440000 mask 0xffff0000 length 0x1ff bias 2 {
        BINDING_TABLE_EDIT_TARGET "Binding Table Edit Target" 32..33 Uint;
        BINDING_TABLE_BLOCK_CLEAR "Binding Table Block Clear" 48..63 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_BINDING_TABLE_EDIT_HS".
    state_binding_table_edit_hs "3DSTATE_BINDING_TABLE_EDIT_HS" [Gen9..Gen9] dwords 0 header 0x78450000 mask 0xffff0000 length 0x1ff bias 2 {
        BINDING_TABLE_EDIT_TARGET "Binding Table Edit Target" 32..33 Uint;
        BINDING_TABLE_BLOCK_CLEAR "Binding Table Block Clear" 48..63 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_BINDING_TABLE_EDIT_PS".
    state_binding_table_edit_ps "3DSTATE_BINDING_TABLE_EDIT_PS" [Gen9..Gen9] dwords 0 header 0x78470000 mask 0xffff0000 length 0x1ff bias 2 {
        BINDING_TABLE_EDIT_TARGET "Binding Table Edit Target" 32..33 Uint;
        BINDING_TABLE_BLOCK_CLEAR "Binding Table Block Clear" 48..63 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_BINDING_TABLE_EDIT_VS".
    state_binding_table_edit_vs "3DSTATE_BINDING_TABLE_EDIT_VS" [Gen9..Gen9] dwords 0 header 0x78430000 mask 0xffff0000 length 0x1ff bias 2 {
        BINDING_TABLE_EDIT_TARGET "Binding Table Edit Target" 32..33 Uint;
        BINDING_TABLE_BLOCK_CLEAR "Binding Table Block Clear" 48..63 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_BINDING_TABLE_POINTERS_DS".
    state_binding_table_pointers_ds "3DSTATE_BINDING_TABLE_POINTERS_DS" [Gen9..Gen9] dwords 2 header 0x78280000 mask 0xffff0000 length 0xff bias 2 {
        POINTER_TO_DS_BINDING_TABLE "Pointer to DS Binding Table" 37..47 Offset;
    }
    /// SKL PRM vol. 2a, "3DSTATE_BINDING_TABLE_POINTERS_GS".
    state_binding_table_pointers_gs "3DSTATE_BINDING_TABLE_POINTERS_GS" [Gen9..Gen9] dwords 2 header 0x78290000 mask 0xffff0000 length 0xff bias 2 {
        POINTER_TO_GS_BINDING_TABLE "Pointer to GS Binding Table" 37..47 Offset;
    }
    /// SKL PRM vol. 2a, "3DSTATE_BINDING_TABLE_POINTERS_HS".
    state_binding_table_pointers_hs "3DSTATE_BINDING_TABLE_POINTERS_HS" [Gen9..Gen9] dwords 2 header 0x78270000 mask 0xffff0000 length 0xff bias 2 {
        POINTER_TO_HS_BINDING_TABLE "Pointer to HS Binding Table" 37..47 Offset;
    }
    /// SKL PRM vol. 2a, "3DSTATE_BINDING_TABLE_POINTERS_PS".
    state_binding_table_pointers_ps "3DSTATE_BINDING_TABLE_POINTERS_PS" [Gen9..Gen9] dwords 2 header 0x782a0000 mask 0xffff0000 length 0xff bias 2 {
        POINTER_TO_PS_BINDING_TABLE "Pointer to PS Binding Table" 37..47 Offset;
    }
    /// SKL PRM vol. 2a, "3DSTATE_BINDING_TABLE_POINTERS_VS".
    state_binding_table_pointers_vs "3DSTATE_BINDING_TABLE_POINTERS_VS" [Gen9..Gen9] dwords 2 header 0x78260000 mask 0xffff0000 length 0xff bias 2 {
        POINTER_TO_VS_BINDING_TABLE "Pointer to VS Binding Table" 37..47 Offset;
    }
    /// SKL PRM vol. 2a, "3DSTATE_BINDING_TABLE_POOL_ALLOC".
    state_binding_table_pool_alloc "3DSTATE_BINDING_TABLE_POOL_ALLOC" [Gen9..Gen9] dwords 4 header 0x79190002 mask 0xffff0000 length 0xff bias 2 {
        MOCS "MOCS" 32..38 Uint;
        BINDING_TABLE_POOL_ENABLE "Binding Table Pool Enable" 43..43 Bool;
        BINDING_TABLE_POOL_BASE_ADDRESS "Binding Table Pool Base Address" 44..95 Address;
        BINDING_TABLE_POOL_BUFFER_SIZE "Binding Table Pool Buffer Size" 108..127 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_BLEND_STATE_POINTERS".
    state_blend_state_pointers "3DSTATE_BLEND_STATE_POINTERS" [Gen9..Gen9] dwords 2 header 0x78240000 mask 0xffff0000 length 0xff bias 2 {
        BLEND_STATE_POINTER_VALID "Blend State Pointer Valid" 32..32 Bool;
        BLEND_STATE_POINTER "Blend State Pointer" 38..63 Offset;
    }
    /// SKL PRM vol. 2a, "3DSTATE_CC_STATE_POINTERS".
    state_cc_state_pointers "3DSTATE_CC_STATE_POINTERS" [Gen9..Gen9] dwords 2 header 0x780e0000 mask 0xffff0000 length 0xff bias 2 {
        COLOR_CALC_STATE_POINTER_VALID "Color Calc State Pointer Valid" 32..32 Bool;
        COLOR_CALC_STATE_POINTER "Color Calc State Pointer" 38..63 Offset;
    }
    /// SKL PRM vol. 2a, "3DSTATE_CHROMA_KEY".
    state_chroma_key "3DSTATE_CHROMA_KEY" [Gen9..Gen9] dwords 4 header 0x79040002 mask 0xffff0000 length 0xff bias 2 {
        CHROMAKEY_TABLE_INDEX "ChromaKey Table Index" 62..63 Uint;
        CHROMAKEY_LOW_VALUE "ChromaKey Low Value" 64..95 Uint;
        CHROMAKEY_HIGH_VALUE "ChromaKey High Value" 96..127 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_CLEAR_PARAMS".
    state_clear_params "3DSTATE_CLEAR_PARAMS" [Gen9..Gen9] dwords 3 header 0x78040001 mask 0xffff0000 length 0xff bias 2 {
        DEPTH_CLEAR_VALUE "Depth Clear Value" 32..63 Float;
        DEPTH_CLEAR_VALUE_VALID "Depth Clear Value Valid" 64..64 Bool;
    }
    /// SKL PRM vol. 2a, "3DSTATE_CLIP".
    state_clip "3DSTATE_CLIP" [Gen9..Gen9] dwords 4 header 0x78120002 mask 0xffff0000 length 0xff bias 2 {
        USER_CLIP_DISTANCE_CULL_TEST_ENABLE_BITMASK "User Clip Distance Cull Test Enable Bitmask" 32..39 Uint;
        STATISTICS_ENABLE "Statistics Enable" 42..42 Bool;
        FORCE_CLIP_MODE "Force Clip Mode" 48..48 Bool;
        FORCE_USER_CLIP_DISTANCE_CLIP_TEST_ENABLE_BITMASK "Force User Clip Distance Clip Test Enable Bitmask" 49..49 Bool;
        EARLY_CULL_ENABLE "Early Cull Enable" 50..50 Bool;
        VERTEX_SUB_PIXEL_PRECISION_SELECT "Vertex Sub Pixel Precision Select" 51..51 Uint;
        FORCE_USER_CLIP_DISTANCE_CULL_TEST_ENABLE_BITMASK "Force User Clip Distance Cull Test Enable Bitmask" 52..52 Bool;
        TRIANGLE_FAN_PROVOKING_VERTEX_SELECT "Triangle Fan Provoking Vertex Select" 64..65 Uint;
        LINE_STRIP_LIST_PROVOKING_VERTEX_SELECT "Line Strip/List Provoking Vertex Select" 66..67 Uint;
        TRIANGLE_STRIP_LIST_PROVOKING_VERTEX_SELECT "Triangle Strip/List Provoking Vertex Select" 68..69 Uint;
        NON_PERSPECTIVE_BARYCENTRIC_ENABLE "Non-Perspective Barycentric Enable" 72..72 Bool;
        PERSPECTIVE_DIVIDE_DISABLE "Perspective Divide Disable" 73..73 Bool;
        CLIP_MODE "Clip Mode" 77..79 Uint;
        USER_CLIP_DISTANCE_CLIP_TEST_ENABLE_BITMASK "User Clip Distance Clip Test Enable Bitmask" 80..87 Uint;
        GUARDBAND_CLIP_TEST_ENABLE "Guardband Clip Test Enable" 90..90 Bool;
        VIEWPORT_XY_CLIP_TEST_ENABLE "Viewport XY Clip Test Enable" 92..92 Bool;
        API_MODE "API Mode" 94..94 Uint;
        CLIP_ENABLE "Clip Enable" 95..95 Bool;
        MAXIMUM_VP_INDEX "Maximum VP Index" 96..99 Uint;
        FORCE_ZERO_RTA_INDEX_ENABLE "Force Zero RTA Index Enable" 101..101 Bool;
        MAXIMUM_POINT_WIDTH "Maximum Point Width" 102..112 Uint;
        MINIMUM_POINT_WIDTH "Minimum Point Width" 113..123 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_CONSTANT_DS".
    state_constant_ds "3DSTATE_CONSTANT_DS" [Gen9..Gen9] dwords 11 header 0x781a0009 mask 0xffff0000 length 0xff bias 2 {
        MOCS "MOCS" 8..14 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_CONSTANT_GS".
    state_constant_gs "3DSTATE_CONSTANT_GS" [Gen9..Gen9] dwords 11 header 0x78160009 mask 0xffff0000 length 0xff bias 2 {
        MOCS "MOCS" 8..14 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_CONSTANT_HS".
    state_constant_hs "3DSTATE_CONSTANT_HS" [Gen9..Gen9] dwords 11 header 0x78190009 mask 0xffff0000 length 0xff bias 2 {
        MOCS "MOCS" 8..14 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_CONSTANT_PS".
    state_constant_ps "3DSTATE_CONSTANT_PS" [Gen9..Gen9] dwords 11 header 0x78170009 mask 0xffff0000 length 0xff bias 2 {
        MOCS "MOCS" 8..14 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_CONSTANT_VS".
    state_constant_vs "3DSTATE_CONSTANT_VS" [Gen9..Gen9] dwords 11 header 0x78150009 mask 0xffff0000 length 0xff bias 2 {
        MOCS "MOCS" 8..14 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_DEPTH_BUFFER".
    state_depth_buffer "3DSTATE_DEPTH_BUFFER" [Gen9..Gen9] dwords 8 header 0x78050006 mask 0xffff0000 length 0xff bias 2 {
        SURFACE_PITCH "Surface Pitch" 32..49 Uint;
        SURFACE_FORMAT "Surface Format" 50..52 Uint;
        HIERARCHICAL_DEPTH_BUFFER_ENABLE "Hierarchical Depth Buffer Enable" 54..54 Bool;
        STENCIL_WRITE_ENABLE "Stencil Write Enable" 59..59 Bool;
        DEPTH_WRITE_ENABLE "Depth Write Enable" 60..60 Bool;
        SURFACE_TYPE "Surface Type" 61..63 Uint;
        SURFACE_BASE_ADDRESS "Surface Base Address" 64..127 Address;
        LOD "LOD" 128..131 Uint;
        WIDTH "Width" 132..145 Uint;
        HEIGHT "Height" 146..159 Uint;
        MOCS "MOCS" 160..166 Uint;
        MINIMUM_ARRAY_ELEMENT "Minimum Array Element" 170..180 Uint;
        DEPTH "Depth" 181..191 Uint;
        MIP_TAIL_START_LOD "Mip Tail Start LOD" 218..221 Uint;
        TILED_RESOURCE_MODE "Tiled Resource Mode" 222..223 Uint;
        SURFACE_QPITCH "Surface QPitch" 224..238 Uint;
        RENDER_TARGET_VIEW_EXTENT "Render Target View Extent" 245..255 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_DRAWING_RECTANGLE".
    state_drawing_rectangle "3DSTATE_DRAWING_RECTANGLE" [Gen9..Gen9] dwords 4 header 0x79000002 mask 0xffff0000 length 0xff bias 2 {
        CORE_MODE_SELECT "Core Mode Select" 14..15 Uint;
        CLIPPED_DRAWING_RECTANGLE_X_MIN "Clipped Drawing Rectangle X Min" 32..47 Uint;
        CLIPPED_DRAWING_RECTANGLE_Y_MIN "Clipped Drawing Rectangle Y Min" 48..63 Uint;
        CLIPPED_DRAWING_RECTANGLE_X_MAX "Clipped Drawing Rectangle X Max" 64..79 Uint;
        CLIPPED_DRAWING_RECTANGLE_Y_MAX "Clipped Drawing Rectangle Y Max" 80..95 Uint;
        DRAWING_RECTANGLE_ORIGIN_X "Drawing Rectangle Origin X" 96..111 Int;
        DRAWING_RECTANGLE_ORIGIN_Y "Drawing Rectangle Origin Y" 112..127 Int;
    }
    /// SKL PRM vol. 2a, "3DSTATE_DS".
    state_ds "3DSTATE_DS" [Gen9..Gen9] dwords 11 header 0x781d0009 mask 0xffff0000 length 0xff bias 2 {
        KERNEL_START_POINTER "Kernel Start Pointer" 38..95 Offset;
        SOFTWARE_EXCEPTION_ENABLE "Software Exception Enable" 103..103 Bool;
        ILLEGAL_OPCODE_EXCEPTION_ENABLE "Illegal Opcode Exception Enable" 109..109 Bool;
        ACCESSES_UAV "Accesses UAV" 110..110 Bool;
        FLOATING_POINT_MODE "Floating Point Mode" 112..112 Uint;
        THREAD_DISPATCH_PRIORITY "Thread Dispatch Priority" 113..113 Uint;
        BINDING_TABLE_ENTRY_COUNT "Binding Table Entry Count" 114..121 Uint;
        SAMPLER_COUNT "Sampler Count" 123..125 Uint;
        VECTOR_MASK_ENABLE "Vector Mask Enable" 126..126 Bool;
        PER_THREAD_SCRATCH_SPACE "Per-Thread Scratch Space" 128..131 Uint;
        SCRATCH_SPACE_BASE_POINTER "Scratch Space Base Pointer" 138..191 Address;
        PATCH_URB_ENTRY_READ_OFFSET "Patch URB Entry Read Offset" 196..201 Uint;
        PATCH_URB_ENTRY_READ_LENGTH "Patch URB Entry Read Length" 203..209 Uint;
        DISPATCH_GRF_START_REGISTER_FOR_URB_DATA "Dispatch GRF Start Register For URB Data" 212..216 Uint;
        ENABLE "Enable" 224..224 Bool;
        CACHE_DISABLE "Cache Disable" 225..225 Bool;
        COMPUTE_W_COORDINATE_ENABLE "Compute W Coordinate Enable" 226..226 Bool;
        DISPATCH_MODE "Dispatch Mode" 227..228 Uint;
        STATISTICS_ENABLE "Statistics Enable" 234..234 Bool;
        MAXIMUM_NUMBER_OF_THREADS "Maximum Number of Threads" 245..253 Uint;
        USER_CLIP_DISTANCE_CULL_TEST_ENABLE_BITMASK "User Clip Distance Cull Test Enable Bitmask" 256..263 Uint;
        USER_CLIP_DISTANCE_CLIP_TEST_ENABLE_BITMASK "User Clip Distance Clip Test Enable Bitmask" 264..271 Uint;
        VERTEX_URB_ENTRY_OUTPUT_LENGTH "Vertex URB Entry Output Length" 272..276 Uint;
        VERTEX_URB_ENTRY_OUTPUT_READ_OFFSET "Vertex URB Entry Output Read Offset" 277..282 Uint;
        DUAL_PATCH_KERNEL_START_POINTER "DUAL_PATCH Kernel Start Pointer" 294..351 Offset;
    }
    /// SKL PRM vol. 2a, "3DSTATE_GATHER_CONSTANT_DS".
    state_gather_constant_ds "3DSTATE_GATHER_CONSTANT_DS" [Gen9..Gen9] dwords 0 header 0x78370000 mask 0xffff0000 length 0xff bias 2 {
        UPDATE_GATHER_TABLE_ONLY "Update Gather Table Only" 33..33 Uint;
        CONSTANT_BUFFER_BINDING_TABLE_BLOCK "Constant Buffer Binding Table Block" 44..47 Uint;
        CONSTANT_BUFFER_VALID "Constant Buffer Valid" 48..63 Uint;
        ON_DIE_TABLE "On-Die Table" 67..67 Uint;
        CONSTANT_BUFFER_DX9_GENERATE_STALL "Constant Buffer Dx9 Generate Stall" 69..69 Bool;
        GATHER_BUFFER_OFFSET "Gather Buffer Offset" 70..86 Offset;
    }
    /// SKL PRM vol. 2a, "3DSTATE_GATHER_CONSTANT_GS".
    state_gather_constant_gs "3DSTATE_GATHER_CONSTANT_GS" [Gen9..Gen9] dwords 0 header 0x78350000 mask 0xffff0000 length 0xff bias 2 {
        UPDATE_GATHER_TABLE_ONLY "Update Gather Table Only" 33..33 Uint;
        CONSTANT_BUFFER_BINDING_TABLE_BLOCK "Constant Buffer Binding Table Block" 44..47 Uint;
        CONSTANT_BUFFER_VALID "Constant Buffer Valid" 48..63 Uint;
        ON_DIE_TABLE "On-Die Table" 67..67 Uint;
        CONSTANT_BUFFER_DX9_GENERATE_STALL "Constant Buffer Dx9 Generate Stall" 69..69 Bool;
        GATHER_BUFFER_OFFSET "Gather Buffer Offset" 70..86 Offset;
    }
    /// SKL PRM vol. 2a, "3DSTATE_GATHER_CONSTANT_HS".
    state_gather_constant_hs "3DSTATE_GATHER_CONSTANT_HS" [Gen9..Gen9] dwords 0 header 0x78360000 mask 0xffff0000 length 0xff bias 2 {
        UPDATE_GATHER_TABLE_ONLY "Update Gather Table Only" 33..33 Uint;
        CONSTANT_BUFFER_BINDING_TABLE_BLOCK "Constant Buffer Binding Table Block" 44..47 Uint;
        CONSTANT_BUFFER_VALID "Constant Buffer Valid" 48..63 Uint;
        ON_DIE_TABLE "On-Die Table" 67..67 Uint;
        CONSTANT_BUFFER_DX9_GENERATE_STALL "Constant Buffer Dx9 Generate Stall" 69..69 Bool;
        GATHER_BUFFER_OFFSET "Gather Buffer Offset" 70..86 Offset;
    }
    /// SKL PRM vol. 2a, "3DSTATE_GATHER_CONSTANT_PS".
    state_gather_constant_ps "3DSTATE_GATHER_CONSTANT_PS" [Gen9..Gen9] dwords 0 header 0x78380000 mask 0xffff0000 length 0xff bias 2 {
        DX9_ON_DIE_REGISTER_READ_ENABLE "DX9 On-Die Register Read Enable" 32..32 Bool;
        UPDATE_GATHER_TABLE_ONLY "Update Gather Table Only" 33..33 Uint;
        CONSTANT_BUFFER_BINDING_TABLE_BLOCK "Constant Buffer Binding Table Block" 44..47 Uint;
        CONSTANT_BUFFER_VALID "Constant Buffer Valid" 48..63 Uint;
        ON_DIE_TABLE "On-Die Table" 67..67 Uint;
        CONSTANT_BUFFER_DX9_ENABLE "Constant Buffer Dx9 Enable" 68..68 Bool;
        CONSTANT_BUFFER_DX9_GENERATE_STALL "Constant Buffer Dx9 Generate Stall" 69..69 Bool;
        GATHER_BUFFER_OFFSET "Gather Buffer Offset" 70..86 Offset;
    }
    /// SKL PRM vol. 2a, "3DSTATE_GATHER_CONSTANT_VS".
    state_gather_constant_vs "3DSTATE_GATHER_CONSTANT_VS" [Gen9..Gen9] dwords 0 header 0x78340000 mask 0xffff0000 length 0xff bias 2 {
        DX9_ON_DIE_REGISTER_READ_ENABLE "DX9 On-Die Register Read Enable" 32..32 Bool;
        UPDATE_GATHER_TABLE_ONLY "Update Gather Table Only" 33..33 Uint;
        CONSTANT_BUFFER_BINDING_TABLE_BLOCK "Constant Buffer Binding Table Block" 44..47 Uint;
        CONSTANT_BUFFER_VALID "Constant Buffer Valid" 48..63 Uint;
        ON_DIE_TABLE "On-Die Table" 67..67 Uint;
        CONSTANT_BUFFER_DX9_ENABLE "Constant Buffer Dx9 Enable" 68..68 Bool;
        CONSTANT_BUFFER_DX9_GENERATE_STALL "Constant Buffer Dx9 Generate Stall" 69..69 Bool;
        GATHER_BUFFER_OFFSET "Gather Buffer Offset" 70..86 Offset;
    }
    /// SKL PRM vol. 2a, "3DSTATE_GATHER_POOL_ALLOC".
    state_gather_pool_alloc "3DSTATE_GATHER_POOL_ALLOC" [Gen9..Gen9] dwords 4 header 0x791a0002 mask 0xffff0000 length 0xff bias 2 {
        MOCS "MOCS" 32..38 Uint;
        GATHER_POOL_ENABLE "Gather Pool Enable" 43..43 Bool;
        GATHER_POOL_BASE_ADDRESS "Gather Pool Base Address" 44..95 Address;
        GATHER_POOL_BUFFER_SIZE "Gather Pool Buffer Size" 108..127 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_GS".
    state_gs "3DSTATE_GS" [Gen9..Gen9] dwords 10 header 0x78110008 mask 0xffff0000 length 0xff bias 2 {
        KERNEL_START_POINTER "Kernel Start Pointer" 38..95 Offset;
        EXPECTED_VERTEX_COUNT "Expected Vertex Count" 96..101 Uint;
        SOFTWARE_EXCEPTION_ENABLE "Software Exception Enable" 103..103 Bool;
        MASK_STACK_EXCEPTION_ENABLE "Mask Stack Exception Enable" 107..107 Bool;
        ACCESSES_UAV "Accesses UAV" 108..108 Bool;
        ILLEGAL_OPCODE_EXCEPTION_ENABLE "Illegal Opcode Exception Enable" 109..109 Bool;
        FLOATING_POINT_MODE "Floating Point Mode" 112..112 Uint;
        THREAD_DISPATCH_PRIORITY "Thread Dispatch Priority" 113..113 Uint;
        BINDING_TABLE_ENTRY_COUNT "Binding Table Entry Count" 114..121 Uint;
        SAMPLER_COUNT "Sampler Count" 123..125 Uint;
        VECTOR_MASK_ENABLE "Vector Mask Enable" 126..126 Bool;
        SINGLE_PROGRAM_FLOW "Single Program Flow" 127..127 Bool;
        PER_THREAD_SCRATCH_SPACE "Per-Thread Scratch Space" 128..131 Uint;
        SCRATCH_SPACE_BASE_POINTER "Scratch Space Base Pointer" 138..191 Address;
        DISPATCH_GRF_START_REGISTER_FOR_URB_DATA "Dispatch GRF Start Register For URB Data" 192..195 Uint;
        VERTEX_URB_ENTRY_READ_OFFSET "Vertex URB Entry Read Offset" 196..201 Uint;
        INCLUDE_VERTEX_HANDLES "Include Vertex Handles" 202..202 Bool;
        VERTEX_URB_ENTRY_READ_LENGTH "Vertex URB Entry Read Length" 203..208 Uint;
        OUTPUT_TOPOLOGY "Output Topology" 209..214 Uint;
        OUTPUT_VERTEX_SIZE "Output Vertex Size" 215..220 Uint;
        DISPATCH_GRF_START_REGISTER_FOR_URB_DATA_5_4 "Dispatch GRF Start Register For URB Data [5:4]" 221..222 Uint;
        ENABLE "Enable" 224..224 Bool;
        DISCARD_ADJACENCY "Discard Adjacency" 225..225 Bool;
        REORDER_MODE "Reorder Mode" 226..226 Uint;
        HINT "Hint" 227..227 Uint;
        INCLUDE_PRIMITIVE_ID "Include Primitive ID" 228..228 Bool;
        INVOCATIONS_INCREMENT_VALUE "Invocations Increment Value" 229..233 Uint;
        STATISTICS_ENABLE "Statistics Enable" 234..234 Bool;
        DISPATCH_MODE "Dispatch Mode" 235..236 Uint;
        DEFAULT_STREAM_ID "Default Stream Id" 237..238 Uint;
        INSTANCE_CONTROL "Instance Control" 239..243 Uint;
        CONTROL_DATA_HEADER_SIZE "Control Data Header Size" 244..247 Uint;
        MAXIMUM_NUMBER_OF_THREADS "Maximum Number of Threads" 256..264 Uint;
        STATIC_OUTPUT_VERTEX_COUNT "Static Output Vertex Count" 272..282 Uint;
        STATIC_OUTPUT "Static Output" 286..286 Bool;
        CONTROL_DATA_FORMAT "Control Data Format" 287..287 Uint;
        USER_CLIP_DISTANCE_CULL_TEST_ENABLE_BITMASK "User Clip Distance Cull Test Enable Bitmask" 288..295 Uint;
        USER_CLIP_DISTANCE_CLIP_TEST_ENABLE_BITMASK "User Clip Distance Clip Test Enable Bitmask" 296..303 Uint;
        VERTEX_URB_ENTRY_OUTPUT_LENGTH "Vertex URB Entry Output Length" 304..308 Uint;
        VERTEX_URB_ENTRY_OUTPUT_READ_OFFSET "Vertex URB Entry Output Read Offset" 309..314 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_HIER_DEPTH_BUFFER".
    state_hier_depth_buffer "3DSTATE_HIER_DEPTH_BUFFER" [Gen9..Gen9] dwords 5 header 0x78070003 mask 0xffff0000 length 0xff bias 2 {
        SURFACE_PITCH "Surface Pitch" 32..48 Uint;
        MOCS "MOCS" 57..63 Uint;
        SURFACE_BASE_ADDRESS "Surface Base Address" 64..127 Address;
        SURFACE_QPITCH "Surface QPitch" 128..142 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_HS".
    state_hs "3DSTATE_HS" [Gen9..Gen9] dwords 9 header 0x781b0007 mask 0xffff0000 length 0xff bias 2 {
        SOFTWARE_EXCEPTION_ENABLE "Software Exception Enable" 44..44 Bool;
        ILLEGAL_OPCODE_EXCEPTION_ENABLE "Illegal Opcode Exception Enable" 45..45 Bool;
        FLOATING_POINT_MODE "Floating Point Mode" 48..48 Uint;
        THREAD_DISPATCH_PRIORITY "Thread Dispatch Priority" 49..49 Uint;
        BINDING_TABLE_ENTRY_COUNT "Binding Table Entry Count" 50..57 Uint;
        SAMPLER_COUNT "Sampler Count" 59..61 Uint;
        INSTANCE_COUNT "Instance Count" 64..67 Uint;
        MAXIMUM_NUMBER_OF_THREADS "Maximum Number of Threads" 72..80 Uint;
        STATISTICS_ENABLE "Statistics Enable" 93..93 Bool;
        ENABLE "Enable" 95..95 Bool;
        KERNEL_START_POINTER "Kernel Start Pointer" 102..159 Offset;
        PER_THREAD_SCRATCH_SPACE "Per-Thread Scratch Space" 160..163 Uint;
        SCRATCH_SPACE_BASE_POINTER "Scratch Space Base Pointer" 170..223 Address;
        INCLUDE_PRIMITIVE_ID "Include Primitive ID" 224..224 Bool;
        VERTEX_URB_ENTRY_READ_OFFSET "Vertex URB Entry Read Offset" 228..233 Uint;
        VERTEX_URB_ENTRY_READ_LENGTH "Vertex URB Entry Read Length" 235..240 Uint;
        DISPATCH_MODE "Dispatch Mode" 241..242 Uint;
        DISPATCH_GRF_START_REGISTER_FOR_URB_DATA "Dispatch GRF Start Register For URB Data" 243..247 Uint;
        INCLUDE_VERTEX_HANDLES "Include Vertex Handles" 248..248 Bool;
        ACCESSES_UAV "Accesses UAV" 249..249 Bool;
        VECTOR_MASK_ENABLE "Vector Mask Enable" 250..250 Bool;
        SINGLE_PROGRAM_FLOW "Single Program Flow" 251..251 Bool;
        DISPATCH_GRF_START_REGISTER_FOR_URB_DATA_5 "Dispatch GRF Start Register For URB Data [5]" 252..252 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_INDEX_BUFFER".
    state_index_buffer "3DSTATE_INDEX_BUFFER" [Gen9..Gen9] dwords 5 header 0x780a0003 mask 0xffff0000 length 0xff bias 2 {
        MOCS "MOCS" 32..38 Uint;
        INDEX_FORMAT "Index Format" 40..41 Uint;
        BUFFER_STARTING_ADDRESS "Buffer Starting Address" 64..127 Address;
        BUFFER_SIZE "Buffer Size" 128..159 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_LINE_STIPPLE".
    state_line_stipple "3DSTATE_LINE_STIPPLE" [Gen9..Gen9] dwords 3 header 0x79080001 mask 0xffff0000 length 0xff bias 2 {
        LINE_STIPPLE_PATTERN "Line Stipple Pattern" 32..47 Uint;
        CURRENT_STIPPLE_INDEX "Current Stipple Index" 48..51 Uint;
        CURRENT_REPEAT_COUNTER "Current Repeat Counter" 53..61 Uint;
        MODIFY_ENABLE_CURRENT_REPEAT_COUNTER_CURRENT_STIPPLE_INDEX "Modify Enable (Current Repeat Counter, Current Stipple Index)" 63..63 Bool;
        LINE_STIPPLE_REPEAT_COUNT "Line Stipple Repeat Count" 64..72 Uint;
        LINE_STIPPLE_INVERSE_REPEAT_COUNT "Line Stipple Inverse Repeat Count" 79..95 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_MONOFILTER_SIZE".
    state_monofilter_size "3DSTATE_MONOFILTER_SIZE" [Gen9..Gen9] dwords 2 header 0x79110000 mask 0xffff0000 length 0xff bias 2 {
        MONOCHROME_FILTER_HEIGHT "Monochrome Filter Height" 32..34 Uint;
        MONOCHROME_FILTER_WIDTH "Monochrome Filter Width" 35..37 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_MULTISAMPLE".
    state_multisample "3DSTATE_MULTISAMPLE" [Gen9..Gen9] dwords 2 header 0x780d0000 mask 0xffff0000 length 0xff bias 2 {
        NUMBER_OF_MULTISAMPLES "Number of Multisamples" 33..35 Uint;
        PIXEL_LOCATION "Pixel Location" 36..36 Uint;
        PIXEL_POSITION_OFFSET_ENABLE "Pixel Position Offset Enable" 37..37 Bool;
    }
    /// SKL PRM vol. 2a, "3DSTATE_POLY_STIPPLE_OFFSET".
    state_poly_stipple_offset "3DSTATE_POLY_STIPPLE_OFFSET" [Gen9..Gen9] dwords 2 header 0x79060000 mask 0xffff0000 length 0xff bias 2 {
        POLYGON_STIPPLE_Y_OFFSET "Polygon Stipple Y Offset" 32..36 Uint;
        POLYGON_STIPPLE_X_OFFSET "Polygon Stipple X Offset" 40..44 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_POLY_STIPPLE_PATTERN".
    state_poly_stipple_pattern "3DSTATE_POLY_STIPPLE_PATTERN" [Gen9..Gen9] dwords 33 header 0x7907001f mask 0xffff0000 length 0xff bias 2 {
        PATTERN_ROW "Pattern Row" 32..63 Uint;
        PATTERN_ROW_1 "Pattern Row" 64..95 Uint;
        PATTERN_ROW_2 "Pattern Row" 96..127 Uint;
        PATTERN_ROW_3 "Pattern Row" 128..159 Uint;
        PATTERN_ROW_4 "Pattern Row" 160..191 Uint;
        PATTERN_ROW_5 "Pattern Row" 192..223 Uint;
        PATTERN_ROW_6 "Pattern Row" 224..255 Uint;
        PATTERN_ROW_7 "Pattern Row" 256..287 Uint;
        PATTERN_ROW_8 "Pattern Row" 288..319 Uint;
        PATTERN_ROW_9 "Pattern Row" 320..351 Uint;
        PATTERN_ROW_10 "Pattern Row" 352..383 Uint;
        PATTERN_ROW_11 "Pattern Row" 384..415 Uint;
        PATTERN_ROW_12 "Pattern Row" 416..447 Uint;
        PATTERN_ROW_13 "Pattern Row" 448..479 Uint;
        PATTERN_ROW_14 "Pattern Row" 480..511 Uint;
        PATTERN_ROW_15 "Pattern Row" 512..543 Uint;
        PATTERN_ROW_16 "Pattern Row" 544..575 Uint;
        PATTERN_ROW_17 "Pattern Row" 576..607 Uint;
        PATTERN_ROW_18 "Pattern Row" 608..639 Uint;
        PATTERN_ROW_19 "Pattern Row" 640..671 Uint;
        PATTERN_ROW_20 "Pattern Row" 672..703 Uint;
        PATTERN_ROW_21 "Pattern Row" 704..735 Uint;
        PATTERN_ROW_22 "Pattern Row" 736..767 Uint;
        PATTERN_ROW_23 "Pattern Row" 768..799 Uint;
        PATTERN_ROW_24 "Pattern Row" 800..831 Uint;
        PATTERN_ROW_25 "Pattern Row" 832..863 Uint;
        PATTERN_ROW_26 "Pattern Row" 864..895 Uint;
        PATTERN_ROW_27 "Pattern Row" 896..927 Uint;
        PATTERN_ROW_28 "Pattern Row" 928..959 Uint;
        PATTERN_ROW_29 "Pattern Row" 960..991 Uint;
        PATTERN_ROW_30 "Pattern Row" 992..1023 Uint;
        PATTERN_ROW_31 "Pattern Row" 1024..1055 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_PS".
    state_ps "3DSTATE_PS" [Gen9..Gen9] dwords 12 header 0x7820000a mask 0xffff0000 length 0xff bias 2 {
        KERNEL_START_POINTER_0 "Kernel Start Pointer 0" 38..95 Offset;
        SOFTWARE_EXCEPTION_ENABLE "Software Exception Enable" 103..103 Bool;
        MASK_STACK_EXCEPTION_ENABLE "Mask Stack Exception Enable" 107..107 Bool;
        ILLEGAL_OPCODE_EXCEPTION_ENABLE "Illegal Opcode Exception Enable" 109..109 Bool;
        ROUNDING_MODE "Rounding Mode" 110..111 Uint;
        FLOATING_POINT_MODE "Floating Point Mode" 112..112 Uint;
        THREAD_DISPATCH_PRIORITY "Thread Dispatch Priority" 113..113 Uint;
        BINDING_TABLE_ENTRY_COUNT "Binding Table Entry Count" 114..121 Uint;
        SINGLE_PRECISION_DENORMAL_MODE "Single Precision Denormal Mode" 122..122 Uint;
        SAMPLER_COUNT "Sampler Count" 123..125 Uint;
        VECTOR_MASK_ENABLE "Vector Mask Enable" 126..126 Bool;
        SINGLE_PROGRAM_FLOW "Single Program Flow" 127..127 Bool;
        PER_THREAD_SCRATCH_SPACE "Per Thread Scratch Space" 128..131 Uint;
        SCRATCH_SPACE_BASE_POINTER "Scratch Space Base Pointer" 138..191 Address;
        N8_PIXEL_DISPATCH_ENABLE "8 Pixel Dispatch Enable" 192..192 Bool;
        N16_PIXEL_DISPATCH_ENABLE "16 Pixel Dispatch Enable" 193..193 Bool;
        N32_PIXEL_DISPATCH_ENABLE "32 Pixel Dispatch Enable" 194..194 Bool;
        POSITION_XY_OFFSET_SELECT "Position XY Offset Select" 195..196 Uint;
        RENDER_TARGET_RESOLVE_TYPE "Render Target Resolve Type" 198..199 Uint;
        RENDER_TARGET_FAST_CLEAR_ENABLE "Render Target Fast Clear Enable" 200..200 Bool;
        PUSH_CONSTANT_ENABLE "Push Constant Enable" 203..203 Bool;
        MAXIMUM_NUMBER_OF_THREADS_PER_PSD "Maximum Number of Threads Per PSD" 215..223 Uint;
        DISPATCH_GRF_START_REGISTER_FOR_CONSTANT_SETUP_DATA_2 "Dispatch GRF Start Register For Constant/Setup Data 2" 224..230 Uint;
        DISPATCH_GRF_START_REGISTER_FOR_CONSTANT_SETUP_DATA_1 "Dispatch GRF Start Register For Constant/Setup Data 1" 232..238 Uint;
        DISPATCH_GRF_START_REGISTER_FOR_CONSTANT_SETUP_DATA_0 "Dispatch GRF Start Register For Constant/Setup Data 0" 240..246 Uint;
        KERNEL_START_POINTER_1 "Kernel Start Pointer 1" 262..319 Offset;
        KERNEL_START_POINTER_2 "Kernel Start Pointer 2" 326..383 Offset;
    }
    /// SKL PRM vol. 2a, "3DSTATE_PS_BLEND".
    state_ps_blend "3DSTATE_PS_BLEND" [Gen9..Gen9] dwords 2 header 0x784d0000 mask 0xffff0000 length 0xff bias 2 {
        INDEPENDENT_ALPHA_BLEND_ENABLE "Independent Alpha Blend Enable" 39..39 Bool;
        ALPHA_TEST_ENABLE "Alpha Test Enable" 40..40 Bool;
        DESTINATION_BLEND_FACTOR "Destination Blend Factor" 41..45 Uint;
        SOURCE_BLEND_FACTOR "Source Blend Factor" 46..50 Uint;
        DESTINATION_ALPHA_BLEND_FACTOR "Destination Alpha Blend Factor" 51..55 Uint;
        SOURCE_ALPHA_BLEND_FACTOR "Source Alpha Blend Factor" 56..60 Uint;
        COLOR_BUFFER_BLEND_ENABLE "Color Buffer Blend Enable" 61..61 Bool;
        HAS_WRITEABLE_RT "Has Writeable RT" 62..62 Bool;
        ALPHA_TO_COVERAGE_ENABLE "Alpha To Coverage Enable" 63..63 Bool;
    }
    /// SKL PRM vol. 2a, "3DSTATE_PS_EXTRA".
    state_ps_extra "3DSTATE_PS_EXTRA" [Gen9..Gen9] dwords 2 header 0x784f0000 mask 0xffff0000 length 0xff bias 2 {
        INPUT_COVERAGE_MASK_STATE "Input Coverage Mask State" 32..33 Uint;
        PIXEL_SHADER_HAS_UAV "Pixel Shader Has UAV" 34..34 Bool;
        PIXEL_SHADER_PULLS_BARY "Pixel Shader Pulls Bary" 35..35 Bool;
        PIXEL_SHADER_COMPUTES_STENCIL "Pixel Shader Computes Stencil" 37..37 Bool;
        PIXEL_SHADER_IS_PER_SAMPLE "Pixel Shader Is Per Sample" 38..38 Bool;
        PIXEL_SHADER_DISABLES_ALPHA_TO_COVERAGE "Pixel Shader Disables Alpha To Coverage" 39..39 Bool;
        ATTRIBUTE_ENABLE "Attribute Enable" 40..40 Bool;
        PIXEL_SHADER_USES_SOURCE_W "Pixel Shader Uses Source W" 55..55 Bool;
        PIXEL_SHADER_USES_SOURCE_DEPTH "Pixel Shader Uses Source Depth" 56..56 Bool;
        FORCE_COMPUTED_DEPTH "Force Computed Depth" 57..57 Bool;
        PIXEL_SHADER_COMPUTED_DEPTH_MODE "Pixel Shader Computed Depth Mode" 58..59 Uint;
        PIXEL_SHADER_KILLS_PIXEL "Pixel Shader Kills Pixel" 60..60 Bool;
        OMASK_PRESENT_TO_RENDER_TARGET "oMask Present to Render Target" 61..61 Bool;
        PIXEL_SHADER_DOES_NOT_WRITE_TO_RT "Pixel Shader Does not write to RT" 62..62 Bool;
        PIXEL_SHADER_VALID "Pixel Shader Valid" 63..63 Bool;
    }
    /// SKL PRM vol. 2a, "3DSTATE_PUSH_CONSTANT_ALLOC_DS".
    state_push_constant_alloc_ds "3DSTATE_PUSH_CONSTANT_ALLOC_DS" [Gen9..Gen9] dwords 2 header 0x79140000 mask 0xffff0000 length 0xff bias 2 {
        CONSTANT_BUFFER_SIZE "Constant Buffer Size" 32..37 Uint;
        CONSTANT_BUFFER_OFFSET "Constant Buffer Offset" 48..52 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_PUSH_CONSTANT_ALLOC_GS".
    state_push_constant_alloc_gs "3DSTATE_PUSH_CONSTANT_ALLOC_GS" [Gen9..Gen9] dwords 2 header 0x79150000 mask 0xffff0000 length 0xff bias 2 {
        CONSTANT_BUFFER_SIZE "Constant Buffer Size" 32..37 Uint;
        CONSTANT_BUFFER_OFFSET "Constant Buffer Offset" 48..52 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_PUSH_CONSTANT_ALLOC_HS".
    state_push_constant_alloc_hs "3DSTATE_PUSH_CONSTANT_ALLOC_HS" [Gen9..Gen9] dwords 2 header 0x79130000 mask 0xffff0000 length 0xff bias 2 {
        CONSTANT_BUFFER_SIZE "Constant Buffer Size" 32..37 Uint;
        CONSTANT_BUFFER_OFFSET "Constant Buffer Offset" 48..52 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_PUSH_CONSTANT_ALLOC_PS".
    state_push_constant_alloc_ps "3DSTATE_PUSH_CONSTANT_ALLOC_PS" [Gen9..Gen9] dwords 2 header 0x79160000 mask 0xffff0000 length 0xff bias 2 {
        CONSTANT_BUFFER_SIZE "Constant Buffer Size" 32..37 Uint;
        CONSTANT_BUFFER_OFFSET "Constant Buffer Offset" 48..52 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_PUSH_CONSTANT_ALLOC_VS".
    state_push_constant_alloc_vs "3DSTATE_PUSH_CONSTANT_ALLOC_VS" [Gen9..Gen9] dwords 2 header 0x79120000 mask 0xffff0000 length 0xff bias 2 {
        CONSTANT_BUFFER_SIZE "Constant Buffer Size" 32..37 Uint;
        CONSTANT_BUFFER_OFFSET "Constant Buffer Offset" 48..52 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_RASTER".
    state_raster "3DSTATE_RASTER" [Gen9..Gen9] dwords 5 header 0x78500003 mask 0xffff0000 length 0xff bias 2 {
        VIEWPORT_Z_NEAR_CLIP_TEST_ENABLE "Viewport Z Near Clip Test Enable" 32..32 Bool;
        SCISSOR_RECTANGLE_ENABLE "Scissor Rectangle Enable" 33..33 Bool;
        ANTIALIASING_ENABLE "Antialiasing Enable" 34..34 Bool;
        BACK_FACE_FILL_MODE "Back Face Fill Mode" 35..36 Uint;
        FRONT_FACE_FILL_MODE "Front Face Fill Mode" 37..38 Uint;
        GLOBAL_DEPTH_OFFSET_ENABLE_POINT "Global Depth Offset Enable Point" 39..39 Bool;
        GLOBAL_DEPTH_OFFSET_ENABLE_WIREFRAME "Global Depth Offset Enable Wireframe" 40..40 Bool;
        GLOBAL_DEPTH_OFFSET_ENABLE_SOLID "Global Depth Offset Enable Solid" 41..41 Bool;
        DX_MULTISAMPLE_RASTERIZATION_MODE "DX Multisample Rasterization Mode" 42..43 Uint;
        DX_MULTISAMPLE_RASTERIZATION_ENABLE "DX Multisample Rasterization Enable" 44..44 Bool;
        SMOOTH_POINT_ENABLE "Smooth Point Enable" 45..45 Bool;
        FORCE_MULTISAMPLING "Force Multisampling" 46..46 Uint;
        CULL_MODE "Cull Mode" 48..49 Uint;
        FORCED_SAMPLE_COUNT "Forced Sample Count" 50..52 Uint;
        FRONT_WINDING "Front Winding" 53..53 Uint;
        API_MODE "API Mode" 54..55 Uint;
        CONSERVATIVE_RASTERIZATION_ENABLE "Conservative Rasterization Enable" 56..56 Bool;
        VIEWPORT_Z_FAR_CLIP_TEST_ENABLE "Viewport Z Far Clip Test Enable" 58..58 Bool;
        GLOBAL_DEPTH_OFFSET_CONSTANT "Global Depth Offset Constant" 64..95 Float;
        GLOBAL_DEPTH_OFFSET_SCALE "Global Depth Offset Scale" 96..127 Float;
        GLOBAL_DEPTH_OFFSET_CLAMP "Global Depth Offset Clamp" 128..159 Float;
    }
    /// SKL PRM vol. 2a, "3DSTATE_RS_CONSTANT_POINTER".
    state_rs_constant_pointer "3DSTATE_RS_CONSTANT_POINTER" [Gen9..Gen9] dwords 4 header 0x78540002 mask 0xffff0000 length 0xff bias 2 {
        OPERATION_LOAD_OR_STORE "Operation Load or Store" 44..44 Uint;
        SHADER_SELECT "Shader Select" 60..62 Uint;
        GLOBAL_CONSTANT_BUFFER_ADDRESS "Global Constant Buffer Address" 70..95 Address;
        GLOBAL_CONSTANT_BUFFER_ADDRESS_HIGH "Global Constant Buffer Address High" 96..127 Address;
    }
    /// SKL PRM vol. 2a, "3DSTATE_SAMPLER_PALETTE_LOAD0".
    state_sampler_palette_load0 "3DSTATE_SAMPLER_PALETTE_LOAD0" [Gen9..Gen9] dwords 0 header 0x79020000 mask 0xffff0000 length 0xff bias 2 {

    }
    /// SKL PRM vol. 2a, "3DSTATE_SAMPLER_PALETTE_LOAD1".
    state_sampler_palette_load1 "3DSTATE_SAMPLER_PALETTE_LOAD1" [Gen9..Gen9] dwords 0 header 0x790c0000 mask 0xffff0000 length 0xff bias 2 {

    }
    /// SKL PRM vol. 2a, "3DSTATE_SAMPLER_STATE_POINTERS_DS".
    state_sampler_state_pointers_ds "3DSTATE_SAMPLER_STATE_POINTERS_DS" [Gen9..Gen9] dwords 2 header 0x782d0000 mask 0xffff0000 length 0xff bias 2 {
        POINTER_TO_DS_SAMPLER_STATE "Pointer to DS Sampler State" 37..63 Offset;
    }
    /// SKL PRM vol. 2a, "3DSTATE_SAMPLER_STATE_POINTERS_GS".
    state_sampler_state_pointers_gs "3DSTATE_SAMPLER_STATE_POINTERS_GS" [Gen9..Gen9] dwords 2 header 0x782e0000 mask 0xffff0000 length 0xff bias 2 {
        POINTER_TO_GS_SAMPLER_STATE "Pointer to GS Sampler State" 37..63 Offset;
    }
    /// SKL PRM vol. 2a, "3DSTATE_SAMPLER_STATE_POINTERS_HS".
    state_sampler_state_pointers_hs "3DSTATE_SAMPLER_STATE_POINTERS_HS" [Gen9..Gen9] dwords 2 header 0x782c0000 mask 0xffff0000 length 0xff bias 2 {
        POINTER_TO_HS_SAMPLER_STATE "Pointer to HS Sampler State" 37..63 Offset;
    }
    /// SKL PRM vol. 2a, "3DSTATE_SAMPLER_STATE_POINTERS_PS".
    state_sampler_state_pointers_ps "3DSTATE_SAMPLER_STATE_POINTERS_PS" [Gen9..Gen9] dwords 2 header 0x782f0000 mask 0xffff0000 length 0xff bias 2 {
        POINTER_TO_PS_SAMPLER_STATE "Pointer to PS Sampler State" 37..63 Offset;
    }
    /// SKL PRM vol. 2a, "3DSTATE_SAMPLER_STATE_POINTERS_VS".
    state_sampler_state_pointers_vs "3DSTATE_SAMPLER_STATE_POINTERS_VS" [Gen9..Gen9] dwords 2 header 0x782b0000 mask 0xffff0000 length 0xff bias 2 {
        POINTER_TO_VS_SAMPLER_STATE "Pointer to VS Sampler State" 37..63 Offset;
    }
    /// SKL PRM vol. 2a, "3DSTATE_SAMPLE_MASK".
    state_sample_mask "3DSTATE_SAMPLE_MASK" [Gen9..Gen9] dwords 2 header 0x78180000 mask 0xffff0000 length 0xff bias 2 {
        SAMPLE_MASK "Sample Mask" 32..47 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_SAMPLE_PATTERN".
    state_sample_pattern "3DSTATE_SAMPLE_PATTERN" [Gen9..Gen9] dwords 9 header 0x791c0007 mask 0xffff0000 length 0xff bias 2 {
        N16X_SAMPLE0_Y_OFFSET "16x Sample0 Y Offset" 32..35 Uint;
        N16X_SAMPLE0_X_OFFSET "16x Sample0 X Offset" 36..39 Uint;
        N16X_SAMPLE1_Y_OFFSET "16x Sample1 Y Offset" 40..43 Uint;
        N16X_SAMPLE1_X_OFFSET "16x Sample1 X Offset" 44..47 Uint;
        N16X_SAMPLE2_Y_OFFSET "16x Sample2 Y Offset" 48..51 Uint;
        N16X_SAMPLE2_X_OFFSET "16x Sample2 X Offset" 52..55 Uint;
        N16X_SAMPLE3_Y_OFFSET "16x Sample3 Y Offset" 56..59 Uint;
        N16X_SAMPLE3_X_OFFSET "16x Sample3 X Offset" 60..63 Uint;
        N16X_SAMPLE4_Y_OFFSET "16x Sample4 Y Offset" 64..67 Uint;
        N16X_SAMPLE4_X_OFFSET "16x Sample4 X Offset" 68..71 Uint;
        N16X_SAMPLE5_Y_OFFSET "16x Sample5 Y Offset" 72..75 Uint;
        N16X_SAMPLE5_X_OFFSET "16x Sample5 X Offset" 76..79 Uint;
        N16X_SAMPLE6_Y_OFFSET "16x Sample6 Y Offset" 80..83 Uint;
        N16X_SAMPLE6_X_OFFSET "16x Sample6 X Offset" 84..87 Uint;
        N16X_SAMPLE7_Y_OFFSET "16x Sample7 Y Offset" 88..91 Uint;
        N16X_SAMPLE7_X_OFFSET "16x Sample7 X Offset" 92..95 Uint;
        N16X_SAMPLE8_Y_OFFSET "16x Sample8 Y Offset" 96..99 Uint;
        N16X_SAMPLE8_X_OFFSET "16x Sample8 X Offset" 100..103 Uint;
        N16X_SAMPLE9_Y_OFFSET "16x Sample9 Y Offset" 104..107 Uint;
        N16X_SAMPLE9_X_OFFSET "16x Sample9 X Offset" 108..111 Uint;
        N16X_SAMPLE10_Y_OFFSET "16x Sample10 Y Offset" 112..115 Uint;
        N16X_SAMPLE10_X_OFFSET "16x Sample10 X Offset" 116..119 Uint;
        N16X_SAMPLE11_Y_OFFSET "16x Sample11 Y Offset" 120..123 Uint;
        N16X_SAMPLE11_X_OFFSET "16x Sample11 X Offset" 124..127 Uint;
        N16X_SAMPLE12_Y_OFFSET "16x Sample12 Y Offset" 128..131 Uint;
        N16X_SAMPLE12_X_OFFSET "16x Sample12 X Offset" 132..135 Uint;
        N16X_SAMPLE13_Y_OFFSET "16x Sample13 Y Offset" 136..139 Uint;
        N16X_SAMPLE13_X_OFFSET "16x Sample13 X Offset" 140..143 Uint;
        N16X_SAMPLE14_Y_OFFSET "16x Sample14 Y Offset" 144..147 Uint;
        N16X_SAMPLE14_X_OFFSET "16x Sample14 X Offset" 148..151 Uint;
        N16X_SAMPLE15_Y_OFFSET "16x Sample15 Y Offset" 152..155 Uint;
        N16X_SAMPLE15_X_OFFSET "16x Sample15 X Offset" 156..159 Uint;
        N8X_SAMPLE4_Y_OFFSET "8x Sample4 Y Offset" 160..163 Uint;
        N8X_SAMPLE4_X_OFFSET "8x Sample4 X Offset" 164..167 Uint;
        N8X_SAMPLE5_Y_OFFSET "8x Sample5 Y Offset" 168..171 Uint;
        N8X_SAMPLE5_X_OFFSET "8x Sample5 X Offset" 172..175 Uint;
        N8X_SAMPLE6_Y_OFFSET "8x Sample6 Y Offset" 176..179 Uint;
        N8X_SAMPLE6_X_OFFSET "8x Sample6 X Offset" 180..183 Uint;
        N8X_SAMPLE7_Y_OFFSET "8x Sample7 Y Offset" 184..187 Uint;
        N8X_SAMPLE7_X_OFFSET "8x Sample7 X Offset" 188..191 Uint;
        N8X_SAMPLE0_Y_OFFSET "8x Sample0 Y Offset" 192..195 Uint;
        N8X_SAMPLE0_X_OFFSET "8x Sample0 X Offset" 196..199 Uint;
        N8X_SAMPLE1_Y_OFFSET "8x Sample1 Y Offset" 200..203 Uint;
        N8X_SAMPLE1_X_OFFSET "8x Sample1 X Offset" 204..207 Uint;
        N8X_SAMPLE2_Y_OFFSET "8x Sample2 Y Offset" 208..211 Uint;
        N8X_SAMPLE2_X_OFFSET "8x Sample2 X Offset" 212..215 Uint;
        N8X_SAMPLE3_Y_OFFSET "8x Sample3 Y Offset" 216..219 Uint;
        N8X_SAMPLE3_X_OFFSET "8x Sample3 X Offset" 220..223 Uint;
        N4X_SAMPLE0_Y_OFFSET "4x Sample0 Y Offset" 224..227 Uint;
        N4X_SAMPLE0_X_OFFSET "4x Sample0 X Offset" 228..231 Uint;
        N4X_SAMPLE1_Y_OFFSET "4x Sample1 Y Offset" 232..235 Uint;
        N4X_SAMPLE1_X_OFFSET "4x Sample1 X Offset" 236..239 Uint;
        N4X_SAMPLE2_Y_OFFSET "4x Sample2 Y Offset" 240..243 Uint;
        N4X_SAMPLE2_X_OFFSET "4x Sample2 X Offset" 244..247 Uint;
        N4X_SAMPLE3_Y_OFFSET "4x Sample3 Y Offset" 248..251 Uint;
        N4X_SAMPLE3_X_OFFSET "4x Sample3 X Offset" 252..255 Uint;
        N2X_SAMPLE0_Y_OFFSET "2x Sample0 Y Offset" 256..259 Uint;
        N2X_SAMPLE0_X_OFFSET "2x Sample0 X Offset" 260..263 Uint;
        N2X_SAMPLE1_Y_OFFSET "2x Sample1 Y Offset" 264..267 Uint;
        N2X_SAMPLE1_X_OFFSET "2x Sample1 X Offset" 268..271 Uint;
        N1X_SAMPLE0_Y_OFFSET "1x Sample0 Y Offset" 272..275 Uint;
        N1X_SAMPLE0_X_OFFSET "1x Sample0 X Offset" 276..279 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_SBE".
    state_sbe "3DSTATE_SBE" [Gen9..Gen9] dwords 6 header 0x781f0004 mask 0xffff0000 length 0xff bias 2 {
        PRIMITIVE_ID_OVERRIDE_ATTRIBUTE_SELECT "Primitive ID Override Attribute Select" 32..36 Uint;
        VERTEX_URB_ENTRY_READ_OFFSET "Vertex URB Entry Read Offset" 37..42 Uint;
        VERTEX_URB_ENTRY_READ_LENGTH "Vertex URB Entry Read Length" 43..47 Uint;
        PRIMITIVE_ID_OVERRIDE_COMPONENT_X "Primitive ID Override Component X" 48..48 Bool;
        PRIMITIVE_ID_OVERRIDE_COMPONENT_Y "Primitive ID Override Component Y" 49..49 Bool;
        PRIMITIVE_ID_OVERRIDE_COMPONENT_Z "Primitive ID Override Component Z" 50..50 Bool;
        PRIMITIVE_ID_OVERRIDE_COMPONENT_W "Primitive ID Override Component W" 51..51 Bool;
        POINT_SPRITE_TEXTURE_COORDINATE_ORIGIN "Point Sprite Texture Coordinate Origin" 52..52 Uint;
        ATTRIBUTE_SWIZZLE_ENABLE "Attribute Swizzle Enable" 53..53 Bool;
        NUMBER_OF_SF_OUTPUT_ATTRIBUTES "Number of SF Output Attributes" 54..59 Uint;
        FORCE_VERTEX_URB_ENTRY_READ_OFFSET "Force Vertex URB Entry Read Offset" 60..60 Bool;
        FORCE_VERTEX_URB_ENTRY_READ_LENGTH "Force Vertex URB Entry Read Length" 61..61 Bool;
        POINT_SPRITE_TEXTURE_COORDINATE_ENABLE "Point Sprite Texture Coordinate Enable" 64..95 Uint;
        CONSTANT_INTERPOLATION_ENABLE "Constant Interpolation Enable" 96..127 Uint;
        ATTRIBUTE_ACTIVE_COMPONENT_FORMAT "Attribute Active Component Format" 128..129 Uint;
        ATTRIBUTE_ACTIVE_COMPONENT_FORMAT_1 "Attribute Active Component Format" 130..131 Uint;
        ATTRIBUTE_ACTIVE_COMPONENT_FORMAT_2 "Attribute Active Component Format" 132..133 Uint;
        ATTRIBUTE_ACTIVE_COMPONENT_FORMAT_3 "Attribute Active Component Format" 134..135 Uint;
        ATTRIBUTE_ACTIVE_COMPONENT_FORMAT_4 "Attribute Active Component Format" 136..137 Uint;
        ATTRIBUTE_ACTIVE_COMPONENT_FORMAT_5 "Attribute Active Component Format" 138..139 Uint;
        ATTRIBUTE_ACTIVE_COMPONENT_FORMAT_6 "Attribute Active Component Format" 140..141 Uint;
        ATTRIBUTE_ACTIVE_COMPONENT_FORMAT_7 "Attribute Active Component Format" 142..143 Uint;
        ATTRIBUTE_ACTIVE_COMPONENT_FORMAT_8 "Attribute Active Component Format" 144..145 Uint;
        ATTRIBUTE_ACTIVE_COMPONENT_FORMAT_9 "Attribute Active Component Format" 146..147 Uint;
        ATTRIBUTE_ACTIVE_COMPONENT_FORMAT_10 "Attribute Active Component Format" 148..149 Uint;
        ATTRIBUTE_ACTIVE_COMPONENT_FORMAT_11 "Attribute Active Component Format" 150..151 Uint;
        ATTRIBUTE_ACTIVE_COMPONENT_FORMAT_12 "Attribute Active Component Format" 152..153 Uint;
        ATTRIBUTE_ACTIVE_COMPONENT_FORMAT_13 "Attribute Active Component Format" 154..155 Uint;
        ATTRIBUTE_ACTIVE_COMPONENT_FORMAT_14 "Attribute Active Component Format" 156..157 Uint;
        ATTRIBUTE_ACTIVE_COMPONENT_FORMAT_15 "Attribute Active Component Format" 158..159 Uint;
        ATTRIBUTE_ACTIVE_COMPONENT_FORMAT_16 "Attribute Active Component Format" 160..161 Uint;
        ATTRIBUTE_ACTIVE_COMPONENT_FORMAT_17 "Attribute Active Component Format" 162..163 Uint;
        ATTRIBUTE_ACTIVE_COMPONENT_FORMAT_18 "Attribute Active Component Format" 164..165 Uint;
        ATTRIBUTE_ACTIVE_COMPONENT_FORMAT_19 "Attribute Active Component Format" 166..167 Uint;
        ATTRIBUTE_ACTIVE_COMPONENT_FORMAT_20 "Attribute Active Component Format" 168..169 Uint;
        ATTRIBUTE_ACTIVE_COMPONENT_FORMAT_21 "Attribute Active Component Format" 170..171 Uint;
        ATTRIBUTE_ACTIVE_COMPONENT_FORMAT_22 "Attribute Active Component Format" 172..173 Uint;
        ATTRIBUTE_ACTIVE_COMPONENT_FORMAT_23 "Attribute Active Component Format" 174..175 Uint;
        ATTRIBUTE_ACTIVE_COMPONENT_FORMAT_24 "Attribute Active Component Format" 176..177 Uint;
        ATTRIBUTE_ACTIVE_COMPONENT_FORMAT_25 "Attribute Active Component Format" 178..179 Uint;
        ATTRIBUTE_ACTIVE_COMPONENT_FORMAT_26 "Attribute Active Component Format" 180..181 Uint;
        ATTRIBUTE_ACTIVE_COMPONENT_FORMAT_27 "Attribute Active Component Format" 182..183 Uint;
        ATTRIBUTE_ACTIVE_COMPONENT_FORMAT_28 "Attribute Active Component Format" 184..185 Uint;
        ATTRIBUTE_ACTIVE_COMPONENT_FORMAT_29 "Attribute Active Component Format" 186..187 Uint;
        ATTRIBUTE_ACTIVE_COMPONENT_FORMAT_30 "Attribute Active Component Format" 188..189 Uint;
        ATTRIBUTE_ACTIVE_COMPONENT_FORMAT_31 "Attribute Active Component Format" 190..191 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_SBE_SWIZ".
    state_sbe_swiz "3DSTATE_SBE_SWIZ" [Gen9..Gen9] dwords 11 header 0x78510009 mask 0xffff0000 length 0xff bias 2 {
        ATTRIBUTE "Attribute" 32..47 Uint;
        ATTRIBUTE_1 "Attribute" 48..63 Uint;
        ATTRIBUTE_2 "Attribute" 64..79 Uint;
        ATTRIBUTE_3 "Attribute" 80..95 Uint;
        ATTRIBUTE_4 "Attribute" 96..111 Uint;
        ATTRIBUTE_5 "Attribute" 112..127 Uint;
        ATTRIBUTE_6 "Attribute" 128..143 Uint;
        ATTRIBUTE_7 "Attribute" 144..159 Uint;
        ATTRIBUTE_8 "Attribute" 160..175 Uint;
        ATTRIBUTE_9 "Attribute" 176..191 Uint;
        ATTRIBUTE_10 "Attribute" 192..207 Uint;
        ATTRIBUTE_11 "Attribute" 208..223 Uint;
        ATTRIBUTE_12 "Attribute" 224..239 Uint;
        ATTRIBUTE_13 "Attribute" 240..255 Uint;
        ATTRIBUTE_14 "Attribute" 256..271 Uint;
        ATTRIBUTE_15 "Attribute" 272..287 Uint;
        ATTRIBUTE_WRAP_SHORTEST_ENABLES "Attribute Wrap Shortest Enables" 288..291 Uint;
        ATTRIBUTE_WRAP_SHORTEST_ENABLES_1 "Attribute Wrap Shortest Enables" 292..295 Uint;
        ATTRIBUTE_WRAP_SHORTEST_ENABLES_2 "Attribute Wrap Shortest Enables" 296..299 Uint;
        ATTRIBUTE_WRAP_SHORTEST_ENABLES_3 "Attribute Wrap Shortest Enables" 300..303 Uint;
        ATTRIBUTE_WRAP_SHORTEST_ENABLES_4 "Attribute Wrap Shortest Enables" 304..307 Uint;
        ATTRIBUTE_WRAP_SHORTEST_ENABLES_5 "Attribute Wrap Shortest Enables" 308..311 Uint;
        ATTRIBUTE_WRAP_SHORTEST_ENABLES_6 "Attribute Wrap Shortest Enables" 312..315 Uint;
        ATTRIBUTE_WRAP_SHORTEST_ENABLES_7 "Attribute Wrap Shortest Enables" 316..319 Uint;
        ATTRIBUTE_WRAP_SHORTEST_ENABLES_8 "Attribute Wrap Shortest Enables" 320..323 Uint;
        ATTRIBUTE_WRAP_SHORTEST_ENABLES_9 "Attribute Wrap Shortest Enables" 324..327 Uint;
        ATTRIBUTE_WRAP_SHORTEST_ENABLES_10 "Attribute Wrap Shortest Enables" 328..331 Uint;
        ATTRIBUTE_WRAP_SHORTEST_ENABLES_11 "Attribute Wrap Shortest Enables" 332..335 Uint;
        ATTRIBUTE_WRAP_SHORTEST_ENABLES_12 "Attribute Wrap Shortest Enables" 336..339 Uint;
        ATTRIBUTE_WRAP_SHORTEST_ENABLES_13 "Attribute Wrap Shortest Enables" 340..343 Uint;
        ATTRIBUTE_WRAP_SHORTEST_ENABLES_14 "Attribute Wrap Shortest Enables" 344..347 Uint;
        ATTRIBUTE_WRAP_SHORTEST_ENABLES_15 "Attribute Wrap Shortest Enables" 348..351 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_SCISSOR_STATE_POINTERS".
    state_scissor_state_pointers "3DSTATE_SCISSOR_STATE_POINTERS" [Gen9..Gen9] dwords 2 header 0x780f0000 mask 0xffff0000 length 0xff bias 2 {
        SCISSOR_RECT_POINTER "Scissor Rect Pointer" 37..63 Offset;
    }
    /// SKL PRM vol. 2a, "3DSTATE_SF".
    state_sf "3DSTATE_SF" [Gen9..Gen9] dwords 4 header 0x78130002 mask 0xffff0000 length 0xff bias 2 {
        VIEWPORT_TRANSFORM_ENABLE "Viewport Transform Enable" 33..33 Bool;
        STATISTICS_ENABLE "Statistics Enable" 42..42 Bool;
        LEGACY_GLOBAL_DEPTH_BIAS_ENABLE "Legacy Global Depth Bias Enable" 43..43 Bool;
        LINE_WIDTH "Line Width" 44..61 Uint;
        LINE_END_CAP_ANTIALIASING_REGION_WIDTH "Line End Cap Antialiasing Region Width" 80..81 Uint;
        POINT_WIDTH "Point Width" 96..106 Uint;
        POINT_WIDTH_SOURCE "Point Width Source" 107..107 Uint;
        VERTEX_SUB_PIXEL_PRECISION_SELECT "Vertex Sub Pixel Precision Select" 108..108 Uint;
        SMOOTH_POINT_ENABLE "Smooth Point Enable" 109..109 Bool;
        AA_LINE_DISTANCE_MODE "AA Line Distance Mode" 110..110 Uint;
        TRIANGLE_FAN_PROVOKING_VERTEX_SELECT "Triangle Fan Provoking Vertex Select" 121..122 Uint;
        LINE_STRIP_LIST_PROVOKING_VERTEX_SELECT "Line Strip/List Provoking Vertex Select" 123..124 Uint;
        TRIANGLE_STRIP_LIST_PROVOKING_VERTEX_SELECT "Triangle Strip/List Provoking Vertex Select" 125..126 Uint;
        LAST_PIXEL_ENABLE "Last Pixel Enable" 127..127 Bool;
    }
    /// SKL PRM vol. 2a, "3DSTATE_SO_BUFFER".
    state_so_buffer "3DSTATE_SO_BUFFER" [Gen9..Gen9] dwords 8 header 0x79180006 mask 0xffff0000 length 0xff bias 2 {
        STREAM_OUTPUT_BUFFER_OFFSET_ADDRESS_ENABLE "Stream Output Buffer Offset Address Enable" 52..52 Bool;
        STREAM_OFFSET_WRITE_ENABLE "Stream Offset Write Enable" 53..53 Bool;
        MOCS "MOCS" 54..60 Uint;
        SO_BUFFER_INDEX "SO Buffer Index" 61..62 Uint;
        SO_BUFFER_ENABLE "SO Buffer Enable" 63..63 Bool;
        SURFACE_BASE_ADDRESS "Surface Base Address" 66..111 Address;
        SURFACE_SIZE "Surface Size" 128..157 Uint;
        STREAM_OUTPUT_BUFFER_OFFSET_ADDRESS "Stream Output Buffer Offset Address" 162..207 Address;
        STREAM_OFFSET "Stream Offset" 224..255 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_SO_DECL_LIST".
    state_so_decl_list "3DSTATE_SO_DECL_LIST" [Gen9..Gen9] dwords 0 header 0x79170000 mask 0xffff0000 length 0x1ff bias 2 {
        STREAM_TO_BUFFER_SELECTS_0 "Stream to Buffer Selects [0]" 32..35 Uint;
        STREAM_TO_BUFFER_SELECTS_1 "Stream to Buffer Selects [1]" 36..39 Uint;
        STREAM_TO_BUFFER_SELECTS_2 "Stream to Buffer Selects [2]" 40..43 Uint;
        STREAM_TO_BUFFER_SELECTS_3 "Stream to Buffer Selects [3]" 44..47 Uint;
        NUM_ENTRIES_0 "Num Entries [0]" 64..71 Uint;
        NUM_ENTRIES_1 "Num Entries [1]" 72..79 Uint;
        NUM_ENTRIES_2 "Num Entries [2]" 80..87 Uint;
        NUM_ENTRIES_3 "Num Entries [3]" 88..95 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_STENCIL_BUFFER".
    state_stencil_buffer "3DSTATE_STENCIL_BUFFER" [Gen9..Gen9] dwords 5 header 0x78060003 mask 0xffff0000 length 0xff bias 2 {
        SURFACE_PITCH "Surface Pitch" 32..48 Uint;
        MOCS "MOCS" 54..60 Uint;
        STENCIL_BUFFER_ENABLE "Stencil Buffer Enable" 63..63 Bool;
        SURFACE_BASE_ADDRESS "Surface Base Address" 64..127 Address;
        SURFACE_QPITCH "Surface QPitch" 128..142 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_STREAMOUT".
    state_streamout "3DSTATE_STREAMOUT" [Gen9..Gen9] dwords 5 header 0x781e0003 mask 0xffff0000 length 0xff bias 2 {
        FORCE_RENDERING "Force Rendering" 55..56 Uint;
        SO_STATISTICS_ENABLE "SO Statistics Enable" 57..57 Bool;
        REORDER_MODE "Reorder Mode" 58..58 Uint;
        RENDER_STREAM_SELECT "Render Stream Select" 59..60 Uint;
        RENDERING_DISABLE "Rendering Disable" 62..62 Bool;
        SO_FUNCTION_ENABLE "SO Function Enable" 63..63 Bool;
        STREAM_0_VERTEX_READ_LENGTH "Stream 0 Vertex Read Length" 64..68 Uint;
        STREAM_0_VERTEX_READ_OFFSET "Stream 0 Vertex Read Offset" 69..69 Uint;
        STREAM_1_VERTEX_READ_LENGTH "Stream 1 Vertex Read Length" 72..76 Uint;
        STREAM_1_VERTEX_READ_OFFSET "Stream 1 Vertex Read Offset" 77..77 Uint;
        STREAM_2_VERTEX_READ_LENGTH "Stream 2 Vertex Read Length" 80..84 Uint;
        STREAM_2_VERTEX_READ_OFFSET "Stream 2 Vertex Read Offset" 85..85 Uint;
        STREAM_3_VERTEX_READ_LENGTH "Stream 3 Vertex Read Length" 88..92 Uint;
        STREAM_3_VERTEX_READ_OFFSET "Stream 3 Vertex Read Offset" 93..93 Uint;
        BUFFER_0_SURFACE_PITCH "Buffer 0 Surface Pitch" 96..107 Uint;
        BUFFER_1_SURFACE_PITCH "Buffer 1 Surface Pitch" 112..123 Uint;
        BUFFER_2_SURFACE_PITCH "Buffer 2 Surface Pitch" 128..139 Uint;
        BUFFER_3_SURFACE_PITCH "Buffer 3 Surface Pitch" 144..155 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_TE".
    state_te "3DSTATE_TE" [Gen9..Gen9] dwords 4 header 0x781c0002 mask 0xffff0000 length 0xff bias 2 {
        TE_ENABLE "TE Enable" 32..32 Bool;
        TE_MODE "TE Mode" 33..34 Uint;
        TE_DOMAIN "TE Domain" 36..37 Uint;
        OUTPUT_TOPOLOGY "Output Topology" 40..41 Uint;
        PARTITIONING "Partitioning" 44..45 Uint;
        MAXIMUM_TESSELLATION_FACTOR_ODD "Maximum Tessellation Factor Odd" 64..95 Float;
        MAXIMUM_TESSELLATION_FACTOR_NOT_ODD "Maximum Tessellation Factor Not Odd" 96..127 Float;
    }
    /// SKL PRM vol. 2a, "3DSTATE_URB_CLEAR".
    state_urb_clear "3DSTATE_URB_CLEAR" [Gen9..Gen9] dwords 2 header 0x791d0000 mask 0xffff0000 length 0xff bias 2 {
        URB_ADDRESS "URB Address" 32..46 Offset;
        URB_CLEAR_LENGTH "URB Clear Length" 48..61 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_URB_DS".
    state_urb_ds "3DSTATE_URB_DS" [Gen9..Gen9] dwords 2 header 0x78320000 mask 0xffff0000 length 0xff bias 2 {
        DS_NUMBER_OF_URB_ENTRIES "DS Number of URB Entries" 32..47 Uint;
        DS_URB_ENTRY_ALLOCATION_SIZE "DS URB Entry Allocation Size" 48..56 Uint;
        DS_URB_STARTING_ADDRESS "DS URB Starting Address" 57..63 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_URB_GS".
    state_urb_gs "3DSTATE_URB_GS" [Gen9..Gen9] dwords 2 header 0x78330000 mask 0xffff0000 length 0xff bias 2 {
        GS_NUMBER_OF_URB_ENTRIES "GS Number of URB Entries" 32..47 Uint;
        GS_URB_ENTRY_ALLOCATION_SIZE "GS URB Entry Allocation Size" 48..56 Uint;
        GS_URB_STARTING_ADDRESS "GS URB Starting Address" 57..63 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_URB_HS".
    state_urb_hs "3DSTATE_URB_HS" [Gen9..Gen9] dwords 2 header 0x78310000 mask 0xffff0000 length 0xff bias 2 {
        HS_NUMBER_OF_URB_ENTRIES "HS Number of URB Entries" 32..47 Uint;
        HS_URB_ENTRY_ALLOCATION_SIZE "HS URB Entry Allocation Size" 48..56 Uint;
        HS_URB_STARTING_ADDRESS "HS URB Starting Address" 57..63 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_URB_VS".
    state_urb_vs "3DSTATE_URB_VS" [Gen9..Gen9] dwords 2 header 0x78300000 mask 0xffff0000 length 0xff bias 2 {
        VS_NUMBER_OF_URB_ENTRIES "VS Number of URB Entries" 32..47 Uint;
        VS_URB_ENTRY_ALLOCATION_SIZE "VS URB Entry Allocation Size" 48..56 Uint;
        VS_URB_STARTING_ADDRESS "VS URB Starting Address" 57..63 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_VERTEX_BUFFERS".
    state_vertex_buffers "3DSTATE_VERTEX_BUFFERS" [Gen9..Gen9] dwords 0 header 0x78080000 mask 0xffff0000 length 0xff bias 2 {

    }
    /// SKL PRM vol. 2a, "3DSTATE_VERTEX_ELEMENTS".
    state_vertex_elements "3DSTATE_VERTEX_ELEMENTS" [Gen9..Gen9] dwords 0 header 0x78090000 mask 0xffff0000 length 0xff bias 2 {

    }
    /// SKL PRM vol. 2a, "3DSTATE_VF".
    state_vf "3DSTATE_VF" [Gen9..Gen9] dwords 2 header 0x780c0000 mask 0xffff0000 length 0xff bias 2 {
        INDEXED_DRAW_CUT_INDEX_ENABLE "Indexed Draw Cut Index Enable" 8..8 Bool;
        COMPONENT_PACKING_ENABLE "Component Packing Enable" 9..9 Bool;
        SEQUENTIAL_DRAW_CUT_INDEX_ENABLE "Sequential Draw Cut Index Enable" 10..10 Bool;
        CUT_INDEX "Cut Index" 32..63 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_VF_COMPONENT_PACKING".
    state_vf_component_packing "3DSTATE_VF_COMPONENT_PACKING" [Gen9..Gen9] dwords 5 header 0x78550003 mask 0xffff0000 length 0xff bias 2 {
        VERTEX_ELEMENT_00_ENABLES "Vertex Element 00 Enables" 32..35 Uint;
        VERTEX_ELEMENT_01_ENABLES "Vertex Element 01 Enables" 36..39 Uint;
        VERTEX_ELEMENT_02_ENABLES "Vertex Element 02 Enables" 40..43 Uint;
        VERTEX_ELEMENT_03_ENABLES "Vertex Element 03 Enables" 44..47 Uint;
        VERTEX_ELEMENT_04_ENABLES "Vertex Element 04 Enables" 48..51 Uint;
        VERTEX_ELEMENT_05_ENABLES "Vertex Element 05 Enables" 52..55 Uint;
        VERTEX_ELEMENT_06_ENABLES "Vertex Element 06 Enables" 56..59 Uint;
        VERTEX_ELEMENT_07_ENABLES "Vertex Element 07 Enables" 60..63 Uint;
        VERTEX_ELEMENT_08_ENABLES "Vertex Element 08 Enables" 64..67 Uint;
        VERTEX_ELEMENT_09_ENABLES "Vertex Element 09 Enables" 68..71 Uint;
        VERTEX_ELEMENT_10_ENABLES "Vertex Element 10 Enables" 72..75 Uint;
        VERTEX_ELEMENT_11_ENABLES "Vertex Element 11 Enables" 76..79 Uint;
        VERTEX_ELEMENT_12_ENABLES "Vertex Element 12 Enables" 80..83 Uint;
        VERTEX_ELEMENT_13_ENABLES "Vertex Element 13 Enables" 84..87 Uint;
        VERTEX_ELEMENT_14_ENABLES "Vertex Element 14 Enables" 88..91 Uint;
        VERTEX_ELEMENT_15_ENABLES "Vertex Element 15 Enables" 92..95 Uint;
        VERTEX_ELEMENT_16_ENABLES "Vertex Element 16 Enables" 96..99 Uint;
        VERTEX_ELEMENT_17_ENABLES "Vertex Element 17 Enables" 100..103 Uint;
        VERTEX_ELEMENT_18_ENABLES "Vertex Element 18 Enables" 104..107 Uint;
        VERTEX_ELEMENT_19_ENABLES "Vertex Element 19 Enables" 108..111 Uint;
        VERTEX_ELEMENT_20_ENABLES "Vertex Element 20 Enables" 112..115 Uint;
        VERTEX_ELEMENT_21_ENABLES "Vertex Element 21 Enables" 116..119 Uint;
        VERTEX_ELEMENT_22_ENABLES "Vertex Element 22 Enables" 120..123 Uint;
        VERTEX_ELEMENT_23_ENABLES "Vertex Element 23 Enables" 124..127 Uint;
        VERTEX_ELEMENT_24_ENABLES "Vertex Element 24 Enables" 128..131 Uint;
        VERTEX_ELEMENT_25_ENABLES "Vertex Element 25 Enables" 132..135 Uint;
        VERTEX_ELEMENT_26_ENABLES "Vertex Element 26 Enables" 136..139 Uint;
        VERTEX_ELEMENT_27_ENABLES "Vertex Element 27 Enables" 140..143 Uint;
        VERTEX_ELEMENT_28_ENABLES "Vertex Element 28 Enables" 144..147 Uint;
        VERTEX_ELEMENT_29_ENABLES "Vertex Element 29 Enables" 148..151 Uint;
        VERTEX_ELEMENT_30_ENABLES "Vertex Element 30 Enables" 152..155 Uint;
        VERTEX_ELEMENT_31_ENABLES "Vertex Element 31 Enables" 156..159 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_VF_INSTANCING".
    state_vf_instancing "3DSTATE_VF_INSTANCING" [Gen9..Gen9] dwords 3 header 0x78490001 mask 0xffff0000 length 0xff bias 2 {
        VERTEX_ELEMENT_INDEX "Vertex Element Index" 32..37 Uint;
        INSTANCING_ENABLE "Instancing Enable" 40..40 Bool;
        INSTANCE_DATA_STEP_RATE "Instance Data Step Rate" 64..95 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_VF_SGVS".
    state_vf_sgvs "3DSTATE_VF_SGVS" [Gen9..Gen9] dwords 2 header 0x784a0000 mask 0xffff0000 length 0xff bias 2 {
        VERTEXID_ELEMENT_OFFSET "VertexID Element Offset" 32..37 Uint;
        VERTEXID_COMPONENT_NUMBER "VertexID Component Number" 45..46 Uint;
        VERTEXID_ENABLE "VertexID Enable" 47..47 Bool;
        INSTANCEID_ELEMENT_OFFSET "InstanceID Element Offset" 48..53 Uint;
        INSTANCEID_COMPONENT_NUMBER "InstanceID Component Number" 61..62 Uint;
        INSTANCEID_ENABLE "InstanceID Enable" 63..63 Bool;
    }
    /// SKL PRM vol. 2a, "3DSTATE_VF_STATISTICS".
    state_vf_statistics "3DSTATE_VF_STATISTICS" [Gen9..Gen9] dwords 1 header 0x680b0000 mask 0xffff0000 length 0x0 bias 1 {
        STATISTICS_ENABLE "Statistics Enable" 0..0 Bool;
    }
    /// SKL PRM vol. 2a, "3DSTATE_VF_TOPOLOGY".
    state_vf_topology "3DSTATE_VF_TOPOLOGY" [Gen9..Gen9] dwords 2 header 0x784b0000 mask 0xffff0000 length 0xff bias 2 {
        PRIMITIVE_TOPOLOGY_TYPE "Primitive Topology Type" 32..37 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_VIEWPORT_STATE_POINTERS_CC".
    state_viewport_state_pointers_cc "3DSTATE_VIEWPORT_STATE_POINTERS_CC" [Gen9..Gen9] dwords 2 header 0x78230000 mask 0xffff0000 length 0xff bias 2 {
        CC_VIEWPORT_POINTER "CC Viewport Pointer" 37..63 Offset;
    }
    /// SKL PRM vol. 2a, "3DSTATE_VIEWPORT_STATE_POINTERS_SF_CLIP".
    state_viewport_state_pointers_sf_clip "3DSTATE_VIEWPORT_STATE_POINTERS_SF_CLIP" [Gen9..Gen9] dwords 2 header 0x78210000 mask 0xffff0000 length 0xff bias 2 {
        SF_CLIP_VIEWPORT_POINTER "SF Clip Viewport Pointer" 38..63 Offset;
    }
    /// SKL PRM vol. 2a, "3DSTATE_VS".
    state_vs "3DSTATE_VS" [Gen9..Gen9] dwords 9 header 0x78100007 mask 0xffff0000 length 0xff bias 2 {
        KERNEL_START_POINTER "Kernel Start Pointer" 38..95 Offset;
        SOFTWARE_EXCEPTION_ENABLE "Software Exception Enable" 103..103 Bool;
        ACCESSES_UAV "Accesses UAV" 108..108 Bool;
        ILLEGAL_OPCODE_EXCEPTION_ENABLE "Illegal Opcode Exception Enable" 109..109 Bool;
        FLOATING_POINT_MODE "Floating Point Mode" 112..112 Uint;
        THREAD_DISPATCH_PRIORITY "Thread Dispatch Priority" 113..113 Uint;
        BINDING_TABLE_ENTRY_COUNT "Binding Table Entry Count" 114..121 Uint;
        SAMPLER_COUNT "Sampler Count" 123..125 Uint;
        VECTOR_MASK_ENABLE "Vector Mask Enable" 126..126 Bool;
        SINGLE_VERTEX_DISPATCH "Single Vertex Dispatch" 127..127 Bool;
        PER_THREAD_SCRATCH_SPACE "Per-Thread Scratch Space" 128..131 Uint;
        SCRATCH_SPACE_BASE_POINTER "Scratch Space Base Pointer" 138..191 Address;
        VERTEX_URB_ENTRY_READ_OFFSET "Vertex URB Entry Read Offset" 196..201 Uint;
        VERTEX_URB_ENTRY_READ_LENGTH "Vertex URB Entry Read Length" 203..208 Uint;
        DISPATCH_GRF_START_REGISTER_FOR_URB_DATA "Dispatch GRF Start Register For URB Data" 212..216 Uint;
        ENABLE "Enable" 224..224 Bool;
        VERTEX_CACHE_DISABLE "Vertex Cache Disable" 225..225 Bool;
        SIMD8_DISPATCH_ENABLE "SIMD8 Dispatch Enable" 226..226 Bool;
        STATISTICS_ENABLE "Statistics Enable" 234..234 Bool;
        MAXIMUM_NUMBER_OF_THREADS "Maximum Number of Threads" 247..255 Uint;
        USER_CLIP_DISTANCE_CULL_TEST_ENABLE_BITMASK "User Clip Distance Cull Test Enable Bitmask" 256..263 Uint;
        USER_CLIP_DISTANCE_CLIP_TEST_ENABLE_BITMASK "User Clip Distance Clip Test Enable Bitmask" 264..271 Uint;
        VERTEX_URB_ENTRY_OUTPUT_LENGTH "Vertex URB Entry Output Length" 272..276 Uint;
        VERTEX_URB_ENTRY_OUTPUT_READ_OFFSET "Vertex URB Entry Output Read Offset" 277..282 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_WM".
    state_wm "3DSTATE_WM" [Gen9..Gen9] dwords 2 header 0x78140000 mask 0xffff0000 length 0xff bias 2 {
        FORCE_KILL_PIXEL_ENABLE "Force Kill Pixel Enable" 32..33 Uint;
        POINT_RASTERIZATION_RULE "Point Rasterization Rule" 34..34 Uint;
        LINE_STIPPLE_ENABLE "Line Stipple Enable" 35..35 Bool;
        POLYGON_STIPPLE_ENABLE "Polygon Stipple Enable" 36..36 Bool;
        LINE_ANTIALIASING_REGION_WIDTH "Line Antialiasing Region Width" 38..39 Uint;
        LINE_END_CAP_ANTIALIASING_REGION_WIDTH "Line End Cap Antialiasing Region Width" 40..41 Uint;
        BARYCENTRIC_INTERPOLATION_MODE "Barycentric Interpolation Mode" 43..48 Uint;
        POSITION_ZW_INTERPOLATION_MODE "Position ZW Interpolation Mode" 49..50 Uint;
        FORCE_THREAD_DISPATCH_ENABLE "Force Thread Dispatch Enable" 51..52 Uint;
        EARLY_DEPTH_STENCIL_CONTROL "Early Depth/Stencil Control" 53..54 Uint;
        LEGACY_DIAMOND_LINE_RASTERIZATION "Legacy Diamond Line Rasterization" 58..58 Bool;
        LEGACY_HIERARCHICAL_DEPTH_BUFFER_RESOLVE_ENABLE "Legacy Hierarchical Depth Buffer Resolve Enable" 59..59 Bool;
        LEGACY_DEPTH_BUFFER_RESOLVE_ENABLE "Legacy Depth Buffer Resolve Enable" 60..60 Bool;
        LEGACY_DEPTH_BUFFER_CLEAR_ENABLE "Legacy Depth Buffer Clear Enable" 62..62 Bool;
        STATISTICS_ENABLE "Statistics Enable" 63..63 Bool;
    }
    /// SKL PRM vol. 2a, "3DSTATE_WM_CHROMAKEY".
    state_wm_chromakey "3DSTATE_WM_CHROMAKEY" [Gen9..Gen9] dwords 2 header 0x784c0000 mask 0xffff0000 length 0xff bias 2 {
        CHROMAKEY_KILL_ENABLE "ChromaKey Kill Enable" 63..63 Bool;
    }
    /// SKL PRM vol. 2a, "3DSTATE_WM_DEPTH_STENCIL".
    state_wm_depth_stencil "3DSTATE_WM_DEPTH_STENCIL" [Gen9..Gen9] dwords 4 header 0x784e0002 mask 0xffff0000 length 0xff bias 2 {
        DEPTH_BUFFER_WRITE_ENABLE "Depth Buffer Write Enable" 32..32 Bool;
        DEPTH_TEST_ENABLE "Depth Test Enable" 33..33 Bool;
        STENCIL_BUFFER_WRITE_ENABLE "Stencil Buffer Write Enable" 34..34 Bool;
        STENCIL_TEST_ENABLE "Stencil Test Enable" 35..35 Bool;
        DOUBLE_SIDED_STENCIL_ENABLE "Double Sided Stencil Enable" 36..36 Bool;
        DEPTH_TEST_FUNCTION "Depth Test Function" 37..39 Uint;
        STENCIL_TEST_FUNCTION "Stencil Test Function" 40..42 Uint;
        BACKFACE_STENCIL_PASS_DEPTH_PASS_OP "Backface Stencil Pass Depth Pass Op" 43..45 Uint;
        BACKFACE_STENCIL_PASS_DEPTH_FAIL_OP "Backface Stencil Pass Depth Fail Op" 46..48 Uint;
        BACKFACE_STENCIL_FAIL_OP "Backface Stencil Fail Op" 49..51 Uint;
        BACKFACE_STENCIL_TEST_FUNCTION "Backface Stencil Test Function" 52..54 Uint;
        STENCIL_PASS_DEPTH_PASS_OP "Stencil Pass Depth Pass Op" 55..57 Uint;
        STENCIL_PASS_DEPTH_FAIL_OP "Stencil Pass Depth Fail Op" 58..60 Uint;
        STENCIL_FAIL_OP "Stencil Fail Op" 61..63 Uint;
        BACKFACE_STENCIL_WRITE_MASK "Backface Stencil Write Mask" 64..71 Uint;
        BACKFACE_STENCIL_TEST_MASK "Backface Stencil Test Mask" 72..79 Uint;
        STENCIL_WRITE_MASK "Stencil Write Mask" 80..87 Uint;
        STENCIL_TEST_MASK "Stencil Test Mask" 88..95 Uint;
        BACKFACE_STENCIL_REFERENCE_VALUE "Backface Stencil Reference Value" 96..103 Uint;
        STENCIL_REFERENCE_VALUE "Stencil Reference Value" 104..111 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_WM_HZ_OP".
    state_wm_hz_op "3DSTATE_WM_HZ_OP" [Gen9..Gen9] dwords 5 header 0x78520003 mask 0xffff0000 length 0xff bias 2 {
        NUMBER_OF_MULTISAMPLES "Number of Multisamples" 45..47 Uint;
        STENCIL_CLEAR_VALUE "Stencil Clear Value" 48..55 Uint;
        FULL_SURFACE_DEPTH_AND_STENCIL_CLEAR "Full Surface Depth and Stencil Clear" 57..57 Bool;
        PIXEL_POSITION_OFFSET_ENABLE "Pixel Position Offset Enable" 58..58 Bool;
        HIERARCHICAL_DEPTH_BUFFER_RESOLVE_ENABLE "Hierarchical Depth Buffer Resolve Enable" 59..59 Bool;
        DEPTH_BUFFER_RESOLVE_ENABLE "Depth Buffer Resolve Enable" 60..60 Bool;
        SCISSOR_RECTANGLE_ENABLE "Scissor Rectangle Enable" 61..61 Bool;
        DEPTH_BUFFER_CLEAR_ENABLE "Depth Buffer Clear Enable" 62..62 Bool;
        STENCIL_BUFFER_CLEAR_ENABLE "Stencil Buffer Clear Enable" 63..63 Bool;
        CLEAR_RECTANGLE_X_MIN "Clear Rectangle X Min" 64..79 Uint;
        CLEAR_RECTANGLE_Y_MIN "Clear Rectangle Y Min" 80..95 Uint;
        CLEAR_RECTANGLE_X_MAX "Clear Rectangle X Max" 96..111 Uint;
        CLEAR_RECTANGLE_Y_MAX "Clear Rectangle Y Max" 112..127 Uint;
        SAMPLE_MASK "Sample Mask" 128..143 Uint;
    }
}
