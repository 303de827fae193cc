//! The test harness shared by the text cases.
