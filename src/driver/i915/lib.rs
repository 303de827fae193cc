//! Device, buffers, address space, execution and synchronisation over any Kernel.
