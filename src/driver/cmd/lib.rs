//! Dispatch and draw state to batch words and a list of buffers.
