//! Enumerated values of the command streamer and the media pipeline.
//!
//! Ref: SKL PRM vol. 2a and 2d, the packets named. Tests: `tests.rs` of this folder compares every
//!      value with genxml.

use super::enumeration::values;

#[rustfmt::skip]
values! {
    /// GPGPU_WALKER, "SIMD Size".
    walker_simd_size for [
        "GPGPU_WALKER" "SIMD Size",
    ] {
        SIMD8 "SIMD8" 0;
        SIMD16 "SIMD16" 1;
        SIMD32 "SIMD32" 2;
    }
    /// MEDIA_OBJECT, "SubSlice Destination Select".
    subslice_destination_select for [
        "MEDIA_OBJECT" "SubSlice Destination Select",
    ] {
        SUBSLICE_3 "Subslice 3" 3;
        SUB_SLICE_2 "SubSlice 2" 2;
        SUB_SLICE_1 "SubSlice 1" 1;
        SUB_SLICE_0 "SubSlice 0" 0;
    }
    /// MEDIA_OBJECT, "Slice Destination Select".
    slice_destination_select for [
        "MEDIA_OBJECT" "Slice Destination Select",
    ] {
        SLICE_0 "Slice 0" 0;
        SLICE_1 "Slice 1" 1;
        SLICE_2 "Slice 2" 2;
    }
    /// MEDIA_OBJECT, "Use Scoreboard".
    use_scoreboard for [
        "MEDIA_OBJECT" "Use Scoreboard",
    ] {
        NO_SCOREBOARD "Not using scoreboard" 0;
        SCOREBOARD "Using scoreboard" 1;
    }
    /// MEDIA_OBJECT, "Thread Synchronization".
    thread_synchronization for [
        "MEDIA_OBJECT" "Thread Synchronization",
    ] {
        NO_THREAD_SYNCHRONIZATION "No thread synchronization" 0;
        SPAWN_ROOT_THREAD "Thread dispatch is synchronized by the 'spawn root thread' message" 1;
    }
    /// MEDIA_VFE_STATE, "Reset Gateway Timer".
    reset_gateway_timer for [
        "MEDIA_VFE_STATE" "Reset Gateway Timer",
    ] {
        MAINTAIN "Maintaining the existing timestamp state" 0;
        RESET "Resetting relative timer and latching the global timestamp" 1;
    }
    /// MEDIA_VFE_STATE, "Slice Disable".
    slice_disable for [
        "MEDIA_VFE_STATE" "Slice Disable",
    ] {
        ALL_SUBSLICES_ENABLED "All Subslices Enabled" 0;
        ONLY_SLICE_0_ENABLED "Only Slice 0 Enabled" 1;
        ONLY_SLICE_0_SUBSLICE_0_ENABLED "Only Slice 0 Subslice 0 Enabled" 3;
    }
    /// MEDIA_VFE_STATE, "Scoreboard Type".
    scoreboard_type for [
        "MEDIA_VFE_STATE" "Scoreboard Type",
    ] {
        STALLING_SCOREBOARD "Stalling Scoreboard" 0;
        NON_STALLING_SCOREBOARD "Non-Stalling Scoreboard" 1;
    }
    /// PIPELINE_SELECT, "Pipeline Selection".
    pipeline_selection for [
        "PIPELINE_SELECT" "Pipeline Selection",
    ] {
        PIPELINE_3D "3D" 0;
        PIPELINE_MEDIA "Media" 1;
        PIPELINE_GPGPU "GPGPU" 2;
    }
    /// PIPE_CONTROL, "Post Sync Operation".
    post_sync_operation for [
        "PIPE_CONTROL" "Post Sync Operation",
    ] {
        NO_WRITE "No Write" 0;
        WRITE_IMMEDIATE_DATA "Write Immediate Data" 1;
        WRITE_PS_DEPTH_COUNT "Write PS Depth Count" 2;
        WRITE_TIMESTAMP "Write Timestamp" 3;
    }
    /// PIPE_CONTROL, "LRI Post Sync Operation".
    lri_post_sync_operation for [
        "PIPE_CONTROL" "LRI Post Sync Operation",
    ] {
        NO_LRI_OPERATION "No LRI Operation" 0;
        MMIO_WRITE_IMMEDIATE_DATA "MMIO Write Immediate Data" 1;
    }
    /// PIPE_CONTROL, "Destination Address Type" and others.
    destination_address_type for [
        "PIPE_CONTROL" "Destination Address Type",
        "MI_FLUSH_DW" "Destination Address Type",
    ] {
        PPGTT "PPGTT" 0;
        GGTT "GGTT" 1;
    }
    /// MI_ATOMIC, "ATOMIC OPCODE".
    atomic_opcode for [
        "MI_ATOMIC" "ATOMIC OPCODE",
    ] {
        AND "AND" 1;
        OR "OR" 2;
        XOR "XOR" 3;
        MOVE "MOVE" 4;
        INC "INC" 5;
        DEC "DEC" 6;
        ADD "ADD" 7;
        SUB "SUB" 8;
        RSUB "RSUB" 9;
        IMAX "IMAX" 10;
        IMIN "IMIN" 11;
        UMAX "UMAX" 12;
        UMIN "UMIN" 13;
        CMP_WR "CMP_WR" 14;
        PREDEC "PREDEC" 15;
        AND8B "AND8B" 33;
        OR8B "OR8B" 34;
        XOR8B "XOR8B" 35;
        MOVE8B "MOVE8B" 36;
        INC8B "INC8B" 37;
        DEC8B "DEC8B" 38;
        ADD8B "ADD8B" 39;
        SUB8B "SUB8B" 40;
        RSUB8B "RSUB8B" 41;
        IMAX8B "IMAX8B" 42;
        IMIN8B "IMIN8B" 43;
        UMAX8B "UMAX8B" 44;
        UMIN8B "UMIN8B" 45;
        CMP_WR8B "CMP_WR8B" 46;
        PREDEC8B "PREDEC8B" 47;
        CMP_WR16B "CMP_WR16B" 78;
    }
    /// MI_ATOMIC, "Data Size".
    atomic_data_size for [
        "MI_ATOMIC" "Data Size",
    ] {
        DWORD "DWORD" 0;
        QWORD "QWORD" 1;
        OCTWORD "OCTWORD" 2;
        RESERVED "RESERVED" 3;
    }
    /// MI_ATOMIC, "Memory Type" and others.
    memory_type for [
        "MI_ATOMIC" "Memory Type",
        "MI_SEMAPHORE_WAIT" "Memory Type",
    ] {
        PER_PROCESS_GRAPHICS_ADDRESS "Per Process Graphics Address" 0;
        GLOBAL_GRAPHICS_ADDRESS "Global Graphics Address" 1;
    }
    /// MI_BATCH_BUFFER_START, "Address Space Indicator".
    address_space_indicator for [
        "MI_BATCH_BUFFER_START" "Address Space Indicator",
    ] {
        GGTT "GGTT" 0;
        PPGTT "PPGTT" 1;
    }
    /// MI_BATCH_BUFFER_START, "Second Level Batch Buffer".
    second_level_batch_buffer for [
        "MI_BATCH_BUFFER_START" "Second Level Batch Buffer",
    ] {
        FIRST_LEVEL_BATCH "First level batch" 0;
        SECOND_LEVEL_BATCH "Second level batch" 1;
    }
    /// MI_CONDITIONAL_BATCH_BUFFER_END, "Compare Mask Mode".
    compare_mask_mode for [
        "MI_CONDITIONAL_BATCH_BUFFER_END" "Compare Mask Mode",
    ] {
        COMPARE_MASK_MODE_DISABLED "Compare Mask Mode Disabled" 0;
        COMPARE_MASK_MODE_ENABLED "Compare Mask Mode Enabled" 1;
    }
    /// MI_LOAD_SCAN_LINES_EXCL, "Display (Plane) Select".
    scan_lines_excl_plane for [
        "MI_LOAD_SCAN_LINES_EXCL" "Display (Plane) Select",
    ] {
        DISPLAY_PLANE_A "Display Plane A" 0;
        DISPLAY_PLANE_B "Display Plane B" 1;
        DISPLAY_PLANE_C "Display Plane C" 4;
    }
    /// MI_LOAD_SCAN_LINES_INCL, "Display (Plane) Select".
    scan_lines_incl_plane for [
        "MI_LOAD_SCAN_LINES_INCL" "Display (Plane) Select",
    ] {
        DISPLAY_PLANE_1_A "Display Plane 1 A" 0;
        DISPLAY_PLANE_1_B "Display Plane 1 B" 1;
        DISPLAY_PLANE_1_C "Display Plane 1 C" 4;
    }
    /// MI_PREDICATE, "Compare Operation".
    predicate_compare for [
        "MI_PREDICATE" "Compare Operation",
    ] {
        TRUE "TRUE" 0;
        FALSE "FALSE" 1;
        SRCS_EQUAL "SRCS_EQUAL" 2;
        DELTAS_EQUAL "DELTAS_EQUAL" 3;
    }
    /// MI_PREDICATE, "Combine Operation".
    predicate_combine for [
        "MI_PREDICATE" "Combine Operation",
    ] {
        SET "SET" 0;
        AND "AND" 1;
        OR "OR" 2;
        XOR "XOR" 3;
    }
    /// MI_PREDICATE, "Load Operation".
    predicate_load for [
        "MI_PREDICATE" "Load Operation",
    ] {
        KEEP "KEEP" 0;
        LOAD "LOAD" 2;
        LOADINV "LOADINV" 3;
    }
    /// MI_RS_CONTEXT, "Resource Streamer Save".
    resource_streamer_save for [
        "MI_RS_CONTEXT" "Resource Streamer Save",
    ] {
        RESTORE "Restore" 0;
        SAVE "Save" 1;
    }
    /// MI_RS_CONTROL, "Resource Streamer Control".
    resource_streamer_control for [
        "MI_RS_CONTROL" "Resource Streamer Control",
    ] {
        STOP "Stop" 0;
        START "Start" 1;
    }
    /// MI_SEMAPHORE_SIGNAL, "Target Engine Select".
    target_engine_select for [
        "MI_SEMAPHORE_SIGNAL" "Target Engine Select",
    ] {
        RCS "RCS" 0;
        VCS0 "VCS0" 1;
        BCS "BCS" 2;
        VECS "VECS" 3;
        VCS1 "VCS1" 4;
    }
    /// MI_SEMAPHORE_WAIT, "Compare Operation".
    semaphore_compare for [
        "MI_SEMAPHORE_WAIT" "Compare Operation",
    ] {
        SAD_GREATER_THAN_SDD "SAD_GREATER_THAN_SDD" 0;
        SAD_GREATER_THAN_OR_EQUAL_SDD "SAD_GREATER_THAN_OR_EQUAL_SDD" 1;
        SAD_LESS_THAN_SDD "SAD_LESS_THAN_SDD" 2;
        SAD_LESS_THAN_OR_EQUAL_SDD "SAD_LESS_THAN_OR_EQUAL_SDD" 3;
        SAD_EQUAL_SDD "SAD_EQUAL_SDD" 4;
        SAD_NOT_EQUAL_SDD "SAD_NOT_EQUAL_SDD" 5;
    }
    /// MI_SEMAPHORE_WAIT, "Wait Mode".
    wait_mode for [
        "MI_SEMAPHORE_WAIT" "Wait Mode",
    ] {
        POLLING_MODE "Polling Mode" 1;
        SIGNAL_MODE "Signal Mode" 0;
    }
    /// MI_SET_PREDICATE, "PREDICATE ENABLE".
    set_predicate for [
        "MI_SET_PREDICATE" "PREDICATE ENABLE",
    ] {
        NOOP_NEVER "NOOP Never" 0;
        NOOP_ON_RESULT2_CLEAR "NOOP on Result2 clear" 1;
        NOOP_ON_RESULT2_SET "NOOP on Result2 set" 2;
        NOOP_ON_RESULT_CLEAR "NOOP on Result clear" 3;
        NOOP_ON_RESULT_SET "NOOP on Result set" 4;
        ONE_SLICE "Execute when one slice enabled." 5;
        TWO_SLICES "Execute when two slices are enabled." 6;
        THREE_SLICES "Execute when three slices are enabled." 7;
        NOOP_ALWAYS "NOOP Always" 15;
    }
}
