//! Tests of pushed uniform buffer ranges and of sampler indices.

use crate::compile::compile;
use crate::options::Options;
use abi::{
    DescriptorBinding, DescriptorKind, PipelineLayout, PushedBuffer, PushedRange, SetLayout,
};
use nir::{Builder, IntrinsicOp, Shader, Slot, Stage};

/// Bindings of set 1, by number: a plain buffer, one whose descriptor may change, a dynamic one, an
/// array of two.
fn layout() -> PipelineLayout {
    let binding = |binding, kind, count, static_at_bind| DescriptorBinding {
        binding,
        kind,
        count,
        offset_bytes: binding * 128,
        stride_bytes: 64,
        samplers: abi::SamplerOffsets::default(),
        dynamic_index: 5,
        static_at_bind,
    };
    use DescriptorKind as K;
    let bindings = vec![
        binding(0, K::UniformBuffer, 1, true),
        binding(1, K::UniformBuffer, 1, false),
        binding(2, K::UniformBufferDynamic, 1, true),
        binding(3, K::UniformBuffer, 2, true),
        binding(4, K::StorageBuffer, 1, true),
    ];
    let set = SetLayout {
        bindings,
        ..SetLayout::default()
    };
    PipelineLayout {
        sets: vec![SetLayout::default(), set],
        ..PipelineLayout::default()
    }
}

/// A fragment shader that adds up loads of two dwords: (binding, element, byte).
fn sum(loads: &[(u32, u32, u32)]) -> Shader {
    let mut shader = Shader::new(Stage::Fragment, "sum");
    let mut b = Builder::at_end(&mut shader);
    let mut sum = b.imm_float(32, 0.5);
    for &(binding, element, byte) in loads {
        let (element, byte) = (b.imm_u32(element), b.imm_u32(byte));
        let op = IntrinsicOp::VulkanResourceIndex;
        let handle = b.load(op, 1, 32, &[element], &[1, binding]);
        let pair = b.load(IntrinsicOp::LoadUbo, 2, 32, &[handle, byte], &[8, 16, 0]);
        for c in [0, 1] {
            let value = b.channel(pair, c);
            sum = b.fadd(sum, value);
        }
    }
    let colour = b.vec(&[sum; 4]);
    let zero = b.imm_u32(0);
    let slot = Slot::var(0).unwrap();
    let indices = [0, 0xf, 0, slot.0.into(), 1, 0, 0];
    b.intrinsic(IntrinsicOp::StoreOutput, None, &[colour, zero], &indices);
    shader
}

fn compile_loads(loads: &[(u32, u32, u32)], push_ranges: bool) -> abi::ShaderBinary {
    let options = Options {
        layout: layout(),
        push_ranges,
        validate: true,
        ..Default::default()
    };
    let device = hw::Device::by_name("skl").unwrap();
    compile(&sum(loads), device, &options).unwrap()
}

fn in_set(binding: u32, element: u32) -> PushedBuffer {
    PushedBuffer::InSet {
        set: 1,
        offset_bytes: binding * 128 + element * 64,
    }
}

#[test]
fn loads_at_constant_offsets_are_pushed() {
    let loads = [
        (0, 0, 40),
        (0, 0, 60),
        (0, 0, 72),
        (2, 0, 0),
        (2, 0, 8),
        (3, 1, 160),
    ];
    let made = compile_loads(&loads, true);
    let range = |buffer, first, registers, end_bytes| PushedRange {
        buffer,
        first,
        registers,
        end_bytes,
    };
    let ranges = [
        range(in_set(0, 0), 1, 2, 80),
        range(PushedBuffer::Dynamic { index: 5 }, 0, 1, 16),
        range(in_set(3, 1), 5, 1, 168),
    ];
    assert_eq!(made.push.ranges, ranges);
    // No handle is asked for.
    assert_eq!((made.push.registers(), made.push.all_registers()), (0, 4));
    for variant in &made.variants {
        assert_eq!(
            variant.stats.sends,
            u32::from(variant.simd_width).div_ceil(16)
        );
    }
    let plain = compile_loads(&loads, false);
    // Two handles, and the descriptors of three surfaces at a multiple of four dwords.
    assert_eq!((plain.push.ranges.len(), plain.push.driver.len()), (0, 8));
    let sends = |made: &abi::ShaderBinary| made.variants[0].stats.sends;
    assert_eq!((sends(&made), sends(&plain)), (1, 7));
}

#[test]
fn descriptors_that_may_change_after_binding_are_not_pushed() {
    let made = compile_loads(&[(1, 0, 0), (4, 0, 0)], true);
    assert_eq!(made.push.ranges, []);
    assert_eq!(made.push.driver.len(), 4);
}

#[test]
fn ranges_that_do_not_fit_are_read_by_messages() {
    // Four runs, of which the last one is read least; one that is longer than all registers.
    let mut loads: Vec<_> = (0..4).map(|run| (0, 0, 256 * run)).collect();
    loads.extend((0..3).map(|run| (0, 0, 256 * run + 8)));
    let made = compile_loads(&loads, true);
    let firsts: Vec<_> = made.push.ranges.iter().map(|range| range.first).collect();
    assert_eq!(firsts, [0, 8, 16]);
    assert_eq!(made.variants[0].stats.sends, 2);
    let long: Vec<_> = (0..80).map(|register| (0, 0, 32 * register)).collect();
    let made = compile_loads(&long, true);
    let [only] = made.push.ranges[..] else {
        panic!("{:?}", made.push.ranges)
    };
    assert_eq!((only.registers, only.end_bytes), (60, 60 * 32));
    assert!(made.push.all_registers() <= abi::MAX_PUSH_REGISTERS);
}

/// A fragment shader that samples by combined image samplers of a set, with an offset or without:
/// (binding, offset).
fn sampled(bindings: &[(u32, bool)]) -> Shader {
    use nir::{Tex, TexOp, TexSrc};
    let mut shader = Shader::new(Stage::Fragment, "sampled");
    let mut b = Builder::at_end(&mut shader);
    let mut sum = b.imm_float(32, 0.5);
    for &(binding, offset) in bindings {
        let zero = b.imm_u32(0);
        let handle = |b: &mut Builder<'_>, op| b.load(op, 1, 32, &[zero], &[0, binding]);
        let texture = handle(&mut b, IntrinsicOp::VulkanResourceIndex);
        let sampler = handle(&mut b, IntrinsicOp::VulkanSamplerIndex);
        let mut srcs = smallvec::smallvec![
            (TexSrc::Coord, b.vec(&[sum; 2])),
            (TexSrc::TextureHandle, texture),
            (TexSrc::SamplerHandle, sampler),
        ];
        if offset {
            srcs.push((TexSrc::Offset, b.constant(32, &[1, 1])));
        }
        let tex = Tex {
            op: TexOp::Tex,
            def: entity::Id::new(0),
            srcs,
            dim: nir::Dim::D2,
            array: false,
            shadow: false,
            dest_type: nir::BaseType::Float,
            component: 0,
            tg4_offsets: None,
            texture_non_uniform: false,
            sampler_non_uniform: false,
            offset_non_uniform: false,
        };
        let colour = b.tex(tex, 4, 32);
        let red = b.channel(colour, 0);
        sum = b.fadd(sum, red);
    }
    let colour = b.vec(&[sum; 4]);
    let zero = b.imm_u32(0);
    let slot = Slot::var(0).unwrap();
    let indices = [0, 0xf, 0, slot.0.into(), 1, 0, 0];
    b.intrinsic(IntrinsicOp::StoreOutput, None, &[colour, zero], &indices);
    shader
}

#[test]
fn adjacent_samplers_share_a_header_by_index() {
    let binding = |binding, offset_bytes| DescriptorBinding {
        binding,
        kind: DescriptorKind::CombinedImageSampler,
        count: 1,
        offset_bytes,
        stride_bytes: 128,
        samplers: abi::SamplerOffsets::in_last_slot(offset_bytes, 128),
        dynamic_index: 0,
        static_at_bind: false,
    };
    let set = SetLayout {
        bindings: vec![binding(0, 0), binding(1, 1024), binding(2, 1024 + 128)],
        ..SetLayout::default()
    };
    let options = Options {
        layout: PipelineLayout {
            sets: vec![set],
            sampler_base_bytes: 1 << 31,
            indirect_base_high: 0,
            heap: None,
        },
        push_ranges: true,
        validate: true,
        widths: 8,
        dumps: vec!["asm".into()],
        ..Default::default()
    };
    let device = hw::Device::by_name("skl").unwrap();
    let made = |bindings: &[(u32, bool)]| compile(&sampled(bindings), device, &options).unwrap();
    // The first one lies too far away; of the others, the first is number 0, and the second one
    // eight behind it.
    let far = made(&[(0, false), (1, false), (2, false)]);
    let samplers = abi::SamplerTable {
        set: 0,
        offset_bytes: (1 << 31) + 1024 + 64,
    };
    assert_eq!(far.push.samplers, Some(samplers));
    let place = abi::DriverValue::SetPlace { set: 0 };
    assert!(far.push.driver.contains(&place));
    let near = made(&[(1, false), (2, false)]);
    assert_eq!(near.push.samplers, Some(samplers));
    assert!(!near.push.driver.contains(&place));
    let [far, near] =
        [&far, &near].map(|made| made.variants[0].dumps[0].1.matches("header").count());
    assert_eq!((far, near), (1, 0));
    // An offset stands in a header.
    let moved = made(&[(1, true)]);
    assert!(moved.push.driver.contains(&place));
    assert_eq!(moved.push.samplers, None);
}

#[test]
fn eight_adjacent_samplers_share_a_header_by_index() {
    let binding = |number: u32| DescriptorBinding {
        binding: number,
        kind: DescriptorKind::CombinedImageSampler,
        count: 1,
        offset_bytes: number * 64,
        stride_bytes: 64,
        samplers: abi::SamplerOffsets {
            offset_bytes: 1024 + 32 * number,
            stride_bytes: 32,
        },
        dynamic_index: 0,
        static_at_bind: false,
    };
    let set = SetLayout {
        bindings: (0..9).map(binding).collect(),
        ..SetLayout::default()
    };
    let options = Options {
        layout: PipelineLayout {
            sets: vec![set],
            sampler_base_bytes: 0,
            indirect_base_high: 0,
            heap: None,
        },
        push_ranges: true,
        validate: true,
        widths: 8,
        dumps: vec!["asm".into()],
        ..Default::default()
    };
    let device = hw::Device::by_name("skl").unwrap();
    let headers = |count: u32| {
        let bindings: Vec<_> = (0..count).map(|number| (number, false)).collect();
        let made = compile(&sampled(&bindings), device, &options).unwrap();
        assert_eq!(made.push.samplers.map(|s| s.offset_bytes), Some(1024));
        made.variants[0].dumps[0].1.matches("header").count()
    };
    assert_eq!((headers(8), headers(9)), (0, 1));
}
