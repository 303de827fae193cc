//! Cache of decoded kernels.
//!
//! In:  an instruction heap and an offset. Out: the decoded kernel, from the cache if its bytes
//!      have not changed.

use crate::memory::AddressSpaceView;
use crate::observer::{Via, Watch};
use crate::options::Options;
use crate::rules::KERNEL_PREFETCH;
use crate::space::ADDRESS_MASK;
use crate::space::AddressSpace;
use eu::{Kernel, StopReason};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// Number of bytes past a kernel's end that the hardware may prefetch.
const PREFETCH_BYTES: u64 = 128;

/// Maximum number of cached kernels.
const MAX_KERNELS: usize = 256;

/// A decoded kernel and the bytes that it was decoded from, by address.
struct CachedKernel {
    code: Vec<(u64, [u8; 16])>,
    kernel: Arc<Kernel>,
}

impl CachedKernel {
    /// The address after its last instruction.
    fn end(&self) -> u64 {
        let ends = self.code.iter().map(|(at, _)| at + 16);
        ends.max().unwrap_or(0)
    }
}

/// Decoded kernels by heap address and offset. An entry is used only if the bytes at its addresses
/// are unchanged: another address space may hold another kernel there. Nothing is cached about the
/// memory around a kernel.
#[derive(Default)]
pub struct KernelCache {
    known: Mutex<BTreeMap<(u64, u64), CachedKernel>>,
}

/// Checks that the memory past a kernel's end, which the hardware may prefetch, is mapped in this
/// address space.
fn check_prefetch(space: &AddressSpace, kernel: u64, end: u64) -> Result<(), StopReason> {
    let mapped = |at: u64| at <= ADDRESS_MASK && space.find(at).is_some();
    let ahead = [end, end + PREFETCH_BYTES - 1];
    KERNEL_PREFETCH.check(ahead.into_iter().all(mapped), kernel, || {
        format!("the kernel ends at {end:#x}, where nothing is mapped")
    })
}

impl KernelCache {
    /// Hash of the code of the kernel at an offset of a heap; independent of address and run.
    /// Returns 0 for a kernel that has not run.
    pub(crate) fn name(&self, heap: u64, start: u64) -> u32 {
        let known = self.known.lock().unwrap_or_else(|e| e.into_inner());
        let Some(found) = known.get(&(heap, start)) else {
            return 0;
        };
        // FNV-1a.
        let bytes = found.code.iter().flat_map(|(_, bytes)| bytes);
        bytes.fold(0x811c_9dc5, |hash, byte| {
            (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193)
        })
    }

    /// Returns the decoded kernel at byte offset `start` of the instruction heap at `heap`.
    pub(crate) fn get(
        &self,
        heap: u64,
        start: u64,
        space: &AddressSpace,
        watch: Option<&dyn Watch>,
        options: &Options,
    ) -> Result<Arc<Kernel>, StopReason> {
        let view = AddressSpaceView::watched(space, watch, Via::Instruction);
        let fetch = |address: u64| -> Result<[u8; 16], StopReason> {
            let mut words = [0; 4];
            view.read_block(address, &mut words[..2])?;
            // The second half may lie past the end of the heap if the instruction is compacted.
            let _ = view.read_block(address + 8, &mut words[2..]);
            let mut bytes = [0; 16];
            for (to, from) in bytes.chunks_exact_mut(4).zip(words) {
                to.copy_from_slice(&from.to_le_bytes());
            }
            Ok(bytes)
        };
        let key = (heap, start);
        let address = heap.wrapping_add(start);
        let mut known = self.known.lock().unwrap_or_else(|e| e.into_inner());
        let same = |k: &&CachedKernel| {
            k.code
                .iter()
                .all(|(at, bytes)| fetch(*at).as_ref() == Ok(bytes))
        };
        if let Some(found) = known.get(&key).filter(same) {
            if options.strict {
                check_prefetch(space, address, found.end())?;
            }
            return Ok(Arc::clone(&found.kernel));
        }
        let code = RefCell::new(Vec::new());
        let record = |offset: u64| {
            // A jump may lead below the heap, so the sum wraps to 48 bits.
            let address = heap.wrapping_add(offset) & ADDRESS_MASK;
            let bytes = fetch(address)?;
            code.borrow_mut().push((address, bytes));
            Ok(bytes)
        };
        let kernel = match options.strict {
            true => Kernel::decode_legal(&record, start, options.hw_gen, options.kernel_errata)?,
            false => Kernel::decode(&record, start, options.hw_gen)?,
        };
        let entry = CachedKernel {
            code: code.into_inner(),
            kernel: Arc::new(kernel),
        };
        if options.strict {
            check_prefetch(space, address, entry.end())?;
        }
        let kernel = Arc::clone(&entry.kernel);
        if known.len() >= MAX_KERNELS {
            known.clear();
        }
        known.insert(key, entry);
        Ok(kernel)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::eot;
    use crate::testing::memory;

    #[test]
    fn prefetch_is_checked_in_each_address_space() {
        const HEAP: u64 = 0x1000;
        let bytes = isa::encode(&eot(), hw::Gen::Gen9).expect("legal");
        let start = 4096 - bytes.len() as u64;
        // One space maps the page after the kernel, the other does not.
        let space = |pages: u64| {
            let mut space = AddressSpace::new();
            space
                .map(HEAP, pages * 4096, memory(pages as usize * 4096), 0)
                .expect("free");
            let view = AddressSpaceView::new(&space);
            for (at, word) in (0..).zip(bytes.chunks_exact(4)) {
                let word = u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
                view.write(HEAP + start + at * 4, word).expect("mapped");
            }
            space
        };
        let strict = Options {
            strict: true,
            ..Options::default()
        };
        let kernels = KernelCache::default();
        let get = |space: &AddressSpace| kernels.get(HEAP, start, space, None, &strict).map(|_| ());
        let (wide, narrow) = (space(2), space(1));
        assert_eq!(get(&wide), Ok(()));
        assert!(matches!(
            get(&narrow),
            Err(StopReason::Undefined {
                rule: "kernel-prefetch",
                ..
            })
        ));
        assert_eq!(get(&wide), Ok(()));
        // The same code in another heap has another offset.
        let moved = kernels.get(HEAP + 64, start - 64, &wide, None, &strict);
        assert_eq!(moved.map(|kernel| kernel.start()), Ok(start - 64));
    }
}
