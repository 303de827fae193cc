//! State structures that shaders and fixed functions read from memory.
//!
//! Ref: SKL PRM vol. 2d. Tests: `tests.rs` compares them with genxml.

use crate::declare::packets;

#[rustfmt::skip]
packets! {
    /// SKL PRM vol. 2d, "INTERFACE_DESCRIPTOR_DATA".
    interface_descriptor_data "INTERFACE_DESCRIPTOR_DATA" [Gen9..Gen9] dwords 8 header 0x00000000 mask 0x00000000 length 0x0 bias 0 {
        KERNEL_START_POINTER "Kernel Start Pointer" 6..47 Offset;
        SOFTWARE_EXCEPTION_ENABLE "Software Exception Enable" 71..71 Bool;
        MASK_STACK_EXCEPTION_ENABLE "Mask Stack Exception Enable" 75..75 Bool;
        ILLEGAL_OPCODE_EXCEPTION_ENABLE "Illegal Opcode Exception Enable" 77..77 Bool;
        FLOATING_POINT_MODE "Floating Point Mode" 80..80 Uint;
        THREAD_PRIORITY "Thread Priority" 81..81 Uint;
        SINGLE_PROGRAM_FLOW "Single Program Flow" 82..82 Bool;
        DENORM_MODE "Denorm Mode" 83..83 Uint;
        SAMPLER_COUNT "Sampler Count" 98..100 Uint;
        SAMPLER_STATE_POINTER "Sampler State Pointer" 101..127 Offset;
        BINDING_TABLE_ENTRY_COUNT "Binding Table Entry Count" 128..132 Uint;
        BINDING_TABLE_POINTER "Binding Table Pointer" 133..143 Offset;
        CONSTANT_URB_ENTRY_READ_OFFSET "Constant URB Entry Read Offset" 160..175 Uint;
        CONSTANT_URB_ENTRY_READ_LENGTH "Constant URB Entry Read Length" 176..191 Uint;
        NUMBER_OF_THREADS_IN_GPGPU_THREAD_GROUP "Number of Threads in GPGPU Thread Group" 192..201 Uint;
        GLOBAL_BARRIER_ENABLE "Global Barrier Enable" 207..207 Bool;
        SHARED_LOCAL_MEMORY_SIZE "Shared Local Memory Size" 208..212 Uint;
        BARRIER_ENABLE "Barrier Enable" 213..213 Bool;
        ROUNDING_MODE "Rounding Mode" 214..215 Uint;
        CROSS_THREAD_CONSTANT_DATA_READ_LENGTH "Cross-Thread Constant Data Read Length" 224..231 Uint;
    }
    /// SKL PRM vol. 2d, "RENDER_SURFACE_STATE".
    render_surface_state "RENDER_SURFACE_STATE" [Gen9..Gen9] dwords 16 header 0x00000000 mask 0x00000000 length 0x0 bias 0 {
        CUBE_FACE_ENABLE_POSITIVE_Z "Cube Face Enable - Positive Z" 0..0 Bool;
        CUBE_FACE_ENABLE_NEGATIVE_Z "Cube Face Enable - Negative Z" 1..1 Bool;
        CUBE_FACE_ENABLE_POSITIVE_Y "Cube Face Enable - Positive Y" 2..2 Bool;
        CUBE_FACE_ENABLE_NEGATIVE_Y "Cube Face Enable - Negative Y" 3..3 Bool;
        CUBE_FACE_ENABLE_POSITIVE_X "Cube Face Enable - Positive X" 4..4 Bool;
        CUBE_FACE_ENABLE_NEGATIVE_X "Cube Face Enable - Negative X" 5..5 Bool;
        MEDIA_BOUNDARY_PIXEL_MODE "Media Boundary Pixel Mode" 6..7 Uint;
        RENDER_CACHE_READ_WRITE_MODE "Render Cache Read Write Mode" 8..8 Uint;
        SAMPLER_L2_BYPASS_MODE_DISABLE "Sampler L2 Bypass Mode Disable" 9..9 Bool;
        VERTICAL_LINE_STRIDE_OFFSET "Vertical Line Stride Offset" 10..10 Uint;
        VERTICAL_LINE_STRIDE "Vertical Line Stride" 11..11 Uint;
        TILE_MODE "Tile Mode" 12..13 Uint;
        SURFACE_HORIZONTAL_ALIGNMENT "Surface Horizontal Alignment" 14..15 Uint;
        SURFACE_VERTICAL_ALIGNMENT "Surface Vertical Alignment" 16..17 Uint;
        SURFACE_FORMAT "Surface Format" 18..27 Uint;
        SURFACE_ARRAY "Surface Array" 28..28 Bool;
        SURFACE_TYPE "Surface Type" 29..31 Uint;
        SURFACE_QPITCH "Surface QPitch" 32..46 Uint;
        BASE_MIP_LEVEL "Base Mip Level" 51..55 Uint;
        MOCS "MOCS" 56..62 Uint;
        WIDTH "Width" 64..77 Uint;
        HEIGHT "Height" 80..93 Uint;
        SURFACE_PITCH "Surface Pitch" 96..113 Uint;
        DEPTH "Depth" 117..127 Uint;
        MULTISAMPLE_POSITION_PALETTE_INDEX "Multisample Position Palette Index" 128..130 Uint;
        NUMBER_OF_MULTISAMPLES "Number of Multisamples" 131..133 Uint;
        MULTISAMPLED_SURFACE_STORAGE_FORMAT "Multisampled Surface Storage Format" 134..134 Uint;
        RENDER_TARGET_VIEW_EXTENT "Render Target View Extent" 135..145 Uint;
        MINIMUM_ARRAY_ELEMENT "Minimum Array Element" 146..156 Uint;
        RENDER_TARGET_AND_SAMPLE_UNORM_ROTATION "Render Target And Sample Unorm Rotation" 157..158 Uint;
        MIP_COUNT_LOD "MIP Count / LOD" 160..163 Uint;
        SURFACE_MIN_LOD "Surface Min LOD" 164..167 Uint;
        MIP_TAIL_START_LOD "Mip Tail Start LOD" 168..171 Uint;
        COHERENCY_TYPE "Coherency Type" 174..174 Uint;
        TILED_RESOURCE_MODE "Tiled Resource Mode" 178..179 Uint;
        EWA_DISABLE_FOR_CUBE "EWA Disable For Cube" 180..180 Bool;
        Y_OFFSET "Y Offset" 181..183 Uint;
        X_OFFSET "X Offset" 185..191 Uint;
        AUXILIARY_SURFACE_MODE "Auxiliary Surface Mode" 192..194 Uint;
        Y_OFFSET_FOR_U_OR_UV_PLANE "Y Offset for U or UV Plane" 192..205 Uint;
        AUXILIARY_SURFACE_PITCH "Auxiliary Surface Pitch" 195..203 Uint;
        AUXILIARY_SURFACE_QPITCH "Auxiliary Surface QPitch" 208..222 Uint;
        X_OFFSET_FOR_U_OR_UV_PLANE "X Offset for U or UV Plane" 208..221 Uint;
        SEPARATE_UV_PLANE_ENABLE "Separate UV Plane Enable" 223..223 Bool;
        RESOURCE_MIN_LOD "Resource Min LOD" 224..235 Uint;
        SHADER_CHANNEL_SELECT_ALPHA "Shader Channel Select Alpha" 240..242 Uint;
        SHADER_CHANNEL_SELECT_BLUE "Shader Channel Select Blue" 243..245 Uint;
        SHADER_CHANNEL_SELECT_GREEN "Shader Channel Select Green" 246..248 Uint;
        SHADER_CHANNEL_SELECT_RED "Shader Channel Select Red" 249..251 Uint;
        MEMORY_COMPRESSION_ENABLE "Memory Compression Enable" 254..254 Bool;
        MEMORY_COMPRESSION_MODE "Memory Compression Mode" 255..255 Uint;
        SURFACE_BASE_ADDRESS "Surface Base Address" 256..319 Address;
        QUILT_WIDTH "Quilt Width" 320..324 Uint;
        QUILT_HEIGHT "Quilt Height" 325..329 Uint;
        AUXILIARY_SURFACE_BASE_ADDRESS "Auxiliary Surface Base Address" 332..383 Address;
        AUXILIARY_TABLE_INDEX_FOR_MEDIA_COMPRESSED_SURFACE "Auxiliary Table Index for Media Compressed Surface" 341..351 Uint;
        Y_OFFSET_FOR_V_PLANE "Y Offset for V Plane" 352..365 Uint;
        X_OFFSET_FOR_V_PLANE "X Offset for V Plane" 368..381 Uint;
        HIERARCHICAL_DEPTH_CLEAR_VALUE "Hierarchical Depth Clear Value" 384..415 Float;
        RED_CLEAR_COLOR "Red Clear Color" 384..415 Int;
        GREEN_CLEAR_COLOR "Green Clear Color" 416..447 Int;
        BLUE_CLEAR_COLOR "Blue Clear Color" 448..479 Int;
        ALPHA_CLEAR_COLOR "Alpha Clear Color" 480..511 Int;
    }
    /// SKL PRM vol. 2d, "SAMPLER_STATE".
    sampler_state "SAMPLER_STATE" [Gen9..Gen9] dwords 4 header 0x00000000 mask 0x00000000 length 0x0 bias 0 {
        ANISOTROPIC_ALGORITHM "Anisotropic Algorithm" 0..0 Uint;
        TEXTURE_LOD_BIAS "Texture LOD Bias" 1..13 Int;
        MIN_MODE_FILTER "Min Mode Filter" 14..16 Uint;
        MAG_MODE_FILTER "Mag Mode Filter" 17..19 Uint;
        MIP_MODE_FILTER "Mip Mode Filter" 20..21 Uint;
        COARSE_LOD_QUALITY_MODE "Coarse LOD Quality Mode" 22..26 Uint;
        LOD_PRECLAMP_MODE "LOD PreClamp Mode" 27..28 Uint;
        TEXTURE_BORDER_COLOR_MODE "Texture Border Color Mode" 29..29 Uint;
        SAMPLER_DISABLE "Sampler Disable" 31..31 Bool;
        CUBE_SURFACE_CONTROL_MODE "Cube Surface Control Mode" 32..32 Uint;
        SHADOW_FUNCTION "Shadow Function" 33..35 Uint;
        CHROMAKEY_MODE "ChromaKey Mode" 36..36 Uint;
        CHROMAKEY_INDEX "ChromaKey Index" 37..38 Uint;
        CHROMAKEY_ENABLE "ChromaKey Enable" 39..39 Bool;
        MAX_LOD "Max LOD" 40..51 Uint;
        MIN_LOD "Min LOD" 52..63 Uint;
        LOD_CLAMP_MAGNIFICATION_MODE "LOD Clamp Magnification Mode" 64..64 Uint;
        BORDER_COLOR_POINTER "Border Color Pointer" 70..87 Offset;
        TCZ_ADDRESS_CONTROL_MODE "TCZ Address Control Mode" 96..98 Uint;
        TCY_ADDRESS_CONTROL_MODE "TCY Address Control Mode" 99..101 Uint;
        TCX_ADDRESS_CONTROL_MODE "TCX Address Control Mode" 102..104 Uint;
        REDUCTION_TYPE_ENABLE "Reduction Type Enable" 105..105 Bool;
        NON_NORMALIZED_COORDINATE_ENABLE "Non-normalized Coordinate Enable" 106..106 Bool;
        TRILINEAR_FILTER_QUALITY "Trilinear Filter Quality" 107..108 Uint;
        R_ADDRESS_MIN_FILTER_ROUNDING_ENABLE "R Address Min Filter Rounding Enable" 109..109 Bool;
        R_ADDRESS_MAG_FILTER_ROUNDING_ENABLE "R Address Mag Filter Rounding Enable" 110..110 Bool;
        V_ADDRESS_MIN_FILTER_ROUNDING_ENABLE "V Address Min Filter Rounding Enable" 111..111 Bool;
        V_ADDRESS_MAG_FILTER_ROUNDING_ENABLE "V Address Mag Filter Rounding Enable" 112..112 Bool;
        U_ADDRESS_MIN_FILTER_ROUNDING_ENABLE "U Address Min Filter Rounding Enable" 113..113 Bool;
        U_ADDRESS_MAG_FILTER_ROUNDING_ENABLE "U Address Mag Filter Rounding Enable" 114..114 Bool;
        MAXIMUM_ANISOTROPY "Maximum Anisotropy" 115..117 Uint;
        REDUCTION_TYPE "Reduction Type" 118..119 Uint;
    }
    /// SKL PRM vol. 2d, "BINDING_TABLE_STATE".
    binding_table_state "BINDING_TABLE_STATE" [Gen9..Gen9] dwords 1 header 0x00000000 mask 0x00000000 length 0x0 bias 0 {
        SURFACE_STATE_POINTER "Surface State Pointer" 6..31 Offset;
    }
    /// SKL PRM vol. 2d, "MI_MATH_ALU_INSTRUCTION".
    mi_math_alu_instruction "MI_MATH_ALU_INSTRUCTION" [Gen9..Gen9] dwords 1 header 0x00000000 mask 0x00000000 length 0x0 bias 0 {
        OPERAND_2 "Operand 2" 0..9 Uint;
        OPERAND_1 "Operand 1" 10..19 Uint;
        ALU_OPCODE "ALU Opcode" 20..31 Uint;
    }
}
