//! The internal shaders, and launches of them.
//!
//! In:  descriptions of shaders. Out: their indices; launches, which `buffer`, `texel` and
//!      `sample_copy` fill in.

/// The order of a surface's bytes in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Row after row (linear).
    Rows,
    /// X tiles.
    X,
    /// Y tiles.
    Y,
    /// W tiles, by single bytes.
    W,
}

/// A shader that copies or fills texels in units of bytes that are contiguous in every order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TexelCopy {
    /// Order of the source. None: a constant is written.
    pub source: Option<Order>,
    /// Order of the destination.
    pub destination: Order,
    /// Bytes of a unit, as a power of two: up to 16.
    pub unit_log2: u32,
}

impl TexelCopy {
    const UNITS: usize = 5;
    /// Number of such shaders.
    const COUNT: usize = 5 * 4 * Self::UNITS;

    fn index(self) -> usize {
        let source = self.source.map_or(0, |order| 1 + order as usize);
        (source * 4 + self.destination as usize) * Self::UNITS + self.unit_log2 as usize
    }
}

/// A shader that copies texels of three channels, on either side optionally padded to four. W tiles
/// are not supported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreeChannelCopy {
    /// Order of the source.
    pub source: Order,
    /// Order of the destination.
    pub destination: Order,
    /// A channel has two bytes instead of one.
    pub two_bytes: bool,
}

impl ThreeChannelCopy {
    /// Number of such shaders.
    const COUNT: usize = 3 * 3 * 2;

    /// Bytes of a channel.
    pub(crate) fn channel_bytes(self) -> u32 {
        1 + u32::from(self.two_bytes)
    }

    fn index(self) -> usize {
        let orders = (self.source as usize).min(2) * 3 + (self.destination as usize).min(2);
        2 * orders + usize::from(self.two_bytes)
    }
}

/// A shader that copies blocks to an ASTC texture. W tiles are not supported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AstcCopy {
    /// Order of the source.
    pub source: Order,
    /// Order of the destination.
    pub destination: Order,
}

impl AstcCopy {
    /// Number of such shaders.
    const COUNT: usize = 3 * 3;

    fn index(self) -> usize {
        (self.source as usize).min(2) * 3 + (self.destination as usize).min(2)
    }
}

/// A shader that copies samples of depth in Y tiles or of stencil in W tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SampleCopy {
    /// Samples per pixel, as a power of two: 1 to 4.
    pub samples_log2: u32,
    /// Bytes of a sample, as a power of two: up to 4; stencil has one.
    pub unit_log2: u32,
}

impl SampleCopy {
    const UNITS: usize = 3;
    /// Number of such shaders.
    const COUNT: usize = 4 * Self::UNITS;

    fn index(self) -> usize {
        (self.samples_log2.clamp(1, 4) as usize - 1) * Self::UNITS + self.unit_log2.min(2) as usize
    }
}

/// A shader that writes the clear colour to fast-cleared pixels of a multisampled image, found by
/// its MCS, which is in Y tiles like the image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct McsResolve {
    /// Samples, as a power of two: 1 to 4.
    pub samples_log2: u32,
    /// Bytes of a pixel, as a power of two: up to 16.
    pub unit_log2: u32,
    /// Processes four pixels of four bytes at once, whose MCS elements are one dword: for two or
    /// four samples.
    pub by_four: bool,
}

impl McsResolve {
    /// Number of shaders that process single pixels.
    const SINGLE: usize = 4 * TexelCopy::UNITS;
    /// Number of such shaders.
    const COUNT: usize = Self::SINGLE + 2;

    fn index(self) -> usize {
        if self.by_four {
            return Self::SINGLE + self.samples_log2.clamp(1, 2) as usize - 1;
        }
        (self.samples_log2.clamp(1, 4) as usize - 1) * TexelCopy::UNITS
            + self.unit_log2.min(4) as usize
    }

    /// Bytes of an MCS element.
    pub(crate) fn element_bytes(self) -> u32 {
        match self.samples_log2 {
            0..=2 => 1,
            3 => 4,
            _ => 8,
        }
    }
}

/// How texels are converted when they are read and written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TexelConversion {
    /// As floats.
    Floats,
    /// As floats, which the shader encodes as sRGB.
    Srgb,
    /// As integers, bit by bit.
    Integers,
    /// As bytes of a W-tiled stencil buffer, which typed messages cannot write.
    Stencil,
    /// As floats that the shader packs as normalised numbers into two bytes.
    Packed(Order),
    /// As floats, of which the shader writes three channels one after another to a linear surface,
    /// as typed messages cannot write three.
    Three(ChannelFormat),
}

/// The storage format of one of three channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChannelFormat {
    /// 8-bit UNORM.
    Unorm8,
    /// 8-bit UNORM, encoded as sRGB.
    Srgb8,
    /// 16-bit UNORM.
    Unorm16,
    /// 16-bit float.
    Float16,
    /// 32-bit float.
    Float32,
}

impl ChannelFormat {
    const COUNT: usize = 5;

    /// Bytes of the channel.
    pub fn bytes(self) -> u32 {
        match self {
            ChannelFormat::Unorm8 | ChannelFormat::Srgb8 => 1,
            ChannelFormat::Unorm16 | ChannelFormat::Float16 => 2,
            ChannelFormat::Float32 => 4,
        }
    }
}

impl TexelConversion {
    /// Number of conversions.
    const COUNT: usize = 4 + 4 + ChannelFormat::COUNT;

    fn index(self) -> usize {
        match self {
            TexelConversion::Floats => 0,
            TexelConversion::Srgb => 1,
            TexelConversion::Integers => 2,
            TexelConversion::Stencil => 3,
            TexelConversion::Packed(order) => 4 + order as usize,
            TexelConversion::Three(channel) => 8 + channel as usize,
        }
    }

    /// Order and size of elements that are written as bytes.
    pub(crate) fn bytes(self) -> Option<(Order, u32)> {
        match self {
            TexelConversion::Stencil => Some((Order::W, 1)),
            TexelConversion::Packed(order) => Some((order, 2)),
            _ => None,
        }
    }
}

/// A shader that reads a texture and writes an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SampledCopy {
    /// Scales.
    Scaled {
        /// The texture is 3D; else it is 2D with layers.
        volume: bool,
        /// The conversion.
        numbers: TexelConversion,
    },
    /// Averages samples.
    Joined {
        /// Number of samples, as a power of two: 1 to 4.
        samples_log2: u32,
        /// The conversion.
        numbers: TexelConversion,
    },
    /// Copies one sample of each pixel, bit by bit, to bytes.
    Single {
        /// Order of the destination.
        destination: Order,
        /// Bytes of an element, as a power of two: up to 4.
        unit_log2: u32,
    },
    /// Copies one sample of each pixel, bit by bit, to its place among interleaved samples.
    Interleaved(SampleCopy),
    /// Combines the depth or stencil samples of a pixel.
    Chosen {
        /// The resolve mode.
        choice: ResolveMode,
        /// The format.
        kind: DepthStencilFormat,
        /// Number of samples, as a power of two: 1 to 4.
        samples_log2: u32,
    },
}

/// How depth or stencil samples are resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResolveMode {
    /// The first sample, bit by bit.
    SampleZero,
    /// The minimum.
    Min,
    /// The maximum.
    Max,
    /// The average.
    Average,
}

/// The formats of depth and stencil buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DepthStencilFormat {
    /// 16-bit UNORM depth.
    Depth16,
    /// UNORM depth in the lower 24 of 32 bits.
    Depth24,
    /// Float depth.
    DepthFloat,
    /// 8-bit stencil.
    Stencil,
}

impl DepthStencilFormat {
    /// Bytes of an element, as a power of two.
    pub fn unit_log2(self) -> u32 {
        match self {
            DepthStencilFormat::Depth16 => 1,
            DepthStencilFormat::Depth24 | DepthStencilFormat::DepthFloat => 2,
            DepthStencilFormat::Stencil => 0,
        }
    }

    /// The order of such buffers.
    pub fn order(self) -> Order {
        match self {
            DepthStencilFormat::Stencil => Order::W,
            _ => Order::Y,
        }
    }
}

impl SampledCopy {
    /// Shaders of the kind.
    const COUNT: usize = Self::SINGLES + 4 * 3 * 4;
    /// Number of shaders that convert numbers.
    const NUMBERS: usize = TexelConversion::COUNT * (2 + 4);
    /// Number of those and the ones that copy to interleaved samples.
    const INTERLEAVED: usize = Self::NUMBERS + SampleCopy::COUNT;
    /// Number of those and all others that copy one sample.
    const SINGLES: usize = Self::INTERLEAVED + 4 * 3;

    fn index(self) -> usize {
        let (kind, numbers) = match self {
            SampledCopy::Scaled { volume, numbers } => (usize::from(volume), numbers),
            SampledCopy::Joined {
                samples_log2,
                numbers,
            } => (1 + samples_log2.clamp(1, 4) as usize, numbers),
            SampledCopy::Interleaved(samples) => return Self::NUMBERS + samples.index(),
            SampledCopy::Single {
                destination,
                unit_log2,
            } => return Self::INTERLEAVED + destination as usize * 3 + unit_log2.min(2) as usize,
            SampledCopy::Chosen {
                choice,
                kind,
                samples_log2,
            } => {
                // ResolveMode::SampleZero is a shader of another kind.
                let choice = (choice as usize).saturating_sub(1);
                let samples = samples_log2.clamp(1, 4) as usize - 1;
                return Self::SINGLES + (kind as usize * 3 + choice) * 4 + samples;
            }
        };
        kind * TexelConversion::COUNT + numbers.index()
    }
}

/// An internal shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shader {
    /// Fills dwords.
    Fill,
    /// Copies bytes.
    Copy,
    /// Writes query results.
    QueryResults,
    /// Copies or fills texels.
    TexelCopy(TexelCopy),
    /// Reads a texture and writes an image. The caller provides its surfaces.
    SampledCopy(SampledCopy),
    /// Writes the clear colour to fast-cleared pixels.
    McsResolve(McsResolve),
    /// Copies single samples.
    SampleCopy(SampleCopy),
    /// Copies texels of three channels.
    ThreeChannelCopy(ThreeChannelCopy),
    /// Copies blocks to an ASTC texture.
    AstcCopy(AstcCopy),
    /// Performs copies that are listed in memory.
    CopyIndirect,
}

/// Number of internal shaders.
pub const SHADERS: usize = THREES + ThreeChannelCopy::COUNT + AstcCopy::COUNT + 1;
/// Number of shaders before the three-channel ones.
const THREES: usize =
    3 + TexelCopy::COUNT + SampledCopy::COUNT + McsResolve::COUNT + SampleCopy::COUNT;

impl Shader {
    /// Number of storage buffers, at set 0 from binding 0.
    pub fn buffers(self) -> u32 {
        match self {
            Shader::Fill | Shader::CopyIndirect => 1,
            Shader::TexelCopy(texels) => 1 + u32::from(texels.source.is_some()),
            Shader::McsResolve(_) => 3,
            _ => 2,
        }
    }

    /// Its index, below [`SHADERS`].
    pub fn index(self) -> usize {
        match self {
            Shader::Fill => 0,
            Shader::Copy => 1,
            Shader::QueryResults => 2,
            Shader::TexelCopy(texels) => 3 + texels.index(),
            Shader::SampledCopy(picture) => 3 + TexelCopy::COUNT + picture.index(),
            Shader::McsResolve(settle) => {
                3 + TexelCopy::COUNT + SampledCopy::COUNT + settle.index()
            }
            Shader::SampleCopy(samples) => {
                3 + TexelCopy::COUNT + SampledCopy::COUNT + McsResolve::COUNT + samples.index()
            }
            Shader::ThreeChannelCopy(three) => THREES + three.index(),
            Shader::AstcCopy(astc) => THREES + ThreeChannelCopy::COUNT + astc.index(),
            Shader::CopyIndirect => SHADERS - 1,
        }
    }
}

/// A range of GPU memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryRange {
    /// Address, a multiple of 4.
    pub address: u64,
    /// Size in bytes, a multiple of 4.
    pub bytes: u64,
}

/// Maximum number of buffers of an internal shader.
pub const MAX_BUFFERS: usize = 3;
/// Maximum number of push constant dwords of an internal shader.
pub const MAX_PUSH_DW: usize = 14;

/// A dispatch of an internal shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Launch {
    /// The shader.
    pub shader: Shader,
    pub(crate) spans: [MemoryRange; MAX_BUFFERS],
    /// Its push constants, in dwords.
    pub push_dw: [u32; MAX_PUSH_DW],
    /// Workgroup counts.
    pub groups: [u32; 3],
}

impl Launch {
    /// A one-dimensional launch.
    pub(crate) fn one_dimensional(
        shader: Shader,
        [first, second]: [MemoryRange; 2],
        push: &[u32],
        groups: u32,
    ) -> Launch {
        let mut push_dw = [0; MAX_PUSH_DW];
        for (to, from) in push_dw.iter_mut().zip(push) {
            *to = *from;
        }
        Launch {
            shader,
            spans: [first, second, MemoryRange::default()],
            push_dw,
            groups: [groups, 1, 1],
        }
    }

    /// Its buffers, by binding.
    pub fn buffers(&self) -> &[MemoryRange] {
        let count = self.shader.buffers() as usize;
        self.spans.get(..count).unwrap_or_default()
    }
}
