//! Strict mode: what a real machine would not forgive, and what the checks remember of a batch.
//!
//! In:  commands in order, the state that a walker finds, what units report to [`crate::observer`].
//!      Out: [`StopReason::Undefined`] at the first broken rule of [`crate::rules`].

use crate::base_addresses::{BaseAddresses, RELIED_ON};
use crate::context::{HwContext, Pipeline};
use crate::observer::{CACHES as READ_ONLY_CACHES, PipeControlEffects, Via};
use crate::pipe_control_stats::{ExecutedPipeControl, Purpose};
use crate::rules::{
    BASE_ADDRESS_FLUSH, BASE_ADDRESS_GIVEN, BASE_ADDRESS_INVALIDATE, CURBE_ALIGNMENT,
    CURBE_ALLOCATION, CURBE_FLUSH, CURBE_READ, DESCRIPTOR_FLUSH, DESCRIPTOR_RANGE, DRAW_PIPELINE,
    HEAP_BOUNDS, L3_CURBE, L3_DIVISION, L3_DRAINED, L3_INVALIDATED, PIPE_CONTROL_POST_SYNC,
    PIPE_CONTROL_TEXTURE, PIPE_CONTROL_VF, PIPELINE_SELECT_FLUSH, PIPELINE_SELECT_INVALIDATE,
    POST_SYNC_ALIGNMENT, SLM_L3, SLM_SIZE, STORE_ALIGNMENT, STORE_LENGTH, VFE_BEFORE_3D,
    VFE_SCRATCH, VFE_STALL, VFE_THREADS, WALKER_GROUP, WALKER_MASK, WALKER_PIPELINE, WALKER_SIMD,
};
use crate::strict::caches::{Found, Log};
use crate::strict::reserved_bits::check_reserved_bits;
use crate::strict::sequence::hz_op_acts;
use crate::strict::{
    addresses, consistency, context_workarounds, draw, errata, privileged_registers, sequence,
    stages, urb,
};
use eu::StopReason;
use hw::state::interface_descriptor_data as idd;
use hw::value::command::walker_simd_size;
use hw::value::state::shared_local_memory_size;
use hw::{Device, Field, Packet, draw as packets, media, mi, register};

/// Invalidate flags of PIPE_CONTROL, and the cache of each.
const CACHES: [(Field, Via); 4] = {
    use media::pipe_control as f;
    [
        (f::TEXTURE_CACHE_INVALIDATION_ENABLE, Via::Texture),
        (f::CONSTANT_CACHE_INVALIDATION_ENABLE, Via::Constant),
        (f::STATE_CACHE_INVALIDATION_ENABLE, Via::State),
        (f::INSTRUCTION_CACHE_INVALIDATE_ENABLE, Via::Instruction),
    ]
};
/// Masks of cache indices in [`CACHES`].
const DATA_CACHES: u8 = 0b0111;
const INSTRUCTION_CACHE: u8 = 0b1000;
const ALL_CACHES: u8 = DATA_CACHES | INSTRUCTION_CACHE;

/// Masks of write-back caches.
const DATA_CACHE: u8 = 1;
const RENDER_CACHE: u8 = 2;
const DEPTH_CACHE: u8 = 4;
const ALL_WRITERS: u8 = 7;

/// State of a batch's caches and work. The kernel flushes and invalidates between batches, so each
/// batch starts with a new one.
pub(crate) struct Tracker<'a> {
    /// Memory that the batch has written.
    log: &'a Log,
    /// Order of the 3D pipeline's commands.
    sequence: sequence::Sequence,
    /// MEDIA_VFE_STATE executed while work was running.
    vfe_while_busy: bool,
    /// MEDIA_VFE_STATE executed in this batch, and no walker since.
    vfe_after_walkers: bool,
    /// Work may be running.
    busy: bool,
    /// Caches that work has written to and that are not flushed.
    dirty: u8,
    /// Those of the dirty caches that a PIPE_CONTROL has flushed without a stall since.
    draining: u8,
    /// A walker may still read its interface descriptor and constants.
    inputs_in_use: bool,
    /// Caches that were used since they were last invalidated.
    needs_invalidation: u8,
    /// Caches that were not invalidated since base addresses changed.
    stale_bases: u8,
    /// The texture cache was invalidated without a stall in the GPGPU pipeline, and no stall
    /// followed.
    unstalled_texture_invalidation: bool,
    /// A cache was invalidated, and no later PIPE_CONTROL has stalled.
    unsettled_invalidation: bool,
    /// The L3 configuration changed after the constants of walkers were loaded.
    curbe_lost: bool,
    /// Which flags of each PIPE_CONTROL were necessary.
    pub controls: Vec<ExecutedPipeControl>,
}

impl<'a> Tracker<'a> {
    /// A tracker at the start of a batch.
    pub(crate) fn new(log: &'a Log) -> Tracker<'a> {
        Tracker {
            log,
            sequence: sequence::Sequence::default(),
            vfe_while_busy: false,
            vfe_after_walkers: false,
            busy: false,
            dirty: 0,
            draining: 0,
            inputs_in_use: false,
            needs_invalidation: 0,
            stale_bases: 0,
            unstalled_texture_invalidation: false,
            unsettled_invalidation: false,
            curbe_lost: false,
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
    ) -> Result<(), StopReason> {
        self.log.command(at, words.len() as u64 * 4)?;
        let jumps = [
            &mi::mi_batch_buffer_start::PACKET,
            &mi::mi_batch_buffer_end::PACKET,
        ];
        if jumps.iter().any(|jump| std::ptr::eq(packet, *jump)) {
            self.log.jump();
        }
        check_reserved_bits(packet, words, at)?;
        addresses::check_command(packet, words, at)?;
        privileged_registers::check(packet, words, device, at)?;
        context_workarounds::check(packet, words, device, at)?;
        let lenient = self.log.lenient;
        self.sequence.command(packet, words, context, lenient, at)?;
        let is = |other: &Packet| std::ptr::eq(packet, other);
        if is(&media::pipe_control::PACKET) {
            self.pipe_control(words, context, device, at)
        } else if is(&media::pipeline_select::PACKET) {
            self.pipeline_select(words, context, at)
        } else if is(&media::state_base_address::PACKET) {
            let clean = self.is_clean(DATA_CACHE | RENDER_CACHE);
            BASE_ADDRESS_FLUSH.check(clean, at, || self.describe_pending_work())?;
            consistency::check_base_addresses(words, at)
        } else if is(&media::media_vfe_state::PACKET) {
            // Reported only when a walker uses the state: drivers that leave the GPGPU pipeline
            // emit it anywhere.
            self.vfe_while_busy = self.busy;
            self.vfe_after_walkers = true;
            self.vfe_state(words, device, at)
        } else if is(&media::media_curbe_load::PACKET) {
            self.curbe_load(words, context, at)
        } else if is(&media::media_interface_descriptor_load::PACKET) {
            self.descriptor_load(words, at)
        } else if is(&media::media_state_flush::PACKET) {
            self.inputs_in_use = false;
            Ok(())
        } else if is(&mi::mi_load_register_imm::PACKET) {
            let (pairs, _) = words.get(1..).unwrap_or_default().as_chunks::<2>();
            let of_l3 = |[offset, _]: &&[u32; 2]| offset & 0x7f_fffc == register::L3CNTLREG;
            pairs
                .iter()
                .filter(of_l3)
                .try_for_each(|[_, value]| self.l3_config(*value, device, at))
        } else if is(&packets::primitive::PACKET) {
            let l3 = context.register(register::L3CNTLREG);
            let selected = context.pipeline == Pipeline::Draw;
            DRAW_PIPELINE.check(selected, at, || {
                format!("the {:?} pipeline is selected", context.pipeline)
            })?;
            BASE_ADDRESS_INVALIDATE.check(self.stale_bases == 0, at, || {
                missing_caches(self.stale_bases)
            })?;
            check_base_addresses_given(context, at)?;
            draw::check(words, context, at)?;
            consistency::check_draw(&context.draw, at)?;
            stages::check(&context.draw, at)?;
            urb::check(&context.draw, l3, device, at)?;
            errata::check_draw(context, device, self.log.lenient, at)?;
            self.begin_draw_work();
            Ok(())
        } else if is(&media::gpgpu_walker::PACKET) {
            check_base_addresses_given(context, at)
        } else if is(&packets::state_wm_hz_op::PACKET) && hz_op_acts(words) {
            consistency::check_hz_op(&context.draw, words, at)?;
            self.begin_draw_work();
            Ok(())
        } else if is(&mi::mi_store_data_imm::PACKET) {
            use mi::mi_store_data_imm as f;
            let (qword, address) = (f::STORE_QWORD.get(words) == 1, f::ADDRESS.get(words));
            let data = words.len().saturating_sub(3);
            STORE_LENGTH.check(!qword || data >= 2 && data.is_multiple_of(2), at, || {
                format!("{data} dwords of quadwords")
            })?;
            STORE_ALIGNMENT.check(!qword || address.is_multiple_of(8), at, || {
                format!("a quadword is stored at {address:#x}")
            })
        } else {
            Ok(())
        }
    }

    /// Checks a write of L3CNTLREG, and records it.
    fn l3_config(&mut self, value: u32, device: &Device, at: u64) -> Result<(), StopReason> {
        let mut known = device.l3_configs().iter();
        let ways = value & register::L3CNTLREG_WAYS;
        let known = known.any(|division| division.register_value() == ways);
        L3_DIVISION.check(known, at, || format!("{value:#x}"))?;
        let drained = self.is_clean(DATA_CACHE) || !L3_DRAINED.applies(device, self.log.lenient);
        L3_DRAINED.check(drained, at, || self.describe_pending_work())?;
        L3_INVALIDATED.check(self.needs_invalidation == 0, at, || {
            missing_caches(self.needs_invalidation)
        })?;
        L3_INVALIDATED.check(!self.unsettled_invalidation, at, || {
            "no PIPE_CONTROL after the invalidation has stalled".into()
        })?;
        self.curbe_lost = true;
        Ok(())
    }

    /// True if no work is running and these caches have nothing to write back.
    fn is_clean(&self, caches: u8) -> bool {
        !self.busy && self.dirty & caches == 0
    }

    /// Records that a draw starts.
    fn begin_draw_work(&mut self) {
        self.busy = true;
        self.dirty = ALL_WRITERS;
        self.draining = 0;
        self.needs_invalidation = ALL_CACHES;
    }

    fn describe_pending_work(&self) -> String {
        match self.busy {
            true => "work since the last stalling PIPE_CONTROL may still run".into(),
            false => "writes of work before are not flushed".into(),
        }
    }

    fn pipe_control(
        &mut self,
        words: &[u32],
        context: &HwContext,
        device: &Device,
        at: u64,
    ) -> Result<(), StopReason> {
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
        let unstalled = gpgpu && post_sync && !stall;
        let enforced = PIPE_CONTROL_POST_SYNC.applies(device, self.log.lenient);
        PIPE_CONTROL_POST_SYNC.check(!(unstalled && enforced), at, || {
            "a post-sync operation without a stall, in the GPGPU pipeline".into()
        })?;
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
        // Invalidation happens when the command is parsed, before its own stall: running work may
        // refill the caches.
        let asked = READ_ONLY_CACHES.map(|via| {
            let known = CACHES.iter().find(|(_, other)| *other == via);
            known.map_or(vertices, |(field, _)| set(*field))
        });
        let found = self.log.pipe_control(&PipeControlEffects {
            stall,
            waits_for_post_sync: set(f::PIPE_CONTROL_FLUSH_ENABLE),
            data: flushed & DATA_CACHE != 0,
            render: flushed & RENDER_CACHE != 0,
            depth: flushed & DEPTH_CACHE != 0,
            invalidated: asked.map(|asked| asked && !self.busy),
            refilled: asked.map(|asked| asked && self.busy),
        });
        self.record_pipe_control(words, &found, at);
        self.stale_bases &= !invalidated;
        let invalidates = self.needs_invalidation & invalidated != 0;
        if !self.busy {
            self.needs_invalidation &= !invalidated;
        }
        // A flush goes down the pipeline: it completes when this command, or a later one, has
        // stalled.
        self.draining |= flushed & self.dirty;
        self.unstalled_texture_invalidation |= gpgpu && texture;
        if stall {
            self.complete_all_work();
            self.unsettled_invalidation = false;
        }
        // The stall of the same command does not wait for its invalidation; where no work has
        // filled the caches, there is nothing to wait for.
        self.unsettled_invalidation |= invalidates;
        Ok(())
    }

    /// Records that all earlier work is complete and flushed data is in memory.
    fn complete_all_work(&mut self) {
        self.busy = false;
        self.inputs_in_use = false;
        self.unstalled_texture_invalidation = false;
        self.dirty &= !self.draining;
        self.draining = 0;
    }

    /// Records a post-sync operation without a stall.
    pub(crate) fn record_post_sync(&mut self, address: u64) {
        self.log.post(address);
    }

    /// Records a semaphore wait on memory that a post-sync operation may write.
    pub(crate) fn record_semaphore_wait(&mut self, address: u64) {
        if self.log.waited(address) {
            self.complete_all_work();
        }
    }

    /// Records which flags of a PIPE_CONTROL were necessary.
    fn record_pipe_control(&mut self, words: &[u32], found: &Found, at: u64) {
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
                return Purpose::new(dirty, "nothing was in that cache");
            }
            if let Some(cache) = CACHES.iter().position(|(cache, _)| is(*cache)) {
                let of = |via: &Via| *via == CACHES[cache].1;
                let written = READ_ONLY_CACHES
                    .iter()
                    .position(of)
                    .is_some_and(|i| found.stale[i]);
                let moved = self.stale_bases >> cache & 1 == 1;
                let none =
                    "nothing that this cache may hold was written, and no base address has changed";
                return Purpose::new(written || moved, none);
            }
            if is(f::VF_CACHE_INVALIDATION_ENABLE) {
                let vertex = READ_ONLY_CACHES.iter().position(|via| *via == Via::Vertex);
                let written = vertex.is_some_and(|i| found.stale[i]);
                return Purpose::new(written, "nothing that this cache may hold was written");
            }
            if is(f::COMMAND_STREAMER_STALL_ENABLE) {
                let runs = self.busy || self.inputs_in_use || self.draining != 0 || found.open;
                return Purpose::new(runs, "no work ran, and nothing was on its way to memory");
            }
            if is(f::STALL_AT_PIXEL_SCOREBOARD) && stall {
                return Purpose::Nothing("the command stalls for all work anyway");
            }
            if is(f::DEPTH_STALL_ENABLE) {
                return self.sequence.depth_stall();
            }
            if is(f::PIPE_CONTROL_FLUSH_ENABLE) {
                return Purpose::new(found.posted, "no post-sync operation was on its way");
            }
            if is(f::INDIRECT_STATE_POINTERS_DISABLE) {
                return Purpose::Nothing(
                    "only a restore of the context asks for it, and reads the kernel's scratch page where nothing is bound",
                );
            }
            Purpose::Unknown
        };
        let fields = f::PACKET.fields.iter();
        let flags = fields.filter(|field| {
            let operands = [f::ADDRESS, f::IMMEDIATE_DATA, f::POST_SYNC_OPERATION];
            let is_operand = operands.iter().any(|other| other.lo == field.lo);
            !is_operand && field.lo >= 32 && field.get(words) != 0
        });
        let flags = flags.map(|field| (field.name, purpose(field))).collect();
        let posts = f::POST_SYNC_OPERATION.get(words) != 0;
        self.controls.push(ExecutedPipeControl {
            address: at,
            flags,
            posts,
        });
    }

    fn pipeline_select(
        &self,
        words: &[u32],
        context: &HwContext,
        at: u64,
    ) -> Result<(), StopReason> {
        use media::pipeline_select as f;
        let to = Pipeline::from_selection(f::PIPELINE_SELECTION.get(words));
        if f::MASK_BITS.get(words) & 3 != 3 || to == context.pipeline {
            return Ok(());
        }
        PIPELINE_SELECT_FLUSH.check(self.is_clean(ALL_WRITERS), at, || {
            self.describe_pending_work()
        })?;
        PIPELINE_SELECT_INVALIDATE.check(self.needs_invalidation == 0, at, || {
            missing_caches(self.needs_invalidation)
        })?;
        let leaves_walkers = context.pipeline == Pipeline::Gpgpu && to == Pipeline::Draw;
        VFE_BEFORE_3D.check(!leaves_walkers || self.vfe_after_walkers, at, || {
            "no MEDIA_VFE_STATE came after the last walker".into()
        })
    }

    /// Records a change of base addresses: caches that are in use may hold data of the old bases.
    /// The kernel has invalidated all caches before the batch.
    pub(crate) fn base_addresses(&mut self, old: &BaseAddresses, new: &BaseAddresses) {
        if (old.surface, old.dynamic, old.bindless_surface)
            != (new.surface, new.dynamic, new.bindless_surface)
        {
            self.stale_bases |= DATA_CACHES & self.needs_invalidation;
        }
        if old.instruction != new.instruction {
            self.stale_bases |= INSTRUCTION_CACHE & self.needs_invalidation;
        }
    }

    fn vfe_state(&self, words: &[u32], device: &Device, at: u64) -> Result<(), StopReason> {
        use media::media_vfe_state as f;
        let threads = f::MAXIMUM_NUMBER_OF_THREADS.get(words) + 1;
        // Drivers count EUs that are fused off as well: the machine's numbers do.
        let max = device.total_subslices() * u32::from(device.max_eus) * u32::from(device.threads);
        VFE_THREADS.check(threads <= max.into(), at, || {
            format!("{threads} threads of {max}")
        })?;
        let scratch = f::PER_THREAD_SCRATCH_SPACE.get(words);
        VFE_SCRATCH.check(scratch <= 11, at, || {
            format!("code {scratch} for scratch of a thread")
        })
    }

    fn curbe_load(
        &mut self,
        words: &[u32],
        context: &HwContext,
        at: u64,
    ) -> Result<(), StopReason> {
        use media::media_curbe_load as f;
        CURBE_FLUSH.check(!self.inputs_in_use, at, || {
            "the walker before may still read its constants".into()
        })?;
        let start = f::CURBE_DATA_START_ADDRESS.get(words);
        let bytes = f::CURBE_TOTAL_DATA_LENGTH.get(words);
        let aligned = start.is_multiple_of(64) && bytes.is_multiple_of(64);
        CURBE_ALIGNMENT.check(aligned, at, || format!("{bytes} bytes at {start:#x}"))?;
        let room = context.vfe.curbe_bytes;
        CURBE_ALLOCATION.check(bytes <= room, at, || {
            format!("{bytes} bytes where {room} are allocated")
        })?;
        self.curbe_lost = false;
        Ok(())
    }

    fn descriptor_load(&self, words: &[u32], at: u64) -> Result<(), StopReason> {
        use media::media_interface_descriptor_load as f;
        DESCRIPTOR_FLUSH.check(!self.inputs_in_use, at, || {
            "the walker before may still read its descriptor".into()
        })?;
        let start = f::INTERFACE_DESCRIPTOR_DATA_START_ADDRESS.get(words);
        let bytes = f::INTERFACE_DESCRIPTOR_TOTAL_LENGTH.get(words);
        let whole = bytes.is_multiple_of(32) && (32..=64 * 32).contains(&bytes);
        DESCRIPTOR_RANGE.check(start.is_multiple_of(64) && whole, at, || {
            format!("{bytes} bytes at {start:#x}")
        })
    }

    /// Checks a walker, and records that its work starts.
    pub(crate) fn walker(
        &mut self,
        words: &[u32],
        descriptor: &[u32; 8],
        context: &HwContext,
        device: &Device,
        at: u64,
    ) -> Result<(), StopReason> {
        use media::gpgpu_walker as f;
        WALKER_PIPELINE.check(context.pipeline == Pipeline::Gpgpu, at, || {
            format!("the {:?} pipeline is selected", context.pipeline)
        })?;
        VFE_STALL.check(!self.vfe_while_busy, at, || {
            "MEDIA_VFE_STATE came while work may still have run".into()
        })?;
        BASE_ADDRESS_INVALIDATE.check(self.stale_bases == 0, at, || {
            missing_caches(self.stale_bases)
        })?;
        PIPE_CONTROL_TEXTURE.check(!self.unstalled_texture_invalidation, at, || {
            "the texture cache was invalidated without a stall, and none came before this".into()
        })?;
        self.vfe_after_walkers = false;
        check_reserved_bits(&idd::PACKET, descriptor, at)?;
        errata::check_walker(context, descriptor, device, at)?;
        let simd = f::SIMD_SIZE.get(words);
        WALKER_SIMD.check(simd <= walker_simd_size::SIMD32, at, || {
            format!("code {simd} for the SIMD size")
        })?;
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
        let max_threads =
            (u64::from(context.vfe.max_threads) + 1).min(device.max_workgroup_threads.into());
        WALKER_GROUP.check(threads <= max_threads, at, || {
            format!("a workgroup of {threads} threads where {max_threads} can be")
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
        SLM_SIZE.check(slm <= shared_local_memory_size::ENCODES_64K, at, || {
            format!("code {slm}")
        })?;
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
        let loaded = f::INDIRECT_DATA_LENGTH.get(words) == 0;
        let needs_loaded = loaded && constants != 0 && L3_CURBE.applies(device, self.log.lenient);
        L3_CURBE.check(!(self.curbe_lost && needs_loaded), at, || {
            "constants that were loaded before L3CNTLREG was written".into()
        })?;
        (self.busy, self.inputs_in_use) = (true, true);
        self.dirty |= DATA_CACHE;
        self.draining &= !DATA_CACHE;
        self.needs_invalidation = ALL_CACHES;
        Ok(())
    }
}

/// Checks that this context has programmed the base addresses.
fn check_base_addresses_given(context: &HwContext, at: u64) -> Result<(), StopReason> {
    let missing = RELIED_ON & !context.base.programmed;
    BASE_ADDRESS_GIVEN.check(missing == 0, at, || {
        let missing_caches = ["general", "surface", "dynamic", "indirect", "instruction"];
        let missing = (0..)
            .zip(missing_caches)
            .filter(|(i, _)| missing >> i & 1 == 1);
        let missing: Vec<_> = missing.map(|(_, name)| name).collect();
        format!("missing: {}", missing.join(", "))
    })
}

fn missing_caches(caches: u8) -> String {
    let missing_caches = CACHES
        .iter()
        .enumerate()
        .filter(|(i, _)| caches >> i & 1 == 1);
    let missing_caches: Vec<_> = missing_caches.map(|(_, (field, _))| field.name).collect();
    format!("missing: {}", missing_caches.join(", "))
}
