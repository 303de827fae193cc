//! Compiles a shader: the pass pipeline, and the choice of SIMD widths.
//!
//! In:  a shader after the NIR pipeline, a device, options. Out: a [`ShaderBinary`], or an
//!      [`FsError`].
//! Tests: `compile/tests`, tests/fs/.

use crate::alloc::{regalloc, split_vgrfs};
use crate::divergence;
use crate::emit::schedule::{Estimate, PressureHeuristic};
use crate::emit::{encode, lower_collect, lower_errata, lower_wide_regions, schedule};
use crate::error::FsError;
use crate::isel::{self, Selected};
#[cfg(any(test, debug_assertions))]
use crate::lir::round_trip;
use crate::lir::{Lir, Op};
use crate::lir::{live, print, validate};
use crate::opt;
use crate::options::Options;
use abi::{ShaderBinary, ShaderStats, SimdVariant, StageInfo};
use entity::Id;
use hw::Device;
use nir::{Shader, Stage};
use smallvec::SmallVec;

/// The result of compiling a shader at one SIMD width.
struct Compiled {
    width: u8,
    code: Vec<u8>,
    /// Byte offsets in the code at which the handle of the constant data has to be patched in.
    handle_offsets: Vec<u32>,
    scratch_bytes: u32,
    stats: ShaderStats,
    estimate: Estimate,
    dumps: Vec<(String, String)>,
    push: abi::PushData,
    push_grf: u8,
    stage: StageInfo,
}

/// True for the devices that the backend supports: gen9.
pub fn supports(device: &Device) -> bool {
    device.hw_gen == hw::Gen::Gen9
}

/// Compiles a shader of any stage, after the NIR pipeline. Returns an error if the device is not
/// supported, the shader needs more than the hardware has, or no SIMD width is allowed.
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
        // Threads of the other stages are SIMD8.
        _ => {
            let widths = [8u8];
            compile_widths(shader, device, options, &widths)
        }
    }
}

/// Compiles a fragment shader: SIMD8 always, SIMD16 if it fits without spilling, SIMD32 if that is
/// legal and probably faster.
fn compile_fragment(
    shader: &Shader,
    device: &Device,
    options: &Options,
) -> Result<ShaderBinary, FsError> {
    // The replicated-data message exists for SIMD16 alone.
    let widths: &[u8] = if options.replicated {
        &[16]
    } else {
        &[8, 16, 32]
    };
    compile_widths(shader, device, options, widths)
}

/// Maximum register pressure at SIMD16 with which SIMD32 is tried: twice as many registers would
/// hardly fit, or leave none for messages in flight.
const MAX_LIVE_FOR_SIMD32: u32 = 56;

/// True if a fragment shader may have a SIMD32 variant beside these.
///
/// Per-sample shaders have a single width on hardware (SNB PRM vol. 2 part 1, 7.7.1), which must
/// not be SIMD32.
fn allows_simd32(compiled: &[Compiled]) -> bool {
    compiled.iter().all(|c| match &c.stage {
        StageInfo::Fragment(f) => !f.per_sample && !f.dual_source && !f.output_stencil,
        _ => false,
    })
}

/// True if it is worthwhile to compile a SIMD32 variant of a fragment shader beside these.
///
/// SIMD32 takes twice the FPU cycles of SIMD16, but waits for each message once. So it can gain
/// only the latency that the other threads of the EU do not hide, and only if there are enough
/// registers.
fn is_simd32_worth_trying(compiled: &[Compiled], eu_threads: u64) -> bool {
    let Some(last) = compiled.last().filter(|c| c.width == 16) else {
        return false;
    };
    let lower_bound = Estimate {
        work: 2 * last.estimate.work,
        ..last.estimate
    };
    let fits = last.scratch_bytes == 0 && last.stats.max_live_registers < MAX_LIVE_FOR_SIMD32;
    fits && is_simd32_faster(&last.estimate, &lower_bound, eu_threads)
}

/// True if SIMD32 is faster than SIMD16 by a margin for effects that the estimates ignore: 20 %, as
/// SIMD32 threads more often have inactive lanes; 30 % with branches, as more SIMD32 than SIMD16
/// threads execute both sides, which the estimates count for both.
fn is_simd32_faster(simd16: &Estimate, simd32: &Estimate, eu_threads: u64) -> bool {
    let tenths = if simd16.branches { 7 } else { 8 };
    10 * simd32.cycles_per_thread(eu_threads) < tenths * 2 * simd16.cycles_per_thread(eu_threads)
}

/// Compiles the shader at the first allowed one of these widths in any case, and at the others if
/// they need no spilling.
fn compile_widths(
    shader: &Shader,
    device: &Device,
    options: &Options,
    widths: &[u8],
) -> Result<ShaderBinary, FsError> {
    let mut divergent = divergence::find_divergent(shader);
    divergence::add_message_data(shader, &mut divergent);
    let uses = isel::count_uses(shader);
    let allowed = match (options.required_width, options.widths) {
        (Some(w), _) => w,
        (None, 0) => u8::MAX,
        (None, some) => some,
    };
    let eu_threads = u64::from(device.threads);
    let mut compiled: Vec<Compiled> = Vec::new();
    let mut analysis = isel::ShaderAnalysis {
        divergent: &divergent,
        uses: &uses,
        descriptors: None,
    };
    for &width in widths.iter().filter(|w| allowed & **w != 0) {
        let first = compiled.is_empty();
        // Dual-source and stencil writes exist for SIMD8 alone.
        let simd8_only = |c: &Compiled| matches!(&c.stage, StageInfo::Fragment(f) if f.dual_source || f.output_stencil);
        if compiled.iter().any(simd8_only) {
            break;
        }
        if width < 32 {
            let variant = compile_width(shader, device, options, &mut analysis, width, first)?;
            compiled.extend(variant);
        } else if allows_simd32(&compiled)
            && (first || options.force_simd32 || is_simd32_worth_trying(&compiled, eu_threads))
        {
            let variant = match compile_width(shader, device, options, &mut analysis, width, first)
            {
                // The payload of SIMD32 may be too large.
                Err(FsError::Limit { .. }) if !first => None,
                result => result?,
            };
            let is_useful = |c: &Compiled| match compiled.last() {
                Some(last) if !options.force_simd32 => {
                    is_simd32_faster(&last.estimate, &c.estimate, eu_threads)
                }
                _ => true,
            };
            compiled.extend(variant.filter(is_useful));
        }
    }
    let preferred = compiled.len().checked_sub(1).ok_or(FsError::NoWidth)?;
    assemble(shader, compiled, preferred)
}

/// Compiles a compute shader at one or two widths; the preferred one has the lowest estimated cost
/// for a workgroup.
fn compile_compute(
    shader: &Shader,
    device: &Device,
    options: &Options,
) -> Result<ShaderBinary, FsError> {
    let mut divergent = divergence::find_divergent(shader);
    divergence::add_message_data(shader, &mut divergent);
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
    let mut compile_at = |width: u8, may_spill: bool| -> Result<Option<Compiled>, FsError> {
        compile_width(shader, device, options, &mut analysis, width, may_spill)
    };
    // SIMD16 first: it usually fits, and is faster than SIMD8. SIMD8 if the workgroup has no more
    // invocations, or SIMD16 would spill; SIMD32 if the workgroup has too many threads otherwise,
    // and as a second variant if latency dominates.
    let mut compiled: Vec<Compiled> = Vec::new();
    let simd8_suffices = invocations <= 8 && usable(8);
    let first = if simd8_suffices || !usable(16) && usable(8) {
        8
    } else if usable(16) {
        16
    } else {
        32
    };
    let has_narrower = first > 8 && usable(first / 2);
    match compile_at(first, !has_narrower)? {
        Some(c) => compiled.push(c),
        None => {
            if let Some(c) = compile_at(first / 2, true)? {
                compiled.push(c);
            }
        }
    }
    if let [only] = &compiled[..]
        && only.width == 16
        && usable(32)
        && invocations >= 32
        && only.estimate.cycles / eu_threads > only.estimate.issue
        && only.stats.max_live_registers < MAX_LIVE_FOR_SIMD32
        && let Some(c) = compile_at(32, false)?
    {
        compiled.push(c);
    }
    compiled.sort_by_key(|c| c.width);
    let cost = |c: &Compiled| workgroup_cost(c, invocations, eu_threads);
    let preferred = (0..compiled.len())
        .min_by_key(|&i| (cost(&compiled[i]), compiled[i].width))
        .ok_or(FsError::NoWidth)?;
    assemble(shader, compiled, preferred)
}

/// Estimated cycles of a workgroup on one EU: for each thread its issue cycles, or its share of the
/// latency.
fn workgroup_cost(c: &Compiled, invocations: u64, eu_threads: u64) -> u64 {
    let threads = invocations.div_ceil(u64::from(c.width));
    threads.saturating_mul(c.estimate.issue.max(c.estimate.cycles / eu_threads))
}

/// The stage info that is valid for two variants.
fn merge_stage_info(a: StageInfo, b: StageInfo) -> StageInfo {
    match (a, b) {
        (StageInfo::Compute(a), StageInfo::Compute(b)) => StageInfo::Compute(abi::ComputeInfo {
            uses_barrier: a.uses_barrier | b.uses_barrier,
            per_thread_push: a.per_thread_push | b.per_thread_push,
            ..a
        }),
        // The info of other stages does not depend on the width.
        (a, b) => {
            debug_assert_eq!(a, b);
            a
        }
    }
}

/// Combines the variants into one binary.
fn assemble(
    shader: &Shader,
    compiled: Vec<Compiled>,
    preferred: usize,
) -> Result<ShaderBinary, FsError> {
    let mut code = Vec::new();
    let mut variants = Vec::new();
    let mut push = abi::PushData::default();
    let mut constants = abi::ConstantData::default();
    let mut stage = None;
    for c in compiled {
        let at = code.len() as u32;
        let bytes = c.code.len() as u32;
        code.extend_from_slice(&c.code);
        code.resize(code.len().next_multiple_of(64), 0);
        stage = Some(match stage {
            Some(stage) => merge_stage_info(stage, c.stage),
            None => c.stage,
        });
        push = c.push;
        constants
            .handle_offsets
            .extend(c.handle_offsets.iter().map(|byte| at + byte));
        variants.push(SimdVariant {
            simd_width: c.width,
            code_offset_bytes: at,
            code_bytes: bytes,
            push_grf: c.push_grf,
            scratch_bytes: c.scratch_bytes,
            stats: c.stats,
            dumps: c.dumps,
        });
    }
    if !constants.handle_offsets.is_empty() {
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

/// A pass over LIR; returns true if it changed the program.
type Pass = fn(&mut Lir) -> bool;

/// The passes before scheduling and register allocation: name, pass, and names of earlier passes.
/// With the latter a pass runs only if one of these has changed the program.
const PIPELINE: &[(&str, Pass, &[&str])] = &[
    ("opt_control", opt::control::opt_control, &[]),
    ("opt_cse", opt::cse::opt_cse, &[]),
    ("opt_copy", opt::copy::opt_copy, &[]),
    // Copy propagation makes more instructions equal.
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
    ("opt_halves", opt::halves::opt_halves, &[]),
    // Behind the passes that rely on one definition of each VGRF.
    ("opt_invert", opt::invert::opt_invert, &[]),
];

/// Schedules the instructions and allocates registers. Several schedules are tried, and the first
/// that fits without spilling is used: hiding latency is not worth a spill, and the source order
/// usually needs fewer registers. If none fits, the one with the lowest pressure is spilled, if
/// `may_spill`.
fn schedule_and_allocate(
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
    // The source order (None) is tried before the order that always minimises pressure.
    let [fast, narrow, least] = schedule::PRESSURES;
    let mut best: Option<(u32, Lir)> = None;
    let by = |limit, saving| Some((limit, saving));
    let orders = [
        by(fast, PressureHeuristic::Greedy),
        by(narrow, PressureHeuristic::Greedy),
        None,
        by(least, PressureHeuristic::Greedy),
        // If something has to be spilled anyway, this order may spill less.
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
        let pressure = regalloc::max_pressure(&tried, &live);
        if best.as_ref().is_none_or(|b| pressure < b.0) {
            best = Some((pressure, tried));
        }
    }
    if let Some((_, order)) = best {
        *lir = order;
    }
    regalloc::allocate(lir, r0, may_spill)
}

/// Returns an error if an instruction uses 64-bit arithmetic that the options exclude. Moves of
/// 64-bit integers are allowed.
fn check_64bit_arithmetic(insts: &[isa::Inst], options: &Options) -> Result<(), FsError> {
    if !options.soft_fp64 && !options.soft_int64 {
        return Ok(());
    }
    let is_excluded = |i: &&isa::Inst| {
        let sources = &i.src[..usize::from(i.op.info().sources).min(3)];
        let all = || sources.iter().map(|s| s.ty).chain([i.dst.ty]);
        let double = all().any(|ty| ty == isa::Type::Df);
        let integer = all().any(|ty| matches!(ty, isa::Type::Q | isa::Type::Uq));
        let moves = i.op == isa::Opcode::Mov
            && sources.iter().all(|s| !s.negate && !s.abs)
            && all().all(|ty| ty.size_bytes() == 8);
        options.soft_fp64 && double || options.soft_int64 && integer && !moves
    };
    match insts.iter().filter(|i| i.send.is_none()).find(is_excluded) {
        Some(i) => Err(FsError::Unsupported {
            op: i.op.info().name,
            what: "is of 64 bits, for which there is no unit",
        }),
        None => Ok(()),
    }
}

/// Validates LIR after a pass, and with [`Options::validate`] in debug builds also its text: after
/// every pass in this crate's tests, elsewhere of the first and the last program, as printing and
/// parsing take longer than compiling.
fn check_lir(lir: &Lir, pass: &'static str, options: &Options) -> Result<(), FsError> {
    #[cfg(any(test, debug_assertions))]
    if options.validate && (cfg!(test) || matches!(pass, "isel" | "regalloc")) {
        round_trip::check(lir).map_err(|(at, what)| FsError::Invalid { at, pass, what })?;
    }
    let _ = options;
    validate::validate(lir, pass)
}

/// Compiles the shader at one width. Returns `None` if it does not fit without spilling and
/// `may_spill` is false.
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
            check_lir(lir, pass, options)?;
        }
        Ok(())
    };
    after(&lir, "isel")?;
    let mut changed: SmallVec<[&str; PIPELINE.len()]> = SmallVec::new();
    for (name, pass, triggers) in PIPELINE {
        let enabled = triggers.is_empty() || triggers.iter().any(|name| changed.contains(name));
        if enabled && pass(&mut lir) {
            changed.push(name);
        }
        after(&lir, name)?;
    }
    if device.needs(hw::Wa::Align64BitRegions) {
        lower_wide_regions::lower_wide_regions(&mut lir)?;
        after(&lir, "lower_wide_regions")?;
    }
    let r0 = Id::new(0);
    let allocation = schedule_and_allocate(&mut lir, r0, options.spill_everything, may_spill)?;
    let Some(allocation) = allocation else {
        // The next width chooses the descriptors again, if this was the first one.
        analysis.descriptors = None;
        return Ok(None);
    };
    after(&lir, "regalloc")?;
    if check {
        validate::validate_allocation(&lir, &allocation.reg, "regalloc")?;
    }
    regalloc::remove_copies_to_self(&mut lir, &allocation.reg);
    schedule::after_allocation(&mut lir, &allocation.reg);
    lower_errata::lower_errata(&mut lir, device);
    let (insts, handles) = encode::encode(&lir, &allocation.reg);
    check_64bit_arithmetic(&insts, options)?;
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
    let stats = ShaderStats {
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
        handle_offsets: handles.into_iter().map(encode::immediate_offset).collect(),
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
mod tests;
