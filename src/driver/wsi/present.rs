//! What shows pictures: the side of a swapchain that a window system stands behind.

use std::io::{Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;

use crate::error::{Error, Result};

/// Wakes the thread of a swapchain, which otherwise waits for its window system.
#[derive(Debug)]
pub struct Wake {
    sender: UnixStream,
    receiver: UnixStream,
}

impl Wake {
    /// Not woken yet.
    pub fn new() -> std::io::Result<Self> {
        let (sender, receiver) = UnixStream::pair()?;
        sender.set_nonblocking(true)?;
        receiver.set_nonblocking(true)?;
        Ok(Self { sender, receiver })
    }

    /// Wakes it, or lets its next wait be none.
    pub fn wake(&self) {
        // If there is no room, it is awake already.
        let _ = (&self.sender).write(&[1]);
    }

    /// Waits until it is woken, or until one of these can be read from.
    pub fn wait(&self, others: &[BorrowedFd<'_>]) -> Result<()> {
        let all: Vec<_> = [self.receiver.as_fd()]
            .into_iter()
            .chain(others.iter().copied())
            .collect();
        sys::wait_any_readable(&all).map_err(Error::lost)?;
        while (&self.receiver)
            .read(&mut [0; 64])
            .is_ok_and(|count| count > 0)
        {}
        Ok(())
    }
}

/// When a picture replaces the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// At once (`VK_PRESENT_MODE_IMMEDIATE_KHR`).
    Immediate,
    /// At the next refresh; a newer one may come instead (`VK_PRESENT_MODE_MAILBOX_KHR`).
    Mailbox,
    /// At the next refresh, each for one at least (`VK_PRESENT_MODE_FIFO_KHR`).
    Fifo,
    /// The same, but at once where the refresh after the last one is over (`VK_PRESENT_MODE_FIFO_RELAXED_KHR`).
    Relaxed,
}

impl Pace {
    /// Whether each picture is shown for a time.
    pub(crate) fn is_even(self) -> bool {
        [Pace::Fifo, Pace::Relaxed].contains(&self)
    }
}

/// Rows of pixels, as they lie in an image's memory: four bytes a pixel.
pub trait Picture {
    /// Width in pixels.
    fn width(&self) -> u32;
    /// Height in pixels.
    fn height(&self) -> u32;
    /// Copies a row's pixels, from its first byte, as many as `out` has room for.
    fn row(&self, y: u32, out: &mut [u8]) -> Result<()>;
    /// Waits until nobody looks at it any more, some nanoseconds at most. False: somebody does.
    fn take_back(&self, _timeout_ns: u64) -> Result<bool> {
        Ok(true)
    }
}

/// Memory of an image that the window system shows as it is.
#[derive(Debug)]
pub struct Shared {
    /// A dma-buf.
    pub memory: OwnedFd,
    /// Its layout, as DRM calls it.
    pub modifier: u64,
    /// Where the image begins.
    pub offset_bytes: u32,
    /// From row to row.
    pub pitch_bytes: u32,
    /// Length of the memory.
    pub bytes: u64,
}

/// What a window system must know to take images as they are.
#[derive(Clone, Copy, Debug)]
pub struct Ours<'a> {
    /// Major and minor numbers of the GPU's device nodes: what others draw and show with must be one of them.
    pub nodes: &'a [[u32; 2]],
    /// Whether this machine has another GPU.
    pub has_others: bool,
}

/// Whether a picture's alpha means something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alpha {
    /// No: the picture covers what is behind the window.
    Opaque,
    /// Colours are multiplied by it already.
    Premultiplied,
    /// As the window has it.
    Inherit,
}

/// Whether a window still is what its swapchain was made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// It is.
    Same,
    /// Pictures that lie otherwise in their memory would be shown without a copy.
    Copied,
    /// It has another size: pictures are cut or leave a border.
    Resized,
}

/// Shows the pictures of one swapchain. Nothing of it waits, but for [`Presenter::listen`].
pub trait Presenter: Send {
    /// Whether it can take a picture over now; of a pace that asks for it, only if the one before was shown.
    fn is_ready(&self, pace: Pace) -> bool;

    /// Takes the picture of an image over, to show it.
    fn show(&mut self, index: u32, picture: &dyn Picture, pace: Pace) -> Result<()>;

    /// How many of the pictures have been shown, or dropped for newer ones. They are in the order in which they came.
    fn shown(&self) -> u64;

    /// Whether the window still is what the swapchain was made for.
    fn fit(&self) -> Fit;

    /// An image that it is done with; each is told once for each time that it was shown.
    fn done(&mut self) -> Option<u32>;

    /// Whether pictures may be shown that are not drawn yet: the kernel lets those who look at them wait.
    fn takes_undrawn(&self) -> bool {
        false
    }

    /// Waits for news, or until it is woken.
    fn listen(&mut self, wake: &Wake) -> Result<()>;

    /// Hears what news there are.
    fn hear(&mut self) -> Result<()> {
        Ok(())
    }
}
