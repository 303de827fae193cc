//! Checks what the sampler reads between two invalidates of its cache.
//!
//! In:  surfaces that the sampler reads, invalidates of the texture cache. Out: the first broken
//!      rule.
//! Ref: [`hw::WORKAROUNDS`].

use crate::observer::SampledSurface;
use crate::rules::{SAMPLER_ASTC, SAMPLER_FORMATS};
use eu::StopReason;
use hw::{Gen, Wa};
use std::collections::BTreeMap;

/// The format whose blocks do not stand beside aux data in the texture cache.
const ASTC_5X5: &str = "ASTC_LDR_2D_5X5";

/// What the texture cache may hold.
#[derive(Default)]
pub(super) struct SamplerReads {
    /// The format of each surface, by its address.
    formats: BTreeMap<u64, &'static str>,
    /// A surface of ASTC 5x5, and one with an aux surface.
    astc_5x5: bool,
    aux: bool,
}

impl SamplerReads {
    /// The texture cache is invalidated.
    pub fn invalidate(&mut self) {
        *self = SamplerReads::default();
    }

    /// Records that the message at `at` reads a surface, and checks it against the others.
    pub fn read(&mut self, surface: &SampledSurface, at: u64) -> Result<(), StopReason> {
        let SampledSurface {
            address,
            format,
            has_aux,
        } = *surface;
        let known = self.formats.insert(address, format);
        let other = known.filter(|known| *known != format);
        let needed = const { Wa::InvalidateBetweenFormats.required_on(Gen::Gen9) };
        SAMPLER_FORMATS.check(!needed || other.is_none(), at, || {
            let other = other.unwrap_or_default();
            format!("the surface at {address:#x} is read as {format}, and was read as {other}")
        })?;
        self.astc_5x5 |= format.starts_with(ASTC_5X5);
        self.aux |= has_aux;
        let needed = const { Wa::FlushBetweenAstc5x5AndAux.required_on(Gen::Gen9) };
        SAMPLER_ASTC.check(!(needed && self.astc_5x5 && self.aux), at, || {
            format!("{format} at {address:#x}, aux surface: {has_aux}, after the other")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observer::{CACHES, PipeControlEffects, Via, Watch};
    use crate::strict::caches::Log;

    fn rule(reads: &mut SamplerReads, read: (u64, &'static str, bool)) -> Option<&'static str> {
        let (address, format, has_aux) = read;
        let surface = SampledSurface {
            address,
            format,
            has_aux,
        };
        match reads.read(&surface, 0) {
            Err(StopReason::Undefined { rule, .. }) => Some(rule),
            Err(other) => panic!("{other:?}"),
            Ok(()) => None,
        }
    }

    #[test]
    fn a_surface_has_one_format_until_the_cache_is_invalidated() {
        let mut reads = SamplerReads::default();
        assert_eq!(rule(&mut reads, (0x1000, "R8_UNORM", false)), None);
        assert_eq!(rule(&mut reads, (0x1000, "R8_UNORM", false)), None);
        assert_eq!(rule(&mut reads, (0x2000, "R8_UINT", false)), None);
        let broken = Some("sampler-formats");
        assert_eq!(rule(&mut reads, (0x1000, "R8_UINT", false)), broken);
        reads.invalidate();
        assert_eq!(rule(&mut reads, (0x1000, "R8_UINT", false)), None);
    }

    #[test]
    fn only_an_invalidate_of_textures_empties_the_texture_cache() {
        let read = |log: &Log, format| {
            let surface = SampledSurface {
                address: 0x1000,
                format,
                has_aux: false,
            };
            log.sampled(&surface, 0).is_ok()
        };
        let control = |log: &Log, via| {
            log.pipe_control(&PipeControlEffects {
                invalidated: CACHES.map(|cache| cache == via),
                ..PipeControlEffects::default()
            });
        };
        let mut log = Log::default();
        assert!(read(&log, "R8_UNORM"));
        control(&log, Via::Constant);
        assert!(!read(&log, "R8_UINT"));
        control(&log, Via::Texture);
        assert!(read(&log, "R8_UNORM"));
        log.lenient = true;
        assert!(read(&log, "R8_UINT"));
    }

    #[test]
    fn astc_5x5_and_aux_data_are_not_sampled_together() {
        const BLOCKS: &str = "ASTC_LDR_2D_5X5_U8SRGB";
        let broken = Some("sampler-astc-5x5");
        let mut reads = SamplerReads::default();
        assert_eq!(rule(&mut reads, (0x1000, BLOCKS, false)), None);
        assert_eq!(rule(&mut reads, (0x2000, "R8_UNORM", false)), None);
        assert_eq!(rule(&mut reads, (0x3000, "R8_UNORM", true)), broken);
        reads.invalidate();
        assert_eq!(rule(&mut reads, (0x3000, "R8_UNORM", true)), None);
        // Of other ASTC formats nothing is known.
        let other = (0x4000, "ASTC_LDR_2D_4X4_U8SRGB", false);
        assert_eq!(rule(&mut reads, other), None);
        assert_eq!(rule(&mut reads, (0x1000, BLOCKS, false)), broken);
    }
}
