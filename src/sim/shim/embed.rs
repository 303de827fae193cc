//! The C interface of include/ingot_sim.h: a simulated GPU for programs that create one explicitly.
//!
//! In:  calls of a C program. Out: the same results as from a device node, and strict mode's
//!      findings by callback.

use std::ffi::{CStr, CString, c_char, c_int, c_ulong, c_void};
use std::os::fd::AsRawFd;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use kmd::{Device, File, KmdError, LogSink, Options, StopReason, StopSink, StoppedBatch};
use uapi::{Errno, Result, drm};

use crate::ioctl;
use crate::mmap::map_buffer_file;

/// `struct ingot_sim_stop`.
#[repr(C)]
#[derive(Debug)]
pub struct CStop {
    kind: u32,
    submission: u64,
    address: u64,
    rule: *const c_char,
    source: *const c_char,
    text: *const c_char,
}

/// `struct ingot_sim_callbacks`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CCallbacks {
    user: *mut c_void,
    line: Option<unsafe extern "C" fn(*mut c_void, *const c_char)>,
    stopped: Option<unsafe extern "C" fn(*mut c_void, *const CStop)>,
}

/// The program's callbacks, called by one thread at a time.
struct Callbacks(Mutex<CCallbacks>);

// SAFETY: the header says that the device's threads call the functions with this pointer, one at a
// time.
unsafe impl Send for Callbacks {}
// SAFETY: the lock lets one thread at a time in.
unsafe impl Sync for Callbacks {}

/// Converts a string to C; a zero byte truncates it.
fn c_string(text: &str) -> CString {
    let end = text.find('\0').unwrap_or(text.len());
    CString::new(text.get(..end).unwrap_or_default()).unwrap_or_default()
}

impl Callbacks {
    fn line(&self, line: &str) {
        let callbacks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let text = c_string(line);
        if let Some(call) = callbacks.line {
            // SAFETY: the program's function, with its own pointer and a string that lives as long
            // as the call.
            unsafe { call(callbacks.user, text.as_ptr()) }
        }
    }

    fn stopped(&self, stopped: StoppedBatch<'_>) {
        let callbacks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(call) = callbacks.stopped else {
            return;
        };
        let (kind, at, rule) = match stopped.stop {
            Some(StopReason::Undefined { rule, prm, at, .. }) => {
                (1, *at, Some((c_string(rule), c_string(prm))))
            }
            Some(StopReason::Fault { at, .. }) => (2, *at, None),
            Some(StopReason::Unimplemented { at, .. }) => (3, *at, None),
            None => (4, 0, None),
        };
        let text = c_string(stopped.text);
        let null = std::ptr::null();
        let (name, source) = rule
            .as_ref()
            .map_or((null, null), |(name, prm)| (name.as_ptr(), prm.as_ptr()));
        let stop = CStop {
            kind,
            submission: stopped.submission,
            address: at,
            rule: name,
            source,
            text: text.as_ptr(),
        };
        // SAFETY: the program's function, with its own pointer and a structure that lives as long
        // as the call.
        unsafe { call(callbacks.user, &raw const stop) }
    }
}

/// `ingot_sim`.
#[derive(Debug)]
pub struct Sim {
    device: Arc<Device>,
}

/// `ingot_sim_node`.
#[derive(Debug)]
pub struct Node {
    file: Arc<File>,
}

/// Runs the body of a C function and returns 0 or a negative errno. A panic, which must not reach
/// C, is `EIO`.
fn catch_errors(body: impl FnOnce() -> Result<()>) -> c_int {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => 0,
        Ok(Err(error)) => -error.0,
        Err(_) => -Errno::EIO.0,
    }
}

/// Borrows a string of the program; empty for null.
///
/// # Safety
/// It is null, or zero-terminated and lives as long as the result.
unsafe fn str_from_c<'a>(text: *const c_char) -> Result<&'a str> {
    if text.is_null() {
        return Ok("");
    }
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(text) }
        .to_str()
        .map_err(|_| Errno::EINVAL)
}

fn create(gpu: &str, options: &str, callbacks: Option<CCallbacks>) -> Result<Sim> {
    let callbacks = callbacks.map(|callbacks| Arc::new(Callbacks(Mutex::new(callbacks))));
    let sink = match &callbacks {
        Some(callbacks) => {
            let callbacks = Arc::clone(callbacks);
            LogSink::new(move |line| callbacks.line(line))
        }
        None => LogSink::none(),
    };
    let mut options = Options::parse(options, sink.clone()).map_err(|error| {
        sink.line(&error.to_string());
        Errno::EINVAL
    })?;
    options.stops =
        callbacks.map(|callbacks| StopSink::new(move |stopped| callbacks.stopped(stopped)));
    let device = Device::new(gpu, options).map_err(|error: KmdError| {
        sink.line(&error.to_string());
        Errno::ENODEV
    })?;
    Ok(Sim { device })
}

/// `ingot_sim_create` of include/ingot_sim.h.
///
/// # Safety
/// As the header says: strings are zero-terminated, `sim` can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ingot_sim_create(
    gpu: *const c_char,
    options: *const c_char,
    callbacks: *const CCallbacks,
    sim: *mut *mut Sim,
) -> c_int {
    catch_errors(|| {
        if sim.is_null() {
            return Err(Errno::EFAULT);
        }
        // SAFETY: the program's promise.
        let (gpu, options, callbacks) = unsafe {
            (
                str_from_c(gpu)?,
                str_from_c(options)?,
                callbacks.as_ref().copied(),
            )
        };
        let made = Box::into_raw(Box::new(create(gpu, options, callbacks)?));
        // SAFETY: the program's pointer for the result.
        unsafe { sim.write(made) };
        Ok(())
    })
}

/// `ingot_sim_destroy` of include/ingot_sim.h.
///
/// # Safety
/// `sim` is null, or of `ingot_sim_create` and not destroyed yet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ingot_sim_destroy(sim: *mut Sim) {
    if !sim.is_null() {
        // SAFETY: the program's promise.
        catch_errors(|| {
            drop(unsafe { Box::from_raw(sim) });
            Ok(())
        });
    }
}

/// `ingot_sim_open` of include/ingot_sim.h.
///
/// # Safety
/// `sim` lives, `node` can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ingot_sim_open(sim: *mut Sim, node: *mut *mut Node) -> c_int {
    catch_errors(|| {
        // SAFETY: the program's promise.
        let sim = unsafe { sim.as_ref() }.ok_or(Errno::EFAULT)?;
        if node.is_null() {
            return Err(Errno::EFAULT);
        }
        let file = sim.device.open();
        // SAFETY: the program's place for it.
        unsafe { node.write(Box::into_raw(Box::new(Node { file }))) };
        Ok(())
    })
}

/// `ingot_sim_close` of include/ingot_sim.h.
///
/// # Safety
/// `node` is null, or of `ingot_sim_open` and not closed yet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ingot_sim_close(node: *mut Node) {
    if !node.is_null() {
        // SAFETY: the program's promise.
        catch_errors(|| {
            drop(unsafe { Box::from_raw(node) });
            Ok(())
        });
    }
}

/// `ingot_sim_ioctl` of include/ingot_sim.h.
///
/// # Safety
/// `node` lives; `argument` is what the ioctl's documentation asks for, or a bad address.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ingot_sim_ioctl(
    node: *mut Node,
    request: c_ulong,
    argument: *mut c_void,
) -> c_int {
    catch_errors(|| {
        // SAFETY: the program's promise.
        let node = unsafe { node.as_ref() }.ok_or(Errno::EFAULT)?;
        let request = u32::try_from(request).map_err(|_| Errno::ENOTTY)?;
        if request >> 8 & 0xff != drm::IOCTL_BASE {
            return Err(Errno::ENOTTY);
        }
        ioctl::execute(
            &node.file,
            drm::FIRST_RENDER_MINOR,
            request,
            argument as u64,
            // Render nodes have no events.
            &|| Err(Errno::EINVAL),
        )
    })
}

/// `ingot_sim_mmap` of include/ingot_sim.h.
///
/// # Safety
/// `node` lives, `mapped` can be written; the rest as for mmap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ingot_sim_mmap(
    node: *mut Node,
    address: *mut c_void,
    length: usize,
    protection: c_int,
    flags: c_int,
    offset: u64,
    mapped: *mut *mut c_void,
) -> c_int {
    catch_errors(|| {
        // SAFETY: the program's promise.
        let node = unsafe { node.as_ref() }.ok_or(Errno::EFAULT)?;
        if mapped.is_null() {
            return Err(Errno::EFAULT);
        }
        let (memory, bytes) = node.file.mapped_buffer(offset)?;
        // SAFETY: the program's own call of mmap, on the file that holds the buffer, and its place
        // for the result.
        unsafe {
            let place = map_buffer_file(
                address,
                length,
                protection,
                flags,
                memory.as_raw_fd(),
                bytes,
            )?;
            mapped.write(place as *mut c_void);
        }
        Ok(())
    })
}
