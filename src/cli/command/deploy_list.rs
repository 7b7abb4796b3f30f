//! `workbench deploy list`: the deploys of this machine, or of a cluster.

use std::collections::BTreeMap;
use std::io::{self, IsTerminal, Write};

use clap::Args;
use serde_json::{Value as Json, json};

use super::cluster::{self, TargetArgs};
use super::deploy::{detached_words, ending, unreadable};
use crate::cli::args::{Format, Global};
use crate::cli::exit::Exit;
use crate::cli::face::{Face, count};
use crate::cli::paint::Role;
use crate::session::history::{self, Begin, Summary, undone_by_words, undone_deploys, what_words};
use crate::session::operations::{self, LogEntry, MadePlan, Operation, What};
use crate::source::printable;

/// List deploys, newest first: time, user, entry, result
///
/// With --target, lists the deploys of a cluster.
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  workbench deploy list --verify\n  workbench deploy list --all      also plans and fetches\n  workbench deploy list --target etcd://one,two,three\n  \
    workbench deploy list --target etcds://ann@one --ca ca.pem --follow"
)]
pub struct List {
    /// Check the integrity of every record in the history
    #[arg(long, conflicts_with = "target")]
    verify: bool,
    /// Also list plans and module fetches
    #[arg(long, conflicts_with = "target")]
    all: bool,
    /// Keep running and print each new deploy as it is published
    #[arg(long, requires = "target")]
    follow: bool,
    #[command(flatten)]
    target: TargetArgs,
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl List {
    /// Prints the deploys of this machine, or of a cluster.
    pub fn run(&self, face: &mut Face, global: &Global) -> io::Result<Exit> {
        if self.target.is_given() {
            return cluster::list(face, &self.target, self.follow, self.format);
        }
        let listed = match history::deploys(global.state_dir.as_ref()) {
            Ok(listed) => listed,
            Err(error) => return Ok(unreadable(face, &error)),
        };
        if listed.is_empty()
            && let Err(error) = history::check_owner(global.state_dir.as_ref())
        {
            return Ok(unreadable(face, &error));
        }
        let back = undone_deploys(&listed).into_iter();
        let back: BTreeMap<u64, String> = back.map(|(deploy, back)| (deploy, undone_by_words(back))).collect();
        let open = listed.first().filter(|newest| newest.end.is_none()).map(|newest| newest.deploy);
        let at_work = open.and_then(|_| history::at_work(global.state_dir.as_ref()));
        let beside = match self.all.then(|| operations::operations(global.state_dir.as_ref())).transpose() {
            Ok(beside) => beside.unwrap_or_default(),
            Err(error) => return Ok(unreadable(face, &error)),
        };
        if beside.damaged > 0 {
            face.note(format_args!(
                "note: {} in the list of plans and fetches cannot be read",
                count(beside.damaged, "line")
            ));
        }
        let listed = operations::merge_log(listed, beside.all);
        if self.format == Format::Json {
            let all: Vec<Json> = listed.iter().map(done_json).collect();
            writeln!(face.out, "{}", Json::Array(all))?;
        } else if listed.is_empty() {
            writeln!(face.out, "No deploys yet.")?;
        } else if io::stdout().is_terminal() {
            // Scripts read the rows.
            let header = format!("{:>5}  {:<20}  user  what  result", "#", "started (UTC)");
            writeln!(face.out, "{}", face.paint.role(Role::Quiet, header))?;
        }
        for done in listed.iter().filter(|_| self.format == Format::Text) {
            match done {
                LogEntry::Deploy(summary) => {
                    let at_work = if open == Some(summary.deploy) { at_work } else { Some(false) };
                    let detached =
                        (at_work == Some(true)).then(|| detached_words(global.state_dir.as_ref(), summary.deploy));
                    deploy_line(face, summary, (at_work, detached.flatten()), back.get(&summary.deploy).cloned())?;
                }
                LogEntry::Operation(operation) => operation_line(face, operation)?,
            }
        }
        if self.verify {
            match history::verify(global.state_dir.as_ref()) {
                Ok(()) => face.note("all entries are intact"),
                Err(error) => return Ok(unreadable(face, &error)),
            }
        }
        Ok(Exit::Done)
    }
}

/// `back`: the undo of the deploy.
fn deploy_line(
    face: &mut Face,
    summary: &Summary,
    (at_work, detached): (Option<bool>, Option<String>),
    back: Option<String>,
) -> io::Result<()> {
    let (mut ending, role) = ending(summary, at_work);
    ending = detached.unwrap_or(ending);
    if let Some(by) = back {
        ending += &format!(", {by}");
    }
    let number = face.paint.role(Role::Title, format!("{:>5}", summary.deploy));
    let Some(begin) = &summary.begin else {
        return writeln!(face.out, "{:>5}  {}", summary.deploy, face.paint.role(Role::Error, "unreadable"));
    };
    writeln!(
        face.out,
        "{number}  {}  {}  {}  {}",
        begin.time,
        printable(begin.behind.as_ref().unwrap_or(&begin.user)),
        printable(&what_words(begin)),
        face.paint.role(role, ending),
    )
}

/// A plan or a fetch, which has no number.
fn operation_line(face: &mut Face, operation: &Operation) -> io::Result<()> {
    let (what, words) = match &operation.what {
        What::Plan(plan) => ("plan", operations::plan_words(plan)),
        What::Fetch(fetch) => ("fetch", operations::fetch_words(fetch)),
        What::Refused { .. } => ("apply", operations::REFUSED_WORDS.into()),
    };
    let compiled_for = match &operation.what {
        What::Plan(plan) => plan.compiled_for.as_ref(),
        What::Fetch(_) | What::Refused { .. } => None,
    };
    let node = compiled_for.map(|compiled_for| compiled_for.node_words()).unwrap_or_default();
    writeln!(
        face.out,
        "{:>5}  {}  {}  {what} {}  {}",
        "-",
        printable(&operation.time),
        printable(&operation.user),
        face.paint.role(Role::Name, printable(&format!("{}{node}", operation.entry))),
        face.paint.role(Role::Quiet, printable(&words)),
    )?;
    match &operation.what {
        What::Plan(MadePlan { file: Some(file), .. }) => {
            writeln!(face.out, "       saved as {}", printable(&file.display().to_string()))
        }
        What::Fetch(fetch) => {
            let short = |commit: &str| printable(commit.get(..10).unwrap_or(commit)).to_string();
            for (name, from, to) in &fetch.moved {
                writeln!(face.out, "       {} {} -> {}", printable(name), short(from), short(to))?;
            }
            for (name, commit) in &fetch.came {
                writeln!(face.out, "       {} fetched at {}", printable(name), short(commit))?;
            }
            Ok(())
        }
        What::Plan(_) | What::Refused { .. } => Ok(()),
    }
}

fn done_json(done: &LogEntry) -> Json {
    match done {
        LogEntry::Deploy(summary) => {
            let begin = summary.begin.as_ref().map(Begin::shown);
            json!({ "deploy": summary.deploy, "begin": begin, "end": summary.end })
        }
        LogEntry::Operation(operation) => json!(operation),
    }
}
