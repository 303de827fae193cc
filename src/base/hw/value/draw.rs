//! Enumerated values of the 3D pipeline: 3DSTATE_*, blend and viewport state.
//!
//! Ref: SKL PRM vol. 2a and 2d, the packets named. Tests: `tests.rs` of this folder compares every
//!      value with genxml.

use super::enumeration::values;

#[rustfmt::skip]
values! {
    /// 3DPRIMITIVE, "Primitive Topology Type" and others.
    primitive_topology for [
        "3DPRIMITIVE" "Primitive Topology Type",
        "3DSTATE_GS" "Output Topology",
        "3DSTATE_VF_TOPOLOGY" "Primitive Topology Type",
        "MI_TOPOLOGY_FILTER" "Topology Filter Value",
    ] {
        POINTLIST "POINTLIST" 1;
        LINELIST "LINELIST" 2;
        LINESTRIP "LINESTRIP" 3;
        TRILIST "TRILIST" 4;
        TRISTRIP "TRISTRIP" 5;
        TRIFAN "TRIFAN" 6;
        QUADLIST "QUADLIST" 7;
        QUADSTRIP "QUADSTRIP" 8;
        LINELIST_ADJ "LINELIST_ADJ" 9;
        LINESTRIP_ADJ "LINESTRIP_ADJ" 10;
        TRILIST_ADJ "TRILIST_ADJ" 11;
        TRISTRIP_ADJ "TRISTRIP_ADJ" 12;
        TRISTRIP_REVERSE "TRISTRIP_REVERSE" 13;
        POLYGON "POLYGON" 14;
        RECTLIST "RECTLIST" 15;
        LINELOOP "LINELOOP" 16;
        POINTLIST_BF "POINTLIST _BF" 17;
        LINESTRIP_CONT "LINESTRIP_CONT" 18;
        LINESTRIP_BF "LINESTRIP_BF" 19;
        LINESTRIP_CONT_BF "LINESTRIP_CONT_BF" 20;
        TRIFAN_NOSTIPPLE "TRIFAN_NOSTIPPLE" 22;
        PATCHLIST_1 "PATCHLIST_1" 32;
        PATCHLIST_2 "PATCHLIST_2" 33;
        PATCHLIST_3 "PATCHLIST_3" 34;
        PATCHLIST_4 "PATCHLIST_4" 35;
        PATCHLIST_5 "PATCHLIST_5" 36;
        PATCHLIST_6 "PATCHLIST_6" 37;
        PATCHLIST_7 "PATCHLIST_7" 38;
        PATCHLIST_8 "PATCHLIST_8" 39;
        PATCHLIST_9 "PATCHLIST_9" 40;
        PATCHLIST_10 "PATCHLIST_10" 41;
        PATCHLIST_11 "PATCHLIST_11" 42;
        PATCHLIST_12 "PATCHLIST_12" 43;
        PATCHLIST_13 "PATCHLIST_13" 44;
        PATCHLIST_14 "PATCHLIST_14" 45;
        PATCHLIST_15 "PATCHLIST_15" 46;
        PATCHLIST_16 "PATCHLIST_16" 47;
        PATCHLIST_17 "PATCHLIST_17" 48;
        PATCHLIST_18 "PATCHLIST_18" 49;
        PATCHLIST_19 "PATCHLIST_19" 50;
        PATCHLIST_20 "PATCHLIST_20" 51;
        PATCHLIST_21 "PATCHLIST_21" 52;
        PATCHLIST_22 "PATCHLIST_22" 53;
        PATCHLIST_23 "PATCHLIST_23" 54;
        PATCHLIST_24 "PATCHLIST_24" 55;
        PATCHLIST_25 "PATCHLIST_25" 56;
        PATCHLIST_26 "PATCHLIST_26" 57;
        PATCHLIST_27 "PATCHLIST_27" 58;
        PATCHLIST_28 "PATCHLIST_28" 59;
        PATCHLIST_29 "PATCHLIST_29" 60;
        PATCHLIST_30 "PATCHLIST_30" 61;
        PATCHLIST_31 "PATCHLIST_31" 62;
        PATCHLIST_32 "PATCHLIST_32" 63;
    }
    /// 3DPRIMITIVE, "Vertex Access Type".
    vertex_access_type for [
        "3DPRIMITIVE" "Vertex Access Type",
    ] {
        SEQUENTIAL "SEQUENTIAL" 0;
        RANDOM "RANDOM" 1;
    }
    /// 3DSTATE_BINDING_TABLE_EDIT_DS, "Binding Table Edit Target" and others.
    binding_table_edit_target for [
        "3DSTATE_BINDING_TABLE_EDIT_DS" "Binding Table Edit Target",
        "3DSTATE_BINDING_TABLE_EDIT_GS" "Binding Table Edit Target",
        "3DSTATE_BINDING_TABLE_EDIT_HS" "Binding Table Edit Target",
        "3DSTATE_BINDING_TABLE_EDIT_PS" "Binding Table Edit Target",
        "3DSTATE_BINDING_TABLE_EDIT_VS" "Binding Table Edit Target",
    ] {
        ALL_CORES "All Cores" 3;
        CORE_1 "Core 1" 2;
        CORE_0 "Core 0" 1;
    }
    /// 3DSTATE_BINDING_TABLE_POOL_ALLOC, "Binding Table Pool Buffer Size".
    binding_table_pool_buffer_size for [
        "3DSTATE_BINDING_TABLE_POOL_ALLOC" "Binding Table Pool Buffer Size",
    ] {
        NO_VALID_DATA "No Valid Data" 0;
    }
    /// 3DSTATE_CLIP, "Vertex Sub Pixel Precision Select" and others.
    vertex_sub_pixel_precision_select for [
        "3DSTATE_CLIP" "Vertex Sub Pixel Precision Select",
        "3DSTATE_SF" "Vertex Sub Pixel Precision Select",
    ] {
        BITS_8 "8 Bit" 0;
        BITS_4 "4 Bit" 1;
    }
    /// 3DSTATE_CLIP, "Clip Mode".
    clip_mode for [
        "3DSTATE_CLIP" "Clip Mode",
    ] {
        CLIPMODE_NORMAL "CLIPMODE_NORMAL" 0;
        CLIPMODE_REJECT_ALL "CLIPMODE_REJECT_ALL" 3;
        CLIPMODE_ACCEPT_ALL "CLIPMODE_ACCEPT_ALL" 4;
    }
    /// 3DSTATE_CLIP, "API Mode".
    clip_api_mode for [
        "3DSTATE_CLIP" "API Mode",
    ] {
        APIMODE_OGL "APIMODE_OGL" 0;
        APIMODE_D3D "APIMODE_D3D" 1;
    }
    /// 3DSTATE_DEPTH_BUFFER, "Surface Format".
    depth_format for [
        "3DSTATE_DEPTH_BUFFER" "Surface Format",
    ] {
        D32_FLOAT "D32_FLOAT" 1;
        D24_UNORM_X8_UINT "D24_UNORM_X8_UINT" 3;
        D16_UNORM "D16_UNORM" 5;
    }
    /// 3DSTATE_DEPTH_BUFFER, "Surface Type".
    depth_surface_type for [
        "3DSTATE_DEPTH_BUFFER" "Surface Type",
    ] {
        SURFTYPE_2D "SURFTYPE_2D" 1;
        SURFTYPE_CUBE "SURFTYPE_CUBE" 3;
        SURFTYPE_NULL "SURFTYPE_NULL" 7;
    }
    /// 3DSTATE_DEPTH_BUFFER, "Tiled Resource Mode".
    depth_tiled_resource_mode for [
        "3DSTATE_DEPTH_BUFFER" "Tiled Resource Mode",
    ] {
        NONE "NONE" 0;
        TILEYF "TILEYF" 1;
        TILEYS "TILEYS" 2;
    }
    /// 3DSTATE_DRAWING_RECTANGLE, "Core Mode Select".
    core_mode_select for [
        "3DSTATE_DRAWING_RECTANGLE" "Core Mode Select",
    ] {
        LEGACY "Legacy" 0;
        CORE_0_ENABLED "Core 0 Enabled" 1;
        CORE_1_ENABLED "Core 1 Enabled" 2;
    }
    /// 3DSTATE_DS, "Floating Point Mode" and others.
    floating_point_mode for [
        "3DSTATE_DS" "Floating Point Mode",
        "3DSTATE_GS" "Floating Point Mode",
        "3DSTATE_PS" "Floating Point Mode",
        "3DSTATE_VS" "Floating Point Mode",
        "INTERFACE_DESCRIPTOR_DATA" "Floating Point Mode",
    ] {
        IEEE_754 "IEEE-754" 0;
        ALTERNATE "Alternate" 1;
    }
    /// 3DSTATE_DS, "Thread Dispatch Priority" and others.
    thread_dispatch_priority for [
        "3DSTATE_DS" "Thread Dispatch Priority",
        "3DSTATE_GS" "Thread Dispatch Priority",
        "3DSTATE_HS" "Thread Dispatch Priority",
        "3DSTATE_PS" "Thread Dispatch Priority",
        "3DSTATE_VS" "Thread Dispatch Priority",
    ] {
        HIGH "High" 1;
    }
    /// 3DSTATE_DS, "Sampler Count" and others.
    sampler_count for [
        "3DSTATE_DS" "Sampler Count",
        "3DSTATE_GS" "Sampler Count",
        "3DSTATE_HS" "Sampler Count",
        "3DSTATE_PS" "Sampler Count",
        "3DSTATE_VS" "Sampler Count",
    ] {
        NO_SAMPLERS "No Samplers" 0;
        SAMPLERS_1_TO_4 "1-4 Samplers" 1;
        SAMPLERS_5_TO_8 "5-8 Samplers" 2;
        SAMPLERS_9_TO_12 "9-12 Samplers" 3;
        SAMPLERS_13_TO_16 "13-16 Samplers" 4;
    }
    /// 3DSTATE_DS, "Dispatch Mode".
    ds_dispatch_mode for [
        "3DSTATE_DS" "Dispatch Mode",
    ] {
        SIMD4X2 "SIMD4X2" 0;
        SIMD8_SINGLE_PATCH "SIMD8_SINGLE_PATCH" 1;
        SIMD8_SINGLE_OR_DUAL_PATCH "SIMD8_SINGLE_OR_DUAL_PATCH" 2;
    }
    /// 3DSTATE_GATHER_CONSTANT_DS, "Update Gather Table Only" and others.
    update_gather_table_only for [
        "3DSTATE_GATHER_CONSTANT_DS" "Update Gather Table Only",
        "3DSTATE_GATHER_CONSTANT_GS" "Update Gather Table Only",
        "3DSTATE_GATHER_CONSTANT_HS" "Update Gather Table Only",
        "3DSTATE_GATHER_CONSTANT_PS" "Update Gather Table Only",
        "3DSTATE_GATHER_CONSTANT_VS" "Update Gather Table Only",
    ] {
        COMMIT_GATHER "Commit Gather" 0;
        NON_COMMIT_GATHER "Non-Commit Gather" 1;
    }
    /// 3DSTATE_GATHER_CONSTANT_DS, "On-Die Table" and others.
    on_die_table for [
        "3DSTATE_GATHER_CONSTANT_DS" "On-Die Table",
        "3DSTATE_GATHER_CONSTANT_GS" "On-Die Table",
        "3DSTATE_GATHER_CONSTANT_HS" "On-Die Table",
        "3DSTATE_GATHER_CONSTANT_PS" "On-Die Table",
        "3DSTATE_GATHER_CONSTANT_VS" "On-Die Table",
    ] {
        LOAD "Load" 0;
        READ "Read" 1;
    }
    /// 3DSTATE_GS, "Reorder Mode" and others.
    reorder_mode for [
        "3DSTATE_GS" "Reorder Mode",
        "3DSTATE_STREAMOUT" "Reorder Mode",
    ] {
        LEADING "LEADING" 0;
        TRAILING "TRAILING" 1;
    }
    /// 3DSTATE_GS, "Dispatch Mode".
    gs_dispatch_mode for [
        "3DSTATE_GS" "Dispatch Mode",
    ] {
        DUAL_INSTANCE "Dual Instance" 1;
        DUAL_OBJECT "Dual Object" 2;
        SIMD8 "SIMD8" 3;
    }
    /// 3DSTATE_GS, "Control Data Format".
    control_data_format for [
        "3DSTATE_GS" "Control Data Format",
    ] {
        CUT "CUT" 0;
        SID "SID" 1;
    }
    /// 3DSTATE_HS, "Floating Point Mode".
    hs_floating_point_mode for [
        "3DSTATE_HS" "Floating Point Mode",
    ] {
        IEEE_754 "IEEE-754" 0;
        ALTERNATE "alternate" 1;
    }
    /// 3DSTATE_HS, "Dispatch Mode".
    hs_dispatch_mode for [
        "3DSTATE_HS" "Dispatch Mode",
    ] {
        SINGLE_PATCH "SINGLE_PATCH" 0;
        DUAL_PATCH "DUAL_PATCH" 1;
        EIGHT_PATCH "8_PATCH" 2;
    }
    /// 3DSTATE_INDEX_BUFFER, "Index Format".
    index_format for [
        "3DSTATE_INDEX_BUFFER" "Index Format",
    ] {
        BYTE "BYTE" 0;
        WORD "WORD" 1;
        DWORD "DWORD" 2;
    }
    /// 3DSTATE_MULTISAMPLE, "Pixel Location".
    pixel_location for [
        "3DSTATE_MULTISAMPLE" "Pixel Location",
    ] {
        CENTER "CENTER" 0;
        UL_CORNER "UL_CORNER" 1;
    }
    /// 3DSTATE_PS, "Rounding Mode" and others.
    rounding_mode for [
        "3DSTATE_PS" "Rounding Mode",
        "INTERFACE_DESCRIPTOR_DATA" "Rounding Mode",
    ] {
        RTNE "RTNE" 0;
        RU "RU" 1;
        RD "RD" 2;
        RTZ "RTZ" 3;
    }
    /// 3DSTATE_PS, "Single Precision Denormal Mode".
    single_precision_denormal_mode for [
        "3DSTATE_PS" "Single Precision Denormal Mode",
    ] {
        FLUSHED_TO_ZERO "Flushed to Zero" 0;
        RETAINED "Retained" 1;
    }
    /// 3DSTATE_PS, "Position XY Offset Select".
    position_xy_offset for [
        "3DSTATE_PS" "Position XY Offset Select",
    ] {
        POSOFFSET_NONE "POSOFFSET_NONE" 0;
        POSOFFSET_CENTROID "POSOFFSET_CENTROID" 2;
        POSOFFSET_SAMPLE "POSOFFSET_SAMPLE" 3;
    }
    /// 3DSTATE_PS, "Render Target Resolve Type".
    render_target_resolve for [
        "3DSTATE_PS" "Render Target Resolve Type",
    ] {
        RESOLVE_DISABLED "RESOLVE_DISABLED" 0;
        RESOLVE_PARTIAL "RESOLVE_PARTIAL" 1;
        RESOLVE_FULL "RESOLVE_FULL" 3;
    }
    /// 3DSTATE_PS_BLEND, "Destination Blend Factor" and others.
    blend_factor for [
        "3DSTATE_PS_BLEND" "Destination Blend Factor",
        "3DSTATE_PS_BLEND" "Source Blend Factor",
        "3DSTATE_PS_BLEND" "Destination Alpha Blend Factor",
        "3DSTATE_PS_BLEND" "Source Alpha Blend Factor",
        "BLEND_STATE_ENTRY" "Destination Alpha Blend Factor",
        "BLEND_STATE_ENTRY" "Source Alpha Blend Factor",
        "BLEND_STATE_ENTRY" "Destination Blend Factor",
        "BLEND_STATE_ENTRY" "Source Blend Factor",
    ] {
        ONE "ONE" 1;
        SRC_COLOR "SRC_COLOR" 2;
        SRC_ALPHA "SRC_ALPHA" 3;
        DST_ALPHA "DST_ALPHA" 4;
        DST_COLOR "DST_COLOR" 5;
        SRC_ALPHA_SATURATE "SRC_ALPHA_SATURATE" 6;
        CONST_COLOR "CONST_COLOR" 7;
        CONST_ALPHA "CONST_ALPHA" 8;
        SRC1_COLOR "SRC1_COLOR" 9;
        SRC1_ALPHA "SRC1_ALPHA" 10;
        ZERO "ZERO" 17;
        INV_SRC_COLOR "INV_SRC_COLOR" 18;
        INV_SRC_ALPHA "INV_SRC_ALPHA" 19;
        INV_DST_ALPHA "INV_DST_ALPHA" 20;
        INV_DST_COLOR "INV_DST_COLOR" 21;
        INV_CONST_COLOR "INV_CONST_COLOR" 23;
        INV_CONST_ALPHA "INV_CONST_ALPHA" 24;
        INV_SRC1_COLOR "INV_SRC1_COLOR" 25;
        INV_SRC1_ALPHA "INV_SRC1_ALPHA" 26;
    }
    /// 3DSTATE_PS_EXTRA, "Input Coverage Mask State".
    input_coverage_mask for [
        "3DSTATE_PS_EXTRA" "Input Coverage Mask State",
    ] {
        NONE "NONE" 0;
        NORMAL "NORMAL" 1;
        INNER_CONSERVATIVE "INNER_CONSERVATIVE" 2;
        DEPTH_COVERAGE "DEPTH_COVERAGE" 3;
    }
    /// 3DSTATE_PS_EXTRA, "Pixel Shader Computed Depth Mode".
    computed_depth_mode for [
        "3DSTATE_PS_EXTRA" "Pixel Shader Computed Depth Mode",
    ] {
        PSCDEPTH_OFF "PSCDEPTH_OFF" 0;
        PSCDEPTH_ON "PSCDEPTH_ON" 1;
        PSCDEPTH_ON_GE "PSCDEPTH_ON_GE" 2;
        PSCDEPTH_ON_LE "PSCDEPTH_ON_LE" 3;
    }
    /// 3DSTATE_RASTER, "Back Face Fill Mode" and others.
    fill_mode for [
        "3DSTATE_RASTER" "Back Face Fill Mode",
        "3DSTATE_RASTER" "Front Face Fill Mode",
    ] {
        SOLID "SOLID" 0;
        WIREFRAME "WIREFRAME" 1;
        POINT "POINT" 2;
    }
    /// 3DSTATE_RASTER, "DX Multisample Rasterization Mode".
    dx_multisample_rasterization_mode for [
        "3DSTATE_RASTER" "DX Multisample Rasterization Mode",
    ] {
        MSRASTMODE_OFF_PIXEL "MSRASTMODE_ OFF_PIXEL" 0;
        MSRASTMODE_OFF_PATTERN "MSRASTMODE_ OFF_PATTERN" 1;
        MSRASTMODE_ON_PIXEL "MSRASTMODE_ ON_PIXEL" 2;
        MSRASTMODE_ON_PATTERN "MSRASTMODE_ ON_PATTERN" 3;
    }
    /// 3DSTATE_RASTER, "Cull Mode".
    cull_mode for [
        "3DSTATE_RASTER" "Cull Mode",
    ] {
        BOTH "BOTH" 0;
        NONE "NONE" 1;
        FRONT "FRONT" 2;
        BACK "BACK" 3;
    }
    /// 3DSTATE_RASTER, "Forced Sample Count".
    forced_sample_count for [
        "3DSTATE_RASTER" "Forced Sample Count",
    ] {
        NUMRASTSAMPLES_0 "NUMRASTSAMPLES_0" 0;
        NUMRASTSAMPLES_1 "NUMRASTSAMPLES_1" 1;
        NUMRASTSAMPLES_2 "NUMRASTSAMPLES_2" 2;
        NUMRASTSAMPLES_4 "NUMRASTSAMPLES_4" 3;
        NUMRASTSAMPLES_8 "NUMRASTSAMPLES_8" 4;
        NUMRASTSAMPLES_16 "NUMRASTSAMPLES_16" 5;
    }
    /// 3DSTATE_RASTER, "Front Winding".
    front_winding for [
        "3DSTATE_RASTER" "Front Winding",
    ] {
        CLOCKWISE "Clockwise" 0;
        COUNTER_CLOCKWISE "Counter Clockwise" 1;
    }
    /// 3DSTATE_RASTER, "API Mode".
    raster_api_mode for [
        "3DSTATE_RASTER" "API Mode",
    ] {
        DX9_OGL "DX9/OGL" 0;
        DX10_0 "DX10.0" 1;
        DX10_1 "DX10.1+" 2;
    }
    /// 3DSTATE_RS_CONSTANT_POINTER, "Operation Load or Store".
    operation_load_or_store for [
        "3DSTATE_RS_CONSTANT_POINTER" "Operation Load or Store",
    ] {
        STORE "Store" 0;
        LOAD "Load" 1;
    }
    /// 3DSTATE_RS_CONSTANT_POINTER, "Shader Select".
    shader_select for [
        "3DSTATE_RS_CONSTANT_POINTER" "Shader Select",
    ] {
        VS "VS" 0;
        PS "PS" 4;
    }
    /// 3DSTATE_SBE, "Point Sprite Texture Coordinate Origin".
    point_sprite_texture_coordinate_origin for [
        "3DSTATE_SBE" "Point Sprite Texture Coordinate Origin",
    ] {
        UPPERLEFT "UPPERLEFT" 0;
        LOWERLEFT "LOWERLEFT" 1;
    }
    /// 3DSTATE_SBE, "Attribute Active Component Format".
    attribute_active_component_format for [
        "3DSTATE_SBE" "Attribute Active Component Format",
    ] {
        DISABLED "DISABLED" 0;
        XY "XY" 1;
        XYZ "XYZ" 2;
        XYZW "XYZW" 3;
    }
    /// 3DSTATE_SF, "Line End Cap Antialiasing Region Width" and others.
    line_region_width for [
        "3DSTATE_SF" "Line End Cap Antialiasing Region Width",
        "3DSTATE_WM" "Line Antialiasing Region Width",
        "3DSTATE_WM" "Line End Cap Antialiasing Region Width",
    ] {
        PIXELS_0_5 "0.5 pixels" 0;
        PIXELS_1 "1.0 pixels" 1;
        PIXELS_2 "2.0 pixels" 2;
        PIXELS_4 "4.0 pixels" 3;
    }
    /// 3DSTATE_SF, "Point Width Source".
    point_width_source for [
        "3DSTATE_SF" "Point Width Source",
    ] {
        VERTEX "Vertex" 0;
        STATE "State" 1;
    }
    /// 3DSTATE_SF, "AA Line Distance Mode".
    aa_line_distance_mode for [
        "3DSTATE_SF" "AA Line Distance Mode",
    ] {
        AALINEDISTANCE_TRUE "AALINEDISTANCE_TRUE" 1;
    }
    /// 3DSTATE_STREAMOUT, "Force Rendering".
    force_rendering for [
        "3DSTATE_STREAMOUT" "Force Rendering",
    ] {
        RESERVED "Resreved" 1;
        FORCE_OFF "Force_Off" 2;
        FORCE_ON "Force_on" 3;
    }
    /// 3DSTATE_TE, "TE Mode".
    te_mode for [
        "3DSTATE_TE" "TE Mode",
    ] {
        HW_TESS "HW_TESS" 0;
    }
    /// 3DSTATE_TE, "TE Domain".
    te_domain for [
        "3DSTATE_TE" "TE Domain",
    ] {
        QUAD "QUAD" 0;
        TRI "TRI" 1;
        ISOLINE "ISOLINE" 2;
    }
    /// 3DSTATE_TE, "Output Topology".
    te_output_topology for [
        "3DSTATE_TE" "Output Topology",
    ] {
        POINT "POINT" 0;
        LINE "LINE" 1;
        TRI_CW "TRI_CW" 2;
        TRI_CCW "TRI_CCW" 3;
    }
    /// 3DSTATE_TE, "Partitioning".
    te_partitioning for [
        "3DSTATE_TE" "Partitioning",
    ] {
        INTEGER "INTEGER" 0;
        ODD_FRACTIONAL "ODD_FRACTIONAL" 1;
        EVEN_FRACTIONAL "EVEN_FRACTIONAL" 2;
    }
    /// 3DSTATE_VF_SGVS, "VertexID Component Number" and others.
    sgvs_component for [
        "3DSTATE_VF_SGVS" "VertexID Component Number",
        "3DSTATE_VF_SGVS" "InstanceID Component Number",
    ] {
        COMP_0 "COMP_0" 0;
        COMP_1 "COMP_1" 1;
        COMP_2 "COMP_2" 2;
        COMP_3 "COMP_3" 3;
    }
    /// 3DSTATE_WM, "Force Kill Pixel Enable" and others.
    wm_force for [
        "3DSTATE_WM" "Force Kill Pixel Enable",
        "3DSTATE_WM" "Force Thread Dispatch Enable",
    ] {
        FORCE_OFF "ForceOff" 1;
        FORCE_ON "ForceON" 2;
    }
    /// 3DSTATE_WM, "Point Rasterization Rule".
    point_rasterization_rule for [
        "3DSTATE_WM" "Point Rasterization Rule",
    ] {
        RASTRULE_UPPER_LEFT "RASTRULE_UPPER_LEFT" 0;
        RASTRULE_UPPER_RIGHT "RASTRULE_UPPER_RIGHT" 1;
    }
    /// 3DSTATE_WM, "Barycentric Interpolation Mode".
    barycentric_interpolation_mode for [
        "3DSTATE_WM" "Barycentric Interpolation Mode",
    ] {
        BIM_PERSPECTIVE_PIXEL "BIM_PERSPECTIVE_PIXEL" 1;
        BIM_PERSPECTIVE_CENTROID "BIM_PERSPECTIVE_CENTROID" 2;
        BIM_PERSPECTIVE_SAMPLE "BIM_PERSPECTIVE_SAMPLE" 4;
        BIM_LINEAR_PIXEL "BIM_LINEAR_PIXEL" 8;
        BIM_LINEAR_CENTROID "BIM_LINEAR_CENTROID" 16;
        BIM_LINEAR_SAMPLE "BIM_LINEAR_SAMPLE" 32;
    }
    /// 3DSTATE_WM, "Position ZW Interpolation Mode".
    position_zw_interpolation_mode for [
        "3DSTATE_WM" "Position ZW Interpolation Mode",
    ] {
        INTERP_PIXEL "INTERP_PIXEL" 0;
        INTERP_CENTROID "INTERP_CENTROID" 2;
        INTERP_SAMPLE "INTERP_SAMPLE" 3;
    }
    /// 3DSTATE_WM, "Early Depth/Stencil Control".
    early_depth_stencil_control for [
        "3DSTATE_WM" "Early Depth/Stencil Control",
    ] {
        EDSC_NORMAL "EDSC_NORMAL" 0;
        EDSC_PSEXEC "EDSC_PSEXEC" 1;
        EDSC_PREPS "EDSC_PREPS" 2;
    }
    /// 3DSTATE_WM_DEPTH_STENCIL, "Depth Test Function" and others.
    compare_function for [
        "3DSTATE_WM_DEPTH_STENCIL" "Depth Test Function",
        "3DSTATE_WM_DEPTH_STENCIL" "Stencil Test Function",
        "3DSTATE_WM_DEPTH_STENCIL" "Backface Stencil Test Function",
        "BLEND_STATE" "Alpha Test Function",
        "SAMPLER_STATE" "Shadow Function",
    ] {
        ALWAYS "ALWAYS" 0;
        NEVER "NEVER" 1;
        LESS "LESS" 2;
        EQUAL "EQUAL" 3;
        LEQUAL "LEQUAL" 4;
        GREATER "GREATER" 5;
        NOTEQUAL "NOTEQUAL" 6;
        GEQUAL "GEQUAL" 7;
    }
    /// 3DSTATE_WM_DEPTH_STENCIL, "Backface Stencil Pass Depth Pass Op" and others.
    stencil_op for [
        "3DSTATE_WM_DEPTH_STENCIL" "Backface Stencil Pass Depth Pass Op",
        "3DSTATE_WM_DEPTH_STENCIL" "Backface Stencil Pass Depth Fail Op",
        "3DSTATE_WM_DEPTH_STENCIL" "Backface Stencil Fail Op",
        "3DSTATE_WM_DEPTH_STENCIL" "Stencil Pass Depth Pass Op",
        "3DSTATE_WM_DEPTH_STENCIL" "Stencil Pass Depth Fail Op",
        "3DSTATE_WM_DEPTH_STENCIL" "Stencil Fail Op",
    ] {
        KEEP "KEEP" 0;
        ZERO "ZERO" 1;
        REPLACE "REPLACE" 2;
        INCRSAT "INCRSAT" 3;
        DECRSAT "DECRSAT" 4;
        INCR "INCR" 5;
        DECR "DECR" 6;
        INVERT "INVERT" 7;
    }
    /// BLEND_STATE_ENTRY, "Alpha Blend Function" and others.
    blend_function for [
        "BLEND_STATE_ENTRY" "Alpha Blend Function",
        "BLEND_STATE_ENTRY" "Color Blend Function",
    ] {
        ADD "ADD" 0;
        SUBTRACT "SUBTRACT" 1;
        REVERSE_SUBTRACT "REVERSE_SUBTRACT" 2;
        MIN "MIN" 3;
        MAX "MAX" 4;
    }
    /// BLEND_STATE_ENTRY, "Color Clamp Range".
    color_clamp_range for [
        "BLEND_STATE_ENTRY" "Color Clamp Range",
    ] {
        COLORCLAMP_UNORM "COLORCLAMP_UNORM" 0;
        COLORCLAMP_SNORM "COLORCLAMP_SNORM" 1;
        COLORCLAMP_RTFORMAT "COLORCLAMP_RTFORMAT" 2;
    }
    /// BLEND_STATE_ENTRY, "Logic Op Function".
    logic_op for [
        "BLEND_STATE_ENTRY" "Logic Op Function",
    ] {
        CLEAR "CLEAR" 0;
        NOR "NOR" 1;
        AND_INVERTED "AND_INVERTED" 2;
        COPY_INVERTED "COPY_INVERTED" 3;
        AND_REVERSE "AND_REVERSE" 4;
        INVERT "INVERT" 5;
        XOR "XOR" 6;
        NAND "NAND" 7;
        AND "AND" 8;
        EQUIV "EQUIV" 9;
        NOOP "NOOP" 10;
        OR_INVERTED "OR_INVERTED" 11;
        COPY "COPY" 12;
        OR_REVERSE "OR_REVERSE" 13;
        OR "OR" 14;
        SET "SET" 15;
    }
    /// COLOR_CALC_STATE, "Alpha Test Format".
    alpha_test_format for [
        "COLOR_CALC_STATE" "Alpha Test Format",
    ] {
        ALPHATEST_UNORM8 "ALPHATEST_UNORM8" 0;
        ALPHATEST_FLOAT32 "ALPHATEST_FLOAT32" 1;
    }
    /// SF_OUTPUT_ATTRIBUTE_DETAIL, "Swizzle Select".
    swizzle_select for [
        "SF_OUTPUT_ATTRIBUTE_DETAIL" "Swizzle Select",
    ] {
        INPUTATTR "INPUTATTR" 0;
        INPUTATTR_FACING "INPUTATTR_FACING" 1;
        INPUTATTR_W "INPUTATTR_W" 2;
        INPUTATTR_FACING_W "INPUTATTR_FACING_W" 3;
    }
    /// SF_OUTPUT_ATTRIBUTE_DETAIL, "Constant Source".
    constant_source for [
        "SF_OUTPUT_ATTRIBUTE_DETAIL" "Constant Source",
    ] {
        CONST_0000 "CONST_0000" 0;
        CONST_0001_FLOAT "CONST_0001_FLOAT" 1;
        CONST_1111_FLOAT "CONST_1111_FLOAT" 2;
        PRIM_ID "PRIM_ID" 3;
    }
    /// VERTEX_ELEMENT_STATE, "Component 3 Control" and others.
    component_control for [
        "VERTEX_ELEMENT_STATE" "Component 3 Control",
        "VERTEX_ELEMENT_STATE" "Component 2 Control",
        "VERTEX_ELEMENT_STATE" "Component 1 Control",
        "VERTEX_ELEMENT_STATE" "Component 0 Control",
    ] {
        NOSTORE "NOSTORE" 0;
        STORE_SRC "STORE_SRC" 1;
        STORE_0 "STORE_0" 2;
        STORE_1_FP "STORE_1_FP" 3;
        STORE_1_INT "STORE_1_INT" 4;
        STORE_PID "STORE_PID" 7;
    }
}
