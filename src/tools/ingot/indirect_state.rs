//! Indirect state: the kernels, binding tables, surface and sampler states, viewports and blend
//! states that commands point to.
//!
//! In:  a command of a recording and the memory at that time. Out: the structures, one by one, or
//!      text to follow that of the command. Of a table of samplers or of blend states the first
//!      entry, as neither contains its length.
//! Ref: SKL PRM vol. 2a, 2d.

use gpu::{AddressSpace, AddressSpaceView};
use hw::state::{
    binding_table_state, interface_descriptor_data, render_surface_state, sampler_state,
};
use hw::value::state::surface_type::SURFTYPE_NULL;
use hw::{Field, Packet, batch, draw, draw_state, media};
use std::fmt::Write;
use std::sync::atomic::Ordering::Relaxed;

/// Maximum number of bytes of a kernel that are disassembled.
const MAX_KERNEL_BYTES: usize = 64 << 10;
/// What a surface's channels read as.
const CHANNELS: [Field; 4] = [
    render_surface_state::SHADER_CHANNEL_SELECT_RED,
    render_surface_state::SHADER_CHANNEL_SELECT_GREEN,
    render_surface_state::SHADER_CHANNEL_SELECT_BLUE,
    render_surface_state::SHADER_CHANNEL_SELECT_ALPHA,
];
/// Bytes of a surface state.
const SURFACE_BYTES: u64 = 64;
/// Maximum number of binding table entries that are printed; tables do not contain their length.
const MAX_ENTRIES: u64 = 64;

/// What a command points to or contains.
pub enum Item<'a> {
    /// A structure, and the dwords of it.
    Structure {
        /// Its description.
        structure: &'static Packet,
        /// Its contents.
        words: &'a [u32],
        /// Where it is, for people: its number inside the command, or its address.
        place: &'a str,
    },
    /// A structure at an address where nothing is mapped.
    Unmapped(&'static Packet, u64),
    /// The number of the binding whose surface state follows.
    Binding(u64),
    /// The address of a kernel.
    Kernel(u64),
}

/// The base addresses set by the commands so far.
#[derive(Default)]
pub struct StateReader {
    surface: u64,
    dynamic: u64,
    instruction: u64,
    /// Address and size in bytes of the bindless surface states.
    bindless: (u64, u64),
}

/// A pointer to structures: the command, the field, the structure, their number, their stride in
/// bytes.
struct Pointer(&'static Packet, Field, &'static Packet, u64, u64);

/// Pointers relative to the dynamic state base address.
static DYNAMIC: &[Pointer] = &[
    Pointer(
        &draw::state_cc_state_pointers::PACKET,
        draw::state_cc_state_pointers::COLOR_CALC_STATE_POINTER,
        &draw_state::color_calc_state::PACKET,
        1,
        24,
    ),
    Pointer(
        &draw::state_viewport_state_pointers_cc::PACKET,
        draw::state_viewport_state_pointers_cc::CC_VIEWPORT_POINTER,
        &draw_state::cc_viewport::PACKET,
        1,
        8,
    ),
    Pointer(
        &draw::state_viewport_state_pointers_sf_clip::PACKET,
        draw::state_viewport_state_pointers_sf_clip::SF_CLIP_VIEWPORT_POINTER,
        &draw_state::sf_clip_viewport::PACKET,
        1,
        64,
    ),
    Pointer(
        &draw::state_scissor_state_pointers::PACKET,
        draw::state_scissor_state_pointers::SCISSOR_RECT_POINTER,
        &draw_state::scissor_rect::PACKET,
        1,
        8,
    ),
    Pointer(
        &media::media_interface_descriptor_load::PACKET,
        media::media_interface_descriptor_load::INTERFACE_DESCRIPTOR_DATA_START_ADDRESS,
        &interface_descriptor_data::PACKET,
        1,
        32,
    ),
];

/// Pointers to binding tables.
static TABLES: &[(&Packet, Field)] = &[
    (
        &draw::state_binding_table_pointers_vs::PACKET,
        draw::state_binding_table_pointers_vs::POINTER_TO_VS_BINDING_TABLE,
    ),
    (
        &draw::state_binding_table_pointers_hs::PACKET,
        draw::state_binding_table_pointers_hs::POINTER_TO_HS_BINDING_TABLE,
    ),
    (
        &draw::state_binding_table_pointers_ds::PACKET,
        draw::state_binding_table_pointers_ds::POINTER_TO_DS_BINDING_TABLE,
    ),
    (
        &draw::state_binding_table_pointers_gs::PACKET,
        draw::state_binding_table_pointers_gs::POINTER_TO_GS_BINDING_TABLE,
    ),
    (
        &draw::state_binding_table_pointers_ps::PACKET,
        draw::state_binding_table_pointers_ps::POINTER_TO_PS_BINDING_TABLE,
    ),
];

/// Pointers to sampler states.
static SAMPLERS: &[(&Packet, Field)] = &[
    (
        &draw::state_sampler_state_pointers_vs::PACKET,
        draw::state_sampler_state_pointers_vs::POINTER_TO_VS_SAMPLER_STATE,
    ),
    (
        &draw::state_sampler_state_pointers_hs::PACKET,
        draw::state_sampler_state_pointers_hs::POINTER_TO_HS_SAMPLER_STATE,
    ),
    (
        &draw::state_sampler_state_pointers_ds::PACKET,
        draw::state_sampler_state_pointers_ds::POINTER_TO_DS_SAMPLER_STATE,
    ),
    (
        &draw::state_sampler_state_pointers_gs::PACKET,
        draw::state_sampler_state_pointers_gs::POINTER_TO_GS_SAMPLER_STATE,
    ),
    (
        &draw::state_sampler_state_pointers_ps::PACKET,
        draw::state_sampler_state_pointers_ps::POINTER_TO_PS_SAMPLER_STATE,
    ),
];

/// Kernels: the command, the field that enables the stage (if any), the pointer.
static KERNELS: &[(&Packet, Option<Field>, Field)] = &[
    (
        &draw::state_vs::PACKET,
        Some(draw::state_vs::ENABLE),
        draw::state_vs::KERNEL_START_POINTER,
    ),
    (
        &draw::state_hs::PACKET,
        Some(draw::state_hs::ENABLE),
        draw::state_hs::KERNEL_START_POINTER,
    ),
    (
        &draw::state_ds::PACKET,
        Some(draw::state_ds::ENABLE),
        draw::state_ds::KERNEL_START_POINTER,
    ),
    (
        &draw::state_gs::PACKET,
        Some(draw::state_gs::ENABLE),
        draw::state_gs::KERNEL_START_POINTER,
    ),
    (
        &draw::state_ps::PACKET,
        Some(draw::state_ps::N8_PIXEL_DISPATCH_ENABLE),
        draw::state_ps::KERNEL_START_POINTER_0,
    ),
    (
        &draw::state_ps::PACKET,
        Some(draw::state_ps::N16_PIXEL_DISPATCH_ENABLE),
        draw::state_ps::KERNEL_START_POINTER_2,
    ),
];

/// Structures inside a command: the command, the first dword, the structure.
static INLINE: &[(&Packet, usize, &Packet)] = &[
    (
        &draw::state_vertex_buffers::PACKET,
        1,
        &draw_state::vertex_buffer_state::PACKET,
    ),
    (
        &draw::state_vertex_elements::PACKET,
        1,
        &draw_state::vertex_element_state::PACKET,
    ),
    (
        &draw::state_so_decl_list::PACKET,
        3,
        &draw_state::so_decl_entry::PACKET,
    ),
    (
        &draw::state_constant_vs::PACKET,
        1,
        &draw_state::state_constant_body::PACKET,
    ),
    (
        &draw::state_constant_hs::PACKET,
        1,
        &draw_state::state_constant_body::PACKET,
    ),
    (
        &draw::state_constant_ds::PACKET,
        1,
        &draw_state::state_constant_body::PACKET,
    ),
    (
        &draw::state_constant_gs::PACKET,
        1,
        &draw_state::state_constant_body::PACKET,
    ),
    (
        &draw::state_constant_ps::PACKET,
        1,
        &draw_state::state_constant_body::PACKET,
    ),
];

impl StateReader {
    /// The state that a command points to, as text. Base addresses in the command are latched.
    pub fn print(
        &mut self,
        packet: &'static Packet,
        words: &[u32],
        space: &AddressSpace,
        hw_gen: hw::Gen,
    ) -> String {
        let mut text = String::new();
        self.visit(packet, words, space, &mut |item| match item {
            Item::Structure {
                structure,
                words,
                place,
            } => structure_text(&mut text, structure, words, place),
            Item::Unmapped(structure, at) => {
                let _ = writeln!(text, "    {} at {at:#x}: not mapped", structure.name);
            }
            Item::Binding(index) => {
                let _ = writeln!(text, "    binding {index}:");
            }
            Item::Kernel(address) => kernel_text(&mut text, space, address, hw_gen),
        });
        text
    }

    /// Visits the state that a command points to and the structures that it contains. Base
    /// addresses in the command are latched.
    pub fn visit(
        &mut self,
        packet: &'static Packet,
        words: &[u32],
        space: &AddressSpace,
        visit: &mut dyn FnMut(Item<'_>),
    ) {
        let is = |other: &Packet| std::ptr::eq(packet, other);
        let view = AddressSpaceView::new(space);
        if is(&media::state_base_address::PACKET) {
            self.bases(words);
        }
        for (_, first, structure) in INLINE.iter().filter(|inline| is(inline.0)) {
            let length = usize::from(structure.dwords).max(1);
            let inner = words.get(*first..).unwrap_or_default();
            for (number, words) in inner.chunks_exact(length).enumerate() {
                visit(Item::Structure {
                    structure,
                    words,
                    place: &number.to_string(),
                });
            }
        }
        for Pointer(_, field, structure, count, stride) in DYNAMIC.iter().filter(|p| is(p.0)) {
            for number in 0..*count {
                let at = self.dynamic + field.get(words) + number * stride;
                let words = structure_at(&view, visit, structure, at);
                if std::ptr::eq(*structure, &interface_descriptor_data::PACKET) {
                    self.interface_descriptor(&view, visit, &words);
                }
            }
        }
        if is(&draw::state_blend_state_pointers::PACKET) {
            let field = draw::state_blend_state_pointers::BLEND_STATE_POINTER;
            let at = self.dynamic + field.get(words);
            structure_at(&view, visit, &draw_state::blend_state::PACKET, at);
            let entry = &draw_state::blend_state_entry::PACKET;
            structure_at(&view, visit, entry, at + 4);
        }
        for (_, field) in TABLES.iter().filter(|table| is(table.0)) {
            self.table(&view, visit, field.get(words));
        }
        for (_, field) in SAMPLERS.iter().filter(|sampler| is(sampler.0)) {
            self.sampler(&view, visit, field.get(words));
        }
        for (_, enable, field) in KERNELS.iter().filter(|kernel| is(kernel.0)) {
            if enable.is_none_or(|enable| enable.get(words) == 1) {
                visit(Item::Kernel(self.instruction + field.get(words)));
            }
        }
    }

    /// Visits the bindless surface states that are mapped and not zero, which shaders reach by
    /// handles instead of binding tables. A slot of which every channel reads as zero is no surface
    /// of use: drivers keep samplers in the same heap, two to a slot.
    pub fn visit_bindless(&self, space: &AddressSpace, visit: &mut dyn FnMut(Item<'_>)) {
        let view = AddressSpaceView::new(space);
        let (base, bytes) = self.bindless;
        for (start, length) in space.ranges() {
            let first = start.max(base);
            let end = (start + length).min(base + bytes);
            for at in (first..end.max(first)).step_by(SURFACE_BYTES as usize) {
                let Some(state) = view.span(at, SURFACE_BYTES as usize / 4) else {
                    break;
                };
                let words: Vec<u32> = state.iter().map(|word| word.load(Relaxed)).collect();
                let is_surface = CHANNELS.iter().any(|channel| channel.get(&words) != 0)
                    || render_surface_state::SURFACE_TYPE.get(&words) == SURFTYPE_NULL;
                if is_surface {
                    structure_at(&view, visit, &render_surface_state::PACKET, at);
                    continue;
                }
                for (half, words) in words.chunks_exact(8).enumerate() {
                    if words.iter().any(|word| *word != 0) {
                        structure_at(&view, visit, &sampler_state::PACKET, at + half as u64 * 32);
                    }
                }
            }
        }
    }

    fn interface_descriptor(
        &self,
        view: &AddressSpaceView<'_>,
        visit: &mut dyn FnMut(Item<'_>),
        words: &[u32],
    ) {
        use interface_descriptor_data as idd;
        self.table(view, visit, idd::BINDING_TABLE_POINTER.get(words));
        self.sampler(view, visit, idd::SAMPLER_STATE_POINTER.get(words));
        visit(Item::Kernel(
            self.instruction + idd::KERNEL_START_POINTER.get(words),
        ));
    }

    fn bases(&mut self, words: &[u32]) {
        use media::state_base_address as f;
        let slots = [
            (
                f::SURFACE_STATE_BASE_ADDRESS_MODIFY_ENABLE,
                f::SURFACE_STATE_BASE_ADDRESS,
                &mut self.surface,
            ),
            (
                f::DYNAMIC_STATE_BASE_ADDRESS_MODIFY_ENABLE,
                f::DYNAMIC_STATE_BASE_ADDRESS,
                &mut self.dynamic,
            ),
            (
                f::INSTRUCTION_BASE_ADDRESS_MODIFY_ENABLE,
                f::INSTRUCTION_BASE_ADDRESS,
                &mut self.instruction,
            ),
        ];
        for (enable, address, slot) in slots {
            if enable.get(words) == 1 {
                *slot = address.get(words) & 0xffff_ffff_ffff;
            }
        }
        if f::BINDLESS_SURFACE_STATE_BASE_ADDRESS_MODIFY_ENABLE.get(words) == 1 {
            let states = f::BINDLESS_SURFACE_STATE_SIZE.get(words) + 1;
            self.bindless = (
                f::BINDLESS_SURFACE_STATE_BASE_ADDRESS.get(words) & 0xffff_ffff_ffff,
                states * SURFACE_BYTES,
            );
        }
    }

    /// Visits the first sampler of a table; offset 0 means none.
    fn sampler(&self, view: &AddressSpaceView<'_>, visit: &mut dyn FnMut(Item<'_>), offset: u64) {
        if offset != 0 {
            structure_at(view, visit, &sampler_state::PACKET, self.dynamic + offset);
        }
    }

    /// Visits the surfaces of a binding table up to its first null entry.
    fn table(&self, view: &AddressSpaceView<'_>, visit: &mut dyn FnMut(Item<'_>), offset: u64) {
        if offset == 0 {
            return;
        }
        for index in 0..MAX_ENTRIES {
            let at = self.surface + offset + index * 4;
            let Ok(entry) = view.read(at) else { return };
            let state = binding_table_state::SURFACE_STATE_POINTER.get(&[entry]);
            if state == 0 {
                return;
            }
            visit(Item::Binding(index));
            let surface = &render_surface_state::PACKET;
            structure_at(view, visit, surface, self.surface + state);
        }
    }
}

/// Visits the structure at an address, and returns its words.
fn structure_at(
    view: &AddressSpaceView<'_>,
    visit: &mut dyn FnMut(Item<'_>),
    structure: &'static Packet,
    at: u64,
) -> Vec<u32> {
    let mut words = vec![0; usize::from(structure.dwords)];
    match view.read_block(at, &mut words) {
        Ok(()) => visit(Item::Structure {
            structure,
            words: &words,
            place: &format!("at {at:#x}"),
        }),
        Err(_) => visit(Item::Unmapped(structure, at)),
    }
    words
}

/// Disassembles a kernel up to its end-of-thread message.
fn kernel_text(text: &mut String, space: &AddressSpace, start: u64, hw_gen: hw::Gen) {
    let view = AddressSpaceView::new(space);
    let mut code: Vec<u8> = Vec::new();
    let _ = writeln!(text, "    kernel at {start:#x}:");
    while code.len() < MAX_KERNEL_BYTES {
        let at = start + code.len() as u64;
        let Ok(low) = view.read64(at) else { break };
        let high = view.read64(at + 8).unwrap_or(0);
        let mut bytes = low.to_le_bytes().to_vec();
        bytes.extend(high.to_le_bytes());
        let Ok((inst, length)) = isa::decode(&bytes, hw_gen) else {
            let _ = writeln!(text, "        {low:#018x} {high:#018x}: no instruction");
            return;
        };
        code.extend_from_slice(bytes.get(..length).unwrap_or(&bytes));
        let _ = writeln!(text, "        {}", isa::disassemble(&inst));
        if inst.send.is_some_and(|send| send.eot) {
            return;
        }
    }
}

fn structure_text(text: &mut String, structure: &Packet, words: &[u32], place: &str) {
    let _ = writeln!(text, "    {} {place}", structure.name);
    for line in batch::format_fields(structure, words).lines() {
        let _ = writeln!(text, "    {line}");
    }
}
