//! Recordings: all submissions of a process, with the memory that they access, in one file.
//!
//! In:  jobs as the worker executes them. Out: a file from which [`Recording`] reads the same
//!      submissions, to print them (`ingot batch`) or to execute them again (`ingot sim --replay`)
//!      without the program.
//!
//! The format, all numbers little-endian:
//!
//! | bytes | what |
//! | --- | --- |
//! | 8 | `INGOTREC` |
//! | 4 | version, 1 |
//! | 4 | bytes of the device's name, which follows |
//! | then | submissions, each: |
//! | 4 | `SUBM` |
//! | 8, 8 | address and bytes of the batch |
//! | 8, 4, 4 | context, engine class, slot, which identify the hardware context |
//! | 4, 4 | buffers bound, pages that follow |
//! | 8, 8, 8 | of each buffer: a constant id, its address, its bytes |
//! | 8, 4, 4096 | of each page: the buffer's id, the page's number, its contents |
//!
//! Buffers begin as zeros. A page is written if it differs from its contents after the previous
//! submission, so the pages of a submission on top of all earlier ones are the memory that it
//! accessed.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Weak};

use crate::buffer::{Buffer, PAGE_BYTES};
use crate::job::Job;

const MAGIC: &[u8; 8] = b"INGOTREC";
const VERSION: u32 = 1;
const SUBMISSION: &[u8; 4] = b"SUBM";
const PAGE_WORDS: usize = PAGE_BYTES as usize / 4;
const PAGE_QWORDS: usize = PAGE_BYTES as usize / 8;

/// Maximum size of a buffer in a recording; larger ones are rejected.
const MAX_BUFFER_BYTES: u64 = 8 << 30;

/// Writes a recording.
///
/// Finds the pages that a process has written without its cooperation: holes in the buffers' memory
/// files are zeros, and other pages are compared with a copy of their recorded contents.
#[derive(Debug)]
pub(crate) struct Recorder {
    file: BufWriter<File>,
    /// Recorded buffers by id.
    known: BTreeMap<u64, RecordedBuffer>,
}

/// The recorded contents of a buffer.
#[derive(Debug)]
struct RecordedBuffer {
    /// Ids are not reused, so the entry of a freed buffer can be dropped.
    buffer: Weak<Buffer>,
    /// Pages by number; missing pages are zeros.
    pages: BTreeMap<usize, RecordedPage>,
}

/// The recorded contents of a page.
#[derive(Debug)]
enum RecordedPage {
    /// The contents in the file.
    Contents(Box<[u64; PAGE_QWORDS]>),
    /// Unknown, since the GPU has written the page.
    Unknown,
}

impl RecordedPage {
    /// True if memory equals the recorded contents.
    fn matches(known: Option<&RecordedPage>, now: &[AtomicU64]) -> bool {
        // Words compared at once: few enough to stop early, enough to vectorise.
        const STEP: usize = 64;
        match known {
            None => now
                .chunks(STEP)
                .all(|words| or(words.iter().map(load)) == 0),
            Some(RecordedPage::Contents(known)) => {
                now.chunks(STEP).zip(known.chunks(STEP)).all(|(a, b)| {
                    let differ = |(a, b): (&AtomicU64, &u64)| load(a) ^ b;
                    or(a.iter().zip(b).map(differ)) == 0
                })
            }
            Some(RecordedPage::Unknown) => false,
        }
    }

    fn copy_of(now: &[AtomicU64]) -> Box<[u64; PAGE_QWORDS]> {
        let mut copy = Box::new([0; PAGE_QWORDS]);
        for (to, from) in copy.iter_mut().zip(now) {
            *to = load(from);
        }
        copy
    }
}

fn load(word: &AtomicU64) -> u64 {
    word.load(Relaxed)
}

fn or(words: impl Iterator<Item = u64>) -> u64 {
    words.fold(0, |all, word| all | word)
}

impl RecordedBuffer {
    /// Numbers of the pages that differ from the recorded contents.
    fn changed_pages(&self, buffer: &Buffer) -> std::io::Result<Vec<usize>> {
        let pages = buffer.pages().map_err(std::io::Error::other)?;
        let qwords = pages.qwords();
        let ranges = match buffer.file() {
            Ok(file) => sys::data_ranges(file, buffer.bytes()).map_err(std::io::Error::other)?,
            // A userptr buffer: there are no holes.
            Err(_) => std::iter::once(0..buffer.bytes()).collect(),
        };
        let mut changed = Vec::new();
        let mut at = 0;
        for range in ranges {
            let start = (range.start / PAGE_BYTES) as usize;
            let end = range.end.div_ceil(PAGE_BYTES) as usize;
            // Recorded pages that have become holes are zeros now.
            changed.extend(self.pages.range(at..start.max(at)).map(|(index, _)| *index));
            for index in start..end {
                let from = index * PAGE_QWORDS;
                if let Some(now) = qwords.get(from..from + PAGE_QWORDS)
                    && !RecordedPage::matches(self.pages.get(&index), now)
                {
                    changed.push(index);
                }
            }
            at = end;
        }
        changed.extend(self.pages.range(at..).map(|(index, _)| *index));
        Ok(changed)
    }
}

impl Recorder {
    pub(crate) fn create(path: &Path, device: &str) -> std::io::Result<Recorder> {
        let mut file = BufWriter::new(File::create(path)?);
        file.write_all(MAGIC)?;
        file.write_all(&VERSION.to_le_bytes())?;
        file.write_all(&(device.len() as u32).to_le_bytes())?;
        file.write_all(device.as_bytes())?;
        Ok(Recorder {
            file,
            known: BTreeMap::new(),
        })
    }

    /// Writes a job that is about to execute.
    pub(crate) fn record_submission(&mut self, job: &Job) -> std::io::Result<()> {
        self.known
            .retain(|_, known| known.buffer.strong_count() > 0);
        let mut changes = Vec::new();
        for binding in &job.bindings {
            let buffer = &binding.buffer;
            let name = buffer.mmap_offset;
            let known = self.known.entry(name).or_insert_with(|| RecordedBuffer {
                buffer: Arc::downgrade(buffer),
                pages: BTreeMap::new(),
            });
            let changed = known.changed_pages(buffer)?;
            let pages = buffer.pages().map_err(std::io::Error::other)?;
            for index in &changed {
                let now = pages.qwords().get(index * PAGE_QWORDS..).unwrap_or(&[]);
                known
                    .pages
                    .insert(*index, RecordedPage::Contents(RecordedPage::copy_of(now)));
            }
            changes.push((name, changed));
        }
        let count: usize = changes.iter().map(|(_, pages)| pages.len()).sum();
        let file = &mut self.file;
        file.write_all(SUBMISSION)?;
        file.write_all(&job.batch_address.to_le_bytes())?;
        file.write_all(&job.batch_bytes.to_le_bytes())?;
        file.write_all(&job.context.id.to_le_bytes())?;
        file.write_all(&u32::from(job.engine.engine_class).to_le_bytes())?;
        file.write_all(&job.slot.to_le_bytes())?;
        file.write_all(&(job.bindings.len() as u32).to_le_bytes())?;
        file.write_all(&(count as u32).to_le_bytes())?;
        for binding in &job.bindings {
            file.write_all(&binding.buffer.mmap_offset.to_le_bytes())?;
            file.write_all(&binding.address.to_le_bytes())?;
            file.write_all(&binding.buffer.bytes().to_le_bytes())?;
        }
        for (name, changed) in changes {
            for index in changed {
                let known = self.known.get(&name).and_then(|k| k.pages.get(&index));
                let Some(RecordedPage::Contents(page)) = known else {
                    continue;
                };
                file.write_all(&name.to_le_bytes())?;
                file.write_all(&(index as u32).to_le_bytes())?;
                file.write_all(page.map(u64::to_le_bytes).as_flattened())?;
            }
        }
        // Flush, so that the file is complete if the program is killed.
        file.flush()
    }

    /// Marks the pages that a job has written as unknown. A replay writes the same contents only if
    /// it computes the same, so these pages are recorded again with the next job that accesses
    /// them.
    pub(crate) fn note_written_pages(&mut self, job: &Job) -> std::io::Result<()> {
        for binding in &job.bindings {
            if let Some(known) = self.known.get_mut(&binding.buffer.mmap_offset) {
                for index in known.changed_pages(&binding.buffer)? {
                    known.pages.insert(index, RecordedPage::Unknown);
                }
            }
        }
        Ok(())
    }
}

/// Why a file cannot be read as a recording.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordingError {
    /// It does not begin with the magic number.
    #[error("not a recording: it does not begin with INGOTREC")]
    Magic,
    /// It has another version.
    #[error("a recording of version {0}; this program reads version 1")]
    Version(u32),
    /// The device's name is not UTF-8.
    #[error("byte 16: the device's name is not UTF-8")]
    Name,
    /// It ends too early.
    #[error("byte {at}: {what} is cut short")]
    Short {
        /// Offset in the file.
        at: usize,
        /// What was expected there.
        what: &'static str,
    },
    /// There is something other than a submission.
    #[error("byte {at}: no submission begins here")]
    Chunk {
        /// Offset in the file.
        at: usize,
    },
    /// A page of an unbound buffer or past its end, or a buffer whose size or address is invalid.
    #[error("byte {at}: {what}")]
    Memory {
        /// Offset in the file.
        at: usize,
        /// What is wrong.
        what: &'static str,
    },
}

/// One submission of a recording.
#[derive(Clone, Debug)]
pub struct Submission {
    /// Context, engine class and slot: submissions with equal ones share a hardware context.
    pub context: (u64, u32, u32),
    /// GPU address of the first command.
    pub batch_address: u64,
    /// Bytes of the batch; 0: up to its end.
    pub batch_bytes: u64,
    /// The address space with the contents before the submission.
    pub space: gpu::AddressSpace,
}

type Memory = Arc<Box<[AtomicU32]>>;

/// Reads a recording, submission by submission.
#[derive(Debug)]
pub struct Recording<'a> {
    bytes: &'a [u8],
    at: usize,
    device: String,
    memory: BTreeMap<u64, Memory>,
}

impl<'a> Recording<'a> {
    /// Starts reading the contents of a file.
    ///
    /// # Errors
    /// The header is not that of a recording.
    pub fn new(bytes: &'a [u8]) -> Result<Recording<'a>, RecordingError> {
        if bytes.get(..8) != Some(MAGIC) {
            return Err(RecordingError::Magic);
        }
        let mut recording = Recording {
            bytes,
            at: 8,
            device: String::new(),
            memory: BTreeMap::new(),
        };
        let version = recording.u32("the version")?;
        if version != VERSION {
            return Err(RecordingError::Version(version));
        }
        let length = recording.u32("the name's length")?;
        let name = recording.next_bytes(length as usize, "the device's name")?;
        recording.device = std::str::from_utf8(name)
            .map_err(|_| RecordingError::Name)?
            .into();
        Ok(recording)
    }

    /// Name of the device that the submissions were made for.
    pub fn device(&self) -> &str {
        &self.device
    }

    /// Reads the next submission; `None` at the end. Writes to the memory of the previous one
    /// persist, except in pages that the file contains again.
    ///
    /// # Errors
    /// The file is damaged.
    pub fn next_submission(&mut self) -> Result<Option<Submission>, RecordingError> {
        if self.at == self.bytes.len() {
            return Ok(None);
        }
        let at = self.at;
        if self.next_bytes(4, "a submission")? != SUBMISSION {
            return Err(RecordingError::Chunk { at });
        }
        let batch_address = self.u64("the batch's address")?;
        let batch_bytes = self.u64("the batch's size")?;
        let context = (
            self.u64("the context")?,
            self.u32("the engine")?,
            self.u32("the slot")?,
        );
        let buffers = self.u32("the number of buffers")?;
        let pages = self.u32("the number of pages")?;
        let mut space = gpu::AddressSpace::new();
        for _ in 0..buffers {
            let at = self.at;
            let wrong = |what| RecordingError::Memory { at, what };
            let name = self.u64("a buffer")?;
            let address = self.u64("a buffer's address")?;
            let bytes = self.u64("a buffer's size")?;
            if bytes > MAX_BUFFER_BYTES || !bytes.is_multiple_of(PAGE_BYTES) {
                return Err(wrong("a buffer that is not made of pages, or too large"));
            }
            let words = (bytes / 4) as usize;
            let memory = self.memory.entry(name).or_insert_with(|| zeros(words));
            if memory.len() != words {
                *memory = zeros(words);
            }
            let backing: Arc<dyn gpu::Backing> = memory.clone();
            space
                .map(address, bytes, backing, 0)
                .map_err(|_| wrong("a buffer that overlaps another, or lies outside the space"))?;
        }
        for _ in 0..pages {
            let at = self.at;
            let name = self.u64("a page's buffer")?;
            let index = self.u32("a page's number")? as usize;
            let contents = self.next_bytes(PAGE_BYTES as usize, "a page")?;
            let memory = self.memory.get(&name).ok_or(RecordingError::Memory {
                at,
                what: "a page of no buffer",
            })?;
            let first = index.saturating_mul(PAGE_WORDS);
            let page = memory.get(first..first.saturating_add(PAGE_WORDS)).ok_or(
                RecordingError::Memory {
                    at,
                    what: "a page beyond its buffer's end",
                },
            )?;
            for (word, bytes) in page.iter().zip(contents.as_chunks::<4>().0) {
                word.store(u32::from_le_bytes(*bytes), Relaxed);
            }
        }
        Ok(Some(Submission {
            context,
            batch_address,
            batch_bytes,
            space,
        }))
    }

    fn next_bytes(
        &mut self,
        length: usize,
        what: &'static str,
    ) -> Result<&'a [u8], RecordingError> {
        let end = self.at.saturating_add(length);
        let taken = self
            .bytes
            .get(self.at..end)
            .ok_or(RecordingError::Short { at: self.at, what })?;
        self.at = end;
        Ok(taken)
    }

    fn u32(&mut self, what: &'static str) -> Result<u32, RecordingError> {
        let bytes = self.next_bytes(4, what)?;
        Ok(bytes.iter().rev().fold(0, |n, b| n << 8 | u32::from(*b)))
    }

    fn u64(&mut self, what: &'static str) -> Result<u64, RecordingError> {
        let low = self.u32(what)?;
        let high = self.u32(what)?;
        Ok(u64::from(low) | u64::from(high) << 32)
    }
}

fn zeros(words: usize) -> Memory {
    Arc::new((0..words).map(|_| AtomicU32::new(0)).collect())
}

#[cfg(test)]
mod tests;
