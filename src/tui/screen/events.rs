//! Events: the inputs of the running program, what each event did to the graph, and the way back to any of them.
//!
//! A pane of Graph. A row is an event that was taken in, or one that waits; the graph that is shown is that of the row under
//! the cursor, so to walk the rows is to replay. An event applies nothing by itself.

mod detail;
mod kept;
mod problems;
mod rows;

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use self::kept::{Kept, Mark, Row};
use super::log::Source;
use super::{Pane, ScreenId, graph, step};
use crate::graph::ResourceId;
use crate::graph::delta::delta;
use crate::session::follow::{Event, Fate, Read};
use crate::session::live::{EventSource, News, Order};
use crate::session::moment::{Moment, Pending, What};
use crate::source::Place;
use crate::tui::effect::Effect;
use crate::tui::look::Role;
use crate::tui::message::Job;
use crate::tui::program::Program;
use crate::tui::state::State as Tui;
use crate::tui::update;
use crate::tui::widget::list::{List, Move};

pub use detail::{detail, title};
pub use rows::{counts, sign, style, view};

/// What the pane remembers.
#[derive(Debug, Default)]
pub struct State {
    is_on: bool,
    /// It began by itself, after a live run: where the program reads nothing it ends so too.
    is_own: bool,
    pub is_paused: bool,
    /// The file of the record that is replayed, as shown, and its events.
    pub record: Option<(String, Arc<[Event]>)>,
    /// Counts watches, so that one that was ended is not listened to.
    pub run: u64,
    kept: Kept,
    waiting: VecDeque<(Pending, String)>,
    /// How many moments were asked for and have not come.
    owed: usize,
    /// The row that is shown; the newest, whichever that is, where none is.
    shown: Option<usize>,
    /// The graph of the row that is shown; that of another while it is indexed.
    program: Option<Arc<Program>>,
    indexing: bool,
    /// What the program reads.
    inputs: BTreeSet<Read>,
    list: List,
    pub detail: List,
    /// The pane beside tells of the event and not of the node.
    pub speaks: bool,
    /// Why it cannot go on.
    broke: Option<String>,
}

impl State {
    pub fn is_on(&self) -> bool {
        self.is_on
    }

    pub fn is_at_work(&self) -> bool {
        self.is_on && (self.indexing || self.owed > 0 && self.broke.is_none())
    }

    /// Whether events of a record are still on their way.
    pub fn is_gathering(&self) -> bool {
        let here = self.kept.end() + self.waiting.len();
        self.is_on && self.broke.is_none() && self.record.as_ref().is_some_and(|(_, events)| here < events.len())
    }

    /// The program of the row that is shown.
    pub fn program(&self) -> Option<&Arc<Program>> {
        self.program.as_ref().filter(|_| self.is_on)
    }

    /// The number of the row that is shown.
    fn shown_at(&self) -> usize {
        self.shown.unwrap_or(self.kept.newest())
    }

    /// The moment that is shown.
    pub fn shown(&self) -> Option<&Arc<Moment>> {
        self.kept.numbered(self.shown_at()).map(|row| &row.moment)
    }

    /// How many errors the moment that is shown has: where it has any, what is on show is of one before it.
    pub fn errors(&self) -> usize {
        self.shown().filter(|_| self.is_on).map_or(0, |moment| moment.diagnostics.distinct_errors())
    }

    /// The same in words; nothing where it has none.
    pub fn errors_in_words(&self) -> Option<String> {
        let moment = self.shown().filter(|_| self.errors() > 0)?;
        Some(format!("{} has {}", called(moment), count_errors(self.errors())))
    }

    /// The row under the cursor, which may be one that waits.
    fn selected(&self) -> Selected<'_> {
        match self.kept.at(self.list.cursor) {
            Some(row) => Selected::Taken(row),
            None => self
                .waiting
                .get(self.list.cursor - self.kept.len())
                .map_or(Selected::Nothing, |(pending, time)| Selected::Waits(pending, time)),
        }
    }

    fn len(&self) -> usize {
        self.kept.len() + self.waiting.len()
    }

    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// How many events were taken in up to the row that is shown, and in all.
    pub fn position(&self) -> (usize, usize) {
        let last = self.kept.last().map_or(0, |row| row.moment.number);
        (self.shown().map_or(0, |moment| moment.number), last)
    }

    /// Whether an earlier row is shown than the newest.
    pub fn is_past(&self) -> bool {
        self.shown.is_some()
    }

    /// What came of a resource until the row that is shown.
    pub fn mark(&self, id: &ResourceId) -> Option<Mark> {
        self.kept.mark(id, self.shown_at())
    }

    /// The resources that the shown event took away.
    pub fn removed(&self) -> Vec<&ResourceId> {
        let resources = self.shown().map(|moment| &moment.resources[..]).unwrap_or_default();
        resources.iter().filter(|one| one.fate == Fate::Removed).map(|one| &one.resource).collect()
    }

    /// Where the program reads what the event under the cursor changed.
    pub fn place(&self) -> Option<Place> {
        match self.selected() {
            Selected::Taken(row) => row.moment.changes.iter().find_map(|change| change.place.clone()),
            _ => None,
        }
    }

    /// What the event under the cursor changed, for the clipboard.
    pub fn words(&self) -> Option<String> {
        match self.selected() {
            Selected::Taken(row) => Some(rows::words(&row.moment, "->")),
            Selected::Waits(pending, _) => Some(rows::waiting_words(pending)),
            Selected::Nothing => None,
        }
    }

    /// Whether all of these are read by the program that is watched, which hears of them itself.
    pub fn hears_of(&self, reads: &[Read]) -> bool {
        self.is_on && self.broke.is_none() && !reads.is_empty() && reads.iter().all(|read| self.inputs.contains(read))
    }

    /// Why no event can be taken or shown after this; nothing where one can.
    pub fn why_not_forward(&self) -> Option<&'static str> {
        if self.shown.is_some() || self.waiting.len() > self.owed {
            None
        } else if self.broke.is_some() {
            Some("the watch has ended by a bug; W closes it")
        } else if self.record.is_some() {
            Some("the record ends here; < goes back")
        } else if self.is_paused {
            Some("no event waits")
        } else {
            Some("events are taken in as they come; w pauses")
        }
    }

    pub fn can_go_back(&self) -> bool {
        self.shown_at() > self.kept.dropped()
    }
}

/// What a moment is called in a sentence.
fn called(moment: &Moment) -> String {
    match moment.what {
        What::Start => "the program".to_string(),
        What::Inputs | What::Program => format!("event {}", moment.number),
    }
}

/// `1 error`, `2 errors`.
pub fn count_errors(errors: usize) -> String {
    format!("{errors} error{}", if errors == 1 { "" } else { "s" })
}

enum Selected<'a> {
    Taken(&'a Row),
    Waits(&'a Pending, &'a str),
    Nothing,
}

/// Starts a watch over this machine, or over the record that was opened.
pub fn start(tui: &mut Tui) -> Vec<Effect> {
    let record = tui.events.record.take();
    tui.events = State { is_on: true, run: tui.events.run + 1, owed: 1, ..State::default() };
    let source = match &record {
        Some((name, events)) => {
            tui.events.is_paused = true;
            update::log_command(tui, format!("workbench run --noop --step --replay {name} {}", tui.entry));
            EventSource::Record(Arc::clone(events))
        }
        None => {
            update::log_command(tui, format!("workbench run --noop {}", tui.entry));
            EventSource::Machine
        }
    };
    tui.events.record = record;
    tui.events.speaks = true;
    tui.set_focus(Pane::Events);
    tui.start(Job::Watch);
    vec![Effect::Watch { source, run: tui.events.run }]
}

/// A live run put all in place: what its program reads is watched from now on, so that an event opens again what it changes.
///
/// Not where the rows are of another program than the one that is compiled: of an applier that was come back to, or of the source
/// as it was before an edit.
pub fn follow(tui: &mut Tui) -> Vec<Effect> {
    let applied = tui.step.program().zip(tui.program.as_ref()).filter(|_| tui.step.turn == tui.turn);
    let is_this = applied.is_some_and(|(applied, program)| delta(&applied.graph, &program.graph).is_empty());
    if is_this { follow_on(tui) } else { vec![] }
}

/// Follows what the program on show reads, by itself: at first as it is by now.
pub fn follow_on(tui: &mut Tui) -> Vec<Effect> {
    if tui.events.is_on || tui.events.record.is_some() || !tui.can_apply {
        return vec![];
    }
    tui.events = State { is_on: true, is_own: true, run: tui.events.run + 1, owed: 1, ..State::default() };
    tui.start(Job::Watch);
    vec![Effect::Watch { source: EventSource::Machine, run: tui.events.run }]
}

/// Ends a watch that began by itself: what it was over goes.
pub fn end_own(tui: &mut Tui) -> Vec<Effect> {
    if tui.events.is_own { close(tui) } else { vec![] }
}

/// Watches, pauses, or goes on.
pub fn watch(tui: &mut Tui) -> Vec<Effect> {
    if !tui.events.is_on {
        if tui.screen != ScreenId::Step {
            tui.screen = ScreenId::Graph;
        }
        return start(tui);
    }
    let state = &mut tui.events;
    state.is_paused = !state.is_paused;
    if state.is_paused {
        state.owed = 0;
        tui.say(Role::Note, "paused: events are collected and wait; > takes one, w goes on");
        return vec![Effect::Order(Order::Pause)];
    }
    state.owed = state.waiting.len();
    let mut effects = show(tui, None);
    effects.push(Effect::Order(Order::GoOn));
    effects
}

/// Ends the watch; what is on show is the program as it is compiled now.
pub fn end(tui: &mut Tui) -> Vec<Effect> {
    let mut effects = close(tui);
    effects.extend(update::recompile(tui));
    effects
}

fn close(tui: &mut Tui) -> Vec<Effect> {
    let old = tui.graphed().cloned();
    let run = tui.events.run;
    tui.finish(Job::Watch);
    tui.events = State { run, ..State::default() };
    let mut effects = vec![Effect::EndWatch];
    effects.extend(graph::replaced(tui, old.as_deref()));
    effects
}

/// Shows the event after the one that is shown, or takes the next that waits.
pub fn forward(tui: &mut Tui, count: usize) -> Vec<Effect> {
    let mut effects = Vec::new();
    for _ in 0..count {
        let state = &mut tui.events;
        if let Some(shown) = state.shown {
            let next = shown + 1;
            let is_newest = next >= state.kept.newest();
            effects.extend(show(tui, (!is_newest).then_some(next)));
        } else if state.waiting.len() > state.owed {
            state.owed += 1;
            state.is_paused = true;
            effects.push(Effect::Order(Order::Take));
        }
    }
    effects
}

/// Shows the event before the one that is shown.
pub fn back(tui: &mut Tui, count: usize) -> Vec<Effect> {
    let at = tui.events.shown_at().saturating_sub(count).max(tui.events.kept.dropped());
    show(tui, Some(at))
}

/// Shows a row, or the newest from now on.
fn show(tui: &mut Tui, row: Option<usize>) -> Vec<Effect> {
    let state = &mut tui.events;
    let newest = state.kept.newest();
    state.shown = row.filter(|row| *row < newest);
    state.list.cursor = state.shown_at() - state.kept.dropped();
    state.detail = List::default();
    shown(tui)
}

/// Brings what is on show up to date with the row that is to be shown.
fn shown(tui: &mut Tui) -> Vec<Effect> {
    let state = &mut tui.events;
    let Some(moment) = state.shown().cloned() else { return vec![] };
    let is_same = |program: &Program| Arc::ptr_eq(&program.graph, &moment.graph);
    if state.indexing || state.program.as_deref().is_some_and(is_same) {
        return vec![];
    }
    match state.program.as_deref().and_then(|program| program.with_params_of(&moment)) {
        Some(program) => replace(tui, Arc::new(program)),
        None => {
            state.indexing = true;
            vec![Effect::Index { moment, run: state.run }]
        }
    }
}

/// The graph of a moment was indexed: it is shown, unless another is wanted by now.
pub fn indexed(tui: &mut Tui, run: u64, program: Arc<Program>) -> Vec<Effect> {
    if run != tui.events.run || !tui.events.is_on {
        return vec![];
    }
    tui.events.indexing = false;
    let mut effects = replace(tui, program);
    effects.extend(shown(tui));
    effects
}

fn replace(tui: &mut Tui, program: Arc<Program>) -> Vec<Effect> {
    let old = tui.graphed().cloned();
    tui.events.program = Some(program);
    let mut effects = graph::replaced(tui, old.as_deref());
    effects.extend(step::graph_differs(tui));
    effects
}

/// Hears what a watch tells.
pub fn told(tui: &mut Tui, run: u64, time: String, news: News) -> Vec<Effect> {
    if run != tui.events.run || !tui.events.is_on {
        return vec![];
    }
    match news {
        News::Moment(moment) => took(tui, time, moment),
        News::Waits(pending) => {
            tui.events.waiting.push_back((pending, time));
            vec![]
        }
        News::Joined => {
            tui.events.waiting.pop_front();
            vec![]
        }
        News::Broke(words) => {
            tui.finish(Job::Watch);
            tui.say(Role::Error, words.clone());
            tui.events.broke = Some(words);
            vec![]
        }
    }
}

/// An event was taken in.
fn took(tui: &mut Tui, time: String, moment: Arc<Moment>) -> Vec<Effect> {
    tui.finish(Job::Watch);
    let state = &mut tui.events;
    // What was asked for may have come long before.
    let came = (state.owed > 0 && moment.what != What::Start && time != tui.now).then(|| format!("came at {time}"));
    state.owed = state.owed.saturating_sub(1);
    if state.waiting.front().is_some_and(|(pending, _)| pending.event.at == moment.at) {
        state.waiting.pop_front();
    }
    if moment.what == What::Program {
        state.inputs.clear();
    }
    state.inputs.extend(moment.fresh.iter().map(|(read, _)| read.clone()));
    if state.is_own && moment.what == What::Start && state.inputs.is_empty() {
        return close(tui);
    }
    // The cursor stays where the user put it, and on the newest where that is.
    let follows = state.shown.is_none() && state.list.cursor <= state.kept.len();
    if !moment.is_still() {
        let words = rows::words(&moment, tui.look.glyphs.arrow);
        let counts: Vec<_> = rows::counts(&moment).into_iter().map(|(fate, n)| format!("{}{n}", sign(fate))).collect();
        let parts = [words, counts.join(" "), came.unwrap_or_default()];
        let line: Vec<_> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        update::log(tui, Source::Run, line.join("  "));
    }
    let before = tui.events.kept.last().map(|row| &*row.moment);
    let of = called(&moment);
    for words in problems::new_errors(&moment, before) {
        update::log(tui, Source::Problem, format!("{of}: {words}"));
    }
    let state = &mut tui.events;
    let had_errors = state.errors() > 0;
    let dropped = state.kept.push(time, moment, !state.is_paused);
    state.list.cursor = state.list.cursor.saturating_sub(dropped);
    state.shown = state.shown.map(|shown| shown.max(state.kept.dropped()));
    if follows {
        state.list.cursor = state.kept.len() - 1;
        state.detail = List::default();
    }
    if let Some(words) = tui.events.errors_in_words().filter(|_| !had_errors) {
        let place = if tui.screen == ScreenId::Graph { "" } else { ": 3 shows it" };
        tui.say(Role::Error, format!("{words}{place}; what is on show is of before that"));
    }
    shown(tui)
}

/// Moves the cursor to the next resource, or the one before, that the shown event changed.
pub fn next_marked(tui: &mut Tui, forward: bool) -> Vec<Effect> {
    let Some(program) = tui.graphed().cloned() else { return vec![] };
    let is_now = |id: &ResourceId| tui.events.mark(id).is_some_and(|mark| mark.is_now);
    let here = tui.graph.selected(tui).map_or(0, |node| program.ways.rank[node.0 as usize] as usize);
    let count = program.ways.order.len();
    let mut ahead = (1..=count).map(|by| (if forward { here + by } else { here + count - by }) % count);
    match ahead.find(|at| is_now(program.id(program.ways.order[*at]))) {
        Some(at) => graph::select(tui, program.ways.order[at]),
        None => tui.say(Role::Note, "the event that is shown changed no resource that is there"),
    }
    vec![]
}

/// Whether the shown event changed a resource that is there.
pub fn has_marked(tui: &Tui) -> bool {
    let moment = tui.events.shown();
    moment.is_some_and(|moment| moment.resources.iter().any(|one| one.fate != Fate::Removed))
}

pub fn go(tui: &mut Tui, way: Move, count: usize) -> Vec<Effect> {
    let (_, height) = tui.room(Pane::Events);
    let len = tui.events.len();
    tui.events.list.go(way, count, len, height);
    moved(tui)
}

pub fn click(tui: &mut Tui, row: usize) -> Vec<Effect> {
    let at = tui.events.list.offset + row;
    if at < tui.events.len() {
        tui.events.list.cursor = at;
    }
    moved(tui)
}

/// The cursor moved: the graph of its row is shown; that of the newest for rows that wait.
fn moved(tui: &mut Tui) -> Vec<Effect> {
    let state = &mut tui.events;
    let newest = state.kept.len().saturating_sub(1);
    state.shown = (state.list.cursor < newest).then_some(state.kept.dropped() + state.list.cursor);
    state.detail = List::default();
    shown(tui)
}

pub fn settle(tui: &mut Tui) {
    match tui.focus() {
        Pane::Events => tui.events.speaks = true,
        Pane::Rails => tui.events.speaks = false,
        _ => {}
    }
    let (_, height) = tui.room(Pane::Events);
    let len = tui.events.len();
    tui.events.list.settle(len, height);
    let (width, height) = tui.room(Pane::Node);
    if tui.events.speaks {
        let len = detail(tui, width).len();
        tui.events.detail.settle_text(len, height);
    }
}
