//! Swapchains: whose turn each image is.
//!
//! In:  images that are drawn, in the order in which they are presented. Out: images that may be drawn to.
//! An image is the application's from its acquisition to its presentation. Then the swapchain's thread gives it to the window system, which
//! shows it: as it is, as soon as it is submitted, or its pixels, when the queue has drawn it. It may be acquired again when the window
//! system says that it is done with it; what the GPU then still reads of it for the screen is waited for by who acquires it.
//! Ref: Vulkan specification, "WSI Swapchain".

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use vk::sync::Point;

use crate::error::{Error, Result};
use crate::frame::{Frame, Wish};
use crate::present::{Alpha, Fit, Ours, Pace, Picture, Presenter, Wake};
use crate::surface::Surface;

/// A picture of a swapchain: what its thread reads.
pub type Image = Arc<dyn Picture + Send + Sync>;

/// `VkSwapchainKHR`, but for what the C face keeps of it.
pub struct Swapchain {
    shared: Arc<Shared>,
    surface: Arc<Surface>,
    thread: Option<std::thread::JoinHandle<()>>,
}

struct Shared {
    context: Arc<vk::context::Context>,
    images: Vec<Image>,
    pace: Pace,
    state: Mutex<State>,
    /// For the application's threads.
    changed: Condvar,
    /// For the swapchain's.
    wake: Wake,
}

struct State {
    /// Images that may be acquired, the one that waits longest first.
    free: VecDeque<u32>,
    /// Images to show.
    drawn: VecDeque<Drawn>,
    /// The thread is showing one.
    busy: bool,
    fit: Fit,
    /// Why no image will come any more.
    ended: Option<Error>,
    /// A newer swapchain has the surface.
    retired: bool,
    /// The highest of the application's numbers of what was shown.
    shown: u64,
    /// Who waits for such a number.
    waiters: u32,
    /// Somebody has found no image that may be acquired.
    wanted: bool,
    /// The swapchain ends.
    stop: bool,
}

/// An image to show.
struct Drawn {
    index: u32,
    /// Signalled when it is drawn.
    point: Point,
    /// The application's number, or 0.
    id: u64,
}

/// Pictures that the window system has taken over, and has not shown yet: which they are, counted from 1, and the application's numbers.
type Given = VecDeque<(u64, u64)>;

/// What the thread does next.
enum Work {
    Show(Drawn, Pace),
    /// Hears the window system.
    Listen,
    /// Waits for the application.
    Sleep,
    End,
}

/// The images of a swapchain, and what shows them.
type Equipment = (Vec<Arc<Frame>>, Box<dyn Presenter>);

/// Makes images and what shows them: as they are, if the window system takes them so.
fn equip(
    context: &Arc<vk::context::Context>,
    surface: &Surface,
    wish: &Wish,
    count: u32,
    alpha: Alpha,
) -> Result<Equipment> {
    let physical = &context.physical;
    let [width, height] = wish.extent_px;
    let node = physical.info().node.as_ref();
    let nodes: Vec<[u32; 2]> = node
        .into_iter()
        .flat_map(|node| [Some([node.major, node.minor]), node.primary])
        .flatten()
        .collect();
    if !nodes.is_empty() && !physical.diagnosis().has(debug::Flag::Shm) {
        let ours = Ours {
            nodes: &nodes,
            has_others: sys::render_nodes().len() > 1,
        };
        let modifiers = surface.modifiers(ours, wish.format, alpha)?;
        let frames = (0..count).map(|_| Frame::shared(context, wish, &modifiers).map(Arc::new));
        if let Some(frames) = frames.collect::<Option<Vec<_>>>() {
            let shared = frames.iter().filter_map(|frame| frame.export().transpose());
            let shared = shared.collect::<Result<Vec<_>>>()?;
            let modifier = shared.first().map_or(0, |image| image.modifier);
            if let Some(presenter) = surface.shows_shared(wish, alpha, shared)? {
                physical.diagnosis().say(debug::Flag::Perf, || {
                    format!("window {width}x{height}: shows images of modifier {modifier:#x}\n")
                });
                return Ok((frames, presenter));
            }
        }
    }
    let presenter = surface.shows_copies(width, height, alpha)?;
    physical.diagnosis().say(debug::Flag::Perf, || {
        format!("window {width}x{height}: shows copies of images\n")
    });
    let frames = (0..count).map(|_| Frame::new(context, wish).map(Arc::new));
    Ok((frames.collect::<Result<_>>()?, presenter))
}

/// An image that may be drawn to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Acquired {
    /// Its index.
    pub index: u32,
    /// Whether the swapchain still fits the surface.
    pub fit: Fit,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Swapchain {
    /// A swapchain of some images, or more; `old` is retired by it.
    pub fn new(
        context: &Arc<vk::context::Context>,
        surface: &Arc<Surface>,
        wish: &Wish,
        count: u32,
        pace: Pace,
        alpha: Alpha,
        old: Option<&Swapchain>,
    ) -> Result<(Self, Vec<Arc<Frame>>)> {
        if let Some(old) = old {
            old.retire();
        }
        surface.take()?;
        let count = count.max(surface.least_images(pace));
        let made = equip(context, surface, wish, count, alpha).and_then(|(frames, presenter)| {
            let images = frames.iter().map(|frame| frame.clone() as Image).collect();
            Ok((Self::of(context, surface, images, pace, presenter)?, frames))
        });
        if made.is_err() {
            surface.give();
        }
        made
    }

    fn of(
        context: &Arc<vk::context::Context>,
        surface: &Arc<Surface>,
        images: Vec<Image>,
        pace: Pace,
        presenter: Box<dyn Presenter>,
    ) -> Result<Self> {
        let shared = Arc::new(Shared {
            context: context.clone(),
            state: Mutex::new(State {
                free: (0..images.len() as u32).collect(),
                drawn: VecDeque::new(),
                busy: false,
                fit: Fit::Same,
                ended: None,
                retired: false,
                shown: 0,
                waiters: 0,
                wanted: false,
                stop: false,
            }),
            images,
            pace,
            changed: Condvar::new(),
            wake: Wake::new().map_err(|_| vk::Error::TooManyObjects {
                what: "file descriptors",
            })?,
        });
        let worker = shared.clone();
        let thread = std::thread::Builder::new()
            .name("ingot-present".into())
            .spawn(move || worker.work(presenter));
        let thread = thread.map_err(|_| vk::Error::OutOfHostMemory {
            what: "the swapchain's thread",
        })?;
        Ok(Self {
            shared,
            surface: surface.clone(),
            thread: Some(thread),
        })
    }

    /// Gives the surface up. What was presented is still shown.
    fn retire(&self) {
        let mut state = self.shared.state();
        if !std::mem::replace(&mut state.retired, true) {
            self.surface.give();
        }
        self.shared.wake.wake();
        // Pictures of two swapchains would come in any order.
        while state.ended.is_none() && (state.busy || !state.drawn.is_empty()) {
            state = self.wait(state, None);
        }
        drop(state);
        self.shared.changed.notify_all();
    }

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

    /// Takes an image to draw to, within some nanoseconds. None: there was none in that time.
    pub fn acquire(&self, timeout_ns: u64) -> Result<Option<Acquired>> {
        let deadline = Instant::now().checked_add(Duration::from_nanos(timeout_ns));
        let mut state = self.shared.state();
        loop {
            if let Some(error) = &state.ended {
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
                    .take_back(index, left)?
                    .then_some(Acquired { index, fit }));
            }
            if !std::mem::replace(&mut state.wanted, true) {
                self.shared.wake.wake();
            }
            if left == Some(Duration::ZERO) {
                return Ok(None);
            }
            state = self.wait(state, left);
        }
    }

    /// Waits until the screen's last look at an image is over. If that takes longer than there is time, the image remains the next one.
    fn take_back(&self, index: u32, time: Option<Duration>) -> Result<bool> {
        let Some(image) = self.shared.images.get(index as usize) else {
            return Ok(true);
        };
        let ns = time.map_or(u64::MAX, |time| {
            u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
        });
        let taken = image.take_back(ns);
        if !matches!(taken, Ok(true)) {
            self.shared.state().free.push_front(index);
            self.shared.changed.notify_all();
        }
        taken
    }

    /// Waits until the picture with this number, or a later one, has been shown, for some nanoseconds. False: it was not in that time.
    pub fn wait_shown(&self, id: u64, timeout_ns: u64) -> Result<bool> {
        let deadline = Instant::now().checked_add(Duration::from_nanos(timeout_ns));
        let mut state = self.shared.state();
        state.waiters += 1;
        self.shared.wake.wake();
        let shown = loop {
            if state.shown >= id {
                break Ok(true);
            }
            if let Some(error) = &state.ended {
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

    /// Presents an image when `drawn` is signalled. Numbers other than 0 rise.
    pub fn present(&self, index: u32, drawn: Point, id: u64) -> Result<Fit> {
        let mut state = self.shared.state();
        if let Some(error) = &state.ended {
            return Err(error.clone());
        }
        if self.shared.images.get(index as usize).is_none() || state.free.contains(&index) {
            return Err(Error::Device(vk::Error::InvalidUse {
                why: "an image presented that was not acquired",
            }));
        }
        state.drawn.push_back(Drawn {
            index,
            point: drawn,
            id,
        });
        let fit = state.fit;
        drop(state);
        self.shared.wake.wake();
        Ok(fit)
    }

    /// Gives an image back that was acquired, and is not drawn to.
    pub fn release(&self, index: u32) {
        let mut state = self.shared.state();
        if !state.free.contains(&index) {
            state.free.push_back(index);
        }
        drop(state);
        self.shared.changed.notify_all();
    }
}

impl Shared {
    /// The thread: shows what is drawn.
    fn work(&self, mut presenter: Box<dyn Presenter>) {
        let mut given = Given::new();
        let mut count = 0;
        loop {
            let mut showing = None;
            let heard = match self.next(&*presenter, &given) {
                Work::Show(drawn, pace) => {
                    showing = Some(drawn.index);
                    let shown = self.show(&mut *presenter, &drawn, pace);
                    if shown.is_ok() {
                        count += 1;
                        given.push_back((count, drawn.id));
                    }
                    shown
                }
                Work::Listen => presenter.listen(&self.wake),
                Work::Sleep => self.wake.wait(&[]),
                Work::End => return,
            };
            let mut state = self.state();
            while let Some(&(number, id)) = given.front()
                && number <= presenter.shown()
            {
                given.pop_front();
                state.shown = state.shown.max(id);
            }
            state.busy &= showing.is_none();
            while let Some(index) = presenter.done() {
                state.free.push_back(index);
                state.wanted = false;
            }
            state.fit = presenter.fit();
            if let Err(error) = heard {
                state.drawn.clear();
                state.ended = Some(error);
                // Nothing more is heard of them.
                given.clear();
            }
            drop(state);
            self.changed.notify_all();
        }
    }

    /// What the thread does next.
    fn next(&self, presenter: &dyn Presenter, given: &Given) -> Work {
        let mut state = self.state();
        // At the end nobody waits for refreshes any more: those of a window that is not seen may never come.
        let pace = match state.stop || state.retired {
            true if self.pace.is_even() => Pace::Mailbox,
            _ => self.pace,
        };
        let ready = state.ended.is_none() && presenter.is_ready(pace);
        if ready && let Some(next) = state.drawn.pop_front() {
            state.busy = true;
            return Work::Show(next, pace);
        }
        if state.stop {
            return Work::End;
        }
        let for_numbers = state.waiters > 0 && !given.is_empty();
        let awaited = !state.drawn.is_empty() || state.wanted || for_numbers;
        match awaited && state.ended.is_none() {
            true => Work::Listen,
            false => Work::Sleep,
        }
    }

    fn show(&self, presenter: &mut dyn Presenter, drawn: &Drawn, pace: Pace) -> Result<()> {
        let point = [(drawn.point.syncobj.clone(), drawn.point.value)];
        self.context
            .wait(i64::MAX, |until| match presenter.takes_undrawn() {
                true => self.context.gpu.points_submitted(&point, until),
                false => self.context.gpu.wait_points(&point, true, until),
            })?;
        self.context.check_hang()?;
        presenter.hear()?;
        match self.images.get(drawn.index as usize) {
            Some(image) => presenter.show(drawn.index, &**image, pace),
            None => Ok(()),
        }
    }
}

impl Drop for Swapchain {
    fn drop(&mut self) {
        let mut state = self.shared.state();
        state.stop = true;
        if !std::mem::replace(&mut state.retired, true) {
            self.surface.give();
        }
        drop(state);
        self.shared.changed.notify_all();
        self.shared.wake.wake();
        if let Some(thread) = self.thread.take() {
            // A panic of the thread has been reported where it happened.
            let _ = thread.join();
        }
    }
}
