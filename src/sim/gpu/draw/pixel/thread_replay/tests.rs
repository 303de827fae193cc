//! Threads that are not run again leave what they would have left.

use crate::draw::object::{Kind, ObjectCoverage, Subspan};
use crate::draw::pixel::dispatch::PixelCounts;
use crate::draw::pixel::testing::{COLOUR, Rig, covered, flat};
use crate::profile::StageWork;
use crate::strict::testing::{WRITE, target_write};
use crate::testing::to;
use hw::draw::{state_sample_mask as sample_mask, state_wm as wm};
use hw::state::render_surface_state as rss;
use isa::{Inst, Opcode, Region, Src, Type};

/// 16 × 16 pixels of which some are missing.
fn pixels() -> Vec<Subspan> {
    let at = (0..8).flat_map(|y| (0..8).map(move |x| [x * 2, y * 2]));
    at.map(|[x, y]| Subspan {
        x,
        y,
        samples: if x == y { [1, 0, 1, 1] } else { [1; 4] },
        inner: 0,
    })
    .collect()
}

/// What two objects leave, by a kernel that makes its colour of `from`: memory, what threads did,
/// how many pixels, and whether threads were replayable.
fn drawn(from: [Src; 4], replayable: Option<bool>) -> (Vec<[u32; 4]>, StageWork, u64, bool) {
    let colour = from
        .iter()
        .zip(112..)
        .map(|(from, nr)| Inst::unary(Opcode::Mov, 8, to(nr), *from));
    let kernel: Vec<Inst> = colour.chain([target_write(WRITE)]).collect();
    let mut rig = Rig::new();
    rig.options.profile = true;
    rig.kernel(&kernel, [true, false, false]);
    rig.set(&wm::PACKET, &[(wm::STATISTICS_ENABLE, 1)]);
    rig.set(&sample_mask::PACKET, &[(sample_mask::SAMPLE_MASK, 0xffff)]);
    rig.bind(0, 0x002, &[]);
    let mut made = rig.pixels();
    made.back.state.constants = vec![7; 8];
    made.back.state.attributes = true;
    if let Some(replayable) = replayable {
        made.replayable = [replayable; 3];
    }
    let mut setup = flat(Kind::Triangle, 0.0);
    // Register 8 has the constants, 9 the attribute, whose last dword is its value.
    for value in [3, 5] {
        setup.attributes = vec![[[value; 4]; 3]];
        let all = pixels();
        let part = if value == 3 { &all[..] } else { &all[20..40] };
        made.draw_object(&setup, &covered(part)).expect("simulated");
    }
    let texels = (0..16).flat_map(|y| (0..16).map(move |x| (x, y)));
    let memory = texels.map(|(x, y)| rig.wide(x, y)).collect();
    let stages: Vec<StageWork> = made.stages().collect();
    let counts = made.counts();
    (memory, stages[0], counts.invocations, made.replayable[0])
}

#[test]
fn replayed_threads_match_executed_threads() {
    let eight = |nr: u8| Src::grf(nr, 0, Type::Ud, Region::new(8, 8, 1));
    let value = Src::grf(9, 12, Type::Ud, Region::SCALAR);
    let same = [eight(8), value, Src::imm_ud(9), Src::imm_ud(1)];
    let ran = drawn(same, Some(false));
    let found = drawn(same, None);
    assert!(found.3 && !ran.3);
    assert_eq!((&found.0, found.2), (&ran.0, ran.2));
    let counted = |work: &StageWork| {
        let s = work.statistics;
        let class = s.by_class;
        (
            work.threads,
            work.invocations,
            s.instructions,
            s.lanes,
            class,
            [s.busy, s.alone],
        )
    };
    assert_eq!(counted(&found.1), counted(&ran.1));
    assert_eq!(found.1.messages, ran.1.messages);
    assert!(found.1.statistics.alone >= found.1.threads * 8);
    // Each object has its own value.
    assert_eq!(found.0[0], [7, 3, 9, 1]);
    assert!(found.0.contains(&[7, 5, 9, 1]));
    // The place of its pixels is in a thread's g1.
    let places = [
        eight(8),
        Src::grf(1, 8, Type::Ud, Region::SCALAR),
        value,
        value,
    ];
    let found = drawn(places, None);
    assert!(!found.3);
    assert_eq!(found.0, drawn(places, Some(false)).0);
    assert_ne!(found.0, drawn(places, Some(true)).0, "it would be told");
}

/// What an object of three blocks and a subspan leaves, in a target of a format and so many pixels
/// each way.
fn blocks(
    format: u64,
    size: u64,
    constant: bool,
    replayable: Option<bool>,
) -> (Vec<u8>, StageWork, PixelCounts, usize) {
    let place = Src::grf(1, 8, Type::Ud, Region::SCALAR);
    let one = Src::imm_ud(1f32.to_bits());
    let from = [
        one,
        Src::grf(8, 0, Type::Ud, Region::new(8, 8, 1)),
        if constant { one } else { place },
        one,
    ];
    let colour = from
        .iter()
        .zip(112..)
        .map(|(from, nr)| Inst::unary(Opcode::Mov, 8, to(nr), *from));
    let kernel: Vec<Inst> = colour.chain([target_write(WRITE)]).collect();
    let mut rig = Rig::new();
    rig.options.profile = true;
    rig.kernel(&kernel, [true, false, false]);
    rig.set(&wm::PACKET, &[(wm::STATISTICS_ENABLE, 1)]);
    rig.set(&sample_mask::PACKET, &[(sample_mask::SAMPLE_MASK, 0xffff)]);
    let extent = [
        (rss::WIDTH, size - 1),
        (rss::HEIGHT, size - 1),
        (rss::SURFACE_PITCH, 255),
    ];
    rig.bind(0, format, &extent);
    let mut made = rig.pixels();
    made.back.state.constants = vec![0.5f32.to_bits(); 8];
    if let Some(replayable) = replayable {
        made.replayable = [replayable; 3];
    }
    let cover = ObjectCoverage {
        blocks: vec![[0, 0], [32, 0], [0, 32]],
        all: 1,
        subspans: vec![Subspan {
            x: 34,
            y: 40,
            samples: [1, 0, 1, 1],
            inner: 0,
        }],
    };
    made.draw_object(&flat(Kind::Triangle, 0.0), &cover)
        .expect("simulated");
    let bytes = (0..64 * 256).map(|at| rig.byte(COLOUR + at)).collect();
    let stages: Vec<StageWork> = made.stages().collect();
    let filled = made.fills[0].as_ref().map_or(0, Vec::len);
    (bytes, stages[0], made.counts(), filled)
}

#[test]
fn block_fill_matches_executed_threads() {
    // R8G8B8A8_UNORM, R8_UNORM, B8G8R8A8_UNORM_SRGB, R16_UNORM.
    for format in [0x0c7, 0x140, 0x0c1, 0x10a] {
        for (size, constant) in [(64, true), (40, true), (64, false)] {
            let ran = blocks(format, size, constant, Some(false));
            let found = blocks(format, size, constant, None);
            let case = format!("{format:#x}, {size}, {constant}");
            assert_eq!((ran.3, found.3), (0, usize::from(constant)), "{case}");
            assert_eq!(found.0, ran.0, "{case}");
            assert!(
                found.0.iter().filter(|byte| **byte != 0).count() > 1024,
                "{case}"
            );
            let counted = |(_, work, counts, _): &(Vec<u8>, StageWork, PixelCounts, usize)| {
                let messages = work.messages;
                (
                    work.threads,
                    work.invocations,
                    work.statistics,
                    messages,
                    counts.invocations,
                    counts.samples_passed,
                )
            };
            assert_eq!(counted(&found), counted(&ran), "{case}");
        }
    }
}
