//! The errors of the backend.

/// The reason why a shader was not compiled.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FsError {
    /// An operation that the NIR pipeline should have lowered, or that this generation lacks.
    #[error("{op}: {what}")]
    Unsupported {
        /// Name of the NIR operation.
        op: &'static str,
        /// The unsupported property.
        what: &'static str,
    },
    /// A descriptor that is not in the pipeline layout.
    #[error("set {set} binding {binding} is not in the pipeline layout")]
    NoBinding {
        /// Set.
        set: u32,
        /// Binding.
        binding: u32,
    },
    /// A device that the backend does not support.
    #[error("no code is made for {device}: {what}")]
    Device {
        /// Its short name.
        device: &'static str,
        /// What is missing.
        what: &'static str,
    },
    /// The backend supports none of the allowed SIMD widths.
    #[error("no SIMD width is allowed")]
    NoWidth,
    /// The shader needs more of a resource than the hardware has.
    #[error("the shader needs {need} {what}, the hardware has {max}")]
    Limit {
        /// The resource.
        what: &'static str,
        /// The amount needed.
        need: u64,
        /// The amount available.
        max: u64,
    },
    /// The LIR validator found a broken invariant after a pass.
    #[error("LIR instruction {at} after {pass}: {what}")]
    Invalid {
        /// Index of the instruction.
        at: usize,
        /// The pass.
        pass: &'static str,
        /// The broken invariant.
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
        /// The encoder's error.
        source: isa::EncodeError,
    },
}
