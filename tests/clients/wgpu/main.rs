//! Runs wgpu's compute examples on Vulkan and checks their results.
//!
//! In:  the Vulkan driver that the environment names (VK_ICD_FILENAMES); optionally a part of the
//!      device's name that must be there, as the only argument.
//! Out: a line per example; exit status 1 if one is wrong or no device is found.
//! Ref: wgpu's examples hello_compute, repeated_compute, hello_synchronization and
//!      hello_workgroups, whose shaders are restated here; three programs of our own go with them.

mod instance;

use instance::wait;
use std::process::ExitCode;

/// Steps until each number reaches 1 by the rule of Collatz.
const COLLATZ: &str = "
@group(0) @binding(0) var<storage, read_write> v: array<u32>;
fn steps(start: u32) -> u32 {
    var n: u32 = start;
    var i: u32 = 0u;
    loop {
        if (n <= 1u) { break; }
        if (n % 2u == 0u) {
            n = n / 2u;
        } else {
            if (n >= 1431655765u) { return 4294967295u; }
            n = 3u * n + 1u;
        }
        i = i + 1u;
    }
    return i;
}
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    v[id.x] = steps(v[id.x]);
}
";

/// Each group adds to a counter of its own in shared memory, with and without an atomic in between.
const SYNCHRONIZED: &str = "
@group(0) @binding(0) var<storage, read_write> patient: array<u32>;
@group(0) @binding(1) var<storage, read_write> counter: atomic<u32>;
var<workgroup> count: atomic<u32>;
@compute @workgroup_size(16)
fn main(@builtin(local_invocation_index) local: u32, @builtin(workgroup_id) group: vec3<u32>) {
    atomicAdd(&count, local);
    atomicAdd(&counter, 1u);
    workgroupBarrier();
    if (local == 0u) { patient[group.x] = atomicLoad(&count) + group.x; }
}
";

/// Each group counts in one place of each array, by the parity of its invocations.
const WORKGROUPS: &str = "
@group(0) @binding(0) var<storage, read_write> a: array<i32>;
@group(0) @binding(1) var<storage, read_write> b: array<i32>;
@compute @workgroup_size(2, 1, 1)
fn main(@builtin(local_invocation_id) local: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>) {
    if (local.x == 0u) {
        a[group.x] += 1;
    } else if (local.x == 1u) {
        b[group.x] += 1;
    }
}
";

/// Sums of 256 numbers each, by halving, with a uniform scale and an override.
const REDUCTION: &str = "
override bias: u32 = 0u;
struct Parameters { scale: u32, count: u32 }
@group(0) @binding(0) var<storage, read> source: array<u32>;
@group(0) @binding(1) var<storage, read_write> sums: array<u32>;
@group(0) @binding(2) var<uniform> parameters: Parameters;
var<workgroup> partial: array<u32, 256>;
@compute @workgroup_size(256)
fn main(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) group: vec3<u32>,
) {
    var value = 0u;
    if (id.x < parameters.count) { value = source[id.x] * parameters.scale; }
    partial[local] = value;
    workgroupBarrier();
    for (var width = 128u; width > 0u; width /= 2u) {
        if (local < width) { partial[local] += partial[local + width]; }
        workgroupBarrier();
    }
    if (local == 0u) { sums[group.x] = partial[0] + bias; }
}
";

/// Running sums within groups of 128, in place.
const PREFIX_SUM: &str = "
@group(0) @binding(0) var<storage, read_write> v: array<f32>;
var<workgroup> row: array<f32, 128>;
@compute @workgroup_size(128)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    row[local] = v[id.x];
    workgroupBarrier();
    for (var step = 1u; step < 128u; step *= 2u) {
        var sum = row[local];
        if (local >= step) { sum += row[local - step]; }
        workgroupBarrier();
        row[local] = sum;
        workgroupBarrier();
    }
    v[id.x] = row[local];
}
";

struct Gpu {
    device: wgpu::Device,
    queue: wgpu::Queue,
}

/// How one dispatch binds: buffers in order of binding, and groups along x.
struct Dispatch<'a> {
    shader: &'a str,
    overrides: &'a [(&'a str, f64)],
    buffers: &'a [&'a wgpu::Buffer],
    /// Groups along x; with `indirect` they are read from a buffer (which wgpu checks in a shader
    /// of its own).
    groups: u32,
    indirect: bool,
    times: u32,
}

impl Gpu {
    fn open() -> Result<(Self, String), String> {
        let instance = instance::open()?;
        let adapter = wait(instance.request_adapter(&wgpu::RequestAdapterOptions::default()))
            .map_err(|e| e.to_string())?;
        let (device, queue) = wait(adapter.request_device(&wgpu::DeviceDescriptor {
            required_limits: wgpu::Limits::downlevel_defaults(),
            ..Default::default()
        }))
        .map_err(|e| e.to_string())?;
        Ok((Self { device, queue }, adapter.get_info().name))
    }

    fn buffer(&self, words: &[u32], usage: wgpu::BufferUsages) -> wgpu::Buffer {
        let buffer = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: words.len() as u64 * 4,
            usage: usage | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        self.queue.write_buffer(&buffer, 0, &bytes);
        buffer
    }

    fn storage(&self, words: &[u32]) -> wgpu::Buffer {
        self.buffer(words, wgpu::BufferUsages::STORAGE)
    }

    fn dispatch(&self, what: &Dispatch<'_>) {
        let module = self
            .device
            .create_shader_module(wgpu::ShaderModuleDescriptor {
                label: None,
                source: wgpu::ShaderSource::Wgsl(what.shader.into()),
            });
        let pipeline = self
            .device
            .create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: None,
                layout: None,
                module: &module,
                entry_point: Some("main"),
                compilation_options: wgpu::PipelineCompilationOptions {
                    constants: what.overrides,
                    ..Default::default()
                },
                cache: None,
            });
        let entries: Vec<wgpu::BindGroupEntry<'_>> = what
            .buffers
            .iter()
            .zip(0u32..)
            .map(|(buffer, binding)| wgpu::BindGroupEntry {
                binding,
                resource: buffer.as_entire_binding(),
            })
            .collect();
        let group = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &entries,
        });
        let arguments = what
            .indirect
            .then(|| self.buffer(&[99, what.groups, 1, 1], wgpu::BufferUsages::INDIRECT));
        let mut encoder = self.device.create_command_encoder(&Default::default());
        for _ in 0..what.times {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            pass.set_pipeline(&pipeline);
            pass.set_bind_group(0, &group, &[]);
            match &arguments {
                Some(buffer) => pass.dispatch_workgroups_indirect(buffer, 4),
                None => pass.dispatch_workgroups(what.groups, 1, 1),
            }
        }
        self.queue.submit([encoder.finish()]);
    }

    fn read(&self, buffer: &wgpu::Buffer) -> Result<Vec<u32>, String> {
        let copy = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: buffer.size(),
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let mut encoder = self.device.create_command_encoder(&Default::default());
        encoder.copy_buffer_to_buffer(buffer, 0, &copy, 0, buffer.size());
        self.queue.submit([encoder.finish()]);
        let (sender, receiver) = std::sync::mpsc::channel();
        copy.map_async(wgpu::MapMode::Read, .., move |result| {
            // The receiver waits below; without it the result is not needed.
            let _ = sender.send(result);
        });
        self.device
            .poll(wgpu::PollType::wait_indefinitely())
            .map_err(|e| e.to_string())?;
        receiver
            .recv()
            .map_err(|e| e.to_string())?
            .map_err(|e| e.to_string())?;
        let bytes = copy.get_mapped_range(..).map_err(|e| e.to_string())?;
        Ok(bytes
            .chunks_exact(4)
            .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
            .collect())
    }
}

fn same(found: &[u32], expected: &[u32]) -> Result<(), String> {
    if found.len() != expected.len() {
        return Err(format!(
            "{} values instead of {}",
            found.len(),
            expected.len()
        ));
    }
    match found.iter().zip(expected).position(|(f, e)| f != e) {
        Some(at) => Err(format!(
            "[{at}] is {}, expected {}",
            found[at], expected[at]
        )),
        None => Ok(()),
    }
}

fn steps(start: u32) -> u32 {
    let (mut n, mut i) = (start, 0);
    while n > 1 {
        if n.is_multiple_of(2) {
            n /= 2;
        } else if n >= 1_431_655_765 {
            return u32::MAX;
        } else {
            n = 3 * n + 1;
        }
        i += 1;
    }
    i
}

fn hello_compute(gpu: &Gpu) -> Result<(), String> {
    let input = [1, 4, 3, 295, 97, 871, u32::MAX, 0];
    let v = gpu.storage(&input);
    gpu.dispatch(&Dispatch {
        shader: COLLATZ,
        overrides: &[],
        buffers: &[&v],
        groups: input.len() as u32,
        indirect: false,
        times: 1,
    });
    let expected: Vec<u32> = input.iter().map(|&n| steps(n)).collect();
    same(&gpu.read(&v)?, &expected)
}

/// The same buffer again and again, read back each time.
fn repeated_compute(gpu: &Gpu) -> Result<(), String> {
    let mut state = 12345u32;
    for _ in 0..10 {
        let input: Vec<u32> = (0..100)
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                state >> 16
            })
            .collect();
        let v = gpu.storage(&input);
        gpu.dispatch(&Dispatch {
            shader: COLLATZ,
            overrides: &[],
            buffers: &[&v],
            groups: input.len() as u32,
            indirect: false,
            times: 2,
        });
        let expected: Vec<u32> = input.iter().map(|&n| steps(steps(n))).collect();
        same(&gpu.read(&v)?, &expected)?;
    }
    Ok(())
}

fn hello_synchronization(gpu: &Gpu) -> Result<(), String> {
    let patient = gpu.storage(&[0; 16]);
    let counter = gpu.storage(&[7]);
    gpu.dispatch(&Dispatch {
        shader: SYNCHRONIZED,
        overrides: &[],
        buffers: &[&patient, &counter],
        groups: 16,
        indirect: false,
        times: 1,
    });
    let expected: Vec<u32> = (0..16).map(|group| 120 + group).collect();
    same(&gpu.read(&patient)?, &expected)?;
    same(&gpu.read(&counter)?, &[7 + 256])
}

fn hello_workgroups(gpu: &Gpu) -> Result<(), String> {
    let start: Vec<u32> = (0..100).collect();
    let (a, b) = (gpu.storage(&start), gpu.storage(&start));
    gpu.dispatch(&Dispatch {
        shader: WORKGROUPS,
        overrides: &[],
        buffers: &[&a, &b],
        groups: 60,
        indirect: false,
        times: 3,
    });
    let expected: Vec<u32> = start
        .iter()
        .map(|&i| if i < 60 { i + 3 } else { i })
        .collect();
    same(&gpu.read(&a)?, &expected)?;
    same(&gpu.read(&b)?, &expected)
}

fn indirect(gpu: &Gpu) -> Result<(), String> {
    let v = gpu.storage(&[27; 40]);
    gpu.dispatch(&Dispatch {
        shader: COLLATZ,
        overrides: &[],
        buffers: &[&v],
        groups: 33,
        indirect: true,
        times: 1,
    });
    let expected: Vec<u32> = (0..40).map(|i| if i < 33 { 111 } else { 27 }).collect();
    same(&gpu.read(&v)?, &expected)
}

fn reduction(gpu: &Gpu) -> Result<(), String> {
    let count = 256 * 40 - 100;
    let input: Vec<u32> = (0..count).map(|i| i * 7 % 1001).collect();
    let source = gpu.storage(&input);
    let sums = gpu.storage(&[0; 40]);
    let parameters = gpu.buffer(&[3, count], wgpu::BufferUsages::UNIFORM);
    gpu.dispatch(&Dispatch {
        shader: REDUCTION,
        overrides: &[("bias", 5.0)],
        buffers: &[&source, &sums, &parameters],
        groups: 40,
        indirect: false,
        times: 1,
    });
    let expected: Vec<u32> = input
        .chunks(256)
        .map(|row| row.iter().sum::<u32>() * 3 + 5)
        .collect();
    same(&gpu.read(&sums)?, &expected)
}

fn prefix_sum(gpu: &Gpu) -> Result<(), String> {
    // Sums of small whole numbers are exact in floats, in any order.
    let input: Vec<f32> = (0..512).map(|i| (i * 5 % 23) as f32 - 11.0).collect();
    let words: Vec<u32> = input.iter().map(|f| f.to_bits()).collect();
    let v = gpu.storage(&words);
    gpu.dispatch(&Dispatch {
        shader: PREFIX_SUM,
        overrides: &[],
        buffers: &[&v],
        groups: 4,
        indirect: false,
        times: 1,
    });
    let mut expected = Vec::new();
    for row in input.chunks(128) {
        let mut sum = 0.0f32;
        for value in row {
            sum += value;
            expected.push(sum.to_bits());
        }
    }
    // A zero may come out with either sign.
    let found: Vec<u32> = gpu
        .read(&v)?
        .into_iter()
        .map(|w| (f32::from_bits(w) + 0.0).to_bits())
        .collect();
    same(&found, &expected)
}

type Example = fn(&Gpu) -> Result<(), String>;

fn main() -> ExitCode {
    let (gpu, name) = match Gpu::open() {
        Ok(opened) => opened,
        Err(why) => {
            println!("no device: {why}");
            return ExitCode::FAILURE;
        }
    };
    println!("device: {name}");
    if let Some(wanted) = std::env::args().nth(1)
        && !name.contains(&wanted)
    {
        println!("not the device asked for: {wanted}");
        return ExitCode::FAILURE;
    }
    let examples: [(&str, Example); 7] = [
        ("hello_compute", hello_compute),
        ("repeated_compute", repeated_compute),
        ("hello_synchronization", hello_synchronization),
        ("hello_workgroups", hello_workgroups),
        ("indirect", indirect),
        ("reduction", reduction),
        ("prefix_sum", prefix_sum),
    ];
    let mut status = ExitCode::SUCCESS;
    for (name, example) in examples {
        match example(&gpu) {
            Ok(()) => println!("ok {name}"),
            Err(why) => {
                println!("FAILED {name}: {why}");
                status = ExitCode::FAILURE;
            }
        }
    }
    status
}
