//! What a shader runs on, and why a run can fail.

/// Why a shader could not be run to its end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InterpError {
    /// The step limit was exceeded, probably by an endless loop.
    #[error("did not end within {0} blocks")]
    TooLong(u64),
    /// The shader accesses a binding without a buffer.
    #[error("no buffer at set {set}, binding {binding}, element {element}")]
    NoBuffer {
        /// Descriptor set.
        set: u32,
        /// Binding.
        binding: u32,
        /// Array element.
        element: u32,
    },
    /// The shader uses something that the interpreter does not implement.
    #[error("{0}")]
    Unsupported(String),
}

/// The inputs and outputs of a run: buffers, push constants and dispatch parameters.
#[derive(Clone, Debug, Default)]
pub struct Machine {
    /// Contents of buffers by (set, binding, array element).
    pub buffers: Vec<((u32, u32, u32), Vec<u8>)>,
    /// Push constants.
    pub push_constants: Vec<u8>,
    /// Workgroups in x, y, z.
    pub workgroups: [u32; 3],
    /// First workgroup (vkCmdDispatchBase).
    pub base_workgroup: [u32; 3],
    /// Invocations in a subgroup.
    pub subgroup_size: u32,
    /// Most blocks that may be executed in total; 0: a million.
    pub step_limit: u64,
}
