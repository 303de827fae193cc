//! Starts the process of a rung, and waits for it until its deadline.
//!
//! In:  a [`Task`] and the value of INGOT_DEBUG. Out: the [`Observation`] that the process left, or
//!      one that says how it ended. No process is left behind.

use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use super::child::{OBSERVATION, Task};
use super::ladder::Rung;
use super::observation::{Observation, Outcome};

/// How long after its own deadline a process is killed.
const GRACE: Duration = Duration::from_secs(5);
/// How often the process is asked whether it has ended.
const POLL_INTERVAL: Duration = Duration::from_millis(10);
/// The file with the standard error of the process.
pub const MESSAGES: &str = "messages.txt";

/// The command line of the process.
fn command(rung: &Rung, task: &Task, debug_flags: &str) -> Result<Command, String> {
    let program = std::env::current_exe().map_err(|error| format!("own path: {error}"))?;
    let mut command = Command::new(program);
    command
        .args(["doctor", "--child", rung.name])
        .args(["--machine", &task.machine.to_string()])
        .args(["--label", &task.label])
        .args(["--deadline", &task.deadline_seconds.to_string()])
        .arg("--folder")
        .arg(&task.folder)
        .arg("--journal")
        .arg(&task.journal);
    if let Some(script) = &task.script {
        command.arg("--script").arg(script);
    }
    if let Some(fault) = &task.fault {
        command.args(["--misbehave", &fault.to_string()]);
    }
    command
        .env("INGOT_DEBUG", debug_flags)
        // The rung's own options alone decide what it does.
        .env_remove("INGOT_SIM")
        .env_remove("INGOT_GPU");
    Ok(command)
}

/// Runs a rung in its own process.
pub fn run(rung: &Rung, task: &Task, debug_flags: &str) -> Observation {
    match try_run(rung, task, debug_flags) {
        Ok(seen) => seen,
        Err(why) => Observation::new(Outcome::Crash, why),
    }
}

fn try_run(rung: &Rung, task: &Task, debug_flags: &str) -> Result<Observation, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", task.label);
    std::fs::create_dir_all(&task.folder).map_err(failed)?;
    let path = task.folder.join(OBSERVATION);
    if path.exists() {
        std::fs::remove_file(&path).map_err(failed)?;
    }
    let messages = std::fs::File::create(task.folder.join(MESSAGES)).map_err(failed)?;
    let mut child = command(rung, task, debug_flags)?
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(messages)
        .spawn()
        .map_err(failed)?;
    let limit = Duration::from_secs(task.deadline_seconds) + GRACE;
    let status = wait(&mut child, limit).map_err(failed)?;
    let Some(status) = status else {
        let seconds = limit.as_secs();
        return Ok(Observation::new(
            Outcome::Hang,
            format!("the process did not answer for {seconds} s, and was killed"),
        ));
    };
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    Ok(Observation::parse(&text).unwrap_or_else(|| {
        let last = last_message(&task.folder);
        Observation::new(
            Outcome::Crash,
            format!("the process ended with {status}: {last}"),
        )
    }))
}

/// Waits for the end of a process; kills it after the limit, and returns `None`.
fn wait(child: &mut Child, limit: Duration) -> std::io::Result<Option<ExitStatus>> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if start.elapsed() > limit {
            child.kill()?;
            // A process in an uninterruptible call of the kernel does not end; it is left to init.
            let killed = Instant::now();
            while child.try_wait()?.is_none() && killed.elapsed() < GRACE {
                std::thread::sleep(POLL_INTERVAL);
            }
            return Ok(None);
        }
        std::thread::sleep(POLL_INTERVAL);
    }
}

/// The last line that the process wrote to its standard error.
fn last_message(folder: &Path) -> String {
    let text = std::fs::read_to_string(folder.join(MESSAGES)).unwrap_or_default();
    let last = text.lines().rev().find(|line| !line.trim().is_empty());
    last.unwrap_or("no message").to_string()
}
