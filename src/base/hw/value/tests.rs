//! Every enumerated value is genxml's, and every enumerated field of our packets has its values.

use std::collections::BTreeSet;

use super::{enumerations, name};
use crate::packet::{FieldKind, Packet};
use crate::testing::genxml::{self, Genxml, Item, ItemKind};
use crate::{draw, draw_state, media, mi, state};

fn packets() -> impl Iterator<Item = &'static Packet> {
    let tables = [mi::ALL, media::ALL, draw::ALL, draw_state::ALL, state::ALL];
    tables.into_iter().flatten().copied()
}

fn item<'a>(genxml: &'a Genxml, packet: &str) -> &'a Item {
    let kinds = [ItemKind::Instruction, ItemKind::Struct];
    let mut items = kinds.into_iter().filter_map(|k| genxml.get(k, packet));
    items.next().unwrap_or_else(|| panic!("{packet} in genxml"))
}

#[test]
fn fields_are_enumerated_once_and_exist() {
    let mut seen = BTreeSet::new();
    for enumeration in enumerations() {
        for (packet, field) in enumeration.fields {
            assert!(seen.insert((packet, field)), "{packet} {field} twice");
            let packet = packets().find(|p| p.name == *packet);
            let packet = packet.unwrap_or_else(|| panic!("{}", enumeration.name));
            let field = packet.fields.iter().find(|f| f.name == *field);
            let bits = field.map(|f| f.bits());
            let bits = bits.unwrap_or_else(|| panic!("{} {}", packet.name, enumeration.name));
            for (value, _, number) in enumeration.values {
                assert!(number >> bits == 0, "{}: {value}", enumeration.name);
            }
        }
    }
}

#[test]
fn values_have_names() {
    let raster = &draw::state_raster::PACKET;
    assert_eq!(name(raster, "Cull Mode", 1), Some("NONE"));
    assert_eq!(name(raster, "Cull Mode", 4), None);
    assert_eq!(name(raster, "Global Depth Offset Clamp", 1), None);
}

#[test]
fn genxml_names_the_same_values() {
    let Some(folder) = genxml::folder() else {
        return;
    };
    let gen9 = Genxml::read(&folder.join("gen9.xml"));
    for enumeration in enumerations() {
        for (packet, field) in enumeration.fields {
            let ours: BTreeSet<_> = enumeration.values.iter().map(|v| (v.1, v.2)).collect();
            let item = item(&gen9, packet);
            let theirs = item.fields.iter().find(|f| f.name == *field);
            let theirs = theirs.unwrap_or_else(|| panic!("{packet} {field} in genxml"));
            let theirs = theirs.values.iter();
            let theirs: BTreeSet<_> = theirs.map(|v| (v.0.as_str(), v.1.into())).collect();
            assert_eq!(ours, theirs, "{packet} {field}");
        }
    }
    // The reverse: a field with values in genxml is enumerated here.
    for packet in packets() {
        for field in packet.fields {
            let kinds = [ItemKind::Instruction, ItemKind::Struct];
            let mut items = kinds.into_iter().filter_map(|k| gen9.get(k, packet.name));
            let found = items.next().and_then(|item| {
                let fields = &mut item.fields.iter();
                fields.find(|f| f.name == field.name).cloned()
            });
            let is_number = field.kind == FieldKind::Uint;
            if is_number && found.is_some_and(|f| !f.values.is_empty()) {
                let key = (packet.name, field.name);
                let known = enumerations().any(|e| e.fields.contains(&key));
                assert!(known, "{} {} has no enumeration", packet.name, field.name);
            }
        }
    }
}
