//! Commands that run only where memory says so: conditions, and draws counted in memory.
//!
//! In:  where the condition or the count lies. Out: the command streamer's predicate, which draws and dispatches then ask for.
//! While a condition holds sway, [`DISCARDED`] keeps what it came to, and the predicate is its opposite between commands. A batch that is
//! executed by another one finds both as they were left.
//! Ref: SKL PRM vol. 2a, "MI_PREDICATE", "3DPRIMITIVE" and "GPGPU_WALKER" (Predicate Enable).

use hw::register::{CS_GPR0, MI_PREDICATE_RESULT, MI_PREDICATE_SRC0, MI_PREDICATE_SRC1};

use crate::draw::DrawGeneration;
use crate::mi::{self, Predicate};
use crate::recorder::Recorder;
use crate::stream::{Memory, Stream};

/// A register that nothing else uses: 0 where commands run, 1 where they do not.
const DISCARDED: u32 = CS_GPR0 + 15 * 8;

/// Compares a register's low dword with zero.
fn compare_with_zero<M: Memory>(stream: &mut Stream<M>) -> Result<(), M::Error> {
    stream.put(mi::load_register(MI_PREDICATE_SRC0 + 4, 0))?;
    stream.put(mi::load_register(MI_PREDICATE_SRC1, 0))?;
    stream.put(mi::load_register(MI_PREDICATE_SRC1 + 4, 0))
}

impl<G: DrawGeneration, M: Memory> Recorder<G, M> {
    /// Draws and dispatches run from here on where a dword is not zero, or where it is.
    pub fn begin_condition(&mut self, address: u64, inverted: bool) -> Result<(), M::Error> {
        self.settle_other()?;
        let stream = &mut self.stream;
        stream.put(mi::load_register_mem(MI_PREDICATE_SRC0, address))?;
        compare_with_zero(stream)?;
        let (discards, runs) = match inverted {
            false => (Predicate::Equal, Predicate::Unequal),
            true => (Predicate::Unequal, Predicate::Equal),
        };
        stream.put(mi::predicate(discards))?;
        stream.put(mi::copy_register(MI_PREDICATE_RESULT, DISCARDED))?;
        stream.put(mi::predicate(runs))?;
        self.conditional = true;
        Ok(())
    }

    /// What the driver itself draws and launches runs only where a dword is not zero, until [`Recorder::suppose_nothing`].
    pub(crate) fn suppose(&mut self, address: u64) -> Result<(), M::Error> {
        let stream = &mut self.stream;
        stream.put(mi::load_register_mem(MI_PREDICATE_SRC0, address))?;
        compare_with_zero(stream)?;
        stream.put(mi::predicate(Predicate::Unequal))?;
        self.supposes = true;
        Ok(())
    }

    /// What the driver itself draws and launches runs in any case again; a condition that holds sway does as before.
    pub fn suppose_nothing(&mut self) -> Result<(), M::Error> {
        self.supposes = false;
        match self.conditional {
            true => self.hold(),
            false => Ok(()),
        }
    }

    /// The predicate is again what a condition came to.
    fn hold(&mut self) -> Result<(), M::Error> {
        let stream = &mut self.stream;
        stream.put(mi::copy_register(DISCARDED, MI_PREDICATE_SRC0))?;
        compare_with_zero(stream)?;
        stream.put(mi::predicate(Predicate::Equal))
    }

    /// Lets a batch run that is executed next and expects a condition, where none holds sway.
    pub fn satisfy(&mut self) -> Result<(), M::Error> {
        let stream = &mut self.stream;
        stream.put(mi::load_register(DISCARDED, 0))?;
        stream.put(mi::load_register(MI_PREDICATE_SRC0, 0))?;
        compare_with_zero(stream)?;
        stream.put(mi::predicate(Predicate::Equal))
    }

    /// Whether a condition holds sway.
    pub fn is_conditional(&self) -> bool {
        self.conditional
    }

    /// Draws and dispatches run again; or, in a batch that another one executes, as the condition there says.
    pub fn set_conditional(&mut self, conditional: bool) {
        self.conditional = conditional;
    }

    /// Draws as memory says, as many times as a dword says, but at most `most` times; each draw's arguments are `stride_bytes` behind
    /// those of the one before. False: as [`Recorder::draw`].
    pub fn draw_counted(
        &mut self,
        address: u64,
        stride_bytes: u32,
        indexed: bool,
        count_at: u64,
        most: u32,
    ) -> Result<bool, M::Error> {
        self.settle()?;
        let conditional = self.conditional;
        let stream = &mut self.stream;
        stream.put(mi::load_register_mem(MI_PREDICATE_SRC0, count_at))?;
        // Where nothing is to be drawn, no number is the count.
        let high = MI_PREDICATE_SRC0 + 4;
        match conditional {
            true => stream.put(mi::copy_register(DISCARDED, high))?,
            false => stream.put(mi::load_register(high, 0))?,
        }
        stream.put(mi::load_register(MI_PREDICATE_SRC1 + 4, 0))?;
        for number in 0..most {
            // Where something is drawn, the predicate holds until the number has come to the count.
            self.stream
                .put(mi::load_register(MI_PREDICATE_SRC1, number))?;
            self.stream
                .put(mi::predicate(match number == 0 && !conditional {
                    true => Predicate::Unequal,
                    false => Predicate::ToggledIfEqual,
                }))?;
            let at = address + u64::from(number) * u64::from(stride_bytes);
            if !self.indirect(at, indexed, number, true)? {
                return Ok(false);
            }
        }
        if conditional {
            self.hold()?;
        }
        Ok(true)
    }
}
