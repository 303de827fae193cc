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

impl Isel<'_> {
    /// Writes the render targets and ends the thread. A shader without colour outputs writes to
    /// target 0, which is a null surface then.
    pub(super) fn write_render_targets(&mut self) -> Result<(), FsError> {
        let Thread::Fragment(thread) = &mut self.thread else {
            return Ok(());
        };
        let info = thread.info().clone();
        let ended = thread.flag_continues.is_some();
        let outputs = std::mem::take(thread.outputs());
        let width = self.b.width();
        if self.replicated {
            return self.write_replicated_color(&info, &outputs);
        }
        if (info.dual_source || info.output_stencil) && width > 8 {
            return Err(FsError::Unsupported {
                op: "store_output",
                what: "two sources, or stencil, are written for eight pixels at a time",
            });
        }
        let kind = match (info.dual_source, width) {
            (true, _) => RenderTargetWrite::DualSource,
            (false, 8) => RenderTargetWrite::Simd8,
            (false, _) => RenderTargetWrite::Simd16,
        };
        // Components that the shader does not write are undefined.
        let gap = Lanes::null(Type::Ud, 4);
        let mut targets: SmallVec<[u8; 8]> =
            (0..8).filter(|t| info.targets >> t & 1 == 1).collect();
        if targets.is_empty() {
            targets.push(0);
        }
        // A message without a header writes target 0 with the blend state of target 0.
        let needs_header = info.dual_source || info.output_stencil || targets[..] != [0];
        let mask = outputs.component(Slot::FRAG_SAMPLE_MASK.0, 0, 0);
        let mask = mask.map(|mask| self.sample_mask_payload(mask));
        let depth = match info.computed_depth {
            ComputedDepth::Off => None,
            _ => outputs.component(Slot::FRAG_DEPTH.0, 0, 0),
        };
        let stencil = outputs.component(Slot::FRAG_STENCIL.0, 0, 0);
        let stencil = stencil.map(|stencil| self.stencil_payload(stencil));
        let mods = match (info.kills, ended) {
            (false, _) => Mods::NONE,
            (true, false) => self.with_live_predicate(Mods::NONE),
            (true, true) => Mods::pred(PIXEL_FLAG, true),
        };
        if ended && needs_header {
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
        let last = targets.len() - 1;
        // A live mask in a VGRF has to be written into each header, and r0 is only followed by the
        // r1 of the first pixel group.
        let in_place = (!info.kills || ended) && width <= PIXEL_GROUP;
        let (lanes, parts) = self.split_lanes(PIXEL_GROUP);
        let writes: SmallVec<[(usize, u8, u8); 8]> = (targets.iter().enumerate())
            .flat_map(|(k, &target)| parts.clone().map(move |lane| (k, target, lane)))
            .collect();
        for (k, target, lane) in writes {
            let (exec, ends) = (Exec::Range(lane, lanes), k == last && lane + lanes == width);
            let mut headers: SmallVec<[Lanes; 3]> = SmallVec::new();
            // The EOT message has a single payload, at the end of the register file.
            let split = needs_header && k < last && !info.output_stencil && in_place;
            if split && target > 0 {
                let number = Lanes::new(self.r0, 8, Type::Ud, 0);
                self.b
                    .mov(Exec::Scalar, number, Lanes::imm(Type::Ud, target.into()));
            }
            if needs_header && !split {
                headers.extend(self.render_target_header(target, lane, &info));
            }
            headers.extend(mask.map(|mask: Lanes| mask.at(group_offset(lane))));
            let slot = Slot::VAR0.0 + target;
            let sources = 1 + u8::from(info.dual_source);
            let color = |n: u8| outputs.component(slot, n / 4, n % 4).unwrap_or(gap);
            let mut values: SmallVec<[Lanes; 9]> = (0..4 * sources).map(color).collect();
            values.extend(depth);
            values.extend(stencil);
            if !ends && headers.is_empty() && values.iter().all(|v| v.reg == Reg::Null) {
                // A write to a null target still needs an allocated payload register, but only the
                // EOT payload gets a register without being written.
                values[0] = Lanes::imm(Type::Ud, 0);
            }
            let payload = if ends {
                self.b.collect_eot(exec, &headers, &values)
            } else {
                self.b.collect(exec, &headers, &values)
            };
            let regs = (headers.len() + values.len() * usize::from(lanes) / 8) as u8;
            let mut send = message::render_target_write(target, kind, lane, k == last, regs);
            send.header = needs_header;
            send.eot = ends;
            let (first, second) = if split {
                (send.mlen, send.ex_mlen) = (HEADER_REGISTERS, regs);
                (Src::vgrf(self.r0, 0, Type::Ud, 1), payload)
            } else {
                (payload, Src::NULL)
            };
            let null = Dst::null(Type::Ud);
            self.b
                .send(exec, null, first, second, Src::NULL, send, mods);
        }
        Ok(())
    }

    /// Writes the same colour to all sixteen pixels of target 0.
    fn write_replicated_color(
        &mut self,
        info: &FragmentInfo,
        outputs: &Outputs,
    ) -> Result<(), FsError> {
        let only = info.targets <= 1 && !info.kills && info.computed_depth == ComputedDepth::Off;
        if self.b.width() != 16 || !only {
            return Err(FsError::Unsupported {
                op: "store_output",
                what: "a colour of all pixels is written alone, to target 0, for sixteen of them",
            });
        }
        let colour = Lanes::new(self.b.lir.vgrf(GRF_BYTES), 0, Type::Ud, 4);
        for (n, at) in (0..4).zip((0..).step_by(4)) {
            let value = outputs.component(Slot::VAR0.0, 0, n);
            let value = value.map_or(Lanes::imm(Type::Ud, 0), |value| value.scalar());
            self.b.mov(Exec::Scalar, colour.at(at).scalar(), value);
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
        let ended = matches!(&self.thread, Thread::Fragment(t) if t.flag_continues.is_some());
        let (ud, kills) = (Type::Ud, info.kills && !ended);
        let own = Lanes::new(self.r0, 0, ud, 4);
        if target == 0 && !kills && !info.output_stencil {
            return [own, own.at(GRF_BYTES + group_offset(lane))];
        }
        let header = Lanes::new(self.b.lir.vgrf(2 * GRF_BYTES), 0, ud, 4);
        if lane < PIXEL_GROUP {
            self.b.mov(Exec::NoMask(16), header, own);
        } else {
            let behind = own.at(GRF_BYTES + group_offset(lane));
            self.b.mov(Exec::NoMask(8), header, own);
            self.b.mov(Exec::NoMask(8), header.at(GRF_BYTES), behind);
        }
        if info.output_stencil {
            let (to, bit) = (header.scalar(), Lanes::imm(ud, STENCIL_PRESENT));
            self.b
                .binary(Opcode::Or, Exec::Scalar, to, own.scalar(), bit, Mods::NONE);
        }
        if target > 0 {
            let number = Lanes::imm(ud, target.into());
            self.b.mov(Exec::Scalar, header.at(8).scalar(), number);
        }
        if kills {
            let to = header.at(GRF_BYTES + 28).retype(Type::Uw).scalar();
            let live = self.live_mask().retype(Type::Uw);
            let live = live.at(u32::from(lane / PIXEL_GROUP) * 2);
            self.b.mov(Exec::Scalar, to, live);
        }
        [header, header.at(GRF_BYTES)]
    }

    /// Moves an immediate into a register, so that parts of it can be read.
    fn imm_to_register(&mut self, value: Lanes) -> Lanes {
        match value.imm_bits() {
            Some(bits) => self.b.imm_reg(Type::Ud, bits),
            None => value,
        }
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
