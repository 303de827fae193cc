//! Surfaces and swapchains.
