//! Tests of payloads in message registers, with and without COMPR4 (row F12 of the compiler's table
//! of requirements).

use crate::FsError;
use crate::alloc::regalloc;
use crate::emit::lower_collect::lower_collect;
use crate::emit::{encode, schedule};
use crate::lir::validate::validate;
use crate::lir::{Inst, Lir, Mrf, Op, Payload, PayloadPart, Reg, SendInfo, Src, VgrfId};
use crate::lir::{live, print};
use crate::opt::coalesce::opt_coalesce;
use crate::opt::dce::opt_dce;
use hw::Gen;
use isa::{Opcode, Type};
use std::collections::BTreeMap;

const UD: Type = Type::Ud;

/// The message register where payloads start here.
const FIRST: u8 = 1;

/// A payload in message registers. v0 has two headers, v1 and so on a value each.
struct Case {
    lir: Lir,
    collect: Inst,
    parts: Vec<PayloadPart>,
}

impl Case {
    fn new(hw_gen: Gen, exec: u8) -> Case {
        let mut lir = Lir {
            width: exec,
            message_registers: isa::message_registers(hw_gen),
            ..Lir::default()
        };
        let header = lir.vgrf(64);
        lir.vgrfs[header].fixed = Some(0);
        let mut collect = Inst::new(Op::Do, exec);
        let (nr, compr4) = (FIRST, true);
        collect.dst.reg = Reg::Mrf(Mrf { nr, compr4 });
        Case {
            lir,
            collect,
            parts: Vec::new(),
        }
    }

    /// Four colours behind so many headers.
    fn colours(hw_gen: Gen, headers: u32) -> Case {
        let mut c = Case::new(hw_gen, 16);
        (0..headers).for_each(|k| c.header(k % 2 * 32));
        (0..4).for_each(|_| c.value());
        c
    }

    fn header(&mut self, offset: u32) {
        self.parts.push(PayloadPart {
            src: Src::vgrf(VgrfId::new(0), offset, UD, 1),
            bytes: 32,
            header: true,
        });
    }

    fn value(&mut self) {
        let bytes = u32::from(self.collect.exec) * 4;
        let v = self.lir.vgrf(bytes);
        self.lir.vgrfs[v].fixed = Some(2 * v.index() as u8);
        self.parts.push(PayloadPart {
            src: Src::vgrf(v, 0, Type::F, 1),
            bytes,
            header: false,
        });
    }

    /// With the collect, and the message that reads its payload.
    fn built(mut self) -> Lir {
        let payload = Payload {
            parts: self.parts.into_iter().collect(),
        };
        let mlen = payload.bytes().div_ceil(32) as u8;
        self.collect.op = Op::Collect(self.lir.payloads.push(payload));
        self.lir.insts.push(self.collect);
        let mut send = Inst::new(Op::Send, self.collect.exec);
        let (nr, compr4) = (FIRST, false);
        send.src[0].reg = Reg::Mrf(Mrf { nr, compr4 });
        send.send = Some(SendInfo {
            mlen,
            ex_mlen: 0,
            ..crate::lir::message::untyped_write(0, 8, 1)
        });
        self.lir.insts.push(send);
        self.lir
    }

    fn lowered(self) -> Lir {
        let mut lir = self.built();
        validate(&lir, "test").expect("valid before");
        assert!(lower_collect(&mut lir));
        validate(&lir, "test").expect("valid after");
        lir
    }

    /// The moves as text.
    fn moves(self) -> Vec<String> {
        let lir = self.lowered();
        let (send, moves) = lir.insts.split_last().expect("a message");
        assert_eq!(send.op, Op::Send);
        moves.iter().map(|i| print::inst(&lir, i)).collect()
    }

    fn error(self) -> String {
        let error = validate(&self.built(), "test").expect_err("invalid");
        error.to_string()
    }
}

/// What the hardware leaves in each message register: the register that it came from, counted from
/// the source's first one, and the group of lanes. The second half of a move goes to the next
/// register, with COMPR4 to the fourth.
fn contents(lir: &Lir) -> BTreeMap<u32, (usize, u32, u8)> {
    let mut out = BTreeMap::new();
    for inst in lir.insts.iter().filter(|i| i.op == Op::Eu(Opcode::Mov)) {
        let (Reg::Mrf(m), Some(v)) = (inst.dst.reg, inst.src[0].as_vgrf()) else {
            panic!("{inst:?}");
        };
        let first = u32::from(m.nr) + inst.dst.offset / 32;
        for half in 0..inst.exec / 8 {
            let step = if m.compr4 { 4 } else { 1 };
            let from = inst.src[0].offset / 32 + u32::from(half);
            let what = (v.index(), from, inst.group + 8 * half);
            let before = out.insert(first + step * u32::from(half), what);
            assert_eq!(before, None, "written twice");
        }
    }
    out
}

/// What the table has for four colours in v1 to v4, the first of them at this register.
fn table(first: u32, apart: bool) -> BTreeMap<u32, (usize, u32, u8)> {
    let half = |k: u32| {
        if apart {
            (k % 4, k / 4)
        } else {
            (k / 2, k % 2)
        }
    };
    let row = |k| {
        let (colour, half) = half(k);
        (first + k, (1 + colour as usize, half, 8 * half as u8))
    };
    (0..8).map(row).collect()
}

#[test]
fn gen5_interleaves_colours_with_compr4() {
    for hw_gen in [Gen::Gen4_5, Gen::Gen5] {
        let mut c = Case::colours(hw_gen, 2);
        c.value();
        assert_eq!(
            c.moves(),
            [
                "mov (16|M0|W) m1<1>:ud v0<1>:ud",
                "mov (16|M0) m3<1>:ud v1<1>:ud {compr4}",
                "mov (16|M0) m4<1>:ud v2<1>:ud {compr4}",
                "mov (16|M0) m5<1>:ud v3<1>:ud {compr4}",
                "mov (16|M0) m6<1>:ud v4<1>:ud {compr4}",
                // The fifth value is not interleaved.
                "mov (16|M0) m11<1>:ud v5<1>:ud",
            ]
        );
        let lir = Case::colours(hw_gen, 0).lowered();
        assert_eq!(contents(&lir), table(1, true));
    }
}

#[test]
fn gen4_interleaves_colours_with_simd8_moves() {
    let mut c = Case::colours(Gen::Gen4, 2);
    c.value();
    assert_eq!(
        c.moves(),
        [
            "mov (16|M0|W) m1<1>:ud v0<1>:ud",
            "mov (8|M0) m3<1>:ud v1<1>:ud",
            "mov (8|M8) m7<1>:ud v1+32<1>:ud",
            "mov (8|M0) m4<1>:ud v2<1>:ud",
            "mov (8|M8) m8<1>:ud v2+32<1>:ud",
            "mov (8|M0) m5<1>:ud v3<1>:ud",
            "mov (8|M8) m9<1>:ud v3+32<1>:ud",
            "mov (8|M0) m6<1>:ud v4<1>:ud",
            "mov (8|M8) m10<1>:ud v4+32<1>:ud",
            "mov (16|M0) m11<1>:ud v5<1>:ud",
        ]
    );
    let lir = Case::colours(Gen::Gen4, 0).lowered();
    assert_eq!(contents(&lir), table(1, true));
}

#[test]
fn gen6_does_not_interleave() {
    let mut c = Case::colours(Gen::Gen6, 2);
    c.value();
    assert_eq!(
        c.moves(),
        [
            "mov (16|M0|W) m1<1>:ud v0<1>:ud",
            "mov (16|M0) m3<1>:ud v1<1>:ud",
            "mov (16|M0) m5<1>:ud v2<1>:ud",
            "mov (16|M0) m7<1>:ud v3<1>:ud",
            "mov (16|M0) m9<1>:ud v4<1>:ud",
            "mov (16|M0) m11<1>:ud v5<1>:ud",
        ]
    );
    let lir = Case::colours(Gen::Gen6, 0).lowered();
    assert_eq!(contents(&lir), table(1, false));
}

#[test]
fn header_pairs_are_one_move() {
    for (hw_gen, colours) in [(Gen::Gen4, 8), (Gen::Gen5, 4), (Gen::Gen6, 4)] {
        for (headers, moves) in [(0, 0), (1, 1), (2, 1), (3, 2)] {
            let c = Case::colours(hw_gen, headers);
            assert_eq!(c.moves().len(), moves + colours, "{hw_gen:?} {headers}");
        }
        // Headers that do not follow each other.
        let mut c = Case::colours(hw_gen, 2);
        c.parts.swap(0, 1);
        assert_eq!(c.moves().len(), 2 + colours);
        // Colours start behind the headers.
        let mut c = Case::colours(hw_gen, 1);
        c.parts[0].src.reg = Reg::Null;
        let apart = hw_gen != Gen::Gen6;
        assert_eq!(contents(&c.lowered()), table(2, apart));
    }
}

#[test]
fn undefined_colours_leave_both_registers_unwritten() {
    for hw_gen in [Gen::Gen4, Gen::Gen5] {
        let mut c = Case::colours(hw_gen, 0);
        c.parts[1].src = Src::NULL;
        let mut left = table(1, true);
        left.remove(&2).expect("m+1");
        left.remove(&6).expect("m+5");
        assert_eq!(contents(&c.lowered()), left);
    }
}

#[test]
fn simd8_payloads_are_contiguous() {
    for hw_gen in [Gen::Gen4, Gen::Gen5, Gen::Gen6] {
        let mut c = Case::new(hw_gen, 8);
        c.header(0);
        // Nor need there be four of them.
        (0..3).for_each(|_| c.value());
        assert_eq!(
            c.moves(),
            [
                "mov (8|M0|W) m1<1>:ud v0<1>:ud",
                "mov (8|M0) m2<1>:ud v1<1>:ud",
                "mov (8|M0) m3<1>:ud v2<1>:ud",
                "mov (8|M0) m4<1>:ud v3<1>:ud",
            ]
        );
    }
}

#[test]
fn payloads_without_colours_are_contiguous() {
    let mut c = Case::colours(Gen::Gen5, 0);
    c.collect.dst.reg = Reg::Mrf(Mrf {
        nr: FIRST,
        compr4: false,
    });
    assert_eq!(contents(&c.lowered()), table(1, false));
}

#[test]
fn sources_illegal_in_simd16_are_split() {
    // Every second element: four registers.
    let mut c = Case::colours(Gen::Gen5, 0);
    let spread = c.lir.vgrf(128);
    c.lir.vgrfs[spread].fixed = Some(20);
    c.parts[0].src = Src::vgrf(spread, 0, UD, 2);
    // What is the same for all lanes is read again by the second half.
    c.parts[1].src = Src::vgrf(VgrfId::new(0), 4, UD, 0);
    c.parts[2].src = Src::ud(7);
    assert_eq!(
        c.moves(),
        [
            "mov (8|M0) m1<1>:ud v5<2>:ud",
            "mov (8|M8) m5<1>:ud v5+64<2>:ud",
            "mov (16|M0) m2<1>:ud v0+4<0>:ud {compr4}",
            "mov (16|M0) m3<1>:ud 0x7:ud {compr4}",
            "mov (16|M0) m4<1>:ud v4<1>:ud {compr4}",
        ]
    );
    let mut c = Case::colours(Gen::Gen4, 0);
    c.parts[1].src = Src::vgrf(VgrfId::new(0), 4, UD, 0);
    let moves = c.moves();
    assert_eq!(moves[2], "mov (8|M0) m2<1>:ud v0+4<0>:ud");
    assert_eq!(moves[3], "mov (8|M8) m6<1>:ud v0+4<0>:ud");
}

#[test]
fn moves_have_the_mask_of_the_collect() {
    for (hw_gen, move_0) in [
        (Gen::Gen4, "mov (8|M0|W) m1<1>:ud v1<1>:ud"),
        (Gen::Gen5, "mov (16|M0|W) m1<1>:ud v1<1>:ud {compr4}"),
    ] {
        let mut c = Case::colours(hw_gen, 0);
        c.collect.no_mask = true;
        assert_eq!(c.moves()[0], move_0);
    }
}

#[test]
fn validator_requires_four_colours() {
    for hw_gen in [Gen::Gen4, Gen::Gen5, Gen::Gen6] {
        let mut c = Case::colours(hw_gen, 2);
        c.parts.pop();
        assert!(c.error().contains("four values of 32 bits"), "{hw_gen:?}");
        let mut c = Case::colours(hw_gen, 2);
        c.parts[2].src.ty = Type::Hf;
        assert!(c.error().contains("four values of 32 bits"), "{hw_gen:?}");
    }
}

#[test]
fn validator_checks_message_register_ranges() {
    type Spoil = fn(&mut Case);
    let cases: [(Spoil, &str); 5] = [
        (|c| c.lir.message_registers = None, "no message registers"),
        (
            |c| c.parts.extend([c.parts[5]; 4]),
            "beyond the last message register",
        ),
        (
            |c| {
                c.collect.exec = 32;
                c.lir.width = 32;
            },
            "more than sixteen lanes",
        ),
        (
            |c| c.parts[2].src.reg = c.collect.dst.reg,
            "not made of message registers",
        ),
        (|c| c.collect.sat = true, "no saturation"),
    ];
    for (spoil, message) in cases {
        let mut c = Case::colours(Gen::Gen5, 2);
        spoil(&mut c);
        let error = c.error();
        assert!(error.contains(message), "{error}: {message}");
    }
    // Gen6 has eight more.
    let mut c = Case::colours(Gen::Gen6, 2);
    c.parts.extend([c.parts[5]; 2]);
    assert_eq!(c.moves().len(), 7);
}

#[test]
fn validator_checks_uses_of_compr4() {
    type Spoil = fn(&mut Lir);
    fn first(lir: &mut Lir) -> &mut Inst {
        &mut lir.insts[0]
    }
    fn register(lir: &mut Lir) -> &mut Mrf {
        match &mut lir.insts[0].dst.reg {
            Reg::Mrf(m) => m,
            other => panic!("{other:?}"),
        }
    }
    let cases: [(Spoil, &str); 10] = [
        (
            |l| l.message_registers = isa::message_registers(Gen::Gen4),
            "no COMPR4",
        ),
        (|l| first(l).exec = 8, "sixteen lanes"),
        (
            |l| {
                first(l).group = 8;
                first(l).no_mask = true;
            },
            "a half, or of both",
        ),
        (
            |l| {
                register(l).compr4 = false;
                (first(l).exec, first(l).group) = (4, 4);
            },
            "a half, or of both",
        ),
        (|l| first(l).dst.ty = Type::Uw, "of 32 bits"),
        (|l| first(l).dst.offset = 4, "sixteen lanes of 32 bits"),
        (|l| register(l).nr = 12, "beyond the last"),
        (|l| first(l).dst.stride = 4, "beyond the last"),
        (
            |l| {
                register(l).compr4 = false;
                first(l).dst.stride = 2;
            },
            "more than two registers",
        ),
        (|l| first(l).src[0].reg = l.insts[0].dst.reg, "by messages"),
    ];
    for (spoil, message) in cases {
        let mut lir = Case::colours(Gen::Gen5, 0).lowered();
        if message == "beyond the last" {
            register(&mut lir).nr = 11;
            validate(&lir, "test").expect("m11 and m15");
        }
        spoil(&mut lir);
        let error = validate(&lir, "test").expect_err(message).to_string();
        assert!(error.contains(message), "{error}: {message}");
    }
    let mut lir = Case::colours(Gen::Gen5, 0).lowered();
    let to = lir.insts[0].dst;
    lir.insts.last_mut().expect("the message").dst = to;
    let error = validate(&lir, "test").expect_err("an answer");
    assert!(error.to_string().contains("written by moves"), "{error}");
}

#[test]
fn message_registers_end_with_gen6() {
    let of =
        |hw_gen| isa::message_registers(hw_gen).map(|m| (m.count, m.simd8_halves_apart, m.compr4));
    assert_eq!(of(Gen::Gen4), Some((16, true, false)));
    assert_eq!(of(Gen::Gen4_5), Some((16, true, true)));
    assert_eq!(of(Gen::Gen5), of(Gen::Gen4_5));
    assert_eq!(of(Gen::Gen6), Some((24, false, false)));
    assert_eq!(of(Gen::Gen7), None);
    assert!(hw::DEVICES.iter().all(|d| of(d.hw_gen).is_none()));
}

/// The moves stay before their message, and code begins and ends with the encoder's one error.
#[test]
fn message_registers_are_not_encoded() {
    let mut lir = Case::colours(Gen::Gen5, 2).lowered();
    opt_coalesce(&mut lir);
    opt_dce(&mut lir);
    let live = live::intervals(&lir, &live::loops(&lir));
    schedule::before_allocation(
        &mut lir,
        &live,
        schedule::PRESSURES[0],
        schedule::PressureHeuristic::Greedy,
    );
    let allocation = regalloc::allocate(&mut lir, VgrfId::new(0), false)
        .expect("valid")
        .expect("fits");
    assert_eq!(lir.insts.len(), 6);
    assert_eq!(lir.insts[5].op, Op::Send);
    let (insts, _) = encode::encode(&lir, &allocation.reg);
    let text: Vec<_> = insts.iter().map(|i| (i.dst.file, i.dst.addr)).collect();
    let sub_bytes = 0;
    let nr = isa::COMPR4 | 3;
    assert_eq!(
        text[1],
        (isa::RegFile::Mrf, isa::Addr::Direct { nr, sub_bytes })
    );
    assert_eq!(insts[5].src[0].file, isa::RegFile::Mrf);
    for (hw_gen, message) in [
        (Gen::Gen4, "instructions of Gen4 cannot be encoded yet"),
        (Gen::Gen5, "instructions of Gen5 cannot be encoded yet"),
        (Gen::Gen6, "instructions of Gen6 cannot be encoded yet"),
        (Gen::Gen9, "this generation has no message registers"),
    ] {
        let error = encode::encode_bytes(&insts, hw_gen).expect_err("no encoder");
        assert!(matches!(error, FsError::Encode { at: 0, .. }));
        assert!(error.to_string().contains(message), "{error}");
    }
    // A device of such a generation is refused before anything is compiled for it.
    let skl = hw::Device::by_name("skl").expect("a device");
    let device = hw::Device {
        name: "ilk",
        hw_gen: Gen::Gen5,
        ..*skl
    };
    let shader = nir::Shader::new(nir::Stage::Fragment, "none");
    let error = crate::compile(&shader, &device, &crate::Options::default());
    assert!(matches!(error, Err(FsError::Device { device: "ilk", .. })));
}
