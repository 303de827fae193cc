//! The SF back end: maps dwords of a vertex to attributes of the pixel shader.
//!
//! In:  3DSTATE_SBE, 3DSTATE_SBE_SWIZ, vertices. Out: attributes by vertex, as bits.
//! Ref: SKL PRM vol. 2a, "3DSTATE_SBE", "3DSTATE_SBE_SWIZ"; vol. 2d, "SF_OUTPUT_ATTRIBUTE_DETAIL".

use crate::draw::clip::last_geometry_stage_field;
use crate::draw::exec::Draw;
use crate::draw::object::{Vue, dword};
use eu::StopReason;
use hw::draw::{self as packet, state_sbe as sbe, state_sbe_swiz as swiz};
use hw::draw_state::sf_output_attribute_detail as detail;
use hw::value::draw::constant_source;

/// Maximum number of attributes.
const ATTRIBUTES: usize = 32;

/// The source of an attribute's component.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Source {
    #[default]
    Vertex,
    Constant(u32),
    PrimitiveId,
}

/// One attribute of the pixel shader.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Attribute {
    /// First dword in the vertex, for front-facing objects.
    pub at: usize,
    /// First dword in the vertex, for back-facing objects.
    pub back: usize,
    pub components: [Source; 4],
    /// Constant interpolation: the provoking vertex's value.
    pub flat: bool,
    pub sprite: bool,
    /// X is read from W.
    pub w_for_x: bool,
}

/// Attribute Active Component Format: 0 for none, 1 to 3 for two to four components.
fn component_format(words: &[u32], attribute: usize) -> usize {
    let first = usize::from(sbe::ATTRIBUTE_ACTIVE_COMPONENT_FORMAT.lo) / 32;
    (dword(words, first + attribute / 16) >> (attribute % 16 * 2) & 3) as usize
}

/// Decodes the attributes of a draw.
pub(crate) fn read(draw: &Draw<'_>) -> Result<Vec<Attribute>, StopReason> {
    let get = |field| draw.state.get(&sbe::PACKET, field);
    let offset = match get(sbe::FORCE_VERTEX_URB_ENTRY_READ_OFFSET) {
        0 => last_geometry_stage_field(
            draw,
            [
                packet::state_gs::VERTEX_URB_ENTRY_OUTPUT_READ_OFFSET,
                packet::state_ds::VERTEX_URB_ENTRY_OUTPUT_READ_OFFSET,
                packet::state_vs::VERTEX_URB_ENTRY_OUTPUT_READ_OFFSET,
            ],
        ),
        _ => get(sbe::VERTEX_URB_ENTRY_READ_OFFSET),
    };
    let first = offset as usize * 8;
    let swizzled = get(sbe::ATTRIBUTE_SWIZZLE_ENABLE) != 0;
    let details: [u32; 16] = {
        let words = draw.state.words(&swiz::PACKET);
        std::array::from_fn(|i| dword(words, 1 + i / 2) >> (16 * (i % 2)) & 0xffff)
    };
    let swizzled_from = 16 * detail::SWIZZLE_CONTROL_MODE.get(&details[..1]) as usize;
    let count = (get(sbe::NUMBER_OF_SF_OUTPUT_ATTRIBUTES) as usize).min(ATTRIBUTES);
    let mut attributes = Vec::with_capacity(count);
    for i in 0..count {
        let at = first + i * 4;
        let mut attribute = Attribute {
            at,
            back: at,
            components: [Source::Vertex; 4],
            flat: get(sbe::CONSTANT_INTERPOLATION_ENABLE) >> i & 1 != 0,
            w_for_x: false,
            sprite: get(sbe::POINT_SPRITE_TEXTURE_COORDINATE_ENABLE) >> i & 1 != 0,
        };
        // Inactive components are not computed; they read as zero.
        let active = match component_format(draw.state.words(&sbe::PACKET), i) {
            0 => 0,
            format => format + 1,
        };
        for to in attribute.components.iter_mut().skip(active) {
            *to = Source::Constant(0);
        }
        let word = i.checked_sub(swizzled_from).and_then(|i| details.get(i));
        if let Some(word) = word.filter(|_| swizzled) {
            swizzle(&mut attribute, &[*word], first);
        }
        if get(sbe::PRIMITIVE_ID_OVERRIDE_ATTRIBUTE_SELECT) as usize == i {
            let overridden = [
                sbe::PRIMITIVE_ID_OVERRIDE_COMPONENT_X,
                sbe::PRIMITIVE_ID_OVERRIDE_COMPONENT_Y,
                sbe::PRIMITIVE_ID_OVERRIDE_COMPONENT_Z,
                sbe::PRIMITIVE_ID_OVERRIDE_COMPONENT_W,
            ];
            for (to, field) in attribute.components.iter_mut().zip(overridden) {
                if get(field) != 0 {
                    *to = Source::PrimitiveId;
                }
            }
        }
        attributes.push(attribute);
    }
    Ok(attributes)
}

/// Applies one SF_OUTPUT_ATTRIBUTE_DETAIL.
fn swizzle(attribute: &mut Attribute, words: &[u32], first: usize) {
    attribute.at = first + detail::SOURCE_ATTRIBUTE.get(words) as usize * 4;
    // 0 and 1: unchanged, and by facing; 2 and 3: the same with X read from W.
    let select = detail::SWIZZLE_SELECT.get(words);
    attribute.back = attribute.at + 4 * (select & 1) as usize;
    attribute.w_for_x = select & 2 != 0;
    const ONE: u32 = 1f32.to_bits();
    let constants = match detail::CONSTANT_SOURCE.get(words) {
        constant_source::CONST_0000 => [Source::Constant(0); 4],
        constant_source::CONST_0001_FLOAT => [0, 0, 0, ONE].map(Source::Constant),
        constant_source::CONST_1111_FLOAT => [Source::Constant(ONE); 4],
        _ => [Source::PrimitiveId; 4],
    };
    let overridden = [
        detail::COMPONENT_OVERRIDE_X,
        detail::COMPONENT_OVERRIDE_Y,
        detail::COMPONENT_OVERRIDE_Z,
        detail::COMPONENT_OVERRIDE_W,
    ];
    let components = attribute.components.iter_mut().zip(overridden);
    for ((to, field), constant) in components.zip(constants) {
        if field.get(words) != 0 {
            *to = constant;
        }
    }
}

/// The attributes of an object's three vertices. `sprite` is set for points: whether point sprite
/// coordinates start at the lower left.
pub(crate) fn attributes(
    state: &[Attribute],
    vues: [&Vue; 3],
    provoking: &Vue,
    front: bool,
    primitive_id: u32,
    sprite: Option<bool>,
) -> Vec<[[u32; 4]; 3]> {
    let one = |attribute: &Attribute| {
        if let Some(lower) = sprite.filter(|_| attribute.sprite) {
            let [top, bottom] = if lower { [1f32, 0.0] } else { [0.0, 1.0] };
            let corner = |s: f32, t: f32| [s, t, 0.0, 1.0].map(f32::to_bits);
            return [corner(0.0, top), corner(1.0, top), corner(0.0, bottom)];
        }
        let at = if front { attribute.at } else { attribute.back };
        vues.map(|vue| {
            let vue = if attribute.flat { provoking } else { vue };
            std::array::from_fn(|i| match attribute.components[i] {
                Source::Vertex if i == 0 && attribute.w_for_x => dword(vue, at + 3),
                Source::Vertex => dword(vue, at + i),
                Source::Constant(bits) => bits,
                Source::PrimitiveId => primitive_id,
            })
        })
    };
    state.iter().map(one).collect()
}
