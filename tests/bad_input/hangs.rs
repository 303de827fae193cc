//! Shaders that never end, and accesses far outside of buffers.

use ash::vk;

use crate::rig::{Rig, glsl};

const STORAGE: vk::DescriptorType = vk::DescriptorType::STORAGE_BUFFER;

/// Adds one to every dword.
const COUNT: &str = "layout(local_size_x = 16) in;
layout(set = 0, binding = 0) buffer B { uint v[]; } b;
void main() { b.v[gl_GlobalInvocationID.x] += 1u; }";

/// Ends only if another agent writes a zero.
const MEMORY_LOOP: &str = "layout(local_size_x = 16) in;
layout(set = 0, binding = 0) buffer B { uint v[]; } b;
void main() { while (atomicAdd(b.v[0], 2u) != 0xffffffffu) { } }";

/// Touches no memory while it runs.
const ARITHMETIC_LOOP: &str = "layout(local_size_x = 16) in;
layout(set = 0, binding = 0) buffer B { uint v[]; } b;
layout(push_constant) uniform P { uint odd; };
void main() { uint i = 0u; do { i += 2u; } while (i != odd); b.v[0] = i; }";

/// Half of the workgroup never comes to the barrier.
const BARRIER: &str = "layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer B { uint v[]; } b;
void main() {
    if (gl_LocalInvocationIndex >= 32u) { while (atomicAdd(b.v[0], 2u) != 0xffffffffu) { } }
    barrier();
    b.v[1] = 1u;
}";

/// The device is lost in bounded time; another device of the same GPU does its work before and
/// after.
fn hangs(text: &str) {
    let (rig, other) = (Rig::new(false), Rig::new(false));
    let mut work = rig.pipeline(&glsl(text), &[STORAGE]).unwrap();
    let (buffers, data) = work.memory(1, 4096).unwrap();
    work.describe(0, STORAGE, buffers[0]);
    data.fill(0);
    let mut good = other.pipeline(&glsl(COUNT), &[STORAGE]).unwrap();
    let (buffers, counters) = good.memory(1, 4096).unwrap();
    good.describe(0, STORAGE, buffers[0]);
    good.run(&[]).unwrap();

    let commands = [work.record(&[1], |_, _| ()).unwrap()];
    work.submit(&vk::SubmitInfo::default().command_buffers(&commands))
        .unwrap();
    // Queued after the hang, on another context.
    let commands = [good.record(&[], |_, _| ()).unwrap()];
    good.submit(&vk::SubmitInfo::default().command_buffers(&commands))
        .unwrap();
    assert_eq!(work.wait(), Err(vk::Result::ERROR_DEVICE_LOST));
    assert_eq!(work.run(&[1]), Err(vk::Result::ERROR_DEVICE_LOST));
    good.wait().unwrap();
    good.run(&[]).unwrap();
    assert_eq!(counters[..17], [[3; 16].as_slice(), &[0]].concat());
    assert_eq!(crate::panics(), 0);
}

#[test]
fn endless_memory_loop_loses_only_its_device() {
    hangs(MEMORY_LOOP);
}

#[test]
fn endless_alu_loop_loses_only_its_device() {
    hangs(ARITHMETIC_LOOP);
}

#[test]
fn incomplete_barrier_loses_only_its_device() {
    hangs(BARRIER);
}

/// Reads and writes at an index, and then where it should.
const OUTSIDE: &str = "layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer A { uint v[]; } a;
layout(set = 0, binding = 1) buffer B { uint v[]; } b;
layout(push_constant) uniform P { uint index; };
void main() {
    b.v[0] = a.v[index];
    a.v[index] = 0xdeadu;
    b.v[1] = atomicAdd(a.v[index], 1u);
    b.v[2] = 77u;
}";

#[test]
fn out_of_bounds_accesses_touch_nothing_else() {
    const BYTES: u64 = 256;
    for robust in [true, false] {
        for index in [
            BYTES as u32 / 4,
            1000,
            0x0fff_ffff,
            0x1000_0000,
            0x3fff_ffff,
            0x8000_0000,
            u32::MAX,
        ] {
            let rig = Rig::new(robust);
            let mut work = rig.pipeline(&glsl(OUTSIDE), &[STORAGE; 2]).unwrap();
            let (buffers, data) = work.memory(3, BYTES).unwrap();
            work.describe(0, STORAGE, buffers[1]);
            work.describe(1, STORAGE, buffers[2]);
            data.fill(0x5555);
            let ended = work.run(&[index]);
            let (before, rest) = data.split_at(BYTES as usize / 4);
            let (own, after) = rest.split_at(BYTES as usize / 4);
            let place = format!("index {index:#x}, robust {robust}");
            if robust {
                assert_eq!(ended, Ok(()), "{place}");
                // What is read outside is zero, or from inside; nothing outside is written.
                assert!(
                    [0, 0x5555].contains(&after[0]),
                    "{place}: read {:#x}",
                    after[0]
                );
                assert_eq!(after[2], 77, "{place}");
                assert!(before.iter().all(|&dword| dword == 0x5555), "{place}");
                assert!(after[3..].iter().all(|&dword| dword == 0x5555), "{place}");
                // An index whose address wraps may come back inside.
                assert!(
                    own.iter()
                        .all(|dword| [0x5555, 0xdead, 0xdeae].contains(dword)),
                    "{place}"
                );
            } else {
                assert!(
                    [Ok(()), Err(vk::Result::ERROR_DEVICE_LOST)].contains(&ended),
                    "{place}: {ended:?}"
                );
            }
        }
    }
    assert_eq!(crate::panics(), 0);
}
