//! Commands of stream output, clipper, setup and rasteriser.
//!
//! Ref: SKL PRM vol. 2a.

use crate::declare::packets;

#[rustfmt::skip]
packets! {
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
    /// SKL PRM vol. 2a, "3DSTATE_LINE_STIPPLE".
    state_line_stipple "3DSTATE_LINE_STIPPLE" [Gen9..Gen9] dwords 3 header 0x79080001 mask 0xffff0000 length 0xff bias 2 {
        LINE_STIPPLE_PATTERN "Line Stipple Pattern" 32..47 Uint;
        CURRENT_STIPPLE_INDEX "Current Stipple Index" 48..51 Uint;
        CURRENT_REPEAT_COUNTER "Current Repeat Counter" 53..61 Uint;
        MODIFY_ENABLE_CURRENT_REPEAT_COUNTER_CURRENT_STIPPLE_INDEX "Modify Enable (Current Repeat Counter, Current Stipple Index)" 63..63 Bool;
        LINE_STIPPLE_REPEAT_COUNT "Line Stipple Repeat Count" 64..72 Uint;
        LINE_STIPPLE_INVERSE_REPEAT_COUNT "Line Stipple Inverse Repeat Count" 79..95 Uint;
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
    /// SKL PRM vol. 2a, "3DSTATE_VIEWPORT_STATE_POINTERS_CC".
    state_viewport_state_pointers_cc "3DSTATE_VIEWPORT_STATE_POINTERS_CC" [Gen9..Gen9] dwords 2 header 0x78230000 mask 0xffff0000 length 0xff bias 2 {
        CC_VIEWPORT_POINTER "CC Viewport Pointer" 37..63 Offset;
    }
    /// SKL PRM vol. 2a, "3DSTATE_VIEWPORT_STATE_POINTERS_SF_CLIP".
    state_viewport_state_pointers_sf_clip "3DSTATE_VIEWPORT_STATE_POINTERS_SF_CLIP" [Gen9..Gen9] dwords 2 header 0x78210000 mask 0xffff0000 length 0xff bias 2 {
        SF_CLIP_VIEWPORT_POINTER "SF Clip Viewport Pointer" 38..63 Offset;
    }
}
