//! Sampler messages.
//!
//! In:  texture instructions. Out: sampler SENDs.
//!
//! Textures are bindless like buffers. A sampler's handle is the byte offset of its state from
//! Dynamic State Base Address. It goes into dword 3 of the message header, unless the sampler is
//! within reach of an index ([`super::sampler_index`]). Both handles are the same for all active
//! lanes: for non-uniform ones, `lower_non_uniform_access` has made a loop.
//! Ref: SKL PRM vol. 7, "Sampling Engine: Message Header, Message Types, Payload Parameter
//! Definition"; "Return Format".
//! Tests: tests/fs/texture/.

use super::context::Isel;
use super::unsupported::unsupported_tex;
use crate::error::FsError;
use crate::lir::builder::{Exec, Lanes, Mods};
use crate::lir::message::{self, SamplerOp};
use crate::lir::{Dst, SendInfo, Src};
use entity::Id;
use hw::{Gen, Wa};
use isa::{CondMod, Opcode, Type};
use nir::{AluOp, CfEvent, Def, Instr, Tex, TexOp, TexSrc};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Maximum registers of a message.
const MAX_REGISTERS: usize = 11;

/// The parameters of a message, in payload order.
type Parameters = SmallVec<[Lanes; 8]>;

/// The scalars that make up the components of a message's parameters.
type Scalars = SmallVec<[(Id<Def>, u8); 4]>;

/// True if the level of detail is absent or a constant zero.
fn is_level_zero(lod: &Parameters) -> bool {
    lod.first()
        .is_none_or(|l| matches!(l.imm_bits(), Some(0 | 0x8000_0000)))
}

/// The scalar behind a component, looking through moves and vector constructors.
fn resolve_scalar(sh: &nir::Shader, mut def: Id<Def>, mut component: u8) -> (Id<Def>, u8) {
    while let Some(alu) = sh.alu_of(def) {
        let src = match alu.op {
            AluOp::Mov => alu
                .srcs
                .first()
                .map(|s| (s.def, s.swizzle[usize::from(component)])),
            op if op.is_vec() => alu
                .srcs
                .get(usize::from(component))
                .map(|s| (s.def, s.swizzle[0])),
            _ => None,
        };
        let Some(src) = src else { break };
        (def, component) = src;
    }
    (def, component)
}

/// The number of parameters in the first of two payloads, for a message without a header. The split
/// is before the coordinates if something (a level, a reference) precedes them; else before the
/// last coordinate.
fn first_payload_len(tex: &Tex, parameters: usize) -> usize {
    if parameters < 2 || tex.src(TexSrc::MinLod).is_some() {
        return parameters;
    }
    let before = parameters.saturating_sub(usize::from(tex.coord_components()));
    match tex.op {
        TexOp::Txd | TexOp::TxfMs | TexOp::TxfMsMcs => parameters,
        TexOp::Tex | TexOp::Txb | TexOp::Txl if before > 0 => before,
        _ => parameters - 1,
    }
}

/// Removes parameters that are zero from the end: those that a message lacks are zero. It must have
/// the first one.
fn drop_trailing_zeros(parameters: &mut Parameters) {
    while parameters.len() > 1 && parameters.last().and_then(Lanes::imm_bits) == Some(0) {
        parameters.pop();
    }
}

impl Isel<'_> {
    /// Selects a texture instruction.
    pub(super) fn select_tex(&mut self, tex: &Tex) -> Result<(), FsError> {
        let d = self.sh.defs[tex.def];
        if d.bit_size != 32 || tex.tg4_offsets.is_some() || tex.src(TexSrc::Projector).is_some() {
            return Err(unsupported_tex(
                tex,
                "the NIR pipeline should have lowered 16-bit results, projectors and four offsets",
            ));
        }
        let Some(texture) = tex.src(TexSrc::TextureHandle) else {
            return Err(unsupported_tex(
                tex,
                "the NIR pipeline should have added a texture handle",
            ));
        };
        let (op, mut parameters) = self.message_parameters(tex)?;
        let all = parameters.len();
        if !matches!(tex.op, TexOp::TxfMs | TexOp::TxfMsMcs) {
            drop_trailing_zeros(&mut parameters);
        }
        let header = self.message_header(tex, op)?;
        let sampler_index = match header {
            Some(_) => 0,
            None => self.sampler_table_index(tex).unwrap_or(0),
        };
        // A header is the first payload by itself, so the parameters need not be copied behind it.
        // Without one, parameters that several messages share are a payload of their own, which is
        // built only once. (The extended descriptor contains the length of the second payload;
        // pushed descriptors cover the width that chose them, see [`super::descriptors`].)
        let in_first = match header {
            Some(_) => 0,
            None if self.splits_payload[tex.def] => {
                first_payload_len(tex, all).min(parameters.len())
            }
            None => parameters.len(),
        };
        // Messages with derivatives have eight lanes, and so have those that would exceed the
        // sampler's limit.
        let registers = usize::from(header.is_some()) + parameters.len() * 2;
        let narrow = tex.op == TexOp::Txd || registers > MAX_REGISTERS;
        let (lanes, first_lanes) = self.split_lanes(if narrow { 8 } else { 16 });
        let regs = lanes.div_ceil(8);
        // The number of levels is the fourth component of a size query.
        let first = if tex.op == TexOp::QueryLevels { 3 } else { 0 };
        let split_response = lanes < self.b.width().min(16);
        // The response ends at the last component that is read. (A gather always returns four.)
        let dwords = match tex.op {
            _ if split_response => 4,
            TexOp::Tg4 => 4,
            _ => (first + self.components_read[tex.def]).clamp(1, 4),
        };
        let response = if split_response {
            self.b.lir.vgrf(4 * u32::from(self.b.width()) * 4)
        } else {
            self.alloc_response_of(tex.def, lanes, first, dwords)
        };
        let mut payload = |lane: u8, parameters: &[Lanes]| match parameters {
            [] => Src::NULL,
            some => self.b.collect(Exec::Range(lane, lanes), &[], some),
        };
        let payloads: SmallVec<[(u8, [Src; 2]); 4]> = first_lanes
            .map(|lane| {
                let (in_first, in_second) = parameters.split_at(in_first);
                let first = header.unwrap_or_else(|| payload(lane, in_first));
                (lane, [first, payload(lane, in_second)])
            })
            .collect();
        let mlen = match header {
            Some(_) => 1,
            None => in_first as u8 * regs,
        };
        let ex_mlen = (parameters.len() - in_first) as u8 * regs;
        let surface = self.uniform_surface(texture, 0);
        self.for_each_surface(
            surface,
            &mut |isel, bti, handle_offset, handle, mods: Mods| {
                for &(lane, [first, second]) in &payloads {
                    let info = SendInfo {
                        handle_offset,
                        header: header.is_some(),
                        ex_mlen,
                        ..message::sample((bti, sampler_index), op, lanes, mlen, dwords * regs)
                    };
                    let offset = u32::from(lane) * 4 * u32::from(dwords);
                    let dst = Dst::vgrf(response, offset, Type::Ud, 1);
                    let exec = Exec::Range(lane, lanes);
                    isel.b.send(exec, dst, first, second, handle, info, mods);
                }
            },
        );
        if split_response {
            self.set_from_responses(tex.def, response, 4, first);
        }
        let levels_undefined = const { Wa::NullSurfaceLevels.required_on(Gen::Gen9) };
        if tex.op == TexOp::QueryLevels && levels_undefined {
            self.zero_levels_without_width(tex.def, u32::from(lanes) * 4);
        }
        Ok(())
    }

    /// Makes the number of levels 0 where the width, which the same response has, is 0: in a null
    /// surface, whose number of levels is undefined. `bytes`: of a component of the response.
    fn zero_levels_without_width(&mut self, def: Id<Def>, bytes: u32) {
        let ty = Type::Ud;
        let levels = self.comp(def, 0, ty);
        let mut width = levels;
        width.offset -= 3 * bytes;
        let exec = Exec::Active;
        let (null, zero) = (Lanes::null(ty, 4), Lanes::imm(ty, 0));
        let some = Mods::cmod(CondMod::Nz, 0);
        self.b.binary(Opcode::Cmp, exec, null, width, zero, some);
        let known = self.b.temp(ty, exec);
        let where_some = Mods::pred(0, false);
        self.b
            .binary(Opcode::Sel, exec, known, levels, zero, where_some);
        self.set_lanes(def, 0, known);
    }

    /// Finds how many leading components of each def are read.
    pub(super) fn find_components_read(&mut self, layout: &[CfEvent]) {
        let sh = self.sh;
        for event in layout {
            let b = match *event {
                CfEvent::Block(b) => b,
                CfEvent::If(i) => {
                    self.components_read[sh.ifs[i].cond] = 1;
                    continue;
                }
                _ => continue,
            };
            for &id in &sh.blocks[b].instrs {
                match &sh.instrs[id] {
                    Instr::Alu(alu) => {
                        for s in &alu.srcs {
                            let n = match alu.op {
                                AluOp::Mov => sh.defs[alu.def].num_components,
                                _ => 1,
                            };
                            for c in s.swizzle.iter().take(n.into()) {
                                self.components_read[s.def] =
                                    self.components_read[s.def].max(c + 1);
                            }
                        }
                    }
                    other => other.for_each_src(|d| {
                        self.components_read[d] = sh.defs[d].num_components;
                    }),
                }
            }
        }
    }

    /// Finds texture instructions that share some parameters, but not all, with another one.
    pub(super) fn find_split_payloads(&mut self, layout: &[CfEvent]) {
        let sh = self.sh;
        let mut found: Vec<(Id<Def>, Scalars)> = Vec::new();
        for event in layout {
            let &CfEvent::Block(b) = event else { continue };
            for &id in &sh.blocks[b].instrs {
                let Instr::Tex(tex) = &sh.instrs[id] else {
                    continue;
                };
                let kinds = [TexSrc::Comparator, TexSrc::Bias, TexSrc::Lod, TexSrc::Coord];
                let all = kinds.iter().filter_map(|kind| tex.src(*kind));
                let scalars = all.flat_map(|d| {
                    (0..sh.defs[d].num_components).map(move |c| resolve_scalar(sh, d, c))
                });
                found.push((tex.def, scalars.collect()));
            }
        }
        // For each parameter: the first message that has it, and whether a message with other
        // parameters has it too.
        let mut seen: FxHashMap<(Id<Def>, u8), (usize, bool)> = FxHashMap::default();
        for (k, (_, scalars)) in found.iter().enumerate() {
            for scalar in scalars {
                let (first, differ) = seen.entry(*scalar).or_insert((k, false));
                *differ |= found[*first].1 != *scalars;
            }
        }
        for (def, scalars) in &found {
            self.splits_payload[*def] = scalars.iter().any(|scalar| seen[scalar].1);
        }
    }

    /// The components of a source as message parameters; none if the instruction lacks the source.
    fn source_parameters(&self, tex: &Tex, kind: TexSrc, ty: Type) -> Parameters {
        let Some(def) = tex.src(kind) else {
            return Parameters::new();
        };
        let components = 0..self.sh.defs[def].num_components;
        components.map(|c| self.comp(def, c, ty)).collect()
    }

    /// Chooses the message type and builds its parameters.
    fn message_parameters(&self, tex: &Tex) -> Result<(SamplerOp, Parameters), FsError> {
        let (op, mut parameters) = match tex.op {
            TexOp::Tex | TexOp::Txb | TexOp::Txl | TexOp::Txd => self.sample_parameters(tex),
            TexOp::Txf | TexOp::TxfMs | TexOp::TxfMsMcs => self.fetch_parameters(tex)?,
            TexOp::Tg4 => self.gather_parameters(tex),
            TexOp::Txs | TexOp::QueryLevels | TexOp::Lod | TexOp::TextureSamples => {
                self.query_parameters(tex)
            }
        };
        if let Some(min) = tex.src(TexSrc::MinLod) {
            // The minimum LOD comes after the maximum number of coordinates and derivatives.
            let gaps = match tex.op {
                TexOp::Txd => {
                    let gradients = 3 - tex
                        .src(TexSrc::Ddx)
                        .map_or(3, |d| self.sh.defs[d].num_components.min(3));
                    4 - tex.coord_components().min(4) + 2 * gradients
                }
                TexOp::Tex | TexOp::Txb => 4 - tex.coord_components().min(4),
                _ => return Err(unsupported_tex(tex, "a minimum LOD is not supported")),
            };
            parameters.extend((0..gaps).map(|_| Lanes::imm(Type::D, 0)));
            parameters.push(self.comp(min, 0, Type::F));
        }
        Ok((op, parameters))
    }

    /// Message type and parameters of filtered sampling.
    fn sample_parameters(&self, tex: &Tex) -> (SamplerOp, Parameters) {
        let f = Type::F;
        let coordinates = self.source_parameters(tex, TexSrc::Coord, f);
        let reference = self.source_parameters(tex, TexSrc::Comparator, f);
        let mut out = Parameters::new();
        let (plain, compare) = match tex.op {
            TexOp::Txb => {
                let bias = self.source_parameters(tex, TexSrc::Bias, f);
                out.extend(reference.into_iter().chain(bias).chain(coordinates));
                (SamplerOp::Bias, SamplerOp::BiasCompare)
            }
            TexOp::Txl => {
                let lod = self.source_parameters(tex, TexSrc::Lod, f);
                if is_level_zero(&lod) {
                    out.extend(reference.into_iter().chain(coordinates));
                    (SamplerOp::LevelZero, SamplerOp::CompareLevelZero)
                } else {
                    out.extend(reference.into_iter().chain(lod).chain(coordinates));
                    (SamplerOp::Lod, SamplerOp::LodCompare)
                }
            }
            TexOp::Txd => {
                let dx = self.source_parameters(tex, TexSrc::Ddx, f);
                let dy = self.source_parameters(tex, TexSrc::Ddy, f);
                out.extend(reference);
                for (c, &coordinate) in coordinates.iter().enumerate() {
                    out.push(coordinate);
                    // The array layer has no derivatives.
                    out.extend(dx.get(c).copied().into_iter().chain(dy.get(c).copied()));
                }
                (SamplerOp::Derivatives, SamplerOp::DerivativesCompare)
            }
            _ => {
                out.extend(reference.into_iter().chain(coordinates));
                (SamplerOp::Plain, SamplerOp::Compare)
            }
        };
        (if tex.shadow { compare } else { plain }, out)
    }

    /// Message type and parameters of texel fetches.
    fn fetch_parameters(&self, tex: &Tex) -> Result<(SamplerOp, Parameters), FsError> {
        let d = Type::D;
        let zero = Lanes::imm(d, 0);
        let coordinates = self.source_parameters(tex, TexSrc::Coord, d);
        let mut out = Parameters::new();
        let op = match tex.op {
            TexOp::TxfMs => {
                let mcs = self.source_parameters(tex, TexSrc::MsMcs, d);
                if mcs.is_empty() {
                    return Err(unsupported_tex(
                        tex,
                        "the NIR pipeline should have added MCS data",
                    ));
                }
                out.extend(self.source_parameters(tex, TexSrc::MsIndex, d));
                out.extend(mcs);
                out.extend(coordinates);
                SamplerOp::FetchMultisampled
            }
            TexOp::TxfMsMcs => {
                out.extend(coordinates);
                SamplerOp::FetchMcs
            }
            _ => {
                // u, v, level, r.
                let lod = self.source_parameters(tex, TexSrc::Lod, d);
                let level_zero = is_level_zero(&lod);
                let mut coordinates = coordinates.into_iter();
                out.push(coordinates.next().unwrap_or(zero));
                out.push(coordinates.next().unwrap_or(zero));
                if !level_zero {
                    out.extend(lod);
                }
                out.extend(coordinates);
                if level_zero {
                    SamplerOp::FetchLevelZero
                } else {
                    SamplerOp::Fetch
                }
            }
        };
        Ok((op, out))
    }

    /// Message type and parameters of gathers.
    fn gather_parameters(&self, tex: &Tex) -> (SamplerOp, Parameters) {
        let coordinates = self.source_parameters(tex, TexSrc::Coord, Type::F);
        let reference = self.source_parameters(tex, TexSrc::Comparator, Type::F);
        let mut out = Parameters::new();
        let (plain, compare) = if self.non_header_offset(tex).is_some() {
            let offset = self.source_parameters(tex, TexSrc::Offset, Type::D);
            let (plane, layer) = coordinates.split_at(coordinates.len().min(2));
            out.extend(reference.into_iter().chain(plane.iter().copied()));
            out.extend(offset.into_iter().chain(layer.iter().copied()));
            (SamplerOp::GatherOffset, SamplerOp::GatherOffsetCompare)
        } else {
            out.extend(reference.into_iter().chain(coordinates));
            (SamplerOp::Gather, SamplerOp::GatherCompare)
        };
        (if tex.shadow { compare } else { plain }, out)
    }

    /// Message type and parameters of queries.
    fn query_parameters(&self, tex: &Tex) -> (SamplerOp, Parameters) {
        let zero = Lanes::imm(Type::D, 0);
        let mut out = Parameters::new();
        let op = match tex.op {
            TexOp::Lod => {
                out.extend(self.source_parameters(tex, TexSrc::Coord, Type::F));
                SamplerOp::QueryLod
            }
            TexOp::Txs => {
                let lod = self.source_parameters(tex, TexSrc::Lod, Type::D);
                out.push(lod.first().copied().unwrap_or(zero));
                SamplerOp::Size
            }
            TexOp::QueryLevels => {
                out.push(zero);
                SamplerOp::Size
            }
            // The message needs only a header; one parameter more does no harm.
            _ => {
                out.push(zero);
                SamplerOp::Info
            }
        };
        (op, out)
    }

    /// A texel offset that does not fit into the header: one that is not constant or, for gathers,
    /// one outside -8 to 7.
    fn non_header_offset(&self, tex: &Tex) -> Option<Id<Def>> {
        tex.src(TexSrc::Offset)
            .filter(|&o| match self.sh.const_of(o) {
                None => true,
                Some(values) => {
                    let fits = |&value: &u64| (-8..8).contains(&(value as u32).cast_signed());
                    tex.op == TexOp::Tg4 && !values.iter().all(fits)
                }
            })
    }

    /// Dword 2 of the header: texel offsets, and the component of a gather.
    pub(super) fn texel_offset_word(&self, tex: &Tex) -> Result<u32, FsError> {
        let mut word = 0u32;
        if let Some(packed) = tex.src(TexSrc::PackedOffset) {
            word = self.sh.const_component(packed, 0).unwrap_or(0) as u32;
        }
        if let Some(offset) = tex.src(TexSrc::Offset) {
            match self.non_header_offset(tex) {
                Some(_) if tex.op == TexOp::Tg4 => {}
                Some(_) => {
                    return Err(unsupported_tex(
                        tex,
                        "the NIR pipeline should have lowered a non-constant offset",
                    ));
                }
                None => {
                    // u in bits 11:8, v in 7:4, r in 3:0.
                    for c in 0..self.sh.defs[offset].num_components.min(3) {
                        let value = self.sh.const_component(offset, c).unwrap_or(0) as u32;
                        word |= (value & 0xf) << (8 - 4 * c);
                    }
                }
            }
        }
        if tex.op == TexOp::Tg4 {
            word |= u32::from(tex.component & 3) << 16;
        }
        Ok(word)
    }

    /// A packed texel offset that is no constant.
    pub(super) fn dynamic_offset(&self, tex: &Tex) -> Option<Id<Def>> {
        tex.src(TexSrc::PackedOffset)
            .filter(|packed| self.sh.const_component(*packed, 0).is_none())
    }

    /// The message header, if the message needs one.
    fn message_header(&mut self, tex: &Tex, op: SamplerOp) -> Result<Option<Src>, FsError> {
        let word = self.texel_offset_word(tex)?;
        let packed_offset = self.dynamic_offset(tex);
        let sampler = match tex.src(TexSrc::SamplerHandle) {
            Some(_) if !tex.op.needs_sampler() => None,
            None if tex.op.needs_sampler() => {
                return Err(unsupported_tex(
                    tex,
                    "the NIR pipeline should have added a sampler handle",
                ));
            }
            sampler => sampler,
        };
        let by_index = sampler.is_none() || self.sampler_table_index(tex).is_some();
        if word == 0 && packed_offset.is_none() && by_index && op != SamplerOp::Info {
            return Ok(None);
        }
        let word = match packed_offset {
            Some(packed) => {
                let packed = self.comp(packed, 0, Type::Ud);
                self.first_active_value(packed)
            }
            None => Lanes::imm(Type::Ud, word.into()),
        };
        Ok(Some(self.sampler_header(word, sampler)))
    }
}
