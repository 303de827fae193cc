//! Packets of tessellation and geometry stages.
//!
//! In:  [`Tessellation`], [`GeometryShader`]. Out: 3DSTATE_HS, TE, DS and GS.
//! Ref: SKL PRM vol. 2a, "3DSTATE_HS", "3DSTATE_TE", "3DSTATE_DS", "3DSTATE_GS".

use abi::TessDomain;
use hw::draw::{state_ds, state_gs, state_hs, state_te};
use hw::value::draw::{
    control_data_format, ds_dispatch_mode, gs_dispatch_mode, reorder_mode, te_output_topology,
};

use crate::draw::shader::{GeometryShader, Tessellation, UrbStageShader};

/// 3DSTATE_HS.
pub(super) fn hull(tessellation: Option<&Tessellation<'_>>, threads: u64) -> [u32; 9] {
    use state_hs as hs;
    /// Low part of the start register, which is split over two fields.
    const START_LOW: u64 = 0x1f;
    let words = hs::words::<9>();
    let Some(Tessellation { control, .. }) = tessellation else {
        return words.dwords;
    };
    let UrbStageShader {
        kernel_offset_bytes,
        scratch,
        first_grf,
        ..
    } = control.program;
    let mut words = words
        .flag(hs::ENABLE, true)
        .flag(hs::STATISTICS_ENABLE, true)
        .flag(hs::INCLUDE_VERTEX_HANDLES, true)
        .with(hs::KERNEL_START_POINTER, kernel_offset_bytes)
        .with(hs::MAXIMUM_NUMBER_OF_THREADS, threads - 1)
        .with(
            hs::INSTANCE_COUNT,
            u64::from(control.info.instances().saturating_sub(1)),
        )
        .with(
            hs::DISPATCH_GRF_START_REGISTER_FOR_URB_DATA,
            u64::from(first_grf) & START_LOW,
        )
        .with(
            hs::DISPATCH_GRF_START_REGISTER_FOR_URB_DATA_5,
            u64::from(first_grf) >> START_LOW.count_ones(),
        );
    if scratch.thread_bytes > 0 {
        words = words
            .with(hs::PER_THREAD_SCRATCH_SPACE, scratch.code())
            .with(hs::SCRATCH_SPACE_BASE_POINTER, scratch.address);
    }
    words.dwords
}

/// 3DSTATE_TE, with the domain origin in the upper left or the lower left corner.
pub(super) fn engine(tessellation: Option<&Tessellation<'_>>, lower_left: bool) -> [u32; 4] {
    use state_te as te;
    let words = te::words::<4>();
    let Some(tessellation) = tessellation else {
        return words.dwords;
    };
    let info = tessellation.evaluation.info;
    // The hardware's v axis points down, as Vulkan's does with an upper left origin.
    let output = match (info.point_mode, info.domain) {
        (true, _) => te_output_topology::POINT,
        (false, TessDomain::Isolines) => te_output_topology::LINE,
        (false, _) if info.ccw == lower_left => te_output_topology::TRI_CW,
        (false, _) => te_output_topology::TRI_CCW,
    };
    words
        .flag(te::TE_ENABLE, true)
        .with(te::TE_DOMAIN, info.domain as u64)
        .with(te::PARTITIONING, info.spacing as u64)
        .with(te::OUTPUT_TOPOLOGY, output)
        .with(
            te::MAXIMUM_TESSELLATION_FACTOR_ODD,
            63.0_f32.to_bits().into(),
        )
        .with(
            te::MAXIMUM_TESSELLATION_FACTOR_NOT_ODD,
            64.0_f32.to_bits().into(),
        )
        .dwords
}

/// 3DSTATE_DS.
pub(super) fn domain(tessellation: Option<&Tessellation<'_>>, threads: u64) -> [u32; 11] {
    use state_ds as ds;
    let words = ds::words::<11>();
    let Some(Tessellation { evaluation, .. }) = tessellation else {
        return words.dwords;
    };
    let UrbStageShader {
        kernel_offset_bytes,
        scratch,
        first_grf,
        ..
    } = evaluation.program;
    let info = evaluation.info;
    let mut words = words
        .flag(ds::ENABLE, true)
        .flag(ds::STATISTICS_ENABLE, true)
        .with(ds::DISPATCH_MODE, ds_dispatch_mode::SIMD8_SINGLE_PATCH)
        .with(ds::KERNEL_START_POINTER, kernel_offset_bytes)
        .with(ds::MAXIMUM_NUMBER_OF_THREADS, threads - 1)
        .flag(
            ds::COMPUTE_W_COORDINATE_ENABLE,
            info.domain == TessDomain::Triangles,
        )
        .with(ds::PATCH_URB_ENTRY_READ_LENGTH, info.pushed_grf.into())
        .with(
            ds::DISPATCH_GRF_START_REGISTER_FOR_URB_DATA,
            first_grf.into(),
        )
        .with(
            ds::USER_CLIP_DISTANCE_CLIP_TEST_ENABLE_BITMASK,
            info.outputs.clip_distances.into(),
        )
        .with(
            ds::USER_CLIP_DISTANCE_CULL_TEST_ENABLE_BITMASK,
            info.outputs.cull_distances.into(),
        );
    if scratch.thread_bytes > 0 {
        words = words
            .with(ds::PER_THREAD_SCRATCH_SPACE, scratch.code())
            .with(ds::SCRATCH_SPACE_BASE_POINTER, scratch.address);
    }
    words.dwords
}

/// 3DSTATE_GS.
pub(super) fn geometry(shader: Option<&GeometryShader<'_>>, threads: u64) -> [u32; 10] {
    use state_gs as gs;
    /// Low part of the start register, which is split over two fields.
    const START_LOW: u64 = 0xf;
    let words = gs::words::<10>();
    let Some(GeometryShader { program, info }) = shader else {
        return words.dwords;
    };
    let points = info.topology == abi::OutputTopology::Points;
    let mut words = words
        .flag(gs::ENABLE, true)
        .flag(gs::STATISTICS_ENABLE, true)
        .with(gs::DISPATCH_MODE, gs_dispatch_mode::SIMD8)
        .with(gs::KERNEL_START_POINTER, program.kernel_offset_bytes)
        .with(gs::MAXIMUM_NUMBER_OF_THREADS, threads - 1)
        .flag(gs::INCLUDE_VERTEX_HANDLES, true)
        .flag(gs::INCLUDE_PRIMITIVE_ID, info.primitive_id)
        .with(gs::EXPECTED_VERTEX_COUNT, info.vertices_in.into())
        .with(
            gs::INSTANCE_CONTROL,
            u64::from(info.invocations.saturating_sub(1)),
        )
        .with(gs::REORDER_MODE, reorder_mode::TRAILING)
        .with(gs::DEFAULT_STREAM_ID, info.stream.into())
        .with(gs::OUTPUT_TOPOLOGY, info.topology as u64)
        .with(gs::OUTPUT_VERTEX_SIZE, u64::from(info.vertex_slots()) - 1)
        .with(
            gs::CONTROL_DATA_FORMAT,
            if points {
                control_data_format::SID
            } else {
                control_data_format::CUT
            },
        )
        .with(gs::CONTROL_DATA_HEADER_SIZE, info.control_grf().into())
        .with(
            gs::DISPATCH_GRF_START_REGISTER_FOR_URB_DATA,
            u64::from(program.first_grf) & START_LOW,
        )
        .with(
            gs::DISPATCH_GRF_START_REGISTER_FOR_URB_DATA_5_4,
            u64::from(program.first_grf) >> START_LOW.count_ones(),
        )
        .with(
            gs::USER_CLIP_DISTANCE_CLIP_TEST_ENABLE_BITMASK,
            info.outputs.clip_distances.into(),
        )
        .with(
            gs::USER_CLIP_DISTANCE_CULL_TEST_ENABLE_BITMASK,
            info.outputs.cull_distances.into(),
        );
    if program.scratch.thread_bytes > 0 {
        words = words
            .with(gs::PER_THREAD_SCRATCH_SPACE, program.scratch.code())
            .with(gs::SCRATCH_SPACE_BASE_POINTER, program.scratch.address);
    }
    words.dwords
}
