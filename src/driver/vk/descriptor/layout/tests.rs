//! Tests of set layouts: offsets for shaders and for sets.

use super::super::pipeline_layout::{PipelineLayout, PushRange};
use super::*;

fn info(binding: u32, kind: api::DescriptorType, count: u32) -> BindingInfo {
    BindingInfo::plain(binding, kind, count)
}

#[test]
fn bindings_are_laid_out_by_number() {
    let layout = SetLayout::new(
        [
            info(7, api::DescriptorType::STORAGE_BUFFER, 3),
            info(0, api::DescriptorType::UNIFORM_BUFFER, 2),
            info(3, api::DescriptorType::STORAGE_BUFFER_DYNAMIC, 2),
            info(5, api::DescriptorType::UNIFORM_BUFFER, 0),
        ],
        false,
    )
    .unwrap();
    assert_eq!(
        (
            layout.size.heap_bytes,
            layout.size.dynamic,
            layout.size.descriptors
        ),
        (5 * 64, 2, 7)
    );
    let other = SetLayout::new(
        [info(1, api::DescriptorType::UNIFORM_BUFFER_DYNAMIC, 1)],
        false,
    )
    .unwrap();
    let joined = PipelineLayout::new(&[Arc::new(other), Arc::new(layout)], &[]).unwrap();
    assert!(joined.dynamic_bases().eq([0, 1]));
    let set = &joined.abi().sets[1].bindings;
    let facts: Vec<_> = set
        .iter()
        .map(|b| (b.binding, b.offset_bytes, b.dynamic_index))
        .collect();
    assert_eq!(facts, [(0, 0, 1), (3, 128, 1), (7, 128, 3)]);
}

#[test]
fn the_last_of_duplicate_bindings_is_used() {
    let kind = api::DescriptorType::UNIFORM_BUFFER;
    for (numbers, places) in [
        ([1, 1, 3], vec![(1, 0), (3, 128)]),
        ([2, 0, 2], vec![(0, 0), (2, 128)]),
    ] {
        let all = (1..).zip(numbers).map(|(count, n)| info(n, kind, count));
        let layout = Arc::new(SetLayout::new(all, false).unwrap());
        let joined = PipelineLayout::new(std::slice::from_ref(&layout), &[]).unwrap();
        let set = &joined.abi().sets[0].bindings;
        let found: Vec<_> = set.iter().map(|b| (b.binding, b.offset_bytes)).collect();
        assert_eq!(found, places, "{numbers:?}");
        // Writes and reads agree.
        for (n, at) in places {
            let written = layout.bindings_from(n).unwrap()[0];
            assert_eq!((written.info.binding, written.offset_bytes), (n, at));
        }
    }
}

#[test]
fn the_last_binding_may_have_a_variable_count() {
    let mut last = info(4, api::DescriptorType::STORAGE_BUFFER, 100);
    last.variable = true;
    let first = info(1, api::DescriptorType::INLINE_UNIFORM_BLOCK, 68);
    let layout = SetLayout::new([last, first], false).unwrap();
    // A surface state, and the bytes in two heap lines.
    assert_eq!(layout.size_and_count(3).unwrap(), (64 + 128 + 3 * 64, 3));
    assert_eq!(layout.size_and_count(0).unwrap(), (192, 0));
    assert!(layout.size_and_count(101).is_err());
    assert_eq!(layout.size.descriptors, 101);
    let fixed = SetLayout::new([first], false).unwrap();
    assert_eq!(fixed.size_and_count(0).unwrap(), (192, 68));
    assert_eq!(fixed.max_variable_count(), 0);
}

#[test]
fn the_maximum_variable_count_fits() {
    let first = info(0, api::DescriptorType::UNIFORM_BUFFER, 3);
    for kind in [
        api::DescriptorType::STORAGE_BUFFER,
        api::DescriptorType::SAMPLER,
        api::DescriptorType::SAMPLED_IMAGE,
        api::DescriptorType::STORAGE_IMAGE,
        api::DescriptorType::COMBINED_IMAGE_SAMPLER,
        api::DescriptorType::INLINE_UNIFORM_BLOCK,
    ] {
        let made = |count| {
            let mut last = info(1, kind, count);
            last.variable = true;
            SetLayout::new([first, last], false)
        };
        let max = made(4).unwrap().max_variable_count();
        assert_eq!(made(max).unwrap().max_variable_count(), max, "{kind:?}");
        assert_eq!(made(0).unwrap().max_variable_count(), max, "{kind:?}");
    }
}

#[test]
fn descriptors_have_as_many_slots_as_they_need() {
    let layout = SetLayout::new(
        [
            info(0, api::DescriptorType::SAMPLED_IMAGE, 2),
            info(1, api::DescriptorType::COMBINED_IMAGE_SAMPLER, 3),
            info(2, api::DescriptorType::SAMPLER, 1),
            info(3, api::DescriptorType::STORAGE_IMAGE, 1),
            info(4, api::DescriptorType::UNIFORM_TEXEL_BUFFER, 1),
        ],
        false,
    )
    .unwrap();
    let places: Vec<_> = layout
        .to_abi(0)
        .bindings
        .iter()
        .map(|b| (b.offset_bytes, b.stride_bytes))
        .collect();
    assert_eq!(
        places,
        [(0, 64), (128, 64), (320, 0), (320, 128), (448, 64)]
    );
    // Four samplers are packed behind the bindings, in two lines.
    let samplers = |n: usize| layout.bindings[n].samplers;
    assert_eq!(
        [0, 1, 2].map(|element| samplers(1).element_offset(element)),
        [512, 544, 576]
    );
    assert_eq!(samplers(2).element_offset(0), 608);
    assert_eq!(layout.size.heap_bytes, 640);
    let mutable = api::DescriptorType::MUTABLE_EXT;
    assert_eq!(
        descriptor_slots(mutable, &[api::DescriptorType::STORAGE_BUFFER]),
        1
    );
    assert_eq!(
        descriptor_slots(mutable, &[api::DescriptorType::STORAGE_IMAGE]),
        2
    );
    assert_eq!(descriptor_slots(mutable, &[]), 2);
}

#[test]
fn samplers_are_not_packed_if_the_count_is_variable() {
    let mut last = info(1, api::DescriptorType::COMBINED_IMAGE_SAMPLER, 8);
    last.variable = true;
    let first = info(0, api::DescriptorType::SAMPLER, 1);
    let layout = SetLayout::new([first, last], false).unwrap();
    let places = |n: usize| {
        (
            layout.bindings[n].offset_bytes,
            layout.bindings[n].samplers.element_offset(0),
        )
    };
    assert_eq!([places(0), places(1)], [(0, 0), (64, 128)]);
    assert_eq!(layout.size_and_count(2).unwrap(), (64 + 2 * 128, 2));
}

#[test]
fn push_descriptor_sets_are_limited() {
    let many = |count| info(0, api::DescriptorType::STORAGE_BUFFER, count);
    assert!(SetLayout::new([many(limits::MAX_PUSH_DESCRIPTORS)], true).is_ok());
    assert!(SetLayout::new([many(limits::MAX_PUSH_DESCRIPTORS + 1)], true).is_err());
}

#[test]
fn oversized_layouts_are_refused() {
    let huge = info(0, api::DescriptorType::STORAGE_BUFFER, u32::MAX);
    assert!(SetLayout::new([huge], false).is_err());
    let range = PushRange {
        offset_bytes: u32::MAX,
        bytes: 4,
    };
    assert!(PipelineLayout::new(&[], &[range]).is_err());
}

#[test]
fn large_layouts_have_indirect_descriptors() {
    let storage = api::DescriptorType::STORAGE_BUFFER;
    let inline = api::DescriptorType::INLINE_UNIFORM_BLOCK;
    let layout = |bindings: &[BindingInfo]| SetLayout::new(bindings.iter().copied(), false);
    // 2^14 surfaces are 1 MiB.
    let small = layout(&[info(0, storage, 1 << 14)]).unwrap();
    assert!(!small.indirect && small.is_stateless);
    let sampled = api::DescriptorType::COMBINED_IMAGE_SAMPLER;
    let large = [
        info(0, storage, 3),
        info(2, inline, 20),
        info(5, sampled, 1 << 14),
    ];
    let large = Arc::new(layout(&large).unwrap());
    assert!(large.indirect && !large.is_stateless);
    let abi = PipelineLayout::new(std::slice::from_ref(&large), &[])
        .unwrap()
        .abi()
        .clone();
    let places: Vec<_> = abi.sets[0]
        .bindings
        .iter()
        .map(|b| (b.binding, b.offset_bytes, b.stride_bytes, b.static_at_bind))
        .collect();
    // 16 bytes for each descriptor; the 20 bytes of the block are padded to 32.
    let expected = [(0, 0, 16, false), (2, 48, 16, false), (5, 80, 16, false)];
    assert_eq!(places, expected);
    assert!(abi.sets[0].indirect);
    assert_eq!(large.size.heap_bytes, 80 + (16 << 14));
    // Dynamic buffers need surfaces: such a set is as large as the heap allows.
    let dynamic = api::DescriptorType::STORAGE_BUFFER_DYNAMIC;
    let mixed = layout(&[info(0, storage, 1 << 15), info(1, dynamic, 1)]).unwrap();
    assert!(!mixed.indirect);
    let mixed = layout(&[info(0, storage, 1 << 20), info(1, dynamic, 1)]);
    assert!(mixed.is_err());
    assert!(layout(&[info(0, storage, 1 << 24)]).is_ok());
    assert!(layout(&[info(0, storage, (1 << 24) + 1)]).is_err());
    let pushed = SetLayout::new([info(0, storage, 4)], true).unwrap();
    assert!(!pushed.indirect);
}
