//! Random ioctls.

use std::os::fd::AsFd;
use std::sync::atomic::Ordering;

use uapi::drm;
use uapi::i915;

use crate::ioctl;
use crate::start::simulation;
use crate::testing::{call, open};
use std::os::fd::AsRawFd;

/// Random numbers, the same in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number as programs pass them: small ones, flags, and addresses, good and bad.
    fn word(&mut self, arena: u64) -> u64 {
        let random = self.next();
        match random % 8 {
            0..=2 => random >> 8 & 3,
            3 => 1 << (random >> 8 & 63),
            4 => random,
            5 => arena + (random >> 8 & 0xff8),
            6 => random >> 8 & 0xffff_f000,
            _ => 0,
        }
    }
}

/// Ioctls with random arguments, among them good ones: nothing crashes, nothing waits for ever.
#[test]
fn random_ioctls_terminate() {
    let node = open();
    let (file, _) = simulation().unwrap().nodes.find(node.as_raw_fd()).unwrap();
    // Far more than the arguments below can make any ioctl write: only addresses in its first page
    // are passed.
    let memory = sys::memfd(c"arena", 1 << 20).unwrap();
    let arena = sys::Mapping::new(memory.as_fd(), 0, 1 << 20).unwrap();
    let base = arena.address() as u64;
    let codes = drm::NUMBERS
        .iter()
        .chain(i915::NUMBERS)
        .filter(|(name, _)| name.starts_with("DRM_IOCTL_"));
    let codes: Vec<u32> = codes
        .map(|(_, code)| *code as u32)
        .filter(|&code| code != drm::IOCTL_BASE)
        .collect();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut good, mut bad) = (0, 0);
    for _ in 0..20_000 {
        let code = codes[random.next() as usize % codes.len()];
        for _ in 0..24 {
            let at = random.next() as usize % 1024;
            arena.qwords()[at].store(random.word(base), Ordering::Relaxed);
        }
        let mut argument = [0_u64; 16];
        argument.fill_with(|| random.word(base));
        match code {
            // Waits for what is never signalled would not end here either.
            drm::SYNCOBJ_WAIT => argument[1] = 0,
            drm::SYNCOBJ_TIMELINE_WAIT => argument[2] = 0,
            drm::SYNCOBJ_TRANSFER => argument[3] = 0,
            // The pages of this test's own memory must not become a buffer: nobody promises to keep
            // them.
            i915::GEM_USERPTR => argument[0] |= 1,
            // Mappings would pile up, and writes could reach descriptors of other tests.
            i915::GEM_MMAP | drm::PRIME_FD_TO_HANDLE | drm::SYNCOBJ_FD_TO_HANDLE => continue,
            drm::PRIME_HANDLE_TO_FD | drm::SYNCOBJ_HANDLE_TO_FD => continue,
            i915::GEM_EXECBUFFER2 | i915::GEM_EXECBUFFER2_WR => {
                argument[6] &= !(i915::EXEC_FENCE_IN | i915::EXEC_FENCE_OUT);
                argument[1] &= 0xffff_ffff_0000_0003;
            }
            i915::QUERY => argument[0] &= 0xffff_ffff_0000_00ff,
            // Memory that is given out stays small.
            i915::GEM_CREATE | i915::GEM_CREATE_EXT => argument[0] &= 0xffff,
            _ => (),
        }
        let mut request = code;
        if random.next().is_multiple_of(16) {
            request = (request & !0x3fff_0000) | (random.next() as u32 % 128) << 16;
        }
        // Not through libc's function, which turns panics into errors.
        match ioctl::execute(
            &file,
            drm::FIRST_RENDER_MINOR,
            request,
            argument.as_mut_ptr() as u64,
            &|| Err(uapi::Errno::EINVAL),
        ) {
            Ok(()) => good += 1,
            Err(error) => {
                assert!(error.name().is_some(), "{request:#x}: {error}");
                bad += 1;
            }
        }
    }
    assert!(good > 500 && bad > 500, "{good} good, {bad} bad");
    // The device still works.
    assert!(
        call(
            &node,
            i915::GEM_CREATE,
            i915::GemCreate {
                size: 1,
                ..Default::default()
            }
        )
        .is_ok()
    );
}
