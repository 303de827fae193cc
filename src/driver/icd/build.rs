//! Links the library so that threads may be ended inside it (`sys::forced_unwinding`).

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-cdylib-link-arg=-Wl,--wrap=rust_eh_personality");
}
