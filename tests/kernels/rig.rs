//! An instance with a messenger, and a device that fills a buffer.

use std::cell::RefCell;
use std::ffi::{CStr, c_void};
use std::sync::{Arc, Mutex};

use ash::vk;

use crate::lack::{Lack, LackingKernel};

const NONE: Option<&vk::AllocationCallbacks<'static>> = None;

/// A GPU of a test: its name and what its kernel lacks.
pub type Gpu<'a> = (&'a str, &'a [Lack]);

thread_local! {
    static GPUS: RefCell<Vec<Arc<dyn uapi::Kernel>>> = const { RefCell::new(Vec::new()) };
}

/// Instances ask on the thread that enumerates first, which is the test's own.
fn take_gpus() -> Vec<Arc<dyn uapi::Kernel>> {
    GPUS.with(|gpus| gpus.borrow_mut().drain(..).collect())
}

/// Messages with their severity.
pub type Messages = Mutex<Vec<(vk::DebugUtilsMessageSeverityFlagsEXT, String)>>;

unsafe extern "system" fn receive(
    severity: vk::DebugUtilsMessageSeverityFlagsEXT,
    _: vk::DebugUtilsMessageTypeFlagsEXT,
    message: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    user: *mut c_void,
) -> vk::Bool32 {
    unsafe {
        let text = (*message).message_as_c_str().unwrap_or(c"?");
        let messages = &*user.cast::<Messages>();
        messages
            .lock()
            .unwrap()
            .push((severity, text.to_string_lossy().into_owned()));
    }
    vk::FALSE
}

fn messenger(messages: &Messages) -> vk::DebugUtilsMessengerCreateInfoEXT<'static> {
    use vk::DebugUtilsMessageSeverityFlagsEXT as Severity;
    vk::DebugUtilsMessengerCreateInfoEXT::default()
        .message_severity(Severity::ERROR | Severity::WARNING | Severity::INFO)
        .message_type(vk::DebugUtilsMessageTypeFlagsEXT::GENERAL)
        .pfn_user_callback(Some(receive))
        .user_data(std::ptr::from_ref(messages).cast_mut().cast())
}

/// An instance and the messages that its messengers receive.
pub struct Instance {
    pub raw: ash::Instance,
    /// Those of the messenger in the chain of the instance's create info.
    pub at_creation: Box<Messages>,
    /// Those of a messenger created next.
    pub later: Box<Messages>,
    messengers: ash::ext::debug_utils::Instance,
    messenger: vk::DebugUtilsMessengerEXT,
    _entry: ash::Entry,
}

impl Instance {
    /// An instance on these simulated GPUs.
    pub fn new(gpus: &[Gpu<'_>]) -> Self {
        icd::set_kernel_source(Arc::new(take_gpus));
        let kernels = gpus.iter().map(|(name, lacks)| {
            let options = kmd::Options {
                strict: true,
                ..kmd::Options::default()
            };
            let device = kmd::Device::new(name, options).unwrap();
            Arc::new(LackingKernel::new(device.open(), lacks)) as Arc<dyn uapi::Kernel>
        });
        GPUS.with(|slot| *slot.borrow_mut() = kernels.collect());
        let (at_creation, later) = (Box::<Messages>::default(), Box::<Messages>::default());
        unsafe {
            let entry = ash::Entry::from_static_fn(ash::StaticFn {
                get_instance_proc_addr: icd::get_instance_proc_addr(),
            });
            let app = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_1);
            let names = [ash::ext::debug_utils::NAME.as_ptr()];
            let mut chained = messenger(&at_creation);
            let info = vk::InstanceCreateInfo::default()
                .application_info(&app)
                .enabled_extension_names(&names)
                .push_next(&mut chained);
            let raw = entry.create_instance(&info, NONE).unwrap();
            let messengers = ash::ext::debug_utils::Instance::new(&entry, &raw);
            let info = messenger(&later);
            let messenger = messengers.create_debug_utils_messenger(&info, NONE);
            Self {
                raw,
                at_creation,
                later,
                messengers,
                messenger: messenger.unwrap(),
                _entry: entry,
            }
        }
    }

    /// A messenger that is created now, and destroyed: what it receives.
    pub fn messages_of_new_messenger(&self) -> Vec<String> {
        let messages = Box::<Messages>::default();
        unsafe {
            let made = self
                .messengers
                .create_debug_utils_messenger(&messenger(&messages), NONE);
            self.messengers
                .destroy_debug_utils_messenger(made.unwrap(), NONE);
        }
        texts(&messages)
    }

    /// The physical devices' names.
    pub fn devices(&self) -> Vec<(vk::PhysicalDevice, String)> {
        unsafe {
            let devices = self.raw.enumerate_physical_devices().unwrap();
            let name = |device| {
                let properties = self.raw.get_physical_device_properties(device);
                CStr::from_ptr(properties.device_name.as_ptr())
                    .to_string_lossy()
                    .into_owned()
            };
            devices.into_iter().map(|d| (d, name(d))).collect()
        }
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        unsafe {
            self.messengers
                .destroy_debug_utils_messenger(self.messenger, NONE);
            self.raw.destroy_instance(NONE);
        }
    }
}

/// The texts of messages.
pub fn texts(messages: &Messages) -> Vec<String> {
    let messages = messages.lock().unwrap();
    messages.iter().map(|(_, text)| text.clone()).collect()
}

/// A device with a command buffer that fills a buffer.
pub struct Device {
    raw: ash::Device,
    queue: vk::Queue,
    pool: vk::CommandPool,
    memory: vk::DeviceMemory,
    buffer: vk::Buffer,
    commands: vk::CommandBuffer,
    words: *mut u32,
}

/// The value that the commands write.
const VALUE: u32 = 0x1234_5678;

impl Device {
    /// A device, and its buffer and commands.
    pub fn new(instance: &Instance, physical: vk::PhysicalDevice) -> Result<Self, vk::Result> {
        unsafe {
            let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
            let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues);
            let raw = instance.raw.create_device(physical, &info, NONE)?;
            let queue = raw.get_device_queue(0, 0);
            let mut made = Self {
                raw,
                queue,
                pool: vk::CommandPool::null(),
                memory: vk::DeviceMemory::null(),
                buffer: vk::Buffer::null(),
                commands: vk::CommandBuffer::null(),
                words: std::ptr::null_mut(),
            };
            made.record()?;
            Ok(made)
        }
    }

    unsafe fn record(&mut self) -> Result<(), vk::Result> {
        let d = &self.raw;
        unsafe {
            let info = vk::BufferCreateInfo::default()
                .size(4096)
                .usage(vk::BufferUsageFlags::TRANSFER_DST);
            self.buffer = d.create_buffer(&info, NONE)?;
            let info = vk::MemoryAllocateInfo::default().allocation_size(4096);
            self.memory = d.allocate_memory(&info, NONE)?;
            d.bind_buffer_memory(self.buffer, self.memory, 0)?;
            self.words = d
                .map_memory(self.memory, 0, 4096, vk::MemoryMapFlags::empty())?
                .cast();
            let info = vk::CommandPoolCreateInfo::default();
            self.pool = d.create_command_pool(&info, NONE)?;
            let info = vk::CommandBufferAllocateInfo::default()
                .command_pool(self.pool)
                .command_buffer_count(1);
            self.commands = d.allocate_command_buffers(&info)?[0];
            d.begin_command_buffer(self.commands, &vk::CommandBufferBeginInfo::default())?;
            d.cmd_fill_buffer(self.commands, self.buffer, 0, 4096, VALUE);
            let barrier = [vk::MemoryBarrier::default()
                .src_access_mask(vk::AccessFlags::TRANSFER_WRITE)
                .dst_access_mask(vk::AccessFlags::HOST_READ)];
            d.cmd_pipeline_barrier(
                self.commands,
                vk::PipelineStageFlags::TRANSFER,
                vk::PipelineStageFlags::HOST,
                vk::DependencyFlags::empty(),
                &barrier,
                &[],
                &[],
            );
            d.end_command_buffer(self.commands)
        }
    }

    /// Fills the buffer. Err: the submission or the wait fails, or the GPU wrote something else.
    pub fn fill(&self) -> Result<(), vk::Result> {
        unsafe {
            self.words.write_volatile(0);
            let commands = [self.commands];
            let submit = [vk::SubmitInfo::default().command_buffers(&commands)];
            self.raw
                .queue_submit(self.queue, &submit, vk::Fence::null())?;
            self.raw.queue_wait_idle(self.queue)?;
            match self.words.add(1023).read_volatile() == VALUE
                && self.words.read_volatile() == VALUE
            {
                true => Ok(()),
                false => Err(vk::Result::ERROR_UNKNOWN),
            }
        }
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        unsafe {
            let _ = self.raw.device_wait_idle();
            self.raw.destroy_command_pool(self.pool, NONE);
            self.raw.destroy_buffer(self.buffer, NONE);
            self.raw.free_memory(self.memory, NONE);
            self.raw.destroy_device(NONE);
        }
    }
}
