//! `workbench download`: fetches the modules of an entry, and reports the result.

use std::io::{self, Write};

use clap::Args;

use crate::cli::args::{Entry, Global};
use crate::cli::exit::Exit;
use crate::cli::face::{Face, count};
use crate::cli::fetching::{self, FetchArgs};
use crate::cli::open::open;
use crate::cli::paint::Role;
use crate::module::ModuleState;
use crate::session::{DownloadOptions, Downloaded, Session, Update};
use crate::source::printable;

/// Fetch the modules that a module needs
///
/// Fetches missing modules into the module path: git imports, the modules of a Puppetfile, metadata.json or
/// project.yml, and what those need. Records commits and checksums in `workbench.lock`. Modules that are already in the
/// lock are fetched as locked. If one fetch fails, no module is changed.
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  workbench download site/\n  workbench download --update site/\n  workbench download --update=https://host/ntp/ site/      only this module\n  \
                  workbench download --locked site/        for CI: only what is locked\n\n\
                  https and ssh are always allowed; git:// is tried as https. Modules with local edits are\n\
                  not changed; --update fails on them."
)]
pub struct Download {
    #[command(flatten)]
    pub entry: Entry,
    /// Update locked modules to the newest commit of their refs, or the newest version that fits: all, or the named
    /// ones (`--update=https://host/path/`)
    #[arg(long, value_name = "MODULE", conflicts_with = "locked", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub update: Vec<String>,
    /// Fail if anything differs from the lock file
    #[arg(long)]
    pub locked: bool,
    #[command(flatten)]
    pub fetch: FetchArgs,
}

impl Download {
    /// Fetches the modules, and reports the result and the modules that are still missing.
    pub fn run(&self, face: &mut Face, global: &Global) -> io::Result<Exit> {
        let session = match open(face, global, &self.entry) {
            Ok(session) => session,
            Err(exit) => return Ok(exit),
        };
        let update = match &self.update[..] {
            [] => Update::Nothing,
            names if names.iter().any(String::is_empty) => Update::All,
            names => Update::Only(names.iter().cloned().collect()),
        };
        let options = DownloadOptions { update, locked: self.locked, ..self.fetch.options(&session) };
        match fetching::run(face, global, options.silence, |around| session.download(&options, around)) {
            Ok(summary) => {
                let missing = missing(&session);
                write_report(face, &summary, missing.len())?;
                if !missing.is_empty() {
                    let names = printable(&missing.join(", ")).to_string();
                    face.note(format!("not found: {names}; nothing names where to fetch them, or the index has none"));
                }
                face.out.flush()?;
                Ok(face.report(&session.ignored_parts()))
            }
            Err(exit) => Ok(exit),
        }
    }
}

/// The modules that are still missing.
fn missing(session: &Session) -> Vec<String> {
    let tree = session.modules();
    let missing = tree.modules.iter().filter(|module| module.state == ModuleState::Missing);
    missing.map(|module| module.name.clone()).collect()
}

/// Reports what was fetched, updated and unchanged, and how many modules are still missing.
pub fn write_report(face: &mut Face, summary: &Downloaded, missing: usize) -> io::Result<()> {
    let short = |commit: &str| commit.get(..10).unwrap_or(commit).to_owned();
    if summary.finished_earlier {
        face.note("finished an earlier download that was interrupted");
    }
    for (name, commit) in &summary.came {
        writeln!(face.out, "{} {}  {}", face.paint.role(Role::Create, "+ fetched"), printable(name), short(commit))?;
    }
    for (name, before, now) in &summary.moved {
        let moved = format!("{} -> {}", short(before), short(now));
        writeln!(face.out, "{} {}  {moved}", face.paint.role(Role::Change, "~ updated"), printable(name))?;
    }
    for (mark, names) in
        [("edited, not touched", &summary.edited), ("not fetched by workbench, not touched", &summary.kept)]
    {
        for name in names {
            writeln!(face.out, "  {mark}: {}", printable(name))?;
        }
    }
    for (name, left_out) in &summary.left_out {
        for offence in left_out {
            writeln!(face.out, "  skipped in {}: {offence}", printable(name))?;
        }
    }
    for path in &summary.unused {
        writeln!(face.out, "  no longer imported: {}", printable(path))?;
    }
    if !summary.unused.is_empty() {
        face.note("`workbench modules prune` removes modules that are no longer imported");
    }
    let (came, moved) = (summary.came.len(), summary.moved.len());
    let stayed = summary.stayed.len() + summary.edited.len() + summary.kept.len();
    let missing = if missing > 0 { format!(", {missing} missing") } else { String::new() };
    writeln!(face.out, "{} fetched, {moved} updated, {stayed} unchanged{missing}", count(came, "module"))
}
