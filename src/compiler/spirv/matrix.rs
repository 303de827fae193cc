//! Matrix instructions. A matrix is a composite of column vectors.

use crate::error::Result;
use crate::reader::Inst;
use crate::state::Translator;
use crate::value::Value;
use entity::Id;
use nir::{AluOp as A, Def};
use smallvec::{SmallVec, smallvec};
use spirv::Op;

/// The columns of a matrix.
pub(crate) type Columns = SmallVec<[Id<Def>; 4]>;

impl Translator<'_> {
    /// Matrix instructions; `None` if `inst` is not one.
    pub fn matrix_inst(&mut self, inst: &Inst) -> Result<Option<Value>> {
        let v = match inst.op {
            Op::Transpose => {
                let m = self.columns(inst, 0)?;
                let t = self.transpose(&m)?;
                matrix_value(&t)
            }
            Op::MatrixTimesScalar => {
                let m = self.columns(inst, 0)?;
                let s = self.arg_def(inst, 1)?;
                let mut out: Columns = smallvec![];
                for c in m {
                    out.push(self.emit.op2(A::FMul, c, s)?);
                }
                matrix_value(&out)
            }
            Op::VectorTimesMatrix => {
                let v = self.arg_def(inst, 0)?;
                let m = self.columns(inst, 1)?;
                let mut out: Columns = smallvec![];
                for c in m {
                    out.push(self.dot(v, c)?);
                }
                Value::Def(self.emit.vector(&out)?)
            }
            Op::MatrixTimesVector => {
                let m = self.columns(inst, 0)?;
                let v = self.arg_def(inst, 1)?;
                Value::Def(self.matrix_times_vector(&m, v)?)
            }
            Op::MatrixTimesMatrix => {
                let (a, b) = (self.columns(inst, 0)?, self.columns(inst, 1)?);
                let mut out: Columns = smallvec![];
                for c in b {
                    out.push(self.matrix_times_vector(&a, c)?);
                }
                matrix_value(&out)
            }
            Op::OuterProduct => {
                let (a, b) = (self.arg_def(inst, 0)?, self.arg_def(inst, 1)?);
                let mut out: Columns = smallvec![];
                for s in self.emit.channels(b)? {
                    out.push(self.emit.op2(A::FMul, a, s)?);
                }
                matrix_value(&out)
            }
            _ => return Ok(None),
        };
        Ok(Some(v))
    }

    /// The columns of operand `i`, a matrix.
    pub fn columns(&mut self, inst: &Inst, i: usize) -> Result<Columns> {
        let Value::Composite(parts) = self.value(inst.arg(i)?)? else {
            return inst.loc.expected("a matrix", "another value");
        };
        let mut out: Columns = smallvec![];
        for p in parts.iter() {
            match p {
                Value::Def(d) if out.len() < 4 => out.push(*d),
                _ => return inst.loc.expected("a matrix", "another value"),
            }
        }
        let shape = out.first().map(|&d| self.emit.shape(d));
        match shape {
            Some((2..=4, 16 | 32 | 64))
                if out.iter().all(|&d| Some(self.emit.shape(d)) == shape) =>
            {
                Ok(out)
            }
            _ => inst.loc.expected("a matrix of floats", "another value"),
        }
    }

    fn matrix_times_vector(&mut self, m: &Columns, v: Id<Def>) -> Result<Id<Def>> {
        if self.emit.shape(v).0 as usize != m.len() {
            return self.loc().expected(
                "as many components as columns",
                self.emit.shape(v).0.to_string(),
            );
        }
        let mut sum: Option<Id<Def>> = None;
        // From the last column on: when a 4x4 matrix multiplies a point, w is 1.0, so that the last
        // column starts the chain of sums without a product.
        for (i, &c) in m.iter().enumerate().rev() {
            let s = self.emit.channel(v, i as u8)?;
            let p = self.emit.op2(A::FMul, c, s)?;
            sum = Some(match sum {
                Some(x) => self.emit.op2(A::FAdd, x, p)?,
                None => p,
            });
        }
        match sum {
            Some(d) => Ok(d),
            None => self.loc().expected("a matrix", "no columns"),
        }
    }

    pub fn transpose(&mut self, m: &Columns) -> Result<Columns> {
        let (rows, bits) = m.first().map_or((0, 32), |&c| self.emit.shape(c));
        let mut out: Columns = smallvec![];
        for r in 0..rows {
            let lanes: SmallVec<[(Id<Def>, u8); 4]> = m.iter().map(|&c| (c, r)).collect();
            out.push(self.emit.vec_from_channels(&lanes, bits)?);
        }
        Ok(out)
    }

    /// All elements of a square matrix, `[column][row]`.
    fn elements(&mut self, m: &Columns) -> Result<Vec<Columns>> {
        let mut out = Vec::with_capacity(4);
        for &c in m {
            let rows = self.emit.channels(c)?;
            if rows.len() != m.len() {
                return self.loc().expected("a square matrix", "another");
            }
            out.push(rows);
        }
        Ok(out)
    }

    /// Determinant of the minor of `a` (square, `[column][row]`) given by `columns` and `rows`.
    fn minor(&mut self, a: &[Columns], columns: &[usize], rows: &[usize]) -> Result<Id<Def>> {
        let at = |c: usize, r: usize| a.get(c).and_then(|x| x.get(r)).copied();
        match (columns, rows) {
            ([c], [r]) => match at(*c, *r) {
                Some(d) => Ok(d),
                None => self.loc().expected("a square matrix", "another"),
            },
            ([first, rest @ ..], rows) => {
                // Laplace expansion along the first column; at most three levels.
                let mut sum: Option<Id<Def>> = None;
                for (i, &r) in rows.iter().enumerate() {
                    let others: SmallVec<[usize; 4]> =
                        rows.iter().copied().filter(|&x| x != r).collect();
                    let m = self.minor(a, rest, &others)?;
                    let Some(x) = at(*first, r) else {
                        return self.loc().expected("a square matrix", "another");
                    };
                    let p = self.emit.op2(A::FMul, x, m)?;
                    sum = Some(match sum {
                        None => p,
                        Some(s) if i % 2 == 1 => self.emit.op2(A::FSub, s, p)?,
                        Some(s) => self.emit.op2(A::FAdd, s, p)?,
                    });
                }
                match sum {
                    Some(d) => Ok(d),
                    None => self.loc().expected("a square matrix", "another"),
                }
            }
            _ => self.loc().expected("a square matrix", "another"),
        }
    }

    pub fn determinant(&mut self, m: &Columns) -> Result<Id<Def>> {
        let a = self.elements(m)?;
        let all: SmallVec<[usize; 4]> = (0..m.len()).collect();
        self.minor(&a, &all, &all)
    }

    /// The adjugate divided by the determinant.
    pub fn matrix_inverse(&mut self, m: &Columns) -> Result<Value> {
        let a = self.elements(m)?;
        let n = m.len();
        let det = self.determinant(m)?;
        let one = self.emit.imm_float(self.emit.shape(det).1, 1.0);
        let inv = self.emit.op2(A::FDiv, one, det)?;
        let mut out: Columns = smallvec![];
        for c in 0..n {
            let mut lanes: SmallVec<[Id<Def>; 4]> = smallvec![];
            for r in 0..n {
                // Element (column c, row r) of the inverse is the cofactor of (column r, row c).
                let columns: SmallVec<[usize; 4]> = (0..n).filter(|&x| x != r).collect();
                let rows: SmallVec<[usize; 4]> = (0..n).filter(|&x| x != c).collect();
                let m = self.minor(&a, &columns, &rows)?;
                let m = if (c + r) % 2 == 1 {
                    self.emit.op1(A::FNeg, m)?
                } else {
                    m
                };
                lanes.push(m);
            }
            let v = self.emit.vector(&lanes)?;
            out.push(self.emit.op2(A::FMul, v, inv)?);
        }
        Ok(matrix_value(&out))
    }
}

pub(crate) fn matrix_value(columns: &[Id<Def>]) -> Value {
    let parts: Vec<Value> = columns.iter().map(|&c| Value::Def(c)).collect();
    Value::Composite(parts.into())
}
