//! SPIR-V words to checked module to NIR.
