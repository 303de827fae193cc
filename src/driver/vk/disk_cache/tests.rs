//! What the cache on disk promises: whole entries or none, whatever the folder and other processes
//! do.

use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use super::*;
use crate::cache_item::ItemKind;

/// A folder that is deleted on drop.
struct TestFolder(PathBuf);

impl TestFolder {
    fn new(name: &str) -> Self {
        let name = format!("ingot-disk-cache-{}-{name}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }
}

impl Drop for TestFolder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const LARGE: u64 = 1 << 30;

fn open(folder: &Path, max_bytes: u64) -> DiskCache {
    let settings = Settings {
        folder: folder.into(),
        max_bytes,
    };
    DiskCache::new(settings, b"build", &Diagnosis::default())
}

/// Stores an entry, and waits until it is written.
fn store(cache: &DiskCache, name: &ItemName, contents: &[u8]) {
    cache.store(name, contents);
    cache.writer.flush();
}

fn name(number: u32) -> ItemName {
    let mut key = [0; 32];
    key[..4].copy_from_slice(&number.to_le_bytes());
    ItemName {
        kind: ItemKind::Shader,
        key,
    }
}

/// Contents that differ between entries, in length too.
fn contents(number: u32) -> Vec<u8> {
    let bytes = 0..200 + number % 7 * 100;
    bytes
        .map(|at| (at.wrapping_mul(number + 3) >> 3) as u8)
        .collect()
}

/// The files of entries, with their sizes.
fn entry_files(folder: &Path) -> Vec<(PathBuf, u64)> {
    let mut files = Vec::new();
    for folder in std::fs::read_dir(folder).unwrap().flatten() {
        if folder.file_type().unwrap().is_dir() {
            for file in std::fs::read_dir(folder.path()).unwrap().flatten() {
                files.push((file.path(), file.metadata().unwrap().len()));
            }
        }
    }
    files
}

fn total_bytes(folder: &Path) -> u64 {
    entry_files(folder).iter().map(|file| file.1).sum()
}

/// Runs a test of this file, which calls it, in a process of its own, with a folder; as a user
/// without privileges if `is_unprivileged`, and after the commands of a shell.
fn child(test: &str, folder: &Path, is_unprivileged: bool, before: &str) -> Command {
    let script = format!("{before} exec \"$@\"");
    let mut command = match before {
        // Another user may not reach the program by its path.
        "" => Command::new("/proc/self/exe"),
        _ => {
            let mut command = Command::new("/bin/sh");
            command.args(["-c", &script, "sh"]);
            command.arg(std::env::current_exe().unwrap());
            command
        }
    };
    let test = format!("disk_cache::tests::{test}");
    command.args(["--exact", &test, "--nocapture"]);
    command.env("INGOT_TEST_FOLDER", folder);
    if is_unprivileged && std::fs::metadata("/proc/self").unwrap().uid() == 0 {
        command.uid(65534).gid(65534);
    }
    command
}

/// The folder, in a process that [`child`] started.
fn folder_of_child() -> Option<PathBuf> {
    std::env::var_os("INGOT_TEST_FOLDER").map(PathBuf::from)
}

fn assert_success(mut command: Command) {
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}: {text}", output.status);
    assert!(text.contains("1 passed"), "{text}");
}

#[test]
fn entries_are_found_by_owner_kind_and_key() {
    let folder = TestFolder::new("found");
    let cache = open(&folder.0, LARGE);
    assert_eq!(cache.load(&name(1)), None);
    store(&cache, &name(1), &contents(1));
    assert_eq!(cache.load(&name(1)), Some(contents(1)));
    assert_eq!(open(&folder.0, LARGE).load(&name(1)), Some(contents(1)));
    assert_eq!(cache.load(&name(2)), None);
    let other_kind = ItemName {
        kind: ItemKind::Inputs,
        ..name(1)
    };
    assert_eq!(cache.load(&other_kind), None);
    let settings = cache.settings.clone();
    let other_build = DiskCache::new(settings, b"other build", &Diagnosis::default());
    assert_eq!(other_build.load(&name(1)), None);
    let mode = std::fs::metadata(entry_files(&folder.0)[0].0.parent().unwrap());
    assert_eq!(mode.unwrap().permissions().mode() & 0o777, 0o700);
}

#[test]
fn entries_are_found_before_they_are_written() {
    let folder = TestFolder::new("waiting");
    let cache = open(&folder.0, LARGE);
    for number in 0..200 {
        cache.store(&name(number), &contents(number));
        assert_eq!(cache.load(&name(number)), Some(contents(number)));
    }
    // Destroying the cache writes them.
    drop(cache);
    assert_eq!(entry_files(&folder.0).len(), 200);
    let cache = open(&folder.0, LARGE);
    assert!((0..200).all(|number| cache.load(&name(number)) == Some(contents(number))));
}

#[test]
fn a_damaged_entry_is_missing_and_replaced() {
    let folder = TestFolder::new("damaged");
    let cache = open(&folder.0, LARGE);
    store(&cache, &name(1), &contents(1));
    let path = entry_files(&folder.0)[0].0.clone();
    let whole = std::fs::read(&path).unwrap();
    let mut damages: Vec<Vec<u8>> = (0..8 * whole.len())
        .map(|bit| {
            let mut damaged = whole.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            damaged
        })
        .collect();
    damages.extend((0..whole.len()).map(|length| whole[..length].to_vec()));
    damages.push([&whole[..], &[0]].concat());
    damages.push(vec![0; whole.len()]);
    for (index, damaged) in damages.into_iter().enumerate() {
        std::fs::write(&path, damaged).unwrap();
        assert_eq!(cache.load(&name(1)), None, "damage {index}");
        assert!(!path.exists(), "damage {index}");
    }
    store(&cache, &name(1), &contents(1));
    assert_eq!(cache.load(&name(1)), Some(contents(1)));
    // The file of another entry.
    store(&cache, &name(2), &contents(2));
    let files = entry_files(&folder.0);
    let other = files.iter().find(|file| file.0 != path).unwrap();
    std::fs::copy(&other.0, &path).unwrap();
    assert_eq!(cache.load(&name(1)), None);
    // Something else than a file.
    std::fs::create_dir(&path).unwrap();
    assert_eq!(cache.load(&name(1)), None);
    store(&cache, &name(1), &contents(1));
    assert_eq!(cache.load(&name(1)), None);
    let temporary = |file: &(PathBuf, u64)| file.0.extension().is_some();
    assert!(!entry_files(&folder.0).iter().any(temporary));
}

/// The lines that are logged while a folder cannot be written.
fn log_of_failing_writes(folder: &Path) -> Vec<String> {
    let lines = Arc::new(Mutex::new(Vec::new()));
    let sink = lines.clone();
    let (flags, _) = debug::Flags::parse("perf");
    let log = move |text: &str| sink.lock().unwrap().push(text.to_string());
    let settings = Settings {
        folder: folder.into(),
        max_bytes: LARGE,
    };
    let cache = DiskCache::new(settings, b"build", &Diagnosis::new(flags, Arc::new(log)));
    for number in 10..13 {
        store(&cache, &name(number), &contents(number));
        assert_eq!(cache.load(&name(number)), None);
    }
    drop(cache);
    lines.lock().unwrap().clone()
}

#[test]
fn folders_that_cannot_be_written_cost_one_line() {
    let folder = TestFolder::new("unwritable");
    let file = folder.0.join("file");
    std::fs::write(&file, "").unwrap();
    for path in [file.join("cache"), "/proc/ingot-cache".into()] {
        let lines = log_of_failing_writes(&path);
        assert_eq!(lines.len(), 1, "{lines:?}");
        assert!(lines[0].contains("cannot be written"), "{lines:?}");
    }
}

#[test]
fn entries_of_a_read_only_folder_are_found() {
    if let Some(folder) = folder_of_child() {
        assert_eq!(open(&folder, LARGE).load(&name(1)), Some(contents(1)));
        assert_eq!(log_of_failing_writes(&folder).len(), 1);
        return;
    }
    let folder = TestFolder::new("read-only");
    let cache = folder.0.join("cache");
    store(&open(&cache, LARGE), &name(1), &contents(1));
    let all = [&cache, entry_files(&cache)[0].0.parent().unwrap()].map(Path::to_path_buf);
    for folder in &all {
        std::fs::set_permissions(folder, PermissionsExt::from_mode(0o555)).unwrap();
    }
    let test = "entries_of_a_read_only_folder_are_found";
    assert_success(child(test, &cache, true, ""));
    for folder in &all {
        std::fs::set_permissions(folder, PermissionsExt::from_mode(0o755)).unwrap();
    }
}

#[test]
fn a_limit_of_file_sizes_does_not_end_the_process() {
    if let Some(folder) = folder_of_child() {
        let cache = open(&folder, LARGE);
        store(&cache, &name(1), &[1; 2000]);
        assert_eq!(cache.load(&name(1)), None);
        store(&cache, &name(2), &[2; 300]);
        assert_eq!(cache.load(&name(2)), Some(vec![2; 300]));
        return;
    }
    let folder = TestFolder::new("rlimit");
    let test = "a_limit_of_file_sizes_does_not_end_the_process";
    assert_success(child(test, &folder.0, false, "ulimit -f 1;"));
}

#[test]
fn a_folder_that_disappears_is_created_again() {
    let folder = TestFolder::new("disappears");
    let cache = open(&folder.0.join("a/b"), LARGE);
    store(&cache, &name(1), &contents(1));
    std::fs::remove_dir_all(folder.0.join("a")).unwrap();
    assert_eq!(cache.load(&name(1)), None);
    store(&cache, &name(1), &contents(1));
    assert_eq!(cache.load(&name(1)), Some(contents(1)));
}

#[test]
fn an_entry_beyond_the_maximum_is_not_written() {
    let folder = TestFolder::new("tiny");
    let cache = open(&folder.0, 100);
    store(&cache, &name(1), &contents(1));
    assert_eq!(cache.load(&name(1)), None);
    assert!(entry_files(&folder.0).is_empty());
}

/// Makes an entry's last use `hours` ago.
fn age(path: &Path, hours: u64) {
    let file = std::fs::File::open(path).unwrap();
    let time = SystemTime::now() - Duration::from_secs(3600 * hours);
    file.set_modified(time).unwrap();
}

#[test]
fn entries_that_were_not_used_recently_are_deleted() {
    let folder = TestFolder::new("eviction");
    let path = |number| {
        let cache = open(&folder.0, LARGE);
        entry_file::path(&folder.0, &cache.entry_name(&name(number)))
    };
    let cache = open(&folder.0, LARGE);
    for number in 0..20 {
        store(&cache, &name(number), &[number as u8; 1000]);
        age(&path(number), 100 - u64::from(number));
    }
    // The first three are used again.
    for number in 0..3 {
        assert!(cache.load(&name(number)).is_some());
    }
    let folder_of_entry = path(1).parent().unwrap().to_path_buf();
    let [abandoned, recent] = [2, 0].map(|hours| {
        let stem = path(1).file_name().unwrap().to_str().unwrap().to_owned();
        let file = folder_of_entry.join(format!("{stem}.1-{hours}-2.tmp"));
        std::fs::write(&file, "part").unwrap();
        age(&file, hours);
        file
    });
    let foreign = [folder.0.join("notes"), folder_of_entry.join("notes")];
    for file in &foreign {
        std::fs::write(file, "not ours").unwrap();
        age(file, 1000);
    }
    drop(cache);
    // Ten entries and a bit; the next write exceeds it.
    let cache = open(&folder.0, 11_000);
    store(&cache, &name(100), &[100; 1000]);
    drop(cache);
    let left: Vec<u32> = (0..101).filter(|number| path(*number).exists()).collect();
    assert_eq!(left, [0, 1, 2, 15, 16, 17, 18, 19, 100]);
    assert!(!abandoned.exists() && recent.exists());
    assert!(foreign.iter().all(|file| file.exists()));
    // Within the limit, nothing is deleted.
    let cache = open(&folder.0, 11_000);
    store(&cache, &name(101), &[100; 1000]);
    drop(cache);
    assert!((100..102).all(|number| path(number).exists()) && path(15).exists());
}

#[test]
fn the_folder_stays_below_its_maximum() {
    let folder = TestFolder::new("maximum");
    let max_bytes = 20_000;
    for round in 0..4 {
        let cache = open(&folder.0, max_bytes);
        for number in 0..40 {
            store(&cache, &name(round * 40 + number), &[7; 1000]);
        }
        drop(cache);
        // The last writes of a round may follow the eviction that they need.
        let cache = open(&folder.0, max_bytes);
        store(&cache, &name(10_000 + round), &[7; 10]);
        drop(cache);
        let bytes = total_bytes(&folder.0);
        assert!((10_000..=max_bytes).contains(&bytes), "{bytes}");
        // A sum that is damaged or missing is found anew.
        let sum = folder.0.join("size");
        match round {
            0 => std::fs::write(&sum, [0; 16]).unwrap(),
            1 => std::fs::remove_file(&sum).unwrap(),
            _ => std::fs::write(&sum, [1; 40]).unwrap(),
        }
    }
}

/// Stores and loads entries in an order of its own; all have the expected contents or are missing.
fn use_entries(folder: &Path, seed: u32, max_bytes: u64) {
    let cache = open(folder, max_bytes);
    for round in 0..300 {
        let number = (round * 7 + seed * 13) % 40;
        if let Some(found) = cache.load(&name(number)) {
            assert_eq!(found, contents(number));
        } else {
            cache.store(&name(number), &contents(number));
        }
    }
}

#[test]
fn processes_and_threads_share_entries() {
    if let Some(folder) = folder_of_child() {
        return std::thread::scope(|scope| {
            for seed in 0..3 {
                let (folder, seed) = (&folder, seed + std::process::id());
                scope.spawn(move || use_entries(folder, seed, LARGE));
            }
        });
    }
    let folder = TestFolder::new("processes");
    let children = [0; 3].map(|_| {
        let mut command = child("processes_and_threads_share_entries", &folder.0, false, "");
        command.stdout(std::process::Stdio::piped());
        command.spawn().unwrap()
    });
    for child in children {
        let output = child.wait_with_output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success() && text.contains("1 passed"),
            "{text}"
        );
    }
    let cache = open(&folder.0, LARGE);
    for number in 0..40 {
        assert_eq!(cache.load(&name(number)), Some(contents(number)));
    }
    let sum = std::fs::read(folder.0.join("size")).unwrap();
    assert_eq!(sum.len(), 16);
    assert_eq!(entry_files(&folder.0).len(), 40);
}

#[test]
fn entries_are_used_while_others_are_deleted() {
    let folder = TestFolder::new("races");
    std::thread::scope(|scope| {
        for seed in 0..4 {
            let folder = &folder.0;
            scope.spawn(move || use_entries(folder, seed, 6_000));
        }
    });
    let cache = open(&folder.0, 6_000);
    store(&cache, &name(1000), &[0; 10]);
    drop(cache);
    assert!(total_bytes(&folder.0) <= 6_000);
}
