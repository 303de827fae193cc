//! The worker process: compiles and measures shaders with one driver.
//!
//! In:  on standard input, the index of a shader in each line. Out: a line for each on standard
//!      output; see [`crate::codegen::row`].

use crate::codegen::args::WorkerArgs;
use crate::codegen::device::{Device, Executable, Request};
use crate::codegen::row::{line, plain};
use crate::codegen::shader_set::ShaderSet;
use std::path::Path;

/// Prints the device's name, then the figures of each requested shader, or the error.
pub fn main(args: &WorkerArgs) -> Result<(), String> {
    let shaders = ShaderSet::open(&args.source)?;
    let device = Device::new(&args.icd.entry()?)?;
    println!("#\t{}", device.name());
    let request = Request {
        repeat: args.repeat,
        texts: args.code.is_some() || args.listings.is_some(),
        width: args.simd,
        integer: args.integer,
        run: args.profile.as_deref().zip(args.results.as_deref()),
    };
    for text in std::io::stdin().lines() {
        let text = text.map_err(|e| e.to_string())?;
        let index = text.parse().map_err(|_| format!("no index: {text}"))?;
        let measured = shaders.load(index).and_then(|shader| {
            let measured = device.measure(&shader, &request)?;
            Ok((shader.stage, measured))
        });
        match measured {
            Ok((stage, measured)) => {
                let name = shaders.name(index);
                if let Some(folder) = &args.code {
                    write_texts(&folder.join(&name), &measured.executables)?;
                }
                if let Some(folder) = &args.listings {
                    write_listing(&folder.join(&name), &measured.executables)?;
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

/// Creates the folder of a file.
fn create_parent(path: &Path) -> Result<(), String> {
    let parent = path.parent().unwrap_or(path);
    std::fs::create_dir_all(parent).map_err(|e| format!("{}: {e}", parent.display()))
}

/// Writes a file for each dump of a shader's executables.
fn write_texts(shader: &Path, executables: &[Executable]) -> Result<(), String> {
    create_parent(shader)?;
    for executable in executables {
        for (name, text) in &executable.texts {
            let mut file = shader.as_os_str().to_owned();
            let name = name.replace([' ', '/'], "_");
            file.push(format!(".SIMD{}.{name}", executable.statistics.width));
            std::fs::write(&file, text).map_err(|e| format!("{}: {e}", shader.display()))?;
        }
    }
    Ok(())
}

/// Writes the machine code of all of a shader's executables to one file.
fn write_listing(shader: &Path, executables: &[Executable]) -> Result<(), String> {
    create_parent(shader)?;
    std::fs::write(shader, listing(executables)).map_err(|e| format!("{}: {e}", shader.display()))
}

/// The machine code of executables as text, each below a line with its width and statistics.
fn listing(executables: &[Executable]) -> String {
    let mut all = String::new();
    for executable in executables {
        let s = &executable.statistics;
        let is_code = |name: &str| name == "asm" || name.to_lowercase().contains("assembly");
        for (_, text) in executable.texts.iter().filter(|(name, _)| is_code(name)) {
            all += &format!(
                "; SIMD{}: {} instructions, {} messages\n{text}\n",
                s.width, s.instructions, s.sends
            );
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codegen::device::Statistics;

    #[test]
    fn a_listing_has_the_machine_code_alone() {
        let executable = |width, names: [&str; 2]| Executable {
            statistics: Statistics {
                width,
                instructions: 9.0,
                sends: 2.0,
                ..Statistics::default()
            },
            texts: names
                .map(|n| (n.to_owned(), format!("text of {n}")))
                .to_vec(),
        };
        let text = listing(&[
            executable(8, ["NIR", "asm"]),
            executable(16, ["Final NIR", "GEN Assembly"]),
        ]);
        let expected = "; SIMD8: 9 instructions, 2 messages\ntext of asm\n\
                        ; SIMD16: 9 instructions, 2 messages\ntext of GEN Assembly\n";
        assert_eq!(text, expected);
    }
}
