//! The in-memory form of an EU instruction, the same for all generations.
//!
//! Encoder, decoder, assembler, disassembler and legality checker work on it.
//! Ref: SKL PRM vol. 7, "EU Instruction Format"; register regions: "Register Region Addressing".

use crate::opcode::Opcode;
use crate::types::Type;

/// Register file of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RegFile {
    /// Architecture registers: null, a0, acc, f, ce, sr, cr, n, ip, tdr, tm. See [`ArfReg`].
    Arf,
    /// General registers g0..g127.
    Grf,
    /// Message registers of gen4–6.
    Mrf,
    /// An immediate; the bits are in [`Src::imm`].
    Imm,
}

/// Kind of an architecture register: the high nibble of its encoded number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
#[expect(missing_docs, reason = "the PRM's names")]
pub enum ArfReg {
    Null = 0x0,
    Address = 0x1,
    Accumulator = 0x2,
    Flag = 0x3,
    ChannelEnable = 0x4,
    MessageControl = 0x5,
    StackPointer = 0x6,
    State = 0x7,
    Control = 0x8,
    Notification = 0x9,
    InstructionPointer = 0xA,
    ThreadDependency = 0xB,
    Timestamp = 0xC,
    FlowControl = 0xD,
}

/// Address of an operand in its register file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Addr {
    /// Register number and byte within the register. For ARF `nr` is the encoded number, `(ArfReg
    /// as u8) << 4 | index`.
    Direct {
        /// Register number.
        nr: u8,
        /// Byte within the register.
        sub_bytes: u8,
    },
    /// `r[a0.sub, imm_bytes]`.
    Indirect {
        /// Index of the address subregister, 0..=15 (16-bit each).
        a0_sub: u8,
        /// Signed byte displacement, −512..=511.
        imm_bytes: i16,
    },
}

/// Region of a source, in elements: `<v;w,h>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Region {
    /// Vertical stride in elements: 0, 1, 2, 4, 8, 16, 32, or [`Region::VX1`].
    pub vstride: u8,
    /// Width in elements: 1, 2, 4, 8, 16.
    pub width: u8,
    /// Horizontal stride in elements: 0, 1, 2, 4.
    pub hstride: u8,
}

impl Region {
    /// Value of `vstride` for the regions Vx1 and VxH of indirect sources: each row has its own
    /// address register.
    pub const VX1: u8 = 0xff;
    /// `<0;1,0>`: all channels read one element.
    pub const SCALAR: Region = Region {
        vstride: 0,
        width: 1,
        hstride: 0,
    };
    /// The region `<v;w,h>`.
    pub const fn new(vstride: u8, width: u8, hstride: u8) -> Region {
        Region {
            vstride,
            width,
            hstride,
        }
    }
}

/// Destination operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dst {
    /// Register file (ARF, GRF or MRF).
    pub file: RegFile,
    /// Element type.
    pub ty: Type,
    /// Address of the first element.
    pub addr: Addr,
    /// Horizontal stride in elements: 1, 2, 4.
    pub hstride: u8,
    /// Align16: mask of the components to write, bit 0 for x. 0xf in align1.
    pub writemask: u8,
}

/// The swizzle that selects all components in order, two bits each.
pub const SWIZZLE_XYZW: u8 = 0xe4;
/// The swizzle of dwords that repeats the first of two 64-bit elements.
pub const SWIZZLE_FIRST_QWORD: u8 = 0x44;
/// The swizzle of dwords that repeats the second of two 64-bit elements.
pub const SWIZZLE_SECOND_QWORD: u8 = 0xee;

/// Source operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Src {
    /// Register file.
    pub file: RegFile,
    /// Element type.
    pub ty: Type,
    /// Address of the first element. Unused for an immediate.
    pub addr: Addr,
    /// Region. In align16 the width is 4 and the horizontal stride 1.
    pub region: Region,
    /// Absolute value, applied before `negate`.
    pub abs: bool,
    /// Negation; bitwise NOT on logic ops from gen8.
    pub negate: bool,
    /// Align16: two bits for each of x, y, z, w. 0xe4 (xyzw) in align1.
    pub swizzle: u8,
    /// Align16 three-source: replicate one element (`.r`).
    pub rep_ctrl: bool,
    /// Bits of an immediate, zero-extended from the size of its type (32 bits for UV, V and VF; W,
    /// UW and HF are replicated to 32 bits).
    pub imm: u64,
}

/// Predication of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pred {
    /// Form of the predicate.
    pub ctrl: PredCtrl,
    /// `(-f0)`: execute where the predicate is false.
    pub inverse: bool,
}

/// Predicate forms. Align1 has Normal, AnyN and AllN, align16 Normal and the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the PRM's names")]
pub enum PredCtrl {
    Normal,
    AnyV,
    AllV,
    Any2h,
    All2h,
    Any4h,
    All4h,
    Any8h,
    All8h,
    Any16h,
    All16h,
    Any32h,
    All32h,
    X,
    Y,
    Z,
    W,
    Any4hAlign16,
    All4hAlign16,
}

/// Conditional modifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
#[expect(missing_docs, reason = "the PRM's names")]
pub enum CondMod {
    None = 0,
    Z = 1,
    Nz = 2,
    G = 3,
    Ge = 4,
    L = 5,
    Le = 6,
    O = 8,
    U = 9,
}

/// Function of MATH.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
#[expect(missing_docs, reason = "the PRM's names")]
pub enum MathFn {
    Inv = 1,
    Log = 2,
    Exp = 3,
    Sqrt = 4,
    Rsq = 5,
    Sin = 6,
    Cos = 7,
    Fdiv = 9,
    Pow = 10,
    IntDivBoth = 11,
    IntDivQuotient = 12,
    IntDivRemainder = 13,
    Invm = 14,
    Rsqrtm = 15,
}

/// A 32-bit descriptor of a SEND: immediate, or read from a0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Desc {
    /// Immediate.
    Imm(u32),
    /// `a0.sub` as UD; `sub` counts 16-bit subregisters and is even.
    A0(u8),
}

/// The message of SEND, SENDC, SENDS and SENDSC, without its payload and response operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Send {
    /// Shared function id.
    pub sfid: u8,
    /// Message descriptor.
    pub desc: Desc,
    /// Extended descriptor; in SENDS bits 9:6 are the length of source 1 in registers.
    pub ex_desc: Desc,
    /// End of thread.
    pub eot: bool,
}

/// One instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Inst {
    /// Operation.
    pub op: Opcode,
    /// Number of channels: 1, 2, 4, 8, 16 or 32.
    pub exec_size: u8,
    /// First channel (`M0`, `M4`, … `M28`): QtrCtrl × 8 + NibCtrl × 4.
    pub chan_off: u8,
    /// Ignore the execution mask (NoMask; `W` in IGA syntax).
    pub no_mask: bool,
    /// Align16 access mode.
    pub align16: bool,
    /// Predicate, if any.
    pub pred: Option<Pred>,
    /// Conditional modifier.
    pub cmod: CondMod,
    /// Flag subregister of the predicate and of the conditional modifier: 0 = f0.0, 1 = f0.1, 2 =
    /// f1.0, 3 = f1.1.
    pub flag: u8,
    /// Saturate the result.
    pub saturate: bool,
    /// Also write the accumulator.
    pub acc_wr: bool,
    /// NoDDClr: the destination dependency is not cleared.
    pub no_dd_clr: bool,
    /// NoDDChk: the destination dependency is not checked.
    pub no_dd_chk: bool,
    /// Thread control: atomic.
    pub atomic: bool,
    /// Thread control: switch.
    pub switch: bool,
    /// Breakpoint.
    pub breakpoint: bool,
    /// Decoded from, or to be assembled to, the compacted 8-byte form.
    pub compacted: bool,
    /// Branch control (gen8+: IF, ELSE, GOTO).
    pub branch_ctrl: bool,
    /// Function of MATH.
    pub math: Option<MathFn>,
    /// Destination; null for branches.
    pub dst: Dst,
    /// Sources; only the first [`Inst::sources`] are used.
    pub src: [Src; 3],
    /// Jump distance JIP in bytes from the start of this instruction; of CALLA, from the start of
    /// the program.
    pub jip: i32,
    /// Jump distance UIP in bytes from the start of this instruction.
    pub uip: i32,
    /// Message of SEND, SENDC, SENDS and SENDSC.
    pub send: Option<Send>,
}
