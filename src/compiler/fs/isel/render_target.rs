//! Render target writes, the last of which ends a fragment thread.
//!
//! In:  the outputs of a fragment shader. Out: one message per render target. SIMD32 threads send
//! two for each target, of 16 pixels each.
//! Ref: SKL PRM vol. 7, "Render Target Write", payload order: header, sample mask, colours, depth.

use super::context::Isel;
use super::demote::{PIXEL_FLAG, pixel_flag};
use super::fragment::{PIXEL_GROUP, PIXEL_MASK_OFFSET, group_offset};
use super::payload::{Outputs, Thread};
use crate::error::FsError;
use crate::lir::builder::{Exec, Lanes, Mods};
use crate::lir::message::{self, RenderTargetWrite};
use crate::lir::{Dst, GRF_BYTES, Op, Reg, Src};
use abi::{ComputedDepth, FragmentInfo};
use isa::{Opcode, Type};
use nir::Slot;
use smallvec::SmallVec;

/// Registers of a message header.
const HEADER_REGISTERS: u8 = 2;

/// What the render target writes of a thread have in common.
struct TargetWrites {
    info: FragmentInfo,
    outputs: Outputs,
    kind: RenderTargetWrite,
    /// Messages have a header.
    has_header: bool,
    /// r0 and r1 can serve as the header without a copy.
    header_in_place: bool,
    sample_mask: Option<Lanes>,
    depth: Option<Lanes>,
    stencil: Option<Lanes>,
    mods: Mods,
}

impl Isel<'_> {
    /// Writes the render targets and ends the thread. A shader without colour outputs writes to
    /// target 0, which is a null surface then.
    pub(super) fn write_render_targets(&mut self) -> Result<(), FsError> {
        let Thread::Fragment(thread) = &mut self.thread else {
            return Ok(());
        };
        let info = thread.info().clone();
        let outputs = std::mem::take(thread.outputs());
        if self.replicated {
            return self.write_replicated_color(&info, &outputs);
        }
        let mut targets: SmallVec<[u8; 8]> =
            (0..8).filter(|t| info.targets >> t & 1 == 1).collect();
        if targets.is_empty() {
            targets.push(0);
        }
        let writes = self.prepare_target_writes(info, outputs, &targets)?;
        let last = targets.len() - 1;
        let width = self.b.width();
        let (lanes, first_lanes) = self.split_lanes(PIXEL_GROUP);
        for (k, &target) in targets.iter().enumerate() {
            for lane in first_lanes.clone() {
                let eot = k == last && lane + lanes == width;
                self.write_render_target(&writes, target, lane, k == last, eot);
            }
        }
        Ok(())
    }

    /// Emits what all messages share, before the first one.
    fn prepare_target_writes(
        &mut self,
        info: FragmentInfo,
        outputs: Outputs,
        targets: &[u8],
    ) -> Result<TargetWrites, FsError> {
        let width = self.b.width();
        let in_flag = self.tracks_demotes_in_flag();
        if (info.dual_source || info.output_stencil) && width > 8 {
            return Err(FsError::Unsupported {
                op: "store_output",
                what: "dual-source blending and stencil output need SIMD8",
            });
        }
        let kind = match (info.dual_source, width) {
            (true, _) => RenderTargetWrite::DualSource,
            (false, 8) => RenderTargetWrite::Simd8,
            (false, _) => RenderTargetWrite::Simd16,
        };
        // A message without a header writes target 0 with the blend state of target 0.
        let has_header = info.dual_source || info.output_stencil || targets != [0];
        let sample_mask = outputs.component(Slot::FRAG_SAMPLE_MASK.0, 0, 0);
        let sample_mask = sample_mask.map(|mask| self.sample_mask_payload(mask));
        let depth = match info.computed_depth {
            ComputedDepth::Off => None,
            _ => outputs.component(Slot::FRAG_DEPTH.0, 0, 0),
        };
        let stencil = outputs.component(Slot::FRAG_STENCIL.0, 0, 0);
        let stencil = stencil.map(|stencil| self.stencil_payload(stencil));
        let mods = match (info.kills, in_flag) {
            (false, _) => Mods::NONE,
            (true, false) => self.with_live_predicate(Mods::NONE),
            (true, true) => Mods::pred(PIXEL_FLAG, true),
        };
        if in_flag && has_header {
            // All headers are copied from r0 and r1, so one AND removes demoted pixels from them
            // all.
            let to = Lanes::new(self.r0, PIXEL_MASK_OFFSET, Type::Uw, 0);
            let flag = pixel_flag().negated();
            self.b.emit(
                Op::Eu(Opcode::And),
                Exec::Scalar,
                to,
                &[flag, to],
                Mods::NONE,
            );
        }
        // A live mask in a VGRF has to be written into each header, and r0 is only followed by the
        // r1 of the first pixel group.
        let header_in_place = (!info.kills || in_flag) && width <= PIXEL_GROUP;
        Ok(TargetWrites {
            info,
            outputs,
            kind,
            has_header,
            header_in_place,
            sample_mask,
            depth,
            stencil,
            mods,
        })
    }

    /// Writes one pixel group of a render target.
    fn write_render_target(
        &mut self,
        writes: &TargetWrites,
        target: u8,
        lane: u8,
        is_last_target: bool,
        eot: bool,
    ) {
        let info = &writes.info;
        let lanes = self.b.width().min(PIXEL_GROUP);
        let exec = Exec::Range(lane, lanes);
        let mut headers: SmallVec<[Lanes; 3]> = SmallVec::new();
        // The EOT message has a single payload, at the end of the register file.
        let split =
            writes.has_header && !is_last_target && !info.output_stencil && writes.header_in_place;
        if split && target > 0 {
            let number = Lanes::new(self.r0, 8, Type::Ud, 0);
            self.b
                .mov(Exec::Scalar, number, Lanes::imm(Type::Ud, target.into()));
        }
        if writes.has_header && !split {
            headers.extend(self.render_target_header(target, lane, info));
        }
        headers.extend(
            writes
                .sample_mask
                .map(|mask| mask.offset_by(group_offset(lane))),
        );
        let values = target_values(writes, target, headers.is_empty() && !eot);
        let payload = if eot {
            self.b.collect_eot(exec, &headers, &values)
        } else {
            self.b.collect(exec, &headers, &values)
        };
        let regs = (headers.len() + values.len() * usize::from(lanes) / 8) as u8;
        let mut send =
            message::render_target_write(target, writes.kind, lane, is_last_target, regs);
        send.header = writes.has_header;
        send.eot = eot;
        let (first, second) = if split {
            (send.mlen, send.ex_mlen) = (HEADER_REGISTERS, regs);
            (Src::vgrf(self.r0, 0, Type::Ud, 1), payload)
        } else {
            (payload, Src::NULL)
        };
        let null = Dst::null(Type::Ud);
        self.b
            .send(exec, null, first, second, Src::NULL, send, writes.mods);
    }

    /// True if the shader tracks demoted pixels in a flag.
    fn tracks_demotes_in_flag(&self) -> bool {
        matches!(&self.thread, Thread::Fragment(t) if t.flag_continues.is_some())
    }

    /// Writes the same colour to all sixteen pixels of target 0.
    fn write_replicated_color(
        &mut self,
        info: &FragmentInfo,
        outputs: &Outputs,
    ) -> Result<(), FsError> {
        let is_only_output =
            info.targets <= 1 && !info.kills && info.computed_depth == ComputedDepth::Off;
        if self.b.width() != 16 || !is_only_output {
            return Err(FsError::Unsupported {
                op: "store_output",
                what: "a replicated colour needs SIMD16, one target and no other outputs",
            });
        }
        let colour = Lanes::new(self.b.lir.vgrf(GRF_BYTES), 0, Type::Ud, 4);
        for (n, offset) in (0..4).zip((0..).step_by(4)) {
            let value = outputs.component(Slot::VAR0.0, 0, n);
            let value = value.map_or(Lanes::imm(Type::Ud, 0), |value| value.scalar());
            self.b
                .mov(Exec::Scalar, colour.offset_by(offset).scalar(), value);
        }
        let payload = self.b.collect_eot(Exec::Active, &[colour], &[]);
        let mut send = message::render_target_write(0, RenderTargetWrite::Replicated, 0, true, 1);
        send.eot = true;
        let null = Dst::null(Type::Ud);
        self.b.send(
            Exec::Active,
            null,
            payload,
            Src::NULL,
            Src::NULL,
            send,
            Mods::NONE,
        );
        Ok(())
    }

    /// The message header: r0 and the pixel group's r1, with the render target index in dword 2 and
    /// the live pixels in the mask.
    fn render_target_header(&mut self, target: u8, lane: u8, info: &FragmentInfo) -> [Lanes; 2] {
        /// Dword 0: the payload contains stencil.
        const STENCIL_PRESENT: u64 = 1 << 14;
        let ud = Type::Ud;
        let has_live_mask = info.kills && !self.tracks_demotes_in_flag();
        let r0 = Lanes::new(self.r0, 0, ud, 4);
        if target == 0 && !has_live_mask && !info.output_stencil {
            return [r0, r0.offset_by(GRF_BYTES + group_offset(lane))];
        }
        let header = Lanes::new(self.b.lir.vgrf(2 * GRF_BYTES), 0, ud, 4);
        if lane < PIXEL_GROUP {
            self.b.mov(Exec::NoMask(16), header, r0);
        } else {
            let r1 = r0.offset_by(GRF_BYTES + group_offset(lane));
            self.b.mov(Exec::NoMask(8), header, r0);
            self.b.mov(Exec::NoMask(8), header.offset_by(GRF_BYTES), r1);
        }
        if info.output_stencil {
            let (to, bit) = (header.scalar(), Lanes::imm(ud, STENCIL_PRESENT));
            self.b
                .binary(Opcode::Or, Exec::Scalar, to, r0.scalar(), bit, Mods::NONE);
        }
        if target > 0 {
            let number = Lanes::imm(ud, target.into());
            self.b
                .mov(Exec::Scalar, header.offset_by(8).scalar(), number);
        }
        if has_live_mask {
            let to = header.offset_by(GRF_BYTES + 28).retype(Type::Uw).scalar();
            let live = self.live_mask().retype(Type::Uw);
            let live = live.offset_by(u32::from(lane / PIXEL_GROUP) * 2);
            self.b.mov(Exec::Scalar, to, live);
        }
        [header, header.offset_by(GRF_BYTES)]
    }

    /// The stencil payload: one byte for each pixel, in one register.
    fn stencil_payload(&mut self, stencil: Lanes) -> Lanes {
        let v = self.b.lir.vgrf(GRF_BYTES);
        let bytes = Lanes::new(v, 0, Type::Ub, 1);
        let low = Lanes {
            ty: Type::Ub,
            ..self.imm_to_register(stencil)
        };
        self.b.mov(Exec::NoMask(8), bytes, low);
        Lanes::new(v, 0, Type::Ud, 4)
    }

    /// The sample mask payload: one word for each pixel.
    fn sample_mask_payload(&mut self, mask: Lanes) -> Lanes {
        // In SIMD8 this is still a whole register.
        let bytes = 2 * u32::from(self.b.width());
        let words = Lanes::new(self.b.lir.vgrf(bytes), 0, Type::Uw, 2);
        let low = Lanes {
            ty: Type::Uw,
            ..self.imm_to_register(mask)
        };
        self.b.mov(Exec::Active, words, low);
        words
    }
}

/// The colours, depth and stencil of a message.
fn target_values(writes: &TargetWrites, target: u8, needs_register: bool) -> SmallVec<[Lanes; 9]> {
    // Components that the shader does not write are undefined.
    let undefined = Lanes::null(Type::Ud, 4);
    let slot = Slot::VAR0.0 + target;
    let sources = 1 + u8::from(writes.info.dual_source);
    let color = |n: u8| writes.outputs.component(slot, n / 4, n % 4);
    let colors = (0..4 * sources).map(|n| color(n).unwrap_or(undefined));
    let mut values: SmallVec<[Lanes; 9]> = colors.collect();
    values.extend(writes.depth);
    values.extend(writes.stencil);
    if needs_register && values.iter().all(|v| v.reg == Reg::Null) {
        // A write to a null target still needs an allocated payload register, but only the EOT
        // payload gets a register without being written.
        values[0] = Lanes::imm(Type::Ud, 0);
    }
    values
}
