//! Displays that an X server leases (VK_EXT_acquire_xlib_display).

use std::ffi::{c_int, c_void};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;

use ash::vk::Handle as _;
use ash::{ext, vk};

use crate::monitor::{Monitor, SIZES};
use crate::x_server::{BARE_OUTPUT, FOREIGN_OUTPUT, OUTPUT, Offer, XServer};

/// The public beginning of Xlib's `Display`: the driver asks Xlib for its socket alone.
#[repr(C)]
struct Display {
    extension_data: *mut c_void,
    private: *mut c_void,
    descriptor: c_int,
}

/// A connection of an application.
struct Application {
    display: Box<Display>,
    _socket: UnixStream,
}

impl Application {
    fn new(server: &XServer) -> Self {
        let socket = server.connect();
        Self {
            display: Box::new(Display {
                extension_data: std::ptr::null_mut(),
                private: std::ptr::null_mut(),
                descriptor: socket.as_raw_fd(),
            }),
            _socket: socket,
        }
    }

    fn pointer(&self) -> *mut vk::Display {
        (&raw const *self.display).cast_mut().cast()
    }
}

/// The functions of the extension.
struct Leases<'a> {
    monitor: &'a Monitor,
    xlib: ext::acquire_xlib_display::Instance,
    direct: ext::direct_mode_display::Instance,
}

impl<'a> Leases<'a> {
    fn new(monitor: &'a Monitor) -> Self {
        let (entry, instance) = (&monitor.entry, &monitor.instance);
        Self {
            xlib: ext::acquire_xlib_display::Instance::new(entry, instance),
            direct: ext::direct_mode_display::Instance::new(entry, instance),
            monitor,
        }
    }

    fn display_of(&self, application: &Application, output: u32) -> vk::DisplayKHR {
        let get = self.xlib.fp().get_rand_r_output_display_ext;
        let mut display = vk::DisplayKHR::from_raw(77);
        let got = unsafe {
            get(
                self.monitor.physical,
                application.pointer(),
                output.into(),
                &raw mut display,
            )
        };
        assert_eq!(got, vk::Result::SUCCESS);
        display
    }

    fn acquire(&self, application: &Application, display: vk::DisplayKHR) -> vk::Result {
        let acquire = self.xlib.fp().acquire_xlib_display_ext;
        unsafe { acquire(self.monitor.physical, application.pointer(), display) }
    }

    fn release(&self, display: vk::DisplayKHR) {
        let release = self.direct.fp().release_display_ext;
        let released = unsafe { release(self.monitor.physical, display) };
        assert_eq!(released, vk::Result::SUCCESS);
    }
}

/// A leased display presents; what a server does not lease is refused.
pub fn check_leases() {
    const REFUSED: vk::Result = vk::Result::ERROR_INITIALIZATION_FAILED;
    let monitor = Monitor::new();
    let leases = Leases::new(&monitor);
    let server = XServer::start(Offer::default());
    let application = Application::new(&server);
    let display = leases.display_of(&application, OUTPUT);
    let all = unsafe {
        let displays = &monitor.displays;
        displays.get_physical_device_display_properties(monitor.physical)
    };
    assert_eq!(all.unwrap()[0].display, display);
    // Outputs without a connector, of another GPU, and numbers that are no outputs.
    for output in [BARE_OUTPUT, FOREIGN_OUTPUT, 0x999] {
        assert_eq!(
            leases.display_of(&application, output),
            vk::DisplayKHR::null()
        );
    }
    assert_eq!(leases.acquire(&application, display), vk::Result::SUCCESS);
    // The CRTC that drives it alone.
    let made = server.leases.lock().unwrap().clone();
    assert_eq!(made.into_iter().collect::<Vec<_>>(), [(0x302, OUTPUT)]);
    let surface = monitor.surface(SIZES[0]);
    let chain = monitor.chain(surface, SIZES[0]);
    monitor.present(&chain, 1, SIZES[0]);
    monitor.destroy(chain, surface);
    // It is acquired once, whatever the server would do.
    server.leases.lock().unwrap().clear();
    assert_eq!(leases.acquire(&application, display), REFUSED);
    leases.release(display);
    // Another program has it.
    server.leases.lock().unwrap().insert((0x302, OUTPUT));
    assert_eq!(leases.acquire(&application, display), REFUSED);
    server.leases.lock().unwrap().clear();
    assert_eq!(leases.acquire(&application, display), vk::Result::SUCCESS);
    leases.release(display);

    // Servers without leases, without connectors, and without a free CRTC; then an idle one.
    let offers = [
        Offer {
            version: (1, 5),
            ..Offer::default()
        },
        Offer {
            has_connectors: false,
            ..Offer::default()
        },
        Offer {
            crtcs: vec![
                (0x301, 5, &[BARE_OUTPUT, OUTPUT], &[OUTPUT]),
                (0x302, 0, &[], &[]),
            ],
            ..Offer::default()
        },
    ];
    for (number, offer) in offers.into_iter().enumerate() {
        let server = XServer::start(offer);
        let application = Application::new(&server);
        if number < 2 {
            assert_eq!(
                leases.display_of(&application, OUTPUT),
                vk::DisplayKHR::null()
            );
        }
        assert_eq!(
            leases.acquire(&application, display),
            REFUSED,
            "server {number}"
        );
        assert!(server.leases.lock().unwrap().is_empty());
    }
    let server = XServer::start(Offer {
        crtcs: vec![
            (0x301, 5, &[BARE_OUTPUT], &[OUTPUT]),
            (0x303, 0, &[], &[OUTPUT]),
        ],
        ..Offer::default()
    });
    let application = Application::new(&server);
    assert_eq!(leases.acquire(&application, display), vk::Result::SUCCESS);
    let made = server.leases.lock().unwrap().clone();
    assert_eq!(made.into_iter().collect::<Vec<_>>(), [(0x303, OUTPUT)]);
}
