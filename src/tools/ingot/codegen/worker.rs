//! The worker process: compiles and measures every shader with one driver.
//!
//! In:  a folder of shaders. Out: a line for each on standard output; see [`crate::codegen::row`].

use crate::codegen::args::WorkerArgs;
use crate::codegen::device::{Device, Executable};
use crate::codegen::interface::Interface;
use crate::codegen::row::{line, plain};
use crate::compile::words_of;
use std::path::{Path, PathBuf};

/// The shaders of a folder and its subfolders, sorted.
pub fn shaders(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut out = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let entries =
            std::fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        for path in entries.filter_map(Result::ok).map(|e| e.path()) {
            let kind = path.extension().and_then(|e| e.to_str());
            if path.is_dir() {
                folders.push(path);
            } else if matches!(
                kind,
                Some("vert" | "tesc" | "tese" | "geom" | "frag" | "comp" | "spv")
            ) {
                out.push(path);
            }
        }
    }
    out.sort();
    if out.is_empty() {
        return Err(format!("{}: no shaders there", folder.display()));
    }
    Ok(out)
}

/// Prints two lines for each shader from number `from` on: its name, then its figures or the error.
pub fn main(args: &WorkerArgs) -> Result<(), String> {
    let device = Device::new(&args.icd.entry()?)?;
    println!("#\t{}", device.name());
    for path in shaders(&args.folder)?.iter().skip(args.from) {
        let name = path.strip_prefix(&args.folder).unwrap_or(path).display();
        // The name comes first: the process may crash in the driver.
        println!("{name}");
        let measured = words_of(path).and_then(Interface::new).and_then(|shader| {
            let profile = args.profile.as_deref();
            let texts = args.code.is_some();
            let measured = device.measure(&shader, args.repeat, texts, profile)?;
            Ok((shader.stage, measured))
        });
        match measured {
            Ok((stage, measured)) => {
                if let Some(folder) = &args.code {
                    let name = path.strip_prefix(&args.folder).unwrap_or(path);
                    write_texts(&folder.join(name), &measured.executables)?;
                }
                println!("{}", line(stage, &measured));
                if let Some(Err(_)) = measured.ran {
                    // The device may be lost: the next process opens a new one.
                    return Ok(());
                }
            }
            Err(why) => println!("-\t{}", plain(&why)),
        }
    }
    Ok(())
}

/// Writes a file for each dump of a shader's executables.
fn write_texts(shader: &Path, executables: &[Executable]) -> Result<(), String> {
    let failed = |e: std::io::Error| format!("{}: {e}", shader.display());
    if let Some(folder) = shader.parent() {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    for executable in executables {
        for (name, text) in &executable.texts {
            let mut file = shader.as_os_str().to_owned();
            let name = name.replace([' ', '/'], "_");
            file.push(format!(".SIMD{}.{name}", executable.statistics.width));
            std::fs::write(file, text).map_err(failed)?;
        }
    }
    Ok(())
}
