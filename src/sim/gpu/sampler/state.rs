//! SAMPLER_STATE, decoded once.
//!
//! In:  four dwords and the border colour they point to. Out: filters, clamps, address modes.
//! Ref: SKL PRM vol. 2d, "SAMPLER_STATE", "SAMPLER_BORDER_COLOR_STATE".

use crate::memory::View;
use eu::Stop;
use hw::state::sampler_state as ss;

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
            0 => true,
            1 => false,
            2 => texel < reference,
            3 => texel == reference,
            4 => texel <= reference,
            5 => texel > reference,
            6 => texel != reference,
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

fn address_mode(code: u64, at: u64) -> Result<AddressMode, Stop> {
    Ok(match code {
        0 => AddressMode::Wrap,
        1 => AddressMode::Mirror,
        2 => AddressMode::Clamp,
        3 => AddressMode::Cube,
        4 => AddressMode::ClampBorder,
        5 => AddressMode::MirrorOnce,
        6 => AddressMode::HalfBorder,
        _ => return gap("address control mode 7", at),
    })
}

fn filter(code: u64, at: u64) -> Result<Filter, Stop> {
    Ok(match code {
        0 => Filter::Nearest,
        1 => Filter::Linear,
        2 => Filter::Anisotropic,
        _ => return gap("filters of one bit (MAPFILTER_MONO)", at),
    })
}

fn gap<T>(what: &str, at: u64) -> Result<T, Stop> {
    Err(Stop::Unimplemented {
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
    pub fn read(view: &View<'_>, dynamic: u64, address: u64) -> Result<Sampler, Stop> {
        let mut words = [0; 4];
        view.read_block(address, &mut words)?;
        let get = |field: hw::Field| field.get(&words);
        if get(ss::CHROMAKEY_ENABLE) == 1 {
            return gap("a chroma key", address);
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
            view.read_block(dynamic + get(ss::BORDER_COLOR_POINTER), &mut border)?;
        }
        let reduction = match (get(ss::REDUCTION_TYPE_ENABLE), get(ss::REDUCTION_TYPE)) {
            (1, 2) => Reduction::Minimum,
            (1, 3) => Reduction::Maximum,
            _ => Reduction::Average,
        };
        let on = |field: hw::Field| field.get(&words) == 1;
        Ok(Sampler {
            min: filter(get(ss::MIN_MODE_FILTER), address)?,
            mag: filter(get(ss::MAG_MODE_FILTER), address)?,
            mip: match get(ss::MIP_MODE_FILTER) {
                0 => MipFilter::None,
                1 => MipFilter::Nearest,
                _ => MipFilter::Linear,
            },
            // S4.8 in 13 bits.
            bias: (((get(ss::TEXTURE_LOD_BIAS) as u32) << 19) as i32 >> 19) as f32 / 256.0,
            min_lod: fixed(get(ss::MIN_LOD)),
            max_lod: fixed(get(ss::MAX_LOD)),
            preclamp: get(ss::LOD_PRECLAMP_MODE) != 0,
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

    #[test]
    fn texels_count_nothing_where_the_function_holds() {
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
