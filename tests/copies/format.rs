//! Formats by their names: bytes and pixels of an element, where channels are in it,
//! what their numbers are.
//!
//! In:  a format of Vulkan. Out: its [`Layout`]. The names are the specification's, so nothing here
//!      is the driver's word.

use ash::vk;

/// What the bits of a channel mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numeric {
    Unorm,
    Snorm,
    Uscaled,
    Sscaled,
    Uint,
    Sint,
    Sfloat,
    Srgb,
    /// Small floats, three in a dword.
    Ufloat,
    /// Something that is copied as bits alone.
    Opaque,
}

/// A channel, from the lowest bit of an element on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Channel {
    /// R, G, B, A; X is nothing, E an exponent of all.
    pub letter: u8,
    pub bits: u32,
    pub at: u32,
}

/// An aspect of a format: what its elements are in copies from and to buffers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Aspect {
    pub aspect: vk::ImageAspectFlags,
    /// Bytes of an element.
    pub bytes: u32,
    /// Pixels of an element.
    pub block: [u32; 2],
    /// By how much the aspect is smaller than the image.
    pub divisor: [u32; 2],
    /// Bits of an element that mean something, byte by byte.
    pub mask: Vec<u8>,
}

/// A format.
#[derive(Clone, Debug)]
pub struct Layout {
    pub format: vk::Format,
    pub numeric: Numeric,
    /// None if channels are not separate bit fields.
    pub channels: Vec<Channel>,
    pub aspects: Vec<Aspect>,
}

impl Layout {
    pub fn new(format: vk::Format) -> Layout {
        let name = format!("{format:?}");
        let numeric = numeric(&name);
        let channels = match numeric {
            Numeric::Opaque => Vec::new(),
            _ => channels(&name),
        };
        Layout {
            format,
            numeric,
            aspects: aspects(format, &name, &channels),
            channels,
        }
    }

    pub fn is_colour(&self) -> bool {
        self.aspects[0].aspect == vk::ImageAspectFlags::COLOR
    }

    pub fn is_compressed(&self) -> bool {
        self.aspects[0].block != [1, 1]
    }

    pub fn is_planar(&self) -> bool {
        self.aspects[0].aspect == vk::ImageAspectFlags::PLANE_0
    }

    /// Colours that can be told one by one: attachments, blits, clears.
    pub fn is_plain(&self) -> bool {
        self.is_colour() && self.numeric != Numeric::Opaque
    }

    pub fn is_integer(&self) -> bool {
        matches!(self.numeric, Numeric::Uint | Numeric::Sint)
    }

    pub fn is_float(&self) -> bool {
        matches!(self.numeric, Numeric::Sfloat | Numeric::Ufloat)
    }
}

fn numeric(name: &str) -> Numeric {
    let ends = |what: &str| name.contains(&format!("_{what}"));
    // Blocks, planes and pairs of pixels are bytes to a copy.
    if name.contains("BLOCK") || name.contains("PLANE") || name.contains("_422_") {
        return Numeric::Opaque;
    }
    if name.starts_with('D') || name.starts_with("X8_D24") || name.starts_with("S8") {
        return Numeric::Opaque;
    }
    [
        ("UNORM", Numeric::Unorm),
        ("SNORM", Numeric::Snorm),
        ("USCALED", Numeric::Uscaled),
        ("SSCALED", Numeric::Sscaled),
        ("UINT", Numeric::Uint),
        ("SINT", Numeric::Sint),
        ("SFLOAT", Numeric::Sfloat),
        ("SRGB", Numeric::Srgb),
        ("UFLOAT", Numeric::Ufloat),
    ]
    .into_iter()
    .find(|(word, _)| ends(word))
    .map_or(Numeric::Opaque, |(_, numeric)| numeric)
}

/// Letters and bits before the first word that is none.
fn channels(name: &str) -> Vec<Channel> {
    let mut found: Vec<(u8, u32)> = Vec::new();
    let words = name
        .split('_')
        .take_while(|word| word.bytes().any(|byte| byte.is_ascii_digit()));
    for byte in words.flat_map(str::bytes) {
        match (byte.is_ascii_digit(), found.last_mut()) {
            (true, Some((_, bits))) => *bits = *bits * 10 + u32::from(byte - b'0'),
            _ => found.push((byte, 0)),
        }
    }
    // Packed formats are named from the highest bit.
    if name.contains("PACK") {
        found.reverse();
    }
    let mut at = 0;
    let place = |(letter, bits)| {
        at += bits;
        Channel {
            letter,
            bits,
            at: at - bits,
        }
    };
    found.into_iter().map(place).collect()
}

fn aspects(format: vk::Format, name: &str, channels: &[Channel]) -> Vec<Aspect> {
    use vk::ImageAspectFlags as A;
    let whole = |aspect, bytes: u32, block, divisor| Aspect {
        aspect,
        bytes,
        block,
        divisor,
        mask: vec![0xff; bytes as usize],
    };
    let depth = |bytes| whole(A::DEPTH, bytes, [1, 1], [1, 1]);
    let depth24 = || Aspect {
        mask: vec![0xff, 0xff, 0xff, 0],
        ..depth(4)
    };
    let stencil = || whole(A::STENCIL, 1, [1, 1], [1, 1]);
    match format {
        vk::Format::D16_UNORM => return vec![depth(2)],
        vk::Format::D32_SFLOAT => return vec![depth(4)],
        vk::Format::X8_D24_UNORM_PACK32 => return vec![depth24()],
        vk::Format::S8_UINT => return vec![stencil()],
        vk::Format::D24_UNORM_S8_UINT => return vec![depth24(), stencil()],
        vk::Format::D32_SFLOAT_S8_UINT => return vec![depth(4), stencil()],
        _ => {}
    }
    let colour = |bytes, block| vec![whole(A::COLOR, bytes, block, [1, 1])];
    if let Some(size) = name.strip_prefix("ASTC_") {
        let size = size.split('_').next().expect("a size");
        let (width, height) = size.split_once(['x', 'X']).expect("width and height");
        let number = |text: &str| text.parse().expect("a number");
        return colour(16, [number(width), number(height)]);
    }
    if name.contains("BLOCK") {
        let eight = ["BC1", "BC4", "ETC2_R8G8B8_", "ETC2_R8G8B8A1", "EAC_R11_"];
        let small = eight.iter().any(|start| name.starts_with(start));
        return colour(if small { 8 } else { 16 }, [4, 4]);
    }
    if name.contains("PLANE") {
        return planes(name)
            .into_iter()
            .map(|(aspect, bytes, divisor)| whole(aspect, bytes, [1, 1], divisor))
            .collect();
    }
    if name.contains("_422_") {
        return colour(4, [2, 1]);
    }
    let bits: u32 = channels.iter().map(|channel| channel.bits).sum();
    colour(bits / 8, [1, 1])
}

/// Of `G8_B8R8_2PLANE_420_UNORM` and its like: planes, bytes of their elements, and how much
/// smaller they are.
fn planes(name: &str) -> Vec<(vk::ImageAspectFlags, u32, [u32; 2])> {
    use vk::ImageAspectFlags as A;
    let wide = if name.contains("16") { 2 } else { 1 };
    let small = match () {
        () if name.contains("_420_") => [2, 2],
        () if name.contains("_422_") => [2, 1],
        () => [1, 1],
    };
    match name.contains("2PLANE") {
        true => vec![(A::PLANE_0, wide, [1, 1]), (A::PLANE_1, 2 * wide, small)],
        false => vec![
            (A::PLANE_0, wide, [1, 1]),
            (A::PLANE_1, wide, small),
            (A::PLANE_2, wide, small),
        ],
    }
}

/// All formats of core Vulkan 1.3 that an image may have.
pub fn all() -> impl Iterator<Item = Layout> {
    let planar = [
        vk::Format::G8_B8_R8_3PLANE_420_UNORM,
        vk::Format::G8_B8R8_2PLANE_420_UNORM,
        vk::Format::G8_B8_R8_3PLANE_422_UNORM,
        vk::Format::G8_B8R8_2PLANE_422_UNORM,
        vk::Format::G8_B8_R8_3PLANE_444_UNORM,
        vk::Format::G16_B16R16_2PLANE_420_UNORM,
        vk::Format::G16_B16_R16_3PLANE_444_UNORM,
        vk::Format::A4R4G4B4_UNORM_PACK16,
        vk::Format::A4B4G4R4_UNORM_PACK16,
        vk::Format::A1B5G5R5_UNORM_PACK16_KHR,
        vk::Format::A8_UNORM_KHR,
    ];
    let core = (1..185).map(vk::Format::from_raw);
    core.chain(planar).map(Layout::new)
}
