//! Fates of the commands that both pipelines share, and of the GPGPU pipeline's commands.
//!
//! In:  the tables of `hw`. Out: the fate of each of their fields. Ref: SKL PRM vol. 2a.

use crate::fate::reason::*;
use crate::fate::table::fates;
use hw::media;

#[rustfmt::skip]
fates! {
    media::gpgpu_csr_base_address {
        inert(PREEMPTION): GPGPU_CSR_BASE_ADDRESS;
    }
    media::gpgpu_walker {
        modelled: PREDICATE_ENABLE, INDIRECT_PARAMETER_ENABLE, INDIRECT_DATA_LENGTH, INDIRECT_DATA_START_ADDRESS, INTERFACE_DESCRIPTOR_OFFSET,
            THREAD_WIDTH_COUNTER_MAXIMUM, THREAD_HEIGHT_COUNTER_MAXIMUM, THREAD_DEPTH_COUNTER_MAXIMUM,
            THREAD_GROUP_ID_STARTING_X, THREAD_GROUP_ID_X_DIMENSION, THREAD_GROUP_ID_STARTING_Y,
            THREAD_GROUP_ID_Y_DIMENSION, THREAD_GROUP_ID_STARTING_RESUME_Z, THREAD_GROUP_ID_Z_DIMENSION,
            RIGHT_EXECUTION_MASK, BOTTOM_EXECUTION_MASK;
        // A kernel may use fewer channels than are dispatched.
        bound: SIMD_SIZE;
    }
    media::media_curbe_load {
        modelled: CURBE_TOTAL_DATA_LENGTH, CURBE_DATA_START_ADDRESS;
    }
    media::media_interface_descriptor_load {
        modelled: INTERFACE_DESCRIPTOR_DATA_START_ADDRESS;
        bound: INTERFACE_DESCRIPTOR_TOTAL_LENGTH;
    }
    media::media_object { never named "*"; }
    media::media_state_flush {
        inert(IN_ORDER): INTERFACE_DESCRIPTOR_OFFSET, WATERMARK_REQUIRED, FLUSH_TO_GO;
    }
    media::media_vfe_state {
        modelled: SCRATCH_SPACE_BASE_POINTER;
        // A thread may use less memory than is allocated.
        bound: PER_THREAD_SCRATCH_SPACE;
        inert(STACK): STACK_SIZE;
        inert(TIMER): RESET_GATEWAY_TIMER;
        inert(MEDIA): NUMBER_OF_URB_ENTRIES, URB_ENTRY_ALLOCATION_SIZE, SCOREBOARD_MASK, SCOREBOARD_TYPE,
            SCOREBOARD_ENABLE, SCOREBOARD_0_DELTA_X, SCOREBOARD_0_DELTA_Y, SCOREBOARD_1_DELTA_X, SCOREBOARD_1_DELTA_Y,
            SCOREBOARD_2_DELTA_X, SCOREBOARD_2_DELTA_Y, SCOREBOARD_3_DELTA_X, SCOREBOARD_3_DELTA_Y,
            SCOREBOARD_4_DELTA_X, SCOREBOARD_4_DELTA_Y, SCOREBOARD_5_DELTA_X, SCOREBOARD_5_DELTA_Y,
            SCOREBOARD_6_DELTA_X, SCOREBOARD_6_DELTA_Y, SCOREBOARD_7_DELTA_X, SCOREBOARD_7_DELTA_Y;
        bound: MAXIMUM_NUMBER_OF_THREADS, CURBE_ALLOCATION_SIZE;
        inert(PLACE): SLICE_DISABLE;
    }
    media::pipeline_select {
        modelled: PIPELINE_SELECTION, MASK_BITS;
        inert(POWER): MEDIA_SAMPLER_DOP_CLOCK_GATE_ENABLE, FORCE_MEDIA_AWAKE;
    }
    media::pipe_control {
        ruled("depth-flush"): DEPTH_CACHE_FLUSH_ENABLE;
        allows("pipe-control-count"): STALL_AT_PIXEL_SCOREBOARD;
        ruled("base-address-invalidate"): STATE_CACHE_INVALIDATION_ENABLE, INSTRUCTION_CACHE_INVALIDATE_ENABLE;
        ruled("constant-stale"): CONSTANT_CACHE_INVALIDATION_ENABLE;
        ruled("vertex-stale"): VF_CACHE_INVALIDATION_ENABLE;
        ruled("commands-stale"): DC_FLUSH_ENABLE;
        ruled("post-sync-pending"): PIPE_CONTROL_FLUSH_ENABLE;
        ruled("depth-clear-before"): DEPTH_STALL_ENABLE;
        inert(INTERRUPT): NOTIFY_ENABLE;
        allows("pipe-control-pointers"): INDIRECT_STATE_POINTERS_DISABLE;
        ruled("pipe-control-pointers"): GENERIC_MEDIA_STATE_CLEAR;
        ruled("texture-stale"): TEXTURE_CACHE_INVALIDATION_ENABLE;
        ruled("render-flush"): RENDER_TARGET_CACHE_FLUSH_ENABLE;
        modelled: POST_SYNC_OPERATION, ADDRESS, IMMEDIATE_DATA;
        ruled("pipe-control-tlb"): TLB_INVALIDATE;
        ruled("pipe-control-snapshot"): GLOBAL_SNAPSHOT_COUNT_RESET;
        ruled("work-order"): COMMAND_STREAMER_STALL_ENABLE;
        only([0], "vol. 2a, Store Data Index: the status page is the kernel's"): STORE_DATA_INDEX;
        refused: LRI_POST_SYNC_OPERATION;
        only([0], "vol. 2a, Use Global GTT: not of batches without privilege"): DESTINATION_ADDRESS_TYPE;
        ruled("pipe-control-llc"): FLUSH_LLC;
    }
    media::state_base_address {
        modelled: GENERAL_STATE_BASE_ADDRESS_MODIFY_ENABLE, GENERAL_STATE_BASE_ADDRESS,
            SURFACE_STATE_BASE_ADDRESS_MODIFY_ENABLE, SURFACE_STATE_BASE_ADDRESS,
            DYNAMIC_STATE_BASE_ADDRESS_MODIFY_ENABLE, DYNAMIC_STATE_BASE_ADDRESS,
            INDIRECT_OBJECT_BASE_ADDRESS_MODIFY_ENABLE, INDIRECT_OBJECT_BASE_ADDRESS,
            INSTRUCTION_BASE_ADDRESS_MODIFY_ENABLE, INSTRUCTION_BASE_ADDRESS, DYNAMIC_STATE_BUFFER_SIZE_MODIFY_ENABLE,
            INSTRUCTION_BUFFER_SIZE_MODIFY_ENABLE, BINDLESS_SURFACE_STATE_BASE_ADDRESS_MODIFY_ENABLE,
            BINDLESS_SURFACE_STATE_BASE_ADDRESS;
        inert(MOCS): GENERAL_STATE_MOCS, STATELESS_DATA_PORT_ACCESS_MOCS, SURFACE_STATE_MOCS, DYNAMIC_STATE_MOCS,
            INDIRECT_OBJECT_MOCS, INSTRUCTION_MOCS, BINDLESS_SURFACE_STATE_MOCS;
        modelled: GENERAL_STATE_BUFFER_SIZE_MODIFY_ENABLE;
        allows("base-address-modify"): INDIRECT_OBJECT_BUFFER_SIZE_MODIFY_ENABLE, INDIRECT_OBJECT_BUFFER_SIZE;
        bound: GENERAL_STATE_BUFFER_SIZE, DYNAMIC_STATE_BUFFER_SIZE, INSTRUCTION_BUFFER_SIZE, BINDLESS_SURFACE_STATE_SIZE;
    }
    media::state_sip {
        inert(EXCEPTIONS): SYSTEM_INSTRUCTION_POINTER;
    }
    media::state_prefetch {
        inert(PREFETCH): PREFETCH_COUNT, PREFETCH_POINTER;
    }
}
