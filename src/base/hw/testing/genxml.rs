//! Reader of genxml, Mesa's descriptions of packets and state structures, with which the tables are
//! compared.
//!
//! In:  the folder that INGOT_GENXML names (Mesa: src/intel/genxml).
//! Out: the instructions and structures of a generation, groups of fields unrolled.
//! Ref: Mesa, `intel_genxml.py`: an `<import>` brings in all items of another file but those that
//!      it excludes, and those that the importing file defines itself.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use roxmltree::{Document, Node};

/// The folder of genxml files. `None` if INGOT_GENXML is not set; with INGOT_REQUIRE_TOOLS set that
/// is a failure.
pub fn folder() -> Option<PathBuf> {
    let folder = std::env::var_os("INGOT_GENXML").map(PathBuf::from);
    if folder.is_none() {
        skip("INGOT_GENXML does not name a folder of genxml files");
    }
    folder
}

/// Reports that a comparison is skipped; fails if INGOT_REQUIRE_TOOLS is set.
pub fn skip(reason: &str) {
    let required = std::env::var_os("INGOT_REQUIRE_TOOLS").is_some();
    assert!(!required, "{reason}");
    eprintln!("skipped: {reason}");
}

/// Kinds of items, by the name of their XML element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ItemKind {
    Instruction,
    Struct,
}

/// A field of an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    pub name: String,
    /// Lowest bit, counted from the start of the item.
    pub lo: u16,
    /// Highest bit.
    pub hi: u16,
    /// The only value, for fields that are part of an instruction's header.
    pub default: Option<u32>,
    /// Named values.
    pub values: Vec<(String, u32)>,
}

/// An instruction or a structure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Item {
    /// Length in dwords, 0 if it varies.
    pub length: u16,
    /// Fields, those of groups once for each repetition.
    pub fields: Vec<Field>,
}

impl Item {
    /// The value with this name of the field with this name.
    pub fn value(&self, field: &str, value: &str) -> Option<u32> {
        let field = self.fields.iter().find(|f| f.name == field)?;
        let found = field.values.iter().find(|v| v.0 == value)?;
        Some(found.1)
    }

    /// Bits of the first dword that have a fixed value, and the mask of these bits.
    pub fn header(&self) -> (u32, u32) {
        let mut header = (0, 0);
        for field in self.fields.iter().filter(|field| field.hi < 32) {
            if let Some(value) = field.default {
                header.0 |= value << field.lo;
                header.1 |= ((1u64 << (field.hi + 1)) - (1u64 << field.lo)) as u32;
            }
        }
        header
    }
}

/// The items of a generation.
#[derive(Debug, Default)]
pub struct Genxml {
    items: BTreeMap<(ItemKind, String), Item>,
}

impl Genxml {
    /// Reads a file and the files that it imports, which are beside it.
    pub fn read(path: &Path) -> Genxml {
        let folder = path.parent().expect("a path with a folder");
        let name = path.file_name().and_then(|name| name.to_str());
        let text = |name: &str| {
            let path = folder.join(name);
            std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
        };
        Genxml::load(name.expect("a file name"), &text)
    }

    /// Reads the file `name`; `text` returns the text of a file by its name.
    fn load(name: &str, text: &dyn Fn(&str) -> String) -> Genxml {
        let source = text(name);
        let document = Document::parse(&source).unwrap_or_else(|e| panic!("{name}: {e}"));
        let mut genxml = Genxml::default();
        let named = elements(document.root_element()).filter(|n| n.has_tag_name("enum"));
        let enums: Enums = named.map(|n| (attribute(n, "name"), values(n))).collect();
        for node in elements(document.root_element()) {
            let kind = match node.tag_name().name() {
                "instruction" => ItemKind::Instruction,
                "struct" => ItemKind::Struct,
                _ => continue,
            };
            let mut item = Item {
                length: number(node, "length"),
                fields: Vec::new(),
            };
            collect_fields(node, 0, &enums, &mut item.fields);
            genxml.items.insert((kind, attribute(node, "name")), item);
        }
        for import in elements(document.root_element()).filter(|n| n.has_tag_name("import")) {
            let excluded: BTreeSet<String> = elements(import)
                .filter(|n| n.has_tag_name("exclude"))
                .map(|n| attribute(n, "name"))
                .collect();
            let imported = Genxml::load(&attribute(import, "name"), text);
            for (key, item) in imported.items {
                if !excluded.contains(&key.1) {
                    genxml.items.entry(key).or_insert(item);
                }
            }
        }
        genxml
    }

    /// The item of this kind with this name.
    pub fn get(&self, kind: ItemKind, name: &str) -> Option<&Item> {
        self.items.get(&(kind, name.to_string()))
    }
}

fn elements<'a, 'i>(node: Node<'a, 'i>) -> impl Iterator<Item = Node<'a, 'i>> {
    node.children().filter(|child| child.is_element())
}

fn attribute(node: Node<'_, '_>, name: &str) -> String {
    node.attribute(name).unwrap_or_default().to_string()
}

/// A numeric attribute, 0 if it is missing.
fn number(node: Node<'_, '_>, name: &str) -> u16 {
    let text = node.attribute(name).unwrap_or("0");
    text.parse()
        .unwrap_or_else(|e| panic!("{name}={text}: {e}"))
}

fn parse_value(text: &str) -> Option<u32> {
    match text.strip_prefix("0x") {
        Some(hex) => u32::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    }
}

/// The `<value>` children of a field or an enumeration.
fn values(node: Node<'_, '_>) -> Vec<(String, u32)> {
    let value = |n: Node<'_, '_>| {
        let value = parse_value(n.attribute("value")?)?;
        Some((attribute(n, "name"), value))
    };
    elements(node).filter_map(value).collect()
}

/// Enumerations of a file, by name: a field without values of its own has those of its type.
type Enums = BTreeMap<String, Vec<(String, u32)>>;

/// Collects the fields of a node that starts at bit `base`; groups are unrolled.
fn collect_fields(node: Node<'_, '_>, base: u16, enums: &Enums, fields: &mut Vec<Field>) {
    for child in elements(node) {
        match child.tag_name().name() {
            "group" => {
                for i in 0..number(child, "count") {
                    let start = base + number(child, "start") + i * number(child, "size");
                    collect_fields(child, start, enums, fields);
                }
            }
            "field" => {
                let mut values = values(child);
                if let (true, Some(named)) = (values.is_empty(), child.attribute("type")) {
                    values = enums.get(named).cloned().unwrap_or_default();
                }
                fields.push(Field {
                    name: attribute(child, "name"),
                    lo: base + number(child, "start"),
                    hi: base + number(child, "end"),
                    default: child.attribute("default").and_then(parse_value),
                    values,
                });
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = r#"<genxml>
        <struct name="A" length="1"><field name="x" start="0" end="3"/></struct>
        <struct name="B" length="1"><field name="x" start="0" end="3"/></struct>
        <instruction name="C" length="2"><field name="x" start="0" end="3"/></instruction>
        <instruction name="D" length="2"><field name="x" start="0" end="3"/></instruction>
    </genxml>"#;
    const NEW: &str = r#"<genxml>
        <import name="old.xml"><exclude name="B"/><exclude name="D"/></import>
        <instruction name="C" length="3"><field name="y" start="4" end="7" default="0x5"/></instruction>
    </genxml>"#;
    const NEWER: &str = r#"<genxml><import name="new.xml"/></genxml>"#;

    fn load(name: &str) -> Genxml {
        Genxml::load(name, &|name| {
            let text = match name {
                "old.xml" => OLD,
                "new.xml" => NEW,
                _ => NEWER,
            };
            text.to_string()
        })
    }

    #[test]
    fn imports_are_merged_without_excluded_and_redefined_items() {
        for name in ["new.xml", "newer.xml"] {
            let genxml = load(name);
            assert!(genxml.get(ItemKind::Struct, "A").is_some());
            assert!(genxml.get(ItemKind::Struct, "B").is_none());
            assert!(genxml.get(ItemKind::Instruction, "D").is_none());
            let c = genxml.get(ItemKind::Instruction, "C").expect("C");
            assert_eq!((c.length, c.fields.len()), (3, 1));
            assert_eq!(c.header(), (0x50, 0xf0));
        }
    }
}
