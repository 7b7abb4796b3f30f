//! Asks for a live run, with its effects, and starts it.

use std::collections::BTreeSet;

use super::{command, interrupted};
use crate::engine::message::TurnState;
use crate::graph::ResourceId;
use crate::plan::{Action as Plans, Reversible, Summary};
use crate::session::history::resources;
use crate::session::{Agreement, NotForHere, check_hosts};
use crate::tui::screen::step::phase::{Beginning, Begins, Phase, Run};
use crate::tui::screen::step::{self, PlanScreen};
use crate::tui::{
    cx::Cx, effect::Effect, keymap::Action, layer::Question, look::Role, screen::step::redo::Redo,
    screen::step::rows::Row, widget::text,
};

/// The longest list in a question.
const MOST: usize = 6;

/// A heading with names below, as many as a question has room for; nothing without names.
pub(super) fn listed(
    lines: &mut Vec<String>,
    heading: String,
    names: impl IntoIterator<Item = String, IntoIter: ExactSizeIterator>,
) {
    let mut all = Names::default();
    let mut names = names.into_iter();
    let count = names.len();
    all.first.extend(names.by_ref().take(MOST + 1));
    all.list(lines, heading, count);
}

/// The same with all names.
fn all_listed(lines: &mut Vec<String>, heading: String, names: Vec<String>) {
    if !names.is_empty() {
        lines.push(heading);
        lines.extend(names.into_iter().map(|name| format!("  {name}")));
    }
}

/// A list of names that is cut to the room of a question, and its length.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    first: Vec<String>,
    count: usize,
}

impl Names {
    /// Adds a name, which is only built if there is room for it.
    pub fn add(&mut self, name: impl FnOnce() -> String) {
        if self.count <= MOST {
            self.first.push(name());
        }
        self.count += 1;
    }

    /// The names under a heading; nothing without names.
    pub fn list_under(self, lines: &mut Vec<String>, heading: String) {
        let count = self.count;
        self.list(lines, heading, count);
    }

    fn list(self, lines: &mut Vec<String>, heading: String, count: usize) {
        if count == 0 {
            return;
        }
        lines.push(heading);
        // A single remaining name takes no more room than the words for it.
        let shown = if count <= MOST + 1 { count } else { MOST };
        lines.extend(self.first.iter().take(shown).map(|name| format!("  {name}")));
        if count > shown {
            lines.push(format!("  and {} more", count - shown));
        }
    }
}

/// Which other host the program was compiled for, in a question.
pub fn compiled_for(other: Option<&str>) -> Option<String> {
    other.map(|other| format!("It was compiled for host {}, not for this machine.", text::safe(other)))
}

/// Why the shown program must not be applied to this machine, and what to do.
pub fn not_for_here(screen: &PlanScreen, cx: &Cx) -> Option<[String; 2]> {
    let program = screen.program.as_ref()?;
    let why = check_hosts(&program.hosts, cx.project.as_this_host, &cx.project.host).err()?;
    let way_out = match &why {
        NotForHere::Other(_) if cx.project.language.has_nodes() && !cx.project.host.is_empty() => {
            format!(
                "`:node {}` compiles it for this machine; `workbench --as-this-host` applies it here anyway",
                cx.project.host
            )
        }
        NotForHere::Other(_) => "start `workbench --as-this-host` to apply it here anyway".into(),
        _ => why.help(),
    };
    Some([text::safe(&why.to_string()), way_out])
}

/// Asks for a live run: the list starts with what is destroyed and what cannot be undone.
pub fn ask(screen: &mut PlanScreen, cx: &mut Cx) {
    let Some(plan) = screen.plan.clone() else { return };
    if interrupted::comes_first(screen, cx) {
        return;
    }
    if let Some([why, way_out]) = not_for_here(screen, cx) {
        super::log(cx, format!("not applied: {why}"));
        cx.layers.open.push(Question::report("Not applied", vec![why, way_out]).into());
        return cx.effect(Effect::NoteRefused);
    }
    let look = &cx.look;
    let (mut destroys, mut lost, mut failing) = (vec![], vec![], vec![]);
    let skipped = skipped_dry(screen);
    let left: BTreeSet<&ResourceId> = screen.skips.left_out.union(&skipped).collect();
    let in_order: Vec<&ResourceId> = left.iter().copied().collect();
    let program = screen.program.as_deref();
    // A blocked step runs after all if the skipped one is unchanged by then, so it stays in the lists.
    let blocked: BTreeSet<&ResourceId> = program
        .map_or_else(BTreeSet::new, |program| step::skip::behind(screen, program, &in_order).into_iter().collect());
    let agreed: Vec<_> = plan.steps.iter().filter(|step| !left.contains(&step.resource)).collect();
    for step in agreed.iter().copied() {
        let name = format!("{} {}", look.action(step.action).0, step.resource);
        match (step.action, step.reversible) {
            _ if step.error.is_some() => failing.push(format!("{} {}", look.glyphs.failed, step.resource)),
            _ if step.can_be_undone() => {
                if matches!(step.action, Plans::Remove | Plans::Replace) {
                    destroys.push(name);
                }
            }
            (_, Reversible::Partly) => lost.push(format!("{name}  (partly)")),
            _ => lost.push(name),
        }
    }
    let counted = agreed.iter().copied().filter(|step| !blocked.contains(&step.resource));
    let summary = Summary::once(counted.filter(|step| step.error.is_none()));
    let machine = if cx.project.host.is_empty() { "this machine" } else { &cx.project.host };
    let mut lines = vec![format!("Apply plan {} to {machine}: {}", short(&plan.plan), summary.in_words())];
    all_listed(&mut lines, format!("{} removed or replaced:", destroys.len()), destroys);
    let steps = if lost.len() == 1 { "1 step".into() } else { format!("{} steps", lost.len()) };
    all_listed(&mut lines, format!("{steps} cannot be undone:"), lost);
    listed(&mut lines, format!("{} would fail:", failing.len()), failing);
    let left_out: Vec<String> = screen.skips.left_out.iter().map(ToString::to_string).collect();
    listed(&mut lines, format!("{} skipped:", left_out.len()), left_out);
    let is_checked = |row: &&Row| {
        let is_listed = skipped.contains(&row.id) || screen.skips.left_out.contains(&row.id);
        row.state == TurnState::Skipped && !is_listed
    };
    let checked: Vec<_> = screen.list.rows.troubled().filter(is_checked).map(|row| row.id.to_string()).collect();
    listed(&mut lines, format!("{} skipped in the dry run, and unchanged: checked again:", checked.len()), checked);
    let heading = format!("{} skipped, as in the dry run (p makes a plan without skips):", skipped.len());
    listed(&mut lines, heading, skipped.iter().map(ToString::to_string));
    let heading = format!("{} blocked by a skip, unless that is unchanged by then:", blocked.len());
    listed(&mut lines, heading, blocked.iter().map(ToString::to_string));
    let other = screen.program.as_ref().and_then(|program| program.hosts.clone().other());
    lines.extend(compiled_for(other.as_deref()));
    let elsewhere = plan.elsewhere.len();
    if elsewhere > 0 {
        lines.push(format!("{} for other hosts, not applied here.", resources(elsewhere as u64)));
    }
    let has_lost = agreed.iter().any(|step| !step.can_be_undone());
    let asked = Agreement::for_plan(has_lost, &cx.project.host, other.as_deref());
    let word = match &asked {
        Agreement::Yes => "y".to_owned(),
        Agreement::Word(word) => word.clone(),
    };
    let needs_root = &screen.live.needs_root;
    let other = (!needs_root.is_empty() && !cx.project.is_sudo).then(|| format!("sudo {word}"));
    if other.is_some() {
        let names = needs_root.iter().map(ResourceId::to_string);
        let need = if needs_root.len() == 1 { "needs" } else { "need" };
        listed(&mut lines, format!("{} {need} root:", resources(needs_root.len() as u64)), names);
    }
    if cx.project.is_sudo {
        lines.push("It is applied as root, with sudo.".into());
    }
    lines.push("Nothing is written until you press s or c.".into());
    let action = Action::Arm;
    cx.layers.open.push(match (asked, other) {
        (Agreement::Yes, None) => Question::yes(lines, action).into(),
        (_, other) => {
            let as_root = other.iter().map(|other| format!(", or {other} to apply as root"));
            lines.push(format!("Type {word} to go LIVE{}.", as_root.collect::<String>()));
            Question::word(lines, word, other, action).into()
        }
    });
    interrupted::look_again(screen, cx)
}

/// Returns the resources that were skipped in the dry run, which the apply skips too. An unchanged one is only checked.
fn skipped_dry(state: &step::State) -> BTreeSet<ResourceId> {
    let step = state;
    let is_skipped = |row: &&Row| row.state == TurnState::Skipped && !step.skips.left_out.contains(&row.id);
    let changes = |row: &&Row| !step.is_idle(&row.id) || step.list.rows.refreshes(row).queued > 0;
    let skipped = step.list.rows.troubled().filter(|_| step.phase.is_dry()).filter(is_skipped);
    skipped.filter(changes).map(|row| row.id.clone()).collect()
}

/// The plan has changed since the question was asked.
pub(in crate::tui::screen::step) fn withdraw(cx: &mut Cx) {
    if cx.layers.withdraw(|layer| layer.confirms() == Some(Action::Arm)) {
        cx.show_notice(Role::Warning, "the plan has changed: press A again");
    }
}

fn short(id: &str) -> String {
    id.chars().take(8).collect()
}

/// Starts the confirmed live run.
///
/// `as_root`: through `sudo`, which the settings may also require.
pub fn begin(screen: &mut PlanScreen, cx: &mut Cx, as_root: bool) {
    // It may have been found while the user typed the name.
    if interrupted::comes_first(screen, cx) {
        return;
    }
    let as_root = as_root || cx.project.is_sudo;
    let skipped = skipped_dry(screen);
    screen.skips.left_out.extend(skipped);
    cx.log_command(command(cx, if as_root { "apply --step --sudo" } else { "apply --step" }));
    renew(screen, Begins::Applies, as_root);
    arm(screen, cx)
}

pub(super) fn arm(screen: &mut PlanScreen, cx: &mut Cx) {
    let (Some(program), Some(plan)) = (screen.program.clone(), screen.plan.clone()) else { return };
    let left_out = screen.skips.left_out.clone();
    cx.effect(Effect::Arm { program, plan, left_out, run: screen.run, as_root: screen.phase.as_root() })
}

/// Resets the rows for a run that is about to start.
pub(super) fn renew(screen: &mut PlanScreen, begins: Begins, as_root: bool) {
    let left = if screen.phase.is_dry() { Redo::of(screen) } else { None };
    step::planning::reset(screen);
    let rest = screen.phase.take_rest();
    let run = Run::starting();
    screen.phase = Phase::Beginning(Box::new(Beginning { run, begins, as_root, has_asked: false, left, rest }));
}
