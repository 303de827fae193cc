//! Use of what nothing has written: GRF bytes are noted as they are written, and looked at before they are used.
//!
//! In:  an instruction before it executes, and its lanes. Out: the note of what it writes, or the rule that it breaks.
//! Ref: SKL PRM vol. 7, "EU Register Files"; vol. 2d, message descriptors.

use crate::general;
use crate::message::Stop;
use crate::region::{Kind, SrcOp};
use crate::regs;
use crate::rules;
use crate::state::State;
use crate::uop::{R, Run, Uop};
use isa::{CondMod, Opcode};

/// What a SEND sends.
pub(crate) struct Sent {
    pub(crate) sfid: u8,
    pub(crate) desc: u32,
    pub(crate) lanes: u32,
    /// First register, and how many.
    pub(crate) register: usize,
    pub(crate) len: usize,
}

fn uninitialised(u: &Uop, lane: usize, at: usize) -> Box<Stop> {
    u.undefined(
        &rules::UNINITIALISED,
        format!(
            "lane {lane} of {:?} reads g{}.{} before anything is written there",
            u.op,
            at / 32,
            at % 32
        ),
    )
}

impl State {
    /// Looks at an instruction of registers before it executes, where [`crate::Options::uninit`] is set.
    pub(crate) fn watch(&mut self, u: &Uop, lanes: u32) -> R {
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

    fn check_written(&self, u: &Uop, s: &SrcOp, lanes: u32) -> R {
        for i in 0..usize::from(u.n) {
            if lanes >> i & 1 == 0 {
                continue;
            }
            if let Some(at) = self.unwritten(u, s, i)? {
                return Err(uninitialised(u, i, at));
            }
        }
        Ok(())
    }

    /// Where a source's lane is that has unwritten bytes; nothing for other files than the GRF.
    fn unwritten(&self, u: &Uop, s: &SrcOp, lane: usize) -> Result<Option<usize>, Box<Stop>> {
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

    /// Moves and selections are no use of a value: compilers make them of undefined ones, and do nothing wrong. True if
    /// this is one, whose result is now as written as what it takes.
    fn carry(&mut self, u: &Uop, lanes: u32) -> Result<bool, Box<Stop>> {
        let chosen = match u.op {
            Opcode::Mov => u.full,
            Opcode::Sel => self.predicate(u),
            _ => return Ok(false),
        };
        let size = usize::from(u.dst.size);
        let direct = matches!(u.dst.kind, Kind::Contig | Kind::Table);
        if !direct || u.cmod != CondMod::None || u.dst.offset(0) + size > regs::GRF_BYTES {
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
    pub(crate) fn check_addresses(&self, u: &Uop, m: &Sent) -> R {
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
                    return Err(uninitialised(u, lane, at));
                }
            }
        }
        Ok(())
    }
}
