//! The application's connection to its X server: where it leads, and that what it has asked for is done.
//!
//! Windows are shown by connections of the driver's own (`wsi::x11`); of the application's this asks the libraries that made it, which
//! are in the process already.
//! Ref: XCB and Xlib manuals.

use std::ffi::{c_int, c_uint, c_void};
use std::os::fd::BorrowedFd;

use libloading::os::unix::Library;

/// A connection of the application's.
#[derive(Clone, Copy, Debug)]
pub enum Connection {
    /// `xcb_connection_t`.
    Xcb(*mut c_void),
    /// `Display` of Xlib.
    Xlib(*mut c_void),
}

// SAFETY: XCB's connections may be used by any thread; of Xlib's Vulkan asks that XInitThreads has been called.
unsafe impl Send for Connection {}
// SAFETY: as above.
unsafe impl Sync for Connection {}

/// What the libraries are.
#[repr(C)]
#[derive(Clone, Copy)]
struct Cookie {
    sequence: c_uint,
}

fn missing(error: libloading::Error) -> wsi::Error {
    wsi::Error::SurfaceLost {
        why: error.to_string(),
    }
}

impl Connection {
    fn library(self) -> wsi::Result<Library> {
        let name = match self {
            Connection::Xcb(_) => "libxcb.so.1",
            Connection::Xlib(_) => "libX11.so.6",
        };
        // SAFETY: the application has made a connection by this library, so it is loaded and nothing of it runs now.
        unsafe { Library::new(name) }.map_err(missing)
    }

    /// Its socket, for as long as the connection lives.
    ///
    /// # Safety
    /// The connection is open.
    pub unsafe fn socket<'a>(self) -> wsi::Result<BorrowedFd<'a>> {
        type Number = unsafe extern "C" fn(*mut c_void) -> c_int;
        let library = self.library()?;
        // SAFETY: the functions have these types, and the connection is open, as the caller says.
        let number = unsafe {
            match self {
                Connection::Xcb(connection) => library
                    .get::<Number>(b"xcb_get_file_descriptor")
                    .map_err(missing)?(connection),
                Connection::Xlib(display) => library
                    .get::<Number>(b"XConnectionNumber")
                    .map_err(missing)?(display),
            }
        };
        if number < 0 {
            return Err(wsi::Error::SurfaceLost {
                why: "the connection has no socket".into(),
            });
        }
        // SAFETY: it is open as long as the connection.
        Ok(unsafe { BorrowedFd::borrow_raw(number) })
    }

    /// Waits until the server has done what the application has asked for.
    ///
    /// # Safety
    /// The connection is open.
    pub unsafe fn settle(self) -> wsi::Result<()> {
        type Ask = unsafe extern "C" fn(*mut c_void) -> Cookie;
        type Answer = unsafe extern "C" fn(*mut c_void, Cookie, *mut *mut c_void) -> *mut c_void;
        type Sync = unsafe extern "C" fn(*mut c_void, c_int) -> c_int;
        let library = self.library()?;
        // SAFETY: as in `socket`; the reply is the caller's to free, and no error is asked for.
        unsafe {
            match self {
                Connection::Xcb(connection) => {
                    let ask = library
                        .get::<Ask>(b"xcb_get_input_focus")
                        .map_err(missing)?;
                    let answer = library
                        .get::<Answer>(b"xcb_get_input_focus_reply")
                        .map_err(missing)?;
                    sys::free(answer(connection, ask(connection), std::ptr::null_mut()));
                }
                Connection::Xlib(display) => {
                    library.get::<Sync>(b"XSync").map_err(missing)?(display, 0);
                }
            }
        }
        Ok(())
    }
}
