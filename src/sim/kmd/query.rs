//! Queries of device properties: GETPARAM, QUERY, REG_READ, the driver's version.
//!
//! In:  parameter numbers. Out: values as the real kernel returns them, or an errno.
//! Ref: i915_drm.h, "Query uAPI"; GETPARAM's values as Linux 6.1 gives them on these parts.

use bytemuck::bytes_of;
use hw::Gen;
use uapi::i915::{
    self, EngineClassInstance, EngineInfo, MemoryClassInstance, MemoryRegionInfo, TopologyInfo,
};
use uapi::{DriverVersion, Errno, Result};

use crate::device::Device;

/// Version of the command parser on gen7, high enough for every driver.
const CMD_PARSER_VERSION: i32 = 10;

/// How the simulated kernel driver describes itself, unlike the real one ("Intel Graphics"):
/// programs recognise a simulated GPU by it.
pub const DESCRIPTION: &str = "Intel Graphics, simulated";

/// The engines of a part.
pub(crate) fn engines(hw: &hw::Device) -> Vec<EngineClassInstance> {
    let mut classes = vec![
        i915::ENGINE_CLASS_RENDER,
        i915::ENGINE_CLASS_COPY,
        i915::ENGINE_CLASS_VIDEO,
    ];
    if hw.hw_gen >= Gen::Gen7_5 {
        classes.push(i915::ENGINE_CLASS_VIDEO_ENHANCE);
    }
    classes
        .into_iter()
        .map(|engine_class| EngineClassInstance {
            engine_class,
            engine_instance: 0,
        })
        .collect()
}

/// Mask of the EUs of a subslice: `count` of `max`, where the last ones of each half are fused off.
fn eu_mask(count: u8, max: u8) -> Vec<u8> {
    let fused = (0..max.saturating_sub(count)).map(|index| match index % 2 {
        0 => max / 2 - 1 - index / 2,
        _ => max - 1 - index / 2,
    });
    let all = (1_u64 << max.min(63)) - 1;
    let mask = fused.fold(all, |mask, eu| mask & !(1 << eu));
    let bytes = usize::from(max).div_ceil(8).max(1);
    mask.to_le_bytes().into_iter().take(bytes).collect()
}

impl Device {
    pub(crate) fn version(&self) -> DriverVersion {
        DriverVersion {
            number: [1, 6, 0],
            name: "i915".into(),
            date: "20201103".into(),
            description: DESCRIPTION.into(),
        }
    }

    pub(crate) fn getparam(&self, param: i32) -> Result<i32> {
        let hw = self.hw;
        let execlists = hw.hw_gen >= Gen::Gen8;
        Ok(match param {
            i915::PARAM_CHIPSET_ID => hw.pci_id.into(),
            i915::PARAM_REVISION => hw.revision.into(),
            i915::PARAM_HAS_LLC | i915::PARAM_HAS_WT => hw.has(hw::Cap::Llc).into(),
            i915::PARAM_HAS_VEBOX => (hw.hw_gen >= Gen::Gen7_5).into(),
            i915::PARAM_HAS_BSD2 | i915::PARAM_HAS_OVERLAY | i915::PARAM_HAS_PAGEFLIPPING => 0,
            i915::PARAM_HAS_POOLED_EU | i915::PARAM_MIN_EU_IN_POOL | i915::PARAM_HUC_STATUS => 0,
            i915::PARAM_HAS_RESOURCE_STREAMER | i915::PARAM_HAS_SECURE_BATCHES => 0,
            // 1: aliasing, 2: full with 32 bits, 3: with 48.
            i915::PARAM_HAS_ALIASING_PPGTT => {
                if execlists {
                    3
                } else {
                    1
                }
            }
            i915::PARAM_CMD_PARSER_VERSION if hw.hw_gen < Gen::Gen8 => CMD_PARSER_VERSION,
            i915::PARAM_CMD_PARSER_VERSION => 0,
            i915::PARAM_MMAP_VERSION => 1,
            i915::PARAM_MMAP_GTT_VERSION => 4,
            i915::PARAM_SUBSLICE_TOTAL => hw.total_subslices() as i32,
            i915::PARAM_EU_TOTAL => hw.total_eus() as i32,
            i915::PARAM_SLICE_MASK => (1 << hw.slices) - 1,
            i915::PARAM_SUBSLICE_MASK => (1 << hw.subslices) - 1,
            i915::PARAM_NUM_FENCES_AVAIL => 32,
            // Per-engine resets after hangs.
            i915::PARAM_HAS_GPU_RESET => {
                if execlists {
                    2
                } else {
                    1
                }
            }
            // Enabled, priorities, preemption.
            i915::PARAM_HAS_SCHEDULER => {
                if execlists {
                    7
                } else {
                    0
                }
            }
            // Mask of the engine classes whose contexts are isolated from each other.
            i915::PARAM_HAS_CONTEXT_ISOLATION if execlists => 1 << i915::ENGINE_CLASS_RENDER,
            i915::PARAM_HAS_CONTEXT_ISOLATION => 0,
            i915::PARAM_CS_TIMESTAMP_FREQUENCY => hw.timestamp_hz as i32,
            i915::PARAM_PERF_REVISION => 0,
            i915::PARAM_HAS_GEN7_SOL_RESET => (hw.hw_gen <= Gen::Gen7_5).into(),
            i915::PARAM_HAS_GEM
            | i915::PARAM_HAS_EXECBUF2
            | i915::PARAM_HAS_BSD
            | i915::PARAM_HAS_BLT
            | i915::PARAM_HAS_RELAXED_FENCING
            | i915::PARAM_HAS_COHERENT_RINGS
            | i915::PARAM_HAS_RELAXED_DELTA
            | i915::PARAM_HAS_WAIT_TIMEOUT
            | i915::PARAM_HAS_SEMAPHORES
            | i915::PARAM_HAS_PRIME_VMAP_FLUSH
            | i915::PARAM_HAS_PINNED_BATCHES
            | i915::PARAM_HAS_EXEC_NO_RELOC
            | i915::PARAM_HAS_EXEC_HANDLE_LUT
            | i915::PARAM_HAS_COHERENT_PHYS_GTT
            | i915::PARAM_HAS_EXEC_SOFTPIN
            | i915::PARAM_HAS_EXEC_ASYNC
            | i915::PARAM_HAS_EXEC_FENCE
            | i915::PARAM_HAS_EXEC_CAPTURE
            | i915::PARAM_HAS_EXEC_BATCH_FIRST
            | i915::PARAM_HAS_EXEC_FENCE_ARRAY
            | i915::PARAM_MMAP_GTT_COHERENT
            | i915::PARAM_HAS_EXEC_TIMELINE_FENCES
            | i915::PARAM_HAS_USERPTR_PROBE => 1,
            _ => return Err(Errno::EINVAL),
        })
    }

    pub(crate) fn query(&self, id: u64, flags: u32) -> Result<Vec<u8>> {
        if flags != 0 {
            // Flags are for performance counters, which are not simulated, and for the geometry of
            // later GPUs.
            return Err(Errno::EINVAL);
        }
        match id {
            i915::QUERY_TOPOLOGY_INFO => Ok(self.topology()),
            i915::QUERY_ENGINE_INFO => Ok(self.engine_info()),
            i915::QUERY_MEMORY_REGIONS => Ok(self.memory_regions()),
            i915::QUERY_HWCONFIG_BLOB | i915::QUERY_GEOMETRY_SUBSLICES => Err(Errno::ENODEV),
            _ => Err(Errno::EINVAL),
        }
    }

    fn topology(&self) -> Vec<u8> {
        let hw = self.hw;
        let mask = |count: u8| {
            let all = (1_u64 << count.min(63)) - 1;
            let bytes = usize::from(count).div_ceil(8).max(1);
            all.to_le_bytes()
                .into_iter()
                .take(bytes)
                .collect::<Vec<u8>>()
        };
        let (slices, subslices) = (mask(hw.slices), mask(hw.subslices));
        let eus = eu_mask(hw.eus, hw.max_eus);
        let count = usize::from(hw.slices);
        let header = TopologyInfo {
            flags: 0,
            max_slices: hw.slices.into(),
            max_subslices: hw.subslices.into(),
            max_eus_per_subslice: hw.max_eus.into(),
            subslice_offset: slices.len() as u16,
            subslice_stride: subslices.len() as u16,
            eu_offset: (slices.len() + count * subslices.len()) as u16,
            eu_stride: eus.len() as u16,
        };
        let mut blob = bytes_of(&header).to_vec();
        blob.extend_from_slice(&slices);
        blob.extend(subslices.repeat(count));
        blob.extend(eus.repeat(count * usize::from(hw.subslices)));
        blob
    }

    fn engine_info(&self) -> Vec<u8> {
        let engines = engines(self.hw);
        let header = i915::QueryEngineInfo {
            num_engines: engines.len() as u32,
            ..Default::default()
        };
        let mut blob = bytes_of(&header).to_vec();
        for engine in engines {
            // Bit 0: there is a logical instance.
            blob.extend_from_slice(bytes_of(&EngineInfo {
                engine,
                flags: 1,
                ..Default::default()
            }));
        }
        blob
    }

    fn memory_regions(&self) -> Vec<u8> {
        let header = i915::QueryMemoryRegions {
            num_regions: 1,
            ..Default::default()
        };
        let region = MemoryRegionInfo {
            region: MemoryClassInstance {
                memory_class: i915::MEMORY_CLASS_SYSTEM,
                memory_instance: 0,
            },
            probed_size: self.memory_bytes,
            unallocated_size: self.memory_bytes,
            ..Default::default()
        };
        [bytes_of(&header), bytes_of(&region)].concat()
    }

    /// REG_READ: the render engine's timestamp is the only readable register.
    pub(crate) fn reg_read(&self, offset: u64) -> Result<u64> {
        // Bit 0 requests an eight-byte access, which every read here is.
        match offset & !i915::REG_READ_8B_WA {
            i915::TIMESTAMP_REGISTER => Ok(self.worker.timestamp()),
            _ => Err(Errno::EINVAL),
        }
    }
}

#[cfg(test)]
mod tests;
