//! Base addresses of a context. Ref: SKL PRM vol. 2a, "STATE_BASE_ADDRESS".

/// Bits of [`BaseAddresses::given`] that any work relies on: all but the indirect and the bindless one.
pub(crate) const RELIED_ON: u8 = 0b01_0111;

/// STATE_BASE_ADDRESS, byte addresses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BaseAddresses {
    pub general: u64,
    pub surface: u64,
    pub dynamic: u64,
    pub indirect: u64,
    pub instruction: u64,
    pub bindless_surface: u64,
    /// Surfaces in the bindless heap minus one, as programmed.
    pub bindless_surfaces: u32,
    /// Those that have been programmed, a bit each: general, surface, dynamic, indirect, instruction, bindless surface.
    pub given: u8,
    /// Pages of the heaps, where they have been programmed.
    pub general_pages: Option<u64>,
    pub dynamic_pages: Option<u64>,
    pub instruction_pages: Option<u64>,
}
