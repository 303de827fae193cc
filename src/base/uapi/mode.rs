//! Displays (KMS): structures and constants of `drm_mode.h`.
//!
//! Ref: drm_mode.h, drm.h (libdrm).

use crate::declare::{iowr, numbers, structures};

structures! { LAYOUTS;
    /// Argument of GETRESOURCES.
    CardRes = "struct drm_mode_card_res" {
        /// Address of an array of framebuffers.
        fb_id_ptr: u64 = "fb_id_ptr",
        /// Address of an array of CRTCs.
        crtc_id_ptr: u64 = "crtc_id_ptr",
        /// Address of an array of connectors.
        connector_id_ptr: u64 = "connector_id_ptr",
        /// Address of an array of encoders.
        encoder_id_ptr: u64 = "encoder_id_ptr",
        /// Length of the first array.
        count_fbs: u32 = "count_fbs",
        /// Length of the second array.
        count_crtcs: u32 = "count_crtcs",
        /// Length of the third array.
        count_connectors: u32 = "count_connectors",
        /// Length of the fourth array.
        count_encoders: u32 = "count_encoders",
        /// Minimum width of framebuffers.
        min_width: u32 = "min_width",
        /// Maximum width of framebuffers.
        max_width: u32 = "max_width",
        /// Minimum height of framebuffers.
        min_height: u32 = "min_height",
        /// Maximum height of framebuffers.
        max_height: u32 = "max_height",
    }
    /// A mode: the timing of a display.
    ModeInfo = "struct drm_mode_modeinfo" {
        /// Pixel clock in kHz.
        clock: u32 = "clock",
        /// Visible pixels of a line.
        hdisplay: u16 = "hdisplay",
        /// Start of the horizontal sync pulse.
        hsync_start: u16 = "hsync_start",
        /// End of the horizontal sync pulse.
        hsync_end: u16 = "hsync_end",
        /// Pixels of a line, with blanking.
        htotal: u16 = "htotal",
        /// Skew of the horizontal sync pulse.
        hskew: u16 = "hskew",
        /// Visible lines.
        vdisplay: u16 = "vdisplay",
        /// Start of the vertical sync pulse.
        vsync_start: u16 = "vsync_start",
        /// End of the vertical sync pulse.
        vsync_end: u16 = "vsync_end",
        /// Lines, with blanking.
        vtotal: u16 = "vtotal",
        /// How often each line is repeated.
        vscan: u16 = "vscan",
        /// Refreshes in a second, rounded.
        vrefresh: u32 = "vrefresh",
        /// `DRM_MODE_FLAG_*`.
        flags: u32 = "flags",
        /// `MODE_TYPE_*`.
        kind: u32 = "type",
        /// Name, ended by a zero.
        name: [u8; 32] = "name",
    }
    /// Argument of GETCRTC and SETCRTC.
    Crtc = "struct drm_mode_crtc" {
        /// Address of an array of connectors.
        set_connectors_ptr: u64 = "set_connectors_ptr",
        /// Its length.
        count_connectors: u32 = "count_connectors",
        /// The CRTC.
        crtc_id: u32 = "crtc_id",
        /// Framebuffer, or 0.
        fb_id: u32 = "fb_id",
        /// First visible column of the framebuffer.
        x: u32 = "x",
        /// First visible row of the framebuffer.
        y: u32 = "y",
        /// Entries of the gamma table.
        gamma_size: u32 = "gamma_size",
        /// Whether `mode` is valid.
        mode_valid: u32 = "mode_valid",
        /// The mode.
        mode: ModeInfo = "mode",
    }
    /// Argument of GETENCODER.
    GetEncoder = "struct drm_mode_get_encoder" {
        /// The encoder.
        encoder_id: u32 = "encoder_id",
        /// `DRM_MODE_ENCODER_*`.
        encoder_type: u32 = "encoder_type",
        /// The CRTC that drives it, or 0.
        crtc_id: u32 = "crtc_id",
        /// Bits of the CRTCs that can drive it, by index.
        possible_crtcs: u32 = "possible_crtcs",
        /// Bits of the encoders that can share a CRTC with it.
        possible_clones: u32 = "possible_clones",
    }
    /// Argument of GETCONNECTOR.
    GetConnector = "struct drm_mode_get_connector" {
        /// Address of an array of encoders.
        encoders_ptr: u64 = "encoders_ptr",
        /// Address of an array of modes.
        modes_ptr: u64 = "modes_ptr",
        /// Address of an array of properties.
        props_ptr: u64 = "props_ptr",
        /// Address of an array of their values.
        prop_values_ptr: u64 = "prop_values_ptr",
        /// Number of modes.
        count_modes: u32 = "count_modes",
        /// Number of properties.
        count_props: u32 = "count_props",
        /// Number of encoders.
        count_encoders: u32 = "count_encoders",
        /// The encoder in use, or 0.
        encoder_id: u32 = "encoder_id",
        /// The connector.
        connector_id: u32 = "connector_id",
        /// `MODE_CONNECTOR_*`.
        connector_type: u32 = "connector_type",
        /// Its number among connectors of its type.
        connector_type_id: u32 = "connector_type_id",
        /// 1: a display is connected; 2: none.
        connection: u32 = "connection",
        /// Width of the display in mm.
        mm_width: u32 = "mm_width",
        /// Height of the display in mm.
        mm_height: u32 = "mm_height",
        /// Order of subpixels.
        subpixel: u32 = "subpixel",
        /// Padding.
        pad: u32 = "pad",
    }
    /// Argument of GETPLANERESOURCES.
    GetPlaneRes = "struct drm_mode_get_plane_res" {
        /// Address of an array of planes.
        plane_id_ptr: u64 = "plane_id_ptr",
        /// Its length.
        count_planes: u32 = "count_planes",
        /// Padding.
        pad: u32,
    }
    /// Argument of GETPLANE.
    GetPlane = "struct drm_mode_get_plane" {
        /// The plane.
        plane_id: u32 = "plane_id",
        /// The CRTC that it belongs to, or 0.
        crtc_id: u32 = "crtc_id",
        /// Its framebuffer, or 0.
        fb_id: u32 = "fb_id",
        /// Bits of the CRTCs that can use it, by index.
        possible_crtcs: u32 = "possible_crtcs",
        /// Entries of the gamma table.
        gamma_size: u32 = "gamma_size",
        /// Number of formats.
        count_format_types: u32 = "count_format_types",
        /// Address of an array of formats.
        format_type_ptr: u64 = "format_type_ptr",
    }
    /// Argument of OBJ_GETPROPERTIES.
    ObjGetProperties = "struct drm_mode_obj_get_properties" {
        /// Address of an array of properties.
        props_ptr: u64 = "props_ptr",
        /// Address of an array of values.
        prop_values_ptr: u64 = "prop_values_ptr",
        /// Their length.
        count_props: u32 = "count_props",
        /// The object.
        obj_id: u32 = "obj_id",
        /// Its type, or 0.
        obj_type: u32 = "obj_type",
        /// Padding.
        pad: u32,
    }
    /// Argument of GETPROPERTY.
    GetProperty = "struct drm_mode_get_property" {
        /// Address of an array of values.
        values_ptr: u64 = "values_ptr",
        /// Address of an array of names of values.
        enum_blob_ptr: u64 = "enum_blob_ptr",
        /// The property.
        prop_id: u32 = "prop_id",
        /// `MODE_PROP_*`.
        flags: u32 = "flags",
        /// Name, ended by a zero.
        name: [u8; 32] = "name",
        /// Number of values.
        count_values: u32 = "count_values",
        /// Number of names.
        count_enum_blobs: u32 = "count_enum_blobs",
    }
    /// A named value of a property.
    PropertyEnum = "struct drm_mode_property_enum" {
        /// The value.
        value: u64 = "value",
        /// Its name, ended by a zero.
        name: [u8; 32] = "name",
    }
    /// Argument of GETPROPBLOB.
    GetBlob = "struct drm_mode_get_blob" {
        /// The blob.
        blob_id: u32 = "blob_id",
        /// Its size in bytes.
        length: u32 = "length",
        /// Where to copy it.
        data: u64 = "data",
    }
    /// Argument of ADDFB2.
    FbCmd2 = "struct drm_mode_fb_cmd2" {
        /// Out: the framebuffer.
        fb_id: u32 = "fb_id",
        /// Width in pixels.
        width: u32 = "width",
        /// Height in pixels.
        height: u32 = "height",
        /// FourCC.
        pixel_format: u32 = "pixel_format",
        /// `MODE_FB_MODIFIERS`.
        flags: u32 = "flags",
        /// Buffer of each memory plane.
        handles: [u32; 4] = "handles",
        /// Row pitch of each memory plane.
        pitches: [u32; 4] = "pitches",
        /// Offset of each memory plane.
        offsets: [u32; 4] = "offsets",
        /// Padding.
        pad: u32,
        /// Modifier of each memory plane.
        modifier: [u64; 4] = "modifier",
    }
    /// Argument of PAGE_FLIP.
    PageFlip = "struct drm_mode_crtc_page_flip" {
        /// The CRTC.
        crtc_id: u32 = "crtc_id",
        /// Framebuffer.
        fb_id: u32 = "fb_id",
        /// `MODE_PAGE_FLIP_*`.
        flags: u32 = "flags",
        /// Must be 0.
        reserved: u32 = "reserved",
        /// Returned in the event.
        user_data: u64 = "user_data",
    }
    /// Event of a completed flip.
    EventVblank = "struct drm_event_vblank" {
        /// `EVENT_FLIP_COMPLETE`.
        kind: u32 = "base.type",
        /// Size of the event in bytes.
        length: u32 = "base.length",
        /// From the request.
        user_data: u64 = "user_data",
        /// Time of the refresh: seconds.
        tv_sec: u32 = "tv_sec",
        /// Time of the refresh: microseconds.
        tv_usec: u32 = "tv_usec",
        /// Number of the refresh.
        sequence: u32 = "sequence",
        /// The CRTC.
        crtc_id: u32 = "crtc_id",
    }
    /// Argument of CRTC_GET_SEQUENCE.
    CrtcGetSequence = "struct drm_crtc_get_sequence" {
        /// The CRTC.
        crtc_id: u32 = "crtc_id",
        /// Out: whether it is active.
        active: u32 = "active",
        /// Out: number of the last refresh.
        sequence: u64 = "sequence",
        /// Out: when its first pixel left, in ns of the monotonic clock.
        sequence_ns: i64 = "sequence_ns",
    }
    /// Argument of CRTC_QUEUE_SEQUENCE.
    CrtcQueueSequence = "struct drm_crtc_queue_sequence" {
        /// The CRTC.
        crtc_id: u32 = "crtc_id",
        /// `CRTC_SEQUENCE_*`.
        flags: u32 = "flags",
        /// In: number of a refresh; out: that of the event's refresh.
        sequence: u64 = "sequence",
        /// Returned in the event.
        user_data: u64 = "user_data",
    }
    /// Event of a refresh.
    EventCrtcSequence = "struct drm_event_crtc_sequence" {
        /// `EVENT_CRTC_SEQUENCE`.
        kind: u32 = "base.type",
        /// Size of the event in bytes.
        length: u32 = "base.length",
        /// From the request.
        user_data: u64 = "user_data",
        /// When its first pixel left, in ns of the monotonic clock.
        time_ns: i64 = "time_ns",
        /// Number of the refresh.
        sequence: u64 = "sequence",
    }
    /// Argument of SETPROPERTY.
    ConnectorSetProperty = "struct drm_mode_connector_set_property" {
        /// The value.
        value: u64 = "value",
        /// The property.
        prop_id: u32 = "prop_id",
        /// The connector.
        connector_id: u32 = "connector_id",
    }
    /// Argument of OBJ_SETPROPERTY.
    ObjSetProperty = "struct drm_mode_obj_set_property" {
        /// The value.
        value: u64 = "value",
        /// The property.
        prop_id: u32 = "prop_id",
        /// The object.
        obj_id: u32 = "obj_id",
        /// Its type.
        obj_type: u32 = "obj_type",
        /// Padding.
        pad: u32,
    }
    /// Header of the blob of formats and modifiers of a plane.
    FormatModifierBlob = "struct drm_format_modifier_blob" {
        /// `FORMAT_BLOB_CURRENT`.
        version: u32 = "version",
        /// Must be 0.
        flags: u32 = "flags",
        /// Number of formats.
        count_formats: u32 = "count_formats",
        /// Their offset in the blob.
        formats_offset: u32 = "formats_offset",
        /// Number of modifiers.
        count_modifiers: u32 = "count_modifiers",
        /// Their offset in the blob.
        modifiers_offset: u32 = "modifiers_offset",
    }
    /// A modifier in that blob.
    FormatModifier = "struct drm_format_modifier" {
        /// Bits of the formats that it applies to.
        formats: u64 = "formats",
        /// Index of the format of bit 0.
        offset: u32 = "offset",
        /// Padding.
        pad: u32 = "pad",
        /// The modifier.
        modifier: u64 = "modifier",
    }
}

numbers! { NUMBERS;
    /// Request code of GETRESOURCES.
    GETRESOURCES: u32 = iowr::<CardRes>(0xa0), "DRM_IOCTL_MODE_GETRESOURCES";
    /// Request code of GETCRTC.
    GETCRTC: u32 = iowr::<Crtc>(0xa1), "DRM_IOCTL_MODE_GETCRTC";
    /// Request code of SETCRTC.
    SETCRTC: u32 = iowr::<Crtc>(0xa2), "DRM_IOCTL_MODE_SETCRTC";
    /// Request code of GETENCODER.
    GETENCODER: u32 = iowr::<GetEncoder>(0xa6), "DRM_IOCTL_MODE_GETENCODER";
    /// Request code of GETCONNECTOR.
    GETCONNECTOR: u32 = iowr::<GetConnector>(0xa7), "DRM_IOCTL_MODE_GETCONNECTOR";
    /// Request code of GETPROPERTY.
    GETPROPERTY: u32 = iowr::<GetProperty>(0xaa), "DRM_IOCTL_MODE_GETPROPERTY";
    /// Request code of CRTC_GET_SEQUENCE.
    CRTC_GET_SEQUENCE: u32 = iowr::<CrtcGetSequence>(0x3b), "DRM_IOCTL_CRTC_GET_SEQUENCE";
    /// Request code of CRTC_QUEUE_SEQUENCE.
    CRTC_QUEUE_SEQUENCE: u32 = iowr::<CrtcQueueSequence>(0x3c), "DRM_IOCTL_CRTC_QUEUE_SEQUENCE";
    /// Request code of SETPROPERTY.
    SETPROPERTY: u32 = iowr::<ConnectorSetProperty>(0xab), "DRM_IOCTL_MODE_SETPROPERTY";
    /// Request code of OBJ_SETPROPERTY.
    OBJ_SETPROPERTY: u32 = iowr::<ObjSetProperty>(0xba), "DRM_IOCTL_MODE_OBJ_SETPROPERTY";
    /// Request code of GETPROPBLOB.
    GETPROPBLOB: u32 = iowr::<GetBlob>(0xac), "DRM_IOCTL_MODE_GETPROPBLOB";
    /// Request code of RMFB.
    RMFB: u32 = iowr::<u32>(0xaf), "DRM_IOCTL_MODE_RMFB";
    /// Request code of PAGE_FLIP.
    PAGE_FLIP: u32 = iowr::<PageFlip>(0xb0), "DRM_IOCTL_MODE_PAGE_FLIP";
    /// Request code of GETPLANERESOURCES.
    GETPLANERESOURCES: u32 = iowr::<GetPlaneRes>(0xb5), "DRM_IOCTL_MODE_GETPLANERESOURCES";
    /// Request code of GETPLANE.
    GETPLANE: u32 = iowr::<GetPlane>(0xb6), "DRM_IOCTL_MODE_GETPLANE";
    /// Request code of ADDFB2.
    ADDFB2: u32 = iowr::<FbCmd2>(0xb8), "DRM_IOCTL_MODE_ADDFB2";
    /// Request code of OBJ_GETPROPERTIES.
    OBJ_GETPROPERTIES: u32 = iowr::<ObjGetProperties>(0xb9), "DRM_IOCTL_MODE_OBJ_GETPROPERTIES";
    /// The client knows planes of every type.
    CLIENT_CAP_UNIVERSAL_PLANES: u64 = 2, "DRM_CLIENT_CAP_UNIVERSAL_PLANES";
    /// Type of a connector: HDMI.
    CONNECTOR_HDMIA: u32 = 11, "DRM_MODE_CONNECTOR_HDMIA";
    /// Type of an encoder: TMDS.
    ENCODER_TMDS: u32 = 2, "DRM_MODE_ENCODER_TMDS";
    /// Type of a mode: the display's preferred one.
    TYPE_PREFERRED: u32 = 1 << 3, "DRM_MODE_TYPE_PREFERRED";
    /// Type of a mode: the display or driver has defined it.
    TYPE_DRIVER: u32 = 1 << 6, "DRM_MODE_TYPE_DRIVER";
    /// Flag of a mode: the horizontal sync pulse is negative.
    FLAG_NHSYNC: u32 = 1 << 1, "DRM_MODE_FLAG_NHSYNC";
    /// Flag of a mode: the vertical sync pulse is negative.
    FLAG_NVSYNC: u32 = 1 << 3, "DRM_MODE_FLAG_NVSYNC";
    /// Flag of a mode: the horizontal sync pulse is positive.
    FLAG_PHSYNC: u32 = 1 << 0, "DRM_MODE_FLAG_PHSYNC";
    /// Flag of a mode: the vertical sync pulse is positive.
    FLAG_PVSYNC: u32 = 1 << 2, "DRM_MODE_FLAG_PVSYNC";
    /// Flag of ADDFB2: there are modifiers.
    FB_MODIFIERS: u32 = 1 << 1, "DRM_MODE_FB_MODIFIERS";
    /// Flag of PAGE_FLIP: an event is wanted.
    PAGE_FLIP_EVENT: u32 = 1, "DRM_MODE_PAGE_FLIP_EVENT";
    /// Type of event: a flip is complete.
    EVENT_FLIP_COMPLETE: u32 = 2, "DRM_EVENT_FLIP_COMPLETE";
    /// Type of event: a refresh.
    EVENT_CRTC_SEQUENCE: u32 = 3, "DRM_EVENT_CRTC_SEQUENCE";
    /// Flag of CRTC_QUEUE_SEQUENCE: the number counts from the last refresh on.
    CRTC_SEQUENCE_RELATIVE: u32 = 1, "DRM_CRTC_SEQUENCE_RELATIVE";
    /// Flag of CRTC_QUEUE_SEQUENCE: the next refresh if that one has passed.
    CRTC_SEQUENCE_NEXT_ON_MISS: u32 = 2, "DRM_CRTC_SEQUENCE_NEXT_ON_MISS";
    /// Power state of a connector: on.
    DPMS_ON: u64 = 0, "DRM_MODE_DPMS_ON";
    /// Power state of a connector: standby.
    DPMS_STANDBY: u64 = 1, "DRM_MODE_DPMS_STANDBY";
    /// Power state of a connector: suspended.
    DPMS_SUSPEND: u64 = 2, "DRM_MODE_DPMS_SUSPEND";
    /// Power state of a connector: off.
    DPMS_OFF: u64 = 3, "DRM_MODE_DPMS_OFF";
    /// Type of object: CRTC.
    OBJECT_CRTC: u32 = 0xcccc_cccc, "DRM_MODE_OBJECT_CRTC";
    /// Type of object: connector.
    OBJECT_CONNECTOR: u32 = 0xc0c0_c0c0, "DRM_MODE_OBJECT_CONNECTOR";
    /// Type of object: plane.
    OBJECT_PLANE: u32 = 0xeeee_eeee, "DRM_MODE_OBJECT_PLANE";
    /// Type of object: not stated.
    OBJECT_ANY: u32 = 0, "DRM_MODE_OBJECT_ANY";
    /// Flag of a property: read-only.
    PROP_IMMUTABLE: u32 = 1 << 2, "DRM_MODE_PROP_IMMUTABLE";
    /// Flag of a property: its values have names.
    PROP_ENUM: u32 = 1 << 3, "DRM_MODE_PROP_ENUM";
    /// Flag of a property: its value is a blob.
    PROP_BLOB: u32 = 1 << 4, "DRM_MODE_PROP_BLOB";
    /// Version of [`FormatModifierBlob`].
    FORMAT_BLOB_CURRENT: u32 = 1, "FORMAT_BLOB_CURRENT";
}
