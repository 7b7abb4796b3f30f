//! Events: watches the program's inputs. Each event is a line of the log, and the resources that it changes become
//! pending again.
//!
//! The screens show the newest graph. An event applies nothing.

use std::{collections::BTreeSet, sync::Arc};

use super::cx::{Cx, Request};
use super::program::{Program, count_errors};
use super::screen::{graph, step};
use super::{effect::Effect, look::Role, message::Job, parity, screen::log::Source, widget::text};
use crate::diag::{Diagnostic, Severity};
use crate::graph::delta::delta;
use crate::session::follow::{Change, Fate, Read, brief};
use crate::session::live::News;
use crate::session::moment::{Moment, What};
pub use crate::tui::parts::Events as State;
use crate::tui::screen::graph::data::State as Graph;
use crate::tui::screen::step::data::State as Step;

impl State {
    pub fn is_on(&self) -> bool {
        self.is_on
    }

    /// Whether the watch computes something: an index, or the first event.
    pub fn is_at_work(&self) -> bool {
        self.is_on && (self.indexing || self.moment.is_none() && !self.broke)
    }

    /// The program as the newest event left it.
    pub fn program(&self) -> Option<&Arc<Program>> {
        self.program.as_ref().filter(|_| self.is_on)
    }

    /// How many errors the newest event has. With errors, the screens show an earlier event.
    pub fn errors(&self) -> usize {
        self.moment.as_ref().filter(|_| self.is_on).map_or(0, |moment| moment.diagnostics.distinct_errors())
    }

    /// The same in words, with the first error; `None` without errors.
    pub fn errors_in_words(&self) -> Option<String> {
        let moment = self.moment.as_ref().filter(|_| self.errors() > 0)?;
        let first = errors(moment).next().map(|words| format!(": {words}")).unwrap_or_default();
        Some(format!("{} has {}{first}", called(moment), count_errors(self.errors())))
    }

    /// Whether the watch covers all of these inputs, so that it reports their changes itself.
    pub fn watches(&self, reads: &[Read]) -> bool {
        self.is_on && !self.broke && !reads.is_empty() && reads.iter().all(|read| self.inputs.contains(read))
    }
}

/// The name of a moment in a sentence.
fn called(moment: &Moment) -> String {
    match moment.what {
        What::Start => "the program".to_string(),
        What::Inputs | What::Program => format!("event {}", moment.number),
    }
}

/// Starts or stops watching: the program's inputs, and the applied resources.
pub fn toggle(step: &mut Step, cx: &mut Cx) {
    if cx.events.is_on || step.watch.is_on() {
        step::watch::pause(step, cx);
        if cx.events.is_on {
            end(cx);
        }
        return cx.show_notice(Role::Note, "watching is off; w watches again");
    }
    cx.log_command(format!("workbench run --noop {}", parity::entry_words(cx)));
    start(cx, false);
    step::watch::resume(step, cx);
}

fn start(cx: &mut Cx, is_own: bool) {
    cx.events = State { is_on: true, is_own, run: cx.events.run + 1, ..State::default() };
    cx.start(Job::Watch);
    cx.effect(Effect::Watch { run: cx.events.run })
}

/// A live run ended without failures: watches its inputs from now on, so that an event makes the affected resources
/// pending again.
///
/// Not if the rows belong to another program than the compiled one: that of an attached applier, or the source before
/// an edit.
pub fn follow(step: &Step, cx: &mut Cx) {
    let applied = step.program().zip(cx.programs.newest.as_ref()).filter(|_| step.turn == cx.programs.turn);
    let is_this = applied.is_some_and(|(applied, program)| delta(&applied.graph, &program.graph).is_empty());
    if is_this {
        follow_on(cx)
    }
}

/// Starts an automatic watch of the visible program's inputs, from their current values.
pub fn follow_on(cx: &mut Cx) {
    if !cx.events.is_on && cx.project.can_apply {
        start(cx, true)
    }
}

/// Ends an automatic watch: its reason is gone. False if there is none.
pub fn end_own(cx: &mut Cx) -> bool {
    cx.events.is_own.then(|| close(cx)).is_some()
}

/// Ends the watch; the screens show the program as it is compiled now.
pub fn end(cx: &mut Cx) {
    close(cx);
    cx.recompile();
}

fn close(cx: &mut Cx) {
    let old = cx.graphed().cloned();
    let run = cx.events.run;
    cx.finish(Job::Watch);
    cx.events = State { run, ..State::default() };
    cx.request(Request::Redraw(old));
    cx.effect(Effect::EndWatch)
}

/// Shows the graph of the newest event.
fn show(graph: &mut Graph, step: &Step, cx: &mut Cx) {
    let state = &mut cx.events;
    let Some(moment) = state.moment.clone() else { return };
    let is_same = |program: &Program| Arc::ptr_eq(&program.graph, &moment.graph);
    if state.indexing || state.program.as_deref().is_some_and(is_same) {
        return;
    }
    match state.program.as_deref().and_then(|program| program.with_params_of(&moment)) {
        Some(program) => replace(graph, step, cx, Arc::new(program)),
        None => {
            state.indexing = true;
            let kinds = cx.programs.newest.as_ref().map(|program| Arc::clone(&program.kinds)).unwrap_or_default();
            cx.effect(Effect::Index { moment, run: cx.events.run, kinds })
        }
    }
}

/// The graph of an event is indexed: shows it, unless a newer one is requested.
pub fn indexed(graph: &mut Graph, step: &Step, cx: &mut Cx, run: u64, program: Arc<Program>) {
    if run != cx.events.run || !cx.events.is_on {
        return;
    }
    cx.events.indexing = false;
    replace(graph, step, cx, program);
    show(graph, step, cx);
}

fn replace(graph: &mut Graph, step: &Step, cx: &mut Cx, program: Arc<Program>) {
    let old = cx.graphed().cloned();
    cx.events.program = Some(program);
    cx.request(Request::GraphDiffers);
    graph::replaced(graph, step, cx, old.as_deref())
}

pub fn on_news(graph: &mut Graph, step: &Step, cx: &mut Cx, run: u64, news: News) {
    if run != cx.events.run || !cx.events.is_on {
        return;
    }
    cx.finish(Job::Watch);
    match news {
        News::Moment(moment) => took(graph, step, cx, moment),
        News::Broke(words) => {
            cx.events.broke = true;
            cx.show_notice(Role::Error, words)
        }
    }
}

fn took(graph: &mut Graph, step: &Step, cx: &mut Cx, moment: Arc<Moment>) {
    let state = &mut cx.events;
    if moment.what == What::Program {
        state.inputs.clear();
    }
    state.inputs.extend(moment.fresh.iter().map(|(read, _)| read.clone()));
    if state.is_own && moment.what == What::Start && state.inputs.is_empty() {
        return close(cx);
    }
    if !moment.is_still() {
        let line: Vec<_> = std::iter::once(words(&moment, cx.look.glyphs.arrow)).chain(counts(&moment)).collect();
        cx.report(Source::Run, line.join("  "));
    }
    cx.report_program(&moment.log);
    let had_errors = cx.events.errors() > 0;
    let before = cx.events.moment.replace(Arc::clone(&moment));
    for words in new_errors(&moment, before.as_deref()) {
        cx.report(Source::Problem, format!("{}: {words}", called(&moment)));
    }
    if let Some(words) = cx.events.errors_in_words().filter(|_| !had_errors) {
        cx.show_notice(Role::Error, format!("{words}; the screens show the last good version"));
    }
    show(graph, step, cx)
}

/// How many resources were added, changed and removed; `None` if none were.
fn counts(moment: &Moment) -> Option<String> {
    let count = |(fate, sign)| (sign, moment.resources.iter().filter(|one| one.fate == fate).count());
    let all = [(Fate::Added, "+"), (Fate::Changed, "~"), (Fate::Removed, "-")].map(count);
    let words: Vec<_> = all.iter().filter(|(_, n)| *n > 0).map(|(sign, n)| format!("{sign}{n}")).collect();
    (!words.is_empty()).then(|| words.join(" "))
}

/// The inputs that an event changed, on one line: `file /etc/motd: "a" -> "b"`.
fn words(moment: &Moment, arrow: &str) -> String {
    match moment.what {
        What::Start => match &moment.fresh[..] {
            [] => "no inputs to watch".into(),
            [(read, _)] => format!("watching 1 input: {}", text::safe(&read.to_string())),
            all => format!("watching {} inputs", all.len()),
        },
        What::Program => "the source changed".into(),
        What::Inputs => {
            let now = first_of(&moment.changes, arrow).unwrap_or_else(|| "time passed".into());
            match first_of(&moment.earlier, arrow) {
                Some(earlier) => format!("{now}; earlier, with errors: {earlier}"),
                None => now,
            }
        }
    }
}

/// The first of some inputs, and how many more there are; `None` if there are none.
fn first_of(changes: &[Change], arrow: &str) -> Option<String> {
    let (Change { input, from, to, .. }, rest) = changes.split_first()?;
    let more = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
    Some(format!("{input}: {} {arrow} {}{more}", brief(from), brief(to)))
}

/// More errors of one event than this are only counted in the log.
const MOST_LOGGED: usize = 20;

/// The new errors of an event, a line each: an error at every tick is reported once.
fn new_errors(moment: &Moment, before: Option<&Moment>) -> Vec<String> {
    let mut seen: BTreeSet<_> = before.into_iter().flat_map(errors).collect();
    let mut new: Vec<_> = errors(moment).filter(|words| seen.insert(words.clone())).collect();
    let more = new.len().saturating_sub(MOST_LOGGED);
    if more > 0 {
        new.truncate(MOST_LOGGED);
        new.push(format!("and {} more", count_errors(more)));
    }
    new
}

fn errors(moment: &Moment) -> impl Iterator<Item = String> {
    let wrong = moment.diagnostics.iter().filter(|one| one.severity == Severity::Error);
    wrong.map(|one| error(moment, one))
}

/// One error: `web/main.mcl:11 evaluation failed: "x" is not a whole number`.
fn error(moment: &Moment, diagnostic: &Diagnostic) -> String {
    let place = diagnostic.span.map(|span| moment.sources.place(span));
    let place = place.map(|place| format!("{}:{} ", text::safe(&place.file), place.line)).unwrap_or_default();
    format!("{place}{}: {}", diagnostic.code.summary(), text::safe(&diagnostic.label))
}
