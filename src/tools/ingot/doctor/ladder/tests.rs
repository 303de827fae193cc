use super::*;

#[test]
fn a_rung_needs_only_rungs_below_it_and_names_are_unique() {
    for (index, rung) in LADDER.iter().enumerate() {
        let below = &LADDER[..index];
        assert!(
            below.iter().all(|other| other.name != rung.name),
            "{}",
            rung.name
        );
        for need in rung.needs {
            assert!(
                below.iter().any(|other| other.name == *need),
                "{}: {need}",
                rung.name
            );
        }
    }
}

#[test]
fn cures_and_options_are_flags_of_ingot_debug() {
    for rung in LADDER {
        let list = [rung.cures.join(","), rung.debug.into()].join(",");
        let (_, unknown) = debug::Flags::parse(&list);
        assert!(unknown.is_empty(), "{}: {unknown:?}", rung.name);
    }
}

#[test]
fn scripts_can_be_parsed() {
    for rung in LADDER {
        if let Work::Script(text) = rung.work {
            let parsed = vkrunner::parse(text, &[]);
            assert!(parsed.is_ok(), "{}: {:?}", rung.name, parsed.err());
        }
    }
}

/// The part of ERRATA.md under a heading.
fn entry(title: &str) -> Option<&'static str> {
    let text = include_str!("../../../../base/hw/ERRATA.md");
    let (_, from) = text.split_once(&format!("\n## {title}\n"))?;
    from.split("\n#").next()
}

#[test]
fn entries_of_the_errata_name_their_probes() {
    for rung in LADDER {
        let Some(title) = rung.erratum else {
            assert!(!rung.name.starts_with("probe-"), "{}", rung.name);
            continue;
        };
        let probe = format!("- Probe: `{}`", rung.name);
        let found = entry(title);
        assert!(
            found.is_some_and(|text| text.contains(&probe)),
            "{}: {found:?}",
            rung.name
        );
    }
}
