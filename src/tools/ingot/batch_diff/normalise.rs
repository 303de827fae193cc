//! Makes values of fields comparable between drivers: places and sizes of objects are left out.
//!
//! In:  a packet or structure, a field and its value. Out: the value as text; `None` for a field
//!      whose value depends on places alone.

use crate::batch_diff::registers;
use hw::{Field, FieldKind, Packet, value};

/// What is compared of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Treatment {
    /// Whether it is zero: sizes, positions, counts and data of the program.
    Presence,
    /// Nothing: bits that another field of the same structure owns.
    Nothing,
}

use Treatment::{Nothing, Presence};

/// Fields that are not compared by value: packet, field, treatment. `*` stands for any text.
static TREATMENTS: &[(&str, &str, Treatment)] = &[
    // Bits of planar formats, which the auxiliary surface owns otherwise.
    ("RENDER_SURFACE_STATE", "* Plane", Nothing),
    ("RENDER_SURFACE_STATE", "Separate UV Plane Enable", Nothing),
    ("RENDER_SURFACE_STATE", "Auxiliary Table Index *", Nothing),
    ("RENDER_SURFACE_STATE", "Quilt *", Nothing),
    // The same bits as numbers and as floats.
    (
        "RENDER_SURFACE_STATE",
        "Hierarchical Depth Clear Value",
        Nothing,
    ),
    (
        "COLOR_CALC_STATE",
        "Alpha Reference Value As UNORM8",
        Nothing,
    ),
    // Offsets that the PRM calls addresses.
    ("MEDIA_CURBE_LOAD", "CURBE Data Start Address", Nothing),
    // Extents of images and buffers.
    ("RENDER_SURFACE_STATE", "Width", Presence),
    ("RENDER_SURFACE_STATE", "Height", Presence),
    ("RENDER_SURFACE_STATE", "Depth", Presence),
    ("*", "*Surface Pitch", Presence),
    ("*", "*Surface QPitch", Presence),
    ("*", "Surface Size", Presence),
    (
        "RENDER_SURFACE_STATE",
        "Render Target View Extent",
        Presence,
    ),
    ("RENDER_SURFACE_STATE", "Minimum Array Element", Presence),
    ("RENDER_SURFACE_STATE", "* Clear Color", Presence),
    ("3DSTATE_DEPTH_BUFFER", "Width", Presence),
    ("3DSTATE_DEPTH_BUFFER", "Height", Presence),
    ("VERTEX_BUFFER_STATE", "Buffer Size", Presence),
    ("VERTEX_BUFFER_STATE", "Buffer Pitch", Presence),
    ("3DSTATE_INDEX_BUFFER", "Buffer Size", Presence),
    // Rectangles.
    ("SF_CLIP_VIEWPORT", "*", Presence),
    ("SCISSOR_RECT", "*", Presence),
    ("3DSTATE_WM_HZ_OP", "Clear Rectangle *", Presence),
    ("3DSTATE_CLEAR_PARAMS", "Depth Clear Value", Presence),
    // Work of the program.
    ("3DPRIMITIVE", "*Vertex *", Presence),
    ("3DPRIMITIVE", "*Instance*", Presence),
    ("GPGPU_WALKER", "Thread Group ID *", Presence),
    ("GPGPU_WALKER", "* Execution Mask", Presence),
    ("GPGPU_WALKER", "Thread * Counter Maximum", Presence),
    ("*", "Immediate Data", Presence),
    (
        "MI_CONDITIONAL_BATCH_BUFFER_END",
        "Compare Data Dword",
        Presence,
    ),
    // What a compiled kernel needs.
    ("*", "Dispatch GRF Start Register *", Presence),
    ("INTERFACE_DESCRIPTOR_DATA", "* Read Length", Presence),
    ("INTERFACE_DESCRIPTOR_DATA", "Number of Threads *", Presence),
    ("MEDIA_CURBE_LOAD", "CURBE Total Data Length", Presence),
    ("3DSTATE_CONSTANT_*", "Read Length", Presence),
];

/// True if a pattern, in which `*` stands for any text, is that of a text.
pub fn matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else {
        return false;
    };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    true
}

/// The value of a field for comparison; `None` if it is not compared.
pub fn comparable(packet: &Packet, field: &Field, words: &[u32]) -> Option<String> {
    let raw = field.get(words);
    match field.kind {
        FieldKind::Offset if field.name.contains("Register") => {
            return Some(registers::name(raw as u32));
        }
        FieldKind::Offset => return None,
        FieldKind::Address => return Some(address(field, raw)),
        _ => {}
    }
    let mut rows = TREATMENTS.iter();
    match rows.find(|row| matches(row.0, packet.name) && matches(row.1, field.name)) {
        Some((.., Nothing)) => return None,
        Some((.., Presence)) if raw != 0 => return Some("n".to_owned()),
        _ => {}
    }
    Some(match field.kind {
        FieldKind::Int => (raw as i64).to_string(),
        FieldKind::Float => f32::from_bits(raw as u32).to_string(),
        _ => match value::name(packet, field.name, raw) {
            Some(named) => format!("{raw} ({named})"),
            None if raw < 10_000 => raw.to_string(),
            None => format!("{raw:#x}"),
        },
    })
}

/// An address: whether it is zero, and in fields of 64 bits whether it is canonical, as bits 63:48
/// must be copies of bit 47.
fn address(field: &Field, raw: u64) -> String {
    let high = raw >> 47;
    match raw {
        0 => "0",
        _ if field.hi % 32 == 31 && high != 0 && high != 0x1_ffff => "address, not canonical",
        _ => "address",
    }
    .to_owned()
}

#[cfg(test)]
mod tests;
