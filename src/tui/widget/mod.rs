//! The widgets that screens are drawn with. They do not depend on screens.

pub mod field;
pub mod frame;
pub mod list;
pub mod text;
pub mod diff;
pub mod value;
