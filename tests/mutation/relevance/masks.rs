//! The bits that count of a field whose command and conditions apply.
//!
//! In:  the state of a draw or dispatch, and a field. Out: a mask; all ones for a field that counts
//!      whole.
//! Ref: SKL PRM vol. 2a and 2d, each field's description.

use super::stages::{fetched, fetches};
use super::state::State;
use crate::look::Place;
use crate::textures::{sampler_field_counts, surface_field_counts};
use draw_state as ds;
use hw::{Packet, draw, draw_state, media, mi, state as hw_state};

/// Bits of the field that count.
pub fn bits(state: &State<'_, '_>) -> u64 {
    setup(state)
        .or_else(|| vertices(state))
        .or_else(|| memory(state))
        .unwrap_or(u64::MAX)
}

fn is(state: &State<'_, '_>, packet: &Packet) -> bool {
    std::ptr::eq(state.place.packet, packet)
}

/// A mask of the lowest bits.
fn below(count: u64) -> u64 {
    1u64.checked_shl(count as u32)
        .map_or(u64::MAX, |bit| bit - 1)
}

fn attributes(state: &State<'_, '_>) -> u64 {
    get!(state.work, state_sbe::NUMBER_OF_SF_OUTPUT_ATTRIBUTES)
}

/// The index of the field among the packet's fields of the same name.
fn number(state: &State<'_, '_>) -> u64 {
    let field = state.field;
    let fields = state.place.packet.fields.iter();
    fields
        .filter(|other| other.name == field.name && other.lo < field.lo)
        .count() as u64
}

/// Attribute setup and sample positions: fields of one bit or one entry per attribute or sample.
fn setup(state: &State<'_, '_>) -> Option<u64> {
    let bits = match () {
        _ if is(state, &draw::state_sbe::PACKET)
            && state.field.name == "Attribute Active Component Format" =>
        {
            if number(state) < attributes(state) {
                u64::MAX
            } else {
                0
            }
        }
        _ if is(state, &draw::state_sbe::PACKET)
            && *state.field == draw::state_sbe::CONSTANT_INTERPOLATION_ENABLE =>
        {
            // Kernels take what is flat from the place where the first vertex's value is in any
            // case.
            let selects = [
                get!(
                    state.work,
                    state_sf::TRIANGLE_STRIP_LIST_PROVOKING_VERTEX_SELECT
                ),
                get!(
                    state.work,
                    state_sf::LINE_STRIP_LIST_PROVOKING_VERTEX_SELECT
                ),
            ];
            // TRIFAN and POLYGON have a select of their own.
            let first = selects == [0; 2] && ![0x06, 0x0e].contains(&state.topology());
            below(attributes(state))
                & if first {
                    !state.own(*state.field)
                } else {
                    u64::MAX
                }
        }
        _ if is(state, &draw::state_sbe::PACKET)
            && *state.field == draw::state_sbe::POINT_SPRITE_TEXTURE_COORDINATE_ENABLE =>
        {
            if state.objects().points {
                below(attributes(state))
            } else {
                0
            }
        }
        _ if is(state, &draw::state_sbe_swiz::PACKET) => {
            use ds::sf_output_attribute_detail as detail;
            let used = flag!(state.work, state_sbe::ATTRIBUTE_SWIZZLE_ENABLE)
                && number(state) < attributes(state);
            let value = [state.field.get(&state.place.words) as u32];
            let overridden = [
                detail::COMPONENT_OVERRIDE_X,
                detail::COMPONENT_OVERRIDE_Y,
                detail::COMPONENT_OVERRIDE_Z,
                detail::COMPONENT_OVERRIDE_W,
            ];
            let constant = overridden
                .iter()
                .any(|component| component.get(&value) == 1);
            let mut unused = [0];
            if !constant {
                detail::CONSTANT_SOURCE.set(&mut unused, 3);
            }
            // The mode is the first attribute's.
            if number(state) != 0 {
                detail::SWIZZLE_CONTROL_MODE.set(&mut unused, 1);
            }
            if used { u64::from(!unused[0]) } else { 0 }
        }
        _ if is(state, &draw::state_sample_pattern::PACKET) => {
            let samples = 1u64 << get!(state.work, state_multisample::NUMBER_OF_MULTISAMPLES);
            if state.field.name.starts_with(&format!("{samples}x ")) {
                u64::MAX
            } else {
                0
            }
        }
        _ if is(state, &draw::state_sample_mask::PACKET) => {
            below(1 << get!(state.work, state_multisample::NUMBER_OF_MULTISAMPLES))
        }
        _ => return None,
    };
    Some(bits)
}

/// Constants, vertex buffers, vertex elements and stream output.
fn vertices(state: &State<'_, '_>) -> Option<u64> {
    let bits = match () {
        _ if is(state, &ds::state_constant_body::PACKET) && state.field.name == "Buffer" => {
            let length = state
                .place
                .packet
                .fields
                .iter()
                .filter(|other| other.name == "Read Length")
                .nth(number(state) as usize);
            if length.is_some_and(|length| length.get(&state.place.words) != 0) {
                u64::MAX
            } else {
                0
            }
        }
        _ if is(state, &ds::vertex_buffer_state::PACKET) => {
            let index = ds::vertex_buffer_state::VERTEX_BUFFER_INDEX.get(&state.place.words);
            let reads = |element: &Place| {
                ds::vertex_element_state::VERTEX_BUFFER_INDEX.get(&element.words) == index
            };
            if fetched(state.work).any(reads) {
                u64::MAX
            } else {
                0
            }
        }
        _ if is(state, &ds::vertex_element_state::PACKET)
            && *state.field != ds::vertex_element_state::VALID =>
        {
            if state.own(ds::vertex_element_state::VALID) == 1 {
                u64::MAX
            } else {
                0
            }
        }
        _ if is(state, &draw::state_vf_instancing::PACKET) => {
            let index = draw::state_vf_instancing::VERTEX_ELEMENT_INDEX.get(&state.place.words);
            let element = state
                .work
                .all(&ds::vertex_element_state::PACKET)
                .nth(index as usize);
            if element.is_some_and(fetches) {
                u64::MAX
            } else {
                0
            }
        }
        _ if is(state, &ds::so_decl_entry::PACKET) => {
            let streams = [
                "Stream 0 Decl",
                "Stream 1 Decl",
                "Stream 2 Decl",
                "Stream 3 Decl",
            ];
            let of = streams.iter().position(|name| *name == state.field.name);
            if of.is_none_or(|number| state.stream(number)) {
                u64::MAX
            } else {
                0
            }
        }
        _ if is(state, &draw::state_so_decl_list::PACKET)
            && state.field.name.starts_with("Num Entries") =>
        {
            u64::MAX
        }
        _ => return None,
    };
    Some(bits)
}

/// Surfaces, samplers, MI commands and compute dispatches.
fn memory(state: &State<'_, '_>) -> Option<u64> {
    let bits = match () {
        _ if is(state, &hw_state::render_surface_state::PACKET)
            && !surface_field_counts(state.place, state.field) =>
        {
            0
        }
        // AUX_CCS_D disables the compression of render targets, and is AUX_CCS_E to the sampler.
        _ if is(state, &hw_state::render_surface_state::PACKET)
            && *state.field == hw_state::render_surface_state::AUXILIARY_SURFACE_MODE
            && state.own(*state.field) == 5 =>
        {
            !(1 << 2)
        }
        _ if is(state, &hw_state::sampler_state::PACKET)
            && !(state.sends().samples() && sampler_field_counts(state.place, state.field)) =>
        {
            0
        }
        // The rest of the mask is for what is inert.
        _ if is(state, &media::pipeline_select::PACKET)
            && *state.field == media::pipeline_select::MASK_BITS =>
        {
            0b11
        }
        _ if is(state, &media::gpgpu_walker::PACKET)
            && [
                media::gpgpu_walker::RIGHT_EXECUTION_MASK,
                media::gpgpu_walker::BOTTOM_EXECUTION_MASK,
            ]
            .contains(state.field) =>
        {
            below(8 << state.own(media::gpgpu_walker::SIMD_SIZE))
        }
        _ if is(state, &mi::mi_load_register_imm::PACKET)
            && *state.field == mi::mi_load_register_imm::DATA_DWORD =>
        {
            let offset = mi::mi_load_register_imm::REGISTER_OFFSET.get(&state.place.words) as u32;
            gpu::fate::register::range_of(offset)
                .map_or(u64::MAX, |registers| registers.counts().into())
        }
        _ if is(state, &ds::sampler_border_color_state::PACKET) => {
            let border = |place: &Place| {
                sampler_field_counts(place, &hw_state::sampler_state::BORDER_COLOR_POINTER)
            };
            if state.work.all(&hw_state::sampler_state::PACKET).any(border) {
                u64::MAX
            } else {
                0
            }
        }
        _ => return None,
    };
    Some(bits)
}
