//! The table of property structures against Khronos' registry.

mod limits;

use std::collections::BTreeSet;

use super::STRUCTURES;
use crate::testing::registry::{extending_types, registry, type_name};

#[test]
fn property_structures_match_the_registry() {
    let Some(tree) = registry() else { return };
    let known: BTreeSet<_> = STRUCTURES.iter().map(|s_type| s_type.as_raw()).collect();
    let head = "VkPhysicalDeviceProperties2";
    let expected = extending_types(tree, head, false);
    // Those of newer versions may be there.
    let allowed = extending_types(tree, head, true);
    assert!(expected.len() > 8);
    let names = |of: &BTreeSet<i32>| -> Vec<_> { of.iter().map(|s| type_name(tree, *s)).collect() };
    assert_eq!(names(&(&expected - &known)), Vec::<&str>::new());
    assert_eq!(names(&(&known - &allowed)), Vec::<&str>::new());
}
