//! Results of the analyses that run before selection.
//!
//! In:  what the `find_*` and `choose_*` functions of other files find. Out: look-ups by def or
//!      instruction.

use crate::lir::VgrfId;
use abi::PushedBuffer;
use entity::{Id, IdMap};
use nir::{Def, Instr};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// The loads that share loops.
#[derive(Default)]
pub(super) struct SharedLoops {
    /// The further loads of each loop, by the def of its first load.
    pub(super) followers: FxHashMap<Id<Def>, SmallVec<[Id<Instr>; 3]>>,
    /// Loads that happen in the loop of another one.
    pub(super) is_follower: IdMap<Def, bool>,
}

/// How an access is paired.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum UrbPair {
    #[default]
    None,
    /// Both accesses happen here, from the lower one's slot on.
    Both {
        slot: u32,
        lower: Id<Instr>,
        upper: Id<Instr>,
    },
    /// This access happens where its partner is.
    Elsewhere,
}

/// The paired accesses of a shader.
#[derive(Default)]
pub(super) struct UrbPairs(pub(super) IdMap<Instr, UrbPair>);

/// Bytes that a block read has read.
pub(super) struct RunPart {
    /// First byte and end, as constant parts of the offset.
    pub(super) start: i64,
    pub(super) end: i64,
    pub(super) v: VgrfId,
}

/// Memory that uniform loads read together.
pub(super) struct LoadRun {
    /// The dynamic part of the offset or address.
    pub(super) root: Option<Id<Def>>,
    /// The constant part: first byte and end.
    pub(super) first: i64,
    pub(super) end: i64,
    /// A power of two, and the residue of the whole offset or address of the first byte.
    pub(super) align: (i64, i64),
    /// Number of loads.
    pub(super) loads: u32,
    /// What has been read; empty until the first load is selected.
    pub(super) parts: SmallVec<[RunPart; 2]>,
}

/// The uniform loads that block reads serve.
#[derive(Default)]
pub(super) struct BlockLoads {
    pub(super) runs: Vec<LoadRun>,
    /// For a load: the index of its run, and its constant offset.
    pub(super) run_of: IdMap<Def, Option<(u32, i64)>>,
}

/// What is pushed of uniform buffers.
#[derive(Default)]
pub(super) struct PushedUbos {
    /// A register of a buffer, where it is read.
    pub(super) registers: FxHashMap<(PushedBuffer, u32), VgrfId>,
    /// Loads that are pushed, of those that take a def as their buffer's handle.
    pub(super) pushed_uses: IdMap<Def, u32>,
}
