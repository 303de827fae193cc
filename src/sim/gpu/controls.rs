//! What PIPE_CONTROLs had to do.
//!
//! In:  what strict mode knew when one came. Out: of each of its flags, whether something asked for it: who leaves the command out
//!      and hears nothing can tell why.

/// A PIPE_CONTROL that was executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Controlled {
    /// Its address.
    pub at: u64,
    /// The flags that it sets, by name.
    pub flags: Vec<(&'static str, Purpose)>,
    /// It has a post-sync operation.
    pub posts: bool,
}

/// Why a flag was set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// There was something to do; what is asked for later may be done by another command by then.
    Something,
    /// There was nothing to do, and why.
    Nothing(&'static str),
    /// No rule is about it.
    Unknown,
}

impl Purpose {
    /// Something if there is.
    pub(crate) fn of(there_is: bool, else_why: &'static str) -> Purpose {
        match there_is {
            true => Purpose::Something,
            false => Purpose::Nothing(else_why),
        }
    }
}
