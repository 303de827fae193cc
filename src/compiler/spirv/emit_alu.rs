//! Emits ALU operations: checks operands against NIR's table and folds constants.

use crate::emit::Emitter;
use crate::error::Result;
use entity::Id;
use nir::{Alu, AluOp, AluSrc, Def, SizeRule};
use smallvec::{SmallVec, smallvec};

impl Emitter {
    /// Emits an operation. `bits` is the size of the result if the operands do not determine it. An
    /// operand of one component beside longer ones is broadcast.
    pub fn alu_sized(&mut self, op: AluOp, srcs: &[Id<Def>], bits: u8) -> Result<Id<Def>> {
        let info = op.info();
        if info.srcs.len() != srcs.len() {
            return self.loc.invalid(format!(
                "{} operands, {} needs {}",
                srcs.len(),
                info.name,
                info.srcs.len()
            ));
        }
        let mut same = 0;
        let mut components = 1;
        for (s, &def) in info.srcs.iter().zip(srcs) {
            let (c, b) = self.shape(def);
            if !s.ty.admits(b) {
                return self
                    .loc
                    .expected("an operand of another size", format!("{b} bits"));
            }
            if s.ty.size == SizeRule::Same {
                if same != 0 && same != b {
                    return self
                        .loc
                        .expected("operands of one size", format!("{same} and {b} bits"));
                }
                same = b;
            }
            if s.components == 0 {
                components = components.max(c);
            } else if s.components != c {
                return self.loc.expected(
                    "an operand with another number of components",
                    c.to_string(),
                );
            }
        }
        for (s, &def) in info.srcs.iter().zip(srcs) {
            let (c, _) = self.shape(def);
            if s.components == 0 && c != 1 && c != components {
                return self.loc.expected(
                    "operands with equally many components",
                    format!("{c} and {components}"),
                );
            }
        }
        if info.out_components != 0 {
            components = info.out_components;
        }
        let def_bits = match info.out.size {
            SizeRule::Fixed(n) => n,
            SizeRule::Same if same != 0 => same,
            _ => bits,
        };
        if !info.out.admits(def_bits) {
            return self
                .loc
                .expected("a result of another size", format!("{def_bits} bits"));
        }
        let mut operands: SmallVec<[AluSrc; 3]> = smallvec![];
        for (s, &def) in info.srcs.iter().zip(srcs) {
            let scalar = s.components == 0 && self.shape(def).0 == 1;
            operands.push(if scalar {
                AluSrc::splat(def, 0)
            } else {
                AluSrc::identity(def)
            });
        }
        self.alu_swizzled(op, operands, components, def_bits)
    }

    /// Emits an operation whose operands have been checked, with explicit swizzles.
    pub fn alu_swizzled(
        &mut self,
        op: AluOp,
        mut srcs: SmallVec<[AluSrc; 3]>,
        components: u8,
        bits: u8,
    ) -> Result<Id<Def>> {
        if let Some(def) = self.try_fold(op, &srcs, components, bits) {
            return Ok(def);
        }
        for s in &mut srcs {
            s.def = self.make_visible(s.def)?;
        }
        let float_bits = match bits {
            1 => srcs.first().map_or(0, |s| self.shape(s.def).1),
            b => b,
        };
        let alu = Alu {
            op,
            def: Id::new(0),
            srcs,
            exact: self.exact,
            preserve_nan_inf_sz: self.preserves_nan(float_bits),
        };
        self.insert_alu(alu, components, bits)
    }

    /// True if NaN, infinities and the sign of zero count for floats of so many bits.
    pub fn preserves_nan(&self, bits: u8) -> bool {
        let controls = self.shader.info.float_controls;
        let always = controls.signed_zero_inf_nan_preserve & size_bit(bits) != 0;
        always || self.preserve_nan_inf_sz
    }

    fn try_fold(
        &mut self,
        op: AluOp,
        srcs: &[AluSrc],
        components: u8,
        bits: u8,
    ) -> Option<Id<Def>> {
        let info = op.info();
        let mut values: SmallVec<[SmallVec<[u64; 4]>; 3]> = smallvec![];
        let mut sizes: SmallVec<[u8; 4]> = smallvec![];
        for (s, row) in srcs.iter().zip(info.srcs) {
            let all = self.const_of(s.def)?;
            let n = match row.components {
                0 => components,
                n => n,
            };
            let lanes = s.swizzle.iter().take(usize::from(n));
            let picked: Option<SmallVec<[u64; 4]>> =
                lanes.map(|&i| all.get(usize::from(i)).copied()).collect();
            values.push(picked?);
            sizes.push(self.shape(s.def).1);
        }
        let refs: SmallVec<[&[u64]; 4]> = values.iter().map(|v| v.as_slice()).collect();
        let mut out: SmallVec<[u64; 4]> = smallvec![0; usize::from(components)];
        let controls = self.shader.info.float_controls;
        nir::fold::fold(op, bits, &sizes, &refs, controls, &mut out)
            .then(|| self.constant(bits, &out))
    }

    /// Emits an operation whose operands determine the size of the result.
    pub fn alu(&mut self, op: AluOp, srcs: &[Id<Def>]) -> Result<Id<Def>> {
        self.alu_sized(op, srcs, 0)
    }
    /// As [`Emitter::alu`], with one operand.
    pub fn op1(&mut self, op: AluOp, a: Id<Def>) -> Result<Id<Def>> {
        self.alu_sized(op, &[a], 0)
    }
    /// As [`Emitter::alu`], with two operands.
    pub fn op2(&mut self, op: AluOp, a: Id<Def>, b: Id<Def>) -> Result<Id<Def>> {
        self.alu_sized(op, &[a, b], 0)
    }
    /// As [`Emitter::alu`], with three operands.
    pub fn op3(&mut self, op: AluOp, a: Id<Def>, b: Id<Def>, c: Id<Def>) -> Result<Id<Def>> {
        self.alu_sized(op, &[a, b, c], 0)
    }
    /// A conversion to `bits` bits.
    pub fn convert(&mut self, op: AluOp, a: Id<Def>, bits: u8) -> Result<Id<Def>> {
        self.alu_sized(op, &[a], bits)
    }

    /// A float constant of `bits` bits.
    pub fn imm_float(&mut self, bits: u8, v: f64) -> Id<Def> {
        let pattern = match bits {
            16 => u64::from(half::f16::from_f64(v).to_bits()),
            32 => u64::from((v as f32).to_bits()),
            _ => v.to_bits(),
        };
        self.constant(bits, &[pattern])
    }

    /// A vector of (def, component) pairs, all of `bits` bits.
    pub fn vec_from_channels(&mut self, parts: &[(Id<Def>, u8)], bits: u8) -> Result<Id<Def>> {
        if let [(def, i)] = parts {
            return self.channel(*def, *i);
        }
        // All components of one def in order: no operation is needed.
        if let Some((first, _)) = parts.first()
            && self.shape(*first).0 as usize == parts.len()
            && parts
                .iter()
                .enumerate()
                .all(|(i, p)| p.0 == *first && usize::from(p.1) == i)
        {
            return Ok(*first);
        }
        let Some(op) = AluOp::vec(parts.len()) else {
            return self
                .loc
                .unsupported(format!("a vector of {} components", parts.len()));
        };
        if let Some((d, _)) = parts.iter().find(|p| self.shape(p.0).1 != bits) {
            let b = self.shape(*d).1;
            return self
                .loc
                .expected("components of one size", format!("{bits} and {b} bits"));
        }
        let srcs = parts.iter().map(|&(d, i)| AluSrc::splat(d, i)).collect();
        self.alu_swizzled(op, srcs, parts.len() as u8, bits)
    }

    /// A vector of scalars.
    pub fn vector(&mut self, scalars: &[Id<Def>]) -> Result<Id<Def>> {
        let parts: SmallVec<[(Id<Def>, u8); 4]> = scalars.iter().map(|&d| (d, 0)).collect();
        let bits = scalars.first().map_or(32, |&d| self.shape(d).1);
        self.vec_from_channels(&parts, bits)
    }

    /// Component `i` of `def`.
    pub fn channel(&mut self, def: Id<Def>, i: u8) -> Result<Id<Def>> {
        let (components, bits) = self.shape(def);
        if i >= components {
            return self.loc.expected("a component that exists", i.to_string());
        }
        if components == 1 {
            return Ok(def);
        }
        self.alu_swizzled(AluOp::Mov, smallvec![AluSrc::splat(def, i)], 1, bits)
    }

    /// All components as scalars.
    pub fn channels(&mut self, def: Id<Def>) -> Result<SmallVec<[Id<Def>; 4]>> {
        let (components, _) = self.shape(def);
        (0..components).map(|i| self.channel(def, i)).collect()
    }

    /// The reduction of all components with `op`.
    pub fn reduce_channels(&mut self, op: AluOp, def: Id<Def>) -> Result<Id<Def>> {
        let (components, _) = self.shape(def);
        let mut acc = self.channel(def, 0)?;
        for i in 1..components {
            let c = self.channel(def, i)?;
            acc = self.op2(op, acc, c)?;
        }
        Ok(acc)
    }

    /// The component of a vector at a dynamic index.
    pub fn channel_dynamic(&mut self, def: Id<Def>, index: Id<Def>) -> Result<Id<Def>> {
        let (components, _) = self.shape(def);
        let (n, bits) = self.shape(index);
        if n != 1 || bits == 1 {
            return self
                .loc
                .expected("a scalar integer index", format!("{n} x {bits}"));
        }
        if let Some(v) = self.const_of(index).and_then(|v| v.first().copied()) {
            // An index out of range gives an undefined value: use the last component.
            let i = v.min(u64::from(components.saturating_sub(1)));
            return self.channel(def, i as u8);
        }
        let mut out = self.channel(def, 0)?;
        for i in 1..components {
            let k = self.constant(bits, &[u64::from(i)]);
            let hit = self.op2(AluOp::IEq, index, k)?;
            let c = self.channel(def, i)?;
            out = self.op3(AluOp::Bcsel, hit, c, out)?;
        }
        Ok(out)
    }

    /// `def` with the component at a dynamic index replaced.
    pub fn insert_dynamic(
        &mut self,
        def: Id<Def>,
        value: Id<Def>,
        index: Id<Def>,
    ) -> Result<Id<Def>> {
        let (components, _) = self.shape(def);
        let (n, bits) = self.shape(index);
        if n != 1 || bits == 1 {
            return self
                .loc
                .expected("a scalar integer index", format!("{n} x {bits}"));
        }
        let numbers: SmallVec<[u64; 4]> = (0..u64::from(components)).collect();
        let numbers = self.constant(bits, &numbers);
        let hit = self.op2(AluOp::IEq, numbers, index)?;
        self.op3(AluOp::Bcsel, hit, value, def)
    }

    /// An integer sign-extended or truncated to a 32-bit index.
    pub fn index32(&mut self, def: Id<Def>) -> Result<Id<Def>> {
        match self.shape(def) {
            (1, 32) => Ok(def),
            (1, 8 | 16 | 64) => self.convert(AluOp::I2I, def, 32),
            (n, b) => self
                .loc
                .expected("a scalar integer index", format!("{n} x {b}")),
        }
    }
}

/// The bit of a float size in `FloatControls`.
pub(crate) fn size_bit(bits: u8) -> u8 {
    match bits {
        16 => 1,
        32 => 2,
        64 => 4,
        _ => 0,
    }
}
