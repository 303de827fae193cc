//! How the URB is divided among the stages.
//!
//! In:  the device, sizes of entries. Out: entries and first chunk of each stage.
//! Ref: SKL PRM vol. 2a, "3DSTATE_URB_VS" and its like: chunks of 8 KiB, entries of 64 bytes; vol. 7, "URB Allocation". Push constants
//! come first.

/// Bytes of a chunk.
const CHUNK_BYTES: u32 = 8 << 10;
/// Bytes of the unit in which entries are measured.
const UNIT_BYTES: u32 = 64;
/// Chunks of push constants: 32 KiB.
pub const CONSTANT_CHUNKS: u32 = 4;

/// The stages that have entries, in the pipeline's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the stages' names")]
pub enum Stage {
    Vertex,
    Hull,
    Domain,
    Geometry,
}

/// A stage's part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// Entries.
    pub entries: u32,
    /// Its first chunk.
    pub start: u32,
}

/// Fewest and most entries of a stage on a device. Ref: vol. 2a, the ranges of "Number of URB Entries".
fn range(device: &hw::Device, stage: Stage) -> (u32, u32) {
    let narrow = device.needs(hw::Wa::FewVertexUrbEntries);
    let small = device.low_power && device.subslices == 2;
    let most = |plain: u32, low_power: u32| match (device.low_power, small) {
        (false, _) => plain,
        (true, false) => low_power,
        (true, true) => low_power / 2,
    };
    match stage {
        Stage::Vertex if narrow => (64, 928),
        Stage::Vertex => (if device.low_power { 34 } else { 64 }, most(1856, 704)),
        Stage::Hull => (1, most(672, 256)),
        Stage::Domain => (34, most(1120, 416)),
        Stage::Geometry => (2, most(640, 256)),
    }
}

/// Divides `urb_bytes`. `units`: 64-byte units of an entry of each stage, 0 where the stage is off. None: they do not fit.
///
/// Every stage gets the fewest entries it may have; what is left is given in proportion to what more the stages could use.
pub fn divide(device: &hw::Device, urb_bytes: u32, units: [u32; 4]) -> Option<[Part; 4]> {
    const STAGES: [Stage; 4] = [Stage::Vertex, Stage::Hull, Stage::Domain, Stage::Geometry];
    let chunks = |entries: u32, units: u32| (entries * units * UNIT_BYTES).div_ceil(CHUNK_BYTES);
    // Entries of less than nine units come in eights.
    let step = |units: u32| if units < 9 { 8 } else { 1 };
    let (mut least, mut more, mut most) = ([0; 4], [0; 4], [0; 4]);
    for (index, (&stage, &units)) in STAGES.iter().zip(&units).enumerate() {
        if units > 0 {
            let (few, many) = range(device, stage);
            least[index] = chunks(few.next_multiple_of(step(units)), units);
            most[index] = many;
            more[index] = chunks(many, units).saturating_sub(least[index]);
        }
    }
    let used = CONSTANT_CHUNKS + least.iter().sum::<u32>();
    let mut free = (urb_bytes / CHUNK_BYTES).checked_sub(used)?;
    let mut asked: u32 = more.iter().sum();
    free = free.min(asked);
    let mut parts = [Part::default(); 4];
    let mut start = CONSTANT_CHUNKS;
    for index in 0..STAGES.len() {
        let units = units[index];
        // The last to ask gets all that is left.
        let given = (free * more[index]).checked_div(asked).unwrap_or(0);
        free -= given;
        asked -= more[index];
        let part = &mut parts[index];
        if units == 0 {
            // Within the range that a start may have.
            part.start = CONSTANT_CHUNKS;
            continue;
        }
        let size = least[index] + given;
        let entries = (size * CHUNK_BYTES / (units * UNIT_BYTES)).min(most[index]);
        *part = Part {
            entries: entries - entries % step(units),
            start,
        };
        start += size;
    }
    Some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_fit_and_do_not_overlap() {
        for device in hw::DEVICES.iter().filter(|d| d.hw_gen == hw::Gen::Gen9) {
            let urb = device.l3_division(true).unwrap().urb_bytes(device);
            for vertex in 1..=64 {
                for (hull, domain) in [(0, 0), (10, 3), (33, 17)] {
                    for geometry in [0, 4, 30] {
                        let units = [vertex, hull, domain, geometry];
                        let Some(parts) = divide(device, urb, units) else {
                            // A part of one bank has 64 KiB, of which constants take half.
                            let sum = vertex + hull + domain + geometry;
                            assert!(sum > 20 || urb < 128 << 10, "{units:?}");
                            continue;
                        };
                        let mut end = CONSTANT_CHUNKS * CHUNK_BYTES;
                        for (part, units) in parts.iter().zip(units) {
                            if units > 0 {
                                assert!(part.start * CHUNK_BYTES >= end, "{}", device.name);
                                assert!(part.entries > 0 && (units > 8 || part.entries % 8 == 0));
                                end = part.start * CHUNK_BYTES + part.entries * units * UNIT_BYTES;
                            } else {
                                assert_eq!((part.entries, part.start), (0, CONSTANT_CHUNKS));
                            }
                        }
                        assert!(end <= urb, "{} {units:?}", device.name);
                    }
                }
            }
        }
    }

    #[test]
    fn a_vertex_shader_alone_gets_as_many_entries_as_it_may_have() {
        let device = hw::Device::by_name("skl").unwrap();
        let parts = divide(device, 384 << 10, [1, 0, 0, 0]).unwrap();
        assert_eq!(parts[0].entries, 1856);
        let parts = divide(device, 384 << 10, [4, 0, 0, 0]).unwrap();
        assert_eq!(parts[0].entries, 44 * 32);
        assert_eq!(divide(device, 32 << 10, [1, 0, 0, 0]), None);
    }
}
