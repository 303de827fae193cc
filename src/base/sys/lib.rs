//! The edge to the operating system: ioctl, mmap and memfd as safe functions.
