//! Framebuffers and flips, as a program of the primary node asks for them.

use std::sync::mpsc::channel;
use std::time::Duration;

use uapi::mode::{self, EVENT_FLIP_COMPLETE, FB_MODIFIERS, FbCmd2};
use uapi::{Errno, Kernel};

use crate::display::{CRTC, CrtcState, modes};
use crate::file::File;
use crate::options::Options;
use crate::testing::device;

const INTEL: u64 = 1 << 56;
const Y_TILED: u64 = INTEL | 2;
const Y_TILED_CCS: u64 = INTEL | 4;

fn file() -> std::sync::Arc<File> {
    let options = Options {
        display: true,
        ..Options::default()
    };
    device(options).0.open()
}

/// A request for a Y-tiled framebuffer of 640 × 480 pixels with a buffer of its own.
fn request(file: &File) -> FbCmd2 {
    // Room for 512 rows of one more tile.
    let (handle, _) = file.gem_create((2560 + 128) * 512).unwrap();
    FbCmd2 {
        width: 640,
        height: 480,
        pixel_format: u32::from_le_bytes(*b"XR24"),
        flags: FB_MODIFIERS,
        handles: [handle, 0, 0, 0],
        pitches: [2560, 0, 0, 0],
        modifier: [Y_TILED, 0, 0, 0],
        ..FbCmd2::default()
    }
}

#[test]
fn framebuffers_that_the_plane_cannot_show_are_refused() {
    let file = file();
    let good = request(&file);
    assert!(file.add_framebuffer(&good).is_ok());
    let bad = |change: &dyn Fn(&mut FbCmd2)| {
        let mut request = good;
        change(&mut request);
        file.add_framebuffer(&request).unwrap_err()
    };
    assert_eq!(
        bad(&|r| r.pixel_format = u32::from_le_bytes(*b"AB4H")),
        Errno::EINVAL
    );
    // Half a tile, less than a row, more than the buffer, the midst of a page.
    assert_eq!(bad(&|r| r.pitches[0] = 2560 + 64), Errno::EINVAL);
    assert_eq!(bad(&|r| r.pitches[0] = 2432), Errno::EINVAL);
    assert_eq!(bad(&|r| r.height = 544), Errno::EINVAL);
    assert_eq!(bad(&|r| r.offsets[0] = 64), Errno::EINVAL);
    // A CCS that is missing, a second plane, no buffer.
    assert_eq!(bad(&|r| r.modifier[0] = Y_TILED_CCS), Errno::EINVAL);
    assert_eq!(bad(&|r| r.handles[1] = r.handles[0]), Errno::EINVAL);
    assert_eq!(bad(&|r| r.handles[0] = 999), Errno::ENOENT);
}

#[test]
fn a_flip_is_complete_at_a_refresh_and_one_at_a_time() {
    let file = file();
    let [first, second] = [0, 1].map(|_| file.add_framebuffer(&request(&file)).unwrap());
    let mode = modes()[0];
    // The CRTC is off.
    assert_eq!(file.page_flip(first, 0, None), Err(Errno::EBUSY));
    let other = uapi::mode::ModeInfo { clock: 1, ..mode };
    assert_eq!(file.set_crtc(Some(first), Some(other)), Err(Errno::EINVAL));
    assert_eq!(
        file.set_crtc(Some(first), Some(modes()[1])),
        Err(Errno::ENOSPC)
    );
    file.set_crtc(Some(first), Some(mode)).unwrap();
    let (sender, events) = channel();
    let sink = Box::new(move |event: &_| sender.send(*event).unwrap());
    file.page_flip(second, 77, Some(sink)).unwrap();
    assert_eq!(file.page_flip(first, 0, None), Err(Errno::EBUSY));
    let event = events.recv_timeout(Duration::from_secs(5)).unwrap();
    assert_eq!(
        (event.kind, event.length, event.user_data, event.crtc_id),
        (EVENT_FLIP_COMPLETE, 32, 77, CRTC)
    );
    let shown = CrtcState {
        mode: Some(mode),
        framebuffer: second,
    };
    assert_eq!(file.crtc_state(), Ok(shown));
    // Another layout needs SETCRTC.
    let mut linear = request(&file);
    linear.modifier[0] = 0;
    let linear = file.add_framebuffer(&linear).unwrap();
    assert_eq!(file.page_flip(linear, 0, None), Err(Errno::EINVAL));
    // Without its framebuffer the CRTC is off.
    file.remove_framebuffer(second).unwrap();
    assert_eq!(file.crtc_state(), Ok(CrtcState::default()));
    assert_eq!(file.remove_framebuffer(second), Err(Errno::ENOENT));
}

#[test]
fn a_ccs_is_the_second_plane_of_the_same_buffer() {
    let file = file();
    let mut good = request(&file);
    // One tile of the CCS, behind the fifteen rows of tiles of the surface.
    good.handles[1] = good.handles[0];
    good.pitches[1] = 128;
    good.offsets[1] = 2560 * 480;
    good.modifier = [Y_TILED_CCS, Y_TILED_CCS, 0, 0];
    assert!(file.add_framebuffer(&good).is_ok());
    let (other, _) = file.gem_create((2560 + 128) * 512).unwrap();
    let refused = |change: &dyn Fn(&mut FbCmd2)| {
        let mut request = good;
        change(&mut request);
        assert_eq!(file.add_framebuffer(&request), Err(Errno::EINVAL));
    };
    refused(&|r| r.handles[1] = 0);
    refused(&|r| r.handles[1] = other);
    refused(&|r| r.handles[2] = r.handles[0]);
    refused(&|r| r.modifier[1] = Y_TILED);
    refused(&|r| r.modifier[2] = Y_TILED_CCS);
    // Half a tile, the midst of a page, and a format that cannot be compressed.
    refused(&|r| r.pitches[1] = 64);
    refused(&|r| r.offsets[1] += 64);
    refused(&|r| r.pixel_format = u32::from_le_bytes(*b"XR30"));
}

#[test]
fn a_device_without_a_display_has_no_framebuffers() {
    let file = device(Options::default()).0.open();
    assert!(!file.has_display());
    let refused = file.add_framebuffer(&request(&file));
    assert_eq!(refused, Err(Errno::EOPNOTSUPP));
    assert_eq!(file.crtc_state(), Err(Errno::EOPNOTSUPP));
}

/// A file whose CRTC shows a framebuffer in the first mode.
fn lit() -> std::sync::Arc<File> {
    let file = file();
    let framebuffer = file.add_framebuffer(&request(&file)).unwrap();
    file.set_crtc(Some(framebuffer), Some(modes()[0])).unwrap();
    file
}

/// The period of the first mode.
const PERIOD_NS: i64 = 800 * 525 * 1_000_000 / 25_175;

#[test]
fn refreshes_are_counted_while_the_crtc_is_active() {
    let dark = file();
    assert_eq!(dark.crtc_sequence().unwrap_err(), Errno::EINVAL);
    let refused = dark.queue_sequence(0, 1, 0, Box::new(|_| ()));
    assert_eq!(refused, Err(Errno::EINVAL));
    let file = lit();
    let first = file.crtc_sequence().unwrap();
    std::thread::sleep(Duration::from_nanos(3 * PERIOD_NS as u64));
    let second = file.crtc_sequence().unwrap();
    assert!(second.sequence >= first.sequence + 3);
    let refreshes = (second.sequence - first.sequence) as i64;
    assert_eq!(
        second.sequence_ns - first.sequence_ns,
        refreshes * PERIOD_NS
    );
    // Without power they are not, and there are no flips.
    file.set_power(mode::DPMS_OFF).unwrap();
    assert_eq!(file.power(), Ok(mode::DPMS_OFF));
    assert_eq!(file.set_power(4), Err(Errno::EINVAL));
    assert_eq!(file.crtc_sequence().unwrap_err(), Errno::EINVAL);
    let framebuffer = file.add_framebuffer(&request(&file)).unwrap();
    assert_eq!(file.page_flip(framebuffer, 0, None), Err(Errno::EINVAL));
    std::thread::sleep(Duration::from_nanos(3 * PERIOD_NS as u64));
    file.set_power(mode::DPMS_ON).unwrap();
    let third = file.crtc_sequence().unwrap();
    assert!(third.sequence >= second.sequence);
    assert!(third.sequence <= second.sequence + 2);
    // A mode turns the power on.
    file.set_power(mode::DPMS_SUSPEND).unwrap();
    file.set_crtc(Some(framebuffer), Some(modes()[0])).unwrap();
    assert_eq!(file.power(), Ok(mode::DPMS_ON));
    assert!(file.crtc_sequence().is_ok());
}

#[test]
fn events_are_sent_at_their_refresh_or_when_there_will_be_none() {
    let file = lit();
    let (sender, events) = channel();
    let queue = |flags, sequence, user_data| {
        let sender = sender.clone();
        let sink = Box::new(move |event: &_| sender.send(*event).unwrap());
        file.queue_sequence(flags, sequence, user_data, sink)
    };
    let receive = || events.recv_timeout(Duration::from_secs(5)).unwrap();
    let (relative, next) = (
        mode::CRTC_SEQUENCE_RELATIVE,
        mode::CRTC_SEQUENCE_NEXT_ON_MISS,
    );
    assert_eq!(queue(4, 0, 0), Err(Errno::EINVAL));
    let now = file.crtc_sequence().unwrap();
    let target = queue(relative, 2, 7).unwrap();
    assert!(target >= now.sequence + 2);
    let event = receive();
    assert_eq!(
        (event.kind, event.length, event.user_data, event.sequence),
        (mode::EVENT_CRTC_SEQUENCE, 32, 7, target)
    );
    let refreshes = (target - now.sequence) as i64;
    assert_eq!(event.time_ns - now.sequence_ns, refreshes * PERIOD_NS);
    assert!(sys::monotonic_ns() >= event.time_ns);
    // A refresh that has passed: at once, or the next one.
    let missed = queue(0, target, 8).unwrap();
    assert!(missed >= target);
    assert_eq!(receive().sequence, missed);
    let later = queue(next, target, 9).unwrap();
    assert!(later > target);
    assert_eq!(receive().sequence, later);
    // There are no more refreshes.
    queue(relative, 1_000_000, 10).unwrap();
    file.set_crtc(None, None).unwrap();
    assert_eq!(receive().user_data, 10);
}
