//! Compiles a C program against the system's DRM headers and compares its output with our tables.
//!
//! The headers are in Debian's libdrm-dev, elsewhere in the kernel headers package. Without them
//! the test is skipped; INGOT_REQUIRE_TOOLS=1 makes that a failure.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use crate::{drm, i915, mode};

#[test]
fn structures_and_numbers_equal_the_headers() {
    let folders = ["/usr/include/libdrm", "/usr/include/drm"];
    let headers = folders.map(|folder| Path::new(folder).join("i915_drm.h").exists());
    if !headers.iter().any(|exists| *exists) {
        let required = std::env::var_os("INGOT_REQUIRE_TOOLS").is_some();
        assert!(!required, "i915_drm.h is in none of {folders:?}");
        eprintln!("skipped: i915_drm.h is in none of {folders:?}");
        return;
    }
    let mut program = String::from(
        "#include <stddef.h>\n#include <stdio.h>\n#include <fcntl.h>\n#include <drm.h>\n#include <i915_drm.h>\nint main(void) {\n",
    );
    let mut ours = String::new();
    let layouts = [drm::LAYOUTS, mode::LAYOUTS, i915::LAYOUTS].concat();
    for layout in &layouts {
        let c = layout.c_name;
        writeln!(program, "printf(\"{c} %zu\\n\", sizeof({c}));").unwrap();
        writeln!(ours, "{c} {}", layout.size_bytes).unwrap();
        for (member, offset) in layout.members {
            writeln!(
                program,
                "printf(\"{c}.{member} %zu\\n\", offsetof({c}, {member}));"
            )
            .unwrap();
            writeln!(ours, "{c}.{member} {offset}").unwrap();
        }
    }
    for (name, value) in [drm::NUMBERS, mode::NUMBERS, i915::NUMBERS].concat() {
        // No constant is negative: the cast to unsigned would change it.
        writeln!(
            program,
            "printf(\"{name} %llu\\n\", (unsigned long long)({name}));"
        )
        .unwrap();
        writeln!(ours, "{name} {value}").unwrap();
    }
    program.push_str("return 0; }\n");
    let folder = std::env::temp_dir().join(format!("ingot-uapi-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (source, binary) = (folder.join("t.c"), folder.join("t"));
    std::fs::write(&source, program).unwrap();
    let built = Command::new("cc")
        .args(folders.map(|folder| format!("-I{folder}")))
        .arg(&source)
        .arg("-o")
        .arg(&binary)
        .output()
        .unwrap();
    assert!(
        built.status.success(),
        "{}",
        String::from_utf8_lossy(&built.stderr)
    );
    let printed = Command::new(&binary).output().unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    let theirs = String::from_utf8(printed.stdout).unwrap();
    for (ours, theirs) in ours.lines().zip(theirs.lines()) {
        assert_eq!(ours, theirs);
    }
    assert_eq!(ours.lines().count(), theirs.lines().count());
}
