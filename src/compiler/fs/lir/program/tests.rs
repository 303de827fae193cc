//! Tests of programs.

use super::Lir;

#[test]
fn scratch_is_limited() {
    let mut lir = Lir::default();
    assert_eq!(lir.reserve_scratch(33), Ok(0));
    assert_eq!(lir.reserve_scratch(32), Ok(64));
    assert!(lir.reserve_scratch((2 << 20) - 96).is_ok());
    assert!(lir.reserve_scratch(1).is_err());
}
