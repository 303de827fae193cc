//! Colour management of surfaces: the colour spaces that a compositor converts from, and the image
//! descriptions that select one.
//!
//! In:  a colour space, HDR metadata, and what the compositor supports. Out: an image description.
//! Ref: wayland-protocols, `color-management-v1`; Vulkan specification, "VkColorSpaceKHR" and
//!      "VkHdrMetadataEXT".

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use ash::vk as api;
use wayland_client::{Dispatch, QueueHandle, WEnum};
use wayland_protocols::wp::color_management::v1::client::wp_color_manager_v1::{
    self as manager, Feature, Primaries, TransferFunction, WpColorManagerV1,
};
use wayland_protocols::wp::color_management::v1::client::wp_image_description_creator_params_v1::WpImageDescriptionCreatorParamsV1;
use wayland_protocols::wp::color_management::v1::client::wp_image_description_v1::WpImageDescriptionV1;

use crate::present::HdrMetadata;

/// A colour space in the terms of the protocol.
#[derive(Debug)]
pub struct SpaceMapping {
    space: api::ColorSpaceKHR,
    primaries: Primaries,
    transfer: TransferFunction,
    /// Whether HDR metadata describe its images further.
    uses_metadata: bool,
    /// Whether its images have colours outside of its primaries.
    extended: bool,
}

const fn row(
    space: api::ColorSpaceKHR,
    primaries: Primaries,
    transfer: TransferFunction,
) -> SpaceMapping {
    SpaceMapping {
        space,
        primaries,
        transfer,
        uses_metadata: false,
        extended: false,
    }
}

impl SpaceMapping {
    const fn with_metadata(self) -> Self {
        Self {
            uses_metadata: true,
            ..self
        }
    }

    const fn extended(self) -> Self {
        Self {
            extended: true,
            ..self
        }
    }
}

/// The colour spaces with a description. `ADOBERGB_NONLINEAR` and `EXTENDED_SRGB_NONLINEAR` have no
/// transfer function of the protocol that matches exactly.
static SPACES: [SpaceMapping; 10] = {
    use Primaries as P;
    use TransferFunction as T;
    use api::ColorSpaceKHR as C;
    [
        row(C::SRGB_NONLINEAR, P::Srgb, T::Srgb),
        row(C::DISPLAY_P3_NONLINEAR_EXT, P::DisplayP3, T::Srgb),
        row(C::EXTENDED_SRGB_LINEAR_EXT, P::Srgb, T::ExtLinear)
            .with_metadata()
            .extended(),
        row(C::DISPLAY_P3_LINEAR_EXT, P::DisplayP3, T::ExtLinear),
        row(C::BT709_LINEAR_EXT, P::Srgb, T::ExtLinear),
        row(C::BT709_NONLINEAR_EXT, P::Srgb, T::Bt1886),
        row(C::BT2020_LINEAR_EXT, P::Bt2020, T::ExtLinear),
        row(C::HDR10_ST2084_EXT, P::Bt2020, T::St2084Pq).with_metadata(),
        row(C::HDR10_HLG_EXT, P::Bt2020, T::Hlg).with_metadata(),
        row(C::ADOBERGB_LINEAR_EXT, P::AdobeRgb, T::ExtLinear),
    ]
};

/// What a compositor's colour manager supports. Empty if it has none.
#[derive(Clone, Debug, Default)]
pub struct ColourSupport {
    primaries: Vec<Primaries>,
    transfers: Vec<TransferFunction>,
    features: Vec<Feature>,
}

impl ColourSupport {
    /// Notes an event of the colour manager. Values of newer versions of the protocol are ignored.
    pub fn note(&mut self, event: manager::Event) {
        use manager::Event as E;
        match event {
            E::SupportedFeature {
                feature: WEnum::Value(feature),
            } => self.features.push(feature),
            E::SupportedTfNamed {
                tf: WEnum::Value(transfer),
            } => self.transfers.push(transfer),
            E::SupportedPrimariesNamed {
                primaries: WEnum::Value(primaries),
            } => self.primaries.push(primaries),
            _ => {}
        }
    }

    /// The description of a colour space. None: the compositor does not support it, or it has none.
    pub fn find(&self, space: api::ColorSpaceKHR) -> Option<&'static SpaceMapping> {
        let has = |feature| self.features.contains(&feature);
        SPACES
            .iter()
            .find(|row| row.space == space)
            .filter(|row| has(Feature::Parametric) && self.primaries.contains(&row.primaries))
            .filter(|row| self.transfers.contains(&row.transfer))
            .filter(|row| !row.extended || has(Feature::ExtendedTargetVolume))
    }

    /// The colour spaces of a surface: sRGB, which compositors assume without a description;
    /// unmanaged colours; and those with a description.
    pub fn spaces(&self) -> Vec<api::ColorSpaceKHR> {
        let always = [
            api::ColorSpaceKHR::SRGB_NONLINEAR,
            api::ColorSpaceKHR::PASS_THROUGH_EXT,
        ];
        let described = SPACES.iter().map(|row| row.space);
        let described = described.filter(|&space| self.find(space).is_some());
        let described = described.filter(|space| !always.contains(space));
        always.into_iter().chain(described).collect()
    }

    /// Requests an image description of a colour space. An event of it tells whether it is ready.
    pub fn describe<D>(
        &self,
        manager: &WpColorManagerV1,
        handle: &QueueHandle<D>,
        mapping: &SpaceMapping,
        metadata: Option<&HdrMetadata>,
    ) -> ImageDescription
    where
        D: Dispatch<WpImageDescriptionCreatorParamsV1, ()>
            + Dispatch<WpImageDescriptionV1, ()>
            + 'static,
    {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let creator = manager.create_parametric_creator(handle, ());
        creator.set_primaries_named(mapping.primaries);
        creator.set_tf_named(mapping.transfer);
        if let Some(metadata) = metadata {
            let has_mastering = self
                .features
                .contains(&Feature::SetMasteringDisplayPrimaries);
            let target = TargetVolume::new(metadata, mapping.transfer, has_mastering);
            target.set(&creator);
        }
        ImageDescription {
            object: creator.create(handle, ()),
            number: NEXT.fetch_add(1, Relaxed),
        }
    }
}

impl SpaceMapping {
    /// The colour space.
    pub fn space(&self) -> api::ColorSpaceKHR {
        self.space
    }

    /// Whether HDR metadata describe its images further.
    pub fn uses_metadata(&self) -> bool {
        self.uses_metadata
    }
}

/// An image description, which surfaces copy.
#[derive(Debug)]
pub struct ImageDescription {
    /// The object of the protocol.
    pub object: WpImageDescriptionV1,
    /// A number that no other one has.
    pub number: u64,
}

impl Drop for ImageDescription {
    fn drop(&mut self) {
        self.object.destroy();
    }
}

/// Units of the protocol's chromaticities in 1.
const CHROMATICITY_SCALE: f64 = 1e6;
/// Units of the protocol's minimum luminances in 1 cd/m².
const MIN_LUMINANCE_SCALE: u64 = 10_000;

/// HDR metadata as the protocol has them, without values that it would call errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct TargetVolume {
    /// x and y of red, green, blue and white of the mastering display.
    primaries: Option<[[i32; 2]; 4]>,
    /// Minimum, in 1/10000 cd/m², and maximum in cd/m² of the mastering display.
    luminance: Option<[u32; 2]>,
    /// Maximum content light level in cd/m².
    max_content: Option<u32>,
    /// Maximum frame-average light level in cd/m².
    max_average: Option<u32>,
}

impl TargetVolume {
    fn new(metadata: &HdrMetadata, transfer: TransferFunction, has_mastering: bool) -> Self {
        // Conversions saturate, and make 0 of what is not a number.
        let rounded = |value: f32| f64::from(value).round() as u32;
        let scaled_min = f64::from(metadata.min_luminance) * MIN_LUMINANCE_SCALE as f64;
        let [min, max] = [scaled_min.round() as u32, rounded(metadata.max_luminance)];
        let is_range = u64::from(max) * MIN_LUMINANCE_SCALE > u64::from(min);
        let luminance = Some([min, max]).filter(|_| has_mastering && is_range);
        // Without a mastering display, the range of the transfer function.
        let range = luminance.or(match transfer {
            TransferFunction::St2084Pq => Some([50, 10_000]),
            TransferFunction::Hlg => Some([50, 1000]),
            _ => None,
        });
        let level = |value: f32| {
            let level = rounded(value);
            let [min, max] = range?;
            let is_above = u64::from(level) * MIN_LUMINANCE_SCALE > u64::from(min);
            Some(level).filter(|&level| is_above && level <= max)
        };
        let max_content = level(metadata.max_content_light_level);
        let max_average = level(metadata.max_frame_average_light_level)
            .filter(|&average| max_content.is_none_or(|content| average <= content));
        let [red, green, blue] = [metadata.red, metadata.green, metadata.blue]
            .map(|[x, y]| [f64::from(x), f64::from(y)]);
        let area =
            (green[0] - red[0]) * (blue[1] - red[1]) - (blue[0] - red[0]) * (green[1] - red[1]);
        let has_white = metadata.white.iter().all(|&part| part > 0.0);
        let coordinates = [metadata.red, metadata.green, metadata.blue, metadata.white];
        let coordinates = coordinates
            .map(|xy| xy.map(|part| (f64::from(part) * CHROMATICITY_SCALE).round() as i32));
        Self {
            primaries: Some(coordinates).filter(|_| has_mastering && area.abs() > 0.0 && has_white),
            luminance,
            max_content,
            max_average,
        }
    }

    /// Sets the parameters of a description.
    fn set(&self, creator: &WpImageDescriptionCreatorParamsV1) {
        if let Some([red, green, blue, white]) = self.primaries {
            creator.set_mastering_display_primaries(
                red[0], red[1], green[0], green[1], blue[0], blue[1], white[0], white[1],
            );
        }
        if let Some([min, max]) = self.luminance {
            creator.set_mastering_luminance(min, max);
        }
        if let Some(level) = self.max_content {
            creator.set_max_cll(level);
        }
        if let Some(level) = self.max_average {
            creator.set_max_fall(level);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const METADATA: HdrMetadata = HdrMetadata {
        red: [0.68, 0.32],
        green: [0.265, 0.69],
        blue: [0.15, 0.06],
        white: [0.3127, 0.329],
        max_luminance: 1000.0,
        min_luminance: 0.001,
        max_content_light_level: 600.0,
        max_frame_average_light_level: 400.0,
    };

    #[test]
    fn metadata_that_the_protocol_calls_errors_are_left_out() {
        let pq = |metadata: &HdrMetadata, has_mastering| {
            TargetVolume::new(metadata, TransferFunction::St2084Pq, has_mastering)
        };
        let whole = TargetVolume {
            primaries: Some([
                [680_000, 320_000],
                [265_000, 690_000],
                [150_000, 60_000],
                [312_700, 329_000],
            ]),
            luminance: Some([10, 1000]),
            max_content: Some(600),
            max_average: Some(400),
        };
        assert_eq!(pq(&METADATA, true), whole);
        // Both parameters of mastering displays depend on the feature.
        let without = TargetVolume {
            primaries: None,
            luminance: None,
            ..whole
        };
        assert_eq!(pq(&METADATA, false), without);
        // A maximum of 0 is unknown; levels then are within the range of the transfer function.
        let unknown = HdrMetadata {
            max_luminance: 0.0,
            max_content_light_level: 10_001.0,
            ..METADATA
        };
        let found = pq(&unknown, true);
        assert_eq!((found.luminance, found.max_content), (None, None));
        assert_eq!(found.max_average, Some(400));
        let linear = TargetVolume::new(&unknown, TransferFunction::ExtLinear, true);
        assert_eq!((linear.max_content, linear.max_average), (None, None));
        // Levels above the mastering display's maximum, and an average above the maximum.
        let bright = HdrMetadata {
            max_content_light_level: 1001.0,
            max_frame_average_light_level: f32::NAN,
            ..METADATA
        };
        let found = pq(&bright, true);
        assert_eq!((found.max_content, found.max_average), (None, None));
        let uneven = HdrMetadata {
            max_frame_average_light_level: 601.0,
            ..METADATA
        };
        let found = pq(&uneven, true);
        assert_eq!((found.max_content, found.max_average), (Some(600), None));
        // The primaries of no display.
        let flat = HdrMetadata {
            green: METADATA.red,
            ..METADATA
        };
        assert_eq!(pq(&flat, true).primaries, None);
    }
}
