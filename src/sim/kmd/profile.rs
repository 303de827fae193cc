//! The profile file, which is complete after each submission.
//!
//! In:  the work of submissions as they end. Out: a table, or a timeline if the file's name ends in
//!      .svg, rewritten after each submission because a program may end at any time. If it ends in
//!      .tsv: machine-readable lines, appended, so that the cost of a submission does not grow with
//!      the file and several processes may share it.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use gpu::profile::{HEADER, WorkProfile, lines, table, timeline};

/// A profile that is being collected.
#[derive(Debug)]
pub struct Profile {
    path: PathBuf,
    /// All work so far, for files that are rewritten.
    work: Vec<WorkProfile>,
}

/// Appends text to a file with a single write; a new file begins with the header.
fn append(path: &Path, text: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    let header = match file.metadata()?.len() {
        0 => HEADER,
        _ => "",
    };
    file.write_all(format!("{header}{text}").as_bytes())
}

impl Profile {
    /// A profile that goes to this file.
    pub fn new(path: PathBuf) -> Profile {
        Profile {
            path,
            work: Vec::new(),
        }
    }

    /// Adds the work of a submission. The error is a message for the log.
    pub fn add(
        &mut self,
        submission: u64,
        work: Vec<WorkProfile>,
        device: &hw::Device,
    ) -> Result<(), String> {
        if work.is_empty() {
            return Ok(());
        }
        let work = work
            .into_iter()
            .map(|work| WorkProfile { submission, ..work });
        let is = |end: &str| self.path.extension().is_some_and(|e| e == end);
        let written = if is("tsv") {
            let work: Vec<WorkProfile> = work.collect();
            append(&self.path, &lines(&work, device, std::process::id()))
        } else {
            self.work.extend(work);
            let text = match is("svg") {
                true => timeline(&self.work, device),
                false => table(&self.work, device),
            };
            std::fs::write(&self.path, text)
        };
        let path = self.path.display();
        written
            .map_err(|error| format!("submit {submission} is not in the profile: {path}: {error}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gpu::profile::StageWork;

    fn work(stages: &[&'static str]) -> WorkProfile {
        let stage = |stage: &&'static str| StageWork {
            stage,
            kernel: 0x40,
            threads: 3,
            ..StageWork::default()
        };
        WorkProfile {
            command: "3DPRIMITIVE",
            extent: "3 x 1 vertices".into(),
            stages: stages.iter().map(stage).collect(),
            ..WorkProfile::default()
        }
    }

    #[test]
    fn lines_for_programs_are_added() {
        let device = hw::Device::by_name("skl").expect("a device");
        let name = format!("ingot-profile-{}.tsv", std::process::id());
        let path = std::env::temp_dir().join(name);
        let read = || std::fs::read_to_string(&path).expect("a file");
        let mut profile = Profile::new(path.clone());
        profile
            .add(2, vec![work(&["VS", "PS16"]), work(&["VS"])], device)
            .expect("written");
        let first = read();
        assert!(first.starts_with(HEADER));
        profile.add(3, Vec::new(), device).expect("nothing to do");
        assert_eq!(read(), first);
        assert!(profile.work.is_empty());
        // Another process, or another device of the same.
        let mut other = Profile::new(path.clone());
        other.add(5, vec![work(&["CS"])], device).expect("written");
        let all = read();
        assert!(all.starts_with(&first));
        let start: Vec<String> = all
            .lines()
            .skip(1)
            .map(|l| {
                let cells: Vec<&str> = l.split('\t').collect();
                [cells[0], cells[1], cells[4], cells[7]].join(" ")
            })
            .collect();
        assert_eq!(start, ["2 1 VS 3", "2 1 PS16 3", "2 2 VS 3", "5 1 CS 3"]);
        std::fs::remove_file(&path).expect("it is there");
    }
}
