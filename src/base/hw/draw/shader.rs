//! Commands of the shader stages before the pixel shader, and of the tables, constants, samplers
//! and URB entries of all stages.
//!
//! Ref: SKL PRM vol. 2a.

use crate::declare::packets;

#[rustfmt::skip]
packets! {
    /// SKL PRM vol. 2a, "3DSTATE_BINDING_TABLE_EDIT_DS".
    state_binding_table_edit_ds "3DSTATE_BINDING_TABLE_EDIT_DS" [Gen9..Gen9] dwords 0 header 0x78460000 mask 0xffff0000 length 0x1ff bias 2 {
        BINDING_TABLE_EDIT_TARGET "Binding Table Edit Target" 32..33 Uint;
        BINDING_TABLE_BLOCK_CLEAR "Binding Table Block Clear" 48..63 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_BINDING_TABLE_EDIT_GS".
    state_binding_table_edit_gs "3DSTATE_BINDING_TABLE_EDIT_GS" [Gen9..Gen9] dwords 0 header 0x78440000 mask 0xffff0000 length 0x1ff bias 2 {
        BINDING_TABLE_EDIT_TARGET "Binding Table Edit Target" 32..33 Uint;
        BINDING_TABLE_BLOCK_CLEAR "Binding Table Block Clear" 48..63 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_BINDING_TABLE_EDIT_HS".
    state_binding_table_edit_hs "3DSTATE_BINDING_TABLE_EDIT_HS" [Gen9..Gen9] dwords 0 header 0x78450000 mask 0xffff0000 length 0x1ff bias 2 {
        BINDING_TABLE_EDIT_TARGET "Binding Table Edit Target" 32..33 Uint;
        BINDING_TABLE_BLOCK_CLEAR "Binding Table Block Clear" 48..63 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_BINDING_TABLE_EDIT_PS".
    state_binding_table_edit_ps "3DSTATE_BINDING_TABLE_EDIT_PS" [Gen9..Gen9] dwords 0 header 0x78470000 mask 0xffff0000 length 0x1ff bias 2 {
        BINDING_TABLE_EDIT_TARGET "Binding Table Edit Target" 32..33 Uint;
        BINDING_TABLE_BLOCK_CLEAR "Binding Table Block Clear" 48..63 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_BINDING_TABLE_EDIT_VS".
    state_binding_table_edit_vs "3DSTATE_BINDING_TABLE_EDIT_VS" [Gen9..Gen9] dwords 0 header 0x78430000 mask 0xffff0000 length 0x1ff bias 2 {
        BINDING_TABLE_EDIT_TARGET "Binding Table Edit Target" 32..33 Uint;
        BINDING_TABLE_BLOCK_CLEAR "Binding Table Block Clear" 48..63 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_BINDING_TABLE_POINTERS_DS".
    state_binding_table_pointers_ds "3DSTATE_BINDING_TABLE_POINTERS_DS" [Gen9..Gen9] dwords 2 header 0x78280000 mask 0xffff0000 length 0xff bias 2 {
        POINTER_TO_DS_BINDING_TABLE "Pointer to DS Binding Table" 37..47 Offset;
    }
    /// SKL PRM vol. 2a, "3DSTATE_BINDING_TABLE_POINTERS_GS".
    state_binding_table_pointers_gs "3DSTATE_BINDING_TABLE_POINTERS_GS" [Gen9..Gen9] dwords 2 header 0x78290000 mask 0xffff0000 length 0xff bias 2 {
        POINTER_TO_GS_BINDING_TABLE "Pointer to GS Binding Table" 37..47 Offset;
    }
    /// SKL PRM vol. 2a, "3DSTATE_BINDING_TABLE_POINTERS_HS".
    state_binding_table_pointers_hs "3DSTATE_BINDING_TABLE_POINTERS_HS" [Gen9..Gen9] dwords 2 header 0x78270000 mask 0xffff0000 length 0xff bias 2 {
        POINTER_TO_HS_BINDING_TABLE "Pointer to HS Binding Table" 37..47 Offset;
    }
    /// SKL PRM vol. 2a, "3DSTATE_BINDING_TABLE_POINTERS_PS".
    state_binding_table_pointers_ps "3DSTATE_BINDING_TABLE_POINTERS_PS" [Gen9..Gen9] dwords 2 header 0x782a0000 mask 0xffff0000 length 0xff bias 2 {
        POINTER_TO_PS_BINDING_TABLE "Pointer to PS Binding Table" 37..47 Offset;
    }
    /// SKL PRM vol. 2a, "3DSTATE_BINDING_TABLE_POINTERS_VS".
    state_binding_table_pointers_vs "3DSTATE_BINDING_TABLE_POINTERS_VS" [Gen9..Gen9] dwords 2 header 0x78260000 mask 0xffff0000 length 0xff bias 2 {
        POINTER_TO_VS_BINDING_TABLE "Pointer to VS Binding Table" 37..47 Offset;
    }
    /// SKL PRM vol. 2a, "3DSTATE_BINDING_TABLE_POOL_ALLOC".
    state_binding_table_pool_alloc "3DSTATE_BINDING_TABLE_POOL_ALLOC" [Gen9..Gen9] dwords 4 header 0x79190002 mask 0xffff0000 length 0xff bias 2 {
        MOCS "MOCS" 32..38 Uint;
        BINDING_TABLE_POOL_ENABLE "Binding Table Pool Enable" 43..43 Bool;
        BINDING_TABLE_POOL_BASE_ADDRESS "Binding Table Pool Base Address" 44..95 Address;
        BINDING_TABLE_POOL_BUFFER_SIZE "Binding Table Pool Buffer Size" 108..127 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_CONSTANT_DS".
    state_constant_ds "3DSTATE_CONSTANT_DS" [Gen9..Gen9] dwords 11 header 0x781a0009 mask 0xffff0000 length 0xff bias 2 {
        MOCS "MOCS" 8..14 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_CONSTANT_GS".
    state_constant_gs "3DSTATE_CONSTANT_GS" [Gen9..Gen9] dwords 11 header 0x78160009 mask 0xffff0000 length 0xff bias 2 {
        MOCS "MOCS" 8..14 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_CONSTANT_HS".
    state_constant_hs "3DSTATE_CONSTANT_HS" [Gen9..Gen9] dwords 11 header 0x78190009 mask 0xffff0000 length 0xff bias 2 {
        MOCS "MOCS" 8..14 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_CONSTANT_PS".
    state_constant_ps "3DSTATE_CONSTANT_PS" [Gen9..Gen9] dwords 11 header 0x78170009 mask 0xffff0000 length 0xff bias 2 {
        MOCS "MOCS" 8..14 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_CONSTANT_VS".
    state_constant_vs "3DSTATE_CONSTANT_VS" [Gen9..Gen9] dwords 11 header 0x78150009 mask 0xffff0000 length 0xff bias 2 {
        MOCS "MOCS" 8..14 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_DS".
    state_ds "3DSTATE_DS" [Gen9..Gen9] dwords 11 header 0x781d0009 mask 0xffff0000 length 0xff bias 2 {
        KERNEL_START_POINTER "Kernel Start Pointer" 38..95 Offset;
        SOFTWARE_EXCEPTION_ENABLE "Software Exception Enable" 103..103 Bool;
        ILLEGAL_OPCODE_EXCEPTION_ENABLE "Illegal Opcode Exception Enable" 109..109 Bool;
        ACCESSES_UAV "Accesses UAV" 110..110 Bool;
        FLOATING_POINT_MODE "Floating Point Mode" 112..112 Uint;
        THREAD_DISPATCH_PRIORITY "Thread Dispatch Priority" 113..113 Uint;
        BINDING_TABLE_ENTRY_COUNT "Binding Table Entry Count" 114..121 Uint;
        SAMPLER_COUNT "Sampler Count" 123..125 Uint;
        VECTOR_MASK_ENABLE "Vector Mask Enable" 126..126 Bool;
        PER_THREAD_SCRATCH_SPACE "Per-Thread Scratch Space" 128..131 Uint;
        SCRATCH_SPACE_BASE_POINTER "Scratch Space Base Pointer" 138..191 Address;
        PATCH_URB_ENTRY_READ_OFFSET "Patch URB Entry Read Offset" 196..201 Uint;
        PATCH_URB_ENTRY_READ_LENGTH "Patch URB Entry Read Length" 203..209 Uint;
        DISPATCH_GRF_START_REGISTER_FOR_URB_DATA "Dispatch GRF Start Register For URB Data" 212..216 Uint;
        ENABLE "Enable" 224..224 Bool;
        CACHE_DISABLE "Cache Disable" 225..225 Bool;
        COMPUTE_W_COORDINATE_ENABLE "Compute W Coordinate Enable" 226..226 Bool;
        DISPATCH_MODE "Dispatch Mode" 227..228 Uint;
        STATISTICS_ENABLE "Statistics Enable" 234..234 Bool;
        MAXIMUM_NUMBER_OF_THREADS "Maximum Number of Threads" 245..253 Uint;
        USER_CLIP_DISTANCE_CULL_TEST_ENABLE_BITMASK "User Clip Distance Cull Test Enable Bitmask" 256..263 Uint;
        USER_CLIP_DISTANCE_CLIP_TEST_ENABLE_BITMASK "User Clip Distance Clip Test Enable Bitmask" 264..271 Uint;
        VERTEX_URB_ENTRY_OUTPUT_LENGTH "Vertex URB Entry Output Length" 272..276 Uint;
        VERTEX_URB_ENTRY_OUTPUT_READ_OFFSET "Vertex URB Entry Output Read Offset" 277..282 Uint;
        DUAL_PATCH_KERNEL_START_POINTER "DUAL_PATCH Kernel Start Pointer" 294..351 Offset;
    }
    /// SKL PRM vol. 2a, "3DSTATE_GATHER_CONSTANT_DS".
    state_gather_constant_ds "3DSTATE_GATHER_CONSTANT_DS" [Gen9..Gen9] dwords 0 header 0x78370000 mask 0xffff0000 length 0xff bias 2 {
        UPDATE_GATHER_TABLE_ONLY "Update Gather Table Only" 33..33 Uint;
        CONSTANT_BUFFER_BINDING_TABLE_BLOCK "Constant Buffer Binding Table Block" 44..47 Uint;
        CONSTANT_BUFFER_VALID "Constant Buffer Valid" 48..63 Uint;
        ON_DIE_TABLE "On-Die Table" 67..67 Uint;
        CONSTANT_BUFFER_DX9_GENERATE_STALL "Constant Buffer Dx9 Generate Stall" 69..69 Bool;
        GATHER_BUFFER_OFFSET "Gather Buffer Offset" 70..86 Offset;
    }
    /// SKL PRM vol. 2a, "3DSTATE_GATHER_CONSTANT_GS".
    state_gather_constant_gs "3DSTATE_GATHER_CONSTANT_GS" [Gen9..Gen9] dwords 0 header 0x78350000 mask 0xffff0000 length 0xff bias 2 {
        UPDATE_GATHER_TABLE_ONLY "Update Gather Table Only" 33..33 Uint;
        CONSTANT_BUFFER_BINDING_TABLE_BLOCK "Constant Buffer Binding Table Block" 44..47 Uint;
        CONSTANT_BUFFER_VALID "Constant Buffer Valid" 48..63 Uint;
        ON_DIE_TABLE "On-Die Table" 67..67 Uint;
        CONSTANT_BUFFER_DX9_GENERATE_STALL "Constant Buffer Dx9 Generate Stall" 69..69 Bool;
        GATHER_BUFFER_OFFSET "Gather Buffer Offset" 70..86 Offset;
    }
    /// SKL PRM vol. 2a, "3DSTATE_GATHER_CONSTANT_HS".
    state_gather_constant_hs "3DSTATE_GATHER_CONSTANT_HS" [Gen9..Gen9] dwords 0 header 0x78360000 mask 0xffff0000 length 0xff bias 2 {
        UPDATE_GATHER_TABLE_ONLY "Update Gather Table Only" 33..33 Uint;
        CONSTANT_BUFFER_BINDING_TABLE_BLOCK "Constant Buffer Binding Table Block" 44..47 Uint;
        CONSTANT_BUFFER_VALID "Constant Buffer Valid" 48..63 Uint;
        ON_DIE_TABLE "On-Die Table" 67..67 Uint;
        CONSTANT_BUFFER_DX9_GENERATE_STALL "Constant Buffer Dx9 Generate Stall" 69..69 Bool;
        GATHER_BUFFER_OFFSET "Gather Buffer Offset" 70..86 Offset;
    }
    /// SKL PRM vol. 2a, "3DSTATE_GATHER_CONSTANT_PS".
    state_gather_constant_ps "3DSTATE_GATHER_CONSTANT_PS" [Gen9..Gen9] dwords 0 header 0x78380000 mask 0xffff0000 length 0xff bias 2 {
        DX9_ON_DIE_REGISTER_READ_ENABLE "DX9 On-Die Register Read Enable" 32..32 Bool;
        UPDATE_GATHER_TABLE_ONLY "Update Gather Table Only" 33..33 Uint;
        CONSTANT_BUFFER_BINDING_TABLE_BLOCK "Constant Buffer Binding Table Block" 44..47 Uint;
        CONSTANT_BUFFER_VALID "Constant Buffer Valid" 48..63 Uint;
        ON_DIE_TABLE "On-Die Table" 67..67 Uint;
        CONSTANT_BUFFER_DX9_ENABLE "Constant Buffer Dx9 Enable" 68..68 Bool;
        CONSTANT_BUFFER_DX9_GENERATE_STALL "Constant Buffer Dx9 Generate Stall" 69..69 Bool;
        GATHER_BUFFER_OFFSET "Gather Buffer Offset" 70..86 Offset;
    }
    /// SKL PRM vol. 2a, "3DSTATE_GATHER_CONSTANT_VS".
    state_gather_constant_vs "3DSTATE_GATHER_CONSTANT_VS" [Gen9..Gen9] dwords 0 header 0x78340000 mask 0xffff0000 length 0xff bias 2 {
        DX9_ON_DIE_REGISTER_READ_ENABLE "DX9 On-Die Register Read Enable" 32..32 Bool;
        UPDATE_GATHER_TABLE_ONLY "Update Gather Table Only" 33..33 Uint;
        CONSTANT_BUFFER_BINDING_TABLE_BLOCK "Constant Buffer Binding Table Block" 44..47 Uint;
        CONSTANT_BUFFER_VALID "Constant Buffer Valid" 48..63 Uint;
        ON_DIE_TABLE "On-Die Table" 67..67 Uint;
        CONSTANT_BUFFER_DX9_ENABLE "Constant Buffer Dx9 Enable" 68..68 Bool;
        CONSTANT_BUFFER_DX9_GENERATE_STALL "Constant Buffer Dx9 Generate Stall" 69..69 Bool;
        GATHER_BUFFER_OFFSET "Gather Buffer Offset" 70..86 Offset;
    }
    /// SKL PRM vol. 2a, "3DSTATE_GATHER_POOL_ALLOC".
    state_gather_pool_alloc "3DSTATE_GATHER_POOL_ALLOC" [Gen9..Gen9] dwords 4 header 0x791a0002 mask 0xffff0000 length 0xff bias 2 {
        MOCS "MOCS" 32..38 Uint;
        GATHER_POOL_ENABLE "Gather Pool Enable" 43..43 Bool;
        GATHER_POOL_BASE_ADDRESS "Gather Pool Base Address" 44..95 Address;
        GATHER_POOL_BUFFER_SIZE "Gather Pool Buffer Size" 108..127 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_GS".
    state_gs "3DSTATE_GS" [Gen9..Gen9] dwords 10 header 0x78110008 mask 0xffff0000 length 0xff bias 2 {
        KERNEL_START_POINTER "Kernel Start Pointer" 38..95 Offset;
        EXPECTED_VERTEX_COUNT "Expected Vertex Count" 96..101 Uint;
        SOFTWARE_EXCEPTION_ENABLE "Software Exception Enable" 103..103 Bool;
        MASK_STACK_EXCEPTION_ENABLE "Mask Stack Exception Enable" 107..107 Bool;
        ACCESSES_UAV "Accesses UAV" 108..108 Bool;
        ILLEGAL_OPCODE_EXCEPTION_ENABLE "Illegal Opcode Exception Enable" 109..109 Bool;
        FLOATING_POINT_MODE "Floating Point Mode" 112..112 Uint;
        THREAD_DISPATCH_PRIORITY "Thread Dispatch Priority" 113..113 Uint;
        BINDING_TABLE_ENTRY_COUNT "Binding Table Entry Count" 114..121 Uint;
        SAMPLER_COUNT "Sampler Count" 123..125 Uint;
        VECTOR_MASK_ENABLE "Vector Mask Enable" 126..126 Bool;
        SINGLE_PROGRAM_FLOW "Single Program Flow" 127..127 Bool;
        PER_THREAD_SCRATCH_SPACE "Per-Thread Scratch Space" 128..131 Uint;
        SCRATCH_SPACE_BASE_POINTER "Scratch Space Base Pointer" 138..191 Address;
        DISPATCH_GRF_START_REGISTER_FOR_URB_DATA "Dispatch GRF Start Register For URB Data" 192..195 Uint;
        VERTEX_URB_ENTRY_READ_OFFSET "Vertex URB Entry Read Offset" 196..201 Uint;
        INCLUDE_VERTEX_HANDLES "Include Vertex Handles" 202..202 Bool;
        VERTEX_URB_ENTRY_READ_LENGTH "Vertex URB Entry Read Length" 203..208 Uint;
        OUTPUT_TOPOLOGY "Output Topology" 209..214 Uint;
        OUTPUT_VERTEX_SIZE "Output Vertex Size" 215..220 Uint;
        DISPATCH_GRF_START_REGISTER_FOR_URB_DATA_5_4 "Dispatch GRF Start Register For URB Data [5:4]" 221..222 Uint;
        ENABLE "Enable" 224..224 Bool;
        DISCARD_ADJACENCY "Discard Adjacency" 225..225 Bool;
        REORDER_MODE "Reorder Mode" 226..226 Uint;
        HINT "Hint" 227..227 Uint;
        INCLUDE_PRIMITIVE_ID "Include Primitive ID" 228..228 Bool;
        INVOCATIONS_INCREMENT_VALUE "Invocations Increment Value" 229..233 Uint;
        STATISTICS_ENABLE "Statistics Enable" 234..234 Bool;
        DISPATCH_MODE "Dispatch Mode" 235..236 Uint;
        DEFAULT_STREAM_ID "Default Stream Id" 237..238 Uint;
        INSTANCE_CONTROL "Instance Control" 239..243 Uint;
        CONTROL_DATA_HEADER_SIZE "Control Data Header Size" 244..247 Uint;
        MAXIMUM_NUMBER_OF_THREADS "Maximum Number of Threads" 256..264 Uint;
        STATIC_OUTPUT_VERTEX_COUNT "Static Output Vertex Count" 272..282 Uint;
        STATIC_OUTPUT "Static Output" 286..286 Bool;
        CONTROL_DATA_FORMAT "Control Data Format" 287..287 Uint;
        USER_CLIP_DISTANCE_CULL_TEST_ENABLE_BITMASK "User Clip Distance Cull Test Enable Bitmask" 288..295 Uint;
        USER_CLIP_DISTANCE_CLIP_TEST_ENABLE_BITMASK "User Clip Distance Clip Test Enable Bitmask" 296..303 Uint;
        VERTEX_URB_ENTRY_OUTPUT_LENGTH "Vertex URB Entry Output Length" 304..308 Uint;
        VERTEX_URB_ENTRY_OUTPUT_READ_OFFSET "Vertex URB Entry Output Read Offset" 309..314 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_HS".
    state_hs "3DSTATE_HS" [Gen9..Gen9] dwords 9 header 0x781b0007 mask 0xffff0000 length 0xff bias 2 {
        SOFTWARE_EXCEPTION_ENABLE "Software Exception Enable" 44..44 Bool;
        ILLEGAL_OPCODE_EXCEPTION_ENABLE "Illegal Opcode Exception Enable" 45..45 Bool;
        FLOATING_POINT_MODE "Floating Point Mode" 48..48 Uint;
        THREAD_DISPATCH_PRIORITY "Thread Dispatch Priority" 49..49 Uint;
        BINDING_TABLE_ENTRY_COUNT "Binding Table Entry Count" 50..57 Uint;
        SAMPLER_COUNT "Sampler Count" 59..61 Uint;
        INSTANCE_COUNT "Instance Count" 64..67 Uint;
        MAXIMUM_NUMBER_OF_THREADS "Maximum Number of Threads" 72..80 Uint;
        STATISTICS_ENABLE "Statistics Enable" 93..93 Bool;
        ENABLE "Enable" 95..95 Bool;
        KERNEL_START_POINTER "Kernel Start Pointer" 102..159 Offset;
        PER_THREAD_SCRATCH_SPACE "Per-Thread Scratch Space" 160..163 Uint;
        SCRATCH_SPACE_BASE_POINTER "Scratch Space Base Pointer" 170..223 Address;
        INCLUDE_PRIMITIVE_ID "Include Primitive ID" 224..224 Bool;
        VERTEX_URB_ENTRY_READ_OFFSET "Vertex URB Entry Read Offset" 228..233 Uint;
        VERTEX_URB_ENTRY_READ_LENGTH "Vertex URB Entry Read Length" 235..240 Uint;
        DISPATCH_MODE "Dispatch Mode" 241..242 Uint;
        DISPATCH_GRF_START_REGISTER_FOR_URB_DATA "Dispatch GRF Start Register For URB Data" 243..247 Uint;
        INCLUDE_VERTEX_HANDLES "Include Vertex Handles" 248..248 Bool;
        ACCESSES_UAV "Accesses UAV" 249..249 Bool;
        VECTOR_MASK_ENABLE "Vector Mask Enable" 250..250 Bool;
        SINGLE_PROGRAM_FLOW "Single Program Flow" 251..251 Bool;
        DISPATCH_GRF_START_REGISTER_FOR_URB_DATA_5 "Dispatch GRF Start Register For URB Data [5]" 252..252 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_PUSH_CONSTANT_ALLOC_DS".
    state_push_constant_alloc_ds "3DSTATE_PUSH_CONSTANT_ALLOC_DS" [Gen9..Gen9] dwords 2 header 0x79140000 mask 0xffff0000 length 0xff bias 2 {
        CONSTANT_BUFFER_SIZE "Constant Buffer Size" 32..37 Uint;
        CONSTANT_BUFFER_OFFSET "Constant Buffer Offset" 48..52 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_PUSH_CONSTANT_ALLOC_GS".
    state_push_constant_alloc_gs "3DSTATE_PUSH_CONSTANT_ALLOC_GS" [Gen9..Gen9] dwords 2 header 0x79150000 mask 0xffff0000 length 0xff bias 2 {
        CONSTANT_BUFFER_SIZE "Constant Buffer Size" 32..37 Uint;
        CONSTANT_BUFFER_OFFSET "Constant Buffer Offset" 48..52 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_PUSH_CONSTANT_ALLOC_HS".
    state_push_constant_alloc_hs "3DSTATE_PUSH_CONSTANT_ALLOC_HS" [Gen9..Gen9] dwords 2 header 0x79130000 mask 0xffff0000 length 0xff bias 2 {
        CONSTANT_BUFFER_SIZE "Constant Buffer Size" 32..37 Uint;
        CONSTANT_BUFFER_OFFSET "Constant Buffer Offset" 48..52 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_PUSH_CONSTANT_ALLOC_PS".
    state_push_constant_alloc_ps "3DSTATE_PUSH_CONSTANT_ALLOC_PS" [Gen9..Gen9] dwords 2 header 0x79160000 mask 0xffff0000 length 0xff bias 2 {
        CONSTANT_BUFFER_SIZE "Constant Buffer Size" 32..37 Uint;
        CONSTANT_BUFFER_OFFSET "Constant Buffer Offset" 48..52 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_PUSH_CONSTANT_ALLOC_VS".
    state_push_constant_alloc_vs "3DSTATE_PUSH_CONSTANT_ALLOC_VS" [Gen9..Gen9] dwords 2 header 0x79120000 mask 0xffff0000 length 0xff bias 2 {
        CONSTANT_BUFFER_SIZE "Constant Buffer Size" 32..37 Uint;
        CONSTANT_BUFFER_OFFSET "Constant Buffer Offset" 48..52 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_RS_CONSTANT_POINTER".
    state_rs_constant_pointer "3DSTATE_RS_CONSTANT_POINTER" [Gen9..Gen9] dwords 4 header 0x78540002 mask 0xffff0000 length 0xff bias 2 {
        OPERATION_LOAD_OR_STORE "Operation Load or Store" 44..44 Uint;
        SHADER_SELECT "Shader Select" 60..62 Uint;
        GLOBAL_CONSTANT_BUFFER_ADDRESS "Global Constant Buffer Address" 70..95 Address;
        GLOBAL_CONSTANT_BUFFER_ADDRESS_HIGH "Global Constant Buffer Address High" 96..127 Address;
    }
    /// SKL PRM vol. 2a, "3DSTATE_SAMPLER_PALETTE_LOAD0".
    state_sampler_palette_load0 "3DSTATE_SAMPLER_PALETTE_LOAD0" [Gen9..Gen9] dwords 0 header 0x79020000 mask 0xffff0000 length 0xff bias 2 {

    }
    /// SKL PRM vol. 2a, "3DSTATE_SAMPLER_PALETTE_LOAD1".
    state_sampler_palette_load1 "3DSTATE_SAMPLER_PALETTE_LOAD1" [Gen9..Gen9] dwords 0 header 0x790c0000 mask 0xffff0000 length 0xff bias 2 {

    }
    /// SKL PRM vol. 2a, "3DSTATE_SAMPLER_STATE_POINTERS_DS".
    state_sampler_state_pointers_ds "3DSTATE_SAMPLER_STATE_POINTERS_DS" [Gen9..Gen9] dwords 2 header 0x782d0000 mask 0xffff0000 length 0xff bias 2 {
        POINTER_TO_DS_SAMPLER_STATE "Pointer to DS Sampler State" 37..63 Offset;
    }
    /// SKL PRM vol. 2a, "3DSTATE_SAMPLER_STATE_POINTERS_GS".
    state_sampler_state_pointers_gs "3DSTATE_SAMPLER_STATE_POINTERS_GS" [Gen9..Gen9] dwords 2 header 0x782e0000 mask 0xffff0000 length 0xff bias 2 {
        POINTER_TO_GS_SAMPLER_STATE "Pointer to GS Sampler State" 37..63 Offset;
    }
    /// SKL PRM vol. 2a, "3DSTATE_SAMPLER_STATE_POINTERS_HS".
    state_sampler_state_pointers_hs "3DSTATE_SAMPLER_STATE_POINTERS_HS" [Gen9..Gen9] dwords 2 header 0x782c0000 mask 0xffff0000 length 0xff bias 2 {
        POINTER_TO_HS_SAMPLER_STATE "Pointer to HS Sampler State" 37..63 Offset;
    }
    /// SKL PRM vol. 2a, "3DSTATE_SAMPLER_STATE_POINTERS_PS".
    state_sampler_state_pointers_ps "3DSTATE_SAMPLER_STATE_POINTERS_PS" [Gen9..Gen9] dwords 2 header 0x782f0000 mask 0xffff0000 length 0xff bias 2 {
        POINTER_TO_PS_SAMPLER_STATE "Pointer to PS Sampler State" 37..63 Offset;
    }
    /// SKL PRM vol. 2a, "3DSTATE_SAMPLER_STATE_POINTERS_VS".
    state_sampler_state_pointers_vs "3DSTATE_SAMPLER_STATE_POINTERS_VS" [Gen9..Gen9] dwords 2 header 0x782b0000 mask 0xffff0000 length 0xff bias 2 {
        POINTER_TO_VS_SAMPLER_STATE "Pointer to VS Sampler State" 37..63 Offset;
    }
    /// SKL PRM vol. 2a, "3DSTATE_TE".
    state_te "3DSTATE_TE" [Gen9..Gen9] dwords 4 header 0x781c0002 mask 0xffff0000 length 0xff bias 2 {
        TE_ENABLE "TE Enable" 32..32 Bool;
        TE_MODE "TE Mode" 33..34 Uint;
        TE_DOMAIN "TE Domain" 36..37 Uint;
        OUTPUT_TOPOLOGY "Output Topology" 40..41 Uint;
        PARTITIONING "Partitioning" 44..45 Uint;
        MAXIMUM_TESSELLATION_FACTOR_ODD "Maximum Tessellation Factor Odd" 64..95 Float;
        MAXIMUM_TESSELLATION_FACTOR_NOT_ODD "Maximum Tessellation Factor Not Odd" 96..127 Float;
    }
    /// SKL PRM vol. 2a, "3DSTATE_URB_CLEAR".
    state_urb_clear "3DSTATE_URB_CLEAR" [Gen9..Gen9] dwords 2 header 0x791d0000 mask 0xffff0000 length 0xff bias 2 {
        URB_ADDRESS "URB Address" 32..46 Offset;
        URB_CLEAR_LENGTH "URB Clear Length" 48..61 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_URB_DS".
    state_urb_ds "3DSTATE_URB_DS" [Gen9..Gen9] dwords 2 header 0x78320000 mask 0xffff0000 length 0xff bias 2 {
        DS_NUMBER_OF_URB_ENTRIES "DS Number of URB Entries" 32..47 Uint;
        DS_URB_ENTRY_ALLOCATION_SIZE "DS URB Entry Allocation Size" 48..56 Uint;
        DS_URB_STARTING_ADDRESS "DS URB Starting Address" 57..63 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_URB_GS".
    state_urb_gs "3DSTATE_URB_GS" [Gen9..Gen9] dwords 2 header 0x78330000 mask 0xffff0000 length 0xff bias 2 {
        GS_NUMBER_OF_URB_ENTRIES "GS Number of URB Entries" 32..47 Uint;
        GS_URB_ENTRY_ALLOCATION_SIZE "GS URB Entry Allocation Size" 48..56 Uint;
        GS_URB_STARTING_ADDRESS "GS URB Starting Address" 57..63 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_URB_HS".
    state_urb_hs "3DSTATE_URB_HS" [Gen9..Gen9] dwords 2 header 0x78310000 mask 0xffff0000 length 0xff bias 2 {
        HS_NUMBER_OF_URB_ENTRIES "HS Number of URB Entries" 32..47 Uint;
        HS_URB_ENTRY_ALLOCATION_SIZE "HS URB Entry Allocation Size" 48..56 Uint;
        HS_URB_STARTING_ADDRESS "HS URB Starting Address" 57..63 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_URB_VS".
    state_urb_vs "3DSTATE_URB_VS" [Gen9..Gen9] dwords 2 header 0x78300000 mask 0xffff0000 length 0xff bias 2 {
        VS_NUMBER_OF_URB_ENTRIES "VS Number of URB Entries" 32..47 Uint;
        VS_URB_ENTRY_ALLOCATION_SIZE "VS URB Entry Allocation Size" 48..56 Uint;
        VS_URB_STARTING_ADDRESS "VS URB Starting Address" 57..63 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_VS".
    state_vs "3DSTATE_VS" [Gen9..Gen9] dwords 9 header 0x78100007 mask 0xffff0000 length 0xff bias 2 {
        KERNEL_START_POINTER "Kernel Start Pointer" 38..95 Offset;
        SOFTWARE_EXCEPTION_ENABLE "Software Exception Enable" 103..103 Bool;
        ACCESSES_UAV "Accesses UAV" 108..108 Bool;
        ILLEGAL_OPCODE_EXCEPTION_ENABLE "Illegal Opcode Exception Enable" 109..109 Bool;
        FLOATING_POINT_MODE "Floating Point Mode" 112..112 Uint;
        THREAD_DISPATCH_PRIORITY "Thread Dispatch Priority" 113..113 Uint;
        BINDING_TABLE_ENTRY_COUNT "Binding Table Entry Count" 114..121 Uint;
        SAMPLER_COUNT "Sampler Count" 123..125 Uint;
        VECTOR_MASK_ENABLE "Vector Mask Enable" 126..126 Bool;
        SINGLE_VERTEX_DISPATCH "Single Vertex Dispatch" 127..127 Bool;
        PER_THREAD_SCRATCH_SPACE "Per-Thread Scratch Space" 128..131 Uint;
        SCRATCH_SPACE_BASE_POINTER "Scratch Space Base Pointer" 138..191 Address;
        VERTEX_URB_ENTRY_READ_OFFSET "Vertex URB Entry Read Offset" 196..201 Uint;
        VERTEX_URB_ENTRY_READ_LENGTH "Vertex URB Entry Read Length" 203..208 Uint;
        DISPATCH_GRF_START_REGISTER_FOR_URB_DATA "Dispatch GRF Start Register For URB Data" 212..216 Uint;
        ENABLE "Enable" 224..224 Bool;
        VERTEX_CACHE_DISABLE "Vertex Cache Disable" 225..225 Bool;
        SIMD8_DISPATCH_ENABLE "SIMD8 Dispatch Enable" 226..226 Bool;
        STATISTICS_ENABLE "Statistics Enable" 234..234 Bool;
        MAXIMUM_NUMBER_OF_THREADS "Maximum Number of Threads" 247..255 Uint;
        USER_CLIP_DISTANCE_CULL_TEST_ENABLE_BITMASK "User Clip Distance Cull Test Enable Bitmask" 256..263 Uint;
        USER_CLIP_DISTANCE_CLIP_TEST_ENABLE_BITMASK "User Clip Distance Clip Test Enable Bitmask" 264..271 Uint;
        VERTEX_URB_ENTRY_OUTPUT_LENGTH "Vertex URB Entry Output Length" 272..276 Uint;
        VERTEX_URB_ENTRY_OUTPUT_READ_OFFSET "Vertex URB Entry Output Read Offset" 277..282 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_CHROMA_KEY".
    state_chroma_key "3DSTATE_CHROMA_KEY" [Gen9..Gen9] dwords 4 header 0x79040002 mask 0xffff0000 length 0xff bias 2 {
        CHROMAKEY_TABLE_INDEX "ChromaKey Table Index" 62..63 Uint;
        CHROMAKEY_LOW_VALUE "ChromaKey Low Value" 64..95 Uint;
        CHROMAKEY_HIGH_VALUE "ChromaKey High Value" 96..127 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_MONOFILTER_SIZE".
    state_monofilter_size "3DSTATE_MONOFILTER_SIZE" [Gen9..Gen9] dwords 2 header 0x79110000 mask 0xffff0000 length 0xff bias 2 {
        MONOCHROME_FILTER_HEIGHT "Monochrome Filter Height" 32..34 Uint;
        MONOCHROME_FILTER_WIDTH "Monochrome Filter Width" 35..37 Uint;
    }
}
