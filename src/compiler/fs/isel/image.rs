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

use super::context::{Isel, Loc};
use super::memory::{SURFACE_STEP, Surface, atomic_op, unsupported_atomic};
use super::unsupported::unsupported_intrinsic;
use crate::error::FsError;
use crate::lir::builder::{Exec, Lanes, Mods};
use crate::lir::message::{self, SamplerOp};
use crate::lir::{Dst, SendInfo, Src, VgrfId};
use entity::Id;
use isa::Type;
use nir::{Def, Intrinsic, IntrinsicOp};
use smallvec::SmallVec;

/// The format of a read that declares none.
const UNKNOWN_FORMAT: u32 = 0;

/// Lanes of a typed message.
const TYPED_LANES: u8 = 8;

impl Isel<'_> {
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

    /// The surface, which is the same for all active lanes, with `more` added to its handle.
    pub(super) fn uniform_surface(&mut self, handle: Id<Def>, more: u32) -> Surface {
        match self.buffer_surface(handle) {
            Surface::Buffer(place, offset) => {
                Surface::Buffer(self.first_active_value(place), offset.wrapping_add(more))
            }
            Surface::Shared => Surface::Shared,
        }
    }

    /// A value that is the same for all active lanes, as a scalar: that of the first active lane.
    pub(super) fn first_active_value(&mut self, place: Lanes) -> Lanes {
        if place.pitch == 0 {
            return place;
        }
        let packed = self.contiguous(place);
        let one = self.b.temp(Type::Ud, Exec::Scalar);
        self.read_first_active(one, packed);
        one
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
        let (lanes, parts) = self.split_lanes(TYPED_LANES);
        parts
            .map(|lane| {
                let exec = Exec::Range(lane, lanes);
                let at = self.b.collect(exec, &[], &coord);
                let data = match data {
                    [] => Src::NULL,
                    data => self.b.collect(exec, &[], data),
                };
                (lane, at, data)
            })
            .collect()
    }

    fn select_image_load(&mut self, i: &Intrinsic) {
        let Some(def) = i.def else { return };
        let n = self.sh.defs[def].num_components;
        let payloads = self.image_payloads(i.srcs[1], &[]);
        let coordinates = self.sh.defs[i.srcs[1]].num_components;
        let piece = match i.index("format") {
            UNKNOWN_FORMAT => abi::OWN_PIECE,
            _ => abi::READ_PIECE,
        };
        let surface = self.uniform_surface(i.srcs[0], piece * SURFACE_STEP);
        let v = self
            .b
            .lir
            .vgrf(u32::from(self.b.width()) * 4 * u32::from(n));
        self.for_each_surface(surface, &mut |isel, bti, more, handle, mods| {
            for &(lane, payload, none) in &payloads {
                let info = SendInfo {
                    handle_offset: more,
                    ..message::typed_read(bti, lane, coordinates, n)
                };
                let dst = Dst::vgrf(v, u32::from(lane) * 4 * u32::from(n), Type::Ud, 1);
                let exec = Exec::Range(lane, TYPED_LANES);
                isel.b.send(exec, dst, payload, none, handle, info, mods);
            }
        });
        self.set_from_responses(def, v, n, 0);
    }

    /// Sets the components of a def from the responses of eight-lane messages, each of which has
    /// `n` dwords for a lane. Component 0 of the def is dword `first`.
    pub(super) fn set_from_responses(&mut self, def: Id<Def>, v: VgrfId, n: u8, first: u8) {
        let (lanes, parts) = self.split_lanes(TYPED_LANES);
        let part = u32::from(lanes) * 4;
        let place = |c: u8| u32::from(c + first) * part;
        let count = self.sh.defs[def].num_components;
        if self.b.width() == lanes || n == 1 {
            for c in 0..count {
                let comp = Loc::Reg {
                    v,
                    offset: place(c),
                    pitch: 4,
                    half: 64,
                };
                self.set_loc(def, c, comp);
            }
            return;
        }
        self.alloc_def(def);
        let parts: SmallVec<[u8; 4]> = parts.collect();
        for c in 0..count {
            let to = self.comp(def, c, Type::Ud);
            for &lane in &parts {
                // Byte offset of lane `lane`, from which `starting_at_lane` subtracts the lanes
                // before.
                let start = u32::from(lane) * 4 * u32::from(n) + place(c);
                let from = Lanes::new(v, start, Type::Ud, 4);
                self.b
                    .mov(Exec::Range(lane, lanes), to, from.starting_at_lane(lane));
            }
        }
    }

    fn select_image_store(&mut self, i: &Intrinsic) {
        let data = self.dwords(i.srcs[3]);
        let payloads = self.image_payloads(i.srcs[1], &data);
        let coordinates = self.sh.defs[i.srcs[1]].num_components;
        let surface = self.uniform_surface(i.srcs[0], 0);
        self.for_each_surface(surface, &mut |isel, bti, more, handle, mods| {
            for &(lane, at, texels) in &payloads {
                let info = SendInfo {
                    handle_offset: more,
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
        let surface = self.uniform_surface(i.srcs[0], abi::READ_PIECE * SURFACE_STEP);
        let v = wanted.map(|_| self.b.lir.vgrf(u32::from(self.b.width()) * 4));
        let mut failed = None;
        self.for_each_surface(surface, &mut |isel, bti, more, handle, mods: Mods| {
            for &(lane, at, data) in &payloads {
                let n = operands.len() as u8;
                let Some(info) = message::typed_atomic(bti, lane, op, coordinates, n, v.is_some())
                else {
                    failed = Some(unsupported_atomic(i));
                    return;
                };
                let info = SendInfo {
                    handle_offset: more,
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
        });
        if let (Some(def), Some(v)) = (wanted, v) {
            self.set_from_responses(def, v, 1, 0);
        }
        failed.map_or(Ok(()), Err)
    }

    /// Sends a sampler query for the descriptor's first surface.
    fn select_image_query(&mut self, i: &Intrinsic, kind: SamplerOp, parameter: Lanes) {
        let Some(def) = i.def else { return };
        let surface = self.uniform_surface(i.srcs[0], 0);
        let (lanes, parts) = self.split_lanes(16);
        let v = self.alloc_sampler_response(def, lanes, 0, 4);
        let regs = lanes.div_ceil(8);
        let payloads: SmallVec<[(u8, Src); 2]> = parts
            .map(|lane| {
                let exec = Exec::Range(lane, lanes);
                (lane, self.b.collect(exec, &[], &[parameter]))
            })
            .collect();
        self.for_each_surface(surface, &mut |isel, bti, more, handle, mods| {
            for &(lane, payload) in &payloads {
                let info = SendInfo {
                    handle_offset: more,
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
