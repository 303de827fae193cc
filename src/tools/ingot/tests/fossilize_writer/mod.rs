//! A writer of Fossilize archives, for tests.

use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};
use std::io::Write;

/// How a payload is stored.
#[derive(Clone, Copy)]
pub enum Packing {
    Plain,
    Deflated,
}

/// An archive in memory.
pub struct ArchiveWriter {
    pub bytes: Vec<u8>,
}

impl ArchiveWriter {
    /// An archive without entries.
    pub fn new(version: u8) -> ArchiveWriter {
        let mut bytes = b"\x81FOSSILIZEDB\0\0\0".to_vec();
        bytes.push(version);
        ArchiveWriter { bytes }
    }

    /// Adds an object of a type, with a checksum.
    pub fn add(&mut self, tag: u32, hash: u64, payload: &[u8], packing: Packing) {
        let (format, stored) = match packing {
            Packing::Plain => (1u32, payload.to_vec()),
            Packing::Deflated => {
                let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
                encoder.write_all(payload).unwrap();
                (2, encoder.finish().unwrap())
            }
        };
        let mut crc = Crc::new();
        crc.update(&stored);
        let name = format!("{tag:024x}{hash:016x}");
        self.bytes.extend_from_slice(name.as_bytes());
        let header = [stored.len() as u32, format, crc.sum(), payload.len() as u32];
        self.bytes
            .extend(header.iter().flat_map(|dword| dword.to_le_bytes()));
        self.bytes.extend_from_slice(&stored);
    }

    /// Adds a shader module with its words as variable-length integers.
    pub fn add_module(&mut self, hash: u64, words: &[u32]) {
        let mut encoded = Vec::new();
        for word in words {
            let mut rest = *word;
            while rest >= 0x80 {
                encoded.push(rest as u8 | 0x80);
                rest >>= 7;
            }
            encoded.push(rest as u8);
        }
        let json = format!(
            "{{\"version\":6,\"shaderModules\":{{\"{hash:016x}\":{{\"varintOffset\":0,\
             \"varintSize\":{},\"codeSize\":{},\"flags\":0}}}}}}",
            encoded.len(),
            4 * words.len()
        );
        let payload = [json.as_bytes(), &[0], &encoded].concat();
        self.add(4, hash, &payload, Packing::Plain);
    }

    /// Adds an object whose payload is JSON in a section of this name.
    pub fn add_json(&mut self, tag: u32, section: &str, hash: u64, object: &str) {
        let text = format!("{{\"version\":6,\"{section}\":{{\"{hash:016x}\":{object}}}}}");
        self.add(tag, hash, text.as_bytes(), Packing::Deflated);
    }
}
