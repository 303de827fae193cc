//! The tables against Khronos' registry.
//!
//! In:  vk.xml (Debian: libvulkan-dev), read here and not kept. Where it is not installed these tests say so and pass, unless
//!      INGOT_REQUIRE_TOOLS=1 makes that a failure.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use roxmltree::{Document, Node};
use vk::extension::{API_VERSION, DEVICE, Extension, INSTANCE};

use crate::entry::Level;
use crate::{lookup, property};

const REGISTRY: &str = "/usr/share/vulkan/registry/vk.xml";

/// The registry, if it is installed.
pub(crate) fn registry() -> Option<&'static Document<'static>> {
    static TREE: OnceLock<Option<Document<'static>>> = OnceLock::new();
    TREE.get_or_init(|| match std::fs::read_to_string(REGISTRY) {
        Ok(text) => Some(Document::parse(text.leak()).unwrap()),
        Err(error) => {
            assert!(
                std::env::var_os("INGOT_REQUIRE_TOOLS").is_none(),
                "{REGISTRY}: {error}"
            );
            eprintln!("skipped: {REGISTRY}: {error}");
            None
        }
    })
    .as_ref()
}

pub(crate) fn children<'a>(
    node: Node<'a, 'a>,
    tag: &'static str,
) -> impl Iterator<Item = Node<'a, 'a>> {
    node.children().filter(move |child| child.has_tag_name(tag))
}

pub(crate) fn child_text<'a>(node: Node<'a, 'a>, tag: &'static str) -> &'a str {
    children(node, tag)
        .next()
        .and_then(|child| child.text())
        .unwrap_or_default()
}

/// Whether a list of APIs names ours; a list that is not there names all.
fn ours(list: Option<&str>) -> bool {
    list.is_none_or(|list| list.split(',').any(|api| api == "vulkan"))
}

/// Version number of `VK_VERSION_1_2`, without a patch.
fn version(name: &str) -> Option<u32> {
    let (major, minor) = name.strip_prefix("VK_VERSION_")?.split_once('_')?;
    Some(ash::vk::make_api_version(
        0,
        major.parse().ok()?,
        minor.parse().ok()?,
        0,
    ))
}

fn offered(name: &str) -> Option<&'static Extension> {
    [INSTANCE, DEVICE]
        .into_iter()
        .find_map(|table| vk::extension::find(table, name))
}

/// The core versions of a registry up to the one offered, and those above.
fn versions(
    tree: &'static Document<'static>,
) -> impl Iterator<Item = (Node<'static, 'static>, bool)> {
    children(tree.root_element(), "feature")
        .filter(|node| ours(node.attribute("api")))
        .filter_map(|node| Some((node, version(node.attribute("name")?)? <= API_VERSION)))
}

fn extensions(tree: &'static Document<'static>) -> impl Iterator<Item = Node<'static, 'static>> {
    children(tree.root_element(), "extensions")
        .flat_map(|list| children(list, "extension"))
        .filter(|node| ours(node.attribute("supported")))
}

/// Whether an expression of names over `+` (and), `,` (or) and brackets holds of what is offered.
fn holds(expression: &str) -> bool {
    let mut depth = 0;
    let split = expression.char_indices().rev().find(|(_, letter)| {
        depth += match letter {
            ')' => 1,
            '(' => -1,
            _ => 0,
        };
        depth == 0 && matches!(letter, '+' | ',')
    });
    match split {
        Some((at, '+')) => holds(&expression[..at]) && holds(&expression[at + 1..]),
        Some((at, _)) => holds(&expression[..at]) || holds(&expression[at + 1..]),
        None => match expression
            .strip_prefix('(')
            .and_then(|inner| inner.strip_suffix(')'))
        {
            Some(inner) => holds(inner),
            None => match version(expression) {
                Some(version) => version <= API_VERSION,
                None => offered(expression).is_some(),
            },
        },
    }
}

/// What a version or an extension brings of one kind ("type", "command"), as far as what it depends on is offered.
fn brings(node: Node<'static, 'static>, kind: &'static str) -> impl Iterator<Item = &'static str> {
    children(node, "require")
        .filter(|part| ours(part.attribute("api")))
        .filter(|part| {
            ["feature", "extension", "depends"]
                .into_iter()
                .filter_map(|attribute| part.attribute(attribute))
                .all(holds)
        })
        .flat_map(move |part| children(part, kind))
        .filter_map(|item| item.attribute("name"))
}

/// Structures by name; an alias is what it stands for.
pub(crate) fn structures(
    tree: &'static Document<'static>,
) -> BTreeMap<&'static str, Node<'static, 'static>> {
    let all: BTreeMap<_, _> = children(tree.root_element(), "types")
        .flat_map(|list| children(list, "type"))
        .filter(|node| node.attribute("category") == Some("struct"))
        .filter_map(|node| Some((node.attribute("name")?, node)))
        .collect();
    let target = |node: Node<'static, 'static>| all.get(node.attribute("alias")?).copied();
    all.iter()
        .map(|(&name, &node)| (name, target(node).unwrap_or(node)))
        .collect()
}

fn extends(node: Node<'static, 'static>, what: &str) -> bool {
    node.attribute("structextends")
        .is_some_and(|list| list.split(',').any(|name| name == what))
}

fn s_type(node: Node<'static, 'static>) -> &'static str {
    children(node, "member")
        .next()
        .and_then(|member| member.attribute("values"))
        .unwrap_or_default()
}

/// The registry's name of a type: where an extension was promoted since, the name before that.
fn type_name(s_type: ash::vk::StructureType) -> String {
    let name = format!("VK_STRUCTURE_TYPE_{s_type:?}");
    let Some(tree) = registry() else { return name };
    let known = |name: &str| {
        structures(tree)
            .into_values()
            .any(|node| self::s_type(node) == name)
    };
    match name.strip_suffix("_KHR").map(|stem| format!("{stem}_EXT")) {
        Some(before) if !known(&name) && known(&before) => before,
        _ => name,
    }
}

/// `sType`s of the structures that chain to `head` and come from a core version or an offered extension.
fn expected(tree: &'static Document<'static>, head: &str, above: bool) -> BTreeSet<&'static str> {
    let all = structures(tree);
    let core = versions(tree)
        .filter(|(_, within)| above || *within)
        .map(|(node, _)| node);
    let listed = extensions(tree).filter(|node| {
        node.attribute("name")
            .is_some_and(|name| offered(name).is_some())
    });
    core.chain(listed)
        .flat_map(|node| brings(node, "type"))
        .filter_map(|name| all.get(name).copied())
        .filter(|node| extends(*node, head))
        .map(s_type)
        .collect()
}

#[test]
fn structures_of_features_are_the_registrys() {
    let Some(tree) = registry() else { return };
    let by_type: BTreeMap<_, _> = structures(tree)
        .into_values()
        .map(|node| (s_type(node), node))
        .collect();
    let all = structures(tree);
    for row in vk::feature::STRUCTURES {
        let name = type_name(row.s_type);
        let node = by_type[name.as_str()];
        // The first structure has VkPhysicalDeviceFeatures for its only member.
        let (node, head) = match node.attribute("name") {
            Some("VkPhysicalDeviceFeatures2") => (all["VkPhysicalDeviceFeatures"], 0),
            _ => (node, 2),
        };
        let members: Vec<_> = children(node, "member")
            .skip(head)
            .filter(|member| ours(member.attribute("api")))
            .collect();
        assert!(
            members
                .iter()
                .all(|member| child_text(*member, "type") == "VkBool32"),
            "{name}"
        );
        let names: Vec<_> = members
            .iter()
            .map(|member| child_text(*member, "name"))
            .collect();
        assert_eq!(names, row.members, "{name}");
    }
    let mut known: BTreeSet<_> = vk::feature::STRUCTURES
        .iter()
        .map(|row| type_name(row.s_type))
        .collect();
    assert_eq!(known.len(), vk::feature::STRUCTURES.len());
    assert!(known.remove("VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2"));
    let expected = expected(tree, "VkPhysicalDeviceFeatures2", true);
    assert!(expected.len() > 30);
    assert_eq!(known, expected.into_iter().map(String::from).collect());
}

#[test]
fn structures_of_properties_are_the_registrys() {
    let Some(tree) = registry() else { return };
    let known: BTreeSet<_> = property::STRUCTURES
        .iter()
        .copied()
        .map(type_name)
        .collect();
    let expected = expected(tree, "VkPhysicalDeviceProperties2", false);
    assert!(expected.len() > 8);
    assert_eq!(known, expected.into_iter().map(String::from).collect());
}

#[test]
fn every_structure_of_a_graphics_pipelines_chains_is_read() {
    let Some(tree) = registry() else { return };
    for (head, read) in crate::graphics_pipeline::READ {
        let read: BTreeSet<_> = read.iter().copied().map(type_name).collect();
        let expected = expected(tree, head, false);
        let expected: BTreeSet<_> = expected.into_iter().map(String::from).collect();
        assert_eq!(read, expected, "{head}");
    }
}

#[test]
fn extensions_are_the_registrys() {
    let Some(tree) = registry() else { return };
    let all: BTreeMap<_, _> = extensions(tree)
        .filter_map(|node| Some((node.attribute("name")?, node)))
        .collect();
    for (kind, rows) in [("instance", INSTANCE), ("device", DEVICE)] {
        for row in rows {
            let node = all[row.name];
            assert_eq!(node.attribute("type"), Some(kind), "{}", row.name);
            let revision = children(node, "require")
                .flat_map(|part| children(part, "enum"))
                .find(|item| {
                    item.attribute("name")
                        .is_some_and(|name| name.ends_with("_SPEC_VERSION"))
                })
                .and_then(|item| item.attribute("value"));
            assert_eq!(
                revision,
                Some(row.spec_version.to_string().as_str()),
                "{}",
                row.name
            );
            let core = node.attribute("promotedto").and_then(version);
            assert_eq!(core, row.core_since, "{}", row.name);
            // An older registry separates all that is needed by commas, a newer one has an expression.
            let needs = node
                .attribute("requires")
                .map(|list| list.replace(',', "+"));
            let needs = needs.as_deref().or(node.attribute("depends"));
            assert!(needs.is_none_or(holds), "{} needs {needs:?}", row.name);
        }
    }
}

/// Who resolves a command, by the type of its first argument.
fn level(command: Node<'static, 'static>) -> Level {
    let first = children(command, "param")
        .next()
        .map(|argument| child_text(argument, "type"));
    match first {
        Some("VkInstance") => Level::Instance,
        Some("VkPhysicalDevice") => Level::Physical,
        Some("VkDevice" | "VkQueue" | "VkCommandBuffer") => Level::Device,
        _ => Level::Global,
    }
}

#[test]
fn entry_points_are_the_registrys() {
    let Some(tree) = registry() else { return };
    let mut commands = BTreeMap::new();
    let mut aliases = BTreeMap::new();
    for node in children(tree.root_element(), "commands").flat_map(|list| children(list, "command"))
    {
        if let (Some(alias), Some(name)) = (node.attribute("alias"), node.attribute("name")) {
            aliases.insert(name, alias);
        } else if let Some(proto) = children(node, "proto").next() {
            commands.insert(child_text(proto, "name"), node);
        }
    }
    // Where each command comes from: "" is core, as the rows have it.
    let mut wanted: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (node, _) in versions(tree).filter(|(_, within)| *within) {
        for name in brings(node, "command") {
            wanted.entry(name).or_default().insert("");
        }
    }
    for node in extensions(tree) {
        let Some(extension) = node
            .attribute("name")
            .filter(|name| offered(name).is_some())
        else {
            continue;
        };
        for name in brings(node, "command") {
            wanted.entry(name).or_default().insert(extension);
        }
    }
    let rows = lookup::rows();
    let missing: Vec<_> = wanted
        .keys()
        .filter(|name| !rows.contains_key(*name))
        .collect();
    assert!(missing.is_empty(), "no entry point: {missing:?}");
    for row in rows.values() {
        let sources = wanted
            .get(row.name)
            .unwrap_or_else(|| panic!("{} belongs to nothing offered", row.name));
        assert!(
            sources.contains(row.extension),
            "{}: {sources:?}, not {:?}",
            row.name,
            row.extension
        );
        let core = aliases.get(row.name).copied().unwrap_or(row.name);
        let expected = if row.name == "vkGetInstanceProcAddr" {
            Level::Global
        } else {
            level(commands[core])
        };
        assert_eq!(row.level, expected, "{}", row.name);
        // An alias of a core function is that function.
        if core != row.name
            && let Some(promoted) = rows.get(core)
        {
            assert!(
                std::ptr::fn_addr_eq(row.pointer, promoted.pointer),
                "{}",
                row.name
            );
        }
    }
}
