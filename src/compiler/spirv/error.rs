//! What can be wrong with a module: where (word offset), in which instruction, and what was expected.

/// Why a module was refused. `at` is an offset in 32-bit words from the start of the module.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpirvError {
    /// The five header words are missing or wrong.
    #[error("word {at}: header: {what}")]
    Header {
        /// Word offset.
        at: usize,
        /// What is wrong.
        what: String,
    },
    /// No SPIR-V instruction has this number.
    #[error("word {at}: unknown opcode {opcode}")]
    UnknownOpcode {
        /// Word offset.
        at: usize,
        /// The number.
        opcode: u32,
    },
    /// An instruction has fewer words than its grammar asks for, or than the module has left.
    #[error("word {at}: {op} takes at least {need} words, found {has}")]
    TooShort {
        /// Word offset.
        at: usize,
        /// Instruction.
        op: &'static str,
        /// Words needed.
        need: usize,
        /// Words found.
        has: usize,
    },
    /// An operand is not what the instruction asks for.
    #[error("word {at}: {op}: expected {expected}, found {found}")]
    Operand {
        /// Word offset.
        at: usize,
        /// Instruction.
        op: &'static str,
        /// What was expected.
        expected: &'static str,
        /// What stands there.
        found: String,
    },
    /// The instruction breaks a rule.
    #[error("word {at}: {op}: {what}")]
    Invalid {
        /// Word offset.
        at: usize,
        /// Instruction.
        op: &'static str,
        /// The rule.
        what: String,
    },
    /// Legal SPIR-V that this translator does not know.
    #[error("word {at}: {op}: {what} is not supported")]
    Unsupported {
        /// Word offset.
        at: usize,
        /// Instruction.
        op: &'static str,
        /// What.
        what: String,
    },
    /// The module, with everything inlined, is larger than the translator accepts.
    #[error("word {at}: {op}: {what}: more than {limit}")]
    Limit {
        /// Word offset.
        at: usize,
        /// Instruction.
        op: &'static str,
        /// What there is too much of.
        what: &'static str,
        /// The bound.
        limit: usize,
    },
    /// Assembly text is wrong.
    #[error("line {line}: {what}")]
    Assembly {
        /// Line, from 1.
        line: usize,
        /// What is wrong.
        what: String,
    },
    /// The module has no entry point of that name and stage.
    #[error("no entry point \"{name}\" for this stage; the module has {has}")]
    NoEntryPoint {
        /// Name asked for.
        name: String,
        /// Names of the module's entry points.
        has: String,
    },
}

/// Shorthand.
pub(crate) type Result<T> = std::result::Result<T, SpirvError>;

/// A place in the module: word offset and instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Loc {
    pub at: usize,
    pub op: &'static str,
}

impl Loc {
    pub fn invalid<T>(self, what: impl Into<String>) -> Result<T> {
        Err(SpirvError::Invalid {
            at: self.at,
            op: self.op,
            what: what.into(),
        })
    }
    pub fn unsupported<T>(self, what: impl Into<String>) -> Result<T> {
        Err(SpirvError::Unsupported {
            at: self.at,
            op: self.op,
            what: what.into(),
        })
    }
    pub fn expected<T>(self, expected: &'static str, found: impl Into<String>) -> Result<T> {
        Err(SpirvError::Operand {
            at: self.at,
            op: self.op,
            expected,
            found: found.into(),
        })
    }
    pub fn limit<T>(self, what: &'static str, limit: usize) -> Result<T> {
        Err(SpirvError::Limit {
            at: self.at,
            op: self.op,
            what,
            limit,
        })
    }
}
