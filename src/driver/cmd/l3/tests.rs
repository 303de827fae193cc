//! Tests of the division of the L3.

use super::*;
use L3Partition::{WithSlm, WithoutSlm};

/// Mesa 22.3.6 writes 0x60000060 for draws and 0x60000021 for dispatches with SLM.
#[test]
fn slm_takes_ways_from_the_urb() {
    for (name, without, with) in [
        ("skl", 0x6000_0060, 0x6000_0021),
        ("skl-1902", 0x6000_0060, 0x6000_0021),
        ("glk", 0x6000_0060, 0x6000_0021),
        ("bxt-5a85", 0x6000_0040, 0x6000_0021),
    ] {
        let device = hw::Device::by_name(name).unwrap();
        let value = |partition| config(device, partition).unwrap().register_value();
        assert_eq!(
            (value(WithoutSlm), value(WithSlm)),
            (without, with),
            "{name}"
        );
    }
    assert_eq!(config(hw::Device::by_name("tgl").unwrap(), WithSlm), None);
}

/// The sum of all slices ends at 1008 KiB, which parts with three slices exceed.
#[test]
fn draws_divide_the_urb_of_one_slice() {
    for (name, kib) in [
        ("skl", 384),
        ("skl-1902", 192),
        ("bxt", 192),
        ("bxt-5a85", 128),
        ("skl-1923", 384),
        ("skl-1932", 336),
        ("tgl", 0),
    ] {
        let device = hw::Device::by_name(name).unwrap();
        assert_eq!(draw_urb_bytes(device), kib << 10, "{name}");
    }
}

#[test]
fn the_first_command_of_a_batch_changes_nothing() {
    for first in [WithoutSlm, WithSlm] {
        let mut used = L3Use::default();
        assert!(!used.require(first) && !used.require(first));
        assert_eq!((used.first, used.last), (Some(first), Some(first)));
    }
}

#[test]
fn only_other_partitions_are_changes() {
    let mut used = L3Use::default();
    let changes = [WithoutSlm, WithSlm, WithSlm, WithoutSlm].map(|next| used.require(next));
    assert_eq!(changes, [false, true, false, true]);
    assert_eq!(
        (used.first, used.last),
        (Some(WithoutSlm), Some(WithoutSlm))
    );
}

#[test]
fn batches_follow_each_other() {
    let batch = |first, last| L3Use { first, last };
    let none = batch(None, None);
    let draws = batch(Some(WithoutSlm), Some(WithoutSlm));
    let shared = batch(Some(WithSlm), Some(WithSlm));
    let both = batch(Some(WithSlm), Some(WithoutSlm));
    let context = batch(None, Some(WithoutSlm));
    let run = |batches: &[L3Use]| -> Vec<Option<L3Partition>> {
        let mut queue = L3Use::default();
        batches.iter().map(|next| queue.append(*next)).collect()
    };
    assert_eq!(run(&[context, draws, none, draws]), [None; 4]);
    assert_eq!(
        run(&[context, shared, none, shared, draws]),
        [None, Some(WithSlm), None, None, Some(WithoutSlm)]
    );
    assert_eq!(
        run(&[context, both, both, draws]),
        [None, Some(WithSlm), Some(WithSlm), None]
    );
    // Nothing is known before: the batch as a whole needs what its first part needs.
    let mut queue = L3Use::default();
    assert_eq!(queue.append(both), None);
    assert_eq!(queue, both);
}
