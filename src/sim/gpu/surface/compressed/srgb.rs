//! Values of 8 bits as `f32`, as they are or made linear.
//!
//! In:  a normalised value. Out: bits of an `f32`.
//! Ref: Khronos Data Format Specification, "sRGB EOTF".

use std::sync::LazyLock;

static UNORM: LazyLock<[u32; 256]> =
    LazyLock::new(|| std::array::from_fn(|value| ((value as f64 / 255.0) as f32).to_bits()));

static LINEAR: LazyLock<[u32; 256]> =
    LazyLock::new(|| std::array::from_fn(|value| linear(value as f64 / 255.0)));

/// Linear light of an sRGB value.
pub(super) fn linear(value: f64) -> u32 {
    let light = if value <= 0.04045 {
        value / 12.92
    } else {
        ((value + 0.055) / 1.055).powf(2.4)
    };
    (light as f32).to_bits()
}

/// By an 8-bit value: the quotient with 255.
pub(super) fn unorm8() -> &'static [u32; 256] {
    &UNORM
}

/// By an 8-bit value: its linear light.
pub(super) fn linear8() -> &'static [u32; 256] {
    &LINEAR
}
