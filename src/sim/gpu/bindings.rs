//! What messages name: the parts of their payload, surfaces by binding table or handle.
//!
//! In:  a message. Out: its parameters, the surface states that it means, remembered for the messages after it.
//! Ref: SKL PRM vol. 2d, message descriptors (MDC_*); vol. 7, "Binding Table", "Bindless".

use crate::memory::View;
use crate::rules;
use crate::space::ADDRESS_MASK;
use crate::surface::{AuxMode, Image, Surface};
use crate::watch::{Colour, Slices, Via};
use eu::{Message, Stop};
use isa::descriptor::common;

/// Binding table indices with a meaning of their own.
pub(crate) mod bti {
    pub const BINDLESS: u32 = 252;
    pub const STATELESS_NON_COHERENT: u32 = 253;
    pub const SLM: u32 = 254;
    pub const STATELESS: u32 = 255;
}

/// Everything a dispatch's messages refer to.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bases {
    /// General state base address.
    pub general: u64,
    /// Address of the binding table, and of what its entries are relative to.
    pub binding_table: u64,
    pub surface: u64,
    pub bindless: u64,
    /// Dynamic state base address, and the sampler states' offset from it.
    pub dynamic: u64,
    /// Pages of the dynamic state heap, where they have been programmed.
    pub dynamic_pages: Option<u64>,
    pub samplers: u64,
}

/// What the threads of a dispatch may use.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// There is a barrier.
    pub barrier: bool,
    /// Where the scratch memory of the threads begins: bytes from the general state base.
    pub scratch: u64,
    /// Bytes of scratch memory of a thread.
    pub scratch_bytes: u64,
    /// Surfaces of the bindless heap.
    pub bindless_surfaces: u64,
}

impl Limits {
    /// Whether what a header's place and an offset name ends in the scratch memory of the thread that the place is in: bytes from the
    /// general state base, from the place, and from the place to the end.
    pub(crate) fn scratch(&self, place: u64, end: u64, ip: u64) -> Result<(), Stop> {
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

/// Surfaces that are remembered; a dispatch uses few.
const REMEMBERED: usize = 8;

/// The two parts of a payload as one.
#[derive(Clone, Copy)]
pub(crate) struct Payload<'m> {
    pub first: &'m [u32],
    pub second: &'m [u32],
}

impl Payload<'_> {
    /// Dwords that there are.
    pub fn dwords(&self) -> usize {
        self.first.len() + self.second.len()
    }

    /// A dword; one that the message does not have is zero.
    pub fn dword(&self, index: usize) -> u32 {
        let second = || self.second.get(index - self.first.len()).copied();
        match self.first.get(index) {
            Some(dword) => *dword,
            None => second().unwrap_or(0),
        }
    }

    /// Dwords that stand together: a parameter of all channels. None where the message does not have them all.
    pub fn part(&self, index: usize, dwords: usize) -> Option<&[u32]> {
        match index.checked_sub(self.first.len()) {
            None => self.first.get(index..index + dwords),
            Some(index) => self.second.get(index..index + dwords),
        }
    }

    /// A 64-bit address, cut to the bits that count.
    pub fn address(&self, index: usize) -> u64 {
        self.qword(index) & ADDRESS_MASK
    }

    pub fn qword(&self, index: usize) -> u64 {
        u64::from(self.dword(index)) | u64::from(self.dword(index + 1)) << 32
    }
}

/// What a message does with a surface with dimensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    /// Its texels are read, or changed.
    Reads,
    /// They are written.
    Writes,
    /// It is asked how large it is, or which level would be read.
    Asks,
}

/// A surface with dimensions, by the address of its state.
#[derive(Clone, Copy)]
struct Remembered {
    state: u64,
    image: Image,
    /// Whether what it shows is in memory.
    checked: bool,
}

/// What the messages of one worker's threads refer to.
pub(crate) struct Bindings<'a> {
    pub view: View<'a>,
    pub bases: Bases,
    /// What threads may use, where that is checked.
    pub limits: Option<Limits>,
    /// Surface states by address.
    surfaces: [(u64, Surface); REMEMBERED],
    next: usize,
    /// The same for surfaces with dimensions.
    images: Vec<Remembered>,
    /// Addresses of surface states by the binding table's index, where nobody watches how it is read.
    entries: [(u32, u64); REMEMBERED],
    next_entry: usize,
    next_image: usize,
}

impl<'a> Bindings<'a> {
    /// Nothing remembered yet.
    pub fn new(view: View<'a>, bases: Bases) -> Bindings<'a> {
        Bindings {
            view,
            bases,
            limits: None,
            surfaces: [(u64::MAX, Surface::Null); REMEMBERED],
            next: 0,
            images: Vec::new(),
            entries: [(u32::MAX, 0); REMEMBERED],
            next_entry: 0,
            next_image: 0,
        }
    }

    /// The surface that a descriptor's binding table index means. Block and scattered messages, `based`, carry the
    /// buffer base of stateless accesses in dword 5 of their header (SKL PRM vol. 2d, MH_A32_GO, MH_BTS_GO).
    pub fn surface(
        &mut self,
        message: &Message<'_>,
        payload: Payload<'_>,
        based: bool,
    ) -> Result<Surface, Stop> {
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
        self.next = (self.next + 1) % REMEMBERED;
        Ok(surface)
    }

    /// Address of the surface state that a descriptor's binding table index, or its handle, means.
    fn surface_state(&mut self, message: &Message<'_>) -> Result<u64, Stop> {
        match common::BINDING_TABLE_INDEX.get(message.desc) {
            bti::BINDLESS => {
                let index = u64::from(message.ex_desc >> 12);
                let beyond = |limits: &Limits| index >= limits.bindless_surfaces;
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
                self.next_entry = (self.next_entry + 1) % REMEMBERED;
                Ok(address)
            }
        }
    }

    /// The surface with dimensions that a descriptor's binding table index means.
    pub fn image(&mut self, message: &Message<'_>, what: Use) -> Result<Image, Stop> {
        let place = self.remembered(message, what)?;
        Ok(self.images[place].image)
    }

    /// A surface that was found, with the address of its state.
    pub fn remembered_at(&self, place: usize) -> (u64, &Image) {
        let Remembered { state, image, .. } = &self.images[place];
        (*state, image)
    }

    /// The same as [`Bindings::image`]: where [`Bindings::remembered_at`] has it until the next is asked for.
    pub fn remembered(&mut self, message: &Message<'_>, what: Use) -> Result<usize, Stop> {
        if matches!(
            common::BINDING_TABLE_INDEX.get(message.desc),
            bti::SLM | bti::STATELESS | bti::STATELESS_NON_COHERENT
        ) {
            return unimplemented(message, "a typed message without a surface");
        }
        let address = self.surface_state(message)?;
        let at = message.ip;
        if let Some(place) = self.images.iter().position(|s| s.state == address) {
            if !self.images[place].checked && what != Use::Asks {
                self.check(&self.images[place].image, what, at)?;
                self.images[place].checked = true;
            }
            return Ok(place);
        }
        let image = Image::read(&self.view, address)?;
        let checked = what != Use::Asks;
        if checked {
            self.check(&image, what, at)?;
        }
        let found = Remembered {
            state: address,
            image,
            checked,
        };
        match self.images.get_mut(self.next_image) {
            Some(place) => *place = found,
            None => self.images.push(found),
        }
        let made = self.next_image;
        self.next_image = (made + 1) % REMEMBERED;
        Ok(made)
    }

    /// Whether what a surface shows is in memory.
    fn check(&self, image: &Image, what: Use, at: u64) -> Result<(), Stop> {
        if image.aux.mode == AuxMode::Hiz {
            return Ok(());
        }
        let first = image.min_array_element;
        let slices = Slices {
            levels: [image.min_lod, image.min_lod + image.levels],
            elements: [first, first.saturating_add(image.depth)],
        };
        self.view.depth_seen(image.address, slices, at)?;
        // For readers AUX_CCS_D is AUX_CCS_E.
        let plain = !matches!(image.aux.mode, AuxMode::CcsD | AuxMode::CcsE);
        if plain && what == Use::Reads {
            self.view.colour_seen(image.address, slices, at)?;
        } else if plain && self.view.is_strict() {
            self.overwritten(image, slices);
        }
        Ok(())
    }

    /// Whoever writes without a control surface has what is there from now on, as draws have.
    fn overwritten(&self, image: &Image, slices: Slices) {
        let [first, end] = slices.elements;
        for level in slices.levels[0]..slices.levels[1] {
            for element in first..end.min(first.saturating_add(image.view_extent)) {
                let slice = Colour::Plain([level, element]);
                self.view.colour(image.address, slice);
            }
        }
    }
}

/// The end of a message that is not simulated.
pub(crate) fn unimplemented<T>(message: &Message<'_>, what: &str) -> Result<T, Stop> {
    Err(Stop::Unimplemented {
        what: format!(
            "{what} (SFID {}, descriptor {:#010x})",
            message.sfid, message.desc
        ),
        at: message.ip,
    })
}
