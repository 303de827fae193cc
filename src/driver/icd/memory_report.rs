//! Reports of memory and of GPU addresses to the application.
//!
//! In:  allocations and bindings. Out: calls of the application's callbacks. The driver's own
//!      buffers are attributed to the device.
//! Ref: VK_EXT_device_memory_report, VK_EXT_device_address_binding_report.

use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ash::vk as c;
use ash::vk::Handle;

use crate::raw;

/// The only memory heap.
const HEAP: u32 = 0;

/// A callback for events of memory.
#[derive(Clone, Copy)]
struct Receiver {
    function: c::PFN_vkDeviceMemoryReportCallbackEXT,
    user: *mut c_void,
}

// SAFETY: the specification allows the callback to be called, with the pointer unchanged, from any
// thread.
unsafe impl Send for Receiver {}
// SAFETY: as above.
unsafe impl Sync for Receiver {}

/// Sends a message to the debug messengers of the instance.
pub type MessageSink = Box<dyn Fn(&c::DebugUtilsMessengerCallbackDataEXT<'_>) + Send + Sync>;

/// What happened to memory, and its size in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryEvent {
    /// Kind of event.
    pub kind: c::DeviceMemoryReportEventTypeEXT,
    /// Number of the BO; 0 if there is none.
    pub number: u64,
    /// Size in bytes.
    pub bytes: u64,
}

/// Events of buffers that a device allocates before it has a handle; they are reported when it has
/// one, because the handle identifies them.
enum BeforeStart {
    Waiting(Vec<MemoryEvent>),
    Started,
}

impl Default for BeforeStart {
    fn default() -> Self {
        BeforeStart::Waiting(Vec::new())
    }
}

/// The callbacks that an application gives at the creation of a device.
#[derive(Default)]
pub struct Reports {
    receivers: Vec<Receiver>,
    bindings: Option<MessageSink>,
    /// The driver's own buffers, until the device has a handle.
    before_start: Mutex<BeforeStart>,
    /// Handle of the device, once it exists.
    device: AtomicU64,
    stopped: AtomicBool,
}

impl Reports {
    /// The callbacks in the chain of a `VkDeviceCreateInfo`. `sink` receives the bindings of
    /// addresses, if that feature is enabled.
    ///
    /// # Safety
    /// The chain is valid.
    pub unsafe fn new(chain: *const c_void, sink: MessageSink) -> Arc<Self> {
        // SAFETY: as the caller says; `sType` determines the structure of a node.
        let (receivers, features) = unsafe {
            let kind = c::StructureType::DEVICE_DEVICE_MEMORY_REPORT_CREATE_INFO_EXT;
            let nodes = raw::chain(chain).filter(|&node| (*node).s_type == kind);
            let receivers = nodes.map(|node| {
                let node = &*node.cast::<c::DeviceDeviceMemoryReportCreateInfoEXT<'_>>();
                Receiver {
                    function: node.pfn_user_callback,
                    user: node.p_user_data,
                }
            });
            type Features<'a> = c::PhysicalDeviceAddressBindingReportFeaturesEXT<'a>;
            (
                receivers.collect(),
                raw::find_in_chain::<Features<'_>>(chain),
            )
        };
        let reports = features.is_some_and(|node| node.report_address_binding == c::TRUE);
        Arc::new(Self {
            receivers,
            bindings: reports.then_some(sink),
            ..Self::default()
        })
    }

    /// The listener of the driver's own buffers, if the application wants reports of memory.
    pub fn listener(self: &Arc<Self>) -> Option<i915::BufferListener> {
        use c::DeviceMemoryReportEventTypeEXT as Kind;
        let reports = self.clone();
        let listener = move |report: i915::BufferReport| {
            let kind = match report.event {
                i915::BufferEvent::Allocated => Kind::ALLOCATE,
                i915::BufferEvent::Freed => Kind::FREE,
                i915::BufferEvent::Failed => Kind::ALLOCATION_FAILED,
            };
            let event = MemoryEvent {
                kind,
                number: report.number,
                bytes: report.bytes,
            };
            reports.own_buffer(event);
        };
        (!self.receivers.is_empty()).then(|| i915::BufferListener(Arc::new(listener)))
    }

    fn own_buffer(&self, event: MemoryEvent) {
        if let BeforeStart::Waiting(events) = &mut *self.before_start() {
            events.push(event);
            return;
        }
        self.send(event, c::ObjectType::DEVICE, self.device.load(Relaxed));
    }

    fn before_start(&self) -> MutexGuard<'_, BeforeStart> {
        let state = self.before_start.lock();
        state.unwrap_or_else(PoisonError::into_inner)
    }

    /// The device has this handle from now on.
    pub fn start(&self, device: c::Device) {
        self.device.store(device.as_raw(), Relaxed);
        let before = std::mem::replace(&mut *self.before_start(), BeforeStart::Started);
        if let BeforeStart::Waiting(events) = before {
            for event in events {
                self.send(event, c::ObjectType::DEVICE, device.as_raw());
            }
        }
    }

    /// Ends the reports: the device is destroyed.
    pub fn stop(&self) {
        self.stopped.store(true, Relaxed);
    }

    /// Reports what happened to the memory of a `VkDeviceMemory`, which is null if its allocation
    /// failed.
    pub fn memory(&self, event: MemoryEvent, memory: c::DeviceMemory) {
        self.send(event, c::ObjectType::DEVICE_MEMORY, memory.as_raw());
    }

    fn send(&self, event: MemoryEvent, object_type: c::ObjectType, object: u64) {
        if self.stopped.load(Relaxed) {
            return;
        }
        let mut data = c::DeviceMemoryReportCallbackDataEXT::default()
            .memory_object_id(event.number)
            .size(event.bytes)
            .heap_index(HEAP);
        data.ty = event.kind;
        data.object_type = object_type;
        data.object_handle = object;
        for receiver in &self.receivers {
            if let Some(function) = receiver.function {
                // SAFETY: the data live as long as the call; the application keeps the callback and
                // its pointer valid until the device is destroyed.
                unsafe { function(&data, receiver.user) };
            }
        }
    }

    /// Reports that an object was bound to (`bound`), or is no longer bound to, a range of GPU
    /// addresses: first address and size in bytes.
    pub fn binding<H: Handle>(&self, object: H, (address, bytes): (u64, u64), bound: bool) {
        let Some(sink) = &self.bindings else {
            return;
        };
        let objects = [c::DebugUtilsObjectNameInfoEXT::default().object_handle(object)];
        let mut binding = c::DeviceAddressBindingCallbackDataEXT::default()
            .base_address(address)
            .size(bytes)
            .binding_type(match bound {
                true => c::DeviceAddressBindingTypeEXT::BIND,
                false => c::DeviceAddressBindingTypeEXT::UNBIND,
            });
        sink(
            &c::DebugUtilsMessengerCallbackDataEXT::default()
                .message_id_name(c"ingot")
                .message(c"GPU addresses of an object")
                .objects(&objects)
                .push_next(&mut binding),
        );
    }
}
