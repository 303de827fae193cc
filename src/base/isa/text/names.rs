//! Names in IGA syntax, for the printer and the parser.

use crate::inst::{CondMod, MathFn, PredCtrl};
use crate::types::Type;

/// The value with this name.
pub fn by_name<T: Copy>(table: &[(T, &str)], name: &str) -> Option<T> {
    table.iter().find(|row| row.1 == name).map(|row| row.0)
}

/// The name of this value; `?` for a value that is not in the table.
pub fn name_of<T: Copy + PartialEq>(table: &[(T, &'static str)], value: T) -> &'static str {
    table
        .iter()
        .find(|row| row.0 == value)
        .map_or("?", |row| row.1)
}

/// Operand types.
pub const TYPES: &[(Type, &str)] = &[
    (Type::Ub, "ub"),
    (Type::B, "b"),
    (Type::Uw, "uw"),
    (Type::W, "w"),
    (Type::Ud, "ud"),
    (Type::D, "d"),
    (Type::Uq, "uq"),
    (Type::Q, "q"),
    (Type::Hf, "hf"),
    (Type::F, "f"),
    (Type::Df, "df"),
    (Type::Nf, "nf"),
    (Type::Uv, "uv"),
    (Type::V, "v"),
    (Type::Vf, "vf"),
];

/// Conditional modifiers; the first spelling of a value is the one printed.
pub const COND_MODS: &[(CondMod, &str)] = &[
    (CondMod::Z, "eq"),
    (CondMod::Nz, "ne"),
    (CondMod::G, "gt"),
    (CondMod::Ge, "ge"),
    (CondMod::L, "lt"),
    (CondMod::Le, "le"),
    (CondMod::O, "ov"),
    (CondMod::U, "un"),
    (CondMod::Z, "ze"),
    (CondMod::Nz, "nz"),
];

/// Predicate forms.
pub const PREDICATES: &[(PredCtrl, &str)] = &[
    (PredCtrl::Normal, ""),
    (PredCtrl::AnyV, "anyv"),
    (PredCtrl::AllV, "allv"),
    (PredCtrl::Any2h, "any2h"),
    (PredCtrl::All2h, "all2h"),
    (PredCtrl::Any4h, "any4h"),
    (PredCtrl::All4h, "all4h"),
    (PredCtrl::Any8h, "any8h"),
    (PredCtrl::All8h, "all8h"),
    (PredCtrl::Any16h, "any16h"),
    (PredCtrl::All16h, "all16h"),
    (PredCtrl::Any32h, "any32h"),
    (PredCtrl::All32h, "all32h"),
    (PredCtrl::X, "x"),
    (PredCtrl::Y, "y"),
    (PredCtrl::Z, "z"),
    (PredCtrl::W, "w"),
    (PredCtrl::Any4hAlign16, "any4hv"),
    (PredCtrl::All4hAlign16, "all4hv"),
];

/// Functions of MATH.
pub const MATH: &[(MathFn, &str)] = &[
    (MathFn::Inv, "inv"),
    (MathFn::Log, "log"),
    (MathFn::Exp, "exp"),
    (MathFn::Sqrt, "sqt"),
    (MathFn::Rsq, "rsqt"),
    (MathFn::Sin, "sin"),
    (MathFn::Cos, "cos"),
    (MathFn::Fdiv, "fdiv"),
    (MathFn::Pow, "pow"),
    (MathFn::IntDivBoth, "idiv"),
    (MathFn::IntDivQuotient, "iqot"),
    (MathFn::IntDivRemainder, "irem"),
    (MathFn::Invm, "invm"),
    (MathFn::Rsqrtm, "rsqtm"),
];

/// Syntax of an architecture register.
pub struct Arf {
    /// High nibble of the register number.
    pub high: u8,
    /// Name without number.
    pub name: &'static str,
    /// True if the low nibble of the register number follows the name.
    pub numbered: bool,
    /// True if the subregister is printed even if it is 0.
    pub sub: bool,
}

const fn arf(high: u8, name: &'static str, numbered: bool, sub: bool) -> Arf {
    Arf {
        high,
        name,
        numbered,
        sub,
    }
}

/// Architecture registers.
pub const ARFS: &[Arf] = &[
    arf(0x0, "null", false, false),
    arf(0x1, "a", true, true),
    arf(0x2, "acc", true, true),
    arf(0x3, "f", true, true),
    arf(0x4, "ce", false, false),
    arf(0x5, "msg", true, true),
    arf(0x6, "sp", false, true),
    arf(0x7, "sr", true, true),
    arf(0x8, "cr", true, true),
    arf(0x9, "n", true, true),
    arf(0xa, "ip", false, false),
    arf(0xb, "tdr", true, true),
    arf(0xc, "tm", true, true),
    arf(0xd, "fc", true, true),
    arf(0xf, "dbg", true, true),
];

/// Number of the first accumulator that is a macro accumulator, `mme0`.
pub const FIRST_MME: u8 = 2;

/// Value of a swizzle or write mask that selects no macro accumulator.
pub const NO_MME: u8 = 8;
