//! Draws recorded by `cmd`, executed by the simulated GPU in strict mode.
//!
//! In:  state, shaders whose bytes were assembled by iga64, targets. Out: images, which must be
//!      the ones that were meant, and the number of words, which must not grow where nothing has
//!      changed.

mod compiled;
mod kernels;
mod primitives;
mod rig;

use cmd::draw::DrawParams;
use cmd::draw::state::{
    BlendEquation, BlendFactor, BlendOp, BlendTarget, CompareOp, CullMode, DepthStencil,
    DirtyGroups, IndexBuffer, IndexType, Topology, VertexAttribute, VertexBuffer,
};
use rig::{INDICES, Rig, SIZE, VERTICES};

/// R32G32B32A32_FLOAT.
const FLOAT4: u16 = 0;

/// A vertex: position, colour.
type Vertex = [[f32; 4]; 2];

const RED: [f32; 4] = [1.0, 0.0, 0.0, 1.0];
const GREEN: [f32; 4] = [0.0, 1.0, 0.0, 1.0];

/// Two triangles that cover the columns from `left` to `right`, in normalized coordinates, at a
/// depth.
fn quad(left: f32, right: f32, depth: f32, colour: [f32; 4]) -> Vec<Vertex> {
    let corner = |x: f32, y: f32| [[x, y, depth, 1.0], colour];
    vec![
        corner(left, -1.0),
        corner(right, -1.0),
        corner(left, 1.0),
        corner(right, -1.0),
        corner(right, 1.0),
        corner(left, 1.0),
    ]
}

/// A rig that is ready to draw vertices of this kind.
fn rig(vertices: &[Vertex]) -> Rig {
    let mut rig = Rig::new();
    let words: Vec<u32> = vertices
        .iter()
        .flatten()
        .flatten()
        .map(|v| v.to_bits())
        .collect();
    rig.write(VERTICES, &words);
    rig.bind(kernels::pipeline());
    rig.change(DirtyGroups::ALL, |state| {
        let attribute = |offset_bytes| VertexAttribute {
            offset_bytes,
            format: FLOAT4,
            channels: 4,
            ..VertexAttribute::default()
        };
        state.attributes[0] = attribute(0);
        state.attributes[1] = attribute(16);
        state.vertex_buffers[0] = VertexBuffer {
            address: VERTICES,
            bytes: words.len() as u32 * 4,
            stride_bytes: 32,
        };
        state.vertex_buffer_count = 1;
        state.blend.targets[0].write_mask = 0xf;
    });
    rig
}

fn vertices(count: u32) -> DrawParams {
    DrawParams {
        vertices: count,
        instances: 1,
        ..DrawParams::default()
    }
}

#[test]
fn triangle_coverage() {
    let mut rig = rig(&[
        [[-1.0, -1.0, 0.0, 1.0], RED],
        [[1.0, -1.0, 0.0, 1.0], RED],
        [[-1.0, 1.0, 0.0, 1.0], RED],
    ]);
    rig.draw(&vertices(3));
    rig.run();
    for y in 0..SIZE {
        for x in 0..SIZE {
            let inside = x + y < SIZE - 1;
            let edge = x + y == SIZE - 1;
            if !edge {
                let expected = if inside { RED } else { [0.0; 4] };
                assert_eq!(rig.pixel(x, y), expected, "{x}, {y}");
            }
        }
    }
}

#[test]
fn interpolated_colour_scaled_by_a_push_constant() {
    let mut rig = rig(&[
        [[-1.0, -1.0, 0.0, 1.0], [0.0, 0.0, 0.0, 1.0]],
        [[3.0, -1.0, 0.0, 1.0], [2.0, 0.0, 0.0, 1.0]],
        [[-1.0, 3.0, 0.0, 1.0], [0.0, 2.0, 0.0, 1.0]],
    ]);
    // The vertex shader multiplies red by the first constant.
    rig.constants(&[0.5, 0.0]);
    rig.draw(&vertices(3));
    rig.run();
    let centre = |at: u32| (at as f32 + 0.5) / SIZE as f32;
    for (x, y) in [(0, 0), (SIZE - 1, 0), (5, 9), (SIZE - 1, SIZE - 1)] {
        let [red, green, _, _] = rig.pixel(x, y);
        assert!((red - centre(x) / 2.0).abs() < 1e-5, "{x} {red}");
        assert!((green - centre(y)).abs() < 1e-5, "{y} {green}");
    }
}

#[test]
fn unchanged_state_is_not_emitted_again() {
    let mut rig = rig(&quad(-1.0, 1.0, 0.0, RED));
    let before = rig.words();
    rig.draw(&vertices(3));
    let first = rig.words() - before;
    rig.draw(&vertices(6));
    let second = rig.words() - before - first;
    // 3DPRIMITIVE alone.
    assert_eq!(second, 7, "of {first}");
    rig.change(DirtyGroups::SCISSORS, |state| state.scissors[0].width = 4);
    rig.draw(&vertices(6));
    assert!(rig.words() - before - first - second < 20);
    // Of the shaders, that of vertices reads the first constant, and none the second.
    for (constants, said) in [(&[0.5][..], 11 + 2), (&[0.5, 1.0], 11 + 2)] {
        let before = rig.words();
        rig.constants(constants);
        rig.draw(&vertices(6));
        assert_eq!(rig.words() - before, said + 7, "{constants:?}");
    }
    let before = rig.words();
    rig.constants_from(1, &[2.0]);
    rig.draw(&vertices(6));
    assert_eq!(rig.words() - before, 7);
    rig.run();
}

#[test]
fn consecutive_render_passes() {
    let mut rig = rig(&quad(-1.0, 1.0, 0.0, RED));
    // Each has a table of its own; the last ones are far from the first.
    for round in 0..20 {
        rig.change(DirtyGroups::SCISSORS, |state| {
            state.scissors[0].x = round % SIZE
        });
        rig.barrier();
        rig.again();
        rig.draw(&vertices(6));
    }
    rig.run();
    assert_eq!(rig.pixel(0, 0), RED);
    assert_eq!(rig.pixel(SIZE - 1, 0), RED);
}

#[test]
fn scissor_test() {
    let mut rig = rig(&quad(-1.0, 1.0, 0.0, RED));
    rig.change(DirtyGroups::SCISSORS, |state| {
        let scissor = &mut state.scissors[0];
        (scissor.x, scissor.y, scissor.width, scissor.height) = (3, 5, 4, 2);
    });
    rig.draw(&vertices(6));
    rig.run();
    let drawn = |x: u32, y: u32| (3..7).contains(&x) && (5..7).contains(&y);
    for (x, y) in [(2, 5), (3, 5), (6, 6), (7, 6), (3, 4), (3, 7)] {
        let expected = if drawn(x, y) { RED } else { [0.0; 4] };
        assert_eq!(rig.pixel(x, y), expected, "{x}, {y}");
    }
}

#[test]
fn back_face_culling() {
    for (cull, clockwise, seen) in [
        (CullMode::None, false, true),
        (CullMode::Back, true, true),
        (CullMode::Back, false, false),
        (CullMode::Front, true, false),
        (CullMode::Both, true, false),
    ] {
        // On a screen whose rows go down, left to right to below goes round clockwise.
        let mut rig = rig(&quad(-1.0, 1.0, 0.0, RED));
        rig.change(DirtyGroups::RASTER, |state| {
            state.raster.cull = cull;
            state.raster.front_is_clockwise = clockwise;
        });
        rig.draw(&vertices(6));
        rig.run();
        assert_eq!(rig.pixel(4, 4) == RED, seen, "{cull:?}, {clockwise}");
    }
}

#[test]
fn depth_test_less() {
    let near = quad(-1.0, 0.0, 0.25, RED);
    let far = quad(-1.0, 1.0, 0.75, GREEN);
    let mut rig = rig(&[near, far].concat());
    rig.add_depth(1.0);
    rig.change(DirtyGroups::DEPTH_STENCIL, |state| {
        state.depth_stencil = DepthStencil {
            depth_test: true,
            depth_compare: CompareOp::Less,
            depth_write: true,
            ..DepthStencil::default()
        };
    });
    rig.draw(&vertices(12));
    rig.run();
    assert_eq!(rig.pixel(1, 1), RED);
    assert_eq!(rig.pixel(SIZE - 2, 1), GREEN);
}

#[test]
fn alpha_blending() {
    let below = quad(-1.0, 1.0, 0.0, [0.25, 0.5, 0.0, 1.0]);
    let above = quad(-1.0, 1.0, 0.0, [0.5, 0.0, 1.0, 0.5]);
    let mut rig = rig(&[below, above].concat());
    let equation = BlendEquation {
        source: BlendFactor::SourceAlpha,
        destination: BlendFactor::OneMinusSourceAlpha,
        op: BlendOp::Add,
    };
    rig.change(DirtyGroups::BLEND, |state| {
        state.blend.targets[0] = BlendTarget {
            blended: true,
            equations: [equation; 2],
            write_mask: 0b1101,
        };
    });
    rig.draw(&vertices(12));
    rig.run();
    // Green is not written.
    assert_eq!(rig.pixel(3, 3), [0.375, 0.0, 0.5, 0.75]);
}

#[test]
fn indexed_and_instanced_draws() {
    let mut rig = rig(&quad(-1.0, 0.0, 0.0, RED));
    // 16-bit indices of the same two triangles, one from the end of the other's.
    rig.write(INDICES, &[0x0001_0000, 0x0003_0002, 0x0005_0004]);
    rig.change(DirtyGroups::INDEX_BUFFER, |state| {
        state.index_buffer = IndexBuffer {
            address: INDICES,
            bytes: 12,
            index: IndexType::U16,
            restart_index: None,
        };
    });
    rig.draw(&DrawParams {
        vertices: 6,
        instances: 3,
        indexed: Some(0),
        ..DrawParams::default()
    });
    rig.run();
    assert_eq!(rig.pixel(1, 8), RED);
    assert_eq!(rig.pixel(SIZE - 1, 8), [0.0; 4]);
}

#[test]
fn point_list_and_triangle_strip() {
    let mut rig = rig(&[[[0.0, 0.0, 0.0, 1.0], RED]]);
    rig.change(DirtyGroups::ASSEMBLY, |state| {
        state.topology = Topology::PointList
    });
    rig.draw(&vertices(1));
    rig.run();
    let lit = |rig: &Rig| {
        let all = (0..SIZE * SIZE).filter(|at| rig.pixel(at % SIZE, at / SIZE) == RED);
        all.count()
    };
    assert_eq!(lit(&rig), 1);
    let strip = quad(-1.0, 1.0, 0.0, RED);
    let mut rig = self::rig(&[strip[0], strip[1], strip[2], strip[4]]);
    rig.change(DirtyGroups::ASSEMBLY, |state| {
        state.topology = Topology::TriangleStrip
    });
    rig.draw(&vertices(4));
    rig.run();
    assert_eq!(lit(&rig), (SIZE * SIZE) as usize);
}

#[test]
fn indirect_draws_read_their_parameters_from_memory() {
    let mut rig = rig(&quad(-1.0, 1.0, 0.0, GREEN));
    rig.write(INDICES, &[6, 1, 0, 0]);
    rig.draw_indirect(INDICES);
    rig.run();
    assert_eq!(rig.pixel(7, 7), GREEN);
}
