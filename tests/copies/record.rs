//! A command buffer under way: what each command waits for, and what was recorded, in words.
//!
//! In:  what a command does with buffers and images. Out: exactly the barriers between it and what
//!      came before.

use ash::vk;

use crate::object::{Buffer, Image, Last};
use crate::random::Random;
use crate::world::World;

/// What a command does with something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    CopyFrom,
    CopyTo,
    BlitFrom,
    BlitTo,
    ResolveFrom,
    ResolveTo,
    Clear,
    Draw,
    DrawDepth,
}

impl Use {
    fn last(self) -> Last {
        use vk::{AccessFlags2 as A, PipelineStageFlags2 as S};
        let (stages, access) = match self {
            Use::CopyFrom => (S::COPY, A::TRANSFER_READ),
            Use::CopyTo => (S::COPY, A::TRANSFER_WRITE),
            Use::BlitFrom => (S::BLIT, A::TRANSFER_READ),
            Use::BlitTo => (S::BLIT, A::TRANSFER_WRITE),
            Use::ResolveFrom => (S::RESOLVE, A::TRANSFER_READ),
            Use::ResolveTo => (S::RESOLVE, A::TRANSFER_WRITE),
            Use::Clear => (S::CLEAR, A::TRANSFER_WRITE),
            Use::Draw => (
                S::COLOR_ATTACHMENT_OUTPUT,
                A::COLOR_ATTACHMENT_READ | A::COLOR_ATTACHMENT_WRITE,
            ),
            // Resolves of depth are writes of colours to a barrier.
            Use::DrawDepth => (
                S::EARLY_FRAGMENT_TESTS | S::LATE_FRAGMENT_TESTS | S::COLOR_ATTACHMENT_OUTPUT,
                A::DEPTH_STENCIL_ATTACHMENT_READ
                    | A::DEPTH_STENCIL_ATTACHMENT_WRITE
                    | A::COLOR_ATTACHMENT_READ
                    | A::COLOR_ATTACHMENT_WRITE,
            ),
        };
        Last { stages, access }
    }

    /// The layout that is made for it.
    fn layout(self) -> vk::ImageLayout {
        match self {
            Use::CopyFrom | Use::BlitFrom | Use::ResolveFrom => {
                vk::ImageLayout::TRANSFER_SRC_OPTIMAL
            }
            Use::CopyTo | Use::BlitTo | Use::ResolveTo | Use::Clear => {
                vk::ImageLayout::TRANSFER_DST_OPTIMAL
            }
            Use::Draw => vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL,
            Use::DrawDepth => vk::ImageLayout::DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
        }
    }
}

/// A command buffer under way.
pub struct Recorder<'a> {
    pub world: &'a World,
    pub commands: vk::CommandBuffer,
    /// Views that commands need until they are done.
    pub views: Vec<vk::ImageView>,
    /// What was recorded, in words.
    pub log: Vec<String>,
}

/// Each waits for what the other names.
const BOTH: vk::AccessFlags2 = vk::AccessFlags2::from_raw(
    vk::AccessFlags2::MEMORY_READ.as_raw() | vk::AccessFlags2::MEMORY_WRITE.as_raw(),
);

impl Recorder<'_> {
    /// Waits for what was done with a buffer.
    pub fn buffer(&mut self, buffer: &mut Buffer, how: Use) {
        let next = how.last();
        let barrier = vk::BufferMemoryBarrier2::default()
            .buffer(buffer.buffer)
            .size(vk::WHOLE_SIZE)
            .src_stage_mask(buffer.last.stages)
            .src_access_mask(buffer.last.access)
            .dst_stage_mask(next.stages)
            .dst_access_mask(next.access);
        buffer.last = next;
        let info = vk::DependencyInfo::default();
        let barriers = [barrier];
        unsafe {
            self.world
                .device
                .cmd_pipeline_barrier2(self.commands, &info.buffer_memory_barriers(&barriers));
        }
    }

    /// Waits for what was done with an image, and brings it to a layout: GENERAL, or that of the
    /// use.
    pub fn image(&mut self, random: &mut Random, image: &mut Image, how: Use, general: bool) {
        let mut next = how.last();
        let layout = match general || random.one_in(3) {
            true => vk::ImageLayout::GENERAL,
            false => how.layout(),
        };
        // Now and then all waits for all.
        let all = random.one_in(8);
        let (from, to) = match all {
            true => {
                let everything = Last {
                    stages: vk::PipelineStageFlags2::ALL_COMMANDS,
                    access: BOTH,
                };
                (everything, everything)
            }
            false => (image.last, next),
        };
        let range = vk::ImageSubresourceRange::default()
            .aspect_mask(image.aspects())
            .level_count(vk::REMAINING_MIP_LEVELS)
            .layer_count(vk::REMAINING_ARRAY_LAYERS);
        let barriers = [vk::ImageMemoryBarrier2::default()
            .image(image.image)
            .subresource_range(range)
            .old_layout(image.now)
            .new_layout(layout)
            .src_stage_mask(from.stages)
            .src_access_mask(from.access)
            .dst_stage_mask(to.stages)
            .dst_access_mask(to.access)];
        let info = vk::DependencyInfo::default().image_memory_barriers(&barriers);
        unsafe {
            self.world
                .device
                .cmd_pipeline_barrier2(self.commands, &info);
        }
        // Used twice by one command.
        if image.now == layout && image.last.stages == next.stages {
            next.access |= image.last.access;
        }
        (image.last, image.now) = (next, layout);
    }
}
