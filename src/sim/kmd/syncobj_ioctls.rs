//! The syncobj ioctls of a file.
//!
//! In:  handles, points, flags. Out: their results, or the errno that the real kernel returns.

use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::Arc;

use uapi::{Errno, Result, SyncobjTransfer, drm};

use crate::fence::{Fence, lock};
use crate::file::File;
use crate::syncobj::Syncobj;

impl File {
    fn syncobj(&self, handle: u32) -> Result<Arc<Syncobj>> {
        lock(&self.state)
            .syncobjs
            .get(handle)
            .cloned()
            .ok_or(Errno::ENOENT)
    }

    fn syncobjs(&self, handles: &[u32]) -> Result<Vec<Arc<Syncobj>>> {
        let state = lock(&self.state);
        handles
            .iter()
            .map(|&handle| state.syncobjs.get(handle).cloned().ok_or(Errno::ENOENT))
            .collect()
    }

    pub(crate) fn create_syncobj(&self, flags: u32) -> Result<u32> {
        if flags & !drm::SYNCOBJ_CREATE_SIGNALED != 0 {
            return Err(Errno::EINVAL);
        }
        lock(&self.state)
            .syncobjs
            .insert(Syncobj::new(flags & drm::SYNCOBJ_CREATE_SIGNALED != 0))
    }

    pub(crate) fn destroy_syncobj(&self, handle: u32) -> Result<()> {
        // The kernel returns EINVAL here, not ENOENT.
        lock(&self.state)
            .syncobjs
            .remove(handle)
            .map(drop)
            .ok_or(Errno::EINVAL)
    }

    /// Waits for points of syncobjs (0: their binary fences) until a deadline in ns of the
    /// monotonic clock. Returns the index of the first one that is signalled.
    pub(crate) fn wait_syncobjs(
        &self,
        handles: &[u32],
        points: &[u64],
        deadline_ns: i64,
        flags: u32,
    ) -> Result<u32> {
        let all = flags & drm::SYNCOBJ_WAIT_ALL != 0;
        let available = flags & drm::SYNCOBJ_WAIT_AVAILABLE != 0;
        let absent_ok = flags & (drm::SYNCOBJ_WAIT_FOR_SUBMIT | drm::SYNCOBJ_WAIT_AVAILABLE) != 0;
        let syncobjs = self.syncobjs(handles)?;
        self.device.wait_queue.wait_until(deadline_ns, || {
            let mut ready = 0;
            let mut first = None;
            for (index, (syncobj, &point)) in syncobjs.iter().zip(points).enumerate() {
                let is_ready = match syncobj.status(point) {
                    Some(signalled) => signalled || available,
                    None if absent_ok => false,
                    None => return Err(Errno::EINVAL),
                };
                if is_ready {
                    ready += 1;
                    first = first.or(Some(index as u32));
                }
            }
            let enough = ready == syncobjs.len() || (!all && ready > 0);
            Ok(enough.then(|| first.unwrap_or(0)))
        })
    }

    /// Adds 1 to an eventfd once a point of a syncobj is signalled.
    pub(crate) fn watch_syncobj(
        &self,
        handle: u32,
        point: u64,
        eventfd: BorrowedFd<'_>,
    ) -> Result<()> {
        let syncobj = self.syncobj(handle)?;
        let event = sys::dup_high(eventfd)?;
        let is_ready = move || syncobj.status(point) == Some(true);
        self.device.wait_queue.watch(Box::new(is_ready), event);
        Ok(())
    }

    pub(crate) fn reset_syncobjs(&self, handles: &[u32]) -> Result<()> {
        let syncobjs = self.syncobjs(non_empty(handles)?)?;
        syncobjs.iter().for_each(|syncobj| syncobj.reset());
        Ok(())
    }

    pub(crate) fn signal_syncobjs(&self, handles: &[u32]) -> Result<()> {
        let syncobjs = self.syncobjs(non_empty(handles)?)?;
        self.device
            .wait_queue
            .notify_with(|| syncobjs.iter().for_each(|syncobj| syncobj.replace(&[])));
        Ok(())
    }

    pub(crate) fn signal_timelines(&self, handles: &[u32], points: &[u64]) -> Result<()> {
        let syncobjs = self.syncobjs(non_empty(handles)?)?;
        self.device.wait_queue.notify_with(|| {
            for (syncobj, &point) in syncobjs.iter().zip(points) {
                syncobj.add_point(point, &[]);
            }
        });
        Ok(())
    }

    pub(crate) fn query_syncobjs(&self, handles: &[u32], flags: u32) -> Result<Vec<u64>> {
        if flags & !drm::SYNCOBJ_QUERY_LAST_SUBMITTED != 0 {
            return Err(Errno::EINVAL);
        }
        let syncobjs = self.syncobjs(non_empty(handles)?)?;
        Ok(syncobjs
            .iter()
            .map(|syncobj| syncobj.query(flags != 0))
            .collect())
    }

    pub(crate) fn transfer(&self, transfer: SyncobjTransfer) -> Result<()> {
        if transfer.flags & !drm::SYNCOBJ_WAIT_FOR_SUBMIT != 0 {
            return Err(Errno::EINVAL);
        }
        let destination = self.syncobj(transfer.destination)?;
        let source = self.syncobj(transfer.source)?;
        let fences = match transfer.flags {
            0 => source.find(transfer.source_point).ok_or(Errno::EINVAL)?,
            // Like the kernel: wait at most five seconds for a submission.
            _ => {
                let deadline = sys::monotonic_ns().saturating_add(5_000_000_000);
                self.device
                    .wait_queue
                    .wait_until(deadline, || Ok(source.find(transfer.source_point)))?
            }
        };
        self.device
            .wait_queue
            .notify_with(|| match transfer.destination_point {
                0 => destination.replace(&fences),
                point => destination.add_point(point, &fences),
            });
        Ok(())
    }

    pub(crate) fn export_syncobj(&self, handle: u32, flags: u32) -> Result<OwnedFd> {
        let syncobj = self.syncobj(handle)?;
        match flags {
            0 => self.device.export_syncobj(&syncobj),
            drm::SYNCOBJ_FD_SYNC_FILE => {
                let fences: Vec<Arc<Fence>> = syncobj.find(0).ok_or(Errno::EINVAL)?;
                self.device.export_sync_file(fences)
            }
            _ => Err(Errno::EINVAL),
        }
    }

    pub(crate) fn import_syncobj(
        &self,
        fd: BorrowedFd<'_>,
        handle: u32,
        flags: u32,
    ) -> Result<u32> {
        match flags {
            0 => lock(&self.state)
                .syncobjs
                .insert(self.device.import_syncobj(fd)?),
            drm::SYNCOBJ_FD_SYNC_FILE => {
                let fences = self.device.import_sync_file(fd)?;
                let syncobj = self.syncobj(handle)?;
                self.device
                    .wait_queue
                    .notify_with(|| syncobj.replace(&fences));
                Ok(handle)
            }
            _ => Err(Errno::EINVAL),
        }
    }
}

fn non_empty(handles: &[u32]) -> Result<&[u32]> {
    if handles.is_empty() {
        Err(Errno::EINVAL)
    } else {
        Ok(handles)
    }
}

#[cfg(test)]
mod tests;
