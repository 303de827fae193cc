//! Loads from one buffer that is not the same for all lanes: one loop over the buffers serves several of them.
//!
//! In:  the loads of a block by one handle, of what nobody writes meanwhile. Out: the first one's loop has the messages of all that can be
//! made there; the others are done then.
//! Ref: Vulkan, "Shader Non-Uniform". Tests: tests/fs/isel/loads_together.nir.

use super::Isel;
use super::memory::Surface;
use entity::{Id, IdMap};
use nir::{Access, CfEvent, Def, Instr, Intrinsic, IntrinsicOp};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Registers that loads of one loop fill at most: all are full when it ends.
const MOST_REGISTERS: u8 = 16;

/// What loops serve.
#[derive(Default)]
pub(super) struct Together {
    /// By the value of the first load, the others.
    others: FxHashMap<Id<Def>, SmallVec<[Id<Instr>; 3]>>,
    /// Loads that are done with another one.
    done: IdMap<Def, bool>,
}

/// A loop that more loads may join.
struct Open {
    handle: Id<Def>,
    first: Id<Def>,
    /// Where the first load stands in the block.
    at: usize,
    components: u8,
}

impl Isel<'_> {
    /// Finds loads that one loop can serve.
    pub(super) fn prepare_together(&mut self, layout: &[CfEvent]) {
        let sh = self.sh;
        let most_components = MOST_REGISTERS / (self.b.width() / 8);
        for event in layout {
            let CfEvent::Block(b) = *event else { continue };
            let loads = sh.blocks[b]
                .instrs
                .iter()
                .filter(|id| match &sh.instrs[**id] {
                    Instr::Intrinsic(i) => self.loads_apart(i),
                    _ => false,
                });
            if loads.count() < 2 {
                continue;
            }
            let mut open: SmallVec<[Open; 2]> = SmallVec::new();
            let mut made: FxHashMap<Id<Def>, usize> = FxHashMap::default();
            for (at, &id) in sh.blocks[b].instrs.iter().enumerate() {
                let Some(def) = sh.instrs[id].def() else {
                    continue;
                };
                made.insert(def, at);
                let Instr::Intrinsic(i) = &sh.instrs[id] else {
                    continue;
                };
                if !self.loads_apart(i) {
                    continue;
                }
                let (handle, offset) = (i.srcs[0], i.srcs[1]);
                let components = sh.defs[def].num_components;
                let joined = open.iter_mut().find(|o| {
                    let before = made.get(&offset).is_none_or(|offset| *offset < o.at);
                    let known = before || sh.const_of(offset).is_some();
                    o.handle == handle && known && o.components + components <= most_components
                });
                match joined {
                    Some(o) => {
                        o.components += components;
                        self.together.others.entry(o.first).or_default().push(id);
                        self.together.done[def] = true;
                    }
                    None => open.push(Open {
                        handle,
                        first: def,
                        at,
                        components,
                    }),
                }
            }
        }
    }

    /// A load of what nobody writes, by a handle that lanes may have each of its own.
    fn loads_apart(&self, i: &Intrinsic) -> bool {
        let access = match i.op {
            IntrinsicOp::LoadUbo | IntrinsicOp::LoadSsbo => Access::from_bits(i.index("access")),
            _ => return false,
        };
        let constant = i.op == IntrinsicOp::LoadUbo || access.unchanging;
        constant && self.is_divergent(i.srcs[0]) && !self.is_one_element(i, i.srcs[0])
    }

    /// A load that was done with another one.
    pub(super) fn is_loaded(&self, i: &Intrinsic) -> bool {
        i.def.is_some_and(|def| self.together.done[def])
    }

    /// A load from a buffer, and those that are done with it.
    pub(super) fn load_buffer(&mut self, i: &Intrinsic) {
        let surface = self.accessed(i, i.srcs[0]);
        let others = i.def.and_then(|def| self.together.others.remove(&def));
        let Some(others) = others.filter(|_| matches!(surface, Surface::Buffer(..))) else {
            self.load(i, surface, i.srcs[1], 0);
            return;
        };
        let sh = self.sh;
        let others = others.iter().filter_map(|id| match &sh.instrs[*id] {
            Instr::Intrinsic(other) => Some(other),
            _ => None,
        });
        let mut all: SmallVec<[_; 4]> = SmallVec::new();
        for load in std::iter::once(i).chain(others) {
            all.extend(self.ready_load(load, load.srcs[1], 0));
        }
        self.each_surface(surface, &mut |isel, bti, more, handle, mods| {
            for load in &all {
                isel.send_load(load, (bti, more), handle, mods);
            }
        });
    }
}
