//! Images of the render targets that draws wrote, for debugging.
//!
//! In:  the render targets, depth and stencil buffers of draws. Out: a [`TargetImage`] for each
//!      layer and sample, after each draw or at the end of the batch. Texels are decoded as the
//!      sampler does, so fast-cleared blocks show their clear colour. Normalised and float channels
//!      are clamped to 0 to 1; integers, depth and stencil are scaled so that the minimum of the
//!      image is black and the maximum is white. Alpha becomes an image of its own unless it is 1
//!      everywhere.
//! Ref: SKL PRM vol. 7, "Render Target Write". PNG uses the sRGB curve, as sRGB formats do.

use crate::memory::AddressSpaceView;
use crate::space::AddressSpace;
use crate::surface::{Image, Kind, format};
use eu::StopReason;
use std::fmt;
use std::sync::Arc;

/// An image with eight bits a channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetImage {
    /// Draw, target, format, size, layer and sample: a file name without extension.
    pub name: String,
    /// Pixels of a row.
    pub width: u32,
    /// Number of rows.
    pub height: u32,
    /// 3: red, green, blue. 1: grey.
    pub channels: u8,
    /// Rows from the top, without gaps.
    pub pixels: Vec<u8>,
}

type Write = Arc<dyn Fn(&TargetImage) + Send + Sync>;

/// Receives images of render targets.
#[derive(Clone)]
pub struct TargetSink {
    /// True: after each draw, what it wrote. False: at the end of a batch, what its draws wrote.
    pub each_draw: bool,
    write: Write,
}

impl TargetSink {
    /// A sink that calls this function.
    pub fn new(
        each_draw: bool,
        write: impl Fn(&TargetImage) + Send + Sync + 'static,
    ) -> TargetSink {
        let write = Arc::new(write);
        TargetSink { each_draw, write }
    }
}

impl fmt::Debug for TargetSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("TargetSink");
        debug
            .field("each_draw", &self.each_draw)
            .finish_non_exhaustive()
    }
}

/// The role of a target in its draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// A render target, with its binding table index.
    Colour(u32),
    Depth,
    Stencil,
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Role::Colour(index) => write!(f, "colour{index}"),
            Role::Depth => f.write_str("depth"),
            Role::Stencil => f.write_str("stencil"),
        }
    }
}

/// Targets that the draws of a batch wrote and that were not output yet.
#[derive(Default)]
pub(crate) struct DrawnTargets {
    /// Number of the last draw.
    draw: u64,
    /// Targets, each with the number of the last draw that wrote it.
    targets: Vec<(u64, Role, Image)>,
}

impl DrawnTargets {
    /// Adds the targets that a draw wrote.
    pub fn draw(&mut self, targets: impl IntoIterator<Item = (Role, Image)>) {
        for (role, image) in targets {
            let place = |i: &Image| (i.address, i.lod, i.min_array_element, i.format.number);
            let known = self
                .targets
                .iter_mut()
                .find(|(_, _, i)| place(i) == place(&image));
            match known {
                Some(known) => *known = (self.draw, role, image),
                None => self.targets.push((self.draw, role, image)),
            }
        }
    }

    /// Counts a new draw.
    pub fn begin(&mut self) {
        self.draw += 1;
    }

    /// Outputs all targets and clears the list.
    pub fn show(&mut self, space: &AddressSpace, sink: &TargetSink) {
        let view = AddressSpaceView::new(space);
        for (draw, role, image) in self.targets.drain(..) {
            write_images(&view, &image, &format!("draw{draw:04}-{role}"), role, sink);
        }
    }
}

/// Maximum number of pixels of an image: a malformed state may describe more than any memory holds.
const MAX_PIXELS: u64 = 1 << 28;

fn write_images(
    view: &AddressSpaceView<'_>,
    image: &Image,
    name: &str,
    role: Role,
    sink: &TargetSink,
) {
    let [width, height, depth] = image.level_extent(image.lod);
    if image.kind == Kind::Null || u64::from(width) * u64::from(height) > MAX_PIXELS {
        return;
    }
    let layers = image.view_extent.min(depth).max(1);
    for layer in 0..layers {
        for sample in 0..image.samples {
            let mut name = format!("{name}-{}-{width}x{height}", image.format.name);
            if image.lod > 0 {
                name += &format!("-level{}", image.lod);
            }
            if layers > 1 {
                name += &format!("-layer{layer}");
            }
            if image.samples > 1 {
                name += &format!("-sample{sample}");
            }
            // Unmapped memory and undecodable formats give no image; the draw has reported the
            // error.
            let Ok(texels) = read_texels(view, image, [width, height], layer, sample) else {
                continue;
            };
            for (suffix, channels, pixels) in to_images(image, role, &texels) {
                let target_image = TargetImage {
                    name: format!("{name}{suffix}"),
                    width,
                    height,
                    channels,
                    pixels,
                };
                (sink.write)(&target_image);
            }
        }
    }
}

fn read_texels(
    view: &AddressSpaceView<'_>,
    image: &Image,
    [width, height]: [u32; 2],
    layer: u32,
    sample: u32,
) -> Result<Vec<[u32; 4]>, StopReason> {
    // Reading the first texel fails early if nothing is mapped, before all of the memory is
    // allocated.
    image.load(view, image.lod, [0, 0, layer], sample)?;
    let mut texels = Vec::with_capacity(width as usize * height as usize);
    for y in 0..height {
        for x in 0..width {
            texels.push(image.load(view, image.lod, [x, y, layer], sample)?);
        }
    }
    Ok(texels)
}

fn to_byte(value: f32) -> u8 {
    // NaN becomes 0.
    (value.clamp(0.0, 1.0) * 255.0 + 0.5) as u8
}

/// Scales values so that the minimum becomes 0 and the maximum 255.
fn scaled(values: impl Iterator<Item = f64> + Clone) -> impl Iterator<Item = u8> {
    let finite = values.clone().filter(|v| v.is_finite());
    let min = finite.clone().fold(f64::INFINITY, f64::min);
    let greatest = finite.fold(f64::NEG_INFINITY, f64::max);
    // A constant image has no range and becomes grey.
    values.map(move |value| match greatest - min {
        range if range > 0.0 => to_byte(((value - min) / range) as f32),
        _ => 0x80,
    })
}

/// Converts texels to images: suffix of the name, number of channels, bytes.
fn to_images(image: &Image, role: Role, texels: &[[u32; 4]]) -> Vec<(&'static str, u8, Vec<u8>)> {
    let signed = image.format.name.contains("SINT");
    let integer = |bits: u32| match signed {
        true => f64::from(bits as i32),
        false => f64::from(bits),
    };
    let float = f32::from_bits;
    let colours = |texel: &[u32; 4]| [texel[0], texel[1], texel[2]];
    match role {
        Role::Depth => {
            let depths = texels.iter().map(|t| f64::from(float(t[0])));
            return vec![("", 1, scaled(depths).collect())];
        }
        Role::Stencil => {
            let values = texels.iter().map(|t| f64::from(t[0]));
            return vec![("", 1, scaled(values).collect())];
        }
        Role::Colour(_) => {}
    }
    if format::is_integer(image.format) {
        let all = texels.iter().flat_map(|t| t.map(integer));
        // One scale for all channels. A format without alpha has alpha 1.
        let all: Vec<u8> = scaled(all).collect();
        let (all, _) = all.as_chunks::<4>();
        let colours = all.iter().flat_map(|t| [t[0], t[1], t[2]]).collect();
        let alpha = ("-alpha", 1, all.iter().map(|t| t[3]).collect());
        let mut images = vec![("", 3, colours)];
        if texels.iter().any(|t| t[3] != 1) {
            images.push(alpha);
        }
        return images;
    }
    let srgb = format::is_srgb(image.format);
    let colour = |bits: u32| match (srgb, float(bits)) {
        (true, value) => to_byte(format::linear_to_srgb(value)),
        (false, value) => to_byte(value),
    };
    let colours = texels.iter().flat_map(colours).map(colour).collect();
    let mut images = vec![("", 3, colours)];
    let alpha: Vec<u8> = texels.iter().map(|t| to_byte(float(t[3]))).collect();
    if alpha.iter().any(|a| *a != 255) {
        images.push(("-alpha", 1, alpha));
    }
    images
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::memory;
    use hw::Field;
    use hw::state::render_surface_state as rss;
    use std::sync::Mutex;

    fn image(set: &[(Field, u64)]) -> Image {
        let mut words = [0; 16];
        for (field, value) in set {
            field.set(&mut words, *value);
        }
        Image::from_words(&words, 0).expect("a surface")
    }

    /// 2 × 1 pixels of a 32-bit format in linear memory.
    fn small(format: u64) -> Image {
        image(&[
            (rss::SURFACE_TYPE, 1),
            (rss::SURFACE_FORMAT, format),
            (rss::WIDTH, 1),
            (rss::SURFACE_HORIZONTAL_ALIGNMENT, 1),
            (rss::SURFACE_VERTICAL_ALIGNMENT, 1),
            (rss::SURFACE_BASE_ADDRESS, 0x1000),
            (rss::SURFACE_PITCH, 63),
        ])
    }

    fn shown(
        words: &[u32],
        written: &mut DrawnTargets,
        draws: &[(Role, Image)],
    ) -> Vec<TargetImage> {
        let mut space = AddressSpace::new();
        space.map(0x1000, 0x1000, memory(0x1000), 0).expect("a map");
        AddressSpaceView::new(&space)
            .write_block(0x1000, words)
            .expect("there");
        let found = Arc::new(Mutex::new(Vec::new()));
        let to = Arc::clone(&found);
        let sink = TargetSink::new(false, move |p| to.lock().expect("alone").push(p.clone()));
        written.begin();
        written.draw(draws.iter().copied());
        written.show(&space, &sink);
        drop(sink);
        let found = found.lock().expect("alone");
        found.clone()
    }

    #[test]
    fn colour_and_alpha_images() {
        // R8G8B8A8_UNORM and its sRGB sibling.
        for number in [0x0c7, 0x0c8] {
            let words = [0xff03_0201, 0x8006_0504];
            let target = (Role::Colour(2), small(number));
            let images = shown(&words, &mut DrawnTargets::default(), &[target]);
            let [colour, alpha] = &images[..] else {
                panic!("{images:?}");
            };
            assert_eq!((colour.width, colour.height, colour.channels), (2, 1, 3));
            assert_eq!(colour.pixels, [1, 2, 3, 4, 5, 6]);
            assert_eq!((alpha.channels, &alpha.pixels[..]), (1, &[255, 128][..]));
            let name = Format::by_number(number as u32).expect("a format").name;
            assert_eq!(colour.name, format!("draw0001-colour2-{name}-2x1"));
            assert_eq!(alpha.name, format!("{}-alpha", colour.name));
        }
    }

    #[test]
    fn integer_and_depth_images_are_scaled() {
        // R32_UINT: 10 and 30, with green and blue 0 and alpha 1.
        let target = (Role::Colour(0), small(0x0d7));
        let images = shown(&[10, 30], &mut DrawnTargets::default(), &[target]);
        assert_eq!(images.len(), 1);
        assert_eq!(images[0].pixels, [85, 0, 0, 255, 0, 0]);
        // R32_SINT: -1 to 1.
        let target = (Role::Colour(0), small(0x0d6));
        let images = shown(&[u32::MAX, 1], &mut DrawnTargets::default(), &[target]);
        assert_eq!(images[0].pixels, [0, 128, 128, 255, 128, 128]);
        // R32_FLOAT as depth: 0.75 to 1.
        let depth = (Role::Depth, small(0x0d8));
        let words = [0.75f32.to_bits(), 1f32.to_bits()];
        let images = shown(&words, &mut DrawnTargets::default(), &[depth]);
        assert_eq!(images[0].channels, 1);
        assert_eq!(images[0].pixels, [0, 255]);
        // One depth everywhere.
        let images = shown(&[words[0]; 2], &mut DrawnTargets::default(), &[depth]);
        assert_eq!(images[0].pixels, [128, 128]);
    }

    #[test]
    fn targets_are_output_once_and_layers_separately() {
        let layers = image(&[
            (rss::SURFACE_TYPE, 1),
            (rss::SURFACE_ARRAY, 1),
            (rss::DEPTH, 2),
            (rss::RENDER_TARGET_VIEW_EXTENT, 1),
            (rss::SURFACE_FORMAT, 0x0c7),
            (rss::SURFACE_HORIZONTAL_ALIGNMENT, 1),
            (rss::SURFACE_VERTICAL_ALIGNMENT, 1),
            (rss::SURFACE_QPITCH, 1),
            (rss::SURFACE_BASE_ADDRESS, 0x1000),
            (rss::SURFACE_PITCH, 3),
        ]);
        let mut words = [0xff00_0000; 8];
        (words[0], words[4]) = (0xff00_0011, 0xff00_0022);
        let mut written = DrawnTargets::default();
        let targets = [(Role::Colour(0), layers), (Role::Colour(1), layers)];
        let images = shown(&words, &mut written, &targets);
        let reds: Vec<u8> = images.iter().map(|p| p.pixels[0]).collect();
        assert_eq!(reds, [0x11, 0x22]);
        assert!(images[1].name.ends_with("-layer1"));
        // Nothing is left over for the next one.
        assert_eq!(shown(&words, &mut written, &[]), []);
    }

    #[test]
    fn unmapped_targets_give_no_image() {
        let away = Image {
            address: 0x9000,
            ..small(0x0c7)
        };
        let target = [(Role::Colour(0), away)];
        assert_eq!(shown(&[0], &mut DrawnTargets::default(), &target), []);
    }

    use hw::Format;
}
