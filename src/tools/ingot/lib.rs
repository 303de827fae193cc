//! What the commands `ingot` and `ingot-vkrunner` share: the choice of a Vulkan driver and of a
//! simulated GPU, and PNG files.

pub mod gpu_names;
pub mod icd_args;
pub mod png_file;
