//! Pixels distributed to workers.

use super::*;
use crate::draw::object::Kind;
use crate::draw::pixel::testing::{COLOUR, Rig, covered, flat};
use crate::testing::{eot, send, to};
use hw::draw::{state_sample_mask as mask, state_wm as wm};
use isa::{Dst, Inst, Opcode, Src, Type};

/// A rig with a shader that writes the colour 9 to a target of 128 × 64 pixels of a byte.
fn rig(workers: usize) -> Rig {
    use hw::state::render_surface_state as rss;
    let colour = (112..116).map(|nr| Inst::unary(Opcode::Mov, 8, to(nr), Src::imm_ud(9)));
    let mut write = send(
        5,
        4 << 25 | 12 << 14 | 1 << 12 | 4 << 8,
        Dst::null(Type::Ud),
        112,
    );
    if let Some(send) = &mut write.send {
        send.eot = true;
    }
    let kernel: Vec<Inst> = colour.chain([write, eot()]).collect();
    let mut rig = Rig::new();
    rig.options.cpu_threads = workers;
    rig.kernel(&kernel, [true, false, false]);
    // R8_UINT.
    rig.bind(0, 0x143, &[(rss::WIDTH, 127), (rss::HEIGHT, 63)]);
    rig.set(&wm::PACKET, &[(wm::STATISTICS_ENABLE, 1)]);
    rig.set(&mask::PACKET, &[(mask::SAMPLE_MASK, 1)]);
    rig
}

/// All subspans of 128 × `height` pixels.
fn screen(height: u32) -> Vec<Subspan> {
    let at = |x, y| Subspan {
        x,
        y,
        samples: [1; 4],
        inner: 0,
    };
    (0..height)
        .step_by(2)
        .flat_map(|y| (0..128).step_by(2).map(move |x| at(x, y)))
        .collect()
}

/// The pixels of the target that are drawn.
fn drawn(rig: &Rig) -> usize {
    let places = (0..64).flat_map(|y| (0..128).map(move |x| y * 256 + x));
    places.filter(|at| rig.byte(COLOUR + at) == 9).count()
}

#[test]
fn every_pixel_is_drawn_by_one_worker() {
    // 512 subspans are worth a worker's start: 2048 those of four.
    for (workers, height, busy) in [
        (1, 64, 1),
        (2, 64, 2),
        (3, 64, 3),
        (4, 64, 4),
        (9, 64, 4),
        (4, 32, 2),
        (4, 24, 1),
    ] {
        let rig = rig(workers);
        let mut tiles = PixelWorkers::new(rig.draw(), Vec::new()).expect("simulated");
        let case = format!("{workers} workers, {height} rows");
        tiles
            .queue_object(flat(Kind::Triangle, 0.0), &covered(&screen(height)))
            .expect("simulated");
        // Pixels are queued until a worker is worthwhile.
        assert_eq!((drawn(&rig), tiles.counts().invocations), (0, 0), "{case}");
        tiles.flush().expect("simulated");
        assert_eq!(tiles.workers.len(), busy, "{case}");
        let all = 128 * u64::from(height);
        assert_eq!(drawn(&rig), all as usize, "{case}");
        let counts = tiles.counts();
        assert_eq!(
            (counts.invocations, counts.samples_passed),
            (all, all),
            "{case}"
        );
        // Each has some, and together they have all.
        let each: Vec<u64> = tiles
            .workers
            .iter()
            .map(|w| w.counts().invocations)
            .collect();
        assert!(each.iter().all(|n| *n > 0), "{case}: {each:?}");
        let stages: Vec<_> = tiles
            .stages()
            .iter()
            .map(|s| (s.stage, s.invocations))
            .collect();
        assert_eq!(stages, [("PS8", all)], "{case}");
        let written: Vec<_> = tiles
            .written()
            .iter()
            .map(|(role, image)| (*role, image.address))
            .collect();
        assert_eq!(written, [(Role::Colour(0), COLOUR)], "{case}");
        // What is drawn is held no longer.
        tiles.flush().expect("simulated");
        assert_eq!(tiles.counts().invocations, all, "{case}");
    }
}

#[test]
fn targets_and_widths_of_workers_are_reported_once() {
    let mut rig = rig(2);
    rig.bind(1, 0x143, &[]);
    let mut tiles = PixelWorkers::new(rig.draw(), Vec::new()).expect("simulated");
    tiles
        .queue_object(flat(Kind::Triangle, 0.0), &covered(&screen(64)))
        .expect("simulated");
    tiles.flush().expect("simulated");
    // The second worker alone has met another target.
    let back = &mut tiles.workers[1].back;
    back.target(1, 0, 0).expect("a target").expect("not null");
    let roles: Vec<_> = tiles.written().iter().map(|(role, _)| *role).collect();
    assert_eq!(roles, [Role::Colour(0), Role::Colour(1)]);
}

#[test]
fn error_of_the_first_object_is_reported() {
    for workers in [1, 3] {
        let mut rig = rig(workers);
        // Constants start within what comes before them.
        use hw::draw::state_ps as ps;
        rig.set(
            &ps::PACKET,
            &[(ps::DISPATCH_GRF_START_REGISTER_FOR_CONSTANT_SETUP_DATA_0, 1)],
        );
        use hw::draw::state_wm as wm;
        rig.set(&wm::PACKET, &[(wm::BARYCENTRIC_INTERPOLATION_MODE, 1)]);
        let mut tiles = PixelWorkers::new(rig.draw(), Vec::new()).expect("simulated");
        tiles
            .queue_object(flat(Kind::Triangle, 0.0), &covered(&screen(64)))
            .expect("held");
        assert!(
            matches!(tiles.flush(), Err(StopReason::Undefined { .. })),
            "{workers} workers"
        );
        // Nothing is left of it.
        assert_eq!(tiles.flush(), Ok(()), "{workers} workers");
    }
}

#[test]
fn queued_objects_are_bounded() {
    let rig = rig(1);
    let mut tiles = PixelWorkers::new(rig.draw(), Vec::new()).expect("simulated");
    // Objects that cover nothing: 4096 of them, or 65536 subspans.
    for i in 1..=4096usize {
        tiles
            .queue_object(flat(Kind::Triangle, 0.0), &covered(&[]))
            .expect("simulated");
        assert_eq!(tiles.objects.len(), i % 4096);
    }
    let mut nothing = screen(64);
    for subspan in &mut nothing {
        subspan.samples = [0; 4];
    }
    for i in 1..=32usize {
        tiles
            .queue_object(flat(Kind::Triangle, 0.0), &covered(&nothing))
            .expect("simulated");
        assert_eq!(
            (tiles.objects.len(), tiles.subspans.len()),
            (i % 32, i % 32 * 2048)
        );
    }
}
