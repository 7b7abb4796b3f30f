//! The undo of a deploy: its question, start and events.
//!
//! The check of its results comes first. It may take a while, and can be cancelled without an effect. The question
//! follows, so that it shows what the undo will do.

use super::{Cut, interrupted, log, restore_dry_run, show_reason};
use super::{arm::Names, interrupted::by_sudo};
use crate::engine::message::Request;
use crate::session::history::{UndoStep, UndoSummary, Verdict};
pub use crate::tui::screen::step::live::data::AppliedRun;
use crate::tui::screen::step::phase::{Before, Changed, DryRun, Phase, Progress, Undoing};
use crate::tui::screen::step::{self, PlanScreen};
use crate::tui::{
    cx::Cx, effect::Effect, keymap::Action, layer::Question, look::Role, message::Job, screen::step::conflict::Decided,
    screen::step::redo::Redo, widget::text,
};
use crate::tui::{events, jobs};

impl AppliedRun {
    /// The shown run; `None` if it changed nothing.
    pub fn of(screen: &step::State) -> Option<Self> {
        let shown = screen.phase.shown().filter(|shown| shown.has_changed())?;
        Some(Self { deploy: shown.deploy?, as_root: shown.as_root })
    }
}

impl step::State {
    /// The applied resources of this session, until another run is live or they are undone: they can be undone whatever
    /// plan is shown.
    pub fn applied_run(&self) -> Option<&AppliedRun> {
        self.live.put.as_ref()
    }
}

/// The subject of an undo question.
#[derive(Clone, Copy)]
struct Asked {
    deploy: u64,
    as_root: bool,
    is_cut: bool,
}

impl Asked {
    /// The shown deploy, the interrupted one, or the watched one. An interrupted or watched one determines whose
    /// history it is in; the shown one was started here.
    fn of(screen: &PlanScreen) -> Option<Self> {
        let phase = &screen.phase;
        match (phase.deploy(), &screen.live.cut, screen.applied_run()) {
            (Some(deploy), ..) => Some(Self { deploy, as_root: phase.as_root(), is_cut: false }),
            (None, Some(cut), _) => Some(Self { deploy: deploy_to_undo(cut), as_root: cut.as_root, is_cut: true }),
            (None, None, Some(put)) => Some(Self { deploy: put.deploy, as_root: put.as_root, is_cut: false }),
            (None, None, None) => None,
        }
    }
}

/// Asks whether to undo a deploy, after its effects were checked. Only root can read root's history, so there the check
/// follows the confirmation.
pub fn ask_undo(screen: &mut PlanScreen, cx: &mut Cx) {
    let Some(asked) = Asked::of(screen) else { return };
    if asked.as_root {
        let mut lines = question(screen, asked);
        lines.push("Its changes are in the history of root, which is read after you agree.".into());
        lines.push("For each resource that was changed since, you choose: keep or restore.".into());
        cx.layers.open.push(Question::yes(lines, Action::RollBack).into());
    } else {
        read_first(screen, cx, asked.deploy, Action::RollBack);
    }
    if asked.is_cut {
        interrupted::look_again(screen, cx);
    }
}

/// Reports that the deploy is being checked; the question follows.
pub fn read_first(screen: &mut PlanScreen, cx: &mut Cx, deploy: u64, action: Action) {
    let lines =
        vec![format!("Reading what deploy {deploy} did and the state of this machine."), "A question follows.".into()];
    cx.layers.open.push(Question::loading(lines, action).into());
    screen.live.ask += 1;
    cx.effect(Effect::PlanUndo { deploy, ask: screen.live.ask })
}

/// The interrupted deploy may be an undo: then the deploy that it undoes.
fn deploy_to_undo(cut: &Cut) -> u64 {
    cut.undoes.unwrap_or(cut.deploy)
}

/// The effects of an undo are known, or cannot be.
pub(super) fn on_undo_planned(screen: &mut PlanScreen, cx: &mut Cx, deploy: u64, steps: Result<Vec<UndoStep>, String>) {
    let steps = match steps {
        Ok(steps) => steps,
        Err(why) => {
            let lines = vec![format!("What deploy {deploy} did cannot be read: {why}.")];
            answer(
                cx,
                |action| matches!(action, Action::RollBack | Action::UndoDeploy),
                &Question::report("Undo", lines),
            );
            return;
        }
    };
    if is_back_already(screen, deploy, &steps) {
        screen.live.put = None;
        cx.layers.withdraw(|layer| layer.loads() == Some(Action::RollBack));
        let words = format!("nothing to undo: all changes of deploy {deploy} are already undone");
        cx.announce(Role::Note, words);
        return;
    }
    let Some(asked) = Asked::of(screen).filter(|asked| asked.deploy == deploy) else {
        cx.layers.withdraw(|layer| layer.loads() == Some(Action::RollBack));
        return;
    };
    let mut lines = question(screen, asked);
    write_undo_plan(deploy, &steps, &mut lines);
    // There is nothing to confirm, but the interrupted deploy is resolved all the same.
    let question = match !asked.is_cut && UndoSummary::of(&steps).is_idle() {
        true => Question::report("Undo", lines.split_off(1)),
        false => Question::yes(lines, Action::RollBack),
    };
    answer(cx, |action| action == Action::RollBack, &question);
}

/// The check is done: this layer replaces the one that showed it.
fn answer(cx: &mut Cx, is_it: impl Fn(Action) -> bool, with: &Question) {
    for layer in cx.layers.all_mut() {
        if layer.loads().is_some_and(&is_it) {
            *layer = with.clone().into();
        }
    }
}

/// Whether another process undid the watched deploy while other rows are shown.
fn is_back_already(state: &step::State, deploy: u64, steps: &[UndoStep]) -> bool {
    let is_put = state.phase.deploy().is_none() && state.live.cut.is_none();
    let is_put = is_put && state.applied_run().is_some_and(|put| put.deploy == deploy);
    is_put && !steps.is_empty() && steps.iter().all(|step| step.verdict == Verdict::Already)
}

/// The effects of an undo on the current machine, including the resumed deploy.
pub fn write_undo_plan(deploy: u64, steps: &[UndoStep], lines: &mut Vec<String>) {
    let summary = UndoSummary::of(steps);
    if summary.is_idle() {
        lines.push(format!("Nothing in deploy {deploy} can be undone."));
    }
    for (heading, all) in summary.groups() {
        let mut names = Names::default();
        all.iter().for_each(|name| names.add(|| text::safe(name)));
        names.list_under(lines, heading);
    }
}

/// The question, before the list of effects.
fn question(screen: &PlanScreen, asked: Asked) -> Vec<String> {
    let mut lines = vec![format!("Undo deploy {}?", asked.deploy)];
    if let Some(cut) = screen.live.cut.as_ref().filter(|cut| asked.is_cut && cut.is_other) {
        lines.push(format!("  of {}", cut.entry));
    }
    if screen.phase.live().is_some() && screen.next_id().is_some() {
        lines.push("The deploy ends; the steps that are left are not run.".into());
    }
    lines
}

/// Undoes it, as confirmed.
pub fn undo_confirmed(screen: &mut PlanScreen, cx: &mut Cx) {
    let Some(Asked { deploy, as_root, .. }) = Asked::of(screen) else { return };
    cx.log_command(format!("workbench deploy undo {deploy}{}", by_sudo(as_root)));
    begin_undo(screen, cx, Subject { deploy, as_root }, None)
}

/// The deploy to undo, and whose history it is in.
#[derive(Clone, Copy)]
pub struct Subject {
    pub deploy: u64,
    pub as_root: bool,
}

/// Undoes it, as decided in the conflict question.
pub fn begin_undo(screen: &mut PlanScreen, cx: &mut Cx, subject: Subject, decided: Option<Decided>) {
    let Subject { deploy, as_root } = subject;
    step::watch::hold(screen, cx);
    let was_followed = events::end_own(cx);
    let before = match screen.phase.shown() {
        Some(_) => Before::Ended(screen.phase.take_ended()),
        None => {
            let left = Redo::of(screen);
            Before::Dry { left, rest: screen.phase.take_rest() }
        }
    };
    // Later events of the run are ignored.
    screen.run += 1;
    screen.list.rows.run.forget_next();
    let progress = Progress::Checking;
    let undoing = Undoing { deploy, as_root, has_asked: false, before, was_followed, progress, stops: 0 };
    screen.phase = Phase::Undoing(Box::new(undoing));
    cx.effect(Effect::Undo { deploy, decided, run: screen.run, as_root });
    cx.show_notice(Role::Note, format!("checking what to undo of deploy {deploy}; Esc cancels"));
}

/// A check has ended: removes the notice about it.
pub(super) fn checked(screen: &mut PlanScreen, cx: &mut Cx) {
    if screen.phase.is_checking() {
        cx.withdraw_notice();
    }
}

/// Cancels a check; false if there is none.
pub fn give_up(screen: &PlanScreen, cx: &mut Cx) -> bool {
    let is_checking = screen.phase.is_checking();
    if is_checking {
        cx.show_notice(Role::Note, "cancelling…");
        cx.effect(Effect::GiveUp);
    }
    is_checking
}

/// It was cancelled before anything was done.
pub(super) fn given_up(screen: &mut PlanScreen, cx: &mut Cx) {
    let words = match &screen.phase {
        Phase::Undoing(undoing) => format!("cancelled: nothing of deploy {} was undone", undoing.deploy),
        _ => "cancelled: nothing was undone".into(),
    };
    as_before(screen, cx, false);
    cx.announce(Role::Note, words);
}

/// Nothing was done: restores the rows and the watch. `shows`: the rows then show the deploy, to retry it.
pub(in crate::tui::screen::step) fn as_before(screen: &mut PlanScreen, cx: &mut Cx, shows: bool) {
    checked(screen, cx);
    let undoing = match std::mem::take(&mut screen.phase) {
        Phase::Undoing(undoing) => *undoing,
        other => {
            screen.phase = other;
            return;
        }
    };
    match undoing.before {
        Before::Dry { left, rest } => {
            screen.phase = Phase::Dry(DryRun { rest, ..DryRun::default() });
            restore_dry_run(screen, cx, left);
        }
        Before::Ended(mut ended) => {
            // Another deploy on show keeps its rows.
            if shows && ended.shown.deploy.is_none_or(|shown| shown == undoing.deploy) {
                (ended.shown.deploy, ended.shown.as_root) = (Some(undoing.deploy), undoing.as_root);
            }
            ended.is_finished = true;
            (screen.phase, screen.shows.summary) = (Phase::Ended(ended), true);
        }
    }
    step::watch::release(screen, cx);
    if undoing.was_followed {
        events::follow_on(cx);
    }
}

/// An undo has completed this many of its operations.
pub(super) fn on_progress(screen: &mut PlanScreen, cx: &mut Cx, done: usize, of: usize) {
    let Phase::Undoing(undoing) = &mut screen.phase else { return };
    let (deploy, before) = (undoing.deploy, std::mem::replace(&mut undoing.progress, Progress::Done { done, of }));
    if before == Progress::Checking {
        let changes = if of == 1 { "change" } else { "changes" };
        cx.show_notice(Role::Note, format!("undoing {of} {changes} of deploy {deploy}; Ctrl-C stops"));
    }
    jobs::progress(cx, Job::Run, done, of);
}

/// Nothing was undone: the applied resources are watched again if they were before.
pub(super) fn refused(screen: &mut PlanScreen, cx: &mut Cx, why: Vec<String>) {
    let as_root = screen.phase.as_root();
    as_before(screen, cx, true);
    undo_refused(cx, why, as_root);
}

fn undo_refused(cx: &mut Cx, lines: Vec<String>, as_root: bool) {
    show_reason(cx, lines.join(" "));
    show_notice(cx, "Not undone", lines);
    // It may be detached or interrupted.
    cx.effect(Effect::Inspect { as_root })
}

fn show_notice(cx: &mut Cx, title: &'static str, lines: Vec<String>) {
    lines.iter().for_each(|line| log(cx, line.clone()));
    cx.layers.open.push(Question::report(title, lines).into());
}

/// The undo has ended, or failed.
pub(super) fn on_undone(screen: &mut PlanScreen, cx: &mut Cx, deploy: u64, result: Result<Vec<String>, Vec<String>>) {
    checked(screen, cx);
    let (was_followed, as_root) = match &screen.phase {
        Phase::Undoing(undoing) => (undoing.was_followed, undoing.as_root),
        other => (false, other.as_root()),
    };
    let mut ended = screen.phase.take_ended();
    ended.is_finished = true;
    if result.is_ok() {
        (ended.shown.deploy, ended.shown.changed) = (None, Changed::default());
        screen.live.cut = None;
        screen.live.put.take_if(|put| put.deploy == deploy);
    } else if ended.shown.deploy.is_none_or(|shown| shown == deploy) {
        (ended.shown.deploy, ended.shown.as_root) = (Some(deploy), as_root);
    }
    (screen.phase, screen.shows.summary) = (Phase::Ended(ended), true);
    step::watch::end(screen, cx);
    match result {
        Ok(lines) => {
            cx.withdraw_notice();
            // The program was watched before: it is compiled again as it is now.
            cx.programs.plans_next |= was_followed;
            if was_followed {
                cx.recompile()
            } else {
                step::plan(screen, cx)
            }
            show_notice(cx, "Undone", lines);
        }
        Err(lines) => undo_refused(cx, lines, as_root),
    }
}

/// What the first Ctrl-C asks of a running undo, and each later one.
pub(super) fn stopped_by(cx: &mut Cx, times: u8) {
    if times == 1 {
        cx.show_notice(Role::Note, "stopping after this change; Ctrl-C again detaches");
        return cx.effect(Effect::Send(Request::Stop));
    }
    cx.show_notice(Role::Warning, "detached: it finishes the current change, then waits");
    cx.effect(Effect::LetGo)
}
