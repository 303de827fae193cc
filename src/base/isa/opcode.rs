//! The opcode table: one row for each operation, with its number in each generation.
//!
//! Ref: SKL PRM vol. 7, "EU Opcode Encoding", and the same section of the PRMs of other
//!      generations.

use crate::types::Type;
use hw::Gen;

/// Encoding class of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EncodingClass {
    /// One or two sources.
    Basic,
    /// Three sources, in their own encoding.
    ThreeSource,
    /// MATH: the function is encoded in the field of the conditional modifier.
    Math,
    /// SEND, SENDC: one payload.
    Send,
    /// SENDS, SENDSC: two payloads.
    SplitSend,
    /// A jump with JIP only.
    Jip,
    /// A jump with JIP and UIP.
    JipUip,
    /// JMPI, BRD, BRC, CALL, RET, CALLA: the target is a register operand or an immediate.
    Jump,
    /// No operands.
    Nullary,
    /// WAIT: one notification register, which is both source and destination.
    Wait,
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub struct OpcodeInfo {
    /// Mnemonic in IGA syntax.
    pub name: &'static str,
    /// Number of sources.
    pub sources: u8,
    /// Encoding class.
    pub class: EncodingClass,
    /// Logic operation, whose source modifier `-` is a bitwise NOT from gen8 on.
    pub logic: bool,
    /// The modifiers that the operation supports: bits `PRED`, `CMOD`, `SAT` and `MODS`.
    pub modifiers: u8,
    /// Legal combinations of destination and source types on gen9; empty if the operands have no
    /// types. Each source is checked separately, so sources may have different types.
    pub types: &'static [TypeRow],
    /// First generation, last generation, opcode number.
    pub numbers: &'static [(Gen, Gen, u8)],
}

/// Predication.
pub const PRED: u8 = 1;
/// Conditional modifier.
pub const CMOD: u8 = 2;
/// Saturation.
pub const SAT: u8 = 4;
/// Source modifiers.
pub const MODS: u8 = 8;
/// Logic operation, see [`OpcodeInfo::logic`].
const LOGIC: u8 = 0x80;

/// A set of types: a bit for each, in the order of [`Type`].
pub type TypeSet = u16;

/// Destination types, and the source types that can be combined with them.
pub type TypeRow = (TypeSet, TypeSet);

/// The set that contains one type.
pub const fn set_of(ty: Type) -> TypeSet {
    1 << ty as u16
}

const BYTES: TypeSet = set_of(Type::Ub) | set_of(Type::B);
const WORDS: TypeSet = set_of(Type::Uw) | set_of(Type::W);
const DOUBLEWORDS: TypeSet = set_of(Type::Ud) | set_of(Type::D);
const QUADWORDS: TypeSet = set_of(Type::Uq) | set_of(Type::Q);
/// Integers of at most 32 bits.
const SMALL: TypeSet = BYTES | WORDS | DOUBLEWORDS;
const WIDER: TypeSet = WORDS | DOUBLEWORDS;
const UD: TypeSet = set_of(Type::Ud);
const HF: TypeSet = set_of(Type::Hf);
const F: TypeSet = set_of(Type::F);
const DF: TypeSet = set_of(Type::Df);

// Ref: SKL PRM vol. 2a, the data type table of each instruction.
const NONE: &[TypeRow] = &[];
const BITWISE: &[TypeRow] = &[
    (SMALL, SMALL),
    (QUADWORDS, WIDER),
    (WIDER, QUADWORDS),
    (QUADWORDS, QUADWORDS),
];
const SHIFT_RIGHT: &[TypeRow] = &[
    (BYTES | WIDER, BYTES | WIDER),
    (QUADWORDS, WIDER),
    (WIDER, QUADWORDS),
    (QUADWORDS, QUADWORDS),
];
const ADD: &[TypeRow] = &[
    (SMALL | F | HF, SMALL),
    (F | HF, F | HF),
    (DF, DF),
    (QUADWORDS, WIDER),
    (WIDER, QUADWORDS),
    (QUADWORDS, QUADWORDS),
];
/// Of the destination type of a comparison only the size matters.
const COMPARE: &[TypeRow] = &[(
    SMALL | QUADWORDS | HF | F | DF,
    SMALL | QUADWORDS | HF | F | DF,
)];
const SELECT: &[TypeRow] = &[
    (SMALL, SMALL),
    (F | HF, F | HF),
    (DF, DF),
    (QUADWORDS, WIDER),
    (WIDER, QUADWORDS),
    (QUADWORDS, QUADWORDS),
];
const MOVE: &[TypeRow] = &[
    (SMALL | F | HF, SMALL | F | HF),
    (DF | QUADWORDS, WIDER | F | DF | QUADWORDS),
    (WIDER | F, DF | QUADWORDS),
];
const MULTIPLY: &[TypeRow] = &[
    (BYTES | WIDER, BYTES),
    (WIDER, WORDS),
    (DOUBLEWORDS | QUADWORDS, DOUBLEWORDS),
    (F | HF, F | HF),
    (DF, DF),
];
const MULTIPLY_ADD: &[TypeRow] = &[(SMALL, BYTES | WORDS), (F | HF, F | HF), (DF, DF)];
const SMALL_INTEGERS: &[TypeRow] = &[(SMALL, SMALL)];
/// Dwords, in any combination of signedness.
const PLAIN_DWORDS: &[TypeRow] = &[(DOUBLEWORDS, DOUBLEWORDS)];
const COUNT: &[TypeRow] = &[(
    DOUBLEWORDS,
    set_of(Type::Ub) | set_of(Type::Uw) | DOUBLEWORDS,
)];
const DIFFERENCES: &[TypeRow] = &[(WORDS, BYTES)];
const SINGLES: &[TypeRow] = &[(F, F)];
const HALVES: &[TypeRow] = &[(WORDS | F, WORDS | F)];
const FUSED: &[TypeRow] = &[(F | HF, F | HF), (DF, DF)];
const FUSED_MACRO: &[TypeRow] = &[(F, F), (DF, DF)];
const MATH: &[TypeRow] = &[
    (F | HF, F | HF),
    (DF, DF),
    (UD, UD),
    (set_of(Type::D), set_of(Type::D)),
];
const INDEXED: &[TypeRow] = &[
    (BYTES, BYTES),
    (WORDS, WORDS),
    (DOUBLEWORDS, DOUBLEWORDS),
    (F, F),
];
const SCATTERED: &[TypeRow] = &[(
    WIDER | HF | F | QUADWORDS | DF,
    WIDER | HF | F | QUADWORDS | DF,
)];
const DOUBLE_IMMEDIATE: &[TypeRow] = &[(DF, F | DF)];

macro_rules! opcodes {
    ($($(#[$doc:meta])* $variant:ident $name:literal $sources:literal $class:ident
        [$($first:ident .. $last:ident = $number:literal),+] ($modifiers:expr) $types:ident;)*) => {
        /// Operations, by the PRM's mnemonics.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[expect(missing_docs, reason = "the PRM's mnemonics")]
        pub enum Opcode { $($(#[$doc])* $variant,)* }

        /// The table, in the order of [`Opcode`].
        pub static OPCODES: &[OpcodeInfo] = &[$(OpcodeInfo {
            name: $name,
            sources: $sources,
            class: EncodingClass::$class,
            logic: ($modifiers) & LOGIC != 0,
            modifiers: ($modifiers) & !LOGIC,
            types: $types,
            numbers: &[$((Gen::$first, Gen::$last, $number)),+],
        },)*];

        impl Opcode {
            /// All operations, in the table's order.
            pub const ALL: &[Opcode] = &[$(Opcode::$variant,)*];
        }
    };
}
opcodes! {
    Illegal "illegal" 0 Nullary [Gen7..Gen12_5 = 0] (0) NONE;
    Mov "mov" 1 Basic [Gen7..Gen11 = 1, Gen12..Gen12_5 = 97] (PRED | CMOD | SAT | MODS) MOVE;
    Sel "sel" 2 Basic [Gen7..Gen11 = 2, Gen12..Gen12_5 = 98] (PRED | CMOD | SAT | MODS) SELECT;
    Movi "movi" 1 Basic [Gen7..Gen11 = 3, Gen12..Gen12_5 = 99] (PRED | SAT | MODS) INDEXED;
    Not "not" 1 Basic [Gen7..Gen11 = 4, Gen12..Gen12_5 = 100] (PRED | CMOD | MODS | LOGIC) BITWISE;
    And "and" 2 Basic [Gen7..Gen11 = 5, Gen12..Gen12_5 = 101] (PRED | CMOD | MODS | LOGIC) BITWISE;
    Or "or" 2 Basic [Gen7..Gen11 = 6, Gen12..Gen12_5 = 102] (PRED | CMOD | MODS | LOGIC) BITWISE;
    Xor "xor" 2 Basic [Gen7..Gen11 = 7, Gen12..Gen12_5 = 103] (PRED | CMOD | MODS | LOGIC) BITWISE;
    Shr "shr" 2 Basic [Gen7..Gen11 = 8, Gen12..Gen12_5 = 104] (PRED | CMOD | SAT | MODS) SHIFT_RIGHT;
    Shl "shl" 2 Basic [Gen7..Gen11 = 9, Gen12..Gen12_5 = 105] (PRED | CMOD | SAT | MODS) BITWISE;
    Dim "dim" 1 Basic [Gen7_5..Gen7_5 = 10] (PRED | CMOD | SAT | MODS) DOUBLE_IMMEDIATE;
    Smov "smov" 2 Basic [Gen8..Gen11 = 10, Gen12..Gen12_5 = 106] (PRED) SCATTERED;
    Asr "asr" 2 Basic [Gen7..Gen11 = 12, Gen12..Gen12_5 = 108] (PRED | CMOD | SAT | MODS) BITWISE;
    Ror "ror" 2 Basic [Gen11..Gen11 = 14, Gen12..Gen12_5 = 110] (PRED | CMOD | MODS) PLAIN_DWORDS;
    Rol "rol" 2 Basic [Gen11..Gen11 = 15, Gen12..Gen12_5 = 111] (PRED | CMOD | MODS) PLAIN_DWORDS;
    Cmp "cmp" 2 Basic [Gen7..Gen11 = 16, Gen12..Gen12_5 = 112] (PRED | CMOD | MODS) COMPARE;
    Cmpn "cmpn" 2 Basic [Gen7..Gen11 = 17, Gen12..Gen12_5 = 113] (PRED | CMOD | MODS) COMPARE;
    Csel "csel" 3 ThreeSource [Gen8..Gen11 = 18, Gen12..Gen12_5 = 114] (CMOD | SAT | MODS) SINGLES;
    F32to16 "f32to16" 1 Basic [Gen7..Gen7_5 = 19] (PRED | CMOD | SAT | MODS) HALVES;
    F16to32 "f16to32" 1 Basic [Gen7..Gen7_5 = 20] (PRED | CMOD | SAT | MODS) HALVES;
    Bfrev "bfrev" 1 Basic [Gen7..Gen11 = 23, Gen12..Gen12_5 = 119] (PRED) PLAIN_DWORDS;
    Bfe "bfe" 3 ThreeSource [Gen7..Gen11 = 24, Gen12..Gen12_5 = 120] (PRED) PLAIN_DWORDS;
    Bfi1 "bfi1" 2 Basic [Gen7..Gen11 = 25, Gen12..Gen12_5 = 121] (PRED) PLAIN_DWORDS;
    Bfi2 "bfi2" 3 ThreeSource [Gen7..Gen11 = 26, Gen12..Gen12_5 = 122] (PRED) PLAIN_DWORDS;
    Jmpi "jmpi" 1 Jump [Gen7..Gen12_5 = 32] (PRED) NONE;
    Brd "brd" 1 Jump [Gen7..Gen12_5 = 33] (PRED) NONE;
    If "if" 0 JipUip [Gen7..Gen12_5 = 34] (PRED) NONE;
    Brc "brc" 1 Jump [Gen7..Gen12_5 = 35] (PRED) NONE;
    Else "else" 0 JipUip [Gen7..Gen12_5 = 36] (0) NONE;
    Endif "endif" 0 Jip [Gen7..Gen12_5 = 37] (0) NONE;
    While "while" 0 Jip [Gen7..Gen12_5 = 39] (PRED) NONE;
    Break "break" 0 JipUip [Gen7..Gen12_5 = 40] (PRED) NONE;
    Cont "cont" 0 JipUip [Gen7..Gen12_5 = 41] (PRED) NONE;
    Halt "halt" 0 JipUip [Gen7..Gen12_5 = 42] (PRED) NONE;
    Calla "calla" 1 Jump [Gen7_5..Gen12_5 = 43] (PRED) NONE;
    Call "call" 1 Jump [Gen7..Gen12_5 = 44] (PRED) NONE;
    Ret "ret" 1 Jump [Gen7..Gen12_5 = 45] (PRED) NONE;
    Goto "goto" 0 JipUip [Gen8..Gen12_5 = 46] (PRED) NONE;
    Join "join" 0 Jip [Gen8..Gen12_5 = 47] (PRED) NONE;
    Wait "wait" 1 Wait [Gen7..Gen11 = 48] (0) NONE;
    Send "send" 1 Send [Gen7..Gen12_5 = 49] (PRED) NONE;
    Sendc "sendc" 1 Send [Gen7..Gen12_5 = 50] (PRED) NONE;
    Sends "sends" 2 SplitSend [Gen9..Gen11 = 51] (PRED) NONE;
    Sendsc "sendsc" 2 SplitSend [Gen9..Gen11 = 52] (PRED) NONE;
    Math "math" 2 Math [Gen7..Gen12_5 = 56] (PRED | SAT | MODS) MATH;
    Add "add" 2 Basic [Gen7..Gen12_5 = 64] (PRED | CMOD | SAT | MODS) ADD;
    Mul "mul" 2 Basic [Gen7..Gen12_5 = 65] (PRED | CMOD | SAT | MODS) MULTIPLY;
    Avg "avg" 2 Basic [Gen7..Gen12_5 = 66] (PRED | CMOD | SAT | MODS) SMALL_INTEGERS;
    Frc "frc" 1 Basic [Gen7..Gen12_5 = 67] (PRED | CMOD | MODS) SINGLES;
    Rndu "rndu" 1 Basic [Gen7..Gen12_5 = 68] (PRED | CMOD | SAT | MODS) SINGLES;
    Rndd "rndd" 1 Basic [Gen7..Gen12_5 = 69] (PRED | CMOD | SAT | MODS) SINGLES;
    Rnde "rnde" 1 Basic [Gen7..Gen12_5 = 70] (PRED | CMOD | SAT | MODS) SINGLES;
    Rndz "rndz" 1 Basic [Gen7..Gen12_5 = 71] (PRED | CMOD | SAT | MODS) SINGLES;
    Mac "mac" 2 Basic [Gen7..Gen12_5 = 72] (PRED | CMOD | SAT | MODS) MULTIPLY_ADD;
    Mach "mach" 2 Basic [Gen7..Gen12_5 = 73] (PRED | SAT | MODS) PLAIN_DWORDS;
    Lzd "lzd" 1 Basic [Gen7..Gen12_5 = 74] (PRED | CMOD | SAT | MODS) PLAIN_DWORDS;
    Fbh "fbh" 1 Basic [Gen7..Gen12_5 = 75] (PRED) PLAIN_DWORDS;
    Fbl "fbl" 1 Basic [Gen7..Gen12_5 = 76] (PRED) PLAIN_DWORDS;
    Cbit "cbit" 1 Basic [Gen7..Gen12_5 = 77] (PRED) COUNT;
    Addc "addc" 2 Basic [Gen7..Gen12_5 = 78] (PRED | CMOD) PLAIN_DWORDS;
    Subb "subb" 2 Basic [Gen7..Gen12_5 = 79] (PRED | CMOD | SAT) PLAIN_DWORDS;
    Sad2 "sad2" 2 Basic [Gen7..Gen11 = 80] (PRED | CMOD | SAT | MODS) DIFFERENCES;
    Sada2 "sada2" 2 Basic [Gen7..Gen11 = 81] (PRED | CMOD | SAT | MODS) DIFFERENCES;
    Dp4 "dp4" 2 Basic [Gen7..Gen9 = 84] (PRED | CMOD | SAT | MODS) SINGLES;
    Dph "dph" 2 Basic [Gen7..Gen9 = 85] (PRED | CMOD | SAT | MODS) SINGLES;
    Dp3 "dp3" 2 Basic [Gen7..Gen9 = 86] (PRED | CMOD | SAT | MODS) SINGLES;
    Dp2 "dp2" 2 Basic [Gen7..Gen9 = 87] (PRED | CMOD | SAT | MODS) SINGLES;
    Dp4a "dp4a" 3 ThreeSource [Gen12..Gen12_5 = 88] (PRED | CMOD | SAT) PLAIN_DWORDS;
    Line "line" 2 Basic [Gen7..Gen9 = 89] (PRED | CMOD | SAT | MODS) SINGLES;
    Pln "pln" 2 Basic [Gen7..Gen9 = 90] (PRED | CMOD | SAT) SINGLES;
    Mad "mad" 3 ThreeSource [Gen7..Gen12_5 = 91] (PRED | CMOD | SAT | MODS) FUSED;
    Lrp "lrp" 3 ThreeSource [Gen7..Gen9 = 92] (PRED | CMOD | SAT | MODS) SINGLES;
    Madm "madm" 3 ThreeSource [Gen8..Gen12_5 = 93] (PRED | CMOD | SAT | MODS) FUSED_MACRO;
    Sync "sync" 1 Basic [Gen12..Gen12_5 = 1] (0) NONE;
    Nop "nop" 0 Nullary [Gen7..Gen11 = 126, Gen12..Gen12_5 = 96] (0) NONE;
}

impl Opcode {
    /// The row of the operation in the table.
    pub fn info(self) -> &'static OpcodeInfo {
        &OPCODES[self as usize]
    }

    /// Opcode number in a generation; `None` if the generation lacks the operation.
    pub fn number(self, hw_gen: Gen) -> Option<u8> {
        let numbers = self.info().numbers;
        let found = numbers.iter().find(|n| n.0 <= hw_gen && hw_gen <= n.1);
        found.map(|n| n.2)
    }

    /// The operation with this opcode number in a generation.
    pub fn from_number(number: u8, hw_gen: Gen) -> Option<Opcode> {
        let has = |op: &&Opcode| op.number(hw_gen) == Some(number);
        Opcode::ALL.iter().find(has).copied()
    }

    /// The operation with this mnemonic.
    pub fn from_name(name: &str) -> Option<Opcode> {
        let has = |op: &&Opcode| op.info().name == name;
        Opcode::ALL.iter().find(has).copied()
    }

    /// True for SEND, SENDC, SENDS and SENDSC.
    pub fn is_send(self) -> bool {
        matches!(
            self.info().class,
            EncodingClass::Send | EncodingClass::SplitSend
        )
    }

    /// True for operations that may change control flow.
    pub fn is_branch(self) -> bool {
        matches!(
            self.info().class,
            EncodingClass::Jip | EncodingClass::JipUip | EncodingClass::Jump
        )
    }
}
