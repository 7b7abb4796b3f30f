//! The command-line face.
