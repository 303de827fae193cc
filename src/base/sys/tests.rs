use std::io::Read;
use std::os::fd::{AsFd, AsRawFd};
use std::sync::atomic::Ordering;

use super::*;

#[test]
fn mappings_of_one_file_share_their_bytes() {
    let fd = memfd(c"test", 8192).unwrap();
    assert_eq!(file_len_bytes(fd.as_fd()), Ok(8192));
    let all = Mapping::new(fd.as_fd(), 0, 8192).unwrap();
    let half = Mapping::new(fd.as_fd(), 4096, 4096).unwrap();
    half.write(4, &[1, 2, 3, 4]).unwrap();
    assert_eq!(all.words()[1025].load(Ordering::Relaxed), 0x0403_0201);
    assert_eq!(half.write(4093, &[0; 4]), Err(Errno::EFAULT));
    assert_eq!(half.read(usize::MAX, &mut [0; 2]), Err(Errno::EFAULT));
    assert_eq!(Mapping::new(fd.as_fd(), 0, 0).unwrap_err(), Errno::EINVAL);
}

#[test]
fn data_ranges_are_those_that_have_pages() {
    let len = 64 * PAGE_BYTES as u64;
    let fd = memfd(c"test", len).unwrap();
    assert_eq!(data_ranges(fd.as_fd(), len), Ok(vec![]));
    let pages = Mapping::new(fd.as_fd(), 0, len as usize).unwrap();
    pages.write(3 * PAGE_BYTES, &[1]).unwrap();
    pages.write(63 * PAGE_BYTES, &[1]).unwrap();
    let ranges = data_ranges(fd.as_fd(), len).unwrap();
    for page in [3, 63] {
        let at = page * PAGE_BYTES as u64;
        assert!(ranges.iter().any(|range| range.contains(&at)), "{ranges:?}");
    }
    assert!(ranges.windows(2).all(|pair| pair[0].end <= pair[1].start));
    // Most of the file is still a hole: the query has not filled it.
    let data: u64 = ranges.iter().map(|range| range.end - range.start).sum();
    assert!(data < len / 2, "{ranges:?}");
    assert_eq!(data_ranges(fd.as_fd(), 8192), Ok(vec![]));
}

#[test]
fn a_pipe_detects_that_its_last_reader_was_closed() {
    let pipe = Pipe::new().unwrap();
    let second = pipe.reader.try_clone().unwrap();
    assert_eq!(
        identity(pipe.reader.as_raw_fd()),
        identity(second.as_raw_fd())
    );
    drop(pipe.reader);
    assert!(Pipe::has_reader(pipe.writer.as_fd()));
    assert_eq!(poll_readable(second.as_fd()), Ok(false));
    Pipe::write_byte(pipe.writer.as_fd());
    assert_eq!(poll_readable(second.as_fd()), Ok(true));
    drop(second);
    assert!(!Pipe::has_reader(pipe.writer.as_fd()));
    Pipe::write_byte(pipe.writer.as_fd());
}

#[test]
fn a_named_pipe_keeps_its_path_and_can_be_reopened() {
    let path = private_folder()
        .unwrap()
        .join(format!("test-{}", process_id()));
    let pipe = Pipe::named(&path).unwrap();
    assert!(!path.exists());
    let name = name_of(pipe.reader.as_raw_fd()).unwrap();
    assert!(name.starts_with(path.as_os_str().as_encoded_bytes()));
    let second = Pipe::open_writer(pipe.reader.as_raw_fd()).unwrap();
    assert!(Pipe::has_reader(second.as_fd()));
    drop(pipe.reader);
    assert!(!Pipe::has_reader(second.as_fd()) && !Pipe::has_reader(pipe.writer.as_fd()));
}

#[test]
fn locks_conflict_between_open_file_descriptions() {
    let file = memfd(c"test", 4096).unwrap();
    let (one, two) = (reopen(file.as_fd()).unwrap(), reopen(file.as_fd()).unwrap());
    assert_eq!(FileLock::Exclusive.try_set(one.as_fd(), 0), Ok(true));
    assert_eq!(FileLock::Shared.try_set(two.as_fd(), 0), Ok(false));
    assert_eq!(FileLock::Shared.try_set(two.as_fd(), 1), Ok(true));
    assert_eq!(FileLock::Shared.try_set(one.as_fd(), 1), Ok(true));
    assert_eq!(FileLock::Exclusive.try_set(one.as_fd(), 1), Ok(false));
    assert_eq!(FileLock::Shared.is_free(two.as_fd(), 0, 1), Ok(false));
    assert_eq!(FileLock::Shared.is_free(two.as_fd(), 1, 1), Ok(true));
    assert_eq!(FileLock::Exclusive.is_free(one.as_fd(), 0, 2), Ok(false));
    drop(two);
    assert_eq!(FileLock::Exclusive.is_free(one.as_fd(), 0, 2), Ok(true));
}

#[test]
fn waiting_for_any_of_two_descriptors_returns_when_one_is_readable() {
    let (one, two) = (Pipe::new().unwrap(), Pipe::new().unwrap());
    Pipe::write_byte(two.writer.as_fd());
    wait_any_readable(&[one.reader.as_fd(), two.reader.as_fd()], None).unwrap();
    assert_eq!(poll_readable(one.reader.as_fd()), Ok(false));
    // Then neither is: the wait ends at the deadline, and at once if that has passed.
    let mut byte = [0];
    std::fs::File::from(two.reader)
        .read_exact(&mut byte)
        .unwrap();
    let begin_ns = monotonic_ns();
    wait_any_readable(&[one.reader.as_fd()], Some(begin_ns + 3_000_000)).unwrap();
    assert!(monotonic_ns() - begin_ns >= 3_000_000);
    wait_any_readable(&[one.reader.as_fd()], Some(begin_ns)).unwrap();
}

#[test]
fn times_of_other_clocks_are_converted_to_the_monotonic_clock() {
    // CLOCK_REALTIME.
    let real = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let real_ns = real.unwrap().as_nanos() as i64;
    for before_ns in [0, 500_000_000_000] {
        let converted_ns = monotonic_time(0, real_ns - before_ns).unwrap();
        let off_ns = converted_ns - (monotonic_ns() - before_ns);
        assert!(off_ns.abs() < 1_000_000_000, "{off_ns}");
    }
    assert_eq!(monotonic_time(12_345, real_ns), None);
}

#[test]
fn reads_of_unmapped_addresses_fail() {
    let value = 0x1234_5678_u32;
    let mut out = [0; 4];
    read_process(&raw const value as u64, &mut out).unwrap();
    assert_eq!(u32::from_le_bytes(out), value);
    assert_eq!(read_process(8, &mut out), Err(Errno::EFAULT));
    assert_eq!(read_process(u64::MAX - 1, &mut out), Err(Errno::EFAULT));
    assert_eq!(identity(-1), Err(Errno::EBADF));
}

#[test]
fn unknown_and_mismatched_ioctls_fail() {
    let fd = memfd(c"test", 4096).unwrap();
    let mut version = uapi::drm::Version::default();
    assert_eq!(
        ioctl(fd.as_fd(), uapi::drm::VERSION, &mut version),
        Err(Errno::ENOTTY)
    );
    assert_eq!(
        ioctl(fd.as_fd(), uapi::drm::GEM_CLOSE, &mut version),
        Err(Errno::EINVAL)
    );
}

#[test]
fn windows_divide_a_mapping_without_overlap() {
    let fd = memfd(c"test", 8192).unwrap();
    let all = Mapping::new(fd.as_fd(), 0, 8192).unwrap();
    let mut windows = Mapping::new(fd.as_fd(), 0, 8192).unwrap().into_slices(3000);
    assert_eq!(windows.len(), 2);
    for (value, window) in (1..).zip(&mut windows) {
        assert!(window.words().iter().all(|&word| word == 0));
        window.words_mut().fill(value);
    }
    let word_at = |byte: usize| all.words()[byte / 4].load(Ordering::Relaxed);
    assert_eq!([0, 2996, 3000, 5996, 6000].map(word_at), [1, 1, 2, 2, 0]);
    let none = Mapping::new(fd.as_fd(), 0, 8192).unwrap().into_slices(0);
    assert!(none.is_empty());
}

#[test]
fn the_build_id_of_this_program_is_in_its_file() {
    let id = build_id().unwrap();
    assert!(id.len() >= 8);
    let file = std::fs::read("/proc/self/exe").unwrap();
    assert!(file.windows(id.len()).any(|bytes| bytes == id));
    assert_eq!(build_id(), Some(id));
}

#[test]
fn flushed_lines_keep_their_contents() {
    let fd = memfd(c"test", 8192).unwrap();
    let pages = Mapping::new(fd.as_fd(), 0, 8192).unwrap();
    pages.write(4000, &[7; 300]).unwrap();
    for (at, count) in [(0, 8192), (4001, 1), (4063, 130), (8191, 1), (8192, 0)] {
        assert_eq!(pages.flush_lines(at, count), Ok(()), "{at}, {count}");
    }
    let mut read = [0; 300];
    pages.read(4000, &mut read).unwrap();
    assert_eq!(read, [7; 300]);
    for (at, count) in [(0, 8193), (8193, 0), (usize::MAX, 2)] {
        assert_eq!(pages.flush_lines(at, count), Err(Errno::EFAULT));
    }
}

#[test]
fn a_hotplug_is_reported_by_the_message_of_its_node() {
    let message = |lines: &[&str]| lines.join("\0").into_bytes();
    let change = "change@/devices/pci0000:00/0000:00:02.0/drm/card1";
    let lines = ["SUBSYSTEM=drm", "HOTPLUG=1", "MAJOR=226", "MINOR=1"];
    let all = [&[change], &lines[..]].concat();
    assert!(crate::is_hotplug(&message(&all), [226, 1]));
    assert!(!crate::is_hotplug(&message(&all), [226, 0]));
    assert!(!crate::is_hotplug(&message(&all), [22, 1]));
    // The message about a lease.
    let lease = all.iter().map(|&line| match line {
        "HOTPLUG=1" => "LEASE=1",
        line => line,
    });
    assert!(!crate::is_hotplug(
        &message(&lease.collect::<Vec<_>>()),
        [226, 1]
    ));
    assert!(!crate::is_hotplug(&[], [226, 1]));
}

#[test]
fn only_the_events_of_refreshes_have_their_data() {
    let event = |kind: u32| {
        let mut bytes = kind.to_ne_bytes().to_vec();
        bytes.extend(32_u32.to_ne_bytes());
        bytes.extend(77_u64.to_ne_bytes());
        bytes.extend([0; 16]);
        bytes
    };
    assert_eq!(crate::refresh_event_data(&event(3)), Some(77));
    assert_eq!(crate::refresh_event_data(&event(2)), None);
    assert_eq!(crate::refresh_event_data(&event(3)[..12]), None);
}
