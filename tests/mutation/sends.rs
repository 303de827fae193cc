//! What a kernel asks of shared functions, by the descriptors of its messages.
//!
//! In:  memory and where a kernel starts. Out: which messages read a sampler's state, which entries
//!      of the binding table they name, and which use a base address.
//! Ref: SKL PRM vol. 7, "Message Descriptor", "Binding Table Index".

use gpu::AddressSpaceView;
use isa::Desc;

/// Bytes of a kernel that are looked at.
const MAX_KERNEL_BYTES: u64 = 1 << 18;

/// Sampler messages that take no SAMPLER_STATE: `ld`, `resinfo`, `sampleinfo`, `ld_lz`, `ld2dms_w`,
/// `ld_mcs`, `ld2dms`, `ld2dss`.
const STATELESS: u32 = 1 << 7 | 1 << 10 | 1 << 11 | 1 << 26 | 1 << 28 | 1 << 29 | 1 << 30 | 1 << 31;
/// Those that compare: `sample_c`, `_b_c`, `_l_c`, `gather4_c`, `gather4_po_c`, `sample_d_c`,
/// `_c_lz`.
const COMPARES: u32 = 1 << 3 | 1 << 5 | 1 << 6 | 1 << 16 | 1 << 18 | 1 << 20 | 1 << 25;

/// Message types of data cache 1 with addresses of 64 bits.
const A64: u32 = 1 << 16 | 1 << 17 | 1 << 18 | 1 << 20 | 1 << 21 | 1 << 25 | 1 << 26 | 1 << 29;

/// What the messages of kernels use.
#[derive(Clone, Copy, Default)]
pub struct Sends {
    /// Sampler messages, a bit for each type that reads a sampler's state.
    sampled: u32,
    /// Any message to the sampler.
    pub sampler: bool,
    /// Surfaces by handles, of the bindless heap.
    pub bindless: bool,
    /// Memory is written, or threads behave differently from each other.
    pub writes: bool,
    /// Memory by offsets from the general state base address: stateless messages, scratch blocks.
    pub general: bool,
    /// Entries of the binding table, a bit for each.
    tables: [u64; 4],
}

impl Sends {
    /// True if some message reads a sampler's state.
    pub fn samples(&self) -> bool {
        self.sampled != 0
    }

    /// True if some message compares with what it samples.
    pub fn compares(&self) -> bool {
        self.sampled & COMPARES != 0
    }

    /// True if some message finds its surface by this entry of the binding table.
    pub fn entry(&self, number: u64) -> bool {
        let word = self.tables.get(number as usize / 64);
        word.is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    /// True if some message finds its surface by the binding table.
    pub fn table(&self) -> bool {
        self.tables != [0; 4]
    }

    /// What both use.
    pub fn or(self, other: Sends) -> Sends {
        Sends {
            sampled: self.sampled | other.sampled,
            sampler: self.sampler || other.sampler,
            bindless: self.bindless || other.bindless,
            writes: self.writes || other.writes,
            general: self.general || other.general,
            tables: std::array::from_fn(|i| self.tables[i] | other.tables[i]),
        }
    }
}

/// What the kernel at an address uses, up to its end of thread; a descriptor that only the thread
/// knows may be any.
pub fn of_kernel(view: &AddressSpaceView<'_>, start: u64, hw_gen: hw::Gen) -> Sends {
    let mut sends = Sends::default();
    let mut at = start;
    while at < start + MAX_KERNEL_BYTES {
        let mut words = [0; 4];
        if view.read_block(at, &mut words[..2]).is_err() {
            break;
        }
        // The second half may lie beyond what is mapped if the instruction is compacted.
        let _ = view.read_block(at + 8, &mut words[2..]);
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let Ok((inst, length)) = isa::decode(&bytes, hw_gen) else {
            break;
        };
        at += length as u64;
        let Some(send) = inst.send else { continue };
        let desc = match send.desc {
            Desc::Imm(desc) => Some(desc),
            Desc::A0(_) => None,
        };
        let table = desc.map(|desc| desc & 0xff);
        let handle = matches!(table, None | Some(252));
        // A64 messages have no surface, but addresses; scratch blocks have an offset in its
        // place.
        let whole = send.sfid == 12 && desc.is_some_and(|desc| A64 >> (desc >> 14 & 0x1f) & 1 == 1);
        let scratch = send.sfid == 10 && desc.is_none_or(|desc| desc >> 18 & 1 == 1);
        // The sampler, the sampler's and the constant cache, data caches and the render cache.
        if matches!(send.sfid, 2 | 4 | 5 | 9 | 10 | 12) && !whole {
            match table {
                None => sends.tables = [u64::MAX; 4],
                // 252 and on are no entries: handles, memory that no surface describes, shared
                // local memory.
                Some(entry @ 0..252) if !scratch => {
                    sends.tables[entry as usize / 64] |= 1 << (entry % 64);
                }
                Some(_) => {}
            }
        }
        match send.sfid {
            2 => {
                sends.sampled |=
                    desc.map_or(u32::MAX, |desc| 1 << (desc >> 12 & 0x1f)) & !STATELESS;
                sends.sampler = true;
                sends.bindless |= handle;
            }
            // Data caches 0 and 1, render cache.
            4 | 5 | 10 | 12 => {
                sends.bindless |= handle;
                // Of the render cache's messages, render target writes (12) and reads (13) are of
                // the pixels that there are.
                sends.writes |=
                    send.sfid != 5 || desc.is_none_or(|desc| !matches!(desc >> 14 & 15, 12 | 13));
                sends.general |= scratch || !whole && matches!(table, None | Some(253 | 255));
            }
            _ => {}
        }
        if send.eot {
            break;
        }
    }
    sends
}
