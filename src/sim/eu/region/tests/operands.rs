//! Regions, indirect and align16 operands, flags and accumulators, against values worked out by
//! hand.

use crate::message::StopReason;
use crate::state::Options;
use crate::testing::{
    Recorder, Rng, arf, arf_dst, both_paths, cmod, dst, g, imm, no_mask, null_dst, op, pred, reg,
    region, run, scalar, thread, thread_with,
};
use crate::thread::ThreadExit;
use isa::{Addr, ArfReg, CondMod, Inst, Opcode, PredCtrl, Region, Type};

fn counting() -> Vec<u32> {
    (0..1024).collect()
}

#[test]
fn regions_select_elements_as_the_prm_defines() {
    let p = counting();
    // <4;2,2>:d from g2.1 (byte 4): rows of two elements two apart, rows four apart.
    let code = [op(
        Opcode::Mov,
        8,
        dst(20, Type::D),
        &[region(g(2, Type::D), 4, 4, 2, 2)],
    )];
    let t = run(&code, &p, 0xff);
    assert_eq!(reg(&t, 20), [17, 19, 21, 23, 25, 27, 29, 31]);
    // <0;1,0>, and a byte region <32;8,4> of dwords gives each one's low byte.
    let code = [
        op(Opcode::Mov, 8, dst(20, Type::D), &[scalar(3, 8, Type::D)]),
        op(
            Opcode::Mov,
            8,
            dst(21, Type::D),
            &[region(g(40, Type::Ub), 0, 32, 8, 4)],
        ),
    ];
    let t = run(&code, &p, 0xff);
    assert_eq!(reg(&t, 20), [26; 8]);
    assert_eq!(reg(&t, 21), [64, 65, 66, 67, 68, 69, 70, 71]);
}

#[test]
fn strided_and_masked_destinations_preserve_other_bytes() {
    let mut d = dst(20, Type::W);
    d.hstride = 2;
    let code = [op(Opcode::Mov, 8, d, &[imm(Type::W, 0xffff)])];
    let t = run(&code, &[0x1111_1111; 1024], 0b1010_1010);
    for (i, r) in reg(&t, 20).iter().enumerate() {
        let want = if i % 2 == 1 { 0x1111_ffff } else { 0x1111_1111 };
        assert_eq!(*r, want, "dword {i}");
    }
}

#[test]
fn vector_immediates_expand() {
    let code = [
        op(
            Opcode::Mov,
            8,
            dst(20, Type::D),
            &[imm(Type::V, 0x8765_4321)],
        ),
        op(
            Opcode::Mov,
            8,
            dst(21, Type::D),
            &[imm(Type::Uv, 0x8765_4321)],
        ),
        // 0x30 is 1.0, 0xb8 is -1.5, 0 is 0, 0x48 is 3.0.
        op(
            Opcode::Mov,
            8,
            dst(22, Type::F),
            &[imm(Type::Vf, 0x4800_b830)],
        ),
        op(
            Opcode::Mov,
            16,
            dst(24, Type::Uw),
            &[imm(Type::Uv, 0x7654_3210)],
        ),
    ];
    let t = run(&code, &[], 0xffff);
    assert_eq!(reg(&t, 20).map(|x| x as i32), [1, 2, 3, 4, 5, 6, 7, -8]);
    assert_eq!(reg(&t, 21), [1, 2, 3, 4, 5, 6, 7, 8]);
    assert_eq!(
        reg(&t, 22).map(f32::from_bits),
        [1.0, -1.5, 0.0, 3.0, 1.0, -1.5, 0.0, 3.0]
    );
    assert_eq!(
        reg(&t, 24),
        [
            0x1_0000, 0x3_0002, 0x5_0004, 0x7_0006, 0x1_0000, 0x3_0002, 0x5_0004, 0x7_0006
        ]
    );
}

fn set_a0(sub: u8, v: u64) -> Inst {
    no_mask(op(
        Opcode::Mov,
        1,
        arf_dst(ArfReg::Address, 0, sub * 2, Type::Uw),
        &[imm(Type::Uw, v)],
    ))
}

#[test]
fn vx1_and_vxh_indirect_sources() {
    let mut one = g(0, Type::D);
    one.addr = Addr::Indirect {
        a0_sub: 0,
        imm_bytes: 32,
    };
    let mut many = g(0, Type::D);
    many.addr = Addr::Indirect {
        a0_sub: 0,
        imm_bytes: 4,
    };
    many.region = Region::new(Region::VX1, 1, 0);
    let mut pairs = many;
    pairs.region = Region::new(Region::VX1, 4, 1);
    let mut code: Vec<Inst> = (0..8).map(|i| set_a0(i, 64 + 96 * u64::from(i))).collect();
    code.push(op(Opcode::Mov, 8, dst(120, Type::D), &[one]));
    code.push(op(Opcode::Mov, 8, dst(121, Type::D), &[many]));
    code.push(op(Opcode::Mov, 8, dst(122, Type::D), &[pairs]));
    let t = run(&code, &counting(), 0xff);
    assert_eq!(reg(&t, 120), [24, 25, 26, 27, 28, 29, 30, 31]);
    assert_eq!(reg(&t, 121), [17, 41, 65, 89, 113, 137, 161, 185]);
    assert_eq!(reg(&t, 122), [17, 18, 19, 20, 41, 42, 43, 44]);
}

#[test]
fn indirect_destination_bounds() {
    let mut d = dst(0, Type::D);
    d.addr = Addr::Indirect {
        a0_sub: 0,
        imm_bytes: 0,
    };
    let st = op(Opcode::Mov, 8, d, &[imm(Type::D, 7)]);
    let t = run(&[set_a0(0, 50 * 32), st], &[], 0xff);
    assert_eq!(reg(&t, 50), [7; 8]);
    let strict = Options {
        strict: true,
        ..Options::default()
    };
    let mut t = thread_with(&[set_a0(0, 4090), st], &[], 0xff, 0, strict);
    let e = t.run(&mut Recorder::default(), 10);
    assert!(
        matches!(
            e,
            Err(StopReason::Undefined {
                rule: "grf-range",
                at: 16,
                ..
            })
        ),
        "{e:?}"
    );
}

#[test]
fn align16_swizzles_masks_and_three_sources() {
    let p = counting();
    let mut i = op(Opcode::Mov, 8, dst(20, Type::D), &[g(2, Type::D)]);
    i.align16 = true;
    i.src[0].region.vstride = 4;
    i.src[0].swizzle = 0b00_01_10_11; // wzyx
    i.dst.writemask = 0b0111;
    let t = run(&[i], &p, 0xff);
    assert_eq!(reg(&t, 20), [19, 18, 17, 163, 23, 22, 21, 167]);
    let f: Vec<u32> = (0..1024).map(|i| (i as f32).to_bits()).collect();
    let mut m = op(
        Opcode::Mad,
        8,
        dst(20, Type::F),
        &[g(2, Type::F), g(3, Type::F), scalar(4, 8, Type::F)],
    );
    m.align16 = true;
    m.src[2].rep_ctrl = true;
    let t = run(&[m], &f, 0xff);
    let want: Vec<u32> = (0..8)
        .map(|i| ((16 + i) as f32 + (24 + i) as f32 * 34.0).to_bits())
        .collect();
    assert_eq!(reg(&t, 20).to_vec(), want);
}

/// Where other align16 instructions have swizzles and a write mask, the macros of division and root
/// have numbers of accumulators, and 8 for none.
#[test]
fn macro_accumulators_replace_swizzles() {
    let f: Vec<u32> = (0..1024).map(|i| (1.0 + i as f32).to_bits()).collect();
    let of = |nr: usize, i: usize| f32::from_bits(f[8 * nr + i]);
    for (to, from) in [(0, 8), (8, 0), (7, 3)] {
        let sources = [g(2, Type::F), g(3, Type::F), g(4, Type::F)];
        let mut fused = op(Opcode::Madm, 8, dst(20, Type::F), &sources);
        let mut divided = op(Opcode::Math, 8, dst(21, Type::F), &sources[..2]);
        divided.math = Some(isa::MathFn::Invm);
        for i in [&mut fused, &mut divided] {
            i.align16 = true;
            i.dst.writemask = to;
            for source in &mut i.src {
                source.swizzle = from;
                source.region.vstride = 4;
            }
        }
        for t in both_paths(&[fused, divided], &f, 0xff) {
            for i in 0..8 {
                let sum = of(2, i) + of(3, i) * of(4, i);
                assert_eq!(f32::from_bits(reg(&t, 20)[i]), sum, "{to} {from}: {i}");
                let quotient = of(2, i) / of(3, i);
                assert_eq!(f32::from_bits(reg(&t, 21)[i]), quotient, "{to} {from}: {i}");
            }
        }
    }
}

#[test]
fn dot_products_replicate_over_groups_of_four() {
    let f: Vec<u32> = (0..1024).map(|i| (i as f32).to_bits()).collect();
    let mk = |o| {
        let mut i = op(o, 8, dst(20, Type::F), &[g(0, Type::F), g(1, Type::F)]);
        i.align16 = true;
        i.src[0].region.vstride = 4;
        i.src[1].region.vstride = 4;
        i
    };
    let value = |o| f32::from_bits(reg(&run(&[mk(o)], &f, 0xff), 20)[1]);
    assert_eq!(value(Opcode::Dp4), 0.0 + 9.0 + 20.0 + 33.0);
    assert_eq!(value(Opcode::Dp3), 0.0 + 9.0 + 20.0);
    assert_eq!(value(Opcode::Dp2), 9.0);
    assert_eq!(value(Opcode::Dph), 0.0 + 9.0 + 20.0 + 11.0);
}

#[test]
fn plane_and_line() {
    let f: Vec<u32> = (0..1024).map(|i| (i as f32).to_bits()).collect();
    let pln = op(
        Opcode::Pln,
        16,
        dst(40, Type::F),
        &[scalar(1, 0, Type::F), g(4, Type::F)],
    );
    let line = op(
        Opcode::Line,
        8,
        dst(44, Type::F),
        &[scalar(1, 16, Type::F), g(4, Type::F)],
    );
    let t = run(&[pln, line], &f, 0xffff);
    for i in 0..16 {
        // g4/g5 are u and v of the first eight channels, g6/g7 of the others.
        let at = 32 + (i / 8) * 16 + i % 8;
        let want = 8.0 * at as f32 + 9.0 * (at + 8) as f32 + 11.0;
        assert_eq!(f32::from_bits(t.grf()[320 + i]), want, "channel {i}");
    }
    for i in 0..8 {
        assert_eq!(
            f32::from_bits(reg(&t, 44)[i]),
            12.0 * (32 + i) as f32 + 15.0
        );
    }
}

#[test]
fn cmod_writes_flags_of_enabled_channels_only() {
    let p = counting();
    let c = cmod(
        op(
            Opcode::Cmp,
            8,
            dst(20, Type::D),
            &[g(2, Type::D), imm(Type::D, 20)],
        ),
        CondMod::L,
        2,
    );
    let mut t = thread(&[c], &p, 0b0011_1111);
    t.state.regs.set_flags(u64::MAX);
    assert_eq!(t.run(&mut Recorder::default(), 10), Ok(ThreadExit::Eot));
    // 16..24 < 20 for the first four; channels 6 and 7 keep their flags. f1.0 is bit 32 on.
    assert_eq!(t.flags() >> 32, 0xffff_ffcf);
    assert_eq!(t.flags() as u32, u32::MAX);
    assert_eq!(
        &reg(&t, 20)[..6],
        &[u32::MAX, u32::MAX, u32::MAX, u32::MAX, 0, 0]
    );
    assert_eq!(&reg(&t, 20)[6..], &[166, 167]);
}

#[test]
fn simd32_flags_span_both_subregisters_and_m16_uses_the_upper() {
    let mut upper = cmod(
        op(
            Opcode::Cmp,
            16,
            null_dst(Type::D),
            &[g(2, Type::D), imm(Type::D, 16)],
        ),
        CondMod::Z,
        0,
    );
    upper.chan_off = 16;
    let t = run(&[upper], &counting(), u32::MAX);
    assert_eq!(t.flags(), 1 << 16);
}

#[test]
fn grouped_predicates() {
    let write = |ctrl, inverse| {
        let i = op(Opcode::Mov, 16, dst(20, Type::Uw), &[imm(Type::Uw, 1)]);
        pred(i, ctrl, inverse, 0)
    };
    let lanes = |ctrl, inverse, flags: u64| {
        let mut t = thread(&[write(ctrl, inverse)], &[], 0xffff);
        t.state.regs.set_flags(flags);
        assert_eq!(t.run(&mut Recorder::default(), 10), Ok(ThreadExit::Eot));
        (0..16).fold(0u32, |a, i| {
            a | ((t.grf()[160 + i / 2] >> (16 * (i % 2))) & 1) << i
        })
    };
    let f = 0b0000_1111_0001_0110;
    assert_eq!(lanes(PredCtrl::Normal, false, f), 0x0f16);
    assert_eq!(lanes(PredCtrl::Normal, true, f), 0xf0e9);
    assert_eq!(lanes(PredCtrl::Any2h, false, f), 0b0000_1111_0011_1111);
    assert_eq!(lanes(PredCtrl::All2h, false, f), 0b0000_1111_0000_0000);
    assert_eq!(lanes(PredCtrl::Any4h, false, f), 0x0fff);
    assert_eq!(lanes(PredCtrl::All4h, false, f), 0x0f00);
    assert_eq!(lanes(PredCtrl::All4h, true, f), 0xf0ff);
    assert_eq!(lanes(PredCtrl::Any8h, false, f), 0xffff);
    assert_eq!(lanes(PredCtrl::All8h, false, f), 0);
    assert_eq!(lanes(PredCtrl::All16h, false, 0xffff), 0xffff);
    assert_eq!(lanes(PredCtrl::Any16h, true, 1), 0);
    // f0 and f1 together.
    assert_eq!(lanes(PredCtrl::AnyV, false, 0x00f0 | 0x0f00 << 32), 0x0ff0);
    assert_eq!(lanes(PredCtrl::AllV, false, 0x0ff0 | 0x0f00 << 32), 0x0f00);
}

#[test]
fn mul_mach_sequence_through_the_accumulator() {
    let mut r = Rng(3);
    let p: Vec<u32> = (0..1024).map(|_| r.dword()).collect();
    for (ty, signed) in [(Type::Ud, false), (Type::D, true)] {
        let low = region(g(3, Type::Uw), 0, 16, 8, 2);
        let code = [
            op(
                Opcode::Mul,
                8,
                arf_dst(ArfReg::Accumulator, 0, 0, ty),
                &[g(2, ty), low],
            ),
            {
                let mut i = op(Opcode::Mach, 8, dst(20, ty), &[g(2, ty), g(3, ty)]);
                i.acc_wr = true;
                i
            },
            op(
                Opcode::Mov,
                8,
                dst(21, ty),
                &[arf(ArfReg::Accumulator, 0, 0, ty)],
            ),
        ];
        let t = run(&code, &p, 0xff);
        for i in 0..8 {
            let (a, b) = (p[16 + i], p[24 + i]);
            let full = if signed {
                (i64::from(a as i32) * i64::from(b as i32)) as u64
            } else {
                u64::from(a) * u64::from(b)
            };
            assert_eq!(reg(&t, 20)[i], (full >> 32) as u32, "{a:#x} * {b:#x}");
            assert_eq!(reg(&t, 21)[i], full as u32, "{a:#x} * {b:#x}");
        }
    }
}

#[test]
fn carry_and_borrow_go_to_the_accumulator() {
    let p: Vec<u32> = (0..1024)
        .map(|i| if i % 2 == 0 { u32::MAX } else { 5 })
        .collect();
    let acc = |nr| {
        op(
            Opcode::Mov,
            8,
            dst(nr, Type::Ud),
            &[arf(ArfReg::Accumulator, 0, 0, Type::Ud)],
        )
    };
    let two = |o, nr| {
        let mut i = op(o, 8, dst(nr, Type::Ud), &[g(2, Type::Ud), imm(Type::Ud, 6)]);
        i.acc_wr = true;
        i
    };
    let t = run(
        &[
            two(Opcode::Addc, 20),
            acc(21),
            two(Opcode::Subb, 22),
            acc(23),
        ],
        &p,
        0xff,
    );
    assert_eq!(reg(&t, 20)[..2], [5, 11]);
    assert_eq!(reg(&t, 21)[..2], [1, 0]);
    assert_eq!(reg(&t, 22)[..2], [0xffff_fff9, u32::MAX]);
    assert_eq!(reg(&t, 23)[..2], [0, 1]);
}

#[test]
fn mac_adds_the_accumulator() {
    let p: Vec<u32> = (0..1024).map(|i| (i as f32).to_bits()).collect();
    let code = [
        op(
            Opcode::Mul,
            8,
            arf_dst(ArfReg::Accumulator, 0, 0, Type::F),
            &[g(2, Type::F), g(3, Type::F)],
        ),
        op(
            Opcode::Mac,
            8,
            dst(20, Type::F),
            &[g(4, Type::F), g(5, Type::F)],
        ),
    ];
    let t = run(&code, &p, 0xff);
    for i in 0..8 {
        let x = |r: usize| (r * 8 + i) as f32;
        assert_eq!(f32::from_bits(reg(&t, 20)[i]), x(2) * x(3) + x(4) * x(5));
    }
}

#[test]
fn compressed_instructions_read_sources_before_writing() {
    // The second half reads g21, which the first half writes (ERRATA.md).
    let code = [op(
        Opcode::Add,
        16,
        dst(21, Type::D),
        &[g(20, Type::D), imm(Type::D, 1)],
    )];
    let p: Vec<u32> = (0..1024).collect();
    let t = run(&code, &p, 0xffff);
    assert_eq!(reg(&t, 21)[0], 161);
    assert_eq!(reg(&t, 22)[0], 169);
}

#[test]
fn sad2_negates_bytes_arithmetically() {
    // |−3 − 5| + |−4 − 1|, by either source.
    let mut p = vec![0; 64];
    (p[16], p[32]) = (3 | 4 << 8, 5 | 1 << 8);
    for (a, b) in [(2, 4), (4, 2)] {
        for k in [0, 1] {
            let mut s = [g(a, Type::Ub), g(b, Type::Ub)];
            s[k].negate = true;
            let i = op(Opcode::Sad2, 2, dst(20, Type::W), &s);
            assert_eq!(reg(&run(&[i], &p, 3), 20)[0], 13, "{i:?}");
        }
    }
}
