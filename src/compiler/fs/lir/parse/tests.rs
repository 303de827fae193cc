//! Tests of the parser of LIR text.

use super::parse;
use crate::lir::print;

/// Every kind of operand, modifier, attribute and part, as the printer writes it.
const EVERYTHING: &str = "\
simd16, scratch 64, cross_block_flags 0xffff0000, message_registers gen5
v0: 1 g0 no_spill, v1: 8, v2: 1, v3: 1, v4: 1, v5: 1, v6: 1, v7: 1
v8: 1 no_spill
    0  (-f0.1.any8h) add.sat (8|M8|W) (nef0.1) v1+32<2>:f -|v0+4<0>|:f 0xbf800000:f
    1  mov (2|M0|W) v1<1>:ud v0<8;4,2>:ud
    2  mov (1|M0|W) a0+4<1>:ud acc0<0>:ud {acc_wr switch f1.1}
    3  mov (16|M0) m3<1>:f v1<1>:f {compr4}
    4  math.sqt (8|M0) v1<1>:f v1<1>:f
    5  (+f1.0) if (16|M0)
    6    constants (1|M0|W) v2<1>:ud
    7    mov_indirect (8|M0) v2<1>:ud v1+8<0>:ud v3<1>:uw
    8  else (16|M0)
    9    do (16|M0)
   10    while (16|M0) {f1.0}
   11  endif (16|M0)
   12  collect (8|M0) v1<1>:ud header(v0<1>:ud) header_gap header(null:f, 16) gap(32) v2<1>:ud slots(v3<1>:uw, 32)
   13  send (8|M0) v1<1>:ud v1<1>:ud null:ud v8<0>:ud sfid=12 desc=0x2f4 len=2+1->4 header reads writes dynamic_desc handle_offset=0x1000
   14  halt_target (16|M0)
   15  send (16|M0) null<1>:ud m2.compr4<1>:ud null:ud null:ud sfid=5 desc=0x0 len=1+0->0 sendc eot
";

#[test]
fn printed_lir_is_parsed_again() {
    let lir = parse(EVERYTHING).unwrap();
    assert_eq!(print::program(&lir, None), EVERYTHING);
    crate::lir::round_trip::check(&lir).unwrap();
}

#[test]
fn numbers_blanks_and_comments_are_optional() {
    let spaced = "; a comment\n\n  simd8\n  v0: 1,v1: 1\n\n; another\nmov (8|M0) v0<1>:ud 0x1:ud\n";
    let lir = parse(spaced).unwrap();
    assert_eq!((lir.width, lir.vgrfs.len(), lir.insts.len()), (8, 2, 1));
}

#[test]
fn errors_have_the_line_and_what_is_expected() {
    for (text, error) in [
        ("", "line 1: expected a line with the width"),
        (
            "\nsimd",
            "line 2: expected a number, found the end of the line",
        ),
        ("simd0", "line 1: expected a width above 0"),
        ("simd300", "line 1: expected a smaller number, found '300'"),
        (
            "simd8, spill 3",
            "line 1: expected a property of a program, found 'spill'",
        ),
        (
            "simd8\nv1: 1",
            "line 2: expected the declaration of 'v0', found 'v1: 1'",
        ),
        ("simd8\nv0: 1 g300", "line 2: expected a GRF"),
        (
            "simd8\nv0: 1 x",
            "line 2: expected the end of the line, found 'x'",
        ),
        (
            "simd8\nfoo (8|M0)",
            "line 2: expected an operation, found 'foo'",
        ),
        ("simd8\nmov 8", "line 2: expected '(', found '8'"),
        (
            "simd8\n(f0.0) mov",
            "line 2: expected '+', found 'f0.0) mov'",
        ),
        (
            "simd8\n(+f0.2) mov",
            "line 2: expected f0.0, f0.1, f1.0 or f1.1",
        ),
        (
            "simd8\n(+f0.0.all) mov",
            "line 2: expected a predicate control, found 'all) mov'",
        ),
        (
            "simd8\ncmp (8|M0) (lessf0.0)",
            "line 2: expected a conditional modifier",
        ),
        (
            "simd8\n(+f0.0) cmp (8|M0) (ltf0.1) null<1>:d",
            "line 2: expected the same flag",
        ),
        (
            "simd8\nmov (8|M0) v0:ud",
            "line 2: expected '<', found ':ud'",
        ),
        (
            "simd8\nmov (8|M0) v0<1>:u",
            "line 2: expected a type, found 'u'",
        ),
        (
            "simd8\nmov (8|M0) v0<1>:ud v1:ud",
            "line 2: expected '<' and a stride",
        ),
        (
            "simd8\nmov (8|M0) v0<1>:ud 7:ud",
            "line 2: expected a register or immediate",
        ),
        (
            "simd8\nmov (8|M0) v0<1>:ud |v1<1>:ud",
            "line 2: expected '|', found ':ud'",
        ),
        (
            "simd8\nmov (8|M0) v0<1>:ud 0x1ffffffffffffffff:ud",
            "line 2: expected a hexadecimal number",
        ),
        (
            "simd8\nmov (8|M0) v0<1>:ud 0x1:ud {acc}",
            "line 2: expected an attribute or '}'",
        ),
        (
            "simd8\nmov (8|M0) v0<1>:ud 0x1:ud {compr4}",
            "line 2: expected a message register",
        ),
        (
            "simd8\ncollect (8|M0) v0<1>:ud slots(v1<1>:ud)",
            "line 2: expected ',' and the size",
        ),
        (
            "simd8\nsend (8|M0) v0<1>:ud v1<1>:ud null:ud null:ud sfid=1 desc=1",
            "line 2: expected a hexadecimal number, found '1'",
        ),
    ] {
        let found = parse(text).expect_err(text).to_string();
        assert!(found.starts_with(error), "{text}: {found}");
    }
}

/// Every prefix of the text, and the text without one of its characters, is LIR or an error.
#[test]
fn parser_does_not_panic() {
    for at in 0..EVERYTHING.len() {
        let (before, after) = EVERYTHING.split_at(at);
        let _ = parse(before);
        let _ = parse(&format!("{before}{}", &after[1..]));
        let _ = parse(&format!("{before}9{after}"));
        let _ = parse(&format!("{before}é{}", &after[1..]));
    }
}
