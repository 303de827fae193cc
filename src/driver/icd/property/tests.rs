//! The table of property structures against Khronos' registry.

mod limits;

use std::collections::BTreeSet;

use super::STRUCTURES;
use crate::testing::registry::{extending_types, registry, type_name};

#[test]
fn property_structures_match_the_registry() {
    let Some(tree) = registry() else { return };
    let known: BTreeSet<_> = STRUCTURES.iter().map(|s_type| s_type.as_raw()).collect();
    let expected = extending_types(tree, "VkPhysicalDeviceProperties2", false);
    assert!(expected.len() > 8);
    let names = |of: &BTreeSet<i32>| of.iter().map(|s| type_name(tree, *s)).collect::<Vec<_>>();
    assert_eq!(names(&known), names(&expected));
}
