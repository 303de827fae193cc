//! Checks the state that a draw uses.
//!
//! In:  3DSTATE_* as latched when a 3DPRIMITIVE executes. Out: the first broken rule.
//! Ref: SKL PRM vol. 2a, the commands; vol. 2d, VERTEX_ELEMENT_STATE.

use crate::context::HwContext;
use crate::draw_state::DrawState;
use crate::rules::{
    DEPTH_BUFFER_PLACE, DRAW_STATE, HEAP_BOUNDS, INDEX_ALIGNMENT, PS_ATTRIBUTES, PS_PUSH_CONSTANTS,
    PS_SAMPLE_WIDTH, PS_SAMPLES, RECTLIST_STATE, SBE_ATTRIBUTES, SO_PITCH, SO_READ, URB_READ,
    VERTEX_COMPONENTS, VERTEX_ENTRY, VERTEX_HEADER,
};
use eu::StopReason;
use hw::draw_state::{
    sf_output_attribute_detail as detail, state_constant_body as body,
    vertex_element_state as element,
};
use hw::value::draw::{
    component_control, forced_sample_count, primitive_topology, vertex_access_type,
};
use hw::value::state::number_of_multisamples;
use hw::value::state::surface_type::SURFTYPE_NULL;
use hw::{Field, Packet, draw};

/// Commands that every draw requires, in this or an earlier batch of the context.
pub(super) static REQUIRED: &[&Packet] = &[
    &draw::state_vf_topology::PACKET,
    &draw::state_vf_sgvs::PACKET,
    &draw::state_vertex_elements::PACKET,
    &draw::state_urb_vs::PACKET,
    &draw::state_urb_hs::PACKET,
    &draw::state_urb_ds::PACKET,
    &draw::state_urb_gs::PACKET,
    &draw::state_vs::PACKET,
    &draw::state_hs::PACKET,
    &draw::state_te::PACKET,
    &draw::state_ds::PACKET,
    &draw::state_gs::PACKET,
    &draw::state_streamout::PACKET,
    &draw::state_clip::PACKET,
    &draw::state_sf::PACKET,
    &draw::state_raster::PACKET,
    &draw::state_sbe::PACKET,
    &draw::state_wm::PACKET,
    &draw::state_ps::PACKET,
    &draw::state_ps_extra::PACKET,
    &draw::state_wm_depth_stencil::PACKET,
    &draw::state_multisample::PACKET,
    &draw::state_sample_mask::PACKET,
    &draw::state_sample_pattern::PACKET,
    &draw::state_drawing_rectangle::PACKET,
    &draw::state_depth_buffer::PACKET,
    &draw::state_stencil_buffer::PACKET,
    &draw::state_hier_depth_buffer::PACKET,
    &draw::state_clear_params::PACKET,
];

/// Pointers into the dynamic state heap: command, field, its valid bit, number of bytes it points
/// to.
type Pointer = (&'static Packet, Field, Option<Field>, u64);
static POINTERS: &[Pointer] = &[
    (
        &draw::state_blend_state_pointers::PACKET,
        draw::state_blend_state_pointers::BLEND_STATE_POINTER,
        Some(draw::state_blend_state_pointers::BLEND_STATE_POINTER_VALID),
        4,
    ),
    (
        &draw::state_cc_state_pointers::PACKET,
        draw::state_cc_state_pointers::COLOR_CALC_STATE_POINTER,
        Some(draw::state_cc_state_pointers::COLOR_CALC_STATE_POINTER_VALID),
        24,
    ),
    (
        &draw::state_viewport_state_pointers_cc::PACKET,
        draw::state_viewport_state_pointers_cc::CC_VIEWPORT_POINTER,
        None,
        8,
    ),
    (
        &draw::state_viewport_state_pointers_sf_clip::PACKET,
        draw::state_viewport_state_pointers_sf_clip::SF_CLIP_VIEWPORT_POINTER,
        None,
        64,
    ),
    (
        &draw::state_scissor_state_pointers::PACKET,
        draw::state_scissor_state_pointers::SCISSOR_RECT_POINTER,
        None,
        8,
    ),
    (
        &draw::state_sampler_state_pointers_vs::PACKET,
        draw::state_sampler_state_pointers_vs::POINTER_TO_VS_SAMPLER_STATE,
        None,
        0,
    ),
    (
        &draw::state_sampler_state_pointers_hs::PACKET,
        draw::state_sampler_state_pointers_hs::POINTER_TO_HS_SAMPLER_STATE,
        None,
        0,
    ),
    (
        &draw::state_sampler_state_pointers_ds::PACKET,
        draw::state_sampler_state_pointers_ds::POINTER_TO_DS_SAMPLER_STATE,
        None,
        0,
    ),
    (
        &draw::state_sampler_state_pointers_gs::PACKET,
        draw::state_sampler_state_pointers_gs::POINTER_TO_GS_SAMPLER_STATE,
        None,
        0,
    ),
    (
        &draw::state_sampler_state_pointers_ps::PACKET,
        draw::state_sampler_state_pointers_ps::POINTER_TO_PS_SAMPLER_STATE,
        None,
        0,
    ),
];

/// Kernels: command, enable bit, start pointer.
static KERNELS: &[(&Packet, Field, Field)] = &[
    (
        &draw::state_vs::PACKET,
        draw::state_vs::ENABLE,
        draw::state_vs::KERNEL_START_POINTER,
    ),
    (
        &draw::state_hs::PACKET,
        draw::state_hs::ENABLE,
        draw::state_hs::KERNEL_START_POINTER,
    ),
    (
        &draw::state_ds::PACKET,
        draw::state_ds::ENABLE,
        draw::state_ds::KERNEL_START_POINTER,
    ),
    (
        &draw::state_gs::PACKET,
        draw::state_gs::ENABLE,
        draw::state_gs::KERNEL_START_POINTER,
    ),
];

/// Scratch memory: command, start pointer, code of its size.
static SCRATCH: &[(&Packet, Field, Field)] = &[
    (
        &draw::state_vs::PACKET,
        draw::state_vs::SCRATCH_SPACE_BASE_POINTER,
        draw::state_vs::PER_THREAD_SCRATCH_SPACE,
    ),
    (
        &draw::state_hs::PACKET,
        draw::state_hs::SCRATCH_SPACE_BASE_POINTER,
        draw::state_hs::PER_THREAD_SCRATCH_SPACE,
    ),
    (
        &draw::state_ds::PACKET,
        draw::state_ds::SCRATCH_SPACE_BASE_POINTER,
        draw::state_ds::PER_THREAD_SCRATCH_SPACE,
    ),
    (
        &draw::state_gs::PACKET,
        draw::state_gs::SCRATCH_SPACE_BASE_POINTER,
        draw::state_gs::PER_THREAD_SCRATCH_SPACE,
    ),
    (
        &draw::state_ps::PACKET,
        draw::state_ps::SCRATCH_SPACE_BASE_POINTER,
        draw::state_ps::PER_THREAD_SCRATCH_SPACE,
    ),
];

/// Checks the state that a draw uses.
pub(super) fn check(words: &[u32], context: &HwContext, at: u64) -> Result<(), StopReason> {
    let state = &context.draw;
    for packet in REQUIRED {
        let there = !state.words(packet).is_empty();
        DRAW_STATE.check(there, at, || format!("{} is missing", packet.name))?;
    }
    let stages = Stages::from_state(state);
    check_vertices(words, state, at)?;
    stages.check_reads(state, at)?;
    check_setup(state, &stages, at)?;
    check_pixel_shader(state, at)?;
    check_depth_buffers(state, at)?;
    check_stream_output(state, &stages, at)?;
    check_heaps(context, at)
}

fn check_vertices(words: &[u32], state: &DrawState, at: u64) -> Result<(), StopReason> {
    let elements = state.words(&draw::state_vertex_elements::PACKET);
    let (elements, _) = elements.get(1..).unwrap_or_default().as_chunks::<2>();
    let controls = [
        element::COMPONENT_0_CONTROL,
        element::COMPONENT_1_CONTROL,
        element::COMPONENT_2_CONTROL,
        element::COMPONENT_3_CONTROL,
    ];
    for (number, words) in elements.iter().enumerate() {
        let stored = controls.map(|control| control.get(words) == component_control::STORE_SRC);
        let holds =
            element::VALID.get(words) == 0 || stored.windows(2).all(|pair| pair[0] || !pair[1]);
        VERTEX_COMPONENTS.check(holds, at, || {
            format!("vertex element {number} has a component of its source after one that is not")
        })?;
        let left = controls.map(|control| control.get(words) == component_control::NOSTORE);
        let whole = !left[0] && left.windows(2).all(|pair| !pair[0] || pair[1]);
        VERTEX_COMPONENTS.check(whole || element::VALID.get(words) == 0, at, || {
            format!("vertex element {number} leaves a component out, and has one after it")
        })?;
    }
    let shaded = state.flag(&draw::state_vs::PACKET, draw::state_vs::ENABLE);
    let header = elements
        .first()
        .filter(|words| element::VALID.get(*words) == 1);
    let ones = [
        component_control::STORE_1_FP,
        component_control::STORE_1_INT,
    ];
    let one = header.is_some_and(|words| ones.contains(&controls[0].get(words)));
    VERTEX_HEADER.check(shaded || !one, at, || {
        "the first vertex element begins with a one".into()
    })?;
    use draw::state_index_buffer as ib;
    let indexed = draw::primitive::VERTEX_ACCESS_TYPE.get(words) == vertex_access_type::RANDOM;
    let start = state.get(&ib::PACKET, ib::BUFFER_STARTING_ADDRESS);
    let bytes = 1 << state.get(&ib::PACKET, ib::INDEX_FORMAT).min(2);
    INDEX_ALIGNMENT.check(!indexed || start.is_multiple_of(bytes), at, || {
        format!("indices of {bytes} bytes from {start:#x} on")
    })
}

/// True for a 64-bit vertex element that fills 256 bits: it stores more than two components.
fn fills_256_bits(words: &[u32; 2]) -> bool {
    let format = hw::Format::by_number(element::SOURCE_ELEMENT_FORMAT.get(words) as u32);
    let raw = format.is_some_and(|format| format.channels[0] == (hw::ChannelKind::Raw, 64));
    let more = [element::COMPONENT_2_CONTROL, element::COMPONENT_3_CONTROL];
    raw && more
        .iter()
        .any(|control| control.get(words) != component_control::NOSTORE)
}

/// The stages of a draw, and the size in bytes of the URB entries that each writes.
struct Stages {
    vs: u64,
    ds: u64,
    gs: u64,
    tessellates: bool,
    has_gs: bool,
}

impl Stages {
    fn from_state(state: &DrawState) -> Stages {
        let entry = |packet, field| (state.get(packet, field) + 1) * 64;
        use draw::{state_urb_ds, state_urb_gs, state_urb_vs};
        let vs = &state_urb_vs::PACKET;
        let (ds, gs) = (&state_urb_ds::PACKET, &state_urb_gs::PACKET);
        Stages {
            vs: entry(vs, state_urb_vs::VS_URB_ENTRY_ALLOCATION_SIZE),
            ds: entry(ds, state_urb_ds::DS_URB_ENTRY_ALLOCATION_SIZE),
            gs: entry(gs, state_urb_gs::GS_URB_ENTRY_ALLOCATION_SIZE),
            tessellates: state.flag(&draw::state_ds::PACKET, draw::state_ds::ENABLE),
            has_gs: state.flag(&draw::state_gs::PACKET, draw::state_gs::ENABLE),
        }
    }

    /// Size of the entries from which objects are assembled.
    fn before_gs(&self) -> u64 {
        if self.tessellates { self.ds } else { self.vs }
    }

    /// Size of the entries that reach stream output and setup; for a GS, of a whole object's entry.
    fn last(&self) -> u64 {
        if self.has_gs {
            self.gs
        } else {
            self.before_gs()
        }
    }

    /// Checks that stages read only inside URB entries. Offsets and lengths are in units of 256
    /// bits.
    fn check_reads(&self, state: &DrawState, at: u64) -> Result<(), StopReason> {
        let elements = state.words(&draw::state_vertex_elements::PACKET);
        let (elements, _) = elements.get(1..).unwrap_or_default().as_chunks::<2>();
        // Component packing omits components: only the packed size has to fit.
        let packs = state.flag(
            &draw::state_vf::PACKET,
            draw::state_vf::COMPONENT_PACKING_ENABLE,
        );
        let of_element = |words: &[u32; 2]| if fills_256_bits(words) { 32 } else { 16 };
        let fetched: u64 = match packs {
            true => 0,
            false => elements.iter().map(of_element).sum(),
        };
        VERTEX_ENTRY.check(fetched <= self.vs, at, || {
            format!("{fetched} bytes of vertex elements, entries of {}", self.vs)
        })?;
        use draw::{state_gs as gs, state_hs as hs, state_vs as vs};
        let reads = [
            (
                "VS",
                &vs::PACKET,
                vs::ENABLE,
                vs::VERTEX_URB_ENTRY_READ_OFFSET,
                vs::VERTEX_URB_ENTRY_READ_LENGTH,
                self.vs,
            ),
            (
                "HS",
                &hs::PACKET,
                hs::ENABLE,
                hs::VERTEX_URB_ENTRY_READ_OFFSET,
                hs::VERTEX_URB_ENTRY_READ_LENGTH,
                self.vs,
            ),
            (
                "GS",
                &gs::PACKET,
                gs::ENABLE,
                gs::VERTEX_URB_ENTRY_READ_OFFSET,
                gs::VERTEX_URB_ENTRY_READ_LENGTH,
                self.before_gs(),
            ),
        ];
        for (name, packet, enable, offset, length, bytes) in reads {
            let (offset, length) = (state.get(packet, offset), state.get(packet, length));
            let holds =
                !state.flag(packet, enable) || length == 0 || (offset + length) * 32 <= bytes;
            URB_READ.check(holds, at, || {
                format!("{name}: {length} × 32 bytes after {offset}, entries of {bytes}")
            })?;
        }
        Ok(())
    }
}

fn check_setup(state: &DrawState, stages: &Stages, at: u64) -> Result<(), StopReason> {
    use draw::state_sbe as sbe;
    let get = |field| state.get(&sbe::PACKET, field);
    let flag = |field| state.flag(&sbe::PACKET, field);
    let (offset, length) = (
        get(sbe::VERTEX_URB_ENTRY_READ_OFFSET),
        get(sbe::VERTEX_URB_ENTRY_READ_LENGTH),
    );
    // Unless forced, offset and length come from the last stage.
    let last = |of: [Field; 3]| {
        let packets = [
            &draw::state_gs::PACKET,
            &draw::state_ds::PACKET,
            &draw::state_vs::PACKET,
        ];
        let place =
            usize::from(!stages.has_gs) + usize::from(!stages.has_gs && !stages.tessellates);
        state.get(packets[place], of[place])
    };
    let length = match flag(sbe::FORCE_VERTEX_URB_ENTRY_READ_LENGTH) {
        true => length,
        false => last([
            draw::state_gs::VERTEX_URB_ENTRY_OUTPUT_LENGTH,
            draw::state_ds::VERTEX_URB_ENTRY_OUTPUT_LENGTH,
            draw::state_vs::VERTEX_URB_ENTRY_OUTPUT_LENGTH,
        ]),
    };
    let offset = match flag(sbe::FORCE_VERTEX_URB_ENTRY_READ_OFFSET) {
        true => offset,
        false => last([
            draw::state_gs::VERTEX_URB_ENTRY_OUTPUT_READ_OFFSET,
            draw::state_ds::VERTEX_URB_ENTRY_OUTPUT_READ_OFFSET,
            draw::state_vs::VERTEX_URB_ENTRY_OUTPUT_READ_OFFSET,
        ]),
    };
    if get(sbe::NUMBER_OF_SF_OUTPUT_ATTRIBUTES) > 0 {
        let bytes = stages.last();
        URB_READ.check((offset + length) * 32 <= bytes, at, || {
            format!("SBE: {length} × 32 bytes after {offset}, entries of {bytes}")
        })?;
        let count = get(sbe::NUMBER_OF_SF_OUTPUT_ATTRIBUTES);
        let swizzles = flag(sbe::ATTRIBUTE_SWIZZLE_ENABLE);
        let words = state.words(&draw::state_sbe_swiz::PACKET);
        for attribute in 0..count {
            let index = attribute as usize;
            let pair = words.get(1 + index / 2).copied().unwrap_or(0);
            let half = [pair >> (16 * (index % 2)) & 0xffff];
            let overrides = [
                detail::COMPONENT_OVERRIDE_X,
                detail::COMPONENT_OVERRIDE_Y,
                detail::COMPONENT_OVERRIDE_Z,
                detail::COMPONENT_OVERRIDE_W,
            ];
            let source = match swizzles && index < 16 {
                true if overrides.iter().all(|field| field.get(&half) == 1) => continue,
                true => detail::SOURCE_ATTRIBUTE.get(&half),
                false => attribute,
            };
            // A primitive ID or point sprite coordinate replaces the attribute.
            let sprite = get(sbe::POINT_SPRITE_TEXTURE_COORDINATE_ENABLE) >> attribute & 1 == 1;
            let replaced = sprite || get(sbe::PRIMITIVE_ID_OVERRIDE_ATTRIBUTE_SELECT) == attribute;
            SBE_ATTRIBUTES.check(replaced || source < length * 2, at, || {
                format!(
                    "attribute {attribute} is from slot {source} of {}",
                    length * 2
                )
            })?;
        }
    }
    use draw::{state_raster as raster, state_sf as sf, state_vf_topology as topology};
    let rectangles = state.get(&topology::PACKET, topology::PRIMITIVE_TOPOLOGY_TYPE)
        == primitive_topology::RECTLIST;
    let transforms = state.flag(&sf::PACKET, sf::VIEWPORT_TRANSFORM_ENABLE);
    let fills = [raster::FRONT_FACE_FILL_MODE, raster::BACK_FACE_FILL_MODE];
    let hollow = fills.iter().any(|fill| state.flag(&raster::PACKET, *fill));
    RECTLIST_STATE.check(!rectangles || !transforms && !hollow, at, || {
        "rectangles with a viewport transform, or not filled".into()
    })
}

/// Whether constants are pushed to pixel shaders.
pub(super) fn has_pixel_constants(state: &DrawState) -> bool {
    let constants = state.words(&draw::state_constant_ps::PACKET);
    let constants = constants.get(1..).unwrap_or_default();
    let lengths = [
        body::READ_LENGTH,
        body::READ_LENGTH_1,
        body::READ_LENGTH_2,
        body::READ_LENGTH_3,
    ];
    lengths.iter().any(|length| length.get(constants) != 0)
}

fn check_pixel_shader(state: &DrawState, at: u64) -> Result<(), StopReason> {
    use draw::{state_multisample as multisample, state_ps as ps, state_ps_extra as extra};
    let asks = |field| state.flag(&extra::PACKET, field);
    // If stream output disables rendering, the pixel shader state is a leftover of an earlier draw.
    if !asks(extra::PIXEL_SHADER_VALID) || !state.renders() {
        return Ok(());
    }
    let flag = |field| state.flag(&ps::PACKET, field);
    let log = state.get(&multisample::PACKET, multisample::NUMBER_OF_MULTISAMPLES);
    let raster = &draw::state_raster::PACKET;
    let forced = state.get(raster, draw::state_raster::FORCED_SAMPLE_COUNT);
    let per_sample = asks(extra::PIXEL_SHADER_IS_PER_SAMPLE);
    let sixteen = log == number_of_multisamples::MULTISAMPLECOUNT_16
        || forced == forced_sample_count::NUMRASTSAMPLES_16;
    let wide = flag(ps::N32_PIXEL_DISPATCH_ENABLE);
    PS_SAMPLES.check(!(sixteen && wide && !per_sample), at, || {
        "32 pixels of 16 samples each".into()
    })?;
    let widths = [
        ps::N8_PIXEL_DISPATCH_ENABLE,
        ps::N16_PIXEL_DISPATCH_ENABLE,
        ps::N32_PIXEL_DISPATCH_ENABLE,
    ];
    let widths = widths.into_iter().filter(|width| flag(*width)).count();
    PS_SAMPLE_WIDTH.check(!per_sample || widths < 2, at, || {
        format!("{widths} widths for threads of single samples")
    })?;
    let some = has_pixel_constants(state);
    let takes = flag(ps::PUSH_CONSTANT_ENABLE);
    PS_PUSH_CONSTANTS.check(takes || !some, at, || {
        "constants are pushed that the pixel shader does not take".into()
    })?;
    let sbe = &draw::state_sbe::PACKET;
    let count = state.get(sbe, draw::state_sbe::NUMBER_OF_SF_OUTPUT_ATTRIBUTES);
    let attributes = asks(extra::ATTRIBUTE_ENABLE);
    PS_ATTRIBUTES.check(attributes == (count > 0), at, || match attributes {
        true => "a pixel shader takes attributes, and there are none".into(),
        false => format!("{count} attributes that the pixel shader does not take"),
    })
}

fn check_depth_buffers(state: &DrawState, at: u64) -> Result<(), StopReason> {
    use draw::{state_depth_buffer as depth, state_stencil_buffer as stencil};
    let get = |field| state.get(&depth::PACKET, field);
    let buffers = [
        (
            "depth",
            // With stencil alone, the command still gives the size of both buffers.
            get(depth::SURFACE_TYPE) != SURFTYPE_NULL && get(depth::SURFACE_BASE_ADDRESS) != 0,
            get(depth::SURFACE_BASE_ADDRESS),
            get(depth::SURFACE_PITCH) + 1,
        ),
        (
            "stencil",
            state.flag(&stencil::PACKET, stencil::STENCIL_BUFFER_ENABLE),
            state.get(&stencil::PACKET, stencil::SURFACE_BASE_ADDRESS),
            state.get(&stencil::PACKET, stencil::SURFACE_PITCH) + 1,
        ),
    ];
    for (name, there, address, pitch) in buffers {
        let whole = address.is_multiple_of(4096) && pitch.is_multiple_of(128);
        DEPTH_BUFFER_PLACE.check(!there || whole, at, || {
            format!("{name} from {address:#x} on, {pitch} bytes a row")
        })?;
    }
    let hierarchical = get(depth::HIERARCHICAL_DEPTH_BUFFER_ENABLE) == 1;
    let there = get(depth::SURFACE_TYPE) != SURFTYPE_NULL;
    DEPTH_BUFFER_PLACE.check(!hierarchical || there, at, || {
        "a hierarchical depth buffer without a depth buffer".into()
    })
}

fn check_stream_output(state: &DrawState, stages: &Stages, at: u64) -> Result<(), StopReason> {
    use draw::state_streamout as so;
    let get = |field| state.get(&so::PACKET, field);
    if get(so::SO_FUNCTION_ENABLE) == 0 {
        return Ok(());
    }
    let pitches = [
        so::BUFFER_0_SURFACE_PITCH,
        so::BUFFER_1_SURFACE_PITCH,
        so::BUFFER_2_SURFACE_PITCH,
        so::BUFFER_3_SURFACE_PITCH,
    ];
    for (buffer, pitch) in pitches.into_iter().map(get).enumerate() {
        let holds = pitch.is_multiple_of(4) && pitch <= 2048;
        SO_PITCH.check(holds, at, || {
            format!("vertices of {pitch} bytes in stream output buffer {buffer}")
        })?;
    }
    let reads = [
        (
            so::STREAM_0_VERTEX_READ_OFFSET,
            so::STREAM_0_VERTEX_READ_LENGTH,
        ),
        (
            so::STREAM_1_VERTEX_READ_OFFSET,
            so::STREAM_1_VERTEX_READ_LENGTH,
        ),
        (
            so::STREAM_2_VERTEX_READ_OFFSET,
            so::STREAM_2_VERTEX_READ_LENGTH,
        ),
        (
            so::STREAM_3_VERTEX_READ_OFFSET,
            so::STREAM_3_VERTEX_READ_LENGTH,
        ),
    ];
    let list = state.words(&draw::state_so_decl_list::PACKET);
    use draw::state_so_decl_list as decls;
    let entries = [
        decls::NUM_ENTRIES_0,
        decls::NUM_ENTRIES_1,
        decls::NUM_ENTRIES_2,
        decls::NUM_ENTRIES_3,
    ];
    let bytes = stages.last();
    for (stream, ((offset, length), entries)) in reads.into_iter().zip(entries).enumerate() {
        let (offset, length) = (get(offset), get(length) + 1);
        let holds = entries.get(list) == 0 || (offset + length) * 32 <= bytes;
        SO_READ.check(holds, at, || {
            format!("stream {stream}: {length} × 32 bytes after {offset}, entries of {bytes}")
        })?;
    }
    Ok(())
}

fn check_heaps(context: &HwContext, at: u64) -> Result<(), StopReason> {
    let state = &context.draw;
    let within = |pages: Option<u64>, end: u64, name: &str| {
        let fits = pages.is_none_or(|pages| end <= pages * 4096);
        HEAP_BOUNDS.check(fits, at, || format!("{name}: up to byte {end:#x}"))
    };
    for (packet, field, valid, bytes) in POINTERS {
        if valid.is_none_or(|valid| state.flag(packet, valid)) {
            let end = state.get(packet, *field) + bytes;
            within(context.base.dynamic_pages, end, packet.name)?;
        }
    }
    for (packet, enable, kernel) in KERNELS {
        if state.flag(packet, *enable) {
            let end = state.get(packet, *kernel) + 16;
            within(context.base.instruction_pages, end, packet.name)?;
        }
    }
    for (packet, pointer, code) in SCRATCH {
        let (start, code) = (state.get(packet, *pointer), state.get(packet, *code));
        if start != 0 {
            within(
                context.base.general_pages,
                start + (1024 << code),
                packet.name,
            )?;
        }
    }
    let extra = &draw::state_ps_extra::PACKET;
    if state.flag(extra, draw::state_ps_extra::PIXEL_SHADER_VALID) {
        let ps = &draw::state_ps::PACKET;
        let end = state.get(ps, draw::state_ps::KERNEL_START_POINTER_0) + 16;
        within(context.base.instruction_pages, end, ps.name)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
