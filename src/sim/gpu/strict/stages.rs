//! Checks the interfaces of the stages: payloads, vertex counts of objects, stream output lists,
//! layers.
//!
//! In:  3DSTATE_* as latched when a 3DPRIMITIVE executes. Out: the first broken rule.
//! Ref: SKL PRM vol. 2a, the commands; vol. 7, the payloads of vertex, hull, domain and geometry
//!      shaders.

use crate::draw_state::DrawState;
use crate::rules::{DRAW_STATE, GS_VERTICES, RESERVED_BITS, SO_DECLS, STAGE_PAYLOAD, VIEW_EXTENT};
use eu::StopReason;
use hw::draw_state::state_constant_body as body;
use hw::value::draw::primitive_topology as p;
use hw::value::state::surface_type::{SURFTYPE_1D, SURFTYPE_2D};
use hw::{Field, Packet, draw};

/// Types of surfaces without depth.
const SURFTYPE_1D_2D: [u64; 2] = [SURFTYPE_1D, SURFTYPE_2D];
/// Reserved bits of SF_OUTPUT_ATTRIBUTE_DETAIL.
const DETAIL_RESERVED: u32 = 1 << 5 | 1 << 8;
/// Reserved bits of SO_DECL.
const DECL_RESERVED: u32 = 1 << 10 | 1 << 14 | 1 << 15;
/// Number of attributes that 3DSTATE_SBE_SWIZ describes.
const MAX_SWIZZLED_ATTRIBUTES: usize = 16;
/// Number of handles in a register.
const HANDLES_PER_REGISTER: u64 = 8;

/// Checks the state that a draw uses.
pub(super) fn check(state: &DrawState, at: u64) -> Result<(), StopReason> {
    check_payloads(state, at)?;
    check_geometry_shader(state, at)?;
    check_stream_output(state, at)?;
    check_attributes(state, at)?;
    use draw::{state_vf as vf, state_vf_component_packing as packing};
    let packs = state.flag(&vf::PACKET, vf::COMPONENT_PACKING_ENABLE);
    DRAW_STATE.check(
        !packs || !state.words(&packing::PACKET).is_empty(),
        at,
        || format!("{} never came", packing::PACKET.name),
    )?;
    use draw::state_depth_buffer as depth;
    let get = |field| state.get(&depth::PACKET, field);
    let (layers, extent) = (get(depth::DEPTH), get(depth::RENDER_TARGET_VIEW_EXTENT));
    let flat = SURFTYPE_1D_2D.contains(&get(depth::SURFACE_TYPE));
    VIEW_EXTENT.check(!flat || layers == extent, at, || {
        format!(
            "the depth buffer has {} layers, its view {}",
            layers + 1,
            extent + 1
        )
    })
}

/// Registers of a stage's push constants, from its 3DSTATE_CONSTANT_*.
fn push_constant_registers(state: &DrawState, packet: &Packet) -> u64 {
    let words = state.words(packet).get(1..).unwrap_or_default();
    let lengths = [
        body::READ_LENGTH,
        body::READ_LENGTH_1,
        body::READ_LENGTH_2,
        body::READ_LENGTH_3,
    ];
    lengths.iter().map(|length| length.get(words)).sum()
}

fn check_payloads(state: &DrawState, at: u64) -> Result<(), StopReason> {
    use draw::{state_ds as ds, state_gs as gs, state_hs as hs, state_vs as vs};
    let of = |packet: &Packet, field: Field| state.get(packet, field);
    let hs_handles = of(&hs::PACKET, hs::INCLUDE_VERTEX_HANDLES) * 4;
    let expected = of(&gs::PACKET, gs::EXPECTED_VERTEX_COUNT);
    let gs_handles = match of(&gs::PACKET, gs::INSTANCE_CONTROL) {
        0 => expected,
        // All channels work on one object: a register has the handles of eight of its vertices.
        _ => expected.div_ceil(HANDLES_PER_REGISTER),
    } * of(&gs::PACKET, gs::INCLUDE_VERTEX_HANDLES);
    let stages = [
        (
            "VS",
            of(&vs::PACKET, vs::ENABLE),
            of(&vs::PACKET, vs::DISPATCH_GRF_START_REGISTER_FOR_URB_DATA),
            2,
            push_constant_registers(state, &draw::state_constant_vs::PACKET)
                + of(&vs::PACKET, vs::VERTEX_URB_ENTRY_READ_LENGTH),
        ),
        (
            "HS",
            of(&hs::PACKET, hs::ENABLE),
            of(&hs::PACKET, hs::DISPATCH_GRF_START_REGISTER_FOR_URB_DATA)
                | of(&hs::PACKET, hs::DISPATCH_GRF_START_REGISTER_FOR_URB_DATA_5) << 5,
            1 + hs_handles,
            push_constant_registers(state, &draw::state_constant_hs::PACKET),
        ),
        (
            "DS",
            of(&ds::PACKET, ds::ENABLE),
            of(&ds::PACKET, ds::DISPATCH_GRF_START_REGISTER_FOR_URB_DATA),
            5,
            push_constant_registers(state, &draw::state_constant_ds::PACKET)
                + of(&ds::PACKET, ds::PATCH_URB_ENTRY_READ_LENGTH),
        ),
        (
            "GS",
            of(&gs::PACKET, gs::ENABLE),
            of(&gs::PACKET, gs::DISPATCH_GRF_START_REGISTER_FOR_URB_DATA)
                | of(
                    &gs::PACKET,
                    gs::DISPATCH_GRF_START_REGISTER_FOR_URB_DATA_5_4,
                ) << 4,
            2 + of(&gs::PACKET, gs::INCLUDE_PRIMITIVE_ID) + gs_handles,
            push_constant_registers(state, &draw::state_constant_gs::PACKET)
                + of(&gs::PACKET, gs::VERTEX_URB_ENTRY_READ_LENGTH),
        ),
    ];
    for (name, enabled, start, rest, data) in stages {
        let holds = enabled == 0 || data == 0 || start >= rest;
        STAGE_PAYLOAD.check(holds, at, || {
            format!("{name}: data from r{start} on, after {rest} registers")
        })?;
    }
    Ok(())
}

/// Number of vertices of an object that reaches the geometry shader; `None` for an unknown
/// topology.
fn object_vertices(state: &DrawState) -> Option<u64> {
    use draw::{state_gs as gs, state_te as te, state_vf_topology as topology};
    if state.flag(&te::PACKET, te::TE_ENABLE) {
        return Some((state.get(&te::PACKET, te::OUTPUT_TOPOLOGY) + 1).min(3));
    }
    let discards = state.flag(&gs::PACKET, gs::DISCARD_ADJACENCY);
    let topology = state.get(&topology::PACKET, topology::PRIMITIVE_TOPOLOGY_TYPE);
    Some(match (topology, discards) {
        (p::POINTLIST | p::POINTLIST_BF, _) => 1,
        (p::LINELIST | p::LINESTRIP | p::LINELOOP, _) => 2,
        (p::LINESTRIP_CONT | p::LINESTRIP_BF | p::LINESTRIP_CONT_BF, _) => 2,
        (p::LINELIST_ADJ | p::LINESTRIP_ADJ, true) => 2,
        (p::LINELIST_ADJ | p::LINESTRIP_ADJ, false) => 4,
        (p::TRILIST | p::TRISTRIP | p::TRISTRIP_REVERSE, _) => 3,
        (p::TRIFAN | p::TRIFAN_NOSTIPPLE | p::POLYGON, _) => 3,
        (p::TRILIST_ADJ | p::TRISTRIP_ADJ, true) => 3,
        (p::TRILIST_ADJ | p::TRISTRIP_ADJ, false) => 6,
        (p::PATCHLIST_1..=p::PATCHLIST_32, _) => topology - p::PATCHLIST_1 + 1,
        _ => return None,
    })
}

fn check_geometry_shader(state: &DrawState, at: u64) -> Result<(), StopReason> {
    use draw::state_gs as gs;
    if !state.flag(&gs::PACKET, gs::ENABLE) {
        return Ok(());
    }
    let expected = state.get(&gs::PACKET, gs::EXPECTED_VERTEX_COUNT);
    let there = object_vertices(state);
    GS_VERTICES.check(there.is_none_or(|there| there == expected), at, || {
        format!("{expected} are expected, {there:?} come")
    })
}

fn check_stream_output(state: &DrawState, at: u64) -> Result<(), StopReason> {
    use draw::{state_so_decl_list as list, state_streamout as so};
    if !state.flag(&so::PACKET, so::SO_FUNCTION_ENABLE) {
        return Ok(());
    }
    let words = state.words(&list::PACKET);
    let entries = words.get(3..).unwrap_or_default();
    let counts = [
        (list::NUM_ENTRIES_0, list::STREAM_TO_BUFFER_SELECTS_0),
        (list::NUM_ENTRIES_1, list::STREAM_TO_BUFFER_SELECTS_1),
        (list::NUM_ENTRIES_2, list::STREAM_TO_BUFFER_SELECTS_2),
        (list::NUM_ENTRIES_3, list::STREAM_TO_BUFFER_SELECTS_3),
    ];
    for (stream, (count, selects)) in counts.into_iter().enumerate() {
        let (count, selects) = (count.get(words) as usize, selects.get(words));
        SO_DECLS.check(count * 2 <= entries.len(), at, || {
            format!(
                "stream {stream} has {count} of {} declarations",
                entries.len() / 2
            )
        })?;
        for (number, pair) in entries.chunks_exact(2).take(count).enumerate() {
            let word = pair.get(stream / 2).copied().unwrap_or(0);
            let decl = word >> (16 * (stream % 2)) & 0xffff;
            RESERVED_BITS.check(decl & DECL_RESERVED == 0, at, || {
                format!("declaration {number} of stream {stream}: {decl:#x}")
            })?;
            // Output Buffer Slot.
            let slot = decl >> 12 & 3;
            SO_DECLS.check(selects >> slot & 1 == 1, at, || {
                format!("stream {stream} goes to buffer {slot}, which it does not select")
            })?;
        }
    }
    Ok(())
}

/// Checks the reserved bits of setup's attributes.
fn check_attributes(state: &DrawState, at: u64) -> Result<(), StopReason> {
    use draw::{state_sbe as sbe, state_sbe_swiz as swiz};
    if !state.flag(&sbe::PACKET, sbe::ATTRIBUTE_SWIZZLE_ENABLE) {
        return Ok(());
    }
    let count = state.get(&sbe::PACKET, sbe::NUMBER_OF_SF_OUTPUT_ATTRIBUTES) as usize;
    let words = state.words(&swiz::PACKET);
    for attribute in 0..count.min(MAX_SWIZZLED_ATTRIBUTES) {
        let pair = words.get(1 + attribute / 2).copied().unwrap_or(0);
        let detail = pair >> (16 * (attribute % 2)) & 0xffff;
        RESERVED_BITS.check(detail & DETAIL_RESERVED == 0, at, || {
            format!("attribute {attribute}: {detail:#x}")
        })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
