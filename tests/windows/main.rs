//! Windows as applications have them: images presented at several paces, windows that change
//! their size, swapchains that follow them.
//!
//! In:  `x11` or `wayland`, the server by DISPLAY or WAYLAND_DISPLAY, the driver by the Vulkan
//!      loader; optionally `copies` or `direct`, which is how pictures have to reach the window (as
//!      told by INGOT_DEBUG=perf, in the file of INGOT_WINDOWS_LOG).
//! Out: one line; exit status 101 if something is not as Vulkan promises, or a picture is wrong.
//!
//!     ingot sim --gpu skl --strict -- target/release/examples/windows x11

#![allow(unsafe_code, reason = "Vulkan is called as applications call it")]

mod screen;
mod wayland;
mod x11;

use ash::vk;

use screen::{Chain, Screen};

/// What shows a window.
trait Server {
    /// A surface of its window.
    fn surface(&self, entry: &ash::Entry, instance: &ash::Instance) -> vk::SurfaceKHR;
    /// Gives the window another size.
    fn resize(&mut self, width: u32, height: u32);
    /// Waits until the whole window has a colour. `None`: the window system cannot report it.
    fn shows(&mut self, colour: [u8; 3]) -> Option<bool>;
    /// True if its surfaces know its size.
    fn knows_size(&self) -> bool;
}

const SRGB: vk::ColorSpaceKHR = vk::ColorSpaceKHR::SRGB_NONLINEAR;

/// Colours of which no two alike follow one another.
fn colour(number: u32) -> [u8; 3] {
    [number * 37, number * 91 + 40, number * 151 + 80].map(|part| part as u8)
}

/// Presents some images, and checks the last.
fn present(screen: &Screen, server: &mut dyn Server, chain: &Chain, first: u32) {
    const COUNT: u32 = 8;
    for number in first..first + COUNT {
        let shown = screen.frame(chain, colour(number), u64::from(number) + 1);
        assert_eq!(shown, Ok(false), "picture {number}");
    }
    let last = first + COUNT - 1;
    screen.wait_for(chain, u64::from(last) + 1);
    let seen = server.shows(colour(last));
    assert_ne!(seen, Some(false), "picture {last}");
}

fn main() {
    let kind = std::env::args().nth(1).unwrap_or_default();
    let mut server: Box<dyn Server> = match kind.as_str() {
        "x11" => Box::new(x11::Window::new(200, 150)),
        "wayland" => Box::new(wayland::Window::new()),
        _ => panic!("windows x11|wayland"),
    };
    let screen = Screen::new(&*server);
    let mut number = 0;
    // Each follows the one before, in the same window.
    let mut chain: Option<Chain> = None;
    let modes = screen.modes();
    for &mode in &modes {
        let next = screen.chain(mode, [200, 150], chain.as_ref());
        if let Some(old) = chain.replace(next) {
            assert_eq!(
                screen.acquire(&old),
                Err(vk::Result::ERROR_OUT_OF_DATE_KHR),
                "a retired swapchain"
            );
            screen.destroy(old);
        }
        let current = chain.as_ref().expect("it was just made");
        present(&screen, &mut *server, current, number);
        number += 8;
    }
    for [width, height] in [[120, 180], [333, 77], [64, 64], [400, 300]] {
        server.resize(width, height);
        let current = chain.as_ref().expect("there are modes");
        if server.knows_size() {
            // Sooner or later the old pictures are told not to fit; until then, and still then,
            // they are shown.
            let told = (0..500).any(|_| {
                std::thread::sleep(std::time::Duration::from_millis(5));
                number += 1;
                let id = u64::from(number) + 1;
                match screen.frame(current, colour(number), id) {
                    Ok(suboptimal) => suboptimal,
                    Err(vk::Result::ERROR_OUT_OF_DATE_KHR) => true,
                    Err(error) => panic!("{error}"),
                }
            });
            assert!(told, "a window of {width}x{height} that is told of");
            assert_eq!(screen.extent(), [width, height]);
        }
        let next = screen.chain(vk::PresentModeKHR::FIFO, [width, height], Some(current));
        if let Some(old) = chain.replace(next) {
            screen.destroy(old);
        }
        let current = chain.as_ref().expect("it was just made");
        number += 1;
        present(&screen, &mut *server, current, number);
        number += 8;
    }
    // What pictures in other colour spaces look like depends on the screen.
    let spaces = screen.spaces();
    for &space in spaces.iter().filter(|&&space| space != SRGB) {
        let next = screen.chain_in(space, vk::PresentModeKHR::FIFO, [64, 64], chain.as_ref());
        if let Some(old) = chain.replace(next) {
            screen.destroy(old);
        }
        let current = chain.as_ref().expect("it was just made");
        for _ in 0..4 {
            let shown = screen.frame(current, colour(number), u64::from(number) + 1);
            assert!(shown.is_ok(), "{space:?}: {shown:?}");
            number += 1;
        }
        screen.wait_for(current, u64::from(number));
    }
    if let Some(chain) = chain {
        screen.destroy(chain);
    }
    println!(
        "{kind}: {number} pictures, {} modes, {} colour spaces, on {}",
        modes.len(),
        spaces.len(),
        screen.name()
    );
}
