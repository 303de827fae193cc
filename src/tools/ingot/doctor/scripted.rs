//! Rungs that are VkRunner scripts.
//!
//! In:  a script. Out: an [`Observation`], with the contents of its first buffer, and the image
//!      as a file.

use std::path::Path;

use ingot_cli::png_file;
use vkrunner::{Dump, EntryPoint, Runner, RunnerOptions, Verdict};

use super::observation::{Observation, Outcome};

/// The image's name in the folder of a rung.
pub const IMAGE_FILE: &str = "image.png";

/// Runs a script through the driver of this process. `folder` receives the image.
pub fn run(text: &str, folder: &Path) -> Observation {
    let script = match vkrunner::parse(text, &[]) {
        Ok(script) => script,
        Err(error) => return Observation::new(Outcome::Crash, error.to_string()),
    };
    let options = RunnerOptions {
        device_id: None,
        dump: (!script.buffers.is_empty()).then_some(Dump::First),
    };
    let entry = EntryPoint::Function(icd::get_instance_proc_addr());
    let outcome = Runner::new(entry, options).run(&script);
    let verdict = match outcome.verdict {
        Verdict::Pass => Outcome::Pass,
        Verdict::Skip => Outcome::Skip,
        Verdict::Fail => Outcome::Wrong,
    };
    let mut seen = Observation::new(verdict, outcome.log.join("; "));
    if let Some(bytes) = &outcome.dumped {
        let dwords = bytes.chunks_exact(4);
        let dwords = dwords.map(|d| u32::from_le_bytes([d[0], d[1], d[2], d[3]]));
        seen.value("buffer", dwords.collect());
    }
    if let Some(image) = &outcome.image {
        let written = png_file::framebuffer(image).and_then(|file| {
            let path = folder.join(IMAGE_FILE);
            std::fs::write(&path, file).map_err(|e| format!("{}: {e}", path.display()))
        });
        if let Err(why) = written {
            eprintln!("ingot doctor: {why}");
        }
    }
    seen
}
