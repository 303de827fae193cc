//! Emission of gen9's draw packets.
//!
//! In:  packed pipelines, dirty state, targets, draws. Out: packets and state structures in a
//!      [`Stream`].
//! Ref: SKL PRM vol. 2a (commands), vol. 2d (states), vol. 7 "3D Pipeline Stages".

use hw::draw::{
    state_aa_line_parameters, state_binding_table_pointers_ds, state_binding_table_pointers_gs,
    state_binding_table_pointers_hs, state_binding_table_pointers_ps,
    state_binding_table_pointers_vs, state_blend_state_pointers, state_cc_state_pointers,
    state_constant_ds, state_constant_gs, state_constant_hs, state_constant_ps, state_constant_vs,
    state_drawing_rectangle, state_multisample, state_raster, state_scissor_state_pointers,
    state_viewport_state_pointers_cc, state_viewport_state_pointers_sf_clip, state_wm_chromakey,
    state_wm_hz_op,
};
use hw::draw_state::blend_state;
use hw::{Wa, register};

use super::emitted::{EmittedPackets, emit_if_different, emit_shaders};
use super::pipeline::{BLENDING, CONSTANT_ALLOCATION, PackedPipeline};
use super::{hiz, pixel, raster, stream_out, target, vertex};
use crate::draw::shader::{PipelineShaders, VertexInputs};
use crate::draw::state::{DirtyGroups, LineMode, SampleLocations, TargetSlots, VIEWPORTS};
use crate::draw::target::{DepthStencilTarget, HizOp, RenderTargets};
use crate::draw::{
    ByteCount, CONSTANT_BUFFERS, ConstantBuffer, ConstantStage, DrawGeneration, DrawParams,
    DrawState, StaticState,
};
use crate::gen9::{self, Gen9};
use crate::generation::{DeviceInfo, Generation, VfeState};
use crate::math;
use crate::mi;
use crate::mocs;
use crate::stream::{Stream, StreamMemory, offset};

impl DrawGeneration for Gen9 {
    type Pipeline = PackedPipeline;
    type EmittedPackets = EmittedPackets;

    fn pack_pipeline(
        device: &hw::Device,
        shaders: &PipelineShaders<'_>,
        static_state: Option<&StaticState<'_>>,
    ) -> Option<Box<PackedPipeline>> {
        PackedPipeline::new(device, shaders, static_state)
    }

    fn emit_select_3d<M: StreamMemory>(
        stream: &mut Stream<M>,
        machine: &DeviceInfo,
    ) -> Result<(), M::Error> {
        // Switching away from the 3D pipeline saves media state, so MEDIA_VFE_STATE must be valid.
        let front_end = VfeState {
            curbe_grf: 2,
            ..VfeState::default()
        };
        if const { gen9::is_required(Wa::VfeStateBefore3d) } {
            stream.emit(gen9::FLUSH)?;
            Gen9::emit_vfe_state(stream, machine.max_threads, &front_end)?;
        }
        gen9::select(stream, gen9::PIPELINE_3D, machine.has_barrier_mode)
    }

    fn emit_select_gpgpu<M: StreamMemory>(
        stream: &mut Stream<M>,
        machine: &DeviceInfo,
    ) -> Result<(), M::Error> {
        if const { gen9::is_required(Wa::DropColorCalcBeforeGpgpu) } {
            // COLOR_CALC_STATE must be invalid when the pipeline changes.
            stream.emit(state_cc_state_pointers::words::<2>().dwords)?;
        }
        gen9::select(stream, gen9::PIPELINE_GPGPU, machine.has_barrier_mode)
    }

    fn emit_draw_context<M: StreamMemory>(stream: &mut Stream<M>) -> Result<(), M::Error> {
        use state_drawing_rectangle as rectangle;
        const FARTHEST: u64 = 0xffff;
        // Scissors and viewports bound rendering.
        let everywhere = rectangle::words::<4>()
            .with(rectangle::CLIPPED_DRAWING_RECTANGLE_X_MAX, FARTHEST)
            .with(rectangle::CLIPPED_DRAWING_RECTANGLE_Y_MAX, FARTHEST);
        // Masked registers. Ref: vol. 2c, CACHE_MODE_1.
        const { assert!(gen9::is_required(Wa::MscRawHazard)) };
        stream.emit(mi::load_register(
            register::CACHE_MODE_1,
            register::CACHE_MODE_1_FLOAT_BLEND
                | register::CACHE_MODE_1_MSC_RAW
                | register::CACHE_MODE_1_PARTIAL_RESOLVE,
        ))?;
        stream.emit(state_aa_line_parameters::words::<3>().dwords)?;
        stream.emit(everywhere.dwords)?;
        stream.emit(state_wm_chromakey::words::<2>().dwords)?;
        // No HiZ operation is active. 3DSTATE_RASTER and 3DSTATE_MULTISAMPLE must be emitted
        // before.
        stream.emit(state_raster::words::<5>().dwords)?;
        stream.emit(state_multisample::words::<2>().dwords)?;
        stream.emit(state_wm_hz_op::words::<5>().dwords)?;
        stream.emit(raster::sample_pattern(None))?;
        for part in CONSTANT_ALLOCATION {
            stream.emit(part)?;
        }
        Ok(())
    }

    fn emit_state<M: StreamMemory>(
        stream: &mut Stream<M>,
        emitted: &mut EmittedPackets,
        draw_state: &DrawState<'_, PackedPipeline>,
    ) -> Result<bool, M::Error> {
        let DrawState {
            dirty,
            state,
            targets,
            ..
        } = *draw_state;
        let counts_viewports =
            dirty.any(DirtyGroups::VIEWPORTS) && draw_state.pipeline.fixed.clip.is_none();
        let urb_changed = match dirty.any(COMPARED) || counts_viewports {
            true => emit_compared(stream, emitted, draw_state)?,
            false => false,
        };
        emit_buffers(stream, emitted, draw_state)?;
        // Depth clamping and the clip space depth range are part of the viewport states.
        let places = DirtyGroups::VIEWPORTS
            .with(DirtyGroups::SCISSORS)
            .with(DirtyGroups::TARGETS);
        if dirty.any(places.with(DirtyGroups::DEPTH_RANGE)) {
            emit_viewports(stream, draw_state)?;
        }
        if dirty.any(DirtyGroups::DEPTH_STENCIL.with(DirtyGroups::TARGETS)) {
            let target = &targets.depth_stencil;
            stream.emit(pixel::depth_stencil(&state.depth_stencil, target))?;
        }
        emit_blend_constants(stream, emitted, draw_state)?;
        Ok(urb_changed)
    }

    fn forget_emitted(emitted: &mut EmittedPackets) {
        emitted.forget();
    }

    fn emit_sample_pattern<M: StreamMemory>(
        stream: &mut Stream<M>,
        locations: Option<&SampleLocations>,
    ) -> Result<(), M::Error> {
        stream.emit(raster::sample_pattern(locations))
    }

    fn emit_targets<M: StreamMemory>(
        stream: &mut Stream<M>,
        targets: &RenderTargets,
        surface_base: Option<u64>,
    ) -> Result<(u64, u32), M::Error> {
        target::emit(stream, targets, surface_base)
    }

    fn emit_hiz_op<M: StreamMemory>(
        stream: &mut Stream<M>,
        emitted: &mut EmittedPackets,
        machine: &DeviceInfo,
        target: (&DepthStencilTarget, u8),
        work: &HizOp,
    ) -> Result<DirtyGroups, M::Error> {
        hiz::emit(stream, machine, target, work)?;
        Ok(emitted.forget_hiz_op())
    }

    fn emit_secondary_targets<M: StreamMemory>(
        stream: &mut Stream<M>,
        targets: &RenderTargets,
    ) -> Result<u64, M::Error> {
        target::emit_for_secondaries(stream, targets, Self::inherited_table_offset::<M>())
    }

    fn inherited_table_offset<M: StreamMemory>() -> u32 {
        // The last dwords of a page.
        const PAGE_DW: usize = 1024;
        ((M::CHUNK_DW.min(PAGE_DW) - target::MAX_TABLE_DW) * 4) as u32
    }

    fn emit_binding_table_pointer<M: StreamMemory>(
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

    fn emit_bases_buffer<M: StreamMemory>(
        stream: &mut Stream<M>,
        address: u64,
    ) -> Result<(), M::Error> {
        vertex::bases(stream, address)
    }

    fn emit_draw_id_buffer<M: StreamMemory>(
        stream: &mut Stream<M>,
        address: u64,
    ) -> Result<(), M::Error> {
        vertex::draw_id(stream, address)
    }

    fn vertex_inputs(pipeline: &PackedPipeline) -> &VertexInputs {
        &pipeline.inputs
    }

    fn emit_sampler_pointer<M: StreamMemory>(
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

    fn emit_push_constants<M: StreamMemory>(
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
        // Ranges take the last of the four buffers: none may be empty after a used one. The first
        // buffer is addressed relative to Dynamic State Base Address (the default of
        // CS_DEBUG_MODE2).
        const { assert!(gen9::is_required(Wa::ConstantBuffer0Needs3)) };
        let [zero, one, two, three] = buffers;
        let first = match zero.registers {
            0 => 0,
            _ => zero.address.wrapping_sub(dynamic_base),
        };
        // The layout of `hw::draw_state::state_constant_body`: two lengths per dword, then 64-bit
        // addresses.
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
    fn emit_primitive<M: StreamMemory>(
        stream: &mut Stream<M>,
        draw: &DrawParams,
        predicated: bool,
    ) -> Result<(), M::Error> {
        let mut words = vertex::draw(draw);
        words[0] |= gen9::predicate(predicated);
        stream.emit(words)
    }

    fn emit_primitive_byte_count<M: StreamMemory>(
        stream: &mut Stream<M>,
        draw: &DrawParams,
        count: &ByteCount,
        predicated: bool,
    ) -> Result<(), M::Error> {
        let zero = register::CS_GPR0;
        stream.emit(mi::load_register_mem(zero, count.address))?;
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
            (register::PRIMITIVE_START_VERTEX, draw.first_vertex),
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

    fn emit_primitive_indirect<M: StreamMemory>(
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

/// Groups of the packets that are compared with those in effect, besides the number of viewports.
const COMPARED: DirtyGroups = BLENDING
    .with(DirtyGroups::SHADERS)
    .with(DirtyGroups::DOMAIN)
    .with(DirtyGroups::ATTRIBUTES)
    .with(DirtyGroups::STREAM_OUT)
    .with(DirtyGroups::ASSEMBLY)
    .with(DirtyGroups::TARGETS);

/// Groups of the packets from stream output to the pixel shader.
const RASTERISATION: DirtyGroups = DirtyGroups::SHADERS
    .with(DirtyGroups::ASSEMBLY)
    .with(DirtyGroups::RASTER)
    .with(DirtyGroups::MULTISAMPLE)
    .with(DirtyGroups::VIEWPORTS);

/// Emits the dirty packets that differ from those in effect. Returns whether the URB was divided
/// anew.
#[inline(never)]
fn emit_compared<M: StreamMemory>(
    stream: &mut Stream<M>,
    emitted: &mut EmittedPackets,
    draw_state: &DrawState<'_, PackedPipeline>,
) -> Result<bool, M::Error> {
    let DrawState {
        dirty,
        state,
        pipeline,
        ..
    } = *draw_state;
    let mut urb_changed = false;
    if dirty.any(DirtyGroups::SHADERS) {
        urb_changed = emit_shaders(stream, &mut emitted.shaders, &pipeline.shaders)?;
    }
    if dirty.any(DirtyGroups::SHADERS.with(DirtyGroups::DOMAIN)) {
        let [upper, lower] = &pipeline.engine;
        let engine = if state.lower_left { lower } else { upper };
        emit_if_different(stream, &mut emitted.engine, engine)?;
    }
    if dirty.any(DirtyGroups::SHADERS.with(DirtyGroups::ATTRIBUTES)) {
        match &pipeline.fixed.elements {
            Some(elements) => emit_elements(stream, emitted, elements)?,
            None => emit_dynamic_elements(stream, emitted, draw_state)?,
        }
    }
    if pipeline.stream_out.on && dirty.any(DirtyGroups::SHADERS.with(DirtyGroups::STREAM_OUT)) {
        emit_capture_buffers(stream, emitted, draw_state)?;
    }
    if dirty.any(RASTERISATION) || state.raster.lines == LineMode::Smooth {
        emit_raster_state(stream, emitted, draw_state)?;
    }
    emit_blend_state(stream, emitted, draw_state)?;
    Ok(urb_changed)
}

/// Emits the dirty buffers, and the state of primitive assembly.
#[inline(always)]
fn emit_buffers<M: StreamMemory>(
    stream: &mut Stream<M>,
    emitted: &mut EmittedPackets,
    draw_state: &DrawState<'_, PackedPipeline>,
) -> Result<(), M::Error> {
    let DrawState { dirty, state, .. } = *draw_state;
    if dirty.any(DirtyGroups::VERTEX_BUFFERS) {
        vertex::buffers(stream, state)?;
    }
    if dirty.any(DirtyGroups::INDEX_BUFFER) && state.index_buffer.address != 0 {
        stream.emit(vertex::index_buffer(&state.index_buffer))?;
    }
    if dirty.any(DirtyGroups::ASSEMBLY.with(DirtyGroups::INDEX_BUFFER)) {
        emit_if_different(stream, &mut emitted.assembly, &vertex::assembly(state))?;
    }
    Ok(())
}

/// Emits the packets of vertex elements that commands set, unless they are in effect.
#[inline(never)]
fn emit_dynamic_elements<M: StreamMemory>(
    stream: &mut Stream<M>,
    emitted: &mut EmittedPackets,
    draw_state: &DrawState<'_, PackedPipeline>,
) -> Result<(), M::Error> {
    let inputs = &draw_state.pipeline.inputs;
    let elements = vertex::elements(inputs, &draw_state.state.attributes);
    emit_elements(stream, emitted, elements.words())
}

/// Emits the packets of the vertex elements, unless they are in effect.
#[inline]
fn emit_elements<M: StreamMemory>(
    stream: &mut Stream<M>,
    emitted: &mut EmittedPackets,
    words: &[u32],
) -> Result<(), M::Error> {
    if emitted.elements.words() == words {
        return Ok(());
    }
    emitted.elements.set(words);
    stream.append(words)
}

/// Emits the captured outputs and the buffers of stream output, unless they are in effect.
#[cold]
fn emit_capture_buffers<M: StreamMemory>(
    stream: &mut Stream<M>,
    emitted: &mut EmittedPackets,
    draw_state: &DrawState<'_, PackedPipeline>,
) -> Result<(), M::Error> {
    let DrawState {
        state, pipeline, ..
    } = *draw_state;
    if emitted.declarations != pipeline.declarations {
        emitted.declarations.clone_from(&pipeline.declarations);
        stream.append(&pipeline.declarations)?;
    }
    let buffers = state.capture_buffers.iter().enumerate();
    for ((index, buffer), emitted) in buffers.zip(&mut emitted.capture_buffers) {
        let buffer = Some(buffer).filter(|_| state.capturing);
        emit_if_different(stream, emitted, &stream_out::buffer(index, buffer))?;
    }
    Ok(())
}

/// Emits dirty state from stream output to the pixel shader.
#[inline(always)]
fn emit_raster_state<M: StreamMemory>(
    stream: &mut Stream<M>,
    emitted: &mut EmittedPackets,
    draw_state: &DrawState<'_, PackedPipeline>,
) -> Result<(), M::Error> {
    let DrawState {
        dirty,
        state,
        pipeline,
        targets,
        ..
    } = *draw_state;
    let fixed = &pipeline.fixed;
    if dirty.any(DirtyGroups::RASTER.with(DirtyGroups::SHADERS)) {
        let (streamout, setup) = match &fixed.setup {
            Some((streamout, setup)) => (*streamout, *setup),
            None => (
                stream_out::streamout(&pipeline.stream_out, &state.raster),
                raster::sf(pipeline.point_size, pipeline.counted, &state.raster),
            ),
        };
        emit_if_different(stream, &mut emitted.streamout, &streamout)?;
        emit_if_different(stream, &mut emitted.setup, &setup)?;
        if state.raster.stippled {
            let stipple = raster::stipple(state.raster.stipple);
            emit_if_different(stream, &mut emitted.stipple, &stipple)?;
        }
    }
    let clip = DirtyGroups::RASTER
        .with(DirtyGroups::SHADERS)
        .with(DirtyGroups::VIEWPORTS);
    match &fixed.clip {
        Some(clip) if dirty.any(DirtyGroups::SHADERS) => {
            emit_if_different(stream, &mut emitted.clip, clip)?;
        }
        None if dirty.any(clip) => {
            let clip = raster::clip(pipeline.clip, &state.raster, state.viewport_count);
            emit_if_different(stream, &mut emitted.clip, &clip)?;
        }
        _ => {}
    }
    // The sample count decides the default line rasterisation.
    let objects = DirtyGroups::ASSEMBLY
        .with(DirtyGroups::SHADERS)
        .with(DirtyGroups::MULTISAMPLE)
        .with(DirtyGroups::RASTER);
    if state.raster.lines == LineMode::Smooth {
        if dirty.any(objects.with(DirtyGroups::TARGETS)) {
            let raster = raster::raster(state, pipeline.output_form, targets.has_integers());
            emit_if_different(stream, &mut emitted.raster, &raster)?;
        }
    } else if let Some(raster) = &fixed.raster {
        if dirty.any(DirtyGroups::SHADERS) {
            emit_if_different(stream, &mut emitted.raster, raster)?;
        }
    } else if dirty.any(objects) {
        let raster = raster::raster(state, pipeline.output_form, false);
        emit_if_different(stream, &mut emitted.raster, &raster)?;
    }
    if dirty.any(DirtyGroups::SHADERS.with(DirtyGroups::MULTISAMPLE)) {
        let packed;
        let multisample = match &fixed.multisample {
            Some(multisample) => multisample,
            None => {
                packed = raster::multisample(&state.multisample);
                &packed
            }
        };
        emit_if_different(stream, &mut emitted.multisample, multisample)?;
        let pixel = pipeline.pixel.for_samples(state.multisample.samples);
        emit_if_different(stream, &mut emitted.pixel, pixel)?;
    }
    Ok(())
}

/// Emits BLEND_STATE and the packets that depend on it, if dirty.
#[inline(always)]
fn emit_blend_state<M: StreamMemory>(
    stream: &mut Stream<M>,
    emitted: &mut EmittedPackets,
    draw_state: &DrawState<'_, PackedPipeline>,
) -> Result<(), M::Error> {
    let DrawState {
        dirty,
        state,
        pipeline,
        targets,
        dynamic_base,
        ..
    } = *draw_state;
    let blend_groups = BLENDING
        .with(DirtyGroups::SHADERS)
        .with(DirtyGroups::TARGETS);
    if dirty.any(blend_groups) {
        let there = (0..)
            .zip(&targets.colours)
            .filter(|(_, colour)| colour.is_some());
        let there = there.fold(0, |mask, (index, _)| mask | 1_u8 << index);
        let mask = there & pipeline.targets & state.target_slots.mapped();
        let remapped = state.target_slots != TargetSlots::default();
        let output_form;
        let packed_blend = match &pipeline.packed_blend {
            Some(packed_blend) if mask == pipeline.targets && !remapped => packed_blend,
            _ => {
                let without_logic_op = match state.blend.logic {
                    true => targets.without_logic_op(),
                    false => 0,
                };
                output_form = match remapped {
                    true => {
                        let blend = state.blend.by_slot(&state.target_slots);
                        pipeline.blend(state, &blend, mask, without_logic_op)
                    }
                    false => pipeline.blend(state, &state.blend, mask, without_logic_op),
                };
                &output_form
            }
        };
        // A write to an absent target reads its blend entry too.
        let entries = (u8::BITS - pipeline.targets.leading_zeros()).max(1) as usize;
        let words = packed_blend.state.get(..=2 * entries).unwrap_or_default();
        // Dithering changes with the targets only.
        let place = match state.dithered {
            true => {
                let mut dithered = packed_blend.state;
                blend_state::COLOR_DITHER_ENABLE.set(&mut dithered, 1);
                let words = dithered.get(..words.len()).unwrap_or_default();
                emitted.blend_state(stream, words, dynamic_base)?
            }
            false => emitted.blend_state(stream, words, dynamic_base)?,
        };
        use state_blend_state_pointers as pointer;
        let pointer = pointer::words::<2>()
            .flag(pointer::BLEND_STATE_POINTER_VALID, true)
            .with(pointer::BLEND_STATE_POINTER, place)
            .dwords;
        emit_if_different(stream, &mut emitted.blend_pointer, &pointer)?;
        emit_if_different(stream, &mut emitted.blend, &packed_blend.blend)?;
        emit_if_different(stream, &mut emitted.wm, &packed_blend.wm)?;
    }
    Ok(())
}

/// Emits the blend constants, if dirty.
#[inline(always)]
fn emit_blend_constants<M: StreamMemory>(
    stream: &mut Stream<M>,
    emitted: &mut EmittedPackets,
    draw_state: &DrawState<'_, PackedPipeline>,
) -> Result<(), M::Error> {
    let DrawState {
        dirty,
        state,
        dynamic_base,
        ..
    } = *draw_state;
    if dirty.any(DirtyGroups::BLEND_CONSTANTS) {
        use state_cc_state_pointers as pointer;
        let words = pixel::constants(&state.blend);
        if emitted.constants == Some(words) {
            return Ok(());
        }
        emitted.constants = Some(words);
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

/// Emits viewports, depth ranges and scissors.
fn emit_viewports<M: StreamMemory>(
    stream: &mut Stream<M>,
    draw_state: &DrawState<'_, PackedPipeline>,
) -> Result<(), M::Error> {
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
        *to = raster::depth_range(from, &state.raster);
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
