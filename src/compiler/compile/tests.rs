//! Instruction counts and legality of 64-bit code, through NIR's passes and the backend.

use crate::key::CompileKey;
use crate::pipeline::context;
use nir::Shader;

/// (instructions, branches) of a double operation at a width, without the loads of its operands and
/// the store of its result. Constants in registers are not counted.
fn cost(text: &str, device: &str, width: u8) -> (u32, u32) {
    // Operands that the operation does not read are not loaded.
    let one = if text.contains("%8") { "%8" } else { "%7" };
    let plain = compiled(&format!("%20:64 = fadd %7, {one}"), device, width);
    let with = compiled(text, device, width);
    if std::env::var_os("SHOW").is_some() {
        println!("--- {text}, SIMD{width}\n{}", with.2);
    }
    let bare = |(instructions, _, asm): &(u32, u32, String)| {
        let constants = asm.lines().filter(|l| makes_constant(l)).count();
        instructions - constants as u32
    };
    // The sum in `plain` is one double operation, one instruction for each eight lanes.
    let sum = u32::from(width) / 8;
    ((bare(&with) + sum).saturating_sub(bare(&plain)), with.1)
}

/// True for a move of a 64-bit immediate to a register, or of one 64-bit element to all lanes.
fn makes_constant(line: &str) -> bool {
    let words: Vec<&str> = line
        .split_whitespace()
        .skip_while(|w| *w == "(W)")
        .collect();
    let [op, lanes, .., from] = words[..] else {
        return false;
    };
    let wide = [":df", ":q", ":uq"].iter().any(|ty| from.ends_with(ty));
    let same = from.contains("<0;1,0>") || !from.starts_with('r') && lanes.starts_with("(1|");
    op == "mov" && wide && same
}

/// (instructions, branches, assembly) of a shader that loads two doubles, executes `text` and
/// stores `%20`.
fn compiled(text: &str, device: &str, width: u8) -> (u32, u32, String) {
    compiled_without(text, device, width, (false, false))
}

/// As [`compiled`], with emulated doubles or 64-bit integers. Checks that emulated code does not
/// spill.
fn compiled_without(
    text: &str,
    device: &str,
    width: u8,
    (soft_fp64, soft_int64): (bool, bool),
) -> (u32, u32, String) {
    let shader = format!(
        "shader compute {{
    workgroup_size 32 1 1
b0:
    %0:32 = const 0
    %1:32 = const 4
    %2:32 = vulkan_resource_index %0 {{set=0 binding=0}}
    %3:32 = load_local_invocation_index
    %4:32 = ishl %3, %1
    %5:64x2 = load_ssbo %2, %4 {{align_mul=16}}
    %7:64 = mov %5.x
    %8:64 = mov %5.y
    {text}
    store_ssbo %20, %2, %4 {{write_mask=1 align_mul=16}}
}}
"
    );
    let mut shader: Shader = nir::parse(&shader).unwrap_or_else(|e| panic!("{text}: {e}"));
    nir::validate(&shader).unwrap_or_else(|e| panic!("{text}: {e}"));
    let ctx = opt::Ctx {
        soft_fp64,
        soft_int64,
        ..opt::Ctx::default()
    };
    opt::compile(&mut shader, ctx).unwrap_or_else(|e| panic!("{text}: {e}"));
    let mut layout = abi::PipelineLayout::default();
    layout.sets.push(abi::SetLayout {
        bindings: vec![abi::DescriptorBinding {
            binding: 0,
            kind: abi::DescriptorKind::StorageBuffer,
            count: 1,
            offset_bytes: 0,
            stride_bytes: 64,
            samplers: abi::SamplerOffsets::default(),
            dynamic_index: 0,
            static_at_bind: true,
        }],
        ..abi::SetLayout::default()
    });
    let options = fs::Options {
        layout,
        required_width: Some(width),
        dumps: vec!["asm".to_owned()],
        validate: true,
        soft_fp64,
        soft_int64,
        ..fs::Options::default()
    };
    let device = hw::Device::by_name(device).unwrap();
    let binary = fs::compile(&shader, device, &options).unwrap_or_else(|e| panic!("{text}: {e}"));
    let variant = &binary.variants[0];
    assert_eq!(variant.simd_width, width);
    if soft_fp64 || soft_int64 {
        assert_eq!(variant.stats.spills + variant.stats.fills, 0, "{text}");
    }
    let asm = &variant.dumps[0].1;
    let branches = asm.lines().filter(|l| {
        let mut words = l.split_whitespace();
        words.any(|w| matches!(w, "if" | "else" | "while" | "break"))
    });
    let branches = branches.count() as u32;
    (variant.stats.instructions, branches, asm.clone())
}

/// The limits for SIMD8, and for SIMD16, where only 64-bit instructions double. Quotients are
/// correctly rounded, except subnormal ties.
#[test]
fn double_operations_stay_within_their_instruction_limits() {
    for (op, max8, max16) in [
        ("ftrunc %7", 6, 8),
        ("ffloor %7", 8, 12),
        ("fceil %7", 8, 12),
        ("ffract %7", 9, 14),
        ("fround_even %7", 6, 12),
        ("frcp %7", 15, 29),
        ("fdiv %7, %8", 22, 38),
        ("fsqrt %7", 20, 39),
        ("frsq %7", 16, 32),
        // Division, floor and a multiply-add.
        ("fmod %7, %8", 31, 52),
        ("fsign %7", 3, 6),
        ("ldexp %7, %3", 10, 16),
        ("fmin %7, %8", 1, 2),
        ("fmax %7, %8", 1, 2),
        ("fabs %7", 1, 2),
        ("fneg %7", 1, 2),
    ] {
        for (width, max) in [(8, max8), (16, max16)] {
            let (instructions, branches) = cost(&format!("%20:64 = {op}"), "skl", width);
            println!("{op}, SIMD{width}: {instructions} of {max}");
            assert!(instructions <= max, "{op}, SIMD{width}: {instructions}");
            assert_eq!(branches, 0, "{op}");
        }
    }
}

/// A whole shader that loads, truncates and stores a double: fewer instructions than the 67 (SIMD8)
/// and 95 (SIMD16) of Mesa in 2016.
#[test]
fn shader_that_truncates_a_double_is_short() {
    assert!(compiled("%20:64 = ftrunc %7", "skl", 8).0 < 67);
    assert!(compiled("%20:64 = ftrunc %7", "skl", 16).0 < 95);
}

/// The backend is scalar, so that vectors cost as much as their components, and does not support
/// generations before gen8.
#[test]
fn double_code_is_scalar_and_older_devices_are_rejected() {
    for width in [8, 16] {
        let one = compiled("%20:64 = ftrunc %7", "skl", width);
        let two = compiled(
            "%19:64x2 = ftrunc %5\n%20:64 = fadd %19.x, %19.y",
            "skl",
            width,
        );
        assert!(two.0 > one.0, "a vector is its components");
    }
    let hsw = hw::Device::by_name("hsw").unwrap();
    assert!(!fs::supports(hsw));
}

/// Checks the final code of 64-bit operations at both widths, on devices with and without
/// restrictions of 64-bit regions.
#[test]
fn regions_of_64_bit_operations_are_legal_on_all_devices() {
    let operations = [
        "%20:64 = ftrunc %7",
        "%20:64 = ffloor %7",
        "%20:64 = fceil %7",
        "%20:64 = ffract %7",
        "%20:64 = fround_even %7",
        "%20:64 = frcp %7",
        "%20:64 = fsqrt %7",
        "%20:64 = frsq %7",
        "%20:64 = fdiv %7, %8",
        "%20:64 = fmod %7, %8",
        "%20:64 = fsign %7",
        "%20:64 = ldexp %7, %3",
        "%20:64 = fmin %7, %8",
        "%20:64 = ffma %7, %8, %7",
        "%20:64 = imul %7, %8",
        "%20:64 = ishl %7, %3",
        "%20:64 = udiv %7, %8",
        "%19:1 = flt %7, %8\n%20:64 = bcsel %19, %8, %7",
        "%19:16 = f2f %7\n%20:64 = f2f %19",
        "%19:32 = f2f %7\n%20:64 = f2f %19",
        "%19:32 = f2i %7\n%20:64 = i2f %19",
        "%19:16 = f2u %7\n%20:64 = u2f %19",
        "%19:64 = f2i %7\n%20:64 = u2f %19",
    ];
    for operation in operations {
        for device in ["skl", "kbl", "bxt", "glk"] {
            for width in [8, 16] {
                let (instructions, branches, _) = compiled(operation, device, width);
                assert!(instructions > 0);
                assert_eq!(branches, 0, "{operation}");
            }
        }
    }
}

/// (instructions, branches) of an emulated operation, without the loads of its operands and the
/// store of its result. The reference shader has two dword XORs instead of the operation.
fn soft_cost(text: &str, width: u8, units: (bool, bool)) -> (u32, u32) {
    let one = if text.contains("%8") { "%8" } else { "%3" };
    let other = match one {
        "%8" => "%12:32 = unpack_64_2x32_split_x %8\n%13:32 = unpack_64_2x32_split_y %8",
        _ => "%12:32 = mov %3\n%13:32 = mov %3",
    };
    let plain = format!(
        "%10:32 = unpack_64_2x32_split_x %7
    %11:32 = unpack_64_2x32_split_y %7
    {other}
    %14:32 = ixor %10, %12
    %15:32 = ixor %11, %13
    %20:64 = pack_64_2x32_split %14, %15"
    );
    let plain = compiled_without(&plain, "skl", width, units);
    let with = compiled_without(text, "skl", width, units);
    if std::env::var_os("SHOW").is_some() {
        println!("--- {text}, SIMD{width}\n{}", with.2);
    }
    // A thread reads its flags before it ends, however many operations it has.
    let reads_flags = |line: &&str| line.contains("mov (1|M0)") && line.contains(" null<");
    let last_reads = with.2.lines().filter(reads_flags).count() as u32;
    (with.0 + 2 - plain.0 - last_reads, with.1)
}

/// The limits for SIMD8, with 64-bit integers and without. They are below the targets: 120 for sums
/// and products, 350 for FMA, 500 for quotients and roots. There are no branches and no spills, and
/// the backend checks that only moves are 64-bit.
#[test]
fn emulated_double_operations_stay_within_their_instruction_limits() {
    for (op, max) in [
        ("fadd %7, %8", 106),
        ("fmul %7, %8", 118),
        ("ffma %7, %8, %7", 253),
        ("fdiv %7, %8", 199),
        ("frcp %7", 153),
        ("fsqrt %7", 201),
        ("frsq %7", 300),
        ("fmod %7, %8", 477),
        ("ftrunc %7", 15),
        ("ffloor %7", 32),
        ("fceil %7", 32),
        ("fround_even %7", 39),
        ("ffract %7", 138),
        ("fmin %7, %8", 25),
        ("fmax %7, %8", 28),
        ("fsat %7", 11),
        ("fsign %7", 8),
        ("fabs %7", 1),
        ("fneg %7", 1),
        ("ldexp %7, %3", 75),
        ("frexp_sig %7", 32),
    ] {
        for units in [(true, false), (true, true)] {
            let (instructions, branches) = soft_cost(&format!("%20:64 = {op}"), 8, units);
            println!("{op}, {units:?}: {instructions} of {max}");
            assert!(instructions <= max, "{op}, {units:?}: {instructions}");
            assert_eq!(branches, 0, "{op}");
        }
    }
}

/// Emulated integer code has no 64-bit arithmetic, and native code is not longer than emulated
/// code.
#[test]
fn native_64_bit_integers_are_not_longer_than_emulated_ones() {
    for op in [
        "%20:64 = iadd %7, %8",
        "%20:64 = isub %7, %8",
        "%20:64 = ineg %7",
        "%20:64 = iabs %7",
        "%20:64 = imul %7, %8",
        "%20:64 = imul_high %7, %8",
        "%20:64 = umul_high %7, %8",
        "%20:64 = udiv %7, %8",
        "%20:64 = umod %7, %8",
        "%20:64 = idiv %7, %8",
        "%20:64 = irem %7, %8",
        "%20:64 = imod %7, %8",
        "%20:64 = imin %7, %8",
        "%20:64 = umax %7, %8",
        "%20:64 = ixor %7, %8",
        "%20:64 = ishl %7, %3",
        "%20:64 = ishr %7, %3",
        "%20:64 = ushr %7, %3",
        "%20:64 = uadd_sat %7, %8",
        "%20:64 = isub_sat %7, %8",
        "%19:1 = ilt %7, %8\n%20:64 = bcsel %19, %8, %7",
        "%19:1 = ieq %7, %8\n%20:64 = b2i %19",
        "%19:32 = ufind_msb %7\n%20:64 = i2i %19",
        "%19:32 = bit_count %7\n%20:64 = u2u %19",
        "%19:32 = u2f %7\n%20:64 = f2i %19",
    ] {
        let (with, without) = (cost(op, "skl", 8).0, soft_cost(op, 8, (false, true)).0);
        println!("{op}: {with} with, {without} without");
        assert!(with <= without, "{op}: {with} with, {without} without");
        let asm = compiled_without(op, "skl", 8, (false, true)).2;
        let wide = |line: &&str| {
            let copies = line.split_whitespace().find(|w| *w != "(W)") == Some("mov");
            !copies && [":q", ":uq"].iter().any(|ty| line.contains(ty))
        };
        let found = asm.lines().find(wide);
        assert_eq!(found, None, "{op}");
    }
}

/// Emulation follows from the device's capabilities, or from backend options.
#[test]
fn emulation_follows_from_device_or_options() {
    let layout = abi::PipelineLayout::default();
    let units = |device: &str, backend: fs::Options| {
        let key = CompileKey {
            backend,
            ..CompileKey::new(
                nir::Stage::Compute,
                "main",
                &layout,
                hw::Device::by_name(device).unwrap(),
            )
        };
        let ctx = context(&key);
        (ctx.soft_fp64, ctx.soft_int64)
    };
    for device in ["bdw", "skl", "bxt"] {
        assert_eq!(
            units(device, fs::Options::default()),
            (false, false),
            "{device}"
        );
    }
    for device in ["icl", "tgl"] {
        assert_eq!(
            units(device, fs::Options::default()),
            (true, true),
            "{device}"
        );
    }
    let doubles = fs::Options {
        soft_fp64: true,
        ..fs::Options::default()
    };
    assert_eq!(units("skl", doubles), (true, false));
    let integers = fs::Options {
        soft_int64: true,
        ..fs::Options::default()
    };
    assert_eq!(units("skl", integers), (false, true));
}

/// Reductions of doubles need FP64 and are rejected without it. Those of integers are split into
/// dwords.
#[test]
fn reductions_of_doubles_need_native_fp64() {
    for op in ["fadd", "iadd"] {
        let text = format!(
            "shader compute {{
    workgroup_size 32 1 1
b0:
    %0:32 = const 0
    %2:32 = vulkan_resource_index %0 {{set=0 binding=0}}
    %7:64 = load_ssbo %2, %0 {{align_mul=16}}
    %20:64 = reduce %7 {{reduction_op={}}}
    store_ssbo %20, %2, %0 {{write_mask=1 align_mul=16}}
}}
",
            nir::AluOp::from_name(op).unwrap() as u32
        );
        for (soft_fp64, soft_int64) in [(false, false), (false, true), (true, true)] {
            let mut shader = nir::parse(&text).unwrap_or_else(|e| panic!("{e}"));
            let ctx = opt::Ctx {
                soft_fp64,
                soft_int64,
                ..opt::Ctx::default()
            };
            let refused = opt::compile(&mut shader, ctx).is_err();
            assert_eq!(refused, soft_fp64 && op == "fadd", "{op}");
        }
    }
}
