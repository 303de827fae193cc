//! Functions being inlined, and the tasks that stand in for recursion.
//!
//! In:  the [`Tree`]s of the entry point and of what it calls. Out: plain data, which `walk` works off.

use crate::cfg::Cfg;
use crate::error::Loc;
use crate::structure::Tree;
use crate::value::Value;
use entity::Id;
use nir::{CfList, Def, Variable};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Control flow of a function.
pub(crate) struct FunctionGraph {
    pub cfg: Cfg,
    pub tree: Tree,
}

/// A function being inlined.
pub(crate) struct Call {
    pub function: u32,
    pub graph: Rc<FunctionGraph>,
    /// Flags of labels.
    pub flags: FxHashMap<u32, Id<Variable>>,
    /// Labels of scopes that something goes to.
    pub reached: FxHashSet<u32>,
    /// Variables of phis that join several paths, by result id.
    pub phis: FxHashMap<u32, Rc<TempVar>>,
    /// Returned value, if one block returns.
    pub result: Option<Value>,
    /// Variable for it, if several do.
    pub result_temp: Option<Rc<TempVar>>,
}

/// Storage for a value of any type that control flow joins.
pub(crate) struct TempVar {
    pub var: Id<Variable>,
    pub ty: u32,
}

/// What is still to be done.
pub(crate) enum Task {
    /// Item `.1` of list `.0` and those after it.
    List(u32, usize),
    /// Instruction `.1` of block `.0` and those after it.
    Code(u32, u32),
    /// Closes a loop.
    EndLoop {
        after: Vec<(u32, bool)>,
    },
    /// Closes the first arm of an `if`, opens the second.
    Else {
        cond: Id<Def>,
        list: u32,
    },
    EndIf {
        cond: Id<Def>,
        then_list: CfList,
    },
    /// Arm `.2` of the switch that ends block `.0`, with the arms' conditions.
    Switch {
        lists: Vec<u32>,
        conds: Vec<Id<Def>>,
        next: usize,
    },
    EndOnlyThen {
        cond: Id<Def>,
    },
    /// After a scope's body: its continuation.
    Continuation {
        label: u32,
        continuation: u32,
        guarded: bool,
    },
    EndCall {
        id: u32,
        ty: u32,
        loc: Loc,
    },
}
