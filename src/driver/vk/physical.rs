//! Physical devices: properties and capabilities.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use ash::vk as api;

use crate::cache::{self, CacheOwner};
use crate::diagnosis::Diagnosis;
use crate::disk_cache::{self, DiskCache};
use crate::error::{Error, Result};
use crate::feature;
use crate::format;
use crate::image_limits::{self, ImageQuery};
use crate::limits;
use crate::modifier::Modifier;

/// PCI vendor ID of Intel.
pub const VENDOR: u32 = 0x8086;
/// Subgroup size that the API reports: the maximum of the SIMD widths 8, 16 and 32.
pub const SUBGROUP_SIZE: u32 = compile::API_SUBGROUP_SIZE;

/// Supported subgroup operations.
pub const SUBGROUP_OPERATIONS: api::SubgroupFeatureFlags = api::SubgroupFeatureFlags::from_raw(
    api::SubgroupFeatureFlags::BASIC.as_raw()
        | api::SubgroupFeatureFlags::VOTE.as_raw()
        | api::SubgroupFeatureFlags::ARITHMETIC.as_raw()
        | api::SubgroupFeatureFlags::BALLOT.as_raw()
        | api::SubgroupFeatureFlags::SHUFFLE.as_raw()
        | api::SubgroupFeatureFlags::SHUFFLE_RELATIVE.as_raw()
        | api::SubgroupFeatureFlags::CLUSTERED.as_raw()
        | api::SubgroupFeatureFlags::QUAD.as_raw()
        | api::SubgroupFeatureFlags::ROTATE_KHR.as_raw()
        | api::SubgroupFeatureFlags::ROTATE_CLUSTERED_KHR.as_raw(),
);

/// A memory type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryType {
    /// Properties.
    pub flags: api::MemoryPropertyFlags,
    /// Heap index.
    pub heap_index: u32,
}

/// `VkPhysicalDevice`.
#[derive(Debug)]
pub struct PhysicalDevice {
    file: Arc<i915::File>,
    info: i915::GpuInfo,
    heap_bytes: u64,
    /// Heap bytes in use, by all devices of the process, whatever their instances.
    used_bytes: Arc<AtomicU64>,
    diagnosis: Diagnosis,
    limits: api::PhysicalDeviceLimits,
    instance_extensions: Arc<[&'static str]>,
}

/// The driver's version, as `driverVersion`.
pub const DRIVER_VERSION: u32 = api::make_api_version(0, 0, 1, 0);
/// The driver's name.
pub const DRIVER_NAME: &str = "Ingot";

/// The build ID of this library.
fn build_id() -> Option<&'static [u8]> {
    static BUILD_ID: OnceLock<Option<Vec<u8>>> = OnceLock::new();
    BUILD_ID.get_or_init(sys::build_id).as_deref()
}

fn uuid(parts: &[&[u8]]) -> [u8; 16] {
    let mut bytes = Vec::new();
    for part in parts {
        bytes.extend_from_slice(&(part.len() as u32).to_le_bytes());
        bytes.extend_from_slice(part);
    }
    let low = cache::checksum(&bytes);
    bytes.push(1);
    let high = cache::checksum(&bytes);
    let mut out = [0; 16];
    for (to, from) in out
        .iter_mut()
        .zip(low.to_le_bytes().into_iter().chain(high.to_le_bytes()))
    {
        *to = from;
    }
    out
}

/// The counter of heap bytes of the GPU at a PCI address: one for the process, however many
/// instances have found the GPU. A GPU without an address has a counter of its own.
fn used_bytes(pci: Option<[u32; 4]>) -> Arc<AtomicU64> {
    static COUNTERS: Mutex<BTreeMap<[u32; 4], Weak<AtomicU64>>> = Mutex::new(BTreeMap::new());
    let Some(pci) = pci else {
        return Arc::default();
    };
    let mut counters = COUNTERS.lock().unwrap_or_else(PoisonError::into_inner);
    let known = counters.entry(pci).or_default();
    known.upgrade().unwrap_or_else(|| {
        let counter = Arc::default();
        *known = Arc::downgrade(&counter);
        counter
    })
}

impl PhysicalDevice {
    /// The physical device of a probed GPU. Fails if the compiler has no backend for it.
    pub fn new(
        file: Arc<i915::File>,
        info: i915::GpuInfo,
        diagnosis: &Diagnosis,
        extensions: &Arc<[&'static str]>,
    ) -> Result<Arc<Self>> {
        // GPUs without a compiler backend are not supported.
        if !compile::supports(info.device) {
            return Err(Error::FeatureNotPresent { what: "this GPU" });
        }
        // Half of a small machine's memory, three quarters of a large one's, as other drivers of
        // integrated GPUs do; at most three quarters of what the GPU can address.
        let memory = info.memory_bytes;
        let share = if memory <= 4 << 30 {
            memory / 2
        } else {
            memory / 4 * 3
        };
        let heap_bytes = share.min(info.gtt_bytes / 4 * 3) & !0xfff;
        let basis = limits::LimitInputs {
            timestamp_hz: info.timestamp_hz,
            workgroup_threads: info.workgroup_threads(),
            slm_bytes: info.slm_bytes(),
            urb_bytes: cmd::draw_urb_bytes(info.device),
        };
        let pci = info.node.as_ref().and_then(|node| node.pci);
        Ok(Arc::new(Self {
            limits: limits::limits(&basis, |name| feature::offers(info.device, name)),
            file,
            info,
            heap_bytes,
            used_bytes: used_bytes(pci),
            diagnosis: diagnosis.clone(),
            instance_extensions: extensions.clone(),
        }))
    }

    /// Whether an extension was enabled on its instance.
    pub fn instance_has(&self, name: &str) -> bool {
        self.instance_extensions.contains(&name)
    }

    /// The open device file.
    pub fn file(&self) -> &Arc<i915::File> {
        &self.file
    }

    /// Debug flags and output.
    pub fn diagnosis(&self) -> &Diagnosis {
        &self.diagnosis
    }

    /// The results of the probe.
    pub fn info(&self) -> &i915::GpuInfo {
        &self.info
    }

    /// Size of the memory heap.
    pub fn heap_bytes(&self) -> u64 {
        self.heap_bytes
    }

    /// Heap bytes that this process uses.
    pub fn used_bytes(&self) -> u64 {
        self.used_bytes.load(Ordering::Relaxed)
    }

    /// Heap budget of this process: its usage, and most of the memory that is still available.
    pub fn budget_bytes(&self) -> u64 {
        let used = self.used_bytes();
        let left = i915::available_memory_bytes().unwrap_or(self.heap_bytes);
        used.saturating_add(left / 10 * 9).min(self.heap_bytes) & !0xfff
    }

    /// Reserves heap bytes. Returns false if they are not available.
    pub(crate) fn take_bytes(&self, bytes: u64) -> bool {
        let take = |used: u64| {
            used.checked_add(bytes)
                .filter(|&sum| sum <= self.heap_bytes)
        };
        self.used_bytes
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, take)
            .is_ok()
    }

    /// Returns heap bytes.
    pub(crate) fn give_bytes(&self, bytes: u64) {
        self.used_bytes.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Maximum threads of a workgroup.
    pub fn workgroup_threads(&self) -> u32 {
        self.info.workgroup_threads()
    }

    /// Memory types; all in heap 0. The last is for descriptor buffers.
    pub fn memory_types(&self) -> &'static [MemoryType] {
        const CACHED: MemoryType = MemoryType {
            flags: api::MemoryPropertyFlags::from_raw(
                api::MemoryPropertyFlags::DEVICE_LOCAL.as_raw()
                    | api::MemoryPropertyFlags::HOST_VISIBLE.as_raw()
                    | api::MemoryPropertyFlags::HOST_COHERENT.as_raw()
                    | api::MemoryPropertyFlags::HOST_CACHED.as_raw(),
            ),
            heap_index: 0,
        };
        const COMBINED: MemoryType = MemoryType {
            flags: api::MemoryPropertyFlags::from_raw(
                api::MemoryPropertyFlags::DEVICE_LOCAL.as_raw()
                    | api::MemoryPropertyFlags::HOST_VISIBLE.as_raw()
                    | api::MemoryPropertyFlags::HOST_COHERENT.as_raw(),
            ),
            heap_index: 0,
        };
        const INCOHERENT: MemoryType = MemoryType {
            flags: api::MemoryPropertyFlags::from_raw(
                api::MemoryPropertyFlags::DEVICE_LOCAL.as_raw()
                    | api::MemoryPropertyFlags::HOST_VISIBLE.as_raw()
                    | api::MemoryPropertyFlags::HOST_CACHED.as_raw(),
            ),
            heap_index: 0,
        };
        // The last type is like the first, at other addresses.
        // With an LLC, which CPU and GPU share, cached pages are coherent. Without one, cached
        // pages are fast to read but need flushes, and Vulkan also requires a coherent type.
        if self.info.has_llc {
            &[CACHED, CACHED]
        } else {
            &[COMBINED, INCOHERENT, COMBINED]
        }
    }

    /// Mask of the memory types of all resources but descriptor buffers.
    pub fn resource_types(&self) -> u32 {
        (1 << (self.memory_types().len() - 1)) - 1
    }

    /// Mask of the memory types of descriptor buffers, which shaders reach by 32-bit offsets.
    pub fn descriptor_types(&self) -> u32 {
        1 << (self.memory_types().len() - 1)
    }

    /// The limits.
    pub fn limits(&self) -> &api::PhysicalDeviceLimits {
        &self.limits
    }

    /// For example `Intel(R) HD Graphics 530 (SKL GT2) [Ingot]`.
    pub fn name(&self) -> String {
        format!("{} [{DRIVER_NAME}]", self.info.marketing_name())
    }

    /// `pipelineCacheUUID`: depends on the build and the device.
    pub fn cache_uuid(&self) -> [u8; 16] {
        uuid(&[
            b"pipeline cache",
            self.build(),
            &self.info.pci_id.to_le_bytes(),
            &self.info.revision.to_le_bytes(),
        ])
    }

    /// `deviceUUID`: equal in all processes on this GPU.
    pub fn device_uuid(&self) -> [u8; 16] {
        let place = self
            .info
            .node
            .as_ref()
            .and_then(|node| node.pci)
            .unwrap_or_default();
        let place: Vec<u8> = place.iter().flat_map(|part| part.to_le_bytes()).collect();
        uuid(&[b"device", &self.info.pci_id.to_le_bytes(), &place])
    }

    /// `driverUUID`: equal in all processes with this build.
    pub fn driver_uuid(&self) -> [u8; 16] {
        uuid(&[b"driver", self.build()])
    }

    /// Identifies a build of the driver.
    fn build(&self) -> &'static [u8] {
        // Without a build ID from the linker, the version must do.
        const VERSION: &str = concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION"));
        build_id().unwrap_or(VERSION.as_bytes())
    }

    /// Whether shaders may be stored on disk: the build has an ID, and caches are not ignored.
    pub fn may_cache_on_disk(&self) -> bool {
        build_id().is_some() && !self.diagnosis.has(debug::Flag::NoCache)
    }

    /// The cache on disk. `None` if the linker wrote no build ID: another build's shaders would be
    /// used.
    pub(crate) fn disk_cache(&self, settings: disk_cache::Settings) -> Option<DiskCache> {
        if !self.may_cache_on_disk() {
            return None;
        }
        let mut owner = build_id()?.to_vec();
        owner.extend_from_slice(&self.info.pci_id.to_le_bytes());
        owner.extend_from_slice(&self.info.revision.to_le_bytes());
        Some(DiskCache::new(settings, &owner, &self.diagnosis))
    }

    /// Owner of pipeline cache data.
    pub fn cache_owner(&self) -> CacheOwner {
        CacheOwner {
            vendor: VENDOR,
            device: self.info.pci_id,
            uuid: self.cache_uuid(),
        }
    }

    /// Global priorities that the kernel allows this process, lowest first.
    pub fn priorities(&self) -> Vec<(api::QueueGlobalPriorityKHR, i915::ContextPriority)> {
        use api::QueueGlobalPriorityKHR as P;
        let named = |priority| match priority {
            i915::ContextPriority::Low => P::LOW,
            i915::ContextPriority::Medium => P::MEDIUM,
            i915::ContextPriority::High => P::HIGH,
            i915::ContextPriority::Realtime => P::REALTIME,
        };
        let all = self.file.priorities().into_iter();
        all.map(|priority| (named(priority), priority)).collect()
    }

    /// The queue family: one queue for everything.
    pub fn queue_family(&self) -> api::QueueFamilyProperties {
        api::QueueFamilyProperties {
            queue_flags: api::QueueFlags::GRAPHICS
                | api::QueueFlags::COMPUTE
                | api::QueueFlags::TRANSFER,
            queue_count: 1,
            timestamp_valid_bits: limits::TIMESTAMP_BITS,
            min_image_transfer_granularity: api::Extent3D {
                width: 1,
                height: 1,
                depth: 1,
            },
        }
    }

    /// Format features.
    pub fn format_properties(&self, format: api::Format) -> api::FormatProperties3<'static> {
        format::properties(self.info.device.hw_gen, format)
    }

    /// The modifiers of a format, with features and number of memory planes.
    pub fn modifiers(
        &self,
        format: api::Format,
    ) -> impl Iterator<Item = (&'static Modifier, api::FormatFeatureFlags2, u32)> {
        let all = format::modifiers(self.info.device.hw_gen, format);
        all.filter(|(modifier, ..)| self.supports_modifier(modifier))
    }

    /// Whether INGOT_DEBUG leaves images the aux surface that a modifier has.
    fn supports_modifier(&self, modifier: &Modifier) -> bool {
        let off = [debug::Flag::NoCcs, debug::Flag::NoCcsE];
        !(modifier.has_ccs && off.iter().any(|&flag| self.diagnosis().has(flag)))
    }

    /// Limits of an image with these parameters.
    pub fn image_format_properties(&self, ask: &ImageQuery) -> Result<api::ImageFormatProperties> {
        let modifier = ask.modifier.and_then(Modifier::find);
        if modifier.is_some_and(|modifier| !self.supports_modifier(modifier)) {
            return Err(Error::FormatNotSupported);
        }
        image_limits::image_properties(self.info.device.hw_gen, &self.limits, ask)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instances_share_the_counter_of_a_gpu() {
        let first = used_bytes(Some([0, 9, 8, 7]));
        first.store(5, Ordering::Relaxed);
        let same = used_bytes(Some([0, 9, 8, 7]));
        assert_eq!(same.load(Ordering::Relaxed), 5);
        for other in [Some([1, 9, 8, 7]), None, None] {
            let other = used_bytes(other);
            assert_eq!(other.swap(3, Ordering::Relaxed), 0);
        }
        drop((first, same));
        let later = used_bytes(Some([0, 9, 8, 7]));
        assert_eq!(later.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn uuids_depend_on_each_part() {
        assert_ne!(uuid(&[b"ab", b"c"]), uuid(&[b"a", b"bc"]));
        assert_eq!(uuid(&[b"x"]), uuid(&[b"x"]));
        assert_ne!(uuid(&[b"x"])[..8], uuid(&[b"x"])[8..]);
    }
}
