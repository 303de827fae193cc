//! Which threads a walk has: workgroups, counts, execution masks, predicates.

use super::{RECORD, WALKER, batch, nothing, options, record, recorded, shape, walk};
use crate::options::Options;
use crate::testing::{DATA, Rig, end};
use eu::StopReason;
use hw::{media, mi, register};

#[test]
fn every_workgroup_of_the_walk_has_its_threads() {
    // Two by two by two workgroups, of three threads side by side.
    let (first, end) = ([1, 2, 1], [3, 4, 3]);
    let set = shape([3, 1, 1], first, end);
    let found = recorded(&set, &[], 96);
    let mut expected = 0;
    for z in 1..3 {
        for y in 2..4 {
            for x in 1..3 {
                for i in 0..3 {
                    let record = &found[i + 4 * x + 8 * y + 16 * z];
                    // Thread, x, nothing, scratch, binding table, scratch, y, z.
                    let [i, x, y, z] = [i, x, y, z].map(|n| n as u32);
                    let payload = [i, x, 0, 0, 0, i, y, z];
                    assert_eq!(record[..8], payload, "{x} {y} {z}");
                    expected += 1;
                }
            }
        }
    }
    let ran = found.iter().filter(|r| r.iter().any(|d| *d != 0)).count();
    assert_eq!(ran, expected);
}

#[test]
fn indirect_workgroup_counts_come_from_registers() {
    use media::gpgpu_walker as f;
    let mut rig = Rig::new(options());
    rig.load_kernel(&record(), 1);
    let set = [
        shape([1; 3], [0; 3], [9; 3]),
        vec![(WALKER, f::INDIRECT_PARAMETER_ENABLE, 1)],
    ]
    .concat();
    let mut words = Vec::new();
    let registers = [
        register::GPGPU_DISPATCHDIMX,
        register::GPGPU_DISPATCHDIMY,
        register::GPGPU_DISPATCHDIMZ,
    ];
    for (register, value) in registers.into_iter().zip([3, 2, 1]) {
        words.extend([mi::mi_load_register_imm::PACKET.header, register, value]);
    }
    words.extend(batch(&set));
    let report = rig.execute(&words).expect("runs");
    assert_eq!((report.dispatches, report.threads), (1, 6));
    let ids = |x: usize, y: usize| {
        let at = (4 * x + 8 * y) * RECORD * 4;
        let found = rig.read(DATA + at as u64, 8);
        [found[1], found[6], found[7]]
    };
    assert_eq!([ids(1, 0), ids(2, 1)], [[1, 0, 0], [2, 1, 0]]);
}

#[test]
fn predicated_walkers_are_skipped() {
    use media::gpgpu_walker as f;
    for (asks, predicate) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        let mut rig = Rig::new(options());
        rig.load_kernel(&record(), 1);
        let load = [
            mi::mi_load_register_imm::PACKET.header,
            register::MI_PREDICATE_RESULT,
            predicate,
        ];
        let words = [load.to_vec(), batch(&[(WALKER, f::PREDICATE_ENABLE, asks)])].concat();
        let report = rig.execute(&words).expect("runs");
        let expected = u64::from(asks == 0 || predicate == 1);
        assert_eq!((report.dispatches, report.threads), (expected, expected));
    }
}

#[test]
fn right_and_bottom_execution_masks() {
    use media::gpgpu_walker as f;
    for (code, all) in [(0, 0xff), (1, 0xffff), (2, u32::MAX)] {
        let (right, bottom) = (0x0f0f_1f3f, 0x7777_7773);
        let set = [
            shape([2, 2, 1], [0; 3], [1; 3]),
            vec![
                (WALKER, f::SIMD_SIZE, code),
                (WALKER, f::RIGHT_EXECUTION_MASK, right.into()),
                (WALKER, f::BOTTOM_EXECUTION_MASK, bottom.into()),
            ],
        ]
        .concat();
        let masks: Vec<_> = recorded(&set, &[], 4).iter().map(|r| r[8]).collect();
        assert_eq!(
            masks,
            [all, all & right, all & bottom, all & right & bottom],
            "{code}"
        );
    }
    // Threads behind each other are in the last column and row of their own plane.
    let masks = [
        (WALKER, f::RIGHT_EXECUTION_MASK, 0x0f),
        (WALKER, f::BOTTOM_EXECUTION_MASK, 0x3c),
    ];
    let set = [shape([1, 2, 2], [0; 3], [1; 3]), masks.to_vec()].concat();
    let masks: Vec<_> = recorded(&set, &[], 4).iter().map(|r| r[8]).collect();
    assert_eq!(masks, [0x0f, 0x0c, 0x0f, 0x0c]);
}

#[test]
fn workgroup_thread_count_limit() {
    for (threads, fits) in [
        ([64, 2, 1], true),
        ([8, 4, 4], true),
        ([43, 3, 1], false),
        ([64, 64, 64], false),
    ] {
        let found = walk(&[nothing()], &shape(threads, [0; 3], [1; 3]), options());
        match found {
            Ok(report) => assert!(fits && report.threads == threads.iter().product::<u64>()),
            Err(stop) => assert!(
                !fits && matches!(stop, StopReason::Fault { .. }),
                "{stop:?}"
            ),
        }
    }
    // None at all, and more than there can be.
    for (first, end, fits) in [
        ([0; 3], [0, 1, 1], true),
        ([0; 3], [1, 0, 1], true),
        ([0; 3], [1, 1, 0], true),
        ([2, 0, 0], [2, 1, 1], true),
        ([3, 0, 0], [2, 1, 1], true),
        ([0; 3], [0xffff_ffff; 3], false),
    ] {
        let found = walk(&[nothing()], &shape([1; 3], first, end), options());
        assert_eq!(
            found.as_ref().map(|r| r.threads).ok(),
            fits.then_some(0),
            "{found:?}"
        );
    }
}

#[test]
fn cs_invocations_count_enabled_channels() {
    use media::gpgpu_walker as f;
    let count = register::CS_INVOCATION_COUNT;
    // All of them, and three of each group's last thread.
    for (code, simd, last) in [(0, 8, 8), (1, 16, 16), (2, 32, 32), (1, 16, 3), (2, 32, 3)] {
        let mut rig = Rig::new(Options {
            profile: true,
            ..options()
        });
        rig.load_kernel(&[nothing()], 1);
        let set = [
            shape([2, 1, 1], [0; 3], [3, 1, 1]),
            vec![
                (WALKER, f::SIMD_SIZE, code),
                (
                    WALKER,
                    f::RIGHT_EXECUTION_MASK,
                    u64::from(u32::MAX >> (32 - last)),
                ),
                (WALKER, f::BOTTOM_EXECUTION_MASK, u64::from(u32::MAX)),
            ],
        ]
        .concat();
        let mut words = batch(&set);
        words.pop();
        for (i, register) in (0..).zip([count, count + 4]) {
            let mut store = mi::mi_store_register_mem::PACKET.words::<4>().dwords;
            mi::mi_store_register_mem::REGISTER_ADDRESS.set(&mut store, register.into());
            mi::mi_store_register_mem::MEMORY_ADDRESS.set(&mut store, DATA + 4 * i);
            words.extend(store);
        }
        end(&mut words);
        rig.write(DATA, &[9; 2]);
        let report = rig.execute(&words).expect("runs");
        let invocations = 3 * (simd + last);
        assert_eq!(rig.read(DATA, 2), [invocations, 0], "{simd} {last}");
        // The profile has it, too.
        let [work] = &report.work[..] else {
            panic!("{:?}", report.work);
        };
        let stage = &work.stages[0];
        assert_eq!((stage.threads, stage.invocations), (6, invocations.into()));
        assert_eq!(stage.statistics.instructions, report.instructions);
        // Each thread is two cycles of a move, and the end's slot and reading of a register: see
        // `eu::clock::tests`.
        let s = stage.statistics;
        assert_eq!((s.busy, s.alone), (6 * 2, 6 * (2 + 2 + 8 + 2)));
        assert_eq!(
            (report.dispatches, report.messages),
            (1, stage.messages.total())
        );
    }
}
