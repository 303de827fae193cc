//! Transform feedback: which outputs are captured, and where.
//!
//! In:  types and decorations of outputs. Out: [`TransformFeedbackInfo`], a list of captured
//!      dwords; its text in a shader's header.
//! Ref: SPIR-V, "XfbBuffer", "XfbStride", "Offset"; Vulkan, "Transform Feedback"; GLSL, "Transform
//!      Feedback Layout Qualifiers": members of an aggregate are packed without gaps, except that
//!      64-bit values, and both ends of structures that contain some, are aligned to 8 bytes.

use crate::io::{IoVar, Slot};
use crate::types::{Type, Types};
use entity::Id;

/// Number of transform feedback buffers.
pub const CAPTURE_BUFFERS: usize = 4;

/// A captured dword of a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransformFeedbackOutput {
    /// Slot of the output.
    pub slot: Slot,
    /// 32-bit component of the slot.
    pub component: u8,
    /// Transform feedback buffer.
    pub buffer: u8,
    /// Byte offset in the buffer from the start of the vertex.
    pub offset_bytes: u32,
    /// Vertex stream of a geometry shader.
    pub stream: u8,
}

/// The outputs that are captured if the stage is the last before rasterisation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TransformFeedbackInfo {
    /// The captured dwords, in order of declaration.
    pub dwords: Vec<TransformFeedbackOutput>,
    /// Stride of a vertex in each buffer, in bytes.
    pub strides_bytes: [u32; CAPTURE_BUFFERS],
}

/// Maximum number of dwords that a shader may capture: above the limits that the driver reports.
const MAX_DWORDS: usize = 1 << 12;

impl TransformFeedbackInfo {
    /// Captures all of an output, from byte `offset` of a buffer on. Returns false if there are too
    /// many dwords, or components of 16 bits.
    pub fn add(&mut self, types: &Types, ty: Id<Type>, io: IoVar, buffer: u8, offset: u32) -> bool {
        let mut cursor = Cursor {
            slot: u32::from(io.slot.0),
            component: u32::from(io.component),
            offset,
        };
        self.add_type(types, ty, io, buffer, &mut cursor)
    }

    fn add_type(
        &mut self,
        types: &Types,
        ty: Id<Type>,
        io: IoVar,
        buffer: u8,
        cursor: &mut Cursor,
    ) -> bool {
        let repeat = |elem: Id<Type>, n: u32| (0..n.min(MAX_DWORDS as u32)).map(move |_| elem);
        match types.get(ty) {
            Some(Type::Array { elem, len, .. }) if io.compact => {
                let n = len.unwrap_or(1).min(8);
                repeat(*elem, n).all(|_| self.push(io, buffer, cursor, 1))
            }
            Some(Type::Array { elem, len, .. }) => {
                repeat(*elem, len.unwrap_or(1)).all(|e| self.add_type(types, e, io, buffer, cursor))
            }
            Some(Type::Matrix {
                column, columns, ..
            }) => repeat(*column, u32::from(*columns))
                .all(|e| self.add_type(types, e, io, buffer, cursor)),
            Some(Type::Struct { members, .. }) => {
                let aligned = if types.contains_64_bit(ty) { 8 } else { 4 };
                cursor.offset = cursor.offset.next_multiple_of(aligned);
                let mut members = members.iter();
                let all = members.all(|m| self.add_type(types, m.ty, io, buffer, cursor));
                cursor.offset = cursor.offset.next_multiple_of(aligned);
                all
            }
            _ => {
                let Some((n, bits)) = types.value_shape(ty) else {
                    return true;
                };
                // Buffers have 16-bit components next to each other; the hardware captures dwords.
                if bits < 32 {
                    return false;
                }
                let first = cursor.slot;
                let per = if bits == 64 { 2 } else { 1 };
                cursor.offset = cursor.offset.next_multiple_of(per * 4);
                let all = self.push(io, buffer, cursor, u32::from(n) * per);
                (cursor.slot, cursor.component) =
                    (first + types.count_slots(ty), u32::from(io.component));
                all
            }
        }
    }

    /// Captures the next `dwords` dwords and advances the cursor.
    fn push(&mut self, io: IoVar, buffer: u8, cursor: &mut Cursor, dwords: u32) -> bool {
        for _ in 0..dwords {
            if self.dwords.len() >= MAX_DWORDS {
                return false;
            }
            let slot = cursor.slot + cursor.component / 4;
            if slot < u32::from(Slot::END) {
                self.dwords.push(TransformFeedbackOutput {
                    slot: Slot(slot as u8),
                    component: (cursor.component % 4) as u8,
                    buffer,
                    offset_bytes: cursor.offset,
                    stream: io.stream,
                });
            }
            cursor.component += 1;
            cursor.offset = cursor.offset.saturating_add(4);
        }
        true
    }
}

/// Source and destination of the next dword.
struct Cursor {
    slot: u32,
    component: u32,
    offset: u32,
}

/// Prints the lines of a shader's header.
pub(crate) fn print(c: &TransformFeedbackInfo, out: &mut String) -> std::fmt::Result {
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
