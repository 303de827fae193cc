//! The command streamer: fetches the commands of a batch and executes them.
//!
//! In:  a batch's address, a context. Out: memory and context changed, a [`BatchReport`].
//! Ref: SKL PRM vol. 2a (commands), vol. 3 "Command Streamer".

use crate::budget::Budget;
use crate::context::HwContext;
use crate::fate;
use crate::gpgpu;
use crate::memory::AddressSpaceView;
use crate::observer::{Via, Watch};
use crate::options::Options;
use crate::pipe_control_stats::ExecutedPipeControl;
use crate::profile::{StageWork, WorkProfile};
use crate::resolve_tracking::ResolveTracker;
use crate::rules;
use crate::space::{ADDRESS_MASK, AddressSpace};
use crate::strict::caches::Log;
use crate::strict::scratch;
use crate::strict::tracker::Tracker;
use crate::target_images::DrawnTargets;
use eu::StopReason;
use hw::batch::length_dw;
use hw::{Device, Packet, Wa};
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// Totals of a batch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BatchReport {
    /// Number of commands executed.
    pub commands: u64,
    /// Number of dispatches and draws.
    pub dispatches: u64,
    /// Number of EU threads.
    pub threads: u64,
    /// Number of EU instructions.
    pub instructions: u64,
    /// Number of messages.
    pub messages: u64,
    /// The cost of each dispatch and draw, if [`Options::profile`] is set.
    pub work: Vec<WorkProfile>,
    /// In strict mode: which flags of each PIPE_CONTROL were necessary.
    pub controls: Vec<ExecutedPipeControl>,
}

/// A simulated GPU.
pub struct Gpu {
    pub(super) device: &'static Device,
    pub(super) options: Options,
    epoch: Instant,
    pub(super) kernels: crate::kernel_cache::KernelCache,
    /// In strict mode: unresolved depth and colour slices.
    unresolved: Arc<Mutex<ResolveTracker>>,
}

/// Control flow after a command.
pub(super) enum Flow {
    /// Continue with the next command.
    Continue,
    /// Continue at this address; `call`: return when that batch ends.
    Jump { to: u64, call: bool },
    /// End of this batch level.
    End,
}

/// Commands that MI_SET_PREDICATE does not skip. MI_BATCH_BUFFER_START has a predication bit of its
/// own.
fn ignores_predicate(packet: &Packet) -> bool {
    use hw::mi;
    let exempt = [
        &mi::mi_set_predicate::PACKET,
        &mi::mi_batch_buffer_start::PACKET,
        &mi::mi_batch_buffer_end::PACKET,
        &mi::mi_conditional_batch_buffer_end::PACKET,
    ];
    exempt.iter().any(|other| std::ptr::eq(*other, packet))
}

/// A batch that is being executed.
pub(super) struct BatchRun<'a> {
    pub(super) gpu: &'a Gpu,
    pub(super) context: &'a mut HwContext,
    pub(super) space: &'a AddressSpace,
    pub(super) view: AddressSpaceView<'a>,
    pub(super) report: BatchReport,
    /// Checks of strict mode.
    pub(super) tracker: Option<Tracker<'a>>,
    /// Instructions that its threads may still execute.
    pub(super) budget: Budget,
    /// Receives the accesses of units, in strict mode.
    pub(super) watch: Option<&'a dyn Watch>,
    /// Render targets that were not output yet.
    pub(super) drawn_targets: DrawnTargets,
}

/// Length in dwords up to which a command's words are kept without an allocation.
const SHORT_COMMAND: usize = 64;

impl Gpu {
    /// A GPU of this kind.
    pub fn new(device: &'static Device, options: Options) -> Gpu {
        Gpu {
            device,
            options: Options {
                hw_gen: device.hw_gen,
                kernel_errata: eu::KernelErrata::of_device(device, options.lenient),
                ..options
            },
            epoch: Instant::now(),
            kernels: crate::kernel_cache::KernelCache::default(),
            unresolved: Arc::default(),
        }
    }

    /// The device that is simulated.
    pub fn device(&self) -> &'static Device {
        self.device
    }

    /// The options it runs with.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The timestamp counter, in ticks of the device's frequency, 36 bits.
    pub fn timestamp(&self) -> u64 {
        let ticks = self.epoch.elapsed().as_nanos() * u128::from(self.device.timestamp_hz);
        (ticks / 1_000_000_000) as u64 & 0xf_ffff_ffff
    }

    /// Executes the batch at `start`, at most `len_bytes` long (0: to its MI_BATCH_BUFFER_END).
    ///
    /// # Errors
    /// Faults and hangs of the machine, what the PRM leaves undefined (in strict mode),
    /// and gaps of the simulator; memory and context keep what was done before.
    pub fn execute(
        &self,
        context: &mut HwContext,
        space: &AddressSpace,
        start: u64,
        len_bytes: u64,
    ) -> Result<BatchReport, StopReason> {
        let log = self.options.strict.then(|| {
            let unresolved = Arc::clone(&self.unresolved);
            let mut log = Log::with_resolve_tracker(unresolved, space, self.options.stale);
            log.lenient = self.options.lenient;
            log
        });
        let watch = log.as_ref().map(|log| log as &dyn Watch);
        // The application may change memory between batches.
        context.draw.committed_constants = Default::default();
        context.draw.hw_gen = self.device.hw_gen;
        context.draw.narrow_tiled_targets = self.device.needs(Wa::NoTiledTargetsOver16382);
        let mut run = BatchRun {
            gpu: self,
            context,
            space,
            view: AddressSpaceView::watched(space, watch, Via::Commands),
            report: BatchReport::default(),
            tracker: log.as_ref().map(Tracker::new),
            budget: Budget::new(self.options.instruction_limits),
            watch,
            drawn_targets: DrawnTargets::default(),
        };
        let ended = run.batch(start, len_bytes);
        // Draws before an error are output, too.
        if let Some(sink) = &self.options.targets {
            run.drawn_targets.show(space, sink);
        }
        let mut report = run.report;
        if let Some(tracker) = run.tracker {
            report.controls = tracker.controls;
        }
        ended.map(|()| report)
    }
}

impl BatchRun<'_> {
    fn batch(&mut self, start: u64, len_bytes: u64) -> Result<(), StopReason> {
        let mut at = start & ADDRESS_MASK;
        let mut end = (len_bytes != 0).then(|| at.saturating_add(len_bytes));
        // Return address of a second-level batch. There is only one: "there is no stack in
        // hardware" (SKL PRM vol. 2a, MI_BATCH_BUFFER_START, Second Level Batch Buffer).
        let mut caller: Option<(u64, Option<u64>)> = None;
        loop {
            if end.is_some_and(|end| at >= end) {
                return Err(StopReason::Fault {
                    what: "the batch ends without MI_BATCH_BUFFER_END".into(),
                    at,
                });
            }
            self.report.commands += 1;
            if self.report.commands > self.gpu.options.command_budget {
                return Err(StopReason::Fault {
                    what: format!(
                        "hang: the batch did not end after {} commands",
                        self.report.commands
                    ),
                    at,
                });
            }
            let (next, length) = self.command(at)?;
            let after = (at + length as u64 * 4) & ADDRESS_MASK;
            match next {
                Flow::Continue => at = after,
                Flow::Jump { to, call } => {
                    match (call, caller) {
                        (true, None) => caller = Some((after, end)),
                        // A second-level batch that starts another one chains to it: the first
                        // return address stays.
                        (true, Some(_)) | (false, None) => {}
                        (false, Some(_)) => {
                            let what: String =
                                "a second-level batch starts a first-level one".into();
                            return Err(rules::MI_BATCH_LEVEL.stop(what, at));
                        }
                    }
                    end = None;
                    at = to;
                }
                Flow::End => match caller.take() {
                    Some((back, outer)) => {
                        at = back;
                        end = outer;
                    }
                    None => return Ok(()),
                },
            }
        }
    }

    /// Executes the command at `at`; returns its length in dwords.
    fn command(&mut self, at: u64) -> Result<(Flow, usize), StopReason> {
        let first = self.view.read(at)?;
        let packet = hw::batch::find_packet(first, self.gpu.device.hw_gen);
        let length = packet
            .map_or_else(|| length_dw(first), |p| p.length(first))
            .max(1);
        let Some(packet) = packet else {
            return Err(StopReason::Fault {
                what: format!("unknown command {first:#010x}"),
                at,
            });
        };
        fate::length::check(packet, length, at)?;
        let (mut short, mut long) = ([0; SHORT_COMMAND], Vec::new());
        let words = match short.get_mut(..length) {
            Some(words) => words,
            None => {
                long.resize(length, 0);
                &mut long[..]
            }
        };
        self.view.read_block(at, words)?;
        let words = &words[..];
        self.gpu.options.trace.command(words, packet, at);
        self.check_length(packet, length, at)?;
        if let Some(tracker) = &mut self.tracker {
            tracker.command(packet, words, self.context, self.gpu.device, at)?;
            if std::ptr::eq(packet, &hw::draw::primitive::PACKET) {
                scratch::check_draw(self.context, self.space, self.gpu.device, at)?;
            }
        }
        if self.context.skips_commands && !ignores_predicate(packet) {
            return Ok((Flow::Continue, length));
        }
        fate::check(packet, words, self.gpu.options.strict, at)?;
        let next = match first >> 29 {
            0 => self.mi(packet, words, at)?,
            _ => self.pipeline(packet, words, at)?,
        };
        Ok((next, length))
    }

    fn check_length(&self, packet: &Packet, length: usize, at: u64) -> Result<(), StopReason> {
        let short = packet.dwords != 0 && length < usize::from(packet.dwords);
        // Commands with several forms may be longer than their shortest form.
        if short && self.gpu.options.strict {
            let what = format!(
                "{} of {length} dwords instead of {}",
                packet.name, packet.dwords
            );
            return Err(rules::COMMAND_LENGTH.stop(what, at));
        }
        Ok(())
    }

    pub(super) fn dispatch(&mut self, dispatch: &gpgpu::DispatchParams) -> Result<(), StopReason> {
        let started = Instant::now();
        self.budget.begin_command();
        let counters = gpgpu::run(
            dispatch,
            self.space,
            &self.gpu.options,
            &self.gpu.kernels,
            &self.budget,
            self.watch,
        )?;
        if self.gpu.options.profile {
            let stage = StageWork {
                stage: "CS",
                kernel: dispatch.kernel(),
                shader: {
                    let (heap, start) = dispatch.heap_and_start();
                    self.gpu.kernels.name(heap, start)
                },
                threads: counters.threads,
                invocations: counters.invocations,
                messages: counters.messages,
                statistics: counters.statistics,
            };
            self.report.work.push(WorkProfile {
                command: "GPGPU_WALKER",
                submission: 0,
                extent: dispatch.extent(),
                address: dispatch.address,
                stages: vec![stage],
                host: started.elapsed(),
            });
        }
        self.report.dispatches += 1;
        self.report.threads += counters.threads;
        self.report.instructions += counters.instructions;
        self.report.messages += counters.messages.total();
        self.context.invocations += counters.invocations;
        Ok(())
    }
}
