//! The general path: any ALU instruction, lane by lane, in exact arithmetic.
//!
//! In:  a resolved instruction. Out: registers, flags, accumulator.
//! Every fast path must agree with this one.
//! Ref: SKL PRM vol. 7, "EU ISA"; vol. 2a, instruction reference.

use crate::alu_int::Width;
use crate::convert::{FpMode, Out, Val};
use crate::flags;
use crate::message::Stop;
use crate::region::{Kind, SrcOp};
use crate::regs;
use crate::state::State;
use crate::uop::{R, Uop};
use crate::{alu_float, alu_int, convert, math};
use isa::{CondMod, MathFn, Opcode, Type};

/// Bits of one source for each lane.
type Lanes = [u64; 32];

/// Executes one ALU instruction: all sources are read before anything is written, in compressed instructions too (ERRATA.md).
pub(crate) fn execute(t: &mut State, u: &Uop) -> R {
    let enabled = t.mask(u);
    let mut src = [[0u64; 32]; 3];
    for (k, lanes) in src.iter_mut().enumerate().take(usize::from(u.sources)) {
        gather(t, u, &u.src[k], enabled, lanes)?;
    }
    let mut out: [Option<Out>; 32] = [None; 32];
    compute(t, u, enabled, &src, &mut out)?;
    write_back(t, u, enabled & u.dst.lane_mask, &out)
}

/// Reads all lanes of a source (only the enabled ones through a0).
fn gather(t: &State, u: &Uop, s: &SrcOp, enabled: u32, lanes: &mut Lanes) -> R {
    let n = usize::from(u.n);
    let size = usize::from(s.size);
    match s.kind {
        Kind::Imm => {
            for (i, l) in lanes.iter_mut().enumerate().take(n) {
                *l = s.imm_lane(i);
            }
        }
        Kind::Indirect => {
            for (i, l) in lanes.iter_mut().enumerate().take(n) {
                if enabled >> i & 1 != 0 || u.no_mask {
                    let at = indirect(t, u, s, i)?;
                    *l = t.regs.read(at, size);
                }
            }
        }
        _ => {
            for (i, l) in lanes.iter_mut().enumerate().take(n) {
                *l = t.regs.read(s.offset(i), size);
            }
        }
    }
    Ok(())
}

/// Byte address of lane `i` of an indirect source.
pub(crate) fn indirect(t: &State, u: &Uop, s: &SrcOp, i: usize) -> Result<usize, Box<Stop>> {
    let row = if s.vx1 { i / usize::from(s.width) } else { 0 };
    let table = s.table.as_ref().map_or(0, |x| x[i & 31]);
    address(
        t,
        u,
        usize::from(s.a0_sub) + row,
        s.disp,
        usize::from(table),
        usize::from(s.size),
    )
}

/// `a0[sub] + disp + extra`, checked against the GRF.
pub(crate) fn address(
    t: &State,
    u: &Uop,
    sub: usize,
    disp: i16,
    extra: usize,
    size: usize,
) -> Result<usize, Box<Stop>> {
    if sub > 15 {
        return Err(u.undefined(
            &crate::rules::ADDRESS_RANGE,
            format!("address register a0.{sub}"),
        ));
    }
    let a = i64::from(t.regs.words()[regs::A0 / 2 + sub]) + i64::from(disp) + extra as i64;
    let ok = a >= 0 && a + size as i64 <= regs::GRF_BYTES as i64;
    if !ok {
        if t.options.strict {
            return Err(u.undefined(
                &crate::rules::GRF_RANGE,
                format!("indirect access to GRF byte {a:#x}"),
            ));
        }
        return Ok(a.rem_euclid(regs::GRF_BYTES as i64) as usize);
    }
    Ok(a as usize)
}

/// The number a source lane stands for, modifiers applied.
fn value(bits: u64, s: &SrcOp, logic: bool, mode: &FpMode) -> Val {
    if s.ty.is_float() {
        let mut v = convert::float_of(bits, s.ty, mode);
        if s.abs {
            v = v.abs();
        }
        if s.neg {
            v = -v;
        }
        Val::F(v, 0)
    } else {
        let mut v = convert::int_of(bits, s.ty);
        if s.abs {
            v = v.abs();
        }
        if s.neg {
            v = if logic { !v } else { -v };
        }
        // Modifiers keep a signed source's width, of 32 bits or more: the least number is its own negative. Accumulators have
        // more bits (ERRATA.md).
        if (s.abs || s.neg) && s.ty.is_signed_int() && !s.within(regs::ACC, regs::FLAG) {
            let unused = 128 - 8 * u32::from(s.size.max(4));
            v = v << unused >> unused;
        }
        Val::I(v)
    }
}

/// Width and signedness an integer instruction executes at.
fn width(u: &Uop) -> Width {
    let k = usize::from(u.sources).min(3);
    let quad = u.src[..k].iter().any(|s| s.size == 8) || u.dst.size == 8;
    Width {
        bits: if quad { 64 } else { 32 },
        signed: u.src[..k].iter().any(|s| s.ty.is_signed_int()),
        src0: u.src[0].ty,
    }
}

/// Element type a float instruction rounds to before conversion to an integer destination.
fn float_exec(u: &Uop) -> Type {
    let k = usize::from(u.sources).min(3);
    let has = |t| u.src[..k].iter().any(|s| s.ty == t);
    if has(Type::Df) {
        Type::Df
    } else if has(Type::Hf) && !has(Type::F) {
        Type::Hf
    } else {
        Type::F
    }
}

fn compute(
    t: &mut State,
    u: &Uop,
    enabled: u32,
    src: &[Lanes; 3],
    out: &mut [Option<Out>; 32],
) -> R {
    let mode = t.mode;
    let op = u.op;
    let logic = alu_int::is_logic(op);
    let float = u.sources > 0
        && u.src[..usize::from(u.sources).min(3)]
            .iter()
            .any(|s| s.ty.is_float());
    let raw_mov = op == Opcode::Mov
        && u.src[0].ty == u.dst.ty
        && !u.src[0].abs
        && !u.src[0].neg
        && !u.saturate;
    let w = width(u);
    let exec = float_exec(u);
    let integers_only = matches!(
        op,
        Opcode::Addc | Opcode::Subb | Opcode::Mach | Opcode::Sad2 | Opcode::Sada2
    ) || (op == Opcode::Math && u.math.is_some_and(alu_int::is_int_div));
    if float && integers_only {
        return Err(u.wrong_types());
    }
    for i in 0..usize::from(u.n) {
        if enabled >> i & 1 == 0 {
            continue;
        }
        let val = |k: usize| value(src[k][i], &u.src[k], logic, &mode);
        if raw_mov {
            out[i] = Some(raw(t, u, i, src[0][i], &mode));
            continue;
        }
        let r = match op {
            Opcode::Cmp | Opcode::Cmpn => {
                out[i] = Some(compare_out(u, val(0), val(1), float));
                continue;
            }
            Opcode::Sel => pick(t, u, i, src, val(0), val(1), float),
            Opcode::Csel => {
                let o = match val(2) {
                    Val::F(f, _) => Out::of_bits(f.to_bits(), Type::Df),
                    Val::I(v) => Out::of_bits(v as u64, Type::Q),
                };
                let k = if flags::holds(u.cmod, &o) { 0 } else { 1 };
                if u.src[k].ty == u.dst.ty && !u.src[k].abs && !u.src[k].neg && !u.saturate {
                    Picked::Bits(src[k][i])
                } else {
                    Picked::Val(val(k))
                }
            }
            Opcode::Frc if float => Picked::Val(alu_float::fraction(val(0).float(), u.dst.ty)),
            Opcode::Math => Picked::Val(math_lane(t, u, i, val(0), val(1))?),
            Opcode::F32to16 => {
                let h = convert::convert(val(0), Type::Hf, u.saturate, &mode).bits;
                Picked::Val(Val::I(i128::from(h)))
            }
            Opcode::F16to32 => {
                let s = &u.src[0];
                let mut v = convert::float_of(src[0][i], Type::Hf, &mode);
                if s.abs {
                    v = v.abs();
                }
                if s.neg {
                    v = -v;
                }
                Picked::Val(Val::F(v, 0))
            }
            Opcode::Dp2 | Opcode::Dp3 | Opcode::Dp4 | Opcode::Dph => {
                let g = i & !3;
                let quad = |k: usize| {
                    [0, 1, 2, 3]
                        .map(|j| value(src[k][(g + j) & 31], &u.src[k], false, &mode).float())
                };
                match alu_float::dot(op, quad(0), quad(1)) {
                    Some(v) => Picked::Val(v),
                    None => return Err(u.unimplemented()),
                }
            }
            Opcode::Line | Opcode::Pln => Picked::Val(plane_lane(t, u, i, src)),
            Opcode::Sad2 | Opcode::Sada2 => {
                if i % 2 != 0 {
                    continue;
                }
                let d = |j: usize| {
                    let x = value(src[0][j & 31], &u.src[0], false, &mode).int();
                    let y = value(src[1][j & 31], &u.src[1], false, &mode).int();
                    (x - y).abs()
                };
                let mut v = d(i) + d(i + 1);
                if op == Opcode::Sada2 {
                    v += i128::from(t.regs.acc_wide[i]);
                }
                Picked::Val(Val::I(v))
            }
            Opcode::Mac if float => {
                let acc_at = regs::ACC + acc_lane(u, i) * usize::from(u.dst.size);
                let acc = convert::float_of(
                    t.regs.read(acc_at, usize::from(u.dst.size)),
                    u.dst.ty,
                    &mode,
                );
                let (v, e) = convert::fma_exact(val(0).float(), val(1).float(), acc);
                Picked::Val(Val::F(v, e))
            }
            Opcode::Mac => {
                let acc = i128::from(t.regs.acc_wide[i]);
                Picked::Val(Val::I(
                    acc.wrapping_add(val(0).int().wrapping_mul(val(1).int())),
                ))
            }
            Opcode::Mach => {
                let b = val(1).int();
                // The high word of source 1, on top of the low word's product in the accumulator.
                let acc = t.regs.acc_wide[i]
                    .wrapping_add((val(0).int().wrapping_mul(b >> 16) << 16) as i64);
                t.set_acc(i, acc, 4);
                let hi = if w.signed {
                    i128::from((acc >> 32) as i32)
                } else {
                    i128::from((acc as u64 >> 32) as u32)
                };
                Picked::Val(Val::I(hi))
            }
            Opcode::Addc => {
                let v = val(0).int() + val(1).int();
                t.set_acc(i, i64::from(v > 0xffff_ffff), 4);
                Picked::Val(Val::I(v))
            }
            Opcode::Subb => {
                let v = val(0).int() - val(1).int();
                t.set_acc(i, i64::from(v < 0), 4);
                Picked::Val(Val::I(v))
            }
            Opcode::Smov => return Err(u.unimplemented()),
            _ if float => {
                let f = |k: usize| {
                    if k < usize::from(u.sources) {
                        val(k).float()
                    } else {
                        0.0
                    }
                };
                match alu_float::eval(op, f(0), f(1), f(2)) {
                    Some(v) => Picked::Val(v),
                    None => return Err(u.wrong_types()),
                }
            }
            _ => {
                let f = |k: usize| {
                    if k < usize::from(u.sources) {
                        val(k).int()
                    } else {
                        0
                    }
                };
                let a = if op == Opcode::Not { !f(0) } else { f(0) };
                match alu_int::eval(op, w, a, f(1), f(2)) {
                    Some(v) => Picked::Val(Val::I(v)),
                    None => return Err(u.wrong_types()),
                }
            }
        };
        out[i] = Some(match r {
            Picked::Bits(b) => raw(t, u, i, b, &mode),
            Picked::Val(v) => finish(t, u, i, v, exec, &mode),
        });
    }
    Ok(())
}

/// A selected or computed element.
enum Picked {
    Bits(u64),
    Val(Val),
}

/// Moves an element's bits, also to the accumulator.
fn raw(t: &mut State, u: &Uop, i: usize, bits: u64, mode: &FpMode) -> Out {
    let o = raw_out(bits, u.dst.ty, mode);
    let v = if u.dst.ty.is_float() {
        Val::F(0.0, 0)
    } else {
        Val::I(convert::int_of(bits, u.dst.ty))
    };
    accumulate(t, u, i, v, &o);
    o
}

/// Unconverted bits, as flags see them: a denormal is zero where denormals are flushed.
fn raw_out(bits: u64, ty: Type, mode: &FpMode) -> Out {
    let mut o = Out::of_bits(bits, ty);
    if ty.is_float() && convert::float_of(bits, ty, mode) == 0.0 {
        o.zero = true;
        o.neg = false;
    }
    o
}

/// Rounds, converts, and updates the accumulator where the instruction asks for it.
fn finish(t: &mut State, u: &Uop, i: usize, v: Val, exec: Type, mode: &FpMode) -> Out {
    let v = match v {
        Val::F(f, e) if !u.dst.ty.is_float() && u.op != Opcode::Mov => {
            let r = match exec {
                Type::Df => convert::round_f64(f, e, mode.round),
                Type::Hf => convert::half_to_f64(convert::round_f16(f, e, mode.round)),
                _ => f64::from(convert::round_f32(f, e, mode.round)),
            };
            Val::F(r, 0)
        }
        v => v,
    };
    let o = convert::convert(v, u.dst.ty, u.saturate, mode);
    accumulate(t, u, i, v, &o);
    o
}

/// What the accumulator keeps of lane `i`: the whole of an integer, or the bits of a float.
fn accumulate(t: &mut State, u: &Uop, i: usize, v: Val, o: &Out) {
    if u.acc_wr && !matches!(u.op, Opcode::Addc | Opcode::Subb | Opcode::Mach) {
        match v {
            Val::I(x) => t.set_acc(i, x as i64, usize::from(u.dst.size)),
            Val::F(..) => {
                let size = usize::from(u.dst.size);
                let at = regs::ACC + acc_lane(u, i) * size;
                t.regs.write(at, size, o.bits);
            }
        }
    } else if u.dst.is_acc()
        && let Val::I(x) = v
    {
        let lane = (usize::from(u.dst.base) - regs::ACC) / usize::from(u.dst.size.max(1)) + i;
        if let Some(a) = t.regs.acc_wide.get_mut(lane) {
            *a = x as i64;
        }
    }
}

/// Which accumulator channel a float instruction uses implicitly: the second quarter has acc1.
fn acc_lane(u: &Uop, i: usize) -> usize {
    usize::from(u.chan & 8) + i
}

fn compare_out(u: &Uop, a: Val, b: Val, float: bool) -> Out {
    let r = if float {
        let (x, y) = (a.float(), b.float());
        match u.cmod {
            CondMod::O => false,
            c if u.op == Opcode::Cmpn && y.is_nan() => c != CondMod::None,
            c => flags::compare(c, x, y),
        }
    } else {
        flags::compare(u.cmod, a.int(), b.int())
    };
    let bits = match (r, u.dst.size) {
        (false, _) => 0,
        (true, 1) => 0xff,
        (true, 2) => 0xffff,
        (true, 4) => 0xffff_ffff,
        (true, _) => u64::MAX,
    };
    // `zero` carries the verdict to the flags; see `write_back`.
    Out {
        bits,
        zero: !r,
        neg: false,
        nan: false,
        overflow: false,
    }
}

fn pick(t: &State, u: &Uop, i: usize, src: &[Lanes; 3], a: Val, b: Val, float: bool) -> Picked {
    let first = if u.cmod != CondMod::None {
        if float {
            alu_float::select(u.cmod, a.float(), b.float())
        } else {
            flags::compare(u.cmod, a.int(), b.int())
        }
    } else {
        t.predicate(u) >> i & 1 != 0
    };
    let k = usize::from(!first);
    let plain = |s: &SrcOp| s.ty == u.dst.ty && !s.abs && !s.neg;
    let raw = plain(&u.src[0]) && plain(&u.src[1]) && !u.saturate;
    if raw && (u.cmod == CondMod::None || !float) {
        Picked::Bits(src[k][i])
    } else {
        Picked::Val(if first { a } else { b })
    }
}

fn math_lane(t: &mut State, u: &Uop, i: usize, a: Val, b: Val) -> Result<Val, Box<Stop>> {
    let Some(f) = u.math else {
        return Err(u.unimplemented());
    };
    if alu_int::is_int_div(f) {
        let signed = u.src[0].ty.is_signed_int() || u.src[1].ty.is_signed_int();
        let (q, r) = alu_int::int_div(a.int(), b.int(), signed);
        if f == MathFn::IntDivBoth && u.dst.kind != Kind::Null {
            // The remainder goes to the registers after the quotient's.
            let span = (usize::from(u.n) * usize::from(u.dst.stride)).div_ceil(32) * 32;
            t.regs.write(u.dst.offset(i) + span, 4, r as u32 as u64);
        }
        return Ok(Val::I(if f == MathFn::IntDivRemainder { r } else { q }));
    }
    if matches!(f, MathFn::Invm | MathFn::Rsqrtm) {
        let at = u.flag_bit();
        let all = t.regs.flags();
        t.regs.set_flags(flags::merge(all, at, 1 << i, 1 << i));
    }
    match math::eval(f, a.float(), b.float()) {
        Some(v) => Ok(Val::F(v, 0)),
        None => Err(u.unimplemented()),
    }
}

/// LINE and PLN read a plane equation from four consecutive elements, and PLN its two coordinates from
/// neighbouring registers (each group of eight channels has its own pair).
fn plane_lane(t: &State, u: &Uop, i: usize, src: &[Lanes; 3]) -> Val {
    let s0 = &u.src[0];
    let coef = |k: usize| {
        let at = usize::from(s0.base) + 4 * k;
        value(u64::from(t.regs.dword(at)), s0, false, &t.mode).float()
    };
    if u.op == Opcode::Line {
        let x = value(src[1][i], &u.src[1], false, &t.mode).float();
        return alu_float::line(coef(0), x, coef(3));
    }
    let s1 = &u.src[1];
    let group = usize::from(s1.base) + (i / 8) * 64 + (i % 8) * 4;
    let read = |at: usize| value(u64::from(t.regs.dword(at)), s1, false, &t.mode).float();
    alu_float::plane(coef(0), read(group), coef(1), read(group + 32), coef(3))
}

/// Writes results and flags of the lanes in `mask`.
fn write_back(t: &mut State, u: &Uop, mask: u32, out: &[Option<Out>; 32]) -> R {
    if u.cmod != CondMod::None && !matches!(u.op, Opcode::Sel | Opcode::Csel) {
        let mut bits = 0u32;
        let mut written = 0u32;
        for (i, o) in out.iter().enumerate().take(usize::from(u.n)) {
            let Some(o) = o else { continue };
            let hit = if matches!(u.op, Opcode::Cmp | Opcode::Cmpn) {
                !o.zero
            } else {
                flags::holds(u.cmod, o)
            };
            bits |= u32::from(hit) << i;
            written |= 1 << i;
        }
        let f = t.regs.flags();
        t.regs
            .set_flags(flags::merge(f, u.flag_bit(), mask & written, bits));
    }
    if u.dst.kind == Kind::Null {
        return Ok(());
    }
    let size = usize::from(u.dst.size);
    let base = if u.dst.kind == Kind::Indirect {
        let far = (usize::from(u.n) - 1) * usize::from(u.dst.stride) + size;
        Some(address(
            t,
            u,
            usize::from(u.dst.a0_sub),
            u.dst.disp,
            0,
            far,
        )?)
    } else {
        None
    };
    for (i, o) in out.iter().enumerate().take(usize::from(u.n)) {
        if mask >> i & 1 == 0 {
            continue;
        }
        let Some(o) = o else { continue };
        let at = match base {
            Some(b) => b + i * usize::from(u.dst.stride),
            None => u.dst.offset(i),
        };
        t.regs.write(at, size, o.bits);
    }
    Ok(())
}
