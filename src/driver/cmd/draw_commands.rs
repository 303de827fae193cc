//! Draws among the other commands of a batch.
//!
//! In:  draws, and the bound state ([`BatchDrawState`]). Out: packets, with the 3D pipeline
//!      selected and after pending flushes.

use crate::draw::recorder::{BatchDrawState, InternalDraw};
use crate::draw::target::{DepthStencilTarget, HizOp};
use crate::draw::{DrawGeneration, DrawParams};
use crate::generation::PipeControl;
use crate::recorder::Recorder;
use crate::stream::StreamMemory;

impl<G: DrawGeneration, M: StreamMemory> Recorder<G, M> {
    /// The draw state, created at first use.
    #[inline]
    pub fn draws(&mut self) -> &mut BatchDrawState<G> {
        let machine = &self.machine;
        self.draws
            .get_or_insert_with(|| Box::new(BatchDrawState::new(machine)))
    }

    /// Emits pending flushes and selects the 3D pipeline.
    pub(crate) fn before_draw(&mut self) -> Result<(), M::Error> {
        self.emit_pending_flushes()?;
        self.select_3d()?;
        (self.busy, self.data_dirty, self.targets_dirty) = (true, true, true);
        Ok(())
    }

    /// Draws. Returns false if no pipeline or no targets are bound.
    pub fn draw(&mut self, draw: &DrawParams) -> Result<bool, M::Error> {
        self.before_draw()?;
        match &mut self.draws {
            Some(draws) => draws.draw(&mut self.stream, &self.machine, draw, self.conditional),
            None => Ok(false),
        }
    }

    /// Performs a meta draw; the application's bindings are unchanged. Returns false if no targets
    /// are bound.
    pub fn draw_internal(
        &mut self,
        mut internal: InternalDraw<'_, G>,
        draw: &DrawParams,
    ) -> Result<bool, M::Error> {
        self.before_draw()?;
        internal.predicated |= self.internal_predicated;
        match &mut self.draws {
            Some(draws) => draws.meta_draw(&mut self.stream, &self.machine, internal, draw),
            None => Ok(false),
        }
    }

    /// Flushes the render target cache and stalls, as required between fast clears or resolves and
    /// other draws.
    ///
    /// Ref: SKL PRM vol. 7, "Render Target Fast Clear", "Render Target Resolve".
    pub fn finish_targets(&mut self) -> Result<(), M::Error> {
        self.emit_pending_flushes()?;
        let control = PipeControl::FLUSH_TARGETS.with(PipeControl::WRITE);
        G::emit_pipe_control(&mut self.stream, control, self.machine.scrap_address)?;
        (self.busy, self.targets_dirty) = (false, false);
        Ok(())
    }

    /// Performs a HiZ operation on a depth buffer with the given number of samples.
    pub fn hiz_op(
        &mut self,
        target: &DepthStencilTarget,
        samples: u8,
        work: &HizOp,
    ) -> Result<(), M::Error> {
        self.before_draw()?;
        self.draws();
        let (stream, machine) = (&mut self.stream, &self.machine);
        match &mut self.draws {
            Some(draws) => draws.hiz_op(stream, machine, (target, samples), work),
            None => Ok(()),
        }
    }

    /// Draws with parameters from memory: four dwords, or five if indexed. `number` is the draw
    /// index. Returns false as [`Recorder::draw`] does.
    pub fn draw_indirect(
        &mut self,
        address: u64,
        indexed: bool,
        number: u32,
    ) -> Result<bool, M::Error> {
        self.indirect(address, indexed, number, self.conditional)
    }

    /// As [`Recorder::draw_indirect`], with explicit predication.
    pub(crate) fn indirect(
        &mut self,
        address: u64,
        indexed: bool,
        number: u32,
        predicated: bool,
    ) -> Result<bool, M::Error> {
        self.before_draw()?;
        let (stream, machine) = (&mut self.stream, &self.machine);
        match &mut self.draws {
            Some(draws) => {
                draws.draw_indirect(stream, machine, address, indexed, number, predicated)
            }
            None => Ok(false),
        }
    }
}
