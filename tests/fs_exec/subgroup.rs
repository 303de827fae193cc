//! Subgroup operations against the interpreter, with all lanes and with some.

use crate::{Units, check};
use nir::AluOp;

/// A shader that stores `op` of each lane's value, computed by the lanes of `when` only.
fn shader(op: &str, def: &str, when: &str) -> String {
    let store = match def {
        "1" => {
            "        %30:32 = b2i %20\n        store_ssbo %30, %1, %11 {write_mask=1 align_mul=4}\n"
        }
        "16" => {
            "        %30:32 = u2u %20\n        store_ssbo %30, %1, %11 {write_mask=1 align_mul=4}\n"
        }
        _ => "        store_ssbo %20, %1, %11 {write_mask=1 align_mul=4}\n",
    };
    format!(
        "shader compute {{
    workgroup_size 64 1 1
b0:
    %0:32 = const 0
    %1:32 = vulkan_resource_index %0 {{set=0 binding=0}}
    %2:32 = load_subgroup_invocation
    %3:32 = load_subgroup_id
    %4:32 = load_subgroup_size
    %5:32 = imul %3, %4
    %6:32 = iadd %5, %2
    %7:32 = const 2
    %8:32 = ishl %6, %7
    %9:32 = load_ssbo %1, %8 {{align_mul=4}}
    %10:32 = const 512
    %11:32 = iadd %8, %10
    %12:32 = const 3
    %13:32 = umod %6, %12
    %14:32 = const 1
    %15:1 = ilt %0, %9
    %16:1 = {when}
    %17:16 = unpack_32_2x16_split_y %9
if %16 {{
    b1:
        %20:{def} = {op}
{store}}} else {{
    b2:
}}
b3:
}}
"
    )
}

#[test]
fn subgroup_operations_match_the_interpreter() {
    let mut ops: Vec<(String, &str)> = [
        ("elect", "1"),
        ("first_invocation", "32"),
        ("ballot %15", "32"),
        ("vote_any %15", "1"),
        ("vote_all %15", "1"),
        ("vote_ieq %13", "1"),
        ("vote_ieq %3", "1"),
        ("vote_feq %9", "1"),
        ("read_first_invocation %9", "32"),
        ("inverse_ballot %12", "1"),
    ]
    .map(|(op, def)| (op.to_owned(), def))
    .to_vec();
    let arithmetic = [
        AluOp::IAdd,
        AluOp::IMul,
        AluOp::IMin,
        AluOp::UMin,
        AluOp::IMax,
        AluOp::UMax,
        AluOp::IAnd,
        AluOp::IOr,
        AluOp::IXor,
        AluOp::FMin,
        AluOp::FMax,
    ];
    for op in arithmetic {
        let n = op as u32;
        for cluster in [0, 2, 4, 8] {
            ops.push((
                format!("reduce %9 {{reduction_op={n} cluster_size={cluster}}}"),
                "32",
            ));
        }
        // It is undefined whether the minimum of NaN alone is NaN.
        if matches!(op, AluOp::FMin | AluOp::FMax) {
            continue;
        }
        ops.push((format!("inclusive_scan %9 {{reduction_op={n}}}"), "32"));
        ops.push((format!("exclusive_scan %9 {{reduction_op={n}}}"), "32"));
    }
    let everyone = "ige %13, %0";
    let some = "ilt %0, %13";
    let mut failures = Vec::new();
    let mut ran = 0;
    let mut run = |op: &str, def: &str, when: &str| {
        let text = shader(op, def, when);
        let shader = nir::parse(&text).unwrap_or_else(|e| panic!("{op}: {e}\n{text}"));
        nir::validate(&shader).unwrap_or_else(|e| panic!("{op}: {e}\n{text}"));
        ran += check(
            &format!("{op} when {when}"),
            &shader,
            &fs::Options::default(),
            &mut failures,
        );
    };
    for (op, def) in &ops {
        run(op, def, everyone);
        run(op, def, some);
    }
    // By index: what other lanes have is defined only where they are active.
    for op in [
        "read_invocation %9, %12",
        "shuffle %9, %13",
        "shuffle_xor %9, %12",
        "quad_broadcast %9, %14",
        "quad_swap_horizontal %9",
        "quad_swap_vertical %9",
        "quad_swap_diagonal %9",
    ] {
        run(op, "32", everyone);
        // Half of a dword is where its dword is.
        run(&op.replace("%9", "%17"), "16", everyone);
    }
    for op in ["read_first_invocation %17", "vote_ieq %17"] {
        let def = if op.starts_with("vote") { "1" } else { "16" };
        run(op, def, everyone);
        run(op, def, some);
    }
    assert!(
        failures.is_empty(),
        "{} of {ran}:\n{}",
        failures.len(),
        failures.join("\n")
    );
    assert!(ran > 400, "only {ran} runs");
}

/// The text of [`shader`] with the operand `%40` of `bits` bits, made by `make`, and a result of as
/// many, stored as 32.
fn shader_of_size(op: &str, bits: u8, make: &str, truth: bool, when: &str) -> String {
    let text = shader(op, if truth { "1" } else { "32" }, when);
    let text = text.replace(
        "    %14:32 = const 1\n",
        &format!("    %14:32 = const 1\n{make}"),
    );
    let last = text.find("store_ssbo").unwrap_or(0);
    if truth {
        return text;
    }
    let (head, tail) = text.split_at(text[..last].rfind('\n').unwrap_or(0) + 1);
    let fold = match bits {
        64 => {
            "        %31:32 = unpack_64_2x32_split_x %20
        %32:32 = unpack_64_2x32_split_y %20
        %33:32 = imul %32, %12
        %34:32 = iadd %31, %33\n"
        }
        _ => "        %34:32 = u2u %20\n",
    };
    format!(
        "{}{fold}{}",
        head.replace("%20:32", &format!("%20:{bits}")),
        tail.replace("store_ssbo %20", "store_ssbo %34")
    )
}

#[test]
fn subgroup_operations_of_every_size_match_the_interpreter() {
    let everyone = "ige %13, %0";
    let some = "ilt %0, %13";
    let mut failures = Vec::new();
    let mut ran = 0;
    let mut run = |op: &str, bits: u8, make: &str, truth: bool, when: &str| {
        let text = shader_of_size(op, bits, make, truth, when);
        let shader = nir::parse(&text).unwrap_or_else(|e| panic!("{op}: {e}\n{text}"));
        nir::validate(&shader).unwrap_or_else(|e| panic!("{op}: {e}\n{text}"));
        let name = format!("{op} of {bits} bits when {when}");
        ran += check(&name, &shader, &fs::Options::default(), &mut failures);
        // 64-bit operations that the backend lowers itself.
        let double = make.contains("i2f");
        if bits == 64 && !double {
            let options = Units::NO_INT64.backend();
            ran += check(
                &format!("{name} in pairs"),
                &shader,
                &options,
                &mut failures,
            );
        }
    };
    for bits in [8, 16, 64] {
        // Any integer; one that differs in its upper half alone; a small float, whose sums are
        // exact.
        let integer = match bits {
            64 => "    %40:64 = pack_64_2x32_split %9, %6\n".to_owned(),
            _ => format!("    %40:{bits} = u2u %9\n"),
        };
        let upper = match bits {
            64 => "    %40:64 = pack_64_2x32_split %12, %13\n",
            8 => "    %40:8 = u2u %13\n",
            _ => "    %40:16 = u2u %13\n",
        };
        let float = format!("    %40:{bits} = i2f %13\n");
        let integers = [
            AluOp::IAdd,
            AluOp::IMul,
            AluOp::IMin,
            AluOp::UMin,
            AluOp::IMax,
            AluOp::UMax,
            AluOp::IAnd,
            AluOp::IOr,
            AluOp::IXor,
        ];
        let floats = [AluOp::FAdd, AluOp::FMul, AluOp::FMin, AluOp::FMax];
        for when in [everyone, some] {
            let floats = floats.iter().filter(|_| bits > 8).map(|op| (op, &float));
            for (&op, make) in integers.iter().map(|op| (op, &integer)).chain(floats) {
                let n = op as u32;
                for cluster in [0, 2, 4, 8] {
                    let op = format!("reduce %40 {{reduction_op={n} cluster_size={cluster}}}");
                    run(&op, bits, make, false, when);
                }
                for kind in ["inclusive_scan", "exclusive_scan"] {
                    run(
                        &format!("{kind} %40 {{reduction_op={n}}}"),
                        bits,
                        make,
                        false,
                        when,
                    );
                }
            }
            for make in [&integer, upper] {
                run("vote_ieq %40", bits, make, true, when);
            }
            if bits > 8 {
                run("vote_feq %40", bits, &float, true, when);
            }
        }
        for op in [
            "read_invocation %40, %12",
            "read_first_invocation %40",
            "shuffle %40, %13",
            "shuffle_xor %40, %12",
            "quad_broadcast %40, %14",
            "quad_swap_horizontal %40",
            "quad_swap_vertical %40",
            "quad_swap_diagonal %40",
        ] {
            run(op, bits, &integer, false, everyone);
        }
    }
    assert!(
        failures.is_empty(),
        "{} of {ran}:\n{}",
        failures.len(),
        failures.join("\n")
    );
    assert!(ran > 1200, "only {ran} runs");
}

#[test]
fn lanes_that_return_early_execute_nothing_more() {
    let text = "shader compute {
    workgroup_size 32 1 1
b0:
    %0:32 = const 0
    %1:32 = vulkan_resource_index %0 {set=0 binding=0}
    %2:32 = load_local_invocation_index
    %3:32 = const 2
    %4:32 = ishl %2, %3
    %5:32 = const 7
    %6:32 = const 1
loop {
    b1:
        %7:32 = phi b0: %0, b6: %8
        %8:32 = iadd %7, %6
        %9:1 = ieq %8, %5
    if %9 {
        b2:
            break
    } else {
        b3:
    }
    b4:
        %10:1 = ilt %2, %7
    if %10 {
        b5:
            store_ssbo %8, %1, %4 {write_mask=1 align_mul=4}
            return
    } else {
        b7:
    }
    b6:
}
b8:
    store_ssbo %2, %1, %4 {write_mask=1 align_mul=4}
}
";
    let shader = nir::parse(text).expect("parses");
    nir::validate(&shader).expect("valid");
    let mut failures = Vec::new();
    for spill_everything in [false, true] {
        let options = fs::Options {
            spill_everything,
            ..fs::Options::default()
        };
        let ran = check("return", &shader, &options, &mut failures);
        assert!(failures.is_empty() && ran == 3, "{ran}: {failures:?}");
    }
}
