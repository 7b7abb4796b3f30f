//! An interrupted deploy: offers to resume, undo or inspect it.

use super::{Cut, Looks, Phase, arm, undo};
use crate::graph::ResourceId;
use crate::plan::Action as Plans;
use crate::session::{ApplierStatus, history};
use crate::tui::cx::Cx;
use crate::tui::cx::{Pending, Request};
use crate::tui::effect::Effect;
use crate::tui::jumps;
use crate::tui::keymap::Action;
use crate::tui::layer::{Layer, Question};
use crate::tui::look::Role;
use crate::tui::message::Job;
use crate::tui::screen::ScreenId;
use crate::tui::screen::step::conflict::Decided;
use crate::tui::screen::step::data::State as Step;
use crate::tui::screen::step::{detached, planning};
use crate::tui::state::State as Tui;

/// The title of the question.
pub(in crate::tui::screen::step) const TITLE: &str = "Interrupted";
/// The title for a detached deploy.
pub(in crate::tui::screen::step) const DETACHED: &str = "Detached";

/// Offers on Plan what can be done about an interrupted or detached deploy.
pub(in crate::tui::screen::step) fn offer(tui: &mut Tui) {
    if tui.cx.screen == ScreenId::Step {
        offer_here(tui);
    }
}

/// Offers a newly reported one on any screen, once no other question is open.
pub fn offer_once(tui: &mut Tui) {
    if tui.screens.step.live.is_news && tui.cx.layers.open.is_empty() {
        offer_here(tui);
    }
}

/// Nothing is applied while a deploy is detached or interrupted: reports that before the user types a name, offers the
/// actions, and checks it again.
pub(in crate::tui::screen::step) fn comes_first(tui: &mut Tui) -> Option<Vec<Effect>> {
    let words = in_the_way(&tui.screens.step, &tui.cx)?;
    tui.cx.show_notice(Role::Warning, words);
    offer(tui);
    Some(vec![Effect::Inspect { as_root: tui.cx.project.is_sudo }])
}

/// Why nothing can be applied while a deploy is detached or interrupted. Root's history only blocks root.
pub fn in_the_way(step: &Step, cx: &Cx) -> Option<String> {
    let live = &step.live;
    let cut = live.cut.as_ref().filter(|cut| !cut.as_root || cx.project.is_sudo);
    Some(match (&live.detached, cut) {
        (Some(ApplierStatus { driver: Some(by), deploy, .. }), _) => {
            format!("process {by} is attached to deploy {deploy}")
        }
        (Some(standing), _) => format!("{standing} is detached (a attaches)"),
        (None, Some(cut)) => format!("deploy {} was interrupted and needs a decision", cut.deploy),
        (None, None) => return None,
    })
}

/// Checks again for a detached or interrupted deploy: another process may have left or resolved one.
pub fn look_again(tui: &Tui) -> Option<Effect> {
    let live = &tui.screens.step.live;
    let is_roots = live.cut.as_ref().is_some_and(|cut| cut.as_root);
    (!live.is_live()).then_some(Effect::Inspect { as_root: tui.cx.project.is_sudo || is_roots })
}

/// Whether to watch the history: a deploy of ours is unresolved, and another process may resolve it. Only root can read
/// root's history.
pub fn due(tui: &mut Tui) -> Option<Effect> {
    let live = &tui.screens.step.live;
    let is_ours = live.detached.is_some() || live.cut.as_ref().is_some_and(|cut| !cut.as_root);
    let is_wanted = tui.cx.project.can_apply && is_ours && !live.is_live();
    let was_wanted = std::mem::replace(&mut tui.screens.step.later.follows_history, is_wanted);
    (was_wanted != is_wanted).then_some(Effect::FollowHistory(is_wanted))
}

/// The history has no detached or interrupted deploy any more: the known one is resolved.
pub(super) fn nothing_interrupted(tui: &mut Tui, as_root: bool) {
    let Some(deploy) = known(tui, as_root) else { return };
    withdraw(tui);
    let live = &mut tui.screens.step.live;
    live.cut.take_if(|cut| cut.as_root == as_root);
    live.detached.take_if(|_| !as_root);
    tui.cx.show_notice(Role::Note, format!("deploy {deploy} is already resolved"));
}

/// The known status stays, because the check failed.
pub(super) fn not_known(tui: &mut Tui, as_root: bool, why: &str) {
    if let Some(deploy) = known(tui, as_root) {
        let words = format!("cannot determine whether deploy {deploy} is resolved: {why}");
        super::log(tui, words.clone());
        tui.cx.show_notice(Role::Warning, words);
    }
}

/// The unresolved deploy of a history.
fn known(tui: &Tui, as_root: bool) -> Option<u64> {
    let live = &tui.screens.step.live;
    let cut = live.cut.as_ref().filter(|cut| cut.as_root == as_root).map(|cut| cut.deploy);
    live.detached.as_ref().filter(|_| !as_root).map(|standing| standing.deploy).or(cut)
}

/// Removes outdated offers and questions about it.
pub(in crate::tui::screen::step) fn withdraw(tui: &mut Tui) {
    let is_of_cut = tui.screens.step.live.cut.is_some() && tui.screens.step.live.deploy.is_none();
    let is_of_it = |layer: &Layer| {
        let Some(question) = layer.question() else { return false };
        match question.confirms().or(question.loads()) {
            Some(Action::Resume | Action::RunAgain | Action::Attach) => true,
            Some(Action::RollBack) => is_of_cut,
            Some(_) => false,
            None => question.title == TITLE || question.title == DETACHED,
        }
    };
    tui.cx.layers.withdraw(is_of_it);
}

/// Runs the chosen action on Step, after a plan is made if it needs one; the jump list leads back.
pub fn chosen(tui: &mut Tui, action: Action) -> Vec<Effect> {
    let mut effects = Vec::new();
    if tui.cx.screen != ScreenId::Step {
        jumps::remember(&tui.screens.graph, &tui.screens.code, &mut tui.cx);
        tui.screens.step.later.asked_from = Some(tui.cx.trail.jumps.len());
        tui.cx.screen = ScreenId::Step;
        tui.cx.typing.pending = Pending::default();
        effects.extend(planning::plan_if_none(tui));
    }
    tui.cx.request(Request::Act(action));
    effects
}

/// A question on Step was cancelled: returns to the screen where it was requested.
pub fn unanswered(tui: &mut Tui) -> Vec<Effect> {
    if !tui.cx.layers.open.is_empty() || !tui.cx.layers.waiting.is_empty() {
        return vec![];
    }
    let asked_from = tui.screens.step.later.asked_from.take();
    let is_there = tui.cx.screen == ScreenId::Step && asked_from == Some(tui.cx.trail.jumps.len());
    if is_there {
        jumps::back(&mut tui.screens.graph, &mut tui.screens.code, &tui.screens.step, &mut tui.cx)
    } else {
        vec![]
    }
}

/// The user is busy on the shown screen: it stays.
pub fn stays(tui: &mut Tui) {
    tui.screens.step.later.asked_from = None;
}

fn offer_here(tui: &mut Tui) {
    // It is being resumed: the question comes with the plan.
    if tui.screens.step.later.resumes_next || tui.screens.step.live.asks_to_resume {
        return;
    }
    // A choice from before the plan is handled with the plan.
    if !tui.cx.layers.open.is_empty() || tui.screens.step.live.is_live() || !tui.screens.step.queue.put_off.is_empty() {
        return;
    }
    tui.screens.step.live.is_news = false;
    detached::offer(tui);
    if tui.screens.step.live.detached.is_some() {
        return;
    }
    let Some(cut) = &tui.screens.step.live.cut else { return };
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
    tui.cx.layers.open.push(Question::keys(TITLE, lines, choices).into());
}

/// Shows the changes of an interrupted deploy.
pub fn inspect(tui: &mut Tui) -> Vec<Effect> {
    let Some(cut) = tui.screens.step.live.cut.clone() else { return vec![] };
    const MOST: usize = 30;
    offer(tui);
    let mut lines: Vec<String> = cut.deeds.iter().rev().take(MOST).rev().cloned().collect();
    if cut.deeds.len() > MOST {
        lines.insert(0, format!("{} earlier ones", cut.deeds.len() - MOST));
    }
    let command = format!("{}workbench deploy show {}", if cut.as_root { "sudo " } else { "" }, cut.deploy);
    lines.push(format!("Details: {command}"));
    tui.cx.log_command(command);
    tui.cx.layers.open.push(Question::report(format!("Deploy {}", cut.deploy), lines).into());
    vec![]
}

/// Asks whether to resume an interrupted deploy: the answer is the same as for any live run.
///
/// Checks again whether it is interrupted, and withdraws the question if not. If the shown plan is older than the
/// interruption, or of a changed program, a new plan is made first.
pub fn resume(tui: &mut Tui) -> Vec<Effect> {
    if tui.cx.is_working(Job::Compile) {
        tui.cx.show_notice(Role::Warning, "the source is being read again: try again in a moment");
        return vec![];
    }
    if let Some(cut) = &tui.screens.step.live.cut
        && let (Some(then), None) = (&cut.adopts, cut.takes_back)
    {
        let effect = Effect::Reopen { deploy: cut.deploy, then: then.clone() };
        tui.cx.start(Job::Plan);
        return vec![effect];
    }
    let is_fresh = tui.screens.step.live.phase == Phase::Dry && tui.cx.plans_shown(&tui.screens.step);
    if !is_fresh && let Some(cut) = &tui.screens.step.live.cut {
        let words = format!("checking resources to resume deploy {}", cut.deploy);
        match planning::why_not(&tui.cx) {
            Some(why) => tui.cx.show_notice(Role::Error, why),
            None => tui.cx.show_notice(Role::Note, words),
        }
        let effects = planning::plan(tui);
        // Also with a plan that was just requested.
        tui.screens.step.live.asks_to_resume = tui.cx.is_working(Job::Plan);
        return effects;
    }
    ask(tui);
    look_again(tui).into_iter().collect()
}

fn ask(tui: &mut Tui) {
    let (Some(program), Some(cut)) = (&tui.screens.step.program, tui.screens.step.live.cut.clone()) else { return };
    if let Some(deploy) = cut.takes_back {
        tui.cx.show_notice(Role::Warning, format!("this is an undo of deploy {deploy}: u continues it"));
        return;
    }
    if history::graph_hash(&program.graph) != cut.graph {
        // Before the user types anything.
        let lines = changed_words(&cut);
        super::show_reason(tui, format!("not resumed: {}", lines[0]));
        tui.cx.layers.open.push(Question::report("Not applied", lines).into());
        return;
    }
    let still_asks = |id: &&ResourceId| tui.screens.step.step_of(id).is_some_and(|step| step.action == Plans::Run);
    let again: Vec<String> = cut.ran.iter().filter(still_asks).map(ToString::to_string).collect();
    let mut lines = vec![
        format!(
            "Resume deploy {} on {}:",
            cut.deploy,
            if tui.cx.project.host.is_empty() { "this machine" } else { &tui.cx.project.host }
        ),
        "Every resource is checked again; unchanged ones are skipped.".into(),
    ];
    let action = if cut.commands.is_empty() { Action::Resume } else { Action::RunAgain };
    if !cut.commands.is_empty() {
        arm::listed(&mut lines, "These commands were interrupted; their effects are unknown:".into(), cut.commands);
        lines.push("They run again unless their guards say they are done.".into());
    }
    arm::listed(&mut lines, format!("{} already ran and would run again (no guard):", again.len()), again);
    lines.push("Nothing is written until you press s or c.".into());
    let other = program.hosts.clone().other();
    lines.extend(arm::compiled_for(other.as_deref()));
    let word = tui.cx.agreement_word(other.as_deref());
    lines.push(match cut.as_root {
        true => format!("Type {word} to resume as root, with sudo."),
        false => format!("Type {word} to resume."),
    });
    tui.cx.layers.open.push(Question::word(lines, word, None, action).into());
}

/// The program is compiled for what the interrupted deploy was made for.
pub fn adopted(tui: &mut Tui) {
    if let Some(cut) = &mut tui.screens.step.live.cut {
        cut.adopts = None;
        cut.differs.clear();
    }
}

/// Why it cannot be resumed with a changed module, and what to do.
pub fn changed_words(cut: &Cut) -> Vec<String> {
    let command = format!("  workbench deploy resume {}{}", cut.deploy, by_sudo(cut.as_root));
    if cut.differs.is_empty() {
        return vec![
            "The module has changed since the deploy.".into(),
            "u undoes the deploy; to resume with the changed module:".into(),
            format!("{command} --changed"),
        ];
    }
    let mut lines = cut.differs.clone();
    lines.extend(["u undoes the deploy; to resume it with its own options:".into(), command]);
    lines
}

/// Resumes it, as confirmed.
pub fn resumed(tui: &mut Tui) -> Vec<Effect> {
    let Some(cut) = tui.screens.step.live.cut.clone() else { return vec![] };
    tui.cx.log_command(format!("workbench deploy resume {}{}", cut.deploy, by_sudo(cut.as_root)));
    go_on(tui, cut, None)
}

/// Resumes at an interrupted command, as confirmed.
pub fn run_again(tui: &mut Tui) -> Vec<Effect> {
    let Some(cut) = tui.screens.step.live.cut.clone() else { return vec![] };
    tui.cx.log_command(format!("workbench deploy resume {}{} --again", cut.deploy, by_sudo(cut.as_root)));
    go_on(tui, cut, None)
}

pub(super) fn by_sudo(as_root: bool) -> &'static str {
    if as_root { " --sudo" } else { "" }
}

/// Resumes it, as decided in the question.
pub(in crate::tui::screen::step) fn go_on(tui: &mut Tui, cut: Cut, decided: Option<Decided>) -> Vec<Effect> {
    let Some(program) = tui.screens.step.program.clone() else { return vec![] };
    stays(tui);
    arm::renew(tui);
    (tui.screens.step.live.as_root, tui.screens.step.live.has_asked) = (cut.as_root, false);
    undo::looks(tui, Looks::Resume(cut.deploy));
    tui.screens.step.live.shown.resumed = Some(cut.clone());
    vec![Effect::Resume { program, cut, decided, run: tui.screens.step.run }]
}
