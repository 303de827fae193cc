//! Surfaces and swapchains.
//!
//! In:  a window that the C face has found, images of `vk`, what to present and when. Out: pictures in the window.
//! Where the window system draws and shows with our own GPU, a swapchain's images are dma-bufs that it shows as they are: of X11 by
//! DRI3 and Present, of Wayland by `zwp_linux_dmabuf_v1`. Otherwise they are linear, and their pixels are copied: to shared memory, or
//! into requests. A thread for each swapchain gives what is drawn to what shows it ([`present::Presenter`]), and hears what has become
//! of it. How a frame reaches a window is told in src/driver/README.md.
//! Ref: Vulkan specification, "Window System Integration (WSI)".
//!
//! Files import one way: `error` ← `present` ← `headless`, `wayland`, `x11` and `frame` ← `surface` ← `swapchain`.

pub mod error;
pub mod frame;
pub mod headless;
pub mod present;
pub mod surface;
pub mod swapchain;
pub mod wayland;
pub mod x11;

pub use error::{Error, Result};
pub use surface::Surface;
pub use swapchain::Swapchain;
