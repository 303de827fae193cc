//! GPU names on the command line: families, lookup, and what to print for an unknown name.
//!
//! In:  a name from `--gpu`, `--family` or `INGOT_GPU`. Out: the device or family; an error of one
//!      line that names the families.

use hw::{Device, Platform};
use std::fmt::Write;

/// A family of devices with one code name, as `ingot devices --all` groups them.
pub struct Family {
    /// Short name, the argument of `--family`.
    pub name: &'static str,
    /// Code name for people.
    pub code_name: &'static str,
    platform: Platform,
}

/// All families, by generation.
pub const FAMILIES: &[Family] = &[
    family("hsw", "Haswell", Platform::Haswell),
    family("bdw", "Broadwell", Platform::Broadwell),
    family("skl", "Skylake", Platform::Skylake),
    family("bxt", "Broxton and Apollo Lake", Platform::Broxton),
    family("kbl", "Kaby Lake", Platform::KabyLake),
    family("glk", "Gemini Lake", Platform::GeminiLake),
    family("cfl", "Coffee Lake", Platform::CoffeeLake),
    family("icl", "Ice Lake", Platform::IceLake),
    family("tgl", "Tiger Lake", Platform::TigerLake),
];

const fn family(name: &'static str, code_name: &'static str, platform: Platform) -> Family {
    Family {
        name,
        code_name,
        platform,
    }
}

impl Family {
    /// The family of this name. Err: one line that names the families.
    pub fn by_name(name: &str) -> Result<&'static Family, String> {
        FAMILIES
            .iter()
            .find(|family| family.name == name)
            .ok_or_else(|| format!("no such family; {}", families(|_| true)))
    }

    /// The devices of the family.
    pub fn devices(&self) -> impl Iterator<Item = &'static Device> {
        hw::DEVICES
            .iter()
            .filter(|device| device.platform == self.platform)
    }
}

/// The device of this name. Err: one line with the nearest name and the families.
pub fn device(name: &str) -> Result<&'static Device, String> {
    Device::by_name(name).ok_or_else(|| unknown(name, |_| true))
}

/// The device of this name if it can be simulated. Err: one line with the nearest name and the
/// families.
pub fn simulated_device(name: &str) -> Result<&'static Device, String> {
    match Device::by_name(name) {
        Some(device) if device.is_modelled() => Ok(device),
        Some(device) => Err(format!(
            "{} is known, but the commands of its generation are not simulated yet; {}",
            device.code_name,
            families(Device::is_modelled)
        )),
        None => Err(unknown(name, Device::is_modelled)),
    }
}

/// The message for an unknown name: the nearest device that passes `filter`, and the families.
fn unknown(name: &str, filter: fn(&Device) -> bool) -> String {
    let mut text = String::from("no such GPU; ");
    if let Some(nearest) = nearest(name, filter) {
        let _ = write!(text, "did you mean `{nearest}`? ");
    }
    text + &families(filter)
}

/// The families with their number of devices that pass `filter`, on one line.
pub fn families(filter: fn(&Device) -> bool) -> String {
    let mut list = Vec::new();
    for family in FAMILIES {
        match family.devices().filter(|device| filter(device)).count() {
            0 => {}
            1 => list.push(format!("{} (1 device)", family.name)),
            count => list.push(format!("{} ({count} devices)", family.name)),
        }
    }
    format!(
        "families: {}; `ingot devices --all` lists the devices",
        list.join(", ")
    )
}

/// The device name that differs least from `name`; `None` if all differ in more than a third of its
/// characters.
fn nearest(name: &str, filter: fn(&Device) -> bool) -> Option<&'static str> {
    let name = name.to_lowercase();
    let devices = hw::DEVICES.iter().filter(|device| filter(device));
    let distances = devices.map(|device| (edit_distance(&name, device.name), device.name));
    let (distance, nearest) = distances.min_by_key(|entry| entry.0)?;
    (distance <= (name.len() / 3).max(1)).then_some(nearest)
}

/// Levenshtein distance: the number of characters to insert, delete or replace.
fn edit_distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.chars().count()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        for (to, cell) in b.chars().zip(row.iter_mut().skip(1)) {
            let above = *cell;
            left = (diagonal + usize::from(from != to))
                .min(above + 1)
                .min(left + 1);
            *cell = left;
            diagonal = above;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_device_has_one_family() {
        for device in hw::DEVICES {
            let families = FAMILIES
                .iter()
                .filter(|family| family.devices().any(|other| other == device));
            assert_eq!(families.count(), 1, "{}", device.name);
        }
        for family in FAMILIES {
            assert!(Family::by_name(family.name).is_ok());
            assert!(family.devices().count() > 0, "{}", family.name);
        }
        assert!(Family::by_name("voodoo").is_err());
    }

    #[test]
    fn unknown_names_suggest_the_nearest_device() {
        assert_eq!(device("icl").map(|device| device.name), Ok("icl"));
        let message = device("sk1").unwrap_err();
        assert!(message.contains("did you mean `skl`?"), "{message}");
        assert!(message.contains("tgl (1 device)"), "{message}");
        let message = device("SKL").unwrap_err();
        assert!(message.contains("did you mean `skl`?"), "{message}");
        let message = simulated_device("voodoo").unwrap_err();
        assert!(!message.contains("did you mean"), "{message}");
        assert!(
            message.contains("skl (") && !message.contains("tgl"),
            "{message}"
        );
        assert!(
            message.len() < 200 && message.lines().count() == 1,
            "{message}"
        );
        assert!(simulated_device("skl").is_ok());
        let message = simulated_device("icl").unwrap_err();
        assert!(message.contains("not simulated yet"), "{message}");
    }

    #[test]
    fn edit_distance_counts_inserted_deleted_and_replaced_characters() {
        for (a, b, distance) in [
            ("", "", 0),
            ("", "ab", 2),
            ("skl", "skl", 0),
            ("sk1", "skl", 1),
            ("sklgt2", "skl_gt2", 1),
            ("kitten", "sitting", 3),
        ] {
            assert_eq!(edit_distance(a, b), distance, "{a} {b}");
            assert_eq!(edit_distance(b, a), distance, "{b} {a}");
        }
    }
}
