//! MI_* commands. Ref: SKL PRM vol. 2a, "Memory Interface Commands".

use crate::cs::streamer::{BatchRun, Flow};
use crate::fate;
use crate::rules;
use crate::space::ADDRESS_MASK;
use eu::StopReason;
use hw::state::mi_math_alu_instruction as alu;
use hw::value::command::{
    atomic_data_size, atomic_opcode, post_sync_operation, predicate_combine, predicate_compare,
    predicate_load, semaphore_compare, set_predicate,
};
use hw::value::state::{mi_math_opcode as opcode, mi_math_operand as operand};
use hw::{Packet, mi, register};

/// True if both are the same packet.
fn is(packet: &Packet, other: &Packet) -> bool {
    std::ptr::eq(packet, other)
}

impl BatchRun<'_> {
    /// The value of a register as commands read it.
    fn read_register(&self, offset: u32) -> u32 {
        match offset {
            register::TIMESTAMP => self.gpu.timestamp() as u32,
            o if o == register::TIMESTAMP + 4 => (self.gpu.timestamp() >> 32) as u32,
            register::CS_INVOCATION_COUNT => self.context.invocations as u32,
            o if o == register::CS_INVOCATION_COUNT + 4 => (self.context.invocations >> 32) as u32,
            _ => self.context.register(offset),
        }
    }

    fn write_register(&mut self, offset: u32, value: u32, at: u64) -> Result<(), StopReason> {
        // The hardware drops writes to registers that processes may not write; strict mode has
        // reported them before.
        let Some(registers) = fate::register::range_of(offset) else {
            return Ok(());
        };
        let value = registers.written(self.context.register(offset), value, at)?;
        if offset == register::MI_PREDICATE_RESULT {
            self.context.predicate = value & 1 == 1;
        }
        self.context.set_register(offset, value);
        if offset == register::CS_DEBUG_MODE2 {
            let set = value & register::CS_DEBUG_MODE2_CONSTANT_ADDRESSES != 0;
            self.context.draw.constant_addresses = set;
        }
        if [register::CS_DEBUG_MODE2, register::COMMON_SLICE_CHICKEN2].contains(&offset) {
            let streamer = self.context.register(register::CS_DEBUG_MODE2);
            let slice = self.context.register(register::COMMON_SLICE_CHICKEN2);
            self.context.draw.draws_commit = streamer & register::CS_DEBUG_MODE2_NO_GATHER != 0
                && slice & register::COMMON_SLICE_CHICKEN2_NO_GATHER != 0;
        }
        if offset == register::CACHE_MODE_1 {
            let set = value & register::CACHE_MODE_1_MSC_RAW & 0xffff != 0;
            self.context.draw.avoids_hazards = set;
        }
        Ok(())
    }

    pub(super) fn mi(
        &mut self,
        packet: &Packet,
        words: &[u32],
        at: u64,
    ) -> Result<Flow, StopReason> {
        match packet {
            p if is(p, &mi::mi_noop::PACKET) => {}
            p if is(p, &mi::mi_batch_buffer_end::PACKET) => return Ok(Flow::End),
            p if is(p, &mi::mi_batch_buffer_start::PACKET) => {
                use mi::mi_batch_buffer_start as f;
                let predicated = f::PREDICATION_ENABLE.get(words) == 1;
                if predicated && (!self.context.predicate || self.context.skips_commands) {
                    return Ok(Flow::Continue);
                }
                return Ok(Flow::Jump {
                    to: f::BATCH_BUFFER_START_ADDRESS.get(words) & ADDRESS_MASK,
                    call: f::SECOND_LEVEL_BATCH_BUFFER.get(words) == 1,
                });
            }
            p if is(p, &mi::mi_load_register_imm::PACKET) => {
                for pair in words[1..].chunks_exact(2) {
                    self.write_register(pair[0] & 0x7f_fffc, pair[1], at)?;
                }
            }
            p if is(p, &mi::mi_load_register_mem::PACKET) => {
                use mi::mi_load_register_mem as f;
                let value = self.view.read(f::MEMORY_ADDRESS.get(words))?;
                self.write_register(f::REGISTER_ADDRESS.get(words) as u32, value, at)?;
            }
            p if is(p, &mi::mi_load_register_reg::PACKET) => {
                use mi::mi_load_register_reg as f;
                let value = self.read_register(f::SOURCE_REGISTER_ADDRESS.get(words) as u32);
                self.write_register(f::DESTINATION_REGISTER_ADDRESS.get(words) as u32, value, at)?;
            }
            p if is(p, &mi::mi_store_register_mem::PACKET) => {
                use mi::mi_store_register_mem as f;
                if f::PREDICATE_ENABLE.get(words) == 1 && !self.context.predicate {
                    return Ok(Flow::Continue);
                }
                let value = self.read_register(f::REGISTER_ADDRESS.get(words) as u32);
                self.view.write(f::MEMORY_ADDRESS.get(words), value)?;
            }
            p if is(p, &mi::mi_store_data_imm::PACKET) => {
                use mi::mi_store_data_imm as f;
                let address = f::ADDRESS.get(words);
                // The length says how much is stored, also if Store Qword disagrees (ERRATA.md). Of
                // a quadword that is not all there, the rest is zero.
                let data = words.get(3..).unwrap_or_default();
                for (to, dword) in (address..).step_by(4).zip(data) {
                    self.view.write(to, *dword)?;
                }
                if f::STORE_QWORD.get(words) == 1 && data.len() % 2 == 1 {
                    self.view.write(address + data.len() as u64 * 4, 0)?;
                }
            }
            p if is(p, &mi::mi_copy_mem_mem::PACKET) => {
                use mi::mi_copy_mem_mem as f;
                let value = self.view.read(f::SOURCE_MEMORY_ADDRESS.get(words))?;
                self.view
                    .write(f::DESTINATION_MEMORY_ADDRESS.get(words), value)?;
            }
            p if is(p, &mi::mi_math::PACKET) => self.math(&words[1..], at)?,
            p if is(p, &mi::mi_predicate::PACKET) => self.predicate(words, at)?,
            p if is(p, &mi::mi_conditional_batch_buffer_end::PACKET) => {
                use mi::mi_conditional_batch_buffer_end as f;
                let value = self.view.read(f::COMPARE_ADDRESS.get(words))?;
                // The batch ends if the value in memory is not greater than the operand.
                if u64::from(value) <= f::COMPARE_DATA_DWORD.get(words) {
                    return Ok(Flow::End);
                }
            }
            p if is(p, &mi::mi_semaphore_wait::PACKET) => self.semaphore_wait(words, at)?,
            p if is(p, &mi::mi_atomic::PACKET) => self.atomic(words, at)?,
            p if is(p, &mi::mi_flush_dw::PACKET) => self.flush_dw(words)?,
            // These have no visible effect in the simulator.
            p if is(p, &mi::mi_arb_check::PACKET)
                || is(p, &mi::mi_arb_on_off::PACKET)
                || is(p, &mi::mi_user_interrupt::PACKET)
                || is(p, &mi::mi_suspend_flush::PACKET)
                || is(p, &mi::mi_clflush::PACKET)
                || is(p, &mi::mi_rs_control::PACKET)
                || is(p, &mi::mi_topology_filter::PACKET) => {}
            p if is(p, &mi::mi_set_predicate::PACKET) => {
                let mode = mi::mi_set_predicate::PREDICATE_ENABLE.get(words);
                self.context.skips_commands = self.skips_commands(mode, at)?;
            }
            other => {
                return Err(StopReason::Unimplemented {
                    what: other.name.into(),
                    at,
                });
            }
        }
        Ok(Flow::Continue)
    }

    /// MI_FLUSH_DW, of which only the post-sync write has an effect here.
    fn flush_dw(&mut self, words: &[u32]) -> Result<(), StopReason> {
        use mi::mi_flush_dw as f;
        let address = f::ADDRESS.get(words);
        match f::POST_SYNC_OPERATION.get(words) {
            post_sync_operation::WRITE_IMMEDIATE_DATA => {
                self.view.write64(address, f::IMMEDIATE_DATA.get(words))
            }
            post_sync_operation::WRITE_TIMESTAMP => {
                self.view.write64(address, self.gpu.timestamp())
            }
            _ => Ok(()),
        }
    }

    /// MI_MATH: 64-bit arithmetic on the general purpose registers.
    fn math(&mut self, program: &[u32], at: u64) -> Result<(), StopReason> {
        let (mut a, mut b) = (0u64, 0u64);
        let (mut accumulator, mut zero, mut carry) = (0u64, false, false);
        let gpr = |index: u64| register::CS_GPR0 + (index & 15) as u32 * 8;
        for instruction in program {
            let [code, x, y] = [alu::ALU_OPCODE, alu::OPERAND_1, alu::OPERAND_2]
                .map(|field| field.get(&[*instruction]));
            match code {
                opcode::NOOP => {}
                opcode::LOAD | opcode::LOADINV | opcode::LOAD0 | opcode::LOAD1 => {
                    let value = match code {
                        opcode::LOAD0 => 0,
                        opcode::LOAD1 => u64::MAX,
                        _ => match y {
                            operand::REG0..=operand::REG15 => self.context.register64(gpr(y)),
                            operand::ACCU => accumulator,
                            operand::ZF => u64::from(zero),
                            operand::CF => u64::from(carry),
                            _ => 0,
                        },
                    };
                    let value = match code {
                        opcode::LOADINV => !value,
                        _ => value,
                    };
                    match x {
                        operand::SRCA => a = value,
                        operand::SRCB => b = value,
                        _ => {}
                    }
                }
                opcode::ADD => {
                    let (sum, overflow) = a.overflowing_add(b);
                    (accumulator, carry) = (sum, overflow);
                    zero = sum == 0;
                }
                opcode::SUB => {
                    let (difference, borrow) = a.overflowing_sub(b);
                    (accumulator, carry) = (difference, borrow);
                    zero = difference == 0;
                }
                opcode::AND | opcode::OR | opcode::XOR => {
                    accumulator = match code {
                        opcode::AND => a & b,
                        opcode::OR => a | b,
                        _ => a ^ b,
                    };
                    zero = accumulator == 0;
                    carry = false;
                }
                // Flags are stored as all ones or all zeros.
                opcode::STORE | opcode::STOREINV => {
                    let all = |flag: bool| if flag { u64::MAX } else { 0 };
                    let value = match y {
                        operand::ACCU => accumulator,
                        operand::ZF => all(zero),
                        operand::CF => all(carry),
                        _ => 0,
                    };
                    let value = match code {
                        opcode::STOREINV => !value,
                        _ => value,
                    };
                    self.context.set_register64(gpr(x), value);
                }
                _ => {
                    return Err(
                        rules::MI_MATH.stop(format!("ALU instruction {instruction:#010x}"), at)
                    );
                }
            }
        }
        Ok(())
    }

    fn predicate(&mut self, words: &[u32], at: u64) -> Result<(), StopReason> {
        use mi::mi_predicate as f;
        let sources = [
            register::MI_PREDICATE_SRC0,
            register::MI_PREDICATE_SRC1,
            register::MI_PREDICATE_DATA,
        ];
        let used = match f::COMPARE_OPERATION.get(words) {
            predicate_compare::SRCS_EQUAL => &sources[..2],
            predicate_compare::DELTAS_EQUAL => &sources[..],
            _ => &[],
        };
        let written = |offset: &u32| self.context.registers.contains_key(offset);
        let missing = used.iter().flat_map(|source| [*source, *source + 4]);
        let missing = missing.filter(|offset| self.gpu.options.strict && !written(offset));
        if let Some(offset) = missing.min() {
            let what = format!("register {offset:#x} was never written by this context");
            return Err(rules::PREDICATE_SOURCES.stop(what, at));
        }
        let compared = match f::COMPARE_OPERATION.get(words) {
            predicate_compare::TRUE => true,
            predicate_compare::FALSE => false,
            predicate_compare::SRCS_EQUAL => {
                self.context.register64(register::MI_PREDICATE_SRC0)
                    == self.context.register64(register::MI_PREDICATE_SRC1)
            }
            _ => {
                let [first, second] = [register::MI_PREDICATE_SRC0, register::MI_PREDICATE_SRC1]
                    .map(|source| self.context.register64(source));
                second.wrapping_sub(first) == self.context.register64(register::MI_PREDICATE_DATA)
            }
        };
        let combined = match f::COMBINE_OPERATION.get(words) {
            predicate_combine::SET => compared,
            predicate_combine::AND => compared & self.context.predicate,
            predicate_combine::OR => compared | self.context.predicate,
            _ => compared ^ self.context.predicate,
        };
        self.context.predicate = match f::LOAD_OPERATION.get(words) {
            predicate_load::KEEP => self.context.predicate,
            predicate_load::LOAD => combined,
            predicate_load::LOADINV => !combined,
            _ => self.context.predicate,
        };
        let result = u32::from(self.context.predicate);
        self.context
            .set_register(register::MI_PREDICATE_RESULT, result);
        Ok(())
    }

    fn semaphore_wait(&mut self, words: &[u32], at: u64) -> Result<(), StopReason> {
        use mi::mi_semaphore_wait as f;
        let address = f::SEMAPHORE_ADDRESS.get(words);
        let data = f::SEMAPHORE_DATA_DWORD.get(words) as u32;
        let started = std::time::Instant::now();
        if let Some(tracker) = &mut self.tracker {
            tracker.record_semaphore_wait(address);
        }
        loop {
            let value = self.view.read(address)?;
            let met = match f::COMPARE_OPERATION.get(words) {
                semaphore_compare::SAD_GREATER_THAN_SDD => value > data,
                semaphore_compare::SAD_GREATER_THAN_OR_EQUAL_SDD => value >= data,
                semaphore_compare::SAD_LESS_THAN_SDD => value < data,
                semaphore_compare::SAD_LESS_THAN_OR_EQUAL_SDD => value <= data,
                semaphore_compare::SAD_EQUAL_SDD => value == data,
                _ => value != data,
            };
            if met {
                return Ok(());
            }
            let options = &self.gpu.options;
            if started.elapsed() >= options.semaphore_wait {
                return Err(StopReason::Fault {
                    what: format!("hang: a semaphore at {address:#x} is never signalled"),
                    at,
                });
            }
            std::thread::sleep(std::time::Duration::from_micros(50));
        }
    }

    /// Evaluates MI_SET_PREDICATE's condition: true if the following commands are skipped. The
    /// condition is sampled when the command executes.
    fn skips_commands(&self, mode: u64, at: u64) -> Result<bool, StopReason> {
        let second = self.context.register(register::MI_PREDICATE_RESULT_2) & 1 == 1;
        let slices = u64::from(self.gpu.device().slices);
        Ok(match mode {
            set_predicate::NOOP_NEVER => false,
            set_predicate::NOOP_ON_RESULT2_CLEAR => !second,
            set_predicate::NOOP_ON_RESULT2_SET => second,
            set_predicate::NOOP_ON_RESULT_CLEAR => !self.context.predicate,
            set_predicate::NOOP_ON_RESULT_SET => self.context.predicate,
            set_predicate::ONE_SLICE => slices != 1,
            set_predicate::TWO_SLICES => slices != 2,
            set_predicate::THREE_SLICES => slices != 3,
            set_predicate::NOOP_ALWAYS => true,
            _ => {
                let what = format!("MI_SET_PREDICATE with Predicate Enable {mode}");
                return Err(rules::MI_PREDICATE.stop(what, at));
            }
        })
    }

    /// MI_ATOMIC: an atomic operation on 4, 8 or 16 bytes of memory.
    fn atomic(&mut self, words: &[u32], at: u64) -> Result<(), StopReason> {
        use mi::mi_atomic as f;
        let opcode = f::ATOMIC_OPCODE.get(words);
        // The opcode encodes the size again.
        let (size, operation) = (f::DATA_SIZE.get(words), opcode & 15);
        let sizes = [0x00, 0x20, 0x40];
        let known = sizes.get(size as usize).is_some_and(|high| {
            *high == opcode & !15
                && operation != 0
                && (size != atomic_data_size::OCTWORD || operation == atomic_opcode::CMP_WR)
        });
        if !known {
            let what = format!("MI_ATOMIC operation {opcode:#x} of size {size}");
            return Err(rules::MI_ATOMIC.stop(what, at));
        }
        let dwords = 1 << size;
        // Inline operands are interleaved by dword; else R0 and R1 hold the first operand, R2 and
        // R3 the second.
        let inline = f::INLINE_DATA.get(words) == 1;
        let value_of = |second: usize| {
            let mut value = [0; 4];
            for (i, to) in value.iter_mut().enumerate().take(dwords) {
                *to = match inline {
                    true => words.get(3 + 2 * i + second).copied().unwrap_or(0),
                    false => {
                        let offset = 16 * second + 4 * i;
                        self.context.register(register::CS_GPR0 + offset as u32)
                    }
                };
            }
            value
        };
        let (a, b) = (value_of(0), value_of(1));
        let address = f::MEMORY_ADDRESS.get(words);
        let mut old = match size {
            atomic_data_size::DWORD => {
                use std::sync::atomic::Ordering::SeqCst;
                let word = self.view.atomic(address)?;
                let update = |old: u32| {
                    let [old, a, b] = [old, a[0], b[0]].map(u64::from);
                    Some(updated(operation, old, a, b, 32) as u32)
                };
                // The closure always returns `Some`.
                [
                    word.fetch_update(SeqCst, SeqCst, update).unwrap_or(0),
                    0,
                    0,
                    0,
                ]
            }
            _ => {
                // There are no host atomics wider than a dword. EU threads take the lock of wide
                // messages for such updates, and no thread runs while the command streamer executes
                // this command.
                let mut old = [0; 4];
                let (there, _) = old.split_at_mut(dwords);
                self.view.read_block(address, there)?;
                let wide = |v: [u32; 4]| u64::from(v[0]) | u64::from(v[1]) << 32;
                let new = match size {
                    atomic_data_size::QWORD => {
                        let value = updated(operation, wide(old), wide(a), wide(b), 64);
                        [value as u32, (value >> 32) as u32, 0, 0]
                    }
                    _ if old == a => b,
                    _ => old,
                };
                self.view
                    .write_block(address, new.get(..dwords).unwrap_or_default())?;
                old
            }
        };
        if f::RETURN_DATA_CONTROL.get(words) == 1 {
            if operation == atomic_opcode::PREDEC {
                // The only operation that returns the new value.
                let low = old[0];
                old[0] = low.wrapping_sub(1);
                let is_qword = size == atomic_data_size::QWORD;
                old[1] = old[1].wrapping_sub(u32::from(is_qword && low == 0));
            }
            for (i, value) in old.into_iter().enumerate().take(dwords) {
                // R4, and R5 for sixteen bytes.
                let offset = register::CS_GPR0 + RETURNS + 4 * i as u32;
                self.context.set_register(offset, value);
            }
        }
        Ok(())
    }
}

/// Byte offset from R0 to the register that receives the returned value.
const RETURNS: u32 = 4 * 8;

/// The value that an atomic operation of `bits` bits writes.
fn updated(operation: u64, old: u64, a: u64, b: u64, bits: u32) -> u64 {
    let signed = |v: u64| (v << (64 - bits)) as i64 >> (64 - bits);
    match operation {
        atomic_opcode::AND => old & a,
        atomic_opcode::OR => old | a,
        atomic_opcode::XOR => old ^ a,
        atomic_opcode::MOVE => a,
        atomic_opcode::INC => old.wrapping_add(1),
        atomic_opcode::DEC => old.wrapping_sub(1),
        atomic_opcode::ADD => old.wrapping_add(a),
        atomic_opcode::SUB => old.wrapping_sub(a),
        atomic_opcode::RSUB => a.wrapping_sub(old),
        atomic_opcode::IMAX if signed(a) > signed(old) => a,
        atomic_opcode::IMIN if signed(a) < signed(old) => a,
        atomic_opcode::UMAX => old.max(a),
        atomic_opcode::UMIN => old.min(a),
        atomic_opcode::CMP_WR if old == a => b,
        atomic_opcode::PREDEC => old.wrapping_sub(1),
        _ => old,
    }
}

#[cfg(test)]
mod tests;
