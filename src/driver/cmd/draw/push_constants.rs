//! Push constants of a graphics stage: a block of words, and ranges of uniform buffers.
//!
//! In:  the compiler's push layout, the bound words, surface states in the heap. Out: the block as
//!      batch data, and the constant buffers to emit.
//! Ref: SKL PRM vol. 2a, "3DSTATE_CONSTANT(Body)", "MI_COPY_MEM_MEM".

use abi::{DriverValue, PushedBuffer, PushedRange, REGISTER_DW};

use crate::draw::generation::{CONSTANT_BUFFERS, ConstantBuffer, ConstantStage, DrawGeneration};
use crate::generation::{
    BOUND_DW, DeviceInfo, PUSH_CONSTANTS_DW, PipeControl, VALUES_AT, ZERO_AT, pushed_word,
    value_index, value_index_and_offset,
};
use crate::mi;
use crate::push_data::fill;
use crate::stream::{Stream, StreamMemory};

/// One bit for each bound word.
pub(super) type WordMask = u128;

/// Marks the contents of uniform buffers as changed. Shares the bit of the word that is always
/// zero, which cannot change.
pub(super) const BUFFER_CONTENTS: WordMask = 1 << (VALUES_AT + ZERO_AT);

/// The mask of a run of words.
pub(super) fn word_mask(first: usize, count: usize) -> WordMask {
    const ALL: usize = WordMask::BITS as usize;
    const { assert!(ALL == BOUND_DW) };
    match (count, first) {
        (0, _) | (_, ALL..) => 0,
        _ => WordMask::MAX >> (ALL - count.min(ALL)) << first,
    }
}

/// Push layout of a stage: a run of the application's push constants, then driver values by index,
/// then uniform buffer ranges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PushLayout {
    constants_first: usize,
    constants: usize,
    /// Index of each driver value among the bound words, and what is added to it.
    values: Vec<(u8, u32)>,
    registers: u32,
    ranges: Vec<Range>,
    /// Index of the word that locates the samplers, and what is added to it.
    samplers: Option<(u8, u32)>,
    /// WordMask that the stage depends on, [`BUFFER_CONTENTS`] included.
    pub(super) reads: WordMask,
    block_reads: WordMask,
    range_reads: WordMask,
}

/// A pushed range of a uniform buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Range {
    /// Index of the word with the surface handle.
    index: u8,
    /// Bytes from the handle's surface to the range's.
    offset_bytes: u32,
    first_bytes: u32,
    registers: u32,
    end_bytes: u32,
}

const REGISTER_BYTES: u32 = REGISTER_DW * 4;

impl Range {
    fn new(range: &PushedRange) -> Option<Self> {
        let (value, offset_bytes) = match range.buffer {
            PushedBuffer::InSet { set, offset_bytes } => {
                (DriverValue::SetHandle { set }, offset_bytes)
            }
            PushedBuffer::Dynamic { index } => (DriverValue::DynamicHandle { index }, 0),
        };
        Some(Self {
            index: (VALUES_AT + value_index(value)?) as u8,
            offset_bytes,
            first_bytes: range.first.checked_mul(REGISTER_BYTES)?,
            registers: range.registers,
            end_bytes: range.end_bytes,
        })
    }

    /// The memory to push: the buffer itself, unless it ends before the range does.
    fn buffer<G: DrawGeneration, M: StreamMemory>(
        &self,
        stream: &mut Stream<M>,
        machine: &DeviceInfo,
        words: &[u32; BOUND_DW],
    ) -> Result<ConstantBuffer, M::Error> {
        let handle = words[usize::from(self.index) % BOUND_DW];
        let at = (handle >> 6).wrapping_add(self.offset_bytes);
        const LOW: usize = abi::SURFACE_ADDRESS_DWORD;
        let dwords = [abi::SURFACE_BYTES_DWORD, LOW, LOW + 1];
        let [bytes, low, high] = stream.memory().surface(at, dwords)?;
        let address = u64::from(low) | u64::from(high) << 32;
        let first = address + u64::from(self.first_bytes);
        if bytes >= self.end_bytes {
            return Ok(ConstantBuffer {
                address: first,
                registers: self.registers,
            });
        }
        let rest = bytes.saturating_sub(self.first_bytes).div_ceil(4);
        self.copy::<G, M>(stream, machine, first, rest)
    }

    /// Copies `count` dwords, followed by zeros. The GPU copies, since the buffer may still be
    /// written until then.
    #[cold]
    fn copy<G: DrawGeneration, M: StreamMemory>(
        &self,
        stream: &mut Stream<M>,
        machine: &DeviceInfo,
        from: u64,
        count: u32,
    ) -> Result<ConstantBuffer, M::Error> {
        let data = stream.data((self.registers * REGISTER_DW) as usize)?;
        data.words.fill(0);
        let address = data.address;
        for byte in (0..u64::from(count)).map(|dword| dword * 4) {
            stream.emit(mi::copy_memory(from + byte, address + byte))?;
        }
        if count > 0 {
            // The copies must have landed before constants are read.
            let control = PipeControl::INVALIDATE_CONSTANT.with(PipeControl::WRITE);
            G::emit_pipe_control(stream, control, machine.scrap_address)?;
        }
        Ok(ConstantBuffer {
            address,
            registers: self.registers,
        })
    }
}

impl PushLayout {
    /// Returns `None` if the shader needs more than the hardware has.
    pub(super) fn new(push: &abi::PushData) -> Option<Self> {
        let (first, count) = (push.constants_first_dw, push.constants_dw);
        let fits = first as usize + count as usize <= PUSH_CONSTANTS_DW
            && push.ranges.len() < CONSTANT_BUFFERS
            && push.all_registers() <= abi::MAX_PUSH_REGISTERS;
        if !fits {
            return None;
        }
        let driver = push.driver.iter().map(|&value| {
            let (index, more) = value_index_and_offset(value)?;
            Some(((VALUES_AT + index) as u8, more))
        });
        let driver: Vec<(u8, u32)> = driver.collect::<Option<_>>()?;
        let ranges: Vec<Range> = push.ranges.iter().map(Range::new).collect::<Option<_>>()?;
        let samplers = match push.samplers {
            Some(abi::SamplerTable { set, offset_bytes }) => {
                let value = DriverValue::SetPlace { set };
                Some(((VALUES_AT + value_index(value)?) as u8, offset_bytes))
            }
            None => None,
        };
        // The word that is always zero never changes.
        let bit = |index: u8| word_mask(usize::from(index) % BOUND_DW, 1) & !BUFFER_CONTENTS;
        let values = driver.iter().map(|value| bit(value.0));
        let block_reads = values.fold(word_mask(first as usize, count as usize), |all, bit| {
            all | bit
        });
        let contents = if ranges.is_empty() {
            0
        } else {
            BUFFER_CONTENTS
        };
        let handles = ranges.iter().map(|range| bit(range.index));
        let range_reads = handles.fold(contents, |all, bit| all | bit);
        let reads = block_reads | range_reads | samplers.map_or(0, |samplers| bit(samplers.0));
        Some(Self {
            constants_first: first as usize,
            constants: count as usize,
            registers: push.registers(),
            reads,
            block_reads,
            range_reads,
            values: driver,
            ranges,
            samplers,
        })
    }

    fn write(&self, words: &[u32; BOUND_DW], to: &mut [u32]) {
        let constants = words.get(self.constants_first..).unwrap_or_default();
        fill(constants, self.constants, to.as_chunks_mut().0);
        let values = to.get_mut(self.constants..).unwrap_or_default();
        for (to, &(index, more)) in values.iter_mut().zip(&self.values) {
            *to = pushed_word(words, index).wrapping_add(more);
        }
    }
}

/// Stages whose last constant buffer may have been empty since the last stall: using the first
/// buffer then needs a stall.
#[derive(Clone, Copy, Debug)]
pub(super) struct EmptyLastBuffers(u8);

impl Default for EmptyLastBuffers {
    /// Nothing is known about earlier batches.
    fn default() -> Self {
        Self(u8::MAX)
    }
}

impl EmptyLastBuffers {
    /// Records the buffers that are about to be emitted. Returns true if a stall is needed before
    /// that.
    fn update(
        &mut self,
        stage: ConstantStage,
        buffers: &[ConstantBuffer; CONSTANT_BUFFERS],
    ) -> bool {
        let bit = 1 << stage as u8;
        let [first, .., last] = buffers;
        let waits = first.registers > 0 && self.0 & bit != 0;
        if waits {
            self.0 = 0;
        }
        if last.registers == 0 {
            self.0 |= bit;
        }
        waits
    }
}

/// The bound words, and those that changed since the stage's constants were emitted last.
pub(super) struct BoundWords<'a> {
    pub(super) words: &'a [u32; BOUND_DW],
    pub(super) changed: WordMask,
}

/// Emits the constants and the sampler pointer of a stage: writes what changed, references
/// everything. `buffers` are those emitted last.
pub(super) fn emit_stage_constants<G: DrawGeneration, M: StreamMemory>(
    stream: &mut Stream<M>,
    machine: &DeviceInfo,
    stage: ConstantStage,
    pushed: Option<&PushLayout>,
    bound: &BoundWords<'_>,
    buffers: &mut [ConstantBuffer; CONSTANT_BUFFERS],
    empty_last: &mut EmptyLastBuffers,
) -> Result<(), M::Error> {
    match pushed {
        Some(pushed) => {
            let words = bound.words;
            if pushed.range_reads & bound.changed != 0 {
                // Ranges take the last buffers.
                let ranges = buffers.iter_mut().rev();
                for (to, range) in ranges.zip(pushed.ranges.iter().rev()) {
                    *to = range.buffer::<G, M>(stream, machine, words)?;
                }
            }
            let at = (CONSTANT_BUFFERS - 1).checked_sub(pushed.ranges.len());
            if pushed.block_reads & bound.changed != 0
                && let Some(block) = at.and_then(|at| buffers.get_mut(at))
            {
                let data = stream.data((pushed.registers * REGISTER_DW) as usize)?;
                pushed.write(words, data.words);
                *block = ConstantBuffer {
                    address: data.address,
                    registers: pushed.registers,
                };
            }
            if let Some((index, offset_bytes)) = pushed.samplers {
                let at = pushed_word(words, index).wrapping_add(offset_bytes);
                G::emit_sampler_pointer(stream, stage, at)?;
            }
        }
        None => *buffers = Default::default(),
    }
    if empty_last.update(stage, buffers) {
        G::emit_pipe_control(stream, PipeControl::STALL, machine.scrap_address)?;
    }
    G::emit_push_constants(stream, stage, buffers, machine.dynamic_base)
}

/// As [`emit_stage_constants`], and latches them with a binding table pointer, but for the fragment
/// stage, whose table is the caller's. Returns whether that pointer is left to the caller.
pub(super) fn emit_latched_constants<G: DrawGeneration, M: StreamMemory>(
    stream: &mut Stream<M>,
    machine: &DeviceInfo,
    stage: ConstantStage,
    pushed: Option<&PushLayout>,
    bound: &BoundWords<'_>,
    buffers: &mut [ConstantBuffer; CONSTANT_BUFFERS],
    empty_last: &mut EmptyLastBuffers,
) -> Result<bool, M::Error> {
    emit_stage_constants::<G, M>(stream, machine, stage, pushed, bound, buffers, empty_last)?;
    match stage {
        ConstantStage::Fragment => Ok(true),
        _ => G::emit_binding_table_pointer(stream, stage, 0).map(|()| false),
    }
}

#[cfg(test)]
mod tests;
