//! `workbench config`: checks settings, and explains their values.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use serde_json::{Value as Json, json};

use super::config_schema::Schema;
use crate::cli::args::{Format, Work};
use crate::cli::complete;
use crate::cli::exit::Exit;
use crate::cli::face::Face;
use crate::cli::paint::Role;
use crate::config::{Config, Explained, Origin, PROJECT_FILE, Projects, SETTINGS, Setting, SourceValue, Value, names};
use crate::diag::nearest;
use crate::session::{Confinement, check_config, check_themes, configure_project, confinement};
use crate::source::printable;

/// Check settings, or show where each value comes from
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  workbench config check\n  workbench config explain theme")]
pub struct ConfigCommand {
    #[command(subcommand)]
    pub what: What,
}

#[derive(Debug, Subcommand)]
pub enum What {
    Check(Check),
    Explain(Box<Explain>),
    Schema(Schema),
}

/// Check settings, themes and key bindings
///
/// Without FILE, checks your settings, the environment, and workbench.toml in the current folder.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  workbench config check\n  workbench config check site/workbench.toml")]
pub struct Check {
    /// File to check; workbench.toml is read as project settings, any other file as user settings
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
}

/// Show settings, their values, and where each value comes from
///
/// Without KEY, prints one line per setting. The first of these that has a value counts: flag, environment, the
/// project's workbench.toml, your config.toml, default.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  workbench config explain\n  workbench config explain limits.time\n  \
                  workbench config explain limits --format json")]
pub struct Explain {
    /// Setting, or a group such as `limits`
    #[arg(value_name = "KEY", add = complete::settings())]
    pub key: Option<String>,
    /// Project folder
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub project: PathBuf,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    #[command(flatten)]
    pub work: Work,
}

impl ConfigCommand {
    /// Runs the subcommand.
    pub fn run(&self, face: &mut Face) -> io::Result<Exit> {
        match &self.what {
            What::Check(check) => check.run(face),
            What::Explain(explain) => explain.run(face),
            What::Schema(schema) => schema.run(face),
        }
    }
}

impl Check {
    fn run(&self, face: &mut Face) -> io::Result<Exit> {
        let mut config = match &self.file {
            Some(file) => check_config(file),
            None => {
                let mut config = face.config.clone();
                configure_project(&mut config, Path::new(""));
                config
            }
        };
        check_themes(&mut config);
        crate::tui::check_keys(&mut config);
        let faults = config.all_diagnostics();
        let exit = face.diagnostics(&faults, config.sources());
        if faults.is_empty() && !face.quiet {
            let names: Vec<_> =
                config.sources().iter().filter(|(_, file)| file.path.is_some()).map(|(_, file)| &file.name).collect();
            let files: Vec<_> = names.iter().map(|name| printable(name).to_string()).collect();
            let checked = if files.is_empty() { "no settings file, using defaults".into() } else { files.join(", ") };
            writeln!(face.out, "{} {checked}", face.paint.role(Role::Good, "OK:"))?;
        }
        Ok(exit)
    }
}

impl Explain {
    fn run(&self, face: &mut Face) -> io::Result<Exit> {
        let mut config = self.work.on_top_of(&face.config);
        configure_project(&mut config, if self.project == Path::new(".") { Path::new("") } else { &self.project });
        // Errors are reported beside the answer, which covers the rest.
        face.diagnostics(&config.all_diagnostics(), config.sources());
        let wanted = self.key.as_deref();
        let group = wanted.map(|key| format!("{key}."));
        let fits = |setting: &&Setting| {
            wanted.is_none_or(|key| setting.name == key)
                || group.as_ref().is_some_and(|group| setting.name.starts_with(group.as_str()))
        };
        let settings: Vec<_> = SETTINGS.iter().filter(fits).collect();
        let explained: Vec<_> = settings.into_iter().map(|setting| config.explain(setting)).collect();
        if explained.is_empty() {
            return Ok(refuse(face, wanted.unwrap_or_default()));
        }
        match (self.format, wanted) {
            (Format::Json, _) => write_json(face, &config, &explained)?,
            (Format::Text, None) => {
                write_list(face, &config, &explained)?;
                if let Some(lack) = confinement().and_then(Confinement::lack) {
                    face.note(format_args!("note: {lack}"));
                }
            }
            (Format::Text, Some(_)) => {
                for (at, one) in explained.iter().enumerate() {
                    if at > 0 {
                        writeln!(face.out)?;
                    }
                    write_whole(face, one)?;
                }
            }
        }
        Ok(Exit::Done)
    }
}

fn refuse(face: &Face, key: &str) -> Exit {
    let help = match nearest(key, names()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "`workbench config explain` lists all settings".into(),
    };
    face.refuse(&format!("no setting `{key}`"), &help)
}

fn write_list(face: &mut Face, config: &Config, explained: &[Explained]) -> io::Result<()> {
    let width = explained.iter().map(|one| one.setting.name.len()).max().unwrap_or_default();
    for one in explained {
        let name = face.paint.role(Role::Name, format!("{:width$}", one.setting.name));
        let value = value_words(one);
        let by = winner(one).filter(|_| one.origin != Origin::Default).map(|won| format!("  {}", source(won)));
        writeln!(face.out, "{name}  {}{}", printable(&value), face.paint.role(Role::Quiet, by.unwrap_or_default()))?;
    }
    match config.file() {
        Some(file) => writeln!(face.out, "\nYour settings: {}", printable(&file.display().to_string())),
        None => writeln!(face.out, "\nYour settings: none"),
    }
}

fn write_whole(face: &mut Face, one: &Explained) -> io::Result<()> {
    let Explained { setting, tried, .. } = one;
    let paint = face.paint;
    writeln!(face.out, "{} = {}", paint.role(Role::Name, setting.name), printable(&value_words(one)))?;
    writeln!(face.out, "  {}.", setting.doc)?;
    let may = match setting.projects {
        Projects::Never(why) => format!("no, because {why}"),
        other => other.words().into(),
    };
    writeln!(face.out, "  {}, such as `{}`; set by a project: {may}", setting.ty.words(), setting.example)?;
    for source_tried in tried {
        let mark = if source_tried.counts { ">" } else { " " };
        let origin = format!("{:11}", source_tried.origin.as_str());
        let value = match (&source_tried.value, source_tried.origin) {
            (_, Origin::Default) => String::new(),
            (Some(value), _) => format!(" = {value}"),
            (None, _) => " (not set)".into(),
        };
        let why = source_tried.refused.as_ref().map(|why| format!("; does not count: {why}")).unwrap_or_default();
        let line = format!("{}{value}{why}", source(source_tried));
        let role = if source_tried.counts { Role::Good } else { Role::Quiet };
        writeln!(face.out, "  {mark} {}", paint.role(role, format!("{origin} {}", printable(&line))))?;
    }
    Ok(())
}

fn winner(one: &Explained) -> Option<&SourceValue> {
    one.tried.iter().find(|tried| tried.counts)
}

/// The value, or the description of a computed default.
fn value_words(one: &Explained) -> String {
    one.value.as_ref().map_or_else(|| one.setting.default.into(), Value::to_string)
}

fn source(tried: &SourceValue) -> String {
    tried.place.as_ref().map_or_else(|| tried.by.clone(), |place| place.to_string())
}

fn write_json(face: &mut Face, config: &Config, explained: &[Explained]) -> io::Result<()> {
    let value = |value: &Option<Value>| value.as_ref().map_or(Json::Null, Value::to_json);
    let one_tried = |tried: &SourceValue| {
        let place = tried.place.as_ref().map(|p| json!({"file": &*p.file, "line": p.line, "column": p.column}));
        json!({
            "source": tried.origin.as_str(), "name": tried.by, "value": value(&tried.value), "place": place,
            "counts": tried.counts, "refused": tried.refused,
        })
    };
    let one = |one: &Explained| {
        json!({
            "key": one.setting.name, "value": value(&one.value), "source": one.origin.as_str(),
            "type": one.setting.ty.words(), "default": one.setting.default, "doc": one.setting.doc,
            "environment": one.setting.variables, "flag": one.setting.flag, "project": one.setting.projects.words(),
            "tried": one.tried.iter().map(one_tried).collect::<Vec<_>>(),
        })
    };
    let settings: Vec<_> = explained.iter().map(one).collect();
    let object = json!({
        "version": 1, "file": config.file().map(|file| file.display().to_string()), "project_file": PROJECT_FILE,
        "settings": settings,
    });
    writeln!(face.out, "{object}")
}
