//! Every operation of doubles and of 64-bit integers in words, by the interpreter, against the folder.

use crate::pass::{Ctx, Runner};
use crate::pipeline::GEN9;
use nir::interp::Machine;
use nir::{AluOp, Builder, FloatControls, IntrinsicOp, Shader, Stage, fold};

/// A fixed-seed generator (splitmix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }
    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }
    fn double(&mut self) -> u64 {
        let exponents = [
            0, 1, 2, 1022, 1023, 1024, 1050, 1075, 1076, 2045, 2046, 2047,
        ];
        let exponent = match self.below(3) {
            0 => exponents[self.below(12) as usize],
            1 => 900 + self.below(240),
            _ => self.below(2048),
        };
        let fraction = match self.below(6) {
            0 => 0,
            1 => (1 << 52) - 1,
            2 => 1 << self.below(52),
            3 => self.next() >> 12 & !0 << self.below(52),
            4 => 1,
            _ => self.next() >> 12,
        };
        self.next() << 63 | exponent << 52 | fraction & ((1 << 52) - 1)
    }
}

fn shader(op: AluOp, bits: u8, to: u8, modes: FloatControls) -> Shader {
    let mut sh = Shader::new(Stage::Compute, op.info().name);
    sh.info.workgroup_size = [8, 1, 1];
    sh.info.float_controls = modes;
    let mut b = Builder::at_end(&mut sh);
    let group = b.system_value(IntrinsicOp::LoadWorkgroupId);
    let group = b.channel(group, 0);
    let lane = b.system_value(IntrinsicOp::LoadLocalInvocationIndex);
    let first = b.imul_imm(group, 8);
    let row = b.iadd(first, lane);
    let zero = b.imm_u32(0);
    let resource = IntrinsicOp::VulkanResourceIndex;
    let from = b.load(resource, 1, 32, &[zero], &[0, 0]);
    let into = b.load(resource, 1, 32, &[zero], &[0, 1]);
    let at = b.imul_imm(row, 24);
    let srcs: Vec<_> = (0..op.info().srcs.len() as i64)
        .map(|i| {
            let at = b.iadd_imm(at, 8 * i);
            let bits = if let nir::Size::Fixed(n) = op.info().srcs[i as usize].ty.size {
                n
            } else {
                bits
            };
            b.load(IntrinsicOp::LoadSsbo, 1, bits, &[from, at], &[0, 8, 0])
        })
        .collect();
    b.exact = true;
    b.preserve_nan_inf_sz = true;
    let v = b.alu_sized(op, &srcs, to);
    let v = if b.bits(v) == 1 { b.b2i(v, 32) } else { v };
    let at = b.imul_imm(row, 8);
    b.intrinsic(IntrinsicOp::StoreSsbo, None, &[v, into, at], &[1, 0, 8, 0]);
    sh
}

#[test]
fn quick() {
    let n = 4096u64;
    let mut r = Random(3);
    let rows: Vec<[u64; 3]> = (0..n)
        .map(|k| {
            let mut x = [r.double(), r.double(), r.double()];
            if k % 4 == 0 {
                // near cancellation
                x[1] = x[0] ^ 1 << 63 ^ r.below(4);
            }
            if k % 4 == 1 {
                let p = f64::from_bits(x[0]) * f64::from_bits(x[1]);
                x[2] = (-p).to_bits() ^ r.below(4) << (r.below(2) * 51);
            }
            if k % 4 == 2 {
                x[1] = x[0] & 0x7ff << 52 | x[1] & !(0x7ff << 52);
            }
            x
        })
        .collect();
    let only = std::env::var("OP").unwrap_or_default();
    use AluOp as Op;
    let mut bad = 0;
    for (op, bits, to) in [
        (Op::FAdd, 64, 64),
        (Op::FSub, 64, 64),
        (Op::FMul, 64, 64),
        (Op::FFma, 64, 64),
        (Op::FDiv, 64, 64),
        (Op::FRcp, 64, 64),
        (Op::FSqrt, 64, 64),
        (Op::FMin, 64, 64),
        (Op::FMax, 64, 64),
        (Op::FSat, 64, 64),
        (Op::FSign, 64, 64),
        (Op::FTrunc, 64, 64),
        (Op::FFloor, 64, 64),
        (Op::FCeil, 64, 64),
        (Op::FRoundEven, 64, 64),
        (Op::FFract, 64, 64),
        (Op::FLt, 64, 1),
        (Op::FGe, 64, 1),
        (Op::FEq, 64, 1),
        (Op::FNeu, 64, 1),
        (Op::F2F, 64, 32),
        (Op::F2F, 64, 16),
        (Op::F2F, 32, 64),
        (Op::F2F, 16, 64),
        (Op::F2I, 64, 64),
        (Op::F2U, 64, 64),
        (Op::F2I, 64, 32),
        (Op::F2U, 64, 32),
        (Op::F2I, 64, 16),
        (Op::F2U, 64, 8),
        (Op::I2F, 64, 64),
        (Op::U2F, 64, 64),
        (Op::I2F, 32, 64),
        (Op::U2F, 32, 64),
        (Op::U2F, 16, 64),
        (Op::FrexpSig, 64, 64),
        (Op::FrexpExp, 64, 32),
        (Op::FMod, 64, 64),
    ] {
        if !only.is_empty() && only != op.info().name {
            continue;
        }
        for (flush, rtz) in [(0, 0), (4, 0), (0, 7)] {
            let modes = FloatControls {
                denorm_flush: flush,
                rounding_rtz: rtz,
                ..FloatControls::default()
            };
            let mut sh = shader(op, bits, to, modes);
            let ctx = Ctx {
                soft_fp64: true,
                soft_int64: true,
                ..Ctx::default()
            };
            let mut runner = Runner {
                validate: true,
                ctx,
                ..Runner::default()
            };
            runner.run(&mut sh, GEN9).unwrap();
            crate::validate_lowered(&sh, &runner.ctx).unwrap();
            let bytes: Vec<u8> = rows
                .iter()
                .flat_map(|r| r.iter().flat_map(|x| x.to_le_bytes()))
                .collect();
            let mut m = Machine {
                buffers: vec![((0, 0, 0), bytes), ((0, 1, 0), vec![0; n as usize * 8])],
                workgroups: [n as u32 / 8, 1, 1],
                subgroup_size: 8,
                ..Machine::default()
            };
            m.run(&sh).unwrap();
            let mut wrong = 0;
            for (row, got) in rows.iter().zip(m.buffers[1].1.chunks_exact(8)) {
                let got = u64::from_le_bytes(got.try_into().unwrap()) & fold::mask(to);
                let k = op.info().srcs.len();
                let srcs: Vec<[u64; 1]> = row[..k].iter().map(|x| [x & fold::mask(bits)]).collect();
                let refs: Vec<&[u64]> = srcs.iter().map(|x| &x[..]).collect();
                let mut out = [0];
                assert!(fold::fold(op, to, &vec![bits; k], &refs, modes, &mut out));
                let float = op.info().out.base == nir::Base::Float;
                let nan = |v| float && fold::float_value(to, v).is_nan();
                let zero = |v: u64| matches!(op, Op::FMin | Op::FMax) && v << 1 == 0;
                if out[0] != got && !(nan(out[0]) && nan(got)) && !(zero(out[0]) && zero(got)) {
                    wrong += 1;
                    if wrong < 4 {
                        println!(
                            "{} {bits}->{to} flush {flush} rtz {rtz}: {:x?} want {:x} got {got:x}",
                            op.info().name,
                            &row[..k],
                            out[0]
                        );
                    }
                }
            }
            let count: usize = sh
                .block_order()
                .into_iter()
                .map(|b| sh.blocks[b].instrs.len())
                .sum();
            println!(
                "{} {bits}->{to} flush {flush} rtz {rtz}: wrong {wrong}, {count} instrs",
                op.info().name
            );
            bad += wrong;
        }
    }
    assert_eq!(bad, 0);
}
