//! What a recording uses: commands, structures and registers, and the values of their fields.

use crate::batch_diff::{normalise, registers};
use crate::indirect_state::{Item, StateReader};
use crate::recording;
use hw::media::pipe_control;
use hw::mi::mi_load_register_imm;
use hw::{FieldKind, Packet, value};
use kmd::Recording;
use std::collections::{BTreeMap, BTreeSet};

/// How often a field has each of its values.
pub type Values = BTreeMap<String, u64>;

/// The uses of a command or structure.
#[derive(Clone, Debug, Default)]
pub struct PacketUsage {
    /// Number of uses.
    pub count: u64,
    /// The values of each field. Of MI_LOAD_REGISTER_IMM each register is a field; of PIPE_CONTROL
    /// each combination of flags.
    pub fields: BTreeMap<String, Values>,
}

/// The uses of all commands and structures of recordings, by name.
#[derive(Clone, Debug, Default)]
pub struct Usage {
    /// Names of the devices that the recordings were made on.
    pub devices: BTreeSet<&'static str>,
    /// Number of submissions.
    pub submissions: u64,
    /// Number of commands.
    pub commands: u64,
    /// The uses, by the PRM's name of the command or structure.
    pub packets: BTreeMap<String, PacketUsage>,
}

impl Usage {
    /// Adds the submissions of a recording, given as the contents of the file.
    ///
    /// # Errors
    /// The bytes are no recording or damaged, the device is unknown, or a batch leaves mapped
    /// memory; the text names the place.
    pub fn add(&mut self, bytes: &[u8]) -> Result<(), String> {
        let mut recording = Recording::new(bytes).map_err(|e| e.to_string())?;
        let device = recording::device(&recording)?;
        let hw_gen = device.hw_gen;
        self.devices.insert(device.name);
        let mut readers: BTreeMap<(u64, u32, u32), StateReader> = BTreeMap::new();
        let mut bindless: BTreeSet<Vec<u32>> = BTreeSet::new();
        for number in 0.. {
            let at = |e: &dyn std::fmt::Display| format!("submission {number}: {e}");
            let Some(submission) = recording.next_submission().map_err(|e| at(&e))? else {
                break;
            };
            self.submissions += 1;
            let reader = readers.entry(submission.context).or_default();
            let cut = recording::walk(&submission, hw_gen, |command, _| {
                self.commands += 1;
                match command.packet {
                    Some(packet) => {
                        self.add_command(packet, command.words);
                        reader.visit(packet, command.words, &submission.space, &mut |item| {
                            self.add_item(Some(packet), &item);
                        });
                    }
                    None => self.add_unknown(command.words),
                }
                Ok(())
            });
            if let Some(why) = cut.map_err(|e| at(&e))? {
                return Err(at(&why));
            }
            reader.visit_bindless(&submission.space, &mut |item| {
                // States stay from submission to submission: each counts once.
                if let Item::Structure { words, .. } = &item
                    && bindless.insert(words.to_vec())
                {
                    self.add_item(None, &item);
                }
            });
        }
        Ok(())
    }

    fn entry(&mut self, name: &str) -> &mut PacketUsage {
        self.packets.entry(name.to_owned()).or_default()
    }

    fn add_command(&mut self, packet: &Packet, words: &[u32]) {
        let is = |other: &Packet| std::ptr::eq(packet, other);
        let usage = self.entry(packet.name);
        usage.count += 1;
        if is(&mi_load_register_imm::PACKET) {
            let pairs = words.get(1..).unwrap_or_default().chunks_exact(2);
            for pair in pairs {
                let offset = pair[0] & 0x7f_fffc;
                let value = registers::value(offset, pair[1]);
                usage.add(&registers::name(offset), value);
            }
        } else if is(&pipe_control::PACKET) {
            usage.add(&flags(packet, words), "used".to_owned());
        } else {
            usage.add_fields(packet, words);
        }
    }

    fn add_unknown(&mut self, words: &[u32]) {
        let first = words.first().copied().unwrap_or_default();
        self.entry(&format!("unknown {:#06x}", first >> 16)).count += 1;
    }

    /// Adds a structure. The fields of one that belongs to its command alone count as those of the
    /// command.
    fn add_item(&mut self, packet: Option<&Packet>, item: &Item<'_>) {
        let Item::Structure {
            structure, words, ..
        } = item
        else {
            return;
        };
        if std::ptr::eq(*structure, &hw::draw_state::state_constant_body::PACKET)
            && let Some(packet) = packet
        {
            self.entry(packet.name).add_fields(structure, words);
            return;
        }
        let usage = self.entry(structure.name);
        usage.count += 1;
        usage.add_fields(structure, words);
    }
}

impl PacketUsage {
    fn add(&mut self, field: &str, value: String) {
        let values = self.fields.entry(field.to_owned()).or_default();
        *values.entry(value).or_default() += 1;
    }

    fn add_fields(&mut self, packet: &Packet, words: &[u32]) {
        for field in packet.fields {
            if usize::from(field.lo / 32) >= words.len() {
                break;
            }
            if let Some(value) = normalise::comparable(packet, field, words) {
                self.add(field.name, value);
            }
        }
    }
}

/// The flags of a PIPE_CONTROL and its post-sync operation, joined by `+`.
fn flags(packet: &Packet, words: &[u32]) -> String {
    let mut names = Vec::new();
    for field in packet.fields {
        let raw = field.get(words);
        if raw == 0 || matches!(field.name, "Immediate Data" | "Address") {
            continue;
        }
        let short = field.name.trim_end_matches(" Enable");
        names.push(match field.kind {
            FieldKind::Bool => short.to_owned(),
            _ => match value::name(packet, field.name, raw) {
                Some(named) => format!("{short} {named}"),
                None => format!("{short} {raw}"),
            },
        });
    }
    match names.is_empty() {
        true => "no flags".to_owned(),
        false => names.join(" + "),
    }
}
