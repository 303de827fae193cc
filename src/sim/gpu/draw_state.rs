//! State that 3DSTATE_* commands latch, kept as packet words; units extract fields by `hw`'s tables
//! when they draw.
//!
//! Ref: SKL PRM vol. 2a. A command replaces the state of the last command of its kind.
//!      3DSTATE_VERTEX_BUFFERS, 3DSTATE_VF_INSTANCING and 3DSTATE_SO_BUFFER replace only the state
//!      of the index they carry.

use eu::StopReason;
use hw::value::draw::force_rendering;
use hw::{Field, Gen, Packet, draw, draw_state};
use std::collections::BTreeMap;

/// Maximum number of vertex elements.
pub(crate) const VERTEX_ELEMENTS: usize = 34;

/// 3DSTATE_CONSTANT_* commands, by stage.
static CONSTANTS: [&Packet; 5] = [
    &draw::state_constant_vs::PACKET,
    &draw::state_constant_hs::PACKET,
    &draw::state_constant_ds::PACKET,
    &draw::state_constant_gs::PACKET,
    &draw::state_constant_ps::PACKET,
];

/// 3DSTATE_BINDING_TABLE_POINTERS_* commands, which commit push constants, by stage.
static BINDING_TABLE_POINTERS: [&Packet; 5] = [
    &draw::state_binding_table_pointers_vs::PACKET,
    &draw::state_binding_table_pointers_hs::PACKET,
    &draw::state_binding_table_pointers_ds::PACKET,
    &draw::state_binding_table_pointers_gs::PACKET,
    &draw::state_binding_table_pointers_ps::PACKET,
];

/// Returns the stage of a 3DSTATE_CONSTANT_* command.
pub(crate) fn stage_of_constants(packet: &Packet) -> Option<usize> {
    CONSTANTS
        .iter()
        .position(|other| std::ptr::eq(*other, packet))
}

/// Push constants as read when they were committed, or the error that reading them raised.
pub(crate) type CommittedConstants = Result<Vec<u32>, StopReason>;

/// The 3D pipeline's state of one context.
#[derive(Clone, Debug)]
pub(crate) struct DrawState {
    /// Generation whose packet layouts the words have.
    pub hw_gen: Gen,
    /// The device has [`hw::Wa::NoTiledTargetsOver16382`].
    pub narrow_tiled_targets: bool,
    /// Words of the last command of each kind, by the upper half of its first dword.
    latched: BTreeMap<u16, Vec<u32>>,
    /// VERTEX_BUFFER_STATE by index.
    pub vertex_buffers: BTreeMap<usize, [u32; 4]>,
    /// 3DSTATE_VF_INSTANCING by vertex element.
    pub instancing: BTreeMap<usize, [u32; 3]>,
    /// 3DSTATE_SO_BUFFER by index.
    pub stream_buffers: BTreeMap<usize, Vec<u32>>,
    /// Stages whose push constants a PIPE_CONTROL disabled and no 3DSTATE_CONSTANT_* re-enabled,
    /// one bit each.
    pub disabled_constants: u8,
    /// Stages with a 3DSTATE_CONSTANT_* that is not committed yet, one bit each.
    uncommitted_constants: u8,
    /// In strict mode: push constants that this batch has committed, by stage.
    pub committed_constants: [Option<CommittedConstants>; 5],
    /// The first constant buffer of a stage is at an address, not an offset from the dynamic state
    /// base (CS_DEBUG_MODE2).
    pub constant_addresses: bool,
    /// 3DPRIMITIVE commits push constants, not 3DSTATE_BINDING_TABLE_POINTERS_* (Disable Gather at
    /// Set Shader, in CS_DEBUG_MODE2 and COMMON_SLICE_CHICKEN2).
    pub draws_commit: bool,
    /// MSC RAW Hazard Avoidance is enabled (CACHE_MODE_1).
    pub avoids_hazards: bool,
}

impl Default for DrawState {
    fn default() -> DrawState {
        DrawState {
            hw_gen: Gen::Gen9,
            narrow_tiled_targets: false,
            latched: BTreeMap::new(),
            vertex_buffers: BTreeMap::new(),
            instancing: BTreeMap::new(),
            stream_buffers: BTreeMap::new(),
            disabled_constants: 0,
            uncommitted_constants: 0,
            committed_constants: Default::default(),
            constant_addresses: false,
            draws_commit: false,
            avoids_hazards: false,
        }
    }
}

impl DrawState {
    /// Latches the state of a 3DSTATE_* command.
    pub fn latch(&mut self, packet: &Packet, words: &[u32]) {
        let is = |other: &Packet| std::ptr::eq(packet, other);
        if is(&draw::state_vertex_buffers::PACKET) {
            for buffer in words.get(1..).unwrap_or_default().as_chunks::<4>().0 {
                let index = draw_state::vertex_buffer_state::VERTEX_BUFFER_INDEX.get(buffer);
                let mut new = *buffer;
                // Without Address Modify Enable, address and size keep their old values.
                if draw_state::vertex_buffer_state::ADDRESS_MODIFY_ENABLE.get(buffer) == 0 {
                    let old = self.vertex_buffers.get(&(index as usize));
                    let old = old.copied().unwrap_or_default();
                    new[1..].copy_from_slice(&old[1..]);
                }
                self.vertex_buffers.insert(index as usize, new);
            }
        } else if is(&draw::state_vf_instancing::PACKET) {
            let index = draw::state_vf_instancing::VERTEX_ELEMENT_INDEX.get(words);
            let mut copy = [0; 3];
            for (to, from) in copy.iter_mut().zip(words) {
                *to = *from;
            }
            self.instancing.insert(index as usize, copy);
        } else if is(&draw::state_so_buffer::PACKET) {
            let index = draw::state_so_buffer::SO_BUFFER_INDEX.get(words);
            self.stream_buffers.insert(index as usize, words.to_vec());
        } else {
            if let Some(stage) = stage_of_constants(packet) {
                self.disabled_constants &= !(1 << stage);
                self.uncommitted_constants |= 1 << stage;
                if self.draws_commit {
                    // The next draw reads them.
                    self.committed_constants[stage] = None;
                }
            }
            let key = packet.header >> 16;
            self.latched.insert(key as u16, words.to_vec());
        }
    }

    /// Disables the push constants of all stages until the next 3DSTATE_CONSTANT_* of each.
    pub fn disable_constants(&mut self) {
        self.disabled_constants = (1 << CONSTANTS.len()) - 1;
    }

    /// If this command commits push constants, returns the stage and its 3DSTATE_CONSTANT_*
    /// command; `None` if nothing is to be committed. A 3DSTATE_CONSTANT_* takes effect when the
    /// stage's 3DSTATE_BINDING_TABLE_POINTERS_* executes (SKL PRM vol. 2a, 3DSTATE_CONSTANT_VS),
    /// unless draws commit them.
    pub fn take_commit(&mut self, packet: &Packet) -> Option<(usize, &'static Packet)> {
        if self.draws_commit {
            return None;
        }
        let stage = BINDING_TABLE_POINTERS
            .iter()
            .position(|other| std::ptr::eq(*other, packet))?;
        let named = self.uncommitted_constants >> stage & 1 == 1;
        self.uncommitted_constants &= !(1 << stage);
        named.then_some((stage, CONSTANTS[stage]))
    }

    /// Stages that run threads, one bit each from VS to PS. There are no pixel threads if stream
    /// output disables rendering.
    pub fn active(&self) -> u8 {
        let enables = [
            self.flag(&draw::state_vs::PACKET, draw::state_vs::ENABLE),
            self.flag(&draw::state_hs::PACKET, draw::state_hs::ENABLE),
            self.flag(&draw::state_ds::PACKET, draw::state_ds::ENABLE),
            self.flag(&draw::state_gs::PACKET, draw::state_gs::ENABLE),
            self.renders()
                && self.flag(
                    &draw::state_ps_extra::PACKET,
                    draw::state_ps_extra::PIXEL_SHADER_VALID,
                ),
        ];
        let bits = enables.iter().enumerate();
        bits.fold(0, |all, (i, on)| all | u8::from(*on) << i)
    }

    /// True if objects pass from stream output to the rasterizer.
    pub fn renders(&self) -> bool {
        use draw::state_streamout as so;
        match self.get(&so::PACKET, so::FORCE_RENDERING) {
            force_rendering::FORCE_OFF => false,
            force_rendering::FORCE_ON => true,
            _ => !self.flag(&so::PACKET, so::RENDERING_DISABLE),
        }
    }

    /// The words of the last command of this kind; empty if there was none, so that its fields read
    /// as zero.
    pub fn words(&self, packet: &Packet) -> &[u32] {
        let key = (packet.header >> 16) as u16;
        self.latched.get(&key).map_or(&[], Vec::as_slice)
    }

    /// A field of the last command of this kind; 0 if the generation lacks the field.
    pub fn get(&self, packet: &Packet, field: Field) -> u64 {
        let field = hw::layout::field(packet, field, self.hw_gen);
        field.map_or(0, |field| field.get(self.words(packet)))
    }

    /// A one-bit field of the last command of this kind.
    pub fn flag(&self, packet: &Packet, field: Field) -> bool {
        self.get(packet, field) != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use draw_state::vertex_buffer_state as vb;

    #[test]
    fn field_positions_follow_the_generation() {
        use draw::state_sf as sf;
        use hw::gen8::state_sf as older;
        let mut words = [sf::PACKET.header, 0, 0, 0];
        sf::LINE_WIDTH.set(&mut words, 3 << 7);
        older::LINE_WIDTH.set(&mut words, 5 << 7);
        sf::POINT_WIDTH.set(&mut words, 9);
        let on = |hw_gen, field| {
            let mut state = DrawState {
                hw_gen,
                ..DrawState::default()
            };
            let packet = hw::batch::find_packet(words[0], hw_gen).expect("in the tables");
            state.latch(packet, &words);
            state.get(&sf::PACKET, field)
        };
        assert_eq!(on(Gen::Gen9, sf::LINE_WIDTH), 3 << 7);
        assert_eq!(on(Gen::Gen8, sf::LINE_WIDTH), 5 << 7);
        assert_eq!(on(Gen::Gen9, sf::POINT_WIDTH), 9);
        assert_eq!(on(Gen::Gen8, sf::POINT_WIDTH), 9);
    }

    #[test]
    fn vertex_buffer_address_changes_only_with_modify_enable() {
        let mut state = DrawState::default();
        let mut latch = |modify, address, pitch| {
            let mut words = [0; 5];
            words[0] = draw::state_vertex_buffers::PACKET.header | 3;
            vb::ADDRESS_MODIFY_ENABLE.set(&mut words[1..], modify);
            vb::BUFFER_STARTING_ADDRESS.set(&mut words[1..], address);
            vb::BUFFER_SIZE.set(&mut words[1..], 64);
            vb::BUFFER_PITCH.set(&mut words[1..], pitch);
            state.latch(&draw::state_vertex_buffers::PACKET, &words);
            let buffer = state.vertex_buffers.get(&0).expect("a buffer");
            let get = |field: Field| field.get(buffer);
            [
                get(vb::BUFFER_STARTING_ADDRESS),
                get(vb::BUFFER_SIZE),
                get(vb::BUFFER_PITCH),
            ]
        };
        assert_eq!(latch(0, 0x1000, 8), [0, 0, 8]);
        assert_eq!(latch(1, 0x1000, 8), [0x1000, 64, 8]);
        assert_eq!(latch(0, 0x2000, 12), [0x1000, 64, 12]);
    }
}
