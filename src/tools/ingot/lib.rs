//! What the commands `ingot` and `ingot-vkrunner` share: the choice of a Vulkan driver and of a
//! simulated GPU, and PNG files; and what tests use of `ingot`: recordings and their comparison.

pub mod batch_diff;
pub mod gpu_names;
pub mod icd_args;
pub mod indirect_state;
pub mod png_file;
pub mod recording;
