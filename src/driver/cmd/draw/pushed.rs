//! The constants of a stage: a block of words, and ranges of uniform buffers.
//!
//! In:  what the compiler says, the words that are bound, surfaces in the heap. Out: the block written into a batch, and the buffers that
//! are named to the machine.
//! Ref: SKL PRM vol. 2a, "3DSTATE_CONSTANT(Body)", "MI_COPY_MEM_MEM".

use abi::{DriverValue, PushedBuffer, PushedRange, REGISTER_DW};

use crate::draw::generation::{CONSTANT_BUFFERS, ConstantBuffer, ConstantStage, DrawGeneration};
use crate::generation::{
    BOUND_DW, Control, Machine, PUSH_CONSTANTS_DW, VALUES_AT, ZERO_AT, place, pushed_word, sum,
};
use crate::mi;
use crate::push_data::fill;
use crate::stream::{Memory, Stream};

/// A bit for each bound word.
pub(super) type Words = u128;

/// The bit of the word that is always zero stands for the contents of memory.
pub(super) const CONTENTS: Words = 1 << (VALUES_AT + ZERO_AT);

/// The bits of a run of words.
pub(super) fn bits(first: usize, count: usize) -> Words {
    const ALL: usize = Words::BITS as usize;
    const { assert!(ALL == BOUND_DW) };
    match (count, first) {
        (0, _) | (_, ALL..) => 0,
        _ => Words::MAX >> (ALL - count.min(ALL)) << first,
    }
}

/// The constants of a stage: a run of the application's, then values of the driver's by their place among all words, then ranges.
#[derive(Clone, Debug)]
pub(super) struct Pushed {
    constants_first: usize,
    constants: usize,
    /// Place of each value, and what is added to it.
    values: Vec<(u8, u32)>,
    registers: u32,
    ranges: Vec<Range>,
    /// Place of the word from which samplers are found, and what is added.
    samplers: Option<(u8, u32)>,
    /// The words that it reads of all that are bound, and [`CONTENTS`]: all, those of the block, those that name ranges.
    pub(super) reads: Words,
    block_reads: Words,
    range_reads: Words,
}

/// A range of a uniform buffer.
#[derive(Clone, Copy, Debug)]
struct Range {
    /// Place of the word with the handle.
    place: u8,
    /// Bytes from there to the surface.
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
            place: (VALUES_AT + place(value)?) as u8,
            offset_bytes,
            first_bytes: range.first.checked_mul(REGISTER_BYTES)?,
            registers: range.registers,
            end_bytes: range.end_bytes,
        })
    }

    /// Where its bytes are: those of the buffer itself, if it has all that is read.
    fn buffer<G: DrawGeneration, M: Memory>(
        &self,
        stream: &mut Stream<M>,
        machine: &Machine,
        words: &[u32; BOUND_DW],
    ) -> Result<ConstantBuffer, M::Error> {
        let handle = words[usize::from(self.place) % BOUND_DW];
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

    /// Copies so many dwords, with zeros behind them. The machine does it, when it comes to it: they may be written until then.
    #[cold]
    fn copy<G: DrawGeneration, M: Memory>(
        &self,
        stream: &mut Stream<M>,
        machine: &Machine,
        from: u64,
        count: u32,
    ) -> Result<ConstantBuffer, M::Error> {
        let data = stream.data((self.registers * REGISTER_DW) as usize)?;
        data.words.fill(0);
        let address = data.address;
        for byte in (0..u64::from(count)).map(|dword| dword * 4) {
            stream.put(mi::copy_memory(from + byte, address + byte))?;
        }
        if count > 0 {
            // They have arrived before anything reads them.
            let control = Control::INVALIDATE_CONSTANT.with(Control::WRITE);
            G::control(stream, control, machine.scrap_address)?;
        }
        Ok(ConstantBuffer {
            address,
            registers: self.registers,
        })
    }
}

impl Pushed {
    /// None: the shader wants more than there is.
    pub(super) fn new(push: &abi::PushData) -> Option<Self> {
        let (first, count) = (push.constants_first_dw, push.constants_dw);
        let fits = first as usize + count as usize <= PUSH_CONSTANTS_DW
            && push.ranges.len() < CONSTANT_BUFFERS
            && push.all_registers() <= abi::PUSH_REGISTERS;
        if !fits {
            return None;
        }
        let driver = push.driver.iter().map(|&value| {
            let (place, more) = sum(value)?;
            Some(((VALUES_AT + place) as u8, more))
        });
        let driver: Vec<(u8, u32)> = driver.collect::<Option<_>>()?;
        let ranges: Vec<Range> = push.ranges.iter().map(Range::new).collect::<Option<_>>()?;
        let samplers = match push.samplers {
            Some(abi::Samplers { set, offset_bytes }) => {
                let value = DriverValue::SetPlace { set };
                Some(((VALUES_AT + place(value)?) as u8, offset_bytes))
            }
            None => None,
        };
        // The word that is always zero never changes.
        let bit = |place: u8| bits(usize::from(place) % BOUND_DW, 1) & !CONTENTS;
        let values = driver.iter().map(|value| bit(value.0));
        let block_reads = values.fold(bits(first as usize, count as usize), |all, bit| all | bit);
        let contents = if ranges.is_empty() { 0 } else { CONTENTS };
        let named = ranges.iter().map(|range| bit(range.place));
        let range_reads = named.fold(contents, |all, bit| all | bit);
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
        for (to, &(place, more)) in values.iter_mut().zip(&self.values) {
            *to = pushed_word(words, place).wrapping_add(more);
        }
    }
}

/// Stages that may have been given constants without a last buffer since work was waited for: a first buffer needs that wait.
#[derive(Clone, Copy, Debug)]
pub(super) struct Short(u8);

impl Default for Short {
    /// What older batches have named is not known.
    fn default() -> Self {
        Self(u8::MAX)
    }
}

impl Short {
    /// Notes what is named for a stage. True: work is to be waited for before.
    fn names(
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

/// What a stage is given: the words that are bound, and which of them are others than they were when it was given some last.
pub(super) struct Bound<'a> {
    pub(super) words: &'a [u32; BOUND_DW],
    pub(super) changed: Words,
}

/// Says the constants of a stage, and its samplers: writes what has changed, and names all. `named`: what the stage was given last.
pub(super) fn constants<G: DrawGeneration, M: Memory>(
    stream: &mut Stream<M>,
    machine: &Machine,
    stage: ConstantStage,
    pushed: Option<&Pushed>,
    bound: &Bound<'_>,
    named: &mut [ConstantBuffer; CONSTANT_BUFFERS],
    short: &mut Short,
) -> Result<(), M::Error> {
    match pushed {
        Some(pushed) => {
            let words = bound.words;
            if pushed.range_reads & bound.changed != 0 {
                // The last ones are used.
                let ranges = named.iter_mut().rev();
                for (to, range) in ranges.zip(pushed.ranges.iter().rev()) {
                    *to = range.buffer::<G, M>(stream, machine, words)?;
                }
            }
            let at = (CONSTANT_BUFFERS - 1).checked_sub(pushed.ranges.len());
            if pushed.block_reads & bound.changed != 0
                && let Some(block) = at.and_then(|at| named.get_mut(at))
            {
                let data = stream.data((pushed.registers * REGISTER_DW) as usize)?;
                pushed.write(words, data.words);
                *block = ConstantBuffer {
                    address: data.address,
                    registers: pushed.registers,
                };
            }
            if let Some((place, offset_bytes)) = pushed.samplers {
                let at = pushed_word(words, place).wrapping_add(offset_bytes);
                G::samplers(stream, stage, at)?;
            }
        }
        None => *named = Default::default(),
    }
    if short.names(stage, named) {
        G::control(stream, Control::STALL, machine.scrap_address)?;
    }
    G::draw_constants(stream, stage, named, machine.dynamic_base)
}

#[cfg(test)]
#[path = "pushed_tests.rs"]
mod tests;
