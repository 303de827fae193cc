//! Why a shader could not be compiled.

/// The one error of the crate.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FsError {
    /// An operation that the NIR pipeline should have lowered, or that this generation lacks.
    #[error("{op}: {what}")]
    Unsupported {
        /// Name of the NIR operation.
        op: &'static str,
        /// What about it.
        what: &'static str,
    },
    /// A descriptor that the pipeline layout does not have.
    #[error("set {set} binding {binding} is not in the pipeline layout")]
    NoBinding {
        /// Set.
        set: u32,
        /// Binding.
        binding: u32,
    },
    /// A device whose code this backend does not make.
    #[error("no code is made for {device}: {what}")]
    Device {
        /// Its short name.
        device: &'static str,
        /// What is missing.
        what: &'static str,
    },
    /// None of the allowed SIMD widths is one that the backend makes.
    #[error("no SIMD width is allowed")]
    NoWidth,
    /// The shader needs more of something than the hardware has.
    #[error("the shader needs {need} {what}, the hardware has {max}")]
    Limit {
        /// Of what.
        what: &'static str,
        /// How much is needed.
        need: u64,
        /// How much there is.
        max: u64,
    },
    /// The LIR validator found a broken invariant after a pass.
    #[error("LIR instruction {at} after {pass}: {what}")]
    Invalid {
        /// Index of the instruction.
        at: usize,
        /// The pass.
        pass: &'static str,
        /// What is wrong.
        what: String,
    },
    /// An instruction breaks a rule of the hardware.
    #[error("instruction {at}, {inst}: {rule}")]
    Illegal {
        /// Index of the instruction.
        at: usize,
        /// The instruction as text.
        inst: String,
        /// The rule.
        rule: String,
    },
    /// An instruction has no encoding.
    #[error("instruction {at}: {source}")]
    Encode {
        /// Index of the instruction.
        at: usize,
        /// Why.
        source: isa::EncodeError,
    },
}
