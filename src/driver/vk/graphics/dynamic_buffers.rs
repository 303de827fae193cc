//! Indices of dynamic buffers in the layout of a linked pipeline.
//!
//! In:  push data of a stage that was compiled with the layout of its library. Out: the same push
//!      data for the layout of the pipeline, in which sets that the library does not have may come
//!      first.
//! Ref: Vulkan, VK_PIPELINE_LAYOUT_CREATE_INDEPENDENT_SETS_BIT_EXT.

use abi::{DriverValue, PushData, PushedBuffer};

use crate::descriptor::PipelineLayout;

/// The index of each set's first dynamic buffer in the union of layouts. A set has as many as the
/// layout that has most: layouts without the set have none.
pub(super) fn first_indices<'a>(layouts: impl Iterator<Item = &'a PipelineLayout>) -> Vec<u32> {
    let mut counts = Vec::new();
    for layout in layouts {
        counts.resize(counts.len().max(layout.sets.len()), 0);
        for (count, set) in counts.iter_mut().zip(&layout.sets) {
            *count = set.dynamic_count().max(*count);
        }
    }
    let mut next = 0;
    for count in &mut counts {
        next += std::mem::replace(count, next);
    }
    counts
}

/// Push data with the indices of another layout, given by each set's first index. `None` if no
/// index changes.
pub(super) fn relocate(push: &PushData, from: &PipelineLayout, first: &[u32]) -> Option<PushData> {
    let moved = |index: u32| {
        let sets = from.sets.iter().zip(from.dynamic_bases());
        let mut sets = sets.zip(first);
        let found =
            sets.find(|((set, base), _)| (*base..*base + set.dynamic_count()).contains(&index));
        found.map_or(index, |((_, base), first)| index - base + first)
    };
    let mut out = push.clone();
    for value in &mut out.driver {
        if let DriverValue::DynamicHandle { index } | DriverValue::DynamicDescriptor { index, .. } =
            value
        {
            *index = moved(*index);
        }
    }
    for range in &mut out.ranges {
        if let PushedBuffer::Dynamic { index } = &mut range.buffer {
            *index = moved(*index);
        }
    }
    (out != *push).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::descriptor::{BindingInfo, SetLayout};
    use ash::vk as api;
    use std::sync::Arc;

    fn layout(dynamic: &[u32]) -> PipelineLayout {
        let kind = api::DescriptorType::UNIFORM_BUFFER_DYNAMIC;
        let sets = dynamic.iter().map(|&count| {
            let bindings = (count > 0).then(|| BindingInfo::plain(0, kind, count));
            Arc::new(SetLayout::new(bindings, false).unwrap())
        });
        PipelineLayout::new(&sets.collect::<Vec<_>>(), &[]).unwrap()
    }

    #[test]
    fn indices_follow_the_sets_of_all_layouts() {
        let (first, second) = (layout(&[2, 0, 1]), layout(&[0, 3]));
        let all = first_indices([&first, &second].into_iter());
        assert_eq!(all, [0, 2, 5]);
        let push = PushData {
            driver: vec![
                DriverValue::DynamicHandle { index: 1 },
                DriverValue::DynamicDescriptor { index: 2, more: 7 },
                DriverValue::SetHandle { set: 2 },
            ],
            ..PushData::default()
        };
        let moved = relocate(&push, &first, &all).unwrap();
        assert_eq!(
            moved.driver,
            [
                DriverValue::DynamicHandle { index: 1 },
                DriverValue::DynamicDescriptor { index: 5, more: 7 },
                DriverValue::SetHandle { set: 2 },
            ]
        );
        // The same layout changes nothing.
        let bases: Vec<_> = first.dynamic_bases().collect();
        assert_eq!(relocate(&push, &first, &bases), None);
    }
}
