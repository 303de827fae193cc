//! Describes the message of a SEND as text, for disassembly.
//!
//! In:  the shared function and descriptor of a message.
//! Out: one line of text. The simulator executes messages without these tables.
//! Ref: SKL PRM vol. 2d, "Message Descriptor" structures; vol. 7, "Shared Functions".

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
    /// Highest and lowest bit of the message type in the descriptor.
    pub message_type: (u8, u8),
    /// Value and name of each message type.
    pub messages: &'static [(u8, &'static str)],
    /// Fields of the descriptor that all messages of the shared function have: name, highest and
    /// lowest bit.
    pub fields: &'static [(&'static str, u8, u8)],
}

const SURFACE: &[(&str, u8, u8)] = &[("bti", 7, 0), ("control", 13, 8)];

/// Shared functions of gen8 and gen9.
pub static SHARED_FUNCTIONS: &[SharedFunction] = &[
    SharedFunction {
        sfid: 0,
        name: "null",
        message_type: (0, 0),
        messages: &[],
        fields: &[],
    },
    SharedFunction {
        sfid: 2,
        name: "sampler",
        message_type: (16, 12),
        messages: &[
            (0, "sample"),
            (1, "sample_b"),
            (2, "sample_l"),
            (3, "sample_c"),
            (4, "sample_d"),
            (5, "sample_b_c"),
            (6, "sample_l_c"),
            (7, "ld"),
            (8, "gather4"),
            (9, "lod"),
            (10, "resinfo"),
            (11, "sampleinfo"),
            (13, "sample+killpix"),
            (16, "gather4_c"),
            (17, "gather4_po"),
            (18, "gather4_po_c"),
            (20, "sample_d_c"),
            (24, "sample_lz"),
            (25, "sample_c_lz"),
            (26, "ld_lz"),
            (28, "ld2dms_w"),
            (29, "ld_mcs"),
            (30, "ld2dms"),
            (31, "ld2dss"),
        ],
        fields: &[("bti", 7, 0), ("sampler", 11, 8), ("simd_mode", 18, 17)],
    },
    SharedFunction {
        sfid: 3,
        name: "gateway",
        message_type: (2, 0),
        messages: &[
            (0, "open"),
            (1, "close"),
            (2, "forward"),
            (3, "get timestamp"),
            (4, "barrier"),
            (5, "update state"),
            (6, "mmio"),
        ],
        fields: &[("notify", 16, 15), ("ack", 14, 14)],
    },
    SharedFunction {
        sfid: 4,
        name: "sampler cache",
        message_type: (17, 14),
        messages: &[
            (1, "unaligned oword block read"),
            (4, "media block read"),
            (5, "surface info"),
        ],
        fields: SURFACE,
    },
    SharedFunction {
        sfid: 5,
        name: "render cache",
        message_type: (17, 14),
        messages: &[
            (4, "media block read"),
            (5, "typed surface read"),
            (6, "typed atomic"),
            (7, "memory fence"),
            (10, "media block write"),
            (12, "render target write"),
            (13, "render target read"),
        ],
        fields: SURFACE,
    },
    SharedFunction {
        sfid: 6,
        name: "urb",
        message_type: (3, 0),
        messages: &[
            (0, "write hword"),
            (1, "write oword"),
            (2, "read hword"),
            (3, "read oword"),
            (4, "atomic mov"),
            (5, "atomic inc"),
            (6, "atomic add"),
            (7, "simd8 write"),
            (8, "simd8 read"),
        ],
        fields: &[
            ("offset", 14, 4),
            ("masks", 15, 15),
            ("per_slot_offset", 17, 17),
        ],
    },
    SharedFunction {
        sfid: 7,
        name: "spawner",
        message_type: (0, 0),
        messages: &[(0, "dereference resource"), (1, "spawn thread")],
        fields: &[("root", 1, 1), ("no_dereference", 4, 4)],
    },
    SharedFunction {
        sfid: 8,
        name: "vme",
        message_type: (14, 13),
        messages: &[],
        fields: &[("bti", 7, 0)],
    },
    SharedFunction {
        sfid: 9,
        name: "constant cache",
        message_type: (17, 14),
        messages: &[
            (0, "oword block read"),
            (1, "unaligned oword block read"),
            (2, "oword dual block read"),
            (3, "dword scattered read"),
        ],
        fields: SURFACE,
    },
    SharedFunction {
        sfid: 10,
        name: "data cache 0",
        message_type: (18, 14),
        messages: &[
            (0, "oword block read"),
            (1, "unaligned oword block read"),
            (2, "oword dual block read"),
            (3, "dword scattered read"),
            (4, "byte scattered read"),
            (7, "memory fence"),
            (8, "oword block write"),
            (10, "oword dual block write"),
            (11, "dword scattered write"),
            (12, "byte scattered write"),
        ],
        fields: SURFACE,
    },
    SharedFunction {
        sfid: 11,
        name: "pixel interpolator",
        message_type: (13, 12),
        messages: &[
            (0, "shared offset"),
            (1, "sample"),
            (2, "centroid"),
            (3, "per-slot offset"),
        ],
        fields: &[("data", 7, 0), ("slot_group", 11, 11), ("linear", 14, 14)],
    },
    SharedFunction {
        sfid: 12,
        name: "data cache 1",
        message_type: (18, 14),
        messages: &[
            (1, "untyped surface read"),
            (2, "untyped atomic"),
            (3, "untyped atomic simd4x2"),
            (4, "media block read"),
            (5, "typed surface read"),
            (6, "typed atomic"),
            (7, "typed atomic simd4x2"),
            (9, "untyped surface write"),
            (10, "media block write"),
            (11, "atomic counter"),
            (12, "atomic counter simd4x2"),
            (13, "typed surface write"),
            (16, "A64 scattered read"),
            (17, "A64 untyped surface read"),
            (18, "A64 untyped atomic"),
            (20, "A64 block read"),
            (21, "A64 block write"),
            (25, "A64 untyped surface write"),
            (26, "A64 scattered write"),
            (27, "untyped atomic float"),
            (29, "A64 untyped atomic float"),
        ],
        fields: SURFACE,
    },
    SharedFunction {
        sfid: 13,
        name: "check and refinement",
        message_type: (14, 13),
        messages: &[],
        fields: &[("bti", 7, 0)],
    },
];

fn bits(desc: u32, hi: u8, lo: u8) -> u32 {
    desc >> lo & (((1u64 << (hi - lo + 1)) - 1) as u32)
}

/// Describes a message in one line: shared function, message type, fields, lengths in registers.
pub fn describe_send(send: &Send, hw_gen: Gen) -> String {
    let mut out = String::new();
    let function = SHARED_FUNCTIONS.iter().find(|f| f.sfid == send.sfid);
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
        let (mlen, rlen) = (bits(desc, 28, 25), bits(desc, 24, 20));
        let _ = write!(out, ", mlen {mlen}");
        if let Desc::Imm(ex) = send.ex_desc
            && bits(ex, 9, 6) != 0
        {
            let _ = write!(out, "+{}", bits(ex, 9, 6));
        }
        let _ = write!(out, ", rlen {rlen}");
        if bits(desc, 19, 19) == 1 {
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
    if function.sfid == 10 && bits(desc, 18, 18) == 1 {
        describe_scratch(out, desc, hw_gen);
        return;
    }
    let (hi, lo) = function.message_type;
    let kind = bits(desc, hi, lo);
    match function.messages.iter().find(|m| u32::from(m.0) == kind) {
        Some((_, name)) => {
            let _ = write!(out, ": {name}");
        }
        None if function.sfid == 0 => {}
        None => {
            let _ = write!(out, ": message {kind}");
        }
    }
    for (name, hi, lo) in function.fields {
        let value = bits(desc, *hi, *lo);
        match (*name, value) {
            ("bti", 255) => *out += ", stateless",
            ("bti", 254) => *out += ", slm",
            ("bti", 253) => *out += ", stateless non-coherent",
            ("bti", 252) => *out += ", bindless",
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
    let direction = if bits(desc, 17, 17) == 1 {
        "write"
    } else {
        "read"
    };
    let code = bits(desc, 13, 12);
    // Gen7 encodes 1, 2 and 4 registers as 0, 1 and 3.
    let registers = if hw_gen >= Gen::Gen8 {
        1 << code
    } else {
        code + 1
    };
    let offset = bits(desc, 11, 0);
    let _ = write!(
        out,
        ": scratch block {direction}, {registers} grf at {offset} grf"
    );
}
