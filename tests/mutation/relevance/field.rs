//! The bits of one field that count.
//!
//! In:  a field, its packet, and the draw or dispatch. Out: a mask of the field's bits.

use super::state::State;
use super::{commands, masks, rows};
use crate::finest;
use crate::look::{Place, Work};
use hw::Field;

/// Bits of a field that a draw or dispatch may depend on.
pub fn bits(work: &Work<'_>, place: &Place, field: &Field) -> u64 {
    let all = depended_on(work, place, field) & finest::bits(work, place, field);
    // Bits above 47 of a 64-bit address, or of an offset that makes one, are ignored: addresses are
    // canonical.
    let first = field.lo / 32 * 32;
    match matches!(field.kind, hw::FieldKind::Address | hw::FieldKind::Offset)
        && field.hi + 1 - first == 64
    {
        true => all & ((1 << (48 - (field.lo - first))) - 1),
        false => all,
    }
}

/// Bits of a field that count by the field's purpose, whatever the finest step of its value.
fn depended_on(work: &Work<'_>, place: &Place, field: &Field) -> u64 {
    let state = State { work, place, field };
    match commands::counts(&state) && rows::counts(&state) {
        true => masks::bits(&state),
        false => 0,
    }
}
