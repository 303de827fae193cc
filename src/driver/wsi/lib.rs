//! Surfaces and swapchains.
//!
//! In:  a window that the C face has found, images of `vk`, what to present and when. Out: pictures in the window.
//! A swapchain's images are linear and lie in memory that the CPU sees; a thread for each swapchain waits until an image is drawn, and
//! gives its pixels to what shows them ([`present::Presenter`]).
//! Ref: Vulkan specification, "Window System Integration (WSI)".
//!
//! Files import one way: `error` ← `present` ← `headless`, `wayland` and `x11` ← `surface`; `present` ← `frame` and `swapchain`.

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
