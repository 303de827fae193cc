//! Surfaces and swapchains: xcb, wayland, headless, over images and fences of `vk`.
//!
//! Empty until there are images. Until then no surface extension is listed, so no application asks for one.
