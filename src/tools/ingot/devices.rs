//! `ingot devices`: the table of known devices.

use ingot_cli::gpu_names::{FAMILIES, Family};
use std::process::ExitCode;

/// Arguments of `ingot devices`.
#[derive(clap::Args)]
pub struct Args {
    /// Print only this family, such as skl
    #[arg(long, value_name = "NAME", value_parser = Family::by_name)]
    family: Option<&'static Family>,
}

/// Runs `ingot devices`.
pub fn main(args: &Args) -> ExitCode {
    let chosen = FAMILIES
        .iter()
        .filter(|family| args.family.is_none_or(|only| only.name == family.name));
    for family in chosen {
        print!("{}", table(family));
    }
    ExitCode::SUCCESS
}

/// The devices of a family: a heading, and a line for each device.
fn table(family: &Family) -> String {
    let mut rows =
        vec![["NAME", "MARKETING NAME", "CODE NAME", "PCI ID", "SIMULATED"].map(String::from)];
    rows.extend(family.devices().map(|device| {
        let simulated = if device.is_modelled() { "yes" } else { "no" };
        [
            device.name.to_owned(),
            device.marketing_name.to_owned(),
            device.code_name.to_owned(),
            format!("{:04x}", device.pci_id),
            simulated.to_owned(),
        ]
    }));
    let [name, marketing_name, code_name, ..] =
        [0, 1, 2, 3, 4].map(|column| rows.iter().map(|row| row[column].len()).max().unwrap_or(0));
    let lines = rows.iter().map(|row| {
        format!(
            "  {:name$}  {:marketing_name$}  {:code_name$}  {:6}  {}\n",
            row[0], row[1], row[2], row[3], row[4]
        )
    });
    let heading = format!("{} ({}):\n", family.name, family.code_name);
    heading + &lines.collect::<String>()
}
