//! The undo of a deploy: its question, start and events.
//!
//! The check of its results comes first. It may take a while, and can be cancelled without an effect. The question
//! follows, so that it shows what the undo will do.

use super::arm::Names;
use super::data::Far;
use super::interrupted::by_sudo;
use super::{Cut, Looks, Phase, back_to_dry, interrupted, log, show_reason};
use crate::engine::message::Request;
use crate::session::history::{UndoStep, UndoSummary, Verdict};
use crate::tui::effect::Effect;
use crate::tui::events;
use crate::tui::jobs;
use crate::tui::keymap::Action;
use crate::tui::layer::Question;
use crate::tui::look::Role;
use crate::tui::message::Job;
use crate::tui::screen::step::conflict::Decided;
use crate::tui::screen::step::data::State as Step;
pub use crate::tui::screen::step::live::data::AppliedRun;
use crate::tui::screen::step::redo::Redo;
use crate::tui::screen::{deploys, step};
use crate::tui::state::State as Tui;
use crate::tui::widget::text;

impl AppliedRun {
    /// The shown run; `None` if it changed nothing.
    pub fn of(tui: &Tui) -> Option<Self> {
        let live = &tui.screens.step.live;
        let deploy = live.deploy.filter(|_| live.has_changed())?;
        Some(Self { deploy, as_root: live.as_root })
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
    fn of(tui: &Tui) -> Option<Self> {
        let live = &tui.screens.step.live;
        match (live.deploy, &live.cut, tui.screens.step.applied_run()) {
            (Some(deploy), ..) => Some(Self { deploy, as_root: live.as_root, is_cut: false }),
            (None, Some(cut), _) => Some(Self { deploy: to_take_back(cut), as_root: cut.as_root, is_cut: true }),
            (None, None, Some(put)) => Some(Self { deploy: put.deploy, as_root: put.as_root, is_cut: false }),
            (None, None, None) => None,
        }
    }
}

/// Asks whether to undo a deploy, after its effects were checked. Only root can read root's history, so there the check
/// follows the confirmation.
pub fn ask_back(tui: &mut Tui) -> Vec<Effect> {
    let Some(asked) = Asked::of(tui) else { return vec![] };
    let mut effects = vec![];
    if asked.as_root {
        let mut lines = question(tui, asked);
        lines.push("Its changes are in the history of root, which is read after you agree.".into());
        lines.push("For each resource that was changed since, you choose: keep or restore.".into());
        tui.cx.layers.open.push(Question::yes(lines, Action::RollBack).into());
    } else {
        effects.push(read_first(tui, asked.deploy, Action::RollBack));
    }
    if asked.is_cut {
        effects.extend(interrupted::look_again(tui));
    }
    effects
}

/// Reports that the deploy is being checked; the question follows.
pub fn read_first(tui: &mut Tui, deploy: u64, action: Action) -> Effect {
    let lines =
        vec![format!("Reading what deploy {deploy} did and the state of this machine."), "A question follows.".into()];
    tui.cx.layers.open.push(Question::loading(lines, action).into());
    tui.screens.step.live.back.ask += 1;
    Effect::PlanUndo { deploy, ask: tui.screens.step.live.back.ask }
}

/// The interrupted deploy may be an undo: then the deploy that it undoes.
fn to_take_back(cut: &Cut) -> u64 {
    cut.takes_back.unwrap_or(cut.deploy)
}

/// The effects of an undo are known, or cannot be.
pub(super) fn on_undo_planned(tui: &mut Tui, deploy: u64, steps: Result<Vec<UndoStep>, String>) -> Vec<Effect> {
    let steps = match steps {
        Ok(steps) => steps,
        Err(why) => {
            let lines = vec![format!("What deploy {deploy} did cannot be read: {why}.")];
            answer(
                tui,
                |action| matches!(action, Action::RollBack | Action::UndoDeploy),
                &Question::report("Undo", lines),
            );
            return vec![];
        }
    };
    if deploys::on_undo_planned(&tui.screens.deploys, &mut tui.cx, deploy, &steps) {
        return vec![];
    }
    if is_back_already(&tui.screens.step, deploy, &steps) {
        tui.screens.step.live.put = None;
        tui.cx.layers.withdraw(|layer| layer.loads() == Some(Action::RollBack));
        let words = format!("nothing to undo: all changes of deploy {deploy} are already undone");
        log(tui, words.clone());
        tui.cx.show_notice(Role::Note, words);
        return vec![];
    }
    let Some(asked) = Asked::of(tui).filter(|asked| asked.deploy == deploy) else {
        tui.cx.layers.withdraw(|layer| layer.loads() == Some(Action::RollBack));
        return vec![];
    };
    let mut lines = question(tui, asked);
    write_undo_plan(deploy, &steps, &mut lines);
    // There is nothing to confirm, but the interrupted deploy is resolved all the same.
    let question = match !asked.is_cut && UndoSummary::of(&steps).is_idle() {
        true => Question::report("Undo", lines.split_off(1)),
        false => Question::yes(lines, Action::RollBack),
    };
    answer(tui, |action| action == Action::RollBack, &question);
    vec![]
}

/// The check is done: this layer replaces the one that showed it.
fn answer(tui: &mut Tui, is_it: impl Fn(Action) -> bool, with: &Question) {
    for layer in tui.cx.layers.all_mut() {
        if layer.loads().is_some_and(&is_it) {
            *layer = with.clone().into();
        }
    }
}

/// Whether another process undid the watched deploy while other rows are shown.
fn is_back_already(state: &step::State, deploy: u64, steps: &[UndoStep]) -> bool {
    let live = &state.live;
    let is_put = live.deploy.is_none() && live.cut.is_none();
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
fn question(tui: &Tui, asked: Asked) -> Vec<String> {
    let live = &tui.screens.step.live;
    let mut lines = vec![format!("Undo deploy {}?", asked.deploy)];
    if let Some(cut) = live.cut.as_ref().filter(|cut| asked.is_cut && cut.is_other) {
        lines.push(format!("  of {}", cut.entry));
    }
    if live.phase == Phase::Live && tui.screens.step.next_id().is_some() {
        lines.push("The deploy ends; the steps that are left are not run.".into());
    }
    lines
}

/// Undoes it, as confirmed.
pub fn take_back(tui: &mut Tui) -> Vec<Effect> {
    let Some(Asked { deploy, as_root, .. }) = Asked::of(tui) else { return vec![] };
    (tui.screens.step.live.as_root, tui.screens.step.live.has_asked) = (as_root, false);
    tui.cx.log_command(format!("workbench deploy undo {deploy}{}", by_sudo(as_root)));
    begin_back(tui, deploy, None)
}

/// Undoes it, as decided in the conflict question.
pub fn begin_back(tui: &mut Tui, deploy: u64, decided: Option<Decided>) -> Vec<Effect> {
    let state = &mut tui.screens.step;
    state.live.back.came_from = state.live.phase;
    if state.live.phase == Phase::Dry {
        state.live.left = Redo::of(state);
    }
    let mut effects = step::watch::hold(tui);
    let ended = events::end_own(&mut tui.screens.graph, &tui.screens.step, &mut tui.cx);
    let state = &mut tui.screens.step;
    state.live.back.was_followed = !ended.is_empty();
    effects.extend(ended);
    // Later events of the run are ignored.
    state.run += 1;
    (state.running, state.queue.stepping, state.queue.queued_steps) = (true, false, 0);
    state.list.rows.run.forget_next();
    (state.live.phase, state.live.shown.stops, state.live.back.far) = (Phase::TakingBack, 0, None);
    effects.push(Effect::TakeBack { deploy, decided, run: state.run, as_root: state.live.as_root });
    looks(tui, Looks::Back(deploy));
    effects
}

/// Reports what will be checked.
pub(super) fn looks(tui: &mut Tui, looks: Looks) {
    tui.screens.step.live.back.looks = Some(looks);
    tui.cx.show_notice(
        Role::Note,
        match looks {
            Looks::Back(deploy) => {
                format!("checking what to undo of deploy {deploy}; Esc cancels")
            }
            Looks::Resume(deploy) => format!("checking the interrupted deploy {deploy}; Esc cancels"),
        },
    );
}

/// The check has ended: removes the notice about it.
pub(super) fn looked(tui: &mut Tui) -> Option<Looks> {
    let looks = tui.screens.step.live.back.looks.take()?;
    tui.cx.take_back_note();
    Some(looks)
}

/// Cancels a check; `None` if there is none.
pub fn give_up(tui: &mut Tui) -> Option<Vec<Effect>> {
    tui.screens.step.live.back.looks?;
    tui.cx.show_notice(Role::Note, "cancelling…");
    Some(vec![Effect::GiveUp])
}

/// It was cancelled before anything was done.
pub(super) fn given_up(tui: &mut Tui) -> Vec<Effect> {
    let looked = looked(tui);
    let effects = as_before(tui, None);
    let words = match looked {
        Some(Looks::Back(deploy)) => format!("cancelled: nothing of deploy {deploy} was undone"),
        _ => "cancelled: nothing was undone".into(),
    };
    log(tui, words.clone());
    tui.cx.show_notice(Role::Note, words);
    effects
}

/// Nothing was done: restores the rows and the watch. `deploy` is the one to retry with, if the rows show a live run.
pub(in crate::tui::screen::step) fn as_before(tui: &mut Tui, deploy: Option<u64>) -> Vec<Effect> {
    let was_followed = std::mem::take(&mut tui.screens.step.live.back.was_followed);
    looked(tui);
    tui.screens.step.live.back.far = None;
    let mut effects = match tui.screens.step.live.back.came_from {
        Phase::Dry => back_to_dry(tui),
        _ => {
            let state = &mut tui.screens.step;
            (state.running, state.finished, state.shows.summary) = (false, true, true);
            state.live.phase = Phase::Over;
            state.live.deploy = deploy.or(state.live.deploy);
            vec![]
        }
    };
    effects.extend(step::watch::go_on(tui));
    if was_followed {
        effects.extend(events::follow_on(&mut tui.cx));
    }
    effects
}

/// An undo has completed this many of its operations.
pub(super) fn on_progress(tui: &mut Tui, done: usize, of: usize) -> Vec<Effect> {
    if let Some(Looks::Back(deploy)) = looked(tui) {
        let changes = if of == 1 { "change" } else { "changes" };
        tui.cx.show_notice(Role::Note, format!("undoing {of} {changes} of deploy {deploy}; Ctrl-C stops"));
    }
    let live = &mut tui.screens.step.live;
    if live.phase == Phase::TakingBack {
        live.back.far = Some(Far { done, of });
        jobs::progress(&mut tui.cx, Job::Run, done, of);
    }
    vec![]
}

/// The progress of an undo; `None` while none is running.
pub fn undoing(step: &Step) -> Option<String> {
    let live = &step.live;
    if live.phase != Phase::TakingBack {
        return None;
    }
    let Some(Far { done, of }) = live.back.far else {
        return Some(if live.back.looks.is_some() { "checking" } else { "undoing" }.into());
    };
    Some(format!("undoing {done}/{of}"))
}

/// Nothing was undone: the applied resources are watched again if they were before.
pub(super) fn refused(tui: &mut Tui, deploy: u64, why: Vec<String>) -> Vec<Effect> {
    let mut effects = as_before(tui, Some(deploy));
    effects.extend(not_taken_back(tui, why));
    effects
}

fn not_taken_back(tui: &mut Tui, lines: Vec<String>) -> Vec<Effect> {
    show_reason(tui, lines.join(" "));
    show_notice(tui, "Not undone", lines);
    // It may be detached or interrupted.
    vec![Effect::Inspect { as_root: tui.screens.step.live.as_root }]
}

fn show_notice(tui: &mut Tui, title: &'static str, lines: Vec<String>) {
    lines.iter().for_each(|line| log(tui, line.clone()));
    tui.cx.layers.open.push(Question::report(title, lines).into());
}

/// The undo has ended, or failed.
pub(super) fn on_undone(tui: &mut Tui, deploy: u64, result: Result<Vec<String>, Vec<String>>) -> Vec<Effect> {
    looked(tui);
    let state = &mut tui.screens.step;
    (state.running, state.finished, state.live.phase, state.live.back.far) = (false, true, Phase::Over, None);
    state.shows.summary = true;
    let mut effects = step::watch::end(tui);
    let live = &mut tui.screens.step.live;
    let was_followed = std::mem::take(&mut live.back.was_followed);
    match result {
        Ok(lines) => {
            (live.deploy, live.cut) = (None, None);
            live.put.take_if(|put| put.deploy == deploy);
            (live.shown.changed, live.shown.changed_ids) = Default::default();
            tui.cx.take_back_note();
            // The program was watched before: it is compiled again as it is now.
            tui.cx.programs.plans_next |= was_followed;
            effects.extend(if was_followed { tui.cx.recompile() } else { step::plan(tui) });
            show_notice(tui, "Undone", lines);
        }
        Err(lines) => {
            live.deploy = Some(deploy);
            effects.extend(not_taken_back(tui, lines));
        }
    }
    effects
}

/// What the first Ctrl-C asks of a running undo, and each later one.
pub(super) fn stopped_by(tui: &mut Tui, times: u8) -> Vec<Effect> {
    if let Some(effects) = give_up(tui) {
        return effects;
    }
    if times == 1 {
        tui.cx.show_notice(Role::Note, "stopping after this change; Ctrl-C again detaches");
        return vec![Effect::Send(Request::Stop)];
    }
    tui.cx.show_notice(Role::Warning, "detached: it finishes the current change, then waits");
    vec![Effect::LetGo]
}
