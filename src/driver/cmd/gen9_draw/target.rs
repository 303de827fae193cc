//! Gen9's render target packets: depth, stencil, and the binding table of colour targets.
//!
//! In:  [`RenderTargets`]. Out: packets, and surface states beside their binding table.
//! Ref: SKL PRM vol. 2a, "3DSTATE_DEPTH_BUFFER", "3DSTATE_STENCIL_BUFFER",
//!      "3DSTATE_HIER_DEPTH_BUFFER", "3DSTATE_CLEAR_PARAMS", "3DSTATE_BINDING_TABLE_POINTERS_PS".

use hw::draw::{
    state_clear_params, state_depth_buffer, state_hier_depth_buffer, state_stencil_buffer,
};
use hw::state::render_surface_state;
use hw::value::draw::depth_format;

use crate::draw::state::TARGETS;
use crate::draw::target::{CLEAR_DEPTH, DepthStencilTarget, RenderTargets};
use crate::image::NO_MIP_TAIL;
use crate::mocs::mocs;
use crate::stream::{Stream, StreamMemory, offset};
use crate::{fast_clear_record, gen9};

/// Dwords of a RENDER_SURFACE_STATE.
const SURFACE_DW: usize = render_surface_state::PACKET.dwords as usize;
/// Dwords of a binding table, padded to the alignment of surface states.
const TABLE_DW: usize = 16;

/// The packets of depth, HiZ, stencil and clear stencil_words, which must be emitted together.
pub(super) fn depth_stencil(from: &DepthStencilTarget) -> [u32; 21] {
    use hw::value::state::surface_type::{SURFTYPE_2D, SURFTYPE_3D, SURFTYPE_NULL};
    use {
        state_clear_params as clear, state_depth_buffer as depth, state_hier_depth_buffer as hier,
        state_stencil_buffer as stencil,
    };
    let mut words = depth::words::<8>()
        .with(depth::MOCS, mocs(0))
        .with(depth::SURFACE_TYPE, SURFTYPE_NULL)
        .with(depth::SURFACE_FORMAT, depth_format::D32_FLOAT);
    if from.depth.is_some() || from.stencil.is_some() {
        // A stencil buffer takes its size from 3DSTATE_DEPTH_BUFFER, even without depth.
        let last_layer = u64::from(from.layers.max(1) - 1);
        // Arrays: layers from the first one on. 3D images: all slices.
        let depth = if from.volume {
            u64::from(from.first_layer) + last_layer
        } else {
            last_layer
        };
        words = words
            .with(
                depth::SURFACE_TYPE,
                if from.volume {
                    SURFTYPE_3D
                } else {
                    SURFTYPE_2D
                },
            )
            .with(depth::WIDTH, u64::from(from.width.max(1) - 1))
            .with(depth::HEIGHT, u64::from(from.height.max(1) - 1))
            .with(depth::LOD, from.level.into())
            .with(depth::MINIMUM_ARRAY_ELEMENT, from.first_layer.into())
            .with(depth::DEPTH, depth)
            .with(depth::RENDER_TARGET_VIEW_EXTENT, last_layer)
            .flag(depth::STENCIL_WRITE_ENABLE, from.stencil.is_some());
    }
    if let Some(surface) = &from.depth {
        words = words
            .flag(depth::DEPTH_WRITE_ENABLE, true)
            .with(depth::SURFACE_FORMAT, surface.format as u64)
            .with(depth::MOCS, mocs(surface.address))
            .with(depth::MIP_TAIL_START_LOD, NO_MIP_TAIL)
            .with(depth::SURFACE_BASE_ADDRESS, surface.address)
            .with(
                depth::SURFACE_PITCH,
                u64::from(surface.pitch_bytes.max(1) - 1),
            )
            .with(depth::SURFACE_QPITCH, u64::from(surface.qpitch_rows / 4));
    }
    let mut hierarchy = hier::words::<5>().with(hier::MOCS, mocs(0));
    let mut clear_values = clear::words::<3>().flag(clear::DEPTH_CLEAR_VALUE_VALID, true);
    if let Some(surface) = from.depth.and_then(|depth| depth.hierarchy) {
        words = words.flag(depth::HIERARCHICAL_DEPTH_BUFFER_ENABLE, true);
        hierarchy = hierarchy
            .with(hier::MOCS, mocs(surface.address))
            .with(hier::SURFACE_BASE_ADDRESS, surface.address)
            .with(
                hier::SURFACE_PITCH,
                u64::from(surface.pitch_bytes.max(1) - 1),
            )
            .with(hier::SURFACE_QPITCH, u64::from(surface.qpitch_rows / 4));
        clear_values = clear_values.with(clear::DEPTH_CLEAR_VALUE, CLEAR_DEPTH.to_bits().into());
    }
    let mut stencil_words = stencil::words::<5>().with(stencil::MOCS, mocs(0));
    if let Some(surface) = &from.stencil {
        stencil_words = stencil_words
            .flag(stencil::STENCIL_BUFFER_ENABLE, true)
            .with(stencil::MOCS, mocs(surface.address))
            .with(stencil::SURFACE_BASE_ADDRESS, surface.address)
            .with(
                stencil::SURFACE_PITCH,
                u64::from(surface.pitch_bytes.max(1) - 1),
            )
            .with(stencil::SURFACE_QPITCH, u64::from(surface.qpitch_rows / 4));
    }
    let mut all = [0; 21];
    let parts = [
        &words.dwords[..],
        &hierarchy.dwords,
        &stencil_words.dwords,
        &clear_values.dwords,
    ];
    let from = parts.into_iter().flatten();
    for (to, &word) in all.iter_mut().zip(from) {
        *to = word;
    }
    all
}

/// Dwords of the binding table with its surface states: one more than there are entries, for the
/// null surface.
fn table_dw(targets: &RenderTargets) -> usize {
    TABLE_DW + SURFACE_DW * TARGETS.min(targets.entries() + 1)
}

/// Dwords of the largest binding table with its surface states.
pub(super) const MAX_TABLE_DW: usize = TABLE_DW + SURFACE_DW * TARGETS;

/// Emits the targets. The table lies within reach of `surface_base`, if known; otherwise the base
/// is moved. Returns the base and the table's offset from it.
pub(super) fn emit<M: StreamMemory>(
    stream: &mut Stream<M>,
    targets: &RenderTargets,
    surface_base: Option<u64>,
) -> Result<(u64, u32), M::Error> {
    /// Reach of a binding table pointer, which has 16 bits.
    const WINDOW_BYTES: u64 = 64 << 10;
    const PAGE_BYTES: u64 = 4096;
    stream.emit(depth_stencil(&targets.depth_stencil))?;
    let data = stream.data(table_dw(targets))?;
    let address = data.address;
    let reaches = |base: &u64| (*base..base.saturating_add(WINDOW_BYTES)).contains(&address);
    let known = surface_base.filter(reaches);
    let base = known.unwrap_or(address & !(PAGE_BYTES - 1));
    let table = offset(address, base) as u32;
    write_table(targets, table, data.words);
    let filled = copy_records(stream, targets, address)?;
    match known {
        None => gen9::surface_base(stream, base)?,
        Some(_) if filled => stream.emit(gen9::INVALIDATE_STATE)?,
        Some(_) => {}
    }
    Ok((base, table))
}

/// Emits the targets for secondaries that expect the table at `table`. Returns the new Surface
/// State Base Address.
pub(super) fn emit_for_secondaries<M: StreamMemory>(
    stream: &mut Stream<M>,
    targets: &RenderTargets,
    table: u32,
) -> Result<u64, M::Error> {
    stream.emit(depth_stencil(&targets.depth_stencil))?;
    let data = stream.data_at_chunk_end(MAX_TABLE_DW)?;
    let address = data.address;
    let base = address.wrapping_sub(table.into());
    write_table(targets, table, data.words);
    copy_records(stream, targets, address)?;
    gen9::surface_base(stream, base)?;
    Ok(base)
}

/// Copies fast clear records into the surface states of a table that was written. Returns true if
/// there were any.
fn copy_records<M: StreamMemory>(
    stream: &mut Stream<M>,
    targets: &RenderTargets,
    table_at: u64,
) -> Result<bool, M::Error> {
    let mut filled = false;
    let all = targets.records.iter().zip(&targets.colours);
    for (index, (record, surface)) in all.enumerate() {
        if let (Some(record), Some(surface)) = (record, surface) {
            let surface_at = table_at + 4 * (TABLE_DW + SURFACE_DW * index) as u64;
            fast_clear_record::copy_to_surface(stream, *record, surface, surface_at)?;
            filled = true;
        }
    }
    Ok(filled)
}

/// Writes the binding table and its surface states. `offset_bytes` is the table's offset from
/// Surface State Base Address. A shader may write to absent targets: their entries point to the
/// last surface state.
fn write_table(targets: &RenderTargets, offset_bytes: u32, to: &mut [u32]) {
    let Some((table, surfaces)) = to.split_at_mut_checked(TABLE_DW) else {
        return;
    };
    let first = offset_bytes + TABLE_DW as u32 * 4;
    let surface_states = surfaces.as_chunks_mut::<SURFACE_DW>().0;
    let last = surface_states.len().saturating_sub(1);
    for (index, entry) in table.iter_mut().enumerate() {
        *entry = match index < TARGETS {
            true => first + (index.min(last) * SURFACE_DW * 4) as u32,
            false => 0,
        };
    }
    for (colour, to) in targets.colours.iter().zip(surface_states) {
        *to = colour.unwrap_or(targets.null);
    }
}
