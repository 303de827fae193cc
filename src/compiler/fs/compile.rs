//! From a shader to its binary: the passes in order, and the choice of widths.

use crate::alloc::{regalloc, split_vgrfs};
use crate::divergence;
use crate::emit::schedule::{Estimate, PressureHeuristic};
use crate::emit::{encode, lower_collect, lower_wide_regions, schedule};
use crate::error::FsError;
use crate::isel::{self, Selected};
use crate::lir::{Lir, Op};
use crate::lir::{live, print, validate};
use crate::opt;
use crate::options::Options;
use abi::{ShaderBinary, StageInfo, Stats, Variant};
use entity::Id;
use hw::Device;
use nir::{Shader, Stage};
use smallvec::SmallVec;

/// One width, compiled.
struct Compiled {
    width: u8,
    code: Vec<u8>,
    /// Where in it the handle of the constant data belongs.
    handles_at: Vec<u32>,
    scratch_bytes: u32,
    stats: Stats,
    estimate: Estimate,
    dumps: Vec<(String, String)>,
    push: abi::PushData,
    push_grf: u8,
    stage: StageInfo,
}

/// True for devices whose machine code the backend makes: gen9.
pub fn supports(device: &Device) -> bool {
    device.hw_gen == hw::Gen::Gen9
}

/// Compiles a shader of any stage.
pub fn compile(
    shader: &Shader,
    device: &Device,
    options: &Options,
) -> Result<ShaderBinary, FsError> {
    if !supports(device) {
        return Err(FsError::Device {
            device: device.name,
            what: "only gen9 so far",
        });
    }
    match shader.stage {
        Stage::Compute => compile_compute(shader, device, options),
        Stage::Fragment => compile_fragment(shader, device, options),
        // Their threads have eight lanes.
        _ => {
            let widths = [8u8];
            compile_widths(shader, device, options, &widths)
        }
    }
}

/// A fragment shader: eight pixels always, sixteen where they fit, 32 where that is legal and likely to be faster.
fn compile_fragment(
    shader: &Shader,
    device: &Device,
    options: &Options,
) -> Result<ShaderBinary, FsError> {
    // The message that replicates a colour is for sixteen.
    let widths: &[u8] = if options.replicated {
        &[16]
    } else {
        &[8, 16, 32]
    };
    compile_widths(shader, device, options, widths)
}

/// Registers that sixteen lanes may need at once where 32 are tried: twice as many would hardly fit, or leave no room to have several
/// answers under way.
const MOST_LIVE_OF_SIXTEEN: u32 = 56;

/// Whether a fragment shader may have threads of 32 pixels beside these.
///
/// Shaders that run for each sample have one width each on hardware (SNB PRM vol. 2 part 1, 7.7.1): the narrower ones are theirs.
fn may_be_wide(made: &[Compiled]) -> bool {
    made.iter().all(|c| match &c.stage {
        StageInfo::Fragment(f) => !f.per_sample && !f.dual_source && !f.output_stencil,
        _ => false,
    })
}

/// Whether 32 pixels a thread are worth being compiled, beside these variants of a fragment shader.
///
/// Lanes of a thread wait together, but are computed one after the other: twice the lanes take twice the work, and wait once. What all
/// threads of an EU wait for although the others work is what there is to gain, and that only if registers are left.
fn may_pay(made: &[Compiled], eu_threads: u64) -> bool {
    let Some(last) = made.last().filter(|c| c.width == 16) else {
        return false;
    };
    let least = Estimate {
        work: 2 * last.estimate.work,
        ..last.estimate
    };
    let fits = last.scratch_bytes == 0 && last.stats.max_live_registers < MOST_LIVE_OF_SIXTEEN;
    fits && pays(&last.estimate, &least, eu_threads)
}

/// Whether threads of 32 pixels beat those of sixteen by enough for what the estimates do not know. By a fifth: they are less often
/// full. By three tenths where there are branches: both sides are counted, but more often it is only the wider threads that need both.
fn pays(sixteen: &Estimate, wide: &Estimate, eu_threads: u64) -> bool {
    let tenths = if sixteen.branches { 7 } else { 8 };
    10 * wide.cycles_per_thread(eu_threads) < tenths * 2 * sixteen.cycles_per_thread(eu_threads)
}

/// The first of these widths that is allowed in any case, the others where they need no spilling.
fn compile_widths(
    shader: &Shader,
    device: &Device,
    options: &Options,
    widths: &[u8],
) -> Result<ShaderBinary, FsError> {
    let mut divergent = divergence::divergent(shader);
    divergence::widen(shader, &mut divergent);
    let uses = isel::count_uses(shader);
    let allowed = match (options.required_width, options.widths) {
        (Some(w), _) => w,
        (None, 0) => u8::MAX,
        (None, some) => some,
    };
    let eu_threads = u64::from(device.threads);
    let mut made: Vec<Compiled> = Vec::new();
    let mut analysis = isel::ShaderAnalysis {
        divergent: &divergent,
        uses: &uses,
        descriptors: None,
    };
    for &width in widths.iter().filter(|w| allowed & **w != 0) {
        let first = made.is_empty();
        // Two sources, and stencil, are written for eight pixels at a time.
        let narrow = |c: &Compiled| matches!(&c.stage, StageInfo::Fragment(f) if f.dual_source || f.output_stencil);
        if made.iter().any(narrow) {
            break;
        }
        if width < 32 {
            let one = compile_width(shader, device, options, &mut analysis, width, first)?;
            made.extend(one);
        } else if may_be_wide(&made)
            && (first || options.wide_fragments || may_pay(&made, eu_threads))
        {
            let one = match compile_width(shader, device, options, &mut analysis, width, first) {
                // Its payload may be too large.
                Err(FsError::Limit { .. }) if !first => None,
                one => one?,
            };
            let stays = |c: &Compiled| match made.last() {
                Some(last) if !options.wide_fragments => {
                    pays(&last.estimate, &c.estimate, eu_threads)
                }
                _ => true,
            };
            made.extend(one.filter(stays));
        }
    }
    let preferred = made.len().checked_sub(1).ok_or(FsError::NoWidth)?;
    assemble(shader, made, preferred)
}

fn compile_compute(
    shader: &Shader,
    device: &Device,
    options: &Options,
) -> Result<ShaderBinary, FsError> {
    let mut divergent = divergence::divergent(shader);
    divergence::widen(shader, &mut divergent);
    let uses = isel::count_uses(shader);
    let allowed = match (options.required_width, options.widths) {
        (Some(w), _) => w,
        (None, 0) => 8 | 16 | 32,
        (None, some) => some,
    };
    let size = shader.info.workgroup_size;
    let invocations: u64 = size.iter().map(|&s| u64::from(s.max(1))).product();
    let eu_threads = u64::from(device.threads);
    let max_threads = u64::from(device.max_workgroup_threads);
    let fits = |w: u8| invocations.div_ceil(u64::from(w)) <= max_threads;
    let usable = |w: u8| allowed & w != 0 && (fits(w) || options.required_width == Some(w));
    if ![8, 16, 32].into_iter().any(usable) {
        return Err(if allowed & (8 | 16 | 32) == 0 {
            FsError::NoWidth
        } else {
            FsError::Limit {
                what: "threads in a workgroup",
                need: invocations.div_ceil(32),
                max: max_threads,
            }
        });
    }
    let mut analysis = isel::ShaderAnalysis {
        divergent: &divergent,
        uses: &uses,
        descriptors: None,
    };
    let mut one = |width: u8, may_spill: bool| -> Result<Option<Compiled>, FsError> {
        compile_width(shader, device, options, &mut analysis, width, may_spill)
    };
    // 16 lanes first: as a rule they fit, and beat 8. Fewer lanes where they are enough or where 16 would spill;
    // 32 where a workgroup has too many threads otherwise, and as a second try where threads mostly wait.
    let mut made: Vec<Compiled> = Vec::new();
    let narrow_is_enough = invocations <= 8 && usable(8);
    let first = if narrow_is_enough || !usable(16) && usable(8) {
        8
    } else if usable(16) {
        16
    } else {
        32
    };
    let has_narrower = first > 8 && usable(first / 2);
    match one(first, !has_narrower)? {
        Some(c) => made.push(c),
        None => {
            if let Some(c) = one(first / 2, true)? {
                made.push(c);
            }
        }
    }
    if let [only] = &made[..]
        && only.width == 16
        && usable(32)
        && invocations >= 32
        && only.estimate.cycles / eu_threads > only.estimate.issue
        && only.stats.max_live_registers < MOST_LIVE_OF_SIXTEEN
        && let Some(c) = one(32, false)?
    {
        made.push(c);
    }
    made.sort_by_key(|c| c.width);
    let preferred = (0..made.len())
        .min_by_key(|&i| (cost(&made[i], invocations, eu_threads), made[i].width))
        .ok_or(FsError::NoWidth)?;
    assemble(shader, made, preferred)
}

/// Time of a whole workgroup on one EU: what its threads issue, or what they wait when all wait together.
fn cost(c: &Compiled, invocations: u64, eu_threads: u64) -> u64 {
    let threads = invocations.div_ceil(u64::from(c.width));
    threads.saturating_mul(c.estimate.issue.max(c.estimate.cycles / eu_threads))
}

/// What a launch of any of the variants needs.
fn join(a: StageInfo, b: StageInfo) -> StageInfo {
    match (a, b) {
        (StageInfo::Compute(a), StageInfo::Compute(b)) => StageInfo::Compute(abi::ComputeInfo {
            uses_barrier: a.uses_barrier | b.uses_barrier,
            per_thread_push: a.per_thread_push | b.per_thread_push,
            ..a
        }),
        // The width changes nothing of it.
        (a, b) => {
            debug_assert_eq!(a, b);
            a
        }
    }
}

fn assemble(
    shader: &Shader,
    made: Vec<Compiled>,
    preferred: usize,
) -> Result<ShaderBinary, FsError> {
    let mut code = Vec::new();
    let mut variants = Vec::new();
    let mut push = abi::PushData::default();
    let mut constants = abi::Constants::default();
    let mut stage = None;
    for c in made {
        let at = code.len() as u32;
        let bytes = c.code.len() as u32;
        code.extend_from_slice(&c.code);
        code.resize(code.len().next_multiple_of(64), 0);
        stage = Some(match stage {
            Some(stage) => join(stage, c.stage),
            None => c.stage,
        });
        push = c.push;
        constants
            .handles_at
            .extend(c.handles_at.iter().map(|byte| at + byte));
        variants.push(Variant {
            simd_width: c.width,
            code_offset_bytes: at,
            code_bytes: bytes,
            push_grf: c.push_grf,
            scratch_bytes: c.scratch_bytes,
            stats: c.stats,
            dumps: c.dumps,
        });
    }
    if !constants.handles_at.is_empty() {
        constants.data = shader.constant_data();
    }
    Ok(ShaderBinary {
        code,
        constants,
        variants,
        preferred,
        push,
        stage: stage.ok_or(FsError::NoWidth)?,
    })
}

/// A pass over LIR; true if it changed anything.
type Pass = fn(&mut Lir) -> bool;

/// What runs before scheduling and allocation. A pass with names behind it is there for what those leave: it runs if one of them changed
/// something.
const PIPELINE: &[(&str, Pass, &[&str])] = &[
    ("opt_control", opt::control::opt_control, &[]),
    ("opt_cse", opt::cse::opt_cse, &[]),
    ("opt_copy", opt::copy::opt_copy, &[]),
    // What was computed of results that are one now.
    ("opt_cse_again", opt::cse::opt_cse, &["opt_copy"]),
    ("opt_copy_again", opt::copy::opt_copy, &["opt_cse_again"]),
    ("opt_dce", opt::dce::opt_dce, &[]),
    ("opt_pack", opt::pack::opt_pack, &[]),
    ("opt_cmod", opt::cmod::opt_cmod, &[]),
    ("opt_flags", opt::flags::opt_flags, &[]),
    ("lower_collect", lower_collect::lower_collect, &[]),
    ("split_vgrfs", split_vgrfs::split_vgrfs, &[]),
    ("opt_coalesce", opt::coalesce::opt_coalesce, &[]),
    ("opt_select", opt::select::opt_select, &[]),
    (
        "opt_coalesce_selected",
        opt::coalesce::opt_coalesce,
        &["opt_select"],
    ),
    (
        "opt_coalesce_phis",
        opt::coalesce_phis::opt_coalesce_phis,
        &[],
    ),
    ("opt_empty", opt::control::opt_control, &[]),
    ("opt_predicate", opt::predicate::opt_predicate, &[]),
    ("opt_else", opt::else_removal::opt_else, &[]),
    ("opt_constants", opt::constants::opt_constants, &[]),
    ("opt_in_place", opt::in_place::opt_in_place, &[]),
];

/// Orders the instructions and gives them registers. Of several orders the first that fits is taken: an order that hides latency is not
/// worth a spill, and the order as written needs fewer registers as a rule. What does not fit in any way is spilled where that is allowed.
fn allocate(
    lir: &mut Lir,
    r0: Id<crate::lir::Vgrf>,
    spill_everything: bool,
    may_spill: bool,
) -> Result<Option<regalloc::Allocation>, FsError> {
    let live = live::intervals(lir, &live::loops(lir));
    if spill_everything {
        schedule::before_allocation(
            lir,
            &live,
            schedule::PRESSURES[0],
            PressureHeuristic::Greedy,
        );
        regalloc::spill_everything(lir, r0)?;
        return regalloc::allocate(lir, r0, true);
    }
    // The order as written is tried behind those that save registers beyond a limit, but before the one that always saves.
    let [fast, narrow, least] = schedule::PRESSURES;
    let mut best: Option<(u32, Lir)> = None;
    let by = |limit, saving| Some((limit, saving));
    let orders = [
        by(fast, PressureHeuristic::Greedy),
        by(narrow, PressureHeuristic::Greedy),
        None,
        by(least, PressureHeuristic::Greedy),
        // Where something is spilled in any case, less may be.
        by(least, PressureHeuristic::SourceOrder),
    ];
    let last = if may_spill { 5 } else { 4 };
    for order in &orders[..last] {
        let mut tried = lir.clone();
        if let Some((limit, saving)) = *order {
            schedule::before_allocation(&mut tried, &live, limit, saving);
        }
        if let Some(allocation) = regalloc::allocate(&mut tried, r0, false)? {
            *lir = tried;
            return Ok(Some(allocation));
        }
        let live = live::intervals(&tried, &live::loops(&tried));
        let most = regalloc::max_pressure(&tried, &live);
        if best.as_ref().is_none_or(|b| most < b.0) {
            best = Some((most, tried));
        }
    }
    if let Some((_, order)) = best {
        *lir = order;
    }
    regalloc::allocate(lir, r0, may_spill)
}

/// What units that are not to be used would compute is an error. Values of 64 bits are only moved then.
fn check_units(insts: &[isa::Inst], options: &Options) -> Result<(), FsError> {
    if !options.soft_fp64 && !options.soft_int64 {
        return Ok(());
    }
    let lacking = |i: &&isa::Inst| {
        let sources = &i.src[..usize::from(i.op.info().sources).min(3)];
        let all = || sources.iter().map(|s| s.ty).chain([i.dst.ty]);
        let double = all().any(|ty| ty == isa::Type::Df);
        let integer = all().any(|ty| matches!(ty, isa::Type::Q | isa::Type::Uq));
        let moves = i.op == isa::Opcode::Mov
            && sources.iter().all(|s| !s.negate && !s.abs)
            && all().all(|ty| ty.size_bytes() == 8);
        options.soft_fp64 && double || options.soft_int64 && integer && !moves
    };
    match insts.iter().filter(|i| i.send.is_none()).find(lacking) {
        Some(i) => Err(FsError::Unsupported {
            op: i.op.info().name,
            what: "is of 64 bits, for which there is no unit",
        }),
        None => Ok(()),
    }
}

fn compile_width(
    shader: &Shader,
    device: &Device,
    options: &Options,
    analysis: &mut isel::ShaderAnalysis<'_>,
    width: u8,
    may_spill: bool,
) -> Result<Option<Compiled>, FsError> {
    let mut dumps = Vec::new();
    let Some(selected) = isel::select(shader, options, analysis, width)? else {
        return Ok(None);
    };
    let Selected {
        mut lir,
        push,
        push_grf,
        stage,
        loops,
    } = selected;
    lir.message_registers = isa::message_registers(device.hw_gen);
    let check = cfg!(debug_assertions) || options.validate;
    let mut after = |lir: &Lir, pass: &'static str| -> Result<(), FsError> {
        if options.wants(pass) {
            dumps.push((pass.to_owned(), print::program(lir, None)));
        }
        if check {
            validate::validate(lir, pass)?;
        }
        Ok(())
    };
    after(&lir, "isel")?;
    let mut changed: SmallVec<[&str; PIPELINE.len()]> = SmallVec::new();
    for (name, pass, behind) in PIPELINE {
        let wanted = behind.is_empty() || behind.iter().any(|name| changed.contains(name));
        if wanted && pass(&mut lir) {
            changed.push(name);
        }
        after(&lir, name)?;
    }
    if device.needs(hw::Wa::Align64BitRegions) {
        lower_wide_regions::lower_wide_regions(&mut lir)?;
        after(&lir, "lower_wide_regions")?;
    }
    let r0 = Id::new(0);
    let Some(allocation) = allocate(&mut lir, r0, options.spill_everything, may_spill)? else {
        // The next width may choose anew, if this was the first one; if not, there is none.
        analysis.descriptors = None;
        return Ok(None);
    };
    after(&lir, "regalloc")?;
    if check {
        validate::validate_allocation(&lir, &allocation.reg, "regalloc")?;
    }
    regalloc::remove_copies_to_self(&mut lir, &allocation.reg);
    schedule::after_allocation(&mut lir, &allocation.reg);
    let (insts, handles) = encode::encode(&lir, &allocation.reg);
    check_units(&insts, options)?;
    let code = encode::encode_bytes(&insts, device.hw_gen)?;
    if check {
        encode::check_rules(&insts, device)?;
    }
    if options.wants("asm") {
        let text = isa::disassemble_kernel(&code, device.hw_gen);
        dumps.push(("asm".to_owned(), text.unwrap_or_else(|e| e.to_string())));
    }
    if options.wants("registers") {
        let text = print::program(&lir, Some(&allocation.reg));
        dumps.push(("registers".to_owned(), text));
    }
    let estimate = schedule::estimate(&lir, &allocation.reg);
    let stats = Stats {
        instructions: insts.len() as u32,
        cycles: estimate.cycles,
        sends: lir.insts.iter().filter(|i| i.op == Op::Send).count() as u32,
        loops,
        spills: allocation.spills,
        fills: allocation.fills,
        max_live_registers: allocation.max_live,
    };
    let scratch_bytes = match lir.scratch_bytes {
        0 => 0,
        n => n.next_power_of_two().max(1024),
    };
    Ok(Some(Compiled {
        width,
        code,
        handles_at: handles.into_iter().map(encode::immediate_offset).collect(),
        scratch_bytes,
        stats,
        estimate,
        dumps,
        push,
        push_grf,
        stage,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(cycles: u64, work: u64) -> Estimate {
        Estimate {
            cycles,
            work,
            ..Estimate::default()
        }
    }

    #[test]
    fn wide_threads_pay_where_narrow_ones_wait() {
        // A texture: seven threads wait for 50 cycles each, and work for ten.
        let texture = estimate(350, 10);
        assert!(pays(&texture, &estimate(360, 22), 7));
        // Twice the wait, as where messages follow each other at their function's pace.
        assert!(!pays(&texture, &estimate(700, 22), 7));
        // Work alone: twice as much.
        assert!(!pays(&estimate(350, 100), &estimate(360, 200), 7));
        // A little is not enough, and less so with branches.
        assert!(!pays(&estimate(350, 41), &estimate(360, 82), 7));
        let branches = Estimate {
            branches: true,
            ..texture
        };
        assert!(!pays(&branches, &estimate(530, 22), 7) && pays(&texture, &estimate(530, 22), 7));
    }
}
