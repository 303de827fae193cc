//! Presentation in windows of a real X server: Xvfb (Debian: xvfb), where it is installed;
//! `INGOT_REQUIRE_TOOLS` makes its absence a failure.

use std::io::Read;
use std::os::fd::{AsFd, AsRawFd};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use ingot_wsi::present::{PixelSource, PresentMode, Presenter, Refresh, SwapchainFit, Waker};
use ingot_wsi::x11::{Window, connector_of_output, lease};
use x11rb::connection::Connection;
use x11rb::protocol::randr::ConnectionExt as _;
use x11rb::protocol::xproto::{
    ConfigureWindowAux, ConnectionExt as _, CreateWindowAux, ImageFormat, WindowClass,
};
use x11rb::rust_connection::RustConnection;
use x11rb::wrapper::ConnectionExt as _;

/// An X server, killed at the end of the test.
struct Server {
    process: Child,
    display: String,
}

impl Server {
    fn start(options: &[&str]) -> Option<Self> {
        let started = Command::new("Xvfb")
            .args([
                "-displayfd",
                "1",
                "-screen",
                "0",
                "640x480x24",
                "-nolisten",
                "tcp",
            ])
            .args(options)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        let Ok(mut process) = started else {
            let required = std::env::var_os("INGOT_REQUIRE_TOOLS").is_some();
            assert!(!required, "Xvfb is not installed");
            return None;
        };
        let mut number = String::new();
        let mut out = process.stdout.take().unwrap();
        while !number.ends_with('\n') {
            let mut byte = [0];
            out.read_exact(&mut byte).unwrap();
            number.push(byte[0].into());
        }
        Some(Self {
            process,
            display: format!(":{}", number.trim()),
        })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        _ = self.process.kill();
        _ = self.process.wait();
    }
}

/// An image whose pixels depend on their coordinates and on a number.
struct Pattern {
    width: u32,
    height: u32,
    number: u32,
}

impl Pattern {
    fn pixel(&self, x: u32, y: u32) -> u32 {
        u32::from_le_bytes([
            (x * 3 + self.number * 40) as u8,
            (y * 5) as u8,
            (x ^ y) as u8,
            0,
        ])
    }
}

impl PixelSource for Pattern {
    fn width(&self) -> u32 {
        self.width
    }
    fn height(&self) -> u32 {
        self.height
    }
    fn row(&self, y: u32, out: &mut [u8]) -> ingot_wsi::Result<()> {
        for (x, pixel) in (0..).zip(out.chunks_exact_mut(4)) {
            pixel.copy_from_slice(&self.pixel(x, y).to_le_bytes());
        }
        Ok(())
    }
}

/// The application: its connection and a mapped window.
fn application(display: &str, width: u16, height: u16) -> (RustConnection, u32) {
    let (connection, screen) = RustConnection::connect(Some(display)).unwrap();
    let root = connection.setup().roots[screen].root;
    let window = connection.generate_id().unwrap();
    let aux = CreateWindowAux::new();
    let class = WindowClass::INPUT_OUTPUT;
    let made = connection.create_window(24, window, root, 0, 0, width, height, 0, class, 0, &aux);
    made.unwrap();
    connection.map_window(window).unwrap();
    connection.sync().unwrap();
    (connection, window)
}

fn pixels(connection: &RustConnection, window: u32, width: u16, height: u16) -> Vec<u32> {
    let format = ImageFormat::Z_PIXMAP;
    let got = connection.get_image(format, window, 0, 0, width, height, !0);
    let data = got.unwrap().reply().unwrap().data;
    let words = data.chunks_exact(4);
    words
        .map(|word| u32::from_le_bytes(word.try_into().unwrap()) & 0xff_ffff)
        .collect()
}

/// Presents images and compares the contents of the window.
fn check_presentation(options: &[&str]) {
    let Some(server) = Server::start(options) else {
        return;
    };
    let (width, height) = (200u16, 120u16);
    let (connection, id) = application(&server.display, width, height);
    let window = Window::open(connection.stream().as_fd(), id).unwrap();
    let geometry = window.geometry().unwrap();
    assert_eq!(
        (geometry.width, geometry.height, geometry.depth),
        (200, 120, 24)
    );
    let mut presenter = window
        .copying_presenter(width.into(), height.into())
        .unwrap();
    for (number, mode) in (0..).zip([
        PresentMode::Fifo,
        PresentMode::Relaxed,
        PresentMode::Mailbox,
        PresentMode::Immediate,
        PresentMode::Fifo,
        PresentMode::Fifo,
    ]) {
        let image = Pattern {
            width: width.into(),
            height: height.into(),
            number,
        };
        present(&mut *presenter, &image, mode).unwrap();
        assert_eq!(presenter.released(), Some(number));
        assert_eq!(presenter.fit(), SwapchainFit::Optimal);
        // The image is shown at the next refresh.
        let want: Vec<u32> = (0..u32::from(height))
            .flat_map(|y| (0..u32::from(width)).map(move |x| (x, y)))
            .map(|(x, y)| image.pixel(x, y))
            .collect();
        let shown = (0..200).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(5));
            pixels(&connection, id, width, height) == want
        });
        assert!(shown, "picture {number} {mode:?}");
        // The presenter reports it as shown, and not too early.
        let given = u64::from(number) + 1;
        let reported = (0..200).any(|_| {
            assert!(presenter.shown() <= given);
            presenter.shown() == given || presenter.wait_events(&timer()).is_err()
        });
        assert!(reported && presenter.shown() == given, "{number} {mode:?}");
    }
    let smaller = ConfigureWindowAux::new().width(64).height(64);
    connection.configure_window(id, &smaller).unwrap();
    connection.sync().unwrap();
    let image = Pattern {
        width: width.into(),
        height: height.into(),
        number: 9,
    };
    let resized = (0..200).any(|_| {
        present(&mut *presenter, &image, PresentMode::Fifo).unwrap();
        presenter.fit() == SwapchainFit::Resized
    });
    assert!(resized);
    connection.destroy_window(id).unwrap();
    connection.sync().unwrap();
    let ends = (0..200).find_map(|_| present(&mut *presenter, &image, PresentMode::Fifo).err());
    let code = ends.expect("a window that is gone ends the surface").code();
    assert_eq!(code, ash::vk::Result::ERROR_SURFACE_LOST_KHR);
}

/// A waker that is woken after 50 ms.
fn timer() -> Arc<Waker> {
    let wake = Arc::new(Waker::new().unwrap());
    let rings = wake.clone();
    std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(50));
        rings.wake();
    });
    wake
}

/// Presents an image once the presenter is ready.
fn present(
    presenter: &mut dyn Presenter,
    image: &Pattern,
    mode: PresentMode,
) -> ingot_wsi::Result<()> {
    presenter.poll_events()?;
    while !presenter.is_ready(mode) {
        presenter.wait_events(&timer())?;
    }
    presenter.show(image.number, image, mode)
}

#[test]
fn images_report_when_they_are_shown() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let (connection, id) = application(&server.display, 64, 32);
    let window = Window::open(connection.stream().as_fd(), id).unwrap();
    assert!(window.reports_times().unwrap());
    let mut presenter = window.copying_presenter(64, 32).unwrap();
    assert!(presenter.reports_times());
    assert_eq!(presenter.refresh(), Refresh::Pending);
    let mut last_ns = 0;
    for number in 0..80 {
        let image = Pattern {
            width: 64,
            height: 32,
            number,
        };
        let begin_ns = sys::monotonic_ns();
        present(&mut *presenter, &image, PresentMode::Fifo).unwrap();
        let shown = (0..400).find_map(|_| {
            presenter.wait_events(&timer()).unwrap();
            presenter.shown_image()
        });
        let shown = shown.unwrap();
        assert_eq!(shown.number, u64::from(number) + 1);
        let time_ns = shown.time_ns.unwrap();
        // The server's times are in microseconds.
        let now_ns = sys::monotonic_ns();
        assert!(time_ns > last_ns, "{last_ns} {time_ns}");
        assert!(
            (begin_ns - 1000..now_ns).contains(&time_ns),
            "{begin_ns} {time_ns} {now_ns}"
        );
        last_ns = time_ns;
    }
    // Xvfb has 60 refreshes a second.
    let Refresh::Period(period_ns) = presenter.refresh() else {
        panic!("{:?}", presenter.refresh());
    };
    assert!((16_000_000..17_400_000).contains(&period_ns), "{period_ns}");
    drop(server);

    // Without Present nothing is reported.
    let Some(server) = Server::start(&["-extension", "MIT-SHM"]) else {
        return;
    };
    let (connection, id) = application(&server.display, 64, 32);
    let window = Window::open(connection.stream().as_fd(), id).unwrap();
    assert!(!window.reports_times().unwrap());
    let presenter = window.copying_presenter(64, 32).unwrap();
    assert!(!presenter.reports_times());
    assert_eq!(presenter.refresh(), Refresh::Unknown);
}

#[test]
fn images_are_shown_through_shared_memory() {
    check_presentation(&[]);
}

#[test]
fn images_are_shown_without_shared_memory() {
    check_presentation(&["-extension", "MIT-SHM"]);
}

#[test]
fn a_missing_window_is_an_error() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let (connection, _) = application(&server.display, 8, 8);
    assert!(connection.stream().as_raw_fd() >= 0);
    assert!(Window::open(connection.stream().as_fd(), 0x1234_5678).is_err());
}

#[test]
fn a_server_without_connectors_leases_no_display() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let (connection, _) = application(&server.display, 64, 32);
    let socket = || connection.stream().as_fd();
    let root = connection.setup().roots[0].root;
    let resources = connection.randr_get_screen_resources(root).unwrap();
    let outputs = resources.reply().unwrap().outputs;
    assert!(!outputs.is_empty());
    for output in outputs {
        assert_eq!(connector_of_output(socket(), output).unwrap(), None);
    }
    let refused = lease(socket(), 61).unwrap_err().to_string();
    assert!(refused.contains("does not have the display"), "{refused}");
}
