//! Compiled code against the NIR interpreter: every compute shader of vkrunner-scripts, at every
//! width, with and without spilling, on buffers of made-up contents.

mod alu;
mod alu_bounds;
mod alu_operands;
mod alu_tables;
mod booleans;
mod doubles;
mod draw;
mod float_modes;
mod generated;
mod generator;
mod machine;
mod narrow_memory;
mod soft_doubles;
mod soft_integers;
mod subgroup;

use machine::{Buffers, ELEMENTS};
use nir::interp::Machine;
use nir::{CfEvent, Instr, IntrinsicOp, Shader};
use std::collections::BTreeSet;
use vkrunner::{Runner, ShaderStage};

/// Which of the EUs' units are not used.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Units {
    soft_fp64: bool,
    soft_int64: bool,
}

impl Units {
    const ALL: Units = Units {
        soft_fp64: false,
        soft_int64: false,
    };
    const NO_DOUBLES: Units = Units {
        soft_fp64: true,
        ..Units::ALL
    };
    const NO_INT64: Units = Units {
        soft_int64: true,
        ..Units::ALL
    };
    const NONE: Units = Units {
        soft_fp64: true,
        soft_int64: true,
    };

    /// What the passes know then.
    fn passes(self) -> opt::Ctx {
        opt::Ctx {
            soft_fp64: self.soft_fp64,
            soft_int64: self.soft_int64,
            ..opt::Ctx::default()
        }
    }

    /// What the backend knows.
    fn backend(self) -> fs::Options {
        fs::Options {
            soft_fp64: self.soft_fp64,
            soft_int64: self.soft_int64,
            ..fs::Options::default()
        }
    }
}

const BUFFER_BYTES: usize = 1024;
const GROUPS: [u32; 3] = [2, 1, 1];

/// The compute shaders of all scripts, lowered, with the name of their script.
fn shaders() -> &'static [(String, Shader)] {
    static ALL: std::sync::OnceLock<Vec<(String, Shader)>> = std::sync::OnceLock::new();
    ALL.get_or_init(make_shaders)
}

fn make_shaders() -> Vec<(String, Shader)> {
    let filter = std::env::var("FS_EXEC").unwrap_or_default();
    let mut out = Vec::new();
    for path in ingot_tests::scripts::compute_scripts() {
        let name = path.display().to_string();
        let name = name
            .split("vkrunner-scripts/")
            .last()
            .unwrap_or("")
            .to_owned();
        if !name.contains(&filter) {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("readable");
        let Ok(script) = vkrunner::parse(&text, &[]) else {
            continue;
        };
        let Ok(modules) = Runner::compile(&script) else {
            continue;
        };
        for (stage, words) in modules {
            if stage != ShaderStage::Compute {
                continue;
            }
            let Ok(module) = spirv_front::Module::parse(&words) else {
                continue;
            };
            let entries: Vec<String> = module.entry_points().map(|e| e.0.to_string()).collect();
            for entry in entries {
                let options = spirv_front::Options {
                    entry_point: &entry,
                    ..spirv_front::Options::default()
                };
                let Ok(mut shader) = module.to_nir(&options) else {
                    continue;
                };
                let mut runner = opt::PassRunner::default();
                if runner.run(&mut shader, opt::GEN9).is_ok() {
                    out.push((name.clone(), shader));
                }
            }
        }
    }
    out
}

fn bindings(shader: &Shader) -> BTreeSet<(u32, u32)> {
    let mut out = BTreeSet::new();
    for event in shader.layout() {
        let CfEvent::Block(b) = event else { continue };
        for &i in &shader.blocks[b].instrs {
            if let Instr::Intrinsic(i) = &shader.instrs[i]
                && i.op == IntrinsicOp::VulkanResourceIndex
            {
                out.insert((i.index("set"), i.index("binding")));
            }
        }
    }
    out
}

fn layout(bindings: &BTreeSet<(u32, u32)>) -> abi::PipelineLayout {
    let mut layout = abi::PipelineLayout::default();
    for &(set, binding) in bindings {
        while layout.sets.len() <= set as usize {
            layout.sets.push(abi::SetLayout::default());
        }
        layout.sets[set as usize]
            .bindings
            .push(abi::DescriptorBinding {
                binding,
                kind: abi::DescriptorKind::StorageBuffer,
                count: ELEMENTS,
                offset_bytes: binding * ELEMENTS * 64,
                stride_bytes: 64,
                samplers: abi::SamplerOffsets::default(),
                dynamic_index: 0,
                static_at_bind: false,
            });
    }
    layout
}

/// Small integers and floats, some negative, the same every time.
fn contents(seed: u32) -> Vec<u8> {
    let mut state = seed.wrapping_mul(2_654_435_761).wrapping_add(1);
    (0..BUFFER_BYTES / 4)
        .flat_map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let v = match state >> 29 {
                0..=2 => state >> 8 & 0xf | 1,
                3 => (state >> 8 & 0xff).wrapping_neg(),
                4 | 5 => ((state >> 8 & 0xff) as f32 / 16.0).to_bits(),
                6 => (-((state >> 8 & 0xff) as f32) / 8.0).to_bits(),
                _ => state,
            };
            v.to_le_bytes()
        })
        .collect()
}

/// Equal, or as close as the math box is.
fn close(a: u32, b: u32) -> bool {
    let (x, y) = (f32::from_bits(a), f32::from_bits(b));
    a == b
        || x.is_nan() && y.is_nan()
        || (x - y).abs() <= 1e-4 * x.abs().max(y.abs())
        || x.abs() < 1e-5 && y.abs() < 1e-5 && a & 0x7f80_0000 != 0
        || a.abs_diff(b) <= 1 && a.max(b) < 1 << 24 && a.min(b) > 1 << 20
}

fn difference(want: &Buffers, got: &Buffers) -> Option<String> {
    for (w, g) in want.iter().zip(got) {
        for (k, (a, b)) in w.1.chunks_exact(4).zip(g.1.chunks_exact(4)).enumerate() {
            let dword = |x: &[u8]| u32::from_le_bytes([x[0], x[1], x[2], x[3]]);
            if !close(dword(a), dword(b)) {
                let (a, b) = (dword(a), dword(b));
                return Some(format!(
                    "buffer {:?} dword {k}: {a:#x} ({}) wanted, {b:#x} ({}) found",
                    w.0,
                    f32::from_bits(a),
                    f32::from_bits(b)
                ));
            }
        }
    }
    None
}

/// A part of each kind of core: the ordinary one, and the small one with its own rules on 64 bits.
const CORES: [&str; 2] = ["skl", "bxt"];

/// The seeds of random programs: `count` of them, or those that the variable `FUZZ` names as the
/// first and a number.
fn seeds(count: u64) -> std::ops::Range<u64> {
    let (from, n) = match std::env::var("FUZZ") {
        Ok(v) => {
            let (a, b) = v.split_once(',').unwrap_or((&v, "1"));
            (a.parse().unwrap(), b.parse().unwrap())
        }
        Err(_) => (0, count),
    };
    from..from + n
}

fn check(name: &str, shader: &Shader, options: &fs::Options, failures: &mut Vec<String>) -> u32 {
    let bindings = bindings(shader);
    let mut ran = 0;
    let mut big_core = Vec::new();
    // The small core's code is run where it is other code.
    let each = |width| CORES.map(|core| (width, core));
    for (width, core) in [8u8, 16, 32].into_iter().flat_map(each) {
        let device = hw::Device::by_name(core).expect("a device");
        let options = fs::Options {
            layout: layout(&bindings),
            required_width: Some(width),
            validate: true,
            ..options.clone()
        };
        let how = format!(
            "{name} {core} simd{width}{}",
            if options.spill_everything {
                " spilled"
            } else {
                ""
            }
        );
        let binary = match fs::compile(shader, device, &options) {
            Ok(binary) => binary,
            Err(e) => {
                failures.push(format!("{how}: {e}"));
                continue;
            }
        };
        if core == CORES[0] {
            big_core.clone_from(&binary.code);
        } else if binary.code == big_core {
            continue;
        }
        let fresh: Buffers = bindings
            .iter()
            .flat_map(|&(s, b)| (0..ELEMENTS).map(move |e| (s, b, e)))
            .enumerate()
            .map(|(i, key)| (key, contents(i as u32)))
            .collect();
        let push = contents(99)[..256].to_vec();
        let mut machine = Machine {
            buffers: fresh.clone(),
            push_constants: push.clone(),
            workgroups: GROUPS,
            base_workgroup: [0; 3],
            subgroup_size: u32::from(width),
            step_limit: 100_000,
        };
        if machine.run(shader).is_err() {
            continue;
        }
        let mut got = fresh;
        for variant in &binary.variants {
            ran += 1;
            let result = machine::run(&binary, variant, &mut got, &push, GROUPS);
            let wrong = match result {
                Ok(()) => difference(&machine.buffers, &got),
                Err(e) => Some(e),
            };
            if let Some(wrong) = wrong {
                failures.push(format!("{how}: {wrong}"));
                if std::env::var_os("FS_EXEC").is_some() {
                    eprintln!("{shader}");
                    for (pass, text) in &variant.dumps {
                        eprintln!("--- {pass}\n{text}");
                    }
                }
            }
        }
    }
    ran
}

fn check_all(options: &fs::Options) {
    let mut failures = Vec::new();
    let mut ran = 0;
    let dumps = match std::env::var("FS_DUMP") {
        Ok(names) => names.split(',').map(str::to_owned).collect(),
        Err(_) => Vec::new(),
    };
    let options = fs::Options {
        dumps,
        ..options.clone()
    };
    for (name, shader) in shaders() {
        ran += check(name, shader, &options, &mut failures);
    }
    assert!(
        failures.is_empty(),
        "{} of {ran}:\n{}",
        failures.len(),
        failures.join("\n")
    );
    assert!(
        ran > 300 || std::env::var_os("FS_EXEC").is_some(),
        "only {ran} runs"
    );
}

#[test]
fn scripts_match_the_interpreter() {
    check_all(&fs::Options::default());
}

#[test]
fn scripts_match_the_interpreter_with_every_register_spilled() {
    check_all(&fs::Options {
        spill_everything: true,
        ..fs::Options::default()
    });
}
