//! A device that only copies, and the formats that it has.

use ash::vk;

use crate::format::Layout;

/// What lives as long as a run.
pub struct World {
    pub instance: ash::Instance,
    pub physical: vk::PhysicalDevice,
    pub device: ash::Device,
    pub queue: vk::Queue,
    pub formats: Vec<Layout>,
    _entry: ash::Entry,
}

impl World {
    /// # Panics
    /// Where there is no device, or it refuses what it offers.
    pub fn new(entry: &ash::Entry) -> World {
        let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
        let info = vk::InstanceCreateInfo::default().application_info(&application);
        let instance = unsafe { entry.create_instance(&info, None) }.expect("an instance");
        let physical = unsafe { instance.enumerate_physical_devices() }.expect("devices")[0];
        let queue_infos = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
        let mut eleven = vk::PhysicalDeviceVulkan11Features::default();
        let mut thirteen = vk::PhysicalDeviceVulkan13Features::default();
        let mut features = vk::PhysicalDeviceFeatures2::default()
            .push_next(&mut eleven)
            .push_next(&mut thirteen);
        unsafe { instance.get_physical_device_features2(physical, &mut features) };
        let info = vk::DeviceCreateInfo::default()
            .queue_create_infos(&queue_infos)
            .push_next(&mut features);
        let device = unsafe { instance.create_device(physical, &info, None) }.expect("a device");
        let mut world = World {
            queue: unsafe { device.get_device_queue(0, 0) },
            instance,
            physical,
            device,
            formats: Vec::new(),
            _entry: entry.clone(),
        };
        let copied = vk::FormatFeatureFlags::TRANSFER_SRC | vk::FormatFeatureFlags::TRANSFER_DST;
        let without = crate::rounds::argument("--without");
        world.formats = crate::format::all()
            .filter(|layout| {
                let name = format!("{:?}", layout.format);
                !without
                    .iter()
                    .flat_map(|parts| parts.split(','))
                    .any(|part| name.contains(part))
            })
            .filter(|layout| {
                let features = world.features(layout.format, vk::ImageTiling::OPTIMAL);
                features.contains(copied)
            })
            .collect();
        world
    }

    /// The first type of memory that serves and that the host sees; if it sees none, the first.
    fn memory_type(&self, bits: u32) -> u32 {
        use vk::MemoryPropertyFlags as F;
        let all = unsafe {
            self.instance
                .get_physical_device_memory_properties(self.physical)
        };
        let seen = |index: &u32| {
            let flags = all.memory_types[*index as usize].property_flags;
            bits >> index & 1 == 1 && flags.contains(F::HOST_VISIBLE | F::HOST_COHERENT)
        };
        let found = (0..all.memory_type_count).find(seen);
        found.unwrap_or(bits.trailing_zeros())
    }

    /// Memory for something, bound by the caller.
    pub fn memory(&self, wants: vk::MemoryRequirements) -> vk::DeviceMemory {
        // Synchronization validation (1.3.239) takes some images to be larger than what they want,
        // and would find them in the memory of others. Elsewhere what lies behind an image is
        // nobody's, and touching it a finding.
        let bytes = match crate::rounds::by_loader() {
            true => 4 * wants.size + (1 << 16),
            false => wants.size,
        };
        let info = vk::MemoryAllocateInfo::default()
            .allocation_size(bytes)
            .memory_type_index(self.memory_type(wants.memory_type_bits));
        unsafe { self.device.allocate_memory(&info, None) }.expect("memory")
    }

    /// What images of a format can be used for.
    pub fn features(&self, format: vk::Format, tiling: vk::ImageTiling) -> vk::FormatFeatureFlags {
        let found = unsafe {
            self.instance
                .get_physical_device_format_properties(self.physical, format)
        };
        match tiling {
            vk::ImageTiling::LINEAR => found.linear_tiling_features,
            _ => found.optimal_tiling_features,
        }
    }
}

impl Drop for World {
    fn drop(&mut self) {
        unsafe {
            let _ = self.device.device_wait_idle();
            self.device.destroy_device(None);
            self.instance.destroy_instance(None);
        }
    }
}
