//! The user's theme: a built-in one, or one in `themes/` beside the user's file.

use std::path::PathBuf;
use std::sync::Arc;

use super::{Config, ThemeChoice, Value, Written};
use crate::diag::{Code, Diagnostic, Diagnostics, nearest};
use crate::highlight::{BUILT_IN, Theme, load_theme};
use crate::world::{Read, Sample, World};

impl Config {
    /// The theme for a light or a dark terminal. A faulty one is reported, and replaced by the default.
    pub fn theme(&mut self, world: &dyn World, light: bool) -> Theme {
        let default = if light { "day" } else { "night" };
        let chosen = match self.value("theme") {
            Some(Value::Theme(ThemeChoice::Named(name))) => Some(name.clone()),
            Some(Value::Theme(ThemeChoice::ByTerminal { light: name, .. })) if light => Some(name.clone()),
            Some(Value::Theme(ThemeChoice::ByTerminal { dark: name, .. })) => Some(name.clone()),
            _ => None,
        };
        chosen
            .and_then(|name| self.load_theme(world, &name))
            .or_else(|| Theme::built_in(default))
            .expect("those compiled in are tested")
    }

    /// Whether light and dark terminals get different themes.
    pub fn theme_is_the_terminals(&self) -> bool {
        matches!(self.value("theme"), None | Some(Value::Theme(ThemeChoice::Auto | ThemeChoice::ByTerminal { .. })))
    }

    /// A theme by its name; `None` if it does not exist or is not TOML.
    pub fn load_theme(&mut self, world: &dyn World, name: &Written) -> Option<Theme> {
        let own = self.own_themes(world);
        if !own.contains(&name.text) && !BUILT_IN.iter().any(|(known, _)| *known == name.text) {
            self.diagnostics.push(no_theme(name, &own));
            return None;
        }
        let folder = self.themes_folder();
        let find = |name: &str| {
            let path = folder.as_ref()?.join(format!("{name}.toml"));
            // Names come from files too, and must not lead to other folders.
            let text = (!name.contains(['/', '\\'])).then(|| world.file(&path).ok()).flatten()?;
            Some((path.display().to_string(), Arc::from(String::from_utf8_lossy(&text).as_ref())))
        };
        load_theme(&name.text, &find, &mut self.sources, &mut self.diagnostics)
    }

    /// The names of the user's own themes, sorted.
    pub fn own_themes(&self, world: &dyn World) -> Vec<String> {
        let Some(folder) = self.themes_folder() else { return Vec::new() };
        match world.read(&Read::Folder(folder)) {
            Ok(Sample::Names(names)) => {
                names.iter().filter_map(|name| name.strip_suffix(".toml")).map(String::from).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The folder of the user's own themes, whether or not it exists.
    pub fn themes_folder(&self) -> Option<PathBuf> {
        Some(self.file.as_ref()?.parent()?.join("themes"))
    }

    /// Checks all of the user's themes, the chosen ones and the others.
    pub fn check_themes(&mut self, world: &dyn World) {
        let chosen = match self.value("theme") {
            Some(Value::Theme(ThemeChoice::Named(name))) => vec![name.clone()],
            Some(Value::Theme(ThemeChoice::ByTerminal { light, dark })) => vec![light.clone(), dark.clone()],
            _ => Vec::new(),
        };
        let others = self.own_themes(world).into_iter().map(|text| Written { text, span: None });
        let others: Vec<_> = others.filter(|name| chosen.iter().all(|other| other.text != name.text)).collect();
        for name in chosen.iter().chain(&others) {
            self.load_theme(world, name);
        }
    }

    /// Adds problems that a face found.
    pub fn add_faults(&mut self, faults: Diagnostics) {
        self.diagnostics.extend(faults);
    }
}

fn no_theme(name: &Written, own: &[String]) -> Diagnostic {
    let known = || own.iter().map(String::as_str).chain(BUILT_IN.iter().map(|(known, _)| *known));
    let help = match nearest(&name.text, known()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("the themes are: {}", known().collect::<Vec<_>>().join(", ")),
    };
    let diagnostic = match name.span {
        Some(span) => Diagnostic::error(Code::UnknownTheme, span),
        None => Diagnostic::placeless(Code::UnknownTheme),
    };
    diagnostic.label(format!("`{}`", name.text)).help(help)
}
