//! Offsets of the MMIO registers that batches read and write, and some of their bits. Ref: SKL PRM
//! vol. 2c.

/// Timestamp counter, 64 bits.
pub const TIMESTAMP: u32 = 0x2358;
/// Primitives of stream 0 that were written to buffers. The registers of the other streams follow,
/// 8 bytes apart.
pub const SO_NUM_PRIMS_WRITTEN0: u32 = 0x5200;
/// Primitives of stream 0 that would have been written to sufficiently large buffers. The registers
/// of the other streams follow, 8 bytes apart.
pub const SO_PRIM_STORAGE_NEEDED0: u32 = 0x5240;
/// Offset in stream output buffer 0 of the next vertex, in bytes. The registers of the other
/// buffers follow, 4 bytes apart.
pub const SO_WRITE_OFFSET0: u32 = 0x5280;
/// First of sixteen 64-bit general purpose registers of the command streamer.
pub const CS_GPR0: u32 = 0x2600;
/// Sources of MI_PREDICATE, 64 bits each.
pub const MI_PREDICATE_SRC0: u32 = 0x2400;
/// See [`MI_PREDICATE_SRC0`].
pub const MI_PREDICATE_SRC1: u32 = 0x2408;
/// Value that the difference of the sources is compared with.
pub const MI_PREDICATE_DATA: u32 = 0x2410;
/// Result of MI_PREDICATE.
pub const MI_PREDICATE_RESULT: u32 = 0x2418;
/// Second predicate that MI_SET_PREDICATE can test, besides [`MI_PREDICATE_RESULT`].
pub const MI_PREDICATE_RESULT_2: u32 = 0x23bc;
/// End of the data in vertex buffer 0 for a 3DPRIMITIVE with End Offset Enable, in bytes
/// (3DPRIM_END_OFFSET).
pub const PRIMITIVE_END_OFFSET: u32 = 0x2420;
/// First vertex or index of an indirect 3DPRIMITIVE (3DPRIM_START_VERTEX).
pub const PRIMITIVE_START_VERTEX: u32 = 0x2430;
/// Number of vertices or indices per instance (3DPRIM_VERTEX_COUNT).
pub const PRIMITIVE_VERTEX_COUNT: u32 = 0x2434;
/// Number of instances (3DPRIM_INSTANCE_COUNT).
pub const PRIMITIVE_INSTANCE_COUNT: u32 = 0x2438;
/// First instance (3DPRIM_START_INSTANCE).
pub const PRIMITIVE_START_INSTANCE: u32 = 0x243c;
/// Value that is added to each index (3DPRIM_BASE_VERTEX).
pub const PRIMITIVE_BASE_VERTEX: u32 = 0x2440;
/// Modes of the render cache; a masked register: the upper half selects the bits that a write
/// changes.
pub const CACHE_MODE_1: u32 = 0x7004;
/// Float Blend Optimization Enable, with its mask bit.
pub const CACHE_MODE_1_FLOAT_BLEND: u32 = 1 << 4 | 1 << 20;
/// Partial Resolve Disable In VC, with its mask bit.
pub const CACHE_MODE_1_PARTIAL_RESOLVE: u32 = 1 << 1 | 1 << 17;
/// 4X4 RCPFE-STC Optimization Disable, with its mask bit.
pub const CACHE_MODE_1_NO_4X4_STC: u32 = 1 << 6 | 1 << 22;
/// MSC RAW Hazard Avoidance Bit, with its mask bit.
pub const CACHE_MODE_1_MSC_RAW: u32 = 1 << 9 | 1 << 25;
/// Number of workgroups of an indirect GPGPU_WALKER in x; y and z follow.
pub const GPGPU_DISPATCHDIMX: u32 = 0x2500;
/// See [`GPGPU_DISPATCHDIMX`].
pub const GPGPU_DISPATCHDIMY: u32 = 0x2504;
/// See [`GPGPU_DISPATCHDIMX`].
pub const GPGPU_DISPATCHDIMZ: u32 = 0x2508;
/// Modes of the command streamer; a masked register.
pub const CS_DEBUG_MODE2: u32 = 0x20d8;
/// CONSTANT_BUFFER Address Offset Disable: the first constant buffer has an address, not an offset
/// from a base address.
pub const CS_DEBUG_MODE2_CONSTANT_ADDRESSES: u32 = 1 << 4;
/// Disable Gather at Set Shader, the command streamer's half: see
/// [`COMMON_SLICE_CHICKEN2_NO_GATHER`].
pub const CS_DEBUG_MODE2_NO_GATHER: u32 = 1 << 7;
/// Workaround switches of the slices' common logic; a masked register.
pub const COMMON_SLICE_CHICKEN2: u32 = 0x7014;
/// Disable Gather at Set Shader: push constants are committed by 3DPRIMITIVE, not by the stage's
/// 3DSTATE_BINDING_TABLE_POINTERS_*. Ref: SKL PRM vol. 2a, 3DSTATE_PUSH_CONSTANT_ALLOC_VS.
pub const COMMON_SLICE_CHICKEN2_NO_GATHER: u32 = 1 << 12;
/// The sampler and the pixel back end hash compressed resources alike.
pub const COMMON_SLICE_CHICKEN2_COMPRESSED_HASH: u32 = 1 << 13;
/// Barrier mode (GLK): 0 for the GPGPU pipeline, [`GLK_BARRIER_MODE_3D_HULL`] for the 3D pipeline.
/// A masked register.
pub const SLICE_COMMON_ECO_CHICKEN1: u32 = 0x731c;
/// Barrier mode bit of [`SLICE_COMMON_ECO_CHICKEN1`].
pub const GLK_BARRIER_MODE_3D_HULL: u32 = 1 << 7;
/// Mask bit of [`GLK_BARRIER_MODE_3D_HULL`].
pub const GLK_BARRIER_MODE_MASK: u32 = 1 << 23;
/// Modes of the L3 cache (L3SQCREG4).
pub const L3SQCREG4: u32 = 0xb118;
/// L3 configuration; its values come from [`crate::L3Config::register_value`].
pub const L3CNTLREG: u32 = 0x7034;
/// SLM Enable.
pub const L3CNTLREG_SLM_ENABLE: u32 = 1;
/// All fields that allocate ways: SLM, URB, read-only clients, data cache, all clients.
pub const L3CNTLREG_WAYS: u32 = 0xffff_f8ff;
/// GPGPU L3 Credit Mode Enable.
pub const L3CNTLREG_GPGPU_CREDITS: u32 = 1 << 8;
/// Error Detection Behavior Control.
pub const L3CNTLREG_ERROR_DETECTION: u32 = 1 << 9;
/// Invocations of hull shaders. This and the other counters have 64 bits.
pub const HS_INVOCATION_COUNT: u32 = 0x2300;
/// Invocations of domain shaders.
pub const DS_INVOCATION_COUNT: u32 = 0x2308;
/// Vertices fetched by input assembly.
pub const IA_VERTICES_COUNT: u32 = 0x2310;
/// Primitives assembled by input assembly.
pub const IA_PRIMITIVES_COUNT: u32 = 0x2318;
/// Invocations of vertex shaders.
pub const VS_INVOCATION_COUNT: u32 = 0x2320;
/// Invocations of geometry shaders.
pub const GS_INVOCATION_COUNT: u32 = 0x2328;
/// Primitives output by geometry shaders.
pub const GS_PRIMITIVES_COUNT: u32 = 0x2330;
/// Primitives that entered the clipper.
pub const CL_INVOCATION_COUNT: u32 = 0x2338;
/// Primitives that left the clipper.
pub const CL_PRIMITIVES_COUNT: u32 = 0x2340;
/// Invocations of pixel shaders.
pub const PS_INVOCATION_COUNT: u32 = 0x2348;
/// Samples that passed the depth and stencil tests.
pub const PS_DEPTH_COUNT: u32 = 0x2350;
/// Invocations of compute shaders.
pub const CS_INVOCATION_COUNT: u32 = 0x2290;
