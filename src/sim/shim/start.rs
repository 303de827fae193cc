//! What is set up once, when the library is loaded.

use std::ffi::{c_int, c_void};
use std::io::Write;
use std::os::fd::{AsRawFd, RawFd};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use kmd::{Device, File, Options, Sink};
use sys::Identity;

use crate::nodes::{FOLDER, Nodes};
use crate::tree;

/// The simulation, in a process that asked for one.
pub(crate) struct Simulation {
    pub(crate) device: Arc<Device>,
    pub(crate) options: Options,
    /// Root of the tree of files, without a slash at the end.
    pub(crate) root: Vec<u8>,
    /// The stand-ins of the device nodes in the tree, with their minor numbers.
    pub(crate) stand_ins: Vec<(Identity, u32)>,
    pub(crate) nodes: Nodes,
}

impl Simulation {
    /// The file and the minor number of a descriptor of the device, whoever opened it.
    pub(crate) fn node(&self, fd: RawFd) -> Option<(Arc<File>, u32)> {
        self.nodes.find_or_adopt(&self.device, &self.root, fd)
    }
}

static SIMULATION: OnceLock<Simulation> = OnceLock::new();

/// The simulation. None: nobody asked for one, or it is being set up, and libc's functions do what they always do.
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
            say(&why);
        }
    });
}

/// Makes this process one with a GPU.
pub(crate) fn simulate(gpu: &str, words: &str) -> Result<(), String> {
    let simulation = set_up(gpu, words)?;
    // Nobody replaces a simulation that is there.
    if SIMULATION.set(simulation).is_ok() {
        settle_at_exit();
    }
    Ok(())
}

/// Waits for the batches of a process that is about to end, as [`kmd::Device::settle`] does.
pub(crate) fn settle() {
    // A panic must not reach C; it has been printed.
    let _ = std::panic::catch_unwind(|| {
        if let Some(simulation) = simulation() {
            simulation.device.drain();
        }
    });
}

/// Has [`settle`] called by exit and quick_exit. The library is loaded, and this called, before the program's own code and that of
/// the libraries that it loads: functions are called in the reverse order, so destructors may submit still.
fn settle_at_exit() {
    unsafe extern "C" {
        fn __cxa_atexit(
            call: extern "C" fn(*mut c_void),
            argument: *mut c_void,
            library: *mut c_void,
        ) -> c_int;
        fn __cxa_at_quick_exit(call: extern "C" fn(*mut c_void), library: *mut c_void) -> c_int;
    }
    extern "C" fn call(_argument: *mut c_void) {
        settle();
    }
    let nothing = std::ptr::null_mut();
    // SAFETY: the functions of the C++ ABI and of glibc, which take what is to be called, its argument, and the library that it
    // goes with. Of none: it is called when the process ends, and not when this library's destructors are, which come before those
    // of others; preloaded libraries are never unloaded, and those linked with programs neither, so the code is there. What
    // cannot be registered is as if nobody waited.
    let _ = unsafe { __cxa_atexit(call, nothing, nothing) };
    // SAFETY: as above.
    let _ = unsafe { __cxa_at_quick_exit(call, nothing) };
}

/// Writes a message; where there is no stderr, nobody wants it.
fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "ingot-sim: {line}");
}

fn set_up(gpu: &str, words: &str) -> Result<Simulation, String> {
    let sink = Sink::new(say);
    let options = Options::parse(words, sink).map_err(|error| format!("INGOT_SIM: {error}"))?;
    let device =
        Device::new(gpu, options.clone()).map_err(|error| format!("INGOT_GPU: {error}"))?;
    let root: PathBuf =
        tree::write(device.hw()).map_err(|error| format!("the tree of files: {error}"))?;
    std::fs::create_dir_all(root.join(FOLDER)).map_err(|error| error.to_string())?;
    let mut stand_ins = Vec::new();
    for (name, minor) in tree::NODES {
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
