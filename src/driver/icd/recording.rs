//! Helpers of the entry points that record commands.
//!
//! In:  a command buffer's handle and a closure. Out: the recorded command; an error is kept in the
//!      command buffer.

use ash::vk as c;
use vk::command::{BindPoint, CommandBuffer};

use crate::handle;

/// `vk`'s bind point.
pub fn bind_point(from: c::PipelineBindPoint) -> vk::Result<BindPoint> {
    match from {
        c::PipelineBindPoint::COMPUTE => Ok(BindPoint::Compute),
        c::PipelineBindPoint::GRAPHICS => Ok(BindPoint::Graphics),
        _ => Err(vk::Error::InvalidUse {
            why: "a bind point that the device does not have",
        }),
    }
}

/// The bind points with any of these stages.
pub fn bind_points(stages: c::ShaderStageFlags) -> impl Iterator<Item = BindPoint> {
    let has = |of| stages.intersects(of);
    let compute = has(c::ShaderStageFlags::COMPUTE).then_some(BindPoint::Compute);
    let graphics = has(c::ShaderStageFlags::ALL_GRAPHICS).then_some(BindPoint::Graphics);
    compute.into_iter().chain(graphics)
}

/// Records a command. An error of `command` is kept in the command buffer, and `vkEndCommandBuffer`
/// returns it.
///
/// # Safety
/// As [`handle::get_mut`]: command buffers are externally synchronised.
#[inline]
pub unsafe fn record(
    buffer: c::CommandBuffer,
    command: impl FnOnce(&mut CommandBuffer) -> vk::Result<()>,
) -> vk::Result<()> {
    // SAFETY: as the caller says.
    unsafe { handle::get_mut(buffer)? }.record(command);
    Ok(())
}

/// Records a command that cannot fail.
///
/// # Safety
/// As [`record`].
#[inline]
pub unsafe fn record_infallible(
    buffer: c::CommandBuffer,
    command: impl FnOnce(&mut CommandBuffer),
) -> vk::Result<()> {
    // SAFETY: as the caller says.
    unsafe {
        record(buffer, |commands| {
            command(commands);
            Ok(())
        })
    }
}
