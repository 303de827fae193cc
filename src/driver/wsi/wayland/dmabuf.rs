//! Presentation of images in place: their memory becomes buffers of the compositor
//! (`zwp_linux_dmabuf_v1`).
//!
//! In:  images in dma-bufs. Out: buffers attached to a surface. Points of timelines order rendering
//!      and the compositor's reads, or else the kernel does by the fences of the dma-buf.
//! Ref: wayland-protocols, `linux-dmabuf-v1`.

use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use wayland_client::globals::GlobalList;
use wayland_client::protocol::wl_buffer::WlBuffer;
use wayland_client::{Connection, Dispatch, Proxy, QueueHandle, event_created_child};
use wayland_protocols::wp::linux_dmabuf::zv1::client::zwp_linux_buffer_params_v1::{
    self as params, Flags, ZwpLinuxBufferParamsV1,
};
use wayland_protocols::wp::linux_dmabuf::zv1::client::zwp_linux_dmabuf_v1::{
    self as dmabuf, ZwpLinuxDmabufV1,
};

use super::explicit_sync::ExplicitSync;
use super::frames::{Buffer, Frames, SurfaceEvents};
use crate::error::{Error, Result};
use crate::present::{
    HdrMetadata, PixelSource, PresentMode, Presenter, Refresh, SharedImage, ShownImage,
    SwapchainFit, Timelines, Waker,
};

/// A presenter of shared images, or none if the compositor does not accept them.
pub fn new(
    (mut frames, globals): (Frames, GlobalList),
    (width, height): (u32, u32),
    format: u32,
    images: Vec<SharedImage>,
    timelines: &dyn Timelines,
) -> Result<Option<Box<dyn Presenter>>> {
    let handle = frames.queue.handle();
    let Ok(dmabuf) = globals.bind::<ZwpLinuxDmabufV1, _, _>(&handle, 3..=4, ()) else {
        return Ok(None);
    };
    let count = images.len();
    let to_i32 = |pixels: u32| i32::try_from(pixels).map_err(Error::lost);
    for image in images {
        let params = dmabuf.create_params(&handle, ());
        for (index, plane) in (0..).zip(&image.planes) {
            params.add(
                image.memory.as_fd(),
                index,
                plane.offset_bytes,
                plane.pitch_bytes,
                (image.modifier >> 32) as u32,
                image.modifier as u32,
            );
        }
        params.create(to_i32(width)?, to_i32(height)?, format, Flags::empty());
        // Flushed, as the requests carry the descriptor.
        frames.flush()?;
    }
    while frames.events.created.len() < count {
        let events = frames.queue.blocking_dispatch(&mut frames.events);
        events.map_err(Error::lost)?;
    }
    dmabuf.destroy();
    let buffers = frames.events.created.drain(..).map(|created| {
        let object = created?;
        let busy = object.data::<Arc<AtomicBool>>()?.clone();
        Some(Buffer::new(object, busy))
    });
    let buffers: Vec<Option<Buffer>> = buffers.collect();
    let Some(buffers) = buffers.into_iter().collect::<Option<Vec<_>>>() else {
        return Ok(None);
    };
    let sync = ExplicitSync::new(frames.extensions(), timelines, count)?;
    Ok(Some(Box::new(DmabufPresenter {
        frames,
        sync,
        rendered_point: 0,
        with_compositor: vec![false; buffers.len()],
        buffers,
    })))
}

/// Images as buffers, by index.
struct DmabufPresenter {
    buffers: Vec<Buffer>,
    /// Whether the compositor holds the image and its release has not been reported to the
    /// swapchain.
    with_compositor: Vec<bool>,
    /// Explicit synchronisation; without it, the kernel synchronises.
    sync: Option<ExplicitSync>,
    /// The point at which the next image is rendered.
    rendered_point: u64,
    /// Declared after the buffers, so that their destruction is flushed when it is dropped.
    frames: Frames,
}

impl Presenter for DmabufPresenter {
    fn is_ready(&self, mode: PresentMode) -> bool {
        self.frames.is_ready(mode)
    }

    fn show(&mut self, index: u32, _: &dyn PixelSource, mode: PresentMode) -> Result<()> {
        let index = index as usize;
        let (Some(buffer), Some(with_compositor)) =
            (self.buffers.get(index), self.with_compositor.get_mut(index))
        else {
            return Ok(());
        };
        *with_compositor = true;
        let points = match &mut self.sync {
            Some(sync) => sync.next_points(index, self.rendered_point)?,
            None => None,
        };
        self.frames.show(buffer, mode, points.as_ref())
    }

    fn shown(&self) -> u64 {
        self.frames.shown()
    }

    fn fit(&self) -> SwapchainFit {
        SwapchainFit::Optimal
    }

    fn released(&mut self) -> Option<u32> {
        let mut both = self.buffers.iter().zip(&self.with_compositor).enumerate();
        let released = |(index, (buffer, with_compositor)): (usize, (&Buffer, &bool))| {
            *with_compositor
                && match &self.sync {
                    Some(sync) => sync.is_released(index),
                    None => !buffer.is_busy(),
                }
        };
        let index = both.position(released)?;
        self.with_compositor[index] = false;
        Some(index as u32)
    }

    fn accepts_unfinished(&self) -> bool {
        true
    }

    fn set_rendered_point(&mut self, point: u64) {
        self.rendered_point = point;
    }

    fn set_metadata(&mut self, metadata: &HdrMetadata) -> Result<()> {
        self.frames.set_metadata(metadata)
    }

    fn request_times(&mut self) {
        self.frames.request_times();
    }

    fn shown_image(&mut self) -> Option<ShownImage> {
        self.frames.shown_image()
    }

    fn reports_times(&self) -> bool {
        self.frames.reports_times()
    }

    fn refresh(&self) -> Refresh {
        self.frames.refresh()
    }

    fn wait_events(&mut self, wake: &Waker) -> Result<()> {
        let Some(sync) = &self.sync else {
            return self.frames.wait_events(wake, &[]);
        };
        let events: Vec<_> = sync.events().collect();
        let waited = self.frames.wait_events(wake, &events);
        sync.clear_events();
        waited
    }

    fn poll_events(&mut self) -> Result<()> {
        self.frames.poll_events().map(drop)
    }
}

impl Dispatch<ZwpLinuxDmabufV1, ()> for SurfaceEvents {
    fn event(
        _: &mut Self,
        _: &ZwpLinuxDmabufV1,
        _: dmabuf::Event,
        (): &(),
        _: &Connection,
        _: &QueueHandle<Self>,
    ) {
        // The modifiers were queried before.
    }
}

impl Dispatch<ZwpLinuxBufferParamsV1, ()> for SurfaceEvents {
    fn event(
        events: &mut Self,
        params: &ZwpLinuxBufferParamsV1,
        event: params::Event,
        (): &(),
        _: &Connection,
        _: &QueueHandle<Self>,
    ) {
        match event {
            params::Event::Created { buffer } => events.created.push(Some(buffer)),
            params::Event::Failed => events.created.push(None),
            _ => return,
        }
        params.destroy();
    }

    event_created_child!(SurfaceEvents, ZwpLinuxBufferParamsV1, [
        params::EVT_CREATED_OPCODE => (WlBuffer, Arc::new(AtomicBool::new(false))),
    ]);
}
