//! Debug flags, debug output, and reporting of errors to debug messengers.

use std::sync::Arc;

use crate::error::Error;

/// Receives debug output.
pub type Sink = Arc<dyn Fn(&str) + Send + Sync>;

/// Receives error messages: the application's debug messengers.
pub type Listener = Arc<dyn Fn(&str) + Send + Sync>;

/// Flags, and where output goes.
#[derive(Clone)]
pub struct Diagnosis {
    /// The flags.
    pub flags: debug::Flags,
    sink: Sink,
    listener: Option<Listener>,
}

impl std::fmt::Debug for Diagnosis {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Diagnosis")
            .field("flags", &self.flags)
            .finish_non_exhaustive()
    }
}

impl Default for Diagnosis {
    fn default() -> Self {
        Self::new(debug::Flags::default(), Arc::new(|_| ()))
    }
}

impl Diagnosis {
    /// Creates a diagnosis with flags and a sink.
    pub fn new(flags: debug::Flags, sink: Sink) -> Self {
        Self {
            flags,
            sink,
            listener: None,
        }
    }

    /// Adds a listener for errors.
    pub fn with_listener(&self, listener: Listener) -> Self {
        Self {
            listener: Some(listener),
            ..self.clone()
        }
    }

    /// Reports an error to the listener.
    pub fn report_error(&self, error: &Error) {
        if let Some(listener) = &self.listener {
            listener(&error.to_string());
        }
    }

    /// Whether a flag is set.
    pub fn has(&self, flag: debug::Flag) -> bool {
        self.flags.has(flag)
    }

    /// Writes debug output if a flag is set.
    pub fn log(&self, flag: debug::Flag, text: impl FnOnce() -> String) {
        if self.has(flag) {
            (self.sink)(&text());
        }
    }
}
