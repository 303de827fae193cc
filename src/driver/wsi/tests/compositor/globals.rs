//! The objects of the compositor.

use std::fs::File;
use std::io::Write;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::sync::{Arc, Mutex};

use wayland_protocols::wp::color_management::v1::server::wp_color_manager_v1::WpColorManagerV1;
use wayland_protocols::wp::commit_timing::v1::server::wp_commit_timer_v1::{self, WpCommitTimerV1};
use wayland_protocols::wp::commit_timing::v1::server::wp_commit_timing_manager_v1::{
    self, WpCommitTimingManagerV1,
};
use wayland_protocols::wp::fifo::v1::server::wp_fifo_manager_v1::{self, WpFifoManagerV1};
use wayland_protocols::wp::fifo::v1::server::wp_fifo_v1::{self, WpFifoV1};
use wayland_protocols::wp::linux_dmabuf::zv1::server::zwp_linux_buffer_params_v1::{
    self as params, ZwpLinuxBufferParamsV1,
};
use wayland_protocols::wp::linux_dmabuf::zv1::server::zwp_linux_dmabuf_feedback_v1::{
    TrancheFlags, ZwpLinuxDmabufFeedbackV1,
};
use wayland_protocols::wp::linux_dmabuf::zv1::server::zwp_linux_dmabuf_v1::{
    self as dmabuf, ZwpLinuxDmabufV1,
};
use wayland_protocols::wp::linux_drm_syncobj::v1::server::wp_linux_drm_syncobj_manager_v1::{
    self, WpLinuxDrmSyncobjManagerV1,
};
use wayland_protocols::wp::linux_drm_syncobj::v1::server::wp_linux_drm_syncobj_surface_v1::{
    self, WpLinuxDrmSyncobjSurfaceV1,
};
use wayland_protocols::wp::linux_drm_syncobj::v1::server::wp_linux_drm_syncobj_timeline_v1::WpLinuxDrmSyncobjTimelineV1;
use wayland_protocols::wp::presentation_time::server::wp_presentation::{self, WpPresentation};
use wayland_protocols::wp::presentation_time::server::wp_presentation_feedback::{
    self, WpPresentationFeedback,
};
use wayland_protocols::wp::tearing_control::v1::server::wp_tearing_control_manager_v1::{
    self, WpTearingControlManagerV1,
};
use wayland_protocols::wp::tearing_control::v1::server::wp_tearing_control_v1::{
    self, WpTearingControlV1,
};
use wayland_server::protocol::wl_buffer::WlBuffer;
use wayland_server::protocol::wl_callback::WlCallback;
use wayland_server::protocol::wl_compositor::{self, WlCompositor};
use wayland_server::protocol::wl_shm::{self, WlShm};
use wayland_server::protocol::wl_shm_pool::{self, WlShmPool};
use wayland_server::protocol::wl_surface::{self, WlSurface};
use wayland_server::{
    Client, DataInit, Dispatch, DisplayHandle, GlobalDispatch, New, Resource, WEnum,
};

use super::{BufferContents, Commit, Offer, State};

/// Creates the globals of an offer.
pub fn create(display: &DisplayHandle, offer: &Offer) {
    display.create_global::<State, WlCompositor, ()>(4, ());
    display.create_global::<State, WlShm, ()>(1, ());
    if offer.tearing {
        display.create_global::<State, WpTearingControlManagerV1, ()>(1, ());
    }
    if offer.fifo {
        display.create_global::<State, WpFifoManagerV1, ()>(1, ());
    }
    if offer.period_ns.is_some() {
        display.create_global::<State, WpCommitTimingManagerV1, ()>(1, ());
        display.create_global::<State, WpPresentation, ()>(1, ());
    }
    if offer.syncobj {
        display.create_global::<State, WpLinuxDrmSyncobjManagerV1, ()>(1, ());
    }
    if offer.colours.is_some() {
        display.create_global::<State, WpColorManagerV1, ()>(1, ());
    }
    if offer.dmabuf.is_some() {
        display.create_global::<State, ZwpLinuxDmabufV1, ()>(4, ());
    }
}

/// Implements a global that needs no action when it is bound.
macro_rules! silent_global {
    ($interface:ty) => {
        impl GlobalDispatch<$interface, ()> for State {
            fn bind(
                _: &mut Self,
                _: &DisplayHandle,
                _: &Client,
                new: New<$interface>,
                (): &(),
                init: &mut DataInit<'_, Self>,
            ) {
                init.init(new, ());
            }
        }
    };
}

/// Implements the requests of an interface: `|state, resource, request, data, init| { ... }`.
macro_rules! requests {
    ($interface:ty, $data:ty, |$state:pat_param, $resource:pat_param, $request:pat_param, $given:pat_param, $init:pat_param| $body:block) => {
        impl Dispatch<$interface, $data> for State {
            fn request(
                $state: &mut Self,
                _: &Client,
                $resource: &$interface,
                $request: <$interface as Resource>::Request,
                $given: &$data,
                _: &DisplayHandle,
                $init: &mut DataInit<'_, Self>,
            ) $body
        }
    };
}

silent_global!(WlCompositor);
silent_global!(ZwpLinuxDmabufV1);
silent_global!(WpTearingControlManagerV1);
silent_global!(WpFifoManagerV1);
silent_global!(WpCommitTimingManagerV1);
silent_global!(WpLinuxDrmSyncobjManagerV1);

impl GlobalDispatch<WpPresentation, ()> for State {
    fn bind(
        state: &mut Self,
        _: &DisplayHandle,
        _: &Client,
        new: New<WpPresentation>,
        (): &(),
        init: &mut DataInit<'_, Self>,
    ) {
        let presentation = init.init(new, ());
        if let Some(clock) = state.offer.clock {
            presentation.clock_id(clock);
        }
    }
}

requests!(WlCompositor, (), |_, _, request, _, init| {
    match request {
        wl_compositor::Request::CreateSurface { id } => drop(init.init(id, ())),
        wl_compositor::Request::CreateRegion { .. } => panic!("no regions"),
        _ => {}
    }
});

requests!(WlSurface, (), |state, _, request, _, init| {
    match request {
        wl_surface::Request::Attach { buffer, .. } => state.pending.buffer = buffer,
        wl_surface::Request::Frame { callback } => {
            let callback = init.init(callback, ());
            state.pending.callbacks.push(callback);
        }
        wl_surface::Request::Commit => state.commit(),
        _ => {}
    }
});

impl State {
    /// Applies the pending state: shows the buffer at once, and releases the one before it.
    fn commit(&mut self) {
        let pending = std::mem::take(&mut self.pending);
        if let Some(buffer) = pending.buffer {
            // A protocol error of `wp_linux_drm_syncobj_surface_v1` otherwise.
            let explicit = self.objects[3] != 0;
            assert_eq!(pending.points.map(|point| point.is_some()), [explicit; 2]);
            let contents = buffer.data::<Arc<BufferContents>>().unwrap();
            let mut bytes = vec![0; 64];
            let read = contents.file.read_at(&mut bytes, contents.offset.into());
            bytes.truncate(read.unwrap());
            let mut commits = self.commits.lock().unwrap();
            let number = commits.len() as u64 + 1;
            commits.push(Commit {
                format: contents.format,
                modifier: contents.modifier,
                planes: contents.planes.clone(),
                bytes,
                tears: self.tears,
                fifo: pending.fifo,
                earliest_ns: pending.earliest_ns,
                points: pending.points,
                description: self.description,
                descriptions_set: self.descriptions_set,
            });
            drop(commits);
            self.report(number, pending.feedback);
            if let Some(before) = self.shown.replace(buffer) {
                before.release();
            }
        }
        for callback in pending.callbacks {
            if !self.offer.hidden {
                callback.done(0);
            }
        }
    }

    /// Reports when a frame is presented, or that it is not.
    fn report(&self, number: u64, feedback: Vec<WpPresentationFeedback>) {
        let period = u64::from(self.offer.period_ns.unwrap_or(0));
        let time_ns = number * period;
        let (seconds, ns) = (time_ns / 1_000_000_000, time_ns % 1_000_000_000);
        for feedback in feedback {
            match self.offer.hidden {
                true => feedback.discarded(),
                false => feedback.presented(
                    (seconds >> 32) as u32,
                    seconds as u32,
                    ns as u32,
                    period as u32,
                    0,
                    0,
                    wp_presentation_feedback::Kind::Vsync,
                ),
            }
        }
    }

    /// Counts an object of an extension, of which a surface has at most one.
    fn add_object(&mut self, extension: usize) {
        self.objects[extension] += 1;
        assert_eq!(self.objects[extension], 1, "extension {extension}");
    }
}

requests!(WlCallback, (), |_, _, _, _, _| {});
requests!(WlBuffer, Arc<BufferContents>, |_, _, _, _, _| {});

impl GlobalDispatch<WlShm, ()> for State {
    fn bind(
        state: &mut Self,
        _: &DisplayHandle,
        _: &Client,
        new: New<WlShm>,
        (): &(),
        init: &mut DataInit<'_, Self>,
    ) {
        let shm = init.init(new, ());
        for &code in &state.offer.shm {
            shm.format(wl_shm::Format::try_from(code).unwrap());
        }
    }
}

requests!(WlShm, (), |_, _, request, _, init| {
    if let wl_shm::Request::CreatePool { id, fd, .. } = request {
        init.init(id, Arc::new(File::from(fd)));
    }
});

requests!(WlShmPool, Arc<File>, |state, _, request, file, init| {
    let wl_shm_pool::Request::CreateBuffer {
        id,
        offset,
        width,
        height,
        stride,
        format,
    } = request
    else {
        return;
    };
    let WEnum::Value(format) = format else {
        panic!("format {format:?}")
    };
    assert!(state.offer.shm.contains(&format.into()), "{format:?}");
    let contents = BufferContents {
        format: format.into(),
        width_px: width as u32,
        height_px: height as u32,
        stride: stride as u32,
        offset: offset as u32,
        modifier: None,
        planes: Vec::new(),
        file: file.clone(),
    };
    let needed = contents.offset + contents.stride * contents.height_px;
    assert!(contents.file.metadata().unwrap().len() >= needed.into());
    assert!(contents.stride >= contents.width_px * 4);
    init.init(id, Arc::new(contents));
});

requests!(
    WpTearingControlManagerV1,
    (),
    |state, _, request, _, init| {
        if let wp_tearing_control_manager_v1::Request::GetTearingControl { id, .. } = request {
            init.init(id, ());
            state.add_object(0);
        }
    }
);

requests!(WpTearingControlV1, (), |state, _, request, _, _| {
    match request {
        wp_tearing_control_v1::Request::SetPresentationHint { hint } => {
            let tears = hint == WEnum::Value(wp_tearing_control_v1::PresentationHint::Async);
            state.tears = Some(tears);
        }
        wp_tearing_control_v1::Request::Destroy => state.objects[0] -= 1,
        _ => {}
    }
});

requests!(WpFifoManagerV1, (), |state, _, request, _, init| {
    if let wp_fifo_manager_v1::Request::GetFifo { id, .. } = request {
        init.init(id, ());
        state.add_object(1);
    }
});

requests!(WpFifoV1, (), |state, _, request, _, _| {
    match request {
        wp_fifo_v1::Request::SetBarrier => state.pending.fifo[0] = true,
        wp_fifo_v1::Request::WaitBarrier => state.pending.fifo[1] = true,
        wp_fifo_v1::Request::Destroy => state.objects[1] -= 1,
        _ => {}
    }
});

requests!(WpCommitTimingManagerV1, (), |state, _, request, _, init| {
    if let wp_commit_timing_manager_v1::Request::GetTimer { id, .. } = request {
        init.init(id, ());
        state.add_object(2);
    }
});

requests!(WpCommitTimerV1, (), |state, _, request, _, _| {
    match request {
        wp_commit_timer_v1::Request::SetTimestamp {
            tv_sec_hi,
            tv_sec_lo,
            tv_nsec,
        } => {
            assert!(tv_nsec < 1_000_000_000);
            let seconds = u64::from(tv_sec_hi) << 32 | u64::from(tv_sec_lo);
            let time_ns = seconds * 1_000_000_000 + u64::from(tv_nsec);
            assert_eq!(state.pending.earliest_ns.replace(time_ns), None);
        }
        wp_commit_timer_v1::Request::Destroy => state.objects[2] -= 1,
        _ => {}
    }
});

requests!(
    WpLinuxDrmSyncobjManagerV1,
    (),
    |state, _, request, _, init| {
        use wp_linux_drm_syncobj_manager_v1::Request as R;
        match request {
            R::GetSurface { id, .. } => {
                init.init(id, ());
                state.add_object(3);
            }
            R::ImportTimeline { id, fd } => {
                let inode = File::from(fd).metadata().unwrap().ino();
                init.init(id, inode);
            }
            _ => {}
        }
    }
);

requests!(WpLinuxDrmSyncobjTimelineV1, u64, |_, _, _, _, _| {});

requests!(WpLinuxDrmSyncobjSurfaceV1, (), |state, _, request, _, _| {
    use wp_linux_drm_syncobj_surface_v1::Request as R;
    let point = |timeline: WpLinuxDrmSyncobjTimelineV1, high: u32, low: u32| {
        let inode = *timeline.data::<u64>().unwrap();
        Some((inode, u64::from(high) << 32 | u64::from(low)))
    };
    match request {
        R::SetAcquirePoint {
            timeline,
            point_hi,
            point_lo,
        } => state.pending.points[0] = point(timeline, point_hi, point_lo),
        R::SetReleasePoint {
            timeline,
            point_hi,
            point_lo,
        } => state.pending.points[1] = point(timeline, point_hi, point_lo),
        R::Destroy => state.objects[3] -= 1,
        _ => {}
    }
});

requests!(WpPresentation, (), |state, _, request, _, init| {
    if let wp_presentation::Request::Feedback { callback, .. } = request {
        let feedback = init.init(callback, ());
        state.pending.feedback.push(feedback);
    }
});

requests!(WpPresentationFeedback, (), |_, _, _, _, _| {});

/// The planes that a client adds.
type Planes = Mutex<Vec<(OwnedFd, u32, u32, u64)>>;

requests!(ZwpLinuxDmabufV1, (), |state, _, request, _, init| {
    match request {
        dmabuf::Request::CreateParams { params_id } => {
            init.init(params_id, Planes::default());
        }
        dmabuf::Request::GetSurfaceFeedback { id, .. } => {
            let feedback = init.init(id, ());
            send_feedback(&feedback, state.offer.dmabuf.as_ref().unwrap());
        }
        dmabuf::Request::GetDefaultFeedback { id } => drop(init.init(id, ())),
        _ => {}
    }
});

requests!(ZwpLinuxDmabufFeedbackV1, (), |_, _, _, _, _| {});

/// Announces all formats in one tranche.
fn send_feedback(feedback: &ZwpLinuxDmabufFeedbackV1, (table, device): &(Vec<(u32, u64)>, u64)) {
    let mut bytes = Vec::new();
    for (format, modifier) in table {
        bytes.extend(format.to_ne_bytes());
        bytes.extend([0; 4]);
        bytes.extend(modifier.to_ne_bytes());
    }
    let file = sys::memfd(c"formats", bytes.len() as u64).unwrap();
    let mut file = File::from(file);
    file.write_all(&bytes).unwrap();
    feedback.format_table(file.as_fd(), bytes.len() as u32);
    feedback.main_device(device.to_ne_bytes().to_vec());
    feedback.tranche_target_device(device.to_ne_bytes().to_vec());
    feedback.tranche_flags(TrancheFlags::empty());
    let indices = (0..table.len() as u16).flat_map(u16::to_ne_bytes);
    feedback.tranche_formats(indices.collect());
    feedback.tranche_done();
    feedback.done();
}

impl Dispatch<ZwpLinuxBufferParamsV1, Planes> for State {
    fn request(
        _: &mut Self,
        client: &Client,
        resource: &ZwpLinuxBufferParamsV1,
        request: params::Request,
        planes: &Planes,
        display: &DisplayHandle,
        _: &mut DataInit<'_, Self>,
    ) {
        match request {
            params::Request::Add {
                fd,
                offset,
                stride,
                modifier_hi,
                modifier_lo,
                ..
            } => {
                let modifier = u64::from(modifier_hi) << 32 | u64::from(modifier_lo);
                let mut planes = planes.lock().unwrap();
                planes.push((fd, offset, stride, modifier));
            }
            params::Request::Create {
                width,
                height,
                format,
                ..
            } => {
                let mut planes = planes.lock().unwrap();
                let layouts = planes.iter().map(|plane| (plane.1, plane.2)).collect();
                let (fd, offset, stride, modifier) = planes.remove(0);
                let contents = BufferContents {
                    format,
                    width_px: width as u32,
                    height_px: height as u32,
                    stride,
                    offset,
                    modifier: Some(modifier),
                    planes: layouts,
                    file: Arc::new(File::from(fd)),
                };
                let buffer = client
                    .create_resource::<WlBuffer, _, State>(display, 1, Arc::new(contents))
                    .unwrap();
                resource.created(&buffer);
            }
            _ => {}
        }
    }
}
