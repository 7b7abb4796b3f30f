//! What a live run put in place is watched: what somebody changes afterwards comes back as a dry step, with what would change.
//!
//! Nothing is ever applied by it: the run that follows is a dry one, and stands before the resource that was touched.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{State as Step, is_idle};
use crate::engine::message::{Pause, Request};
use crate::graph::ResourceId;
use crate::session::Drift;
use crate::tui::effect::Effect;
use crate::tui::look::{Look, Role};
use crate::tui::message::Job;
use crate::tui::program::Program;
use crate::tui::screen::log::Source;
use crate::tui::state::State as Tui;
use crate::tui::update;

/// What the watch remembers.
#[derive(Debug, Default)]
pub struct State {
    /// Counts watches, so that one that was ended is not listened to.
    run: u64,
    /// What was put in place; none where nothing is watched.
    program: Option<Arc<Program>>,
    /// How many resources are under watch, and of how many.
    watched: Option<(usize, usize)>,
    /// What was touched and is not shown yet.
    touched: BTreeSet<ResourceId>,
    /// What was touched and was not as it should be when that was looked at last.
    differ: BTreeSet<ResourceId>,
    /// A plan is being made for it.
    plans: bool,
    /// The plan that is about to be shown is that one.
    stays: bool,
    /// The dry run goes on to this one by itself, and how far it came then.
    until: Option<ResourceId>,
    arrives: bool,
    rests: usize,
}

impl State {
    pub fn is_on(&self) -> bool {
        self.program.is_some()
    }

    /// Whether the run came as far as that by itself, for something that was touched.
    pub(super) fn brought(&self, turned: usize) -> bool {
        self.is_on() && self.rests == turned
    }

    /// Whether the rows that are about to be shown are of this watch.
    pub(super) fn stays(&self) -> bool {
        self.stays
    }

    /// The rows are others from now on: what is watched is not what they tell of, unless they came by it.
    pub(super) fn reset(&mut self) {
        if !std::mem::take(&mut self.stays) {
            *self = Self { run: self.run, ..Self::default() };
        }
    }

    /// Under the end of a run: what is watched, and what is not.
    pub(super) fn words(&self, look: &Look) -> Option<String> {
        let (watched, of) = self.watched.filter(|_| self.is_on())?;
        let rest = match of - watched {
            0 => String::new(),
            rest => format!("; of {rest} nothing tells, p looks"),
        };
        let dash = look.glyphs.dash;
        Some(format!(
            "Watching {watched} of {of}{rest} {dash} what somebody changes comes back as a dry step. W ends it."
        ))
    }
}

/// All that was applied is in place: it is watched from now on.
pub(super) fn begin(tui: &mut Tui) -> Vec<Effect> {
    let Some(program) = tui.step.program.clone() else { return vec![] };
    let watch = &mut tui.step.watch;
    *watch = State { run: watch.run + 1, program: Some(Arc::clone(&program)), ..State::default() };
    vec![Effect::WatchDrift { graph: Arc::clone(&program.graph), run: watch.run }]
}

/// Ends the watch where there is one: what this session does next is not done from outside.
pub(super) fn end(tui: &mut Tui) -> Vec<Effect> {
    let watch = &mut tui.step.watch;
    if !watch.is_on() {
        return vec![];
    }
    *watch = State { run: watch.run, ..State::default() };
    vec![Effect::EndDrift(watch.run)]
}

/// The same, as somebody asked for.
pub fn leave(tui: &mut Tui) -> Vec<Effect> {
    let effects = end(tui);
    tui.say(Role::Note, "what was put in place is not watched any more");
    effects
}

/// Hears the watch.
pub fn told(tui: &mut Tui, run: u64, drift: Drift) -> Vec<Effect> {
    let watch = &mut tui.step.watch;
    if run != watch.run || !watch.is_on() {
        return vec![Effect::EndDrift(run)];
    }
    match drift {
        Drift::Watching { watched, of } => {
            watch.watched = Some((watched, of));
            update::log(tui, Source::Run, format!("watching {watched} of {of} resources, as they were put in place"));
            vec![]
        }
        Drift::Touched(touched) => {
            watch.touched.extend(touched.iter().cloned());
            for id in touched {
                update::log(tui, Source::Run, format!("{id}  was touched from outside"));
            }
            look(tui)
        }
    }
}

/// Plans what is so now, where something was touched; whoever steps is left to it.
pub(super) fn look(tui: &mut Tui) -> Vec<Effect> {
    let is_busy = tui.step.live.is_live() || tui.step.running || tui.is_working(Job::Plan);
    let step = &mut tui.step;
    let Some(program) = step.watch.program.clone().filter(|_| !is_busy && !step.watch.touched.is_empty()) else {
        return vec![];
    };
    if !step.live.shows_live() && step.rows.turned() != step.watch.rests {
        let words = format!("{}: changed from outside again; p plans anew", named(&step.watch.touched));
        step.watch.touched.clear();
        tui.say(Role::Warning, words);
        return vec![];
    }
    step.watch.plans = true;
    let turn = step.turn;
    tui.start(Job::Plan);
    vec![Effect::Plan { program, turn }]
}

/// A plan is there: whether it is the one that was asked for here.
pub(super) fn planned(step: &mut Step, program: &Arc<Program>) {
    let watch = &mut step.watch;
    let is_ours = watch.program.as_ref().is_some_and(|watched| Arc::ptr_eq(watched, program));
    watch.stays = std::mem::take(&mut watch.plans) && is_ours;
}

/// It is on show: the run goes on to the first of what was touched that is not as it should be. What was touched before and is
/// so still counts too: a run that passed it by would have done it, if only in the overlay.
pub(super) fn show(tui: &mut Tui) {
    let step = &mut tui.step;
    if !step.watch.is_on() {
        return;
    }
    let mut touched = std::mem::take(&mut step.watch.touched);
    touched.append(&mut step.watch.differ);
    let steps = step.plan.iter().flat_map(|plan| &plan.steps).filter(|one| !is_idle(one)).map(|one| &one.resource);
    let differ: BTreeSet<ResourceId> = steps.filter(|id| touched.contains(*id)).cloned().collect();
    let in_order = |id: &&ResourceId| step.rows.find(id).map(|row| row.planned);
    let first = differ.iter().min_by_key(in_order).cloned();
    (step.watch.rests, step.watch.arrives) = (0, false);
    step.watch.until.clone_from(&first);
    step.watch.differ.clone_from(&differ);
    match first {
        None => {
            update::log(tui, Source::Run, "all that was touched is in place".into());
            tui.say(Role::Good, "all that was touched is in place again");
        }
        Some(first) => {
            if let Some(at) = step.rows.position(&first) {
                step.list.cursor = at;
            }
            step.summary = false;
            let back = step.live.put.as_ref().map(|put| format!(", u takes back {}", put.deploy)).unwrap_or_default();
            let words = format!("changed from outside: {}; s steps dry, A applies{back}", named(&differ));
            update::log(tui, Source::Run, words.clone());
            tui.say(Role::Warning, words);
        }
    }
}

/// Goes on to what was touched, once the run behind the plan waits; and remembers where that came to rest.
pub(super) fn paused(step: &mut Step, why: Pause) -> Option<Request> {
    if std::mem::take(&mut step.watch.arrives) {
        step.watch.rests = step.rows.turned();
    }
    let until = step.watch.until.take().filter(|_| why == Pause::Start)?;
    if step.next.as_ref() == Some(&until) {
        return None;
    }
    step.watch.arrives = true;
    let request = Request::Continue { until: Some(until) };
    (step.running, step.going) = (true, Some(request.clone()));
    Some(request)
}

fn named(ids: &BTreeSet<ResourceId>) -> String {
    let first = ids.first().map(ToString::to_string).unwrap_or_default();
    match ids.len() {
        0 | 1 => first,
        more => format!("{first} and {} more", more - 1),
    }
}
