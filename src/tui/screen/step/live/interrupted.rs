//! An interrupted deploy: offers to resume, undo or inspect it.

use super::{Cut, arm};
use crate::graph::ResourceId;
use crate::plan::Action as Plans;
use crate::session::{ApplierStatus, history};
use crate::tui::cx::{Cx, Pending, Request};
use crate::tui::layer::{Layer, Question};
use crate::tui::screen::step::{PlanScreen, detached, planning};
use crate::tui::{
    effect::Effect, keymap::Action, look::Role, message::Job, screen::ScreenId, screen::step::conflict::Decided,
    screen::step::phase::Begins,
};

/// The title of the question.
pub(in crate::tui::screen::step) const TITLE: &str = "Interrupted";
/// The title for a detached deploy.
pub(in crate::tui::screen::step) const DETACHED: &str = "Detached";

/// Offers on Plan what can be done about an interrupted or detached deploy.
pub(in crate::tui::screen::step) fn offer(screen: &mut PlanScreen, cx: &mut Cx) {
    if cx.screen == ScreenId::Step {
        offer_here(screen, cx);
    }
}

/// Offers a newly reported one on any screen, once no other question is open.
pub fn offer_once(screen: &mut PlanScreen, cx: &mut Cx) {
    if screen.live.is_unread && cx.layers.open.is_empty() {
        offer_here(screen, cx);
    }
}

/// Nothing is applied while a deploy is detached or interrupted: reports that before the user types a name, offers the
/// actions, and checks it again. False if there is none.
pub(in crate::tui::screen::step) fn comes_first(screen: &mut PlanScreen, cx: &mut Cx) -> bool {
    let Some(words) = in_the_way(screen, cx) else { return false };
    cx.show_notice(Role::Warning, words);
    offer(screen, cx);
    cx.effect(Effect::Inspect { as_root: cx.project.is_sudo });
    true
}

/// Why nothing can be applied while a deploy is detached or interrupted. Root's history only blocks root.
pub fn in_the_way(screen: &PlanScreen, cx: &Cx) -> Option<String> {
    let live = &screen.live;
    let cut = live.cut.as_ref().filter(|cut| !cut.as_root || cx.project.is_sudo);
    Some(match (&live.detached, cut) {
        (Some(ApplierStatus { driver: Some(by), deploy, .. }), _) => {
            format!("process {by} is attached to deploy {deploy}")
        }
        (Some(status), _) => format!("{status} is detached (a attaches)"),
        (None, Some(cut)) => format!("deploy {} was interrupted and needs a decision", cut.deploy),
        (None, None) => return None,
    })
}

/// Checks again for a detached or interrupted deploy: another process may have left or resolved one.
pub fn look_again(screen: &PlanScreen, cx: &mut Cx) {
    let live = &screen.live;
    let is_roots = live.cut.as_ref().is_some_and(|cut| cut.as_root);
    if !screen.phase.is_live() {
        cx.effect(Effect::Inspect { as_root: cx.project.is_sudo || is_roots });
    }
}

/// Whether to watch the history: a deploy of ours is unresolved, and another process may resolve it. Only root can read
/// root's history.
pub fn pending_effects(screen: &mut PlanScreen, cx: &mut Cx) {
    let live = &screen.live;
    let is_ours = live.detached.is_some() || live.cut.as_ref().is_some_and(|cut| !cut.as_root);
    let is_wanted = cx.project.can_apply && is_ours && !screen.phase.is_live();
    let was_wanted = std::mem::replace(&mut screen.later.follows_history, is_wanted);
    if was_wanted != is_wanted {
        cx.effect(Effect::FollowHistory(is_wanted));
    }
}

/// The history has no detached or interrupted deploy any more: the known one is resolved.
pub(super) fn nothing_interrupted(screen: &mut PlanScreen, cx: &mut Cx, as_root: bool) {
    let Some(deploy) = known(screen, as_root) else { return };
    withdraw(screen, cx);
    let live = &mut screen.live;
    live.cut.take_if(|cut| cut.as_root == as_root);
    live.detached.take_if(|_| !as_root);
    cx.show_notice(Role::Note, format!("deploy {deploy} is already resolved"));
}

/// The known status stays, because the check failed.
pub(super) fn not_known(screen: &mut PlanScreen, cx: &mut Cx, as_root: bool, why: &str) {
    if let Some(deploy) = known(screen, as_root) {
        let words = format!("cannot determine whether deploy {deploy} is resolved: {why}");
        cx.announce(Role::Warning, words);
    }
}

/// The unresolved deploy of a history.
fn known(screen: &PlanScreen, as_root: bool) -> Option<u64> {
    let live = &screen.live;
    let cut = live.cut.as_ref().filter(|cut| cut.as_root == as_root).map(|cut| cut.deploy);
    live.detached.as_ref().filter(|_| !as_root).map(|status| status.deploy).or(cut)
}

/// Removes outdated offers and questions about it.
pub(in crate::tui::screen::step) fn withdraw(screen: &mut PlanScreen, cx: &mut Cx) {
    let is_of_cut = screen.live.cut.is_some() && screen.phase.deploy().is_none();
    let is_of_it = |layer: &Layer| {
        let Some(question) = layer.question() else { return false };
        match question.confirms().or(question.loads()) {
            Some(Action::Resume | Action::RunAgain | Action::Attach) => true,
            Some(Action::RollBack) => is_of_cut,
            Some(_) => false,
            None => question.title == TITLE || question.title == DETACHED,
        }
    };
    cx.layers.withdraw(is_of_it);
}

/// Runs the chosen action on Step, after a plan is made if it needs one. The last jump leads back.
pub fn chosen(screen: &mut PlanScreen, cx: &mut Cx, action: Action) {
    if cx.screen != ScreenId::Step {
        screen.later.asked_from = Some(cx.trail.jumps.len());
        (cx.screen, cx.typing.pending) = (ScreenId::Step, Pending::default());
        planning::plan_if_none(screen, cx);
    }
    cx.request(Request::Act(action));
}

/// A question on Step was cancelled: returns to the screen where it was requested.
pub fn unanswered(screen: &mut PlanScreen, cx: &mut Cx) {
    if !cx.layers.open.is_empty() || !cx.layers.waiting.is_empty() {
        return;
    }
    let asked_from = screen.later.asked_from.take();
    let is_there = cx.screen == ScreenId::Step && asked_from == Some(cx.trail.jumps.len());
    if is_there {
        cx.request(Request::Act(Action::JumpBack));
    }
}

/// The user is busy on the shown screen: it stays.
pub fn stays(screen: &mut PlanScreen) {
    screen.later.asked_from = None;
}

fn offer_here(screen: &mut PlanScreen, cx: &mut Cx) {
    // It is being resumed: the question comes with the plan.
    if screen.later.resumes_next || screen.later.asks_to_resume {
        return;
    }
    // A choice from before the plan is handled with the plan.
    if !cx.layers.open.is_empty() || screen.phase.is_live() || !screen.keys.is_empty() {
        return;
    }
    screen.live.is_unread = false;
    detached::offer(screen, cx);
    if screen.live.detached.is_some() {
        return;
    }
    let Some(cut) = &screen.live.cut else { return };
    let count = cut.operations.len();
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
    cx.layers.open.push(Question::keys(TITLE, lines, choices).into());
}

/// Shows the changes of an interrupted deploy.
pub fn inspect(screen: &mut PlanScreen, cx: &mut Cx) {
    let Some(cut) = screen.live.cut.clone() else { return };
    const MOST: usize = 30;
    offer(screen, cx);
    let mut lines: Vec<String> = cut.operations.iter().rev().take(MOST).rev().cloned().collect();
    if cut.operations.len() > MOST {
        lines.insert(0, format!("{} earlier ones", cut.operations.len() - MOST));
    }
    let command = format!("{}workbench deploy show {}", if cut.as_root { "sudo " } else { "" }, cut.deploy);
    lines.push(format!("Details: {command}"));
    cx.log_command(command);
    cx.layers.open.push(Question::report(format!("Deploy {}", cut.deploy), lines).into());
}

/// Asks whether to resume an interrupted deploy: the answer is the same as for any live run.
///
/// Checks again whether it is interrupted, and withdraws the question if not. If the shown plan is older than the
/// interruption, or of a changed program, a new plan is made first.
pub fn resume(screen: &mut PlanScreen, cx: &mut Cx) {
    if cx.is_working(Job::Compile) {
        return cx.show_notice(Role::Warning, "the source is being read again: try again in a moment");
    }
    if let Some(cut) = &screen.live.cut
        && let (Some(then), None) = (&cut.adopts, cut.undoes)
    {
        cx.start(Job::Plan);
        return cx.effect(Effect::Reopen { deploy: cut.deploy, then: then.clone() });
    }
    let is_fresh = screen.phase.is_dry() && cx.plans_shown(screen);
    if !is_fresh && let Some(cut) = &screen.live.cut {
        let words = format!("checking resources to resume deploy {}", cut.deploy);
        match planning::why_not(cx) {
            Some(why) => cx.show_notice(Role::Error, why),
            None => cx.show_notice(Role::Note, words),
        }
        planning::plan(screen, cx);
        // Also with a plan that was just requested.
        screen.later.asks_to_resume = cx.is_working(Job::Plan);
        return;
    }
    ask(screen, cx);
    look_again(screen, cx);
}

fn ask(screen: &mut PlanScreen, cx: &mut Cx) {
    let (Some(program), Some(cut)) = (&screen.program, screen.live.cut.clone()) else { return };
    if let Some(deploy) = cut.undoes {
        cx.show_notice(Role::Warning, format!("this is an undo of deploy {deploy}: u continues it"));
        return;
    }
    if history::graph_hash(&program.graph) != cut.graph {
        // Before the user types anything.
        let lines = changed_words(&cut);
        super::show_reason(cx, format!("not resumed: {}", lines[0]));
        cx.layers.open.push(Question::report("Not applied", lines).into());
        return;
    }
    let still_asks = |id: &&ResourceId| screen.step_of(id).is_some_and(|step| step.action == Plans::Run);
    let again: Vec<String> = cut.ran.iter().filter(still_asks).map(ToString::to_string).collect();
    let mut lines = vec![
        format!(
            "Resume deploy {} on {}:",
            cut.deploy,
            if cx.project.host.is_empty() { "this machine" } else { &cx.project.host }
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
    let word = cx.agreement_word(other.as_deref());
    lines.push(match cut.as_root {
        true => format!("Type {word} to resume as root, with sudo."),
        false => format!("Type {word} to resume."),
    });
    cx.layers.open.push(Question::word(lines, word, None, action).into());
}

/// The program is compiled for what the interrupted deploy was made for.
pub fn adopted(screen: &mut PlanScreen) {
    if let Some(cut) = &mut screen.live.cut {
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
pub fn resumed(screen: &mut PlanScreen, cx: &mut Cx) {
    let Some(cut) = screen.live.cut.clone() else { return };
    cx.log_command(format!("workbench deploy resume {}{}", cut.deploy, by_sudo(cut.as_root)));
    resume_cut(screen, cx, cut, None)
}

/// Resumes at an interrupted command, as confirmed.
pub fn run_again(screen: &mut PlanScreen, cx: &mut Cx) {
    let Some(cut) = screen.live.cut.clone() else { return };
    cx.log_command(format!("workbench deploy resume {}{} --again", cut.deploy, by_sudo(cut.as_root)));
    resume_cut(screen, cx, cut, None)
}

pub(super) fn by_sudo(as_root: bool) -> &'static str {
    if as_root { " --sudo" } else { "" }
}

/// Resumes it, as decided in the question.
pub fn resume_cut(screen: &mut PlanScreen, cx: &mut Cx, cut: Cut, decided: Option<Decided>) {
    let Some(program) = screen.program.clone() else { return };
    stays(screen);
    arm::renew(screen, Begins::Resumes(cut.clone()), cut.as_root);
    cx.show_notice(Role::Note, format!("checking the interrupted deploy {}; Esc cancels", cut.deploy));
    cx.effect(Effect::Resume { program, cut, decided, run: screen.run })
}
