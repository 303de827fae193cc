//! The fields of a 128-bit instruction, and the codes of their values, gen8 to gen11.
//!
//! Ref: SKL PRM vol. 7, "EU Instruction Format" and the EU_INSTRUCTION_* tables.

use crate::inst::{CondMod, MathFn, PredCtrl};
use crate::types::Type;

/// A field: lowest bit and number of bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Lowest bit.
    pub lo: u8,
    /// Number of bits.
    pub bits: u8,
}

impl Field {
    const fn new(hi: u8, lo: u8) -> Field {
        Field {
            lo,
            bits: hi - lo + 1,
        }
    }

    /// Mask of the width of the field, at bit 0.
    pub const fn mask(self) -> u128 {
        (1 << self.bits) - 1
    }

    /// Reads the field.
    pub const fn get(self, word: u128) -> u64 {
        (word >> self.lo & self.mask()) as u64
    }

    /// Sets the field in a word whose bits there are zero.
    pub const fn or_into(self, word: &mut u128, value: u64) {
        *word |= (value as u128 & self.mask()) << self.lo;
    }
}

macro_rules! fields {
    ($($(#[$doc:meta])* $name:ident $hi:literal $lo:literal;)*) => {
        $($(#[$doc])* pub const $name: Field = Field::new($hi, $lo);)*
    };
}

// All instructions, except for fields that a class of instructions replaces.
fields! {
    OPCODE 6 0;
    ACCESS_MODE 8 8;
    NO_DD_CLEAR 9 9;
    NO_DD_CHECK 10 10;
    NIB_CONTROL 11 11;
    QTR_CONTROL 13 12;
    THREAD_CONTROL 15 14;
    PRED_CONTROL 19 16;
    PRED_INVERSE 20 20;
    EXEC_SIZE 23 21;
    COND_MODIFIER 27 24;
    ACC_WRITE 28 28;
    COMPACT 29 29;
    BREAKPOINT 30 30;
    SATURATE 31 31;
    FLAG 33 32;
    MASK_CONTROL 34 34;
}

// One or two sources.
fields! {
    DST_FILE 36 35;
    DST_TYPE 40 37;
    SRC0_FILE 42 41;
    SRC0_TYPE 46 43;
    DST_IA_IMM9 47 47;
    DST_SUB_A1 52 48;
    DST_WRITEMASK 51 48;
    DST_SUB_A16 52 52;
    DST_IA_IMM 56 48;
    DST_REG 60 53;
    DST_IA_SUB 60 57;
    DST_HSTRIDE 62 61;
    DST_ADDR_MODE 63 63;
    SRC0_SUB_A1 68 64;
    SRC0_SWIZ_XY 67 64;
    SRC0_SUB_A16 68 68;
    SRC0_IA_IMM 72 64;
    SRC0_REG 76 69;
    SRC0_IA_SUB 76 73;
    SRC0_ABS 77 77;
    SRC0_NEGATE 78 78;
    SRC0_ADDR_MODE 79 79;
    SRC0_HSTRIDE 81 80;
    SRC0_SWIZ_ZW 83 80;
    SRC0_WIDTH 84 82;
    SRC0_VSTRIDE 88 85;
    SRC1_FILE 90 89;
    SRC1_TYPE 94 91;
    SRC0_IA_IMM9 95 95;
    SRC1_SUB_A1 100 96;
    SRC1_SWIZ_XY 99 96;
    SRC1_SUB_A16 100 100;
    SRC1_IA_IMM 104 96;
    SRC1_REG 108 101;
    SRC1_IA_SUB 108 105;
    SRC1_ABS 109 109;
    SRC1_NEGATE 110 110;
    SRC1_ADDR_MODE 111 111;
    SRC1_HSTRIDE 113 112;
    SRC1_SWIZ_ZW 115 112;
    SRC1_WIDTH 116 114;
    SRC1_VSTRIDE 120 117;
    SRC1_IA_IMM9 121 121;
    IMM32 127 96;
    IMM64 127 64;
    UIP 95 64;
    JIP 127 96;
}

// SEND and SENDS.
fields! {
    SFID 27 24;
    SEND_DESC 126 96;
    SEND_DESC_REG_ADDR 100 96;
    SEND_EOT 127 127;
    SEND_EX_DESC_31_28 94 91;
    SEND_EX_DESC_27_24 88 85;
    SEND_EX_DESC_23_20 83 80;
    SEND_EX_DESC_19_16 67 64;
    SENDS_DST_FILE 35 35;
    SENDS_SRC1_FILE 36 36;
    SENDS_SRC1_REG 51 44;
    SENDS_DST_SUB 52 52;
    SENDS_SEL_EX_DESC 61 61;
    SENDS_SRC0_SUB 68 68;
    SENDS_SEL_DESC 77 77;
    SENDS_EX_DESC_SUB 82 80;
    SENDS_EX_DESC_31_16 95 80;
    SENDS_EX_DESC_9_6 67 64;
}

// Three sources, align16 (gen8 and gen9).
fields! {
    T_SRC2_TYPE 35 35;
    T_SRC1_TYPE 36 36;
    T_SRC0_ABS 37 37;
    T_SRC0_NEGATE 38 38;
    T_SRC1_ABS 39 39;
    T_SRC1_NEGATE 40 40;
    T_SRC2_ABS 41 41;
    T_SRC2_NEGATE 42 42;
    T_SRC_TYPE 45 43;
    T_DST_TYPE 48 46;
    T_DST_WRITEMASK 52 49;
    T_DST_SUB 55 53;
    T_DST_REG 63 56;
    T_SRC0_REP 64 64;
    T_SRC0_SWIZZLE 72 65;
    T_SRC0_SUB 75 73;
    T_SRC0_REG 83 76;
    T_SRC0_SUB_HALF 84 84;
    T_SRC1_REP 85 85;
    T_SRC1_SWIZZLE 93 86;
    T_SRC1_SUB 96 94;
    T_SRC1_REG 104 97;
    T_SRC1_SUB_HALF 105 105;
    T_SRC2_REP 106 106;
    T_SRC2_SWIZZLE 114 107;
    T_SRC2_SUB 117 115;
    T_SRC2_REG 125 118;
    T_SRC2_SUB_HALF 126 126;
}

/// The fields of one source of a one- or two-source instruction.
#[derive(Clone, Copy)]
pub struct SourceFields {
    pub file: Field,
    pub ty: Field,
    pub sub_a1: Field,
    pub sub_a16: Field,
    pub swiz_xy: Field,
    pub swiz_zw: Field,
    pub ia_imm: Field,
    pub ia_imm9: Field,
    pub ia_sub: Field,
    pub reg: Field,
    pub abs: Field,
    pub negate: Field,
    pub addr_mode: Field,
    pub hstride: Field,
    pub width: Field,
    pub vstride: Field,
}

/// Source 0 and source 1.
pub const SOURCES: [SourceFields; 2] = [
    SourceFields {
        file: SRC0_FILE,
        ty: SRC0_TYPE,
        sub_a1: SRC0_SUB_A1,
        sub_a16: SRC0_SUB_A16,
        swiz_xy: SRC0_SWIZ_XY,
        swiz_zw: SRC0_SWIZ_ZW,
        ia_imm: SRC0_IA_IMM,
        ia_imm9: SRC0_IA_IMM9,
        ia_sub: SRC0_IA_SUB,
        reg: SRC0_REG,
        abs: SRC0_ABS,
        negate: SRC0_NEGATE,
        addr_mode: SRC0_ADDR_MODE,
        hstride: SRC0_HSTRIDE,
        width: SRC0_WIDTH,
        vstride: SRC0_VSTRIDE,
    },
    SourceFields {
        file: SRC1_FILE,
        ty: SRC1_TYPE,
        sub_a1: SRC1_SUB_A1,
        sub_a16: SRC1_SUB_A16,
        swiz_xy: SRC1_SWIZ_XY,
        swiz_zw: SRC1_SWIZ_ZW,
        ia_imm: SRC1_IA_IMM,
        ia_imm9: SRC1_IA_IMM9,
        ia_sub: SRC1_IA_SUB,
        reg: SRC1_REG,
        abs: SRC1_ABS,
        negate: SRC1_NEGATE,
        addr_mode: SRC1_ADDR_MODE,
        hstride: SRC1_HSTRIDE,
        width: SRC1_WIDTH,
        vstride: SRC1_VSTRIDE,
    },
];

/// The fields of one source of a three-source instruction.
#[derive(Clone, Copy)]
pub struct TernaryFields {
    pub abs: Field,
    pub negate: Field,
    pub rep: Field,
    pub swizzle: Field,
    /// Dword within the register.
    pub sub: Field,
    /// Word within that dword (HF).
    pub sub_half: Field,
    pub reg: Field,
}

/// Sources 0 to 2 of a three-source instruction.
pub const TERNARY: [TernaryFields; 3] = [
    TernaryFields {
        abs: T_SRC0_ABS,
        negate: T_SRC0_NEGATE,
        rep: T_SRC0_REP,
        swizzle: T_SRC0_SWIZZLE,
        sub: T_SRC0_SUB,
        sub_half: T_SRC0_SUB_HALF,
        reg: T_SRC0_REG,
    },
    TernaryFields {
        abs: T_SRC1_ABS,
        negate: T_SRC1_NEGATE,
        rep: T_SRC1_REP,
        swizzle: T_SRC1_SWIZZLE,
        sub: T_SRC1_SUB,
        sub_half: T_SRC1_SUB_HALF,
        reg: T_SRC1_REG,
    },
    TernaryFields {
        abs: T_SRC2_ABS,
        negate: T_SRC2_NEGATE,
        rep: T_SRC2_REP,
        swizzle: T_SRC2_SWIZZLE,
        sub: T_SRC2_SUB,
        sub_half: T_SRC2_SUB_HALF,
        reg: T_SRC2_REG,
    },
];

/// Register types by their code.
pub const REG_TYPES: [Option<Type>; 16] = [
    Some(Type::Ud),
    Some(Type::D),
    Some(Type::Uw),
    Some(Type::W),
    Some(Type::Ub),
    Some(Type::B),
    Some(Type::Df),
    Some(Type::F),
    Some(Type::Uq),
    Some(Type::Q),
    Some(Type::Hf),
    None,
    None,
    None,
    None,
    None,
];

/// Immediate types by their code.
pub const IMM_TYPES: [Option<Type>; 16] = [
    Some(Type::Ud),
    Some(Type::D),
    Some(Type::Uw),
    Some(Type::W),
    Some(Type::Uv),
    Some(Type::Vf),
    Some(Type::V),
    Some(Type::F),
    Some(Type::Uq),
    Some(Type::Q),
    Some(Type::Df),
    Some(Type::Hf),
    None,
    None,
    None,
    None,
];

/// Types of three-source instructions by their code.
pub const TERNARY_TYPES: [Option<Type>; 8] = [
    Some(Type::F),
    Some(Type::D),
    Some(Type::Ud),
    Some(Type::Df),
    Some(Type::Hf),
    None,
    None,
    None,
];

/// Conditional modifiers by code.
pub const COND_MODS: [Option<CondMod>; 10] = [
    Some(CondMod::None),
    Some(CondMod::Z),
    Some(CondMod::Nz),
    Some(CondMod::G),
    Some(CondMod::Ge),
    Some(CondMod::L),
    Some(CondMod::Le),
    None,
    Some(CondMod::O),
    Some(CondMod::U),
];

/// MATH functions by code.
pub const MATH_FUNCTIONS: [Option<MathFn>; 16] = [
    None,
    Some(MathFn::Inv),
    Some(MathFn::Log),
    Some(MathFn::Exp),
    Some(MathFn::Sqrt),
    Some(MathFn::Rsq),
    Some(MathFn::Sin),
    Some(MathFn::Cos),
    None,
    Some(MathFn::Fdiv),
    Some(MathFn::Pow),
    Some(MathFn::IntDivBoth),
    Some(MathFn::IntDivQuotient),
    Some(MathFn::IntDivRemainder),
    Some(MathFn::Invm),
    Some(MathFn::Rsqrtm),
];

/// Predicate forms of align1 by code.
pub const PRED_ALIGN1: [Option<PredCtrl>; 16] = [
    None,
    Some(PredCtrl::Normal),
    Some(PredCtrl::AnyV),
    Some(PredCtrl::AllV),
    Some(PredCtrl::Any2h),
    Some(PredCtrl::All2h),
    Some(PredCtrl::Any4h),
    Some(PredCtrl::All4h),
    Some(PredCtrl::Any8h),
    Some(PredCtrl::All8h),
    Some(PredCtrl::Any16h),
    Some(PredCtrl::All16h),
    Some(PredCtrl::Any32h),
    Some(PredCtrl::All32h),
    None,
    None,
];

/// Predicate forms of align16 by code.
pub const PRED_ALIGN16: [Option<PredCtrl>; 16] = [
    None,
    Some(PredCtrl::Normal),
    Some(PredCtrl::X),
    Some(PredCtrl::Y),
    Some(PredCtrl::Z),
    Some(PredCtrl::W),
    Some(PredCtrl::Any4hAlign16),
    Some(PredCtrl::All4hAlign16),
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
];
