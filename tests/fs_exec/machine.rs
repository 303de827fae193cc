//! A data port, a gateway and a dispatcher, just large enough to run compute kernels next to the
//! interpreter.

use abi::DriverValue;
use eu::{
    Kernel, Message, MessageReply, SharedFunctions, StopReason, Thread, ThreadExit, ThreadInit,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Buffers of the shader by (set, binding, element).
pub type Buffers = Vec<((u32, u32, u32), Vec<u8>)>;

/// Elements of each binding's array in the heap.
pub const ELEMENTS: u32 = 16;
/// Where the shader's constant data pretends to be bound.
const CONSTANTS: (u32, u32, u32) = (200, 0, 0);
const HEAP: u64 = 0x3_0000_0000;
const COUNTS: u64 = 0x1000;

/// The interpreter keeps denormals of every size.
const KEEP_DENORMALS: ThreadInit = ThreadInit {
    sr0: [0; 8],
    vector_mask: false,
    cr0: 1 << 6 | 1 << 7 | 1 << 10,
    tdr0: [0; 4],
};

/// Byte in the heap of a descriptor.
fn heap_byte(key: (u32, u32, u32)) -> u32 {
    (key.0 << 18) | ((key.1 * ELEMENTS + key.2) * 64)
}

struct Memory<'a> {
    buffers: &'a mut Buffers,
    slots: BTreeMap<u32, usize>,
    slm: Vec<u8>,
    scratch: Vec<u8>,
    scratch_bytes: usize,
    thread: usize,
    groups: [u32; 3],
}

fn bad<T>(m: &Message<'_>, what: &str) -> Result<T, StopReason> {
    Err(StopReason::Unimplemented {
        what: format!("{what} (sfid {}, desc {:#x})", m.sfid, m.desc),
        at: m.ip,
    })
}

impl Memory<'_> {
    /// A scratch block read or write; `header`: dword 5 of the header.
    fn scratch_block(
        &mut self,
        m: &Message<'_>,
        header: u32,
        body: &[u32],
        response: &mut [u32],
    ) -> Result<(), StopReason> {
        let regs = 1usize << (m.desc >> 12 & 3);
        // The header's dword 5 holds a place in the thread's scratch, and other things
        // below bit 10.
        let at = (header & !0x3ff) as usize + (m.desc & 0xfff) as usize * 32;
        if at < self.thread * self.scratch_bytes {
            return bad(m, "scratch before the thread's");
        }
        for i in 0..regs * 8 {
            let at = at + i * 4;
            if at + 4 > (self.thread + 1) * self.scratch_bytes {
                return bad(m, "scratch beyond the thread's");
            }
            if m.desc >> 17 & 1 == 1 {
                put(&mut self.scratch, at, 4, body[i]);
            } else {
                response[i] = get(&self.scratch, at, 4);
            }
        }
        Ok(())
    }

    /// An untyped or 64-bit address message of data port 1.
    fn untyped(
        &mut self,
        m: &Message<'_>,
        payload: &[u32],
        lanes: Vec<usize>,
        response: &mut [u32],
    ) -> Result<(), StopReason> {
        let control = m.desc >> 8 & 0x3f;
        let kind = m.desc >> 14 & 0x1f;
        let simd16 = match kind {
            1 | 9 | 0x11 | 0x19 => control >> 4 & 3 == 1,
            2 | 0x1b => control >> 4 & 1 == 0,
            _ => false,
        };
        let width = if simd16 { 16 } else { 8 };
        if u32::from(m.exec_size) > width as u32 {
            return bad(m, "more lanes than the message has");
        }
        let comps: Vec<usize> = (0..4).filter(|c| control >> c & 1 == 0).collect();
        match kind {
            1 | 9 => {
                let surface = self.surface(m)?;
                for l in lanes {
                    let at = payload[l] as usize;
                    for (k, c) in comps.iter().enumerate() {
                        if kind == 1 {
                            response[k * width + l] = get(surface, at + c * 4, 4);
                        } else {
                            put(surface, at + c * 4, 4, payload[(k + 1) * width + l]);
                        }
                    }
                }
            }
            2 | 0x1b => {
                let surface = self.surface(m)?;
                for l in lanes {
                    let at = payload[l] as usize;
                    let old = get(surface, at, 4);
                    let a = payload[width + l];
                    let b = payload.get(2 * width + l).copied().unwrap_or(0);
                    put(
                        surface,
                        at,
                        4,
                        atomic(control & 0xf, kind == 0x1b, old, a, b),
                    );
                    if let Some(r) = response.get_mut(l) {
                        *r = old;
                    }
                }
            }
            0x11 => {
                for l in lanes {
                    let at = u64::from(payload[2 * l]) | u64::from(payload[2 * l + 1]) << 32;
                    for (k, c) in comps.iter().enumerate() {
                        response[k * width + l] = self.global(at + *c as u64 * 4);
                    }
                }
            }
            _ => return bad(m, "data port 1"),
        }
        Ok(())
    }

    /// The bytes that a binding table index means.
    fn surface(&mut self, m: &Message<'_>) -> Result<&mut Vec<u8>, StopReason> {
        match m.desc & 0xff {
            252 => match self.slots.get(&(m.ex_desc >> 6 & !0x3f)) {
                Some(&slot) => Ok(&mut self.buffers[slot].1),
                None => bad(m, &format!("no surface for handle {:#x}", m.ex_desc)),
            },
            253 => Ok(&mut self.scratch),
            254 => Ok(&mut self.slm),
            _ => bad(m, "binding table index"),
        }
    }

    fn global(&self, at: u64) -> u32 {
        if (COUNTS..COUNTS + 12).contains(&at) {
            return self.groups[(at - COUNTS) as usize / 4];
        }
        if at >= HEAP && at % 64 == 48 {
            let byte = (at - HEAP) as u32 & !63;
            return self
                .slots
                .get(&byte)
                .map_or(0, |&s| self.buffers[s].1.len() as u32);
        }
        0xdead_beef
    }
}

fn get(bytes: &[u8], at: usize, n: usize) -> u32 {
    let mut out = [0; 4];
    if let Some(from) = bytes.get(at..at.saturating_add(n)) {
        out[..n].copy_from_slice(from);
    }
    u32::from_le_bytes(out)
}

fn put(bytes: &mut [u8], at: usize, n: usize, value: u32) {
    if let Some(to) = bytes.get_mut(at..at.saturating_add(n)) {
        to.copy_from_slice(&value.to_le_bytes()[..n]);
    }
}

fn atomic(op: u32, float: bool, old: u32, a: u32, b: u32) -> u32 {
    let (fo, fa) = (f32::from_bits(old), f32::from_bits(a));
    match (float, op) {
        (false, 1) => old & a,
        (false, 2) => old | a,
        (false, 3) => old ^ a,
        (false, 4) => a,
        (false, 7) => old.wrapping_add(a),
        (false, 10) => (old as i32).max(a as i32) as u32,
        (false, 11) => (old as i32).min(a as i32) as u32,
        (false, 12) => old.max(a),
        (false, 13) => old.min(a),
        (false, 14) => {
            if old == a {
                b
            } else {
                old
            }
        }
        (true, 1) => fo.max(fa).to_bits(),
        (true, 2) => fo.min(fa).to_bits(),
        _ => old,
    }
}

impl SharedFunctions for Memory<'_> {
    fn message(
        &mut self,
        m: &Message<'_>,
        response: &mut [u32],
    ) -> Result<MessageReply, StopReason> {
        // The payload is one thing, whether sent as one or as two.
        let payload: Vec<u32> = m.src0.iter().chain(m.src1).copied().collect();
        let mlen = (m.desc >> 25 & 0xf) as usize;
        if m.src0.len() != mlen * 8 || m.src1.len() != (m.ex_desc >> 6 & 0xf) as usize * 8 {
            return bad(m, "lengths");
        }
        let header = m.desc >> 19 & 1 == 1;
        let control = m.desc >> 8 & 0x3f;
        let kind = m.desc >> 14 & 0x1f;
        let lanes: Vec<usize> = (0..32).filter(|l| m.lanes >> l & 1 == 1).collect();
        let body = if header { &payload[8..] } else { &payload[..] };
        match m.sfid {
            7 => return Ok(MessageReply::Done),
            3 => return Ok(MessageReply::BarrierArrived),
            10 if m.desc >> 18 & 1 == 1 => {
                self.scratch_block(m, payload[5], body, response)?;
            }
            // Blocks of the constant cache and of the data cache.
            9 | 10 if kind == 1 => {
                let at = payload[2] as usize;
                let surface = self.surface(m)?;
                for (i, r) in response.iter_mut().enumerate() {
                    *r = get(surface, at + i * 4, 4);
                }
            }
            10 => match kind {
                7 => {}
                4 | 12 => {
                    let regs = if control & 1 == 1 { 16 } else { 8 };
                    let n = 1usize << (control >> 2 & 3);
                    let base = if header {
                        (payload[5] & !0x3ff) as usize
                    } else {
                        0
                    };
                    let surface = self.surface(m)?;
                    for l in lanes {
                        let at = base + body[l] as usize;
                        if kind == 4 {
                            response[l] = get(surface, at, n);
                        } else {
                            put(surface, at, n, body[regs + l]);
                        }
                    }
                }
                3 | 11 => {
                    let regs = if control & 1 == 1 { 16 } else { 8 };
                    let base = (payload[5] & !0x3ff) as usize;
                    let surface = self.surface(m)?;
                    for l in lanes {
                        let at = base + body[l] as usize * 4;
                        if kind == 3 {
                            response[l] = get(surface, at, 4);
                        } else {
                            put(surface, at, 4, body[regs + l]);
                        }
                    }
                }
                _ => return bad(m, "data port 0"),
            },
            12 => {
                self.untyped(m, &payload, lanes, response)?;
            }
            _ => return bad(m, "shared function"),
        }
        Ok(MessageReply::Done)
    }

    fn timestamp(&mut self) -> u64 {
        0
    }
}

/// Decodes the machine code of a variant.
fn decode(binary: &abi::ShaderBinary, variant: &abi::SimdVariant) -> Result<Arc<Kernel>, String> {
    let start = variant.code_offset_bytes as usize;
    let code = &binary.code[start..start + variant.code_bytes as usize];
    let kernel = Kernel::decode(
        &|at| {
            let mut out = [0; 16];
            if let Some(bytes) = code.get(at as usize..(at as usize + 16).min(code.len())) {
                out[..bytes.len()].copy_from_slice(bytes);
            }
            Ok(out)
        },
        0,
        hw::Gen::Gen9,
    )
    .map_err(|e| e.to_string())?;
    Ok(Arc::new(kernel))
}

/// The push data that all threads share: the application's constants, then the driver's values.
fn cross_thread_push(binary: &abi::ShaderBinary, push: &[u8]) -> Vec<u32> {
    let dword = |v: &DriverValue| match *v {
        DriverValue::SetHandle { set } => heap_byte((set, 0, 0)) << 6,
        DriverValue::SetPlace { set } => heap_byte((set, 0, 0)),
        DriverValue::DynamicHandle { .. } => 0,
        DriverValue::SetDescriptor { set, more } => {
            (heap_byte((set, 0, 0)) << 6).wrapping_add(more)
        }
        DriverValue::DynamicDescriptor { more, .. } => more,
        // `Nothing`, and the values of graphics stages.
        DriverValue::Nothing | DriverValue::CoverageSamples | DriverValue::PatchPoints => {
            0xdead_beef
        }
        DriverValue::NumWorkgroupsAddress { dword: 0 } => COUNTS as u32,
        DriverValue::NumWorkgroupsAddress { .. } => (COUNTS >> 32) as u32,
        DriverValue::BaseWorkgroupId { .. } => 0,
        DriverValue::SurfaceHeapAddress { dword: 0 } => HEAP as u32,
        DriverValue::SurfaceHeapAddress { .. } => (HEAP >> 32) as u32,
    };
    let block = &binary.push;
    let constants = block.constants_first_dw..block.constants_first_dw + block.constants_dw;
    let mut cross: Vec<u32> = constants
        .map(|at| get(push, at as usize * 4, 4))
        .chain(block.driver.iter().map(dword))
        .collect();
    cross.resize(block.registers() as usize * 8, 0);
    cross
}

/// Runs all workgroups of one variant.
pub fn run(
    binary: &abi::ShaderBinary,
    variant: &abi::SimdVariant,
    buffers: &mut Buffers,
    push: &[u8],
    groups: [u32; 3],
) -> Result<(), String> {
    if !binary.constants.data.is_empty() {
        let key = CONSTANTS;
        let mut with = binary.clone();
        for at in std::mem::take(&mut with.constants.handle_offsets) {
            with.code[at as usize..][..4].copy_from_slice(&(heap_byte(key) << 6).to_le_bytes());
        }
        buffers.push((key, std::mem::take(&mut with.constants.data)));
        let result = run(&with, variant, buffers, push, groups);
        buffers.pop();
        return result;
    }
    let kernel = decode(binary, variant)?;
    let slots = buffers
        .iter()
        .enumerate()
        .map(|(i, b)| (heap_byte(b.0), i))
        .collect();
    let compute = binary.compute().ok_or("no compute shader")?;
    let size = compute.workgroup_size;
    let invocations: u32 = size.iter().product();
    let width = u32::from(variant.simd_width);
    let threads = invocations.div_ceil(width) as usize;
    let mut memory = Memory {
        buffers,
        slots,
        slm: vec![0; compute.slm_bytes.next_multiple_of(4) as usize],
        scratch: vec![0xcd; threads * variant.scratch_bytes as usize],
        scratch_bytes: variant.scratch_bytes as usize,
        thread: 0,
        groups,
    };
    let cross = cross_thread_push(binary, push);
    let options = eu::Options {
        strict: true,
        uninit: true,
        statistics: false,
    };
    let [x, y, z] = groups;
    for group in (0..z).flat_map(|k| (0..y).flat_map(move |j| (0..x).map(move |i| [i, j, k]))) {
        memory.slm.fill(0);
        let mut all: Vec<Thread> = (0..threads)
            .map(|t| {
                let mut payload = vec![0u32; 8];
                payload[1] = group[0];
                payload[6] = group[1];
                payload[7] = group[2];
                payload[2] = 0x0500_0000;
                payload[5] = (t * variant.scratch_bytes as usize) as u32 | t as u32 & 0x3ff;
                payload.extend(&cross);
                if compute.per_thread_push {
                    payload.push(t as u32);
                    payload.extend([0; 7]);
                }
                let left = invocations - t as u32 * width;
                let mask = if left >= width {
                    u32::MAX >> (32 - width)
                } else {
                    (1 << left) - 1
                };
                Thread::new(&kernel, &payload, mask, &KEEP_DENORMALS, options)
            })
            .collect();
        let mut done = vec![false; threads];
        while !done.iter().all(|d| *d) {
            for (t, thread) in all.iter_mut().enumerate() {
                if done[t] {
                    continue;
                }
                memory.thread = t;
                match thread
                    .run(&mut memory, 50_000_000)
                    .map_err(|e| e.to_string())?
                {
                    ThreadExit::Eot => done[t] = true,
                    ThreadExit::Barrier => {}
                    ThreadExit::Budget => return Err("endless".into()),
                }
            }
            for (t, thread) in all.iter_mut().enumerate() {
                if !done[t] {
                    thread.notify();
                }
            }
        }
    }
    Ok(())
}
