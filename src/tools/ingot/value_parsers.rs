//! Value parsers of options whose values are names in a table, so that a wrong value ends the
//! command before it does anything.

use ingot_cli::gpu_names;

/// The name of a GPU that can be simulated.
pub fn simulated_gpu(name: &str) -> Result<String, String> {
    gpu_names::simulated_device(name).map(|device| device.name.into())
}

/// A SIMD width of compute shaders.
pub fn simd(text: &str) -> Result<u8, String> {
    let widths = ["8", "16", "32"];
    match widths.contains(&text) {
        true => text.parse().map_err(|_| one_of(widths)),
        false => Err(one_of(widths)),
    }
}

/// A pass of the compiler, or `all`, `spirv` or `final`.
pub fn pass(name: &str) -> Result<String, String> {
    let passes = opt::GEN9.iter().flat_map(|step| match step {
        opt::PipelineStep::Once(pass) => std::slice::from_ref(pass),
        opt::PipelineStep::UntilStable(passes) | opt::PipelineStep::UntilStableIf(_, passes) => {
            passes
        }
    });
    let mut names = vec!["all", "final", "spirv"];
    for pass in passes {
        if !names.contains(&pass.name) {
            names.push(pass.name);
        }
    }
    match names.contains(&name) {
        true => Ok(name.into()),
        false => Err(one_of(names)),
    }
}

/// Units of the simulator that can be traced, comma-separated.
pub fn units(list: &str) -> Result<String, String> {
    let known = kmd::OPTION_NAMES.iter();
    let known: Vec<&str> = known.filter_map(|o| o.0.strip_prefix("trace=")).collect();
    match list.split(',').all(|unit| known.contains(&unit)) {
        true => Ok(list.into()),
        false => Err(format!("{}, or several with commas", one_of(known))),
    }
}

/// The path of an existing file or folder.
pub fn existing_path(path: &str) -> Result<std::path::PathBuf, String> {
    let found = std::fs::metadata(path);
    found
        .map(|_| path.into())
        .map_err(|error| error.to_string())
}

/// The message for a value that is none of `names`.
fn one_of<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    format!("it may be {}", names.join(", "))
}

/// A command-line error as one line; `None` for texts that were requested, such as `--help`.
pub fn one_line_error(error: &clap::Error) -> Option<String> {
    use clap::error::ErrorKind;
    match error.kind() {
        ErrorKind::DisplayHelp
        | ErrorKind::DisplayVersion
        | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => None,
        _ => {
            let text = error.to_string();
            let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
            // Usage and the hint at --help follow.
            let lines = lines.take_while(|line| !line.starts_with("Usage:"));
            let lines: Vec<&str> = lines.filter(|line| !line.starts_with("For more")).collect();
            let joined = lines.join(" ");
            Some(joined.trim_start_matches("error: ").to_string())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_the_possible_values() {
        assert_eq!(simulated_gpu("skl"), Ok("skl".into()));
        assert!(simulated_gpu("icl").is_err());
        assert_eq!(simd("16"), Ok(16));
        assert_eq!(simd("64"), Err("it may be 8, 16, 32".into()));
        assert_eq!(simd("+8"), Err("it may be 8, 16, 32".into()));
        assert_eq!(pass("opt_cse"), Ok("opt_cse".into()));
        assert!(pass("opt_csx").unwrap_err().contains(", opt_cse"));
        assert_eq!(units("cs,eu"), Ok("cs,eu".into()));
        assert!(
            units("cs,ps")
                .unwrap_err()
                .contains("ioctl, submit, cs, eu")
        );
        assert!(existing_path("/no such file").is_err() && existing_path("/").is_ok());
    }
}
