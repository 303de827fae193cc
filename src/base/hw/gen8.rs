//! Commands whose layout on gen8 differs from gen9. Incomplete: only 3DSTATE_SF, with which
//! [`crate::layout`] is tested.
//!
//! Ref: BDW PRM vol. 2a. Tests: `tests.rs` compares them with genxml.

use crate::declare::packets;

#[rustfmt::skip]
packets! {
    /// BDW PRM vol. 2a, "3DSTATE_SF".
    state_sf "3DSTATE_SF" [Gen8..Gen8] dwords 4 header 0x78130002 mask 0xffff0000 length 0xff bias 2 {
        VIEWPORT_TRANSFORM_ENABLE "Viewport Transform Enable" 33..33 Bool;
        STATISTICS_ENABLE "Statistics Enable" 42..42 Bool;
        LEGACY_GLOBAL_DEPTH_BIAS_ENABLE "Legacy Global Depth Bias Enable" 43..43 Bool;
        CHV_LINE_WIDTH "CHV Line Width" 44..61 Uint;
        LINE_END_CAP_ANTIALIASING_REGION_WIDTH "Line End Cap Antialiasing Region Width" 80..81 Uint;
        LINE_WIDTH "Line Width" 82..91 Uint;
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
}
