//! Checks the laws of src/README.md.
