//! Lists of extensions.

use std::ffi::c_char;

use ash::vk as c;
use vk::extension::Extension;

use crate::raw;

/// `vkEnumerate*ExtensionProperties`.
///
/// # Safety
/// As [`raw::list`] and [`raw::text`].
pub unsafe fn list(
    table: &'static [Extension],
    layer: *const c_char,
    count: *mut u32,
    out: *mut c::ExtensionProperties,
) -> vk::Result<c::Result> {
    if !layer.is_null() {
        // SAFETY: as the caller says.
        return Err(vk::Error::LayerNotPresent {
            name: unsafe { raw::text(layer) },
        });
    }
    let rows = table.iter().map(|row| c::ExtensionProperties {
        extension_name: raw::array(row.name),
        spec_version: row.spec_version,
    });
    // SAFETY: as the caller says.
    Ok(unsafe { raw::list(rows, count, out) })
}
