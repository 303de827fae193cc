//! The structures read from a graphics pipeline's chains against Khronos' registry.

use std::collections::BTreeSet;

use super::READ_STRUCTURES;
use crate::testing::registry::{extending_types, registry, type_name};

#[test]
fn every_structure_of_a_graphics_pipelines_chains_is_read() {
    let Some(tree) = registry() else { return };
    for (head, read) in READ_STRUCTURES {
        let read: BTreeSet<_> = read.iter().copied().map(type_name).collect();
        let expected = extending_types(tree, head, false);
        let expected: BTreeSet<_> = expected.into_iter().map(String::from).collect();
        assert_eq!(read, expected, "{head}");
    }
}
