//! Colour spaces of Wayland surfaces (VK_EXT_swapchain_colorspace), in a compositor of the test.

use ash::{ext, khr, vk};
use wayland_client::globals::{GlobalListContents, registry_queue_init};
use wayland_client::protocol::wl_compositor::WlCompositor;
use wayland_client::protocol::wl_registry::{self, WlRegistry};
use wayland_client::protocol::wl_surface::WlSurface;
use wayland_client::{Connection, Dispatch, Proxy, QueueHandle, delegate_noop};
use wayland_protocols::wp::color_management::v1::server::wp_color_manager_v1::{
    Feature, Primaries, TransferFunction,
};

use crate::compositor::colours::{ColourOffer, Description};
use crate::compositor::{Compositor, Offer};
use crate::rig;

struct Application;

impl Dispatch<WlRegistry, GlobalListContents> for Application {
    fn event(
        _: &mut Self,
        _: &WlRegistry,
        _: wl_registry::Event,
        _: &GlobalListContents,
        _: &Connection,
        _: &QueueHandle<Self>,
    ) {
    }
}

delegate_noop!(Application: WlCompositor);
delegate_noop!(Application: ignore WlSurface);

/// A window, and a device that presents to it.
struct Window {
    compositor: Compositor,
    _window: WlSurface,
    instance: ash::Instance,
    physical: vk::PhysicalDevice,
    device: ash::Device,
    surfaces: khr::surface::Instance,
    surface: vk::SurfaceKHR,
}

impl Window {
    /// A window whose instance has the extension or not.
    fn new(with_spaces: bool) -> Self {
        let compositor = Compositor::start(Offer {
            // ARGB8888 and XRGB8888.
            shm: vec![0, 1],
            colours: Some(ColourOffer {
                primaries: vec![Primaries::Srgb, Primaries::Bt2020],
                transfers: vec![TransferFunction::Srgb, TransferFunction::St2084Pq],
                features: vec![Feature::Parametric, Feature::SetMasteringDisplayPrimaries],
                ..ColourOffer::default()
            }),
            ..Offer::default()
        });
        let connection = &compositor.connection;
        let (globals, queue) = registry_queue_init::<Application>(connection).unwrap();
        let handle = queue.handle();
        let factory: WlCompositor = globals.bind(&handle, 1..=4, ()).unwrap();
        let window = factory.create_surface(&handle, ());
        let entry = rig::entry();
        let mut names = vec![
            c"VK_KHR_surface".as_ptr(),
            c"VK_KHR_wayland_surface".as_ptr(),
            c"VK_KHR_get_surface_capabilities2".as_ptr(),
        ];
        if with_spaces {
            names.push(c"VK_EXT_swapchain_colorspace".as_ptr());
        }
        let app = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_1);
        let info = vk::InstanceCreateInfo::default()
            .application_info(&app)
            .enabled_extension_names(&names);
        unsafe {
            let instance = entry.create_instance(&info, None).unwrap();
            let physical = instance.enumerate_physical_devices().unwrap()[0];
            let priorities = [1.0];
            let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&priorities)];
            let names = [c"VK_KHR_swapchain", c"VK_EXT_hdr_metadata"];
            let names = names.map(|name| name.as_ptr());
            let info = vk::DeviceCreateInfo::default()
                .queue_create_infos(&queues)
                .enabled_extension_names(&names);
            let device = instance.create_device(physical, &info, None).unwrap();
            let windows = khr::wayland_surface::Instance::new(&entry, &instance);
            let info = vk::WaylandSurfaceCreateInfoKHR::default()
                .display(connection.backend().display_ptr().cast())
                .surface(window.id().as_ptr().cast());
            Self {
                surface: windows.create_wayland_surface(&info, None).unwrap(),
                surfaces: khr::surface::Instance::new(&entry, &instance),
                compositor,
                _window: window,
                instance,
                physical,
                device,
            }
        }
    }

    fn formats(&self) -> Vec<(vk::Format, vk::ColorSpaceKHR)> {
        let formats = unsafe {
            (self.surfaces).get_physical_device_surface_formats(self.physical, self.surface)
        };
        let formats = formats.unwrap().into_iter();
        formats
            .map(|format| (format.format, format.color_space))
            .collect()
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        unsafe {
            self.device.destroy_device(None);
            self.surfaces.destroy_surface(self.surface, None);
            self.instance.destroy_instance(None);
        }
    }
}

#[test]
fn colour_spaces_beyond_srgb_belong_to_the_extension() {
    use vk::ColorSpaceKHR as C;
    use vk::Format as F;
    let with = |space| [F::B8G8R8A8_SRGB, F::B8G8R8A8_UNORM].map(|format| (format, space));
    let window = Window::new(false);
    assert_eq!(window.formats(), with(C::SRGB_NONLINEAR));
    let window = Window::new(true);
    let meant = [C::SRGB_NONLINEAR, C::PASS_THROUGH_EXT, C::HDR10_ST2084_EXT];
    assert_eq!(window.formats(), meant.map(with).concat());
}

#[test]
fn swapchains_present_in_their_colour_space_with_their_metadata() {
    let window = Window::new(true);
    let (instance, d) = (&window.instance, &window.device);
    let swapchains = khr::swapchain::Device::new(instance, d);
    let hdr = ext::hdr_metadata::Device::new(instance, d);
    let info = vk::SwapchainCreateInfoKHR::default()
        .surface(window.surface)
        .min_image_count(3)
        .image_format(vk::Format::B8G8R8A8_UNORM)
        .image_color_space(vk::ColorSpaceKHR::HDR10_ST2084_EXT)
        .image_extent(vk::Extent2D {
            width: 16,
            height: 16,
        })
        .image_array_layers(1)
        .image_usage(vk::ImageUsageFlags::TRANSFER_DST)
        .pre_transform(vk::SurfaceTransformFlagsKHR::IDENTITY)
        .composite_alpha(vk::CompositeAlphaFlagsKHR::OPAQUE)
        .present_mode(vk::PresentModeKHR::MAILBOX);
    unsafe {
        let other = vk::ColorSpaceKHR::BT2020_LINEAR_EXT;
        let refused = swapchains.create_swapchain(&info.image_color_space(other), None);
        assert_eq!(refused, Err(vk::Result::ERROR_FORMAT_NOT_SUPPORTED));
        let chain = swapchains.create_swapchain(&info, None).unwrap();
        let queue = d.get_device_queue(0, 0);
        for number in 0..2 {
            if number == 1 {
                let metadata = vk::HdrMetadataEXT::default()
                    .display_primary_red(vk::XYColorEXT { x: 0.68, y: 0.32 })
                    .display_primary_green(vk::XYColorEXT { x: 0.265, y: 0.69 })
                    .display_primary_blue(vk::XYColorEXT { x: 0.15, y: 0.06 })
                    .white_point(vk::XYColorEXT {
                        x: 0.3127,
                        y: 0.329,
                    })
                    .max_luminance(1000.0)
                    .min_luminance(0.001)
                    .max_content_light_level(600.0)
                    .max_frame_average_light_level(400.0);
                hdr.set_hdr_metadata(&[chain], &[metadata]);
            }
            let fence = d.create_fence(&Default::default(), None).unwrap();
            let none = vk::Semaphore::null();
            let acquired = swapchains.acquire_next_image(chain, u64::MAX, none, fence);
            let (chains, indices) = ([chain], [acquired.unwrap().0]);
            d.wait_for_fences(&[fence], true, u64::MAX).unwrap();
            d.destroy_fence(fence, None);
            let info = vk::PresentInfoKHR::default()
                .swapchains(&chains)
                .image_indices(&indices);
            swapchains.queue_present(queue, &info).unwrap();
            window.compositor.wait_for(number + 1);
        }
        let commits = window.compositor.wait_for(2);
        let plain = Description {
            primaries: Some(Primaries::Bt2020),
            transfer: Some(TransferFunction::St2084Pq),
            ..Description::default()
        };
        assert_eq!(commits[0].description, Some(plain));
        let extended = Description {
            mastering: Some([
                680_000, 320_000, 265_000, 690_000, 150_000, 60_000, 312_700, 329_000,
            ]),
            luminance: Some([10, 1000]),
            max_content: Some(600),
            max_average: Some(400),
            ..plain
        };
        assert_eq!(commits[1].description, Some(extended));
        d.device_wait_idle().unwrap();
        swapchains.destroy_swapchain(chain, None);
    }
}
