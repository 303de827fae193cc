//! Presentation to a Wayland compositor that runs in the test and records what it gets.

mod compositor;

use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use ash::vk as api;
use compositor::colours::{ColourOffer, Description};
use compositor::{Compositor, Offer};
use ingot_wsi::Surface;
use ingot_wsi::format::WindowFormat;
use ingot_wsi::present::{
    AlphaMode, GpuNodes, HdrMetadata, MemoryPlane, PixelSource, PresentMode, Presenter, Refresh,
    SharedImage, Timeline, Timelines, Waker,
};
use ingot_wsi::surface::NativeWindow;
use ingot_wsi::wayland::Window;
use wayland_client::globals::{GlobalListContents, registry_queue_init};
use wayland_client::protocol::wl_compositor::WlCompositor;
use wayland_client::protocol::wl_registry::WlRegistry;
use wayland_client::protocol::wl_surface::WlSurface;
use wayland_client::{Connection, Dispatch, QueueHandle, delegate_noop};
use wayland_protocols::wp::color_management::v1::server::wp_color_manager_v1::{
    Feature, Primaries, TransferFunction,
};

/// The numbers of `wl_shm` for ARGB8888 and XRGB8888.
const ARGB: u32 = 0;
const XRGB: u32 = 1;
/// The device number of the compositor's GPU: 226:128.
const DEVICE: u64 = 226 << 8 | 128;

const SRGB: api::ColorSpaceKHR = api::ColorSpaceKHR::SRGB_NONLINEAR;

struct Application;

impl Dispatch<WlRegistry, GlobalListContents> for Application {
    fn event(
        _: &mut Self,
        _: &WlRegistry,
        _: wayland_client::protocol::wl_registry::Event,
        _: &GlobalListContents,
        _: &Connection,
        _: &QueueHandle<Self>,
    ) {
    }
}

delegate_noop!(Application: WlCompositor);
delegate_noop!(Application: ignore WlSurface);

/// The code of a format.
fn code(name: &[u8; 4]) -> u32 {
    u32::from_le_bytes(*name)
}

/// A window of a compositor.
fn window(compositor: &Compositor) -> Window {
    let connection = &compositor.connection;
    let (globals, queue) = registry_queue_init::<Application>(connection).unwrap();
    let handle = queue.handle();
    let factory: WlCompositor = globals.bind(&handle, 1..=4, ()).unwrap();
    Window::new(connection.clone(), factory.create_surface(&handle, ()))
}

/// The GPU that the compositor uses, or none.
fn gpu(nodes: &[[u32; 2]]) -> GpuNodes {
    GpuNodes {
        nodes: nodes.to_vec(),
        has_others: || false,
    }
}

/// An image whose bytes count upwards.
struct Counting;

impl PixelSource for Counting {
    fn width(&self) -> u32 {
        8
    }
    fn height(&self) -> u32 {
        4
    }
    fn row(&self, y: u32, out: &mut [u8]) -> ingot_wsi::Result<()> {
        for (x, byte) in out.iter_mut().enumerate() {
            *byte = (x + y as usize * 100) as u8;
        }
        Ok(())
    }
}

/// Presents an image once the presenter is ready.
fn present(presenter: &mut dyn Presenter, index: u32, mode: PresentMode) {
    let wake = Waker::new().unwrap();
    while !presenter.is_ready(mode) {
        presenter.wait_events(&wake).unwrap();
    }
    presenter.show(index, &Counting, mode).unwrap();
}

#[test]
fn a_format_is_offered_if_the_compositor_takes_it_opaque_and_with_alpha() {
    use api::Format as F;
    let bgra = vec![F::B8G8R8A8_SRGB, F::B8G8R8A8_UNORM];
    let rgba = [F::R8G8B8A8_SRGB, F::R8G8B8A8_UNORM];
    let ten = [F::A2R10G10B10_UNORM_PACK32, F::A2B10G10R10_UNORM_PACK32];
    let modifier = |name: &&[u8; 4]| (code(name), 0);
    let all = [
        b"XR24", b"AR24", b"XB24", b"AB24", b"XR30", b"AR30", b"XB30", b"AB30", b"XB4H", b"AB4H",
    ];
    let everything = [&bgra[..], &rgba, &ten, &[F::R16G16B16A16_SFLOAT]].concat();
    let dmabuf = |names: &[&[u8; 4]]| Some((names.iter().map(modifier).collect(), DEVICE));
    let ours = gpu(&[[226, 128]]);
    let cases = [
        // What every compositor supports.
        (vec![ARGB, XRGB], None, &ours, bgra.clone()),
        // The alpha variants of the others are missing.
        (
            vec![ARGB, XRGB, code(b"XB24"), code(b"XR30")],
            None,
            &ours,
            bgra.clone(),
        ),
        (
            vec![ARGB, XRGB, code(b"XB24"), code(b"AB24")],
            None,
            &ours,
            [&bgra[..], &rgba].concat(),
        ),
        (vec![ARGB, XRGB], dmabuf(&all), &ours, everything.clone()),
        // Its dma-bufs are those of another GPU.
        (
            vec![ARGB, XRGB],
            dmabuf(&all),
            &gpu(&[[226, 129]]),
            bgra.clone(),
        ),
        (vec![ARGB, XRGB], dmabuf(&all), &gpu(&[]), bgra.clone()),
    ];
    for (number, (shm, dmabuf, gpu, meant)) in cases.into_iter().enumerate() {
        let compositor = Compositor::start(Offer {
            shm,
            dmabuf,
            ..Offer::default()
        });
        let surface = Surface::new(NativeWindow::Wayland(window(&compositor)));
        assert_eq!(surface.formats(gpu).unwrap(), meant, "case {number}");
    }
}

#[test]
fn copies_have_the_bytes_and_the_format_of_the_images() {
    use api::Format as F;
    let formats = [b"XB24", b"AB24", b"XB30", b"AB30", b"XB4H", b"AB4H"].map(code);
    let compositor = Compositor::start(Offer {
        shm: [&[ARGB, XRGB][..], &formats].concat(),
        ..Offer::default()
    });
    let cases = [
        (F::B8G8R8A8_UNORM, AlphaMode::Opaque, XRGB, 4),
        (F::B8G8R8A8_SRGB, AlphaMode::Premultiplied, ARGB, 4),
        (F::R8G8B8A8_UNORM, AlphaMode::Opaque, formats[0], 4),
        (F::R8G8B8A8_SRGB, AlphaMode::Premultiplied, formats[1], 4),
        (
            F::A2B10G10R10_UNORM_PACK32,
            AlphaMode::Opaque,
            formats[2],
            4,
        ),
        (
            F::R16G16B16A16_SFLOAT,
            AlphaMode::Premultiplied,
            formats[5],
            8,
        ),
    ];
    for (number, (format, alpha, meant, pixel_bytes)) in cases.into_iter().enumerate() {
        let window = window(&compositor);
        let format = WindowFormat::find(format).unwrap();
        let mut presenter = window.copying_presenter(8, 4, format, alpha, SRGB).unwrap();
        present(&mut *presenter, 0, PresentMode::Fifo);
        let commit = compositor.wait_for(number + 1).pop().unwrap();
        assert_eq!(commit.format, meant);
        let row = 8 * pixel_bytes;
        let bytes = (0..64).map(|at| (at % row + at / row * 100) as u8);
        assert_eq!(commit.bytes, bytes.collect::<Vec<_>>(), "{format:?}");
    }
}

#[test]
fn shared_images_have_the_format_and_the_modifier() {
    const Y_CCS: u64 = 1 << 56 | 4;
    let table = vec![(code(b"AB4H"), Y_CCS), (code(b"AB4H"), 0)];
    let compositor = Compositor::start(Offer {
        shm: vec![ARGB, XRGB],
        dmabuf: Some((table, DEVICE)),
        ..Offer::default()
    });
    let window = window(&compositor);
    let ours = gpu(&[[226, 128]]);
    let modifiers = |name| window.modifiers(&ours, code(name)).unwrap();
    assert_eq!(modifiers(b"AB4H"), [[Y_CCS, 0]]);
    assert_eq!(modifiers(b"XB4H"), [[0u64; 0]]);
    let file = File::from(sys::memfd(c"image", 4096).unwrap());
    file.write_all_at(&[7; 16], 256).unwrap();
    let pixels = MemoryPlane {
        offset_bytes: 256,
        pitch_bytes: 128,
    };
    let ccs = MemoryPlane {
        offset_bytes: 2048,
        pitch_bytes: 384,
    };
    let image = SharedImage {
        memory: file.into(),
        modifier: Y_CCS,
        planes: vec![pixels, ccs],
        bytes: 4096,
    };
    let presenter = window.direct_presenter(
        8,
        4,
        code(b"AB4H"),
        SRGB,
        vec![image],
        &FakeTimelines::default(),
    );
    let mut presenter = presenter.unwrap().unwrap();
    present(&mut *presenter, 0, PresentMode::Fifo);
    let commit = compositor.wait_for(1).pop().unwrap();
    assert_eq!(
        (commit.format, commit.modifier, &commit.bytes[..16]),
        (code(b"AB4H"), Some(Y_CCS), &[7; 16][..])
    );
    assert_eq!(commit.planes, [(256, 128), (2048, 384)]);
}

/// A presenter of copies in the usual format.
fn copies(window: &Window) -> Box<dyn Presenter> {
    copies_in(window, SRGB).unwrap()
}

/// A presenter of copies in a colour space.
fn copies_in(window: &Window, space: api::ColorSpaceKHR) -> ingot_wsi::Result<Box<dyn Presenter>> {
    let format = WindowFormat::find(api::Format::B8G8R8A8_UNORM).unwrap();
    window.copying_presenter(8, 4, format, AlphaMode::Opaque, space)
}

#[test]
fn immediate_mode_is_offered_and_hinted_at_where_the_compositor_can_tear() {
    use api::PresentModeKHR as M;
    for (tearing, meant) in [
        (false, &[M::MAILBOX, M::FIFO][..]),
        (true, &[M::IMMEDIATE, M::MAILBOX, M::FIFO]),
    ] {
        let compositor = Compositor::start(Offer {
            shm: vec![ARGB, XRGB],
            tearing,
            ..Offer::default()
        });
        let surface = Surface::new(NativeWindow::Wayland(window(&compositor)));
        let modes = surface.modes().unwrap().iter().map(|row| row.0);
        assert_eq!(modes.collect::<Vec<_>>(), meant);
    }
    let compositor = Compositor::start(Offer {
        shm: vec![ARGB, XRGB],
        tearing: true,
        ..Offer::default()
    });
    let window = window(&compositor);
    // Two swapchains of one surface share its object.
    let (mut first, mut second) = (copies(&window), copies(&window));
    present(&mut *first, 0, PresentMode::Mailbox);
    present(&mut *first, 0, PresentMode::Immediate);
    present(&mut *second, 0, PresentMode::Immediate);
    present(&mut *second, 0, PresentMode::Fifo);
    let tears = compositor
        .wait_for(4)
        .into_iter()
        .map(|commit| commit.tears);
    let meant = [None, Some(true), Some(true), Some(false)];
    assert_eq!(tears.collect::<Vec<_>>(), meant);
}

#[test]
fn fifo_frames_set_a_barrier_and_wait_for_the_one_before() {
    let compositor = Compositor::start(Offer {
        shm: vec![ARGB, XRGB],
        fifo: true,
        // A hidden surface does not stop the application: the compositor ends the waits.
        hidden: true,
        ..Offer::default()
    });
    let window = window(&compositor);
    let mut presenter = copies(&window);
    present(&mut *presenter, 0, PresentMode::Fifo);
    present(&mut *presenter, 0, PresentMode::Fifo);
    present(&mut *presenter, 0, PresentMode::Mailbox);
    let fifo = compositor.wait_for(3).into_iter().map(|commit| commit.fifo);
    assert_eq!(fifo.collect::<Vec<_>>(), [[true; 2], [true; 2], [false; 2]]);
    assert_eq!(presenter.shown(), 0);
}

#[test]
fn fifo_frames_ask_for_their_turn_once_the_period_is_known() {
    const PERIOD: u64 = 16_666_666;
    let offer = |hidden| Offer {
        shm: vec![ARGB, XRGB],
        fifo: true,
        period_ns: Some(PERIOD as u32),
        hidden,
        ..Offer::default()
    };
    let compositor = Compositor::start(offer(false));
    let window_of_first = window(&compositor);
    let mut presenter = copies(&window_of_first);
    let wake = Waker::new().unwrap();
    for number in 1..=3 {
        present(&mut *presenter, 0, PresentMode::Fifo);
        while presenter.shown() < number {
            presenter.wait_events(&wake).unwrap();
        }
        compositor.wait_for(number as usize);
        // The time of presentation may come after the frame callback.
        let connection = &compositor.connection;
        connection.roundtrip().unwrap();
        presenter.poll_events().unwrap();
    }
    let times = compositor
        .commits()
        .clone()
        .into_iter()
        .map(|commit| commit.earliest_ns);
    // Half a period before the refresh that follows the last known one.
    let turn = |number: u64| Some(number * PERIOD - PERIOD / 2);
    assert_eq!(times.collect::<Vec<_>>(), [None, turn(2), turn(3)]);
    // Frames that are discarded count as done, and tell no time.
    let compositor = Compositor::start(offer(true));
    let window_of_second = window(&compositor);
    let mut presenter = copies(&window_of_second);
    present(&mut *presenter, 0, PresentMode::Fifo);
    while presenter.shown() < 1 {
        presenter.wait_events(&wake).unwrap();
    }
    present(&mut *presenter, 0, PresentMode::Fifo);
    assert_eq!(compositor.wait_for(2)[1].earliest_ns, None);
}

/// CLOCK_REALTIME.
fn real_ns() -> i64 {
    let time = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    time.unwrap().as_nanos() as i64
}

#[test]
fn frames_report_when_they_are_shown_on_the_monotonic_clock() {
    const PERIOD: u64 = 16_666_666;
    /// CLOCK_MONOTONIC and CLOCK_REALTIME.
    const CLOCKS: [u32; 2] = [1, 0];
    for (clock, hidden) in [(CLOCKS[0], false), (CLOCKS[1], false), (CLOCKS[0], true)] {
        let compositor = Compositor::start(Offer {
            shm: vec![ARGB, XRGB],
            fifo: true,
            period_ns: Some(PERIOD as u32),
            clock: Some(clock),
            hidden,
            ..Offer::default()
        });
        let window = window(&compositor);
        assert!(window.reports_times().unwrap());
        let mut presenter = copies(&window);
        assert!(presenter.reports_times());
        assert_eq!(presenter.refresh(), Refresh::Pending);
        presenter.request_times();
        let wake = Waker::new().unwrap();
        for number in 1..=3 {
            present(&mut *presenter, 0, PresentMode::Fifo);
            let shown = loop {
                match presenter.shown_image() {
                    Some(shown) => break shown,
                    None => presenter.wait_events(&wake).unwrap(),
                }
            };
            assert_eq!(shown.number, number);
            let time_ns = (number * PERIOD) as i64;
            let difference_ns = match clock == CLOCKS[0] {
                true => 0,
                false => sys::monotonic_ns() - real_ns(),
            };
            // Each reading of both clocks takes some time.
            let tolerance_ns = if clock == CLOCKS[0] { 0 } else { 500_000_000 };
            let off_ns = shown.time_ns.map(|ns| (ns - time_ns - difference_ns).abs());
            match hidden {
                true => assert_eq!(off_ns, None),
                false => assert!(off_ns.is_some_and(|ns| ns <= tolerance_ns), "{off_ns:?}"),
            }
            assert_eq!(presenter.shown_image(), None);
        }
        let refresh = match hidden {
            true => Refresh::Pending,
            false => Refresh::Period(PERIOD),
        };
        assert_eq!(presenter.refresh(), refresh);
    }
    let compositor = Compositor::start(Offer {
        shm: vec![ARGB, XRGB],
        ..Offer::default()
    });
    let window = window(&compositor);
    assert!(!window.reports_times().unwrap());
    let presenter = copies(&window);
    assert!(!presenter.reports_times());
    assert_eq!(presenter.refresh(), Refresh::Unknown);
}

/// A timeline whose points the test signals, with a file that stands for it.
struct FakeTimeline {
    file: OwnedFd,
    event: OwnedFd,
    signalled: AtomicU64,
    awaited: AtomicU64,
}

/// Timelines of that kind: that of rendering, then those of the images.
#[derive(Default)]
struct FakeTimelines {
    rendered: Mutex<Option<u64>>,
    created: Mutex<Vec<Arc<FakeTimeline>>>,
}

/// The inode of a file.
fn inode(file: &OwnedFd) -> u64 {
    let file = File::from(file.try_clone().unwrap());
    file.metadata().unwrap().ino()
}

impl Timelines for FakeTimelines {
    fn rendered(&self) -> ingot_wsi::Result<OwnedFd> {
        let file = sys::memfd(c"rendered", 1).unwrap();
        *self.rendered.lock().unwrap() = Some(inode(&file));
        Ok(file)
    }

    fn create(&self) -> ingot_wsi::Result<Option<Box<dyn Timeline>>> {
        let timeline = Arc::new(FakeTimeline {
            file: sys::memfd(c"timeline", 1).unwrap(),
            event: sys::event().unwrap(),
            signalled: AtomicU64::new(0),
            awaited: AtomicU64::new(0),
        });
        self.created.lock().unwrap().push(timeline.clone());
        Ok(Some(Box::new(Shared(timeline))))
    }
}

struct Shared(Arc<FakeTimeline>);

impl Timeline for Shared {
    fn export(&self) -> ingot_wsi::Result<OwnedFd> {
        Ok(self.0.file.try_clone().unwrap())
    }

    fn signalled(&self) -> ingot_wsi::Result<u64> {
        Ok(self.0.signalled.load(Relaxed))
    }

    fn notify(&self, point: u64) -> ingot_wsi::Result<()> {
        self.0.awaited.store(point, Relaxed);
        Ok(())
    }

    fn event(&self) -> BorrowedFd<'_> {
        self.0.event.as_fd()
    }
}

#[test]
fn images_are_released_at_their_points_of_their_own_timelines() {
    let compositor = Compositor::start(Offer {
        shm: vec![ARGB, XRGB],
        dmabuf: Some((vec![(code(b"XR24"), 0)], DEVICE)),
        syncobj: true,
        ..Offer::default()
    });
    let window = window(&compositor);
    let image = || SharedImage {
        memory: sys::memfd(c"image", 4096).unwrap(),
        modifier: 0,
        planes: vec![MemoryPlane {
            offset_bytes: 0,
            pitch_bytes: 64,
        }],
        bytes: 4096,
    };
    let timelines = FakeTimelines::default();
    let images = vec![image(), image()];
    let presenter = window.direct_presenter(8, 4, code(b"XR24"), SRGB, images, &timelines);
    let mut presenter = presenter.unwrap().unwrap();
    for (index, rendered) in [(0, 11), (1, 12), (0, 13)] {
        presenter.set_rendered_point(rendered);
        present(&mut *presenter, index, PresentMode::Mailbox);
    }
    let created = timelines.created.lock().unwrap();
    let own = [0, 1].map(|index: usize| inode(&created[index].file));
    let rendered = timelines.rendered.lock().unwrap().unwrap();
    let points = compositor
        .wait_for(3)
        .into_iter()
        .map(|commit| commit.points);
    let meant = [(own[0], 1, 11), (own[1], 1, 12), (own[0], 2, 13)];
    let meant =
        meant.map(|(own, release, acquire)| [Some((rendered, acquire)), Some((own, release))]);
    assert_eq!(points.collect::<Vec<_>>(), meant);
    // The compositor has released buffers, which does not count.
    compositor.connection.roundtrip().unwrap();
    presenter.poll_events().unwrap();
    assert_eq!(presenter.released(), None);
    // An earlier point of the first image does not release it either.
    created[0].signalled.store(1, Relaxed);
    assert_eq!(presenter.released(), None);
    created[1].signalled.store(1, Relaxed);
    assert_eq!(presenter.released(), Some(1));
    assert_eq!(presenter.released(), None);
    // The event of a release ends the wait for events.
    assert_eq!(created[0].awaited.load(Relaxed), 2);
    created[0].signalled.store(2, Relaxed);
    sys::signal_event(created[0].event.as_fd());
    let wake = Arc::new(Waker::new().unwrap());
    let rings = wake.clone();
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_secs(5));
        rings.wake();
    });
    let begun = Instant::now();
    presenter.wait_events(&wake).unwrap();
    assert!(begun.elapsed() < Duration::from_secs(4));
    assert_eq!(presenter.released(), Some(0));
    assert!(!sys::poll_readable(created[0].event.as_fd()).unwrap());
    // Copies in shared memory have no points: the compositor checks that the surface needs none.
    let mut copies = copies(&window);
    present(&mut *copies, 0, PresentMode::Mailbox);
    assert_eq!(compositor.wait_for(4)[3].points, [None; 2]);
}

/// A compositor with shared memory and a colour manager.
fn colour_compositor(colours: ColourOffer) -> Compositor {
    Compositor::start(Offer {
        shm: vec![ARGB, XRGB],
        colours: Some(colours),
        ..Offer::default()
    })
}

/// All that the driver can use of a colour manager.
fn all_colours() -> ColourOffer {
    ColourOffer {
        primaries: vec![
            Primaries::Srgb,
            Primaries::Bt2020,
            Primaries::DisplayP3,
            Primaries::AdobeRgb,
        ],
        transfers: vec![
            TransferFunction::Bt1886,
            TransferFunction::ExtLinear,
            TransferFunction::Srgb,
            TransferFunction::St2084Pq,
            TransferFunction::Hlg,
        ],
        features: vec![
            Feature::Parametric,
            Feature::SetMasteringDisplayPrimaries,
            Feature::ExtendedTargetVolume,
        ],
        ..ColourOffer::default()
    }
}

#[test]
fn colour_spaces_are_those_of_which_the_compositor_knows_primaries_and_transfer_function() {
    use api::ColorSpaceKHR as C;
    let always = [C::SRGB_NONLINEAR, C::PASS_THROUGH_EXT];
    let all = all_colours();
    let without = |change: &dyn Fn(&mut ColourOffer)| {
        let mut offer = all.clone();
        change(&mut offer);
        Some(offer)
    };
    let described = [
        C::DISPLAY_P3_NONLINEAR_EXT,
        C::EXTENDED_SRGB_LINEAR_EXT,
        C::DISPLAY_P3_LINEAR_EXT,
        C::BT709_LINEAR_EXT,
        C::BT709_NONLINEAR_EXT,
        C::BT2020_LINEAR_EXT,
        C::HDR10_ST2084_EXT,
        C::HDR10_HLG_EXT,
        C::ADOBERGB_LINEAR_EXT,
    ];
    let only = |includes: &dyn Fn(C) -> bool| {
        let included = described.into_iter().filter(|&space| includes(space));
        always.into_iter().chain(included).collect::<Vec<_>>()
    };
    let cases = [
        (None, only(&|_| false)),
        (Some(all.clone()), only(&|_| true)),
        (
            without(&|offer| offer.features.retain(|&have| have != Feature::Parametric)),
            only(&|_| false),
        ),
        (
            without(&|offer| {
                offer
                    .features
                    .retain(|&have| have != Feature::ExtendedTargetVolume)
            }),
            only(&|space| space != C::EXTENDED_SRGB_LINEAR_EXT),
        ),
        (
            without(&|offer| offer.primaries.retain(|&have| have == Primaries::Bt2020)),
            only(&|space| {
                [C::BT2020_LINEAR_EXT, C::HDR10_ST2084_EXT, C::HDR10_HLG_EXT].contains(&space)
            }),
        ),
        (
            without(&|offer| {
                offer
                    .transfers
                    .retain(|&have| have == TransferFunction::Srgb)
            }),
            only(&|space| space == C::DISPLAY_P3_NONLINEAR_EXT),
        ),
    ];
    for (number, (colours, meant)) in cases.into_iter().enumerate() {
        let compositor = Compositor::start(Offer {
            shm: vec![ARGB, XRGB],
            colours,
            ..Offer::default()
        });
        let surface = Surface::new(NativeWindow::Wayland(window(&compositor)));
        assert_eq!(surface.color_spaces().unwrap(), meant, "case {number}");
    }
    let headless = Surface::new(NativeWindow::Headless);
    assert_eq!(headless.color_spaces().unwrap(), [C::SRGB_NONLINEAR]);
}

#[test]
fn frames_have_the_image_description_of_their_colour_space() {
    use api::ColorSpaceKHR as C;
    let compositor = colour_compositor(all_colours());
    let window = window(&compositor);
    let cases = [
        (
            C::HDR10_ST2084_EXT,
            Primaries::Bt2020,
            TransferFunction::St2084Pq,
        ),
        (C::HDR10_HLG_EXT, Primaries::Bt2020, TransferFunction::Hlg),
        (C::SRGB_NONLINEAR, Primaries::Srgb, TransferFunction::Srgb),
        (
            C::EXTENDED_SRGB_LINEAR_EXT,
            Primaries::Srgb,
            TransferFunction::ExtLinear,
        ),
        (
            C::BT709_NONLINEAR_EXT,
            Primaries::Srgb,
            TransferFunction::Bt1886,
        ),
        (
            C::ADOBERGB_LINEAR_EXT,
            Primaries::AdobeRgb,
            TransferFunction::ExtLinear,
        ),
    ];
    let mut frames = 0;
    // Each swapchain replaces the one before it, which ends after the first frame of the new one.
    let mut before = None;
    for (number, (space, primaries, transfer)) in cases.into_iter().enumerate() {
        let mut presenter = copies_in(&window, space).unwrap();
        for _ in 0..2 {
            present(&mut *presenter, 0, PresentMode::Mailbox);
            frames += 1;
        }
        let commit = compositor.wait_for(frames).pop().unwrap();
        let meant = Description {
            primaries: Some(primaries),
            transfer: Some(transfer),
            ..Description::default()
        };
        assert_eq!(commit.description, Some(meant), "{space:?}");
        // Frames of one colour space share the description.
        assert_eq!(commit.descriptions_set, number as u32 + 1);
        before = Some(presenter);
    }
    // Unmanaged colours: the application may create the surface's object itself.
    let mut presenter = copies_in(&window, C::PASS_THROUGH_EXT).unwrap();
    present(&mut *presenter, 0, PresentMode::Mailbox);
    let commit = compositor.wait_for(frames + 1).pop().unwrap();
    assert_eq!(commit.description, None);
    assert_eq!(compositor.managed.load(Relaxed), 0);
    drop((before, presenter));
    // Nor is there one after the last swapchain.
    let mut last = copies(&window);
    present(&mut *last, 0, PresentMode::Mailbox);
    compositor.wait_for(frames + 2);
    assert_eq!(compositor.managed.load(Relaxed), 1);
    drop(last);
    compositor.connection.roundtrip().unwrap();
    assert_eq!(compositor.managed.load(Relaxed), 0);
}

#[test]
fn metadata_extend_the_description_of_hdr_colour_spaces() {
    use api::ColorSpaceKHR as C;
    const METADATA: HdrMetadata = HdrMetadata {
        red: [0.68, 0.32],
        green: [0.265, 0.69],
        blue: [0.15, 0.06],
        white: [0.3127, 0.329],
        max_luminance: 1000.0,
        min_luminance: 0.001,
        max_content_light_level: 600.0,
        max_frame_average_light_level: 400.0,
    };
    for (space, refuses_mastering, uses_metadata) in [
        (C::HDR10_ST2084_EXT, false, true),
        (C::HDR10_ST2084_EXT, true, false),
        (C::DISPLAY_P3_NONLINEAR_EXT, false, false),
    ] {
        let compositor = colour_compositor(ColourOffer {
            refuses_mastering,
            ..all_colours()
        });
        let window = window(&compositor);
        let mut presenter = copies_in(&window, space).unwrap();
        present(&mut *presenter, 0, PresentMode::Mailbox);
        presenter.set_metadata(&METADATA).unwrap();
        present(&mut *presenter, 0, PresentMode::Mailbox);
        presenter.set_metadata(&METADATA).unwrap();
        present(&mut *presenter, 0, PresentMode::Mailbox);
        let commits = compositor.wait_for(3);
        let plain = commits[0].description.unwrap();
        assert_eq!((plain.mastering, plain.luminance), (None, None));
        let extended = Description {
            mastering: Some([
                680_000, 320_000, 265_000, 690_000, 150_000, 60_000, 312_700, 329_000,
            ]),
            luminance: Some([10, 1000]),
            max_content: Some(600),
            max_average: Some(400),
            ..plain
        };
        let meant = if uses_metadata { extended } else { plain };
        assert_eq!(commits[1].description, Some(meant));
        // The same metadata change nothing.
        assert_eq!(commits[2].description, Some(meant));
        let count = if uses_metadata { 2 } else { 1 };
        assert_eq!(commits[2].descriptions_set, count);
    }
}

#[test]
fn a_refused_colour_space_loses_the_surface_but_for_srgb() {
    let compositor = colour_compositor(ColourOffer {
        refused: vec![TransferFunction::Srgb, TransferFunction::Hlg],
        ..all_colours()
    });
    let window = window(&compositor);
    let refused = copies_in(&window, api::ColorSpaceKHR::HDR10_HLG_EXT);
    let code = refused.err().map(|error| error.code());
    assert_eq!(code, Some(api::Result::ERROR_SURFACE_LOST_KHR));
    let mut presenter = copies(&window);
    present(&mut *presenter, 0, PresentMode::Mailbox);
    let commit = compositor.wait_for(1).pop().unwrap();
    assert_eq!(commit.description, None);
    assert_eq!(compositor.managed.load(Relaxed), 0);
}
