//! Commands of the GPGPU and media pipeline, and those that are common to it and the 3D pipeline.
//!
//! Ref: SKL PRM vol. 2a. Tests: `tests.rs` compares them with genxml.

use crate::declare::packets;

#[rustfmt::skip]
packets! {
    /// SKL PRM vol. 2a, "GPGPU_CSR_BASE_ADDRESS".
    gpgpu_csr_base_address "GPGPU_CSR_BASE_ADDRESS" [Gen9..Gen9] dwords 3 header 0x61040001 mask 0xffff0000 length 0xff bias 2 {
        GPGPU_CSR_BASE_ADDRESS "GPGPU CSR Base Address" 44..95 Address;
    }
    /// SKL PRM vol. 2a, "GPGPU_WALKER".
    gpgpu_walker "GPGPU_WALKER" [Gen9..Gen9] dwords 15 header 0x7105000d mask 0xffff0000 length 0xff bias 2 {
        PREDICATE_ENABLE "Predicate Enable" 8..8 Bool;
        INDIRECT_PARAMETER_ENABLE "Indirect Parameter Enable" 10..10 Bool;
        INTERFACE_DESCRIPTOR_OFFSET "Interface Descriptor Offset" 32..37 Uint;
        INDIRECT_DATA_LENGTH "Indirect Data Length" 64..80 Uint;
        INDIRECT_DATA_START_ADDRESS "Indirect Data Start Address" 102..127 Offset;
        THREAD_WIDTH_COUNTER_MAXIMUM "Thread Width Counter Maximum" 128..133 Uint;
        THREAD_HEIGHT_COUNTER_MAXIMUM "Thread Height Counter Maximum" 136..141 Uint;
        THREAD_DEPTH_COUNTER_MAXIMUM "Thread Depth Counter Maximum" 144..149 Uint;
        SIMD_SIZE "SIMD Size" 158..159 Uint;
        THREAD_GROUP_ID_STARTING_X "Thread Group ID Starting X" 160..191 Uint;
        THREAD_GROUP_ID_X_DIMENSION "Thread Group ID X Dimension" 224..255 Uint;
        THREAD_GROUP_ID_STARTING_Y "Thread Group ID Starting Y" 256..287 Uint;
        THREAD_GROUP_ID_Y_DIMENSION "Thread Group ID Y Dimension" 320..351 Uint;
        THREAD_GROUP_ID_STARTING_RESUME_Z "Thread Group ID Starting/Resume Z" 352..383 Uint;
        THREAD_GROUP_ID_Z_DIMENSION "Thread Group ID Z Dimension" 384..415 Uint;
        RIGHT_EXECUTION_MASK "Right Execution Mask" 416..447 Uint;
        BOTTOM_EXECUTION_MASK "Bottom Execution Mask" 448..479 Uint;
    }
    /// SKL PRM vol. 2a, "MEDIA_CURBE_LOAD".
    media_curbe_load "MEDIA_CURBE_LOAD" [Gen9..Gen9] dwords 4 header 0x70010002 mask 0xffff0000 length 0xffff bias 2 {
        CURBE_TOTAL_DATA_LENGTH "CURBE Total Data Length" 64..80 Uint;
        CURBE_DATA_START_ADDRESS "CURBE Data Start Address" 96..127 Uint;
    }
    /// SKL PRM vol. 2a, "MEDIA_INTERFACE_DESCRIPTOR_LOAD".
    media_interface_descriptor_load "MEDIA_INTERFACE_DESCRIPTOR_LOAD" [Gen9..Gen9] dwords 4 header 0x70020002 mask 0xffff0000 length 0xffff bias 2 {
        INTERFACE_DESCRIPTOR_TOTAL_LENGTH "Interface Descriptor Total Length" 64..80 Uint;
        INTERFACE_DESCRIPTOR_DATA_START_ADDRESS "Interface Descriptor Data Start Address" 96..127 Offset;
    }
    /// SKL PRM vol. 2a, "MEDIA_OBJECT".
    media_object "MEDIA_OBJECT" [Gen9..Gen9] dwords 0 header 0x71000000 mask 0xffff0000 length 0xffff bias 2 {
        INTERFACE_DESCRIPTOR_OFFSET "Interface Descriptor Offset" 32..37 Uint;
        INDIRECT_DATA_LENGTH "Indirect Data Length" 64..80 Uint;
        SUBSLICE_DESTINATION_SELECT "SubSlice Destination Select" 81..82 Uint;
        SLICE_DESTINATION_SELECT "Slice Destination Select" 83..84 Uint;
        USE_SCOREBOARD "Use Scoreboard" 85..85 Uint;
        FORCE_DESTINATION "Force Destination" 86..86 Uint;
        THREAD_SYNCHRONIZATION "Thread Synchronization" 88..88 Uint;
        SLICE_DESTINATION_SELECT_MSBS "Slice Destination Select MSBs" 89..90 Uint;
        CHILDREN_PRESENT "Children Present" 95..95 Bool;
        INDIRECT_DATA_START_ADDRESS "Indirect Data Start Address" 96..127 Address;
        SCOREBOARD_X "Scoreboard X" 128..136 Uint;
        SCOREDBOARD_Y "Scoredboard Y" 144..152 Uint;
        SCOREBOARD_MASK "Scoreboard Mask" 160..167 Uint;
        SCOREBOARD_COLOR "Scoreboard Color" 176..179 Uint;
    }
    /// SKL PRM vol. 2a, "MEDIA_STATE_FLUSH".
    media_state_flush "MEDIA_STATE_FLUSH" [Gen9..Gen9] dwords 2 header 0x70040000 mask 0xffff0000 length 0xffff bias 2 {
        INTERFACE_DESCRIPTOR_OFFSET "Interface Descriptor Offset" 32..37 Uint;
        WATERMARK_REQUIRED "Watermark Required" 38..38 Uint;
        FLUSH_TO_GO "Flush to GO" 39..39 Bool;
    }
    /// SKL PRM vol. 2a, "MEDIA_VFE_STATE".
    media_vfe_state "MEDIA_VFE_STATE" [Gen9..Gen9] dwords 9 header 0x70000007 mask 0xffff0000 length 0xffff bias 2 {
        PER_THREAD_SCRATCH_SPACE "Per Thread Scratch Space" 32..35 Uint;
        STACK_SIZE "Stack Size" 36..39 Uint;
        SCRATCH_SPACE_BASE_POINTER "Scratch Space Base Pointer" 42..79 Address;
        RESET_GATEWAY_TIMER "Reset Gateway Timer" 103..103 Uint;
        NUMBER_OF_URB_ENTRIES "Number of URB Entries" 104..111 Uint;
        MAXIMUM_NUMBER_OF_THREADS "Maximum Number of Threads" 112..127 Uint;
        SLICE_DISABLE "Slice Disable" 128..129 Uint;
        CURBE_ALLOCATION_SIZE "CURBE Allocation Size" 160..175 Uint;
        URB_ENTRY_ALLOCATION_SIZE "URB Entry Allocation Size" 176..191 Uint;
        SCOREBOARD_MASK "Scoreboard Mask" 192..199 Uint;
        SCOREBOARD_TYPE "Scoreboard Type" 222..222 Uint;
        SCOREBOARD_ENABLE "Scoreboard Enable" 223..223 Bool;
        SCOREBOARD_0_DELTA_X "Scoreboard 0 Delta X" 224..227 Int;
        SCOREBOARD_0_DELTA_Y "Scoreboard 0 Delta Y" 228..231 Int;
        SCOREBOARD_1_DELTA_X "Scoreboard 1 Delta X" 232..235 Int;
        SCOREBOARD_1_DELTA_Y "Scoreboard 1 Delta Y" 236..239 Int;
        SCOREBOARD_2_DELTA_X "Scoreboard 2 Delta X" 240..243 Int;
        SCOREBOARD_2_DELTA_Y "Scoreboard 2 Delta Y" 244..247 Int;
        SCOREBOARD_3_DELTA_X "Scoreboard 3 Delta X" 248..251 Int;
        SCOREBOARD_3_DELTA_Y "Scoreboard 3 Delta Y" 252..255 Int;
        SCOREBOARD_4_DELTA_X "Scoreboard 4 Delta X" 256..259 Int;
        SCOREBOARD_4_DELTA_Y "Scoreboard 4 Delta Y" 260..263 Int;
        SCOREBOARD_5_DELTA_X "Scoreboard 5 Delta X" 264..267 Int;
        SCOREBOARD_5_DELTA_Y "Scoreboard 5 Delta Y" 268..271 Int;
        SCOREBOARD_6_DELTA_X "Scoreboard 6 Delta X" 272..275 Int;
        SCOREBOARD_6_DELTA_Y "Scoreboard 6 Delta Y" 276..279 Int;
        SCOREBOARD_7_DELTA_X "Scoreboard 7 Delta X" 280..283 Int;
        SCOREBOARD_7_DELTA_Y "Scoreboard 7 Delta Y" 284..287 Int;
    }
    /// SKL PRM vol. 2a, "PIPELINE_SELECT".
    pipeline_select "PIPELINE_SELECT" [Gen9..Gen9] dwords 1 header 0x69040000 mask 0xffff0000 length 0x0 bias 1 {
        PIPELINE_SELECTION "Pipeline Selection" 0..1 Uint;
        MEDIA_SAMPLER_DOP_CLOCK_GATE_ENABLE "Media Sampler DOP Clock Gate Enable" 4..4 Bool;
        FORCE_MEDIA_AWAKE "Force Media Awake" 5..5 Bool;
        MASK_BITS "Mask Bits" 8..15 Uint;
    }
    /// SKL PRM vol. 2a, "PIPE_CONTROL".
    pipe_control "PIPE_CONTROL" [Gen9..Gen9] dwords 6 header 0x7a000004 mask 0xffff0000 length 0xff bias 2 {
        DEPTH_CACHE_FLUSH_ENABLE "Depth Cache Flush Enable" 32..32 Bool;
        STALL_AT_PIXEL_SCOREBOARD "Stall At Pixel Scoreboard" 33..33 Bool;
        STATE_CACHE_INVALIDATION_ENABLE "State Cache Invalidation Enable" 34..34 Bool;
        CONSTANT_CACHE_INVALIDATION_ENABLE "Constant Cache Invalidation Enable" 35..35 Bool;
        VF_CACHE_INVALIDATION_ENABLE "VF Cache Invalidation Enable" 36..36 Bool;
        DC_FLUSH_ENABLE "DC Flush Enable" 37..37 Bool;
        PIPE_CONTROL_FLUSH_ENABLE "Pipe Control Flush Enable" 39..39 Bool;
        NOTIFY_ENABLE "Notify Enable" 40..40 Bool;
        INDIRECT_STATE_POINTERS_DISABLE "Indirect State Pointers Disable" 41..41 Bool;
        TEXTURE_CACHE_INVALIDATION_ENABLE "Texture Cache Invalidation Enable" 42..42 Bool;
        INSTRUCTION_CACHE_INVALIDATE_ENABLE "Instruction Cache Invalidate Enable" 43..43 Bool;
        RENDER_TARGET_CACHE_FLUSH_ENABLE "Render Target Cache Flush Enable" 44..44 Bool;
        DEPTH_STALL_ENABLE "Depth Stall Enable" 45..45 Bool;
        POST_SYNC_OPERATION "Post Sync Operation" 46..47 Uint;
        GENERIC_MEDIA_STATE_CLEAR "Generic Media State Clear" 48..48 Bool;
        TLB_INVALIDATE "TLB Invalidate" 50..50 Bool;
        GLOBAL_SNAPSHOT_COUNT_RESET "Global Snapshot Count Reset" 51..51 Bool;
        COMMAND_STREAMER_STALL_ENABLE "Command Streamer Stall Enable" 52..52 Bool;
        STORE_DATA_INDEX "Store Data Index" 53..53 Uint;
        LRI_POST_SYNC_OPERATION "LRI Post Sync Operation" 55..55 Uint;
        DESTINATION_ADDRESS_TYPE "Destination Address Type" 56..56 Uint;
        FLUSH_LLC "Flush LLC" 58..58 Bool;
        ADDRESS "Address" 66..111 Address;
        IMMEDIATE_DATA "Immediate Data" 128..191 Uint;
    }
    /// SKL PRM vol. 2a, "STATE_BASE_ADDRESS".
    state_base_address "STATE_BASE_ADDRESS" [Gen9..Gen9] dwords 19 header 0x61010011 mask 0xffff0000 length 0xff bias 2 {
        GENERAL_STATE_BASE_ADDRESS_MODIFY_ENABLE "General State Base Address Modify Enable" 32..32 Bool;
        GENERAL_STATE_MOCS "General State MOCS" 36..42 Uint;
        GENERAL_STATE_BASE_ADDRESS "General State Base Address" 44..95 Address;
        STATELESS_DATA_PORT_ACCESS_MOCS "Stateless Data Port Access MOCS" 112..118 Uint;
        SURFACE_STATE_BASE_ADDRESS_MODIFY_ENABLE "Surface State Base Address Modify Enable" 128..128 Bool;
        SURFACE_STATE_MOCS "Surface State MOCS" 132..138 Uint;
        SURFACE_STATE_BASE_ADDRESS "Surface State Base Address" 140..191 Address;
        DYNAMIC_STATE_BASE_ADDRESS_MODIFY_ENABLE "Dynamic State Base Address Modify Enable" 192..192 Bool;
        DYNAMIC_STATE_MOCS "Dynamic State MOCS" 196..202 Uint;
        DYNAMIC_STATE_BASE_ADDRESS "Dynamic State Base Address" 204..255 Address;
        INDIRECT_OBJECT_BASE_ADDRESS_MODIFY_ENABLE "Indirect Object Base Address Modify Enable" 256..256 Bool;
        INDIRECT_OBJECT_MOCS "Indirect Object MOCS" 260..266 Uint;
        INDIRECT_OBJECT_BASE_ADDRESS "Indirect Object Base Address" 268..319 Address;
        INSTRUCTION_BASE_ADDRESS_MODIFY_ENABLE "Instruction Base Address Modify Enable" 320..320 Bool;
        INSTRUCTION_MOCS "Instruction MOCS" 324..330 Uint;
        INSTRUCTION_BASE_ADDRESS "Instruction Base Address" 332..383 Address;
        GENERAL_STATE_BUFFER_SIZE_MODIFY_ENABLE "General State Buffer Size Modify Enable" 384..384 Bool;
        GENERAL_STATE_BUFFER_SIZE "General State Buffer Size" 396..415 Uint;
        DYNAMIC_STATE_BUFFER_SIZE_MODIFY_ENABLE "Dynamic State Buffer Size Modify Enable" 416..416 Bool;
        DYNAMIC_STATE_BUFFER_SIZE "Dynamic State Buffer Size" 428..447 Uint;
        INDIRECT_OBJECT_BUFFER_SIZE_MODIFY_ENABLE "Indirect Object Buffer Size Modify Enable" 448..448 Bool;
        INDIRECT_OBJECT_BUFFER_SIZE "Indirect Object Buffer Size" 460..479 Uint;
        INSTRUCTION_BUFFER_SIZE_MODIFY_ENABLE "Instruction Buffer size Modify Enable" 480..480 Bool;
        INSTRUCTION_BUFFER_SIZE "Instruction Buffer Size" 492..511 Uint;
        BINDLESS_SURFACE_STATE_BASE_ADDRESS_MODIFY_ENABLE "Bindless Surface State Base Address Modify Enable" 512..512 Bool;
        BINDLESS_SURFACE_STATE_MOCS "Bindless Surface State MOCS" 516..522 Uint;
        BINDLESS_SURFACE_STATE_BASE_ADDRESS "Bindless Surface State Base Address" 524..575 Address;
        BINDLESS_SURFACE_STATE_SIZE "Bindless Surface State Size" 588..607 Uint;
    }
    /// SKL PRM vol. 2a, "STATE_SIP".
    state_sip "STATE_SIP" [Gen9..Gen9] dwords 3 header 0x61020001 mask 0xffff0000 length 0xff bias 2 {
        SYSTEM_INSTRUCTION_POINTER "System Instruction Pointer" 36..95 Offset;
    }
    /// SKL PRM vol. 2a, "STATE_PREFETCH".
    state_prefetch "STATE_PREFETCH" [Gen9..Gen9] dwords 2 header 0x60030000 mask 0xffff0000 length 0xff bias 2 {
        PREFETCH_COUNT "Prefetch Count" 32..34 Uint;
        PREFETCH_POINTER "Prefetch Pointer" 38..63 Address;
    }
}
