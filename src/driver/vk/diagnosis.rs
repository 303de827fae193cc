//! What `INGOT_DEBUG` asks for, and where its output goes.

use std::sync::Arc;

/// Takes text for people.
pub type Sink = Arc<dyn Fn(&str) + Send + Sync>;

/// Flags and a sink, handed down from whoever read the environment.
#[derive(Clone)]
pub struct Diagnosis {
    /// The flags.
    pub flags: debug::Flags,
    sink: Sink,
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
        Self { flags, sink }
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
