//! Fixtures of the command streamer's tests: single commands as words, and a machine to run them.

use crate::options::Options;
use crate::testing::{DATA, Rig, end, push};
use hw::{mi, register};

pub(crate) fn rig() -> Rig {
    Rig::new(Options::default())
}

pub(crate) fn load(batch: &mut Vec<u32>, register: u32, value: u32) {
    use mi::mi_load_register_imm as f;
    batch.extend([f::PACKET.header, register, value]);
}

pub(crate) fn store_register(batch: &mut Vec<u32>, register: u32, address: u64) {
    use mi::mi_store_register_mem as f;
    let words = f::PACKET.words::<4>();
    let words = words.with(f::REGISTER_ADDRESS, register.into());
    push(batch, words.with(f::MEMORY_ADDRESS, address));
}

pub(crate) fn store(batch: &mut Vec<u32>, address: u64, value: u32) {
    use mi::mi_store_data_imm as f;
    let words = f::PACKET.words::<4>().with(f::ADDRESS, address);
    push(batch, words.with(f::IMMEDIATE_DATA, value.into()));
}

pub(crate) fn set_predicate(batch: &mut Vec<u32>, mode: u64) {
    use mi::mi_set_predicate as f;
    push(
        batch,
        f::PACKET.words::<1>().with(f::PREDICATE_ENABLE, mode),
    );
}

/// An MI_ATOMIC on `DATA` with operands of its own: pairs of a dword of the first and of the
/// second.
pub(crate) fn atomic(batch: &mut Vec<u32>, opcode: u64, size: u64, operands: &[u32]) {
    use mi::mi_atomic as f;
    let words = f::PACKET
        .words::<3>()
        .with(f::ATOMIC_OPCODE, opcode)
        .with(f::DATA_SIZE, size)
        .with(f::MEMORY_ADDRESS, DATA)
        .flag(f::INLINE_DATA, !operands.is_empty())
        .flag(f::RETURN_DATA_CONTROL, true);
    let mut dwords = words.dwords;
    dwords[0] += operands.len() as u32;
    batch.extend(dwords);
    batch.extend(operands);
}

/// Memory after an atomic, and what it returned.
pub(crate) fn after(
    before: [u32; 4],
    opcode: u64,
    size: u64,
    operands: &[u32],
) -> (Vec<u32>, Vec<u32>) {
    let mut rig = rig();
    rig.write(DATA, &before);
    let mut batch = Vec::new();
    atomic(&mut batch, opcode, size, operands);
    for i in 0..4 {
        let returned = register::CS_GPR0 + 32 + 4 * i;
        store_register(&mut batch, returned, DATA + 64 + u64::from(4 * i));
    }
    end(&mut batch);
    rig.execute(&batch).expect("runs");
    (rig.read(DATA, 4), rig.read(DATA + 64, 4))
}
