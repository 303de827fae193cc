//! VkRunner scripts to Vulkan calls to verdicts.
