//! The settings of the user and of the project, read from this machine.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::config::{Config, Origin, Written};
use crate::diag::Diagnostics;
use crate::highlight::Theme;
use crate::lang::language;
use crate::module::{EntryPoint, LanguageName, PathSettings, SearchFolder, folders_of_variables, module_path};
use crate::session::{Options, OtherModules, Session, keepsakes};
use crate::source::hex;
use crate::world::{Answers, Live, World};

/// Reads the user's settings, from the file of a flag or from the platform's default.
pub fn configure(flag: Option<&Path>) -> Config {
    Config::load(&Live::new(), flag)
}

/// Checks one file. A `workbench.toml` is read as a project's.
pub fn check_config(file: &Path) -> Config {
    Config::check_file(&Live::new(), file)
}

/// Adds the settings of the project in a folder.
pub fn configure_project(config: &mut Config, folder: &Path) {
    config.add_project(&Live::new(), folder);
}

/// Checks the user's themes.
pub fn check_themes(config: &mut Config) {
    config.check_themes(&Live::new());
}

/// Saves a valid version of the user's settings, for use while a later one has an error. Failures are ignored here,
/// because later writes to the state folder report them.
pub fn keep_settings(state: Option<&PathBuf>, config: &Config) {
    let (Some(name), Some(text)) = (held_name(config), config.text()) else { return };
    if keepsakes::recall(state, &name).is_ok_and(|kept| kept.unwrap_or_default() == text) {
        return;
    }
    drop(keepsakes::keep(state, &name, text));
}

/// Returns the settings with the last valid version of the user's file; `None` if none was saved.
pub fn held_settings(state: Option<&PathBuf>, config: &Config) -> Option<Config> {
    let text = keepsakes::recall(state, &held_name(config)?).ok()??;
    config.as_held(&Live::new(), &text)
}

/// One for each settings file.
fn held_name(config: &Config) -> Option<String> {
    let file = std::path::absolute(config.file()?).ok()?;
    Some(format!("settings-{}", hex(&Sha256::digest(file.as_os_str().as_encoded_bytes())[..16])))
}

/// Returns the theme of the settings, for a light or a dark terminal.
pub fn theme(config: &mut Config, light: bool) -> Theme {
    config.theme(&Live::new(), light)
}

/// Returns the theme with a name.
pub fn theme_named(config: &mut Config, name: &str) -> Option<Theme> {
    config.load_theme(&Live::new(), &Written { text: name.into(), span: None })
}

/// Returns the names of the user's own themes.
pub fn own_themes(config: &Config) -> Vec<String> {
    config.own_themes(&Live::new())
}

impl Session {
    /// Reads the settings of the user and of the project again. Flags keep their values.
    pub fn settings_again(&self, before: &Config) -> Config {
        let live = Live::new();
        let mut config = before.again(&live);
        // A bundle's project settings do not apply to this machine.
        if self.options().bundle.is_none() {
            config.add_project(&live, &self.entry().base);
        }
        config
    }
}

impl Options {
    /// Returns this machine, with the access that these options allow.
    pub(in crate::session) fn live(&self) -> Live {
        let live = if self.run_guards { Live::new().with_commands() } else { Live::new() };
        let live = if self.choices.runs_plugins() { live.with_plugins() } else { live };
        let live = match &self.bundle {
            Some(bundle) => {
                let world: &dyn World = &live;
                let file = world.file(&bundle.root.join(Answers::FILE));
                live.with_answers(file.map(|bytes| Answers::read(&bytes)).unwrap_or_default())
            }
            None => live,
        };
        // Without a current folder there is no path for the store.
        let state = self.state.as_ref().and_then(|state| std::path::absolute(state).ok());
        state.into_iter().fold(live, Live::with_state)
    }

    /// Adds the project's settings to the user's.
    pub(in crate::session) fn enter_project(&mut self, world: &dyn World, entry: &EntryPoint) {
        // A bundle's project settings do not apply to this machine.
        if self.bundle.is_none() {
            self.config.add_project(world, &entry.base);
        }
        self.limits = self.config.limits();
    }

    /// Returns the folders to search for imports, from flags, environment, settings and metadata.
    pub(in crate::session) fn search(
        &self,
        world: &dyn World,
        entry: &EntryPoint,
        diags: &mut Diagnostics,
    ) -> Vec<SearchFolder> {
        if let Some(bundle) = &self.bundle {
            let folder = |path: &String| SearchFolder::of_project(bundle.root.join(path), "the bundle");
            return bundle.manifest.search.iter().map(folder).collect();
        }
        let folders = |origin| {
            let (folders, by) = self.config.module_path(origin).unwrap_or_default();
            folders
                .iter()
                .map(|path| SearchFolder {
                    path: path.clone(),
                    why: format!("`module-path` in {by}"),
                    by_user: origin == Origin::User,
                })
                .collect()
        };
        let layout = language(entry.language).layout();
        let (variables, user) = match &self.other_modules {
            Some(recorded) => {
                let of = &recorded.of;
                let of_settings = |path: &PathBuf| SearchFolder::of_user(path.clone(), format!("the settings of {of}"));
                let of_variables = |path: &PathBuf| (path.clone(), format!("the environment of {of}"));
                (
                    recorded.variables.iter().map(of_variables).collect(),
                    recorded.settings.iter().map(of_settings).collect(),
                )
            }
            None => (folders_of_variables(world, layout), folders(Origin::User)),
        };
        let wanted =
            PathSettings { flags: self.module_path.clone(), variables, project: folders(Origin::Project), user };
        module_path(world, entry, wanted, layout, diags)
    }

    /// Returns the module folders of environment variables and of the user's settings.
    pub(in crate::session) fn other_modules(&self, world: &dyn World, name: LanguageName) -> OtherModules {
        self.other_modules.clone().unwrap_or_else(|| OtherModules {
            of: String::new(),
            variables: folders_of_variables(world, language(name).layout()).into_iter().map(|(path, _)| path).collect(),
            settings: self.config.module_path(Origin::User).map(|(folders, _)| folders.to_vec()).unwrap_or_default(),
        })
    }
}
