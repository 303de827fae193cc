//! Ioctls with valid and invalid arguments, by libc's ioctl.

mod fuzz;

use std::os::fd::AsFd;

use uapi::drm;
use uapi::i915;
use uapi::mode;

use crate::testing::{call, open, raw};
use std::os::fd::{AsRawFd, OwnedFd};
use uapi::{Errno, Result};

#[test]
fn short_and_long_ioctl_arguments_are_padded_or_truncated() {
    let node = open();
    // The old form of GEM_CONTEXT_CREATE, of eight bytes.
    let old = call(
        &node,
        i915::GEM_CONTEXT_CREATE,
        i915::GemContextCreate::default(),
    )
    .unwrap();
    let new = i915::GemContextCreateExt::default();
    let new = call(&node, i915::GEM_CONTEXT_CREATE_EXT, new).unwrap();
    assert_eq!(new.ctx_id, old.ctx_id + 1);
    // A longer argument than the kernel knows: the rest is ignored and unchanged.
    let mut long = [0_u64, 0, 77];
    long[0] = 4096;
    let request = (i915::GEM_CREATE & !0x3fff_0000) | 24 << 16;
    raw(&node, request, long.as_mut_ptr() as u64).unwrap();
    assert!(long[1] != 0 && long[2] == 77);
    // MMAP_GTT and MMAP_OFFSET are one number.
    let handle = long[1] as u32;
    let gtt = call(
        &node,
        i915::GEM_MMAP_GTT,
        i915::GemMmapGtt {
            handle,
            ..Default::default()
        },
    );
    let offset = i915::GemMmapOffset {
        handle,
        flags: 2,
        ..Default::default()
    };
    let offset = call(&node, i915::GEM_MMAP_OFFSET, offset).unwrap().offset;
    assert_eq!(gtt.unwrap().offset, offset);
    let mapping = Mapped::new(&node, 4096, offset).unwrap();
    assert_eq!(mapping.0.words().len(), 1024);
    assert_eq!(Mapped::new(&node, 8192, offset).err(), Some(Errno::EINVAL));
    assert_eq!(
        Mapped::new(&node, 4096, offset + 4096).err(),
        Some(Errno::EINVAL)
    );
}

/// A mapping as libc's mmap makes it.
struct Mapped(sys::Mapping);

impl Mapped {
    fn new(node: &OwnedFd, bytes: usize, offset: u64) -> Result<Self> {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let (shared, fd) = (libc::MAP_SHARED, node.as_raw_fd());
        // SAFETY: where there is room.
        let base = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                bytes,
                protection,
                shared,
                fd,
                offset as i64,
            )
        };
        if base == libc::MAP_FAILED {
            return Err(Errno(
                std::io::Error::last_os_error().raw_os_error().unwrap(),
            ));
        }
        // SAFETY: the mapping stays for ever.
        Ok(Self(unsafe {
            sys::Mapping::borrow(std::ptr::NonNull::new(base.cast()).unwrap(), bytes)
        }))
    }
}

#[test]
fn bad_addresses_are_efault() {
    let node = open();
    for address in [0, 8, 0x7fff_ffff_ffff_f000, u64::MAX - 3] {
        assert_eq!(
            raw(&node, i915::GETPARAM, address),
            Err(Errno::EFAULT),
            "{address:#x}"
        );
        let param = i915::Getparam {
            param: i915::PARAM_CHIPSET_ID,
            value: address,
            ..Default::default()
        };
        assert_eq!(
            call(&node, i915::GETPARAM, param),
            Err(Errno::EFAULT),
            "{address:#x}"
        );
        let wait = drm::SyncobjWait {
            handles: address,
            count_handles: 1,
            ..Default::default()
        };
        assert_eq!(call(&node, drm::SYNCOBJ_WAIT, wait), Err(Errno::EFAULT));
        let exec = i915::Execbuffer2 {
            buffers_ptr: address,
            buffer_count: 1,
            ..Default::default()
        };
        assert_eq!(call(&node, i915::GEM_EXECBUFFER2, exec), Err(Errno::EFAULT));
        let query = i915::Query {
            num_items: 1,
            items_ptr: address,
            ..Default::default()
        };
        assert_eq!(call(&node, i915::QUERY, query), Err(Errno::EFAULT));
    }
    let user = i915::GemUserptr {
        user_ptr: 0x1000,
        user_size: 4096,
        flags: 2,
        handle: 0,
    };
    assert_eq!(call(&node, i915::GEM_USERPTR, user), Err(Errno::EFAULT));
    let many = drm::SyncobjWait {
        count_handles: u32::MAX,
        ..Default::default()
    };
    assert_eq!(call(&node, drm::SYNCOBJ_WAIT, many), Err(Errno::ENOMEM));
}

#[test]
fn unknown_ioctls_are_einval_and_other_files_pass_through() {
    let node = open();
    for number in [0x20_u32, 0x41, 0x9f, 0xfe] {
        let request = 0xc010_6400 | number;
        assert_eq!(
            call(&node, request, [0_u64; 2]),
            Err(Errno::EINVAL),
            "{number:#x}"
        );
    }
    let file = OwnedFd::from(std::fs::File::open("/proc/self/exe").unwrap());
    assert_eq!(
        call(&file, drm::VERSION, drm::Version::default()),
        Err(Errno::ENOTTY)
    );
}

/// What Linux answers, by the flags in drm_ioctl.c's table: a render node lacks whatever concerns
/// displays, magics and the master; on a primary node another client is the master, and a device
/// without a display has no KMS.
#[test]
fn a_device_without_a_display_refuses_masters_ioctls_and_modes() {
    const AUTH_MAGIC: u32 = 0x4004_6411;
    let render = open();
    let primary = sys::open_node(std::path::Path::new("/dev/dri/card0")).unwrap();
    let error = |node: &OwnedFd, request: u32| call(node, request, [0_u64; 16]).unwrap_err();
    let sized = |number: u32| 0xc040_6400 | number;
    let (denied, none) = (Errno::EACCES, Errno::EOPNOTSUPP);
    for (request, on_render, on_primary) in [
        (AUTH_MAGIC, denied, denied),
        (sized(0x1e), denied, denied),
        (drm::SET_CLIENT_CAP, denied, none),
        (mode::GETRESOURCES, denied, none),
        (mode::GETPLANERESOURCES, denied, none),
        (mode::ADDFB2, denied, none),
        // The master's alone: SETCRTC, PAGE_FLIP, ATOMIC, CREATE_LEASE.
        (mode::SETCRTC, denied, denied),
        (mode::PAGE_FLIP, denied, denied),
        (sized(0xbc), denied, denied),
        (sized(0xc6), denied, denied),
        // GETFB2, GET_UNIQUE.
        (sized(0xce), denied, none),
        (sized(0x01), denied, Errno::EINVAL),
    ] {
        assert_eq!(error(&render, request), on_render, "{request:#x}");
        assert_eq!(error(&primary, request), on_primary, "{request:#x}");
    }
    for node in [&render, &primary] {
        let cap = drm::GetCap {
            capability: 0x13,
            value: 0,
        };
        assert!(call(node, drm::GET_CAP, cap).is_ok());
    }
}

#[test]
fn queries_return_their_length_first() {
    let node = open();
    let ask = |length: i32, data_ptr: u64| {
        let mut item = i915::QueryItem {
            query_id: i915::QUERY_TOPOLOGY_INFO,
            length,
            flags: 0,
            data_ptr,
        };
        let items_ptr = &raw mut item as u64;
        call(
            &node,
            i915::QUERY,
            i915::Query {
                num_items: 1,
                flags: 0,
                items_ptr,
            },
        )
        .unwrap();
        item.length
    };
    let need = ask(0, 0);
    assert_eq!(need, 21);
    let mut room = [0_u8; 21];
    assert_eq!(ask(need, room.as_mut_ptr() as u64), need);
    assert_eq!(room[16..], [1, 0b111, 0xff, 0xff, 0xff]);
    assert_eq!(ask(need - 1, room.as_mut_ptr() as u64), -Errno::EINVAL.0);
    assert_eq!(ask(need, 8), -Errno::EFAULT.0);
}

#[test]
fn userptr_buffers() {
    let node = open();
    let memory = sys::memfd(c"pages", 8192).unwrap();
    let pages = sys::Mapping::new(memory.as_fd(), 0, 8192).unwrap();
    let user = i915::GemUserptr {
        user_ptr: pages.address() as u64,
        user_size: 8192,
        flags: 2,
        handle: 0,
    };
    let buffer = call(&node, i915::GEM_USERPTR, user).unwrap().handle;
    // MI_STORE_DATA_IMM to the second page, MI_BATCH_BUFFER_END.
    let batch = [0x20_u32 << 23 | 2, 0x10_1000, 0, 99, 0x0a << 23, 0]
        .map(u32::to_le_bytes)
        .concat();
    pages.write(0, &batch).unwrap();
    let mut object = i915::ExecObject2 {
        handle: buffer,
        offset: 0x10_0000,
        flags: 16,
        ..Default::default()
    };
    let exec = i915::Execbuffer2 {
        buffers_ptr: &raw mut object as u64,
        buffer_count: 1,
        ..Default::default()
    };
    call(&node, i915::GEM_EXECBUFFER2, exec).unwrap();
    call(
        &node,
        i915::GEM_WAIT,
        i915::GemWait {
            bo_handle: buffer,
            flags: 0,
            timeout_ns: -1,
        },
    )
    .unwrap();
    assert_eq!(
        pages.words()[1024].load(std::sync::atomic::Ordering::Relaxed),
        99
    );
    // There is nothing to export, and no other way to map it.
    let prime = drm::PrimeHandle {
        handle: buffer,
        ..Default::default()
    };
    assert_eq!(
        call(&node, drm::PRIME_HANDLE_TO_FD, prime),
        Err(Errno::EINVAL)
    );
    let map = i915::GemMmapOffset {
        handle: buffer,
        ..Default::default()
    };
    assert_eq!(call(&node, i915::GEM_MMAP_OFFSET, map), Err(Errno::ENODEV));
    let close = drm::GemClose {
        handle: buffer,
        pad: 0,
    };
    call(&node, drm::GEM_CLOSE, close).unwrap();
    let crooked = i915::GemUserptr {
        user_ptr: pages.address() as u64 + 8,
        ..user
    };
    assert_eq!(call(&node, i915::GEM_USERPTR, crooked), Err(Errno::EINVAL));
}

/// A chain of extensions that leads back to itself ends in an error.
#[test]
fn cyclic_extension_chains_are_refused() {
    let node = open();
    let param = i915::GemContextParam {
        param: i915::CONTEXT_PARAM_RECOVERABLE,
        ..Default::default()
    };
    let create = |extensions| {
        let create = i915::GemContextCreateExt {
            ctx_id: 0,
            flags: 1,
            extensions,
        };
        call(&node, i915::GEM_CONTEXT_CREATE_EXT, create).map(drop)
    };
    let link = |base| [i915::GemContextCreateExtSetparam { base, param }];
    assert_eq!(create(link(Default::default()).as_ptr() as u64), Ok(()));
    let memory = sys::memfd(c"link", 4096).unwrap();
    let shared = sys::Mapping::new(memory.as_fd(), 0, 4096).unwrap();
    let address = shared.address() as u64;
    let next_extension = address;
    let endless = link(i915::UserExtension {
        next_extension,
        ..Default::default()
    });
    shared.write(0, bytemuck::cast_slice(&endless)).unwrap();
    assert_eq!(create(address), Err(Errno::E2BIG));
    let unknown = i915::UserExtension {
        name: 9,
        ..Default::default()
    };
    assert_eq!(create(link(unknown).as_ptr() as u64), Err(Errno::EINVAL));
    assert_eq!(create(12), Err(Errno::EFAULT));
}

#[test]
fn dma_bufs_are_separate_files() {
    let node = open();
    let create = i915::GemCreate {
        size: 8192,
        ..Default::default()
    };
    let handle = call(&node, i915::GEM_CREATE, create).unwrap().handle;
    let prime = drm::PrimeHandle {
        handle,
        flags: drm::PRIME_CLOEXEC | drm::PRIME_RDWR,
        fd: -1,
    };
    let prime = call(&node, drm::PRIME_HANDLE_TO_FD, prime).unwrap();
    // SAFETY: the kernel has just given it to us.
    let dma_buf = unsafe { <OwnedFd as std::os::fd::FromRawFd>::from_raw_fd(prime.fd) };
    assert_eq!(sys::file_len_bytes(dma_buf.as_fd()), Ok(8192));
    assert_eq!(call(&dma_buf, crate::ioctl::DMA_BUF_SYNC, 3_u64), Ok(3));
    assert_eq!(
        call(&dma_buf, crate::ioctl::DMA_BUF_SYNC, 9_u64),
        Err(Errno::EINVAL)
    );
    let sync_file = |flags, fd| crate::ioctl::DmaBufSyncFile { flags, fd };
    let export = |flags| {
        let argument = sync_file(flags, -1);
        call(&dma_buf, crate::ioctl::DMA_BUF_EXPORT_SYNC_FILE, argument).map(|out| out.fd)
    };
    let import = |flags, fd| {
        let argument = sync_file(flags, fd);
        call(&dma_buf, crate::ioctl::DMA_BUF_IMPORT_SYNC_FILE, argument).map(|_| ())
    };
    for flags in 1..4 {
        // SAFETY: the kernel has just given it to us.
        let fences =
            unsafe { <OwnedFd as std::os::fd::FromRawFd>::from_raw_fd(export(flags).unwrap()) };
        assert_eq!(sys::poll_readable(fences.as_fd()), Ok(true));
        assert_eq!(import(flags, fences.as_raw_fd()), Ok(()));
    }
    for flags in [0, 4, 7] {
        assert_eq!(export(flags), Err(Errno::EINVAL));
        assert_eq!(import(flags, dma_buf.as_raw_fd()), Err(Errno::EINVAL));
    }
    let again = call(
        &node,
        drm::PRIME_FD_TO_HANDLE,
        drm::PrimeHandle { handle: 0, ..prime },
    );
    assert_eq!(again.unwrap().handle, handle);
    let nothing = drm::PrimeHandle { fd: -1, ..prime };
    assert_eq!(
        call(&node, drm::PRIME_FD_TO_HANDLE, nothing),
        Err(Errno::EBADF)
    );
    let other = OwnedFd::from(std::fs::File::open("/proc/self/exe").unwrap());
    assert_eq!(
        call(&other, crate::ioctl::DMA_BUF_SYNC, 3_u64),
        Err(Errno::ENOTTY)
    );
}
