//! The sides of a comparison: entries, revisions, saved plans, deploys and bundles, as the user names them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::diag::{Code, Diagnostic};
use crate::fetch::{Revision, RevisionError};
use crate::lang::Report;
use crate::plan::{SavedPlan, SavedPlanError};
use crate::session::compare::one_node::{one_sample, open_for_node};
use crate::session::history::{self, Deploy};
use crate::session::{Options, Session, StateError, load_plan};
use crate::world::{PathKind, World};

/// One side of a comparison.
pub enum Side {
    /// A program: an entry, a bundle, or a path in a revision.
    Program(Box<Session>),
    Plan(Box<SavedPlan>),
    Deploy(Box<Deploy>),
}

/// Both sides, with their names for people.
pub struct Sides {
    pub sides: [Side; 2],
    pub shown: [String; 2],
}

/// Why a side cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum SideError {
    #[error("{0}")]
    Revision(#[from] RevisionError),
    #[error("{path}: {error}")]
    Plan { path: String, error: SavedPlanError },
    #[error("{0}")]
    State(#[from] StateError),
    #[error("this folder is not readable")]
    NoFolder,
    #[error("the entry has errors")]
    Entry(Box<Report>),
}

impl From<Box<Report>> for SideError {
    fn from(report: Box<Report>) -> Self {
        SideError::Entry(report)
    }
}

impl SideError {
    /// What the user can do.
    pub fn help(&self) -> &'static str {
        match self {
            SideError::Revision(RevisionError::NoRepository(_)) => {
                "run it inside a git repository, or name two entries"
            }
            SideError::Revision(RevisionError::Unknown { .. }) => {
                "`git branch -a` and `git tag` list the names of revisions"
            }
            SideError::Revision(RevisionError::Unreadable { .. }) => "`git fsck` checks the repository",
            SideError::Plan { .. } => "save the plan again: `workbench preview ENTRY --out FILE`",
            SideError::State(_) => "`workbench deploy list` shows the deploys",
            SideError::NoFolder => "change to a folder that exists",
            SideError::Entry(_) => "repair the entry",
        }
    }
}

/// Opens both sides. Options of one language apply to the sides of that language.
pub fn open_sides(named: [&str; 2], options: &Options) -> Result<Sides, SideError> {
    let world = one_sample(options);
    let [a, b] = named;
    let sides = [open(a, &world, options)?, open(b, &world, options)?];
    let languages: Vec<_> = sides
        .iter()
        .filter_map(|side| match side {
            Side::Program(session) => Some(session.language().flags()),
            _ => None,
        })
        .collect();
    if let Some(flag) = options.flags.iter().find(|flag| !languages.iter().any(|known| known.contains(flag))) {
        let diagnostic = Diagnostic::placeless(Code::ForeignOption)
            .label(format!("`{flag}` does not apply to the language of any side"))
            .help("remove the option");
        return Err(SideError::Entry(Box::new(Report::of(diagnostic))));
    }
    Ok(Sides { sides, shown: named.map(str::to_owned) })
}

fn open(named: &str, world: &Arc<dyn World>, options: &Options) -> Result<Side, SideError> {
    if let Some(number) = named.strip_prefix("deploy:").and_then(|number| number.parse().ok()) {
        return Ok(Side::Deploy(Box::new(history::deploy(options.state.as_ref(), Some(number))?)));
    }
    let path = Path::new(named);
    let kind = world.kind(path);
    if kind == PathKind::File && is_plan(&**world, path) {
        let plan = load_plan(path).map_err(|error| SideError::Plan { path: named.into(), error })?;
        return Ok(Side::Plan(Box::new(plan)));
    }
    // An entry may have a colon in its name, and code has brackets.
    let revision = named.split_once(':').filter(|(name, _)| {
        kind == PathKind::Missing && !name.is_empty() && !name.contains([' ', '\n', '{', '(', '\'', '"'])
    });
    match revision {
        Some((name, inside)) => open_revision((name, inside), named, world, options),
        None => open_entry(named, world, options),
    }
}

fn open_revision(
    (name, inside): (&str, &str),
    shown: &str,
    world: &Arc<dyn World>,
    options: &Options,
) -> Result<Side, SideError> {
    let folder = working_folder(&**world)?;
    let revision = Revision::open(Arc::clone(world), &folder, name)?;
    // As in git, a path begins at the root of the repository, and `./` at this folder.
    let from = if inside.starts_with("./") || inside.starts_with("../") { &folder } else { revision.root() };
    let at = crate::module::clean(&from.join(inside));
    let entry = match at.strip_prefix(&folder) {
        Ok(inside) if inside.as_os_str().is_empty() => PathBuf::from("."),
        Ok(inside) => inside.to_path_buf(),
        Err(_) => at,
    };
    let entry = entry.to_string_lossy().into_owned();
    let mut session = Session::open_in(Arc::new(revision), Some(&entry), plain(options))?;
    session.entry.shown = shown.into();
    Ok(Side::Program(Box::new(session)))
}

fn open_entry(named: &str, world: &Arc<dyn World>, options: &Options) -> Result<Side, SideError> {
    let plugins = options.choices.runs_plugins();
    let (inside, options) = plain(options).enter_bundle(Some(named))?;
    let world = match &options.bundle {
        Some(_) => one_sample(&options),
        None => Arc::clone(world),
    };
    let mut session = Session::open_in(world, inside.as_deref().or(Some(named)), options)?;
    session.check_no_unpacked()?;
    if plugins {
        session.let_run(false, true);
    }
    if inside.is_some() {
        session.entry.shown = named.into();
    }
    Ok(Side::Program(Box::new(session)))
}

/// A program of a test, for a node with its facts.
pub(in crate::session) fn test_side(
    entry: &str,
    node: Option<&str>,
    facts: Option<&Path>,
    options: &Options,
) -> Result<Session, Box<Report>> {
    let session = open_for_node(entry, node, facts, &plain(options))?;
    if facts.is_some() && !session.language().flags().contains(&"--facts") {
        let label = format!("`facts` does not apply to {}", session.entry.language.title());
        let diagnostic = Diagnostic::placeless(Code::ForeignOption).label(label).help("remove it");
        return Err(Box::new(Report::of(diagnostic)));
    }
    Ok(session)
}

/// The same options without flags, which are checked for both sides together. No command and no plugin runs.
fn plain(options: &Options) -> Options {
    let mut options = Options { flags: Vec::new(), run_guards: false, ..options.clone() };
    options.choices.let_plugins_run(false);
    options
}

fn working_folder(world: &dyn World) -> Result<PathBuf, SideError> {
    match world.read(&crate::world::Read::WorkingFolder) {
        Ok(crate::world::Sample::Path(folder)) => Ok(folder),
        _ => Err(SideError::NoFolder),
    }
}

/// Whether a file begins as a saved plan does.
fn is_plan(world: &dyn World, path: &Path) -> bool {
    let is_json = path.extension().is_none_or(|ending| ending == "json" || ending == "plan");
    is_json && world.file(path).is_ok_and(|bytes| bytes.starts_with(b"{\"format\":\"workbench-plan\""))
}
