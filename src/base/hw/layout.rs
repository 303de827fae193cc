//! Maps packets and fields to their layout on another generation, so that code can refer to gen9's.
//!
//! In:  a packet and a field of the tables, and a generation.
//! Out: the field with the same name of the generation's packet with the same name. If a packet has
//!      several fields with one name, they are matched in order.

use crate::batch;
use crate::generation::Gen;
use crate::packet::{Field, Packet};

/// The layout of a packet on a generation; `None` if the tables have none.
pub fn packet_for_gen(packet: &'static Packet, hw_gen: Gen) -> Option<&'static Packet> {
    match packet.is_on(hw_gen) {
        true => Some(packet),
        false => batch::packets(hw_gen).find(|other| other.name == packet.name),
    }
}

/// The layout of a field of a packet on a generation; `None` if the packet has no such field there,
/// or is not in the tables.
#[inline]
pub fn field(packet: &Packet, field: Field, hw_gen: Gen) -> Option<Field> {
    match packet.is_on(hw_gen) {
        true => Some(field),
        false => find_by_name(packet, field, hw_gen),
    }
}

#[cold]
fn find_by_name(packet: &Packet, field: Field, hw_gen: Gen) -> Option<Field> {
    let other = batch::packets(hw_gen).find(|other| other.name == packet.name)?;
    let same_name = |other: &&Field| other.name == field.name;
    let same = packet.fields.iter().filter(same_name);
    let index = same.take_while(|other| **other != field).count();
    other.fields.iter().filter(same_name).nth(index).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{draw, gen8};

    #[test]
    fn fields_are_found_in_the_layout_of_the_generation() {
        use draw::state_sf as sf;
        let on = |sf_field, hw_gen| field(&sf::PACKET, sf_field, hw_gen);
        assert_eq!(on(sf::LINE_WIDTH, Gen::Gen9), Some(sf::LINE_WIDTH));
        assert_eq!(
            on(sf::LINE_WIDTH, Gen::Gen8),
            Some(gen8::state_sf::LINE_WIDTH)
        );
        assert_ne!(sf::LINE_WIDTH, gen8::state_sf::LINE_WIDTH);
        assert_eq!(on(sf::LINE_WIDTH, Gen::Gen12), None);
        let layout = |hw_gen| packet_for_gen(&sf::PACKET, hw_gen).map(std::ptr::from_ref);
        assert_eq!(layout(Gen::Gen9), Some(std::ptr::from_ref(&sf::PACKET)));
        let other = std::ptr::from_ref(&gen8::state_sf::PACKET);
        assert_eq!(layout(Gen::Gen8), Some(other));
        assert_eq!(layout(Gen::Gen11), None);
        // Gen9 has no counterpart of the line width field of CHV.
        let back = field(
            &gen8::state_sf::PACKET,
            gen8::state_sf::CHV_LINE_WIDTH,
            Gen::Gen9,
        );
        assert_eq!(back, None);
    }

    #[test]
    fn fields_with_the_same_name_are_matched_in_order() {
        use draw::state_sbe_swiz as swiz;
        let fields = swiz::PACKET.fields;
        let [first, second] = [0, 1].map(|i| fields[i]);
        assert_eq!(first.name, second.name);
        assert_eq!(field(&swiz::PACKET, second, Gen::Gen9), Some(second));
    }
}
