//! The pipeline's statistics counters of a context.
//!
//! In:  a kernel interface and a context. Out: the counters, read by a batch in that context.
//!      Counters are saved and restored with the context, so that other programs do not count.
//! Ref: SKL PRM vol. 2c (statistics registers); vol. 3, "Register State Context".

use hw::register;
use uapi::Kernel;

use super::bare::{BareError, Bench, store_register};

/// The counters with the PRM's names, in the order of the pipeline.
const REGISTERS: [(&str, u32); 12] = [
    ("IA_VERTICES_COUNT", register::IA_VERTICES_COUNT),
    ("IA_PRIMITIVES_COUNT", register::IA_PRIMITIVES_COUNT),
    ("VS_INVOCATION_COUNT", register::VS_INVOCATION_COUNT),
    ("HS_INVOCATION_COUNT", register::HS_INVOCATION_COUNT),
    ("DS_INVOCATION_COUNT", register::DS_INVOCATION_COUNT),
    ("GS_INVOCATION_COUNT", register::GS_INVOCATION_COUNT),
    ("GS_PRIMITIVES_COUNT", register::GS_PRIMITIVES_COUNT),
    ("CL_INVOCATION_COUNT", register::CL_INVOCATION_COUNT),
    ("CL_PRIMITIVES_COUNT", register::CL_PRIMITIVES_COUNT),
    ("PS_INVOCATION_COUNT", register::PS_INVOCATION_COUNT),
    ("PS_DEPTH_COUNT", register::PS_DEPTH_COUNT),
    ("CS_INVOCATION_COUNT", register::CS_INVOCATION_COUNT),
];

/// Where the driver places nothing: behind its heaps, and below the addresses of shared memory.
const FREE_ADDRESS: u64 = 32 << 30;

/// The values of all counters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters([u64; REGISTERS.len()]);

impl Counters {
    /// Reads the counters of a context. Earlier batches of the context have ended by then: the
    /// kernel flushes and stalls behind each.
    pub fn read(kernel: &dyn Kernel, context: u32) -> Result<Self, BareError> {
        let bench = Bench::in_context(kernel, context, FREE_ADDRESS)?;
        let halves = REGISTERS.iter().flat_map(|(_, low)| [*low, low + 4]);
        let commands = halves.enumerate().flat_map(|(index, register)| {
            store_register(register, bench.result_address() + 4 * index as u64)
        });
        bench.run(&commands.collect::<Vec<u32>>())?;
        let words = bench.words(2 * REGISTERS.len());
        let mut counters = Self::default();
        for (counter, pair) in counters.0.iter_mut().zip(words.chunks_exact(2)) {
            *counter = u64::from(pair[1]) << 32 | u64::from(pair[0]);
        }
        Ok(counters)
    }

    /// Adds what a context has counted since `before`.
    pub fn add_since(&mut self, now: &Self, before: &Self) {
        for (sum, (now, before)) in self.0.iter_mut().zip(now.0.iter().zip(before.0)) {
            *sum += now.wrapping_sub(before);
        }
    }

    /// The name and the value of each counter.
    pub fn rows(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let rows = REGISTERS.iter().zip(self.0);
        rows.map(|((name, _), value)| (*name, value))
    }
}
