//! Looking up what was compiled before: in the application's pipeline cache, then on disk.
//!
//! In:  names of items, and new items. Out: items, and where they were found.

use crate::cache::PipelineCache;
use crate::cache_entry::{read_item, write_item};
use crate::cache_item::{Item, ItemName};
use crate::context::Context;

/// Whether there is a cache to look anything up in.
pub fn has_caches(context: &Context, cache: Option<&PipelineCache>) -> bool {
    !is_off(context) && (cache.is_some() || context.disk_cache.is_some())
}

/// An item, and whether the application's cache has it. One that is found on disk is added to the
/// application's cache.
pub fn find(
    context: &Context,
    cache: Option<&PipelineCache>,
    name: &ItemName,
) -> Option<(Item, bool)> {
    if is_off(context) {
        return None;
    }
    if let Some(item) = cache.and_then(|cache| cache.get(name)) {
        return Some((item, true));
    }
    let bytes = context.disk_cache.as_ref()?.load(name)?;
    let item = read_item(name.kind, &bytes)?;
    if let Some(cache) = cache {
        cache.insert(*name, item.clone());
    }
    Some((item, false))
}

/// Adds a new item to both caches; not to the one on disk if it `is_private`.
pub fn store(
    context: &Context,
    cache: Option<&PipelineCache>,
    name: ItemName,
    item: &Item,
    is_private: bool,
) {
    if is_off(context) {
        return;
    }
    if let Some(disk_cache) = context.disk_cache.as_ref().filter(|_| !is_private) {
        let mut bytes = Vec::new();
        write_item(&mut bytes, item);
        disk_cache.store(&name, &bytes);
    }
    if let Some(cache) = cache {
        cache.insert(name, item.clone());
    }
}

/// Whether nothing is looked up.
pub fn is_off(context: &Context) -> bool {
    context.physical.diagnosis().has(debug::Flag::NoCache)
}
