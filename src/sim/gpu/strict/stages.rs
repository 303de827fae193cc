//! What stages are told about each other's data: payloads, vertices of objects, lists of stream output, layers.
//!
//! In:  3DSTATE_* as latched when a 3DPRIMITIVE comes. Out: the first broken rule.
//! Ref: SKL PRM vol. 2a, the commands; vol. 7, the payloads of vertex, hull, domain and geometry shaders.

use crate::latched::DrawState;
use crate::rules::{DRAW_STATE, GS_VERTICES, RESERVED_BITS, SO_DECLS, STAGE_PAYLOAD, VIEW_EXTENT};
use eu::Stop;
use hw::draw_state::state_constant_body as body;
use hw::{Field, Packet, draw};

/// SURFTYPE_1D and SURFTYPE_2D.
const FLAT: [u64; 2] = [0, 1];
/// Bits of SF_OUTPUT_ATTRIBUTE_DETAIL that are no field.
const DETAIL_RESERVED: u32 = 1 << 5 | 1 << 8;
/// Bits of SO_DECL that are no field.
const DECL_RESERVED: u32 = 1 << 10 | 1 << 14 | 1 << 15;
/// Attributes that 3DSTATE_SBE_SWIZ tells about.
const SWIZZLED: usize = 16;
/// Handles of a register.
const LANES: u64 = 8;

/// Checks what a draw finds.
pub(super) fn check(state: &DrawState, at: u64) -> Result<(), Stop> {
    payloads(state, at)?;
    geometry(state, at)?;
    streams(state, at)?;
    attributes(state, at)?;
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
    let flat = FLAT.contains(&get(depth::SURFACE_TYPE));
    VIEW_EXTENT.check(!flat || layers == extent, at, || {
        format!(
            "the depth buffer has {} layers, its view {}",
            layers + 1,
            extent + 1
        )
    })
}

/// Registers of push constants, of which a stage's 3DSTATE_CONSTANT_* tells.
fn constants(state: &DrawState, packet: &Packet) -> u64 {
    let words = state.words(packet).get(1..).unwrap_or_default();
    let lengths = [
        body::READ_LENGTH,
        body::READ_LENGTH_1,
        body::READ_LENGTH_2,
        body::READ_LENGTH_3,
    ];
    lengths.iter().map(|length| length.get(words)).sum()
}

fn payloads(state: &DrawState, at: u64) -> Result<(), Stop> {
    use draw::{state_ds as ds, state_gs as gs, state_hs as hs, state_vs as vs};
    let of = |packet: &Packet, field: Field| state.get(packet, field);
    let hs_handles = of(&hs::PACKET, hs::INCLUDE_VERTEX_HANDLES) * 4;
    let expected = of(&gs::PACKET, gs::EXPECTED_VERTEX_COUNT);
    let gs_handles = match of(&gs::PACKET, gs::INSTANCE_CONTROL) {
        0 => expected,
        // All channels are of one object: a register has the handles of eight of its vertices.
        _ => expected.div_ceil(LANES),
    } * of(&gs::PACKET, gs::INCLUDE_VERTEX_HANDLES);
    let stages = [
        (
            "VS",
            of(&vs::PACKET, vs::ENABLE),
            of(&vs::PACKET, vs::DISPATCH_GRF_START_REGISTER_FOR_URB_DATA),
            2,
            constants(state, &draw::state_constant_vs::PACKET)
                + of(&vs::PACKET, vs::VERTEX_URB_ENTRY_READ_LENGTH),
        ),
        (
            "HS",
            of(&hs::PACKET, hs::ENABLE),
            of(&hs::PACKET, hs::DISPATCH_GRF_START_REGISTER_FOR_URB_DATA)
                | of(&hs::PACKET, hs::DISPATCH_GRF_START_REGISTER_FOR_URB_DATA_5) << 5,
            1 + hs_handles,
            constants(state, &draw::state_constant_hs::PACKET),
        ),
        (
            "DS",
            of(&ds::PACKET, ds::ENABLE),
            of(&ds::PACKET, ds::DISPATCH_GRF_START_REGISTER_FOR_URB_DATA),
            5,
            constants(state, &draw::state_constant_ds::PACKET)
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
            constants(state, &draw::state_constant_gs::PACKET)
                + of(&gs::PACKET, gs::VERTEX_URB_ENTRY_READ_LENGTH),
        ),
    ];
    for (name, enabled, start, rest, data) in stages {
        let kept = enabled == 0 || data == 0 || start >= rest;
        STAGE_PAYLOAD.check(kept, at, || {
            format!("{name}: data from r{start} on, after {rest} registers")
        })?;
    }
    Ok(())
}

/// Vertices of the objects that a geometry shader gets; none where the topology does not tell.
fn vertices(state: &DrawState) -> Option<u64> {
    use draw::{state_gs as gs, state_te as te, state_vf_topology as topology};
    if state.flag(&te::PACKET, te::TE_ENABLE) {
        return Some((state.get(&te::PACKET, te::OUTPUT_TOPOLOGY) + 1).min(3));
    }
    let discards = state.flag(&gs::PACKET, gs::DISCARD_ADJACENCY);
    let topology = state.get(&topology::PACKET, topology::PRIMITIVE_TOPOLOGY_TYPE);
    Some(match (topology, discards) {
        // POINTLIST, POINTLIST_BF.
        (0x01 | 0x12, _) => 1,
        // LINELIST, LINESTRIP, LINELOOP, LINESTRIP_CONT and the like.
        (0x02 | 0x03 | 0x10 | 0x11 | 0x13 | 0x15, _) => 2,
        // LINELIST_ADJ, LINESTRIP_ADJ.
        (0x09 | 0x0a, true) => 2,
        (0x09 | 0x0a, false) => 4,
        // TRILIST, TRISTRIP, TRIFAN, TRISTRIP_REVERSE, POLYGON, TRIFAN_NOSTIPPLE.
        (0x04 | 0x05 | 0x06 | 0x0d | 0x0e | 0x16, _) => 3,
        // TRILIST_ADJ, TRISTRIP_ADJ.
        (0x0b | 0x0c, true) => 3,
        (0x0b | 0x0c, false) => 6,
        // PATCHLIST_1 to PATCHLIST_32.
        (0x20..=0x3f, _) => topology - 0x1f,
        _ => return None,
    })
}

fn geometry(state: &DrawState, at: u64) -> Result<(), Stop> {
    use draw::state_gs as gs;
    if !state.flag(&gs::PACKET, gs::ENABLE) {
        return Ok(());
    }
    let expected = state.get(&gs::PACKET, gs::EXPECTED_VERTEX_COUNT);
    let there = vertices(state);
    GS_VERTICES.check(there.is_none_or(|there| there == expected), at, || {
        format!("{expected} are expected, {there:?} come")
    })
}

fn streams(state: &DrawState, at: u64) -> Result<(), Stop> {
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

/// Reserved bits of the attributes that setup makes.
fn attributes(state: &DrawState, at: u64) -> Result<(), Stop> {
    use draw::{state_sbe as sbe, state_sbe_swiz as swiz};
    if !state.flag(&sbe::PACKET, sbe::ATTRIBUTE_SWIZZLE_ENABLE) {
        return Ok(());
    }
    let count = state.get(&sbe::PACKET, sbe::NUMBER_OF_SF_OUTPUT_ATTRIBUTES) as usize;
    let words = state.words(&swiz::PACKET);
    for attribute in 0..count.min(SWIZZLED) {
        let pair = words.get(1 + attribute / 2).copied().unwrap_or(0);
        let detail = pair >> (16 * (attribute % 2)) & 0xffff;
        RESERVED_BITS.check(detail & DETAIL_RESERVED == 0, at, || {
            format!("attribute {attribute}: {detail:#x}")
        })?;
    }
    Ok(())
}
