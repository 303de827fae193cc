//! The forms of the tables of conditions.

macro_rules! get {
    ($work:expr, $command:ident::$field:ident) => {
        $work.get(&draw::$command::PACKET, draw::$command::$field)
    };
}

macro_rules! flag {
    ($work:expr, $command:ident::$field:ident) => {
        get!($work, $command::$field) != 0
    };
}

/// True for a field among these of one packet.
macro_rules! among {
    ($place:expr, $field:expr, $table:ident::$packet:ident [$($own:ident)+]) => {
        std::ptr::eq($place.packet, &$table::$packet::PACKET) && [$($table::$packet::$own),+].contains($field)
    };
}

/// Rows of fields and the condition under which they count; every row that names a field has to
/// hold.
macro_rules! rows {
    ($place:expr, $field:expr; $($table:ident::$packet:ident [$($own:ident)+] if $condition:expr;)*) => {
        $((!among!($place, $field, $table::$packet [$($own)+]) || $condition))&&*
    };
}

/// Commands all of whose fields count under a condition, but for those named.
macro_rules! whole {
    ($place:expr, $field:expr; $([$($packet:ident)+] $(but $flag:ident::$own:ident)? if $condition:expr;)*) => {
        $((![$(&draw::$packet::PACKET),+].iter().any(|packet: &&Packet| std::ptr::eq($place.command, *packet))
            $(|| std::ptr::eq($place.packet, &draw::$flag::PACKET) && *$field == draw::$flag::$own)? || $condition))&&*
    };
}
