//! Breakpoints: on resources, and at all steps that match a condition.

use std::collections::BTreeSet;

use super::State;
use super::phase::{DryRequest, Phase};
use crate::engine::message::TurnState;
use crate::graph::ResourceId;
use crate::plan::stop::Stop;
use crate::session::{check_stop, own_name};
use crate::tui::layer::{Layer, Question};
pub use crate::tui::screen::step::data::When;
use crate::tui::{
    cx::Cx, layer::breaks::Breaks, layer::question::Purpose, look::Role, parity, screen::step::PlanScreen,
    screen::step::data::Breakpoints, widget::text,
};

impl When {
    /// A restored one; its matches are evaluated with the next plan.
    pub fn read(text: String, is_on: bool) -> Option<Self> {
        let stop = Stop::parse(&text).ok()?;
        Some(Self { text, stop, is_on, places: BTreeSet::new() })
    }
}

/// A breakpoint as lists show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    pub is_on: bool,
    pub words: String,
    /// Where it stops, and how often it would have by now.
    pub tail: String,
}

impl State {
    /// Whether a run stops before a resource.
    pub fn stops_at(&self, id: &ResourceId) -> bool {
        self.breaks.breakpoints.contains(id) && !self.breaks.muted.contains(id)
            || self.breaks.sent_breaks.contains(id)
            || self.breaks.whens.iter().any(|when| when.is_on && when.places.contains(id))
    }

    /// The condition of a breakpoint that stops here.
    pub(super) fn stopping(&self, id: &ResourceId) -> Option<&str> {
        self.breaks.whens.iter().find(|when| when.is_on && when.places.contains(id)).map(|when| &*when.text)
    }

    /// The steps that match a condition.
    fn places(&self, stop: &Stop) -> Result<BTreeSet<ResourceId>, String> {
        let Some(program) = &self.program else { return Ok(BTreeSet::new()) };
        stop.places(&program.graph, |id| self.step_of(id), own_name)
    }

    /// Whether the names in a condition exist.
    fn check(&self, stop: &Stop) -> Result<(), String> {
        let Some(program) = &self.program else { return Ok(()) };
        check_stop(stop, &program.graph, &program.kinds, self.plan.iter().flat_map(|plan| &plan.steps))
    }

    /// All steps at which a run stops.
    fn all_places(&self) -> BTreeSet<ResourceId> {
        let whens = self.breaks.whens.iter().filter(|when| when.is_on).flat_map(|when| &when.places);
        let plain = self.breaks.breakpoints.difference(&self.breaks.muted);
        let begun = plain.clone().filter_map(|id| self.first_inside(id));
        plain.chain(whens).cloned().chain(begun).collect()
    }

    /// The first resource of a container, if the id is that of a container.
    fn first_inside(&self, id: &ResourceId) -> Option<ResourceId> {
        let (plan, program) = (self.plan.as_ref()?, self.program.as_ref()?);
        if plan.steps.iter().any(|step| step.resource == *id) {
            return None;
        }
        let inside = Stop::parse(&id.0).ok()?.places(&program.graph, |_| None, own_name).ok()?;
        plan.steps.iter().map(|step| &step.resource).find(|resource| inside.contains(*resource)).cloned()
    }

    /// All breakpoints: those on resources come first.
    pub fn listed(&self) -> Vec<Shown> {
        let is_passed = |id: &ResourceId| self.list.rows.find(id).is_some_and(|row| row.state != TurnState::Waiting);
        let plain = self.breaks.breakpoints.iter().map(|id| {
            let is_on = !self.breaks.muted.contains(id);
            let tail = match (is_on, is_passed(id)) {
                (false, _) => "off",
                (true, true) => "passed",
                (true, false) => "",
            };
            Shown { is_on, words: id.to_string(), tail: tail.into() }
        });
        let whens = self.breaks.whens.iter().map(|when| {
            let passed = when.places.iter().filter(|id| is_passed(id)).count();
            let is_known = self.is_loaded() || !when.stop.asks_a_plan();
            let tail = match (when.is_on, is_known) {
                (false, _) => "off".to_string(),
                (true, false) => "once there is a plan".to_string(),
                (true, true) if passed > 0 => format!("{passed} of {} passed", when.places.len()),
                (true, true) if when.places.is_empty() => "no match".to_string(),
                (true, true) => format!("{} here", when.places.len()),
            };
            Shown { is_on: when.is_on, words: text::safe(&when.text), tail }
        });
        plain.chain(whens).collect()
    }
}

/// The plan has changed: conditions match other steps, and the new run knows none of them yet.
pub(super) fn renew(screen: &mut PlanScreen, cx: &mut Cx) {
    let whens = std::mem::take(&mut screen.breaks.whens);
    let renewed = whens.into_iter().map(|when| When { places: screen.places(&when.stop).unwrap_or_default(), ..when });
    screen.breaks.whens = renewed.collect();
    screen.breaks.sent_breaks.clear();
    send_breaks(screen, cx)
}

/// Evaluates the conditions that need no plan: the graph is enough.
pub fn see(screen: &mut PlanScreen, cx: &mut Cx) {
    if screen.plan.is_some() || screen.breaks.whens.is_empty() {
        return;
    }
    let Some(program) = cx.graphed().cloned() else { return };
    for when in screen.breaks.whens.iter_mut().filter(|when| !when.stop.asks_a_plan()) {
        when.places = when.stop.places(&program.graph, |_| None, own_name).unwrap_or_default();
    }
}

/// Sends the run the breakpoints that it does not know.
pub(super) fn send_breaks(screen: &mut PlanScreen, cx: &mut Cx) {
    see(screen, cx);
    // A live run gets all of them when it has started.
    if screen.plan.is_none() || matches!(screen.phase, Phase::Beginning(_)) {
        return;
    }
    let wanted = screen.all_places();
    let gone = screen.breaks.sent_breaks.difference(&wanted).map(|id| (id.clone(), false));
    let new = wanted.difference(&screen.breaks.sent_breaks).map(|id| (id.clone(), true));
    for (resource, on) in gone.chain(new) {
        cx.effect(screen.request(DryRequest::Break { resource, on }));
    }
    screen.breaks.sent_breaks = wanted;
}

pub fn toggle(screen: &mut PlanScreen, cx: &mut Cx, ids: Vec<ResourceId>) {
    let on = !ids.iter().all(|id| screen.breaks.breakpoints.contains(id));
    for id in ids {
        let quoted = id.0.replace('\'', "'\\''");
        cx.log_command(format!("workbench step {} --script 'b {quoted}'", parity::entry_words(cx)));
        if on {
            screen.breaks.breakpoints.insert(id);
        } else {
            screen.breaks.breakpoints.remove(&id);
        }
    }
    let Breakpoints { muted, breakpoints, .. } = &mut screen.breaks;
    muted.retain(|id| breakpoints.contains(id));
    send_breaks(screen, cx)
}

/// Switches stopping on failures on or off.
pub fn turn_mode(screen: &mut PlanScreen, cx: &mut Cx) {
    let mode = screen.breaks.break_mode.other();
    screen.breaks.break_mode = mode;
    cx.log_command(format!("workbench step {} --break {} --script c", parity::entry_words(cx), mode.name()));
}

pub fn list(cx: &mut Cx) {
    cx.layers.open.push(Layer::Breaks(Breaks::default()));
}

/// Asks for a condition; `at` is the one to edit.
pub fn ask(screen: &mut PlanScreen, cx: &mut Cx, at: Option<usize>) {
    let words = at.and_then(|at| screen.breaks.whens.get(at)).map(|when| when.text.clone()).unwrap_or_default();
    ask_again(cx, at, words, None);
}

fn ask_again(cx: &mut Cx, at: Option<usize>, words: String, error: Option<String>) {
    let lines = vec![
        "Break at a resource, a pattern, or a condition:".into(),
        "  file[/etc/motd]     svc[*] if refresh     if destroys".into(),
        "  if kind:file changed:mode     if mode==0600 !in:base".into(),
        "Words: changes creates alters replaces destroys runs fails refresh".into(),
        "  unknown  kind:  in:  changed:  field==value  field!=value  !word".into(),
    ];
    cx.layers.open.push(Question::text("Set a breakpoint", lines, words, error, Purpose::Breakpoint(at)).into());
}

/// Takes the typed condition.
pub fn typed(screen: &mut PlanScreen, cx: &mut Cx, at: Option<usize>, words: &str) {
    let read = Stop::parse(words).and_then(|stop| {
        screen.check(&stop)?;
        screen.places(&stop).map(|places| (stop, places))
    });
    let (stop, places) = match read {
        Ok(read) => read,
        Err(error) => {
            ask_again(cx, at, words.into(), Some(error));
            return;
        }
    };
    let count = places.len();
    if let (true, Some(id)) = (stop.is_plain() && at.is_none(), places.first()) {
        screen.breaks.breakpoints.insert(id.clone());
    } else {
        let when = When { text: words.into(), stop, is_on: true, places };
        match at.and_then(|at| screen.breaks.whens.get_mut(at)) {
            Some(there) => *there = when,
            None => screen.breaks.whens.push(when),
        }
    }
    let words = match (screen.is_loaded(), count) {
        (false, _) => "set".into(),
        (true, 0) => "matches no resource".into(),
        (true, 1) => "stops at 1 resource".into(),
        (true, count) => format!("stops at {count} resources"),
    };
    cx.show_notice(Role::Note, words);
    send_breaks(screen, cx)
}

/// How many breakpoints there are: those on resources come first.
pub fn len(screen: &PlanScreen) -> usize {
    screen.breaks.breakpoints.len() + screen.breaks.whens.len()
}

/// The condition at a position of the list.
pub fn when_at(step: &State, at: usize) -> Option<usize> {
    at.checked_sub(step.breaks.breakpoints.len()).filter(|at| *at < step.breaks.whens.len())
}

pub fn switch(screen: &mut PlanScreen, cx: &mut Cx, at: usize) {
    if let Some(when) = when_at(screen, at).and_then(|at| screen.breaks.whens.get_mut(at)) {
        when.is_on = !when.is_on;
    } else if let Some(id) = screen.breaks.breakpoints.iter().nth(at).cloned()
        && !screen.breaks.muted.remove(&id)
    {
        screen.breaks.muted.insert(id);
    }
    send_breaks(screen, cx)
}

pub fn remove(screen: &mut PlanScreen, cx: &mut Cx, at: usize) {
    match when_at(screen, at) {
        Some(at) => drop(screen.breaks.whens.remove(at)),
        None => {
            if let Some(id) = screen.breaks.breakpoints.iter().nth(at).cloned() {
                screen.breaks.breakpoints.remove(&id);
                screen.breaks.muted.remove(&id);
            }
        }
    }
    send_breaks(screen, cx)
}

/// Whether a waiting row is a place to stop.
pub(super) fn is_ahead(state: &State, id: &ResourceId, turn: &TurnState) -> bool {
    *turn == TurnState::Waiting && state.stops_at(id)
}
