use super::*;

#[test]
fn values_depend_on_what_the_register_holds() {
    assert_eq!(name(r::L3CNTLREG), "L3CNTLREG 0x7034");
    assert_eq!(value(r::L3CNTLREG, 0x6000_0060), "0x60000060");
    assert_eq!(value(0x7008, 0x0300_0100), "0x100 of mask 0x300");
    assert_eq!(name(r::CS_GPR0 + 8), "CS_GPR");
    assert_eq!(value(r::CS_GPR0 + 8, 77), "data");
    assert_eq!(name(0x1234), "register 0x1234");
}

#[test]
fn registers_are_listed_once_in_order() {
    let mut pairs = REGISTERS.windows(2);
    assert!(pairs.all(|pair| pair[0].1 < pair[1].0));
}
