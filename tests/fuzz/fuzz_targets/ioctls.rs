//! Any sequence of kernel calls with any arguments: no panic, no deadlock, and nothing open after
//! the file is closed.
#![no_main]

use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::FileExt;

use libfuzzer_sys::fuzz_target;
use uapi::i915::{
    self, ContextParamSseu, EngineClassInstance, MemoryClassInstance, RelocationEntry,
};
use uapi::{ContextParam, Exec, ExecFence, ExecObject, Kernel, SyncobjTransfer, drm};

/// Calls of one input.
const MAX_CALLS: usize = 120;
/// Larger buffers are allocated, too, but their pages are not touched.
const MAX_WRITE_BYTES: usize = 256;

/// The input, read as arguments. When it is used up, everything is zero.
struct Input<'a>(&'a [u8]);

impl Input<'_> {
    fn u8(&mut self) -> u8 {
        match self.0.split_first() {
            Some((first, rest)) => {
                self.0 = rest;
                *first
            }
            None => 0,
        }
    }

    /// A number of any size, small ones and single bits more often.
    fn number(&mut self) -> u64 {
        match self.u8() {
            small @ 0..=127 => small.into(),
            bit @ 128..=191 => 1 << (bit & 63),
            192..=223 => (0..2).fold(0, |sum, _| sum << 8 | u64::from(self.u8())) << 12,
            224..=239 => !u64::from(self.u8()),
            _ => (0..8).fold(0, |sum, _| sum << 8 | u64::from(self.u8())),
        }
    }

    fn word(&mut self) -> u32 {
        self.number() as u32
    }

    /// A handle: one that there is, mostly.
    fn pick(&mut self, known: &[u32]) -> u32 {
        match self.u8() {
            255 => self.word(),
            index if known.is_empty() => index.into(),
            index => known[usize::from(index) % known.len()],
        }
    }

    fn handles(&mut self, known: &[u32]) -> Vec<u32> {
        (0..self.u8() % 4).map(|_| self.pick(known)).collect()
    }
}

#[derive(Default)]
struct Names {
    buffers: Vec<u32>,
    contexts: Vec<u32>,
    spaces: Vec<u32>,
    syncobjs: Vec<u32>,
    descriptors: Vec<OwnedFd>,
}

/// A deadline soon enough for the fuzzer, or in the past.
fn deadline(input: &mut Input<'_>) -> i64 {
    match input.u8() % 4 {
        0 => 0,
        1 => i64::MIN,
        2 => -1,
        _ => sys::monotonic_ns() + 1_000_000,
    }
}

fn params(input: &mut Input<'_>, names: &Names) -> Vec<ContextParam> {
    (0..input.u8() % 3)
        .map(|_| match input.u8() % 4 {
            0 => ContextParam::Engines(
                (0..input.u8() % 5)
                    .map(|_| EngineClassInstance {
                        engine_class: input.number() as u16,
                        engine_instance: input.number() as u16,
                    })
                    .collect(),
            ),
            1 => ContextParam::Vm(input.pick(&names.spaces)),
            2 => {
                let (slices, subslices) = (input.number(), input.number());
                ContextParam::Sseu(ContextParamSseu {
                    slice_mask: slices,
                    subslice_mask: subslices,
                    min_eus_per_subslice: input.number() as u16,
                    max_eus_per_subslice: input.number() as u16,
                    ..bytemuck::Zeroable::zeroed()
                })
            }
            _ => ContextParam::Value {
                param: input.number(),
                value: input.number(),
            },
        })
        .collect()
}

fn exec(input: &mut Input<'_>, kernel: &dyn Kernel, names: &mut Names) {
    let mut objects: Vec<ExecObject> = (0..input.u8() % 5)
        .map(|_| ExecObject {
            handle: input.pick(&names.buffers),
            address: input.number(),
            alignment_bytes: input.number(),
            flags: input.number(),
            pad_to_bytes: input.number(),
            relocations: (0..input.u8() % 3)
                .map(|_| RelocationEntry {
                    target_handle: input.pick(&names.buffers),
                    delta: input.word(),
                    offset: input.number(),
                    presumed_offset: input.number(),
                    read_domains: input.word(),
                    write_domain: input.word(),
                })
                .collect(),
        })
        .collect();
    let fences: Vec<ExecFence> = (0..input.u8() % 3)
        .map(|_| ExecFence {
            handle: input.pick(&names.syncobjs),
            flags: input.word(),
            point: input.number(),
        })
        .collect();
    let wanted = usize::from(input.u8());
    let in_fence = names.descriptors.get(wanted).map(|fd| fd.as_fd());
    let answer = kernel.execbuffer2(Exec {
        objects: &mut objects,
        batch_start_bytes: input.word(),
        batch_bytes: input.word(),
        flags: input.number(),
        context: input.pick(&names.contexts),
        fences: &fences,
        in_fence,
        out_fence: input.u8() & 1 == 1,
    });
    if let Ok(Some(fd)) = answer {
        names.descriptors.push(fd);
    }
}

/// Words into a buffer, so that some batches are more than zeros.
fn write(input: &mut Input<'_>, kernel: &dyn Kernel, names: &Names) {
    let Ok(offset) = kernel.gem_mmap_offset(input.pick(&names.buffers), i915::MMAP_OFFSET_WB)
    else {
        return;
    };
    let Ok((fd, base)) = kernel.mapping(offset) else {
        return;
    };
    let Ok(fd) = fd.as_fd().try_clone_to_owned() else {
        return;
    };
    let bytes: Vec<u8> = (0..usize::from(input.u8()).min(MAX_WRITE_BYTES))
        .map(|_| input.u8())
        .collect();
    let file = std::fs::File::from(fd);
    // Inside: past its end the file would grow, which a dma-buf cannot.
    if file
        .metadata()
        .is_ok_and(|data| data.len() >= bytes.len() as u64)
    {
        let _ = file.write_at(&bytes, base);
    }
}

/// A response that may be anything.
fn ignore<T>(_: T) {}

fn call(input: &mut Input<'_>, kernel: &dyn Kernel, names: &mut Names) {
    let descriptor = |input: &mut Input<'_>, names: &Names| {
        let index = usize::from(input.u8());
        names
            .descriptors
            .get(index % names.descriptors.len().max(1))
            .and_then(|fd| fd.try_clone().ok())
    };
    match input.u8() % 44 {
        0 => ignore(kernel.version()),
        1 => ignore(kernel.get_cap(input.number())),
        2 => ignore(kernel.getparam(input.word() as i32)),
        3 => ignore(kernel.query(input.number(), input.word())),
        4 => ignore(kernel.reg_read(input.number())),
        5 => ignore(kernel.gem_get_aperture()),
        6 | 7 => names
            .buffers
            .extend(kernel.gem_create(input.number()).map(|made| made.0)),
        8 => {
            let region = MemoryClassInstance {
                memory_class: input.word() as u16,
                memory_instance: input.word() as u16,
            };
            let regions = vec![region; usize::from(input.u8() % 3)];
            let made = kernel.gem_create_ext(input.number(), input.word(), &regions);
            names.buffers.extend(made.map(|made| made.0));
        }
        9 => ignore(kernel.gem_close(input.pick(&names.buffers))),
        10 => ignore(kernel.gem_mmap_offset(input.pick(&names.buffers), input.number())),
        11 => ignore(kernel.mapping(input.number())),
        12 => ignore(kernel.gem_set_domain(input.pick(&names.buffers), input.word(), input.word())),
        13 => ignore(kernel.gem_busy(input.pick(&names.buffers))),
        14 => {
            // Not for as long as the fuzzer would wait.
            let nanoseconds = (input.number() as i64).min(1_000_000);
            ignore(kernel.gem_wait(input.pick(&names.buffers), nanoseconds));
        }
        15 => ignore(kernel.gem_madvise(input.pick(&names.buffers), input.word())),
        16 => ignore(kernel.gem_set_tiling(input.pick(&names.buffers), input.word(), input.word())),
        17 => ignore(kernel.gem_get_tiling(input.pick(&names.buffers))),
        18 => ignore(kernel.gem_set_caching(input.pick(&names.buffers), input.word())),
        19 => ignore(kernel.gem_get_caching(input.pick(&names.buffers))),
        20 => names
            .descriptors
            .extend(kernel.prime_handle_to_fd(input.pick(&names.buffers), input.word())),
        21 => {
            if let Some(fd) = descriptor(input, names) {
                names.buffers.extend(kernel.prime_fd_to_handle(fd.as_fd()));
            }
        }
        22 => {
            let params = params(input, names);
            names
                .contexts
                .extend(kernel.context_create(input.word(), &params));
        }
        23 => ignore(kernel.context_destroy(input.pick(&names.contexts))),
        24 => ignore(kernel.context_getparam(input.pick(&names.contexts), input.number())),
        25 => {
            for param in params(input, names) {
                let _ = kernel.context_setparam(input.pick(&names.contexts), &param);
            }
        }
        26 => names.spaces.extend(kernel.vm_create()),
        27 => ignore(kernel.vm_destroy(input.pick(&names.spaces))),
        28 => ignore(kernel.get_reset_stats(input.pick(&names.contexts))),
        29..=31 => exec(input, kernel, names),
        32 => names.syncobjs.extend(kernel.syncobj_create(input.word())),
        33 => ignore(kernel.syncobj_destroy(input.pick(&names.syncobjs))),
        34 => {
            let handles = input.handles(&names.syncobjs);
            ignore(kernel.syncobj_wait(&handles, deadline(input), input.word()));
        }
        35 => {
            let handles = input.handles(&names.syncobjs);
            let points: Vec<u64> = (0..input.u8() % 4).map(|_| input.number()).collect();
            ignore(kernel.syncobj_timeline_wait(&handles, &points, deadline(input), input.word()));
        }
        36 => ignore(kernel.syncobj_reset(&input.handles(&names.syncobjs))),
        37 => ignore(kernel.syncobj_signal(&input.handles(&names.syncobjs))),
        38 => {
            let handles = input.handles(&names.syncobjs);
            let points: Vec<u64> = (0..input.u8() % 4).map(|_| input.number()).collect();
            ignore(kernel.syncobj_timeline_signal(&handles, &points));
        }
        39 => ignore(kernel.syncobj_query(&input.handles(&names.syncobjs), input.word())),
        40 => {
            let transfer = SyncobjTransfer {
                source: input.pick(&names.syncobjs),
                source_point: input.number(),
                destination: input.pick(&names.syncobjs),
                destination_point: input.number(),
                // A wait for somebody to submit takes seconds: as long as the kernel's.
                flags: input.word() & !drm::SYNCOBJ_WAIT_FOR_SUBMIT,
            };
            ignore(kernel.syncobj_transfer(transfer));
        }
        41 => names
            .descriptors
            .extend(kernel.syncobj_handle_to_fd(input.pick(&names.syncobjs), input.word())),
        42 => {
            if let Some(fd) = descriptor(input, names) {
                let handle = input.pick(&names.syncobjs);
                names.syncobjs.extend(kernel.syncobj_fd_to_handle(
                    fd.as_fd(),
                    handle,
                    input.word(),
                ));
            }
        }
        _ => write(input, kernel, names),
    }
}

/// Descriptors that the process has open.
fn open_descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").map_or(0, |list| list.count())
}

fuzz_target!(|data: &[u8]| {
    let before = open_descriptors();
    {
        let mut input = Input(data);
        let options = kmd::Options {
            strict: input.u8() & 1 == 1,
            hang_seconds: 1,
            cpu_threads: 1,
            ..kmd::Options::default()
        };
        let device = kmd::Device::new("skl", options).expect("a device");
        // Two files of one device: handles of one mean nothing to the other, descriptors do.
        let files = [device.open(), device.open()];
        let mut names = [Names::default(), Names::default()];
        for _ in 0..MAX_CALLS {
            if input.0.is_empty() {
                break;
            }
            let which = usize::from(input.u8() & 1);
            call(&mut input, &*files[which], &mut names[which]);
            if input.u8() == 77 {
                let fds = std::mem::take(&mut names[which].descriptors);
                names[1 - which].descriptors.extend(fds);
            }
        }
    }
    assert_eq!(open_descriptors(), before, "descriptors left open");
});
