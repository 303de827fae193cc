//! Tests of the division of the URB.

use super::*;
use crate::l3::draw_urb_bytes;

fn device(name: &str) -> &'static hw::Device {
    hw::Device::by_name(name).expect("a device")
}

#[test]
fn allocations_fit_and_do_not_overlap() {
    for device in hw::DEVICES.iter().filter(|d| d.hw_gen == hw::Gen::Gen9) {
        let urb = draw_urb_bytes(device);
        for vertex in 1..=64 {
            for (hull, domain) in [(0, 0), (10, 3), (33, 17)] {
                for geometry in [0, 4, 30] {
                    let units = [vertex, hull, domain, geometry];
                    let Some(allocations) = divide(device, urb, units) else {
                        // Vertices of more than 12 units exceed every limit of the API.
                        assert!(vertex + domain > 24, "{} {units:?}", device.name);
                        continue;
                    };
                    let mut end = CONSTANT_CHUNKS * CHUNK_BYTES;
                    for (allocation, units) in allocations.iter().zip(units) {
                        if units > 0 {
                            assert!(allocation.start * CHUNK_BYTES >= end, "{}", device.name);
                            assert!(
                                allocation.entries > 0
                                    && (units > 8 || allocation.entries % 8 == 0)
                            );
                            end = allocation.start * CHUNK_BYTES
                                + allocation.entries * units * UNIT_BYTES;
                        } else {
                            assert_eq!(
                                (allocation.entries, allocation.start),
                                (0, CONSTANT_CHUNKS)
                            );
                        }
                    }
                    assert!(end <= urb, "{} {units:?}", device.name);
                }
            }
        }
    }
}

#[test]
fn a_lone_vertex_shader_gets_the_maximum_number_of_entries() {
    let skl = device("skl");
    let allocations = divide(skl, 384 << 10, [1, 0, 0, 0]).unwrap();
    assert_eq!(allocations[0].entries, 1856);
    let allocations = divide(skl, 384 << 10, [4, 0, 0, 0]).unwrap();
    assert_eq!(allocations[0].entries, 44 * 32);
    assert_eq!(divide(skl, 32 << 10, [1, 0, 0, 0]), None);
}

/// Mesa 22.3.6 gives VS and HS of a small tessellated pipeline 640 and 384 entries (GT1), 704 and
/// 256 (BXT), 1856 and 672 (GT2).
#[test]
fn tessellation_has_as_many_entries_as_in_mesas_driver() {
    for (name, vertex, hull) in [
        ("skl-1902", 640, 384),
        ("bxt", 704, 256),
        ("skl", 1856, 672),
    ] {
        let device = device(name);
        let [v, h, ..] = divide(device, draw_urb_bytes(device), [1, 2, 1, 0]).unwrap();
        assert!(v.entries >= vertex && h.entries >= hull, "{name}");
    }
}

/// Limits of Kaby Lake's GT1, which a large URB could exceed.
#[test]
fn small_parts_have_lower_limits() {
    for (name, vertex, geometry) in [("kbl-5902", 928, 256), ("skl-1902", 928, 640)] {
        let device = device(name);
        let [v, .., g] = divide(device, draw_urb_bytes(device), [1, 0, 0, 1]).unwrap();
        assert_eq!((v.entries, g.entries), (vertex, geometry), "{name}");
    }
}

/// Two of the geometry shader's entries where they fit, else one.
#[test]
fn geometry_shaders_get_one_entry_as_a_last_resort() {
    let small = device("bxt-5a85");
    let entries = |geometry| divide(small, 128 << 10, [9, 161, 9, geometry]).map(|d| d[3].entries);
    assert_eq!(
        [entries(256), entries(257), entries(512)],
        [Some(2), Some(1), Some(1)]
    );
    assert_eq!(entries(513), None);
}
