//! What differs from one generation to the next: packets and their layouts.
//!
//! In:  facts of a shader, a machine, a launch. Out: through an implementation of [`Generation`], words in a [`Stream`].

use abi::DriverValue;

use crate::pending::Pending;
use crate::push_data::{REGISTER_DW, fill_over};
use crate::stream::{Memory, Stream};

/// Where the heaps begin, that commands reach through STATE_BASE_ADDRESS. Each spans 4 GiB, but for the bindless one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heaps {
    /// General State Base Address: scratch.
    pub general: u64,
    /// Surface State Base Address.
    pub surface: u64,
    /// Dynamic State Base Address.
    pub dynamic: u64,
    /// Instruction Base Address.
    pub instruction: u64,
    /// Bindless Surface State Base Address.
    pub bindless: u64,
    /// Surfaces of the bindless heap, up to 2^20.
    pub bindless_surfaces: u64,
}

/// What a device looks like to its batches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Machine {
    /// Threads that run at once, on all subslices.
    pub max_threads: u32,
    /// Dynamic State Base Address.
    pub dynamic_base: u64,
    /// Bindless Surface State Base Address.
    pub bindless_base: u64,
    /// A quadword that nobody reads: where PIPE_CONTROLs write to when only the writing matters.
    pub scrap_address: u64,
}

/// Scratch memory of all threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scratch {
    /// From General State Base Address.
    pub address: u64,
    /// Bytes of each thread: 0, or a power of two from 1024.
    pub thread_bytes: u32,
}

impl Scratch {
    /// A thread's bytes as packets say them: log2 of kilobytes.
    pub(crate) fn code(&self) -> u64 {
        u64::from((self.thread_bytes / 1024).max(1).trailing_zeros())
    }
}

/// A compute shader as it is launched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kernel<'a> {
    /// Code, in bytes from Instruction Base Address.
    pub kernel_offset_bytes: u64,
    /// 8, 16 or 32.
    pub simd_width: u32,
    /// Invocations of a workgroup.
    pub invocations: u32,
    /// Bytes of shared local memory.
    pub slm_bytes: u32,
    /// Workgroup barriers are used.
    pub barrier: bool,
    /// Scratch.
    pub scratch: Scratch,
    /// Each thread gets a register with its index in the workgroup.
    pub per_thread: bool,
    /// What all threads share.
    pub push: &'a abi::PushData,
}

impl Kernel<'_> {
    /// Threads of a workgroup.
    pub fn threads(&self) -> u32 {
        self.invocations.div_ceil(self.simd_width.max(1))
    }

    /// Dwords of push data: what all threads share, and what each has of its own.
    pub(crate) fn push_dw(&self) -> u32 {
        let own = if self.per_thread { self.threads() } else { 0 };
        (self.push.registers() + own) * abi::REGISTER_DW
    }
}

/// The front end's state: what has to change before some launches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FrontEnd {
    /// Registers of push data that there is room for; 0: nothing was said yet.
    pub curbe_grf: u32,
    /// Scratch.
    pub scratch: Scratch,
}

/// What a PIPE_CONTROL does besides stalling, which all of ours do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Control(u8);

impl Control {
    /// It waits, and nothing else.
    pub const STALL: Control = Control(0);
    /// Writes a quadword when all of it is done: what comes after then finds the data arrived.
    pub const WRITE: Control = Control(1);
    /// Flushes the data cache.
    pub const FLUSH_DATA: Control = Control(2);
    /// Invalidates the texture cache.
    pub const INVALIDATE_TEXTURE: Control = Control(4);
    /// Invalidates the constant cache.
    pub const INVALIDATE_CONSTANT: Control = Control(8);
    /// Flushes the caches of colours and of depth.
    pub const FLUSH_TARGETS: Control = Control(16);
    /// Invalidates the cache of vertices and indices.
    pub const INVALIDATE_VERTICES: Control = Control(32);
    /// How many there are.
    pub(crate) const COUNT: usize = 64;

    /// Both.
    #[must_use]
    pub const fn with(self, other: Control) -> Control {
        Control(self.0 | other.0)
    }

    /// Whether any of `other` is done.
    pub const fn any(self, other: Control) -> bool {
        self.0 & other.0 != 0
    }

    /// Those of the caches that are asked for. Waiting comes with all of them.
    #[inline(always)]
    pub(crate) const fn of(caches: Pending) -> Control {
        Control(caches.without(Pending::STALL).bits())
    }

    /// Its number among them; 0 is a stall that does nothing else.
    #[inline(always)]
    pub(crate) const fn index(self) -> usize {
        self.0 as usize % Self::COUNT
    }

    /// The one with a number.
    pub(crate) const fn numbered(index: usize) -> Control {
        Control((index % Self::COUNT) as u8)
    }
}

// A cache has one bit in both.
const _: () = {
    assert!(Control::of(Pending::FLUSH_DATA).0 == Control::FLUSH_DATA.0);
    assert!(Control::of(Pending::INVALIDATE_TEXTURE).0 == Control::INVALIDATE_TEXTURE.0);
    assert!(Control::of(Pending::INVALIDATE_CONSTANT).0 == Control::INVALIDATE_CONSTANT.0);
    assert!(Control::of(Pending::FLUSH_TARGETS).0 == Control::FLUSH_TARGETS.0);
    assert!(Control::of(Pending::INVALIDATE_VERTICES).0 == Control::INVALIDATE_VERTICES.0);
};

/// What the machine counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the stages' names, and what is counted there")]
pub enum Counter {
    AssembledVertices,
    AssembledPrimitives,
    VertexInvocations,
    GeometryInvocations,
    GeometryPrimitives,
    ClippingInvocations,
    ClippingPrimitives,
    FragmentInvocations,
    TessControlInvocations,
    TessEvalInvocations,
    ComputeInvocations,
    /// Primitives of a stream that were captured.
    Captured(u8),
    /// Primitives of a stream that would have been, with room enough.
    Capturable(u8),
}

/// Threads that a workgroup has at most (SKL PRM vol. 2a, "GPGPU_WALKER", Thread Width Counter Maximum).
pub(crate) const MAX_GROUP_THREADS: u32 = 64;

/// Dwords of push constants that an application has.
pub const PUSH_CONSTANTS_DW: usize = 64;
/// Values of the launcher's own that one launch has at most.
pub(crate) const VALUES: usize = abi::LAUNCHER_VALUES;
/// Descriptor sets that can be bound.
pub const SETS: usize = 32;
/// Dynamic buffers that can be.
pub(crate) const DYNAMIC: usize = 16;
/// Sets that have the first places; those behind them, which few have, come last.
const FIRST_SETS: usize = 8;
const DYNAMIC_AT: usize = FIRST_SETS;
/// Places of the values behind those.
pub(crate) const COUNTS_AT: usize = DYNAMIC_AT + DYNAMIC;
pub(crate) const BASE_AT: usize = COUNTS_AT + 2;
pub(crate) const HEAP_AT: usize = BASE_AT + 3;
/// A place that no value has.
pub(crate) const ZERO_AT: usize = HEAP_AT + 2;
const MORE_SETS_AT: usize = ZERO_AT + 1;
const PLACES: usize = MORE_SETS_AT + SETS - FIRST_SETS;
/// Words that can be pushed: the application's constants, and the values behind them, with room for more.
pub(crate) const BOUND_DW: usize = SHIFTED;
pub(crate) const VALUES_AT: usize = PUSH_CONSTANTS_DW;
const _: () = assert!(VALUES_AT + PLACES <= BOUND_DW);

/// Set in a place: what is pushed is not the handle there, but [`set_place`] of it.
const SHIFTED: usize = 0x80;

/// The place of a set's handle. None: there are not so many sets.
#[inline(always)]
pub(crate) fn set_at(set: usize) -> Option<usize> {
    match set {
        0..FIRST_SETS => Some(set),
        FIRST_SETS..SETS => Some(MORE_SETS_AT + set - FIRST_SETS),
        _ => None,
    }
}

/// The place of a dynamic buffer's handle. None: there are not so many.
#[inline(always)]
pub(crate) fn dynamic_at(index: usize) -> Option<usize> {
    (index < DYNAMIC).then_some(DYNAMIC_AT + index)
}

/// Where a set lies in the heap, in bytes, given its handle (see `abi`).
#[inline]
pub(crate) fn set_place(handle: u32) -> u32 {
    handle >> 6
}

/// What is pushed of bound words: the one at a place.
#[inline]
pub(crate) fn pushed_word(words: &[u32; BOUND_DW], place: u8) -> u32 {
    let word = words[usize::from(place) % BOUND_DW];
    match usize::from(place) & SHIFTED {
        0 => word,
        _ => set_place(word),
    }
}

/// Words that a launch gathers from: the bound ones, and behind each as far again what [`pushed_word`] makes of it where that is asked
/// for. So each has the place that names it.
pub(crate) const GATHERED_DW: usize = 2 * BOUND_DW;
const _: () = assert!(GATHERED_DW == 1 << u8::BITS);

/// The place of a value, and what is added to the word there. None: there are not so many sets or dynamic buffers.
pub(crate) fn sum(value: DriverValue) -> Option<(usize, u32)> {
    let (value, more) = match value {
        DriverValue::SetDescriptor { set, more } => (DriverValue::SetHandle { set }, more),
        DriverValue::DynamicDescriptor { index, more } => {
            (DriverValue::DynamicHandle { index }, more)
        }
        value => (value, 0),
    };
    Some((place(value)?, more))
}

/// The place of a value that is a bound word. None: there are not so many sets or dynamic buffers, or it is a sum.
pub(crate) fn place(value: DriverValue) -> Option<usize> {
    let within = |base: usize, index: u32, count: usize| {
        let index = index as usize;
        (index < count).then_some(base + index)
    };
    match value {
        DriverValue::SetHandle { set } => set_at(set as usize),
        DriverValue::SetPlace { set } => Some(SHIFTED + set_at(set as usize)?),
        DriverValue::DynamicHandle { index } => dynamic_at(index as usize),
        DriverValue::NumWorkgroupsAddress { dword } => within(COUNTS_AT, dword, 2),
        DriverValue::BaseWorkgroupId { component } => within(BASE_AT, component, 3),
        DriverValue::SurfaceHeapAddress { dword } => within(HEAP_AT, dword, 2),
        DriverValue::Nothing => Some(ZERO_AT),
        DriverValue::SetDescriptor { .. } | DriverValue::DynamicDescriptor { .. } => None,
    }
}

/// A pipeline's launch, packed at its creation: plain data, copied when it is bound.
#[derive(Clone, Copy, Debug)]
pub struct Launch<G: Generation> {
    pub(crate) walker: G::Walker,
    /// The interface descriptor, in bytes from Dynamic State Base Address.
    pub(crate) descriptor_offset_bytes: u32,
    pub(crate) scratch: Scratch,
    /// Registers of push data: all of it.
    pub(crate) curbe_grf: u32,
    constants_first_dw: u8,
    /// Dwords of constants, and values behind them, a dword each.
    constants_dw: u8,
    value_count: u8,
    /// Registers of both, which all threads share.
    shared_registers: u8,
    /// Dwords of all push data, padded to registers: behind what is shared come those that each thread has of its own.
    data_dw: u16,
    pub(crate) uses_counts: bool,
    pub(crate) uses_base: bool,
    /// Which of the gathered words each value is.
    values: [u8; VALUES],
    /// What is added to each.
    added: [u32; VALUES],
}

impl<G: Generation> Launch<G> {
    /// Packs a launch whose interface descriptor ([`Generation::descriptor`]) lies at an offset. None: the shader wants more push data
    /// than there is.
    pub fn new(kernel: &Kernel<'_>, descriptor_offset_bytes: u32) -> Option<Self> {
        if kernel.threads() > MAX_GROUP_THREADS {
            return None;
        }
        let push = kernel.push;
        let constants = push.constants_first_dw..push.constants_first_dw + push.constants_dw;
        if push.driver.len() > VALUES || constants.end as usize > PUSH_CONSTANTS_DW {
            return None;
        }
        let sums = push.driver.iter().map(|&value| sum(value));
        let sums: Vec<(usize, u32)> = sums.collect::<Option<_>>()?;
        let mut values = [0; VALUES];
        for (to, sum) in values.iter_mut().zip(&sums) {
            *to = (VALUES_AT + sum.0) as u8;
        }
        let mut added = [0; VALUES];
        for (more, sum) in added.iter_mut().zip(&sums) {
            *more = sum.1;
        }
        let push_dw = kernel.push_dw();
        let uses = |start: usize, count: usize| {
            sums.iter()
                .any(|sum| (start..start + count).contains(&sum.0))
        };
        Some(Self {
            walker: G::walker(kernel),
            descriptor_offset_bytes,
            scratch: kernel.scratch,
            curbe_grf: push_dw / abi::REGISTER_DW,
            constants_first_dw: push.constants_first_dw as u8,
            constants_dw: push.constants_dw as u8,
            value_count: sums.len() as u8,
            shared_registers: push.registers() as u8,
            data_dw: u16::try_from(push_dw).ok()?,
            uses_counts: uses(COUNTS_AT, 2),
            uses_base: uses(BASE_AT, 3),
            values,
            added,
        })
    }

    /// Dwords of push data, in whole registers.
    #[inline(always)]
    pub(crate) fn push_dw(&self) -> usize {
        self.data_dw.into()
    }

    /// Push data of bound words, but for the application's constants, where zeros are: what all threads share, and behind it what each
    /// has of its own, its number in the workgroup.
    #[inline(never)]
    pub(crate) fn gather(
        &self,
        words: &[u32; GATHERED_DW],
        registers: &mut Vec<[u32; REGISTER_DW]>,
    ) {
        registers.clear();
        registers.resize(self.shared_registers.into(), [0; REGISTER_DW]);
        let room = registers
            .as_flattened_mut()
            .iter_mut()
            .skip(self.constants_dw.into());
        let values = self
            .values
            .iter()
            .zip(&self.added)
            .take(self.value_count.into());
        for ((&place, &more), to) in values.zip(room) {
            *to = words[usize::from(place) % GATHERED_DW].wrapping_add(more);
        }
        let own = self.push_dw() / REGISTER_DW - registers.len();
        registers.extend((0..own as u32).map(|thread| [thread, 0, 0, 0, 0, 0, 0, 0]));
    }

    /// Writes push data: what was gathered, and the application's constants. None: there is no room for it.
    #[inline(always)]
    pub(crate) fn write(&self, pushed: &Pushed<'_>, data: &mut [u32]) -> Option<()> {
        let first = usize::from(self.constants_first_dw);
        let constants = pushed.words.get(first..)?;
        let registers = data.as_chunks_mut().0;
        fill_over(
            constants,
            self.constants_dw.into(),
            pushed.gathered,
            registers,
        )
    }
}

/// What a launch pushes.
#[derive(Clone, Copy, Debug)]
pub struct Pushed<'a> {
    /// The bound words, of which the first are the application's constants.
    pub(crate) words: &'a [u32; GATHERED_DW],
    /// What [`Launch::gather`] made of the others.
    pub(crate) gathered: &'a [[u32; REGISTER_DW]],
    /// Dynamic State Base Address.
    pub(crate) dynamic_base: u64,
}

/// The packets of a generation.
pub trait Generation: Copy + std::fmt::Debug {
    /// Which.
    const GEN: hw::Gen;
    /// A launch's commands, but for the numbers of workgroups.
    type Walker: Copy + std::fmt::Debug;
    /// Packs those.
    fn walker(kernel: &Kernel<'_>) -> Self::Walker;
    /// The interface descriptor of a shader: 32 bytes, to lie at a multiple of 64.
    fn descriptor(kernel: &Kernel<'_>) -> [u32; 8];
    /// What a context is told once: the pipeline, the heaps, the L3's division.
    fn context<M: Memory>(
        stream: &mut Stream<M>,
        device: &hw::Device,
        heaps: &Heaps,
    ) -> Result<(), M::Error>;
    /// Waits, flushes, invalidates; writes to an address, if the control does.
    fn control<M: Memory>(
        stream: &mut Stream<M>,
        control: Control,
        write_at: u64,
    ) -> Result<(), M::Error>;
    /// Changes the front end's state.
    fn front_end<M: Memory>(
        stream: &mut Stream<M>,
        max_threads: u32,
        state: &FrontEnd,
    ) -> Result<(), M::Error>;
    /// Writes a launch's push data, and names it for what is launched from here on.
    fn constants<M: Memory>(
        stream: &mut Stream<M>,
        launch: &Launch<Self>,
        pushed: &Pushed<'_>,
    ) -> Result<(), M::Error>;
    /// Names their interface descriptor.
    fn load_descriptor<M: Memory>(
        stream: &mut Stream<M>,
        offset_bytes: u32,
    ) -> Result<(), M::Error>;
    /// Launches workgroups; where the predicate says so, if it is asked for.
    fn walk<M: Memory>(
        stream: &mut Stream<M>,
        walker: &Self::Walker,
        groups: [u32; 3],
        predicated: bool,
    ) -> Result<(), M::Error>;
    /// The same with push data of its own.
    fn walk_with<M: Memory>(
        stream: &mut Stream<M>,
        launch: &Launch<Self>,
        pushed: &Pushed<'_>,
        groups: [u32; 3],
        predicated: bool,
    ) -> Result<(), M::Error>;
    /// Launches as many workgroups as three dwords in memory say.
    fn walk_indirect<M: Memory>(
        stream: &mut Stream<M>,
        walker: &Self::Walker,
        address: u64,
        predicated: bool,
    ) -> Result<(), M::Error>;
    /// Writes the time when the command streamer comes by, and the quadword 1 elsewhere.
    fn timestamp_early<M: Memory>(
        stream: &mut Stream<M>,
        value_at: u64,
        available_at: u64,
    ) -> Result<(), M::Error>;
    /// Writes a quadword when everything before is done; nothing waits for that.
    fn write_late<M: Memory>(
        stream: &mut Stream<M>,
        address: u64,
        value: u64,
    ) -> Result<(), M::Error>;
    /// Writes how many samples have passed, when everything before is done.
    fn write_samples<M: Memory>(stream: &mut Stream<M>, address: u64) -> Result<(), M::Error>;
    /// Writes what a counter has come to when the command streamer comes by.
    fn write_counter<M: Memory>(
        stream: &mut Stream<M>,
        counter: Counter,
        address: u64,
    ) -> Result<(), M::Error>;
    /// Writes the time when everything before is done, and then the quadword 1 elsewhere.
    fn timestamp_late<M: Memory>(
        stream: &mut Stream<M>,
        value_at: u64,
        available_at: u64,
    ) -> Result<(), M::Error>;
}
