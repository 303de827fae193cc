//! Commands of pixel shader, depth, stencil and blending.
//!
//! Ref: SKL PRM vol. 2a.

use crate::declare::packets;

#[rustfmt::skip]
packets! {
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
    /// SKL PRM vol. 2a, "3DSTATE_CLEAR_PARAMS".
    state_clear_params "3DSTATE_CLEAR_PARAMS" [Gen9..Gen9] dwords 3 header 0x78040001 mask 0xffff0000 length 0xff bias 2 {
        DEPTH_CLEAR_VALUE "Depth Clear Value" 32..63 Float;
        DEPTH_CLEAR_VALUE_VALID "Depth Clear Value Valid" 64..64 Bool;
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
    /// SKL PRM vol. 2a, "3DSTATE_HIER_DEPTH_BUFFER".
    state_hier_depth_buffer "3DSTATE_HIER_DEPTH_BUFFER" [Gen9..Gen9] dwords 5 header 0x78070003 mask 0xffff0000 length 0xff bias 2 {
        SURFACE_PITCH "Surface Pitch" 32..48 Uint;
        MOCS "MOCS" 57..63 Uint;
        SURFACE_BASE_ADDRESS "Surface Base Address" 64..127 Address;
        SURFACE_QPITCH "Surface QPitch" 128..142 Uint;
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
    /// SKL PRM vol. 2a, "3DSTATE_SAMPLE_MASK".
    state_sample_mask "3DSTATE_SAMPLE_MASK" [Gen9..Gen9] dwords 2 header 0x78180000 mask 0xffff0000 length 0xff bias 2 {
        SAMPLE_MASK "Sample Mask" 32..47 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_STENCIL_BUFFER".
    state_stencil_buffer "3DSTATE_STENCIL_BUFFER" [Gen9..Gen9] dwords 5 header 0x78060003 mask 0xffff0000 length 0xff bias 2 {
        SURFACE_PITCH "Surface Pitch" 32..48 Uint;
        MOCS "MOCS" 54..60 Uint;
        STENCIL_BUFFER_ENABLE "Stencil Buffer Enable" 63..63 Bool;
        SURFACE_BASE_ADDRESS "Surface Base Address" 64..127 Address;
        SURFACE_QPITCH "Surface QPitch" 128..142 Uint;
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
