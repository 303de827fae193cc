//! The translator: the state that all instruction families share.
//!
//! In:  nothing. Out: [`Translator`], which `translate` creates and to which each family's file
//!      adds methods.

use crate::emit::Emitter;
use crate::error::Loc;
use crate::inline::{Call, FunctionGraph, Task};
use crate::module::Module;
use crate::types::{MatrixLayout, MemberLayout, TyEntry};
use crate::value::IdState;
use abi::HeapMappings;
use entity::Id;
use nir::{Def, Type, Variable, VariableMode};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use spirv::{BuiltIn, FPFastMathMode};
use std::rc::Rc;

/// Set, binding, mode and type of a variable that stands for descriptors in a heap.
pub(crate) type HeapVariable = (u32, u32, VariableMode, Id<Type>);

/// The state of a translation.
pub(crate) struct Translator<'m> {
    pub module: &'m Module,
    pub emit: Emitter,
    pub types: Vec<Option<TyEntry>>,
    pub member_layouts: FxHashMap<(u32, u32), MemberLayout>,
    pub nir_types: FxHashMap<(u32, bool, MatrixLayout), Id<Type>>,
    /// Nesting depth of the pointer types being translated, to stop at types that contain pointers
    /// to themselves.
    pub pointer_depth: u32,
    /// Where resources are, if the shader uses descriptor heaps.
    pub heap: Option<&'m HeapMappings>,
    /// The variables of `heap`, by set, binding, mode and type.
    pub heap_variables: Vec<(HeapVariable, Id<Variable>)>,
    /// By SpecId: the value, in chunks of 64 bits.
    pub specialization: FxHashMap<u32, SmallVec<[u64; 1]>>,
    pub dispatch_base: bool,
    pub subgroup_size: Option<u32>,
    /// What FPFastMathDefault allows, of all float types together.
    pub fast_math_default: FPFastMathMode,
    /// Outputs are captured by transform feedback (execution mode Xfb).
    pub captures: bool,
    pub builtins: Vec<(BuiltIn, Id<Def>)>,
    /// The state of each id.
    pub id_states: Vec<IdState>,
    /// Control flow of the functions already structurized, by function id.
    pub graphs: FxHashMap<u32, Rc<FunctionGraph>>,
    pub calls: Vec<Call>,
    /// The functions of `calls`.
    pub active_functions: FxHashSet<u32>,
    pub total_calls: usize,
    pub tasks: Vec<Task>,
}

impl Translator<'_> {
    pub fn loc(&self) -> Loc {
        self.emit.loc
    }

    pub fn set_id_state(&mut self, id: u32, state: IdState) {
        if let Some(s) = self.id_states.get_mut(id as usize) {
            *s = state;
        }
    }
}
