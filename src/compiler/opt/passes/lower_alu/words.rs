//! Access to the halves of 64-bit values.

use entity::Id;
use nir::{Builder, Def};

/// The low and the high word of a 64-bit value.
pub(super) fn split_words(b: &mut Builder<'_>, x: Id<Def>) -> (Id<Def>, Id<Def>) {
    (b.unpack_64_2x32_split_x(x), b.unpack_64_2x32_split_y(x))
}
