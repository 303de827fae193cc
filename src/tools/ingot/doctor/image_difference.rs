//! The comparison of two images.
//!
//! In:  two PNG files. Out: the number of pixels that differ, and a PNG of the differences.

use std::path::Path;

use ingot_cli::png_file;

/// A decoded image: width, height, channels per pixel, bytes.
struct Pixels {
    width: u32,
    height: u32,
    channels: usize,
    bytes: Vec<u8>,
}

fn decode(path: &Path) -> Result<Pixels, String> {
    let failed = |error: String| format!("{}: {error}", path.display());
    let file = std::fs::File::open(path).map_err(|e| failed(e.to_string()))?;
    let decoder = png::Decoder::new(std::io::BufReader::new(file));
    let mut reader = decoder.read_info().map_err(|e| failed(e.to_string()))?;
    let size = reader.output_buffer_size().unwrap_or(0);
    let mut bytes = vec![0; size];
    let info = reader
        .next_frame(&mut bytes)
        .map_err(|e| failed(e.to_string()))?;
    bytes.truncate(info.buffer_size());
    Ok(Pixels {
        width: info.width,
        height: info.height,
        channels: info.color_type.samples(),
        bytes,
    })
}

/// What differs between two images.
#[derive(Debug, PartialEq, Eq)]
pub struct Difference {
    /// Number of pixels that differ.
    pub pixels: usize,
    /// The first of them: column and row.
    pub first: (usize, usize),
    /// The largest difference of a channel.
    pub largest: u8,
}

/// Compares two images. If they differ, writes a PNG with the distance of each channel, and
/// pixels without a difference in black. `None`: they are equal. Err: one line.
pub fn compare(mine: &Path, twin: &Path, out: &Path) -> Result<Option<Difference>, String> {
    let (a, b) = (decode(mine)?, decode(twin)?);
    if (a.width, a.height, a.channels) != (b.width, b.height, b.channels) || a.channels == 0 {
        return Err("the images have different sizes".into());
    }
    let distance = a.bytes.iter().zip(&b.bytes).map(|(a, b)| a.abs_diff(*b));
    let distance: Vec<u8> = distance.collect();
    let pixels = distance.chunks_exact(a.channels);
    let wrong = |pixel: &&[u8]| pixel.iter().any(|&channel| channel != 0);
    let Some(first) = pixels.clone().position(|pixel| wrong(&pixel)) else {
        return Ok(None);
    };
    let rgba: Vec<u8> = pixels
        .clone()
        .flat_map(|pixel| {
            // Doubled and raised, so that the eye finds a difference of one.
            let visible = |channel: usize| match pixel.get(channel).copied().unwrap_or(0) {
                0 => 0,
                value => value.saturating_mul(2).saturating_add(60),
            };
            [visible(0), visible(1), visible(2), 255]
        })
        .collect();
    let file = png_file::buffer(&rgba, a.width)?;
    std::fs::write(out, file).map_err(|error| format!("{}: {error}", out.display()))?;
    let width = a.width as usize;
    Ok(Some(Difference {
        pixels: pixels.filter(wrong).count(),
        first: (first % width, first / width),
        largest: distance.iter().copied().max().unwrap_or(0),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_is_counted_located_and_drawn() {
        let folder = std::env::temp_dir().join(format!("ingot-image-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let (a, b, out) = (folder.join("a"), folder.join("b"), folder.join("out"));
        let mut bytes = vec![10; 4 * 6];
        std::fs::write(&a, png_file::buffer(&bytes, 3).unwrap()).unwrap();
        std::fs::write(&b, png_file::buffer(&bytes, 3).unwrap()).unwrap();
        assert_eq!(compare(&a, &b, &out), Ok(None));
        assert!(!out.exists());
        bytes[4 * 5 + 1] = 13;
        std::fs::write(&b, png_file::buffer(&bytes, 3).unwrap()).unwrap();
        let expected = Difference {
            pixels: 1,
            first: (2, 1),
            largest: 3,
        };
        assert_eq!(compare(&a, &b, &out), Ok(Some(expected)));
        assert_eq!(decode(&out).unwrap().bytes[4 * 5..][..4], [0, 66, 0, 255]);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
