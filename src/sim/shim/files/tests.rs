//! Paths, stat, and descriptors of the device, by libc's functions and the standard library's.

use std::ffi::CStr;
use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt};

use uapi::i915;

use crate::testing::{call, open};
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::Path;

#[test]
fn the_render_node_is_a_character_device() {
    let node = open();
    for path in [
        "/dev/dri/renderD128",
        "/dev/dri/by-path/pci-0000:00:02.0-render",
    ] {
        let metadata = fs::metadata(path).unwrap();
        assert!(metadata.file_type().is_char_device());
        assert_eq!(metadata.rdev(), libc::makedev(226, 128));
    }
    let card = fs::metadata("/dev/dri/card0").unwrap();
    assert_eq!(card.rdev(), libc::makedev(226, 0));
    let metadata = fs::File::from(node).metadata().unwrap();
    assert!(metadata.file_type().is_char_device());
    assert_eq!(metadata.rdev(), libc::makedev(226, 128));
    let mut stat = std::mem::MaybeUninit::<libc::stat>::zeroed();
    // SAFETY: a zero-terminated path, and room for the result.
    let stat = unsafe {
        assert_eq!(
            libc::stat(c"/dev/dri/renderD128".as_ptr(), stat.as_mut_ptr()),
            0
        );
        stat.assume_init()
    };
    assert_eq!(stat.st_mode & libc::S_IFMT, libc::S_IFCHR);
    let metadata = fs::metadata("/dev/null").unwrap();
    assert_eq!(
        metadata.rdev(),
        libc::makedev(1, 3),
        "other devices are themselves"
    );
}

#[test]
fn sysfs_describes_the_device() {
    drop(open());
    let pci = "/sys/devices/pci0000:00/0000:00:02.0";
    assert_eq!(
        fs::canonicalize("/sys/dev/char/226:128/device").unwrap(),
        Path::new(pci)
    );
    let link = fs::read_link("/sys/dev/char/226:128/device/subsystem").unwrap();
    assert_eq!(link.file_name().unwrap(), "pci");
    assert_eq!(
        fs::read_to_string(format!("{pci}/device")).unwrap(),
        "0x1912\n"
    );
    assert_eq!(fs::read(format!("{pci}/config")).unwrap().len(), 256);
    assert!(
        fs::metadata("/sys/dev/char/226:128/device/drm")
            .unwrap()
            .is_dir()
    );
    let names = fs::read_dir("/dev/dri")
        .unwrap()
        .map(|entry| entry.unwrap().file_name());
    let mut names: Vec<_> = names.collect();
    names.sort();
    assert_eq!(names, ["by-path", "card0", "renderD128"]);
    let nodes = sys::render_nodes();
    assert_eq!(nodes.len(), 1);
    let node = nodes[0].as_ref().unwrap();
    let id = node.id.unwrap();
    assert_eq!((id.vendor, id.device, id.revision), (0x8086, 0x1912, 6));
    assert_eq!(node.driver.as_deref(), Some("i915"));
    assert_eq!(node.mode & 0o666, 0o666);
    assert_eq!(
        (node.major, node.minor, node.pci),
        (226, 128, Some([0, 0, 2, 0]))
    );
    assert!(!Path::new("/sys/bus/pci/devices/0000:00:02.0/drm/card0/prelim_uapi_version").exists());
}

#[test]
fn libc_path_functions_see_the_sysfs_tree() {
    drop(open());
    // SAFETY: strings that end in zeros; what libc allocates is freed.
    unsafe {
        let file = libc::fopen(c"/sys/class/drm/version".as_ptr(), c"r".as_ptr());
        assert!(!file.is_null());
        libc::fclose(file);
        let path = c"/dev/dri/by-path/pci-0000:00:02.0-card".as_ptr();
        let real = libc::realpath(path, std::ptr::null_mut());
        assert_eq!(CStr::from_ptr(real), c"/dev/dri/card0");
        libc::free(real.cast());
        assert_eq!(
            libc::access(c"/dev/dri/renderD128".as_ptr(), libc::R_OK | libc::W_OK),
            0
        );
        assert_eq!(
            libc::access(c"/dev/dri/renderD129".as_ptr(), libc::F_OK),
            -1
        );
        let folder = libc::open(c"/dev/dri".as_ptr(), libc::O_RDONLY | libc::O_DIRECTORY);
        let node = libc::openat(
            folder,
            c"renderD128".as_ptr(),
            libc::O_RDWR | libc::O_CLOEXEC,
        );
        assert_eq!(libc::fcntl(node, libc::F_GETFD), libc::FD_CLOEXEC);
        let mut version = uapi::drm::Version::default();
        assert_eq!(
            libc::ioctl(node, uapi::drm::VERSION.into(), &raw mut version),
            0
        );
        assert_eq!(version.name_len, 4);
        libc::close(node);
        libc::close(folder);
        // What libc does with bad addresses is the same here.
        assert_eq!(libc::open(std::ptr::null(), 0), -1);
        assert_eq!(*libc::__errno_location(), libc::EFAULT);
    }
}

/// The last close of a descriptor and its duplicates frees the file, and not before.
#[test]
fn duplicated_fds_keep_the_device_open() {
    let first = open();
    let argument = i915::GemCreate {
        size: 4096,
        ..Default::default()
    };
    let buffer = call(&first, i915::GEM_CREATE, argument).unwrap();
    let second = first.try_clone().unwrap();
    let identity = sys::identity(first.as_raw_fd()).unwrap();
    drop(first);
    let busy = i915::GemBusy {
        handle: buffer.handle,
        ..Default::default()
    };
    call(&second, i915::GEM_BUSY, busy).unwrap();
    assert_eq!(sys::identity(second.as_raw_fd()), Ok(identity));
    let nodes = &crate::start::simulation().unwrap().nodes;
    let (file, _) = nodes.find(second.as_raw_fd()).unwrap();
    let weak = std::sync::Arc::downgrade(&file);
    drop(file);
    drop(second);
    // Another test may look through all files right now.
    let freed = (0..1000).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(1));
        weak.strong_count() == 0
    });
    assert!(freed);
}

/// What another process opened and sent is a device descriptor, too: here another table of
/// descriptors stands for the process.
#[test]
fn inherited_fds_are_recognised_in_other_processes() {
    let node = open();
    let simulation = crate::start::simulation().unwrap();
    let there = crate::nodes::Nodes::default();
    let adopt = |fd: &OwnedFd| {
        let found = there.find_or_adopt(&simulation.device, &simulation.root, fd.as_raw_fd());
        found.map(|(_, minor)| minor)
    };
    let twin = node.try_clone().unwrap();
    assert_eq!((adopt(&node), adopt(&twin)), (Some(128), Some(128)));
    let pipe = sys::Pipe::new().unwrap();
    assert_eq!(adopt(&pipe.reader), None);
    let file = OwnedFd::from(fs::File::open("/proc/self/exe").unwrap());
    assert_eq!(adopt(&file), None);
    // It goes when the last descriptor does.
    drop((node, twin));
    there.reap();
    assert!(there.is_empty());
}
