//! Methods of a [`Kernel`](crate::Kernel) that wraps another, and changes only some calls.
//!
//! In:  the field with the wrapped kernel, and the names of methods. Out: the methods, each of
//!      which makes the same call of the wrapped kernel.

/// Declares methods of `impl Kernel`, which make the same call of the kernel in a field:
/// `delegate_kernel! { inner: getparam, query }`.
#[macro_export]
macro_rules! delegate_kernel {
    ($field:ident: $($method:ident),* $(,)?) => {
        $($crate::delegate_kernel! { @ $method $field })*
    };
    (@ version $field:ident) => {
        $crate::delegate_kernel! { @fn $field version() -> $crate::DriverVersion }
    };
    (@ get_cap $field:ident) => {
        $crate::delegate_kernel! { @fn $field get_cap(capability: u64) -> u64 }
    };
    (@ getparam $field:ident) => {
        $crate::delegate_kernel! { @fn $field getparam(param: i32) -> i32 }
    };
    (@ query $field:ident) => {
        $crate::delegate_kernel! { @fn $field query(id: u64, flags: u32) -> Vec<u8> }
    };
    (@ reg_read $field:ident) => {
        $crate::delegate_kernel! { @fn $field reg_read(offset: u64) -> u64 }
    };
    (@ gem_get_aperture $field:ident) => {
        $crate::delegate_kernel! { @fn $field gem_get_aperture() -> $crate::i915::GemGetAperture }
    };
    (@ gem_create $field:ident) => {
        $crate::delegate_kernel! { @fn $field gem_create(bytes: u64) -> (u32, u64) }
    };
    (@ gem_create_ext $field:ident) => {
        $crate::delegate_kernel! { @fn $field gem_create_ext(
            bytes: u64, flags: u32, regions: &[$crate::i915::MemoryClassInstance]
        ) -> (u32, u64) }
    };
    (@ gem_userptr $field:ident) => {
        $crate::delegate_kernel! { @fn $field gem_userptr(
            pages: std::sync::Arc<dyn $crate::HostPages>
        ) -> u32 }
    };
    (@ gem_close $field:ident) => {
        $crate::delegate_kernel! { @fn $field gem_close(handle: u32) -> () }
    };
    (@ gem_mmap_offset $field:ident) => {
        $crate::delegate_kernel! { @fn $field gem_mmap_offset(handle: u32, flags: u64) -> u64 }
    };
    (@ mapping $field:ident) => {
        $crate::delegate_kernel! { @fn $field mapping(
            mmap_offset: u64
        ) -> ($crate::MapFd<'_>, u64) }
    };
    (@ gem_set_domain $field:ident) => {
        $crate::delegate_kernel! { @fn $field gem_set_domain(
            handle: u32, read_domains: u32, write_domain: u32
        ) -> () }
    };
    (@ gem_busy $field:ident) => {
        $crate::delegate_kernel! { @fn $field gem_busy(handle: u32) -> u32 }
    };
    (@ gem_wait $field:ident) => {
        $crate::delegate_kernel! { @fn $field gem_wait(handle: u32, timeout_ns: i64) -> i64 }
    };
    (@ gem_madvise $field:ident) => {
        $crate::delegate_kernel! { @fn $field gem_madvise(handle: u32, advice: u32) -> bool }
    };
    (@ gem_set_tiling $field:ident) => {
        $crate::delegate_kernel! { @fn $field gem_set_tiling(
            handle: u32, mode: u32, stride_bytes: u32
        ) -> $crate::Tiling }
    };
    (@ gem_get_tiling $field:ident) => {
        $crate::delegate_kernel! { @fn $field gem_get_tiling(handle: u32) -> $crate::Tiling }
    };
    (@ gem_set_caching $field:ident) => {
        $crate::delegate_kernel! { @fn $field gem_set_caching(handle: u32, caching: u32) -> () }
    };
    (@ gem_get_caching $field:ident) => {
        $crate::delegate_kernel! { @fn $field gem_get_caching(handle: u32) -> u32 }
    };
    (@ prime_handle_to_fd $field:ident) => {
        $crate::delegate_kernel! { @fn $field prime_handle_to_fd(
            handle: u32, flags: u32
        ) -> std::os::fd::OwnedFd }
    };
    (@ prime_fd_to_handle $field:ident) => {
        $crate::delegate_kernel! { @fn $field prime_fd_to_handle(
            dma_buf: std::os::fd::BorrowedFd<'_>
        ) -> u32 }
    };
    (@ context_create $field:ident) => {
        $crate::delegate_kernel! { @fn $field context_create(
            flags: u32, params: &[$crate::ContextParam]
        ) -> u32 }
    };
    (@ context_destroy $field:ident) => {
        $crate::delegate_kernel! { @fn $field context_destroy(context: u32) -> () }
    };
    (@ context_getparam $field:ident) => {
        $crate::delegate_kernel! { @fn $field context_getparam(context: u32, param: u64) -> u64 }
    };
    (@ context_setparam $field:ident) => {
        $crate::delegate_kernel! { @fn $field context_setparam(
            context: u32, param: &$crate::ContextParam
        ) -> () }
    };
    (@ vm_create $field:ident) => {
        $crate::delegate_kernel! { @fn $field vm_create() -> u32 }
    };
    (@ vm_destroy $field:ident) => {
        $crate::delegate_kernel! { @fn $field vm_destroy(vm: u32) -> () }
    };
    (@ get_reset_stats $field:ident) => {
        $crate::delegate_kernel! { @fn $field get_reset_stats(
            context: u32
        ) -> $crate::i915::ResetStats }
    };
    (@ execbuffer2 $field:ident) => {
        $crate::delegate_kernel! { @fn $field execbuffer2(
            exec: $crate::Exec<'_>
        ) -> Option<std::os::fd::OwnedFd> }
    };
    (@ syncobj_create $field:ident) => {
        $crate::delegate_kernel! { @fn $field syncobj_create(flags: u32) -> u32 }
    };
    (@ syncobj_destroy $field:ident) => {
        $crate::delegate_kernel! { @fn $field syncobj_destroy(handle: u32) -> () }
    };
    (@ syncobj_wait $field:ident) => {
        $crate::delegate_kernel! { @fn $field syncobj_wait(
            handles: &[u32], deadline_ns: i64, flags: u32
        ) -> u32 }
    };
    (@ syncobj_timeline_wait $field:ident) => {
        $crate::delegate_kernel! { @fn $field syncobj_timeline_wait(
            handles: &[u32], points: &[u64], deadline_ns: i64, flags: u32
        ) -> u32 }
    };
    (@ syncobj_reset $field:ident) => {
        $crate::delegate_kernel! { @fn $field syncobj_reset(handles: &[u32]) -> () }
    };
    (@ syncobj_signal $field:ident) => {
        $crate::delegate_kernel! { @fn $field syncobj_signal(handles: &[u32]) -> () }
    };
    (@ syncobj_timeline_signal $field:ident) => {
        $crate::delegate_kernel! { @fn $field syncobj_timeline_signal(
            handles: &[u32], points: &[u64]
        ) -> () }
    };
    (@ syncobj_query $field:ident) => {
        $crate::delegate_kernel! { @fn $field syncobj_query(
            handles: &[u32], flags: u32
        ) -> Vec<u64> }
    };
    (@ syncobj_eventfd $field:ident) => {
        $crate::delegate_kernel! { @fn $field syncobj_eventfd(
            handle: u32, point: u64, eventfd: std::os::fd::BorrowedFd<'_>
        ) -> () }
    };
    (@ syncobj_transfer $field:ident) => {
        $crate::delegate_kernel! { @fn $field syncobj_transfer(
            transfer: $crate::SyncobjTransfer
        ) -> () }
    };
    (@ syncobj_handle_to_fd $field:ident) => {
        $crate::delegate_kernel! { @fn $field syncobj_handle_to_fd(
            handle: u32, flags: u32
        ) -> std::os::fd::OwnedFd }
    };
    (@ syncobj_fd_to_handle $field:ident) => {
        $crate::delegate_kernel! { @fn $field syncobj_fd_to_handle(
            fd: std::os::fd::BorrowedFd<'_>, handle: u32, flags: u32
        ) -> u32 }
    };
    (@fn $field:ident $method:ident($($arg:ident: $kind:ty),*) -> $ret:ty) => {
        fn $method(&self, $($arg: $kind),*) -> $crate::Result<$ret> {
            self.$field.$method($($arg),*)
        }
    };
}
