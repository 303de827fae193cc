//! Memory, a recorder of draws, and a simulated Skylake in strict mode.

use std::sync::Arc;

use cmd::draw::DrawParams;
use cmd::draw::recorder::{BatchDrawState, DrawPipeline};
use cmd::draw::state::{DirtyGroups, FixedFunctionState, PixelRect, Viewport};
use cmd::draw::target::{DepthBuffer, DepthFormat, DepthStencilTarget, RenderTargets};
use cmd::{DeviceInfo, Gen9, HeapBases, PendingFlushes, Recorder};
use gpu::{AddressSpace, AddressSpaceView};
use hw::state::render_surface_state as rss;
use ingot_tests::batch::{self, ADDRESS as BATCH, Batch, device, dwords, map};

/// The width and height of the target in pixels.
pub const SIZE: u32 = 16;
/// Addresses.
const CODE: u64 = 0x20_0000;
pub const VERTICES: u64 = 0x30_0000;
pub const INDICES: u64 = 0x40_0000;
const COLOUR: u64 = 0x50_0000;
const DEPTH: u64 = 0x60_0000;
/// A quadword that is written and never read.
const SCRAP: u64 = INDICES + 0x8000;
/// Bytes of a row of the target: R32G32B32A32_FLOAT.
const PITCH_BYTES: u64 = SIZE as u64 * 16;

/// A recorder of draws, its memory, and its render targets.
pub struct Rig {
    space: AddressSpace,
    recorder: Recorder<Gen9, Batch>,
    targets: RenderTargets,
}

fn surface(kind: u64) -> hw::PacketWords<16> {
    rss::PACKET
        .words::<16>()
        .with(rss::SURFACE_TYPE, kind)
        .with(rss::SURFACE_VERTICAL_ALIGNMENT, 1)
        .with(rss::SURFACE_HORIZONTAL_ALIGNMENT, 1)
        .with(rss::WIDTH, u64::from(SIZE - 1))
        .with(rss::HEIGHT, u64::from(SIZE - 1))
        .with(rss::MIP_TAIL_START_LOD, 15)
}

impl Rig {
    /// A cleared target, and a context with its initial state set.
    pub fn new() -> Rig {
        let mut space = AddressSpace::new();
        map(&mut space, [BATCH, CODE, VERTICES, INDICES, COLOUR, DEPTH]);
        const SURFACE_2D: u64 = 1;
        const SURFACE_NULL: u64 = 7;
        // R32G32B32A32_FLOAT is format 0.
        let colour = surface(SURFACE_2D)
            .with(rss::SURFACE_PITCH, PITCH_BYTES - 1)
            .with(rss::SURFACE_BASE_ADDRESS, COLOUR)
            .with(rss::SHADER_CHANNEL_SELECT_RED, 4)
            .with(rss::SHADER_CHANNEL_SELECT_GREEN, 5)
            .with(rss::SHADER_CHANNEL_SELECT_BLUE, 6)
            .with(rss::SHADER_CHANNEL_SELECT_ALPHA, 7);
        let area = PixelRect {
            width: SIZE,
            height: SIZE,
            ..PixelRect::default()
        };
        let mut colours = [None; 8];
        colours[0] = Some(colour.dwords);
        let targets = RenderTargets {
            dithered: false,
            inherited: false,
            colours,
            records: [None; 8],
            null: surface(SURFACE_NULL).dwords,
            depth_stencil: DepthStencilTarget::default(),
            area,
        };
        let machine = DeviceInfo {
            device: device(),
            max_threads: device().total_threads(),
            dynamic_base: BATCH,
            bindless_base: 0,
            scrap_address: SCRAP,
            has_barrier_mode: false,
            full_state: false,
        };
        let mut recorder = Recorder::new(Batch::new(), machine);
        let heaps = HeapBases {
            general: 0,
            surface: 0,
            dynamic: BATCH,
            instruction: CODE,
            bindless: 0,
            bindless_surfaces: 1,
        };
        recorder.context(device(), &heaps).expect("room");
        recorder.draws().set_targets(&targets);
        let mut rig = Rig {
            space,
            recorder,
            targets,
        };
        rig.write(CODE, crate::kernels::VERTEX.as_flattened());
        rig.write(
            CODE + crate::kernels::FRAGMENT_OFFSET,
            crate::kernels::FRAGMENT.as_flattened(),
        );
        rig.constants(&[1.0, 0.0]);
        rig.change(DirtyGroups::ALL, |state| {
            state.viewports[0] = Viewport {
                width: SIZE as f32,
                height: SIZE as f32,
                far: 1.0,
                ..Viewport::default()
            };
            state.scissors[0] = area;
        });
        rig
    }

    fn draws(&mut self) -> &mut BatchDrawState<Gen9> {
        self.recorder.draws()
    }

    pub fn write(&self, address: u64, words: &[u32]) {
        batch::write(&self.space, address, words);
    }

    /// Sets the application's constants.
    pub fn constants(&mut self, values: &[f32]) {
        self.constants_from(0, values);
    }

    /// Sets the constants from a dword on.
    pub fn constants_from(&mut self, first_dw: u32, values: &[f32]) {
        let bytes: Vec<u8> = values
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect();
        assert!(self.draws().push(first_dw * 4, &bytes));
    }

    pub fn bind(&mut self, shaders: cmd::draw::shader::PipelineShaders<'_>) {
        let pipeline = DrawPipeline::new(device(), &shaders, None).expect("it fits");
        self.draws()
            .bind(&Arc::new(pipeline), |_| DirtyGroups::NONE);
    }

    pub fn change(&mut self, groups: DirtyGroups, change: impl FnOnce(&mut FixedFunctionState)) {
        self.draws().change(groups, change);
    }

    /// Adds a depth buffer with a value everywhere: Y tiles, each of 128 bytes and 32 rows.
    pub fn add_depth(&mut self, value: f32) {
        self.write(DEPTH, &vec![value.to_bits(); 0x4000 / 4]);
        self.targets.depth_stencil = DepthStencilTarget {
            depth: Some(DepthBuffer {
                format: DepthFormat::D32Float,
                address: DEPTH,
                pitch_bytes: 128,
                qpitch_rows: 32,
                hierarchy: None,
            }),
            width: SIZE,
            height: SIZE,
            layers: 1,
            ..DepthStencilTarget::default()
        };
        self.recorder.draws().set_targets(&self.targets);
    }

    /// Makes an array of so many layers of the target.
    pub fn add_layers(&mut self, layers: u32) {
        let last = u64::from(layers - 1);
        for colour in self.targets.colours.iter_mut().flatten() {
            rss::SURFACE_ARRAY.set(colour, 1);
            rss::DEPTH.set(colour, last);
            rss::RENDER_TARGET_VIEW_EXTENT.set(colour, last);
            rss::SURFACE_QPITCH.set(colour, u64::from(SIZE / 4));
        }
        self.recorder.draws().set_targets(&self.targets);
    }

    pub fn draw(&mut self, draw: &DrawParams) {
        assert_eq!(self.recorder.draw(draw), Ok(true));
    }

    pub fn draw_indirect(&mut self, address: u64) {
        assert_eq!(self.recorder.draw_indirect(address, false, 0), Ok(true));
    }

    /// Makes the results of draws visible to the commands after them.
    pub fn barrier(&mut self) {
        self.recorder
            .barrier(PendingFlushes::STALL.with(PendingFlushes::FLUSH_TARGETS));
    }

    /// Writes machine code at an offset of the instruction heap.
    pub fn code(&self, offset_bytes: u64, code: &[u8]) {
        let words = dwords(code);
        self.write(CODE + offset_bytes, &words);
    }

    /// Binds the same targets again.
    pub fn again(&mut self) {
        self.recorder.draws().set_targets(&self.targets);
    }

    /// The number of dwords of commands so far.
    pub fn words(&self) -> usize {
        self.recorder.stream().commands_dw()
    }

    /// Executes what was recorded.
    pub fn run(&mut self) {
        self.recorder.end().expect("room");
        self.recorder.stream().memory().execute(&self.space, "");
    }

    /// Red, green, blue, alpha.
    pub fn pixel(&self, x: u32, y: u32) -> [f32; 4] {
        self.pixel_of(0, x, y)
    }

    /// As [`Rig::pixel`], of a layer.
    pub fn pixel_of(&self, layer: u32, x: u32, y: u32) -> [f32; 4] {
        let address = COLOUR + u64::from(layer * SIZE + y) * PITCH_BYTES + u64::from(x) * 16;
        let mut words = [0; 4];
        AddressSpaceView::new(&self.space)
            .read_block(address, &mut words)
            .expect("mapped");
        words.map(f32::from_bits)
    }
}
