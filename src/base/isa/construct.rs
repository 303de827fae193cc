//! Constructors of instructions and operands.

use crate::inst::{
    Addr, ArfReg, CondMod, Dst, Inst, MathFn, Pred, PredCtrl, RegFile, Region, SWIZZLE_XYZW, Send,
    Src,
};
use crate::opcode::Opcode;
use crate::types::Type;

impl Dst {
    /// `g<nr>.<sub_bytes>` with stride 1.
    pub const fn grf(nr: u8, sub_bytes: u8, ty: Type) -> Dst {
        Dst {
            file: RegFile::Grf,
            ty,
            addr: Addr::Direct { nr, sub_bytes },
            hstride: 1,
            writemask: 0xf,
        }
    }

    /// An architecture register with stride 1; `index` is the low nibble of its number.
    pub const fn arf(reg: ArfReg, index: u8, sub_bytes: u8, ty: Type) -> Dst {
        Dst {
            file: RegFile::Arf,
            ty,
            addr: Addr::Direct {
                nr: (reg as u8) << 4 | index,
                sub_bytes,
            },
            hstride: 1,
            writemask: 0xf,
        }
    }

    /// A message register with stride 1; `nr` is the encoded number, with or without
    /// [`crate::COMPR4`].
    pub const fn mrf(nr: u8, sub_bytes: u8, ty: Type) -> Dst {
        Dst {
            file: RegFile::Mrf,
            ty,
            addr: Addr::Direct { nr, sub_bytes },
            hstride: 1,
            writemask: 0xf,
        }
    }

    /// The null register.
    pub const fn null(ty: Type) -> Dst {
        Dst::arf(ArfReg::Null, 0, 0, ty)
    }

    /// `r[a0.<a0_sub>, imm_bytes]` with stride 1.
    pub const fn indirect(a0_sub: u8, imm_bytes: i16, ty: Type) -> Dst {
        Dst {
            file: RegFile::Grf,
            ty,
            addr: Addr::Indirect { a0_sub, imm_bytes },
            hstride: 1,
            writemask: 0xf,
        }
    }

    /// Sets the horizontal stride, in elements.
    pub const fn with_stride(mut self, hstride: u8) -> Dst {
        self.hstride = hstride;
        self
    }
}

impl Src {
    const fn register(file: RegFile, addr: Addr, ty: Type, region: Region) -> Src {
        Src {
            file,
            ty,
            addr,
            region,
            abs: false,
            negate: false,
            swizzle: SWIZZLE_XYZW,
            rep_ctrl: false,
            imm: 0,
        }
    }

    /// `g<nr>.<sub_bytes>` with a region.
    pub const fn grf(nr: u8, sub_bytes: u8, ty: Type, region: Region) -> Src {
        Src::register(RegFile::Grf, Addr::Direct { nr, sub_bytes }, ty, region)
    }

    /// An architecture register; `index` is the low nibble of its number.
    pub const fn arf(reg: ArfReg, index: u8, sub_bytes: u8, ty: Type, region: Region) -> Src {
        let nr = (reg as u8) << 4 | index;
        Src::register(RegFile::Arf, Addr::Direct { nr, sub_bytes }, ty, region)
    }

    /// The null register.
    pub const fn null(ty: Type) -> Src {
        Src::arf(ArfReg::Null, 0, 0, ty, Region::new(8, 8, 1))
    }

    /// `r[a0.<a0_sub>, imm_bytes]` with a region.
    pub const fn indirect(a0_sub: u8, imm_bytes: i16, ty: Type, region: Region) -> Src {
        Src::register(
            RegFile::Grf,
            Addr::Indirect { a0_sub, imm_bytes },
            ty,
            region,
        )
    }

    /// An immediate of type `ty` with the given bits. W, UW and HF are replicated to 32 bits here.
    pub const fn imm(ty: Type, bits: u64) -> Src {
        let bits = match ty {
            Type::W | Type::Uw | Type::Hf => (bits & 0xffff) | (bits & 0xffff) << 16,
            Type::Q | Type::Uq | Type::Df => bits,
            _ => bits & 0xffff_ffff,
        };
        let addr = Addr::Direct {
            nr: 0,
            sub_bytes: 0,
        };
        let mut src = Src::register(RegFile::Imm, addr, ty, Region::SCALAR);
        src.imm = bits;
        src
    }

    /// A UD immediate.
    pub const fn imm_ud(value: u32) -> Src {
        Src::imm(Type::Ud, value as u64)
    }

    /// A D immediate.
    pub const fn imm_d(value: i32) -> Src {
        Src::imm(Type::D, value as u32 as u64)
    }

    /// A UW immediate.
    pub const fn imm_uw(value: u16) -> Src {
        Src::imm(Type::Uw, value as u64)
    }

    /// A W immediate.
    pub const fn imm_w(value: i16) -> Src {
        Src::imm(Type::W, value as u16 as u64)
    }

    /// An F immediate.
    pub const fn imm_f(value: f32) -> Src {
        Src::imm(Type::F, value.to_bits() as u64)
    }

    /// A DF immediate.
    pub const fn imm_df(value: f64) -> Src {
        Src::imm(Type::Df, value.to_bits())
    }

    /// Toggles negation.
    pub const fn negated(mut self) -> Src {
        self.negate = !self.negate;
        self
    }

    /// Takes the absolute value, without negation.
    pub const fn absolute(mut self) -> Src {
        self.abs = true;
        self.negate = false;
        self
    }

    /// Reads the same bits as another type.
    pub const fn retype(mut self, ty: Type) -> Src {
        self.ty = ty;
        self
    }
}

impl Inst {
    /// NOP on one channel with null operands and no modifiers: the base of other instructions.
    pub const EMPTY: Inst = Inst {
        op: Opcode::Nop,
        exec_size: 1,
        chan_off: 0,
        no_mask: false,
        align16: false,
        pred: None,
        cmod: CondMod::None,
        flag: 0,
        saturate: false,
        acc_wr: false,
        no_dd_clr: false,
        no_dd_chk: false,
        atomic: false,
        switch: false,
        breakpoint: false,
        compacted: false,
        branch_ctrl: false,
        math: None,
        dst: Dst::null(Type::Ud),
        src: [Src::null(Type::Ud); 3],
        jip: 0,
        uip: 0,
        send: None,
    };

    /// `op` on `exec_size` channels with null operands and no modifiers.
    pub const fn new(op: Opcode, exec_size: u8) -> Inst {
        Inst {
            op,
            exec_size,
            ..Inst::EMPTY
        }
    }

    /// An instruction with one source.
    pub const fn unary(op: Opcode, exec_size: u8, dst: Dst, a: Src) -> Inst {
        let mut inst = Inst::new(op, exec_size);
        inst.dst = dst;
        inst.src[0] = a;
        inst
    }

    /// An instruction with two sources.
    pub const fn binary(op: Opcode, exec_size: u8, dst: Dst, a: Src, b: Src) -> Inst {
        let mut inst = Inst::unary(op, exec_size, dst, a);
        inst.src[1] = b;
        inst
    }

    /// An instruction with three sources, in align16 as gen7.5 to gen9 require.
    pub const fn ternary(op: Opcode, exec_size: u8, dst: Dst, a: Src, b: Src, c: Src) -> Inst {
        let mut inst = Inst::binary(op, exec_size, dst, a, b);
        inst.src[2] = c;
        inst.align16 = true;
        inst
    }

    /// MATH.
    pub const fn math(function: MathFn, exec_size: u8, dst: Dst, a: Src, b: Src) -> Inst {
        let mut inst = Inst::binary(Opcode::Math, exec_size, dst, a, b);
        inst.math = Some(function);
        inst
    }

    /// SEND with one payload.
    pub const fn send(exec_size: u8, dst: Dst, payload: Src, send: Send) -> Inst {
        let mut inst = Inst::unary(Opcode::Send, exec_size, dst, payload);
        inst.send = Some(send);
        inst
    }

    /// SENDS with two payloads.
    pub const fn sends(exec_size: u8, dst: Dst, a: Src, b: Src, send: Send) -> Inst {
        let mut inst = Inst::binary(Opcode::Sends, exec_size, dst, a, b);
        inst.send = Some(send);
        inst
    }

    /// Ignores the execution mask.
    pub const fn no_mask(mut self) -> Inst {
        self.no_mask = true;
        self
    }

    /// Sets the first channel.
    pub const fn at_channel(mut self, chan_off: u8) -> Inst {
        self.chan_off = chan_off;
        self
    }

    /// Predicates by a flag subregister (0..=3 for f0.0..f1.1), in the normal form.
    pub const fn predicated(mut self, flag: u8, inverse: bool) -> Inst {
        self.pred = Some(Pred {
            ctrl: PredCtrl::Normal,
            inverse,
        });
        self.flag = flag;
        self
    }

    /// Sets a conditional modifier that writes a flag subregister.
    pub const fn with_cmod(mut self, cmod: CondMod, flag: u8) -> Inst {
        self.cmod = cmod;
        self.flag = flag;
        self
    }

    /// Saturates the result.
    pub const fn saturated(mut self) -> Inst {
        self.saturate = true;
        self
    }

    /// True for MATH with the macro functions INVM and RSQRTM. They are in align16, encode macro
    /// accumulators in the fields of swizzles and write masks, and always write a flag (early out:
    /// no further step is needed).
    pub fn is_math_macro(&self) -> bool {
        matches!(self.math, Some(MathFn::Invm | MathFn::Rsqrtm))
    }

    /// Number of sources, which for MATH depends on the function.
    pub fn sources(&self) -> usize {
        match self.math {
            Some(function) if self.op == Opcode::Math => function.sources(),
            _ => self.op.info().sources as usize,
        }
    }
}

impl MathFn {
    /// Number of sources of the function.
    pub const fn sources(self) -> usize {
        match self {
            MathFn::Fdiv
            | MathFn::Pow
            | MathFn::IntDivBoth
            | MathFn::IntDivQuotient
            | MathFn::IntDivRemainder
            | MathFn::Invm => 2,
            _ => 1,
        }
    }
}
