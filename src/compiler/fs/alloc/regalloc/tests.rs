//! Tests of register allocation.

use super::allocate;
use crate::lir::validate;
use crate::testing::many_live_values;

#[test]
fn allocation_spills_until_it_fits() {
    let mut lir = many_live_values(100);
    let r0 = lir.vgrfs.ids().next().unwrap();
    let fits = allocate(&mut lir, r0, false).unwrap().unwrap();
    assert_eq!((fits.spills, fits.fills), (0, 0));
    let mut lir = many_live_values(400);
    assert!(allocate(&mut lir, r0, false).unwrap().is_none());
    let spilled = allocate(&mut lir, r0, true).unwrap().unwrap();
    assert!(spilled.spills > 100 && spilled.fills > 100);
    assert!(lir.scratch_bytes >= 32 * 200);
    validate::validate(&lir, "regalloc").unwrap();
    validate::validate_allocation(&lir, &spilled.reg, "regalloc").unwrap();
}
