//! `ingot devices`: the GPUs of this machine, and the known devices.

use i915::nodes::{self, NodeReport};
use ingot_cli::gpu_names::{FAMILIES, Family};
use ingot_cli::icd_args::is_simulated_node;
use std::process::ExitCode;

/// Arguments of `ingot devices`.
#[derive(clap::Args)]
pub struct Args {
    /// Print the known devices of this family, such as skl
    #[arg(long, value_name = "NAME", value_parser = Family::by_name, conflicts_with = "all")]
    family: Option<&'static Family>,
    /// Print the known devices of every family
    #[arg(long)]
    all: bool,
}

/// Runs `ingot devices`.
pub fn main(args: &Args) -> ExitCode {
    if args.all {
        FAMILIES
            .iter()
            .for_each(|family| print!("{}", table(family)));
    } else if let Some(family) = args.family {
        print!("{}", table(family));
    } else {
        print!("{}{}", this_machine(&nodes::survey()), simulated_families());
    }
    ExitCode::SUCCESS
}

/// The GPUs of this machine: a line for each render node.
fn this_machine(nodes: &[NodeReport]) -> String {
    let mut text = String::from("This machine:\n");
    if nodes.is_empty() {
        text += &format!("  {}\n", nodes::NO_NODES);
    }
    for node in nodes {
        let id = node.id.map_or_else(
            || "unknown PCI id".into(),
            |id| format!("{:04x}:{:04x}", id.vendor, id.device),
        );
        let driver = node.driver.as_deref().unwrap_or("unknown driver");
        let path = node.path.display();
        let verdict = match &node.outcome {
            Ok(device) if is_simulated_node(node) => {
                format!("{} (simulated)", device.info.marketing_name())
            }
            Ok(device) => format!("{}: can be used", device.info.marketing_name()),
            Err(reason) => reason.to_string(),
        };
        text += &format!("  {path}  {id}  {driver}  {verdict}\n");
    }
    text
}

/// The families that can be simulated: a line for each.
fn simulated_families() -> String {
    let mut text = String::from("Simulated (`--family NAME` or `--all` lists the devices):\n");
    for family in FAMILIES {
        let count = family
            .devices()
            .filter(|device| device.is_modelled())
            .count();
        let devices = if count == 1 { "device" } else { "devices" };
        if count > 0 {
            text += &format!(
                "  {}  {}, {count} {devices}\n",
                family.name, family.code_name
            );
        }
    }
    text
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

#[cfg(test)]
mod tests;
