//! Swapchains: acquiring and presenting images, without a window.

use ash::{khr, vk};

use crate::rig;

pub struct Screen {
    pub entry: ash::Entry,
    pub instance: ash::Instance,
    pub physical: vk::PhysicalDevice,
    pub device: ash::Device,
    pub queue: vk::Queue,
    surfaces: khr::surface::Instance,
    pub swapchains: khr::swapchain::Device,
    pub surface: vk::SurfaceKHR,
}

/// `VkPhysicalDevicePresentTimingFeaturesEXT`, with all features.
#[repr(C)]
struct PresentTimingFeatures {
    s_type: vk::StructureType,
    p_next: *const std::ffi::c_void,
    features: [vk::Bool32; 3],
}

impl Screen {
    pub fn new() -> Self {
        let entry = rig::entry();
        let names = [
            c"VK_KHR_surface",
            c"VK_EXT_headless_surface",
            c"VK_KHR_get_surface_capabilities2",
            c"VK_EXT_surface_maintenance1",
            c"VK_KHR_surface_protected_capabilities",
        ];
        let names = names.map(|name| name.as_ptr());
        let app = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_1);
        let info = vk::InstanceCreateInfo::default()
            .application_info(&app)
            .enabled_extension_names(&names);
        unsafe {
            let instance = entry.create_instance(&info, None).unwrap();
            let physical = instance.enumerate_physical_devices().unwrap()[0];
            let priorities = [1.0];
            let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&priorities)];
            let names = [
                c"VK_KHR_swapchain",
                c"VK_EXT_hdr_metadata",
                c"VK_KHR_incremental_present",
                c"VK_KHR_present_id",
                c"VK_KHR_present_id2",
                c"VK_KHR_present_wait2",
                c"VK_KHR_present_wait",
                c"VK_EXT_swapchain_maintenance1",
                c"VK_KHR_calibrated_timestamps",
                c"VK_EXT_present_timing",
            ];
            let names = names.map(|name| name.as_ptr());
            let mut ids = vk::PhysicalDevicePresentIdFeaturesKHR::default().present_id(true);
            let mut waits = vk::PhysicalDevicePresentWaitFeaturesKHR::default().present_wait(true);
            let mut maintenance = vk::PhysicalDeviceSwapchainMaintenance1FeaturesEXT::default()
                .swapchain_maintenance1(true);
            let info = vk::DeviceCreateInfo::default()
                .queue_create_infos(&queues)
                .enabled_extension_names(&names)
                .push_next(&mut maintenance)
                .push_next(&mut ids)
                .push_next(&mut waits);
            let timing = PresentTimingFeatures {
                s_type: vk::StructureType::from_raw(1_000_208_000),
                p_next: info.p_next,
                features: [vk::TRUE; 3],
            };
            let info = vk::DeviceCreateInfo {
                p_next: (&raw const timing).cast(),
                ..info
            };
            let device = instance.create_device(physical, &info, None).unwrap();
            let headless = ash::ext::headless_surface::Instance::new(&entry, &instance);
            let info = vk::HeadlessSurfaceCreateInfoEXT::default();
            Self {
                surface: headless.create_headless_surface(&info, None).unwrap(),
                surfaces: khr::surface::Instance::new(&entry, &instance),
                swapchains: khr::swapchain::Device::new(&instance, &device),
                queue: device.get_device_queue(0, 0),
                entry,
                instance,
                physical,
                device,
            }
        }
    }

    pub fn swapchain(&self, old: vk::SwapchainKHR) -> Result<vk::SwapchainKHR, vk::Result> {
        self.swapchain_with(old, vk::SwapchainCreateFlagsKHR::empty())
    }

    pub fn swapchain_with(
        &self,
        old: vk::SwapchainKHR,
        flags: vk::SwapchainCreateFlagsKHR,
    ) -> Result<vk::SwapchainKHR, vk::Result> {
        let info = vk::SwapchainCreateInfoKHR::default()
            .flags(flags)
            .surface(self.surface)
            .min_image_count(3)
            .image_format(vk::Format::B8G8R8A8_UNORM)
            .image_color_space(vk::ColorSpaceKHR::SRGB_NONLINEAR)
            .image_extent(vk::Extent2D {
                width: 64,
                height: 32,
            })
            .image_array_layers(1)
            .image_usage(vk::ImageUsageFlags::COLOR_ATTACHMENT)
            .pre_transform(vk::SurfaceTransformFlagsKHR::IDENTITY)
            .composite_alpha(vk::CompositeAlphaFlagsKHR::OPAQUE)
            .present_mode(vk::PresentModeKHR::FIFO)
            .old_swapchain(old);
        unsafe { self.swapchains.create_swapchain(&info, None) }
    }

    pub fn acquire(&self, swapchain: vk::SwapchainKHR, timeout: u64) -> Result<u32, vk::Result> {
        let fence = unsafe { self.device.create_fence(&Default::default(), None) }.unwrap();
        let none = vk::Semaphore::null();
        unsafe {
            let acquired = self
                .swapchains
                .acquire_next_image(swapchain, timeout, none, fence);
            if acquired.is_ok() {
                self.device
                    .wait_for_fences(&[fence], true, u64::MAX)
                    .unwrap();
            }
            self.device.destroy_fence(fence, None);
            acquired.map(|(index, _)| index)
        }
    }

    fn present(&self, swapchain: vk::SwapchainKHR, index: u32) -> Result<bool, vk::Result> {
        let (swapchains, indices) = ([swapchain], [index]);
        let info = vk::PresentInfoKHR::default()
            .swapchains(&swapchains)
            .image_indices(&indices);
        unsafe { self.swapchains.queue_present(self.queue, &info) }
    }

    pub fn destroy(self, swapchains: &[vk::SwapchainKHR]) {
        unsafe {
            self.device.device_wait_idle().unwrap();
            for &swapchain in swapchains {
                self.swapchains.destroy_swapchain(swapchain, None);
            }
            self.surfaces.destroy_surface(self.surface, None);
            self.device.destroy_device(None);
            self.instance.destroy_instance(None);
        }
        drop(self.entry);
    }
}

#[test]
fn a_surface_reports_its_capabilities() {
    let screen = Screen::new();
    let (surface, physical) = (screen.surface, screen.physical);
    unsafe {
        let can = screen
            .surfaces
            .get_physical_device_surface_support(physical, 0, surface);
        assert!(can.unwrap());
        let found = screen
            .surfaces
            .get_physical_device_surface_capabilities(physical, surface);
        let found = found.unwrap();
        assert_eq!(found.current_extent.width, u32::MAX);
        assert!(
            found
                .supported_usage_flags
                .contains(vk::ImageUsageFlags::COLOR_ATTACHMENT | vk::ImageUsageFlags::STORAGE)
        );
        let modes = screen
            .surfaces
            .get_physical_device_surface_present_modes(physical, surface);
        assert!(modes.unwrap().contains(&vk::PresentModeKHR::FIFO));
        let formats = screen
            .surfaces
            .get_physical_device_surface_formats(physical, surface);
        let formats = formats.unwrap();
        assert!(
            formats
                .iter()
                .any(|format| format.format == vk::Format::B8G8R8A8_SRGB)
        );
    }
    screen.destroy(&[]);
}

#[test]
fn swapchain_images_are_acquired_in_turn() {
    let screen = Screen::new();
    let swapchain = screen.swapchain(vk::SwapchainKHR::null()).unwrap();
    let images = unsafe { screen.swapchains.get_swapchain_images(swapchain) }.unwrap();
    assert_eq!(images.len(), 3);
    let mut taken: Vec<_> = (0..3)
        .map(|_| screen.acquire(swapchain, 0).unwrap())
        .collect();
    taken.sort();
    assert_eq!(taken, [0, 1, 2]);
    assert_eq!(screen.acquire(swapchain, 0), Err(vk::Result::NOT_READY));
    assert_eq!(
        screen.acquire(swapchain, 1_000_000),
        Err(vk::Result::TIMEOUT)
    );
    for turn in 0..20 {
        let index = turn % 3;
        assert_eq!(screen.present(swapchain, index), Ok(false));
        assert_eq!(screen.acquire(swapchain, u64::MAX), Ok(index));
    }
    screen.destroy(&[swapchain]);
}

#[test]
fn hdr_metadata_leave_srgb_as_it_is() {
    let screen = Screen::new();
    let swapchain = screen.swapchain(vk::SwapchainKHR::null()).unwrap();
    let hdr = ash::ext::hdr_metadata::Device::new(&screen.instance, &screen.device);
    let metadata = vk::HdrMetadataEXT::default()
        .display_primary_red(vk::XYColorEXT { x: 0.7, y: 0.29 })
        .max_luminance(1000.0)
        .max_content_light_level(400.0);
    unsafe { hdr.set_hdr_metadata(&[swapchain, swapchain], &[metadata, metadata]) };
    let index = screen.acquire(swapchain, u64::MAX).unwrap();
    assert_eq!(screen.present(swapchain, index), Ok(false));
    // Metadata alone change no colour space: there is sRGB only.
    unsafe {
        let (physical, surface) = (screen.physical, screen.surface);
        let formats = screen
            .surfaces
            .get_physical_device_surface_formats(physical, surface);
        let spaces = formats
            .unwrap()
            .into_iter()
            .map(|format| format.color_space);
        assert!(spaces.clone().count() > 0);
        assert!({ spaces }.all(|space| space == vk::ColorSpaceKHR::SRGB_NONLINEAR));
    }
    screen.destroy(&[swapchain]);
}

#[test]
fn presents_accept_changed_regions() {
    let screen = Screen::new();
    let swapchain = screen.swapchain(vk::SwapchainKHR::null()).unwrap();
    let part = vk::RectLayerKHR {
        offset: vk::Offset2D { x: 3, y: 5 },
        extent: vk::Extent2D {
            width: 10,
            height: 7,
        },
        layer: 0,
    };
    // A part, nothing, and everything, which is a null list.
    let (one, none) = ([part], []);
    let all = vk::PresentRegionKHR::default();
    for region in [all.rectangles(&one), all.rectangles(&none), all] {
        let index = screen.acquire(swapchain, u64::MAX).unwrap();
        let (swapchains, indices, regions) = ([swapchain], [index], [region]);
        let mut told = vk::PresentRegionsKHR::default().regions(&regions);
        let info = vk::PresentInfoKHR::default()
            .swapchains(&swapchains)
            .image_indices(&indices)
            .push_next(&mut told);
        let shown = unsafe { screen.swapchains.queue_present(screen.queue, &info) };
        assert_eq!(shown, Ok(false));
    }
    screen.destroy(&[swapchain]);
}

#[test]
fn presents_wait_for_rendering() {
    let screen = Screen::new();
    let swapchain = screen.swapchain(vk::SwapchainKHR::null()).unwrap();
    let semaphore = unsafe { screen.device.create_semaphore(&Default::default(), None) }.unwrap();
    for _ in 0..5 {
        let none = vk::Fence::null();
        let acquired = unsafe {
            screen
                .swapchains
                .acquire_next_image(swapchain, u64::MAX, semaphore, none)
        };
        let (index, _) = acquired.unwrap();
        let (semaphores, stages) = ([semaphore], [vk::PipelineStageFlags::ALL_COMMANDS]);
        let submit = vk::SubmitInfo::default()
            .wait_semaphores(&semaphores)
            .wait_dst_stage_mask(&stages)
            .signal_semaphores(&semaphores);
        let (swapchains, indices) = ([swapchain], [index]);
        let present = vk::PresentInfoKHR::default()
            .wait_semaphores(&semaphores)
            .swapchains(&swapchains)
            .image_indices(&indices);
        unsafe {
            screen
                .device
                .queue_submit(screen.queue, &[submit], none)
                .unwrap();
            screen
                .swapchains
                .queue_present(screen.queue, &present)
                .unwrap();
        }
    }
    unsafe {
        screen.device.device_wait_idle().unwrap();
        screen.device.destroy_semaphore(semaphore, None);
    }
    screen.destroy(&[swapchain]);
}

#[test]
fn new_swapchain_retires_the_old_one() {
    let screen = Screen::new();
    let first = screen.swapchain(vk::SwapchainKHR::null()).unwrap();
    let again = screen.swapchain(vk::SwapchainKHR::null());
    assert_eq!(again, Err(vk::Result::ERROR_NATIVE_WINDOW_IN_USE_KHR));
    let held = screen.acquire(first, 0).unwrap();
    let second = screen.swapchain(first).unwrap();
    assert_eq!(
        screen.acquire(first, 0),
        Err(vk::Result::ERROR_OUT_OF_DATE_KHR)
    );
    // What was acquired before may still be presented.
    assert_eq!(screen.present(first, held), Ok(false));
    assert!(screen.acquire(second, 0).is_ok());
    screen.destroy(&[first, second]);
}

#[test]
fn presenting_an_unacquired_image_is_refused() {
    let screen = Screen::new();
    let swapchain = screen.swapchain(vk::SwapchainKHR::null()).unwrap();
    assert!(screen.present(swapchain, 0).is_err());
    assert!(screen.present(swapchain, 77).is_err());
    assert!(screen.acquire(swapchain, 0).is_ok());
    screen.destroy(&[swapchain]);
}

#[test]
fn present_wait_waits_for_the_present_id() {
    wait_for_ids(false);
}

#[test]
fn the_second_versions_of_ids_and_waits_do_the_same() {
    wait_for_ids(true);
}

/// `VkPresentId2KHR`.
#[repr(C)]
struct PresentId2 {
    s_type: vk::StructureType,
    p_next: *const std::ffi::c_void,
    count: u32,
    ids: *const u64,
}

/// `VkPresentWait2InfoKHR`.
#[repr(C)]
struct PresentWait2 {
    s_type: vk::StructureType,
    p_next: *const std::ffi::c_void,
    id: u64,
    timeout_ns: u64,
}

type WaitForPresent2 =
    unsafe extern "system" fn(vk::Device, vk::SwapchainKHR, *const PresentWait2) -> vk::Result;

/// Whether the surface supports `VK_KHR_present_id2` (479) or `VK_KHR_present_wait2` (480).
fn supports(screen: &Screen, extension: i32) -> bool {
    let mut found = [1_000_000_000 + u64::from(extension as u32) * 1000, 0, 0];
    let mut all = vk::SurfaceCapabilities2KHR {
        p_next: found.as_mut_ptr().cast(),
        ..Default::default()
    };
    let get = khr::get_surface_capabilities2::Instance::new(&screen.entry, &screen.instance);
    let info = vk::PhysicalDeviceSurfaceInfo2KHR::default().surface(screen.surface);
    unsafe {
        let physical = screen.physical;
        get.get_physical_device_surface_capabilities2(physical, &info, &mut all)
            .unwrap();
    }
    found[2] == 1
}

fn wait_for_ids(second: bool) {
    let screen = Screen::new();
    let waits = khr::present_wait::Device::new(&screen.instance, &screen.device);
    let wait2 = unsafe {
        let load = screen.instance.fp_v1_0().get_device_proc_addr;
        let found = load(screen.device.handle(), c"vkWaitForPresent2KHR".as_ptr());
        std::mem::transmute::<unsafe extern "system" fn(), WaitForPresent2>(found.unwrap())
    };
    assert!(supports(&screen, 479) && supports(&screen, 480));
    // VK_SWAPCHAIN_CREATE_PRESENT_ID_2_BIT_KHR and PRESENT_WAIT_2_BIT_KHR.
    let flags = vk::SwapchainCreateFlagsKHR::from_raw(if second { 0xc0 } else { 0 });
    let swapchain = screen
        .swapchain_with(vk::SwapchainKHR::null(), flags)
        .unwrap();
    let wait = |id, timeout_ns| unsafe {
        if !second {
            return waits.wait_for_present(swapchain, id, timeout_ns);
        }
        let info = PresentWait2 {
            s_type: vk::StructureType::from_raw(1_000_480_002),
            p_next: std::ptr::null(),
            id,
            timeout_ns,
        };
        wait2(screen.device.handle(), swapchain, &raw const info).result()
    };
    let present = |id: u64| {
        let index = screen.acquire(swapchain, u64::MAX).unwrap();
        let (swapchains, indices, ids) = ([swapchain], [index], [id]);
        let numbers = vk::PresentIdKHR::default().present_ids(&ids);
        let numbers2 = PresentId2 {
            s_type: vk::StructureType::from_raw(1_000_479_001),
            p_next: std::ptr::null(),
            count: 1,
            ids: ids.as_ptr(),
        };
        let mut info = vk::PresentInfoKHR::default()
            .swapchains(&swapchains)
            .image_indices(&indices);
        info.p_next = match second {
            true => (&raw const numbers2).cast(),
            false => (&raw const numbers).cast(),
        };
        unsafe { screen.swapchains.queue_present(screen.queue, &info) }.unwrap();
    };
    assert_eq!(wait(1, 0), Err(vk::Result::TIMEOUT));
    assert_eq!(wait(1, 2_000_000), Err(vk::Result::TIMEOUT));
    present(3);
    assert_eq!(wait(3, u64::MAX), Ok(()));
    // A later one counts for those before it; one without a number for none.
    assert_eq!(wait(2, 0), Ok(()));
    present(0);
    assert_eq!(wait(4, 2_000_000), Err(vk::Result::TIMEOUT));
    std::thread::scope(|scope| {
        let waiter = scope.spawn(|| wait(7, u64::MAX));
        for id in 5..8 {
            present(id);
        }
        assert_eq!(waiter.join().unwrap(), Ok(()));
    });
    screen.destroy(&[swapchain]);
}

#[test]
fn retired_swapchain_presents_queued_images() {
    let screen = Screen::new();
    let waits = khr::present_wait::Device::new(&screen.instance, &screen.device);
    let first = screen.swapchain(vk::SwapchainKHR::null()).unwrap();
    let index = screen.acquire(first, u64::MAX).unwrap();
    let (swapchains, indices, ids) = ([first], [index], [9]);
    let mut numbers = vk::PresentIdKHR::default().present_ids(&ids);
    let info = vk::PresentInfoKHR::default()
        .swapchains(&swapchains)
        .image_indices(&indices)
        .push_next(&mut numbers);
    unsafe { screen.swapchains.queue_present(screen.queue, &info) }.unwrap();
    let second = screen.swapchain(first).unwrap();
    let shown = unsafe { waits.wait_for_present(first, 9, u64::MAX) };
    assert_eq!(shown, Ok(()));
    screen.destroy(&[first, second]);
}

#[test]
fn unpresented_images_are_released() {
    let screen = Screen::new();
    let maintenance =
        ash::ext::swapchain_maintenance1::Device::new(&screen.instance, &screen.device);
    let swapchain = screen.swapchain(vk::SwapchainKHR::null()).unwrap();
    let all = [0; 3].map(|_| screen.acquire(swapchain, 0).unwrap());
    assert_eq!(screen.acquire(swapchain, 0), Err(vk::Result::NOT_READY));
    let release = |indices: &[u32]| {
        let info = vk::ReleaseSwapchainImagesInfoEXT::default()
            .swapchain(swapchain)
            .image_indices(indices);
        unsafe { maintenance.release_swapchain_images(&info) }.unwrap();
    };
    release(&[all[1], all[0]]);
    let again = [0; 2].map(|_| screen.acquire(swapchain, 0).unwrap());
    assert_eq!(again, [all[1], all[0]]);
    assert_eq!(screen.acquire(swapchain, 0), Err(vk::Result::NOT_READY));
    // Images that do not exist, or that were released already, change nothing.
    release(&[all[2], all[2], 77]);
    assert_eq!(screen.acquire(swapchain, 0), Ok(all[2]));
    assert_eq!(screen.acquire(swapchain, 0), Err(vk::Result::NOT_READY));
    screen.destroy(&[swapchain]);
}

#[test]
fn presents_signal_fences_and_change_modes() {
    let screen = Screen::new();
    let modes = [
        vk::PresentModeKHR::FIFO,
        vk::PresentModeKHR::IMMEDIATE,
        vk::PresentModeKHR::MAILBOX,
    ];
    let mut compatible = vk::SwapchainPresentModesCreateInfoEXT::default().present_modes(&modes);
    let mut scaling = vk::SwapchainPresentScalingCreateInfoEXT::default()
        .scaling_behavior(vk::PresentScalingFlagsEXT::ONE_TO_ONE)
        .present_gravity_x(vk::PresentGravityFlagsEXT::MIN)
        .present_gravity_y(vk::PresentGravityFlagsEXT::MIN);
    let info = vk::SwapchainCreateInfoKHR::default()
        .flags(vk::SwapchainCreateFlagsKHR::DEFERRED_MEMORY_ALLOCATION_EXT)
        .surface(screen.surface)
        .min_image_count(3)
        .image_format(vk::Format::B8G8R8A8_UNORM)
        .image_extent(vk::Extent2D {
            width: 64,
            height: 32,
        })
        .image_array_layers(1)
        .image_usage(vk::ImageUsageFlags::COLOR_ATTACHMENT)
        .composite_alpha(vk::CompositeAlphaFlagsKHR::OPAQUE)
        .present_mode(vk::PresentModeKHR::FIFO)
        .push_next(&mut compatible)
        .push_next(&mut scaling);
    let swapchain = unsafe { screen.swapchains.create_swapchain(&info, None) }.unwrap();
    let fence = unsafe { screen.device.create_fence(&Default::default(), None) }.unwrap();
    for mode in modes {
        let index = screen.acquire(swapchain, u64::MAX).unwrap();
        let (swapchains, indices, fences, modes) = ([swapchain], [index], [fence], [mode]);
        let mut fences = vk::SwapchainPresentFenceInfoEXT::default().fences(&fences);
        let mut modes = vk::SwapchainPresentModeInfoEXT::default().present_modes(&modes);
        let info = vk::PresentInfoKHR::default()
            .swapchains(&swapchains)
            .image_indices(&indices)
            .push_next(&mut fences)
            .push_next(&mut modes);
        unsafe {
            let unsignalled = screen.device.get_fence_status(fence);
            assert_eq!(unsignalled, Ok(false));
            screen
                .swapchains
                .queue_present(screen.queue, &info)
                .unwrap();
            let device = &screen.device;
            device
                .wait_for_fences(&[fence], true, 10_000_000_000)
                .unwrap();
            device.reset_fences(&[fence]).unwrap();
        }
    }
    unsafe { screen.device.destroy_fence(fence, None) };
    screen.destroy(&[swapchain]);
}

#[test]
fn capabilities_depend_on_the_present_mode() {
    let screen = Screen::new();
    let query = khr::get_surface_capabilities2::Instance::new(&screen.entry, &screen.instance);
    let mut mode = vk::SurfacePresentModeEXT::default().present_mode(vk::PresentModeKHR::MAILBOX);
    let info = vk::PhysicalDeviceSurfaceInfo2KHR::default()
        .surface(screen.surface)
        .push_next(&mut mode);
    let mut scaling = vk::SurfacePresentScalingCapabilitiesEXT::default();
    let mut compatible = vk::SurfacePresentModeCompatibilityEXT::default();
    let mut found = vk::SurfaceCapabilities2KHR::default()
        .push_next(&mut scaling)
        .push_next(&mut compatible);
    let physical = screen.physical;
    unsafe {
        query
            .get_physical_device_surface_capabilities2(physical, &info, &mut found)
            .unwrap();
    }
    assert_eq!(found.surface_capabilities.min_image_count, 2);
    assert_eq!(compatible.present_mode_count, 4);
    let mut list = [vk::PresentModeKHR::from_raw(-1); 4];
    let mut compatible = vk::SurfacePresentModeCompatibilityEXT::default().present_modes(&mut list);
    let mut found = vk::SurfaceCapabilities2KHR::default().push_next(&mut compatible);
    unsafe {
        query
            .get_physical_device_surface_capabilities2(physical, &info, &mut found)
            .unwrap();
    }
    // A mode is compatible with itself.
    assert!(list.contains(&vk::PresentModeKHR::MAILBOX));
    assert_eq!(
        scaling.supported_present_scaling,
        vk::PresentScalingFlagsEXT::ONE_TO_ONE
    );
    assert_eq!(
        scaling.supported_present_gravity_x,
        vk::PresentGravityFlagsEXT::MIN
    );
    assert_eq!(scaling.max_scaled_image_extent.width, 16_384);
    screen.destroy(&[]);
}

#[test]
fn no_surface_is_protected() {
    let screen = Screen::new();
    let query = khr::get_surface_capabilities2::Instance::new(&screen.entry, &screen.instance);
    let info = vk::PhysicalDeviceSurfaceInfo2KHR::default().surface(screen.surface);
    let mut protected = vk::SurfaceProtectedCapabilitiesKHR::default().supports_protected(true);
    let mut found = vk::SurfaceCapabilities2KHR::default().push_next(&mut protected);
    unsafe {
        query
            .get_physical_device_surface_capabilities2(screen.physical, &info, &mut found)
            .unwrap();
    }
    assert_eq!(protected.supports_protected, vk::FALSE);
    screen.destroy(&[]);
}
