//! What must come between the commands of the 3D pipeline.
//!
//! In:  commands in order. Out: the first broken rule.
//! Ref: SKL PRM vol. 2a, the commands' programming notes; vol. 7, "MCS Buffer for Render Target(s)", "Depth Buffer Clear".

use crate::context::{HwContext, Pipeline};
use crate::controls::Purpose;
use crate::latched::DrawState;
use crate::rules::{
    CONSTANT_COMMIT, CONSTANT_DISABLED, CONSTANT_ORDER, CONSTANT_RELOAD, DEPTH_CLEAR_AFTER,
    DEPTH_CLEAR_BEFORE, FAST_CLEAR_SYNC, HZ_OP_SEQUENCE, PIPE_CONTROL_COUNT, PIPE_CONTROL_LLC,
    PIPE_CONTROL_POINTERS, PIPE_CONTROL_SNAPSHOT, PIPE_CONTROL_TLB, PIPE_CONTROL_VF_NULL,
    PIPELINE_SELECT_COLOUR, SO_OFFSET_IDLE,
};
use eu::Stop;
use hw::draw_state::state_constant_body as body;
use hw::{Field, Packet, draw, media, mi};

/// True if 3DSTATE_WM_HZ_OP clears or resolves something.
pub(super) fn hz_op_acts(words: &[u32]) -> bool {
    use draw::state_wm_hz_op as f;
    let acts = [
        f::STENCIL_BUFFER_CLEAR_ENABLE,
        f::DEPTH_BUFFER_CLEAR_ENABLE,
        f::DEPTH_BUFFER_RESOLVE_ENABLE,
        f::HIERARCHICAL_DEPTH_BUFFER_RESOLVE_ENABLE,
    ];
    acts.iter().any(|field| field.get(words) == 1)
}

/// What a draw does to its render targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Render,
    Clear,
    Resolve(u64),
}

impl Mode {
    fn of(state: &DrawState) -> Mode {
        use draw::state_ps as ps;
        let resolve = state.get(&ps::PACKET, ps::RENDER_TARGET_RESOLVE_TYPE);
        match state.flag(&ps::PACKET, ps::RENDER_TARGET_FAST_CLEAR_ENABLE) {
            true => Mode::Clear,
            false if resolve != 0 => Mode::Resolve(resolve),
            false => Mode::Render,
        }
    }
}

/// Where a 3DSTATE_WM_HZ_OP stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum HzOp {
    #[default]
    None,
    /// It acts.
    Acts,
    /// A post-sync operation has followed it.
    Written,
}

macro_rules! by_stage {
    ($($name:ident)*) => {
        [$(&draw::$name::PACKET),*]
    };
}

/// Commands for each stage: push constants allocated, named, committed.
static ALLOCATE: [&Packet; 5] = by_stage! {
    state_push_constant_alloc_vs state_push_constant_alloc_hs state_push_constant_alloc_ds
    state_push_constant_alloc_gs state_push_constant_alloc_ps
};
static CONSTANT: [&Packet; 5] = by_stage! {
    state_constant_vs state_constant_hs state_constant_ds state_constant_gs state_constant_ps
};
static TABLE: [&Packet; 5] = by_stage! {
    state_binding_table_pointers_vs state_binding_table_pointers_hs state_binding_table_pointers_ds
    state_binding_table_pointers_gs state_binding_table_pointers_ps
};
const STAGES: [&str; 5] = ["VS", "HS", "DS", "GS", "PS"];

/// SO_WRITE_OFFSET of the four buffers.
const SO_WRITE_OFFSETS: std::ops::Range<u64> = 0x5280..0x5290;

/// Stages by the index of a command in such a list.
fn stage(list: &[&Packet], packet: &Packet) -> Option<usize> {
    list.iter().position(|known| std::ptr::eq(*known, packet))
}

/// Read lengths of the four buffers of a 3DSTATE_CONSTANT_*.
fn lengths(words: &[u32]) -> [u64; 4] {
    let body_words = words.get(1..).unwrap_or_default();
    [
        body::READ_LENGTH,
        body::READ_LENGTH_1,
        body::READ_LENGTH_2,
        body::READ_LENGTH_3,
    ]
    .map(|length| length.get(body_words))
}

/// What a batch has left open.
#[derive(Default)]
pub(super) struct Sequence {
    hz_op: HzOp,
    /// Stages whose constants are to be named anew; named, but not committed: a bit for each.
    unloaded: u8,
    uncommitted: u8,
    /// Stages that have committed constants without a last buffer since work was waited for.
    short: u8,
    /// What the last draw did that nobody has waited for.
    mode: Option<Mode>,
    /// The command before was a PIPE_CONTROL of zeros.
    null: bool,
    /// Draws may be writing to stream output buffers.
    streams: bool,
    /// Draws have come since depth was flushed and waited for; a clear of a part of the depth buffer has.
    depth_drawn: bool,
    depth_cleared: bool,
    /// One of the two was so when the last PIPE_CONTROL came.
    depth_open: bool,
}

impl Sequence {
    /// Checks a command, and notes it.
    pub fn command(
        &mut self,
        packet: &Packet,
        words: &[u32],
        context: &HwContext,
        at: u64,
    ) -> Result<(), Stop> {
        // MI commands, such as one that goes on elsewhere, are not of the pipeline.
        let pipeline = packet.header >> 29 != 0;
        let null = self.null;
        self.null &= !pipeline;
        let is = |other: &Packet| std::ptr::eq(packet, other);
        if is(&media::pipe_control::PACKET) {
            self.null = words.get(1..).unwrap_or_default().iter().all(|w| *w == 0);
            self.pipe_control(words, null, at)
        } else if is(&draw::primitive::PACKET) {
            self.draw(&context.draw, at)
        } else if is(&draw::state_wm_hz_op::PACKET) {
            self.hz_op(words, at)
        } else if is(&media::pipeline_select::PACKET) {
            use media::pipeline_select as f;
            let to = Pipeline::of(f::PIPELINE_SELECTION.get(words));
            let changes = f::MASK_BITS.get(words) & 3 == 3 && to == Pipeline::Gpgpu;
            use draw::state_cc_state_pointers as cc;
            let valid = context
                .draw
                .flag(&cc::PACKET, cc::COLOR_CALC_STATE_POINTER_VALID);
            PIPELINE_SELECT_COLOUR.check(!changes || !valid, at, || {
                "the pointer to the colour calculator's state is valid".into()
            })
        } else if let Some(stage) = stage(&ALLOCATE, packet) {
            self.unloaded |= 1 << stage;
            Ok(())
        } else if let Some(stage) = stage(&CONSTANT, packet) {
            self.unloaded &= !(1 << stage);
            self.uncommitted |= 1 << stage;
            let [first, ..] = lengths(words);
            let short = self.short >> stage & 1 == 1;
            CONSTANT_ORDER.check(!short || first == 0, at, || {
                format!(
                    "{} has a first buffer where the one before had no last",
                    packet.name
                )
            })
        } else if let Some(stage) = stage(&TABLE, packet) {
            if self.uncommitted >> stage & 1 == 1 {
                self.uncommitted &= !(1 << stage);
                let lengths = lengths(context.draw.words(CONSTANT[stage]));
                // Those of no buffer leave nothing behind (ERRATA.md).
                let short = lengths[3] == 0 && lengths != [0; 4];
                self.short |= u8::from(short) << stage;
            }
            Ok(())
        } else {
            self.offsets(packet, words, at)
        }
    }

    fn pipe_control(&mut self, words: &[u32], null: bool, at: u64) -> Result<(), Stop> {
        use media::pipe_control as f;
        let set = |field: Field| field.get(words) != 0;
        let stall = set(f::COMMAND_STREAMER_STALL_ENABLE);
        PIPE_CONTROL_VF_NULL.check(!set(f::VF_CACHE_INVALIDATION_ENABLE) || null, at, || {
            "the vertex fetch cache is invalidated by a command that follows another".into()
        })?;
        let operation = f::POST_SYNC_OPERATION.get(words);
        let counts = operation >= 2;
        let disturbed =
            set(f::RENDER_TARGET_CACHE_FLUSH_ENABLE) || set(f::STALL_AT_PIXEL_SCOREBOARD);
        PIPE_CONTROL_COUNT.check(!counts || !disturbed, at, || {
            "a count or a time is written by a command that flushes render targets or stalls at the scoreboard".into()
        })?;
        PIPE_CONTROL_SNAPSHOT.check(!set(f::GLOBAL_SNAPSHOT_COUNT_RESET), at, || {
            "Global Snapshot Count Reset is set".into()
        })?;
        let pointers = set(f::INDIRECT_STATE_POINTERS_DISABLE) || set(f::GENERIC_MEDIA_STATE_CLEAR);
        PIPE_CONTROL_POINTERS.check(!pointers || stall, at, || {
            "state is disabled under running work".into()
        })?;
        PIPE_CONTROL_TLB.check(
            !set(f::TLB_INVALIDATE) || stall || operation != 0,
            at,
            || "nothing makes the TLB invalidate".into(),
        )?;
        PIPE_CONTROL_LLC.check(!set(f::FLUSH_LLC) || operation == 1, at, || {
            "the last level cache is flushed without an immediate write".into()
        })?;
        if operation != 0 && self.hz_op == HzOp::Acts {
            self.hz_op = HzOp::Written;
        }
        self.depth_open = self.depth_drawn || self.depth_cleared;
        let depth = stall || set(f::DEPTH_STALL_ENABLE);
        if depth && set(f::DEPTH_CACHE_FLUSH_ENABLE) {
            (self.depth_drawn, self.depth_cleared) = (false, false);
        }
        if stall {
            self.streams = false;
            self.short = 0;
            if set(f::RENDER_TARGET_CACHE_FLUSH_ENABLE) {
                self.mode = None;
            }
        }
        Ok(())
    }

    /// What a stall of depth in the last PIPE_CONTROL had to do.
    pub fn depth_stall(&self) -> Purpose {
        Purpose::of(
            self.depth_open,
            "no draw, and no clear of a part of a depth buffer, came since depth was flushed and waited for",
        )
    }

    fn hz_op(&mut self, words: &[u32], at: u64) -> Result<(), Stop> {
        let acts = hz_op_acts(words);
        let kept = match self.hz_op {
            HzOp::None => true,
            HzOp::Acts => false,
            HzOp::Written => !acts,
        };
        HZ_OP_SEQUENCE.check(kept, at, || match acts {
            true => "one operation follows another that has not been ended".into(),
            false => "an operation is ended without a post-sync operation".into(),
        })?;
        use draw::state_wm_hz_op as f;
        if f::DEPTH_BUFFER_CLEAR_ENABLE.get(words) == 1 {
            DEPTH_CLEAR_BEFORE.check(!self.depth_drawn, at, || {
                "draws before may still use the depth buffer".into()
            })?;
            self.depth_cleared |= f::FULL_SURFACE_DEPTH_AND_STENCIL_CLEAR.get(words) == 0;
        }
        // An operation tests nothing: the write that ends it is all that drivers wait for before they change buffers.
        self.hz_op = if acts { HzOp::Acts } else { HzOp::None };
        Ok(())
    }

    fn draw(&mut self, state: &DrawState, at: u64) -> Result<(), Stop> {
        HZ_OP_SEQUENCE.check(self.hz_op == HzOp::None, at, || {
            "a draw, where 3DSTATE_WM_HZ_OP has not been ended".into()
        })?;
        let first = |stages: u8| STAGES.get(stages.trailing_zeros() as usize);
        let unloaded = self.unloaded & state.active();
        CONSTANT_RELOAD.check(unloaded == 0, at, || {
            let stage = first(unloaded).unwrap_or(&"");
            format!("{stage} constants are from before their allocation")
        })?;
        CONSTANT_COMMIT.check(self.uncommitted == 0, at, || {
            let stage = first(self.uncommitted).unwrap_or(&"");
            format!("{stage} constants are not committed by a binding table pointer")
        })?;
        // "For all the shaders", the PRM says; of those that do not run no driver names them.
        let disabled = state.disabled_constants & state.active();
        CONSTANT_DISABLED.check(disabled == 0, at, || {
            let stage = first(disabled).unwrap_or(&"");
            format!("{stage} constants were disabled, and are not named since")
        })?;
        let mode = Mode::of(state);
        let kept = self.mode.is_none_or(|last| last == mode);
        FAST_CLEAR_SYNC.check(kept, at, || {
            format!("{mode:?} after {:?}", self.mode.unwrap_or(Mode::Render))
        })?;
        self.mode = Some(mode);
        DEPTH_CLEAR_AFTER.check(!self.depth_cleared, at, || {
            "a draw, right after a clear of a part of the depth buffer".into()
        })?;
        self.depth_drawn = true;
        use draw::state_streamout as so;
        self.streams |= state.flag(&so::PACKET, so::SO_FUNCTION_ENABLE);
        Ok(())
    }

    /// Registers that the stream output changes are touched when it is idle.
    fn offsets(&self, packet: &Packet, words: &[u32], at: u64) -> Result<(), Stop> {
        let is = |other: &Packet| std::ptr::eq(packet, other);
        let register = if is(&mi::mi_load_register_mem::PACKET) {
            mi::mi_load_register_mem::REGISTER_ADDRESS.get(words)
        } else if is(&mi::mi_store_register_mem::PACKET) {
            mi::mi_store_register_mem::REGISTER_ADDRESS.get(words)
        } else if is(&mi::mi_load_register_imm::PACKET) {
            let pairs = words.get(1..).unwrap_or_default().chunks_exact(2);
            let mut registers = pairs.map(|pair| u64::from(pair[0] & 0x7f_fffc));
            let found = registers.find(|register| SO_WRITE_OFFSETS.contains(register));
            found.unwrap_or(0)
        } else {
            return Ok(());
        };
        let offset = SO_WRITE_OFFSETS.contains(&register);
        SO_OFFSET_IDLE.check(!offset || !self.streams, at, || {
            format!("{} of {register:#x}", packet.name)
        })
    }
}
