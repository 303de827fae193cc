//! Packs operations on values that all lanes share: four of them lie in one register and are made by one instruction.
//!
//! In:  LIR before allocation. Out: equal operations of a block whose operands are the same value, or dwords of one aligned 16 bytes
//! (columns of a matrix in constants, results of an operation packed before), are one instruction of four lanes; readers take the
//! dword that was theirs. Each lane computes what its own instruction did.
//! Ref: SKL PRM vol. 7, "Register Region Restrictions": a row does not cross registers, and three sources are aligned to 16 bytes.
//! Tests: tests/fs/opt_pack/.

use crate::lir::{Dst, GRF_BYTES, Inst, Lir, Op, Reg, Src, Vgrf, VgrfId};
use crate::opt::cse::is_pure;
use entity::IdMap;
use isa::Opcode;

/// Bytes that one instruction reads or writes of a packed operand.
const PACK_BYTES: u32 = 16;

/// Lengths of chains of packed operations, each of which reads the one before. It bounds the time.
const ROUNDS: usize = 24;

/// True if anything was packed.
pub(crate) fn opt_pack(lir: &mut Lir) -> bool {
    let mut open: Vec<u32> = Vec::new();
    let mut of_op = [0u32; Opcode::ALL.len()];
    for (at, inst) in lir.insts.iter().enumerate() {
        if let Some(op) = shared_op(inst) {
            open.push(at as u32);
            of_op[op as usize] += 1;
        }
    }
    // Most shaders compute little that all lanes share.
    if of_op.iter().all(|count| *count < 2) {
        return false;
    }
    let facts = Facts::new(lir);
    open.retain(|at| facts.may_move(&lir.insts[*at as usize]));
    if open.len() < 2 {
        return false;
    }
    let in_block = lir.insts.iter().scan(0u32, |block, inst| {
        *block += u32::from(inst.is_control());
        Some(*block)
    });
    let blocks: Vec<u32> = in_block.collect();
    let mut state = State {
        to: IdMap::for_arena(&lir.vgrfs, None),
        gone: vec![false; lir.insts.len()],
    };
    let mut changed = false;
    let mut asked = open.clone();
    let mut places = Places::default();
    for _ in 0..ROUNDS {
        let Found { groups, left } = groups(lir, &facts, &state, &blocks, &asked, &mut places);
        if groups.is_empty() {
            break;
        }
        let before = lir.vgrfs.len();
        for group in groups {
            pack(lir, &mut state, group);
        }
        open.retain(|at| !state.gone[*at as usize]);
        // The others have looked in vain, and their operands are what they were.
        asked.clone_from(&open);
        asked.retain(|at| {
            state.reads_new(&lir.insts[*at as usize], before) || left.binary_search(at).is_ok()
        });
        changed = true;
    }
    if changed {
        rewrite(lir, &state);
    }
    changed
}

/// What is known of VGRFs before anything is packed.
struct Facts {
    /// The one write of each: first byte and end; what arrives has all. VGRFs that are not there yet will have what is packed.
    written: IdMap<Vgrf, Option<(u32, u32)>>,
    /// Everything that is read is its first dword, for all lanes.
    scalar: IdMap<Vgrf, bool>,
}

impl Facts {
    fn new(lir: &Lir) -> Facts {
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
                // Gaps of payloads, and lanes that may not be written, are nobody's.
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
        Facts { written, scalar }
    }

    /// True for a [`shared_op`] whose operands lie where one write has put them, and whose result is all that its register has.
    fn may_move(&self, inst: &Inst) -> bool {
        let written = |s: &Src| s.as_vgrf().is_none_or(|v| self.written[v].is_some());
        inst.dst.as_vgrf().is_some_and(|v| self.scalar[v])
            && inst.src[..inst.sources()].iter().all(written)
    }
}

/// The operation of an instruction on dwords that all lanes share, whose result is another at the start of its register.
fn shared_op(inst: &Inst) -> Option<Opcode> {
    use Opcode::{Add, And, Asr, Frc, Mad, Mov, Mul, Not, Or, Rndd, Rnde, Sel, Shl, Shr, Xor};
    let Op::Eu(op) = inst.op else { return None };
    let ops = [
        Add, And, Asr, Frc, Mad, Mov, Mul, Not, Or, Rndd, Rnde, Sel, Shl, Shr, Xor,
    ];
    // Products of dwords have rules of their own.
    let plain = op != Mul || inst.dst.ty == isa::Type::F;
    let dword = |ty: isa::Type| ty.size_bytes() == 4;
    let shared = |s: &Src| match s.reg {
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
    (alike && sources.iter().all(|s| dword(s.ty) && shared(s))).then_some(op)
}

struct State {
    /// Where a VGRF's first dword is now.
    to: IdMap<Vgrf, Option<(VgrfId, u32)>>,
    /// Instructions that are parts of others, or those others.
    gone: Vec<bool>,
}

impl State {
    fn source(&self, s: &Src) -> Src {
        let mut s = *s;
        if let Some(v) = s.as_vgrf()
            && let Some((to, offset)) = self.to[v]
        {
            s.reg = Reg::Vgrf(to);
            s.offset += offset;
        }
        s
    }

    /// True if a source of an instruction lies in a VGRF that is one of those from `first` on.
    fn reads_new(&self, inst: &Inst, first: usize) -> bool {
        let mut read = inst.src[..inst.sources()].iter().filter_map(Src::as_vgrf);
        read.any(|v| self.to[v].is_some_and(|(to, _)| to.index() >= first))
    }
}

/// Which instruction fills each lane, and which sources (a bit each) lie in lanes too.
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

/// What operations of a group have in common but for where their sources lie: a word of the operation, one of its form, and two of each
/// source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Key([u64; 8]);

impl Key {
    /// The key of an instruction.
    fn of(inst: &Inst, sources: &[Src; 3], block: u32) -> Key {
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

    /// A number that other keys hardly have.
    fn hash(&self) -> u64 {
        let mixed = self.0.iter().fold(0u64, |all, word| {
            (all.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        });
        mixed ^ mixed >> 32
    }
}

/// Where sources lie in their registers: of those that are packed, a bit each, the 16 bytes, of the others the dword.
fn place(sources: &[Src; 3], packed: u8) -> u64 {
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

/// What fits together.
struct Found {
    /// Groups of at least two, no instruction in two of them; the largest first.
    groups: Vec<Group>,
    /// Instructions that would fit some of these, but others were before them; in order.
    left: Vec<u32>,
}

/// Groups by their keys.
#[derive(Default)]
struct Places {
    /// By the lower bits of hashes the group that was found last: its number and one, or 0.
    last: Vec<u32>,
    groups: Vec<Group>,
    /// Of each group what its operations have in common.
    known: Vec<Known>,
    keys: Vec<Key>,
}

/// What the operations of a group have in common.
struct Known {
    /// Where its key is.
    key: u32,
    place: u64,
    /// Who was last before it with such a hash.
    before: u32,
}

impl Places {
    /// None are known, and about so many operations are to come.
    fn clear(&mut self, expected: usize) {
        self.last.clear();
        self.last.resize((2 * expected).next_power_of_two(), 0);
        self.groups.clear();
        self.groups.reserve(2 * expected);
        self.known.clear();
        self.known.reserve(2 * expected);
        self.keys.clear();
        self.keys.reserve(expected);
    }

    /// The number of the group of the last key at a place, which is made if there is none.
    fn of_last_key(&mut self, hash: u64, place: u64, packed: u8) -> usize {
        let mixed = (hash ^ place).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let slot = (mixed ^ mixed >> 32) as usize & (self.last.len() - 1);
        let last = self.keys.len() - 1;
        let mut next = self.last[slot];
        while let Some(known) = self.known.get((next as usize).wrapping_sub(1)) {
            if known.place == place && self.keys[known.key as usize] == self.keys[last] {
                return next as usize - 1;
            }
            next = known.before;
        }
        self.known.push(Known {
            key: last as u32,
            place,
            before: self.last[slot],
        });
        self.groups.push(Group {
            lanes: [None; 4],
            packed,
        });
        self.last[slot] = self.groups.len() as u32;
        self.groups.len() - 1
    }
}

/// What of some instructions fits together. Of `places` only the memory is used.
fn groups(
    lir: &Lir,
    facts: &Facts,
    state: &State,
    blocks: &[u32],
    asked: &[u32],
    places: &mut Places,
) -> Found {
    places.clear(asked.len());
    let mut second: Vec<(usize, u32)> = Vec::new();
    for &at in asked {
        let inst = &lir.insts[at as usize];
        let n = inst.sources();
        let mut sources = [Src::NULL; 3];
        let mut lanes = [None; 3];
        // Sources that lie in each lane, a bit each.
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
        let key = Key::of(inst, &sources, blocks[at as usize]);
        let hash = key.hash();
        places.keys.push(key);
        for packed in 1u8..1 << n {
            let all_in = |lane: &usize| packed & !in_lane[*lane] == 0;
            let Some(lane) = lanes[packed.trailing_zeros() as usize].filter(all_in) else {
                continue;
            };
            let k = places.of_last_key(hash, place(&sources, packed), packed);
            // Of two that make the same the first stays; that is not common.
            if *places.groups[k].lanes[lane].get_or_insert(at) != at {
                second.push((k, at));
            }
        }
    }
    let count = |g: &Group| g.members().count();
    second.retain(|(k, _)| count(&places.groups[*k]) >= 2);
    let mut left: Vec<u32> = second.into_iter().map(|(_, at)| at).collect();
    places.groups.retain(|g| count(g) >= 2);
    places.groups.sort_by_key(|g| std::cmp::Reverse(count(g)));
    let mut taken = vec![false; lir.insts.len()];
    let mut out = Vec::new();
    for mut group in places.groups.iter().copied() {
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

/// The lane whose dword a source is, where all 16 bytes around it were written at once.
fn lane_of(facts: &Facts, s: &Src) -> Option<usize> {
    let (first, end) = facts.written[s.as_vgrf()?]?;
    let chunk = s.offset / PACK_BYTES * PACK_BYTES;
    let whole = first <= chunk && chunk + PACK_BYTES <= end;
    whole.then_some((s.offset % PACK_BYTES / 4) as usize)
}

/// Makes one instruction of a group, where the first of it stands: what that reads is there, and so is what the others read of the same
/// registers.
fn pack(lir: &mut Lir, state: &mut State, group: Group) {
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
        state.gone[at as usize] = true;
        if let Some(v) = lir.insts[at as usize].dst.as_vgrf() {
            state.to[v] = Some((to, 4 * lane));
        }
    }
    inst.exec = 4;
    inst.group = 0;
    inst.dst = Dst::vgrf(to, 0, inst.dst.ty, 1);
    lir.insts[first as usize] = inst;
}

/// Gives the readers what was packed, and takes away what others do now.
fn rewrite(lir: &mut Lir, state: &State) {
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
        v.is_some_and(|v| state.to[v].is_some())
    };
    lir.insts.retain(|inst| !moved(inst));
}
