//! Rules that the opcode table states: what modifies an operation, and its types.

use super::Rule;
use super::facts::Facts;
use crate::inst::CondMod;
use crate::opcode::{CMOD, Class, MODS, Opcode, PRED, SAT, TypeSet, only};
use crate::types::Type;

const PAGE: &str = "the instruction's page";

pub static RULES: &[Rule] = &[
    Rule {
        name: "takes_predicate",
        prm: PAGE,
        text: "only some operations are predicated",
        broken: |f| f.inst.pred.is_some() && !takes(f, PRED),
    },
    Rule {
        name: "takes_condition",
        prm: PAGE,
        text: "only some operations have a conditional modifier",
        broken: |f| f.inst.cmod != CondMod::None && !takes(f, CMOD),
    },
    Rule {
        name: "takes_saturation",
        prm: PAGE,
        text: "only some operations saturate",
        broken: |f| f.inst.saturate && !takes(f, SAT),
    },
    Rule {
        name: "takes_modifiers",
        prm: PAGE,
        text: "only some operations' sources have modifiers",
        broken: |f| {
            let modified = |s: &crate::inst::Src| s.negate || s.abs;
            has_types(f) && !takes(f, MODS) && f.sources().iter().any(modified)
        },
    },
    Rule {
        name: "types",
        prm: PAGE,
        text: "the destination's type goes with each source's",
        broken: |f| {
            let dst = only(f.inst.dst.ty);
            let rows = f.inst.op.info().types;
            let known = |ty| {
                rows.iter()
                    .any(|r| r.0 & dst != 0 && r.1 & expanded(ty) != 0)
            };
            has_types(f) && !f.sources().iter().all(|s| known(s.ty))
        },
    },
];

fn takes(f: &Facts, what: u8) -> bool {
    f.inst.op.info().takes & what != 0
}

fn has_types(f: &Facts) -> bool {
    let arithmetic = matches!(f.class, Class::Basic | Class::Math | Class::ThreeSource);
    // MOVI reads what its address register says.
    arithmetic && f.inst.op != Opcode::Movi && !f.inst.op.info().types.is_empty()
}

/// Vector immediates are what they expand to.
fn expanded(ty: Type) -> TypeSet {
    only(match ty {
        Type::V => Type::W,
        Type::Uv => Type::Uw,
        Type::Vf => Type::F,
        other => other,
    })
}
