//! Constants and structures of the generic DRM interface. Ref: drm.h.

use crate::declare::{iow, iowr, numbers, structures};

structures! { LAYOUTS;
    /// Argument of VERSION: three numbers, and three strings with their buffer sizes.
    Version = "struct drm_version" {
        /// Major version.
        major: i32 = "version_major",
        /// Minor version.
        minor: i32 = "version_minor",
        /// Patch level.
        patch: i32 = "version_patchlevel",
        /// Padding.
        pad: u32,
        /// In: size of the name buffer; out: length of the name, in bytes.
        name_len: u64 = "name_len",
        /// Address of the name.
        name: u64 = "name",
        /// In: size of the date buffer; out: length of the date, in bytes.
        date_len: u64 = "date_len",
        /// Address of the date.
        date: u64 = "date",
        /// In: size of the description buffer; out: length of the description, in bytes.
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
        /// Which capability.
        capability: u64 = "capability",
        /// Out: value.
        value: u64 = "value",
    }
    /// Argument of SET_CLIENT_CAP.
    SetClientCap = "struct drm_set_client_cap" {
        /// Which capability.
        capability: u64 = "capability",
        /// Value.
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
        /// Syncobj that the fence is copied from.
        src_handle: u32 = "src_handle",
        /// Syncobj that receives the fence.
        dst_handle: u32 = "dst_handle",
        /// Point of the source; 0 for the binary fence.
        src_point: u64 = "src_point",
        /// Point of the destination; 0 for the binary fence.
        dst_point: u64 = "dst_point",
        /// `SYNCOBJ_WAIT_FOR_SUBMIT`.
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
    /// Number of the first driver-specific ioctl.
    COMMAND_BASE: u32 = 0x40, "DRM_COMMAND_BASE";
    /// One more than the number of the last driver-specific ioctl.
    COMMAND_END: u32 = 0xa0, "DRM_COMMAND_END";
    /// Request code of VERSION.
    VERSION: u32 = iowr::<Version>(0x00), "DRM_IOCTL_VERSION";
    /// Request code of GEM_CLOSE.
    GEM_CLOSE: u32 = iow::<GemClose>(0x09), "DRM_IOCTL_GEM_CLOSE";
    /// Request code of GET_CAP.
    GET_CAP: u32 = iowr::<GetCap>(0x0c), "DRM_IOCTL_GET_CAP";
    /// Request code of SET_CLIENT_CAP.
    SET_CLIENT_CAP: u32 = iow::<SetClientCap>(0x0d), "DRM_IOCTL_SET_CLIENT_CAP";
    /// Request code of PRIME_HANDLE_TO_FD.
    PRIME_HANDLE_TO_FD: u32 = iowr::<PrimeHandle>(0x2d), "DRM_IOCTL_PRIME_HANDLE_TO_FD";
    /// Request code of PRIME_FD_TO_HANDLE.
    PRIME_FD_TO_HANDLE: u32 = iowr::<PrimeHandle>(0x2e), "DRM_IOCTL_PRIME_FD_TO_HANDLE";
    /// Request code of SYNCOBJ_CREATE.
    SYNCOBJ_CREATE: u32 = iowr::<SyncobjCreate>(0xbf), "DRM_IOCTL_SYNCOBJ_CREATE";
    /// Request code of SYNCOBJ_DESTROY.
    SYNCOBJ_DESTROY: u32 = iowr::<SyncobjDestroy>(0xc0), "DRM_IOCTL_SYNCOBJ_DESTROY";
    /// Request code of SYNCOBJ_HANDLE_TO_FD.
    SYNCOBJ_HANDLE_TO_FD: u32 = iowr::<SyncobjHandle>(0xc1), "DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD";
    /// Request code of SYNCOBJ_FD_TO_HANDLE.
    SYNCOBJ_FD_TO_HANDLE: u32 = iowr::<SyncobjHandle>(0xc2), "DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE";
    /// Request code of SYNCOBJ_WAIT.
    SYNCOBJ_WAIT: u32 = iowr::<SyncobjWait>(0xc3), "DRM_IOCTL_SYNCOBJ_WAIT";
    /// Request code of SYNCOBJ_RESET.
    SYNCOBJ_RESET: u32 = iowr::<SyncobjArray>(0xc4), "DRM_IOCTL_SYNCOBJ_RESET";
    /// Request code of SYNCOBJ_SIGNAL.
    SYNCOBJ_SIGNAL: u32 = iowr::<SyncobjArray>(0xc5), "DRM_IOCTL_SYNCOBJ_SIGNAL";
    /// Request code of SYNCOBJ_TIMELINE_WAIT.
    SYNCOBJ_TIMELINE_WAIT: u32 = iowr::<SyncobjTimelineWait>(0xca), "DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT";
    /// Request code of SYNCOBJ_QUERY.
    SYNCOBJ_QUERY: u32 = iowr::<SyncobjTimelineArray>(0xcb), "DRM_IOCTL_SYNCOBJ_QUERY";
    /// Request code of SYNCOBJ_TRANSFER.
    SYNCOBJ_TRANSFER: u32 = iowr::<SyncobjTransfer>(0xcc), "DRM_IOCTL_SYNCOBJ_TRANSFER";
    /// Request code of SYNCOBJ_TIMELINE_SIGNAL.
    SYNCOBJ_TIMELINE_SIGNAL: u32 = iowr::<SyncobjTimelineArray>(0xcd), "DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL";

    /// Events of refreshes name the CRTC.
    CAP_CRTC_IN_VBLANK_EVENT: u64 = 0x12, "DRM_CAP_CRTC_IN_VBLANK_EVENT";
    /// The device can import and export dma-bufs.
    CAP_PRIME: u64 = 0x5, "DRM_CAP_PRIME";
    /// Value of [`CAP_PRIME`]: import.
    PRIME_CAP_IMPORT: u64 = 1, "DRM_PRIME_CAP_IMPORT";
    /// Value of [`CAP_PRIME`]: export.
    PRIME_CAP_EXPORT: u64 = 2, "DRM_PRIME_CAP_EXPORT";
    /// Timestamps use the monotonic clock.
    CAP_TIMESTAMP_MONOTONIC: u64 = 0x6, "DRM_CAP_TIMESTAMP_MONOTONIC";
    /// Format modifiers.
    CAP_ADDFB2_MODIFIERS: u64 = 0x10, "DRM_CAP_ADDFB2_MODIFIERS";
    /// Syncobjs.
    CAP_SYNCOBJ: u64 = 0x13, "DRM_CAP_SYNCOBJ";
    /// Timeline syncobjs.
    CAP_SYNCOBJ_TIMELINE: u64 = 0x14, "DRM_CAP_SYNCOBJ_TIMELINE";

    /// Close the descriptor on exec.
    PRIME_CLOEXEC: u32 = 0o2000000, "DRM_CLOEXEC";
    /// The dma-buf can be mapped for writing.
    PRIME_RDWR: u32 = 0o2, "DRM_RDWR";
    /// The syncobj starts signalled.
    SYNCOBJ_CREATE_SIGNALED: u32 = 1, "DRM_SYNCOBJ_CREATE_SIGNALED";
    /// The descriptor is a sync file, not a syncobj. The same in both directions.
    SYNCOBJ_FD_SYNC_FILE: u32 = 1, "DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE";
    /// Wait for all, not for any.
    SYNCOBJ_WAIT_ALL: u32 = 1, "DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL";
    /// Wait for a syncobj without a fence to get one, instead of failing.
    SYNCOBJ_WAIT_FOR_SUBMIT: u32 = 2, "DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT";
    /// Wait until the fences exist, signalled or not.
    SYNCOBJ_WAIT_AVAILABLE: u32 = 4, "DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE";
    /// Query the last point submitted, not the last signalled.
    SYNCOBJ_QUERY_LAST_SUBMITTED: u32 = 1, "DRM_SYNCOBJ_QUERY_FLAGS_LAST_SUBMITTED";
}

/// Major number of DRM device nodes. Ref: Linux, devices.txt.
pub const MAJOR: u32 = 226;
/// Minor number of the first render node; primary nodes begin at 0.
pub const FIRST_RENDER_MINOR: u32 = 128;

/// Argument of SYNCOBJ_EVENTFD. Ref: Linux 6.6, drm.h; libdrm's headers may be older, so it is not
/// in [`LAYOUTS`].
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct SyncobjEventfd {
    /// Syncobj.
    pub handle: u32,
    /// `SYNCOBJ_WAIT_AVAILABLE`.
    pub flags: u32,
    /// Point of the timeline.
    pub point: u64,
    /// The eventfd.
    pub fd: i32,
    /// Must be 0.
    pub pad: u32,
}

/// Request code of SYNCOBJ_EVENTFD.
pub const SYNCOBJ_EVENTFD: u32 = iowr::<SyncobjEventfd>(0xcf);
