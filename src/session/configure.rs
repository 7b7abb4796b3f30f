//! The settings of the user and of the project, read from this machine.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::{Options, Session, keepsakes};
use crate::config::{Config, Origin, Written};
use crate::diag::Diagnostics;
use crate::highlight::Theme;
use crate::host::journal::hex;
use crate::lang::language;
use crate::module::{EntryPoint, SearchFolder, Wanted, module_path};
use crate::world::{Answers, Live, World};

/// The user's settings, from the file that a flag names, or from where the platform says.
pub fn configure(flag: Option<&Path>) -> Config {
    Config::load(&Live::new(), flag)
}

/// One file's faults; a `workbench.toml` is read as a project's.
pub fn check_config(file: &Path) -> Config {
    Config::check_file(&Live::new(), file)
}

/// Adds the settings of the project in a folder.
pub fn configure_project(config: &mut Config, folder: &Path) {
    config.add_project(&Live::new(), folder);
}

/// Finds what is wrong with the user's themes.
pub fn check_themes(config: &mut Config) {
    config.check_themes(&Live::new());
}

/// Keeps what the user's file says, to be gone by while a later one has a fault. A state folder that cannot be written keeps
/// nothing, and is told of where something has to be written.
pub fn keep_settings(state: Option<&PathBuf>, config: &Config) {
    let (Some(name), Some(text)) = (held_name(config), config.text()) else { return };
    if keepsakes::recall(state, &name).is_ok_and(|kept| kept.unwrap_or_default() == text) {
        return;
    }
    drop(keepsakes::keep(state, &name, text));
}

/// The settings with what the user's file said when it last had no fault; nothing where that was never kept.
pub fn held_settings(state: Option<&PathBuf>, config: &Config) -> Option<Config> {
    let text = keepsakes::recall(state, &held_name(config)?).ok()??;
    config.as_held(&Live::new(), &text)
}

/// One for each file of settings.
fn held_name(config: &Config) -> Option<String> {
    let file = std::path::absolute(config.file()?).ok()?;
    Some(format!("settings-{}", hex(&Sha256::digest(file.as_os_str().as_encoded_bytes())[..16])))
}

/// The theme of the settings, for a light or a dark terminal.
pub fn theme(config: &mut Config, light: bool) -> Theme {
    config.theme(&Live::new(), light)
}

/// The theme of a name.
pub fn theme_named(config: &mut Config, name: &str) -> Option<Theme> {
    config.load_theme(&Live::new(), &Written { text: name.into(), span: None })
}

/// The names of the user's own themes.
pub fn own_themes(config: &Config) -> Vec<String> {
    config.own_themes(&Live::new())
}

impl Session {
    /// The settings of the user and of the project as they are now; what flags said stays.
    pub fn settings_again(&self, before: &Config) -> Config {
        let live = Live::new();
        let mut config = before.again(&live);
        // What a bundle's maker set for themselves is nothing to this machine.
        if self.options().bundle.is_none() {
            config.add_project(&live, &self.entry().base);
        }
        config
    }
}

impl Options {
    /// This machine, as these options let it be read.
    pub(super) fn live(&self) -> Live {
        let live = if self.run_guards { Live::new().with_commands() } else { Live::new() };
        let live = if self.choices.inmanta.run_plugins { live.with_plugins() } else { live };
        let live = match &self.bundle {
            Some(bundle) => {
                let world: &dyn World = &live;
                let file = world.file(&bundle.root.join(Answers::FILE));
                live.with_answers(file.map(|bytes| Answers::read(&bytes)).unwrap_or_default())
            }
            None => live,
        };
        // Where the current folder cannot be told, nothing can be kept below it either.
        let state = self.state.as_ref().and_then(|state| std::path::absolute(state).ok());
        state.into_iter().fold(live, Live::with_state)
    }

    /// Adds the project's settings to the user's.
    pub(super) fn enter_project(&mut self, world: &dyn World, entry: &EntryPoint) {
        // What a bundle's maker set for themselves is nothing to this machine.
        if self.bundle.is_none() {
            self.config.add_project(world, &entry.base);
        }
        self.limits = self.config.limits();
    }

    /// Where imports are looked for, as flags, environment, settings and metadata say.
    pub(super) fn search(&self, world: &dyn World, entry: &EntryPoint, diags: &mut Diagnostics) -> Vec<SearchFolder> {
        if let Some(bundle) = &self.bundle {
            let folder = |path: &String| SearchFolder { path: bundle.root.join(path), why: "the bundle".into() };
            return bundle.manifest.search.iter().map(folder).collect();
        }
        let folders = |origin| {
            let (folders, by) = self.config.module_path(origin).unwrap_or_default();
            folders
                .iter()
                .map(|path| SearchFolder { path: path.clone(), why: format!("`module-path` in {by}") })
                .collect()
        };
        let wanted =
            Wanted { flags: self.module_path.clone(), project: folders(Origin::Project), user: folders(Origin::User) };
        module_path(world, entry, wanted, language(entry.language).layout(), diags)
    }
}
