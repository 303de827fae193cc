//! Any memory, any batch: the simulated GPU returns within its budgets, without a panic.
//!
//! The input is what the simulated kernel's `dump=` option writes (see `kmd::dump`): the address of
//! the batch (its lowest bit: strict), then runs of memory: address, bytes mapped, bytes given, and
//! those.
#![no_main]

use gpu::{AddressSpace, Gpu, HwContext, InstructionLimits, Options};
use libfuzzer_sys::fuzz_target;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::time::Duration;

/// Room for what the mutator makes of lengths.
const MAX_RUNS: usize = 24;
const MAX_RUN_BYTES: u64 = 128 << 10;

struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    fn take(&mut self, bytes: usize) -> Option<&'a [u8]> {
        let (first, rest) = self.0.split_at_checked(bytes)?;
        self.0 = rest;
        Some(first)
    }

    fn u64(&mut self) -> Option<u64> {
        let bytes = self.take(8)?;
        bytes.try_into().ok().map(u64::from_le_bytes)
    }

    fn u32(&mut self) -> Option<u32> {
        let bytes = self.take(4)?;
        bytes.try_into().ok().map(u32::from_le_bytes)
    }
}

/// One run of memory.
fn run(input: &mut Input<'_>, space: &mut AddressSpace) -> Option<()> {
    let address = input.u64()? & !4095;
    let mapped = u64::from(input.u32()?)
        .clamp(1, MAX_RUN_BYTES)
        .next_multiple_of(4096);
    let given = (input.u32()? as usize)
        .min(input.0.len())
        .min(mapped as usize);
    let data = input.take(given)?;
    let mut words: Vec<AtomicU32> = Vec::new();
    for chunk in data.chunks(4) {
        let mut bytes = [0; 4];
        bytes[..chunk.len()].copy_from_slice(chunk);
        words.push(AtomicU32::new(u32::from_le_bytes(bytes)));
    }
    words.resize_with(mapped as usize / 4, Default::default);
    // Runs that overlap are an error of the mutator's.
    let _ = space.map(address, mapped, Arc::new(words.into_boxed_slice()), 0);
    Some(())
}

fuzz_target!(|data: &[u8]| {
    let mut input = Input(data);
    let Some(start) = input.u64() else {
        return;
    };
    let mut space = AddressSpace::new();
    for _ in 0..MAX_RUNS {
        if run(&mut input, &mut space).is_none() {
            break;
        }
    }
    let options = Options {
        strict: start & 1 == 1,
        cpu_threads: 1,
        instruction_limits: InstructionLimits::of_all(200_000),
        command_budget: 2_000,
        semaphore_wait: Duration::ZERO,
        ..Options::default()
    };
    let device = hw::Device::by_name("skl").expect("a device");
    let gpu = Gpu::new(device, options);
    let mut context = HwContext::new();
    // Twice: the second batch finds the state that the first has left, and a kernel decoded before.
    for _ in 0..2 {
        let _ = gpu.execute(&mut context, &space, start & !7, 0);
    }
});
