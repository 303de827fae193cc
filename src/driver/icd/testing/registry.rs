//! Khronos' registry, for tests that compare the driver's tables with it.
//!
//! In:  vk.xml, read at run time and not part of the repository: INGOT_VK_XML names it (.ci/run
//!      installs it from a Python package of Khronos'), or else it is that of libvulkan-dev. Out:
//!      its structures, extensions and versions. Where there is none that knows Vulkan 1.4, these
//!      tests print so and pass, unless INGOT_REQUIRE_TOOLS=1 makes that a failure.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use roxmltree::{Document, Node};
use vk::extension::{API_VERSION, DEVICE, Extension, INSTANCE};
use vk::feature::OFFERED;

const INSTALLED: &str = "/usr/share/vulkan/registry/vk.xml";

/// Reads the registry. Err: one line.
fn read() -> Result<Document<'static>, String> {
    let path = std::env::var("INGOT_VK_XML").unwrap_or_else(|_| INSTALLED.into());
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
    // The names of 1.4 are canonical where extensions were promoted.
    if !text.contains("VK_VERSION_1_4") {
        return Err(format!(
            "{path} is older than Vulkan 1.4; INGOT_VK_XML can name another"
        ));
    }
    Document::parse(text.leak()).map_err(|error| format!("{path}: {error}"))
}

/// The registry, or none if it is not installed.
pub(crate) fn registry() -> Option<&'static Document<'static>> {
    static TREE: OnceLock<Option<Document<'static>>> = OnceLock::new();
    TREE.get_or_init(|| match read() {
        Ok(tree) => Some(tree),
        Err(why) => {
            let required = std::env::var_os("INGOT_REQUIRE_TOOLS").is_some();
            assert!(!required, "{why}");
            eprintln!("skipped: {why}");
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

/// The version number of a name such as `VK_VERSION_1_2`, or of a part of a version such as
/// `VK_COMPUTE_VERSION_1_2`, with patch 0.
pub(crate) fn version(name: &str) -> Option<u32> {
    let name = name.strip_prefix("VK_")?;
    let parts = ["BASE_", "COMPUTE_", "GRAPHICS_"];
    let whole = parts.into_iter().find_map(|part| name.strip_prefix(part));
    let numbers = whole.unwrap_or(name).strip_prefix("VERSION_")?;
    let (major, minor) = numbers.split_once('_')?;
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
                None => match expression.split_once("::") {
                    // A feature: structure and member.
                    Some((_, member)) => OFFERED.iter().any(|row| row.name == member),
                    None => advertised(expression).is_some(),
                },
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

/// The values of the enumerators of VkStructureType, by name.
fn structure_types(tree: &'static Document<'static>) -> &'static BTreeMap<&'static str, i32> {
    static TYPES: OnceLock<BTreeMap<&'static str, i32>> = OnceLock::new();
    TYPES.get_or_init(|| {
        let root = tree.root_element();
        let nodes: Vec<_> = root
            .descendants()
            .filter(|node| node.has_tag_name("enum"))
            .filter(|node| {
                let owner = node.parent().and_then(|parent| parent.attribute("name"));
                node.attribute("extends") == Some("VkStructureType")
                    || owner == Some("VkStructureType")
            })
            .filter_map(|node| Some((node.attribute("name")?, node)))
            .collect();
        let mut values: BTreeMap<_, _> = nodes
            .iter()
            .filter_map(|&(name, node)| Some((name, enumerator_value(node)?)))
            .collect();
        for (name, node) in nodes {
            let target = node.attribute("alias").and_then(|alias| values.get(alias));
            if let Some(&value) = target {
                values.insert(name, value);
            }
        }
        values
    })
}

/// The value of an enumerator that is no alias: its own, or that of an offset in the block of an
/// extension (Vulkan style guide, "Assigning Extension Token Values").
fn enumerator_value(node: Node<'static, 'static>) -> Option<i32> {
    if let Some(value) = node.attribute("value") {
        return value.parse().ok();
    }
    let offset: i32 = node.attribute("offset")?.parse().ok()?;
    let of_parent = |node: Node<'static, 'static>| {
        let extension = node.ancestors().find(|node| node.has_tag_name("extension"));
        extension.and_then(|node| node.attribute("number"))
    };
    let number = node.attribute("extnumber").or_else(|| of_parent(node))?;
    let number: i32 = number.parse().ok()?;
    Some(1_000_000_000 + (number - 1) * 1000 + offset)
}

/// The `sType` of a structure. `None`: it has none.
pub(crate) fn s_type(
    tree: &'static Document<'static>,
    node: Node<'static, 'static>,
) -> Option<i32> {
    let name = children(node, "member").next()?.attribute("values")?;
    structure_types(tree).get(name).copied()
}

/// The name of an `sType`, for messages.
pub(crate) fn type_name(tree: &'static Document<'static>, s_type: i32) -> &'static str {
    let mut all = structure_types(tree).iter();
    let found = all.find(|(_, value)| **value == s_type);
    found.map_or("a type that the registry does not have", |(name, _)| name)
}

/// The `sType`s of the structures that extend `head` and come from a core version (with `above`,
/// also a later one than the advertised) or an advertised extension.
pub(crate) fn extending_types(
    tree: &'static Document<'static>,
    head: &str,
    above: bool,
) -> BTreeSet<i32> {
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
        .filter_map(|node| s_type(tree, node))
        .collect()
}
