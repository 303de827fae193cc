//! The journal: what was about to happen, on disk before it happens.
//!
//! In:  events. Out: lines of a text file, each synchronised to the disk before the call returns,
//!      so that a machine that freezes leaves the name of the last submission behind.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// An open journal. Several processes may append to one file.
#[derive(Debug)]
pub struct Journal {
    file: Mutex<File>,
}

impl Journal {
    /// Opens the journal for appending, and creates it if it is missing. Err: one line.
    pub fn open(path: &Path) -> Result<Self, String> {
        let opened = OpenOptions::new().create(true).append(true).open(path);
        opened
            .map(|file| Self {
                file: Mutex::new(file),
            })
            .map_err(|error| format!("{}: {error}", path.display()))
    }

    /// Appends a line with the time in ms of the monotonic clock, and waits until it is on the
    /// disk. Err: one line.
    pub fn line(&self, text: &str) -> Result<(), String> {
        let ms = sys::monotonic_ns() / 1_000_000;
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        // A single write, so that lines of two processes do not mix.
        let written = file.write_all(format!("{ms:>12} {text}\n").as_bytes());
        written
            .and_then(|()| file.sync_data())
            .map_err(|error| format!("journal: {error}"))
    }
}

/// The last submission that the journal announces: the line without its time.
pub fn last_submission(text: &str) -> Option<&str> {
    let lines = text.lines().rev();
    let mut lines = lines.map(|line| line.trim_start().split_once(' ').map_or("", |l| l.1));
    lines.find(|line| line.contains(" submit "))
}
