//! Fates of the registers that batches of processes may write.
//!
//! In:  a register, its value, the value that a command writes. Out: the new value, or an error if
//!      it uses something that is not simulated. A register that is not listed is privileged: a
//!      real machine drops the write, strict mode stops.
//! Ref: SKL PRM vol. 2c; `strict/privileged_registers.rs` cites the sources of the list.

use crate::fate::reason::{CHICKEN, GLK_BARRIERS, NOTE, PLACE, PREEMPTION, SCHEDULING};
use crate::fate::table::{Fate, fate};
use eu::StopReason;
use hw::register as r;

/// A range of consecutive registers with equal fates.
#[derive(Clone, Copy, Debug)]
pub struct RegisterRange {
    /// Offset of the first register.
    pub first: u32,
    /// Offset of the last register.
    pub last: u32,
    /// The PRM's name.
    pub name: &'static str,
    /// The upper half of a written value is a mask for the lower half.
    masked: bool,
    /// Bits with a fate of their own.
    bits: &'static [(u32, Fate)],
    /// The fate of the other bits.
    rest: Fate,
}

macro_rules! registers {
    ($($first:expr, $last:expr, $name:literal $($masked:ident)? {
        $($bits:expr => $own:ident $(($($argument:tt)*))?,)* else $rest:ident $(($($more:tt)*))?
    })*) => {
        /// Every register that a batch may write.
        pub static ALL: &[RegisterRange] = &[$(RegisterRange {
            first: $first,
            last: $last,
            name: $name,
            masked: registers!(@masked $($masked)?),
            bits: &[$(($bits, fate!($own $(($($argument)*))?))),*],
            rest: fate!($rest $(($($more)*))?),
        }),*];
    };
    (@masked masked) => { true };
    (@masked) => { false };
}

#[rustfmt::skip]
registers! {
    0x2094, 0x2094, "NOPID" { else inert(NOTE) }
    0x20c0, 0x20c0, "INSTPM" masked { else refused }
    r::CS_DEBUG_MODE2, r::CS_DEBUG_MODE2, "CS_DEBUG_MODE2" masked {
        r::CS_DEBUG_MODE2_CONSTANT_ADDRESSES => modelled,
        r::CS_DEBUG_MODE2_NO_GATHER => modelled,
        else refused
    }
    0x2158, 0x2158, "BB_OFFSET" { else refused }
    0x2248, 0x2248, "CTX_PREEMPT" { else inert(PREEMPTION) }
    r::CS_INVOCATION_COUNT, r::CS_INVOCATION_COUNT + 4, "CS_INVOCATION_COUNT" { else refused }
    0x22c8, 0x22cc, "PS_INVOCATION_COUNT, slice 0" { else refused }
    0x22d8, 0x22dc, "PS_DEPTH_COUNT, slice 0" { else refused }
    0x22f0, 0x22f4, "PS_INVOCATION_COUNT, slice 1" { else refused }
    0x22f8, 0x22fc, "PS_DEPTH_COUNT, slice 1" { else refused }
    r::HS_INVOCATION_COUNT, r::CL_PRIMITIVES_COUNT + 4, "HS_INVOCATION_COUNT to CL_PRIMITIVES_COUNT" { else modelled }
    0x2360, 0x2364, "OA_CTX_CONTROL, OACTXID" { else refused }
    r::MI_PREDICATE_RESULT_2, r::MI_PREDICATE_RESULT_2, "MI_PREDICATE_RESULT_2" { else modelled }
    r::MI_PREDICATE_SRC0, r::MI_PREDICATE_RESULT + 4, "MI_PREDICATE_SRC0 to MI_PREDICATE_RESULT_1" { else modelled }
    r::PRIMITIVE_END_OFFSET, r::PRIMITIVE_END_OFFSET, "3DPRIM_END_OFFSET" { else modelled }
    r::PRIMITIVE_START_VERTEX, r::PRIMITIVE_BASE_VERTEX, "3DPRIM_START_VERTEX to 3DPRIM_BASE_VERTEX" { else modelled }
    0x2448, 0x2454, "PS_INVOCATION_COUNT, PS_DEPTH_COUNT, slice 2" { else refused }
    r::GPGPU_DISPATCHDIMX, r::GPGPU_DISPATCHDIMZ, "GPGPU_DISPATCHDIM" { else modelled }
    0x2580, 0x2580, "CS_CHICKEN1" masked { else inert(PREEMPTION) }
    r::CS_GPR0, r::CS_GPR0 + 0x7c, "CS_GPR" { else modelled }
    0x2b00, 0x2b00, "OA_CONTROL" { else refused }
    r::SO_NUM_PRIMS_WRITTEN0, r::SO_NUM_PRIMS_WRITTEN0 + 0x1c, "SO_NUM_PRIMS_WRITTEN" { else modelled }
    r::SO_PRIM_STORAGE_NEEDED0, r::SO_PRIM_STORAGE_NEEDED0 + 0x1c, "SO_PRIM_STORAGE_NEEDED" { else modelled }
    r::SO_WRITE_OFFSET0, r::SO_WRITE_OFFSET0 + 0xc, "SO_WRITE_OFFSET" { else modelled }
    // STC PMA Optimization Enable.
    0x7000, 0x7000, "CACHE_MODE_0" masked { 1 << 5 => inert(CHICKEN), else refused }
    r::CACHE_MODE_1, r::CACHE_MODE_1, "CACHE_MODE_1" masked {
        r::CACHE_MODE_1_MSC_RAW & 0xffff => ruled("cache-mode"),
        r::CACHE_MODE_1_FLOAT_BLEND & 0xffff => inert(CHICKEN),
        // The kernel sets these two; the rule context-workaround refuses to clear them.
        r::CACHE_MODE_1_PARTIAL_RESOLVE & 0xffff => inert(CHICKEN),
        r::CACHE_MODE_1_NO_4X4_STC & 0xffff => inert(CHICKEN),
        else refused
    }
    0x7008, 0x7008, "GT_MODE" masked { else inert(PLACE) }
    r::COMMON_SLICE_CHICKEN2, r::COMMON_SLICE_CHICKEN2, "COMMON_SLICE_CHICKEN2" masked {
        r::COMMON_SLICE_CHICKEN2_NO_GATHER => modelled,
        else inert(CHICKEN)
    }
    r::L3CNTLREG, r::L3CNTLREG, "L3CNTLREG" {
        r::L3CNTLREG_WAYS => ruled("l3-division"),
        r::L3CNTLREG_GPGPU_CREDITS => inert(SCHEDULING),
        r::L3CNTLREG_ERROR_DETECTION => inert(CHICKEN),
        else refused
    }
    0x7304, 0x7304, "HDC_CHICKEN1" masked { else inert(CHICKEN) }
    r::SLICE_COMMON_ECO_CHICKEN1, r::SLICE_COMMON_ECO_CHICKEN1, "SLICE_COMMON_ECO_CHICKEN1" masked { else inert(GLK_BARRIERS) }
    0x91b8, 0x91c4, "PERFCNT1, PERFCNT2" { else refused }
    r::L3SQCREG4, r::L3SQCREG4, "L3SQCREG4" { else inert(CHICKEN) }
    0xe400, 0xe400, "TD_CTL" { else refused }
    // Which thread of an EU goes first: Intel's compute driver has them take turns.
    0xe404, 0xe404, "TD_CTL2" { 1 << 8 => inert(SCHEDULING), else refused }
}

/// Returns the range that contains a register.
pub fn range_of(offset: u32) -> Option<&'static RegisterRange> {
    let mut all = ALL.iter();
    all.find(|registers| (registers.first..=registers.last).contains(&offset))
}

impl RegisterRange {
    /// Mask of the bits with one of these fates.
    fn among(&self, is: impl Fn(Fate) -> bool) -> u32 {
        let named = self.bits.iter().fold(0, |all, (bits, _)| all | bits);
        let own = self.bits.iter().filter(|(_, fate)| is(*fate));
        let own = own.fold(0, |all, (bits, _)| all | bits);
        own | if is(self.rest) { !named } else { 0 }
    }

    /// True if a unit reads some of its bits.
    #[cfg(test)]
    pub(super) fn is_modelled(&self) -> bool {
        self.among(|fate| fate == Fate::Modelled) != 0
    }

    /// Mask of the bits on which a result may depend.
    pub fn counts(&self) -> u32 {
        let counts = self.among(|fate| !matches!(fate, Fate::Inert(_)));
        match self.masked {
            true => counts & 0xffff | counts << 16,
            false => counts,
        }
    }

    /// The value of the register after a write.
    ///
    /// # Errors
    /// [`StopReason::Unimplemented`] if a refused bit is set.
    pub(crate) fn written(&self, old: u32, value: u32, at: u64) -> Result<u32, StopReason> {
        let mask = if self.masked { value >> 16 } else { u32::MAX };
        let new = old & !mask | value & mask;
        match new & self.among(|fate| fate == Fate::Refused) {
            0 => Ok(new),
            refused => Err(StopReason::Unimplemented {
                what: format!("{}, bits {refused:#x}", self.name),
                at,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_are_in_order_and_bits_have_one_fate() {
        for pair in ALL.windows(2) {
            assert!(pair[0].last < pair[1].first, "{}", pair[1].name);
        }
        for registers in ALL {
            let all: u32 = registers
                .bits
                .iter()
                .map(|(bits, _)| bits.count_ones())
                .sum();
            let named = registers.bits.iter().fold(0, |all, (bits, _)| all | bits);
            assert_eq!(all, named.count_ones(), "{}", registers.name);
            assert!(registers.first.is_multiple_of(4) && registers.last >= registers.first);
        }
    }

    #[test]
    fn write_masks_select_written_register_bits() {
        let mode = range_of(r::CACHE_MODE_1).expect("a row");
        let raw = r::CACHE_MODE_1_MSC_RAW & 0xffff;
        let set = |old, value| mode.written(old, value, 0);
        assert_eq!(set(0, r::CACHE_MODE_1_MSC_RAW), Ok(raw));
        assert_eq!(set(raw, 0x3ff), Ok(raw), "no bit of the mask is set");
        assert_eq!(set(raw, raw << 16), Ok(0));
        assert!(matches!(
            set(0, 1 << 15 | 1 << 31),
            Err(StopReason::Unimplemented { .. })
        ));
        let ignored = 1 << 1 | 1 << 4;
        assert_eq!(mode.counts() & (raw | ignored), raw);
        assert_eq!(mode.counts() >> 16 & (raw | ignored), raw);
        let plain = range_of(r::CS_GPR0 + 0x7c).expect("a row");
        assert_eq!(plain.written(7, 0xffff_0000, 0), Ok(0xffff_0000));
        assert_eq!(
            (plain.counts(), range_of(r::CS_GPR0 + 0x80).is_none()),
            (u32::MAX, true)
        );
        let refused = range_of(0x20c0).expect("a row");
        assert!(refused.written(0, 1 << 6 | 1 << 22, 0).is_err());
        assert_eq!(refused.written(0, 1 << 6, 0), Ok(0));
    }
}
