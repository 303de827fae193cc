//! Two shaders, as iga64 assembles them for gen9, and what the driver must know of them.

use cmd::ScratchSpace;
use cmd::draw::shader::{
    FragmentInput, FragmentShader, FragmentVariant, InputSource, PipelineShaders, StreamOut,
    VertexInputs, VertexShader,
};

/// Where the fragment shader begins.
pub const FRAGMENT_OFFSET: u64 = 0x400;

/// Writes a header of zeros, attribute 0 as the position, attribute 1 as a varying, whose red is
/// multiplied by the first constant: r1 has the handles, r2 the constants, r3 to r10 the
/// attributes.
///
///     (W)     mov (8|M0)   r112.0<1>:ud r1.0<8;8,1>:ud
///     mov (8|M0)   r113.0<1>:f 0x0:f
///     mov (8|M0)   r114.0<1>:f 0x0:f
///     mov (8|M0)   r115.0<1>:f 0x0:f
///     mov (8|M0)   r116.0<1>:f 0x0:f
///     mov (8|M0)   r117.0<1>:f r3.0<8;8,1>:f
///     mov (8|M0)   r118.0<1>:f r4.0<8;8,1>:f
///     mov (8|M0)   r119.0<1>:f r5.0<8;8,1>:f
///     mov (8|M0)   r120.0<1>:f r6.0<8;8,1>:f
///     mul (8|M0)   r121.0<1>:f r7.0<8;8,1>:f r2.0<0;1,0>:f
///     mov (8|M0)   r122.0<1>:f r8.0<8;8,1>:f
///     mov (8|M0)   r123.0<1>:f r9.0<8;8,1>:f
///     mov (8|M0)   r124.0<1>:f r10.0<8;8,1>:f
///     send (8|M0)  null r112 0x26 0x1A080007 {EOT}
#[rustfmt::skip]
pub const VERTEX: [[u32; 4]; 14] = [
    [0x0060_0001, 0x2e00_020c, 0x008d_0020, 0x0000_0000],
    [0x0060_0001, 0x2e20_3ee8, 0x0000_0000, 0x0000_0000],
    [0x0060_0001, 0x2e40_3ee8, 0x0000_0000, 0x0000_0000],
    [0x0060_0001, 0x2e60_3ee8, 0x0000_0000, 0x0000_0000],
    [0x0060_0001, 0x2e80_3ee8, 0x0000_0000, 0x0000_0000],
    [0x0060_0001, 0x2ea0_3ae8, 0x008d_0060, 0x0000_0000],
    [0x0060_0001, 0x2ec0_3ae8, 0x008d_0080, 0x0000_0000],
    [0x0060_0001, 0x2ee0_3ae8, 0x008d_00a0, 0x0000_0000],
    [0x0060_0001, 0x2f00_3ae8, 0x008d_00c0, 0x0000_0000],
    [0x0060_0041, 0x2f20_3ae8, 0x3a8d_00e0, 0x0000_0040],
    [0x0060_0001, 0x2f40_3ae8, 0x008d_0100, 0x0000_0000],
    [0x0060_0001, 0x2f60_3ae8, 0x008d_0120, 0x0000_0000],
    [0x0060_0001, 0x2f80_3ae8, 0x008d_0140, 0x0000_0000],
    [0x0660_0031, 0x2000_0200, 0x0600_0e00, 0x9a08_0007],
];

/// Interpolates the varying and writes it: r2 and r3 have the barycentric coordinates, r4 and r5
/// its planes.
///
///     pln (8|M0)   r120.0<1>:f r4.0<0;1,0>:f r2.0<8;8,1>:f
///     pln (8|M0)   r121.0<1>:f r4.4<0;1,0>:f r2.0<8;8,1>:f
///     pln (8|M0)   r122.0<1>:f r5.0<0;1,0>:f r2.0<8;8,1>:f
///     pln (8|M0)   r123.0<1>:f r5.4<0;1,0>:f r2.0<8;8,1>:f
///     sendc (8|M0) null r120 0x25 0x08031400 {EOT}
#[rustfmt::skip]
pub const FRAGMENT: [[u32; 4]; 5] = [
    [0x0060_005a, 0x2f00_3ae8, 0x3a00_0080, 0x008d_0040],
    [0x0060_005a, 0x2f20_3ae8, 0x3a00_0090, 0x008d_0040],
    [0x0060_005a, 0x2f40_3ae8, 0x3a00_00a0, 0x008d_0040],
    [0x0060_005a, 0x2f60_3ae8, 0x3a00_00b0, 0x008d_0040],
    [0x0560_0032, 0x2000_0200, 0x0600_0f00, 0x8803_1400],
];

/// One constant; none.
fn push(constants_dw: u32) -> &'static abi::PushData {
    const fn of(constants_dw: u32) -> abi::PushData {
        abi::PushData {
            constants_first_dw: 0,
            constants_dw,
            driver: Vec::new(),
            samplers: None,
            ranges: Vec::new(),
        }
    }
    static ONE: abi::PushData = of(1);
    static NONE: abi::PushData = of(0);
    if constants_dw == 0 { &NONE } else { &ONE }
}

/// Both.
pub fn pipeline() -> PipelineShaders<'static> {
    PipelineShaders {
        stream_out: StreamOut::default(),
        counted: true,
        vertex: VertexShader {
            kernel_offset_bytes: 0,
            scratch: ScratchSpace::default(),
            inputs: VertexInputs {
                locations: 0b11,
                ..VertexInputs::default()
            },
            first_grf: 2,
            output_slots: 3,
            push: push(1),
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
                [
                    Some(FragmentVariant {
                        kernel_offset_bytes: FRAGMENT_OFFSET,
                        first_grf: 4,
                    }),
                    None,
                    None,
                ],
                push(0),
            )
        }),
        writes_point_size: false,
        writes_layer: false,
        writes_viewport: false,
        clip_distances: 0,
        cull_distances: 0,
    }
}
