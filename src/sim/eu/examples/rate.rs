//! Prints how many instructions and lanes a second one core interprets, for a few loops.
//!
//! `cargo run --release -p ingot-eu --example rate`

use ingot_eu::{
    Kernel, Message, MessageReply, Options, SharedFunctions, StopReason, Thread, ThreadInit,
};
use isa::{
    Addr, ArfReg, CondMod, Desc, Dst, Inst, MathFn, Opcode, Pred, PredCtrl, RegFile, Region, Send,
    Src, Type,
};
use std::sync::Arc;
use std::time::Instant;

struct Sink;

impl SharedFunctions for Sink {
    fn message(&mut self, _: &Message<'_>, _: &mut [u32]) -> Result<MessageReply, StopReason> {
        Ok(MessageReply::Done)
    }
    fn timestamp(&mut self) -> u64 {
        0
    }
}

fn g(nr: u8, ty: Type) -> Src {
    Src {
        file: RegFile::Grf,
        ty,
        addr: Addr::Direct { nr, sub_bytes: 0 },
        region: Region::new(8, 8, 1),
        abs: false,
        negate: false,
        swizzle: 0xe4,
        rep_ctrl: false,
        imm: 0,
    }
}

fn imm(ty: Type, bits: u64) -> Src {
    Src {
        file: RegFile::Imm,
        imm: bits,
        ..g(0, ty)
    }
}

fn dst(nr: u8, ty: Type) -> Dst {
    Dst {
        file: RegFile::Grf,
        ty,
        addr: Addr::Direct { nr, sub_bytes: 0 },
        hstride: 1,
        writemask: 0xf,
    }
}

fn null(ty: Type) -> Dst {
    Dst {
        file: RegFile::Arf,
        addr: Addr::Direct {
            nr: (ArfReg::Null as u8) << 4,
            sub_bytes: 0,
        },
        ..dst(0, ty)
    }
}

fn op(o: Opcode, n: u8, d: Dst, s: &[Src]) -> Inst {
    let mut src = [g(0, Type::Ud); 3];
    src[..s.len()].copy_from_slice(s);
    Inst {
        op: o,
        exec_size: n,
        chan_off: 0,
        no_mask: false,
        align16: false,
        pred: None,
        cmod: CondMod::None,
        flag: 0,
        saturate: false,
        acc_wr: false,
        no_dd_clr: false,
        no_dd_chk: false,
        atomic: false,
        switch: false,
        breakpoint: false,
        compacted: false,
        branch_ctrl: false,
        math: None,
        dst: d,
        src,
        jip: 0,
        uip: 0,
        send: None,
    }
}

/// A loop over `body`, counted in g2.
fn looped(n: u8, body: &[Inst], trips: u64) -> Vec<Inst> {
    let mut code = vec![op(Opcode::Mov, n, dst(2, Type::D), &[imm(Type::D, 0)])];
    code.extend_from_slice(body);
    code.push(op(
        Opcode::Add,
        n,
        dst(2, Type::D),
        &[g(2, Type::D), imm(Type::D, 1)],
    ));
    let mut c = op(
        Opcode::Cmp,
        n,
        null(Type::D),
        &[g(2, Type::D), imm(Type::D, trips)],
    );
    c.cmod = CondMod::L;
    code.push(c);
    let mut w = op(Opcode::While, n, null(Type::D), &[imm(Type::D, 0)]);
    w.pred = Some(Pred {
        ctrl: PredCtrl::Normal,
        inverse: false,
    });
    w.jip = -16 * (code.len() as i32 - 1);
    code.push(w);
    let mut e = op(Opcode::Send, 8, null(Type::Ud), &[g(127, Type::Ud)]);
    e.no_mask = true;
    e.send = Some(Send {
        sfid: isa::message::thread_spawner::SFID,
        desc: Desc::Imm(isa::descriptor::common::MESSAGE_LENGTH.encode(1)),
        ex_desc: Desc::Imm(0),
        eot: true,
    });
    code.push(e);
    code
}

fn measure(name: &str, n: u8, body: &[Inst]) {
    let kernel = match Kernel::from_insts(&looped(n, body, 200_000)) {
        Ok(k) => Arc::new(k),
        Err(e) => return println!("{name}: {e}"),
    };
    let payload: Vec<u32> = (0..1024)
        .map(|i| (1.0 + i as f32 / 1024.0).to_bits())
        .collect();
    let mut t = Thread::new(
        &kernel,
        &payload,
        u32::MAX,
        &ThreadInit::default(),
        Options::default(),
    );
    let start = Instant::now();
    let end = t.run(&mut Sink, u64::MAX);
    let s = start.elapsed().as_secs_f64();
    let count = t.statistics().instructions as f64;
    println!(
        "{name:28} SIMD{n:<2} {:8.1} M instructions/s {:8.1} M lanes/s  {end:?}",
        count / s / 1e6,
        count * f64::from(n) / s / 1e6
    );
}

fn main() {
    for n in [8, 16] {
        let r = if n == 16 { 2 } else { 1 };
        let reg = |k: u8| 10 + k * r;
        let f = |k| g(reg(k), Type::F);
        let d = |k| g(reg(k), Type::D);
        let mad = |k| op(Opcode::Mad, n, dst(reg(k), Type::F), &[f(1), f(2), f(3)]);
        let add = |k| op(Opcode::Add, n, dst(reg(k), Type::F), &[f(1), f(2)]);
        let mul = |k| op(Opcode::Mul, n, dst(reg(k), Type::F), &[f(1), f(2)]);
        let iadd = |k| op(Opcode::Add, n, dst(reg(k), Type::D), &[d(1), d(2)]);
        let shl = |k| {
            op(
                Opcode::Shl,
                n,
                dst(reg(k), Type::D),
                &[d(1), imm(Type::D, 3)],
            )
        };
        let and = |k| op(Opcode::And, n, dst(reg(k), Type::Ud), &[d(4), d(2)]);
        let mov = |k| op(Opcode::Mov, n, dst(reg(k), Type::F), &[d(2)]);
        let word = |k| {
            op(
                Opcode::Add,
                n,
                dst(reg(k), Type::D),
                &[g(reg(1), Type::Uw), imm(Type::Uw, 3)],
            )
        };
        let mut sel = op(Opcode::Sel, n, dst(reg(9), Type::F), &[f(1), f(2)]);
        sel.cmod = CondMod::Ge;
        let mut exp = op(Opcode::Math, n, dst(reg(9), Type::F), &[f(1)]);
        exp.math = Some(MathFn::Exp);
        let strided = op(
            Opcode::Mov,
            n,
            dst(reg(9), Type::D),
            &[Src {
                region: Region::new(8, 4, 2),
                ..g(40, Type::D)
            }],
        );
        measure(
            "integer",
            n,
            &[iadd(5), shl(6), and(7), iadd(8), shl(9), and(5)],
        );
        measure("float add, mul", n, &[add(5), mul(6), add(7), mul(8)]);
        measure("float mad", n, &[mad(5), mad(6), mad(7), mad(8)]);
        measure(
            "mixed shader",
            n,
            &[
                mad(5),
                add(6),
                iadd(7),
                shl(8),
                sel,
                mul(5),
                mov(6),
                and(7),
                word(8),
            ],
        );
        measure("strided moves", n, &[strided; 4]);
        measure("exp2", n, &[exp; 4]);
        let hf = op(
            Opcode::Add,
            n,
            dst(reg(9), Type::Hf),
            &[g(reg(1), Type::Hf), g(reg(2), Type::Hf)],
        );
        measure("half (interpreter)", n, &[hf; 4]);
    }
}
