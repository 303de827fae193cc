//! Generator of random instructions of gen8 and gen9 like those of a compiler.

use crate::check::check;
use crate::inst::{
    Addr, ArfReg, CondMod, Desc, Dst, Inst, MathFn, Pred, PredCtrl, RegFile, Region, Send, Src,
};
use crate::opcode::{self, EncodingClass, Opcode};
use crate::types::Type;
use hw::Gen;

/// Xorshift with 64 bits of state.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub fn below(&mut self, n: usize) -> usize {
        ((self.next() >> 16) % n as u64) as usize
    }

    /// True once in `n` times.
    pub fn chance(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

const INTEGERS: &[Type] = &[
    Type::Ub,
    Type::B,
    Type::Uw,
    Type::W,
    Type::Ud,
    Type::D,
    Type::Uq,
    Type::Q,
];
const ALL: &[Type] = &[
    Type::Ub,
    Type::B,
    Type::Uw,
    Type::W,
    Type::Ud,
    Type::D,
    Type::Uq,
    Type::Q,
    Type::Hf,
    Type::F,
    Type::Df,
];
const FLOATS: &[Type] = &[Type::Hf, Type::F, Type::Df];

/// A random instruction that breaks no rule.
pub fn legal(random: &mut Random, hw_gen: Gen, at: i32, end: i32) -> Inst {
    loop {
        let inst = instruction(random, hw_gen, at, end);
        if check(&inst, hw_gen).is_empty() {
            return inst;
        }
    }
}

/// A random instruction that can be encoded. `at` and `end` are its offset and the end of the
/// program, in bytes.
pub fn instruction(random: &mut Random, hw_gen: Gen, at: i32, end: i32) -> Inst {
    let ops: Vec<Opcode> = Opcode::ALL
        .iter()
        .copied()
        .filter(|op| op.number(hw_gen).is_some())
        .collect();
    let op = random.pick(&ops);
    let mut inst = Inst::new(op, random.pick(&[1, 2, 4, 8, 8, 8, 16, 16, 16, 32]));
    let class = op.info().class;
    if class == EncodingClass::Nullary {
        inst.exec_size = 1;
        return inst;
    }
    inst.chan_off = match inst.exec_size {
        32 => 0,
        16 => random.pick(&[0, 16]),
        8 => random.pick(&[0, 8, 16, 24]),
        _ => random.below(8) as u8 * 4,
    };
    inst.no_mask = random.chance(3);
    if random.chance(4) {
        inst.pred = Some(predicate(random));
        inst.flag = random.below(4) as u8;
    }
    match class {
        EncodingClass::Basic => basic(random, &mut inst),
        EncodingClass::Math => math(random, &mut inst),
        EncodingClass::ThreeSource => ternary(random, &mut inst, hw_gen),
        EncodingClass::Send | EncodingClass::SplitSend => send(random, &mut inst, hw_gen),
        EncodingClass::Wait => {
            inst.exec_size = 1;
            inst.chan_off = 0;
            inst.pred = None;
            inst.flag = 0;
            let index = random.below(3) as u8;
            let region = Region::SCALAR;
            inst.src[0] = Src::arf(ArfReg::Notification, 0, index * 4, Type::Ud, region);
            inst.dst.addr = inst.src[0].addr;
        }
        EncodingClass::Jip | EncodingClass::JipUip => {
            inst.jip = target(random, at, end);
            if class == EncodingClass::JipUip {
                inst.uip = target(random, at, end);
            }
            inst.branch_ctrl =
                matches!(op, Opcode::If | Opcode::Else | Opcode::Goto) && random.chance(3);
        }
        EncodingClass::Jump => jump(random, &mut inst, at, end),
        EncodingClass::Nullary => {}
    }
    if !inst.op.is_send() && !inst.op.is_branch() && class != EncodingClass::Wait {
        inst.no_dd_clr = random.chance(16);
        inst.no_dd_chk = random.chance(16);
        inst.atomic = random.chance(32);
    }
    remove_unsupported_modifiers(&mut inst);
    inst.switch = !inst.atomic && random.chance(32) && class != EncodingClass::Wait;
    if inst.op.is_send() && hw_gen < Gen::Gen9 {
        // IGA has no thread control on SEND of gen8.
        inst.switch = false;
    }
    inst.breakpoint = random.chance(64);
    inst
}

/// Removes modifiers that IGA does not accept on the operation.
fn remove_unsupported_modifiers(inst: &mut Inst) {
    let modifiers = inst.op.info().modifiers;
    if modifiers & opcode::PRED == 0 {
        inst.pred = None;
    }
    if modifiers & opcode::CMOD == 0 {
        inst.cmod = CondMod::None;
    }
    if modifiers & opcode::SAT == 0 {
        inst.saturate = false;
    }
    for src in &mut inst.src {
        if modifiers & opcode::MODS == 0 {
            (src.negate, src.abs) = (false, false);
        }
        if inst.op.info().logic {
            src.abs = false;
        }
    }
    if inst.pred.is_none() && inst.cmod == CondMod::None && !inst.is_math_macro() {
        inst.flag = 0;
    }
}

fn predicate(random: &mut Random) -> Pred {
    let forms = [
        PredCtrl::Normal,
        PredCtrl::Normal,
        PredCtrl::Normal,
        PredCtrl::AnyV,
        PredCtrl::AllV,
        PredCtrl::Any2h,
        PredCtrl::All2h,
        PredCtrl::Any4h,
        PredCtrl::All4h,
        PredCtrl::Any8h,
        PredCtrl::All8h,
        PredCtrl::Any16h,
        PredCtrl::All16h,
        PredCtrl::Any32h,
        PredCtrl::All32h,
    ];
    Pred {
        ctrl: random.pick(&forms),
        inverse: random.chance(2),
    }
}

const COND_MODS: &[CondMod] = &[
    CondMod::Z,
    CondMod::Nz,
    CondMod::G,
    CondMod::Ge,
    CondMod::L,
    CondMod::Le,
    CondMod::O,
    CondMod::U,
];

fn target(random: &mut Random, at: i32, end: i32) -> i32 {
    random.below((end / 16) as usize) as i32 * 16 - at
}

fn sub(random: &mut Random, ty: Type) -> u8 {
    let size = ty.size_bytes() as usize;
    if random.chance(3) {
        (random.below(32 / size) * size) as u8
    } else {
        0
    }
}

fn dst(random: &mut Random, ty: Type) -> Dst {
    let mut dst = match random.below(20) {
        0 => Dst::null(ty),
        1 => Dst::arf(ArfReg::Accumulator, random.below(2) as u8, 0, ty),
        2 if ty.size_bytes() <= 4 => {
            let imm = random.below(1024) as i16 - 512;
            Dst::indirect(random.below(16) as u8, imm, ty)
        }
        3 if ty == Type::Uw => Dst::arf(ArfReg::Address, 0, random.below(16) as u8 * 2, ty),
        4 if ty == Type::Ud => Dst::arf(ArfReg::Flag, random.below(2) as u8, 0, ty),
        5 if ty == Type::Ud => Dst::arf(ArfReg::Control, 0, random.below(3) as u8 * 4, ty),
        _ => Dst::grf(random.below(128) as u8, sub(random, ty), ty),
    };
    dst.hstride = random.pick(&[1, 1, 1, 2, 4]);
    dst
}

fn region(random: &mut Random, exec_size: u8) -> Region {
    if exec_size == 1 || random.chance(6) {
        return Region::SCALAR;
    }
    let width = random.pick(&[1, 2, 4, 8, 16]).min(exec_size);
    if width == 1 {
        return Region::new(random.pick(&[1, 2, 4, 8]), 1, 0);
    }
    let hstride = random.pick(&[0, 1, 1, 1, 2, 4]);
    let linear = width * hstride;
    let vstride = match hstride {
        0 => random.pick(&[1, 2, 4, 8]),
        _ if linear <= 32 && (exec_size == width || random.chance(2)) => linear,
        _ => random.pick(&[0, 1, 2, 4, 8, 16, 32]),
    };
    Region::new(vstride, width, hstride)
}

fn source(random: &mut Random, index: usize, ty: Type, exec_size: u8) -> Src {
    let region = region(random, exec_size);
    // IGA accepts architecture registers only as the first source.
    let mut src = match random.below(20) {
        0 | 2 | 3 if index != 0 => Src::grf(random.below(128) as u8, 0, ty, region),
        0 => Src::arf(ArfReg::Accumulator, random.below(2) as u8, 0, ty, region),
        1 => {
            let imm = random.below(1024) as i16 - 512;
            let mut region = region;
            if random.chance(2) && region.width * region.hstride.max(1) <= 16 {
                region.vstride = Region::VX1;
            }
            Src::indirect(random.below(16) as u8, imm, ty, region)
        }
        2 if ty == Type::Ud => {
            let reg = random.pick(&[
                ArfReg::State,
                ArfReg::Control,
                ArfReg::ChannelEnable,
                ArfReg::InstructionPointer,
                ArfReg::Timestamp,
                ArfReg::Flag,
            ]);
            Src::arf(reg, 0, 0, ty, Region::SCALAR)
        }
        3 if ty == Type::Uw => {
            let sub = random.below(16) as u8 * 2;
            Src::arf(ArfReg::Address, 0, sub, ty, Region::SCALAR)
        }
        _ => Src::grf(random.below(128) as u8, sub(random, ty), ty, region),
    };
    src.negate = random.chance(5);
    src.abs = random.chance(8);
    src
}

fn immediate(random: &mut Random, float: bool, wide: bool) -> Src {
    let raw = random.next();
    if float {
        return match random.below(if wide { 4 } else { 3 }) {
            0 => Src::imm(Type::F, random_f32_bits(random).into()),
            1 => Src::imm(Type::Hf, raw),
            2 => Src::imm(Type::Vf, raw),
            _ => Src::imm_df(f64::from_bits(match random.below(3) {
                0 => raw,
                1 => f64::from(raw as u32 as i32).to_bits(),
                _ => (f64::from(raw as i8) / 100.0).to_bits(),
            })),
        };
    }
    let small = raw % 300;
    let value = if random.chance(2) { small } else { raw };
    match random.below(if wide { 8 } else { 6 }) {
        0 => Src::imm(Type::W, value),
        1 => Src::imm(Type::Uw, value),
        2 => Src::imm(Type::D, value),
        3 => Src::imm(Type::Ud, value),
        4 => Src::imm(Type::V, raw),
        5 => Src::imm(Type::Uv, raw),
        6 => Src::imm(Type::Q, value),
        _ => Src::imm(Type::Uq, value),
    }
}

fn random_f32_bits(random: &mut Random) -> u32 {
    let raw = random.next() as u32;
    match random.below(4) {
        0 => raw,
        1 => (raw as i16 as f32).to_bits(),
        2 => (raw as i16 as f32 / 1000.0).to_bits(),
        _ => random.pick(&[
            0,
            0x8000_0000,
            0x3f80_0000,
            0x7f80_0000,
            0xff80_0000,
            0x7fc0_0000,
            1,
        ]),
    }
}

fn basic(random: &mut Random, inst: &mut Inst) {
    let op = inst.op;
    let float_only = matches!(
        op,
        Opcode::Frc
            | Opcode::Rndu
            | Opcode::Rndd
            | Opcode::Rnde
            | Opcode::Rndz
            | Opcode::Dp2
            | Opcode::Dp3
            | Opcode::Dp4
            | Opcode::Dph
            | Opcode::Line
            | Opcode::Pln
    );
    let either = matches!(
        op,
        Opcode::Mov
            | Opcode::Sel
            | Opcode::Cmp
            | Opcode::Cmpn
            | Opcode::Add
            | Opcode::Mul
            | Opcode::Mac
    );
    let (bits32, bytes) = (
        [Type::Ud, Type::D].as_slice(),
        [Type::Ub, Type::B].as_slice(),
    );
    let (dst_types, src_types): (&[Type], &[Type]) = match op {
        Opcode::Mov => (ALL, ALL),
        Opcode::Bfrev | Opcode::Cbit | Opcode::Fbl | Opcode::Bfi1 => (bits32, bits32),
        Opcode::Fbh | Opcode::Lzd | Opcode::Addc | Opcode::Subb => (bits32, bits32),
        Opcode::Sad2 | Opcode::Sada2 => (&[Type::Uw, Type::W], bytes),
        Opcode::Mach => (bits32, bits32),
        Opcode::Dp2 | Opcode::Dp3 | Opcode::Dp4 | Opcode::Dph | Opcode::Line | Opcode::Pln => {
            (&[Type::F], &[Type::F])
        }
        Opcode::Smov => (ALL, ALL),
        _ if float_only => (FLOATS, FLOATS),
        _ if either && random.chance(2) => (FLOATS, FLOATS),
        _ => (INTEGERS, INTEGERS),
    };
    let ty = random.pick(dst_types);
    inst.dst = dst(random, ty);
    let sources = inst.sources();
    for i in 0..sources {
        let ty = if random.chance(2) && src_types.contains(&inst.dst.ty) {
            inst.dst.ty
        } else {
            random.pick(src_types)
        };
        inst.src[i] = source(random, i, ty, inst.exec_size);
        let last = i + 1 == sources;
        if last && random.chance(4) && !matches!(op, Opcode::Movi | Opcode::Pln | Opcode::Sad2) {
            inst.src[i] = immediate(random, ty.is_float(), sources == 1);
        }
    }
    if random.chance(5) {
        inst.cmod = random.pick(COND_MODS);
        if inst.pred.is_none() {
            inst.flag = random.below(4) as u8;
        }
    }
    if matches!(op, Opcode::Cmp | Opcode::Cmpn) && inst.cmod == CondMod::None {
        inst.cmod = random.pick(COND_MODS);
        if inst.pred.is_none() {
            inst.flag = random.below(4) as u8;
        }
    }
    if op == Opcode::Sel && inst.pred.is_some() {
        inst.cmod = CondMod::None;
    }
    inst.saturate = random.chance(8);
    inst.acc_wr = random.chance(10);
}

fn math(random: &mut Random, inst: &mut Inst) {
    let functions = [
        MathFn::Inv,
        MathFn::Log,
        MathFn::Exp,
        MathFn::Sqrt,
        MathFn::Rsq,
        MathFn::Sin,
        MathFn::Cos,
        MathFn::Fdiv,
        MathFn::Pow,
        MathFn::IntDivBoth,
        MathFn::IntDivQuotient,
        MathFn::IntDivRemainder,
        MathFn::Invm,
        MathFn::Rsqrtm,
    ];
    let function = random.pick(&functions);
    inst.math = Some(function);
    inst.exec_size = random.pick(&[8, 16]);
    inst.chan_off = 0;
    if inst.is_math_macro() {
        let ty = random.pick(&[Type::F, Type::Df]);
        inst.exec_size = if ty == Type::Df { 4 } else { 8 };
        inst.align16 = true;
        inst.dst = Dst::grf(random.below(128) as u8, 0, ty);
        inst.dst.writemask = random.below(9) as u8;
        for i in 0..inst.sources() {
            let region = Region::new(16 / ty.size_bytes() as u8, 4, 1);
            inst.src[i] = Src::grf(random.below(128) as u8, 0, ty, region);
            inst.src[i].swizzle = random.below(9) as u8;
        }
        if let Some(pred) = &mut inst.pred {
            pred.ctrl = PredCtrl::Normal;
        } else {
            inst.flag = random.below(4) as u8;
        }
        return;
    }
    let integer = matches!(
        function,
        MathFn::IntDivBoth | MathFn::IntDivQuotient | MathFn::IntDivRemainder
    );
    let ty = if integer {
        random.pick(&[Type::D, Type::Ud])
    } else {
        Type::F
    };
    inst.dst = Dst::grf(random.below(126) as u8, 0, ty);
    for i in 0..inst.sources() {
        let region = random.pick(&[Region::new(8, 8, 1), Region::SCALAR]);
        inst.src[i] = Src::grf(random.below(126) as u8, 0, ty, region);
        inst.src[i].negate = !integer && random.chance(5);
        inst.src[i].abs = !integer && random.chance(8);
    }
    inst.saturate = !integer && random.chance(8);
}

fn ternary(random: &mut Random, inst: &mut Inst, hw_gen: Gen) {
    inst.align16 = true;
    let ty = match inst.op {
        Opcode::Bfe | Opcode::Bfi2 => random.pick(&[Type::D, Type::Ud]),
        Opcode::Mad => random.pick(&[Type::F, Type::F, Type::Hf, Type::Df]),
        Opcode::Madm => random.pick(&[Type::F, Type::Df]),
        _ => Type::F,
    };
    inst.exec_size = match ty {
        Type::Df => random.pick(&[4, 8]),
        _ => random.pick(&[8, 16]),
    };
    inst.chan_off = 0;
    if let Some(pred) = &mut inst.pred {
        pred.ctrl = PredCtrl::Normal;
    }
    inst.dst = Dst::grf(random.below(126) as u8, 0, ty);
    let integer = !ty.is_float();
    for i in 0..3 {
        let mut src = Src::grf(random.below(126) as u8, 0, ty, Region::new(4, 4, 1));
        if inst.op == Opcode::Madm {
            src.swizzle = random.below(9) as u8;
        } else if random.chance(3) {
            let element = random.below(32 / ty.size_bytes() as usize) as u8;
            let mut sub_bytes = element * ty.size_bytes() as u8;
            if ty == Type::Df {
                src.swizzle = if element % 2 == 1 { 0xee } else { 0x44 };
                sub_bytes &= 16;
            } else {
                src.rep_ctrl = true;
                if hw_gen < Gen::Gen9 {
                    sub_bytes &= !2;
                }
            }
            let Addr::Direct { nr, .. } = src.addr else {
                continue;
            };
            src.addr = Addr::Direct { nr, sub_bytes };
        }
        src.negate = !integer && random.chance(5);
        src.abs = !integer && random.chance(8);
        inst.src[i] = src;
    }
    if inst.op == Opcode::Madm {
        inst.dst.writemask = random.below(9) as u8;
        inst.exec_size = if ty == Type::Df { 4 } else { 8 };
    }
    let flags = inst.op == Opcode::Csel || inst.op == Opcode::Mad && random.chance(8);
    if flags {
        inst.cmod = random.pick(COND_MODS);
        if inst.pred.is_none() {
            inst.flag = random.below(4) as u8;
        }
    }
    if inst.op == Opcode::Csel {
        inst.pred = None;
    }
    inst.saturate = !integer && random.chance(8);
}

fn send(random: &mut Random, inst: &mut Inst, hw_gen: Gen) {
    let split = inst.op.info().class == EncodingClass::SplitSend;
    let region = Region::new(8, 8, 1);
    let eot = random.chance(16);
    let types = [Type::Ud, Type::D, Type::F, Type::Uw, Type::W];
    let sfid = random.pick(&[2, 3, 4, 5, 6, 7, 9, 10, 11, 12]);
    let mlen = 1 + random.below(3) as u32;
    let ex_mlen = random.below(4) as u32;
    let desc = (random.next() as u32 & 0x000f_ffff) | mlen << 25 | (random.below(9) as u32) << 20;
    inst.exec_size = random.pick(&[8, 16]);
    inst.chan_off = 0;
    inst.dst = match random.below(3) {
        0 => Dst::null(random.pick(&types)),
        _ => Dst::grf(random.below(100) as u8, 0, random.pick(&types)),
    };
    let first = if eot { 120 } else { random.below(100) as u8 };
    inst.src[0] = Src::grf(first, 0, random.pick(&types), region);
    let high = if hw_gen >= Gen::Gen9 && random.chance(4) {
        random.next() as u32 & 0xffff_0000
    } else {
        0
    };
    let mut send = Send {
        sfid,
        desc: Desc::Imm(desc),
        ex_desc: Desc::Imm(high),
        eot,
    };
    if split {
        inst.src[0].ty = Type::Ud;
        inst.src[1] = Src::grf(first + 4, 0, Type::Ud, region);
        send.ex_desc = Desc::Imm(high | ex_mlen << 6);
        if ex_mlen == 0 {
            inst.src[1].file = RegFile::Arf;
            inst.src[1].addr = Addr::Direct {
                nr: 0,
                sub_bytes: 0,
            };
        }
        if random.chance(6) {
            send.ex_desc = Desc::A0(random.below(8) as u8 * 2);
            send.sfid = 0;
        }
    }
    if random.chance(6) {
        send.desc = Desc::A0(0);
    }
    inst.send = Some(send);
}

fn jump(random: &mut Random, inst: &mut Inst, at: i32, end: i32) {
    let sub_bytes = random.below(8) as u8 * 4;
    let nr = random.below(128) as u8;
    let immediate = inst.op != Opcode::Ret && random.chance(2);
    let region = match inst.op {
        Opcode::Brc | Opcode::Ret => Region::new(2, 2, 1),
        _ => Region::SCALAR,
    };
    inst.src[0] = if immediate {
        Src::imm_d(0)
    } else {
        Src::grf(nr, sub_bytes, Type::D, region)
    };
    match inst.op {
        Opcode::Jmpi => {
            inst.exec_size = 1;
            inst.chan_off = 0;
            inst.no_mask = true;
        }
        Opcode::Call | Opcode::Calla => {
            inst.dst = Dst::grf(random.below(128) as u8, sub_bytes, Type::D);
        }
        _ => {}
    }
    if immediate {
        let base = if inst.op == Opcode::Calla { 0 } else { at };
        inst.jip = target(random, base, end);
        if inst.op == Opcode::Brc {
            inst.uip = target(random, at, end);
        }
    }
}
