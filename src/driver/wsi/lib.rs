//! Surfaces and swapchains.
//!
//! In:  an application's window, images of `vk`, presents. Out: images in the window.
//!
//! If the window system uses the same GPU, a swapchain's images are dma-bufs that it reads in
//! place: with X11 by DRI3 and Present, with Wayland by `zwp_linux_dmabuf_v1`; a display without a
//! window system reads them too. Otherwise they are linear, and their pixels are copied to shared
//! memory or into requests. A thread for each swapchain passes rendered images to the
//! [`present::Presenter`] and processes the window system's events. src/driver/README.md describes
//! how an image reaches a window.
//! Ref: Vulkan specification, "Window System Integration (WSI)".
//!
//! Files import one way: `error`, `schedule` and `timing` ← `present` ← `format`, `display`,
//! `headless`, `timeline`, `wayland`, `x11`, `render_times` and `frame` ← `surface` ←
//! `swapchain`.

pub mod display;
pub mod error;
pub mod format;
pub mod frame;
pub mod headless;
pub mod present;
pub mod render_times;
pub mod schedule;
pub mod surface;
pub mod swapchain;
pub mod timeline;
pub mod timing;
pub mod wayland;
pub mod x11;

pub use error::{Error, Result};
pub use surface::Surface;
pub use swapchain::Swapchain;
