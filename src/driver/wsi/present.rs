//! The interface between a swapchain and a window system.
//!
//! In:  images to present. Out: images in a window, and which of them the window system has shown
//!      and released.

use std::io::{Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};

use crate::error::{Error, Result};

/// Wakes the thread of a swapchain, which otherwise waits for its window system.
#[derive(Debug)]
pub struct Waker {
    sender: UnixStream,
    receiver: UnixStream,
    /// The end of waits, in ns of the monotonic clock; [`i64::MAX`] if there is none.
    deadline_ns: AtomicI64,
}

impl Waker {
    /// A waker that has not been woken.
    pub fn new() -> std::io::Result<Self> {
        let (sender, receiver) = UnixStream::pair()?;
        sender.set_nonblocking(true)?;
        receiver.set_nonblocking(true)?;
        Ok(Self {
            sender,
            receiver,
            deadline_ns: AtomicI64::new(i64::MAX),
        })
    }

    /// Ends later waits at a time of the monotonic clock, in ns, at the latest.
    pub fn set_deadline(&self, deadline_ns: Option<i64>) {
        self.deadline_ns
            .store(deadline_ns.unwrap_or(i64::MAX), Relaxed);
    }

    /// Wakes the thread, or makes its next wait return at once.
    pub fn wake(&self) {
        // A full socket means that the thread is being woken already.
        let _ = (&self.sender).write(&[1]);
    }

    /// Waits until the thread is woken, one of the descriptors becomes readable, or the deadline
    /// has passed.
    pub fn wait(&self, descriptors: &[BorrowedFd<'_>]) -> Result<()> {
        let all: Vec<_> = [self.receiver.as_fd()]
            .into_iter()
            .chain(descriptors.iter().copied())
            .collect();
        let deadline_ns = Some(self.deadline_ns.load(Relaxed)).filter(|&ns| ns != i64::MAX);
        sys::wait_any_readable(&all, deadline_ns).map_err(Error::lost)?;
        while (&self.receiver)
            .read(&mut [0; 64])
            .is_ok_and(|count| count > 0)
        {}
        Ok(())
    }
}

/// When an image replaces the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PresentMode {
    /// At once (`VK_PRESENT_MODE_IMMEDIATE_KHR`).
    Immediate,
    /// At the next refresh, unless a newer image replaces it before that
    /// (`VK_PRESENT_MODE_MAILBOX_KHR`).
    Mailbox,
    /// At the next refresh; each image is shown for at least one refresh
    /// (`VK_PRESENT_MODE_FIFO_KHR`).
    Fifo,
    /// As `Fifo`, but at once if the image before it was shown for longer than one refresh
    /// (`VK_PRESENT_MODE_FIFO_RELAXED_KHR`).
    Relaxed,
}

impl PresentMode {
    /// Whether each image is shown for at least one refresh.
    pub(crate) fn is_fifo(self) -> bool {
        [PresentMode::Fifo, PresentMode::Relaxed].contains(&self)
    }
}

/// An image of a swapchain: rows of pixels as stored in memory.
pub trait PixelSource {
    /// Width in pixels.
    fn width(&self) -> u32;
    /// Height in pixels.
    fn height(&self) -> u32;
    /// Copies the first bytes of a row, as many as `out` holds.
    fn row(&self, y: u32, out: &mut [u8]) -> Result<()>;
    /// Waits until the window system no longer reads the image, up to `timeout_ns`. Returns false
    /// if it still does.
    fn reclaim(&self, _timeout_ns: u64) -> Result<bool> {
        Ok(true)
    }
}

/// A memory plane of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryPlane {
    /// Offset in the memory.
    pub offset_bytes: u32,
    /// Row pitch.
    pub pitch_bytes: u32,
}

/// The memory of an image that the window system reads in place.
#[derive(Debug)]
pub struct SharedImage {
    /// A dma-buf.
    pub memory: OwnedFd,
    /// The DRM format modifier of its layout.
    pub modifier: u64,
    /// Its memory planes: pixels, and the CCS if the modifier has one.
    pub planes: Vec<MemoryPlane>,
    /// Size of the memory.
    pub bytes: u64,
}

/// Timelines of the device (DRM syncobjs) by which it and the window system wait for each other.
pub trait Timelines: Send {
    /// A descriptor of the timeline whose points mark the end of rendering.
    fn rendered(&self) -> Result<OwnedFd>;
    /// A new timeline, on which the window system marks the end of its reads. None: the kernel does
    /// not report its points.
    fn create(&self) -> Result<Option<Box<dyn Timeline>>>;
}

/// A timeline that the window system advances.
pub trait Timeline: Send {
    /// A descriptor of it.
    fn export(&self) -> Result<OwnedFd>;
    /// The last point that is signalled.
    fn signalled(&self) -> Result<u64>;
    /// Makes the event readable once a point is signalled.
    fn notify(&self, point: u64) -> Result<()>;
    /// The event: an eventfd.
    fn event(&self) -> BorrowedFd<'_>;
}

/// The GPU of a device, to compare with the one that the window system uses.
#[derive(Clone, Debug)]
pub struct GpuNodes {
    /// Major and minor numbers of its device nodes. Empty if window systems cannot use it: it is
    /// simulated within this process, or INGOT_DEBUG demands copies.
    pub nodes: Vec<[u32; 2]>,
    /// Finds whether this machine has another GPU.
    pub has_others: fn() -> bool,
}

impl GpuNodes {
    /// The GPU of a physical device.
    pub fn new(physical: &vk::PhysicalDevice) -> Self {
        let node = physical.info().node.as_ref();
        let nodes = node
            .into_iter()
            .flat_map(|node| [Some([node.major, node.minor]), node.primary])
            .flatten();
        Self {
            nodes: match physical.diagnosis().has(debug::Flag::Shm) {
                true => Vec::new(),
                false => nodes.collect(),
            },
            has_others: || sys::render_nodes().len() > 1,
        }
    }
}

/// What HDR images were made for (`VkHdrMetadataEXT`). Values of 0 are unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct HdrMetadata {
    /// Chromaticity of the mastering display's red.
    pub red: [f32; 2],
    /// Chromaticity of its green.
    pub green: [f32; 2],
    /// Chromaticity of its blue.
    pub blue: [f32; 2],
    /// Chromaticity of its white.
    pub white: [f32; 2],
    /// Maximum luminance of the mastering display in cd/m².
    pub max_luminance: f32,
    /// Its minimum luminance in cd/m².
    pub min_luminance: f32,
    /// Maximum luminance of a pixel in cd/m².
    pub max_content_light_level: f32,
    /// Maximum of the average luminances of the images in cd/m².
    pub max_frame_average_light_level: f32,
}

/// How the window system interprets the alpha channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AlphaMode {
    /// Ignores it: the image covers what is behind the window.
    Opaque,
    /// Blends with it; colours are premultiplied.
    Premultiplied,
    /// As the window is configured.
    Inherit,
}

/// How well a swapchain fits its window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SwapchainFit {
    /// It has the size and the layout that suit the window.
    Optimal,
    /// Images of another layout could be shown without a copy.
    NeedsCopy,
    /// The window has another size: images are cut off or leave a border.
    Resized,
}

/// When an image was shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShownImage {
    /// Its number, counted from 1 in the order of [`Presenter::show`].
    pub number: u64,
    /// When its first pixel left for the display, in ns of the monotonic clock. None if it was
    /// never shown, or if the time is unknown.
    pub time_ns: Option<i64>,
}

/// What is known about the refreshes of a window's display.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refresh {
    /// The window system does not report them.
    Unknown,
    /// The window system reports them once images are shown.
    Pending,
    /// They have a fixed period in ns, which is not 0.
    Period(u64),
}

/// Shows the images of one swapchain in a window. Only [`Presenter::wait_events`] blocks, and
/// [`Presenter::set_metadata`] until the window system has responded.
pub trait Presenter: Send {
    /// Whether it accepts an image now. In FIFO modes it does not before the last image was shown.
    fn is_ready(&self, mode: PresentMode) -> bool;

    /// Shows an image.
    fn show(&mut self, index: u32, image: &dyn PixelSource, mode: PresentMode) -> Result<()>;

    /// The number of images that were shown, or dropped in favour of newer ones. Images are shown
    /// in the order of `show`.
    fn shown(&self) -> u64;

    /// How well the swapchain fits the window now.
    fn fit(&self) -> SwapchainFit;

    /// The index of an image that the window system has released; returned once for each `show`.
    fn released(&mut self) -> Option<u32>;

    /// Whether images whose rendering is unfinished may be shown: the kernel makes their readers
    /// wait.
    fn accepts_unfinished(&self) -> bool {
        false
    }

    /// Sets the point of the timeline of rendering ([`Timelines::rendered`]) at which the next
    /// image shown is complete.
    fn set_rendered_point(&mut self, _point: u64) {}

    /// Sets the HDR metadata of the images that are shown from now on.
    fn set_metadata(&mut self, _metadata: &HdrMetadata) -> Result<()> {
        Ok(())
    }

    /// Makes the window system report when each image of later calls of `show` is shown, if it can.
    fn request_times(&mut self) {}

    /// When an image was shown; returned once for each, in order, if the presenter reports times
    /// and they are requested.
    fn shown_image(&mut self) -> Option<ShownImage> {
        None
    }

    /// Whether [`Presenter::shown_image`] reports every image.
    fn reports_times(&self) -> bool {
        false
    }

    /// The refreshes of the display.
    fn refresh(&self) -> Refresh {
        Refresh::Unknown
    }

    /// Waits for events of the window system, or until the waker is woken, and processes them.
    fn wait_events(&mut self, wake: &Waker) -> Result<()>;

    /// Processes the events that have arrived.
    fn poll_events(&mut self) -> Result<()> {
        Ok(())
    }
}
