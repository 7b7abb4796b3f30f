//! The only place where state changes. It does no work: work is returned as effects.
//!
//! Every message arrives here and is passed to its room. [`key`] interprets a key, [`layered`] handles the answer of a
//! layer, [`run`] runs an action of the table, and [`compile`] replaces the program of all screens. Then the parts that
//! depend on other state (layers' workers, the tutor) are updated.

mod compile;
pub mod key;
pub mod layered;
pub mod run;

use super::layer::{Layer, picker, turn};
use super::message::{Job, Message};
use super::screen::{ScreenId, code, deploys, graph, modules, step};
use super::{
    cx::Cx, effect::Effect, events, finder::Order, jobs, look::Role, mouse, presses, restore, screen::log::Source,
    settings, state::State, tutor, widget::text,
};
use crate::engine::message::Event;
use crate::session::history::resources;
use compile::{compile, compiled, files_changed};
use key::{on_key, pending_due};
use layered::on_paste;

/// The first effects, before any message.
pub fn begin(state: &mut State) -> Vec<Effect> {
    state.measure();
    let State { cx, screens } = &mut *state;
    cx.start(Job::Modules);
    cx.start(Job::History);
    if cx.saved.restores {
        cx.effect(Effect::Recall);
    }
    cx.effect(Effect::LoadModules);
    cx.effect(Effect::ListDeploys);
    cx.effect(Effect::Inspect { as_root: cx.project.is_sudo });
    if cx.project.can_apply {
        cx.effect(Effect::FollowSettings);
    }
    compile(cx);
    if let Some((guest, status)) = cx.saved.attaches.take() {
        step::detached::ask_for(&mut screens.step, cx, guest, status);
    }
    std::mem::take(&mut cx.typing.effects)
}

pub fn update(state: &mut State, message: Message) -> Vec<Effect> {
    state.measure();
    tutor::on_message(&mut state.cx, &message);
    let by_hand = matches!(message, Message::Key(_) | Message::Mouse(_));
    let before = state.cx.layers.open.len();
    let State { cx, screens } = &mut *state;
    if let Some(job) = message.ends() {
        cx.finish(job);
    }
    match message {
        Message::Key(key) if presses::drops(&screens.step, cx, key) => {}
        Message::Key(key) => on_key(state, key),
        Message::Paste(words) => on_paste(state, &words),
        Message::Mouse(event) => mouse::on_mouse(state, event),
        Message::Resize(width, height) => (cx.window.width, cx.window.height) = (width, height),
        Message::Ground { light } => {
            if let Some(theme) = cx.colors.by_ground.as_ref().map(|themes| themes[usize::from(light)].clone()) {
                cx.set_theme(theme, &mut screens.code);
            }
        }
        Message::Saved { path, result } => match result {
            Ok(()) => cx.show_notice(Role::Note, format!("saved {}", text::safe(&path.to_string_lossy()))),
            Err(why) => cx.show_notice(Role::Error, format!("{}: {why}", text::safe(&path.to_string_lossy()))),
        },
        Message::Theme(theme) => {
            cx.colors.by_ground = None;
            cx.show_notice(
                Role::Note,
                format!("Theme {0} (add theme = \"{0}\" to config.toml to keep it)", theme.name),
            );
            cx.set_theme(*theme, &mut screens.code);
        }
        Message::NoTheme(why) => cx.show_notice(Role::Warning, text::safe(&why)),
        Message::SettingsChanged => settings::changed(cx),
        Message::Settings(notice) => settings::on_notice(&mut screens.code, cx, notice),
        Message::PendingDue => pending_due(state),
        Message::Tick => {
            cx.ticks.spin = cx.ticks.spin.wrapping_add(1);
            jobs::beat(cx);
            return vec![];
        }
        Message::Modules(tree, fetched, seen) => {
            modules::loaded(&mut screens.modules, &mut screens.code, cx, tree, fetched, seen)
        }
        Message::Against { run, result } => step::against::compared(&mut screens.step, cx, run, result),
        Message::Compared { run, result } => {
            step::compared::on_compared(&mut screens.step, cx, run, result.map(|document| *document))
        }
        Message::Diffed(diff) => cx.compared.diffs.put(diff),
        Message::Found(notice) => picker::on_notice(cx, notice),
        Message::Recalled(saved) => restore::on_read(&mut screens.step, cx, saved),
        Message::Fetch(notice) => modules::fetch::on_notice(&mut screens.modules, cx, notice),
        Message::Deploys(notice) => deploys::on_notice(&mut screens.deploys, &screens.step, cx, notice),
        Message::Compiled { program, turn, took } => compiled(screens, cx, program, turn, took),
        Message::Drawn { picture, number } => graph::drawn(&mut screens.graph, cx, number, picture),
        Message::Exported(export, result) => graph::export::done(&screens.graph, cx, &export, result),
        Message::DeployExported { deploy, file, result } => deploys::export::done(cx, deploy, file, result),
        Message::Reopened(reopened) => step::saved::reopened(&mut screens.step, cx, reopened),
        Message::PlanOpened { file, result } => step::saved::opened(&mut screens.step, cx, &file, result),
        Message::Read { asked, path, name, text } => code::read(&mut screens.code, cx, &asked, path, name, text),
        Message::Readme { path, text } => modules::readme_read(&mut screens.modules, path, text),
        Message::Painted { name, path, paint } => code::painted(&mut screens.code, cx, name, path, paint),
        Message::LookedUp { name, spot, asked, here } => {
            // The cursor may have left that place.
            let is_there = code::is_at(state.front(), &state.screens.code, &name, spot);
            if is_there && state.cx.layers.open.is_empty() {
                let by_kind = || code::of_resource(state.front()).filter(|_| asked == code::Asked::Hover);
                let here = here.or_else(by_kind);
                code::looked_up(&mut state.cx, asked, here)
            }
        }
        Message::Planned { program, plan, turn, took } => {
            let words = format!("planned {} in {}", resources(plan.steps.len() as u64), text::duration(took));
            cx.report(Source::Work, words);
            // A live run keeps the confirmed plan.
            if screens.step.phase.is_live() {
                step::not_planned(&mut screens.step);
                return vec![];
            }
            step::planned(&mut screens.step, cx, program, plan, turn);
            screens.step.planned_in = Some(took);
            if turn != cx.programs.turn && cx.screen == ScreenId::Step && !cx.is_working(Job::Compile) {
                // The program was read again meanwhile, or another plan was requested while this one was being made.
                step::entered(&mut screens.step, cx);
            }
        }
        Message::Looked(news) => step::observe::on_observed(&mut screens.step, cx, *news),
        Message::Run { run, event } => {
            let pauses = matches!(event, Event::Paused { .. }) && run == state.screens.step.run;
            step::on_event(&mut state.screens.step, &mut state.cx, run, event);
            if pauses && !state.screens.step.is_running() {
                run::run_queued(state);
                if state.cx.events.is_on() {
                    // An event may have arrived meanwhile.
                    step::graph_differs(&mut state.screens.step, &mut state.cx);
                }
            }
        }
        Message::Live(notice) => {
            if !deploys::answers(&screens.deploys, &screens.step, cx, &notice) {
                step::live::on_notice(&mut screens.step, cx, notice);
            }
            if cx.screen == ScreenId::Deploys {
                deploys::entered(cx);
            }
        }
        Message::Detached(notice) => step::detached::on_notice(&mut screens.step, cx, notice),
        Message::Idle => step::live::leave(&mut screens.step, cx, "after 15 minutes without a key"),
        // The watch detects changes of its inputs itself.
        Message::FilesChanged(reads) if cx.events.watches(&reads) => {}
        Message::FilesChanged(_) => files_changed(cx),
        Message::Watched { run, news } => events::on_news(&mut screens.graph, &screens.step, cx, run, news),
        Message::Drift { run, drift } => step::watch::on_drift(&mut screens.step, cx, run, drift),
        Message::Outdated { run, found } => step::stale::on_outdated(&mut screens.step, cx, run, found),
        Message::Indexed { run, program } => events::indexed(&mut screens.graph, &screens.step, cx, run, program),
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
        Message::Cancelled(_) => {}
        Message::Failed { job, words } => {
            if job == Job::Plan {
                step::not_planned(&mut screens.step);
            }
            let words = format!("{}: {}", job.word(), text::safe(&words));
            cx.report(Source::Problem, words.clone());
            cx.show_notice(Role::Error, words)
        }
    }
    run::run_requested(state);
    let State { cx, screens } = &mut *state;
    if !by_hand {
        cx.layers.wait_their_turn(before);
    }
    turn::take_turns(&screens.step, cx);
    step::live::offer_once(&mut screens.step, cx);
    step::catch_up(&mut screens.step, cx);
    end_finding(cx);
    jobs::sync(&screens.step, cx);
    state.measure();
    state.screens.step.learned = step::learn(state.front());
    let State { cx, screens } = &mut *state;
    screens.log.catch_up(&cx.log);
    let (screen, beside) = screens.get_mut(cx.screen);
    screen.clamp(cx, beside);
    graph::pending_effects(&mut screens.graph, cx);
    deploys::pending_effects(&mut screens.deploys, cx);
    step::changes::pending_effects(cx);
    step::stale::pending_effects(&mut screens.step, cx);
    step::live::pending_effects(&mut screens.step, cx);
    step::saved::pending_effects(&mut screens.step, cx);
    tutor::look(state);
    state.cx.typing.presses.on_message(state.screens.step.is_running());
    state.cx.look.is_live = state.screens.step.phase.is_live();
    state.measure();
    std::mem::take(&mut state.cx.typing.effects)
}

/// The workers of a picker end with it.
fn end_finding(cx: &mut Cx) {
    let pick = cx.layers.open.iter().rev().find_map(|layer| match layer {
        Layer::Picker(picker) => Some(picker.pick),
        _ => None,
    });
    if std::mem::replace(&mut cx.layers.finding, pick).is_some() && pick.is_none() {
        cx.effect(Effect::Find(Order::End));
    }
}
