//! Explicit synchronisation with the compositor, by points of timelines.
//!
//! In:  the timelines of the device. Out: for each frame the point at which it is rendered, and the
//!      point that the compositor signals when it no longer reads it; which images are released.
//! Ref: wayland-protocols, `linux-drm-syncobj-v1`.

use std::os::fd::{AsFd, BorrowedFd};

use wayland_protocols::wp::linux_drm_syncobj::v1::client::wp_linux_drm_syncobj_timeline_v1::WpLinuxDrmSyncobjTimelineV1;

use super::extensions::{Extensions, SyncPoints};
use crate::error::Result;
use crate::present::{Timeline, Timelines};

/// The timelines of a swapchain. Each image has one of its own for its releases, as compositors
/// release images in any order.
pub struct ExplicitSync {
    rendered: WpLinuxDrmSyncobjTimelineV1,
    images: Vec<ImageTimeline>,
}

/// The timeline of an image's releases.
struct ImageTimeline {
    timeline: Box<dyn Timeline>,
    object: WpLinuxDrmSyncobjTimelineV1,
    /// The point at which the compositor releases the frame that it got last.
    point: u64,
}

impl ExplicitSync {
    /// The timelines of so many images. None: the compositor or the kernel lacks support.
    pub fn new(
        extensions: &Extensions,
        timelines: &dyn Timelines,
        count: usize,
    ) -> Result<Option<Self>> {
        if !extensions.has_explicit_sync() {
            return Ok(None);
        }
        let mut created = Vec::new();
        for _ in 0..count {
            let Some(timeline) = timelines.create()? else {
                return Ok(None);
            };
            created.push(timeline);
        }
        let import = |descriptor: BorrowedFd<'_>| extensions.import_timeline(descriptor);
        let Some(rendered) = import(timelines.rendered()?.as_fd())? else {
            return Ok(None);
        };
        let mut sync = Self {
            rendered,
            images: Vec::new(),
        };
        for timeline in created {
            let Some(object) = import(timeline.export()?.as_fd())? else {
                return Ok(None);
            };
            sync.images.push(ImageTimeline {
                timeline,
                object,
                point: 0,
            });
        }
        Ok(Some(sync))
    }

    /// The points of the next frame of an image, which is rendered at a point. None: there is no
    /// such image.
    pub fn next_points(&mut self, index: usize, rendered: u64) -> Result<Option<SyncPoints>> {
        let Some(image) = self.images.get_mut(index) else {
            return Ok(None);
        };
        image.point += 1;
        image.timeline.notify(image.point)?;
        Ok(Some(SyncPoints {
            acquire: (self.rendered.clone(), rendered),
            release: (image.object.clone(), image.point),
        }))
    }

    /// Whether the compositor no longer reads an image.
    pub fn is_released(&self, index: usize) -> bool {
        // An error means that the device is lost, which the next acquisition reports.
        let image = self.images.get(index);
        let signalled = image.map(|image| image.timeline.signalled().map(|at| at >= image.point));
        signalled.and_then(Result::ok).unwrap_or(true)
    }

    /// Descriptors that become readable when an image is released.
    pub fn events(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        self.images.iter().map(|image| image.timeline.event())
    }

    /// Makes the descriptors unreadable.
    pub fn clear_events(&self) {
        self.events().for_each(sys::clear_event);
    }
}

impl Drop for ExplicitSync {
    fn drop(&mut self) {
        self.rendered.destroy();
        for image in &self.images {
            image.object.destroy();
        }
    }
}
