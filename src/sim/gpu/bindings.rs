//! Resolves the surfaces and payload parameters that messages reference.
//!
//! In:  a message. Out: its parameters and the surface state it binds, by binding table index or
//!      bindless handle; surface states are cached for later messages.
//! Ref: SKL PRM vol. 2d, message descriptors (MDC_*); vol. 7, "Binding Table", "Bindless".

use crate::memory::AddressSpaceView;
use crate::observer::{Colour, SampledSurface, Slices, Via};
use crate::rules;
use crate::space::ADDRESS_MASK;
use crate::surface::{AuxMode, Image, Kind, Surface};
use eu::{Message, StopReason};
pub(crate) use isa::descriptor::bti;
use isa::descriptor::common;

/// Base addresses and offsets that the messages of a dispatch use.
#[derive(Clone, Copy, Debug, Default)]
pub struct MessageBases {
    /// General state base address.
    pub general: u64,
    /// Address of the binding table; below, the surface state base that its entries are relative
    /// to.
    pub binding_table: u64,
    pub surface: u64,
    pub bindless: u64,
    /// Dynamic state base address; below, the offset of the sampler states from it.
    pub dynamic: u64,
    /// Size of the dynamic state heap in pages; `None` until programmed.
    pub dynamic_pages: Option<u64>,
    pub samplers: u64,
}

/// Limits that strict mode enforces on the threads of a dispatch.
#[derive(Clone, Copy, Debug)]
pub struct AccessLimits {
    /// True if the interface descriptor enables the barrier.
    pub barrier: bool,
    /// Start of the threads' scratch memory, in bytes from the general state base.
    pub scratch: u64,
    /// Bytes of scratch memory of one thread.
    pub scratch_bytes: u64,
    /// Number of surfaces in the bindless heap.
    pub bindless_surfaces: u64,
}

impl AccessLimits {
    /// Checks that an access stays inside one thread's scratch memory. `place` is the scratch
    /// offset of the message header, in bytes from the general state base; `end` is the end of the
    /// access, in bytes from `place`.
    pub(crate) fn scratch(&self, place: u64, end: u64, ip: u64) -> Result<(), StopReason> {
        let before = place.checked_sub(self.scratch);
        let before = before.and_then(|before| before.checked_rem(self.scratch_bytes));
        if before.is_some_and(|before| before + end <= self.scratch_bytes) {
            return Ok(());
        }
        let what = format!(
            "up to byte {end} from {place:#x}, of {}",
            self.scratch_bytes
        );
        Err(rules::SCRATCH_BOUNDS.stop(what, ip))
    }
}

/// Number of cached surface states; a dispatch uses few.
const CACHED_STATES: usize = 8;

/// A message payload: the registers of both SEND sources.
#[derive(Clone, Copy)]
pub(crate) struct Payload<'m> {
    pub first: &'m [u32],
    pub second: &'m [u32],
}

impl Payload<'_> {
    /// Number of dwords.
    pub fn dwords(&self) -> usize {
        self.first.len() + self.second.len()
    }

    /// One dword; 0 past the end of the payload.
    pub fn dword(&self, index: usize) -> u32 {
        let second = || self.second.get(index - self.first.len()).copied();
        match self.first.get(index) {
            Some(dword) => *dword,
            None => second().unwrap_or(0),
        }
    }

    /// Consecutive dwords: one parameter of all channels. `None` if the payload is too short or
    /// they span both sources.
    pub fn dword_range(&self, index: usize, dwords: usize) -> Option<&[u32]> {
        match index.checked_sub(self.first.len()) {
            None => self.first.get(index..index + dwords),
            Some(index) => self.second.get(index..index + dwords),
        }
    }

    /// A 64-bit address, truncated to [`ADDRESS_MASK`].
    pub fn address(&self, index: usize) -> u64 {
        self.qword(index) & ADDRESS_MASK
    }

    pub fn qword(&self, index: usize) -> u64 {
        u64::from(self.dword(index)) | u64::from(self.dword(index + 1)) << 32
    }
}

/// How a message uses a typed surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    /// Reads texels, or reads and modifies them.
    Reads,
    /// Reads texels with the sampler.
    Samples,
    /// Writes texels.
    Writes,
    /// Queries the size or the LOD.
    Asks,
}

/// A cached typed surface, keyed by the address of its surface state.
#[derive(Clone, Copy)]
struct CachedImage {
    state: u64,
    image: Image,
    /// True once the rules on unresolved aux data were checked for this surface.
    checked: bool,
    /// True once a read by the sampler was reported.
    sampled: bool,
}

/// The surfaces that the messages of one worker's threads reference.
pub(crate) struct Bindings<'a> {
    pub view: AddressSpaceView<'a>,
    pub bases: MessageBases,
    /// Limits to enforce; `None` outside strict mode.
    pub limits: Option<AccessLimits>,
    /// Cached surface states of untyped and block messages, by address.
    surfaces: [(u64, Surface); CACHED_STATES],
    next: usize,
    /// Cached surface states of typed and sampler messages.
    images: Vec<CachedImage>,
    /// Surface state addresses by binding table index. Unused in strict mode, which observes every
    /// read of the binding table.
    entries: [(u32, u64); CACHED_STATES],
    next_entry: usize,
    next_image: usize,
}

impl<'a> Bindings<'a> {
    /// Bindings with empty caches.
    pub fn new(view: AddressSpaceView<'a>, bases: MessageBases) -> Bindings<'a> {
        Bindings {
            view,
            bases,
            limits: None,
            surfaces: [(u64::MAX, Surface::Null); CACHED_STATES],
            next: 0,
            images: Vec::new(),
            entries: [(u32::MAX, 0); CACHED_STATES],
            next_entry: 0,
            next_image: 0,
        }
    }

    /// Returns the surface of a message's binding table index. `based` is true for block and
    /// scattered messages, which carry the buffer base of stateless accesses in dword 5 of their
    /// header (SKL PRM vol. 2d, MH_A32_GO, MH_BTS_GO).
    pub fn surface(
        &mut self,
        message: &Message<'_>,
        payload: Payload<'_>,
        based: bool,
    ) -> Result<Surface, StopReason> {
        let address = match common::BINDING_TABLE_INDEX.get(message.desc) {
            bti::SLM => return Ok(Surface::Slm),
            bti::STATELESS | bti::STATELESS_NON_COHERENT => {
                let base = match based && common::HEADER_PRESENT.any(message.desc) {
                    true => u64::from(payload.dword(5)),
                    false => 0,
                };
                return Ok(Surface::Stateless {
                    base: self.bases.general + base,
                });
            }
            _ => self.surface_state(message)?,
        };
        if let Some(known) = self.surfaces.iter().find(|s| s.0 == address) {
            return Ok(known.1);
        }
        let surface = Surface::read(&self.view, address)?;
        self.surfaces[self.next] = (address, surface);
        self.next = (self.next + 1) % CACHED_STATES;
        Ok(surface)
    }

    /// Returns the address of the surface state for a descriptor's binding table index or bindless
    /// handle.
    fn surface_state(&mut self, message: &Message<'_>) -> Result<u64, StopReason> {
        match common::BINDING_TABLE_INDEX.get(message.desc) {
            bti::BINDLESS => {
                let index = u64::from(message.ex_desc >> 12);
                let beyond = |limits: &AccessLimits| index >= limits.bindless_surfaces;
                if let Some(limits) = self.limits.filter(beyond) {
                    let what = format!("surface {index} of {}", limits.bindless_surfaces);
                    return Err(rules::BINDLESS_BOUNDS.stop(what, message.ip));
                }
                Ok(self.bases.bindless + index * 64)
            }
            index => {
                let known = self.entries.iter().find(|entry| entry.0 == index);
                if let Some((_, address)) = known.filter(|_| !self.view.is_strict()) {
                    return Ok(*address);
                }
                let at = self.bases.binding_table + u64::from(index) * 4;
                let entry = self.view.by(Via::State, |view| view.read(at))?;
                let address = self.bases.surface + u64::from(entry & !63);
                self.entries[self.next_entry] = (index, address);
                self.next_entry = (self.next_entry + 1) % CACHED_STATES;
                Ok(address)
            }
        }
    }

    /// Returns the typed surface of a message's binding table index.
    pub fn image(&mut self, message: &Message<'_>, what: Use) -> Result<Image, StopReason> {
        let place = self.remembered(message, what)?;
        Ok(self.images[place].image)
    }

    /// Returns a cached surface and the address of its surface state.
    pub fn remembered_at(&self, place: usize) -> (u64, &Image) {
        let CachedImage { state, image, .. } = &self.images[place];
        (*state, image)
    }

    /// Same as [`Bindings::image`], but returns an index for [`Bindings::remembered_at`], valid
    /// until the next surface is looked up.
    pub fn remembered(&mut self, message: &Message<'_>, what: Use) -> Result<usize, StopReason> {
        if matches!(
            common::BINDING_TABLE_INDEX.get(message.desc),
            bti::SLM | bti::STATELESS | bti::STATELESS_NON_COHERENT
        ) {
            return unimplemented(message, "a typed message without a surface");
        }
        let address = self.surface_state(message)?;
        let at = message.ip;
        let known = self.images.iter().position(|s| s.state == address);
        let place = match known {
            Some(place) => place,
            None => self.remember(address)?,
        };
        if what == Use::Samples && !self.images[place].sampled {
            self.report_sampled(&self.images[place].image, at)?;
            self.images[place].sampled = true;
        }
        if what != Use::Asks && !self.images[place].checked {
            self.check_resolved(&self.images[place].image, what, at)?;
            self.images[place].checked = true;
        }
        Ok(place)
    }

    /// Reads the surface state at an address into the cache; its index there.
    fn remember(&mut self, address: u64) -> Result<usize, StopReason> {
        let found = CachedImage {
            state: address,
            image: Image::read(&self.view, address)?,
            checked: false,
            sampled: false,
        };
        match self.images.get_mut(self.next_image) {
            Some(place) => *place = found,
            None => self.images.push(found),
        }
        let made = self.next_image;
        self.next_image = (made + 1) % CACHED_STATES;
        Ok(made)
    }

    /// Reports that the sampler reads the surface.
    fn report_sampled(&self, image: &Image, at: u64) -> Result<(), StopReason> {
        if matches!(image.kind, Kind::Null | Kind::Buffer) {
            return Ok(());
        }
        let surface = SampledSurface {
            address: image.address,
            format: image.format.name,
            has_aux: image.aux.mode != AuxMode::None,
        };
        self.view.sampled(&surface, at)
    }

    /// Checks that the surface's memory holds its data: HiZ and CCS contents are resolved.
    fn check_resolved(&self, image: &Image, what: Use, at: u64) -> Result<(), StopReason> {
        if image.aux.mode == AuxMode::Hiz {
            return Ok(());
        }
        let first = image.min_array_element;
        let slices = Slices {
            levels: [image.min_lod, image.min_lod + image.levels],
            elements: [first, first.saturating_add(image.depth)],
        };
        self.view.depth_seen(image.address, slices, at)?;
        // For reads, AUX_CCS_D behaves like AUX_CCS_E.
        let plain = !matches!(image.aux.mode, AuxMode::CcsD | AuxMode::CcsE);
        if plain && matches!(what, Use::Reads | Use::Samples) {
            self.view.colour_seen(image.address, slices, at)?;
        } else if plain && self.view.is_strict() {
            self.mark_uncompressed(image, slices);
        }
        Ok(())
    }

    /// Marks the surface as uncompressed: a write without an aux surface replaces the texels, as a
    /// draw does.
    fn mark_uncompressed(&self, image: &Image, slices: Slices) {
        let [first, end] = slices.elements;
        for level in slices.levels[0]..slices.levels[1] {
            for element in first..end.min(first.saturating_add(image.view_extent)) {
                let slice = Colour::Plain([level, element]);
                self.view.colour(image.address, slice);
            }
        }
    }
}

/// The error for a message that is not simulated.
pub(crate) fn unimplemented<T>(message: &Message<'_>, what: &str) -> Result<T, StopReason> {
    Err(StopReason::Unimplemented {
        what: format!(
            "{what} (SFID {}, descriptor {:#010x})",
            message.sfid, message.desc
        ),
        at: message.ip,
    })
}
