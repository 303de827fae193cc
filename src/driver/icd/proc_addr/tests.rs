//! Lookups, and the entry points against Khronos' registry.

use std::collections::{BTreeMap, BTreeSet};

use roxmltree::Node;

use super::*;
use crate::testing::registry::{
    advertised, child_text, children, extensions, registry, required_names, version, versions,
};

#[test]
fn names_are_unique_and_promoted_ones_resolve() {
    let total: usize = TABLES
        .iter()
        .chain([&PROC_ADDR])
        .map(|table| table.len())
        .sum();
    assert_eq!(rows().len(), total + PROMOTED.len());
    for row in rows().values().filter(|row| !row.extension.is_empty()) {
        let known = vk::extension::find(vk::extension::DEVICE, row.extension)
            .or(vk::extension::find(vk::extension::INSTANCE, row.extension));
        assert!(known.is_some(), "{} of {}", row.name, row.extension);
    }
}

#[test]
fn without_an_instance_only_global_commands_resolve() {
    let resolve = |name: &std::ffi::CStr| {
        // SAFETY: a null instance and a string.
        unsafe { instance_pointer(c::Instance::null(), name.as_ptr()) }.is_some()
    };
    for name in [
        c"vkCreateInstance",
        c"vkEnumerateInstanceVersion",
        c"vkEnumerateInstanceExtensionProperties",
        c"vkEnumerateInstanceLayerProperties",
        c"vkGetInstanceProcAddr",
    ] {
        assert!(resolve(name), "{name:?}");
    }
    assert!(!resolve(c"vkCreateDevice"));
    assert!(!resolve(c"vkQueueSubmit"));
    assert!(!resolve(c"vkFlyToTheMoon"));
}

/// The level of a command, by the type of its first argument.
fn level(command: Node<'static, 'static>) -> DispatchLevel {
    let first = children(command, "param")
        .next()
        .map(|argument| child_text(argument, "type"));
    match first {
        Some("VkInstance") => DispatchLevel::Instance,
        Some("VkPhysicalDevice") => DispatchLevel::Physical,
        Some("VkDevice" | "VkQueue" | "VkCommandBuffer") => DispatchLevel::Device,
        _ => DispatchLevel::Global,
    }
}

/// Whether a command belongs to a newer version than the advertised one.
fn is_hidden(command: &str) -> bool {
    core_version::introduced(command) > vk::extension::API_VERSION
}

#[test]
fn versions_of_commands_match_the_registry() {
    let Some(tree) = registry() else { return };
    let mut wanted: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
    for (node, _) in versions(tree) {
        let introduced = node.attribute("name").and_then(version);
        for name in required_names(node, "command") {
            wanted.entry(introduced.unwrap()).or_default().insert(name);
        }
    }
    wanted.remove(&c::API_VERSION_1_0);
    let table = core_version::COMMANDS.iter();
    let table: BTreeMap<_, BTreeSet<_>> = table
        .map(|&(version, names)| (version, names.iter().copied().collect()))
        .collect();
    assert_eq!(table, wanted);
}

#[test]
fn entry_points_match_the_registry() {
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
    // The sources of each command; "" is core, as in the rows.
    let mut wanted: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    // With the commands of newer versions, which the tables may have already.
    let mut newer = BTreeSet::new();
    for (node, within) in versions(tree) {
        for name in required_names(node, "command") {
            if within {
                wanted.entry(name).or_default().insert("");
            } else {
                newer.insert(name);
            }
        }
    }
    for node in extensions(tree) {
        let Some(extension) = node
            .attribute("name")
            .filter(|name| advertised(name).is_some())
        else {
            continue;
        };
        for name in required_names(node, "command") {
            wanted.entry(name).or_default().insert(extension);
        }
    }
    let rows = rows();
    let missing: Vec<_> = wanted
        .keys()
        .filter(|name| !rows.contains_key(*name))
        .collect();
    assert!(missing.is_empty(), "no entry point: {missing:?}");
    let unneeded: Vec<_> = rows
        .values()
        .filter(|row| !wanted.contains_key(row.name))
        .map(|row| row.name)
        .filter(|name| !(newer.contains(name) && is_hidden(name)))
        .collect();
    assert!(
        unneeded.is_empty(),
        "belong to nothing advertised: {unneeded:?}"
    );
    for row in rows.values() {
        let Some(sources) = wanted.get(row.name) else {
            continue;
        };
        assert!(
            sources.contains(row.extension),
            "{}: {sources:?}, not {:?}",
            row.name,
            row.extension
        );
        let core = aliases.get(row.name).copied().unwrap_or(row.name);
        let expected = if row.name == "vkGetInstanceProcAddr" {
            DispatchLevel::Global
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

#[test]
fn states_of_shader_objects_match_the_registry() {
    let Some(tree) = registry() else { return };
    let mut all = extensions(tree);
    let node = all.find(|node| node.attribute("name") == Some("VK_EXT_shader_object"));
    let rows = rows();
    let others: BTreeSet<_> = required_names(node.unwrap(), "command")
        .filter(|name| rows[name].extension != "VK_EXT_shader_object")
        .collect();
    assert_eq!(
        SHADER_OBJECT_STATES
            .iter()
            .copied()
            .collect::<BTreeSet<_>>(),
        others
    );
}
