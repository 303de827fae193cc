//! Runs threads of the 3D pipeline's stages.
//!
//! In:  the addresses of a stage's kernel and resources, a thread's payload. Out: the thread run to
//!      its end; its messages to the URB, the render cache and the pixel interpolator handed to its
//!      [`StageFunctions`].
//! Ref: SKL PRM vol. 7, "Thread Payload" of each stage.

use crate::base_addresses::BaseAddresses;
use crate::budget::{Budget, Suspect};
use crate::dataport::{AccessLimits, MessageBases, WideLock, WorkerPort};
use crate::draw_state::DrawState;
use crate::fate;
use crate::kernel_cache::KernelCache;
use crate::memory::AddressSpaceView;
use crate::observer::{Via, Watch};
use crate::options::Options;
use crate::profile::StageWork;
use crate::space::AddressSpace;
use eu::{Message, MessageReply, StopReason, Thread, ThreadExit, ThreadInit, ThreadStatistics};

/// The context that all units of a draw share. The caller of the draw holds the counters and the
/// URB.
#[derive(Clone, Copy)]
pub(crate) struct Draw<'a> {
    /// Address of the 3DPRIMITIVE, for reports.
    pub at: u64,
    pub state: &'a DrawState,
    pub base: BaseAddresses,
    pub space: &'a AddressSpace,
    pub options: &'a Options,
    pub kernels: &'a KernelCache,
    pub wide: &'a WideLock,
    /// Observes memory accesses, in strict mode.
    pub watch: Option<&'a dyn Watch>,
    /// Instructions that the threads of the batch may still execute.
    pub budget: &'a Budget,
}

impl<'a> Draw<'a> {
    /// Memory, accessed through the cache of the unit `via`.
    pub fn view(&self, via: Via) -> AddressSpaceView<'a> {
        AddressSpaceView::watched(self.space, self.watch, via)
    }
}

/// A stage's kernel and the resources that its messages refer to, as its 3DSTATE_* command gives
/// them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Shader {
    /// Kernel Start Pointer: bytes from the instruction base address.
    pub kernel: u64,
    /// Binding table: bytes from the surface state base address.
    pub binding_table: u64,
    /// Sampler states: bytes from the dynamic state base address.
    pub samplers: u64,
    /// Scratch Space Base Pointer: bytes from the general state base address.
    pub scratch: u64,
    /// Bytes of scratch memory per thread; 0 if the stage has none.
    pub scratch_bytes: u64,
    /// Floating Point Mode: alternate instead of IEEE-754.
    pub alternate_floats: bool,
}

/// The shared functions that serve one stage only: URB (SFID 6), render cache (5), pixel
/// interpolator (11). The sampler and the data port handle all other messages.
pub(crate) trait StageFunctions {
    /// Carries out one message; see [`eu::SharedFunctions::message`].
    fn message(
        &mut self,
        message: &Message<'_>,
        response: &mut [u32],
    ) -> Result<MessageReply, StopReason>;
}

/// The URB for the stages that allocate and read entries; its messages are the threads'. The caller
/// of the draw frees entries between objects.
pub(crate) trait UrbEntries: StageFunctions {
    /// Allocates an entry of `dwords`; returns its handle.
    fn allocate(&mut self, dwords: usize) -> Result<u32, StopReason>;
    /// Writes an entry from its first dword on.
    fn write_entry(&mut self, handle: u32, values: &[u32]) -> Result<(), StopReason>;
    /// Fills an entry of `dwords` with the content of a new one.
    fn reset_entry(&mut self, handle: u32, dwords: usize) -> Result<(), StopReason>;
    /// Replaces `out` by the first `dwords` of an entry.
    fn read_entry(
        &mut self,
        handle: u32,
        dwords: usize,
        out: &mut Vec<u32>,
    ) -> Result<(), StopReason>;
}

/// Extends a payload to register `start`, where constants and vertex data begin, if `dwords` of
/// them follow. A start register before the payload's end truncates it, as data overlaps it on the
/// machine; strict mode has a rule against that.
pub(crate) fn pad_to_data(payload: &mut Vec<u32>, start: usize, dwords: usize) {
    if dwords > 0 {
        payload.resize(start * 8, 0);
    }
}

/// The shared functions of a stage's thread: the data port and sampler, and the stage's own.
struct ThreadFunctions<'p, 'a, 's> {
    port: &'p mut WorkerPort<'a>,
    stage: &'s mut dyn StageFunctions,
}

/// SFIDs of [`StageFunctions`]: render cache, URB, pixel interpolator.
const STAGE_SFIDS: [u8; 3] = [
    isa::message::render_cache::SFID,
    isa::message::urb::SFID,
    isa::message::pixel_interpolator::SFID,
];

impl eu::SharedFunctions for ThreadFunctions<'_, '_, '_> {
    fn message(
        &mut self,
        message: &Message<'_>,
        response: &mut [u32],
    ) -> Result<MessageReply, StopReason> {
        match STAGE_SFIDS.contains(&message.sfid) {
            true => {
                self.port.messages.add(message.sfid);
                fate::message::check(message, self.port.bindings.limits.is_some())?;
                self.stage.message(message, response)
            }
            false => self.port.message(message, response),
        }
    }

    fn timestamp(&mut self) -> u64 {
        self.port.timestamp()
    }
}

/// Runs threads of one shader, one after the other. Each worker has its own.
pub(crate) struct Executor<'a> {
    draw: Draw<'a>,
    /// The stage's name in reports.
    name: &'static str,
    shader: Shader,
    port: WorkerPort<'a>,
    kernel: std::sync::Arc<eu::Kernel>,
    thread: Option<Thread>,
    /// Threads of [`Executor::run_group`].
    group: Vec<Thread>,
    /// Channels that all threads so far were dispatched with.
    channels: u64,
    /// Threads and instructions executed so far.
    pub threads: u64,
    pub instructions: u64,
    work: ThreadStatistics,
    /// Threads count more than their instructions, for the profile.
    full_statistics: bool,
    /// Instructions that the batch's budget has not been charged for yet.
    uncharged: u64,
    /// Number of this worker; selects the part of the scratch memory that its threads use.
    pub worker: u32,
    /// Dispatch uses the vector mask: groups of four channels are enabled as a whole.
    pub vector_mask: bool,
}

impl<'a> Executor<'a> {
    /// Fetches the shader's kernel. `name` is the stage's name in reports.
    pub fn new(
        draw: Draw<'a>,
        name: &'static str,
        shader: Shader,
    ) -> Result<Executor<'a>, StopReason> {
        let kernel = draw.kernels.get(
            draw.base.instruction,
            shader.kernel,
            draw.space,
            draw.watch,
            draw.options,
        )?;
        let bases = MessageBases {
            general: draw.base.general,
            binding_table: draw.base.surface + shader.binding_table,
            surface: draw.base.surface,
            bindless: draw.base.bindless_surface,
            dynamic: draw.base.dynamic,
            dynamic_pages: draw.base.dynamic_pages,
            samplers: shader.samplers,
        };
        if let Some(watch) = draw.watch {
            // Strict mode has one worker, which runs one thread after the other.
            let start = draw.base.general + shader.scratch;
            watch.scratch(start..start + shader.scratch_bytes);
        }
        let mut port = WorkerPort::new(draw.view(Via::Data), bases, draw.wide, 0);
        port.limit(draw.options.strict.then_some(AccessLimits {
            // Threads of hull shaders meet at barriers without a Barrier Enable bit.
            barrier: true,
            scratch: shader.scratch,
            scratch_bytes: shader.scratch_bytes,
            bindless_surfaces: u64::from(draw.base.bindless_surfaces) + 1,
        }));
        Ok(Executor {
            draw,
            name,
            shader,
            port,
            kernel,
            thread: None,
            group: Vec::new(),
            channels: 0,
            threads: 0,
            instructions: 0,
            work: ThreadStatistics::default(),
            full_statistics: draw.options.thread_options().statistics,
            uncharged: 0,
            worker: 0,
            vector_mask: false,
        })
    }

    /// Makes this executor worker `number`, which runs on a host thread of its own: with its own
    /// part of the scratch memory and its own copy of the kernel, so that workers do not contend
    /// for one reference count.
    pub fn set_worker(&mut self, number: u32) {
        self.worker = number;
        self.kernel = std::sync::Arc::new(eu::Kernel::clone(&self.kernel));
    }

    /// What the executor's threads have done, for the profile.
    pub fn work(&self) -> StageWork {
        let kernel = self.draw.base.instruction + self.shader.kernel;
        StageWork {
            stage: self.name,
            kernel,
            shader: match self.draw.options.profile {
                true => {
                    let heap = self.draw.base.instruction;
                    self.draw.kernels.name(heap, self.shader.kernel)
                }
                false => 0,
            },
            threads: self.threads,
            invocations: self.channels,
            messages: self.port.messages,
            statistics: self.work,
        }
    }

    /// The dword of R0 with the scratch pointer, and the code of the per-thread scratch size that
    /// stages put into R0.3.
    pub fn scratch_dwords(&self) -> (u32, u32) {
        let place = self.shader.scratch + u64::from(self.worker) * self.shader.scratch_bytes;
        let code = self
            .shader
            .scratch_bytes
            .checked_ilog2()
            .map_or(0, |log| log - 10);
        (place as u32 & !0x3ff, code)
    }

    fn suspect(&self) -> Suspect<'static> {
        Suspect {
            stage: self.name,
            kernel: self.draw.base.instruction + self.shader.kernel,
            heap: self.draw.base.instruction,
            at: self.draw.at,
        }
    }

    /// True if threads with all channels enabled send the same messages for all pixels of an
    /// object: no message depends on the registers from g1 to before `start`. g0 is the same for
    /// all pixels of an object.
    pub fn is_replayable(&self, start: usize) -> bool {
        !self.draw.options.trace.instructions && self.kernel.has_fixed_messages(1..start)
    }

    /// Statistics of the thread that ran last.
    pub fn executed(&self) -> ThreadStatistics {
        let thread = self.thread.as_ref();
        thread
            .map(|thread| *thread.statistics())
            .unwrap_or_default()
    }

    /// Counts threads that repeat what another thread did, each with `messages` to the render
    /// cache. Returns false if the budget is spent; [`Executor::run`] then reports the error.
    pub fn count_replayed(
        &mut self,
        threads: u32,
        mask: u32,
        executed: &ThreadStatistics,
        messages: usize,
    ) -> bool {
        let spent = executed.instructions * u64::from(threads);
        let uncharged = self.uncharged + spent;
        if uncharged < CHARGE_INTERVAL {
            self.uncharged = uncharged;
        } else if self.draw.budget.spend(uncharged) {
            self.uncharged = 0;
        } else {
            return false;
        }
        self.threads += u64::from(threads);
        self.channels += u64::from(mask.count_ones()) * u64::from(threads);
        self.instructions += spent;
        for _ in 0..threads {
            self.work += executed;
            for _ in 0..messages {
                self.port.messages.add(STAGE_SFIDS[0]);
            }
        }
        true
    }

    /// Runs a thread to its end, with `payload` from g0 on and the channels of `mask` enabled.
    pub fn run(
        &mut self,
        payload: &[u32],
        mask: u32,
        stage: &mut dyn StageFunctions,
    ) -> Result<(), StopReason> {
        let init = ThreadInit {
            cr0: u32::from(self.shader.alternate_floats) | eu::KEEP_HALF_AND_DOUBLE_DENORMALS,
            vector_mask: self.vector_mask,
            ..ThreadInit::default()
        };
        let suspect = self.suspect();
        let thread = match &mut self.thread {
            Some(thread) => {
                thread.reset(&self.kernel, payload, mask, &init);
                thread
            }
            none => none.insert(Thread::new(
                &self.kernel,
                payload,
                mask,
                &init,
                self.draw.options.thread_options(),
            )),
        };
        if self.draw.options.trace.instructions {
            let name = format!("{} thread {}:", self.name, self.threads);
            if let Some(sink) = self.draw.options.trace.thread(name) {
                thread.set_trace(sink);
            }
        }
        let mut units = ThreadFunctions {
            port: &mut self.port,
            stage,
        };
        loop {
            let before = thread.statistics().instructions;
            let exit = thread.run(&mut units, SLICE)?;
            let executed = thread.statistics().instructions;
            self.uncharged += executed - before;
            if !is_within_budget(self.draw.budget, &mut self.uncharged, executed) {
                return Err(self.draw.budget.hang(&suspect, thread, &mut units));
            }
            match exit {
                ThreadExit::Eot => break,
                ThreadExit::Budget => {}
                ThreadExit::Barrier => {
                    // Only threads of tessellation control shaders wait at barriers: see
                    // `run_group`.
                    return Err(StopReason::Unimplemented {
                        what: "a barrier in a thread of the 3D pipeline".into(),
                        at: self.draw.at,
                    });
                }
            }
        }
        self.threads += 1;
        self.channels += u64::from(mask.count_ones());
        let done = thread.statistics();
        self.instructions += done.instructions;
        match self.full_statistics {
            true => self.work += done,
            false => self.work.instructions += done.instructions,
        }
        Ok(())
    }

    /// Runs threads that wait for each other at barriers, such as a patch's instances of a hull
    /// shader: each in turn until it ends or reaches a barrier. `payloads` has one payload for each
    /// thread.
    pub fn run_group(
        &mut self,
        payloads: &[Vec<u32>],
        mask: u32,
        stage: &mut dyn StageFunctions,
    ) -> Result<(), StopReason> {
        let init = ThreadInit {
            cr0: u32::from(self.shader.alternate_floats) | eu::KEEP_HALF_AND_DOUBLE_DENORMALS,
            ..ThreadInit::default()
        };
        for (i, payload) in payloads.iter().enumerate() {
            match self.group.get_mut(i) {
                Some(thread) => thread.reset(&self.kernel, payload, mask, &init),
                None => {
                    let options = self.draw.options.thread_options();
                    self.group
                        .push(Thread::new(&self.kernel, payload, mask, &init, options));
                }
            }
        }
        self.group.truncate(payloads.len());
        let suspect = self.suspect();
        if self.draw.options.trace.instructions {
            for (number, thread) in (self.threads..).zip(&mut self.group) {
                let name = format!("{} thread {number}:", self.name);
                if let Some(sink) = self.draw.options.trace.thread(name) {
                    thread.set_trace(sink);
                }
            }
        }
        self.port.arrived = 0;
        let mut units = ThreadFunctions {
            port: &mut self.port,
            stage,
        };
        let fault = |what: String| StopReason::Fault {
            what,
            at: self.draw.at,
        };
        let mut running = self.group.len();
        let mut states = vec![GroupThreadState::Ready; self.group.len()];
        while running > 0 {
            for (thread, state) in self.group.iter_mut().zip(&mut states) {
                while *state == GroupThreadState::Ready {
                    let before = thread.statistics().instructions;
                    let exit = thread.run(&mut units, SLICE)?;
                    let executed = thread.statistics().instructions;
                    self.uncharged += executed - before;
                    if !is_within_budget(self.draw.budget, &mut self.uncharged, executed) {
                        return Err(self.draw.budget.hang(&suspect, thread, &mut units));
                    }
                    match exit {
                        ThreadExit::Eot => {
                            *state = GroupThreadState::Ended;
                            running -= 1;
                        }
                        ThreadExit::Barrier => *state = GroupThreadState::Waiting,
                        ThreadExit::Budget => {}
                    }
                }
            }
            if running > 0 {
                // All remaining threads wait. They resume once every thread of the group has
                // arrived.
                let arrived = units.port.arrived as usize;
                if arrived < states.len() {
                    let what = format!(
                        "hang: {arrived} of {} threads are at the barrier, the others have ended",
                        states.len()
                    );
                    return Err(fault(what));
                }
                units.port.arrived -= states.len() as u32;
                for (thread, state) in self.group.iter_mut().zip(&mut states) {
                    if *state == GroupThreadState::Waiting {
                        thread.notify();
                        *state = GroupThreadState::Ready;
                    }
                }
            }
        }
        self.threads += self.group.len() as u64;
        self.channels += u64::from(mask.count_ones()) * self.group.len() as u64;
        let spent = self.group.iter().map(|t| t.statistics().instructions);
        self.instructions += spent.sum::<u64>();
        for thread in &self.group {
            self.work += thread.statistics();
        }
        Ok(())
    }
}

/// State of a thread of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GroupThreadState {
    Ready,
    Waiting,
    Ended,
}

/// Charges what the threads of an executor have executed since the last charge, and returns
/// whether the draw, and the thread that has executed so many instructions, may go on.
fn is_within_budget(budget: &Budget, uncharged: &mut u64, executed: u64) -> bool {
    let due = *uncharged >= CHARGE_INTERVAL;
    (!due || budget.spend(std::mem::take(uncharged))) && budget.allows_thread(executed)
}

/// Instructions between two charges to the draw's budget, so that not every short thread touches a
/// shared counter.
const CHARGE_INTERVAL: u64 = 1 << 12;

/// Instructions between two checks of the budgets.
const SLICE: u64 = 1 << 16;
