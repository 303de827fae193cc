//! The container: entries by type and hash.
//!
//! In:  a file: 16 bytes of magic, the last of them the version; then entries. An entry is 40
//!      hexadecimal digits (the last 16 the object's hash, the 16 before them its type), four
//!      dwords (payload size, format, CRC-32 of the payload or 0, decompressed size) and the
//!      payload. All numbers are little-endian. Out: decompressed payloads.

use crate::fossilize::error::FossilizeError;
use flate2::Crc;
use flate2::read::ZlibDecoder;
use std::collections::BTreeMap;
use std::io::{Read, Seek, SeekFrom};

/// The first bytes of an archive, before the version.
const MAGIC: [u8; 15] = *b"\x81FOSSILIZEDB\0\0\0";
/// The versions of the format that are read.
const VERSIONS: std::ops::RangeInclusive<u8> = 5..=6;
const MAGIC_BYTES: u64 = 16;
const NAME_BYTES: usize = 40;
const HEADER_BYTES: usize = NAME_BYTES + 16;
/// Payload formats.
const UNCOMPRESSED: u32 = 1;
const DEFLATED: u32 = 2;
/// The highest ratio of decompressed to compressed bytes in a deflate stream, rounded up.
const MAX_RATIO: u64 = 1040;

/// The type of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ObjectKind {
    SetLayout = 2,
    PipelineLayout = 3,
    ShaderModule = 4,
    GraphicsPipeline = 6,
    ComputePipeline = 7,
    RayTracingPipeline = 9,
}

const KINDS: [(ObjectKind, &str); 6] = [
    (ObjectKind::SetLayout, "descriptor set layout"),
    (ObjectKind::PipelineLayout, "pipeline layout"),
    (ObjectKind::ShaderModule, "shader module"),
    (ObjectKind::GraphicsPipeline, "graphics pipeline"),
    (ObjectKind::ComputePipeline, "compute pipeline"),
    (ObjectKind::RayTracingPipeline, "ray tracing pipeline"),
];

impl ObjectKind {
    fn name(self) -> &'static str {
        let row = KINDS.iter().find(|(kind, _)| *kind == self);
        row.map_or("object", |(_, name)| name)
    }
}

/// Where a payload is.
#[derive(Clone, Copy)]
struct Entry {
    offset: u64,
    payload_bytes: u32,
    format: u32,
    crc: u32,
    plain_bytes: u32,
}

/// A decompressed payload.
pub struct Blob {
    /// Offset of the payload in the file, for errors.
    pub offset: u64,
    pub bytes: Vec<u8>,
}

/// An open archive. Its size in memory is in proportion to its number of entries.
pub struct Archive<R> {
    file: R,
    entries: BTreeMap<(ObjectKind, u64), Entry>,
}

/// The number of some hexadecimal digits; None if there are other characters.
fn hexadecimal(digits: &[u8]) -> Option<u64> {
    let digit = |d: &u8| char::from(*d).to_digit(16).map(u64::from);
    digits
        .iter()
        .try_fold(0, |value: u64, d| Some(value << 4 | digit(d)?))
}

fn dword(header: &[u8], index: usize) -> u32 {
    let start = NAME_BYTES + 4 * index;
    let bytes = header.get(start..start + 4).unwrap_or_default();
    bytes.iter().rev().fold(0, |v, b| v << 8 | u32::from(*b))
}

impl<R: Read + Seek> Archive<R> {
    /// Reads the headers of all entries. Entries of types that are not listed are skipped.
    ///
    /// # Errors
    /// The offset at which the file is no archive, is cut off or is malformed.
    pub fn open(mut file: R) -> Result<Archive<R>, FossilizeError> {
        let end = file.seek(SeekFrom::End(0))?;
        file.rewind()?;
        let mut magic = [0; MAGIC_BYTES as usize];
        if end < MAGIC_BYTES {
            return Err(FossilizeError::malformed(0, "no Fossilize archive"));
        }
        file.read_exact(&mut magic)?;
        let Some((version, magic)) = magic.split_last() else {
            return Err(FossilizeError::malformed(0, "no Fossilize archive"));
        };
        if magic != MAGIC {
            return Err(FossilizeError::malformed(0, "no Fossilize archive"));
        }
        if !VERSIONS.contains(version) {
            let what = format!("version {version} of the format; 5 and 6 are supported");
            return Err(FossilizeError::malformed(MAGIC_BYTES - 1, what));
        }
        let mut archive = Archive {
            file,
            entries: BTreeMap::new(),
        };
        let mut offset = MAGIC_BYTES;
        while offset < end {
            offset = archive.read_header(offset, end)?;
        }
        Ok(archive)
    }

    /// Reads the header of the entry at this offset; returns the next entry's offset.
    fn read_header(&mut self, offset: u64, end: u64) -> Result<u64, FossilizeError> {
        let payload = offset + HEADER_BYTES as u64;
        if payload > end {
            let what = format!("the file ends after {} bytes of a header", end - offset);
            return Err(FossilizeError::malformed(offset, what));
        }
        let mut header = [0; HEADER_BYTES];
        self.file.read_exact(&mut header)?;
        let name = header.get(NAME_BYTES - 32..NAME_BYTES).unwrap_or_default();
        let (tag, hash) = name.split_at(16.min(name.len()));
        let (Some(tag), Some(hash)) = (hexadecimal(tag), hexadecimal(hash)) else {
            let what = "an entry's name is not hexadecimal";
            return Err(FossilizeError::malformed(offset, what));
        };
        let entry = Entry {
            offset: payload,
            payload_bytes: dword(&header, 0),
            format: dword(&header, 1),
            crc: dword(&header, 2),
            plain_bytes: dword(&header, 3),
        };
        let next = payload + u64::from(entry.payload_bytes);
        if next > end {
            let what = format!(
                "a payload of {} bytes, of which the file has {}",
                entry.payload_bytes,
                end - payload
            );
            return Err(FossilizeError::malformed(offset, what));
        }
        if let Some((kind, _)) = KINDS.iter().find(|(kind, _)| *kind as u64 == tag) {
            // The first one counts, as for Fossilize.
            self.entries.entry((*kind, hash)).or_insert(entry);
        }
        self.file.seek(SeekFrom::Start(next))?;
        Ok(next)
    }

    /// The hashes of all objects of a type, sorted.
    pub fn hashes(&self, kind: ObjectKind) -> Vec<u64> {
        let of_kind = self.entries.range((kind, 0)..=(kind, u64::MAX));
        of_kind.map(|((_, hash), _)| *hash).collect()
    }

    /// Reads and decompresses an object's payload.
    ///
    /// # Errors
    /// There is no such object, or its payload is malformed.
    pub fn blob(&mut self, kind: ObjectKind, hash: u64) -> Result<Blob, FossilizeError> {
        let missing = FossilizeError::Missing {
            kind: kind.name(),
            hash,
        };
        let entry = *self.entries.get(&(kind, hash)).ok_or(missing)?;
        let wrong = |what: String| FossilizeError::malformed(entry.offset, what);
        // No larger than the file, as `open` checks.
        let mut payload = vec![0; entry.payload_bytes as usize];
        self.file.seek(SeekFrom::Start(entry.offset))?;
        self.file.read_exact(&mut payload)?;
        if entry.crc != 0 {
            let mut crc = Crc::new();
            crc.update(&payload);
            if crc.sum() != entry.crc {
                return Err(wrong("the checksum of a payload is wrong".into()));
            }
        }
        let bytes = match entry.format {
            UNCOMPRESSED => payload,
            DEFLATED => {
                let limit = MAX_RATIO * u64::from(entry.payload_bytes);
                if u64::from(entry.plain_bytes) > limit {
                    let (from, to) = (entry.payload_bytes, entry.plain_bytes);
                    let what = format!("{from} bytes cannot be the compressed form of {to}");
                    return Err(wrong(what));
                }
                let mut bytes = Vec::new();
                // One byte more shows that the stream is too long.
                ZlibDecoder::new(payload.as_slice())
                    .take(u64::from(entry.plain_bytes) + 1)
                    .read_to_end(&mut bytes)
                    .map_err(|e| wrong(format!("a payload cannot be decompressed: {e}")))?;
                bytes
            }
            format => return Err(wrong(format!("unknown payload format {format}"))),
        };
        if bytes.len() != entry.plain_bytes as usize {
            let what = "a payload's decompressed size differs from its header's";
            return Err(wrong(what.into()));
        }
        Ok(Blob {
            offset: entry.offset,
            bytes,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fossilize::writer::{ArchiveWriter, Packing};
    use std::io::Cursor;

    fn open(bytes: &[u8]) -> Result<Archive<Cursor<Vec<u8>>>, FossilizeError> {
        Archive::open(Cursor::new(bytes.to_vec()))
    }

    /// Three entries: one uncompressed, one compressed, one of an unlisted type.
    fn sample() -> Vec<u8> {
        let mut writer = ArchiveWriter::new(6);
        writer.add(4, 0xabc, b"module", Packing::Plain);
        writer.add(1, 1, b"sampler", Packing::Plain);
        writer.add(7, 0x8000_0000_0000_0001, &[b'x'; 5000], Packing::Deflated);
        writer.bytes
    }

    #[test]
    fn payloads_are_read_whatever_their_format() {
        let mut archive = open(&sample()).unwrap();
        assert_eq!(archive.hashes(ObjectKind::ShaderModule), [0xabc]);
        let blob = archive.blob(ObjectKind::ShaderModule, 0xabc).unwrap();
        assert_eq!((blob.offset, blob.bytes), (16 + 56, b"module".to_vec()));
        let hash = 0x8000_0000_0000_0001;
        assert_eq!(archive.hashes(ObjectKind::ComputePipeline), [hash]);
        let blob = archive.blob(ObjectKind::ComputePipeline, hash).unwrap();
        assert_eq!(blob.bytes, [b'x'; 5000]);
        let error = archive.blob(ObjectKind::SetLayout, 2).err().unwrap();
        let text = "the archive has no descriptor set layout 0000000000000002";
        assert_eq!(error.to_string(), text);
    }

    #[test]
    fn every_truncated_archive_is_one_error_with_the_offset() {
        let bytes = sample();
        // The entries begin at 16, at 78 = 16 + 56 + 6, and at 141 = 78 + 56 + 7.
        for length in 0..bytes.len() {
            let result = open(&bytes[..length]);
            if [16, 78, 141].contains(&length) {
                assert!(result.is_ok(), "{length}");
                continue;
            }
            let error = result.err().unwrap().to_string();
            let offset = match length {
                0..16 => 0,
                16..78 => 16,
                78..141 => 78,
                _ => 141,
            };
            assert!(
                error.starts_with(&format!("offset {offset:#x}: ")),
                "{error}"
            );
        }
        let error = open(&bytes[..77]).err().unwrap().to_string();
        assert_eq!(
            error,
            "offset 0x10: a payload of 6 bytes, of which the file has 5"
        );
    }

    #[test]
    fn foreign_files_and_versions_are_refused() {
        let error = open(&[b'x'; 100]).err().unwrap().to_string();
        assert_eq!(error, "offset 0x0: no Fossilize archive");
        for (version, works) in [(4, false), (5, true), (6, true), (7, false)] {
            let result = open(&ArchiveWriter::new(version).bytes);
            assert_eq!(result.is_ok(), works, "{version}");
        }
        let error = open(&ArchiveWriter::new(9).bytes)
            .err()
            .unwrap()
            .to_string();
        assert!(error.starts_with("offset 0xf: version 9"), "{error}");
    }

    #[test]
    fn a_changed_byte_is_found_by_the_checksum() {
        let mut bytes = sample();
        let last = bytes.len() - 1;
        for (position, kind, hash) in [
            (72, ObjectKind::ShaderModule, 0xabc),
            (last, ObjectKind::ComputePipeline, 0x8000_0000_0000_0001),
        ] {
            bytes[position] ^= 1;
            let mut archive = open(&bytes).unwrap();
            let error = archive.blob(kind, hash).err().unwrap().to_string();
            assert!(
                error.contains("the checksum of a payload is wrong"),
                "{error}"
            );
            assert!(error.starts_with("offset 0x"), "{error}");
        }
    }

    #[test]
    fn wrong_headers_are_errors() {
        let broken = |change: &dyn Fn(&mut Vec<u8>)| -> String {
            let mut bytes = sample();
            change(&mut bytes);
            let hash = 0x8000_0000_0000_0001;
            match open(&bytes) {
                Err(error) => error.to_string(),
                Ok(mut archive) => {
                    let blob = archive.blob(ObjectKind::ComputePipeline, hash);
                    blob.err().unwrap().to_string()
                }
            }
        };
        // The header of the third entry: name from 141, dwords from 181, payload from 197.
        assert_eq!(
            broken(&|b| b[150] = b'g'),
            "offset 0x8d: an entry's name is not hexadecimal"
        );
        assert_eq!(
            broken(&|b| b[185] = 3),
            "offset 0xc5: unknown payload format 3"
        );
        // Too small by one, and far too large for the payload.
        let sizes = "offset 0xc5: a payload's decompressed size differs from its header's";
        assert_eq!(broken(&|b| b[193] -= 1), sizes);
        let large = broken(&|b| b[196] = 0x7f);
        assert!(large.contains("cannot be the compressed form"), "{large}");
        // No checksum, but a broken stream.
        let stream = broken(&|b| {
            b[189..193].fill(0);
            b[197] = 0xff;
        });
        assert!(stream.contains("cannot be decompressed"), "{stream}");
    }
}
