//! Sample locations (VK_EXT_sample_locations).

use ash::vk;

/// Sample locations of a 1×1 pixel grid.
pub(super) fn sample_locations_info(
    locations: &[vk::SampleLocationEXT],
) -> vk::SampleLocationsInfoEXT<'_> {
    vk::SampleLocationsInfoEXT::default()
        .sample_locations_per_pixel(vk::SampleCountFlags::from_raw(locations.len() as u32))
        .sample_location_grid_size(vk::Extent2D {
            width: 1,
            height: 1,
        })
        .sample_locations(locations)
}
