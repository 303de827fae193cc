//! A device with displays, and the steps of presenting on one.

use ash::{ext, khr, vk};

use crate::timing_structures::{TIMED, kind};

/// The structure with the features of VK_EXT_present_timing.
#[repr(C)]
struct TimingFeatures(vk::StructureType, *const std::ffi::c_void, [vk::Bool32; 3]);

/// The sizes of the monitor's modes.
pub const SIZES: [[u32; 2]; 2] = [[640, 480], [800, 600]];

/// Everything that presents.
pub struct Monitor {
    pub entry: ash::Entry,
    pub instance: ash::Instance,
    pub physical: vk::PhysicalDevice,
    pub displays: khr::display::Instance,
    pub surfaces: khr::surface::Instance,
    pub device: ash::Device,
    pub queue: vk::Queue,
    pub pool: vk::CommandPool,
    pub swapchains: khr::swapchain::Device,
    waits: khr::present_wait::Device,
    modifiers: ext::image_drm_format_modifier::Device,
}

/// A swapchain.
pub struct Chain {
    pub chain: vk::SwapchainKHR,
    images: Vec<vk::Image>,
}

impl Monitor {
    pub fn new() -> Self {
        let get_instance_proc_addr = icd::get_instance_proc_addr();
        unsafe {
            let entry = ash::Entry::from_static_fn(ash::StaticFn {
                get_instance_proc_addr,
            });
            let names = [
                c"VK_KHR_surface",
                c"VK_KHR_display",
                c"VK_EXT_direct_mode_display",
                c"VK_EXT_acquire_drm_display",
                c"VK_EXT_display_surface_counter",
                c"VK_EXT_acquire_xlib_display",
            ];
            let names = names.map(|name| name.as_ptr());
            let app = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_1);
            let info = vk::InstanceCreateInfo::default()
                .application_info(&app)
                .enabled_extension_names(&names);
            let instance = entry.create_instance(&info, None).unwrap();
            let physical = instance.enumerate_physical_devices().unwrap()[0];
            let priorities = [1.0];
            let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&priorities)];
            let names = [
                c"VK_KHR_swapchain",
                c"VK_KHR_present_id",
                c"VK_KHR_present_wait",
                c"VK_EXT_image_drm_format_modifier",
                c"VK_KHR_present_id2",
                c"VK_KHR_calibrated_timestamps",
                c"VK_EXT_present_timing",
                c"VK_EXT_display_control",
                c"VK_KHR_external_fence_fd",
            ];
            let names = names.map(|name| name.as_ptr());
            let mut ids = vk::PhysicalDevicePresentIdFeaturesKHR::default().present_id(true);
            let mut waits = vk::PhysicalDevicePresentWaitFeaturesKHR::default().present_wait(true);
            let info = vk::DeviceCreateInfo::default()
                .queue_create_infos(&queues)
                .enabled_extension_names(&names)
                .push_next(&mut ids)
                .push_next(&mut waits);
            // VkPhysicalDevicePresentTimingFeaturesEXT; the rest is its three features.
            let timing = TimingFeatures(kind(0), info.p_next, [vk::TRUE; 3]);
            let info = vk::DeviceCreateInfo {
                p_next: (&raw const timing).cast(),
                ..info
            };
            let device = instance.create_device(physical, &info, None).unwrap();
            let info = vk::CommandPoolCreateInfo::default();
            Self {
                pool: device.create_command_pool(&info, None).unwrap(),
                queue: device.get_device_queue(0, 0),
                displays: khr::display::Instance::new(&entry, &instance),
                surfaces: khr::surface::Instance::new(&entry, &instance),
                swapchains: khr::swapchain::Device::new(&instance, &device),
                waits: khr::present_wait::Device::new(&instance, &device),
                modifiers: ext::image_drm_format_modifier::Device::new(&instance, &device),
                entry,
                instance,
                physical,
                device,
            }
        }
    }

    /// A surface of the monitor in the mode of a size.
    pub fn surface(&self, size: [u32; 2]) -> vk::SurfaceKHR {
        unsafe {
            let all = (self.displays).get_physical_device_display_properties(self.physical);
            let display = all.unwrap()[0].display;
            let modes = (self.displays).get_display_mode_properties(self.physical, display);
            let modes = modes.unwrap().into_iter();
            let mut modes = modes.filter(|mode| {
                let extent = mode.parameters.visible_region;
                [extent.width, extent.height] == size
            });
            let [width, height] = size;
            let info = vk::DisplaySurfaceCreateInfoKHR::default()
                .display_mode(modes.next().unwrap().display_mode)
                .transform(vk::SurfaceTransformFlagsKHR::IDENTITY)
                .alpha_mode(vk::DisplayPlaneAlphaFlagsKHR::OPAQUE)
                .image_extent(vk::Extent2D { width, height });
            let surface = self.displays.create_display_plane_surface(&info, None);
            surface.unwrap()
        }
    }

    pub fn try_chain(
        &self,
        surface: vk::SurfaceKHR,
        [width, height]: [u32; 2],
    ) -> Result<vk::SwapchainKHR, vk::Result> {
        let mut counters = vk::SwapchainCounterCreateInfoEXT::default()
            .surface_counters(vk::SurfaceCounterFlagsEXT::VBLANK);
        let info = vk::SwapchainCreateInfoKHR::default()
            .push_next(&mut counters)
            .flags(vk::SwapchainCreateFlagsKHR::from_raw(TIMED))
            .surface(surface)
            .min_image_count(3)
            .image_format(vk::Format::B8G8R8A8_UNORM)
            .image_color_space(vk::ColorSpaceKHR::SRGB_NONLINEAR)
            .image_extent(vk::Extent2D { width, height })
            .image_array_layers(1)
            .image_usage(vk::ImageUsageFlags::TRANSFER_DST)
            .pre_transform(vk::SurfaceTransformFlagsKHR::IDENTITY)
            .composite_alpha(vk::CompositeAlphaFlagsKHR::OPAQUE)
            .present_mode(vk::PresentModeKHR::FIFO);
        unsafe { self.swapchains.create_swapchain(&info, None) }
    }

    pub fn chain(&self, surface: vk::SurfaceKHR, size: [u32; 2]) -> Chain {
        let chain = self.try_chain(surface, size).unwrap();
        let images = unsafe { self.swapchains.get_swapchain_images(chain) }.unwrap();
        Chain { chain, images }
    }

    /// The DRM format modifier of the images, whose tiling is that of dma-bufs.
    pub fn modifier(&self, chain: &Chain) -> u64 {
        let mut found = vk::ImageDrmFormatModifierPropertiesEXT::default();
        let modifiers = &self.modifiers;
        let queried = unsafe {
            modifiers.get_image_drm_format_modifier_properties(chain.images[0], &mut found)
        };
        queried.unwrap();
        found.drm_format_modifier
    }

    pub fn destroy(&self, chain: Chain, surface: vk::SurfaceKHR) {
        unsafe {
            self.device.device_wait_idle().unwrap();
            self.swapchains.destroy_swapchain(chain.chain, None);
            self.surfaces.destroy_surface(surface, None);
        }
    }

    /// Presents the pixels of an image, and waits until it is shown.
    pub fn present(&self, chain: &Chain, number: u32, size: [u32; 2]) {
        self.present_with(chain, number, size, std::ptr::null());
    }

    /// As [`Monitor::present`], with more structures for the present.
    pub fn present_with(
        &self,
        chain: &Chain,
        number: u32,
        size: [u32; 2],
        more: *const std::ffi::c_void,
    ) {
        let d = &self.device;
        unsafe {
            let fence = d.create_fence(&Default::default(), None).unwrap();
            let none = vk::Semaphore::null();
            let acquired = (self.swapchains).acquire_next_image(chain.chain, u64::MAX, none, fence);
            let (index, _) = acquired.unwrap();
            d.wait_for_fences(&[fence], true, u64::MAX).unwrap();
            d.reset_fences(&[fence]).unwrap();
            let image = chain.images[index as usize];
            let (buffer, memory) = self.pixels(number, size);
            let info = vk::CommandBufferAllocateInfo::default()
                .command_pool(self.pool)
                .command_buffer_count(1);
            let commands = d.allocate_command_buffers(&info).unwrap();
            let record = commands[0];
            d.begin_command_buffer(record, &Default::default()).unwrap();
            let to = vk::ImageLayout::TRANSFER_DST_OPTIMAL;
            let colour = vk::ImageAspectFlags::COLOR;
            let change = |old, new| {
                let barrier = vk::ImageMemoryBarrier::default()
                    .src_access_mask(vk::AccessFlags::MEMORY_WRITE)
                    .dst_access_mask(vk::AccessFlags::MEMORY_WRITE | vk::AccessFlags::MEMORY_READ)
                    .old_layout(old)
                    .new_layout(new)
                    .image(image)
                    .subresource_range(
                        vk::ImageSubresourceRange::default()
                            .aspect_mask(colour)
                            .level_count(1)
                            .layer_count(1),
                    );
                let all = vk::PipelineStageFlags::ALL_COMMANDS;
                let none = vk::DependencyFlags::empty();
                d.cmd_pipeline_barrier(record, all, all, none, &[], &[], &[barrier]);
            };
            change(vk::ImageLayout::UNDEFINED, to);
            let region = vk::BufferImageCopy::default()
                .image_subresource(
                    vk::ImageSubresourceLayers::default()
                        .aspect_mask(colour)
                        .layer_count(1),
                )
                .image_extent(vk::Extent3D {
                    width: size[0],
                    height: size[1],
                    depth: 1,
                });
            d.cmd_copy_buffer_to_image(record, buffer, image, to, &[region]);
            change(to, vk::ImageLayout::PRESENT_SRC_KHR);
            d.end_command_buffer(record).unwrap();
            let submit = vk::SubmitInfo::default().command_buffers(&commands);
            d.queue_submit(self.queue, &[submit], fence).unwrap();
            let (chains, indices, ids) = ([chain.chain], [index], [u64::from(number)]);
            let mut ids = vk::PresentIdKHR {
                p_next: more,
                ..vk::PresentIdKHR::default().present_ids(&ids)
            };
            let info = vk::PresentInfoKHR::default()
                .swapchains(&chains)
                .image_indices(&indices);
            let info = vk::PresentInfoKHR {
                p_next: (&raw mut ids).cast(),
                ..info
            };
            self.swapchains.queue_present(self.queue, &info).unwrap();
            let shown = (self.waits).wait_for_present(chain.chain, number.into(), u64::MAX);
            shown.unwrap();
            d.wait_for_fences(&[fence], true, u64::MAX).unwrap();
            d.destroy_fence(fence, None);
            d.free_command_buffers(self.pool, &commands);
            d.destroy_buffer(buffer, None);
            d.free_memory(memory, None);
        }
    }

    /// A buffer with the pixels of an image.
    fn pixels(&self, number: u32, [width, height]: [u32; 2]) -> (vk::Buffer, vk::DeviceMemory) {
        let d = &self.device;
        let places = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        let bytes = places.flat_map(|(x, y)| {
            let [red, green, blue] = crate::pixel(number, x, y);
            [blue, green, red, 255]
        });
        let bytes: Vec<u8> = bytes.collect();
        let info = vk::BufferCreateInfo::default()
            .size(bytes.len() as u64)
            .usage(vk::BufferUsageFlags::TRANSFER_SRC);
        unsafe {
            let buffer = d.create_buffer(&info, None).unwrap();
            let wants = d.get_buffer_memory_requirements(buffer);
            let info = vk::MemoryAllocateInfo::default().allocation_size(wants.size);
            let memory = d.allocate_memory(&info, None).unwrap();
            d.bind_buffer_memory(buffer, memory, 0).unwrap();
            let whole = vk::WHOLE_SIZE;
            let data = d.map_memory(memory, 0, whole, vk::MemoryMapFlags::empty());
            let data = data.unwrap().cast::<u8>();
            data.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
            (buffer, memory)
        }
    }
}

impl Drop for Monitor {
    fn drop(&mut self) {
        unsafe {
            self.device.destroy_command_pool(self.pool, None);
            self.device.destroy_device(None);
            self.instance.destroy_instance(None);
        }
    }
}
