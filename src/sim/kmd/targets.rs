//! Writes the contents of render targets to PNG files.
//!
//! In:  a submission's number and an image. Out: `<folder>/<number>-<name of the image>.png`.
//! Ref: W3C, "Portable Network Graphics (PNG) Specification", which the `png` crate writes.

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use gpu::TargetImage;

/// Writes an image, and creates the folder if it does not exist. The error is a message for the
/// log.
pub(crate) fn write_png(folder: &Path, submission: u64, image: &TargetImage) -> Result<(), String> {
    let path = folder.join(format!("{submission:05}-{}.png", image.name));
    let failed = |why: &dyn std::fmt::Display| format!("{}: {why}", path.display());
    std::fs::create_dir_all(folder).map_err(|e| failed(&e))?;
    let file = File::create(&path).map_err(|e| failed(&e))?;
    let mut encoder = png::Encoder::new(BufWriter::new(file), image.width, image.height);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_color(match image.channels {
        1 => png::ColorType::Grayscale,
        _ => png::ColorType::Rgb,
    });
    let written = encoder
        .write_header()
        .and_then(|mut writer| writer.write_image_data(&image.pixels));
    written.map_err(|e| failed(&e))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_image_is_read_back() {
        let folder = std::env::temp_dir().join(format!("ingot-targets-{}", std::process::id()));
        let image = TargetImage {
            name: "draw0001-colour0".into(),
            width: 2,
            height: 1,
            channels: 3,
            pixels: vec![1, 2, 3, 4, 5, 6],
        };
        write_png(&folder, 7, &image).unwrap();
        let path = folder.join("00007-draw0001-colour0.png");
        let file = std::io::BufReader::new(File::open(path).unwrap());
        let mut reader = png::Decoder::new(file).read_info().unwrap();
        let mut bytes = vec![0; 6];
        let info = reader.next_frame(&mut bytes).unwrap();
        assert_eq!((info.width, info.height), (2, 1));
        assert_eq!(bytes, image.pixels);
        std::fs::remove_dir_all(&folder).unwrap();
        // An image with too few bytes is an error.
        let short = TargetImage {
            pixels: vec![1],
            ..image
        };
        assert!(write_png(&folder, 7, &short).is_err());
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
