//! How many dwords of a command its handler reads.
//!
//! In:  a command and its length. Out: an error if it is longer than what its handler reads.
//!      Commands that are not listed have one form, of [`hw::Packet::dwords`].
//! Ref: SKL PRM vol. 2a, each command's DWord Length.

use eu::StopReason;
use hw::{Packet, draw, mi};

/// A command that ends with repeated parts, all of which its handler reads.
#[derive(Clone, Copy, Debug)]
pub(super) struct Repeats {
    pub packet: &'static Packet,
    /// Dwords before the first part, and dwords of a part.
    before: usize,
    each: usize,
    /// Maximum number of parts.
    max_parts: usize,
}

impl Repeats {
    /// True if the handler reads all of a command of this length, in dwords.
    pub fn read_whole(&self, length: usize) -> bool {
        let parts = length.saturating_sub(self.before);
        parts.is_multiple_of(self.each) && parts / self.each <= self.max_parts
    }
}

/// The numbers of vertex buffers and elements are the machine's; the other maxima are those of the
/// length fields.
#[rustfmt::skip]
pub(super) static REPEATS: &[Repeats] = &[
    // One or two operands of up to four dwords.
    Repeats { packet: &mi::mi_atomic::PACKET, before: 3, each: 1, max_parts: 8 },
    // A page and half cache lines in it: none of them has an effect.
    Repeats { packet: &mi::mi_clflush::PACKET, before: 1, each: 1, max_parts: 1024 },
    Repeats { packet: &mi::mi_load_register_imm::PACKET, before: 1, each: 2, max_parts: 128 },
    Repeats { packet: &mi::mi_math::PACKET, before: 1, each: 1, max_parts: 256 },
    Repeats { packet: &mi::mi_store_data_imm::PACKET, before: 3, each: 1, max_parts: 1022 },
    Repeats { packet: &draw::state_vertex_buffers::PACKET, before: 1, each: 4, max_parts: 33 },
    Repeats { packet: &draw::state_vertex_elements::PACKET, before: 1, each: 2, max_parts: 34 },
    Repeats { packet: &draw::state_so_decl_list::PACKET, before: 3, each: 2, max_parts: 128 },
];

/// The entry of a command that has repeated parts.
pub(super) fn repeats_of(packet: &Packet) -> Option<&'static Repeats> {
    let mut all = REPEATS.iter();
    all.find(|repeats| std::ptr::eq(repeats.packet, packet))
}

/// Checks the length, in dwords, of the command at `at`.
///
/// # Errors
/// [`StopReason::Unimplemented`] if it is longer than what its handler reads: the rest would be
/// dropped silently.
pub(crate) fn check(packet: &Packet, length: usize, at: u64) -> Result<(), StopReason> {
    let one_form = usize::from(packet.dwords);
    // Most commands have the length of their only form.
    if one_form == length {
        return Ok(());
    }
    let whole = match repeats_of(packet) {
        Some(repeats) => repeats.read_whole(length),
        // Of a command without a length, none is simulated.
        None => one_form == 0 || length < one_form,
    };
    match whole {
        true => Ok(()),
        false => Err(StopReason::Unimplemented {
            what: format!("{} of {length} dwords", packet.name),
            at,
        }),
    }
}
