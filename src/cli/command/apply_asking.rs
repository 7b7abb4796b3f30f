//! The questions of an apply in lines: at each step, and at the end if steps failed.
//!
//! In LIVE the wait for an answer is limited as on the screens, because the run holds the lock.

use std::io::{self, Write};
use std::time::Duration;

use super::undo::Way;
use crate::cli::choices::{
    Answer, Answers, Choice, asks_for_help, chosen, find_named, in_lines, list_numbered, terminal_gone, write_help,
};
use crate::cli::drive::{Drive, shortened};
use crate::cli::face::Face;
use crate::cli::next_step::write_next_step;
use crate::cli::plan_text::{write_change, write_changes, write_remarks};
use crate::cli::source_edit::{Reread, Source};
use crate::engine::message::Request;
use crate::graph::ResourceId;
use crate::plan::{Certainty, Plan, Step};
use crate::session::{Edit, LEFT_ALONE, Mode, edit, machine};
use crate::source::printable;

/// The choices. At the end, without a next step, the first is the one that writes nothing.
static CHOICES: [Choice<'static>; 7] = [
    choice("s", "step", "Apply the next step"),
    choice("c", "continue", "Apply all that is left"),
    choice("r", "retry", "Check what failed again, and make it next"),
    choice("x", "skip", "Skip the next step, or at the end what failed"),
    choice("e", "edit", "Edit the source of what failed"),
    choice("u", "undo", "End the deploy and undo it"),
    choice("q", "quit", "End the deploy"),
];

const fn choice(letter: &'static str, name: &'static str, does: &'static str) -> Choice<'static> {
    Choice { letter, name, does, wants: "" }
}

/// The questions of a run, with their context.
pub(super) struct Asking<'a> {
    pub mode: Mode,
    /// The plan of each step, if it was previewed.
    pub plan: Option<&'a Plan>,
    /// The editable source, for failed steps.
    pub source: Option<&'a Source<'a>>,
    /// How the deploy is undone.
    pub way: Option<&'a Way<'a>>,
    /// The undo was requested and confirmed.
    pub undoes: bool,
    answers: Answers,
    /// How long to wait for an answer; a dry run holds no lock.
    patience: Option<Duration>,
    /// There are no more answers.
    is_left: bool,
}

/// The result of an answer.
enum Next {
    Do(Vec<Request>),
    /// Ask again.
    Ask,
    Enough,
}

impl<'a> Asking<'a> {
    /// Makes the questions of an apply. In DRY it gets neither source, way nor time limit.
    pub fn new(mode: Mode, plan: Option<&'a Plan>, source: Option<&'a Source<'a>>, way: Option<&'a Way<'a>>) -> Self {
        let (source, way, patience) = match mode {
            Mode::Live => (source, way, Some(LEFT_ALONE)),
            Mode::Dry => (None, None, None),
        };
        let answers = Answers::default();
        Self { mode, plan, source, way, undoes: false, answers, patience, is_left: false }
    }

    /// The next request; `None` if the user is done.
    pub fn ask(&mut self, face: &mut Face, drive: &Drive) -> io::Result<Option<Vec<Request>>> {
        let question = match &drive.next {
            Some(next) => self.show_stop(face, drive, next)?,
            None if drive.is_over() => self.show_end(face, drive)?,
            None => return Ok(Some(vec![Request::Finish])),
        };
        loop {
            let Some(line) = self.answer(face, drive, &question)? else { return Ok(None) };
            match self.perform(face, drive, &line)? {
                Next::Do(requests) => return Ok(Some(requests)),
                Next::Enough => return Ok(None),
                Next::Ask if self.is_left => return Ok(None),
                Next::Ask => writeln!(face.out, "{}", in_lines(&self.choices(drive)))?,
            }
        }
    }

    /// Shows the current stop; returns the question.
    fn show_stop(&self, face: &mut Face, drive: &Drive, next: &ResourceId) -> io::Result<String> {
        if face.plain {
            let mode = if self.mode == Mode::Live { "LIVE" } else { "DRY" };
            writeln!(face.out, "\n{mode}  {}  next: {next}", drive.how_far())?;
            if let Some(step) = self.step_of(drive, next) {
                write_next_step(face, self.mode, drive, step)?;
            }
            writeln!(face.out, "{}", in_lines(&self.choices(drive)))?;
            return Ok(self.prompt());
        }
        if let Some(step) = self.known_by_now(drive, next) {
            writeln!(face.out, "now known:")?;
            write_changes(face, step)?;
            let note = Some(("note", step.note.clone())).filter(|_| !step.note.is_empty());
            write_remarks(face, note.into_iter().collect())?;
        }
        let of_failed = match (failed_words(drive), self.may_edit(drive)) {
            (None, _) => String::new(),
            (Some(failed), false) => format!(" (retry {failed})"),
            (Some(failed), true) => format!(" (retry or edit {failed})"),
        };
        Ok(format!("{next}: {}?{of_failed} {} ", self.names(drive), self.letters(drive)))
    }

    /// The same at the end with failures.
    fn show_end(&self, face: &mut Face, drive: &Drive) -> io::Result<String> {
        let failed = failed_words(drive).unwrap_or_default();
        if !face.plain {
            return Ok(format!("{failed} failed: {}? {} ", self.names(drive), self.letters(drive)));
        }
        match drive.all_failed().len() {
            1 => writeln!(face.out, "\nLIVE  at the end, and {failed} failed: retry it, skip it, or quit")?,
            many => {
                writeln!(face.out, "\nLIVE  at the end, and {many} failed: retry one, skip one, or quit")?;
                list_numbered(face, &drive.all_failed())?;
            }
        }
        writeln!(face.out, "{}", in_lines(&self.choices(drive)))?;
        Ok(self.prompt())
    }

    fn prompt(&self) -> String {
        match self.mode {
            Mode::Live => format!("LIVE {}> ", printable(&machine())).replace(" >", ">"),
            Mode::Dry => "dry> ".into(),
        }
    }

    /// Waits for an answer; `None` if the user is done, or gone.
    fn answer(&mut self, face: &mut Face, drive: &Drive, question: &str) -> io::Result<Option<String>> {
        let answer = match self.patience {
            Some(patience) => self.answers.ask_within(face, question, drive.interrupts(), patience)?,
            None => self.answers.ask(face, question, drive.interrupts())?,
        };
        self.is_left = !matches!(answer, Answer::Line(_));
        Ok(match answer {
            Answer::Line(line) => Some(line),
            Answer::End | Answer::Interrupted => None,
            Answer::Gone => return Err(terminal_gone()),
            Answer::Late => {
                let minutes = self.patience.unwrap_or_default().as_secs() / 60;
                face.note(format_args!("no answer for {minutes} minutes: the deploy ends"));
                None
            }
        })
    }

    fn perform(&mut self, face: &mut Face, drive: &Drive, line: &str) -> io::Result<Next> {
        let is_next = drive.next.is_some();
        let one = |request| Ok(Next::Do(vec![request]));
        let choices = self.choices(drive);
        if asks_for_help(line) {
            write_help(face, &choices)?;
            return Ok(Next::Ask);
        }
        match chosen(&choices, line).map(|(choice, rest)| (choice.letter, rest)) {
            Some(("s", "")) => one(Request::Step),
            Some(("x", "")) if is_next => one(Request::Skip),
            Some(("c", "")) => one(Request::Continue { until: None }),
            Some(("q", "")) => Ok(Next::Enough),
            Some(("u", "")) => self.undo(face, drive),
            Some(("r", word)) => Ok(match self.which(face, drive, ("retry", word))? {
                Some(resource) => Next::Do(vec![Request::Retry { resource }]),
                None => Next::Ask,
            }),
            // Its dependents continue if it is unchanged by now.
            Some(("x", word)) if !is_next => Ok(match self.which(face, drive, ("skip", word))? {
                Some(resource) => Next::Do(vec![Request::Retry { resource }, Request::Skip]),
                None => Next::Ask,
            }),
            Some(("e", word)) => {
                let Some(id) = self.which(face, drive, ("edit", word))? else { return Ok(Next::Ask) };
                Ok(self.retry_edited(face, drive, &id)?.map_or(Next::Ask, |request| Next::Do(vec![request])))
            }
            // An empty line does nothing here.
            None if line.is_empty() => Ok(Next::Enough),
            _ => Ok(Next::Ask),
        }
    }

    /// Lists what an undo of this deploy would do, and asks.
    fn undo(&mut self, face: &mut Face, drive: &Drive) -> io::Result<Next> {
        let (Some(way), Some(deploy)) = (self.way, drive.deploy()) else { return Ok(Next::Ask) };
        way.list(face, deploy)?;
        let answer = self.answer(face, drive, &format!("End deploy {deploy} and undo it? [y/N] "))?;
        self.undoes = answer.is_some_and(|answer| ["y", "yes"].contains(&&*answer.to_lowercase()));
        Ok(if self.undoes { Next::Enough } else { Next::Ask })
    }

    /// The failed step that is meant: the only one, or by number, name, or a part of its name; `None` for an unknown
    /// one.
    fn which(&mut self, face: &mut Face, drive: &Drive, asked: (&str, &str)) -> io::Result<Option<ResourceId>> {
        let (verb, word) = asked;
        let failed = drive.all_failed();
        let word = match word {
            "" if failed.len() == 1 => return Ok(failed.first().copied().cloned()),
            "" => {
                list_numbered(face, &drive.all_failed())?;
                self.answer(face, drive, &format!("{verb} RESOURCE: "))?.unwrap_or_default()
            }
            word => word.to_owned(),
        };
        if word.is_empty() {
            return Ok(None);
        }
        match find_named(&word, &failed) {
            Ok(id) => Ok(Some(id)),
            Err(why) => {
                writeln!(face.out, "failed resources: {}", printable(&why))?;
                Ok(None)
            }
        }
    }

    /// Lets the user edit the source, and reads it again: the request to retry with the edit, if that is possible
    /// within the deploy and confirmed.
    fn retry_edited(&mut self, face: &mut Face, drive: &Drive, id: &ResourceId) -> io::Result<Option<Request>> {
        let Some(source) = self.source else { return Ok(None) };
        if !self.edited(face, drive, (source, id))? {
            return Ok(None);
        }
        let Edit { says, changes, beside } = match source.read_again(face, drive, id) {
            Reread::Within(edit) => edit,
            Reread::Broken => return print_notice(face, "the edit has errors; the deploy keeps the version before it"),
            Reread::Same => return print_notice(face, &format!("no change: retry runs {id} as before")),
            Reread::Beside(others) => {
                return print_notice(
                    face,
                    &format!("no change in {id}; use `edit` for the changed resources: {}", shortened(&others)),
                );
            }
            Reread::More(lines) => {
                writeln!(face.out, "The edit changes the graph:")?;
                lines.iter().try_for_each(|line| writeln!(face.out, "{}", printable(line)))?;
                let words = "Apply again to use it. This deploy, and retry, keep the version before the edit.";
                return print_notice(face, words);
            }
        };
        let only = if beside.is_empty() { "only " } else { "" };
        writeln!(face.out, "Your edit changes {only}{id}:")?;
        changes.iter().try_for_each(|change| write_change(face, change, 0))?;
        if !beside.is_empty() {
            writeln!(face.out, "Also edited; each needs its own `edit`: {}", shortened(&beside))?;
        }
        let deploy = drive.deploy().unwrap_or_default();
        writeln!(face.out, "History will record the change. Nothing is written yet.")?;
        let answer = self.answer(face, drive, &format!("Use the edited version in deploy {deploy}? [y/N] "))?;
        if !answer.is_some_and(|answer| ["y", "yes"].contains(&&*answer.to_lowercase())) {
            return print_notice(face, "not used: the deploy keeps the version before the edit");
        }
        match source.amend(&says, id, drive.is_root()) {
            Ok(request) => Ok(Some(request)),
            Err(why) => print_notice(face, &format!("cannot use the edit in this deploy: {why}")),
        }
    }

    /// Waits for the editor; false if nothing was edited.
    fn edited(&mut self, face: &mut Face, drive: &Drive, (source, id): (&Source<'_>, &ResourceId)) -> io::Result<bool> {
        let place = source.place(id);
        let shown = match &place {
            Some((path, line)) => format!("{}:{line}", printable(&path.display().to_string())),
            None => "the source".into(),
        };
        match (source.editor(), place) {
            (Some(editor), Some((path, line))) => {
                face.out.flush()?;
                // Input goes to the editor, including Ctrl-C; but a signal that ends us is handled.
                let interrupts = drive.interrupts();
                let edited = interrupts.lending(|| edit(&editor, &path, line, || interrupts.count() == 0));
                edited.as_ref().err().map_or(Ok(()), |why| writeln!(face.out, "{}", printable(why)))?;
                Ok(edited.is_ok())
            }
            (None, _) => self.waits_for(face, drive, &format!("EDITOR is not set: edit {shown}")),
            (Some(_), None) => {
                self.waits_for(face, drive, &format!("the declaration of {id} is unknown: edit {shown}"))
            }
        }
    }

    fn waits_for(&mut self, face: &mut Face, drive: &Drive, what: &str) -> io::Result<bool> {
        Ok(self.answer(face, drive, &format!("{what}, then press Enter: "))?.is_some())
    }

    fn may_edit(&self, drive: &Drive) -> bool {
        self.source.is_some() && drive.failed().is_some()
    }

    /// The available choices.
    fn choices(&self, drive: &Drive) -> Vec<Choice<'static>> {
        let is_next = drive.next.is_some();
        let can = |choice: &&Choice<'_>| match choice.letter {
            "s" | "c" => is_next,
            "r" => drive.failed().is_some(),
            "x" => is_next || drive.failed().is_some(),
            "e" => self.may_edit(drive),
            "u" => self.way.is_some() && drive.deploy().is_some(),
            _ => true,
        };
        let takes_one = drive.all_failed().len() > 1;
        let shown = |choice: &Choice<'static>| {
            let is_of_failed = matches!(choice.letter, "r" | "e") || (choice.letter == "x" && !is_next);
            Choice { wants: if is_of_failed && takes_one { "RESOURCE" } else { "" }, ..*choice }
        };
        CHOICES.iter().filter(can).map(shown).collect()
    }

    /// `step, continue or quit`
    fn names(&self, drive: &Drive) -> String {
        let choices = self.choices(drive);
        let (last, others) = choices.split_last().unwrap_or((&CHOICES[6], &[]));
        format!("{} or {}", others.iter().map(|choice| choice.name).collect::<Vec<_>>().join(", "), last.name)
    }

    /// `[s/c/Q]`: the last is the default for Enter.
    fn letters(&self, drive: &Drive) -> String {
        let letters: Vec<_> = self.choices(drive).iter().map(|choice| choice.letter.replace('q', "Q")).collect();
        format!("[{}]", letters.join("/"))
    }

    /// The newer preview of a resource, if the plan did not know it, or it has changed since.
    fn known_by_now<'b>(&self, drive: &'b Drive, id: &ResourceId) -> Option<&'b Step> {
        let mut planned = self.plan.iter().flat_map(|plan| &plan.steps).filter(|step| step.resource == *id);
        let predicted = drive.preview_of(id).filter(|step| step.certainty == Certainty::Known)?;
        let says_so = |step: &Step| {
            step.certainty != Certainty::Unknown && step.action == predicted.action && step.changes == predicted.changes
        };
        (!planned.any(says_so)).then_some(predicted)
    }

    fn step_of<'b>(&'b self, drive: &'b Drive, id: &ResourceId) -> Option<&'b Step> {
        let planned = || self.plan.iter().flat_map(|plan| &plan.steps).find(|step| step.resource == *id);
        drive.preview_of(id).or_else(planned)
    }
}

/// Reports why there is nothing to do.
fn print_notice<T>(face: &mut Face, words: &str) -> io::Result<Option<T>> {
    writeln!(face.out, "{}", printable(words))?;
    Ok(None)
}

/// The failed step, for a question: its name, or the number of failures.
fn failed_words(drive: &Drive) -> Option<String> {
    match drive.all_failed().len() {
        0 | 1 => drive.failed().map(ToString::to_string),
        many => Some(format!("one of {many}")),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use clap::Parser;

    use super::*;
    use crate::cli::args::{Cli, Format};
    use crate::cli::command::apply::{About, Reporting};
    use crate::cli::exit::Exit;
    use crate::config::{Config, Value};
    use crate::diag::Stage;
    use crate::session::{Cancel, Interrupts, Keeping, Options, RunOptions, Session};

    const FAILING: &str = "exec \"NAME\" { cmd => \"false\", shell => \"/bin/sh\", }\n";

    /// A live run of failing commands with these answers and then silence: how it ends, and whether the next one can
    /// start.
    #[expect(clippy::disallowed_methods, reason = "the test lays out its own files")]
    fn left_after(typed: &str, failing: &[&str]) -> (Exit, bool) {
        let folder = tempfile::tempdir().expect("a folder");
        let entry = folder.path().join("main.mcl");
        let code: String = failing.iter().map(|name| FAILING.replace("NAME", name)).collect();
        std::fs::write(&entry, code).expect("the folder is ours");
        let mut config = Config::default();
        config.set_flag("editor", "editor", Value::Text("sed -i s/false/true/".into()));
        let options = Options { config: config.clone(), ..Options::default() };
        let session = Session::open(entry.to_str(), options).expect("it opens");
        let graph = Arc::new(session.ready(session.compile(Stage::Eval, &Cancel::default()).graph));
        let keeping = Keeping { state: Some(folder.path().join("state")), ..Keeping::default() };
        let begin = || {
            let options = RunOptions { jobs: 1, ..RunOptions::default() };
            session.apply(Arc::clone(&graph), options, &keeping, &mut |_| ())
        };
        let mut face = Face::new(&Cli::parse_from(["workbench", "--plain"]).global, config);
        let reporting = Reporting {
            mode: Mode::Live,
            format: Format::Text,
            asks: true,
            plan: None,
            source: Source::of(&session, keeping.clone()),
            way: None,
            detailed: false,
            into: None,
        };
        let (stepper, events) = begin().expect("nobody else is at work");
        let drive = Drive::new(stepper, events, Interrupts::default(), Arc::clone(&graph), face.aside());
        let asking = Asking::new(Mode::Live, None, reporting.source.as_ref(), None);
        assert_eq!(asking.patience, Some(LEFT_ALONE));
        let asking = Asking { answers: Answers::typed(typed), patience: Some(Duration::ZERO), ..asking };
        let exit = reporting.run_asking(&mut face, &About::of(&session), &graph, drive, asking);
        (exit.expect("an exit code is known"), begin().is_ok())
    }

    #[test]
    fn a_live_run_that_no_one_answers_ends_wherever_it_asks() {
        for (typed, failing, exit) in [
            ("", &["a", "b"][..], Exit::Stopped),
            // The user chooses one to edit.
            ("c\nc\ne\n", &["a", "b"], Exit::Failed),
            // The user confirms the retry.
            ("c\ne\n", &["a"], Exit::Failed),
        ] {
            assert_eq!(left_after(typed, failing), (exit, true), "{typed:?}");
        }
        assert_eq!(Asking::new(Mode::Dry, None, None, None).patience, None, "a dry run keeps nobody out");
    }
}
