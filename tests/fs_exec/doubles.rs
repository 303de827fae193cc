//! What is computed of doubles by sequences of instructions, on the simulator, against the host:
//! quotients and roots are the nearest doubles, signs of zeros, infinities and NaNs are right, and
//! rounding to integers is exact. With denormals preserved, and flushed.

use crate::alu_operands::Random;
use crate::machine::{self, Buffers};
use crate::{CORES, Units, bindings, layout};
use nir::{AluOp, Builder, FloatControls, IntrinsicOp, Shader, Stage};

/// Lanes of a workgroup.
pub const GROUP: usize = 32;

const MANTISSA: u64 = (1 << 52) - 1;

/// Denormals of all sizes are preserved except these.
pub fn kept_but(flush: u8) -> FloatControls {
    FloatControls {
        denorm_flush: flush,
        denorm_preserve: 7 & !flush,
        ..FloatControls::default()
    }
}

/// Loads a pair of doubles for each invocation, and stores what `op` makes of them.
fn shader(op: AluOp, modes: FloatControls) -> Shader {
    let mut sh = Shader::new(Stage::Compute, op.info().name);
    sh.info.workgroup_size = [GROUP as u32, 1, 1];
    sh.info.float_controls = modes;
    let mut b = Builder::at_end(&mut sh);
    let group = b.system_value(IntrinsicOp::LoadWorkgroupId);
    let group = b.channel(group, 0);
    let lane = b.system_value(IntrinsicOp::LoadLocalInvocationIndex);
    let first = b.imul_imm(group, GROUP as i64);
    let row = b.iadd(first, lane);
    let zero = b.imm_u32(0);
    let resource = IntrinsicOp::VulkanResourceIndex;
    let from = b.load(resource, 1, 32, &[zero], &[0, 0]);
    let to = b.load(resource, 1, 32, &[zero], &[0, 1]);
    let srcs: Vec<_> = (0..op.info().srcs.len() as i64)
        .map(|i| {
            let at = b.imul_imm(row, 16);
            let at = b.iadd_imm(at, 8 * i);
            b.load(IntrinsicOp::LoadSsbo, 1, 64, &[from, at], &[0, 8, 0])
        })
        .collect();
    b.exact = true;
    b.preserve_nan_inf_sz = true;
    let v = b.alu_sized(op, &srcs, 64);
    let at = b.imul_imm(row, 8);
    b.intrinsic(IntrinsicOp::StoreSsbo, None, &[v, to, at], &[1, 0, 8, 0]);
    sh
}

/// The results of an operation for these rows, at a width.
fn computed(
    op: AluOp,
    modes: FloatControls,
    rows: &[(f64, f64)],
    core: &str,
    width: u8,
    units: Units,
) -> Result<Vec<f64>, String> {
    let mut sh = shader(op, modes);
    opt::compile(&mut sh, units.passes()).map_err(|e| e.to_string())?;
    let options = fs::Options {
        layout: layout(&bindings(&sh)),
        required_width: Some(width),
        validate: true,
        ..units.backend()
    };
    let device = hw::Device::by_name(core).ok_or("no device")?;
    let binary = fs::compile(&sh, device, &options).map_err(|e| e.to_string())?;
    let variant = binary.variants.first().ok_or("no variant")?;
    let groups = rows.len().div_ceil(GROUP);
    let mut input: Vec<u8> = rows
        .iter()
        .flat_map(|(x, y)| [x.to_le_bytes(), y.to_le_bytes()].concat())
        .collect();
    input.resize(groups * GROUP * 16, 0);
    let mut buffers: Buffers = vec![((0, 0, 0), input), ((0, 1, 0), vec![0; groups * GROUP * 8])];
    machine::run(&binary, variant, &mut buffers, &[], [groups as u32, 1, 1])?;
    let double = |b: &[u8]| f64::from_le_bytes(b.try_into().expect("eight bytes"));
    let all = buffers[1].1.chunks_exact(8).map(double);
    Ok(all.take(rows.len()).collect())
}

pub fn make(sign: u64, exp: u64, mantissa: u64) -> f64 {
    f64::from_bits(sign << 63 | exp << 52 | mantissa & MANTISSA)
}

/// Mantissas at which something changes: none, the first, all, about the middle, about the root of
/// two.
pub const MANTISSAS: [u64; 9] = [
    0,
    1,
    2,
    MANTISSA,
    MANTISSA - 1,
    1 << 51,
    (1 << 51) - 1,
    (1 << 51) + 1,
    0x6_a09e_667f_3bcd,
];

/// Every exponent with those mantissas and random ones, of both signs; integers and what lies
/// beside them; near squares.
pub fn single_operands() -> Vec<(f64, f64)> {
    let mut r = Random(7);
    let mut out: Vec<f64> = Vec::new();
    for exp in 0..2048 {
        for k in 0..MANTISSAS.len() + 12 {
            let mantissa = MANTISSAS.get(k).copied().unwrap_or_else(|| r.next());
            out.extend([make(0, exp, mantissa), make(1, exp, mantissa)]);
        }
    }
    for exp in 1022..1080 {
        for _ in 0..40 {
            let n = make(r.next() & 1, exp, r.next() << r.below(52)).trunc();
            out.extend([n, n + 0.5, n - 0.5, n.next_up(), n.next_down()]);
        }
    }
    for _ in 0..4000 {
        // The root of a square, or of what lies about half a unit from one, is hard to round.
        let n = make(0, 1023 + (r.next() & 1), r.next());
        let square = n * n;
        let middle = n * n + n * f64::EPSILON;
        for x in [square, middle] {
            out.extend([x, x.next_up(), x.next_down()]);
        }
    }
    out.into_iter().map(|x| (x, 0.0)).collect()
}

/// The inverse of an odd number modulo another.
fn inverse(a: u64, m: u64) -> u64 {
    let (mut t, mut next_t) = (0i128, 1i128);
    let (mut r, mut next_r) = (i128::from(m), i128::from(a % m));
    while next_r != 0 {
        let q = r / next_r;
        (t, next_t) = (next_t, t - q * next_t);
        (r, next_r) = (next_r, r - q * next_r);
    }
    t.rem_euclid(i128::from(m)) as u64
}

/// Every pair of exponents in steps of 17, and of those at the ends; quotients at the ends of what
/// is normal, and finite; quotients as near to the middle of two doubles as any.
pub fn pairs() -> Vec<(f64, f64)> {
    let mut r = Random(8);
    let mut out = Vec::new();
    let ends = [
        1, 2, 16, 52, 53, 64, 1022, 1024, 2031, 2032, 2044, 2045, 2046, 2047,
    ];
    let exps: Vec<u64> = (0..2048).step_by(17).chain(ends).collect();
    for &ex in &exps {
        for &ey in &exps {
            for k in 0..9 {
                let few = |k: usize, r: &mut Random| match k {
                    0 => MANTISSAS[r.below(MANTISSAS.len())],
                    1 => 0,
                    _ => r.next(),
                };
                let (mx, my) = (few(k % 3, &mut r), few(k / 3, &mut r));
                out.push((make(r.next(), ex, mx), make(r.next(), ey, my)));
            }
        }
    }
    for k in 0..60_000 {
        let ey = 1 + r.below(2046) as i64;
        let apart = if k % 2 == 0 {
            r.below(70) as i64 - 1080
        } else {
            r.below(9) as i64 + 1018
        };
        let mut mantissa = || match r.below(3) {
            0 => MANTISSAS[r.below(MANTISSAS.len())],
            _ => r.next(),
        };
        let (mx, my) = (mantissa(), mantissa());
        if let Ok(ex @ 0..2047) = u64::try_from(ey + apart) {
            out.push((make(r.next(), ex, mx), make(0, ey as u64, my)));
        }
    }
    for k in 0..20_000 {
        // x · 2^n is one beside a multiple of y: the quotient is 1 / (2 y) units beside a middle.
        let y = match k % 3 {
            0 => (1 << 53) - 1 - 2 * r.below(100_000) as u64,
            _ => 1 << 52 | r.next() >> 12 | 1,
        };
        let power = (0..53 + k % 3).fold(1u64, |p, _| (2 * p) % y);
        let x = inverse(power, y);
        for x in [x, y - x] {
            out.push((x as f64, y as f64));
        }
    }
    out
}

/// The error of `r` as 1 / sqrt(x), in units of its last place.
fn root_error(x: f64, r: f64) -> f64 {
    // By fours to 1 to 4, exactly: subnormals first become normal.
    let (x, r) = if x < f64::MIN_POSITIVE {
        (x * 2f64.powi(108), r * 2f64.powi(-54))
    } else {
        (x, r)
    };
    let n = ((x.to_bits() >> 52) as i32 - 1023).div_euclid(2);
    let (half, rest) = (n / 2, n - n / 2);
    let x = x * 4f64.powi(-half) * 4f64.powi(-rest);
    let r = r * 2f64.powi(n);
    // 1 - x·r², of which all but the last sum is exact.
    let square = r * r;
    let lost = r.mul_add(r, -square);
    let off = (-x).mul_add(square, 1.0) - x * lost;
    let unit = r.next_up() - r;
    (off / 2.0 * r / unit).abs()
}

/// A subnormal, flushed to zero if the mode demands it.
fn flushed(x: f64, flush: bool) -> f64 {
    if flush && x.is_subnormal() {
        0f64.copysign(x)
    } else {
        x
    }
}

/// True if the nearest subnormals of `x / y` are both as near as the other.
fn is_tie(x: f64, y: f64, a: f64, b: f64) -> bool {
    let up = 2f64.powi(300);
    // Between them, scaled so that it is a number; the quotient is scaled by the operand that has
    // room.
    let middle = (a * up + b * up) / 2.0;
    let (x, y) = if x.abs() < 1.0 {
        (x * up, y)
    } else {
        (x, y / up)
    };
    (-middle).mul_add(y, x) == 0.0 && a.to_bits().abs_diff(b.to_bits()) == 1
}

/// What the host makes of operands.
fn host(op: AluOp, flush: bool, x: f64, y: f64) -> f64 {
    match op {
        AluOp::FDiv => x / y,
        AluOp::FRcp => 1.0 / x,
        AluOp::FSqrt => x.sqrt(),
        AluOp::FRsq => 1.0 / x.sqrt(),
        AluOp::FFloor => x.floor(),
        AluOp::FCeil => x.ceil(),
        AluOp::FTrunc => x.trunc(),
        AluOp::FRoundEven => x.round_ties_even(),
        AluOp::FFract => x - x.floor(),
        _ => (-y).mul_add(flushed(x / y, flush).floor(), x),
    }
}

fn is_right(op: AluOp, flush: bool, x: f64, y: f64, got: f64, units: Units) -> bool {
    let (x, y) = (flushed(x, flush), flushed(y, flush));
    if op == AluOp::FRsq && x > 0.0 && x.is_finite() {
        return root_error(x, got) < 1.0;
    }
    let want = host(op, flush, x, y);
    let want = flushed(want, flush);
    if want.to_bits() == got.to_bits() || want.is_nan() && got.is_nan() {
        return true;
    }
    if op == AluOp::FMod && (x / y).abs() == f64::MAX {
        // The quotient may be infinite.
        return true;
    }
    if units.soft_fp64 {
        return false;
    }
    if flush {
        // What would be the smallest normal number after rounding may be flushed before it.
        return want.abs() == f64::MIN_POSITIVE && got == 0.0;
    }
    op == AluOp::FDiv && want.abs() <= f64::MIN_POSITIVE && is_tie(x, y, want, got)
}

/// Compares an operation with the host's in every mode of denormals: of 32 and 64 bits kept, of 32
/// flushed, of both flushed.
fn check(op: AluOp, rows: &[(f64, f64)], units: Units) {
    let mut failures = Vec::new();
    for (flush, core, width) in [
        (0, CORES[0], 8),
        (0, CORES[0], 16),
        (2, CORES[0], 16),
        (6, CORES[0], 8),
        (6, CORES[0], 16),
        (0, CORES[1], 16),
    ] {
        let name = op.info().name;
        let how = format!("{name} {core} SIMD{width}, flushed {flush}");
        let got = computed(op, kept_but(flush), rows, core, width, units)
            .unwrap_or_else(|e| panic!("{how}: {e}"));
        let wrong: Vec<String> = rows
            .iter()
            .zip(&got)
            .filter(|((x, y), got)| !is_right(op, flush & 4 != 0, *x, *y, **got, units))
            .map(|((x, y), got)| {
                format!(
                    "{:#018x} {:#018x}: {:#018x} ({x:e} {y:e}: {got:e})",
                    x.to_bits(),
                    y.to_bits(),
                    got.to_bits()
                )
            })
            .collect();
        if op == AluOp::FRsq && flush & 4 == 0 {
            let errors = rows
                .iter()
                .zip(&got)
                .filter(|(r, _)| r.0 > 0.0 && r.0.is_finite());
            let most = errors
                .map(|((x, _), r)| root_error(*x, *r))
                .fold(0.0, f64::max);
            println!("{how}: {most} ULP at most");
        }
        if !wrong.is_empty() {
            let shown = &wrong[..wrong.len().min(8)];
            failures.push(format!(
                "{how}: {} of {}\n{}",
                wrong.len(),
                rows.len(),
                shown.join("\n")
            ));
        }
    }
    println!("{}: {} operands", op.info().name, rows.len());
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Quotients are the nearest doubles.
pub fn check_quotients(units: Units) {
    let rows = pairs();
    check(AluOp::FDiv, &rows, units);
    check(AluOp::FMod, &rows, units);
}

/// So are reciprocals and roots.
pub fn check_roots(units: Units) {
    let rows = single_operands();
    for op in [AluOp::FRcp, AluOp::FSqrt, AluOp::FRsq] {
        check(op, &rows, units);
    }
}

#[test]
fn double_quotients_are_correctly_rounded() {
    check_quotients(Units::ALL);
}

#[test]
fn double_reciprocals_and_roots_are_correctly_rounded() {
    check_roots(Units::ALL);
}

#[test]
fn doubles_round_to_integers_exactly() {
    let rows = single_operands();
    for op in [
        AluOp::FTrunc,
        AluOp::FFloor,
        AluOp::FCeil,
        AluOp::FRoundEven,
        AluOp::FFract,
    ] {
        check(op, &rows, Units::ALL);
    }
}

/// Where all is rounded towards zero, quotients and roots are neighbours of the nearest, and what
/// rounds to integers is exact as ever.
#[test]
fn double_errors_are_bounded_when_rounding_towards_zero() {
    let modes = FloatControls {
        rounding_rtz: 7,
        ..kept_but(0)
    };
    let (single, double) = (single_operands(), pairs());
    for op in [
        AluOp::FDiv,
        AluOp::FRcp,
        AluOp::FSqrt,
        AluOp::FTrunc,
        AluOp::FFloor,
        AluOp::FCeil,
        AluOp::FRoundEven,
    ] {
        let rows = if op == AluOp::FDiv { &double } else { &single };
        let got = computed(op, modes, rows, CORES[0], 16, Units::ALL);
        let got = got.unwrap_or_else(|e| panic!("{}: {e}", op.info().name));
        let apart = u64::from(matches!(op, AluOp::FDiv | AluOp::FRcp | AluOp::FSqrt));
        let wrong = rows.iter().zip(&got).find(|((x, y), got)| {
            let want = host(op, false, *x, *y);
            want.to_bits().abs_diff(got.to_bits()) > apart && !(want.is_nan() && got.is_nan())
        });
        assert!(wrong.is_none(), "{}: {wrong:?}", op.info().name);
    }
}
