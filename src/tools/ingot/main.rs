//! The ingot command.

fn main() {}
