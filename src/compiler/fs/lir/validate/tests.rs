//! Tests of the validator.

use super::{validate, validate_allocation};
use crate::testing::{many_live_values, mov};
use entity::IdMap;

#[test]
fn validator_rejects_shared_registers_and_unwritten_sources() {
    let lir = many_live_values(3);
    let reg = IdMap::for_arena(&lir.vgrfs, 0u8);
    assert!(validate_allocation(&lir, &reg, "test").is_err());
    let mut lir = many_live_values(3);
    let unwritten = lir.vgrf(32);
    let v = lir.vgrf(32);
    mov(&mut lir, v, crate::testing::reg(unwritten));
    assert!(validate(&lir, "test").is_err());
}
