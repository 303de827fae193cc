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
        .filter_map(|node| Some((s_type(tree, node)?, node)))
        .collect();
    let all = structures(tree);
    for row in vk::feature::STRUCTURES {
        let name = type_name(tree, row.s_type.as_raw());
        let node = by_type[&row.s_type.as_raw()];
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
        .map(|row| row.s_type.as_raw())
        .collect();
    assert_eq!(known.len(), vk::feature::STRUCTURES.len());
    let head = ash::vk::StructureType::PHYSICAL_DEVICE_FEATURES_2;
    assert!(known.remove(&head.as_raw()));
    let expected = extending_types(tree, "VkPhysicalDeviceFeatures2", true);
    assert!(expected.len() > 30);
    let names = |of: &BTreeSet<i32>| of.iter().map(|s| type_name(tree, *s)).collect::<Vec<_>>();
    assert_eq!(names(&known), names(&expected));
}
