//! Every table: fields fit and do not overlap by accident, packing is undone by unpacking, genxml agrees.

use crate::packet::{Kind, Packet};
use crate::{batch, draw, draw_state, gen8, media, mi, state};
use std::collections::BTreeMap;

const GEN9: [&[&Packet]; 5] = [mi::ALL, media::ALL, draw::ALL, draw_state::ALL, state::ALL];

fn all() -> impl Iterator<Item = &'static Packet> {
    let tables = GEN9.into_iter().chain([gen8::ALL]);
    tables.flat_map(|table| table.iter().copied())
}

/// Packets with inline data that is there only if the length says so: name, longest form in dwords.
const OPTIONAL_TAIL: &[(&str, u16)] = &[
    ("MI_ATOMIC", 11),
    ("MI_STORE_DATA_IMM", 5),
    ("MI_STORE_DATA_INDEX", 4),
];

/// Packets of which some bits mean one thing or another by what else is set: name, and the pairs of fields that share
/// bits, as genxml has them too.
const UNIONS: &[(&str, usize)] = &[
    ("RENDER_SURFACE_STATE", 7),
    ("COLOR_CALC_STATE", 1),
    ("SAMPLER_BORDER_COLOR_STATE", 4),
];

#[test]
fn fields_fit_their_packets() {
    for packet in all() {
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
    for packet in all() {
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
fn packing_is_undone_by_unpacking() {
    let mut seed = 1u64;
    for packet in all() {
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
                Kind::Address | Kind::Offset => value << (field.lo % 32),
                Kind::Int => {
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
fn headers_find_their_packets() {
    for table in [mi::ALL, media::ALL, draw::ALL, gen8::ALL] {
        for packet in table {
            let found = batch::find(packet.header, packet.first);
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
fn a_batch_is_walked_to_its_end() {
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

/// Mesa's packet descriptions are the witness, where INGOT_GENXML names their folder.
#[test]
fn genxml_agrees() {
    let Ok(folder) = std::env::var("INGOT_GENXML") else {
        eprintln!("not compared: INGOT_GENXML does not name a folder of genxml files");
        return;
    };
    let folder = std::path::Path::new(&folder);
    let gen9 = GEN9.concat();
    assert!(compared_with(&folder.join("gen9.xml"), &gen9) > 1000);
    assert!(compared_with(&folder.join("gen8.xml"), gen8::ALL) > 10);
}

/// How many fields of these packets a file of genxml has as they are.
fn compared_with(path: &std::path::Path, packets: &[&Packet]) -> usize {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let document = roxmltree::Document::parse(&text).expect("well-formed XML");
    let named: BTreeMap<&str, roxmltree::Node<'_, '_>> = document
        .root_element()
        .children()
        .filter(|n| n.is_element() && matches!(n.tag_name().name(), "instruction" | "struct"))
        .filter_map(|n| Some((n.attribute("name")?, n)))
        .collect();
    let mut compared = 0;
    for packet in packets {
        let node = named
            .get(packet.name)
            .unwrap_or_else(|| panic!("genxml has no {}", packet.name));
        let length = node
            .attribute("length")
            .map_or(0, |l| l.parse().expect("a number"));
        assert_eq!(packet.dwords, length, "{}", packet.name);
        let mut theirs = Vec::new();
        let mut header = (0u32, 0u32);
        collect(*node, 0, &mut theirs, &mut header);
        if packet.header_mask != 0 {
            assert_eq!(
                packet.header & packet.header_mask,
                header.0 & packet.header_mask,
                "{}",
                packet.name
            );
            assert_eq!(packet.header_mask & !header.1, 0, "{}", packet.name);
        }
        for field in packet.fields {
            let ours = (field.name.to_string(), field.lo, field.hi);
            assert!(theirs.contains(&ours), "{} {ours:?}", packet.name);
            compared += 1;
        }
    }
    compared
}

/// Fields of a genxml node, groups unrolled, and the fixed bits of the first dword.
fn collect(
    node: roxmltree::Node<'_, '_>,
    base: u16,
    out: &mut Vec<(String, u16, u16)>,
    header: &mut (u32, u32),
) {
    let number = |n: roxmltree::Node<'_, '_>, name: &str| -> u16 {
        n.attribute(name).and_then(|v| v.parse().ok()).unwrap_or(0)
    };
    for child in node.children().filter(|c| c.is_element()) {
        match child.tag_name().name() {
            "group" => {
                for i in 0..number(child, "count") {
                    let start = base + number(child, "start") + i * number(child, "size");
                    collect(child, start, out, header);
                }
            }
            "field" => {
                let (lo, hi) = (base + number(child, "start"), base + number(child, "end"));
                let name = child.attribute("name").unwrap_or("").to_string();
                if let Some(value) = child
                    .attribute("default")
                    .and_then(|d| d.parse::<u32>().ok())
                    && hi < 32
                {
                    header.0 |= value << lo;
                    header.1 |= ((1u64 << (hi + 1)) - (1u64 << lo)) as u32;
                }
                out.push((name, lo, hi));
            }
            _ => {}
        }
    }
}
