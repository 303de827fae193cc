//! Tests of all tables: fields fit and overlap only where intended, packing and unpacking are
//! inverse, genxml agrees.

use crate::packet::{FieldKind, Packet};
use crate::testing::genxml::{self, Genxml};
use crate::{batch, draw, draw_state, gen8, media, mi, state};

const GEN9: [&[&Packet]; 5] = [mi::ALL, media::ALL, draw::ALL, draw_state::ALL, state::ALL];

fn all_packets() -> impl Iterator<Item = &'static Packet> {
    let tables = GEN9.into_iter().chain([gen8::ALL]);
    tables.flat_map(|table| table.iter().copied())
}

/// Packets with optional inline data: name, maximum length in dwords.
const OPTIONAL_TAIL: &[(&str, u16)] = &[
    ("MI_ATOMIC", 11),
    ("MI_STORE_DATA_IMM", 5),
    ("MI_STORE_DATA_INDEX", 4),
];

/// Packets with bits whose meaning depends on other fields: name, number of pairs of fields that
/// share bits (the same in genxml).
const UNIONS: &[(&str, usize)] = &[
    ("RENDER_SURFACE_STATE", 7),
    ("COLOR_CALC_STATE", 1),
    ("SAMPLER_BORDER_COLOR_STATE", 4),
];

#[test]
fn fields_fit_their_packets() {
    for packet in all_packets() {
        let tail = OPTIONAL_TAIL.iter().find(|t| t.0 == packet.name);
        let dwords = tail.map_or(packet.dwords, |t| t.1);
        for field in packet.fields {
            assert!(
                field.lo <= field.hi && field.bits() <= 64,
                "{} {}",
                packet.name,
                field.name
            );
            if dwords != 0 {
                assert!(
                    u32::from(field.hi) < u32::from(dwords) * 32,
                    "{} {}",
                    packet.name,
                    field.name
                );
            }
            if packet.header_mask != 0 && field.hi < 32 {
                let bits = ((1u64 << (field.hi + 1)) - (1u64 << field.lo)) as u32;
                assert_eq!(
                    bits & packet.header_mask,
                    0,
                    "{} {}",
                    packet.name,
                    field.name
                );
            }
        }
    }
}

#[test]
fn fields_do_not_overlap() {
    for packet in all_packets() {
        let mut overlaps = Vec::new();
        for (i, a) in packet.fields.iter().enumerate() {
            for b in &packet.fields[..i] {
                if a.lo <= b.hi && b.lo <= a.hi {
                    overlaps.push((b.name, a.name));
                }
            }
        }
        let allowed = UNIONS.iter().find(|u| u.0 == packet.name);
        assert_eq!(
            overlaps.len(),
            allowed.map_or(0, |u| u.1),
            "{}: {overlaps:?}",
            packet.name
        );
    }
}

#[test]
fn packing_and_unpacking_are_inverse() {
    let mut seed = 1u64;
    for packet in all_packets() {
        let dwords = packet
            .fields
            .iter()
            .map(|f| usize::from(f.hi) / 32 + 1)
            .max()
            .unwrap_or(1);
        for field in packet.fields {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let mut words = vec![0u32; dwords];
            let value = seed & (u64::MAX >> (64 - field.bits()));
            let value = match field.kind {
                FieldKind::Address | FieldKind::Offset => value << (field.lo % 32),
                FieldKind::Int => {
                    let unused = 64 - field.bits();
                    ((value << unused) as i64 >> unused) as u64
                }
                _ => value,
            };
            field.set(&mut words, value);
            assert_eq!(field.get(&words), value, "{} {}", packet.name, field.name);
            field.set(&mut words, 0);
            assert!(
                words.iter().all(|w| *w == 0),
                "{} {}",
                packet.name,
                field.name
            );
        }
    }
}

#[test]
fn packets_are_found_by_their_headers() {
    for table in [mi::ALL, media::ALL, draw::ALL, gen8::ALL] {
        for packet in table {
            let found = batch::find_packet(packet.header, packet.first);
            assert_eq!(found.map(|p| p.name), Some(packet.name));
            if packet.dwords != 0 {
                assert_eq!(
                    packet.length(packet.header),
                    usize::from(packet.dwords),
                    "{}",
                    packet.name
                );
            }
        }
    }
}

#[test]
fn decoding_stops_at_batch_buffer_end() {
    let words = [
        mi::mi_noop::PACKET.header,
        mi::mi_store_data_imm::PACKET.header,
        0x1000,
        0,
        7,
        mi::mi_batch_buffer_end::PACKET.header,
        0xffff_ffff,
    ];
    let names: Vec<_> = batch::commands(&words, crate::Gen::Gen9)
        .map(|c| c.packet.map_or("?", |p| p.name))
        .collect();
    assert_eq!(
        names,
        ["MI_NOOP", "MI_STORE_DATA_IMM", "MI_BATCH_BUFFER_END"]
    );
}

/// Compares the tables with genxml, if INGOT_GENXML names its folder.
#[test]
fn genxml_agrees() {
    let Some(folder) = genxml::folder() else {
        return;
    };
    let gen9 = GEN9.concat();
    assert!(compare_with_genxml(&folder.join("gen9.xml"), &gen9) > 1000);
    assert!(compare_with_genxml(&folder.join("gen8.xml"), gen8::ALL) > 10);
}

/// Compares packets with a genxml file; returns the number of fields compared.
fn compare_with_genxml(path: &std::path::Path, packets: &[&Packet]) -> usize {
    let genxml = Genxml::read(path);
    let mut compared = 0;
    for packet in packets {
        let kind = match packet.header_mask {
            0 => genxml::ItemKind::Struct,
            _ => genxml::ItemKind::Instruction,
        };
        let item = genxml
            .get(kind, packet.name)
            .unwrap_or_else(|| panic!("genxml has no {}", packet.name));
        assert_eq!(packet.dwords, item.length, "{}", packet.name);
        if packet.header_mask != 0 {
            let (value, mask) = item.header();
            assert_eq!(
                packet.header & packet.header_mask,
                value & packet.header_mask,
                "{}",
                packet.name
            );
            assert_eq!(packet.header_mask & !mask, 0, "{}", packet.name);
        }
        for field in packet.fields {
            // Mesa has changed the case of names.
            let same = |other: &genxml::Field| {
                other.name.eq_ignore_ascii_case(field.name)
                    && (other.lo, other.hi) == (field.lo, field.hi)
            };
            let found = item.fields.iter().any(same);
            assert!(found, "{} {field:?}", packet.name);
            compared += 1;
        }
    }
    compared
}
