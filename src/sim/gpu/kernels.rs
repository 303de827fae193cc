//! Kernels decoded once.
//!
//! In:  an instruction heap and an offset. Out: the decoded kernel, from before where the bytes have not changed.

use crate::memory::View;
use crate::options::Options;
use crate::rules::KERNEL_PREFETCH;
use crate::space::ADDRESS_MASK;
use crate::space::AddressSpace;
use crate::watch::{Via, Watch};
use eu::{Kernel, Stop};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// Bytes after a kernel that may be read ahead.
const PREFETCH_BYTES: u64 = 128;

/// Kernels kept decoded.
const MAX_KERNELS: usize = 256;

/// A kernel and the bytes that it was decoded from, by their address.
struct Known {
    code: Vec<(u64, [u8; 16])>,
    kernel: Arc<Kernel>,
}

/// Kernels decoded before, by address. One is used again only where the bytes are still the same.
#[derive(Default)]
pub struct Kernels {
    known: Mutex<BTreeMap<u64, Known>>,
}

impl Kernels {
    /// A name for the kernel at an address: a hash of its code, which is the same wherever it lies and whenever it runs. 0 for
    /// one that has not run.
    pub(crate) fn name(&self, address: u64) -> u32 {
        let known = self.known.lock().unwrap_or_else(|e| e.into_inner());
        let Some(found) = known.get(&address) else {
            return 0;
        };
        // FNV-1a.
        let bytes = found.code.iter().flat_map(|(_, bytes)| bytes);
        bytes.fold(0x811c_9dc5, |hash, byte| {
            (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193)
        })
    }

    /// The kernel at byte offset `start` of the instruction heap at `heap`.
    pub(crate) fn get(
        &self,
        heap: u64,
        start: u64,
        space: &AddressSpace,
        watch: Option<&dyn Watch>,
        options: &Options,
    ) -> Result<Arc<Kernel>, Stop> {
        let view = View::watched(space, watch, Via::Instruction);
        let fetch = |address: u64| -> Result<[u8; 16], Stop> {
            let mut words = [0; 4];
            view.read_block(address, &mut words[..2])?;
            // The second half may lie beyond the end of the heap if the instruction is compacted.
            let _ = view.read_block(address + 8, &mut words[2..]);
            let mut bytes = [0; 16];
            for (to, from) in bytes.chunks_exact_mut(4).zip(words) {
                to.copy_from_slice(&from.to_le_bytes());
            }
            Ok(bytes)
        };
        let key = heap + start;
        let mut known = self.known.lock().unwrap_or_else(|e| e.into_inner());
        let same = |k: &&Known| {
            k.code
                .iter()
                .all(|(at, bytes)| fetch(*at).as_ref() == Ok(bytes))
        };
        if let Some(found) = known.get(&key).filter(same) {
            return Ok(Arc::clone(&found.kernel));
        }
        let code = RefCell::new(Vec::new());
        let record = |offset: u64| {
            // Jumps may lead below the heap; the sum is cut to an address all the same.
            let address = heap.wrapping_add(offset) & ADDRESS_MASK;
            let bytes = fetch(address)?;
            code.borrow_mut().push((address, bytes));
            Ok(bytes)
        };
        let kernel = match options.strict {
            true => Kernel::decode_legal(&record, start, options.hw_gen, options.small_core)?,
            false => Kernel::decode(&record, start, options.hw_gen)?,
        };
        let kernel = Arc::new(kernel);
        if options.strict {
            let code = code.borrow();
            let end = code.iter().map(|(at, _)| at + 16).max().unwrap_or(key);
            let mapped = |at: u64| at <= ADDRESS_MASK && space.find(at).is_some();
            let ahead = [end, end + PREFETCH_BYTES - 1];
            KERNEL_PREFETCH.check(ahead.into_iter().all(mapped), key, || {
                format!("the kernel ends at {end:#x}, where nothing is mapped")
            })?;
        }
        if known.len() >= MAX_KERNELS {
            known.clear();
        }
        let entry = Known {
            code: code.into_inner(),
            kernel: Arc::clone(&kernel),
        };
        known.insert(key, entry);
        Ok(kernel)
    }
}
