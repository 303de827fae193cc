//! A compositor without a screen, in a thread of the test. It records what its client commits.
//!
//! In:  the globals to offer. Out: a connection to it, and the commits of its surfaces.

pub mod colours;
mod globals;

use std::fs::File;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use colours::{ColourOffer, Description};
use wayland_client::Connection;
use wayland_protocols::wp::presentation_time::server::wp_presentation_feedback::WpPresentationFeedback;
use wayland_server::Display;
use wayland_server::backend::ClientData;
use wayland_server::protocol::wl_buffer::WlBuffer;
use wayland_server::protocol::wl_callback::WlCallback;

/// The globals to offer beside `wl_compositor`.
#[derive(Clone, Debug, Default)]
pub struct Offer {
    /// Formats of `wl_shm`, in its numbers.
    pub shm: Vec<u32>,
    /// Formats and modifiers of `zwp_linux_dmabuf_v1`, and the device number that reads them.
    pub dmabuf: Option<(Vec<(u32, u64)>, u64)>,
    /// `wp_tearing_control_manager_v1`.
    pub tearing: bool,
    /// `wp_fifo_manager_v1`.
    pub fifo: bool,
    /// `wp_commit_timing_manager_v1` and `wp_presentation`; frame `n`, from 1, is presented at
    /// `n` times this period in ns.
    pub period_ns: Option<u32>,
    /// The clock of `wp_presentation` that the client is told of, as a `clockid_t`.
    pub clock: Option<u32>,
    /// `wp_linux_drm_syncobj_manager_v1`.
    pub syncobj: bool,
    /// `wp_color_manager_v1`.
    pub colours: Option<ColourOffer>,
    /// No frame is ever shown: the surface is hidden.
    pub hidden: bool,
}

/// A buffer of the client.
#[derive(Debug)]
pub struct BufferContents {
    /// The format code.
    pub format: u32,
    /// Rows, in bytes.
    pub width_px: u32,
    pub height_px: u32,
    pub stride: u32,
    pub offset: u32,
    /// The modifier, for dma-bufs.
    pub modifier: Option<u64>,
    /// Offset and row pitch of all memory planes, for dma-bufs.
    pub planes: Vec<(u32, u32)>,
    /// The memory.
    pub file: Arc<File>,
}

/// What one commit of a surface has changed.
#[derive(Clone, Debug, Default)]
pub struct Commit {
    /// Format code of the attached buffer.
    pub format: u32,
    /// Its modifier, for dma-bufs.
    pub modifier: Option<u64>,
    /// Offset and row pitch of its memory planes, for dma-bufs.
    pub planes: Vec<(u32, u32)>,
    /// The bytes of the attached buffer's first pixels.
    pub bytes: Vec<u8>,
    /// The last presentation hint: whether it may tear.
    pub tears: Option<bool>,
    /// Whether it sets a barrier, and waits for one.
    pub fifo: [bool; 2],
    /// The earliest time of presentation in ns.
    pub earliest_ns: Option<u64>,
    /// The files of the timelines of acquisition and release, by inode, and the points.
    pub points: [Option<TimelinePoint>; 2],
    /// The image description, and how many have been set so far.
    pub description: Option<Description>,
    pub descriptions_set: u32,
}

/// A point of a timeline: the inode of its file, and the number.
pub type TimelinePoint = (u64, u64);

/// The state of the compositor's thread.
#[derive(Default)]
pub struct State {
    offer: Offer,
    commits: Arc<Mutex<Vec<Commit>>>,
    pending: Pending,
    shown: Option<WlBuffer>,
    /// The presentation hint, which stays until it is changed.
    tears: Option<bool>,
    /// The image description of the next commits.
    description: Option<Description>,
    descriptions_set: u32,
    /// Number of objects of each extension that the surface has: tearing, FIFO, timer, explicit
    /// synchronisation.
    objects: [u32; 4],
    /// Number of its objects of colour management.
    managed: Arc<AtomicU32>,
}

/// The double-buffered state of the one surface.
#[derive(Default)]
struct Pending {
    buffer: Option<WlBuffer>,
    callbacks: Vec<WlCallback>,
    feedback: Vec<WpPresentationFeedback>,
    fifo: [bool; 2],
    earliest_ns: Option<u64>,
    points: [Option<TimelinePoint>; 2],
}

struct NoData;
impl ClientData for NoData {}

/// A running compositor.
pub struct Compositor {
    pub connection: Connection,
    /// Number of objects of colour management that the surface has.
    pub managed: Arc<AtomicU32>,
    commits: Arc<Mutex<Vec<Commit>>>,
    stop: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Compositor {
    pub fn start(offer: Offer) -> Self {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let mut display = Display::<State>::new().unwrap();
        let mut state = State {
            offer: offer.clone(),
            ..Default::default()
        };
        globals::create(&display.handle(), &offer);
        display
            .handle()
            .insert_client(theirs, Arc::new(NoData))
            .unwrap();
        let stop = Arc::new(AtomicBool::new(false));
        let (stops, commits) = (stop.clone(), state.commits.clone());
        let managed = state.managed.clone();
        let thread = std::thread::spawn(move || {
            while !stops.load(Relaxed) {
                display.dispatch_clients(&mut state).unwrap();
                display.flush_clients().unwrap();
                std::thread::sleep(Duration::from_millis(1));
            }
        });
        Self {
            connection: Connection::from_socket(ours).unwrap(),
            managed,
            commits,
            stop,
            thread: Some(thread),
        }
    }

    /// The commits with a buffer so far.
    pub fn commits(&self) -> MutexGuard<'_, Vec<Commit>> {
        self.commits.lock().unwrap()
    }

    /// Waits until there are as many commits.
    pub fn wait_for(&self, count: usize) -> Vec<Commit> {
        for _ in 0..2000 {
            if self.commits().len() >= count {
                break;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        self.commits().clone()
    }
}

impl Drop for Compositor {
    fn drop(&mut self) {
        self.stop.store(true, Relaxed);
        let ended = self.thread.take().unwrap().join();
        assert!(ended.is_ok() || std::thread::panicking(), "the compositor");
    }
}
