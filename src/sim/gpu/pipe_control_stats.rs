//! Records for each PIPE_CONTROL which of its flags were necessary.
//!
//! In:  strict mode's state when the command executes. Out: for each flag, whether a rule requires
//!      it at this point, which shows redundant flags of a driver.

/// A PIPE_CONTROL that was executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecutedPipeControl {
    /// Its address.
    pub address: u64,
    /// Flags that are set: name, and whether each was necessary.
    pub flags: Vec<(&'static str, Purpose)>,
    /// True if the command has a post-sync operation.
    pub posts: bool,
}

/// Whether a flag was necessary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// There was something to flush, invalidate or wait for. Another, later command might have done
    /// it as well.
    Something,
    /// There was nothing to do; the text says why.
    Nothing(&'static str),
    /// No rule covers the flag.
    Unknown,
}

impl Purpose {
    /// [`Purpose::Something`] if the flag was necessary, else [`Purpose::Nothing`] with this
    /// reason.
    pub(crate) fn new(there_is: bool, else_why: &'static str) -> Purpose {
        match there_is {
            true => Purpose::Something,
            false => Purpose::Nothing(else_why),
        }
    }
}
