//! Finds and reads the settings files.

use std::path::{Path, PathBuf};

use super::{Config, Origin, TargetSetting, Value, parse};
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::module::load_text;
use crate::source::FileId;
use crate::world::{PathKind, Read, Sample, World};

/// The project's own settings, beside its metadata.
pub const PROJECT_FILE: &str = "workbench.toml";

/// Settings are a page or two; a longer file is something else.
const LONGEST: usize = 1 << 20;

impl Config {
    /// Only a file that was named by the user must exist.
    pub(super) fn read_user_file(&mut self, world: &dyn World, flag: Option<&Path>) {
        let variable = variable(world, "WORKBENCH_CONFIG").map(PathBuf::from);
        let asked = flag.map(Path::to_path_buf).or(variable);
        let Some(file) = asked.clone().or_else(platforms) else { return };
        // The usual way to ask for no file.
        if file == Path::new("/dev/null") {
            return;
        }
        self.file = Some(file.clone());
        if asked.is_some() || world.kind(&file) != PathKind::Missing {
            self.read_user(world, &file);
        }
    }

    /// The same settings, read again: flags stay, and the rest is read from the current files. The project's are added
    /// later.
    ///
    /// A deleted file counts as empty, even if it was named by the user: it existed at the start.
    pub fn again(&self, world: &dyn World) -> Self {
        let flags = self.given.iter().filter(|given| given.origin == Origin::Flag).cloned().collect();
        let mut config = Self { given: flags, file: self.file.clone(), ..Self::default() };
        config.read_environment(world);
        if let Some(file) = self.file.clone().filter(|file| world.kind(file) != PathKind::Missing) {
            config.read_user(world, &file);
        }
        config
    }

    fn read_user(&mut self, world: &dyn World, file: &Path) {
        let Some((id, text)) = self.text_of(world, file, Origin::User) else {
            self.is_unread = world.kind(file) != PathKind::Missing;
            return;
        };
        self.text = Some(id);
        self.read_user_text(world, file, id, &text);
    }

    /// Takes the settings from the text of the user's file; its paths are relative to that file.
    pub(super) fn read_user_text(&mut self, world: &dyn World, file: &Path, id: FileId, text: &str) {
        let home = variable(world, "HOME").map(PathBuf::from);
        let beside = file.parent().unwrap_or(Path::new("")).to_path_buf();
        let mut read = parse::read(id, text, &mut self.diagnostics);
        read.retain_mut(|(setting, value, span)| {
            if let Value::Targets(targets) = value {
                for path in targets.iter_mut().flat_map(TargetSetting::files) {
                    // Relative to this file, unless they start at the root or at home.
                    *path = rooted(path, home.as_deref()).unwrap_or_else(|| beside.join(&*path));
                }
            }
            let Value::Folders(folders) = value else { return true };
            let rooted = folders.iter().map(|folder| rooted(folder, home.as_deref())).collect();
            let Some(rooted) = rooted else {
                self.diagnostics.push(
                    parse::invalid(*span, "relative folders are not allowed here").help("start each with `/` or `~/`"),
                );
                return false;
            };
            *value = Value::Folders(rooted);
            setting.name == "module-path"
        });
        self.take(read, Origin::User, id);
    }

    /// A file's text. Reports why it cannot be read.
    pub(super) fn text_of(&mut self, world: &dyn World, file: &Path, origin: Origin) -> Option<(FileId, String)> {
        let diags = match origin {
            Origin::Project => &mut self.project_diagnostics,
            _ => &mut self.diagnostics,
        };
        let id = load_text(world, file, None, &mut self.sources, diags)?;
        let text = self.sources.file(id).text.to_string();
        if text.len() > LONGEST {
            diags.push(
                Diagnostic::placeless(Code::FileTooLarge)
                    .label(format!("`{}` is larger than {} MiB", file.display(), LONGEST >> 20))
                    .help("check that this is a settings file"),
            );
            return None;
        }
        Some((id, text))
    }

    /// Reads one file only to find its errors.
    pub fn check_file(world: &dyn World, file: &Path) -> Config {
        let mut config = Config::default();
        match file.file_name().is_some_and(|name| name == PROJECT_FILE) {
            true => config.read_project(world, file),
            false => {
                config.file = Some(file.into());
                config.read_user(world, file);
            }
        }
        config
    }

    /// All errors together.
    pub fn all_diagnostics(&self) -> Diagnostics {
        let mut all = self.diagnostics.clone();
        all.extend(self.project_diagnostics.clone());
        all
    }
}

fn platforms() -> Option<PathBuf> {
    Some(directories::ProjectDirs::from("", "", "workbench")?.config_dir().join("config.toml"))
}

fn rooted(folder: &Path, home: Option<&Path>) -> Option<PathBuf> {
    match folder.strip_prefix("~") {
        Ok(below) => home.map(|home| home.join(below)),
        Err(_) => folder.is_absolute().then(|| folder.to_path_buf()),
    }
}

fn variable(world: &dyn World, name: &str) -> Option<String> {
    match world.read(&Read::Environment) {
        Ok(Sample::Pairs(pairs)) => pairs.get(name).filter(|value| !value.is_empty()).cloned(),
        _ => None,
    }
}
