//! Rendered images on the host, and their PNG files.

use crate::vulkan::{Error, Gpu, Image};
use std::path::Path;

/// An RGBA image, rows from the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RgbaImage {
    /// Width in texels.
    pub width: u32,
    /// Height in texels.
    pub height: u32,
    /// Four bytes for each texel.
    pub rgba: Vec<u8>,
}

impl RgbaImage {
    /// Reads an image with a format of four bytes a texel.
    pub fn read(gpu: &Gpu, image: &Image) -> Result<RgbaImage, Error> {
        let [width, height, _] = image.info.size_px;
        let rgba = gpu.read(image)?;
        Ok(RgbaImage {
            width,
            height,
            rgba,
        })
    }

    /// Writes a PNG file, without alpha.
    pub fn save(&self, path: &Path) -> Result<(), String> {
        let at = |e: &dyn std::fmt::Display| format!("{}: {e}", path.display());
        let bytes = self.png().map_err(|e| at(&e))?;
        std::fs::write(path, bytes).map_err(|e| at(&e))
    }

    /// The bytes of a PNG file.
    fn png(&self) -> Result<Vec<u8>, png::EncodingError> {
        let rgb: Vec<u8> = self
            .rgba
            .chunks_exact(4)
            .flat_map(|texel| &texel[..3])
            .copied()
            .collect();
        let mut out = Vec::new();
        let mut encoder = png::Encoder::new(&mut out, self.width, self.height);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_compression(png::Compression::High);
        encoder.set_filter(png::Filter::Adaptive);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&rgb)?;
        writer.finish()?;
        Ok(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_holds_the_colours() {
        let image = RgbaImage {
            width: 1,
            height: 2,
            rgba: vec![1, 2, 3, 255, 4, 5, 6, 0],
        };
        let file = image.png().unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(&file))
            .read_info()
            .unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut bytes).unwrap();
        assert_eq!((info.width, info.height), (1, 2));
        assert_eq!(bytes, [1, 2, 3, 4, 5, 6]);
    }
}
