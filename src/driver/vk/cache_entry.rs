//! Serialised items of caches: shaders, and facts that are derived from SPIR-V. Integers are little
//! endian.
//!
//! In:  an item, or bytes. Out: the other. Damaged bytes give `None`.

use std::sync::Arc;

use abi::{
    ComputeInfo, ComputedDepth, ConstantData, DriverValue, FragmentInfo, GeometryInfo, LinkTarget,
    OutputLink, OutputTopology, PatchMap, PushData, PushedBuffer, PushedRange, SamplerTable,
    ShaderBinary, ShaderStats, SimdVariant, StageInfo, TessControlInfo, TessDomain, TessEvalInfo,
    TessSpacing, TransformFeedbackInfo, TransformFeedbackOutput, VertexElement, VertexInfo,
    VertexOutputs, VueMap,
};

use crate::cache_item::{Item, ItemKind};

/// Upper bound of any length; a larger one is damage.
const MAX_LENGTH: usize = 1 << 26;

/// Upper bound of a thread's scratch memory. Ref: SKL PRM vol. 2a, "MEDIA_VFE_STATE", Per Thread
/// Scratch Space.
const MAX_SCRATCH_BYTES: u32 = 2 << 20;

/// Registers of a thread.
const GRFS: u8 = 128;

pub(crate) fn put_u32(out: &mut Vec<u8>, value: u32) {
    out.extend_from_slice(&value.to_le_bytes());
}

fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_u32(out, bytes.len() as u32);
    out.extend_from_slice(bytes);
}

/// Appends words and their number.
pub(crate) fn put_words(out: &mut Vec<u8>, words: &[u32]) {
    put_u32(out, words.len() as u32);
    for &word in words {
        put_u32(out, word);
    }
}

/// Reads bytes from the front.
pub(crate) struct Reader<'a> {
    pub(crate) bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(crate) fn next_bytes(&mut self, length: usize) -> Option<&'a [u8]> {
        let (head, tail) = self.bytes.split_at_checked(length)?;
        self.bytes = tail;
        Some(head)
    }

    pub(crate) fn chunk<const N: usize>(&mut self) -> Option<&'a [u8; N]> {
        self.next_bytes(N)?.first_chunk()
    }

    pub(crate) fn u32(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(*self.chunk()?))
    }

    pub(crate) fn u64(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(*self.chunk()?))
    }

    pub(crate) fn length(&mut self) -> Option<usize> {
        Some(self.u32()? as usize).filter(|&length| length <= MAX_LENGTH)
    }

    /// What [`put_words`] appended.
    pub(crate) fn words(&mut self) -> Option<Vec<u32>> {
        let length = self.length()?;
        let bytes = self.next_bytes(length.checked_mul(4)?)?;
        let words = bytes.as_chunks().0.iter();
        Some(words.map(|word| u32::from_le_bytes(*word)).collect())
    }
}

fn write_push(out: &mut Vec<u8>, value: DriverValue) {
    let [tag, word, more] = match value {
        DriverValue::SetHandle { set } => [1, set, 0],
        DriverValue::DynamicHandle { index } => [2, index, 0],
        DriverValue::NumWorkgroupsAddress { dword } => [3, dword, 0],
        DriverValue::BaseWorkgroupId { component } => [4, component, 0],
        DriverValue::SurfaceHeapAddress { dword } => [6, dword, 0],
        DriverValue::SetPlace { set } => [7, set, 0],
        DriverValue::SetDescriptor { set, more } => [8, set, more],
        DriverValue::DynamicDescriptor { index, more } => [9, index, more],
        DriverValue::Nothing => [10, 0, 0],
        DriverValue::CoverageSamples => [11, 0, 0],
        DriverValue::PatchPoints => [12, 0, 0],
    };
    for word in [tag, word, more] {
        put_u32(out, word);
    }
}

fn read_push(reader: &mut Reader<'_>) -> Option<DriverValue> {
    let (tag, word, more) = (reader.u32()?, reader.u32()?, reader.u32()?);
    Some(match tag {
        1 => DriverValue::SetHandle { set: word },
        2 => DriverValue::DynamicHandle { index: word },
        3 => DriverValue::NumWorkgroupsAddress { dword: word },
        6 => DriverValue::SurfaceHeapAddress { dword: word },
        7 => DriverValue::SetPlace { set: word },
        4 => DriverValue::BaseWorkgroupId { component: word },
        8 => DriverValue::SetDescriptor { set: word, more },
        9 => DriverValue::DynamicDescriptor { index: word, more },
        10 => DriverValue::Nothing,
        11 => DriverValue::CoverageSamples,
        12 => DriverValue::PatchPoints,
        _ => return None,
    })
}

fn write_range(out: &mut Vec<u8>, range: &PushedRange) {
    let [tag, place, offset_bytes] = match range.buffer {
        PushedBuffer::InSet { set, offset_bytes } => [1, set, offset_bytes],
        PushedBuffer::Dynamic { index } => [2, index, 0],
    };
    for word in [
        tag,
        place,
        offset_bytes,
        range.first,
        range.registers,
        range.end_bytes,
    ] {
        put_u32(out, word);
    }
}

fn read_range(reader: &mut Reader<'_>) -> Option<PushedRange> {
    let (tag, place, offset_bytes) = (reader.u32()?, reader.u32()?, reader.u32()?);
    let set = place;
    Some(PushedRange {
        buffer: match tag {
            1 => PushedBuffer::InSet { set, offset_bytes },
            2 => PushedBuffer::Dynamic { index: place },
            _ => return None,
        },
        first: reader.u32()?,
        registers: reader.u32()?,
        end_bytes: reader.u32()?,
    })
}

/// Writes an item.
pub(crate) fn write_item(out: &mut Vec<u8>, item: &Item) {
    match item {
        Item::Shader(shader) => write_shader(out, shader),
        Item::Inputs(read) => out.extend_from_slice(&read.to_bytes()),
        Item::TessModes(modes) => {
            for word in modes.to_words() {
                put_u32(out, word);
            }
        }
    }
}

/// The item of a kind in bytes.
pub(crate) fn read_item(kind: ItemKind, bytes: &[u8]) -> Option<Item> {
    let mut reader = Reader { bytes };
    Some(match kind {
        ItemKind::Shader => Item::Shader(Arc::new(read_shader(&mut reader)?)),
        ItemKind::Inputs => Item::Inputs(compile::InputsRead::from_bytes(bytes)?),
        ItemKind::TessModes => {
            let mut words = [0; 6];
            for word in &mut words {
                *word = reader.u32()?;
            }
            let modes = compile::TessInfo::from_words(words)?;
            Item::TessModes(reader.bytes.is_empty().then_some(modes)?)
        }
    })
}

/// Writes a shader without text dumps: they are made on request, under a key of their own.
pub(crate) fn write_shader(out: &mut Vec<u8>, shader: &ShaderBinary) {
    put_bytes(out, &shader.code);
    put_bytes(out, &shader.constants.data);
    put_u32(out, shader.constants.handle_offsets.len() as u32);
    for &at in &shader.constants.handle_offsets {
        put_u32(out, at);
    }
    write_stage(out, &shader.stage);
    put_u32(out, shader.push.constants_first_dw);
    put_u32(out, shader.push.constants_dw);
    put_u32(out, shader.push.driver.len() as u32);
    for &value in &shader.push.driver {
        write_push(out, value);
    }
    let samplers = shader.push.samplers.map(|s| [1, s.set, s.offset_bytes]);
    for word in samplers.unwrap_or_default() {
        put_u32(out, word);
    }
    put_u32(out, shader.push.ranges.len() as u32);
    for range in &shader.push.ranges {
        write_range(out, range);
    }
    put_u32(out, shader.preferred as u32);
    put_u32(out, shader.variants.len() as u32);
    for variant in &shader.variants {
        let stats = &variant.stats;
        for word in [
            u32::from(variant.simd_width),
            variant.code_offset_bytes,
            variant.code_bytes,
            variant.scratch_bytes,
            u32::from(variant.push_grf),
            stats.instructions,
            stats.sends,
            stats.loops,
            stats.spills,
            stats.fills,
            stats.max_live_registers,
        ] {
            put_u32(out, word);
        }
        out.extend_from_slice(&stats.cycles.to_le_bytes());
    }
}

pub(crate) fn read_shader(reader: &mut Reader<'_>) -> Option<ShaderBinary> {
    let code_bytes = reader.length()?;
    let code = reader.next_bytes(code_bytes)?.to_vec();
    let data_bytes = reader.length()?;
    let data = reader.next_bytes(data_bytes)?.to_vec();
    let handles = reader.length()?;
    let handle_offsets: Vec<u32> = (0..handles).map(|_| reader.u32()).collect::<Option<_>>()?;
    let dword_inside = |at: u32| code.get(at as usize..at as usize + 4).is_some();
    if !handle_offsets.iter().all(|at| dword_inside(*at)) {
        return None;
    }
    let stage = read_stage(reader)?;
    let (constants_first_dw, constants_dw) = (reader.u32()?, reader.u32()?);
    let values = reader.length()?;
    let push = PushData {
        constants_first_dw,
        constants_dw,
        driver: (0..values)
            .map(|_| read_push(reader))
            .collect::<Option<_>>()?,
        samplers: {
            let (tag, set, offset_bytes) = (reader.u32()?, reader.u32()?, reader.u32()?);
            (tag == 1).then_some(SamplerTable { set, offset_bytes })
        },
        ranges: {
            let ranges = reader.length()?;
            (0..ranges)
                .map(|_| read_range(reader))
                .collect::<Option<_>>()?
        },
    };
    let preferred = reader.u32()? as usize;
    let count = reader.length()?;
    let variants = (0..count)
        .map(|_| read_variant(reader))
        .collect::<Option<Vec<_>>>()?;
    let inside = |variant: &SimdVariant| {
        let end = variant.code_offset_bytes.checked_add(variant.code_bytes);
        let scratch = variant.scratch_bytes;
        end.is_some_and(|end| end as usize <= code.len())
            && variant.code_offset_bytes.is_multiple_of(64)
            && matches!(variant.simd_width, 8 | 16 | 32)
            && (scratch == 0 || scratch.is_power_of_two() && scratch <= MAX_SCRATCH_BYTES)
            && variant.push_grf <= GRFS
    };
    if preferred >= variants.len() || !variants.iter().all(inside) || !reader.bytes.is_empty() {
        return None;
    }
    Some(ShaderBinary {
        code,
        constants: ConstantData {
            data,
            handle_offsets,
        },
        variants,
        preferred,
        push,
        stage,
    })
}

fn read_variant(reader: &mut Reader<'_>) -> Option<SimdVariant> {
    Some(SimdVariant {
        simd_width: u8::try_from(reader.u32()?).ok()?,
        code_offset_bytes: reader.u32()?,
        code_bytes: reader.u32()?,
        scratch_bytes: reader.u32()?,
        push_grf: u8::try_from(reader.u32()?).ok()?,
        stats: ShaderStats {
            instructions: reader.u32()?,
            sends: reader.u32()?,
            loops: reader.u32()?,
            spills: reader.u32()?,
            fills: reader.u32()?,
            max_live_registers: reader.u32()?,
            cycles: reader.u64()?,
        },
        dumps: Vec::new(),
    })
}

/// Packs bools into bits, lowest first.
fn bits(truths: &[bool]) -> u32 {
    let bits = truths.iter().enumerate();
    bits.fold(0, |bits, (at, &truth)| bits | u32::from(truth) << at)
}

fn put_wide(out: &mut Vec<u8>, value: u128) {
    out.extend_from_slice(&value.to_le_bytes());
}

const COMPUTE: u32 = 0;
const VERTEX: u32 = 1;
const FRAGMENT: u32 = 2;
const TESS_CONTROL: u32 = 3;
const TESS_EVAL: u32 = 4;
const GEOMETRY: u32 = 5;

const LINK_AT: u8 = 0;
const LINK_CONSTANT: u8 = 1;

fn write_outputs(out: &mut Vec<u8>, outputs: &VertexOutputs) {
    put_bytes(out, &outputs.vue.slots);
    put_wide(out, outputs.written);
    put_u32(out, outputs.clip_distances.into());
    put_u32(out, outputs.cull_distances.into());
    let capture = &outputs.capture;
    put_u32(out, capture.dwords.len() as u32);
    for dword in &capture.dwords {
        out.extend_from_slice(&[dword.slot, dword.component, dword.buffer, dword.stream]);
        put_u32(out, dword.offset_bytes);
    }
    for stride in capture.strides_bytes {
        put_u32(out, stride);
    }
    put_u32(out, outputs.links.len() as u32);
    for link in &outputs.links {
        let (kind, value) = match link.to {
            LinkTarget::At(slot, component) => {
                (LINK_AT, u32::from_le_bytes([slot, component, 0, 0]))
            }
            LinkTarget::Constant(bits) => (LINK_CONSTANT, bits),
        };
        out.extend_from_slice(&[link.slot, link.component, kind, 0]);
        put_u32(out, value);
    }
}

fn write_stage(out: &mut Vec<u8>, stage: &StageInfo) {
    match stage {
        StageInfo::Compute(info) => {
            put_u32(out, COMPUTE);
            for word in info.workgroup_size {
                put_u32(out, word);
            }
            put_u32(out, info.slm_bytes);
            put_u32(out, bits(&[info.uses_barrier, info.per_thread_push]));
        }
        StageInfo::Vertex(info) => {
            put_u32(out, VERTEX);
            put_u32(out, info.elements.len() as u32);
            for element in &info.elements {
                put_u32(
                    out,
                    match element {
                        VertexElement::Location(location) => (*location).into(),
                        VertexElement::DrawParameters => 0x100,
                        VertexElement::DrawIndex => 0x101,
                    },
                );
            }
            write_outputs(out, &info.outputs);
        }
        StageInfo::TessControl(info) => {
            put_u32(out, TESS_CONTROL);
            put_bytes(out, &info.patch.slots);
            put_bytes(out, &info.patch.point.slots);
            put_u32(out, info.patch.points);
        }
        StageInfo::TessEval(info) => {
            put_u32(out, TESS_EVAL);
            write_outputs(out, &info.outputs);
            put_u32(out, info.domain as u32);
            put_u32(out, info.spacing as u32);
            put_u32(out, bits(&[info.ccw, info.point_mode]));
            put_u32(out, info.pushed_grf.into());
        }
        StageInfo::Geometry(info) => {
            put_u32(out, GEOMETRY);
            write_outputs(out, &info.outputs);
            put_u32(out, info.vertices_in.into());
            put_u32(out, info.invocations.into());
            put_u32(out, info.topology as u32);
            put_u32(out, info.vertices_out.into());
            put_u32(out, bits(&[info.primitive_id, info.cuts, info.streams]));
            put_u32(out, info.stream.into());
        }
        StageInfo::Fragment(info) => {
            put_u32(out, FRAGMENT);
            put_bytes(out, &info.inputs);
            put_wide(out, info.flat_inputs.into());
            put_u32(out, info.barycentric_modes.into());
            put_u32(out, info.computed_depth as u32);
            put_u32(out, info.targets.into());
            put_u32(
                out,
                bits(&[
                    info.source_depth,
                    info.source_w,
                    info.sample_positions,
                    info.input_coverage,
                    info.output_mask,
                    info.kills,
                    info.per_sample,
                    info.early_tests,
                    info.post_depth_coverage,
                    info.writes_memory,
                    info.dual_source,
                    info.pulls_barycentrics,
                    info.output_stencil,
                ]),
            );
        }
    }
}

fn read_element(reader: &mut Reader<'_>) -> Option<VertexElement> {
    Some(match reader.u32()? {
        0x100 => VertexElement::DrawParameters,
        0x101 => VertexElement::DrawIndex,
        location => VertexElement::Location(u8::try_from(location).ok()?),
    })
}

fn read_wide(reader: &mut Reader<'_>) -> Option<u128> {
    Some(u128::from_le_bytes(*reader.chunk()?))
}

fn read_bytes(reader: &mut Reader<'_>) -> Option<Vec<u8>> {
    let length = reader.length()?;
    Some(reader.next_bytes(length)?.to_vec())
}

fn read_capture(reader: &mut Reader<'_>) -> Option<TransformFeedbackInfo> {
    let count = reader.length()?;
    let dwords = (0..count).map(|_| {
        let &[slot, component, buffer, stream] = reader.chunk()?;
        Some(TransformFeedbackOutput {
            slot,
            component,
            buffer,
            stream,
            offset_bytes: reader.u32()?,
        })
    });
    Some(TransformFeedbackInfo {
        dwords: dwords.collect::<Option<_>>()?,
        strides_bytes: [reader.u32()?, reader.u32()?, reader.u32()?, reader.u32()?],
    })
}

fn read_links(reader: &mut Reader<'_>) -> Option<Vec<OutputLink>> {
    let count = reader.length()?;
    let links = (0..count).map(|_| {
        let &[slot, component, kind, 0] = reader.chunk()? else {
            return None;
        };
        let value = reader.u32()?;
        let to = match (kind, value.to_le_bytes()) {
            (LINK_AT, [slot, component, 0, 0]) => LinkTarget::At(slot, component),
            (LINK_CONSTANT, _) => LinkTarget::Constant(value),
            _ => return None,
        };
        Some(OutputLink {
            slot,
            component,
            to,
        })
    });
    links.collect()
}

fn read_outputs(reader: &mut Reader<'_>) -> Option<VertexOutputs> {
    Some(VertexOutputs {
        vue: VueMap {
            slots: read_bytes(reader)?,
        },
        written: read_wide(reader)?,
        clip_distances: u8::try_from(reader.u32()?).ok()?,
        cull_distances: u8::try_from(reader.u32()?).ok()?,
        capture: read_capture(reader)?,
        links: read_links(reader)?,
    })
}

fn read_tess_eval(reader: &mut Reader<'_>) -> Option<StageInfo> {
    let outputs = read_outputs(reader)?;
    let domain = match reader.u32()? {
        0 => TessDomain::Quads,
        1 => TessDomain::Triangles,
        2 => TessDomain::Isolines,
        _ => return None,
    };
    let spacing = match reader.u32()? {
        0 => TessSpacing::Equal,
        1 => TessSpacing::FractionalOdd,
        2 => TessSpacing::FractionalEven,
        _ => return None,
    };
    let bits = reader.u32()?;
    Some(StageInfo::TessEval(TessEvalInfo {
        outputs,
        domain,
        spacing,
        ccw: bits & 1 != 0,
        point_mode: bits & 2 != 0,
        pushed_grf: u8::try_from(reader.u32()?).ok()?,
    }))
}

fn read_geometry(reader: &mut Reader<'_>) -> Option<StageInfo> {
    let outputs = read_outputs(reader)?;
    let vertices_in = u8::try_from(reader.u32()?).ok()?;
    let invocations = u8::try_from(reader.u32()?).ok()?;
    let topology = match reader.u32()? {
        1 => OutputTopology::Points,
        3 => OutputTopology::LineStrip,
        5 => OutputTopology::TriangleStrip,
        _ => return None,
    };
    let vertices_out = u16::try_from(reader.u32()?).ok()?;
    let bits = reader.u32()?;
    Some(StageInfo::Geometry(GeometryInfo {
        outputs,
        vertices_in,
        invocations,
        topology,
        vertices_out,
        primitive_id: bits & 1 != 0,
        cuts: bits & 2 != 0,
        streams: bits & 4 != 0,
        stream: u8::try_from(reader.u32()?).ok()?,
    }))
}

fn read_fragment(reader: &mut Reader<'_>) -> Option<StageInfo> {
    let inputs = read_bytes(reader)?;
    let flat_inputs = u64::try_from(read_wide(reader)?).ok()?;
    let barycentric_modes = u8::try_from(reader.u32()?).ok()?;
    let computed_depth = match reader.u32()? {
        0 => ComputedDepth::Off,
        1 => ComputedDepth::On,
        2 => ComputedDepth::GreaterOrEqual,
        3 => ComputedDepth::LessOrEqual,
        _ => return None,
    };
    let targets = u8::try_from(reader.u32()?).ok()?;
    let bits = reader.u32()?;
    let bit = |at: u32| bits >> at & 1 != 0;
    Some(StageInfo::Fragment(FragmentInfo {
        inputs,
        flat_inputs,
        barycentric_modes,
        computed_depth,
        targets,
        source_depth: bit(0),
        source_w: bit(1),
        sample_positions: bit(2),
        input_coverage: bit(3),
        output_mask: bit(4),
        kills: bit(5),
        per_sample: bit(6),
        early_tests: bit(7),
        post_depth_coverage: bit(8),
        writes_memory: bit(9),
        dual_source: bit(10),
        pulls_barycentrics: bit(11),
        output_stencil: bit(12),
    }))
}

fn read_stage(reader: &mut Reader<'_>) -> Option<StageInfo> {
    match reader.u32()? {
        COMPUTE => {
            let workgroup_size = [reader.u32()?, reader.u32()?, reader.u32()?];
            let slm_bytes = reader.u32()?;
            let bits = reader.u32()?;
            Some(StageInfo::Compute(ComputeInfo {
                workgroup_size,
                slm_bytes,
                uses_barrier: bits & 1 != 0,
                per_thread_push: bits & 2 != 0,
            }))
        }
        VERTEX => {
            let count = reader.length()?;
            let elements = (0..count).map(|_| read_element(reader));
            Some(StageInfo::Vertex(VertexInfo {
                elements: elements.collect::<Option<_>>()?,
                outputs: read_outputs(reader)?,
            }))
        }
        TESS_CONTROL => Some(StageInfo::TessControl(TessControlInfo {
            patch: PatchMap {
                slots: read_bytes(reader)?,
                point: VueMap {
                    slots: read_bytes(reader)?,
                },
                points: reader.u32()?,
            },
        })),
        TESS_EVAL => read_tess_eval(reader),
        GEOMETRY => read_geometry(reader),
        FRAGMENT => read_fragment(reader),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(stage: &StageInfo) {
        let mut bytes = Vec::new();
        write_stage(&mut bytes, stage);
        let mut reader = Reader { bytes: &bytes };
        assert_eq!(read_stage(&mut reader).as_ref(), Some(stage));
        assert!(reader.bytes.is_empty());
        for cut in 0..bytes.len() {
            let bytes = &bytes[..cut];
            assert_eq!(read_stage(&mut Reader { bytes }), None);
        }
    }

    #[test]
    fn stages_survive_a_round_trip() {
        same(&StageInfo::Vertex(VertexInfo {
            elements: vec![
                VertexElement::Location(3),
                VertexElement::DrawParameters,
                VertexElement::DrawIndex,
            ],
            outputs: VertexOutputs {
                vue: VueMap::new(1 << 32 | 1 << 127 | 3),
                written: 1 << 32 | 1 << 127 | 3,
                clip_distances: 7,
                cull_distances: 8,
                capture: TransformFeedbackInfo::default(),
                links: Vec::new(),
            },
        }));
        let outputs = VertexOutputs {
            written: 5,
            capture: TransformFeedbackInfo {
                dwords: vec![TransformFeedbackOutput {
                    slot: 32,
                    component: 1,
                    buffer: 2,
                    stream: 3,
                    offset_bytes: 0x104,
                }],
                strides_bytes: [4, 8, 0x110, 12],
            },
            links: vec![
                OutputLink {
                    slot: 33,
                    component: 3,
                    to: LinkTarget::At(32, 1),
                },
                OutputLink {
                    slot: 34,
                    component: 0,
                    to: LinkTarget::Constant(0x3f80_0000),
                },
            ],
            ..VertexOutputs::default()
        };
        same(&StageInfo::TessControl(TessControlInfo {
            patch: PatchMap::new(1 << 100, 1 << 33, 7),
        }));
        for on in [false, true] {
            same(&StageInfo::TessEval(TessEvalInfo {
                outputs: outputs.clone(),
                domain: TessDomain::Isolines,
                spacing: TessSpacing::FractionalEven,
                ccw: on,
                point_mode: !on,
                pushed_grf: 9,
            }));
            same(&StageInfo::Geometry(GeometryInfo {
                outputs: outputs.clone(),
                vertices_in: 3,
                primitive_id: on,
                invocations: 4,
                topology: OutputTopology::TriangleStrip,
                vertices_out: 256,
                cuts: !on,
                streams: on,
                stream: 2,
            }));
        }
        for bit in 0..13 {
            same(&StageInfo::Fragment(FragmentInfo {
                inputs: vec![32, 40],
                flat_inputs: 1 << 40,
                barycentric_modes: 5,
                computed_depth: ComputedDepth::LessOrEqual,
                targets: 0x81,
                source_depth: bit == 0,
                source_w: bit == 1,
                sample_positions: bit == 2,
                input_coverage: bit == 3,
                output_mask: bit == 4,
                kills: bit == 5,
                per_sample: bit == 6,
                early_tests: bit == 7,
                post_depth_coverage: bit == 8,
                writes_memory: bit == 9,
                dual_source: bit == 10,
                pulls_barycentrics: bit == 11,
                output_stencil: bit == 12,
            }));
        }
    }
}
