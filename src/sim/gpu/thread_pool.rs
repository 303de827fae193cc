//! Host threads that share the work of dispatches and draws, started on first use and joined when
//! the simulated GPU is dropped.
//!
//! In:  items of work. Out: the result of each; the calling thread works on the first item.

use rayon_core::{ThreadPool, ThreadPoolBuilder};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::JoinHandle;

/// Host threads beside the calling thread.
#[derive(Clone, Default)]
pub struct Pool(Arc<OnceLock<Option<Threads>>>);

struct Threads {
    /// `None` once the threads are told to end.
    pool: Option<ThreadPool>,
    handles: Vec<JoinHandle<()>>,
}

impl Threads {
    fn start(count: usize) -> Option<Threads> {
        let handles = Mutex::new(Vec::new());
        let pool = ThreadPoolBuilder::new()
            .num_threads(count)
            .spawn_handler(|thread| {
                let named = std::thread::Builder::new().name("ingot-part".into());
                let handle = named.spawn(|| thread.run())?;
                let mut handles = handles.lock().unwrap_or_else(|e| e.into_inner());
                handles.push(handle);
                Ok(())
            })
            .build();
        Some(Threads {
            pool: Some(pool.ok()?),
            handles: handles.into_inner().unwrap_or_else(|e| e.into_inner()),
        })
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        self.pool = None;
        for handle in self.handles.drain(..) {
            // A panic in an item has been propagated to the caller already.
            let _ = handle.join();
        }
    }
}

impl Pool {
    /// Runs `work` on each item, with its index, on up to `max_threads` threads. Returns the
    /// results in the order of the items.
    pub(crate) fn each<T: Send, R: Send>(
        &self,
        max_threads: usize,
        parts: &mut [T],
        work: impl Fn(usize, &mut T) -> R + Sync,
    ) -> Vec<R> {
        let additional = max_threads.saturating_sub(1);
        let threads = match additional > 0 && parts.len() > 1 {
            true => self.0.get_or_init(|| Threads::start(additional)).as_ref(),
            false => None,
        };
        let Some(pool) = threads.and_then(|threads| threads.pool.as_ref()) else {
            let each = parts.iter_mut().enumerate();
            return each.map(|(number, part)| work(number, part)).collect();
        };
        let mut results: Vec<Option<R>> = parts.iter().map(|_| None).collect();
        pool.in_place_scope(|scope| {
            let work = &work;
            let mut each = parts.iter_mut().zip(&mut results).enumerate();
            let first = each.next();
            for (number, (part, result)) in each {
                scope.spawn(move |_| *result = Some(work(number, part)));
            }
            if let Some((number, (part, result))) = first {
                *result = Some(work(number, part));
            }
        });
        results.into_iter().flatten().collect()
    }
}

impl std::fmt::Debug for Pool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let threads = self.0.get().and_then(Option::as_ref);
        let count = threads.map_or(0, |threads| threads.handles.len());
        write!(f, "{count} threads")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    #[test]
    fn items_run_once_and_results_are_in_order() {
        let pool = Pool::default();
        for max_threads in [1, 2, 4] {
            let pool = if max_threads == 4 {
                Pool::default()
            } else {
                pool.clone()
            };
            for count in [0, 1, 2, 9] {
                let mut parts: Vec<usize> = (0..count).collect();
                let done = AtomicUsize::new(0);
                let found = pool.each(max_threads, &mut parts, |number, part| {
                    done.fetch_add(1, Relaxed);
                    *part += 100;
                    number * 2
                });
                assert_eq!(found, (0..count).map(|n| n * 2).collect::<Vec<_>>());
                assert_eq!(parts, (100..100 + count).collect::<Vec<_>>());
                assert_eq!(done.load(Relaxed), count);
            }
        }
    }

    #[test]
    fn pool_starts_few_threads_and_joins_them() {
        let pool = Pool::default();
        assert_eq!(format!("{pool:?}"), "0 threads");
        pool.each(3, &mut [(); 8], |_, _| ());
        pool.each(3, &mut [(); 8], |_, _| ());
        assert_eq!(format!("{pool:?}"), "2 threads");
        drop(pool);
    }

    #[test]
    fn panics_propagate_to_the_caller() {
        let pool = Pool::default();
        let asked = std::panic::AssertUnwindSafe(|| {
            pool.each(2, &mut [(); 4], |number, _| assert_ne!(number, 2));
        });
        assert!(std::panic::catch_unwind(asked).is_err());
        assert_eq!(pool.each(2, &mut [(); 2], |number, _| number), [0, 1]);
    }
}
