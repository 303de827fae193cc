//! Enumerated values of surface, sampler and interface state.
//!
//! Ref: SKL PRM vol. 2a and 2d, the packets named. Tests: `tests.rs` of this folder compares every
//!      value with genxml.

use super::enumeration::values;

#[rustfmt::skip]
values! {
    /// INTERFACE_DESCRIPTOR_DATA, "Thread Priority".
    thread_priority for [
        "INTERFACE_DESCRIPTOR_DATA" "Thread Priority",
    ] {
        NORMAL_PRIORITY "Normal Priority" 0;
        HIGH_PRIORITY "High Priority" 1;
    }
    /// INTERFACE_DESCRIPTOR_DATA, "Denorm Mode".
    denorm_mode for [
        "INTERFACE_DESCRIPTOR_DATA" "Denorm Mode",
    ] {
        FTZ "Ftz" 0;
        SET_BY_KERNEL "SetByKernel" 1;
    }
    /// INTERFACE_DESCRIPTOR_DATA, "Sampler Count".
    interface_sampler_count for [
        "INTERFACE_DESCRIPTOR_DATA" "Sampler Count",
    ] {
        NO_SAMPLERS "No samplers used" 0;
        SAMPLERS_1_TO_4 "Between 1 and 4 samplers used" 1;
        SAMPLERS_5_TO_8 "Between 5 and 8 samplers used" 2;
        SAMPLERS_9_TO_12 "Between 9 and 12 samplers used" 3;
        SAMPLERS_13_TO_16 "Between 13 and 16 samplers used" 4;
    }
    /// INTERFACE_DESCRIPTOR_DATA, "Shared Local Memory Size".
    shared_local_memory_size for [
        "INTERFACE_DESCRIPTOR_DATA" "Shared Local Memory Size",
    ] {
        ENCODES_0K "Encodes 0K" 0;
        ENCODES_1K "Encodes 1K" 1;
        ENCODES_2K "Encodes 2K" 2;
        ENCODES_4K "Encodes 4K" 3;
        ENCODES_8K "Encodes 8K" 4;
        ENCODES_16K "Encodes 16K" 5;
        ENCODES_32K "Encodes 32K" 6;
        ENCODES_64K "Encodes 64K" 7;
    }
    /// RENDER_SURFACE_STATE, "Media Boundary Pixel Mode".
    media_boundary_pixel_mode for [
        "RENDER_SURFACE_STATE" "Media Boundary Pixel Mode",
    ] {
        NORMAL_MODE "NORMAL_MODE" 0;
        PROGRESSIVE_FRAME "PROGRESSIVE_FRAME" 2;
        INTERLACED_FRAME "INTERLACED_FRAME" 3;
    }
    /// RENDER_SURFACE_STATE, "Render Cache Read Write Mode".
    render_cache_read_write_mode for [
        "RENDER_SURFACE_STATE" "Render Cache Read Write Mode",
    ] {
        WRITE_ONLY_CACHE "Write-Only Cache" 0;
        READ_WRITE_CACHE "Read-Write Cache" 1;
    }
    /// RENDER_SURFACE_STATE, "Tile Mode".
    tile_mode for [
        "RENDER_SURFACE_STATE" "Tile Mode",
    ] {
        LINEAR "LINEAR" 0;
        WMAJOR "WMAJOR" 1;
        XMAJOR "XMAJOR" 2;
        YMAJOR "YMAJOR" 3;
    }
    /// RENDER_SURFACE_STATE, "Surface Horizontal Alignment".
    surface_horizontal_alignment for [
        "RENDER_SURFACE_STATE" "Surface Horizontal Alignment",
    ] {
        HALIGN_4 "HALIGN_4" 1;
        HALIGN_8 "HALIGN_8" 2;
        HALIGN_16 "HALIGN_16" 3;
    }
    /// RENDER_SURFACE_STATE, "Surface Vertical Alignment".
    surface_vertical_alignment for [
        "RENDER_SURFACE_STATE" "Surface Vertical Alignment",
    ] {
        VALIGN_4 "VALIGN_4" 1;
        VALIGN_8 "VALIGN_8" 2;
        VALIGN_16 "VALIGN_16" 3;
    }
    /// RENDER_SURFACE_STATE, "Surface Type".
    surface_type for [
        "RENDER_SURFACE_STATE" "Surface Type",
    ] {
        SURFTYPE_1D "SURFTYPE_1D" 0;
        SURFTYPE_2D "SURFTYPE_2D" 1;
        SURFTYPE_3D "SURFTYPE_3D" 2;
        SURFTYPE_CUBE "SURFTYPE_CUBE" 3;
        SURFTYPE_BUFFER "SURFTYPE_BUFFER" 4;
        SURFTYPE_STRBUF "SURFTYPE_STRBUF" 5;
        SURFTYPE_NULL "SURFTYPE_NULL" 7;
    }
    /// RENDER_SURFACE_STATE, "Number of Multisamples".
    number_of_multisamples for [
        "RENDER_SURFACE_STATE" "Number of Multisamples",
    ] {
        MULTISAMPLECOUNT_1 "MULTISAMPLECOUNT_1" 0;
        MULTISAMPLECOUNT_2 "MULTISAMPLECOUNT_2" 1;
        MULTISAMPLECOUNT_4 "MULTISAMPLECOUNT_4" 2;
        MULTISAMPLECOUNT_8 "MULTISAMPLECOUNT_8" 3;
        MULTISAMPLECOUNT_16 "MULTISAMPLECOUNT_16" 4;
    }
    /// RENDER_SURFACE_STATE, "Multisampled Surface Storage Format".
    multisampled_surface_storage_format for [
        "RENDER_SURFACE_STATE" "Multisampled Surface Storage Format",
    ] {
        MSFMT_MSS "MSFMT_MSS" 0;
        MSFMT_DEPTH_STENCIL "MSFMT_DEPTH_STENCIL" 1;
    }
    /// RENDER_SURFACE_STATE, "Render Target And Sample Unorm Rotation".
    render_target_and_sample_unorm_rotation for [
        "RENDER_SURFACE_STATE" "Render Target And Sample Unorm Rotation",
    ] {
        ROTATE_0 "0DEG" 0;
        ROTATE_90 "90DEG" 1;
        ROTATE_180 "180DEG" 2;
        ROTATE_270 "270DEG" 3;
    }
    /// RENDER_SURFACE_STATE, "Coherency Type".
    coherency_type for [
        "RENDER_SURFACE_STATE" "Coherency Type",
    ] {
        GPU_COHERENT "GPU coherent" 0;
        IA_COHERENT "IA coherent" 1;
    }
    /// RENDER_SURFACE_STATE, "Tiled Resource Mode".
    tiled_resource_mode for [
        "RENDER_SURFACE_STATE" "Tiled Resource Mode",
    ] {
        NONE "NONE" 0;
        TILE_4KB "4KB" 1;
        TILE_64KB "64KB" 2;
        TILEYF "TILEYF" 1;
        TILEYS "TILEYS" 2;
    }
    /// RENDER_SURFACE_STATE, "Auxiliary Surface Mode".
    auxiliary_surface_mode for [
        "RENDER_SURFACE_STATE" "Auxiliary Surface Mode",
    ] {
        AUX_NONE "AUX_NONE" 0;
        AUX_CCS_D "AUX_CCS_D" 1;
        AUX_APPEND "AUX_APPEND" 2;
        AUX_HIZ "AUX_HIZ" 3;
        AUX_CCS_E "AUX_CCS_E" 5;
    }
    /// RENDER_SURFACE_STATE, "Shader Channel Select Alpha" and others.
    channel_select for [
        "RENDER_SURFACE_STATE" "Shader Channel Select Alpha",
        "RENDER_SURFACE_STATE" "Shader Channel Select Blue",
        "RENDER_SURFACE_STATE" "Shader Channel Select Green",
        "RENDER_SURFACE_STATE" "Shader Channel Select Red",
    ] {
        ZERO "ZERO" 0;
        ONE "ONE" 1;
        RED "RED" 4;
        GREEN "GREEN" 5;
        BLUE "BLUE" 6;
        ALPHA "ALPHA" 7;
    }
    /// RENDER_SURFACE_STATE, "Memory Compression Mode".
    memory_compression_mode for [
        "RENDER_SURFACE_STATE" "Memory Compression Mode",
    ] {
        HORIZONTAL "Horizontal" 0;
        VERTICAL "Vertical" 1;
    }
    /// SAMPLER_STATE, "Anisotropic Algorithm".
    anisotropic_algorithm for [
        "SAMPLER_STATE" "Anisotropic Algorithm",
    ] {
        LEGACY "LEGACY" 0;
        EWA_APPROXIMATION "EWA Approximation" 1;
    }
    /// SAMPLER_STATE, "Min Mode Filter" and others.
    texture_filter for [
        "SAMPLER_STATE" "Min Mode Filter",
        "SAMPLER_STATE" "Mag Mode Filter",
    ] {
        NEAREST "NEAREST" 0;
        LINEAR "LINEAR" 1;
        ANISOTROPIC "ANISOTROPIC" 2;
        MONO "MONO" 6;
    }
    /// SAMPLER_STATE, "Mip Mode Filter".
    mip_filter for [
        "SAMPLER_STATE" "Mip Mode Filter",
    ] {
        NONE "NONE" 0;
        NEAREST "NEAREST" 1;
        LINEAR "LINEAR" 3;
    }
    /// SAMPLER_STATE, "LOD PreClamp Mode".
    lod_preclamp_mode for [
        "SAMPLER_STATE" "LOD PreClamp Mode",
    ] {
        NONE "NONE" 0;
        OGL "OGL" 2;
    }
    /// SAMPLER_STATE, "Texture Border Color Mode".
    texture_border_color_mode for [
        "SAMPLER_STATE" "Texture Border Color Mode",
    ] {
        DX10_OGL "DX10/OGL" 0;
        DX9 "DX9" 1;
    }
    /// SAMPLER_STATE, "Cube Surface Control Mode".
    cube_surface_control_mode for [
        "SAMPLER_STATE" "Cube Surface Control Mode",
    ] {
        PROGRAMMED "PROGRAMMED" 0;
        OVERRIDE "OVERRIDE" 1;
    }
    /// SAMPLER_STATE, "ChromaKey Mode".
    chromakey_mode for [
        "SAMPLER_STATE" "ChromaKey Mode",
    ] {
        KEYFILTER_KILL_ON_ANY_MATCH "KEYFILTER_KILL_ON_ANY_MATCH" 0;
        KEYFILTER_REPLACE_BLACK "KEYFILTER_REPLACE_BLACK" 1;
    }
    /// SAMPLER_STATE, "LOD Clamp Magnification Mode".
    lod_clamp_magnification_mode for [
        "SAMPLER_STATE" "LOD Clamp Magnification Mode",
    ] {
        MIPNONE "MIPNONE" 0;
        MIPFILTER "MIPFILTER" 1;
    }
    /// SAMPLER_STATE, "TCZ Address Control Mode" and others.
    address_mode for [
        "SAMPLER_STATE" "TCZ Address Control Mode",
        "SAMPLER_STATE" "TCY Address Control Mode",
        "SAMPLER_STATE" "TCX Address Control Mode",
    ] {
        WRAP "WRAP" 0;
        MIRROR "MIRROR" 1;
        CLAMP "CLAMP" 2;
        CUBE "CUBE" 3;
        CLAMP_BORDER "CLAMP_BORDER" 4;
        MIRROR_ONCE "MIRROR_ONCE" 5;
        HALF_BORDER "HALF_BORDER" 6;
    }
    /// SAMPLER_STATE, "Trilinear Filter Quality".
    trilinear_filter_quality for [
        "SAMPLER_STATE" "Trilinear Filter Quality",
    ] {
        FULL "FULL" 0;
        HIGH "HIGH" 1;
        MED "MED" 2;
        LOW "LOW" 3;
    }
    /// SAMPLER_STATE, "Maximum Anisotropy".
    maximum_anisotropy for [
        "SAMPLER_STATE" "Maximum Anisotropy",
    ] {
        RATIO_2_1 "RATIO 2:1" 0;
        RATIO_4_1 "RATIO 4:1" 1;
        RATIO_6_1 "RATIO 6:1" 2;
        RATIO_8_1 "RATIO 8:1" 3;
        RATIO_10_1 "RATIO 10:1" 4;
        RATIO_12_1 "RATIO 12:1" 5;
        RATIO_14_1 "RATIO 14:1" 6;
        RATIO_16_1 "RATIO 16:1" 7;
    }
    /// SAMPLER_STATE, "Reduction Type".
    reduction_type for [
        "SAMPLER_STATE" "Reduction Type",
    ] {
        STD_FILTER "STD_FILTER" 0;
        COMPARISON "COMPARISON" 1;
        MINIMUM "MINIMUM" 2;
        MAXIMUM "MAXIMUM" 3;
    }
    /// MI_MATH_ALU_INSTRUCTION, "Operand 2" and others.
    mi_math_operand for [
        "MI_MATH_ALU_INSTRUCTION" "Operand 2",
        "MI_MATH_ALU_INSTRUCTION" "Operand 1",
    ] {
        REG0 "REG0" 0;
        REG1 "REG1" 1;
        REG2 "REG2" 2;
        REG3 "REG3" 3;
        REG4 "REG4" 4;
        REG5 "REG5" 5;
        REG6 "REG6" 6;
        REG7 "REG7" 7;
        REG8 "REG8" 8;
        REG9 "REG9" 9;
        REG10 "REG10" 10;
        REG11 "REG11" 11;
        REG12 "REG12" 12;
        REG13 "REG13" 13;
        REG14 "REG14" 14;
        REG15 "REG15" 15;
        SRCA "SRCA" 32;
        SRCB "SRCB" 33;
        ACCU "ACCU" 49;
        ZF "ZF" 50;
        CF "CF" 51;
    }
    /// MI_MATH_ALU_INSTRUCTION, "ALU Opcode".
    mi_math_opcode for [
        "MI_MATH_ALU_INSTRUCTION" "ALU Opcode",
    ] {
        NOOP "NOOP" 0;
        LOAD "LOAD" 128;
        LOADINV "LOADINV" 1152;
        LOAD0 "LOAD0" 129;
        LOAD1 "LOAD1" 1153;
        ADD "ADD" 256;
        SUB "SUB" 257;
        AND "AND" 258;
        OR "OR" 259;
        XOR "XOR" 260;
        STORE "STORE" 384;
        STOREINV "STOREINV" 1408;
    }
}
