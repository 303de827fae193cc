//! The colour manager of the compositor: image descriptions, and the errors of the protocol.

use std::sync::Mutex;
use std::sync::atomic::Ordering::Relaxed;

use wayland_protocols::wp::color_management::v1::server::wp_color_management_surface_v1::{
    self as managed, WpColorManagementSurfaceV1,
};
use wayland_protocols::wp::color_management::v1::server::wp_color_manager_v1::{
    self as manager, Feature, Primaries, RenderIntent, TransferFunction, WpColorManagerV1,
};
use wayland_protocols::wp::color_management::v1::server::wp_image_description_creator_params_v1::{
    self as params, WpImageDescriptionCreatorParamsV1,
};
use wayland_protocols::wp::color_management::v1::server::wp_image_description_v1::{
    Cause, WpImageDescriptionV1,
};
use wayland_server::{
    Client, DataInit, Dispatch, DisplayHandle, GlobalDispatch, New, Resource, WEnum,
};

use super::State;

/// What the colour manager supports.
#[derive(Clone, Debug, Default)]
pub struct ColourOffer {
    pub primaries: Vec<Primaries>,
    pub transfers: Vec<TransferFunction>,
    pub features: Vec<Feature>,
    /// Descriptions with a mastering display fail.
    pub refuses_mastering: bool,
    /// Descriptions with these transfer functions fail.
    pub refused: Vec<TransferFunction>,
}

/// An image description.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Description {
    pub primaries: Option<Primaries>,
    pub transfer: Option<TransferFunction>,
    /// Red, green, blue and white of the mastering display.
    pub mastering: Option<[i32; 8]>,
    /// Its minimum and maximum luminance.
    pub luminance: Option<[u32; 2]>,
    pub max_content: Option<u32>,
    pub max_average: Option<u32>,
}

/// The value of an enumeration that the compositor knows.
fn known<T: std::fmt::Debug>(value: WEnum<T>) -> T {
    value.into_result().unwrap()
}

impl Description {
    /// The protocol's errors of incomplete and contradictory descriptions, in version 1.
    fn check(&self) {
        assert!(self.primaries.is_some() && self.transfer.is_some());
        let range = self.luminance.unwrap_or(match self.transfer.unwrap() {
            TransferFunction::St2084Pq => [50, 10_000],
            TransferFunction::Hlg => [50, 1000],
            _ => [2000, 80],
        });
        for level in [self.max_content, self.max_average].into_iter().flatten() {
            assert!(level * 10_000 > range[0] && level <= range[1], "{self:?}");
        }
        if let (Some(content), Some(average)) = (self.max_content, self.max_average) {
            assert!(average <= content, "{self:?}");
        }
    }
}

impl State {
    fn colours(&self) -> &ColourOffer {
        self.offer.colours.as_ref().unwrap()
    }
}

impl GlobalDispatch<WpColorManagerV1, ()> for State {
    fn bind(
        state: &mut Self,
        _: &DisplayHandle,
        _: &Client,
        new: New<WpColorManagerV1>,
        (): &(),
        init: &mut DataInit<'_, Self>,
    ) {
        let manager = init.init(new, ());
        manager.supported_intent(RenderIntent::Perceptual);
        let offer = state.colours();
        for &feature in &offer.features {
            manager.supported_feature(feature);
        }
        for &transfer in &offer.transfers {
            manager.supported_tf_named(transfer);
        }
        for &primaries in &offer.primaries {
            manager.supported_primaries_named(primaries);
        }
        manager.done();
    }
}

impl Dispatch<WpColorManagerV1, ()> for State {
    fn request(
        state: &mut Self,
        _: &Client,
        _: &WpColorManagerV1,
        request: manager::Request,
        (): &(),
        _: &DisplayHandle,
        init: &mut DataInit<'_, Self>,
    ) {
        match request {
            manager::Request::GetSurface { id, .. } => {
                init.init(id, ());
                // A surface has at most one.
                assert_eq!(state.managed.fetch_add(1, Relaxed), 0);
            }
            manager::Request::CreateParametricCreator { obj } => {
                assert!(state.colours().features.contains(&Feature::Parametric));
                init.init(obj, Mutex::default());
            }
            manager::Request::Destroy => {}
            other => panic!("{other:?}"),
        }
    }
}

impl Dispatch<WpImageDescriptionCreatorParamsV1, Mutex<Description>> for State {
    fn request(
        state: &mut Self,
        _: &Client,
        _: &WpImageDescriptionCreatorParamsV1,
        request: params::Request,
        description: &Mutex<Description>,
        _: &DisplayHandle,
        init: &mut DataInit<'_, Self>,
    ) {
        use params::Request as R;
        let mut description = description.lock().unwrap();
        let masters = || {
            let feature = Feature::SetMasteringDisplayPrimaries;
            assert!(state.colours().features.contains(&feature));
        };
        match request {
            R::SetPrimariesNamed { primaries } => {
                let primaries = known(primaries);
                assert!(state.colours().primaries.contains(&primaries));
                assert_eq!(description.primaries.replace(primaries), None);
            }
            R::SetTfNamed { tf } => {
                let transfer = known(tf);
                assert!(state.colours().transfers.contains(&transfer));
                assert_eq!(description.transfer.replace(transfer), None);
            }
            R::SetMasteringDisplayPrimaries {
                r_x,
                r_y,
                g_x,
                g_y,
                b_x,
                b_y,
                w_x,
                w_y,
            } => {
                masters();
                let all = [r_x, r_y, g_x, g_y, b_x, b_y, w_x, w_y];
                assert_eq!(description.mastering.replace(all), None);
            }
            R::SetMasteringLuminance { min_lum, max_lum } => {
                masters();
                assert!(max_lum * 10_000 > min_lum);
                assert_eq!(description.luminance.replace([min_lum, max_lum]), None);
            }
            R::SetMaxCll { max_cll } => description.max_content = Some(max_cll),
            R::SetMaxFall { max_fall } => description.max_average = Some(max_fall),
            R::Create { image_description } => {
                description.check();
                let refuses = description.mastering.is_some() && state.colours().refuses_mastering
                    || state
                        .colours()
                        .refused
                        .contains(&description.transfer.unwrap());
                let made = (!refuses).then_some(*description);
                let object = init.init(image_description, made);
                match refuses {
                    true => object.failed(Cause::Unsupported, "refused".into()),
                    false => object.ready(1),
                }
            }
            other => panic!("{other:?}"),
        }
    }
}

impl Dispatch<WpImageDescriptionV1, Option<Description>> for State {
    fn request(
        _: &mut Self,
        _: &Client,
        _: &WpImageDescriptionV1,
        _: <WpImageDescriptionV1 as Resource>::Request,
        _: &Option<Description>,
        _: &DisplayHandle,
        _: &mut DataInit<'_, Self>,
    ) {
    }
}

impl Dispatch<WpColorManagementSurfaceV1, ()> for State {
    fn request(
        state: &mut Self,
        _: &Client,
        _: &WpColorManagementSurfaceV1,
        request: managed::Request,
        (): &(),
        _: &DisplayHandle,
        _: &mut DataInit<'_, Self>,
    ) {
        match request {
            managed::Request::SetImageDescription {
                image_description,
                render_intent,
            } => {
                assert_eq!(known(render_intent), RenderIntent::Perceptual);
                let data = image_description.data::<Option<Description>>();
                // Only descriptions that are ready may be set.
                state.description = Some(data.unwrap().unwrap());
                state.descriptions_set += 1;
            }
            managed::Request::UnsetImageDescription => state.description = None,
            managed::Request::Destroy => {
                state.description = None;
                state.managed.fetch_sub(1, Relaxed);
            }
            _ => {}
        }
    }
}
