//! Recordings: every submission of a process, with the memory that it sees, in one file.
//!
//! In:  jobs as the worker runs them. Out: a file from which [`Recording`] gives the same submissions again, so that they can
//! be printed (`ingot batch`) and executed anew (`ingot sim --replay`) without the program that made them.
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
//! | 8, 4, 4 | context, engine class, slot: submissions with the same three share a hardware context |
//! | 4, 4 | buffers bound, pages that follow |
//! | 8, 8, 8 | of each buffer: a name that stays the same, its address, its bytes |
//! | 8, 4, 4096 | of each page: the buffer's name, the page's number, its contents |
//!
//! Buffers begin as zeros. A page is written when it differs from what the last submission before left in it, so each
//! submission's pages on top of all earlier ones are the memory that it saw.

use std::collections::BTreeMap;
use std::fs::File;
use std::hash::{DefaultHasher, Hasher};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use crate::buffer::PAGE_BYTES;
use crate::worker::Job;

const MAGIC: &[u8; 8] = b"INGOTREC";
const VERSION: u32 = 1;
const SUBMISSION: &[u8; 4] = b"SUBM";
const PAGE_WORDS: usize = PAGE_BYTES as usize / 4;

/// Buffers larger than this are no recording's.
const MAX_BUFFER_BYTES: u64 = 8 << 30;

/// Writes a recording.
#[derive(Debug)]
pub(crate) struct Recorder {
    file: BufWriter<File>,
    /// Hashes of the pages that a reader of the file knows, by buffer; 0 for zeros.
    known: BTreeMap<u64, Vec<u64>>,
}

/// A hash of a page that is 0 for zeros alone.
fn hash(words: &[AtomicU32]) -> u64 {
    let mut hasher = DefaultHasher::new();
    let mut any = 0;
    for word in words {
        let word = word.load(Relaxed);
        any |= word;
        hasher.write_u32(word);
    }
    match any {
        0 => 0,
        _ => hasher.finish() | 1,
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

    /// Writes a job that is about to run.
    pub(crate) fn before(&mut self, job: &Job) -> std::io::Result<()> {
        let mut pages = Vec::new();
        let mut count = 0u32;
        for binding in &job.bindings {
            let name = binding.buffer.mmap_offset;
            let words = Self::words(binding)?;
            let known = self.known.entry(name).or_default();
            known.resize(words.len().div_ceil(PAGE_WORDS), 0);
            for (index, (page, known)) in words.chunks(PAGE_WORDS).zip(known).enumerate() {
                let now = hash(page);
                if now == *known {
                    continue;
                }
                *known = now;
                count += 1;
                pages.extend_from_slice(&name.to_le_bytes());
                pages.extend_from_slice(&(index as u32).to_le_bytes());
                for word in page {
                    pages.extend_from_slice(&word.load(Relaxed).to_le_bytes());
                }
            }
        }
        let file = &mut self.file;
        file.write_all(SUBMISSION)?;
        file.write_all(&job.batch_address.to_le_bytes())?;
        file.write_all(&job.batch_bytes.to_le_bytes())?;
        file.write_all(&job.context.id.to_le_bytes())?;
        file.write_all(&u32::from(job.engine.engine_class).to_le_bytes())?;
        file.write_all(&job.slot.to_le_bytes())?;
        file.write_all(&(job.bindings.len() as u32).to_le_bytes())?;
        file.write_all(&count.to_le_bytes())?;
        for binding in &job.bindings {
            file.write_all(&binding.buffer.mmap_offset.to_le_bytes())?;
            file.write_all(&binding.address.to_le_bytes())?;
            file.write_all(&binding.buffer.bytes().to_le_bytes())?;
        }
        file.write_all(&pages)?;
        // A program that is killed leaves what it had done.
        file.flush()
    }

    /// Notes what a job has changed: whoever replays it has the same changes only if it computes the same.
    pub(crate) fn after(&mut self, job: &Job) -> std::io::Result<()> {
        for binding in &job.bindings {
            let words = Self::words(binding)?;
            let Some(known) = self.known.get_mut(&binding.buffer.mmap_offset) else {
                continue;
            };
            for (page, known) in words.chunks(PAGE_WORDS).zip(known) {
                if hash(page) != *known {
                    // No page has this hash, so it is written before the next job that sees it.
                    *known = 2;
                }
            }
        }
        Ok(())
    }

    fn words(binding: &crate::space::Binding) -> std::io::Result<&[AtomicU32]> {
        let pages = binding.buffer.pages().map_err(std::io::Error::other)?;
        Ok(gpu::Backing::words(&**pages))
    }
}

/// Why a file is no recording.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordingError {
    /// It does not begin like one.
    #[error("not a recording: it does not begin with INGOTREC")]
    Magic,
    /// Of another version.
    #[error("a recording of version {0}; this program reads version 1")]
    Version(u32),
    /// The device's name is no text.
    #[error("byte 16: the device's name is not UTF-8")]
    Name,
    /// It ends too early.
    #[error("byte {at}: {what} is cut short")]
    Short {
        /// Offset in the file.
        at: usize,
        /// What should stand there.
        what: &'static str,
    },
    /// Something else than a submission.
    #[error("byte {at}: no submission begins here")]
    Chunk {
        /// Offset in the file.
        at: usize,
    },
    /// A page of a buffer that is not bound, or beyond its end, or a buffer that is not made of pages.
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
    /// Context, engine class and slot: equal ones share a hardware context.
    pub context: (u64, u32, u32),
    /// GPU address of the first command.
    pub batch_address: u64,
    /// Bytes of the batch, 0 for up to its end.
    pub batch_bytes: u64,
    /// Memory as the submission sees it.
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
    /// Begins to read a file's contents.
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
        let name = recording.take(length as usize, "the device's name")?;
        recording.device = std::str::from_utf8(name)
            .map_err(|_| RecordingError::Name)?
            .into();
        Ok(recording)
    }

    /// Name of the device that the submissions were made for.
    pub fn device(&self) -> &str {
        &self.device
    }

    /// The next submission; `None` at the end. What the one before has written to its space is kept but for pages that the
    /// file has anew.
    pub fn next_submission(&mut self) -> Result<Option<Submission>, RecordingError> {
        if self.at == self.bytes.len() {
            return Ok(None);
        }
        let at = self.at;
        if self.take(4, "a submission")? != SUBMISSION {
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
            let contents = self.take(PAGE_BYTES as usize, "a page")?;
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

    fn take(&mut self, length: usize, what: &'static str) -> Result<&'a [u8], RecordingError> {
        let end = self.at.saturating_add(length);
        let taken = self
            .bytes
            .get(self.at..end)
            .ok_or(RecordingError::Short { at: self.at, what })?;
        self.at = end;
        Ok(taken)
    }

    fn u32(&mut self, what: &'static str) -> Result<u32, RecordingError> {
        let bytes = self.take(4, what)?;
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
