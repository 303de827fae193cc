//! The parts of a graphics pipeline that libraries provide separately.
//!
//! Ref: Vulkan, "Complete Graphics Pipelines"; VK_EXT_graphics_pipeline_library.

bitflags::bitflags! {
    /// Parts of a graphics pipeline: the bits of `VkGraphicsPipelineLibraryFlagsEXT`.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Parts: u32 {
        /// Vertex input and input assembly.
        const VERTEX_INPUT = 1;
        /// The shaders before rasterisation; tessellation, viewport and rasterisation state.
        const PRE_RASTERIZATION = 1 << 1;
        /// The fragment shader; depth and stencil state.
        const FRAGMENT_SHADER = 1 << 2;
        /// Attachment formats; multisample and blend state.
        const FRAGMENT_OUTPUT = 1 << 3;
    }
}
