//! `[require]`.

use crate::features;
use crate::format::Format;
use crate::script::Requirements;

pub struct RequireParser {
    out: Requirements,
}

impl RequireParser {
    pub fn new() -> RequireParser {
        let default = Format::from_name("B8G8R8A8_UNORM").unwrap_or(&crate::format::FORMATS[0]);
        RequireParser {
            out: Requirements {
                version: (1, 0, 0),
                core_features: Vec::new(),
                extension_features: Vec::new(),
                extensions: Vec::new(),
                framebuffer: default,
                depth_stencil: None,
                samples: 1,
                framebuffer_size: (250, 250),
                subgroup_operations: ash::vk::SubgroupFeatureFlags::empty(),
                unknown: None,
            },
        }
    }

    pub fn line(&mut self, text: &str) -> Result<(), String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        match words.as_slice() {
            ["framebuffer", "samples", count @ ..] => self.out.samples = samples(&count.join(" "))?,
            ["framebuffer", name] => self.out.framebuffer = format(name)?,
            ["depthstencil", name] => self.out.depth_stencil = Some(format(name)?),
            ["fbsize", width, height] => {
                let number = |word: &str| match crate::number::integer(word, 32, false) {
                    Some((value, "")) if value > 0 => Ok(value as u32),
                    _ => Err(format!("Invalid fbsize: {word}")),
                };
                self.out.framebuffer_size = (number(width)?, number(height)?);
            }
            ["vulkan", version] => self.out.version = parse_version(version)?,
            ["subgroup_operations", names @ ..] if !names.is_empty() => {
                for name in names {
                    self.out.subgroup_operations |= subgroup_operation(name)?;
                }
            }
            [name] if is_name(name) => self.name(name),
            [keyword, ..] if is_keyword(keyword) => {
                self.out.unknown = Some(format!("Requirement “{text}” is not known"));
            }
            _ => return Err("Invalid require line".into()),
        }
        Ok(())
    }

    fn name(&mut self, name: &str) {
        if let Some((row, member)) = features::extension_feature(name) {
            self.out.extension_features.push((row, member));
            self.extension(features::EXTENSIONS[row].extension);
        } else if let Some(index) = features::CORE.iter().position(|f| *f == name) {
            self.out.core_features.push(index);
        } else {
            self.extension(name);
        }
    }

    fn extension(&mut self, name: &str) {
        if !self.out.extensions.iter().any(|e| e == name) {
            self.out.extensions.push(name.to_string());
            for other in features::required_by(name) {
                self.extension(other);
            }
        }
    }

    pub fn end(self) -> Requirements {
        self.out
    }
}

/// A subgroup operation, by its Vulkan name.
fn subgroup_operation(name: &str) -> Result<ash::vk::SubgroupFeatureFlags, String> {
    use ash::vk::SubgroupFeatureFlags as Flags;
    Ok(match name {
        "basic" => Flags::BASIC,
        "vote" => Flags::VOTE,
        "arithmetic" => Flags::ARITHMETIC,
        "ballot" => Flags::BALLOT,
        "shuffle" => Flags::SHUFFLE,
        "shuffle_relative" => Flags::SHUFFLE_RELATIVE,
        "clustered" => Flags::CLUSTERED,
        "quad" => Flags::QUAD,
        _ => return Err(format!("Unknown subgroup operation: {name}")),
    })
}

fn format(name: &str) -> Result<&'static Format, String> {
    Format::from_name(name).ok_or_else(|| format!("Unknown format: {name}"))
}

/// A valid sample count.
fn samples(word: &str) -> Result<u32, String> {
    match crate::number::integer(word, 32, false) {
        Some((count @ (1 | 2 | 4 | 8 | 16 | 32 | 64), "")) => Ok(count as u32),
        _ => Err(format!(
            "Invalid framebuffer samples: {word}; a pixel has 1, 2, 4, 8, 16, 32 or 64"
        )),
    }
}

fn is_name(word: &str) -> bool {
    word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Newer runners have more keywords; a script that uses one is skipped and does not fail.
fn is_keyword(word: &str) -> bool {
    word.contains('_') && word.chars().all(|c| c.is_ascii_lowercase() || c == '_')
}

fn parse_version(text: &str) -> Result<(u32, u32, u32), String> {
    let mut numbers = [0; 3];
    let parts: Vec<&str> = text.split('.').collect();
    if parts.len() > 3 {
        return Err("Invalid Vulkan version".into());
    }
    for (number, part) in numbers.iter_mut().zip(&parts) {
        *number = part
            .parse()
            .map_err(|_| "Invalid Vulkan version".to_string())?;
    }
    Ok((numbers[0], numbers[1], numbers[2]))
}
