//! Render targets: writes the colours of pixels to memory.
//!
//! In:  a binding table entry; a pixel, the samples to write, the shader's colour. Out: samples
//!      blended, masked, encoded and written; the aux surface kept up to date.
//! Ref: SKL PRM vol. 7, "Render Target Write", "Color Buffer Blending", "MCS Buffer for Render
//!      Target(s)".

use super::blend::{Blend, logic_operation};
use super::dither::dither;
use super::gap::gap;
use super::state::{AuxOperation, State};
use super::target_rules;
use crate::draw::object::LOG_BLOCK;
use crate::fate;
use crate::memory::AddressSpaceView;
use crate::observer::{Colour, Depth, Slices, Via};
use crate::surface::format::Packer;
use crate::surface::{AuxMode, Band, Codec, Image, Kind, Level, Opened, format};
use crate::target_images::Role;
use eu::{HostSimd, StopReason};
use hw::ChannelKind;
use hw::draw_state::blend_state_entry;
use hw::state::binding_table_state;
use std::ops::Range;

/// A bound render target.
pub(super) struct RenderTarget {
    pub image: Image,
    host: HostSimd,
    level: Level,
    blend: Blend,
    /// Blending is enabled and reads the destination.
    blends: bool,
    /// Writes replace the whole texel.
    overwrites: bool,
    /// Values are clamped to this range before blending.
    clamp: Option<(f32, f32)>,
    constant: [f32; 4],
    /// For each channel of the shader the channel of the surface: Shader Channel Select. Blending
    /// and masks use the shader's.
    order: [usize; 4],
    /// Colours are encoded as the shader sends them.
    is_unmodified: bool,
    /// A texel is a dword.
    dword: bool,
    /// Set if whole subspans can be written at once, with the packer for dword texels that are
    /// replaced entirely.
    subspan_writes: Option<Option<Packer>>,
    /// Packs four subspans in a row whose texels are replaced entirely.
    codec: Option<Codec>,
    /// The colour that was last encoded, and its texel: neighbours often have the same colour.
    last: Option<([u32; 4], [u8; 16])>,
    /// The block that was last found or made uncompressed and not cleared.
    resolved_block: Option<[u32; 3]>,
    /// Decompressed blocks in the render cache, to be compressed when the draw ends.
    open_blocks: Vec<Opened>,
}

/// The render targets of a draw's messages so far.
#[derive(Default)]
pub(super) struct RenderTargets {
    /// By binding table index and blend state entry; `None` for the null surface.
    known: Vec<((u32, usize), Option<RenderTarget>)>,
}

impl RenderTargets {
    /// The index of a target for [`RenderTargets::get`]; `None` for the null surface.
    pub fn find(
        &mut self,
        view: &AddressSpaceView<'_>,
        state: &State<'_>,
        key: (u32, usize),
        at: u64,
    ) -> Result<Option<usize>, StopReason> {
        if let Some(found) = self.known.iter().position(|t| t.0 == key) {
            return Ok(self.known[found].1.is_some().then_some(found));
        }
        let (index, blend) = key;
        let at_entry = state.table + u64::from(index) * 4;
        let entry = view.by(Via::State, |view| view.read(at_entry))?;
        let address = state.surface_base + binding_table_state::SURFACE_STATE_POINTER.get(&[entry]);
        let image = Image::read_render_target(view, address)?;
        if view.is_strict() {
            let blend = state.blends.get(blend).copied().unwrap_or_default();
            let both = blend.enabled && blend.logic_op.is_some();
            target_rules::check_target(&image, both, state.samples, at)?;
            let integer = format::is_integer(image.format);
            if image.kind != Kind::Null && !integer && state.aux_operation.is_none() {
                target_rules::check_clamp(&blend.words, at)?;
            }
            if image.kind != Kind::Null && blend.writes != [false; 4] {
                target_rules::check_write_declared(state.declares_target_writes, at)?;
            }
            target_rules::check_hazards_avoided(&image, state.avoids_hazards, at)?;
            target_rules::check_width(&image, state.narrow_tiled_targets, at)?;
            view.depth(image.address, Depth::Forgotten);
            if image.aux.mode == AuxMode::None && blend.reads_destination() {
                let elements = array_layers(&image);
                let slices = Slices {
                    levels: [image.lod, image.lod.saturating_add(1)],
                    elements: [elements.start, elements.end],
                };
                view.colour_seen(image.address, slices, at)?;
            }
            if blend.writes != [false; 4] {
                observe_aux_state(view, &image, state.aux_operation);
            }
        }
        let entry_words = state.blends.get(blend).map(|blend| blend.words);
        if let Some(words) = entry_words.filter(|_| image.kind != Kind::Null) {
            fate::check(&blend_state_entry::PACKET, &words, view.is_strict(), at)?;
        }
        let target = match image.kind {
            Kind::Null => None,
            _ if !format::known(image.format) => {
                return gap(
                    at,
                    &format!("render targets of the format {}", image.format.name),
                );
            }
            _ => {
                let blend = state.blends.get(blend).copied().unwrap_or_default();
                Some(RenderTarget::new(image, blend, state.constant))
            }
        };
        self.known.push((key, target));
        let last = self.known.len() - 1;
        Ok(self.known[last].1.is_some().then_some(last))
    }

    /// The target with an index that [`RenderTargets::find`] returned.
    pub fn get(&mut self, index: usize) -> Option<&mut RenderTarget> {
        self.known.get_mut(index)?.1.as_mut()
    }

    /// Ends the draw: compresses the written blocks of all targets, if enabled.
    pub fn compress_open_blocks(&mut self, view: &AddressSpaceView<'_>) -> Result<(), StopReason> {
        for target in self.known.iter_mut().filter_map(|(_, t)| t.as_mut()) {
            target.compress_open_blocks(view)?;
        }
        Ok(())
    }

    /// The targets that were written to.
    pub fn written(&self) -> impl Iterator<Item = (Role, Image)> {
        self.known
            .iter()
            .filter_map(|((index, _), target)| Some((Role::Colour(*index), target.as_ref()?.image)))
    }
}

/// Reports to strict mode the aux state that a draw, fast clear or resolve leaves behind.
fn observe_aux_state(view: &AddressSpaceView<'_>, image: &Image, special: Option<AuxOperation>) {
    let event = match (special, image.aux.mode) {
        (Some(AuxOperation::FastClear), AuxMode::CcsD | AuxMode::CcsE) => Colour::Held,
        (Some(AuxOperation::FullResolve), _)
        | (Some(AuxOperation::PartialResolve), AuxMode::CcsD) => Colour::Plain,
        (Some(_), _) => return,
        (None, AuxMode::CcsE) => Colour::Held,
        // The state of blocks that the draw does not touch does not change.
        (None, AuxMode::CcsD) => return,
        (None, _) => Colour::Plain,
    };
    for element in array_layers(image) {
        view.colour(image.address, event([image.lod, element]));
    }
}

/// The array layers that a target's view shows.
fn array_layers(image: &Image) -> Range<u32> {
    let first = image.min_array_element;
    first..first.saturating_add(image.view_extent.min(image.depth))
}

/// The MCS entry in which each sample has a slice of its own.
pub(super) fn identity_mcs(samples: u32) -> u64 {
    match samples {
        2 => 0b10,
        4 => 0b11_10_01_00,
        8 => 0x7654_3210,
        _ => 0xfedc_ba98_7654_3210,
    }
}

/// Gives each of a pixel's samples a slice of its own: with the clear colour if the sample is
/// fast-cleared, else with the content of the slice that represented it.
pub(super) fn expand_mcs(
    image: &Image,
    view: &AddressSpaceView<'_>,
    pixel: [u32; 3],
) -> Result<(), StopReason> {
    let Some((address, bytes)) = image.mcs_place(pixel) else {
        return Ok(());
    };
    let own = identity_mcs(image.samples);
    let entry = view.read_bytes(address, bytes)?;
    if entry == own {
        return Ok(());
    }
    let [x, y, z] = pixel;
    let slice = |sample| image.texel_address(image.lod, x, y, z, sample);
    let mut texels = [[0; 16]; 16];
    for (sample, texel) in (0..image.samples).zip(&mut texels) {
        *texel = match image.slice_of(entry, sample) {
            None => format::encode(image.format, image.clear_color),
            Some(held) => match slice(held) {
                Some(place) => image.element(view, place)?,
                None => [0; 16],
            },
        };
    }
    for (sample, texel) in (0..image.samples).zip(&texels) {
        if let Some(place) = slice(sample) {
            image.write_texel(view, place, texel)?;
        }
    }
    view.write_bytes(address, bytes, own)
}

impl RenderTarget {
    pub fn new(image: Image, blend: Blend, constant: [f32; 4]) -> RenderTarget {
        let kinds = image.format.channels.map(|c| c.0);
        let clamp = if kinds.contains(&ChannelKind::Unorm) {
            Some((0.0, 1.0))
        } else if kinds.contains(&ChannelKind::Snorm) {
            Some((-1.0, 1.0))
        } else {
            None
        };
        let logic = blend.logic_op.is_some();
        let blends = blend.enabled && !format::is_integer(image.format) && !logic;
        let level = image.at_level(image.lod);
        let order = image.written_channels();
        let is_unmodified = order == [0, 1, 2, 3] && blend.dither.is_none();
        let overwrites = blend.writes == [true; 4] && !blends && !logic;
        let plain = overwrites && level.is_plain() && is_unmodified;
        let codec = Codec::from_format(image.format).filter(|_| plain);
        let packer = Packer::from_format(image.format).filter(|_| overwrites);
        // Dword texels that are replaced entirely are packed four at a time.
        let packed = image.bytes != 4 || packer.is_some() == overwrites;
        let packer = packer.filter(|_| image.bytes == 4);
        let writes_subspans = level.is_plain() && is_unmodified && packed;
        RenderTarget {
            host: HostSimd::detect(),
            level,
            blends,
            overwrites,
            subspan_writes: writes_subspans.then_some(packer),
            codec,
            clamp: clamp.filter(|_| blend.pre_clamp),
            dword: image.bytes == 4,
            order,
            is_unmodified,
            last: None,
            resolved_block: None,
            open_blocks: Vec::new(),
            image,
            blend,
            constant,
        }
    }

    /// Writes the pixels of `mask` of a subspan with one sample per pixel; `colours` are their red,
    /// green, blue and alpha. Returns false if they have to be written one by one.
    pub fn write_subspan(
        &mut self,
        view: &AddressSpaceView<'_>,
        [x, y, layer]: [u32; 3],
        mask: u32,
        colours: &[[u32; 4]; 4],
    ) -> Result<bool, StopReason> {
        let Some(packer) = self.subspan_writes else {
            return Ok(false);
        };
        let z = self.slice(layer);
        let Some(addresses) = self.level.subspan(x, y, z) else {
            return Ok(false);
        };
        self.resolve_block(view, [x, y, z])?;
        if let Some(packer) = packer {
            view.write_four(addresses, mask, packer.pack(colours.each_ref()))?;
            return Ok(true);
        }
        let small = self.overwrites && self.image.bytes <= 2;
        for i in [0, 2] {
            let (left, right) = (addresses[i], addresses[i + 1]);
            let bytes = self.image.bytes;
            if small && mask >> i & 3 == 3 && right == left + u64::from(bytes) {
                let [a, b] = [i, i + 1].map(|i| {
                    let texel = self.texel(colours.map(|channel| channel[i]));
                    u64::from(u16::from_le_bytes([texel[0], texel[1]]))
                });
                let both = a & (0xffff >> (16 - 8 * bytes)) | b << (8 * bytes);
                view.write_bytes(left, 2 * bytes, both)?;
                continue;
            }
            for (i, address) in [(i, left), (i + 1, right)] {
                if mask >> i & 1 == 0 {
                    continue;
                }
                let colour = colours.map(|channel| channel[i]);
                let texel = match self.overwrites {
                    true => self.texel(colour),
                    false => {
                        let old = self.image.element(view, address)?;
                        self.blended_texel(&old, colour, [0; 4], [x, y])
                    }
                };
                self.image.write_texel(view, address, &texel)?;
            }
        }
        Ok(true)
    }

    /// Writes the pixels of `mask` of four subspans in a row, the first at the given position;
    /// `colours` are their red, green, blue and alpha. Returns false if they have to be written by
    /// subspans.
    pub fn write_band(
        &mut self,
        view: &AddressSpaceView<'_>,
        [x, y, layer]: [u32; 3],
        mask: u32,
        colours: [&[u32; 16]; 4],
    ) -> Result<bool, StopReason> {
        let z = self.slice(layer);
        let place = [x, y, z];
        if self.codec.is_none() || !Band::is_of_one_block(&self.image, place) {
            return Ok(false);
        }
        let Some(band) = Band::locate(&self.level, place) else {
            return Ok(false);
        };
        self.resolve_block(view, place)?;
        let Some(codec) = &self.codec else {
            return Ok(false);
        };
        self.host.run(
            #[inline(always)]
            || band.store(view, mask, &codec.pack(colours)),
        )
    }

    /// The encoded texel of a colour.
    fn texel(&mut self, colour: [u32; 4]) -> [u8; 16] {
        match self.last {
            Some((of, texel)) if of == colour => texel,
            _ => {
                let texel = format::encode(self.image.format, colour);
                self.last = Some((colour, texel));
                texel
            }
        }
    }

    /// True if the target contains the whole block, and writes replace its texels entirely.
    pub fn can_fill_block(&self, [x, y, layer]: [u32; 3]) -> bool {
        let [width, height, depth] = self.level.extent();
        let side = 1 << LOG_BLOCK;
        let inside = x + side <= width && y + side <= height && self.slice(layer) < depth;
        self.overwrites && self.subspan_writes.is_some() && inside
    }

    /// Writes a colour to all pixels of a block; requires [`RenderTarget::can_fill_block`].
    pub fn fill_block(
        &mut self,
        view: &AddressSpaceView<'_>,
        [x, y, layer]: [u32; 3],
        colour: [u32; 4],
    ) -> Result<(), StopReason> {
        let z = self.slice(layer);
        let side = 1 << LOG_BLOCK;
        if let Some([w, h]) = self.image.ccs_block() {
            for row in (y..y + side).step_by(h as usize) {
                for column in (x..x + side).step_by(w as usize) {
                    self.resolve_block(view, [column, row, z])?;
                }
            }
        }
        let texel = format::encode(self.image.format, colour);
        let part = [x..x + side, y..y + side];
        self.image.fill(view, &self.level, part, z, &texel)
    }

    /// The slice of a layer; layers beyond the view select the first.
    fn slice(&self, layer: u32) -> u32 {
        match layer < self.image.view_extent {
            true => layer,
            false => 0,
        }
    }

    /// Writes a pixel's colour to the samples of `mask`; `second` is the second colour of dual
    /// source blending.
    pub fn write(
        &mut self,
        view: &AddressSpaceView<'_>,
        [x, y, layer]: [u32; 3],
        mask: u32,
        colour: [u32; 4],
        second: [u32; 4],
    ) -> Result<(), StopReason> {
        let z = self.slice(layer);
        if self.level.address(x, y, z, 0).is_none() {
            return Ok(());
        }
        self.resolve_block(view, [x, y, z])?;
        let whole = self
            .overwrites
            .then(|| format::encode(self.image.format, self.surface_colour(colour, [x, y])));
        let mask = if self.image.samples == 1 { 1 } else { mask };
        for sample in (0..self.image.samples).filter(|s| mask >> s & 1 == 1) {
            let Some(address) = self.level.address(x, y, z, sample) else {
                continue;
            };
            let texel = match whole {
                Some(texel) => texel,
                None => {
                    let old = self.image.element(view, address)?;
                    self.blended_texel(&old, colour, second, [x, y])
                }
            };
            match self.dword {
                true => {
                    let [a, b, c, d, ..] = texel;
                    view.write(address, u32::from_le_bytes([a, b, c, d]))?;
                }
                false => self.image.write_texel(view, address, &texel)?,
            }
        }
        Ok(())
    }

    /// Resolves or decompresses the block of a pixel before it is written.
    fn resolve_block(
        &mut self,
        view: &AddressSpaceView<'_>,
        [x, y, z]: [u32; 3],
    ) -> Result<(), StopReason> {
        match self.image.aux.mode {
            AuxMode::Mcs => expand_mcs(&self.image, view, [x, y, z]),
            AuxMode::CcsD | AuxMode::CcsE => {
                let Some([w, h]) = self.image.ccs_block() else {
                    return Ok(());
                };
                let block = [x / w, y / h, z];
                if self.resolved_block != Some(block) {
                    let open_blocks = self.image.open(view, self.image.lod, [x, y, z])?;
                    self.open_blocks.extend(open_blocks);
                    self.resolved_block = Some(block);
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Compresses the blocks that are in the render cache.
    pub fn compress_open_blocks(&mut self, view: &AddressSpaceView<'_>) -> Result<(), StopReason> {
        self.resolved_block = None;
        let mut open_blocks = self.open_blocks.drain(..);
        open_blocks.try_for_each(|block| self.image.close(view, block))
    }

    /// A colour in the surface's channel order, dithered if enabled.
    fn surface_colour(&self, colour: [u32; 4], pixel: [u32; 2]) -> [u32; 4] {
        if self.is_unmodified {
            return colour;
        }
        let mut placed = [0; 4];
        for (channel, value) in self.order.into_iter().zip(colour) {
            placed[channel & 3] = value;
        }
        match self.blend.dither {
            Some(offset) => dither(self.image.format, placed, pixel, offset),
            None => placed,
        }
    }

    /// The texel that results from a sample's old texel and the shader's colours.
    fn blended_texel(
        &self,
        old_raw: &[u8; 16],
        colour: [u32; 4],
        second: [u32; 4],
        pixel: [u32; 2],
    ) -> [u8; 16] {
        let format = self.image.format;
        let mut new = colour;
        if self.blends {
            let values = format::decode(format, old_raw);
            let old = self
                .order
                .map(|channel| f32::from_bits(values[channel & 3]));
            let limited = |v: [f32; 4]| match self.clamp {
                Some((low, high)) => v.map(|f| f.max(low).min(high)),
                None => v,
            };
            let result = self.blend.blend(
                limited(colour.map(f32::from_bits)),
                limited(second.map(f32::from_bits)),
                old,
                limited(self.constant),
            );
            new = result.map(f32::to_bits);
        }
        let mut texel = format::encode(format, self.surface_colour(new, pixel));
        if let Some(op) = self.blend.logic_op {
            texel = std::array::from_fn(|i| logic_operation(op, texel[i], old_raw[i]));
        }
        // Disabled channels keep their old bits.
        let mut preserved = [false; 4];
        for (channel, writes) in self.order.into_iter().zip(self.blend.writes) {
            preserved[channel & 3] = !writes;
        }
        match preserved.contains(&true) {
            true => format::with_preserved_channels(format, texel, old_raw, preserved),
            false => texel,
        }
    }
}

#[cfg(test)]
pub(super) mod tests;
