//! F38: doubles with the EUs' unit for them and as pairs of dwords: the same results, bit by bit
//! but for NaNs, in each mode of denormals and rounding.

use crate::alu::check_without;
use crate::alu_operands::Random;
use crate::doubles::{
    GROUP, MANTISSAS, check_quotients, check_roots, kept_but, make, single_operands,
};
use crate::machine::{self, Buffers};
use crate::{CORES, Units, bindings, layout};
use nir::fold::{float_value, mask};
use nir::{AluOp, BaseType, Builder, FloatControls, IntrinsicOp, Shader, SizeRule, Stage};

/// Operands of one invocation.
type Row = [u64; 3];

/// An operation and the bits of its first operand and result.
type Operation = (AluOp, u8, u8);

/// Loads operands for each invocation, and stores what the operation makes of them.
fn shader((op, from_bits, to_bits): Operation, modes: FloatControls) -> Shader {
    let info = op.info();
    let mut sh = Shader::new(Stage::Compute, info.name);
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
    let start = b.imul_imm(row, 24);
    let srcs: Vec<_> = (0..)
        .zip(info.srcs)
        .map(|(i, src)| {
            let at = b.iadd_imm(start, 8 * i);
            let bits = match src.ty.size {
                SizeRule::Fixed(bits) => bits,
                _ => from_bits,
            };
            b.load(IntrinsicOp::LoadSsbo, 1, bits, &[from, at], &[0, 8, 0])
        })
        .collect();
    b.exact = true;
    b.preserve_nan_inf_sz = true;
    let v = b.alu_sized(op, &srcs, to_bits);
    let v = match to_bits {
        1 => b.b2i(v, 32),
        _ => v,
    };
    let at = b.imul_imm(row, 8);
    b.intrinsic(IntrinsicOp::StoreSsbo, None, &[v, to, at], &[1, 0, 8, 0]);
    sh
}

/// The results for these rows, at a width.
fn computed(
    operation: Operation,
    modes: FloatControls,
    rows: &[Row],
    width: u8,
    units: Units,
) -> Result<Vec<u64>, String> {
    let mut sh = shader(operation, modes);
    opt::compile(&mut sh, units.passes()).map_err(|e| e.to_string())?;
    let options = fs::Options {
        layout: layout(&bindings(&sh)),
        required_width: Some(width),
        validate: true,
        ..units.backend()
    };
    let device = hw::Device::by_name(CORES[0]).ok_or("no device")?;
    let binary = fs::compile(&sh, device, &options).map_err(|e| e.to_string())?;
    let variant = binary.variants.first().ok_or("no variant")?;
    let groups = rows.len().div_ceil(GROUP);
    let mut input: Vec<u8> = rows
        .as_flattened()
        .iter()
        .flat_map(|x| x.to_le_bytes())
        .collect();
    input.resize(groups * GROUP * 24, 0);
    let mut buffers: Buffers = vec![((0, 0, 0), input), ((0, 1, 0), vec![0; groups * GROUP * 8])];
    machine::run(&binary, variant, &mut buffers, &[], [groups as u32, 1, 1])?;
    let bits = |b: &[u8]| u64::from_le_bytes(b.try_into().expect("eight bytes"));
    let all = buffers[1].1.chunks_exact(8).map(bits);
    Ok(all
        .take(rows.len())
        .map(|x| x & mask(operation.2))
        .collect())
}

fn rtz() -> FloatControls {
    FloatControls {
        rounding_rtz: 7,
        ..kept_but(0)
    }
}

/// Compares both ways in every mode: denormals kept, and flushed, of 32 bits and of both sizes;
/// rounding to nearest, and towards zero.
fn same(operation: Operation, rows: &[Row]) {
    same_in_each(operation, rows);
    same_in(operation, rows, rtz(), 16);
}

/// The same but for rounding towards zero.
fn same_in_each(operation: Operation, rows: &[Row]) {
    for (modes, width) in [
        (kept_but(0), 8),
        (kept_but(0), 32),
        (kept_but(2), 8),
        (kept_but(6), 16),
    ] {
        same_in(operation, rows, modes, width);
    }
    let (op, from, to) = operation;
    println!("{} {from} to {to}: {} rows", op.info().name, rows.len());
}

/// Compares both ways in one mode, at a width.
fn same_in(operation: Operation, rows: &[Row], modes: FloatControls, width: u8) {
    let (op, from, to) = operation;
    let float = op.info().out.base == BaseType::Float;
    let nan = |v: u64| float && float_value(to, v).is_nan();
    let how = format!("{} {from} to {to} SIMD{width} {modes:?}", op.info().name);
    let run = |units| {
        let got = computed(operation, modes, rows, width, units);
        got.unwrap_or_else(|e| panic!("{how}: {e}"))
    };
    let (native, soft) = (run(Units::ALL), run(Units::NO_DOUBLES));
    let differ = |(_, (n, s)): &(&Row, (&u64, &u64))| n != s && !(nan(**n) && nan(**s));
    let wrong: Vec<String> = rows
        .iter()
        .zip(native.iter().zip(&soft))
        .filter(differ)
        .map(|(row, (native, soft))| format!("{row:#018x?}: {native:#x}, {soft:#x}"))
        .collect();
    let shown = &wrong[..wrong.len().min(6)];
    assert!(
        wrong.is_empty(),
        "{how}: {}\n{}",
        wrong.len(),
        shown.join("\n")
    );
}

fn doubles(rows: &[(f64, f64)]) -> Vec<Row> {
    rows.iter()
        .map(|(x, y)| [x.to_bits(), y.to_bits(), 0])
        .collect()
}

/// Any double: every exponent alike, every mantissa of those where something changes, or a random
/// one.
fn any(r: &mut Random) -> u64 {
    let mantissa = match r.below(3) {
        0 => MANTISSAS[r.below(MANTISSAS.len())],
        1 => r.next() << r.below(52),
        _ => r.next(),
    };
    make(r.next(), r.next() % 2048, mantissa).to_bits()
}

/// Two or three operands: any; sums that cancel, all but a few bits; terms at every distance; ties
/// and what lies beside them; products at the ends of the range.
fn terms() -> Vec<Row> {
    let mut r = Random(11);
    let mut out = Vec::new();
    let sign = 1 << 63;
    for k in 0..80_000u64 {
        let (x, y, z) = (any(&mut r), any(&mut r), any(&mut r));
        // An operand so many powers of two from another.
        let beside = |of: u64, most: usize, r: &mut Random| {
            let exp = (of >> 52 & 0x7ff) as i64 + r.below(2 * most + 1) as i64 - most as i64;
            make(r.next(), exp.clamp(0, 2046) as u64, any(r)).to_bits()
        };
        out.push(match k % 5 {
            0 => [x, y, z],
            1 => [x, beside(x, 60, &mut r), beside(x, 3, &mut r)],
            2 => [x, x ^ sign ^ r.next() >> r.below(64), z],
            3 => {
                // The third cancels the product, or lies where it ends.
                let y = make(r.next(), 1023 - 60 + r.next() % 120, y).to_bits();
                let p = f64::from_bits(x) * f64::from_bits(y);
                let z = match r.below(3) {
                    0 => (-p).to_bits() ^ r.next() >> r.below(64),
                    1 => (-p).to_bits(),
                    _ => beside(p.to_bits(), 110, &mut r),
                };
                [x, y, z]
            }
            _ => {
                // About the smallest numbers, and the largest.
                let sum = if r.below(2) == 0 {
                    1023 - 1080 + r.below(70) as i64
                } else {
                    1023 + 1018 + r.below(9) as i64
                };
                let ex = r.below(2047) as i64;
                let ey = (sum + 1023 - ex).clamp(0, 2046) as u64;
                [
                    make(r.next(), ex as u64, x).to_bits(),
                    make(r.next(), ey, y).to_bits(),
                    beside(x & 0x8000_0000_0000_0fff, 60, &mut r),
                ]
            }
        });
    }
    // Ends of the range, crossed.
    let corners: Vec<u64> = [0, 1, 2, 1022, 1023, 1024, 2045, 2046, 2047]
        .iter()
        .flat_map(|exp| [0, 1, u64::MAX].map(|m| make(0, *exp, m).to_bits()))
        .flat_map(|x| [x, x | sign])
        .collect();
    for x in &corners {
        for y in &corners {
            out.push([*x, *y, corners[r.below(corners.len())]]);
        }
    }
    out
}

#[test]
fn soft_double_sums_match_hardware() {
    let rows = terms();
    same((AluOp::FAdd, 64, 64), &rows);
    same((AluOp::FSub, 64, 64), &rows);
}

#[test]
fn soft_double_products_match_hardware() {
    let rows = terms();
    same_in_each((AluOp::FMul, 64, 64), &rows);
    cut_as_the_simulator_can((AluOp::FMul, 64, 64), &rows);
}

#[test]
fn soft_double_fma_matches_hardware() {
    let rows = terms();
    same_in_each((AluOp::FFma, 64, 64), &rows);
    cut_as_the_simulator_can((AluOp::FFma, 64, 64), &rows);
}

/// Rounding towards zero the simulator needs to know what a product misses, and computes that as a
/// double: where it is one.
fn cut_as_the_simulator_can(operation: Operation, rows: &[Row]) {
    let exponent = |x: u64| (x >> 52 & 0x7ff) as i64;
    let known = |[x, y, z]: &&Row| {
        let normal = [x, y].iter().all(|v| (1..2047).contains(&exponent(**v)));
        let product = exponent(*x) + exponent(*y) - 1023;
        normal && (120..2000).contains(&product) && (120..2000).contains(&exponent(*z))
    };
    let rows: Vec<Row> = rows.iter().filter(known).copied().collect();
    assert!(rows.len() > 10_000, "only {} rows", rows.len());
    same_in(operation, &rows, rtz(), 16);
}

/// The product of finite numbers, cut.
fn cut_product(x: u64, y: u64) -> u64 {
    let parts = |v: u64| {
        let exponent = v >> 52 & 0x7ff;
        let hidden = u64::from(exponent != 0) << 52;
        (v & mask(52) | hidden, exponent.max(1) as i64)
    };
    let ((mx, ex), (my, ey)) = (parts(x), parts(y));
    let product = u128::from(mx) * u128::from(my);
    let sign = (x ^ y) & 1 << 63;
    if product == 0 {
        return sign;
    }
    // As if bit 104 were the hidden one; the exponent of subnormals is one.
    let top = 127 - i64::from(product.leading_zeros());
    let exponent = (ex + ey - 1023 + top - 104).max(1);
    let down = 52 + exponent - (ex + ey - 1023);
    let mantissa = match down {
        0..128 => (product >> down) as u64,
        128.. => 0,
        _ => (product << -down) as u64,
    };
    match exponent {
        2047.. => sign | f64::MAX.to_bits(),
        _ => sign | ((((exponent - 1) as u64) << 52) + mantissa),
    }
}

/// Towards zero, also where the simulator does not know what is missing.
#[test]
fn soft_double_products_truncate_exactly() {
    let finite = |row: &&Row| row[..2].iter().all(|x| f64::from_bits(*x).is_finite());
    let rows: Vec<Row> = terms().iter().filter(finite).copied().collect();
    let got = computed((AluOp::FMul, 64, 64), rtz(), &rows, 16, Units::NO_DOUBLES);
    let got = got.unwrap_or_else(|e| panic!("{e}"));
    for (row, got) in rows.iter().zip(got) {
        let want = cut_product(row[0], row[1]);
        assert_eq!(got, want, "{row:#x?}: {got:#x}, {want:#x} wanted");
    }
}

#[test]
fn soft_double_comparisons_match_hardware() {
    let rows = terms();
    for op in [AluOp::FEq, AluOp::FNeu, AluOp::FLt, AluOp::FGe] {
        same((op, 64, 1), &rows);
    }
    for op in [AluOp::FMin, AluOp::FMax] {
        same((op, 64, 64), &rows);
    }
}

#[test]
fn soft_double_unary_operations_match_hardware() {
    let rows = doubles(&single_operands());
    for op in [
        AluOp::FNeg,
        AluOp::FAbs,
        AluOp::FSat,
        AluOp::FSign,
        AluOp::FTrunc,
        AluOp::FFloor,
        AluOp::FCeil,
        AluOp::FRoundEven,
        AluOp::FFract,
        AluOp::FrexpSig,
    ] {
        same((op, 64, 64), &rows);
    }
    same((AluOp::FrexpExp, 64, 32), &rows);
}

/// Doubles about the ends of formats, and about ties in them.
fn narrow() -> Vec<Row> {
    let mut r = Random(12);
    let mut rows = doubles(&single_operands());
    for _ in 0..60_000 {
        let exp = 1023 - 160 + r.next() % 320;
        let kept = [10, 23, 24, 11][r.below(4)];
        let mantissa = (r.next() & !mask(52 - kept)) | ((1 << (51 - kept)) * (r.next() & 1));
        let x = make(r.next(), exp, mantissa);
        rows.extend([x, x.next_up(), x.next_down()].map(|x| [x.to_bits(), 0, 0]));
    }
    rows
}

#[test]
fn soft_conversions_from_doubles_match_hardware() {
    let rows = narrow();
    for op in [AluOp::F2F, AluOp::F2FRtz, AluOp::F2FRtne] {
        same((op, 64, 32), &rows);
        same((op, 64, 16), &rows);
    }
    for op in [AluOp::F2I, AluOp::F2U] {
        for to in [16, 32, 64] {
            same((op, 64, to), &rows);
        }
    }
}

#[test]
fn soft_conversions_to_doubles_match_hardware() {
    let mut r = Random(13);
    let mut rows: Vec<Row> = (0..1 << 16).map(|x| [x, 0, 0]).collect();
    rows.extend((0..60_000).map(|_| [r.next() >> r.below(64), 0, 0]));
    rows.extend((0..60_000).map(|_| [!(r.next() >> r.below(64)), 0, 0]));
    for n in 0..64 {
        rows.extend([1 << n, (1 << n) - 1, (1 << n) + 1].map(|x: u64| [x, 0, 0]));
        rows.extend((0..64).map(|k| [1 << n | 1 << k, 0, 0]));
    }
    for bits in [16, 32] {
        same((AluOp::F2F, bits, 64), &rows);
    }
    for bits in [8, 16, 32, 64] {
        same((AluOp::I2F, bits, 64), &rows);
        same((AluOp::U2F, bits, 64), &rows);
    }
}

/// Quotients and roots are the host's, the nearest doubles in each case.
#[test]
fn soft_double_quotients_are_correctly_rounded() {
    check_quotients(Units::NO_DOUBLES);
}

#[test]
fn soft_double_reciprocals_and_roots_are_correctly_rounded() {
    check_roots(Units::NO_DOUBLES);
}

/// Every operation with doubles, and what has none stays refused: with 64-bit integers, and
/// without.
#[test]
fn every_double_operation_has_a_soft_test() {
    for units in [Units::NO_DOUBLES, Units::NONE] {
        let cases = check_without(units);
        assert!(
            cases > 400 || std::env::var_os("ALU").is_some(),
            "only {cases} cases"
        );
    }
}
