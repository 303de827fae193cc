//! The table of property structures against Khronos' registry.

mod limits;

use std::collections::BTreeSet;

use super::STRUCTURES;
use crate::testing::registry::{extending_types, registry, type_name};

#[test]
fn property_structures_match_the_registry() {
    let Some(tree) = registry() else { return };
    let known: BTreeSet<_> = STRUCTURES.iter().copied().map(type_name).collect();
    let expected = extending_types(tree, "VkPhysicalDeviceProperties2", false);
    assert!(expected.len() > 8);
    assert_eq!(known, expected.into_iter().map(String::from).collect());
}
