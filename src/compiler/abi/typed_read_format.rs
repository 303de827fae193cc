//! Format of the surface through which shaders read texels of a storage image.
//!
//! In:  the format of a view, as a number of RENDER_SURFACE_STATE. Out: a format of the same size
//!      that gen9's typed reads and atomics support; the shader unpacks the texel by the format
//!      that it declares.
//! Ref: SKL PRM vol. 7, "Typed Surface Read"; vol. 2d, "SURFACE_FORMAT".

/// The format of slot [`TYPED_READ_SLOT`](crate::TYPED_READ_SLOT) of a storage image whose view
/// has format `view`. `None` for formats that shaders cannot declare: such images are only written,
/// and both their surfaces have the view's format.
#[rustfmt::skip]
pub const fn typed_read_format(view: u16) -> Option<u16> {
    Some(match view {
        // Unchanged: R32G32B32A32, R32G32: FLOAT, SINT, UINT. R16G16B16A16: SINT, UINT, FLOAT.
        0x000..=0x002 | 0x082..=0x087 => view,
        // R8G8B8A8, R16G16, R8G8, R16, R8: SINT, UINT. R16G16, R16: FLOAT. R32: SINT, UINT.
        0x0ca | 0x0cb | 0x0ce..=0x0d0 | 0x0d6 | 0x0d7 | 0x108 | 0x109 | 0x10c..=0x10e | 0x142 | 0x143 => view,
        // Atomics need integers: R32_FLOAT as R32_UINT.
        0x0d8 => 0x0d7,
        // UNORM and SNORM as UINT: R16G16B16A16, R8G8B8A8, R16G16, R8G8, R16, R8.
        0x080 | 0x081 => 0x083,
        0x0c7 | 0x0c9 => 0x0cb,
        0x0cc | 0x0cd => 0x0cf,
        0x106 | 0x107 => 0x109,
        0x10a | 0x10b => 0x10d,
        0x140 | 0x141 => 0x143,
        // R10G10B10A2_UNORM, R10G10B10A2_UINT and R11G11B10_FLOAT as R32_UINT.
        0x0c2 | 0x0c4 | 0x0d3 => 0x0d7,
        _ => return None,
    })
}
