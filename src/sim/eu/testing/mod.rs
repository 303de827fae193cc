//! Fixtures of the tests: functions that build instructions and run threads, and a random number
//! generator.

use crate::kernel::Kernel;
use crate::message::{Message, MessageReply, SharedFunctions, StopReason};
use crate::state::Options;
use crate::thread::{Thread, ThreadExit, ThreadInit};
use isa::{
    Addr, ArfReg, CondMod, Desc, Dst, Inst, Opcode, Pred, PredCtrl, RegFile, Region, Send, Src,
    Type,
};
use std::sync::Arc;

/// A recorded message.
pub(crate) struct Sent {
    pub(crate) sfid: u8,
    pub(crate) desc: u32,
    pub(crate) ex_desc: u32,
    pub(crate) lanes: u32,
    pub(crate) src0: Vec<u32>,
    pub(crate) src1: Vec<u32>,
}

/// Shared functions that record messages and respond with the channel mask in every dword.
#[derive(Default)]
pub(crate) struct Recorder {
    pub(crate) sent: Vec<Sent>,
    pub(crate) clock: u64,
}

impl SharedFunctions for Recorder {
    fn message(
        &mut self,
        m: &Message<'_>,
        response: &mut [u32],
    ) -> Result<MessageReply, StopReason> {
        self.sent.push(Sent {
            sfid: m.sfid,
            desc: m.desc,
            ex_desc: m.ex_desc,
            lanes: m.lanes,
            src0: m.src0.to_vec(),
            src1: m.src1.to_vec(),
        });
        for r in response {
            *r = m.lanes;
        }
        Ok(MessageReply::Done)
    }
    fn timestamp(&mut self) -> u64 {
        self.clock += 0x1_0000_0001;
        self.clock
    }
}

pub(crate) fn null_src() -> Src {
    arf(ArfReg::Null, 0, 0, Type::Ud)
}

/// `rN:ty` contiguous: `<8;8,1>`, or the width's own region in narrower instructions.
pub(crate) fn g(nr: u8, ty: Type) -> Src {
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

pub(crate) fn region(mut s: Src, sub_bytes: u8, v: u8, w: u8, h: u8) -> Src {
    if let Addr::Direct { nr, .. } = s.addr {
        s.addr = Addr::Direct { nr, sub_bytes };
    }
    s.region = Region::new(v, w, h);
    s
}

pub(crate) fn scalar(nr: u8, sub_bytes: u8, ty: Type) -> Src {
    region(g(nr, ty), sub_bytes, 0, 1, 0)
}

pub(crate) fn imm(ty: Type, bits: u64) -> Src {
    Src {
        file: RegFile::Imm,
        imm: bits,
        ..g(0, ty)
    }
}

pub(crate) fn arf(reg: ArfReg, idx: u8, sub_bytes: u8, ty: Type) -> Src {
    Src {
        file: RegFile::Arf,
        addr: Addr::Direct {
            nr: (reg as u8) << 4 | idx,
            sub_bytes,
        },
        region: Region::new(8, 8, 1),
        ..g(0, ty)
    }
}

pub(crate) fn neg(mut s: Src) -> Src {
    s.negate = true;
    s
}

pub(crate) fn abs(mut s: Src) -> Src {
    s.abs = true;
    s
}

pub(crate) fn dst(nr: u8, ty: Type) -> Dst {
    Dst {
        file: RegFile::Grf,
        ty,
        addr: Addr::Direct { nr, sub_bytes: 0 },
        hstride: 1,
        writemask: 0xf,
    }
}

pub(crate) fn arf_dst(reg: ArfReg, idx: u8, sub_bytes: u8, ty: Type) -> Dst {
    Dst {
        file: RegFile::Arf,
        addr: Addr::Direct {
            nr: (reg as u8) << 4 | idx,
            sub_bytes,
        },
        ..dst(0, ty)
    }
}

pub(crate) fn null_dst(ty: Type) -> Dst {
    arf_dst(ArfReg::Null, 0, 0, ty)
}

/// An instruction of `n` lanes.
pub(crate) fn op(op: Opcode, n: u8, d: Dst, srcs: &[Src]) -> Inst {
    let mut src = [null_src(); 3];
    src[..srcs.len()].copy_from_slice(srcs);
    Inst {
        op,
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

pub(crate) fn cmod(mut i: Inst, c: CondMod, flag: u8) -> Inst {
    i.cmod = c;
    i.flag = flag;
    i
}

pub(crate) fn pred(mut i: Inst, ctrl: PredCtrl, inverse: bool, flag: u8) -> Inst {
    i.pred = Some(Pred { ctrl, inverse });
    i.flag = flag;
    i
}

pub(crate) fn no_mask(mut i: Inst) -> Inst {
    i.no_mask = true;
    i
}

/// A branch; `jip` and `uip` count instructions from this one.
pub(crate) fn branch(o: Opcode, n: u8, jip: i32, uip: i32) -> Inst {
    let mut i = op(o, n, null_dst(Type::D), &[imm(Type::D, 0)]);
    i.jip = jip * 16;
    i.uip = uip * 16;
    i
}

pub(crate) fn eot() -> Inst {
    let mut i = no_mask(op(Opcode::Send, 8, null_dst(Type::Ud), &[g(127, Type::Ud)]));
    i.send = Some(Send {
        sfid: 7,
        desc: Desc::Imm(1 << 25),
        ex_desc: Desc::Imm(0),
        eot: true,
    });
    i
}

/// A thread at the start of `code` followed by an end of thread; all GRF set to `payload` and
/// zeros.
pub(crate) fn thread(code: &[Inst], payload: &[u32], mask: u32) -> Thread {
    thread_with(
        code,
        payload,
        mask,
        1 << 7 | 1 << 6 | 1 << 10,
        Options::default(),
    )
}

pub(crate) fn thread_with(
    code: &[Inst],
    payload: &[u32],
    mask: u32,
    cr0: u32,
    options: Options,
) -> Thread {
    let mut code = code.to_vec();
    code.push(eot());
    let kernel = Arc::new(Kernel::from_insts(&code).expect("there is an instruction"));
    let init = ThreadInit {
        cr0,
        ..ThreadInit::default()
    };
    Thread::new(&kernel, payload, mask, &init, options)
}

/// Runs to the end of the thread.
pub(crate) fn run(code: &[Inst], payload: &[u32], mask: u32) -> Thread {
    let mut t = thread(code, payload, mask);
    assert_eq!(
        t.run(&mut Recorder::default(), 100_000),
        Ok(ThreadExit::Eot)
    );
    t
}

/// Runs to the end of the thread, by the fast paths and by the interpreter alone.
pub(crate) fn both_paths(code: &[Inst], payload: &[u32], mask: u32) -> [Thread; 2] {
    both_paths_with(code, payload, mask, 1 << 7 | 1 << 6 | 1 << 10, |_| {})
}

/// As `both_paths`, with another `cr0` and with registers that `prepare` sets.
pub(crate) fn both_paths_with(
    code: &[Inst],
    payload: &[u32],
    mask: u32,
    cr0: u32,
    prepare: impl Fn(&mut Thread),
) -> [Thread; 2] {
    let mut code = code.to_vec();
    code.push(eot());
    let kernel = Kernel::from_insts(&code).expect("there is an instruction");
    let init = ThreadInit {
        cr0,
        ..ThreadInit::default()
    };
    [kernel.clone(), kernel.interpreter_only()].map(|k| {
        let mut t = Thread::new(&Arc::new(k), payload, mask, &init, Options::default());
        prepare(&mut t);
        let end = t.run(&mut Recorder::default(), 100_000);
        assert_eq!(end, Ok(ThreadExit::Eot), "{:?}", code[0]);
        t
    })
}

pub(crate) fn reg(t: &Thread, nr: usize) -> [u32; 8] {
    let mut r = [0; 8];
    r.copy_from_slice(&t.grf()[nr * 8..nr * 8 + 8]);
    r
}

/// A small generator of pseudo-random numbers (xorshift), the same on every run.
pub(crate) struct Rng(pub(crate) u64);

impl Rng {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        (self.next() >> 33) % n
    }
    pub(crate) fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len() as u64) as usize]
    }
    /// A dword that is often an edge case of integers or floats.
    pub(crate) fn dword(&mut self) -> u32 {
        const EDGES: [u32; 24] = [
            0,
            1,
            2,
            0xffff_ffff,
            0x7fff_ffff,
            0x8000_0000,
            0x8000_0001,
            0xffff,
            0x1_0000,
            0x7f80_0000,
            0xff80_0000,
            0x7fc0_0000,
            0x3f80_0000,
            0xbf80_0000,
            0x3f00_0000,
            0x0000_0001,
            0x807f_ffff,
            0x0080_0000,
            0x7f7f_ffff,
            0x4f00_0000,
            0xcf00_0000,
            0x3fc0_0000,
            0x4b00_0001,
            0x3c00_8000,
        ];
        match self.below(4) {
            0 => self.pick(&EDGES),
            // A float of moderate size.
            1 => (self.next() as u32 & 0x807f_ffff) | ((110 + self.below(40) as u32) << 23),
            2 => self.next() as u32 & 0xff,
            _ => self.next() as u32,
        }
    }
}
