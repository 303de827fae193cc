//! Depth and stencil: tests and writes of samples.
//!
//! In:  3DSTATE_WM_DEPTH_STENCIL, 3DSTATE_DEPTH_BUFFER, 3DSTATE_STENCIL_BUFFER. Out: the samples
//!      that pass; buffers written. The hierarchical depth buffer is not simulated: the depth
//!      buffer is always up to date.
//! Ref: SKL PRM vol. 7, "Depth/Stencil Test", "Stencil Operations"; Vulkan, "Depth Test", "Stencil
//!      Test".

use crate::draw::exec::Draw;
use crate::memory::AddressSpaceView;
use crate::observer::{Depth, Slices, Via};
use crate::surface::{Image, Level};
use crate::target_images::Role;
use eu::StopReason;
use hw::draw::{
    state_depth_buffer as db, state_stencil_buffer as sb, state_wm_depth_stencil as ds,
};
use hw::draw_state::cc_viewport;
use hw::state::render_surface_state as rss;
use hw::value::draw::{compare_function, depth_format, depth_surface_type, stencil_op};
use hw::value::state::{
    multisampled_surface_storage_format as storage, surface_horizontal_alignment as halign,
    surface_type, surface_vertical_alignment as valign, tile_mode, tiled_resource_mode,
};
use hw::value::surface_format;
use std::cell::Cell;
use std::sync::atomic::Ordering::Relaxed;

/// Stencil state of one face: test function, masks, reference, operations (fail, depth fail, pass).
#[derive(Clone, Copy, Debug, Default)]
struct StencilFace {
    function: u64,
    mask: u8,
    reference: u8,
    write_mask: u8,
    operations: [u64; 3],
}

/// Depth and stencil state of one draw.
pub(crate) struct DepthStencil<'a> {
    view: AddressSpaceView<'a>,
    depth: Option<(Level, DepthFormat)>,
    stencil: Option<Level>,
    test: bool,
    write: bool,
    function: u64,
    stencil_test: bool,
    stencil_write: bool,
    faces: [StencilFace; 2],
    /// With a hierarchical depth buffer, in strict mode: the surface's address, level and first
    /// array layer.
    hierarchical: Option<(u64, u32, u32)>,
    /// The layer that the observer was last told of.
    observed_layer: Cell<Option<u32>>,
    /// Minimum and Maximum Depth by viewport, to which depths are clamped; empty if depth is
    /// neither tested nor written.
    ranges: Vec<[f32; 2]>,
}

/// COMPAREFUNCTION_*: compares the new value with the old one.
pub(super) fn compare<T: PartialOrd>(function: u64, new: T, old: T) -> bool {
    match function {
        compare_function::ALWAYS => true,
        compare_function::NEVER => false,
        compare_function::LESS => new < old,
        compare_function::EQUAL => new == old,
        compare_function::LEQUAL => new <= old,
        compare_function::GREATER => new > old,
        compare_function::NOTEQUAL => new != old,
        _ => new >= old,
    }
}

/// Formats of the depth buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DepthFormat {
    Float32,
    Unorm24,
    Unorm16,
}

impl DepthFormat {
    /// The bits that a depth is stored as, rounded to nearest.
    fn encode(self, z: f32) -> u32 {
        let normalised = |max: f64| (f64::from(z).clamp(0.0, 1.0) * max + 0.5) as u32;
        match self {
            DepthFormat::Float32 => z.to_bits(),
            DepthFormat::Unorm24 => normalised(16_777_215.0),
            DepthFormat::Unorm16 => normalised(65_535.0),
        }
    }

    /// The new bits with the bits to preserve of the old ones: the eight bits beside 24 bits of
    /// depth.
    fn with_x8_bits(self, new: u32, old: u32) -> u32 {
        match self {
            DepthFormat::Unorm24 => new | old & 0xff00_0000,
            _ => new,
        }
    }

    /// Compares stored bits.
    fn passes(self, function: u64, new: u32, old: u32) -> bool {
        match self {
            DepthFormat::Float32 => compare(function, f32::from_bits(new), f32::from_bits(old)),
            DepthFormat::Unorm24 => compare(function, new, old & 0xff_ffff),
            DepthFormat::Unorm16 => compare(function, new, old),
        }
    }
}

/// STENCILOP_*.
fn stencil_op(operation: u64, old: u8, reference: u8) -> u8 {
    match operation {
        stencil_op::KEEP => old,
        stencil_op::ZERO => 0,
        stencil_op::REPLACE => reference,
        stencil_op::INCRSAT => old.saturating_add(1),
        stencil_op::DECRSAT => old.saturating_sub(1),
        stencil_op::INCR => old.wrapping_add(1),
        stencil_op::DECR => old.wrapping_sub(1),
        _ => !old,
    }
}

/// The depth buffer as a surface; `None` if it is null.
pub(crate) fn depth_buffer(draw: &Draw<'_>, log_samples: u64) -> Result<Option<Image>, StopReason> {
    let get = |field| draw.state.get(&db::PACKET, field);
    if draw.state.words(&db::PACKET).is_empty()
        || get(db::SURFACE_TYPE) == depth_surface_type::SURFTYPE_NULL
    {
        return Ok(None);
    }
    // The formats that the sampler reads such depths with.
    let (format, halign) = match get(db::SURFACE_FORMAT) {
        depth_format::D32_FLOAT => (surface_format::R32_FLOAT, halign::HALIGN_4),
        depth_format::D24_UNORM_X8_UINT => {
            (surface_format::R24_UNORM_X8_TYPELESS, halign::HALIGN_4)
        }
        depth_format::D16_UNORM => (surface_format::R16_UNORM, halign::HALIGN_8),
        other => {
            return Err(StopReason::Unimplemented {
                what: format!("depth format {other}"),
                at: draw.at,
            });
        }
    };
    surface(
        draw,
        log_samples,
        Layout {
            format,
            halign,
            valign: valign::VALIGN_4,
            tiling: tile_mode::YMAJOR,
            // The values of both fields are the same.
            tiled_resource: get(db::TILED_RESOURCE_MODE),
            pitch: get(db::SURFACE_PITCH),
            address: get(db::SURFACE_BASE_ADDRESS),
            qpitch: get(db::SURFACE_QPITCH),
        },
    )
    .map(Some)
}

/// The stencil buffer as a surface; `None` if it is disabled.
pub(crate) fn stencil_buffer(
    draw: &Draw<'_>,
    log_samples: u64,
) -> Result<Option<Image>, StopReason> {
    let get = |field| draw.state.get(&sb::PACKET, field);
    if get(sb::STENCIL_BUFFER_ENABLE) == 0 {
        return Ok(None);
    }
    surface(
        draw,
        log_samples,
        Layout {
            format: surface_format::R8_UINT,
            halign: halign::HALIGN_8,
            valign: valign::VALIGN_8,
            tiling: tile_mode::WMAJOR,
            tiled_resource: tiled_resource_mode::NONE,
            pitch: get(sb::SURFACE_PITCH),
            address: get(sb::SURFACE_BASE_ADDRESS),
            qpitch: get(sb::SURFACE_QPITCH),
        },
    )
    .map(Some)
}

/// The depth and stencil buffers that a draw or, with `all`, 3DSTATE_WM_HZ_OP may have written.
pub(crate) fn targets(draw: &Draw<'_>, all: bool) -> Vec<(Role, Image)> {
    let get = |field| draw.state.get(&ds::PACKET, field);
    let depth = all || get(ds::DEPTH_BUFFER_WRITE_ENABLE) == 1 && get(ds::DEPTH_TEST_ENABLE) == 1;
    let stencil = all || get(ds::STENCIL_BUFFER_WRITE_ENABLE) == 1;
    // A buffer that cannot be observed_layer has ended the draw already.
    let depth = depth
        .then(|| depth_buffer(draw, samples(draw)).ok().flatten())
        .flatten();
    let stencil = stencil.then(|| stencil_buffer(draw, samples(draw)).ok().flatten());
    let depth = depth.map(|image| (Role::Depth, image));
    let stencil = stencil.flatten().map(|image| (Role::Stencil, image));
    depth.into_iter().chain(stencil).collect()
}

struct Layout {
    format: u64,
    halign: u64,
    valign: u64,
    tiling: u64,
    tiled_resource: u64,
    pitch: u64,
    address: u64,
    qpitch: u64,
}

/// Builds a surface with the extents of 3DSTATE_DEPTH_BUFFER, which the stencil buffer shares.
fn surface(draw: &Draw<'_>, log_samples: u64, layout: Layout) -> Result<Image, StopReason> {
    let get = |field| draw.state.get(&db::PACKET, field);
    let kind = match get(db::SURFACE_TYPE) {
        depth_surface_type::SURFTYPE_NULL => surface_type::SURFTYPE_2D,
        kind => kind,
    };
    let mut words = [0; 16];
    let fields = [
        (rss::SURFACE_TYPE, kind),
        (
            rss::SURFACE_ARRAY,
            u64::from(kind != surface_type::SURFTYPE_3D),
        ),
        (rss::SURFACE_FORMAT, layout.format),
        (rss::TILE_MODE, layout.tiling),
        (rss::SURFACE_HORIZONTAL_ALIGNMENT, layout.halign),
        (rss::SURFACE_VERTICAL_ALIGNMENT, layout.valign),
        (rss::WIDTH, get(db::WIDTH)),
        (rss::HEIGHT, get(db::HEIGHT)),
        (rss::DEPTH, get(db::DEPTH)),
        (rss::SURFACE_PITCH, layout.pitch),
        (rss::SURFACE_QPITCH, layout.qpitch),
        (rss::MINIMUM_ARRAY_ELEMENT, get(db::MINIMUM_ARRAY_ELEMENT)),
        (
            rss::RENDER_TARGET_VIEW_EXTENT,
            get(db::RENDER_TARGET_VIEW_EXTENT),
        ),
        (rss::MIP_COUNT_LOD, get(db::LOD)),
        (rss::NUMBER_OF_MULTISAMPLES, log_samples),
        (
            rss::MULTISAMPLED_SURFACE_STORAGE_FORMAT,
            storage::MSFMT_DEPTH_STENCIL,
        ),
        (rss::SURFACE_BASE_ADDRESS, layout.address),
        (rss::TILED_RESOURCE_MODE, layout.tiled_resource),
        (rss::MIP_TAIL_START_LOD, get(db::MIP_TAIL_START_LOD)),
    ];
    for (field, value) in fields {
        field.set(&mut words, value);
    }
    let image = Image::from_words(&words, draw.at)?;
    // This QPitch counts all rows; the one in the surface state of a W-tiled 3D surface counts half
    // of them.
    Ok(Image {
        qpitch_rows: layout.qpitch as u32 * 4,
        ..image
    })
}

/// Log2 of the draw's samples per pixel.
fn samples(draw: &Draw<'_>) -> u64 {
    use hw::draw::state_multisample as multisample;
    draw.state
        .get(&multisample::PACKET, multisample::NUMBER_OF_MULTISAMPLES)
}

/// Minimum and maximum depth of each viewport that the clipper may select.
pub(super) fn viewport_depth_ranges(draw: &Draw<'_>) -> Result<Vec<[f32; 2]>, StopReason> {
    use hw::draw::{state_clip as clip, state_viewport_state_pointers_cc as pointers};
    let last = draw.state.get(&clip::PACKET, clip::MAXIMUM_VP_INDEX);
    let offset = draw
        .state
        .get(&pointers::PACKET, pointers::CC_VIEWPORT_POINTER);
    let view = draw.view(Via::State);
    (0..=last.min(15))
        .map(|i| {
            let mut words = [0; 2];
            view.read_block(draw.base.dynamic + offset + i * 8, &mut words)?;
            let float = |field: hw::Field| f32::from_bits(field.get(&words) as u32);
            Ok([
                float(cc_viewport::MINIMUM_DEPTH),
                float(cc_viewport::MAXIMUM_DEPTH),
            ])
        })
        .collect()
}

impl<'a> DepthStencil<'a> {
    /// Reads the state.
    pub fn read(draw: &Draw<'a>) -> Result<DepthStencil<'a>, StopReason> {
        let get = |field| draw.state.get(&ds::PACKET, field);
        let flag = |field| draw.state.flag(&ds::PACKET, field);
        let front = StencilFace {
            function: get(ds::STENCIL_TEST_FUNCTION),
            mask: get(ds::STENCIL_TEST_MASK) as u8,
            reference: get(ds::STENCIL_REFERENCE_VALUE) as u8,
            write_mask: get(ds::STENCIL_WRITE_MASK) as u8,
            operations: [
                get(ds::STENCIL_FAIL_OP),
                get(ds::STENCIL_PASS_DEPTH_FAIL_OP),
                get(ds::STENCIL_PASS_DEPTH_PASS_OP),
            ],
        };
        let back = StencilFace {
            function: get(ds::BACKFACE_STENCIL_TEST_FUNCTION),
            mask: get(ds::BACKFACE_STENCIL_TEST_MASK) as u8,
            reference: get(ds::BACKFACE_STENCIL_REFERENCE_VALUE) as u8,
            write_mask: get(ds::BACKFACE_STENCIL_WRITE_MASK) as u8,
            operations: [
                get(ds::BACKFACE_STENCIL_FAIL_OP),
                get(ds::BACKFACE_STENCIL_PASS_DEPTH_FAIL_OP),
                get(ds::BACKFACE_STENCIL_PASS_DEPTH_PASS_OP),
            ],
        };
        let two_sided = flag(ds::DOUBLE_SIDED_STENCIL_ENABLE);
        let depth = depth_buffer(draw, samples(draw))?;
        let test = flag(ds::DEPTH_TEST_ENABLE) && depth.is_some();
        let buffer = |field| draw.state.flag(&db::PACKET, field);
        let write = flag(ds::DEPTH_BUFFER_WRITE_ENABLE)
            && buffer(db::DEPTH_WRITE_ENABLE)
            && depth.is_some();
        let mut hierarchical = None;
        let view = draw.view(Via::Depth);
        if let Some(image) = depth.as_ref().filter(|_| view.is_strict()) {
            let first = image.min_array_element;
            let bound = Slices {
                levels: [image.lod, image.lod + 1],
                elements: [first, first + image.view_extent],
            };
            if buffer(db::HIERARCHICAL_DEPTH_BUFFER_ENABLE) {
                hierarchical = Some((image.address, image.lod, first));
                view.through(Via::Hierarchical);
                if test || write {
                    view.depth_through(image.address, bound, draw.at)?;
                }
            } else {
                let (always, never) = (compare_function::ALWAYS, compare_function::NEVER);
                if test && ![always, never].contains(&get(ds::DEPTH_TEST_FUNCTION)) {
                    // The stored depth matters.
                    view.depth_seen(image.address, bound, draw.at)?;
                }
                for element in (bound.elements[0]..bound.elements[1]).filter(|_| write) {
                    view.depth(image.address, Depth::Passed([image.lod, element]));
                }
            }
        }
        let depth = depth.map(|image| {
            let number = match image.format.name {
                "R32_FLOAT" => DepthFormat::Float32,
                "R16_UNORM" => DepthFormat::Unorm16,
                _ => DepthFormat::Unorm24,
            };
            (image.at_level(image.lod), number)
        });
        let stencil = stencil_buffer(draw, samples(draw))?;
        let stencil = stencil.map(|image| image.at_level(image.lod));
        // "The interpolated or computed depth is clamped to this value prior to the depth test":
        // this changes biased depths, and depths beyond a viewport without clipping. Depths that
        // the clipper left within the range stay unchanged.
        let ranges = match depth.is_some() && (test || write) {
            true => viewport_depth_ranges(draw)?,
            false => Vec::new(),
        };
        Ok(DepthStencil {
            view,
            test,
            hierarchical,
            observed_layer: Cell::new(None),
            write,
            function: get(ds::DEPTH_TEST_FUNCTION),
            stencil_test: flag(ds::STENCIL_TEST_ENABLE) && stencil.is_some(),
            stencil_write: flag(ds::STENCIL_BUFFER_WRITE_ENABLE)
                && buffer(db::STENCIL_WRITE_ENABLE)
                && stencil.is_some(),
            faces: [front, if two_sided { back } else { front }],
            depth,
            stencil,
            ranges,
        })
    }

    /// A depth clamped to the viewport's range (SKL PRM vol. 2d, CC_VIEWPORT, Minimum Depth).
    pub fn clamp_depth(&self, depth: f32, viewport: u32) -> f32 {
        match self.ranges.get(viewport as usize) {
            Some([low, high]) => depth.max(*low).min(*high),
            None => depth,
        }
    }

    /// True if depth or stencil is tested or written.
    pub fn is_active(&self) -> bool {
        self.test || self.write || self.has_stencil()
    }

    /// Does the work of [`DepthStencil::test_sample`] for the pixels of `mask` of a subspan with
    /// one sample per pixel and the given depths; returns the pixels that pass, or `None` if they
    /// have to be tested one by one.
    pub fn test_subspan(
        &self,
        [x, y, layer]: [u32; 3],
        mask: u32,
        depths: [f32; 4],
    ) -> Result<Option<u32>, StopReason> {
        let Some((level, number)) = self.depth.as_ref().filter(|_| !self.has_stencil()) else {
            return Ok(None);
        };
        let Some(addresses) = level.subspan(x, y, layer) else {
            return Ok(None);
        };
        if *number == DepthFormat::Unorm16
            && !self.view.is_strict()
            && let [a, b, c, d] = addresses
            && a.is_multiple_of(4)
            && c.is_multiple_of(4)
            && (b, d) == (a + 2, c + 2)
        {
            let [p, q, r, s] = depths;
            let upper = self.test_unorm16_pair(a, mask & 3, [p, q])?;
            return Ok(Some(
                upper | self.test_unorm16_pair(c, mask >> 2, [r, s])? << 2,
            ));
        }
        let mut passed = 0;
        for (i, (address, depth)) in addresses.into_iter().zip(depths).enumerate() {
            if mask >> i & 1 == 0 {
                continue;
            }
            let new = number.encode(depth);
            let old = self.read_depth(*number, address)?;
            if self.test && !number.passes(self.function, new, old) {
                continue;
            }
            passed |= 1 << i;
            if self.write {
                self.observe_hierarchical_write(layer);
                self.write_depth(*number, address, number.with_x8_bits(new, old))?;
            }
        }
        Ok(Some(passed))
    }

    /// [`DepthStencil::test_subspan`] of two pixels whose depths share a dword, which no other
    /// worker accesses.
    fn test_unorm16_pair(
        &self,
        address: u64,
        mask: u32,
        depths: [f32; 2],
    ) -> Result<u32, StopReason> {
        if mask == 0 {
            return Ok(0);
        }
        let word = self.view.atomic(address)?;
        let both = word.load(Relaxed);
        let (mut after, mut passed) = (both, 0);
        for (i, depth) in (0..2).zip(depths) {
            let new = DepthFormat::Unorm16.encode(depth);
            let old = both >> (16 * i) & 0xffff;
            let passes = !self.test || DepthFormat::Unorm16.passes(self.function, new, old);
            if mask >> i & 1 == 1 && passes {
                passed |= 1 << i;
                after = after & !(0xffff << (16 * i)) | new << (16 * i);
            }
        }
        if self.write && after != both {
            word.store(after, Relaxed);
        }
        Ok(passed)
    }

    /// The bits of a sample's depth.
    fn read_depth(&self, number: DepthFormat, address: u64) -> Result<u32, StopReason> {
        match number {
            DepthFormat::Unorm16 => Ok(self.view.read_bytes(address, 2)? as u32),
            _ => self.view.read(address),
        }
    }

    fn write_depth(&self, number: DepthFormat, address: u64, bits: u32) -> Result<(), StopReason> {
        match number {
            DepthFormat::Unorm16 => self.view.write_bytes(address, 2, u64::from(bits)),
            _ => self.view.write(address, bits),
        }
    }

    /// Reports to strict mode the layer that is written.
    fn observe_hierarchical_write(&self, layer: u32) {
        if let Some((address, level, first)) = self.hierarchical
            && self.observed_layer.get() != Some(layer)
        {
            self.observed_layer.set(Some(layer));
            let slice = [level, first + layer];
            self.view.depth(address, Depth::Held(slice));
        }
    }

    fn has_stencil(&self) -> bool {
        self.stencil_test || self.stencil_write
    }

    /// Tests a sample and writes depth and stencil; returns true if it passes.
    pub fn test_sample(
        &self,
        [x, y, layer]: [u32; 3],
        sample: u32,
        depth: f32,
        front_facing: bool,
        reference: Option<u8>,
    ) -> Result<bool, StopReason> {
        let face = &self.faces[usize::from(!front_facing)];
        let reference = reference.unwrap_or(face.reference);
        let mut stencil_passes = true;
        let mut held = None;
        if let Some(level) = self.stencil.as_ref().filter(|_| self.stencil_test)
            && let Some(address) = level.address(x, y, layer, sample)
        {
            let old = self
                .view
                .by(Via::Depth, |view| view.read_bytes(address, 1))? as u8;
            // The reference is the left operand of the comparison.
            let masked = (reference & face.mask, old & face.mask);
            stencil_passes = compare(face.function, masked.0, masked.1);
            held = Some((address, old));
        }
        let mut depth_passes = true;
        let mut place = None;
        if let Some((level, number)) = &self.depth
            && (self.test || self.write)
            && let Some(address) = level.address(x, y, layer, sample)
        {
            let new = number.encode(depth);
            let old = self.read_depth(*number, address)?;
            depth_passes = !self.test || number.passes(self.function, new, old);
            place = Some((*number, address, number.with_x8_bits(new, old)));
        }
        if let Some((address, old)) = held.filter(|_| self.stencil_write) {
            let which = match (stencil_passes, depth_passes) {
                (false, _) => 0,
                (true, false) => 1,
                (true, true) => 2,
            };
            let new = stencil_op(face.operations[which], old, reference);
            let new = old & !face.write_mask | new & face.write_mask;
            if new != old {
                let new = u64::from(new);
                let write = |view: &AddressSpaceView<'_>| view.write_bytes(address, 1, new);
                self.view.by(Via::Depth, write)?;
            }
        }
        let passes = stencil_passes && depth_passes;
        if let Some((number, address, new)) = place.filter(|_| passes && self.write) {
            self.observe_hierarchical_write(layer);
            self.write_depth(number, address, new)?;
        }
        Ok(passes)
    }
}

#[cfg(test)]
mod tests;
