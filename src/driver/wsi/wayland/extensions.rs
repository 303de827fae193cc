//! The protocol extensions of a surface: tearing, first-in-first-out, commit timing, explicit
//! synchronisation, and colour management.
//!
//! In:  the present mode of each frame. Out: state of the surface, applied by its next commit.
//!
//! A surface has at most one object of each extension, so its swapchains share them. An object is
//! created when a frame first needs it: until then the application's own toolkit may have one.
//! Ref: wayland-protocols, `tearing-control-v1`, `fifo-v1`, `commit-timing-v1`,
//!      `presentation-time`, `linux-drm-syncobj-v1`, `color-management-v1`.

use std::os::fd::BorrowedFd;
use std::sync::{Mutex, PoisonError};

use wayland_client::globals::{GlobalListContents, registry_queue_init};
use wayland_client::protocol::wl_registry::{self, WlRegistry};
use wayland_client::protocol::wl_surface::WlSurface;
use wayland_client::{Connection, Dispatch, QueueHandle, delegate_noop};
use wayland_protocols::wp::color_management::v1::client::wp_color_management_surface_v1::WpColorManagementSurfaceV1;
use wayland_protocols::wp::color_management::v1::client::wp_color_manager_v1::{
    self, RenderIntent, WpColorManagerV1,
};
use wayland_protocols::wp::commit_timing::v1::client::wp_commit_timer_v1::WpCommitTimerV1;
use wayland_protocols::wp::commit_timing::v1::client::wp_commit_timing_manager_v1::WpCommitTimingManagerV1;
use wayland_protocols::wp::fifo::v1::client::wp_fifo_manager_v1::WpFifoManagerV1;
use wayland_protocols::wp::fifo::v1::client::wp_fifo_v1::WpFifoV1;
use wayland_protocols::wp::linux_drm_syncobj::v1::client::wp_linux_drm_syncobj_manager_v1::WpLinuxDrmSyncobjManagerV1;
use wayland_protocols::wp::linux_drm_syncobj::v1::client::wp_linux_drm_syncobj_surface_v1::WpLinuxDrmSyncobjSurfaceV1;
use wayland_protocols::wp::linux_drm_syncobj::v1::client::wp_linux_drm_syncobj_timeline_v1::WpLinuxDrmSyncobjTimelineV1;
use wayland_protocols::wp::presentation_time::client::wp_presentation::{self, WpPresentation};
use wayland_protocols::wp::tearing_control::v1::client::wp_tearing_control_manager_v1::WpTearingControlManagerV1;
use wayland_protocols::wp::tearing_control::v1::client::wp_tearing_control_v1::{
    PresentationHint, WpTearingControlV1,
};

use super::colours::{ColourSupport, ImageDescription};
use crate::error::{Error, Result};
use crate::present::PresentMode;

/// What the events of the extensions' objects have reported.
#[derive(Debug, Default)]
struct ExtensionEvents {
    /// The clock of presentation times, as a `clockid_t`.
    clock: Option<u32>,
    /// What the colour manager supports.
    colours: ColourSupport,
}

/// The extensions of a surface that its compositor offers.
#[derive(Debug)]
pub struct Extensions {
    connection: Connection,
    surface: WlSurface,
    handle: QueueHandle<ExtensionEvents>,
    tearing: Option<WpTearingControlManagerV1>,
    fifo: Option<WpFifoManagerV1>,
    timing: Option<WpCommitTimingManagerV1>,
    /// Reports when frames were shown.
    pub presentation: Option<WpPresentation>,
    /// The clock of these times, as a `clockid_t`.
    pub clock: Option<u32>,
    syncobj: Option<WpLinuxDrmSyncobjManagerV1>,
    /// Creates image descriptions.
    pub colour_manager: Option<WpColorManagerV1>,
    /// What it supports.
    pub colours: ColourSupport,
    objects: Mutex<Objects>,
}

/// The objects of a surface that exist.
#[derive(Debug, Default)]
struct Objects {
    tearing: Option<WpTearingControlV1>,
    fifo: Option<WpFifoV1>,
    timer: Option<WpCommitTimerV1>,
    sync: Option<WpLinuxDrmSyncobjSurfaceV1>,
    colours: Option<WpColorManagementSurfaceV1>,
    /// Number of the image description of the last frame.
    description: Option<u64>,
    /// Number of swapchains with image descriptions.
    described_swapchains: u32,
}

/// Points of timelines: at the first a frame is rendered, at the second it is released.
pub struct SyncPoints {
    /// The point that the compositor waits for.
    pub acquire: (WpLinuxDrmSyncobjTimelineV1, u64),
    /// The point that the compositor signals.
    pub release: (WpLinuxDrmSyncobjTimelineV1, u64),
}

impl Extensions {
    /// The extensions that the compositor offers.
    pub fn new(connection: &Connection, surface: &WlSurface) -> Result<Self> {
        let (globals, mut queue) =
            registry_queue_init::<ExtensionEvents>(connection).map_err(Error::lost)?;
        let handle = queue.handle();
        let fifo = globals.bind(&handle, 1..=1, ()).ok();
        // Times are requested for first-in-first-out frames only.
        let timing = fifo
            .as_ref()
            .and_then(|_: &WpFifoManagerV1| globals.bind(&handle, 1..=1, ()).ok());
        let presentation: Option<WpPresentation> = globals.bind(&handle, 1..=1, ()).ok();
        let colour_manager: Option<WpColorManagerV1> = globals.bind(&handle, 1..=1, ()).ok();
        let mut events = ExtensionEvents::default();
        if presentation.is_some() || colour_manager.is_some() {
            queue.roundtrip(&mut events).map_err(Error::lost)?;
        }
        Ok(Self {
            connection: connection.clone(),
            surface: surface.clone(),
            tearing: globals.bind(&handle, 1..=1, ()).ok(),
            fifo,
            timing,
            presentation,
            clock: events.clock,
            colour_manager,
            colours: events.colours,
            syncobj: globals.bind(&handle, 1..=1, ()).ok(),
            handle,
            objects: Mutex::default(),
        })
    }

    /// Whether frames may be shown at once, within a refresh.
    pub fn has_tearing(&self) -> bool {
        self.tearing.is_some()
    }

    /// Whether the compositor shows each frame for at least one refresh, in order, on demand.
    pub fn has_fifo(&self) -> bool {
        self.fifo.is_some()
    }

    /// Whether frames may be shown no earlier than at a time.
    pub fn has_commit_timing(&self) -> bool {
        self.timing.is_some()
    }

    /// Whether the compositor reports when frames were shown, on a known clock.
    pub fn reports_times(&self) -> bool {
        self.presentation.is_some() && self.clock.is_some()
    }

    /// Whether the compositor waits for points of timelines.
    pub fn has_explicit_sync(&self) -> bool {
        self.syncobj.is_some()
    }

    /// Gives the compositor a timeline. None: it does not support them.
    pub fn import_timeline(
        &self,
        descriptor: BorrowedFd<'_>,
    ) -> Result<Option<WpLinuxDrmSyncobjTimelineV1>> {
        let Some(manager) = &self.syncobj else {
            return Ok(None);
        };
        let timeline = manager.import_timeline(descriptor, &self.handle, ());
        // Flushed, as the request carries the descriptor.
        self.connection.flush().map_err(Error::lost)?;
        Ok(Some(timeline))
    }

    /// Sets the state of the next commit for a present mode. With `earliest_ns`, on the clock of
    /// presentation times, the frame is shown no earlier. Without points, the compositor
    /// synchronises implicitly. Without a description, it does not manage colours.
    pub fn prepare(
        &self,
        mode: PresentMode,
        earliest_ns: Option<u64>,
        points: Option<&SyncPoints>,
        description: Option<&ImageDescription>,
    ) {
        let mut objects = self.objects.lock().unwrap_or_else(PoisonError::into_inner);
        let (surface, handle) = (&self.surface, &self.handle);
        self.prepare_colours(&mut objects, description);
        match (points, &self.syncobj) {
            (Some(points), Some(manager)) => {
                let sync = objects
                    .sync
                    .get_or_insert_with(|| manager.get_surface(surface, handle, ()));
                let halves = |point: u64| ((point >> 32) as u32, point as u32);
                let (timeline, point) = &points.acquire;
                let (high, low) = halves(*point);
                sync.set_acquire_point(timeline, high, low);
                let (timeline, point) = &points.release;
                let (high, low) = halves(*point);
                sync.set_release_point(timeline, high, low);
            }
            // As long as the object exists, each buffer needs points.
            _ => {
                if let Some(sync) = objects.sync.take() {
                    sync.destroy();
                }
            }
        }
        let tears = mode == PresentMode::Immediate;
        if let (None, Some(manager), true) = (&objects.tearing, &self.tearing, tears) {
            objects.tearing = Some(manager.get_tearing_control(surface, handle, ()));
        }
        if let Some(tearing) = &objects.tearing {
            tearing.set_presentation_hint(match tears {
                true => PresentationHint::Async,
                false => PresentationHint::Vsync,
            });
        }
        let Some(manager) = self.fifo.as_ref().filter(|_| mode.is_fifo()) else {
            return;
        };
        let fifo = objects
            .fifo
            .get_or_insert_with(|| manager.get_fifo(surface, handle, ()));
        // The frame waits until the one before it was shown for a refresh, and makes the next one
        // wait.
        fifo.set_barrier();
        fifo.wait_barrier();
        if let (Some(manager), Some(ns)) = (&self.timing, earliest_ns) {
            let timer = objects
                .timer
                .get_or_insert_with(|| manager.get_timer(surface, handle, ()));
            let (seconds, ns) = (ns / 1_000_000_000, ns % 1_000_000_000);
            timer.set_timestamp((seconds >> 32) as u32, seconds as u32, ns as u32);
        }
    }

    /// Sets the image description of the next commit.
    fn prepare_colours(&self, objects: &mut Objects, description: Option<&ImageDescription>) {
        let (Some(description), Some(manager)) = (description, &self.colour_manager) else {
            objects.end_colours();
            return;
        };
        let colours = objects
            .colours
            .get_or_insert_with(|| manager.get_surface(&self.surface, &self.handle, ()));
        if objects.description.replace(description.number) != Some(description.number) {
            // Every compositor supports this intent.
            colours.set_image_description(&description.object, RenderIntent::Perceptual);
        }
    }

    /// Counts a swapchain with image descriptions.
    pub fn add_described_swapchain(&self) {
        let mut objects = self.objects.lock().unwrap_or_else(PoisonError::into_inner);
        objects.described_swapchains += 1;
    }

    /// Counts a swapchain of that kind no more. After the last, the surface has no object of colour
    /// management: the application may create its own.
    pub fn remove_described_swapchain(&self) {
        let mut objects = self.objects.lock().unwrap_or_else(PoisonError::into_inner);
        objects.described_swapchains = objects.described_swapchains.saturating_sub(1);
        if objects.described_swapchains == 0 {
            objects.end_colours();
        }
    }
}

impl Objects {
    /// Destroys the object of colour management, which unsets the image description.
    fn end_colours(&mut self) {
        if let Some(colours) = self.colours.take() {
            colours.destroy();
        }
        self.description = None;
    }
}

impl Drop for Extensions {
    fn drop(&mut self) {
        let objects = self.objects.get_mut();
        let objects = objects.unwrap_or_else(PoisonError::into_inner);
        objects.end_colours();
        if let Some(manager) = &self.colour_manager {
            manager.destroy();
        }
        if let Some(tearing) = &objects.tearing {
            tearing.destroy();
        }
        if let Some(fifo) = &objects.fifo {
            fifo.destroy();
        }
        if let Some(timer) = &objects.timer {
            timer.destroy();
        }
        if let Some(sync) = &objects.sync {
            sync.destroy();
        }
        if let Some(syncobj) = &self.syncobj {
            syncobj.destroy();
        }
        if let Some(tearing) = &self.tearing {
            tearing.destroy();
        }
        if let Some(fifo) = &self.fifo {
            fifo.destroy();
        }
        if let Some(timing) = &self.timing {
            timing.destroy();
        }
        if let Some(presentation) = &self.presentation {
            presentation.destroy();
        }
        // An error means that the connection is gone.
        _ = self.connection.flush();
    }
}

impl Dispatch<WlRegistry, GlobalListContents> for ExtensionEvents {
    fn event(
        _: &mut Self,
        _: &WlRegistry,
        _: wl_registry::Event,
        _: &GlobalListContents,
        _: &Connection,
        _: &QueueHandle<Self>,
    ) {
        // Globals that appear or disappear later are not used.
    }
}

impl Dispatch<WpPresentation, ()> for ExtensionEvents {
    fn event(
        events: &mut Self,
        _: &WpPresentation,
        event: wp_presentation::Event,
        (): &(),
        _: &Connection,
        _: &QueueHandle<Self>,
    ) {
        if let wp_presentation::Event::ClockId { clk_id } = event {
            events.clock = Some(clk_id);
        }
    }
}

impl Dispatch<WpColorManagerV1, ()> for ExtensionEvents {
    fn event(
        events: &mut Self,
        _: &WpColorManagerV1,
        event: wp_color_manager_v1::Event,
        (): &(),
        _: &Connection,
        _: &QueueHandle<Self>,
    ) {
        events.colours.note(event);
    }
}

delegate_noop!(ExtensionEvents: WpColorManagementSurfaceV1);
delegate_noop!(ExtensionEvents: WpTearingControlManagerV1);
delegate_noop!(ExtensionEvents: WpTearingControlV1);
delegate_noop!(ExtensionEvents: WpLinuxDrmSyncobjManagerV1);
delegate_noop!(ExtensionEvents: WpLinuxDrmSyncobjSurfaceV1);
delegate_noop!(ExtensionEvents: WpLinuxDrmSyncobjTimelineV1);
delegate_noop!(ExtensionEvents: WpFifoManagerV1);
delegate_noop!(ExtensionEvents: WpFifoV1);
delegate_noop!(ExtensionEvents: WpCommitTimingManagerV1);
delegate_noop!(ExtensionEvents: WpCommitTimerV1);
