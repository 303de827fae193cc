//! The interpreter: executes any ALU instruction, lane by lane, in exact arithmetic.
//!
//! In:  a micro-op. Out: updated registers, flags and accumulator.
//! Every fast path must give the same bits.
//! Ref: SKL PRM vol. 7, "EU ISA"; vol. 2a, instruction reference.

use crate::alu_int::IntegerWidth;
use crate::convert::{Element, FpMode, Value};
use crate::flags;
use crate::message::StopReason;
use crate::region::{OperandKind, SrcOp};
use crate::regs;
use crate::state::State;
use crate::uop::{ExecResult, Uop};
use crate::{alu_float, alu_int, convert, math};
use isa::{CondMod, MathFn, Opcode, Type};

/// Bits of one source for each lane.
type SourceLanes = [u64; 32];

/// Executes one ALU instruction. All sources are read before anything is written, in compressed
/// instructions, too (ERRATA.md).
pub(crate) fn execute(t: &mut State, u: &Uop) -> ExecResult {
    let enabled = t.mask(u);
    let mut src = [[0u64; 32]; 3];
    for (k, lanes) in src.iter_mut().enumerate().take(usize::from(u.num_srcs)) {
        read_source(t, u, &u.src[k], enabled, lanes)?;
    }
    let mut out: [Option<Element>; 32] = [None; 32];
    compute(t, u, enabled, &src, &mut out)?;
    write_back(t, u, enabled & u.dst.lane_mask, &out)
}

/// Reads all lanes of a source; of an indirect source only the enabled ones.
fn read_source(t: &State, u: &Uop, s: &SrcOp, enabled: u32, lanes: &mut SourceLanes) -> ExecResult {
    let n = usize::from(u.exec_size);
    let size = usize::from(s.size);
    match s.kind {
        OperandKind::Imm => {
            for (i, l) in lanes.iter_mut().enumerate().take(n) {
                *l = s.imm_lane(i);
            }
        }
        OperandKind::Indirect => {
            for (i, l) in lanes.iter_mut().enumerate().take(n) {
                if enabled >> i & 1 != 0 || u.no_mask {
                    let at = indirect_offset(t, u, s, i)?;
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

/// Byte offset of lane `i` of an indirect source.
pub(crate) fn indirect_offset(
    t: &State,
    u: &Uop,
    s: &SrcOp,
    i: usize,
) -> Result<usize, Box<StopReason>> {
    let row = if s.vx1 { i / usize::from(s.width) } else { 0 };
    let table = s.table.as_ref().map_or(0, |x| x[i & 31]);
    indirect_address(
        t,
        u,
        usize::from(s.a0_sub) + row,
        s.disp,
        usize::from(table),
        usize::from(s.size),
    )
}

/// The byte offset `a0[sub] + disp + extra` of an access of `size` bytes. Outside the GRF: an error
/// in strict mode, else it wraps around.
pub(crate) fn indirect_address(
    t: &State,
    u: &Uop,
    sub: usize,
    disp: i16,
    extra: usize,
    size: usize,
) -> Result<usize, Box<StopReason>> {
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

/// Converts a source element to a number and applies the modifiers. With `logic`, the modifier `-`
/// is a bitwise NOT.
fn source_value(bits: u64, s: &SrcOp, logic: bool, mode: &FpMode) -> Value {
    if s.ty.is_float() {
        let mut v = convert::float_from_bits(bits, s.ty, mode);
        if s.abs {
            v = v.abs();
        }
        if s.neg {
            v = -v;
        }
        Value::Float(v, 0)
    } else {
        let mut v = convert::int_from_bits(bits, s.ty);
        if s.abs {
            v = v.abs();
        }
        if s.neg {
            v = if logic { !v } else { -v };
        }
        // Modifiers wrap at the width of a signed source, at least 32 bits: the smallest number is
        // its own negative. Accumulators are wider (ERRATA.md).
        if (s.abs || s.neg) && s.ty.is_signed_int() && !s.within(regs::ACC, regs::FLAG) {
            let unused = 128 - 8 * u32::from(s.size.max(4));
            v = v << unused >> unused;
        }
        Value::Int(v)
    }
}

/// Execution width and signedness of an integer instruction.
fn integer_width(u: &Uop) -> IntegerWidth {
    let k = usize::from(u.num_srcs).min(3);
    let quad = u.src[..k].iter().any(|s| s.size == 8) || u.dst.size == 8;
    IntegerWidth {
        bits: if quad { 64 } else { 32 },
        signed: u.src[..k].iter().any(|s| s.ty.is_signed_int()),
        signed_dst: u.dst.ty.is_signed_int(),
        src0: u.src[0].ty,
    }
}

/// The type that a float instruction rounds to before its result is converted to an integer
/// destination.
fn float_exec_type(u: &Uop) -> Type {
    let k = usize::from(u.num_srcs).min(3);
    let has = |t| u.src[..k].iter().any(|s| s.ty == t);
    if has(Type::Df) {
        Type::Df
    } else if has(Type::Hf) && !has(Type::F) {
        Type::Hf
    } else {
        Type::F
    }
}

/// Properties of an instruction that all of its lanes share.
struct ExecMode {
    fp: FpMode,
    /// A source modifier `-` is a bitwise NOT.
    logic: bool,
    /// Any source is a float.
    float: bool,
    /// Width and signedness of integer operations.
    width: IntegerWidth,
    /// Type that a float result is rounded to before it is converted to an integer.
    float_type: Type,
}

impl ExecMode {
    fn new(t: &State, u: &Uop) -> ExecMode {
        let float = u.num_srcs > 0
            && u.src[..usize::from(u.num_srcs).min(3)]
                .iter()
                .any(|s| s.ty.is_float());
        ExecMode {
            fp: t.fp_mode,
            logic: alu_int::is_logic(u.op),
            float,
            width: integer_width(u),
            float_type: float_exec_type(u),
        }
    }
}

/// The result of one lane.
enum Computed {
    /// Bits of the destination type, copied without conversion.
    Bits(u64),
    /// A number to be converted to the destination type.
    Value(Value),
    /// An element in its final form.
    Element(Element),
}

/// Sources of one lane.
struct LaneSources<'a> {
    u: &'a Uop,
    mode: &'a ExecMode,
    src: &'a [SourceLanes; 3],
    lane: usize,
}

impl LaneSources<'_> {
    fn bits(&self, k: usize) -> u64 {
        self.src[k][self.lane]
    }

    /// Source `k` with modifiers applied.
    fn value(&self, k: usize) -> Value {
        let mode = self.mode;
        source_value(self.bits(k), &self.u.src[k], mode.logic, &mode.fp)
    }

    /// Source `k` of lane `lane` as an arithmetic operand.
    fn value_of_lane(&self, k: usize, lane: usize) -> Value {
        source_value(self.src[k][lane & 31], &self.u.src[k], false, &self.mode.fp)
    }

    /// Source `k` as a float; 0 if the operation has fewer sources.
    fn float_or_zero(&self, k: usize) -> f64 {
        if k < usize::from(self.u.num_srcs) {
            self.value(k).float()
        } else {
            0.0
        }
    }

    /// Source `k` as an integer; 0 if the operation has fewer sources.
    fn int_or_zero(&self, k: usize) -> i128 {
        if k < usize::from(self.u.num_srcs) {
            self.value(k).int()
        } else {
            0
        }
    }

    /// True if selecting source `k` copies its bits: no conversion, modifier or saturation.
    fn is_raw(&self, k: usize) -> bool {
        let s = &self.u.src[k];
        s.ty == self.u.dst.ty && !s.abs && !s.neg && !self.u.saturate
    }
}

/// Computes the enabled lanes of an instruction.
fn compute(
    t: &mut State,
    u: &Uop,
    enabled: u32,
    src: &[SourceLanes; 3],
    out: &mut [Option<Element>; 32],
) -> ExecResult {
    let mode = ExecMode::new(t, u);
    let raw_mov = u.op == Opcode::Mov
        && u.src[0].ty == u.dst.ty
        && !u.src[0].abs
        && !u.src[0].neg
        && !u.saturate;
    let integers_only = matches!(
        u.op,
        Opcode::Addc | Opcode::Subb | Opcode::Mach | Opcode::Sad2 | Opcode::Sada2
    ) || (u.op == Opcode::Math && u.math.is_some_and(alu_int::is_int_div));
    if mode.float && integers_only {
        return Err(u.wrong_types());
    }
    for i in 0..usize::from(u.exec_size) {
        if enabled >> i & 1 == 0 {
            continue;
        }
        let lane = LaneSources {
            u,
            mode: &mode,
            src,
            lane: i,
        };
        let computed = match raw_mov {
            true => Some(Computed::Bits(lane.bits(0))),
            false => compute_lane(t, u, &lane)?,
        };
        let Some(computed) = computed else {
            continue;
        };
        out[i] = Some(match computed {
            Computed::Bits(b) => raw_result(t, u, i, b, &mode.fp),
            Computed::Value(v) => convert_result(t, u, i, v, &mode),
            Computed::Element(e) => e,
        });
    }
    Ok(())
}

/// Computes one lane; None if the operation does not write it.
fn compute_lane(
    t: &mut State,
    u: &Uop,
    lane: &LaneSources<'_>,
) -> Result<Option<Computed>, Box<StopReason>> {
    let mode = lane.mode;
    let value = match u.op {
        Opcode::Cmp | Opcode::Cmpn => {
            let e = comparison_element(u, lane.value(0), lane.value(1), mode.float);
            return Ok(Some(Computed::Element(e)));
        }
        Opcode::Sel => return Ok(Some(select_source(t, u, lane))),
        Opcode::Csel => return Ok(Some(select_by_third_source(u, lane))),
        Opcode::Frc if mode.float => alu_float::fraction(lane.value(0).float(), u.dst.ty),
        Opcode::Math => math_lane(t, u, lane.lane, lane.value(0), lane.value(1))?,
        Opcode::F32to16 => {
            let h = convert::convert(lane.value(0), Type::Hf, u.saturate, &mode.fp).bits;
            Value::Int(i128::from(h))
        }
        Opcode::F16to32 => {
            let s = &u.src[0];
            let mut v = convert::float_from_bits(lane.bits(0), Type::Hf, &mode.fp);
            if s.abs {
                v = v.abs();
            }
            if s.neg {
                v = -v;
            }
            Value::Float(v, 0)
        }
        Opcode::Dp2 | Opcode::Dp3 | Opcode::Dp4 | Opcode::Dph => {
            let first = lane.lane & !3;
            let group = |k| [0, 1, 2, 3].map(|j| lane.value_of_lane(k, first + j).float());
            match alu_float::dot(u.op, group(0), group(1)) {
                Some(v) => v,
                None => return Err(u.unimplemented()),
            }
        }
        Opcode::Line | Opcode::Pln => plane_lane(t, u, lane),
        // Results are in every second lane.
        Opcode::Sad2 | Opcode::Sada2 if !lane.lane.is_multiple_of(2) => return Ok(None),
        Opcode::Sad2 | Opcode::Sada2 => sum_of_differences(t, u, lane),
        Opcode::Mac | Opcode::Mach | Opcode::Addc | Opcode::Subb => {
            accumulator_operation(t, u, lane)
        }
        Opcode::Smov => return Err(u.unimplemented()),
        _ if mode.float => {
            let f = |k| lane.float_or_zero(k);
            match alu_float::eval(u.op, f(0), f(1), f(2)) {
                Some(v) => v,
                None => return Err(u.wrong_types()),
            }
        }
        _ => {
            let f = |k| lane.int_or_zero(k);
            let a = if u.op == Opcode::Not { !f(0) } else { f(0) };
            match alu_int::eval(u.op, mode.width, a, f(1), f(2)) {
                Some(v) => Value::Int(v),
                None => return Err(u.wrong_types()),
            }
        }
    };
    Ok(Some(Computed::Value(value)))
}

/// CSEL: source 0 if the condition holds for source 2, else source 1.
fn select_by_third_source(u: &Uop, lane: &LaneSources<'_>) -> Computed {
    let o = match lane.value(2) {
        Value::Float(f, _) => Element::of_bits(f.to_bits(), Type::Df),
        Value::Int(v) => Element::of_bits(v as u64, Type::Q),
    };
    let k = usize::from(!flags::condition_holds(u.cmod, &o));
    match lane.is_raw(k) {
        true => Computed::Bits(lane.bits(k)),
        false => Computed::Value(lane.value(k)),
    }
}

/// SAD2 and SADA2: the sum of the absolute differences of two neighbouring elements, for SADA2
/// added to the accumulator.
fn sum_of_differences(t: &State, u: &Uop, lane: &LaneSources<'_>) -> Value {
    let i = lane.lane;
    let difference = |j: usize| {
        let x = lane.value_of_lane(0, j).int();
        let y = lane.value_of_lane(1, j).int();
        (x - y).abs()
    };
    let mut v = difference(i) + difference(i + 1);
    if u.op == Opcode::Sada2 {
        v += i128::from(t.regs.acc_wide[i]);
    }
    Value::Int(v)
}

/// MAC, MACH, ADDC and SUBB, which read or write the accumulator implicitly.
fn accumulator_operation(t: &mut State, u: &Uop, lane: &LaneSources<'_>) -> Value {
    let i = lane.lane;
    match u.op {
        Opcode::Mac if lane.mode.float => {
            let acc_at = regs::ACC + implicit_acc_lane(u, i) * usize::from(u.dst.size);
            let acc = convert::float_from_bits(
                t.regs.read(acc_at, usize::from(u.dst.size)),
                u.dst.ty,
                &lane.mode.fp,
            );
            let (v, e) = convert::fma_exact(lane.value(0).float(), lane.value(1).float(), acc);
            Value::Float(v, e)
        }
        Opcode::Mac => {
            let acc = i128::from(t.regs.acc_wide[i]);
            let product = lane.value(0).int().wrapping_mul(lane.value(1).int());
            Value::Int(acc.wrapping_add(product))
        }
        Opcode::Mach => {
            let b = lane.value(1).int();
            // The product with the high word of source 1, added to the product with its low word in
            // the accumulator.
            let high = (lane.value(0).int().wrapping_mul(b >> 16) << 16) as i64;
            let acc = t.regs.acc_wide[i].wrapping_add(high);
            t.set_acc(i, acc, 4);
            Value::Int(if lane.mode.width.signed {
                i128::from((acc >> 32) as i32)
            } else {
                i128::from((acc as u64 >> 32) as u32)
            })
        }
        // The carry goes to the accumulator.
        Opcode::Addc => {
            let v = lane.value(0).int() + lane.value(1).int();
            t.set_acc(i, i64::from(v > 0xffff_ffff), 4);
            Value::Int(v)
        }
        // SUBB: the borrow goes to the accumulator.
        _ => {
            let v = lane.value(0).int() - lane.value(1).int();
            t.set_acc(i, i64::from(v < 0), 4);
            Value::Int(v)
        }
    }
}

/// The element of bits that are copied without conversion; also updates the accumulator.
fn raw_result(t: &mut State, u: &Uop, i: usize, bits: u64, mode: &FpMode) -> Element {
    let o = raw_element(bits, u.dst.ty, mode);
    let v = if u.dst.ty.is_float() {
        Value::Float(0.0, 0)
    } else {
        Value::Int(convert::int_from_bits(bits, u.dst.ty))
    };
    update_accumulator(t, u, i, v, &o);
    o
}

/// The element of unconverted bits. Conditional modifiers see a denormal as zero if denormals are
/// flushed.
fn raw_element(bits: u64, ty: Type, mode: &FpMode) -> Element {
    let mut o = Element::of_bits(bits, ty);
    if ty.is_float() && convert::float_from_bits(bits, ty, mode) == 0.0 {
        o.zero = true;
        o.neg = false;
    }
    o
}

/// Rounds a number and converts it to the destination type; also updates the accumulator.
fn convert_result(t: &mut State, u: &Uop, i: usize, v: Value, mode: &ExecMode) -> Element {
    let fp = &mode.fp;
    let v = match v {
        Value::Float(f, e) if !u.dst.ty.is_float() && u.op != Opcode::Mov => {
            let r = match mode.float_type {
                Type::Df => convert::round_f64(f, e, fp.round),
                Type::Hf => convert::half_to_f64(convert::round_f16(f, e, fp.round)),
                _ => f64::from(convert::round_f32(f, e, fp.round)),
            };
            Value::Float(r, 0)
        }
        v => v,
    };
    let o = convert::convert(v, u.dst.ty, u.saturate, fp);
    update_accumulator(t, u, i, v, &o);
    o
}

/// Writes lane `i` to the accumulator if it is written implicitly (AccWrEn) or is the destination:
/// an integer at full width, a float as bits.
fn update_accumulator(t: &mut State, u: &Uop, i: usize, v: Value, o: &Element) {
    if u.acc_wr && !matches!(u.op, Opcode::Addc | Opcode::Subb | Opcode::Mach) {
        match v {
            Value::Int(x) => t.set_acc(i, x as i64, usize::from(u.dst.size)),
            Value::Float(..) => {
                let size = usize::from(u.dst.size);
                let at = regs::ACC + implicit_acc_lane(u, i) * size;
                t.regs.write(at, size, o.bits);
            }
        }
    } else if u.dst.is_acc()
        && let Value::Int(x) = v
    {
        let lane = (usize::from(u.dst.base) - regs::ACC) / usize::from(u.dst.size.max(1)) + i;
        if let Some(a) = t.regs.acc_wide.get_mut(lane) {
            *a = x as i64;
        }
    }
}

/// The accumulator channel that lane `i` of a float instruction uses implicitly: the second quarter
/// uses acc1.
fn implicit_acc_lane(u: &Uop, i: usize) -> usize {
    usize::from(u.chan_off & 8) + i
}

/// The result of CMP and CMPN: all ones or zero.
fn comparison_element(u: &Uop, a: Value, b: Value, float: bool) -> Element {
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
    // `zero` carries the result to the flags; see `write_back`.
    Element {
        bits,
        zero: !r,
        neg: false,
        nan: false,
        overflow: false,
    }
}

/// SEL: source 0 or 1, by the conditional modifier or else by the predicate.
fn select_source(t: &State, u: &Uop, lane: &LaneSources<'_>) -> Computed {
    let (a, b) = (lane.value(0), lane.value(1));
    let float = lane.mode.float;
    let first = if u.cmod != CondMod::None {
        if float {
            alu_float::select(u.cmod, a.float(), b.float())
        } else {
            flags::compare(u.cmod, a.int(), b.int())
        }
    } else {
        t.predicate(u) >> lane.lane & 1 != 0
    };
    let raw = lane.is_raw(0) && lane.is_raw(1);
    if raw && (u.cmod == CondMod::None || !float) {
        Computed::Bits(lane.bits(usize::from(!first)))
    } else {
        Computed::Value(if first { a } else { b })
    }
}

/// One lane of MATH. The remainder of an INT DIV with both results is written here.
fn math_lane(
    t: &mut State,
    u: &Uop,
    i: usize,
    a: Value,
    b: Value,
) -> Result<Value, Box<StopReason>> {
    let Some(f) = u.math else {
        return Err(u.unimplemented());
    };
    if alu_int::is_int_div(f) {
        let signed = u.src[0].ty.is_signed_int() || u.src[1].ty.is_signed_int();
        let (q, r) = alu_int::int_div(a.int(), b.int(), signed);
        if f == MathFn::IntDivBoth && u.dst.kind != OperandKind::Null {
            // The remainder goes to the registers after those of the quotient.
            let span = (usize::from(u.exec_size) * usize::from(u.dst.stride)).div_ceil(32) * 32;
            t.regs.write(u.dst.offset(i) + span, 4, r as u32 as u64);
        }
        return Ok(Value::Int(if f == MathFn::IntDivRemainder { r } else { q }));
    }
    if matches!(f, MathFn::Invm | MathFn::Rsqrtm) {
        let at = u.flag_bit();
        let all = t.regs.flags();
        t.regs.set_flags(flags::merge(all, at, 1 << i, 1 << i));
    }
    match math::eval(f, a.float(), b.float()) {
        Some(v) => Ok(Value::Float(v, 0)),
        None => Err(u.unimplemented()),
    }
}

/// One lane of LINE or PLN. Both read the plane equation from four consecutive elements; PLN reads
/// its two coordinates from a pair of registers for each group of eight channels.
fn plane_lane(t: &State, u: &Uop, lane: &LaneSources<'_>) -> Value {
    let i = lane.lane;
    let s0 = &u.src[0];
    let coef = |k: usize| {
        let at = usize::from(s0.base) + 4 * k;
        source_value(u64::from(t.regs.dword(at)), s0, false, &t.fp_mode).float()
    };
    if u.op == Opcode::Line {
        let x = lane.value_of_lane(1, i).float();
        return alu_float::line(coef(0), x, coef(3));
    }
    let s1 = &u.src[1];
    let group = usize::from(s1.base) + (i / 8) * 64 + (i % 8) * 4;
    let read = |at: usize| source_value(u64::from(t.regs.dword(at)), s1, false, &t.fp_mode).float();
    alu_float::plane(coef(0), read(group), coef(1), read(group + 32), coef(3))
}

/// Writes results and flags of the lanes in `mask`.
fn write_back(t: &mut State, u: &Uop, mask: u32, out: &[Option<Element>; 32]) -> ExecResult {
    if u.cmod != CondMod::None && !matches!(u.op, Opcode::Sel | Opcode::Csel) {
        let mut bits = 0u32;
        let mut written = 0u32;
        for (i, o) in out.iter().enumerate().take(usize::from(u.exec_size)) {
            let Some(o) = o else { continue };
            let hit = if matches!(u.op, Opcode::Cmp | Opcode::Cmpn) {
                !o.zero
            } else {
                flags::condition_holds(u.cmod, o)
            };
            bits |= u32::from(hit) << i;
            written |= 1 << i;
        }
        let f = t.regs.flags();
        t.regs
            .set_flags(flags::merge(f, u.flag_bit(), mask & written, bits));
    }
    if u.dst.kind == OperandKind::Null {
        return Ok(());
    }
    let size = usize::from(u.dst.size);
    let base = if u.dst.kind == OperandKind::Indirect {
        let far = (usize::from(u.exec_size) - 1) * usize::from(u.dst.stride) + size;
        Some(indirect_address(
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
    for (i, o) in out.iter().enumerate().take(usize::from(u.exec_size)) {
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

#[cfg(test)]
mod tests;
