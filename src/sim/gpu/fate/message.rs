//! Fates of the fields of message descriptors.
//!
//! In:  a message as a thread sends it. Out: an error for a descriptor that uses something that is
//!      not simulated or, in strict mode, has an illegal bit or value.
//! Ref: SKL PRM vol. 2d, message descriptors; [`isa::descriptor`] defines the fields.
//!
//! Extended descriptors hold a surface handle, or only fields of the instruction. Each bit of each
//! simulated message has one fate, except the instruction's fields (lengths, end of thread).
//! Messages that are not simulated stop in the unit that receives them. Units also handle
//! parameters that are missing from the payload.

use crate::fate::reason::{EVICTION, FENCE, NOTIFIED, SPAWNER};
use crate::fate::table::{Fate, fate};
use crate::rules::FIELD_VALUE;
use eu::{Message, StopReason};
use isa::descriptor::bti::BINDLESS;
use isa::descriptor::{self as d, Bits};
use isa::message::{
    constant_cache, data_cache_0, data_cache_1, gateway, pixel_interpolator, render_cache, sampler,
    sampler_cache, thread_spawner, urb,
};
use std::sync::OnceLock;

/// A field of a descriptor: its name in the sources, and its bits.
type NamedField = (&'static str, Bits);

/// The fates of the fields of a group of messages.
pub(super) struct MessageFates {
    /// Name of the group.
    pub name: &'static str,
    sfid: u8,
    /// Message kinds of the group, one bit each: see [`message_kind`].
    kinds: u32,
    pub rows: &'static [(&'static [NamedField], Fate)],
}

/// The kind of a message to a shared function, from its message type field or [`SCRATCH_BLOCK`].
fn message_kind(sfid: u8, desc: u32) -> u32 {
    match sfid {
        sampler::SFID => d::sample::MESSAGE_TYPE.get(desc),
        gateway::SFID => d::gateway::SUBFUNCTION.get(desc),
        render_cache::SFID => d::render_target::MESSAGE_TYPE.get(desc),
        urb::SFID => d::urb::OPCODE.get(desc),
        data_cache_0::SFID if d::data_cache_0::CATEGORY.any(desc) => SCRATCH_BLOCK,
        constant_cache::SFID | data_cache_0::SFID => d::data_cache_0::MESSAGE_TYPE.get(desc),
        data_cache_1::SFID => d::data_cache_1::MESSAGE_TYPE.get(desc),
        _ => 0,
    }
}

/// The kind of scratch blocks, which have no message type: more than data cache 0 has.
const SCRATCH_BLOCK: u32 = 16;

const fn kinds(of: &[u32]) -> u32 {
    let (mut all, mut i) = (0, 0);
    while i < of.len() {
        all |= 1 << of[i];
        i += 1;
    }
    all
}

const ALL: u32 = u32::MAX;
/// Reserved bits must be zero.
const MBZ: Fate = Fate::Only(&[0], "reserved");

macro_rules! messages {
    ($($name:literal $function:ident $kinds:expr, reserved [$($lo:literal..$hi:literal),*] => { $(
        $message_kind:ident $(($($argument:tt)*))? : $($module:ident::$field:ident),+ ;
    )* })*) => {
        pub(super) static MESSAGES: &[MessageFates] = &[$(MessageFates {
            name: $name,
            sfid: $function::SFID,
            kinds: $kinds,
            rows: &[
                $((&[$((concat!(stringify!($module), "::", stringify!($field)), d::$module::$field)),+], fate!($message_kind $(($($argument)*))?)),)*
                (&[$(("reserved", Bits { lo: $lo, hi: $hi })),*], MBZ),
            ],
        }),*];
    };
}

#[rustfmt::skip]
messages! {
    "sampler" sampler ALL, reserved [] => {
        modelled: common::BINDING_TABLE_INDEX, sample::SAMPLER_INDEX, sample::MESSAGE_TYPE, sample::SIMD_MODE,
            common::HEADER_PRESENT, sample::RETURN_FORMAT;
        refused: sample::SIMD_MODE_EXTENSION;
    }
    "gateway" gateway kinds(&[gateway::OPEN, gateway::CLOSE, gateway::BARRIER, gateway::UPDATE_STATE]), reserved [3..13, 17..19, 29..30] => {
        modelled: gateway::SUBFUNCTION;
        refused: gateway::ACKNOWLEDGE;
        inert(NOTIFIED): gateway::NOTIFY;
    }
    "render target write" render_cache kinds(&[render_cache::RENDER_TARGET_WRITE]), reserved [13..13, 18..18, 29..29] => {
        modelled: common::BINDING_TABLE_INDEX, render_target::SUBTYPE, render_target::SLOT_GROUP, render_target::MESSAGE_TYPE,
            common::HEADER_PRESENT;
        ruled("ps-end"): render_target::LAST_RENDER_TARGET;
        refused: render_target::DATA_FORMAT;
    }
    "urb simd8" urb kinds(&[urb::SIMD8_WRITE, urb::SIMD8_READ]), reserved [16..16, 18..18, 29..30] => {
        modelled: urb::OPCODE, urb::GLOBAL_OFFSET, urb::CHANNEL_MASK_PRESENT, urb::PER_SLOT_OFFSET_PRESENT;
        only([1], "vol. 7, URB, Header Present"): common::HEADER_PRESENT;
    }
    "thread spawner" thread_spawner ALL, reserved [] => {
        inert(SPAWNER): spawner::ALL, spawner::ALL_ABOVE;
    }
    "oword block" constant_cache kinds(&[constant_cache::OWORD_BLOCK_READ, constant_cache::UNALIGNED_OWORD_BLOCK_READ]), reserved [11..12, 18..18, 29..30] => {
        modelled: common::BINDING_TABLE_INDEX, oword_block::BLOCK_SIZE, data_cache_0::MESSAGE_TYPE;
        inert(EVICTION): oword_block::INVALIDATE_AFTER_READ;
        only([1], "vol. 2d, MDC_MHR"): common::HEADER_PRESENT;
    }
    "dword scattered" constant_cache kinds(&[constant_cache::DWORD_SCATTERED_READ]), reserved [10..12, 18..18, 29..30] => {
        modelled: common::BINDING_TABLE_INDEX, dword_scattered::BLOCK_SIZE, data_cache_0::MESSAGE_TYPE, common::HEADER_PRESENT;
        inert(EVICTION): dword_scattered::INVALIDATE_AFTER_READ;
    }
    "oword block" data_cache_0 kinds(&[data_cache_0::OWORD_BLOCK_READ, data_cache_0::UNALIGNED_OWORD_BLOCK_READ, data_cache_0::OWORD_BLOCK_WRITE]), reserved [11..12, 29..30] => {
        modelled: common::BINDING_TABLE_INDEX, oword_block::BLOCK_SIZE, data_cache_0::MESSAGE_TYPE, data_cache_0::CATEGORY;
        inert(EVICTION): oword_block::INVALIDATE_AFTER_READ;
        only([1], "vol. 2d, MDC_MHR"): common::HEADER_PRESENT;
    }
    "oword dual block" data_cache_0 kinds(&[data_cache_0::OWORD_DUAL_BLOCK_READ, data_cache_0::OWORD_DUAL_BLOCK_WRITE]), reserved [10..12, 29..30] => {
        modelled: common::BINDING_TABLE_INDEX, oword_dual_block::BLOCK_SIZE, data_cache_0::MESSAGE_TYPE, data_cache_0::CATEGORY,
            common::HEADER_PRESENT;
        inert(EVICTION): oword_dual_block::INVALIDATE_AFTER_READ;
    }
    "dword scattered" data_cache_0 kinds(&[data_cache_0::DWORD_SCATTERED_READ, data_cache_0::DWORD_SCATTERED_WRITE]), reserved [10..12, 29..30] => {
        modelled: common::BINDING_TABLE_INDEX, dword_scattered::BLOCK_SIZE, data_cache_0::MESSAGE_TYPE, data_cache_0::CATEGORY,
            common::HEADER_PRESENT;
        inert(EVICTION): dword_scattered::INVALIDATE_AFTER_READ;
    }
    "byte scattered" data_cache_0 kinds(&[data_cache_0::BYTE_SCATTERED_READ, data_cache_0::BYTE_SCATTERED_WRITE]), reserved [9..9, 12..13, 29..30] => {
        modelled: common::BINDING_TABLE_INDEX, byte_scattered::SIMD_MODE, byte_scattered::DATA_SIZE, data_cache_0::MESSAGE_TYPE,
            data_cache_0::CATEGORY, common::HEADER_PRESENT;
    }
    "memory fence" data_cache_0 kinds(&[data_cache_0::MEMORY_FENCE]), reserved [29..30] => {
        modelled: data_cache_0::MESSAGE_TYPE, data_cache_0::CATEGORY;
        inert(FENCE): common::BINDING_TABLE_INDEX, fence::FLUSHES, fence::COMMIT, common::HEADER_PRESENT;
    }
    "scratch block" data_cache_0 kinds(&[SCRATCH_BLOCK]), reserved [14..14, 29..30] => {
        modelled: scratch_block::OFFSET, scratch_block::BLOCK_SIZE, scratch_block::CHANNEL_MODE, scratch_block::OPERATION,
            data_cache_0::CATEGORY;
        refused: scratch_block::INVALIDATE_AFTER_READ;
        only([1], "vol. 2d, MDC_MHR"): common::HEADER_PRESENT;
    }
    "pixel interpolator" pixel_interpolator ALL, reserved [8..10, 15..15, 17..19, 29..30] => {
        modelled: interpolator::OFFSETS, interpolator::SLOT_GROUP, interpolator::MESSAGE_TYPE, interpolator::INTERPOLATION_MODE,
            interpolator::SIMD_MODE;
    }
    "untyped surface" data_cache_1 kinds(&[data_cache_1::UNTYPED_SURFACE_READ, data_cache_1::UNTYPED_SURFACE_WRITE]), reserved [29..30] => {
        modelled: common::BINDING_TABLE_INDEX, untyped::CHANNEL_MASK, untyped::SIMD_MODE, data_cache_1::MESSAGE_TYPE,
            common::HEADER_PRESENT;
    }
    "a64 untyped surface" data_cache_1 kinds(&[data_cache_1::A64_UNTYPED_SURFACE_READ, data_cache_1::A64_UNTYPED_SURFACE_WRITE]), reserved [29..30] => {
        only([255, 253], "vol. 7, Stateless Model"): common::BINDING_TABLE_INDEX;
        modelled: untyped::CHANNEL_MASK, untyped::SIMD_MODE, data_cache_1::MESSAGE_TYPE;
        only([0], "vol. 2d, MDC_MHF"): common::HEADER_PRESENT;
    }
    "typed surface" data_cache_1 kinds(&[data_cache_1::TYPED_SURFACE_READ, data_cache_1::TYPED_SURFACE_WRITE]), reserved [29..30] => {
        modelled: common::BINDING_TABLE_INDEX, typed::CHANNEL_MASK, typed::SLOT_GROUP, data_cache_1::MESSAGE_TYPE,
            common::HEADER_PRESENT;
    }
    "untyped atomic" data_cache_1 kinds(&[data_cache_1::UNTYPED_ATOMIC, data_cache_1::UNTYPED_ATOMIC_FLOAT]), reserved [29..30] => {
        modelled: common::BINDING_TABLE_INDEX, atomic::OPERATION, atomic::SIMD_MODE, atomic::RETURN_DATA,
            data_cache_1::MESSAGE_TYPE, common::HEADER_PRESENT;
    }
    "typed atomic" data_cache_1 kinds(&[data_cache_1::TYPED_ATOMIC]), reserved [29..30] => {
        modelled: common::BINDING_TABLE_INDEX, typed_atomic::OPERATION, typed_atomic::SLOT_GROUP, typed_atomic::RETURN_DATA,
            data_cache_1::MESSAGE_TYPE, common::HEADER_PRESENT;
    }
    "a64 atomic" data_cache_1 kinds(&[data_cache_1::A64_UNTYPED_ATOMIC, data_cache_1::A64_UNTYPED_ATOMIC_FLOAT]), reserved [29..30] => {
        only([255, 253], "vol. 7, Stateless Model"): common::BINDING_TABLE_INDEX;
        modelled: a64_atomic::OPERATION, a64_atomic::DATA_WIDTH, a64_atomic::RETURN_DATA, data_cache_1::MESSAGE_TYPE;
        only([0], "vol. 2d, MDC_MHF"): common::HEADER_PRESENT;
    }
    "a64 scattered" data_cache_1 kinds(&[data_cache_1::A64_SCATTERED_READ, data_cache_1::A64_SCATTERED_WRITE]), reserved [13..13, 29..30] => {
        only([255, 253], "vol. 7, Stateless Model"): common::BINDING_TABLE_INDEX;
        modelled: a64_scattered::SUBTYPE, a64_scattered::ELEMENTS, a64_scattered::SIMD_MODE, data_cache_1::MESSAGE_TYPE;
        only([0], "vol. 2d, MDC_MHF"): common::HEADER_PRESENT;
    }
    "a64 block" data_cache_1 kinds(&[data_cache_1::A64_BLOCK_READ, data_cache_1::A64_BLOCK_WRITE]), reserved [29..30] => {
        only([255, 253], "vol. 7, Stateless Model"): common::BINDING_TABLE_INDEX;
        modelled: oword_block::BLOCK_SIZE, a64_block::SUBTYPE, data_cache_1::MESSAGE_TYPE;
        inert(EVICTION): a64_block::INVALIDATE_AFTER_READ;
        only([1], "vol. 2d, MDC_MHR"): common::HEADER_PRESENT;
    }
}

/// The checks of a message, precomputed.
#[derive(Clone, Copy, Default)]
struct Checks {
    /// Bits that are refused.
    refused: u32,
    /// In strict mode: bits that are checked, and below, their required values.
    asked: u32,
    right: u32,
    /// In strict mode: a field that must have one of several values.
    choice: Option<(Bits, &'static [u64])>,
}

impl Checks {
    /// The bits of the choice, where the descriptor has none of its values.
    fn wrong_choice(&self, desc: u32) -> u32 {
        match self.choice {
            Some((bits, values)) if !values.contains(&bits.get(desc).into()) => bits.mask(),
            _ => 0,
        }
    }
}

/// Checks by shared function and message kind.
fn checks() -> &'static [[Checks; 32]; 16] {
    static CHECKS: OnceLock<Box<[[Checks; 32]; 16]>> = OnceLock::new();
    CHECKS.get_or_init(|| {
        let mut all = Box::new([[Checks::default(); 32]; 16]);
        for messages in MESSAGES {
            let mut own = Checks::default();
            for (fields, fate) in messages.rows {
                let mask = fields.iter().fold(0, |all, (_, bits)| all | bits.mask());
                match fate {
                    Fate::Refused => own.refused |= mask,
                    Fate::Only([value], _) => {
                        own.asked |= mask;
                        own.right |= if *value == 0 { 0 } else { mask };
                    }
                    Fate::Only(values, _) => {
                        own.choice = fields.first().map(|(_, bits)| (*bits, *values));
                    }
                    _ => {}
                }
            }
            for (message_kind, to) in all[usize::from(messages.sfid)].iter_mut().enumerate() {
                if messages.kinds >> message_kind & 1 == 1 {
                    *to = own;
                }
            }
        }
        all
    })
}

/// Checks a message's descriptor: an error if it uses something that is not simulated or, in strict
/// mode, is illegal.
///
/// # Errors
/// [`StopReason::Unimplemented`] and, in strict mode, [`StopReason::Undefined`], with the bits.
pub(crate) fn check(message: &Message<'_>, strict: bool) -> Result<(), StopReason> {
    let (sfid, desc) = (message.sfid, message.desc);
    if strict {
        check_extended(message)?;
    }
    let of = checks().get(usize::from(sfid));
    let Some(own) = of.and_then(|kinds| kinds.get(message_kind(sfid, desc) as usize)) else {
        return Ok(());
    };
    let illegal = match strict {
        true => (desc ^ own.right) & own.asked | own.wrong_choice(desc),
        false => 0,
    };
    let wrong = illegal | desc & own.refused;
    if wrong == 0 {
        return Ok(());
    }
    let of = |m: &&MessageFates| m.sfid == sfid && m.kinds >> message_kind(sfid, desc) & 1 == 1;
    let name = MESSAGES.iter().find(of).map_or("message", |m| m.name);
    let what = format!("{name}, bits {wrong:#x} of the descriptor {desc:#010x}");
    match desc & own.refused {
        0 => Err(FIELD_VALUE.stop(what, message.ip)),
        _ => Err(StopReason::Unimplemented {
            what,
            at: message.ip,
        }),
    }
}

/// In strict mode, checks that an extended descriptor has a surface handle only in messages that
/// use one. Bits 9:0 are the shared function, the end of thread and the second payload's length,
/// which the instruction encodes too; the rest is the handle of a bindless surface, used with the
/// bindless binding table index (SKL PRM vol. 7, "Extended Message Descriptor"; vol. 2d, "Bindless
/// Surface State"). Functions without surfaces ignore it: instruction compaction may leave other
/// bits there in an instruction that ends a thread. The sampler is exempt: Mesa's iris leaves other
/// bits there when it computes a sampler index, which works on real machines.
fn check_extended(message: &Message<'_>) -> Result<(), StopReason> {
    let surface = matches!(
        message.sfid,
        sampler_cache::SFID
            | render_cache::SFID
            | constant_cache::SFID
            | data_cache_0::SFID
            | data_cache_1::SFID
    );
    let handled = d::common::BINDING_TABLE_INDEX.get(message.desc) == BINDLESS;
    let wrong = match surface && !handled {
        true => message.ex_desc & HANDLE,
        false => 0,
    };
    FIELD_VALUE.check(wrong == 0, message.ip, || {
        let (ex_desc, sfid) = (message.ex_desc, message.sfid);
        format!(
            "bits {wrong:#x} of the extended descriptor {ex_desc:#010x} of a message to SFID {sfid}"
        )
    })
}

/// Bits of the surface handle.
const HANDLE: u32 = u32::MAX << 12;

#[cfg(test)]
mod tests {
    use super::*;
    use isa::descriptor::bti::{SLM, STATELESS, STATELESS_NON_COHERENT};

    fn send(sfid: u8, desc: u32, strict: bool) -> Result<(), StopReason> {
        send_extended(sfid, desc, 0, strict)
    }

    #[test]
    fn surface_handles_only_in_messages_that_use_them() {
        let surface = 1 << 19 | 1 << 14;
        let ended = |sfid, desc, ex_desc| {
            assert_eq!(send_extended(sfid, desc, ex_desc, false), Ok(()));
            match send_extended(sfid, desc, ex_desc, true) {
                Ok(()) => None,
                Err(StopReason::Undefined { rule, .. }) => Some(rule),
                Err(other) => panic!("{other}"),
            }
        };
        let wrong = Some("field-value");
        // Shared function, end of thread, length.
        assert_eq!(ended(12, surface | 3, 0x3ff), None);
        assert_eq!(ended(12, surface | BINDLESS, 0xffff_f00c), None);
        assert_eq!(ended(12, surface | 3, 0x1000), wrong);
        assert_eq!(ended(12, surface | 3, 0x8000_0000), wrong);
        assert_eq!(ended(2, 1 << 19 | 3, 0x04d0_0000), None);
        // The gateway has no surfaces.
        assert_eq!(ended(3, 4, 0x1000), None);
    }

    fn send_extended(sfid: u8, desc: u32, ex_desc: u32, strict: bool) -> Result<(), StopReason> {
        let message = Message {
            sfid,
            desc,
            ex_desc,
            exec_size: 8,
            lanes: 0xff,
            src0: &[],
            src1: &[],
            eot: false,
            waits: false,
            ip: 3,
        };
        check(&message, strict)
    }

    /// The rule that a message breaks in strict mode. Without it, nothing stops the message.
    fn broken(sfid: u8, desc: u32) -> Option<&'static str> {
        assert_eq!(send(sfid, desc, false), Ok(()), "{sfid} {desc:#x}");
        match send(sfid, desc, true) {
            Ok(()) => None,
            Err(StopReason::Undefined { rule, .. }) => Some(rule),
            Err(other) => panic!("{other}"),
        }
    }

    const WRONG: Option<&str> = Some("field-value");
    const HEADER: u32 = d::common::HEADER_PRESENT.mask();

    #[test]
    fn a64_messages_are_stateless() {
        use data_cache_1 as m;
        let headers = [
            (m::A64_UNTYPED_SURFACE_READ, 0),
            (m::A64_UNTYPED_SURFACE_WRITE, 0),
            (m::A64_UNTYPED_ATOMIC, 0),
            (m::A64_UNTYPED_ATOMIC_FLOAT, 0),
            (m::A64_SCATTERED_READ, 0),
            (m::A64_SCATTERED_WRITE, 0),
            (m::A64_BLOCK_READ, HEADER),
            (m::A64_BLOCK_WRITE, HEADER),
        ];
        for (kind, header) in headers {
            let desc = d::data_cache_1::MESSAGE_TYPE.encode(kind) | header;
            for table in [STATELESS, STATELESS_NON_COHERENT] {
                assert_eq!(broken(m::SFID, desc | table), None, "{kind:#x} {table}");
                let other = (desc | table) ^ HEADER;
                assert_eq!(broken(m::SFID, other), WRONG, "{kind:#x} {table}");
            }
            for table in [0, 1, 251, BINDLESS, SLM] {
                assert_eq!(broken(m::SFID, desc | table), WRONG, "{kind:#x} {table}");
            }
        }
        // Messages with offsets of 32 bits may address any surface.
        let surface = d::data_cache_1::MESSAGE_TYPE.encode(m::UNTYPED_SURFACE_READ);
        for table in [0, SLM, STATELESS] {
            assert_eq!(broken(m::SFID, surface | table), None, "{table}");
        }
    }

    #[test]
    fn urb_messages_have_a_header() {
        for opcode in [urb::SIMD8_WRITE, urb::SIMD8_READ] {
            let desc = d::urb::OPCODE.encode(opcode) | d::urb::GLOBAL_OFFSET.encode(5);
            let slots = d::urb::PER_SLOT_OFFSET_PRESENT.mask();
            for desc in [desc, desc | slots] {
                assert_eq!(broken(urb::SFID, desc | HEADER), None, "{desc:#x}");
                assert_eq!(broken(urb::SFID, desc), WRONG, "{desc:#x}");
            }
            for reserved in [16, 18, 29, 30] {
                let all = desc | HEADER | 1 << reserved;
                assert_eq!(broken(urb::SFID, all), WRONG, "{reserved}");
            }
        }
    }

    #[test]
    fn oword_blocks_have_a_header() {
        use data_cache_0 as m;
        let reads = [m::OWORD_BLOCK_READ, m::UNALIGNED_OWORD_BLOCK_READ];
        let of_constants = reads.map(|kind| (constant_cache::SFID, kind));
        let of_data = reads.map(|kind| (m::SFID, kind));
        let write = [(m::SFID, m::OWORD_BLOCK_WRITE)];
        for (sfid, kind) in [&of_constants[..], &of_data, &write].concat() {
            let desc = d::data_cache_0::MESSAGE_TYPE.encode(kind) | 3;
            assert_eq!(broken(sfid, desc | HEADER), None, "{sfid} {kind:#x}");
            assert_eq!(broken(sfid, desc), WRONG, "{sfid} {kind:#x}");
        }
    }

    /// Bits of the message itself: neither lengths nor the end of thread.
    const OWN: u32 = !(0x1ff << 20 | 1 << 31);

    #[test]
    fn every_bit_has_one_fate() {
        for messages in MESSAGES {
            let mut seen = 0u32;
            for (name, bits) in messages.rows.iter().flat_map(|row| row.0) {
                let twice = seen & bits.mask();
                assert_eq!(twice, 0, "{}: {name} has two fates", messages.name);
                seen |= bits.mask();
            }
            assert_eq!(seen, OWN, "{}: bits without a fate", messages.name);
        }
        let kinds = |sfid| MESSAGES.iter().filter(move |m| m.sfid == sfid);
        for sfid in 0..16 {
            let all = kinds(sfid).fold(0, |all: u32, m| {
                assert_eq!(all & m.kinds, 0, "{} twice", m.name);
                all | m.kinds
            });
            let _ = all;
        }
    }

    #[test]
    fn refused_and_reserved_descriptor_bits_stop() {
        let (mut refused, mut demanded) = (0, 0);
        for messages in MESSAGES {
            let kind_of = |desc: u32| messages.kinds >> message_kind(messages.sfid, desc) & 1 == 1;
            // A legal descriptor of the message.
            let right = messages
                .rows
                .iter()
                .fold(0, |all, (fields, fate)| match fate {
                    Fate::Only([1], _) => fields.iter().fold(all, |all, f| all | f.1.mask()),
                    Fate::Only([first, _, ..], _) => fields
                        .iter()
                        .fold(all, |all, f| all | f.1.encode(*first as u32)),
                    _ => all,
                });
            let kinds = (0..1u32 << 19).step_by(1 << 12).chain(0..16);
            let desc = kinds
                .map(|desc| desc | right)
                .find(|desc| kind_of(*desc) && send(messages.sfid, *desc, true).is_ok());
            let desc = desc.unwrap_or_else(|| panic!("{}: no descriptor", messages.name));
            for (fields, fate) in messages.rows {
                for (name, bits) in *fields {
                    let changed = desc ^ 1 << bits.lo;
                    let loose = send(messages.sfid, changed, false);
                    let strict = send(messages.sfid, changed, true);
                    match fate {
                        Fate::Refused => {
                            refused += 1;
                            let stops =
                                matches!(loose, Err(StopReason::Unimplemented { at: 3, .. }));
                            assert!(stops, "{} {name}: {loose:?}", messages.name);
                        }
                        Fate::Only(..) => {
                            demanded += 1;
                            assert_eq!(loose, Ok(()), "{} {name}", messages.name);
                            let field = matches!(
                                strict,
                                Err(StopReason::Undefined {
                                    rule: "field-value",
                                    ..
                                })
                            );
                            assert!(field, "{} {name}: {strict:?}", messages.name);
                        }
                        // Another bit may turn it into another kind of message.
                        _ if !kind_of(changed) => {}
                        _ => assert_eq!(
                            (loose, strict),
                            (Ok(()), Ok(())),
                            "{} {name}",
                            messages.name
                        ),
                    }
                }
            }
        }
        assert!(refused > 3 && demanded > 20, "{refused}, {demanded}");
    }
}
