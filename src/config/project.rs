//! The project's `workbench.toml`, which is not trusted.

use std::path::{Component, Path};

use super::setting::{Projects, Setting};
use super::{Assignment, Config, Origin, PROJECT_FILE, Value, parse};
use crate::diag::{Code, Diagnostic};
use crate::source::Span;
use crate::world::{PathKind, Read, Sample, World};

impl Config {
    /// Adds the settings of the project in a folder, as far as they are allowed.
    ///
    /// A forbidden setting is only a warning: someone else's habits must not keep the user from opening a project.
    pub fn add_project(&mut self, world: &dyn World, base: &Path) {
        let file = base.join(PROJECT_FILE);
        if world.kind(&file) != PathKind::Missing {
            self.read_project(world, &file);
        }
    }

    pub(super) fn read_project(&mut self, world: &dyn World, file: &Path) {
        let Some((id, text)) = self.text_of(world, file, Origin::Project) else { return };
        let read = parse::read(id, &text, &mut self.project_diagnostics);
        let base = file.parent().unwrap_or(Path::new(""));
        let by = self.sources.file(id).name.to_string();
        for (setting, value, span) in read {
            let mut given =
                Assignment { setting, value, origin: Origin::Project, by: by.clone(), span: Some(span), refused: None };
            given.refused = self.refusal(world, &given);
            match &given.refused {
                Some(why) if is_reported(setting) => {
                    self.project_diagnostics.push(not_for_projects(setting, span, why))
                }
                Some(_) => {}
                None => {
                    if let Value::Folders(folders) = &mut given.value {
                        folders.iter_mut().for_each(|folder| *folder = base.join(&*folder));
                    }
                }
            }
            self.given.push(given);
        }
    }

    /// Why a project's value is ignored.
    fn refusal(&self, world: &dyn World, given: &Assignment) -> Option<String> {
        match (given.setting.projects, &given.value) {
            (Projects::Never(why), _) => Some(why.into()),
            (Projects::Within, Value::Folders(folders)) => {
                let within = |folder: &Path| {
                    folder.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
                };
                let out = folders.iter().find(|folder| !within(folder))?;
                Some(format!("`{}` is outside the project", out.display()))
            }
            (Projects::Narrower, Value::Number(number)) => {
                let most = self.allowed(world, given.setting)?;
                (breadth(given.setting, *number) > breadth(given.setting, most))
                    .then(|| format!("a project can only lower it; your limit is {most}"))
            }
            (Projects::Within | Projects::Narrower | Projects::Added, _) => None,
        }
    }

    /// The user's limit: their own value, else the default.
    fn allowed(&self, world: &dyn World, setting: &Setting) -> Option<u64> {
        let users = self.all(setting.name).into_iter().find(|given| given.origin == Origin::User);
        match users.map(|given| given.value.clone()).or_else(|| setting.default_value()) {
            Some(Value::Number(number)) => Some(number),
            _ => match world.read(&Read::CpuCount) {
                Ok(Sample::Integer(cores)) => u64::try_from(cores).ok(),
                _ => Some(1),
            },
        }
    }
}

/// Whether an excess is reported. The number of cores differs between machines, so more jobs than cores are not an
/// error of the project.
fn is_reported(setting: &Setting) -> bool {
    setting.name != "jobs"
}

/// Zero means no limit, and is the widest.
fn breadth(setting: &Setting, number: u64) -> u64 {
    if setting.name == "limits.time" && number == 0 { u64::MAX } else { number }
}

fn not_for_projects(setting: &Setting, span: Span, why: &str) -> Diagnostic {
    let help = match setting.projects {
        Projects::Never(_) => "set it in your own config.toml (`workbench config explain` shows its path)",
        Projects::Within => "use folders below this file",
        Projects::Narrower => "raise the limit in your own config.toml or with `--limit`",
        Projects::Added => "add it to your own config.toml",
    };
    Diagnostic::warning(Code::NotForProjects, span).label(format!("`{}`: {why}", setting.name)).help(help)
}
