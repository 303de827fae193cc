//! Syncobjs: a place for a fence, or for a chain of fences with rising values.
//!
//! Ref: drm.h; Linux's Documentation/gpu/drm-mm.rst, "DRM Sync Objects".

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use crate::fence::{Fence, all_signalled, lock};

/// A syncobj, which several files may hold.
#[derive(Debug, Default)]
pub(crate) struct Syncobj {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Value of the last of the first fences that are all signalled; a binary fence counts as 0. None: there were none.
    signalled: Option<u64>,
    /// The fences after those, with their values.
    pending: VecDeque<(u64, Arc<Fence>)>,
}

impl State {
    fn prune(&mut self) {
        while self
            .pending
            .front()
            .is_some_and(|(_, fence)| fence.is_signalled())
        {
            self.signalled = self.pending.pop_front().map(|(value, _)| value);
        }
    }

    /// Value of the newest fence.
    fn last(&self) -> Option<u64> {
        self.pending
            .back()
            .map(|(value, _)| *value)
            .or(self.signalled)
    }
}

impl Syncobj {
    pub(crate) fn new(signalled: bool) -> Arc<Self> {
        let state = State {
            signalled: signalled.then_some(0),
            pending: VecDeque::new(),
        };
        Arc::new(Self {
            state: Mutex::new(state),
        })
    }

    /// Takes all fences out.
    pub(crate) fn reset(&self) {
        *lock(&self.state) = State::default();
    }

    /// Puts binary fences in, in the place of all there were. None: a signalled one.
    pub(crate) fn replace(&self, fences: &[Arc<Fence>]) {
        let pending: VecDeque<_> = fences.iter().map(|fence| (0, fence.clone())).collect();
        *lock(&self.state) = State {
            signalled: pending.is_empty().then_some(0),
            pending,
        };
    }

    /// Adds fences at a value of the timeline; a value that is too low counts as the last one.
    pub(crate) fn add_point(&self, value: u64, fences: &[Arc<Fence>]) {
        let mut state = lock(&self.state);
        let value = value.max(state.last().unwrap_or(0));
        match fences.split_last() {
            Some((last, others)) => {
                // Fences of one value: all but the last count for the value before it.
                let before = state.last().unwrap_or(0);
                state
                    .pending
                    .extend(others.iter().map(|fence| (before, fence.clone())));
                state.pending.push_back((value, last.clone()));
            }
            None => state.pending.push_back((value, Fence::signalled())),
        }
        state.prune();
    }

    /// The fences to wait for, for a value (0: all of them). None: nobody has submitted that value yet.
    pub(crate) fn find(&self, value: u64) -> Option<Vec<Arc<Fence>>> {
        let mut state = lock(&self.state);
        state.prune();
        let last = state.last()?;
        if value == 0 {
            return Some(
                state
                    .pending
                    .iter()
                    .map(|(_, fence)| fence.clone())
                    .collect(),
            );
        }
        if last < value {
            return None;
        }
        if state.signalled.is_some_and(|signalled| signalled >= value) {
            return Some(Vec::new());
        }
        let end = state
            .pending
            .iter()
            .position(|(point, _)| *point >= value)?;
        Some(
            state
                .pending
                .iter()
                .take(end + 1)
                .map(|(_, fence)| fence.clone())
                .collect(),
        )
    }

    /// None: no fence for that value yet; else whether it is signalled.
    pub(crate) fn status(&self, value: u64) -> Option<bool> {
        self.find(value).map(|fences| all_signalled(&fences))
    }

    /// The last value that is signalled, or submitted.
    pub(crate) fn query(&self, submitted: bool) -> u64 {
        let mut state = lock(&self.state);
        state.prune();
        if submitted {
            state.last()
        } else {
            state.signalled
        }
        .unwrap_or(0)
    }
}
