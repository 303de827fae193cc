//! GLSL to a launch on a simulated Skylake in strict mode: descriptors are laid out by hand, as
//! crate `abi` says.

use abi::{DescriptorBinding, DescriptorKind, PipelineLayout, SetLayout};
use cmd::{
    ComputeKernel, DeviceInfo, Gen9, Generation, HeapBases, PackedDispatch, PendingFlushes,
    Recorder, ScratchSpace,
};
use gpu::{AddressSpace, AddressSpaceView};
use hw::state::{render_surface_state as rss, sampler_state};
use ingot_tests::batch::{self, ADDRESS as BATCH, BYTES, Batch, device, dwords, map};

const DYNAMIC: u64 = 0x20_0000;
const CODE: u64 = 0x30_0000;
const HEAP: u64 = 0x40_0000;
/// A quadword that is written and never read.
const SCRAP: u64 = DYNAMIC + 0x8000;
/// Memory of textures, images and buffers: so many pieces.
const PIECES: u64 = 0x100_0000;
const PIECE_COUNT: u64 = 16;

/// Elements of a binding's array.
const ELEMENTS: u32 = 4;
/// Bytes of an element: the largest that there is.
const STRIDE: u32 = 128;

/// What the dimensions of a surface mean: the values of its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    D1 = 0,
    D2 = 1,
    D3 = 2,
    Cube = 3,
    Buffer = 4,
}

/// A surface of one level, linear, in a piece of memory.
#[derive(Clone, Copy, Debug)]
pub struct Surface {
    pub kind: Kind,
    /// Number of the format, and bytes of a texel.
    pub format: u16,
    pub texel_bytes: u32,
    /// Width, height, and depth or layers (of a cube: faces).
    pub size: [u32; 3],
    pub array: bool,
    /// Number of the piece of memory.
    pub piece: u64,
}

impl Surface {
    /// An image in the plane.
    pub fn plane(format: u16, texel_bytes: u32, width: u32, height: u32, piece: u64) -> Surface {
        Surface {
            kind: Kind::D2,
            format,
            texel_bytes,
            size: [width, height, 1],
            array: false,
            piece,
        }
    }

    /// A buffer of bytes.
    pub fn bytes(bytes: u32, piece: u64) -> Surface {
        const RAW: u16 = 0x1ff;
        Surface::texels(RAW, 1, bytes, piece)
    }

    /// A buffer of texels.
    pub fn texels(format: u16, texel_bytes: u32, count: u32, piece: u64) -> Surface {
        Surface {
            kind: Kind::Buffer,
            format,
            texel_bytes,
            size: [count, 1, 1],
            array: false,
            piece,
        }
    }

    fn pitch_bytes(&self) -> u32 {
        (self.size[0] * self.texel_bytes).next_multiple_of(64)
    }

    /// Rows from one layer to the next.
    fn layer_rows(&self) -> u32 {
        self.size[1].next_multiple_of(4)
    }

    /// Byte of a texel in its piece.
    pub fn byte_of(&self, [x, y, z]: [u32; 3]) -> u64 {
        let row = y + z * self.layer_rows();
        u64::from(row) * u64::from(self.pitch_bytes()) + u64::from(x * self.texel_bytes)
    }

    fn state(&self, format: u16) -> [u32; 16] {
        let words = rss::PACKET
            .words::<16>()
            .with(rss::SURFACE_FORMAT, format.into())
            .with(rss::MIP_TAIL_START_LOD, 15)
            .with(rss::SURFACE_TYPE, self.kind as u64)
            .with(rss::SURFACE_BASE_ADDRESS, PIECES + self.piece * BYTES)
            .with(rss::SHADER_CHANNEL_SELECT_RED, 4)
            .with(rss::SHADER_CHANNEL_SELECT_GREEN, 5)
            .with(rss::SHADER_CHANNEL_SELECT_BLUE, 6)
            .with(rss::SHADER_CHANNEL_SELECT_ALPHA, 7);
        if self.kind == Kind::Buffer {
            let last = u64::from(self.size[0] - 1);
            return words
                .with(rss::WIDTH, last & 0x7f)
                .with(rss::HEIGHT, last >> 7 & 0x3fff)
                .with(rss::DEPTH, last >> 21)
                .with(rss::SURFACE_PITCH, u64::from(self.texel_bytes - 1))
                .dwords;
        }
        let deep = match self.kind {
            Kind::Cube => self.size[2] / 6,
            _ => self.size[2],
        };
        let rows = u64::from(self.layer_rows());
        let mut words = words
            .with(rss::SURFACE_VERTICAL_ALIGNMENT, 1)
            .with(rss::SURFACE_HORIZONTAL_ALIGNMENT, 1)
            .flag(rss::SURFACE_ARRAY, self.array || self.kind == Kind::Cube)
            .with(rss::WIDTH, u64::from(self.size[0] - 1))
            .with(rss::HEIGHT, u64::from(self.size[1] - 1))
            .with(rss::DEPTH, u64::from(deep - 1))
            .with(rss::RENDER_TARGET_VIEW_EXTENT, u64::from(deep - 1))
            .with(rss::SURFACE_PITCH, u64::from(self.pitch_bytes() - 1))
            .with(rss::SURFACE_QPITCH, rows / 4);
        if self.kind == Kind::Cube {
            for face in [
                rss::CUBE_FACE_ENABLE_POSITIVE_X,
                rss::CUBE_FACE_ENABLE_NEGATIVE_X,
                rss::CUBE_FACE_ENABLE_POSITIVE_Y,
                rss::CUBE_FACE_ENABLE_NEGATIVE_Y,
                rss::CUBE_FACE_ENABLE_POSITIVE_Z,
                rss::CUBE_FACE_ENABLE_NEGATIVE_Z,
            ] {
                words = words.flag(face, true);
            }
        }
        words.dwords
    }
}

/// The contents of a descriptor.
#[derive(Clone, Copy, Debug)]
pub enum Descriptor {
    /// A storage buffer.
    Buffer(Surface),
    /// A storage image or storage texel buffer.
    Image(Surface),
    /// A sampled image or uniform texel buffer.
    Texture(Surface),
    /// A sampler: nearest texels, clamped to the edge; it compares by this function.
    Sampler(u64),
    /// Both.
    Combined(Surface, u64),
}

/// A comparison for samplers that make none.
pub const NONE: u64 = 1;
/// Passes where the reference is less than the texel or equal: PREFILTEROP_LESS, what counts where
/// the texel is *not* less.
pub const LESS_OR_EQUAL: u64 = 2;

fn sampler(function: u64) -> [u32; 4] {
    const CLAMP: u64 = 2;
    sampler_state::PACKET
        .words::<4>()
        .with(sampler_state::SHADOW_FUNCTION, function)
        .with(sampler_state::TCX_ADDRESS_CONTROL_MODE, CLAMP)
        .with(sampler_state::TCY_ADDRESS_CONTROL_MODE, CLAMP)
        .with(sampler_state::TCZ_ADDRESS_CONTROL_MODE, CLAMP)
        .with(sampler_state::LOD_PRECLAMP_MODE, 2)
        .dwords
}

/// Memory with textures and buffers in it.
pub struct Rig {
    space: AddressSpace,
    bindings: Vec<DescriptorBinding>,
}

impl Rig {
    pub fn new() -> Rig {
        let mut space = AddressSpace::new();
        let pieces = (0..PIECE_COUNT).map(|n| PIECES + n * BYTES);
        map(
            &mut space,
            [BATCH, DYNAMIC, CODE, HEAP].into_iter().chain(pieces),
        );
        Rig {
            space,
            bindings: Vec::new(),
        }
    }

    fn write_at(&self, address: u64, words: &[u32]) {
        batch::write(&self.space, address, words);
    }

    /// Writes dwords from a byte of a piece on.
    pub fn write(&self, piece: u64, byte: u64, words: &[u32]) {
        self.write_at(PIECES + piece * BYTES + byte, words);
    }

    /// Reads dwords from a byte of a piece on.
    pub fn read(&self, piece: u64, byte: u64, count: usize) -> Vec<u32> {
        let mut words = vec![0; count];
        AddressSpaceView::new(&self.space)
            .read_block(PIECES + piece * BYTES + byte, &mut words)
            .expect("mapped");
        words
    }

    /// Address of a byte of a piece.
    pub fn address(piece: u64, byte: u64) -> [u32; 2] {
        let address = PIECES + piece * BYTES + byte;
        [address as u32, (address >> 32) as u32]
    }

    /// Writes a descriptor to an element of a binding.
    pub fn bind(&mut self, binding: u32, element: u32, descriptor: Descriptor) {
        let offset_bytes = binding * ELEMENTS * STRIDE;
        let at = HEAP + 64 + u64::from(offset_bytes + element * STRIDE);
        let last = at + u64::from(STRIDE - abi::DESCRIPTOR_SLOT_BYTES);
        let kind = match descriptor {
            Descriptor::Buffer(surface) => {
                let mut state = surface.state(surface.format);
                state[abi::SURFACE_BYTES_DWORD] = surface.size[0];
                self.write_at(at, &state);
                DescriptorKind::StorageBuffer
            }
            Descriptor::Image(surface) => {
                let read = abi::typed_read_format(surface.format).expect("a format of shaders");
                self.write_at(at, &surface.state(surface.format));
                self.write_at(
                    at + u64::from(abi::DESCRIPTOR_SLOT_BYTES),
                    &surface.state(read),
                );
                DescriptorKind::StorageImage
            }
            Descriptor::Texture(surface) => {
                self.write_at(at, &surface.state(surface.format));
                DescriptorKind::SampledImage
            }
            Descriptor::Sampler(function) => {
                self.write_at(last, &sampler(function));
                DescriptorKind::Sampler
            }
            Descriptor::Combined(surface, function) => {
                self.write_at(at, &surface.state(surface.format));
                self.write_at(last, &sampler(function));
                DescriptorKind::CombinedImageSampler
            }
        };
        if self.bindings.iter().all(|b| b.binding != binding) {
            self.bindings.push(DescriptorBinding {
                binding,
                kind,
                count: ELEMENTS,
                offset_bytes,
                stride_bytes: STRIDE,
                samplers: abi::SamplerOffsets::in_last_slot(offset_bytes, STRIDE),
                dynamic_index: 0,
                static_at_bind: false,
            });
        }
    }

    /// Compiles a compute shader for one width and runs one workgroup of it.
    pub fn run(&self, glsl: &str, width: u8) {
        let layout = PipelineLayout {
            sets: vec![SetLayout {
                bindings: self.bindings.clone(),
                ..SetLayout::default()
            }],
            sampler_base_bytes: (HEAP - BATCH) as u32,
            indirect_base_high: 0,
            heap: None,
        };
        let binary = compile(glsl, width, layout);
        let compute = binary.compute().expect("a compute shader");
        let variant = &binary.variants[0];
        assert_eq!(variant.simd_width, width);
        assert!(
            binary.constants.data.is_empty(),
            "constant data is not launched here"
        );
        let code = dwords(&binary.code);
        self.write_at(CODE, &code);
        let size = compute.workgroup_size;
        let kernel = ComputeKernel {
            kernel_offset_bytes: u64::from(variant.code_offset_bytes),
            simd_width: width.into(),
            invocations: size[0] * size[1] * size[2],
            slm_bytes: compute.slm_bytes,
            barrier: compute.uses_barrier,
            scratch: ScratchSpace::default(),
            per_thread: compute.per_thread_push,
            push: &binary.push,
        };
        assert_eq!(variant.scratch_bytes, 0, "the rig has no scratch");
        self.write_at(DYNAMIC, &Gen9::descriptor(&kernel));
        let machine = DeviceInfo {
            device: device(),
            max_threads: device().total_threads(),
            dynamic_base: BATCH,
            bindless_base: HEAP,
            scrap_address: SCRAP,
            has_barrier_mode: false,
            full_state: false,
        };
        let mut recorder = Recorder::<Gen9, Batch>::new(Batch::new(), machine);
        let heaps = HeapBases {
            general: 0,
            surface: 0,
            dynamic: BATCH,
            instruction: CODE,
            bindless: HEAP,
            bindless_surfaces: BYTES / 64,
        };
        recorder.context(device(), &heaps).expect("room");
        let launch = PackedDispatch::new(&kernel, (DYNAMIC - BATCH) as u32).expect("it fits");
        recorder.bind(&launch);
        assert!(recorder.set_handle(0, 64 << 6));
        recorder.dispatch([0; 3], [1; 3]).expect("room");
        recorder.barrier(PendingFlushes::STALL.with(PendingFlushes::FLUSH_DATA));
        recorder.end().expect("room");
        let context = format!(", simd{width}\n{glsl}");
        recorder.stream().memory().execute(&self.space, &context);
    }
}

fn compile(glsl: &str, width: u8, layout: PipelineLayout) -> abi::ShaderBinary {
    let script = format!("[compute shader]\n{glsl}\n[test]\n");
    let script = vkrunner::parse(&script, &[]).expect("a script");
    let modules = vkrunner::Runner::compile(&script).expect("GLSL");
    let (_, words) = modules.first().expect("one");
    let module = spirv_front::Module::parse(words).expect("SPIR-V");
    let options = spirv_front::Options {
        entry_point: "main",
        ..spirv_front::Options::default()
    };
    let mut shader = module.to_nir(&options).expect("NIR");
    opt::compile(&mut shader, opt::Ctx::default()).unwrap_or_else(|e| panic!("{e}\n{shader}"));
    let options = fs::Options {
        required_width: Some(width),
        validate: true,
        layout,
        ..fs::Options::default()
    };
    fs::compile(&shader, device(), &options).unwrap_or_else(|e| panic!("{e}\n{shader}"))
}
