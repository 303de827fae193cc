//! Holds the workspace to the laws of src/README.md: who may use whom, and where unsafe code may stand.

use std::collections::BTreeSet;
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
        &["vk", "i915", "sys"],
        &["ash", "x11rb", "wayland-client", "thiserror"],
    ),
    (
        "driver/icd",
        &["vk", "wsi", "i915", "uapi", "sys", "debug"],
        &["ash", "libloading", "rustc-hash", "wayland-client"],
    ),
    (
        "sim/eu",
        &["isa", "hw"],
        &["thiserror", "smallvec", "half", "bytemuck"],
    ),
    ("sim/gpu", &["eu", "isa", "hw"], &["thiserror", "smallvec"]),
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

/// Crates that may lift the workspace's ban on unsafe code, and the modules of tools that call Vulkan.
const UNSAFE: &[&str] = &[
    "src/base/sys",
    "src/driver/icd",
    "src/sim/shim",
    "src/tools/vkrunner/vulkan",
    "src/tools/ingot/record",
    "src/tools/ingot/codegen/device.rs",
    "src/tools/ingot/pipelines.rs",
    "samples/vulkan",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A crate's folder below the root: the samples stand beside `src`.
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
fn every_crate_keeps_to_its_row() {
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
fn the_table_names_every_crate() {
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
fn wings_flow_one_way() {
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
fn unsafe_code_stays_in_its_rooms() {
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
        for lift in ["allow(unsafe_code", "expect(unsafe_code"] {
            assert!(
                !text.contains(lift),
                "{} lifts the ban on unsafe code",
                relative.display()
            );
        }
    }
}
