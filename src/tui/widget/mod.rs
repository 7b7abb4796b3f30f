//! Pieces that screens are drawn from. They know nothing of screens.

pub mod frame;
pub mod list;
pub mod text;
pub mod diff;
pub mod value;
