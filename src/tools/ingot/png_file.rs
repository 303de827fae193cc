//! Images as PNG files.
//!
//! In:  texels row by row from the top. Out: the file's bytes.
//! Ref: W3C, "Portable Network Graphics (PNG) Specification", which the `png` crate writes.

use vkrunner::Image;

/// Encodes a framebuffer as 8-bit RGB: texels are clamped and rounded, alpha is dropped.
pub fn framebuffer(image: &Image) -> Result<Vec<u8>, String> {
    let byte = |v: &f64| (v.clamp(0.0, 1.0) * 255.0).round() as u8;
    let colours = image.texels.iter().flat_map(|texel| &texel[..3]);
    let bytes: Vec<u8> = colours.map(byte).collect();
    encode(image.width, image.height, png::ColorType::Rgb, &bytes)
}

/// Encodes a buffer of R8G8B8A8 texels in rows of `width` texels. Err: the size is not a whole
/// number of rows.
pub fn buffer(bytes: &[u8], width: u32) -> Result<Vec<u8>, String> {
    let row_bytes = u64::from(width) * 4;
    let len_bytes = bytes.len() as u64;
    if row_bytes == 0 || len_bytes == 0 || !len_bytes.is_multiple_of(row_bytes) {
        return Err(format!(
            "--width {width}: {len_bytes} bytes are no whole rows of so many texels of four bytes"
        ));
    }
    let height = u32::try_from(len_bytes / row_bytes).map_err(|e| e.to_string())?;
    encode(width, height, png::ColorType::Rgba, bytes)
}

fn encode(
    width: u32,
    height: u32,
    colour: png::ColorType,
    bytes: &[u8],
) -> Result<Vec<u8>, String> {
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, width, height);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_color(colour);
    let mut writer = encoder.write_header().map_err(|e| e.to_string())?;
    writer.write_image_data(bytes).map_err(|e| e.to_string())?;
    writer.finish().map_err(|e| e.to_string())?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(file: &[u8]) -> (u32, u32, Vec<u8>) {
        let mut reader = png::Decoder::new(std::io::Cursor::new(file))
            .read_info()
            .unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut bytes).unwrap();
        bytes.truncate(info.buffer_size());
        (info.width, info.height, bytes)
    }

    #[test]
    fn encoded_images_decode_to_the_same_texels() {
        let image = Image {
            width: 2,
            height: 1,
            texels: vec![[0.0, 0.5, 1.0, 0.0], [2.0, -1.0, 0.2, 1.0]],
        };
        let file = framebuffer(&image).unwrap();
        assert_eq!(decode(&file), (2, 1, vec![0, 128, 255, 255, 0, 51]));
        let texels: Vec<u8> = (0..24).collect();
        let file = buffer(&texels, 3).unwrap();
        assert_eq!(decode(&file), (3, 2, texels.clone()));
        for width in [0, 4, 5] {
            assert!(buffer(&texels, width).is_err());
        }
        assert!(buffer(&[], 1).is_err());
    }
}
