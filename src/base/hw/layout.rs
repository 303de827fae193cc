//! Where a generation has a field that units and rules name by gen9's packet.
//!
//! In:  a packet and a field of the tables, a generation. Out: that generation's field of the same name, of its packet of the same name.
//! Of fields of one name the first stands for the first, and so on.

use crate::packet::{Field, Packet};
use crate::{Gen, batch};

/// The layout of a packet on a generation; none where the tables have none.
pub fn packet(packet: &'static Packet, hw_gen: Gen) -> Option<&'static Packet> {
    match packet.is_on(hw_gen) {
        true => Some(packet),
        false => batch::packets(hw_gen).find(|other| other.name == packet.name),
    }
}

/// A field of a packet on a generation; none where the generation's packet has no such field, or the tables have no such packet.
#[inline]
pub fn field(packet: &Packet, field: Field, hw_gen: Gen) -> Option<Field> {
    match packet.is_on(hw_gen) {
        true => Some(field),
        false => elsewhere(packet, field, hw_gen),
    }
}

#[cold]
fn elsewhere(packet: &Packet, field: Field, hw_gen: Gen) -> Option<Field> {
    let other = batch::packets(hw_gen).find(|other| other.name == packet.name)?;
    let same = |own: &&Field| own.name == field.name;
    let before = packet.fields.iter().filter(same);
    let number = before.take_while(|own| **own != field).count();
    other.fields.iter().filter(same).nth(number).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{draw, gen8};

    #[test]
    fn fields_are_found_where_their_generation_has_them() {
        use draw::state_sf as sf;
        let on = |own, hw_gen| field(&sf::PACKET, own, hw_gen);
        assert_eq!(on(sf::LINE_WIDTH, Gen::Gen9), Some(sf::LINE_WIDTH));
        assert_eq!(
            on(sf::LINE_WIDTH, Gen::Gen8),
            Some(gen8::state_sf::LINE_WIDTH)
        );
        assert_ne!(sf::LINE_WIDTH, gen8::state_sf::LINE_WIDTH);
        assert_eq!(on(sf::LINE_WIDTH, Gen::Gen12), None);
        let layout = |hw_gen| packet(&sf::PACKET, hw_gen).map(std::ptr::from_ref);
        assert_eq!(layout(Gen::Gen9), Some(std::ptr::from_ref(&sf::PACKET)));
        let other = std::ptr::from_ref(&gen8::state_sf::PACKET);
        assert_eq!(layout(Gen::Gen8), Some(other));
        assert_eq!(layout(Gen::Gen11), None);
        // The width that only one part of gen8 takes from there is no field of gen9's.
        let back = field(
            &gen8::state_sf::PACKET,
            gen8::state_sf::CHV_LINE_WIDTH,
            Gen::Gen9,
        );
        assert_eq!(back, None);
    }

    #[test]
    fn fields_of_one_name_keep_their_order() {
        use draw::state_sbe_swiz as swiz;
        let fields = swiz::PACKET.fields;
        let [first, second] = [0, 1].map(|i| fields[i]);
        assert_eq!(first.name, second.name);
        assert_eq!(field(&swiz::PACKET, second, Gen::Gen9), Some(second));
    }
}
