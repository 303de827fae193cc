//! Commands of the command streamer itself, which all generations share.
//!
//! In:  addresses and values. Out: packets. Ref: SKL PRM vol. 2a, "MI_*".

use hw::mi::{
    mi_batch_buffer_end, mi_batch_buffer_start, mi_copy_mem_mem, mi_load_register_imm,
    mi_load_register_mem, mi_load_register_reg, mi_noop, mi_predicate, mi_semaphore_wait,
    mi_store_data_imm, mi_store_register_mem,
};
use hw::value::command::{
    address_space_indicator, predicate_combine, predicate_compare, predicate_load,
    semaphore_compare, wait_mode,
};

/// An empty batch, for a submission that only signals.
pub const fn nothing() -> [u32; 2] {
    [mi_batch_buffer_end::PACKET.header, mi_noop::PACKET.header]
}

/// Dwords of [`call`].
pub const CALL_DW: usize = 3;

/// Calls a second-level batch, which returns at its MI_BATCH_BUFFER_END. In a batch that was itself
/// called this is a jump: there is only one return address.
pub const fn call(address: u64) -> [u32; CALL_DW] {
    use mi_batch_buffer_start as start;
    start::words::<CALL_DW>()
        .with(
            start::ADDRESS_SPACE_INDICATOR,
            address_space_indicator::PPGTT,
        )
        .flag(start::SECOND_LEVEL_BATCH_BUFFER, true)
        .with(start::BATCH_BUFFER_START_ADDRESS, address)
        .dwords
}

/// MI_LOAD_REGISTER_IMM.
#[inline]
pub const fn load_register(offset: u32, value: u32) -> [u32; 3] {
    use mi_load_register_imm as lri;
    lri::words::<3>()
        .with(lri::REGISTER_OFFSET, offset as u64)
        .with(lri::DATA_DWORD, value as u64)
        .dwords
}

/// MI_LOAD_REGISTER_MEM.
#[inline]
pub const fn load_register_mem(offset: u32, address: u64) -> [u32; 4] {
    use mi_load_register_mem as lrm;
    lrm::words::<4>()
        .with(lrm::REGISTER_ADDRESS, offset as u64)
        .with(lrm::MEMORY_ADDRESS, address)
        .dwords
}

/// MI_COPY_MEM_MEM: copies a dword of memory.
pub const fn copy_memory(from: u64, to: u64) -> [u32; 5] {
    use mi_copy_mem_mem as copy;
    copy::words::<5>()
        .with(copy::SOURCE_MEMORY_ADDRESS, from)
        .with(copy::DESTINATION_MEMORY_ADDRESS, to)
        .dwords
}

/// MI_LOAD_REGISTER_REG.
#[inline]
pub const fn copy_register(from: u32, to: u32) -> [u32; 3] {
    use mi_load_register_reg as lrr;
    lrr::words::<3>()
        .with(lrr::SOURCE_REGISTER_ADDRESS, from as u64)
        .with(lrr::DESTINATION_REGISTER_ADDRESS, to as u64)
        .dwords
}

/// How the predicate is set from comparing the two source registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Predicate {
    /// Set if they are equal.
    Equal,
    /// Set if they are not equal.
    Unequal,
    /// Toggled if they are equal.
    ToggledIfEqual,
}

/// MI_PREDICATE.
#[inline]
pub const fn predicate(how: Predicate) -> [u32; 1] {
    use mi_predicate as p;
    let (combine, load) = match how {
        Predicate::Equal => (predicate_combine::SET, predicate_load::LOAD),
        Predicate::Unequal => (predicate_combine::SET, predicate_load::LOADINV),
        Predicate::ToggledIfEqual => (predicate_combine::XOR, predicate_load::LOAD),
    };
    p::words::<1>()
        .with(p::COMPARE_OPERATION, predicate_compare::SRCS_EQUAL)
        .with(p::COMBINE_OPERATION, combine)
        .with(p::LOAD_OPERATION, load)
        .dwords
}

/// MI_STORE_REGISTER_MEM.
#[inline]
pub const fn store_register_mem(offset: u32, address: u64) -> [u32; 4] {
    use mi_store_register_mem as srm;
    srm::words::<4>()
        .with(srm::REGISTER_ADDRESS, offset as u64)
        .with(srm::MEMORY_ADDRESS, address)
        .dwords
}

/// MI_STORE_DATA_IMM: writes a dword at the top of the pipe.
#[inline]
pub const fn store(address: u64, value: u32) -> [u32; 4] {
    use mi_store_data_imm as sdi;
    sdi::words::<4>()
        .with(sdi::ADDRESS, address)
        .with(sdi::IMMEDIATE_DATA, value as u64)
        .dwords
}

/// MI_SEMAPHORE_WAIT: waits until a dword equals a value.
#[inline]
pub const fn wait_equal(address: u64, value: u32) -> [u32; 4] {
    use mi_semaphore_wait as wait;
    wait::words::<4>()
        .with(wait::COMPARE_OPERATION, semaphore_compare::SAD_EQUAL_SDD)
        .with(wait::WAIT_MODE, wait_mode::POLLING_MODE)
        .with(wait::SEMAPHORE_DATA_DWORD, value as u64)
        .with(wait::SEMAPHORE_ADDRESS, address)
        .dwords
}
