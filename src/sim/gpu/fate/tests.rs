//! Compares the fate tables with the field tables and with the sources of the units.

use crate::fate::check::{all, check, fates_of};
use crate::fate::length;
use crate::fate::table::{Fate, Fates};
use crate::rules::RULES;
use eu::StopReason;
use hw::Packet;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

fn packets() -> impl Iterator<Item = &'static Packet> {
    let tables = [
        hw::mi::ALL,
        hw::media::ALL,
        hw::draw::ALL,
        hw::draw_state::ALL,
        hw::state::ALL,
    ];
    tables.into_iter().flatten().copied()
}

/// Covers the generations whose tables are complete.
#[test]
fn every_command_of_a_supported_generation_has_fates() {
    for hw_gen in hw::batch::COMPLETE_GENERATIONS {
        for packet in hw::batch::packets(*hw_gen) {
            assert!(fates_of(packet).is_some(), "{hw_gen:?}: {}", packet.name);
        }
    }
}

/// Every length that a command's header can have: its handler reads all of it, or the command stops
/// and is named.
#[test]
fn no_command_is_longer_than_what_its_handler_reads() {
    let stops = |packet: &Packet, length| match length::check(packet, length, 7) {
        Ok(()) => false,
        Err(StopReason::Unimplemented { what, at: 7 }) => {
            assert_eq!(what, format!("{} of {length} dwords", packet.name));
            true
        }
        other => panic!("{}: {other:?}", packet.name),
    };
    let mut lengths = 0;
    for packet in hw::batch::packets(hw::Gen::Gen9) {
        let fates = fates_of(packet).expect("an entry");
        let repeats = length::repeats_of(packet);
        assert!(
            packet.dwords != 0 || fates.never() || repeats.is_some(),
            "{} has no length",
            packet.name
        );
        let longest = usize::from(packet.length_bias) + packet.length_mask as usize;
        for length in usize::from(packet.length_bias)..=longest {
            lengths += 1;
            let read = match repeats {
                Some(repeats) => repeats.read_whole(length),
                None => length <= usize::from(packet.dwords) || packet.dwords == 0,
            };
            assert_eq!(stops(packet, length), !read, "{} of {length}", packet.name);
        }
    }
    assert!(lengths > 10_000, "only {lengths} lengths");
    // From the documents: a page table entry each, registers in pairs, 33 buffers and 34 elements.
    use hw::{draw, mi};
    for (packet, whole, longer) in [
        (&mi::mi_store_data_imm::PACKET, vec![4, 5, 11, 1025], vec![]),
        (&mi::mi_load_register_imm::PACKET, vec![3, 257], vec![4]),
        (&mi::mi_copy_mem_mem::PACKET, vec![5], vec![6, 7]),
        (&mi::mi_atomic::PACKET, vec![3, 11], vec![12]),
        (&draw::primitive::PACKET, vec![7], vec![8, 10]),
        (
            &draw::state_vertex_buffers::PACKET,
            vec![5, 133],
            vec![6, 137],
        ),
        (
            &draw::state_vertex_elements::PACKET,
            vec![3, 69],
            vec![4, 71],
        ),
        (
            &draw::state_so_decl_list::PACKET,
            vec![3, 259],
            vec![4, 261],
        ),
        (
            &hw::media::state_base_address::PACKET,
            vec![16, 19],
            vec![20],
        ),
    ] {
        for length in whole {
            assert!(!stops(packet, length), "{} of {length}", packet.name);
        }
        for length in longer {
            assert!(stops(packet, length), "{} of {length}", packet.name);
        }
    }
}

#[test]
fn every_field_has_one_fate() {
    let mut fields = 0;
    for packet in packets() {
        let fates = fates_of(packet).unwrap_or_else(|| panic!("{} has no entry", packet.name));
        for field in packet.fields {
            fields += 1;
            let found: Vec<Fate> = fates.all_of(field).collect();
            let name = (packet.name, field.name, field.lo);
            assert_eq!(found.len(), 1, "{name:?} has the fates {found:?}");
        }
    }
    assert!(fields > 1000, "only {fields} fields");
    let entries = all().count();
    assert_eq!(entries, packets().count(), "a packet has two entries");
}

#[test]
fn table_rows_name_existing_fields() {
    for fates in all() {
        for (which, fate) in fates.rows {
            for which in *which {
                let used = fates.packet.fields.iter().any(|field| which.is(field));
                let name = fates.packet.name;
                let empty = fates.packet.fields.is_empty();
                assert!(used || empty, "{name}: {which:?} is no field");
            }
            if let Fate::Ruled(rule) | Fate::Allows(rule) = fate {
                let known = RULES.iter().any(|known| known.name == *rule);
                assert!(known, "{}: no rule {rule}", fates.packet.name);
            }
        }
    }
}

/// Gives fields that may have certain values only the first of them.
fn set_demanded(fates: &Fates, words: &mut [u32]) {
    for field in fates.packet.fields {
        if let Some(Fate::Only(values, _)) = fates.field_fate(field) {
            field.set(words, values[0]);
        }
    }
}

/// A refused field, and an illegal value of a restricted one, are errors that name the packet and
/// the field.
#[test]
fn refused_fields_stop_and_required_values_are_checked() {
    let (mut refused, mut demanded) = (0, 0);
    for fates in all() {
        let packet = fates.packet;
        let dwords = packet.fields.iter().map(|f| usize::from(f.hi) / 32 + 1);
        let dwords = dwords.max().unwrap_or(1).max(packet.dwords.into());
        for field in packet.fields {
            let mut words = vec![0; dwords];
            let fate = fates.field_fate(field);
            set_demanded(fates, &mut words);
            let result = check(packet, &words, true, 0);
            assert!(
                result.is_ok() || fates.never(),
                "{}: {result:?}",
                packet.name
            );
            let unit = if field.bits() == 64 {
                1
            } else {
                1u64 << (field.lo % 32)
            };
            let one = match field.kind {
                hw::FieldKind::Address | hw::FieldKind::Offset => unit,
                _ => 1,
            };
            match fate {
                Some(Fate::Refused) => {
                    refused += 1;
                    field.set(&mut words, one);
                    match check(packet, &words, false, 7) {
                        Err(StopReason::Unimplemented { what, at: 7 }) => {
                            assert_eq!(what, format!("{}, {}", packet.name, field.name));
                        }
                        other => panic!("{} {}: {other:?}", packet.name, field.name),
                    }
                }
                Some(Fate::Only(values, _)) => {
                    demanded += 1;
                    let wrong = (0..)
                        .find(|value| !values.contains(value))
                        .expect("a value");
                    field.set(&mut words, wrong);
                    assert_eq!(check(packet, &words, false, 0), Ok(()));
                    let found = check(packet, &words, true, 0);
                    let named = matches!(&found, Err(StopReason::Undefined { rule: "field-value", what, .. })
                        if what.contains(field.name));
                    assert!(named, "{} {}: {found:?}", packet.name, field.name);
                }
                Some(Fate::Never) => assert!(check(packet, &words, false, 0).is_err()),
                _ => {}
            }
        }
    }
    assert!(
        refused > 50 && demanded > 10,
        "{refused} refused, {demanded} demanded"
    );
}

/// Of each field with reserved values: the first of them ends a batch in strict mode, and only
/// there; those listed do not.
#[test]
fn reserved_values_stop() {
    for legal in super::legal::LEGAL {
        for field in legal.fields {
            let mut words = vec![0; 32];
            if let Some(fates) = all().find(|fates| std::ptr::eq(fates.packet, legal.packet)) {
                set_demanded(fates, &mut words);
            }
            let legal_values = legal.values(field);
            for value in &legal_values {
                field.set(&mut words, *value);
                assert_eq!(
                    check(legal.packet, &words, true, 0),
                    Ok(()),
                    "{}",
                    field.name
                );
            }
            let reserved = (0..1 << field.bits()).find(|value| !legal_values.contains(value));
            let reserved =
                reserved.unwrap_or_else(|| panic!("{} has no reserved value", field.name));
            field.set(&mut words, reserved);
            let found = check(legal.packet, &words, true, 5);
            let named = matches!(&found, Err(StopReason::Undefined { rule: "field-value", what, at: 5, .. })
                if what.contains(field.name));
            assert!(named, "{} {}: {found:?}", legal.packet.name, field.name);
            assert_eq!(check(legal.packet, &words, false, 0), Ok(()));
        }
    }
}

/// Structures embedded in commands are checked like those in memory.
#[test]
fn structures_in_commands_are_checked() {
    use hw::{
        draw::state_vertex_elements as elements, draw_state::vertex_element_state as element,
    };
    let mut words = vec![elements::PACKET.header | 3, 0, 0, 0, 0];
    assert_eq!(check(&elements::PACKET, &words, true, 0), Ok(()));
    element::COMPONENT_1_CONTROL.set(&mut words[3..], 5);
    let found = check(&elements::PACKET, &words, true, 0);
    assert!(
        matches!(
            found,
            Err(StopReason::Undefined {
                rule: "field-value",
                ..
            })
        ),
        "{found:?}"
    );
}

/// Sources of the units, without tests: name from the crate's folder on, text without comments and
/// literals.
fn sources() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders: Vec<PathBuf> = vec![root.into()];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path.strip_prefix(root).expect("below").to_string_lossy();
            let name = name.into_owned();
            let fixture = name.ends_with("rig.rs") || name.ends_with("testing.rs");
            let tests = name.ends_with("tests.rs") || name.ends_with("/tests");
            if name == "fate" || fixture || tests {
                continue;
            } else if path.is_dir() {
                folders.push(path);
            } else if name.ends_with(".rs") {
                let text = std::fs::read_to_string(&path).expect("a text");
                let code = text.split("#[cfg(test)]\nmod tests {").next();
                let lines = code.unwrap_or_default().lines();
                let bare: Vec<&str> = lines
                    .map(|line| line.split("//").next().unwrap_or_default())
                    .collect();
                // Literals hold no names of fields: every other piece between quotes.
                let text = bare.join("\n");
                let pieces: Vec<&str> = text.split('"').step_by(2).collect();
                found.push((name, pieces.join(" ")));
            }
        }
    }
    found
}

fn tokens(text: &str) -> Vec<&str> {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match word(first) {
            true => rest.find(|c| !word(c)).unwrap_or(rest.len()),
            false if rest.starts_with("::") => 2,
            false => first.len_utf8(),
        };
        let (token, after) = rest.split_at(length);
        if !first.is_whitespace() {
            out.push(token);
        }
        rest = after;
    }
    out
}

/// Module and constant of each field that a source names, by scopes of `use`: `module::FIELD`,
/// `alias::FIELD`, and a module with its fields as arguments of a macro.
fn named<'a>(text: &'a str, modules: &BTreeSet<&str>, out: &mut BTreeSet<(String, &'a str)>) {
    let tokens = tokens(text);
    let constant = |t: &str| {
        t.starts_with(|c: char| c.is_ascii_uppercase()) && !t.contains(|c: char| c.is_lowercase())
    };
    let mut scopes: Vec<HashMap<&str, &str>> = vec![HashMap::new()];
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let next = |n: usize| tokens.get(at + n).copied().unwrap_or_default();
        match *token {
            "{" => scopes.push(HashMap::new()),
            "}" if scopes.len() > 1 => drop(scopes.pop()),
            // Not what a type captures.
            "use" if next(1) != "<" => {
                let end = tokens[at..].iter().position(|token| *token == ";");
                let statement = &tokens[at..at + end.unwrap_or(0)];
                for (i, name) in statement.iter().enumerate() {
                    let alias = match statement.get(i + 1..i + 3) {
                        Some(["as", alias]) => alias,
                        _ => name,
                    };
                    if modules.contains(name) {
                        let scope = scopes.last_mut().expect("a scope");
                        scope.insert(alias, name);
                    }
                }
                at += statement.len();
            }
            "::" if constant(next(1)) => {
                let before = tokens[at - 1];
                let known = scopes.iter().rev().find_map(|scope| scope.get(before));
                let module = known.copied().or_else(|| modules.get(before).copied());
                out.extend(module.map(|module| (module.to_string(), next(1))));
            }
            name if modules.contains(name) && next(1) == "," => {
                let arguments = tokens[at..]
                    .iter()
                    .take_while(|t| !matches!(**t, ")" | ";" | "{"));
                let fields = arguments.filter(|t| constant(t));
                out.extend(fields.map(|field| (name.to_string(), *field)));
            }
            _ => {}
        }
        at += 1;
    }
}

/// A packet's name; of its fields the constant, the name and the lowest bit.
type Module = (&'static str, Vec<(String, String, u16)>);

/// Packets by their module: the constants that the sources name are in `hw`'s own text.
fn modules() -> BTreeMap<String, Module> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../base/hw");
    let mut found = BTreeMap::new();
    let draw = ["vertex_fetch", "shader", "raster", "pixel"].map(|part| format!("draw/{part}"));
    let others = ["mi", "media", "draw_state", "state"].map(String::from);
    for file in draw.iter().chain(&others) {
        let text = std::fs::read_to_string(folder.join(format!("{file}.rs"))).expect("a table");
        let mut module = String::new();
        for line in text.lines().map(str::trim) {
            let mut parts = line.splitn(3, '"');
            let (head, name) = (parts.next().unwrap_or_default().trim(), parts.next());
            let rest = parts.next().unwrap_or_default();
            let Some(name) = name.filter(|_| !head.starts_with("//")) else {
                continue;
            };
            if line.ends_with('{') {
                module = head.into();
                let packet = packets().find(|packet| packet.name == name);
                let name = packet.expect("a packet").name;
                found.insert(module.clone(), (name, Vec::new()));
            } else if let Some((lo, _)) = rest.trim().split_once("..") {
                let fields = &mut found.get_mut(&module).expect("a module").1;
                fields.push((head.into(), name.into(), lo.parse().expect("a bit")));
            }
        }
    }
    found
}

#[test]
fn units_and_rules_read_the_fields_that_tables_declare() {
    let modules = modules();
    let names: BTreeSet<&str> = modules.keys().map(String::as_str).collect();
    let sources = sources();
    let (mut units, mut rules) = (BTreeSet::new(), BTreeSet::new());
    for (name, text) in &sources {
        match name.starts_with("strict") || name == "draw/pixel/target_rules.rs" {
            true => named(text, &names, &mut rules),
            false => named(text, &names, &mut units),
        }
    }
    let mut wrong = Vec::new();
    let mut looked_at = 0;
    for (module, (packet, fields)) in &modules {
        let packet = packets().find(|p| p.name == *packet).expect("a packet");
        let fates = fates_of(packet).expect("an entry");
        for (constant, name, lo) in fields {
            let mut same = packet.fields.iter();
            let field = same.find(|field| field.lo == *lo && field.name == name);
            let fate = field.and_then(|field| fates.field_fate(field));
            let key = (module.clone(), constant.as_str());
            let (by_unit, by_rule) = (units.contains(&key), rules.contains(&key));
            looked_at += 1;
            let right = match fate {
                Some(Fate::Modelled | Fate::Bound) => by_unit,
                Some(Fate::Ruled(_) | Fate::Allows(_)) => by_rule,
                Some(Fate::Words(file)) => {
                    let text = sources.iter().find(|(name, _)| name == file);
                    text.is_some_and(|(_, text)| tokens(text).iter().any(|t| t == module))
                }
                Some(_) => !by_unit,
                None => false,
            };
            if !right {
                let asked = match (by_unit, by_rule) {
                    (true, _) => "a unit asks for it",
                    (_, true) => "a rule asks for it",
                    _ => "nobody asks for it",
                };
                wrong.push(format!("{module}::{constant} is {fate:?}, and {asked}"));
            }
        }
    }
    assert!(looked_at > 1000, "only {looked_at} fields were looked at");
    assert!(
        wrong.is_empty(),
        "{} of {looked_at}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// Constants that a table of `isa` or `hw` declares: name and value, of those whose value is one
/// number.
fn numbers(text: &str) -> Vec<(&str, u32)> {
    let lines = text
        .lines()
        .filter_map(|line| line.trim().strip_prefix("pub const "));
    let parts = lines.filter_map(|line| line.split_once(": u32 = "));
    parts
        .filter_map(|(name, value)| {
            let digits = value.trim_end_matches(';').strip_prefix("0x")?;
            let value = u32::from_str_radix(&digits.replace('_', ""), 16).ok()?;
            Some((name, value))
        })
        .collect()
}

#[test]
fn units_and_rules_read_the_descriptor_fields_that_tables_declare() {
    let sources = sources();
    let messages = super::message::MESSAGES;
    let fields = messages.iter().flat_map(|message| message.rows);
    let names = fields
        .flat_map(|row| row.0)
        .filter_map(|f| f.0.split_once("::"));
    let modules: BTreeSet<&str> = names.map(|(module, _)| module).collect();
    let (mut units, mut rules) = (BTreeSet::new(), BTreeSet::new());
    for (name, text) in &sources {
        match name.starts_with("strict") || name == "draw/pixel/target_rules.rs" {
            true => named(text, &modules, &mut rules),
            false => named(text, &modules, &mut units),
        }
    }
    let mut wrong = Vec::new();
    for message in messages {
        for (fields, fate) in message.rows {
            for (name, _) in *fields {
                let Some((module, field)) = name.split_once("::") else {
                    continue;
                };
                let key = (module.to_string(), field);
                let right = match fate {
                    Fate::Modelled => units.contains(&key),
                    Fate::Ruled(rule) => {
                        rules.contains(&key) && RULES.iter().any(|known| known.name == *rule)
                    }
                    // Others may be what another message's are, by the same name.
                    _ => module == "common" || !units.contains(&key),
                };
                if !right {
                    wrong.push(format!("{}, {name}: {fate:?}", message.name));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A register that is called modelled is read, or something is counted in it: some unit names it or
/// one of its neighbours.
#[test]
fn units_use_modelled_registers() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../base/hw/register.rs");
    let table = std::fs::read_to_string(path).expect("a table");
    let known = numbers(&table);
    assert!(known.len() > 15, "only {known:?}");
    let sources = sources();
    let units = sources
        .iter()
        .filter(|(name, _)| !name.starts_with("strict"));
    let mut asked = BTreeSet::new();
    for (_, text) in units {
        let words = tokens(text);
        for (i, word) in words.iter().enumerate() {
            let literal = word
                .strip_prefix("0x")
                .map(|digits| digits.replace('_', ""));
            asked.extend(literal.and_then(|digits| u32::from_str_radix(&digits, 16).ok()));
            let before = i.checked_sub(2).and_then(|i| words.get(i..i + 2));
            if before == Some(&["register", "::"]) {
                asked.extend(
                    known
                        .iter()
                        .filter(|(name, _)| name == word)
                        .map(|(_, value)| *value),
                );
            }
        }
    }
    let mut modelled = 0;
    for registers in super::register::ALL {
        if !registers.is_modelled() {
            continue;
        }
        modelled += 1;
        let found = asked.range(registers.first..=registers.last).next();
        assert!(found.is_some(), "nobody asks for {}", registers.name);
    }
    assert!(modelled > 8, "only {modelled}");
}
