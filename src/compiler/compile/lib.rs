//! One call from SPIR-V and a key to a ShaderBinary.
