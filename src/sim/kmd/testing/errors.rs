use super::*;

/// An execbuf that works, to be spoilt.
struct Good {
    file: Arc<File>,
    context: u32,
    target: Buffer,
    batch: Buffer,
}

impl Good {
    fn new() -> Self {
        let file = open();
        let context = context(&file);
        let target = Buffer::new(&file, 8192);
        let batch = Buffer::with(&file, &[BATCH_END]);
        Self {
            file,
            context,
            target,
            batch,
        }
    }

    fn objects(&self) -> [ExecObject; 2] {
        [self.target.at(0x10_0000), self.batch.at(0x20_0000)]
    }

    fn with(&self, spoil: impl FnOnce(&mut [ExecObject; 2])) -> Result<()> {
        let mut objects = self.objects();
        spoil(&mut objects);
        exec(&self.file, self.context, &mut objects, &[])
    }

    fn exec(&self, flags: u64, start: u32, bytes: u32) -> Result<()> {
        let exec = Exec {
            objects: &mut self.objects(),
            batch_start_bytes: start,
            batch_bytes: bytes,
            flags,
            context: self.context,
            fences: &[],
            in_fence: None,
            out_fence: false,
        };
        self.file.execbuffer2(exec).map(drop)
    }
}

#[test]
fn addresses_are_checked() {
    let good = Good::new();
    good.with(|_| ()).unwrap();
    let at = |address: u64| good.with(|objects| objects[0].address = address);
    assert_eq!(at(0x10_0800), Err(Errno::EINVAL), "within a page");
    assert_eq!(at(1 << 48), Err(Errno::EINVAL), "beyond 48 bits");
    assert_eq!(at(1 << 47), Err(Errno::EINVAL), "not canonical");
    assert_eq!(at(0xffff_8000_0000_0000), Ok(()), "canonical");
    assert_eq!(
        at(0xffff_ffff_ffff_f000),
        Err(Errno::EINVAL),
        "the second page is beyond the end"
    );
    assert_eq!(at(0x20_0000), Err(Errno::ENOSPC), "on the batch");
    assert_eq!(at(0x1f_f000), Err(Errno::ENOSPC), "into the batch");
    assert_eq!(at(0x1f_e000), Ok(()), "before the batch");
    let low = |address: u64| {
        good.with(|objects| {
            objects[0].address = address;
            objects[0].flags = i915::EXEC_OBJECT_PINNED;
        })
    };
    assert_eq!(
        low(0x1_0000_0000),
        Err(Errno::EINVAL),
        "above 4 GiB without saying so"
    );
    assert_eq!(low(0x4000_0000), Ok(()));
    let align = |alignment| good.with(|objects| objects[0].alignment_bytes = alignment);
    assert_eq!(align(0x3000), Err(Errno::EINVAL), "no power of two");
    assert_eq!(align(1 << 40), Err(Errno::EINVAL), "not aligned that much");
    assert_eq!(align(0x1000), Ok(()));
    let pad = |bytes| {
        good.with(|objects| {
            objects[0].flags |= i915::EXEC_OBJECT_PAD_TO_SIZE;
            objects[0].pad_to_bytes = bytes;
        })
    };
    assert_eq!(pad(0x1001), Err(Errno::EINVAL));
    assert_eq!(pad(0x10_1000), Err(Errno::ENOSPC), "padded into the batch");
    assert_eq!(pad(0x10_0000), Ok(()));
}

#[test]
fn objects_are_checked() {
    let good = Good::new();
    assert_eq!(
        good.with(|objects| objects[0].handle = 99),
        Err(Errno::ENOENT)
    );
    assert_eq!(
        good.with(|objects| objects[0].handle = 0),
        Err(Errno::ENOENT)
    );
    assert_eq!(
        good.with(|objects| objects[0].handle = objects[1].handle),
        Err(Errno::EINVAL)
    );
    assert_eq!(
        good.with(|objects| objects[0].flags |= 1 << 8),
        Err(Errno::EINVAL)
    );
    assert_eq!(
        good.with(|objects| objects[1].flags |= i915::EXEC_OBJECT_WRITE),
        Err(Errno::EINVAL)
    );
    assert_eq!(
        exec(&good.file, good.context, &mut [], &[]),
        Err(Errno::EINVAL)
    );
    assert_eq!(
        exec(&good.file, 77, &mut good.objects(), &[]),
        Err(Errno::ENOENT)
    );
    assert_eq!(exec(&good.file, 0, &mut good.objects(), &[]), Ok(()));
}

#[test]
fn flags_and_lengths_are_checked() {
    let good = Good::new();
    assert_eq!(good.exec(0, 0, 8), Ok(()));
    assert_eq!(
        good.exec(1, 0, 0),
        Err(Errno::EINVAL),
        "the context has one engine"
    );
    for flag in [1 << 6, 1 << 8, 1 << 9, 1 << 15, 1 << 22, 1 << 63] {
        assert_eq!(good.exec(flag, 0, 0), Err(Errno::EINVAL), "flag {flag:#x}");
    }
    assert_eq!(good.exec(0, 4, 0), Err(Errno::EINVAL), "start");
    assert_eq!(good.exec(0, 0, 12), Err(Errno::EINVAL), "length");
    assert_eq!(good.exec(0, 4096, 0), Err(Errno::EINVAL), "nothing left");
    assert_eq!(good.exec(0, 8, 4096), Err(Errno::EINVAL), "beyond the end");
}

#[test]
fn fences_are_checked() {
    let good = Good::new();
    let file = &good.file;
    let fence = |fence| exec(file, good.context, &mut good.objects(), &[fence]);
    assert_eq!(fence(wait_for(5)), Err(Errno::ENOENT));
    let syncobj = file.syncobj_create(0).unwrap();
    assert_eq!(
        fence(wait_for(syncobj)),
        Err(Errno::EINVAL),
        "nobody has submitted it"
    );
    assert_eq!(
        fence(ExecFence {
            flags: 4,
            ..signal(syncobj)
        }),
        Err(Errno::EINVAL)
    );
    fence(signal(syncobj)).unwrap();
    assert_eq!(fence(wait_for(syncobj)), Ok(()));
    assert_eq!(
        fence(ExecFence {
            point: 3,
            ..wait_for(syncobj)
        }),
        Err(Errno::EINVAL)
    );
    assert_eq!(file.syncobj_wait(&[], 0, 0), Err(Errno::EINVAL));
    assert_eq!(file.syncobj_wait(&[syncobj], 0, 8), Err(Errno::EINVAL));
    assert_eq!(file.syncobj_wait(&[99], 0, 0), Err(Errno::ENOENT));
    assert_eq!(file.syncobj_create(2), Err(Errno::EINVAL));
    assert_eq!(file.syncobj_destroy(99), Err(Errno::EINVAL));
    assert_eq!(file.syncobj_reset(&[]), Err(Errno::EINVAL));
}

#[test]
fn contexts_are_checked() {
    let file = open();
    let create = |params: &[ContextParam]| file.context_create(1, params);
    let value = |param, value| create(&[ContextParam::Value { param, value }]);
    let nowhere = EngineClassInstance {
        engine_class: 7,
        engine_instance: 0,
    };
    assert_eq!(
        create(&[ContextParam::Engines(vec![nowhere])]),
        Err(Errno::ENOENT)
    );
    assert_eq!(create(&[ContextParam::Vm(3)]), Err(Errno::ENOENT));
    assert_eq!(create(&[ContextParam::priority(1024)]), Err(Errno::EINVAL));
    assert!(create(&[ContextParam::priority(-1023)]).is_ok());
    assert_eq!(
        value(i915::CONTEXT_PARAM_PROTECTED_CONTENT, 1),
        Err(Errno::ENODEV)
    );
    assert_eq!(value(i915::CONTEXT_PARAM_GTT_SIZE, 1), Err(Errno::EINVAL));
    assert_eq!(value(0x8000_0000, 0), Err(Errno::EINVAL));
    assert_eq!(file.context_create(4, &[]), Err(Errno::EINVAL));
    assert_eq!(file.context_destroy(0), Err(Errno::ENOENT));
    assert_eq!(file.context_getparam(50, 3), Err(Errno::ENOENT));
    assert_eq!(file.vm_destroy(9), Err(Errno::ENOENT));
    let hsw = hw::Device::by_name("hsw").unwrap();
    let hsw = Device::of(hsw, Options::default()).open();
    assert_eq!(
        hsw.context_setparam(0, &ContextParam::priority(0)),
        Err(Errno::ENODEV)
    );
}

#[test]
fn buffers_are_checked() {
    let file = open();
    assert_eq!(file.gem_create(0), Err(Errno::EINVAL));
    assert_eq!(file.gem_create(u64::MAX), Err(Errno::EINVAL));
    assert_eq!(file.gem_create(1 << 62), Err(Errno::E2BIG));
    assert_eq!(file.gem_create_ext(4096, 1, &[]), Err(Errno::EINVAL));
    let local = i915::MemoryClassInstance {
        memory_class: i915::MEMORY_CLASS_DEVICE,
        memory_instance: 0,
    };
    assert_eq!(file.gem_create_ext(4096, 0, &[local]), Err(Errno::EINVAL));
    let (handle, bytes) = file.gem_create(1).unwrap();
    assert_eq!(bytes, 4096);
    assert_eq!(file.gem_mmap_offset(handle, 9), Err(Errno::EINVAL));
    assert_eq!(file.gem_mmap_offset(handle + 1, 0), Err(Errno::ENOENT));
    assert_eq!(file.mapping(12345).unwrap_err(), Errno::EINVAL);
    assert_eq!(file.gem_set_domain(handle, 2, 0), Err(Errno::EINVAL));
    assert_eq!(file.gem_set_tiling(handle, 1, 100), Err(Errno::EINVAL));
    assert_eq!(
        file.gem_set_tiling(handle, 1, 512)
            .map(|tiling| tiling.mode),
        Ok(1)
    );
    assert_eq!(file.gem_madvise(handle, 5), Err(Errno::EINVAL));
    assert_eq!(file.gem_set_caching(handle, 3), Err(Errno::EINVAL));
    assert_eq!(file.gem_pread(handle, 4000, 97).unwrap_err(), Errno::EINVAL);
    assert_eq!(file.gem_pwrite(handle, u64::MAX, &[0]), Err(Errno::EINVAL));
    file.gem_close(handle).unwrap();
    assert_eq!(file.gem_close(handle), Err(Errno::EINVAL));
    assert_eq!(file.gem_wait(handle, 0), Err(Errno::ENOENT));
}
