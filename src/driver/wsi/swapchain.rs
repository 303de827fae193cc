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
    /// Images to show, each with what is signalled when it is drawn.
    drawn: VecDeque<(u32, Point)>,
    /// The thread is showing one.
    busy: bool,
    fit: Fit,
    /// Why no image will come any more.
    ended: Option<Error>,
    /// A newer swapchain has the surface.
    retired: bool,
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

    /// Presents an image when `drawn` is signalled.
    pub fn present(&self, index: u32, drawn: Point) -> Result<Fit> {
        let mut state = self.shared.state();
        if let Some(error) = &state.ended {
            return Err(error.clone());
        }
        if self.shared.images.get(index as usize).is_none() || state.free.contains(&index) {
            return Err(Error::Device(vk::Error::InvalidUse {
                why: "an image presented that was not acquired",
            }));
        }
        state.drawn.push_back((index, drawn));
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
        loop {
            let (index, drawn) = {
                let mut state = self.state();
                loop {
                    if let Some(next) = state.drawn.pop_front() {
                        state.busy = true;
                        break next;
                    }
                    if self.stop.is_set() {
                        return;
                    }
                    state = (self.changed.wait(state)).unwrap_or_else(PoisonError::into_inner);
                }
            };
            let shown = self.show(&mut *presenter, index, &drawn);
            let mut state = self.state();
            state.busy = false;
            match shown {
                Ok(fit) => {
                    state.fit = fit;
                    state.free.push_back(index);
                }
                Err(error) => {
                    state.drawn.clear();
                    state.ended = Some(error);
                }
            }
            drop(state);
            self.changed.notify_all();
        }
    }

    fn show(&self, presenter: &mut dyn Presenter, index: u32, drawn: &Point) -> Result<Fit> {
        let point = [(drawn.syncobj.clone(), drawn.value)];
        self.context.wait(i64::MAX, |until| {
            self.context.gpu.wait_points(&point, true, until)
        })?;
        self.context.check_hang()?;
        match self.images.get(index as usize) {
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
