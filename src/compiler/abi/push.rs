//! Push data: the block of constants and driver values, and pushed ranges of uniform buffers.

use crate::descriptor::SamplerTable;

/// A dword of push data that the driver supplies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DriverValue {
    /// Handle of the first descriptor of a set.
    SetHandle {
        /// Number of the set.
        set: u32,
    },
    /// Byte offset of the first descriptor of a set in the heap: its handle shifted right by 6.
    SetPlace {
        /// Number of the set.
        set: u32,
    },
    /// Handle of a dynamic buffer's surface.
    DynamicHandle {
        /// Index among all dynamic buffers of the pipeline layout.
        index: u32,
    },
    /// Handle of the first descriptor of a set plus a constant: the extended descriptor of a
    /// message.
    SetDescriptor {
        /// Number of the set.
        set: u32,
        /// The constant, added modulo 2^32.
        more: u32,
    },
    /// Handle of a dynamic buffer's surface plus a constant: the extended descriptor of a message.
    DynamicDescriptor {
        /// Index among all dynamic buffers of the pipeline layout.
        index: u32,
        /// The constant, added modulo 2^32.
        more: u32,
    },
    /// Samples of a pixel whose coverage the alpha of colour 0 determines; 0: none. Only shaders of
    /// pipelines whose commands set it read it.
    CoverageSamples,
    /// Number of vertices of an input patch. Only shaders of pipelines whose commands set it read
    /// it.
    PatchPoints,
    /// Padding: the value is unused.
    Nothing,
    /// Low (0) or high (1) dword of the address of the three dwords gl_NumWorkGroups.
    NumWorkgroupsAddress {
        /// 0 low, 1 high.
        dword: u32,
    },
    /// Base of vkCmdDispatchBase, component 0..=2.
    BaseWorkgroupId {
        /// x, y, z.
        component: u32,
    },
    /// Low (0) or high (1) dword of the address of the bindless surface heap.
    SurfaceHeapAddress {
        /// 0 low, 1 high.
        dword: u32,
    },
}

/// Maximum number of driver values of a shader.
pub const MAX_DRIVER_VALUES: usize = 64;

/// Maximum number of sums among them ([`DriverValue::SetDescriptor`],
/// [`DriverValue::DynamicDescriptor`]), at any positions.
pub const MAX_DESCRIPTOR_SUMS: usize = 8;

/// Dwords of a register: the unit of push data.
pub const REGISTER_DW: u32 = 8;

/// Maximum number of pushed uniform buffer ranges of a stage: 3DSTATE_CONSTANT has four buffers,
/// one of which is the block.
pub const MAX_PUSHED_RANGES: usize = 3;

/// Maximum number of registers of push data of a stage.
pub const MAX_PUSH_REGISTERS: u32 = 64;

/// The surface of a pushed uniform buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PushedBuffer {
    /// A surface in a set.
    InSet {
        /// Number of the set.
        set: u32,
        /// Byte offset from the set's first descriptor.
        offset_bytes: u32,
    },
    /// A dynamic buffer's surface.
    Dynamic {
        /// Index among all dynamic buffers of the pipeline layout.
        index: u32,
    },
}

/// A range of a uniform buffer that the driver pushes: its bytes, and zeros beyond the buffer's
/// end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PushedRange {
    /// The buffer.
    pub buffer: PushedBuffer,
    /// First register of 32 bytes in the buffer.
    pub first: u32,
    /// Number of registers.
    pub registers: u32,
    /// End of the bytes that the shader reads, from the buffer's start: the rest of the last
    /// register is unused.
    pub end_bytes: u32,
}

/// The block of push data that all threads share, and the uniform buffer ranges after it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct PushData {
    /// First dword of the application's push constants in the block.
    pub constants_first_dw: u32,
    /// Number of dwords of push constants in the block.
    pub constants_dw: u32,
    /// Driver values after the push constants, a dword each.
    pub driver: Vec<DriverValue>,
    /// The stage's sampler table (3DSTATE_SAMPLER_STATE_POINTERS); `None` if no message selects a
    /// sampler by index.
    pub samplers: Option<SamplerTable>,
    /// Ranges of uniform buffers, after the block, at most [`MAX_PUSHED_RANGES`]; none for compute
    /// shaders.
    pub ranges: Vec<PushedRange>,
}

impl PushData {
    /// Number of registers of the block, rounded up.
    pub fn registers(&self) -> u32 {
        (self.constants_dw + self.driver.len() as u32).div_ceil(REGISTER_DW)
    }

    /// Number of registers of the block and the ranges.
    pub fn all_registers(&self) -> u32 {
        let ranges: u32 = self.ranges.iter().map(|range| range.registers).sum();
        self.registers() + ranges
    }
}
