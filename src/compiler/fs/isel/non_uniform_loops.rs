//! Non-uniform loads that share a waterfall loop.
//!
//! In:  loads of a block through one divergent buffer handle, from memory that is not written
//! meanwhile.
//! Out: the loop of the first load sends the messages of all loads whose offsets are known there;
//! the others emit no code.
//! Ref: Vulkan, "Shader Non-Uniform". Tests: tests/fs/isel/non_uniform_loads.nir.

use super::context::Isel;
use super::surface::Surface;
use entity::Id;
use nir::{Access, CfEvent, Def, Instr, Intrinsic, IntrinsicOp};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Limit of the registers that the loads of one loop fill, since all are live when it ends.
const MAX_REGISTERS: u8 = 16;

/// A loop that further loads may join.
struct OpenLoop {
    handle: Id<Def>,
    first: Id<Def>,
    /// Index of the first load in its block.
    index: usize,
    components: u8,
}

impl Isel<'_> {
    /// Finds loads that can share a waterfall loop.
    pub(super) fn find_shared_loops(&mut self, layout: &[CfEvent]) {
        let sh = self.sh;
        let max_components = MAX_REGISTERS / (self.b.width() / 8);
        for event in layout {
            let CfEvent::Block(b) = *event else { continue };
            let loads = sh.blocks[b]
                .instrs
                .iter()
                .filter(|id| match &sh.instrs[**id] {
                    Instr::Intrinsic(i) => self.is_non_uniform_load(i),
                    _ => false,
                });
            if loads.count() < 2 {
                continue;
            }
            let mut open: SmallVec<[OpenLoop; 2]> = SmallVec::new();
            let mut defined_at: FxHashMap<Id<Def>, usize> = FxHashMap::default();
            for (index, &id) in sh.blocks[b].instrs.iter().enumerate() {
                let Some(def) = sh.instrs[id].def() else {
                    continue;
                };
                defined_at.insert(def, index);
                let Instr::Intrinsic(i) = &sh.instrs[id] else {
                    continue;
                };
                if !self.is_non_uniform_load(i) {
                    continue;
                }
                let (handle, offset) = (i.srcs[0], i.srcs[1]);
                let components = sh.defs[def].num_components;
                let joined = open.iter_mut().find(|o| {
                    let is_before = defined_at
                        .get(&offset)
                        .is_none_or(|offset| *offset < o.index);
                    let is_known = is_before || sh.const_of(offset).is_some();
                    o.handle == handle && is_known && o.components + components <= max_components
                });
                match joined {
                    Some(o) => {
                        o.components += components;
                        self.shared_loops
                            .followers
                            .entry(o.first)
                            .or_default()
                            .push(id);
                        self.shared_loops.is_follower[def] = true;
                    }
                    None => open.push(OpenLoop {
                        handle,
                        first: def,
                        index,
                        components,
                    }),
                }
            }
        }
    }

    /// True for a load of read-only memory through a handle that may differ between lanes.
    fn is_non_uniform_load(&self, i: &Intrinsic) -> bool {
        let access = match i.op {
            IntrinsicOp::LoadUbo | IntrinsicOp::LoadSsbo => Access::from_bits(i.index("access")),
            _ => return false,
        };
        let constant = i.op == IntrinsicOp::LoadUbo || access.unchanging;
        constant && self.is_divergent(i.srcs[0]) && !self.is_uniform_element(i, i.srcs[0])
    }

    /// True for a load that has happened in the loop of another one.
    pub(super) fn is_loop_follower(&self, i: &Intrinsic) -> bool {
        i.def.is_some_and(|def| self.shared_loops.is_follower[def])
    }

    /// Selects a buffer load, and those that share its loop.
    pub(super) fn select_buffer_load(&mut self, i: &Intrinsic) {
        let surface = self.accessed_surface(i, i.srcs[0]);
        let others = i
            .def
            .and_then(|def| self.shared_loops.followers.remove(&def));
        let Some(others) = others.filter(|_| matches!(surface, Surface::Buffer(..))) else {
            self.select_load(i, surface, i.srcs[1], 0);
            return;
        };
        let sh = self.sh;
        let others = others.iter().filter_map(|id| match &sh.instrs[*id] {
            Instr::Intrinsic(other) => Some(other),
            _ => None,
        });
        let mut all: SmallVec<[_; 4]> = SmallVec::new();
        for load in std::iter::once(i).chain(others) {
            all.extend(self.prepare_load(load, load.srcs[1], 0));
        }
        self.for_each_surface(surface, &mut |isel, bti, handle_offset, handle, mods| {
            for load in &all {
                isel.send_load(load, (bti, handle_offset), handle, mods);
            }
        });
    }
}
