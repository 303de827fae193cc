//! Blits and resolves.
//!
//! In:  images and random numbers. Out: recorded commands, and texels as the specification has them
//!      converted. Of a blit only what has one right result is known afterwards.

use ash::vk;

use crate::copy::{Piece, read, write};
use crate::model::{Place, places};
use crate::object::Image;
use crate::random::Random;
use crate::record::{Recorder, Use};
use crate::value;

/// A stretch of texels, in either direction.
#[derive(Clone, Copy, Debug)]
struct Span {
    from: i32,
    to: i32,
}

impl Span {
    fn new(random: &mut Random, first: u32, count: u32) -> Span {
        let (from, to) = (first.cast_signed(), (first + count).cast_signed());
        match random.one_in(3) {
            true => Span { from: to, to: from },
            false => Span { from, to },
        }
    }

    fn length(self) -> u32 {
        self.from.abs_diff(self.to)
    }

    /// The texel that a place of another stretch gets its value from, and whether it lies well
    /// inside.
    fn source(self, other: Span, place: u32) -> (u32, bool) {
        let (step, whole) = (self.to - self.from, other.to - other.from);
        // In halves of the other's length.
        let mut number =
            2 * self.from * whole + (2 * place.cast_signed() + 1 - 2 * other.from) * step;
        let mut per = 2 * whole;
        if per < 0 {
            (number, per) = (-number, -per);
        }
        let texel = number.div_euclid(per);
        let last = self.from.max(self.to) - 1;
        (
            texel.clamp(0, last).cast_unsigned(),
            number.rem_euclid(per) != 0,
        )
    }
}

fn corners(spans: &[Span; 3]) -> [vk::Offset3D; 2] {
    let corner = |of: fn(&Span) -> i32| vk::Offset3D {
        x: of(&spans[0]),
        y: of(&spans[1]),
        z: of(&spans[2]),
    };
    [corner(|span| span.from), corner(|span| span.to)]
}

/// True if a blit between two images has one right result.
pub fn can_blit(from: &Image, to: &Image) -> bool {
    if !from.single() || !to.single() {
        return false;
    }
    let features = from.features.contains(vk::FormatFeatureFlags::BLIT_SRC)
        && to.features.contains(vk::FormatFeatureFlags::BLIT_DST);
    let depth = !from.layout.is_colour() && !from.layout.is_planar();
    let fits = match depth {
        true => from.layout.format == to.layout.format,
        false => value::converts(&from.layout, &to.layout),
    };
    let flat = |image: &Image| image.kind != vk::ImageType::TYPE_3D;
    let lines = [from, to].map(|image| image.kind == vk::ImageType::TYPE_1D);
    let kinds = from.kind == to.kind || flat(from) && flat(to) && lines[0] == lines[1];
    let wild = from.wild && (depth || from.layout.is_float());
    features && fits && kinds && !wild
}

/// Scales a box of an image into one of another.
pub fn blit(
    recorder: &mut Recorder<'_>,
    random: &mut Random,
    images: &mut [Image],
    [source, target]: [usize; 2],
) {
    let (from, to) = (&images[source], &images[target]);
    if source == target || !can_blit(from, to) {
        return;
    }
    let (mut a, mut b) = (Piece::new(random, from), Piece::new(random, to));
    b.part = a.part;
    let level = b.level;
    b = Piece::random(random, to, b.part, level);
    // Layers go one to one.
    let volume = from.is_volume();
    if !volume {
        let count = a.size[2].min(b.size[2]);
        (a.size[2], b.size[2]) = (count, count);
    }
    // As large, or not.
    if random.one_in(3) {
        let size = [0, 1, 2].map(|axis| a.size[axis].min(b.size[axis]));
        (a.size, b.size) = (size, size);
    }
    let flat = Span { from: 0, to: 1 };
    let mut spans = |of: &Piece| {
        [0, 1, 2].map(|axis| match axis {
            2 if !volume => flat,
            // A line has one row.
            1 if from.kind == vk::ImageType::TYPE_1D => flat,
            _ => Span::new(random, of.from[axis], of.size[axis]),
        })
    };
    let [span_a, span_b] = [spans(&a), spans(&b)];
    let equal = (0..3).all(|axis| span_a[axis].length() == span_b[axis].length());
    let linear = vk::FormatFeatureFlags::SAMPLED_IMAGE_FILTER_LINEAR;
    let exact = from.layout.is_plain() && from.layout.channels.iter().all(|c| c.bits <= 8);
    let filtered = equal && exact && !from.layout.is_integer() && from.features.contains(linear);
    let filter = match filtered && random.one_in(2) {
        true => vk::Filter::LINEAR,
        false => vk::Filter::NEAREST,
    };
    let mut moved = Vec::new();
    let mut aspects = from.parts[a.part].aspect.aspect;
    let mut parts = vec![a.part];
    if from.parts.len() > 1 && random.one_in(2) {
        aspects = from.aspects();
        parts = (0..from.parts.len()).collect();
    }
    for part in parts {
        for at in places(b.from, b.size) {
            let mut texel = [0, 1, 2].map(|axis| span_a[axis].source(span_b[axis], at[axis]));
            if !volume {
                texel[2] = (a.from[2] + (at[2] - b.from[2]), true);
            }
            let place = Place {
                level: a.level,
                at: texel.map(|(at, _)| at),
            };
            let (bytes, known) = from.parts[part].get(place);
            let (bytes, sure) = match from.layout.is_plain() {
                true => value::convert(&from.layout, &to.layout, bytes),
                false => (bytes.to_vec(), vec![0xff; bytes.len()]),
            };
            let whole = known
                .iter()
                .zip(&from.parts[part].aspect.mask)
                .all(|(a, b)| a & b == *b);
            let known = match whole && texel.iter().all(|(_, sure)| *sure) {
                true => sure,
                false => vec![0; bytes.len()],
            };
            let level = b.level;
            moved.push((part, Place { level, at }, bytes, known));
        }
    }
    let region = vk::ImageBlit {
        src_subresource: a.layers(from, aspects),
        src_offsets: corners(&span_a),
        dst_subresource: b.layers(to, aspects),
        dst_offsets: corners(&span_b),
    };
    for (part, place, bytes, known) in &moved {
        images[target].parts[*part].set(*place, bytes, known);
    }
    recorder.image(random, &mut images[source], Use::BlitFrom, false);
    recorder.image(random, &mut images[target], Use::BlitTo, false);
    let (from, to) = (&images[source], &images[target]);
    unsafe {
        recorder.world.device.cmd_blit_image(
            recorder.commands,
            from.image,
            from.now,
            to.image,
            to.now,
            &[region],
            filter,
        );
    }
    recorder.log.push(format!(
        "blit of {} to {}: {region:?}, {filter:?}",
        from.description(),
        to.description()
    ));
}

/// True if one image can be resolved to another.
pub fn can_resolve(from: &Image, to: &Image) -> bool {
    !from.single()
        && to.single()
        && to.kind == vk::ImageType::TYPE_2D
        && from.layout.is_plain()
        && from.layout.format == to.layout.format
        && !(from.wild && from.layout.is_float())
        && to
            .features
            .contains(vk::FormatFeatureFlags::COLOR_ATTACHMENT)
}

/// Elements of a box as they are when samples were joined: all were the same.
pub fn joined(image: &Image, from: &Piece) -> Vec<(Vec<u8>, Vec<u8>)> {
    let layout = &image.layout;
    let mut elements = read(image, from);
    if layout.is_plain() {
        for (bytes, known) in &mut elements {
            let (same, sure) = value::convert(layout, layout, bytes);
            let whole = known.iter().all(|known| *known == 0xff);
            *bytes = same;
            *known = if whole { sure } else { vec![0; known.len()] };
        }
    }
    elements
}

/// Joins the samples of a box of an image in another.
pub fn resolve(
    recorder: &mut Recorder<'_>,
    random: &mut Random,
    from: &mut Image,
    to: &mut Image,
    whole: bool,
) {
    if !can_resolve(from, to) {
        return;
    }
    let (mut a, mut b) = (Piece::new(random, from), Piece::new(random, to));
    if whole {
        let size = from.parts[0].levels[0].size;
        (a.from, a.size) = ([0; 3], size);
        b = a;
    }
    let size = [0, 1, 2].map(|axis| a.size[axis].min(b.size[axis]));
    (a.size, b.size) = (size, size);
    let elements = joined(from, &a);
    write(to, &b, &elements);
    to.wild |= from.wild;
    let colour = vk::ImageAspectFlags::COLOR;
    let region = vk::ImageResolve {
        src_subresource: a.layers(from, colour),
        src_offset: a.offset(from),
        dst_subresource: b.layers(to, colour),
        dst_offset: b.offset(to),
        extent: vk::Extent3D {
            width: size[0],
            height: size[1],
            depth: 1,
        },
    };
    recorder.image(random, from, Use::ResolveFrom, false);
    recorder.image(random, to, Use::ResolveTo, false);
    unsafe {
        recorder.world.device.cmd_resolve_image(
            recorder.commands,
            from.image,
            from.now,
            to.image,
            to.now,
            &[region],
        );
    }
    recorder.log.push(format!(
        "resolve of {} to {}: {region:?}",
        from.description(),
        to.description()
    ));
}
