//! Strict mode: what a real machine would not forgive, as one table of rules, and what the checks remember of a batch.
//!
//! In:  commands in order, and the state that a walker finds. Out: [`Stop::Undefined`] at the first broken rule.
//! A rule stands here only if drivers known to work on real machines keep it.

mod draw;
#[cfg(test)]
pub(crate) mod draw_rig;
#[cfg(test)]
mod draw_tests;
#[cfg(test)]
mod drawn_tests;
mod hiz;
mod memory;
mod sequence;
#[cfg(test)]
mod sequence_tests;
pub(crate) mod surface;
pub(crate) mod target;
mod urb;

pub(crate) use hiz::Unresolved;
use memory::Control;
pub(crate) use memory::{Log, Via};

use crate::context::{BaseAddresses, HwContext, Pipeline};
use eu::Stop;
use hw::state::interface_descriptor_data as idd;
use hw::{Device, Field, Packet, draw as packets, draw_state, media, mi, register};

/// Something that the PRM demands of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Short name, stable.
    pub name: &'static str,
    /// Where the PRM says so.
    pub prm: &'static str,
    /// What is demanded, in one line.
    pub help: &'static str,
}

impl Rule {
    /// The end of a batch that breaks the rule at this address.
    pub(crate) fn stop(&self, what: impl Into<String>, at: u64) -> Stop {
        Stop::Undefined {
            rule: self.name,
            prm: self.prm,
            what: what.into(),
            at,
        }
    }

    /// Err where the rule is broken.
    fn check(&self, kept: bool, at: u64, what: impl FnOnce() -> String) -> Result<(), Stop> {
        match kept {
            true => Ok(()),
            false => Err(self.stop(what(), at)),
        }
    }
}

macro_rules! rules {
    ($($id:ident $name:literal, $prm:literal, $help:literal;)*) => {
        $(pub(crate) static $id: Rule = Rule { name: $name, prm: concat!("SKL PRM ", $prm), help: $help };)*
        /// Every rule for batches and dispatches. Those for instructions are the EU's.
        pub static RULES: &[&Rule] = &[$(&$id),*];
    };
}

#[rustfmt::skip]
rules! {
    COMMAND_LENGTH "command-length", "vol. 2a, DWord Length", "a command has all the dwords of its kind";
    RESERVED_BITS "reserved-bits", "vol. 2a, Reserved: MBZ", "bits of commands and descriptors that are no field are zero";
    PIPELINE_SELECT_FLUSH "pipeline-select-flush", "vol. 2a, PIPELINE_SELECT, programming notes",
        "before the pipeline changes, work is waited for and its writes are flushed, by a stalling PIPE_CONTROL";
    PIPELINE_SELECT_INVALIDATE "pipeline-select-invalidate", "vol. 2a, PIPELINE_SELECT, programming notes",
        "before the pipeline changes, a second PIPE_CONTROL invalidates the read-only caches";
    BASE_ADDRESS_FLUSH "base-address-flush", "vol. 2a, STATE_BASE_ADDRESS, programming notes",
        "before STATE_BASE_ADDRESS, work is waited for and its writes are flushed, by a stalling PIPE_CONTROL";
    BASE_ADDRESS_INVALIDATE "base-address-invalidate", "vol. 2a, STATE_BASE_ADDRESS, programming notes",
        "between a change of a base address and the next dispatch, caches of what is relative to it are invalidated";
    L3_DRAINED "l3-drained", "vol. 2c, L3CNTLREG", "the L3 is divided anew only when work is done and its writes are flushed";
    PIPE_CONTROL_STALL "pipe-control-stall", "vol. 2a, PIPE_CONTROL, Command Streamer Stall Enable",
        "a stall comes with a flush, an invalidation, a post-sync operation, a reset of state pointers, or another stall";
    PIPE_CONTROL_TEXTURE "pipe-control-texture", "vol. 2a, PIPE_CONTROL, Texture Cache Invalidation Enable",
        "while GPGPU work runs, an invalidation of the texture cache comes with a stall";
    PIPE_CONTROL_VF "pipe-control-vf", "vol. 2a, PIPE_CONTROL, VF Cache Invalidation Enable",
        "an invalidation of the vertex fetch cache comes with a post-sync operation";
    POST_SYNC_ALIGNMENT "post-sync-alignment", "vol. 2a, PIPE_CONTROL, Address", "post-sync operations write aligned quadwords";
    STORE_ALIGNMENT "store-alignment", "vol. 2a, MI_STORE_DATA_IMM, Address", "a stored quadword is aligned";
    VFE_STALL "vfe-stall", "vol. 2a, MEDIA_VFE_STATE", "a stalling PIPE_CONTROL comes between work and MEDIA_VFE_STATE";
    VFE_THREADS "vfe-threads", "vol. 2a, MEDIA_VFE_STATE, Maximum Number of Threads", "no more threads than the machine has";
    VFE_SCRATCH "vfe-scratch", "vol. 2a, MEDIA_VFE_STATE, Per Thread Scratch Space", "scratch of a thread is at most 2 MB";
    CURBE_FLUSH "curbe-flush", "vol. 2a, MEDIA_STATE_FLUSH", "a flush comes between GPGPU_WALKER and MEDIA_CURBE_LOAD";
    CURBE_ALIGNMENT "curbe-alignment", "vol. 2a, MEDIA_CURBE_LOAD", "start and length of CURBE data are multiples of 64 bytes";
    CURBE_ALLOCATION "curbe-allocation", "vol. 2a, MEDIA_VFE_STATE, CURBE Allocation Size", "CURBE data fits what is allocated";
    CURBE_READ "curbe-read", "vol. 2d, INTERFACE_DESCRIPTOR_DATA, Constant URB Entry Read Length",
        "threads are given no more constants than were loaded";
    DESCRIPTOR_FLUSH "interface-descriptor-flush", "vol. 2a, MEDIA_INTERFACE_DESCRIPTOR_LOAD",
        "a flush comes between GPGPU_WALKER and MEDIA_INTERFACE_DESCRIPTOR_LOAD";
    DESCRIPTOR_RANGE "interface-descriptor-range", "vol. 2a, MEDIA_INTERFACE_DESCRIPTOR_LOAD",
        "interface descriptors start at a multiple of 64 bytes, and are 1 to 64 of 32 bytes";
    DESCRIPTOR_BOUNDS "interface-descriptor-bounds", "vol. 2a, MEDIA_INTERFACE_DESCRIPTOR_LOAD",
        "a walker's descriptor is one of those loaded";
    WALKER_PIPELINE "walker-pipeline", "vol. 2a, PIPELINE_SELECT", "a walker finds the GPGPU pipeline selected";
    WALKER_THREADS "walker-threads", "vol. 2a, GPGPU_WALKER, Thread Width Counter Maximum",
        "walker and descriptor agree on the threads of a workgroup";
    WALKER_SIMD "walker-simd", "vol. 2a, GPGPU_WALKER, SIMD Size", "8, 16 or 32 channels";
    WALKER_MASK "walker-mask", "vol. 2a, GPGPU_WALKER, Right Execution Mask", "the last thread of a row or column has channels";
    WALKER_GROUP "walker-group", "vol. 2a, GPGPU_WALKER", "a workgroup's threads run at once: as many as a subslice and the VFE have room for";
    SLM_SIZE "slm-size", "vol. 2d, INTERFACE_DESCRIPTOR_DATA, Shared Local Memory Size", "at most 64 KB, by its code";
    SLM_L3 "slm-l3", "vol. 2c, L3CNTLREG, SLM Mode Enable", "the L3 has a part for shared local memory where there is some";
    SLM_BOUNDS "slm-bounds", "vol. 7, Shared Local Memory", "shared local memory is used as far as there is some";
    BARRIER_ENABLE "barrier-enable", "vol. 2d, INTERFACE_DESCRIPTOR_DATA, Barrier Enable", "who waits at a barrier has one";
    BINDLESS_BOUNDS "bindless-bounds", "vol. 2a, STATE_BASE_ADDRESS, Bindless Surface State Size",
        "a surface's handle means one of the bindless heap";
    HEAP_BOUNDS "heap-bounds", "vol. 2a, STATE_BASE_ADDRESS, Dynamic State Buffer Size",
        "constants, descriptors and kernels lie in their heaps";
    SCRATCH_BOUNDS "scratch-bounds", "vol. 7, Scratch Block Read/Write", "a thread keeps to its scratch memory";
    BLOCK_MASK "block-mask", "vol. 7, OWord Block Write",
        "a block write with channels off has a channel for each dword: what others do no document settles (ERRATA.md)";
    SURFACE_PITCH "surface-pitch", "vol. 2d, RENDER_SURFACE_STATE, Surface Pitch", "the pitch of a tiled surface is whole tiles";
    SURFACE_BASE "surface-base", "vol. 2d, RENDER_SURFACE_STATE, Surface Base Address", "a tiled surface begins at a multiple of 4 KB";
    SURFACE_ALIGNMENT "surface-alignment", "vol. 2d, RENDER_SURFACE_STATE, Surface Horizontal Alignment",
        "the alignments of levels are 4, 8 or 16 elements";
    SURFACE_CCS_ALIGNMENT "surface-ccs-alignment", "vol. 2d, RENDER_SURFACE_STATE, Surface Horizontal Alignment",
        "levels of a surface with a colour control surface are aligned to 16 elements";
    SURFACE_ASTC_TILING "surface-astc-tiling", "vol. 2d, RENDER_SURFACE_STATE, Tile Mode", "ASTC textures are in Y tiles";
    WORK_ORDER "work-order", "vol. 2a, PIPE_CONTROL, Command Streamer Stall Enable",
        "a stalling PIPE_CONTROL comes between work that writes memory and other work that reads or writes it";
    TEXTURE_STALE "texture-stale", "vol. 2a, PIPE_CONTROL, Texture Cache Invalidation Enable",
        "the texture cache is invalidated between work that writes memory and the sampler's reads of it";
    CONSTANT_STALE "constant-stale", "vol. 2a, PIPE_CONTROL, Constant Cache Invalidation Enable",
        "the constant cache is invalidated between work that writes memory and its reads of it";
    VERTEX_STALE "vertex-stale", "vol. 2a, PIPE_CONTROL, VF Cache Invalidation Enable",
        "the vertex fetch cache is invalidated between work that writes memory and vertex fetch's reads of it";
    RENDER_FLUSH "render-flush", "vol. 7, End-of-Pipe Synchronization",
        "a stalling PIPE_CONTROL and a flush of the render cache come between draws to a render target and other units' accesses";
    DEPTH_FLUSH "depth-flush", "vol. 7, End-of-Pipe Synchronization",
        "a stalling PIPE_CONTROL and a flush of the depth cache come between draws to a depth buffer and other units' accesses";
    COMMANDS_STALE "commands-stale", "vol. 2a, PIPE_CONTROL, DC Flush Enable",
        "a stalling PIPE_CONTROL flushes the writer's cache between work that writes memory and commands that read it";
    URB_ENTRIES "urb-entries", "vol. 2a, 3DSTATE_URB_VS, VS Number of URB Entries",
        "a stage has as many entries as the machine allows, in eights where they are smaller than nine rows";
    DRAW_PIPELINE "draw-pipeline", "vol. 2a, PIPELINE_SELECT", "a draw finds the 3D pipeline selected";
    DRAW_STATE "draw-state", "vol. 7, 3D Pipeline State", "a draw finds the state of every unit programmed";
    VERTEX_COMPONENTS "vertex-components", "vol. 2d, 3D_Vertex_Component_Control",
        "components of the source come before those that are not";
    INDEX_ALIGNMENT "index-alignment", "vol. 2a, 3DSTATE_INDEX_BUFFER, Buffer Starting Address",
        "an index buffer begins at a multiple of its indices' size";
    VERTEX_ENTRY "vertex-entry", "vol. 2a, 3DSTATE_URB_VS, VS URB Entry Allocation Size",
        "vertex elements fit the entries of the vertex shader";
    URB_READ "urb-read", "vol. 7, Vertex URB Entry (VUE) Formats", "a stage reads no more of an entry than there is";
    SBE_ATTRIBUTES "sbe-attributes", "vol. 2a, 3DSTATE_SBE, Vertex URB Entry Read Length",
        "attributes come from that part of a vertex that is read";
    RECTLIST_STATE "rectlist-state", "vol. 7, 3D Primitives Overview, RECTLIST",
        "rectangles are drawn in screen space, and filled";
    PS_DISPATCH "ps-dispatch", "vol. 2a, 3DSTATE_PS, 8 Pixel Dispatch Enable", "a pixel shader has a width";
    PS_PAYLOAD "ps-payload", "vol. 2a, 3DSTATE_PS, Dispatch GRF Start Register For Constant/Setup Data",
        "constants and attributes of a pixel shader come after the rest of its payload";
    PS_END "ps-end", "vol. 7, Render Target Write, Last Render Target Select",
        "a pixel shader ends with a write to a render target, which says that it is the last";
    TARGET_LENGTH "target-length", "vol. 7, Render Target Write, Message Length",
        "a write to a render target has all the parts that the pixel shader is said to compute, and no other";
    TARGET_SAMPLES "target-samples", "vol. 2a, 3DSTATE_MULTISAMPLE, Number of Multisamples",
        "render targets have as many samples as pixels";
    TARGET_SELECTS "target-selects", "vol. 2d, RENDER_SURFACE_STATE, Shader Channel Select Red",
        "the channel selects of a render target change the order of red, green and blue, and nothing else";
    FAST_CLEAR_SURFACE "fast-clear-surface", "vol. 7, Render Target Fast Clear",
        "fast clears and resolves are of surfaces with a control surface";
    MULTISAMPLES "multisamples", "vol. 2a, 3DSTATE_MULTISAMPLE, Number of Multisamples", "1 to 16 samples";
    CLIP_MODE "clip-mode", "vol. 2a, 3DSTATE_CLIP, Clip Mode", "a mode that there is";
    FILL_MODE "fill-mode", "vol. 2a, 3DSTATE_RASTER, Front Face Fill Mode", "a mode that there is";
    MI_MATH "mi-math-opcode", "vol. 2a, MI_MATH", "an instruction that there is";
    MI_PREDICATE "mi-set-predicate", "vol. 2a, MI_SET_PREDICATE, Predicate Enable", "a condition that there is";
    MI_BATCH_LEVEL "mi-batch-level", "vol. 2a, MI_BATCH_BUFFER_START, Second Level Batch Buffer",
        "no jump from a second-level batch to a first-level one";
    MI_ATOMIC "mi-atomic-operation", "vol. 2a, MI_ATOMIC, Atomic Opcode",
        "an operation that there is, and of the data's size";
    SAMPLER_BOUNDS "sampler-bounds", "vol. 2a, STATE_BASE_ADDRESS, Dynamic State Buffer Size",
        "sampler states lie in the heap";
    PS_SAMPLES "ps-samples", "vol. 2a, 3DSTATE_PS, 32 Pixel Dispatch Enable",
        "32 pixels are not dispatched where each has 16 samples";
    PS_PUSH_CONSTANTS "ps-push-constants", "vol. 2a, 3DSTATE_PS, Push Constant Enable",
        "push constants for pixel shaders are enabled where there are some";
    PS_ATTRIBUTES "ps-attributes", "vol. 2a, 3DSTATE_PS_EXTRA, Attribute Enable",
        "a pixel shader takes attributes where setup makes some";
    DEPTH_BUFFER_PLACE "depth-buffer-place", "vol. 2a, 3DSTATE_DEPTH_BUFFER, Surface Base Address",
        "depth and stencil buffers are made of whole tiles; where there is a hierarchical depth buffer, there is a depth buffer";
    SO_PITCH "so-pitch", "vol. 2a, 3DSTATE_STREAMOUT, Buffer 0 Surface Pitch", "vertices of stream output are dwords, at most 2048 bytes";
    SO_READ "so-read", "vol. 2a, 3DSTATE_STREAMOUT, Stream 0 Vertex Read Length",
        "stream output reads no more of a vertex than there is";
    SO_OFFSET_IDLE "so-offset-idle", "vol. 2c, SO_WRITE_OFFSET",
        "a stalling PIPE_CONTROL comes between stream output and commands that load or store its offsets";
    BLEND_LOGIC_OP "blend-logic-op", "vol. 2d, BLEND_STATE_ENTRY, Logic Op Enable", "a render target has a logic op or blending, not both";
    CONSTANT_RELOAD "constant-reload", "vol. 2a, 3DSTATE_PUSH_CONSTANT_ALLOC_VS",
        "after push constants are allocated, 3DSTATE_CONSTANT_* comes before the next draw";
    CONSTANT_COMMIT "constant-commit", "vol. 2a, 3DSTATE_CONSTANT_VS",
        "after 3DSTATE_CONSTANT_*, the stage's 3DSTATE_BINDING_TABLE_POINTERS_* comes before the next draw";
    CONSTANT_ORDER "constant-order", "vol. 2a, 3DSTATE_CONSTANT(Body)",
        "after constants without a fourth buffer, those with a first one come only after a stall";
    HZ_OP_SEQUENCE "hz-op-sequence", "vol. 2a, 3DSTATE_WM_HZ_OP",
        "after a clear or resolve come a PIPE_CONTROL with a post-sync operation and a 3DSTATE_WM_HZ_OP of zeros";
    FAST_CLEAR_SYNC "fast-clear-sync", "vol. 7, MCS Buffer for Render Target(s)",
        "between fast clears, resolves and other draws, render targets are flushed and waited for";
    DEPTH_STALL "depth-stall", "vol. 2a, 3DSTATE_DEPTH_BUFFER",
        "depth is waited for between draws that test it and another depth buffer";
    HIZ_RESOLVE "hiz-resolve", "vol. 7, Depth Buffer Resolve",
        "what was written through a hierarchical depth buffer is resolved before the depth buffer is used without one";
    PIPELINE_SELECT_COLOUR "pipeline-select-colour", "vol. 2a, PIPELINE_SELECT, programming notes",
        "the colour calculator's state pointer is not valid when GPGPU is selected";
    PIPE_CONTROL_VF_NULL "pipe-control-vf-null", "vol. 2a, PIPE_CONTROL, VF Cache Invalidation Enable",
        "a PIPE_CONTROL of zeros comes right before an invalidation of the vertex fetch cache";
    PIPE_CONTROL_COUNT "pipe-control-count", "vol. 2a, PIPE_CONTROL, Render Target Cache Flush Enable",
        "depth counts and timestamps come without a flush of render targets or a stall at the scoreboard";
    PIPE_CONTROL_SNAPSHOT "pipe-control-snapshot", "vol. 2a, PIPE_CONTROL, Global Snapshot Count Reset", "it is never set";
    PIPE_CONTROL_POINTERS "pipe-control-pointers", "vol. 2a, PIPE_CONTROL, Indirect State Pointers Disable",
        "state pointers are disabled, and media state is cleared, with a stall";
    PIPE_CONTROL_TLB "pipe-control-tlb", "vol. 2a, PIPE_CONTROL, TLB Invalidate",
        "the TLB is invalidated with a stall or a post-sync operation";
    PIPE_CONTROL_LLC "pipe-control-llc", "vol. 2a, PIPE_CONTROL, Flush LLC", "the last level cache is flushed with an immediate write";
    URB_OVERLAP "urb-overlap", "vol. 2a, 3DSTATE_URB_VS, VS URB Starting Address",
        "entries and push constants of the stages lie in the URB, and not in each other";
}

/// Caches that commands invalidate.
const CACHES: [Field; 4] = [
    media::pipe_control::TEXTURE_CACHE_INVALIDATION_ENABLE,
    media::pipe_control::CONSTANT_CACHE_INVALIDATION_ENABLE,
    media::pipe_control::STATE_CACHE_INVALIDATION_ENABLE,
    media::pipe_control::INSTRUCTION_CACHE_INVALIDATE_ENABLE,
];
/// Bits by the index of a cache in [`CACHES`].
const DATA_CACHES: u8 = 0b0111;
const INSTRUCTION_CACHE: u8 = 0b1000;
const ALL_CACHES: u8 = DATA_CACHES | INSTRUCTION_CACHE;

/// Caches that are written back.
const DATA_CACHE: u8 = 1;
const RENDER_CACHE: u8 = 2;
const DEPTH_CACHE: u8 = 4;
const ALL_WRITERS: u8 = 7;

/// What a batch has left undone so far. The kernel flushes and invalidates between batches, so each starts with a new one.
pub(crate) struct Tracker<'a> {
    /// Memory that it has written.
    log: &'a Log,
    /// What must come between the 3D pipeline's commands.
    sequence: sequence::Sequence,
    /// MEDIA_VFE_STATE came while work ran.
    vfe_early: bool,
    /// Work may still run.
    busy: bool,
    /// Caches that work has written to and that are not flushed.
    dirty: u8,
    /// Those of them that a PIPE_CONTROL flushes which nobody has waited for.
    draining: u8,
    /// Work may still use its interface descriptor and constants.
    held: bool,
    /// Caches not invalidated since work ended.
    used: u8,
    /// Caches not invalidated since base addresses changed.
    stale: u8,
}

impl<'a> Tracker<'a> {
    /// Nothing yet.
    pub(crate) fn new(log: &'a Log) -> Tracker<'a> {
        Tracker {
            log,
            sequence: sequence::Sequence::default(),
            vfe_early: false,
            busy: false,
            dirty: 0,
            draining: 0,
            held: false,
            used: 0,
            stale: 0,
        }
    }

    /// Checks a command before it executes.
    pub(crate) fn command(
        &mut self,
        packet: &Packet,
        words: &[u32],
        context: &HwContext,
        device: &Device,
        at: u64,
    ) -> Result<(), Stop> {
        reserved(packet, words, at)?;
        self.sequence.command(packet, words, context, at)?;
        let is = |other: &Packet| std::ptr::eq(packet, other);
        if is(&media::pipe_control::PACKET) {
            self.pipe_control(words, context, at)
        } else if is(&media::pipeline_select::PACKET) {
            self.pipeline_select(words, context, at)
        } else if is(&media::state_base_address::PACKET) {
            let clean = self.is_clean(DATA_CACHE | RENDER_CACHE);
            BASE_ADDRESS_FLUSH.check(clean, at, || self.undone())
        } else if is(&media::media_vfe_state::PACKET) {
            // Nothing says so before a walker uses it: drivers that leave GPGPU put it anywhere.
            self.vfe_early = self.busy;
            self.vfe_state(words, device, at)
        } else if is(&media::media_curbe_load::PACKET) {
            self.curbe_load(words, context, at)
        } else if is(&media::media_interface_descriptor_load::PACKET) {
            self.descriptor_load(words, at)
        } else if is(&media::media_state_flush::PACKET) {
            self.held = false;
            Ok(())
        } else if is(&mi::mi_load_register_imm::PACKET) {
            let mut pairs = words.get(1..).unwrap_or_default().chunks_exact(2);
            let divides = pairs.any(|pair| pair[0] & 0x7f_fffc == register::L3CNTLREG);
            let clean = self.is_clean(DATA_CACHE);
            L3_DRAINED.check(!divides || clean, at, || self.undone())
        } else if is(&packets::primitive::PACKET) {
            let l3 = context.register(register::L3CNTLREG);
            let selected = context.pipeline == Pipeline::Draw;
            DRAW_PIPELINE.check(selected, at, || {
                format!("the {:?} pipeline is selected", context.pipeline)
            })?;
            BASE_ADDRESS_INVALIDATE.check(self.stale == 0, at, || names(self.stale))?;
            draw::check(words, context, at)?;
            urb::check(&context.draw, l3, device, at)?;
            self.draws();
            Ok(())
        } else if is(&packets::state_wm_hz_op::PACKET) && hz_op_acts(words) {
            self.draws();
            Ok(())
        } else if is(&mi::mi_store_data_imm::PACKET) {
            use mi::mi_store_data_imm as f;
            let (qword, address) = (f::STORE_QWORD.get(words) == 1, f::ADDRESS.get(words));
            STORE_ALIGNMENT.check(!qword || address.is_multiple_of(8), at, || {
                format!("a quadword is stored at {address:#x}")
            })
        } else {
            Ok(())
        }
    }

    /// No work runs, and these caches hold nothing that is not written back.
    fn is_clean(&self, caches: u8) -> bool {
        !self.busy && self.dirty & caches == 0
    }

    /// The work of a draw begins.
    fn draws(&mut self) {
        self.busy = true;
        self.dirty = ALL_WRITERS;
        self.draining = 0;
        self.used = ALL_CACHES;
    }

    fn undone(&self) -> String {
        match self.busy {
            true => "work since the last stalling PIPE_CONTROL may still run".into(),
            false => "writes of work before are not flushed".into(),
        }
    }

    fn pipe_control(&mut self, words: &[u32], context: &HwContext, at: u64) -> Result<(), Stop> {
        use media::pipe_control as f;
        let set = |field: Field| field.get(words) != 0;
        let stall = set(f::COMMAND_STREAMER_STALL_ENABLE);
        let companions = [
            f::RENDER_TARGET_CACHE_FLUSH_ENABLE,
            f::DEPTH_CACHE_FLUSH_ENABLE,
            f::DC_FLUSH_ENABLE,
            f::STALL_AT_PIXEL_SCOREBOARD,
            f::DEPTH_STALL_ENABLE,
            f::POST_SYNC_OPERATION,
            f::VF_CACHE_INVALIDATION_ENABLE,
            f::INDIRECT_STATE_POINTERS_DISABLE,
        ];
        let accompanied = companions.into_iter().chain(CACHES).any(set);
        PIPE_CONTROL_STALL.check(!stall || accompanied, at, || "a stall alone".into())?;
        let gpgpu = context.pipeline == Pipeline::Gpgpu;
        let texture = set(f::TEXTURE_CACHE_INVALIDATION_ENABLE);
        let early = gpgpu && self.busy && texture && !stall;
        PIPE_CONTROL_TEXTURE.check(!early, at, || {
            "the texture cache is invalidated under running work".into()
        })?;
        let post_sync = set(f::POST_SYNC_OPERATION);
        let vertices = set(f::VF_CACHE_INVALIDATION_ENABLE);
        PIPE_CONTROL_VF.check(!vertices || post_sync, at, || {
            "the vertex fetch cache is invalidated without a post-sync operation".into()
        })?;
        let address = f::ADDRESS.get(words);
        POST_SYNC_ALIGNMENT.check(!post_sync || address.is_multiple_of(8), at, || {
            format!("a quadword is written at {address:#x}")
        })?;
        let caches = CACHES.iter().enumerate();
        let invalidated = caches.fold(0, |all, (i, cache)| all | u8::from(set(*cache)) << i);
        self.stale &= !invalidated;
        let flushes = [
            (f::DC_FLUSH_ENABLE, DATA_CACHE),
            (f::RENDER_TARGET_CACHE_FLUSH_ENABLE, RENDER_CACHE),
            (f::DEPTH_CACHE_FLUSH_ENABLE, DEPTH_CACHE),
        ];
        let flushed = flushes.iter().filter(|(field, _)| set(*field));
        let flushed = flushed.fold(0, |all, (_, cache)| all | cache);
        self.log.pipe_control(Control {
            stall,
            data: flushed & DATA_CACHE != 0,
            render: flushed & RENDER_CACHE != 0,
            depth: flushed & DEPTH_CACHE != 0,
            texture: texture && !self.busy,
            constant: set(f::CONSTANT_CACHE_INVALIDATION_ENABLE) && !self.busy,
            vertex: vertices && !self.busy,
        });
        // Caches are invalidated when the command is read, before its own stall: work that still runs fills them again.
        if !self.busy {
            self.used &= !invalidated;
        }
        // A flush goes down the pipeline: it is done when this command, or a later one, has stalled.
        self.draining |= flushed & self.dirty;
        if stall {
            self.busy = false;
            self.held = false;
            self.dirty &= !self.draining;
            self.draining = 0;
        }
        Ok(())
    }

    fn pipeline_select(&self, words: &[u32], context: &HwContext, at: u64) -> Result<(), Stop> {
        use media::pipeline_select as f;
        let to = Pipeline::of(f::PIPELINE_SELECTION.get(words));
        if f::MASK_BITS.get(words) & 3 != 3 || to == context.pipeline {
            return Ok(());
        }
        PIPELINE_SELECT_FLUSH.check(self.is_clean(ALL_WRITERS), at, || self.undone())?;
        PIPELINE_SELECT_INVALIDATE.check(self.used == 0, at, || names(self.used))
    }

    /// Notes base addresses that have changed.
    pub(crate) fn base_addresses(&mut self, old: &BaseAddresses, new: &BaseAddresses) {
        if (old.surface, old.dynamic, old.bindless_surface)
            != (new.surface, new.dynamic, new.bindless_surface)
        {
            self.stale |= DATA_CACHES;
        }
        if old.instruction != new.instruction {
            self.stale |= INSTRUCTION_CACHE;
        }
    }

    fn vfe_state(&self, words: &[u32], device: &Device, at: u64) -> Result<(), Stop> {
        use media::media_vfe_state as f;
        let threads = f::MAXIMUM_NUMBER_OF_THREADS.get(words) + 1;
        VFE_THREADS.check(threads <= device.total_threads().into(), at, || {
            format!("{threads} threads of {}", device.total_threads())
        })?;
        let scratch = f::PER_THREAD_SCRATCH_SPACE.get(words);
        VFE_SCRATCH.check(scratch <= 11, at, || {
            format!("code {scratch} for scratch of a thread")
        })
    }

    fn curbe_load(&self, words: &[u32], context: &HwContext, at: u64) -> Result<(), Stop> {
        use media::media_curbe_load as f;
        CURBE_FLUSH.check(!self.held, at, || {
            "the walker before may still read its constants".into()
        })?;
        let start = f::CURBE_DATA_START_ADDRESS.get(words);
        let bytes = f::CURBE_TOTAL_DATA_LENGTH.get(words);
        let aligned = start.is_multiple_of(64) && bytes.is_multiple_of(64);
        CURBE_ALIGNMENT.check(aligned, at, || format!("{bytes} bytes at {start:#x}"))?;
        let room = context.vfe.curbe_bytes;
        CURBE_ALLOCATION.check(bytes <= room, at, || {
            format!("{bytes} bytes where {room} are allocated")
        })
    }

    fn descriptor_load(&self, words: &[u32], at: u64) -> Result<(), Stop> {
        use media::media_interface_descriptor_load as f;
        DESCRIPTOR_FLUSH.check(!self.held, at, || {
            "the walker before may still read its descriptor".into()
        })?;
        let start = f::INTERFACE_DESCRIPTOR_DATA_START_ADDRESS.get(words);
        let bytes = f::INTERFACE_DESCRIPTOR_TOTAL_LENGTH.get(words);
        let whole = bytes.is_multiple_of(32) && (32..=64 * 32).contains(&bytes);
        DESCRIPTOR_RANGE.check(start.is_multiple_of(64) && whole, at, || {
            format!("{bytes} bytes at {start:#x}")
        })
    }

    /// Checks a walker, and notes that its work has begun.
    pub(crate) fn walker(
        &mut self,
        words: &[u32],
        descriptor: &[u32; 8],
        context: &HwContext,
        device: &Device,
        at: u64,
    ) -> Result<(), Stop> {
        use media::gpgpu_walker as f;
        WALKER_PIPELINE.check(context.pipeline == Pipeline::Gpgpu, at, || {
            format!("the {:?} pipeline is selected", context.pipeline)
        })?;
        VFE_STALL.check(!self.vfe_early, at, || {
            "MEDIA_VFE_STATE came while work may still have run".into()
        })?;
        BASE_ADDRESS_INVALIDATE.check(self.stale == 0, at, || names(self.stale))?;
        reserved(&idd::PACKET, descriptor, at)?;
        let simd = f::SIMD_SIZE.get(words);
        WALKER_SIMD.check(simd < 3, at, || format!("code {simd} for the SIMD size"))?;
        let masks = [f::RIGHT_EXECUTION_MASK, f::BOTTOM_EXECUTION_MASK].map(|m| m.get(words));
        let lanes = u64::from(u32::MAX >> (32 - (8 << simd)));
        WALKER_MASK.check(masks.iter().all(|mask| mask & lanes != 0), at, || {
            format!("masks {:#x} and {:#x}", masks[0], masks[1])
        })?;
        let counters = [
            f::THREAD_WIDTH_COUNTER_MAXIMUM,
            f::THREAD_HEIGHT_COUNTER_MAXIMUM,
            f::THREAD_DEPTH_COUNTER_MAXIMUM,
        ];
        let threads: u64 = counters.iter().map(|c| c.get(words) + 1).product();
        let most =
            (u64::from(context.vfe.max_threads) + 1).min(device.max_workgroup_threads.into());
        WALKER_GROUP.check(threads <= most, at, || {
            format!("a workgroup of {threads} threads where {most} can be")
        })?;
        let (dynamic, code) = (context.base.dynamic_pages, context.base.instruction_pages);
        let kernel = idd::KERNEL_START_POINTER.get(descriptor);
        let loaded = [context.curbe, context.descriptors].map(|range| range.offset + range.bytes);
        let places = [
            (loaded[0], dynamic),
            (loaded[1], dynamic),
            (kernel + 16, code),
        ];
        for (end, pages) in places {
            let fits = pages.is_none_or(|pages| end <= pages * 4096);
            HEAP_BOUNDS.check(fits, at, || format!("up to byte {end:#x}"))?;
        }
        let slm = idd::SHARED_LOCAL_MEMORY_SIZE.get(descriptor);
        SLM_SIZE.check(slm <= 7, at, || format!("code {slm}"))?;
        let divided = context.register(register::L3CNTLREG) & register::L3CNTLREG_SLM_ENABLE != 0;
        SLM_L3.check(slm == 0 || divided, at, || {
            "shared local memory, of which the L3 has none".into()
        })?;
        let grf = idd::CONSTANT_URB_ENTRY_READ_OFFSET.get(descriptor)
            + idd::CROSS_THREAD_CONSTANT_DATA_READ_LENGTH.get(descriptor)
            + idd::CONSTANT_URB_ENTRY_READ_LENGTH.get(descriptor) * threads;
        let constants = idd::CROSS_THREAD_CONSTANT_DATA_READ_LENGTH.get(descriptor)
            + idd::CONSTANT_URB_ENTRY_READ_LENGTH.get(descriptor);
        let there = match f::INDIRECT_DATA_LENGTH.get(words) {
            0 => context.curbe.bytes,
            bytes => bytes,
        };
        CURBE_READ.check(constants == 0 || grf * 32 <= there, at, || {
            format!("{} of {there} bytes", grf * 32)
        })?;
        (self.busy, self.held) = (true, true);
        self.dirty |= DATA_CACHE;
        self.draining &= !DATA_CACHE;
        self.used = ALL_CACHES;
        Ok(())
    }
}

/// True if 3DSTATE_WM_HZ_OP clears or resolves something.
fn hz_op_acts(words: &[u32]) -> bool {
    use packets::state_wm_hz_op as f;
    let acts = [
        f::STENCIL_BUFFER_CLEAR_ENABLE,
        f::DEPTH_BUFFER_CLEAR_ENABLE,
        f::DEPTH_BUFFER_RESOLVE_ENABLE,
        f::HIERARCHICAL_DEPTH_BUFFER_RESOLVE_ENABLE,
    ];
    acts.iter().any(|field| field.get(words) == 1)
}

fn names(caches: u8) -> String {
    let names = CACHES
        .iter()
        .enumerate()
        .filter(|(i, _)| caches >> i & 1 == 1);
    let names: Vec<_> = names.map(|(_, field)| field.name).collect();
    format!("missing: {}", names.join(", "))
}

/// Commands that hold a structure: from which dword on, and which.
static HELD: &[(&Packet, usize, &Packet)] = &[
    (
        &packets::state_constant_vs::PACKET,
        1,
        &draw_state::state_constant_body::PACKET,
    ),
    (
        &packets::state_constant_hs::PACKET,
        1,
        &draw_state::state_constant_body::PACKET,
    ),
    (
        &packets::state_constant_ds::PACKET,
        1,
        &draw_state::state_constant_body::PACKET,
    ),
    (
        &packets::state_constant_gs::PACKET,
        1,
        &draw_state::state_constant_body::PACKET,
    ),
    (
        &packets::state_constant_ps::PACKET,
        1,
        &draw_state::state_constant_body::PACKET,
    ),
];

/// Bits that belong to no field. Commands of several forms are left alone.
fn reserved(packet: &Packet, words: &[u32], at: u64) -> Result<(), Stop> {
    if packet.dwords == 0 || usize::from(packet.dwords) != words.len() {
        return Ok(());
    }
    for (index, word) in words.iter().enumerate() {
        let mut known = match index {
            0 => packet.header_mask | packet.length_mask,
            _ => 0,
        };
        let held = HELD.iter().filter(|held| std::ptr::eq(held.0, packet));
        let inner = held.flat_map(|(_, at, structure)| structure.fields.iter().map(|f| (*at, f)));
        for (at, field) in packet.fields.iter().map(|f| (0, f)).chain(inner) {
            let first = index * 32;
            let (lo, hi) = (
                usize::from(field.lo) + at * 32,
                usize::from(field.hi) + at * 32,
            );
            if hi >= first && lo < first + 32 {
                let (lo, hi) = (lo.max(first) - first, hi.min(first + 31) - first);
                known |= u32::MAX >> (31 - (hi - lo)) << lo;
            }
        }
        RESERVED_BITS.check(word & !known == 0, at, || {
            format!("{}, dword {index}: bits {:#x}", packet.name, word & !known)
        })?;
    }
    Ok(())
}
