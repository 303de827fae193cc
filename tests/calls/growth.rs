//! Objects of every kind are made and destroyed, and nothing is left: bytes of the allocator, file
//! descriptors, mappings.
//!
//! The driver and the simulated kernel share this process, so that what the kernel keeps for us
//! (handles, contexts, syncobjs, address spaces) is counted with what the driver keeps. The tests
//! are one process's, and count all of it: they run one after the other.

#![allow(
    unsafe_code,
    reason = "Vulkan is called as applications call it; the allocator is counted"
)]

mod memory;
mod object;
mod random;
mod record;
mod round;
mod scene;
mod simulated;
mod world;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, Ordering};

use ash::vk;
use world::{Words, World};

/// The system's allocator, counted.
struct Counted;

static BYTES: AtomicI64 = AtomicI64::new(0);

// SAFETY: every call is the system allocator's; the count is beside it.
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        BYTES.fetch_add(layout.size() as i64, Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        BYTES.fetch_sub(layout.size() as i64, Ordering::Relaxed);
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        BYTES.fetch_add(bytes as i64 - layout.size() as i64, Ordering::Relaxed);
        unsafe { System.realloc(at, layout, bytes) }
    }
}

#[global_allocator]
static ALLOCATOR: Counted = Counted;

/// Nobody else allocates while this is held.
static ALONE: Mutex<()> = Mutex::new(());

/// What a process holds.
#[derive(Clone, Copy, Debug)]
struct Held {
    bytes: i64,
    descriptors: usize,
    mappings: usize,
    resident_pages: i64,
}

impl Held {
    fn now() -> Held {
        let bytes = BYTES.load(Ordering::Relaxed);
        let text = |path| std::fs::read_to_string(path).expect("procfs");
        let pages = text("/proc/self/statm");
        Held {
            bytes,
            descriptors: std::fs::read_dir("/proc/self/fd").expect("procfs").count(),
            mappings: text("/proc/self/maps").lines().count(),
            resident_pages: pages
                .split(' ')
                .nth(1)
                .and_then(|n| n.parse().ok())
                .expect("procfs"),
        }
    }

    /// Nothing was added since, over so many turns: not a byte for each of them, no descriptor, no
    /// mapping. The system's allocator and the threads' stacks may hold on to some pages.
    fn has_grown(self, before: Held, turns: i64) -> bool {
        self.bytes - before.bytes >= turns
            || self.descriptors > before.descriptors
            || self.mappings > before.mappings + 8
            || self.resident_pages - before.resident_pages >= 2048
    }
}

/// Turns before anything is counted: tables are filled once, and lists find their size.
const WARM: u32 = 50;

/// As many turns as asked for by INGOT_GROWTH_TURNS (for valgrind), or the usual number.
fn turns(usual: u32) -> u32 {
    std::env::var("INGOT_GROWTH_TURNS")
        .map_or(usual, |text| text.parse().expect("a number of turns"))
}

/// Counts over and over until nothing is added any more: pools keep as much as was once needed at a
/// time, which is another number each time where threads race. What leaks is added each time.
fn grows_not(usual: u32, what: &str, mut turn: impl FnMut(u32)) {
    const TIMES: u32 = 5;
    let count = turns(usual);
    (0..WARM.min(count)).for_each(&mut turn);
    let mut before = Held::now();
    for time in 1..=TIMES {
        (0..count).for_each(&mut turn);
        let now = Held::now();
        eprintln!("{what}, {count} turns: {before:?} to {now:?}");
        if !now.has_grown(before, count.into()) {
            return;
        }
        assert!(time < TIMES, "{what} grows: {before:?} to {now:?}");
        before = now;
    }
}

#[test]
fn instances_and_devices() {
    let _alone = ALONE
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner());
    let entry = simulated::entry();
    grows_not(1000, "instances with a device", |_| unsafe {
        let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
        let info = vk::InstanceCreateInfo::default().application_info(&application);
        let instance = entry.create_instance(&info, None).expect("an instance");
        let physical = instance.enumerate_physical_devices().expect("devices")[0];
        let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
        let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues);
        let device = instance
            .create_device(physical, &info, None)
            .expect("a device");
        device.device_wait_idle().expect("idle");
        device.destroy_device(None);
        instance.destroy_instance(None);
    });
}

#[test]
fn command_buffers() {
    let _alone = ALONE
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner());
    let world = World::new(&simulated::entry(), &Words::new());
    let d = &world.device;
    unsafe {
        let flags = vk::CommandPoolCreateFlags::RESET_COMMAND_BUFFER;
        let info = vk::CommandPoolCreateInfo::default().flags(flags);
        let pool = d.create_command_pool(&info, None).expect("a pool");
        let usage = vk::BufferUsageFlags::TRANSFER_DST;
        let buffer = d.create_buffer(
            &vk::BufferCreateInfo::default().size(65536).usage(usage),
            None,
        );
        let buffer = buffer.expect("a buffer");
        let memory = world.memory(d.get_buffer_memory_requirements(buffer));
        d.bind_buffer_memory(buffer, memory, 0).expect("bound");
        grows_not(10_000, "command buffers", |number| {
            let level = vk::CommandBufferLevel::PRIMARY;
            let info = vk::CommandBufferAllocateInfo::default()
                .command_pool(pool)
                .level(level)
                .command_buffer_count(1);
            let commands = d.allocate_command_buffers(&info).expect("a command buffer");
            d.begin_command_buffer(commands[0], &vk::CommandBufferBeginInfo::default())
                .expect("begun");
            // Some are longer than a chunk.
            let updates = if number % 64 == 0 { 2000 } else { 2 };
            for update in 0..updates {
                d.cmd_update_buffer(commands[0], buffer, update * 16, &[7; 16]);
            }
            d.end_command_buffer(commands[0]).expect("ended");
            if number % 100 == 0 {
                let submits = [vk::SubmitInfo::default().command_buffers(&commands)];
                d.queue_submit(world.queue, &submits, vk::Fence::null())
                    .expect("submitted");
                d.queue_wait_idle(world.queue).expect("idle");
            }
            d.free_command_buffers(pool, &commands);
        });
        d.destroy_command_pool(pool, None);
        d.destroy_buffer(buffer, None);
        d.free_memory(memory, None);
    }
}

/// Buffers, images, views, samplers, sets, templates, pipelines, caches, passes, framebuffers,
/// queries, events, fences, semaphores.
#[test]
fn objects_of_every_kind() {
    const SEEDS: u32 = 10;
    let _alone = ALONE
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner());
    let mut world = World::new(&simulated::entry(), &Words::new());
    // The same rounds over and over: what is kept for the next time is kept once.
    grows_not(3, "ten rounds of random objects", |_| {
        (0..SEEDS).for_each(|seed| round::play(&mut world, seed.into()));
    });
}
