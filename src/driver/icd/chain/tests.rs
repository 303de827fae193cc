//! The table of feature structures against Khronos' registry.

use std::collections::{BTreeMap, BTreeSet};

use crate::testing::registry::{
    child_text, children, extending_types, is_vulkan, registry, s_type, structures, type_name,
};

#[test]
fn feature_structures_match_the_registry() {
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
            .filter(|member| is_vulkan(member.attribute("api")))
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
    let expected = extending_types(tree, "VkPhysicalDeviceFeatures2", true);
    assert!(expected.len() > 30);
    assert_eq!(known, expected.into_iter().map(String::from).collect());
}
