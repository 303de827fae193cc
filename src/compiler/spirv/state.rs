//! The state of a translation: what every instruction family reads and writes.
//!
//! In:  nothing yet. Out: [`Tr`], which `translate` begins and which each family's file adds its own methods to.

use crate::call::{Call, Graph, Task};
use crate::emit::Emit;
use crate::error::Loc;
use crate::module::Module;
use crate::types::{MatrixLayout, MemberLayout, TyEntry};
use crate::value::Slot;
use entity::Id;
use nir::{Def, Type};
use rustc_hash::FxHashMap;
use spirv::BuiltIn;
use std::rc::Rc;

/// The state of a translation.
pub(crate) struct Tr<'m> {
    pub m: &'m Module,
    pub e: Emit,
    pub types: Vec<Option<TyEntry>>,
    pub member_layouts: FxHashMap<(u32, u32), MemberLayout>,
    pub nir_types: FxHashMap<(u32, bool, MatrixLayout), Id<Type>>,
    /// Pointer types being made, to stop at types that hold pointers to themselves.
    pub pointers_open: u32,
    pub specialization: FxHashMap<u32, u64>,
    pub dispatch_base: bool,
    pub subgroup_size: Option<u32>,
    /// Outputs are captured (execution mode Xfb).
    pub captures: bool,
    pub builtins: Vec<(BuiltIn, Id<Def>)>,
    /// The value of each id.
    pub slots: Vec<Slot>,
    /// Control flow of the functions already seen.
    pub graphs: FxHashMap<u32, Rc<Graph>>,
    pub calls: Vec<Call>,
    pub total_calls: usize,
    pub tasks: Vec<Task>,
}

impl Tr<'_> {
    pub fn loc(&self) -> Loc {
        self.e.loc
    }

    pub fn slot(&mut self, id: u32, slot: Slot) {
        if let Some(s) = self.slots.get_mut(id as usize) {
            *s = slot;
        }
    }
}
