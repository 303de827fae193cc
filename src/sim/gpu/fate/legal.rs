//! Legal values of fields whose bits can encode reserved ones.
//!
//! In:  a command's or structure's words. Out: in strict mode, an error at the first reserved
//!      value.
//! Ref: SKL PRM vol. 2a and 2d, each field's enumeration.

use crate::rules::FIELD_VALUE;
use eu::StopReason;
use hw::value::state::surface_type;
use hw::{Field, Packet, draw, draw_state, media, mi, state, value};
use std::collections::HashMap;
use std::sync::OnceLock;

/// Fields of one packet whose enumerated values are the legal ones.
pub(super) struct LegalValues {
    pub packet: &'static Packet,
    pub fields: &'static [Field],
    /// More legal values.
    also: &'static [u64],
}

impl LegalValues {
    /// The legal values of one of the fields.
    pub fn values(&self, field: &Field) -> Vec<u64> {
        let enumeration = value::enumeration(self.packet, field.name);
        let rows = enumeration.map_or(&[][..], |enumeration| enumeration.values);
        let legal = rows.iter().filter(|(name, ..)| *name != "RESERVED");
        let legal = legal.map(|(_, _, value)| *value);
        legal.chain(self.also.iter().copied()).collect()
    }
}

macro_rules! legal {
    ($($table:ident::$packet:ident [$($field:ident)+] $(also $($also:expr),+)?;)*) => {
        &[$(LegalValues {
            packet: &$table::$packet::PACKET,
            fields: &[$($table::$packet::$field),+],
            also: &[$($($also),+)?],
        }),*]
    };
}

/// Fields with reserved values, except those that have rules of their own: "clip-mode",
/// "fill-mode", "multisamples", "walker-simd", "slm-size".
#[rustfmt::skip]
pub(super) static LEGAL: &[LegalValues] = legal! {
    // Blending that is disabled needs no factors.
    draw_state::blend_state_entry [SOURCE_BLEND_FACTOR DESTINATION_BLEND_FACTOR SOURCE_ALPHA_BLEND_FACTOR
        DESTINATION_ALPHA_BLEND_FACTOR] also 0;
    draw_state::blend_state_entry [COLOR_BLEND_FUNCTION ALPHA_BLEND_FUNCTION];
    draw_state::blend_state_entry [COLOR_CLAMP_RANGE];
    draw_state::vertex_element_state [COMPONENT_0_CONTROL COMPONENT_1_CONTROL COMPONENT_2_CONTROL
        COMPONENT_3_CONTROL];
    draw::state_depth_buffer [SURFACE_FORMAT] also 0;
    draw::state_depth_buffer [SURFACE_TYPE] also surface_type::SURFTYPE_1D, surface_type::SURFTYPE_3D;
    draw::state_ds [DISPATCH_MODE];
    draw::state_hs [DISPATCH_MODE];
    draw::state_index_buffer [INDEX_FORMAT];
    draw::state_ps [POSITION_XY_OFFSET_SELECT];
    draw::state_ps [RENDER_TARGET_RESOLVE_TYPE];
    draw::state_ps_blend [SOURCE_BLEND_FACTOR DESTINATION_BLEND_FACTOR SOURCE_ALPHA_BLEND_FACTOR
        DESTINATION_ALPHA_BLEND_FACTOR] also 0;
    draw::state_raster [API_MODE];
    draw::state_raster [FORCED_SAMPLE_COUNT];
    draw::state_streamout [FORCE_RENDERING] also 0;
    draw::state_te [TE_DOMAIN PARTITIONING];
    draw::state_wm [POSITION_ZW_INTERPOLATION_MODE];
    draw::state_wm [EARLY_DEPTH_STENCIL_CONTROL];
    draw::state_wm_hz_op [NUMBER_OF_MULTISAMPLES] also 0, 1, 2, 3, 4;
    media::pipeline_select [PIPELINE_SELECTION];
    mi::mi_predicate [LOAD_OPERATION];
    mi::mi_semaphore_wait [COMPARE_OPERATION];
    state::render_surface_state [SURFACE_TYPE];
    state::render_surface_state [NUMBER_OF_MULTISAMPLES];
    state::render_surface_state [AUXILIARY_SURFACE_MODE];
    state::render_surface_state [SHADER_CHANNEL_SELECT_RED SHADER_CHANNEL_SELECT_GREEN SHADER_CHANNEL_SELECT_BLUE
        SHADER_CHANNEL_SELECT_ALPHA];
    state::sampler_state [MIN_MODE_FILTER MAG_MODE_FILTER];
    state::sampler_state [MIP_MODE_FILTER];
    state::sampler_state [LOD_PRECLAMP_MODE];
    state::sampler_state [TCX_ADDRESS_CONTROL_MODE TCY_ADDRESS_CONTROL_MODE TCZ_ADDRESS_CONTROL_MODE];
};

/// Structures with such fields that commands embed, from their second dword on.
static EMBEDDED: &[(&Packet, &Packet)] = &[(
    &draw::state_vertex_elements::PACKET,
    &draw_state::vertex_element_state::PACKET,
)];

/// A field and its legal values.
type Values = (Field, Vec<u64>);

fn checks(packet: &Packet) -> &'static [Values] {
    static CHECKS: OnceLock<HashMap<usize, Vec<Values>>> = OnceLock::new();
    let place = |packet: &Packet| std::ptr::from_ref(packet).addr();
    let checks = CHECKS.get_or_init(|| {
        let mut checks: HashMap<usize, Vec<Values>> = HashMap::new();
        for legal in LEGAL {
            let own = checks.entry(place(legal.packet)).or_default();
            let rows = legal.fields.iter();
            let rows = rows.map(|field| (*field, legal.values(field)));
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
