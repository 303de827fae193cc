//! F35: 64-bit integers with the EUs' arithmetic for them and as pairs of dwords: the same results.

use crate::Units;
use crate::alu::check_without;

/// Every operation with integers of 64 bits, all operands being those of the test with all units.
#[test]
fn lowered_int64_operations_match_native_ones() {
    let cases = check_without(Units::NO_INT64);
    assert!(
        cases > 400 || std::env::var_os("ALU").is_some(),
        "only {cases} cases"
    );
}
