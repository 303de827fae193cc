//! The command of a random test: rounds by their seeds, with a new device now and then, until the
//! time is over.

use std::time::{Duration, Instant};

/// What follows a name among the arguments.
pub fn argument(name: &str) -> Option<String> {
    let mut arguments = std::env::args().skip_while(|argument| argument != name);
    arguments.nth(1)
}

fn number(name: &str) -> Option<u64> {
    argument(name).map(|value| {
        value
            .parse()
            .unwrap_or_else(|_| panic!("{name} wants a number"))
    })
}

/// True if calls go through the Vulkan loader, and so perhaps through layers.
pub fn by_loader() -> bool {
    std::env::args().any(|argument| argument == "--loader")
}

/// Says of which round a panic was.
struct Told<'a>(&'a str, u64);

impl Drop for Told<'_> {
    fn drop(&mut self) {
        eprintln!("{}: seed {} failed", self.0, self.1);
    }
}

/// Plays rounds as the arguments say, so many with each world: the first and the last seed, and how
/// long it took.
///
/// # Panics
/// Without a driver, does what a round does.
pub fn run<W>(
    what: &str,
    rounds_of_a_world: u64,
    new: impl Fn(&ash::Entry) -> W,
    mut play: impl FnMut(&mut W, u64),
) -> (u64, u64, Duration) {
    let first = number("--seed").unwrap_or(1);
    let rounds = number("--rounds");
    let seconds = number("--seconds").unwrap_or(if rounds.is_some() { 1 << 30 } else { 60 });
    let limit = Duration::from_secs(seconds);
    let entry = match by_loader() {
        true => unsafe { ash::Entry::load() }.expect("the Vulkan loader"),
        false => crate::simulated::entry(),
    };
    let start = Instant::now();
    let mut seed = first;
    let more = |seed| start.elapsed() < limit && rounds.is_none_or(|rounds| seed - first < rounds);
    while more(seed) {
        let mut world = new(&entry);
        let end = seed + rounds_of_a_world;
        while seed < end && more(seed) {
            let failed = Told(what, seed);
            play(&mut world, seed);
            std::mem::forget(failed);
            seed += 1;
        }
    }
    (first, seed - 1, start.elapsed())
}
