//! Constants and structures of i915. Ref: i915_drm.h.

use crate::declare::{io, ior, iow, iowr, numbers, structures};

structures! { LAYOUTS;
    /// Argument of GETPARAM.
    Getparam = "struct drm_i915_getparam" {
        /// Which parameter.
        param: i32 = "param",
        /// Padding.
        pad: u32,
        /// The value, or its address.
        value: u64 = "value",
    }
    /// Argument of GEM_CREATE.
    GemCreate = "struct drm_i915_gem_create" {
        /// Size in bytes.
        size: u64 = "size",
        /// Buffer.
        handle: u32 = "handle",
        /// Padding.
        pad: u32 = "pad",
    }
    /// Argument of GEM_CREATE_EXT.
    GemCreateExt = "struct drm_i915_gem_create_ext" {
        /// Size in bytes.
        size: u64 = "size",
        /// Buffer.
        handle: u32 = "handle",
        /// Flags.
        flags: u32 = "flags",
        /// Address of the first extension.
        extensions: u64 = "extensions",
    }
    /// An element of a linked list of extensions.
    UserExtension = "struct i915_user_extension" {
        /// Address of the next element, or 0.
        next_extension: u64 = "next_extension",
        /// Which extension.
        name: u32 = "name",
        /// Flags.
        flags: u32 = "flags",
        /// Reserved.
        rsvd: [u32; 4] = "rsvd",
    }
    /// Extension of GEM_CREATE_EXT: the regions that the buffer may be placed in.
    GemCreateExtMemoryRegions = "struct drm_i915_gem_create_ext_memory_regions" {
        /// List element.
        base: UserExtension = "base",
        /// Padding.
        pad: u32 = "pad",
        /// Number of regions.
        num_regions: u32 = "num_regions",
        /// Address of an array of [`MemoryClassInstance`].
        regions: u64 = "regions",
    }
    /// A memory region's class and instance.
    MemoryClassInstance = "struct drm_i915_gem_memory_class_instance" {
        /// Class.
        memory_class: u16 = "memory_class",
        /// Instance within the class.
        memory_instance: u16 = "memory_instance",
    }
    /// Argument of GEM_PREAD.
    GemPread = "struct drm_i915_gem_pread" {
        /// Buffer.
        handle: u32 = "handle",
        /// Padding.
        pad: u32 = "pad",
        /// Offset in bytes.
        offset: u64 = "offset",
        /// Size in bytes.
        size: u64 = "size",
        /// Address of the data.
        data_ptr: u64 = "data_ptr",
    }
    /// Argument of GEM_PWRITE.
    GemPwrite = "struct drm_i915_gem_pwrite" {
        /// Buffer.
        handle: u32 = "handle",
        /// Padding.
        pad: u32 = "pad",
        /// Offset in bytes.
        offset: u64 = "offset",
        /// Size in bytes.
        size: u64 = "size",
        /// Address of the data.
        data_ptr: u64 = "data_ptr",
    }
    /// Argument of GEM_MMAP.
    GemMmap = "struct drm_i915_gem_mmap" {
        /// Buffer.
        handle: u32 = "handle",
        /// Padding.
        pad: u32 = "pad",
        /// Offset in bytes.
        offset: u64 = "offset",
        /// Size in bytes.
        size: u64 = "size",
        /// Out: address of the mapping.
        addr_ptr: u64 = "addr_ptr",
        /// Flags.
        flags: u64 = "flags",
    }
    /// Argument of GEM_MMAP_GTT.
    GemMmapGtt = "struct drm_i915_gem_mmap_gtt" {
        /// Buffer.
        handle: u32 = "handle",
        /// Padding.
        pad: u32 = "pad",
        /// Offset in bytes.
        offset: u64 = "offset",
    }
    /// Argument of GEM_MMAP_OFFSET.
    GemMmapOffset = "struct drm_i915_gem_mmap_offset" {
        /// Buffer.
        handle: u32 = "handle",
        /// Padding.
        pad: u32 = "pad",
        /// Offset in bytes.
        offset: u64 = "offset",
        /// Flags.
        flags: u64 = "flags",
        /// Address of the first extension.
        extensions: u64 = "extensions",
    }
    /// Argument of GEM_SET_DOMAIN.
    GemSetDomain = "struct drm_i915_gem_set_domain" {
        /// Buffer.
        handle: u32 = "handle",
        /// `GEM_DOMAIN_*`.
        read_domains: u32 = "read_domains",
        /// `GEM_DOMAIN_*`.
        write_domain: u32 = "write_domain",
    }
    /// Argument of GEM_SW_FINISH.
    GemSwFinish = "struct drm_i915_gem_sw_finish" {
        /// Buffer.
        handle: u32 = "handle",
    }
    /// A relocation of EXECBUFFER2.
    RelocationEntry = "struct drm_i915_gem_relocation_entry" {
        /// Handle of the buffer whose address is written, or its index ([`EXEC_HANDLE_LUT`]).
        target_handle: u32 = "target_handle",
        /// Bytes added to the address.
        delta: u32 = "delta",
        /// Offset in bytes.
        offset: u64 = "offset",
        /// The address that the batch already contains.
        presumed_offset: u64 = "presumed_offset",
        /// `GEM_DOMAIN_*`.
        read_domains: u32 = "read_domains",
        /// `GEM_DOMAIN_*`.
        write_domain: u32 = "write_domain",
    }
    /// A buffer of EXECBUFFER2.
    ExecObject2 = "struct drm_i915_gem_exec_object2" {
        /// Buffer.
        handle: u32 = "handle",
        /// Number of relocations.
        relocation_count: u32 = "relocation_count",
        /// Address of the relocations.
        relocs_ptr: u64 = "relocs_ptr",
        /// Alignment of the address, in bytes.
        alignment: u64 = "alignment",
        /// Offset in bytes.
        offset: u64 = "offset",
        /// Flags.
        flags: u64 = "flags",
        /// Bytes of address space to reserve ([`EXEC_OBJECT_PAD_TO_SIZE`]).
        pad_to_size: u64 = "pad_to_size",
        /// Reserved.
        rsvd2: u64 = "rsvd2",
    }
    /// A syncobj of EXECBUFFER2 with [`EXEC_FENCE_ARRAY`].
    ExecFence = "struct drm_i915_gem_exec_fence" {
        /// Syncobj.
        handle: u32 = "handle",
        /// Flags.
        flags: u32 = "flags",
    }
    /// Extension of EXECBUFFER2: fences with timeline points.
    TimelineFences = "struct drm_i915_gem_execbuffer_ext_timeline_fences" {
        /// List element.
        base: UserExtension = "base",
        /// Length of both arrays.
        fence_count: u64 = "fence_count",
        /// Address of an array of [`ExecFence`].
        handles_ptr: u64 = "handles_ptr",
        /// Address of an array of points.
        values_ptr: u64 = "values_ptr",
    }
    /// Argument of EXECBUFFER2. `rsvd1` holds the context; `rsvd2` holds the sync file descriptors:
    /// in the lower half the one to wait for, in the upper half the one returned.
    Execbuffer2 = "struct drm_i915_gem_execbuffer2" {
        /// Address of an array of [`ExecObject2`].
        buffers_ptr: u64 = "buffers_ptr",
        /// Number of buffers.
        buffer_count: u32 = "buffer_count",
        /// First byte of the batch in its buffer.
        batch_start_offset: u32 = "batch_start_offset",
        /// Length of the batch in bytes; 0: up to the end of the buffer.
        batch_len: u32 = "batch_len",
        /// Zero.
        dr1: u32 = "DR1",
        /// Zero.
        dr4: u32 = "DR4",
        /// Number of fences ([`EXEC_FENCE_ARRAY`]).
        num_cliprects: u32 = "num_cliprects",
        /// Address of the fences, or of the first extension ([`EXEC_USE_EXTENSIONS`]).
        cliprects_ptr: u64 = "cliprects_ptr",
        /// Flags.
        flags: u64 = "flags",
        /// Context.
        rsvd1: u64 = "rsvd1",
        /// Sync file descriptors.
        rsvd2: u64 = "rsvd2",
    }
    /// Argument of GEM_BUSY.
    GemBusy = "struct drm_i915_gem_busy" {
        /// Buffer.
        handle: u32 = "handle",
        /// Out: engines that read (upper half) and write (lower half) the buffer.
        busy: u32 = "busy",
    }
    /// Argument of GEM_SET_CACHING and GEM_GET_CACHING.
    GemCaching = "struct drm_i915_gem_caching" {
        /// Buffer.
        handle: u32 = "handle",
        /// `CACHING_*`.
        caching: u32 = "caching",
    }
    /// Argument of GEM_SET_TILING.
    GemSetTiling = "struct drm_i915_gem_set_tiling" {
        /// Buffer.
        handle: u32 = "handle",
        /// `TILING_*`.
        tiling_mode: u32 = "tiling_mode",
        /// Distance between rows in bytes.
        stride: u32 = "stride",
        /// How bit 6 of addresses is swizzled.
        swizzle_mode: u32 = "swizzle_mode",
    }
    /// Argument of GEM_GET_TILING.
    GemGetTiling = "struct drm_i915_gem_get_tiling" {
        /// Buffer.
        handle: u32 = "handle",
        /// `TILING_*`.
        tiling_mode: u32 = "tiling_mode",
        /// How bit 6 of addresses is swizzled.
        swizzle_mode: u32 = "swizzle_mode",
        /// How bit 6 of physical addresses is swizzled.
        phys_swizzle_mode: u32 = "phys_swizzle_mode",
    }
    /// Argument of GEM_GET_APERTURE.
    GemGetAperture = "struct drm_i915_gem_get_aperture" {
        /// Size in bytes.
        aper_size: u64 = "aper_size",
        /// Unused bytes.
        aper_available_size: u64 = "aper_available_size",
    }
    /// Argument of GEM_MADVISE.
    GemMadvise = "struct drm_i915_gem_madvise" {
        /// Buffer.
        handle: u32 = "handle",
        /// `MADV_*`.
        madv: u32 = "madv",
        /// Out: nonzero if the pages still exist.
        retained: u32 = "retained",
    }
    /// Argument of GEM_WAIT.
    GemWait = "struct drm_i915_gem_wait" {
        /// Buffer.
        bo_handle: u32 = "bo_handle",
        /// Flags.
        flags: u32 = "flags",
        /// In: time to wait, negative: for ever; out: time left. In ns.
        timeout_ns: i64 = "timeout_ns",
    }
    /// Argument of GEM_CONTEXT_CREATE, original form.
    GemContextCreate = "struct drm_i915_gem_context_create" {
        /// Context.
        ctx_id: u32 = "ctx_id",
        /// Padding.
        pad: u32 = "pad",
    }
    /// Argument of GEM_CONTEXT_CREATE, extensible form.
    GemContextCreateExt = "struct drm_i915_gem_context_create_ext" {
        /// Context.
        ctx_id: u32 = "ctx_id",
        /// Flags.
        flags: u32 = "flags",
        /// Address of the first extension.
        extensions: u64 = "extensions",
    }
    /// Argument of GEM_CONTEXT_GETPARAM and GEM_CONTEXT_SETPARAM.
    GemContextParam = "struct drm_i915_gem_context_param" {
        /// Context.
        ctx_id: u32 = "ctx_id",
        /// Size in bytes.
        size: u32 = "size",
        /// Which parameter.
        param: u64 = "param",
        /// The value, or its address.
        value: u64 = "value",
    }
    /// Extension of GEM_CONTEXT_CREATE: a parameter to set.
    GemContextCreateExtSetparam = "struct drm_i915_gem_context_create_ext_setparam" {
        /// List element.
        base: UserExtension = "base",
        /// The parameter.
        param: GemContextParam = "param",
    }
    /// An engine's class and instance.
    EngineClassInstance = "struct i915_engine_class_instance" {
        /// Class.
        engine_class: u16 = "engine_class",
        /// Instance within the class.
        engine_instance: u16 = "engine_instance",
    }
    /// Value of [`CONTEXT_PARAM_SSEU`].
    ContextParamSseu = "struct drm_i915_gem_context_param_sseu" {
        /// The engine.
        engine: EngineClassInstance = "engine",
        /// Flags.
        flags: u32 = "flags",
        /// Enabled slices.
        slice_mask: u64 = "slice_mask",
        /// Enabled subslices.
        subslice_mask: u64 = "subslice_mask",
        /// Minimum number of EUs per subslice.
        min_eus_per_subslice: u16 = "min_eus_per_subslice",
        /// Maximum number of EUs per subslice.
        max_eus_per_subslice: u16 = "max_eus_per_subslice",
        /// Reserved.
        rsvd: u32 = "rsvd",
    }
    /// Argument of GEM_CONTEXT_DESTROY.
    GemContextDestroy = "struct drm_i915_gem_context_destroy" {
        /// Context.
        ctx_id: u32 = "ctx_id",
        /// Padding.
        pad: u32 = "pad",
    }
    /// Argument of GEM_VM_CREATE and GEM_VM_DESTROY.
    GemVmControl = "struct drm_i915_gem_vm_control" {
        /// Address of the first extension.
        extensions: u64 = "extensions",
        /// Flags.
        flags: u32 = "flags",
        /// Address space.
        vm_id: u32 = "vm_id",
    }
    /// Argument of REG_READ.
    RegRead = "struct drm_i915_reg_read" {
        /// Offset in bytes.
        offset: u64 = "offset",
        /// Out: value of the register.
        val: u64 = "val",
    }
    /// Argument of GET_RESET_STATS.
    ResetStats = "struct drm_i915_reset_stats" {
        /// Context.
        ctx_id: u32 = "ctx_id",
        /// Flags.
        flags: u32 = "flags",
        /// Resets of the whole GPU.
        reset_count: u32 = "reset_count",
        /// Batches that hung.
        batch_active: u32 = "batch_active",
        /// Batches that were queued behind one that hung.
        batch_pending: u32 = "batch_pending",
        /// Padding.
        pad: u32 = "pad",
    }
    /// Argument of GEM_USERPTR.
    GemUserptr = "struct drm_i915_gem_userptr" {
        /// Address of the pages.
        user_ptr: u64 = "user_ptr",
        /// Size in bytes.
        user_size: u64 = "user_size",
        /// Flags.
        flags: u32 = "flags",
        /// Buffer.
        handle: u32 = "handle",
    }
    /// Argument of QUERY.
    Query = "struct drm_i915_query" {
        /// Number of items.
        num_items: u32 = "num_items",
        /// Flags.
        flags: u32 = "flags",
        /// Address of the items.
        items_ptr: u64 = "items_ptr",
    }
    /// An item of QUERY.
    QueryItem = "struct drm_i915_query_item" {
        /// `QUERY_*`.
        query_id: u64 = "query_id",
        /// In: size of the buffer, 0 to ask for the size; out: size of the result, or a negative
        ///      error number. In bytes.
        length: i32 = "length",
        /// Flags.
        flags: u32 = "flags",
        /// Address of the data.
        data_ptr: u64 = "data_ptr",
    }
    /// Header of the result of [`QUERY_TOPOLOGY_INFO`]; offsets are relative to the end of the
    /// header.
    TopologyInfo = "struct drm_i915_query_topology_info" {
        /// Flags.
        flags: u16 = "flags",
        /// Bits in the slice mask.
        max_slices: u16 = "max_slices",
        /// Bits in a subslice mask.
        max_subslices: u16 = "max_subslices",
        /// Maximum number of EUs per subslice.
        max_eus_per_subslice: u16 = "max_eus_per_subslice",
        /// Offset of the subslice masks, in bytes.
        subslice_offset: u16 = "subslice_offset",
        /// Bytes of subslice mask per slice.
        subslice_stride: u16 = "subslice_stride",
        /// Offset of the EU masks, in bytes.
        eu_offset: u16 = "eu_offset",
        /// Bytes of EU mask per subslice.
        eu_stride: u16 = "eu_stride",
    }
    /// Header of the result of [`QUERY_ENGINE_INFO`].
    QueryEngineInfo = "struct drm_i915_query_engine_info" {
        /// Number of engines.
        num_engines: u32 = "num_engines",
        /// Reserved.
        rsvd: [u32; 3] = "rsvd",
    }
    /// An engine in the result of [`QUERY_ENGINE_INFO`].
    EngineInfo = "struct drm_i915_engine_info" {
        /// The engine.
        engine: EngineClassInstance = "engine",
        /// Reserved.
        rsvd0: u32 = "rsvd0",
        /// Flags.
        flags: u64 = "flags",
        /// Capability bits.
        capabilities: u64 = "capabilities",
        /// Instance number without gaps for engines that are fused off.
        logical_instance: u16 = "logical_instance",
        /// Reserved.
        rsvd1: [u16; 3] = "rsvd1",
        /// Reserved.
        rsvd2: [u64; 3] = "rsvd2",
    }
    /// Header of the result of [`QUERY_MEMORY_REGIONS`].
    QueryMemoryRegions = "struct drm_i915_query_memory_regions" {
        /// Number of regions.
        num_regions: u32 = "num_regions",
        /// Reserved.
        rsvd: [u32; 3] = "rsvd",
    }
    /// A region in the result of [`QUERY_MEMORY_REGIONS`].
    MemoryRegionInfo = "struct drm_i915_memory_region_info" {
        /// The region.
        region: MemoryClassInstance = "region",
        /// Reserved.
        rsvd0: u32 = "rsvd0",
        /// Size in bytes.
        probed_size: u64 = "probed_size",
        /// Unallocated bytes.
        unallocated_size: u64 = "unallocated_size",
        /// Bytes that the CPU can access.
        probed_cpu_visible_size: u64 = "probed_cpu_visible_size",
        /// Unallocated bytes that the CPU can access.
        unallocated_cpu_visible_size: u64 = "unallocated_cpu_visible_size",
        /// Reserved.
        rsvd1: [u64; 6],
    }
}

numbers! { NUMBERS;
    /// Request code of GETPARAM.
    GETPARAM: u32 = iowr::<Getparam>(0x46), "DRM_IOCTL_I915_GETPARAM";
    /// Request code of GEM_EXECBUFFER2.
    GEM_EXECBUFFER2: u32 = iow::<Execbuffer2>(0x69), "DRM_IOCTL_I915_GEM_EXECBUFFER2";
    /// Request code of GEM_EXECBUFFER2_WR.
    GEM_EXECBUFFER2_WR: u32 = iowr::<Execbuffer2>(0x69), "DRM_IOCTL_I915_GEM_EXECBUFFER2_WR";
    /// Request code of GEM_BUSY.
    GEM_BUSY: u32 = iowr::<GemBusy>(0x57), "DRM_IOCTL_I915_GEM_BUSY";
    /// Request code of GEM_SET_CACHING.
    GEM_SET_CACHING: u32 = iow::<GemCaching>(0x6f), "DRM_IOCTL_I915_GEM_SET_CACHING";
    /// Request code of GEM_GET_CACHING.
    GEM_GET_CACHING: u32 = iowr::<GemCaching>(0x70), "DRM_IOCTL_I915_GEM_GET_CACHING";
    /// Request code of GEM_THROTTLE.
    GEM_THROTTLE: u32 = io(0x58), "DRM_IOCTL_I915_GEM_THROTTLE";
    /// Request code of GEM_CREATE.
    GEM_CREATE: u32 = iowr::<GemCreate>(0x5b), "DRM_IOCTL_I915_GEM_CREATE";
    /// Request code of GEM_CREATE_EXT.
    GEM_CREATE_EXT: u32 = iowr::<GemCreateExt>(0x7c), "DRM_IOCTL_I915_GEM_CREATE_EXT";
    /// Request code of GEM_PREAD.
    GEM_PREAD: u32 = iow::<GemPread>(0x5c), "DRM_IOCTL_I915_GEM_PREAD";
    /// Request code of GEM_PWRITE.
    GEM_PWRITE: u32 = iow::<GemPwrite>(0x5d), "DRM_IOCTL_I915_GEM_PWRITE";
    /// Request code of GEM_MMAP.
    GEM_MMAP: u32 = iowr::<GemMmap>(0x5e), "DRM_IOCTL_I915_GEM_MMAP";
    /// Request code of GEM_MMAP_GTT.
    GEM_MMAP_GTT: u32 = iowr::<GemMmapGtt>(0x64), "DRM_IOCTL_I915_GEM_MMAP_GTT";
    /// Request code of GEM_MMAP_OFFSET.
    GEM_MMAP_OFFSET: u32 = iowr::<GemMmapOffset>(0x64), "DRM_IOCTL_I915_GEM_MMAP_OFFSET";
    /// Request code of GEM_SET_DOMAIN.
    GEM_SET_DOMAIN: u32 = iow::<GemSetDomain>(0x5f), "DRM_IOCTL_I915_GEM_SET_DOMAIN";
    /// Request code of GEM_SW_FINISH.
    GEM_SW_FINISH: u32 = iow::<GemSwFinish>(0x60), "DRM_IOCTL_I915_GEM_SW_FINISH";
    /// Request code of GEM_SET_TILING.
    GEM_SET_TILING: u32 = iowr::<GemSetTiling>(0x61), "DRM_IOCTL_I915_GEM_SET_TILING";
    /// Request code of GEM_GET_TILING.
    GEM_GET_TILING: u32 = iowr::<GemGetTiling>(0x62), "DRM_IOCTL_I915_GEM_GET_TILING";
    /// Request code of GEM_GET_APERTURE.
    GEM_GET_APERTURE: u32 = ior::<GemGetAperture>(0x63), "DRM_IOCTL_I915_GEM_GET_APERTURE";
    /// Request code of GEM_MADVISE.
    GEM_MADVISE: u32 = iowr::<GemMadvise>(0x66), "DRM_IOCTL_I915_GEM_MADVISE";
    /// Request code of GEM_WAIT.
    GEM_WAIT: u32 = iowr::<GemWait>(0x6c), "DRM_IOCTL_I915_GEM_WAIT";
    /// Request code of GEM_CONTEXT_CREATE.
    GEM_CONTEXT_CREATE: u32 = iowr::<GemContextCreate>(0x6d), "DRM_IOCTL_I915_GEM_CONTEXT_CREATE";
    /// Request code of GEM_CONTEXT_CREATE_EXT.
    GEM_CONTEXT_CREATE_EXT: u32 = iowr::<GemContextCreateExt>(0x6d), "DRM_IOCTL_I915_GEM_CONTEXT_CREATE_EXT";
    /// Request code of GEM_CONTEXT_DESTROY.
    GEM_CONTEXT_DESTROY: u32 = iow::<GemContextDestroy>(0x6e), "DRM_IOCTL_I915_GEM_CONTEXT_DESTROY";
    /// Request code of REG_READ.
    REG_READ: u32 = iowr::<RegRead>(0x71), "DRM_IOCTL_I915_REG_READ";
    /// Request code of GET_RESET_STATS.
    GET_RESET_STATS: u32 = iowr::<ResetStats>(0x72), "DRM_IOCTL_I915_GET_RESET_STATS";
    /// Request code of GEM_USERPTR.
    GEM_USERPTR: u32 = iowr::<GemUserptr>(0x73), "DRM_IOCTL_I915_GEM_USERPTR";
    /// Request code of GEM_CONTEXT_GETPARAM.
    GEM_CONTEXT_GETPARAM: u32 = iowr::<GemContextParam>(0x74), "DRM_IOCTL_I915_GEM_CONTEXT_GETPARAM";
    /// Request code of GEM_CONTEXT_SETPARAM.
    GEM_CONTEXT_SETPARAM: u32 = iowr::<GemContextParam>(0x75), "DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM";
    /// Request code of QUERY.
    QUERY: u32 = iowr::<Query>(0x79), "DRM_IOCTL_I915_QUERY";
    /// Request code of GEM_VM_CREATE.
    GEM_VM_CREATE: u32 = iowr::<GemVmControl>(0x7a), "DRM_IOCTL_I915_GEM_VM_CREATE";
    /// Request code of GEM_VM_DESTROY.
    GEM_VM_DESTROY: u32 = iow::<GemVmControl>(0x7b), "DRM_IOCTL_I915_GEM_VM_DESTROY";
    /// PCI device id.
    PARAM_CHIPSET_ID: i32 = 4, "I915_PARAM_CHIPSET_ID";
    /// GEM.
    PARAM_HAS_GEM: i32 = 5, "I915_PARAM_HAS_GEM";
    /// Fence registers.
    PARAM_NUM_FENCES_AVAIL: i32 = 6, "I915_PARAM_NUM_FENCES_AVAIL";
    /// A display overlay.
    PARAM_HAS_OVERLAY: i32 = 7, "I915_PARAM_HAS_OVERLAY";
    /// Page flips.
    PARAM_HAS_PAGEFLIPPING: i32 = 8, "I915_PARAM_HAS_PAGEFLIPPING";
    /// EXECBUFFER2.
    PARAM_HAS_EXECBUF2: i32 = 9, "I915_PARAM_HAS_EXECBUF2";
    /// A video engine.
    PARAM_HAS_BSD: i32 = 10, "I915_PARAM_HAS_BSD";
    /// A copy engine.
    PARAM_HAS_BLT: i32 = 11, "I915_PARAM_HAS_BLT";
    /// Fences need no power-of-two sizes.
    PARAM_HAS_RELAXED_FENCING: i32 = 12, "I915_PARAM_HAS_RELAXED_FENCING";
    /// Coherent rings.
    PARAM_HAS_COHERENT_RINGS: i32 = 13, "I915_PARAM_HAS_COHERENT_RINGS";
    /// Constant addressing modes.
    PARAM_HAS_EXEC_CONSTANTS: i32 = 14, "I915_PARAM_HAS_EXEC_CONSTANTS";
    /// Relocations may point outside their target.
    PARAM_HAS_RELAXED_DELTA: i32 = 15, "I915_PARAM_HAS_RELAXED_DELTA";
    /// Reset of stream output offsets.
    PARAM_HAS_GEN7_SOL_RESET: i32 = 16, "I915_PARAM_HAS_GEN7_SOL_RESET";
    /// A last-level cache shared with the CPU.
    PARAM_HAS_LLC: i32 = 17, "I915_PARAM_HAS_LLC";
    /// Kind of per-process address space.
    PARAM_HAS_ALIASING_PPGTT: i32 = 18, "I915_PARAM_HAS_ALIASING_PPGTT";
    /// GEM_WAIT.
    PARAM_HAS_WAIT_TIMEOUT: i32 = 19, "I915_PARAM_HAS_WAIT_TIMEOUT";
    /// Semaphores between engines.
    PARAM_HAS_SEMAPHORES: i32 = 20, "I915_PARAM_HAS_SEMAPHORES";
    /// Flushes of dma-bufs.
    PARAM_HAS_PRIME_VMAP_FLUSH: i32 = 21, "I915_PARAM_HAS_PRIME_VMAP_FLUSH";
    /// A video enhancement engine.
    PARAM_HAS_VEBOX: i32 = 22, "I915_PARAM_HAS_VEBOX";
    /// Privileged batches.
    PARAM_HAS_SECURE_BATCHES: i32 = 23, "I915_PARAM_HAS_SECURE_BATCHES";
    /// Pinned batches.
    PARAM_HAS_PINNED_BATCHES: i32 = 24, "I915_PARAM_HAS_PINNED_BATCHES";
    /// `EXEC_NO_RELOC`.
    PARAM_HAS_EXEC_NO_RELOC: i32 = 25, "I915_PARAM_HAS_EXEC_NO_RELOC";
    /// `EXEC_HANDLE_LUT`.
    PARAM_HAS_EXEC_HANDLE_LUT: i32 = 26, "I915_PARAM_HAS_EXEC_HANDLE_LUT";
    /// Write-through caching.
    PARAM_HAS_WT: i32 = 27, "I915_PARAM_HAS_WT";
    /// Version of the command parser.
    PARAM_CMD_PARSER_VERSION: i32 = 28, "I915_PARAM_CMD_PARSER_VERSION";
    /// Coherent physical objects.
    PARAM_HAS_COHERENT_PHYS_GTT: i32 = 29, "I915_PARAM_HAS_COHERENT_PHYS_GTT";
    /// Version of GEM_MMAP.
    PARAM_MMAP_VERSION: i32 = 30, "I915_PARAM_MMAP_VERSION";
    /// A second video engine.
    PARAM_HAS_BSD2: i32 = 31, "I915_PARAM_HAS_BSD2";
    /// PCI revision.
    PARAM_REVISION: i32 = 32, "I915_PARAM_REVISION";
    /// Number of subslices.
    PARAM_SUBSLICE_TOTAL: i32 = 33, "I915_PARAM_SUBSLICE_TOTAL";
    /// Number of EUs.
    PARAM_EU_TOTAL: i32 = 34, "I915_PARAM_EU_TOTAL";
    /// Resets after hangs.
    PARAM_HAS_GPU_RESET: i32 = 35, "I915_PARAM_HAS_GPU_RESET";
    /// The resource streamer.
    PARAM_HAS_RESOURCE_STREAMER: i32 = 36, "I915_PARAM_HAS_RESOURCE_STREAMER";
    /// `EXEC_OBJECT_PINNED`.
    PARAM_HAS_EXEC_SOFTPIN: i32 = 37, "I915_PARAM_HAS_EXEC_SOFTPIN";
    /// Pooled EUs.
    PARAM_HAS_POOLED_EU: i32 = 38, "I915_PARAM_HAS_POOLED_EU";
    /// Minimum number of EUs in a pool.
    PARAM_MIN_EU_IN_POOL: i32 = 39, "I915_PARAM_MIN_EU_IN_POOL";
    /// Version of GEM_MMAP_GTT: 4 has GEM_MMAP_OFFSET.
    PARAM_MMAP_GTT_VERSION: i32 = 40, "I915_PARAM_MMAP_GTT_VERSION";
    /// Capability bits of the scheduler.
    PARAM_HAS_SCHEDULER: i32 = 41, "I915_PARAM_HAS_SCHEDULER";
    /// State of the HuC firmware.
    PARAM_HUC_STATUS: i32 = 42, "I915_PARAM_HUC_STATUS";
    /// `EXEC_OBJECT_ASYNC`.
    PARAM_HAS_EXEC_ASYNC: i32 = 43, "I915_PARAM_HAS_EXEC_ASYNC";
    /// Fence descriptors.
    PARAM_HAS_EXEC_FENCE: i32 = 44, "I915_PARAM_HAS_EXEC_FENCE";
    /// `EXEC_OBJECT_CAPTURE`.
    PARAM_HAS_EXEC_CAPTURE: i32 = 45, "I915_PARAM_HAS_EXEC_CAPTURE";
    /// Mask of slices that are not fused off.
    PARAM_SLICE_MASK: i32 = 46, "I915_PARAM_SLICE_MASK";
    /// Mask of subslices that are not fused off in every slice.
    PARAM_SUBSLICE_MASK: i32 = 47, "I915_PARAM_SUBSLICE_MASK";
    /// `EXEC_BATCH_FIRST`.
    PARAM_HAS_EXEC_BATCH_FIRST: i32 = 48, "I915_PARAM_HAS_EXEC_BATCH_FIRST";
    /// `EXEC_FENCE_ARRAY`.
    PARAM_HAS_EXEC_FENCE_ARRAY: i32 = 49, "I915_PARAM_HAS_EXEC_FENCE_ARRAY";
    /// Engine classes whose state is isolated between contexts.
    PARAM_HAS_CONTEXT_ISOLATION: i32 = 50, "I915_PARAM_HAS_CONTEXT_ISOLATION";
    /// Timestamp frequency in Hz.
    PARAM_CS_TIMESTAMP_FREQUENCY: i32 = 51, "I915_PARAM_CS_TIMESTAMP_FREQUENCY";
    /// GTT mappings are coherent.
    PARAM_MMAP_GTT_COHERENT: i32 = 52, "I915_PARAM_MMAP_GTT_COHERENT";
    /// `EXEC_FENCE_SUBMIT`.
    PARAM_HAS_EXEC_SUBMIT_FENCE: i32 = 53, "I915_PARAM_HAS_EXEC_SUBMIT_FENCE";
    /// Version of the performance interface.
    PARAM_PERF_REVISION: i32 = 54, "I915_PARAM_PERF_REVISION";
    /// Timeline fences.
    PARAM_HAS_EXEC_TIMELINE_FENCES: i32 = 55, "I915_PARAM_HAS_EXEC_TIMELINE_FENCES";
    /// `USERPTR_PROBE`.
    PARAM_HAS_USERPTR_PROBE: i32 = 56, "I915_PARAM_HAS_USERPTR_PROBE";
    /// Obsolete.
    CONTEXT_PARAM_BAN_PERIOD: u64 = 1, "I915_CONTEXT_PARAM_BAN_PERIOD";
    /// No buffer is placed at address 0.
    CONTEXT_PARAM_NO_ZEROMAP: u64 = 2, "I915_CONTEXT_PARAM_NO_ZEROMAP";
    /// Size of the address space in bytes.
    CONTEXT_PARAM_GTT_SIZE: u64 = 3, "I915_CONTEXT_PARAM_GTT_SIZE";
    /// No error state is captured after a hang.
    CONTEXT_PARAM_NO_ERROR_CAPTURE: u64 = 4, "I915_CONTEXT_PARAM_NO_ERROR_CAPTURE";
    /// Hangs may ban the context.
    CONTEXT_PARAM_BANNABLE: u64 = 5, "I915_CONTEXT_PARAM_BANNABLE";
    /// Priority, -1023 to 1023.
    CONTEXT_PARAM_PRIORITY: u64 = 6, "I915_CONTEXT_PARAM_PRIORITY";
    /// Enabled slices, subslices and EUs.
    CONTEXT_PARAM_SSEU: u64 = 7, "I915_CONTEXT_PARAM_SSEU";
    /// The context stays usable after a hang.
    CONTEXT_PARAM_RECOVERABLE: u64 = 8, "I915_CONTEXT_PARAM_RECOVERABLE";
    /// Address space.
    CONTEXT_PARAM_VM: u64 = 9, "I915_CONTEXT_PARAM_VM";
    /// Engine map that execbuf flags index.
    CONTEXT_PARAM_ENGINES: u64 = 10, "I915_CONTEXT_PARAM_ENGINES";
    /// Batches outlive the open file.
    CONTEXT_PARAM_PERSISTENCE: u64 = 11, "I915_CONTEXT_PARAM_PERSISTENCE";
    /// Size of the ring in bytes.
    CONTEXT_PARAM_RINGSIZE: u64 = 12, "I915_CONTEXT_PARAM_RINGSIZE";
    /// Protected memory.
    CONTEXT_PARAM_PROTECTED_CONTENT: u64 = 13, "I915_CONTEXT_PARAM_PROTECTED_CONTENT";
    /// Masks of slices, subslices and EUs.
    QUERY_TOPOLOGY_INFO: u64 = 1, "DRM_I915_QUERY_TOPOLOGY_INFO";
    /// Engines.
    QUERY_ENGINE_INFO: u64 = 2, "DRM_I915_QUERY_ENGINE_INFO";
    /// Performance counters.
    QUERY_PERF_CONFIG: u64 = 3, "DRM_I915_QUERY_PERF_CONFIG";
    /// Memory.
    QUERY_MEMORY_REGIONS: u64 = 4, "DRM_I915_QUERY_MEMORY_REGIONS";
    /// The hardware description table of the firmware.
    QUERY_HWCONFIG_BLOB: u64 = 5, "DRM_I915_QUERY_HWCONFIG_BLOB";
    /// Subslices that execute geometry shaders.
    QUERY_GEOMETRY_SUBSLICES: u64 = 6, "DRM_I915_QUERY_GEOMETRY_SUBSLICES";
    /// The render engine.
    ENGINE_CLASS_RENDER: u16 = 0, "I915_ENGINE_CLASS_RENDER";
    /// The blitter.
    ENGINE_CLASS_COPY: u16 = 1, "I915_ENGINE_CLASS_COPY";
    /// Video.
    ENGINE_CLASS_VIDEO: u16 = 2, "I915_ENGINE_CLASS_VIDEO";
    /// Video enhancement.
    ENGINE_CLASS_VIDEO_ENHANCE: u16 = 3, "I915_ENGINE_CLASS_VIDEO_ENHANCE";
    /// Compute.
    ENGINE_CLASS_COMPUTE: u16 = 4, "I915_ENGINE_CLASS_COMPUTE";
    /// System memory.
    MEMORY_CLASS_SYSTEM: u16 = 0, "I915_MEMORY_CLASS_SYSTEM";
    /// Local memory.
    MEMORY_CLASS_DEVICE: u16 = 1, "I915_MEMORY_CLASS_DEVICE";
    /// Through the aperture.
    MMAP_OFFSET_GTT: u64 = 0, "I915_MMAP_OFFSET_GTT";
    /// Write combined.
    MMAP_OFFSET_WC: u64 = 1, "I915_MMAP_OFFSET_WC";
    /// Cached.
    MMAP_OFFSET_WB: u64 = 2, "I915_MMAP_OFFSET_WB";
    /// Uncached.
    MMAP_OFFSET_UC: u64 = 3, "I915_MMAP_OFFSET_UC";
    /// The caching mode that the buffer's memory region requires.
    MMAP_OFFSET_FIXED: u64 = 4, "I915_MMAP_OFFSET_FIXED";
    /// GEM_MMAP: write combined.
    MMAP_WC: u64 = 1, "I915_MMAP_WC";
    /// Engine, or index into the engine map of the context.
    EXEC_RING_MASK: u64 = 0x3f, "I915_EXEC_RING_MASK";
    /// The render engine.
    EXEC_DEFAULT: u64 = 0, "I915_EXEC_DEFAULT";
    /// The render engine.
    EXEC_RENDER: u64 = 1, "I915_EXEC_RENDER";
    /// Video.
    EXEC_BSD: u64 = 2, "I915_EXEC_BSD";
    /// The blitter.
    EXEC_BLT: u64 = 3, "I915_EXEC_BLT";
    /// Video enhancement.
    EXEC_VEBOX: u64 = 4, "I915_EXEC_VEBOX";
    /// Constant addressing mode.
    EXEC_CONSTANTS_MASK: u64 = 3 << 6, "I915_EXEC_CONSTANTS_MASK";
    /// Reset stream output offsets.
    EXEC_GEN7_SOL_RESET: u64 = 1 << 8, "I915_EXEC_GEN7_SOL_RESET";
    /// Privileged batch.
    EXEC_SECURE: u64 = 1 << 9, "I915_EXEC_SECURE";
    /// Pinned batch.
    EXEC_IS_PINNED: u64 = 1 << 10, "I915_EXEC_IS_PINNED";
    /// Process relocations only of buffers that moved.
    EXEC_NO_RELOC: u64 = 1 << 11, "I915_EXEC_NO_RELOC";
    /// Relocations identify buffers by index.
    EXEC_HANDLE_LUT: u64 = 1 << 12, "I915_EXEC_HANDLE_LUT";
    /// Selects the video engine.
    EXEC_BSD_MASK: u64 = 3 << 13, "I915_EXEC_BSD_MASK";
    /// Enable the resource streamer.
    EXEC_RESOURCE_STREAMER: u64 = 1 << 15, "I915_EXEC_RESOURCE_STREAMER";
    /// Wait for a sync file.
    EXEC_FENCE_IN: u64 = 1 << 16, "I915_EXEC_FENCE_IN";
    /// Return a sync file.
    EXEC_FENCE_OUT: u64 = 1 << 17, "I915_EXEC_FENCE_OUT";
    /// The batch is the first buffer, not the last.
    EXEC_BATCH_FIRST: u64 = 1 << 18, "I915_EXEC_BATCH_FIRST";
    /// The cliprects fields hold fences.
    EXEC_FENCE_ARRAY: u64 = 1 << 19, "I915_EXEC_FENCE_ARRAY";
    /// Wait until the batch of a sync file is submitted.
    EXEC_FENCE_SUBMIT: u64 = 1 << 20, "I915_EXEC_FENCE_SUBMIT";
    /// The cliprects pointer is the first extension.
    EXEC_USE_EXTENSIONS: u64 = 1 << 21, "I915_EXEC_USE_EXTENSIONS";
    /// The buffer needs a fence register.
    EXEC_OBJECT_NEEDS_FENCE: u64 = 1, "EXEC_OBJECT_NEEDS_FENCE";
    /// The buffer must be in the global address space.
    EXEC_OBJECT_NEEDS_GTT: u64 = 2, "EXEC_OBJECT_NEEDS_GTT";
    /// The batch writes the buffer.
    EXEC_OBJECT_WRITE: u64 = 4, "EXEC_OBJECT_WRITE";
    /// The buffer may be placed above 4 GiB.
    EXEC_OBJECT_SUPPORTS_48B_ADDRESS: u64 = 8, "EXEC_OBJECT_SUPPORTS_48B_ADDRESS";
    /// The buffer must be placed at `offset` (softpin).
    EXEC_OBJECT_PINNED: u64 = 16, "EXEC_OBJECT_PINNED";
    /// Reserve `pad_to_size` bytes of address space.
    EXEC_OBJECT_PAD_TO_SIZE: u64 = 32, "EXEC_OBJECT_PAD_TO_SIZE";
    /// No implicit synchronisation.
    EXEC_OBJECT_ASYNC: u64 = 64, "EXEC_OBJECT_ASYNC";
    /// The contents are copied to the error state.
    EXEC_OBJECT_CAPTURE: u64 = 128, "EXEC_OBJECT_CAPTURE";
    /// Wait for the syncobj.
    EXEC_FENCE_WAIT: u32 = 1, "I915_EXEC_FENCE_WAIT";
    /// Signal the syncobj.
    EXEC_FENCE_SIGNAL: u32 = 2, "I915_EXEC_FENCE_SIGNAL";
    /// Linear.
    TILING_NONE: u32 = 0, "I915_TILING_NONE";
    /// X tiles.
    TILING_X: u32 = 1, "I915_TILING_X";
    /// Y tiles.
    TILING_Y: u32 = 2, "I915_TILING_Y";
    /// No swizzling.
    BIT_6_SWIZZLE_NONE: u32 = 0, "I915_BIT_6_SWIZZLE_NONE";
    /// Not cached.
    CACHING_NONE: u32 = 0, "I915_CACHING_NONE";
    /// Cached and snooped.
    CACHING_CACHED: u32 = 1, "I915_CACHING_CACHED";
    /// Cached for display.
    CACHING_DISPLAY: u32 = 2, "I915_CACHING_DISPLAY";
    /// The pages are needed.
    MADV_WILLNEED: u32 = 0, "I915_MADV_WILLNEED";
    /// The kernel may discard the pages.
    MADV_DONTNEED: u32 = 1, "I915_MADV_DONTNEED";
    /// The GPU only reads the pages.
    USERPTR_READ_ONLY: u32 = 1, "I915_USERPTR_READ_ONLY";
    /// Check at once that the pages exist.
    USERPTR_PROBE: u32 = 2, "I915_USERPTR_PROBE";
    /// Obsolete.
    USERPTR_UNSYNCHRONIZED: u32 = 0x8000_0000, "I915_USERPTR_UNSYNCHRONIZED";
    /// The CPU's caches.
    GEM_DOMAIN_CPU: u32 = 1, "I915_GEM_DOMAIN_CPU";
    /// The render cache.
    GEM_DOMAIN_RENDER: u32 = 2, "I915_GEM_DOMAIN_RENDER";
    /// The aperture.
    GEM_DOMAIN_GTT: u32 = 64, "I915_GEM_DOMAIN_GTT";
    /// Write combined.
    GEM_DOMAIN_WC: u32 = 128, "I915_GEM_DOMAIN_WC";
    /// The argument has extensions.
    CONTEXT_CREATE_FLAGS_USE_EXTENSIONS: u32 = 1, "I915_CONTEXT_CREATE_FLAGS_USE_EXTENSIONS";
    /// All engines share one timeline.
    CONTEXT_CREATE_FLAGS_SINGLE_TIMELINE: u32 = 2, "I915_CONTEXT_CREATE_FLAGS_SINGLE_TIMELINE";
    /// Extension: set a parameter.
    CONTEXT_CREATE_EXT_SETPARAM: u32 = 0, "I915_CONTEXT_CREATE_EXT_SETPARAM";
    /// Extension: clone a context; obsolete.
    CONTEXT_CREATE_EXT_CLONE: u32 = 1, "I915_CONTEXT_CREATE_EXT_CLONE";
    /// Extension: the regions that the buffer may be placed in.
    GEM_CREATE_EXT_MEMORY_REGIONS: u32 = 0, "I915_GEM_CREATE_EXT_MEMORY_REGIONS";
    /// Extension: protected memory.
    GEM_CREATE_EXT_PROTECTED_CONTENT: u32 = 1, "I915_GEM_CREATE_EXT_PROTECTED_CONTENT";
    /// The timeline-fences extension.
    EXECBUFFER_EXT_TIMELINE_FENCES: u32 = 0, "DRM_I915_GEM_EXECBUFFER_EXT_TIMELINE_FENCES";
    /// REG_READ: read eight bytes at once.
    REG_READ_8B_WA: u64 = 1, "I915_REG_READ_8B_WA";
    /// Highest priority of a context.
    CONTEXT_MAX_USER_PRIORITY: i32 = 1023, "I915_CONTEXT_MAX_USER_PRIORITY";
}

/// Register offset of the render engine's timestamp, for REG_READ. Ref: i915_drm.h, "Known
/// registers".
pub const TIMESTAMP_REGISTER: u64 = 0x2358;
