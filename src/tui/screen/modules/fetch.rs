//! Downloads: progress, results, refusals and approvals.

use std::collections::BTreeSet;
use std::time::Duration;

use ratatui::text::{Line, Span};

use super::change;
use super::failed::Failed;
use crate::session::{Downloaded, FetchEvent, Fetched, Found, Permit, Progress, Seen, in_bytes};
use crate::tui::effect::Effect;
use crate::tui::keymap::Action;
use crate::tui::layer::login::Login;
use crate::tui::layer::{Layer, Question};
use crate::tui::look::{Look, Role};
use crate::tui::message::Job;
use crate::tui::parity;
use crate::tui::screen::log::Source;
pub use crate::tui::screen::modules::data::{Fetch, Notice, Refusals, Task};
use crate::tui::state::State as Tui;
use crate::tui::widget::text;

impl Task {
    /// The equivalent command.
    fn command(&self, entry: &str) -> String {
        match self {
            Task::Missing => format!("workbench download {entry}"),
            Task::Update => format!("workbench download --update {entry}"),
            Task::Bump(name) => format!("workbench download --update={name} {entry}"),
            Task::Add(edit) => format!("workbench modules add '{}' {entry}", edit.name),
            Task::Look => format!("workbench modules --remote {entry}"),
        }
    }
}

impl Fetch {
    /// The progress, in a few words.
    pub fn in_short(&self) -> String {
        if self.is_stopping {
            return "stopping".into();
        }
        let bytes = self.bytes + self.under_way.values().map(|progress| progress.bytes).sum::<u64>();
        format!("{} of {}  {}", self.came, self.of, in_bytes(bytes))
    }

    fn on_progress(&mut self, event: FetchEvent, elapsed: Duration) {
        self.elapsed = elapsed;
        match event {
            FetchEvent::Round { fetching, .. } => {
                self.of += fetching;
                self.is_waiting = false;
            }
            FetchEvent::Begun { name } => drop(self.under_way.insert(name, Progress::default())),
            FetchEvent::Progress { name, progress } => drop(self.under_way.insert(name, progress)),
            FetchEvent::Fetched { name, .. } => {
                self.bytes += self.under_way.remove(&name).map_or(0, |progress| progress.bytes);
                self.came += 1;
            }
            FetchEvent::Checked { name } => {
                self.bytes += self.under_way.remove(&name).map_or(0, |progress| progress.bytes);
                self.came += 1;
            }
            FetchEvent::Failed { name } => drop(self.under_way.remove(&name)),
            FetchEvent::Waiting => self.is_waiting = true,
        }
    }
}

/// Starts a download or a check.
pub fn begin(tui: &mut Tui, wanted: Task) -> Vec<Effect> {
    tui.screens.modules.refused = None;
    begin_with(tui, wanted, BTreeSet::new())
}

pub(super) fn begin_with(tui: &mut Tui, wanted: Task, permits: BTreeSet<Permit>) -> Vec<Effect> {
    let words: Vec<_> = permits.iter().map(|permit| permit.word()).collect();
    let allow = if words.is_empty() { String::new() } else { format!(" --allow {}", words.join(",")) };
    (tui.screens.modules.began, tui.screens.modules.failed) = (tui.cx.log.count(), None);
    tui.cx.log_command(wanted.command(&parity::entry_words(&tui.cx)) + &allow);
    tui.screens.modules.fetch = Some(Fetch::default());
    tui.screens.modules.wanted = Some((wanted.clone(), permits.clone()));
    tui.cx.start(Job::Fetch);
    vec![Effect::Download { wanted, permits }]
}

/// Retries with the refused permissions.
pub fn allow_once(tui: &mut Tui) -> Vec<Effect> {
    let (Some(more), Some((wanted, mut permits))) =
        (tui.screens.modules.refused.take(), tui.screens.modules.wanted.take())
    else {
        return vec![];
    };
    permits.extend(more);
    begin_with(tui, wanted, permits)
}

pub fn stop(tui: &mut Tui) -> Vec<Effect> {
    if let Some(fetch) = &mut tui.screens.modules.fetch {
        fetch.is_stopping = true;
    }
    vec![Effect::StopDownload]
}

/// Remembers the user name for a server until the download ends.
pub fn answered(tui: &mut Tui, form: &Login) {
    if let Some(fetch) = tui.screens.modules.fetch.as_mut() {
        fetch.named.insert(form.url().to_owned(), form.user().to_owned());
    }
}

/// Reads what changed in the selected module since it was last approved; the question follows.
pub fn ask(tui: &mut Tui) -> Vec<Effect> {
    let Some(fetched) = tui.screens.modules.fetched().cloned() else { return vec![] };
    tui.cx.show_notice(Role::Note, format!("reading what changed in {}", text::safe(&fetched.name)));
    vec![Effect::Review(fetched)]
}

/// Asks whether to approve a module, and shows its changes.
fn reviewed(tui: &mut Tui, module: &Fetched, lines: Vec<String>) -> Vec<Effect> {
    tui.cx.take_back_note();
    // The cursor is on another module by now.
    if tui.screens.modules.fetched() != Some(module) {
        return vec![];
    }
    let mut question = vec![
        format!("Allow this version of {} to change this machine?", text::safe(&module.name)),
        "New versions need new approval.".into(),
        String::new(),
        format!("path  {}", text::safe(&module.path.to_string_lossy())),
        format!("hash  {}", module.hash),
    ];
    question.extend(lines.iter().map(|line| text::safe(line)));
    tui.cx.layers.open.push(Question::yes(question, Action::Approve).into());
    vec![]
}

/// Approves it.
pub fn approve(tui: &mut Tui) -> Vec<Effect> {
    let Some(fetched) = tui.screens.modules.fetched().cloned() else { return vec![] };
    tui.cx.log_command(format!("workbench modules {} --approve={}", parity::entry_words(&tui.cx), fetched.name));
    vec![Effect::Approve(vec![fetched])]
}

/// Handles a report of a download.
pub fn on_notice(tui: &mut Tui, notice: Notice) -> Vec<Effect> {
    match notice {
        Notice::Progress { event, elapsed } => {
            match &event {
                FetchEvent::Begun { name } => tui.cx.report(Source::Work, format!("fetching {name}")),
                FetchEvent::Failed { name } => tui.cx.report(Source::Work, format!("failed {name}")),
                _ => {}
            }
            if let Some(fetch) = &mut tui.screens.modules.fetch {
                fetch.on_progress(event, elapsed);
            }
            vec![]
        }
        Notice::Asks(url) => {
            let named = tui.screens.modules.fetch.as_ref().and_then(|fetch| fetch.named.get(&url).cloned());
            let form = match named {
                Some(user) => Login::again(url, user),
                None => Login::new(url),
            };
            tui.cx.layers.open.push(Layer::Login(form));
            vec![]
        }
        Notice::Ended(ended) => {
            let was_stopped = tui.screens.modules.fetch.take().is_some_and(|fetch| fetch.is_stopping);
            tui.cx.finish(Job::Fetch);
            tui.cx.layers.withdraw(|layer| matches!(layer, Layer::Login(_)));
            match ended {
                Ok(summary) => on_fetched(tui, &summary),
                Err(_) if was_stopped => {
                    tui.cx.report(Source::Work, "stopped fetching; nothing was changed".into());
                    tui.cx.show_notice(Role::Note, "stopped; nothing was changed");
                    vec![]
                }
                Err(refusals) => refused(tui, "Nothing was fetched", refusals),
            }
        }
        Notice::Seen(seen) => {
            let was_stopped = tui.screens.modules.fetch.take().is_some_and(|fetch| fetch.is_stopping);
            tui.cx.finish(Job::Fetch);
            tui.cx.layers.withdraw(|layer| matches!(layer, Layer::Login(_)));
            match seen {
                Ok(seen) => {
                    let (mut lines, mut permits) = (Vec::new(), BTreeSet::new());
                    for seen in &seen {
                        if let Found::Unseen { why, permits: more, .. } = &seen.found {
                            permits.extend(more.iter().copied());
                            lines.push(format!("{}: {why}", seen.name));
                        }
                    }
                    change::seen(tui, seen);
                    if !permits.is_empty() {
                        return refused(
                            tui,
                            "Could not check all modules",
                            Refusals { lines, permits, ..Refusals::default() },
                        );
                    }
                }
                Err(_) if was_stopped => tui.cx.show_notice(Role::Note, "stopped"),
                Err(refusals) => return refused(tui, "Could not check the remotes", refusals),
            }
            vec![]
        }
        Notice::Import(planned) => change::import_planned(tui, planned),
        Notice::Pruning(planned) => change::pruning_planned(tui, planned),
        Notice::Pruned(pruned) => change::pruned(tui, pruned),
        Notice::Reviewed(module, lines) => reviewed(tui, &module, lines),
        Notice::Approved(Ok(modules)) => {
            let names: Vec<_> = modules.iter().map(|module| text::safe(&module.name)).collect();
            tui.cx.show_notice(Role::Good, format!("approved this version of {}", names.join(", ")));
            tui.cx.start(Job::Modules);
            vec![Effect::LoadModules]
        }
        Notice::Approved(Err(error)) => {
            tui.cx.report(Source::Problem, error.clone());
            tui.cx.show_notice(Role::Error, format!("nothing was approved: {}", text::safe(&error)));
            vec![]
        }
    }
}

/// Shows the reason, and offers a retry, or a permission if that would help.
fn refused(tui: &mut Tui, title: &'static str, refusals: Refusals) -> Vec<Effect> {
    refusals.lines.iter().for_each(|line| tui.cx.report(Source::Problem, line.clone()));
    tui.screens.modules.failed =
        tui.screens.modules.wanted.as_ref().map(|was| Failed::new(title, &refusals, was, tui.screens.modules.began));
    let Refusals { mut lines, permits, .. } = refusals;
    let mut choices = vec![('r', "retry", Action::RetryFetch), ('E', "full log", Action::FetchLog)];
    if permits.is_empty() {
        tui.cx.layers.open.push(Question::keys(title, lines, choices).into());
        return vec![];
    }
    lines.push(String::new());
    lines.extend(permits.iter().map(|permit| format!("{}: {}", permit.word(), permit.says())));
    let words: Vec<_> = permits.iter().map(|permit| format!("\"{}\"", permit.word())).collect();
    lines.push(format!("Always: fetch-allow = [{}] in config.toml.", words.join(", ")));
    tui.screens.modules.refused = Some(permits);
    choices.insert(0, ('y', "allow once", Action::AllowOnce));
    tui.cx.layers.open.push(Question::keys(title, lines, choices).into());
    vec![]
}

/// Reports what was fetched, and reads the modules again if anything changed.
fn on_fetched(tui: &mut Tui, summary: &Downloaded) -> Vec<Effect> {
    let wanted = tui.screens.modules.wanted.take().map(|(wanted, _)| wanted);
    let added = match &wanted {
        Some(Task::Add(edit)) => {
            tui.cx.report(Source::Work, format!("added to {}:{}  {}", edit.path.display(), edit.line, edit.statement));
            true
        }
        _ => false,
    };
    let moved: Vec<&String> = summary.moved.iter().map(|(name, ..)| name).collect();
    let is_still = |seen: &Seen| !moved.iter().any(|name| name.trim_end_matches('/') == seen.name);
    tui.screens.modules.seen.retain(is_still);
    let short = |commit: &str| commit.get(..10).unwrap_or(commit).to_owned();
    let mut lines = Vec::new();
    lines.extend(summary.came.iter().map(|(name, commit)| format!("fetched  {name}  {}", short(commit))));
    let moved =
        |(name, from, to): &(String, String, String)| format!("updated  {name}  {} to {}", short(from), short(to));
    lines.extend(summary.moved.iter().map(moved));
    lines.extend(summary.edited.iter().map(|name| format!("edited, not touched  {name}")));
    lines.extend(summary.kept.iter().map(|name| format!("not fetched by workbench, not touched  {name}")));
    lines.extend(summary.unused.iter().map(|name| format!("no longer imported  {name}")));
    lines.into_iter().for_each(|line| tui.cx.report(Source::Work, line));
    let (came, moved) = (summary.came.len(), summary.moved.len());
    let stayed = summary.stayed.len() + summary.edited.len() + summary.kept.len();
    let plural = if came == 1 { "" } else { "s" };
    let words = match &wanted {
        Some(Task::Bump(name)) => bumped(&tui.cx.look, name, summary),
        _ => format!("{came} module{plural} fetched, {moved} updated, {stayed} unchanged"),
    };
    tui.cx.show_notice(Role::Good, words);
    if came + moved == 0 && !added {
        return vec![];
    }
    tui.cx.start(Job::Modules);
    let mut effects = tui.cx.recompile();
    effects.push(Effect::LoadModules);
    effects
}

/// The result of updating one module.
fn bumped(look: &Look, name: &str, summary: &Downloaded) -> String {
    let short = |commit: &str| commit.get(..10).unwrap_or(commit).to_owned();
    let is_it = |other: &str| other.trim_end_matches('/') == name.trim_end_matches('/');
    let (arrow, shown) = (look.glyphs.arrow, text::safe(name));
    let came = match summary.came.len() {
        0 => String::new(),
        1 => "; 1 module fetched for it".into(),
        many => format!("; {many} modules fetched for it"),
    };
    match summary.moved.iter().find(|(moved, ..)| is_it(moved)) {
        Some((_, from, to)) => format!("{shown}  {} {arrow} {}{came}", short(from), short(to)),
        None => format!("{shown} is up to date"),
    }
}

/// The lines that show a running download.
pub fn lines(fetch: &Fetch, look: &Look, width: usize) -> Vec<Line<'static>> {
    let bytes = fetch.bytes + fetch.under_way.values().map(|progress| progress.bytes).sum::<u64>();
    let rate = (bytes as f64 / fetch.elapsed.as_secs_f64().max(0.1)) as u64;
    let head = match (fetch.is_stopping, fetch.is_waiting) {
        (true, _) => "stopping".to_owned(),
        (false, true) => "waiting for another download of the same entry".to_owned(),
        (false, false) => format!("fetching {} of {}  {}  {}/s", fetch.came, fetch.of, in_bytes(bytes), in_bytes(rate)),
    };
    let mut lines = vec![Line::from(vec![
        Span::styled(head, look.style(Role::Strong)),
        Span::styled("   Ctrl-C stops", look.style(Role::Dim)),
    ])];
    for (name, progress) in &fetch.under_way {
        lines.push(one(name, progress, look, width));
    }
    lines.push(Line::raw(""));
    lines
}

/// The progress of one module: a bar once its size is known.
fn one(name: &str, progress: &Progress, look: &Look, width: usize) -> Line<'static> {
    const BAR: usize = 16;
    let Progress { objects, of_objects, .. } = *progress;
    let parts = |of: usize| (of * objects).checked_div(of_objects);
    let counts = match parts(100) {
        _ if progress.silent > 0 => format!("no data for {} s", progress.silent),
        None => "connecting".to_owned(),
        Some(percent) => format!("{percent:>3}%  {objects}/{of_objects} objects"),
    };
    let full = parts(BAR).unwrap_or(0).min(BAR);
    let room = width.saturating_sub(BAR + text::width(&counts) + 6);
    let safe = text::safe(name);
    let name = text::pad(&text::fit_middle(&safe, room, look.glyphs.cut), room.min(40));
    Line::from(vec![
        Span::raw(format!("  {name}  ")),
        Span::styled(look.glyphs.bar.repeat(full), look.style(Role::Good)),
        Span::styled(look.glyphs.horizontal.repeat(BAR - full), look.style(Role::Dim)),
        Span::styled(format!("  {counts}"), look.style(if progress.silent > 0 { Role::Warning } else { Role::Dim })),
    ])
}
