//! What options may be, where that is a name in some table: a wrong one ends the command before it has done anything.

/// A GPU by its short name.
pub fn gpu(name: &str) -> Result<&'static hw::Device, String> {
    let names = hw::DEVICES.iter().map(|d| d.name);
    hw::Device::by_name(name).ok_or_else(|| one_of(names))
}

/// A GPU that can be simulated.
pub fn simulated(name: &str) -> Result<String, String> {
    let found = kmd::find(name).map_err(|error| error.to_string())?;
    Ok(found.name.into())
}

/// A number of channels that a compute thread can have.
pub fn simd(text: &str) -> Result<u8, String> {
    let widths = ["8", "16", "32"];
    match widths.contains(&text) {
        true => text.parse().map_err(|_| one_of(widths)),
        false => Err(one_of(widths)),
    }
}

/// A pass of the compiler's pipeline, or `all`, `spirv` or `final`.
pub fn pass(name: &str) -> Result<String, String> {
    let passes = opt::GEN9.iter().flat_map(|step| match step {
        opt::Step::Once(pass) => std::slice::from_ref(pass),
        opt::Step::UntilStable(passes) | opt::Step::UntilStableIf(_, passes) => passes,
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

/// Units of the simulator whose work can be written, comma-separated.
pub fn units(list: &str) -> Result<String, String> {
    let known = kmd::OPTION_NAMES.iter();
    let known: Vec<&str> = known.filter_map(|o| o.0.strip_prefix("trace=")).collect();
    match list.split(',').all(|unit| known.contains(&unit)) {
        true => Ok(list.into()),
        false => Err(format!("{}, or several with commas", one_of(known))),
    }
}

/// A file or folder that is there.
pub fn there(path: &str) -> Result<std::path::PathBuf, String> {
    let found = std::fs::metadata(path);
    found
        .map(|_| path.into())
        .map_err(|error| error.to_string())
}

fn one_of<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    format!("it may be {}", names.join(", "))
}

/// An error of the command line as one line. Texts that were asked for, such as `--help`, stay as they are.
pub fn line(error: &clap::Error) -> Option<String> {
    use clap::error::ErrorKind;
    match error.kind() {
        ErrorKind::DisplayHelp
        | ErrorKind::DisplayVersion
        | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => None,
        _ => {
            let text = error.to_string();
            let kept = text.lines().map(str::trim).filter(|line| !line.is_empty());
            // What follows is how to ask for help.
            let kept = kept.take_while(|line| !line.starts_with("Usage:"));
            let kept: Vec<&str> = kept.filter(|line| !line.starts_with("For more")).collect();
            let joined = kept.join(" ");
            Some(joined.trim_start_matches("error: ").to_string())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_name_is_told_what_it_may_be() {
        assert_eq!(gpu("icl").map(|d| d.name), Ok("icl"));
        let known = gpu("voodoo").unwrap_err();
        assert!(known.contains("skl") && known.contains("icl"), "{known}");
        assert_eq!(simulated("skl"), Ok("skl".into()));
        assert!(simulated("icl").unwrap_err().contains("not simulated yet"));
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
        assert!(there("/no such file").is_err() && there("/").is_ok());
    }
}
