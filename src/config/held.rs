//! The settings in force while the user's file has an error: its last valid version.
//!
//! *Accepted*: the whole older text in place of the newer. *Rejected*: older text for the faulty lines only, which
//! would be a file that the user never wrote. Permissions for others are excluded: a user who removes a trusted key and
//! mistypes the next line must not find that key still trusted.

use super::{Config, Origin};
use crate::diag::{Diagnostics, Severity, Stage};
use crate::world::World;

/// Settings that only count from the current file.
const GRANTS: &[&str] = &["trusted-keys", "fetch-allow", "sudo"];

impl Config {
    /// Whether the user's file has an error, including those that a face found.
    pub fn is_file_faulty(&self) -> bool {
        let is_here = |span: crate::source::Span| Some(span.file) == self.text;
        let mut errors = self.diagnostics.iter().filter(|fault| fault.severity == Severity::Error);
        self.is_unread || errors.any(|fault| fault.span.is_some_and(is_here))
    }

    /// The text of the user's file, if it is readable.
    pub fn text(&self) -> Option<&str> {
        Some(&self.sources.file(self.text?).text)
    }

    /// The same settings with an older text of the user's file. Errors of the current one are still reported.
    ///
    /// `None` if that text has errors too: another version may have known other settings.
    pub fn as_held(&self, world: &dyn World, text: &str) -> Option<Self> {
        let file = self.file.clone()?;
        let given = self.given.iter().filter(|given| given.origin != Origin::User).cloned().collect();
        let mut held = Self { given, diagnostics: Diagnostics::new(Stage::Module), is_held: true, ..self.clone() };
        let id = held.sources.add(format!("{} (last version without errors)", file.display()), None, text);
        held.read_user_text(world, &file, id, text);
        if held.diagnostics.has_errors() {
            return None;
        }
        held.given.retain(|given| given.origin != Origin::User || !GRANTS.contains(&given.setting.name));
        held.diagnostics = self.diagnostics.clone();
        Some(held)
    }

    /// What is in force instead of a faulty user's file; `None` if it has no error.
    pub fn in_force_words(&self) -> Option<&'static str> {
        let says_something = || self.given.iter().any(|given| given.origin == Origin::User);
        match self.is_file_faulty() {
            false => None,
            true if self.is_held => Some("your last valid settings are in use"),
            true if says_something() => Some("only the other lines of the file are in use"),
            true => Some("the defaults are in use"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::Config;
    use crate::world::{Memory, Read, Sample};

    #[test]
    fn what_lets_others_act_is_not_held() {
        let path = Path::new("/config.toml");
        let read = |text: &str| {
            let world = Memory::default().with(Read::File(path.into()), Sample::Bytes(text.as_bytes().into()));
            Config::check_file(&world, path)
        };
        let right = "sudo = true\nmouse = false\nfetch-allow = [\"git\"]\ntrusted-keys = [\"RWQf6\"]\n";
        assert!(!read(right).is_file_faulty());
        let faulty = read("mouse = fal\n");
        assert!(faulty.is_file_faulty() && faulty.in_force_words() == Some("the defaults are in use"));
        let held = faulty.as_held(&Memory::default(), right).expect("that text has no fault");
        assert!(!held.mouse() && !held.sudo() && held.fetch_allow().is_empty() && held.trusted_keys().is_empty());
        assert_eq!(held.in_force_words(), Some("your last valid settings are in use"));
        assert!(faulty.as_held(&Memory::default(), "mouse = 3\n").is_none());
    }
}
