//! Shaders of clears, fast clears and resolves that draw.
//!
//! In:  the number of targets. Out: NIR of a vertex and a fragment shader.
//!
//! A triangle covers the viewport; the scissor limits it to the rectangle, the viewport's depth
//! range is the depth to write, and each instance is a layer. The fragment shader's push constants
//! are four dwords per target, in the target's type.

use nir::{Builder, IntrinsicOp, Shader, Slot, Stage};

/// Number of vertices to draw.
pub const VERTICES: u32 = 3;
/// Maximum number of targets cleared at once.
pub const TARGETS: u32 = 8;
/// Bytes of a target's colour.
const COLOUR_BYTES: u32 = 16;

/// Stores a shader output.
pub(crate) fn store(b: &mut Builder<'_>, slot: Slot, value: entity::Id<nir::Def>) {
    let zero = b.imm_u32(0);
    let mask = (1 << b.components(value)) - 1;
    let indices = [0, mask, 0, slot.0.into(), 1, 0, 0];
    b.intrinsic(IntrinsicOp::StoreOutput, None, &[value, zero], &indices);
}

/// A triangle around the viewport at its near plane, in the layer of the instance's number.
pub fn vertex() -> Shader {
    let mut shader = Shader::new(Stage::Vertex, "clear");
    let mut b = Builder::at_end(&mut shader);
    let number = b.system_value(IntrinsicOp::LoadVertexIdZeroBase);
    // -1 -1, 3 -1, -1 3.
    let corner = |b: &mut Builder<'_>, which: u32| {
        let which = b.imm_u32(which);
        let there = b.ieq(number, which);
        let (far, near) = (b.imm_float(32, 3.0), b.imm_float(32, -1.0));
        b.bcsel(there, far, near)
    };
    let (x, y) = (corner(&mut b, 1), corner(&mut b, 2));
    let (z, w) = (b.imm_float(32, 0.0), b.imm_float(32, 1.0));
    let position = b.vec(&[x, y, z, w]);
    store(&mut b, Slot::POS, position);
    store_layer(&mut b);
    shader
}

/// Stores the instance's number as the layer.
fn store_layer(b: &mut Builder<'_>) {
    let instance = b.system_value(IntrinsicOp::LoadInstanceId);
    let first = b.system_value(IntrinsicOp::LoadBaseInstance);
    let layer = b.iadd(instance, first);
    store(b, Slot::LAYER, layer);
}

/// A rectangle from pixel (0, 0), by three corners: lower right, lower left, upper left. Its push
/// constants are its columns and rows, as floats. With `layered`, the layer is as in [`vertex`].
pub fn rectangle(layered: bool) -> Shader {
    const BYTES: u32 = 8;
    let mut shader = Shader::new(Stage::Vertex, "rectangle");
    shader.info.push_constant_bytes = BYTES;
    let mut b = Builder::at_end(&mut shader);
    let at = b.imm_u32(0);
    let size = b.load(
        IntrinsicOp::LoadPushConstant,
        2,
        32,
        &[at],
        &[0, BYTES, BYTES, 0],
    );
    let (columns, rows) = (b.channel(size, 0), b.channel(size, 1));
    let number = b.system_value(IntrinsicOp::LoadVertexIdZeroBase);
    let none = b.imm_float(32, 0.0);
    let (first, last) = (b.imm_u32(0), b.imm_u32(2));
    let right = b.ieq(number, first);
    let x = b.bcsel(right, columns, none);
    let above = b.ieq(number, last);
    let y = b.bcsel(above, none, rows);
    let (z, w) = (b.imm_float(32, 0.0), b.imm_float(32, 1.0));
    let position = b.vec(&[x, y, z, w]);
    store(&mut b, Slot::POS, position);
    if layered {
        store_layer(&mut b);
    }
    shader
}

/// An arbitrary constant colour: fast clears and resolves ignore its value.
pub fn anything() -> Shader {
    let mut shader = Shader::new(Stage::Fragment, "anything");
    let mut b = Builder::at_end(&mut shader);
    let zero = b.imm_float(32, 0.0);
    let colour = b.vec(&[zero; 4]);
    if let Some(slot) = Slot::var(0) {
        store(&mut b, slot, colour);
    }
    shader
}

/// The colour of each of the first `targets` targets.
pub fn fragment(targets: u32) -> Shader {
    let mut shader = Shader::new(Stage::Fragment, "clear");
    let bytes = targets * COLOUR_BYTES;
    shader.info.push_constant_bytes = bytes;
    let mut b = Builder::at_end(&mut shader);
    for target in 0..targets {
        let at = b.imm_u32(target * COLOUR_BYTES);
        let indices = [0, bytes, COLOUR_BYTES, 0];
        let colour = b.load(IntrinsicOp::LoadPushConstant, 4, 32, &[at], &indices);
        if let Some(slot) = Slot::var(target) {
            store(&mut b, slot, colour);
        }
    }
    shader
}
