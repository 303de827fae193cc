//! Shader code in the instruction heap, shared by all pipelines with equal code.
//!
//! In:  machine code and constant data. Out: [`UploadedCode`], the same for the same bytes as long
//!      as one of its users lives. Pipelines with common shaders then have common packets, and
//!      draws with one after the other need not emit them again.

use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use rustc_hash::{FxHashMap, FxHasher};

/// Where code and its constant data are.
#[derive(Debug)]
pub struct CodeMemory {
    /// The code, followed by the data.
    pub memory: i915::PoolAllocation,
    /// Surface of the data, if there is any.
    pub surface: Option<i915::HeapAllocation>,
}

/// Code in the instruction heap, and its constant data.
#[derive(Debug)]
pub struct UploadedCode<M = CodeMemory> {
    /// The shader whose code and data these are.
    shader: Arc<abi::ShaderBinary>,
    /// Where they are.
    pub place: M,
}

impl<M> UploadedCode<M> {
    fn is_of(&self, shader: &abi::ShaderBinary) -> bool {
        self.shader.code == shader.code && self.shader.constants == shader.constants
    }
}

/// A shader whose code is uploaded.
#[derive(Debug)]
struct KnownShader<M> {
    /// Its memory is not reused as long as this exists, so no other shader has its address.
    shader: Weak<abi::ShaderBinary>,
    code: Weak<UploadedCode<M>>,
}

#[derive(Debug)]
struct Table<M> {
    /// By the address of the shader, which a pipeline cache returns for each of its pipelines.
    by_shader: FxHashMap<usize, KnownShader<M>>,
    /// By a hash of the bytes.
    by_hash: FxHashMap<u64, Weak<UploadedCode<M>>>,
    /// Number of entries of either table at which those without users are removed.
    sweep_len: usize,
}

impl<M> Table<M> {
    /// Removes entries without users if a table is full.
    fn sweep(&mut self) {
        let len = |table: &Self| table.by_hash.len().max(table.by_shader.len());
        if len(self) < self.sweep_len {
            return;
        }
        self.by_hash.retain(|_, code| code.strong_count() > 0);
        self.by_shader
            .retain(|_, known| known.shader.strong_count().min(known.code.strong_count()) > 0);
        self.sweep_len = (2 * len(self)).max(MIN_SWEEP_LEN);
    }

    fn insert_shader(&mut self, shader: &Arc<abi::ShaderBinary>, code: &Arc<UploadedCode<M>>) {
        let known = KnownShader {
            shader: Arc::downgrade(shader),
            code: Arc::downgrade(code),
        };
        self.by_shader.insert(Arc::as_ptr(shader).addr(), known);
    }
}

/// The code of a device.
#[derive(Debug)]
pub struct UploadedCodes<M = CodeMemory>(Mutex<Table<M>>);

impl<M> Default for UploadedCodes<M> {
    fn default() -> Self {
        Self(Mutex::new(Table {
            by_shader: FxHashMap::default(),
            by_hash: FxHashMap::default(),
            sweep_len: MIN_SWEEP_LEN,
        }))
    }
}

/// Number of entries below which none is removed.
const MIN_SWEEP_LEN: usize = 64;

fn hash(shader: &abi::ShaderBinary) -> u64 {
    let mut hasher = FxHasher::default();
    shader.code.hash(&mut hasher);
    shader.constants.data.hash(&mut hasher);
    hasher.finish()
}

impl<M> UploadedCodes<M> {
    /// Returns the uploaded code of a shader, or uploads it. Two threads may upload the same code:
    /// both copies are valid.
    pub fn find_or_upload<E>(
        &self,
        shader: &Arc<abi::ShaderBinary>,
        upload: impl FnOnce() -> Result<M, E>,
    ) -> Result<Arc<UploadedCode<M>>, E> {
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let address = Arc::as_ptr(shader).addr();
        let known = |table: &Table<M>| table.by_shader.get(&address)?.code.upgrade();
        if let Some(known) = known(&lock()) {
            return Ok(known);
        }
        let key = hash(shader);
        let known = lock().by_hash.get(&key).and_then(Weak::upgrade);
        if let Some(known) = known.filter(|known| known.is_of(shader)) {
            let mut table = lock();
            table.sweep();
            table.insert_shader(shader, &known);
            return Ok(known);
        }
        let uploaded = Arc::new(UploadedCode {
            shader: shader.clone(),
            place: upload()?,
        });
        let mut table = lock();
        table.sweep();
        table.insert_shader(shader, &uploaded);
        // Of two shaders with the same hash, the first keeps its entry.
        let entry = table.by_hash.entry(key).or_default();
        if entry.strong_count() == 0 {
            *entry = Arc::downgrade(&uploaded);
        }
        Ok(uploaded)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shader(code: &[u8], data: &[u8]) -> Arc<abi::ShaderBinary> {
        Arc::new(abi::ShaderBinary {
            code: code.to_vec(),
            constants: abi::ConstantData {
                data: data.to_vec(),
                ..abi::ConstantData::default()
            },
            variants: Vec::new(),
            preferred: 0,
            push: abi::PushData::default(),
            stage: abi::StageInfo::Compute(abi::ComputeInfo::default()),
        })
    }

    /// A number of its own for each upload.
    fn uploaded(
        codes: &UploadedCodes<u32>,
        shader: &Arc<abi::ShaderBinary>,
        next: u32,
    ) -> Arc<UploadedCode<u32>> {
        codes.find_or_upload::<()>(shader, || Ok(next)).unwrap()
    }

    #[test]
    fn equal_code_is_uploaded_once_while_it_is_used() {
        let codes = UploadedCodes::default();
        let first = uploaded(&codes, &shader(b"code", b"data"), 1);
        let same = uploaded(&codes, &shader(b"code", b"data"), 2);
        assert!(Arc::ptr_eq(&first, &same));
        assert_eq!(uploaded(&codes, &shader(b"code", b"date"), 3).place, 3);
        assert_eq!(uploaded(&codes, &shader(b"core", b"data"), 4).place, 4);
        drop((first, same));
        assert_eq!(uploaded(&codes, &shader(b"code", b"data"), 5).place, 5);
        let failed = codes.find_or_upload(&shader(b"other", b""), || Err("no memory"));
        assert_eq!(failed.unwrap_err(), "no memory");
        assert_eq!(uploaded(&codes, &shader(b"other", b""), 6).place, 6);
    }

    #[test]
    fn code_of_the_same_hash_is_not_shared() {
        let codes = UploadedCodes::default();
        let code = shader(b"code", b"data");
        let first = uploaded(&codes, &code, 1);
        for other in [shader(b"other", b"data"), shader(b"code", b"other")] {
            // As if both had one hash.
            let entry = Arc::downgrade(&first);
            codes.0.lock().unwrap().by_hash.insert(hash(&other), entry);
            assert_eq!(uploaded(&codes, &other, 2).place, 2);
        }
        assert_eq!(uploaded(&codes, &code, 3).place, 1);
    }

    #[test]
    fn a_shader_is_known_by_its_address_as_long_as_its_code_is_used() {
        let codes = UploadedCodes::default();
        let code = shader(b"code", b"data");
        let equal = shader(b"code", b"data");
        let first = uploaded(&codes, &code, 1);
        // Found by its bytes, then by its address.
        for _ in 0..2 {
            assert!(Arc::ptr_eq(&first, &uploaded(&codes, &equal, 2)));
            codes.0.lock().unwrap().by_hash.clear();
        }
        drop(first);
        assert_eq!(uploaded(&codes, &code, 3).place, 3);
        assert_eq!(uploaded(&codes, &equal, 4).place, 4);
    }

    #[test]
    fn entries_without_users_are_removed() {
        let codes = UploadedCodes::default();
        let used = uploaded(&codes, &shader(b"used", b""), 0);
        for number in 0..1000_u32 {
            uploaded(&codes, &shader(&number.to_le_bytes(), b""), number);
        }
        let table = codes.0.lock().unwrap();
        let entries = [table.by_hash.len(), table.by_shader.len()];
        drop(table);
        assert!(
            entries.iter().all(|&entries| entries <= MIN_SWEEP_LEN),
            "{entries:?} entries"
        );
        assert!(Arc::ptr_eq(
            &used,
            &uploaded(&codes, &shader(b"used", b""), 1)
        ));
    }
}
