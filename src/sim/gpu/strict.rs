//! Strict mode: what a real machine would not forgive, and what the checks remember of a batch.
//!
//! In:  commands in order, the state that a walker finds, what units report to [`crate::watch`]. Out: [`Stop::Undefined`] at
//!      the first broken rule of [`crate::rules`].

mod agree;
#[cfg(test)]
mod agree_tests;
mod boundary;
mod caches;
#[cfg(test)]
mod compressed_tests;
mod draw;
#[cfg(test)]
#[path = "strict/draw_rig_tests.rs"]
pub(crate) mod draw_rig;
#[cfg(test)]
mod draw_tests;
#[cfg(test)]
mod drawn_tests;
#[cfg(test)]
mod forgotten_tests;
mod lines;
mod reserved;
mod sequence;
#[cfg(test)]
mod sequence_tests;
mod stages;
#[cfg(test)]
mod stages_tests;
mod surface;
mod urb;

use caches::Found;
pub(crate) use caches::Log;

use crate::base::{BaseAddresses, RELIED_ON};
use crate::context::{HwContext, Pipeline};
use crate::controls::{Controlled, Purpose};
use crate::rules::{
    BASE_ADDRESS_FLUSH, BASE_ADDRESS_GIVEN, BASE_ADDRESS_INVALIDATE, CURBE_ALIGNMENT,
    CURBE_ALLOCATION, CURBE_FLUSH, CURBE_READ, DESCRIPTOR_FLUSH, DESCRIPTOR_RANGE, DRAW_PIPELINE,
    HEAP_BOUNDS, L3_DIVISION, L3_DRAINED, PIPE_CONTROL_TEXTURE, PIPE_CONTROL_VF,
    PIPELINE_SELECT_FLUSH, PIPELINE_SELECT_INVALIDATE, POST_SYNC_ALIGNMENT, SLM_L3, SLM_SIZE,
    STORE_ALIGNMENT, STORE_LENGTH, VFE_SCRATCH, VFE_STALL, VFE_THREADS, WALKER_GROUP, WALKER_MASK,
    WALKER_PIPELINE, WALKER_SIMD,
};
use crate::watch::{CACHES as MODELLED, Control, Via};
use eu::Stop;
use hw::state::interface_descriptor_data as idd;
use hw::{Device, Field, Packet, draw as packets, media, mi, register};
use reserved::reserved;
use sequence::hz_op_acts;

/// Caches that commands invalidate, and what is told of those that keep copies.
const CACHES: [(Field, Via); 4] = {
    use media::pipe_control as f;
    [
        (f::TEXTURE_CACHE_INVALIDATION_ENABLE, Via::Texture),
        (f::CONSTANT_CACHE_INVALIDATION_ENABLE, Via::Constant),
        (f::STATE_CACHE_INVALIDATION_ENABLE, Via::State),
        (f::INSTRUCTION_CACHE_INVALIDATE_ENABLE, Via::Instruction),
    ]
};
/// Bits by the index of a cache in [`CACHES`].
const DATA_CACHES: u8 = 0b0111;
const INSTRUCTION_CACHE: u8 = 0b1000;
const ALL_CACHES: u8 = DATA_CACHES | INSTRUCTION_CACHE;

/// Caches that are written back.
const DATA_CACHE: u8 = 1;
const RENDER_CACHE: u8 = 2;
const DEPTH_CACHE: u8 = 4;
const ALL_WRITERS: u8 = 7;

/// What a batch has left undone so far. The kernel flushes and invalidates between batches, so each starts with a new one.
pub(crate) struct Tracker<'a> {
    /// Memory that it has written.
    log: &'a Log,
    /// What must come between the 3D pipeline's commands.
    sequence: sequence::Sequence,
    /// MEDIA_VFE_STATE came while work ran.
    vfe_early: bool,
    /// Work may still run.
    busy: bool,
    /// Caches that work has written to and that are not flushed.
    dirty: u8,
    /// Those of them that a PIPE_CONTROL flushes which nobody has waited for.
    draining: u8,
    /// Work may still use its interface descriptor and constants.
    held: bool,
    /// Caches not invalidated since work ended.
    used: u8,
    /// Caches not invalidated since base addresses changed.
    stale: u8,
    /// The texture cache was invalidated without a stall on the GPGPU pipeline, and none has come since.
    loose: bool,
    /// What PIPE_CONTROLs had to do.
    pub controls: Vec<Controlled>,
}

impl<'a> Tracker<'a> {
    /// Nothing yet.
    pub(crate) fn new(log: &'a Log) -> Tracker<'a> {
        Tracker {
            log,
            sequence: sequence::Sequence::default(),
            vfe_early: false,
            busy: false,
            dirty: 0,
            draining: 0,
            held: false,
            used: 0,
            stale: 0,
            loose: false,
            controls: Vec::new(),
        }
    }

    /// Checks a command before it executes.
    pub(crate) fn command(
        &mut self,
        packet: &Packet,
        words: &[u32],
        context: &HwContext,
        device: &Device,
        at: u64,
    ) -> Result<(), Stop> {
        self.log.command(at, words.len() as u64 * 4)?;
        let jumps = [
            &mi::mi_batch_buffer_start::PACKET,
            &mi::mi_batch_buffer_end::PACKET,
        ];
        if jumps.iter().any(|jump| std::ptr::eq(packet, *jump)) {
            self.log.jump();
        }
        reserved(packet, words, at)?;
        boundary::check(packet, words, device, at)?;
        self.sequence.command(packet, words, context, at)?;
        let is = |other: &Packet| std::ptr::eq(packet, other);
        if is(&media::pipe_control::PACKET) {
            self.pipe_control(words, context, at)
        } else if is(&media::pipeline_select::PACKET) {
            self.pipeline_select(words, context, at)
        } else if is(&media::state_base_address::PACKET) {
            let clean = self.is_clean(DATA_CACHE | RENDER_CACHE);
            BASE_ADDRESS_FLUSH.check(clean, at, || self.undone())?;
            agree::base_addresses(words, at)
        } else if is(&media::media_vfe_state::PACKET) {
            // Nothing says so before a walker uses it: drivers that leave GPGPU put it anywhere.
            self.vfe_early = self.busy;
            self.vfe_state(words, device, at)
        } else if is(&media::media_curbe_load::PACKET) {
            self.curbe_load(words, context, at)
        } else if is(&media::media_interface_descriptor_load::PACKET) {
            self.descriptor_load(words, at)
        } else if is(&media::media_state_flush::PACKET) {
            self.held = false;
            Ok(())
        } else if is(&mi::mi_load_register_imm::PACKET) {
            let (pairs, _) = words.get(1..).unwrap_or_default().as_chunks::<2>();
            let of_l3 = |[offset, _]: &&[u32; 2]| offset & 0x7f_fffc == register::L3CNTLREG;
            let Some([_, value]) = pairs.iter().find(of_l3) else {
                return Ok(());
            };
            let mut known = device.l3_configs().iter();
            let ways = value & register::L3CNTLREG_WAYS;
            let known = known.any(|division| division.register_value() == ways);
            L3_DIVISION.check(known, at, || format!("{value:#x}"))?;
            L3_DRAINED.check(self.is_clean(DATA_CACHE), at, || self.undone())
        } else if is(&packets::primitive::PACKET) {
            let l3 = context.register(register::L3CNTLREG);
            let selected = context.pipeline == Pipeline::Draw;
            DRAW_PIPELINE.check(selected, at, || {
                format!("the {:?} pipeline is selected", context.pipeline)
            })?;
            BASE_ADDRESS_INVALIDATE.check(self.stale == 0, at, || names(self.stale))?;
            given(context, at)?;
            draw::check(words, context, at)?;
            agree::check(&context.draw, at)?;
            stages::check(&context.draw, at)?;
            urb::check(&context.draw, l3, device, at)?;
            self.draws();
            Ok(())
        } else if is(&media::gpgpu_walker::PACKET) {
            given(context, at)
        } else if is(&packets::state_wm_hz_op::PACKET) && hz_op_acts(words) {
            agree::hz_op(&context.draw, words, at)?;
            self.draws();
            Ok(())
        } else if is(&mi::mi_store_data_imm::PACKET) {
            use mi::mi_store_data_imm as f;
            let (qword, address) = (f::STORE_QWORD.get(words) == 1, f::ADDRESS.get(words));
            STORE_LENGTH.check(!qword || words.len() > 4, at, || {
                "a quadword of which the command has one dword".into()
            })?;
            STORE_ALIGNMENT.check(!qword || address.is_multiple_of(8), at, || {
                format!("a quadword is stored at {address:#x}")
            })
        } else {
            Ok(())
        }
    }

    /// No work runs, and these caches hold nothing that is not written back.
    fn is_clean(&self, caches: u8) -> bool {
        !self.busy && self.dirty & caches == 0
    }

    /// The work of a draw begins.
    fn draws(&mut self) {
        self.busy = true;
        self.dirty = ALL_WRITERS;
        self.draining = 0;
        self.used = ALL_CACHES;
    }

    fn undone(&self) -> String {
        match self.busy {
            true => "work since the last stalling PIPE_CONTROL may still run".into(),
            false => "writes of work before are not flushed".into(),
        }
    }

    fn pipe_control(&mut self, words: &[u32], context: &HwContext, at: u64) -> Result<(), Stop> {
        use media::pipe_control as f;
        let set = |field: Field| field.get(words) != 0;
        let stall = set(f::COMMAND_STREAMER_STALL_ENABLE);
        let gpgpu = context.pipeline == Pipeline::Gpgpu;
        let texture = set(f::TEXTURE_CACHE_INVALIDATION_ENABLE);
        let early = gpgpu && self.busy && texture && !stall;
        PIPE_CONTROL_TEXTURE.check(!early, at, || {
            "the texture cache is invalidated under running work".into()
        })?;
        let post_sync = set(f::POST_SYNC_OPERATION);
        let vertices = set(f::VF_CACHE_INVALIDATION_ENABLE);
        PIPE_CONTROL_VF.check(!vertices || post_sync, at, || {
            "the vertex fetch cache is invalidated without a post-sync operation".into()
        })?;
        let address = f::ADDRESS.get(words);
        POST_SYNC_ALIGNMENT.check(!post_sync || address.is_multiple_of(8), at, || {
            format!("a quadword is written at {address:#x}")
        })?;
        let caches = CACHES.iter().enumerate();
        let invalidated = caches.fold(0, |all, (i, (cache, _))| all | u8::from(set(*cache)) << i);
        let flushes = [
            (f::DC_FLUSH_ENABLE, DATA_CACHE),
            (f::RENDER_TARGET_CACHE_FLUSH_ENABLE, RENDER_CACHE),
            (f::DEPTH_CACHE_FLUSH_ENABLE, DEPTH_CACHE),
        ];
        let flushed = flushes.iter().filter(|(field, _)| set(*field));
        let flushed = flushed.fold(0, |all, (_, cache)| all | cache);
        // Caches are invalidated when the command is read, before its own stall: work that still runs fills them again.
        let asked = MODELLED.map(|via| {
            let known = CACHES.iter().find(|(_, other)| *other == via);
            known.map_or(vertices, |(field, _)| set(*field))
        });
        let found = self.log.pipe_control(&Control {
            stall,
            ordered: set(f::PIPE_CONTROL_FLUSH_ENABLE),
            data: flushed & DATA_CACHE != 0,
            render: flushed & RENDER_CACHE != 0,
            depth: flushed & DEPTH_CACHE != 0,
            invalid: asked.map(|asked| asked && !self.busy),
            refilled: asked.map(|asked| asked && self.busy),
        });
        self.explain(words, &found, at);
        self.stale &= !invalidated;
        if !self.busy {
            self.used &= !invalidated;
        }
        // A flush goes down the pipeline: it is done when this command, or a later one, has stalled.
        self.draining |= flushed & self.dirty;
        self.loose |= gpgpu && texture;
        if stall {
            self.stalled();
        }
        Ok(())
    }

    /// All work before is done, and what was flushed has arrived.
    fn stalled(&mut self) {
        self.busy = false;
        self.held = false;
        self.loose = false;
        self.dirty &= !self.draining;
        self.draining = 0;
    }

    /// A post-sync operation without a stall has been executed.
    pub(crate) fn posted(&mut self, address: u64) {
        self.log.post(address);
    }

    /// A semaphore waits for a value in memory, which post-sync operations may write.
    pub(crate) fn waits(&mut self, address: u64) {
        if self.log.waited(address) {
            self.stalled();
        }
    }

    /// Notes what a PIPE_CONTROL had to do.
    fn explain(&mut self, words: &[u32], found: &Found, at: u64) {
        use media::pipe_control as f;
        let stall = f::COMMAND_STREAMER_STALL_ENABLE.get(words) != 0;
        let purpose = |field: &Field| {
            let is = |other: Field| field.lo == other.lo;
            let flushes = [
                f::DC_FLUSH_ENABLE,
                f::RENDER_TARGET_CACHE_FLUSH_ENABLE,
                f::DEPTH_CACHE_FLUSH_ENABLE,
            ];
            if let Some(cache) = flushes.into_iter().position(is) {
                let dirty = found.dirty[cache] || self.dirty >> cache & 1 == 1;
                return Purpose::of(dirty, "nothing was in that cache");
            }
            if let Some(cache) = CACHES.iter().position(|(cache, _)| is(*cache)) {
                let of = |via: &Via| *via == CACHES[cache].1;
                let written = MODELLED.iter().position(of).is_some_and(|i| found.stale[i]);
                let moved = self.stale >> cache & 1 == 1;
                let none =
                    "nothing that this cache may hold was written, and no base address has changed";
                return Purpose::of(written || moved, none);
            }
            if is(f::VF_CACHE_INVALIDATION_ENABLE) {
                let vertex = MODELLED.iter().position(|via| *via == Via::Vertex);
                let written = vertex.is_some_and(|i| found.stale[i]);
                return Purpose::of(written, "nothing that this cache may hold was written");
            }
            if is(f::COMMAND_STREAMER_STALL_ENABLE) {
                let runs = self.busy || self.held || self.draining != 0 || found.open;
                return Purpose::of(runs, "no work ran, and nothing was on its way to memory");
            }
            if is(f::STALL_AT_PIXEL_SCOREBOARD) && stall {
                return Purpose::Nothing("the command stalls for all work anyway");
            }
            if is(f::DEPTH_STALL_ENABLE) {
                return self.sequence.depth_stall();
            }
            if is(f::PIPE_CONTROL_FLUSH_ENABLE) {
                return Purpose::of(found.posted, "no post-sync operation was on its way");
            }
            if is(f::INDIRECT_STATE_POINTERS_DISABLE) {
                return Purpose::Nothing(
                    "only a restore of the context asks for it, and reads the kernel's scratch page where nothing is bound",
                );
            }
            Purpose::Unknown
        };
        let fields = f::PACKET.fields.iter();
        let given = fields.filter(|field| {
            let says = [f::ADDRESS, f::IMMEDIATE_DATA, f::POST_SYNC_OPERATION];
            let says = says.iter().any(|other| other.lo == field.lo);
            !says && field.lo >= 32 && field.get(words) != 0
        });
        let flags = given.map(|field| (field.name, purpose(field))).collect();
        let posts = f::POST_SYNC_OPERATION.get(words) != 0;
        self.controls.push(Controlled { at, flags, posts });
    }

    fn pipeline_select(&self, words: &[u32], context: &HwContext, at: u64) -> Result<(), Stop> {
        use media::pipeline_select as f;
        let to = Pipeline::of(f::PIPELINE_SELECTION.get(words));
        if f::MASK_BITS.get(words) & 3 != 3 || to == context.pipeline {
            return Ok(());
        }
        PIPELINE_SELECT_FLUSH.check(self.is_clean(ALL_WRITERS), at, || self.undone())?;
        PIPELINE_SELECT_INVALIDATE.check(self.used == 0, at, || names(self.used))
    }

    /// Notes base addresses that have changed: what caches hold is from elsewhere then, where they hold something. The kernel
    /// has invalidated them before the batch.
    pub(crate) fn base_addresses(&mut self, old: &BaseAddresses, new: &BaseAddresses) {
        if (old.surface, old.dynamic, old.bindless_surface)
            != (new.surface, new.dynamic, new.bindless_surface)
        {
            self.stale |= DATA_CACHES & self.used;
        }
        if old.instruction != new.instruction {
            self.stale |= INSTRUCTION_CACHE & self.used;
        }
    }

    fn vfe_state(&self, words: &[u32], device: &Device, at: u64) -> Result<(), Stop> {
        use media::media_vfe_state as f;
        let threads = f::MAXIMUM_NUMBER_OF_THREADS.get(words) + 1;
        VFE_THREADS.check(threads <= device.total_threads().into(), at, || {
            format!("{threads} threads of {}", device.total_threads())
        })?;
        let scratch = f::PER_THREAD_SCRATCH_SPACE.get(words);
        VFE_SCRATCH.check(scratch <= 11, at, || {
            format!("code {scratch} for scratch of a thread")
        })
    }

    fn curbe_load(&self, words: &[u32], context: &HwContext, at: u64) -> Result<(), Stop> {
        use media::media_curbe_load as f;
        CURBE_FLUSH.check(!self.held, at, || {
            "the walker before may still read its constants".into()
        })?;
        let start = f::CURBE_DATA_START_ADDRESS.get(words);
        let bytes = f::CURBE_TOTAL_DATA_LENGTH.get(words);
        let aligned = start.is_multiple_of(64) && bytes.is_multiple_of(64);
        CURBE_ALIGNMENT.check(aligned, at, || format!("{bytes} bytes at {start:#x}"))?;
        let room = context.vfe.curbe_bytes;
        CURBE_ALLOCATION.check(bytes <= room, at, || {
            format!("{bytes} bytes where {room} are allocated")
        })
    }

    fn descriptor_load(&self, words: &[u32], at: u64) -> Result<(), Stop> {
        use media::media_interface_descriptor_load as f;
        DESCRIPTOR_FLUSH.check(!self.held, at, || {
            "the walker before may still read its descriptor".into()
        })?;
        let start = f::INTERFACE_DESCRIPTOR_DATA_START_ADDRESS.get(words);
        let bytes = f::INTERFACE_DESCRIPTOR_TOTAL_LENGTH.get(words);
        let whole = bytes.is_multiple_of(32) && (32..=64 * 32).contains(&bytes);
        DESCRIPTOR_RANGE.check(start.is_multiple_of(64) && whole, at, || {
            format!("{bytes} bytes at {start:#x}")
        })
    }

    /// Checks a walker, and notes that its work has begun.
    pub(crate) fn walker(
        &mut self,
        words: &[u32],
        descriptor: &[u32; 8],
        context: &HwContext,
        device: &Device,
        at: u64,
    ) -> Result<(), Stop> {
        use media::gpgpu_walker as f;
        WALKER_PIPELINE.check(context.pipeline == Pipeline::Gpgpu, at, || {
            format!("the {:?} pipeline is selected", context.pipeline)
        })?;
        VFE_STALL.check(!self.vfe_early, at, || {
            "MEDIA_VFE_STATE came while work may still have run".into()
        })?;
        BASE_ADDRESS_INVALIDATE.check(self.stale == 0, at, || names(self.stale))?;
        PIPE_CONTROL_TEXTURE.check(!self.loose, at, || {
            "the texture cache was invalidated without a stall, and none came before this".into()
        })?;
        reserved(&idd::PACKET, descriptor, at)?;
        let simd = f::SIMD_SIZE.get(words);
        WALKER_SIMD.check(simd < 3, at, || format!("code {simd} for the SIMD size"))?;
        let masks = [f::RIGHT_EXECUTION_MASK, f::BOTTOM_EXECUTION_MASK].map(|m| m.get(words));
        let lanes = u64::from(u32::MAX >> (32 - (8 << simd)));
        WALKER_MASK.check(masks.iter().all(|mask| mask & lanes != 0), at, || {
            format!("masks {:#x} and {:#x}", masks[0], masks[1])
        })?;
        let counters = [
            f::THREAD_WIDTH_COUNTER_MAXIMUM,
            f::THREAD_HEIGHT_COUNTER_MAXIMUM,
            f::THREAD_DEPTH_COUNTER_MAXIMUM,
        ];
        let threads: u64 = counters.iter().map(|c| c.get(words) + 1).product();
        let most =
            (u64::from(context.vfe.max_threads) + 1).min(device.max_workgroup_threads.into());
        WALKER_GROUP.check(threads <= most, at, || {
            format!("a workgroup of {threads} threads where {most} can be")
        })?;
        let (dynamic, code) = (context.base.dynamic_pages, context.base.instruction_pages);
        let kernel = idd::KERNEL_START_POINTER.get(descriptor);
        let loaded = [context.curbe, context.descriptors].map(|range| range.offset + range.bytes);
        let places = [
            (loaded[0], dynamic),
            (loaded[1], dynamic),
            (kernel + 16, code),
        ];
        for (end, pages) in places {
            let fits = pages.is_none_or(|pages| end <= pages * 4096);
            HEAP_BOUNDS.check(fits, at, || format!("up to byte {end:#x}"))?;
        }
        let slm = idd::SHARED_LOCAL_MEMORY_SIZE.get(descriptor);
        SLM_SIZE.check(slm <= 7, at, || format!("code {slm}"))?;
        let divided = context.register(register::L3CNTLREG) & register::L3CNTLREG_SLM_ENABLE != 0;
        SLM_L3.check(slm == 0 || divided, at, || {
            "shared local memory, of which the L3 has none".into()
        })?;
        let grf = idd::CONSTANT_URB_ENTRY_READ_OFFSET.get(descriptor)
            + idd::CROSS_THREAD_CONSTANT_DATA_READ_LENGTH.get(descriptor)
            + idd::CONSTANT_URB_ENTRY_READ_LENGTH.get(descriptor) * threads;
        let constants = idd::CROSS_THREAD_CONSTANT_DATA_READ_LENGTH.get(descriptor)
            + idd::CONSTANT_URB_ENTRY_READ_LENGTH.get(descriptor);
        let there = match f::INDIRECT_DATA_LENGTH.get(words) {
            0 => context.curbe.bytes,
            bytes => bytes,
        };
        CURBE_READ.check(constants == 0 || grf * 32 <= there, at, || {
            format!("{} of {there} bytes", grf * 32)
        })?;
        (self.busy, self.held) = (true, true);
        self.dirty |= DATA_CACHE;
        self.draining &= !DATA_CACHE;
        self.used = ALL_CACHES;
        Ok(())
    }
}

/// Checks that the context has base addresses of its own.
fn given(context: &HwContext, at: u64) -> Result<(), Stop> {
    let missing = RELIED_ON & !context.base.given;
    BASE_ADDRESS_GIVEN.check(missing == 0, at, || {
        let names = ["general", "surface", "dynamic", "indirect", "instruction"];
        let missing = (0..).zip(names).filter(|(i, _)| missing >> i & 1 == 1);
        let missing: Vec<_> = missing.map(|(_, name)| name).collect();
        format!("missing: {}", missing.join(", "))
    })
}

fn names(caches: u8) -> String {
    let names = CACHES
        .iter()
        .enumerate()
        .filter(|(i, _)| caches >> i & 1 == 1);
    let names: Vec<_> = names.map(|(_, (field, _))| field.name).collect();
    format!("missing: {}", names.join(", "))
}
