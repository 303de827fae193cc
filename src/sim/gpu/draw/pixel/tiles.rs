//! Distributes pixels to workers: each owns tiles of the screen, so that blending stays in order.
//!
//! In:  objects and their coverage, in order. Out: the result of [`PixelPipeline`], computed on as
//!      many of the host's cores as the options allow. The assignment of tiles affects only the
//!      order of pixels that do not overlap.

use super::dispatch::{PixelCounts, PixelPipeline};
use crate::draw::exec::Draw;
use crate::draw::object::{LOG_BLOCK, ObjectCoverage, SetupObject, Subspan};
use crate::profile::StageWork;
use crate::surface::Image;
use crate::target_images::Role;
use eu::StopReason;
use std::ops::Range;

/// Log2 of a tile's side in pixels; a block belongs to one tile.
const LOG_TILE: u32 = LOG_BLOCK;
/// Subspans of a block.
const BLOCK_SUBSPANS: usize = 1 << (2 * LOG_BLOCK - 2);
/// Subspans that justify one more worker.
const SUBSPANS_PER_WORKER: usize = 512;
/// Queued subspans at which the workers run.
const MAX_QUEUED_SUBSPANS: usize = 1 << 16;
/// Queued objects at which the workers run.
const MAX_QUEUED_OBJECTS: usize = 1 << 12;

/// The units behind the rasteriser, for one draw, on all workers.
pub(crate) struct PixelWorkers<'a> {
    draw: Draw<'a>,
    constants: Vec<u32>,
    /// The first exists from the start, the others once they are needed.
    workers: Vec<PixelPipeline<'a>>,
    max_workers: usize,
    objects: Vec<QueuedObject>,
    subspans: Vec<Subspan>,
    blocks: Vec<[u32; 2]>,
}

/// An object that is queued for the workers.
struct QueuedObject {
    setup: SetupObject,
    /// Its part of the queued subspans and blocks.
    subspans: Range<usize>,
    blocks: Range<usize>,
    /// The mask of all samples of a block's pixels.
    all: u16,
}

/// The index of the worker that owns the tile of a pixel.
fn owner(x: u32, y: u32, workers: usize) -> usize {
    let (column, row) = (x >> LOG_TILE, y >> LOG_TILE);
    // Successive rows are shifted by an odd number of workers, so that no worker owns whole rows or
    // columns.
    (column as usize + row as usize * 5) % workers
}

impl<'a> PixelWorkers<'a> {
    /// Reads the state. `constants` are the stage's push constants.
    pub fn new(draw: Draw<'a>, constants: Vec<u32>) -> Result<PixelWorkers<'a>, StopReason> {
        let first = PixelPipeline::new(draw, constants.clone())?;
        Ok(PixelWorkers {
            draw,
            constants,
            workers: vec![first],
            max_workers: draw.options.workers(),
            objects: Vec::new(),
            subspans: Vec::new(),
            blocks: Vec::new(),
        })
    }

    /// Queues an object's pixels.
    pub fn queue_object(
        &mut self,
        setup: SetupObject,
        cover: &ObjectCoverage,
    ) -> Result<(), StopReason> {
        let (first, first_block) = (self.subspans.len(), self.blocks.len());
        self.subspans.extend(&cover.subspans);
        self.blocks.extend(&cover.blocks);
        self.objects.push(QueuedObject {
            setup,
            subspans: first..self.subspans.len(),
            blocks: first_block..self.blocks.len(),
            all: cover.all,
        });
        if self.queued() >= MAX_QUEUED_SUBSPANS || self.objects.len() >= MAX_QUEUED_OBJECTS {
            self.flush()?;
        }
        Ok(())
    }

    /// Queued subspans, including those of blocks.
    fn queued(&self) -> usize {
        self.subspans.len() + self.blocks.len() * BLOCK_SUBSPANS
    }

    /// Draws the queued objects.
    pub fn flush(&mut self) -> Result<(), StopReason> {
        let (objects, subspans, blocks) = (&self.objects, &self.subspans, &self.blocks);
        let count = self
            .max_workers
            .min(self.queued() / SUBSPANS_PER_WORKER)
            .max(1);
        while self.workers.len() < count {
            let mut worker = PixelPipeline::new(self.draw, self.constants.clone())?;
            worker.set_worker(self.workers.len() as u32);
            self.workers.push(worker);
        }
        let part =
            |number: usize, pixels: &mut PixelPipeline<'a>| -> Result<(), (usize, StopReason)> {
                let mut own = ObjectCoverage::default();
                for (i, queued) in objects.iter().enumerate() {
                    let all = subspans.get(queued.subspans.clone()).unwrap_or_default();
                    let whole = blocks.get(queued.blocks.clone()).unwrap_or_default();
                    let is_own = |x, y| count == 1 || owner(x, y, count) == number;
                    own.clear();
                    own.all = queued.all;
                    own.subspans.extend(all.iter().filter(|s| is_own(s.x, s.y)));
                    own.blocks
                        .extend(whole.iter().filter(|[x, y]| is_own(*x, *y)));
                    if !own.is_empty() {
                        pixels
                            .draw_object(&queued.setup, &own)
                            .map_err(|stop| (i, stop))?;
                    }
                }
                Ok(())
            };
        let workers = self.workers.get_mut(..count).unwrap_or_default();
        let results = self.draw.options.pool.each(self.max_workers, workers, part);
        self.objects.clear();
        self.subspans.clear();
        self.blocks.clear();
        // Of several errors the first object's is reported.
        let errors = results.into_iter().filter_map(Result::err);
        match errors.min_by_key(|(object, _)| *object) {
            Some((_, stop)) => Err(stop),
            None => Ok(()),
        }
    }

    /// Ends the draw: draws the queued objects and compresses the blocks of compressed targets.
    pub fn finish(&mut self) -> Result<(), StopReason> {
        self.flush()?;
        let close = |_: usize, pixels: &mut PixelPipeline<'a>| pixels.close();
        let workers = self.workers.as_mut_slice();
        let closed = self
            .draw
            .options
            .pool
            .each(self.max_workers, workers, close);
        closed.into_iter().collect()
    }

    /// Render targets that threads have written to, each once.
    pub fn written(&self) -> Vec<(Role, Image)> {
        let mut found: Vec<(Role, Image)> = Vec::new();
        for (role, image) in self.workers.iter().flat_map(PixelPipeline::written) {
            if !found.iter().any(|(known, _)| *known == role) {
                found.push((role, image));
            }
        }
        found
    }

    /// Work of the threads, by dispatch width.
    pub fn stages(&self) -> Vec<StageWork> {
        let mut found: Vec<StageWork> = Vec::new();
        for work in self.workers.iter().flat_map(PixelPipeline::stages) {
            match found.iter_mut().find(|known| known.stage == work.stage) {
                Some(known) => *known += work,
                None => found.push(work),
            }
        }
        found
    }

    /// The counts of all workers.
    pub fn counts(&self) -> PixelCounts {
        self.workers
            .iter()
            .map(PixelPipeline::counts)
            .fold(PixelCounts::default(), |sum, part| PixelCounts {
                samples_passed: sum.samples_passed + part.samples_passed,
                invocations: sum.invocations + part.invocations,
            })
    }
}

#[cfg(test)]
mod tests;
