//! One thread: its registers, its channels, and the loop that runs it.
//!
//! In:  a [`Kernel`], a payload, the state registers. Out: messages, and why it stopped.
//! Ref: SKL PRM vol. 7, "EU Overview", "Thread Payload", "Execution Mask".

use crate::convert::{FpMode, Round};
use crate::decode::{Kernel, Run, Uop};
use crate::flags;
use crate::general;
use crate::message::{SharedFunctions, Stop};
use crate::region::{Kind, SrcOp};
use crate::regs::{self, Regs};
use crate::touched::{self, Bytes};
use isa::{Inst, Opcode};
use std::sync::Arc;

/// How a run ended without anything being wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// The thread sent its end-of-thread message.
    Eot,
    /// It waits for a notification: release it with [`Thread::notify`] and run it again.
    Barrier,
    /// The budget is used up; run it again to go on.
    Budget,
}

/// What to check and to count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Stop where the PRM leaves the result undefined: stray indirect addresses and the like.
    pub strict: bool,
    /// Stop where an enabled channel computes with a GRF byte that nothing has written, or sends it as an address. What
    /// is only moved or selected stays unwritten where it arrives.
    pub uninit: bool,
    /// Count instructions and lanes.
    pub statistics: bool,
}

/// What cr0.0 begins with beside the float and rounding modes: only denormals of single precision are flushed, until the
/// kernel asks otherwise (SKL PRM vol. 2d, INTERFACE_DESCRIPTOR_DATA, Denorm Mode, Ftz).
pub const KEEP_HALF_AND_DOUBLE_DENORMALS: u32 = 1 << 6 | 1 << 10;

/// All four bits of each group of four that has any.
fn whole_fours(mask: u32) -> u32 {
    let any = (mask | mask >> 1 | mask >> 2 | mask >> 3) & 0x1111_1111;
    any * 15
}

/// Initial values of a thread's state registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Init {
    /// sr0.0..sr0.7: dispatch state. sr0.2 is replaced by the dispatch mask, sr0.3 by the vector mask: the dispatch mask's
    /// groups of four channels that have any on (SKL PRM vol. 7, "State Register", DMask and VMask).
    pub sr0: [u32; 8],
    /// The thread begins with the vector mask's channels instead of the dispatch mask's.
    pub vector_mask: bool,
    /// cr0.0: bit 0 float mode (ALT), bits 5:4 rounding mode, bit 6 keep DF denormals, bit 7 keep F denormals,
    /// bit 10 keep HF denormals.
    pub cr0: u32,
    /// tdr0.0..tdr0.7, as words in dwords.
    pub tdr0: [u32; 4],
}

/// What a thread has executed, where [`Options::statistics`] is set (`instructions` is always counted).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Instructions executed.
    pub instructions: u64,
    /// Enabled lanes of all of them.
    pub lanes: u64,
    /// Instructions by class: see [`Statistics::CLASSES`].
    pub by_class: [u64; 6],
    /// Cycles that a FPU of the EU is busy, by the widths of operations alone: four bytes of each of four channels a
    /// cycle, a math function four times that, a message one. What threads wait for is not in it.
    pub cycles: u64,
}

impl std::ops::AddAssign<&Statistics> for Statistics {
    fn add_assign(&mut self, other: &Statistics) {
        self.instructions += other.instructions;
        self.lanes += other.lanes;
        for (to, from) in self.by_class.iter_mut().zip(other.by_class) {
            *to += from;
        }
        self.cycles += other.cycles;
    }
}

impl Statistics {
    /// Names of the classes.
    pub const CLASSES: [&'static str; 6] = ["move", "logic", "arithmetic", "math", "flow", "send"];

    fn class(op: Opcode) -> usize {
        match op {
            Opcode::Mov
            | Opcode::Sel
            | Opcode::Movi
            | Opcode::Smov
            | Opcode::Dim
            | Opcode::Csel => 0,
            Opcode::Not
            | Opcode::And
            | Opcode::Or
            | Opcode::Xor
            | Opcode::Shr
            | Opcode::Shl
            | Opcode::Asr
            | Opcode::Ror
            | Opcode::Rol
            | Opcode::Cmp
            | Opcode::Cmpn => 1,
            Opcode::Math => 3,
            Opcode::Send | Opcode::Sendc | Opcode::Sends | Opcode::Sendsc => 5,
            Opcode::Jmpi
            | Opcode::Brd
            | Opcode::If
            | Opcode::Brc
            | Opcode::Else
            | Opcode::Endif
            | Opcode::While
            | Opcode::Break
            | Opcode::Cont
            | Opcode::Halt
            | Opcode::Calla
            | Opcode::Call
            | Opcode::Ret
            | Opcode::Goto
            | Opcode::Join
            | Opcode::Wait
            | Opcode::Sync
            | Opcode::Nop => 4,
            _ => 2,
        }
    }
}

/// Sees every instruction before it executes.
pub trait TraceSink: Send {
    /// The instruction at byte offset `ip`, and its enabled lanes (lane 0 of the instruction in bit 0).
    fn instruction(&mut self, ip: u64, inst: &Inst, lanes: u32);
}

/// A thread on an EU.
pub struct Thread {
    kernel: Arc<Kernel>,
    pub(crate) regs: Box<Regs>,
    /// Channels that take part.
    pub(crate) amask: u32,
    /// Channels that wait at `pcip`.
    pub(crate) waiting: u32,
    pub(crate) pcip: [u32; 32],
    pc: u32,
    pub(crate) mode: FpMode,
    /// Bits to keep of an F denormal: only the sign where they are flushed.
    pub(crate) denorm_keep: u32,
    /// The float mode is one that only the general path knows.
    pub(crate) slow_float: bool,
    pub(crate) options: Options,
    statistics: Statistics,
    trace: Option<Box<dyn TraceSink>>,
    /// Where responses of messages are made.
    pub(crate) response: Vec<u32>,
    /// One bit for each GRF byte that has been written, kept where [`Options::uninit`] is set.
    written: Option<Box<Bytes>>,
    /// Length of the payload and channels of a thread of a straight kernel that has found all it used written: one like it
    /// finds the same.
    vetted: Option<(usize, u32)>,
    payload_dwords: usize,
    done: bool,
}

/// The notification counter that a WAIT looks at.
fn wait_register(u: &Uop) -> usize {
    match u.inst.src[0].addr {
        isa::Addr::Direct { sub_bytes, .. } => regs::N0 + usize::from(sub_bytes & 12),
        isa::Addr::Indirect { .. } => regs::N0,
    }
}

impl Thread {
    /// A thread at the start of `kernel`, with `payload` in g0 and on, and the channels of `dispatch_mask`.
    pub fn new(
        kernel: &Arc<Kernel>,
        payload: &[u32],
        dispatch_mask: u32,
        init: &Init,
        options: Options,
    ) -> Thread {
        let mut t = Thread {
            kernel: Arc::clone(kernel),
            regs: Box::new(Regs::new()),
            amask: 0,
            waiting: 0,
            pcip: [0; 32],
            pc: 0,
            mode: FpMode::from_cr0(0),
            denorm_keep: 0,
            slow_float: false,
            options,
            statistics: Statistics::default(),
            trace: None,
            response: Vec::new(),
            written: None,
            vetted: None,
            payload_dwords: 0,
            done: false,
        };
        t.start(payload, dispatch_mask, init);
        t
    }

    /// Makes this thread a new one of another kernel, reusing its memory. Registers start as zeros.
    pub fn reset(
        &mut self,
        kernel: &Arc<Kernel>,
        payload: &[u32],
        dispatch_mask: u32,
        init: &Init,
    ) {
        if !Arc::ptr_eq(&self.kernel, kernel) {
            self.kernel = Arc::clone(kernel);
            self.vetted = None;
            self.regs.clear();
        } else {
            self.regs.clear_parts(&kernel.writes, self.payload_dwords);
        }
        self.statistics = Statistics::default();
        self.start(payload, dispatch_mask, init);
    }

    fn start(&mut self, payload: &[u32], dispatch_mask: u32, init: &Init) {
        self.pc = self.kernel.at(self.kernel.start()).unwrap_or(u32::MAX);
        let vector_mask = whole_fours(dispatch_mask);
        self.amask = match init.vector_mask {
            true => vector_mask,
            false => dispatch_mask,
        };
        self.waiting = 0;
        self.done = false;
        let n = payload.len().min(regs::GRF_BYTES / 4);
        self.payload_dwords = n;
        let looked_at = self.options.uninit && self.vetted != Some((n, self.amask));
        self.written = looked_at.then(|| Box::new([0; 128]));
        self.regs.dwords_mut()[..n].copy_from_slice(&payload[..n]);
        self.mark_written(0, n * 4);
        for (i, v) in init.sr0.iter().enumerate() {
            self.regs.set_dword(regs::SR + 4 * i, *v);
        }
        self.regs.set_dword(regs::SR + 8, dispatch_mask);
        self.regs.set_dword(regs::SR + 12, vector_mask);
        for (i, v) in init.tdr0.iter().enumerate() {
            self.regs.set_dword(regs::TDR + 4 * i, *v);
        }
        self.regs.set_dword(regs::CR, init.cr0);
        self.set_mode();
    }

    fn set_mode(&mut self) {
        self.mode = FpMode::from_cr0(self.regs.dword(regs::CR));
        self.denorm_keep = if self.mode.keep_f {
            u32::MAX
        } else {
            0x8000_0000
        };
        self.slow_float = self.mode.round != Round::Even || self.mode.alt;
    }

    /// Sends every instruction to `sink` before it executes.
    pub fn set_trace(&mut self, sink: Box<dyn TraceSink>) {
        self.trace = Some(sink);
    }

    /// The GRF: 128 registers of eight dwords.
    pub fn grf(&self) -> &[u32] {
        self.regs.grf()
    }

    /// f0 in the low half, f1 in the high half.
    pub fn flags(&self) -> u64 {
        self.regs.flags()
    }

    /// Channels that take part now.
    pub fn active(&self) -> u32 {
        self.amask
    }

    /// What has been executed.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// Byte offset of the next instruction.
    pub fn ip(&self) -> u64 {
        self.kernel.uops.get(self.pc as usize).map_or(0, |u| u.ip)
    }

    /// Delivers a notification: the barrier the thread waits for is released.
    pub fn notify(&mut self) {
        let n = self.regs.dword(regs::N0);
        self.regs.set_dword(regs::N0, n.wrapping_add(1));
    }

    /// Lanes of `u` that are enabled by the execution mask and the predicate.
    #[inline]
    pub(crate) fn mask(&self, u: &Uop) -> u32 {
        let m = if u.no_mask {
            u.full
        } else {
            (self.amask >> u.chan) & u.full
        };
        // The predicate of SEL selects a source; it disables nothing.
        if u.pred.is_none() || u.op == Opcode::Sel {
            m
        } else {
            m & self.predicate(u)
        }
    }

    /// The predicate of each lane; all lanes where there is none.
    #[inline]
    pub(crate) fn predicate(&self, u: &Uop) -> u32 {
        match &u.pred {
            None => u.full,
            Some(p) if p.ctrl == isa::PredCtrl::Normal => {
                let w = flags::window(self.regs.flags(), u.flag_bit());
                (if p.inverse { !w } else { w }) & u.full
            }
            Some(p) => flags::predicate(p, self.regs.flags(), u.flag, u.chan, u.n),
        }
    }

    /// Sets an accumulator channel of an integer instruction.
    pub(crate) fn set_acc(&mut self, lane: usize, v: i64, size: usize) {
        if let Some(a) = self.regs.acc_wide.get_mut(lane) {
            *a = v;
        }
        let size = if size < 4 { size } else { size.min(8) };
        self.regs.write(regs::ACC + lane * size, size, v as u64);
    }

    pub(crate) fn undefined(&self, u: &Uop, rule: &crate::rules::Rule, what: String) -> Box<Stop> {
        Box::new(Stop::Undefined {
            rule: rule.name,
            prm: rule.prm,
            what,
            at: u.ip,
        })
    }

    pub(crate) fn unimplemented(&self, u: &Uop) -> Box<Stop> {
        let f = u.math.map_or(String::new(), |m| format!(" {m:?}"));
        Box::new(Stop::Unimplemented {
            what: format!("{:?}{f} of {:?} and {:?}", u.op, u.dst.ty, u.src[0].ty),
            at: u.ip,
        })
    }

    /// An operation on types it does not have.
    pub(crate) fn wrong_types(&self, u: &Uop) -> Box<Stop> {
        self.undefined(
            u,
            &crate::rules::TYPES,
            format!("{:?} of {:?} and {:?}", u.op, u.dst.ty, u.src[0].ty),
        )
    }

    /// Notes that GRF bytes have been written.
    pub(crate) fn mark_written(&mut self, from: usize, len: usize) {
        if let Some(w) = &mut self.written {
            touched::note(w, from, len);
        }
    }

    /// Runs until the end of the thread, a barrier, or `budget` instructions.
    ///
    /// # Errors
    /// Where the program does something undefined, not simulated, or that faults; the thread is finished then.
    pub fn run(&mut self, sf: &mut dyn SharedFunctions, budget: u64) -> Result<Exit, Stop> {
        let kernel = Arc::clone(&self.kernel);
        if self.done {
            return Ok(Exit::Eot);
        }
        let observed = self.options.statistics || self.written.is_some() || self.trace.is_some();
        let mut pc = self.pc;
        let mut left = budget;
        let end = loop {
            if left == 0 {
                break Ok(Exit::Budget);
            }
            let Some(u) = kernel.uops.get(pc as usize) else {
                break Err(Box::new(Stop::Fault {
                    what: "jump to an instruction that does not exist".into(),
                    at: self.ip(),
                }));
            };
            self.pc = pc;
            if u.join && self.waiting != 0 {
                self.wake(pc);
            }
            if observed && let Err(e) = self.observe(u) {
                break Err(e);
            }
            left -= 1;
            let step = match &u.run {
                Run::Alu(f) => f(self, u).map(|()| u.next),
                Run::Flow(f) => self.flow(*f, u, &kernel),
                Run::Send => match self.send(u, sf) {
                    Ok(true) => {
                        self.done = true;
                        if kernel.straight && self.written.is_some() {
                            self.vetted = Some((self.payload_dwords, self.amask));
                        }
                        break Ok(Exit::Eot);
                    }
                    Ok(false) => Ok(u.next),
                    Err(e) => Err(e),
                },
                Run::Special => self.special(u, sf, &kernel),
                Run::Nop => Ok(u.next),
                Run::Wait => {
                    let at = wait_register(u);
                    let n = self.regs.dword(at);
                    if n == 0 {
                        left += 1;
                        break Ok(Exit::Barrier);
                    }
                    self.regs.set_dword(at, n - 1);
                    Ok(u.next)
                }
                Run::Trap(s) => Err(s.clone()),
            };
            match step {
                Ok(next) => pc = next,
                Err(e) => break Err(e),
            }
        };
        self.pc = pc;
        self.statistics.instructions += budget - left;
        match end {
            Ok(e) => Ok(e),
            Err(e) => {
                self.done = true;
                Err(*e)
            }
        }
    }

    /// An instruction on registers that change by themselves or that change the thread.
    fn special(
        &mut self,
        u: &Uop,
        sf: &mut dyn SharedFunctions,
        kernel: &Kernel,
    ) -> Result<u32, Box<Stop>> {
        if u.src.iter().any(|s| s.within(regs::TM, regs::FC)) {
            let now = sf.timestamp();
            self.regs.set_dword(regs::TM, now as u32);
            self.regs.set_dword(regs::TM + 4, (now >> 32) as u32);
        }
        self.regs.set_dword(regs::CE, self.amask);
        self.regs.set_dword(regs::IP, u.ip as u32);
        general::execute(self, u)?;
        if matches!(u.dst.kind, Kind::Contig | Kind::Table) {
            let base = usize::from(u.dst.base);
            if (regs::CR..regs::N0).contains(&base) {
                self.set_mode();
            }
            if (regs::IP..regs::TDR).contains(&base) {
                let at = u64::from(self.regs.dword(regs::IP));
                return kernel.at(at).ok_or_else(|| {
                    Box::new(Stop::Unimplemented {
                        what: format!("write of {at:#x} to ip"),
                        at: u.ip,
                    })
                });
            }
        }
        Ok(u.next)
    }

    /// Everything that watches an instruction rather than executes it.
    fn observe(&mut self, u: &Uop) -> general::R {
        let lanes = self.mask(u);
        if let Some(t) = &mut self.trace {
            t.instruction(u.ip, &u.inst, lanes);
        }
        if self.options.statistics {
            self.statistics.lanes += u64::from(lanes.count_ones());
            let class = Statistics::class(u.op);
            self.statistics.by_class[class] += 1;
            let quads = u64::from(u.n.div_ceil(4));
            let wide = u64::from(u.dst.size.max(u.src[0].size).max(4) / 4);
            self.statistics.cycles += match Statistics::CLASSES[class] {
                "math" => quads * wide * 4,
                "flow" | "send" => 1,
                _ => quads * wide,
            };
        }
        if self.written.is_none() || matches!(u.run, Run::Flow(_) | Run::Send) {
            return Ok(());
        }
        if let (Some(touched), Some(written)) = (&u.touched, &mut self.written)
            && touched.is_ready(written)
        {
            match lanes & u.dst.lane_mask & u.full == u.full {
                true => touched.note(written),
                false => self.mark_lanes(u, lanes & u.dst.lane_mask, 0),
            }
            return Ok(());
        }
        if self.carry(u, lanes)? {
            return Ok(());
        }
        // An instruction without mask goes through lanes that are off, too. Nobody means what they make of unwritten values,
        // and it is as unwritten.
        let meant = lanes & (self.amask >> u.chan);
        let sources = &u.src[..usize::from(u.sources).min(3)];
        let mut unwritten = 0u32;
        for s in sources {
            self.check_written(u, s, meant)?;
            for i in (0..usize::from(u.n)).filter(|i| (lanes & !meant) >> i & 1 != 0) {
                unwritten |= u32::from(self.unwritten(u, s, i)?.is_some()) << i;
            }
        }
        if matches!(u.dst.kind, Kind::Contig | Kind::Table) {
            self.mark_lanes(u, lanes & u.dst.lane_mask, unwritten);
        } else if u.dst.kind == Kind::Indirect {
            let far = (usize::from(u.n) - 1) * usize::from(u.dst.stride) + usize::from(u.dst.size);
            let at = general::address(self, u, usize::from(u.dst.a0_sub), u.dst.disp, 0, far)?;
            self.mark_written(at, far);
        }
        Ok(())
    }

    fn check_written(&self, u: &Uop, s: &SrcOp, lanes: u32) -> general::R {
        for i in 0..usize::from(u.n) {
            if lanes >> i & 1 == 0 {
                continue;
            }
            if let Some(at) = self.unwritten(u, s, i)? {
                return Err(self.uninitialised(u, i, at));
            }
        }
        Ok(())
    }

    /// Where a source's lane is that has unwritten bytes; nothing for other files than the GRF.
    fn unwritten(
        &self,
        u: &Uop,
        s: &SrcOp,
        lane: usize,
    ) -> Result<Option<usize>, Box<crate::message::Stop>> {
        let Some(w) = self.written.as_ref().filter(|_| s.kind != Kind::Imm) else {
            return Ok(None);
        };
        let at = match s.kind {
            Kind::Indirect => general::indirect(self, u, s, lane)?,
            _ => s.offset(lane),
        };
        let size = usize::from(s.size);
        if at + size > regs::GRF_BYTES {
            return Ok(None);
        }
        let need = (((1u64 << size) - 1) << (at % 32)) as u32;
        Ok((w[at / 32] & need != need).then_some(at))
    }

    fn uninitialised(&self, u: &Uop, lane: usize, at: usize) -> Box<crate::message::Stop> {
        self.undefined(
            u,
            &crate::rules::UNINITIALISED,
            format!(
                "lane {lane} of {:?} reads g{}.{} before anything is written there",
                u.op,
                at / 32,
                at % 32
            ),
        )
    }

    /// Moves and selections are no use of a value: compilers make them of undefined ones, and do nothing wrong. True if
    /// this is one, whose result is now as written as what it takes.
    fn carry(&mut self, u: &Uop, lanes: u32) -> Result<bool, Box<crate::message::Stop>> {
        let chosen = match u.op {
            Opcode::Mov => u.full,
            Opcode::Sel => self.predicate(u),
            _ => return Ok(false),
        };
        let size = usize::from(u.dst.size);
        let direct = matches!(u.dst.kind, Kind::Contig | Kind::Table);
        if !direct || u.cmod != isa::CondMod::None || u.dst.offset(0) + size > regs::GRF_BYTES {
            return Ok(false);
        }
        let lanes = lanes & u.dst.lane_mask;
        // A copy of bits is as written as its source, byte for byte.
        let s = &u.src[0];
        let bits = u.op == Opcode::Mov && s.ty == u.dst.ty && !s.abs && !s.neg && !u.saturate;
        let mut unwritten = 0u32;
        let mut bytes = [0u32; 32];
        for i in (0..usize::from(u.n)).filter(|i| lanes >> i & 1 != 0) {
            let source = &u.src[usize::from(chosen >> i & 1 == 0)];
            if let Some(at) = self.unwritten(u, source, i)? {
                unwritten |= 1 << i;
                if let (true, Some(w)) = (bits, &self.written) {
                    bytes[i] = w[at / 32] >> (at % 32) & ((1u64 << size) - 1) as u32;
                }
            }
        }
        self.mark_lanes(u, lanes, unwritten);
        if bits && let Some(w) = &mut self.written {
            for i in (0..usize::from(u.n)).filter(|i| (lanes & unwritten) >> i & 1 != 0) {
                let at = u.dst.offset(i);
                w[at / 32] |= bytes[i] << (at % 32);
            }
        }
        Ok(true)
    }

    /// Notes that lanes of a destination have been written, but for those of `unwritten`.
    fn mark_lanes(&mut self, u: &Uop, lanes: u32, unwritten: u32) {
        let size = usize::from(u.dst.size);
        for i in (0..usize::from(u.n)).filter(|i| lanes >> i & 1 != 0) {
            let at = u.dst.offset(i);
            self.mark_written(at, size);
            if unwritten >> i & 1 != 0
                && let Some(w) = &mut self.written
            {
                for b in at..(at + size).min(regs::GRF_BYTES) {
                    w[b / 32] &= !(1 << (b % 32));
                }
            }
        }
    }

    /// Checks that what a SEND's enabled lanes send as addresses, or as handles, has been written.
    pub(crate) fn check_addresses(&self, u: &Uop, m: &Sent) -> general::R {
        let Some(w) = &self.written else {
            return Ok(());
        };
        let header = (m.desc >> 19 & 1) as usize;
        let end = (m.register + m.len) * 32;
        // SIMD8 messages to the URB begin with a register of handles, and have one of offsets and one of masks if they say so.
        let urb = m.sfid == 6 && matches!(m.desc & 15, 7 | 8);
        let more = (m.desc >> 17 & 1) + (m.desc >> 15 & 1);
        // SKL PRM vol. 2d: messages of both data caches that have an address for each lane, by their type.
        let bytes = match (m.sfid, m.desc >> 14 & 31) {
            (12, 0x01 | 0x02 | 0x09 | 0x1b) => 4,
            (12, 0x10..=0x12 | 0x19 | 0x1a | 0x1d) => 8,
            (10, t) if matches!(t & 15, 3 | 4 | 11 | 12) && m.desc >> 18 & 1 == 0 => 4,
            _ if urb => 4,
            _ => return Ok(()),
        };
        let (first, blocks, lanes) = match urb {
            true => (0, 1 + more as usize, m.lanes & 0xff),
            false => (header, 1, m.lanes),
        };
        // Most often all of the registers have been written.
        let reach =
            (lanes.checked_ilog2().map_or(0, |last| last as usize + 1) * bytes).div_ceil(32);
        for block in first..first + blocks {
            let from = m.register + block;
            let whole = w.get(from..from + reach);
            if whole.is_some_and(|whole| whole.iter().all(|bytes| *bytes == u32::MAX)) {
                continue;
            }
            for lane in (0..32).filter(|lane| lanes >> lane & 1 != 0) {
                let at = (m.register + block) * 32 + lane * bytes;
                let inside = at + bytes <= end;
                let need = (((1u64 << bytes) - 1) << (at % 32)) as u32;
                if inside && w.get(at / 32).is_some_and(|w| w & need != need) {
                    return Err(self.uninitialised(u, lane, at));
                }
            }
        }
        Ok(())
    }
}

/// What a SEND sends.
pub(crate) struct Sent {
    pub(crate) sfid: u8,
    pub(crate) desc: u32,
    pub(crate) lanes: u32,
    /// First register, and how many.
    pub(crate) register: usize,
    pub(crate) len: usize,
}
