//! Depth and stencil: tests and writes of samples.
//!
//! In:  3DSTATE_WM_DEPTH_STENCIL, 3DSTATE_DEPTH_BUFFER, 3DSTATE_STENCIL_BUFFER. Out: which samples pass; buffers written.
//! A hierarchical depth buffer holds nothing back: what would be in it is in the depth buffer.
//! Ref: SKL PRM vol. 7, "Depth/Stencil Test", "Stencil Operations"; Vulkan, "Depth Test", "Stencil Test".

use crate::draw::exec::Draw;
use crate::memory::View;
use crate::strict::Via;
use crate::surface::Image;
use crate::targets::Role;
use eu::Stop;
use hw::Packet;
use hw::draw::{
    state_depth_buffer as db, state_stencil_buffer as sb, state_wm_depth_stencil as ds,
};
use hw::state::render_surface_state as rss;

/// Stencil of one face: test function, mask, reference, write mask, operations (fail, depth fail, pass).
#[derive(Clone, Copy, Debug, Default)]
struct Face {
    function: u64,
    mask: u8,
    reference: u8,
    writes: u8,
    operations: [u64; 3],
}

/// The unit for one draw.
pub(crate) struct DepthStencil<'a> {
    view: View<'a>,
    depth: Option<Image>,
    stencil: Option<Image>,
    test: bool,
    write: bool,
    function: u64,
    stencil_test: bool,
    stencil_write: bool,
    faces: [Face; 2],
}

/// COMPAREFUNCTION_*: of the new value with the old one.
fn compare<T: PartialOrd>(function: u64, new: T, old: T) -> bool {
    match function {
        0 => true,
        1 => false,
        2 => new < old,
        3 => new == old,
        4 => new <= old,
        5 => new > old,
        6 => new != old,
        _ => new >= old,
    }
}

/// STENCILOP_*.
fn operate(operation: u64, old: u8, reference: u8) -> u8 {
    match operation {
        0 => old,
        1 => 0,
        2 => reference,
        3 => old.saturating_add(1),
        4 => old.saturating_sub(1),
        5 => old.wrapping_add(1),
        6 => old.wrapping_sub(1),
        _ => !old,
    }
}

/// SURFTYPE_NULL.
const TYPE_NULL: u64 = 7;

/// The depth buffer as a surface; none where it is null.
pub(crate) fn depth_buffer(draw: &Draw<'_>) -> Result<Option<Image>, Stop> {
    let get = |field| draw.state.get(&db::PACKET, field);
    if draw.state.words(&db::PACKET).is_empty() || get(db::SURFACE_TYPE) == TYPE_NULL {
        return Ok(None);
    }
    // D32_FLOAT, D24_UNORM_X8, D16_UNORM as the sampler calls them; the last is laid out in blocks of eight.
    let (format, halign) = match get(db::SURFACE_FORMAT) {
        1 => (0x0d8, 1),
        3 => (0x0d9, 1),
        5 => (0x10a, 2),
        other => {
            return Err(Stop::Unimplemented {
                what: format!("depth format {other}"),
                at: draw.at,
            });
        }
    };
    surface(
        draw,
        &db::PACKET,
        Layout {
            format,
            halign,
            valign: 1,
            tiling: 3,
            pitch: get(db::SURFACE_PITCH),
            address: get(db::SURFACE_BASE_ADDRESS),
            qpitch: get(db::SURFACE_QPITCH),
        },
    )
    .map(Some)
}

/// The stencil buffer; none where it is off.
pub(crate) fn stencil_buffer(draw: &Draw<'_>) -> Result<Option<Image>, Stop> {
    let get = |field| draw.state.get(&sb::PACKET, field);
    if get(sb::STENCIL_BUFFER_ENABLE) == 0 {
        return Ok(None);
    }
    let r8_uint = 0x143;
    surface(
        draw,
        &sb::PACKET,
        Layout {
            format: r8_uint,
            halign: 2,
            valign: 2,
            tiling: 1,
            pitch: get(sb::SURFACE_PITCH),
            address: get(sb::SURFACE_BASE_ADDRESS),
            qpitch: get(sb::SURFACE_QPITCH),
        },
    )
    .map(Some)
}

/// Depth and stencil buffers that a draw, or 3DSTATE_WM_HZ_OP, may have written.
pub(crate) fn targets(draw: &Draw<'_>, all: bool) -> Vec<(Role, Image)> {
    let get = |field| draw.state.get(&ds::PACKET, field);
    let depth = all || get(ds::DEPTH_BUFFER_WRITE_ENABLE) == 1 && get(ds::DEPTH_TEST_ENABLE) == 1;
    let stencil = all || get(ds::STENCIL_BUFFER_WRITE_ENABLE) == 1;
    // A buffer that cannot be told has ended the draw already.
    let depth = depth.then(|| depth_buffer(draw).ok().flatten()).flatten();
    let stencil = stencil.then(|| stencil_buffer(draw).ok().flatten());
    let depth = depth.map(|image| (Role::Depth, image));
    let stencil = stencil.flatten().map(|image| (Role::Stencil, image));
    depth.into_iter().chain(stencil).collect()
}

struct Layout {
    format: u64,
    halign: u64,
    valign: u64,
    tiling: u64,
    pitch: u64,
    address: u64,
    qpitch: u64,
}

/// A surface with the extents of 3DSTATE_DEPTH_BUFFER, which the stencil buffer shares.
fn surface(draw: &Draw<'_>, packet: &Packet, layout: Layout) -> Result<Image, Stop> {
    let get = |field| draw.state.get(&db::PACKET, field);
    let samples = draw.state.get(
        &hw::draw::state_multisample::PACKET,
        hw::draw::state_multisample::NUMBER_OF_MULTISAMPLES,
    );
    let _ = packet;
    let kind = match get(db::SURFACE_TYPE) {
        TYPE_NULL => 1,
        kind => kind,
    };
    let mut words = [0; 16];
    let fields = [
        (rss::SURFACE_TYPE, kind),
        (rss::SURFACE_ARRAY, u64::from(kind != 2)),
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
        (rss::NUMBER_OF_MULTISAMPLES, samples),
        (rss::MULTISAMPLED_SURFACE_STORAGE_FORMAT, 1),
        (rss::SURFACE_BASE_ADDRESS, layout.address),
    ];
    for (field, value) in fields {
        field.set(&mut words, value);
    }
    Image::from_words(&words, draw.at)
}

impl<'a> DepthStencil<'a> {
    /// Reads the state.
    pub fn read(draw: &Draw<'a>) -> Result<DepthStencil<'a>, Stop> {
        let get = |field| draw.state.get(&ds::PACKET, field);
        let flag = |field| draw.state.flag(&ds::PACKET, field);
        let front = Face {
            function: get(ds::STENCIL_TEST_FUNCTION),
            mask: get(ds::STENCIL_TEST_MASK) as u8,
            reference: get(ds::STENCIL_REFERENCE_VALUE) as u8,
            writes: get(ds::STENCIL_WRITE_MASK) as u8,
            operations: [
                get(ds::STENCIL_FAIL_OP),
                get(ds::STENCIL_PASS_DEPTH_FAIL_OP),
                get(ds::STENCIL_PASS_DEPTH_PASS_OP),
            ],
        };
        let back = Face {
            function: get(ds::BACKFACE_STENCIL_TEST_FUNCTION),
            mask: get(ds::BACKFACE_STENCIL_TEST_MASK) as u8,
            reference: get(ds::BACKFACE_STENCIL_REFERENCE_VALUE) as u8,
            writes: get(ds::BACKFACE_STENCIL_WRITE_MASK) as u8,
            operations: [
                get(ds::BACKFACE_STENCIL_FAIL_OP),
                get(ds::BACKFACE_STENCIL_PASS_DEPTH_FAIL_OP),
                get(ds::BACKFACE_STENCIL_PASS_DEPTH_PASS_OP),
            ],
        };
        let two_sided = flag(ds::DOUBLE_SIDED_STENCIL_ENABLE);
        let depth = depth_buffer(draw)?;
        let stencil = stencil_buffer(draw)?;
        let buffer = |field| draw.state.flag(&db::PACKET, field);
        Ok(DepthStencil {
            view: draw.view(Via::Depth),
            test: flag(ds::DEPTH_TEST_ENABLE) && depth.is_some(),
            write: flag(ds::DEPTH_BUFFER_WRITE_ENABLE)
                && buffer(db::DEPTH_WRITE_ENABLE)
                && depth.is_some(),
            function: get(ds::DEPTH_TEST_FUNCTION),
            stencil_test: flag(ds::STENCIL_TEST_ENABLE) && stencil.is_some(),
            stencil_write: flag(ds::STENCIL_BUFFER_WRITE_ENABLE)
                && buffer(db::STENCIL_WRITE_ENABLE)
                && stencil.is_some(),
            faces: [front, if two_sided { back } else { front }],
            depth,
            stencil,
        })
    }

    /// True where there is something to test or to write.
    pub fn is_active(&self) -> bool {
        self.test || self.write || self.stencil_test || self.stencil_write
    }

    /// Tests a sample and writes what changes; true if it passes.
    pub fn sample(
        &self,
        [x, y, layer]: [u32; 3],
        sample: u32,
        depth: f32,
        front_facing: bool,
        reference: Option<u8>,
    ) -> Result<bool, Stop> {
        let face = &self.faces[usize::from(!front_facing)];
        let reference = reference.unwrap_or(face.reference);
        let mut stencil_passes = true;
        let mut old_stencil = 0;
        if let Some(image) = self.stencil.as_ref().filter(|_| self.stencil_test) {
            let value = image.load(&self.view, image.lod, [x, y, layer], sample)?;
            old_stencil = value[0] as u8;
            // The reference is compared with what is stored, not the other way round.
            let (new, old) = (reference & face.mask, old_stencil & face.mask);
            stencil_passes = compare(face.function, new, old);
        }
        let mut depth_passes = true;
        if stencil_passes
            && let Some(image) = self.depth.as_ref().filter(|_| self.test)
            && let Some(address) = image.texel_address(image.lod, x, y, layer, sample)
        {
            let old = image.element(&self.view, address)?;
            let new = crate::surface::format::encode(image.format, [depth.to_bits(), 0, 0, 0]);
            let value = |raw: &[u8; 16]| crate::surface::format::decode(image.format, raw)[0];
            let (new, old) = (f32::from_bits(value(&new)), f32::from_bits(value(&old)));
            depth_passes = compare(self.function, new, old);
        }
        if let Some(image) = self
            .stencil
            .as_ref()
            .filter(|_| self.stencil_test && self.stencil_write)
        {
            let which = match (stencil_passes, depth_passes) {
                (false, _) => 0,
                (true, false) => 1,
                (true, true) => 2,
            };
            let new = operate(face.operations[which], old_stencil, reference);
            let new = old_stencil & !face.writes | new & face.writes;
            if new != old_stencil {
                let value = [u32::from(new), 0, 0, 0];
                image.store(&self.view, image.lod, [x, y, layer], sample, value)?;
            }
        }
        let passes = stencil_passes && depth_passes;
        if passes
            && self.write
            && let Some(image) = &self.depth
        {
            let value = [depth.to_bits(), 0, 0, 0];
            image.store(&self.view, image.lod, [x, y, layer], sample, value)?;
        }
        Ok(passes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_and_operations() {
        let passes = |new: f32| (0..8).filter(|f| compare(*f, new, 0.5)).collect::<Vec<_>>();
        assert_eq!(passes(0.25), [0, 2, 4, 6]);
        assert_eq!(passes(0.5), [0, 3, 4, 7]);
        assert_eq!(passes(0.75), [0, 5, 6, 7]);
        let all = |old| [0, 1, 2, 3, 4, 5, 6, 7].map(|op| operate(op, old, 9));
        assert_eq!(all(255), [255, 0, 9, 255, 254, 0, 254, 0]);
        assert_eq!(all(0), [0, 0, 9, 1, 0, 1, 255, 255]);
    }
}
