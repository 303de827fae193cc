//! Khronos' registry, for tests that compare the driver's tables with it.
//!
//! In:  vk.xml (Debian: libvulkan-dev), read at run time and not part of the repository. Out: its
//!      structures, extensions and versions. Where it is not installed these tests print so and
//!      pass, unless INGOT_REQUIRE_TOOLS=1 makes that a failure.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use roxmltree::{Document, Node};
use vk::extension::{API_VERSION, DEVICE, Extension, INSTANCE};

const REGISTRY: &str = "/usr/share/vulkan/registry/vk.xml";

/// The registry, or none if it is not installed.
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

/// The child elements with a tag.
pub(crate) fn children<'a>(
    node: Node<'a, 'a>,
    tag: &'static str,
) -> impl Iterator<Item = Node<'a, 'a>> {
    node.children().filter(move |child| child.has_tag_name(tag))
}

/// The text of the first child element with a tag, or "".
pub(crate) fn child_text<'a>(node: Node<'a, 'a>, tag: &'static str) -> &'a str {
    children(node, tag)
        .next()
        .and_then(|child| child.text())
        .unwrap_or_default()
}

/// Whether a list of APIs contains Vulkan; a missing list means all APIs.
pub(crate) fn is_vulkan(list: Option<&str>) -> bool {
    list.is_none_or(|list| list.split(',').any(|api| api == "vulkan"))
}

/// The version number of a name such as `VK_VERSION_1_2`, with patch 0.
pub(crate) fn version(name: &str) -> Option<u32> {
    let (major, minor) = name.strip_prefix("VK_VERSION_")?.split_once('_')?;
    Some(ash::vk::make_api_version(
        0,
        major.parse().ok()?,
        minor.parse().ok()?,
        0,
    ))
}

/// The row of an extension that the driver advertises.
pub(crate) fn advertised(name: &str) -> Option<&'static Extension> {
    [INSTANCE, DEVICE]
        .into_iter()
        .find_map(|table| vk::extension::find(table, name))
}

/// The core versions, each with whether it is at most the advertised one.
pub(crate) fn versions(
    tree: &'static Document<'static>,
) -> impl Iterator<Item = (Node<'static, 'static>, bool)> {
    children(tree.root_element(), "feature")
        .filter(|node| is_vulkan(node.attribute("api")))
        .filter_map(|node| Some((node, version(node.attribute("name")?)? <= API_VERSION)))
}

/// The extensions of Vulkan.
pub(crate) fn extensions(
    tree: &'static Document<'static>,
) -> impl Iterator<Item = Node<'static, 'static>> {
    children(tree.root_element(), "extensions")
        .flat_map(|list| children(list, "extension"))
        .filter(|node| is_vulkan(node.attribute("supported")))
}

/// Whether the advertised versions and extensions satisfy an expression of names, `+` (and), `,`
/// (or) and brackets.
pub(crate) fn is_satisfied(expression: &str) -> bool {
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
        Some((at, '+')) => is_satisfied(&expression[..at]) && is_satisfied(&expression[at + 1..]),
        Some((at, _)) => is_satisfied(&expression[..at]) || is_satisfied(&expression[at + 1..]),
        None => match expression
            .strip_prefix('(')
            .and_then(|inner| inner.strip_suffix(')'))
        {
            Some(inner) => is_satisfied(inner),
            None => match version(expression) {
                Some(version) => version <= API_VERSION,
                None => advertised(expression).is_some(),
            },
        },
    }
}

/// The names of one kind ("type", "command") that a version or an extension requires, in groups
/// whose dependencies are advertised.
pub(crate) fn required_names(
    node: Node<'static, 'static>,
    kind: &'static str,
) -> impl Iterator<Item = &'static str> {
    children(node, "require")
        .filter(|part| is_vulkan(part.attribute("api")))
        .filter(|part| {
            ["feature", "extension", "depends"]
                .into_iter()
                .filter_map(|attribute| part.attribute(attribute))
                .all(is_satisfied)
        })
        .flat_map(move |part| children(part, kind))
        .filter_map(|item| item.attribute("name"))
}

/// Structures by name, with aliases resolved.
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

/// Whether a structure may extend another one's `pNext` chain.
fn extends(node: Node<'static, 'static>, what: &str) -> bool {
    node.attribute("structextends")
        .is_some_and(|list| list.split(',').any(|name| name == what))
}

/// The `sType` of a structure, by its enumerator's name.
pub(crate) fn s_type(node: Node<'static, 'static>) -> &'static str {
    children(node, "member")
        .next()
        .and_then(|member| member.attribute("values"))
        .unwrap_or_default()
}

/// The registry's name of an `sType`; an older registry has the name from before an extension's
/// promotion to KHR.
pub(crate) fn type_name(s_type: ash::vk::StructureType) -> String {
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

/// The `sType`s of the structures that extend `head` and come from a core version (with `above`,
/// also a later one than the advertised) or an advertised extension.
pub(crate) fn extending_types(
    tree: &'static Document<'static>,
    head: &str,
    above: bool,
) -> BTreeSet<&'static str> {
    let all = structures(tree);
    let core = versions(tree)
        .filter(|(_, within)| above || *within)
        .map(|(node, _)| node);
    let listed = extensions(tree).filter(|node| {
        node.attribute("name")
            .is_some_and(|name| advertised(name).is_some())
    });
    core.chain(listed)
        .flat_map(|node| required_names(node, "type"))
        .filter_map(|name| all.get(name).copied())
        .filter(|node| extends(*node, head))
        .map(s_type)
        .collect()
}
