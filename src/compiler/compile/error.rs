//! Errors of the compiler, by part.

/// Why a shader cannot be compiled.
#[derive(Debug, thiserror::Error)]
pub enum CompileError {
    /// The SPIR-V is invalid, or uses an unsupported feature.
    #[error("SPIR-V: {0}")]
    Spirv(#[from] spirv_front::SpirvError),
    /// A pass of the optimiser failed.
    #[error("NIR: {0}")]
    Opt(#[from] opt::OptError),
    /// The backend failed.
    #[error("backend: {0}")]
    Backend(#[from] fs::FsError),
}
