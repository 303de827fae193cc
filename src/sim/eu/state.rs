//! The state of one thread that instructions read and write: registers, channel masks, float mode.
//!
//! In:  state changes by the run loop and by instructions. Out: the current state. A channel that
//!      is not active waits at an instruction (its PcIP); when the thread gets there, it becomes
//!      active again.
//! Ref: SKL PRM vol. 7, "EU Register Files", "Execution Mask", "Control Register".

use crate::byte_ranges::{self, GrfByteMask, UndefinedValues};
use crate::convert::{FpMode, RoundingMode};
use crate::host_simd::HostSimd;
use crate::regs::{self, Regs};

/// Checks and counters of a thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Stop where the PRM leaves the result undefined, such as at indirect addresses outside the
    /// register file.
    pub strict: bool,
    /// Stop where an enabled channel branches by a value that is computed from uninitialised GRF
    /// bytes, sends such a value, or sends uninitialised bytes as an address.
    pub uninit: bool,
    /// Count lanes, instruction classes and cycles besides instructions.
    pub statistics: bool,
}

/// The state of one thread.
pub(crate) struct State {
    pub(crate) regs: Box<Regs>,
    /// Active channels (AMask).
    pub(crate) amask: u32,
    /// Channels that wait at the instruction in their `pcip`.
    pub(crate) waiting: u32,
    /// For each channel the index of the instruction at which it waits.
    pub(crate) pcip: [u32; 32],
    pub(crate) fp_mode: FpMode,
    /// The bits of an F denormal that remain: all of them, or only the sign if denormals are
    /// flushed.
    pub(crate) f_denorm_mask: u32,
    /// Only the interpreter implements the current float mode (rounding other than to nearest even,
    /// alternate mode).
    pub(crate) fp_needs_interpreter: bool,
    pub(crate) options: Options,
    pub(crate) host_simd: HostSimd,
    /// Buffer for responses that cannot be written in place.
    pub(crate) response: Vec<u32>,
    /// The GRF bytes that have been written; None unless [`Options::uninit`] is set.
    pub(crate) written: Option<Box<GrfByteMask>>,
    /// Results of uninitialised operands.
    pub(crate) undefined: UndefinedValues,
}

impl State {
    /// A state with zeroed registers and no active channels.
    pub(crate) fn new(options: Options) -> State {
        State {
            regs: Box::new(Regs::new()),
            amask: 0,
            waiting: 0,
            pcip: [0; 32],
            fp_mode: FpMode::from_cr0(0),
            f_denorm_mask: 0,
            fp_needs_interpreter: false,
            options,
            host_simd: HostSimd::detect(),
            response: Vec::new(),
            written: None,
            undefined: UndefinedValues::new(),
        }
    }

    /// Updates the float mode from cr0.0.
    pub(crate) fn update_fp_mode(&mut self) {
        self.fp_mode = FpMode::from_cr0(self.regs.dword(regs::CR));
        self.f_denorm_mask = if self.fp_mode.keep_f_denorms {
            u32::MAX
        } else {
            0x8000_0000
        };
        self.fp_needs_interpreter =
            self.fp_mode.round != RoundingMode::Even || self.fp_mode.alternate;
    }

    /// Activates the channels that wait at instruction `pc`.
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

    /// Deactivates channels; they wait at instruction `pc`.
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

    /// True if any channel executes the next instruction `pc`: because it is active, or because it
    /// waits there.
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

    /// Writes the integer `v` to an accumulator channel: at full width, and its low `size` bytes
    /// (at most eight) in the register.
    pub(crate) fn set_acc(&mut self, lane: usize, v: i64, size: usize) {
        if let Some(a) = self.regs.acc_wide.get_mut(lane) {
            *a = v;
        }
        let size = if size < 4 { size } else { size.min(8) };
        self.regs.write(regs::ACC + lane * size, size, v as u64);
    }

    /// Marks `len` GRF bytes from byte `from` on as written.
    pub(crate) fn mark_written(&mut self, from: usize, len: usize) {
        if let Some(w) = &mut self.written {
            byte_ranges::mark(w, from, len);
        }
    }
}
