//! Random valid calls of Vulkan, compute and graphics, recorded by several threads: a driver must
//! neither crash, fail nor hang.
//!
//! In:  `--seconds N` (or `--rounds N`), `--seed N` of the first round, `--loader` to go through
//!      the Vulkan loader (and its layers) to whatever driver it finds; without it, the driver is
//!      this process's own, on a simulated GPU in strict mode.
//! Out: the seeds' range; exit status 101 with the seed of the round that failed. A round is its
//!      seed: `--seed N --rounds 1`.
//!
//!     cargo run --release -p ingot-tests --example random-calls -- --seconds 60

#![allow(unsafe_code, reason = "Vulkan is called as applications call it")]

mod memory;
mod object;
mod random;
mod record;
mod round;
mod rounds;
mod scene;
mod simulated;
mod world;

/// Rounds with one device.
const ROUNDS: u64 = 32;

fn main() {
    let words = world::Words::new();
    let new = |entry: &ash::Entry| world::World::new(entry, &words);
    let (first, last, time) = rounds::run("random calls", ROUNDS, new, round::play);
    println!(
        "random calls: seeds {first} to {last} in {} s",
        time.as_secs()
    );
}
