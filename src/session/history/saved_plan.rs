//! Saves a plan to a file, and loads one from an untrusted source.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use crate::deploy::StateFolder;
use crate::graph::Graph;
use crate::lang::{LIMITS, Limits};
use crate::plan::{MadeFrom, Moved, Plan, SAVED_CAP, SavedModule, SavedPlan, SavedPlanError, SavedSource, hash_text};
use crate::session::history::operations::{What, operations};
use crate::session::history::{self, Purpose, Summary};
use crate::session::{Options, Session, StateError, state_path};
use crate::source::Sources;

impl Session {
    /// Makes later previews and applies seal overwritten contents with the key of the state folder. This detects
    /// changes that a plan does not show, even with the same length.
    pub fn seal_plans(&self) -> Result<(), StateError> {
        let key = StateFolder::at(&state_path(self.options().state.as_ref())?).seal_key()?;
        // Only the first call matters.
        let _ = self.seal.set(key);
        Ok(())
    }

    /// Whether a saved plan is of this entry, whatever its spelling then.
    pub fn has_made(&self, saved: &SavedPlan) -> bool {
        let here = self.entry_path().map(|_| self.place());
        let is_here = |path: &String| self.options().bundle.is_none() && self.is_at(Path::new(path));
        saved.path == here || (here.is_some() && saved.path.as_ref().is_some_and(is_here))
    }

    /// Returns the differences of a saved plan to the plan that this session has now, their causes first.
    pub fn moved(&self, saved: &SavedPlan, now: &SavedPlan) -> Vec<Moved> {
        let mut moved = saved.moved(now);
        if let (Some(then), Some(here), false) = (&saved.path, &now.path, moved.is_empty() || self.has_made(saved)) {
            // The files of another entry have not changed.
            moved.retain(|moved| !matches!(moved, Moved::Source { .. }));
            let words = format!("the plan was made of {then}, and this is {here}");
            moved.insert(0, Moved::CompiledFor { words });
        }
        moved
    }

    /// Makes a saved plan with everything that is needed to check it later.
    pub fn freeze(&self, plan: &Plan, graph: &Graph, sources: &Sources) -> SavedPlan {
        // A bundle's path is the bundle itself. Its unpacked files would look like the user's.
        let path = self.entry_path().map(|_| self.place());
        let files = sources.iter().filter_map(|(_, source)| Some((source.path.as_ref()?, source)));
        let files = files.map(|(path, source)| SavedSource {
            file: std::path::absolute(path).unwrap_or_else(|_| path.clone()).display().to_string(),
            hash: hash_text(source.text.as_bytes()),
        });
        let modules = self.modules().modules.into_iter();
        let modules = modules.map(|module| SavedModule { name: module.name, commit: module.revision });
        let run_guards = self.options().run_guards;
        let made_from = MadeFrom { path, run_guards, sources: files.collect(), modules: modules.collect() };
        SavedPlan::new(plan, graph, made_from)
    }
}

/// Writes a plan to a private file, by one rename.
#[expect(clippy::disallowed_methods, reason = "the user asked for this very file to be written; no host is managed")]
pub fn save_plan(path: &Path, frozen: &SavedPlan) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Private from the start.
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(frozen.to_text().as_bytes())?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    std::fs::File::open(folder)?.sync_all()
}

/// Loads a saved plan, and checks its hash.
#[expect(clippy::disallowed_methods, reason = "the user named this very file, which no program reads")]
pub fn load_plan(path: &Path) -> Result<SavedPlan, SavedPlanError> {
    let unreadable = |error: io::Error| SavedPlanError::Unreadable(error.to_string());
    let file = std::fs::File::open(path).map_err(unreadable)?;
    if !file.metadata().map_err(unreadable)?.is_file() {
        return Err(SavedPlanError::Unreadable("not a file".into()));
    }
    let mut text = Vec::new();
    file.take(SAVED_CAP + 1).read_to_end(&mut text).map_err(unreadable)?;
    if text.len() as u64 > SAVED_CAP {
        return Err(SavedPlanError::TooLarge);
    }
    SavedPlan::parse(&text)
}

impl Options {
    /// Names the permissions that a plan from elsewhere does not have: a plan is a file like a bundle. Each is typed again, or
    /// set here.
    pub fn permits(&self, saved: &SavedPlan) -> Result<(), Vec<String>> {
        let Some(then) = saved.compiled_for.as_ref().filter(|_| !is_made_here(self.state.as_ref(), saved)) else {
            return Ok(());
        };
        let with = &then.options;
        let here = self.config.limits();
        let is_higher = |name: &str, number: u64| here.get(name) != 0 && (number == 0 || number > here.get(name));
        // A limit that the plan does not name is the default, which may be higher than that of this machine.
        let defaults = Limits::default();
        let limits =
            LIMITS.iter().map(|(name, _)| (*name, with.limits.get(*name).copied().unwrap_or(defaults.get(name))));
        let limits = limits.filter(|(name, number)| is_higher(name, *number));
        let limits = limits.map(|(name, number)| format!("`--limit {name}={number}`"));
        let switches = [
            (with.run_guards && !self.run_guards, "`--run-guards`"),
            (with.run_plugins && !self.choices.runs_plugins(), "`--run-plugins`"),
            (with.exported && !self.config.shares_exports(), "the setting `puppet.exported`"),
        ];
        let switches = switches.into_iter().filter(|(is_raised, _)| *is_raised).map(|(_, words)| words.to_owned());
        let missing: Vec<String> = switches.chain(limits).collect();
        if missing.is_empty() { Ok(()) } else { Err(missing) }
    }
}

/// Whether this user saved the plan on this machine. An unreadable list of plans knows none.
fn is_made_here(state: Option<&PathBuf>, saved: &SavedPlan) -> bool {
    let all = operations(state).unwrap_or_default().all;
    all.iter().any(|one| matches!(&one.what, What::Plan(made) if made.file.is_some() && made.plan == saved.plan))
}

/// Returns the newest deploy that applied a saved plan, and whether it is still in effect. `None` if the history is
/// unreadable.
pub fn applied_as(state: Option<&PathBuf>, saved: &SavedPlan) -> Option<(u64, bool)> {
    let is_of = |summary: &Summary| {
        let begin = summary.begin.as_ref();
        begin.is_some_and(|begin| begin.plan.as_ref() == Some(&saved.plan) && begin.purpose == Purpose::Apply)
    };
    let all = history::newest_first(state).ok()?;
    let deploy = all.flatten().find(is_of)?.deploy;
    let is_in_effect = history::in_effect(state).ok()?.flatten().any(|summary| summary.deploy == deploy);
    Some((deploy, is_in_effect))
}
