//! Results of single instructions, compared with the host's.

use crate::asm::assemble;
use crate::module::Module;
use crate::translate::Options;
use std::f64::consts;

/// Interprets a module with `buffers` at set 0, bindings 0, 1, …; returns their contents
/// afterwards.
pub(super) fn run(
    text: &str,
    buffers: &[Vec<u32>],
    push: &[u32],
    groups: [u32; 3],
) -> Vec<Vec<u32>> {
    let words = assemble(text, (1, 3)).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let m = Module::parse(&words).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let shader = m
        .to_nir(&Options::default())
        .unwrap_or_else(|e| panic!("{e}\n{text}"));
    nir::validate(&shader).unwrap_or_else(|e| panic!("{e}\n{shader}"));
    let bytes = |v: &[u32]| v.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>();
    let mut machine = nir::interp::Machine {
        buffers: buffers
            .iter()
            .enumerate()
            .map(|(i, b)| ((0, i as u32, 0), bytes(b)))
            .collect(),
        push_constants: bytes(push),
        workgroups: groups,
        subgroup_size: 8,
        ..Default::default()
    };
    machine
        .run(&shader)
        .unwrap_or_else(|e| panic!("{e}\n{shader}"));
    let words = |v: &[u8]| -> Vec<u32> {
        v.chunks(4)
            .map(|c| u32::from_le_bytes(c.try_into().unwrap()))
            .collect()
    };
    machine.buffers.iter().map(|b| words(&b.1)).collect()
}

const HEADER: &str = "OpCapability Shader
%glsl = OpExtInstImport \"GLSL.std.450\"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\" %id
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %id BuiltIn WorkgroupId
OpDecorate %array ArrayStride 4
OpDecorate %block BufferBlock
OpMemberDecorate %block 0 Offset 0
OpDecorate %a DescriptorSet 0
OpDecorate %a Binding 0
OpDecorate %b DescriptorSet 0
OpDecorate %b Binding 1
OpDecorate %c DescriptorSet 0
OpDecorate %c Binding 2
OpDecorate %o DescriptorSet 0
OpDecorate %o Binding 3
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%int = OpTypeInt 32 1
%float = OpTypeFloat 32
%u3 = OpTypeVector %uint 3
%f2 = OpTypeVector %float 2
%fn = OpTypeFunction %void
%array = OpTypeRuntimeArray %uint
%block = OpTypeStruct %array
%pblock = OpTypePointer Uniform %block
%pword = OpTypePointer Uniform %uint
%pin = OpTypePointer Input %u3
%pair = OpTypeStruct %uint %uint
%fpair = OpTypeStruct %float %float
%fipair = OpTypeStruct %float %int
%a = OpVariable %pblock Uniform
%b = OpVariable %pblock Uniform
%c = OpVariable %pblock Uniform
%o = OpVariable %pblock Uniform
%id = OpVariable %pin Input
%u0 = OpConstant %uint 0
%u1 = OpConstant %uint 1
%i3 = OpConstant %int 3
%i5 = OpConstant %int 5
%main = OpFunction %void None %fn
%entry = OpLabel
%ids = OpLoad %u3 %id
%k = OpCompositeExtract %uint %ids 0
%pa = OpAccessChain %pword %a %u0 %k
%pb = OpAccessChain %pword %b %u0 %k
%pc = OpAccessChain %pword %c %u0 %k
%po = OpAccessChain %pword %o %u0 %k
%ua = OpLoad %uint %pa
%ub = OpLoad %uint %pb
%uc = OpLoad %uint %pc
%ia = OpBitcast %int %ua
%ib = OpBitcast %int %ub
%fa = OpBitcast %float %ua
%fb = OpBitcast %float %ub
%fc = OpBitcast %float %uc
";

/// The result word of `code` for each triple of operands.
fn results(code: &str, a: &[u32], b: &[u32], c: &[u32]) -> Vec<u32> {
    results_of(HEADER, code, [a, b, c])
}

/// As [`results`], with another header.
fn results_of(header: &str, code: &str, [a, b, c]: [&[u32]; 3]) -> Vec<u32> {
    let text = format!("{header}{code}\nOpStore %po %r\nOpReturn\nOpFunctionEnd\n");
    let n = a.len();
    let buffers = [a.to_vec(), b.to_vec(), c.to_vec(), vec![0; n]];
    run(&text, &buffers, &[], [n as u32, 1, 1]).remove(3)
}

const INTS: [u32; 12] = [
    0,
    1,
    2,
    3,
    7,
    31,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0xffff_fff9,
    0x0001_8000,
    0xdead_beef,
];

fn pairs(v: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let a = v.iter().flat_map(|&x| v.iter().map(move |_| x)).collect();
    let b = v.iter().flat_map(|_| v.iter().copied()).collect();
    (a, b)
}

type IntFn = fn(u32, u32) -> u32;

/// Code that computes `%r` from `%ua` and `%ub`, and the same on the host.
const INTEGER_INSTRUCTIONS: &[(&str, IntFn)] = &[
    ("%r = OpIAdd %uint %ua %ub", |a, b| a.wrapping_add(b)),
    ("%r = OpISub %uint %ua %ub", |a, b| a.wrapping_sub(b)),
    ("%r = OpIMul %uint %ua %ub", |a, b| a.wrapping_mul(b)),
    ("%r = OpBitwiseAnd %uint %ua %ub", |a, b| a & b),
    ("%r = OpBitwiseOr %uint %ua %ub", |a, b| a | b),
    ("%r = OpBitwiseXor %uint %ua %ub", |a, b| a ^ b),
    ("%r = OpNot %uint %ua", |a, _| !a),
    ("%r = OpSNegate %uint %ua", |a, _| a.wrapping_neg()),
    ("%r = OpBitReverse %uint %ua", |a, _| a.reverse_bits()),
    ("%r = OpBitCount %uint %ua", |a, _| a.count_ones()),
    (
        "%x = OpIAddCarry %pair %ua %ub\n%r = OpCompositeExtract %uint %x 1",
        |a, b| u32::from(a.checked_add(b).is_none()),
    ),
    (
        "%x = OpISubBorrow %pair %ua %ub\n%r = OpCompositeExtract %uint %x 1",
        |a, b| u32::from(a < b),
    ),
    (
        "%x = OpUMulExtended %pair %ua %ub\n%r = OpCompositeExtract %uint %x 1",
        |a, b| ((u64::from(a) * u64::from(b)) >> 32) as u32,
    ),
    (
        "%x = OpSMulExtended %pair %ua %ub\n%r = OpCompositeExtract %uint %x 1",
        |a, b| ((i64::from(a as i32) * i64::from(b as i32)) >> 32) as u32,
    ),
    (
        "%x = OpBitwiseAnd %uint %ub %k31\n%r = OpShiftLeftLogical %uint %ua %x",
        |a, b| a << (b & 31),
    ),
    (
        "%x = OpBitwiseAnd %uint %ub %k31\n%r = OpShiftRightLogical %uint %ua %x",
        |a, b| a >> (b & 31),
    ),
    (
        "%x = OpBitwiseAnd %uint %ub %k31\n%r = OpShiftRightArithmetic %uint %ua %x",
        |a, b| (a as i32 >> (b & 31)) as u32,
    ),
    (
        "%x = OpULessThan %bool %ua %ub\n%r = OpSelect %uint %x %u1 %u0",
        |a, b| u32::from(a < b),
    ),
    (
        "%x = OpSLessThan %bool %ua %ub\n%r = OpSelect %uint %x %u1 %u0",
        |a, b| u32::from((a as i32) < b as i32),
    ),
    (
        "%x = OpUGreaterThan %bool %ua %ub\n%r = OpSelect %uint %x %u1 %u0",
        |a, b| u32::from(a > b),
    ),
    (
        "%x = OpSGreaterThan %bool %ua %ub\n%r = OpSelect %uint %x %u1 %u0",
        |a, b| u32::from(a as i32 > b as i32),
    ),
    (
        "%x = OpULessThanEqual %bool %ua %ub\n%r = OpSelect %uint %x %u1 %u0",
        |a, b| u32::from(a <= b),
    ),
    (
        "%x = OpSLessThanEqual %bool %ua %ub\n%r = OpSelect %uint %x %u1 %u0",
        |a, b| u32::from(a as i32 <= b as i32),
    ),
    (
        "%x = OpUGreaterThanEqual %bool %ua %ub\n%r = OpSelect %uint %x %u1 %u0",
        |a, b| u32::from(a >= b),
    ),
    (
        "%x = OpSGreaterThanEqual %bool %ua %ub\n%r = OpSelect %uint %x %u1 %u0",
        |a, b| u32::from(a as i32 >= b as i32),
    ),
    (
        "%x = OpIEqual %bool %ua %ub\n%r = OpSelect %uint %x %u1 %u0",
        |a, b| u32::from(a == b),
    ),
    (
        "%x = OpINotEqual %bool %ua %ub\n%r = OpSelect %uint %x %u1 %u0",
        |a, b| u32::from(a != b),
    ),
    ("%r = OpExtInst %uint %glsl UMin %ua %ub", |a, b| a.min(b)),
    ("%r = OpExtInst %uint %glsl SMin %ua %ub", |a, b| {
        (a as i32).min(b as i32) as u32
    }),
    ("%r = OpExtInst %uint %glsl UMax %ua %ub", |a, b| a.max(b)),
    ("%r = OpExtInst %uint %glsl SMax %ua %ub", |a, b| {
        (a as i32).max(b as i32) as u32
    }),
    ("%r = OpExtInst %uint %glsl SAbs %ua", |a, _| {
        (a as i32).wrapping_abs() as u32
    }),
    ("%r = OpExtInst %uint %glsl SSign %ua", |a, _| {
        (a as i32).signum() as u32
    }),
    ("%r = OpExtInst %uint %glsl FindILsb %ua", |a, _| {
        if a == 0 { u32::MAX } else { a.trailing_zeros() }
    }),
    ("%r = OpExtInst %uint %glsl FindUMsb %ua", |a, _| {
        31u32.wrapping_sub(a.leading_zeros())
    }),
    ("%r = OpExtInst %uint %glsl FindSMsb %ua", |a, _| {
        let v = if (a as i32) < 0 { !a } else { a };
        31u32.wrapping_sub(v.leading_zeros())
    }),
    ("%r = OpBitFieldInsert %uint %ua %ub %i5 %i3", |a, b| {
        (a & !0xe0) | (b & 7) << 5
    }),
    ("%r = OpBitFieldUExtract %uint %ua %i5 %i3", |a, _| {
        a >> 5 & 7
    }),
    ("%r = OpBitFieldSExtract %uint %ua %i5 %i3", |a, _| {
        ((a << 24) as i32 >> 29) as u32
    }),
];

#[test]
fn integer_instructions() {
    let (a, b) = pairs(&INTS);
    for (code, f) in INTEGER_INSTRUCTIONS {
        let found = results_with("%k31 = OpConstant %uint 31\n", code, &a, &b);
        let wanted: Vec<u32> = a.iter().zip(&b).map(|(&a, &b)| f(a, b)).collect();
        assert_eq!(found, wanted, "{code}");
    }
    // Division, without undefined cases.
    let table: &[(&str, IntFn)] = &[
        ("%r = OpUDiv %uint %ua %ub", |a, b| a / b),
        ("%r = OpUMod %uint %ua %ub", |a, b| a % b),
        ("%r = OpSDiv %uint %ua %ub", |a, b| {
            (a as i32).wrapping_div(b as i32) as u32
        }),
        ("%r = OpSRem %uint %ua %ub", |a, b| {
            (a as i32).wrapping_rem(b as i32) as u32
        }),
        ("%r = OpSMod %uint %ua %ub", |a, b| {
            let (a, b) = (i64::from(a as i32), i64::from(b as i32));
            (((a % b) + b) % b) as u32
        }),
    ];
    let keep: Vec<(u32, u32)> = a
        .iter()
        .copied()
        .zip(b.iter().copied())
        .filter(|p| p.1 != 0 && *p != (0x8000_0000, u32::MAX))
        .collect();
    let (a, b): (Vec<u32>, Vec<u32>) = keep.into_iter().unzip();
    for (code, f) in table {
        let found = results(code, &a, &b, &a);
        let wanted: Vec<u32> = a.iter().zip(&b).map(|(&a, &b)| f(a, b)).collect();
        assert_eq!(found, wanted, "{code}");
    }
}

/// As [`results`], with more globals.
fn results_with(globals: &str, code: &str, a: &[u32], b: &[u32]) -> Vec<u32> {
    let header = HEADER.replace(
        "%main = OpFunction",
        &format!("{globals}%main = OpFunction"),
    );
    results_of(&header, code, [a, b, b])
}

#[test]
fn float_comparisons_with_nan() {
    let v: Vec<u32> = [
        0.0f32,
        -0.0,
        1.0,
        -2.5,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
    ]
    .iter()
    .map(|x| x.to_bits())
    .collect();
    type F = fn(f32, f32) -> bool;
    let table: &[(&str, F)] = &[
        ("FOrdEqual", |a, b| a == b),
        ("FUnordEqual", |a, b| a == b || a.is_nan() || b.is_nan()),
        ("FOrdNotEqual", |a, b| {
            a.partial_cmp(&b).is_some_and(|o| o.is_ne())
        }),
        ("FUnordNotEqual", |a, b| a != b),
        ("FOrdLessThan", |a, b| a < b),
        ("FUnordLessThan", |a, b| a < b || a.is_nan() || b.is_nan()),
        ("FOrdGreaterThan", |a, b| a > b),
        ("FUnordGreaterThan", |a, b| {
            a > b || a.is_nan() || b.is_nan()
        }),
        ("FOrdLessThanEqual", |a, b| a <= b),
        ("FUnordLessThanEqual", |a, b| {
            a <= b || a.is_nan() || b.is_nan()
        }),
        ("FOrdGreaterThanEqual", |a, b| a >= b),
        ("FUnordGreaterThanEqual", |a, b| {
            a >= b || a.is_nan() || b.is_nan()
        }),
        ("Ordered", |a, b| !a.is_nan() && !b.is_nan()),
        ("Unordered", |a, b| a.is_nan() || b.is_nan()),
        ("LessOrGreater", |a, b| {
            a.partial_cmp(&b).is_some_and(|o| o.is_ne())
        }),
    ];
    let (a, b) = pairs(&v);
    for (op, f) in table {
        let code = format!("%x = Op{op} %bool %fa %fb\n%r = OpSelect %uint %x %u1 %u0");
        let found = results(&code, &a, &b, &a);
        let wanted: Vec<u32> = a
            .iter()
            .zip(&b)
            .map(|(&a, &b)| u32::from(f(f32::from_bits(a), f32::from_bits(b))))
            .collect();
        assert_eq!(found, wanted, "{op}");
    }
    type G = fn(f32) -> bool;
    let table: &[(&str, G)] = &[
        ("IsNan", |a| a.is_nan()),
        ("IsInf", |a| a.is_infinite()),
        ("IsFinite", |a| a.is_finite()),
        ("IsNormal", |a| a.is_normal()),
    ];
    for (op, f) in table {
        let code = format!("%x = Op{op} %bool %fa\n%r = OpSelect %uint %x %u1 %u0");
        let wanted: Vec<u32> = v.iter().map(|&a| u32::from(f(f32::from_bits(a)))).collect();
        assert_eq!(results(&code, &v, &v, &v), wanted, "{op}");
    }
}

/// The maximum error of a result.
#[derive(Clone, Copy)]
enum Bound {
    Ulp(f64),
    Abs(f64),
}

fn close(found: f32, exact: f64, bound: Bound) -> bool {
    if exact.is_nan() {
        return found.is_nan();
    }
    let rounded = exact as f32;
    if rounded.is_infinite() || rounded == 0.0 {
        return found == rounded || (f64::from(found) - exact).abs() < 1e-30;
    }
    let err = (f64::from(found) - exact).abs();
    match bound {
        Bound::Abs(b) => err <= b,
        Bound::Ulp(b) => {
            let exp = f64::from(rounded).abs().log2().floor().max(-126.0);
            err <= b * (exp - 23.0).exp2()
        }
    }
}

type FloatFn = fn(f64, f64, f64) -> f64;
type Domain = fn(f64, f64) -> bool;

/// An instruction on `%fa`, `%fb`, `%fc`; the exact result; the bound on its error; the operands to
/// which the bound applies. The bounds are those of Vulkan, "Precision and Operation of SPIR-V
/// Instructions", or tighter.
const GLSL_FUNCTIONS: &[(&str, FloatFn, Bound, Domain)] = &[
    (
        "Asin %fa",
        |a, _, _| a.asin(),
        Bound::Ulp(8.0),
        |a, _| a.abs() <= 1.0,
    ),
    (
        "Acos %fa",
        |a, _, _| a.acos(),
        Bound::Abs(1e-6),
        |a, _| a.abs() <= 1.0,
    ),
    (
        "Atan %fa",
        |a, _, _| a.atan(),
        Bound::Ulp(400.0),
        |_, _| true,
    ),
    (
        "Atan2 %fa %fb",
        |a, b, _| a.atan2(b),
        Bound::Ulp(4096.0),
        |a, b| a != 0.0 || b != 0.0,
    ),
    (
        "Tan %fa",
        |a, _, _| a.tan(),
        Bound::Abs(4e-3),
        |a, _| a.abs() < 1.5,
    ),
    (
        "Sinh %fa",
        |a, _, _| a.sinh(),
        Bound::Ulp(4096.0),
        |a, _| a.abs() > 0.05 && a.abs() < 30.0,
    ),
    (
        "Cosh %fa",
        |a, _, _| a.cosh(),
        Bound::Ulp(4096.0),
        |a, _| a.abs() < 30.0,
    ),
    (
        "Tanh %fa",
        |a, _, _| a.tanh(),
        Bound::Abs(1e-6),
        |_, _| true,
    ),
    (
        "Asinh %fa",
        |a, _, _| a.asinh(),
        Bound::Abs(2e-6),
        |_, _| true,
    ),
    (
        "Acosh %fa",
        |a, _, _| a.acosh(),
        Bound::Abs(2e-3),
        |a, _| a >= 1.0,
    ),
    (
        "Atanh %fa",
        |a, _, _| a.atanh(),
        Bound::Abs(1e-3),
        |a, _| a.abs() < 0.9999,
    ),
    (
        "Exp %fa",
        |a, _, _| a.exp(),
        Bound::Ulp(60.0),
        |a, _| a.abs() < 40.0,
    ),
    (
        "Log %fa",
        |a, _, _| a.ln(),
        Bound::Abs(1e-5),
        |a, _| a > 0.0,
    ),
    (
        "Pow %fa %fb",
        |a, b, _| a.powf(b),
        Bound::Ulp(64.0),
        |a, b| a > 0.0 && b.abs() < 5.0,
    ),
    (
        "Radians %fa",
        |a, _, _| a.to_radians(),
        Bound::Ulp(2.0),
        |_, _| true,
    ),
    (
        "Degrees %fa",
        |a, _, _| a.to_degrees(),
        Bound::Ulp(2.0),
        |_, _| true,
    ),
    (
        "Fract %fa",
        |a, _, _| a - a.floor(),
        Bound::Ulp(1.0),
        |_, _| true,
    ),
    (
        "FMix %fa %fb %fc",
        |a, b, c| a * (1.0 - c) + b * c,
        Bound::Abs(4e-3),
        |_, _| true,
    ),
    (
        "Step %fa %fb",
        |a, b, _| if b < a { 0.0 } else { 1.0 },
        Bound::Ulp(0.0),
        |_, _| true,
    ),
    (
        "SmoothStep %fa %fb %fc",
        |a, b, c| {
            let t = ((c - a) / (b - a)).clamp(0.0, 1.0);
            t * t * (3.0 - 2.0 * t)
        },
        Bound::Abs(1e-5),
        |a, b| a < b,
    ),
    (
        "FClamp %fa %fb %fc",
        |a, b, c| a.max(b).min(c),
        Bound::Ulp(0.0),
        |_, b| b <= 0.6,
    ),
    (
        "NClamp %fa %fb %fc",
        |a, b, c| a.max(b).min(c),
        Bound::Ulp(0.0),
        |_, b| b <= 0.6,
    ),
    (
        "Fma %fa %fb %fc",
        |a, b, c| a * b + c,
        Bound::Ulp(1.0),
        |_, _| true,
    ),
    (
        "Distance %fa %fb",
        |a, b, _| (a - b).abs(),
        Bound::Ulp(1.0),
        |_, _| true,
    ),
    (
        "Reflect %fa %fb",
        |a, b, _| a - 2.0 * (a * b) * b,
        Bound::Ulp(8.0),
        |a, b| a.abs() < 10.0 && b.abs() < 10.0 && (b * b - 0.5).abs() > 0.1,
    ),
    (
        "RoundEven %fa",
        |a, _, _| a.round_ties_even(),
        Bound::Ulp(0.0),
        |_, _| true,
    ),
    (
        "Trunc %fa",
        |a, _, _| a.trunc(),
        Bound::Ulp(0.0),
        |_, _| true,
    ),
    (
        "FSign %fa",
        |a, _, _| if a == 0.0 { a } else { a.signum() },
        Bound::Ulp(0.0),
        |_, _| true,
    ),
];

#[test]
fn glsl_functions_are_precise() {
    let all: Vec<f32> = vec![
        0.0, -0.0, 1e-6, -3e-5, 0.01, 0.1, -0.25, 0.5, -0.5, 0.500001, 0.7, 0.75, -0.9, 0.99,
        0.9999, 1.0, -1.0, 1.0001, 1.5, -2.0, 2.5, 3.5, -4.5, 7.25, -9.0, 20.0, 1000.0, -12345.678,
    ];
    let c = 0.625f32;
    for (call, f, bound, domain) in GLSL_FUNCTIONS {
        let (mut a, mut b) = (Vec::new(), Vec::new());
        for &x in &all {
            for &y in &all {
                if domain(f64::from(x), f64::from(y)) {
                    a.push(x);
                    b.push(y);
                }
            }
        }
        let bits = |v: &[f32]| v.iter().map(|x| x.to_bits()).collect::<Vec<u32>>();
        let code = format!("%x = OpExtInst %float %glsl {call}\n%r = OpBitcast %uint %x");
        let found = results(&code, &bits(&a), &bits(&b), &vec![c.to_bits(); a.len()]);
        for ((&x, &y), &r) in a.iter().zip(&b).zip(&found) {
            let exact = f(f64::from(x), f64::from(y), f64::from(c));
            let r = f32::from_bits(r);
            assert!(
                close(r, exact, *bound),
                "{call}: {x} {y} {c}: {r}, exactly {exact}"
            );
        }
    }
}

/// With SignedZeroInfNanPreserve.
#[test]
fn tanh_of_nan_is_nan() {
    let preserve = "OpCapability SignedZeroInfNanPreserve
OpExtension \"SPV_KHR_float_controls\"
%glsl";
    let mode = "OpExecutionMode %main SignedZeroInfNanPreserve 32\nOpExecutionMode";
    let header = HEADER
        .replacen("%glsl", preserve, 1)
        .replacen("OpExecutionMode", mode, 1);
    let code = "%f = OpExtInst %float %glsl Tanh %fa\n%r = OpBitcast %uint %f";
    let inputs = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 0.0].map(f32::to_bits);
    let found = results_of(&header, code, [&inputs; 3]);
    assert!(f32::from_bits(found[0]).is_nan(), "{found:x?}");
    assert_eq!(found[1..], [1f32.to_bits(), (-1f32).to_bits(), 0]);
}

#[test]
fn atan2_of_special_values() {
    let quarter = results(
        "%x = OpExtInst %float %glsl Atan2 %fa %fb\n%r = OpBitcast %uint %x",
        &[
            f32::INFINITY.to_bits(),
            0,
            0x8000_0000,
            0x8000_0000,
            1e38f32.to_bits(),
        ],
        &[
            f32::INFINITY.to_bits(),
            0xbf80_0000,
            0xbf80_0000,
            0x3f80_0000,
            3e38f32.to_bits(),
        ],
        &[0; 5],
    );
    let wanted = [
        consts::FRAC_PI_4,
        consts::PI,
        -consts::PI,
        -0.0,
        (1e38f64 / 3e38).atan(),
    ];
    for (q, w) in quarter.iter().zip(wanted) {
        assert!(
            (f64::from(f32::from_bits(*q)) - w).abs() < 1e-4,
            "{q:x} {w}"
        );
    }
}

#[test]
fn two_results_at_once() {
    let v: Vec<u32> = [
        2.75f32,
        -2.75,
        0.0,
        -0.0,
        8.0,
        f32::INFINITY,
        f32::NEG_INFINITY,
        1e-40,
    ]
    .iter()
    .map(|x| x.to_bits())
    .collect();
    let part = |inst: &str, ty: &str, i: u32, part: &str| {
        let code = format!(
            "%x = OpExtInst %{ty} %glsl {inst} %fa\n%y = OpCompositeExtract %{part} %x {i}\n%r = OpBitcast %uint %y"
        );
        results(&code, &v, &v, &v)
    };
    let floats = |v: &[f32]| v.iter().map(|x| x.to_bits()).collect::<Vec<u32>>();
    assert_eq!(
        part("ModfStruct", "fpair", 0, "float"),
        floats(&[0.75, -0.75, 0.0, -0.0, 0.0, 0.0, -0.0, 1e-40])
    );
    assert_eq!(
        part("ModfStruct", "fpair", 1, "float"),
        floats(&[
            2.0,
            -2.0,
            0.0,
            -0.0,
            8.0,
            f32::INFINITY,
            f32::NEG_INFINITY,
            0.0
        ])
    );
    assert_eq!(
        part("FrexpStruct", "fipair", 0, "float")[..5],
        floats(&[0.6875, -0.6875, 0.0, -0.0, 0.5])
    );
    assert_eq!(
        part("FrexpStruct", "fipair", 1, "int")[..5],
        [2, 2, 0, 0, 4]
    );
}
