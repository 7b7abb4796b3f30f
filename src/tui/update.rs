//! The only place where state changes. It does no work: work is returned as effects.
//!
//! Every message arrives here and is passed to its room. [`key`] interprets a key, [`layered`] handles the answer of a
//! layer, [`run`] runs an action of the table, and [`compile`] replaces the program of all screens. Then the parts that
//! depend on other state (layers' workers, the tutor) are updated.

mod compile;
pub mod key;
pub mod layered;
pub mod run;

use super::effect::Effect;
use super::finder::Order;
use super::layer::{Layer, picker, turn};
use super::look::Role;
use super::message::{Job, Message};
use super::screen::log::Source;
use super::screen::{ScreenId, code, deploys, graph, modules, step};
use super::state::State;
use super::widget::text;
use super::{events, jobs, mouse, presses, restore, settings, tutor};
use crate::engine::message::Event;
use crate::session::history::resources;
use crate::tui::cx::Cx;
use compile::{compile, compiled, files_changed};
use key::{on_key, pending_due};
use layered::on_paste;

/// The first effects, before any message.
pub fn begin(state: &mut State) -> Vec<Effect> {
    state.measure();
    state.cx.start(Job::Modules);
    state.cx.start(Job::History);
    let mut effects =
        vec![Effect::LoadModules, Effect::ListDeploys, Effect::Inspect { as_root: state.cx.project.is_sudo }];
    if state.cx.saved.restores {
        effects.insert(0, Effect::Recall);
    }
    if state.cx.project.can_apply {
        effects.push(Effect::FollowSettings);
    }
    effects.extend(compile(&mut state.cx));
    if let Some((guest, status)) = state.cx.saved.attaches.take() {
        effects.extend(step::detached::ask_for(&mut state.screens.step, &mut state.cx, guest, status));
    }
    effects
}

pub fn update(state: &mut State, message: Message) -> Vec<Effect> {
    state.measure();
    tutor::on_message(&mut state.cx, &message);
    let by_hand = matches!(message, Message::Key(_) | Message::Mouse(_));
    let before = state.cx.layers.open.len();
    let State { cx, screens } = &mut *state;
    let mut effects = match message {
        Message::Key(key) if presses::drops(&screens.step, cx, key) => vec![],
        Message::Key(key) => on_key(state, key),
        Message::Paste(words) => on_paste(state, &words),
        Message::Mouse(event) => mouse::on_mouse(state, event),
        Message::Resize(width, height) => {
            (cx.window.width, cx.window.height) = (width, height);
            vec![]
        }
        Message::Ground { light } => {
            if let Some(theme) = cx.colors.by_ground.as_ref().map(|themes| themes[usize::from(light)].clone()) {
                cx.set_theme(theme, &mut screens.code);
            }
            vec![]
        }
        Message::Saved { path, result } => {
            cx.finish(Job::Read);
            match result {
                Ok(()) => cx.show_notice(Role::Note, format!("saved {}", text::safe(&path.to_string_lossy()))),
                Err(why) => cx.show_notice(Role::Error, format!("{}: {why}", text::safe(&path.to_string_lossy()))),
            }
            vec![]
        }
        Message::Theme(theme) => {
            cx.colors.by_ground = None;
            cx.show_notice(
                Role::Note,
                format!("Theme {0} (add theme = \"{0}\" to config.toml to keep it)", theme.name),
            );
            cx.set_theme(*theme, &mut screens.code);
            vec![]
        }
        Message::NoTheme(why) => cx.answer(Role::Warning, text::safe(&why)),
        Message::SettingsChanged => settings::changed(cx),
        Message::Settings(notice) => {
            settings::on_notice(&mut screens.code, cx, notice);
            vec![]
        }
        Message::PendingDue => pending_due(state),
        Message::Tick => {
            cx.ticks.spin = cx.ticks.spin.wrapping_add(1);
            jobs::beat(cx);
            return vec![];
        }
        Message::Modules(tree, fetched, seen) => {
            cx.finish(Job::Modules);
            modules::loaded(&mut screens.modules, &mut screens.code, cx, tree, fetched, seen)
        }
        Message::Against { run, result } => {
            cx.finish(Job::History);
            step::against::compared(&mut screens.step, cx, run, result);
            vec![]
        }
        Message::Compared { run, result } => {
            cx.finish(Job::Diff);
            step::compared::on_compared(&mut screens.step, cx, run, result.map(|document| *document))
        }
        Message::Diffed(diff) => {
            cx.finish(Job::Diff);
            cx.compared.diffs.put(diff);
            vec![]
        }
        Message::Found(notice) => picker::on_notice(cx, notice),
        Message::Recalled(saved) => restore::on_read(&mut screens.step, cx, saved),
        Message::Fetch(notice) => modules::fetch::on_notice(&mut screens.modules, cx, notice),
        Message::Deploys(notice) => deploys::on_notice(&mut screens.deploys, &screens.step, cx, notice),
        Message::Compiled { program, turn, took } => compiled(screens, cx, program, turn, took),
        Message::Drawn { picture, number } => {
            cx.finish(Job::Rails);
            graph::drawn(&mut screens.graph, cx, number, picture);
            vec![]
        }
        Message::Exported(export, result) => {
            cx.finish(Job::Export);
            graph::export::done(&screens.graph, cx, &export, result)
        }
        Message::DeployExported { deploy, file, result } => {
            deploys::export::done(cx, deploy, file, result);
            vec![]
        }
        Message::Reopened(reopened) => step::saved::reopened(&mut screens.step, cx, reopened),
        Message::PlanOpened { file, result } => step::saved::opened(&mut screens.step, cx, &file, result),
        Message::Read { asked, path, name, text } => {
            cx.finish(Job::Read);
            code::read(&mut screens.code, cx, &asked, path, name, text)
        }
        Message::Readme { path, text } => {
            cx.finish(Job::Read);
            modules::readme_read(&mut screens.modules, path, text);
            vec![]
        }
        Message::Painted { name, path, paint } => {
            cx.finish(Job::Paint);
            code::painted(&mut screens.code, cx, name, path, paint);
            vec![]
        }
        Message::LookedUp { name, spot, asked, here } => {
            state.cx.finish(Job::LookUp);
            // The cursor may have left that place.
            let is_there = code::is_at(state.front(), &state.screens.code, &name, spot);
            if is_there && state.cx.layers.open.is_empty() {
                let by_kind = || code::of_resource(state.front()).filter(|_| asked == code::Asked::Hover);
                let here = here.or_else(by_kind);
                code::looked_up(&mut state.cx, asked, here)
            } else {
                vec![]
            }
        }
        Message::Planned { program, plan, turn, took } => {
            cx.finish(Job::Plan);
            let words = format!("planned {} in {}", resources(plan.steps.len() as u64), text::duration(took));
            cx.report(Source::Work, words);
            // A live run keeps the confirmed plan.
            if screens.step.phase.is_live() {
                step::not_planned(&mut screens.step);
                return vec![];
            }
            let mut effects = step::planned(&mut screens.step, cx, program, plan, turn);
            screens.step.planned_in = Some(took);
            if turn != cx.programs.turn && cx.screen == ScreenId::Step && !cx.is_working(Job::Compile) {
                // The program was read again meanwhile, or another plan was requested while this one was being made.
                effects.extend(step::entered(&mut screens.step, cx));
            }
            effects
        }
        Message::Looked(news) => {
            cx.finish(Job::Plan);
            step::observe::on_observed(&mut screens.step, cx, *news)
        }
        Message::Run { run, event } => {
            let pauses = matches!(event, Event::Paused { .. }) && run == state.screens.step.run;
            let mut effects = step::on_event(&mut state.screens.step, &mut state.cx, run, event);
            if pauses && !state.screens.step.is_running() {
                effects.extend(run::run_queued(state));
                if state.cx.events.is_on() {
                    // An event may have arrived meanwhile.
                    effects.extend(step::graph_differs(&mut state.screens.step, &mut state.cx));
                }
            }
            effects
        }
        Message::Live(notice) => {
            let mut effects = match deploys::answers(&screens.deploys, &screens.step, cx, &notice) {
                true => vec![],
                false => step::live::on_notice(&mut screens.step, cx, notice),
            };
            if cx.screen == ScreenId::Deploys {
                effects.extend(deploys::entered(cx));
            }
            effects
        }
        Message::Detached(notice) => step::detached::on_notice(&mut screens.step, cx, notice),
        Message::Idle => step::live::leave(&mut screens.step, cx, "after 15 minutes without a key"),
        // The watch detects changes of its inputs itself.
        Message::FilesChanged(reads) if cx.events.watches(&reads) => vec![],
        Message::FilesChanged(_) => files_changed(cx),
        Message::Watched { run, news } => events::on_news(&mut screens.graph, &screens.step, cx, run, news),
        Message::Drift { run, drift } => step::watch::on_drift(&mut screens.step, cx, run, drift),
        Message::Outdated { run, found } => {
            step::stale::on_outdated(&mut screens.step, cx, run, found);
            vec![]
        }
        Message::Indexed { run, program } => {
            cx.finish(Job::Index);
            events::indexed(&mut screens.graph, &screens.step, cx, run, program)
        }
        Message::Edited(result) => {
            if let Err(words) = result {
                cx.show_notice(Role::Error, words);
            }
            step::redo::edited(&mut screens.step, cx);
            step::edit_retry::edited(&mut screens.step, cx);
            compile(cx)
        }
        Message::Progress { job, done, of } => {
            jobs::progress(cx, job, done, of);
            return vec![];
        }
        Message::Cancelled(job) => {
            cx.finish(job);
            vec![]
        }
        Message::Failed { job, words } => {
            cx.finish(job);
            if job == Job::Plan {
                step::not_planned(&mut screens.step);
            }
            let words = format!("{}: {}", job.word(), text::safe(&words));
            cx.report(Source::Problem, words.clone());
            cx.answer(Role::Error, words)
        }
    };
    effects.extend(run::run_requested(state));
    let State { cx, screens } = &mut *state;
    if !by_hand {
        cx.layers.wait_their_turn(before);
    }
    turn::take_turns(&screens.step, cx);
    step::live::offer_once(&mut screens.step, cx);
    effects.extend(step::catch_up(&mut screens.step, cx));
    end_finding(cx, &mut effects);
    jobs::sync(&screens.step, cx);
    state.measure();
    state.screens.step.learned = step::learn(state.front());
    let State { cx, screens } = &mut *state;
    screens.log.catch_up(&cx.log);
    let (screen, beside) = screens.get_mut(cx.screen);
    screen.clamp(cx, beside);
    effects.extend(graph::pending_effects(&mut screens.graph, cx));
    effects.extend(deploys::pending_effects(&mut screens.deploys, cx));
    effects.extend(step::changes::pending_effects(cx));
    effects.extend(step::stale::pending_effects(&mut screens.step, cx));
    effects.extend(step::live::pending_effects(&mut screens.step, cx));
    effects.extend(step::saved::pending_effects(&mut screens.step, cx));
    tutor::look(state);
    state.cx.typing.presses.on_message(state.screens.step.is_running());
    state.cx.look.is_live = state.screens.step.phase.is_live();
    state.measure();
    effects
}

/// The workers of a picker end with it.
fn end_finding(cx: &mut Cx, effects: &mut Vec<Effect>) {
    let pick = cx.layers.open.iter().rev().find_map(|layer| match layer {
        Layer::Picker(picker) => Some(picker.pick),
        _ => None,
    });
    if std::mem::replace(&mut cx.layers.finding, pick).is_some() && pick.is_none() {
        effects.push(Effect::Find(Order::End));
    }
}
