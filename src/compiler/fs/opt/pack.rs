//! Packs up to four equal scalar operations into one SIMD4 instruction.
//!
//! In:  LIR before allocation.
//! Out: scalar instructions of a block with the same operation, each operand of which is either the
//!      same value or a dword of the same aligned 16 bytes (a matrix column in constants, the
//!      results of a packed instruction), become one SIMD4 instruction without the execution mask.
//!      Each of its lanes computes the result of one of them; readers read the dword of that lane.
//! Ref: SKL PRM vol. 7, "Register Region Restrictions": a row does not cross registers, and
//!      operands of three-source instructions are aligned to 16 bytes. Tests: tests/fs/opt_pack/.

use crate::lir::{Dst, GRF_BYTES, Inst, Lir, Op, Reg, Src, Vgrf, VgrfId};
use crate::opt::cse::is_pure;
use entity::IdMap;
use isa::Opcode;

/// Size of a packed operand in bytes.
const PACK_BYTES: u32 = 16;

/// Maximum length of a chain of packed instructions each of which reads the one before. It bounds
/// the compile time.
const MAX_ROUNDS: usize = 24;

/// Returns true if it packed anything.
pub(crate) fn opt_pack(lir: &mut Lir) -> bool {
    let mut open: Vec<u32> = Vec::new();
    let mut op_counts = [0u32; Opcode::ALL.len()];
    for (at, inst) in lir.insts.iter().enumerate() {
        if let Some(op) = scalar_op(inst) {
            open.push(at as u32);
            op_counts[op as usize] += 1;
        }
    }
    // Most shaders have few scalar operations.
    if op_counts.iter().all(|count| *count < 2) {
        return false;
    }
    let facts = VgrfFacts::new(lir);
    open.retain(|at| facts.is_packable(&lir.insts[*at as usize]));
    if open.len() < 2 {
        return false;
    }
    let in_block = lir.insts.iter().scan(0u32, |block, inst| {
        *block += u32::from(inst.is_control());
        Some(*block)
    });
    let blocks: Vec<u32> = in_block.collect();
    let mut state = PackState {
        location: IdMap::for_arena(&lir.vgrfs, None),
        packed: vec![false; lir.insts.len()],
    };
    let mut changed = false;
    // The instructions that may be in a group in this round.
    let mut worklist = open.clone();
    let mut table = GroupTable::default();
    for _ in 0..MAX_ROUNDS {
        let Found { groups, left } =
            find_groups(lir, &facts, &state, &blocks, &worklist, &mut table);
        if groups.is_empty() {
            break;
        }
        let before = lir.vgrfs.len();
        for group in groups {
            pack(lir, &mut state, group);
        }
        open.retain(|at| !state.packed[*at as usize]);
        // The other instructions found no group, and their operands have not moved.
        worklist.clone_from(&open);
        worklist.retain(|at| {
            state.reads_packed(&lir.insts[*at as usize], before) || left.binary_search(at).is_ok()
        });
        changed = true;
    }
    if changed {
        rewrite(lir, &state);
    }
    changed
}

/// Properties of VGRFs before anything is packed.
struct VgrfFacts {
    /// The bytes (first, end) that the only write of each VGRF writes; of the thread's payload all
    /// bytes. VGRFs that this pass adds have the default, the bytes of a packed result.
    written: IdMap<Vgrf, Option<(u32, u32)>>,
    /// All reads are scalar reads of the first dword.
    scalar: IdMap<Vgrf, bool>,
}

impl VgrfFacts {
    fn new(lir: &Lir) -> VgrfFacts {
        let mut writes: IdMap<Vgrf, u32> = IdMap::for_arena(&lir.vgrfs, 0);
        let mut written = IdMap::for_arena(&lir.vgrfs, Some((0, PACK_BYTES)));
        let mut scalar = IdMap::for_arena(&lir.vgrfs, true);
        for v in lir.vgrfs.ids() {
            written[v] = None;
            if lir.vgrfs[v].is_thread_payload() {
                written[v] = Some((0, u32::from(lir.vgrfs[v].regs) * GRF_BYTES));
                writes[v] = 1;
                scalar[v] = false;
            }
        }
        for inst in &lir.insts {
            if let Some(v) = inst.dst.as_vgrf() {
                writes[v] += 1;
                let bytes = match inst.op {
                    Op::Collect(payload) => lir.payloads[payload].bytes(),
                    _ => inst.dst_bytes(),
                };
                // Gaps of payloads and elements of inactive lanes are not written.
                let whole = inst.no_mask && inst.pred.is_none() && inst.dst.stride == 1;
                let gaps = matches!(inst.op, Op::Collect(_));
                written[v] = (whole && !gaps).then_some((inst.dst.offset, inst.dst.offset + bytes));
            }
            for (i, s) in inst.src[..inst.sources()].iter().enumerate() {
                if let Some(v) = s.as_vgrf() {
                    let first = s.rows.is_none() && s.offset + inst.src_bytes(i) <= 4;
                    scalar[v] &= first && inst.op != Op::MovIndirect;
                }
            }
            if let Op::Collect(payload) = inst.op {
                for part in &lir.payloads[payload].parts {
                    if let Some(v) = part.src.as_vgrf() {
                        let s = &part.src;
                        let first = s.offset + s.ty.size_bytes() <= 4;
                        scalar[v] &= first && s.stride == 0 && s.rows.is_none() && !part.header;
                    }
                }
            }
        }
        for v in lir.vgrfs.ids() {
            if writes[v] != 1 {
                written[v] = None;
                scalar[v] = false;
            }
        }
        VgrfFacts { written, scalar }
    }

    /// True for a [`scalar_op`] each of whose operands has one write, and whose result is the only
    /// content of its VGRF.
    fn is_packable(&self, inst: &Inst) -> bool {
        let written = |s: &Src| s.as_vgrf().is_none_or(|v| self.written[v].is_some());
        inst.dst.as_vgrf().is_some_and(|v| self.scalar[v])
            && inst.src[..inst.sources()].iter().all(written)
    }
}

/// The opcode of an instruction that computes one dword, at the start of its VGRF, from scalar
/// dwords.
fn scalar_op(inst: &Inst) -> Option<Opcode> {
    use Opcode::{Add, And, Asr, Frc, Mad, Mov, Mul, Not, Or, Rndd, Rnde, Sel, Shl, Shr, Xor};
    let Op::Eu(op) = inst.op else { return None };
    let ops = [
        Add, And, Asr, Frc, Mad, Mov, Mul, Not, Or, Rndd, Rnde, Sel, Shl, Shr, Xor,
    ];
    // Integer products of dwords have further restrictions.
    let plain = op != Mul || inst.dst.ty == isa::Type::F;
    let dword = |ty: isa::Type| ty.size_bytes() == 4;
    let scalar = |s: &Src| match s.reg {
        Reg::Vgrf(_) => {
            (s.stride == 0 || inst.exec == 1) && s.rows.is_none() && s.offset.is_multiple_of(4)
        }
        Reg::Imm(_) => true,
        _ => false,
    };
    let alike = inst.no_mask
        && inst.dst.offset == 0
        && inst.dst.stride == 1
        && inst.dst.as_vgrf().is_some()
        && dword(inst.dst.ty)
        && plain
        && ops.contains(&op)
        && is_pure(inst);
    let sources = &inst.src[..inst.sources()];
    (alike && sources.iter().all(|s| dword(s.ty) && scalar(s))).then_some(op)
}

struct PackState {
    /// For a VGRF whose definition was packed, the VGRF and byte offset that hold its dword.
    location: IdMap<Vgrf, Option<(VgrfId, u32)>>,
    /// Instructions that were packed into a group.
    packed: Vec<bool>,
}

impl PackState {
    /// The source at its new location.
    fn source(&self, s: &Src) -> Src {
        let mut s = *s;
        if let Some(v) = s.as_vgrf()
            && let Some((to, offset)) = self.location[v]
        {
            s.reg = Reg::Vgrf(to);
            s.offset += offset;
        }
        s
    }

    /// True if a source of an instruction has moved to a VGRF with an index of at least `first`.
    fn reads_packed(&self, inst: &Inst, first: usize) -> bool {
        let mut read = inst.src[..inst.sources()].iter().filter_map(Src::as_vgrf);
        read.any(|v| self.location[v].is_some_and(|(to, _)| to.index() >= first))
    }
}

/// Up to four instructions to be packed: the one of each lane, and a bit mask of the sources that
/// are packed (the others are scalar).
#[derive(Clone, Copy)]
struct Group {
    lanes: [Option<u32>; 4],
    packed: u8,
}

impl Group {
    fn members(&self) -> impl Iterator<Item = u32> {
        self.lanes.into_iter().flatten()
    }
}

/// The properties that all operations of a group share, except for the offsets of their sources: a
/// word for block and opcode, one for types and modifiers, and two for each source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Key([u64; 8]);

impl Key {
    fn new(inst: &Inst, sources: &[Src; 3], block: u32) -> Key {
        let op = match inst.op {
            Op::Eu(op) => op as u64,
            _ => u64::from(u32::MAX),
        };
        let form = inst.dst.ty as u64 | (inst.cmod as u64) << 8 | u64::from(inst.sat) << 16;
        let [a, b, c] = sources.map(|s| {
            let form = s.ty as u64 | u64::from(s.neg) << 8 | u64::from(s.abs) << 9;
            match s.reg {
                Reg::Vgrf(v) => [form, v.index() as u64],
                Reg::Imm(bits) => [form | 1 << 10, bits],
                _ => [form | 1 << 11, 0],
            }
        });
        let op = u64::from(block) << 32 | op;
        Key([op, form, a[0], a[1], b[0], b[1], c[0], c[1]])
    }

    fn hash(&self) -> u64 {
        let mixed = self.0.iter().fold(0u64, |all, word| {
            (all.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        });
        mixed ^ mixed >> 32
    }
}

/// The offsets of the sources as one number: in units of 16 bytes for packed sources (a mask), of
/// dwords for the others.
fn encode_offsets(sources: &[Src; 3], packed: u8) -> u64 {
    let [a, b, c] = [0, 1, 2].map(|i| {
        let bytes = match packed >> i & 1 {
            0 => 4,
            _ => PACK_BYTES,
        };
        u64::from(sources[i].offset / bytes)
    });
    // A VGRF has no more than 2^16 registers, 2^19 dwords.
    u64::from(packed) << 60 | c << 40 | b << 20 | a
}

/// The groups of one round.
struct Found {
    /// Groups of at least two instructions, the largest first; no instruction is in two of them.
    groups: Vec<Group>,
    /// Instructions that lost their lane in a group to another one or whose group became too small,
    /// in order.
    left: Vec<u32>,
}

/// A hash table of groups. It is reused between rounds to save allocations.
#[derive(Default)]
struct GroupTable {
    /// The heads of the hash chains: index of the newest group, plus one; 0 for none.
    heads: Vec<u32>,
    groups: Vec<Group>,
    /// The entry of each group.
    entries: Vec<GroupEntry>,
    keys: Vec<Key>,
}

/// The hash table's entry of a group.
struct GroupEntry {
    /// Index of the key.
    key: u32,
    /// The sources, from [`encode_offsets`].
    offsets: u64,
    /// The next entry of the hash chain, as in [`GroupTable::heads`].
    next: u32,
}

impl GroupTable {
    /// Removes all groups, and reserves memory for `expected` instructions.
    fn clear(&mut self, expected: usize) {
        self.heads.clear();
        self.heads.resize((2 * expected).next_power_of_two(), 0);
        self.groups.clear();
        self.groups.reserve(2 * expected);
        self.entries.clear();
        self.entries.reserve(2 * expected);
        self.keys.clear();
        self.keys.reserve(expected);
    }

    /// The index of the group with the last key and these offsets; it is added if it does not
    /// exist.
    fn find_or_add(&mut self, hash: u64, offsets: u64, packed: u8) -> usize {
        let mixed = (hash ^ offsets).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let slot = (mixed ^ mixed >> 32) as usize & (self.heads.len() - 1);
        let last = self.keys.len() - 1;
        let mut next = self.heads[slot];
        while let Some(entry) = self.entries.get((next as usize).wrapping_sub(1)) {
            if entry.offsets == offsets && self.keys[entry.key as usize] == self.keys[last] {
                return next as usize - 1;
            }
            next = entry.next;
        }
        self.entries.push(GroupEntry {
            key: last as u32,
            offsets,
            next: self.heads[slot],
        });
        self.groups.push(Group {
            lanes: [None; 4],
            packed,
        });
        self.heads[slot] = self.groups.len() as u32;
        self.groups.len() - 1
    }
}

/// Finds groups among the instructions of `worklist`. `blocks` is the block of each instruction;
/// `table` provides memory alone.
fn find_groups(
    lir: &Lir,
    facts: &VgrfFacts,
    state: &PackState,
    blocks: &[u32],
    worklist: &[u32],
    table: &mut GroupTable,
) -> Found {
    table.clear(worklist.len());
    // Instructions whose lane of a group is taken by an earlier one.
    let mut second: Vec<(usize, u32)> = Vec::new();
    for &at in worklist {
        let inst = &lir.insts[at as usize];
        let n = inst.sources();
        let mut sources = [Src::NULL; 3];
        let mut lanes = [None; 3];
        // For each lane the mask of the sources that are the dword of that lane.
        let mut in_lane = [0u8; 4];
        for i in 0..n {
            sources[i] = state.source(&inst.src[i]);
            lanes[i] = lane_of(facts, &sources[i]);
            if let Some(sources) = lanes[i].and_then(|lane| in_lane.get_mut(lane)) {
                *sources |= 1 << i;
            }
        }
        if lanes == [None; 3] {
            continue;
        }
        let key = Key::new(inst, &sources, blocks[at as usize]);
        let hash = key.hash();
        table.keys.push(key);
        for packed in 1u8..1 << n {
            let all_in = |lane: &usize| packed & !in_lane[*lane] == 0;
            let Some(lane) = lanes[packed.trailing_zeros() as usize].filter(all_in) else {
                continue;
            };
            let k = table.find_or_add(hash, encode_offsets(&sources, packed), packed);
            // Two instructions that compute the same are rare; the first one takes the lane.
            if *table.groups[k].lanes[lane].get_or_insert(at) != at {
                second.push((k, at));
            }
        }
    }
    let count = |g: &Group| g.members().count();
    second.retain(|(k, _)| count(&table.groups[*k]) >= 2);
    let mut left: Vec<u32> = second.into_iter().map(|(_, at)| at).collect();
    table.groups.retain(|g| count(g) >= 2);
    table.groups.sort_by_key(|g| std::cmp::Reverse(count(g)));
    let mut taken = vec![false; lir.insts.len()];
    let mut out = Vec::new();
    for mut group in table.groups.iter().copied() {
        for lane in &mut group.lanes {
            if lane.is_some_and(|at| taken[at as usize]) {
                *lane = None;
            }
        }
        if count(&group) >= 2 {
            for at in group.members() {
                taken[at as usize] = true;
            }
            out.push(group);
        } else {
            left.extend(group.members());
        }
    }
    left.sort_unstable();
    Found { groups: out, left }
}

/// The index of a source's dword in its aligned 16 bytes, if one write wrote all of these.
fn lane_of(facts: &VgrfFacts, s: &Src) -> Option<usize> {
    let (first, end) = facts.written[s.as_vgrf()?]?;
    let chunk = s.offset / PACK_BYTES * PACK_BYTES;
    let whole = first <= chunk && chunk + PACK_BYTES <= end;
    whole.then_some((s.offset % PACK_BYTES / 4) as usize)
}

/// Replaces the first instruction of a group by the packed one. The sources of all members are
/// available there: they are in the registers that the first one reads.
fn pack(lir: &mut Lir, state: &mut PackState, group: Group) {
    let Some(first) = group.members().min() else {
        return;
    };
    let to = lir.vgrf(GRF_BYTES);
    let mut inst = lir.insts[first as usize];
    for i in 0..inst.sources() {
        let mut s = state.source(&inst.src[i]);
        s.stride = 0;
        if group.packed >> i & 1 != 0 {
            s.offset = s.offset / PACK_BYTES * PACK_BYTES;
            s.stride = 1;
        }
        inst.src[i] = s;
    }
    for (lane, at) in (0u32..).zip(group.lanes) {
        let Some(at) = at else { continue };
        state.packed[at as usize] = true;
        if let Some(v) = lir.insts[at as usize].dst.as_vgrf() {
            state.location[v] = Some((to, 4 * lane));
        }
    }
    inst.exec = 4;
    inst.group = 0;
    inst.dst = Dst::vgrf(to, 0, inst.dst.ty, 1);
    lir.insts[first as usize] = inst;
}

/// Redirects all reads to the packed results, and removes the instructions that were packed into
/// others.
fn rewrite(lir: &mut Lir, state: &PackState) {
    for inst in &mut lir.insts {
        for i in 0..inst.sources() {
            inst.src[i] = state.source(&inst.src[i]);
        }
    }
    for payload in lir.payloads.ids() {
        for part in &mut lir.payloads[payload].parts {
            part.src = state.source(&part.src);
        }
    }
    let moved = |inst: &Inst| {
        let v = inst.dst.as_vgrf();
        v.is_some_and(|v| state.location[v].is_some())
    };
    lir.insts.retain(|inst| !moved(inst));
}
