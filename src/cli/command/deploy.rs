//! `workbench deploy`: lists, shows, undoes and resumes deploys; makes bundles.

use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};
use serde_json::json;

use super::bundle::{BundleArgs, show_bundle};
use super::cluster::{self, TargetArgs};
use super::conflict::completion_words;
use super::deploy_diff::Diff;
use super::deploy_list::List;
use super::prune::Prune;
use super::push::Push;
use super::resume::Resume;
use super::undo::Undo;
use crate::cli::args::{Format, Global, ReportFormat, duration};
use crate::cli::complete;
use crate::cli::exit::Exit;
use crate::cli::face::Face;
use crate::cli::paint::Role;
use crate::cli::report::write_report;
use crate::plan::CompiledFor;
use crate::session::compare::deploy_document;
use crate::session::history::{
    self, Amended, Deploy, OnConflict, Outcome, StateError, Summary, amended_words, change_words, outcome_words,
    status_words, tries, what_words,
};
use crate::session::{Keeping, recorded_in_own_words};
use crate::source::{headline, printable};

/// List, show, compare, undo and resume deploys; make bundles; publish to mgmt clusters
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  workbench deploy list\n  workbench deploy show            the newest one\n  \
    workbench deploy diff            the newest two\n  \
    workbench deploy undo            undo the newest apply of this entry\n  \
    workbench deploy undo 6 --yes    undo deploy 6 without asking; if 6 is an undo, redo\n  \
    workbench deploy resume          continue an interrupted deploy\n  \
    workbench deploy bundle site/ -o site.bundle\n  workbench deploy show site.bundle\n  \
    workbench deploy push site/ --target etcd://localhost:2379\n  workbench deploy list --target etcd://localhost:2379")]
pub struct DeployCommand {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand, Debug)]
enum What {
    Bundle(BundleArgs),
    Push(Push),
    List(List),
    Show(Show),
    Diff(Diff),
    Undo(Undo),
    Resume(Resume),
    Prune(Prune),
}

/// Show a deploy, or the contents of a bundle
///
/// A deploy is shown with its modules and outcomes, and with each change and how it is undone. With --target, shows a
/// deploy of a cluster.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  workbench deploy show 7\n  workbench deploy show site.bundle\n  \
    workbench deploy show --target etcd://localhost:2379     what the cluster runs now")]
struct Show {
    /// Number of a deploy, or a bundle file [default: the newest deploy]
    #[arg(value_name = "ID|BUNDLE", add = complete::deploys())]
    what: Option<String>,
    #[command(flatten)]
    target: TargetArgs,
    /// Show the record of every step in order, including unchanged ones, with durations; applies nothing
    #[arg(long)]
    replay: bool,
    #[arg(long, value_enum, default_value_t)]
    format: ReportFormat,
}

#[derive(Args, Debug)]
pub(super) struct Bounds {
    /// What to do with resources that were changed since the deploy
    #[arg(long, value_enum, default_value_t)]
    pub(super) on_conflict: Choice,
    /// How long to wait for the lock, such as `30s`, `5m`
    #[arg(long, value_name = "TIME", default_value = "0s", value_parser = duration)]
    lock_timeout: Duration,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Choice {
    /// Change nothing, and report the differences; a folder with other files is no difference, an undo keeps it
    #[default]
    Stop,
    /// Leave the changed resources: an undo undoes the rest, a resume continues from their current version
    Keep,
    /// Restore the version before the deploy; an undo also DELETES folders that the deploy created, with all files
    Restore,
}

impl From<Choice> for OnConflict {
    fn from(choice: Choice) -> Self {
        match choice {
            Choice::Stop => OnConflict::Stop,
            Choice::Keep => OnConflict::Keep,
            Choice::Restore => OnConflict::Restore,
        }
    }
}

impl Bounds {
    /// Decides nothing, and waits this long for another applier.
    pub(super) fn waiting(lock_timeout: Duration) -> Self {
        Self { on_conflict: Choice::Stop, lock_timeout }
    }

    pub(super) fn keeping(&self, global: &Global) -> Keeping {
        Keeping { state: global.state_dir.clone(), patience: self.lock_timeout, ..Keeping::default() }
    }
}

impl DeployCommand {
    /// Runs the subcommand.
    pub fn run(&self, face: &mut Face, global: &Global) -> io::Result<Exit> {
        match &self.what {
            What::Bundle(bundle) => bundle.run(face, global),
            What::Push(push) => push.run(face, global),
            What::List(list) => list.run(face, global),
            What::Show(show) => show.run(face, global),
            What::Diff(diff) => diff.run(face, global),
            What::Undo(undo) => undo.run(face, global),
            What::Resume(resume) => resume.run(face, global),
            What::Prune(prune) => prune.run(face, global),
        }
    }
}

pub(super) fn unreadable(face: &Face, error: &StateError) -> Exit {
    face.refuse(&error.to_string(), &error.way_out())
}

/// The progress of a deploy whose applier waits without a terminal; `None` for any other.
pub(super) fn detached_words(state: Option<&std::path::PathBuf>, deploy: u64) -> Option<String> {
    let status = crate::session::look_in(state).ok()?;
    let is_it = status.is_parked() && status.deploy == deploy;
    is_it.then(|| format!("detached, {} of {} steps done; `workbench attach` continues", status.turned, status.total))
}

/// How a deploy ended, and its colour. `at_work`: whether a process works on one without an end; `None` if unknown.
pub(super) fn ending(summary: &Summary, at_work: Option<bool>) -> (String, Role) {
    let role = match &summary.end {
        None => Role::Warning,
        Some(end) if end.failed > 0 => Role::Error,
        Some(_) => Role::Quiet,
    };
    (status_words(summary, at_work), role)
}

impl Show {
    fn run(&self, face: &mut Face, global: &Global) -> io::Result<Exit> {
        let format = self.format.plain();
        let is_report = matches!(self.format, ReportFormat::Html | ReportFormat::Markdown);
        let is_number = self.what.as_deref().is_none_or(|what| what.parse::<u64>().is_ok());
        if is_report && (self.replay || self.target.is_given() || !is_number) {
            let help = "use `--format text` or `--format json`, or a deploy number of this machine";
            face.refuse("only deploys of this machine are shown as html or markdown", help);
            return Ok(Exit::Usage);
        }
        let id = match self.what.as_deref().map(|what| (what, what.parse())) {
            Some((_, Ok(id))) if self.target.is_given() => {
                return cluster::show(face, &self.target, Some(id), format);
            }
            None if self.target.is_given() => return cluster::show(face, &self.target, None, format),
            Some((what, Err(_))) if self.target.is_given() => {
                let message = format!("`{what}` is not a deploy number");
                return Ok(face.refuse(&message, "`workbench deploy list --target` lists the deploys"));
            }
            None => None,
            Some((_, Ok(id))) => Some(id),
            Some((path, Err(_))) => return show_bundle(face, global, Path::new(path), format),
        };
        let deploy = match history::deploy(global.state_dir.as_ref(), id) {
            Ok(deploy) => deploy,
            Err(error) => return Ok(unreadable(face, &error)),
        };
        match self.format {
            _ if self.replay => replay(face, &deploy, format)?,
            ReportFormat::Json => writeln!(face.out, "{}", history::as_json(&deploy))?,
            ReportFormat::Text => {
                let at_work = self.at_work(global, &deploy);
                let words = || detached_words(global.state_dir.as_ref(), deploy.begin.deploy);
                show_text(face, &deploy, at_work, if at_work == Some(true) { words() } else { None })?
            }
            report => write_report(face, &deploy_document(&deploy), report)?,
        }
        let is_torn =
            deploy.end.is_none() && deploy.fault.as_ref().is_some_and(|fault| fault.why.contains("interrupted"));
        match deploy.damage().filter(|_| !is_torn) {
            Some(why) => Ok(unreadable(face, &StateError::Damaged { deploy: deploy.begin.deploy, why })),
            None => Ok(Exit::Done),
        }
    }

    /// Whether a process works on a deploy; `None` if unknown.
    fn at_work(&self, global: &Global, deploy: &Deploy) -> Option<bool> {
        let state = global.state_dir.as_ref();
        match history::newest_first(state).map(|mut all| all.next()) {
            Ok(Some(Ok(newest))) if newest.deploy == deploy.begin.deploy => history::at_work(state),
            Ok(Some(Ok(_)) | None) => Some(false),
            Ok(Some(Err(_))) | Err(_) => None,
        }
    }
}

/// Each step with its outcome, and the time spent in earlier steps; as JSON one outcome per line.
fn replay(face: &mut Face, deploy: &Deploy, format: Format) -> io::Result<()> {
    let mut spent = 0;
    for (outcome, tried) in deploy.outcomes.iter().zip(tries(deploy)) {
        if format == Format::Json {
            writeln!(face.out, "{}", json!({ "after_ms": spent, "outcome": outcome }))?;
        } else {
            let time = format!("{:>8} ms {:>6} ms  ", spent, outcome.elapsed_ms);
            write!(face.out, "{}", face.paint.role(Role::Quiet, time))?;
            try_text(face, outcome, tried)?;
        }
        spent += outcome.elapsed_ms;
    }
    Ok(())
}

fn show_text(face: &mut Face, deploy: &Deploy, at_work: Option<bool>, detached: Option<String>) -> io::Result<()> {
    let begin = &deploy.begin;
    let summary = Summary { deploy: begin.deploy, begin: Some(begin.clone()), end: deploy.end.clone() };
    let (ended, role) = ending(&summary, at_work);
    let ending = detached.unwrap_or(ended);
    let paint = face.paint;
    let who = match &begin.behind {
        Some(behind) => format!("{} (as {})", printable(behind), printable(&begin.user)),
        None => printable(&begin.user).to_string(),
    };
    writeln!(
        face.out,
        "{}  {}",
        paint.role(Role::Title, format!("Deploy {}", begin.deploy)),
        paint.role(role, ending)
    )?;
    writeln!(face.out, "  {}", printable(&what_words(begin)))?;
    writeln!(face.out, "  {} by {who}, {}", begin.time, printable(&begin.program))?;
    for line in begin.compiled_for.as_deref().into_iter().flat_map(CompiledFor::lines) {
        writeln!(face.out, "  {}", printable(&line))?;
    }
    for module in &begin.modules {
        let commit = module.commit.as_deref().unwrap_or("no commit");
        let edited = if module.edited { ", edited" } else { "" };
        writeln!(face.out, "  module {} ({}{edited})", printable(&module.path), printable(commit))?;
    }
    let mut amended = deploy.amended.iter().peekable();
    for (at, (outcome, tried)) in deploy.outcomes.iter().zip(tries(deploy)).enumerate() {
        while let Some(amended) = amended.next_if(|amended| amended.at <= at) {
            amended_text(face, amended)?;
        }
        if outcome.state != "done" || outcome.action != "none" {
            try_text(face, outcome, tried)?;
        }
    }
    amended.try_for_each(|amended| amended_text(face, amended))?;
    for step in deploy.steps.iter().filter(|step| !step.is_own && (step.is_open() || step.completion.is_some())) {
        let found = match step.completion {
            None => "was interrupted",
            Some(completion) => completion_words(completion),
        };
        writeln!(
            face.out,
            "! {}: {} {found}",
            paint.role(Role::Name, &step.intent.resource),
            printable(&step.intent.operation.words())
        )?;
    }
    Ok(())
}

/// The declarations that changed from there on.
fn amended_text(face: &mut Face, amended: &Amended) -> io::Result<()> {
    let (name, words) = (face.paint.role(Role::Name, &amended.resource), amended_words(amended));
    writeln!(face.out, "! {name}  {}", printable(&words))
}

/// The outcome of a step, with the number of its attempts.
fn try_text(face: &mut Face, outcome: &Outcome, tried: usize) -> io::Result<()> {
    let paint = face.paint;
    let tried = if tried > 1 { format!("  try {tried}") } else { String::new() };
    let (sign, role) = match outcome.state.as_str() {
        "done" => ("~", Role::Change),
        "failed" => ("x", Role::Error),
        "blocked" => ("|", Role::Warning),
        _ => ("s", Role::Quiet),
    };
    // A step that did not run has no action.
    let words = Some(headline(outcome_words(outcome))).filter(|words| !words.is_empty());
    let words = words.filter(|words| outcome.state == "done" || *words != "none");
    writeln!(
        face.out,
        "{} {}{}  {}{}",
        paint.role(role, sign),
        paint.role(Role::Name, &outcome.resource),
        paint.role(Role::Quiet, tried),
        paint.role(role, &outcome.state),
        words.map(|words| format!(" {}", printable(words))).unwrap_or_default()
    )?;
    for line in outcome.error.iter().flat_map(|error| error.lines().skip(1)) {
        writeln!(face.out, "    {}", printable(line))?;
    }
    // If the step reports an action, that is the result.
    if let Some(planned) = outcome.planned.as_ref().filter(|_| outcome.action.is_empty()) {
        writeln!(face.out, "    planned: {} ({})", printable(&planned.action), printable(&planned.certainty))?;
    }
    for change in &recorded_in_own_words(&outcome.resource, &outcome.changes) {
        let short: String = change_words(change).chars().take(200).collect();
        writeln!(face.out, "    {}", printable(&short))?;
    }
    Ok(())
}
