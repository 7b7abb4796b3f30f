//! The only place where state changes. It does no work: work leaves as effects.

use std::sync::Arc;
use std::time::Duration;

use crossterm::event::KeyCode;

use super::command;
use super::copying;
use super::effect::Effect;
use super::finder::Order;
use super::jobs;
use super::jumps;
use super::keymap::{Action, Entry, Found, TABLE};
use super::keys::Key;
use super::layer::breaks::Asked;
use super::layer::command::CommandLine;
use super::layer::line::Purpose;
use super::layer::palette::Palette;
use super::layer::{self, Heard, Layer, picker};
use super::look::Role;
use super::message::{Job, Message};
use super::mouse;
use super::panes;
use super::parity::{self, Same};
use super::program::Program;
use super::restore;
use super::screen::deploys::cluster::Flags;
use super::screen::log::Source;
use super::screen::{self, Pane, ScreenId, code, deploys, events, graph, modules, step};
use super::state::{Pending, State};
use super::tutor;
use super::undo;
use super::widget::list::Move;
use super::widget::text;
use crate::graph::ResourceId;

/// What is to be done before anything was asked for.
pub fn begin(state: &mut State) -> Vec<Effect> {
    state.start(Job::Modules);
    let mut effects = vec![Effect::LoadModules, Effect::LookBack { as_root: state.is_sudo }];
    if state.restores {
        effects.insert(0, Effect::Recall);
    }
    effects.extend(compile(state));
    if state.events.record.is_some() {
        state.screen = ScreenId::Graph;
        effects.extend(events::start(state));
    }
    if let Some(guest) = state.attaches.take() {
        effects.extend(step::parked::attach(state, guest));
    }
    effects
}

/// Takes in one message.
pub fn update(state: &mut State, message: Message) -> Vec<Effect> {
    tutor::hear(state, &message);
    let by_hand = matches!(message, Message::Key(_) | Message::Mouse(_));
    let mut effects = match message {
        Message::Key(key) => on_key(state, key),
        Message::Paste(words) => on_paste(state, &words),
        Message::Mouse(event) => mouse::on_mouse(state, event),
        Message::Resize(width, height) => {
            (state.width, state.height) = (width, height);
            vec![]
        }
        Message::Ground { light } => {
            if let Some(theme) = state.by_ground.as_ref().map(|themes| themes[usize::from(light)].clone()) {
                state.wear(theme);
            }
            vec![]
        }
        Message::Saved { path, result } => {
            state.finish(Job::Read);
            match result {
                Ok(()) => state.say(Role::Note, format!("saved {}", text::safe(&path.to_string_lossy()))),
                Err(why) => state.say(Role::Error, format!("{}: {why}", text::safe(&path.to_string_lossy()))),
            }
            vec![]
        }
        Message::Theme(theme) => {
            state.by_ground = None;
            state.say(Role::Note, format!("theme {0}; `theme = \"{0}\"` in config.toml keeps it", theme.name));
            state.wear(*theme);
            vec![]
        }
        Message::PendingDue => pending_due(state),
        Message::Tick => {
            state.spin = state.spin.wrapping_add(1);
            jobs::beat(state);
            return vec![];
        }
        Message::Modules(tree, fetched, seen) => {
            state.finish(Job::Modules);
            modules::loaded(state, tree, fetched, seen)
        }
        Message::Against { run, result } => {
            state.finish(Job::History);
            step::against::compared(state, run, result);
            vec![]
        }
        Message::Diffed(diff) => {
            state.finish(Job::Diff);
            state.diffs.put(diff);
            vec![]
        }
        Message::Found(told) => picker::told(state, told),
        Message::Recalled(kept) => restore::came(state, kept),
        Message::Archives(told) => step::archives::told(state, told),
        Message::Fetch(told) => modules::fetch::told(state, told),
        Message::Deploys(told) => deploys::heard(state, told),
        Message::Cluster(at, told) => deploys::cluster::told(state, at, told),
        Message::Compiled { program, turn, took } => compiled(state, program, turn, took),
        Message::Drawn { picture, number } => {
            state.finish(Job::Rails);
            graph::drawn(state, number, picture);
            vec![]
        }
        Message::Exported(export, result) => {
            state.finish(Job::Export);
            graph::export::done(state, &export, result)
        }
        Message::Read { asked, path, name, text } => {
            state.finish(Job::Read);
            code::read(state, &asked, path, name, text)
        }
        Message::Readme { path, text } => {
            state.finish(Job::Read);
            modules::readme_read(state, path, text);
            vec![]
        }
        Message::Painted { name, path, paint } => {
            state.finish(Job::Paint);
            code::painted(state, name, path, paint);
            vec![]
        }
        Message::LookedUp { name, spot, asked, here } => {
            state.finish(Job::LookUp);
            code::looked_up(state, &name, spot, asked, here)
        }
        Message::Planned { program, plan, turn, took } => {
            state.finish(Job::Plan);
            let words = format!("planned {} resources in {}", plan.steps.len(), duration(took));
            log(state, Source::Work, words);
            // A live run goes on with the plan that was agreed to.
            if state.step.live.is_live() { vec![] } else { step::planned(state, program, plan, turn) }
        }
        Message::Run { run, event } => step::told(state, run, event),
        Message::Replayed(past) => {
            state.finish(Job::History);
            step::past::begin(state, past)
        }
        Message::Live(told) => {
            let mut effects = step::live::told(state, told);
            if state.screen == ScreenId::Deploys {
                effects.extend(deploys::entered(state));
            }
            effects
        }
        Message::Parked(told) => step::parked::told(state, told),
        Message::Idle => step::live::leave(state, "after 15 minutes without a key"),
        // The watch hears of its inputs itself.
        Message::FilesChanged(reads) if state.events.hears_of(&reads) => vec![],
        Message::FilesChanged(_) => files_changed(state),
        Message::Watched { run, time, news } => events::told(state, run, time, news),
        Message::Indexed { run, program } => {
            state.finish(Job::Index);
            events::indexed(state, run, program)
        }
        Message::Edited(result) => {
            if let Err(words) = result {
                state.say(Role::Error, words);
            }
            step::redo::edited(state);
            step::mend::edited(state);
            compile(state)
        }
        Message::Progress { job, done, of } => {
            jobs::progress(state, job, done, of);
            return vec![];
        }
        Message::Cancelled(job) => {
            state.finish(job);
            vec![]
        }
        Message::Failed { job, words } => {
            state.finish(job);
            if job == Job::Cluster {
                deploys::cluster::failed(state);
            }
            let words = format!("{}: {}", job.word(), text::safe(&words));
            log(state, Source::Problem, words.clone());
            state.say(Role::Error, words);
            vec![]
        }
    };
    end_finding(state, &mut effects);
    undo::look(state, by_hand);
    jobs::settle(state);
    restore::settle(state);
    screen::settle(state);
    effects.extend(graph::due(state));
    effects.extend(step::changes::due(state));
    tutor::look(state);
    effects
}

/// The workers of a picker end with it.
fn end_finding(state: &mut State, effects: &mut Vec<Effect>) {
    let pick = state.layers.iter().rev().find_map(|layer| match layer {
        Layer::Picker(picker) => Some(picker.pick),
        _ => None,
    });
    if std::mem::replace(&mut state.finding, pick).is_some() && pick.is_none() {
        effects.push(Effect::Find(Order::End));
    }
}

/// Starts compiling; an older compilation's result will be dropped.
fn compile(state: &mut State) -> Vec<Effect> {
    log_command(state, format!("workbench check {}", state.entry));
    recompile(state)
}

/// The files changed under our feet: all is read again, and what is on show stays until there is better.
fn files_changed(state: &mut State) -> Vec<Effect> {
    log(state, Source::Work, "files changed on disk: reading them again".into());
    state.start(Job::Modules);
    let mut effects = recompile(state);
    effects.push(Effect::LoadModules);
    effects
}

/// The same, without being asked to.
pub fn recompile(state: &mut State) -> Vec<Effect> {
    state.turn += 1;
    state.start(Job::Compile);
    vec![Effect::Compile { turn: state.turn }]
}

fn compiled(state: &mut State, program: Arc<Program>, turn: u64, took: Duration) -> Vec<Effect> {
    state.finish(Job::Compile);
    if turn != state.turn {
        return vec![];
    }
    let old = state.graphed().cloned();
    let words = match (program.tally.errors, program.tally.warnings) {
        (0, 0) => format!("compiled {} resources in {}", program.graph.len(), duration(took)),
        (_, 0) => format!("compiled in {}: {}", duration(took), program.tally.errors_in_words()),
        (_, warnings) => {
            let errors = program.tally.errors_in_words();
            format!(
                "compiled in {}: {errors}, {warnings} warning{}",
                duration(took),
                if warnings == 1 { "" } else { "s" }
            )
        }
    };
    log(state, Source::Work, words);
    if !program.has_errors() {
        state.good = Some(program.clone());
    }
    state.program = Some(program);
    state.took = Some(took);
    let mut effects = code::compiled(state);
    if state.events.program().is_none() {
        effects.extend(graph::replaced(state, old.as_deref()));
    }
    step::mend::compiled(state);
    let is_edited = state.step.is_to_redo() && !state.events.is_on();
    if std::mem::take(&mut state.plans_next) || is_edited {
        effects.extend(step::plan(state));
    } else if state.screen == ScreenId::Step {
        effects.extend(step::entered(state));
    }
    effects
}

pub fn duration(took: Duration) -> String {
    match took.as_millis() {
        0 => "<1ms".into(),
        ms @ 1..1000 => format!("{ms}ms"),
        ms => format!("{}.{}s", ms / 1000, ms % 1000 / 100),
    }
}

pub fn log(state: &mut State, source: Source, words: String) {
    let now = state.now.clone();
    state.log.push(&now, source, words);
}

/// Logs the command that does the same as what the user just did.
pub fn log_command(state: &mut State, command: String) {
    log(state, Source::Command, command);
}

fn on_key(state: &mut State, key: Key) -> Vec<Effect> {
    state.notice = None;
    restore::touched(state);
    if let Some(mut top) = state.layers.pop() {
        let heard = layer::hear(&mut top, key, state);
        return on_heard(state, top, heard, key);
    }
    // A digit may begin a count where verbs take one, and where lines are numbered for counts; elsewhere it is a screen
    // at once, unless no screen has that number.
    let counts = match state.screen {
        ScreenId::Step => true,
        ScreenId::Code => state.code.counts_from_cursor,
        _ => false,
    };
    if let Some(digit) = key.digit().filter(|_| state.pending.keys.is_empty()).filter(|digit| {
        let begins = *digit > 0 && (counts || screen_of(state, *digit).is_none());
        state.pending.count.is_some() || begins
    }) {
        let count = state.pending.count.unwrap_or(0) * 10 + digit;
        state.pending.count = Some(count.min(9_999));
        return vec![];
    }
    if let Some(count) = state.pending.count.filter(|_| state.pending.keys.is_empty() && !is_counted(state, key)) {
        return uncounted(state, count, key);
    }
    state.pending.keys.push(key);
    state.pending.popup = false;
    match state.keymap.find(state.screen, &state.pending.keys) {
        Found::Action(entry) => {
            let count = std::mem::take(&mut state.pending).count;
            run(state, entry, count.unwrap_or(1) as usize)
        }
        Found::Prefix => vec![],
        Found::Nothing => {
            state.pending = Pending::default();
            vec![]
        }
    }
}

/// Whether a key, heard now, moves the cursor of the pane with the focus and does nothing else.
pub fn is_move(state: &State, key: Key) -> bool {
    let is_alone = state.layers.is_empty() && state.pending == Pending::default() && state.notice.is_none();
    let found = state.keymap.find(state.screen, &[key]);
    is_alone && matches!(found, Found::Action(entry) if matches!(entry.action, Action::Go(_)))
}

/// Whether a key is an action that takes a count.
fn is_counted(state: &State, key: Key) -> bool {
    matches!(state.keymap.find(state.screen, &[key]), Found::Action(entry) if entry.takes_count())
}

/// A number stands before a key that takes none: a digit alone was a screen, and the key is heard there.
fn uncounted(state: &mut State, count: u32, key: Key) -> Vec<Effect> {
    state.pending = Pending::default();
    let Some(screen) = screen_of(state, count) else {
        if !matches!(key.code, KeyCode::Esc) {
            state.say(Role::Note, format!("{count}: what follows a number is a step or a move; nothing was done"));
        }
        return vec![];
    };
    let mut effects = run(state, screen, 1);
    effects.extend(on_key(state, key));
    effects
}

/// The screen that a digit stands for.
fn screen_of(state: &State, count: u32) -> Option<&'static Entry> {
    match state.keymap.find(state.screen, &[Key::char(char::from_digit(count, 10)?)]) {
        Found::Action(entry) => Some(entry),
        _ => None,
    }
}

/// A prefix waits: its popup is shown. A lone digit waits: it meant the screen.
fn pending_due(state: &mut State) -> Vec<Effect> {
    if !state.pending.keys.is_empty() {
        state.pending.popup = true;
        return vec![];
    }
    let Some(count) = state.pending.count.take() else { return vec![] };
    screen_of(state, count).map_or_else(Vec::new, |entry| run(state, entry, 1))
}

pub(super) fn on_heard(state: &mut State, top: Layer, heard: Heard, key: Key) -> Vec<Effect> {
    match (heard, top) {
        (Heard::Stay, Layer::Picker(mut picker)) => {
            let effects = picker.wishes(state);
            state.layers.push(Layer::Picker(picker));
            effects
        }
        (Heard::Stay, top) => {
            state.layers.push(top);
            vec![]
        }
        (Heard::Words, top) => {
            if let Layer::Prompt { words, .. } = &top {
                screen::filter(state, words);
            }
            state.layers.push(top);
            vec![]
        }
        (Heard::Revert, Layer::Prompt { before, .. }) => {
            screen::filter(state, &before);
            vec![]
        }
        (Heard::Through, _) => on_key(state, key),
        (Heard::Chosen, Layer::Login(form)) => {
            modules::fetch::answered(state, &form);
            vec![form.answered()]
        }
        (Heard::Revert, Layer::Login(form)) => vec![form.refused()],
        (Heard::Chosen, Layer::Picker(picker)) => match picker.selected() {
            Some(item) => jumps::go_to_target(state, item.target.clone()),
            None => vec![],
        },
        (Heard::Chosen, Layer::Command(line)) => command::run(state, &line.line),
        (Heard::Chosen | Heard::Otherwise, Layer::Line(line)) => match line.purpose {
            Purpose::SaveGraph => graph::export::named(state, line.words.trim(), heard == Heard::Otherwise),
            Purpose::Breakpoint(at) => step::breaks::typed(state, at, line.words.trim()),
        },
        (Heard::Breaks(asked), top) => {
            state.layers.push(top);
            match asked {
                Asked::Add => step::breaks::ask(state, None),
                Asked::Edit(at) => step::breaks::ask(state, Some(at)),
                Asked::Switch(at) => return step::breaks::switch(state, at),
                Asked::Remove(at) => return step::breaks::remove(state, at),
                Asked::Mode => return step::breaks::next_mode(state),
            }
            vec![]
        }
        (Heard::Copy(words), top) => {
            state.layers.push(top);
            copying::copy(state, words.replace("ENTRY", &state.entry))
        }
        (Heard::Cancel(job), top) => {
            state.layers.push(top);
            jobs::cancel(state, job)
        }
        (Heard::Decided(on_conflict), Layer::Conflict(question)) => {
            step::conflict::decided(state, question.conflict, on_conflict)
        }
        (Heard::Close | Heard::Revert | Heard::Chosen | Heard::Otherwise | Heard::Decided(_), _) => vec![],
        // What was confirmed is not asked again.
        (Heard::Run(Action::Mend), Layer::Confirm { .. }) => step::mend::agreed(state),
        (Heard::Run(Action::LeaveOut), Layer::Confirm { .. }) => step::leave::agreed(state),
        (Heard::Run(Action::Approve), Layer::Confirm { .. }) => modules::fetch::approve(state),
        (Heard::Run(Action::AllowOnce), Layer::Choose { .. }) => modules::fetch::allow_once(state),
        (Heard::Run(Action::AddImport), Layer::Words { typed, .. }) => modules::change::plan_import(&typed),
        (Heard::Run(Action::AddImport), Layer::Confirm { .. }) => modules::change::add(state),
        (Heard::Run(Action::PruneModules), Layer::Confirm { .. }) => modules::change::prune(state),
        (Heard::Run(Action::UndoDeploy), Layer::Confirm { .. }) => deploys::take_back(state),
        (Heard::Run(Action::Push), Layer::Typed { .. }) => deploys::cluster::push(state),
        (Heard::Run(Action::PushNoGit), Layer::Choose { .. }) => {
            deploys::cluster::preview_with_help(state, Flags { no_git: true, force: false })
        }
        (Heard::Run(Action::PushForced), Layer::Choose { .. }) => {
            deploys::cluster::preview_with_help(state, Flags { no_git: false, force: true })
        }
        (Heard::Run(Action::Arm), Layer::Typed { other, typed, .. }) => {
            step::live::begin(state, other.is_some_and(|other| other == typed))
        }
        (Heard::Run(action @ (Action::Skip | Action::RollBack | Action::Quit)), Layer::Confirm { .. }) => {
            step::agreed(state, action)
        }
        (Heard::Run(action), _) => match TABLE.iter().find(|entry| entry.action == action) {
            Some(entry) => run(state, entry, 1),
            None => vec![],
        },
    }
}

fn on_paste(state: &mut State, words: &str) -> Vec<Effect> {
    // Pasted text goes where text is typed, and never runs as keys.
    let words = words.lines().next().unwrap_or_default();
    match state.layers.pop() {
        Some(Layer::Prompt { words: mut typed, before }) => {
            typed.push_str(words);
            screen::filter(state, &typed);
            state.layers.push(Layer::Prompt { words: typed, before });
        }
        Some(Layer::Typed { lines, word, other, mut typed, action }) => {
            typed.push_str(words);
            state.layers.push(Layer::Typed { lines, word, other, typed, action });
        }
        Some(Layer::Words { title, lines, mut typed, action }) => {
            typed.push_str(words);
            state.layers.push(Layer::Words { title, lines, typed, action });
        }
        Some(Layer::Palette(mut palette)) => {
            palette.paste(words, state);
            state.layers.push(Layer::Palette(palette));
        }
        Some(Layer::Login(mut form)) => {
            form.paste(words);
            state.layers.push(Layer::Login(form));
        }
        Some(Layer::Command(mut line)) => {
            line.paste(words, state);
            state.layers.push(Layer::Command(line));
        }
        Some(Layer::Line(mut line)) => {
            line.paste(words);
            state.layers.push(Layer::Line(line));
        }
        Some(Layer::Picker(mut picker)) => {
            picker.paste(words);
            let effects = picker.wishes(state);
            state.layers.push(Layer::Picker(picker));
            return effects;
        }
        Some(other) => state.layers.push(other),
        None => state.say(Role::Note, "nothing here takes text; / opens a line that does"),
    }
    vec![]
}

/// Does an action of the table, or says why not.
pub fn run(state: &mut State, entry: &'static Entry, count: usize) -> Vec<Effect> {
    if let Err(why) = (entry.enabled)(state) {
        state.say(Role::Warning, format!("{}: {why}", entry.id));
        return vec![];
    }
    if let Same::Command(command) = parity::same(entry.action) {
        let command = command.replace("ENTRY", &state.entry);
        log_command(state, command);
    }
    match entry.action {
        Action::Quit => return step::live::quit(state),
        Action::Suspend => return vec![Effect::Suspend],
        Action::Repaint => return vec![Effect::Repaint],
        Action::NextTask => tutor::next(state),
        Action::Theme => return vec![Effect::NextTheme(state.look.theme.name.clone())],
        Action::Palette => state.layers.push(Layer::Palette(Palette::new(state))),
        Action::Jobs => state.layers.push(Layer::Jobs(layer::jobs::Jobs::default())),
        Action::Screen(screen) => return go_to(state, screen),
        Action::NextPane => panes::turn_focus(state, 1),
        Action::PreviousPane => panes::turn_focus(state, -1),
        Action::PaneLeft => panes::point_focus(state, -1, 0),
        Action::PaneRight => panes::point_focus(state, 1, 0),
        Action::PaneUp => panes::point_focus(state, 0, -1),
        Action::PaneDown => panes::point_focus(state, 0, 1),
        Action::Wider => panes::resize(state, true),
        Action::Narrower => panes::resize(state, false),
        Action::Even => panes::even(state),
        Action::Zoom => state.zoom = true,
        Action::Unzoom => state.zoom = false,
        Action::Back => back(state),
        Action::JumpBack => return jumps::back(state),
        Action::JumpForward => return jumps::forward(state),
        Action::Go(way) => {
            let pane = state.focus();
            return screen::go(state, pane, way.into(), count);
        }
        // In text it moves the cursor; elsewhere it opens what the row stands for.
        Action::Right if state.focus() != Pane::Text && state.focus() != Pane::Rails => {
            return screen::act(state, Action::Open, count);
        }
        // A list shows only what matches: the next match is the next row.
        Action::NextMatch | Action::PreviousMatch if state.screen != ScreenId::Code => {
            let step = if entry.action == Action::NextMatch { Move::Down } else { Move::Up };
            return screen::go(state, state.panes()[0], step, count);
        }
        Action::CommandLine => {
            let line = CommandLine::new("", state);
            state.layers.push(Layer::Command(Box::new(line)));
        }
        Action::Pick(what) => return picker::open(state, what),
        Action::Filter => {
            let before = state.filter_words().to_string();
            state.layers.push(Layer::Prompt { words: String::new(), before });
        }
        Action::FetchArchives => return step::archives::fetch(state),
        Action::Edit => {
            if let Some((path, line)) = state.selected_file() {
                return vec![Effect::Edit { path, line }];
            }
        }
        Action::Copy => return copying::name(state),
        Action::CopyValue => return copying::value(state),
        Action::CopyPlace => return copying::place(state),
        Action::Bookmarks => return code::bookmarks(state),
        Action::Undo => return undo::go(state, true),
        Action::Redo => return undo::go(state, false),
        Action::ToggleMark => return toggle_mark(state),
        Action::Compile => {
            state.start(Job::Modules);
            let mut effects = compile(state);
            effects.push(Effect::LoadModules);
            return effects;
        }
        // The files may have changed since they were compiled.
        Action::Plan => {
            state.screen = ScreenId::Step;
            state.pending = Pending::default();
            if state.events.program().is_some() {
                return step::plan(state);
            }
            state.plans_next = true;
            let mut effects = step::live::leave(state, "to plan anew");
            effects.extend(recompile(state));
            return effects;
        }
        Action::Stop if state.step.running => return step::stop(state),
        Action::Stop if state.is_working(Job::Cluster) => return deploys::cluster::stop(state),
        Action::Stop if state.modules.fetch.is_some() => return modules::fetch::stop(state),
        Action::Stop => state.say(Role::Note, "q quits"),
        Action::Breakpoint => {
            let ids = resources(state);
            step::drop_range(state);
            return step::breaks::toggle(state, ids);
        }
        Action::Breakpoints => return step::breaks::list(state),
        Action::BreakMode => return step::breaks::next_mode(state),
        Action::LeaveOut => {
            let ids = resources(state);
            step::drop_range(state);
            return step::leave::toggle(state, ids);
        }
        Action::Watch => return events::watch(state),
        Action::EndWatch => return events::end(state),
        Action::EventOn => return events::forward(state, count),
        Action::EventBack => return events::back(state, count),
        Action::NextEmitted => return events::next_marked(state, true),
        Action::PreviousEmitted => return events::next_marked(state, false),
        Action::ToSource => return jumps::show_source(state),
        Action::LookUp(_) if state.screen != ScreenId::Code => return code::ask_kind(state),
        Action::ToGraph => {
            if let Some(node) = state.selected_resource() {
                return jumps::show_on_graph(state, node);
            }
        }
        Action::ToStep => {
            if let Some(id) = resources(state).first() {
                jumps::remember(state);
                step::select(state, id);
                return go_to(state, ScreenId::Step);
            }
        }
        action => return screen::act(state, action, count),
    }
    vec![]
}

/// The ids of the resources under the cursor.
fn resources(state: &State) -> Vec<ResourceId> {
    let program = if state.screen == ScreenId::Step { state.step.program() } else { state.graphed() };
    let Some(program) = program else { return vec![] };
    state.selected_resources().into_iter().map(|node| program.id(node).clone()).collect()
}

pub fn go_to(state: &mut State, screen: ScreenId) -> Vec<Effect> {
    state.screen = screen;
    state.pending = Pending::default();
    match screen {
        ScreenId::Step => step::entered(state),
        ScreenId::Deploys => deploys::entered(state),
        _ => vec![],
    }
}

/// Marks what is under the cursor in the way of its screen.
fn toggle_mark(state: &mut State) -> Vec<Effect> {
    let action = match state.screen {
        ScreenId::Code => Action::Bookmark,
        ScreenId::Graph => Action::Graph(graph::Verb::Mark),
        ScreenId::Deploys => Action::Mark,
        ScreenId::Step => Action::Breakpoint,
        ScreenId::Modules | ScreenId::Log => return vec![],
    };
    TABLE.iter().find(|entry| entry.action == action).map_or_else(Vec::new, |entry| run(state, entry, 1))
}

/// Leaves the topmost thing; never quits.
fn back(state: &mut State) {
    if state.screen == ScreenId::Code && code::drop_range(state)
        || state.screen == ScreenId::Step && step::drop_range(state)
    {
    } else if !state.filter_words().is_empty() {
        screen::filter(state, "");
    } else if state.screen == ScreenId::Graph && graph::widen(state)
        || state.screen == ScreenId::Step && step::widen(state)
    {
    } else if state.zoom {
        state.zoom = false;
    } else {
        state.set_focus(state.panes()[0]);
    }
}
