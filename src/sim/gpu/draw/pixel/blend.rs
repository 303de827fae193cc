//! Blending: combines a pixel shader's colour with the render target's.
//!
//! In:  BLEND_STATE's entry of a target, COLOR_CALC_STATE's constants. Out: the value to encode.
//! Ref: SKL PRM vol. 7, "Color Buffer Blending", "Logic Ops"; vol. 2d, BLEND_STATE; Vulkan,
//!      "Blending".

use super::depth::compare;
use hw::draw_state::blend_state_entry as entry;
use hw::value::draw::{blend_factor, blend_function};

/// Alpha test, alpha to coverage and alpha to one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct AlphaState {
    pub to_coverage: bool,
    pub to_one: bool,
    /// Function and reference of the alpha test.
    pub test: Option<(u64, f32)>,
}

impl AlphaState {
    /// True if alpha has no effect on coverage and is written unchanged.
    pub fn is_idle(&self) -> bool {
        *self == AlphaState::default()
    }

    /// The samples of `samples` that remain after the alpha test and alpha to coverage. The machine
    /// skips the latter if the shader sends a sample mask (SKL PRM vol. 7, "Alpha Coverage").
    pub fn coverage(&self, alpha: f32, samples: u32, masked: bool) -> u32 {
        let all = u32::MAX >> (32 - samples.clamp(1, 16));
        if let Some((function, reference)) = self.test
            && !compare(function, alpha, reference)
        {
            return 0;
        }
        match self.to_coverage && !masked {
            true => {
                let count = (alpha.clamp(0.0, 1.0) * samples as f32 + 0.5) as u32;
                all & ((1u32 << count.min(samples)) - 1)
            }
            false => all,
        }
    }
}

/// Blend state of a target.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Blend {
    pub enabled: bool,
    /// For colour and alpha: source factor, destination factor, function.
    equations: [[u64; 3]; 2],
    pub logic_op: Option<u32>,
    /// Channels that are written: red, green, blue, alpha.
    pub writes: [bool; 4],
    /// Colours are clamped to the range of the target's format before blending.
    pub pre_clamp: bool,
    /// Offsets in the dither matrix, if dithering is enabled.
    pub dither: Option<[u32; 2]>,
    /// The dwords of the entry.
    pub words: [u32; 2],
}

impl Default for Blend {
    /// Writes colours unchanged.
    fn default() -> Blend {
        Blend::read(&[0, 0], false)
    }
}

impl Blend {
    /// True if writes read the destination or keep a part of it.
    pub fn reads_destination(&self) -> bool {
        let some = self.writes != [false; 4];
        some && (self.enabled || self.logic_op.is_some() || self.writes != [true; 4])
    }

    /// Decodes an entry; `independent_alpha` is Independent Alpha Blend Enable of BLEND_STATE.
    pub fn read(words: &[u32; 2], independent_alpha: bool) -> Blend {
        let get = |field: hw::Field| field.get(words);
        let colour = [
            get(entry::SOURCE_BLEND_FACTOR),
            get(entry::DESTINATION_BLEND_FACTOR),
            get(entry::COLOR_BLEND_FUNCTION),
        ];
        let alpha = [
            get(entry::SOURCE_ALPHA_BLEND_FACTOR),
            get(entry::DESTINATION_ALPHA_BLEND_FACTOR),
            get(entry::ALPHA_BLEND_FUNCTION),
        ];
        Blend {
            enabled: get(entry::COLOR_BUFFER_BLEND_ENABLE) == 1,
            equations: [colour, if independent_alpha { alpha } else { colour }],
            logic_op: (get(entry::LOGIC_OP_ENABLE) == 1)
                .then(|| get(entry::LOGIC_OP_FUNCTION) as u32),
            writes: [
                entry::WRITE_DISABLE_RED,
                entry::WRITE_DISABLE_GREEN,
                entry::WRITE_DISABLE_BLUE,
                entry::WRITE_DISABLE_ALPHA,
            ]
            .map(|field| get(field) == 0),
            pre_clamp: get(entry::PRE_BLEND_COLOR_CLAMP_ENABLE) == 1,
            dither: None,
            words: *words,
        }
    }

    /// Blends colours, all of them floats.
    pub fn blend(
        &self,
        source: [f32; 4],
        second: [f32; 4],
        destination: [f32; 4],
        constant: [f32; 4],
    ) -> [f32; 4] {
        std::array::from_fn(|i| {
            let [source_factor, destination_factor, function] = self.equations[usize::from(i == 3)];
            let factor = |code| factor(code, i, source, second, destination, constant);
            let (s, d) = (source[i], destination[i]);
            match function {
                blend_function::ADD => s * factor(source_factor) + d * factor(destination_factor),
                blend_function::SUBTRACT => {
                    s * factor(source_factor) - d * factor(destination_factor)
                }
                blend_function::REVERSE_SUBTRACT => {
                    d * factor(destination_factor) - s * factor(source_factor)
                }
                blend_function::MIN => s.min(d),
                _ => s.max(d),
            }
        })
    }
}

/// The value of BLENDFACTOR_* for component `i`.
fn factor(
    code: u64,
    i: usize,
    source: [f32; 4],
    second: [f32; 4],
    destination: [f32; 4],
    constant: [f32; 4],
) -> f32 {
    match code {
        blend_factor::ONE => 1.0,
        blend_factor::SRC_COLOR => source[i],
        blend_factor::SRC_ALPHA => source[3],
        blend_factor::DST_ALPHA => destination[3],
        blend_factor::DST_COLOR => destination[i],
        blend_factor::SRC_ALPHA_SATURATE if i == 3 => 1.0,
        blend_factor::SRC_ALPHA_SATURATE => source[3].min(1.0 - destination[3]),
        blend_factor::CONST_COLOR => constant[i],
        blend_factor::CONST_ALPHA => constant[3],
        blend_factor::SRC1_COLOR => second[i],
        blend_factor::SRC1_ALPHA => second[3],
        blend_factor::INV_SRC_COLOR => 1.0 - source[i],
        blend_factor::INV_SRC_ALPHA => 1.0 - source[3],
        blend_factor::INV_DST_ALPHA => 1.0 - destination[3],
        blend_factor::INV_DST_COLOR => 1.0 - destination[i],
        blend_factor::INV_CONST_COLOR => 1.0 - constant[i],
        blend_factor::INV_CONST_ALPHA => 1.0 - constant[3],
        blend_factor::INV_SRC1_COLOR => 1.0 - second[i],
        blend_factor::INV_SRC1_ALPHA => 1.0 - second[3],
        // ZERO, and reserved codes.
        _ => 0.0,
    }
}

/// LOGICOP_*, on the bits of the format.
pub(crate) fn logic_operation(op: u32, source: u8, destination: u8) -> u8 {
    // The codes are truth tables: bit 3 for both set, 2 for source only, 1 for destination only, 0
    // for neither.
    let table = |bit: u32, mask: u8| if op >> bit & 1 == 1 { mask } else { 0 };
    table(3, source & destination)
        | table(2, source & !destination)
        | table(1, !source & destination)
        | table(0, !(source | destination))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(source: u64, destination: u64, function: u64) -> Blend {
        Blend {
            enabled: true,
            equations: [[source, destination, function]; 2],
            ..Blend::default()
        }
    }

    #[test]
    fn blend_equations() {
        let (s, d) = ([0.5, 0.25, 1.0, 0.5], [0.2, 0.4, 0.6, 0.8]);
        let over = entry(0x03, 0x13, 0).blend(s, [0.0; 4], d, [0.0; 4]);
        assert_eq!(over, [0.35, 0.325, 0.8, 0.65]);
        let minimum = entry(0x11, 0x11, 3).blend(s, [0.0; 4], d, [0.0; 4]);
        assert_eq!(minimum, [0.2, 0.25, 0.6, 0.5]);
        let back = entry(0x01, 0x07, 2).blend(s, [0.0; 4], d, [1.0, 0.5, 0.0, 1.0]);
        assert_eq!(back, [0.2 - 0.5, 0.2 - 0.25, -1.0, 0.8 - 0.5]);
    }

    #[test]
    fn blend_factors_per_component_or_alpha() {
        let source = [0.1, 0.2, 0.3, 0.4];
        let second = [0.5, 0.6, 0.7, 0.8];
        let destination = [0.15, 0.25, 0.35, 0.45];
        let constant = [0.9, 0.85, 0.75, 0.65];
        // Of green and of alpha.
        for (code, expected) in [
            (0x01, [1.0, 1.0]),
            (0x02, [0.2, 0.4]),
            (0x03, [0.4, 0.4]),
            (0x04, [0.45, 0.45]),
            (0x05, [0.25, 0.45]),
            (0x06, [0.4, 1.0]),
            (0x07, [0.85, 0.65]),
            (0x08, [0.65, 0.65]),
            (0x09, [0.6, 0.8]),
            (0x0a, [0.8, 0.8]),
            (0x11, [0.0, 0.0]),
            (0x12, [1.0 - 0.2, 1.0 - 0.4]),
            (0x13, [1.0 - 0.4, 1.0 - 0.4]),
            (0x14, [1.0 - 0.45, 1.0 - 0.45]),
            (0x15, [1.0 - 0.25, 1.0 - 0.45]),
            (0x17, [1.0 - 0.85, 1.0 - 0.65]),
            (0x18, [1.0 - 0.65, 1.0 - 0.65]),
            (0x19, [1.0 - 0.6, 1.0 - 0.8]),
            (0x1a, [1.0 - 0.8, 1.0 - 0.8]),
        ] {
            let of = |i| factor(code, i, source, second, destination, constant);
            assert_eq!([of(1), of(3)], expected, "{code:#x}");
        }
        // Saturated by what is left of the destination.
        let full = [0.0, 0.0, 0.0, 0.9f32];
        assert_eq!(factor(0x06, 1, source, second, full, constant), 1.0 - 0.9);
    }

    #[test]
    fn alpha_test_and_alpha_to_coverage() {
        let blend = AlphaState {
            to_coverage: true,
            ..AlphaState::default()
        };
        assert_eq!(blend.coverage(0.5, 4, false), 0b11);
        assert_eq!(blend.coverage(0.0, 4, false), 0);
        assert_eq!(blend.coverage(2.0, 16, false), 0xffff);
        let test = AlphaState {
            test: Some((5, 0.5)),
            ..AlphaState::default()
        };
        assert_eq!(
            [0.5, 0.6].map(|alpha| test.coverage(alpha, 1, false)),
            [0, 1]
        );
    }

    #[test]
    fn logic_ops_follow_their_truth_tables() {
        let (s, d) = (0b1100, 0b1010);
        assert_eq!(logic_operation(0x0, s, d), 0);
        assert_eq!(logic_operation(0x8, s, d), 0b1000);
        assert_eq!(logic_operation(0xc, s, d), s);
        assert_eq!(logic_operation(0x6, s, d), 0b0110);
        assert_eq!(logic_operation(0x5, s, d) & 15, 0b0101);
        assert_eq!(logic_operation(0xf, s, d), 0xff);
    }
}
