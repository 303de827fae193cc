//! The form of the fate tables: what the simulator does with a field.
//!
//! In:  nothing. Out: [`Fate`], [`Fates`], and the macros in which the tables are written.

use hw::{Field, Packet};

/// What the simulator does about a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// A unit reads the field.
    Modelled,
    /// A unit reads it as a limit: values within the limit give equal results.
    Bound,
    /// A unit reads the dwords that contain it, in this file.
    Words(&'static str),
    /// Strict mode checks it, by the rule of this name.
    Ruled(&'static str),
    /// Strict mode checks it as a limit, by the rule of this name.
    Allows(&'static str),
    /// Strict mode requires one of these values; the text cites the source.
    Only(&'static [u64], &'static str),
    /// No result depends on it; the text says why.
    Inert(&'static str),
    /// A nonzero value is not simulated.
    Refused,
    /// The command that contains it is not simulated.
    Never,
}

/// The fields that a row of a table covers.
#[derive(Clone, Copy, Debug)]
pub(super) enum FieldSet {
    Field(Field),
    /// All fields of this name, in packets with repeated fields; `*` is every field.
    Named(&'static str),
}

impl FieldSet {
    pub(super) fn is(self, field: &Field) -> bool {
        match self {
            FieldSet::Field(own) => own == *field,
            FieldSet::Named("*") => true,
            FieldSet::Named(name) => name == field.name,
        }
    }
}

/// The fates of a packet's fields.
#[derive(Clone, Copy, Debug)]
pub struct Fates {
    /// The packet.
    pub packet: &'static Packet,
    pub(super) rows: &'static [(&'static [FieldSet], Fate)],
}

impl Fates {
    /// The fates that the table gives a field: exactly one in a correct table.
    pub(super) fn all_of(&self, field: &Field) -> impl Iterator<Item = Fate> {
        let rows = self.rows.iter();
        let found = rows.filter(|(which, _)| which.iter().any(|which| which.is(field)));
        found.map(|(_, fate)| *fate)
    }

    /// The fate of one of the packet's fields.
    pub fn field_fate(&self, field: &Field) -> Option<Fate> {
        self.all_of(field).next()
    }

    /// True if the command as a whole is not simulated.
    pub fn never(&self) -> bool {
        self.rows.iter().any(|(_, fate)| *fate == Fate::Never)
    }
}

/// A fate in the notation of the tables.
macro_rules! fate {
    (never) => {
        $crate::fate::table::Fate::Never
    };
    (modelled) => {
        $crate::fate::table::Fate::Modelled
    };
    (bound) => {
        $crate::fate::table::Fate::Bound
    };
    (refused) => {
        $crate::fate::table::Fate::Refused
    };
    (words($file:literal)) => {
        $crate::fate::table::Fate::Words($file)
    };
    (ruled($rule:literal)) => {
        $crate::fate::table::Fate::Ruled($rule)
    };
    (inert($why:ident)) => {
        $crate::fate::table::Fate::Inert($why)
    };
    (allows($rule:literal)) => {
        $crate::fate::table::Fate::Allows($rule)
    };
    (only($values:tt, $source:literal)) => {
        $crate::fate::table::Fate::Only(&$values, $source)
    };
}

/// Declares the fates of a table's packets.
macro_rules! fates {
    ($($table:ident::$packet:ident { $(
        $kind:ident $(($($argument:tt)*))? $(: $($field:ident),+)? $(named $($name:literal),+)? ;
    )* })*) => {
        /// The fates of this table's packets.
        pub(super) static ALL: &[$crate::fate::table::Fates] = &[$($crate::fate::table::Fates {
            packet: &$table::$packet::PACKET,
            rows: &[$((
                &[
                    $($($crate::fate::table::FieldSet::Field($table::$packet::$field)),+)?
                    $($($crate::fate::table::FieldSet::Named($name)),+)?
                ],
                $crate::fate::table::fate!($kind $(($($argument)*))?),
            )),*],
        }),*];
    };
}
pub(super) use {fate, fates};
