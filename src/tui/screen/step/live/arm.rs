//! A live run is asked for, with what it would do, and begun.

use super::{Phase, command, cut_off};
use crate::engine::message::TurnState;
use crate::graph::ResourceId;
use crate::plan::{Action as Plans, Reversible, Summary};
use crate::session::history::resources;
use crate::tui::effect::Effect;
use crate::tui::keymap::Action;
use crate::tui::layer::Layer;
use crate::tui::look::Role;
use crate::tui::screen::step;
use crate::tui::screen::step::redo::Redo;
use crate::tui::screen::step::rows::Row;
use crate::tui::state::State as Tui;
use crate::tui::update;

/// The longest list in a question.
const MOST: usize = 6;

/// A heading with its names below, as many as a question has room for; nothing where there are none.
pub(super) fn listed(
    lines: &mut Vec<String>,
    heading: String,
    names: impl IntoIterator<Item = String, IntoIter: ExactSizeIterator>,
) {
    let mut all = Names::default();
    let mut names = names.into_iter();
    let count = names.len();
    all.first.extend(names.by_ref().take(MOST));
    all.list(lines, heading, count);
}

/// Of many names those that a question has room for, and how many there are.
#[derive(Clone, Debug, Default)]
pub struct Names {
    first: Vec<String>,
    count: usize,
}

impl Names {
    /// Adds a name, which is made only where there is room for it.
    pub fn add(&mut self, name: impl FnOnce() -> String) {
        if self.count < MOST {
            self.first.push(name());
        }
        self.count += 1;
    }

    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// `12 resources taken back:` with the names below; nothing where there are none.
    pub fn tell(self, lines: &mut Vec<String>, what: &str) {
        let count = self.count;
        self.list(lines, format!("{} {what}:", resources(count as u64)), count);
    }

    fn list(self, lines: &mut Vec<String>, heading: String, count: usize) {
        if count == 0 {
            return;
        }
        lines.push(heading);
        lines.extend(self.first.iter().map(|name| format!("  {name}")));
        if count > self.first.len() {
            lines.push(format!("  and {} more", count - self.first.len()));
        }
    }
}

/// Asks for a live run: what is destroyed and what cannot be taken back stands first.
pub fn ask(tui: &mut Tui) -> Vec<Effect> {
    let Some(plan) = tui.step.plan.clone() else { return vec![] };
    if let Some(effects) = cut_off::comes_first(tui) {
        return effects;
    }
    let look = &tui.look;
    let (mut destroys, mut lost, mut failing) = (vec![], vec![], vec![]);
    for step in plan.steps.iter().filter(|step| !tui.step.left_out.contains(&step.resource)) {
        let name = format!("{} {}", look.action(step.action).0, step.resource);
        match (step.action, step.reversible) {
            _ if step.error.is_some() => failing.push(name),
            (Plans::None, _) => {}
            (Plans::Remove | Plans::Replace, Reversible::No) => destroys.push(format!("{name}  for good")),
            (Plans::Remove | Plans::Replace, _) => destroys.push(name),
            (_, Reversible::No) => lost.push(name),
            (_, Reversible::Partly) => lost.push(format!("{name}  in part")),
            (_, Reversible::Yes) => {}
        }
    }
    // Of the plan: what a dry run skipped on its way is applied all the same.
    let agreed = plan.steps.iter().filter(|step| !tui.step.left_out.contains(&step.resource) && step.error.is_none());
    let mut summary = Summary::default();
    agreed.for_each(|step| summary.add(step.action, step.refresh));
    let sums = step::counts(look, &summary).into_iter().map(|(words, _)| words);
    let sums = sums.collect::<Vec<_>>().join(" ");
    let mut lines = vec![format!("Apply plan {} to this machine for real:  {sums}", short(&plan.plan))];
    listed(&mut lines, format!("{} destroyed:", destroys.len()), destroys);
    listed(&mut lines, format!("{} cannot be taken back:", lost.len()), lost);
    listed(&mut lines, format!("{} would fail:", failing.len()), failing);
    let left_out: Vec<String> = tui.step.left_out.iter().map(ToString::to_string).collect();
    listed(&mut lines, format!("{} left out:", left_out.len()), left_out);
    let is_skipped = |row: &&Row| row.state == TurnState::Skipped && !tui.step.left_out.contains(&row.id);
    let skipped = tui.step.rows.troubled().filter(is_skipped);
    let (right, applied): (Vec<&Row>, Vec<&Row>) = skipped.partition(|row| tui.step.is_idle(&row.id));
    for (skipped, now) in [(applied, "and applied now"), (right, "and right already: it is looked at again")] {
        let names = skipped.iter().map(|row| row.id.to_string());
        listed(&mut lines, format!("{} skipped in the dry run, {now}; X leaves out:", skipped.len()), names);
    }
    let needs_root = &tui.step.live.needs_root;
    let other = (!needs_root.is_empty() && !tui.is_sudo).then(|| format!("sudo {}", tui.host));
    if other.is_some() {
        let names = needs_root.iter().map(ResourceId::to_string);
        listed(&mut lines, format!("{} would be refused to you, and not to root:", needs_root.len()), names);
    }
    lines.push("Nothing is written before the first s or c.".into());
    lines.push(match (&other, tui.is_sudo) {
        (Some(_), _) => "To go live, type the name of this machine and Enter; with sudo in front, root acts.".into(),
        (None, true) => "To go live as root, by way of sudo, type the name of this machine and Enter.".into(),
        (None, false) => "To go live, type the name of this machine and Enter.".into(),
    });
    let word = tui.host.clone();
    let (typed, action) = (String::new(), Action::Arm);
    tui.layers.push(Layer::Typed { lines, word, other, typed, is_missed: false, action });
    cut_off::look_again(tui).into_iter().collect()
}

/// Another plan stands now than the one that was asked about.
pub(in crate::tui::screen::step) fn withdraw(tui: &mut Tui) {
    if tui.withdraw(|layer| matches!(layer, Layer::Typed { action: Action::Arm, .. })) {
        tui.say(Role::Warning, "the plan is another now: A asks again");
    }
}

fn short(id: &str) -> String {
    id.chars().take(8).collect()
}

/// Begins the live run that was agreed to.
///
/// `as_root`: by way of `sudo`, which the settings may say as well.
pub fn begin(tui: &mut Tui, as_root: bool) -> Vec<Effect> {
    // It may have been found while the name was typed.
    if let Some(effects) = cut_off::comes_first(tui) {
        return effects;
    }
    let as_root = as_root || tui.is_sudo;
    update::log_command(tui, command(tui, if as_root { "apply --step --sudo" } else { "apply --step" }));
    renew(tui);
    (tui.step.live.as_root, tui.step.live.has_asked) = (as_root, false);
    arm(tui)
}

pub(super) fn arm(tui: &mut Tui) -> Vec<Effect> {
    let (Some(program), Some(plan)) = (tui.step.program.clone(), tui.step.plan.clone()) else { return vec![] };
    let left_out = tui.step.left_out.clone();
    vec![Effect::Arm { program, plan, left_out, run: tui.step.run, as_root: tui.step.live.as_root }]
}

/// The rows as before the first turn, for a run that is about to begin.
pub(super) fn renew(tui: &mut Tui) {
    let left = if tui.step.live.phase == Phase::Dry { Redo::of(&tui.step) } else { None };
    step::reset(&mut tui.step);
    let live = &mut tui.step.live;
    live.left = left;
    live.phase = Phase::Beginning;
    (live.deploy, live.resumed, live.stops) = (None, None, 0);
    (live.changed, live.changed_ids) = Default::default();
}
