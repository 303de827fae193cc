//! `VkImage`.
//!
//! In:  a description. Out: a surface for each plane or aspect, in one or several memory ranges.

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use ash::vk as api;
use cmd::draw::target::{DepthBuffer, DepthFormat, DepthStencilTarget, HizBuffer, StencilBuffer};
use cmd::fast_clear_record::RECORD_BYTES;
use cmd::image::CcsMode;
use hw::{FormatUse, Wa};
use smallvec::SmallVec;
use surface::{
    ImageDim, ImageInfo, ImageUsage, Surface, SurfaceAllocation, SurfaceError, TilingSet,
};

use super::aux_choice::{
    AuxKind, aux_kind, can_track_clears, channel_sizes, disable_flag, is_compressible,
};
use super::create_info::ImageCreateInfo;
use super::heap_surfaces::HeapSurfaces;
use crate::buffer::Requirements;
use crate::error::{Error, Result};
use crate::format::{self, Format};
use crate::memory::DeviceMemory;
use crate::modifier::{Modifier, PlaneLayouts};
use crate::physical::PhysicalDevice;

/// A surface of an image: colour, a plane, depth, or stencil.
#[derive(Clone, Copy, Debug)]
pub struct ImagePlane {
    /// Its aspect.
    pub aspect: api::ImageAspectFlags,
    /// Hardware format.
    pub format: &'static hw::Format,
    /// Layout of the surface.
    pub surface: Surface,
    /// Index of the memory range that it is in.
    memory: usize,
    /// Offset in that range, in bytes.
    pub offset_bytes: u64,
    /// Its aux surface.
    pub aux: Option<AuxSurface>,
}

/// An aux surface.
#[derive(Clone, Copy, Debug)]
pub struct AuxSurface {
    /// Its type.
    pub kind: AuxKind,
    /// Layout of the surface.
    pub surface: Surface,
    /// Offset in the image's memory range, in bytes.
    pub offset_bytes: u64,
    /// Offset of the fast clear record, if fast clears are tracked.
    record_bytes: Option<u64>,
    /// For [`AuxKind::Ccs`]: blocks are compressed in the layouts of
    /// [`Image::layout_allows_compression`].
    is_compressible: bool,
}

/// `VkImage`.
#[derive(Debug)]
pub struct Image {
    /// Parameters of the image.
    pub info: ImageCreateInfo,
    /// Format.
    pub format: &'static Format,
    parts: SmallVec<[ImagePlane; 1]>,
    ranges: SmallVec<[MemoryRange; 1]>,
    /// Whether fast clears are tracked beyond a rendering: [`UNDECIDED`] at first.
    clear_tracking: AtomicU8,
    /// The surface states of its descriptors in heaps.
    pub heap_surfaces: HeapSurfaces,
}

/// No recording has had to decide yet.
const UNDECIDED: u8 = 0;
/// A recording has tracked a fast clear: all others must expect one.
const TRACKED: u8 = 1;
/// A recording assumed that the image is not fast-cleared: none may track a clear from then on.
const NEVER_TRACKED: u8 = 2;

/// A memory range of an image: one for the image, or one for each disjoint plane.
#[derive(Debug, Default)]
struct MemoryRange {
    allocation: SurfaceAllocation,
    bound: OnceLock<BoundMemory>,
}

/// The alignments of images with optimal tiling, as a mask of bytes: a tile is a page.
pub const ALIGNMENTS: u32 = 4096;

/// The memory that a range is bound to.
#[derive(Debug)]
struct BoundMemory {
    address: u64,
    /// Keeps the address reserved.
    memory: Arc<DeviceMemory>,
}

impl Image {
    /// Creates an image without memory.
    pub fn new(physical: &PhysicalDevice, info: &ImageCreateInfo) -> Result<Arc<Self>> {
        let limits = physical.image_format_properties(&info.question)?;
        let [width, height, depth] = info.extent_px;
        let fits = width <= limits.max_extent.width
            && height <= limits.max_extent.height
            && depth <= limits.max_extent.depth
            && info.levels <= limits.max_mip_levels
            && info.layers <= limits.max_array_layers
            && limits.sample_counts.contains(info.samples);
        if !fits {
            return Err(Error::InvalidUse {
                why: "an image larger than its format can be",
            });
        }
        let format = format::for_tiling(info.question.format, info.question.tiling)
            .ok_or(Error::FormatNotSupported)?;
        // It is large, so the surfaces are built in place.
        let mut image = Arc::new(Self {
            info: *info,
            format,
            parts: SmallVec::new(),
            ranges: SmallVec::from_buf([MemoryRange::default()]),
            clear_tracking: AtomicU8::new(UNDECIDED),
            heap_surfaces: HeapSurfaces::default(),
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
            ranges,
            clear_tracking: _,
            heap_surfaces: _,
        } = self;
        let disjoint = info
            .question
            .flags
            .contains(api::ImageCreateFlags::DISJOINT);
        let device = physical.info().device;
        let mut left = format.aspects();
        while let Some(aspect) = first_aspect(left) {
            left &= !aspect;
            let Some(hw) = format.aspect_format(aspect) else {
                continue;
            };
            let mut uses = info.usage(aspect);
            let wanted_aux = aux_kind(info, aspect, hw)
                .filter(|kind| !physical.diagnosis().has(disable_flag(*kind)));
            if wanted_aux.is_some() {
                uses -= ImageUsage::NO_AUX;
            }
            let extent_px = format.aspect_extent_px(aspect, info.extent_px);
            let there = info.layouts.get(parts.len()).copied().flatten();
            let scanned = || scanout_pitch(device, info, extent_px, hw);
            let pitch = there.map(|plane| plane.row_pitch).or_else(scanned);
            // Copied once, to its final place: another copy would defeat store-to-load forwarding.
            let laid_out = compute_layout(device, (info, extent_px), uses, hw, pitch);
            let surface = match &laid_out {
                Ok(surface) => surface,
                Err(error) => return Err(layout_error(error, pitch)),
            };
            let slices = u64::from(info.layers.max(extent_px[2]));
            if there.is_some_and(|plane| slices > 1 && plane.slice_pitch != slice_bytes(surface)) {
                return Err(INVALID_PLANE_LAYOUT);
            }
            if disjoint && !parts.is_empty() {
                ranges.push(MemoryRange::default());
            }
            let memory = ranges.len() - 1;
            let allocation = &mut ranges[memory].allocation;
            let offset_bytes = match there {
                Some(plane) => allocation
                    .add_surface(surface, plane.offset)
                    .ok_or(INVALID_PLANE_LAYOUT)?,
                None => allocation.push(surface),
            };
            parts.push(ImagePlane {
                aspect,
                format: hw,
                surface: *surface,
                memory,
                offset_bytes,
                aux: None,
            });
            let aux = wanted_aux.and_then(|kind| {
                let surface = match kind {
                    AuxKind::Mcs => surface.mcs(device),
                    AuxKind::Ccs => {
                        let pitch = info.ccs_layout().map(|plane| plane.row_pitch);
                        surface.ccs_with_pitch(device, pitch)
                    }
                    AuxKind::Hiz => surface.hiz(device),
                };
                Some((kind, surface.ok()?))
            });
            if aux.is_none() && info.has_ccs_modifier() {
                return Err(INVALID_PLANE_LAYOUT);
            }
            if let (Some((kind, surface)), Some(part)) = (aux, parts.last_mut()) {
                part.aux = Some(AuxSurface {
                    kind,
                    surface,
                    offset_bytes: match info.ccs_layout() {
                        Some(plane) => allocation
                            .add_surface(&surface, plane.offset)
                            .ok_or(INVALID_PLANE_LAYOUT)?,
                        None => allocation.push(&surface),
                    },
                    record_bytes: can_track_clears(physical.diagnosis(), info, kind)
                        .then(|| allocation.push_bytes(RECORD_BYTES.into(), RECORD_BYTES)),
                    is_compressible: kind == AuxKind::Ccs
                        && hw.uses(device.hw_gen).contains(FormatUse::COMPRESS)
                        && is_compressible(physical.diagnosis(), info),
                });
            }
        }
        Ok(())
    }

    /// The memory range of a disjoint plane, or of the whole image.
    fn memory_range(&self, plane: Option<api::ImageAspectFlags>) -> Result<&MemoryRange> {
        let index = match plane {
            Some(plane) if self.ranges.len() > 1 => self.aspect_part(plane)?.memory,
            _ => 0,
        };
        self.ranges.get(index).ok_or(Error::InvalidUse {
            why: "an image without planes",
        })
    }

    /// Memory requirements of the image or of a disjoint plane, given the mask of memory types.
    pub fn requirements(
        &self,
        plane: Option<api::ImageAspectFlags>,
        type_bits: u32,
    ) -> Result<Requirements> {
        let allocation = &self.memory_range(plane)?.allocation;
        // Linear images may be adjacent to buffers.
        let alignment_bytes = u64::from(allocation.alignment_bytes).max(64);
        Ok(Requirements {
            // Padded, so that equal images can be placed one after the other.
            bytes: allocation.size_bytes.next_multiple_of(alignment_bytes),
            alignment_bytes,
            type_bits,
        })
    }

    /// Binds the image or a disjoint plane at an offset of a memory.
    pub fn bind(
        &self,
        plane: Option<api::ImageAspectFlags>,
        memory: &Arc<DeviceMemory>,
        offset: u64,
    ) -> Result<()> {
        let place = self.memory_range(plane)?;
        let end = offset.checked_add(place.allocation.size_bytes);
        if end.is_none_or(|end| end > memory.bytes) {
            return Err(Error::InvalidUse {
                why: "an image bound beyond its memory",
            });
        }
        let bound = BoundMemory {
            address: memory.address() + offset,
            memory: memory.clone(),
        };
        place.bound.set(bound).map_err(|_| Error::InvalidUse {
            why: "an image bound twice",
        })
    }

    /// The ranges of GPU addresses that the image is bound to: address and bytes of each.
    pub fn bound_ranges(&self) -> impl Iterator<Item = (u64, u64)> {
        self.ranges.iter().filter_map(|range| {
            let bound = range.bound.get()?;
            Some((bound.address, range.allocation.size_bytes))
        })
    }

    /// GPU address of the memory range of a surface.
    pub fn address(&self, part: &ImagePlane) -> Result<u64> {
        match self.ranges.get(part.memory).and_then(|m| m.bound.get()) {
            Some(bound) => Ok(bound.address),
            None => Err(Error::InvalidUse {
                why: "an image used without memory",
            }),
        }
    }

    /// The memory of a plane.
    pub fn memory(&self, part: &ImagePlane) -> Result<&DeviceMemory> {
        let range = self.ranges.get(part.memory);
        let bound = range.and_then(|range| range.bound.get());
        bound.map(|bound| &*bound.memory).ok_or(Error::InvalidUse {
            why: "an image without memory",
        })
    }

    /// The aspect of a memory plane of an image with a modifier; other aspects are returned
    /// unchanged.
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

    /// The surface of an aspect.
    pub fn aspect_part(&self, aspect: api::ImageAspectFlags) -> Result<&ImagePlane> {
        let found = self.parts.iter().find(|part| part.aspect == aspect);
        found.ok_or(Error::InvalidUse {
            why: "an aspect that an image does not have",
        })
    }

    /// The MCS of a surface and its address.
    pub fn mcs(&self, part: &'_ ImagePlane) -> Result<Option<(Surface, u64)>> {
        self.aux(part, AuxKind::Mcs)
    }

    /// The aux surface of a type and its address.
    pub fn aux(&self, part: &'_ ImagePlane, kind: AuxKind) -> Result<Option<(Surface, u64)>> {
        match part.aux.filter(|aux| aux.kind == kind) {
            Some(aux) => Ok(Some((aux.surface, self.address(part)? + aux.offset_bytes))),
            None => Ok(None),
        }
    }

    /// Address of the fast clear record. `None`: clears are not tracked. There is one record, for
    /// the first layer of the first level, which may stay fast-cleared between renderings while the
    /// image is in a layout of [`Image::is_attachment_only_layout`].
    pub fn fast_clear_record(&self, part: &ImagePlane) -> Result<Option<u64>> {
        match part.aux.and_then(|aux| aux.record_bytes) {
            Some(at) => Ok(Some(self.address(part)? + at)),
            None => Ok(None),
        }
    }

    /// Decides whether a recording may track a fast clear. Recordings come in any order: the first
    /// one to ask, here or in [`Image::may_be_fast_cleared`], decides for all.
    pub fn tracks_clears(&self) -> bool {
        self.decide_tracking(TRACKED) == TRACKED
    }

    /// Decides whether a recording that does not know the image's state must expect a fast clear.
    pub fn may_be_fast_cleared(&self) -> bool {
        self.decide_tracking(NEVER_TRACKED) == TRACKED
    }

    /// Whether it is decided that no clear is tracked.
    pub fn never_tracks_clears(&self) -> bool {
        self.clear_tracking.load(Relaxed) == NEVER_TRACKED
    }

    fn decide_tracking(&self, how: u8) -> u8 {
        // Relaxed: no other data depends on the decision.
        match self
            .clear_tracking
            .compare_exchange(UNDECIDED, how, Relaxed, Relaxed)
        {
            Ok(_) => how,
            Err(decided) => decided,
        }
    }

    /// Whether layout transitions need GPU work.
    pub fn has_aux(&self) -> bool {
        let kinds = self.parts.iter().filter_map(|part| part.aux);
        kinds.into_iter().any(|aux| {
            aux.kind != AuxKind::Ccs || aux.record_bytes.is_some() || aux.is_compressible
        })
    }

    /// The CCS of a compressed surface and its address. It is valid from the first layout
    /// transition on, in every layout.
    pub fn compressed_ccs(&self, part: &ImagePlane) -> Result<Option<(Surface, u64)>> {
        match part.aux {
            Some(aux) if aux.is_compressible => self.aux(part, AuxKind::Ccs),
            _ => Ok(None),
        }
    }

    /// Whether views in a format read compressed blocks correctly, or the surface is not
    /// compressed.
    pub fn is_compression_compatible(part: &ImagePlane, format: &hw::Format) -> bool {
        let is_compressible = part.aux.is_some_and(|aux| aux.is_compressible);
        !is_compressible || channel_sizes(part.format) == channel_sizes(format)
    }

    /// Whether the image has compression.
    pub fn is_compressed(&self) -> bool {
        let first = self.parts.first().and_then(|part| part.aux);
        first.is_some_and(|aux| aux.is_compressible)
    }

    /// Adds the CCS of a compressed surface to a surface state.
    pub fn set_ccs(
        &self,
        part: &ImagePlane,
        words: &mut cmd::draw::target::SurfaceStateWords,
        blocks: CcsMode,
    ) -> Result<()> {
        if let Some((control, address)) = self.compressed_ccs(part)? {
            cmd::image::set_ccs(words, &control, address, blocks);
        }
        Ok(())
    }

    /// Adds the CCS of a compressed surface to the surface state of a texture. Layouts in which it
    /// is sampled have no compressed blocks if textures have no aux data.
    pub fn set_texture_ccs(
        &self,
        part: &ImagePlane,
        words: &mut cmd::draw::target::SurfaceStateWords,
    ) -> Result<()> {
        match self.info.textures_without_aux {
            true => Ok(()),
            false => self.set_ccs(part, words, CcsMode::Compressed),
        }
    }

    /// CCS mode for rendering in a layout.
    pub fn ccs_mode(&self, layout: api::ImageLayout) -> CcsMode {
        match self.is_compressed() && Self::is_attachment_only_layout(layout) {
            true => CcsMode::Compressed,
            false => CcsMode::FastClear,
        }
    }

    /// Whether others have laid out the image in memory.
    pub fn is_laid_out_by_others(&self) -> bool {
        self.info.layouts != PlaneLayouts::default()
    }

    /// Whether others who access the memory know its CCS.
    pub fn shares_ccs(&self) -> bool {
        self.info.has_ccs_modifier()
    }

    /// Whether a layout allows compressed blocks: only attachments and the sampler can access the
    /// image, through surface states with the CCS.
    pub fn layout_allows_compression(&self, layout: api::ImageLayout) -> bool {
        use api::ImageLayout as L;
        let sampled = [L::SHADER_READ_ONLY_OPTIMAL, L::READ_ONLY_OPTIMAL].contains(&layout);
        sampled && !self.info.textures_without_aux || Self::is_attachment_only_layout(layout)
    }

    /// Whether a layout uses HiZ: only attachments can access the image, so nobody else misses what
    /// the depth buffer lacks.
    pub fn layout_uses_hiz(layout: api::ImageLayout) -> bool {
        use api::ImageLayout as L;
        [
            L::DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
            L::DEPTH_ATTACHMENT_STENCIL_READ_ONLY_OPTIMAL,
            L::DEPTH_ATTACHMENT_OPTIMAL,
            L::ATTACHMENT_OPTIMAL,
        ]
        .contains(&layout)
    }

    /// Whether only attachments can access a colour image in a layout, each subresource through one
    /// attachment.
    pub fn is_attachment_only_layout(layout: api::ImageLayout) -> bool {
        use api::ImageLayout as L;
        [L::COLOR_ATTACHMENT_OPTIMAL, L::ATTACHMENT_OPTIMAL].contains(&layout)
    }

    /// Depth and stencil of some layers as render targets.
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
                target.stencil = Some(StencilBuffer {
                    address,
                    pitch_bytes,
                    qpitch_rows,
                });
                continue;
            }
            let hierarchy = self.aux(part, AuxKind::Hiz)?;
            target.depth = Some(DepthBuffer {
                format: match part.format.name {
                    "R32_FLOAT" => DepthFormat::D32Float,
                    "R16_UNORM" => DepthFormat::D16Unorm,
                    _ => DepthFormat::D24UnormX8,
                },
                address,
                pitch_bytes,
                qpitch_rows,
                hierarchy: hierarchy.map(|(surface, address)| HizBuffer {
                    address,
                    pitch_bytes: surface.row_pitch_bytes,
                    qpitch_rows: surface.qpitch(),
                }),
            });
        }
        Ok(target)
    }

    /// The surfaces: colour or planes, or depth before stencil.
    pub fn parts(&self) -> &[ImagePlane] {
        &self.parts
    }

    /// Size of a level in pixels.
    pub fn level_extent_px(&self, level: u32) -> [u32; 3] {
        self.info
            .extent_px
            .map(|extent| extent.checked_shr(level).unwrap_or(0).max(1))
    }

    /// Size of a level of an aspect in its pixels: planes may be smaller.
    pub fn aspect_extent_px(&self, aspect: api::ImageAspectFlags, level: u32) -> [u32; 3] {
        self.format
            .aspect_extent_px(aspect, self.level_extent_px(level))
    }

    /// Layers, or slices of a 3D image, of a level.
    pub fn slices(&self, level: u32) -> u32 {
        match self.info.question.dimension {
            api::ImageType::TYPE_3D => self.level_extent_px(level)[2],
            _ => self.info.layers,
        }
    }

    /// Sample count.
    pub fn samples(&self) -> u32 {
        self.info.samples.as_raw().max(1)
    }

    /// Layout of a subresource for the host, for linear images.
    pub fn host_layout(
        &self,
        aspect: api::ImageAspectFlags,
        level: u32,
        layer: u32,
    ) -> Result<api::SubresourceLayout> {
        let second = api::ImageAspectFlags::MEMORY_PLANE_1_EXT;
        let aux = self.parts.first().and_then(|part| part.aux);
        if let Some(aux) = aux.filter(|_| aspect == second && self.shares_ccs()) {
            let pitch = u64::from(aux.surface.row_pitch_bytes);
            return Ok(api::SubresourceLayout {
                offset: aux.offset_bytes,
                size: aux.surface.size_bytes,
                row_pitch: pitch,
                ..Default::default()
            });
        }
        let aspect = self.aspect_in_memory(aspect);
        let part = self.aspect_part(aspect)?;
        if level >= self.info.levels || layer >= self.info.layers {
            return Err(Error::InvalidUse {
                why: "a level or layer that an image does not have",
            });
        }
        let surface = &part.surface;
        let slice = slice_bytes(surface);
        let place = surface.offset_of(level, layer);
        let [_, height, depth] = self.aspect_extent_px(aspect, level);
        let rows = u64::from(height.div_ceil(surface.block.extent_sa[1]));
        let slices = u64::from(depth - 1);
        let pitch = u64::from(surface.row_pitch_bytes);
        // Levels share rows: the last row of a level ends at the row pitch.
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

/// The row pitch in bytes of an image that may be scanned out with its CCS
/// ([`Wa::CcsScanoutPitch`]); `None` if that of other images will do.
fn scanout_pitch(
    device: &hw::Device,
    info: &ImageCreateInfo,
    [width_px, ..]: [u32; 3],
    format: &hw::Format,
) -> Option<u32> {
    const MAX_PX: u32 = 3840;
    /// Bytes of a row of four Y tiles.
    const FOUR_TILES: u32 = 4 * 128;
    let needed = device.needs(Wa::CcsScanoutPitch) && width_px > MAX_PX;
    let bytes = || (width_px * u32::from(format.block_bits) / 8).next_multiple_of(FOUR_TILES);
    (info.has_ccs_modifier() && needed).then(bytes)
}

/// Bytes from one layer or slice of a surface to the next.
fn slice_bytes(surface: &Surface) -> u64 {
    u64::from(surface.layer_pitch_rows_el) * u64::from(surface.row_pitch_bytes)
}

/// Error of explicit plane layouts that the hardware does not support.
const INVALID_PLANE_LAYOUT: Error = Error::InvalidPlaneLayout {
    why: "a plane layout that the hardware does not support",
};

/// Computes the layout of a surface with an extent.
fn compute_layout(
    device: &hw::Device,
    (info, extent_px): (&ImageCreateInfo, [u32; 3]),
    usage: ImageUsage,
    format: &'static hw::Format,
    row_pitch_bytes: Option<u32>,
) -> std::result::Result<Surface, SurfaceError> {
    // Elements that cannot be tiled are laid out linearly.
    let linear =
        info.question.tiling == api::ImageTiling::LINEAR || !format.block_bits.is_power_of_two();
    let asked = ImageInfo {
        format,
        dim: match info.question.dimension {
            api::ImageType::TYPE_1D => ImageDim::D1,
            api::ImageType::TYPE_3D => ImageDim::D3,
            _ => ImageDim::D2,
        },
        extent_px,
        levels: info.levels,
        layers: info.layers,
        samples: info.samples.as_raw(),
        usage,
        tilings: match (info.question.modifier.and_then(Modifier::find), linear) {
            (Some(modifier), _) => modifier.tilings,
            (None, true) => TilingSet::LINEAR,
            (None, false) => TilingSet::all(),
        },
        row_pitch_bytes,
    };
    Surface::new(device, &asked)
}

/// The error for a failed surface layout.
#[cold]
fn layout_error(error: &SurfaceError, row_pitch_bytes: Option<u32>) -> Error {
    match error {
        SurfaceError::TooLarge { .. }
        | SurfaceError::PitchTooLong { .. }
        | SurfaceError::LayersTooFar { .. } => Error::OutOfDeviceMemory {
            what: "an image larger than the maximum surface",
        },
        _ if row_pitch_bytes.is_some() => INVALID_PLANE_LAYOUT,
        _ => Error::InvalidUse {
            why: "an image that the hardware cannot lay out",
        },
    }
}
