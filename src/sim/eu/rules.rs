//! Strict-mode rules for threads. The rules for single instructions are in [`isa::rules`].
//!
//! In:  nothing. Out: the table of rules; a unit that stops a thread cites the broken rule.
//! Ref: SKL PRM vol. 7, "EU Overview".

/// A rule that the PRM sets for threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadRule {
    /// Short, stable name.
    pub name: &'static str,
    /// The PRM volume and section with the rule.
    pub prm: &'static str,
    /// The rule in one line.
    pub help: &'static str,
}

macro_rules! rules {
    ($($id:ident $name:literal, $prm:literal, $help:literal;)*) => {
        $(pub(crate) static $id: ThreadRule = ThreadRule { name: $name, prm: concat!("SKL PRM ", $prm), help: $help };)*
        /// Every rule for threads.
        pub static RULES: &[&ThreadRule] = &[$(&$id),*];
    };
}

#[rustfmt::skip]
rules! {
    ADDRESS_RANGE "a0-range", "vol. 7, Indirect Addressing", "an indirect operand uses one of the sixteen address registers";
    GRF_RANGE "grf-range", "vol. 7, Register Region Addressing", "regions and indirect accesses lie in the register file";
    SEND_RANGE "send-range", "vol. 7, Send Message", "the payload and the response of a message lie in the register file";
    TYPES "types", "vol. 2a, instruction reference", "an operation is defined for the types of its operands";
    FLAGS_READ "flags-read", "vol. 7, ARF Registers; WaClearArfDependenciesBeforeEot",
        "a flag register that a thread writes is read before the thread ends";
    NOTIFICATION_CLEARED "notification-cleared", "vol. 7, Message Gateway; WaResetN0BeforeGatewayMessage",
        "a thread writes n0 before each barrier message";
    UNINITIALISED "uninitialised", "vol. 7, EU Register Files", "addresses, branches and computed values that are sent do not depend on registers that nothing has written";
}
