//! The shared functions that threads of all stages talk to: data ports, gateway, spawner; the sampler is next door.
//!
//! In:  messages. Out: memory and SLM changed, responses, arrivals at the barrier.
//! Ref: SKL PRM vol. 7, "Data Port"; vol. 2d, message descriptors (MDC_*).

mod atomic;
mod block;
mod scattered;
mod typed;
mod untyped;

use crate::memory::{ADDRESS_MASK, View};
use crate::profile::Messages;
use crate::sampler::{Sampler, Texels};
use crate::strict::{self, Via};
use crate::surface::{AuxMode, Image, Surface};
use eu::{Message, Reply, SharedFunctions, Stop};
use std::sync::Mutex;
use std::time::Instant;

/// Shared function ids (SKL PRM vol. 7, "Message Descriptor", SFID).
pub mod sfid {
    pub const NULL: u8 = 0;
    pub const SAMPLER: u8 = 2;
    pub const GATEWAY: u8 = 3;
    pub const THREAD_SPAWNER: u8 = 7;
    pub const CONSTANT_CACHE: u8 = 9;
    pub const DATA_CACHE_0: u8 = 10;
    pub const DATA_CACHE_1: u8 = 12;
}

/// Binding table indices with a meaning of their own.
mod bti {
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
    /// Bytes of scratch memory of a thread.
    pub scratch_bytes: u64,
    /// Surfaces of the bindless heap.
    pub bindless_surfaces: u64,
}

/// Serialises 64-bit atomics, which are two words here.
pub type WideLock = Mutex<()>;

/// Surfaces that a port remembers; a dispatch uses few.
const REMEMBERED: usize = 8;

/// The shared functions as one worker's threads see them.
pub struct Port<'a> {
    pub view: View<'a>,
    bases: Bases,
    wide: &'a WideLock,
    /// Shared local memory of the group at work.
    pub slm: Vec<u32>,
    /// Threads of the group that are at the barrier.
    pub arrived: u32,
    /// What threads may use, where that is checked.
    pub limits: Option<Limits>,
    started: Instant,
    /// Surface states by address.
    surfaces: [(u64, Surface); REMEMBERED],
    next: usize,
    /// The same for surfaces with dimensions.
    images: Vec<(u64, Image)>,
    next_image: usize,
    /// Sampler states by address.
    samplers: Vec<(u64, Sampler)>,
    next_sampler: usize,
    texels: Texels,
    /// Messages carried out.
    pub messages: Messages,
}

/// The two parts of a payload as one.
#[derive(Clone, Copy)]
pub(crate) struct Payload<'m> {
    first: &'m [u32],
    second: &'m [u32],
}

impl Payload<'_> {
    /// Dwords that there are.
    pub(crate) fn dwords(&self) -> usize {
        self.first.len() + self.second.len()
    }

    /// A dword; one that the message does not have is zero.
    pub(crate) fn dword(&self, index: usize) -> u32 {
        let second = || self.second.get(index - self.first.len()).copied();
        match self.first.get(index) {
            Some(dword) => *dword,
            None => second().unwrap_or(0),
        }
    }

    /// Dwords that stand together: a parameter of all channels. None where the message does not have them all.
    pub(crate) fn part(&self, index: usize, dwords: usize) -> Option<&[u32]> {
        match index.checked_sub(self.first.len()) {
            None => self.first.get(index..index + dwords),
            Some(index) => self.second.get(index..index + dwords),
        }
    }

    /// A 64-bit address, cut to the bits that count.
    fn address(&self, index: usize) -> u64 {
        self.qword(index) & ADDRESS_MASK
    }

    fn qword(&self, index: usize) -> u64 {
        u64::from(self.dword(index)) | u64::from(self.dword(index + 1)) << 32
    }
}

impl<'a> Port<'a> {
    /// A port for one worker.
    pub fn new(view: View<'a>, bases: Bases, wide: &'a WideLock, slm_bytes: usize) -> Port<'a> {
        Port {
            view,
            bases,
            wide,
            slm: vec![0; slm_bytes / 4],
            arrived: 0,
            limits: None,
            started: Instant::now(),
            surfaces: [(u64::MAX, Surface::Null); REMEMBERED],
            next: 0,
            images: Vec::new(),
            next_image: 0,
            samplers: Vec::new(),
            next_sampler: 0,
            texels: Texels::default(),
            messages: Messages::default(),
        }
    }

    /// The surface that a descriptor's binding table index means. Block and scattered messages, `based`, carry the
    /// buffer base of stateless accesses in dword 5 of their header (SKL PRM vol. 2d, MH_A32_GO, MH_BTS_GO).
    fn surface(
        &mut self,
        message: &Message<'_>,
        payload: Payload<'_>,
        based: bool,
    ) -> Result<Surface, Stop> {
        let address = match message.desc & 0xff {
            bti::SLM => return Ok(Surface::Slm),
            bti::STATELESS | bti::STATELESS_NON_COHERENT => {
                let base = match based && message.desc >> 19 & 1 == 1 {
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
    fn surface_state(&self, message: &Message<'_>) -> Result<u64, Stop> {
        match message.desc & 0xff {
            bti::BINDLESS => {
                let index = u64::from(message.ex_desc >> 12);
                let beyond = |limits: &Limits| index >= limits.bindless_surfaces;
                if let Some(limits) = self.limits.filter(beyond) {
                    let what = format!("surface {index} of {}", limits.bindless_surfaces);
                    return Err(strict::BINDLESS_BOUNDS.stop(what, message.ip));
                }
                Ok(self.bases.bindless + index * 64)
            }
            index => {
                let entry = self
                    .view
                    .read(self.bases.binding_table + u64::from(index) * 4)?;
                Ok(self.bases.surface + u64::from(entry & !63))
            }
        }
    }

    /// The surface with dimensions that a descriptor's binding table index means.
    fn image(&mut self, message: &Message<'_>) -> Result<Image, Stop> {
        self.image_at(message).map(|(_, image)| image)
    }

    /// The same, with the address of its state.
    pub(crate) fn image_at(&mut self, message: &Message<'_>) -> Result<(u64, Image), Stop> {
        if matches!(
            message.desc & 0xff,
            bti::SLM | bti::STATELESS | bti::STATELESS_NON_COHERENT
        ) {
            return Self::unimplemented(message, "a typed message without a surface");
        }
        let address = self.surface_state(message)?;
        let at = message.ip;
        if let Some(known) = self.images.iter().find(|s| s.0 == address) {
            return Ok(*known);
        }
        // Limits are known in strict mode.
        let image = match self.limits {
            Some(_) => {
                let image = Image::read_strictly(&self.view, address)?;
                if image.aux.mode != AuxMode::Hiz {
                    let levels = [image.min_lod, image.min_lod + image.levels];
                    let first = image.min_array_element;
                    let elements = [first, first.saturating_add(image.depth)];
                    self.view
                        .depth_resolved(image.address, levels, elements, at)?;
                }
                image
            }
            None => Image::read(&self.view, address)?,
        };
        match self.images.get_mut(self.next_image) {
            Some(place) => *place = (address, image),
            None => self.images.push((address, image)),
        }
        self.next_image = (self.next_image + 1) % REMEMBERED;
        Ok((address, image))
    }

    /// The sampler whose state is at an offset from the dynamic state base address.
    pub(crate) fn sampler_state(&mut self, offset: u64) -> Result<Sampler, Stop> {
        let address = self.bases.dynamic + offset;
        if let Some(known) = self.samplers.iter().find(|s| s.0 == address) {
            return Ok(known.1);
        }
        let heap = self.bases.dynamic_pages.filter(|_| self.limits.is_some());
        if let Some(pages) = heap.filter(|pages| offset + 16 > pages * 4096) {
            let what = format!("a sampler state at byte {offset:#x} of {pages} pages");
            return Err(strict::SAMPLER_BOUNDS.stop(what, address));
        }
        let sampler = Sampler::read(&self.view, self.bases.dynamic, address)?;
        match self.samplers.get_mut(self.next_sampler) {
            Some(place) => *place = (address, sampler),
            None => self.samplers.push((address, sampler)),
        }
        self.next_sampler = (self.next_sampler + 1) % REMEMBERED;
        Ok(sampler)
    }

    /// Offset of the dispatch's sampler states from the dynamic state base address.
    pub(crate) fn samplers(&self) -> u64 {
        self.bases.samplers
    }

    /// The texture cache.
    pub(crate) fn texels(&mut self) -> &mut Texels {
        &mut self.texels
    }

    pub(crate) fn unimplemented<T>(message: &Message<'_>, what: &str) -> Result<T, Stop> {
        Err(Stop::Unimplemented {
            what: format!(
                "{what} (SFID {}, descriptor {:#010x})",
                message.sfid, message.desc
            ),
            at: message.ip,
        })
    }

    fn slm_index(&self, message: &Message<'_>, offset: u64) -> Result<usize, Stop> {
        let index = (offset / 4) as usize;
        if index < self.slm.len() {
            return Ok(index);
        }
        let what = format!(
            "offset {offset:#x} of {} bytes of shared local memory",
            self.slm.len() * 4
        );
        Err(strict::SLM_BOUNDS.stop(what, message.ip))
    }

    /// Reads a dword of a surface at a byte offset; zero out of bounds.
    fn load(&self, message: &Message<'_>, surface: Surface, offset: u64) -> Result<u32, Stop> {
        match surface {
            Surface::Slm => Ok(self.slm[self.slm_index(message, offset)?]),
            _ => match surface.place(offset, 4) {
                Some(address) => self.view.read(address & !3),
                None => Ok(0),
            },
        }
    }

    /// Writes a dword of a surface at a byte offset; dropped out of bounds.
    fn store(
        &mut self,
        message: &Message<'_>,
        surface: Surface,
        offset: u64,
        value: u32,
    ) -> Result<(), Stop> {
        match surface {
            Surface::Slm => {
                let index = self.slm_index(message, offset)?;
                self.slm[index] = value;
                Ok(())
            }
            _ => match surface.place(offset, 4) {
                Some(address) => self.view.write(address & !3, value),
                None => Ok(()),
            },
        }
    }

    fn data_cache_0(
        &mut self,
        message: &Message<'_>,
        payload: Payload<'_>,
        response: &mut [u32],
    ) -> Result<(), Stop> {
        if message.desc >> 18 & 1 == 1 {
            return self.scratch_block(message, payload, response);
        }
        match message.desc >> 14 & 15 {
            0 | 1 => self.oword_block_read(message, payload, response),
            2 => self.oword_dual_block(message, payload, response, false),
            3 => self.dword_scattered(message, payload, response, false),
            4 => self.byte_scattered(message, payload, response, false),
            7 => {
                // A memory fence: accesses here are ordered already. The response is its commit.
                response.fill(0);
                Ok(())
            }
            8 => self.oword_block_write(message, payload),
            10 => self.oword_dual_block(message, payload, response, true),
            11 => self.dword_scattered(message, payload, response, true),
            12 => self.byte_scattered(message, payload, response, true),
            _ => Self::unimplemented(message, "a data port message"),
        }
    }

    fn data_cache_1(
        &mut self,
        message: &Message<'_>,
        payload: Payload<'_>,
        response: &mut [u32],
    ) -> Result<(), Stop> {
        match message.desc >> 14 & 31 {
            0x01 => self.untyped_read(message, payload, response),
            0x02 => self.untyped_atomic(message, payload, response, false),
            0x05 => self.typed_read(message, payload, response),
            0x06 => self.typed_atomic(message, payload, response),
            0x09 => self.untyped_write(message, payload),
            0x0d => self.typed_write(message, payload),
            0x10 => self.a64_scattered(message, payload, response, false),
            0x11 => self.a64_untyped_read(message, payload, response),
            0x12 => self.a64_atomic(message, payload, response, false),
            0x14 => self.a64_block_read(message, payload, response),
            0x15 => self.a64_block_write(message, payload),
            0x19 => self.a64_untyped_write(message, payload),
            0x1a => self.a64_scattered(message, payload, response, true),
            0x1b => self.untyped_atomic(message, payload, response, true),
            0x1d => self.a64_atomic(message, payload, response, true),
            _ => Self::unimplemented(message, "a data port message"),
        }
    }

    fn constant_cache(
        &mut self,
        message: &Message<'_>,
        payload: Payload<'_>,
        response: &mut [u32],
    ) -> Result<(), Stop> {
        match message.desc >> 14 & 15 {
            0 | 1 => self.oword_block_read(message, payload, response),
            3 => self.dword_scattered(message, payload, response, false),
            _ => Self::unimplemented(message, "a constant cache message"),
        }
    }

    fn gateway(&mut self, message: &Message<'_>) -> Result<Reply, Stop> {
        match message.desc & 7 {
            4 => {
                if self.limits.is_some_and(|limits| !limits.barrier) {
                    let what = "a barrier in a dispatch without Barrier Enable";
                    return Err(strict::BARRIER_ENABLE.stop(what, message.ip));
                }
                self.arrived += 1;
                Ok(Reply::BarrierArrived)
            }
            // Opening, closing and updating a gateway concern messages between threads, which nothing sends.
            0 | 1 | 5 => Ok(Reply::Done),
            _ => Self::unimplemented(message, "a gateway message"),
        }
    }
}

impl SharedFunctions for Port<'_> {
    fn message(&mut self, message: &Message<'_>, response: &mut [u32]) -> Result<Reply, Stop> {
        self.messages.add(message.sfid);
        let payload = Payload {
            first: message.src0,
            second: message.src1,
        };
        self.view.through(match message.sfid {
            sfid::SAMPLER => Via::Texture,
            sfid::CONSTANT_CACHE => Via::Constant,
            _ => Via::Data,
        });
        match message.sfid {
            sfid::DATA_CACHE_1 => self.data_cache_1(message, payload, response)?,
            sfid::DATA_CACHE_0 => self.data_cache_0(message, payload, response)?,
            sfid::CONSTANT_CACHE => self.constant_cache(message, payload, response)?,
            sfid::SAMPLER => self.sampler_message(message, payload, response)?,
            sfid::GATEWAY => return self.gateway(message),
            sfid::THREAD_SPAWNER | sfid::NULL => {}
            _ => return Self::unimplemented(message, "a message"),
        }
        Ok(Reply::Done)
    }

    fn timestamp(&mut self) -> u64 {
        self.started.elapsed().as_nanos() as u64
    }
}

#[cfg(test)]
mod atomic_tests;
#[cfg(test)]
mod block_tests;
#[cfg(test)]
mod port_tests;
#[cfg(test)]
mod scattered_tests;
#[cfg(test)]
mod tests;
