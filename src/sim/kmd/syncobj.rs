//! Syncobjs: containers of a binary fence, or of a timeline of fences with increasing values.
//!
//! In:  fences. Out: the fences to wait for, and the state of points.
//! Ref: drm.h; Linux's Documentation/gpu/drm-mm.rst, "DRM Sync Objects".

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use crate::fence::{Fence, all_signalled, lock};

/// A syncobj; several files may have handles to it.
#[derive(Debug, Default)]
pub(crate) struct Syncobj {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The value up to which all fences are signalled; 0 for a binary fence. None: no fence has
    /// been signalled.
    signalled: Option<u64>,
    /// The later fences with their values.
    pending: VecDeque<(u64, Arc<Fence>)>,
}

impl State {
    /// Removes signalled fences from the front of the timeline.
    fn prune(&mut self) {
        while self
            .pending
            .front()
            .is_some_and(|(_, fence)| fence.is_signalled())
        {
            self.signalled = self.pending.pop_front().map(|(value, _)| value);
        }
    }

    /// Value of the last fence.
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

    /// Removes all fences.
    pub(crate) fn reset(&self) {
        *lock(&self.state) = State::default();
    }

    /// Replaces all fences by binary ones. An empty list stands for a signalled fence.
    pub(crate) fn replace(&self, fences: &[Arc<Fence>]) {
        let pending: VecDeque<_> = fences.iter().map(|fence| (0, fence.clone())).collect();
        *lock(&self.state) = State {
            signalled: pending.is_empty().then_some(0),
            pending,
        };
    }

    /// Adds fences at a point of the timeline. A value below the last point is raised to it.
    pub(crate) fn add_point(&self, value: u64, fences: &[Arc<Fence>]) {
        let mut state = lock(&self.state);
        let value = value.max(state.last().unwrap_or(0));
        match fences.split_last() {
            Some((last, others)) => {
                // Several fences for one point: all but the last get the previous value.
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

    /// The unsignalled fences up to a point (0: all fences). None if the point has not been
    /// submitted yet.
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

    /// Whether a point is signalled; None if it has not been submitted yet.
    pub(crate) fn status(&self, value: u64) -> Option<bool> {
        self.find(value).map(|fences| all_signalled(&fences))
    }

    /// The last signalled value or, with `submitted`, the last submitted one.
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
