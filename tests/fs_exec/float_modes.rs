//! Execution modes of SPV_KHR_float_controls against the interpreter: denormals and rounding, by
//! operand size.

use crate::check;

/// Each operation of `%30` (a number near 1) and `%31` (a denormal) of `bits` bits, stored as
/// 32-bit words.
fn shader(modes: &str, bits: u8, op: &str) -> String {
    let make = match bits {
        16 => {
            "    %20:16 = u2u %9
    %21:16 = const 0x3ff
    %22:16 = const 0x3c00
    %23:16 = iand %20, %21
    %30:16 = ior %23, %22
    %31:16 = iand %20, %21\n"
        }
        32 => {
            "    %21:32 = const 0x7fffff
    %22:32 = const 0x3f800000
    %23:32 = iand %9, %21
    %30:32 = ior %23, %22
    %31:32 = iand %9, %21\n"
        }
        _ => {
            "    %20:64 = pack_64_2x32_split %9, %9
    %21:64 = const 0xfffffffffffff
    %22:64 = const 0x3ff0000000000000
    %23:64 = iand %20, %21
    %30:64 = ior %23, %22
    %31:64 = iand %20, %21\n"
        }
    };
    let fold = match bits {
        64 => {
            "    %41:32 = unpack_64_2x32_split_x %40
    %42:32 = unpack_64_2x32_split_y %40
    %43:32 = iadd %41, %42\n"
        }
        16 => "    %43:32 = u2u %40\n",
        _ => "    %43:32 = ior %40, %40\n",
    };
    format!(
        "shader compute {{
    workgroup_size 64 1 1
    float_controls {modes}
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
{make}    %40:{bits} = {op}
{fold}    store_ssbo %43, %1, %11 {{write_mask=1 align_mul=4}}
}}
"
    )
}

#[test]
fn denormals_and_rounding_follow_the_float_modes() {
    let mut failures = Vec::new();
    let mut ran = 0;
    for (size, bits) in [(1, 16), (2, 32), (4, 64)] {
        let third = match bits {
            16 => "const 0x3555",
            32 => "const 0x3eaaaaab",
            _ => "const 0x3fd5555555555555",
        };
        for mode in ["denorm_preserve", "denorm_flush", "rte", "rtz"] {
            let modes = format!("{mode}={size}");
            for op in [
                "fadd %31, %31",
                "fmul %30, %31",
                "fadd %30, %99",
                "fmul %30, %99",
            ] {
                let text = shader(&modes, bits, op)
                    .replace("    %40:", &format!("    %99:{bits} = {third}\n    %40:"));
                let shader = nir::parse(&text).unwrap_or_else(|e| panic!("{op}: {e}\n{text}"));
                nir::validate(&shader).unwrap_or_else(|e| panic!("{op}: {e}\n{text}"));
                ran += check(
                    &format!("{op} of {bits} bits, {modes}"),
                    &shader,
                    &fs::Options::default(),
                    &mut failures,
                );
            }
        }
    }
    // The mode of conversions holds for them alone.
    for mode in ["rte=7", "rtz=7"] {
        for op in ["f2f_rtne %30", "f2f_rtz %30", "f2f %30"] {
            let text = shader(mode, 32, &format!("fmul %30, %30\n    %44:16 = {op}")).replace(
                "%43:32 = ior %40, %40",
                "%45:32 = u2u %44\n    %43:32 = iadd %45, %40",
            );
            let shader = nir::parse(&text).unwrap_or_else(|e| panic!("{op}: {e}\n{text}"));
            ran += check(
                &format!("{op}, {mode}"),
                &shader,
                &fs::Options::default(),
                &mut failures,
            );
        }
    }
    assert!(
        failures.is_empty(),
        "{} of {ran}:\n{}",
        failures.len(),
        failures.join("\n")
    );
    assert!(ran > 100, "only {ran} runs");
}
