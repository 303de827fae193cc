//! Threads that are not run again leave what they would have left.

use super::testing::{Rig, flat};
use crate::draw::object::{Kind, Subspan};
use crate::profile::StageWork;
use crate::strict::draw_rig::{WRITE, target_write};
use crate::tests::to;
use hw::draw::{state_sample_mask as sample_mask, state_wm as wm};
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

/// What two objects leave, by a kernel that makes its colour of `from`: memory, what threads did, how many pixels, and whether
/// threads were repeated.
fn drawn(from: [Src; 4], repeated: Option<bool>) -> (Vec<[u32; 4]>, StageWork, u64, bool) {
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
    if let Some(repeated) = repeated {
        made.repeated = [repeated; 3];
    }
    let mut setup = flat(Kind::Triangle, 0.0);
    // Register 8 has the constants, 9 the attribute, whose last dword is its value.
    for value in [3, 5] {
        setup.attributes = vec![[[value; 4]; 3]];
        let all = pixels();
        let part = if value == 3 { &all[..] } else { &all[20..40] };
        made.object(&setup, part).expect("simulated");
    }
    let texels = (0..16).flat_map(|y| (0..16).map(move |x| (x, y)));
    let memory = texels.map(|(x, y)| rig.wide(x, y)).collect();
    let stages: Vec<StageWork> = made.stages().collect();
    let counts = made.counts();
    (memory, stages[0], counts.invocations, made.repeated[0])
}

#[test]
fn what_is_repeated_is_as_if_run() {
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
        )
    };
    assert_eq!(counted(&found.1), counted(&ran.1));
    assert_eq!(found.1.messages, ran.1.messages);
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
