//! Random copies of images: to and from buffers, to each other, scaled, resolved, cleared; each result is compared byte by byte with what
//! the same copies make of bytes on the host.
//!
//! In:  `--seconds N` (or `--rounds N`), `--seed N` of the first round, `--loader` to go through the Vulkan loader to whatever driver it
//!      finds; without it, the driver is this process's own, on a simulated GPU in strict mode.
//! Out: the seeds' range; exit status 101 with the seed of the round that failed and what it recorded. A round is its seed:
//!      `--seed N --rounds 1`.
//!
//!     cargo run --release -p ingot-tests --example random-copies -- --seconds 60

#![allow(unsafe_code, reason = "Vulkan is called as applications call it")]

mod clear;
mod copy;
mod format;
mod model;
mod object;
#[allow(dead_code, reason = "threads have no part in this")]
#[path = "../calls/random.rs"]
mod random;
mod record;
mod round;
mod scale;
#[path = "../calls/simulated.rs"]
mod simulated;
mod value;
mod world;

use std::time::{Duration, Instant};

/// Rounds with one device.
const ROUNDS: u64 = 64;

/// The number after a name among the arguments.
fn number(name: &str) -> Option<u64> {
    let mut arguments = std::env::args().skip_while(|argument| argument != name);
    arguments.nth(1).map(|value| {
        value
            .parse()
            .unwrap_or_else(|_| panic!("{name} wants a number"))
    })
}

fn main() {
    let first = number("--seed").unwrap_or(1);
    let rounds = number("--rounds");
    let limit = Duration::from_secs(number("--seconds").unwrap_or(if rounds.is_some() {
        1 << 30
    } else {
        60
    }));
    let entry = match std::env::args().any(|argument| argument == "--loader") {
        true => unsafe { ash::Entry::load() }.expect("the Vulkan loader"),
        false => simulated::entry(),
    };
    let start = Instant::now();
    let (mut seed, mut commands) = (first, 0);
    let more = |seed| start.elapsed() < limit && rounds.is_none_or(|rounds| seed - first < rounds);
    while more(seed) {
        let world = world::World::new(&entry);
        let end = seed + ROUNDS;
        while seed < end && more(seed) {
            // A panic must say of which round.
            let told = Told(seed);
            commands += round::play(&world, seed);
            std::mem::forget(told);
            seed += 1;
        }
    }
    println!(
        "random copies: seeds {first} to {}, {commands} commands in {} s",
        seed - 1,
        start.elapsed().as_secs()
    );
}

struct Told(u64);

impl Drop for Told {
    fn drop(&mut self) {
        eprintln!("random copies: seed {} failed", self.0);
    }
}
