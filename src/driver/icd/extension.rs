//! Enumeration of extensions.
//!
//! In:  rows of a table of `vk::extension`. Out: `VkExtensionProperties`.

use std::ffi::c_char;

use ash::vk as c;
use vk::extension::Extension;

use crate::raw;

/// The body of `vkEnumerate*ExtensionProperties`; an error if a layer's extensions are queried, as
/// the driver has no layers.
///
/// # Safety
/// As [`raw::write_list`] and [`raw::string`].
pub unsafe fn enumerate(
    rows: impl ExactSizeIterator<Item = &'static Extension>,
    layer: *const c_char,
    count: *mut u32,
    out: *mut c::ExtensionProperties,
) -> vk::Result<c::Result> {
    if !layer.is_null() {
        // SAFETY: as the caller says.
        return Err(vk::Error::LayerNotPresent {
            name: unsafe { raw::string(layer) },
        });
    }
    let rows = rows.map(|row| c::ExtensionProperties {
        extension_name: raw::char_array(row.name),
        spec_version: row.spec_version,
    });
    // SAFETY: as the caller says.
    Ok(unsafe { raw::write_list(rows, count, out) })
}

#[cfg(test)]
mod tests;
