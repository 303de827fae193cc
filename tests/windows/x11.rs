//! A window of an X server: made and looked at by one connection, handed to the driver by another,
//! of XCB.

use std::ffi::{c_char, c_int, c_void};

use ash::vk;
use libloading::os::unix::Library;
use x11rb::connection::Connection;
use x11rb::protocol::xproto::{
    ConfigureWindowAux, ConnectionExt as _, CreateWindowAux, ImageFormat, WindowClass,
};
use x11rb::rust_connection::RustConnection;
use x11rb::wrapper::ConnectionExt as _;

use crate::Server;

pub struct Window {
    connection: RustConnection,
    window: u32,
    size: [u16; 2],
    xcb: *mut c_void,
    _library: Library,
}

impl Window {
    pub fn new(width: u16, height: u16) -> Self {
        type Connect = unsafe extern "C" fn(*const c_char, *mut c_int) -> *mut c_void;
        let (connection, screen) = RustConnection::connect(None).expect("an X server");
        let root = connection.setup().roots[screen].root;
        let window = connection.generate_id().unwrap();
        let class = WindowClass::INPUT_OUTPUT;
        // No window manager has a say in its size.
        let aux = CreateWindowAux::new().override_redirect(1);
        let made =
            connection.create_window(0, window, root, 0, 0, width, height, 0, class, 0, &aux);
        made.unwrap();
        connection.map_window(window).unwrap();
        connection.sync().unwrap();
        let null = std::ptr::null_mut();
        let (xcb, library) = unsafe {
            let library = Library::new("libxcb.so.1").expect("XCB");
            let connect = library.get::<Connect>(b"xcb_connect").unwrap();
            (connect(null, null.cast()), library)
        };
        Self {
            connection,
            window,
            size: [width, height],
            xcb,
            _library: library,
        }
    }

    /// True if all pixels have the colour now.
    fn is(&self, [red, green, blue]: [u8; 3]) -> bool {
        let [width, height] = self.size;
        let format = ImageFormat::Z_PIXMAP;
        let got = (self.connection).get_image(format, self.window, 0, 0, width, height, !0);
        let data = got.unwrap().reply().unwrap().data;
        data.chunks_exact(4)
            .all(|pixel| pixel[..3] == [blue, green, red])
    }
}

impl Server for Window {
    fn surface(&self, entry: &ash::Entry, instance: &ash::Instance) -> vk::SurfaceKHR {
        let surfaces = ash::khr::xcb_surface::Instance::new(entry, instance);
        let info = vk::XcbSurfaceCreateInfoKHR::default()
            .connection(self.xcb)
            .window(self.window);
        unsafe { surfaces.create_xcb_surface(&info, None) }.unwrap()
    }

    fn resize(&mut self, width: u32, height: u32) {
        let aux = ConfigureWindowAux::new().width(width).height(height);
        self.connection.configure_window(self.window, &aux).unwrap();
        self.connection.sync().unwrap();
        self.size = [width, height].map(|part| part as u16);
    }

    fn shows(&mut self, colour: [u8; 3]) -> Option<bool> {
        // The server reports a present when it has taken the image over.
        Some((0..100).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(10));
            self.is(colour)
        }))
    }

    fn knows_size(&self) -> bool {
        true
    }
}
