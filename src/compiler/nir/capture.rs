//! Transform feedback: which outputs go to buffers, and where.
//!
//! In:  types of outputs, and what decorations say of them. Out: [`Capture`], a dword at a time; text of it in a shader's header.
//! Ref: SPIR-V, "XfbBuffer", "XfbStride", "Offset"; Vulkan, "Transform Feedback"; GLSL, "Transform Feedback Layout Qualifiers": values of
//! an aggregate follow each other without gaps, but for those of 64 bits, which are aligned to themselves, and so are structures that
//! hold some, with their ends.

use crate::io::{IoVar, Slot};
use crate::types::{Type, Types};
use entity::Id;

/// Buffers that vertices can go to.
pub const CAPTURE_BUFFERS: usize = 4;

/// A dword of a vertex that is captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Captured {
    /// Slot of the output.
    pub slot: Slot,
    /// Component in it, of 32 bits.
    pub component: u8,
    /// Buffer.
    pub buffer: u8,
    /// Byte from the start of the vertex in the buffer.
    pub offset_bytes: u32,
    /// Stream of a geometry shader that it belongs to.
    pub stream: u8,
}

/// What of a stage's vertices is captured, if it is the last one before rasterisation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Capture {
    /// The dwords, in the order in which they were declared.
    pub dwords: Vec<Captured>,
    /// Bytes from one vertex to the next in each buffer.
    pub strides_bytes: [u32; CAPTURE_BUFFERS],
}

/// Dwords that a shader may capture: more than any limit lets through.
const MOST: usize = 1 << 12;

impl Capture {
    /// Captures all of an output from a byte of a buffer on. False: that are more dwords than there can be.
    pub fn add(&mut self, types: &Types, ty: Id<Type>, io: IoVar, buffer: u8, offset: u32) -> bool {
        let mut at = At {
            slot: u32::from(io.slot.0),
            component: u32::from(io.component),
            offset,
        };
        self.add_part(types, ty, io, buffer, &mut at)
    }

    fn add_part(
        &mut self,
        types: &Types,
        ty: Id<Type>,
        io: IoVar,
        buffer: u8,
        at: &mut At,
    ) -> bool {
        let parts = |elem: Id<Type>, n: u32| (0..n.min(MOST as u32)).map(move |_| elem);
        match types.get(ty) {
            Some(Type::Array { elem, len, .. }) if io.compact => {
                let n = len.unwrap_or(1).min(8);
                parts(*elem, n).all(|_| self.push(io, buffer, at, 1))
            }
            Some(Type::Array { elem, len, .. }) => {
                parts(*elem, len.unwrap_or(1)).all(|e| self.add_part(types, e, io, buffer, at))
            }
            Some(Type::Matrix {
                column, columns, ..
            }) => {
                parts(*column, u32::from(*columns)).all(|e| self.add_part(types, e, io, buffer, at))
            }
            Some(Type::Struct { members, .. }) => {
                let aligned = if types.has_64(ty) { 8 } else { 4 };
                at.offset = at.offset.next_multiple_of(aligned);
                let mut members = members.iter();
                let all = members.all(|m| self.add_part(types, m.ty, io, buffer, at));
                at.offset = at.offset.next_multiple_of(aligned);
                all
            }
            _ => {
                let Some((n, bits)) = types.value_shape(ty) else {
                    return true;
                };
                let first = at.slot;
                let per = if bits == 64 { 2 } else { 1 };
                at.offset = at.offset.next_multiple_of(per * 4);
                let all = self.push(io, buffer, at, u32::from(n) * per);
                (at.slot, at.component) = (first + types.count_slots(ty), u32::from(io.component));
                all
            }
        }
    }

    /// The next dwords of slots and of a buffer.
    fn push(&mut self, io: IoVar, buffer: u8, at: &mut At, dwords: u32) -> bool {
        for _ in 0..dwords {
            if self.dwords.len() >= MOST {
                return false;
            }
            let slot = at.slot + at.component / 4;
            if slot < u32::from(Slot::END) {
                self.dwords.push(Captured {
                    slot: Slot(slot as u8),
                    component: (at.component % 4) as u8,
                    buffer,
                    offset_bytes: at.offset,
                    stream: io.stream,
                });
            }
            at.component += 1;
            at.offset = at.offset.saturating_add(4);
        }
        true
    }
}

/// Where the next dword comes from, and where it goes.
struct At {
    slot: u32,
    component: u32,
    offset: u32,
}

/// The lines of a shader's header.
pub(crate) fn print(c: &Capture, out: &mut String) -> std::fmt::Result {
    use std::fmt::Write as _;
    for (buffer, stride) in c.strides_bytes.iter().enumerate() {
        if *stride != 0 {
            writeln!(out, "    capture_stride {buffer} {stride}")?;
        }
    }
    for d in &c.dwords {
        writeln!(
            out,
            "    capture {} component={} buffer={} offset={} stream={}",
            d.slot.name(),
            d.component,
            d.buffer,
            d.offset_bytes,
            d.stream
        )?;
    }
    Ok(())
}
