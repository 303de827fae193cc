//! Predicated commands: conditional rendering, and draws with a count in memory.
//!
//! In:  the address of the condition or the count. Out: commands that set the command streamer's
//!      predicate, which draws and dispatches then test.
//!
//! While conditional rendering is active, [`DISCARDED`] keeps its result, and the predicate is the
//! opposite between commands. A secondary batch finds both as the primary left them.
//! Ref: SKL PRM vol. 2a, "MI_PREDICATE", "3DPRIMITIVE" and "GPGPU_WALKER" (Predicate Enable).

use hw::register::{CS_GPR0, MI_PREDICATE_RESULT, MI_PREDICATE_SRC0, MI_PREDICATE_SRC1};

use crate::draw::DrawGeneration;
use crate::mi::{self, Predicate};
use crate::recorder::Recorder;
use crate::stream::{Stream, StreamMemory};

/// GPR that is reserved for conditional rendering: 0 if commands run, 1 if they are discarded.
const DISCARDED: u32 = CS_GPR0 + 15 * 8;

/// Loads the sources for comparing a register's low dword with zero.
fn compare_with_zero<M: StreamMemory>(stream: &mut Stream<M>) -> Result<(), M::Error> {
    stream.emit(mi::load_register(MI_PREDICATE_SRC0 + 4, 0))?;
    stream.emit(mi::load_register(MI_PREDICATE_SRC1, 0))?;
    stream.emit(mi::load_register(MI_PREDICATE_SRC1 + 4, 0))
}

impl<G: DrawGeneration, M: StreamMemory> Recorder<G, M> {
    /// Begins conditional rendering: draws and dispatches run if a dword is not zero or,
    /// `inverted`, if it is zero.
    pub fn begin_conditional_rendering(
        &mut self,
        address: u64,
        inverted: bool,
    ) -> Result<(), M::Error> {
        self.emit_pending_non_vertex_flushes()?;
        let stream = &mut self.stream;
        stream.emit(mi::load_register_mem(MI_PREDICATE_SRC0, address))?;
        compare_with_zero(stream)?;
        let (discards, runs) = match inverted {
            false => (Predicate::Equal, Predicate::Unequal),
            true => (Predicate::Unequal, Predicate::Equal),
        };
        stream.emit(mi::predicate(discards))?;
        stream.emit(mi::copy_register(MI_PREDICATE_RESULT, DISCARDED))?;
        stream.emit(mi::predicate(runs))?;
        self.conditional = true;
        Ok(())
    }

    /// Predicates meta operations: they run only if a dword is not zero, until
    /// [`Recorder::end_internal_predicate`].
    pub(crate) fn predicate_internal(&mut self, address: u64) -> Result<(), M::Error> {
        let stream = &mut self.stream;
        stream.emit(mi::load_register_mem(MI_PREDICATE_SRC0, address))?;
        compare_with_zero(stream)?;
        stream.emit(mi::predicate(Predicate::Unequal))?;
        self.internal_predicated = true;
        Ok(())
    }

    /// Ends the predication of meta operations, and restores that of conditional rendering.
    pub fn end_internal_predicate(&mut self) -> Result<(), M::Error> {
        self.internal_predicated = false;
        match self.conditional {
            true => self.reload_condition(),
            false => Ok(()),
        }
    }

    /// Reloads the predicate from the result of conditional rendering.
    fn reload_condition(&mut self) -> Result<(), M::Error> {
        let stream = &mut self.stream;
        stream.emit(mi::copy_register(DISCARDED, MI_PREDICATE_SRC0))?;
        compare_with_zero(stream)?;
        stream.emit(mi::predicate(Predicate::Equal))
    }

    /// Sets the predicate for a secondary that expects conditional rendering, if none is active.
    pub fn set_condition_true(&mut self) -> Result<(), M::Error> {
        let stream = &mut self.stream;
        stream.emit(mi::load_register(DISCARDED, 0))?;
        stream.emit(mi::load_register(MI_PREDICATE_SRC0, 0))?;
        compare_with_zero(stream)?;
        stream.emit(mi::predicate(Predicate::Equal))
    }

    /// Whether conditional rendering is active.
    pub fn is_conditional(&self) -> bool {
        self.conditional
    }

    /// Sets whether draws and dispatches are predicated: ends conditional rendering, or inherits it
    /// in a secondary.
    pub fn set_conditional(&mut self, conditional: bool) {
        self.conditional = conditional;
    }

    /// Emits up to `max_count` indirect draws; the GPU executes as many as the dword at `count_at`
    /// says. The parameters of consecutive draws are `stride_bytes` apart. Returns false as
    /// [`Recorder::draw`] does.
    pub fn draw_indirect_count(
        &mut self,
        address: u64,
        stride_bytes: u32,
        indexed: bool,
        count_at: u64,
        max_count: u32,
    ) -> Result<bool, M::Error> {
        self.emit_pending_flushes()?;
        let conditional = self.conditional;
        let stream = &mut self.stream;
        stream.emit(mi::load_register_mem(MI_PREDICATE_SRC0, count_at))?;
        // If conditional rendering discards draws, the high dword is 1 and never equals a draw
        // index.
        let high = MI_PREDICATE_SRC0 + 4;
        match conditional {
            true => stream.emit(mi::copy_register(DISCARDED, high))?,
            false => stream.emit(mi::load_register(high, 0))?,
        }
        stream.emit(mi::load_register(MI_PREDICATE_SRC1 + 4, 0))?;
        for number in 0..max_count {
            // The predicate is set at first, and cleared when the draw index reaches the count.
            self.stream
                .emit(mi::load_register(MI_PREDICATE_SRC1, number))?;
            self.stream
                .emit(mi::predicate(match number == 0 && !conditional {
                    true => Predicate::Unequal,
                    false => Predicate::ToggledIfEqual,
                }))?;
            let at = address + u64::from(number) * u64::from(stride_bytes);
            if !self.indirect(at, indexed, number, true)? {
                return Ok(false);
            }
        }
        if conditional {
            self.reload_condition()?;
        }
        Ok(true)
    }
}
