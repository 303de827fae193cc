//! Pipeline caches of the application.
//!
//! In:  the parameters of pipelines. Out: pipelines; one that was created from the same parameters
//!      before is the same.
//!
//! Applications create the same pipelines again, for example when a window changes its size. A
//! cache keeps them as long as it exists, besides the compiled shaders, which alone are serialised.

use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;

use crate::cache::{CacheOwner, PipelineCache};
use crate::context::Context;
use crate::descriptor::PipelineLayout;
use crate::error::Result;
use crate::graphics::{self, GraphicsPipelineInfo};
use crate::pipeline::{Pipeline, ShaderInfo};
use crate::pipeline_key::{KeyWords, may_be_kept};

/// `VkPipelineCache`.
#[derive(Debug)]
pub struct ApplicationCache {
    /// Compiled shaders.
    pub shaders: PipelineCache,
    compute: KeptPipelines<Pipeline>,
    graphics: KeptPipelines<graphics::Pipeline>,
}

impl ApplicationCache {
    /// Creates a cache with the shaders of `data`, if it is ours and undamaged.
    pub fn new(owner: CacheOwner, data: &[u8]) -> Self {
        Self {
            shaders: PipelineCache::new(owner, data),
            compute: KeptPipelines::default(),
            graphics: KeptPipelines::default(),
        }
    }
}

/// The compute pipeline that the cache keeps for these parameters, or a new one, which it keeps
/// from then on. Also returns whether the cache had the pipeline or its shader.
pub fn compute_pipeline(
    context: &Arc<Context>,
    cache: Option<&ApplicationCache>,
    info: &ShaderInfo,
) -> Result<(Arc<Pipeline>, bool)> {
    let shaders = cache.map(|cache| &cache.shaders);
    let create = || Pipeline::compute(context, shaders, info).map(Arc::new);
    let Some(cache) = cache.filter(|_| may_be_kept(context, info)) else {
        let new = create()?;
        let was_cached = new.was_cached();
        return Ok((new, was_cached));
    };
    let mut key = KeyWords::new();
    key.add(info);
    if let Some(kept) = cache.compute.get(&key) {
        return Ok((kept, true));
    }
    let new = create()?;
    let layouts = std::iter::once(&info.layout);
    cache.compute.insert(key, &new, layouts);
    let was_cached = new.was_cached();
    Ok((new, was_cached))
}

/// The graphics pipeline that the cache keeps for these parameters, or a new one, which it keeps
/// from then on. Also returns whether the cache had each of its shaders.
pub fn graphics_pipeline(
    context: &Arc<Context>,
    cache: Option<&ApplicationCache>,
    info: GraphicsPipelineInfo<'_>,
) -> Result<(Arc<graphics::Pipeline>, Vec<bool>)> {
    let shaders = cache.map(|cache| &cache.shaders);
    let create = |info| graphics::Pipeline::new(context, shaders, info).map(Arc::new);
    let key = cache.and_then(|cache| Some((cache, graphics::key(context, &info)?)));
    let Some((cache, key)) = key else {
        let new = create(info)?;
        let hits = new.cached().collect();
        return Ok((new, hits));
    };
    if let Some(kept) = cache.graphics.get(&key) {
        let hits = kept.cached().map(|_| true).collect();
        return Ok((kept, hits));
    }
    let stages = info.stages.iter().map(|stage| &stage.layout);
    let layouts: Vec<_> = stages.chain(&info.layout).cloned().collect();
    let new = create(info)?;
    cache.graphics.insert(key, &new, layouts.iter());
    let hits = new.cached().collect();
    Ok((new, hits))
}

/// A pipeline that a pipeline cache keeps.
#[derive(Debug)]
struct KeptPipeline<P> {
    pipeline: Arc<P>,
    /// The layouts that its key has the addresses of.
    _layouts: Vec<Arc<abi::PipelineLayout>>,
}

/// Maximum number of pipelines that a cache keeps. All are dropped when there are more.
const MAX_KEPT: usize = 1024;

/// The pipelines of one kind that a pipeline cache keeps, as long as it exists.
#[derive(Debug)]
struct KeptPipelines<P>(Mutex<FxHashMap<KeyWords, KeptPipeline<P>>>);

impl<P> Default for KeptPipelines<P> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<P> KeptPipelines<P> {
    /// The pipeline with a key.
    fn get(&self, key: &KeyWords) -> Option<Arc<P>> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Some(kept.get(key)?.pipeline.clone())
    }

    /// Keeps a pipeline. `layouts` are those in its key.
    fn insert<'a>(
        &self,
        key: KeyWords,
        pipeline: &Arc<P>,
        layouts: impl Iterator<Item = &'a Arc<PipelineLayout>>,
    ) {
        let new = KeptPipeline {
            pipeline: pipeline.clone(),
            _layouts: layouts.map(|layout| layout.shared_abi().clone()).collect(),
        };
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let dropped = match kept.len() >= MAX_KEPT {
            true => std::mem::take(&mut *kept),
            false => FxHashMap::default(),
        };
        kept.insert(key, new);
        // Their memory is freed without the lock.
        drop(kept);
        drop(dropped);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kept_pipeline_is_found_by_its_key() {
        let kept = KeptPipelines::default();
        let key = |word: u32| {
            let mut key = KeyWords::new();
            key.add(&word);
            key
        };
        let pipeline = Arc::new("pipeline");
        kept.insert(key(1), &pipeline, std::iter::empty());
        assert!(Arc::ptr_eq(&kept.get(&key(1)).unwrap(), &pipeline));
        assert!(kept.get(&key(2)).is_none());
    }

    #[test]
    fn the_number_of_kept_pipelines_is_bounded() {
        let kept = KeptPipelines::default();
        let pipeline = Arc::new(());
        for word in 0..3 * MAX_KEPT as u32 + 1 {
            let mut key = KeyWords::new();
            key.add(&word);
            kept.insert(key, &pipeline, std::iter::empty());
        }
        assert!(Arc::strong_count(&pipeline) <= MAX_KEPT + 1);
    }
}
