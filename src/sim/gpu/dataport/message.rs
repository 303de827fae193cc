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
use isa::descriptor;
use isa::message::{constant_cache, data_cache_0, data_cache_1, gateway};

impl WorkerPort<'_> {
    fn data_cache_0(
        &mut self,
        message: &Message<'_>,
        payload: Payload<'_>,
        response: &mut [u32],
    ) -> Result<(), StopReason> {
        if descriptor::data_cache_0::CATEGORY.any(message.desc) {
            return self.scratch_block(message, payload, response);
        }
        match descriptor::data_cache_0::MESSAGE_TYPE.get(message.desc) {
            data_cache_0::OWORD_BLOCK_READ | data_cache_0::UNALIGNED_OWORD_BLOCK_READ => {
                self.oword_block_read(message, payload, response)
            }
            data_cache_0::OWORD_DUAL_BLOCK_READ => {
                self.oword_dual_block(message, payload, response, false)
            }
            data_cache_0::DWORD_SCATTERED_READ => {
                self.dword_scattered(message, payload, response, false)
            }
            data_cache_0::BYTE_SCATTERED_READ => {
                self.byte_scattered(message, payload, response, false)
            }
            data_cache_0::MEMORY_FENCE => {
                // A memory fence: accesses here are ordered already. The response is its commit.
                response.fill(0);
                Ok(())
            }
            data_cache_0::OWORD_BLOCK_WRITE => self.oword_block_write(message, payload),
            data_cache_0::OWORD_DUAL_BLOCK_WRITE => {
                self.oword_dual_block(message, payload, response, true)
            }
            data_cache_0::DWORD_SCATTERED_WRITE => {
                self.dword_scattered(message, payload, response, true)
            }
            data_cache_0::BYTE_SCATTERED_WRITE => {
                self.byte_scattered(message, payload, response, true)
            }
            _ => unimplemented(message, "a data port message"),
        }
    }

    fn data_cache_1(
        &mut self,
        message: &Message<'_>,
        payload: Payload<'_>,
        response: &mut [u32],
    ) -> Result<(), StopReason> {
        use data_cache_1 as m;
        match descriptor::data_cache_1::MESSAGE_TYPE.get(message.desc) {
            m::UNTYPED_SURFACE_READ => self.untyped_read(message, payload, response),
            m::UNTYPED_ATOMIC => self.untyped_atomic(message, payload, response, false),
            m::TYPED_SURFACE_READ => self.typed_read(message, payload, response),
            m::TYPED_ATOMIC => self.typed_atomic(message, payload, response),
            m::UNTYPED_SURFACE_WRITE => self.untyped_write(message, payload),
            m::TYPED_SURFACE_WRITE => self.typed_write(message, payload),
            m::A64_SCATTERED_READ => self.a64_scattered(message, payload, response, false),
            m::A64_UNTYPED_SURFACE_READ => self.a64_untyped_read(message, payload, response),
            m::A64_UNTYPED_ATOMIC => self.a64_atomic(message, payload, response, false),
            m::A64_BLOCK_READ => self.a64_block_read(message, payload, response),
            m::A64_BLOCK_WRITE => self.a64_block_write(message, payload),
            m::A64_UNTYPED_SURFACE_WRITE => self.a64_untyped_write(message, payload),
            m::A64_SCATTERED_WRITE => self.a64_scattered(message, payload, response, true),
            m::UNTYPED_ATOMIC_FLOAT => self.untyped_atomic(message, payload, response, true),
            m::A64_UNTYPED_ATOMIC_FLOAT => self.a64_atomic(message, payload, response, true),
            _ => unimplemented(message, "a data port message"),
        }
    }

    fn constant_cache(
        &mut self,
        message: &Message<'_>,
        payload: Payload<'_>,
        response: &mut [u32],
    ) -> Result<(), StopReason> {
        match descriptor::data_cache_0::MESSAGE_TYPE.get(message.desc) {
            constant_cache::OWORD_BLOCK_READ | constant_cache::UNALIGNED_OWORD_BLOCK_READ => {
                self.oword_block_read(message, payload, response)
            }
            constant_cache::DWORD_SCATTERED_READ => {
                self.dword_scattered(message, payload, response, false)
            }
            _ => unimplemented(message, "a constant cache message"),
        }
    }

    fn gateway(&mut self, message: &Message<'_>) -> Result<MessageReply, StopReason> {
        match descriptor::gateway::SUBFUNCTION.get(message.desc) {
            gateway::BARRIER => {
                if self.bindings.limits.is_some_and(|limits| !limits.barrier) {
                    let what = "a barrier in a dispatch without Barrier Enable";
                    return Err(rules::BARRIER_ENABLE.stop(what, message.ip));
                }
                self.arrived += 1;
                Ok(MessageReply::BarrierArrived)
            }
            // Opening, closing and updating a gateway concern messages between threads, which
            // nothing sends.
            gateway::OPEN | gateway::CLOSE | gateway::UPDATE_STATE => Ok(MessageReply::Done),
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
