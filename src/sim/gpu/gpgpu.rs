//! GPGPU_WALKER: runs the workgroups of a dispatch as EU threads.
//!
//! In:  a walker's parameters, an interface descriptor, the CURBE. Out: every thread executed to
//!      its end of thread.
//! Ref: SKL PRM vol. 7, "GPGPU Thread Group Dispatch", "GPGPU Thread Payload".

use crate::budget::{Budget, Suspect};
use crate::dataport::{AccessLimits, MessageBases, WideLock, WorkerPort};
use crate::kernel_cache::KernelCache;
use crate::memory::AddressSpaceView;
use crate::observer::{Via, Watch};
use crate::options::Options;
use crate::profile::MessageCounts;
use crate::rules;
use crate::space::AddressSpace;
use eu::{Kernel, StopReason, Thread, ThreadExit, ThreadInit, ThreadStatistics};
use hw::state::interface_descriptor_data as idd;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

/// Parameters of one dispatch.
#[derive(Clone, Debug)]
pub struct DispatchParams {
    /// Address of the walker command, for error messages.
    pub address: u64,
    /// SIMD width of a thread: 8, 16 or 32 channels.
    pub simd: u32,
    /// ID of the first workgroup in x, y, z.
    pub first_group: [u32; 3],
    /// One past the last workgroup.
    pub end_group: [u32; 3],
    /// Threads of a workgroup along width, height and depth.
    pub counters: [u32; 3],
    /// Execution mask of the last thread of a row.
    pub right_mask: u32,
    /// Execution mask of the threads of the last row.
    pub bottom_mask: u32,
    /// The interface descriptor.
    pub descriptor: [u32; 8],
    /// Base addresses.
    pub bases: MessageBases,
    /// Number of surfaces in the bindless heap.
    pub bindless_surfaces: u64,
    /// Instruction base address.
    pub instruction_base: u64,
    /// Constants in the threads' payloads.
    pub constants: DispatchConstants,
    /// Scratch pointer, relative to the general state base, and bytes for each thread.
    pub scratch: (u64, u64),
    /// Number of threads that may run concurrently; scratch memory is allocated for as many.
    pub max_threads: u32,
}

/// Constants of a dispatch, in dwords: those that all threads share, then those of each thread.
#[derive(Clone, Debug)]
pub enum DispatchConstants {
    /// Loaded by MEDIA_CURBE_LOAD: the payload holds the shared constants first.
    Curbe(Vec<u32>),
    /// The walker's indirect data: the payload holds the per-thread constants first.
    Indirect(Vec<u32>),
}

impl DispatchConstants {
    /// Payload of thread `index` from g1 on. `from`: first dword; `shared`: number of shared
    /// dwords; `own`: number of dwords for each thread.
    fn registers(&self, from: usize, shared: usize, own: usize, index: usize) -> Vec<u32> {
        let (DispatchConstants::Curbe(data) | DispatchConstants::Indirect(data)) = self;
        let part = |from: usize, dwords: usize| {
            (from..from + dwords).map(|at| data.get(at).copied().unwrap_or(0))
        };
        let shared_part = part(from, shared);
        let own_part = part(from + shared + index * own, own);
        match self {
            DispatchConstants::Curbe(_) => shared_part.chain(own_part).collect(),
            DispatchConstants::Indirect(_) => own_part.chain(shared_part).collect(),
        }
    }
}

/// Totals of a dispatch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DispatchCounters {
    /// Number of threads.
    pub threads: u64,
    /// Number of channels that the execution masks enable.
    pub invocations: u64,
    /// Number of instructions, over all threads.
    pub instructions: u64,
    /// Messages.
    pub messages: MessageCounts,
    /// Instructions by class, if profiling is on.
    pub statistics: ThreadStatistics,
}

impl DispatchParams {
    /// Returns the address of the instruction heap and the kernel's offset in it.
    pub fn heap_and_start(&self) -> (u64, u64) {
        let start = idd::KERNEL_START_POINTER.get(&self.descriptor);
        (self.instruction_base, start)
    }

    /// Address of the kernel.
    pub fn kernel(&self) -> u64 {
        let (heap, start) = self.heap_and_start();
        heap + start
    }

    /// Execution mask of thread `index` of a workgroup.
    fn mask(&self, index: u32) -> u32 {
        let [width, height, _] = self.counters;
        let mut mask = u32::MAX >> (32 - self.simd);
        if index % width + 1 == width {
            mask &= self.right_mask;
        }
        if index / width % height + 1 == height {
            mask &= self.bottom_mask;
        }
        mask
    }

    /// Number of enabled channels of a workgroup.
    fn group_invocations(&self) -> u64 {
        let threads = 0..self.counters.iter().product();
        threads.map(|i| u64::from(self.mask(i).count_ones())).sum()
    }

    /// Size of the dispatch, as text for the profile.
    pub fn extent(&self) -> String {
        let [x, y, z] = [0, 1, 2].map(|i| self.end_group[i].saturating_sub(self.first_group[i]));
        let threads: u32 = self.counters.iter().product();
        format!("{x} x {y} x {z} groups of {threads} SIMD{}", self.simd)
    }
}

/// Maximum number of threads of a workgroup on any device.
const MAX_GROUP_THREADS: u32 = 128;

/// Instructions that a thread executes before the next thread of its workgroup runs and the budgets
/// are checked.
const TIME_SLICE: u64 = 1 << 16;

/// Bytes of shared local memory by the descriptor's code (SKL: 0, 1, 2, 4 … 64 KiB).
fn slm_bytes(code: u64) -> usize {
    match code {
        0 => 0,
        n => 1024 << (n - 1).min(6),
    }
}

/// A running dispatch, shared by all workers.
struct DispatchJob<'a> {
    dispatch: &'a DispatchParams,
    space: &'a AddressSpace,
    kernel: Arc<Kernel>,
    options: &'a Options,
    watch: Option<&'a dyn Watch>,
    wide: WideLock,
    next_group: AtomicU64,
    groups: u64,
    /// Instructions left before the batch counts as a hang.
    budget: &'a Budget,
    stopped: AtomicBool,
    failure: Mutex<Option<StopReason>>,
}

/// Instructions that the first worker executes before it wakes others: waking them takes about as
/// long.
const MIN_PARALLEL_INSTRUCTIONS: u64 = 1 << 11;

/// Runs a dispatch to its end.
pub fn run(
    dispatch: &DispatchParams,
    space: &AddressSpace,
    options: &Options,
    kernels: &KernelCache,
    budget: &Budget,
    watch: Option<&dyn Watch>,
) -> Result<DispatchCounters, StopReason> {
    let size = |i: usize| u64::from(dispatch.end_group[i].saturating_sub(dispatch.first_group[i]));
    let groups = size(0)
        .checked_mul(size(1))
        .and_then(|n| n.checked_mul(size(2)));
    let Some(groups) = groups else {
        return Err(StopReason::Fault {
            what: "more workgroups than can ever be run".into(),
            at: dispatch.address,
        });
    };
    if groups == 0 {
        return Ok(DispatchCounters::default());
    }
    let group_threads: u32 = dispatch.counters.iter().product();
    if group_threads > MAX_GROUP_THREADS {
        return Err(StopReason::Fault {
            what: format!("a workgroup of {group_threads} threads"),
            at: dispatch.address,
        });
    }
    let kernel = kernels.get(
        dispatch.instruction_base,
        idd::KERNEL_START_POINTER.get(&dispatch.descriptor),
        space,
        watch,
        options,
    )?;
    let job = DispatchJob {
        dispatch,
        space,
        kernel,
        options,
        watch,
        wide: Mutex::new(()),
        next_group: AtomicU64::new(0),
        groups,
        budget,
        stopped: AtomicBool::new(false),
        failure: Mutex::new(None),
    };
    // A worker runs whole workgroups, and each thread of a workgroup has its own scratch memory.
    let slots = (dispatch.max_threads / group_threads).max(1) as usize;
    let workers = (options.workers() as u64)
        .min(groups)
        .min(slots as u64)
        .max(1) as usize;
    if let Some(watch) = watch {
        let start = dispatch.bases.general + dispatch.scratch.0;
        let bytes = dispatch.scratch.1 * u64::from(dispatch.max_threads);
        watch.begin(dispatch.address);
        watch.scratch(start..start + bytes);
    }
    // Most dispatches are too small to be worth waking other workers.
    let mut counters = job.run_groups(
        0,
        if workers == 1 {
            u64::MAX
        } else {
            MIN_PARALLEL_INSTRUCTIONS
        },
    );
    if job.next_group.load(Relaxed) < groups && !job.stopped.load(Relaxed) {
        let mut all: Vec<usize> = (0..workers).collect();
        let parts = options.pool.each(options.workers(), &mut all, |_, worker| {
            job.run_groups(*worker, u64::MAX)
        });
        for part in parts {
            counters.threads += part.threads;
            counters.invocations += part.invocations;
            counters.instructions += part.instructions;
            counters.messages += part.messages;
            counters.statistics += &part.statistics;
        }
    }
    if let Some(watch) = watch {
        watch.end();
    }
    match job.failure.into_inner().unwrap_or_else(|e| e.into_inner()) {
        Some(stop) => Err(stop),
        None => Ok(counters),
    }
}

impl DispatchJob<'_> {
    /// Runs workgroups until none is left, or until this worker has executed `max_instructions`.
    fn run_groups(&self, worker: usize, max_instructions: u64) -> DispatchCounters {
        let mut counters = DispatchCounters::default();
        let descriptor = &self.dispatch.descriptor;
        let slm = slm_bytes(idd::SHARED_LOCAL_MEMORY_SIZE.get(descriptor));
        let view = AddressSpaceView::watched(self.space, self.watch, Via::Data);
        let mut port = WorkerPort::new(view, self.dispatch.bases, &self.wide, slm);
        port.limit(self.options.strict.then_some(AccessLimits {
            barrier: idd::BARRIER_ENABLE.get(descriptor) == 1,
            scratch: self.dispatch.scratch.0,
            scratch_bytes: self.dispatch.scratch.1,
            bindless_surfaces: self.dispatch.bindless_surfaces,
        }));
        let mut threads: Vec<Thread> = Vec::new();
        while counters.instructions < max_instructions && !self.stopped.load(Relaxed) {
            let group = self.next_group.fetch_add(1, Relaxed);
            if group >= self.groups {
                break;
            }
            match self.run_group(worker, group, &mut port, &mut threads) {
                Ok(instructions) => {
                    counters.threads += threads.len() as u64;
                    counters.invocations += self.dispatch.group_invocations();
                    counters.instructions += instructions;
                    for thread in threads.iter().filter(|_| self.options.profile) {
                        counters.statistics += thread.statistics();
                    }
                }
                Err(stop) => {
                    self.stopped.store(true, Relaxed);
                    let mut failure = self.failure.lock().unwrap_or_else(|e| e.into_inner());
                    failure.get_or_insert(stop);
                }
            }
        }
        counters.messages = port.messages;
        counters
    }

    /// Runs one workgroup: its threads in turn, each until it ends or waits at the barrier. Returns
    /// the number of instructions.
    fn run_group(
        &self,
        worker: usize,
        group: u64,
        port: &mut WorkerPort<'_>,
        threads: &mut Vec<Thread>,
    ) -> Result<u64, StopReason> {
        let count = self.start_threads(worker, group, threads)?;
        port.slm.fill(0);
        port.arrived = 0;
        let mut done = vec![false; count];
        let mut left = count;
        let mut waiting = vec![false; count];
        while left > 0 {
            let mut progress = false;
            for i in 0..count {
                if done[i] || waiting[i] {
                    continue;
                }
                progress = true;
                self.check_stopped()?;
                let before = threads[i].statistics().instructions;
                let exit = threads[i].run(port, TIME_SLICE)?;
                let executed = threads[i].statistics().instructions;
                let allowed = self.budget.allows_thread(executed);
                if !self.budget.spend(executed - before) || !allowed {
                    let suspect = Suspect {
                        stage: "CS",
                        kernel: self.dispatch.kernel(),
                        heap: self.dispatch.instruction_base,
                        at: self.dispatch.address,
                    };
                    return Err(self.budget.hang(&suspect, &mut threads[i], port));
                }
                match exit {
                    ThreadExit::Eot => {
                        done[i] = true;
                        left -= 1;
                    }
                    ThreadExit::Barrier => waiting[i] = true,
                    ThreadExit::Budget => {}
                }
            }
            // Threads that have ended count as arrived at the barrier.
            if port.arrived > 0 && port.arrived as usize >= count {
                port.arrived -= count as u32;
                for (i, thread) in threads.iter_mut().enumerate().take(count) {
                    if !done[i] {
                        thread.notify();
                        waiting[i] = false;
                    }
                }
            } else if !progress {
                return Err(StopReason::Fault {
                    what: format!(
                        "a workgroup hangs: {} of {count} threads are at the barrier, {} have ended",
                        port.arrived,
                        count - left
                    ),
                    at: self.dispatch.address,
                });
            }
        }
        let instructions = threads
            .iter()
            .take(count)
            .map(|t| t.statistics().instructions);
        Ok(instructions.sum())
    }

    /// Stops where a thread on another host thread has failed.
    fn check_stopped(&self) -> Result<(), StopReason> {
        if self.stopped.load(Relaxed) {
            return Err(StopReason::Fault {
                what: "the dispatch was stopped".into(),
                at: self.dispatch.address,
            });
        }
        Ok(())
    }

    /// Creates the threads of a workgroup in `threads`; returns their number.
    fn start_threads(
        &self,
        worker: usize,
        group: u64,
        threads: &mut Vec<Thread>,
    ) -> Result<usize, StopReason> {
        let d = self.dispatch;
        let descriptor = &d.descriptor;
        let count = d.counters.iter().product::<u32>() as usize;
        let expected = idd::NUMBER_OF_THREADS_IN_GPGPU_THREAD_GROUP.get(descriptor) as usize;
        if self.options.strict && count != expected {
            let what = format!("{count} threads by the walker, {expected} by the descriptor");
            return Err(rules::WALKER_THREADS.stop(what, d.address));
        }
        let (sx, sy) = (
            u64::from(d.end_group[0] - d.first_group[0]),
            u64::from(d.end_group[1] - d.first_group[1]),
        );
        let id = [
            d.first_group[0] + (group % sx) as u32,
            d.first_group[1] + (group / sx % sy) as u32,
            d.first_group[2] + (group / (sx * sy)) as u32,
        ];
        let cross = idd::CROSS_THREAD_CONSTANT_DATA_READ_LENGTH.get(descriptor) as usize * 8;
        let per_thread = idd::CONSTANT_URB_ENTRY_READ_LENGTH.get(descriptor) as usize * 8;
        let read_offset = idd::CONSTANT_URB_ENTRY_READ_OFFSET.get(descriptor) as usize * 8;
        // Bit 0 selects IEEE or alternate floating-point mode.
        let init = ThreadInit {
            cr0: idd::FLOATING_POINT_MODE.get(descriptor) as u32
                | (idd::ROUNDING_MODE.get(descriptor) as u32) << 4
                | eu::KEEP_HALF_AND_DOUBLE_DENORMALS,
            ..ThreadInit::default()
        };
        for index in 0..count {
            let i = index as u32;
            let mask = d.mask(i);
            let slot = (worker * count + index) as u64;
            let mut payload = [0u32; 8];
            payload[0] = i;
            payload[1] = id[0];
            payload[2] = 0;
            let scratch_code = d.scratch.1.checked_ilog2().map_or(0, |log| log - 10);
            payload[3] = d.bases.samplers as u32 | scratch_code;
            payload[4] = idd::BINDING_TABLE_POINTER.get(descriptor) as u32;
            payload[5] = (d.scratch.0 + slot * d.scratch.1) as u32 & !0x3ff | slot as u32 & 0x1ff;
            payload[6] = id[1];
            payload[7] = id[2];
            let mut registers = payload.to_vec();
            registers.extend(d.constants.registers(read_offset, cross, per_thread, index));
            let options = self.options.thread_options();
            match threads.get_mut(index) {
                Some(thread) => thread.reset(&self.kernel, &registers, mask, &init),
                None => threads.push(Thread::new(&self.kernel, &registers, mask, &init, options)),
            }
            let name = || format!("cs {},{},{} thread {i}:", id[0], id[1], id[2]);
            if self.options.trace.instructions
                && let Some(thread) = threads.get_mut(index)
                && let Some(sink) = self.options.trace.thread(name())
            {
                thread.set_trace(sink);
            }
        }
        threads.truncate(count);
        Ok(count)
    }
}

#[cfg(test)]
mod tests;
