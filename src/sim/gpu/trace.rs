//! Execution trace: commands, and instructions of EU threads.

use eu::TraceSink;
use std::fmt;
use std::sync::Arc;

/// Receives the lines.
type Write = Arc<dyn Fn(&str) + Send + Sync>;

/// Selects what is traced, and receives it.
#[derive(Clone, Default)]
pub struct Trace {
    write: Option<Write>,
    /// Commands of batches, as `ingot batch` prints them.
    pub commands: bool,
    /// Every instruction of every EU thread, with its enabled channels. Threads then run one after
    /// another.
    pub instructions: bool,
}

impl Trace {
    /// A trace with everything off, whose lines go to `write`.
    pub fn new(write: impl Fn(&str) + Send + Sync + 'static) -> Trace {
        Trace {
            write: Some(Arc::new(write)),
            ..Trace::default()
        }
    }

    pub(crate) fn command(&self, words: &[u32], packet: &'static hw::Packet, at: u64) {
        let Some(write) = self.write.as_ref().filter(|_| self.commands) else {
            return;
        };
        let command = hw::batch::Command {
            at_dw: 0,
            words,
            packet: Some(packet),
            length_dw: words.len(),
        };
        write(hw::batch::format_command(&command, at).trim_end());
    }

    /// A sink for one thread, labelled `name`, if instructions are traced.
    pub(crate) fn thread(&self, name: String) -> Option<Box<dyn TraceSink>> {
        let write = self.write.clone().filter(|_| self.instructions)?;
        Some(Box::new(Lines { write, name }))
    }
}

impl fmt::Debug for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Trace")
            .field("commands", &self.commands)
            .field("instructions", &self.instructions)
            .finish_non_exhaustive()
    }
}

/// Writes a line for each instruction of a thread.
struct Lines {
    write: Write,
    name: String,
}

impl TraceSink for Lines {
    fn instruction(&mut self, ip: u64, inst: &isa::Inst, lanes: u32) {
        let text = isa::disassemble(inst);
        (self.write)(&format!("{} {ip:#07x} {lanes:08x} {text}", self.name));
    }
}
