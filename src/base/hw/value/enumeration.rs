//! What an enumeration is, and the macro that declares the tables of this folder.

/// An enumeration: the fields that use it, and its values.
#[derive(Clone, Copy, Debug)]
pub struct Enumeration {
    /// Name of the module with its constants.
    pub name: &'static str,
    /// Names of packet and field.
    pub fields: &'static [(&'static str, &'static str)],
    /// Names in this module and in genxml, and the value.
    pub values: &'static [(&'static str, &'static str, u64)],
}

macro_rules! values {
    ($($(#[doc = $doc:literal])+
        $module:ident for [$($packet:literal $field:literal,)+] {
            $($value:ident $genxml:literal $number:literal;)+
        }
    )+) => {
        $($(#[doc = $doc])+
        pub mod $module {
            $(#[doc = concat!("\"", $genxml, "\".")]
            pub const $value: u64 = $number;)+
        })+

        /// All enumerations of this module.
        pub static ALL: &[$crate::value::enumeration::Enumeration] = &[$($crate::value::enumeration::Enumeration {
            name: stringify!($module),
            fields: &[$(($packet, $field)),+],
            values: &[$((stringify!($value), $genxml, $number)),+],
        }),+];
    };
}
pub(super) use values;
