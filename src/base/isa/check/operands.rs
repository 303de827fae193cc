//! Rules on operands of single operations: architecture registers, order of operands, messages.

use super::facts::{InstFacts, direct_address, is_arf};
use super::rule::Rule;
use crate::descriptor::{common, urb};
use crate::inst::{Addr, ArfReg, Desc, RegFile, Region, Send};
use crate::message;
use crate::opcode::{EncodingClass, Opcode};
use crate::types::Type;

const SEND: &str = "SEND";
const ACCUMULATOR: &str = "Accumulator Registers";
const URB: &str = "URB Messages";

pub static RULES: &[Rule] = &[
    Rule {
        name: "second_source_arf",
        prm: "Architecture Register File",
        text: "the second source is not an architecture register",
        broken: |f| f.is_alu() && f.sources().get(1).is_some_and(|s| s.file == RegFile::Arf),
    },
    Rule {
        name: "accumulator_byte",
        prm: ACCUMULATOR,
        text: "an accumulator is not accessed as bytes",
        broken: |f| {
            let byte = |file, addr, ty: Type| {
                is_arf(file, addr, ArfReg::Accumulator) && ty.size_bytes() == 1
            };
            let written = f.written_dst().is_some_and(|d| byte(d.file, d.addr, d.ty));
            let read = f.sources().iter().any(|s| byte(s.file, s.addr, s.ty));
            f.is_alu() && (written || read)
        },
    },
    Rule {
        name: "accumulator_written",
        prm: ACCUMULATOR,
        text: "ADDC, SUBB and MACH write carry or product to the accumulator (AccWrEn)",
        broken: |f| {
            let dst = &f.inst.dst;
            let explicit = is_arf(dst.file, dst.addr, ArfReg::Accumulator);
            matches!(f.inst.op, Opcode::Addc | Opcode::Subb | Opcode::Mach)
                && !f.inst.acc_wr
                && !explicit
        },
    },
    Rule {
        name: "control_switch",
        prm: "Control Register",
        text: "an operation that accesses cr0 has {Switch}, because the pipeline does not track dependencies on cr0",
        broken: |f| {
            let dst = &f.inst.dst;
            let control = |file, addr| is_arf(file, addr, ArfReg::Control);
            let read = f.sources().iter().any(|s| control(s.file, s.addr));
            f.is_alu() && !f.inst.switch && (read || control(dst.file, dst.addr))
        },
    },
    Rule {
        name: "immediate_twice",
        prm: "Immediate",
        text: "a 16-bit immediate is replicated in both halves of its 32 bits",
        broken: |f| {
            f.immediate().is_some_and(|s| {
                let half = matches!(s.ty, Type::W | Type::Uw | Type::Hf);
                half && s.imm as u16 != (s.imm >> 16) as u16
            })
        },
    },
    Rule {
        name: "plane_scalar",
        prm: "PLN",
        text: "the first source of LINE and PLN has the region <0;1,0>",
        broken: |f| {
            let plane = matches!(f.inst.op, Opcode::Line | Opcode::Pln);
            plane && f.is_align1() && f.inst.src[0].region != Region::SCALAR
        },
    },
    Rule {
        name: "multiply_first",
        prm: "MUL",
        text: "if one source is a doubleword and the other a shorter integer, the doubleword is the first",
        broken: |f| {
            let [a, b, _] = f.inst.src.map(|s| s.ty);
            let integers = !a.is_float() && !b.is_float();
            f.inst.op == Opcode::Mul && integers && a.size_bytes() < 4 && b.size_bytes() == 4
        },
    },
    Rule {
        name: "indirect_addresses",
        prm: "Indirect Addressing",
        text: "the address registers of all rows of a source are among a0.0 to a0.15",
        broken: |f| {
            f.regions().any(|(s, region)| match s.addr {
                Addr::Indirect { a0_sub, .. } => {
                    region.vstride == Region::VX1 && u32::from(a0_sub) + f.rows(region) > 16
                }
                Addr::Direct { .. } => false,
            })
        },
    },
    Rule {
        name: "macro_align16",
        prm: "MATH",
        text: "INVM and RSQTM are in align16, with at most 8 channels of F or 4 of DF",
        broken: |f| {
            let bytes = f.exec_size() * f.inst.dst.ty.size_bytes();
            f.inst.is_math_macro() && (!f.inst.align16 || bytes > 32)
        },
    },
    Rule {
        name: "jmpi_no_mask",
        prm: "JMPI",
        text: "JMPI ignores the execution mask",
        broken: |f| f.inst.op == Opcode::Jmpi && !f.inst.no_mask,
    },
    Rule {
        name: "send_whole_registers",
        prm: SEND,
        text: "payloads and response start at the start of a register",
        broken: |f| {
            let count = if f.class == EncodingClass::SplitSend {
                2
            } else {
                1
            };
            let inside = |addr| direct_address(addr).is_some_and(|p| p.1 != 0);
            let sources = f.inst.src.iter().take(count);
            f.inst.op.is_send() && (inside(f.inst.dst.addr) || sources.map(|s| s.addr).any(inside))
        },
    },
    Rule {
        name: "send_dependency",
        prm: SEND,
        text: "a message has neither NoDDClr nor NoDDChk",
        broken: |f| f.inst.op.is_send() && (f.inst.no_dd_clr || f.inst.no_dd_chk),
    },
    Rule {
        name: "send_descriptor_register",
        prm: SEND,
        text: "a message descriptor in a register is in a0.0",
        broken: |f| message(f).is_some_and(|m| matches!(m.desc, Desc::A0(sub) if sub != 0)),
    },
    Rule {
        name: "urb_header",
        prm: URB,
        text: "messages to the URB have a header",
        broken: |f| urb_descriptor(f).is_some_and(|desc| !common::HEADER_PRESENT.any(desc)),
    },
    Rule {
        name: "urb_message",
        prm: URB,
        text: "the message type of a URB message is 0 to 8",
        broken: |f| {
            urb_descriptor(f).is_some_and(|desc| urb::OPCODE.get(desc) > message::urb::SIMD8_READ)
        },
    },
];

fn message<'a>(f: &InstFacts<'a>) -> Option<&'a Send> {
    f.inst.send.as_ref().filter(|_| f.inst.op.is_send())
}

/// Descriptor of a URB message, if it is an immediate.
fn urb_descriptor(f: &InstFacts) -> Option<u32> {
    let send =
        message(f).filter(|m| m.sfid == message::urb::SFID && matches!(m.ex_desc, Desc::Imm(_)))?;
    match send.desc {
        Desc::Imm(desc) => Some(desc),
        Desc::A0(_) => None,
    }
}
