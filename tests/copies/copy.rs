//! Copies: buffers to images, images to buffers, images to images, buffers to buffers.
//!
//! In:  objects and random numbers. Out: recorded commands, and what they must do to the bytes.

use ash::vk;

use crate::model::{Place, places};
use crate::object::{Buffer, Image};
use crate::random::Random;
use crate::record::{Recorder, Use};
use crate::value;

/// A box of elements of a level of an aspect.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    pub part: usize,
    pub level: u32,
    pub from: [u32; 3],
    pub size: [u32; 3],
}

impl Piece {
    /// A random one.
    pub fn new(random: &mut Random, image: &Image) -> Piece {
        let part = random.below(image.parts.len() as u64) as usize;
        let level = random.range(0, image.levels - 1);
        Piece::random(random, image, part, level)
    }

    /// A random one of a level of a part.
    pub fn random(random: &mut Random, image: &Image, part: usize, level: u32) -> Piece {
        let whole = image.parts[part].levels[level as usize].size;
        let (mut from, mut size) = ([0; 3], whole);
        if !random.one_in(3) {
            for axis in 0..3 {
                size[axis] = random.range(1, whole[axis]);
                from[axis] = random.range(0, whole[axis] - size[axis]);
            }
        }
        Piece {
            part,
            level,
            from,
            size,
        }
    }

    pub fn overlaps(&self, other: &Piece) -> bool {
        let apart = |axis: usize| {
            self.from[axis] + self.size[axis] <= other.from[axis]
                || other.from[axis] + other.size[axis] <= self.from[axis]
        };
        self.part == other.part && self.level == other.level && !(0..3).any(apart)
    }

    /// Pixels of the aspect's level.
    fn level_px(&self, image: &Image) -> [u32; 2] {
        let size = image.size(self.level);
        let divisor = image.parts[self.part].aspect.divisor;
        [0, 1].map(|axis| size[axis].div_ceil(divisor[axis]))
    }

    /// Columns and rows in pixels: blocks at an edge are as wide as the image is there.
    pub fn size_px(&self, image: &Image) -> [u32; 2] {
        let (level, block) = (self.level_px(image), image.parts[self.part].aspect.block);
        [0, 1].map(|axis| {
            let from = self.from[axis] * block[axis];
            (self.size[axis] * block[axis]).min(level[axis] - from)
        })
    }

    /// Blocks at the edges are cut.
    fn is_cut(&self, image: &Image) -> bool {
        let block = image.parts[self.part].aspect.block;
        let size = self.size_px(image);
        (0..2).any(|axis| !size[axis].is_multiple_of(block[axis]))
    }

    pub fn offset(&self, image: &Image) -> vk::Offset3D {
        let block = image.parts[self.part].aspect.block;
        let at = |axis: usize| (self.from[axis] * block[axis]).cast_signed();
        vk::Offset3D {
            x: at(0),
            y: at(1),
            z: match image.is_volume() {
                true => self.from[2].cast_signed(),
                false => 0,
            },
        }
    }

    /// Layers; of volumes there is one.
    pub fn layers(
        &self,
        image: &Image,
        aspect: vk::ImageAspectFlags,
    ) -> vk::ImageSubresourceLayers {
        let (first, count) = match image.is_volume() {
            true => (0, 1),
            false => (self.from[2], self.size[2]),
        };
        vk::ImageSubresourceLayers {
            aspect_mask: aspect,
            mip_level: self.level,
            base_array_layer: first,
            layer_count: count,
        }
    }

    pub fn places(&self) -> impl Iterator<Item = Place> {
        let level = self.level;
        places(self.from, self.size).map(move |at| Place { level, at })
    }
}

/// Elements with which of their bits are known.
type Elements = Vec<(Vec<u8>, Vec<u8>)>;

/// What is in a box, element by element.
pub fn read(image: &Image, from: &Piece) -> Elements {
    let part = &image.parts[from.part];
    let elements = from.places().map(|place| part.get(place));
    elements.map(|(a, b)| (a.to_vec(), b.to_vec())).collect()
}

pub fn write(image: &mut Image, to: &Piece, elements: &Elements) {
    let part = &mut image.parts[to.part];
    for (place, (bytes, known)) in to.places().zip(elements) {
        part.set(place, bytes, known);
    }
}

/// A region between a buffer and an image, and where its elements are in the buffer.
struct Region {
    copy: vk::BufferImageCopy,
    offsets: Vec<usize>,
    end: usize,
}

/// A region that lies at `at` in a buffer, or a little later.
fn region(random: &mut Random, image: &Image, of: &Piece, at: usize) -> Region {
    let aspect = &image.parts[of.part].aspect;
    let bytes = aspect.bytes as usize;
    // Offsets of depth and stencil go by four bytes.
    let step = match image.layout.is_colour() || image.layout.is_planar() {
        true => bytes,
        false => 4,
    };
    let at = at.next_multiple_of(step);
    let [mut columns, mut rows, slices] = of.size;
    let (mut length, mut height) = (0, 0);
    if random.one_in(2) {
        columns += random.range(0, 5);
        length = columns * aspect.block[0];
    }
    if random.one_in(2) {
        rows += random.range(0, 3);
        height = rows * aspect.block[1];
    }
    let offsets: Vec<usize> = places([0; 3], of.size)
        .map(|[x, y, z]| at + ((z * rows + y) * columns + x) as usize * bytes)
        .collect();
    let [width_px, height_px] = of.size_px(image);
    let copy = vk::BufferImageCopy {
        buffer_offset: at as u64,
        buffer_row_length: length,
        buffer_image_height: height,
        image_subresource: of.layers(image, aspect.aspect),
        image_offset: of.offset(image),
        image_extent: vk::Extent3D {
            width: width_px,
            height: height_px,
            depth: if image.is_volume() { slices } else { 1 },
        },
    };
    let end = offsets.last().map_or(at, |last| last + bytes);
    Region { copy, offsets, end }
}

/// Boxes of an image that do not overlap.
fn boxes(random: &mut Random, image: &Image) -> Vec<Piece> {
    let mut all: Vec<Piece> = Vec::new();
    for _ in 0..random.range(1, 4) {
        let more = Piece::new(random, image);
        if !all.iter().any(|had| had.overlaps(&more)) {
            all.push(more);
        }
    }
    all
}

/// Noise from the host to an image, by way of a buffer of which `used` bytes are used.
pub fn upload(
    recorder: &mut Recorder<'_>,
    random: &mut Random,
    (buffer, used): (&mut Buffer, &mut usize),
    image: &mut Image,
) {
    let mut copies = Vec::new();
    for to in boxes(random, image) {
        let region = region(random, image, &to, *used);
        if region.end as u64 > buffer.bytes() {
            break;
        }
        let aspect = image.parts[to.part].aspect.clone();
        let mut bytes = vec![0; region.offsets.len() * aspect.bytes as usize];
        match aspect.aspect {
            vk::ImageAspectFlags::DEPTH => value::depths(image.layout.format, random, &mut bytes),
            _ => value::noise(&image.layout, random, &mut bytes),
        }
        let elements = bytes.chunks_exact(aspect.bytes as usize);
        for ((place, offset), element) in to.places().zip(&region.offsets).zip(elements) {
            buffer.fill(*offset, element);
            image.parts[to.part].set(place, element, &vec![0xff; element.len()]);
        }
        recorder.log.push(format!("  {:?} of {to:?}", region.copy));
        copies.push(region.copy);
        *used = region.end;
    }
    if copies.is_empty() {
        return;
    }
    recorder.buffer(buffer, Use::CopyFrom);
    recorder.image(random, image, Use::CopyTo, false);
    unsafe {
        recorder.world.device.cmd_copy_buffer_to_image(
            recorder.commands,
            buffer.buffer,
            image.image,
            image.now,
            &copies,
        );
    }
    recorder
        .log
        .push(format!("upload to {}", image.description()));
}

/// From an image to somewhere in a buffer.
pub fn download(
    recorder: &mut Recorder<'_>,
    random: &mut Random,
    image: &mut Image,
    buffer: &mut Buffer,
) {
    let all = boxes(random, image);
    let mut at = random.below(buffer.bytes() / 2) as usize;
    let mut chosen = Vec::new();
    for from in all {
        let region = region(random, image, &from, at);
        if region.end as u64 > buffer.bytes() {
            break;
        }
        at = region.end + random.below(40) as usize;
        chosen.push((from, region));
    }
    get(recorder, random, image, buffer, chosen);
}

/// All of an image goes to a buffer, from an offset on; the next free one is returned.
pub fn download_all(
    recorder: &mut Recorder<'_>,
    random: &mut Random,
    image: &mut Image,
    buffer: &mut Buffer,
    mut at: usize,
) -> usize {
    let mut chosen = Vec::new();
    for part in 0..image.parts.len() {
        for level in 0..image.levels {
            let whole = Piece {
                part,
                level,
                from: [0; 3],
                size: image.parts[part].levels[level as usize].size,
            };
            let region = region(random, image, &whole, at);
            at = region.end;
            chosen.push((whole, region));
        }
    }
    get(recorder, random, image, buffer, chosen);
    at
}

fn get(
    recorder: &mut Recorder<'_>,
    random: &mut Random,
    image: &mut Image,
    buffer: &mut Buffer,
    chosen: Vec<(Piece, Region)>,
) {
    if chosen.is_empty() {
        return;
    }
    let mut copies = Vec::new();
    for (from, region) in chosen {
        let mask = image.parts[from.part].aspect.mask.clone();
        let elements = read(image, &from);
        for (offset, (bytes, known)) in region.offsets.iter().zip(&elements) {
            let known: Vec<u8> = known.iter().zip(&mask).map(|(a, b)| a & b).collect();
            buffer.model.write(*offset, bytes, &known);
        }
        recorder
            .log
            .push(format!("  {:?} of {from:?}", region.copy));
        copies.push(region.copy);
    }
    recorder.image(random, image, Use::CopyFrom, false);
    recorder.buffer(buffer, Use::CopyTo);
    unsafe {
        recorder.world.device.cmd_copy_image_to_buffer(
            recorder.commands,
            image.image,
            image.now,
            buffer.buffer,
            &copies,
        );
    }
    recorder
        .log
        .push(format!("download of {}", image.description()));
}

/// True if elements of one image can be copied to another.
fn fits(from: &Image, to: &Image, parts: [usize; 2]) -> bool {
    let [a, b] = [&from.parts[parts[0]].aspect, &to.parts[parts[1]].aspect];
    let depth = |image: &Image| !image.layout.is_colour() && !image.layout.is_planar();
    if from.samples != to.samples {
        return false;
    }
    if depth(from) || depth(to) {
        return from.layout.format == to.layout.format && parts[0] == parts[1];
    }
    let one = |aspect: &crate::format::Aspect| aspect.block == [1, 1];
    let pairs = |image: &Image| image.layout.is_compressed() && !one_name_is_blocks(image);
    // Pairs of pixels go to their own format alone.
    if pairs(from) || pairs(to) {
        return from.layout.format == to.layout.format;
    }
    let planar = from.layout.is_planar() || to.layout.is_planar();
    if planar && !(one(a) && one(b)) {
        return false;
    }
    a.bytes == b.bytes && (a.block == b.block || one(a) || one(b))
}

fn one_name_is_blocks(image: &Image) -> bool {
    format!("{:?}", image.layout.format).contains("BLOCK")
}

/// True if a copy between images of two types is valid.
fn kinds(from: &Image, to: &Image) -> bool {
    let flat = |image: &Image| image.kind != vk::ImageType::TYPE_1D;
    from.kind == to.kind || flat(from) && flat(to)
}

/// From an image to another, or to another level of the same.
pub fn copy(
    recorder: &mut Recorder<'_>,
    random: &mut Random,
    images: &mut [Image],
    [source, target]: [usize; 2],
) {
    let mut regions = Vec::new();
    let mut written: Vec<Piece> = Vec::new();
    let mut log = Vec::new();
    let same = source == target;
    let (from, to) = (&images[source], &images[target]);
    if !kinds(from, to) {
        return;
    }
    // Of one image, what is read is not written.
    let split = random.below(u64::from(from.levels)) as u32;
    let mut moved = Vec::new();
    for _ in 0..random.range(1, 3) {
        let (mut a, mut b) = (Piece::new(random, from), Piece::new(random, to));
        if same {
            if split == 0 {
                return;
            }
            let levels = [
                random.range(0, split - 1),
                random.range(split, to.levels - 1),
            ];
            a = Piece::random(random, from, a.part, levels[0]);
            b = Piece::random(random, to, a.part, levels[1]);
        }
        if !fits(from, to, [a.part, b.part]) {
            continue;
        }
        let size = [0, 1, 2].map(|axis| a.size[axis].min(b.size[axis]));
        (a.size, b.size) = (size, size);
        let compressed = |image: &Image| image.layout.is_compressed();
        if compressed(from) && compressed(to) && a.size_px(from) != b.size_px(to) {
            // Cut blocks go where they are cut the same way.
            continue;
        }
        if compressed(from) && compressed(to) && a.is_cut(from) != b.is_cut(to) {
            continue;
        }
        if !compressed(from) && compressed(to) && b.is_cut(to) {
            // Whether pixels may become a block that an edge cuts is read in either way.
            continue;
        }
        if written.iter().any(|had| had.overlaps(&b)) {
            continue;
        }
        written.push(b);
        let px = match (compressed(from), compressed(to)) {
            (true, _) => a.size_px(from),
            _ => [size[0], size[1]],
        };
        let depth = match from.is_volume() || to.is_volume() {
            true => size[2],
            false => 1,
        };
        let aspect = |image: &Image, part: usize| image.parts[part].aspect.aspect;
        regions.push(vk::ImageCopy {
            src_subresource: a.layers(from, aspect(from, a.part)),
            src_offset: a.offset(from),
            dst_subresource: b.layers(to, aspect(to, b.part)),
            dst_offset: b.offset(to),
            extent: vk::Extent3D {
                width: px[0],
                height: px[1],
                depth,
            },
        });
        log.push(format!("  {a:?} to {b:?}"));
        moved.push((b, read(from, &a)));
    }
    if regions.is_empty() {
        return;
    }
    let wild = from.wild || from.layout.format != to.layout.format;
    for (to, elements) in &moved {
        write(&mut images[target], to, elements);
    }
    images[target].wild |= wild;
    recorder.image(random, &mut images[source], Use::CopyFrom, same);
    recorder.image(random, &mut images[target], Use::CopyTo, same);
    let (from, to) = (&images[source], &images[target]);
    unsafe {
        recorder.world.device.cmd_copy_image(
            recorder.commands,
            from.image,
            from.now,
            to.image,
            to.now,
            &regions,
        );
    }
    recorder.log.append(&mut log);
    recorder.log.push(format!(
        "copy of {} to {}",
        from.description(),
        to.description()
    ));
}

/// From a buffer to another.
pub fn copy_buffer(
    recorder: &mut Recorder<'_>,
    random: &mut Random,
    from: &mut Buffer,
    to: &mut Buffer,
) {
    let most = from.bytes().min(to.bytes());
    let end = if random.one_in(4) { most } else { 300 };
    let size = 1 + random.below(end);
    let [a, b] = [from.bytes(), to.bytes()].map(|bytes| random.below(bytes - size + 1));
    let range = a as usize..(a + size) as usize;
    to.model.write(
        b as usize,
        &from.model.bytes[range.clone()],
        &from.model.known[range],
    );
    recorder.buffer(from, Use::CopyFrom);
    recorder.buffer(to, Use::CopyTo);
    let regions = [vk::BufferCopy {
        src_offset: a,
        dst_offset: b,
        size,
    }];
    unsafe {
        recorder
            .world
            .device
            .cmd_copy_buffer(recorder.commands, from.buffer, to.buffer, &regions);
    }
    recorder.log.push(format!("copy of a buffer: {regions:?}"));
}
