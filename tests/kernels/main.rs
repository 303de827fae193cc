//! The table of docs/kernels.md, row by row: what each kernel lacks, and that the driver makes a
//! device of it that works, or a sentence.

#![allow(unsafe_code, reason = "Vulkan is called as applications call it")]

mod lack;
mod rig;

use ash::vk;
use lack::Lack;
use rig::{Device, Instance, texts};
use uapi::i915::{
    CONTEXT_PARAM_ENGINES, CONTEXT_PARAM_PRIORITY, CONTEXT_PARAM_RECOVERABLE, PARAM_EU_TOTAL,
    PARAM_HAS_EXEC_BATCH_FIRST, PARAM_HAS_EXEC_FENCE_ARRAY, PARAM_HAS_EXEC_SOFTPIN,
    PARAM_HAS_EXEC_TIMELINE_FENCES, PARAM_HAS_USERPTR_PROBE, PARAM_MMAP_GTT_VERSION,
    QUERY_MEMORY_REGIONS, QUERY_TOPOLOGY_INFO,
};
use uapi::{Errno, drm::CAP_SYNCOBJ_TIMELINE};

/// What the driver makes of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// A device that works.
    Works,
    /// No physical device, for this reason.
    Unusable(&'static str),
    /// The node cannot be opened: the error of the kernel, and the reason.
    NotOpened(Errno, &'static str),
    /// vkCreateDevice, or what follows, fails with this code.
    Fails(vk::Result),
    /// A device that works until it is lost, for this reason.
    Lost(&'static str),
}

impl Outcome {
    /// The text of the row's last cell in the document.
    fn text(&self) -> String {
        match self {
            Outcome::Works => "works".into(),
            Outcome::Unusable(reason) | Outcome::NotOpened(_, reason) => (*reason).into(),
            Outcome::Fails(code) => format!("{code:?}"),
            Outcome::Lost(reason) => format!("ERROR_DEVICE_LOST: {reason}"),
        }
    }
}

struct Row {
    /// First cell of the document's row.
    name: &'static str,
    lacks: &'static [Lack],
    outcome: Outcome,
}

const LOST: &str = "the kernel has banned this context after a hang, or given the GPU up \
                    (GEM_EXECBUFFER2: EIO): dmesg has the cause";

/// Linux 5.4: before buffers are mapped by offset and timelines are in submissions.
const LINUX_5_4: &[Lack] = &[
    Lack::Value(PARAM_MMAP_GTT_VERSION, 3),
    Lack::Param(PARAM_HAS_EXEC_TIMELINE_FENCES),
    Lack::Cap(CAP_SYNCOBJ_TIMELINE),
    Lack::Query(QUERY_MEMORY_REGIONS),
    Lack::Param(PARAM_HAS_USERPTR_PROBE),
];
const LINUX_5_10: &[Lack] = &[
    Lack::Query(QUERY_MEMORY_REGIONS),
    Lack::Param(PARAM_HAS_USERPTR_PROBE),
];
const LINUX_5_15: &[Lack] = &[Lack::Param(PARAM_HAS_USERPTR_PROBE)];

const ROWS: &[Row] = &[
    row(
        "Linux 5.4",
        LINUX_5_4,
        Outcome::Unusable("needs Linux 5.10 or newer: the kernel lacks mapping by offset"),
    ),
    row("Linux 5.10", LINUX_5_10, Outcome::Works),
    row("Linux 5.15", LINUX_5_15, Outcome::Works),
    row("Linux 6.1", &[], Outcome::Works),
    row("Linux 6.12", &[], Outcome::Works),
    row(
        "no fixed addresses",
        &[Lack::Param(PARAM_HAS_EXEC_SOFTPIN)],
        Outcome::Unusable("needs Linux 5.10 or newer: the kernel lacks fixed addresses"),
    ),
    row(
        "no batch at the front",
        &[Lack::Param(PARAM_HAS_EXEC_BATCH_FIRST)],
        Outcome::Unusable("needs Linux 5.10 or newer: the kernel lacks batches as first buffers"),
    ),
    row(
        "no syncobjs in submissions",
        &[Lack::Value(PARAM_HAS_EXEC_FENCE_ARRAY, 0)],
        Outcome::Unusable("needs Linux 5.10 or newer: the kernel lacks syncobjs in submissions"),
    ),
    row(
        "no timeline fences",
        &[Lack::Param(PARAM_HAS_EXEC_TIMELINE_FENCES)],
        Outcome::Unusable("needs Linux 5.10 or newer: the kernel lacks timelines in submissions"),
    ),
    row(
        "no timeline syncobjs",
        &[Lack::Cap(CAP_SYNCOBJ_TIMELINE)],
        Outcome::Unusable("needs Linux 5.10 or newer: the kernel lacks timeline syncobjs"),
    ),
    row(
        "no topology query",
        &[Lack::Query(QUERY_TOPOLOGY_INFO)],
        Outcome::Works,
    ),
    row(
        "no topology at all",
        &[
            Lack::Query(QUERY_TOPOLOGY_INFO),
            Lack::Param(PARAM_EU_TOTAL),
        ],
        Outcome::Unusable("needs Linux 5.10 or newer: the kernel lacks the GPU's topology"),
    ),
    row(
        "ENGINES rejected",
        &[Lack::ContextParam(CONTEXT_PARAM_ENGINES)],
        Outcome::Works,
    ),
    row(
        "RECOVERABLE rejected",
        &[Lack::ContextParam(CONTEXT_PARAM_RECOVERABLE)],
        Outcome::Works,
    ),
    row(
        "ENGINES, RECOVERABLE and PRIORITY rejected",
        &[
            Lack::ContextParam(CONTEXT_PARAM_ENGINES),
            Lack::ContextParam(CONTEXT_PARAM_RECOVERABLE),
            Lack::ContextParam(CONTEXT_PARAM_PRIORITY),
        ],
        Outcome::Works,
    ),
    row(
        "xe bound",
        &[Lack::Driver("xe")],
        Outcome::Unusable("driven by xe, not i915"),
    ),
    row(
        "small address space (GVT-g)",
        &[Lack::GttBytes(4 << 30)],
        Outcome::Unusable(
            "the GPU's address space has 4 GiB, at least 8192 are needed: \
             give the machine the whole GPU instead of a virtual one (GVT-g)",
        ),
    ),
    row(
        "no permission",
        &[],
        Outcome::NotOpened(
            Errno::EACCES,
            "permission denied: join group root and log in again",
        ),
    ),
    row(
        "device denied by a sandbox",
        &[],
        Outcome::NotOpened(
            Errno::EPERM,
            "cannot be opened (EPERM): the sandbox or container denies it, so pass the device to it",
        ),
    ),
    row(
        "no memory for a context",
        &[Lack::Contexts(Errno::ENOMEM)],
        Outcome::Fails(vk::Result::ERROR_OUT_OF_HOST_MEMORY),
    ),
    row(
        "no memory for the first buffer",
        &[Lack::BuffersAfter(0)],
        Outcome::Fails(vk::Result::ERROR_OUT_OF_HOST_MEMORY),
    ),
    row(
        "no memory for a later buffer",
        &[Lack::BuffersAfter(4)],
        Outcome::Fails(vk::Result::ERROR_OUT_OF_HOST_MEMORY),
    ),
    row(
        "EIO at the third submission, as for a banned context",
        &[Lack::SubmissionsAfter(2)],
        Outcome::Lost(LOST),
    ),
];

const fn row(name: &'static str, lacks: &'static [Lack], outcome: Outcome) -> Row {
    Row {
        name,
        lacks,
        outcome,
    }
}

/// A device of the only GPU, and work on it.
fn device_works(instance: &Instance) -> Result<(), vk::Result> {
    let (physical, _) = instance.devices()[0];
    let device = Device::new(instance, physical)?;
    (0..4).try_for_each(|_| device.fill())
}

fn check(row: &Row) {
    if let Outcome::NotOpened(errno, reason) = row.outcome {
        let node = sys::Node {
            path: "/dev/dri/renderD128".into(),
            major: 226,
            minor: 128,
            mode: 0o660,
            group: 0,
            id: None,
            driver: Some("i915".into()),
            pci: None,
            primary: None,
        };
        let report = i915::nodes::examine(node, &|_| Err(errno));
        assert_eq!(report.reason().unwrap().to_string(), reason, "{}", row.name);
        return;
    }
    let instance = Instance::new(&[("skl", row.lacks)]);
    match row.outcome {
        Outcome::Works => {
            assert_eq!(device_works(&instance), Ok(()), "{}", row.name);
            assert_eq!(texts(&instance.later), [""; 0], "{}", row.name);
        }
        Outcome::Unusable(reason) => {
            let message = format!("simulated GPU 1: {reason}");
            assert!(instance.devices().is_empty(), "{}", row.name);
            let message = std::slice::from_ref(&message);
            assert_eq!(texts(&instance.at_creation), message);
            assert_eq!(texts(&instance.later), message);
            assert_eq!(instance.messages_of_new_messenger(), message);
        }
        Outcome::Fails(code) => {
            assert_eq!(device_works(&instance), Err(code), "{}", row.name);
        }
        Outcome::Lost(reason) => {
            let lost = Err(vk::Result::ERROR_DEVICE_LOST);
            assert_eq!(device_works(&instance), lost, "{}", row.name);
            let message = format!("device lost: {reason}");
            assert_eq!(texts(&instance.later), [message], "{}", row.name);
        }
        Outcome::NotOpened(..) => unreachable!("checked above"),
    }
}

#[test]
fn each_kernel_leads_to_a_device_or_a_sentence() {
    ROWS.iter().for_each(check);
}

#[test]
fn the_document_has_the_rows_of_this_table() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/kernels.md");
    let text = std::fs::read_to_string(path).unwrap();
    let (_, table) = text.split_once("## What each kernel leads to").unwrap();
    let documented: Vec<(String, String)> = table
        .lines()
        .skip_while(|line| !line.starts_with("| ---"))
        .skip(1)
        .take_while(|line| line.starts_with('|'))
        .map(|line| {
            let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
            (cells[0].into(), cells[2].into())
        })
        .collect();
    let tested: Vec<(String, String)> = ROWS
        .iter()
        .map(|row| (row.name.to_owned(), row.outcome.text()))
        .collect();
    assert_eq!(documented, tested);
}

#[test]
fn usable_gpus_are_devices_next_to_one_that_is_not() {
    let lacks = [Lack::Driver("xe")];
    let instance = Instance::new(&[("skl", &[]), ("kbl", &lacks), ("glk", &[])]);
    let devices = instance.devices();
    let names: Vec<&str> = devices.iter().map(|(_, name)| name.as_str()).collect();
    assert_eq!(names.len(), 2, "{names:?}");
    assert!(
        names[0].contains("SKL") && names[1].contains("GLK"),
        "{names:?}"
    );
    assert_eq!(
        texts(&instance.later),
        ["simulated GPU 2: driven by xe, not i915"]
    );
    // Both work at the same time, and the loss of neither is the other's.
    let both: Vec<Device> = devices
        .iter()
        .map(|(physical, _)| Device::new(&instance, *physical).unwrap())
        .collect();
    for _ in 0..2 {
        for device in &both {
            device.fill().unwrap();
        }
    }
}

#[test]
fn a_child_process_leaves_the_device_of_its_parent_alone() {
    let instance = Instance::new(&[("skl", &[])]);
    let (physical, _) = instance.devices()[0];
    let device = Device::new(&instance, physical).unwrap();
    device.fill().unwrap();
    // SAFETY: the child only exits, as programs do that start others.
    match unsafe { nix::unistd::fork() }.unwrap() {
        // SAFETY: ends the process, without destructors of objects that belong to the parent.
        nix::unistd::ForkResult::Child => unsafe { nix::libc::_exit(0) },
        nix::unistd::ForkResult::Parent { child } => {
            nix::sys::wait::waitpid(child, None).unwrap();
        }
    }
    device.fill().unwrap();
}
