//! Tests of the limits.

use super::*;

#[test]
fn workgroups_fit_a_subslice() {
    let basis = LimitInputs {
        timestamp_hz: 12_000_000,
        workgroup_threads: 56,
        slm_bytes: 65536,
        urb_bytes: 384 << 10,
    };
    let skylake = limits(&basis, |_| false);
    assert_eq!(skylake.max_compute_work_group_invocations, 1024);
    assert_eq!(skylake.timestamp_period, 83.333336);
    let small = limits(
        &LimitInputs {
            workgroup_threads: 6,
            ..basis
        },
        |_| false,
    );
    assert_eq!(small.max_compute_work_group_invocations, 192);
}

/// Bits of the slots of so many locations, with all clip distances if there are any.
fn slots(locations: u32, clip: bool) -> u128 {
    let user = ((1u128 << locations) - 1) << 32;
    user | if clip { 0b1100 } else { 0 }
}

/// Outputs of a stage with so many components, all of its locations and all clip distances.
fn largest_outputs(components: u32) -> abi::VertexOutputs {
    abi::VertexOutputs {
        vue: abi::VueMap::new(slots(components / 4, true)),
        ..abi::VertexOutputs::default()
    }
}

/// The patch with the longest URB entry: locations may have one component each.
fn largest_patch(limits: &api::PhysicalDeviceLimits) -> abi::PatchMap {
    let total = limits.max_tessellation_control_total_output_components;
    let patch = limits.max_tessellation_control_per_patch_output_components / 4;
    let locations = limits.max_tessellation_control_per_vertex_output_components / 4;
    let maps = (1..=limits.max_tessellation_patch_size).map(|points| {
        // Clip distances have eight components of each control point.
        let room = (total - patch) / points;
        let clip = room > 8;
        let locations = locations.min(if clip { room - 8 } else { room });
        abi::PatchMap::new(slots(patch, false), slots(locations, clip), points)
    });
    maps.max_by_key(abi::PatchMap::entry_slots).unwrap()
}

/// The geometry shader with the longest URB entry: locations may have one component each.
fn largest_geometry(limits: &api::PhysicalDeviceLimits) -> abi::GeometryInfo {
    let shaders = (1..=limits.max_geometry_output_components / 4).map(|locations| {
        let vertices = limits.max_geometry_total_output_components / locations;
        abi::GeometryInfo {
            outputs: abi::VertexOutputs {
                vue: abi::VueMap::new(slots(locations, false)),
                ..abi::VertexOutputs::default()
            },
            vertices_in: 6,
            invocations: 1,
            vertices_out: vertices.min(limits.max_geometry_output_vertices) as u16,
            streams: true,
            ..abi::GeometryInfo::default()
        }
    });
    shaders.max_by_key(abi::GeometryInfo::entry_slots).unwrap()
}

/// The pipelines of one part that reach every limit: with all stages, and without some.
fn assert_largest_pipelines_fit(device: &'static hw::Device) {
    use cmd::draw::shader as cs;
    let basis = LimitInputs {
        timestamp_hz: 12_000_000,
        workgroup_threads: 42,
        slm_bytes: 65536,
        urb_bytes: cmd::draw_urb_bytes(device),
    };
    let limits = limits(&basis, |_| true);
    let push = abi::PushData::default();
    let program = cs::UrbStageShader {
        kernel_offset_bytes: 0,
        scratch: cmd::ScratchSpace::default(),
        first_grf: 1,
        push: &push,
    };
    let outputs = largest_outputs(limits.max_vertex_output_components);
    let vertex = cs::VertexShader {
        kernel_offset_bytes: 0,
        scratch: program.scratch,
        inputs: cs::VertexInputs {
            locations: u32::MAX >> (32 - limits.max_vertex_input_attributes),
            vertex_id: true,
            draw_id: true,
            ..cs::VertexInputs::default()
        },
        first_grf: 1,
        output_slots: outputs.vue.slots.len() as u32,
        push: &push,
    };
    let control = abi::TessControlInfo {
        patch: largest_patch(&limits),
    };
    let evaluation = abi::TessEvalInfo {
        outputs: largest_outputs(limits.max_tessellation_evaluation_output_components),
        ..abi::TessEvalInfo::default()
    };
    let geometry = largest_geometry(&limits);
    for (tessellates, has_geometry) in [(false, false), (true, false), (false, true), (true, true)]
    {
        let tessellation = cs::Tessellation {
            control: cs::ControlShader {
                program,
                info: &control,
            },
            evaluation: cs::EvaluationShader {
                program,
                info: &evaluation,
            },
        };
        let geometry = cs::GeometryShader {
            program,
            info: &geometry,
        };
        let shaders = cs::PipelineShaders {
            vertex,
            tessellation: tessellates.then_some(tessellation),
            geometry: has_geometry.then_some(geometry),
            fragment: None,
            stream_out: cs::StreamOut::default(),
            counted: true,
            writes_point_size: true,
            writes_layer: false,
            writes_viewport: false,
            clip_distances: 0xff,
            cull_distances: 0,
        };
        let packed = cmd::draw::recorder::DrawPipeline::<cmd::Gen9>::new(device, &shaders, None);
        assert!(
            packed.is_some(),
            "{}: tessellation {tessellates}, geometry shader {has_geometry}",
            device.name
        );
    }
}

#[test]
fn the_largest_legal_pipeline_fits_every_part() {
    let gen9 = hw::DEVICES.iter().filter(|d| d.hw_gen == hw::Gen::Gen9);
    assert!(gen9.clone().count() > 90);
    gen9.for_each(assert_largest_pipelines_fit);
}
