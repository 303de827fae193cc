//! Commands of the command streamer itself (MI_*).
//!
//! Ref: SKL PRM vol. 2a. Tests: `tests.rs` compares them with genxml.

use crate::declare::packets;

#[rustfmt::skip]
packets! {
    /// SKL PRM vol. 2a, "MI_ARB_CHECK".
    mi_arb_check "MI_ARB_CHECK" [Gen9..Gen9] dwords 1 header 0x02800000 mask 0xff800000 length 0x0 bias 1 {

    }
    /// SKL PRM vol. 2a, "MI_ARB_ON_OFF".
    mi_arb_on_off "MI_ARB_ON_OFF" [Gen9..Gen9] dwords 1 header 0x04000001 mask 0xff800001 length 0x0 bias 1 {

    }
    /// SKL PRM vol. 2a, "MI_ATOMIC".
    mi_atomic "MI_ATOMIC" [Gen9..Gen9] dwords 3 header 0x17800001 mask 0xff800000 length 0xff bias 2 {
        ATOMIC_OPCODE "ATOMIC OPCODE" 8..15 Uint;
        RETURN_DATA_CONTROL "Return Data Control" 16..16 Bool;
        CS_STALL "CS STALL" 17..17 Bool;
        INLINE_DATA "Inline Data" 18..18 Bool;
        DATA_SIZE "Data Size" 19..20 Uint;
        POST_SYNC_OPERATION "Post-Sync Operation" 21..21 Bool;
        MEMORY_TYPE "Memory Type" 22..22 Uint;
        MEMORY_ADDRESS "Memory Address" 34..79 Address;
        OPERAND1_DATA_DWORD_0 "Operand1 Data Dword 0" 96..127 Uint;
        OPERAND2_DATA_DWORD_0 "Operand2 Data Dword 0" 128..159 Uint;
        OPERAND1_DATA_DWORD_1 "Operand1 Data Dword 1" 160..191 Uint;
        OPERAND2_DATA_DWORD_1 "Operand2 Data Dword 1" 192..223 Uint;
        OPERAND1_DATA_DWORD_2 "Operand1 Data Dword 2" 224..255 Uint;
        OPERAND2_DATA_DWORD_2 "Operand2 Data Dword 2" 256..287 Uint;
        OPERAND1_DATA_DWORD_3 "Operand1 Data Dword 3" 288..319 Uint;
        OPERAND2_DATA_DWORD_3 "Operand2 Data Dword 3" 320..351 Uint;
    }
    /// SKL PRM vol. 2a, "MI_BATCH_BUFFER_END".
    mi_batch_buffer_end "MI_BATCH_BUFFER_END" [Gen9..Gen9] dwords 1 header 0x05000000 mask 0xff800000 length 0x0 bias 1 {

    }
    /// SKL PRM vol. 2a, "MI_BATCH_BUFFER_START".
    mi_batch_buffer_start "MI_BATCH_BUFFER_START" [Gen9..Gen9] dwords 3 header 0x18800001 mask 0xff800000 length 0xff bias 2 {
        ADDRESS_SPACE_INDICATOR "Address Space Indicator" 8..8 Uint;
        RESOURCE_STREAMER_ENABLE "Resource Streamer Enable" 10..10 Bool;
        PREDICATION_ENABLE "Predication Enable" 15..15 Bool;
        ADD_OFFSET_ENABLE "Add Offset Enable" 16..16 Bool;
        SECOND_LEVEL_BATCH_BUFFER "Second Level Batch Buffer" 22..22 Uint;
        BATCH_BUFFER_START_ADDRESS "Batch Buffer Start Address" 34..95 Address;
    }
    /// SKL PRM vol. 2a, "MI_CLFLUSH".
    mi_clflush "MI_CLFLUSH" [Gen9..Gen9] dwords 0 header 0x13800000 mask 0xff800000 length 0x3ff bias 2 {
        USE_GLOBAL_GTT "Use Global GTT" 22..22 Bool;
        STARTING_CACHELINE_OFFSET "Starting Cacheline Offset" 38..43 Uint;
        PAGE_BASE_ADDRESS "Page Base Address" 44..79 Address;
    }
    /// SKL PRM vol. 2a, "MI_CONDITIONAL_BATCH_BUFFER_END".
    mi_conditional_batch_buffer_end "MI_CONDITIONAL_BATCH_BUFFER_END" [Gen9..Gen9] dwords 4 header 0x1b000002 mask 0xffa00000 length 0xff bias 2 {
        COMPARE_MASK_MODE "Compare Mask Mode" 19..19 Uint;
        USE_GLOBAL_GTT "Use Global GTT" 22..22 Bool;
        COMPARE_DATA_DWORD "Compare Data Dword" 32..63 Uint;
        COMPARE_ADDRESS "Compare Address" 67..127 Address;
    }
    /// SKL PRM vol. 2a, "MI_COPY_MEM_MEM".
    mi_copy_mem_mem "MI_COPY_MEM_MEM" [Gen9..Gen9] dwords 5 header 0x17000003 mask 0xff800000 length 0xff bias 2 {
        USE_GLOBAL_GTT_DESTINATION "Use Global GTT Destination" 21..21 Bool;
        USE_GLOBAL_GTT_SOURCE "Use Global GTT Source" 22..22 Bool;
        DESTINATION_MEMORY_ADDRESS "Destination Memory Address" 34..95 Address;
        SOURCE_MEMORY_ADDRESS "Source Memory Address" 98..159 Address;
    }
    /// SKL PRM vol. 2a, "MI_FLUSH_DW".
    mi_flush_dw "MI_FLUSH_DW" [Gen9..Gen9] dwords 5 header 0x13000003 mask 0xff800000 length 0x3f bias 2 {
        VIDEO_PIPELINE_CACHE_INVALIDATE "Video Pipeline Cache Invalidate" 7..7 Bool;
        NOTIFY_ENABLE "Notify Enable" 8..8 Bool;
        FLUSH_LLC "Flush LLC" 9..9 Bool;
        POST_SYNC_OPERATION "Post-Sync Operation" 14..15 Uint;
        TLB_INVALIDATE "TLB Invalidate" 18..18 Bool;
        STORE_DATA_INDEX "Store Data Index" 21..21 Uint;
        DESTINATION_ADDRESS_TYPE "Destination Address Type" 34..34 Uint;
        ADDRESS "Address" 35..79 Address;
        IMMEDIATE_DATA "Immediate Data" 96..159 Uint;
    }
    /// SKL PRM vol. 2a, "MI_FORCE_WAKEUP".
    mi_force_wakeup "MI_FORCE_WAKEUP" [Gen9..Gen9] dwords 2 header 0x0e800000 mask 0xff800000 length 0xff bias 2 {
        FORCE_MEDIA_AWAKE "Force Media Awake" 32..32 Uint;
        FORCE_RENDER_AWAKE "Force Render Awake" 33..33 Uint;
        MASK_BITS "Mask Bits" 48..63 Uint;
    }
    /// SKL PRM vol. 2a, "MI_LOAD_REGISTER_IMM".
    mi_load_register_imm "MI_LOAD_REGISTER_IMM" [Gen9..Gen9] dwords 3 header 0x11000001 mask 0xff800000 length 0xff bias 2 {
        BYTE_WRITE_DISABLES "Byte Write Disables" 8..11 Uint;
        REGISTER_OFFSET "Register Offset" 34..54 Offset;
        DATA_DWORD "Data DWord" 64..95 Uint;
    }
    /// SKL PRM vol. 2a, "MI_LOAD_REGISTER_MEM".
    mi_load_register_mem "MI_LOAD_REGISTER_MEM" [Gen9..Gen9] dwords 4 header 0x14800002 mask 0xff800000 length 0xff bias 2 {
        ASYNC_MODE_ENABLE "Async Mode Enable" 21..21 Bool;
        USE_GLOBAL_GTT "Use Global GTT" 22..22 Bool;
        REGISTER_ADDRESS "Register Address" 34..54 Offset;
        MEMORY_ADDRESS "Memory Address" 66..127 Address;
    }
    /// SKL PRM vol. 2a, "MI_LOAD_REGISTER_REG".
    mi_load_register_reg "MI_LOAD_REGISTER_REG" [Gen9..Gen9] dwords 3 header 0x15000001 mask 0xff800000 length 0xff bias 2 {
        SOURCE_REGISTER_ADDRESS "Source Register Address" 34..54 Offset;
        DESTINATION_REGISTER_ADDRESS "Destination Register Address" 66..86 Offset;
    }
    /// SKL PRM vol. 2a, "MI_LOAD_SCAN_LINES_EXCL".
    mi_load_scan_lines_excl "MI_LOAD_SCAN_LINES_EXCL" [Gen9..Gen9] dwords 2 header 0x09800000 mask 0xff800000 length 0x3f bias 2 {
        DISPLAY_PLANE_SELECT "Display (Plane) Select" 19..21 Uint;
        END_SCAN_LINE_NUMBER "End Scan Line Number" 32..44 Uint;
        START_SCAN_LINE_NUMBER "Start Scan Line Number" 48..60 Uint;
    }
    /// SKL PRM vol. 2a, "MI_LOAD_SCAN_LINES_INCL".
    mi_load_scan_lines_incl "MI_LOAD_SCAN_LINES_INCL" [Gen9..Gen9] dwords 2 header 0x09000000 mask 0xff800000 length 0x3f bias 2 {
        SCAN_LINE_EVENT_DONE_FORWARD "Scan Line Event Done Forward" 17..18 Uint;
        DISPLAY_PLANE_SELECT "Display (Plane) Select" 19..21 Uint;
        END_SCAN_LINE_NUMBER "End Scan Line Number" 32..44 Uint;
        START_SCAN_LINE_NUMBER "Start Scan Line Number" 48..60 Uint;
    }
    /// SKL PRM vol. 2a, "MI_LOAD_URB_MEM".
    mi_load_urb_mem "MI_LOAD_URB_MEM" [Gen9..Gen9] dwords 4 header 0x16000002 mask 0xff800000 length 0xff bias 2 {
        URB_ADDRESS "URB Address" 34..46 Uint;
        MEMORY_ADDRESS "Memory Address" 70..127 Address;
    }
    /// SKL PRM vol. 2a, "MI_MATH".
    mi_math "MI_MATH" [Gen9..Gen9] dwords 0 header 0x0d000000 mask 0xff800000 length 0xff bias 2 {

    }
    /// SKL PRM vol. 2a, "MI_NOOP".
    mi_noop "MI_NOOP" [Gen9..Gen9] dwords 1 header 0x00000000 mask 0xff800000 length 0x0 bias 1 {
        IDENTIFICATION_NUMBER "Identification Number" 0..21 Uint;
        IDENTIFICATION_NUMBER_REGISTER_WRITE_ENABLE "Identification Number Register Write Enable" 22..22 Bool;
    }
    /// SKL PRM vol. 2a, "MI_PREDICATE".
    mi_predicate "MI_PREDICATE" [Gen9..Gen9] dwords 1 header 0x06000000 mask 0xff800000 length 0x0 bias 1 {
        COMPARE_OPERATION "Compare Operation" 0..1 Uint;
        COMBINE_OPERATION "Combine Operation" 3..4 Uint;
        LOAD_OPERATION "Load Operation" 6..7 Uint;
    }
    /// SKL PRM vol. 2a, "MI_REPORT_HEAD".
    mi_report_head "MI_REPORT_HEAD" [Gen9..Gen9] dwords 1 header 0x03800000 mask 0xff800000 length 0x0 bias 1 {

    }
    /// SKL PRM vol. 2a, "MI_REPORT_PERF_COUNT".
    mi_report_perf_count "MI_REPORT_PERF_COUNT" [Gen9..Gen9] dwords 4 header 0x14000002 mask 0xff800000 length 0x3f bias 2 {
        USE_GLOBAL_GTT "Use Global GTT" 32..32 Bool;
        CORE_MODE_ENABLE "Core Mode Enable" 36..36 Uint;
        MEMORY_ADDRESS "Memory Address" 38..95 Address;
        REPORT_ID "Report ID" 96..127 Uint;
    }
    /// SKL PRM vol. 2a, "MI_RS_CONTEXT".
    mi_rs_context "MI_RS_CONTEXT" [Gen9..Gen9] dwords 1 header 0x07800000 mask 0xff800000 length 0x0 bias 1 {
        RESOURCE_STREAMER_SAVE "Resource Streamer Save" 0..0 Uint;
    }
    /// SKL PRM vol. 2a, "MI_RS_CONTROL".
    mi_rs_control "MI_RS_CONTROL" [Gen9..Gen9] dwords 1 header 0x03000000 mask 0xff800000 length 0x0 bias 1 {
        RESOURCE_STREAMER_CONTROL "Resource Streamer Control" 0..0 Uint;
    }
    /// SKL PRM vol. 2a, "MI_RS_STORE_DATA_IMM".
    mi_rs_store_data_imm "MI_RS_STORE_DATA_IMM" [Gen9..Gen9] dwords 4 header 0x15800002 mask 0xff800000 length 0xff bias 2 {
        CORE_MODE_ENABLE "Core Mode Enable" 32..32 Uint;
        DESTINATION_ADDRESS "Destination Address" 34..95 Address;
        DATA_DWORD_0 "Data DWord 0" 96..127 Uint;
    }
    /// SKL PRM vol. 2a, "MI_SEMAPHORE_SIGNAL".
    mi_semaphore_signal "MI_SEMAPHORE_SIGNAL" [Gen9..Gen9] dwords 2 header 0x0d800000 mask 0xff800000 length 0xff bias 2 {
        TARGET_ENGINE_SELECT "Target Engine Select" 15..17 Uint;
        POST_SYNC_OPERATION "Post-Sync Operation" 21..21 Bool;
        TARGET_CONTEXT_ID "Target Context ID" 32..63 Uint;
    }
    /// SKL PRM vol. 2a, "MI_SEMAPHORE_WAIT".
    mi_semaphore_wait "MI_SEMAPHORE_WAIT" [Gen9..Gen9] dwords 4 header 0x0e000002 mask 0xff800000 length 0xff bias 2 {
        COMPARE_OPERATION "Compare Operation" 12..14 Uint;
        WAIT_MODE "Wait Mode" 15..15 Uint;
        REGISTER_POLL_MODE "Register Poll Mode" 16..16 Bool;
        MEMORY_TYPE "Memory Type" 22..22 Uint;
        SEMAPHORE_DATA_DWORD "Semaphore Data Dword" 32..63 Uint;
        SEMAPHORE_ADDRESS "Semaphore Address" 66..127 Address;
    }
    /// SKL PRM vol. 2a, "MI_SET_CONTEXT".
    mi_set_context "MI_SET_CONTEXT" [Gen9..Gen9] dwords 2 header 0x0c000000 mask 0xff800000 length 0xff bias 2 {
        RESTORE_INHIBIT "Restore Inhibit" 32..32 Uint;
        FORCE_RESTORE "Force Restore" 33..33 Uint;
        RESOURCE_STREAMER_STATE_RESTORE_ENABLE "Resource Streamer State Restore Enable" 34..34 Bool;
        RESOURCE_STREAMER_STATE_SAVE_ENABLE "Resource Streamer State Save Enable" 35..35 Bool;
        CORE_MODE_ENABLE "Core Mode Enable" 36..36 Bool;
        RESERVED_MUST_BE_1 "Reserved, Must be 1" 40..40 Uint;
        LOGICAL_CONTEXT_ADDRESS "Logical Context Address" 44..63 Address;
    }
    /// SKL PRM vol. 2a, "MI_SET_PREDICATE".
    mi_set_predicate "MI_SET_PREDICATE" [Gen9..Gen9] dwords 1 header 0x00800000 mask 0xff800000 length 0x0 bias 1 {
        PREDICATE_ENABLE "PREDICATE ENABLE" 0..3 Uint;
    }
    /// SKL PRM vol. 2a, "MI_STORE_DATA_IMM".
    mi_store_data_imm "MI_STORE_DATA_IMM" [Gen9..Gen9] dwords 4 header 0x10000002 mask 0xff800000 length 0x3ff bias 2 {
        STORE_QWORD "Store Qword" 21..21 Uint;
        USE_GLOBAL_GTT "Use Global GTT" 22..22 Bool;
        CORE_MODE_ENABLE "Core Mode Enable" 32..32 Uint;
        ADDRESS "Address" 34..79 Address;
        IMMEDIATE_DATA "Immediate Data" 96..159 Uint;
    }
    /// SKL PRM vol. 2a, "MI_STORE_DATA_INDEX".
    mi_store_data_index "MI_STORE_DATA_INDEX" [Gen9..Gen9] dwords 3 header 0x10800001 mask 0xff800000 length 0xff bias 2 {
        USE_PER_PROCESS_HARDWARE_STATUS_PAGE "Use Per-Process Hardware Status Page" 21..21 Uint;
        OFFSET "Offset" 34..43 Uint;
        DATA_DWORD_0 "Data DWord 0" 64..95 Uint;
        DATA_DWORD_1 "Data DWord 1" 96..127 Uint;
    }
    /// SKL PRM vol. 2a, "MI_STORE_REGISTER_MEM".
    mi_store_register_mem "MI_STORE_REGISTER_MEM" [Gen9..Gen9] dwords 4 header 0x12000002 mask 0xff800000 length 0xff bias 2 {
        PREDICATE_ENABLE "Predicate Enable" 21..21 Bool;
        USE_GLOBAL_GTT "Use Global GTT" 22..22 Bool;
        REGISTER_ADDRESS "Register Address" 34..54 Offset;
        MEMORY_ADDRESS "Memory Address" 66..127 Address;
    }
    /// SKL PRM vol. 2a, "MI_STORE_URB_MEM".
    mi_store_urb_mem "MI_STORE_URB_MEM" [Gen9..Gen9] dwords 4 header 0x16800002 mask 0xff800000 length 0xff bias 2 {
        URB_ADDRESS "URB Address" 34..46 Uint;
        MEMORY_ADDRESS "Memory Address" 70..127 Address;
    }
    /// SKL PRM vol. 2a, "MI_SUSPEND_FLUSH".
    mi_suspend_flush "MI_SUSPEND_FLUSH" [Gen9..Gen9] dwords 1 header 0x05800000 mask 0xff800000 length 0x0 bias 1 {
        SUSPEND_FLUSH "Suspend Flush" 0..0 Bool;
    }
    /// SKL PRM vol. 2a, "MI_TOPOLOGY_FILTER".
    mi_topology_filter "MI_TOPOLOGY_FILTER" [Gen9..Gen9] dwords 1 header 0x06800000 mask 0xff800000 length 0x0 bias 1 {
        TOPOLOGY_FILTER_VALUE "Topology Filter Value" 0..5 Uint;
    }
    /// SKL PRM vol. 2a, "MI_URB_ATOMIC_ALLOC".
    mi_urb_atomic_alloc "MI_URB_ATOMIC_ALLOC" [Gen9..Gen9] dwords 1 header 0x04800000 mask 0xff800000 length 0x0 bias 1 {
        URB_ATOMIC_STORAGE_SIZE "URB Atomic Storage Size" 0..8 Uint;
        URB_ATOMIC_STORAGE_OFFSET "URB Atomic Storage Offset" 12..19 Uint;
    }
    /// SKL PRM vol. 2a, "MI_USER_INTERRUPT".
    mi_user_interrupt "MI_USER_INTERRUPT" [Gen9..Gen9] dwords 1 header 0x01000000 mask 0xff800000 length 0x0 bias 1 {

    }
    /// SKL PRM vol. 2a, "MI_WAIT_FOR_EVENT".
    mi_wait_for_event "MI_WAIT_FOR_EVENT" [Gen9..Gen9] dwords 1 header 0x01800000 mask 0xff800000 length 0x0 bias 1 {
        DISPLAY_PLNAE_1_A_SCAN_LINE_WAIT_ENABLE "Display Plnae 1 A Scan Line Wait Enable" 0..0 Bool;
        DISPLAY_PLANE_1_FLIP_PENDING_WAIT_ENABLE "Display Plane 1 Flip Pending Wait Enable" 1..1 Bool;
        DISPLAY_PLANE_4_FLIP_PENDING_WAIT_ENABLE "Display Plane 4 Flip Pending Wait Enable" 2..2 Bool;
        DISPLAY_PLANE_1_A_VERTICAL_BLANK_WAIT_ENABLE "Display Plane 1 A Vertical Blank Wait Enable" 3..3 Bool;
        DISPLAY_PLANE_7_FLIP_PENDING_WAIT_ENABLE "Display Plane 7 Flip Pending Wait Enable" 6..6 Bool;
        DISPLAY_PLANE_8_FLIP_PENDING_WAIT_ENABLE "Display Plane 8 Flip Pending Wait Enable" 7..7 Bool;
        DISPLAY_PLANE_1_B_SCAN_LINE_WAIT_ENABLE "Display Plane 1 B Scan Line Wait Enable" 8..8 Bool;
        DISPLAY_PLANE_2_FLIP_PENDING_WAIT_ENABLE "Display Plane 2 Flip Pending Wait Enable" 9..9 Bool;
        DISPLAY_PLANE_5_FLIP_PENDING_WAIT_ENABLE "Display Plane 5 Flip Pending Wait Enable" 10..10 Bool;
        DISPLAY_PLANE_1_B_VERTICAL_BLANK_WAIT_ENABLE "Display Plane 1 B Vertical Blank Wait Enable" 11..11 Bool;
        DISPLAY_PLANE_1_C_SCAN_LINE_WAIT_ENABLE "Display Plane 1 C Scan Line Wait Enable" 14..14 Bool;
        DISPLAY_PLANE_3_FLIP_PENDING_WAIT_ENABLE "Display Plane 3 Flip Pending Wait Enable" 15..15 Bool;
        DISPLAY_PLANE_9_FLIP_PENDING_WAIT_ENABLE "Display Plane 9 Flip Pending Wait Enable" 16..16 Bool;
        DISPLAY_PLANE_10_FLIP_PENDING_WAIT_ENABLE "Display Plane 10 Flip Pending Wait Enable" 17..17 Bool;
        DISPLAY_PLANE_11_FLIP_PENDING_WAIT_ENABLE "Display Plane 11 Flip Pending Wait Enable" 18..18 Bool;
        DISPLAY_PLANE_12_FLIP_PENDING_WAIT_ENABLE "Display Plane 12 Flip Pending Wait Enable" 19..19 Bool;
        DISPLAY_PLANE_6_FLIP_PENDING_WAIT_ENABLE "Display Plane 6 Flip Pending Wait Enable" 20..20 Bool;
        DISPLAY_PLANE_1_C_VERTICAL_BLANK_WAIT_ENABLE "Display Plane 1 C Vertical Blank Wait Enable" 21..21 Bool;
    }
}
