//! Checks the order of the 3D pipeline's commands.
//!
//! In:  commands in order. Out: the first broken rule.
//! Ref: SKL PRM vol. 2a, the commands' programming notes; vol. 7, "MCS Buffer for Render
//!      Target(s)", "Depth Buffer Clear".

use crate::context::{HwContext, Pipeline};
use crate::draw_state::DrawState;
use crate::pipe_control_stats::Purpose;
use crate::rules::{
    CONSTANT_COMMIT, CONSTANT_DISABLED, CONSTANT_ORDER, CONSTANT_RELOAD, DEPTH_CLEAR_AFTER,
    DEPTH_CLEAR_BEFORE, FAST_CLEAR_SYNC, HZ_OP_SEQUENCE, PIPE_CONTROL_COUNT,
    PIPE_CONTROL_COUNT_STALL, PIPE_CONTROL_LLC, PIPE_CONTROL_POINTERS, PIPE_CONTROL_SNAPSHOT,
    PIPE_CONTROL_TLB, PIPE_CONTROL_VF_NULL, PIPELINE_SELECT_COLOUR, SO_OFFSET_IDLE,
};
use eu::StopReason;
use hw::draw_state::state_constant_body as body;
use hw::value::command::post_sync_operation;
use hw::{Field, Packet, draw, media, mi};

/// True if a 3DSTATE_WM_HZ_OP clears or resolves something.
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

/// The operation of a draw on its render targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TargetOperation {
    Render,
    Clear,
    Resolve(u64),
}

impl TargetOperation {
    fn from_state(state: &DrawState) -> TargetOperation {
        use draw::state_ps as ps;
        let resolve = state.get(&ps::PACKET, ps::RENDER_TARGET_RESOLVE_TYPE);
        match state.flag(&ps::PACKET, ps::RENDER_TARGET_FAST_CLEAR_ENABLE) {
            true => TargetOperation::Clear,
            false if resolve != 0 => TargetOperation::Resolve(resolve),
            false => TargetOperation::Render,
        }
    }
}

/// State of the last 3DSTATE_WM_HZ_OP.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum HzOp {
    #[default]
    None,
    /// It started an operation.
    Active,
    /// A post-sync operation has followed it.
    PostSynced,
}

macro_rules! by_stage {
    ($($name:ident)*) => {
        [$(&draw::$name::PACKET),*]
    };
}

/// Commands of each stage that allocate, set and commit push constants.
static ALLOCATIONS: [&Packet; 5] = by_stage! {
    state_push_constant_alloc_vs state_push_constant_alloc_hs state_push_constant_alloc_ds
    state_push_constant_alloc_gs state_push_constant_alloc_ps
};
static CONSTANTS: [&Packet; 5] = by_stage! {
    state_constant_vs state_constant_hs state_constant_ds state_constant_gs state_constant_ps
};
static BINDING_TABLES: [&Packet; 5] = by_stage! {
    state_binding_table_pointers_vs state_binding_table_pointers_hs state_binding_table_pointers_ds
    state_binding_table_pointers_gs state_binding_table_pointers_ps
};
const STAGES: [&str; 5] = ["VS", "HS", "DS", "GS", "PS"];

/// SO_WRITE_OFFSET of the four buffers.
const SO_WRITE_OFFSETS: std::ops::Range<u64> = {
    let first = hw::register::SO_WRITE_OFFSET0 as u64;
    first..first + 4 * 4
};

/// Index of a command in such a list: the stage.
fn stage_index(list: &[&Packet], packet: &Packet) -> Option<usize> {
    list.iter().position(|known| std::ptr::eq(*known, packet))
}

/// Read lengths of the four buffers of a 3DSTATE_CONSTANT_*.
fn read_lengths(words: &[u32]) -> [u64; 4] {
    let body_words = words.get(1..).unwrap_or_default();
    [
        body::READ_LENGTH,
        body::READ_LENGTH_1,
        body::READ_LENGTH_2,
        body::READ_LENGTH_3,
    ]
    .map(|length| length.get(body_words))
}

/// State of the sequence rules in a batch.
#[derive(Default)]
pub(super) struct Sequence {
    hz_op: HzOp,
    /// Stages whose constants must be set again; below, stages whose constants are set, but not
    /// committed: one bit each.
    constants_to_reload: u8,
    uncommitted: u8,
    /// Stages that have committed constants without a fourth buffer since the last stall.
    no_fourth_buffer: u8,
    /// The operation of the last draw, until a stall with a render target flush.
    mode: Option<TargetOperation>,
    /// The last command was a PIPE_CONTROL whose dwords are zero.
    after_null_pipe_control: bool,
    /// Draws may be writing to stream output buffers.
    stream_output_active: bool,
    /// A draw executed since a PIPE_CONTROL with depth flush and depth stall; below, a clear of a
    /// part of the depth buffer did.
    depth_drawn: bool,
    depth_cleared: bool,
    /// The last PIPE_CONTROL needed a depth stall: one of the two was true when it executed, or it
    /// wrote a depth count.
    needed_depth_stall: bool,
}

impl Sequence {
    /// Checks a command and updates the state. `lenient`: without the rules that drivers in use
    /// break.
    pub fn command(
        &mut self,
        packet: &Packet,
        words: &[u32],
        context: &HwContext,
        lenient: bool,
        at: u64,
    ) -> Result<(), StopReason> {
        // MI commands, such as a jump, do not count.
        let pipeline = packet.header >> 29 != 0;
        let after_null_pipe_control = self.after_null_pipe_control;
        self.after_null_pipe_control &= !pipeline;
        let is = |other: &Packet| std::ptr::eq(packet, other);
        if is(&media::pipe_control::PACKET) {
            self.after_null_pipe_control =
                words.get(1..).unwrap_or_default().iter().all(|w| *w == 0);
            self.pipe_control(words, after_null_pipe_control, at)
        } else if is(&draw::primitive::PACKET) {
            self.draw(&context.draw, lenient, at)
        } else if is(&draw::state_wm_hz_op::PACKET) {
            self.hz_op(words, at)
        } else if is(&media::pipeline_select::PACKET) {
            use media::pipeline_select as f;
            let to = Pipeline::from_selection(f::PIPELINE_SELECTION.get(words));
            let changes = f::MASK_BITS.get(words) & 3 == 3 && to == Pipeline::Gpgpu;
            use draw::state_cc_state_pointers as cc;
            let valid = context
                .draw
                .flag(&cc::PACKET, cc::COLOR_CALC_STATE_POINTER_VALID);
            PIPELINE_SELECT_COLOUR.check(!changes || !valid, at, || {
                "the pointer to the colour calculator's state is valid".into()
            })
        } else if let Some(stage_index) = stage_index(&ALLOCATIONS, packet) {
            self.constants_to_reload |= 1 << stage_index;
            Ok(())
        } else if let Some(stage_index) = stage_index(&CONSTANTS, packet) {
            self.constants_to_reload &= !(1 << stage_index);
            self.uncommitted |= 1 << stage_index;
            let [first, ..] = read_lengths(words);
            let no_fourth_buffer = self.no_fourth_buffer >> stage_index & 1 == 1;
            CONSTANT_ORDER.check(!no_fourth_buffer || first == 0, at, || {
                format!(
                    "{} has a first buffer where the one before had no last",
                    packet.name
                )
            })
        } else if let Some(stage_index) = stage_index(&BINDING_TABLES, packet) {
            if !context.draw.draws_commit {
                self.commit(stage_index, &context.draw);
            }
            Ok(())
        } else {
            self.check_stream_offsets(packet, words, at)
        }
    }

    /// Records that the constants of a stage are committed, if they were set.
    fn commit(&mut self, stage_index: usize, state: &DrawState) {
        if self.uncommitted >> stage_index & 1 == 1 {
            self.uncommitted &= !(1 << stage_index);
            let read_lengths = read_lengths(state.words(CONSTANTS[stage_index]));
            // Constants without any buffer do not count (ERRATA.md).
            let no_fourth_buffer = read_lengths[3] == 0 && read_lengths != [0; 4];
            self.no_fourth_buffer |= u8::from(no_fourth_buffer) << stage_index;
        }
    }

    fn pipe_control(
        &mut self,
        words: &[u32],
        after_null_pipe_control: bool,
        at: u64,
    ) -> Result<(), StopReason> {
        use media::pipe_control as f;
        let set = |field: Field| field.get(words) != 0;
        let stall = set(f::COMMAND_STREAMER_STALL_ENABLE);
        PIPE_CONTROL_VF_NULL.check(
            !set(f::VF_CACHE_INVALIDATION_ENABLE) || after_null_pipe_control,
            at,
            || "the vertex fetch cache is invalidated by a command that follows another".into(),
        )?;
        let operation = f::POST_SYNC_OPERATION.get(words);
        let counts = operation >= 2;
        let disturbed =
            set(f::RENDER_TARGET_CACHE_FLUSH_ENABLE) || set(f::STALL_AT_PIXEL_SCOREBOARD);
        PIPE_CONTROL_COUNT.check(!counts || !disturbed, at, || {
            "a count or a time is written by a command that flushes render targets or stalls at the scoreboard".into()
        })?;
        let samples = operation == post_sync_operation::WRITE_PS_DEPTH_COUNT;
        let depth_stall = set(f::DEPTH_STALL_ENABLE);
        PIPE_CONTROL_COUNT_STALL.check(!samples || depth_stall, at, || {
            "a depth count is written without a depth stall".into()
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
        if operation != 0 && self.hz_op == HzOp::Active {
            self.hz_op = HzOp::PostSynced;
        }
        self.needed_depth_stall = samples || self.depth_drawn || self.depth_cleared;
        // The sections on clears ask for the depth stall itself, whatever else the command stalls.
        if depth_stall && set(f::DEPTH_CACHE_FLUSH_ENABLE) {
            (self.depth_drawn, self.depth_cleared) = (false, false);
        }
        if stall {
            self.stream_output_active = false;
            self.no_fourth_buffer = 0;
            if set(f::RENDER_TARGET_CACHE_FLUSH_ENABLE) {
                self.mode = None;
            }
        }
        Ok(())
    }

    /// Whether the depth stall of the last PIPE_CONTROL was necessary.
    pub fn depth_stall(&self) -> Purpose {
        Purpose::new(
            self.needed_depth_stall,
            "no draw, and no clear of a part of a depth buffer, came since depth was flushed and waited for",
        )
    }

    fn hz_op(&mut self, words: &[u32], at: u64) -> Result<(), StopReason> {
        let acts = hz_op_acts(words);
        let holds = match self.hz_op {
            HzOp::None => true,
            HzOp::Active => false,
            HzOp::PostSynced => !acts,
        };
        HZ_OP_SEQUENCE.check(holds, at, || match acts {
            true => "one operation follows another that has not been ended".into(),
            false => "an operation is ended without a post-sync operation".into(),
        })?;
        use draw::state_wm_hz_op as f;
        let depth = f::DEPTH_BUFFER_CLEAR_ENABLE.get(words) == 1;
        if depth || f::STENCIL_BUFFER_CLEAR_ENABLE.get(words) == 1 {
            DEPTH_CLEAR_BEFORE.check(!self.depth_drawn, at, || {
                "draws before may still use the buffers".into()
            })?;
        }
        if depth {
            self.depth_cleared |= f::FULL_SURFACE_DEPTH_AND_STENCIL_CLEAR.get(words) == 0;
        }
        // The operation itself tests no depths: drivers wait only for the post-sync write that ends
        // it before they change buffers.
        self.hz_op = if acts { HzOp::Active } else { HzOp::None };
        Ok(())
    }

    fn draw(&mut self, state: &DrawState, lenient: bool, at: u64) -> Result<(), StopReason> {
        HZ_OP_SEQUENCE.check(self.hz_op == HzOp::None, at, || {
            "a draw, where 3DSTATE_WM_HZ_OP has not been ended".into()
        })?;
        let first = |stages: u8| STAGES.get(stages.trailing_zeros() as usize);
        let constants_to_reload = self.constants_to_reload & state.active();
        CONSTANT_RELOAD.check(constants_to_reload == 0, at, || {
            let stage_index = first(constants_to_reload).unwrap_or(&"");
            format!("{stage_index} constants are from before their allocation")
        })?;
        if state.draws_commit {
            (0..CONSTANTS.len()).for_each(|stage_index| self.commit(stage_index, state));
        }
        CONSTANT_COMMIT.check(self.uncommitted == 0, at, || {
            let stage_index = first(self.uncommitted).unwrap_or(&"");
            format!("{stage_index} constants are not committed by a binding table pointer")
        })?;
        // The PRM says "for all the shaders", but drivers do not set the constants of disabled
        // stages.
        let disabled = state.disabled_constants & state.active();
        CONSTANT_DISABLED.check(disabled == 0, at, || {
            let stage_index = first(disabled).unwrap_or(&"");
            format!("{stage_index} constants were disabled, and are not named since")
        })?;
        let mode = TargetOperation::from_state(state);
        let enforced = !(lenient && FAST_CLEAR_SYNC.unless_lenient);
        let holds = !enforced || self.mode.is_none_or(|last| last == mode);
        FAST_CLEAR_SYNC.check(holds, at, || {
            format!(
                "{mode:?} after {:?}",
                self.mode.unwrap_or(TargetOperation::Render)
            )
        })?;
        self.mode = Some(mode);
        DEPTH_CLEAR_AFTER.check(!self.depth_cleared, at, || {
            "a draw, right after a clear of a part of the depth buffer".into()
        })?;
        self.depth_drawn = true;
        use draw::state_streamout as so;
        self.stream_output_active |= state.flag(&so::PACKET, so::SO_FUNCTION_ENABLE);
        Ok(())
    }

    /// Checks that the stream output offset registers are accessed only while stream output is
    /// idle.
    fn check_stream_offsets(
        &self,
        packet: &Packet,
        words: &[u32],
        at: u64,
    ) -> Result<(), StopReason> {
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
        SO_OFFSET_IDLE.check(!offset || !self.stream_output_active, at, || {
            format!("{} of {register:#x}", packet.name)
        })
    }
}

#[cfg(test)]
mod tests;
