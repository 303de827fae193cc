//! Packets that a batch has emitted and that are still in effect.
//!
//! In:  packets of the bound pipeline and of the state. Out: in a [`Stream`], those that differ
//!      from what was emitted last.
//!
//! The packets of a group are emitted together: the divisions of the URB for all stages, and the
//! vertex elements with their step rates and generated values. State that is not listed here is
//! emitted whenever it is set.
//! Ref: SKL PRM vol. 2a, "3DSTATE_URB_VS" (the commands of all stages together),
//!      "3DSTATE_VERTEX_ELEMENTS", "3DSTATE_VF_INSTANCING".

use super::{pixel, vertex};
use crate::draw::state::DirtyGroups;
use crate::stream::{Stream, StreamMemory, offset};

/// Packets of the shaders that no state affects, in the order of their emission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ShaderPackets {
    words: [u32; SHADERS_DW],
}

/// Where a packet of `N` dwords stands among [`ShaderPackets`].
#[derive(Clone, Copy, Debug)]
pub(super) struct ShaderPacket<const N: usize>(usize);

impl<const N: usize> ShaderPacket<N> {
    /// The first dword after it.
    const fn end(self) -> usize {
        self.0 + N
    }
}

/// 3DSTATE_URB_VS, HS, DS and GS.
pub(super) const URB: ShaderPacket<8> = ShaderPacket(0);
/// 3DSTATE_VS.
pub(super) const VERTEX: ShaderPacket<9> = ShaderPacket(URB.end());
/// 3DSTATE_VF_STATISTICS.
pub(super) const STATISTICS: ShaderPacket<1> = ShaderPacket(VERTEX.end());
/// 3DSTATE_HS.
pub(super) const HULL: ShaderPacket<9> = ShaderPacket(STATISTICS.end());
/// 3DSTATE_DS.
pub(super) const DOMAIN: ShaderPacket<11> = ShaderPacket(HULL.end());
/// 3DSTATE_GS.
pub(super) const GEOMETRY: ShaderPacket<10> = ShaderPacket(DOMAIN.end());
/// 3DSTATE_SBE.
pub(super) const ATTRIBUTES: ShaderPacket<6> = ShaderPacket(GEOMETRY.end());
/// 3DSTATE_SBE_SWIZ.
pub(super) const SWIZZLE: ShaderPacket<11> = ShaderPacket(ATTRIBUTES.end());
/// 3DSTATE_PS_EXTRA.
pub(super) const EXTRA: ShaderPacket<2> = ShaderPacket(SWIZZLE.end());
const SHADERS_DW: usize = EXTRA.end();

impl Default for ShaderPackets {
    /// No packet.
    fn default() -> Self {
        Self {
            words: [0; SHADERS_DW],
        }
    }
}

impl ShaderPackets {
    /// Sets a packet.
    pub(super) fn set<const N: usize>(&mut self, packet: ShaderPacket<N>, words: [u32; N]) {
        if let Some(to) = self.words.get_mut(packet.0..packet.end()) {
            to.copy_from_slice(&words);
        }
    }

    /// Whether a packet is the same in both.
    #[inline(always)]
    fn has_same<const N: usize>(&self, packet: ShaderPacket<N>, other: &Self) -> bool {
        let range = packet.0..packet.end();
        self.words.get(range.clone()) == other.words.get(range)
    }

    /// Emits a packet of `from`, unless it is the same.
    #[inline(always)]
    fn update<M: StreamMemory, const N: usize>(
        &mut self,
        stream: &mut Stream<M>,
        packet: ShaderPacket<N>,
        from: &Self,
    ) -> Result<(), M::Error> {
        let words = |packets: &Self| packets.words.get(packet.0..)?.first_chunk::<N>().copied();
        match words(from) {
            Some(new) if words(self) != Some(new) => stream.emit(new),
            _ => Ok(()),
        }
    }
}

/// Blend states that a batch remembers: pipelines are often bound in turn.
const BLEND_STATES: usize = 4;

/// A BLEND_STATE in the batch's memory.
#[derive(Clone, Copy, Debug, Default)]
struct EmittedBlendState {
    /// The first words; the rest is zero.
    words: [u32; pixel::BLEND_DW],
    /// Its length; 0: none.
    len_dw: u8,
    /// Its address.
    address: u64,
}

/// See the module. A packet whose words are zero was not emitted.
#[derive(Clone, Debug, Default)]
pub struct EmittedPackets {
    pub(super) shaders: ShaderPackets,
    /// 3DSTATE_TE.
    pub(super) engine: [u32; 4],
    /// 3DSTATE_SO_DECL_LIST.
    pub(super) declarations: Vec<u32>,
    /// 3DSTATE_PS.
    pub(super) pixel: [u32; 12],
    /// The packets of [`vertex::elements`].
    pub(super) elements: vertex::ElementWords,
    /// 3DSTATE_SO_BUFFER.
    pub(super) capture_buffers: [[u32; 8]; abi::CAPTURE_BUFFERS],
    /// 3DSTATE_STREAMOUT.
    pub(super) streamout: [u32; 5],
    /// 3DSTATE_SF.
    pub(super) setup: [u32; 4],
    /// 3DSTATE_LINE_STIPPLE.
    pub(super) stipple: [u32; 3],
    /// 3DSTATE_CLIP.
    pub(super) clip: [u32; 4],
    /// 3DSTATE_RASTER.
    pub(super) raster: [u32; 5],
    /// 3DSTATE_MULTISAMPLE and 3DSTATE_SAMPLE_MASK.
    pub(super) multisample: [u32; 4],
    /// 3DSTATE_BLEND_STATE_POINTERS.
    pub(super) blend_pointer: [u32; 2],
    /// 3DSTATE_PS_BLEND.
    pub(super) blend: [u32; 2],
    /// 3DSTATE_WM.
    pub(super) wm: [u32; 2],
    /// COLOR_CALC_STATE, whose pointer was emitted.
    pub(super) constants: Option<[u32; 6]>,
    /// 3DSTATE_VF_TOPOLOGY and 3DSTATE_VF.
    pub(super) assembly: [u32; 4],
    /// Their memory belongs to the batch, whatever other users of the 3D pipeline emit.
    blend_states: [EmittedBlendState; BLEND_STATES],
    /// The entry of `blend_states` to replace next.
    oldest_blend_state: u8,
}

impl EmittedPackets {
    /// Another user of the 3D pipeline may have emitted packets: none is known to be in effect.
    pub(super) fn forget(&mut self) {
        self.shaders = ShaderPackets::default();
        self.engine = [0; 4];
        self.declarations.clear();
        self.pixel = [0; 12];
        self.elements.set(&[]);
        self.capture_buffers = [[0; 8]; abi::CAPTURE_BUFFERS];
        self.streamout = [0; 5];
        self.setup = [0; 4];
        self.stipple = [0; 3];
        self.clip = [0; 4];
        self.raster = [0; 5];
        self.multisample = [0; 4];
        self.blend_pointer = [0; 2];
        self.blend = [0; 2];
        self.wm = [0; 2];
        self.constants = None;
        self.assembly = [0; 4];
    }

    /// [`super::hiz`] has emitted packets. Returns the groups of those that draws must emit again.
    ///
    /// The operation overrides other state until it ends, and changes none of it. Ref: SKL PRM vol.
    /// 2a, "3DSTATE_WM_HZ_OP"; Mesa's i965 for this hardware (gen8_hiz_exec) emitted the depth
    /// buffer and the drawing rectangle again, and nothing else.
    pub(super) fn forget_hiz_op(&mut self) -> DirtyGroups {
        // 3DSTATE_WM belongs to blending, which decides whether threads are dispatched.
        self.multisample = [0; 4];
        self.wm = [0; 2];
        DirtyGroups::MULTISAMPLE
            .with(DirtyGroups::BLEND)
            .with(DirtyGroups::VIEWPORTS)
            .with(DirtyGroups::TARGETS)
    }

    /// Returns the offset of a BLEND_STATE from `dynamic_base`, and writes it if the batch's memory
    /// has none like it.
    pub(super) fn blend_state<M: StreamMemory>(
        &mut self,
        stream: &mut Stream<M>,
        words: &[u32],
        dynamic_base: u64,
    ) -> Result<u64, M::Error> {
        let is_same =
            |known: &&EmittedBlendState| known.words.get(..known.len_dw.into()) == Some(words);
        if let Some(known) = self.blend_states.iter().find(is_same) {
            return Ok(offset(known.address, dynamic_base));
        }
        let data = stream.data(words.len())?;
        data.words.copy_from_slice(words);
        let address = data.address;
        let oldest = usize::from(self.oldest_blend_state) % BLEND_STATES;
        let replaced = &mut self.blend_states[oldest];
        if let Some(to) = replaced.words.get_mut(..words.len()) {
            to.copy_from_slice(words);
            (replaced.len_dw, replaced.address) = (words.len() as u8, address);
            self.oldest_blend_state = (oldest + 1) as u8;
        }
        Ok(offset(address, dynamic_base))
    }
}

/// Emits the packets `words`, unless `emitted`, the last of their kind, are equal.
#[inline(always)]
pub(super) fn emit_if_different<M: StreamMemory, const N: usize>(
    stream: &mut Stream<M>,
    emitted: &mut [u32; N],
    words: &[u32; N],
) -> Result<(), M::Error> {
    if emitted == words {
        return Ok(());
    }
    *emitted = *words;
    stream.emit(*words)
}

/// Emits the packets of the shaders that differ from those emitted last. Returns whether the URB
/// was among them.
#[inline]
pub(super) fn emit_shaders<M: StreamMemory>(
    stream: &mut Stream<M>,
    emitted: &mut ShaderPackets,
    packets: &ShaderPackets,
) -> Result<bool, M::Error> {
    if emitted == packets {
        return Ok(false);
    }
    let urb_changed = !emitted.has_same(URB, packets);
    if emitted.words.first() == Some(&0) {
        stream.append(&packets.words)?;
    } else {
        emitted.update(stream, URB, packets)?;
        emitted.update(stream, VERTEX, packets)?;
        emitted.update(stream, STATISTICS, packets)?;
        emitted.update(stream, HULL, packets)?;
        emitted.update(stream, DOMAIN, packets)?;
        emitted.update(stream, GEOMETRY, packets)?;
        emitted.update(stream, ATTRIBUTES, packets)?;
        emitted.update(stream, SWIZZLE, packets)?;
        emitted.update(stream, EXTRA, packets)?;
    }
    emitted.words = packets.words;
    Ok(urb_changed)
}
