//! Draws among a batch's other commands.
//!
//! In:  what is drawn, with which state ([`Draws`]). Out: words, in the pipeline that draws and after what barriers have asked for.

use crate::draw::recorder::{Draws, InternalDraw};
use crate::draw::target::{DepthStencilTarget, DepthWork};
use crate::draw::{Draw, DrawGeneration};
use crate::generation::Control;
use crate::recorder::Recorder;
use crate::stream::Memory;

impl<G: DrawGeneration, M: Memory> Recorder<G, M> {
    /// What draws have bound.
    #[inline]
    pub fn draws(&mut self) -> &mut Draws<G> {
        let heap = self.machine.bindless_base;
        self.draws.get_or_insert_with(|| Box::new(Draws::new(heap)))
    }

    /// Readies the pipeline for a draw.
    pub(crate) fn before_draw(&mut self) -> Result<(), M::Error> {
        self.settle()?;
        self.select_draws()?;
        (self.busy, self.dirty, self.drawn) = (true, true, true);
        Ok(())
    }

    /// Draws. False: no shaders are bound, or nothing to draw to.
    pub fn draw(&mut self, draw: &Draw) -> Result<bool, M::Error> {
        self.before_draw()?;
        match &mut self.draws {
            Some(draws) => draws.draw(&mut self.stream, &self.machine, draw, self.conditional),
            None => Ok(false),
        }
    }

    /// Draws with shaders, state and constants of the driver's own; what is bound stays. False: there is nothing to draw to.
    pub fn draw_internal(
        &mut self,
        mut internal: InternalDraw<'_, G>,
        draw: &Draw,
    ) -> Result<bool, M::Error> {
        self.before_draw()?;
        internal.predicated |= self.supposes;
        match &mut self.draws {
            Some(draws) => draws.internal(&mut self.stream, &self.machine, internal, draw),
            None => Ok(false),
        }
    }

    /// What was drawn is done and in memory: between fast clears or resolves of colours and other draws.
    ///
    /// Ref: SKL PRM vol. 7, "Render Target Fast Clear", "Render Target Resolve".
    pub fn finish_targets(&mut self) -> Result<(), M::Error> {
        self.settle()?;
        let control = Control::FLUSH_TARGETS.with(Control::WRITE);
        G::control(&mut self.stream, control, self.machine.scrap_address)?;
        (self.busy, self.drawn) = (false, false);
        Ok(())
    }

    /// Works on depth by way of its hierarchy, of so many samples.
    pub fn depth_work(
        &mut self,
        target: &DepthStencilTarget,
        samples: u8,
        work: &DepthWork,
    ) -> Result<(), M::Error> {
        self.before_draw()?;
        self.draws().disturb();
        G::depth_work(&mut self.stream, &self.machine, (target, samples), work)
    }

    /// Draws as memory says: four dwords, or five for indices. `number` is the draw's own. False: as [`Recorder::draw`].
    pub fn draw_indirect(
        &mut self,
        address: u64,
        indexed: bool,
        number: u32,
    ) -> Result<bool, M::Error> {
        self.indirect(address, indexed, number, self.conditional)
    }

    /// The same, where the predicate says so if it is asked for.
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
