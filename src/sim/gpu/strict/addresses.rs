//! Checks that addresses are canonical: bits 63:48 repeat bit 47.
//!
//! In:  a command or a structure, its words. Out: an error at the first address that is not.
//! Ref: SKL PRM vol. 2a, MI_LOAD_REGISTER_MEM, Memory Address: bits 63:48 are assumed to be in
//!      canonical form. Fields that end at bit 47 cannot break the rule.

use crate::rules::ADDRESS_CANONICAL;
use eu::StopReason;
use hw::draw_state::{state_constant_body, vertex_buffer_state};
use hw::{Field, FieldKind, Gen, Packet, Wa, draw, media, mi};

/// Commands that contain structures with addresses: the command, the structure, and the number of
/// dwords of each structure. The structures begin in dword 1.
static CONTAINERS: [(&Packet, &Packet, usize); 6] = [
    (
        &draw::state_constant_vs::PACKET,
        &state_constant_body::PACKET,
        10,
    ),
    (
        &draw::state_constant_hs::PACKET,
        &state_constant_body::PACKET,
        10,
    ),
    (
        &draw::state_constant_ds::PACKET,
        &state_constant_body::PACKET,
        10,
    ),
    (
        &draw::state_constant_gs::PACKET,
        &state_constant_body::PACKET,
        10,
    ),
    (
        &draw::state_constant_ps::PACKET,
        &state_constant_body::PACKET,
        10,
    ),
    (
        &draw::state_vertex_buffers::PACKET,
        &vertex_buffer_state::PACKET,
        4,
    ),
];

/// Commands that drivers of real machines give addresses without upper bits: Linux starts batches
/// and ANV chains them so, and Intel's OpenCL driver sets base addresses.
static EXEMPT: [&Packet; 2] = [
    &mi::mi_batch_buffer_start::PACKET,
    &media::state_base_address::PACKET,
];

/// Checks the addresses of a command, and of the structures in it.
pub(super) fn check_command(packet: &Packet, words: &[u32], at: u64) -> Result<(), StopReason> {
    check(packet, words, at)?;
    let container = CONTAINERS
        .iter()
        .find(|(container, ..)| std::ptr::eq(*container, packet));
    let Some((_, structure, dwords)) = container else {
        return Ok(());
    };
    let structures = words.get(1..).unwrap_or_default();
    structures
        .chunks_exact(*dwords)
        .try_for_each(|words| check(structure, words, at))
}

/// Checks the addresses of a structure.
pub(super) fn check(packet: &Packet, words: &[u32], at: u64) -> Result<(), StopReason> {
    let exempt = EXEMPT.iter().any(|known| std::ptr::eq(*known, packet));
    if const { !Wa::CanonicalAddresses.required_on(Gen::Gen9) } || exempt {
        return Ok(());
    }
    for field in packet.fields.iter().filter(|field| has_upper_bits(field)) {
        let address = field.get(words);
        let canonical = ((address << 16) as i64 >> 16) as u64;
        ADDRESS_CANONICAL.check(address == canonical, at, || {
            format!(
                "{}, {}: {address:#x} for {canonical:#x}",
                packet.name, field.name
            )
        })?;
    }
    Ok(())
}

/// True for a field with bits 63:48 of an address.
fn has_upper_bits(field: &Field) -> bool {
    field.kind == FieldKind::Address && u32::from(field.lo % 32) + field.bits() == 64
}

#[cfg(test)]
mod tests {
    use super::*;
    use hw::draw_state::state_constant_body as body;

    fn is_legal(packet: &Packet, fields: &[(Field, u64)], from: usize) -> bool {
        let mut words = vec![0; 24];
        words[0] = packet.header;
        for (field, value) in fields {
            field.set(&mut words[from..], *value);
        }
        check_command(packet, &words, 0).is_ok()
    }

    #[test]
    fn upper_bits_of_addresses_repeat_bit_47() {
        use media::state_base_address as sba;
        use mi::mi_load_register_mem as lrm;
        use vertex_buffer_state as vb;
        let cases: [(&Packet, Field, usize); 4] = [
            (&lrm::PACKET, lrm::MEMORY_ADDRESS, 0),
            (&draw::state_constant_ps::PACKET, body::BUFFER_3, 1),
            (
                &draw::state_vertex_buffers::PACKET,
                vb::BUFFER_STARTING_ADDRESS,
                1,
            ),
            (
                &draw::state_vertex_buffers::PACKET,
                vb::BUFFER_STARTING_ADDRESS,
                1 + 4,
            ),
        ];
        for (packet, field, from) in cases {
            for (address, legal) in [
                (0x7fff_ffff_f000, true),
                (0x8000_0000_0000, false),
                (0xffff_8000_0000_0000, true),
                (0x1_0000_0000_0000, false),
            ] {
                let is = is_legal(packet, &[(field, address)], from);
                assert_eq!(is, legal, "{} {address:#x}", packet.name);
            }
        }
        use mi::mi_batch_buffer_start as jump;
        let fields = [(jump::BATCH_BUFFER_START_ADDRESS, 0x8000_0000_0000)];
        assert!(is_legal(&jump::PACKET, &fields, 0));
        let fields = [(sba::INSTRUCTION_BASE_ADDRESS, 0x8000_0000_0000)];
        assert!(is_legal(&sba::PACKET, &fields, 0));
    }
}
