//! The state of instruction selection, and the element_locations of defs.
//!
//! In:  defs. Out: their element_locations, as operands in lane form.

use super::analysis::{BlockLoads, PushedUbos, SharedLoops, UrbPairs};
use super::bool_forms::{Forms, MaskSize};
use super::payload::Thread;
use super::shared_registers::SharedRegisters;
use super::types::{HF_BYTES, raw_type, sign_bit, sub_dword_type};
use crate::lir::builder::{Builder, Exec, Lanes};
use crate::lir::{Reg, Vgrf, VgrfId};
use abi::PushData;
use entity::{Id, IdMap, IdSet};
use isa::Type;
use nir::{Alu, AluSrc, Block, Def, Instr, Shader};
use smallvec::SmallVec;

/// Where one component of a def lives.
#[derive(Clone, Copy, Debug)]
pub(super) enum Loc {
    /// The def is not selected yet.
    None,
    /// A constant.
    Imm(u64),
    /// In a VGRF, in lane form as in [`Lanes`].
    Reg {
        v: VgrfId,
        offset: u32,
        pitch: u8,
        half: u16,
    },
}

/// The combination of conditions that was evaluated into f0.0 last.
#[derive(Clone, Copy)]
pub(super) struct ConditionInFlag {
    pub(super) def: Id<Def>,
    pub(super) exec: Exec,
    /// The flag holds the inverse.
    pub(super) inverse: bool,
    /// Number of instructions up to the evaluation.
    pub(super) end: usize,
}

/// Copies that implement phis: (phi, source).
pub(super) type PhiCopies = SmallVec<[(Id<Def>, Id<Def>); 2]>;

/// Instruction selection of one shader at one SIMD width.
pub(super) struct Isel<'a> {
    pub(super) sh: &'a Shader,
    pub(super) layout: &'a abi::PipelineLayout,
    /// The EUs have no 64-bit integer arithmetic.
    pub(super) soft_int64: bool,
    pub(super) divergent: &'a IdSet<Def>,
    pub(super) b: Builder,
    /// Index of each def's first component in `locs`.
    pub(super) first_loc: Vec<u32>,
    pub(super) locs: Vec<Loc>,
    pub(super) uses: &'a [u32],
    /// Phi copies to emit at the end of each block.
    pub(super) phi_copies: IdMap<Block, PhiCopies>,
    /// Surface handle of the shader's constant data, once something has read it.
    pub(super) constant_data: Option<Lanes>,
    /// Innermost loop that defines each def; `u32::MAX` outside all loops.
    pub(super) loop_of: Vec<u32>,
    pub(super) current_loop: u32,
    pub(super) r0: VgrfId,
    pub(super) push_reg: VgrfId,
    pub(super) thread: Thread,
    /// VUE map of the input vertices (geometry and tessellation control shaders).
    pub(super) input_vue_map: abi::VueMap,
    /// All pixels get the same colour, so the replicated render target write is used.
    pub(super) replicated: bool,
    /// The current block emits a vertex after its output stores.
    pub(super) block_emits_vertex: bool,
    pub(super) push: PushData,
    pub(super) halts: bool,
    pub(super) loops: u32,
    pub(super) lane_id: Option<Lanes>,
    /// The same numbers as packed words.
    pub(super) lane_id_words: Option<Lanes>,
    /// Constant to add to a buffer handle's register, for handles that are a scalar plus a
    /// constant.
    pub(super) handle_offsets: IdMap<Def, u32>,
    /// Number of uses of a def as a surface handle.
    pub(super) handle_uses: IdMap<Def, u32>,
    pub(super) shared: SharedRegisters,
    pub(super) shared_loops: SharedLoops,
    pub(super) urb_pairs: UrbPairs,
    pub(super) block_loads: BlockLoads,
    /// Accesses to storage buffers are robust.
    pub(super) robust_storage: bool,
    /// Accesses to uniform buffers are robust.
    pub(super) robust_uniform: bool,
    pub(super) pushed_ubos: PushedUbos,
    pub(super) sampler_index_uses: IdMap<Def, u32>,
    /// Ranges of uniform buffers may be pushed into registers.
    pub(super) push_ranges: bool,
    /// For an operation whose only use is an `fsat`: the def of that `fsat`.
    pub(super) fsat_of: IdMap<Def, Option<Id<Def>>>,
    /// For a 32-bit operation that computes half of a 64-bit value: that value, and 0 for the low
    /// half or 1 for the high one.
    pub(super) half_of: IdMap<Def, Option<(Id<Def>, u8)>>,
    /// 16-bit floats that are stored packed, two bytes a lane.
    pub(super) packed_half: IdMap<Def, bool>,
    /// The forms in which each boolean is needed.
    pub(super) bool_forms: IdMap<Def, Forms>,
    /// All masks have dwords.
    pub(super) dword_booleans: bool,
    /// VGRFs with masks of words. Those of other booleans have (at least) dwords.
    pub(super) word_masks: IdMap<Vgrf, bool>,
    /// The combination of conditions that f0.0 holds while nothing writes a flag.
    pub(super) condition_in_flag: Option<ConditionInFlag>,
    /// The operation being selected saturates its result.
    pub(super) saturating: bool,
    /// Number of leading components of each def that are read.
    pub(super) components_read: IdMap<Def, u8>,
    /// Texture instructions that share some but not all parameters with another one.
    pub(super) splits_payload: IdMap<Def, bool>,
    /// Coordinates that an image write or atomic needs in one payload.
    pub(super) written_coordinates: IdMap<Def, bool>,
}

impl Isel<'_> {
    /// The bit size of a def.
    pub(super) fn bits(&self, def: Id<Def>) -> u8 {
        self.sh.defs[def].bit_size
    }

    /// True if a def may differ between lanes.
    pub(super) fn is_divergent(&self, def: Id<Def>) -> bool {
        self.divergent.contains(def)
    }

    /// The lanes for which a def is computed: one for uniform defs, all active ones for divergent
    /// defs.
    pub(super) fn exec_for(&self, def: Id<Def>) -> Exec {
        if self.is_divergent(def) {
            Exec::Active
        } else {
            Exec::Scalar
        }
    }

    /// The size of a boolean's mask. What depends on constants alone has words.
    pub(super) fn mask_size(&self, def: Id<Def>) -> MaskSize {
        let forms = &self.bool_forms[def];
        let narrow = !self.dword_booleans && !forms.dword;
        forms.size.unwrap_or(match narrow {
            true => MaskSize::Word,
            false => MaskSize::Dword,
        })
    }

    /// Allocates registers for a def and returns its first component as raw bits.
    pub(super) fn alloc_def(&mut self, def: Id<Def>) -> Lanes {
        if let Some((pair, half)) = self.half_of[def] {
            return self.alloc_int64_half(def, pair, half);
        }
        let d = self.sh.defs[def];
        let slot: u8 = match d.bit_size {
            64 => 8,
            16 if self.packed_half[def] => HF_BYTES,
            1 => self.mask_size(def).bytes(),
            _ => 4,
        };
        let (pitch, step) = if self.is_divergent(def) {
            (slot, u32::from(slot) * u32::from(self.b.width()))
        } else {
            (0, u32::from(slot))
        };
        let v = self.b.lir.vgrf(step * u32::from(d.num_components));
        if d.bit_size == 1 && self.mask_size(def) == MaskSize::Word {
            self.word_masks[v] = true;
        }
        let first = self.first_loc[def.index()] as usize;
        for c in 0..u32::from(d.num_components) {
            self.locs[first + c as usize] = Loc::Reg {
                v,
                offset: c * step,
                pitch,
                half: 16 * u16::from(pitch),
            };
        }
        Lanes::new(v, 0, raw_type(d.bit_size), pitch)
    }

    /// Sets the location of component `c` of a def.
    pub(super) fn set_loc(&mut self, def: Id<Def>, c: u8, loc: Loc) {
        self.locs[self.first_loc[def.index()] as usize + usize::from(c)] = loc;
    }

    /// Sets the location of component `c` of a def from an operand in lane form.
    pub(super) fn set_lanes(&mut self, def: Id<Def>, c: u8, l: Lanes) {
        if let Reg::Vgrf(v) = l.reg {
            self.set_loc(
                def,
                c,
                Loc::Reg {
                    v,
                    offset: l.offset,
                    pitch: l.pitch,
                    half: l.half,
                },
            );
        } else if let Some(bits) = l.imm_bits() {
            self.set_loc(def, c, Loc::Imm(bits));
        }
    }

    /// Sets a component of a def from a scalar; a divergent def gets a copy in each lane.
    pub(super) fn set_uniform(&mut self, def: Id<Def>, c: u8, value: Lanes) {
        if !self.is_divergent(def) {
            self.set_lanes(def, c, value);
            return;
        }
        let to = self.b.temp(Type::Ud, Exec::Active);
        self.b.mov(Exec::Active, to, value.retype(Type::Ud));
        self.set_lanes(def, c, to);
    }

    /// Makes component `c` of `def` an alias of component `from_c` of `from`. A scalar that lanes
    /// read when they leave a loop at different times is copied into a register with one value per
    /// lane instead.
    pub(super) fn alias_comp(&mut self, def: Id<Def>, c: u8, from: Id<Def>, from_c: u8) {
        let loc = self.loc(from, from_c);
        if self.is_divergent(def)
            && !self.is_divergent(from)
            && let Loc::Reg { .. } = loc
        {
            let ty = match self.bits(def) {
                1 => Type::D,
                bits => raw_type(bits),
            };
            let to = self.b.temp(ty, Exec::Active);
            let from = self.comp(from, from_c, ty);
            self.b.mov(Exec::Active, to, from);
            self.set_lanes(def, c, to);
        } else {
            self.set_loc(def, c, loc);
        }
    }

    /// The location of component `c` of a def.
    pub(super) fn loc(&self, def: Id<Def>, c: u8) -> Loc {
        self.locs
            .get(self.first_loc[def.index()] as usize + usize::from(c))
            .copied()
            .unwrap_or(Loc::None)
    }

    /// Component `c` of a def, read as `ty`. A boolean whose mask has words is read as W, whatever
    /// `ty` is; read as W, any mask is valid.
    pub(super) fn comp(&self, def: Id<Def>, c: u8, ty: Type) -> Lanes {
        match self.loc(def, c) {
            Loc::Imm(bits) => {
                let bits = match (self.bits(def), ty.size_bytes()) {
                    (1, 2) if bits != 0 => 0xffff,
                    (1, _) if bits != 0 => 0xffff_ffff,
                    _ => bits,
                };
                Lanes::imm(ty, bits)
            }
            Loc::Reg {
                v,
                offset,
                pitch,
                half,
            } => {
                let ty = match self.bits(def) == 1 && self.word_masks[v] {
                    true => Type::W,
                    false => sub_dword_type(ty, offset),
                };
                Lanes {
                    half,
                    ..Lanes::new(v, offset, ty, pitch)
                }
            }
            Loc::None => {
                debug_assert!(false, "a def is read before it is selected");
                Lanes::imm(ty, 0)
            }
        }
    }

    /// An ALU operand read as `ty`.
    pub(super) fn src(&self, s: &AluSrc, ty: Type) -> Lanes {
        self.comp(s.def, s.swizzle[0], ty)
    }

    /// A float ALU operand; `fneg` and `fabs` of it are folded into source modifiers.
    pub(super) fn float_src(&self, s: &AluSrc, ty: Type) -> Lanes {
        let (mut def, mut c) = (s.def, s.swizzle[0]);
        let (mut neg, mut abs) = (false, false);
        while let Instr::Alu(Alu { op, srcs, .. }) = self.sh.instr_of(def) {
            match op {
                nir::AluOp::FNeg => neg ^= !abs,
                nir::AluOp::FAbs => abs = true,
                _ => break,
            }
            // Not through a divergence boundary: lanes that left a loop early must keep the value
            // of their own iteration, but the scalar register already has a later one.
            if self.is_divergent(def) != self.is_divergent(srcs[0].def) {
                break;
            }
            (def, c) = (srcs[0].def, srcs[0].swizzle[0]);
        }
        let mut l = self.comp(def, c, ty);
        if abs {
            l = match l.imm_bits() {
                Some(bits) => Lanes::imm(ty, bits & !sign_bit(ty)),
                None => l.absolute(),
            };
        }
        if neg { l.negated() } else { l }
    }
}

/// The lanes that a location holds values for.
pub(super) fn exec_of(l: Lanes) -> Exec {
    if l.pitch == 0 {
        Exec::Scalar
    } else {
        Exec::Active
    }
}
