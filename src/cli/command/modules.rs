//! `workbench modules`: the module tree and its imports.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::PathBuf;

use clap::{Args, Subcommand};
use serde_json::json;

use super::modules_add::Add;
use super::modules_prune::Prune;

use crate::cli::args::{Entry, Format, Global};
use crate::cli::exit::Exit;
use crate::cli::face::{Face, count};
use crate::cli::fetching::{self, FetchArgs};
use crate::cli::open::open;
use crate::cli::paint::Role;
use crate::module::{Import, Module, ModuleState, ModuleTree, Need};
use crate::session::{Fetched, RemoteNews, RemoteState, Session, behind_words, mark_behind, review_lines};
use crate::source::printable;

/// List the modules of an entry: place, state, imports; approve them
#[derive(Args, Debug)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:\n  workbench modules modules/mcl/site\n  workbench modules site/ --why https://example.com/ntp/\n  \
        workbench modules site/ --approve=https://example.com/ntp/\n  \
        workbench modules site/ --remote                      show updates\n  \
        workbench modules add https://example.com/ntp/ site/\n  workbench modules prune site/"
)]
pub struct Modules {
    #[command(subcommand)]
    pub what: Option<What>,
    #[command(flatten)]
    pub entry: Entry,
    /// Show which modules import this one
    #[arg(long, value_name = "NAME")]
    pub why: Option<String>,
    /// Allow fetched modules (all, or only NAME), in their current version, to change this machine
    #[arg(long, value_name = "NAME", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub approve: Option<String>,
    /// With --approve: record the approval in `workbench.lock`, so that it holds for everyone who uses that file
    #[arg(long, requires = "approve")]
    pub in_lock: bool,
    /// Ask the remotes which modules have newer commits or versions; only the cache is written
    #[arg(long, conflicts_with_all = ["why", "approve"])]
    pub remote: bool,
    #[command(flatten)]
    pub fetch: FetchArgs,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

#[derive(Debug, Subcommand)]
pub enum What {
    Add(Add),
    Prune(Prune),
}

impl Modules {
    /// Prints the module tree, or runs the subcommand.
    pub fn run(&self, face: &mut Face, global: &Global) -> io::Result<Exit> {
        match &self.what {
            Some(What::Add(add)) => return add.run(face, global),
            Some(What::Prune(prune)) => return prune.run(face, global),
            None => {}
        }
        let session = match open(face, global, &self.entry) {
            Ok(session) => session,
            Err(exit) => return Ok(exit),
        };
        let mut tree = session.modules();
        if let Some(name) = &self.why {
            return why(face, &tree, name);
        }
        if let Some(name) = &self.approve {
            return self.approve(face, global, &session, &tree, name);
        }
        let fetched = session.fetched(&tree, global.state_dir.as_ref()).unwrap_or_default();
        let seen = match self.remote {
            true => {
                let options = self.fetch.options(&session);
                match fetching::run(face, global, options.silence, |around| session.remotes(&options, around)) {
                    Ok(seen) => seen,
                    Err(exit) => return Ok(exit),
                }
            }
            false => session.remembered(&tree),
        };
        mark_behind(&mut tree, &seen);
        let remote = |module: &Module| seen.iter().find(|seen| seen.path == module.path);
        match self.format {
            Format::Json => {
                let json = |module: &Module| {
                    let mut json = module_json(module, &fetched);
                    let remote = remote(module).map(remote_json);
                    if self.remote || remote.is_some() {
                        json["remote"] = remote.unwrap_or_default();
                    }
                    json
                };
                let modules: Vec<_> = tree.modules.iter().map(json).collect();
                writeln!(face.out, "{}", json!({"version": 1, "modules": modules}))?;
            }
            Format::Text => {
                text(face, &tree, &fetched, &remote)?;
                if self.remote {
                    note_behind(face, &seen)?;
                }
                let search: Vec<_> =
                    session.search_path().iter().map(|f| format!("{} ({})", f.path.display(), f.why)).collect();
                face.out.flush()?;
                if !search.is_empty() {
                    face.note(format!("module path: {}", search.join(", then ")));
                }
                return Ok(face.report(&session.declared()));
            }
        }
        Ok(Exit::Done)
    }

    fn approve(
        &self,
        face: &mut Face,
        global: &Global,
        session: &Session,
        tree: &ModuleTree,
        name: &str,
    ) -> io::Result<Exit> {
        let state = global.state_dir.as_ref();
        let mut fetched = match session.fetched(tree, state) {
            Ok(fetched) => fetched,
            Err(error) => return Ok(face.refuse(&error.to_string(), "choose another folder with `--state-dir`")),
        };
        let is_named = |module: &Fetched| module.name.trim_end_matches('/') == name.trim_end_matches('/');
        fetched.retain(|module| name.is_empty() || is_named(module));
        if fetched.is_empty() {
            return Ok(face.refuse("no such fetched module", "`workbench modules` lists the modules"));
        }
        for module in fetched.iter().filter(|module| !module.is_approved) {
            write_review(face, session, module, state)?;
        }
        let kept = match self.in_lock {
            true => session.approve_in_lock(&fetched).map(|_| ()).map_err(|error| error.to_string()),
            false => session.approve(fetched.iter(), state).map_err(|error| error.to_string()),
        };
        if let Err(error) = kept {
            return Ok(face.refuse(&error, "nothing was approved; check that the file can be written"));
        }
        for module in &fetched {
            writeln!(face.out, "approved {}  {}", printable(&module.name), module.hash)?;
        }
        Ok(Exit::Done)
    }
}

/// Writes the review text before a module is approved.
pub(super) fn write_review(
    face: &mut Face,
    session: &Session,
    module: &Fetched,
    state: Option<&PathBuf>,
) -> io::Result<()> {
    let lines = match session.review(module, state) {
        Ok(review) => review_lines(module, &review),
        Err(why) => vec![format!("{} cannot be read: {why}", module.name)],
    };
    lines.iter().try_for_each(|line| writeln!(face.out, "{}", printable(line)))
}

/// Whether a module is approved; `None` if it was not fetched.
fn approved(module: &Module, fetched: &[Fetched]) -> Option<bool> {
    fetched.iter().find(|fetched| fetched.is(module)).map(|fetched| fetched.is_approved)
}

fn state_word(state: ModuleState) -> (&'static str, Role) {
    match state {
        ModuleState::Present => ("present", Role::Good),
        ModuleState::Missing => ("missing", Role::Error),
        ModuleState::Edited => ("edited", Role::Change),
        ModuleState::Behind => ("behind", Role::Change),
        ModuleState::Unused => ("unused", Role::Quiet),
    }
}

fn module_json(module: &Module, fetched: &[Fetched]) -> serde_json::Value {
    let imports: Vec<_> = module
        .imports
        .iter()
        .map(|i| {
            let mut json =
                json!({"name": i.name, "file": i.file.to_string_lossy(), "line": i.line, "module": i.module});
            if let Some(need) = &i.need {
                json["range"] = json!(need.range);
                json["fits"] = json!(!i.is_unfit);
            }
            json
        })
        .collect();
    json!({
        "name": module.name,
        "path": module.path.to_string_lossy(),
        "state": state_word(module.state).0,
        "approved": approved(module, fetched),
        "revision": module.revision,
        "version": module.version,
        "license": module.license,
        "files": module.files.iter().map(|f| f.to_string_lossy()).collect::<Vec<_>>(),
        "imports": imports,
        "used_by": module.used_by,
    })
}

fn remote_json(seen: &RemoteState) -> serde_json::Value {
    let mut json = match &seen.found {
        RemoteNews::Same => json!({"state": "same"}),
        RemoteNews::Behind { now, commits, subject } => {
            json!({"state": "behind", "commit": now, "commits": commits, "subject": subject})
        }
        RemoteNews::Rewritten { now, commits, lost, subject } => {
            json!({"state": "rewritten", "commit": now, "commits": commits, "lost": lost, "subject": subject})
        }
        RemoteNews::Versions { locked, newest, is_newer, fitting } => {
            let state = if seen.found.is_behind() { "behind" } else { "same" };
            let fits = !is_newer || fitting.as_ref() == Some(newest);
            json!({"state": state, "version": locked, "newest": newest, "fits": fits, "fitting": fitting})
        }
        RemoteNews::Unseen { why, help, .. } => json!({"state": "unseen", "message": why, "help": help}),
    };
    json["ref"] = json!(seen.reference);
    json["looked"] = json!(seen.looked.as_deref().unwrap_or("just now"));
    json
}

/// Reports how many modules have newer commits, and how to update them.
fn note_behind(face: &mut Face, seen: &[RemoteState]) -> io::Result<()> {
    let behind = seen.iter().filter(|seen| seen.found.is_behind()).count();
    if seen.is_empty() {
        return writeln!(face.out, "no fetched modules are imported");
    }
    writeln!(face.out, "{}", behind_words(seen))?;
    face.out.flush()?;
    if behind > 0 {
        face.note("`workbench download --update` updates them");
    }
    let permits = seen.iter().filter_map(|seen| match &seen.found {
        RemoteNews::Unseen { permits, .. } => Some(permits),
        _ => None,
    });
    let words: BTreeSet<&str> = permits.flatten().map(|permit| permit.word()).collect();
    if !words.is_empty() {
        let words: Vec<&str> = words.into_iter().collect();
        face.note(format_args!("`--allow {}` checks more of them", words.join(",")));
    }
    Ok(())
}

fn text<'s>(
    face: &mut Face,
    tree: &ModuleTree,
    fetched: &[Fetched],
    remote: &dyn Fn(&Module) -> Option<&'s RemoteState>,
) -> io::Result<()> {
    let width = tree.modules.iter().map(|m| printable(&m.name).as_str().chars().count()).max().unwrap_or_default();
    for module in &tree.modules {
        let (word, role) = state_word(module.state);
        let revision = module.revision.as_deref().map_or("-", |revision| revision.get(..8).unwrap_or(revision));
        let path = if module.path.as_os_str().is_empty() { "." } else { &module.path.to_string_lossy() };
        let trust = match approved(module, fetched) {
            Some(false) => "  not approved",
            Some(true) => "  approved",
            None => "",
        };
        let version =
            module.version.as_ref().map_or(String::new(), |version| format!("  version {}", printable(version)));
        let license = module.license.as_ref().map_or(String::new(), |license| format!("  {}", printable(license)));
        writeln!(
            face.out,
            "{:width$}  {:8} {:8}  {}{}{}{}",
            face.paint.role(Role::Name, printable(&module.name)),
            face.paint.role(role, word),
            revision,
            printable(path),
            face.paint.role(Role::Quiet, version),
            face.paint.role(Role::Quiet, license),
            face.paint.role(Role::Quiet, trust),
        )?;
        if let Some(words) = remote(module).and_then(RemoteState::words) {
            writeln!(face.out, "  {}", face.paint.role(Role::Change, printable(&words)))?;
        }
        for import in &module.imports {
            let place = format!("{}:{}", import.file.display(), import.line);
            let leads = match &import.module {
                Some(to) if *to == import.name => String::new(),
                Some(to) => format!(" is {}", printable(to)),
                None => String::new(),
            };
            let (line, role) = match &import.need {
                None => (format!("imports {}{leads}  {}", printable(&import.name), printable(&place)), Role::Quiet),
                Some(need) => need_words(tree, import, need, &place),
            };
            writeln!(face.out, "  {}", face.paint.role(role, line))?;
        }
        if !module.used_by.is_empty() {
            let line = format!("used by {}", printable(&module.used_by.join(", ")));
            writeln!(face.out, "  {}", face.paint.role(Role::Quiet, line))?;
        }
    }
    let missing = tree.modules.iter().filter(|module| module.state == ModuleState::Missing).count();
    let missing = if missing > 0 { format!(", {missing} missing") } else { String::new() };
    let unused = tree.modules.iter().filter(|module| module.state == ModuleState::Unused).count();
    let unused = if unused > 0 { format!(", {unused} unused") } else { String::new() };
    writeln!(face.out, "{}{missing}{unused}", count(tree.modules.len(), "module"))
}

/// A requirement of the metadata, and whether it is met.
fn need_words(tree: &ModuleTree, import: &Import, need: &Need, place: &str) -> (String, Role) {
    let range = if need.range.is_empty() { String::new() } else { format!(" {}", printable(&need.range)) };
    let there = import.module_folder.as_ref().and_then(|at| tree.modules.iter().find(|module| module.path == *at));
    let (words, role) = match there {
        None => (", built in".into(), Role::Quiet),
        Some(module) if module.state == ModuleState::Missing => (", missing".into(), Role::Error),
        Some(Module { version: Some(version), .. }) if import.is_unfit => {
            (format!(", but {} is there", printable(version)), Role::Change)
        }
        Some(_) => (String::new(), Role::Quiet),
    };
    (format!("requires {}{range}{words}  {}", printable(&import.name), printable(place)), role)
}

/// Every import of a module, then those of its importers, up to the entry.
fn why(face: &mut Face, tree: &ModuleTree, name: &str) -> io::Result<Exit> {
    let matches = |module: &&Module| module.name == name || module.name.trim_end_matches('/').ends_with(name);
    let Some(start) = tree.modules.iter().find(matches) else {
        let names = tree.modules.iter().map(|module| module.name.as_str());
        let help = crate::diag::nearest(name, names)
            .map_or("`workbench modules` lists them".to_string(), |near| format!("did you mean `{near}`?"));
        return Ok(face.refuse(&format!("`{}` is not a module of this entry", printable(name)), &help));
    };
    let mut listed = vec![&start.name];
    let mut at = 0;
    while let Some(wanted) = listed.get(at).copied() {
        for module in &tree.modules {
            for import in module.imports.iter().filter(|import| import.module.as_ref() == Some(wanted)) {
                let file = module.path.join(&import.file);
                let line = format!("{} imports {wanted}  {}:{}", module.name, file.display(), import.line);
                writeln!(face.out, "{}", printable(&line))?;
                if !listed.contains(&&module.name) {
                    listed.push(&module.name);
                }
            }
        }
        at += 1;
    }
    if at == 1 && start.used_by.is_empty() {
        writeln!(face.out, "{} is the entry", printable(&start.name))?;
    }
    Ok(Exit::Done)
}
