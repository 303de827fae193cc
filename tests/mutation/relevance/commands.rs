//! The conditions under which whole commands count.
//!
//! In:  the state of a draw or dispatch, and a field. Out: false where the unit that its command
//!      programs is off.
//! Ref: SKL PRM vol. 2a and 2d, each field's description and "exists if".

use super::stages::*;
use super::state::State;
use hw::{Packet, draw};

/// True unless the unit that the field's command programs is off.
pub fn counts(state: &State<'_, '_>) -> bool {
    whole! { state.place, state.field;
        [state_vs] but state_vs::ENABLE if state.vs();
        [state_constant_vs state_binding_table_pointers_vs state_sampler_state_pointers_vs] if state.vs();
        [state_hs] but state_hs::ENABLE if state.hs();
        [state_te] but state_te::TE_ENABLE if state.hs();
        [state_ds] but state_ds::ENABLE if state.ds();
        [state_gs] but state_gs::ENABLE if state.gs();
        [state_constant_hs state_binding_table_pointers_hs state_sampler_state_pointers_hs state_urb_hs] if state.hs();
        [state_constant_ds state_binding_table_pointers_ds state_sampler_state_pointers_ds state_urb_ds] if state.ds();
        [state_constant_gs state_binding_table_pointers_gs state_sampler_state_pointers_gs state_urb_gs] if state.gs();
        [state_ps_extra] but state_ps_extra::PIXEL_SHADER_VALID if state.ps();
        [state_ps state_constant_ps state_binding_table_pointers_ps state_sampler_state_pointers_ps state_ps_blend state_sbe state_sbe_swiz] if state.ps();
        [state_line_stipple] if flag!(state.work, state_wm::LINE_STIPPLE_ENABLE) && state.objects().lines;
        [state_hier_depth_buffer state_clear_params] if state.hz();
        [state_depth_buffer] but state_depth_buffer::SURFACE_TYPE
            if get!(state.work, state_depth_buffer::SURFACE_TYPE) != 7 && (depth_used(state.work) || state.stencil());
        [state_stencil_buffer] if state.stencil();
        [state_streamout] but state_streamout::SO_FUNCTION_ENABLE
            if state.streams() || [draw::state_streamout::RENDERING_DISABLE, draw::state_streamout::RENDER_STREAM_SELECT].contains(state.field);
        [state_so_buffer state_so_decl_list] if state.streams();
        [state_index_buffer] if indexed(state.work);
        [state_vf_component_packing] if flag!(state.work, state_vf::COMPONENT_PACKING_ENABLE);
        [state_clip] but state_clip::CLIP_ENABLE if flag!(state.work, state_clip::CLIP_ENABLE) && rasterises(state.work);
        [state_sf state_raster state_wm state_wm_depth_stencil state_viewport_state_pointers_sf_clip state_viewport_state_pointers_cc state_cc_state_pointers state_blend_state_pointers state_multisample state_sample_mask state_sample_pattern state_drawing_rectangle] if rasterises(state.work) || operates(state.work);
        [state_scissor_state_pointers] if flag!(state.work, state_raster::SCISSOR_RECTANGLE_ENABLE) && rasterises(state.work);
        [state_wm_hz_op] if operates(state.work) || flag!(state.work, state_wm_hz_op::STENCIL_BUFFER_CLEAR_ENABLE)
            || OPERATIONS.contains(state.field);
    }
}
