//! SAMPLER_STATE, decoded once.
//!
//! In:  four dwords and the border colour they point to. Out: filters, clamps, address modes.
//! Ref: SKL PRM vol. 2d, "SAMPLER_STATE", "SAMPLER_BORDER_COLOR_STATE".

use crate::fate;
use crate::memory::AddressSpaceView;
use crate::observer::Via;
use eu::StopReason;
use hw::draw_state::sampler_border_color_state as colour;
use hw::state::sampler_state as ss;
use hw::value::draw::compare_function;
use hw::value::state::{
    address_mode as mode, lod_preclamp_mode, mip_filter, reduction_type, texture_filter,
};

/// Min and Mag Mode Filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Filter {
    Nearest,
    Linear,
    Anisotropic,
}

/// Mip Mode Filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MipFilter {
    None,
    Nearest,
    Linear,
}

/// Address Control Mode of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AddressMode {
    Wrap,
    Mirror,
    Clamp,
    Cube,
    ClampBorder,
    MirrorOnce,
    HalfBorder,
}

/// What texels of a footprint become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reduction {
    /// Their weighted average.
    Average,
    Minimum,
    Maximum,
}

/// Shadow Function: a texel for which `texel FUNCTION reference` holds counts 0, others 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Compare(u64);

impl Compare {
    /// What a texel counts. References are clamped where the format is normalised.
    pub fn apply(self, texel: f32, reference: f32) -> f32 {
        let holds = match self.0 {
            compare_function::ALWAYS => true,
            compare_function::NEVER => false,
            compare_function::LESS => texel < reference,
            compare_function::EQUAL => texel == reference,
            compare_function::LEQUAL => texel <= reference,
            compare_function::GREATER => texel > reference,
            compare_function::NOTEQUAL => texel != reference,
            _ => texel >= reference,
        };
        if holds { 0.0 } else { 1.0 }
    }
}

/// A sampler.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sampler {
    pub min: Filter,
    pub mag: Filter,
    pub mip: MipFilter,
    /// Texture LOD Bias.
    pub bias: f32,
    pub min_lod: f32,
    pub max_lod: f32,
    /// Levels are clamped before minification is told from magnification.
    pub preclamp: bool,
    pub compare: Compare,
    pub modes: [AddressMode; 3],
    /// Cube faces adjoin, whatever the address modes say.
    pub seamless: bool,
    pub normalized: bool,
    pub reduction: Reduction,
    /// Samples along the longer axis at most.
    pub anisotropy: f32,
    /// Coordinates of u, v, r are rounded to 1/256 of a texel: when minified, and when magnified.
    pub rounding: [[bool; 2]; 3],
    pub border: [u32; 4],
    pub disabled: bool,
}

fn address_mode(code: u64, at: u64) -> Result<AddressMode, StopReason> {
    Ok(match code {
        mode::WRAP => AddressMode::Wrap,
        mode::MIRROR => AddressMode::Mirror,
        mode::CLAMP => AddressMode::Clamp,
        mode::CUBE => AddressMode::Cube,
        mode::CLAMP_BORDER => AddressMode::ClampBorder,
        mode::MIRROR_ONCE => AddressMode::MirrorOnce,
        mode::HALF_BORDER => AddressMode::HalfBorder,
        _ => return unimplemented("address control mode 7", at),
    })
}

fn filter(code: u64, at: u64) -> Result<Filter, StopReason> {
    Ok(match code {
        texture_filter::NEAREST => Filter::Nearest,
        texture_filter::LINEAR => Filter::Linear,
        texture_filter::ANISOTROPIC => Filter::Anisotropic,
        _ => return unimplemented("filters of one bit (MAPFILTER_MONO)", at),
    })
}

fn unimplemented<T>(what: &str, at: u64) -> Result<T, StopReason> {
    Err(StopReason::Unimplemented {
        what: format!("a sampler with {what}"),
        at,
    })
}

/// A fixed-point number with eight bits of fraction.
fn fixed(raw: u64) -> f32 {
    raw as f32 / 256.0
}

impl Sampler {
    /// Reads the sampler state at `address`; its border colour is relative to `dynamic`.
    pub fn read(
        view: &AddressSpaceView<'_>,
        dynamic: u64,
        address: u64,
    ) -> Result<Sampler, StopReason> {
        let mut words = [0; 4];
        view.by(Via::State, |view| view.read_block(address, &mut words))?;
        let get = |field: hw::Field| field.get(&words);
        fate::check(&ss::PACKET, &words, view.is_strict(), address)?;
        if get(ss::CHROMAKEY_ENABLE) == 1 {
            return unimplemented("a chroma key", address);
        }
        let modes = [
            address_mode(get(ss::TCX_ADDRESS_CONTROL_MODE), address)?,
            address_mode(get(ss::TCY_ADDRESS_CONTROL_MODE), address)?,
            address_mode(get(ss::TCZ_ADDRESS_CONTROL_MODE), address)?,
        ];
        let mut border = [0; 4];
        if modes
            .iter()
            .any(|m| matches!(m, AddressMode::ClampBorder | AddressMode::HalfBorder))
        {
            let mut words = [0; 4];
            let at = dynamic + get(ss::BORDER_COLOR_POINTER);
            view.by(Via::State, |view| view.read_block(at, &mut words))?;
            border = [
                colour::BORDER_COLOR_32BIT_RED,
                colour::BORDER_COLOR_32BIT_GREEN,
                colour::BORDER_COLOR_32BIT_BLUE,
                colour::BORDER_COLOR_32BIT_ALPHA,
            ]
            .map(|field| field.get(&words) as u32);
        }
        let reduction = match (get(ss::REDUCTION_TYPE_ENABLE), get(ss::REDUCTION_TYPE)) {
            (1, reduction_type::MINIMUM) => Reduction::Minimum,
            (1, reduction_type::MAXIMUM) => Reduction::Maximum,
            _ => Reduction::Average,
        };
        let on = |field: hw::Field| field.get(&words) == 1;
        Ok(Sampler {
            min: filter(get(ss::MIN_MODE_FILTER), address)?,
            mag: filter(get(ss::MAG_MODE_FILTER), address)?,
            mip: match get(ss::MIP_MODE_FILTER) {
                mip_filter::NONE => MipFilter::None,
                mip_filter::NEAREST => MipFilter::Nearest,
                _ => MipFilter::Linear,
            },
            // S4.8 in 13 bits.
            bias: (((get(ss::TEXTURE_LOD_BIAS) as u32) << 19) as i32 >> 19) as f32 / 256.0,
            min_lod: fixed(get(ss::MIN_LOD)),
            max_lod: fixed(get(ss::MAX_LOD)),
            preclamp: get(ss::LOD_PRECLAMP_MODE) != lod_preclamp_mode::NONE,
            compare: Compare(get(ss::SHADOW_FUNCTION)),
            modes,
            seamless: on(ss::CUBE_SURFACE_CONTROL_MODE),
            normalized: !on(ss::NON_NORMALIZED_COORDINATE_ENABLE),
            reduction,
            anisotropy: 2.0 + 2.0 * get(ss::MAXIMUM_ANISOTROPY) as f32,
            rounding: [
                [
                    on(ss::U_ADDRESS_MIN_FILTER_ROUNDING_ENABLE),
                    on(ss::U_ADDRESS_MAG_FILTER_ROUNDING_ENABLE),
                ],
                [
                    on(ss::V_ADDRESS_MIN_FILTER_ROUNDING_ENABLE),
                    on(ss::V_ADDRESS_MAG_FILTER_ROUNDING_ENABLE),
                ],
                [
                    on(ss::R_ADDRESS_MIN_FILTER_ROUNDING_ENABLE),
                    on(ss::R_ADDRESS_MAG_FILTER_ROUNDING_ENABLE),
                ],
            ],
            border,
            disabled: on(ss::SAMPLER_DISABLE),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::AddressSpace;
    use crate::testing::memory;

    /// What is read of a state in an empty page that has this border colour at 0x40.
    fn read(set: &[(hw::Field, u64)]) -> Result<Sampler, StopReason> {
        let mut space = AddressSpace::new();
        space.map(0x1000, 0x1000, memory(0x1000), 0).expect("free");
        let view = AddressSpaceView::new(&space);
        let mut words = [0; 4];
        for (field, value) in set {
            field.set(&mut words, *value);
        }
        view.write_block(0x1100, &words).expect("mapped");
        view.write_block(0x1040, &[1, 2, 3, 4]).expect("mapped");
        Sampler::read(&view, 0x1000, 0x1100)
    }

    fn sampler(field: hw::Field, value: u64) -> Sampler {
        read(&[(field, value)]).expect("a sampler")
    }

    const AXES: [hw::Field; 3] = [
        ss::TCX_ADDRESS_CONTROL_MODE,
        ss::TCY_ADDRESS_CONTROL_MODE,
        ss::TCZ_ADDRESS_CONTROL_MODE,
    ];

    #[test]
    fn each_axis_has_an_address_mode() {
        use AddressMode::*;
        let modes = [
            Wrap,
            Mirror,
            Clamp,
            Cube,
            ClampBorder,
            MirrorOnce,
            HalfBorder,
        ];
        for (axis, field) in AXES.into_iter().enumerate() {
            for (code, mode) in (0..).zip(modes) {
                let mut expected = [Wrap; 3];
                expected[axis] = mode;
                assert_eq!(sampler(field, code).modes, expected, "{axis} {code}");
            }
            assert!(read(&[(field, 7)]).is_err(), "{axis}");
        }
    }

    #[test]
    fn the_border_colour_is_read_where_an_axis_reaches_the_border() {
        for axis in AXES {
            for mode in 0..7 {
                let pointer = |value| [(axis, mode), (ss::BORDER_COLOR_POINTER, value)];
                let borders = matches!(mode, 4 | 6);
                let expected = if borders { [1, 2, 3, 4] } else { [0; 4] };
                let found = read(&pointer(0x40)).map(|s| s.border);
                assert_eq!(found, Ok(expected), "{mode}");
                // Nobody looks at a pointer that is not needed.
                assert_eq!(read(&pointer(0x10_0000)).is_err(), borders, "{mode}");
            }
        }
    }

    #[test]
    fn filter_codes_are_decoded() {
        let filters = [Filter::Nearest, Filter::Linear, Filter::Anisotropic];
        for (code, filter) in (0..).zip(filters) {
            let found = sampler(ss::MIN_MODE_FILTER, code);
            assert_eq!([found.min, found.mag], [filter, Filter::Nearest]);
            let found = sampler(ss::MAG_MODE_FILTER, code);
            assert_eq!([found.min, found.mag], [Filter::Nearest, filter]);
        }
        // MAPFILTER_MONO.
        for field in [ss::MIN_MODE_FILTER, ss::MAG_MODE_FILTER] {
            assert!(read(&[(field, 6)]).is_err());
        }
        for (code, mip) in [
            (0, MipFilter::None),
            (1, MipFilter::Nearest),
            (3, MipFilter::Linear),
        ] {
            assert_eq!(sampler(ss::MIP_MODE_FILTER, code).mip, mip);
        }
        for (enable, code, reduction) in [
            (1, 0, Reduction::Average),
            (1, 1, Reduction::Average),
            (1, 2, Reduction::Minimum),
            (1, 3, Reduction::Maximum),
            (0, 2, Reduction::Average),
            (0, 3, Reduction::Average),
        ] {
            let set = [
                (ss::REDUCTION_TYPE_ENABLE, enable),
                (ss::REDUCTION_TYPE, code),
            ];
            let found = read(&set).map(|s| s.reduction);
            assert_eq!(found, Ok(reduction), "{enable} {code}");
        }
        for code in 0..8 {
            // 2:1 to 16:1.
            let ratio = [2.0, 4.0, 6.0, 8.0, 10.0, 12.0, 14.0, 16.0][code];
            let found = sampler(ss::MAXIMUM_ANISOTROPY, code as u64).anisotropy;
            assert_eq!(found, ratio);
        }
    }

    #[test]
    fn levels_have_eight_bits_of_fraction() {
        assert_eq!(sampler(ss::MIN_LOD, 0x123).min_lod, 1.0 + 35.0 / 256.0);
        assert_eq!(sampler(ss::MAX_LOD, 0xe80).max_lod, 14.5);
        for (raw, bias) in [
            (0x0001, 1.0 / 256.0),
            (0x1fff, -1.0 / 256.0),
            (0x0fff, 16.0 - 1.0 / 256.0),
            (0x1000, -16.0),
            (0x0280, 2.5),
        ] {
            let found = sampler(ss::TEXTURE_LOD_BIAS, raw).bias;
            assert_eq!(found, bias, "{raw:#x}");
        }
    }

    #[test]
    fn each_enable_bit_sets_its_own_field() {
        let states = |s: &Sampler| {
            let others = [s.preclamp, s.seamless, !s.normalized, s.disabled];
            [s.rounding.as_flattened(), &others].concat()
        };
        let switches = [
            (ss::U_ADDRESS_MIN_FILTER_ROUNDING_ENABLE, 1),
            (ss::U_ADDRESS_MAG_FILTER_ROUNDING_ENABLE, 1),
            (ss::V_ADDRESS_MIN_FILTER_ROUNDING_ENABLE, 1),
            (ss::V_ADDRESS_MAG_FILTER_ROUNDING_ENABLE, 1),
            (ss::R_ADDRESS_MIN_FILTER_ROUNDING_ENABLE, 1),
            (ss::R_ADDRESS_MAG_FILTER_ROUNDING_ENABLE, 1),
            // PRECLAMP_OGL.
            (ss::LOD_PRECLAMP_MODE, 2),
            (ss::CUBE_SURFACE_CONTROL_MODE, 1),
            (ss::NON_NORMALIZED_COORDINATE_ENABLE, 1),
            (ss::SAMPLER_DISABLE, 1),
        ];
        for (i, (field, value)) in switches.into_iter().enumerate() {
            let found = states(&sampler(field, value));
            let expected: Vec<_> = (0..10).map(|k| k == i).collect();
            assert_eq!(found, expected, "{}", field.name);
        }
        assert!(read(&[(ss::CHROMAKEY_ENABLE, 1)]).is_err());
    }

    #[test]
    fn shadow_function_passes_where_the_prefilter_op_fails() {
        let lit = |texel: f32| {
            let counts = |function: &u64| Compare(*function).apply(texel, 0.5) == 1.0;
            (0..8).filter(counts).collect::<Vec<_>>()
        };
        // PREFILTEROP: ALWAYS, NEVER, LESS, EQUAL, LEQUAL, GREATER, NOTEQUAL, GEQUAL.
        assert_eq!(lit(0.25), [1, 3, 5, 7]);
        assert_eq!(lit(0.5), [1, 2, 5, 6]);
        assert_eq!(lit(0.75), [1, 2, 3, 4]);
    }
}
