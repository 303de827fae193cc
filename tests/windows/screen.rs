//! A device with a surface, and the steps of presenting.

use std::ffi::CStr;

use ash::{khr, vk};

use crate::Server;

/// The format of images.
const FORMAT: vk::Format = vk::Format::B8G8R8A8_UNORM;

/// Everything that presents.
pub struct Screen {
    instance: ash::Instance,
    physical: vk::PhysicalDevice,
    device: ash::Device,
    queue: vk::Queue,
    pool: vk::CommandPool,
    surfaces: khr::surface::Instance,
    swapchains: khr::swapchain::Device,
    waits: khr::present_wait::Device,
    surface: vk::SurfaceKHR,
    _entry: ash::Entry,
}

/// A swapchain.
pub struct Chain {
    chain: vk::SwapchainKHR,
    images: Vec<vk::Image>,
}

impl Screen {
    pub fn new(server: &dyn Server) -> Self {
        unsafe {
            let entry = ash::Entry::load().expect("a Vulkan loader");
            let names = [
                c"VK_KHR_surface",
                c"VK_KHR_xcb_surface",
                c"VK_KHR_wayland_surface",
            ];
            let offered = entry.enumerate_instance_extension_properties(None);
            let is_offered = |name: &CStr| {
                let mut offered = offered.iter().flatten();
                offered.any(|row| row.extension_name_as_c_str() == Ok(name))
            };
            let spaces = Some(c"VK_EXT_swapchain_colorspace").filter(|name| is_offered(name));
            let names = names.into_iter().chain(spaces);
            let names: Vec<_> = names.map(CStr::as_ptr).collect();
            let app = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_1);
            let info = vk::InstanceCreateInfo::default()
                .application_info(&app)
                .enabled_extension_names(&names);
            let instance = entry.create_instance(&info, None).unwrap();
            let physical = instance.enumerate_physical_devices().unwrap()[0];
            let surface = server.surface(&entry, &instance);
            let priorities = [1.0];
            let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&priorities)];
            let names = [
                c"VK_KHR_swapchain",
                c"VK_KHR_present_id",
                c"VK_KHR_present_wait",
            ];
            let names = names.map(|name| name.as_ptr());
            let mut ids = vk::PhysicalDevicePresentIdFeaturesKHR::default().present_id(true);
            let mut waits = vk::PhysicalDevicePresentWaitFeaturesKHR::default().present_wait(true);
            let info = vk::DeviceCreateInfo::default()
                .queue_create_infos(&queues)
                .enabled_extension_names(&names)
                .push_next(&mut ids)
                .push_next(&mut waits);
            let device = instance.create_device(physical, &info, None).unwrap();
            let info = vk::CommandPoolCreateInfo::default();
            Self {
                pool: device.create_command_pool(&info, None).unwrap(),
                queue: device.get_device_queue(0, 0),
                surfaces: khr::surface::Instance::new(&entry, &instance),
                swapchains: khr::swapchain::Device::new(&instance, &device),
                waits: khr::present_wait::Device::new(&instance, &device),
                surface,
                instance,
                physical,
                device,
                _entry: entry,
            }
        }
    }

    /// The device's name.
    pub fn name(&self) -> String {
        let properties = unsafe { self.instance.get_physical_device_properties(self.physical) };
        let name = properties.device_name_as_c_str().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }

    /// The present modes of the surface.
    pub fn modes(&self) -> Vec<vk::PresentModeKHR> {
        let modes = unsafe {
            self.surfaces
                .get_physical_device_surface_present_modes(self.physical, self.surface)
        };
        modes.unwrap()
    }

    /// The colour spaces in which it shows the format of [`Screen::chain`].
    pub fn spaces(&self) -> Vec<vk::ColorSpaceKHR> {
        let formats = unsafe {
            self.surfaces
                .get_physical_device_surface_formats(self.physical, self.surface)
        };
        let formats = formats.unwrap().into_iter();
        let formats = formats.filter(|format| format.format == FORMAT);
        formats.map(|format| format.color_space).collect()
    }

    /// Its size.
    pub fn extent(&self) -> [u32; 2] {
        let found = unsafe {
            self.surfaces
                .get_physical_device_surface_capabilities(self.physical, self.surface)
        };
        let extent = found.unwrap().current_extent;
        [extent.width, extent.height]
    }

    /// A swapchain, which follows another.
    pub fn chain(&self, mode: vk::PresentModeKHR, size: [u32; 2], old: Option<&Chain>) -> Chain {
        self.chain_in(vk::ColorSpaceKHR::SRGB_NONLINEAR, mode, size, old)
    }

    /// A swapchain in a colour space.
    pub fn chain_in(
        &self,
        space: vk::ColorSpaceKHR,
        mode: vk::PresentModeKHR,
        [width, height]: [u32; 2],
        old: Option<&Chain>,
    ) -> Chain {
        let info = vk::SwapchainCreateInfoKHR::default()
            .surface(self.surface)
            .min_image_count(3)
            .image_format(FORMAT)
            .image_color_space(space)
            .image_extent(vk::Extent2D { width, height })
            .image_array_layers(1)
            .image_usage(vk::ImageUsageFlags::COLOR_ATTACHMENT | vk::ImageUsageFlags::TRANSFER_DST)
            .pre_transform(vk::SurfaceTransformFlagsKHR::IDENTITY)
            .composite_alpha(vk::CompositeAlphaFlagsKHR::OPAQUE)
            .present_mode(mode)
            .clipped(true)
            .old_swapchain(old.map_or(vk::SwapchainKHR::null(), |old| old.chain));
        unsafe {
            let chain = self.swapchains.create_swapchain(&info, None).unwrap();
            let images = self.swapchains.get_swapchain_images(chain).unwrap();
            Chain { chain, images }
        }
    }

    /// Ends a swapchain of which nothing is drawn any more.
    pub fn destroy(&self, chain: Chain) {
        unsafe {
            self.device.device_wait_idle().unwrap();
            self.swapchains.destroy_swapchain(chain.chain, None);
        }
    }

    /// Takes an image.
    pub fn acquire(&self, chain: &Chain) -> Result<(u32, bool), vk::Result> {
        unsafe {
            let fence = self.device.create_fence(&Default::default(), None).unwrap();
            let none = vk::Semaphore::null();
            let acquired = self
                .swapchains
                .acquire_next_image(chain.chain, u64::MAX, none, fence);
            if acquired.is_ok() {
                let done = self.device.wait_for_fences(&[fence], true, u64::MAX);
                done.unwrap();
            }
            self.device.destroy_fence(fence, None);
            acquired
        }
    }

    /// Presents an image of one colour with a present id. Returns true if the swapchain is
    /// suboptimal.
    pub fn frame(&self, chain: &Chain, colour: [u8; 3], id: u64) -> Result<bool, vk::Result> {
        let (index, late) = self.acquire(chain)?;
        unsafe {
            let info = vk::CommandBufferAllocateInfo::default()
                .command_pool(self.pool)
                .command_buffer_count(1);
            let commands = self.device.allocate_command_buffers(&info).unwrap();
            let record = commands[0];
            let begin = vk::CommandBufferBeginInfo::default();
            self.device.begin_command_buffer(record, &begin).unwrap();
            let image = chain.images[index as usize];
            let range = vk::ImageSubresourceRange {
                aspect_mask: vk::ImageAspectFlags::COLOR,
                base_mip_level: 0,
                level_count: 1,
                base_array_layer: 0,
                layer_count: 1,
            };
            let turn = |from, to| {
                let barrier = vk::ImageMemoryBarrier::default()
                    .src_access_mask(vk::AccessFlags::MEMORY_WRITE)
                    .dst_access_mask(vk::AccessFlags::MEMORY_WRITE | vk::AccessFlags::MEMORY_READ)
                    .old_layout(from)
                    .new_layout(to)
                    .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
                    .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
                    .image(image)
                    .subresource_range(range);
                let all = vk::PipelineStageFlags::ALL_COMMANDS;
                let none = vk::DependencyFlags::empty();
                self.device
                    .cmd_pipeline_barrier(record, all, all, none, &[], &[], &[barrier]);
            };
            let drawn = vk::ImageLayout::TRANSFER_DST_OPTIMAL;
            turn(vk::ImageLayout::UNDEFINED, drawn);
            let [red, green, blue] = colour.map(|part| f32::from(part) / 255.0);
            let value = vk::ClearColorValue {
                float32: [red, green, blue, 1.0],
            };
            self.device
                .cmd_clear_color_image(record, image, drawn, &value, &[range]);
            turn(drawn, vk::ImageLayout::PRESENT_SRC_KHR);
            self.device.end_command_buffer(record).unwrap();
            let semaphore = self.device.create_semaphore(&Default::default(), None);
            let semaphores = [semaphore.unwrap()];
            let submit = vk::SubmitInfo::default()
                .command_buffers(&commands)
                .signal_semaphores(&semaphores);
            let submitted = self
                .device
                .queue_submit(self.queue, &[submit], vk::Fence::null());
            submitted.unwrap();
            let (chains, indices, ids) = ([chain.chain], [index], [id]);
            let mut numbers = vk::PresentIdKHR::default().present_ids(&ids);
            let info = vk::PresentInfoKHR::default()
                .wait_semaphores(&semaphores)
                .swapchains(&chains)
                .image_indices(&indices)
                .push_next(&mut numbers);
            let presented = self.swapchains.queue_present(self.queue, &info);
            self.device.queue_wait_idle(self.queue).unwrap();
            self.device.destroy_semaphore(semaphores[0], None);
            self.device.free_command_buffers(self.pool, &commands);
            presented.map(|suboptimal| suboptimal || late)
        }
    }

    /// Waits until an image has been shown.
    pub fn wait_for(&self, chain: &Chain, id: u64) {
        let seconds = 20;
        let waited = unsafe {
            self.waits
                .wait_for_present(chain.chain, id, seconds * 1_000_000_000)
        };
        assert_eq!(waited, Ok(()), "picture {id}");
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        unsafe {
            self.device.destroy_command_pool(self.pool, None);
            self.device.destroy_device(None);
            self.surfaces.destroy_surface(self.surface, None);
            self.instance.destroy_instance(None);
        }
    }
}
