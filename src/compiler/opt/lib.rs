//! NIR to lower or better NIR.
