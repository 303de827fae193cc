//! Compares two images, as far as Vulkan defines their values.

/// What was drawn, or otherwise made, as bytes.
pub struct Shot {
    /// What it is, for messages.
    pub what: String,
    /// Texels in a row.
    pub width: u32,
    /// The bytes.
    pub bytes: Vec<u8>,
    /// What they are.
    pub unit: Unit,
}

/// What bytes are, and so what a difference is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Four channels of 8 bits.
    Rgba8,
    /// Texels of so many bytes, compared bit by bit whatever the tolerance.
    Bits(usize),
    /// Four channels of 32-bit floats; a tolerance of 1 is 1/255.
    Rgba32f,
    /// One 32-bit float, as above.
    Float,
    /// One number of 16 bits.
    U16,
}

/// The allowed difference of two images, and the reason.
#[derive(Clone, Copy, Debug)]
pub struct Tolerance {
    /// Greatest difference of a channel, in steps of 8 bits (or of the unit).
    pub steps: f32,
    /// Texels of a thousand that may differ by more.
    pub per_mille: u32,
    /// Why.
    pub why: &'static str,
}

/// Nothing in such a scene is rounded, or the specification fixes how.
pub const EXACT: Tolerance = Tolerance {
    steps: 0.0,
    per_mille: 0,
    why: "nothing is rounded",
};
/// One step: a value between two of them may become either.
pub const ROUNDED: Tolerance = Tolerance {
    steps: 1.0,
    per_mille: 0,
    why: "a value may be rounded to either neighbour",
};
/// Linear filters: the hardware's weights have 8 bits of fraction, lavapipe's as many, cut off
/// elsewhere.
pub const FILTERED: Tolerance = Tolerance {
    steps: 2.0,
    per_mille: 0,
    why: "weights of filters have a limited fraction",
};
/// Levels are chosen by a logarithm of limited precision.
pub const LEVELS: Tolerance = Tolerance {
    steps: 6.0,
    per_mille: 0,
    why: "the level of detail is an approximation",
};
/// Slanted edges: the number of sub-pixel bits is the implementation's.
pub const EDGES: Tolerance = Tolerance {
    steps: 1.0,
    per_mille: 12,
    why: "edges that are not of whole texels are rounded to the implementation's sub-pixel grid",
};

impl Shot {
    fn texel_bytes(&self) -> usize {
        match self.unit {
            Unit::Rgba8 | Unit::Float => 4,
            Unit::Bits(bytes) => bytes,
            Unit::Rgba32f => 16,
            Unit::U16 => 2,
        }
    }

    /// Greatest difference of a channel between two texels.
    fn difference(&self, a: &[u8], b: &[u8]) -> f32 {
        let float = |v: &[u8]| f32::from_le_bytes([v[0], v[1], v[2], v[3]]);
        let floats = |a: &[u8], b: &[u8]| {
            let (a, b) = (float(a), float(b));
            match a == b || (a.is_nan() && b.is_nan()) {
                true => 0.0,
                false if a.is_finite() && b.is_finite() => (a - b).abs() * 255.0,
                false => f32::MAX,
            }
        };
        match self.unit {
            Unit::Bits(_) if a == b => 0.0,
            Unit::Bits(_) => f32::MAX,
            Unit::Rgba8 => {
                let channels = a.iter().zip(b);
                channels
                    .map(|(a, b)| f32::from(a.abs_diff(*b)))
                    .fold(0.0, f32::max)
            }
            Unit::Rgba32f | Unit::Float => {
                let channels = a.chunks_exact(4).zip(b.chunks_exact(4));
                channels.map(|(a, b)| floats(a, b)).fold(0.0, f32::max)
            }
            Unit::U16 => {
                let number = |v: &[u8]| u16::from_le_bytes([v[0], v[1]]);
                f32::from(number(a).abs_diff(number(b)))
            }
        }
    }

    fn show(&self, texel: &[u8]) -> String {
        match self.unit {
            Unit::Rgba32f | Unit::Float => {
                let floats = texel.chunks_exact(4);
                let floats = floats.map(|v| f32::from_le_bytes([v[0], v[1], v[2], v[3]]));
                format!("{:?}", floats.collect::<Vec<_>>())
            }
            _ => format!("{texel:02x?}"),
        }
    }
}

/// Err: where they differ first, and how often.
pub fn same(drawn: &[Shot], right: &[Shot], tolerance: Tolerance) -> Result<(), String> {
    if drawn.len() != right.len() {
        return Err(format!("{} shots instead of {}", drawn.len(), right.len()));
    }
    for (drawn, right) in drawn.iter().zip(right) {
        if drawn.bytes.len() != right.bytes.len() || drawn.unit != right.unit {
            return Err(format!("{}: another size", drawn.what));
        }
        let size = drawn.texel_bytes();
        let texels = drawn.bytes.chunks_exact(size);
        let texels = texels.zip(right.bytes.chunks_exact(size));
        let count = texels.len();
        let mut differing = texels
            .enumerate()
            .filter(|(_, (a, b))| drawn.difference(a, b) > tolerance.steps);
        let Some((at, (a, b))) = differing.next() else {
            continue;
        };
        let more = 1 + differing.count();
        if more * 1000 <= count * tolerance.per_mille as usize {
            continue;
        }
        let width = drawn.width as usize;
        return Err(format!(
            "{}: {more} of {count} texels differ by more than {} steps ({}); the first at ({}, {}): {} instead of {}",
            drawn.what,
            tolerance.steps,
            tolerance.why,
            at % width,
            at / width,
            drawn.show(a),
            drawn.show(b)
        ));
    }
    Ok(())
}
