//! What `INGOT_DEBUG` asks for, where its output goes, and who else hears of errors.

use std::sync::Arc;

use crate::error::Error;

/// Takes text for people.
pub type Sink = Arc<dyn Fn(&str) + Send + Sync>;

/// Hears what went wrong: the debug messengers of an application.
pub type Listener = Arc<dyn Fn(&str) + Send + Sync>;

/// Flags and a sink, handed down from whoever read the environment.
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
    /// Flags and where their output goes.
    pub fn new(flags: debug::Flags, sink: Sink) -> Self {
        Self {
            flags,
            sink,
            listener: None,
        }
    }

    /// The same, with somebody who is told of errors.
    pub fn heard_by(&self, listener: Listener) -> Self {
        Self {
            listener: Some(listener),
            ..self.clone()
        }
    }

    /// Tells of an error whose code says too little.
    pub fn tell(&self, error: &Error) {
        if let Some(listener) = &self.listener {
            listener(&error.to_string());
        }
    }

    /// Whether a flag is set.
    pub fn has(&self, flag: debug::Flag) -> bool {
        self.flags.has(flag)
    }

    /// Says something, if a flag is set.
    pub fn say(&self, flag: debug::Flag, text: impl FnOnce() -> String) {
        if self.has(flag) {
            (self.sink)(&text());
        }
    }
}
