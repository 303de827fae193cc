//! Tests of pipeline switches: which packets a draw emits after another pipeline's.

use super::*;
use crate::Gen9;
use crate::draw::generation::StaticState;
use crate::draw::shader::{
    ControlShader, EvaluationShader, FragmentInput, FragmentShader, FragmentVariant,
    GeometryShader, InputSource, PipelineShaders, StreamOut, Tessellation, UrbStageShader,
    VertexShader,
};
use crate::draw::state::{BlendFactor, CullMode, PolygonMode};
use crate::draw::target::DepthStencilTarget;
use crate::generation::ScratchSpace;
use crate::recorder::Recorder;
use crate::stream::testing::HostChunks;
use hw::batch;

const MACHINE: DeviceInfo = DeviceInfo {
    device: &hw::DEVICES[0],
    max_threads: 168,
    dynamic_base: 0x1_0000_0000,
    bindless_base: 0x3_0000_0000,
    scrap_address: 0x7000_0040,
    has_barrier_mode: false,
    full_state: false,
};

type Tested = Recorder<Gen9, HostChunks>;

const THREE: DrawParams = DrawParams {
    vertices: 3,
    instances: 1,
    first_vertex: 0,
    first_instance: 0,
    indexed: None,
    number: 0,
};

/// What the shaders of a pipeline refer to.
#[derive(Default)]
struct Parts {
    vertex_push: abi::PushData,
    fragment_push: abi::PushData,
    geometry: abi::GeometryInfo,
    control: abi::TessControlInfo,
    evaluation: abi::TessEvalInfo,
}

impl Parts {
    fn new() -> Self {
        let words = |constants_dw| abi::PushData {
            constants_dw,
            ..abi::PushData::default()
        };
        let mut outputs = abi::VertexOutputs::default();
        outputs.vue.slots = vec![0, 1, 2, 3];
        Self {
            vertex_push: words(2),
            fragment_push: words(4),
            geometry: abi::GeometryInfo {
                vertices_in: 3,
                invocations: 1,
                vertices_out: 3,
                outputs: outputs.clone(),
                ..abi::GeometryInfo::default()
            },
            control: abi::TessControlInfo::default(),
            evaluation: abi::TessEvalInfo {
                outputs,
                ..abi::TessEvalInfo::default()
            },
        }
    }

    fn vertex_and_fragment(&self) -> PipelineShaders<'_> {
        let variant = |kernel_offset_bytes| {
            Some(FragmentVariant {
                kernel_offset_bytes,
                first_grf: 2,
            })
        };
        PipelineShaders {
            vertex: VertexShader {
                kernel_offset_bytes: 0x1000,
                scratch: ScratchSpace::default(),
                inputs: VertexInputs {
                    locations: 1,
                    ..VertexInputs::default()
                },
                first_grf: 1,
                output_slots: 4,
                push: &self.vertex_push,
            },
            tessellation: None,
            geometry: None,
            fragment: Some(FragmentShader {
                inputs: vec![FragmentInput {
                    source: InputSource::Slot(2),
                    flat: false,
                }],
                barycentrics: 1,
                ..FragmentShader::new(
                    [variant(0x2000), variant(0x2400), None],
                    &self.fragment_push,
                )
            }),
            stream_out: StreamOut::default(),
            counted: true,
            writes_point_size: false,
            writes_layer: false,
            writes_viewport: false,
            clip_distances: 0,
            cull_distances: 0,
        }
    }

    fn with_tessellation(&self, control: u64, evaluation: u64) -> PipelineShaders<'_> {
        let program = |kernel_offset_bytes| UrbStageShader {
            kernel_offset_bytes,
            scratch: ScratchSpace::default(),
            first_grf: 1,
            push: &self.vertex_push,
        };
        PipelineShaders {
            tessellation: Some(Tessellation {
                control: ControlShader {
                    program: program(control),
                    info: &self.control,
                },
                evaluation: EvaluationShader {
                    program: program(evaluation),
                    info: &self.evaluation,
                },
            }),
            ..self.vertex_and_fragment()
        }
    }

    fn with_geometry(&self, kernel_offset_bytes: u64) -> PipelineShaders<'_> {
        PipelineShaders {
            geometry: Some(GeometryShader {
                program: UrbStageShader {
                    kernel_offset_bytes,
                    scratch: ScratchSpace::default(),
                    first_grf: 1,
                    push: &self.vertex_push,
                },
                info: &self.geometry,
            }),
            ..self.vertex_and_fragment()
        }
    }
}

fn targets() -> RenderTargets {
    let surface = hw::state::render_surface_state::PACKET.words::<16>().dwords;
    let mut colours = [None; 8];
    colours[0] = Some(surface);
    RenderTargets {
        dithered: false,
        inherited: false,
        colours,
        records: [None; 8],
        null: surface,
        depth_stencil: DepthStencilTarget::default(),
        area: crate::draw::state::PixelRect {
            width: 16,
            height: 16,
            ..Default::default()
        },
    }
}

/// State with one colour target written.
fn plain_state() -> Box<FixedFunctionState> {
    let mut state = Box::<FixedFunctionState>::default();
    state.blend.targets[0].write_mask = 0xf;
    state
}

fn pipeline(
    shaders: &PipelineShaders<'_>,
    state: &FixedFunctionState,
    groups: DirtyGroups,
) -> Arc<DrawPipeline<Gen9>> {
    let fixed = StaticState { state, groups };
    Arc::new(DrawPipeline::new(MACHINE.device, shaders, Some(&fixed)).expect("within the limits"))
}

/// All groups that pipelines can set.
const STATIC: DirtyGroups = DirtyGroups::ATTRIBUTES
    .with(DirtyGroups::ASSEMBLY)
    .with(DirtyGroups::RASTER)
    .with(DirtyGroups::MULTISAMPLE)
    .with(DirtyGroups::BLEND)
    .with(DirtyGroups::VIEWPORTS);

/// Binds a pipeline with its state, of which `groups` differ from what was bound before.
fn bind(
    recorder: &mut Tested,
    pipeline: &Arc<DrawPipeline<Gen9>>,
    state: &FixedFunctionState,
    groups: DirtyGroups,
) {
    recorder.draws().bind(pipeline, |to| {
        *to = state.clone();
        groups
    });
}

fn recorder(machine: DeviceInfo) -> Tested {
    let mut recorder = Recorder::new(HostChunks::default(), machine);
    recorder.draws().set_targets(&targets());
    recorder
}

/// All packets so far, by name, without jumps between chunks.
fn packets(recorder: &Tested) -> Vec<(&'static str, Vec<u32>)> {
    let (stream, mut found) = (recorder.stream(), Vec::new());
    let memory = stream.memory();
    for (index, chunk) in memory.chunks.iter().enumerate() {
        let used = memory.used.get(index).copied();
        let words = &chunk[..used.unwrap_or(stream.commands_dw())];
        for command in batch::commands(words, hw::Gen::Gen9) {
            let packet = command.packet.expect("a packet of the tables");
            found.push((packet.name, command.words.to_vec()));
        }
    }
    found
}

fn draw(recorder: &mut Tested) -> Vec<&'static str> {
    let before = packets(recorder).len();
    assert_eq!(recorder.draw(&THREE), Ok(true));
    let all = packets(recorder);
    all[before..].iter().map(|packet| packet.0).collect()
}

/// Names of the packets of a draw with `second` after one with `first`, without 3DPRIMITIVE. Going
/// back to `first` must emit the same.
fn switch(
    first: (&PipelineShaders<'_>, &FixedFunctionState),
    second: (&PipelineShaders<'_>, &FixedFunctionState),
    differ: DirtyGroups,
    fixed: DirtyGroups,
) -> Vec<&'static str> {
    let pipelines = [first, second].map(|(shaders, state)| pipeline(shaders, state, fixed));
    let mut recorder = recorder(MACHINE);
    bind(&mut recorder, &pipelines[0], first.1, DirtyGroups::ALL);
    draw(&mut recorder);
    let mut emitted = [(1, second.1), (0, first.1), (1, second.1)].map(|(index, state)| {
        bind(&mut recorder, &pipelines[index], state, differ);
        let mut names = draw(&mut recorder);
        assert_eq!(names.pop(), Some("3DPRIMITIVE"));
        names
    });
    assert_eq!(emitted[0], emitted[1]);
    assert_eq!(emitted[0], emitted[2]);
    std::mem::take(&mut emitted[0])
}

/// As [`switch`], for pipelines whose shaders differ.
fn shader_switch<'a>(
    parts: &'a Parts,
    change: impl FnOnce(&mut PipelineShaders<'a>),
) -> Vec<&'static str> {
    let first = parts.vertex_and_fragment();
    let mut second = first.clone();
    change(&mut second);
    let state = plain_state();
    let (first, second) = ((&first, &*state), (&second, &*state));
    let static_state = switch(first, second, DirtyGroups::NONE, STATIC);
    let dynamic_state = switch(first, second, DirtyGroups::NONE, DirtyGroups::NONE);
    assert_eq!(static_state, dynamic_state);
    static_state
}

/// As [`switch`], for pipelines whose state differs in a group.
fn state_switch(
    group: DirtyGroups,
    change: impl FnOnce(&mut FixedFunctionState),
) -> Vec<&'static str> {
    let parts = Parts::new();
    let shaders = parts.vertex_and_fragment();
    let first = plain_state();
    let mut second = first.clone();
    change(&mut second);
    let (first, second) = ((&shaders, &*first), (&shaders, &*second));
    let static_state = switch(first, second, group, STATIC);
    let dynamic_state = switch(first, second, group, DirtyGroups::NONE);
    assert_eq!(static_state, dynamic_state);
    static_state
}

const URB: [&str; 4] = [
    "3DSTATE_URB_VS",
    "3DSTATE_URB_HS",
    "3DSTATE_URB_DS",
    "3DSTATE_URB_GS",
];
const VERTEX_CONSTANTS: [&str; 2] = ["3DSTATE_CONSTANT_VS", "3DSTATE_BINDING_TABLE_POINTERS_VS"];
const FRAGMENT_CONSTANTS: [&str; 2] = ["3DSTATE_CONSTANT_PS", "3DSTATE_BINDING_TABLE_POINTERS_PS"];

fn fragment<'s, 'a>(shaders: &'s mut PipelineShaders<'a>) -> &'s mut FragmentShader<'a> {
    shaders.fragment.as_mut().expect("a fragment shader")
}

#[test]
fn equal_pipelines_have_nothing_to_emit() {
    assert!(shader_switch(&Parts::new(), |_| {}).is_empty());
}

#[test]
fn other_code_emits_the_packet_of_the_stage() {
    let parts = Parts::new();
    let emitted = shader_switch(&parts, |s| s.vertex.kernel_offset_bytes = 0x3000);
    assert_eq!(emitted, ["3DSTATE_VS"]);
    let emitted = shader_switch(&parts, |s| {
        fragment(s).variants[0] = Some(FragmentVariant {
            kernel_offset_bytes: 0x3000,
            first_grf: 2,
        });
    });
    assert_eq!(emitted, ["3DSTATE_PS"]);
    let state = plain_state();
    let [first, second] = [0x3000, 0x3400].map(|code| parts.with_geometry(code));
    let emitted = switch(
        (&first, &state),
        (&second, &state),
        DirtyGroups::NONE,
        STATIC,
    );
    assert_eq!(emitted, ["3DSTATE_GS"]);
}

#[test]
fn other_tessellation_emits_the_packets_of_its_stages() {
    let (parts, mut lines) = (Parts::new(), Parts::new());
    lines.evaluation.domain = abi::TessDomain::Isolines;
    let state = plain_state();
    let first = parts.with_tessellation(0x3000, 0x4000);
    let switch = |second: &PipelineShaders<'_>| {
        let (first, second) = ((&first, &*state), (second, &*state));
        switch(first, second, DirtyGroups::NONE, STATIC)
    };
    let emitted = switch(&parts.with_tessellation(0x3400, 0x4000));
    assert_eq!(emitted, ["3DSTATE_HS"]);
    let emitted = switch(&parts.with_tessellation(0x3000, 0x4400));
    assert_eq!(emitted, ["3DSTATE_DS"]);
    // Isolines have another tessellator state, and lines are clipped and rasterised otherwise.
    let emitted = switch(&lines.with_tessellation(0x3000, 0x4000));
    assert!(emitted.contains(&"3DSTATE_TE") && !emitted.contains(&"3DSTATE_DS"));
}

#[test]
fn primitive_assembly_is_emitted_if_it_differs() {
    let emitted = state_switch(DirtyGroups::ASSEMBLY, |state| state.restart = true);
    assert_eq!(emitted, ["3DSTATE_VF_TOPOLOGY", "3DSTATE_VF"]);
    assert!(state_switch(DirtyGroups::ASSEMBLY, |_| {}).is_empty());
}

#[test]
fn an_added_stage_divides_the_urb_and_emits_constants() {
    let parts = Parts::new();
    let (without, with) = (parts.vertex_and_fragment(), parts.with_geometry(0x3000));
    let state = plain_state();
    let pipelines = [&without, &with].map(|shaders| pipeline(shaders, &state, STATIC));
    let mut recorder = recorder(MACHINE);
    bind(&mut recorder, &pipelines[0], &state, DirtyGroups::ALL);
    draw(&mut recorder);
    bind(&mut recorder, &pipelines[1], &state, DirtyGroups::NONE);
    let expected = [
        &URB[..],
        &["3DSTATE_GS"],
        &VERTEX_CONSTANTS,
        &["3DSTATE_CONSTANT_GS", "3DSTATE_BINDING_TABLE_POINTERS_GS"],
        &FRAGMENT_CONSTANTS,
        &["3DPRIMITIVE"],
    ];
    let mut emitted = draw(&mut recorder);
    // The order of the constants of different stages is of no importance.
    let mut expected = expected.concat();
    let first = expected.len() - 7;
    expected[first..].sort_unstable();
    emitted[first..].sort_unstable();
    assert_eq!(emitted, expected);
}

#[test]
fn larger_vertices_divide_the_urb() {
    // Constants lie in the URB.
    let emitted = shader_switch(&Parts::new(), |s| s.vertex.output_slots = 12);
    let expected = [&URB[..], &VERTEX_CONSTANTS, &FRAGMENT_CONSTANTS].concat();
    assert_eq!(emitted, expected);
}

#[test]
fn other_inputs_emit_attribute_setup_or_vertex_elements() {
    let parts = Parts::new();
    let emitted = shader_switch(&parts, |s| {
        fragment(s).inputs[0].source = InputSource::Slot(3);
    });
    // The pair of slots that is read is the same.
    assert_eq!(emitted, ["3DSTATE_SBE_SWIZ"]);
    let emitted = shader_switch(&parts, |s| fragment(s).inputs[0].flat = true);
    assert_eq!(emitted, ["3DSTATE_SBE"]);
    let emitted = shader_switch(&parts, |s| s.vertex.inputs.locations = 2);
    // Both shaders have one element, of the same format.
    assert!(emitted.is_empty(), "{emitted:?}");
    let emitted = state_switch(DirtyGroups::ATTRIBUTES, |state| {
        state.attributes[0].offset_bytes = 4;
    });
    let elements = [
        "3DSTATE_VERTEX_ELEMENTS",
        "3DSTATE_VF_INSTANCING",
        "3DSTATE_VF_SGVS",
    ];
    assert_eq!(emitted, elements);
}

#[test]
fn other_fragment_facts_emit_their_packets() {
    let parts = Parts::new();
    let emitted = shader_switch(&parts, |s| fragment(s).reads_depth = true);
    assert_eq!(emitted, ["3DSTATE_PS_EXTRA"]);
    let emitted = shader_switch(&parts, |s| fragment(s).kills = true);
    assert_eq!(emitted, ["3DSTATE_PS_EXTRA", "3DSTATE_WM"]);
    let emitted = shader_switch(&parts, |s| fragment(s).barycentrics = 8);
    assert_eq!(emitted, ["3DSTATE_CLIP", "3DSTATE_WM"]);
    let emitted = shader_switch(&parts, |s| s.writes_point_size = true);
    assert_eq!(emitted, ["3DSTATE_SF"]);
    let emitted = shader_switch(&parts, |s| s.writes_layer = true);
    assert_eq!(emitted, ["3DSTATE_CLIP"]);
}

#[test]
fn other_push_data_emits_the_constants_of_the_stage() {
    let (parts, mut more) = (Parts::new(), Parts::new());
    more.vertex_push.constants_first_dw = 1;
    more.fragment_push.constants_dw = 3;
    let (shaders, state) = (parts.vertex_and_fragment(), plain_state());
    let vertex = PipelineShaders {
        vertex: more.vertex_and_fragment().vertex,
        ..shaders.clone()
    };
    let emitted = switch(
        (&shaders, &state),
        (&vertex, &state),
        DirtyGroups::NONE,
        STATIC,
    );
    assert_eq!(emitted, VERTEX_CONSTANTS);
    let fragment = PipelineShaders {
        fragment: more.vertex_and_fragment().fragment,
        ..shaders.clone()
    };
    let emitted = switch(
        (&shaders, &state),
        (&fragment, &state),
        DirtyGroups::NONE,
        STATIC,
    );
    assert_eq!(emitted, FRAGMENT_CONSTANTS);
}

#[test]
fn other_raster_state_emits_the_packets_that_hold_it() {
    let switch = |change: fn(&mut FixedFunctionState)| state_switch(DirtyGroups::RASTER, change);
    assert_eq!(
        switch(|s| s.raster.cull = CullMode::Back),
        ["3DSTATE_RASTER"]
    );
    assert_eq!(
        switch(|s| s.raster.fill = PolygonMode::Lines),
        ["3DSTATE_RASTER"]
    );
    assert_eq!(switch(|s| s.raster.line_width = 3.0), ["3DSTATE_SF"]);
    assert_eq!(
        switch(|s| s.raster.provoking_last = true),
        ["3DSTATE_SF", "3DSTATE_CLIP"]
    );
    assert_eq!(switch(|s| s.raster.discard = true), ["3DSTATE_STREAMOUT"]);
}

#[test]
fn other_multisample_state_emits_its_packets() {
    let switch =
        |change: fn(&mut FixedFunctionState)| state_switch(DirtyGroups::MULTISAMPLE, change);
    let multisample = ["3DSTATE_MULTISAMPLE", "3DSTATE_SAMPLE_MASK"];
    assert_eq!(switch(|s| s.multisample.samples = 4), multisample);
    assert_eq!(
        switch(|s| s.multisample.alpha_to_one = true),
        ["3DSTATE_BLEND_STATE_POINTERS"]
    );
}

#[test]
fn other_blending_emits_its_state_once() {
    let blended = |state: &mut FixedFunctionState| {
        let target = &mut state.blend.targets[0];
        target.blended = true;
        for equation in &mut target.equations {
            equation.destination = BlendFactor::Zero;
        }
    };
    let emitted = state_switch(DirtyGroups::BLEND, blended);
    let pointers = ["3DSTATE_BLEND_STATE_POINTERS", "3DSTATE_PS_BLEND"];
    assert_eq!(emitted, pointers);
    // The memory of a batch holds each state once.
    let parts = Parts::new();
    let shaders = parts.vertex_and_fragment();
    let (first, mut second) = (plain_state(), plain_state());
    blended(&mut second);
    let states = [&first, &second];
    let pipelines = states.map(|state| pipeline(&shaders, state, STATIC));
    let mut recorder = recorder(MACHINE);
    for round in 0..6 {
        let index = round % 2;
        bind(
            &mut recorder,
            &pipelines[index],
            states[index],
            DirtyGroups::BLEND,
        );
        draw(&mut recorder);
    }
    let all = packets(&recorder);
    let named = all.iter().filter(|packet| packet.0 == pointers[0]);
    let mut addresses: Vec<u32> = named.map(|packet| packet.1[1]).collect();
    assert_eq!(addresses.len(), 6);
    addresses.sort_unstable();
    addresses.dedup();
    assert_eq!(addresses.len(), 2);
}

#[test]
fn words_pushed_between_pipelines_are_emitted_for_both() {
    let parts = Parts::new();
    let (shaders, state) = (parts.vertex_and_fragment(), plain_state());
    let pipelines = [(); 2].map(|()| pipeline(&shaders, &state, STATIC));
    let mut recorder = recorder(MACHINE);
    bind(&mut recorder, &pipelines[0], &state, DirtyGroups::ALL);
    draw(&mut recorder);
    // The vertex shader reads the first two words, the fragment shader the first four.
    assert!(recorder.draws().push(8, &[1; 4]));
    bind(&mut recorder, &pipelines[1], &state, DirtyGroups::NONE);
    let expected = [&FRAGMENT_CONSTANTS[..], &["3DPRIMITIVE"]].concat();
    assert_eq!(draw(&mut recorder), expected);
    bind(&mut recorder, &pipelines[0], &state, DirtyGroups::NONE);
    assert_eq!(draw(&mut recorder), ["3DPRIMITIVE"]);
}

#[test]
fn a_stage_that_was_off_gets_its_constants_again() {
    let parts = Parts::new();
    let (with, without) = (parts.with_geometry(0x3000), parts.vertex_and_fragment());
    let state = plain_state();
    let pipelines = [&with, &without].map(|shaders| pipeline(shaders, &state, STATIC));
    let mut recorder = recorder(MACHINE);
    for (index, word) in [(0, 1), (1, 2), (0, 2)] {
        bind(&mut recorder, &pipelines[index], &state, DirtyGroups::ALL);
        assert!(recorder.draws().push(0, &[word; 4]));
        draw(&mut recorder);
    }
    let all = packets(&recorder);
    let named = all
        .iter()
        .filter(|packet| packet.0 == "3DSTATE_CONSTANT_GS");
    let memory = recorder.stream().memory();
    let pushed: Vec<u32> = named
        .filter_map(|packet| {
            // The only buffer is the last one.
            let (registers, address) = (packet.1[2] >> 16, packet.1[9]);
            let address = u64::from(packet.1[10]) << 32 | u64::from(address);
            (registers != 0).then(|| memory.word(address) & 0xff)
        })
        .collect();
    assert_eq!(pushed, [1, 2]);
}

#[test]
fn the_index_of_a_draw_is_bound_for_shaders_that_read_it() {
    let parts = Parts::new();
    let first = parts.vertex_and_fragment();
    let [mut bases, mut index] = [first.clone(), first];
    bases.vertex.inputs.bases = true;
    index.vertex.inputs.bases = true;
    index.vertex.inputs.draw_id = true;
    let state = plain_state();
    let pipelines = [&bases, &index].map(|shaders| pipeline(shaders, &state, STATIC));
    let mut recorder = recorder(MACHINE);
    bind(&mut recorder, &pipelines[0], &state, DirtyGroups::ALL);
    let buffers = |names: Vec<&str>| {
        let named = names
            .iter()
            .filter(|name| **name == "3DSTATE_VERTEX_BUFFERS");
        named.count()
    };
    assert_eq!(buffers(draw(&mut recorder)), 1);
    bind(&mut recorder, &pipelines[1], &state, DirtyGroups::NONE);
    assert_eq!(buffers(draw(&mut recorder)), 2);
    assert_eq!(buffers(draw(&mut recorder)), 0);
}

#[test]
fn a_hiz_operation_replaces_its_own_packets_only() {
    let parts = Parts::new();
    let (shaders, state) = (parts.vertex_and_fragment(), plain_state());
    let only = pipeline(&shaders, &state, STATIC);
    let mut recorder = recorder(MACHINE);
    bind(&mut recorder, &only, &state, DirtyGroups::ALL);
    draw(&mut recorder);
    let before = packets(&recorder).len();
    let target = DepthStencilTarget::default();
    recorder.hiz_op(&target, 4, &HizOp::Resolve).unwrap();
    let all = packets(&recorder);
    let mut replaced: Vec<&str> = all[before..].iter().map(|packet| packet.0).collect();
    replaced.sort_unstable();
    replaced.dedup();
    // Neither is state of draws.
    replaced.retain(|name| !["PIPE_CONTROL", "3DSTATE_WM_HZ_OP"].contains(name));
    let emitted = draw(&mut recorder);
    for name in replaced {
        assert!(emitted.contains(&name), "{name}");
    }
    for name in ["3DSTATE_URB_VS", "3DSTATE_PS", "3DSTATE_CONSTANT_VS"] {
        assert!(!emitted.contains(&name), "{name}");
    }
}

#[test]
fn everything_is_emitted_after_others_used_the_3d_pipeline() {
    let parts = Parts::new();
    let (shaders, state) = (parts.vertex_and_fragment(), plain_state());
    let only = pipeline(&shaders, &state, STATIC);
    let start = || {
        let mut recorder = recorder(MACHINE);
        bind(&mut recorder, &only, &state, DirtyGroups::ALL);
        recorder
    };
    let mut first = start();
    let all = draw(&mut first);
    let whole: Vec<&str> = all
        .into_iter()
        .skip_while(|name| *name != "3DSTATE_URB_VS")
        .filter(|name| *name != "PIPE_CONTROL")
        .collect();
    assert!(whole.len() > 30, "{whole:?}");
    let again = |recorder: &mut Tested| -> Vec<&str> {
        let names = draw(recorder);
        let names = names.into_iter().filter(|name| *name != "PIPE_CONTROL");
        names
            .skip_while(|name| *name != "3DSTATE_URB_VS")
            .filter(|name| *name != "STATE_BASE_ADDRESS")
            .collect()
    };
    let expected: Vec<&str> = whole
        .into_iter()
        .filter(|name| *name != "STATE_BASE_ADDRESS")
        .collect();
    first.draws().invalidate();
    assert_eq!(again(&mut first), expected);
    // A secondary that inherits the targets.
    let left = Recorder::<Gen9, _>::new(HostChunks::default(), MACHINE).end_state();
    let executed = first.execute_secondary_in_rendering(left, std::iter::empty());
    assert_eq!(executed, Ok(true));
    bind(&mut first, &only, &state, DirtyGroups::NONE);
    assert_eq!(again(&mut first), expected);
    // For diagnosis, each draw.
    let mut full = recorder(DeviceInfo {
        full_state: true,
        ..MACHINE
    });
    bind(&mut full, &only, &state, DirtyGroups::ALL);
    draw(&mut full);
    assert_eq!(again(&mut full), expected);
}
