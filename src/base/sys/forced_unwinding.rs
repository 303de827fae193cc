//! Lets `pthread_exit` and `pthread_cancel` end a thread inside a library of this project.
//!
//! In:  the unwinder's calls of a personality routine, in libraries linked with
//!      `--wrap=rust_eh_personality` (the build scripts of `driver/icd` and `sim/shim`).
//! Out: Rust's own answer; for forced unwinding "continue", in every frame.
//!
//! Programs end threads that are inside a driver: Wine does it to all threads of a process that
//! exits, by `pthread_exit` in a signal handler. That unwinds the stack by force. Rust's
//! personality routine would enter `catch_unwind`, which the C library answers with "FATAL:
//! exception not rethrown" and an abort. As frames of C libraries, those of Rust are passed over:
//! their destructors do not run, and a lock that the thread held stays locked.
//! Ref: Itanium C++ ABI, "Exception Handling", section 1.3 (forced unwinding) and 2.5 (personality
//!      routine).

use std::ffi::{c_int, c_void};

/// `_UA_FORCE_UNWIND` of the personality routine's actions.
const FORCED: c_int = 8;
/// `_URC_CONTINUE_UNWIND`.
const CONTINUE: c_int = 8;

// Weak, because programs that link this crate without the option have no such symbol, and never
// call its wrapper. Hidden, because a process may load several libraries that define it.
std::arch::global_asm!(
    ".weak __real_rust_eh_personality",
    ".hidden __wrap_rust_eh_personality"
);

unsafe extern "C" {
    fn __real_rust_eh_personality(
        version: c_int,
        actions: c_int,
        class: u64,
        exception: *mut c_void,
        context: *mut c_void,
    ) -> c_int;
}

/// The personality routine of every frame of Rust code.
///
/// # Safety
/// Only the unwinder calls it, with arguments that its ABI describes.
#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap_rust_eh_personality(
    version: c_int,
    actions: c_int,
    class: u64,
    exception: *mut c_void,
    context: *mut c_void,
) -> c_int {
    if actions & FORCED != 0 {
        return CONTINUE;
    }
    // SAFETY: the caller's promise, passed on. The linker resolves the symbol wherever it resolves
    // references to this function.
    unsafe { __real_rust_eh_personality(version, actions, class, exception, context) }
}
