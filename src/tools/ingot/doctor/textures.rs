//! Rungs that need images: textures with mip levels, and the sample programs.
//!
//! In:  the driver of this process. Out: an [`Observation`] with the texels that a shader read, or
//!      an image.

use std::path::Path;

use samples::programs::{self, View};
use samples::vulkan::{Bound, Error, Gpu, ImageInfo, Wants, vk};
use samples::{RgbaImage, Source};

use super::observation::{Observation, Outcome};
use super::scripted::IMAGE_FILE;

/// Size of the largest level, and the number of levels: down to one texel, below the size at which
/// a surface may have a mip tail.
const SIZE_PX: u32 = 128;
const LEVELS: u32 = 8;

/// A rung with images. The folder receives the image.
pub type ImageRung = fn(&Path) -> Result<Observation, Error>;

/// Reads every texel of every level, and one bilinear sample of each.
const COMPUTE: &str = "#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) uniform sampler2D tex;
layout(binding = 1) buffer Texels { uint texels[]; };
layout(push_constant) uniform Push { int level; uint first; };
void main()
{
    ivec2 size = textureSize(tex, level), at = ivec2(gl_GlobalInvocationID.xy);
    if (any(greaterThanEqual(at, size)))
        return;
    uint value = packUnorm4x8(texelFetch(tex, at, level));
    uint sampled = packUnorm4x8(textureLod(tex, (vec2(at) + 0.5) / vec2(size), float(level)));
    uint index = first + uint(at.y * size.x + at.x);
    texels[index] = value == sampled ? value : 0xbad00000u | (value ^ sampled) & 0xffffu;
}";

/// The texel of a level: each is different from its neighbours and from those of other levels.
fn texel(level: u32, x: u32, y: u32) -> u32 {
    (level * 31 + 1) << 24 | (x ^ y) << 16 | y << 8 | x
}

/// The driver's first GPU.
pub(super) fn open(wants: &Wants<'_>) -> Result<Gpu, Error> {
    Gpu::new(&Source::Function(icd::get_instance_proc_addr()), wants)
}

/// Uploads a texture with all levels, and reads each texel in a compute shader.
pub fn mip_levels(_folder: &Path) -> Result<Observation, Error> {
    let gpu = open(&Wants {
        features: &[],
        extensions: &[],
    })?;
    let info = ImageInfo::new(vk::Format::R8G8B8A8_UNORM, SIZE_PX, SIZE_PX).mips(LEVELS);
    let image = gpu.image(info)?;
    let mut expected = Vec::new();
    let mut firsts = Vec::new();
    for level in 0..LEVELS {
        let side = SIZE_PX >> level;
        let rows = (0..side).flat_map(|y| (0..side).map(move |x| texel(level, x, y)));
        let texels: Vec<u32> = rows.collect();
        gpu.upload(&image, level, &texels)?;
        firsts.push(expected.len() as u32);
        expected.extend(texels);
    }
    let buffer = gpu.empty_buffer(4 * expected.len() as u64)?;
    let sampler = gpu.smooth(vk::SamplerAddressMode::CLAMP_TO_EDGE)?;
    let set = gpu.set(&[Bound::Texture(image.view, sampler), Bound::Storage(&buffer)])?;
    let pipeline = gpu.compute(COMPUTE, &[set], 8)?;
    gpu.run(|recorder| {
        for (level, first) in (0..LEVELS).zip(&firsts) {
            recorder.bind(&pipeline, &[set], &[level, *first]);
            let groups = (SIZE_PX >> level).div_ceil(8);
            recorder.dispatch([groups, groups, 1]);
        }
        Ok(())
    })?;
    let bytes = gpu.contents(&buffer)?;
    let words = bytes.chunks_exact(4);
    let found: Vec<u32> = words
        .map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]]))
        .collect();
    let wrong = found
        .iter()
        .zip(&expected)
        .position(|(found, expected)| found != expected);
    let mut seen = match wrong {
        None => Observation::new(Outcome::Pass, ""),
        Some(at) => {
            let level = firsts
                .iter()
                .rposition(|&first| first as usize <= at)
                .unwrap_or(0);
            let (found, expected) = (found[at], expected[at]);
            let at = at as u32 - firsts[level];
            Observation::new(
                Outcome::Wrong,
                format!("level {level}, texel {at}: {found:#010x}, not {expected:#010x}"),
            )
        }
    };
    // The small levels, which a mip tail would hold.
    let tail = firsts.get(3).map_or(0, |&first| first as usize);
    seen.value("levels 3 to 7", found[tail..].to_vec());
    Ok(seen)
}

/// Draws a sample program.
fn sample(name: &str, folder: &Path) -> Result<Observation, Error> {
    const VIEW: View = View {
        width: 160,
        height: 120,
        frame: 0,
    };
    let program = programs::ALL.iter().find(|program| program.name == name);
    let Some(program) = program else {
        return Ok(Observation::new(
            Outcome::Crash,
            format!("there is no sample {name}"),
        ));
    };
    let gpu = open(&Wants {
        features: program.features,
        extensions: &[],
    })?;
    let image: RgbaImage = (program.draw)(&gpu, &VIEW)?;
    let blank = image
        .rgba
        .chunks_exact(4)
        .all(|texel| image.rgba.starts_with(texel));
    let seen = match image.save(&folder.join(IMAGE_FILE)) {
        Ok(()) if blank => Observation::new(Outcome::Wrong, "the image has one colour"),
        Ok(()) => Observation::new(Outcome::Pass, ""),
        Err(why) => Observation::new(Outcome::Crash, why),
    };
    Ok(seen)
}

/// A cube with depth, vertex and index buffers.
pub fn spinning_cube(folder: &Path) -> Result<Observation, Error> {
    sample("spinning_cube", folder)
}

/// A depth image that is sampled.
pub fn shadow_map(folder: &Path) -> Result<Observation, Error> {
    sample("shadow_map", folder)
}

/// Several colour targets that are read again.
pub fn deferred(folder: &Path) -> Result<Observation, Error> {
    sample("deferred", folder)
}

/// Tessellated mountains.
pub fn terrain(folder: &Path) -> Result<Observation, Error> {
    sample("terrain", folder)
}

/// Runs a rung; an error of Vulkan becomes its outcome.
pub fn run(rung: ImageRung, folder: &Path) -> Observation {
    rung(folder).unwrap_or_else(|error| {
        let outcome = match error {
            Error::Unsupported(_) => Outcome::Skip,
            _ => Outcome::Wrong,
        };
        Observation::new(outcome, error.to_string())
    })
}
