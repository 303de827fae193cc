//! `VkImage`.
//!
//! In:  a description. Out: surfaces, one for each part, in one piece of memory.

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use ash::vk as api;
use cmd::draw::target::{Depth, DepthFormat, DepthStencilTarget, Hiz, Stencil};
use cmd::image::CcsMode;
use cmd::fast_clear_record::RECORD_BYTES;
use hw::FormatUse;
use smallvec::SmallVec;
use surface::{Allocation, Dim, ImageInfo, Surface, SurfaceError, Tilings, Usage};

use crate::buffer::Requirements;
use crate::diagnosis::Diagnosis;
use crate::error::{Error, Result};
use crate::format::{self, Format};
use crate::image_limits::Question;
use crate::memory::Memory;
use crate::modifier::{Layouts, Modifier};
use crate::physical::PhysicalDevice;

/// What is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Info {
    /// Format, dimension, tiling, uses, flags.
    pub question: Question,
    /// Width, height, depth.
    pub extent_px: [u32; 3],
    /// Mip levels.
    pub levels: u32,
    /// Array layers.
    pub layers: u32,
    /// Samples of a pixel.
    pub samples: api::SampleCountFlags,
    /// Compressed blocks are colours in every format that a view of it may have: in its own, if it is not mutable, or in all of a list
    /// ([`compress_alike`]).
    pub alike: bool,
    /// Its memory may be another process's, too.
    pub shared: bool,
    /// Where planes must lie, of images that others have laid out.
    pub layouts: Layouts,
}

/// A surface of an image: of colours, or a plane of them, of depth, or of stencil.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// What it holds.
    pub aspect: api::ImageAspectFlags,
    /// The hardware's format.
    pub format: &'static hw::Format,
    /// Its layout.
    pub surface: Surface,
    /// Which of the image's memories it lies in.
    memory: usize,
    /// Byte of that where it begins.
    pub offset_bytes: u64,
    /// Its auxiliary surface.
    pub aux: Option<Aux>,
}

/// What an auxiliary surface is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuxKind {
    /// Of colours of several samples: which slice holds each sample. It is kept in every layout.
    Samples,
    /// Of colours of one sample: which blocks have the clear colour, and which are compressed. Of images that are not compressed it is
    /// looked at by renderings alone: by those that begin with a fast clear, and where that is kept ([`Image::record`]) by those that come
    /// after. Of others all who know of it go by it ([`Image::compression`]).
    Ccs,
    /// Of depth: its hierarchy, kept in the layouts of [`Image::keeps_hierarchy`].
    Hiz,
}

impl AuxKind {
    /// What colours of so many samples have.
    pub fn of_colour(samples: u32) -> AuxKind {
        if samples > 1 {
            AuxKind::Samples
        } else {
            AuxKind::Ccs
        }
    }
}

/// An auxiliary surface of a part.
#[derive(Clone, Copy, Debug)]
pub struct Aux {
    /// What it is.
    pub kind: AuxKind,
    /// Its layout.
    pub surface: Surface,
    /// Byte of the image where it begins.
    pub offset_bytes: u64,
    /// Byte of the image where the record of a kept clear is, of those that keep one.
    record_bytes: Option<u64>,
    /// Of [`AuxKind::Ccs`]: they are compressed in the layouts of [`Image::is_compressed_in`].
    compresses: bool,
}

/// `VkImage`.
#[derive(Debug)]
pub struct Image {
    /// What was asked for.
    pub info: Info,
    /// Its format.
    pub format: &'static Format,
    parts: SmallVec<[Part; 1]>,
    memories: SmallVec<[Place; 1]>,
    /// Whether recordings keep clears of it: [`UNDECIDED`] at first.
    clears: AtomicU8,
}

/// No recording has asked yet.
const UNDECIDED: u8 = 0;
/// One has kept a clear: all others reckon with it.
const KEPT: u8 = 1;
/// One has found the image as it was left by others, and did not reckon with a clear: none is kept from then on.
const NEVER_KEPT: u8 = 2;

/// A piece of memory that an image wants: one, or one for each plane.
#[derive(Debug, Default)]
struct Place {
    allocation: Allocation,
    bound: OnceLock<Bound>,
}

/// Where an image lies.
#[derive(Debug)]
struct Bound {
    address: u64,
    /// Keeps that its own.
    _memory: Arc<Memory>,
}

impl Image {
    /// An image with no memory yet.
    pub fn new(physical: &PhysicalDevice, info: &Info) -> Result<Arc<Self>> {
        let most = physical.image_format_properties(&info.question)?;
        let [width, height, depth] = info.extent_px;
        let fits = width <= most.max_extent.width
            && height <= most.max_extent.height
            && depth <= most.max_extent.depth
            && info.levels <= most.max_mip_levels
            && info.layers <= most.max_array_layers
            && most.sample_counts.contains(info.samples);
        if !fits {
            return Err(Error::InvalidUse {
                why: "an image larger than its format can be",
            });
        }
        let format = format::in_images(info.question.format, info.question.tiling)
            .ok_or(Error::FormatNotSupported)?;
        // It is large: its parts are made where it will lie.
        let mut image = Arc::new(Self {
            info: *info,
            format,
            parts: SmallVec::new(),
            memories: SmallVec::from_buf([Place::default()]),
            clears: AtomicU8::new(UNDECIDED),
        });
        if let Some(image) = Arc::get_mut(&mut image) {
            image.add_parts(physical)?;
        }
        Ok(image)
    }

    fn add_parts(&mut self, physical: &PhysicalDevice) -> Result<()> {
        let Self {
            info,
            format,
            parts,
            memories,
            clears: _,
        } = self;
        let apart = info
            .question
            .flags
            .contains(api::ImageCreateFlags::DISJOINT);
        let device = physical.info().device;
        let mut left = format.aspects();
        while let Some(aspect) = first_aspect(left) {
            left &= !aspect;
            let Some(hw) = format.part(aspect) else {
                continue;
            };
            let mut uses = usage(info, aspect);
            let wished =
                aux_kind(info, aspect, hw).filter(|kind| !physical.diagnosis().has(switch(*kind)));
            if wished.is_some() {
                uses -= Usage::NO_AUX;
            }
            let extent_px = format.part_extent_px(aspect, info.extent_px);
            let there = info.layouts.get(parts.len()).copied().flatten();
            let pitch = there.map(|(_, pitch)| pitch);
            // A surface is copied once, to where it stays: a processor that reads what it has just written in other pieces waits.
            let laid_out = lay_out(device, (info, extent_px), uses, hw, pitch);
            let surface = match &laid_out {
                Ok(surface) => surface,
                Err(error) => return Err(not_laid_out(error, pitch)),
            };
            if apart && !parts.is_empty() {
                memories.push(Place::default());
            }
            let memory = memories.len() - 1;
            let allocation = &mut memories[memory].allocation;
            let offset_bytes = match there {
                Some((offset, _)) => allocation.put(surface, offset).ok_or(MISPLACED)?,
                None => allocation.push(surface),
            };
            parts.push(Part {
                aspect,
                format: hw,
                surface: *surface,
                memory,
                offset_bytes,
                aux: None,
            });
            let aux = wished.and_then(|kind| {
                let surface = match kind {
                    AuxKind::Samples => surface.mcs(device),
                    AuxKind::Ccs => surface.ccs(device),
                    AuxKind::Hiz => surface.hiz(device),
                };
                Some((kind, surface.ok()?))
            });
            if let (Some((kind, surface)), Some(part)) = (aux, parts.last_mut()) {
                part.aux = Some(Aux {
                    kind,
                    surface,
                    offset_bytes: allocation.push(&surface),
                    record_bytes: keeps_clears(physical.diagnosis(), info, kind)
                        .then(|| allocation.push_bytes(RECORD_BYTES.into(), RECORD_BYTES)),
                    compresses: kind == AuxKind::Ccs
                        && hw.uses(device.hw_gen).contains(FormatUse::COMPRESS)
                        && compresses(physical.diagnosis(), info),
                });
            }
        }
        Ok(())
    }

    /// The memory of a plane that is bound by itself; of no plane, all of it.
    fn place(&self, plane: Option<api::ImageAspectFlags>) -> Result<&Place> {
        let index = match plane {
            Some(plane) if self.memories.len() > 1 => self.part(plane)?.memory,
            _ => 0,
        };
        self.memories.get(index).ok_or(Error::InvalidUse {
            why: "an image without parts",
        })
    }

    /// What it, or a plane that is bound by itself, wants of memory, given the memory types there are.
    pub fn requirements(
        &self,
        plane: Option<api::ImageAspectFlags>,
        type_count: u32,
    ) -> Result<Requirements> {
        let allocation = &self.place(plane)?.allocation;
        // Linear images lie beside buffers.
        let alignment_bytes = u64::from(allocation.alignment_bytes).max(64);
        Ok(Requirements {
            // So that one fits behind another one of its size.
            bytes: allocation.size_bytes.next_multiple_of(alignment_bytes),
            alignment_bytes,
            type_bits: (1 << type_count) - 1,
        })
    }

    /// Puts the image, or a plane that is bound by itself, at an offset of a memory.
    pub fn bind(
        &self,
        plane: Option<api::ImageAspectFlags>,
        memory: &Arc<Memory>,
        offset: u64,
    ) -> Result<()> {
        let place = self.place(plane)?;
        let end = offset.checked_add(place.allocation.size_bytes);
        if end.is_none_or(|end| end > memory.bytes) {
            return Err(Error::InvalidUse {
                why: "an image bound beyond its memory",
            });
        }
        let bound = Bound {
            address: memory.address() + offset,
            _memory: memory.clone(),
        };
        place.bound.set(bound).map_err(|_| Error::InvalidUse {
            why: "an image bound twice",
        })
    }

    /// GPU address of the memory that a part lies in.
    pub fn address(&self, part: &Part) -> Result<u64> {
        match self.memories.get(part.memory).and_then(|m| m.bound.get()) {
            Some(bound) => Ok(bound.address),
            None => Err(Error::InvalidUse {
                why: "an image used without memory",
            }),
        }
    }

    /// The aspect that a plane of its memory is, of images that have a modifier; another is itself.
    fn aspect_in_memory(&self, aspect: api::ImageAspectFlags) -> api::ImageAspectFlags {
        let planes = [
            api::ImageAspectFlags::MEMORY_PLANE_0_EXT,
            api::ImageAspectFlags::MEMORY_PLANE_1_EXT,
            api::ImageAspectFlags::MEMORY_PLANE_2_EXT,
        ];
        let index = planes.iter().position(|&plane| plane == aspect);
        let part = index.and_then(|index| self.parts.get(index));
        part.map_or(aspect, |part| part.aspect)
    }

    /// A part of it.
    pub fn part(&self, aspect: api::ImageAspectFlags) -> Result<&Part> {
        let found = self.parts.iter().find(|part| part.aspect == aspect);
        found.ok_or(Error::InvalidUse {
            why: "an aspect that an image does not have",
        })
    }

    /// The auxiliary surface of a part that is used whoever sees the part, and where it is.
    pub fn control(&self, part: &'_ Part) -> Result<Option<(Surface, u64)>> {
        self.aux(part, AuxKind::Samples)
    }

    /// The auxiliary surface of a kind, and where it is.
    pub fn aux(&self, part: &'_ Part, kind: AuxKind) -> Result<Option<(Surface, u64)>> {
        match part.aux.filter(|aux| aux.kind == kind) {
            Some(aux) => Ok(Some((aux.surface, self.address(part)? + aux.offset_bytes))),
            None => Ok(None),
        }
    }

    /// Address of the record of a kept clear; none: no clear is kept. There is one, of the first layer of the first level: its blocks or
    /// pixels may have the clear colour from one rendering to the next in the layouts of [`Image::is_drawn_in`], where the record says so.
    pub fn record(&self, part: &Part) -> Result<Option<u64>> {
        match part.aux.and_then(|aux| aux.record_bytes) {
            Some(at) => Ok(Some(self.address(part)? + at)),
            None => Ok(None),
        }
    }

    /// Whether a recording may keep a clear of the image. Recordings come in any order: who asks first decides for all of them.
    pub fn keeps_clears(&self) -> bool {
        self.decide(KEPT) == KEPT
    }

    /// Whether a recording that knows nothing of the image has to reckon with a clear that another one has kept.
    pub fn reckons_with_clears(&self) -> bool {
        self.decide(NEVER_KEPT) == KEPT
    }

    /// Whether it is decided that no recording keeps a clear.
    pub fn keeps_no_clears(&self) -> bool {
        self.clears.load(Relaxed) == NEVER_KEPT
    }

    fn decide(&self, how: u8) -> u8 {
        // Nothing but the decision itself is passed on.
        match self
            .clears
            .compare_exchange(UNDECIDED, how, Relaxed, Relaxed)
        {
            Ok(_) => how,
            Err(decided) => decided,
        }
    }

    /// Whether anything must be done when its layout changes.
    pub fn has_aux(&self) -> bool {
        let kinds = self.parts.iter().filter_map(|part| part.aux);
        kinds
            .into_iter()
            .any(|aux| aux.kind != AuxKind::Ccs || aux.record_bytes.is_some() || aux.compresses)
    }

    /// The colour control surface of a part that is compressed, and where it is. From the first layout on it tells in every layout which
    /// blocks are compressed, so whoever goes by it sees colours as they are.
    pub fn compression(&self, part: &Part) -> Result<Option<(Surface, u64)>> {
        match part.aux {
            Some(aux) if aux.compresses => self.aux(part, AuxKind::Ccs),
            _ => Ok(None),
        }
    }

    /// Whether a format sees the colours of a part as they are, whether that is compressed or not.
    pub fn is_seen_in(part: &Part, format: &hw::Format) -> bool {
        let compresses = part.aux.is_some_and(|aux| aux.compresses);
        !compresses || channel_bits(part.format) == channel_bits(format)
    }

    /// Whether its colours are compressed.
    pub fn is_compressed(&self) -> bool {
        let first = self.parts.first().and_then(|part| part.aux);
        first.is_some_and(|aux| aux.compresses)
    }

    /// Gives the surface of a part that is compressed its control surface.
    pub fn compress(
        &self,
        part: &Part,
        words: &mut cmd::draw::target::Surface,
        blocks: CcsMode,
    ) -> Result<()> {
        if let Some((control, address)) = self.compression(part)? {
            cmd::image::set_ccs(words, &control, address, blocks);
        }
        Ok(())
    }

    /// What control surfaces of one sample are to those who draw in a layout.
    pub fn drawn_blocks(&self, layout: api::ImageLayout) -> CcsMode {
        match self.is_compressed() && Self::is_drawn_in(layout) {
            true => CcsMode::Compressed,
            false => CcsMode::FastClear,
        }
    }

    /// Whether blocks may be compressed in a layout: attachments and the sampler alone can see colours in it, by their surfaces.
    pub fn is_compressed_in(layout: api::ImageLayout) -> bool {
        use api::ImageLayout as L;
        [L::SHADER_READ_ONLY_OPTIMAL, L::READ_ONLY_OPTIMAL].contains(&layout)
            || Self::is_drawn_in(layout)
    }

    /// Whether depth is written by way of its hierarchy in a layout: attachments alone can be in these, so that everyone else finds all
    /// depths where they lie.
    pub fn keeps_hierarchy(layout: api::ImageLayout) -> bool {
        use api::ImageLayout as L;
        [
            L::DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
            L::DEPTH_ATTACHMENT_STENCIL_READ_ONLY_OPTIMAL,
            L::DEPTH_ATTACHMENT_OPTIMAL,
            L::ATTACHMENT_OPTIMAL,
        ]
        .contains(&layout)
    }

    /// Whether attachments alone can see colours in a layout, and no two in two ways.
    pub fn is_drawn_in(layout: api::ImageLayout) -> bool {
        use api::ImageLayout as L;
        [L::COLOR_ATTACHMENT_OPTIMAL, L::ATTACHMENT_OPTIMAL].contains(&layout)
    }

    /// Depth and stencil of some layers, as they are drawn to.
    pub fn depth_stencil(
        &self,
        aspects: api::ImageAspectFlags,
        level: u32,
        (first_layer, layers): (u32, u32),
    ) -> Result<DepthStencilTarget> {
        let [width, height, _] = self.info.extent_px;
        let mut target = DepthStencilTarget {
            width,
            height,
            level,
            first_layer,
            layers,
            ..DepthStencilTarget::default()
        };
        let parts = self.parts.iter();
        for part in parts.filter(|part| aspects.contains(part.aspect)) {
            let address = self.address(part)? + part.offset_bytes;
            let pitch_bytes = part.surface.row_pitch_bytes;
            let qpitch_rows = part.surface.qpitch();
            if part.aspect == api::ImageAspectFlags::STENCIL {
                target.stencil = Some(Stencil {
                    address,
                    pitch_bytes,
                    qpitch_rows,
                });
                continue;
            }
            let hierarchy = self.aux(part, AuxKind::Hiz)?;
            target.depth = Some(Depth {
                format: match part.format.name {
                    "R32_FLOAT" => DepthFormat::D32Float,
                    "R16_UNORM" => DepthFormat::D16Unorm,
                    _ => DepthFormat::D24UnormX8,
                },
                address,
                pitch_bytes,
                qpitch_rows,
                hierarchy: hierarchy.map(|(surface, address)| Hiz {
                    address,
                    pitch_bytes: surface.row_pitch_bytes,
                    qpitch_rows: surface.qpitch(),
                }),
            });
        }
        Ok(target)
    }

    /// Its parts: colours, or depth before stencil.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Size of a level in pixels.
    pub fn level_extent_px(&self, level: u32) -> [u32; 3] {
        self.info
            .extent_px
            .map(|extent| extent.checked_shr(level).unwrap_or(0).max(1))
    }

    /// Size of a part's level in its pixels: planes may be smaller.
    pub fn part_extent_px(&self, aspect: api::ImageAspectFlags, level: u32) -> [u32; 3] {
        self.format
            .part_extent_px(aspect, self.level_extent_px(level))
    }

    /// Layers, or slices of a volume, of a level.
    pub fn slices(&self, level: u32) -> u32 {
        match self.info.question.dimension {
            api::ImageType::TYPE_3D => self.level_extent_px(level)[2],
            _ => self.info.layers,
        }
    }

    /// Samples of a pixel.
    pub fn samples(&self) -> u32 {
        self.info.samples.as_raw().max(1)
    }

    /// Where a level of a layer lies, as the host sees it: of linear images.
    pub fn host_layout(
        &self,
        aspect: api::ImageAspectFlags,
        level: u32,
        layer: u32,
    ) -> Result<api::SubresourceLayout> {
        let aspect = self.aspect_in_memory(aspect);
        let part = self.part(aspect)?;
        if level >= self.info.levels || layer >= self.info.layers {
            return Err(Error::InvalidUse {
                why: "a level or layer that an image does not have",
            });
        }
        let surface = &part.surface;
        let slice = u64::from(surface.layer_pitch_rows_el) * u64::from(surface.row_pitch_bytes);
        let place = surface.place(level, layer);
        let [_, height, depth] = self.part_extent_px(aspect, level);
        let rows = u64::from(height.div_ceil(surface.block.extent_sa[1]));
        let slices = u64::from(depth - 1);
        let pitch = u64::from(surface.row_pitch_bytes);
        // Levels stand beside each other in rows: the last row of each ends with that of all.
        let before = match surface.tiling {
            surface::Tiling::Linear => place.offset_bytes % pitch,
            _ => 0,
        };
        Ok(api::SubresourceLayout {
            offset: part.offset_bytes + place.offset_bytes,
            size: slices * slice + rows * pitch - before,
            row_pitch: pitch,
            array_pitch: slice,
            depth_pitch: slice,
        })
    }
}

/// The aspect with the lowest bit: colour, depth, stencil, then planes.
fn first_aspect(all: api::ImageAspectFlags) -> Option<api::ImageAspectFlags> {
    let bits = all.as_raw();
    (bits != 0).then(|| api::ImageAspectFlags::from_raw(bits & bits.wrapping_neg()))
}

/// Which auxiliary surface a part may have.
fn aux_kind(info: &Info, aspect: api::ImageAspectFlags, format: &hw::Format) -> Option<AuxKind> {
    use api::ImageUsageFlags as U;
    let tiled = info.question.tiling == api::ImageTiling::OPTIMAL;
    // Who else sees the memory knows of no blocks.
    let alone = !info.question.flags.contains(api::ImageCreateFlags::ALIAS) && !info.shared;
    if aspect == api::ImageAspectFlags::COLOR {
        let several = info.samples != api::SampleCountFlags::TYPE_1;
        // Vol. 2d, RENDER_SURFACE_STATE, "Auxiliary Surface Mode": not for wide ones of many samples.
        let narrow = info.extent_px[0] <= 8192 || info.samples.as_raw() < 8;
        if several {
            return narrow.then_some(AuxKind::Samples);
        }
        let plane = info.question.dimension == api::ImageType::TYPE_2D;
        let drawn = info.question.usage.contains(U::COLOR_ATTACHMENT);
        let sized = matches!(format.block_bits, 32 | 64 | 128) && format.block_el == [1, 1];
        return (plane && drawn && sized && tiled && alone).then_some(AuxKind::Ccs);
    }
    let depth = aspect == api::ImageAspectFlags::DEPTH;
    let drawn = info.question.usage.contains(U::DEPTH_STENCIL_ATTACHMENT);
    // Operations are on whole blocks, which levels behind the first need not be made of.
    let plane = info.question.dimension == api::ImageType::TYPE_2D;
    (depth && plane && tiled && drawn && alone && info.levels == 1).then_some(AuxKind::Hiz)
}

/// Pixels from which on an attachment is cleared by blocks: what a fast clear has to wait for costs as much as to write fewer.
const LEAST_PX: u64 = 256 * 256;

/// Whether a rectangle of so many pixels is worth a clear by blocks.
pub fn is_worth_blocks(diagnosis: &Diagnosis, [width, height]: [u32; 2]) -> bool {
    let large = u64::from(width) * u64::from(height) >= LEAST_PX;
    (large || diagnosis.has(debug::Flag::FastClears)) && !diagnosis.has(debug::Flag::NoFastClear)
}

/// Whether fast clears last longer than the rendering that begins with them. Nobody else sees the memory, or the pixels in another
/// format, in which the colour would be another one.
fn keeps_clears(diagnosis: &Diagnosis, info: &Info, kind: AuxKind) -> bool {
    use api::ImageCreateFlags as F;
    let flags = info.question.flags;
    let [width, height, _] = info.extent_px;
    kind != AuxKind::Hiz
        && !flags.intersects(F::ALIAS | F::MUTABLE_FORMAT)
        && !info.shared
        && is_worth_blocks(diagnosis, [width, height])
        && !diagnosis.has(debug::Flag::NoKeptClears)
}

/// Whether blocks that are compressed in one format are colours in all of these: each can be compressed, and has channels as wide.
/// Ref: SKL PRM vol. 7, "Render Target Resolve", "Lossless Compression".
pub fn compress_alike(
    physical: &PhysicalDevice,
    format: api::Format,
    others: &[api::Format],
) -> bool {
    let hw_gen = physical.info().device.hw_gen;
    let widths = |format| {
        let row = format::in_images(format, api::ImageTiling::OPTIMAL)?;
        let hw = row.part(api::ImageAspectFlags::COLOR)?;
        let can = hw.uses(hw_gen).contains(FormatUse::COMPRESS);
        can.then(|| channel_bits(hw))
    };
    let own = widths(format);
    own.is_some() && others.iter().all(|other| widths(*other) == own)
}

/// Bits of each channel: what formats have in common that see the same colours in compressed blocks.
fn channel_bits(format: &hw::Format) -> [u8; 4] {
    format.channels.map(|(_, bits)| bits)
}

/// Whether colours of one sample are compressed where their format can be. Nobody else sees the memory, or the pixels in formats in which
/// they are no colours, and no message of the data port does, which knows nothing of it. Of small images what a change of layout costs is
/// more than it saves.
fn compresses(diagnosis: &Diagnosis, info: &Info) -> bool {
    use api::ImageCreateFlags as F;
    let question = &info.question;
    let [width, height, _] = info.extent_px;
    let large = u64::from(width) * u64::from(height) >= LEAST_PX;
    info.alike
        && !question.flags.contains(F::ALIAS)
        && !question.usage.contains(api::ImageUsageFlags::STORAGE)
        && !info.shared
        && (large || diagnosis.has(debug::Flag::FastClears))
        && !diagnosis.has(debug::Flag::NoCcsE)
}

/// The option that turns a kind off.
fn switch(kind: AuxKind) -> debug::Flag {
    match kind {
        AuxKind::Samples => debug::Flag::NoMcs,
        AuxKind::Ccs => debug::Flag::NoCcs,
        AuxKind::Hiz => debug::Flag::NoHiz,
    }
}

/// What the layout of a part depends on, of an image's uses.
fn usage(info: &Info, aspect: api::ImageAspectFlags) -> Usage {
    use api::ImageUsageFlags as U;
    let mut all = Usage::NO_AUX;
    // What is made to be shown by others, and not theirs already, has rows that they can read.
    if info.question.modifier.is_some() && info.layouts == Layouts::default() {
        all |= Usage::DISPLAY;
    }
    all |= match aspect {
        api::ImageAspectFlags::DEPTH => Usage::DEPTH,
        api::ImageAspectFlags::STENCIL => Usage::STENCIL,
        _ => Usage::empty(),
    };
    let asked = info.question.usage;
    // Blits read as the sampler does, and write to colour targets.
    for (uses, means) in [
        (
            U::SAMPLED | U::INPUT_ATTACHMENT | U::TRANSFER_SRC,
            Usage::TEXTURE,
        ),
        (U::STORAGE, Usage::STORAGE),
    ] {
        if asked.intersects(uses) {
            all |= means;
        }
    }
    let targets = U::COLOR_ATTACHMENT | U::TRANSFER_DST;
    let depth_stencil = api::ImageAspectFlags::DEPTH | api::ImageAspectFlags::STENCIL;
    if !depth_stencil.contains(aspect) && asked.intersects(targets) {
        all |= Usage::RENDER_TARGET;
    }
    let [width, height, _] = info.extent_px;
    let cube = api::ImageCreateFlags::CUBE_COMPATIBLE;
    if info.question.flags.contains(cube) && width == height && info.layers >= 6 {
        all |= Usage::CUBE;
    }
    all
}

/// What becomes of images that others have laid out as no surface can lie.
const MISPLACED: Error = Error::InvalidPlaneLayout {
    why: "a plane that no surface can be",
};

/// The surface of a part of so many pixels.
fn lay_out(
    device: &hw::Device,
    (info, extent_px): (&Info, [u32; 3]),
    usage: Usage,
    format: &'static hw::Format,
    row_pitch_bytes: Option<u32>,
) -> std::result::Result<Surface, SurfaceError> {
    // Rows of elements that no tile holds stay rows.
    let linear =
        info.question.tiling == api::ImageTiling::LINEAR || !format.block_bits.is_power_of_two();
    let asked = ImageInfo {
        format,
        dim: match info.question.dimension {
            api::ImageType::TYPE_1D => Dim::D1,
            api::ImageType::TYPE_3D => Dim::D3,
            _ => Dim::D2,
        },
        extent_px,
        levels: info.levels,
        layers: info.layers,
        samples: info.samples.as_raw(),
        usage,
        tilings: match (info.question.modifier.and_then(Modifier::of), linear) {
            (Some(modifier), _) => modifier.tilings,
            (None, true) => Tilings::LINEAR,
            (None, false) => Tilings::all(),
        },
        row_pitch_bytes,
    };
    Surface::new(device, &asked)
}

/// Why there is no surface for a part whose rows should be so far apart.
#[cold]
fn not_laid_out(error: &SurfaceError, row_pitch_bytes: Option<u32>) -> Error {
    match error {
        SurfaceError::TooLarge { .. }
        | SurfaceError::PitchTooLong { .. }
        | SurfaceError::LayersTooFar { .. } => Error::OutOfDeviceMemory {
            what: "an image larger than a surface can be",
        },
        _ if row_pitch_bytes.is_some() => MISPLACED,
        _ => Error::InvalidUse {
            why: "an image that no surface can hold",
        },
    }
}
