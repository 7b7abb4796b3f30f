//! The user's choices for the workbench itself: flags, environment, the project's `workbench.toml`, the user's
//! `config.toml`.
//!
//! Input: files, read through [`World`], and flags. Output: a [`Config`], which has for every setting each given value,
//! its source, and the one in force. [`SETTINGS`] is the one table: names, types, defaults, permissions.
//!
//! Precedence: flag, environment, project, user, default. A project comes from someone else, so it counts as hostile.
//! It must not set programs to run, the user's display and keys, or paths outside of it; and it can only lower limits.
//! `limits.time = 5` in a project counts if the user allows 60, `500` does not.
//!
//! Reading continues after an error. A faulty setting is reported with its place and ignored, and the rest counts; the
//! face decides whether to refuse. Commands refuse. The screens continue with the last valid version of the file, see
//! [`held`], so that a missing quote does not change every key. Only if there is no such version do the valid lines
//! count alone. Deliberately absent: the actions of key bindings, which the screens know.

mod explain;
mod files;
mod held;
mod parse;
mod policies;
mod project;
mod setting;
mod targets;
mod theme;
mod value;

use std::path::{Path, PathBuf};

use crate::diag::{Code, Diagnostic, Diagnostics, Stage};
use crate::lang::{LIMITS, Limits};
use crate::source::{FileId, Sources, Span};
use crate::world::{Read, Sample, World};

pub use explain::{Explained, SourceValue};
pub use files::PROJECT_FILE;
pub use parse::names;
pub use policies::PolicySetting;
pub use setting::{Projects, SETTINGS, Setting, Type, setting};
pub use targets::{TargetSetting, is_name as is_target_name};
pub use value::{Binding, ThemeChoice, Value, Written};

/// The source of a value, highest precedence first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Origin {
    Flag,
    Environment,
    Project,
    User,
    Default,
}

impl Origin {
    /// Its name in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Origin::Flag => "flag",
            Origin::Environment => "environment",
            Origin::Project => "project",
            Origin::User => "user",
            Origin::Default => "default",
        }
    }
}

/// One given value.
#[derive(Clone, Debug)]
pub struct Assignment {
    pub setting: &'static Setting,
    pub value: Value,
    pub origin: Origin,
    /// The flag, the variable or the file, as shown.
    pub by: String,
    /// Its place in a file.
    pub span: Option<Span>,
    /// Why it is ignored, although no better one was given.
    pub refused: Option<String>,
}

/// All given values, and their errors.
#[derive(Clone, Debug)]
pub struct Config {
    given: Vec<Assignment>,
    /// The user's file; it need not exist.
    file: Option<PathBuf>,
    /// Its text among the sources, where it could be read.
    text: Option<FileId>,
    /// It exists, but cannot be read.
    is_unread: bool,
    /// Its last valid version is in force.
    is_held: bool,
    sources: Sources,
    diagnostics: Diagnostics,
    project_diagnostics: Diagnostics,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            given: Vec::new(),
            file: None,
            text: None,
            is_unread: false,
            is_held: false,
            sources: Sources::default(),
            diagnostics: Diagnostics::new(Stage::Module),
            project_diagnostics: Diagnostics::new(Stage::Module),
        }
    }
}

impl Config {
    /// Reads the environment and the user's file: the one named by the flag, else by `WORKBENCH_CONFIG`, else the
    /// platform's.
    pub fn load(world: &dyn World, flag: Option<&Path>) -> Self {
        let mut config = Self::default();
        config.read_environment(world);
        config.read_user_file(world, flag);
        config
    }

    /// Takes the flags of a setting, in the user's order.
    pub fn set_flag(&mut self, name: &'static str, flag: &str, value: Value) {
        let Some(setting) = setting(name) else { return };
        self.given.push(Assignment {
            setting,
            value,
            origin: Origin::Flag,
            by: flag.into(),
            span: None,
            refused: None,
        });
    }

    /// Takes `--limit NAME=NUMBER`; the later of two counts.
    pub fn set_limit_flag(&mut self, written: &str) -> Result<(), String> {
        let (setting, value) = parse::limit(written)?;
        self.given.retain(|given| given.origin != Origin::Flag || given.setting.name != setting.name);
        self.set_flag(setting.name, "--limit", value);
        Ok(())
    }

    /// Takes `--theme NAME`.
    pub fn set_theme_flag(&mut self, name: &str) {
        self.set_flag("theme", "--theme", Value::Theme(parse::named(Written { text: name.into(), span: None })));
    }

    /// Every given value of a setting, the best first; including ignored ones.
    pub fn all(&self, name: &str) -> Vec<&Assignment> {
        let mut all: Vec<_> = self.given.iter().filter(|given| given.setting.name == name).collect();
        all.sort_by_key(|given| given.origin);
        all
    }

    /// The value in force; `None` if the default is.
    pub fn winner(&self, name: &str) -> Option<&Assignment> {
        self.all(name).into_iter().find(|given| given.refused.is_none())
    }

    /// The errors of the environment and of the user's file.
    pub fn diagnostics(&self) -> &Diagnostics {
        &self.diagnostics
    }

    /// The errors of the project's file.
    pub fn project_diagnostics(&self) -> &Diagnostics {
        &self.project_diagnostics
    }

    /// Returns the files that were read, to place diagnostics in them.
    pub fn sources(&self) -> &Sources {
        &self.sources
    }

    /// The path of the user's file, whether or not it exists; `None` for a user without a home.
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// The limits of a compilation.
    pub fn limits(&self) -> Limits {
        let mut limits = Limits::default();
        for (name, _) in LIMITS {
            if let Some(Value::Number(number)) = self.value(&format!("limits.{name}")) {
                limits.set(&format!("{name}={number}")).expect("it was looked at as it was read");
            }
        }
        limits
    }

    /// How many resources to apply in parallel; 0 for one per core.
    pub fn jobs(&self) -> usize {
        match self.value("jobs") {
            Some(Value::Number(number)) => usize::try_from(*number).unwrap_or_default(),
            _ => 0,
        }
    }

    /// How many deploys the history keeps; `None` for all.
    pub fn deploys_kept(&self) -> Option<usize> {
        match self.value("deploys-kept") {
            Some(Value::Number(number)) => Some(usize::try_from(*number).unwrap_or(usize::MAX)),
            _ => None,
        }
    }

    /// Whether to draw only ASCII; `None` if the locale decides.
    pub fn ascii(&self) -> Option<bool> {
        self.flag("ascii")
    }

    /// Whether an apply acts as root, through `sudo`.
    pub fn sudo(&self) -> bool {
        self.flag("sudo").unwrap_or(false)
    }

    /// Whether a preview fetches package archives, to read their contents.
    pub fn fetches_packages(&self) -> bool {
        self.flag("fetch-packages").unwrap_or(false)
    }

    /// Whether Puppet nodes share what they export.
    pub fn shares_exports(&self) -> bool {
        self.flag("puppet.exported").unwrap_or(false)
    }

    /// Whether the screens restore the last session.
    pub fn restores(&self) -> bool {
        self.flag("restore").unwrap_or(true)
    }

    /// Whether line numbers are relative to the cursor.
    pub fn relative_numbers(&self) -> bool {
        self.flag("relative-numbers").unwrap_or(false)
    }

    /// Whether the mouse is used. On by default.
    pub fn mouse(&self) -> bool {
        self.flag("mouse").unwrap_or(true)
    }

    /// The editor's command line; `None` if `VISUAL` and `EDITOR` decide.
    pub fn editor(&self) -> Option<&str> {
        match self.value("editor") {
            Some(Value::Text(words)) => Some(words),
            _ => None,
        }
    }

    /// The minisign public keys whose bundles may be applied here.
    pub fn trusted_keys(&self) -> &[String] {
        match self.value("trusted-keys") {
            Some(Value::Words(keys)) => keys,
            _ => &[],
        }
    }

    /// The permissions for every fetch beyond the safe defaults, in words.
    pub fn fetch_allow(&self) -> &[String] {
        match self.value("fetch-allow") {
            Some(Value::Words(words)) => words,
            _ => &[],
        }
    }

    /// How many seconds a server may be silent; `None` for the default.
    pub fn fetch_timeout(&self) -> Option<u64> {
        match self.value("fetch-timeout") {
            Some(Value::Number(seconds)) => Some(*seconds),
            _ => None,
        }
    }

    /// The clusters, in the order of the file.
    pub fn targets(&self) -> &[TargetSetting] {
        match self.value("targets") {
            Some(Value::Targets(targets)) => targets,
            _ => &[],
        }
    }

    /// The user's keys, as written.
    pub fn keys(&self) -> &[Binding] {
        match self.value("keys") {
            Some(Value::Keys(bindings)) => bindings,
            _ => &[],
        }
    }

    /// The module folders of one source, with its name.
    pub fn module_path(&self, origin: Origin) -> Option<(&[PathBuf], &str)> {
        let given = self.all("module-path").into_iter().find(|g| g.origin == origin && g.refused.is_none())?;
        match &given.value {
            Value::Folders(folders) => Some((folders, &given.by)),
            _ => None,
        }
    }

    fn flag(&self, name: &str) -> Option<bool> {
        match self.value(name) {
            Some(Value::Flag(on)) => Some(*on),
            _ => None,
        }
    }

    fn value(&self, name: &str) -> Option<&Value> {
        self.winner(name).map(|given| &given.value)
    }

    fn read_environment(&mut self, world: &dyn World) {
        let Ok(Sample::Pairs(variables)) = world.read(&Read::Environment) else { return };
        let set = |name: &str| variables.get(name).filter(|value| !value.is_empty());
        for setting in SETTINGS {
            // The limits share a variable, which is read below.
            for name in setting.variables.iter().filter(|_| !setting.name.starts_with("limits.")) {
                let Some(text) = set(name) else { continue };
                match parse::from_text(setting, text) {
                    Ok(value) => self.push(setting, value, Origin::Environment, name, None),
                    Err(why) => self.wrong_variable(name, text, &why),
                }
            }
        }
        let limits = set("WORKBENCH_LIMITS").map_or("", String::as_str);
        for written in limits.split(',').filter(|written| !written.trim().is_empty()) {
            match parse::limit(written) {
                Ok((setting, value)) => self.push(setting, value, Origin::Environment, "WORKBENCH_LIMITS", None),
                Err(why) => self.wrong_variable("WORKBENCH_LIMITS", limits, &why),
            }
        }
    }

    fn wrong_variable(&mut self, name: &str, text: &str, why: &str) {
        self.diagnostics.push(
            Diagnostic::placeless(Code::InvalidSetting)
                .label(format!("{name}=`{text}`: {why}"))
                .help(format!("set {name} to something else, or unset it")),
        );
    }

    fn push(&mut self, setting: &'static Setting, value: Value, origin: Origin, by: &str, span: Option<Span>) {
        // The later of two in one variable counts; both variables of the module path count.
        if origin == Origin::Environment && setting.name != "module-path" {
            self.given.retain(|given| given.origin != origin || given.setting.name != setting.name);
        }
        self.given.push(Assignment { setting, value, origin, by: by.into(), span, refused: None });
    }

    /// Takes the settings of a file.
    fn take(&mut self, read: Vec<(&'static Setting, Value, Span)>, origin: Origin, file: FileId) {
        let by = self.sources.file(file).name.clone();
        for (setting, value, span) in read {
            self.push(setting, value, origin, &by, Some(span));
        }
    }
}
