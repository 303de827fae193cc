//! Threads of vertices and pixels: compiled code on a payload made here, against the formulas of
//! the shader.
//!
//! The payload's layout is read from the PRM for this file, not taken from the simulator's fixed
//! functions.

use abi::StageInfo;
use eu::{
    Kernel, Message, MessageReply, SharedFunctions, StopReason, Thread, ThreadExit, ThreadInit,
};
use std::sync::Arc;

/// A message that a thread has sent.
struct Sent {
    sfid: u8,
    desc: u32,
    lanes: u32,
    data: Vec<u32>,
    eot: bool,
}

#[derive(Default)]
struct Recorder {
    sent: Vec<Sent>,
}

impl SharedFunctions for Recorder {
    fn message(
        &mut self,
        m: &Message<'_>,
        _response: &mut [u32],
    ) -> Result<MessageReply, StopReason> {
        self.sent.push(Sent {
            sfid: m.sfid,
            desc: m.desc,
            lanes: m.lanes,
            data: m.src0.iter().chain(m.src1).copied().collect(),
            eot: m.eot,
        });
        Ok(MessageReply::Done)
    }

    fn timestamp(&mut self) -> u64 {
        0
    }
}

fn compile(text: &str, width: u8) -> abi::ShaderBinary {
    let shader = nir::parse(text).expect("NIR");
    nir::validate(&shader).expect("valid NIR");
    let options = fs::Options {
        required_width: Some(width),
        validate: true,
        ..fs::Options::default()
    };
    let device = hw::Device::by_name("skl").expect("a device");
    fs::compile(&shader, device, &options).expect("code")
}

/// Runs one thread. `push` follows the fixed-function payload.
fn run(binary: &abi::ShaderBinary, payload: &[u32], mask: u32, pixels: bool) -> Vec<Sent> {
    let code = &binary.code;
    let fetch = |at: u64| {
        let mut out = [0; 16];
        if let Some(bytes) = code.get(at as usize..at as usize + 16) {
            out.copy_from_slice(bytes);
        }
        Ok(out)
    };
    let kernel = Kernel::decode(&fetch, 0, hw::Gen::Gen9).expect("a kernel");
    let init = ThreadInit {
        sr0: [0; 8],
        vector_mask: pixels,
        cr0: 1 << 7,
        tdr0: [0; 4],
    };
    let options = eu::Options {
        strict: true,
        uninit: true,
        statistics: false,
    };
    let mut thread = Thread::new(&Arc::new(kernel), payload, mask, &init, options);
    let mut recorder = Recorder::default();
    let exit = thread
        .run(&mut recorder, 10_000)
        .expect("no rule is broken");
    assert!(matches!(exit, ThreadExit::Eot));
    recorder.sent
}

/// Registers of a payload.
struct Payload(Vec<u32>);

impl Payload {
    fn new() -> Payload {
        Payload(Vec::new())
    }
    fn reg(&mut self, at: usize) -> &mut [u32] {
        let end = (at + 1) * 8;
        if self.0.len() < end {
            self.0.resize(end, 0);
        }
        &mut self.0[at * 8..end]
    }
    fn floats(&mut self, at: usize, values: [f32; 8]) {
        self.reg(at).copy_from_slice(&values.map(f32::to_bits));
    }
}

fn float(sent: &Sent, reg: usize, lane: usize) -> f32 {
    f32::from_bits(sent.data[reg * 8 + lane])
}

const VERTEX: &str = "shader vertex {
b0:
    %0:32 = const 0
    %1:32x4 = load_input %0 {base=0 component=0 location=var0 num_slots=1}
    %2:32x2 = load_input %0 {base=1 component=1 location=var3 num_slots=1}
    %3:32 = load_vertex_id
    %4:32 = load_instance_id
    store_output %1, %0 {base=0 write_mask=15 component=0 location=pos num_slots=1 index=0 stream=0}
    store_output %3, %0 {base=1 write_mask=1 component=0 location=var0 num_slots=1 index=0 stream=0}
    store_output %4, %0 {base=2 write_mask=1 component=1 location=var5 num_slots=1 index=0 stream=0}
    %5:32 = fmul %2.x, %2.y
    store_output %5, %0 {base=3 write_mask=1 component=0 location=psiz num_slots=1 index=0 stream=0}
}
";

#[test]
fn vertices_are_written_to_their_urb_slots() {
    let binary = compile(VERTEX, 8);
    let StageInfo::Vertex(info) = &binary.stage else {
        panic!("a vertex shader");
    };
    use abi::VertexElement as E;
    assert_eq!(
        info.elements,
        [E::Location(0), E::Location(3), E::DrawParameters]
    );
    // Header, position, locations 0 and 5.
    assert_eq!(info.outputs.vue.slots, [1, 0, 32, 37]);
    let mut payload = Payload::new();
    payload.reg(0);
    payload
        .reg(1)
        .copy_from_slice(&[10, 11, 12, 13, 14, 15, 16, 17]);
    let at = usize::from(binary.variants[0].push_grf);
    for c in 0..4 {
        payload.floats(at + c, std::array::from_fn(|l| (l + 10 * c) as f32));
        payload.floats(at + 4 + c, std::array::from_fn(|l| (l * (c + 1)) as f32));
    }
    payload.reg(at + 8).fill(100);
    payload.reg(at + 9).fill(0);
    payload
        .reg(at + 10)
        .copy_from_slice(&[0, 1, 2, 3, 4, 5, 6, 7]);
    payload.reg(at + 11).fill(3);
    let sent = run(&binary, &payload.0, 0xff, false);
    assert_eq!(sent.len(), 2);
    let (first, second) = (&sent[0], &sent[1]);
    assert!(sent.iter().all(|s| s.sfid == 6
        && s.desc & 0xf == 7
        && s.data[..8] == [10, 11, 12, 13, 14, 15, 16, 17]));
    // Slot offsets of the two messages; the second ends the thread.
    assert_eq!((first.desc >> 4 & 0x7ff, first.eot), (0, false));
    assert_eq!((second.desc >> 4 & 0x7ff, second.eot), (2, true));
    for l in 0..8 {
        let sizes = [l * 2, l * 3].map(|n| n as f32);
        assert_eq!(float(first, 4, l), sizes[0] * sizes[1], "point size of {l}");
        for c in 0..4 {
            assert_eq!(
                float(first, 5 + c, l),
                (l + 10 * c) as f32,
                "position of {l}"
            );
        }
        assert_eq!(second.data[8 + l], 100 + l as u32, "VertexIndex");
        assert_eq!(second.data[6 * 8 + l], 3, "InstanceId");
    }
}

const PIXELS: &str = "shader fragment {
b0:
    %0:32 = const 0
    %1:32x4 = load_frag_coord
    %2:32x2 = load_barycentric_pixel {interp_mode=smooth}
    %3:32x2 = load_interpolated_input %2, %0 {base=0 component=1 location=var1 num_slots=1}
    %4:32 = load_input %0 {base=1 component=3 location=var2 num_slots=1}
    %5:1 = flt %1.x, %4
    demote_if %5
    %6:32 = ddx_fine %3
    %7:32 = ddy_fine %3
    %8:32 = ddx %3
    %9:32 = ddy %3
    %10:1 = is_helper_invocation
    %11:1 = load_front_face
    %12:32 = const 1065353216
    %13:32 = bcsel %10, %12, %0
    %14:32 = bcsel %11, %12, %0
    %15:32x4 = vec4 %6, %7, %8, %9
    %16:32x4 = vec4 %1.x, %1.y, %1.z, %1.w
    %17:32x4 = vec4 %3.x, %3.y, %13, %14
    store_output %15, %0 {base=0 write_mask=15 component=0 location=var0 num_slots=1 index=0 stream=0}
    store_output %16, %0 {base=0 write_mask=15 component=0 location=var1 num_slots=1 index=0 stream=0}
    store_output %17, %0 {base=0 write_mask=15 component=0 location=var4 num_slots=1 index=0 stream=0}
}
";

/// Left upper corners of four subspans.
const CORNERS: [[u32; 2]; 4] = [[4, 8], [6, 8], [20, 2], [4, 10]];

/// Horizontal place, vertical place of a lane.
fn place(lane: usize) -> [f32; 2] {
    let corner = CORNERS[lane / 4];
    [
        corner[0] + (lane as u32 & 1),
        corner[1] + (lane as u32 >> 1 & 1),
    ]
    .map(|n| n as f32 + 0.5)
}

/// Weights of the vertices at a lane: not linear, so that each quad has four different differences.
fn weights(lane: usize) -> [f32; 2] {
    let [x, y] = place(lane);
    [x * 0.25 + y * y, x * y]
}

fn pixels(width: usize, front: bool, live: u32) {
    let binary = compile(PIXELS, width as u8);
    let StageInfo::Fragment(info) = &binary.stage else {
        panic!("a fragment shader");
    };
    assert_eq!((&info.inputs[..], info.flat_inputs), (&[33, 34][..], 0b10));
    assert_eq!(
        (info.barycentric_modes, info.source_depth, info.source_w),
        (1, true, true)
    );
    assert_eq!(
        (info.targets, info.kills, info.dual_source),
        (0b10011, true, false)
    );
    let regs = width / 8;
    let mut payload = Payload::new();
    payload.reg(0)[0] = if front { 0x1234 } else { 0x9234 };
    for (s, corner) in CORNERS.iter().enumerate().take(width / 4) {
        payload.reg(1)[2 + s] = corner[0] | corner[1] << 16;
    }
    payload.reg(1)[7] = live;
    for half in 0..regs {
        for n in 0..2 {
            let value = |l| weights(8 * half + l)[n];
            payload.floats(2 + 2 * half + n, std::array::from_fn(value));
        }
        let depth = 2 + 2 * regs;
        payload.floats(
            depth + half,
            std::array::from_fn(|l| (8 * half + l) as f32 / 16.0),
        );
        payload.floats(depth + regs + half, [4.0; 8]);
    }
    let setup = usize::from(binary.variants[0].push_grf);
    assert_eq!(setup, 2 + 4 * regs);
    // Components 1 and 2 of the first attribute, 3 of the second: x, y, unused, constant.
    payload.floats(setup, [0.0, 0.0, 0.0, 0.0, 2.0, 3.0, 0.0, 0.5]);
    payload.floats(setup + 1, [-1.0, 0.25, 0.0, 7.0, 0.0, 0.0, 0.0, 0.0]);
    payload.floats(setup + 2, [0.0; 8]);
    payload.floats(setup + 3, [0.0, 0.0, 0.0, 0.0, 9.0, 9.0, 9.0, 6.0]);
    let sent = run(&binary, &payload.0, live, true);
    assert_eq!(sent.len(), 3);
    let a = |l: usize| {
        let [u, v] = weights(l);
        2.0 * u + 3.0 * v + 0.5
    };
    let near = |got: f32, want: f32, what: &str| {
        let close = (got - want).abs() <= 1e-4 * want.abs().max(1.0);
        assert!(close, "SIMD{width} {what}: {got}, not {want}");
    };
    // Demoted left of x = 6; the others and those that were no pixels from the start write nothing.
    let alive = (0..width).filter(|&l| live >> l & 1 == 1 && place(l)[0] >= 6.0);
    let mask = alive.clone().fold(0, |m, l| m | 1 << l);
    for (s, target) in sent.iter().zip([0, 1, 4]) {
        assert_eq!((s.sfid, s.desc & 0xff, s.lanes), (5, target, mask));
        assert_eq!(s.eot, target == 4);
        assert_eq!(
            (s.data[2], s.data[15] & 0xffff),
            (target, mask),
            "the header's"
        );
    }
    let value =
        |target: usize, c: usize, l: usize| float(&sent[target], 2 + c * regs + l / 8, l % 8);
    for l in alive {
        let quad = l & !3;
        let row = l & !1;
        near(value(0, 0, l), a(row + 1) - a(row), "ddx_fine");
        near(
            value(0, 1, l),
            a(quad + 2 + (l & 1)) - a(quad + (l & 1)),
            "ddy_fine",
        );
        near(value(0, 2, l), a(quad + 1) - a(quad), "ddx");
        near(value(0, 3, l), a(quad + 2) - a(quad), "ddy");
        let [x, y] = place(l);
        near(value(1, 0, l), x, "x");
        near(value(1, 1, l), y, "y");
        near(value(1, 2, l), l as f32 / 16.0, "z");
        near(value(1, 3, l), 0.25, "1/w");
        let [u, v] = weights(l);
        near(value(2, 0, l), a(l), "an input");
        near(
            value(2, 1, l),
            -u + 0.25 * v + 7.0,
            "an input's second component",
        );
        assert_eq!(value(2, 2, l), 0.0, "no helper writes");
        assert_eq!(value(2, 3, l), f32::from(u8::from(front)), "front face");
    }
}

#[test]
fn pixels_are_interpolated_and_demoted() {
    pixels(8, true, 0b1111_0111);
    pixels(8, false, 0b1111_1111);
    pixels(16, true, 0b1011_1111_0110_1011);
    pixels(16, false, 0xffff);
}
