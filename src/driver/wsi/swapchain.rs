//! Swapchains: the state of each image, and the thread that presents.
//!
//! In:  rendered images, in the order in which they are presented. Out: images that may be rendered
//!      to.
//!
//! An image belongs to the application from its acquisition to its presentation. Then the
//! swapchain's thread passes it to the window system, which shows it: in place, as soon as its
//! rendering is submitted, or as a copy, once its rendering is complete. It may be acquired again
//! once the window system releases it; the acquisition waits until the GPU no longer reads the
//! image for the screen.
//! Ref: Vulkan specification, "WSI Swapchain".

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use vk::sync::SyncPoint;

use crate::error::{Error, Result};
use crate::frame::{Frame, ImageDescription};
use crate::present::{
    AlphaMode, GpuNodes, HdrMetadata, PixelSource, PresentMode, Presenter, Refresh, SwapchainFit,
    Waker,
};
use crate::render_times::RenderTimes;
use crate::schedule::{Schedule, Target};
use crate::surface::Surface;
use crate::timeline::DeviceTimelines;
use crate::timing::{ReportFilter, TimedPresent, TimingQueue, TimingReport, stage};

/// An image as the thread reads it.
pub type Image = Arc<dyn PixelSource + Send + Sync>;

/// A `VkSwapchainKHR`, except for the handles of its images.
pub struct Swapchain {
    shared: Arc<SharedState>,
    surface: Arc<Surface>,
    thread: Option<std::thread::JoinHandle<()>>,
}

/// The state that the application's threads and the swapchain's thread share.
struct SharedState {
    context: Arc<vk::context::Context>,
    images: Vec<Image>,
    state: Mutex<State>,
    /// Notifies the application's threads of changes of the state.
    changed: Condvar,
    /// Wakes the swapchain's thread.
    wake: Waker,
}

struct State {
    /// Images that may be acquired, the one released first at the front.
    free: VecDeque<u32>,
    /// Presented images that the thread has not shown yet.
    queued: VecDeque<QueuedPresent>,
    /// The thread is showing an image.
    busy: bool,
    fit: SwapchainFit,
    /// The present mode of the images that are presented next.
    mode: PresentMode,
    /// The HDR metadata of the images that are presented next, if they are set.
    metadata: Option<HdrMetadata>,
    /// The error that error the swapchain.
    error: Option<Error>,
    /// A newer swapchain uses the surface.
    retired: bool,
    /// The highest present ID shown.
    shown: u64,
    /// Number of threads that wait for a present ID.
    waiters: u32,
    /// An acquisition has found no free image.
    image_wanted: bool,
    /// The swapchain is being destroyed.
    stop: bool,
    /// Number of presents so far.
    presents: u64,
    /// The timing of presents, if it is enabled.
    timing: Option<TimingState>,
    /// The refreshes of the display.
    refresh: Refresh,
    /// Number of changes of `refresh`, counted from 1.
    refresh_changes: u64,
}

/// The timing of presents.
struct TimingState {
    queue: TimingQueue,
    render_times: RenderTimes,
    /// The point at which the rendering of the last present is complete.
    last_point: Option<SyncPoint>,
}

/// How one image is presented.
#[derive(Clone, Copy, Debug, Default)]
pub struct PresentOptions {
    /// Present ID, or 0. Others must increase.
    pub id: u64,
    /// The present mode of this image and later ones, if it changes.
    pub mode: Option<PresentMode>,
    /// When it is to be shown. Only first-in-first-out modes have such times.
    pub target: Option<Target>,
}

/// The refreshes of a swapchain's display.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefreshState {
    /// What is known now.
    pub refresh: Refresh,
    /// A number that increases with each change.
    pub counter: u64,
}

/// A presented image.
struct QueuedPresent {
    index: u32,
    /// Its number among the presents of the swapchain, counted from 1.
    number: u64,
    /// Signalled when its rendering is complete.
    point: SyncPoint,
    /// Its present ID, or 0.
    id: u64,
    /// Its present mode.
    mode: PresentMode,
    /// When it is to be shown.
    target: Option<Target>,
    /// Its HDR metadata, if they are set.
    metadata: Option<HdrMetadata>,
}

/// Images passed to the window system and not shown yet: their number, counted from 1, and their
/// present IDs.
type PendingPresents = VecDeque<(u64, u64)>;

/// The next action of the thread.
enum Work {
    Show(QueuedPresent, PresentMode),
    /// Waits for events of the window system.
    WaitEvents,
    /// Waits for the application.
    Sleep,
    End,
}

/// The images of a swapchain, and their presenter.
type ImagesAndPresenter = (Vec<Arc<Frame>>, Box<dyn Presenter>);

/// Creates images and their presenter: shared with the window system if it accepts that, else with
/// copies.
fn create_images_and_presenter(
    context: &Arc<vk::context::Context>,
    surface: &Surface,
    description: &ImageDescription,
    count: u32,
    alpha: AlphaMode,
    rendered: &Arc<i915::Syncobj>,
) -> Result<ImagesAndPresenter> {
    let physical = &context.physical;
    let [width, height] = description.extent_px;
    let gpu = GpuNodes::new(physical);
    if !gpu.nodes.is_empty() {
        let modifiers = surface.modifiers(&gpu, description.format, alpha)?;
        let frames =
            (0..count).map(|_| Frame::shared(context, description, &modifiers).map(Arc::new));
        if let Some(frames) = frames.collect::<Option<Vec<_>>>() {
            let shared = frames.iter().filter_map(|frame| frame.export().transpose());
            let shared = shared.collect::<Result<Vec<_>>>()?;
            let modifier = shared.first().map_or(0, |image| image.modifier);
            let timelines = DeviceTimelines {
                context: context.clone(),
                rendered: rendered.clone(),
            };
            let presenter = surface.direct_presenter(description, alpha, shared, &timelines)?;
            if let Some(presenter) = presenter {
                physical.diagnosis().log(debug::Flag::Perf, || {
                    format!("window {width}x{height}: shows images of modifier {modifier:#x}\n")
                });
                return Ok((frames, presenter));
            }
        }
    }
    let presenter = surface.copying_presenter(description, alpha)?;
    physical.diagnosis().log(debug::Flag::Perf, || {
        format!("window {width}x{height}: shows copies of images\n")
    });
    let frames = (0..count).map(|_| Frame::new(context, description).map(Arc::new));
    Ok((frames.collect::<Result<_>>()?, presenter))
}

/// An acquired image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AcquiredImage {
    /// Its index.
    pub index: u32,
    /// How well the swapchain fits the window.
    pub fit: SwapchainFit,
}

impl SharedState {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Swapchain {
    /// A swapchain of at least `count` images, which retires `old`. It begins with the first of its
    /// modes, and can change to the others. `rendered`: the timeline of the points that are passed
    /// to [`Swapchain::present`].
    pub fn new(
        context: &Arc<vk::context::Context>,
        surface: &Arc<Surface>,
        description: &ImageDescription,
        count: u32,
        modes: &[PresentMode],
        alpha: AlphaMode,
        rendered: &Arc<i915::Syncobj>,
        old: Option<&Swapchain>,
    ) -> Result<(Self, Vec<Arc<Frame>>)> {
        if let Some(old) = old {
            old.retire();
        }
        if !surface.color_spaces()?.contains(&description.color_space) {
            return Err(Error::Device(vk::Error::FormatNotSupported));
        }
        surface.claim()?;
        let needed = modes.iter().map(|&mode| surface.min_images(mode));
        let count = needed.fold(count, u32::max);
        let mode = modes.first().copied().unwrap_or(PresentMode::Fifo);
        let result =
            create_images_and_presenter(context, surface, description, count, alpha, rendered)
                .and_then(|(frames, presenter)| {
                    let images = frames.iter().map(|frame| frame.clone() as Image).collect();
                    Ok((
                        Self::with_images(context, surface, images, mode, presenter)?,
                        frames,
                    ))
                });
        if result.is_err() {
            surface.release();
        }
        result
    }

    /// A swapchain of these images, with its thread.
    fn with_images(
        context: &Arc<vk::context::Context>,
        surface: &Arc<Surface>,
        images: Vec<Image>,
        mode: PresentMode,
        presenter: Box<dyn Presenter>,
    ) -> Result<Self> {
        let shared = Arc::new(SharedState {
            context: context.clone(),
            state: Mutex::new(State {
                free: (0..images.len() as u32).collect(),
                queued: VecDeque::new(),
                busy: false,
                fit: SwapchainFit::Optimal,
                mode,
                metadata: None,
                error: None,
                retired: false,
                shown: 0,
                waiters: 0,
                image_wanted: false,
                stop: false,
                presents: 0,
                timing: None,
                refresh: presenter.refresh(),
                refresh_changes: 1,
            }),
            images,
            changed: Condvar::new(),
            wake: Waker::new().map_err(|_| vk::Error::TooManyObjects {
                what: "file descriptors",
            })?,
        });
        let worker = shared.clone();
        let thread = std::thread::Builder::new()
            .name("ingot-present".into())
            .spawn(move || worker.run(presenter));
        let thread = thread.map_err(|_| vk::Error::OutOfHostMemory {
            what: "the swapchain's thread",
        })?;
        Ok(Self {
            shared,
            surface: surface.clone(),
            thread: Some(thread),
        })
    }

    /// Releases the surface after the presented images are shown.
    fn retire(&self) {
        let mut state = self.shared.state();
        if !std::mem::replace(&mut state.retired, true) {
            self.surface.release();
        }
        self.shared.wake.wake();
        // Otherwise the images of both swapchains could be shown in any order.
        while state.error.is_none() && (state.busy || !state.queued.is_empty()) {
            state = self.wait(state, None);
        }
        drop(state);
        self.shared.changed.notify_all();
    }

    /// Waits for a change of the state, or until `time` has passed.
    fn wait<'a>(
        &self,
        state: MutexGuard<'a, State>,
        time: Option<Duration>,
    ) -> MutexGuard<'a, State> {
        let changed = &self.shared.changed;
        match time {
            None => changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            Some(time) => {
                let waited = changed.wait_timeout(state, time);
                waited.unwrap_or_else(PoisonError::into_inner).0
            }
        }
    }

    /// Acquires an image, within `timeout_ns`. Returns none if none became free in that time.
    pub fn acquire(&self, timeout_ns: u64) -> Result<Option<AcquiredImage>> {
        let deadline = Instant::now().checked_add(Duration::from_nanos(timeout_ns));
        let mut state = self.shared.state();
        loop {
            if let Some(error) = &state.error {
                return Err(error.clone());
            }
            if state.retired {
                return Err(Error::Retired);
            }
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            if let Some(index) = state.free.pop_front() {
                let fit = state.fit;
                drop(state);
                return Ok(self
                    .reclaim(index, left)?
                    .then_some(AcquiredImage { index, fit }));
            }
            if !std::mem::replace(&mut state.image_wanted, true) {
                self.shared.wake.wake();
            }
            if left == Some(Duration::ZERO) {
                return Ok(None);
            }
            state = self.wait(state, left);
        }
    }

    /// Waits until the image is no longer read for the screen. If `time` does not suffice, the
    /// image stays the next to be acquired.
    fn reclaim(&self, index: u32, time: Option<Duration>) -> Result<bool> {
        let Some(image) = self.shared.images.get(index as usize) else {
            return Ok(true);
        };
        let ns = time.map_or(u64::MAX, |time| {
            u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
        });
        let reclaimed = image.reclaim(ns);
        if !matches!(reclaimed, Ok(true)) {
            self.shared.state().free.push_front(index);
            self.shared.changed.notify_all();
        }
        reclaimed
    }

    /// Waits until an image with this present ID or a higher one is shown, within `timeout_ns`.
    /// Returns false if the time has passed.
    pub fn wait_shown(&self, id: u64, timeout_ns: u64) -> Result<bool> {
        let deadline = Instant::now().checked_add(Duration::from_nanos(timeout_ns));
        let mut state = self.shared.state();
        state.waiters += 1;
        self.shared.wake.wake();
        let shown = loop {
            if state.shown >= id {
                break Ok(true);
            }
            if let Some(error) = &state.error {
                break Err(error.clone());
            }
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            if left == Some(Duration::ZERO) {
                break Ok(false);
            }
            state = self.wait(state, left);
        };
        state.waiters -= 1;
        shown
    }

    /// Enables the timing of presents.
    pub fn enable_timing(&self, render_times: RenderTimes) {
        self.shared.state().timing = Some(TimingState {
            queue: TimingQueue::default(),
            render_times,
            last_point: None,
        });
    }

    /// Calls a function with the state of timing.
    fn with_timing<T>(&self, call: impl FnOnce(&mut TimingState) -> Result<T>) -> Result<T> {
        let mut state = self.shared.state();
        match &mut state.timing {
            Some(timing) => call(timing),
            None => Err(Error::Device(vk::Error::InvalidUse {
                why: "timing of a swapchain that was created without it",
            })),
        }
    }

    /// Changes the number of presents whose timing is kept until it is collected. Returns false,
    /// and changes nothing, if more are kept now.
    pub fn set_timing_queue_size(&self, size: u32) -> Result<bool> {
        self.with_timing(|timing| Ok(timing.queue.resize(size as usize)))
    }

    /// Reserves room for the timing of the next present. Returns the batch that is to follow its
    /// rendering, if its end is of interest. A present that fails then is to be cancelled with
    /// [`Swapchain::cancel_timing`]. The number in `present` does not matter.
    ///
    /// # Errors
    /// [`Error::TimingQueueFull`]; the swapchain was created without timing; the device is lost.
    pub fn reserve_timing(&self, present: TimedPresent) -> Result<Option<vk::queue::QueuedBatch>> {
        let mut state = self.shared.state();
        let number = state.presents + 1;
        let ended = state.error.is_some();
        let Some(timing) = &mut state.timing else {
            return Err(Error::Device(vk::Error::InvalidUse {
                why: "timing of a swapchain that was created without it",
            }));
        };
        if present.stages == 0 {
            return Ok(None);
        }
        timing.collect_render_times(Some(present.index))?;
        if !timing.queue.push(TimedPresent { number, ..present }) {
            return Err(Error::TimingQueueFull);
        }
        if ended {
            timing.queue.end_stages(stage::ALL);
        }
        if present.stages & stage::QUEUE_OPERATIONS_END == 0 {
            return Ok(None);
        }
        timing.render_times.reset(present.index)?;
        Ok(timing.render_times.batch(present.index))
    }

    /// Gives back the room that was reserved for a present that failed.
    pub fn cancel_timing(&self) {
        let mut state = self.shared.state();
        let number = state.presents + 1;
        if let Some(timing) = &mut state.timing {
            timing.queue.cancel(number);
        }
    }

    /// The number of reports that are available.
    pub fn count_timings(&self, filter: ReportFilter) -> Result<usize> {
        self.with_timing(|timing| {
            timing.collect_render_times(None)?;
            Ok(timing.queue.count(filter))
        })
    }

    /// Collects reports, at most so many. Returns whether there are more.
    pub fn collect_timings(
        &self,
        filter: ReportFilter,
        room: usize,
    ) -> Result<(Vec<TimingReport>, bool)> {
        self.with_timing(|timing| {
            timing.collect_render_times(None)?;
            let available = timing.queue.count(filter);
            let reports = timing.queue.collect(filter, room);
            let has_more = available > reports.len();
            Ok((reports, has_more))
        })
    }

    /// Whether the timing of presents is enabled.
    pub fn has_timing(&self) -> bool {
        self.shared.state().timing.is_some()
    }

    /// The refreshes of the display.
    pub fn refresh(&self) -> RefreshState {
        let state = self.shared.state();
        RefreshState {
            refresh: state.refresh,
            counter: state.refresh_changes,
        }
    }

    /// Queues an image to be presented when `drawn` is signalled.
    pub fn present(
        &self,
        index: u32,
        drawn: SyncPoint,
        options: PresentOptions,
    ) -> Result<SwapchainFit> {
        let mut state = self.shared.state();
        if let Some(timing) = &mut state.timing {
            timing.last_point = Some(drawn.clone());
        }
        if let Some(error) = &state.error {
            return Err(error.clone());
        }
        if self.shared.images.get(index as usize).is_none() || state.free.contains(&index) {
            return Err(Error::Device(vk::Error::InvalidUse {
                why: "an image presented that was not acquired",
            }));
        }
        state.mode = options.mode.unwrap_or(state.mode);
        let mode = state.mode;
        state.presents += 1;
        let (number, metadata) = (state.presents, state.metadata);
        state.queued.push_back(QueuedPresent {
            index,
            number,
            point: drawn,
            id: options.id,
            mode,
            target: options.target.filter(|_| mode.is_fifo()),
            metadata,
        });
        let fit = state.fit;
        drop(state);
        self.shared.wake.wake();
        Ok(fit)
    }

    /// Sets the HDR metadata of the images that are presented from now on.
    pub fn set_metadata(&self, metadata: HdrMetadata) {
        self.shared.state().metadata = Some(metadata);
    }

    /// Returns an acquired image without presenting it. An image that is not acquired is left
    /// alone.
    pub fn release(&self, index: u32) {
        let mut state = self.shared.state();
        let queued = state.queued.iter().any(|next| next.index == index);
        let exists = (index as usize) < self.shared.images.len();
        if exists && !queued && !state.free.contains(&index) {
            state.free.push_back(index);
        }
        drop(state);
        self.shared.changed.notify_all();
    }
}

impl TimingState {
    /// Enters the times at which rendering ended, and waits for that of an image.
    fn collect_render_times(&mut self, awaited: Option<u32>) -> Result<()> {
        let lacking = self.queue.lacking(stage::QUEUE_OPERATIONS_END);
        let lacking: Vec<_> = lacking
            .map(|present| (present.number, present.index))
            .collect();
        for (number, index) in lacking {
            let time_ns = self.render_times.time_ns(index, awaited == Some(index));
            if time_ns.is_err() {
                self.queue.end_stages(stage::QUEUE_OPERATIONS_END);
            }
            if let Some(time_ns) = time_ns? {
                let stage = stage::QUEUE_OPERATIONS_END;
                self.queue.set_time(number, stage, time_ns);
            }
        }
        Ok(())
    }
}

impl State {
    /// Updates what presenters report: images shown and released, how the swapchain fits, and the
    /// refreshes of the display.
    fn update(
        &mut self,
        presenter: &mut dyn Presenter,
        pending: &mut PendingPresents,
        schedule: &mut Schedule,
    ) {
        let now_ns = sys::monotonic_ns();
        while let Some(&(number, id)) = pending.front()
            && number <= presenter.shown()
        {
            pending.pop_front();
            self.shown = self.shown.max(id);
            if !presenter.reports_times() {
                schedule.note_shown(number, now_ns);
                self.set_time(number, stage::IMAGE_FIRST_PIXEL_OUT, None);
            }
        }
        while let Some(shown) = presenter.shown_image() {
            schedule.note_shown(shown.number, shown.time_ns.unwrap_or(now_ns));
            self.set_time(shown.number, stage::IMAGE_FIRST_PIXEL_OUT, shown.time_ns);
        }
        let refresh = presenter.refresh();
        if self.refresh != refresh {
            self.refresh = refresh;
            self.refresh_changes += 1;
        }
        schedule.period_ns = match refresh {
            Refresh::Period(period_ns) => Some(period_ns),
            Refresh::Unknown | Refresh::Pending => None,
        };
        while let Some(index) = presenter.released() {
            self.free.push_back(index);
            self.image_wanted = false;
        }
        self.fit = presenter.fit();
    }

    /// Enters the time of a stage of a present; none if it is unavailable.
    fn set_time(&mut self, number: u64, stage: u32, time_ns: Option<i64>) {
        if let Some(timing) = &mut self.timing {
            let time_ns = time_ns.unwrap_or(0).max(0).unsigned_abs();
            timing.queue.set_time(number, stage, time_ns);
        }
    }

    /// Whether the timing of a present waits for the window system.
    fn awaits_times(&self) -> bool {
        let timing = self.timing.as_ref();
        timing.is_some_and(|timing| {
            let mut lacking = timing.queue.lacking(stage::IMAGE_FIRST_PIXEL_OUT);
            lacking.next().is_some()
        })
    }
}

impl SharedState {
    /// The thread: presents queued images and processes events.
    fn run(&self, mut presenter: Box<dyn Presenter>) {
        let mut pending = PendingPresents::new();
        let mut schedule = Schedule::default();
        loop {
            let mut showing = None;
            let result = match self.next_work(&*presenter, &pending, &schedule) {
                Work::Show(drawn, mode) => {
                    showing = Some(drawn.index);
                    let shown = self.show(&mut *presenter, &drawn, mode, &mut schedule);
                    if shown.is_ok() {
                        pending.push_back((drawn.number, drawn.id));
                    }
                    shown
                }
                Work::WaitEvents => presenter.wait_events(&self.wake),
                Work::Sleep => self.wake.wait(&[]),
                Work::End => return,
            };
            let mut state = self.state();
            state.update(&mut *presenter, &mut pending, &mut schedule);
            state.busy &= showing.is_none();
            if let Err(error) = result {
                state.queued.clear();
                state.error = Some(error);
                // The presenter reports no more of them.
                pending.clear();
                if let Some(timing) = &mut state.timing {
                    let stages = stage::REQUEST_DEQUEUED | stage::IMAGE_FIRST_PIXEL_OUT;
                    timing.queue.end_stages(stages);
                }
            }
            drop(state);
            self.changed.notify_all();
        }
    }

    /// Determines the next action of the thread.
    fn next_work(
        &self,
        presenter: &dyn Presenter,
        pending: &PendingPresents,
        schedule: &Schedule,
    ) -> Work {
        let mut state = self.state();
        self.wake.set_deadline(None);
        let next = state.queued.front();
        let mode = next.map_or(state.mode, |next| next.mode);
        // At the end refreshes and times are not waited for: a hidden window may never have another
        // refresh.
        let at_end = state.stop || state.retired;
        let target = next.and_then(|next| next.target).filter(|_| !at_end);
        let start_ns = target.and_then(|target| schedule.start_ns(&target));
        let start_ns = start_ns.filter(|&start_ns| start_ns > sys::monotonic_ns());
        let mode = match at_end {
            true if mode.is_fifo() => PresentMode::Mailbox,
            _ => mode,
        };
        let ready = state.error.is_none() && presenter.is_ready(mode);
        if ready
            && start_ns.is_none()
            && let Some(next) = state.queued.pop_front()
        {
            state.busy = true;
            return Work::Show(next, mode);
        }
        if state.stop {
            return Work::End;
        }
        if ready {
            self.wake.set_deadline(start_ns);
        }
        let ids_awaited = state.waiters > 0 && !pending.is_empty();
        let events_awaited =
            !state.queued.is_empty() || state.image_wanted || ids_awaited || state.awaits_times();
        match events_awaited && state.error.is_none() {
            true => Work::WaitEvents,
            false => Work::Sleep,
        }
    }

    /// Waits for an image's rendering as far as the presenter needs it, and shows the image.
    fn show(
        &self,
        presenter: &mut dyn Presenter,
        drawn: &QueuedPresent,
        mode: PresentMode,
        schedule: &mut Schedule,
    ) -> Result<()> {
        let point = [(drawn.point.syncobj.clone(), drawn.point.value)];
        self.context
            .wait(i64::MAX, |until| match presenter.accepts_unfinished() {
                true => self.context.gpu.wait_submitted(&point, until),
                false => self.context.gpu.wait_points(&point, true, until),
            })?;
        self.context.check_hang()?;
        presenter.poll_events()?;
        match self.images.get(drawn.index as usize) {
            Some(image) => {
                presenter.set_rendered_point(drawn.point.value);
                if let Some(metadata) = &drawn.metadata {
                    presenter.set_metadata(metadata)?;
                }
                let now_ns = sys::monotonic_ns();
                {
                    let mut state = self.state();
                    state.set_time(drawn.number, stage::REQUEST_DEQUEUED, Some(now_ns));
                    if state.timing.is_some() {
                        presenter.request_times();
                    }
                }
                schedule.pass(now_ns);
                presenter.show(drawn.index, &**image, mode)
            }
            None => Ok(()),
        }
    }
}

impl Drop for Swapchain {
    fn drop(&mut self) {
        let mut state = self.shared.state();
        state.stop = true;
        if !std::mem::replace(&mut state.retired, true) {
            self.surface.release();
        }
        drop(state);
        self.shared.changed.notify_all();
        self.shared.wake.wake();
        if let Some(thread) = self.thread.take() {
            // The thread's panic was reported when it happened.
            let _ = thread.join();
        }
        // The batches with timestamps may be submitted still. An error means that the device is
        // lost.
        let state = self.shared.state();
        let point = state
            .timing
            .as_ref()
            .and_then(|timing| timing.last_point.clone());
        drop(state);
        if let Some(point) = point {
            let points = [(point.syncobj, point.value)];
            let context = &self.shared.context;
            _ = context.wait(i64::MAX, |until| {
                context.gpu.wait_points(&points, true, until)
            });
        }
    }
}
