//! Push constants: the buffers of 3DSTATE_CONSTANT_*, as registers of a payload.
//!
//! In:  the command's body. Out: the dwords of the four buffers one after the other, eight for each
//!      register.
//! Ref: SKL PRM vol. 2a, "3DSTATE_CONSTANT(Body)": read lengths are in 256-bit units, and the first
//!      buffer's address is relative to the dynamic state base address, unless CS_DEBUG_MODE2 has
//!      "CONSTANT_BUFFER Address Offset Disable" set.
//!
//! A machine reads them ahead of the draw, some time after the binding table pointer that commits
//! them (ERRATA.md). Strict mode reads them at that point and refuses draws that would find other
//! values that the batch has written; with the option `stale` the draw gets the values read then.

use super::exec::Draw;
use crate::draw_state::stage_of_constants;
use crate::observer::Via;
use crate::rules::CONSTANT_EARLY;
use crate::space::ADDRESS_MASK;
use eu::StopReason;
use hw::draw_state::state_constant_body as body;
use hw::{Field, Packet};
use std::ops::Range;

const BUFFERS: [(Field, Field); 4] = [
    (body::READ_LENGTH, body::BUFFER),
    (body::READ_LENGTH_1, body::BUFFER_1),
    (body::READ_LENGTH_2, body::BUFFER_2),
    (body::READ_LENGTH_3, body::BUFFER_3),
];

/// Maximum number of registers of all four buffers together.
const MAX_REGISTERS: u64 = 64;

/// The push constants of a stage for a draw.
pub(crate) fn push(draw: &Draw<'_>, packet: &Packet) -> Result<Vec<u32>, StopReason> {
    let stage = stage_of_constants(packet).filter(|stage| draw.state.active() >> stage & 1 == 1);
    let committed = stage.and_then(|stage| draw.state.committed_constants.get(stage)?.as_ref());
    let Some(committed) = committed.filter(|_| draw.options.strict) else {
        return read(draw, packet);
    };
    match committed {
        Ok(constants) if draw.options.stale => Ok(constants.clone()),
        Ok(constants) => {
            let now = read(draw, packet)?;
            let is_written = |dword: usize| {
                let known = stage.zip(draw.watch);
                known.is_none_or(|(stage, watch)| watch.constant_written(stage, dword))
            };
            let mut changes = (0..).zip(constants.iter().zip(&now));
            let changed = changes.find(|(dword, (a, b))| a != b && is_written(*dword));
            CONSTANT_EARLY.check(changed.is_none(), draw.at, || {
                let at = changed.map_or(0, |(dword, _)| dword);
                let name = packet.name;
                format!(
                    "the batch has changed register {} of {name} since it was committed",
                    at / 8
                )
            })?;
            Ok(now)
        }
        // The memory was stale when the constants were committed.
        Err(stop @ StopReason::Undefined { .. }) => Err(stop.clone()),
        Err(_) => read(draw, packet),
    }
}

/// Reads the push constants of a stage from memory.
pub(crate) fn read(draw: &Draw<'_>, packet: &Packet) -> Result<Vec<u32>, StopReason> {
    let words = draw.state.words(packet).get(1..).unwrap_or_default();
    let view = draw.view(Via::Constant);
    let total: u64 = BUFFERS.iter().map(|(length, _)| length.get(words)).sum();
    if total > MAX_REGISTERS {
        return Err(StopReason::Fault {
            what: format!("{} of {total} registers", packet.name),
            at: draw.at,
        });
    }
    let mut constants = Vec::with_capacity(total as usize * 8);
    for range in ranges(draw, packet) {
        let mut part = vec![0; ((range.end - range.start) / 4) as usize];
        view.read_block(range.start, &mut part)?;
        constants.extend(part);
    }
    Ok(constants)
}

/// The memory of a stage's push constants: the four buffers, some of them empty.
pub(crate) fn ranges(draw: &Draw<'_>, packet: &Packet) -> Vec<Range<u64>> {
    let words = draw.state.words(packet).get(1..).unwrap_or_default();
    let range = |(number, (length, buffer)): (usize, (Field, Field))| {
        let base = match number == 0 && !draw.state.constant_addresses {
            true => draw.base.dynamic,
            false => 0,
        };
        let address = buffer.get(words).wrapping_add(base) & ADDRESS_MASK;
        address..address + length.get(words) * 32
    };
    BUFFERS.into_iter().enumerate().map(range).collect()
}
