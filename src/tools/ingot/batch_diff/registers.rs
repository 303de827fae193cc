//! Names of the registers that batches write, and how their values are compared.
//!
//! Ref: SKL PRM vol. 2c.

use hw::register as r;

/// What a register holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contents {
    /// Modes; the value counts.
    Mode,
    /// Modes; the upper half of a value selects the bits of the lower half that it changes.
    Masked,
    /// Operands and counts, which depend on the program and on addresses.
    Data,
}

/// First and last offset, name, contents.
static REGISTERS: &[(u32, u32, &str, Contents)] = &[
    (0x20c0, 0x20c0, "INSTPM", Contents::Masked),
    (
        r::CS_DEBUG_MODE2,
        r::CS_DEBUG_MODE2,
        "CS_DEBUG_MODE2",
        Contents::Masked,
    ),
    (
        r::CS_INVOCATION_COUNT,
        r::CS_INVOCATION_COUNT + 4,
        "CS_INVOCATION_COUNT",
        Contents::Data,
    ),
    (
        r::HS_INVOCATION_COUNT,
        r::PS_DEPTH_COUNT + 4,
        "statistics counter",
        Contents::Data,
    ),
    (r::TIMESTAMP, r::TIMESTAMP + 4, "TIMESTAMP", Contents::Data),
    (
        r::MI_PREDICATE_RESULT_2,
        r::MI_PREDICATE_RESULT_2,
        "MI_PREDICATE_RESULT_2",
        Contents::Data,
    ),
    (
        r::MI_PREDICATE_SRC0,
        r::MI_PREDICATE_RESULT + 4,
        "MI_PREDICATE operand",
        Contents::Data,
    ),
    (
        r::PRIMITIVE_END_OFFSET,
        r::PRIMITIVE_BASE_VERTEX,
        "3DPRIM operand",
        Contents::Data,
    ),
    (
        r::GPGPU_DISPATCHDIMX,
        r::GPGPU_DISPATCHDIMZ,
        "GPGPU_DISPATCHDIM",
        Contents::Data,
    ),
    (0x2580, 0x2580, "CS_CHICKEN1", Contents::Masked),
    (r::CS_GPR0, r::CS_GPR0 + 0x7c, "CS_GPR", Contents::Data),
    (
        r::SO_NUM_PRIMS_WRITTEN0,
        r::SO_NUM_PRIMS_WRITTEN0 + 0x1c,
        "SO_NUM_PRIMS_WRITTEN",
        Contents::Data,
    ),
    (
        r::SO_PRIM_STORAGE_NEEDED0,
        r::SO_PRIM_STORAGE_NEEDED0 + 0x1c,
        "SO_PRIM_STORAGE_NEEDED",
        Contents::Data,
    ),
    (
        r::SO_WRITE_OFFSET0,
        r::SO_WRITE_OFFSET0 + 0xc,
        "SO_WRITE_OFFSET",
        Contents::Data,
    ),
    (0x7000, 0x7000, "CACHE_MODE_0", Contents::Masked),
    (
        r::CACHE_MODE_1,
        r::CACHE_MODE_1,
        "CACHE_MODE_1",
        Contents::Masked,
    ),
    (0x7008, 0x7008, "GT_MODE", Contents::Masked),
    (
        r::COMMON_SLICE_CHICKEN2,
        r::COMMON_SLICE_CHICKEN2,
        "COMMON_SLICE_CHICKEN2",
        Contents::Masked,
    ),
    (r::L3CNTLREG, r::L3CNTLREG, "L3CNTLREG", Contents::Mode),
    (0x7304, 0x7304, "HDC_CHICKEN1", Contents::Masked),
    (
        r::SLICE_COMMON_ECO_CHICKEN1,
        r::SLICE_COMMON_ECO_CHICKEN1,
        "SLICE_COMMON_ECO_CHICKEN1",
        Contents::Masked,
    ),
    (r::L3SQCREG4, r::L3SQCREG4, "L3SQCREG4", Contents::Mode),
    (0xe400, 0xe400, "TD_CTL", Contents::Mode),
    (0xe404, 0xe404, "TD_CTL2", Contents::Mode),
];

fn row(offset: u32) -> Option<&'static (u32, u32, &'static str, Contents)> {
    let mut rows = REGISTERS.iter();
    rows.find(|row| (row.0..=row.1).contains(&offset))
}

/// Name of a register; a register of modes also has its offset, as other tools name it.
pub fn name(offset: u32) -> String {
    match row(offset) {
        Some((.., name, Contents::Data)) => (*name).to_owned(),
        Some((.., name, _)) => format!("{name} {offset:#x}"),
        None => format!("register {offset:#x}"),
    }
}

/// A value written to a register, for comparison.
pub fn value(offset: u32, value: u32) -> String {
    match row(offset) {
        Some((.., Contents::Data)) => "data".to_owned(),
        Some((.., Contents::Masked)) => {
            format!("{:#x} of mask {:#x}", value & 0xffff, value >> 16)
        }
        _ => format!("{value:#x}"),
    }
}

#[cfg(test)]
mod tests;
