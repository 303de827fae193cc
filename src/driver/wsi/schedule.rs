//! When a presented image with a target time is passed to the window system.
//!
//! In:  target times, the times of images shown before, the period of refreshes. Out: the time at
//!      which the thread of the swapchain passes the image on.
//!
//! Window systems show an image at the first refresh after they get it. So that this is the first
//! refresh at the target time or after it, the image is passed on after the refresh before.
//! Ref: Vulkan specification, "VkPresentTimingInfoEXT".

/// A target time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// In ns: of the monotonic clock, or after the image before is shown.
    pub time_ns: u64,
    /// It counts from the time at which the image before is shown.
    pub is_relative: bool,
    /// The nearest refresh is wanted; otherwise the first one that is not earlier.
    pub is_nearest: bool,
}

/// If the window system does not report that the image before is shown, a relative target time
/// counts from so long after it was passed on: windows may be hidden.
const UNREPORTED_NS: i64 = 500_000_000;

/// What the thread of a swapchain knows about the images before.
#[derive(Clone, Copy, Debug, Default)]
pub struct Schedule {
    /// Number of images passed to the window system.
    passed: u64,
    /// When the last one was, in ns.
    passed_ns: i64,
    /// The last image whose time is known, by its number, and when it was shown.
    shown: Option<(u64, i64)>,
    /// The period of refreshes in ns, if it is known.
    pub period_ns: Option<u64>,
}

impl Schedule {
    /// An image is passed to the window system.
    pub fn pass(&mut self, now_ns: i64) {
        self.passed += 1;
        self.passed_ns = now_ns;
    }

    /// An image was shown; `time_ns` is when, or when the thread heard of it.
    pub fn note_shown(&mut self, number: u64, time_ns: i64) {
        if self.shown.is_none_or(|(known, _)| number >= known) {
            self.shown = Some((number, time_ns));
        }
    }

    /// When to pass on the next image, in ns of the monotonic clock. None: at once.
    pub fn start_ns(&self, target: &Target) -> Option<i64> {
        let time_ns = i64::try_from(target.time_ns).unwrap_or(i64::MAX);
        let goal_ns = match (target.is_relative, self.shown) {
            (false, _) => time_ns,
            // There is no image before.
            (true, _) if self.passed == 0 => return None,
            (true, Some((number, shown_ns))) if number >= self.passed => {
                shown_ns.saturating_add(time_ns)
            }
            (true, _) => {
                let latest_ns = self.passed_ns.saturating_add(UNREPORTED_NS);
                return Some(latest_ns.saturating_add(time_ns));
            }
        };
        // Without refreshes to count from, the image may not be shown before it is passed on.
        let (Some((_, shown_ns)), Some(period_ns)) = (self.shown, self.period_ns) else {
            return Some(goal_ns);
        };
        let period_ns = i64::try_from(period_ns).unwrap_or(i64::MAX).max(1);
        let after_ns = goal_ns.saturating_sub(shown_ns);
        if after_ns <= 0 {
            return None;
        }
        let (whole, part_ns) = (after_ns / period_ns, after_ns % period_ns);
        let next = match target.is_nearest {
            true => part_ns >= period_ns - period_ns / 2,
            false => part_ns > 0,
        };
        let refreshes = whole.saturating_add(next.into());
        // A quarter of the period is left for times that are not exact, the rest for the window
        // system, which may need the image well before the refresh.
        let early_ns = period_ns - period_ns / 4;
        let refresh_ns = shown_ns.saturating_add(refreshes.saturating_mul(period_ns));
        Some(refresh_ns.saturating_sub(early_ns))
    }
}

/// The period of refreshes, from the numbers and times of some of them.
#[derive(Clone, Copy, Debug, Default)]
pub struct PeriodEstimate {
    /// Number and time (ns) of the refresh from which the period is measured, and of the one that
    /// replaces it.
    from: Option<(u64, i64)>,
    next: Option<(u64, i64)>,
    /// The estimate in ns.
    period_ns: Option<u64>,
}

/// Refreshes over which the period is measured, at least and as soon as possible.
const MEASURED_REFRESHES: u64 = 64;
/// The estimate changes if another one differs by more than one part in so many.
const TOLERANCE: u64 = 200;

impl PeriodEstimate {
    /// Adds a refresh by its number and its time in ns.
    pub fn add(&mut self, number: u64, time_ns: i64) {
        let follows = |before: (u64, i64)| before.0 < number && before.1 < time_ns;
        let (Some(from), Some(next)) = (self.from, self.next) else {
            self.from = Some((number, time_ns));
            self.next = self.from;
            return;
        };
        if !follows(from) {
            // The same refresh again, or the window has moved to another display.
            if from.0 > number || from.1 > time_ns {
                *self = Self::default();
                self.add(number, time_ns);
            }
            return;
        }
        let measured = time_ns.saturating_sub(from.1).unsigned_abs() / (number - from.0);
        let differs = self
            .period_ns
            .is_none_or(|known| measured.abs_diff(known) > known / TOLERANCE);
        if differs && measured > 0 {
            self.period_ns = Some(measured);
        }
        if number.saturating_sub(next.0) >= MEASURED_REFRESHES {
            self.from = self.next;
            self.next = Some((number, time_ns));
        }
    }

    /// The period in ns. None: not known yet.
    pub fn period_ns(&self) -> Option<u64> {
        self.period_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: i64 = 1_000_000;

    fn target(time_ns: i64, is_relative: bool, is_nearest: bool) -> Target {
        Target {
            time_ns: time_ns.unsigned_abs(),
            is_relative,
            is_nearest,
        }
    }

    /// A display with a period of 16 ms that showed the second image at 1000 ms.
    fn schedule() -> Schedule {
        let mut schedule = Schedule::default();
        schedule.pass(970 * MS);
        schedule.pass(990 * MS);
        schedule.note_shown(2, 1000 * MS);
        schedule.period_ns = Some(16 * MS as u64);
        schedule
    }

    #[test]
    fn images_are_passed_on_between_the_refreshes_around_their_start() {
        let schedule = schedule();
        let strict = |time| schedule.start_ns(&target(time, false, false));
        // The refreshes are at 1016, 1032, 1048 ms; 12 ms before is after the refresh before.
        assert_eq!(strict(1016 * MS), Some(1004 * MS));
        assert_eq!(strict(1016 * MS + 1), Some(1020 * MS));
        assert_eq!(strict(1047 * MS), Some(1036 * MS));
        assert_eq!(strict(1000 * MS), None);
        assert_eq!(strict(3 * MS), None);
        let nearest = |time| schedule.start_ns(&target(time, false, true));
        assert_eq!(nearest(1016 * MS + 1), Some(1004 * MS));
        assert_eq!(nearest(1023 * MS), Some(1004 * MS));
        assert_eq!(nearest(1024 * MS), Some(1020 * MS));
        let relative = |time| schedule.start_ns(&target(time, true, false));
        assert_eq!(relative(32 * MS), Some(1020 * MS));
        assert_eq!(relative(33 * MS), Some(1036 * MS));
    }

    #[test]
    fn without_refreshes_images_are_passed_on_at_their_time() {
        let unknown = Schedule {
            period_ns: None,
            ..schedule()
        };
        let start =
            |schedule: Schedule, time, relative| schedule.start_ns(&target(time, relative, false));
        assert_eq!(start(unknown, 1017 * MS, false), Some(1017 * MS));
        assert_eq!(start(unknown, 17 * MS, true), Some(1017 * MS));
        let before = Schedule {
            period_ns: schedule().period_ns,
            ..Schedule::default()
        };
        assert_eq!(start(before, 1017 * MS, false), Some(1017 * MS));
        // A relative time needs an image before.
        assert_eq!(start(before, 17 * MS, true), None);
        // If that is not shown yet, its report is waited for, but not for ever.
        let mut passed = schedule();
        passed.pass(1010 * MS);
        assert_eq!(start(passed, 20 * MS, true), Some(1530 * MS));
        passed.note_shown(3, 1016 * MS);
        passed.note_shown(2, 1000 * MS);
        assert_eq!(start(passed, 32 * MS, true), Some(1036 * MS));
        // Times that no clock reaches.
        let never = Target {
            time_ns: u64::MAX,
            is_relative: true,
            is_nearest: false,
        };
        assert!(passed.start_ns(&never).is_some_and(|ns| ns > i64::MAX / 2));
    }

    #[test]
    fn periods_are_measured_over_many_refreshes() {
        let mut estimate = PeriodEstimate::default();
        estimate.add(100, 5000);
        assert_eq!(estimate.period_ns(), None);
        // The same refresh.
        estimate.add(100, 5000);
        estimate.add(101, 21_000);
        assert_eq!(estimate.period_ns(), Some(16_000));
        // Within the tolerance.
        estimate.add(102, 37_001);
        assert_eq!(estimate.period_ns(), Some(16_000));
        for number in 103..400 {
            estimate.add(number, 5000 + (number as i64 - 100) * 16_000);
        }
        assert_eq!(estimate.period_ns(), Some(16_000));
        // Another rate is found within twice as many refreshes.
        let last_ns = 5000 + 299 * 16_000;
        for number in 400..600 {
            estimate.add(number, last_ns + (number as i64 - 399) * 8000);
        }
        assert_eq!(estimate.period_ns(), Some(8000));
        // Another display, whose refreshes have other numbers.
        estimate.add(7, 10_000_000);
        assert_eq!(estimate.period_ns(), None);
        estimate.add(8, 10_007_000);
        assert_eq!(estimate.period_ns(), Some(7000));
    }
}
