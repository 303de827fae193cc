//! Vulkan's entry point: from the loader, from a driver's library, or from this process.

use crate::vulkan::error::Error;
use ash::vk;
use std::path::PathBuf;

/// Where Vulkan's functions come from.
#[derive(Clone, Debug)]
pub enum Source {
    /// The Vulkan loader, which finds drivers as for every application.
    Loader,
    /// A driver's library, loaded directly, without the Vulkan loader.
    Driver(PathBuf),
    /// `vk_icdGetInstanceProcAddr` of a driver that is linked into this process.
    Function(vk::PFN_vkGetInstanceProcAddr),
}

/// Loads the driver's functions. The library stays loaded until the process ends: drivers start
/// threads that outlive instances.
pub(super) fn load(source: &Source) -> Result<ash::Entry, Error> {
    let get = match source {
        // SAFETY: a Vulkan loader's initialisers are trusted as those of any library linked in.
        Source::Loader => {
            return unsafe { ash::Entry::load() }.map_err(|e| Error::Load(e.to_string()));
        }
        Source::Driver(path) => {
            let load_error = |e: libloading::Error| Error::Load(format!("{}: {e}", path.display()));
            // SAFETY: as above; the caller names a Vulkan driver.
            let library = unsafe { libloading::Library::new(path) }.map_err(load_error)?;
            // SAFETY: the driver interface gives this symbol this type.
            let get = unsafe {
                library.get::<vk::PFN_vkGetInstanceProcAddr>(b"vk_icdGetInstanceProcAddr\0")
            };
            let get = *get.map_err(load_error)?;
            std::mem::forget(library);
            get
        }
        Source::Function(get) => *get,
    };
    // SAFETY: the function is a driver's vk_icdGetInstanceProcAddr, valid for the rest of the
    // process.
    Ok(unsafe {
        ash::Entry::from_static_fn(ash::StaticFn {
            get_instance_proc_addr: get,
        })
    })
}
