//! Swapchains: whose turn each image is.
//!
//! In:  images that are drawn, in the order in which they are presented. Out: images that may be drawn to.
//! An image is the application's from its acquisition to its presentation. Then the swapchain's thread waits until the queue has drawn
//! it, shows it, and it may be acquired again.
//! Ref: Vulkan specification, "WSI Swapchain".

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use vk::sync::Point;

use crate::error::{Error, Result};
use crate::present::{Alpha, Fit, Pace, Picture, Presenter, Stop};
use crate::surface::Surface;

/// Longest wait for news of pictures while there is nothing to show: what is drawn meanwhile is shown so much later.
const NEWS_MS: u16 = 2;

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
    changed: Condvar,
    stop: Stop,
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
    Show(Drawn),
    Listen,
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
    /// A swapchain; `old` is retired by it.
    pub fn new(
        context: &Arc<vk::context::Context>,
        surface: &Arc<Surface>,
        images: Vec<Image>,
        pace: Pace,
        alpha: Alpha,
        old: Option<&Swapchain>,
    ) -> Result<Self> {
        let size = images.first().map(|image| (image.width(), image.height()));
        let (width, height) = size.ok_or(vk::Error::InvalidUse {
            why: "a swapchain without images",
        })?;
        if let Some(old) = old {
            old.retire();
        }
        surface.take()?;
        let made = surface
            .presenter(width, height, alpha)
            .and_then(|presenter| {
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
                    }),
                    images,
                    pace,
                    changed: Condvar::new(),
                    stop: Stop::default(),
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
            });
        if made.is_err() {
            surface.give();
        }
        made
    }

    /// Gives the surface up. What was presented is still shown.
    fn retire(&self) {
        let mut state = self.shared.state();
        if !std::mem::replace(&mut state.retired, true) {
            self.surface.give();
        }
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
            if let Some(index) = state.free.pop_front() {
                let fit = state.fit;
                return Ok(Some(Acquired { index, fit }));
            }
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            if left == Some(Duration::ZERO) {
                return Ok(None);
            }
            state = self.wait(state, left);
        }
    }

    /// Waits until the picture with this number, or a later one, has been shown, for some nanoseconds. False: it was not in that time.
    pub fn wait_shown(&self, id: u64, timeout_ns: u64) -> Result<bool> {
        let deadline = Instant::now().checked_add(Duration::from_nanos(timeout_ns));
        let mut state = self.shared.state();
        state.waiters += 1;
        self.shared.changed.notify_all();
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
        self.shared.changed.notify_all();
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
        while let Some(work) = self.next(&given) {
            let (heard, index) = match work {
                Work::Show(drawn) => {
                    let shown = self.show(&mut *presenter, &drawn);
                    if shown.is_ok() {
                        count += 1;
                        given.push_back((count, drawn.id));
                    }
                    (shown, Some(drawn.index))
                }
                Work::Listen => (presenter.listen(NEWS_MS), None),
            };
            let mut state = self.state();
            while let Some(&(number, id)) = given.front()
                && number <= presenter.shown()
            {
                given.pop_front();
                state.shown = state.shown.max(id);
            }
            state.busy = false;
            match heard {
                Ok(fit) => {
                    state.fit = fit;
                    state.free.extend(index);
                }
                Err(error) => {
                    state.drawn.clear();
                    state.ended = Some(error);
                    // Nothing more is heard of them.
                    given.clear();
                }
            }
            drop(state);
            self.changed.notify_all();
        }
    }

    /// What the thread does next. None: the swapchain ends.
    fn next(&self, given: &Given) -> Option<Work> {
        let mut state = self.state();
        loop {
            if let Some(next) = state.drawn.pop_front() {
                state.busy = true;
                return Some(Work::Show(next));
            }
            if self.stop.is_set() {
                return None;
            }
            if state.waiters > 0 && !given.is_empty() {
                return Some(Work::Listen);
            }
            state = (self.changed.wait(state)).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn show(&self, presenter: &mut dyn Presenter, drawn: &Drawn) -> Result<Fit> {
        let point = [(drawn.point.syncobj.clone(), drawn.point.value)];
        self.context.wait(i64::MAX, |until| {
            self.context.gpu.wait_points(&point, true, until)
        })?;
        self.context.check_hang()?;
        match self.images.get(drawn.index as usize) {
            Some(image) => presenter.show(&**image, self.pace, &self.stop),
            None => Ok(Fit::Same),
        }
    }
}

impl Drop for Swapchain {
    fn drop(&mut self) {
        let mut state = self.shared.state();
        self.shared.stop.set();
        if !std::mem::replace(&mut state.retired, true) {
            self.surface.give();
        }
        drop(state);
        self.shared.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            // A panic of the thread has been reported where it happened.
            let _ = thread.join();
        }
    }
}
