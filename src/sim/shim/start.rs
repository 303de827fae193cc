//! Set-up when the library is loaded: the device, the file tree, exit handlers.
//!
//! In:  INGOT_GPU and INGOT_SIM. Out: the process's [`Simulation`].

use std::ffi::{c_int, c_void};
use std::io::Write;
use std::os::fd::{AsRawFd, RawFd};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use kmd::{Device, File, LogSink, Options};
use sys::FileIdentity;

use crate::nodes::{DESCRIPTOR_FOLDER, Nodes};
use crate::sysfs_tree;

/// The simulation of a process with INGOT_GPU.
pub(crate) struct Simulation {
    pub(crate) device: Arc<Device>,
    pub(crate) options: Options,
    /// Root of the file tree, without a slash at the end.
    pub(crate) root: Vec<u8>,
    /// Files of the tree that stand in for device nodes, with their minor numbers.
    pub(crate) stand_ins: Vec<(FileIdentity, u32)>,
    pub(crate) nodes: Nodes,
}

impl Simulation {
    /// The file and the minor number of a descriptor of the device, opened by this or another
    /// process.
    pub(crate) fn node(&self, fd: RawFd) -> Option<(Arc<File>, u32)> {
        self.nodes.find_or_adopt(&self.device, &self.root, fd)
    }
}

static SIMULATION: OnceLock<Simulation> = OnceLock::new();

/// The simulation. None without INGOT_GPU, and during set-up: the interposed functions then behave
/// like libc's.
pub(crate) fn simulation() -> Option<&'static Simulation> {
    SIMULATION.get()
}

#[used]
#[unsafe(link_section = ".init_array")]
static START: extern "C" fn() = start;

extern "C" fn start() {
    // A panic must not reach the loader; it has been printed.
    let _ = std::panic::catch_unwind(|| {
        let Ok(gpu) = std::env::var("INGOT_GPU") else {
            return;
        };
        if let Err(why) = simulate(&gpu, &std::env::var("INGOT_SIM").unwrap_or_default()) {
            log_stderr(&format!("{why}; this process has no simulated GPU"));
        }
    });
}

/// Sets up the simulation in this process. The error is a message for the user.
pub(crate) fn simulate(gpu: &str, words: &str) -> Result<(), String> {
    let simulation = set_up(gpu, words)?;
    // An existing simulation is kept.
    if SIMULATION.set(simulation).is_ok() {
        drain_at_exit();
    }
    Ok(())
}

/// Waits for the batches of the ending process: see [`kmd::Device::drain`].
pub(crate) fn drain_batches() {
    // A panic must not reach C; it has been printed.
    let _ = std::panic::catch_unwind(|| {
        if let Some(simulation) = simulation() {
            simulation.device.drain();
        }
    });
}

/// Registers [`drain_batches`] with exit and quick_exit. The library is loaded before the program
/// and its other libraries, and exit handlers run in reverse order, so destructors of the program
/// may still submit batches.
fn drain_at_exit() {
    unsafe extern "C" {
        fn __cxa_atexit(
            call: extern "C" fn(*mut c_void),
            argument: *mut c_void,
            library: *mut c_void,
        ) -> c_int;
        fn __cxa_at_quick_exit(call: extern "C" fn(*mut c_void), library: *mut c_void) -> c_int;
    }
    extern "C" fn call(_argument: *mut c_void) {
        drain_batches();
    }
    let nothing = std::ptr::null_mut();
    // SAFETY: functions of the C++ ABI and of glibc, which take the handler, its argument and the
    // library that it belongs to. Without a library, the handler is called when the process ends,
    // not before this library's destructors, which run before those of others. The handler's code
    // stays loaded: neither preloaded nor linked libraries are unloaded. Errors are ignored: the
    // process then ends without waiting.
    let _ = unsafe { __cxa_atexit(call, nothing, nothing) };
    // SAFETY: as above.
    let _ = unsafe { __cxa_at_quick_exit(call, nothing) };
}

/// Writes a message to stderr, ignoring errors.
fn log_stderr(line: &str) {
    let _ = writeln!(std::io::stderr(), "ingot-sim: {line}");
}

fn set_up(gpu: &str, words: &str) -> Result<Simulation, String> {
    let sink = LogSink::new(log_stderr);
    let options = Options::parse(words, sink).map_err(|error| format!("INGOT_SIM: {error}"))?;
    let device =
        Device::new(gpu, options.clone()).map_err(|error| format!("INGOT_GPU: {error}"))?;
    let root: PathBuf =
        sysfs_tree::write(device.hw()).map_err(|error| format!("the tree of files: {error}"))?;
    std::fs::create_dir_all(root.join(DESCRIPTOR_FOLDER)).map_err(|error| error.to_string())?;
    let mut stand_ins = Vec::new();
    for (name, minor) in sysfs_tree::NODES {
        let file = std::fs::File::open(root.join("dev/dri").join(name))
            .map_err(|error| error.to_string())?;
        stand_ins.push((
            sys::identity(file.as_raw_fd()).map_err(|error| error.to_string())?,
            *minor,
        ));
    }
    let root = root.into_os_string().into_encoded_bytes();
    Ok(Simulation {
        device,
        options,
        root,
        stand_ins,
        nodes: Nodes::default(),
    })
}
