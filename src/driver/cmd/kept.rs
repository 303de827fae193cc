//! Kept clears: what memory says of a target of which blocks or pixels may still have the colour that it was cleared to.
//!
//! In:  the place of a record beside the target's control surface. Out: commands that write it, that put what it says into the words of a
//! surface, that let work run only where there is something to resolve.
//! All of it is done by the command streamer, in its order: whoever uses the target next, in whichever batch, finds what was said last.
//! Ref: SKL PRM vol. 2a, "MI_STORE_DATA_IMM", "MI_COPY_MEM_MEM", "PIPE_CONTROL" (State Cache Invalidation Enable); vol. 2d,
//! RENDER_SURFACE_STATE, "Auxiliary Surface Mode", "Clear Color".

use hw::state::render_surface_state as rss;

use crate::draw::DrawGeneration;
use crate::draw::target::{Record, Surface};
use crate::mi;
use crate::recorder::Recorder;
use crate::stream::{Memory, Stream};

/// Bytes of a record, which begins at a multiple of them.
pub const RECORD_BYTES: u32 = 64;

/// The dword of a surface that says whether it has an auxiliary one.
const CONTROL_DW: usize = rss::AUXILIARY_SURFACE_MODE.lo as usize / 32;
/// The first of the four that are the colour.
const COLOUR_DW: usize = rss::RED_CLEAR_COLOR.lo as usize / 32;

/// Bytes of a record where its parts begin: a surface's dword that names the control surface, which is 0 where nothing is kept; the
/// colour, as surfaces have it; the colour as the bytes of a pixel.
const CONTROL_AT: u64 = 0;
const COLOUR_AT: u64 = 16;
const PIXEL_AT: u64 = 32;

/// Where the record at an address has the bytes of a pixel: 16 of them, or fewer.
pub fn pixel_at(record: u64) -> u64 {
    record + PIXEL_AT
}

/// A clear that is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kept {
    /// The dword of the target's surface that names its control surface.
    control: u32,
    /// The colour, as surfaces have it.
    pub colour: [u32; 4],
    /// The same as the bytes of a pixel, of targets of several samples.
    pub pixel: Option<[u32; 4]>,
}

impl Kept {
    /// What a surface was cleared to, that has its control surface and the colour.
    pub fn of(surface: &Surface, pixel: Option<[u32; 4]>) -> Self {
        Self {
            control: surface[CONTROL_DW],
            colour: std::array::from_fn(|channel| surface[COLOUR_DW + channel]),
            pixel,
        }
    }
}

/// Puts what a record says into the words of a surface at an address, before anybody reads them: the colour, and of targets of one sample
/// that are not compressed whether there is a control surface at all. What is read of surfaces has to be invalidated behind it.
pub(crate) fn fill_in<M: Memory>(
    stream: &mut Stream<M>,
    record: Record,
    surface: &Surface,
    surface_at: u64,
) -> Result<(), M::Error> {
    let at = |dw: usize| surface_at + 4 * dw as u64;
    let record = record.get();
    let compressed = rss::AUXILIARY_SURFACE_MODE.get(surface) == hw::surface::AUX_CCS_E.into();
    if rss::NUMBER_OF_MULTISAMPLES.get(surface) == 0 && !compressed {
        stream.put(mi::copy_memory(record + CONTROL_AT, at(CONTROL_DW)))?;
    }
    for channel in 0..4 {
        let from = record + COLOUR_AT + 4 * channel as u64;
        stream.put(mi::copy_memory(from, at(COLOUR_DW + channel)))?;
    }
    Ok(())
}

impl<G: DrawGeneration, M: Memory> Recorder<G, M> {
    /// Says in a target's record what is kept of it from here on, after what barriers have asked for.
    pub fn record_kept(&mut self, record: u64, kept: Option<&Kept>) -> Result<(), M::Error> {
        let Some(kept) = kept else {
            return self.store(record + CONTROL_AT, 0);
        };
        self.store(record + CONTROL_AT, kept.control)?;
        let pixel = kept.pixel.map(|pixel| (PIXEL_AT, pixel));
        for (at, dwords) in pixel.into_iter().chain([(COLOUR_AT, kept.colour)]) {
            for (at, dword) in (record + at..).step_by(4).zip(dwords) {
                self.stream.put(mi::store(at, dword))?;
            }
        }
        Ok(())
    }

    /// What the driver itself draws and launches from here on runs only where a record says that something is kept.
    pub fn where_kept(&mut self, record: u64) -> Result<(), M::Error> {
        self.settle_other()?;
        self.suppose(record + CONTROL_AT)
    }
}
