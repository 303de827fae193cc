//! A worker process of `ingot bench codegen`, seen from the comparing process.
//!
//! In:  the worker's command; the index of a shader. Out: the shader's row. A worker that crashes
//!      or loses its device is started again for the next shader.

use crate::codegen::row::{Row, parse_line};
use std::io::{BufRead, BufReader, Lines, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A running process.
struct Running {
    child: Child,
    input: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Running {
    /// Ends the process, which waits for input or has ended, and returns its status as text.
    fn end(self) -> String {
        let Running {
            mut child, input, ..
        } = self;
        drop(input);
        match child.wait() {
            Ok(status) => status.to_string(),
            Err(error) => error.to_string(),
        }
    }
}

/// A worker.
pub struct WorkerProcess<'a> {
    command: &'a dyn Fn() -> Command,
    /// File for its standard error output.
    errors: PathBuf,
    running: Option<Running>,
    /// The name of its device; empty before the first shader.
    pub device: String,
}

impl<'a> WorkerProcess<'a> {
    /// A worker that is not started yet. `errors`: file for its standard error output.
    pub fn new(command: &'a dyn Fn() -> Command, errors: PathBuf) -> WorkerProcess<'a> {
        WorkerProcess {
            command,
            errors,
            running: None,
            device: String::new(),
        }
    }

    fn start(&mut self) -> Result<Running, String> {
        let failed = |e: std::io::Error| format!("{}: {e}", self.errors.display());
        // Truncated: it holds the output of the running process alone.
        let errors = std::fs::File::create(&self.errors).map_err(failed)?;
        let mut child = (self.command)()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(errors)
            .spawn()
            .map_err(|e| e.to_string())?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (input, output) = pipes.ok_or("the worker has no pipes")?;
        let mut running = Running {
            child,
            input,
            lines: BufReader::new(output).lines(),
        };
        for line in running.lines.by_ref() {
            let line = line.map_err(|e| e.to_string())?;
            if let Some(name) = line.strip_prefix("#\t") {
                self.device = name.to_owned();
                return Ok(running);
            }
        }
        let status = running.end();
        let text = std::fs::read_to_string(&self.errors).unwrap_or_default();
        let last = text.lines().last().unwrap_or_default();
        Err(format!("the driver does not run: {status}: {last}"))
    }

    /// Measures a shader. The outer error: the worker cannot be started.
    pub fn measure(&mut self, index: usize) -> Result<Result<Row, String>, String> {
        let mut running = match self.running.take() {
            Some(running) => running,
            None => self.start()?,
        };
        // If the process has ended, there is no line to read either.
        let _ = writeln!(running.input, "{index}");
        for line in running.lines.by_ref() {
            let line = line.map_err(|e| e.to_string())?;
            let mut row = match line.split('\t').next() {
                Some("+") => parse_line(&line).ok_or_else(|| "a line that cannot be read".into()),
                Some("-") => Err(line[1..].trim().to_string()),
                _ => continue,
            };
            match &mut row {
                Ok(Row {
                    ran: Some(Err(why)),
                    ..
                }) => {
                    running.end();
                    let text = std::fs::read_to_string(&self.errors).unwrap_or_default();
                    if let Some(reason) = stop_reason(&text) {
                        *why = reason;
                    }
                }
                _ => self.running = Some(running),
            }
            return Ok(row);
        }
        Ok(Err(format!("the process ended: {}", running.end())))
    }
}

impl Drop for WorkerProcess<'_> {
    fn drop(&mut self) {
        if let Some(running) = self.running.take() {
            running.end();
        }
    }
}

/// The beginning of the reason for a shader that executes too much.
pub const SKIPPED: &str = "skipped: ";

/// Why the simulator stopped the last batch, from its log; `None` if it did not.
fn stop_reason(log: &str) -> Option<String> {
    let line = log.lines().rfind(|line| line.contains(" hung: "))?;
    let (_, reason) = line.split_once(" hung: ")?;
    Some(match reason.split_once(" (hang=SECONDS") {
        Some((work, _)) => {
            let work = work.trim_start_matches("fault: hang: ");
            format!("{SKIPPED}{work}, which exceeds the budget")
        }
        None => reason.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "ingot-sim: submit 2, context 2, batch at 0x1000, 64 bytes, 10 buffers: \
        hung: fault: hang: a thread has run 6291456 instructions (hang=SECONDS in INGOT_SIM \
        allows more); the thread of CS that ran last, kernel 0x300000000, goes round";

    #[test]
    fn work_beyond_the_budget_differs_from_other_stops() {
        assert_eq!(
            stop_reason(LOG).unwrap(),
            "skipped: a thread has run 6291456 instructions, which exceeds the budget"
        );
        let log = "ingot-sim: submit 1, 3 buffers: hung: fault: no page at 0x40";
        assert_eq!(stop_reason(log).unwrap(), "fault: no page at 0x40");
        assert_eq!(stop_reason("MESA: a warning\n"), None);
    }

    fn shell(script: &'static str) -> impl Fn() -> Command {
        move || {
            let mut command = Command::new("sh");
            command.args(["-c", script]);
            command
        }
    }

    fn errors(name: &str) -> PathBuf {
        std::env::temp_dir().join(format!("ingot-worker-{name}-{}", std::process::id()))
    }

    #[test]
    fn a_worker_that_ends_is_started_again() {
        // Ends without a row for index 1; other rows have the number of the process's rows.
        let command = shell(
            "printf '#\\tdevice\\n'; rows=0; while read n; do test $n = 1 && exit 3; \
             rows=$((rows + 1)); printf '+\\tCompute\\t%s\\t\\n' $rows; done",
        );
        let path = errors("ends");
        let mut worker = WorkerProcess::new(&command, path.clone());
        assert_eq!(worker.measure(0).unwrap().unwrap().micros, 1.0);
        assert_eq!(worker.measure(7).unwrap().unwrap().micros, 2.0);
        assert_eq!(worker.device, "device");
        let why = worker.measure(1).unwrap().err().unwrap();
        assert!(
            why.starts_with("the process ended: exit status: 3"),
            "{why}"
        );
        assert_eq!(worker.measure(2).unwrap().unwrap().micros, 1.0);
        drop(worker);
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_worker_without_a_device_is_an_error() {
        let command = shell("echo no device >&2; exit 4");
        let path = errors("lacks");
        let mut worker = WorkerProcess::new(&command, path.clone());
        let why = worker.measure(0).err().unwrap();
        assert!(why.contains("exit status: 4: no device"), "{why}");
        std::fs::remove_file(path).unwrap();
    }
}
