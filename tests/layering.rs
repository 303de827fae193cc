//! Holds the workspace to the laws of src/README.md: who may use whom, and where unsafe code may
//! stand.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// What each crate may use of ours and of others: folder, our crates, other people's crates.
/// A crate may use less than its row allows.
const TABLE: &[(&str, &[&str], &[&str])] = &[
    ("base/entity", &[], &["smallvec"]),
    ("base/debug", &[], &["thiserror"]),
    ("base/uapi", &[], &["bytemuck"]),
    (
        "base/sys",
        &["uapi"],
        &["nix", "libc", "memmap2", "bytemuck", "thiserror"],
    ),
    ("base/hw", &[], &["thiserror", "bitflags"]),
    ("base/isa", &["hw"], &["thiserror", "bitflags"]),
    ("compiler/abi", &[], &[]),
    ("compiler/nir", &["entity"], PLAIN),
    (
        "compiler/spirv",
        &["entity", "nir", "abi"],
        &[
            "rspirv",
            "spirv",
            "smallvec",
            "thiserror",
            "rustc-hash",
            "bitflags",
            "half",
        ],
    ),
    ("compiler/opt", &["entity", "nir", "abi"], PLAIN),
    ("compiler/fs", &["nir", "abi", "entity", "isa", "hw"], PLAIN),
    (
        "compiler/compile",
        &[
            "entity",
            "nir",
            "abi",
            "spirv-front",
            "opt",
            "fs",
            "isa",
            "hw",
        ],
        &["thiserror", "sha2"],
    ),
    ("driver/surface", &["hw"], &["thiserror", "bitflags"]),
    ("driver/cmd", &["hw", "abi", "surface"], &["thiserror"]),
    (
        "driver/blit",
        &["cmd", "surface", "abi", "nir", "compile", "entity", "hw"],
        &["thiserror", "smallvec"],
    ),
    (
        "driver/i915",
        &["uapi", "sys", "hw"],
        &["drm", "rustix", "thiserror", "bytemuck", "smallvec"],
    ),
    (
        "driver/vk",
        &[
            "surface", "cmd", "blit", "i915", "compile", "abi", "hw", "uapi", "sys", "debug",
        ],
        &["ash", "thiserror", "rustc-hash", "smallvec", "bitflags"],
    ),
    (
        "driver/wsi",
        &["vk", "i915", "sys", "debug"],
        &[
            "ash",
            "drm",
            "x11rb",
            "wayland-client",
            "wayland-protocols",
            "thiserror",
        ],
    ),
    (
        "driver/icd",
        &["vk", "wsi", "i915", "uapi", "sys", "debug"],
        &[
            "ash",
            "libloading",
            "rustc-hash",
            "smallvec",
            "wayland-client",
        ],
    ),
    (
        "sim/eu",
        &["isa", "hw"],
        &["thiserror", "smallvec", "half", "bytemuck", "fearless_simd"],
    ),
    (
        "sim/gpu",
        &["eu", "isa", "hw"],
        &["thiserror", "smallvec", "rayon-core", "rustc-hash"],
    ),
    (
        "sim/kmd",
        &["gpu", "uapi", "sys", "hw"],
        &["thiserror", "bytemuck", "png"],
    ),
    (
        "sim/shim",
        &["kmd", "uapi", "sys", "hw", "gpu"],
        &["libc", "bytemuck"],
    ),
    (
        "tools/vkrunner",
        &["spirv-front"],
        &["ash", "glslang", "half", "thiserror"],
    ),
    (
        "samples",
        &["sys", "vkrunner"],
        &[
            "ash",
            "bytemuck",
            "clap",
            "indicatif",
            "libloading",
            "png",
            "thiserror",
        ],
    ),
];

const PLAIN: &[&str] = &["smallvec", "thiserror", "rustc-hash", "half"];

/// Crates that may lift the workspace's ban on unsafe code, and the modules of tools that call
/// Vulkan.
const UNSAFE: &[&str] = &[
    "src/base/sys",
    "src/driver/icd",
    "src/sim/shim",
    "src/tools/vkrunner/vulkan",
    "src/tools/ingot/record",
    "src/tools/ingot/codegen",
    "src/tools/ingot/pipelines.rs",
    "src/tools/ingot/vulkan_device.rs",
    "samples/vulkan",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A crate's folder below the root: the samples are next to `src`.
fn place(folder: &str) -> PathBuf {
    match folder {
        "samples" => root().join(folder),
        _ => root().join("src").join(folder),
    }
}

fn manifest(path: &Path) -> toml::Spanned<toml::de::DeTable<'static>> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let text: &'static str = text.leak();
    toml::de::DeTable::parse(text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Dependencies as named in a manifest's `section`.
fn dependencies(folder: &str, section: &str) -> BTreeSet<String> {
    let table = manifest(&place(folder).join("Cargo.toml"));
    let Some(section) = table.get_ref().get(section) else {
        return BTreeSet::new();
    };
    let section = section.get_ref().as_table().expect("a table");
    section.keys().map(|k| k.get_ref().to_string()).collect()
}

/// Our crates' names in manifests, with their folders.
fn ours() -> Vec<(&'static str, &'static str)> {
    let name = |folder: &'static str| match folder {
        "compiler/spirv" => "spirv-front",
        _ => folder.rsplit('/').next().expect("a name"),
    };
    TABLE.iter().map(|row| (name(row.0), row.0)).collect()
}

#[test]
fn crates_follow_the_dependency_table() {
    let ours = ours();
    for (folder, may_ours, may_others) in TABLE {
        for dependency in dependencies(folder, "dependencies") {
            let allowed = may_ours.contains(&dependency.as_str())
                || may_others.contains(&dependency.as_str());
            assert!(allowed, "{folder} may not use {dependency}");
        }
        // Tests of a wing may look down its own wing and base, never across to the other machine.
        for dependency in dependencies(folder, "dev-dependencies") {
            let Some((_, other)) = ours.iter().find(|o| o.0 == dependency) else {
                continue;
            };
            let crosses = |a: &str, b: &str| folder.starts_with(a) && other.starts_with(b);
            assert!(
                !crosses("sim/", "driver/")
                    && !crosses("sim/", "compiler/")
                    && !crosses("driver/", "sim/")
                    && !crosses("compiler/", "sim/"),
                "tests of {folder} may not use {dependency}"
            );
        }
    }
}

#[test]
fn dependency_table_lists_every_crate() {
    let table = manifest(&root().join("Cargo.toml"));
    let members = table.get_ref()["workspace"].get_ref()["members"].clone();
    let members = members.into_inner();
    let members: BTreeSet<String> = members
        .as_array()
        .expect("an array")
        .iter()
        .filter_map(|m| m.get_ref().as_str())
        .filter(|m| *m != "tests")
        .map(|m| m.strip_prefix("src/").unwrap_or(m).to_string())
        .collect();
    let mut rows: BTreeSet<String> = TABLE.iter().map(|r| r.0.to_string()).collect();
    rows.insert("tools/ingot".into());
    assert_eq!(members, rows);
}

#[test]
fn layers_depend_one_way() {
    let ours = ours();
    for (folder, may, _) in TABLE {
        for used in *may {
            let target = ours.iter().find(|o| o.0 == *used).expect("a crate").1;
            let wing = |f: &str| f.split('/').next().expect("a wing").to_string();
            let ok = match (wing(folder).as_str(), wing(target).as_str()) {
                (a, b) if a == b => true,
                ("compiler" | "driver" | "sim" | "tools", "base") => true,
                ("driver", "compiler") | ("tools", _) => true,
                ("samples", "base" | "tools") => true,
                _ => false,
            };
            assert!(ok, "{folder} → {target} flows against the laws");
        }
    }
}

fn rust_files(dir: &Path, out: &mut Vec<PathBuf>) {
    let mut pending = vec![dir.to_path_buf()];
    while let Some(dir) = pending.pop() {
        for entry in std::fs::read_dir(&dir).expect("readable").flatten() {
            let path = entry.path();
            if path.is_dir() {
                pending.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                out.push(path);
            }
        }
    }
    out.sort();
}

#[test]
fn unsafe_code_is_in_the_allowed_files() {
    let root = root();
    let mut files = Vec::new();
    rust_files(&root.join("src"), &mut files);
    rust_files(&root.join("samples"), &mut files);
    assert!(files.len() > 50);
    for file in files {
        let relative = file.strip_prefix(&root).expect("below the root");
        if UNSAFE.iter().any(|room| relative.starts_with(room)) {
            continue;
        }
        let text = std::fs::read_to_string(&file).expect("readable");
        let text: String = text.split_whitespace().collect();
        for lift in ["allow(unsafe_code", "expect(unsafe_code"] {
            assert!(
                !text.contains(lift),
                "{} lifts the ban on unsafe code",
                relative.display()
            );
        }
    }
}

/// Files and folders of unit tests and their fixtures: they may look at the whole crate.
const TESTS: &[&str] = &[
    "tests.rs",
    "tests",
    "testing",
    "testing.rs",
    "rig.rs",
    "examples",
];

/// The modules of a crate: name from the crate's root on (its own is "") and the file's text up to
/// its tests, without comments.
fn modules(folder: &Path) -> BTreeMap<String, String> {
    let mut files = Vec::new();
    rust_files(folder, &mut files);
    let named = files.into_iter().filter_map(|file| {
        let path = file.strip_prefix(folder).expect("below it");
        let of_tests = path
            .iter()
            .any(|part| TESTS.iter().any(|name| part == *name));
        if of_tests {
            return None;
        }
        let path = path.with_extension("");
        let name = path.to_str().expect("UTF-8").replace('/', "::");
        let name = name.strip_suffix("::mod").unwrap_or(&name);
        let text = std::fs::read_to_string(&file).expect("readable");
        let tests = [
            "\n#[cfg(test)]\nmod tests",
            "\n#[cfg(test)]\npub(crate) mod",
        ];
        let end = tests.iter().filter_map(|start| text.find(start)).min();
        let code = &text[..end.unwrap_or(text.len())];
        let code = code
            .lines()
            .map(|line| line.split("//").next().unwrap_or_default());
        let is_root = matches!(name, "lib" | "main");
        let name = if is_root { "" } else { name };
        Some((name.to_owned(), code.collect::<Vec<_>>().join("\n")))
    });
    named.collect()
}

/// The paths that a tree of `use` names: `a::{b, c::d}` is `a::b` and `a::c::d`.
fn paths(prefix: &str, tree: &str, out: &mut Vec<String>) {
    let tree = tree.trim();
    let Some((head, rest)) = tree.split_once('{') else {
        let path = tree.split(" as ").next().unwrap_or_default();
        return out.push(format!("{prefix}{}", path.trim()));
    };
    let inside = &rest[..rest.rfind('}').unwrap_or(rest.len())];
    let prefix = format!("{prefix}{}", head.trim());
    let (mut depth, mut start) = (0, 0);
    for (at, letter) in inside.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                paths(&prefix, &inside[start..at], out);
                start = at + 1;
            }
            _ => {}
        }
    }
    if !inside[start..].trim().is_empty() {
        paths(&prefix, &inside[start..], out);
    }
}

/// The modules that a module's code names.
fn named(module: &str, code: &str, all: &BTreeMap<String, String>) -> BTreeSet<String> {
    let parent = module.rsplit_once("::").map_or("", |(parent, _)| parent);
    let mut found = Vec::new();
    for (start, base) in [("crate::", ""), ("super::", parent)] {
        for (at, _) in code.match_indices(start) {
            let rest = &code[at + start.len()..];
            // A tree of `use` ends with its statement; a path in code, with its last character.
            let in_use = code[..at].ends_with("use ");
            let end = if in_use {
                rest.find(';')
            } else {
                rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != ':')
            };
            let prefix = if base.is_empty() {
                String::new()
            } else {
                format!("{base}::")
            };
            paths(&prefix, &rest[..end.unwrap_or(rest.len())], &mut found);
        }
    }
    // Children are named without `self::`.
    let inside = if module.is_empty() {
        String::new()
    } else {
        format!("{module}::")
    };
    for child in all.keys().filter_map(|name| name.strip_prefix(&inside)) {
        let mention = format!("{child}::");
        let starts = |at: usize| {
            !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':')
        };
        if !child.contains("::") && code.match_indices(&mention).any(|(at, _)| starts(at)) {
            found.push(format!("{inside}{child}"));
        }
    }
    let file_of = |path: String| {
        let mut path = path.as_str();
        while !all.contains_key(path) {
            path = path.rsplit_once("::").map_or("", |(front, _)| front);
        }
        path.to_owned()
    };
    let mut files: BTreeSet<_> = found.into_iter().map(file_of).collect();
    files.remove(module);
    files
}

/// Folders of all crates below the root of the workspace.
fn crate_folders() -> Vec<PathBuf> {
    let rows = TABLE.iter().map(|row| place(row.0));
    rows.chain([place("tools/ingot")]).collect()
}

#[test]
fn files_of_a_crate_import_without_cycles() {
    let mut files = 0;
    for folder in crate_folders() {
        let all = modules(&folder);
        files += all.len();
        let mut left: BTreeMap<_, _> = all
            .iter()
            .map(|(module, code)| (module.clone(), named(module, code, &all)))
            .collect();
        // From the ground up: what imports nothing that is left, goes.
        while let Some(ground) = left.iter().find(|(_, names)| names.is_empty()) {
            let ground = ground.0.clone();
            left.remove(&ground);
            left.values_mut().for_each(|names| {
                names.remove(&ground);
            });
        }
        assert!(
            left.is_empty(),
            "files of {} import each other in a circle, or lead to one: {left:#?}",
            folder.display()
        );
    }
    assert!(files > 500, "only {files} files were read");
}
