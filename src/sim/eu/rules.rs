//! What the PRM demands of a thread beyond its single instructions, which [`isa::rules`] has.
//!
//! In:  nothing. Out: the table of rules, which the units name where they stop.
//! Ref: SKL PRM vol. 7, "EU Overview".

/// A demand on threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Short name, stable.
    pub name: &'static str,
    /// Where the PRM says so.
    pub prm: &'static str,
    /// What is demanded, in one line.
    pub help: &'static str,
}

macro_rules! rules {
    ($($id:ident $name:literal, $prm:literal, $help:literal;)*) => {
        $(pub(crate) static $id: Rule = Rule { name: $name, prm: concat!("SKL PRM ", $prm), help: $help };)*
        /// Every rule for threads.
        pub static RULES: &[&Rule] = &[$(&$id),*];
    };
}

#[rustfmt::skip]
rules! {
    ADDRESS_RANGE "a0-range", "vol. 7, Indirect Addressing", "an indirect operand names one of the sixteen address registers";
    GRF_RANGE "grf-range", "vol. 7, Register Region Addressing", "regions and indirect accesses stay in the register file";
    SEND_RANGE "send-range", "vol. 7, Send Message", "a message's payload and response lie in the register file";
    TYPES "types", "vol. 2a, instruction reference", "an operation has operands of types that it is defined for";
    UNINITIALISED "uninitialised", "vol. 7, EU Register Files", "a register is written before it is read";
}
