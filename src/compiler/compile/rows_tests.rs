//! Rows of the table of requirements that need NIR's passes and the backend together: what 64 bits cost, and that all of it is legal.

use nir::Shader;

/// What an operation of doubles takes beyond loading its operands and storing its result, at a width, and how its code branches. Constants
/// that are made once, in registers, are not counted.
fn cost(text: &str, device: &str, width: u8) -> (u32, u32) {
    // What is not read is not laid out.
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
    // The sum alone is one operation of doubles, of two registers for each eight lanes.
    let sum = u32::from(width) / 8;
    ((bare(&with) + sum).saturating_sub(bare(&plain)), with.1)
}

/// True for a move of an immediate of 64 bits to a register, or of one element of 64 bits to all lanes.
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

/// Instructions of a shader that loads two doubles, does this and stores `%20`; its branches, and its code.
fn compiled(text: &str, device: &str, width: u8) -> (u32, u32, String) {
    compiled_without(text, device, width, (false, false))
}

/// The same, without the units for doubles, or those for 64-bit integers, where these are true; nothing is spilled then.
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
        bindings: vec![abi::Binding {
            binding: 0,
            kind: abi::DescriptorKind::StorageBuffer,
            count: 1,
            offset_bytes: 0,
            stride_bytes: 64,
            samplers: abi::Places::default(),
            dynamic_index: 0,
            settled: true,
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

/// F30: what the table says of operations of doubles is not exceeded, for eight lanes; for sixteen only what is of 64 bits is twice as
/// much. (Quotients are the nearest doubles, subnormal ones but for ties, which the table's are not.)
#[test]
fn f30_operations_of_doubles_take_no_more_than_the_table_says() {
    for (op, most, twice) in [
        ("ftrunc %7", 6, 8),
        ("ffloor %7", 8, 12),
        ("fceil %7", 8, 12),
        ("ffract %7", 9, 14),
        ("fround_even %7", 6, 12),
        ("frcp %7", 15, 29),
        ("fdiv %7, %8", 22, 38),
        ("fsqrt %7", 20, 39),
        ("frsq %7", 16, 32),
        // Division, rounding down and one more.
        ("fmod %7, %8", 31, 52),
        ("fsign %7", 3, 6),
        ("ldexp %7, %3", 10, 16),
        ("fmin %7, %8", 1, 2),
        ("fmax %7, %8", 1, 2),
        ("fabs %7", 1, 2),
        ("fneg %7", 1, 2),
    ] {
        for (width, most) in [(8, most), (16, twice)] {
            let (instructions, branches) = cost(&format!("%20:64 = {op}"), "skl", width);
            println!("{op}, SIMD{width}: {instructions} of {most}");
            assert!(instructions <= most, "{op}, SIMD{width}: {instructions}");
            assert_eq!(branches, 0, "{op}");
        }
    }
}

/// F31: a whole shader that loads, truncates and stores a double is shorter than the 67 and 95 instructions of 2016.
#[test]
fn f31_a_whole_truncating_shader_is_short() {
    assert!(compiled("%20:64 = ftrunc %7", "skl", 8).0 < 67);
    assert!(compiled("%20:64 = ftrunc %7", "skl", 16).0 < 95);
}

/// F32: one lowering serves the one backend, which is scalar and for generations with doubles of their own: there are no numbers for
/// vectors, and older parts are refused.
#[test]
fn f32_scalar_code_of_parts_with_doubles_alone() {
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

/// F34: everything of 64 bits is legal on parts with and without the narrow rules of regions, by the check of the final code, at both widths.
#[test]
fn f34_regions_of_doubles_are_legal_everywhere() {
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

/// What an operation takes without units, beyond loading its operands and storing its result: two exclusive ors, of dwords, are the measure.
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
    (with.0 + 2 - plain.0, with.1)
}

/// F38: what doubles cost as pairs of dwords, for eight lanes: with 64-bit integers in the EUs and without. That is less than the table's 120
/// for sums and products, 350 for products with a sum, 500 for quotients and roots. No branches, no spills, and nothing of 64 bits but
/// moves, which the backend checks.
#[test]
fn f38_doubles_without_a_unit_take_no_more_than_the_table_says() {
    for (op, most) in [
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
            println!("{op}, {units:?}: {instructions} of {most}");
            assert!(instructions <= most, "{op}, {units:?}: {instructions}");
            assert_eq!(branches, 0, "{op}");
        }
    }
}

/// F35: without 64-bit integers in the EUs nothing of 64 bits is computed, and with them code is no longer.
#[test]
fn f35_integers_are_no_longer_with_arithmetic_for_them() {
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

/// F38: parts say by themselves what they have no unit for; a flag says so of others.
#[test]
fn f38_parts_without_units_are_compiled_for_without_them() {
    let layout = abi::PipelineLayout::default();
    let units = |device: &str, backend: fs::Options| {
        let key = crate::Key {
            backend,
            ..crate::Key::new(
                nir::Stage::Compute,
                "main",
                &layout,
                hw::Device::by_name(device).unwrap(),
            )
        };
        let ctx = crate::context(&key);
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

/// F38: doubles are reduced over lanes by the unit: without one that is refused. Integers are taken apart.
#[test]
fn f38_reductions_of_doubles_need_the_unit() {
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
