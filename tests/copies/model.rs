//! What a driver must have made: bytes of buffers and of images' levels, and which bits of them are
//! known.
//!
//! In:  the same copies as the driver gets, element by element. Out: bytes to compare with.

use crate::format::Aspect;

/// Bytes, and of each which bits are known.
#[derive(Clone, Debug)]
pub struct Bytes {
    pub bytes: Vec<u8>,
    pub known: Vec<u8>,
}

impl Bytes {
    pub fn unknown(count: usize) -> Bytes {
        Bytes {
            bytes: vec![0; count],
            known: vec![0; count],
        }
    }

    /// Writes bytes of which some bits are known.
    pub fn write(&mut self, at: usize, bytes: &[u8], known: &[u8]) {
        self.bytes[at..at + bytes.len()].copy_from_slice(bytes);
        self.known[at..at + known.len()].copy_from_slice(known);
    }

    /// A random part.
    pub fn row(&self, range: std::ops::Range<usize>) -> (&[u8], &[u8]) {
        (&self.bytes[range.clone()], &self.known[range])
    }

    /// The first byte that is not what it must be.
    pub fn differs(&self, found: &[u8]) -> Option<usize> {
        differs(&self.bytes, &self.known, found)
    }
}

/// The first byte that is not what is meant, where that is known.
pub fn differs(meant: &[u8], known: &[u8], found: &[u8]) -> Option<usize> {
    let all = meant.iter().zip(known).zip(found);
    all.enumerate()
        .find_map(|(at, ((meant, known), found))| ((meant ^ found) & known != 0).then_some(at))
}

/// A place in an image: an element of a level; slices of volumes count as layers do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub level: u32,
    pub at: [u32; 3],
}

/// A level of an aspect.
#[derive(Clone, Debug)]
pub struct Level {
    /// Columns, rows, and slices of all layers, in elements.
    pub size: [u32; 3],
    pub data: Bytes,
}

/// An aspect of an image; of several samples one, as all have the same.
#[derive(Clone, Debug)]
pub struct Part {
    pub aspect: Aspect,
    pub levels: Vec<Level>,
}

impl Part {
    /// Of an image of so many pixels, slices and layers.
    pub fn new(aspect: &Aspect, extent: [u32; 3], levels: u32, layers: u32) -> Part {
        let of_level = |level: u32| {
            let minify = |extent: u32| (extent >> level).max(1);
            let pixels = [0, 1].map(|axis| minify(extent[axis]).div_ceil(aspect.divisor[axis]));
            let size = [
                pixels[0].div_ceil(aspect.block[0]),
                pixels[1].div_ceil(aspect.block[1]),
                minify(extent[2]) * layers,
            ];
            Level {
                size,
                data: Bytes::unknown((size.iter().product::<u32>() * aspect.bytes) as usize),
            }
        };
        Part {
            aspect: aspect.clone(),
            levels: (0..levels).map(of_level).collect(),
        }
    }

    fn range(&self, place: Place) -> std::ops::Range<usize> {
        let size = self.levels[place.level as usize].size;
        let [x, y, z] = place.at;
        assert!(
            x < size[0] && y < size[1] && z < size[2],
            "{place:?} of {size:?}"
        );
        let bytes = self.aspect.bytes;
        let at = (((z * size[1] + y) * size[0] + x) * bytes) as usize;
        at..at + bytes as usize
    }

    /// The bytes of an element, and which bits are known.
    pub fn get(&self, place: Place) -> (&[u8], &[u8]) {
        let range = self.range(place);
        let data = &self.levels[place.level as usize].data;
        (&data.bytes[range.clone()], &data.known[range])
    }

    /// Writes an element; bits that mean nothing stay unknown.
    pub fn set(&mut self, place: Place, bytes: &[u8], known: &[u8]) {
        let range = self.range(place);
        let known: Vec<u8> = known
            .iter()
            .zip(&self.aspect.mask)
            .map(|(known, mask)| known & mask)
            .collect();
        let data = &mut self.levels[place.level as usize].data;
        data.write(range.start, bytes, &known);
    }
}

/// All places of a box, slice by slice.
pub fn places(from: [u32; 3], size: [u32; 3]) -> impl Iterator<Item = [u32; 3]> {
    (0..size[2]).flat_map(move |z| {
        (0..size[1])
            .flat_map(move |y| (0..size[0]).map(move |x| [from[0] + x, from[1] + y, from[2] + z]))
    })
}
