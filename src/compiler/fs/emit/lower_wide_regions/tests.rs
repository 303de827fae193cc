//! Tests of the lowering for low-power cores.

use super::lower_wide_regions;
use crate::emit::encode::{check_rules, encode};
use crate::lir::{Dst, Inst, Lir, Op, Pred, Src};
use crate::testing::program;
use entity::{Id, IdMap};
use isa::{Opcode, Type};

/// Checks that every rule of a small core is kept where each VGRF has a place of its own.
fn check_low_power_core(lir: &Lir) -> Result<(), String> {
    let mut reg = IdMap::for_arena(&lir.vgrfs, 0);
    let mut next = 2;
    for (v, vgrf) in lir.vgrfs.iter() {
        reg[v] = next;
        next += vgrf.regs as u8;
    }
    let device = hw::Device::by_name("bxt").expect("a device");
    check_rules(&encode(lir, &reg).0, device).map_err(|e| e.to_string())
}

fn lowered(inst: Inst, vgrfs: &[u32]) -> Lir {
    let mut lir = program();
    for &bytes in vgrfs {
        lir.vgrf(bytes);
    }
    lir.insts.push(inst);
    lower_wide_regions(&mut lir).expect("can be lowered");
    check_low_power_core(&lir).expect("legal");
    lir
}

fn binary(op: Opcode, exec: u8, dst: Dst, a: Src, b: Src) -> Inst {
    Inst {
        dst,
        src: [a, b, Src::NULL],
        ..Inst::new(Op::Eu(op), exec)
    }
}

#[test]
fn wide_operands_get_equal_strides_and_offsets() {
    let v = Id::new;
    let wide = Src::vgrf(v(1), 0, Type::Q, 1);
    let packed = Src::vgrf(v(2), 0, Type::D, 1);
    // In place already.
    let sum = binary(Opcode::Add, 8, Dst::vgrf(v(0), 0, Type::Q, 1), wide, wide);
    assert_eq!(lowered(sum, &[64; 3]).insts, [sum]);
    // One element for all may lie anywhere, and one lane too.
    let scalar = Src {
        stride: 0,
        offset: 8,
        ..wide
    };
    let sum = binary(Opcode::Add, 8, Dst::vgrf(v(0), 0, Type::Q, 1), wide, scalar);
    assert_eq!(lowered(sum, &[64; 3]).insts, [sum]);
    let one = binary(Opcode::Add, 1, Dst::vgrf(v(0), 8, Type::Q, 1), wide, packed);
    assert_eq!(lowered(one, &[64; 3]).insts, [one]);
    // Packed doublewords are spread first.
    let mixed = binary(Opcode::Add, 8, Dst::vgrf(v(0), 0, Type::Q, 1), wide, packed);
    let made = lowered(mixed, &[64, 64, 32]);
    assert_eq!(made.insts.len(), 2);
    assert_eq!(
        (made.insts[1].src[1].stride, made.insts[1].src[1].ty),
        (2, Type::D)
    );
    // A packed result is gathered afterwards, where its predicate says.
    let mut narrow = binary(Opcode::Add, 8, Dst::vgrf(v(2), 0, Type::D, 1), wide, wide);
    narrow.pred = Some(Pred {
        ctrl: isa::PredCtrl::Normal,
        inverse: false,
    });
    let made = lowered(narrow, &[64, 64, 32]);
    assert_eq!(made.insts.len(), 2);
    let raw = Dst {
        ty: Type::Ud,
        ..narrow.dst
    };
    assert_eq!((made.insts[1].dst, made.insts[1].pred), (raw, narrow.pred));
    // Another place in its register: by halves.
    let shifted = Src { offset: 16, ..wide };
    let sum = binary(
        Opcode::Add,
        2,
        Dst::vgrf(v(0), 0, Type::Q, 1),
        wide,
        shifted,
    );
    assert_eq!(lowered(sum, &[64; 3]).insts.len(), 3);
    // A comparison without a destination has its sources where the null register starts.
    let mut cmp = binary(Opcode::Cmp, 2, Dst::null(Type::D), shifted, scalar);
    cmp.cmod = isa::CondMod::L;
    let made = lowered(cmp, &[64; 3]);
    assert_eq!((made.insts.len(), made.insts[2].dst.stride), (3, 2));
}

#[test]
fn dword_products_are_split_into_word_products() {
    let v = Id::new;
    let source = |n| Src::vgrf(v(n), 0, Type::D, 1);
    let dst = Dst::vgrf(v(0), 0, Type::D, 1);
    let of = |a, b| {
        lowered(binary(Opcode::Mul, 8, dst, a, b), &[32; 3])
            .insts
            .len()
    };
    assert_eq!(of(source(1), source(2)), 3);
    // Written beside what it reads; a negated factor is negated first.
    assert_eq!(of(source(0), source(2)), 4);
    assert_eq!(of(source(1), source(2).negated()), 4);
    assert_eq!(of(source(1), Src::imm(Type::D, 1000)), 1);
    assert_eq!(of(source(1), Src::imm(Type::D, 0xffff_fff0)), 3);
    let wide = binary(
        Opcode::Mul,
        8,
        Dst::vgrf(v(0), 0, Type::Q, 1),
        source(1),
        source(2),
    );
    assert_eq!(lowered(wide, &[64, 32, 32]).insts.len(), 3);
    // Lanes that a predicate leaves out may hold nothing: none of the pieces reads them.
    let pred = Some(Pred {
        ctrl: isa::PredCtrl::Normal,
        inverse: true,
    });
    for (product, vgrfs, pieces) in [
        (
            binary(Opcode::Mul, 8, dst, source(1), source(2)),
            [32; 3],
            3,
        ),
        (wide, [64, 32, 32], 3),
    ] {
        let made = lowered(Inst { pred, ..product }, &vgrfs).insts;
        assert_eq!(made.iter().filter(|i| i.pred == pred).count(), pieces);
    }
}

#[test]
fn wide_indirect_moves_are_split() {
    let v = Id::new;
    let mut inst = Inst::new(Op::MovIndirect, 4);
    inst.dst = Dst::vgrf(v(0), 0, Type::Uq, 1);
    inst.src[0] = Src::vgrf(v(1), 8, Type::Uq, 0);
    inst.src[1] = Src::vgrf(v(2), 0, Type::Uw, 2);
    let made = lowered(inst, &[32, 64, 32]);
    let halves: Vec<_> = made
        .insts
        .iter()
        .map(|i| (i.dst.offset, i.src[0].offset, i.dst.stride))
        .collect();
    assert_eq!(halves, [(0, 8, 2), (4, 12, 2)]);
}
