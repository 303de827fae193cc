//! Rules on SEND, SENDC, SENDS, SENDSC.

use super::facts::{InstFacts, direct_address, is_null};
use super::rule::Rule;
use crate::descriptor::{common, extended};
use crate::inst::{CondMod, Desc, RegFile, Src};
use crate::opcode::EncodingClass;

const SEND: &str = "SEND";
const SENDS: &str = "SENDS";

/// First register of those that may hold the payload of an EOT message.
const FIRST_EOT_REGISTER: u8 = 112;

pub static RULES: &[Rule] = &[
    Rule {
        name: "send_described",
        prm: SEND,
        text: "SEND has message descriptors",
        broken: |f| f.inst.op.is_send() && f.inst.send.is_none(),
    },
    Rule {
        name: "send_payload",
        prm: SEND,
        text: "the payload is in general registers, addressed directly",
        broken: |f| f.inst.op.is_send() && payload_register(&f.inst.src[0]).is_none(),
    },
    Rule {
        name: "send_destination",
        prm: SEND,
        text: "the response goes to general registers, addressed directly, or to null",
        broken: |f| {
            let dst = &f.inst.dst;
            let grf = dst.file == RegFile::Grf && direct_address(dst.addr).is_some();
            f.inst.op.is_send() && !grf && !is_null(dst.file, dst.addr)
        },
    },
    Rule {
        name: "send_modifiers",
        prm: SEND,
        text: "a message has no source modifiers, no conditional modifier and does not saturate",
        broken: |f| {
            let src = f.sources().iter().any(|s| s.negate || s.abs);
            let modified = src || f.inst.saturate || f.inst.cmod != CondMod::None;
            f.inst.op.is_send() && modified
        },
    },
    Rule {
        name: "send_lengths",
        prm: SEND,
        text: "the payload has 1 to 15 registers, and the response at most 16",
        broken: |f| lengths(f).is_some_and(|l| l.payload == 0 || l.response > 16),
    },
    Rule {
        name: "send_past_last_register",
        prm: "General Register File",
        text: "payloads and response do not extend past r127",
        broken: |f| {
            let Some(l) = lengths(f) else { return false };
            let over = |nr: Option<u8>, len: u32| nr.is_some_and(|nr| u32::from(nr) + len > 128);
            let second = f
                .inst
                .src
                .get(1)
                .filter(|_| f.class == EncodingClass::SplitSend);
            over(payload_register(&f.inst.src[0]), l.payload)
                || over(second.and_then(payload_register), l.second)
                || over(response_register(f), l.response)
        },
    },
    Rule {
        name: "send_eot_payload",
        prm: SEND,
        text: "payloads of a message that ends the thread are in r112 to r127",
        broken: |f| {
            let low = |s: &Src| payload_register(s).is_some_and(|nr| nr < FIRST_EOT_REGISTER);
            is_eot(f) && f.sources().iter().any(low)
        },
    },
    Rule {
        name: "send_eot_response",
        prm: SEND,
        text: "a message that ends the thread has no response",
        broken: |f| is_eot(f) && lengths(f).is_some_and(|l| l.response != 0),
    },
    Rule {
        name: "send_r127",
        prm: "SEND: Destination and Source Overlap",
        text: "the response does not include r127 if payload and response overlap",
        broken: |f| {
            let Some(l) = lengths(f).filter(|_| f.class == EncodingClass::Send) else {
                return false;
            };
            let (Some(src), Some(dst)) = (payload_register(&f.inst.src[0]), response_register(f))
            else {
                return false;
            };
            let (src, dst) = (u32::from(src), u32::from(dst));
            l.response > 0 && dst + l.response > 127 && src + l.payload > dst
        },
    },
    Rule {
        name: "sends_second_payload",
        prm: SENDS,
        text: "the second payload is in general registers, or is null",
        broken: |f| {
            let src = &f.inst.src[1];
            f.class == EncodingClass::SplitSend
                && payload_register(src).is_none()
                && !is_null(src.file, src.addr)
        },
    },
    Rule {
        name: "sends_overlap",
        prm: SENDS,
        text: "the two payloads do not overlap",
        broken: |f| {
            let Some(l) = lengths(f).filter(|_| f.class == EncodingClass::SplitSend) else {
                return false;
            };
            let (Some(a), Some(b)) = (
                payload_register(&f.inst.src[0]),
                payload_register(&f.inst.src[1]),
            ) else {
                return false;
            };
            let (a, b) = (u32::from(a), u32::from(b));
            (a <= b && b < a + l.payload) || (b <= a && a < b + l.second.max(1))
        },
    },
];

/// Lengths of a message, in registers.
struct Lengths {
    payload: u32,
    second: u32,
    response: u32,
}

/// The lengths in the descriptors; if a descriptor is in a0, the minimum.
fn lengths(f: &InstFacts) -> Option<Lengths> {
    let send = f.inst.send.filter(|_| f.inst.op.is_send())?;
    let (payload, response) = match send.desc {
        Desc::Imm(desc) => (
            common::MESSAGE_LENGTH.get(desc),
            common::RESPONSE_LENGTH.get(desc),
        ),
        Desc::A0(_) => (1, 0),
    };
    let second = match send.ex_desc {
        Desc::Imm(ex_desc) if f.class == EncodingClass::SplitSend => {
            extended::MESSAGE_LENGTH.get(ex_desc)
        }
        _ => 0,
    };
    Some(Lengths {
        payload,
        second,
        response,
    })
}

fn is_eot(f: &InstFacts) -> bool {
    f.inst.send.is_some_and(|s| s.eot) && f.inst.op.is_send()
}

/// Number of the general register that a source addresses directly.
fn payload_register(src: &Src) -> Option<u8> {
    direct_address(src.addr)
        .map(|p| p.0)
        .filter(|_| src.file == RegFile::Grf)
}

/// Number of the first general register of the response.
fn response_register(f: &InstFacts) -> Option<u8> {
    let dst = &f.inst.dst;
    direct_address(dst.addr)
        .map(|p| p.0)
        .filter(|_| dst.file == RegFile::Grf)
}
