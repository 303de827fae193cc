//! Gen9's packets of the 3D pipeline.
//!
//! In:  draw state, shaders and targets ([`crate::draw`]). Out: packets and state structures.
//! Ref: SKL PRM vol. 2a (commands), vol. 2d (states), vol. 7 "3D Pipeline Stages".

mod geometry;
mod hiz;
mod pixel;
mod raster;
mod stream_out;
mod target;
mod vertex;

use std::convert::Infallible;

use hw::draw::{
    state_aa_line_parameters, state_binding_table_pointers_ds, state_binding_table_pointers_gs,
    state_binding_table_pointers_hs, state_binding_table_pointers_ps,
    state_binding_table_pointers_vs, state_blend_state_pointers, state_cc_state_pointers,
    state_constant_ds, state_constant_gs, state_constant_hs, state_constant_ps, state_constant_vs,
    state_drawing_rectangle, state_multisample, state_ps, state_ps_extra,
    state_push_constant_alloc_ds, state_push_constant_alloc_gs, state_push_constant_alloc_hs,
    state_push_constant_alloc_ps, state_push_constant_alloc_vs, state_raster, state_sbe,
    state_sbe_swiz, state_scissor_state_pointers, state_urb_ds, state_urb_gs, state_urb_hs,
    state_urb_vs, state_vf_statistics, state_viewport_state_pointers_cc,
    state_viewport_state_pointers_sf_clip, state_vs, state_wm_chromakey, state_wm_hz_op,
};
use hw::register;

use crate::draw::shader::{Shaders, VertexInputs, VertexShader};
use crate::draw::state::{Dirty, Lines, SampleLocations, State, VIEWPORTS};
use crate::draw::target::{DepthStencilTarget, HizOp, Targets};
use crate::draw::urb;
use crate::draw::{
    ByteCount, CONSTANT_BUFFERS, ConstantBuffer, ConstantStage, Draw, DrawGeneration, StaticState, DrawState,
};
use crate::gen9::{self, Gen9};
use crate::generation::{VfeState, Generation, Machine};
use crate::math;
use crate::mi;
use crate::mocs;
use crate::stream::{Memory, Stream, offset};

/// Packed blend state, for the case that all targets are present.
#[derive(Clone, Debug)]
struct PackedBlend {
    state: [u32; pixel::BLEND_DW],
    /// 3DSTATE_PS_BLEND and 3DSTATE_WM.
    packets: [u32; 4],
}

/// State packets that are part of a pipeline's pre-packed words.
#[derive(Clone, Copy, Debug, Default)]
struct PrePacked {
    elements: bool,
    setup: bool,
    clip: bool,
    raster: bool,
    multisample: bool,
}

/// Packed shaders and static state.
#[derive(Clone, Debug)]
pub struct Pipeline {
    /// Whole packets, emitted when the shaders change.
    words: Vec<u32>,
    pre_packed: PrePacked,
    packed_blend: Option<PackedBlend>,
    /// 3DSTATE_PS by sample count. It is emitted apart from the words if the sample count decides which SIMD widths are enabled.
    pixel: Option<pixel::PsBySamples>,
    inputs: VertexInputs,
    /// 3DSTATE_TE, for a domain origin in the upper left and in the lower left corner.
    engine: [[u32; 4]; 2],
    stream_out: stream_out::StreamOutFacts,
    clip: raster::ClipFacts,
    output_form: Option<raster::PrimitiveForm>,
    wm: pixel::WmFacts,
    /// Mask of the targets that the shader writes.
    targets: u8,
    dual_source: bool,
    writes_mask: bool,
    point_size: bool,
    counted: bool,
}

/// Maximum threads of a geometry stage: all of the device's, limited by the nine-bit fields.
fn stage_threads(device: &hw::Device) -> u64 {
    device.total_threads().min(336).into()
}

/// 3DSTATE_VS.
fn vertex_shader(device: &hw::Device, shaders: &Shaders<'_>) -> [u32; 9] {
    use state_vs as vs;
    let VertexShader {
        kernel_offset_bytes,
        scratch,
        inputs,
        first_grf,
        ..
    } = &shaders.vertex;
    let mut words = vs::words::<9>()
        .flag(vs::ENABLE, true)
        .flag(vs::SIMD8_DISPATCH_ENABLE, true)
        .flag(vs::STATISTICS_ENABLE, shaders.counted)
        .with(vs::KERNEL_START_POINTER, *kernel_offset_bytes)
        .with(vs::MAXIMUM_NUMBER_OF_THREADS, stage_threads(device) - 1)
        // Elements are read in pairs; there is always at least one.
        .with(
            vs::VERTEX_URB_ENTRY_READ_LENGTH,
            u64::from(inputs.elements().max(1).div_ceil(2)),
        )
        .with(
            vs::DISPATCH_GRF_START_REGISTER_FOR_URB_DATA,
            (*first_grf).into(),
        )
        .with(
            vs::USER_CLIP_DISTANCE_CLIP_TEST_ENABLE_BITMASK,
            shaders.clip_distances.into(),
        )
        .with(
            vs::USER_CLIP_DISTANCE_CULL_TEST_ENABLE_BITMASK,
            shaders.cull_distances.into(),
        );
    if scratch.thread_bytes > 0 {
        words = words
            .with(vs::PER_THREAD_SCRATCH_SPACE, scratch.code())
            .with(vs::SCRATCH_SPACE_BASE_POINTER, scratch.address);
    }
    words.dwords
}

/// 3DSTATE_URB_*. Returns `None` if the entries do not fit.
fn urb_packets(device: &hw::Device, shaders: &Shaders<'_>) -> Option<[[u32; 2]; 4]> {
    use {state_urb_ds as ds, state_urb_gs as gs, state_urb_hs as hs, state_urb_vs as vs};
    let vertex = &shaders.vertex;
    // An entry first holds the fetched elements, then the shader's outputs.
    let slots = vertex.output_slots.max(vertex.inputs.elements()).max(1);
    let tessellation = shaders.tessellation.as_ref();
    let patch = tessellation.map_or(0, |t| t.control.info.patch.entry_slots() as u32);
    let point = tessellation.map_or(0, |t| t.evaluation.info.outputs.vue.slots.len() as u32);
    let primitive = shaders.geometry.map_or(0, |g| g.info.entry_slots());
    let sizes = [slots, patch, point, primitive].map(|slots| slots.div_ceil(4));
    // The size fields have nine bits and hold the size minus one.
    if sizes.iter().any(|&size| size > 1 << 9) {
        return None;
    }
    let bytes = device.l3_division(true)?.urb_bytes(device);
    let [v, h, d, g] = urb::divide(device, bytes, sizes)?;
    let [size, hull, domain, geometry] = sizes.map(|size| u64::from(size.saturating_sub(1)));
    Some([
        vs::words::<2>()
            .with(vs::VS_NUMBER_OF_URB_ENTRIES, v.entries.into())
            .with(vs::VS_URB_ENTRY_ALLOCATION_SIZE, size)
            .with(vs::VS_URB_STARTING_ADDRESS, v.start.into())
            .dwords,
        hs::words::<2>()
            .with(hs::HS_NUMBER_OF_URB_ENTRIES, h.entries.into())
            .with(hs::HS_URB_ENTRY_ALLOCATION_SIZE, hull)
            .with(hs::HS_URB_STARTING_ADDRESS, h.start.into())
            .dwords,
        ds::words::<2>()
            .with(ds::DS_NUMBER_OF_URB_ENTRIES, d.entries.into())
            .with(ds::DS_URB_ENTRY_ALLOCATION_SIZE, domain)
            .with(ds::DS_URB_STARTING_ADDRESS, d.start.into())
            .dwords,
        gs::words::<2>()
            .with(gs::GS_NUMBER_OF_URB_ENTRIES, g.entries.into())
            .with(gs::GS_URB_ENTRY_ALLOCATION_SIZE, geometry)
            .with(gs::GS_URB_STARTING_ADDRESS, g.start.into())
            .dwords,
    ])
}

/// KiB of push constants of each stage but the fragment stage, which gets the rest: three times the maximum that one shader uses.
const CONSTANT_KB: u64 = 6;
const FRAGMENT_CONSTANT_KB: u64 = urb::CONSTANT_CHUNKS as u64 * 8 - 4 * CONSTANT_KB;

/// Push constant allocation. It is part of the context, so all stages have their space whether active or not.
const CONSTANT_ALLOCATION: [[u32; 2]; 5] = {
    use {
        state_push_constant_alloc_ds as ds, state_push_constant_alloc_gs as gs,
        state_push_constant_alloc_hs as hs, state_push_constant_alloc_ps as ps,
        state_push_constant_alloc_vs as vs,
    };
    [
        vs::words::<2>()
            .with(vs::CONSTANT_BUFFER_SIZE, CONSTANT_KB)
            .dwords,
        hs::words::<2>()
            .with(hs::CONSTANT_BUFFER_SIZE, CONSTANT_KB)
            .with(hs::CONSTANT_BUFFER_OFFSET, CONSTANT_KB)
            .dwords,
        ds::words::<2>()
            .with(ds::CONSTANT_BUFFER_SIZE, CONSTANT_KB)
            .with(ds::CONSTANT_BUFFER_OFFSET, 2 * CONSTANT_KB)
            .dwords,
        gs::words::<2>()
            .with(gs::CONSTANT_BUFFER_SIZE, CONSTANT_KB)
            .with(gs::CONSTANT_BUFFER_OFFSET, 3 * CONSTANT_KB)
            .dwords,
        ps::words::<2>()
            .with(ps::CONSTANT_BUFFER_SIZE, FRAGMENT_CONSTANT_KB)
            .with(ps::CONSTANT_BUFFER_OFFSET, 4 * CONSTANT_KB)
            .dwords,
    ]
};

impl Pipeline {
    /// Packs static state.
    fn pre_pack(&mut self, static_state: &StaticState<'_>) {
        let (state, groups) = (static_state.state, static_state.groups);
        let objects = Dirty::RASTER.with(Dirty::ASSEMBLY).with(Dirty::MULTISAMPLE);
        self.pre_packed = PrePacked {
            elements: groups.all(Dirty::ATTRIBUTES),
            setup: groups.all(Dirty::RASTER),
            clip: groups.all(Dirty::RASTER.with(Dirty::VIEWPORTS)),
            raster: groups.all(objects),
            multisample: groups.all(Dirty::MULTISAMPLE),
        };
        let mut words = std::mem::take(&mut self.words);
        let PrePacked {
            elements,
            setup,
            clip,
            raster,
            multisample,
        } = self.pre_packed;
        if elements {
            let put = |more: &[u32]| -> Result<(), Infallible> {
                words.extend_from_slice(more);
                Ok(())
            };
            let Ok(()) = vertex::elements(&self.inputs, &state.attributes, put);
        }
        if setup {
            words.extend(stream_out::streamout(&self.stream_out, &state.raster));
            words.extend(raster::sf(self.point_size, self.counted, &state.raster));
            if state.raster.stippled {
                words.extend(raster::stipple(state.raster.stipple));
            }
        }
        if clip {
            words.extend(raster::clip(self.clip, &state.raster, state.viewport_count));
        }
        if raster {
            words.extend(raster::raster(state, self.output_form, false));
        }
        if multisample {
            words.extend(raster::multisample(&state.multisample));
            if let Some(pixel) = self.pixel.take() {
                words.extend(pixel.for_samples(state.multisample.samples));
            }
        }
        self.words = words;
        // Which targets take part in a logic operation depends on their formats, known at the draw.
        if groups.all(BLENDING) && !state.blend.logic {
            self.packed_blend = Some(self.blend(state, self.targets, 0));
        }
    }

    /// Packs blend state for the targets of a mask; `without_logic_op` are those that logic operations do not apply to.
    fn blend(&self, state: &State, targets: u8, without_logic_op: u8) -> PackedBlend {
        let colours = pixel::ColourTargets {
            targets,
            without_logic_op,
            dual_source: self.dual_source,
            writes_mask: self.writes_mask,
        };
        let (words, [a, b], writes) = pixel::blend(&state.blend, &state.multisample, colours);
        let [c, d] = pixel::wm(self.wm, state.raster.stippled, writes);
        PackedBlend {
            state: words,
            packets: [a, b, c, d],
        }
    }
}

/// Groups that blend state depends on, besides shaders and targets.
const BLENDING: Dirty = Dirty::BLEND.with(Dirty::MULTISAMPLE).with(Dirty::RASTER);

impl DrawGeneration for Gen9 {
    type Pipeline = Pipeline;

    fn pack_pipeline(
        device: &hw::Device,
        shaders: &Shaders<'_>,
        static_state: Option<&StaticState<'_>>,
    ) -> Option<Box<Pipeline>> {
        let mut words = Vec::with_capacity(128);
        for part in urb_packets(device, shaders)? {
            words.extend(part);
        }
        words.extend(vertex_shader(device, shaders));
        words.extend(
            state_vf_statistics::words::<1>()
                .flag(state_vf_statistics::STATISTICS_ENABLE, shaders.counted)
                .dwords,
        );
        let (tessellation, threads) = (shaders.tessellation.as_ref(), stage_threads(device));
        words.extend(geometry::hull(tessellation, threads));
        words.extend(geometry::domain(tessellation, threads));
        words.extend(geometry::geometry(shaders.geometry.as_ref(), threads));
        let (attributes, swizzle, shader, extra) = match &shaders.fragment {
            Some(fragment) => {
                let (attributes, swizzle) = pixel::attributes(fragment)?;
                let shader = pixel::shader(fragment);
                (attributes, swizzle, shader, pixel::shader_extra(fragment))
            }
            None => (
                state_sbe::words::<6>()
                    .flag(state_sbe::FORCE_VERTEX_URB_ENTRY_READ_OFFSET, true)
                    .with(state_sbe::VERTEX_URB_ENTRY_READ_OFFSET, 1)
                    .flag(state_sbe::FORCE_VERTEX_URB_ENTRY_READ_LENGTH, true)
                    .with(state_sbe::VERTEX_URB_ENTRY_READ_LENGTH, 1)
                    .dwords,
                state_sbe_swiz::words::<11>().dwords,
                state_ps::words::<12>().dwords,
                state_ps_extra::words::<2>().dwords,
            ),
        };
        if shaders.stream_out.is_on() {
            words.extend(stream_out::list(&shaders.stream_out)?);
        }
        words.extend(attributes);
        words.extend(swizzle);
        let fragment = shaders.fragment.as_ref();
        let pixel = fragment.and_then(pixel::PsBySamples::new);
        if pixel.is_none() {
            words.extend(shader);
        }
        words.extend(extra);
        let mut pipeline = Pipeline {
            words,
            pre_packed: PrePacked::default(),
            packed_blend: None,
            pixel,
            inputs: shaders.vertex.inputs,
            engine: [false, true].map(|lower_left| geometry::engine(tessellation, lower_left)),
            stream_out: stream_out::StreamOutFacts::new(&shaders.stream_out),
            output_form: raster::output_form(shaders),
            clip: raster::ClipFacts {
                counted: shaders.counted,
                linear_barycentrics: fragment.is_some_and(|f| f.barycentrics & 0x38 != 0),
                writes_viewport: shaders.writes_viewport,
                writes_layer: shaders.writes_layer,
            },
            wm: pixel::WmFacts {
                barycentrics: fragment.map_or(0, |f| f.barycentrics),
                early_tests: fragment.is_some_and(|f| f.early_tests),
                has_side_effects: fragment.is_some_and(|f| f.has_side_effects),
                kills: fragment.is_some_and(|f| f.kills),
                valid: fragment.is_some(),
                counted: shaders.counted,
            },
            targets: fragment.map_or(0, |f| f.targets),
            dual_source: fragment.is_some_and(|f| f.dual_source),
            writes_mask: fragment.is_some_and(|f| f.writes_mask),
            point_size: shaders.writes_point_size,
            counted: shaders.counted,
        };
        if let Some(static_state) = static_state {
            pipeline.pre_pack(static_state);
        }
        Some(Box::new(pipeline))
    }

    fn emit_select_3d<M: Memory>(stream: &mut Stream<M>, machine: &Machine) -> Result<(), M::Error> {
        // Switching away from the 3D pipeline saves media state, so MEDIA_VFE_STATE must be valid.
        let front_end = VfeState {
            curbe_grf: 2,
            ..VfeState::default()
        };
        stream.emit(gen9::FLUSH)?;
        Gen9::emit_vfe_state(stream, machine.max_threads, &front_end)?;
        gen9::select(stream, gen9::PIPELINE_3D)
    }

    fn emit_select_gpgpu<M: Memory>(stream: &mut Stream<M>) -> Result<(), M::Error> {
        // COLOR_CALC_STATE must be invalid when the pipeline changes.
        stream.emit(state_cc_state_pointers::words::<2>().dwords)?;
        gen9::select(stream, gen9::PIPELINE_GPGPU)
    }

    fn emit_draw_context<M: Memory>(stream: &mut Stream<M>) -> Result<(), M::Error> {
        use state_drawing_rectangle as rectangle;
        const FARTHEST: u64 = 0xffff;
        // Scissors and viewports bound rendering.
        let everywhere = rectangle::words::<4>()
            .with(rectangle::CLIPPED_DRAWING_RECTANGLE_X_MAX, FARTHEST)
            .with(rectangle::CLIPPED_DRAWING_RECTANGLE_Y_MAX, FARTHEST);
        // Masked registers. Ref: vol. 2c, CACHE_MODE_1.
        stream.emit(mi::load_register(
            register::CACHE_MODE_1,
            register::CACHE_MODE_1_FLOAT_BLEND
                | register::CACHE_MODE_1_MSC_RAW
                | register::CACHE_MODE_1_PARTIAL_RESOLVE,
        ))?;
        stream.emit(state_aa_line_parameters::words::<3>().dwords)?;
        stream.emit(everywhere.dwords)?;
        stream.emit(state_wm_chromakey::words::<2>().dwords)?;
        // No HiZ operation is active. 3DSTATE_RASTER and 3DSTATE_MULTISAMPLE must be emitted before.
        stream.emit(state_raster::words::<5>().dwords)?;
        stream.emit(state_multisample::words::<2>().dwords)?;
        stream.emit(state_wm_hz_op::words::<5>().dwords)?;
        stream.emit(raster::sample_pattern(None))?;
        for part in CONSTANT_ALLOCATION {
            stream.emit(part)?;
        }
        Ok(())
    }

    fn emit_state<M: Memory>(stream: &mut Stream<M>, draw_state: &DrawState<'_, Pipeline>) -> Result<(), M::Error> {
        let DrawState {
            dirty,
            state,
            pipeline,
            targets,
            dynamic_base,
        } = *draw_state;
        let pre_packed = pipeline.pre_packed;
        if dirty.any(Dirty::SHADERS) {
            stream.append(&pipeline.words)?;
        }
        if dirty.any(Dirty::SHADERS.with(Dirty::DOMAIN)) {
            let [upper, lower] = pipeline.engine;
            stream.emit(if state.lower_left { lower } else { upper })?;
        }
        if !pre_packed.elements && dirty.any(Dirty::SHADERS.with(Dirty::ATTRIBUTES)) {
            let put = |words: &[u32]| stream.append(words);
            vertex::elements(&pipeline.inputs, &state.attributes, put)?;
        }
        if pipeline.stream_out.on && dirty.any(Dirty::SHADERS.with(Dirty::STREAM_OUT)) {
            for (index, buffer) in state.capture_buffers.iter().enumerate() {
                let buffer = Some(buffer).filter(|_| state.capturing);
                stream.emit(stream_out::buffer(index, buffer))?;
            }
        }
        if dirty.any(Dirty::VERTEX_BUFFERS) {
            vertex::buffers(stream, state)?;
        }
        if dirty.any(Dirty::INDEX_BUFFER) && state.index_buffer.address != 0 {
            stream.emit(vertex::index_buffer(&state.index_buffer))?;
        }
        if dirty.any(Dirty::ASSEMBLY.with(Dirty::INDEX_BUFFER)) {
            stream.emit(vertex::assembly(state))?;
        }
        if !pre_packed.setup && dirty.any(Dirty::RASTER.with(Dirty::SHADERS)) {
            stream.emit(stream_out::streamout(&pipeline.stream_out, &state.raster))?;
            stream.emit(raster::sf(
                pipeline.point_size,
                pipeline.counted,
                &state.raster,
            ))?;
            if state.raster.stippled {
                stream.emit(raster::stipple(state.raster.stipple))?;
            }
        }
        let clip = Dirty::RASTER.with(Dirty::SHADERS).with(Dirty::VIEWPORTS);
        if !pre_packed.clip && dirty.any(clip) {
            let count = state.viewport_count;
            stream.emit(raster::clip(pipeline.clip, &state.raster, count))?;
        }
        // The sample count decides the default line rasterisation.
        let objects = Dirty::ASSEMBLY
            .with(Dirty::SHADERS)
            .with(Dirty::MULTISAMPLE);
        if state.raster.lines == Lines::Smooth {
            let depends = objects.with(Dirty::RASTER).with(Dirty::TARGETS);
            if dirty.any(depends) {
                let integers = targets.has_integers();
                stream.emit(raster::raster(state, pipeline.output_form, integers))?;
            }
        } else if !pre_packed.raster && dirty.any(objects.with(Dirty::RASTER)) {
            stream.emit(raster::raster(state, pipeline.output_form, false))?;
        }
        if !pre_packed.multisample && dirty.any(Dirty::MULTISAMPLE) {
            stream.emit(raster::multisample(&state.multisample))?;
        }
        if let Some(pixel) = &pipeline.pixel
            && dirty.any(Dirty::SHADERS.with(Dirty::MULTISAMPLE))
        {
            stream.emit(pixel.for_samples(state.multisample.samples))?;
        }
        // Depth clamping and the clip space depth range are part of the viewport states.
        let places = Dirty::VIEWPORTS.with(Dirty::SCISSORS).with(Dirty::TARGETS);
        if dirty.any(places.with(Dirty::DEPTH_RANGE)) {
            viewports(stream, draw_state)?;
        }
        if dirty.any(Dirty::DEPTH_STENCIL.with(Dirty::TARGETS)) {
            let target = &targets.depth_stencil;
            stream.emit(pixel::depth_stencil(&state.depth_stencil, target))?;
        }
        let packed_blend = BLENDING.with(Dirty::SHADERS).with(Dirty::TARGETS);
        if dirty.any(packed_blend) {
            let there = (0..)
                .zip(&targets.colours)
                .filter(|(_, colour)| colour.is_some());
            let there = there.fold(0, |mask, (index, _)| mask | 1_u8 << index);
            let mask = there & pipeline.targets;
            let output_form;
            let packed_blend = match &pipeline.packed_blend {
                Some(packed_blend) if mask == pipeline.targets => packed_blend,
                _ => {
                    let without_logic_op = match state.blend.logic {
                        true => targets.without_logic_op(),
                        false => 0,
                    };
                    output_form = pipeline.blend(state, mask, without_logic_op);
                    &output_form
                }
            };
            // A write to an absent target reads its blend entry too.
            let entries = (u8::BITS - pipeline.targets.leading_zeros()).max(1) as usize;
            let words = packed_blend.state.get(..=2 * entries).unwrap_or_default();
            let data = stream.data(words.len())?;
            data.words.copy_from_slice(words);
            let at = offset(data.address, dynamic_base);
            use state_blend_state_pointers as pointer;
            stream.emit(
                pointer::words::<2>()
                    .flag(pointer::BLEND_STATE_POINTER_VALID, true)
                    .with(pointer::BLEND_STATE_POINTER, at)
                    .dwords,
            )?;
            stream.emit(packed_blend.packets)?;
        }
        if dirty.any(Dirty::BLEND_CONSTANTS) {
            use state_cc_state_pointers as pointer;
            let words = pixel::constants(&state.blend);
            let data = stream.data(words.len())?;
            data.words.copy_from_slice(&words);
            let at = offset(data.address, dynamic_base);
            stream.emit(
                pointer::words::<2>()
                    .flag(pointer::COLOR_CALC_STATE_POINTER_VALID, true)
                    .with(pointer::COLOR_CALC_STATE_POINTER, at)
                    .dwords,
            )?;
        }
        Ok(())
    }

    fn emit_sample_pattern<M: Memory>(
        stream: &mut Stream<M>,
        locations: Option<&SampleLocations>,
    ) -> Result<(), M::Error> {
        stream.emit(raster::sample_pattern(locations))
    }

    fn emit_targets<M: Memory>(
        stream: &mut Stream<M>,
        targets: &Targets,
        surface_base: Option<u64>,
    ) -> Result<(u64, u32), M::Error> {
        target::emit(stream, targets, surface_base)
    }

    fn emit_hiz_op<M: Memory>(
        stream: &mut Stream<M>,
        machine: &Machine,
        target: (&DepthStencilTarget, u8),
        work: &HizOp,
    ) -> Result<(), M::Error> {
        hiz::emit(stream, machine, target, work)
    }

    fn emit_secondary_targets<M: Memory>(stream: &mut Stream<M>, targets: &Targets) -> Result<u64, M::Error> {
        target::emit_for_secondaries(stream, targets, Self::inherited_table_offset::<M>())
    }

    fn inherited_table_offset<M: Memory>() -> u32 {
        // The last dwords of a page.
        const PAGE_DW: usize = 1024;
        ((M::CHUNK_DW.min(PAGE_DW) - target::MAX_TABLE_DW) * 4) as u32
    }

    fn emit_binding_table_pointer<M: Memory>(
        stream: &mut Stream<M>,
        stage: ConstantStage,
        offset_bytes: u32,
    ) -> Result<(), M::Error> {
        use {
            state_binding_table_pointers_ds as ds, state_binding_table_pointers_gs as gs,
            state_binding_table_pointers_hs as hs, state_binding_table_pointers_ps as ps,
            state_binding_table_pointers_vs as vs,
        };
        stream.emit(match stage {
            ConstantStage::Vertex => vs::words::<2>().dwords,
            ConstantStage::Hull => hs::words::<2>().dwords,
            ConstantStage::Domain => ds::words::<2>().dwords,
            ConstantStage::Geometry => gs::words::<2>().dwords,
            ConstantStage::Fragment => {
                ps::words::<2>()
                    .with(ps::POINTER_TO_PS_BINDING_TABLE, offset_bytes.into())
                    .dwords
            }
        })
    }

    fn emit_bases_buffer<M: Memory>(stream: &mut Stream<M>, address: u64) -> Result<(), M::Error> {
        vertex::bases(stream, address)
    }

    fn emit_draw_id_buffer<M: Memory>(stream: &mut Stream<M>, address: u64) -> Result<(), M::Error> {
        vertex::draw_id(stream, address)
    }

    fn vertex_inputs(pipeline: &Pipeline) -> &VertexInputs {
        &pipeline.inputs
    }

    fn emit_sampler_pointer<M: Memory>(
        stream: &mut Stream<M>,
        stage: ConstantStage,
        offset_bytes: u32,
    ) -> Result<(), M::Error> {
        use hw::draw::{
            state_sampler_state_pointers_ds as ds, state_sampler_state_pointers_gs as gs,
            state_sampler_state_pointers_hs as hs, state_sampler_state_pointers_ps as ps,
            state_sampler_state_pointers_vs as vs,
        };
        let header = match stage {
            ConstantStage::Vertex => vs::PACKET.header,
            ConstantStage::Hull => hs::PACKET.header,
            ConstantStage::Domain => ds::PACKET.header,
            ConstantStage::Geometry => gs::PACKET.header,
            ConstantStage::Fragment => ps::PACKET.header,
        };
        // A packet table's header includes the packet's length.
        stream.emit([header, offset_bytes])
    }

    fn emit_push_constants<M: Memory>(
        stream: &mut Stream<M>,
        stage: ConstantStage,
        buffers: &[ConstantBuffer; CONSTANT_BUFFERS],
        dynamic_base: u64,
    ) -> Result<(), M::Error> {
        let header = match stage {
            ConstantStage::Vertex => state_constant_vs::PACKET.header,
            ConstantStage::Hull => state_constant_hs::PACKET.header,
            ConstantStage::Domain => state_constant_ds::PACKET.header,
            ConstantStage::Geometry => state_constant_gs::PACKET.header,
            ConstantStage::Fragment => state_constant_ps::PACKET.header,
        };
        // Ranges take the last of the four buffers: none may be empty after a used one. The first buffer is addressed relative to Dynamic State Base Address (the default of CS_DEBUG_MODE2).
        let [zero, one, two, three] = buffers;
        let first = match zero.registers {
            0 => 0,
            _ => zero.address.wrapping_sub(dynamic_base),
        };
        // The layout of `hw::draw_state::state_constant_body`: two lengths per dword, then 64-bit addresses.
        let lengths =
            |low: &ConstantBuffer, high: &ConstantBuffer| low.registers | high.registers << 16;
        let half = |address: u64, half: u32| (address >> (32 * half)) as u32;
        stream.emit([
            header | (mocs::CACHED as u32) << 8,
            lengths(zero, one),
            lengths(two, three),
            half(first, 0),
            half(first, 1),
            half(one.address, 0),
            half(one.address, 1),
            half(two.address, 0),
            half(two.address, 1),
            half(three.address, 0),
            half(three.address, 1),
        ])
    }

    #[inline(always)]
    fn emit_primitive<M: Memory>(
        stream: &mut Stream<M>,
        draw: &Draw,
        predicated: bool,
    ) -> Result<(), M::Error> {
        let mut words = vertex::draw(draw);
        words[0] |= gen9::predicate(predicated);
        stream.emit(words)
    }

    fn emit_primitive_byte_count<M: Memory>(
        stream: &mut Stream<M>,
        draw: &Draw,
        count: &ByteCount,
        predicated: bool,
    ) -> Result<(), M::Error> {
        let zero = register::CS_GPR0;
        stream.emit(mi::load_register_mem(zero, count.at))?;
        stream.emit(mi::load_register(zero + 4, 0))?;
        if count.offset_bytes != 0 {
            math::subtract(stream, count.offset_bytes)?;
        }
        let vertices = math::divide(stream, count.stride_bytes)?;
        stream.emit(mi::copy_register(
            vertices,
            register::PRIMITIVE_VERTEX_COUNT,
        ))?;
        for (register, value) in [
            (register::PRIMITIVE_START_VERTEX, draw.first),
            (register::PRIMITIVE_INSTANCE_COUNT, draw.instances),
            (register::PRIMITIVE_START_INSTANCE, draw.first_instance),
            (register::PRIMITIVE_BASE_VERTEX, 0),
        ] {
            stream.emit(mi::load_register(register, value))?;
        }
        let mut words = vertex::draw_indirect(false);
        words[0] |= gen9::predicate(predicated);
        stream.emit(words)
    }

    fn emit_primitive_indirect<M: Memory>(
        stream: &mut Stream<M>,
        address: u64,
        indexed: bool,
        instances: u32,
        predicated: bool,
    ) -> Result<(), M::Error> {
        let registers: &[u32] = if indexed {
            &[
                register::PRIMITIVE_VERTEX_COUNT,
                register::PRIMITIVE_INSTANCE_COUNT,
                register::PRIMITIVE_START_VERTEX,
                register::PRIMITIVE_BASE_VERTEX,
                register::PRIMITIVE_START_INSTANCE,
            ]
        } else {
            &[
                register::PRIMITIVE_VERTEX_COUNT,
                register::PRIMITIVE_INSTANCE_COUNT,
                register::PRIMITIVE_START_VERTEX,
                register::PRIMITIVE_START_INSTANCE,
            ]
        };
        for (at, &register) in (address..).step_by(4).zip(registers) {
            stream.emit(mi::load_register_mem(register, at))?;
        }
        if !indexed {
            stream.emit(mi::load_register(register::PRIMITIVE_BASE_VERTEX, 0))?;
        }
        if instances > 1 {
            let count = address + 4;
            stream.emit(mi::load_register_mem(register::CS_GPR0, count))?;
            stream.emit(mi::load_register(register::CS_GPR0 + 4, 0))?;
            math::multiply(stream, instances)?;
            let product = register::CS_GPR0 + 8;
            stream.emit(mi::copy_register(
                product,
                register::PRIMITIVE_INSTANCE_COUNT,
            ))?;
        }
        let mut words = vertex::draw_indirect(indexed);
        words[0] |= gen9::predicate(predicated);
        stream.emit(words)
    }
}

/// Emits viewports, depth ranges and scissors.
fn viewports<M: Memory>(stream: &mut Stream<M>, draw_state: &DrawState<'_, Pipeline>) -> Result<(), M::Error> {
    use {
        state_scissor_state_pointers as scissor, state_viewport_state_pointers_cc as depth,
        state_viewport_state_pointers_sf_clip as clip,
    };
    let state = draw_state.state;
    let area = &draw_state.targets.area;
    let count = usize::from(state.viewport_count).clamp(1, VIEWPORTS);
    let all = state.viewports.get(..count).unwrap_or(&state.viewports);
    // One data block: matrices at a multiple of 64 bytes, ranges and scissors at multiples of 32.
    let ranges_dw = (2 * count).next_multiple_of(8);
    let data = stream.data(16 * count + 2 * ranges_dw)?;
    let at = offset(data.address, draw_state.dynamic_base);
    let (matrices, rest) = data.words.split_at_mut(16 * count);
    let (ranges, scissors) = rest.split_at_mut(ranges_dw);
    for (to, from) in matrices.as_chunks_mut::<16>().0.iter_mut().zip(all) {
        *to = raster::viewport(from, area, state.raster.near_at_minus_w);
    }
    for (to, from) in ranges.as_chunks_mut::<2>().0.iter_mut().zip(all) {
        *to = raster::depth_range(from, state.raster.depth_clamp);
    }
    let scissors = scissors.as_chunks_mut::<2>().0.iter_mut();
    for ((to, from), viewport) in scissors.zip(&state.scissors).zip(all) {
        *to = match raster::covers(viewport, area) {
            true => raster::scissor(from, area),
            false => raster::scissor(&from.and(&raster::covered_pixels(viewport)), area),
        };
    }
    let ranges_at = at + 64 * count as u64;
    let scissors_at = ranges_at + 4 * ranges_dw as u64;
    let matrices = clip::words().with(clip::SF_CLIP_VIEWPORT_POINTER, at);
    let ranges = depth::words().with(depth::CC_VIEWPORT_POINTER, ranges_at);
    let scissors = scissor::words().with(scissor::SCISSOR_RECT_POINTER, scissors_at);
    let ([a, b], [c, d], [e, f]) = (matrices.dwords, ranges.dwords, scissors.dwords);
    stream.emit([a, b, c, d, e, f])
}
