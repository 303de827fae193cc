//! Numbers and structures of the generic DRM interface. Ref: drm.h.

use crate::declare::{iow, iowr, numbers, structures};

structures! { LAYOUTS;
    /// Argument of VERSION: three numbers, and three strings with their room.
    Version = "struct drm_version" {
        /// Major version.
        major: i32 = "version_major",
        /// Minor version.
        minor: i32 = "version_minor",
        /// Patch level.
        patch: i32 = "version_patchlevel",
        /// Padding.
        pad: u32,
        /// Room for, then length of, the name, in bytes.
        name_len: u64 = "name_len",
        /// Address of the name.
        name: u64 = "name",
        /// Room for, then length of, the date, in bytes.
        date_len: u64 = "date_len",
        /// Address of the date.
        date: u64 = "date",
        /// Room for, then length of, the description, in bytes.
        desc_len: u64 = "desc_len",
        /// Address of the description.
        desc: u64 = "desc",
    }
    /// Argument of GEM_CLOSE.
    GemClose = "struct drm_gem_close" {
        /// Buffer.
        handle: u32 = "handle",
        /// Padding.
        pad: u32 = "pad",
    }
    /// Argument of GET_CAP.
    GetCap = "struct drm_get_cap" {
        /// Which.
        capability: u64 = "capability",
        /// Out: its value.
        value: u64 = "value",
    }
    /// Argument of SET_CLIENT_CAP.
    SetClientCap = "struct drm_set_client_cap" {
        /// Which.
        capability: u64 = "capability",
        /// Its value.
        value: u64 = "value",
    }
    /// Argument of PRIME_HANDLE_TO_FD and PRIME_FD_TO_HANDLE.
    PrimeHandle = "struct drm_prime_handle" {
        /// Buffer.
        handle: u32 = "handle",
        /// `PRIME_CLOEXEC`, `PRIME_RDWR`.
        flags: u32 = "flags",
        /// Descriptor of the dma-buf.
        fd: i32 = "fd",
    }
    /// Argument of SYNCOBJ_CREATE.
    SyncobjCreate = "struct drm_syncobj_create" {
        /// Out: the syncobj.
        handle: u32 = "handle",
        /// `SYNCOBJ_CREATE_SIGNALED`.
        flags: u32 = "flags",
    }
    /// Argument of SYNCOBJ_DESTROY.
    SyncobjDestroy = "struct drm_syncobj_destroy" {
        /// Syncobj.
        handle: u32 = "handle",
        /// Padding.
        pad: u32 = "pad",
    }
    /// Argument of SYNCOBJ_HANDLE_TO_FD and SYNCOBJ_FD_TO_HANDLE.
    SyncobjHandle = "struct drm_syncobj_handle" {
        /// Syncobj.
        handle: u32 = "handle",
        /// `SYNCOBJ_FD_SYNC_FILE`.
        flags: u32 = "flags",
        /// Descriptor.
        fd: i32 = "fd",
        /// Padding.
        pad: u32 = "pad",
    }
    /// Argument of SYNCOBJ_TRANSFER.
    SyncobjTransfer = "struct drm_syncobj_transfer" {
        /// Syncobj whose fence is taken.
        src_handle: u32 = "src_handle",
        /// Syncobj that gets it.
        dst_handle: u32 = "dst_handle",
        /// Point of the source; 0 for the binary fence.
        src_point: u64 = "src_point",
        /// Point of the destination; 0 for the binary fence.
        dst_point: u64 = "dst_point",
        /// As for waits.
        flags: u32 = "flags",
        /// Padding.
        pad: u32 = "pad",
    }
    /// Argument of SYNCOBJ_WAIT.
    SyncobjWait = "struct drm_syncobj_wait" {
        /// Address of an array of syncobjs.
        handles: u64 = "handles",
        /// Deadline, in ns of the monotonic clock.
        timeout_nsec: i64 = "timeout_nsec",
        /// Length of the array.
        count_handles: u32 = "count_handles",
        /// `SYNCOBJ_WAIT_*`.
        flags: u32 = "flags",
        /// Out: index of the first signalled one.
        first_signaled: u32 = "first_signaled",
        /// Padding.
        pad: u32 = "pad",
    }
    /// Argument of SYNCOBJ_TIMELINE_WAIT.
    SyncobjTimelineWait = "struct drm_syncobj_timeline_wait" {
        /// Address of an array of syncobjs.
        handles: u64 = "handles",
        /// Address of an array of points.
        points: u64 = "points",
        /// Deadline, in ns of the monotonic clock.
        timeout_nsec: i64 = "timeout_nsec",
        /// Length of the arrays.
        count_handles: u32 = "count_handles",
        /// `SYNCOBJ_WAIT_*`.
        flags: u32 = "flags",
        /// Out: index of the first signalled one.
        first_signaled: u32 = "first_signaled",
        /// Padding.
        pad: u32 = "pad",
    }
    /// Argument of SYNCOBJ_RESET and SYNCOBJ_SIGNAL.
    SyncobjArray = "struct drm_syncobj_array" {
        /// Address of an array of syncobjs.
        handles: u64 = "handles",
        /// Length of the array.
        count_handles: u32 = "count_handles",
        /// Padding.
        pad: u32 = "pad",
    }
    /// Argument of SYNCOBJ_QUERY and SYNCOBJ_TIMELINE_SIGNAL.
    SyncobjTimelineArray = "struct drm_syncobj_timeline_array" {
        /// Address of an array of syncobjs.
        handles: u64 = "handles",
        /// Address of an array of points.
        points: u64 = "points",
        /// Length of the arrays.
        count_handles: u32 = "count_handles",
        /// `SYNCOBJ_QUERY_LAST_SUBMITTED`.
        flags: u32 = "flags",
    }
}

numbers! { NUMBERS;
    /// Type byte of request codes.
    IOCTL_BASE: u32 = b'd' as u32, "DRM_IOCTL_BASE";
    /// First number of a driver's own ioctls.
    COMMAND_BASE: u32 = 0x40, "DRM_COMMAND_BASE";
    /// One beyond the last number of a driver's own ioctls.
    COMMAND_END: u32 = 0xa0, "DRM_COMMAND_END";
    /// Request code.
    VERSION: u32 = iowr::<Version>(0x00), "DRM_IOCTL_VERSION";
    /// Request code.
    GEM_CLOSE: u32 = iow::<GemClose>(0x09), "DRM_IOCTL_GEM_CLOSE";
    /// Request code.
    GET_CAP: u32 = iowr::<GetCap>(0x0c), "DRM_IOCTL_GET_CAP";
    /// Request code.
    SET_CLIENT_CAP: u32 = iow::<SetClientCap>(0x0d), "DRM_IOCTL_SET_CLIENT_CAP";
    /// Request code.
    PRIME_HANDLE_TO_FD: u32 = iowr::<PrimeHandle>(0x2d), "DRM_IOCTL_PRIME_HANDLE_TO_FD";
    /// Request code.
    PRIME_FD_TO_HANDLE: u32 = iowr::<PrimeHandle>(0x2e), "DRM_IOCTL_PRIME_FD_TO_HANDLE";
    /// Request code.
    SYNCOBJ_CREATE: u32 = iowr::<SyncobjCreate>(0xbf), "DRM_IOCTL_SYNCOBJ_CREATE";
    /// Request code.
    SYNCOBJ_DESTROY: u32 = iowr::<SyncobjDestroy>(0xc0), "DRM_IOCTL_SYNCOBJ_DESTROY";
    /// Request code.
    SYNCOBJ_HANDLE_TO_FD: u32 = iowr::<SyncobjHandle>(0xc1), "DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD";
    /// Request code.
    SYNCOBJ_FD_TO_HANDLE: u32 = iowr::<SyncobjHandle>(0xc2), "DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE";
    /// Request code.
    SYNCOBJ_WAIT: u32 = iowr::<SyncobjWait>(0xc3), "DRM_IOCTL_SYNCOBJ_WAIT";
    /// Request code.
    SYNCOBJ_RESET: u32 = iowr::<SyncobjArray>(0xc4), "DRM_IOCTL_SYNCOBJ_RESET";
    /// Request code.
    SYNCOBJ_SIGNAL: u32 = iowr::<SyncobjArray>(0xc5), "DRM_IOCTL_SYNCOBJ_SIGNAL";
    /// Request code.
    SYNCOBJ_TIMELINE_WAIT: u32 = iowr::<SyncobjTimelineWait>(0xca), "DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT";
    /// Request code.
    SYNCOBJ_QUERY: u32 = iowr::<SyncobjTimelineArray>(0xcb), "DRM_IOCTL_SYNCOBJ_QUERY";
    /// Request code.
    SYNCOBJ_TRANSFER: u32 = iowr::<SyncobjTransfer>(0xcc), "DRM_IOCTL_SYNCOBJ_TRANSFER";
    /// Request code.
    SYNCOBJ_TIMELINE_SIGNAL: u32 = iowr::<SyncobjTimelineArray>(0xcd), "DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL";

    /// The device can import and export dma-bufs.
    CAP_PRIME: u64 = 0x5, "DRM_CAP_PRIME";
    /// Value of [`CAP_PRIME`]: import.
    PRIME_CAP_IMPORT: u64 = 1, "DRM_PRIME_CAP_IMPORT";
    /// Value of [`CAP_PRIME`]: export.
    PRIME_CAP_EXPORT: u64 = 2, "DRM_PRIME_CAP_EXPORT";
    /// Timestamps are of the monotonic clock.
    CAP_TIMESTAMP_MONOTONIC: u64 = 0x6, "DRM_CAP_TIMESTAMP_MONOTONIC";
    /// Format modifiers.
    CAP_ADDFB2_MODIFIERS: u64 = 0x10, "DRM_CAP_ADDFB2_MODIFIERS";
    /// Syncobjs.
    CAP_SYNCOBJ: u64 = 0x13, "DRM_CAP_SYNCOBJ";
    /// Timeline syncobjs.
    CAP_SYNCOBJ_TIMELINE: u64 = 0x14, "DRM_CAP_SYNCOBJ_TIMELINE";

    /// The descriptor is closed by exec.
    PRIME_CLOEXEC: u32 = 0o2000000, "DRM_CLOEXEC";
    /// The descriptor can be mapped writable.
    PRIME_RDWR: u32 = 0o2, "DRM_RDWR";
    /// The syncobj starts signalled.
    SYNCOBJ_CREATE_SIGNALED: u32 = 1, "DRM_SYNCOBJ_CREATE_SIGNALED";
    /// The descriptor is a sync file, not a syncobj. The same in both directions.
    SYNCOBJ_FD_SYNC_FILE: u32 = 1, "DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE";
    /// Wait for all, not for any.
    SYNCOBJ_WAIT_ALL: u32 = 1, "DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL";
    /// A syncobj without a fence is waited for, not an error.
    SYNCOBJ_WAIT_FOR_SUBMIT: u32 = 2, "DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT";
    /// Wait until there are fences, signalled or not.
    SYNCOBJ_WAIT_AVAILABLE: u32 = 4, "DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE";
    /// Query the last point submitted, not the last signalled.
    SYNCOBJ_QUERY_LAST_SUBMITTED: u32 = 1, "DRM_SYNCOBJ_QUERY_FLAGS_LAST_SUBMITTED";
}

/// Major number of DRM's device nodes. Ref: Linux's devices.txt.
pub const MAJOR: u32 = 226;
/// Minor number of the first render node; primary nodes begin at 0.
pub const FIRST_RENDER_MINOR: u32 = 128;
