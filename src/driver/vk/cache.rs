//! Pipeline caches: compiled shaders by key, in memory and in the application's files.
//!
//! Bytes: `VkPipelineCacheHeaderVersionOne`, a checksum of what follows, a count, then entries: key, length, shader. Data of
//! another device, another build of the driver, or with a flipped bit is not an error: the cache starts empty.
//! Integers are little endian.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use abi::{ComputeInfo, DriverValue, PushData, ShaderBinary, StageInfo, Stats, Variant};

/// Names a compiled shader.
pub type Key = [u8; 32];

/// Whose data it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owner {
    /// PCI vendor.
    pub vendor: u32,
    /// PCI device.
    pub device: u32,
    /// `pipelineCacheUUID`.
    pub uuid: [u8; 16],
}

const HEADER_BYTES: usize = 32;
const HEADER_VERSION_ONE: u32 = 1;
/// No shader is larger than this; data that says so is damaged.
const MAX_LENGTH: usize = 1 << 26;

/// `VkPipelineCache`.
#[derive(Debug)]
pub struct Cache {
    owner: Owner,
    entries: Mutex<BTreeMap<Key, Arc<ShaderBinary>>>,
}

impl Cache {
    /// A cache with whatever of `data` is ours and undamaged.
    pub fn new(owner: Owner, data: &[u8]) -> Self {
        Self {
            owner,
            entries: Mutex::new(load(owner, data).unwrap_or_default()),
        }
    }

    fn entries(&self) -> MutexGuard<'_, BTreeMap<Key, Arc<ShaderBinary>>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A shader, if it is there.
    pub fn get(&self, key: &Key) -> Option<Arc<ShaderBinary>> {
        self.entries().get(key).cloned()
    }

    /// Keeps a shader.
    pub fn put(&self, key: Key, shader: &Arc<ShaderBinary>) {
        self.entries().insert(key, shader.clone());
    }

    /// Takes what another cache has.
    pub fn merge(&self, source: &Cache) {
        let theirs: Vec<_> = source
            .entries()
            .iter()
            .map(|(key, shader)| (*key, shader.clone()))
            .collect();
        self.entries().extend(theirs);
    }

    /// Its bytes, with as many whole entries as fit `limit_bytes`; and whether that is all.
    pub fn save(&self, limit_bytes: usize) -> (Vec<u8>, bool) {
        let (mut body, mut count, mut whole) = (Vec::new(), 0u32, true);
        for (key, shader) in self.entries().iter() {
            let mut bytes = Vec::new();
            // Nothing puts another stage here.
            let Some(compute) = shader.compute() else {
                continue;
            };
            write_shader(&mut bytes, shader, compute);
            let entry_bytes = key.len() + 4 + bytes.len();
            if HEADER_BYTES + 12 + body.len() + entry_bytes > limit_bytes {
                whole = false;
                break;
            }
            body.extend_from_slice(key);
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

fn header(owner: Owner) -> Vec<u8> {
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

/// FNV-1a, 64 bits: finds damage, not malice.
pub fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    })
}

fn load(owner: Owner, data: &[u8]) -> Option<BTreeMap<Key, Arc<ShaderBinary>>> {
    let rest = data.strip_prefix(header(owner).as_slice())?;
    let (sum, counted) = rest.split_first_chunk::<8>()?;
    if u64::from_le_bytes(*sum) != checksum(counted) {
        return None;
    }
    let mut reader = Reader { bytes: counted };
    let mut entries = BTreeMap::new();
    for _ in 0..reader.u32()? {
        let key = *reader.chunk::<32>()?;
        let length = reader.length()?;
        let shader = read_shader(&mut Reader {
            bytes: reader.take(length)?,
        })?;
        entries.insert(key, Arc::new(shader));
    }
    Some(entries)
}

fn put_u32(out: &mut Vec<u8>, value: u32) {
    out.extend_from_slice(&value.to_le_bytes());
}

fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_u32(out, bytes.len() as u32);
    out.extend_from_slice(bytes);
}

struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (head, tail) = self.bytes.split_at_checked(length)?;
        self.bytes = tail;
        Some(head)
    }

    fn chunk<const N: usize>(&mut self) -> Option<&'a [u8; N]> {
        self.take(N)?.first_chunk()
    }

    fn u32(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(*self.chunk()?))
    }

    fn u64(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(*self.chunk()?))
    }

    fn length(&mut self) -> Option<usize> {
        Some(self.u32()? as usize).filter(|&length| length <= MAX_LENGTH)
    }
}

fn write_push(out: &mut Vec<u8>, value: DriverValue) {
    let (tag, word) = match value {
        DriverValue::SetHandle { set } => (1, set),
        DriverValue::DynamicHandle { index } => (2, index),
        DriverValue::NumWorkgroupsAddress { dword } => (3, dword),
        DriverValue::BaseWorkgroupId { component } => (4, component),
        DriverValue::SurfaceHeapAddress { dword } => (6, dword),
    };
    put_u32(out, tag);
    put_u32(out, word);
}

fn read_push(reader: &mut Reader<'_>) -> Option<DriverValue> {
    let (tag, word) = (reader.u32()?, reader.u32()?);
    Some(match tag {
        1 => DriverValue::SetHandle { set: word },
        2 => DriverValue::DynamicHandle { index: word },
        3 => DriverValue::NumWorkgroupsAddress { dword: word },
        6 => DriverValue::SurfaceHeapAddress { dword: word },
        4 => DriverValue::BaseWorkgroupId { component: word },
        _ => return None,
    })
}

/// Text dumps are left out: they are made on request, under a key of their own.
fn write_shader(out: &mut Vec<u8>, shader: &ShaderBinary, compute: &ComputeInfo) {
    put_bytes(out, &shader.code);
    for word in compute.workgroup_size {
        put_u32(out, word);
    }
    put_u32(out, compute.slm_bytes);
    put_u32(
        out,
        u32::from(compute.uses_barrier) | u32::from(compute.per_thread_push) << 1,
    );
    put_u32(out, shader.push.constants_first_dw);
    put_u32(out, shader.push.constants_dw);
    put_u32(out, shader.push.driver.len() as u32);
    for &value in &shader.push.driver {
        write_push(out, value);
    }
    put_u32(out, shader.preferred as u32);
    put_u32(out, shader.variants.len() as u32);
    for variant in &shader.variants {
        let stats = &variant.stats;
        for word in [
            u32::from(variant.simd_width),
            variant.code_offset_bytes,
            variant.code_bytes,
            variant.scratch_bytes,
            u32::from(variant.push_grf),
            stats.instructions,
            stats.sends,
            stats.loops,
            stats.spills,
            stats.fills,
            stats.max_live_registers,
        ] {
            put_u32(out, word);
        }
        out.extend_from_slice(&stats.cycles.to_le_bytes());
    }
}

fn read_shader(reader: &mut Reader<'_>) -> Option<ShaderBinary> {
    let code_bytes = reader.length()?;
    let code = reader.take(code_bytes)?.to_vec();
    let workgroup_size = [reader.u32()?, reader.u32()?, reader.u32()?];
    let slm_bytes = reader.u32()?;
    let bits = reader.u32()?;
    let (constants_first_dw, constants_dw) = (reader.u32()?, reader.u32()?);
    let values = reader.length()?;
    let push = PushData {
        constants_first_dw,
        constants_dw,
        driver: (0..values)
            .map(|_| read_push(reader))
            .collect::<Option<_>>()?,
    };
    let preferred = reader.u32()? as usize;
    let count = reader.length()?;
    let variants = (0..count)
        .map(|_| read_variant(reader))
        .collect::<Option<Vec<_>>>()?;
    let inside = |variant: &Variant| {
        let end = variant.code_offset_bytes.checked_add(variant.code_bytes);
        end.is_some_and(|end| end as usize <= code.len())
    };
    if preferred >= variants.len() || !variants.iter().all(inside) || !reader.bytes.is_empty() {
        return None;
    }
    let compute = ComputeInfo {
        workgroup_size,
        slm_bytes,
        uses_barrier: bits & 1 != 0,
        per_thread_push: bits & 2 != 0,
    };
    Some(ShaderBinary {
        code,
        variants,
        preferred,
        push,
        stage: StageInfo::Compute(compute),
    })
}

fn read_variant(reader: &mut Reader<'_>) -> Option<Variant> {
    Some(Variant {
        simd_width: u8::try_from(reader.u32()?).ok()?,
        code_offset_bytes: reader.u32()?,
        code_bytes: reader.u32()?,
        scratch_bytes: reader.u32()?,
        push_grf: u8::try_from(reader.u32()?).ok()?,
        stats: Stats {
            instructions: reader.u32()?,
            sends: reader.u32()?,
            loops: reader.u32()?,
            spills: reader.u32()?,
            fills: reader.u32()?,
            max_live_registers: reader.u32()?,
            cycles: reader.u64()?,
        },
        dumps: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWNER: Owner = Owner {
        vendor: 0x8086,
        device: 0x1912,
        uuid: [7; 16],
    };

    fn shader(seed: u8) -> Arc<ShaderBinary> {
        let stats = Stats {
            instructions: 9,
            cycles: 1 << 40,
            spills: 1,
            fills: 2,
            ..Stats::default()
        };
        let variant = |simd_width, code_offset_bytes| Variant {
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
                ],
            },
            stage: StageInfo::Compute(ComputeInfo {
                workgroup_size: [8, 4, 1],
                slm_bytes: 4096,
                uses_barrier: true,
                per_thread_push: true,
            }),
        })
    }

    fn filled() -> Cache {
        let cache = Cache::new(OWNER, &[]);
        cache.put([1; 32], &shader(3));
        cache.put([2; 32], &shader(4));
        cache
    }

    #[test]
    fn what_is_saved_is_loaded() {
        let (bytes, whole) = filled().save(usize::MAX);
        assert!(whole);
        let loaded = Cache::new(OWNER, &bytes);
        assert_eq!(loaded.get(&[1; 32]), Some(shader(3)));
        assert_eq!(loaded.get(&[2; 32]), Some(shader(4)));
        assert_eq!(loaded.get(&[3; 32]), None);
        assert_eq!(loaded.save(usize::MAX), (bytes, true));
    }

    #[test]
    fn damaged_or_foreign_data_starts_empty() {
        let (bytes, _) = filled().save(usize::MAX);
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x40;
            assert!(
                Cache::new(OWNER, &damaged).entries().is_empty(),
                "byte {at}"
            );
            assert!(
                Cache::new(OWNER, &bytes[..at]).entries().is_empty(),
                "cut at {at}"
            );
        }
        let other = Owner {
            device: 0x5912,
            ..OWNER
        };
        assert!(Cache::new(other, &bytes).entries().is_empty());
    }

    #[test]
    fn short_space_holds_whole_entries() {
        let cache = filled();
        let (bytes, _) = cache.save(usize::MAX);
        for limit in 0..bytes.len() {
            let (part, whole) = cache.save(limit);
            assert!(!whole && part.len() <= limit);
            let entries = Cache::new(OWNER, &part).entries().len();
            assert!(entries <= 1);
        }
    }

    #[test]
    fn merging_joins() {
        let (target, source) = (Cache::new(OWNER, &[]), filled());
        target.put([9; 32], &shader(1));
        target.merge(&source);
        assert_eq!(target.entries().len(), 3);
    }
}
