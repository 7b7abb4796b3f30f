//! `workbench deploy`: what was applied here, taken back, and gone on with.

use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};
use serde_json::{Value as Json, json};

use super::apply::{About, Telling, agreed, not_begun};
use super::conflict::{self, can_ask, settled_words};
use super::prune::Prune;
use crate::cli::args::{Apart, Entry, Format, Global, Work, duration};
use crate::cli::drive::Drive;
use crate::cli::exit::Exit;
use crate::cli::face::{Face, count};
use crate::cli::open::compile;
use crate::cli::paint::Role;
use crate::diag::Stage;
use crate::session::history::{
    self, DeedStep, Deploy, Ending, OnConflict, Outcome, Purpose, Ready, StateError, Summary, Undo, UndoOutcome,
    UndoStep, Verdict,
};
use crate::session::{ApplyError, Interrupts, Keeping, Mode};
use crate::source::printable;

/// What was applied here: list it, look into it, take it back, go on with what was cut off
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  workbench deploy list\n  workbench deploy show            the newest one\n  \
    workbench deploy diff 3 5\n  workbench deploy undo            take the newest one back\n  \
    workbench deploy undo 6 --yes    also an undo can be undone\n  workbench deploy resume          after a crash")]
pub struct DeployCommand {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand, Debug)]
enum What {
    List(List),
    Show(Show),
    Diff(Diff),
    Undo(UndoArgs),
    Resume(Resume),
    Prune(Prune),
}

/// Every deploy, newest first: when, who, from what, how it ended
#[derive(Args, Debug)]
struct List {
    /// Read every entry, and say where the first bad one is
    #[arg(long)]
    verify: bool,
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// One deploy: its modules, each outcome with its changes, each deed with how it is taken back
#[derive(Args, Debug)]
struct Show {
    /// Its number [default: the newest]
    id: Option<u64>,
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// What two deploys did differently
#[derive(Args, Debug)]
struct Diff {
    one: u64,
    other: u64,
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// Take a deploy back, newest deed first
///
/// Where something is not as the deploy left it, nothing at all is done unless `--on-conflict` says what to do.
#[derive(Args, Debug)]
struct UndoArgs {
    /// Its number; an undo can be taken back too [default: the newest that stands]
    id: Option<u64>,
    /// Do not ask
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    bounds: Bounds,
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// Go on with a deploy that was cut off
#[derive(Args, Debug)]
struct Resume {
    /// Its number [default: the one that was cut off]
    id: Option<u64>,
    /// What it was an apply of, where that came as code or has moved [default: as it was given then]
    #[arg(long, value_name = "ENTRY")]
    entry: Option<String>,
    /// Go on also where the entry says something else now
    #[arg(long)]
    changed: bool,
    /// Run commands that were cut off again; nobody knows how far they came
    #[arg(long)]
    again: bool,
    /// Where it is at work
    #[arg(long, value_enum, value_name = "WHEN", default_value_t)]
    apart: Apart,
    #[command(flatten)]
    bounds: Bounds,
    #[command(flatten)]
    work: Work,
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Args, Debug)]
struct Bounds {
    /// What to do where somebody else changed something since
    #[arg(long, value_enum, default_value_t)]
    on_conflict: Choice,
    /// How long to wait for another applier, such as `30s`, `5m`
    #[arg(long, value_name = "TIME", default_value = "0s", value_parser = duration)]
    lock_timeout: Duration,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Choice {
    /// Do nothing, and say what differs
    #[default]
    Stop,
    /// Leave theirs, and do the rest
    Keep,
    /// Put back what was there before us
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
    fn keeping(&self, global: &Global) -> Keeping {
        Keeping { state: global.state_dir.clone(), patience: self.lock_timeout, ..Keeping::default() }
    }
}

impl DeployCommand {
    pub fn run(&self, face: &mut Face, global: &Global) -> io::Result<Exit> {
        match &self.what {
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
    let help = match error {
        StateError::NoDeploy(_) | StateError::Empty => "`workbench deploy list` names those that are there",
        StateError::Damaged { .. } => "what stands before the bad entry can still be shown and taken back",
        _ => "name another folder with `--state-dir`",
    };
    face.refuse(&error.to_string(), help)
}

fn purpose_words(purpose: &Purpose) -> String {
    match purpose {
        Purpose::Apply => "apply".into(),
        Purpose::Resume { deploy } => format!("resume of {deploy}"),
        Purpose::Undo { deploy } => format!("undo of {deploy}"),
    }
}

fn ending_words(summary: &Summary) -> (String, Role) {
    let Some(end) = &summary.end else { return ("was cut off, or is at work".into(), Role::Warning) };
    let how = match end.how {
        Ending::Finished => "",
        Ending::Stopped => ", stopped early",
        Ending::CutOff => ", cut off and settled",
    };
    let mut words = count(usize::try_from(end.changed).unwrap_or(usize::MAX), "change");
    if end.failed > 0 {
        words += &format!(", {} failed", end.failed);
    }
    (words + how, if end.failed > 0 { Role::Error } else { Role::Quiet })
}

impl List {
    fn run(&self, face: &mut Face, global: &Global) -> io::Result<Exit> {
        let listed = match history::deploys(global.state_dir.as_ref()) {
            Ok(listed) => listed,
            Err(error) => return Ok(unreadable(face, &error)),
        };
        if self.format == Format::Json {
            let all: Vec<Json> = listed.iter().map(summary_json).collect();
            writeln!(face.out, "{}", Json::Array(all))?;
        } else if listed.is_empty() {
            writeln!(face.out, "No deploys yet.")?;
        }
        for summary in listed.iter().filter(|_| self.format == Format::Text) {
            let (ending, role) = ending_words(summary);
            let Some(begin) = &summary.begin else {
                writeln!(face.out, "{:>5}  {}", summary.deploy, face.paint.role(Role::Error, "cannot be read"))?;
                continue;
            };
            writeln!(
                face.out,
                "{}  {}  {}  {} {}  {}",
                face.paint.role(Role::Title, format!("{:>5}", summary.deploy)),
                begin.time,
                printable(begin.behind.as_ref().unwrap_or(&begin.user)),
                purpose_words(&begin.purpose),
                face.paint.role(Role::Name, printable(&begin.entry)),
                face.paint.role(role, ending),
            )?;
        }
        if self.verify {
            match history::verify(global.state_dir.as_ref()) {
                Ok(()) => face.say("every entry follows the one before it"),
                Err(error) => return Ok(unreadable(face, &error)),
            }
        }
        Ok(Exit::Done)
    }
}

fn summary_json(summary: &Summary) -> Json {
    json!({ "deploy": summary.deploy, "begin": summary.begin, "end": summary.end })
}

impl Show {
    fn run(&self, face: &mut Face, global: &Global) -> io::Result<Exit> {
        let deploy = match history::deploy(global.state_dir.as_ref(), self.id) {
            Ok(deploy) => deploy,
            Err(error) => return Ok(unreadable(face, &error)),
        };
        match self.format {
            Format::Json => writeln!(face.out, "{}", deploy_json(&deploy))?,
            Format::Text => show_text(face, &deploy)?,
        }
        match &deploy.fault {
            Some(fault) if deploy.end.is_some() || !fault.why.contains("cut off") => {
                let error = StateError::Damaged { deploy: deploy.begin.deploy, why: fault.to_string() };
                Ok(unreadable(face, &error))
            }
            _ => Ok(Exit::Done),
        }
    }
}

fn deploy_json(deploy: &Deploy) -> Json {
    let step = |step: &DeedStep| {
        json!({
            "step": step.number, "intent": step.intent, "what": step.intent.deed.words(), "after": step.after,
            "error": step.error, "settled": step.settled, "open": step.is_open(),
        })
    };
    json!({
        "begin": deploy.begin,
        "outcomes": deploy.outcomes,
        "deeds": deploy.steps.iter().map(step).collect::<Vec<_>>(),
        "end": deploy.end,
        "fault": deploy.fault.as_ref().map(ToString::to_string),
    })
}

fn show_text(face: &mut Face, deploy: &Deploy) -> io::Result<()> {
    let begin = &deploy.begin;
    let summary = Summary { deploy: begin.deploy, begin: Some(begin.clone()), end: deploy.end.clone() };
    let (ending, role) = ending_words(&summary);
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
    writeln!(face.out, "  {} {}", purpose_words(&begin.purpose), paint.role(Role::Name, printable(&begin.entry)))?;
    writeln!(face.out, "  {} by {who}, {}", begin.time, printable(&begin.program))?;
    for module in &begin.modules {
        let commit = module.commit.as_deref().unwrap_or("no commit");
        let edited = if module.edited { ", edited" } else { "" };
        writeln!(face.out, "  module {} ({}{edited})", printable(&module.path), printable(commit))?;
    }
    for outcome in deploy.outcomes.iter().filter(|outcome| outcome.state != "done" || outcome.action != "none") {
        outcome_text(face, outcome)?;
    }
    for step in deploy.steps.iter().filter(|step| step.is_open() || step.settled.is_some()) {
        let found = match step.settled {
            None => "was cut off",
            Some(settled) => settled_words(settled),
        };
        writeln!(
            face.out,
            "! {}: {} {found}",
            paint.role(Role::Name, &step.intent.resource),
            printable(&step.intent.deed.words())
        )?;
    }
    Ok(())
}

fn outcome_text(face: &mut Face, outcome: &Outcome) -> io::Result<()> {
    let paint = face.paint;
    let (sign, role) = match outcome.state.as_str() {
        "done" => ("~", Role::Change),
        "failed" => ("x", Role::Error),
        "blocked" => ("|", Role::Warning),
        _ => ("-", Role::Quiet),
    };
    let words = match (&outcome.error, outcome.note.as_str()) {
        (Some(error), _) => error.clone(),
        (None, "") => outcome.action.clone(),
        (None, note) => note.to_owned(),
    };
    writeln!(
        face.out,
        "{} {}  {} {}",
        paint.role(role, sign),
        paint.role(Role::Name, &outcome.resource),
        paint.role(role, &outcome.state),
        printable(&words)
    )?;
    for change in &outcome.changes {
        let side = |side: &Json| match side {
            Json::String(text) => format!("{text:?}"),
            Json::Null => "nothing".into(),
            other if other.get("$sensitive").is_some() => "(secret)".into(),
            other => other.to_string(),
        };
        let property = change["property"].as_str().unwrap_or_default();
        let text = format!("{property}: {} -> {}", side(&change["from"]), side(&change["to"]));
        let short: String = text.chars().take(200).collect();
        writeln!(face.out, "    {}", printable(&short))?;
    }
    Ok(())
}

impl Diff {
    fn run(&self, face: &mut Face, global: &Global) -> io::Result<Exit> {
        let read = |id| history::deploy(global.state_dir.as_ref(), Some(id));
        let (one, other) = match (read(self.one), read(self.other)) {
            (Ok(one), Ok(other)) => (one, other),
            (Err(error), _) | (_, Err(error)) => return Ok(unreadable(face, &error)),
        };
        let differences = history::differences(&one, &other);
        if self.format == Format::Json {
            let rows: Vec<Json> = differences
                .iter()
                .map(|row| json!({ "resource": row.resource, "one": row.one, "other": row.other }))
                .collect();
            let modules = [&one.begin.modules, &other.begin.modules];
            let object = json!({
                "one": one.begin.deploy, "other": other.begin.deploy, "entries": [one.begin.entry, other.begin.entry],
                "graphs": [one.begin.graph, other.begin.graph], "modules": modules, "resources": rows,
            });
            writeln!(face.out, "{object}")?;
            return Ok(Exit::Done);
        }
        if one.begin.modules != other.begin.modules {
            for (sign, role, begin) in [("-", Role::Error, &one.begin), ("+", Role::Change, &other.begin)] {
                for module in &begin.modules {
                    let commit = module.commit.as_deref().unwrap_or("no commit");
                    let line = format!("{sign} module {} ({commit})", module.path);
                    writeln!(face.out, "{}", face.paint.role(role, printable(&line)))?;
                }
            }
        }
        if differences.is_empty() {
            writeln!(face.out, "Both did the same.")?;
        }
        for row in differences {
            for (number, outcome) in [(self.one, &row.one), (self.other, &row.other)] {
                write!(face.out, "{number:>5} ")?;
                match outcome {
                    Some(outcome) => outcome_text(face, outcome)?,
                    None => writeln!(face.out, "  {}  is not in it", row.resource)?,
                }
            }
        }
        Ok(Exit::Done)
    }
}

impl UndoArgs {
    fn run(&self, face: &mut Face, global: &Global) -> io::Result<Exit> {
        let asks = !self.yes;
        if asks && !(io::stdin().is_terminal() && io::stdout().is_terminal()) {
            let help = "say `--yes`, or look with `workbench deploy show`";
            return Ok(face.refuse("an undo asks before it writes, and there is no terminal to ask on", help));
        }
        let mut on_conflict = self.bounds.on_conflict.into();
        let aside = face.aside();
        let undo = loop {
            let planned = Undo::plan(&self.bounds.keeping(global), self.id, on_conflict, &mut |holder| {
                aside.say(format_args!("waiting for another applier: {holder}"));
            });
            match planned {
                Ok(Ready::Yes(undo)) => break undo,
                Ok(Ready::Conflict(found)) => {
                    match conflict::of_cut_off(face, global.state_dir.as_ref(), &found, asks && can_ask(self.format))? {
                        Ok(decided) => on_conflict = decided,
                        Err(exit) => return Ok(exit),
                    }
                }
                Err(ApplyError::State(error)) => return Ok(unreadable(face, &error)),
                Err(error) => return Ok(not_begun(face, global, &error)),
            }
        };
        if self.format == Format::Text {
            for step in &undo.steps {
                planned_text(face, step)?;
            }
            face.out.flush()?;
        }
        if undo.conflicts() > 0 && on_conflict == OnConflict::Stop {
            match conflict::of_undo(face, &undo, asks && can_ask(self.format))? {
                Ok(decided) => on_conflict = decided,
                Err(exit) => return Ok(exit),
            }
        }
        if undo.steps.is_empty() {
            writeln!(face.out, "Deploy {} changed nothing.", undo.deploy)?;
            return Ok(Exit::Done);
        }
        if asks && !agreed(face, "Take this back? [y/N] ")? {
            return Ok(face.refuse("nothing was taken back", "answer `y` to take it back"));
        }
        let format = self.format;
        let mut told = Ok(());
        let performed = undo.perform(on_conflict, &mut |step, outcome| {
            if told.is_ok() {
                told = outcome_told(face, format, step, outcome);
            }
        });
        told?;
        let (deploy, undone) = match performed {
            Ok(performed) => performed,
            Err(error) => return Ok(not_begun(face, global, &error)),
        };
        match format {
            Format::Text => {
                let mut words = vec![format!("{} taken back", undone.back)];
                for (count, what) in [
                    (undone.already, "as before already"),
                    (undone.kept, "left as somebody else made them"),
                    (undone.lost, "cannot be taken back"),
                    (undone.failed, "failed"),
                ] {
                    words.extend((count > 0).then(|| format!("{count} {what}")));
                }
                writeln!(face.out, "Deploy {deploy}: {}.", words.join(", "))?;
            }
            Format::Json => writeln!(
                face.out,
                "{}",
                json!({"event": "summary", "deploy": deploy, "back": undone.back, "already": undone.already,
                       "kept": undone.kept, "lost": undone.lost, "failed": undone.failed})
            )?,
        }
        Ok(if undone.failed + undone.lost > 0 { Exit::Failed } else { Exit::Done })
    }
}

fn planned_text(face: &mut Face, step: &UndoStep) -> io::Result<()> {
    let (sign, role, words) = match &step.verdict {
        Verdict::Ready(_) => ("~", Role::Change, "will be taken back".to_owned()),
        Verdict::Partly(_, why) => ("~", Role::Warning, format!("will be taken back in part: {why}")),
        Verdict::Already => ("=", Role::Quiet, "is as before already".into()),
        Verdict::Conflict { why, .. } => ("!", Role::Warning, format!("conflict: {why}")),
        Verdict::Lost(why) => ("x", Role::Error, format!("cannot be taken back: {why}")),
    };
    let paint = face.paint;
    let (name, what) = (paint.role(Role::Name, &step.resource), printable(&step.words));
    writeln!(face.out, "{} {name}  {what}: {}", paint.role(role, sign), paint.role(role, printable(&words)))
}

fn outcome_told(face: &mut Face, format: Format, step: &UndoStep, outcome: &UndoOutcome) -> io::Result<()> {
    if format == Format::Json {
        let (event, error) = match outcome {
            UndoOutcome::Back => ("done", None),
            UndoOutcome::Already | UndoOutcome::Kept => ("skipped", None),
            UndoOutcome::Lost(why) => ("skipped", Some(why)),
            UndoOutcome::Failed(error) => ("failed", Some(error)),
        };
        let object =
            json!({"event": event, "resource": step.resource, "undoes": [step.deploy, step.number], "error": error});
        return writeln!(face.out, "{object}");
    }
    if let UndoOutcome::Failed(error) = outcome {
        let words = format!("{}: {} failed: {error}", step.resource, step.words);
        writeln!(face.out, "{} {}", face.paint.role(Role::Error, "x"), printable(&words))?;
    }
    Ok(())
}

impl Resume {
    fn run(&self, face: &mut Face, global: &Global) -> io::Result<Exit> {
        let cut = match history::unfinished(global.state_dir.as_ref()) {
            Ok(Some(cut)) if self.id.is_none_or(|id| id == cut.begin.deploy) => cut,
            Ok(_) => {
                let help = "`workbench deploy list` says how each one ended; to do one again, apply its entry";
                return Ok(face.refuse("no deploy was cut off", help));
            }
            Err(error) => return Ok(unreadable(face, &error)),
        };
        let id = cut.begin.deploy;
        if let Purpose::Undo { deploy } = cut.begin.purpose {
            let help = format!("`workbench deploy undo {deploy}` settles it and goes on");
            return Ok(face.refuse(&format!("deploy {id} is an undo of {deploy} that was cut off"), &help));
        }
        let commands: Vec<_> = cut.open_steps().filter(|step| step.intent.deed.path().is_none()).collect();
        if let (Some(step), false) = (commands.first(), self.again) {
            let message = format!(
                "{}: {} was cut off, and nobody knows how far it came",
                step.intent.resource,
                step.intent.deed.words()
            );
            return Ok(face.refuse(&message, "`--again` lets its resource look, and run it again if it still has to"));
        }
        let typed = self.entry.clone().unwrap_or_else(|| {
            let entry = &cut.begin.entry;
            if entry.starts_with('/') { entry.clone() } else { cut.begin.folder.join(entry).display().to_string() }
        });
        if self.entry.is_none() && cut.begin.entry.starts_with('<') {
            let help = "give the same code with `--entry`";
            return Ok(face.refuse("it was an apply of code that came as text, which is not kept", help));
        }
        let entry = Entry { entry: Some(typed), work: self.work.clone() };
        let (session, compiled) = match compile(face, global, &entry, Stage::Eval) {
            Ok(done) => done,
            Err(exit) => return Ok(exit),
        };
        if !self.changed && history::graph_hash(&compiled.graph) != cut.begin.graph {
            let help = format!(
                "`--changed` goes on with what it says now; `workbench deploy undo {id}` takes back what was done"
            );
            return Ok(face.refuse("the entry says something else than when the deploy began", &help));
        }
        let graph = Arc::new(compiled.graph);
        let aside = face.aside();
        let mut on_conflict = self.bounds.on_conflict.into();
        let keeping = Keeping { apart: self.apart.is_wanted(), ..self.bounds.keeping(global) };
        let (stepper, events) = loop {
            let started = session.resume(Arc::clone(&graph), id, on_conflict, &keeping, &mut |holder| {
                aside.say(format_args!("waiting for another applier: {holder}"));
            });
            match started {
                Ok(Ready::Yes(started)) => break started,
                Ok(Ready::Conflict(found)) => {
                    match conflict::of_cut_off(face, global.state_dir.as_ref(), &found, can_ask(self.format))? {
                        Ok(decided) => on_conflict = decided,
                        Err(exit) => return Ok(exit),
                    }
                }
                Err(error) => return Ok(not_begun(face, global, &error)),
            }
        };
        let drive = Drive::new(stepper, events, Interrupts::catch()?, Arc::clone(&graph), face.aside());
        let telling = Telling { mode: Mode::Live, format: self.format, asks: false, detailed: false };
        telling.run(face, &About::of(&session), &graph, drive)
    }
}
