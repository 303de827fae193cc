//! A batch buffer of one chunk, and its execution on a simulated Skylake in strict mode.
//!
//! In:  commands that `cmd` records. Out: the memory that they write.

use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use cmd::StreamMemory;
use gpu::{AddressSpace, AddressSpaceView, Gpu, HwContext, Options};

/// The address of the batch.
pub const ADDRESS: u64 = 0x10_0000;
/// The size of the batch, and of each block of memory that [`map`] maps.
pub const BYTES: u64 = 0x1_0000;

/// The memory of a recorder: one chunk, and no heap for pushed descriptors.
pub struct Batch(Vec<u32>);

impl Batch {
    /// An empty batch.
    #[allow(clippy::new_without_default, reason = "tests create it explicitly")]
    pub fn new() -> Batch {
        Batch(vec![0; BYTES as usize / 4])
    }

    /// Writes the batch to memory and executes it.
    ///
    /// # Panics
    /// Panics with `context` if the simulator stops.
    pub fn execute(&self, space: &AddressSpace, context: &str) {
        write(space, ADDRESS, &self.0);
        let options = Options {
            strict: true,
            ..Options::default()
        };
        Gpu::new(device(), options)
            .execute(&mut HwContext::new(), space, ADDRESS, BYTES)
            .unwrap_or_else(|stop| panic!("{stop}{context}"));
    }
}

impl StreamMemory for Batch {
    type Error = &'static str;
    const CHUNK_DW: usize = BYTES as usize / 4;
    fn words(&mut self) -> Option<&mut [u32]> {
        Some(&mut self.0)
    }
    fn address(&self) -> u64 {
        ADDRESS
    }
    fn prepare(&mut self) -> Result<u64, Self::Error> {
        Err("one chunk is enough")
    }
    fn advance(&mut self, _: usize) {}
    fn too_long() -> Self::Error {
        "too long"
    }
    fn surface<const N: usize>(&self, _: u32, _: [usize; N]) -> Result<[u32; N], Self::Error> {
        Err("nothing is pushed from the heap")
    }
}

/// The GPU that executes batches.
///
/// # Panics
/// Panics if the device table lacks Skylake.
pub fn device() -> &'static hw::Device {
    hw::Device::by_name("skl").expect("a device")
}

/// Maps a zeroed block of [`BYTES`] at each address.
///
/// # Panics
/// Panics if blocks overlap.
pub fn map(space: &mut AddressSpace, addresses: impl IntoIterator<Item = u64>) {
    for address in addresses {
        let words: Box<[AtomicU32]> = (0..BYTES / 4).map(|_| AtomicU32::new(0)).collect();
        space.map(address, BYTES, Arc::new(words), 0).expect("free");
    }
}

/// Writes dwords to mapped memory.
///
/// # Panics
/// Panics if the memory is not mapped.
pub fn write(space: &AddressSpace, address: u64, words: &[u32]) {
    AddressSpaceView::new(space)
        .write_block(address, words)
        .expect("mapped");
}

/// Machine code as dwords.
pub fn dwords(code: &[u8]) -> Vec<u32> {
    let chunks = code.as_chunks::<4>().0.iter();
    chunks.map(|bytes| u32::from_le_bytes(*bytes)).collect()
}
