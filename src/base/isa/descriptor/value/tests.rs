//! Compares values of descriptor fields and message types with Intel's `iga64`, which explains the
//! fields of a descriptor.

use super::{
    a64_element, atomic_operation, byte_data_size, float_atomic_operation, oword_block_size,
    render_target_subtype, sampler_simd_mode, typed_slot_group, untyped_simd_mode,
};
use crate::descriptor::{
    self, Bits, a64_scattered, atomic, byte_scattered, common, oword_block, render_target, sample,
    typed, untyped,
};
use crate::message::{
    SharedFunction, constant_cache, data_cache_0, data_cache_1, gateway, render_cache, sampler, urb,
};
use crate::testing::iga;

/// One register each way, and a header.
fn lengths() -> u32 {
    common::MESSAGE_LENGTH.encode(1)
        | common::RESPONSE_LENGTH.encode(1)
        | common::HEADER_PRESENT.encode(1)
}

/// Checks that `iga64` calls the value of a field so.
#[track_caller]
fn assert_called(sfid: u8, desc: u32, field: Bits, expected: &str) {
    let text = iga::explain_descriptor(sfid, lengths() | desc);
    let label = match field.lo == field.hi {
        true => format!("Desc[{}]", field.lo),
        false => format!("Desc[{}:{}]", field.hi, field.lo),
    };
    let line = text
        .lines()
        .find(|line| line.trim_start().starts_with(&label));
    let Some(line) = line else {
        panic!("iga64 has no {label} in {desc:#x} of function {sfid}:\n{text}")
    };
    let number = format!("{:x}", field.get(desc));
    let (_, rest) = line.split_once(" 0x").expect("a value");
    let (value, name) = rest.split_once(char::is_whitespace).expect("a name");
    let value = value.trim_start_matches('0').to_lowercase();
    assert_eq!(value, number.trim_start_matches('0'), "{line}");
    assert_eq!(name.trim(), expected, "{line}");
}

#[test]
fn message_types_are_what_iga_calls_them() {
    if iga::is_missing() {
        return;
    }
    type Messages = (u8, &'static [(u32, &'static str)]);
    let functions: [Messages; 7] = [
        (
            sampler::SFID,
            &[
                (sampler::SAMPLE, "sample"),
                (sampler::SAMPLE_B, "sample+LOD bias"),
                (sampler::SAMPLE_L, "sample override LOD"),
                (sampler::SAMPLE_C, "sample compare"),
                (sampler::SAMPLE_D, "sample gradient"),
                (sampler::SAMPLE_B_C, "sample compare+LOD bias"),
                (sampler::SAMPLE_L_C, "sample compare+override LOD"),
                (sampler::LD, "sample load"),
                (sampler::GATHER4, "sample gather4"),
                (sampler::RESINFO, "sample res info"),
                (sampler::SAMPLEINFO, "sample info"),
                (sampler::GATHER4_C, "sample gather4+compare"),
                (sampler::GATHER4_PO, "sample gather4+pixel offset"),
                (sampler::GATHER4_PO_C, "sample gather4 pixel offset+compare"),
                (sampler::SAMPLE_D_C, "sample derivatives+compare"),
                (sampler::SAMPLE_LZ, "sample with lod forced to 0"),
                (sampler::SAMPLE_C_LZ, "sample compare+with lod forced to 0"),
                (sampler::LD_LZ, "sample load with lod forced to 0"),
                (sampler::LD2DMS_W, "sample ld2 multi-sample wide"),
                (sampler::LD_MCS, "sample load mcs auxiliary data"),
                (sampler::LD2DMS, "sample load multi-sample"),
                (sampler::LD2DSS, "sample multi-sample without mcs"),
            ],
        ),
        (gateway::SFID, &[(gateway::BARRIER, "signal barrier")]),
        (
            render_cache::SFID,
            &[
                (render_cache::RENDER_TARGET_WRITE, "render target write"),
                (render_cache::RENDER_TARGET_READ, "render target read"),
            ],
        ),
        (
            urb::SFID,
            &[
                (urb::SIMD8_WRITE, "MSDUW_DWS (urb dword write)"),
                (urb::SIMD8_READ, "MSDUR_DWS (urb dword read)"),
            ],
        ),
        (
            constant_cache::SFID,
            &[
                (
                    constant_cache::OWORD_BLOCK_READ,
                    "constant oword block read",
                ),
                (
                    constant_cache::UNALIGNED_OWORD_BLOCK_READ,
                    "constant aligned oword block read",
                ),
                (
                    constant_cache::DWORD_SCATTERED_READ,
                    "constant dword gathering read",
                ),
            ],
        ),
        (
            data_cache_0::SFID,
            &[
                (data_cache_0::OWORD_BLOCK_READ, "oword block read"),
                (
                    data_cache_0::UNALIGNED_OWORD_BLOCK_READ,
                    "aligned block read",
                ),
                (data_cache_0::OWORD_DUAL_BLOCK_READ, "oword dual block read"),
                (data_cache_0::DWORD_SCATTERED_READ, "dword gathering read"),
                (data_cache_0::BYTE_SCATTERED_READ, "byte gathering read"),
                (data_cache_0::MEMORY_FENCE, "fence"),
                (data_cache_0::OWORD_BLOCK_WRITE, "oword block write"),
                (
                    data_cache_0::OWORD_DUAL_BLOCK_WRITE,
                    "oword dual block write",
                ),
                (
                    data_cache_0::DWORD_SCATTERED_WRITE,
                    "dword scattering write",
                ),
                (data_cache_0::BYTE_SCATTERED_WRITE, "byte scattering write"),
            ],
        ),
        (
            data_cache_1::SFID,
            &[
                (data_cache_1::UNTYPED_SURFACE_READ, "untyped surface read"),
                (data_cache_1::UNTYPED_ATOMIC, "untyped atomic int32"),
                (data_cache_1::TYPED_SURFACE_READ, "typed surface read"),
                (data_cache_1::TYPED_ATOMIC, "typed atomic 32-bit integer"),
                (data_cache_1::UNTYPED_SURFACE_WRITE, "untyped surface write"),
                (data_cache_1::TYPED_SURFACE_WRITE, "typed surface write"),
                (data_cache_1::A64_SCATTERED_READ, "a64 byte gathering read"),
                (
                    data_cache_1::A64_UNTYPED_SURFACE_READ,
                    "a64 untyped surface read",
                ),
                (data_cache_1::A64_UNTYPED_ATOMIC, "untyped a64 atomic int32"),
                (data_cache_1::A64_BLOCK_READ, "a64 block read"),
                (data_cache_1::A64_BLOCK_WRITE, "a64 block write"),
                (
                    data_cache_1::A64_UNTYPED_SURFACE_WRITE,
                    "a64 untyped surface write",
                ),
                (
                    data_cache_1::A64_SCATTERED_WRITE,
                    "a64 byte scattering write",
                ),
                (data_cache_1::UNTYPED_ATOMIC_FLOAT, "float atomic"),
                (data_cache_1::A64_UNTYPED_ATOMIC_FLOAT, "a64 float atomic"),
            ],
        ),
    ];
    for (sfid, messages) in functions {
        let function = SharedFunction::by_sfid(sfid).expect("a shared function");
        for (value, expected) in messages {
            let text =
                iga::explain_descriptor(sfid, lengths() | function.message_type.encode(*value));
            let mut names = text.lines().map(str::trim_end);
            let found = names.any(|line| line.ends_with(&format!("  {expected}")));
            assert!(
                found,
                "{} {value}: no '{expected}' in\n{text}",
                function.name
            );
        }
    }
}

#[test]
fn values_are_what_iga_calls_them() {
    if iga::is_missing() {
        return;
    }
    let check = |sfid, kind: u32, field: Bits, values: &[(u32, &str)]| {
        for (value, expected) in values {
            assert_called(sfid, kind | field.encode(*value), field, expected);
        }
    };
    let port_0 = |kind| descriptor::data_cache_0::MESSAGE_TYPE.encode(kind);
    let port_1 = |kind| descriptor::data_cache_1::MESSAGE_TYPE.encode(kind);
    use atomic_operation as op;
    check(
        data_cache_1::SFID,
        port_1(data_cache_1::UNTYPED_ATOMIC),
        atomic::OPERATION,
        &[
            (op::AND, "logical AND"),
            (op::OR, "logical OR"),
            (op::XOR, "logical XOR"),
            (op::MOV, "store"),
            (op::INC, "integer increment"),
            (op::DEC, "integer decrement"),
            (op::ADD, "integer add"),
            (op::SUB, "integer subtract"),
            (op::REVSUB, "commuted integer subtract"),
            (op::IMAX, "signed-integer max"),
            (op::IMIN, "signed-integer min"),
            (op::UMAX, "unsigned-integer max"),
            (op::UMIN, "unsigned-integer min"),
            (op::CMPWR, "integer compare and swap"),
            (
                op::PREDEC,
                "integer pre-decrement (returns pre-decrement value)",
            ),
        ],
    );
    use float_atomic_operation as fop;
    check(
        data_cache_1::SFID,
        port_1(data_cache_1::UNTYPED_ATOMIC_FLOAT),
        // The field has three bits in these messages.
        Bits { lo: 8, hi: 10 },
        &[
            (fop::FMAX, "float atomic max (32b)"),
            (fop::FMIN, "float atomic min (32b)"),
            (fop::FCMPWR, "float atomic fp-compare and swap  (32b)"),
            (fop::FADD, "float atomic add (32b)"),
        ],
    );
    check(
        data_cache_1::SFID,
        port_1(data_cache_1::UNTYPED_SURFACE_READ),
        untyped::SIMD_MODE,
        &[
            (untyped_simd_mode::SIMD16, "SIMD16"),
            (untyped_simd_mode::SIMD8, "SIMD8"),
        ],
    );
    check(
        data_cache_1::SFID,
        port_1(data_cache_1::TYPED_SURFACE_READ),
        typed::SLOT_GROUP,
        &[
            (typed_slot_group::SIMD4X2, "SG4x2"),
            (typed_slot_group::LOW, "SG8L"),
            (typed_slot_group::HIGH, "SG8U"),
        ],
    );
    check(
        data_cache_1::SFID,
        port_1(data_cache_1::A64_SCATTERED_READ),
        a64_scattered::SUBTYPE,
        &[
            (a64_element::BYTE, "Byte"),
            (a64_element::DWORD, "DWord"),
            (a64_element::QWORD, "QWord"),
        ],
    );
    check(
        data_cache_0::SFID,
        port_0(data_cache_0::OWORD_BLOCK_READ),
        oword_block::BLOCK_SIZE,
        &[
            (
                oword_block_size::OWORD_LOW,
                "1L (accesses low OWord of GRF)",
            ),
            (
                oword_block_size::OWORD_HIGH,
                "1H (accesses second OWord of GRF)",
            ),
            (oword_block_size::OWORDS_2, "2 OWords"),
            (oword_block_size::OWORDS_4, "4 OWords"),
            (oword_block_size::OWORDS_8, "8 OWords"),
        ],
    );
    check(
        data_cache_0::SFID,
        port_0(data_cache_0::BYTE_SCATTERED_READ),
        byte_scattered::DATA_SIZE,
        &[
            (byte_data_size::BYTES_1, "DE1 (1 data element per address)"),
            (byte_data_size::BYTES_2, "DE2 (2 data elements per address)"),
            (byte_data_size::BYTES_4, "DE4 (4 data elements per address)"),
        ],
    );
    use render_target_subtype as subtype;
    check(
        render_cache::SFID,
        render_target::MESSAGE_TYPE.encode(render_cache::RENDER_TARGET_WRITE),
        render_target::SUBTYPE,
        &[
            (subtype::SIMD16, ".simd16"),
            (subtype::SIMD16_REPLICATED, ".rep16"),
            (subtype::SIMD8_DUAL_SOURCE_LOW, ".lo8ds"),
            (subtype::SIMD8_DUAL_SOURCE_HIGH, ".hi8ds"),
            (subtype::SIMD8, ".simd8"),
        ],
    );
    check(
        sampler::SFID,
        0,
        sample::SIMD_MODE,
        &[
            (sampler_simd_mode::SIMD8, "simd8"),
            (sampler_simd_mode::SIMD16, "simd16"),
        ],
    );
}
