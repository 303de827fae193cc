//! The application's connection to its X server.
//!
//! In:  an `xcb_connection_t` or a `Display`.
//! Out: its socket, and a round trip that waits until the server has processed the application's
//!      requests.
//!
//! The driver presents windows over connections of its own (`wsi::x11`). It uses the application's
//! connection only through the client library that made it, which is already loaded in the process.
//! Ref: XCB and Xlib manuals.

use std::ffi::{c_int, c_uint, c_void};
use std::os::fd::BorrowedFd;

use libloading::os::unix::Library;

/// A connection of the application.
#[derive(Clone, Copy, Debug)]
pub enum NativeConnection {
    /// `xcb_connection_t`.
    Xcb(*mut c_void),
    /// Xlib's `Display`.
    Xlib(*mut c_void),
}

// SAFETY: any thread may use an XCB connection; for Xlib, Vulkan requires that the application has
// called XInitThreads.
unsafe impl Send for NativeConnection {}
// SAFETY: as above.
unsafe impl Sync for NativeConnection {}

/// `xcb_get_input_focus_cookie_t`.
#[repr(C)]
#[derive(Clone, Copy)]
struct Cookie {
    sequence: c_uint,
}

fn surface_lost(error: libloading::Error) -> wsi::Error {
    wsi::Error::SurfaceLost {
        why: error.to_string(),
    }
}

impl NativeConnection {
    /// The client library, which is already loaded.
    fn library(self) -> wsi::Result<Library> {
        let name = match self {
            NativeConnection::Xcb(_) => "libxcb.so.1",
            NativeConnection::Xlib(_) => "libX11.so.6",
        };
        // SAFETY: the application has opened a connection with this library, so it is loaded and
        // its initialisers have run.
        unsafe { Library::new(name) }.map_err(surface_lost)
    }

    /// Its socket, valid as long as the connection is open.
    ///
    /// # Safety
    /// The connection is open.
    pub unsafe fn socket<'a>(self) -> wsi::Result<BorrowedFd<'a>> {
        type GetDescriptor = unsafe extern "C" fn(*mut c_void) -> c_int;
        let library = self.library()?;
        // SAFETY: the functions have these types, and the connection is open, as the caller says.
        let descriptor = unsafe {
            match self {
                NativeConnection::Xcb(connection) => {
                    library
                        .get::<GetDescriptor>(b"xcb_get_file_descriptor")
                        .map_err(surface_lost)?(connection)
                }
                NativeConnection::Xlib(display) => {
                    library
                        .get::<GetDescriptor>(b"XConnectionNumber")
                        .map_err(surface_lost)?(display)
                }
            }
        };
        if descriptor < 0 {
            return Err(wsi::Error::SurfaceLost {
                why: "the connection has no socket".into(),
            });
        }
        // SAFETY: the socket is open as long as the connection.
        Ok(unsafe { BorrowedFd::borrow_raw(descriptor) })
    }

    /// Waits until the server has processed all requests that the application has sent.
    ///
    /// # Safety
    /// The connection is open.
    pub unsafe fn sync(self) -> wsi::Result<()> {
        type GetInputFocus = unsafe extern "C" fn(*mut c_void) -> Cookie;
        type GetInputFocusReply =
            unsafe extern "C" fn(*mut c_void, Cookie, *mut *mut c_void) -> *mut c_void;
        type Sync = unsafe extern "C" fn(*mut c_void, c_int) -> c_int;
        let library = self.library()?;
        // SAFETY: as in `socket`; the caller frees the reply, and a null error pointer is allowed.
        unsafe {
            match self {
                NativeConnection::Xcb(connection) => {
                    let request = library
                        .get::<GetInputFocus>(b"xcb_get_input_focus")
                        .map_err(surface_lost)?;
                    let reply = library
                        .get::<GetInputFocusReply>(b"xcb_get_input_focus_reply")
                        .map_err(surface_lost)?;
                    sys::free(reply(connection, request(connection), std::ptr::null_mut()));
                }
                NativeConnection::Xlib(display) => {
                    library.get::<Sync>(b"XSync").map_err(surface_lost)?(display, 0);
                }
            }
        }
        Ok(())
    }
}
