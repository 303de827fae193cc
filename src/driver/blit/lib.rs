//! Copies, clears and resolves through internal shaders.
