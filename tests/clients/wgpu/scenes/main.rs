//! Draws small scenes with wgpu on Vulkan, and compares them with those of another driver.
//!
//! In:  the Vulkan driver that the environment names (VK_ICD_FILENAMES); a folder for the images;
//!      with `--compare`, another such folder.
//! Out: a PNG and a line per scene; exit status 1 if one differs or cannot be drawn.
//!
//! Two drivers may round interpolated values and filtered texels differently, so a channel may be
//! off by a few steps; which pixels a shape covers is exact, but positions that a shader computes
//! are not, so that single pixels of an edge may fall to the other side. No scene here has an edge
//! so near a pixel's centre on the drivers known; the allowance is for how another processor's
//! lavapipe contracts products and sums.

mod drawn;
#[path = "../instance.rs"]
mod instance;
mod stage;

use stage::{SIDE, Stage};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Steps of 255 that a channel may be off.
const TOLERANCE: u8 = 4;
/// Pixels of a scene that may be off by more.
const STRAYS: usize = 4;
/// How long a scene is drawn again and again, to be timed.
const TIMED: Duration = Duration::from_millis(200);

const HELP: &str = "\
Draws eleven small scenes with wgpu, each about something else, and writes them as PNG files.

Usage: ingot-client-scenes FOLDER [--compare OTHER]

  FOLDER            where the pictures go
  --compare OTHER   compare them with those of an earlier run: a channel may be off by 4 of 255,
                    and 4 pixels of a scene by more; exit status 1 beyond that

A line for each scene has its name, the time of a frame (submission to completion), a hash of its
pixels, and the verdict. Equal hashes mean equal pixels; other drivers may round otherwise.

The driver is the one that VK_ICD_FILENAMES names, for example:
  VK_ICD_FILENAMES=/usr/share/vulkan/icd.d/lvp_icd.x86_64.json ingot-client-scenes lavapipe
  ingot sim --driver anv -- ingot-client-scenes anv --compare lavapipe";

fn write(path: &Path, pixels: &[u8]) -> Result<(), String> {
    let told = |e: &dyn std::fmt::Display| format!("{}: {e}", path.display());
    let file = std::fs::File::create(path).map_err(|e| told(&e))?;
    let mut encoder = png::Encoder::new(std::io::BufWriter::new(file), SIDE, SIDE);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().map_err(|e| told(&e))?;
    writer.write_image_data(pixels).map_err(|e| told(&e))
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    let told = |e: &dyn std::fmt::Display| format!("{}: {e}", path.display());
    let file = std::fs::File::open(path).map_err(|e| told(&e))?;
    let decoder = png::Decoder::new(std::io::BufReader::new(file));
    let mut reader = decoder.read_info().map_err(|e| told(&e))?;
    let mut pixels = vec![0; (SIDE * SIDE * 4) as usize];
    let info = reader.next_frame(&mut pixels).map_err(|e| told(&e))?;
    match (info.width, info.height, info.color_type) {
        (SIDE, SIDE, png::ColorType::Rgba) => Ok(pixels),
        _ => Err(told(&"not a picture of these scenes")),
    }
}

/// How two images differ.
#[derive(Default)]
struct Difference {
    /// The greatest difference of a channel.
    most: u8,
    /// Pixels that are not equal.
    unequal: usize,
    /// Pixels that are off by more than allowed.
    strays: usize,
}

impl Difference {
    fn of(one: &[u8], other: &[u8]) -> Self {
        let mut found = Self::default();
        for (a, b) in one.chunks_exact(4).zip(other.chunks_exact(4)) {
            let channels = a.iter().zip(b).map(|(a, b)| a.abs_diff(*b));
            let off = channels.max().unwrap_or(0);
            found.most = found.most.max(off);
            found.unequal += usize::from(off > 0);
            found.strays += usize::from(off > TOLERANCE);
        }
        found
    }
}

/// A hash of an image: FNV-1a of its bytes.
fn hash(pixels: &[u8]) -> u64 {
    pixels.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Draws a scene; returns its pixels and the time of a frame.
fn draw(stage: &Stage, scene: drawn::Scene) -> Result<(Vec<u8>, Duration), String> {
    let draw = scene(stage);
    stage.submit(|encoder| draw(encoder))?;
    let pixels = stage.read()?;
    let (start, mut frames) = (Instant::now(), 0);
    while frames == 0 || start.elapsed() < TIMED {
        stage.submit(|encoder| draw(encoder))?;
        frames += 1;
    }
    Ok((pixels, start.elapsed() / frames))
}

/// Draws all; true if none differs.
fn run(folder: &Path, other: Option<&Path>) -> Result<bool, String> {
    let stage = Stage::open(&instance::open()?)?;
    std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    println!("device: {}", stage.name);
    let mut all_same = true;
    for (name, scene) in drawn::SCENES {
        let (pixels, frame) = draw(&stage, scene)?;
        let file = format!("{name}.png");
        write(&folder.join(&file), &pixels)?;
        let plain = pixels.chunks_exact(4).all(|p| p == &pixels[..4]);
        let mut verdict = if plain { "nothing was drawn" } else { "drawn" }.to_string();
        let mut same = !plain;
        if let Some(other) = other {
            let found = Difference::of(&pixels, &read(&other.join(&file))?);
            same &= found.strays <= STRAYS;
            let judged = if same { "ok" } else { "DIFFERS" };
            verdict = format!(
                "{judged}: off by {} at most, {} pixels unequal, {} by more than {TOLERANCE}",
                found.most, found.unequal, found.strays
            );
        }
        all_same &= same;
        let (ms, hash) = (frame.as_secs_f64() * 1e3, hash(&pixels));
        println!("{name:12} {ms:9.3} ms  {hash:016x}  {verdict}");
    }
    Ok(all_same)
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (folder, other) = match words.as_slice() {
        [folder] if !folder.starts_with('-') => (PathBuf::from(folder), None),
        [folder, "--compare", other] => (PathBuf::from(folder), Some(PathBuf::from(other))),
        _ => {
            println!("{HELP}");
            return ExitCode::from(2);
        }
    };
    match run(&folder, other.as_deref()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
