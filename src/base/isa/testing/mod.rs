//! Tests of the whole crate.

mod iga;
mod random;
mod robust;
mod vectors;
