//! State structures of the 3D pipeline that commands contain or point to.
//!
//! BLEND_STATE is followed by eight BLEND_STATE_ENTRYs. 3DSTATE_CONSTANT_* contain
//! 3DSTATE_CONSTANT_BODY from dword 1 on; 3DSTATE_VERTEX_BUFFERS and 3DSTATE_VERTEX_ELEMENTS
//! contain an array of their structures.
//! Ref: SKL PRM vol. 2d. Tests: `tests.rs` compares them with genxml.

use crate::declare::packets;

#[rustfmt::skip]
packets! {
    /// SKL PRM vol. 2d, "3DSTATE_CONSTANT_BODY".
    state_constant_body "3DSTATE_CONSTANT_BODY" [Gen9..Gen9] dwords 10 header 0x00000000 mask 0x00000000 length 0x0 bias 0 {
        READ_LENGTH "Read Length" 0..15 Uint;
        READ_LENGTH_1 "Read Length" 16..31 Uint;
        READ_LENGTH_2 "Read Length" 32..47 Uint;
        READ_LENGTH_3 "Read Length" 48..63 Uint;
        BUFFER "Buffer" 69..127 Address;
        BUFFER_1 "Buffer" 133..191 Address;
        BUFFER_2 "Buffer" 197..255 Address;
        BUFFER_3 "Buffer" 261..319 Address;
    }
    /// SKL PRM vol. 2d, "BLEND_STATE_ENTRY".
    blend_state_entry "BLEND_STATE_ENTRY" [Gen9..Gen9] dwords 2 header 0x00000000 mask 0x00000000 length 0x0 bias 0 {
        WRITE_DISABLE_BLUE "Write Disable Blue" 0..0 Bool;
        WRITE_DISABLE_GREEN "Write Disable Green" 1..1 Bool;
        WRITE_DISABLE_RED "Write Disable Red" 2..2 Bool;
        WRITE_DISABLE_ALPHA "Write Disable Alpha" 3..3 Bool;
        ALPHA_BLEND_FUNCTION "Alpha Blend Function" 5..7 Uint;
        DESTINATION_ALPHA_BLEND_FACTOR "Destination Alpha Blend Factor" 8..12 Uint;
        SOURCE_ALPHA_BLEND_FACTOR "Source Alpha Blend Factor" 13..17 Uint;
        COLOR_BLEND_FUNCTION "Color Blend Function" 18..20 Uint;
        DESTINATION_BLEND_FACTOR "Destination Blend Factor" 21..25 Uint;
        SOURCE_BLEND_FACTOR "Source Blend Factor" 26..30 Uint;
        COLOR_BUFFER_BLEND_ENABLE "Color Buffer Blend Enable" 31..31 Bool;
        POST_BLEND_COLOR_CLAMP_ENABLE "Post-Blend Color Clamp Enable" 32..32 Bool;
        PRE_BLEND_COLOR_CLAMP_ENABLE "Pre-Blend Color Clamp Enable" 33..33 Bool;
        COLOR_CLAMP_RANGE "Color Clamp Range" 34..35 Uint;
        PRE_BLEND_SOURCE_ONLY_CLAMP_ENABLE "Pre-Blend Source Only Clamp Enable" 36..36 Bool;
        LOGIC_OP_FUNCTION "Logic Op Function" 59..62 Uint;
        LOGIC_OP_ENABLE "Logic Op Enable" 63..63 Bool;
    }
    /// SKL PRM vol. 2d, "BLEND_STATE".
    blend_state "BLEND_STATE" [Gen9..Gen9] dwords 1 header 0x00000000 mask 0x00000000 length 0x0 bias 0 {
        Y_DITHER_OFFSET "Y Dither Offset" 19..20 Uint;
        X_DITHER_OFFSET "X Dither Offset" 21..22 Uint;
        COLOR_DITHER_ENABLE "Color Dither Enable" 23..23 Bool;
        ALPHA_TEST_FUNCTION "Alpha Test Function" 24..26 Uint;
        ALPHA_TEST_ENABLE "Alpha Test Enable" 27..27 Bool;
        ALPHA_TO_COVERAGE_DITHER_ENABLE "Alpha To Coverage Dither Enable" 28..28 Bool;
        ALPHA_TO_ONE_ENABLE "Alpha To One Enable" 29..29 Bool;
        INDEPENDENT_ALPHA_BLEND_ENABLE "Independent Alpha Blend Enable" 30..30 Bool;
        ALPHA_TO_COVERAGE_ENABLE "Alpha To Coverage Enable" 31..31 Bool;
    }
    /// SKL PRM vol. 2d, "CC_VIEWPORT".
    cc_viewport "CC_VIEWPORT" [Gen9..Gen9] dwords 2 header 0x00000000 mask 0x00000000 length 0x0 bias 0 {
        MINIMUM_DEPTH "Minimum Depth" 0..31 Float;
        MAXIMUM_DEPTH "Maximum Depth" 32..63 Float;
    }
    /// SKL PRM vol. 2d, "COLOR_CALC_STATE".
    color_calc_state "COLOR_CALC_STATE" [Gen9..Gen9] dwords 6 header 0x00000000 mask 0x00000000 length 0x0 bias 0 {
        ALPHA_TEST_FORMAT "Alpha Test Format" 0..0 Uint;
        ROUND_DISABLE_FUNCTION_DISABLE "Round Disable Function Disable" 15..15 Bool;
        ALPHA_REFERENCE_VALUE_AS_UNORM8 "Alpha Reference Value As UNORM8" 32..63 Uint;
        ALPHA_REFERENCE_VALUE_AS_FLOAT32 "Alpha Reference Value As FLOAT32" 32..63 Float;
        BLEND_CONSTANT_COLOR_RED "Blend Constant Color Red" 64..95 Float;
        BLEND_CONSTANT_COLOR_GREEN "Blend Constant Color Green" 96..127 Float;
        BLEND_CONSTANT_COLOR_BLUE "Blend Constant Color Blue" 128..159 Float;
        BLEND_CONSTANT_COLOR_ALPHA "Blend Constant Color Alpha" 160..191 Float;
    }
    /// SKL PRM vol. 2d, "PALETTE_ENTRY".
    palette_entry "PALETTE_ENTRY" [Gen9..Gen9] dwords 1 header 0x00000000 mask 0x00000000 length 0x0 bias 0 {
        BLUE "Blue" 0..7 Uint;
        GREEN "Green" 8..15 Uint;
        RED "Red" 16..23 Uint;
        ALPHA "Alpha" 24..31 Uint;
    }
    /// SKL PRM vol. 2d, "SAMPLER_BORDER_COLOR_STATE".
    sampler_border_color_state "SAMPLER_BORDER_COLOR_STATE" [Gen9..Gen9] dwords 4 header 0x00000000 mask 0x00000000 length 0x0 bias 0 {
        BORDER_COLOR_FLOAT_RED "Border Color Float Red" 0..31 Float;
        BORDER_COLOR_32BIT_RED "Border Color 32bit Red" 0..31 Uint;
        BORDER_COLOR_FLOAT_GREEN "Border Color Float Green" 32..63 Float;
        BORDER_COLOR_32BIT_GREEN "Border Color 32bit Green" 32..63 Uint;
        BORDER_COLOR_FLOAT_BLUE "Border Color Float Blue" 64..95 Float;
        BORDER_COLOR_32BIT_BLUE "Border Color 32bit Blue" 64..95 Uint;
        BORDER_COLOR_FLOAT_ALPHA "Border Color Float Alpha" 96..127 Float;
        BORDER_COLOR_32BIT_ALPHA "Border Color 32bit Alpha" 96..127 Uint;
    }
    /// SKL PRM vol. 2d, "SCISSOR_RECT".
    scissor_rect "SCISSOR_RECT" [Gen9..Gen9] dwords 2 header 0x00000000 mask 0x00000000 length 0x0 bias 0 {
        SCISSOR_RECTANGLE_X_MIN "Scissor Rectangle X Min" 0..15 Uint;
        SCISSOR_RECTANGLE_Y_MIN "Scissor Rectangle Y Min" 16..31 Uint;
        SCISSOR_RECTANGLE_X_MAX "Scissor Rectangle X Max" 32..47 Uint;
        SCISSOR_RECTANGLE_Y_MAX "Scissor Rectangle Y Max" 48..63 Uint;
    }
    /// SKL PRM vol. 2d, "SF_CLIP_VIEWPORT".
    sf_clip_viewport "SF_CLIP_VIEWPORT" [Gen9..Gen9] dwords 16 header 0x00000000 mask 0x00000000 length 0x0 bias 0 {
        VIEWPORT_MATRIX_ELEMENT_M00 "Viewport Matrix Element m00" 0..31 Float;
        VIEWPORT_MATRIX_ELEMENT_M11 "Viewport Matrix Element m11" 32..63 Float;
        VIEWPORT_MATRIX_ELEMENT_M22 "Viewport Matrix Element m22" 64..95 Float;
        VIEWPORT_MATRIX_ELEMENT_M30 "Viewport Matrix Element m30" 96..127 Float;
        VIEWPORT_MATRIX_ELEMENT_M31 "Viewport Matrix Element m31" 128..159 Float;
        VIEWPORT_MATRIX_ELEMENT_M32 "Viewport Matrix Element m32" 160..191 Float;
        X_MIN_CLIP_GUARDBAND "X Min Clip Guardband" 256..287 Float;
        X_MAX_CLIP_GUARDBAND "X Max Clip Guardband" 288..319 Float;
        Y_MIN_CLIP_GUARDBAND "Y Min Clip Guardband" 320..351 Float;
        Y_MAX_CLIP_GUARDBAND "Y Max Clip Guardband" 352..383 Float;
        X_MIN_VIEWPORT "X Min ViewPort" 384..415 Float;
        X_MAX_VIEWPORT "X Max ViewPort" 416..447 Float;
        Y_MIN_VIEWPORT "Y Min ViewPort" 448..479 Float;
        Y_MAX_VIEWPORT "Y Max ViewPort" 480..511 Float;
    }
    /// SKL PRM vol. 2d, "SF_OUTPUT_ATTRIBUTE_DETAIL".
    sf_output_attribute_detail "SF_OUTPUT_ATTRIBUTE_DETAIL" [Gen9..Gen9] dwords 1 header 0x00000000 mask 0x00000000 length 0x0 bias 0 {
        SOURCE_ATTRIBUTE "Source Attribute" 0..4 Uint;
        SWIZZLE_SELECT "Swizzle Select" 6..7 Uint;
        CONSTANT_SOURCE "Constant Source" 9..10 Uint;
        SWIZZLE_CONTROL_MODE "Swizzle Control Mode" 11..11 Uint;
        COMPONENT_OVERRIDE_X "Component Override X" 12..12 Bool;
        COMPONENT_OVERRIDE_Y "Component Override Y" 13..13 Bool;
        COMPONENT_OVERRIDE_Z "Component Override Z" 14..14 Bool;
        COMPONENT_OVERRIDE_W "Component Override W" 15..15 Bool;
    }
    /// SKL PRM vol. 2d, "SO_DECL".
    so_decl "SO_DECL" [Gen9..Gen9] dwords 1 header 0x00000000 mask 0x00000000 length 0x0 bias 0 {
        COMPONENT_MASK "Component Mask" 0..3 Uint;
        REGISTER_INDEX "Register Index" 4..9 Uint;
        HOLE_FLAG "Hole Flag" 11..11 Bool;
        OUTPUT_BUFFER_SLOT "Output Buffer Slot" 12..13 Uint;
    }
    /// SKL PRM vol. 2d, "SO_DECL_ENTRY".
    so_decl_entry "SO_DECL_ENTRY" [Gen9..Gen9] dwords 2 header 0x00000000 mask 0x00000000 length 0x0 bias 0 {
        STREAM_0_DECL "Stream 0 Decl" 0..15 Uint;
        STREAM_1_DECL "Stream 1 Decl" 16..31 Uint;
        STREAM_2_DECL "Stream 2 Decl" 32..47 Uint;
        STREAM_3_DECL "Stream 3 Decl" 48..63 Uint;
    }
    /// SKL PRM vol. 2d, "VERTEX_BUFFER_STATE".
    vertex_buffer_state "VERTEX_BUFFER_STATE" [Gen9..Gen9] dwords 4 header 0x00000000 mask 0x00000000 length 0x0 bias 0 {
        BUFFER_PITCH "Buffer Pitch" 0..11 Uint;
        NULL_VERTEX_BUFFER "Null Vertex Buffer" 13..13 Bool;
        ADDRESS_MODIFY_ENABLE "Address Modify Enable" 14..14 Bool;
        MOCS "MOCS" 16..22 Uint;
        VERTEX_BUFFER_INDEX "Vertex Buffer Index" 26..31 Uint;
        BUFFER_STARTING_ADDRESS "Buffer Starting Address" 32..95 Address;
        BUFFER_SIZE "Buffer Size" 96..127 Uint;
    }
    /// SKL PRM vol. 2d, "VERTEX_ELEMENT_STATE".
    vertex_element_state "VERTEX_ELEMENT_STATE" [Gen9..Gen9] dwords 2 header 0x00000000 mask 0x00000000 length 0x0 bias 0 {
        SOURCE_ELEMENT_OFFSET "Source Element Offset" 0..11 Uint;
        EDGE_FLAG_ENABLE "Edge Flag Enable" 15..15 Bool;
        SOURCE_ELEMENT_FORMAT "Source Element Format" 16..24 Uint;
        VALID "Valid" 25..25 Bool;
        VERTEX_BUFFER_INDEX "Vertex Buffer Index" 26..31 Uint;
        COMPONENT_3_CONTROL "Component 3 Control" 48..50 Uint;
        COMPONENT_2_CONTROL "Component 2 Control" 52..54 Uint;
        COMPONENT_1_CONTROL "Component 1 Control" 56..58 Uint;
        COMPONENT_0_CONTROL "Component 0 Control" 60..62 Uint;
    }
}
