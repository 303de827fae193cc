//! Batch words and memory to memory.
