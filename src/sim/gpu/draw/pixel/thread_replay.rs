//! Replays the thread of an object for other pixels whose threads send the same messages.
//!
//! In:  a kernel whose messages do not depend on the pixels' part of the payload, and the messages
//!      of its first thread. Out: the same messages for the next thread's pixels. Clears are such
//!      kernels. The result is the same as if each thread had run.

use super::backend::TargetFill;
use super::message::{Batch, RENDER_CACHE};
use crate::draw::exec::StageFunctions;
use eu::{Message, MessageReply, StopReason, ThreadStatistics};
use isa::descriptor::render_target;
use isa::message::render_cache::RENDER_TARGET_WRITE;

/// A message as the thread sent it.
struct RecordedMessage {
    desc: u32,
    ex_desc: u32,
    exec_size: u8,
    lanes: u32,
    src0: Vec<u32>,
    src1: Vec<u32>,
    waits: bool,
    eot: bool,
    ip: u64,
}

impl RecordedMessage {
    fn message(&self) -> Message<'_> {
        Message {
            sfid: RENDER_CACHE,
            desc: self.desc,
            ex_desc: self.ex_desc,
            exec_size: self.exec_size,
            lanes: self.lanes,
            src0: &self.src0,
            src1: &self.src1,
            eot: self.eot,
            waits: self.waits,
            ip: self.ip,
        }
    }
}

/// The messages and statistics of a thread with all channels enabled.
#[derive(Default)]
pub(super) struct RecordedThread {
    sent: Vec<RecordedMessage>,
    /// The thread sent a message that is not a render target write.
    other: bool,
    pub statistics: ThreadStatistics,
}

impl RecordedThread {
    /// True if [`RecordedThread::replay`] repeats the whole effect of the thread.
    pub fn is_replayable(&self) -> bool {
        !self.other
    }

    /// The number of messages of the thread.
    pub fn message_count(&self) -> usize {
        self.sent.len()
    }

    /// The colours of all pixels of the thread, if it only writes one colour to all of them, to
    /// targets that take colours unchanged.
    pub fn fills(
        &self,
        batch: &mut Batch<'_, '_>,
        width: usize,
    ) -> Result<Option<Vec<TargetFill>>, StopReason> {
        let mut fills: Vec<(TargetFill, usize)> = Vec::new();
        for sent in &self.sent {
            let message = sent.message();
            let Some(found) = batch.uniform_fill(&message)? else {
                return Ok(None);
            };
            let Some(fill) = found else {
                continue;
            };
            let pixels = message.lanes.count_ones() as usize;
            match fills
                .iter_mut()
                .find(|(known, _)| known.target == fill.target)
            {
                Some((known, _)) if known.colour != fill.colour => return Ok(None),
                Some((_, written)) => *written += pixels,
                None => fills.push((fill, pixels)),
            }
        }
        // Each message writes other pixels than those before it, or all of them again.
        let whole = fills.iter().all(|(_, written)| *written == width);
        Ok(whole.then(|| fills.into_iter().map(|(fill, _)| fill).collect()))
    }

    /// Executes the messages for other pixels.
    pub fn replay(&self, batch: &mut Batch<'_, '_>) -> Result<(), StopReason> {
        for sent in &self.sent {
            batch.message(&sent.message(), &mut [])?;
        }
        Ok(())
    }
}

/// A thread's pixels, and a recording of its messages.
pub(super) struct RecordingStage<'n, 't, 'a> {
    pub batch: &'n mut Batch<'t, 'a>,
    pub recording: &'n mut RecordedThread,
}

impl StageFunctions for RecordingStage<'_, '_, '_> {
    fn message(
        &mut self,
        message: &Message<'_>,
        response: &mut [u32],
    ) -> Result<MessageReply, StopReason> {
        // Message type 12 is a render target write.
        self.recording.other |= message.sfid != RENDER_CACHE
            || render_target::MESSAGE_TYPE.get(message.desc) != RENDER_TARGET_WRITE;
        self.recording.sent.push(RecordedMessage {
            desc: message.desc,
            ex_desc: message.ex_desc,
            exec_size: message.exec_size,
            lanes: message.lanes,
            src0: message.src0.to_vec(),
            src1: message.src1.to_vec(),
            waits: message.waits,
            eot: message.eot,
            ip: message.ip,
        });
        self.batch.message(message, response)
    }
}

#[cfg(test)]
mod tests;
