//! Functions being inlined, and the work stack that replaces recursion.
//!
//! In:  the [`Tree`]s of the entry point and of the functions that it calls. Out: plain data, which
//!      `walk` processes.

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
    /// Flag variables, by label.
    pub flags: FxHashMap<u32, Id<Variable>>,
    /// Labels that a translated branch leads to.
    pub reached: FxHashSet<u32>,
    /// Variables of phis, by result id.
    pub phis: FxHashMap<u32, Rc<TempVar>>,
    /// Returned value, if one block returns a value.
    pub result: Option<Value>,
    /// Variable for the returned value, if several blocks do.
    pub result_temp: Option<Rc<TempVar>>,
}

/// A variable for a value of any type that is defined on several paths.
pub(crate) struct TempVar {
    pub var: Id<Variable>,
    pub ty: u32,
}

/// An entry of the work stack.
pub(crate) enum Task {
    /// Translates item `.1` of list `.0` and those after it.
    List(u32, usize),
    /// Translates instruction `.1` of block `.0` and those after it.
    Code(u32, u32),
    /// Closes a loop.
    EndLoop {
        after: Vec<(u32, bool)>,
    },
    /// Closes the then-list of an `if` and opens the else-list.
    Else {
        cond: Id<Def>,
        list: u32,
    },
    EndIf {
        cond: Id<Def>,
        then_list: CfList,
    },
    /// Opens arm `next` of a switch: its list and condition.
    Switch {
        lists: Vec<u32>,
        conds: Vec<Id<Def>>,
        next: usize,
    },
    EndOnlyThen {
        cond: Id<Def>,
    },
    /// Closes a scope's body and begins its continuation.
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
