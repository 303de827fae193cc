//! Storage images and storage texel buffers: typed messages of eight lanes each.
//!
//! In:  `bindless_image_*`, whose reads have a format that the data port supports
//! (`lower_image_formats`).
//! Out: typed reads of declared formats and typed atomics on the second surface of the descriptor;
//! other reads, typed writes and queries on the first one (crate `abi`).
//!
//! A handle is the same for all active lanes: for non-uniform ones, `lower_non_uniform_access` has
//! made a loop.
//! Ref: SKL PRM vol. 7, "Typed Surface Read/Write", "Typed Atomic"; vol. 2d, MDC_SG3. Tests:
//! tests/fs/image/.

use super::context::Isel;
use super::memory::{atomic_op, unsupported_atomic};
use super::payload::intrinsics;
use super::surface::SURFACE_STEP;
use super::unsupported::unsupported_intrinsic;
use crate::error::FsError;
use crate::lir::builder::{Exec, Lanes, Mods};
use crate::lir::message::{self, SamplerOp};
use crate::lir::{Dst, SendInfo, Src};
use entity::Id;
use isa::Type;
use nir::{CfEvent, Def, Intrinsic, IntrinsicOp};
use smallvec::SmallVec;

/// The format of a read that declares none.
const UNKNOWN_FORMAT: u32 = 0;

/// Lanes of a typed message.
const TYPED_LANES: u8 = 8;

impl Isel<'_> {
    /// Selects storage image intrinsics.
    pub(super) fn select_image(&mut self, i: &Intrinsic) -> Result<(), FsError> {
        use IntrinsicOp as I;
        match i.op {
            I::BindlessImageLoad => self.select_image_load(i),
            I::BindlessImageStore => self.select_image_store(i),
            I::BindlessImageAtomic | I::BindlessImageAtomicSwap => self.select_image_atomic(i)?,
            I::BindlessImageSize => {
                let level = self.comp(i.srcs[1], 0, Type::D);
                self.select_image_query(i, SamplerOp::Size, level);
            }
            I::BindlessImageSamples => {
                return Err(unsupported_intrinsic(
                    i,
                    "storage images are single-sampled",
                ));
            }
            _ => return self.select_subgroup(i),
        }
        Ok(())
    }

    /// All components of a def as dwords.
    fn dwords(&self, def: Id<Def>) -> SmallVec<[Lanes; 4]> {
        (0..self.sh.defs[def].num_components)
            .map(|c| self.comp(def, c, Type::Ud))
            .collect()
    }

    /// For every eight lanes: first lane, coordinate payload and data payload.
    fn image_payloads(&mut self, coord: Id<Def>, data: &[Lanes]) -> SmallVec<[(u8, Src, Src); 4]> {
        let coord = self.dwords(coord);
        self.split_payloads(&coord, data)
    }

    /// For every eight lanes: first lane and the two payloads; the second one may be empty.
    fn split_payloads(
        &mut self,
        first: &[Lanes],
        second: &[Lanes],
    ) -> SmallVec<[(u8, Src, Src); 4]> {
        let (lanes, first_lanes) = self.split_lanes(TYPED_LANES);
        first_lanes
            .map(|lane| {
                let exec = Exec::Range(lane, lanes);
                let first = self.b.collect(exec, &[], first);
                let second = match second {
                    [] => Src::NULL,
                    second => self.b.collect(exec, &[], second),
                };
                (lane, first, second)
            })
            .collect()
    }

    /// Finds the coordinates at which images are written.
    pub(super) fn find_written_coordinates(&mut self, layout: &[CfEvent]) {
        use IntrinsicOp as I;
        for i in intrinsics(self.sh, layout) {
            if let I::BindlessImageStore | I::BindlessImageAtomic | I::BindlessImageAtomicSwap =
                i.op
            {
                self.written_coordinates[i.srcs[1]] = true;
            }
        }
    }

    /// For every eight lanes: first lane, and the two payloads of a message that has coordinates
    /// alone. The second payload is the last of several coordinates, so that registers that hold
    /// one coordinate of all lanes are payloads without a copy. It is empty if a write, whose
    /// second payload is data, shares the first payload.
    fn coordinate_payloads(&mut self, coord: Id<Def>) -> SmallVec<[(u8, Src, Src); 4]> {
        let all = self.dwords(coord);
        let whole = self.written_coordinates[coord] || all.len() == 1;
        let (first, second) = all.split_at(all.len() - usize::from(!whole));
        self.split_payloads(first, second)
    }

    fn select_image_load(&mut self, i: &Intrinsic) {
        let Some(def) = i.def else { return };
        // Components behind the last one that is read are not written.
        let n = self.components_read[def].max(1);
        let payloads = self.coordinate_payloads(i.srcs[1]);
        let coordinates = self.sh.defs[i.srcs[1]].num_components;
        let second = u8::from(!payloads.iter().all(|p| p.2 == Src::NULL));
        let surface_index = match i.index("format") {
            UNKNOWN_FORMAT => abi::VIEW_FORMAT_SLOT,
            _ => abi::TYPED_READ_SLOT,
        };
        let surface = self.uniform_surface(i.srcs[0], surface_index * SURFACE_STEP);
        let v = self
            .b
            .lir
            .vgrf(u32::from(self.b.width()) * 4 * u32::from(n));
        self.for_each_surface(surface, &mut |isel, bti, handle_offset, handle, mods| {
            for &(lane, payload, last) in &payloads {
                let info = SendInfo {
                    handle_offset,
                    mlen: coordinates - second,
                    ex_mlen: second,
                    ..message::typed_read(bti, lane, coordinates, n)
                };
                let dst = Dst::vgrf(v, u32::from(lane) * 4 * u32::from(n), Type::Ud, 1);
                let exec = Exec::Range(lane, TYPED_LANES);
                isel.b.send(exec, dst, payload, last, handle, info, mods);
            }
        });
        self.set_from_responses(def, v, n, 0);
    }

    fn select_image_store(&mut self, i: &Intrinsic) {
        let data = self.dwords(i.srcs[3]);
        let payloads = self.image_payloads(i.srcs[1], &data);
        let coordinates = self.sh.defs[i.srcs[1]].num_components;
        let surface = self.uniform_surface(i.srcs[0], 0);
        self.for_each_surface(surface, &mut |isel, bti, handle_offset, handle, mods| {
            for &(lane, at, texels) in &payloads {
                let info = SendInfo {
                    handle_offset,
                    ..message::typed_write(bti, lane, coordinates, data.len() as u8)
                };
                let mods = isel.with_live_predicate(mods);
                let exec = Exec::Range(lane, TYPED_LANES);
                let null = Dst::null(Type::Ud);
                isel.b.send(exec, null, at, texels, handle, info, mods);
            }
        });
    }

    fn select_image_atomic(&mut self, i: &Intrinsic) -> Result<(), FsError> {
        let op = atomic_op(i)?;
        let operands = &i.srcs[3..];
        self.require_dwords(i, operands)?;
        let wanted = i.def.filter(|d| self.uses[d.index()] > 0);
        let data: SmallVec<[Lanes; 2]> = operands
            .iter()
            .map(|d| self.comp(*d, 0, Type::Ud))
            .collect();
        let payloads = self.image_payloads(i.srcs[1], &data);
        let coordinates = self.sh.defs[i.srcs[1]].num_components;
        let surface = self.uniform_surface(i.srcs[0], abi::TYPED_READ_SLOT * SURFACE_STEP);
        let v = wanted.map(|_| self.b.lir.vgrf(u32::from(self.b.width()) * 4));
        let mut error = None;
        self.for_each_surface(
            surface,
            &mut |isel, bti, handle_offset, handle, mods: Mods| {
                for &(lane, at, data) in &payloads {
                    let n = operands.len() as u8;
                    let Some(info) =
                        message::typed_atomic(bti, lane, op, coordinates, n, v.is_some())
                    else {
                        error = Some(unsupported_atomic(i));
                        return;
                    };
                    let info = SendInfo {
                        handle_offset,
                        ..info
                    };
                    let dst = match v {
                        Some(v) => Dst::vgrf(v, u32::from(lane) * 4, Type::Ud, 1),
                        None => Dst::null(Type::Ud),
                    };
                    let mods = isel.with_live_predicate(mods);
                    let exec = Exec::Range(lane, TYPED_LANES);
                    isel.b.send(exec, dst, at, data, handle, info, mods);
                }
            },
        );
        if let (Some(def), Some(v)) = (wanted, v) {
            self.set_from_responses(def, v, 1, 0);
        }
        error.map_or(Ok(()), Err)
    }

    /// Sends a sampler query for the descriptor's first surface.
    fn select_image_query(&mut self, i: &Intrinsic, kind: SamplerOp, parameter: Lanes) {
        let Some(def) = i.def else { return };
        let surface = self.uniform_surface(i.srcs[0], 0);
        let (lanes, first_lanes) = self.split_lanes(16);
        let v = self.alloc_response_of(def, lanes, 0, 4);
        let regs = lanes.div_ceil(8);
        let payloads: SmallVec<[(u8, Src); 2]> = first_lanes
            .map(|lane| {
                let exec = Exec::Range(lane, lanes);
                (lane, self.b.collect(exec, &[], &[parameter]))
            })
            .collect();
        self.for_each_surface(surface, &mut |isel, bti, handle_offset, handle, mods| {
            for &(lane, payload) in &payloads {
                let info = SendInfo {
                    handle_offset,
                    ..message::sample((bti, 0), kind, lanes, regs, 4 * regs)
                };
                let dst = Dst::vgrf(v, u32::from(lane) * 16, Type::Ud, 1);
                let exec = Exec::Range(lane, lanes);
                isel.b
                    .send(exec, dst, payload, Src::NULL, handle, info, mods);
            }
        });
    }
}
