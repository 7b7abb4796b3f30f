//! Colours by role, or none: no information depends on colour.

use std::fmt::{self, Display};

/// The role of a piece of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Title,
    Quiet,
    Good,
    Create,
    Change,
    Remove,
    Run,
    Unknown,
    Error,
    Warning,
    Name,
}

impl Role {
    /// The parameters of the escape sequence: one of the sixteen colours that every terminal has and every theme maps.
    fn sgr(self) -> &'static str {
        match self {
            Role::Title => "1",
            Role::Quiet => "2",
            Role::Good | Role::Create => "32",
            Role::Change | Role::Warning => "33",
            Role::Remove => "31",
            Role::Run => "36",
            Role::Unknown => "35",
            Role::Error => "1;31",
            Role::Name => "1",
        }
    }
}

/// Whether colours are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Paint {
    pub on: bool,
}

impl Paint {
    /// Text in the colour of its role. Padding in the format applies to the text, not to the escapes.
    pub fn role<T: Display>(self, role: Role, text: T) -> Painted<T> {
        Painted { sgr: self.on.then(|| role.sgr()), text }
    }
}

/// See [`Paint::role`].
pub struct Painted<T> {
    sgr: Option<&'static str>,
    text: T,
}

impl<T: Display> Display for Painted<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(sgr) = self.sgr else { return self.text.fmt(f) };
        write!(f, "\x1b[{sgr}m")?;
        self.text.fmt(f)?;
        f.write_str("\x1b[0m")
    }
}
