//! The applier's messages other than events of a run: that it started or why not, and what only root may do.

use super::{Cut, Refusal, Told, arm, back, back_to_dry, cut_off, log, say_why};
use crate::tui::effect::Effect;
use crate::tui::keymap::Action;
use crate::tui::layer::Layer;
use crate::tui::look::Role;
use crate::tui::screen::step::{self, breaks, conflict, mend};
use crate::tui::state::State as Tui;
use crate::tui::widget::text;

/// Handles a message of the applier.
pub fn told(tui: &mut Tui, told: Told) -> Vec<Effect> {
    match told {
        Told::Begun { run, .. }
        | Told::Refused { run, .. }
        | Told::NotAmended { run, .. }
        | Told::MayBeRoot { run, .. }
        | Told::TakesBack { run, .. }
            if run != tui.step.run =>
        {
            vec![]
        }
        Told::Foreseen { ask, .. } if ask != tui.step.live.ask => vec![],
        // It was looked at before this run, which changes what was seen.
        Told::CutOff(Cut { as_root: false, .. })
        | Told::Settled { as_root: false }
        | Told::NotKnown { as_root: false, .. }
            if tui.step.live.is_live() =>
        {
            vec![]
        }
        Told::NeedsRoot(needs_root) => {
            tui.step.live.needs_root = needs_root;
            vec![]
        }
        Told::Strangers(strangers) => {
            tui.step.live.strangers = strangers;
            vec![]
        }
        Told::Applied(was_applied) => {
            tui.step.live.is_first = !was_applied;
            vec![]
        }
        // The password is asked for on the terminal itself, once.
        Told::Refused { run, why: Refusal::Password } if !tui.step.live.has_asked => {
            tui.step.live.has_asked = true;
            vec![Effect::AskSudo { run }]
        }
        Told::MayBeRoot { result, .. } => may_be_root(tui, result),
        Told::BackWantsPassword { deploy } if tui.step.live.has_asked => {
            let why = "Not undone: sudo needs a password.".into();
            back::refused(tui, deploy, vec![why, format!("use sudo workbench deploy undo {deploy}")])
        }
        Told::BackWantsPassword { deploy } => {
            (tui.step.live.has_asked, tui.step.live.waits_for_root) = (true, Some(deploy));
            vec![Effect::AskSudo { run: tui.step.run }]
        }
        Told::Begun { run, deploy, first } => {
            let mut effects = begun(tui, deploy);
            effects.extend(first.into_iter().flat_map(|event| step::hear::told(tui, run, event)));
            effects
        }
        Told::Refused { why, .. } => refused(tui, why),
        Told::NotAmended { resource, why, .. } => {
            mend::not_amended(tui, resource, &why);
            vec![]
        }
        Told::Settled { as_root } => {
            cut_off::settled(tui, as_root);
            vec![]
        }
        Told::NotKnown { as_root, why } => {
            cut_off::not_known(tui, as_root, &why);
            vec![]
        }
        Told::CutOff(cut) => {
            // What waited was killed since, for it would have been found first.
            if !cut.as_root && tui.step.live.parked.is_some() {
                cut_off::withdraw(tui);
                tui.step.live.parked = None;
            }
            // It was reported before.
            if tui.step.live.cut.as_ref() == Some(&cut) {
                return vec![];
            }
            let whose = if cut.as_root { "root's " } else { "" };
            let words = match cut.is_other {
                true => {
                    format!(
                        "{whose}deploy {} of {} was interrupted: u on Plan undoes it",
                        cut.deploy,
                        text::safe(&cut.entry)
                    )
                }
                false => {
                    format!("{whose}deploy {} was interrupted: on Plan R resume, u undo, I inspect", cut.deploy)
                }
            };
            log(tui, words.clone());
            tui.say(Role::Warning, words);
            (tui.step.live.cut, tui.step.live.is_news) = (Some(cut), true);
            vec![]
        }
        Told::Conflict(conflict) => conflict::ask(tui, *conflict),
        Told::BackGivenUp => back::given_up(tui),
        Told::NotTakenBack { deploy, why } => back::refused(tui, deploy, why),
        Told::Foreseen { deploy, steps, .. } => back::foreseen(tui, deploy, steps),
        Told::TakesBack { done, of, .. } => back::goes_on(tui, done, of),
        Told::TakenBack { deploy, result } => back::taken_back(tui, deploy, result),
    }
}

/// A live run waits for its first request.
fn begun(tui: &mut Tui, deploy: u64) -> Vec<Effect> {
    let mended = tui.step.live.mending.goes_on_from();
    if mended.is_none() {
        tui.step.live.earlier = None;
    }
    tui.step.live.begun(deploy);
    let mut effects = step::watch::end(tui);
    effects.extend(breaks::renew(tui));
    if let Some(id) = mended {
        effects.extend(mend::begun(tui, id, deploy));
        return effects;
    }
    let words = format!("deploy {deploy} started: s step, c continue, Ctrl-C stop, u undo it");
    log(tui, words.clone());
    tui.say(Role::Warning, words);
    effects
}

/// `sudo` has answered: the run that needs root continues, or reports why not.
fn may_be_root(tui: &mut Tui, result: Result<(), String>) -> Vec<Effect> {
    let (back, run) = (tui.step.live.waits_for_root.take(), tui.step.run);
    let resumed = tui.step.live.resumed.clone().filter(|cut| cut.as_root);
    match (result, back, resumed) {
        (Ok(()), Some(deploy), _) => vec![Effect::TakeBack { deploy, decided: None, run, as_root: true }],
        (Ok(()), None, Some(cut)) => match tui.step.program.clone() {
            Some(program) => vec![Effect::Resume { program, cut, decided: None, run }],
            None => vec![],
        },
        (Ok(()), None, None) => arm::arm(tui),
        (Err(why), Some(deploy), _) => back::refused(tui, deploy, vec![why]),
        (Err(why), None, _) => refused(tui, Refusal::Other(vec![why])),
    }
}

fn refused(tui: &mut Tui, why: Refusal) -> Vec<Effect> {
    let was_root = tui.step.live.as_root;
    back::looked(tui);
    let effects = back_to_dry(tui);
    let mut told = |words: String| {
        log(tui, words.clone());
        say_why(tui, words);
    };
    match why {
        Refusal::Parked(standing) => {
            told(format!("not applied: {standing} is detached"));
            tui.step.live.parked = Some(*standing);
            cut_off::offer(tui);
        }
        Refusal::Held(holder) => {
            told(format!("not applied: another apply is running: {holder}"));
            let lines = vec![
                "Another apply is running; nothing was done.".into(),
                format!("  process {}, since {}", holder.pid, holder.since),
                format!("  {}", holder.command),
            ];
            let lines = lines.into_iter().chain(was_root.then(|| "To attach to it: sudo workbench attach".into()));
            let lines = lines.chain(["Retry?".into()]).collect();
            tui.layers.push(Layer::confirm(lines, Action::ArmAgain));
        }
        Refusal::Unfinished(cut) => {
            told(format!("not applied: deploy {} was interrupted and needs a decision", cut.deploy));
            tui.step.live.cut = Some(*cut);
            cut_off::offer(tui);
        }
        Refusal::Password => {
            let words = "sudo needs a password; use sudo workbench apply";
            told(format!("not applied: {words}"));
            tui.layers.push(Layer::Told { title: "Not applied".into(), lines: vec![words.into()] });
        }
        Refusal::Conflict(conflict) => drop(conflict::ask(tui, *conflict)),
        Refusal::GivenUp => {
            log(tui, "cancelled before the start: nothing was changed".into());
            tui.say(Role::Note, "cancelled: nothing was changed");
        }
        Refusal::Other(lines) => {
            told(format!("not applied: {}", lines.join(" ")));
            tui.layers.push(Layer::Told { title: "Not applied".into(), lines });
        }
    }
    effects
}
