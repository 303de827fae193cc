//! The messages of SEND, in one table: shared functions, their message types, and the text of the
//! disassembly.
//!
//! In:  the shared function and descriptor of a message.
//! Out: constants for the compiler and the simulator (`message::sampler::SFID`,
//!      `message::urb::SIMD8_WRITE`); one line of text. [`crate::descriptor`] has the fields of the
//!      descriptors.
//! Ref: SKL PRM vol. 2d, "Message Descriptor" structures; vol. 7, "Shared Functions".

use crate::descriptor::{self, Bits, bti, common, extended, scratch_block};
use crate::inst::{Desc, Send};
use hw::Gen;
use std::fmt::Write as _;

/// A shared function: its message types and the fields of its descriptors.
#[derive(Clone, Copy, Debug)]
pub struct SharedFunction {
    /// Shared function id.
    pub sfid: u8,
    /// Name.
    pub name: &'static str,
    /// The field of the descriptor that holds the message type.
    pub message_type: Bits,
    /// Value and name of each message type.
    pub messages: &'static [(u32, &'static str)],
    /// Fields of the descriptor that all messages of the shared function have, by the names that
    /// the disassembly prints.
    pub fields: &'static [(&'static str, Bits)],
}

impl SharedFunction {
    /// The shared function with this id.
    pub fn by_sfid(sfid: u8) -> Option<&'static SharedFunction> {
        SHARED_FUNCTIONS.iter().find(|f| f.sfid == sfid)
    }
}

const SURFACE: &[(&str, Bits)] = &[
    ("bti", common::BINDING_TABLE_INDEX),
    ("control", common::MESSAGE_CONTROL),
];

const fn bits(lo: u8, hi: u8) -> Bits {
    Bits { lo, hi }
}

macro_rules! shared_functions {
    ($($(#[doc = $doc:literal])+ $module:ident $name:literal = $sfid:literal, type $kind:expr, fields $fields:expr, {
        $($message:ident $text:literal = $value:literal;)*
    })+) => {
        $($(#[doc = $doc])+
        pub mod $module {
            /// The shared function id.
            pub const SFID: u8 = $sfid;
            $(#[doc = concat!("Message type of \"", $text, "\".")]
            pub const $message: u32 = $value;)*
        })+

        /// Shared functions of gen8 and gen9.
        pub static SHARED_FUNCTIONS: &[SharedFunction] = &[$(SharedFunction {
            sfid: $sfid,
            name: $name,
            message_type: $kind,
            messages: &[$(($value, $text)),*],
            fields: $fields,
        }),+];
    };
}

#[rustfmt::skip]
shared_functions! {
    /// No unit: the message is dropped.
    null "null" = 0, type bits(0, 0), fields &[], {
    }
    /// The sampler.
    sampler "sampler" = 2, type descriptor::sample::MESSAGE_TYPE, fields &[("bti", common::BINDING_TABLE_INDEX), ("sampler", descriptor::sample::SAMPLER_INDEX), ("simd_mode", descriptor::sample::SIMD_MODE)], {
        SAMPLE "sample" = 0;
        SAMPLE_B "sample_b" = 1;
        SAMPLE_L "sample_l" = 2;
        SAMPLE_C "sample_c" = 3;
        SAMPLE_D "sample_d" = 4;
        SAMPLE_B_C "sample_b_c" = 5;
        SAMPLE_L_C "sample_l_c" = 6;
        LD "ld" = 7;
        GATHER4 "gather4" = 8;
        LOD "lod" = 9;
        RESINFO "resinfo" = 10;
        SAMPLEINFO "sampleinfo" = 11;
        SAMPLE_KILLPIX "sample+killpix" = 13;
        GATHER4_C "gather4_c" = 16;
        GATHER4_PO "gather4_po" = 17;
        GATHER4_PO_C "gather4_po_c" = 18;
        SAMPLE_D_C "sample_d_c" = 20;
        SAMPLE_LZ "sample_lz" = 24;
        SAMPLE_C_LZ "sample_c_lz" = 25;
        LD_LZ "ld_lz" = 26;
        LD2DMS_W "ld2dms_w" = 28;
        LD_MCS "ld_mcs" = 29;
        LD2DMS "ld2dms" = 30;
        LD2DSS "ld2dss" = 31;
    }
    /// The message gateway: barriers, timestamps.
    gateway "gateway" = 3, type descriptor::gateway::SUBFUNCTION, fields &[("notify", descriptor::gateway::NOTIFY), ("ack", descriptor::gateway::ACKNOWLEDGE)], {
        OPEN "open" = 0;
        CLOSE "close" = 1;
        FORWARD "forward" = 2;
        GET_TIMESTAMP "get timestamp" = 3;
        BARRIER "barrier" = 4;
        UPDATE_STATE "update state" = 5;
        MMIO "mmio" = 6;
    }
    /// Data port reads through the sampler cache.
    sampler_cache "sampler cache" = 4, type bits(14, 17), fields SURFACE, {
        UNALIGNED_OWORD_BLOCK_READ "unaligned oword block read" = 1;
        MEDIA_BLOCK_READ "media block read" = 4;
        SURFACE_INFO "surface info" = 5;
    }
    /// The render cache: render targets, and data port messages.
    render_cache "render cache" = 5, type descriptor::render_target::MESSAGE_TYPE, fields SURFACE, {
        MEDIA_BLOCK_READ "media block read" = 4;
        TYPED_SURFACE_READ "typed surface read" = 5;
        TYPED_ATOMIC "typed atomic" = 6;
        MEMORY_FENCE "memory fence" = 7;
        MEDIA_BLOCK_WRITE "media block write" = 10;
        RENDER_TARGET_WRITE "render target write" = 12;
        RENDER_TARGET_READ "render target read" = 13;
    }
    /// The unified return buffer.
    urb "urb" = 6, type descriptor::urb::OPCODE, fields &[("offset", descriptor::urb::GLOBAL_OFFSET), ("masks", descriptor::urb::CHANNEL_MASK_PRESENT), ("per_slot_offset", descriptor::urb::PER_SLOT_OFFSET_PRESENT)], {
        WRITE_HWORD "write hword" = 0;
        WRITE_OWORD "write oword" = 1;
        READ_HWORD "read hword" = 2;
        READ_OWORD "read oword" = 3;
        ATOMIC_MOV "atomic mov" = 4;
        ATOMIC_INC "atomic inc" = 5;
        ATOMIC_ADD "atomic add" = 6;
        SIMD8_WRITE "simd8 write" = 7;
        SIMD8_READ "simd8 read" = 8;
    }
    /// The thread spawner.
    thread_spawner "spawner" = 7, type bits(0, 0), fields &[("root", bits(1, 1)), ("no_dereference", bits(4, 4))], {
        DEREFERENCE_RESOURCE "dereference resource" = 0;
        SPAWN_THREAD "spawn thread" = 1;
    }
    /// Video motion estimation.
    vme "vme" = 8, type bits(13, 14), fields &[("bti", common::BINDING_TABLE_INDEX)], {
    }
    /// The constant cache: reads only.
    constant_cache "constant cache" = 9, type descriptor::data_cache_0::MESSAGE_TYPE, fields SURFACE, {
        OWORD_BLOCK_READ "oword block read" = 0;
        UNALIGNED_OWORD_BLOCK_READ "unaligned oword block read" = 1;
        OWORD_DUAL_BLOCK_READ "oword dual block read" = 2;
        DWORD_SCATTERED_READ "dword scattered read" = 3;
    }
    /// Data cache, data port 0. Scratch blocks have a category and a descriptor layout of their
    /// own.
    data_cache_0 "data cache 0" = 10, type bits(14, 18), fields SURFACE, {
        OWORD_BLOCK_READ "oword block read" = 0;
        UNALIGNED_OWORD_BLOCK_READ "unaligned oword block read" = 1;
        OWORD_DUAL_BLOCK_READ "oword dual block read" = 2;
        DWORD_SCATTERED_READ "dword scattered read" = 3;
        BYTE_SCATTERED_READ "byte scattered read" = 4;
        MEMORY_FENCE "memory fence" = 7;
        OWORD_BLOCK_WRITE "oword block write" = 8;
        OWORD_DUAL_BLOCK_WRITE "oword dual block write" = 10;
        DWORD_SCATTERED_WRITE "dword scattered write" = 11;
        BYTE_SCATTERED_WRITE "byte scattered write" = 12;
    }
    /// The pixel interpolator.
    pixel_interpolator "pixel interpolator" = 11, type descriptor::interpolator::MESSAGE_TYPE, fields &[("data", descriptor::interpolator::OFFSETS), ("slot_group", descriptor::interpolator::SLOT_GROUP), ("linear", descriptor::interpolator::INTERPOLATION_MODE)], {
        SHARED_OFFSET "shared offset" = 0;
        SAMPLE "sample" = 1;
        CENTROID "centroid" = 2;
        PER_SLOT_OFFSET "per-slot offset" = 3;
    }
    /// Data cache, data port 1.
    data_cache_1 "data cache 1" = 12, type descriptor::data_cache_1::MESSAGE_TYPE, fields SURFACE, {
        UNTYPED_SURFACE_READ "untyped surface read" = 1;
        UNTYPED_ATOMIC "untyped atomic" = 2;
        UNTYPED_ATOMIC_SIMD4X2 "untyped atomic simd4x2" = 3;
        MEDIA_BLOCK_READ "media block read" = 4;
        TYPED_SURFACE_READ "typed surface read" = 5;
        TYPED_ATOMIC "typed atomic" = 6;
        TYPED_ATOMIC_SIMD4X2 "typed atomic simd4x2" = 7;
        UNTYPED_SURFACE_WRITE "untyped surface write" = 9;
        MEDIA_BLOCK_WRITE "media block write" = 10;
        ATOMIC_COUNTER "atomic counter" = 11;
        ATOMIC_COUNTER_SIMD4X2 "atomic counter simd4x2" = 12;
        TYPED_SURFACE_WRITE "typed surface write" = 13;
        A64_SCATTERED_READ "A64 scattered read" = 16;
        A64_UNTYPED_SURFACE_READ "A64 untyped surface read" = 17;
        A64_UNTYPED_ATOMIC "A64 untyped atomic" = 18;
        A64_BLOCK_READ "A64 block read" = 20;
        A64_BLOCK_WRITE "A64 block write" = 21;
        A64_UNTYPED_SURFACE_WRITE "A64 untyped surface write" = 25;
        A64_SCATTERED_WRITE "A64 scattered write" = 26;
        UNTYPED_ATOMIC_FLOAT "untyped atomic float" = 27;
        A64_UNTYPED_ATOMIC_FLOAT "A64 untyped atomic float" = 29;
    }
    /// Check and refinement engine.
    check_and_refinement "check and refinement" = 13, type bits(13, 14), fields &[("bti", common::BINDING_TABLE_INDEX)], {
    }
}

/// Describes a message in one line: shared function, message type, fields, lengths in registers.
pub fn describe_send(send: &Send, hw_gen: Gen) -> String {
    let mut out = String::new();
    let function = SharedFunction::by_sfid(send.sfid);
    match (function, send.ex_desc) {
        (_, Desc::A0(sub)) => {
            let _ = write!(out, "function in a0.{}", sub / 2);
        }
        (Some(function), _) => out += function.name,
        (None, _) => {
            let _ = write!(out, "function {}", send.sfid);
        }
    }
    if let Desc::Imm(desc) = send.desc {
        match function.filter(|_| matches!(send.ex_desc, Desc::Imm(_))) {
            Some(function) => describe_message(&mut out, function, desc, hw_gen),
            None => out += ": unknown message",
        }
        let mlen = common::MESSAGE_LENGTH.get(desc);
        let rlen = common::RESPONSE_LENGTH.get(desc);
        let _ = write!(out, ", mlen {mlen}");
        if let Desc::Imm(ex) = send.ex_desc
            && extended::MESSAGE_LENGTH.any(ex)
        {
            let _ = write!(out, "+{}", extended::MESSAGE_LENGTH.get(ex));
        }
        let _ = write!(out, ", rlen {rlen}");
        if common::HEADER_PRESENT.any(desc) {
            out += ", header";
        }
    } else {
        out += ", descriptor in a0";
    }
    if send.eot {
        out += ", end of thread";
    }
    out
}

fn describe_message(out: &mut String, function: &SharedFunction, desc: u32, hw_gen: Gen) {
    if function.sfid == data_cache_0::SFID && descriptor::data_cache_0::CATEGORY.any(desc) {
        describe_scratch(out, desc, hw_gen);
        return;
    }
    let kind = function.message_type.get(desc);
    match function.messages.iter().find(|m| m.0 == kind) {
        Some((_, name)) => {
            let _ = write!(out, ": {name}");
        }
        None if function.sfid == null::SFID => {}
        None => {
            let _ = write!(out, ": message {kind}");
        }
    }
    for (name, field) in function.fields {
        let value = field.get(desc);
        match (*name, value) {
            ("bti", bti::STATELESS) => *out += ", stateless",
            ("bti", bti::SLM) => *out += ", slm",
            ("bti", bti::STATELESS_NON_COHERENT) => *out += ", stateless non-coherent",
            ("bti", bti::BINDLESS) => *out += ", bindless",
            ("control" | "masks" | "per_slot_offset" | "root" | "no_dereference", 0) => {}
            _ => {
                let _ = write!(out, ", {name} {value}");
            }
        }
    }
}

/// Describes a scratch block message, which has its own descriptor layout in data cache 0 (Category
/// 1).
fn describe_scratch(out: &mut String, desc: u32, hw_gen: Gen) {
    let direction = if scratch_block::OPERATION.any(desc) {
        "write"
    } else {
        "read"
    };
    let code = scratch_block::BLOCK_SIZE.get(desc);
    // Gen7 encodes 1, 2 and 4 registers as 0, 1 and 3.
    let registers = if hw_gen >= Gen::Gen8 {
        1 << code
    } else {
        code + 1
    };
    let offset = scratch_block::OFFSET.get(desc);
    let _ = write!(
        out,
        ": scratch block {direction}, {registers} grf at {offset} grf"
    );
}
