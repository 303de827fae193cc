//! Modules that are no modules, shaders over the limits, and shaders that do not fit their layouts.

use ash::vk;

use crate::rig::{Rig, glsl};

const STORAGE: vk::DescriptorType = vk::DescriptorType::STORAGE_BUFFER;

/// A bit of everything, small enough to be broken in every place.
const GOOD: &str = "layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer B { uint n; vec4 v[]; } b;
layout(push_constant) uniform P { uint count; };
shared float sums[8];
float twice(float x) { return x * 2.0; }
void main() {
    uint i = gl_LocalInvocationIndex;
    sums[i] = 0.0;
    for (uint k = 0u; k < count; k++) {
        if ((k & 1u) == i) { continue; }
        sums[i] += twice(length(b.v[k].xyz));
    }
    barrier();
    switch (i) { case 0u: b.v[0].x = sums[7]; break; case 3u: b.n = 5u; default: b.v[i] = vec4(sums[i]); }
}";

/// Deterministic noise (xorshift).
struct Noise(u32);

impl Noise {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0 as usize % below
    }
}

#[test]
fn truncated_modules_are_refused() {
    let rig = Rig::new(false);
    let words = glsl(GOOD);
    assert!(rig.pipeline(&words, &[STORAGE]).is_ok());
    // The last word is OpFunctionEnd; all that comes before leaves a function open.
    for end in 0..words.len() {
        assert!(
            rig.pipeline(&words[..end], &[STORAGE]).is_err(),
            "{end} words"
        );
    }
    assert_eq!(crate::panics(), 0);
}

#[test]
fn mutated_modules_do_not_crash() {
    let rig = Rig::new(false);
    let words = glsl(GOOD);
    let bound = words[3] as usize;
    let mut noise = Noise(1);
    let mut refused = 0;
    for round in 0..600 {
        let mut bad = words.clone();
        for _ in 0..=noise.next(3) {
            // Past the header, so that more than the first check is met.
            let at = 5 + noise.next(bad.len() - 5);
            bad[at] = match round % 3 {
                // Another bit.
                0 => bad[at] ^ 1 << noise.next(32),
                // Another id: mostly one of another kind.
                1 => 1 + noise.next(bound) as u32,
                // Another word of the module, an instruction maybe.
                _ => bad[noise.next(words.len())],
            };
        }
        refused += u32::from(rig.pipeline(&bad, &[STORAGE]).is_err());
    }
    assert!(refused > 100, "{refused} refused");
    for length in 1..200 {
        let mut bad: Vec<u32> = (0..length).map(|_| noise.next(1 << 20) as u32).collect();
        bad[0] = words[0];
        assert!(rig.pipeline(&bad, &[STORAGE]).is_err());
    }
    assert_eq!(crate::panics(), 0);
}

/// `words` with another workgroup size.
fn with_size(mut words: Vec<u32>, size: [u32; 3]) -> Vec<u32> {
    // OpExecutionMode of six words: entry point, LocalSize, x, y, z.
    let at = words
        .windows(3)
        .position(|w| w[0] == 6 << 16 | 16 && w[2] == 17);
    let at = at.expect("LocalSize");
    words[at + 3..at + 6].copy_from_slice(&size);
    // A constant that is gl_WorkGroupSize would count instead: OpDecorate of four words, BuiltIn,
    // WorkgroupSize.
    let decorated = words
        .windows(4)
        .position(|w| w[0] == 4 << 16 | 71 && w[2..] == [11, 25]);
    if let Some(at) = decorated {
        // OpNop.
        words[at..at + 4].fill(1 << 16);
    }
    words
}

#[test]
fn shader_limits_are_enforced() {
    let rig = Rig::new(false);
    let limits = unsafe {
        let physical = rig.instance().enumerate_physical_devices().unwrap()[0];
        rig.instance()
            .get_physical_device_properties(physical)
            .limits
    };
    let most = limits.max_compute_work_group_invocations;
    let simple =
        "layout(local_size_x = 1) in; layout(set = 0, binding = 0) buffer B { uint v[]; } b;
        void main() { b.v[gl_GlobalInvocationID.x] = 1u; }";
    let words = glsl(simple);
    let try_size = |size| {
        rig.pipeline(&with_size(words.clone(), size), &[STORAGE])
            .err()
    };
    for good in [[most, 1, 1], [1, most, 1], [1, 1, most], [most / 64, 8, 8]] {
        assert_eq!(try_size(good), None, "{good:?}");
    }
    for bad in [
        [most + 1, 1, 1],
        [1, most + 1, 1],
        [most, 2, 1],
        [0, 1, 1],
        [u32::MAX; 3],
        [0x1_0000, 0x1_0000, 1],
        [0x8000_0000, 2, 1],
    ] {
        assert!(try_size(bad).is_some(), "{bad:?}");
    }
    let shared = |bytes: u32| {
        let text = format!(
            "layout(local_size_x = 64) in; layout(set = 0, binding = 0) buffer B {{ uint v[]; }} b;
            shared uint s[{}];
            void main() {{ s[gl_LocalInvocationIndex * 3u % {}u] = 1u; barrier(); b.v[0] = s[b.v[1]]; }}",
            bytes / 4,
            bytes / 4
        );
        rig.pipeline(&glsl(&text), &[STORAGE]).err()
    };
    let most = limits.max_compute_shared_memory_size;
    assert_eq!(shared(most), None);
    for bytes in [most + 4, most * 2, 1 << 24, 0x7fff_fffc] {
        assert!(shared(bytes).is_some(), "{bytes} bytes of shared memory");
    }
    let push = |dwords: u32| {
        let text = format!(
            "layout(local_size_x = 1) in; layout(set = 0, binding = 0) buffer B {{ uint v[]; }} b;
            layout(push_constant) uniform P {{ uint p[{dwords}]; }};
            void main() {{ b.v[0] = p[{}]; b.v[1] = p[b.v[2]]; }}",
            dwords - 1
        );
        rig.pipeline(&glsl(&text), &[STORAGE])
    };
    assert!(push(limits.max_push_constants_size / 4).is_ok());
    // Beyond what could ever be pushed.
    assert!(push(4096).is_err() && push(0x1000_0000).is_err());
    // More than the layout has: an error, or values that mean nothing.
    for over in [1, 4, 32] {
        if let Ok(mut work) = push(limits.max_push_constants_size / 4 + over) {
            let (buffers, data) = work.memory(1, 4096).unwrap();
            work.describe(0, STORAGE, buffers[0]);
            data.fill(0);
            let ended = work.run(&[0; 4]);
            assert!(
                [Ok(()), Err(vk::Result::ERROR_DEVICE_LOST)].contains(&ended),
                "{ended:?}"
            );
        }
    }
    assert_eq!(crate::panics(), 0);
}

#[test]
fn mismatched_descriptor_types_are_defined() {
    let shaders = [
        "buffer B { uint v[16]; } b; void main() { b.v[0] += 1u; }",
        "uniform B { uvec4 v[16]; } b; layout(set = 0, binding = 1) buffer C { uint v; } c;
            void main() { c.v = b.v[3].y; }",
        "uniform sampler2D s; layout(set = 0, binding = 1) buffer C { vec4 v; } c;
            void main() { c.v = texelFetch(s, ivec2(0), 0); }",
        "buffer B { uint v[]; } b[4]; void main() { b[3].v[0] = 1u; }",
    ];
    let layouts: [&[vk::DescriptorType]; 5] = [
        &[],
        &[vk::DescriptorType::UNIFORM_BUFFER, STORAGE],
        &[STORAGE, STORAGE],
        &[STORAGE, vk::DescriptorType::UNIFORM_BUFFER],
        &[
            vk::DescriptorType::UNIFORM_BUFFER,
            vk::DescriptorType::UNIFORM_BUFFER,
        ],
    ];
    for text in shaders {
        let words = glsl(&format!(
            "layout(local_size_x = 1) in; layout(set = 0, binding = 0) {text}"
        ));
        for kinds in layouts {
            // A hang loses the device, so each has its own.
            let rig = Rig::new(true);
            let Ok(mut work) = rig.pipeline(&words, kinds) else {
                continue;
            };
            let (buffers, data) = work.memory(3, 4096).unwrap();
            for (binding, &kind) in (0..).zip(kinds) {
                work.describe(binding, kind, buffers[binding as usize]);
            }
            data.fill(0x5555);
            let ended = work.run(&[]);
            assert!(
                [Ok(()), Err(vk::Result::ERROR_DEVICE_LOST)].contains(&ended),
                "{kinds:?} {text}: {ended:?}"
            );
            assert!(
                data[2 * 1024..].iter().all(|&dword| dword == 0x5555),
                "{kinds:?} {text}"
            );
        }
    }
    assert_eq!(crate::panics(), 0);
}
