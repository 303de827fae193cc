//! The table of INGOT_DEBUG flags and its parser.
