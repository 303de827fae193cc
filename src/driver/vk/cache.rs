//! Pipeline caches: what was compiled, by key, in memory and serialised.
//!
//! Format: `VkPipelineCacheHeaderVersionOne`, a checksum of the rest, a count, then entries of
//! kind, key, length and item. Integers are little endian. Data of another device, of another build
//! of the driver, or damaged data is not an error: the cache starts empty.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::cache_entry::{Reader, put_u32, read_item, write_item};
use crate::cache_item::{Item, ItemKind, ItemName};

/// Device and driver build that cache data is valid for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheOwner {
    /// PCI vendor.
    pub vendor: u32,
    /// PCI device.
    pub device: u32,
    /// `pipelineCacheUUID`.
    pub uuid: [u8; 16],
}

const HEADER_BYTES: usize = 32;
const HEADER_VERSION_ONE: u32 = 1;

type Entries = BTreeMap<ItemName, Item>;

/// The serialised part of a `VkPipelineCache`.
#[derive(Debug)]
pub struct PipelineCache {
    owner: CacheOwner,
    entries: Mutex<Entries>,
}

impl PipelineCache {
    /// Creates a cache with the entries of `data`, if it is ours and undamaged.
    pub fn new(owner: CacheOwner, data: &[u8]) -> Self {
        Self {
            owner,
            entries: Mutex::new(load(owner, data).unwrap_or_default()),
        }
    }

    fn entries(&self) -> MutexGuard<'_, Entries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a cached item.
    pub fn get(&self, name: &ItemName) -> Option<Item> {
        self.entries().get(name).cloned()
    }

    /// Adds an item.
    pub fn insert(&self, name: ItemName, item: Item) {
        self.entries().insert(name, item);
    }

    /// Adds the entries of another cache.
    pub fn merge(&self, source: &PipelineCache) {
        let theirs: Vec<_> = source
            .entries()
            .iter()
            .map(|(name, item)| (*name, item.clone()))
            .collect();
        self.entries().extend(theirs);
    }

    /// Serialises as many whole entries as fit `limit_bytes`. Returns the bytes, and whether all
    /// entries fit.
    pub fn save(&self, limit_bytes: usize) -> (Vec<u8>, bool) {
        let (mut body, mut count, mut whole) = (Vec::new(), 0u32, true);
        for (name, item) in self.entries().iter() {
            let mut bytes = Vec::new();
            write_item(&mut bytes, item);
            let entry_bytes = 1 + name.key.len() + 4 + bytes.len();
            if HEADER_BYTES + 12 + body.len() + entry_bytes > limit_bytes {
                whole = false;
                break;
            }
            body.push(name.kind as u8);
            body.extend_from_slice(&name.key);
            put_u32(&mut body, bytes.len() as u32);
            body.extend_from_slice(&bytes);
            count += 1;
        }
        let mut out = header(self.owner);
        if out.len() + 12 > limit_bytes {
            out.truncate(if limit_bytes < HEADER_BYTES {
                0
            } else {
                HEADER_BYTES
            });
            return (out, false);
        }
        let mut counted = Vec::with_capacity(4 + body.len());
        put_u32(&mut counted, count);
        counted.extend_from_slice(&body);
        out.extend_from_slice(&checksum(&counted).to_le_bytes());
        out.extend_from_slice(&counted);
        (out, whole)
    }
}

fn header(owner: CacheOwner) -> Vec<u8> {
    let mut out = Vec::with_capacity(HEADER_BYTES);
    for word in [
        HEADER_BYTES as u32,
        HEADER_VERSION_ONE,
        owner.vendor,
        owner.device,
    ] {
        put_u32(&mut out, word);
    }
    out.extend_from_slice(&owner.uuid);
    out
}

/// A checksum of 64 bits: detects damage, not tampering. Each step is a bijection of the sum and of
/// the word, so any damage of one word changes the sum.
pub fn checksum(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let mut last = [0; 8];
    for (to, from) in last.iter_mut().zip(rest) {
        *to = *from;
    }
    let add = |sum: u64, word: [u8; 8]| {
        let sum = sum ^ u64::from_le_bytes(word);
        // Multiplication spreads a bit upwards only.
        sum.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
    };
    let sum = words.iter().copied().fold(bytes.len() as u64, add);
    add(add(sum, last), [0x55; 8])
}

fn load(owner: CacheOwner, data: &[u8]) -> Option<Entries> {
    let rest = data.strip_prefix(header(owner).as_slice())?;
    let (sum, counted) = rest.split_first_chunk::<8>()?;
    if u64::from_le_bytes(*sum) != checksum(counted) {
        return None;
    }
    let mut reader = Reader { bytes: counted };
    let mut entries = BTreeMap::new();
    for _ in 0..reader.u32()? {
        let [kind] = *reader.chunk::<1>()?;
        let mut kinds = ItemKind::ALL.into_iter();
        let kind = kinds.find(|known| *known as u8 == kind)?;
        let key = *reader.chunk::<32>()?;
        let length = reader.length()?;
        let item = read_item(kind, reader.next_bytes(length)?)?;
        entries.insert(ItemName { kind, key }, item);
    }
    Some(entries)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    use abi::{
        ComputeInfo, DriverValue, PushData, ShaderBinary, ShaderStats, SimdVariant, StageInfo,
    };

    const OWNER: CacheOwner = CacheOwner {
        vendor: 0x8086,
        device: 0x1912,
        uuid: [7; 16],
    };

    fn shader_name(byte: u8) -> ItemName {
        ItemName {
            kind: ItemKind::Shader,
            key: [byte; 32],
        }
    }

    fn shader(seed: u8) -> Item {
        Item::Shader(shader_binary(seed))
    }

    fn shader_binary(seed: u8) -> Arc<ShaderBinary> {
        let stats = ShaderStats {
            instructions: 9,
            cycles: 1 << 40,
            spills: 1,
            fills: 2,
            ..ShaderStats::default()
        };
        let variant = |simd_width, code_offset_bytes| SimdVariant {
            simd_width,
            code_offset_bytes,
            code_bytes: 64,
            push_grf: 1,
            scratch_bytes: 1024,
            stats,
            dumps: Vec::new(),
        };
        Arc::new(ShaderBinary {
            code: vec![seed; 128],
            constants: abi::ConstantData::default(),
            variants: vec![variant(8, 0), variant(16, 64)],
            preferred: 1,
            push: PushData {
                constants_first_dw: 3,
                constants_dw: 9,
                driver: vec![
                    DriverValue::SetHandle { set: 1 },
                    DriverValue::DynamicHandle { index: 2 },
                    DriverValue::NumWorkgroupsAddress { dword: 1 },
                    DriverValue::BaseWorkgroupId { component: 2 },
                    DriverValue::SurfaceHeapAddress { dword: 1 },
                    DriverValue::Nothing,
                    DriverValue::CoverageSamples,
                    DriverValue::PatchPoints,
                    DriverValue::SetDescriptor {
                        set: 3,
                        more: 0x1002,
                    },
                    DriverValue::DynamicDescriptor {
                        index: 4,
                        more: 0x8a,
                    },
                ],
                samplers: Some(abi::SamplerTable {
                    set: 3,
                    offset_bytes: 0xffff_ff80,
                }),
                ranges: [
                    abi::PushedBuffer::InSet {
                        set: 2,
                        offset_bytes: 192,
                    },
                    abi::PushedBuffer::Dynamic { index: 5 },
                ]
                .map(|buffer| abi::PushedRange {
                    buffer,
                    first: 7,
                    registers: 4,
                    end_bytes: 344,
                })
                .to_vec(),
            },
            stage: StageInfo::Compute(ComputeInfo {
                workgroup_size: [8, 4, 1],
                slm_bytes: 4096,
                uses_barrier: true,
                per_thread_push: true,
            }),
        })
    }

    fn filled() -> PipelineCache {
        let cache = PipelineCache::new(OWNER, &[]);
        cache.insert(shader_name(1), shader(3));
        cache.insert(shader_name(2), shader(4));
        cache
    }

    #[test]
    fn items_of_every_kind_are_loaded() {
        let cache = filled();
        let name = |kind| ItemName { kind, key: [1; 32] };
        let inputs = Item::Inputs(compile::InputsRead::NONE);
        let modes = Item::TessModes(compile::TessInfo {
            vertices_out: 3,
            ..Default::default()
        });
        cache.insert(name(ItemKind::Inputs), inputs.clone());
        cache.insert(name(ItemKind::TessModes), modes.clone());
        let loaded = PipelineCache::new(OWNER, &cache.save(usize::MAX).0);
        assert_eq!(loaded.get(&name(ItemKind::Shader)), Some(shader(3)));
        assert_eq!(loaded.get(&name(ItemKind::Inputs)), Some(inputs));
        assert_eq!(loaded.get(&name(ItemKind::TessModes)), Some(modes));
        assert_eq!(loaded.entries().len(), 4);
    }

    #[test]
    fn saved_entries_are_loaded() {
        let (bytes, whole) = filled().save(usize::MAX);
        assert!(whole);
        let loaded = PipelineCache::new(OWNER, &bytes);
        assert_eq!(loaded.get(&shader_name(1)), Some(shader(3)));
        assert_eq!(loaded.get(&shader_name(2)), Some(shader(4)));
        assert_eq!(loaded.get(&shader_name(3)), None);
        assert_eq!(loaded.save(usize::MAX), (bytes, true));
    }

    #[test]
    fn damaged_or_foreign_data_starts_empty() {
        let (bytes, _) = filled().save(usize::MAX);
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x40;
            assert!(
                PipelineCache::new(OWNER, &damaged).entries().is_empty(),
                "byte {at}"
            );
            assert!(
                PipelineCache::new(OWNER, &bytes[..at]).entries().is_empty(),
                "cut at {at}"
            );
        }
        let other = CacheOwner {
            device: 0x5912,
            ..OWNER
        };
        assert!(PipelineCache::new(other, &bytes).entries().is_empty());
    }

    #[test]
    fn limited_space_holds_whole_entries() {
        let cache = filled();
        let (bytes, _) = cache.save(usize::MAX);
        for limit in 0..bytes.len() {
            let (part, whole) = cache.save(limit);
            assert!(!whole && part.len() <= limit);
            let entries = PipelineCache::new(OWNER, &part).entries().len();
            assert!(entries <= 1);
        }
    }

    #[test]
    fn merging_adds_entries() {
        let (target, source) = (PipelineCache::new(OWNER, &[]), filled());
        target.insert(shader_name(9), shader(1));
        target.merge(&source);
        assert_eq!(target.entries().len(), 3);
    }
}
