//! Translates an entry point of a checked module to NIR, with all calls inlined.
//!
//! In:  [`Module`], [`Options`].
//! Out: a [`nir::Shader`] with derefs, structured control flow, and no phis: values that are
//!      defined on several paths go through variables, which `lower_vars_to_ssa` turns into phis.
//!
//! The walk over control flow and calls uses a work stack instead of recursion.

use crate::emit::Emitter;
use crate::error::Result;
use crate::module::{EntryPoint, Module};
use crate::stage_specific::apply_stage_mode;
use crate::state::Translator;
use crate::value::IdState;
use abi::HeapMappings;
use entity::Arena;
use nir::{Shader, ShaderInfo, Stage, Types};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use spirv::{BuiltIn, Decoration, ExecutionMode, ExecutionModel, Op};

/// The values of specialization constants by their ids, in chunks of 64 bits.
fn specialization_chunks(constants: &[(u32, u64)]) -> FxHashMap<u32, SmallVec<[u64; 1]>> {
    let mut all: FxHashMap<u32, SmallVec<[u64; 1]>> = FxHashMap::default();
    for &(id, chunk) in constants {
        all.entry(id).or_default().push(chunk);
    }
    all
}

/// Entry point, specialization constants, and pipeline state that the translation depends on.
#[derive(Clone, Debug)]
pub struct Options<'a> {
    /// Name of the entry point.
    pub entry_point: &'a str,
    /// Stage.
    pub stage: Stage,
    /// Specialization constants: `SpecId` and bit pattern, zero-extended; booleans are 0 or 1. Data
    /// of more than eight bytes take several elements, the first bytes first.
    pub specialization: &'a [(u32, u64)],
    /// The workgroup ids of a dispatch may start at another value than 0
    /// (`VK_PIPELINE_CREATE_DISPATCH_BASE_BIT`).
    pub dispatch_base: bool,
    /// The value of the built-in SubgroupSize: the size that the API reports, unless the pipeline
    /// allows a varying one (Vulkan, "SubgroupSize"); `None` for the actual dispatch width.
    pub subgroup_size: Option<u32>,
    /// Where resources are, if the shader uses descriptor heaps.
    pub heap: Option<&'a HeapMappings>,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options {
            entry_point: "main",
            stage: Stage::Compute,
            specialization: &[],
            dispatch_base: false,
            subgroup_size: None,
            heap: None,
        }
    }
}

/// The storage class of a stage's outputs.
const OUTPUT: u32 = spirv::StorageClass::Output as u32;

impl Module {
    /// Translates one entry point.
    ///
    /// # Errors
    /// The first invalid or unsupported instruction, with its location.
    pub fn to_nir<'m>(&'m self, options: &Options<'m>) -> Result<Shader> {
        let model = match options.stage {
            Stage::Vertex => ExecutionModel::Vertex,
            Stage::TessControl => ExecutionModel::TessellationControl,
            Stage::TessEval => ExecutionModel::TessellationEvaluation,
            Stage::Geometry => ExecutionModel::Geometry,
            Stage::Fragment => ExecutionModel::Fragment,
            Stage::Compute => ExecutionModel::GLCompute,
        };
        let entry = self.find_entry_point(options.entry_point, model)?;
        self.check_capabilities(entry)?;
        // An estimate of the number of instructions after the passes, without inlining and
        // unrolling. Limited, because the entry point may use only a small part of a large module.
        const MAX_RESERVED: usize = 1 << 14;
        let instrs = (2 * self.stream.insts.len()).min(MAX_RESERVED);
        let shader = Shader {
            stage: options.stage,
            name: entry.name.clone(),
            info: ShaderInfo::default(),
            types: Types::default(),
            vars: Arena::new(),
            blocks: Arena::new(),
            instrs: Arena::with_capacity(instrs),
            defs: Arena::with_capacity(instrs),
            ifs: Arena::new(),
            loops: Arena::new(),
            body: Vec::new(),
        };
        let ids = self.stream.defs.len();
        let mut tr = Translator {
            module: self,
            emit: Emitter::new(shader, entry.loc),
            types: vec![None; ids],
            member_layouts: FxHashMap::default(),
            nir_types: FxHashMap::default(),
            pointer_depth: 0,
            heap: options.heap,
            heap_variables: Vec::new(),
            specialization: specialization_chunks(options.specialization),
            dispatch_base: options.dispatch_base,
            subgroup_size: options.subgroup_size,
            fast_math_default: crate::fast_math::ALL,
            captures: false,
            builtins: Vec::new(),
            id_states: vec![IdState::Empty; ids],
            graphs: FxHashMap::default(),
            calls: Vec::new(),
            active_functions: FxHashSet::default(),
            total_calls: 0,
            tasks: Vec::new(),
        };
        tr.emit.shader.info.shared_explicit_layout = self.has_shared_blocks();
        tr.execution_modes(entry)?;
        tr.emit.set_in_prologue(true);
        for &index in &self.globals {
            if let Some(r) = self.stream.insts.get(index as usize) {
                tr.emit.loc = r.loc();
                tr.global_inst(index, &self.stream.inst(r))?;
            }
        }
        if options.stage == Stage::Compute {
            tr.workgroup_size(entry)?;
        }
        tr.fast_math_defaults(entry)?;
        // Interface variables that have an effect even if no instruction uses them: outputs with an
        // initial value, captured outputs, and SampleId and SamplePosition, which enable sample
        // shading (Vulkan, "Sample Shading").
        for &id in &entry.interface {
            if let Some(r) = self.stream.def(id)
                && r.op == Op::Variable
                && let args = self.stream.inst(r).args
                && (args.len() > 1
                    || tr.captures && args.first() == Some(&OUTPUT)
                    || self.is_sample_builtin(id))
            {
                tr.value(id)?;
            }
        }
        tr.emit.set_in_prologue(false);
        tr.walk_entry_point(entry)?;
        tr.lay_out_shared_blocks();
        Ok(tr.emit.finish())
    }
}

impl Module {
    fn is_sample_builtin(&self, id: u32) -> bool {
        let samples = [BuiltIn::SampleId, BuiltIn::SamplePosition];
        self.decorations(id).iter().any(|d| {
            let built_in = d.args.first().and_then(|&arg| BuiltIn::from_u32(arg));
            d.kind == Decoration::BuiltIn && built_in.is_some_and(|b| samples.contains(&b))
        })
    }
}

impl Translator<'_> {
    fn execution_modes(&mut self, entry: &EntryPoint) -> Result<()> {
        for mode in self
            .module
            .modes
            .iter()
            .filter(|m| m.target == entry.function)
        {
            let bits = mode.args.first().copied().unwrap_or(0);
            let bit = crate::emit_alu::size_bit(u8::try_from(bits).unwrap_or(0));
            let f = &mut self.emit.shader.info.float_controls;
            match mode.mode {
                ExecutionMode::LocalSize | ExecutionMode::LocalSizeId => {}
                ExecutionMode::DenormPreserve => f.denorm_preserve |= bit,
                ExecutionMode::DenormFlushToZero => f.denorm_flush |= bit,
                ExecutionMode::SignedZeroInfNanPreserve => f.signed_zero_inf_nan_preserve |= bit,
                ExecutionMode::RoundingModeRTE => f.rounding_rte |= bit,
                ExecutionMode::RoundingModeRTZ => f.rounding_rtz |= bit,
                ExecutionMode::Xfb => self.captures = true,
                // `fast_math` reads the modes, because their operands are constants.
                ExecutionMode::FPFastMathDefault => {}
                ExecutionMode::LocalSizeHint
                | ExecutionMode::VecTypeHint
                | ExecutionMode::ContractionOff
                | ExecutionMode::SubgroupUniformControlFlowKHR
                | ExecutionMode::MaximallyReconvergesKHR => {}
                other => {
                    if !apply_stage_mode(&mut self.emit.shader, other, bits) {
                        return mode.loc.unsupported(format!("execution mode {other:?}"));
                    }
                }
            }
        }
        Ok(())
    }

    fn workgroup_size(&mut self, entry: &EntryPoint) -> Result<()> {
        let mut size = None;
        for mode in self
            .module
            .modes
            .iter()
            .filter(|m| m.target == entry.function)
        {
            let id = match mode.mode {
                ExecutionMode::LocalSize => false,
                ExecutionMode::LocalSizeId => true,
                _ => continue,
            };
            self.emit.loc = mode.loc;
            let mut xyz = [1; 3];
            for (i, v) in xyz.iter_mut().enumerate() {
                let Some(&arg) = mode.args.get(i) else {
                    return mode.loc.expected("three sizes", i.to_string());
                };
                *v = if id { self.const_u32(arg)? } else { arg };
            }
            size = Some((xyz, mode.loc));
        }
        // A constant decorated WorkgroupSize overrides the execution mode.
        for &index in &self.module.globals {
            let Some(r) = self.module.stream.insts.get(index as usize) else {
                continue;
            };
            if matches!(
                r.op,
                Op::ConstantComposite
                    | Op::SpecConstantComposite
                    | Op::ConstantNull
                    | Op::ConstantCompositeReplicateEXT
                    | Op::SpecConstantCompositeReplicateEXT
            ) && self.module.decoration_arg(r.id, Decoration::BuiltIn)
                == Some(BuiltIn::WorkgroupSize as u32)
            {
                self.emit.loc = r.loc();
                let def = self.def(r.id)?;
                match self.emit.const_of(def).map(|v| v.as_slice()) {
                    Some(&[x, y, z]) => size = Some(([x as u32, y as u32, z as u32], r.loc())),
                    _ => return r.loc().expected("three constants", "another"),
                }
            }
        }
        let Some((xyz, loc)) = size else {
            return entry
                .loc
                .expected("execution mode LocalSize or LocalSizeId", "none");
        };
        let total = xyz.iter().try_fold(1u32, |a, &b| a.checked_mul(b));
        if xyz.contains(&0) || total.is_none() {
            return loc.expected(
                "a workgroup size above 0 and below 2^32",
                format!("{}x{}x{}", xyz[0], xyz[1], xyz[2]),
            );
        }
        self.emit.shader.info.workgroup_size = xyz;
        Ok(())
    }
}
