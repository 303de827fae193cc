//! The profile as a file that is always whole.
//!
//! In:  the work of submissions as they end. Out: a table, or a timeline where the file's name ends in .svg, written anew after
//! each submission: a program may end at any time, so nobody can wait for its end.

use std::path::PathBuf;

use gpu::profile::{Work, table, timeline};

/// A profile that is being collected.
#[derive(Debug)]
pub struct Profile {
    path: PathBuf,
    work: Vec<Work>,
}

impl Profile {
    /// A profile that goes to this file.
    pub fn new(path: PathBuf) -> Profile {
        Profile {
            path,
            work: Vec::new(),
        }
    }

    /// Adds the work of a submission. Err: why it is not in the file.
    pub fn add(
        &mut self,
        submission: u64,
        work: Vec<Work>,
        device: &hw::Device,
    ) -> Result<(), String> {
        if work.is_empty() {
            return Ok(());
        }
        self.work
            .extend(work.into_iter().map(|work| Work { submission, ..work }));
        let text = match self.path.extension().is_some_and(|e| e == "svg") {
            true => timeline(&self.work, device),
            false => table(&self.work, device),
        };
        let path = self.path.display();
        std::fs::write(&self.path, text)
            .map_err(|error| format!("submit {submission} is not in the profile: {path}: {error}"))
    }
}
