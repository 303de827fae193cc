//! The structures read from a graphics pipeline's chains against Khronos' registry.

use std::collections::BTreeSet;

use super::READ_STRUCTURES;
use crate::testing::registry::{extending_types, registry, type_name};

#[test]
fn every_structure_of_a_graphics_pipelines_chains_is_read() {
    let Some(tree) = registry() else { return };
    for (head, read) in READ_STRUCTURES {
        let read: BTreeSet<_> = read.iter().map(|s_type| s_type.as_raw()).collect();
        let expected = extending_types(tree, head, false);
        let names = |of: &BTreeSet<i32>| of.iter().map(|s| type_name(tree, *s)).collect::<Vec<_>>();
        assert_eq!(names(&read), names(&expected), "{head}");
    }
}
