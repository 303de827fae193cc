//! Groups of accesses that can be moved together.
//!
//! In:  the accesses of a block, in order.
//! Out: groups of equal keys. All loads of a group can be executed where its first one is, and all
//!      stores where its last one is.

use super::access::{Access, Candidate, Class, Key, Place, Residue};

/// Maximum number of accesses of a group, of open groups, and of stores that a group of loads has
/// been moved over: each access is compared with all of them.
const MAX_ACCESSES: usize = 64;
const MAX_OPEN: usize = 32;
const MAX_PASSED: usize = 32;

/// Accesses with equal keys that may be merged.
pub(super) struct Group {
    pub(super) key: Key,
    pub(super) class: Class,
    pub(super) store: bool,
    /// Accesses I/O slots.
    pub(super) slots: bool,
    /// The bit size of offsets, if accesses are robust.
    pub(super) robust_bits: Option<u8>,
    /// What is known of the dynamic part of the offset.
    pub(super) dynamic: Residue,
    pub(super) accesses: Vec<Access>,
    /// Of loads: the stores since the first one to the same class of memory, which a load that
    /// joins the group moves over.
    passed: Vec<(Key, Access)>,
}

impl Group {
    fn new(c: Candidate) -> Group {
        Group {
            key: c.key,
            class: c.class,
            store: c.store,
            slots: c.slots,
            robust_bits: c.robust_bits,
            dynamic: c.dynamic,
            accesses: vec![c.access],
            passed: Vec::new(),
        }
    }

    fn add(&mut self, c: Candidate) {
        if c.dynamic.modulus > self.dynamic.modulus {
            self.dynamic = c.dynamic;
        }
        self.accesses.push(c.access);
    }

    /// True if moving the accesses of the group to where `c` is, or `c` to where they are, may
    /// change what is read or written.
    fn conflicts(&self, c: &Candidate) -> bool {
        let place = |key, access| Place {
            key,
            class: self.class,
            access,
        };
        match self.store {
            true => self
                .accesses
                .iter()
                .any(|a| c.conflicts(&place(&self.key, a))),
            false => self
                .passed
                .iter()
                .any(|(key, a)| c.conflicts(&place(key, a))),
        }
    }
}

/// Groups of a block: those that further accesses may join, and the finished ones.
#[derive(Default)]
pub(super) struct Groups {
    open: Vec<Group>,
    done: Vec<Group>,
}

impl Groups {
    /// Finishes the open groups that meet a condition.
    pub(super) fn close(&mut self, which: impl Fn(&Group) -> bool) {
        let mut k = 0;
        while k < self.open.len() {
            if which(&self.open[k]) {
                self.done.push(self.open.remove(k));
            } else {
                k += 1;
            }
        }
    }

    /// Adds an access, to a group if possible. Finishes the groups that it keeps from growing.
    pub(super) fn add(&mut self, c: Candidate) {
        let constant = c.class == Class::Constant;
        if !c.fits {
            self.close(|g| g.key == c.key || !constant && g.class == c.class);
            return;
        }
        // Stores must not move over an access to the same bytes.
        self.close(|g| g.store && g.class == c.class && g.conflicts(&c));
        if c.store {
            for g in &mut self.open {
                if !g.store && g.class == c.class {
                    g.passed.push((c.key.clone(), c.access.clone()));
                }
            }
            self.close(|g| g.passed.len() >= MAX_PASSED);
        } else {
            self.close(|g| !g.store && g.key == c.key && g.conflicts(&c));
        }
        match self.open.iter_mut().find(|g| g.key == c.key) {
            Some(g) => {
                g.add(c);
                self.close(|g| g.accesses.len() >= MAX_ACCESSES);
            }
            None => {
                if self.open.len() >= MAX_OPEN {
                    self.done.push(self.open.remove(0));
                }
                self.open.push(Group::new(c));
            }
        }
    }

    /// All groups.
    pub(super) fn finish(mut self) -> Vec<Group> {
        self.done.append(&mut self.open);
        self.done
    }
}
