//! Random shaders: expressions of integers, of 64 bits and doubles or of halves where they are
//! asked for, variables, arrays, branches, loops that end early, returns, and what depends on which
//! invocations are active.
//!
//! In:  a seed. Out: a compute shader of eight invocations that reads the buffer of binding 0 and
//!      writes that of binding 1, each invocation a dword of its own, and neither is more than
//!      eight dwords long.

use entity::Id;
use nir::*;

struct Random(u64);

impl Random {
    fn next(&mut self, below: u32) -> u32 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as u32) % below
    }
}

/// What a random shader is made of.
struct Gen<'s> {
    b: Builder<'s>,
    r: Random,
    /// Local variables: 32-bit scalars, and a boolean.
    vars: Vec<Id<Variable>>,
    vector: Id<Variable>,
    array: Id<Variable>,
    shared: Id<Variable>,
    input: Id<Variable>,
    output: Id<Variable>,
    lane: Id<Def>,
    loops: u32,
    /// A variable of 64 bits, in shaders that compute such values.
    long: Option<Id<Variable>>,
    /// One of 16 bits.
    short: Option<Id<Variable>>,
}

impl Gen<'_> {
    fn leaf(&mut self) -> Id<Def> {
        match self.r.next(9) {
            0 | 1 => {
                let corner = [0, 1, -1, 2, 31, 255, i64::from(i32::MIN), 0x3f80_0000];
                let v = corner[self.r.next(8) as usize];
                self.b.imm_int(32, v)
            }
            2 => self.lane,
            3 => {
                let i = self.lane;
                self.element(self.input, i)
            }
            4 => {
                let i = self.b.imm_u32(self.r.next(8));
                self.element(self.input, i)
            }
            5 => {
                let v = self.b.load_var(self.vector).unwrap();
                let c = self.r.next(4) as u8;
                self.b.channel(v, c)
            }
            6 => {
                let at = self.index();
                let p = self.b.deref_var(self.array);
                let p = self.b.deref_array(p, at).unwrap();
                self.b.load_deref(p).unwrap()
            }
            _ => {
                let v = self.vars[self.r.next(self.vars.len() as u32) as usize];
                self.b.load_var(v).unwrap()
            }
        }
    }

    /// An index below 4: constant, or not.
    fn index(&mut self) -> Id<Def> {
        if self.r.next(3) > 0 {
            let i = self.r.next(4);
            return self.b.imm_u32(i);
        }
        let three = self.b.imm_u32(3);
        let v = self.vars[0];
        let v = self.b.load_var(v).unwrap();
        self.b.iand(v, three)
    }

    fn element(&mut self, buffer: Id<Variable>, i: Id<Def>) -> Id<Def> {
        let p = self.b.deref_var(buffer);
        let p = self.b.deref_struct(p, 0).unwrap();
        let p = self.b.deref_array(p, i).unwrap();
        self.b.load_deref(p).unwrap()
    }

    fn expr(&mut self, depth: u32) -> Id<Def> {
        if depth == 0 {
            return self.leaf();
        }
        if let Some(long) = self.long
            && self.r.next(3) == 0
        {
            return self.half_of_wide(long, depth - 1);
        }
        if let Some(short) = self.short
            && self.r.next(3) == 0
        {
            return self.word_of_halves(short, depth - 1);
        }
        use AluOp as Op;
        const OPS: &[AluOp] = &[
            Op::IAdd,
            Op::ISub,
            Op::IMul,
            Op::IAnd,
            Op::IOr,
            Op::IXor,
            Op::IMin,
            Op::UMax,
            Op::IShl,
            Op::UShr,
            Op::IShr,
            Op::UDiv,
            Op::UMod,
            Op::IMod,
            Op::UMulHigh,
            Op::UAddCarry,
            Op::USubBorrow,
            Op::IAddSat,
            Op::USubSat,
            Op::FAdd,
            Op::FMul,
            Op::FMin,
        ];
        const ONE: &[AluOp] = &[
            Op::INeg,
            Op::INot,
            Op::IAbs,
            Op::ISign,
            Op::BitCount,
            Op::UFindMsb,
            Op::IFindMsb,
            Op::FindLsb,
            Op::BitfieldReverse,
            Op::FNeg,
            Op::FFloor,
            Op::FSign,
        ];
        match self.r.next(11) {
            0 => self.leaf(),
            10 => self.subgroup(),
            1 => {
                let mut x = self.expr(depth - 1);
                let op = ONE[self.r.next(ONE.len() as u32) as usize];
                if matches!(op, Op::FNeg | Op::FFloor | Op::FSign) {
                    x = self.finite(x);
                }
                self.b.alu(op, &[x])
            }
            2 => {
                let c = self.condition(depth - 1);
                let (x, y) = (self.expr(depth - 1), self.expr(depth - 1));
                self.b.bcsel(c, x, y)
            }
            3 => {
                let c = self.condition(depth - 1);
                self.b.b2i(c, 32)
            }
            4 => {
                let (x, y) = (self.expr(depth - 1), self.leaf());
                let v = self.b.vec(&[x, y, x, y]);
                let w = self.b.load_var(self.vector).unwrap();
                let sum = self.b.iadd(v, w);
                let c = self.r.next(4) as u8;
                self.b.channel(sum, c)
            }
            _ => {
                let op = OPS[self.r.next(OPS.len() as u32) as usize];
                let (mut x, mut y) = (self.expr(depth - 1), self.expr(depth - 1));
                if matches!(op, Op::UDiv | Op::UMod | Op::IMod) {
                    // What a division by zero gives is not defined.
                    let one = self.b.imm_u32(1);
                    y = self.b.ior(y, one);
                }
                if matches!(op, Op::FAdd | Op::FMul | Op::FMin) {
                    (x, y) = (self.finite(x), self.finite(y));
                    if op == Op::FMin {
                        // Which of two zeros is less is not defined.
                        let one = self.b.imm_u32(1);
                        (x, y) = (self.b.ior(x, one), self.b.ior(y, one));
                    }
                }
                self.b.alu(op, &[x, y])
            }
        }
    }

    /// 64 bits: the variable, or two expressions of 32.
    fn wide_leaf(&mut self, long: Id<Variable>, depth: u32) -> Id<Def> {
        if self.r.next(2) == 0 {
            return self.b.load_var(long).unwrap();
        }
        let (lo, hi) = (self.expr(depth), self.leaf());
        self.b.pack_64_2x32_split(lo, hi)
    }

    /// A word of what is computed with 64 bits, which the variable may be afterwards.
    fn half_of_wide(&mut self, long: Id<Variable>, depth: u32) -> Id<Def> {
        use AluOp as Op;
        const INTEGERS: &[AluOp] = &[
            Op::IAdd,
            Op::ISub,
            Op::IMul,
            Op::UMulHigh,
            Op::IMulHigh,
            Op::IAnd,
            Op::IXor,
            Op::IMin,
            Op::UMax,
            Op::UAddSat,
            Op::ISubSat,
            Op::UDiv,
            Op::IRem,
            Op::IMod,
        ];
        const SHIFTS: &[AluOp] = &[Op::IShl, Op::IShr, Op::UShr];
        const ONE: &[AluOp] = &[Op::INeg, Op::INot, Op::IAbs, Op::ISign, Op::BitfieldReverse];
        const FLOATS: &[AluOp] = &[Op::FAdd, Op::FSub, Op::FMul, Op::FMin, Op::FMax];
        const ONE_FLOAT: &[AluOp] = &[
            Op::FNeg,
            Op::FAbs,
            Op::FSat,
            Op::FSign,
            Op::FTrunc,
            Op::FFloor,
            Op::FRoundEven,
            Op::FFract,
        ];
        let pick = |r: &mut Random, from: &[AluOp]| from[r.next(from.len() as u32) as usize];
        let x = self.wide_leaf(long, depth);
        let v = match self.r.next(9) {
            0 => {
                let op = pick(&mut self.r, SHIFTS);
                let n = self.leaf();
                self.b.alu(op, &[x, n])
            }
            1 => {
                let op = pick(&mut self.r, ONE);
                self.b.alu(op, &[x])
            }
            2 => {
                let y = self.wide_leaf(long, 0);
                let less = self.b.ilt(x, y);
                let z = self.wide_leaf(long, 0);
                self.b.bcsel(less, z, x)
            }
            3 => {
                let op = pick(&mut self.r, FLOATS);
                let y = self.wide_leaf(long, 0);
                let (x, y) = (self.finite_double(x), self.finite_double(y));
                self.b.alu(op, &[x, y])
            }
            4 => {
                let x = self.finite_double(x);
                let op = pick(&mut self.r, ONE_FLOAT);
                self.b.alu(op, &[x])
            }
            5 => {
                let (x, y) = (self.finite_double(x), self.leaf());
                let single = self.b.f2f(x, 32);
                let y = self.b.i2f(y, 64);
                let single = self.b.f2f(single, 64);
                self.b.ffma(x, y, single)
            }
            _ => {
                let op = pick(&mut self.r, INTEGERS);
                let mut y = self.wide_leaf(long, 0);
                if matches!(op, Op::UDiv | Op::IRem | Op::IMod) {
                    // Neither zero nor minus one, by which the smallest number has no quotient.
                    let (one, kept) = (self.b.imm_int(64, 1), self.b.imm_int(64, i64::MAX));
                    y = self.b.ior(y, one);
                    y = self.b.iand(y, kept);
                }
                self.b.alu(op, &[x, y])
            }
        };
        if self.r.next(2) == 0 {
            self.b.store_var(long, v);
        }
        match self.r.next(2) {
            0 => self.b.unpack_64_2x32_split_x(v),
            _ => self.b.unpack_64_2x32_split_y(v),
        }
    }

    /// A half below two in magnitude, and no zero: the variable, or what a number is rounded to, or
    /// half of one.
    fn half_leaf(&mut self, short: Id<Variable>, depth: u32) -> Id<Def> {
        let x = match self.r.next(4) {
            0 | 1 => self.b.load_var(short).unwrap(),
            2 => {
                let x = self.expr(depth);
                let x = self.finite(x);
                self.b.f2f(x, 16)
            }
            _ => {
                let x = self.leaf();
                self.b.unpack_32_2x16_split_y(x)
            }
        };
        let (kept, one) = (self.b.imm_int(16, !(1 << 14)), self.b.imm_int(16, 1));
        let x = self.b.iand(x, kept);
        self.b.ior(x, one)
    }

    /// A word of what is computed with halves, which the variable may be afterwards.
    fn word_of_halves(&mut self, short: Id<Variable>, depth: u32) -> Id<Def> {
        use AluOp as Op;
        const TWO: &[AluOp] = &[Op::FAdd, Op::FSub, Op::FMul, Op::FMin, Op::FMax];
        const ONE: &[AluOp] = &[Op::FNeg, Op::FAbs, Op::FSat, Op::FFloor, Op::FTrunc];
        const INTEGERS: &[AluOp] = &[Op::IAdd, Op::IXor, Op::UMin];
        let mut x = self.half_leaf(short, depth);
        for _ in 0..1 + self.r.next(3) {
            let y = self.half_leaf(short, 0);
            let pick = |r: &mut Random, from: &[AluOp]| from[r.next(from.len() as u32) as usize];
            x = match self.r.next(8) {
                0 => {
                    let op = pick(&mut self.r, ONE);
                    self.b.alu(op, &[x])
                }
                1 => {
                    let op = pick(&mut self.r, INTEGERS);
                    let x = self.b.alu(op, &[x, y]);
                    let kept = self.b.imm_int(16, !(1 << 14));
                    self.b.iand(x, kept)
                }
                2 => {
                    let less = self.b.flt(x, y);
                    let z = self.half_leaf(short, 0);
                    self.b.bcsel(less, z, x)
                }
                3 | 4 => {
                    let z = self.half_leaf(short, 0);
                    self.b.ffma(x, y, z)
                }
                _ => {
                    let op = pick(&mut self.r, TWO);
                    self.b.alu(op, &[x, y])
                }
            };
            if self.r.next(2) == 0 {
                self.b.store_var(short, x);
            }
        }
        match self.r.next(3) {
            0 => self.b.f2f(x, 32),
            1 => {
                let y = self.b.load_var(short).unwrap();
                self.b.pack_32_2x16_split(x, y)
            }
            _ => self.b.u2u(x, 32),
        }
    }

    /// A double below two in magnitude, and no zero.
    fn finite_double(&mut self, x: Id<Def>) -> Id<Def> {
        let (kept, one) = (self.b.imm_int(64, !(1 << 62)), self.b.imm_int(64, 1));
        let x = self.b.iand(x, kept);
        self.b.ior(x, one)
    }

    /// A number below two: which bits a NaN has is not defined.
    fn finite(&mut self, x: Id<Def>) -> Id<Def> {
        let kept = self.b.imm_int(32, !(1 << 30));
        self.b.iand(x, kept)
    }

    /// A value that depends on the active invocations.
    fn subgroup(&mut self) -> Id<Def> {
        use IntrinsicOp as Op;
        let x = self.leaf();
        match self.r.next(4) {
            0 => {
                let y = self.leaf();
                let c = self.b.ilt(x, y);
                self.b.load(Op::Ballot, 1, 32, &[c], &[])
            }
            1 => self.b.load(Op::ReadFirstInvocation, 1, 32, &[x], &[]),
            2 => {
                let add = AluOp::IAdd as u32;
                self.b.load(Op::Reduce, 1, 32, &[x], &[add, 0])
            }
            _ => {
                let e = self.b.load(Op::Elect, 1, 1, &[], &[]);
                self.b.b2i(e, 32)
            }
        }
    }

    fn condition(&mut self, depth: u32) -> Id<Def> {
        use AluOp as Op;
        const OPS: &[AluOp] = &[Op::ILt, Op::UGe, Op::IEq, Op::INe, Op::ULt];
        if self.r.next(8) == 0 {
            let v = self.r.next(2) == 0;
            return self.b.imm_bool(v);
        }
        let op = OPS[self.r.next(OPS.len() as u32) as usize];
        let (x, y) = (self.expr(depth), self.leaf());
        let c = self.b.alu(op, &[x, y]);
        match self.r.next(4) {
            0 => self.b.inot(c),
            1 => {
                let z = self.leaf();
                let d = self.b.ine(z, y);
                self.b.iand(c, d)
            }
            _ => c,
        }
    }

    fn statements(&mut self, depth: u32, in_loop: bool) {
        for _ in 0..1 + self.r.next(4) {
            if self.b.is_terminated() {
                return;
            }
            match self.r.next(12) {
                0 | 1 if depth > 0 => {
                    let c = self.condition(1);
                    self.b.push_if(c);
                    self.statements(depth - 1, in_loop);
                    if self.r.next(2) == 0 {
                        self.b.push_else();
                        self.statements(depth - 1, in_loop);
                    }
                    self.b.pop_if();
                }
                2 if depth > 0 && self.loops > 0 => {
                    self.loops -= 1;
                    self.repeat(depth - 1);
                }
                3 if in_loop && self.r.next(2) == 0 => {
                    let c = self.condition(1);
                    self.b.push_if(c);
                    self.statements(0, false);
                    let j = if self.r.next(2) == 0 {
                        Jump::Break
                    } else {
                        Jump::Continue
                    };
                    self.b.jump(j);
                    self.b.pop_if();
                }
                8 if depth > 0 && !in_loop && self.r.next(6) == 0 => {
                    let c = self.condition(1);
                    self.b.push_if(c);
                    self.statements(0, false);
                    self.b.jump(Jump::Return);
                    self.b.pop_if();
                }
                4 => {
                    let at = self.index();
                    let x = self.expr(1);
                    let p = self.b.deref_var(self.array);
                    let p = self.b.deref_array(p, at).unwrap();
                    self.b.store_deref(p, x);
                }
                5 => {
                    let x = self.expr(1);
                    self.set_vector(x);
                }
                6 => {
                    // Each invocation has its own word of shared memory.
                    let x = self.expr(1);
                    let p = self.b.deref_var(self.shared);
                    let p = self.b.deref_array(p, self.lane).unwrap();
                    let old = self.b.load_deref(p).unwrap();
                    let x = self.b.ixor(x, old);
                    self.b.store_deref(p, x);
                }
                7 => {
                    let x = self.expr(1);
                    self.put(x);
                }
                _ => {
                    let x = self.expr(2);
                    let v = self.vars[self.r.next(self.vars.len() as u32) as usize];
                    self.b.store_var(v, x);
                }
            }
        }
    }

    /// A loop of a few rounds, counted in a variable of its own; the count is known or not, and
    /// asked for first or last.
    fn repeat(&mut self, depth: u32) {
        if self.r.next(3) == 0 {
            return self.count();
        }
        let int = self.b.shader.types.intern(Type::Int(32));
        let counter = self.b.shader.vars.push(temp(int));
        let zero = self.b.imm_u32(0);
        self.b.store_var(counter, zero);
        let mut limit = self.b.imm_u32(1 + self.r.next(4));
        if self.r.next(2) == 0 {
            let three = self.b.imm_u32(3);
            limit = self.b.iand(self.lane, three);
        }
        self.b.push_loop();
        if self.r.next(3) == 0 {
            self.rounds_asked_last(counter, limit, depth);
        } else {
            self.rounds_asked_first(counter, limit, depth);
        }
        self.b.pop_loop();
    }

    /// A loop that is left at its beginning alone, over elements at a distance of each other. The
    /// values of two variables move from one round to the next.
    fn count(&mut self) {
        let int = self.b.shader.types.intern(Type::Int(32));
        let counter = self.b.shader.vars.push(temp(int));
        let zero = self.b.imm_u32(0);
        let first = if self.r.next(2) == 0 { zero } else { self.lane };
        self.b.store_var(counter, first);
        let (stride, base) = (self.leaf(), self.leaf());
        let mut limit = self.b.imm_u32(2 + 3 * self.r.next(8));
        if self.r.next(2) == 0 {
            let mask = self.b.imm_u32(31);
            let leaf = self.leaf();
            limit = self.b.iand(leaf, mask);
        }
        let (signed, step) = (self.r.next(2) == 0, 1 + i64::from(self.r.next(3)));
        self.b.push_loop();
        let i = self.b.load_var(counter).unwrap();
        let done = if signed {
            self.b.ige(i, limit)
        } else {
            self.b.uge(i, limit)
        };
        self.b.push_if(done);
        self.b.jump(Jump::Break);
        self.b.pop_if();
        let product = self.b.imul(i, stride);
        let sum = self.b.iadd(product, base);
        let seven = self.b.imm_u32(7);
        let index = self.b.iand(sum, seven);
        let x = self.element(self.input, index);
        let unchanging = self.b.imul(stride, base);
        let x = self.b.iadd(x, unchanging);
        let x = self.b.ixor(x, sum);
        let (a, b) = (self.vars[0], self.vars[1]);
        let old = [a, b].map(|v| self.b.load_var(v).unwrap());
        let three = self.b.imm_u32(3);
        let scaled = self.b.imul(old[1], three);
        let x = self.b.iadd(x, scaled);
        self.b.store_var(a, x);
        self.b.store_var(b, old[0]);
        let next = self.b.iadd_imm(i, step);
        self.b.store_var(counter, next);
        self.b.pop_loop();
    }

    /// The rounds of a loop that is left at its beginning, or anywhere.
    fn rounds_asked_first(&mut self, counter: Id<Variable>, limit: Id<Def>, depth: u32) {
        let i = self.b.load_var(counter).unwrap();
        let done = self.b.uge(i, limit);
        self.b.push_if(done);
        self.b.jump(Jump::Break);
        self.b.pop_if();
        let next = self.b.iadd_imm(i, 1);
        self.b.store_var(counter, next);
        if self.r.next(3) == 0 {
            self.search();
        }
        self.statements(depth, true);
        if self.r.next(3) == 0 && !self.b.is_terminated() {
            self.search();
        }
    }

    /// The rounds of a loop that is left at its end alone, with what the last of them made of the
    /// vector.
    fn rounds_asked_last(&mut self, counter: Id<Variable>, limit: Id<Def>, depth: u32) {
        self.statements(depth, false);
        let x = self.expr(1);
        self.set_vector(x);
        let i = self.b.load_var(counter).unwrap();
        let next = self.b.iadd_imm(i, 1);
        self.b.store_var(counter, next);
        let done = self.b.uge(next, limit);
        self.b.push_if(done);
        self.b.jump(Jump::Break);
        self.b.pop_if();
    }

    /// A search loop: the vector holds what was found so far, and an
    /// invocation leaves with it.
    fn search(&mut self) {
        let c = self.condition(0);
        self.b.push_if(c);
        if self.r.next(2) == 0 {
            let found = self.leaf();
            self.set_vector(found);
        }
        self.b.jump(Jump::Break);
        self.b.pop_if();
        let so_far = self.expr(1);
        self.set_vector(so_far);
    }

    /// Writes a channel of the vector, or the whole of it.
    fn set_vector(&mut self, x: Id<Def>) {
        let mut channels = [x; 4];
        let mut written = 1 << self.r.next(4);
        if self.r.next(2) == 0 {
            channels = [x, self.leaf(), self.lane, self.leaf()];
            written = 15;
        }
        let v = self.b.vec(&channels);
        let p = self.b.deref_var(self.vector);
        self.b
            .intrinsic(IntrinsicOp::StoreDeref, None, &[p, v], &[written, 0]);
    }

    /// Adds to this invocation's output.
    fn put(&mut self, x: Id<Def>) {
        let p = self.b.deref_var(self.output);
        let p = self.b.deref_struct(p, 0).unwrap();
        let p = self.b.deref_array(p, self.lane).unwrap();
        let old = self.b.load_deref(p).unwrap();
        let five = self.b.imm_u32(5);
        let old = self.b.imul(old, five);
        let x = self.b.iadd(old, x);
        self.b.store_deref(p, x);
    }
}

fn temp(ty: Id<Type>) -> Variable {
    Variable {
        name: String::new(),
        mode: VariableMode::FunctionTemp,
        ty,
        set: 0,
        binding: 0,
        io: None,
        access: Access::default(),
        init: None,
        offset_bytes: None,
    }
}

/// The shader of a seed.
pub fn generate(seed: u64) -> Shader {
    generate_of(seed, 32)
}

/// The shader of a seed, one with values of 64 bits.
pub fn generate_wide(seed: u64) -> Shader {
    generate_of(seed, 64)
}

/// The shader of a seed, one with halves.
pub fn generate_narrow(seed: u64) -> Shader {
    generate_of(seed, 16)
}

fn generate_of(seed: u64, bits: u8) -> Shader {
    let mut s = Shader::new(Stage::Compute, "fuzz");
    s.info.workgroup_size = [4, 2, 1];
    let int = s.types.intern(Type::Int(32));
    let vec4 = s.types.vector(int, 4);
    let four = s.types.intern(Type::Array {
        elem: int,
        // Small ones become selections, large ones go to scratch.
        len: Some(if seed.is_multiple_of(2) { 4 } else { 20 }),
        stride_bytes: 0,
    });
    let [eight, eight_vectors] = [int, vec4].map(|elem| {
        s.types.intern(Type::Array {
            elem,
            len: Some(8),
            stride_bytes: 0,
        })
    });
    let runtime = s.types.intern(Type::Array {
        elem: int,
        len: None,
        stride_bytes: 4,
    });
    let block = s.types.intern(Type::Struct {
        name: "B".into(),
        members: vec![StructMember {
            name: "d".into(),
            ty: runtime,
            offset_bytes: 0,
        }],
    });
    let vars: Vec<_> = (0..4).map(|_| s.vars.push(temp(int))).collect();
    let vector = s.vars.push(temp(vec4));
    let array = s.vars.push(temp(four));
    let shared = s.vars.push(Variable {
        mode: VariableMode::Shared,
        ..temp(eight)
    });
    let vectors = s.vars.push(Variable {
        mode: VariableMode::Shared,
        ..temp(eight_vectors)
    });
    let input = s.vars.push(Variable {
        mode: VariableMode::Ssbo,
        ..temp(block)
    });
    let output = s.vars.push(Variable {
        mode: VariableMode::Ssbo,
        binding: 1,
        ..temp(block)
    });
    let mut of_size = |size: u8| {
        (size == bits).then(|| {
            let ty = s.types.intern(Type::Int(size));
            s.vars.push(temp(ty))
        })
    };
    let (long, short) = (of_size(64), of_size(16));
    let mut b = Builder::at_end(&mut s);
    b.exact = true;
    if let Some(long) = long {
        let some = b.imm_int(64, 0x3ff0_0000_8000_0001);
        b.store_var(long, some);
    }
    if let Some(short) = short {
        let some = b.imm_int(16, 0x3555);
        b.store_var(short, some);
    }
    let lane = b.system_value(IntrinsicOp::LoadLocalInvocationIndex);
    for (k, v) in vars.iter().enumerate() {
        let x = b.iadd_imm(lane, k as i64 * 3);
        b.store_var(*v, x);
    }
    let x = b.vec(&[lane, lane, lane, lane]);
    b.store_var(vector, x);
    for k in 0..4 {
        let i = b.imm_u32(k);
        let p = b.deref_var(array);
        let p = b.deref_array(p, i).unwrap();
        b.store_deref(p, i);
    }
    let p = b.deref_var(shared);
    let p = b.deref_array(p, lane).unwrap();
    b.store_deref(p, lane);
    let mut g = Gen {
        b,
        r: Random(seed),
        vars,
        vector,
        array,
        shared,
        input,
        output,
        lane,
        loops: 3,
        long,
        short,
    };
    g.r.next(2);
    g.statements(3, false);
    for k in 0..4 {
        let v = g.vars[k];
        let x = g.b.load_var(v).unwrap();
        g.put(x);
    }
    // The vector is used whole, too.
    let v = g.b.load_var(g.vector).unwrap();
    let p = g.b.deref_var(vectors);
    let p = g.b.deref_array(p, g.lane).unwrap();
    g.b.store_deref(p, v);
    for c in 0..4 {
        let x = g.b.channel(v, c);
        g.put(x);
    }
    s
}
