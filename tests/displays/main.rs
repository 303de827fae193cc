//! Displays without a window system (VK_KHR_display): a program draws to the simulated monitor, and
//! what the monitor shows is read from its files.
//!
//! The program is this one, started again with the simulator's library before libc: the driver
//! finds the device nodes and uses them as on a real machine.

#![allow(unsafe_code, reason = "Vulkan is called as applications call it")]

mod control;
mod leases;
mod monitor;
mod timing;
#[path = "../timing_structures.rs"]
mod timing_structures;
mod x_server;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use ash::{khr, vk};

use monitor::{Monitor, SIZES};

/// Set in the program that draws.
const CHILD: &str = "INGOT_DRAWS_TO_DISPLAY";

/// I915_FORMAT_MOD_Y_TILED_CCS.
const Y_TILED_CCS: u64 = 1 << 56 | 4;

/// The pixel of an image that is shown.
fn pixel(number: u32, x: u32, y: u32) -> [u8; 3] {
    [x * 3 + number * 40, y * 5 + number, x ^ y].map(|part| part as u8)
}

/// The pixels of a PNG file, with its size.
fn read_png(path: &Path) -> ([u32; 2], Vec<u8>) {
    let file = std::io::BufReader::new(std::fs::File::open(path).unwrap());
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    ([info.width, info.height], bytes)
}

/// Runs a test of this program alone, on the simulated device.
fn run(test: &str, sim: &str) -> Output {
    run_with(test, sim, None)
}

/// As [`run`], with a variable of the environment.
fn run_with(test: &str, sim: &str, variable: Option<(&str, PathBuf)>) -> Output {
    let program = std::env::current_exe().unwrap();
    let library = program.parent().unwrap().join("libingot_sim.so");
    assert!(library.exists(), "{}", library.display());
    Command::new(program)
        .args(["--exact", test, "--nocapture", "--test-threads=1"])
        .env("LD_PRELOAD", library)
        .env("MESA_SHADER_CACHE_DISABLE", "true")
        .env("INGOT_GPU", "skl")
        .env("INGOT_SIM", sim)
        .env(CHILD, "1")
        .envs(variable)
        .output()
        .unwrap()
}

/// Whether this is the program that draws.
fn is_child() -> bool {
    std::env::var_os(CHILD).is_some()
}

fn folder(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("ingot-{name}-{}", std::process::id()))
}

fn check(output: &Output) {
    let text = [&output.stdout[..], &output.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    assert!(output.status.success(), "{text}");
    // A name that is no test would run none, and succeed.
    assert!(text.contains("1 passed"), "{text}");
    assert!(!text.contains("hung:"), "{text}");
}

#[test]
fn the_monitor_shows_each_image_in_turn() {
    if is_child() {
        return draw();
    }
    let folder = folder("display");
    let sim = format!("strict,display={}", folder.display());
    check(&run("the_monitor_shows_each_image_in_turn", &sim));
    // Four images in each mode.
    for number in 1..=8 {
        let (size, pixels) = read_png(&folder.join(format!("{number:05}-screen.png")));
        assert_eq!(size, SIZES[(number as usize - 1) / 4], "image {number}");
        let places = (0..size[1]).flat_map(|y| (0..size[0]).map(move |x| (x, y)));
        for (found, (x, y)) in pixels.chunks_exact(3).zip(places) {
            assert_eq!(found, pixel(number, x, y), "image {number}, {x}, {y}");
        }
    }
    assert!(!folder.join("00009-screen.png").exists());
    std::fs::remove_dir_all(&folder).unwrap();
}

/// The program: four images in each mode of the monitor.
fn draw() {
    let monitor = Monitor::new();
    let mut number = 0;
    for size in SIZES {
        let surface = monitor.surface(size);
        let chain = monitor.chain(surface, size);
        // The display reads compressed images.
        assert_eq!(monitor.modifier(&chain), Y_TILED_CCS);
        for _ in 0..4 {
            number += 1;
            monitor.present(&chain, number, size);
        }
        monitor.destroy(chain, surface);
    }
}

#[test]
fn displays_are_described_as_their_connectors_are() {
    if !is_child() {
        let this = "displays_are_described_as_their_connectors_are";
        return check(&run(this, "display"));
    }
    let monitor = Monitor::new();
    let (displays, device) = (&monitor.displays, monitor.physical);
    unsafe {
        let all = displays.get_physical_device_display_properties(device);
        let all = all.unwrap();
        assert_eq!(all.len(), 1);
        let name = all[0].display_name_as_c_str().unwrap();
        assert_eq!(name, c"HDMI-A-1");
        let size = |extent: vk::Extent2D| [extent.width, extent.height];
        assert_eq!(size(all[0].physical_dimensions), [160, 120]);
        assert_eq!(size(all[0].physical_resolution), [640, 480]);
        let again = displays.get_physical_device_display_properties(device);
        assert_eq!(again.unwrap()[0].display, all[0].display);

        let display = all[0].display;
        let modes = displays.get_display_mode_properties(device, display);
        let modes = modes.unwrap();
        let parameters = modes.iter().map(|mode| {
            let parameters = mode.parameters;
            (size(parameters.visible_region), parameters.refresh_rate)
        });
        // VESA DMT: 25.175 MHz / (800 × 525), 40 MHz / (1056 × 628).
        let meant = [([640, 480], 59_940), ([800, 600], 60_317)];
        assert_eq!(parameters.collect::<Vec<_>>(), meant);
        for (mode, (accepted, parameters)) in [
            (modes[1], (true, modes[1].parameters)),
            (
                modes[0],
                (
                    false,
                    vk::DisplayModeParametersKHR {
                        visible_region: modes[0].parameters.visible_region,
                        refresh_rate: 75_000,
                    },
                ),
            ),
        ] {
            let info = vk::DisplayModeCreateInfoKHR::default().parameters(parameters);
            let made = displays.create_display_mode(device, display, &info, None);
            match accepted {
                true => assert_eq!(made, Ok(mode.display_mode)),
                false => assert_eq!(made, Err(vk::Result::ERROR_INITIALIZATION_FAILED)),
            }
        }

        let planes = displays.get_physical_device_display_plane_properties(device);
        let planes = planes.unwrap();
        assert_eq!(planes.len(), 1);
        assert_eq!(planes[0].current_display, display);
        let of_plane = displays.get_display_plane_supported_displays(device, 0);
        assert_eq!(of_plane.unwrap(), [display]);
        let mode = modes[1].display_mode;
        let found = displays.get_display_plane_capabilities(device, mode, 0);
        let found = found.unwrap();
        assert_eq!(size(found.max_dst_extent), [800, 600]);
        assert_eq!(found.supported_alpha, vk::DisplayPlaneAlphaFlagsKHR::OPAQUE);
    }
}

#[test]
fn surfaces_of_displays_have_the_plane_s_formats_and_the_mode_s_size() {
    if !is_child() {
        let this = "surfaces_of_displays_have_the_plane_s_formats_and_the_mode_s_size";
        return check(&run(this, "display"));
    }
    let monitor = Monitor::new();
    let surface = monitor.surface([800, 600]);
    let (surfaces, device) = (&monitor.surfaces, monitor.physical);
    unsafe {
        let can = surfaces.get_physical_device_surface_capabilities(device, surface);
        let can = can.unwrap();
        let extent = can.current_extent;
        assert_eq!([extent.width, extent.height], [800, 600]);
        assert_eq!(
            can.supported_composite_alpha,
            vk::CompositeAlphaFlagsKHR::OPAQUE
        );
        let modes = surfaces.get_physical_device_surface_present_modes(device, surface);
        assert_eq!(modes.unwrap(), [vk::PresentModeKHR::FIFO]);
        let formats = surfaces.get_physical_device_surface_formats(device, surface);
        let formats = formats.unwrap().into_iter().map(|row| row.format);
        use vk::Format as F;
        assert_eq!(
            formats.collect::<Vec<_>>(),
            [
                F::B8G8R8A8_SRGB,
                F::B8G8R8A8_UNORM,
                F::R8G8B8A8_SRGB,
                F::R8G8B8A8_UNORM,
                F::A2R10G10B10_UNORM_PACK32,
                F::A2B10G10R10_UNORM_PACK32,
            ]
        );
        // A swapchain has the size of the mode.
        let chain = monitor.try_chain(surface, [640, 480]);
        assert!(chain.is_err());
        surfaces.destroy_surface(surface, None);
    }
}

#[test]
fn displays_are_acquired_by_a_descriptor_and_released() {
    use std::os::fd::AsRawFd;
    if !is_child() {
        let this = "displays_are_acquired_by_a_descriptor_and_released";
        return check(&run(this, "display"));
    }
    let monitor = Monitor::new();
    let device = monitor.physical;
    let (entry, instance) = (&monitor.entry, &monitor.instance);
    let acquires = ash::ext::acquire_drm_display::Instance::new(entry, instance);
    let direct = ash::ext::direct_mode_display::Instance::new(entry, instance);
    let card = std::fs::OpenOptions::new();
    let card = card
        .clone()
        .read(true)
        .write(true)
        .open("/dev/dri/card0")
        .unwrap();
    let other = std::fs::File::open("/dev/null").unwrap();
    unsafe {
        let all = monitor
            .displays
            .get_physical_device_display_properties(device);
        let display = all.unwrap()[0].display;
        let fd = card.as_raw_fd();
        // The connector's number in the simulated kernel.
        assert_eq!(acquires.get_drm_display(device, fd, 61), Ok(display));
        let unknown = acquires.get_drm_display(device, fd, 62);
        assert_eq!(unknown, Err(vk::Result::ERROR_UNKNOWN));
        let foreign = acquires.get_drm_display(device, other.as_raw_fd(), 61);
        assert_eq!(foreign, Err(vk::Result::ERROR_UNKNOWN));
        let refused = acquires.acquire_drm_display(device, other.as_raw_fd(), display);
        assert_eq!(refused, Err(vk::Result::ERROR_INITIALIZATION_FAILED));
        assert_eq!(acquires.acquire_drm_display(device, fd, display), Ok(()));
    }
    // It presents through the descriptor, also if the application closes its own.
    drop(card);
    let surface = monitor.surface(SIZES[0]);
    let chain = monitor.chain(surface, SIZES[0]);
    monitor.present(&chain, 1, SIZES[0]);
    monitor.destroy(chain, surface);
    unsafe {
        let all = monitor
            .displays
            .get_physical_device_display_properties(device);
        let display = all.unwrap()[0].display;
        assert_eq!(
            (direct.fp().release_display_ext)(device, display),
            vk::Result::SUCCESS
        );
    }
}

#[test]
fn displays_are_leased_from_an_x_server() {
    let this = "displays_are_leased_from_an_x_server";
    if is_child() {
        return leases::check_leases();
    }
    // SAFETY: the initialisers of Xlib have no requirements.
    let xlib = unsafe { libloading::Library::new("libX11.so.6") };
    if let Err(error) = xlib {
        let required = std::env::var_os("INGOT_REQUIRE_TOOLS").is_some();
        assert!(!required, "{error}");
        eprintln!("skipped: {error}");
        return;
    }
    check(&run(this, "display"));
}

#[test]
fn a_machine_without_a_monitor_has_no_displays() {
    if !is_child() {
        let this = "a_machine_without_a_monitor_has_no_displays";
        return check(&run(this, ""));
    }
    let monitor = Monitor::new();
    let all = unsafe {
        let device = monitor.physical;
        monitor
            .displays
            .get_physical_device_display_properties(device)
    };
    assert_eq!(all.unwrap().len(), 0);
    let _: &khr::display::Instance = &monitor.displays;
}

#[test]
fn flips_report_their_refresh_and_wait_for_their_time() {
    if !is_child() {
        let this = "flips_report_their_refresh_and_wait_for_their_time";
        return check(&run(this, "display"));
    }
    timing::check_flips();
}

#[test]
fn surfaces_of_displays_count_refreshes() {
    if !is_child() {
        return check(&run("surfaces_of_displays_count_refreshes", "display"));
    }
    control::check_counters();
}

#[test]
fn fences_are_signalled_at_refreshes() {
    if !is_child() {
        return check(&run("fences_are_signalled_at_refreshes", "display"));
    }
    control::check_refresh_events();
}

#[test]
fn a_display_without_power_stays_dark() {
    if !is_child() {
        return check(&run("a_display_without_power_stays_dark", "display"));
    }
    control::check_power();
}

#[test]
fn a_lost_device_ends_waits_for_refreshes() {
    let this = "a_lost_device_ends_waits_for_refreshes";
    if is_child() {
        return control::check_lost_device();
    }
    let output = run(this, "display");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && text.contains("1 passed"),
        "{text}"
    );
}

/// Set in the program whose monitor is unplugged: the file that unplugs it.
const UNPLUGGED: &str = "INGOT_UNPLUGGED";

#[test]
fn fences_are_signalled_when_a_monitor_is_plugged_in_or_unplugged() {
    let this = "fences_are_signalled_when_a_monitor_is_plugged_in_or_unplugged";
    if let Some(unplugged) = std::env::var_os(UNPLUGGED) {
        return control::check_hotplug(Path::new(&unplugged));
    }
    let folder = folder("hotplug");
    std::fs::create_dir_all(&folder).unwrap();
    let sim = format!("display={}", folder.display());
    let unplugged = (UNPLUGGED, folder.join("unplugged"));
    check(&run_with(this, &sim, Some(unplugged)));
    std::fs::remove_dir_all(&folder).unwrap();
}
