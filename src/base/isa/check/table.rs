//! Rules from the opcode table: modifiers and operand types of an operation.

use super::facts::InstFacts;
use super::rule::Rule;
use crate::inst::{CondMod, Src};
use crate::opcode::{CMOD, EncodingClass, MODS, Opcode, PRED, SAT, TypeSet, set_of};
use crate::types::Type;

const PAGE: &str = "the instruction's page";

pub static RULES: &[Rule] = &[
    Rule {
        name: "takes_predicate",
        prm: PAGE,
        text: "the operation supports predication",
        broken: |f| f.inst.pred.is_some() && !supports(f, PRED),
    },
    Rule {
        name: "takes_condition",
        prm: PAGE,
        text: "the operation supports a conditional modifier",
        broken: |f| f.inst.cmod != CondMod::None && !supports(f, CMOD),
    },
    Rule {
        name: "takes_saturation",
        prm: PAGE,
        text: "the operation supports saturation",
        broken: |f| f.inst.saturate && !supports(f, SAT),
    },
    Rule {
        name: "takes_modifiers",
        prm: PAGE,
        text: "the operation supports source modifiers",
        broken: |f| {
            let modified = |s: &Src| s.negate || s.abs;
            has_types(f) && !supports(f, MODS) && f.sources().iter().any(modified)
        },
    },
    Rule {
        name: "types",
        prm: PAGE,
        text: "the operation supports the destination type with the type of each source",
        broken: |f| {
            let dst = set_of(f.inst.dst.ty);
            let rows = f.inst.op.info().types;
            let supported = |ty| {
                rows.iter()
                    .any(|r| r.0 & dst != 0 && r.1 & expanded(ty) != 0)
            };
            has_types(f) && !f.sources().iter().all(|s| supported(s.ty))
        },
    },
];

fn supports(f: &InstFacts, modifier: u8) -> bool {
    f.inst.op.info().modifiers & modifier != 0
}

fn has_types(f: &InstFacts) -> bool {
    let arithmetic = matches!(
        f.class,
        EncodingClass::Basic | EncodingClass::Math | EncodingClass::ThreeSource
    );
    // The source of MOVI is indirect, and its type is not checked.
    arithmetic && f.inst.op != Opcode::Movi && !f.inst.op.info().types.is_empty()
}

/// The types of a source that the table lists; for vector immediates that of the elements they
/// expand to.
fn expanded(ty: Type) -> TypeSet {
    set_of(match ty {
        Type::V => Type::W,
        Type::Uv => Type::Uw,
        Type::Vf => Type::F,
        other => other,
    })
}
