//! The first rungs: batches of a few commands, submitted without the driver.
//!
//! In:  a kernel interface. Out: an [`Observation`].
//! Ref: i915 uapi; SKL PRM vol. 2a (MI commands), vol. 2c (registers).

use std::os::fd::AsFd;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use hw::mi::{mi_batch_buffer_end, mi_load_register_imm, mi_store_data_imm, mi_store_register_mem};
use hw::register;
use uapi::i915::{self, ENGINE_CLASS_RENDER, EngineClassInstance};
use uapi::{ContextParam, Errno, Exec, ExecObject, Kernel};

use super::observation::{Observation, Outcome};

/// GPU address of the batch, and of the buffer that it writes: below 4 GiB, which no canonical form
/// concerns.
const BATCH_ADDRESS: u64 = 16 << 20;
const RESULT_ADDRESS: u64 = 32 << 20;
/// Size of both buffers.
const BUFFER_BYTES: u64 = 16 << 10;
/// How long a batch of a few commands may take.
const WAIT_NS: i64 = 8_000_000_000;

/// A bare rung.
pub type BareRung = fn(&dyn Kernel) -> Result<Observation, BareError>;

/// Why a bare rung ended early.
#[derive(Debug, thiserror::Error)]
pub enum BareError {
    /// The kernel refused an ioctl.
    #[error("{call}: {errno}")]
    Refused {
        /// The ioctl.
        call: &'static str,
        /// Its error.
        errno: Errno,
    },
    /// A batch did not finish.
    #[error("the batch did not finish within {} s", WAIT_NS / 1_000_000_000)]
    Timeout,
}

fn refused(call: &'static str) -> impl FnOnce(Errno) -> BareError {
    move |errno| BareError::Refused { call, errno }
}

/// A buffer that the CPU has mapped.
struct MappedBuffer {
    handle: u32,
    mapping: sys::Mapping,
}

impl MappedBuffer {
    fn new(kernel: &dyn Kernel) -> Result<Self, BareError> {
        let (handle, bytes) = kernel
            .gem_create(BUFFER_BYTES)
            .map_err(refused("GEM_CREATE"))?;
        // Write-combined: without a shared cache the CPU would read stale lines.
        let offset = kernel
            .gem_mmap_offset(handle, i915::MMAP_OFFSET_WC)
            .map_err(refused("GEM_MMAP_OFFSET"))?;
        let (file, offset) = kernel.mapping(offset).map_err(refused("mmap"))?;
        let mapping = sys::Mapping::map_device(file.as_fd(), offset, bytes as usize)
            .map_err(refused("mmap"))?;
        Ok(Self { handle, mapping })
    }

    fn words(&self, count: usize) -> Vec<u32> {
        let words = self.mapping.words().iter().take(count);
        words.map(|word| word.load(Relaxed)).collect()
    }
}

/// A context with a batch buffer and a result buffer.
pub struct Bench<'a> {
    kernel: &'a dyn Kernel,
    context: u32,
    /// Whether the context is destroyed at the end.
    owns_context: bool,
    batch: MappedBuffer,
    result: MappedBuffer,
    /// GPU addresses of the buffers, in canonical form.
    batch_address: u64,
    result_address: u64,
}

impl<'a> Bench<'a> {
    fn new(kernel: &'a dyn Kernel) -> Result<Self, BareError> {
        let engine = EngineClassInstance {
            engine_class: ENGINE_CLASS_RENDER,
            engine_instance: 0,
        };
        let context = kernel
            .context_create(0, &[ContextParam::Engines(vec![engine])])
            .map_err(refused("GEM_CONTEXT_CREATE_EXT"))?;
        Ok(Self {
            kernel,
            context,
            owns_context: true,
            batch: MappedBuffer::new(kernel)?,
            result: MappedBuffer::new(kernel)?,
            batch_address: BATCH_ADDRESS,
            result_address: RESULT_ADDRESS,
        })
    }

    /// Buffers for an existing context, at `address`, where its address space must be free.
    pub fn in_context(
        kernel: &'a dyn Kernel,
        context: u32,
        address: u64,
    ) -> Result<Self, BareError> {
        Ok(Self {
            kernel,
            context,
            owns_context: false,
            batch: MappedBuffer::new(kernel)?,
            result: MappedBuffer::new(kernel)?,
            batch_address: address,
            result_address: address + BUFFER_BYTES,
        })
    }

    /// GPU address of the result buffer.
    pub fn result_address(&self) -> u64 {
        self.result_address
    }

    /// The first dwords of the result buffer.
    pub fn words(&self, count: usize) -> Vec<u32> {
        self.result.words(count)
    }

    /// Submits the commands, and waits until they are executed.
    pub fn run(&self, commands: &[u32]) -> Result<(), BareError> {
        let mut words = commands.to_vec();
        words.extend(mi_batch_buffer_end::PACKET.words::<1>().dwords);
        // A batch has a whole number of quadwords.
        words.resize(words.len().next_multiple_of(2), 0);
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.batch
            .mapping
            .write(0, &bytes)
            .map_err(refused("write"))?;
        let pinned = i915::EXEC_OBJECT_PINNED | i915::EXEC_OBJECT_SUPPORTS_48B_ADDRESS;
        let object = |handle, address, flags| ExecObject {
            handle,
            address,
            flags: pinned | flags,
            ..ExecObject::default()
        };
        let mut objects = [
            object(
                self.batch.handle,
                self.batch_address,
                i915::EXEC_OBJECT_CAPTURE,
            ),
            object(
                self.result.handle,
                self.result_address,
                i915::EXEC_OBJECT_WRITE,
            ),
        ];
        self.kernel
            .execbuffer2(Exec {
                objects: &mut objects,
                batch_start_bytes: 0,
                batch_bytes: bytes.len() as u32,
                flags: i915::EXEC_BATCH_FIRST | i915::EXEC_NO_RELOC,
                context: self.context,
                fences: &[],
                in_fence: None,
                out_fence: false,
            })
            .map_err(refused("GEM_EXECBUFFER2"))?;
        match self.kernel.gem_wait(self.batch.handle, WAIT_NS) {
            Ok(_) => Ok(()),
            Err(Errno::ETIME) => Err(BareError::Timeout),
            Err(errno) => Err(refused("GEM_WAIT")(errno)),
        }
    }
}

impl Drop for Bench<'_> {
    fn drop(&mut self) {
        // Failures cannot be handled: the process ends soon.
        for handle in [self.batch.handle, self.result.handle] {
            let _ = self.kernel.gem_close(handle);
        }
        if self.owns_context {
            let _ = self.kernel.context_destroy(self.context);
        }
    }
}

/// MI_STORE_REGISTER_MEM.
pub fn store_register(register: u32, address: u64) -> [u32; 4] {
    mi_store_register_mem::PACKET
        .words::<4>()
        .with(mi_store_register_mem::REGISTER_ADDRESS, register.into())
        .with(mi_store_register_mem::MEMORY_ADDRESS, address)
        .dwords
}

/// The GPU address of a dword of the result buffer.
fn result_dw(index: usize) -> u64 {
    RESULT_ADDRESS + 4 * index as u64
}

fn load_register(register: u32, value: u32) -> [u32; 3] {
    mi_load_register_imm::PACKET
        .words::<3>()
        .with(mi_load_register_imm::REGISTER_OFFSET, register.into())
        .with(mi_load_register_imm::DATA_DWORD, value.into())
        .dwords
}

/// Creates a context with a render engine, and two buffers.
pub fn context(kernel: &dyn Kernel) -> Result<Observation, BareError> {
    Bench::new(kernel)?;
    Ok(Observation::new(Outcome::Pass, ""))
}

/// Executes a batch that only ends.
pub fn empty_batch(kernel: &dyn Kernel) -> Result<Observation, BareError> {
    Bench::new(kernel)?.run(&[])?;
    Ok(Observation::new(Outcome::Pass, ""))
}

/// Stores four dwords with MI_STORE_DATA_IMM.
pub fn store_data(kernel: &dyn Kernel) -> Result<Observation, BareError> {
    const EXPECTED: [u32; 4] = [0x1111_1111, 0xdead_beef, 0, 0xffff_ffff];
    let bench = Bench::new(kernel)?;
    // A pattern, so that a store of 0 is seen too.
    bench
        .result
        .mapping
        .fill(0, BUFFER_BYTES as usize, 0xa5)
        .map_err(refused("write"))?;
    let mut commands = Vec::new();
    for (index, value) in EXPECTED.into_iter().enumerate() {
        let store = mi_store_data_imm::PACKET
            .words::<4>()
            .with(mi_store_data_imm::ADDRESS, result_dw(index))
            .with(mi_store_data_imm::IMMEDIATE_DATA, value.into());
        commands.extend(store.dwords);
    }
    bench.run(&commands)?;
    let found = bench.result.words(5);
    let mut expected = EXPECTED.to_vec();
    expected.push(0xa5a5_a5a5);
    let mut seen = match found == expected {
        true => Observation::new(Outcome::Pass, ""),
        false => Observation::new(
            Outcome::Wrong,
            format!("memory holds {found:08x?}, not {expected:08x?}"),
        ),
    };
    seen.value("stored", found);
    Ok(seen)
}

/// ERRATA.md, "Stored quadwords": two dwords of data with Store Qword clear.
pub fn stored_quadword(kernel: &dyn Kernel) -> Result<Observation, BareError> {
    let bench = Bench::new(kernel)?;
    let store = mi_store_data_imm::PACKET
        .words::<4>()
        .with(mi_store_data_imm::ADDRESS, RESULT_ADDRESS)
        .with(mi_store_data_imm::IMMEDIATE_DATA, 0x1111_1111);
    let mut words = store.dwords.to_vec();
    // DWord Length counts the fifth dword.
    words[0] += 1;
    words.push(0x2222_2222);
    bench.run(&words)?;
    let mut seen = Observation::new(Outcome::Pass, "");
    seen.value("stored", bench.result.words(2));
    Ok(seen)
}

/// Stores registers to an address above 2^47, in canonical form and with zeros in bits 63 to 48.
pub fn canonical_addresses(kernel: &dyn Kernel) -> Result<Observation, BareError> {
    const HIGH: u64 = 1 << 47;
    const SIGN: u64 = 0xffff << 48;
    let mut bench = Bench::new(kernel)?;
    bench.result_address = SIGN | HIGH | RESULT_ADDRESS;
    let load = load_register(register::CS_GPR0, 0x5eed_0001);
    let mut commands = load.to_vec();
    for (index, sign) in [SIGN, 0].into_iter().enumerate() {
        commands.extend(store_register(
            register::CS_GPR0,
            sign | HIGH | result_dw(index),
        ));
    }
    bench.run(&commands)?;
    let found = bench.result.words(2);
    let mut seen = match found[0] == 0x5eed_0001 {
        true => Observation::new(Outcome::Pass, ""),
        false => Observation::new(
            Outcome::Wrong,
            format!("a store to a canonical address left {:#x}", found[0]),
        ),
    };
    seen.value("canonical, zero-extended", found);
    Ok(seen)
}

/// Reads the timestamp twice, and compares its rate with the CPU's clock.
pub fn timestamp(kernel: &dyn Kernel) -> Result<Observation, BareError> {
    const PAUSE: Duration = Duration::from_millis(200);
    let hz = kernel
        .getparam(i915::PARAM_CS_TIMESTAMP_FREQUENCY)
        .map_err(refused("GETPARAM CS_TIMESTAMP_FREQUENCY"))?;
    let bench = Bench::new(kernel)?;
    let read = || -> Result<(Instant, u64, Instant), BareError> {
        let before = Instant::now();
        let low = store_register(register::TIMESTAMP, result_dw(0));
        let high = store_register(register::TIMESTAMP + 4, result_dw(1));
        bench.run(&[low, high].concat())?;
        let after = Instant::now();
        let words = bench.result.words(2);
        // The counter has 36 bits.
        let ticks = (u64::from(words[1]) << 32 | u64::from(words[0])) & 0xf_ffff_ffff;
        Ok((before, ticks, after))
    };
    let first = read()?;
    std::thread::sleep(PAUSE);
    let second = read()?;
    let ticks = second.1.wrapping_sub(first.1) & 0xf_ffff_ffff;
    // The real interval lies between these two.
    let shortest = second.0.duration_since(first.2).as_secs_f64();
    let longest = second.2.duration_since(first.0).as_secs_f64();
    let seconds = ticks as f64 / f64::from(hz.max(1));
    // The crystal and the CPU's clock may differ by 1 %.
    let fits = seconds > shortest * 0.99 && seconds < longest * 1.01;
    let mut seen = match fits {
        true => Observation::new(Outcome::Pass, ""),
        false => Observation::new(
            Outcome::Wrong,
            format!(
                "{ticks} ticks of {hz} Hz are {seconds:.4} s; the CPU measured {shortest:.4} to {longest:.4} s"
            ),
        ),
    };
    let ratio = seconds / (0.5 * (shortest + longest));
    seen.measures
        .push(("timestamp against clock".into(), ratio));
    Ok(seen)
}

/// A register that the driver writes: its name, its offset, the value, the bits that are read back.
struct WrittenRegister {
    name: &'static str,
    offset: u32,
    value: u32,
    mask: u32,
}

/// The registers that the driver's batches write. The lower half of a masked register is its value.
fn written_registers(kernel: &dyn Kernel) -> Result<Vec<WrittenRegister>, BareError> {
    let id = kernel
        .getparam(i915::PARAM_CHIPSET_ID)
        .map_err(refused("GETPARAM CHIPSET_ID"))?;
    let device = u16::try_from(id).ok().and_then(hw::Device::by_pci_id);
    let row = |name, offset, value, mask| WrittenRegister {
        name,
        offset,
        value,
        mask,
    };
    let mut rows = vec![
        row("CS_GPR0", register::CS_GPR0, 0x1234_5678, u32::MAX),
        row(
            "CS_GPR15 high",
            register::CS_GPR0 + 124,
            0x9abc_def0,
            u32::MAX,
        ),
        row(
            "MI_PREDICATE_SRC0",
            register::MI_PREDICATE_SRC0,
            7,
            u32::MAX,
        ),
        row(
            "MI_PREDICATE_SRC1",
            register::MI_PREDICATE_SRC1,
            9,
            u32::MAX,
        ),
        row(
            "3DPRIM_START_VERTEX",
            register::PRIMITIVE_START_VERTEX,
            11,
            u32::MAX,
        ),
        row(
            "3DPRIM_VERTEX_COUNT",
            register::PRIMITIVE_VERTEX_COUNT,
            12,
            u32::MAX,
        ),
        row(
            "3DPRIM_INSTANCE_COUNT",
            register::PRIMITIVE_INSTANCE_COUNT,
            13,
            u32::MAX,
        ),
        row(
            "3DPRIM_START_INSTANCE",
            register::PRIMITIVE_START_INSTANCE,
            14,
            u32::MAX,
        ),
        row(
            "3DPRIM_BASE_VERTEX",
            register::PRIMITIVE_BASE_VERTEX,
            15,
            u32::MAX,
        ),
        row(
            "GPGPU_DISPATCHDIMX",
            register::GPGPU_DISPATCHDIMX,
            16,
            u32::MAX,
        ),
        row(
            "GPGPU_DISPATCHDIMY",
            register::GPGPU_DISPATCHDIMY,
            17,
            u32::MAX,
        ),
        row(
            "GPGPU_DISPATCHDIMZ",
            register::GPGPU_DISPATCHDIMZ,
            18,
            u32::MAX,
        ),
        row("SO_WRITE_OFFSET0", register::SO_WRITE_OFFSET0, 64, u32::MAX),
        row(
            "CACHE_MODE_1",
            register::CACHE_MODE_1,
            register::CACHE_MODE_1_PARTIAL_RESOLVE | register::CACHE_MODE_1_MSC_RAW,
            (register::CACHE_MODE_1_PARTIAL_RESOLVE | register::CACHE_MODE_1_MSC_RAW) & 0xffff,
        ),
    ];
    if let Some(config) = device.and_then(|device| device.l3_configs().first()) {
        rows.push(row(
            "L3CNTLREG",
            register::L3CNTLREG,
            config.register_value(),
            register::L3CNTLREG_WAYS,
        ));
    }
    if device.is_some_and(|device| device.platform == hw::Platform::GeminiLake) {
        rows.push(row(
            "SLICE_COMMON_ECO_CHICKEN1",
            register::SLICE_COMMON_ECO_CHICKEN1,
            register::GLK_BARRIER_MODE_MASK,
            register::GLK_BARRIER_MODE_3D_HULL,
        ));
    }
    Ok(rows)
}

/// Writes each register that the driver writes, and reads it back: the kernel lets a batch write
/// only registers of a list, and ignores others.
pub fn register_writes(kernel: &dyn Kernel) -> Result<Observation, BareError> {
    let rows = written_registers(kernel)?;
    let bench = Bench::new(kernel)?;
    let mut commands = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        commands.extend(store_register(row.offset, result_dw(2 * index)));
        commands.extend(load_register(row.offset, row.value));
        commands.extend(store_register(row.offset, result_dw(2 * index + 1)));
    }
    bench.run(&commands)?;
    let words = bench.result.words(2 * rows.len());
    let wrong = rows
        .iter()
        .zip(words.chunks_exact(2))
        .filter(|(row, pair)| (pair[1] ^ row.value) & row.mask != 0);
    let wrong: Vec<String> = wrong
        .map(|(row, pair)| {
            let (name, offset, value, found) = (row.name, row.offset, row.value, pair[1]);
            format!("{name} ({offset:#x}) reads {found:#x} after a write of {value:#x}")
        })
        .collect();
    let mut seen = match wrong.is_empty() {
        true => Observation::new(Outcome::Pass, ""),
        false => Observation::new(Outcome::Wrong, wrong.join("; ")),
    };
    for (row, pair) in rows.iter().zip(words.chunks_exact(2)) {
        seen.value(row.name, vec![pair[1] & row.mask]);
    }
    Ok(seen)
}
