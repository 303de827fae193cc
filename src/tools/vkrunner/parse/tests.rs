use super::parse;
use crate::script::{
    Compare, Operation, PipelineKey, PipelineState, ProbePlace, ShaderSource, Tolerance,
};

fn error(text: &str) -> (usize, String) {
    let error = parse(text, &[]).expect_err(text);
    (error.line, error.message)
}

#[test]
fn a_compute_script_is_read_whole() {
    let script = parse(
        "[require]\nvulkan 1.1\nshaderInt64\n\n[compute shader]\n#version 450\nvoid main() {}\n\n\
         [test]\nssbo 1:2 subdata vec3 0 1 2 3  4 5 6 # two\nssbo 0 64\ncompute 1 2 3\n\
         compute entrypoint other\ncompute 1 1 1\nprobe ssbo vec3 1:2 16 ~= 4 5 6\n",
        &[],
    )
    .unwrap();
    assert_eq!(script.requirements.version, (1, 1, 0));
    assert_eq!(script.requirements.core_features.len(), 1);
    assert!(
        matches!(&script.shaders[0].1, ShaderSource::Glsl(parts) if parts[0].0 == 6 && parts[0].1.contains("#version"))
    );
    let sizes: Vec<_> = script
        .buffers
        .iter()
        .map(|b| (b.set, b.binding, b.size))
        .collect();
    assert_eq!(sizes, [(0, 0, 64), (1, 2, 28)]);
    assert_eq!(
        script.pipelines,
        [
            PipelineKey::Compute("main".into()),
            PipelineKey::Compute("other".into())
        ]
    );
    assert!(
        matches!(&script.commands[0].op, Operation::SetBuffer { buffer: 1, bytes, .. } if bytes.len() == 28)
    );
    assert!(matches!(
        script.commands[3].op,
        Operation::ProbeSsbo {
            compare: Compare::Fuzzy,
            offset: 16,
            ..
        }
    ));
    assert!(!script.needs_graphics());
}

#[test]
fn probes_and_tolerances() {
    let script = parse(
        "[test]\ntolerance 1% 2% 3% 4%\nprobe all rgb 1 0 0\nprobe rect rgba (1, 2,3,4) (0.5, 0, 0, 1)\n\
         relative probe rgb ( .5 , .25 ) (1,1,1)\nprobe rgb(0, 0) (1, 1, 1)\n",
        &[],
    )
    .unwrap();
    let Operation::ProbeRect {
        place: Some(place),
        tolerance,
        components,
        ..
    } = script.commands[1].op
    else {
        panic!("{:?}", script.commands[1]);
    };
    assert_eq!(place, ProbePlace::Pixels([1, 2, 3, 4]));
    assert_eq!(components, 4);
    assert_eq!(
        tolerance,
        Tolerance {
            values: [1.0, 2.0, 3.0, 4.0],
            percent: true
        }
    );
    assert!(matches!(
        script.commands[2].op,
        Operation::ProbeRect {
            place: Some(ProbePlace::Relative([0.5, 0.25, ..])),
            ..
        }
    ));
    assert_eq!(script.commands.len(), 4);
}

#[test]
fn properties_and_draws_make_pipelines() {
    let script = parse(
        "[test]\ncullMode VK_CULL_MODE_FRONT_BIT | VK_CULL_MODE_BACK_BIT\nlineWidth 2.5\n\
         draw arrays instanced indexed TRIANGLE_LIST 1 3 7\ndepthTestEnable true\ndraw rect ortho -1 -1 2 2\n",
        &[],
    )
    .unwrap();
    let PipelineKey::Graphics { state, .. } = &script.pipelines[0] else {
        panic!("{:?}", script.pipelines);
    };
    assert_eq!((state.int("cullMode"), state.float("lineWidth")), (3, 2.5));
    assert_eq!(state.int("depthTestEnable"), 0);
    assert!(matches!(
        script.commands[0].op,
        Operation::DrawArrays {
            indexed: true,
            first: 1,
            count: 3,
            instances: 7,
            ..
        }
    ));
    assert!(matches!(
        script.commands[1].op,
        Operation::DrawRect { ortho: true, .. }
    ));
    assert_eq!(script.pipelines.len(), 2);
}

#[test]
fn samples_are_required_and_their_properties_set() {
    let script = parse(
        "[require]\nframebuffer R8_UNORM\nframebuffer samples 4\n[test]\nsampleMask 0x5\nsampleShadingEnable true\n\
         minSampleShading 0.5\nalphaToCoverageEnable 1\nalphaToOneEnable true\ndraw rect -1 -1 2 2\n",
        &[],
    )
    .unwrap();
    assert_eq!(script.requirements.samples, 4);
    assert_eq!(script.requirements.framebuffer.name, "R8_UNORM");
    let PipelineKey::Graphics { state, .. } = &script.pipelines[0] else {
        panic!("{:?}", script.pipelines);
    };
    let ints = ["sampleMask", "sampleShadingEnable", "alphaToOneEnable"];
    assert_eq!(ints.map(|name| state.int(name)), [5, 1, 1]);
    assert_eq!(state.float("minSampleShading"), 0.5);
    let default = PipelineState::new();
    assert_eq!(default.int("sampleMask"), 0xffff_ffff);
    assert_eq!(default.int("alphaToCoverageEnable"), 0);
    assert_eq!(parse("[test]\n", &[]).unwrap().requirements.samples, 1);
}

#[test]
fn vertex_data_follows_its_header() {
    let script = parse(
        "[vertex data]\n0/R8G8B8_UNORM 1/float/vec2 2/A2R10G10B10_UNORM_PACK32\n255 0 0  1 2  0xffffffff\n[indices]\n0 1\n2\n[test]\n",
        &[],
    )
    .unwrap();
    let data = script.vertex_data.unwrap();
    assert_eq!(data.stride, 16);
    assert_eq!(data.attributes[1].offset, 4);
    assert_eq!(data.bytes[..3], [255, 0, 0]);
    assert_eq!(data.bytes[12..], [255; 4]);
    assert_eq!(script.indices, [0, 1, 2]);
}

#[test]
fn mistakes_are_reported_with_their_line() {
    for (text, line, message) in [
        ("x", 1, "expected empty line"),
        ("[nonsense]\n", 1, "Unknown section “nonsense”"),
        ("[test\n", 1, "Missing “]”"),
        ("[test] x\n", 1, "Trailing data after “]”"),
        (
            "[test]\n[require]\n",
            2,
            "[require] must be the first section",
        ),
        ("[require]\na b\n", 2, "Invalid require line"),
        ("[require]\nframebuffer FOO\n", 2, "Unknown format: FOO"),
        (
            "[require]\nframebuffer samples 3\n",
            2,
            "Invalid framebuffer samples: 3; a pixel has 1, 2, 4, 8, 16, 32 or 64",
        ),
        (
            "[require]\nframebuffer samples\n",
            2,
            "Invalid framebuffer samples: ; a pixel has 1, 2, 4, 8, 16, 32 or 64",
        ),
        ("[test]\nfoo\n", 2, "Invalid test command"),
        ("[test]\ncompute 1 1\n", 2, "Invalid test command"),
        ("[test]\nssbo 0 subdata foo 0 1\n", 2, "Invalid type: foo"),
        (
            "[test]\nubo 0 4\n\\\nssbo 0 4\n",
            3,
            "Buffer binding point 0:0 used with different type",
        ),
        ("[test]\ncullMode VK_NONE\n", 2, "Invalid value: VK_NONE"),
        ("[vertex data]\n\n[test]\n", 1, "Missing header line"),
        (
            "[vertex data]\n0/float/vec2\n1 2 3\n",
            3,
            "Extra data at end of line",
        ),
        ("[indices]\n65536\n", 2, "Invalid index: 65536"),
        (
            "[compute shader]\n[compute shader spirv]\n",
            2,
            super::MIXED,
        ),
        (
            "[compute shader binary]\nxyz\n",
            2,
            "Invalid hex value: xyz",
        ),
    ] {
        assert_eq!(error(text), (line, message.to_string()), "{text:?}");
    }
    assert_eq!(error("[test]\nssbo 0 subdata int 0 08\n").0, 2);
}

#[test]
fn unknown_keywords_of_newer_runners_skip() {
    let script = parse("[require]\ncooperative_matrix m=8\n[test]\n", &[]).unwrap();
    assert!(script.requirements.unknown.is_some());
}
