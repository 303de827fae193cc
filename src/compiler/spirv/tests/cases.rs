//! The text cases of tests/spirv.

use crate::asm::assemble;
use crate::error::SpirvError;
use crate::module::Module;
use crate::translate::Options;
use std::path::{Path, PathBuf};

fn cases(folder: &str) -> Vec<(PathBuf, String)> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../tests/spirv")
        .join(folder);
    let mut out: Vec<(PathBuf, String)> = std::fs::read_dir(&dir)
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "spvasm"))
        .map(|p| (p.clone(), std::fs::read_to_string(&p).unwrap()))
        .collect();
    out.sort();
    assert!(!out.is_empty());
    out
}

/// The rest of every line that begins with `; key`.
fn directives<'t>(text: &'t str, key: &'t str) -> impl Iterator<Item = &'t str> {
    text.lines()
        .filter_map(move |l| l.strip_prefix("; ")?.strip_prefix(key))
}

fn word(s: &str) -> u32 {
    if s.contains('.') {
        s.parse::<f32>().unwrap().to_bits()
    } else {
        s.parse::<i64>().unwrap_or_else(|e| panic!("{s}: {e}")) as u32
    }
}

fn translate(text: &str, spec: &[(u32, u64)]) -> Result<nir::Shader, SpirvError> {
    let stage = match directives(text, "stage ").next() {
        Some("vertex") => nir::Stage::Vertex,
        Some("tess_control") => nir::Stage::TessControl,
        Some("tess_eval") => nir::Stage::TessEval,
        Some("geometry") => nir::Stage::Geometry,
        Some("fragment") => nir::Stage::Fragment,
        None => nir::Stage::Compute,
        Some(other) => panic!("no stage {other}"),
    };
    Module::parse(&assemble(text, (1, 3))?)?.to_nir(&Options {
        stage,
        specialization: spec,
        ..Options::default()
    })
}

/// Interprets the translated cases of `run/`. Directives: `; buffer SET BINDING: WORDS`, or `: fill
/// N`; `; push:`; `; spec ID: VALUE`; `; groups X`; `; expect SET BINDING: FIRST WORDS`. Words with
/// a point are floats.
#[test]
fn results_match_the_expected_words() {
    for (path, text) in cases("run") {
        let name = path.display();
        let spec: Vec<(u32, u64)> = directives(&text, "spec ")
            .map(|d| {
                let (id, v) = d.split_once(':').unwrap();
                (id.trim().parse().unwrap(), u64::from(word(v.trim())))
            })
            .collect();
        let shader = translate(&text, &spec).unwrap_or_else(|e| panic!("{name}: {e}"));
        nir::validate(&shader).unwrap_or_else(|e| panic!("{name}: {e}\n{shader}"));
        let numbered = |d: &str| {
            let (key, words) = d.split_once(':').unwrap();
            let mut key = key.split_whitespace().map(|k| k.parse::<u32>().unwrap());
            let key = (
                key.next().unwrap(),
                key.next().unwrap(),
                key.next().unwrap_or(0),
            );
            let words: Vec<u32> = match words.trim().strip_prefix("fill ") {
                Some(n) => vec![0; n.trim().parse().unwrap()],
                None => words.split_whitespace().map(word).collect(),
            };
            (key, words)
        };
        let bytes = |w: &[u32]| w.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>();
        let push: Vec<u32> = directives(&text, "push:")
            .flat_map(|d| d.split_whitespace().map(word))
            .collect();
        let groups = directives(&text, "groups ").next().map_or(1, word);
        let mut machine = nir::interp::Machine {
            buffers: directives(&text, "buffer ")
                .map(|d| {
                    let (key, words) = numbered(d);
                    (key, bytes(&words))
                })
                .collect(),
            push_constants: bytes(&push),
            workgroups: [groups, 1, 1],
            subgroup_size: 8,
            ..Default::default()
        };
        machine
            .run(&shader)
            .unwrap_or_else(|e| panic!("{name}: {e}\n{shader}"));
        let mut expected = 0;
        for d in directives(&text, "expect ") {
            let (key, words) = numbered(d);
            let found = machine.buffers.iter().find(|b| b.0 == key).unwrap();
            let found: Vec<u32> = found
                .1
                .chunks(4)
                .map(|c| u32::from_le_bytes(c.try_into().unwrap()))
                .collect();
            for (i, (f, w)) in found.iter().zip(&words).enumerate() {
                assert_eq!(
                    f,
                    w,
                    "{name}: word {i} of {key:?}: {} instead of {}\n{shader}",
                    f32::from_bits(*f),
                    f32::from_bits(*w)
                );
            }
            expected += words.len();
        }
        assert!(expected > 0, "{name} expects nothing");
    }
}

const MARK: &str = "; nir:\n";

/// Directives: `; stage NAME`, if it is not compute; `; error: TEXT`: the module is rejected with a
/// message that contains TEXT. Otherwise the expected NIR follows `; nir:`; `BLESS=1` rewrites it.
#[test]
fn translation_matches_the_expected_nir() {
    for (path, text) in cases("cases") {
        let name = path.display();
        let spec: Vec<(u32, u64)> = directives(&text, "spec ")
            .map(|d| {
                let (id, v) = d.split_once(':').unwrap();
                (id.trim().parse().unwrap(), u64::from(word(v.trim())))
            })
            .collect();
        let found = translate(&text, &spec);
        if let Some(wanted) = directives(&text, "error: ").next() {
            match found {
                Err(e) if e.to_string().contains(wanted) => {}
                Err(e) => panic!("{name}: \"{e}\" instead of \"{wanted}\""),
                Ok(_) => panic!("{name}: accepted"),
            }
            continue;
        }
        let shader = found.unwrap_or_else(|e| panic!("{name}: {e}"));
        nir::validate(&shader).unwrap_or_else(|e| panic!("{name}: {e}\n{shader}"));
        let printed: String = shader
            .to_string()
            .lines()
            .map(|l| format!("; {l}").trim_end().to_owned() + "\n")
            .collect();
        let (source, wanted) = text.split_once(MARK).unwrap_or((&text, ""));
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&path, format!("{source}{MARK}{printed}")).unwrap();
        } else {
            assert_eq!(printed, wanted, "{name}");
        }
    }
}
