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
use super::events;
use super::finder::Order;
use super::jobs;
use super::layer::{Layer, picker, turn};
use super::look::Role;
use super::message::{Job, Message};
use super::mouse;
use super::presses;
use super::restore;
use super::screen::log::Source;
use super::screen::{self, ScreenId, code, deploys, graph, modules, step};
use super::settings;
use super::state::State;
use super::tutor;
use super::widget::text;
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
    if let Some((guest, standing)) = state.cx.saved.attaches.take() {
        effects.extend(step::detached::ask_for(&mut state.screens.step, &mut state.cx, guest, standing));
    }
    effects
}

/// Handles one message.
pub fn update(state: &mut State, message: Message) -> Vec<Effect> {
    state.measure();
    tutor::on_message(&mut state.cx, &message);
    let by_hand = matches!(message, Message::Key(_) | Message::Mouse(_));
    let before = state.cx.layers.open.len();
    let mut effects = match message {
        Message::Key(key) if presses::drops(&state.screens.step, &mut state.cx, key) => vec![],
        Message::Key(key) => on_key(state, key),
        Message::Paste(words) => on_paste(state, &words),
        Message::Mouse(event) => mouse::on_mouse(state, event),
        Message::Resize(width, height) => {
            (state.cx.window.width, state.cx.window.height) = (width, height);
            vec![]
        }
        Message::Ground { light } => {
            if let Some(theme) = state.cx.colors.by_ground.as_ref().map(|themes| themes[usize::from(light)].clone()) {
                state.cx.set_theme(theme, &mut state.screens.code);
            }
            vec![]
        }
        Message::Saved { path, result } => {
            state.cx.finish(Job::Read);
            match result {
                Ok(()) => state.cx.show_notice(Role::Note, format!("saved {}", text::safe(&path.to_string_lossy()))),
                Err(why) => {
                    state.cx.show_notice(Role::Error, format!("{}: {why}", text::safe(&path.to_string_lossy())))
                }
            }
            vec![]
        }
        Message::Theme(theme) => {
            state.cx.colors.by_ground = None;
            state.cx.show_notice(
                Role::Note,
                format!("Theme {0} (add theme = \"{0}\" to config.toml to keep it)", theme.name),
            );
            state.cx.set_theme(*theme, &mut state.screens.code);
            vec![]
        }
        Message::NoTheme(why) => {
            state.cx.show_notice(Role::Warning, text::safe(&why));
            vec![]
        }
        Message::SettingsChanged => settings::changed(&state.cx),
        Message::Settings(notice) => {
            settings::on_notice(&mut state.screens.code, &mut state.cx, notice);
            vec![]
        }
        Message::PendingDue => pending_due(state),
        Message::Tick => {
            state.cx.ticks.spin = state.cx.ticks.spin.wrapping_add(1);
            jobs::beat(&mut state.cx);
            return vec![];
        }
        Message::Modules(tree, fetched, seen) => {
            state.cx.finish(Job::Modules);
            modules::loaded(&mut state.screens.modules, &mut state.screens.code, &mut state.cx, tree, fetched, seen)
        }
        Message::Against { run, result } => {
            state.cx.finish(Job::History);
            step::against::compared(&mut state.screens.step, &mut state.cx, run, result);
            vec![]
        }
        Message::Compared { run, result } => {
            state.cx.finish(Job::Diff);
            step::compared::on_compared(&mut state.screens.step, &mut state.cx, run, result.map(|document| *document))
        }
        Message::Diffed(diff) => {
            state.cx.finish(Job::Diff);
            state.cx.compared.diffs.put(diff);
            vec![]
        }
        Message::Found(notice) => picker::on_notice(&mut state.cx, notice),
        Message::Recalled(saved) => restore::on_read(&mut state.screens.step, &mut state.cx, saved),
        Message::Fetch(notice) => modules::fetch::on_notice(&mut state.screens.modules, &mut state.cx, notice),
        Message::Deploys(notice) => {
            deploys::on_notice(&mut state.screens.deploys, &state.screens.step, &mut state.cx, notice)
        }
        Message::Compiled { program, turn, took } => compiled(
            &mut state.screens.graph,
            &mut state.screens.code,
            &mut state.screens.step,
            &mut state.cx,
            program,
            turn,
            took,
        ),
        Message::Drawn { picture, number } => {
            state.cx.finish(Job::Rails);
            graph::drawn(&mut state.screens.graph, &mut state.cx, number, picture);
            vec![]
        }
        Message::Exported(export, result) => {
            state.cx.finish(Job::Export);
            graph::export::done(&state.screens.graph, &mut state.cx, &export, result)
        }
        Message::DeployExported { deploy, file, result } => {
            deploys::export::done(&mut state.cx, deploy, file, result);
            vec![]
        }
        Message::Reopened(reopened) => step::saved::reopened(&mut state.screens.step, &mut state.cx, reopened),
        Message::PlanOpened { file, result } => {
            step::saved::opened(&mut state.screens.step, &mut state.cx, &file, result)
        }
        Message::Read { asked, path, name, text } => {
            state.cx.finish(Job::Read);
            code::read(&mut state.screens.code, &mut state.cx, &asked, path, name, text)
        }
        Message::Readme { path, text } => {
            state.cx.finish(Job::Read);
            modules::readme_read(&mut state.screens.modules, path, text);
            vec![]
        }
        Message::Painted { name, path, paint } => {
            state.cx.finish(Job::Paint);
            code::painted(&mut state.screens.code, &state.cx, name, path, paint);
            vec![]
        }
        Message::LookedUp { name, spot, asked, here } => {
            state.cx.finish(Job::LookUp);
            // The cursor may have left that place.
            let is_there = code::is_at(state.front(), &state.screens.code, &name, spot);
            if is_there && state.cx.layers.open.is_empty() {
                let by_kind = || code::of_resource(state.front()).filter(|_| asked == code::Asked::Hover);
                let here = here.or_else(by_kind);
                let State { cx, screens } = state;
                code::looked_up(&screens.graph, &mut screens.code, cx, asked, here)
            } else {
                vec![]
            }
        }
        Message::Planned { program, plan, turn, took } => {
            state.cx.finish(Job::Plan);
            let words = format!("planned {} in {}", resources(plan.steps.len() as u64), text::duration(took));
            state.cx.report(Source::Work, words);
            // A live run keeps the confirmed plan.
            if state.screens.step.phase.is_live() {
                step::not_planned(&mut state.screens.step);
                return vec![];
            }
            let mut effects = step::planned(&mut state.screens.step, &mut state.cx, program, plan, turn);
            state.screens.step.planned_in = Some(took);
            if turn != state.cx.programs.turn && state.cx.screen == ScreenId::Step && !state.cx.is_working(Job::Compile)
            {
                // The program was read again meanwhile, or another plan was requested while this one was being made.
                effects.extend(step::entered(&mut state.screens.step, &mut state.cx));
            }
            effects
        }
        Message::Looked(news) => {
            state.cx.finish(Job::Plan);
            step::observe::on_observed(&mut state.screens.step, &mut state.cx, *news)
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
            let mut effects =
                match deploys::answers(&state.screens.deploys, &state.screens.step, &mut state.cx, &notice) {
                    true => vec![],
                    false => step::live::on_notice(&mut state.screens.step, &mut state.cx, notice),
                };
            if state.cx.screen == ScreenId::Deploys {
                effects.extend(deploys::entered(&mut state.cx));
            }
            effects
        }
        Message::Detached(notice) => step::detached::on_notice(&mut state.screens.step, &mut state.cx, notice),
        Message::Idle => step::live::leave(&mut state.screens.step, &mut state.cx, "after 15 minutes without a key"),
        // The watch detects changes of its inputs itself.
        Message::FilesChanged(reads) if state.cx.events.watches(&reads) => vec![],
        Message::FilesChanged(_) => files_changed(&mut state.cx),
        Message::Watched { run, news } => {
            events::on_news(&mut state.screens.graph, &state.screens.step, &mut state.cx, run, news)
        }
        Message::Drift { run, drift } => step::watch::on_drift(&mut state.screens.step, &mut state.cx, run, drift),
        Message::Outdated { run, found } => {
            step::stale::on_outdated(&mut state.screens.step, &mut state.cx, run, found);
            vec![]
        }
        Message::Indexed { run, program } => {
            state.cx.finish(Job::Index);
            events::indexed(&mut state.screens.graph, &state.screens.step, &mut state.cx, run, program)
        }
        Message::Edited(result) => {
            if let Err(words) = result {
                state.cx.show_notice(Role::Error, words);
            }
            step::redo::edited(&mut state.screens.step, &mut state.cx);
            step::edit_retry::edited(&mut state.screens.step, &mut state.cx);
            compile(&mut state.cx)
        }
        Message::Progress { job, done, of } => {
            jobs::progress(&mut state.cx, job, done, of);
            return vec![];
        }
        Message::Cancelled(job) => {
            state.cx.finish(job);
            vec![]
        }
        Message::Failed { job, words } => {
            state.cx.finish(job);
            if job == Job::Plan {
                step::not_planned(&mut state.screens.step);
            }
            let words = format!("{}: {}", job.word(), text::safe(&words));
            state.cx.report(Source::Problem, words.clone());
            state.cx.show_notice(Role::Error, words);
            vec![]
        }
    };
    effects.extend(run::run_requested(state));
    if !by_hand {
        state.cx.layers.wait_their_turn(before);
    }
    turn::take_turns(&state.screens.step, &mut state.cx);
    step::live::offer_once(&mut state.screens.step, &mut state.cx);
    effects.extend(step::catch_up(&mut state.screens.step, &mut state.cx));
    end_finding(&mut state.cx, &mut effects);
    jobs::sync(&state.screens.step, &mut state.cx);
    state.measure();
    state.screens.step.learned = step::learn(state.front());
    screen::clamp(state);
    effects.extend(graph::due(&mut state.screens.graph, &mut state.cx));
    effects.extend(deploys::due(&mut state.screens.deploys, &mut state.cx));
    effects.extend(step::changes::due(&mut state.cx));
    effects.extend(step::stale::due(&mut state.screens.step, &mut state.cx));
    effects.extend(step::live::due(&mut state.screens.step, &mut state.cx));
    effects.extend(step::saved::due(&mut state.screens.step, &mut state.cx));
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
