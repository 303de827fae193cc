//! MMIO registers that batches read and write, by offset. Ref: SKL PRM vol. 2c.

/// Low dword of the timestamp counter; the high one follows.
pub const TIMESTAMP: u32 = 0x2358;
/// Primitives of stream 0 that were written to buffers; those of other streams behind it, 8 bytes apart.
pub const SO_NUM_PRIMS_WRITTEN0: u32 = 0x5200;
/// Primitives of stream 0 that would have been, with room enough; those of other streams behind it, 8 bytes apart.
pub const SO_PRIM_STORAGE_NEEDED0: u32 = 0x5240;
/// Where captured vertices go on in buffer 0, in bytes; those of other buffers behind it, 4 bytes apart.
pub const SO_WRITE_OFFSET0: u32 = 0x5280;
/// First of sixteen 64-bit general purpose registers of the command streamer.
pub const CS_GPR0: u32 = 0x2600;
/// Sources of MI_PREDICATE, 64 bits each.
pub const MI_PREDICATE_SRC0: u32 = 0x2400;
/// See [`MI_PREDICATE_SRC0`].
pub const MI_PREDICATE_SRC1: u32 = 0x2408;
/// What the difference of the sources is compared with.
pub const MI_PREDICATE_DATA: u32 = 0x2410;
/// Result of MI_PREDICATE.
pub const MI_PREDICATE_RESULT: u32 = 0x2418;
/// What MI_SET_PREDICATE can look at beside [`MI_PREDICATE_RESULT`].
pub const MI_PREDICATE_RESULT_2: u32 = 0x23bc;
/// Where a 3DPRIMITIVE with End Offset Enable stops reading vertex buffer 0, in bytes (3DPRIM_END_OFFSET).
pub const PRIMITIVE_END_OFFSET: u32 = 0x2420;
/// What an indirect 3DPRIMITIVE draws: its first vertex or index (3DPRIM_START_VERTEX).
pub const PRIMITIVE_START_VERTEX: u32 = 0x2430;
/// Vertices or indices of each instance (3DPRIM_VERTEX_COUNT).
pub const PRIMITIVE_VERTEX_COUNT: u32 = 0x2434;
/// Instances (3DPRIM_INSTANCE_COUNT).
pub const PRIMITIVE_INSTANCE_COUNT: u32 = 0x2438;
/// First instance (3DPRIM_START_INSTANCE).
pub const PRIMITIVE_START_INSTANCE: u32 = 0x243c;
/// What is added to each index (3DPRIM_BASE_VERTEX).
pub const PRIMITIVE_BASE_VERTEX: u32 = 0x2440;
/// Modes of the caches of colours; its upper half is a mask of the bits that a write changes.
pub const CACHE_MODE_1: u32 = 0x7004;
/// Float Blend Optimization Enable, with its mask.
pub const CACHE_MODE_1_FLOAT_BLEND: u32 = 1 << 4 | 1 << 20;
/// Partial Resolve Disable In VC, with its mask.
pub const CACHE_MODE_1_PARTIAL_RESOLVE: u32 = 1 << 1 | 1 << 17;
/// MSC RAW Hazard Avoidance Bit, with its mask.
pub const CACHE_MODE_1_MSC_RAW: u32 = 1 << 9 | 1 << 25;
/// Workgroups of an indirect GPGPU_WALKER: x, then y and z.
pub const GPGPU_DISPATCHDIMX: u32 = 0x2500;
/// See [`GPGPU_DISPATCHDIMX`].
pub const GPGPU_DISPATCHDIMY: u32 = 0x2504;
/// See [`GPGPU_DISPATCHDIMX`].
pub const GPGPU_DISPATCHDIMZ: u32 = 0x2508;
/// Modes of the command streamer; its upper half is a mask of the bits that a write changes.
pub const CS_DEBUG_MODE2: u32 = 0x20d8;
/// CONSTANT_BUFFER Address Offset Disable: the first constant buffer's address is one, not an offset.
pub const CS_DEBUG_MODE2_CONSTANT_ADDRESSES: u32 = 1 << 4;
/// Which pipeline barriers serve (GLK): 0 in GPGPU mode, [`GLK_BARRIER_MODE_3D_HULL`] in 3D mode. A masked register.
pub const SLICE_COMMON_ECO_CHICKEN1: u32 = 0x731c;
/// The field of [`SLICE_COMMON_ECO_CHICKEN1`].
pub const GLK_BARRIER_MODE_3D_HULL: u32 = 1 << 7;
/// The bit that lets [`GLK_BARRIER_MODE_3D_HULL`] be written.
pub const GLK_BARRIER_MODE_MASK: u32 = 1 << 23;
/// L3 partitioning: values are [`crate::L3Division`]'s.
pub const L3CNTLREG: u32 = 0x7034;
/// Shared local memory is carved from the L3.
pub const L3CNTLREG_SLM_ENABLE: u32 = 1;
/// Who has the ways: shared local memory, URB, what is only read, what the data port writes, all.
pub const L3CNTLREG_WAYS: u32 = 0xffff_f8ff;
/// GPGPU L3 Credit Mode Enable.
pub const L3CNTLREG_GPGPU_CREDITS: u32 = 1 << 8;
/// Error Detection Behavior Control.
pub const L3CNTLREG_ERROR_DETECTION: u32 = 1 << 9;
/// Invocations of hull shaders. All counters have 64 bits.
pub const HS_INVOCATION_COUNT: u32 = 0x2300;
/// Invocations of domain shaders.
pub const DS_INVOCATION_COUNT: u32 = 0x2308;
/// Vertices that were assembled.
pub const IA_VERTICES_COUNT: u32 = 0x2310;
/// Primitives that were assembled.
pub const IA_PRIMITIVES_COUNT: u32 = 0x2318;
/// Invocations of vertex shaders.
pub const VS_INVOCATION_COUNT: u32 = 0x2320;
/// Invocations of geometry shaders.
pub const GS_INVOCATION_COUNT: u32 = 0x2328;
/// Primitives that geometry shaders have made.
pub const GS_PRIMITIVES_COUNT: u32 = 0x2330;
/// Primitives that came to be clipped.
pub const CL_INVOCATION_COUNT: u32 = 0x2338;
/// Primitives that clipping has left.
pub const CL_PRIMITIVES_COUNT: u32 = 0x2340;
/// Invocations of pixel shaders.
pub const PS_INVOCATION_COUNT: u32 = 0x2348;
/// Samples that have passed the depth and stencil tests, 64 bits.
pub const PS_DEPTH_COUNT: u32 = 0x2350;
/// Number of compute shader invocations.
pub const CS_INVOCATION_COUNT: u32 = 0x2290;
