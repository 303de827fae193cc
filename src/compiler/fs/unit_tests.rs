//! Tests of single passes on LIR made by hand.

use crate::alloc::regalloc;
use crate::divergence;
use crate::emit::encode::encode;
use crate::emit::{lower_wide_regions, schedule};
use crate::lir::live::{NO_LOOP, intervals, loops};
use crate::lir::validate;
use crate::lir::{Dst, GRF_BYTES, Inst, Lir, Op, Pred, Reg, Src, Vgrf, VgrfId};
use crate::opt::coalesce_phis::opt_coalesce_phis;
use entity::{Id, IdMap};
use isa::{Opcode, Type};

fn control(lir: &mut Lir, op: Op) {
    lir.insts.push(Inst::new(op, 8));
}

fn mov(lir: &mut Lir, dst: VgrfId, src: Src) {
    let mut inst = Inst::new(Op::Eu(Opcode::Mov), 8);
    inst.dst = Dst::vgrf(dst, 0, Type::Ud, 1);
    inst.src[0] = src;
    lir.insts.push(inst);
}

#[test]
fn one_colour_of_all_pixels_takes_one_register() {
    use nir::{Builder, IntrinsicOp, Shader, Slot, Stage};
    let mut shader = Shader::new(Stage::Fragment, "one");
    let mut b = Builder::at_end(&mut shader);
    let (colour, zero) = (b.imm_float(32, 0.5), b.imm_u32(0));
    let colour = b.vec(&[colour; 4]);
    let slot = Slot::var(0).unwrap();
    let indices = [0, 0xf, 0, slot.0.into(), 1, 0, 0];
    b.intrinsic(IntrinsicOp::StoreOutput, None, &[colour, zero], &indices);
    let device = hw::Device::by_name("skl").unwrap();
    let options = crate::Options {
        replicated: true,
        dumps: vec!["asm".into()],
        ..Default::default()
    };
    let made = crate::compile(&shader, device, &options).unwrap();
    let [only] = &made.variants[..] else {
        panic!("{} variants", made.variants.len())
    };
    assert_eq!(only.simd_width, 16);
    let text = &only.dumps[0].1;
    // A message of one register, of type 1.
    assert!(
        text.contains("control 17, mlen 1, rlen 0, end of thread"),
        "{text}"
    );
}

fn reg(v: VgrfId) -> Src {
    Src::vgrf(v, 0, Type::Ud, 1)
}

fn program() -> Lir {
    Lir {
        width: 8,
        ..Lir::default()
    }
}

#[test]
fn what_crosses_a_loop_lives_through_it() {
    let mut lir = program();
    let [before, inside, after] = [(); 3].map(|()| lir.vgrf(32));
    mov(&mut lir, before, Src::ud(1));
    control(&mut lir, Op::Do);
    mov(&mut lir, inside, reg(before));
    mov(&mut lir, after, reg(inside));
    control(&mut lir, Op::Eu(Opcode::Break));
    control(&mut lir, Op::Eu(Opcode::While));
    mov(&mut lir, before, reg(after));
    let loops = loops(&lir);
    let live = intervals(&lir, &loops);
    assert_eq!((live[before].start, live[before].end), (1, 13));
    // Made and used in one round.
    assert_eq!((live[inside].start, live[inside].end), (5, 6));
    // A lane that has left keeps it while others go round again.
    assert_eq!((live[after].start, live[after].end), (2, 12));
    assert_eq!(live[after].enclosing_loop, NO_LOOP);
}

#[test]
fn jumps_go_where_the_hardware_looks() {
    let mut lir = program();
    let v = lir.vgrf(32);
    control(&mut lir, Op::Do);
    control(&mut lir, Op::Eu(Opcode::If));
    control(&mut lir, Op::Eu(Opcode::Break));
    control(&mut lir, Op::Eu(Opcode::Else));
    mov(&mut lir, v, Src::ud(0));
    control(&mut lir, Op::Eu(Opcode::Endif));
    control(&mut lir, Op::Eu(Opcode::Halt));
    control(&mut lir, Op::Eu(Opcode::While));
    control(&mut lir, Op::HaltTarget);
    let out = encode(&lir, &IdMap::default());
    let jumps: Vec<(i32, i32)> = out.0.iter().map(|i| (i.jip / 16, i.uip / 16)).collect();
    // 0 if, 1 break, 2 else, 3 mov, 4 endif, 5 halt, 6 while, 7 halt
    assert_eq!(
        jumps,
        [
            (3, 4),
            (1, 5),
            (2, 2),
            (0, 0),
            (2, 0),
            (1, 2),
            (-6, 0),
            (1, 1)
        ]
    );
}

/// Many values at once, more than there are registers.
fn crowd(n: usize) -> Lir {
    let mut lir = program();
    let r0 = lir.vgrf(32);
    lir.vgrfs[r0].fixed = Some(0);
    let all: Vec<VgrfId> = (0..n).map(|_| lir.vgrf(32)).collect();
    for (i, v) in all.iter().enumerate() {
        mov(&mut lir, *v, Src::ud(i as u32));
    }
    for pair in all.windows(2) {
        let mut inst = Inst::new(Op::Eu(Opcode::Add), 8);
        inst.dst = Dst::vgrf(pair[1], 0, Type::Ud, 1);
        inst.src[0] = reg(pair[0]);
        inst.src[1] = reg(pair[1]);
        lir.insts.push(inst);
    }
    mov(&mut lir, r0, reg(all[n - 1]));
    lir
}

#[test]
fn allocation_spills_until_it_fits() {
    let mut lir = crowd(100);
    let r0 = lir.vgrfs.ids().next().unwrap();
    let fits = regalloc::allocate(&mut lir, r0, false).unwrap().unwrap();
    assert_eq!((fits.spills, fits.fills), (0, 0));
    let mut lir = crowd(400);
    assert!(regalloc::allocate(&mut lir, r0, false).unwrap().is_none());
    let spilled = regalloc::allocate(&mut lir, r0, true).unwrap().unwrap();
    assert!(spilled.spills > 100 && spilled.fills > 100);
    assert!(lir.scratch_bytes >= 32 * 200);
    validate::validate(&lir, "regalloc").unwrap();
    validate::validate_allocation(&lir, &spilled.reg, "regalloc").unwrap();
}

/// Messages to or from scratch.
fn scratch_messages(lir: &Lir) -> usize {
    let scratch = |i: &&Inst| i.send.is_some_and(|s| s.desc >> 18 & 1 == 1);
    lir.insts.iter().filter(scratch).count()
}

#[test]
fn constants_are_made_again_and_never_stored() {
    let mut lir = program();
    let r0 = lir.vgrf(32);
    let constant = lir.vgrf(32);
    let (a, b) = (lir.vgrf(32), lir.vgrf(32));
    mov(&mut lir, constant, Src::ud(7));
    for to in [a, b] {
        mov(&mut lir, to, reg(constant));
    }
    let mut all = entity::IdSet::new();
    all.insert(constant);
    let live = intervals(&lir, &loops(&lir));
    let counts = crate::alloc::spill::spill(&mut lir, &live, &all, r0, 0).unwrap();
    assert_eq!((counts, scratch_messages(&lir)), ((0, 0), 0));
    // Each copy has the constant made before it.
    let made = |i: &Inst| i.src[0].reg == Reg::Imm(7) && i.no_mask;
    let order: Vec<bool> = lir.insts.iter().map(made).collect();
    assert_eq!(order, [true, false, true, false]);
}

#[test]
fn what_is_written_twice_is_stored_and_kept_for_the_next_instruction() {
    let mut lir = program();
    let r0 = lir.vgrf(32);
    let twice = lir.vgrf(32);
    let (a, b, c) = (lir.vgrf(32), lir.vgrf(32), lir.vgrf(32));
    mov(&mut lir, twice, Src::ud(7));
    control(&mut lir, Op::Eu(Opcode::If));
    mov(&mut lir, twice, Src::ud(8));
    control(&mut lir, Op::Eu(Opcode::Endif));
    for to in [a, b, c] {
        mov(&mut lir, to, reg(twice));
    }
    let mut all = entity::IdSet::new();
    all.insert(twice);
    let live = intervals(&lir, &loops(&lir));
    let (spills, fills) = crate::alloc::spill::spill(&mut lir, &live, &all, r0, 0).unwrap();
    // The second write merges with what lanes that are not active hold; three reads in a row take
    // one.
    assert_eq!((spills, fills), (2, 2));
}

#[test]
fn what_is_summed_up_stays_in_registers_where_there_is_room() {
    let spilled = |room: i32| {
        let mut lir = program();
        let r0 = lir.vgrf(32);
        let (sum, other) = (lir.vgrf(32), lir.vgrf(32));
        mov(&mut lir, sum, Src::ud(1));
        control(&mut lir, Op::Do);
        for _ in 0..3 {
            let mut add = Inst::new(Op::Eu(Opcode::Add), 8);
            add.dst = Dst::vgrf(sum, 0, Type::Ud, 1);
            add.src[0] = reg(sum);
            add.src[1] = Src::ud(3);
            lir.insts.push(add);
            mov(&mut lir, other, Src::ud(2));
        }
        control(&mut lir, Op::Eu(Opcode::While));
        mov(&mut lir, r0, reg(sum));
        mov(&mut lir, r0, reg(other));
        let mut all = entity::IdSet::new();
        all.insert(sum);
        let live = intervals(&lir, &loops(&lir));
        crate::alloc::spill::spill(&mut lir, &live, &all, r0, room).unwrap()
    };
    // The other one is there.
    assert_eq!(spilled(1), (4, 4));
    assert_eq!(spilled(2), (2, 2));
}

#[test]
fn what_only_scalars_are_written_to_is_not_merged() {
    let mut lir = program();
    let r0 = lir.vgrf(32);
    let (scalar, other) = (lir.vgrf(32), lir.vgrf(32));
    let mut one = Inst::new(Op::Eu(Opcode::Mov), 1);
    one.no_mask = true;
    one.src[0] = Src::ud(1);
    one.dst = Dst::vgrf(scalar, 4, Type::Ud, 1);
    lir.insts.push(one);
    control(&mut lir, Op::Do);
    one.src[0] = reg(other);
    lir.insts.push(one);
    control(&mut lir, Op::Eu(Opcode::While));
    mov(&mut lir, r0, reg(scalar));
    let mut all = entity::IdSet::new();
    all.insert(scalar);
    let live = intervals(&lir, &loops(&lir));
    let counts = crate::alloc::spill::spill(&mut lir, &live, &all, r0, 0).unwrap();
    assert_eq!(counts, (2, 1));
}

/// A message that answers with eight registers.
fn answer(lir: &mut Lir, to: VgrfId, header: VgrfId) {
    let mut send = Inst::new(Op::Send, 8);
    send.send = Some(crate::lir::message::untyped_read(
        crate::lir::message::BTI_SLM,
        8,
        4,
    ));
    send.src[0] = reg(header);
    send.dst = Dst::vgrf(to, 0, Type::Ud, 1);
    if let Some(info) = &mut send.send {
        info.rlen = 8;
    }
    lir.insts.push(send);
}

#[test]
fn eight_registers_go_to_scratch_by_two_messages() {
    let mut lir = program();
    let r0 = lir.vgrf(32);
    let wide = lir.vgrf(8 * 32);
    answer(&mut lir, wide, r0);
    control(&mut lir, Op::Eu(Opcode::If));
    mov(&mut lir, r0, reg(wide));
    let mut all = entity::IdSet::new();
    all.insert(wide);
    let live = intervals(&lir, &loops(&lir));
    let (spills, fills) = crate::alloc::spill::spill(&mut lir, &live, &all, r0, 0).unwrap();
    assert_eq!((spills, fills, scratch_messages(&lir)), (8, 1, 3));
}

/// `n` answers of two registers, the second of which is the second of the four of a payload at the
/// end.
fn answers_and_payloads(n: u32) -> Lir {
    let mut lir = program();
    let answers: Vec<VgrfId> = (0..n).map(|_| lir.vgrf(2 * GRF_BYTES)).collect();
    let read = lir.vgrf(GRF_BYTES);
    let part = |v: VgrfId, k: u32| (Dst::vgrf(v, k * GRF_BYTES, Type::Ud, 1), k * GRF_BYTES);
    let put = |lir: &mut Lir, v: VgrfId, k: u32, src: Src| {
        mov(lir, v, src);
        lir.insts.last_mut().unwrap().dst = part(v, k).0;
    };
    let reads = |lir: &mut Lir, v: VgrfId, k: u32| {
        mov(lir, read, Src::vgrf(v, part(v, k).1, Type::Ud, 1));
        lir.insts.last_mut().unwrap().op = Op::Eu(Opcode::Not);
    };
    for (k, &v) in (0..).zip(&answers) {
        put(&mut lir, v, 0, Src::ud(k));
        put(&mut lir, v, 1, Src::ud(n + k));
    }
    for &v in &answers {
        reads(&mut lir, v, 0);
    }
    for &v in &answers {
        let payload = lir.vgrf(4 * GRF_BYTES);
        put(&mut lir, payload, 0, Src::ud(0));
        put(
            &mut lir,
            payload,
            1,
            Src::vgrf(v, part(v, 1).1, Type::Ud, 1),
        );
        put(&mut lir, payload, 2, Src::ud(0));
        put(&mut lir, payload, 3, Src::ud(0));
        (0..4).for_each(|k| reads(&mut lir, payload, k));
    }
    lir
}

#[test]
fn parts_of_payloads_are_copied_where_registers_are_few() {
    let pressure = |lir: &Lir| regalloc::max_pressure(lir, &intervals(lir, &loops(lir)));
    let copies = |lir: &Lir| {
        let from = |i: &&Inst| i.src[0].as_vgrf() != i.dst.as_vgrf() && i.dst.offset == GRF_BYTES;
        lir.insts
            .iter()
            .filter(from)
            .filter(|i| i.src[0].as_vgrf().is_some())
            .count()
    };
    let mut few = answers_and_payloads(8);
    assert!(opt_coalesce_phis(&mut few));
    assert_eq!(
        copies(&few),
        0,
        "{}",
        crate::lir::print::program(&few, None)
    );
    let mut many = answers_and_payloads(48);
    let before = pressure(&many);
    opt_coalesce_phis(&mut many);
    assert!(copies(&many) > 0);
    assert!(
        pressure(&many) <= before.max(104),
        "{} of {before}",
        pressure(&many)
    );
}

#[test]
fn the_validator_sees_a_shared_register() {
    let lir = crowd(3);
    let reg = IdMap::for_arena(&lir.vgrfs, 0u8);
    assert!(validate::validate_allocation(&lir, &reg, "test").is_err());
    let mut lir = crowd(3);
    let unwritten = lir.vgrf(32);
    let v = lir.vgrf(32);
    mov(&mut lir, v, self::reg(unwritten));
    assert!(validate::validate(&lir, "test").is_err());
}

#[test]
fn scheduling_keeps_every_dependency() {
    let mut lir = program();
    let r0 = lir.vgrf(32);
    lir.vgrfs[r0].fixed = Some(0);
    let all: Vec<VgrfId> = (0..8).map(|_| lir.vgrf(32)).collect();
    for v in &all {
        mov(&mut lir, *v, Src::ud(3));
    }
    let mut state = 7usize;
    let mut next = |n: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) % n
    };
    for _ in 0..200 {
        let mut inst = Inst::new(Op::Eu(Opcode::Add), 8);
        inst.dst = Dst::vgrf(all[next(8)], 0, Type::Ud, 1);
        inst.src[0] = reg(all[next(8)]);
        inst.src[1] = reg(all[next(8)]);
        lir.insts.push(inst);
    }
    // Runs the sums, to see that the same ones come out.
    let run = |lir: &Lir| {
        let mut regs = IdMap::for_arena(&lir.vgrfs, 0u64);
        for inst in &lir.insts {
            let value = |s: &Src, regs: &IdMap<Vgrf, u64>| match s.reg {
                Reg::Vgrf(v) => regs[v],
                Reg::Imm(bits) => bits,
                _ => 0,
            };
            let a = value(&inst.src[0], &regs);
            let b = if inst.op == Op::Eu(Opcode::Add) {
                value(&inst.src[1], &regs)
            } else {
                0
            };
            if let Some(d) = inst.dst.as_vgrf() {
                regs[d] = a.wrapping_mul(3).wrapping_add(b);
            }
        }
        all.iter().map(|v| regs[*v]).collect::<Vec<_>>()
    };
    let want = run(&lir);
    let live = intervals(&lir, &loops(&lir));
    schedule::before_allocation(
        &mut lir,
        &live,
        schedule::PRESSURES[0],
        schedule::PressureHeuristic::Greedy,
    );
    assert_eq!(run(&lir), want);
    let found = regalloc::allocate(&mut lir, r0, false).unwrap().unwrap();
    schedule::after_allocation(&mut lir, &found.reg);
    assert_eq!(run(&lir), want);
    assert_eq!(lir.insts.len(), 208);
}

#[test]
fn the_written_order_makes_no_addresses_in_vain() {
    let most = |saving| {
        let mut lir = program();
        let base = lir.vgrf(32);
        let sum = lir.vgrf(32);
        mov(&mut lir, base, Src::ud(0));
        mov(&mut lir, sum, Src::ud(0));
        for _ in 0..20 {
            let (address, wide) = (lir.vgrf(32), lir.vgrf(8 * 32));
            mov(&mut lir, address, reg(base));
            answer(&mut lir, wide, address);
            let mut add = Inst::new(Op::Eu(Opcode::Add), 8);
            add.dst = Dst::vgrf(sum, 0, Type::Ud, 1);
            add.src[0] = reg(sum);
            add.src[1] = reg(wide);
            lir.insts.push(add);
        }
        mov(&mut lir, base, reg(sum));
        let live = intervals(&lir, &loops(&lir));
        schedule::before_allocation(&mut lir, &live, 0, saving);
        regalloc::max_pressure(&lir, &intervals(&lir, &loops(&lir)))
    };
    assert_eq!(most(schedule::PressureHeuristic::Greedy), 29);
    assert_eq!(most(schedule::PressureHeuristic::SourceOrder), 11);
}

#[test]
fn a_value_that_lanes_take_from_a_loop_at_different_times_diverges() {
    let text = "shader compute {
    workgroup_size 8 1 1
b0:
    %0:32 = const 0
    %1:32 = const 1
    %2:32 = load_subgroup_invocation
loop {
    b1:
        %3:32 = phi b0: %0, b4: %4
        %4:32 = iadd %3, %1
        %5:32 = iadd %4, %1
        %6:1 = ilt %4, %2
    if %6 {
        b2:
    } else {
        b3:
            break
    }
    b4:
}
b5:
    %7:32 = iadd %4, %1
}
";
    let shader = nir::parse(text).unwrap();
    let divergent = divergence::find_divergent(&shader);
    let names: Vec<usize> = divergent.iter().map(entity::Id::index).collect();
    // %4 and what follows from it; %3 and %5 stay the same for the lanes still in the loop, but %3
    // is made of %4.
    assert_eq!(names, [2, 3, 4, 5, 6, 7]);
}

/// Checks that every rule of a small core is kept where each VGRF has a place of its own.
fn legal_on_a_small_core(lir: &Lir) -> Result<(), String> {
    let mut reg = IdMap::for_arena(&lir.vgrfs, 0);
    let mut next = 2;
    for (v, vgrf) in lir.vgrfs.iter() {
        reg[v] = next;
        next += vgrf.regs as u8;
    }
    let device = hw::Device::by_name("bxt").expect("a device");
    crate::emit::encode::check_rules(&encode(lir, &reg).0, device).map_err(|e| e.to_string())
}

fn lowered(inst: Inst, vgrfs: &[u32]) -> Lir {
    let mut lir = program();
    for &bytes in vgrfs {
        lir.vgrf(bytes);
    }
    lir.insts.push(inst);
    lower_wide_regions::lower_wide_regions(&mut lir).expect("can be lowered");
    legal_on_a_small_core(&lir).expect("legal");
    lir
}

fn two(op: Opcode, exec: u8, dst: Dst, a: Src, b: Src) -> Inst {
    Inst {
        dst,
        src: [a, b, Src::NULL],
        ..Inst::new(Op::Eu(op), exec)
    }
}

#[test]
fn wide_operands_get_one_stride_and_place() {
    let v = Id::new;
    let wide = Src::vgrf(v(1), 0, Type::Q, 1);
    let packed = Src::vgrf(v(2), 0, Type::D, 1);
    // In place already.
    let sum = two(Opcode::Add, 8, Dst::vgrf(v(0), 0, Type::Q, 1), wide, wide);
    assert_eq!(lowered(sum, &[64; 3]).insts, [sum]);
    // One element for all may lie anywhere, and one lane too.
    let scalar = Src {
        stride: 0,
        offset: 8,
        ..wide
    };
    let sum = two(Opcode::Add, 8, Dst::vgrf(v(0), 0, Type::Q, 1), wide, scalar);
    assert_eq!(lowered(sum, &[64; 3]).insts, [sum]);
    let one = two(Opcode::Add, 1, Dst::vgrf(v(0), 8, Type::Q, 1), wide, packed);
    assert_eq!(lowered(one, &[64; 3]).insts, [one]);
    // Packed doublewords are spread first.
    let mixed = two(Opcode::Add, 8, Dst::vgrf(v(0), 0, Type::Q, 1), wide, packed);
    let made = lowered(mixed, &[64, 64, 32]);
    assert_eq!(made.insts.len(), 2);
    assert_eq!(
        (made.insts[1].src[1].stride, made.insts[1].src[1].ty),
        (2, Type::D)
    );
    // A packed result is gathered afterwards, where its predicate says.
    let mut narrow = two(Opcode::Add, 8, Dst::vgrf(v(2), 0, Type::D, 1), wide, wide);
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
    let sum = two(
        Opcode::Add,
        2,
        Dst::vgrf(v(0), 0, Type::Q, 1),
        wide,
        shifted,
    );
    assert_eq!(lowered(sum, &[64; 3]).insts.len(), 3);
    // A comparison without a destination has its sources where the null register starts.
    let mut cmp = two(Opcode::Cmp, 2, Dst::null(Type::D), shifted, scalar);
    cmp.cmod = isa::CondMod::L;
    let made = lowered(cmp, &[64; 3]);
    assert_eq!((made.insts.len(), made.insts[2].dst.stride), (3, 2));
}

#[test]
fn products_of_doublewords_are_made_of_words() {
    let v = Id::new;
    let source = |n| Src::vgrf(v(n), 0, Type::D, 1);
    let dst = Dst::vgrf(v(0), 0, Type::D, 1);
    let of = |a, b| {
        lowered(two(Opcode::Mul, 8, dst, a, b), &[32; 3])
            .insts
            .len()
    };
    assert_eq!(of(source(1), source(2)), 3);
    // Written beside what it reads; a negated factor is negated first.
    assert_eq!(of(source(0), source(2)), 4);
    assert_eq!(of(source(1), source(2).negated()), 4);
    assert_eq!(of(source(1), Src::imm(Type::D, 1000)), 1);
    assert_eq!(of(source(1), Src::imm(Type::D, 0xffff_fff0)), 3);
    let wide = two(
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
        (two(Opcode::Mul, 8, dst, source(1), source(2)), [32; 3], 3),
        (wide, [64, 32, 32], 3),
    ] {
        let made = lowered(Inst { pred, ..product }, &vgrfs).insts;
        assert_eq!(made.iter().filter(|i| i.pred == pred).count(), pieces);
    }
}

#[test]
fn wide_indirect_moves_are_two() {
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

#[test]
fn scratch_beyond_a_messages_reach_has_headers_of_its_own() {
    let mut lir = program();
    let r0 = lir.vgrf(32);
    let wide = lir.vgrf(8 * 32);
    let at = lir.reserve_scratch(4090 * 32).unwrap();
    assert_eq!(at, 0);
    answer(&mut lir, wide, r0);
    control(&mut lir, Op::Do);
    mov(&mut lir, r0, Src::vgrf(wide, 5 * 32, Type::Ud, 1));
    let mut all = entity::IdSet::new();
    all.insert(wide);
    let live = intervals(&lir, &loops(&lir));
    crate::alloc::spill::spill(&mut lir, &live, &all, r0, 0).unwrap();
    // Registers 4090 to 4093 from the thread's own place; from 128 KiB behind it what no offset
    // reaches.
    let place = |i: &Inst| {
        i.send
            .map(|s| (s.desc & 0xfff, i.src[0].reg == Reg::Vgrf(r0)))
    };
    let places: Vec<_> = lir.insts.iter().skip(1).filter_map(place).collect();
    assert_eq!(places, [(4090, true), (4094, true), (4095, true)]);
    let more = lir.vgrf(32);
    mov(&mut lir, more, reg(r0));
    control(&mut lir, Op::Eu(Opcode::If));
    mov(&mut lir, more, reg(r0));
    control(&mut lir, Op::Eu(Opcode::Endif));
    mov(&mut lir, r0, reg(more));
    let mut all = entity::IdSet::new();
    all.insert(more);
    let live = intervals(&lir, &loops(&lir));
    crate::alloc::spill::spill(&mut lir, &live, &all, r0, 0).unwrap();
    // Both writes store it, the second fetches it, too, and so does who reads it.
    let added = |i: &&Inst| i.op == Op::Eu(Opcode::Add) && i.src[1].reg == Reg::Imm(128 << 10);
    assert_eq!(lir.insts.iter().filter(added).count(), 4);
    assert_eq!(
        lir.insts.iter().filter_map(place).next_back(),
        Some((2, false))
    );
    assert!(lir.reserve_scratch(2 << 20).is_err());
}
