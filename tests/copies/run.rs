//! Random copies of images: to and from buffers, to each other, scaled, resolved, cleared; each
//! result is compared byte by byte with what the same copies make of bytes on the host.
//!
//! In:  `--seconds N` (or `--rounds N`), `--seed N` of the first round, `--loader` to go through
//!      the Vulkan loader to whatever driver it finds; without it, the driver is this process's
//!      own, on a simulated GPU in strict mode. `--without TEXT,...` leaves out formats of such
//!      names, for drivers that are known to fail with them.
//! Out: the seeds' range; exit status 101 with the seed of the round that failed and what it
//!      recorded. A round is its seed: `--seed N --rounds 1`.
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
#[path = "../calls/rounds.rs"]
mod rounds;
mod scale;
#[path = "../calls/simulated.rs"]
mod simulated;
mod value;
mod world;

/// Rounds with one device.
const ROUNDS: u64 = 64;

fn main() {
    let mut commands = 0;
    let (first, last, time) =
        rounds::run("random copies", ROUNDS, world::World::new, |world, seed| {
            commands += round::play(world, seed);
        });
    println!(
        "random copies: seeds {first} to {last}, {commands} commands in {} s",
        time.as_secs()
    );
}
