//! Timelines of the device, for window systems with explicit synchronisation.
//!
//! In:  a device and the timeline of a swapchain's rendering. Out: descriptors of syncobjs, and
//!      events at their points.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::present::{Timeline, Timelines};

/// The timelines of a device.
pub struct DeviceTimelines {
    /// The device.
    pub context: Arc<vk::context::Context>,
    /// The timeline that each present signals when the rendering of its image is complete.
    pub rendered: Arc<i915::Syncobj>,
}

/// A syncobj and its event.
struct DeviceTimeline {
    syncobj: i915::Syncobj,
    event: OwnedFd,
}

/// An error of the kernel.
fn failed(error: i915::Error) -> Error {
    Error::Device(error.into())
}

impl Timelines for DeviceTimelines {
    fn rendered(&self) -> Result<OwnedFd> {
        self.rendered.export().map_err(failed)
    }

    fn create(&self) -> Result<Option<Box<dyn Timeline>>> {
        let timeline = DeviceTimeline {
            syncobj: self.context.gpu.syncobj(false).map_err(failed)?,
            event: sys::event().map_err(Error::lost)?,
        };
        // Kernels before 6.6 have no events; compositors that offer explicit synchronisation need
        // them too.
        Ok(match timeline.notify(1) {
            Ok(()) => Some(Box::new(timeline)),
            Err(_) => None,
        })
    }
}

impl Timeline for DeviceTimeline {
    fn export(&self) -> Result<OwnedFd> {
        self.syncobj.export().map_err(failed)
    }

    fn signalled(&self) -> Result<u64> {
        self.syncobj.query().map_err(failed)
    }

    fn notify(&self, point: u64) -> Result<()> {
        let event = self.event.as_fd();
        self.syncobj.notify(point, event).map_err(failed)
    }

    fn event(&self) -> BorrowedFd<'_> {
        self.event.as_fd()
    }
}
