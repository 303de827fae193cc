//! Shader code in the instruction heap, shared by all pipelines with equal code.
//!
//! In:  machine code and constant data. Out: [`UploadedCode`], the same for the same bytes as long
//!      as one of its users lives. Pipelines with common shaders then have common packets, and
//!      draws with one after the other need not emit them again.

use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use rustc_hash::{FxHashMap, FxHasher};

/// Code in the instruction heap, and its constant data.
#[derive(Debug)]
pub struct UploadedCode {
    /// The shader whose code and data these are.
    pub shader: Arc<abi::ShaderBinary>,
    /// The code, followed by the data.
    pub memory: i915::PoolAllocation,
    /// Surface of the data, if there is any.
    pub surface: Option<i915::HeapAllocation>,
}

impl UploadedCode {
    fn is_of(&self, shader: &abi::ShaderBinary) -> bool {
        self.shader.code == shader.code && self.shader.constants == shader.constants
    }
}

#[derive(Debug, Default)]
struct Table {
    by_hash: FxHashMap<u64, Weak<UploadedCode>>,
    /// Number of entries at which those without users are removed.
    sweep_len: usize,
}

/// The code of a device, by a hash of its bytes.
#[derive(Debug, Default)]
pub struct UploadedCodes(Mutex<Table>);

/// Number of entries below which none is removed.
const MIN_SWEEP_LEN: usize = 64;

fn hash(shader: &abi::ShaderBinary) -> u64 {
    let mut hasher = FxHasher::default();
    shader.code.hash(&mut hasher);
    shader.constants.data.hash(&mut hasher);
    hasher.finish()
}

impl UploadedCodes {
    /// Returns the uploaded code of a shader, or uploads it. Two threads may upload the same code:
    /// both copies are valid.
    pub fn find_or_upload<E>(
        &self,
        shader: &Arc<abi::ShaderBinary>,
        upload: impl FnOnce() -> Result<UploadedCode, E>,
    ) -> Result<Arc<UploadedCode>, E> {
        let key = hash(shader);
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = lock().by_hash.get(&key).and_then(Weak::upgrade);
        if let Some(known) = known.filter(|known| known.is_of(shader)) {
            return Ok(known);
        }
        let uploaded = Arc::new(upload()?);
        let mut table = lock();
        if table.by_hash.len() >= table.sweep_len {
            table.by_hash.retain(|_, code| code.strong_count() > 0);
            table.sweep_len = (2 * table.by_hash.len()).max(MIN_SWEEP_LEN);
        }
        // Of two shaders with the same hash, the first keeps its entry.
        let entry = table.by_hash.entry(key).or_default();
        if entry.strong_count() == 0 {
            *entry = Arc::downgrade(&uploaded);
        }
        Ok(uploaded)
    }
}
