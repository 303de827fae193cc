//! Tests of payload lowering (rows F10 to F16 of the compiler's table of requirements, but for
//! F12): each payload has an exact list of moves.

use super::lower_collect;
use crate::lir::validate::validate;
use crate::lir::{Dst, Inst, Lir, Op, Payload, PayloadPart, Reg, SendInfo, Src, VgrfId};
use isa::{CondMod, Opcode, Type};

/// One move: lanes, group, NoMask, byte of the payload, elements between lanes, type.
type Moved = (u8, u8, bool, u32, u8, Type);

/// A program with one payload and the message that reads it.
struct Case {
    lir: Lir,
    collect: Inst,
    parts: Vec<PayloadPart>,
    mlen: u8,
}

const UD: Type = Type::Ud;

/// The register of headers, two long.
const G0: VgrfId = entity::Id::new(0);

impl Case {
    fn new(exec: u8, width: u8) -> Case {
        let mut lir = Lir {
            width,
            ..Lir::default()
        };
        let header = lir.vgrf(64);
        lir.vgrfs[header].fixed = Some(0);
        Case {
            lir,
            collect: Inst::new(Op::Do, exec),
            parts: Vec::new(),
            mlen: 0,
        }
    }

    /// A register that is there from the start, so that it is copied.
    fn given(&mut self, bytes: u32) -> VgrfId {
        let v = self.lir.vgrf(bytes);
        self.lir.vgrfs[v].fixed = Some(2 + 8 * v.index() as u8);
        v
    }

    fn push_part(&mut self, src: Src, bytes: u32, header: bool) -> &mut Case {
        self.parts.push(PayloadPart { src, bytes, header });
        self
    }

    fn header(&mut self, v: VgrfId, offset: u32) -> &mut Case {
        self.push_part(Src::vgrf(v, offset, UD, 1), 32, true)
    }

    /// A value of this type for each lane, packed.
    fn value(&mut self, ty: Type) -> &mut Case {
        let bytes = u32::from(self.collect.exec) * ty.size_bytes();
        let v = self.given(bytes.max(32));
        self.push_part(Src::vgrf(v, 0, ty, 1), bytes, false)
    }

    /// Adds the collect and its message; returns the payload.
    fn build(&mut self) -> VgrfId {
        let bytes: u32 = self.parts.iter().map(|p| p.bytes).sum();
        let v = self.lir.vgrf(bytes);
        self.mlen = bytes.div_ceil(32) as u8;
        let payload = self.lir.payloads.push(Payload {
            parts: self.parts.iter().copied().collect(),
        });
        let mut inst = self.collect;
        inst.op = Op::Collect(payload);
        inst.dst = Dst::vgrf(v, 0, UD, 1);
        self.lir.insts.push(inst);
        self.send(Src::vgrf(v, 0, UD, 1), Src::NULL, 0);
        v
    }

    fn send(&mut self, payload: Src, second: Src, ex_mlen: u8) {
        let mut send = Inst::new(Op::Send, self.collect.exec.min(16));
        send.src[0] = payload;
        send.src[1] = second;
        send.send = Some(SendInfo {
            writes: true,
            reads: false,
            ..crate::lir::message::untyped_write(0, 8, 1)
        });
        if let Some(info) = &mut send.send {
            (info.mlen, info.ex_mlen) = (self.mlen, ex_mlen);
        }
        self.lir.insts.push(send);
    }

    fn lowered(mut self) -> Lir {
        validate(&self.lir, "test").expect("valid before");
        assert!(lower_collect(&mut self.lir));
        validate(&self.lir, "test").expect("valid after");
        self.lir
    }

    fn moves(mut self) -> Vec<Moved> {
        self.build();
        moves(&self.lowered())
    }

    fn error(mut self) -> String {
        self.build();
        validate(&self.lir, "test")
            .expect_err("invalid")
            .to_string()
    }
}

fn moves(lir: &Lir) -> Vec<Moved> {
    let all = lir.insts.iter().filter(|i| i.op == Op::Eu(Opcode::Mov));
    all.map(|i| {
        (
            i.exec,
            i.group,
            i.no_mask,
            i.dst.offset,
            i.dst.stride,
            i.dst.ty,
        )
    })
    .collect()
}

/// A move of values, and one of headers.
fn mov(exec: u8, at: u32) -> Moved {
    (exec, 0, false, at, 1, UD)
}
fn head(exec: u8, at: u32) -> Moved {
    (exec, 0, true, at, 1, UD)
}

#[test]
fn values_occupy_the_registers_of_their_lanes() {
    for (exec, step) in [(8, 32), (16, 64)] {
        let mut c = Case::new(exec, exec);
        c.value(Type::F).value(Type::F).value(Type::F);
        assert_eq!(
            c.moves(),
            [mov(exec, 0), mov(exec, step), mov(exec, 2 * step)]
        );
    }
}

#[test]
fn headers_are_copied_without_the_mask() {
    let mut c = Case::new(16, 16);
    c.header(G0, 0).value(UD).value(UD);
    assert_eq!(c.moves(), [head(8, 0), mov(16, 32), mov(16, 96)]);
    // Its bits are copied, not its numbers.
    let mut c = Case::new(8, 8);
    c.push_part(Src::vgrf(G0, 0, Type::F, 1), 32, true)
        .value(UD);
    assert_eq!(c.moves(), [head(8, 0), mov(8, 32)]);
}

#[test]
fn contiguous_headers_are_one_move() {
    let mut c = Case::new(8, 8);
    c.header(G0, 0).header(G0, 32).value(UD);
    assert_eq!(c.moves(), [head(16, 0), mov(8, 64)]);
    let mut c = Case::new(8, 8);
    c.header(G0, 32).header(G0, 0).value(UD);
    assert_eq!(c.moves(), [head(8, 0), head(8, 32), mov(8, 64)]);
    let mut c = Case::new(8, 8);
    let other = c.given(32);
    c.header(G0, 0).header(G0, 32).header(other, 0).value(UD);
    assert_eq!(c.moves(), [head(16, 0), head(8, 64), mov(8, 96)]);
}

#[test]
fn gaps_occupy_their_registers() {
    let mut c = Case::new(16, 16);
    c.push_part(Src::NULL, 32, true)
        .value(UD)
        .push_part(Src::NULL, 64, false)
        .value(UD);
    assert_eq!(c.moves(), [mov(16, 32), mov(16, 160)]);
}

#[test]
fn parts_of_different_sizes_are_contiguous() {
    let mut c = Case::new(8, 8);
    c.value(Type::Hf).value(Type::F).value(Type::Df);
    // Registers are crossed in the middle of an instruction.
    let half = (8, 0, false, 0, 1, Type::Uw);
    let wide = |lanes, group, at| (lanes, group, false, at, 1, Type::Uq);
    assert_eq!(
        c.moves(),
        [half, mov(8, 16), wide(4, 0, 48), wide(4, 4, 80)]
    );
    // Padded to registers, by a gap.
    let mut c = Case::new(8, 8);
    c.value(Type::Hf)
        .push_part(Src::NULL, 16, false)
        .value(Type::F)
        .value(Type::Df);
    assert_eq!(c.moves(), [half, mov(8, 32), wide(8, 0, 64)]);
    // A half in a slot of four bytes.
    let mut c = Case::new(8, 8);
    let v = c.given(32);
    c.push_part(Src::vgrf(v, 0, Type::Uw, 1), 32, false);
    assert_eq!(c.moves(), [(8, 0, false, 0, 2, Type::Uw)]);
}

#[test]
fn halves_of_quadwords_are_one_move() {
    // The upper ones begin at byte 4, and still lie in two registers.
    let mut c = Case::new(8, 8);
    let v = c.given(64);
    c.push_part(Src::vgrf(v, 4, UD, 2), 32, false);
    c.push_part(Src::vgrf(v, 0, UD, 2), 32, false);
    assert_eq!(c.moves(), [mov(8, 0), mov(8, 32)]);
}

#[test]
fn moves_have_the_mask_and_group_of_the_collect() {
    let mut c = Case::new(8, 8);
    c.collect.no_mask = true;
    c.header(G0, 0).value(UD);
    assert_eq!(c.moves(), [head(8, 0), head(8, 32)]);
    let mut c = Case::new(8, 16);
    c.collect.group = 8;
    c.header(G0, 0).value(UD);
    assert_eq!(c.moves(), [head(8, 0), (8, 8, false, 32, 1, UD)]);
}

#[test]
fn both_halves_read_scalars() {
    let mut c = Case::new(16, 16);
    let v = c.given(32);
    c.push_part(Src::ud(7), 64, false)
        .push_part(Src::vgrf(v, 4, UD, 0), 64, false);
    // Eight bytes for a lane: two registers hold eight lanes.
    c.push_part(Src::vgrf(v, 8, Type::Uq, 0), 128, false);
    c.build();
    let lir = c.lowered();
    let half = |group: u8, at: u32| (8, group, false, at, 1, Type::Uq);
    assert_eq!(
        moves(&lir),
        [mov(16, 0), mov(16, 64), half(0, 128), half(8, 192)]
    );
    assert!(lir.insts[1..4].iter().all(|i| i.src[0].stride == 0));
    assert_eq!(lir.insts[2].src[0].offset, lir.insts[3].src[0].offset);
}

#[test]
fn simd32_payloads_are_two_groups_without_header() {
    let mut c = Case::new(32, 32);
    c.value(UD).value(UD);
    let second = |at| (16, 16, false, at, 1, UD);
    assert_eq!(
        c.moves(),
        [mov(16, 0), second(64), mov(16, 128), second(192)]
    );
    let mut c = Case::new(32, 32);
    c.header(G0, 0).value(UD);
    assert!(c.error().contains("more than 16 lanes"));
}

#[test]
fn validator_checks_part_sizes() {
    type Spoil = fn(&mut Case);
    let cases: [(Spoil, &str); 7] = [
        (|c| c.collect.sat = true, "no saturation"),
        (|c| c.collect.cmod = CondMod::Nz, "condition"),
        (|c| c.parts[0].bytes = 16, "a header is one register"),
        (|c| c.parts[0].src.stride = 0, "a header is one register"),
        (|c| c.parts[1].bytes = 40, "fit in their slots"),
        (|c| c.parts[1].src.neg = true, "modifiers"),
        (|c| c.parts[1].src.offset = 4, "beyond its VGRF"),
    ];
    for (spoil, message) in cases {
        let mut c = Case::new(8, 8);
        c.header(G0, 0).value(UD);
        spoil(&mut c);
        let error = c.error();
        assert!(error.contains(message), "{error}: {message}");
    }
    let mut c = Case::new(8, 8);
    c.value(UD).header(G0, 0);
    assert!(c.error().contains("headers come first"));
}

/// Makes a register for every lane, as one instruction.
fn made(c: &mut Case, bytes: u32) -> VgrfId {
    let v = c.lir.vgrf(bytes);
    let mut inst = Inst::new(Op::Eu(Opcode::Add), c.collect.exec);
    inst.dst = Dst::vgrf(v, 0, UD, 1);
    inst.src = [Src::vgrf(G0, 0, UD, 0), Src::ud(1), Src::NULL];
    c.lir.insts.push(inst);
    v
}

#[test]
fn contiguous_sources_are_read_in_place() {
    let mut c = Case::new(16, 16);
    let v = c.given(192);
    for at in [64, 128] {
        c.push_part(Src::vgrf(v, at, UD, 1), 64, false);
    }
    c.build();
    let lir = c.lowered();
    assert_eq!(
        (lir.insts.len(), lir.insts[0].src[0]),
        (1, Src::vgrf(v, 64, UD, 1))
    );
    // In the other order it does not.
    let mut c = Case::new(16, 16);
    let v = c.given(192);
    for at in [128, 64] {
        c.push_part(Src::vgrf(v, at, UD, 1), 64, false);
    }
    assert_eq!(c.moves().len(), 2);
}

#[test]
fn what_is_overwritten_before_the_message_is_copied() {
    for overwritten in [false, true] {
        let mut c = Case::new(8, 8);
        let v = c.given(32);
        c.push_part(Src::vgrf(v, 0, UD, 1), 32, false);
        c.build();
        if overwritten {
            let send = c.lir.insts.pop().expect("the message");
            let mut inst = Inst::new(Op::Eu(Opcode::Not), 8);
            inst.dst = Dst::vgrf(v, 0, UD, 1);
            inst.src[0] = Src::ud(1);
            c.lir.insts.push(inst);
            c.lir.insts.push(send);
        }
        assert_eq!(moves(&c.lowered()).len(), usize::from(overwritten));
    }
}

#[test]
fn a_register_made_for_the_payload_is_made_there() {
    let mut c = Case::new(16, 16);
    let (a, b) = (made(&mut c, 64), made(&mut c, 64));
    c.header(G0, 0);
    c.push_part(Src::vgrf(a, 0, UD, 1), 64, false);
    c.push_part(Src::vgrf(b, 0, UD, 1), 64, false);
    let v = c.build();
    let lir = c.lowered();
    assert_eq!(moves(&lir), [head(8, 0)]);
    assert_eq!(lir.insts[0].dst, Dst::vgrf(v, 32, UD, 1));
    assert_eq!(lir.insts[1].dst, Dst::vgrf(v, 96, UD, 1));
}

#[test]
fn a_register_of_another_size_or_used_twice_is_copied() {
    // The payload has room for eight of its lanes, or for words spread.
    let mut c = Case::new(8, 8);
    let v = made(&mut c, 64);
    c.push_part(Src::vgrf(v, 0, UD, 1), 32, false).value(UD);
    assert_eq!(c.moves().len(), 2);
    let mut c = Case::new(8, 8);
    let v = made(&mut c, 32);
    c.push_part(Src::vgrf(v, 0, Type::Uw, 1), 32, false)
        .value(UD);
    assert_eq!(c.moves().len(), 2);
    // One place cannot be two: it is made in the second, and copied from there.
    let mut c = Case::new(8, 8);
    let v = made(&mut c, 32);
    c.push_part(Src::vgrf(v, 0, UD, 1), 32, false);
    c.push_part(Src::vgrf(v, 0, UD, 1), 32, false);
    assert_eq!(c.moves(), [mov(8, 0)]);
}

#[test]
fn sources_are_read_before_the_payload_is_written() {
    // The payload's own register, its values exchanged.
    let mut c = Case::new(8, 8);
    c.value(UD).value(UD);
    let v = c.build();
    let payload = c.lir.payloads.ids().next().expect("a payload");
    for (k, at) in [32, 0].into_iter().enumerate() {
        c.lir.payloads[payload].parts[k].src = Src::vgrf(v, at, UD, 1);
    }
    assert!(lower_collect(&mut c.lir));
    let regs: Vec<(Reg, u32, Reg, u32)> = c.lir.insts[..4]
        .iter()
        .map(|i| (i.dst.reg, i.dst.offset, i.src[0].reg, i.src[0].offset))
        .collect();
    let (p, a, b) = (Reg::Vgrf(v), regs[0].0, regs[1].0);
    assert!(a != p && b != p && a != b);
    assert_eq!(
        regs,
        [(a, 0, p, 32), (b, 0, p, 0), (p, 0, a, 0), (p, 32, b, 0)]
    );
}

/// Two payloads of the same values; the second one with or without its header.
fn twice(header: bool) -> usize {
    let mut c = Case::new(8, 8);
    c.header(G0, 0).value(UD);
    c.build();
    c.parts[0].header = header;
    c.build();
    moves(&c.lowered()).len()
}

#[test]
fn payloads_are_shared_only_with_equal_headers() {
    assert_eq!(twice(true), 2);
    assert_eq!(twice(false), 4);
}

#[test]
fn separate_header_payloads_are_not_copied() {
    // The header is one payload of the message, the values are the other.
    let mut c = Case::new(8, 8);
    c.header(G0, 0);
    c.build();
    c.lir.insts.pop();
    let first = c.lir.insts[0].dst.as_vgrf().expect("a payload");
    c.parts.clear();
    let value = made(&mut c, 32);
    c.push_part(Src::vgrf(value, 0, UD, 1), 32, false);
    let second = c.build();
    c.lir.insts.pop();
    c.send(Src::vgrf(first, 0, UD, 1), Src::vgrf(second, 0, UD, 1), 1);
    let lir = c.lowered();
    assert_eq!(moves(&lir), []);
    let send = lir.insts.last().expect("the message");
    assert_eq!(send.src[0].as_vgrf(), lir.vgrfs.ids().next());
}

#[test]
fn the_two_payloads_of_a_message_do_not_overlap() {
    let mut c = Case::new(8, 8);
    let value = made(&mut c, 32);
    c.push_part(Src::vgrf(value, 0, UD, 1), 32, false);
    let first = c.build();
    c.lir.insts.pop();
    let second = c.build();
    c.lir.insts.pop();
    c.send(Src::vgrf(first, 0, UD, 1), Src::vgrf(second, 0, UD, 1), 1);
    let lir = c.lowered();
    let send = lir.insts.last().expect("the message");
    assert_ne!(send.src[0].reg, send.src[1].reg);
    assert_eq!(moves(&lir).len(), 1);
}
