//! Tests of the whole crate.

mod iga;
mod legality;
mod random;
mod robust;
mod vectors;
