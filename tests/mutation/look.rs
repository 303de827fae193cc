//! What recorded submissions execute: their commands, and which of them and of the structures that
//! they point to count.
//!
//! In:  submissions, in their order. Out: each command and structure with its place, and of each of
//!      its fields the bits that some draw or dispatch depends on, by the rules of `relevance`.

use crate::relevance;
use crate::sends::{self, Sends};
use gpu::AddressSpaceView;
use hw::{Field, Packet, draw, draw_state, media, mi, state};
use ingot_kmd::Submission;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Commands of one submission that are looked at most.
const MAX_COMMANDS: usize = 200_000;
/// Commands of no effect before a batch's end that are looked at most.
const MAX_NOOPS: u64 = 16;
/// Entries of a binding table that are looked at most: the field that counts them has five bits.
const MAX_SURFACES: u64 = 31;

/// A command, a structure in it, or one that it points to.
pub struct Place {
    /// The index of its submission.
    pub submission: usize,
    pub packet: &'static Packet,
    pub at: u64,
    pub words: Vec<u32>,
    /// The command that holds the structure or points to it; the command itself.
    pub command: &'static Packet,
    /// Of each field, bits that something depends on.
    pub counts: Vec<u64>,
}

/// A draw or a dispatch, with the state that it uses.
pub struct Work<'a> {
    places: &'a [Place],
    /// The indices of the places that it uses.
    found: &'a [usize],
    /// What the messages of its kernels use, by the commands that point to a stage's samplers and
    /// surfaces.
    sends: &'a BTreeMap<usize, Sends>,
    /// Features that the whole recording uses.
    pub uses: Uses,
    /// Nothing but the batch's end follows.
    pub last: bool,
}

/// Features that a recording uses anywhere.
#[derive(Clone, Copy, Default)]
pub struct Uses {
    /// Something reads the statistics registers.
    pub counters: bool,
    /// Something reads how many primitives the clipper lets through.
    pub clipped: bool,
    /// A thread addresses memory from the general state base address on.
    pub general: bool,
    /// A walker has indirect data.
    pub indirect: bool,
    /// A kernel finds surfaces by handles.
    pub bindless: bool,
}

impl Work<'_> {
    /// The commands and structures of a kind.
    pub fn all(&self, packet: &'static Packet) -> impl Iterator<Item = &Place> {
        let places = self
            .found
            .iter()
            .filter_map(|number| self.places.get(*number));
        places.filter(move |place| std::ptr::eq(place.packet, packet))
    }

    /// The messages of the kernel that uses the sampler or surface.
    pub fn sends(&self, place: &Place) -> Sends {
        let sends = self.sends.get(&id(place.command));
        sends.copied().unwrap_or_default()
    }

    /// The messages of the pixel shader.
    pub fn pixel_sends(&self) -> Sends {
        let sends = self
            .sends
            .get(&id(&draw::state_sampler_state_pointers_ps::PACKET));
        sends.copied().unwrap_or_default()
    }

    /// The value of a field of the command; 0 without such a command.
    pub fn get(&self, packet: &'static Packet, field: Field) -> u64 {
        self.all(packet)
            .next()
            .map_or(0, |place| field.get(&place.words))
    }
}

/// A packet's identity: the address of its static.
fn id(packet: &Packet) -> usize {
    std::ptr::from_ref(packet).addr()
}

/// A structure to which a command points, from the dynamic state base address on.
struct Pointer(&'static Packet, Field, &'static Packet);

/// Structures that a command holds: from which dword on.
struct Held(&'static Packet, usize, &'static Packet);

/// A stage's tables: its command with the counts of surfaces and samplers, and the two commands
/// that point.
struct Tables {
    counts: (&'static Packet, Field, Field),
    surfaces: (&'static Packet, Field),
    samplers: (&'static Packet, Field),
}

macro_rules! pointers {
    ($($command:ident $field:ident $structure:ident;)*) => {
        &[$(Pointer(&draw::$command::PACKET, draw::$command::$field, &draw_state::$structure::PACKET)),*]
    };
}

macro_rules! tables {
    ($($stage:ident $table:ident $surface:ident $states:ident $sampler:ident;)*) => {
        &[$(Tables {
            counts: (&draw::$stage::PACKET, draw::$stage::BINDING_TABLE_ENTRY_COUNT, draw::$stage::SAMPLER_COUNT),
            surfaces: (&draw::$table::PACKET, draw::$table::$surface),
            samplers: (&draw::$states::PACKET, draw::$states::$sampler),
        }),*]
    };
}

macro_rules! held {
    ($($command:ident $at:literal $structure:ident;)*) => {
        &[$(Held(&draw::$command::PACKET, $at, &draw_state::$structure::PACKET)),*]
    };
}

static POINTERS: &[Pointer] = pointers! {
    state_cc_state_pointers COLOR_CALC_STATE_POINTER color_calc_state;
    state_viewport_state_pointers_cc CC_VIEWPORT_POINTER cc_viewport;
    state_viewport_state_pointers_sf_clip SF_CLIP_VIEWPORT_POINTER sf_clip_viewport;
    state_scissor_state_pointers SCISSOR_RECT_POINTER scissor_rect;
    state_blend_state_pointers BLEND_STATE_POINTER blend_state;
};

static TABLES: &[Tables] = tables! {
    state_vs state_binding_table_pointers_vs POINTER_TO_VS_BINDING_TABLE
        state_sampler_state_pointers_vs POINTER_TO_VS_SAMPLER_STATE;
    state_hs state_binding_table_pointers_hs POINTER_TO_HS_BINDING_TABLE
        state_sampler_state_pointers_hs POINTER_TO_HS_SAMPLER_STATE;
    state_ds state_binding_table_pointers_ds POINTER_TO_DS_BINDING_TABLE
        state_sampler_state_pointers_ds POINTER_TO_DS_SAMPLER_STATE;
    state_gs state_binding_table_pointers_gs POINTER_TO_GS_BINDING_TABLE
        state_sampler_state_pointers_gs POINTER_TO_GS_SAMPLER_STATE;
    state_ps state_binding_table_pointers_ps POINTER_TO_PS_BINDING_TABLE
        state_sampler_state_pointers_ps POINTER_TO_PS_SAMPLER_STATE;
};

static HELD: &[Held] = held! {
    state_constant_vs 1 state_constant_body;
    state_constant_hs 1 state_constant_body;
    state_constant_ds 1 state_constant_body;
    state_constant_gs 1 state_constant_body;
    state_constant_ps 1 state_constant_body;
    state_vertex_buffers 1 vertex_buffer_state;
    state_vertex_elements 1 vertex_element_state;
    state_so_decl_list 3 so_decl_entry;
};

/// Commands that stay in force for the GPGPU pipeline.
static KEPT: &[&Packet] = &[
    &media::state_base_address::PACKET,
    &media::media_vfe_state::PACKET,
    &media::media_curbe_load::PACKET,
    &media::media_interface_descriptor_load::PACKET,
];

/// Commands that an operation on a hierarchical depth buffer looks at.
static DEPTH: &[&Packet] = &[
    &draw::state_depth_buffer::PACKET,
    &draw::state_stencil_buffer::PACKET,
    &draw::state_hier_depth_buffer::PACKET,
    &draw::state_clear_params::PACKET,
    &draw::state_drawing_rectangle::PACKET,
    &draw::state_wm_hz_op::PACKET,
];

/// What is in force in a context.
#[derive(Default)]
struct Context {
    surface: u64,
    dynamic: u64,
    instruction: u64,
    /// Places by command, structure, and which of its kind it is.
    latched: BTreeMap<(usize, usize, u64), usize>,
}

/// True if a batch ends here, but for commands that do nothing.
fn ends(view: &AddressSpaceView<'_>, at: u64) -> bool {
    let mut words = (0..MAX_NOOPS).map_while(|i| view.read(at + i * 4).ok());
    let first = words.find(|word| *word != mi::mi_noop::PACKET.header);
    first == Some(mi::mi_batch_buffer_end::PACKET.header)
}

/// Looks at submissions one after the other.
pub struct Looker {
    hw_gen: hw::Gen,
    /// All that was found.
    pub places: Vec<Place>,
    known: HashMap<(usize, usize, u64), usize>,
    contexts: BTreeMap<(u64, u32, u32), Context>,
    /// Of the draw or dispatch that is looked at.
    sends: BTreeMap<usize, Sends>,
    kernels: HashMap<(usize, u64), Sends>,
    /// Dwords of this submission that its commands wrote themselves.
    written: HashSet<u64>,
    /// Nothing but its batch's end follows the command that is looked at.
    last: bool,
    /// What the recording has: what was found so far, and what a look before this one found.
    pub uses: Uses,
}

impl Looker {
    /// Looks for the first time, or with what an earlier look found.
    pub fn new(hw_gen: hw::Gen, uses: Uses) -> Looker {
        Looker {
            hw_gen,
            places: Vec::new(),
            known: HashMap::new(),
            contexts: BTreeMap::new(),
            sends: BTreeMap::new(),
            kernels: HashMap::new(),
            written: HashSet::new(),
            last: false,
            uses,
        }
    }

    /// Looks at a submission.
    pub fn look(&mut self, number: usize, submission: &Submission) {
        let hw_gen = self.hw_gen;
        use mi::mi_batch_buffer_start as start;
        let view = AddressSpaceView::new(&submission.space);
        self.written.clear();
        let mut context = self
            .contexts
            .remove(&submission.context)
            .unwrap_or_default();
        let mut at = submission.batch_address;
        let mut returns = Vec::new();
        for _ in 0..MAX_COMMANDS {
            let Ok(first) = view.read(at) else { break };
            let Some(packet) = hw::batch::find_packet(first, hw_gen) else {
                break;
            };
            let mut words = vec![0; packet.length(first).max(1)];
            if view.read_block(at, &mut words).is_err() {
                break;
            }
            let after = at + words.len() as u64 * 4;
            self.last = ends(&view, after);
            self.command(number, &mut context, &view, packet, at, &words);
            if std::ptr::eq(packet, &start::PACKET) {
                if start::SECOND_LEVEL_BATCH_BUFFER.get(&words) == 1 {
                    returns.push(after);
                }
                at = start::BATCH_BUFFER_START_ADDRESS.get(&words) & 0xffff_ffff_ffff;
            } else if std::ptr::eq(packet, &mi::mi_batch_buffer_end::PACKET) {
                match returns.pop() {
                    Some(back) => at = back,
                    None => break,
                }
            } else {
                at = after;
            }
        }
        self.contexts.insert(submission.context, context);
    }

    /// The number of a place, a new one where nothing was known to stand there.
    fn place(
        &mut self,
        number: usize,
        command: &'static Packet,
        packet: &'static Packet,
        at: u64,
        words: &[u32],
    ) -> usize {
        let next = self.places.len();
        let place = *self.known.entry((number, id(packet), at)).or_insert(next);
        if place == next {
            self.places.push(Place {
                submission: number,
                packet,
                at,
                words: words.to_vec(),
                command,
                counts: vec![0; packet.fields.len()],
            });
        }
        place
    }

    fn command(
        &mut self,
        number: usize,
        context: &mut Context,
        view: &AddressSpaceView<'_>,
        packet: &'static Packet,
        at: u64,
        words: &[u32],
    ) {
        let is = |other: &Packet| std::ptr::eq(packet, other);
        let place = self.place(number, packet, packet, at, words);
        if is(&media::state_base_address::PACKET) {
            use media::state_base_address as f;
            if f::SURFACE_STATE_BASE_ADDRESS_MODIFY_ENABLE.get(words) == 1 {
                context.surface = f::SURFACE_STATE_BASE_ADDRESS.get(words) & 0xffff_ffff_ffff;
            }
            if f::DYNAMIC_STATE_BASE_ADDRESS_MODIFY_ENABLE.get(words) == 1 {
                context.dynamic = f::DYNAMIC_STATE_BASE_ADDRESS.get(words) & 0xffff_ffff_ffff;
            }
            if f::INSTRUCTION_BASE_ADDRESS_MODIFY_ENABLE.get(words) == 1 {
                context.instruction = f::INSTRUCTION_BASE_ADDRESS.get(words) & 0xffff_ffff_ffff;
            }
            // It is in force until the next one that changes as much.
            let flags = f::PACKET.fields.iter().enumerate();
            let modifies = flags.filter(|(_, field)| field.name.ends_with("Modify Enable"));
            let modifies = modifies.fold(0, |all, (i, field)| all | field.get(words) << i);
            context
                .latched
                .insert((id(packet), id(packet), modifies), place);
            return;
        }
        self.stored(packet, words);
        if is(&mi::mi_store_register_mem::PACKET) {
            // From IA_VERTICES_COUNT to PS_DEPTH_COUNT.
            let register = mi::mi_store_register_mem::REGISTER_ADDRESS.get(words);
            self.uses.counters |= (0x2310..0x2360).contains(&register);
            // CL_PRIMITIVES_COUNT.
            self.uses.clipped |= (0x2340..0x2348).contains(&register);
        }
        if is(&draw::primitive::PACKET) {
            let mut found: Vec<usize> = context.latched.values().copied().collect();
            found.push(place);
            self.stages(number, context, view, &found);
            self.pointed(number, context, view, &mut found);
            self.work(&found);
        } else if is(&media::gpgpu_walker::PACKET) {
            let mut found: Vec<usize> = context.latched.values().copied().collect();
            found.retain(|number| {
                KEPT.iter()
                    .any(|kept| std::ptr::eq(*kept, self.places[*number].packet))
            });
            found.push(place);
            self.dispatched(number, context, view, &mut found);
            self.work(&found);
        } else if KEPT.iter().any(|kept| is(kept)) || draw::ALL.iter().any(|other| is(other)) {
            let index = match packet {
                _ if is(&draw::state_vf_instancing::PACKET) => {
                    draw::state_vf_instancing::VERTEX_ELEMENT_INDEX.get(words)
                }
                _ if is(&draw::state_so_buffer::PACKET) => {
                    draw::state_so_buffer::SO_BUFFER_INDEX.get(words)
                }
                _ => 0,
            };
            context
                .latched
                .insert((id(packet), id(packet), index), place);
            for Held(_, first, structure) in HELD.iter().filter(|held| is(held.0)) {
                let buffers = is(&draw::state_vertex_buffers::PACKET);
                if !buffers {
                    context
                        .latched
                        .retain(|key, _| key.0 != id(packet) || key.1 != id(structure));
                }
                let length = usize::from(structure.dwords).max(1);
                let inner = words.get(*first..).unwrap_or_default();
                for (i, part) in inner.chunks_exact(length).enumerate() {
                    let index = match buffers {
                        true => draw_state::vertex_buffer_state::VERTEX_BUFFER_INDEX.get(part),
                        false => i as u64,
                    };
                    let at = at + (first + i * length) as u64 * 4;
                    let held = self.place(number, packet, structure, at, part);
                    context
                        .latched
                        .insert((id(packet), id(structure), index), held);
                }
            }
            use draw::state_wm_hz_op as hz;
            let operates = [
                hz::DEPTH_BUFFER_CLEAR_ENABLE,
                hz::STENCIL_BUFFER_CLEAR_ENABLE,
                hz::DEPTH_BUFFER_RESOLVE_ENABLE,
                hz::HIERARCHICAL_DEPTH_BUFFER_RESOLVE_ENABLE,
            ];
            if is(&hz::PACKET) && operates.iter().any(|field| field.get(words) == 1) {
                let mut found: Vec<usize> = context.latched.values().copied().collect();
                found.retain(|number| {
                    DEPTH
                        .iter()
                        .any(|kept| std::ptr::eq(*kept, self.places[*number].packet))
                });
                self.work(&found);
            }
        } else {
            self.work(&[place]);
        }
    }

    /// Notes what a command stores by itself: of what stood there nothing comes of a later use.
    fn stored(&mut self, packet: &'static Packet, words: &[u32]) {
        let is = |other: &Packet| std::ptr::eq(packet, other);
        let (at, dwords) = match packet {
            _ if is(&mi::mi_store_data_imm::PACKET) => (
                mi::mi_store_data_imm::ADDRESS.get(words),
                words.len().saturating_sub(3),
            ),
            _ if is(&mi::mi_copy_mem_mem::PACKET) => (
                mi::mi_copy_mem_mem::DESTINATION_MEMORY_ADDRESS.get(words),
                1,
            ),
            _ if is(&mi::mi_store_register_mem::PACKET) => {
                (mi::mi_store_register_mem::MEMORY_ADDRESS.get(words), 1)
            }
            _ => return,
        };
        self.written
            .extend((0..dwords as u64).map(|i| (at & 0xffff_ffff_ffff) + i * 4));
    }

    /// What a kernel uses, looked at once.
    fn kernel(
        &mut self,
        number: usize,
        context: &Context,
        view: &AddressSpaceView<'_>,
        start: u64,
    ) -> Sends {
        let at = (context.instruction + start) & 0xffff_ffff_ffff;
        let hw_gen = self.hw_gen;
        let known = self.kernels.entry((number, at));
        let sends = *known.or_insert_with(|| sends::of_kernel(view, at, hw_gen));
        self.uses.general |= sends.general;
        self.uses.bindless |= sends.bindless;
        sends
    }

    /// Notes what the kernels of a draw use.
    fn stages(
        &mut self,
        number: usize,
        context: &Context,
        view: &AddressSpaceView<'_>,
        found: &[usize],
    ) {
        self.sends.clear();
        for tables in TABLES {
            let (stage, samplers) = (tables.counts.0, tables.samplers.0);
            let surfaces = tables.surfaces.0;
            let work = self.work_on(found);
            if !relevance::runs(&work, stage) {
                continue;
            }
            let kernels: Vec<u64> = relevance::kernels(&work, stage);
            let all = kernels.into_iter().fold(Sends::default(), |all, start| {
                all.or(self.kernel(number, context, view, start))
            });
            self.sends.insert(id(samplers), all);
            self.sends.insert(id(surfaces), all);
        }
    }

    /// Reads a structure and adds it to what was found.
    fn structure(
        &mut self,
        number: usize,
        view: &AddressSpaceView<'_>,
        found: &mut Vec<usize>,
        command: &'static Packet,
        structure: &'static Packet,
        at: u64,
    ) -> Option<Vec<u32>> {
        let mut words = vec![0; usize::from(structure.dwords)];
        view.read_block(at, &mut words).ok()?;
        let place = self.place(number, command, structure, at, &words);
        found.push(place);
        Some(words)
    }

    /// Adds the structures to which a draw's commands point.
    fn pointed(
        &mut self,
        number: usize,
        context: &Context,
        view: &AddressSpaceView<'_>,
        found: &mut Vec<usize>,
    ) {
        let latched =
            |packet: &'static Packet| context.latched.get(&(id(packet), id(packet), 0)).copied();
        let get = |places: &[Place], packet, field: Field| {
            let place = latched(packet).and_then(|place| places.get(place));
            place.map_or(0, |place: &Place| field.get(&place.words))
        };
        for Pointer(command, field, structure) in POINTERS {
            let offset = get(&self.places, command, *field);
            if latched(command).is_none() {
                continue;
            }
            let at = context.dynamic + offset;
            self.structure(number, view, found, command, structure, at);
            if std::ptr::eq(*structure, &draw_state::blend_state::PACKET) {
                // Of the first render target.
                let entry = &draw_state::blend_state_entry::PACKET;
                self.structure(number, view, found, command, entry, at + 4);
            }
        }
        for tables in TABLES {
            let (stage, surfaces, samplers) = tables.counts;
            if !relevance::runs(&self.work_on(found), stage) {
                continue;
            }
            let surfaces = get(&self.places, stage, surfaces);
            let samplers = get(&self.places, stage, samplers);
            let table = get(&self.places, tables.surfaces.0, tables.surfaces.1);
            let states = get(&self.places, tables.samplers.0, tables.samplers.1);
            self.surfaces(
                number,
                context,
                view,
                found,
                (tables.surfaces.0, table, surfaces),
            );
            if samplers != 0 {
                self.sampler(number, context, view, found, tables.samplers.0, states);
            }
        }
    }

    /// The surface states of a binding table that messages name: who points to it, its offset, how
    /// many entries.
    fn surfaces(
        &mut self,
        number: usize,
        context: &Context,
        view: &AddressSpaceView<'_>,
        found: &mut Vec<usize>,
        (command, table, count): (&'static Packet, u64, u64),
    ) {
        let sends = self.sends.get(&id(command)).copied().unwrap_or_default();
        for entry in (0..count.min(MAX_SURFACES)).filter(|entry| sends.entry(*entry)) {
            let packet = &state::binding_table_state::PACKET;
            let at = context.surface + table + entry * 4;
            let Some(words) = self.structure(number, view, found, command, packet, at) else {
                return;
            };
            let at =
                context.surface + state::binding_table_state::SURFACE_STATE_POINTER.get(&words);
            self.structure(
                number,
                view,
                found,
                command,
                &state::render_surface_state::PACKET,
                at,
            );
        }
    }

    /// The first sampler of a stage, with its border colour.
    fn sampler(
        &mut self,
        number: usize,
        context: &Context,
        view: &AddressSpaceView<'_>,
        found: &mut Vec<usize>,
        command: &'static Packet,
        states: u64,
    ) {
        let at = context.dynamic + states;
        let sampler = self.structure(
            number,
            view,
            found,
            command,
            &state::sampler_state::PACKET,
            at,
        );
        if let Some(words) = sampler {
            let at = context.dynamic + state::sampler_state::BORDER_COLOR_POINTER.get(&words);
            let border = &draw_state::sampler_border_color_state::PACKET;
            self.structure(number, view, found, command, border, at);
        }
    }

    /// Adds the structures to which a dispatch's commands point.
    fn dispatched(
        &mut self,
        number: usize,
        context: &Context,
        view: &AddressSpaceView<'_>,
        found: &mut Vec<usize>,
    ) {
        use media::media_interface_descriptor_load as load;
        use state::interface_descriptor_data as idd;
        let seen = self.work_on(found);
        let offset = seen.get(&load::PACKET, load::INTERFACE_DESCRIPTOR_DATA_START_ADDRESS);
        let at = context.dynamic + offset;
        let Some(words) = self.structure(number, view, found, &load::PACKET, &idd::PACKET, at)
        else {
            return;
        };
        let sends = self.kernel(number, context, view, idd::KERNEL_START_POINTER.get(&words));
        self.sends.clear();
        self.sends.insert(id(&load::PACKET), sends);
        let walker = self.work_on(found);
        let data = walker.get(
            &media::gpgpu_walker::PACKET,
            media::gpgpu_walker::INDIRECT_DATA_LENGTH,
        );
        self.uses.indirect |= data != 0;
        let table = idd::BINDING_TABLE_POINTER.get(&words);
        let count = idd::BINDING_TABLE_ENTRY_COUNT.get(&words);
        self.surfaces(number, context, view, found, (&load::PACKET, table, count));
        if idd::SAMPLER_COUNT.get(&words) != 0 {
            let states = idd::SAMPLER_STATE_POINTER.get(&words);
            self.sampler(number, context, view, found, &load::PACKET, states);
        }
    }

    fn work_on<'a>(&'a self, found: &'a [usize]) -> Work<'a> {
        Work {
            places: &self.places,
            found,
            sends: &self.sends,
            uses: self.uses,
            last: self.last,
        }
    }

    /// Notes what a draw or dispatch depends on.
    fn work(&mut self, found: &[usize]) {
        let mut counts = Vec::new();
        for place in found {
            let Some(own) = self.places.get(*place) else {
                continue;
            };
            let work = self.work_on(found);
            let fields = own.packet.fields.iter();
            let replaced = |field: &Field| {
                let mut dwords = field.lo / 32..=field.hi / 32;
                dwords.all(|dword| self.written.contains(&(own.at + u64::from(dword) * 4)))
            };
            let bits = |field: &Field| match replaced(field) {
                true => 0,
                false => relevance::bits(&work, own, field),
            };
            counts.push((*place, fields.map(bits).collect::<Vec<u64>>()));
        }
        for (place, counts) in counts {
            for (all, new) in self.places[place].counts.iter_mut().zip(counts) {
                *all |= new;
            }
        }
    }
}
