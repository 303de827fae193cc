//! The interface between a thread and the shared functions, and the reasons for which a run stops
//! early.
//!
//! In:  one SEND of a thread. Out: its response, or a [`StopReason`].
//! Ref: SKL PRM vol. 7, "Send Message".

/// Why a thread, and with it its batch, stopped before its end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StopReason {
    /// The program depends on what the PRM leaves undefined: a bug in the driver or the compiler.
    #[error("undefined: {what} [{rule}; {prm}] at {at:#x}")]
    Undefined {
        /// Short, stable name of the broken rule; tests and options refer to rules by it.
        rule: &'static str,
        /// The PRM volume and section with the rule.
        prm: &'static str,
        /// What was found.
        what: String,
        /// Address of the instruction or packet (GPU address, or byte offset in the kernel).
        at: u64,
    },
    /// Legal, but not simulated yet.
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
    /// Execution size of the SEND: 1 to 32 channels.
    pub exec_size: u8,
    /// Enabled channels after execution mask and predicate. Bit 0 is the SEND's first channel: the
    /// channel offset (QtrCtrl) has been shifted out. All channels of the exec size for NoMask.
    pub lanes: u32,
    /// The payload: `mlen` registers of eight dwords.
    pub src0: &'a [u32],
    /// The second payload operand of a split send: `ex_mlen` registers; empty for SEND.
    pub src1: &'a [u32],
    /// The message is a SENDC or SENDSC, which waits for the threads that this one depends on
    /// (pixels of the same position).
    pub waits: bool,
    /// End of thread.
    pub eot: bool,
    /// Byte offset of the instruction in the instruction heap.
    pub ip: u64,
}

/// The outcome of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageReply {
    /// The message is done; the thread continues.
    Done,
    /// The thread has arrived at a barrier. It continues until a `wait n0`, which blocks until the
    /// owner of the [`SharedFunctions`] calls [`crate::Thread::notify`].
    BarrierArrived,
}

/// The shared functions that a thread's messages address: sampler, data ports, URB, gateway, thread
/// spawner and so on.
pub trait SharedFunctions {
    /// Executes one message.
    ///
    /// `response` holds the destination registers (`rlen` × 8 dwords) with their current contents;
    /// whatever the message does not write, such as disabled lanes, keeps its value.
    ///
    /// # Errors
    /// The reason to stop the thread.
    fn message(
        &mut self,
        message: &Message<'_>,
        response: &mut [u32],
    ) -> Result<MessageReply, StopReason>;

    /// Reads the free-running timestamp counter, in ticks of the EU clock.
    fn timestamp(&mut self) -> u64;
}
