//! Atomics on surfaces, shared local memory and 64-bit addresses.
//!
//! Ref: SKL PRM vol. 7, "Untyped Atomic"; vol. 2d, MDC_AOP (integer), MDC_FOP (float).

use super::port::WorkerPort;
use crate::bindings::Payload;
use crate::surface::Surface;
use eu::{Message, StopReason};
use isa::descriptor::value::{atomic_operation as aop, float_atomic_operation as fop};
use isa::descriptor::{a64_atomic, atomic, common};
use std::sync::atomic::Ordering::SeqCst;

/// Source operands of an integer operation.
fn integer_operands(op: u32) -> usize {
    match op {
        aop::INC | aop::DEC | aop::PREDEC => 0,
        aop::CMPWR => 2,
        _ => 1,
    }
}

/// The new value, `bits` wide.
fn integer(op: u32, bits: u32, old: u64, a: u64, b: u64) -> u64 {
    let mask = u64::MAX >> (64 - bits);
    let signed = |v: u64| (v << (64 - bits)) as i64 >> (64 - bits);
    let new = match op {
        aop::AND => old & a,
        aop::OR => old | a,
        aop::XOR => old ^ a,
        aop::MOV => a,
        aop::INC => old.wrapping_add(1),
        aop::DEC | aop::PREDEC => old.wrapping_sub(1),
        aop::ADD => old.wrapping_add(a),
        aop::SUB => old.wrapping_sub(a),
        aop::REVSUB => a.wrapping_sub(old),
        aop::IMAX if signed(a) > signed(old) => a,
        aop::IMIN if signed(a) < signed(old) => a,
        aop::UMAX if a > old => a,
        aop::UMIN if a < old => a,
        // Writes the second operand where the first equals what is there.
        aop::CMPWR if old == a => b,
        _ => old,
    };
    new & mask
}

/// The new value of a float operation.
fn float(op: u32, old: u32, a: u32, b: u32) -> u32 {
    let value = f32::from_bits;
    match op {
        fop::FMAX if value(a) > value(old) || value(old).is_nan() => a,
        fop::FMIN if value(a) < value(old) || value(old).is_nan() => a,
        fop::FCMPWR if value(old) == value(a) => b,
        fop::FADD => (value(old) + value(a)).to_bits(),
        _ => old,
    }
}

/// The operation of an atomic message, applied to each lane's address.
#[derive(Clone, Copy)]
pub(super) struct Operation {
    pub op: u32,
    pub float: bool,
    pub is_qword: bool,
}

impl Operation {
    pub fn operands(self) -> usize {
        match (self.float, self.op) {
            (true, fop::FCMPWR) => 2,
            (true, _) => 1,
            (false, op) => integer_operands(op),
        }
    }

    fn apply_dword(self, old: u32, a: u32, b: u32) -> u32 {
        if self.float {
            float(self.op, old, a, b)
        } else {
            integer(self.op, 32, old.into(), a.into(), b.into()) as u32
        }
    }

    /// What the message returns: the old value, but for PREDEC the new one.
    fn result(self, old: u64, new: u64) -> u64 {
        if self.op == aop::PREDEC && !self.float {
            new
        } else {
            old
        }
    }
}

impl WorkerPort<'_> {
    pub(super) fn atomic_at(
        &mut self,
        address: u64,
        operation: Operation,
        a: u64,
        b: u64,
    ) -> Result<u64, StopReason> {
        if operation.is_qword {
            // Nothing panics while holding it, so a poisoned lock is as good as a sound one.
            let _guard = self.wide.lock().unwrap_or_else(|e| e.into_inner());
            let old = self.bindings.view.read64(address & !7)?;
            let new = integer(operation.op, 64, old, a, b);
            self.bindings.view.write64(address & !7, new)?;
            return Ok(operation.result(old, new));
        }
        let word = self.bindings.view.atomic(address)?;
        let mut new = 0;
        let update = word.fetch_update(SeqCst, SeqCst, |old| {
            new = operation.apply_dword(old, a as u32, b as u32);
            Some(new)
        });
        // The closure always answers.
        let old = update.unwrap_or_else(|old| old);
        Ok(operation.result(old.into(), new.into()))
    }

    pub(super) fn untyped_atomic(
        &mut self,
        message: &Message<'_>,
        payload: Payload<'_>,
        response: &mut [u32],
        float: bool,
    ) -> Result<(), StopReason> {
        let surface = self.bindings.surface(message, payload, false)?;
        let lanes = if atomic::SIMD_MODE.any(message.desc) {
            8
        } else {
            16
        };
        let operation = Operation {
            // Operations on floats have three bits, those on integers four.
            op: atomic::OPERATION.get(message.desc) & if float { 7 } else { 15 },
            float,
            is_qword: false,
        };
        let start = common::HEADER_PRESENT.get(message.desc) as usize * 8;
        for lane in (0..lanes).filter(|l| message.lanes >> l & 1 == 1) {
            let offset = u64::from(payload.dword(start + lane));
            let operand = |n: usize| {
                if operation.operands() > n {
                    payload.dword(start + (n + 1) * lanes + lane)
                } else {
                    0
                }
            };
            let (a, b) = (operand(0), operand(1));
            let result = if surface == Surface::Slm {
                match self.slm_index(message, offset)? {
                    Some(index) => {
                        let old = self.slm[index];
                        let new = operation.apply_dword(old, a, b);
                        self.slm[index] = new;
                        operation.result(old.into(), new.into())
                    }
                    None => 0,
                }
            } else {
                match surface.resolve(offset, 4) {
                    Some(address) => self.atomic_at(address, operation, a.into(), b.into())?,
                    None => 0,
                }
            };
            if atomic::RETURN_DATA.any(message.desc)
                && let Some(out) = response.get_mut(lane)
            {
                *out = result as u32;
            }
        }
        Ok(())
    }

    pub(super) fn a64_atomic(
        &mut self,
        message: &Message<'_>,
        payload: Payload<'_>,
        response: &mut [u32],
        float: bool,
    ) -> Result<(), StopReason> {
        let lanes = 8;
        let operation = Operation {
            op: a64_atomic::OPERATION.get(message.desc) & if float { 7 } else { 15 },
            float,
            is_qword: !float && a64_atomic::DATA_WIDTH.any(message.desc),
        };
        let start = common::HEADER_PRESENT.get(message.desc) as usize * 8;
        let data = start + lanes * 2;
        for lane in (0..lanes).filter(|l| message.lanes >> l & 1 == 1) {
            let address = payload.address(start + lane * 2);
            let operand = |n: usize| match (operation.operands() > n, operation.is_qword) {
                (false, _) => 0,
                (true, false) => payload.dword(data + n * lanes + lane).into(),
                (true, true) => payload.qword(data + (n * lanes + lane) * 2),
            };
            let (a, b) = (operand(0), operand(1));
            let result = self.atomic_at(address, operation, a, b)?;
            if !a64_atomic::RETURN_DATA.any(message.desc) {
                continue;
            }
            if operation.is_qword {
                if let Some(out) = response.get_mut(lane * 2..lane * 2 + 2) {
                    out.copy_from_slice(&[result as u32, (result >> 32) as u32]);
                }
            } else if let Some(out) = response.get_mut(lane) {
                *out = result as u32;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
