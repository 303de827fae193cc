//! Dispatch of a message by its shared function and type.
//!
//! In:  descriptor and payload. Out: the response, arrivals at the barrier.
//! Ref: SKL PRM vol. 7, "Data Port"; vol. 2d, message descriptors (MDC_*).

use super::port::WorkerPort;
use super::sfid;
use crate::bindings::{Payload, unimplemented};
use crate::fate;
use crate::observer::Via;
use crate::rules;
use eu::{Message, MessageReply, SharedFunctions, StopReason};
use isa::descriptor::{data_cache_0, data_cache_1, gateway};

impl WorkerPort<'_> {
    fn data_cache_0(
        &mut self,
        message: &Message<'_>,
        payload: Payload<'_>,
        response: &mut [u32],
    ) -> Result<(), StopReason> {
        if data_cache_0::CATEGORY.any(message.desc) {
            return self.scratch_block(message, payload, response);
        }
        match data_cache_0::MESSAGE_TYPE.get(message.desc) {
            0 | 1 => self.oword_block_read(message, payload, response),
            2 => self.oword_dual_block(message, payload, response, false),
            3 => self.dword_scattered(message, payload, response, false),
            4 => self.byte_scattered(message, payload, response, false),
            7 => {
                // A memory fence: accesses here are ordered already. The response is its commit.
                response.fill(0);
                Ok(())
            }
            8 => self.oword_block_write(message, payload),
            10 => self.oword_dual_block(message, payload, response, true),
            11 => self.dword_scattered(message, payload, response, true),
            12 => self.byte_scattered(message, payload, response, true),
            _ => unimplemented(message, "a data port message"),
        }
    }

    fn data_cache_1(
        &mut self,
        message: &Message<'_>,
        payload: Payload<'_>,
        response: &mut [u32],
    ) -> Result<(), StopReason> {
        match data_cache_1::MESSAGE_TYPE.get(message.desc) {
            0x01 => self.untyped_read(message, payload, response),
            0x02 => self.untyped_atomic(message, payload, response, false),
            0x05 => self.typed_read(message, payload, response),
            0x06 => self.typed_atomic(message, payload, response),
            0x09 => self.untyped_write(message, payload),
            0x0d => self.typed_write(message, payload),
            0x10 => self.a64_scattered(message, payload, response, false),
            0x11 => self.a64_untyped_read(message, payload, response),
            0x12 => self.a64_atomic(message, payload, response, false),
            0x14 => self.a64_block_read(message, payload, response),
            0x15 => self.a64_block_write(message, payload),
            0x19 => self.a64_untyped_write(message, payload),
            0x1a => self.a64_scattered(message, payload, response, true),
            0x1b => self.untyped_atomic(message, payload, response, true),
            0x1d => self.a64_atomic(message, payload, response, true),
            _ => unimplemented(message, "a data port message"),
        }
    }

    fn constant_cache(
        &mut self,
        message: &Message<'_>,
        payload: Payload<'_>,
        response: &mut [u32],
    ) -> Result<(), StopReason> {
        match data_cache_0::MESSAGE_TYPE.get(message.desc) {
            0 | 1 => self.oword_block_read(message, payload, response),
            3 => self.dword_scattered(message, payload, response, false),
            _ => unimplemented(message, "a constant cache message"),
        }
    }

    fn gateway(&mut self, message: &Message<'_>) -> Result<MessageReply, StopReason> {
        match gateway::SUBFUNCTION.get(message.desc) {
            4 => {
                if self.bindings.limits.is_some_and(|limits| !limits.barrier) {
                    let what = "a barrier in a dispatch without Barrier Enable";
                    return Err(rules::BARRIER_ENABLE.stop(what, message.ip));
                }
                self.arrived += 1;
                Ok(MessageReply::BarrierArrived)
            }
            // Opening, closing and updating a gateway concern messages between threads, which
            // nothing sends.
            0 | 1 | 5 => Ok(MessageReply::Done),
            _ => unimplemented(message, "a gateway message"),
        }
    }
}

impl SharedFunctions for WorkerPort<'_> {
    fn message(
        &mut self,
        message: &Message<'_>,
        response: &mut [u32],
    ) -> Result<MessageReply, StopReason> {
        self.messages.add(message.sfid);
        fate::message::check(message, self.bindings.limits.is_some())?;
        let payload = Payload {
            first: message.src0,
            second: message.src1,
        };
        self.bindings.view.through(match message.sfid {
            sfid::SAMPLER => Via::Texture,
            sfid::CONSTANT_CACHE => Via::Constant,
            _ => Via::Data,
        });
        match message.sfid {
            sfid::DATA_CACHE_1 => self.data_cache_1(message, payload, response)?,
            sfid::DATA_CACHE_0 => self.data_cache_0(message, payload, response)?,
            sfid::CONSTANT_CACHE => self.constant_cache(message, payload, response)?,
            sfid::SAMPLER => {
                self.sampler
                    .message(&mut self.bindings, message, payload, response)?
            }
            sfid::GATEWAY => return self.gateway(message),
            sfid::THREAD_SPAWNER | sfid::NULL => {}
            _ => return unimplemented(message, "a message"),
        }
        Ok(MessageReply::Done)
    }

    fn timestamp(&mut self) -> u64 {
        self.started.elapsed().as_nanos() as u64
    }
}
