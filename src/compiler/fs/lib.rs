//! The FS backend: NIR to LIR to EU bytes.
