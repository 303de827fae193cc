//! What every entry point that records a command begins with.

use ash::vk as c;
use vk::command::{CommandBuffer, Point};

use crate::handle;

/// The bind point that is meant.
pub fn point(from: c::PipelineBindPoint) -> vk::Result<Point> {
    match from {
        c::PipelineBindPoint::COMPUTE => Ok(Point::Compute),
        c::PipelineBindPoint::GRAPHICS => Ok(Point::Graphics),
        _ => Err(vk::Error::InvalidUse {
            why: "a bind point that the device does not have",
        }),
    }
}

/// Records a command. An error of making it is the command buffer's, told when it ends.
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
