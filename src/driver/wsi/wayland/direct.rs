//! Images to a surface as they are: their memory becomes buffers of the compositor (`zwp_linux_dmabuf_v1`).
//!
//! What draws an image and what reads it for the screen are put in order by the kernel, which keeps with a dma-buf who uses it.
//! Ref: wayland-protocols, `linux-dmabuf-v1`.

use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use wayland_client::protocol::wl_buffer::WlBuffer;
use wayland_client::protocol::wl_surface::WlSurface;
use wayland_client::{Connection, Dispatch, Proxy, QueueHandle, event_created_child};
use wayland_protocols::wp::linux_dmabuf::zv1::client::zwp_linux_buffer_params_v1::{
    self as params, Flags, ZwpLinuxBufferParamsV1,
};
use wayland_protocols::wp::linux_dmabuf::zv1::client::zwp_linux_dmabuf_v1::{
    self as dmabuf, ZwpLinuxDmabufV1,
};

use super::frames::{Buffer, Frames, Heard};
use crate::error::{Error, Result};
use crate::present::{Fit, Pace, Picture, Presenter, Shared, Wake};

/// What shows images. None: the compositor does not take them.
pub fn new(
    connection: &Connection,
    surface: &WlSurface,
    (width, height): (u32, u32),
    format: u32,
    images: Vec<Shared>,
) -> Result<Option<Box<dyn Presenter>>> {
    let (mut frames, globals) = Frames::new(connection, surface)?;
    let handle = frames.queue.handle();
    let Ok(dmabuf) = globals.bind::<ZwpLinuxDmabufV1, _, _>(&handle, 3..=4, ()) else {
        return Ok(None);
    };
    let count = images.len();
    let number = |pixels: u32| i32::try_from(pixels).map_err(Error::lost);
    for image in images {
        let params = dmabuf.create_params(&handle, ());
        params.add(
            image.memory.as_fd(),
            0,
            image.offset_bytes,
            image.pitch_bytes,
            (image.modifier >> 32) as u32,
            image.modifier as u32,
        );
        params.create(number(width)?, number(height)?, format, Flags::empty());
        // The descriptor goes with the request.
        connection.flush().map_err(Error::lost)?;
    }
    while frames.heard.made.len() < count {
        let heard = frames.queue.blocking_dispatch(&mut frames.heard);
        heard.map_err(Error::lost)?;
    }
    dmabuf.destroy();
    let buffers = frames.heard.made.drain(..).map(|made| {
        let object = made?;
        let busy = object.data::<Arc<AtomicBool>>()?.clone();
        Some(Buffer::new(object, busy))
    });
    let buffers: Vec<Option<Buffer>> = buffers.collect();
    let Some(buffers) = buffers.into_iter().collect::<Option<Vec<_>>>() else {
        return Ok(None);
    };
    Ok(Some(Box::new(Direct {
        frames,
        given: vec![false; buffers.len()],
        buffers,
    })))
}

/// Images that are buffers, by index.
struct Direct {
    buffers: Vec<Buffer>,
    /// Those that the compositor has, as far as the swapchain knows.
    given: Vec<bool>,
    /// After what it has to tell the end of.
    frames: Frames,
}

impl Presenter for Direct {
    fn is_ready(&self, pace: Pace) -> bool {
        self.frames.is_ready(pace)
    }

    fn show(&mut self, index: u32, _: &dyn Picture, _: Pace) -> Result<()> {
        let index = index as usize;
        let (Some(buffer), Some(given)) = (self.buffers.get(index), self.given.get_mut(index))
        else {
            return Ok(());
        };
        *given = true;
        self.frames.show(buffer)
    }

    fn shown(&self) -> u64 {
        self.frames.shown()
    }

    fn fit(&self) -> Fit {
        Fit::Same
    }

    fn done(&mut self) -> Option<u32> {
        let mut both = self.buffers.iter().zip(&mut self.given);
        let index = both.position(|(buffer, given)| *given && !buffer.is_busy())?;
        self.given[index] = false;
        Some(index as u32)
    }

    fn takes_undrawn(&self) -> bool {
        true
    }

    fn listen(&mut self, wake: &Wake) -> Result<()> {
        self.frames.listen(wake)
    }

    fn hear(&mut self) -> Result<()> {
        self.frames.hear().map(drop)
    }
}

impl Dispatch<ZwpLinuxDmabufV1, ()> for Heard {
    fn event(
        _: &mut Self,
        _: &ZwpLinuxDmabufV1,
        _: dmabuf::Event,
        (): &(),
        _: &Connection,
        _: &QueueHandle<Self>,
    ) {
        // What it takes has been asked for.
    }
}

impl Dispatch<ZwpLinuxBufferParamsV1, ()> for Heard {
    fn event(
        heard: &mut Self,
        params: &ZwpLinuxBufferParamsV1,
        event: params::Event,
        (): &(),
        _: &Connection,
        _: &QueueHandle<Self>,
    ) {
        match event {
            params::Event::Created { buffer } => heard.made.push(Some(buffer)),
            params::Event::Failed => heard.made.push(None),
            _ => return,
        }
        params.destroy();
    }

    event_created_child!(Heard, ZwpLinuxBufferParamsV1, [
        params::EVT_CREATED_OPCODE => (WlBuffer, Arc::new(AtomicBool::new(false))),
    ]);
}
