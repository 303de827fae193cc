//! The Vulkan ICD: the driver's C interface.
//!
//! In:  calls of the loader, or of an application that loads this library itself.
//! Out: calls of `vk` with plain structures and slices; its errors as `VkResult`.
//!
//! The macro of `entry` defines every entry point; it catches panics and maps errors. A body checks
//! its handles (`handle`) and reads pointers and `pNext` chains (`raw`, `chain`) before it calls
//! `vk`. The memory of an object comes from `VkAllocationCallbacks` where the application passes
//! them (`handle::create_with`); Rust collections use the process's allocator. The only global
//! state is the source of GPUs ([`set_kernel_source`]), for programs that bring their own
//! implementation of the kernel interface, and the folder of the shader cache
//! ([`set_shader_cache`]).
//! Ref: Vulkan specification; "Architecture of the Vulkan Loader Interfaces", driver interface.

#![allow(unsafe_code, reason = "C code calls this crate")]

mod address_commands;
mod calibrated_timestamps;
mod chain;
mod command;
mod core_version;
mod debug_utils;
mod deferred;
mod dependency;
mod descriptor;
mod descriptor_buffer;
mod descriptor_heap;
mod device;
mod device_discovery;
mod diagnosis;
mod display;
mod display_control;
mod display_list;
mod draw;
mod driver_choice;
mod dynamic;
mod entry;
mod extension;
mod graphics_pipeline;
mod handle;
mod handle_pool;
mod handle_types;
mod heap_mapping;
mod host_copy;
mod image;
mod image_copy;
mod indirect_copy;
mod instance;
mod loader_interface;
mod memory_report;
mod native_connection;
mod object_data;
mod objects;
mod pipeline;
mod pipeline_binary;
mod present_timing;
mod private_data;
mod proc_addr;
mod property;
mod push_descriptor;
mod query;
mod raw;
mod recording;
mod render;
mod sampler;
mod set_list;
mod shader_cache;
mod shader_object;
mod surface;
mod swapchain;
mod sync;
mod table;
#[cfg(test)]
mod testing;
mod transform_feedback;
mod types;

pub use device_discovery::set_kernel_source;
pub use entry::FunctionPointer;
pub use loader_interface::{
    get_instance_proc_addr, vk_icdGetInstanceProcAddr, vk_icdGetPhysicalDeviceProcAddr,
    vk_icdNegotiateLoaderICDInterfaceVersion,
};
pub use shader_cache::set_shader_cache;
pub use vk::disk_cache::Settings as ShaderCacheSettings;
pub use vk::instance::KernelSource;
