//! What a thread says to the world outside the EU, and how a run can end.

/// Why a thread, and with it the run, stopped before its end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stop {
    /// The program did what the PRM leaves undefined: a bug in the driver or the compiler.
    #[error("undefined: {what} [{rule}; {prm}] at {at:#x}")]
    Undefined {
        /// Short name of the rule, stable, for tests and for switching it off.
        rule: &'static str,
        /// Where the PRM says so.
        prm: &'static str,
        /// What was found.
        what: String,
        /// Address of the instruction or packet (GPU address, or byte offset in the kernel).
        at: u64,
    },
    /// Legal, but not simulated yet: a gap of ours.
    #[error("not simulated yet: {what} at {at:#x}")]
    Unimplemented {
        /// What is missing.
        what: String,
        /// Address of the instruction or packet.
        at: u64,
    },
    /// A real machine would fault or hang here.
    #[error("fault: {what} at {at:#x}")]
    Fault {
        /// What happened.
        what: String,
        /// Address of the instruction or packet, or the address that faulted.
        at: u64,
    },
}

/// One SEND as it leaves the EU.
#[derive(Clone, Copy, Debug)]
pub struct Message<'a> {
    /// Shared function id (SFID), 0..=15.
    pub sfid: u8,
    /// Message descriptor, as resolved from the immediate or a0.
    pub desc: u32,
    /// Extended message descriptor, as resolved from the immediate or a0.
    pub ex_desc: u32,
    /// Execution size of the SEND: 1..=32 channels.
    pub exec_size: u8,
    /// Enabled channels after execution mask and predicate; bit 0 is the SEND's first channel
    /// (its QtrCtrl is already shifted away). All of the exec size for NoMask.
    pub lanes: u32,
    /// The message's registers, eight dwords each (`mlen` of them).
    pub src0: &'a [u32],
    /// The second part of a split send (`ex_mlen` registers), empty for SEND.
    pub src1: &'a [u32],
    /// The thread has waited for those that it depends on: SENDC and SENDSC.
    pub waits: bool,
    /// End of thread.
    pub eot: bool,
    /// Byte offset of the instruction in the instruction heap.
    pub ip: u64,
}

/// What the thread does after a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// Goes on.
    Done,
    /// Goes on, and a later `wait n0` sleeps until [`SharedFunctions`]' owner releases the barrier.
    BarrierArrived,
}

/// The shared functions as a thread sees them: data port, gateway, spawner, later sampler, URB and so on.
pub trait SharedFunctions {
    /// Carries out one message.
    ///
    /// `response` is the destination registers (`rlen` × 8 dwords) with their present contents:
    /// what the message does not write (disabled lanes) stays.
    fn message(&mut self, message: &Message<'_>, response: &mut [u32]) -> Result<Reply, Stop>;

    /// The value of the free-running timestamp, in ticks of the EU clock.
    fn timestamp(&mut self) -> u64;
}
