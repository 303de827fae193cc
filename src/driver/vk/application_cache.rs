//! Pipeline caches of the application.
//!
//! In:  the parameters of pipelines. Out: pipelines; one that was created from the same parameters
//!      before is the same.
//!
//! Applications create the same pipelines again, for example when a window changes its size. A
//! cache retains them as long as it exists, besides the compiled shaders, which alone are
//! serialised.

use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;

use crate::cache::{CacheOwner, PipelineCache};
use crate::context::Context;
use crate::descriptor::PipelineLayout;
use crate::error::Result;
use crate::graphics::{self, GraphicsPipelineInfo};
use crate::pipeline::{Pipeline, ShaderInfo};
use crate::pipeline_key::{KeyWords, may_be_retained};

/// `VkPipelineCache`.
#[derive(Debug)]
pub struct ApplicationCache {
    /// Compiled shaders.
    pub shaders: PipelineCache,
    compute: RetainedPipelines<Pipeline>,
    graphics: RetainedPipelines<graphics::Pipeline>,
}

impl ApplicationCache {
    /// Creates a cache with the shaders of `data`, if it is ours and undamaged.
    pub fn new(owner: CacheOwner, data: &[u8]) -> Self {
        Self {
            shaders: PipelineCache::new(owner, data),
            compute: RetainedPipelines::default(),
            graphics: RetainedPipelines::default(),
        }
    }
}

/// The compute pipeline that the cache retains for these parameters, or a new one, which it retains
/// from then on. Also returns whether the cache had the pipeline or its shader.
pub fn compute_pipeline(
    context: &Arc<Context>,
    cache: Option<&ApplicationCache>,
    info: &ShaderInfo,
) -> Result<(Arc<Pipeline>, bool)> {
    let shaders = cache.map(|cache| &cache.shaders);
    let create = || Pipeline::compute(context, shaders, info).map(Arc::new);
    let Some(cache) = cache.filter(|_| may_be_retained(context, info)) else {
        let new = create()?;
        let was_cached = new.was_cached();
        return Ok((new, was_cached));
    };
    let mut key = KeyWords::new();
    key.add(info);
    if let Some(retained) = cache.compute.get(&key) {
        return Ok((retained, true));
    }
    let new = create()?;
    let layouts = std::iter::once(&info.layout);
    cache.compute.insert(key, &new, layouts);
    let was_cached = new.was_cached();
    Ok((new, was_cached))
}

/// The graphics pipeline that the cache retains for these parameters, or a new one, which it
/// retains from then on. Also returns whether the cache had each of its shaders.
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
    if let Some(retained) = cache.graphics.get(&key) {
        let hits = retained.cached().map(|_| true).collect();
        return Ok((retained, hits));
    }
    let stages = info.stages.iter().map(|stage| &stage.layout);
    let layouts: Vec<_> = stages.chain(&info.layout).cloned().collect();
    let new = create(info)?;
    cache.graphics.insert(key, &new, layouts.iter());
    let hits = new.cached().collect();
    Ok((new, hits))
}

/// A pipeline that a pipeline cache retains.
#[derive(Debug)]
struct RetainedPipeline<P> {
    pipeline: Arc<P>,
    /// The layouts that its key has the addresses of.
    _layouts: Vec<Arc<abi::PipelineLayout>>,
}

/// Maximum number of pipelines that a cache retains. All are dropped when there are more.
const MAX_RETAINED: usize = 1024;

/// The pipelines of one kind that a pipeline cache retains, as long as it exists.
#[derive(Debug)]
struct RetainedPipelines<P>(Mutex<FxHashMap<KeyWords, RetainedPipeline<P>>>);

impl<P> Default for RetainedPipelines<P> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<P> RetainedPipelines<P> {
    /// The pipeline with a key.
    fn get(&self, key: &KeyWords) -> Option<Arc<P>> {
        let retained = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Some(retained.get(key)?.pipeline.clone())
    }

    /// Keeps a pipeline. `layouts` are those in its key.
    fn insert<'a>(
        &self,
        key: KeyWords,
        pipeline: &Arc<P>,
        layouts: impl Iterator<Item = &'a Arc<PipelineLayout>>,
    ) {
        let new = RetainedPipeline {
            pipeline: pipeline.clone(),
            _layouts: layouts.map(|layout| layout.shared_abi().clone()).collect(),
        };
        let mut retained = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let dropped = match retained.len() >= MAX_RETAINED {
            true => std::mem::take(&mut *retained),
            false => FxHashMap::default(),
        };
        retained.insert(key, new);
        // Their memory is freed without the lock.
        drop(retained);
        drop(dropped);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_retained_pipeline_is_found_by_its_key() {
        let retained = RetainedPipelines::default();
        let key = |word: u32| {
            let mut key = KeyWords::new();
            key.add(&word);
            key
        };
        let pipeline = Arc::new("pipeline");
        retained.insert(key(1), &pipeline, std::iter::empty());
        assert!(Arc::ptr_eq(&retained.get(&key(1)).unwrap(), &pipeline));
        assert!(retained.get(&key(2)).is_none());
    }

    #[test]
    fn the_number_of_retained_pipelines_is_bounded() {
        let retained = RetainedPipelines::default();
        let pipeline = Arc::new(());
        for word in 0..3 * MAX_RETAINED as u32 + 1 {
            let mut key = KeyWords::new();
            key.add(&word);
            retained.insert(key, &pipeline, std::iter::empty());
        }
        assert!(Arc::strong_count(&pipeline) <= MAX_RETAINED + 1);
    }
}
