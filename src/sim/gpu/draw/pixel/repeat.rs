//! Threads of an object that write the same: executed once, their writes carried out for each.
//!
//! In:  a kernel whose messages do not depend on a pixel's part of the payload, and what its first thread has sent. Out: the
//! same messages for the next thread's pixels. Clears are such: a machine runs their threads, too, but nobody can tell.

use super::message::{Batch, RENDER_CACHE};
use crate::draw::exec::Stage;
use eu::{Message, Reply, Statistics, Stop};
use isa::descriptor::render_target;

/// A message as it was sent.
struct Sent {
    desc: u32,
    ex_desc: u32,
    exec_size: u8,
    lanes: u32,
    src0: Vec<u32>,
    src1: Vec<u32>,
    eot: bool,
    ip: u64,
}

/// What threads with all channels on do.
#[derive(Default)]
pub(super) struct Deed {
    sent: Vec<Sent>,
    /// A message was sent that is no write to a render target.
    other: bool,
    pub statistics: Statistics,
}

impl Deed {
    /// All of it can be done again by [`Deed::again`].
    pub fn is_whole(&self) -> bool {
        !self.other
    }

    /// Messages that a thread sends.
    pub fn messages(&self) -> usize {
        self.sent.len()
    }

    /// Carries it out for other pixels.
    pub fn again(&self, batch: &mut Batch<'_, '_>) -> Result<(), Stop> {
        for sent in &self.sent {
            let message = Message {
                sfid: RENDER_CACHE,
                desc: sent.desc,
                ex_desc: sent.ex_desc,
                exec_size: sent.exec_size,
                lanes: sent.lanes,
                src0: &sent.src0,
                src1: &sent.src1,
                eot: sent.eot,
                ip: sent.ip,
            };
            batch.message(&message, &mut [])?;
        }
        Ok(())
    }
}

/// A thread's pixels, and a note of what it sends.
pub(super) struct Noting<'n, 't, 'a> {
    pub batch: &'n mut Batch<'t, 'a>,
    pub deed: &'n mut Deed,
}

impl Stage for Noting<'_, '_, '_> {
    fn message(&mut self, message: &Message<'_>, response: &mut [u32]) -> Result<Reply, Stop> {
        // Type 12 is a write to a render target.
        self.deed.other |=
            message.sfid != RENDER_CACHE || render_target::MESSAGE_TYPE.get(message.desc) != 12;
        self.deed.sent.push(Sent {
            desc: message.desc,
            ex_desc: message.ex_desc,
            exec_size: message.exec_size,
            lanes: message.lanes,
            src0: message.src0.to_vec(),
            src1: message.src1.to_vec(),
            eot: message.eot,
            ip: message.ip,
        });
        self.batch.message(message, response)
    }
}
