//! Fast clear records: GPU memory that tells whether blocks or pixels of an image may still be
//! fast-cleared, and with which colour.
//!
//! In:  the address of a record beside the image's aux surface. Out: commands that write it, copy
//!      it into a surface state, or predicate work on it.
//!
//! The command streamer does all of this in order, so the next user of the image, in whichever
//! batch, finds the last state written.
//! Ref: SKL PRM vol. 2a, "MI_STORE_DATA_IMM", "MI_COPY_MEM_MEM", "PIPE_CONTROL" (State Cache
//!      Invalidation Enable); vol. 2d, RENDER_SURFACE_STATE, "Auxiliary Surface Mode", "Clear
//!      Color".

use hw::state::render_surface_state as rss;

use crate::draw::DrawGeneration;
use crate::draw::target::{RecordAddress, SurfaceStateWords};
use crate::mi;
use crate::recorder::Recorder;
use crate::stream::{Stream, StreamMemory};

/// Size and alignment of a record, in bytes.
pub const RECORD_BYTES: u32 = 64;

/// Dword of a surface state with the aux surface mode.
const AUX_MODE_DW: usize = rss::AUXILIARY_SURFACE_MODE.lo as usize / 32;
/// First of the four dwords of a surface state with the clear colour.
const COLOUR_DW: usize = rss::RED_CLEAR_COLOR.lo as usize / 32;

/// Byte offsets in a record: the surface state's aux dword, 0 if nothing is fast-cleared; the clear
/// colour as surface states hold it; the clear colour as a pixel in memory.
const AUX_MODE_AT: u64 = 0;
const COLOUR_AT: u64 = 16;
const PIXEL_AT: u64 = 32;

/// Address of the clear colour as a pixel, up to 16 bytes.
pub fn pixel_at(record: u64) -> u64 {
    record + PIXEL_AT
}

/// The contents of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FastClearRecord {
    /// The aux dword of the surface state.
    aux_mode: u32,
    /// The clear colour as surface states hold it.
    pub colour: [u32; 4],
    /// The clear colour as a pixel in memory, for multisampled images.
    pub pixel: Option<[u32; 4]>,
}

impl FastClearRecord {
    /// The record of a fast clear, given a surface state with aux surface and clear colour.
    pub fn from_surface(surface: &SurfaceStateWords, pixel: Option<[u32; 4]>) -> Self {
        Self {
            aux_mode: surface[AUX_MODE_DW],
            colour: std::array::from_fn(|channel| surface[COLOUR_DW + channel]),
            pixel,
        }
    }
}

/// Copies a record into the surface state at an address, before any use: the clear colour and, for
/// single-sampled uncompressed targets, whether there is an aux surface at all. The state cache
/// must be invalidated afterwards.
pub(crate) fn copy_to_surface<M: StreamMemory>(
    stream: &mut Stream<M>,
    record: RecordAddress,
    surface: &SurfaceStateWords,
    surface_at: u64,
) -> Result<(), M::Error> {
    let at = |dw: usize| surface_at + 4 * dw as u64;
    let record = record.get();
    let compressed = rss::AUXILIARY_SURFACE_MODE.get(surface)
        == hw::value::state::auxiliary_surface_mode::AUX_CCS_E;
    let single = rss::NUMBER_OF_MULTISAMPLES.get(surface)
        == hw::value::state::number_of_multisamples::MULTISAMPLECOUNT_1;
    if single && !compressed {
        stream.emit(mi::copy_memory(record + AUX_MODE_AT, at(AUX_MODE_DW)))?;
    }
    for channel in 0..4 {
        let from = record + COLOUR_AT + 4 * channel as u64;
        stream.emit(mi::copy_memory(from, at(COLOUR_DW + channel)))?;
    }
    Ok(())
}

impl<G: DrawGeneration, M: StreamMemory> Recorder<G, M> {
    /// Writes an image's record, after pending flushes. `None`: nothing is fast-cleared.
    pub fn store_fast_clear_record(
        &mut self,
        record: u64,
        fast_clear: Option<&FastClearRecord>,
    ) -> Result<(), M::Error> {
        let Some(fast_clear) = fast_clear else {
            return self.store(record + AUX_MODE_AT, 0);
        };
        self.store(record + AUX_MODE_AT, fast_clear.aux_mode)?;
        let pixel = fast_clear.pixel.map(|pixel| (PIXEL_AT, pixel));
        for (at, dwords) in pixel.into_iter().chain([(COLOUR_AT, fast_clear.colour)]) {
            for (at, dword) in (record + at..).step_by(4).zip(dwords) {
                self.stream.emit(mi::store(at, dword))?;
            }
        }
        Ok(())
    }

    /// Predicates meta operations from here on: they run only if the record has a fast clear.
    pub fn predicate_on_record(&mut self, record: u64) -> Result<(), M::Error> {
        self.emit_pending_non_vertex_flushes()?;
        self.predicate_internal(record + AUX_MODE_AT)
    }
}
