//! A deploy that was cut off: what can be done about it is offered, looked into, and gone on with.

use super::{Cut, Looks, Phase, arm, back};
use crate::graph::ResourceId;
use crate::plan::Action as Plans;
use crate::session::{Standing, history};
use crate::tui::effect::Effect;
use crate::tui::jumps;
use crate::tui::keymap::Action;
use crate::tui::layer::Layer;
use crate::tui::look::Role;
use crate::tui::message::Job;
use crate::tui::screen::ScreenId;
use crate::tui::screen::step::conflict::Decided;
use crate::tui::screen::step::{parked, planning};
use crate::tui::state::{Pending, State as Tui};
use crate::tui::update;

/// Over what is offered about such a deploy.
pub(in crate::tui::screen::step) const TITLE: &str = "Interrupted";
/// The title of the question about one that waits without a terminal.
pub(in crate::tui::screen::step) const DETACHED: &str = "Detached";

/// Offers on Step what can be done about a deploy that was cut off, or one that waits for a face.
pub(in crate::tui::screen::step) fn offer(tui: &mut Tui) {
    if tui.screen == ScreenId::Step {
        offer_here(tui);
    }
}

/// What was just told of is offered on whatever screen one stands, once nothing else is asked.
pub fn offer_once(tui: &mut Tui) {
    if tui.step.live.is_news && tui.layers.is_empty() {
        offer_here(tui);
    }
}

/// Nothing is applied before what waits, or was cut off, is settled: that is said before anybody types a name, and what can be
/// done about it is offered. It is looked at whether that is so still.
pub(in crate::tui::screen::step) fn comes_first(tui: &mut Tui) -> Option<Vec<Effect>> {
    let words = in_the_way(tui)?;
    tui.say(Role::Warning, words);
    offer(tui);
    Some(vec![Effect::LookBack { as_root: tui.is_sudo }])
}

/// Why nothing is applied before what waits, or was cut off, is settled. Root's history is in the way of root alone.
pub fn in_the_way(tui: &Tui) -> Option<String> {
    let live = &tui.step.live;
    let cut = live.cut.as_ref().filter(|cut| !cut.as_root || tui.is_sudo);
    Some(match (&live.parked, cut) {
        (Some(Standing { driver: Some(by), deploy, .. }), _) => {
            format!("process {by} is attached to deploy {deploy}")
        }
        (Some(standing), _) => format!("{standing} is detached (a attaches)"),
        (None, Some(cut)) => format!("deploy {} was interrupted and needs a decision", cut.deploy),
        (None, None) => return None,
    })
}

/// Looks whether an apply waits, or was cut off: somebody else may have left one, or settled it, since that was looked at.
pub fn look_again(tui: &Tui) -> Option<Effect> {
    let live = &tui.step.live;
    let is_roots = live.cut.as_ref().is_some_and(|cut| cut.as_root);
    (!live.is_live()).then_some(Effect::LookBack { as_root: tui.is_sudo || is_roots })
}

/// Whether the history is to be watched: something of ours is not settled, and somebody else may settle it. Root's is read by
/// root alone.
pub fn due(tui: &mut Tui) -> Option<Effect> {
    let live = &tui.step.live;
    let is_ours = live.parked.is_some() || live.cut.as_ref().is_some_and(|cut| !cut.as_root);
    let is_wanted = tui.can_apply && is_ours && !live.is_live();
    let was_wanted = std::mem::replace(&mut tui.step.follows_history, is_wanted);
    (was_wanted != is_wanted).then_some(Effect::FollowHistory(is_wanted))
}

/// There is nothing that waits, or was cut off, in the history that was looked at: what was known of it is settled.
pub(super) fn settled(tui: &mut Tui, as_root: bool) {
    let Some(deploy) = known(tui, as_root) else { return };
    withdraw(tui);
    let live = &mut tui.step.live;
    live.cut.take_if(|cut| cut.as_root == as_root);
    live.parked.take_if(|_| !as_root);
    tui.say(Role::Note, format!("deploy {deploy} is already resolved"));
}

/// What is known stays so, for nobody could tell.
pub(super) fn not_known(tui: &mut Tui, as_root: bool, why: &str) {
    if let Some(deploy) = known(tui, as_root) {
        let words = format!("cannot determine whether deploy {deploy} is resolved: {why}");
        super::log(tui, words.clone());
        tui.say(Role::Warning, words);
    }
}

/// What of a history is known not to be settled.
fn known(tui: &Tui, as_root: bool) -> Option<u64> {
    let live = &tui.step.live;
    let cut = live.cut.as_ref().filter(|cut| cut.as_root == as_root).map(|cut| cut.deploy);
    live.parked.as_ref().filter(|_| !as_root).map(|standing| standing.deploy).or(cut)
}

/// What is offered and asked about it is so no longer.
pub(in crate::tui::screen::step) fn withdraw(tui: &mut Tui) {
    let is_of_cut = tui.step.live.cut.is_some() && tui.step.live.deploy.is_none();
    let is_of_it = |layer: &Layer| match layer {
        Layer::Choose { title, .. } => *title == TITLE || *title == DETACHED,
        Layer::Typed { action, .. } => matches!(action, Action::Resume | Action::RunAgain | Action::Attach),
        Layer::Confirm { action: Action::RollBack, .. } | Layer::Reading { action: Action::RollBack, .. } => is_of_cut,
        _ => false,
    };
    tui.withdraw(is_of_it);
}

/// What was chosen is done on Step, once there is a plan where it takes one; there is a way back to where it was chosen.
pub fn chosen(tui: &mut Tui, action: Action) -> Vec<Effect> {
    let mut effects = Vec::new();
    if tui.screen != ScreenId::Step {
        jumps::remember(tui);
        tui.step.asked_from = Some(tui.jumps.len());
        tui.screen = ScreenId::Step;
        tui.pending = Pending::default();
        effects.extend(planning::plan_if_none(tui));
    }
    if let Some(entry) = update::entry_of(tui, action) {
        effects.extend(update::run(tui, entry, 1));
    }
    effects
}

/// What was asked on Step was left unanswered: back to where it was asked for, if that was elsewhere.
pub fn unanswered(tui: &mut Tui) -> Vec<Effect> {
    if !tui.layers.is_empty() || !tui.waiting.is_empty() {
        return vec![];
    }
    let asked_from = tui.step.asked_from.take();
    let is_there = tui.screen == ScreenId::Step && asked_from == Some(tui.jumps.len());
    if is_there { jumps::back(tui) } else { vec![] }
}

/// Somebody does something else on the screen that is on show: one stays there.
pub fn stays(tui: &mut Tui) {
    tui.step.asked_from = None;
}

fn offer_here(tui: &mut Tui) {
    // What was chosen before the plan was there comes with it.
    if !tui.layers.is_empty() || tui.step.live.is_live() || !tui.step.put_off.is_empty() {
        return;
    }
    tui.step.live.is_news = false;
    parked::offer(tui);
    if tui.step.live.parked.is_some() {
        return;
    }
    let Some(cut) = &tui.step.live.cut else { return };
    let count = cut.deeds.len();
    let mut lines = match cut.as_root {
        true => vec![
            format!("Root's deploy {} was interrupted and needs a decision.", cut.deploy),
            format!("  {}  {}", cut.time, cut.entry),
            "  Resume or undo it as root, with sudo.".into(),
        ],
        false => vec![
            format!("Deploy {} was interrupted and needs a decision.", cut.deploy),
            format!("  {}  {}", cut.time, cut.entry),
            format!("  {count} change{} started", if count == 1 { "" } else { "s" }),
        ],
    };
    if cut.is_other {
        lines.push("  It belongs to another module: resume it there.".into());
    }
    let resume = (!cut.is_other).then_some(('R', "resume", Action::Resume));
    let others = [('u', "undo", Action::RollBack), ('I', "inspect", Action::Inspect)];
    let choices = resume.into_iter().chain(others).collect();
    tui.layers.push(Layer::Choose { title: TITLE, lines, choices });
}

/// Shows what a deploy that was cut off had done.
pub fn inspect(tui: &mut Tui) -> Vec<Effect> {
    let Some(cut) = tui.step.live.cut.clone() else { return vec![] };
    const MOST: usize = 30;
    offer(tui);
    let mut lines: Vec<String> = cut.deeds.iter().rev().take(MOST).rev().cloned().collect();
    if cut.deeds.len() > MOST {
        lines.insert(0, format!("{} earlier ones", cut.deeds.len() - MOST));
    }
    let command = format!("{}workbench deploy show {}", if cut.as_root { "sudo " } else { "" }, cut.deploy);
    lines.push(format!("Details: {command}"));
    update::log_command(tui, command);
    tui.layers.push(Layer::Told { title: format!("Deploy {}", cut.deploy), lines });
    vec![]
}

/// Asks whether to go on with a deploy that was cut off: that goes live, so it is answered as any live run is.
///
/// It is looked at whether it is cut off still, and the question is withdrawn where it is not. What stands on show from before it
/// was cut off, or of a program that says something else by now, is planned anew first.
pub fn resume(tui: &mut Tui) -> Vec<Effect> {
    if tui.is_working(Job::Compile) {
        tui.say(Role::Warning, "the source is being read again: try again in a moment");
        return vec![];
    }
    let is_fresh = tui.step.live.phase == Phase::Dry && planning::is_of_now(tui);
    if !is_fresh && let Some(cut) = &tui.step.live.cut {
        let words = format!("checking resources to resume deploy {}", cut.deploy);
        match planning::why_not(tui) {
            Some(why) => tui.say(Role::Error, why),
            None => tui.say(Role::Note, words),
        }
        let effects = planning::plan(tui);
        // Also by the plan that somebody asked for just now.
        tui.step.live.asks_to_resume = tui.is_working(Job::Plan);
        return effects;
    }
    ask(tui);
    look_again(tui).into_iter().collect()
}

fn ask(tui: &mut Tui) {
    let (Some(program), Some(cut)) = (&tui.step.program, tui.step.live.cut.clone()) else { return };
    if let Some(deploy) = cut.takes_back {
        tui.say(Role::Warning, format!("this is an undo of deploy {deploy}: u continues it"));
        return;
    }
    if history::graph_hash(&program.graph) != cut.graph {
        // Before anything is typed for it.
        let lines = otherwise(&cut);
        super::say_why(tui, format!("not resumed: {}", lines[0]));
        tui.layers.push(Layer::Told { title: "Not applied".into(), lines: lines.into() });
        return;
    }
    let still_asks = |id: &&ResourceId| tui.step.step_of(id).is_some_and(|step| step.action == Plans::Run);
    let again: Vec<String> = cut.ran.iter().filter(still_asks).map(ToString::to_string).collect();
    let mut lines = vec![
        format!("Resume deploy {} on {}:", cut.deploy, if tui.host.is_empty() { "this machine" } else { &tui.host }),
        "Every resource is checked again; unchanged ones are skipped.".into(),
    ];
    let action = if cut.commands.is_empty() { Action::Resume } else { Action::RunAgain };
    if !cut.commands.is_empty() {
        arm::listed(&mut lines, "These commands were interrupted; their effects are unknown:".into(), cut.commands);
        lines.push("They run again unless their guards say they are done.".into());
    }
    arm::listed(&mut lines, format!("{} already ran and would run again (no guard):", again.len()), again);
    lines.push("Nothing is written until you press s or c.".into());
    let word = tui.agreement_word();
    lines.push(match cut.as_root {
        true => format!("Type {word} to resume as root, with sudo."),
        false => format!("Type {word} to resume."),
    });
    tui.layers.push(Layer::Typed { lines, word, other: None, typed: String::new(), is_missed: false, action });
}

/// Why a program that says something else does not go on with it, and what does.
pub fn otherwise(cut: &Cut) -> [String; 3] {
    [
        "The module has changed since the deploy.".into(),
        "u undoes the deploy; to resume with the changed module:".into(),
        format!("  workbench deploy resume {}{} --changed", cut.deploy, by_sudo(cut.as_root)),
    ]
}

/// Goes on with it, as was agreed to.
pub fn resumed(tui: &mut Tui) -> Vec<Effect> {
    let Some(cut) = tui.step.live.cut.clone() else { return vec![] };
    update::log_command(tui, format!("workbench deploy resume {}{}", cut.deploy, by_sudo(cut.as_root)));
    go_on(tui, cut, None)
}

/// Goes on where a command was cut off, as was agreed to.
pub fn run_again(tui: &mut Tui) -> Vec<Effect> {
    let Some(cut) = tui.step.live.cut.clone() else { return vec![] };
    update::log_command(tui, format!("workbench deploy resume {}{} --again", cut.deploy, by_sudo(cut.as_root)));
    go_on(tui, cut, None)
}

pub(super) fn by_sudo(as_root: bool) -> &'static str {
    if as_root { " --sudo" } else { "" }
}

/// Goes on with it, as was decided where that was asked.
pub(in crate::tui::screen::step) fn go_on(tui: &mut Tui, cut: Cut, decided: Option<Decided>) -> Vec<Effect> {
    let Some(program) = tui.step.program.clone() else { return vec![] };
    stays(tui);
    arm::renew(tui);
    (tui.step.live.as_root, tui.step.live.has_asked) = (cut.as_root, false);
    back::looks(tui, Looks::Resume(cut.deploy));
    tui.step.live.resumed = Some(cut.clone());
    vec![Effect::Resume { program, cut, decided, run: tui.step.run }]
}
