//! Timing of presents: what applications ask for, and the results until they collect them.
//!
//! In:  presents with stages whose time is wanted, and the times of these stages. Out: reports, in
//!      the order of the presents.
//! Ref: Vulkan specification, "VK_EXT_present_timing".

use std::collections::VecDeque;

/// The stages of a present, as bits of `VkPresentStageFlagsEXT`.
pub mod stage {
    /// The queue operations of the present, and those before them, are complete.
    pub const QUEUE_OPERATIONS_END: u32 = 1;
    /// The image is passed to the window system.
    pub const REQUEST_DEQUEUED: u32 = 2;
    /// The first pixel is sent to the display.
    pub const IMAGE_FIRST_PIXEL_OUT: u32 = 4;
    /// The stages that are reported on surfaces whose window system reports times.
    pub const ALL: u32 = QUEUE_OPERATIONS_END | REQUEST_DEQUEUED | IMAGE_FIRST_PIXEL_OUT;
}

/// Number of bits of `VkPresentStageFlagsEXT`.
const STAGES: usize = 4;

/// A time domain of swapchains. All of them have the time of the monotonic clock, in ns, which is
/// the clock of DRM events and, after conversion, of window systems.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeDomain {
    /// `VK_TIME_DOMAIN_PRESENT_STAGE_LOCAL_EXT`.
    StageLocal,
    /// `VK_TIME_DOMAIN_SWAPCHAIN_LOCAL_EXT`.
    SwapchainLocal,
    /// `VK_TIME_DOMAIN_CLOCK_MONOTONIC_KHR`.
    Monotonic,
}

impl TimeDomain {
    /// All of them.
    pub const ALL: [TimeDomain; 3] = [Self::StageLocal, Self::SwapchainLocal, Self::Monotonic];

    /// Its number for applications, which is not 0.
    pub fn id(self) -> u64 {
        match self {
            TimeDomain::StageLocal => 1,
            TimeDomain::SwapchainLocal => 2,
            TimeDomain::Monotonic => 3,
        }
    }

    /// The domain with a number.
    pub fn with_id(id: u64) -> Option<Self> {
        Self::ALL.into_iter().find(|domain| domain.id() == id)
    }
}

/// A present whose timing is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimedPresent {
    /// Its number among the presents of the swapchain.
    pub number: u64,
    /// Present ID, or 0.
    pub id: u64,
    /// Index of its image.
    pub index: u32,
    /// The target time or duration in ns, as the application gave it.
    pub target_ns: u64,
    /// The domain of its times.
    pub domain: TimeDomain,
    /// The stages whose time is wanted.
    pub stages: u32,
}

/// The timing of a present.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimingReport {
    /// The present.
    pub present: TimedPresent,
    /// Stages with their times in ns; 0 where the time is unavailable.
    pub times: Vec<(u32, u64)>,
    /// All stages are reported.
    pub is_complete: bool,
}

/// Which reports are wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReportFilter {
    /// Also reports without some of the stages.
    pub partial: bool,
    /// Also reports of presents after one that is not reported.
    pub out_of_order: bool,
}

/// A present in the queue.
#[derive(Debug)]
struct Entry {
    present: TimedPresent,
    /// The times of the stages that are known, by bit.
    times: [Option<u64>; STAGES],
}

impl Entry {
    /// The wanted stages, as bits and their numbers.
    fn stages(&self) -> impl Iterator<Item = (u32, usize)> {
        let stages = self.present.stages;
        let all = (0..STAGES).map(|bit| (1 << bit, bit));
        all.filter(move |(stage, _)| stages & stage != 0)
    }

    fn lacks(&self, stage: u32) -> bool {
        let mut stages = self.stages();
        stages.any(|(known, bit)| known == stage && self.times[bit].is_none())
    }

    fn report(&self) -> TimingReport {
        let times = self.stages();
        let times = times.filter_map(|(stage, bit)| Some((stage, self.times[bit]?)));
        let times: Vec<_> = times.collect();
        TimingReport {
            is_complete: times.len() == self.stages().count(),
            present: self.present,
            times,
        }
    }
}

/// The timing results of a swapchain.
#[derive(Debug, Default)]
pub struct TimingQueue {
    /// Maximum number of presents in it.
    capacity: usize,
    entries: VecDeque<Entry>,
}

impl TimingQueue {
    /// Changes the number of presents for which it has room. Returns false, and changes nothing, if
    /// it contains more.
    pub fn resize(&mut self, capacity: usize) -> bool {
        let fits = self.entries.len() <= capacity;
        if fits {
            self.capacity = capacity;
        }
        fits
    }

    /// Adds a present. Returns false if there is no room.
    pub fn push(&mut self, present: TimedPresent) -> bool {
        let fits = self.entries.len() < self.capacity;
        if fits {
            // There is no time for a stage that does not exist.
            let times = [None, None, None, Some(0)];
            self.entries.push_back(Entry { present, times });
        }
        fits
    }

    /// Removes the last present if it has this number: it has failed.
    pub fn cancel(&mut self, number: u64) {
        if self.entries.back().map(|last| last.present.number) == Some(number) {
            self.entries.pop_back();
        }
    }

    /// Sets the time of a stage of a present, unless it is known already.
    pub fn set_time(&mut self, number: u64, stage: u32, time_ns: u64) {
        let found = self
            .entries
            .iter_mut()
            .find(|entry| entry.present.number == number);
        if let Some(entry) = found
            && let Some(time) = entry.times.get_mut(stage.trailing_zeros() as usize)
        {
            time.get_or_insert(time_ns);
        }
    }

    /// Ends the reports of all presents, as the window system will report nothing more: the missing
    /// times of these stages are unavailable.
    pub fn end_stages(&mut self, stages: u32) {
        for entry in &mut self.entries {
            for (bit, time) in entry.times.iter_mut().enumerate() {
                if stages >> bit & 1 != 0 {
                    time.get_or_insert(0);
                }
            }
        }
    }

    /// The presents that lack the time of a stage.
    pub fn lacking(&self, stage: u32) -> impl Iterator<Item = &TimedPresent> {
        let entries = self.entries.iter();
        let lacking = entries.filter(move |entry| entry.lacks(stage));
        lacking.map(|entry| &entry.present)
    }

    /// The reports that are available, at most so many. Complete ones leave the queue.
    pub fn collect(&mut self, filter: ReportFilter, room: usize) -> Vec<TimingReport> {
        let found = self.available(filter).take(room);
        let found: Vec<_> = found.map(|(_, report)| report).collect();
        self.entries.retain(|entry| {
            let number = entry.present.number;
            let mut collected = found.iter();
            !collected.any(|report| report.is_complete && report.present.number == number)
        });
        found
    }

    /// The number of reports that are available.
    pub fn count(&self, filter: ReportFilter) -> usize {
        self.available(filter).count()
    }

    fn available(&self, filter: ReportFilter) -> impl Iterator<Item = (usize, TimingReport)> {
        let reports = self.entries.iter().map(Entry::report).enumerate();
        let is_available = move |report: &TimingReport| match filter.partial {
            true => !report.times.is_empty(),
            false => report.is_complete,
        };
        reports
            .map(move |(index, report)| {
                let available = is_available(&report);
                (index, report, available)
            })
            .take_while(move |(_, _, available)| *available || filter.out_of_order)
            .filter(|(_, _, available)| *available)
            .map(|(index, report, _)| (index, report))
    }
}

#[cfg(test)]
mod tests {
    use super::stage::{IMAGE_FIRST_PIXEL_OUT, QUEUE_OPERATIONS_END, REQUEST_DEQUEUED};
    use super::*;

    fn present(number: u64, stages: u32) -> TimedPresent {
        TimedPresent {
            number,
            id: number * 10,
            index: 0,
            target_ns: 0,
            domain: TimeDomain::Monotonic,
            stages,
        }
    }

    fn numbers(reports: &[TimingReport]) -> Vec<u64> {
        reports.iter().map(|report| report.present.number).collect()
    }

    #[test]
    fn a_full_queue_has_room_again_once_complete_reports_are_collected() {
        let mut queue = TimingQueue::default();
        assert!(!queue.push(present(1, QUEUE_OPERATIONS_END)));
        assert!(queue.resize(2));
        assert!(queue.push(present(1, QUEUE_OPERATIONS_END)));
        assert!(queue.push(present(2, QUEUE_OPERATIONS_END)));
        assert!(!queue.push(present(3, QUEUE_OPERATIONS_END)));
        assert!(!queue.resize(1));
        let all = ReportFilter::default();
        assert_eq!(queue.collect(all, 8), []);
        queue.set_time(1, QUEUE_OPERATIONS_END, 77);
        // A time does not change.
        queue.set_time(1, QUEUE_OPERATIONS_END, 78);
        assert_eq!(queue.count(all), 1);
        let reports = queue.collect(all, 8);
        assert_eq!(reports.len(), 1);
        assert_eq!(reports[0].times, [(QUEUE_OPERATIONS_END, 77)]);
        assert!(reports[0].is_complete && reports[0].present.id == 10);
        assert_eq!(queue.collect(all, 8), []);
        assert!(queue.push(present(3, QUEUE_OPERATIONS_END)));
        queue.cancel(2);
        queue.cancel(3);
        assert!(queue.resize(1));
    }

    #[test]
    fn reports_are_in_order_and_complete_unless_asked_otherwise() {
        let both = QUEUE_OPERATIONS_END | IMAGE_FIRST_PIXEL_OUT;
        let mut queue = TimingQueue::default();
        assert!(queue.resize(3));
        for number in 1..4 {
            assert!(queue.push(present(number, both)));
        }
        for number in 2..4 {
            queue.set_time(number, QUEUE_OPERATIONS_END, number);
        }
        queue.set_time(3, IMAGE_FIRST_PIXEL_OUT, 9);
        // This stage is not asked for.
        queue.set_time(2, REQUEST_DEQUEUED, 5);
        let filter = |partial, out_of_order| ReportFilter {
            partial,
            out_of_order,
        };
        assert_eq!(queue.count(filter(false, false)), 0);
        assert_eq!(queue.count(filter(true, false)), 0);
        assert_eq!(numbers(&queue.collect(filter(true, true), 1)), [2]);
        let reports = queue.collect(filter(true, true), 8);
        assert_eq!(numbers(&reports), [2, 3]);
        assert_eq!(reports[0].times, [(QUEUE_OPERATIONS_END, 2)]);
        assert!(!reports[0].is_complete && reports[1].is_complete);
        // The complete one is gone.
        assert_eq!(numbers(&queue.collect(filter(true, true), 8)), [2]);
        let lacking = queue.lacking(IMAGE_FIRST_PIXEL_OUT);
        assert_eq!(
            lacking.map(|present| present.number).collect::<Vec<_>>(),
            [1, 2]
        );
        queue.end_stages(IMAGE_FIRST_PIXEL_OUT);
        assert_eq!(numbers(&queue.collect(filter(false, false), 8)), []);
        queue.end_stages(QUEUE_OPERATIONS_END);
        let reports = queue.collect(filter(false, false), 8);
        assert_eq!(numbers(&reports), [1, 2]);
        let unavailable = [(QUEUE_OPERATIONS_END, 0), (IMAGE_FIRST_PIXEL_OUT, 0)];
        assert_eq!(reports[0].times, unavailable);
        assert_eq!(reports[1].times[0], (QUEUE_OPERATIONS_END, 2));
    }

    #[test]
    fn domains_have_numbers() {
        for domain in TimeDomain::ALL {
            assert_eq!(TimeDomain::with_id(domain.id()), Some(domain));
        }
        assert_eq!(TimeDomain::with_id(0), None);
        assert_eq!(TimeDomain::with_id(4), None);
    }
}
