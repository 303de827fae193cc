//! Probing of a GPU: its properties, and whether the kernel supports what the driver needs.
//!
//! In:  a [`Kernel`]. Out: the device file and [`GpuInfo`], or why the device is not supported.

use std::sync::Arc;

use uapi::i915::{
    MEMORY_CLASS_SYSTEM, MemoryRegionInfo, PARAM_CHIPSET_ID, PARAM_CS_TIMESTAMP_FREQUENCY,
    PARAM_EU_TOTAL, PARAM_HAS_EXEC_BATCH_FIRST, PARAM_HAS_EXEC_FENCE_ARRAY, PARAM_HAS_EXEC_SOFTPIN,
    PARAM_HAS_EXEC_TIMELINE_FENCES, PARAM_HAS_LLC, PARAM_MMAP_GTT_VERSION, PARAM_REVISION,
    PARAM_SUBSLICE_TOTAL, QUERY_MEMORY_REGIONS, QUERY_TOPOLOGY_INFO, QueryMemoryRegions,
    TopologyInfo,
};
use uapi::{DriverVersion, Errno, Kernel, drm};

use crate::address_space::MIN_BYTES;
use crate::error::{Error, Result};
use crate::file::File;
use crate::reason::{MINIMUM_KERNEL, Reason};

/// The device nodes and the PCI address of a GPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceNodes {
    /// Major number of the render node.
    pub major: u32,
    /// Minor number of the render node.
    pub minor: u32,
    /// PCI domain, bus, device, function.
    pub pci: Option<[u32; 4]>,
    /// Major and minor number of the primary node.
    pub primary: Option<[u32; 2]>,
}

/// The slices, subslices and EUs that are not fused off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Topology {
    /// Number of slices.
    pub slices: u32,
    /// Number of subslices in all slices.
    pub subslices: u32,
    /// Number of EUs in all subslices.
    pub eus: u32,
    /// Number of EUs in the subslice with the fewest.
    pub min_eus: u32,
    /// Number of EUs of a subslice, those that are fused off included.
    pub max_eus: u32,
}

/// The properties of a GPU.
#[derive(Clone, Debug)]
pub struct GpuInfo {
    /// The row of the device table.
    pub device: &'static hw::Device,
    /// PCI device ID.
    pub pci_id: u32,
    /// PCI revision ID.
    pub revision: u32,
    /// The topology.
    pub topology: Topology,
    /// Frequency of the timestamp counter in Hz.
    pub timestamp_hz: u64,
    /// Size of the GPU's address space in bytes.
    pub gtt_bytes: u64,
    /// Size of the system memory in bytes.
    pub memory_bytes: u64,
    /// Whether CPU and GPU share a last-level cache, so that cached mappings are coherent.
    pub has_llc: bool,
    /// Name, version and description of the kernel driver.
    pub kernel_driver: DriverVersion,
    /// Its device nodes, unless it is simulated.
    pub node: Option<DeviceNodes>,
}

/// Parameters that the kernel must report with at least this value, and what a lower value lacks.
/// Ref: i915 uapi; docs/kernels.md has the first kernel version with each.
const REQUIRED_PARAMS: &[(i32, i32, &str)] = &[
    (PARAM_HAS_EXEC_SOFTPIN, 1, "fixed addresses"),
    (PARAM_HAS_EXEC_BATCH_FIRST, 1, "batches as first buffers"),
    (PARAM_HAS_EXEC_FENCE_ARRAY, 1, "syncobjs in submissions"),
    (PARAM_MMAP_GTT_VERSION, 4, "mapping by offset"),
    (
        PARAM_HAS_EXEC_TIMELINE_FENCES,
        1,
        "timelines in submissions",
    ),
];

/// The device of a PCI id, if the driver supports it.
pub(crate) fn supported_device(pci_id: u16) -> Result<&'static hw::Device, Reason> {
    hw::Device::by_pci_id(pci_id)
        .filter(|device| device.hw_gen == hw::Gen::Gen9)
        .ok_or(Reason::OtherGeneration { pci_id })
}

/// Probes a kernel and its GPU.
/// Err: [`Error::Unsupported`] if either lacks what the driver needs.
pub fn probe(kernel: Arc<dyn Kernel>, node: Option<DeviceNodes>) -> Result<(Arc<File>, GpuInfo)> {
    let file = File::new(kernel);
    let kernel = file.kernel();
    let unreported = |what: &'static str| move |errno| Reason::Unreported { what, errno };
    let version = kernel.version().map_err(unreported("its driver's name"))?;
    if version.name != "i915" {
        return Err(Error::from(Reason::OtherDriver {
            driver: version.name,
            pci_id: None,
        }));
    }
    let get = |param: i32, what: &'static str| kernel.getparam(param).map_err(unreported(what));
    let chipset = get(PARAM_CHIPSET_ID, "its PCI id")?;
    let pci_id = u16::try_from(chipset).unwrap_or(0);
    let device = supported_device(pci_id)?;
    let too_old = |lacks| Reason::KernelTooOld {
        version: MINIMUM_KERNEL,
        lacks,
    };
    for &(param, minimum, lacks) in REQUIRED_PARAMS {
        let value = match kernel.getparam(param) {
            // Kernels reject the numbers of later parameters.
            Err(Errno::EINVAL) => 0,
            value => value.map_err(unreported(lacks))?,
        };
        if value < minimum {
            return Err(Error::from(too_old(lacks)));
        }
    }
    if kernel.get_cap(drm::CAP_SYNCOBJ_TIMELINE).unwrap_or(0) == 0 {
        return Err(Error::from(too_old("timeline syncobjs")));
    }
    let topology = kernel
        .query(QUERY_TOPOLOGY_INFO, 0)
        .ok()
        .and_then(|blob| topology(&blob))
        .or_else(|| topology_of_totals(kernel, device))
        .ok_or(too_old("the GPU's topology"))?;
    let memory_bytes = kernel
        .query(QUERY_MEMORY_REGIONS, 0)
        .ok()
        .and_then(|blob| system_memory_bytes(&blob))
        .or_else(|| {
            kernel
                .gem_get_aperture()
                .ok()
                .map(|aperture| aperture.aper_size)
        })
        .unwrap_or(2 << 30);
    let gtt_bytes = file.gtt_bytes()?;
    if gtt_bytes < MIN_BYTES {
        return Err(Error::from(Reason::SmallAddressSpace {
            bytes: gtt_bytes,
            minimum_bytes: MIN_BYTES,
        }));
    }
    let info = GpuInfo {
        kernel_driver: version,
        device,
        pci_id: pci_id.into(),
        revision: get(PARAM_REVISION, "its revision")? as u32,
        topology,
        timestamp_hz: kernel
            .getparam(PARAM_CS_TIMESTAMP_FREQUENCY)
            .ok()
            .and_then(|hz| u64::try_from(hz).ok())
            .filter(|&hz| hz > 0)
            .unwrap_or(device.timestamp_hz.into()),
        gtt_bytes,
        memory_bytes,
        has_llc: get(PARAM_HAS_LLC, "its cache")? > 0,
        node,
    };
    Ok((file, info))
}

/// The topology by the totals that kernels report without a topology query. The EUs that are fused
/// off are assumed to be in one subslice, so that its number of threads is a lower bound.
fn topology_of_totals(kernel: &dyn Kernel, device: &hw::Device) -> Option<Topology> {
    let total = |param| {
        kernel
            .getparam(param)
            .ok()
            .and_then(|total| u32::try_from(total).ok())
            .filter(|&total| total > 0)
    };
    let subslices = total(PARAM_SUBSLICE_TOTAL)?;
    let eus = total(PARAM_EU_TOTAL)?;
    let full = (subslices - 1) * u32::from(device.eus);
    Some(Topology {
        slices: device.slices.into(),
        subslices,
        eus,
        min_eus: eus
            .checked_sub(full)
            .filter(|&remaining| remaining > 0)?
            .min(eus / subslices),
        max_eus: device.max_eus.into(),
    })
}

/// Counts the slices, subslices and EUs of the masks. Ref: i915 uapi, drm_i915_query_topology_info.
fn topology(blob: &[u8]) -> Option<Topology> {
    let (header, masks) = blob.split_at_checked(size_of::<TopologyInfo>())?;
    let header: TopologyInfo = bytemuck::try_pod_read_unaligned(header).ok()?;
    let bit = |offset: usize, index: usize| {
        masks
            .get(offset + index / 8)
            .is_some_and(|byte| byte >> (index % 8) & 1 != 0)
    };
    let mut found = Topology {
        slices: 0,
        subslices: 0,
        eus: 0,
        min_eus: u32::MAX,
        max_eus: header.max_eus_per_subslice.into(),
    };
    for slice in (0..usize::from(header.max_slices)).filter(|&slice| bit(0, slice)) {
        found.slices += 1;
        let subslices =
            usize::from(header.subslice_offset) + slice * usize::from(header.subslice_stride);
        for subslice in
            (0..usize::from(header.max_subslices)).filter(|&subslice| bit(subslices, subslice))
        {
            found.subslices += 1;
            let index = slice * usize::from(header.max_subslices) + subslice;
            let eus = usize::from(header.eu_offset) + index * usize::from(header.eu_stride);
            let count = (0..usize::from(header.max_eus_per_subslice))
                .filter(|&eu| bit(eus, eu))
                .count() as u32;
            found.eus += count;
            found.min_eus = found.min_eus.min(count);
        }
    }
    (found.subslices > 0 && found.min_eus > 0).then_some(found)
}

/// Size of the system memory region in bytes. Ref: i915 uapi, drm_i915_query_memory_regions.
fn system_memory_bytes(blob: &[u8]) -> Option<u64> {
    let regions = blob.get(size_of::<QueryMemoryRegions>()..)?;
    regions
        .chunks_exact(size_of::<MemoryRegionInfo>())
        .filter_map(|region| bytemuck::try_pod_read_unaligned::<MemoryRegionInfo>(region).ok())
        .find(|region| region.region.memory_class == MEMORY_CLASS_SYSTEM)
        .map(|region| region.probed_size)
        // A kernel that does not report the size returns 0 or -1.
        .filter(|&bytes| bytes > 0 && bytes < 1 << 48)
}

impl GpuInfo {
    /// Maximum number of threads of a workgroup: those of the smallest subslice, limited by the
    /// device table.
    pub fn workgroup_threads(&self) -> u32 {
        let subslice = self.topology.min_eus * u32::from(self.device.threads);
        subslice.min(self.device.max_workgroup_threads.into())
    }

    /// Number of hardware threads in all subslices.
    pub fn threads(&self) -> u32 {
        self.topology.eus * u32::from(self.device.threads)
    }

    /// Maximum size of a workgroup's SLM in bytes.
    pub fn slm_bytes(&self) -> u32 {
        self.device.slm_bytes
    }

    /// Number of threads for which a scratch buffer must have room. The hardware numbers threads as
    /// if every slice had four subslices and all EUs, fused off or not, and the pixel shader
    /// dispatcher of a subslice numbers 64. Ref: SKL PRM vol. 2a, MEDIA_VFE_STATE, Per Thread
    /// Scratch Space; 3DSTATE_PS, Scratch Space Base Pointer.
    pub fn scratch_threads(&self) -> u32 {
        const SUBSLICES: u32 = 4;
        const PIXEL_THREADS: u32 = 64;
        let subslice = self.topology.max_eus * u32::from(self.device.threads);
        self.topology.slices * SUBSLICES * subslice.max(PIXEL_THREADS)
    }

    /// The marketing name, for example "Intel(R) HD Graphics 530 (SKL GT2)".
    pub fn marketing_name(&self) -> String {
        format!(
            "Intel(R) {} ({})",
            self.device.marketing_name, self.device.code_name
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn topologies_are_counted() {
        let header = TopologyInfo {
            flags: 0,
            max_slices: 1,
            max_subslices: 3,
            max_eus_per_subslice: 8,
            subslice_offset: 1,
            subslice_stride: 1,
            eu_offset: 2,
            eu_stride: 1,
        };
        let mut blob = bytemuck::bytes_of(&header).to_vec();
        blob.extend_from_slice(&[1, 0b101, 0xff, 0xff, 0x3f]);
        let found = topology(&blob).unwrap();
        assert_eq!(
            found,
            Topology {
                slices: 1,
                subslices: 2,
                eus: 14,
                min_eus: 6,
                max_eus: 8,
            }
        );
        assert_eq!(topology(&blob[..18]), None);
        assert_eq!(topology(&blob[..9]), None);
        assert_eq!(system_memory_bytes(&blob), None);
    }
}
