//! The state of a draw or dispatch that decides whether one of its fields counts.
//!
//! In:  a draw or dispatch, and a field of it. Out: the predicates that the tables of conditions
//!      share.

use super::stages::*;
use crate::look::{Place, Work};
use crate::sends::Sends;
use draw_state as ds;
use hw::{Field, Packet, draw, draw_state, state as hw_state};

/// A field, its command or structure, and the draw or dispatch that uses it.
pub struct State<'a, 'w> {
    pub work: &'a Work<'w>,
    pub place: &'a Place,
    pub field: &'a Field,
}

/// The stages that run, and the objects that are drawn.
impl State<'_, '_> {
    pub fn vs(&self) -> bool {
        runs(self.work, &draw::state_vs::PACKET)
    }

    pub fn hs(&self) -> bool {
        runs(self.work, &draw::state_hs::PACKET)
    }

    pub fn ds(&self) -> bool {
        runs(self.work, &draw::state_ds::PACKET)
    }

    pub fn gs(&self) -> bool {
        runs(self.work, &draw::state_gs::PACKET)
    }

    pub fn ps(&self) -> bool {
        runs(self.work, &draw::state_ps::PACKET)
    }

    /// The vertex shader is the last geometry stage.
    pub fn vs_last(&self) -> bool {
        !self.gs() && !self.ds()
    }

    /// The domain shader, if it runs, is the last geometry stage.
    pub fn ds_last(&self) -> bool {
        !self.gs()
    }

    pub fn objects(&self) -> Objects {
        objects(self.work)
    }

    /// True if objects of one of the selected kinds are rasterised.
    pub fn kinds(&self, points: bool, lines: bool, triangles: bool) -> bool {
        let objects = self.objects();
        objects.points && points || objects.lines && lines || objects.triangles && triangles
    }

    pub fn topology(&self) -> u64 {
        get!(self.work, state_vf_topology::PRIMITIVE_TOPOLOGY_TYPE)
    }

    pub fn adjacency(&self) -> bool {
        (0x09..=0x0c).contains(&self.topology())
    }

    /// The topology that reaches stream output.
    pub fn streamed(&self) -> u64 {
        match self.gs() {
            true => get!(self.work, state_gs::OUTPUT_TOPOLOGY),
            false => self.topology(),
        }
    }

    pub fn indirect(&self) -> bool {
        flag!(self.work, primitive::INDIRECT_PARAMETER_ENABLE)
    }

    pub fn instanced(&self) -> bool {
        let mut all = self.work.all(&draw::state_vf_instancing::PACKET);
        all.any(|place| draw::state_vf_instancing::INSTANCING_ENABLE.get(&place.words) == 1)
    }

    /// The number of valid vertex elements.
    pub fn elements(&self) -> u64 {
        use draw_state::vertex_element_state as element;
        let all = self.work.all(&element::PACKET);
        all.take_while(|place| element::VALID.get(&place.words) == 1)
            .count() as u64
    }

    /// Component packing drops components of some element.
    pub fn packed(&self) -> bool {
        let mut all = self.work.all(&draw::state_vf_component_packing::PACKET);
        let words = all.next();
        let nibble = |i: u64| {
            let word = words.and_then(|place| place.words.get(1 + i as usize / 8));
            word.map_or(0, |word| word >> (4 * (i % 8)) & 15)
        };
        (0..self.elements()).any(|i| nibble(i) != 15)
    }
}

/// Stream output, clipping and setup.
impl State<'_, '_> {
    pub fn streams(&self) -> bool {
        flag!(self.work, state_streamout::SO_FUNCTION_ENABLE)
    }

    /// The stream is written to buffers.
    pub fn stream(&self, number: usize) -> bool {
        use draw::state_so_decl_list as list;
        let entries = [
            list::NUM_ENTRIES_0,
            list::NUM_ENTRIES_1,
            list::NUM_ENTRIES_2,
            list::NUM_ENTRIES_3,
        ];
        get!(self.work, state_streamout::SO_FUNCTION_ENABLE) == 1
            && self.work.get(&list::PACKET, entries[number]) != 0
    }

    /// Some stream is written to the buffer.
    pub fn bound(&self, number: u32) -> bool {
        use draw::state_so_decl_list as list;
        let selects = [
            list::STREAM_TO_BUFFER_SELECTS_0,
            list::STREAM_TO_BUFFER_SELECTS_1,
            list::STREAM_TO_BUFFER_SELECTS_2,
            list::STREAM_TO_BUFFER_SELECTS_3,
        ];
        selects
            .iter()
            .any(|select| self.work.get(&list::PACKET, *select) >> number & 1 == 1)
    }

    fn clips(&self) -> bool {
        flag!(self.work, state_clip::CLIP_ENABLE) && rasterises(self.work)
    }

    /// The last geometry stage selects the distances that clip.
    pub fn clip_tests(&self) -> bool {
        self.clips()
            && !flag!(
                self.work,
                state_clip::FORCE_USER_CLIP_DISTANCE_CLIP_TEST_ENABLE_BITMASK
            )
    }

    /// The last geometry stage selects the distances that cull.
    pub fn cull_tests(&self) -> bool {
        self.clips()
            && !flag!(
                self.work,
                state_clip::FORCE_USER_CLIP_DISTANCE_CULL_TEST_ENABLE_BITMASK
            )
    }

    /// Setup reads attributes, from the offset that the last geometry stage gives.
    pub fn set_up(&self) -> bool {
        !flag!(self.work, state_sbe::FORCE_VERTEX_URB_ENTRY_READ_OFFSET)
            && flag!(self.work, state_sbe::NUMBER_OF_SF_OUTPUT_ATTRIBUTES)
    }
}

/// Depth and stencil.
impl State<'_, '_> {
    /// The hierarchical depth buffer is used.
    pub fn hz(&self) -> bool {
        flag!(
            self.work,
            state_depth_buffer::HIERARCHICAL_DEPTH_BUFFER_ENABLE
        ) && depth_used(self.work)
    }

    /// The stencil buffer is tested or cleared.
    pub fn stencil(&self) -> bool {
        stencil_tested(self.work) || flag!(self.work, state_wm_hz_op::STENCIL_BUFFER_CLEAR_ENABLE)
    }

    /// The stencil test is enabled, whether there is a stencil buffer or not.
    pub fn tested(&self) -> bool {
        flag!(self.work, state_wm_depth_stencil::STENCIL_TEST_ENABLE)
    }

    pub fn sided(&self) -> bool {
        self.tested()
            && flag!(
                self.work,
                state_wm_depth_stencil::DOUBLE_SIDED_STENCIL_ENABLE
            )
    }

    pub fn writes(&self) -> bool {
        flag!(
            self.work,
            state_wm_depth_stencil::STENCIL_BUFFER_WRITE_ENABLE
        )
    }

    pub fn stencil_writes(&self) -> bool {
        self.writes() && self.tested()
            || flag!(self.work, state_wm_hz_op::STENCIL_BUFFER_CLEAR_ENABLE)
    }

    /// All stencil operations keep the value.
    pub fn kept(&self) -> bool {
        use draw::state_wm_depth_stencil as f;
        let operations = [
            f::STENCIL_FAIL_OP,
            f::STENCIL_PASS_DEPTH_FAIL_OP,
            f::STENCIL_PASS_DEPTH_PASS_OP,
            f::BACKFACE_STENCIL_FAIL_OP,
            f::BACKFACE_STENCIL_PASS_DEPTH_FAIL_OP,
            f::BACKFACE_STENCIL_PASS_DEPTH_PASS_OP,
        ];
        operations
            .into_iter()
            .all(|op| self.work.get(&f::PACKET, op) == 0)
    }

    /// The depth buffer has several layers, or its first layer is another than 0.
    pub fn depth_layered(&self) -> bool {
        use draw::state_depth_buffer as depth;
        let get = |field| self.work.get(&depth::PACKET, field);
        get(depth::MINIMUM_ARRAY_ELEMENT) != 0
            || get(depth::RENDER_TARGET_VIEW_EXTENT) != 0
            || get(depth::SURFACE_TYPE) == 2
    }
}

/// Pixel shader threads and blending.
impl State<'_, '_> {
    /// Threads run for the depth and stencil that they compute, and for the pixels that they kill.
    pub fn by_shader(&self) -> bool {
        flag!(self.work, state_ps_extra::PIXEL_SHADER_COMPUTED_DEPTH_MODE)
            || flag!(self.work, state_ps_extra::PIXEL_SHADER_COMPUTES_STENCIL)
            || flag!(self.work, state_ps_extra::PIXEL_SHADER_KILLS_PIXEL)
    }

    /// Threads run because they write render targets, whatever the other fields are.
    pub fn threads_run(&self) -> bool {
        flag!(self.work, state_ps_blend::HAS_WRITEABLE_RT)
            && !flag!(self.work, state_ps_extra::PIXEL_SHADER_DOES_NOT_WRITE_TO_RT)
    }

    /// Thread dispatch is ForceON.
    pub fn forced(&self) -> bool {
        get!(self.work, state_wm::FORCE_THREAD_DISPATCH_ENABLE) == 2
    }

    /// The shader reads depth or W.
    pub fn by_depth(&self) -> bool {
        flag!(self.work, state_ps_extra::PIXEL_SHADER_USES_SOURCE_DEPTH)
            || flag!(self.work, state_ps_extra::PIXEL_SHADER_USES_SOURCE_W)
    }

    pub fn blends(&self) -> bool {
        let mut all = self.work.all(&ds::blend_state_entry::PACKET);
        all.any(|place| ds::blend_state_entry::COLOR_BUFFER_BLEND_ENABLE.get(&place.words) == 1)
    }

    /// A blend factor is the constant colour or alpha.
    pub fn constant(&self) -> bool {
        use ds::blend_state_entry as e;
        let factors = [
            e::SOURCE_BLEND_FACTOR,
            e::DESTINATION_BLEND_FACTOR,
            e::SOURCE_ALPHA_BLEND_FACTOR,
            e::DESTINATION_ALPHA_BLEND_FACTOR,
        ];
        let is_constant = |code: u64| [0x07, 0x08, 0x17, 0x18].contains(&code);
        self.work.all(&e::PACKET).any(|place| {
            factors
                .iter()
                .any(|factor| is_constant(factor.get(&place.words)))
        })
    }

    pub fn separate(&self) -> bool {
        let mut all = self.work.all(&ds::blend_state::PACKET);
        all.any(|place| ds::blend_state::INDEPENDENT_ALPHA_BLEND_ENABLE.get(&place.words) == 1)
    }

    pub fn alpha_test(&self) -> bool {
        flag!(self.work, state_ps_blend::ALPHA_TEST_ENABLE)
    }

    /// Something reads the alpha that shaders write.
    pub fn alpha(&self) -> bool {
        let mut all = self.work.all(&ds::blend_state::PACKET);
        self.blends()
            || all.any(|place| ds::blend_state::ALPHA_TO_COVERAGE_ENABLE.get(&place.words) == 1)
    }

    pub fn clamps(&self) -> bool {
        self.own(ds::blend_state_entry::PRE_BLEND_COLOR_CLAMP_ENABLE) == 1
            || self.own(ds::blend_state_entry::POST_BLEND_COLOR_CLAMP_ENABLE) == 1
    }
}

/// Constants, surfaces and samplers.
impl State<'_, '_> {
    /// The value of a field of the command or structure that the state is of.
    pub fn own(&self, field: Field) -> u64 {
        field.get(&self.place.words)
    }

    pub fn counts(&self, packet: &'static Packet, field: Field) -> bool {
        self.work.get(packet, field) != 0
    }

    /// The constants command of a stage reads some buffer.
    pub fn pushes(&self, packet: &'static Packet) -> bool {
        let bodies = self
            .work
            .all(&ds::state_constant_body::PACKET)
            .filter(move |body| std::ptr::eq(body.command, packet));
        bodies
            .flat_map(|body| body.packet.fields.iter().map(move |field| (body, field)))
            .any(|(body, field)| field.name == "Read Length" && field.get(&body.words) != 0)
    }

    pub fn sends(&self) -> Sends {
        self.work.sends(self.place)
    }

    /// The structure is among the pixel shader's surfaces, where render targets are.
    pub fn is_target(&self) -> bool {
        let table = &draw::state_binding_table_pointers_ps::PACKET;
        std::ptr::eq(self.place.command, table) && self.ps()
    }

    /// Some surface is of the type.
    pub fn kinds_sampled(&self, wanted: u64) -> bool {
        use hw_state::render_surface_state as f;
        let mut all = self.work.all(&f::PACKET);
        all.any(|surface| f::SURFACE_TYPE.get(&surface.words) == wanted)
    }

    /// Some surface has levels to choose from; in render targets the field selects the level.
    pub fn levels(&self) -> bool {
        use hw_state::render_surface_state as f;
        let mut all = self.work.all(&f::PACKET);
        all.any(|surface| f::MIP_COUNT_LOD.get(&surface.words) != 0)
    }

    /// Some surface is AUX_CCS_E.
    pub fn compressed(&self) -> bool {
        use hw_state::render_surface_state as f;
        let mut all = self.work.all(&f::PACKET);
        all.any(|surface| f::AUXILIARY_SURFACE_MODE.get(&surface.words) == 5)
    }
}

/// TRISTRIP, TRISTRIP_ADJ, TRISTRIP_REVERSE: every other triangle is wound the other way.
pub fn strip(topology: u64) -> bool {
    [0x05, 0x0c, 0x0d].contains(&topology)
}
