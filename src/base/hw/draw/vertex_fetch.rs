//! Commands of vertex fetch: 3DPRIMITIVE, vertex and index buffers.
//!
//! Ref: SKL PRM vol. 2a.

use crate::declare::packets;

#[rustfmt::skip]
packets! {
    /// SKL PRM vol. 2a, "3DPRIMITIVE".
    primitive "3DPRIMITIVE" [Gen9..Gen9] dwords 7 header 0x7b000005 mask 0xffff0000 length 0xff bias 2 {
        PREDICATE_ENABLE "Predicate Enable" 8..8 Bool;
        UAV_COHERENCY_REQUIRED "UAV Coherency Required" 9..9 Bool;
        INDIRECT_PARAMETER_ENABLE "Indirect Parameter Enable" 10..10 Bool;
        PRIMITIVE_TOPOLOGY_TYPE "Primitive Topology Type" 32..37 Uint;
        VERTEX_ACCESS_TYPE "Vertex Access Type" 40..40 Uint;
        END_OFFSET_ENABLE "End Offset Enable" 41..41 Bool;
        VERTEX_COUNT_PER_INSTANCE "Vertex Count Per Instance" 64..95 Uint;
        START_VERTEX_LOCATION "Start Vertex Location" 96..127 Uint;
        INSTANCE_COUNT "Instance Count" 128..159 Uint;
        START_INSTANCE_LOCATION "Start Instance Location" 160..191 Uint;
        BASE_VERTEX_LOCATION "Base Vertex Location" 192..223 Int;
    }
    /// SKL PRM vol. 2a, "3DSTATE_INDEX_BUFFER".
    state_index_buffer "3DSTATE_INDEX_BUFFER" [Gen9..Gen9] dwords 5 header 0x780a0003 mask 0xffff0000 length 0xff bias 2 {
        MOCS "MOCS" 32..38 Uint;
        INDEX_FORMAT "Index Format" 40..41 Uint;
        BUFFER_STARTING_ADDRESS "Buffer Starting Address" 64..127 Address;
        BUFFER_SIZE "Buffer Size" 128..159 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_VERTEX_BUFFERS".
    state_vertex_buffers "3DSTATE_VERTEX_BUFFERS" [Gen9..Gen9] dwords 0 header 0x78080000 mask 0xffff0000 length 0xff bias 2 {

    }
    /// SKL PRM vol. 2a, "3DSTATE_VERTEX_ELEMENTS".
    state_vertex_elements "3DSTATE_VERTEX_ELEMENTS" [Gen9..Gen9] dwords 0 header 0x78090000 mask 0xffff0000 length 0xff bias 2 {

    }
    /// SKL PRM vol. 2a, "3DSTATE_VF".
    state_vf "3DSTATE_VF" [Gen9..Gen9] dwords 2 header 0x780c0000 mask 0xffff0000 length 0xff bias 2 {
        INDEXED_DRAW_CUT_INDEX_ENABLE "Indexed Draw Cut Index Enable" 8..8 Bool;
        COMPONENT_PACKING_ENABLE "Component Packing Enable" 9..9 Bool;
        SEQUENTIAL_DRAW_CUT_INDEX_ENABLE "Sequential Draw Cut Index Enable" 10..10 Bool;
        CUT_INDEX "Cut Index" 32..63 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_VF_COMPONENT_PACKING".
    state_vf_component_packing "3DSTATE_VF_COMPONENT_PACKING" [Gen9..Gen9] dwords 5 header 0x78550003 mask 0xffff0000 length 0xff bias 2 {
        VERTEX_ELEMENT_00_ENABLES "Vertex Element 00 Enables" 32..35 Uint;
        VERTEX_ELEMENT_01_ENABLES "Vertex Element 01 Enables" 36..39 Uint;
        VERTEX_ELEMENT_02_ENABLES "Vertex Element 02 Enables" 40..43 Uint;
        VERTEX_ELEMENT_03_ENABLES "Vertex Element 03 Enables" 44..47 Uint;
        VERTEX_ELEMENT_04_ENABLES "Vertex Element 04 Enables" 48..51 Uint;
        VERTEX_ELEMENT_05_ENABLES "Vertex Element 05 Enables" 52..55 Uint;
        VERTEX_ELEMENT_06_ENABLES "Vertex Element 06 Enables" 56..59 Uint;
        VERTEX_ELEMENT_07_ENABLES "Vertex Element 07 Enables" 60..63 Uint;
        VERTEX_ELEMENT_08_ENABLES "Vertex Element 08 Enables" 64..67 Uint;
        VERTEX_ELEMENT_09_ENABLES "Vertex Element 09 Enables" 68..71 Uint;
        VERTEX_ELEMENT_10_ENABLES "Vertex Element 10 Enables" 72..75 Uint;
        VERTEX_ELEMENT_11_ENABLES "Vertex Element 11 Enables" 76..79 Uint;
        VERTEX_ELEMENT_12_ENABLES "Vertex Element 12 Enables" 80..83 Uint;
        VERTEX_ELEMENT_13_ENABLES "Vertex Element 13 Enables" 84..87 Uint;
        VERTEX_ELEMENT_14_ENABLES "Vertex Element 14 Enables" 88..91 Uint;
        VERTEX_ELEMENT_15_ENABLES "Vertex Element 15 Enables" 92..95 Uint;
        VERTEX_ELEMENT_16_ENABLES "Vertex Element 16 Enables" 96..99 Uint;
        VERTEX_ELEMENT_17_ENABLES "Vertex Element 17 Enables" 100..103 Uint;
        VERTEX_ELEMENT_18_ENABLES "Vertex Element 18 Enables" 104..107 Uint;
        VERTEX_ELEMENT_19_ENABLES "Vertex Element 19 Enables" 108..111 Uint;
        VERTEX_ELEMENT_20_ENABLES "Vertex Element 20 Enables" 112..115 Uint;
        VERTEX_ELEMENT_21_ENABLES "Vertex Element 21 Enables" 116..119 Uint;
        VERTEX_ELEMENT_22_ENABLES "Vertex Element 22 Enables" 120..123 Uint;
        VERTEX_ELEMENT_23_ENABLES "Vertex Element 23 Enables" 124..127 Uint;
        VERTEX_ELEMENT_24_ENABLES "Vertex Element 24 Enables" 128..131 Uint;
        VERTEX_ELEMENT_25_ENABLES "Vertex Element 25 Enables" 132..135 Uint;
        VERTEX_ELEMENT_26_ENABLES "Vertex Element 26 Enables" 136..139 Uint;
        VERTEX_ELEMENT_27_ENABLES "Vertex Element 27 Enables" 140..143 Uint;
        VERTEX_ELEMENT_28_ENABLES "Vertex Element 28 Enables" 144..147 Uint;
        VERTEX_ELEMENT_29_ENABLES "Vertex Element 29 Enables" 148..151 Uint;
        VERTEX_ELEMENT_30_ENABLES "Vertex Element 30 Enables" 152..155 Uint;
        VERTEX_ELEMENT_31_ENABLES "Vertex Element 31 Enables" 156..159 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_VF_INSTANCING".
    state_vf_instancing "3DSTATE_VF_INSTANCING" [Gen9..Gen9] dwords 3 header 0x78490001 mask 0xffff0000 length 0xff bias 2 {
        VERTEX_ELEMENT_INDEX "Vertex Element Index" 32..37 Uint;
        INSTANCING_ENABLE "Instancing Enable" 40..40 Bool;
        INSTANCE_DATA_STEP_RATE "Instance Data Step Rate" 64..95 Uint;
    }
    /// SKL PRM vol. 2a, "3DSTATE_VF_SGVS".
    state_vf_sgvs "3DSTATE_VF_SGVS" [Gen9..Gen9] dwords 2 header 0x784a0000 mask 0xffff0000 length 0xff bias 2 {
        VERTEXID_ELEMENT_OFFSET "VertexID Element Offset" 32..37 Uint;
        VERTEXID_COMPONENT_NUMBER "VertexID Component Number" 45..46 Uint;
        VERTEXID_ENABLE "VertexID Enable" 47..47 Bool;
        INSTANCEID_ELEMENT_OFFSET "InstanceID Element Offset" 48..53 Uint;
        INSTANCEID_COMPONENT_NUMBER "InstanceID Component Number" 61..62 Uint;
        INSTANCEID_ENABLE "InstanceID Enable" 63..63 Bool;
    }
    /// SKL PRM vol. 2a, "3DSTATE_VF_STATISTICS".
    state_vf_statistics "3DSTATE_VF_STATISTICS" [Gen9..Gen9] dwords 1 header 0x680b0000 mask 0xffff0000 length 0x0 bias 1 {
        STATISTICS_ENABLE "Statistics Enable" 0..0 Bool;
    }
    /// SKL PRM vol. 2a, "3DSTATE_VF_TOPOLOGY".
    state_vf_topology "3DSTATE_VF_TOPOLOGY" [Gen9..Gen9] dwords 2 header 0x784b0000 mask 0xffff0000 length 0xff bias 2 {
        PRIMITIVE_TOPOLOGY_TYPE "Primitive Topology Type" 32..37 Uint;
    }
}
