//! Errors of modules: word offset, instruction, what was expected and what was found.

/// Why a module was rejected. `at` is an offset in 32-bit words from the start of the module.
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
    /// Unknown instruction.
    #[error("word {at}: unknown opcode {opcode}")]
    UnknownOpcode {
        /// Word offset.
        at: usize,
        /// The opcode.
        opcode: u32,
    },
    /// An instruction has fewer words than its grammar requires, or than its word count says.
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
    /// An operand is not what the instruction requires.
    #[error("word {at}: {op}: expected {expected}, found {found}")]
    Operand {
        /// Word offset.
        at: usize,
        /// Instruction.
        op: &'static str,
        /// What was expected.
        expected: &'static str,
        /// What was found.
        found: String,
    },
    /// The instruction violates a rule.
    #[error("word {at}: {op}: {what}")]
    Invalid {
        /// Word offset.
        at: usize,
        /// Instruction.
        op: &'static str,
        /// The rule.
        what: String,
    },
    /// Valid SPIR-V that this translator does not support.
    #[error("word {at}: {op}: {what} is not supported")]
    Unsupported {
        /// Word offset.
        at: usize,
        /// Instruction.
        op: &'static str,
        /// The unsupported feature.
        what: String,
    },
    /// The module, after inlining, exceeds a limit of the translator.
    #[error("word {at}: {op}: {what}: more than {limit}")]
    Limit {
        /// Word offset.
        at: usize,
        /// Instruction.
        op: &'static str,
        /// What exceeds the limit.
        what: &'static str,
        /// The limit.
        limit: usize,
    },
    /// Invalid assembly text.
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
        /// Name requested.
        name: String,
        /// Names of the module's entry points.
        has: String,
    },
}

/// The result type of the front end.
pub(crate) type Result<T> = std::result::Result<T, SpirvError>;

/// A location in the module: word offset and instruction.
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
