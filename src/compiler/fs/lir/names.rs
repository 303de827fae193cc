//! The words of the LIR text for types, modifiers and registers, for the printer and the parser.

use hw::Gen;
use isa::{ArfReg, CondMod, MathFn, PredCtrl, Type};

/// A table of values and their words.
type Words<T> = [(T, &'static str)];

pub(super) const TYPES: &Words<Type> = &[
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

pub(super) const COND_MODS: &Words<CondMod> = &[
    (CondMod::Z, "z"),
    (CondMod::Nz, "nz"),
    (CondMod::G, "g"),
    (CondMod::Ge, "ge"),
    (CondMod::L, "l"),
    (CondMod::Le, "le"),
    (CondMod::O, "o"),
    (CondMod::U, "u"),
];

/// Predicate controls besides [`PredCtrl::Normal`], which has no word.
pub(super) const PRED_CTRLS: &Words<PredCtrl> = &[
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
    (PredCtrl::Any4hAlign16, "any4h_align16"),
    (PredCtrl::All4hAlign16, "all4h_align16"),
];

pub(super) const MATH_FNS: &Words<MathFn> = &[
    (MathFn::Inv, "inv"),
    (MathFn::Log, "log"),
    (MathFn::Exp, "exp"),
    (MathFn::Sqrt, "sqrt"),
    (MathFn::Rsq, "rsq"),
    (MathFn::Sin, "sin"),
    (MathFn::Cos, "cos"),
    (MathFn::Fdiv, "fdiv"),
    (MathFn::Pow, "pow"),
    (MathFn::IntDivBoth, "intdivboth"),
    (MathFn::IntDivQuotient, "intdivquotient"),
    (MathFn::IntDivRemainder, "intdivremainder"),
    (MathFn::Invm, "invm"),
    (MathFn::Rsqrtm, "rsqrtm"),
];

pub(super) const ARFS: &Words<ArfReg> = &[
    (ArfReg::Null, "null"),
    (ArfReg::Address, "address"),
    (ArfReg::Accumulator, "accumulator"),
    (ArfReg::Flag, "flag"),
    (ArfReg::ChannelEnable, "channelenable"),
    (ArfReg::MessageControl, "messagecontrol"),
    (ArfReg::StackPointer, "stackpointer"),
    (ArfReg::State, "state"),
    (ArfReg::Control, "control"),
    (ArfReg::Notification, "notification"),
    (ArfReg::InstructionPointer, "instructionpointer"),
    (ArfReg::ThreadDependency, "threaddependency"),
    (ArfReg::Timestamp, "timestamp"),
    (ArfReg::FlowControl, "flowcontrol"),
];

/// Generations with message registers. Those of gen4.5 are like those of gen5.
pub(super) const MRF_GENS: &Words<Gen> = &[
    (Gen::Gen4, "gen4"),
    (Gen::Gen5, "gen5"),
    (Gen::Gen6, "gen6"),
];

/// The word of a value; empty for one that has none.
pub(super) fn word_of<T: Copy + PartialEq>(words: &Words<T>, value: T) -> &'static str {
    let found = words.iter().find(|w| w.0 == value);
    found.map_or("", |w| w.1)
}

/// The value of a word.
#[cfg(any(test, debug_assertions))]
pub(super) fn value_of<T: Copy>(words: &Words<T>, word: &str) -> Option<T> {
    words.iter().find(|w| w.1 == word).map(|w| w.0)
}
