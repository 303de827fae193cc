//! Base addresses of a context. Ref: SKL PRM vol. 2a, "STATE_BASE_ADDRESS".

/// Bits of [`BaseAddresses::programmed`] that every dispatch and draw needs: all but the indirect
/// and the bindless base.
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
    /// Number of surfaces in the bindless heap, minus one, as programmed.
    pub bindless_surfaces: u32,
    /// Base addresses that have been programmed, one bit each: general, surface, dynamic, indirect,
    /// instruction, bindless surface.
    pub programmed: u8,
    /// Sizes of the heaps in pages; `None` until programmed.
    pub general_pages: Option<u64>,
    pub dynamic_pages: Option<u64>,
    pub instruction_pages: Option<u64>,
}
