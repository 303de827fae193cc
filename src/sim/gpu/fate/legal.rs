//! Legal values of fields whose bits can encode reserved ones.
//!
//! In:  a command's or structure's words. Out: in strict mode, an error at the first reserved
//!      value.
//! Ref: SKL PRM vol. 2a and 2d, each field's enumeration.

use crate::rules::FIELD_VALUE;
use eu::StopReason;
use hw::{Field, Packet, draw, draw_state, media, mi, state};
use std::collections::HashMap;
use std::sync::OnceLock;

/// Fields of one packet, and their legal values.
pub(super) struct LegalValues {
    pub packet: &'static Packet,
    pub fields: &'static [Field],
    pub values: &'static [u64],
}

macro_rules! legal {
    ($($table:ident::$packet:ident [$($field:ident)+] $values:expr;)*) => {
        &[$(LegalValues {
            packet: &$table::$packet::PACKET,
            fields: &[$($table::$packet::$field),+],
            values: $values,
        }),*]
    };
}

/// 0 is not a blend factor, but occurs in states with blending disabled.
const FACTORS: &[u64] = &[
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 17, 18, 19, 20, 21, 23, 24, 25, 26,
];
const FUNCTIONS: &[u64] = &[0, 1, 2, 3, 4];
const FILTERS: &[u64] = &[0, 1, 2, 6];
const CONTROLS: &[u64] = &[0, 1, 2, 3, 4, 7];
const CHANNELS: &[u64] = &[0, 1, 4, 5, 6, 7];
const SAMPLE_COUNTS: &[u64] = &[0, 1, 2, 3, 4];

/// Fields with reserved values, except those that have rules of their own: "clip-mode",
/// "fill-mode", "multisamples", "walker-simd", "slm-size".
pub(super) static LEGAL: &[LegalValues] = legal! {
    draw_state::blend_state_entry [SOURCE_BLEND_FACTOR DESTINATION_BLEND_FACTOR SOURCE_ALPHA_BLEND_FACTOR
        DESTINATION_ALPHA_BLEND_FACTOR] FACTORS;
    draw_state::blend_state_entry [COLOR_BLEND_FUNCTION ALPHA_BLEND_FUNCTION] FUNCTIONS;
    draw_state::blend_state_entry [COLOR_CLAMP_RANGE] &[0, 1, 2];
    draw_state::vertex_element_state [COMPONENT_0_CONTROL COMPONENT_1_CONTROL COMPONENT_2_CONTROL
        COMPONENT_3_CONTROL] CONTROLS;
    draw::state_depth_buffer [SURFACE_FORMAT] &[0, 1, 3, 5];
    draw::state_depth_buffer [SURFACE_TYPE] &[0, 1, 2, 3, 7];
    draw::state_ds [DISPATCH_MODE] &[0, 1, 2];
    draw::state_hs [DISPATCH_MODE] &[0, 1, 2];
    draw::state_index_buffer [INDEX_FORMAT] &[0, 1, 2];
    draw::state_ps [POSITION_XY_OFFSET_SELECT] &[0, 2, 3];
    draw::state_ps [RENDER_TARGET_RESOLVE_TYPE] &[0, 1, 3];
    draw::state_ps_blend [SOURCE_BLEND_FACTOR DESTINATION_BLEND_FACTOR SOURCE_ALPHA_BLEND_FACTOR
        DESTINATION_ALPHA_BLEND_FACTOR] FACTORS;
    draw::state_raster [API_MODE] &[0, 1, 2];
    draw::state_raster [FORCED_SAMPLE_COUNT] &[0, 1, 2, 3, 4, 5];
    draw::state_streamout [FORCE_RENDERING] &[0, 2, 3];
    draw::state_te [TE_DOMAIN PARTITIONING] &[0, 1, 2];
    draw::state_wm [POSITION_ZW_INTERPOLATION_MODE] &[0, 2, 3];
    draw::state_wm [EARLY_DEPTH_STENCIL_CONTROL] &[0, 1, 2];
    draw::state_wm_hz_op [NUMBER_OF_MULTISAMPLES] SAMPLE_COUNTS;
    media::pipeline_select [PIPELINE_SELECTION] &[0, 1, 2];
    mi::mi_predicate [LOAD_OPERATION] &[0, 2, 3];
    mi::mi_semaphore_wait [COMPARE_OPERATION] &[0, 1, 2, 3, 4, 5];
    state::render_surface_state [SURFACE_TYPE] &[0, 1, 2, 3, 4, 5, 7];
    state::render_surface_state [NUMBER_OF_MULTISAMPLES] SAMPLE_COUNTS;
    state::render_surface_state [AUXILIARY_SURFACE_MODE] &[0, 1, 2, 3, 5];
    state::render_surface_state [SHADER_CHANNEL_SELECT_RED SHADER_CHANNEL_SELECT_GREEN SHADER_CHANNEL_SELECT_BLUE
        SHADER_CHANNEL_SELECT_ALPHA] CHANNELS;
    state::sampler_state [MIN_MODE_FILTER MAG_MODE_FILTER] FILTERS;
    state::sampler_state [MIP_MODE_FILTER] &[0, 1, 3];
    state::sampler_state [LOD_PRECLAMP_MODE] &[0, 2];
    state::sampler_state [TCX_ADDRESS_CONTROL_MODE TCY_ADDRESS_CONTROL_MODE TCZ_ADDRESS_CONTROL_MODE]
        &[0, 1, 2, 3, 4, 5, 6];
};

/// Structures with such fields that commands embed, from their second dword on.
static EMBEDDED: &[(&Packet, &Packet)] = &[(
    &draw::state_vertex_elements::PACKET,
    &draw_state::vertex_element_state::PACKET,
)];

/// A field and its legal values.
type Values = (Field, &'static [u64]);

fn checks(packet: &Packet) -> &'static [Values] {
    static CHECKS: OnceLock<HashMap<usize, Vec<Values>>> = OnceLock::new();
    let place = |packet: &Packet| std::ptr::from_ref(packet).addr();
    let checks = CHECKS.get_or_init(|| {
        let mut checks: HashMap<usize, Vec<Values>> = HashMap::new();
        for legal in LEGAL {
            let own = checks.entry(place(legal.packet)).or_default();
            let rows = legal.fields.iter().map(|field| (*field, legal.values));
            own.extend(rows);
        }
        checks
    });
    checks.get(&place(packet)).map_or(&[], Vec::as_slice)
}

/// Returns an error at a reserved value in a packet or in the structures embedded in it.
pub(super) fn check(packet: &Packet, words: &[u32], at: u64) -> Result<(), StopReason> {
    for (field, values) in checks(packet) {
        let value = field.get(words);
        FIELD_VALUE.check(values.contains(&value), at, || {
            format!("{}, {}: {value:#x} is reserved", packet.name, field.name)
        })?;
    }
    for (_, structure) in EMBEDDED.iter().filter(|held| std::ptr::eq(held.0, packet)) {
        let length = usize::from(structure.dwords).max(1);
        for part in words.get(1..).unwrap_or_default().chunks_exact(length) {
            check(structure, part, at)?;
        }
    }
    Ok(())
}
