//! Shell completion: besides commands and flags, values from this machine and its history.
//!
//! The shell asks this binary through an environment variable, with the script from `workbench completions`. Only
//! settings, the history and the table of kinds are read, never a module, because Tab is not a consent.

use std::ffi::{OsStr, OsString};

use clap::CommandFactory;
use clap_complete::CompleteEnv;
use clap_complete::engine::{ArgValueCandidates, ArgValueCompleter, CompletionCandidate};

use super::args::Cli;
use super::exit::Exit;
use crate::config::SETTINGS;
use crate::highlight::BUILT_IN;
use crate::plan::RESOURCE_KEYS;
use crate::session::history::{self, what_words};
use crate::session::{configure, doc, own_themes};
use crate::source::printable;

/// The variable with the name of the shell.
pub const VARIABLE: &str = "WORKBENCH_COMPLETE";

/// How many deploys are offered, newest first.
const DEPLOYS: usize = 50;

/// Answers a completion request of a shell; `None` if this is not one.
pub fn answer(args: &[OsString]) -> Option<Exit> {
    #[allow(clippy::disallowed_methods, reason = "the shell asks about the folder it is in; no program sees it")]
    let folder = std::env::current_dir().ok();
    match CompleteEnv::with_factory(Cli::command).var(VARIABLE).try_complete(args.iter().cloned(), folder.as_deref()) {
        Ok(false) => None,
        Ok(true) => Some(Exit::Done),
        Err(error) => {
            let _ = error.print();
            Some(Exit::Usage)
        }
    }
}

/// The themes of `workbench themes`.
pub fn themes() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let own = own_themes(&configure(None));
        let names = BUILT_IN.iter().map(|(name, _)| (*name).to_owned()).chain(own).chain(["auto".to_owned()]);
        names.filter_map(|name| candidate(&name, None)).collect()
    })
}

/// The numbers of deploys, each with its description.
pub fn deploys() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let newest = history::deploys(None).unwrap_or_default();
        let description = |deploy: &history::Summary| {
            let begin = deploy.begin.as_ref()?;
            Some(format!("{} {}", begin.time, what_words(begin)))
        };
        newest
            .iter()
            .take(DEPLOYS)
            .filter_map(|one| candidate(&one.deploy.to_string(), description(one).as_deref()))
            .collect()
    })
}

/// Kinds and functions, as `workbench doc` lists them.
pub fn names() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let kinds = doc::kinds().iter().filter_map(|kind| candidate(kind.kind, Some(&kind.about())));
        let functions = doc::functions(None).filter_map(|one| candidate(&one.name, Some(&one.doc)));
        kinds.chain(functions).collect()
    })
}

/// The keys of `workbench config explain`.
pub fn settings() -> ArgValueCandidates {
    ArgValueCandidates::new(|| SETTINGS.iter().filter_map(|one| candidate(one.name, Some(one.doc))).collect())
}

/// The names of the newest deploy's resources.
pub fn resources() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let newest = history::deploy(None, None).ok();
        let ids = newest.iter().flat_map(|deploy| &deploy.outcomes).map(|outcome| outcome.resource.to_string());
        ids.filter_map(|id| candidate(&id, None)).collect()
    })
}

/// The first term of a query: its key, then its value.
pub fn query() -> ArgValueCompleter {
    ArgValueCompleter::new(|written: &OsStr| {
        let Some(written) = written.to_str() else { return Vec::new() };
        let values: Vec<String> = match written.split_once(':') {
            None => RESOURCE_KEYS.iter().map(|word| format!("{word}:")).collect(),
            Some(("kind", _)) => doc::kinds().iter().map(|kind| format!("kind:{}", kind.kind)).collect(),
            Some(_) => Vec::new(),
        };
        values.iter().filter(|value| value.starts_with(written)).filter_map(|value| candidate(value, None)).collect()
    })
}

/// Escapes control characters: a shell may print a candidate as it is.
fn candidate(value: &str, about: Option<&str>) -> Option<CompletionCandidate> {
    if printable(value).to_string() != value {
        return None;
    }
    let about = about.map(|about| printable(first_line(about)).to_string().into());
    Some(CompletionCandidate::new(value).help(about))
}

fn first_line(text: &str) -> &str {
    let line = text.lines().next().unwrap_or_default();
    line.find(". ").map_or(line, |at| &line[..at])
}
