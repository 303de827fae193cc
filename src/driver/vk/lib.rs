//! Vulkan objects, limits, recording and pipelines.
