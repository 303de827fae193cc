//! The tables of extensions against Khronos' registry.

use std::collections::BTreeMap;

use vk::extension::{DEVICE, INSTANCE};

use crate::testing::registry::{children, extensions, is_satisfied, registry, version};

#[test]
fn extensions_match_the_registry() {
    let Some(tree) = registry() else { return };
    let all: BTreeMap<_, _> = extensions(tree)
        .filter_map(|node| Some((node.attribute("name")?, node)))
        .collect();
    for (kind, rows) in [("instance", INSTANCE), ("device", DEVICE)] {
        for row in rows {
            let node = all[row.name];
            assert_eq!(node.attribute("type"), Some(kind), "{}", row.name);
            let revision = children(node, "require")
                .flat_map(|part| children(part, "enum"))
                .find(|item| {
                    item.attribute("name")
                        .is_some_and(|name| name.ends_with("_SPEC_VERSION"))
                })
                .and_then(|item| item.attribute("value"));
            assert_eq!(
                revision,
                Some(row.spec_version.to_string().as_str()),
                "{}",
                row.name
            );
            let core = node.attribute("promotedto").and_then(version);
            assert_eq!(core, row.core_since, "{}", row.name);
            // An older registry separates dependencies by commas, a newer one has an expression.
            let needs = node
                .attribute("requires")
                .map(|list| list.replace(',', "+"));
            let needs = needs.as_deref().or(node.attribute("depends"));
            assert!(
                needs.is_none_or(is_satisfied),
                "{} needs {needs:?}",
                row.name
            );
        }
    }
}
