//! Which internal shader runs on what.

/// How the bytes of a surface lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Row after row.
    Rows,
    /// In X tiles.
    X,
    /// In Y tiles.
    Y,
    /// In W tiles: single bytes.
    W,
}

/// A shader that works on texels, in units of bytes that stay together wherever they lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Texels {
    /// Order of what is copied. None: constants are written.
    pub source: Option<Order>,
    /// Order of what is written.
    pub destination: Order,
    /// Bytes of a unit, as a power of two: up to 16.
    pub unit_log2: u32,
}

impl Texels {
    const UNITS: usize = 5;
    /// Shaders of the kind.
    const COUNT: usize = 5 * 4 * Self::UNITS;

    fn index(self) -> usize {
        let source = self.source.map_or(0, |order| 1 + order as usize);
        (source * 4 + self.destination as usize) * Self::UNITS + self.unit_log2 as usize
    }
}

/// A shader that copies texels of three channels of two bytes each, on either side maybe with room for a fourth. In W tiles there are none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Three {
    /// Order of what is copied.
    pub source: Order,
    /// Order of what is written.
    pub destination: Order,
}

impl Three {
    /// Shaders of the kind.
    const COUNT: usize = 3 * 3;
    /// Bytes of a channel.
    pub(crate) const CHANNEL_BYTES: u32 = 2;
    /// Bytes of a texel, without a fourth channel and with one.
    pub(crate) const TEXEL_BYTES: [u32; 2] = [3 * Self::CHANNEL_BYTES, 4 * Self::CHANNEL_BYTES];

    fn index(self) -> usize {
        (self.source as usize).min(2) * 3 + (self.destination as usize).min(2)
    }
}

/// A shader that copies samples of depth, in Y tiles, or of stencil, in W tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Samples {
    /// Samples of a pixel, as a power of two: 1 to 4.
    pub samples_log2: u32,
    /// Bytes of a sample, as a power of two: up to 4; stencil has one.
    pub unit_log2: u32,
}

impl Samples {
    const UNITS: usize = 3;
    /// Shaders of the kind.
    const COUNT: usize = 4 * Self::UNITS;

    fn index(self) -> usize {
        (self.samples_log2.clamp(1, 4) as usize - 1) * Self::UNITS + self.unit_log2.min(2) as usize
    }
}

/// A shader that gives cleared pixels of several samples their colour: by the elements of their control surface, which lies in Y
/// tiles as the image does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settle {
    /// Samples, as a power of two: 1 to 4.
    pub samples_log2: u32,
    /// Bytes of a pixel, as a power of two: up to 16.
    pub unit_log2: u32,
    /// Four pixels of four bytes at once, whose elements are a dword: of two or four samples.
    pub by_four: bool,
}

impl Settle {
    /// Shaders that take pixels one by one.
    const SINGLE: usize = 4 * Texels::UNITS;
    /// Shaders of the kind.
    const COUNT: usize = Self::SINGLE + 2;

    fn index(self) -> usize {
        if self.by_four {
            return Self::SINGLE + self.samples_log2.clamp(1, 2) as usize - 1;
        }
        (self.samples_log2.clamp(1, 4) as usize - 1) * Texels::UNITS
            + self.unit_log2.min(4) as usize
    }

    /// Bytes of an element of the control surface.
    pub(crate) fn element_bytes(self) -> u32 {
        match self.samples_log2 {
            0..=2 => 1,
            3 => 4,
            _ => 8,
        }
    }
}

/// How the numbers of a picture are read and written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers {
    /// As floats.
    Floats,
    /// As floats, which the shader encodes as sRGB.
    Srgb,
    /// As integers, bit by bit.
    Integers,
    /// As the bytes of a stencil buffer, which lies in W tiles: no typed message writes these.
    Stencil,
    /// As floats, which the shader packs as normalised numbers of a few bits into two bytes.
    Packed(Order),
    /// As floats, of which the shader writes three, one behind the other: no typed message writes three. They lie in rows.
    Three(Channel),
}

/// One of three channels, as it is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// Eight bits, from 0 to 1.
    Unorm8,
    /// The same, encoded as sRGB.
    Srgb8,
    /// Sixteen bits, from 0 to 1.
    Unorm16,
    /// A half.
    Float16,
    /// A float.
    Float32,
}

impl Channel {
    const COUNT: usize = 5;

    /// Bytes of it.
    pub fn bytes(self) -> u32 {
        match self {
            Channel::Unorm8 | Channel::Srgb8 => 1,
            Channel::Unorm16 | Channel::Float16 => 2,
            Channel::Float32 => 4,
        }
    }
}

impl Numbers {
    /// Kinds of numbers.
    const COUNT: usize = 4 + 4 + Channel::COUNT;

    fn index(self) -> usize {
        match self {
            Numbers::Floats => 0,
            Numbers::Srgb => 1,
            Numbers::Integers => 2,
            Numbers::Stencil => 3,
            Numbers::Packed(order) => 4 + order as usize,
            Numbers::Three(channel) => 8 + channel as usize,
        }
    }

    /// Order and bytes of elements that are written as bytes.
    pub(crate) fn bytes(self) -> Option<(Order, u32)> {
        match self {
            Numbers::Stencil => Some((Order::W, 1)),
            Numbers::Packed(order) => Some((order, 2)),
            _ => None,
        }
    }
}

/// A shader that reads a texture and writes a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Picture {
    /// Scales.
    Scaled {
        /// The texture has three dimensions; else it has layers.
        volume: bool,
        /// Its numbers.
        numbers: Numbers,
    },
    /// Joins samples.
    Joined {
        /// How many, as a power of two: up to 16.
        samples_log2: u32,
        /// Its numbers.
        numbers: Numbers,
    },
    /// Copies the first sample, bit by bit. The destination is bytes.
    First {
        /// Order of the destination.
        destination: Order,
        /// Bytes of an element, as a power of two: up to 4.
        unit_log2: u32,
    },
    /// Takes one value of all samples of depth or stencil.
    Chosen {
        /// Which.
        choice: Choice,
        /// Of what.
        kind: Measure,
        /// How many samples, as a power of two: up to 16.
        samples_log2: u32,
    },
}

/// What stands for all samples of a pixel's depth or stencil.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// The first one, bit by bit.
    First,
    /// The least.
    Least,
    /// The greatest.
    Greatest,
    /// Their mean.
    Mean,
}

/// Elements of depth and stencil buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Sixteen bits of normalised depth.
    Depth16,
    /// The lower 24 of 32 bits.
    Depth24,
    /// Depth as a float.
    DepthFloat,
    /// Eight bits of stencil.
    Stencil,
}

impl Measure {
    /// Bytes of an element, as a power of two.
    pub fn unit_log2(self) -> u32 {
        match self {
            Measure::Depth16 => 1,
            Measure::Depth24 | Measure::DepthFloat => 2,
            Measure::Stencil => 0,
        }
    }

    /// How such buffers lie.
    pub fn order(self) -> Order {
        match self {
            Measure::Stencil => Order::W,
            _ => Order::Y,
        }
    }
}

impl Picture {
    /// Shaders of the kind.
    const COUNT: usize = Self::FIRSTS + 4 * 3 * 4;
    /// Those that read and write numbers.
    const NUMBERS: usize = Numbers::COUNT * (2 + 4);
    /// Those and the ones that copy the first sample.
    const FIRSTS: usize = Self::NUMBERS + 4 * 3;

    fn index(self) -> usize {
        let (kind, numbers) = match self {
            Picture::Scaled { volume, numbers } => (usize::from(volume), numbers),
            Picture::Joined {
                samples_log2,
                numbers,
            } => (1 + samples_log2.clamp(1, 4) as usize, numbers),
            Picture::First {
                destination,
                unit_log2,
            } => return Self::NUMBERS + destination as usize * 3 + unit_log2.min(2) as usize,
            Picture::Chosen {
                choice,
                kind,
                samples_log2,
            } => {
                // The first sample is none of these.
                let choice = (choice as usize).saturating_sub(1);
                let samples = samples_log2.clamp(1, 4) as usize - 1;
                return Self::FIRSTS + (kind as usize * 3 + choice) * 4 + samples;
            }
        };
        kind * Numbers::COUNT + numbers.index()
    }
}

/// An internal shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shader {
    /// Writes one dword everywhere.
    Fill,
    /// Copies bytes.
    Copy,
    /// Writes query results.
    QueryResults,
    /// Copies or writes texels.
    Texels(Texels),
    /// Reads a texture and writes a picture. Its surfaces are the caller's.
    Picture(Picture),
    /// Gives cleared pixels their colour.
    Settle(Settle),
    /// Copies samples one by one.
    Samples(Samples),
    /// Copies texels of three channels.
    Three(Three),
}

/// Internal shaders that there are.
pub const SHADERS: usize = THREES + Three::COUNT;
/// Those before the ones that copy texels of three channels.
const THREES: usize = 3 + Texels::COUNT + Picture::COUNT + Settle::COUNT + Samples::COUNT;

impl Shader {
    /// Storage buffers that it uses, at set 0 from binding 0.
    pub fn buffers(self) -> u32 {
        match self {
            Shader::Fill => 1,
            Shader::Texels(texels) => 1 + u32::from(texels.source.is_some()),
            Shader::Settle(_) => 3,
            _ => 2,
        }
    }

    /// Its number, below [`SHADERS`].
    pub fn index(self) -> usize {
        match self {
            Shader::Fill => 0,
            Shader::Copy => 1,
            Shader::QueryResults => 2,
            Shader::Texels(texels) => 3 + texels.index(),
            Shader::Picture(picture) => 3 + Texels::COUNT + picture.index(),
            Shader::Settle(settle) => 3 + Texels::COUNT + Picture::COUNT + settle.index(),
            Shader::Samples(samples) => {
                3 + Texels::COUNT + Picture::COUNT + Settle::COUNT + samples.index()
            }
            Shader::Three(three) => THREES + three.index(),
        }
    }
}

/// A range of GPU memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// First byte, a multiple of 4.
    pub address: u64,
    /// Bytes, a multiple of 4.
    pub bytes: u64,
}

/// Buffers of an internal shader at most.
pub const MAX_BUFFERS: usize = 3;
/// Dwords of push constants of an internal shader at most.
pub const MAX_PUSH_DW: usize = 14;

/// One launch of an internal shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Launch {
    /// Which.
    pub shader: Shader,
    pub(crate) spans: [Span; MAX_BUFFERS],
    /// Its push constants, in dwords.
    pub push_dw: [u32; MAX_PUSH_DW],
    /// Workgroups.
    pub groups: [u32; 3],
}

impl Launch {
    /// A launch along one axis.
    pub(crate) fn line(
        shader: Shader,
        [first, second]: [Span; 2],
        push: &[u32],
        groups: u32,
    ) -> Launch {
        let mut push_dw = [0; MAX_PUSH_DW];
        for (to, from) in push_dw.iter_mut().zip(push) {
            *to = *from;
        }
        Launch {
            shader,
            spans: [first, second, Span::default()],
            push_dw,
            groups: [groups, 1, 1],
        }
    }

    /// Its buffers, by binding.
    pub fn buffers(&self) -> &[Span] {
        let count = self.shader.buffers() as usize;
        self.spans.get(..count).unwrap_or_default()
    }
}
