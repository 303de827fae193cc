//! The frames of a surface: attaches buffers, and tracks when they are shown and released.
//!
//! In:  buffers, a colour space, HDR metadata. Out: frames; the number of frames shown, and whether
//!      each buffer is busy.

use std::collections::VecDeque;
use std::os::fd::BorrowedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use ash::vk as api;
use wayland_client::backend::WaylandError;
use wayland_client::globals::{GlobalList, GlobalListContents, registry_queue_init};
use wayland_client::protocol::wl_buffer::{self, WlBuffer};
use wayland_client::protocol::wl_callback::{self, WlCallback};
use wayland_client::protocol::wl_registry::{self, WlRegistry};
use wayland_client::protocol::wl_surface::WlSurface;
use wayland_client::{Connection, Dispatch, EventQueue, QueueHandle, delegate_noop};
use wayland_protocols::wp::color_management::v1::client::wp_image_description_creator_params_v1::WpImageDescriptionCreatorParamsV1;
use wayland_protocols::wp::color_management::v1::client::wp_image_description_v1::{
    self, WpImageDescriptionV1,
};
use wayland_protocols::wp::presentation_time::client::wp_presentation_feedback::{
    self, WpPresentationFeedback,
};

use super::colours::{ImageDescription, SpaceMapping};
use super::extensions::{Extensions, SyncPoints};
use crate::error::{Error, Result};
use crate::present::{HdrMetadata, PresentMode, Refresh, ShownImage, Waker};

/// What the events of a surface's objects have reported.
#[derive(Debug, Default)]
pub struct SurfaceEvents {
    /// Number of frames shown, or dropped in favour of newer ones.
    shown: u64,
    /// The last frame whose time of presentation is known.
    presented: Option<PresentedFrame>,
    /// Frames whose time of presentation is known, or that were dropped, until the swapchain hears
    /// of them.
    shown_images: VecDeque<ShownImage>,
    /// The clock of these times, as a `clockid_t`.
    clock: Option<u32>,
    /// The period of refreshes in ns; 0 if the compositor does not know it.
    refresh_ns: Option<u64>,
    /// Results of buffer creations, in order; none for a failure.
    pub created: Vec<Option<WlBuffer>>,
    /// Whether the last image description that was requested is ready; none until the compositor
    /// responds.
    description_ready: Option<bool>,
}

/// When a frame was shown.
#[derive(Clone, Copy, Debug)]
struct PresentedFrame {
    /// Its number.
    number: u64,
    /// Time, on the compositor's clock.
    time_ns: u64,
    /// Period of refreshes, which is not 0.
    refresh_ns: u64,
}

impl PresentedFrame {
    /// The earliest time for a later frame: its turn if each frame is shown for one refresh. Half a
    /// period is left for rounding.
    fn earliest_ns(&self, number: u64) -> u64 {
        let frames = number.saturating_sub(self.number);
        let after = frames.saturating_mul(self.refresh_ns);
        let after = after.saturating_sub(self.refresh_ns / 2);
        self.time_ns.saturating_add(after)
    }
}

/// A buffer of the compositor.
#[derive(Debug)]
pub struct Buffer {
    object: WlBuffer,
    busy: Arc<AtomicBool>,
}

impl Buffer {
    /// A buffer whose release events clear `busy`.
    pub fn new(object: WlBuffer, busy: Arc<AtomicBool>) -> Self {
        Self { object, busy }
    }

    /// Whether the compositor reads it.
    pub fn is_busy(&self) -> bool {
        self.busy.load(Relaxed)
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        self.object.destroy();
    }
}

/// The frames of a surface.
pub struct Frames {
    connection: Connection,
    surface: WlSurface,
    extensions: Arc<Extensions>,
    /// The driver's own event queue.
    pub queue: EventQueue<SurfaceEvents>,
    /// What the events on it have reported.
    pub events: SurfaceEvents,
    /// Number of frames so far.
    count: u64,
    /// The application wants to know when frames are shown.
    wants_times: bool,
    /// The colours of the images; none if the compositor does not manage them.
    colours: Option<Colours>,
}

/// The colours of images.
struct Colours {
    mapping: &'static SpaceMapping,
    description: ImageDescription,
    metadata: Option<HdrMetadata>,
}

/// CLOCK_MONOTONIC.
const CLOCK_MONOTONIC: u32 = 1;

impl SurfaceEvents {
    /// Notes when a frame was shown, on the compositor's clock; none if it was dropped.
    fn note_time(&mut self, number: u64, time_ns: Option<u64>) {
        let time_ns = time_ns.and_then(|ns| i64::try_from(ns).ok());
        let time_ns = time_ns.zip(self.clock).and_then(|(ns, clock)| match clock {
            CLOCK_MONOTONIC => Some(ns),
            _ => sys::monotonic_time(i32::try_from(clock).ok()?, ns),
        });
        self.shown_images.push_back(ShownImage { number, time_ns });
    }
}

impl Frames {
    /// The frames of a surface, and the compositor's globals.
    pub fn new(
        connection: &Connection,
        surface: &WlSurface,
        extensions: &Arc<Extensions>,
        space: api::ColorSpaceKHR,
    ) -> Result<(Self, GlobalList)> {
        let (globals, queue) =
            registry_queue_init::<SurfaceEvents>(connection).map_err(Error::lost)?;
        let mut frames = Self {
            connection: connection.clone(),
            surface: surface.clone(),
            extensions: extensions.clone(),
            queue,
            events: SurfaceEvents {
                clock: extensions.clock,
                ..SurfaceEvents::default()
            },
            count: 0,
            wants_times: false,
            colours: None,
        };
        if let Some(mapping) = extensions.colours.find(space) {
            frames.begin_colours(mapping)?;
        }
        Ok((frames, globals))
    }

    /// Describes the colours of the images.
    fn begin_colours(&mut self, mapping: &'static SpaceMapping) -> Result<()> {
        match self.describe(mapping, None)? {
            Some(description) => {
                self.extensions.add_described_swapchain();
                self.colours = Some(Colours {
                    mapping,
                    description,
                    metadata: None,
                });
                Ok(())
            }
            // Compositors assume sRGB without a description.
            None if mapping.space() == api::ColorSpaceKHR::SRGB_NONLINEAR => Ok(()),
            None => Err(Error::lost("the compositor refuses the colour space")),
        }
    }

    /// Creates an image description, and waits until it is ready. None: the compositor refuses it.
    fn describe(
        &mut self,
        mapping: &SpaceMapping,
        metadata: Option<&HdrMetadata>,
    ) -> Result<Option<ImageDescription>> {
        let Some(manager) = &self.extensions.colour_manager else {
            return Ok(None);
        };
        self.events.description_ready = None;
        let handle = self.queue.handle();
        let colours = &self.extensions.colours;
        let description = colours.describe(manager, &handle, mapping, metadata);
        loop {
            match self.events.description_ready {
                Some(ready) => return Ok(ready.then_some(description)),
                None => {
                    let events = self.queue.blocking_dispatch(&mut self.events);
                    events.map_err(Error::lost)?;
                }
            }
        }
    }

    /// Sets the HDR metadata of later frames. Metadata that the compositor refuses, or that the
    /// colour space does not use, change nothing.
    pub fn set_metadata(&mut self, metadata: &HdrMetadata) -> Result<()> {
        let Some(colours) = &mut self.colours else {
            return Ok(());
        };
        let changes = colours.metadata.replace(*metadata) != Some(*metadata);
        let mapping = colours.mapping;
        if !changes || !mapping.uses_metadata() {
            return Ok(());
        }
        let description = self.describe(mapping, Some(metadata))?;
        if let (Some(description), Some(colours)) = (description, &mut self.colours) {
            colours.description = description;
        }
        Ok(())
    }

    /// Number of frames shown, or dropped in favour of newer ones.
    pub fn shown(&self) -> u64 {
        self.events.shown
    }

    /// Requests the time of presentation of later frames.
    pub fn request_times(&mut self) {
        self.wants_times = true;
    }

    /// Whether the compositor reports when frames are shown.
    pub fn reports_times(&self) -> bool {
        self.extensions.reports_times()
    }

    /// When a frame was shown; once for each, if times are requested.
    pub fn shown_image(&mut self) -> Option<ShownImage> {
        self.events.shown_images.pop_front()
    }

    /// The refreshes of the surface's output.
    pub fn refresh(&self) -> Refresh {
        match self.events.refresh_ns {
            _ if !self.reports_times() => Refresh::Unknown,
            None => Refresh::Pending,
            Some(0) => Refresh::Unknown,
            Some(period_ns) => Refresh::Period(period_ns),
        }
    }

    /// Whether the mode allows another frame now.
    pub fn is_ready(&self, mode: PresentMode) -> bool {
        // Otherwise the frame callback reports that the compositor has used a frame.
        !mode.is_fifo() || self.extensions.has_fifo() || self.events.shown == self.count
    }

    /// Processes the events read so far. Returns whether there were any.
    pub fn poll_events(&mut self) -> Result<bool> {
        let events = self.queue.dispatch_pending(&mut self.events);
        Ok(events.map_err(Error::lost)? > 0)
    }

    /// The extensions of the surface.
    pub fn extensions(&self) -> &Arc<Extensions> {
        &self.extensions
    }

    /// Waits for events, or until the waker is woken or another descriptor becomes readable, and
    /// processes them.
    pub fn wait_events(&mut self, wake: &Waker, others: &[BorrowedFd<'_>]) -> Result<()> {
        self.connection.flush().map_err(Error::lost)?;
        if self.poll_events()? {
            return Ok(());
        }
        // None means that another thread is reading, or has read events for this queue.
        if let Some(reading) = self.connection.prepare_read() {
            let all = [&[reading.connection_fd()], others].concat();
            wake.wait(&all)?;
            if sys::poll_readable(reading.connection_fd()).map_err(Error::lost)? {
                match reading.read() {
                    // Another thread that waited too has read it.
                    Err(WaylandError::Io(error))
                        if error.kind() == std::io::ErrorKind::WouldBlock => {}
                    read => drop(read.map_err(Error::lost)?),
                }
            }
        }
        self.poll_events().map(drop)
    }

    /// Sends the requests made so far.
    pub fn flush(&self) -> Result<()> {
        self.connection.flush().map_err(Error::lost)
    }

    /// Attaches a buffer and commits it.
    pub fn show(
        &mut self,
        buffer: &Buffer,
        mode: PresentMode,
        points: Option<&SyncPoints>,
    ) -> Result<()> {
        buffer.busy.store(true, Relaxed);
        self.surface.attach(Some(&buffer.object), 0, 0);
        // Damages everything; older compositors do not support damage in buffer coordinates.
        self.surface.damage(0, 0, i32::MAX, i32::MAX);
        self.count += 1;
        let handle = self.queue.handle();
        self.surface.frame(&handle, self.count);
        if let Some(presentation) = &self.extensions.presentation
            && (self.wants_times || self.extensions.has_commit_timing())
        {
            presentation.feedback(&self.surface, &handle, self.count);
        }
        // Compositors end the wait for the frame before at once if the surface is hidden: the time
        // keeps the pace then.
        let presented = self.events.presented;
        let earliest_ns = presented.map(|before| before.earliest_ns(self.count));
        let description = self.colours.as_ref().map(|colours| &colours.description);
        self.extensions
            .prepare(mode, earliest_ns, points, description);
        self.surface.commit();
        self.flush()
    }
}

impl Drop for Frames {
    fn drop(&mut self) {
        if self.colours.take().is_some() {
            self.extensions.remove_described_swapchain();
        }
        // An error means that the connection is gone.
        _ = self.connection.flush();
    }
}

impl Dispatch<WlCallback, u64> for SurfaceEvents {
    fn event(
        events: &mut Self,
        _: &WlCallback,
        event: wl_callback::Event,
        &number: &u64,
        _: &Connection,
        _: &QueueHandle<Self>,
    ) {
        if let wl_callback::Event::Done { .. } = event {
            events.shown = events.shown.max(number);
        }
    }
}

impl Dispatch<WpPresentationFeedback, u64> for SurfaceEvents {
    fn event(
        events: &mut Self,
        _: &WpPresentationFeedback,
        event: wp_presentation_feedback::Event,
        &number: &u64,
        _: &Connection,
        _: &QueueHandle<Self>,
    ) {
        use wp_presentation_feedback::Event as E;
        match event {
            E::Presented {
                tv_sec_hi,
                tv_sec_lo,
                tv_nsec,
                refresh,
                ..
            } => {
                let seconds = u64::from(tv_sec_hi) << 32 | u64::from(tv_sec_lo);
                let seconds_ns = seconds.saturating_mul(1_000_000_000);
                let time_ns = seconds_ns.saturating_add(tv_nsec.into());
                events.refresh_ns = Some(refresh.into());
                events.note_time(number, Some(time_ns));
                events.presented = (refresh != 0).then_some(PresentedFrame {
                    number,
                    time_ns,
                    refresh_ns: refresh.into(),
                });
            }
            // A newer frame has replaced it, or the surface is hidden.
            E::Discarded => events.note_time(number, None),
            _ => return,
        }
        events.shown = events.shown.max(number);
    }
}

impl Dispatch<WpImageDescriptionV1, ()> for SurfaceEvents {
    fn event(
        events: &mut Self,
        _: &WpImageDescriptionV1,
        event: wp_image_description_v1::Event,
        (): &(),
        _: &Connection,
        _: &QueueHandle<Self>,
    ) {
        use wp_image_description_v1::Event as E;
        events.description_ready = match event {
            E::Failed { .. } => Some(false),
            E::Ready { .. } => Some(true),
            _ => return,
        };
    }
}

delegate_noop!(SurfaceEvents: WpImageDescriptionCreatorParamsV1);

impl Dispatch<WlBuffer, Arc<AtomicBool>> for SurfaceEvents {
    fn event(
        _: &mut Self,
        _: &WlBuffer,
        event: wl_buffer::Event,
        busy: &Arc<AtomicBool>,
        _: &Connection,
        _: &QueueHandle<Self>,
    ) {
        if let wl_buffer::Event::Release = event {
            busy.store(false, Relaxed);
        }
    }
}

impl Dispatch<WlRegistry, GlobalListContents> for SurfaceEvents {
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
