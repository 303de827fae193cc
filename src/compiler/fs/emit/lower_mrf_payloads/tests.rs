//! Tests of message registers that are not text: the table of the generations, and the errors of
//! the encoder.

use crate::FsError;
use crate::alloc::regalloc;
use crate::emit::lower_collect::lower_collect;
use crate::emit::{encode, schedule};
use crate::lir::parse::parse;
use crate::lir::{Op, VgrfId, live};
use crate::opt::coalesce::opt_coalesce;
use crate::opt::dce::opt_dce;
use hw::Gen;

#[test]
fn message_registers_end_with_gen6() {
    let of = |hw_gen| {
        isa::message_registers(hw_gen).map(|m| (m.count, m.separate_simd8_halves, m.compr4))
    };
    assert_eq!(of(Gen::Gen4), Some((16, true, false)));
    assert_eq!(of(Gen::Gen4_5), Some((16, true, true)));
    assert_eq!(of(Gen::Gen5), of(Gen::Gen4_5));
    assert_eq!(of(Gen::Gen6), Some((24, false, false)));
    assert_eq!(of(Gen::Gen7), None);
    assert!(hw::DEVICES.iter().all(|d| of(d.hw_gen).is_none()));
}

/// Four colours behind two headers, for gen5.
const COLOURS: &str = "\
simd16, message_registers gen5
v0: 2 g0, v1: 2 g2, v2: 2 g4, v3: 2 g6, v4: 2 g8
collect (16|M0) m1<1>:ud header(v0<1>:ud) header(v0+32<1>:ud) v1<1>:f v2<1>:f v3<1>:f v4<1>:f {compr4}
send (16|M0) null<1>:ud m1<1>:ud null:ud null:ud sfid=12 desc=0x0 len=10+0->0 writes
";

/// The moves stay before their message, and code begins and ends with the encoder's one error.
#[test]
fn message_registers_are_not_encoded() {
    let mut lir = parse(COLOURS).expect("LIR");
    lower_collect(&mut lir);
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
