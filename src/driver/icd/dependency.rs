//! Barriers of all API versions to `vk`'s dependencies.
//!
//! In:  structures of core 1.0 or of synchronization2. Out: [`vk::command::Dependency`], in the
//!      stages and accesses of synchronization2, whose low bits are those of core 1.0.
//! Ref: Vulkan specification, "VkDependencyInfo", "Pipeline Barriers".

use ash::vk as c;
use vk::command::Dependency;

use crate::raw;
use crate::types::MemoryRangeBarriersInfoKHR;

/// One dependency for all barriers of a core 1.0 command, which share the command's stages.
pub fn merged(
    (source, destination): (c::PipelineStageFlags, c::PipelineStageFlags),
    memory: &[c::MemoryBarrier<'_>],
    buffers: &[c::BufferMemoryBarrier<'_>],
    images: &[c::ImageMemoryBarrier<'_>],
) -> Dependency {
    let (from, to) = match (memory, buffers, images) {
        ([one], [], []) => (one.src_access_mask, one.dst_access_mask),
        _ => merged_accesses(memory, buffers, images),
    };
    Dependency {
        source_stages: c::PipelineStageFlags2::from_raw(source.as_raw().into()),
        source_access: c::AccessFlags2::from_raw(from.as_raw().into()),
        destination_stages: c::PipelineStageFlags2::from_raw(destination.as_raw().into()),
        destination_access: c::AccessFlags2::from_raw(to.as_raw().into()),
    }
}

/// The union of the access masks of all barriers.
#[inline(never)]
fn merged_accesses(
    memory: &[c::MemoryBarrier<'_>],
    buffers: &[c::BufferMemoryBarrier<'_>],
    images: &[c::ImageMemoryBarrier<'_>],
) -> (c::AccessFlags, c::AccessFlags) {
    let (mut from, mut to) = (c::AccessFlags::empty(), c::AccessFlags::empty());
    for barrier in memory {
        from |= barrier.src_access_mask;
        to |= barrier.dst_access_mask;
    }
    for barrier in buffers {
        from |= barrier.src_access_mask;
        to |= barrier.dst_access_mask;
    }
    for barrier in images {
        from |= barrier.src_access_mask;
        to |= barrier.dst_access_mask;
    }
    (from, to)
}

/// The dependency of a synchronization2 barrier of any type.
macro_rules! dependency {
    ($barrier:expr) => {
        Dependency {
            source_stages: $barrier.src_stage_mask,
            source_access: $barrier.src_access_mask,
            destination_stages: $barrier.dst_stage_mask,
            destination_access: $barrier.dst_access_mask,
        }
    };
}

/// The dependencies of a `VkDependencyInfo`; each barrier has its own stages.
///
/// # Safety
/// The structure is valid for as long as the iterator lives.
pub unsafe fn each<'a>(info: &c::DependencyInfo<'a>) -> impl Iterator<Item = Dependency> + 'a {
    // SAFETY: as the caller says.
    let (memory, buffers, images) = unsafe {
        (
            raw::slice::<'a>(info.p_memory_barriers, info.memory_barrier_count),
            raw::slice::<'a>(
                info.p_buffer_memory_barriers,
                info.buffer_memory_barrier_count,
            ),
            raw::slice::<'a>(
                info.p_image_memory_barriers,
                info.image_memory_barrier_count,
            ),
        )
    };
    let memory = memory.iter().map(|b| dependency!(b));
    let buffers = buffers.iter().map(|b| dependency!(b));
    // SAFETY: as the caller says.
    let ranges = unsafe {
        let node = raw::find_in_chain::<MemoryRangeBarriersInfoKHR<'a>>(info.p_next);
        node.map_or(&[][..], |node| {
            raw::slice(
                node.p_memory_range_barriers,
                node.memory_range_barrier_count,
            )
        })
    };
    memory
        .chain(buffers)
        .chain(ranges.iter().map(|b| dependency!(b)))
        .chain(images.iter().map(|b| dependency!(b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_api_versions_give_the_same_dependency() {
        let access = (c::AccessFlags::SHADER_WRITE, c::AccessFlags::UNIFORM_READ);
        let old = [c::BufferMemoryBarrier::default()
            .src_access_mask(access.0)
            .dst_access_mask(access.1)];
        let stage = c::PipelineStageFlags::COMPUTE_SHADER;
        let merged = merged((stage, stage), &[], &old, &[]);
        let new = [c::BufferMemoryBarrier2::default()
            .src_stage_mask(c::PipelineStageFlags2::COMPUTE_SHADER)
            .src_access_mask(c::AccessFlags2::SHADER_WRITE)
            .dst_stage_mask(c::PipelineStageFlags2::COMPUTE_SHADER)
            .dst_access_mask(c::AccessFlags2::UNIFORM_READ)];
        let info = c::DependencyInfo::default().buffer_memory_barriers(&new);
        // SAFETY: the structure and its array outlive the iterator.
        let each: Vec<_> = unsafe { each(&info) }.collect();
        assert_eq!(each, [merged]);
    }
}
