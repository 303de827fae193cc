//! Division of the URB between the geometry stages.
//!
//! In:  the device, entry sizes. Out: entry count and first chunk of each stage.
//! Ref: SKL PRM vol. 2a, "3DSTATE_URB_VS" and its like: chunks of 8 KiB, entries of 64 bytes; vol.
//!      7, "URB Allocation". Push constants come first.

/// Bytes of a URB chunk.
const CHUNK_BYTES: u32 = 8 << 10;
/// Unit of entry sizes, in bytes.
const UNIT_BYTES: u32 = 64;
/// Chunks reserved for push constants: 32 KiB.
pub const CONSTANT_CHUNKS: u32 = 4;

/// Stages with URB entries, in pipeline order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the stages' names")]
pub enum UrbStage {
    Vertex,
    Hull,
    Domain,
    Geometry,
}

/// A stage's URB allocation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UrbAllocation {
    /// Number of entries.
    pub entries: u32,
    /// First chunk.
    pub start: u32,
}

/// Minimum and maximum number of entries of a stage. Ref: vol. 2a, the ranges of "Number of URB
/// Entries".
fn range(device: &hw::Device, stage: UrbStage) -> (u32, u32) {
    let few_entries = device.needs(hw::Wa::FewVertexUrbEntries);
    let two_subslices = device.low_power && device.subslices == 2;
    let max_entries = |plain: u32, low_power: u32| match (device.low_power, two_subslices) {
        (false, _) => plain,
        (true, false) => low_power,
        (true, true) => low_power / 2,
    };
    match stage {
        UrbStage::Vertex if few_entries => (64, 928),
        UrbStage::Vertex => (
            if device.low_power { 34 } else { 64 },
            max_entries(1856, 704),
        ),
        UrbStage::Hull => (1, max_entries(672, 256)),
        UrbStage::Domain => (34, max_entries(1120, 416)),
        UrbStage::Geometry if device.needs(hw::Wa::FewGeometryUrbEntries) => (2, 256),
        UrbStage::Geometry => (2, max_entries(640, 256)),
    }
}

/// Divides `urb_bytes` between the stages. `units` is each stage's entry size in units of 64 bytes,
/// 0 if the stage is inactive. Returns `None` if the minimum allocations do not fit.
///
/// Every stage gets its minimum number of entries; the rest is divided in proportion to what each
/// stage could use beyond that.
pub fn divide(device: &hw::Device, urb_bytes: u32, units: [u32; 4]) -> Option<[UrbAllocation; 4]> {
    let minimum = STAGES.map(|stage| range(device, stage).0);
    divide_with(device, urb_bytes, units, minimum).or_else(|| {
        // The largest vertices in every stage: geometry threads run one at a time.
        let [vertex, hull, domain, _] = minimum;
        let minimum = [vertex, hull, domain, LAST_RESORT_GEOMETRY];
        divide_with(device, urb_bytes, units, minimum)
    })
}

const STAGES: [UrbStage; 4] = [
    UrbStage::Vertex,
    UrbStage::Hull,
    UrbStage::Domain,
    UrbStage::Geometry,
];

/// Entries of a geometry shader where two do not fit. Mesa's driver has no minimum on gen9.
const LAST_RESORT_GEOMETRY: u32 = 1;

/// As [`divide`], with a minimum number of entries for each stage.
fn divide_with(
    device: &hw::Device,
    urb_bytes: u32,
    units: [u32; 4],
    minimum: [u32; 4],
) -> Option<[UrbAllocation; 4]> {
    let chunks = |entries: u32, units: u32| (entries * units * UNIT_BYTES).div_ceil(CHUNK_BYTES);
    // Entry counts must be multiples of 8 if an entry has less than nine units.
    let step = |units: u32| if units < 9 { 8 } else { 1 };
    let (mut min_chunks, mut extra_chunks, mut max_entries) = ([0; 4], [0; 4], [0; 4]);
    for (index, (&stage, &units)) in STAGES.iter().zip(&units).enumerate() {
        if units > 0 {
            let (_, max) = range(device, stage);
            min_chunks[index] = chunks(minimum[index].next_multiple_of(step(units)), units);
            max_entries[index] = max;
            extra_chunks[index] = chunks(max, units).saturating_sub(min_chunks[index]);
        }
    }
    let used = CONSTANT_CHUNKS + min_chunks.iter().sum::<u32>();
    let mut free = (urb_bytes / CHUNK_BYTES).checked_sub(used)?;
    let mut extra_total: u32 = extra_chunks.iter().sum();
    free = free.min(extra_total);
    let mut allocations = [UrbAllocation::default(); 4];
    let mut start = CONSTANT_CHUNKS;
    for index in 0..STAGES.len() {
        let units = units[index];
        // The last stage gets all that is left.
        let given = (free * extra_chunks[index])
            .checked_div(extra_total)
            .unwrap_or(0);
        free -= given;
        extra_total -= extra_chunks[index];
        let allocation = &mut allocations[index];
        if units == 0 {
            // The starting address must be valid even for an inactive stage.
            allocation.start = CONSTANT_CHUNKS;
            continue;
        }
        let size = min_chunks[index] + given;
        let entries = (size * CHUNK_BYTES / (units * UNIT_BYTES)).min(max_entries[index]);
        *allocation = UrbAllocation {
            entries: entries - entries % step(units),
            start,
        };
        start += size;
    }
    Some(allocations)
}

#[cfg(test)]
mod tests;
