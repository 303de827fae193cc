//! Packed graphics pipelines of gen9.
//!
//! In:  shaders and static state. Out: [`PackedPipeline`]: whole packets, and facts for packets
//!      that depend on dynamic state. Draws emit those packets that differ from the ones in effect
//!      ([`super::emitted`]).
//! Ref: SKL PRM vol. 2a, "3DSTATE_VS", "3DSTATE_URB_VS", "3DSTATE_PUSH_CONSTANT_ALLOC_VS" and their
//!      like.

use hw::draw::{
    state_ps_extra, state_push_constant_alloc_ds, state_push_constant_alloc_gs,
    state_push_constant_alloc_hs, state_push_constant_alloc_ps, state_push_constant_alloc_vs,
    state_sbe, state_sbe_swiz, state_urb_ds, state_urb_gs, state_urb_hs, state_urb_vs,
    state_vf_statistics, state_vs,
};

use super::emitted::{self, ShaderPackets};
use super::{geometry, pixel, raster, stream_out, vertex};
use crate::draw::shader::{PipelineShaders, VertexInputs, VertexShader};
use crate::draw::state::{BlendState, DirtyGroups, FixedFunctionState};
use crate::draw::{StaticState, urb};
use crate::l3::draw_urb_bytes;

/// Packed blend state, for the case that all targets are present.
#[derive(Clone, Debug)]
pub(super) struct PackedBlend {
    pub state: [u32; pixel::BLEND_DW],
    /// 3DSTATE_PS_BLEND.
    pub blend: [u32; 2],
    /// 3DSTATE_WM.
    pub wm: [u32; 2],
}

/// Packets of static state.
#[derive(Clone, Debug, Default)]
pub(super) struct StaticPackets {
    /// The packets of [`vertex::elements`].
    pub elements: Option<Vec<u32>>,
    /// 3DSTATE_STREAMOUT and 3DSTATE_SF.
    pub setup: Option<([u32; 5], [u32; 4])>,
    /// 3DSTATE_CLIP.
    pub clip: Option<[u32; 4]>,
    /// 3DSTATE_RASTER.
    pub raster: Option<[u32; 5]>,
    /// 3DSTATE_MULTISAMPLE and 3DSTATE_SAMPLE_MASK.
    pub multisample: Option<[u32; 4]>,
}

/// Packed shaders and static state.
#[derive(Clone, Debug)]
pub struct PackedPipeline {
    pub(super) shaders: ShaderPackets,
    /// 3DSTATE_SO_DECL_LIST; empty without stream output.
    pub(super) declarations: Vec<u32>,
    pub(super) fixed: StaticPackets,
    pub(super) packed_blend: Option<PackedBlend>,
    /// 3DSTATE_PS by sample count.
    pub(super) pixel: pixel::PsBySamples,
    pub(super) inputs: VertexInputs,
    /// 3DSTATE_TE, for a domain origin in the upper left and in the lower left corner.
    pub(super) engine: [[u32; 4]; 2],
    pub(super) stream_out: stream_out::StreamOutFacts,
    pub(super) clip: raster::ClipFacts,
    pub(super) output_form: Option<raster::PrimitiveForm>,
    pub(super) wm: pixel::WmFacts,
    /// Mask of the targets that the shader writes.
    pub(super) targets: u8,
    pub(super) dual_source: bool,
    pub(super) writes_mask: bool,
    pub(super) point_size: bool,
    pub(super) counted: bool,
}

/// Maximum threads of a geometry stage: all of the device's, within the stage's limit.
fn stage_threads(device: &hw::Device) -> u64 {
    device
        .total_threads()
        .min(device.max_stage_threads.into())
        .into()
}

/// 3DSTATE_VS.
fn vertex_shader(device: &hw::Device, shaders: &PipelineShaders<'_>) -> [u32; 9] {
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
        .flag(
            vs::VERTEX_CACHE_DISABLE,
            shaders.tessellation.is_some() && device.needs(hw::Wa::NoVertexCacheWithTessellation),
        )
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
fn urb_packets(device: &hw::Device, shaders: &PipelineShaders<'_>) -> Option<[[u32; 2]; 4]> {
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
    let [v, h, d, g] = urb::divide(device, draw_urb_bytes(device), sizes)?;
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

/// KiB of push constants of each stage but the fragment stage, which gets the rest: three times the
/// maximum that one shader uses.
const CONSTANT_KB: u64 = 6;
const FRAGMENT_CONSTANT_KB: u64 = urb::CONSTANT_CHUNKS as u64 * 8 - 4 * CONSTANT_KB;

/// Push constant allocation. It is part of the context, so all stages have their space whether
/// active or not.
pub(super) const CONSTANT_ALLOCATION: [[u32; 2]; 5] = {
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

impl PackedPipeline {
    /// Packs shaders and static state. Returns `None` if the shaders exceed a hardware limit.
    pub(super) fn new(
        device: &hw::Device,
        shaders: &PipelineShaders<'_>,
        static_state: Option<&StaticState<'_>>,
    ) -> Option<Box<PackedPipeline>> {
        let [v, h, d, g] = urb_packets(device, shaders)?;
        let (tessellation, threads) = (shaders.tessellation.as_ref(), stage_threads(device));
        let padded = shaders.fragment.as_ref().and_then(|fragment| {
            let needed = device.needs(hw::Wa::HeaderOnlyPixelShader) && !fragment.header_only;
            needed.then(|| pixel::with_payload(fragment)).flatten()
        });
        let fragment = padded.as_ref().or(shaders.fragment.as_ref());
        let (attributes, swizzle, pixel, extra) = match fragment {
            Some(fragment) => {
                let (attributes, swizzle) = pixel::attributes(fragment)?;
                let pixel = pixel::PsBySamples::new(fragment);
                (attributes, swizzle, pixel, pixel::shader_extra(fragment))
            }
            None => (
                state_sbe::words::<6>()
                    .flag(state_sbe::FORCE_VERTEX_URB_ENTRY_READ_OFFSET, true)
                    .with(state_sbe::VERTEX_URB_ENTRY_READ_OFFSET, 1)
                    .flag(state_sbe::FORCE_VERTEX_URB_ENTRY_READ_LENGTH, true)
                    .with(state_sbe::VERTEX_URB_ENTRY_READ_LENGTH, 1)
                    .dwords,
                state_sbe_swiz::words::<11>().dwords,
                pixel::PsBySamples::none(),
                state_ps_extra::words::<2>().dwords,
            ),
        };
        let declarations = match shaders.stream_out.is_on() {
            true => stream_out::list(&shaders.stream_out)?,
            false => Vec::new(),
        };
        let mut packets = ShaderPackets::default();
        let urb = [v[0], v[1], h[0], h[1], d[0], d[1], g[0], g[1]];
        packets.set(emitted::URB, urb);
        packets.set(emitted::VERTEX, vertex_shader(device, shaders));
        let statistics = state_vf_statistics::words::<1>()
            .flag(state_vf_statistics::STATISTICS_ENABLE, shaders.counted);
        packets.set(emitted::STATISTICS, statistics.dwords);
        packets.set(emitted::HULL, geometry::hull(tessellation, threads));
        packets.set(emitted::DOMAIN, geometry::domain(tessellation, threads));
        let emitting = geometry::geometry(shaders.geometry.as_ref(), threads);
        packets.set(emitted::GEOMETRY, emitting);
        packets.set(emitted::ATTRIBUTES, attributes);
        packets.set(emitted::SWIZZLE, swizzle);
        packets.set(emitted::EXTRA, extra);
        let mut pipeline = PackedPipeline {
            shaders: packets,
            declarations,
            fixed: StaticPackets::default(),
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

    /// Packs static state.
    fn pre_pack(&mut self, static_state: &StaticState<'_>) {
        let (state, groups) = (static_state.state, static_state.groups);
        let objects = DirtyGroups::RASTER
            .with(DirtyGroups::ASSEMBLY)
            .with(DirtyGroups::MULTISAMPLE);
        let has = |needed: DirtyGroups| groups.all(needed);
        let raster = &state.raster;
        self.fixed = StaticPackets {
            elements: has(DirtyGroups::ATTRIBUTES).then(|| {
                let elements = vertex::elements(&self.inputs, &state.attributes);
                elements.words().to_vec()
            }),
            setup: has(DirtyGroups::RASTER).then(|| {
                let streamout = stream_out::streamout(&self.stream_out, raster);
                (streamout, raster::sf(self.point_size, self.counted, raster))
            }),
            clip: has(DirtyGroups::RASTER.with(DirtyGroups::VIEWPORTS))
                .then(|| raster::clip(self.clip, raster, state.viewport_count)),
            raster: has(objects).then(|| raster::raster(state, self.output_form, false)),
            multisample: has(DirtyGroups::MULTISAMPLE)
                .then(|| raster::multisample(&state.multisample)),
        };
        // Which targets take part in a logic operation depends on their formats, known at the draw.
        if groups.all(BLENDING) && !state.blend.logic {
            self.packed_blend = Some(self.blend(state, &state.blend, self.targets, 0));
        }
    }

    /// Packs blend state, by slot, for the targets of a mask; `without_logic_op` are those that
    /// logic operations do not apply to.
    pub(super) fn blend(
        &self,
        state: &FixedFunctionState,
        blend: &BlendState,
        targets: u8,
        without_logic_op: u8,
    ) -> PackedBlend {
        let colours = pixel::ColourTargets {
            targets,
            without_logic_op,
            dual_source: self.dual_source,
            writes_mask: self.writes_mask,
        };
        let (words, blend, writes) = pixel::blend(blend, &state.multisample, colours);
        PackedBlend {
            state: words,
            blend,
            wm: pixel::wm(self.wm, state.raster.stippled, writes),
        }
    }
}

/// Groups that blend state depends on, besides shaders and targets.
pub(super) const BLENDING: DirtyGroups = DirtyGroups::BLEND
    .with(DirtyGroups::MULTISAMPLE)
    .with(DirtyGroups::RASTER);
