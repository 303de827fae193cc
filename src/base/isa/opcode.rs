//! The opcode table: one entry for each operation, with its number in each generation.
//!
//! Ref: SKL PRM vol. 7, "EU Opcode Encoding"; later and earlier numbers from the same section of those PRMs.

use hw::Gen;

/// How an instruction's operands are encoded and what it does with control flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// One or two sources.
    Basic,
    /// Three sources, in their own encoding.
    ThreeSource,
    /// MATH: the function stands where others have the conditional modifier.
    Math,
    /// SEND, SENDC: one payload.
    Send,
    /// SENDS, SENDSC: two payloads.
    SplitSend,
    /// A jump with JIP alone.
    Jip,
    /// A jump with JIP and UIP.
    JipUip,
    /// JMPI, BRD, BRC, CALL, RET, CALLA: the target is an ordinary operand or an immediate.
    Jump,
    /// No operands.
    Nullary,
    /// WAIT: one notification register, source and destination at once.
    Wait,
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub struct OpcodeInfo {
    /// Mnemonic in IGA's syntax.
    pub name: &'static str,
    /// Sources.
    pub sources: u8,
    /// Encoding class.
    pub class: Class,
    /// Source modifier `-` is a bitwise NOT from gen8 on.
    pub logic: bool,
    /// (first generation, last generation, number).
    pub numbers: &'static [(Gen, Gen, u8)],
}

macro_rules! opcodes {
    ($($(#[$doc:meta])* $variant:ident $name:literal $sources:literal $class:ident $($logic:ident)?
        [$($first:ident .. $last:ident = $number:literal),+];)*) => {
        /// Operations, by the PRM's mnemonics.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[expect(missing_docs, reason = "the PRM's mnemonics")]
        pub enum Opcode { $($(#[$doc])* $variant,)* }

        /// The table, in the order of [`Opcode`].
        pub static OPCODES: &[OpcodeInfo] = &[$(OpcodeInfo {
            name: $name,
            sources: $sources,
            class: Class::$class,
            logic: logic!($($logic)?),
            numbers: &[$((Gen::$first, Gen::$last, $number)),+],
        },)*];

        impl Opcode {
            /// All operations, in the table's order.
            pub const ALL: &[Opcode] = &[$(Opcode::$variant,)*];
        }
    };
}
macro_rules! logic {
    () => {
        false
    };
    (logic) => {
        true
    };
}

opcodes! {
    Illegal "illegal" 0 Nullary [Gen7..Gen12_5 = 0];
    Mov "mov" 1 Basic [Gen7..Gen11 = 1, Gen12..Gen12_5 = 97];
    Sel "sel" 2 Basic [Gen7..Gen11 = 2, Gen12..Gen12_5 = 98];
    Movi "movi" 1 Basic [Gen7..Gen11 = 3, Gen12..Gen12_5 = 99];
    Not "not" 1 Basic logic [Gen7..Gen11 = 4, Gen12..Gen12_5 = 100];
    And "and" 2 Basic logic [Gen7..Gen11 = 5, Gen12..Gen12_5 = 101];
    Or "or" 2 Basic logic [Gen7..Gen11 = 6, Gen12..Gen12_5 = 102];
    Xor "xor" 2 Basic logic [Gen7..Gen11 = 7, Gen12..Gen12_5 = 103];
    Shr "shr" 2 Basic [Gen7..Gen11 = 8, Gen12..Gen12_5 = 104];
    Shl "shl" 2 Basic [Gen7..Gen11 = 9, Gen12..Gen12_5 = 105];
    Dim "dim" 1 Basic [Gen7_5..Gen7_5 = 10];
    Smov "smov" 2 Basic [Gen8..Gen11 = 10, Gen12..Gen12_5 = 106];
    Asr "asr" 2 Basic [Gen7..Gen11 = 12, Gen12..Gen12_5 = 108];
    Ror "ror" 2 Basic [Gen11..Gen11 = 14, Gen12..Gen12_5 = 110];
    Rol "rol" 2 Basic [Gen11..Gen11 = 15, Gen12..Gen12_5 = 111];
    Cmp "cmp" 2 Basic [Gen7..Gen11 = 16, Gen12..Gen12_5 = 112];
    Cmpn "cmpn" 2 Basic [Gen7..Gen11 = 17, Gen12..Gen12_5 = 113];
    Csel "csel" 3 ThreeSource [Gen8..Gen11 = 18, Gen12..Gen12_5 = 114];
    F32to16 "f32to16" 1 Basic [Gen7..Gen7_5 = 19];
    F16to32 "f16to32" 1 Basic [Gen7..Gen7_5 = 20];
    Bfrev "bfrev" 1 Basic [Gen7..Gen11 = 23, Gen12..Gen12_5 = 119];
    Bfe "bfe" 3 ThreeSource [Gen7..Gen11 = 24, Gen12..Gen12_5 = 120];
    Bfi1 "bfi1" 2 Basic [Gen7..Gen11 = 25, Gen12..Gen12_5 = 121];
    Bfi2 "bfi2" 3 ThreeSource [Gen7..Gen11 = 26, Gen12..Gen12_5 = 122];
    Jmpi "jmpi" 1 Jump [Gen7..Gen12_5 = 32];
    Brd "brd" 1 Jump [Gen7..Gen12_5 = 33];
    If "if" 0 JipUip [Gen7..Gen12_5 = 34];
    Brc "brc" 1 Jump [Gen7..Gen12_5 = 35];
    Else "else" 0 JipUip [Gen7..Gen12_5 = 36];
    Endif "endif" 0 Jip [Gen7..Gen12_5 = 37];
    While "while" 0 Jip [Gen7..Gen12_5 = 39];
    Break "break" 0 JipUip [Gen7..Gen12_5 = 40];
    Cont "cont" 0 JipUip [Gen7..Gen12_5 = 41];
    Halt "halt" 0 JipUip [Gen7..Gen12_5 = 42];
    Calla "calla" 1 Jump [Gen7_5..Gen12_5 = 43];
    Call "call" 1 Jump [Gen7..Gen12_5 = 44];
    Ret "ret" 1 Jump [Gen7..Gen12_5 = 45];
    Goto "goto" 0 JipUip [Gen8..Gen12_5 = 46];
    Join "join" 0 Jip [Gen8..Gen12_5 = 47];
    Wait "wait" 1 Wait [Gen7..Gen11 = 48];
    Send "send" 1 Send [Gen7..Gen12_5 = 49];
    Sendc "sendc" 1 Send [Gen7..Gen12_5 = 50];
    Sends "sends" 2 SplitSend [Gen9..Gen11 = 51];
    Sendsc "sendsc" 2 SplitSend [Gen9..Gen11 = 52];
    Math "math" 2 Math [Gen7..Gen12_5 = 56];
    Add "add" 2 Basic [Gen7..Gen12_5 = 64];
    Mul "mul" 2 Basic [Gen7..Gen12_5 = 65];
    Avg "avg" 2 Basic [Gen7..Gen12_5 = 66];
    Frc "frc" 1 Basic [Gen7..Gen12_5 = 67];
    Rndu "rndu" 1 Basic [Gen7..Gen12_5 = 68];
    Rndd "rndd" 1 Basic [Gen7..Gen12_5 = 69];
    Rnde "rnde" 1 Basic [Gen7..Gen12_5 = 70];
    Rndz "rndz" 1 Basic [Gen7..Gen12_5 = 71];
    Mac "mac" 2 Basic [Gen7..Gen12_5 = 72];
    Mach "mach" 2 Basic [Gen7..Gen12_5 = 73];
    Lzd "lzd" 1 Basic [Gen7..Gen12_5 = 74];
    Fbh "fbh" 1 Basic [Gen7..Gen12_5 = 75];
    Fbl "fbl" 1 Basic [Gen7..Gen12_5 = 76];
    Cbit "cbit" 1 Basic [Gen7..Gen12_5 = 77];
    Addc "addc" 2 Basic [Gen7..Gen12_5 = 78];
    Subb "subb" 2 Basic [Gen7..Gen12_5 = 79];
    Sad2 "sad2" 2 Basic [Gen7..Gen11 = 80];
    Sada2 "sada2" 2 Basic [Gen7..Gen11 = 81];
    Dp4 "dp4" 2 Basic [Gen7..Gen9 = 84];
    Dph "dph" 2 Basic [Gen7..Gen9 = 85];
    Dp3 "dp3" 2 Basic [Gen7..Gen9 = 86];
    Dp2 "dp2" 2 Basic [Gen7..Gen9 = 87];
    Dp4a "dp4a" 3 ThreeSource [Gen12..Gen12_5 = 88];
    Line "line" 2 Basic [Gen7..Gen9 = 89];
    Pln "pln" 2 Basic [Gen7..Gen9 = 90];
    Mad "mad" 3 ThreeSource [Gen7..Gen12_5 = 91];
    Lrp "lrp" 3 ThreeSource [Gen7..Gen9 = 92];
    Madm "madm" 3 ThreeSource [Gen8..Gen12_5 = 93];
    Sync "sync" 1 Basic [Gen12..Gen12_5 = 1];
    Nop "nop" 0 Nullary [Gen7..Gen11 = 126, Gen12..Gen12_5 = 96];
}

impl Opcode {
    /// The row of the table.
    pub fn info(self) -> &'static OpcodeInfo {
        &OPCODES[self as usize]
    }

    /// Number in this generation, if the operation exists there.
    pub fn number(self, hw_gen: Gen) -> Option<u8> {
        let numbers = self.info().numbers;
        let found = numbers.iter().find(|n| n.0 <= hw_gen && hw_gen <= n.1);
        found.map(|n| n.2)
    }

    /// The operation with this number in this generation.
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
        matches!(self.info().class, Class::Send | Class::SplitSend)
    }

    /// True if control may go elsewhere after it.
    pub fn is_branch(self) -> bool {
        matches!(self.info().class, Class::Jip | Class::JipUip | Class::Jump)
    }
}
