//! The state of one thread that instructions work on: its registers, its channels, its float mode.
//!
//! In:  what the loop and the instructions write. Out: what they read.
//! A channel that does not take part waits at an instruction; when the thread arrives there it takes part again.
//! Ref: SKL PRM vol. 7, "EU Register Files", "Execution Mask", "Control Register".

use crate::convert::{FpMode, Round};
use crate::host::Host;
use crate::regs::{self, Regs};
use crate::touched::{self, Bytes};

/// What to check and to count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Stop where the PRM leaves the result undefined: stray indirect addresses and the like.
    pub strict: bool,
    /// Stop where an enabled channel computes with a GRF byte that nothing has written, or sends it as an address. What
    /// is only moved or selected stays unwritten where it arrives.
    pub uninit: bool,
    /// Count lanes, classes and cycles, too, and not only instructions.
    pub statistics: bool,
}

/// What the instructions of one thread read and write.
pub(crate) struct State {
    pub(crate) regs: Box<Regs>,
    /// Channels that take part.
    pub(crate) amask: u32,
    /// Channels that wait at `pcip`.
    pub(crate) waiting: u32,
    pub(crate) pcip: [u32; 32],
    pub(crate) mode: FpMode,
    /// Bits to keep of an F denormal: only the sign where they are flushed.
    pub(crate) denorm_keep: u32,
    /// The float mode is one that only the general path knows.
    pub(crate) slow_float: bool,
    pub(crate) options: Options,
    pub(crate) host: Host,
    /// Where responses of messages are made.
    pub(crate) response: Vec<u32>,
    /// One bit for each GRF byte that has been written, kept where [`Options::uninit`] is set.
    pub(crate) written: Option<Box<Bytes>>,
}

impl State {
    /// Registers of zeros, and no channels.
    pub(crate) fn new(options: Options) -> State {
        State {
            regs: Box::new(Regs::new()),
            amask: 0,
            waiting: 0,
            pcip: [0; 32],
            mode: FpMode::from_cr0(0),
            denorm_keep: 0,
            slow_float: false,
            options,
            host: Host::detect(),
            response: Vec::new(),
            written: None,
        }
    }

    /// Takes the float mode from cr0.0.
    pub(crate) fn set_mode(&mut self) {
        self.mode = FpMode::from_cr0(self.regs.dword(regs::CR));
        self.denorm_keep = if self.mode.keep_f {
            u32::MAX
        } else {
            0x8000_0000
        };
        self.slow_float = self.mode.round != Round::Even || self.mode.alt;
    }

    /// Channels waiting at `pc` take part again.
    pub(crate) fn wake(&mut self, pc: u32) {
        let mut w = self.waiting;
        while w != 0 {
            let c = w.trailing_zeros() as usize;
            w &= w - 1;
            if self.pcip[c] == pc {
                self.waiting &= !(1 << c);
                self.amask |= 1 << c;
            }
        }
    }

    /// Sends channels to wait at `pc`.
    pub(crate) fn park(&mut self, channels: u32, pc: u32) {
        let mut w = channels;
        while w != 0 {
            let c = w.trailing_zeros() as usize;
            w &= w - 1;
            self.pcip[c] = pc;
        }
        self.waiting |= channels;
        self.amask &= !channels;
    }

    /// True where a channel takes part, or waits, at `pc`, the next instruction.
    pub(crate) fn any_at(&self, pc: u32) -> bool {
        if self.amask != 0 {
            return true;
        }
        let mut w = self.waiting;
        while w != 0 {
            let c = w.trailing_zeros() as usize;
            w &= w - 1;
            if self.pcip[c] == pc {
                return true;
            }
        }
        false
    }

    /// Sets an accumulator channel of an integer instruction.
    pub(crate) fn set_acc(&mut self, lane: usize, v: i64, size: usize) {
        if let Some(a) = self.regs.acc_wide.get_mut(lane) {
            *a = v;
        }
        let size = if size < 4 { size } else { size.min(8) };
        self.regs.write(regs::ACC + lane * size, size, v as u64);
    }

    /// Notes that GRF bytes have been written.
    pub(crate) fn mark_written(&mut self, from: usize, len: usize) {
        if let Some(w) = &mut self.written {
            touched::note(w, from, len);
        }
    }
}
