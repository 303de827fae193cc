//! Fates of the command streamer's own commands.
//!
//! In:  the tables of `hw`. Out: the fate of each of their fields. Ref: SKL PRM vol. 2a.

use crate::fate::reason::*;
use crate::fate::table::fates;
use hw::mi;

#[rustfmt::skip]
fates! {
    mi::mi_arb_check {}
    mi::mi_arb_on_off {}
    mi::mi_atomic {
        modelled: ATOMIC_OPCODE, RETURN_DATA_CONTROL, INLINE_DATA, DATA_SIZE, MEMORY_ADDRESS;
        inert(IN_ORDER): CS_STALL, POST_SYNC_OPERATION;
        only([0], "vol. 2a, Use Global GTT: not of batches without privilege"): MEMORY_TYPE;
        words("cs/mi.rs"): OPERAND1_DATA_DWORD_0, OPERAND2_DATA_DWORD_0, OPERAND1_DATA_DWORD_1, OPERAND2_DATA_DWORD_1,
            OPERAND1_DATA_DWORD_2, OPERAND2_DATA_DWORD_2, OPERAND1_DATA_DWORD_3, OPERAND2_DATA_DWORD_3;
    }
    mi::mi_batch_buffer_end {}
    mi::mi_batch_buffer_start {
        only([1], "vol. 2a, Address Space Indicator: a batch without privilege goes on in its own address space"):
            ADDRESS_SPACE_INDICATOR;
        refused: RESOURCE_STREAMER_ENABLE, ADD_OFFSET_ENABLE;
        modelled: PREDICATION_ENABLE, SECOND_LEVEL_BATCH_BUFFER, BATCH_BUFFER_START_ADDRESS;
    }
    mi::mi_clflush {
        only([0], "vol. 2a, Use Global GTT: not of batches without privilege"): USE_GLOBAL_GTT;
        inert(COHERENT): STARTING_CACHELINE_OFFSET, PAGE_BASE_ADDRESS;
    }
    mi::mi_conditional_batch_buffer_end {
        refused: COMPARE_MASK_MODE;
        only([0], "vol. 2a, Use Global GTT: not of batches without privilege"): USE_GLOBAL_GTT;
        modelled: COMPARE_DATA_DWORD, COMPARE_ADDRESS;
    }
    mi::mi_copy_mem_mem {
        only([0], "vol. 2a, Use Global GTT: not of batches without privilege"): USE_GLOBAL_GTT_DESTINATION,
            USE_GLOBAL_GTT_SOURCE;
        modelled: DESTINATION_MEMORY_ADDRESS, SOURCE_MEMORY_ADDRESS;
    }
    mi::mi_flush_dw {
        inert(VIDEO): VIDEO_PIPELINE_CACHE_INVALIDATE;
        inert(INTERRUPT): NOTIFY_ENABLE;
        inert(COHERENT): FLUSH_LLC;
        modelled: POST_SYNC_OPERATION, ADDRESS, IMMEDIATE_DATA;
        inert(TLB): TLB_INVALIDATE;
        only([0], "vol. 2a, Store Data Index: the status page is the kernel's"): STORE_DATA_INDEX;
        only([0], "vol. 2a, Use Global GTT: not of batches without privilege"): DESTINATION_ADDRESS_TYPE;
    }
    mi::mi_force_wakeup { never named "*"; }
    mi::mi_load_register_imm {
        refused: BYTE_WRITE_DISABLES;
        words("cs/mi.rs"): REGISTER_OFFSET, DATA_DWORD;
    }
    mi::mi_load_register_mem {
        refused: ASYNC_MODE_ENABLE;
        only([0], "vol. 2a, Use Global GTT: not of batches without privilege"): USE_GLOBAL_GTT;
        modelled: REGISTER_ADDRESS, MEMORY_ADDRESS;
    }
    mi::mi_load_register_reg {
        modelled: SOURCE_REGISTER_ADDRESS, DESTINATION_REGISTER_ADDRESS;
    }
    mi::mi_load_scan_lines_excl { never named "*"; }
    mi::mi_load_scan_lines_incl { never named "*"; }
    mi::mi_load_urb_mem { never named "*"; }
    mi::mi_math {}
    mi::mi_noop {
        inert(NOTE): IDENTIFICATION_NUMBER;
        refused: IDENTIFICATION_NUMBER_REGISTER_WRITE_ENABLE;
    }
    mi::mi_predicate {
        modelled: COMPARE_OPERATION, COMBINE_OPERATION, LOAD_OPERATION;
    }
    mi::mi_report_head { never named "*"; }
    mi::mi_report_perf_count { never named "*"; }
    mi::mi_rs_context { never named "*"; }
    mi::mi_rs_control {
        refused: RESOURCE_STREAMER_CONTROL;
    }
    mi::mi_rs_store_data_imm { never named "*"; }
    mi::mi_semaphore_signal { never named "*"; }
    mi::mi_semaphore_wait {
        modelled: COMPARE_OPERATION, SEMAPHORE_DATA_DWORD, SEMAPHORE_ADDRESS;
        only([1], "vol. 2a, Wait Mode: in signal mode only a signal ends the wait, and nothing of a process sends one"): WAIT_MODE;
        refused: REGISTER_POLL_MODE;
        only([0], "vol. 2a, Use Global GTT: not of batches without privilege"): MEMORY_TYPE;
    }
    mi::mi_set_context { never named "*"; }
    mi::mi_set_predicate {
        modelled: PREDICATE_ENABLE;
    }
    mi::mi_store_data_imm {
        modelled: STORE_QWORD, ADDRESS;
        words("cs/mi.rs"): IMMEDIATE_DATA;
        only([0], "vol. 2a, Use Global GTT: not of batches without privilege"): USE_GLOBAL_GTT;
        refused: CORE_MODE_ENABLE;
    }
    mi::mi_store_data_index { never named "*"; }
    mi::mi_store_register_mem {
        modelled: PREDICATE_ENABLE, REGISTER_ADDRESS, MEMORY_ADDRESS;
        only([0], "vol. 2a, Use Global GTT: not of batches without privilege"): USE_GLOBAL_GTT;
    }
    mi::mi_store_urb_mem { never named "*"; }
    mi::mi_suspend_flush {
        inert(IN_ORDER): SUSPEND_FLUSH;
    }
    mi::mi_topology_filter {
        refused: TOPOLOGY_FILTER_VALUE;
    }
    mi::mi_urb_atomic_alloc { never named "*"; }
    mi::mi_user_interrupt {}
    mi::mi_wait_for_event { never named "*"; }
}
