//! The macro that declares the tables of packets and state structures.

/// Declares packets and a table `ALL` of them. Each becomes a module with `PACKET`, a constant for
/// each field, and `words`, the packet with all fields zero.
macro_rules! packets {
    ($($(#[$doc:meta])* $module:ident $name:literal [$first:ident..$last:ident]
        dwords $dwords:literal header $header:literal mask $mask:literal length $length:literal bias $bias:literal {
        $($field:ident $fname:literal $lo:literal..$hi:literal $kind:ident;)*
    })*) => {
        $($(#[$doc])* pub mod $module {
            #[allow(unused_imports, reason = "some packets have no fields")]
            use $crate::packet::{Field, FieldKind, Packet};
            use $crate::generation::Gen;
            $(#[doc = concat!("`", $fname, "`")] pub const $field: Field = Field {
                name: $fname, lo: $lo, hi: $hi, kind: FieldKind::$kind,
            };)*
            #[doc = $name]
            pub static PACKET: Packet = Packet {
                name: $name,
                first: Gen::$first,
                last: Gen::$last,
                dwords: $dwords,
                header: $header,
                header_mask: $mask,
                length_mask: $length,
                length_bias: $bias,
                fields: &[$($field),*],
            };
            /// The packet with `N` dwords, its header set and all fields zero, as a constant.
            #[inline(always)]
            pub const fn words<const N: usize>() -> $crate::pack::PacketWords<N> {
                const { PACKET.words::<N>() }
            }
        })*
        /// All packets of this table.
        pub static ALL: &[&$crate::packet::Packet] = &[$(&$module::PACKET),*];
    };
}
pub(crate) use packets;
