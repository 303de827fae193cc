//! Capabilities that a module declares and this translator lacks: rejects an entry point that uses
//! them.
//!
//! In:  [`Module`] and an entry point. Out: an error that names the first instruction that needs
//!      such a capability.
//! Ref: "SPIR-V Specification", "Capability"; the unified grammar's lists of capabilities.
//!
//! Compilers of shading languages declare more capabilities than a module needs, so that a
//! declaration alone is no reason to reject it. An instruction needs one capability of the list
//! that the grammar has for it, and for each of its enumerants. It is used if it is in a function
//! that the entry point calls, or defines an id that such an instruction refers to, or annotates
//! such an id. Features that are used without a declaration are left to the translation of the
//! instruction, because applications forget declarations too.

use crate::error::Result;
use crate::grammar;
use crate::module::{EntryPoint, Module};
use crate::operands::{operands, requirements};
use crate::reader::{Inst, InstRef};
use crate::supported::is_supported;
use rspirv::grammar::OperandKind as K;
use spirv::Op;

/// The search for what an entry point uses.
struct Search<'m> {
    module: &'m Module,
    /// By id: an instruction that is used defines it or refers to it.
    used: Vec<bool>,
    /// Ids of functions and of globals that are used, in the order in which they were found.
    functions: Vec<u32>,
    globals: Vec<u32>,
}

impl Module {
    /// Rejects `entry` if it uses a capability that the module declares and the translator lacks.
    ///
    /// # Errors
    /// The first such instruction: in functions, then in globals, then in annotations.
    pub(crate) fn check_capabilities(&self, entry: &EntryPoint) -> Result<()> {
        if self.lacking.is_empty() {
            return Ok(());
        }
        let mut search = Search {
            module: self,
            used: vec![false; self.stream.defs.len()],
            functions: Vec::new(),
            globals: Vec::new(),
        };
        search.reach(entry.function);
        let mut next = 0;
        while let Some(&function) = search.functions.get(next) {
            search.function(function)?;
            next += 1;
        }
        next = 0;
        while let Some(&global) = search.globals.get(next) {
            if let Some(r) = self.stream.def(global) {
                search.inst(r)?;
            }
            next += 1;
        }
        search.annotations(entry)
    }
}

impl Search<'_> {
    fn is_used(&self, id: Option<&u32>) -> bool {
        id.is_some_and(|&id| self.used.get(id as usize) == Some(&true))
    }

    /// Marks an id as used.
    fn reach(&mut self, id: u32) {
        let Some(used) = self.used.get_mut(id as usize) else {
            return;
        };
        if !std::mem::replace(used, true) {
            match self.module.function_of.contains_key(&id) {
                true => self.functions.push(id),
                false => self.globals.push(id),
            }
        }
    }

    /// Checks all instructions of a function.
    fn function(&mut self, function: u32) -> Result<()> {
        let stream = &self.module.stream;
        let defs = stream.defs.get(function as usize).copied().unwrap_or(0);
        let first = (defs as usize).saturating_sub(1);
        for r in stream.insts.get(first..).unwrap_or(&[]) {
            if r.op == Op::FunctionEnd {
                break;
            }
            // The definition is checked here, and not again as a global.
            if let Some(used) = self.used.get_mut(r.id as usize) {
                *used = true;
            }
            self.inst(r)?;
        }
        Ok(())
    }

    /// Checks one instruction, and marks the ids that it refers to.
    fn inst(&mut self, r: &InstRef) -> Result<()> {
        let inst = self.module.stream.inst(r);
        if self.module.is_non_semantic(&inst) {
            return Ok(());
        }
        for id in self.check(r, &inst)? {
            self.reach(id);
        }
        Ok(())
    }

    /// Rejects an instruction that needs a capability which is lacking; returns the ids that it
    /// refers to.
    fn check(&self, r: &InstRef, inst: &Inst) -> Result<Vec<u32>> {
        let Some(info) = grammar::by_number(r.op as u32) else {
            return Ok(Vec::new());
        };
        let (start, end) = (r.at as usize + 1, r.at as usize + r.len as usize);
        let words = self.module.stream.words.get(start..end).unwrap_or(&[]);
        let operands = operands(info, words);
        for (operand, needs) in requirements(info, &operands) {
            let declared = needs.iter().find(|c| self.module.lacking.contains(c));
            if let Some(capability) = declared
                && !needs.iter().any(|&c| is_supported(c))
            {
                let what = operand.unwrap_or_else(|| "this instruction".to_owned());
                return inst
                    .loc
                    .unsupported(format!("{what} (capability {capability:?})"));
            }
        }
        let ids = operands.iter().filter(|(kind, _)| {
            matches!(
                kind,
                K::IdResultType | K::IdRef | K::IdScope | K::IdMemorySemantics
            )
        });
        Ok(ids.map(|&(_, id)| id).collect())
    }

    /// Checks the decorations of the ids that are used, the execution modes, and the memory model.
    fn annotations(&mut self, entry: &EntryPoint) -> Result<()> {
        let stream = &self.module.stream;
        for r in &stream.insts {
            let args = stream.inst(r).args;
            let targets = args.get(1..).unwrap_or(&[]);
            let group = match r.op {
                Op::GroupDecorate => targets.iter().any(|id| self.is_used(Some(id))),
                Op::GroupMemberDecorate => {
                    targets.iter().step_by(2).any(|id| self.is_used(Some(id)))
                }
                Op::Function => break,
                _ => false,
            };
            if let Some(&id) = args.first().filter(|_| group)
                && let Some(used) = self.used.get_mut(id as usize)
            {
                *used = true;
            }
        }
        for r in &stream.insts {
            let inst = stream.inst(r);
            let relevant = match r.op {
                Op::MemoryModel => true,
                Op::EntryPoint => inst.args.get(..2) == Some(&[entry.model, entry.function]),
                Op::ExecutionMode | Op::ExecutionModeId => {
                    inst.args.first() == Some(&entry.function)
                }
                Op::Decorate
                | Op::DecorateId
                | Op::DecorateString
                | Op::MemberDecorate
                | Op::MemberDecorateString => self.is_used(inst.args.first()),
                Op::Function => break,
                _ => false,
            };
            if relevant {
                self.check(r, &inst)?;
            }
        }
        Ok(())
    }
}
