//! Vulkan dependencies to pending flushes.
//!
//! In:  stages and accesses of synchronization2, to which all older forms are lowered. Out:
//!      [`cmd::PendingFlushes`].
//! Ref: Vulkan specification, "Execution and Memory Dependencies", "Access Types"; SKL PRM vol. 5,
//!      "L3 Cache", "Sampler Caches".
//!
//! Shaders access buffers through the data port, and so do the compute shaders of copies and fills,
//! of images too; blits and resolves are draws or compute shaders. All subslices share the L3, but
//! writes of the data port and of the render target cache are certain to be there only after a
//! flush. The sampler, the constant cache and the vertex fetcher read through the L3 with caches of
//! their own; the command streamer and the host read memory itself. Image layouts may need more:
//! see [`super::layout_transition`].

use ash::vk as api;
use cmd::PendingFlushes;

/// A dependency between earlier and later commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dependency {
    /// Stages of the earlier commands that are waited for.
    pub source_stages: api::PipelineStageFlags2,
    /// Their accesses to make visible.
    pub source_access: api::AccessFlags2,
    /// Stages of the later commands that wait.
    pub destination_stages: api::PipelineStageFlags2,
    /// Their accesses that must see the earlier ones.
    pub destination_access: api::AccessFlags2,
}

impl Dependency {
    /// All earlier commands and their writes, for all later commands.
    pub const FULL: Dependency = Dependency {
        source_stages: api::PipelineStageFlags2::ALL_COMMANDS,
        source_access: api::AccessFlags2::MEMORY_WRITE,
        destination_stages: api::PipelineStageFlags2::ALL_COMMANDS,
        destination_access: api::AccessFlags2::from_raw(
            api::AccessFlags2::MEMORY_READ.as_raw() | api::AccessFlags2::MEMORY_WRITE.as_raw(),
        ),
    };

    /// The implicit subpass dependency to VK_SUBPASS_EXTERNAL: the attachments' writes become
    /// available, and nothing waits. Ref: Vulkan, "Render Pass Creation".
    pub const IMPLICIT_TO_EXTERNAL: Dependency = Dependency {
        source_stages: api::PipelineStageFlags2::ALL_COMMANDS,
        source_access: api::AccessFlags2::from_raw(
            api::AccessFlags2::COLOR_ATTACHMENT_WRITE.as_raw()
                | api::AccessFlags2::DEPTH_STENCIL_ATTACHMENT_WRITE.as_raw(),
        ),
        destination_stages: api::PipelineStageFlags2::NONE,
        destination_access: api::AccessFlags2::NONE,
    };

    /// The flushes and invalidations that the dependency needs.
    #[inline]
    pub fn pending(&self) -> PendingFlushes {
        use api::{AccessFlags2 as A, PipelineStageFlags2 as S};
        // No work of ours runs at these stages: the host's work is before or after the whole
        // submission.
        let idle = S::TOP_OF_PIPE | S::HOST;
        let works = !(self.source_stages & !idle).is_empty();
        // Nothing waits at the bottom of the pipe, and the host waits for a fence.
        let waits = !(self.destination_stages & !(S::BOTTOM_OF_PIPE | S::HOST)).is_empty();
        let writes =
            A::SHADER_WRITE | A::SHADER_STORAGE_WRITE | A::TRANSFER_WRITE | A::MEMORY_WRITE;
        let mut pending = PendingFlushes::NONE;
        if works && waits {
            pending = pending.with(PendingFlushes::STALL);
        }
        if works && self.source_access.intersects(writes) {
            pending = pending.with(PendingFlushes::FLUSH_DATA);
        }
        // Blits and resolves are draws if possible.
        let draws = A::COLOR_ATTACHMENT_WRITE
            | A::DEPTH_STENCIL_ATTACHMENT_WRITE
            | A::TRANSFER_WRITE
            | A::MEMORY_WRITE;
        if works && self.source_access.intersects(draws) {
            pending = pending.with(PendingFlushes::FLUSH_TARGETS);
        }
        // Blits and resolves read through the sampler.
        let sampled = A::SHADER_READ
            | A::SHADER_SAMPLED_READ
            | A::INPUT_ATTACHMENT_READ
            | A::TRANSFER_READ
            | A::MEMORY_READ;
        if waits && self.destination_access.intersects(sampled) {
            pending = pending.with(PendingFlushes::INVALIDATE_TEXTURE);
        }
        let uniform = A::UNIFORM_READ | A::MEMORY_READ;
        if waits && self.destination_access.intersects(uniform) {
            pending = pending.with(PendingFlushes::INVALIDATE_CONSTANT);
        }
        // First vertex and first instance of indirect draws are fetched as vertices.
        let fetched =
            A::VERTEX_ATTRIBUTE_READ | A::INDEX_READ | A::INDIRECT_COMMAND_READ | A::MEMORY_READ;
        if waits && self.destination_access.intersects(fetched) {
            pending = pending.with(PendingFlushes::INVALIDATE_VERTICES);
        }
        pending
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use api::{AccessFlags2 as A, PipelineStageFlags2 as S};

    fn pending(from: (S, A), to: (S, A)) -> PendingFlushes {
        Dependency {
            source_stages: from.0,
            source_access: from.1,
            destination_stages: to.0,
            destination_access: to.1,
        }
        .pending()
    }

    #[test]
    fn dependencies_map_to_the_flushes_they_need() {
        let compute = S::COMPUTE_SHADER;
        let writes = (compute, A::SHADER_WRITE);
        let flush = PendingFlushes::STALL.with(PendingFlushes::FLUSH_DATA);
        assert_eq!(pending(writes, (compute, A::SHADER_STORAGE_READ)), flush);
        assert_eq!(
            pending(writes, (compute, A::SHADER_READ)),
            flush.with(PendingFlushes::INVALIDATE_TEXTURE)
        );
        assert_eq!(
            pending(writes, (S::DRAW_INDIRECT, A::INDIRECT_COMMAND_READ)),
            flush.with(PendingFlushes::INVALIDATE_VERTICES)
        );
        assert_eq!(
            pending((compute, A::NONE), (compute, A::NONE)),
            PendingFlushes::STALL
        );
        assert_eq!(
            pending(writes, (S::HOST, A::HOST_READ)),
            PendingFlushes::FLUSH_DATA
        );
        assert_eq!(
            pending((S::HOST, A::HOST_WRITE), (compute, A::NONE)),
            PendingFlushes::NONE
        );
        assert_eq!(
            pending((S::TOP_OF_PIPE, A::NONE), (compute, A::NONE)),
            PendingFlushes::NONE
        );
        assert_eq!(
            pending((compute, A::NONE), (S::BOTTOM_OF_PIPE, A::NONE)),
            PendingFlushes::NONE
        );
        let attachment = (S::COLOR_ATTACHMENT_OUTPUT, A::COLOR_ATTACHMENT_WRITE);
        assert_eq!(
            pending(attachment, (S::BLIT, A::TRANSFER_READ)),
            PendingFlushes::STALL
                .with(PendingFlushes::FLUSH_TARGETS)
                .with(PendingFlushes::INVALIDATE_TEXTURE)
        );
        // A blit may be a draw or a dispatch.
        assert_eq!(
            pending((S::BLIT, A::TRANSFER_WRITE), (compute, A::UNIFORM_READ)),
            flush
                .with(PendingFlushes::FLUSH_TARGETS)
                .with(PendingFlushes::INVALIDATE_CONSTANT)
        );
        assert_eq!(
            pending(writes, (S::VERTEX_INPUT, A::INDEX_READ)),
            flush.with(PendingFlushes::INVALIDATE_VERTICES)
        );
        let draws = PendingFlushes::FLUSH_TARGETS.with(PendingFlushes::INVALIDATE_VERTICES);
        assert_eq!(Dependency::FULL.pending(), PendingFlushes::ALL.with(draws));
    }
}
