//! Downloads: progress, results, refusals and approvals.

use std::{collections::BTreeSet, time::Duration};

use ratatui::text::{Line, Span};

use super::{change, failed::Failed};
use crate::session::{Downloaded, FetchEvent, Fetched, Permit, Progress, RemoteNews, RemoteState, in_bytes};
use crate::tui::layer::{Layer, Question};
use crate::tui::look::{Look, Role};
use crate::tui::screen::modules::data::State as Modules;
pub use crate::tui::screen::modules::data::{Fetch, Notice, Refusals, Task};
use crate::tui::{
    cx::Cx, effect::Effect, keymap::Action, layer::login::Login, message::Job, parity, screen::log::Source,
    widget::text,
};

impl Task {
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

pub fn begin(modules: &mut Modules, cx: &mut Cx, wanted: Task) {
    modules.refused = None;
    begin_with(modules, cx, wanted, BTreeSet::new())
}

pub(super) fn begin_with(modules: &mut Modules, cx: &mut Cx, wanted: Task, permits: BTreeSet<Permit>) {
    let words: Vec<_> = permits.iter().map(|permit| permit.word()).collect();
    let allow = if words.is_empty() { String::new() } else { format!(" --allow {}", words.join(",")) };
    (modules.began, modules.failed) = (cx.log.count(), None);
    cx.log_command(wanted.command(&parity::entry_words(cx)) + &allow);
    modules.fetch = Some(Fetch::default());
    modules.wanted = Some((wanted.clone(), permits.clone()));
    cx.start(Job::Fetch);
    cx.effect(Effect::Download { wanted, permits })
}

/// Retries with the refused permissions.
pub fn allow_once(modules: &mut Modules, cx: &mut Cx) {
    let (Some(more), Some((wanted, mut permits))) = (modules.refused.take(), modules.wanted.take()) else {
        return;
    };
    permits.extend(more);
    begin_with(modules, cx, wanted, permits)
}

pub fn stop(modules: &mut Modules, cx: &mut Cx) {
    if let Some(fetch) = &mut modules.fetch {
        fetch.is_stopping = true;
    }
    cx.effect(Effect::StopDownload)
}

/// Remembers the user name for a server until the download ends.
pub fn answered(modules: &mut Modules, form: &Login) {
    if let Some(fetch) = modules.fetch.as_mut() {
        fetch.named.insert(form.url().to_owned(), form.user().to_owned());
    }
}

/// Reads what changed in the selected module since it was last approved; the question follows.
pub fn ask(modules: &Modules, cx: &mut Cx) {
    let Some(fetched) = modules.fetched().cloned() else { return };
    cx.show_notice(Role::Note, format!("reading what changed in {}", text::safe(&fetched.name)));
    cx.effect(Effect::Review(fetched))
}

/// Asks whether to approve a module, and shows its changes.
fn reviewed(modules: &Modules, cx: &mut Cx, module: &Fetched, lines: Vec<String>) {
    cx.withdraw_notice();
    // The cursor is on another module by now.
    if modules.fetched() != Some(module) {
        return;
    }
    let mut question = vec![
        format!("Allow this version of {} to change this machine?", text::safe(&module.name)),
        "New versions need new approval.".into(),
        String::new(),
        format!("path  {}", text::safe(&module.path.to_string_lossy())),
        format!("hash  {}", module.hash),
    ];
    question.extend(lines.iter().map(|line| text::safe(line)));
    cx.layers.open.push(Question::yes(question, Action::Approve).into());
}

pub fn approve(modules: &Modules, cx: &mut Cx) {
    let Some(fetched) = modules.fetched().cloned() else { return };
    cx.log_command(format!("workbench modules {} --approve={}", parity::entry_words(cx), fetched.name));
    cx.effect(Effect::Approve(vec![fetched]))
}

pub fn on_notice(module_screen: &mut Modules, cx: &mut Cx, notice: Notice) {
    match notice {
        Notice::Progress { event, elapsed } => {
            match &event {
                FetchEvent::Begun { name } => cx.report(Source::Work, format!("fetching {name}")),
                FetchEvent::Failed { name } => cx.report(Source::Work, format!("failed {name}")),
                _ => {}
            }
            if let Some(fetch) = &mut module_screen.fetch {
                fetch.on_progress(event, elapsed);
            }
        }
        Notice::Asks(url) => {
            let named = module_screen.fetch.as_ref().and_then(|fetch| fetch.named.get(&url).cloned());
            let form = match named {
                Some(user) => Login::again(url, user),
                None => Login::new(url),
            };
            cx.layers.open.push(Layer::Login(form));
        }
        Notice::Ended(ended) => {
            let was_stopped = module_screen.fetch.take().is_some_and(|fetch| fetch.is_stopping);
            cx.finish(Job::Fetch);
            cx.layers.withdraw(|layer| matches!(layer, Layer::Login(_)));
            match ended {
                Ok(summary) => on_fetched(module_screen, cx, &summary),
                Err(_) if was_stopped => {
                    cx.report(Source::Work, "stopped fetching; nothing was changed".into());
                    cx.show_notice(Role::Note, "stopped; nothing was changed")
                }
                Err(refusals) => refused(module_screen, cx, "Nothing was fetched", refusals),
            }
        }
        Notice::Seen(seen) => {
            let was_stopped = module_screen.fetch.take().is_some_and(|fetch| fetch.is_stopping);
            cx.finish(Job::Fetch);
            cx.layers.withdraw(|layer| matches!(layer, Layer::Login(_)));
            match seen {
                Ok(seen) => {
                    let (mut lines, mut permits) = (Vec::new(), BTreeSet::new());
                    for seen in &seen {
                        if let RemoteNews::Unseen { why, permits: more, .. } = &seen.found {
                            permits.extend(more.iter().copied());
                            lines.push(format!("{}: {why}", seen.name));
                        }
                    }
                    change::seen(module_screen, cx, seen);
                    if !permits.is_empty() {
                        let refusals = Refusals { lines, permits, ..Refusals::default() };
                        refused(module_screen, cx, "Could not check all modules", refusals);
                    }
                }
                Err(_) if was_stopped => cx.show_notice(Role::Note, "stopped"),
                Err(refusals) => refused(module_screen, cx, "Could not check the remotes", refusals),
            }
        }
        Notice::Import(planned) => change::import_planned(module_screen, cx, planned),
        Notice::Pruning(planned) => change::pruning_planned(module_screen, cx, planned),
        Notice::Pruned(pruned) => change::pruned(cx, pruned),
        Notice::Reviewed(module, lines) => reviewed(module_screen, cx, &module, lines),
        Notice::Approved(Ok(modules)) => {
            let names: Vec<_> = modules.iter().map(|module| text::safe(&module.name)).collect();
            cx.show_notice(Role::Good, format!("approved this version of {}", names.join(", ")));
            cx.start(Job::Modules);
            cx.effect(Effect::LoadModules)
        }
        Notice::Approved(Err(error)) => {
            cx.report(Source::Problem, error.clone());
            cx.show_notice(Role::Error, format!("nothing was approved: {}", text::safe(&error)))
        }
    }
}

/// Shows the reason, and offers a retry, or a permission if that would help.
fn refused(modules: &mut Modules, cx: &mut Cx, title: &'static str, refusals: Refusals) {
    refusals.lines.iter().for_each(|line| cx.report(Source::Problem, line.clone()));
    modules.failed = modules.wanted.as_ref().map(|was| Failed::new(title, &refusals, was, modules.began));
    let Refusals { mut lines, permits, .. } = refusals;
    let mut choices = vec![('r', "retry", Action::RetryFetch), ('E', "full log", Action::FetchLog)];
    if permits.is_empty() {
        cx.layers.open.push(Question::keys(title, lines, choices).into());
        return;
    }
    lines.push(String::new());
    lines.extend(permits.iter().map(|permit| format!("{}: {}", permit.word(), permit.says())));
    let words: Vec<_> = permits.iter().map(|permit| format!("\"{}\"", permit.word())).collect();
    lines.push(format!("Always: fetch-allow = [{}] in config.toml.", words.join(", ")));
    modules.refused = Some(permits);
    choices.insert(0, ('y', "allow once", Action::AllowOnce));
    cx.layers.open.push(Question::keys(title, lines, choices).into());
}

/// Reports what was fetched, and reads the modules again if anything changed.
fn on_fetched(modules: &mut Modules, cx: &mut Cx, summary: &Downloaded) {
    let wanted = modules.wanted.take().map(|(wanted, _)| wanted);
    let added = match &wanted {
        Some(Task::Add(edit)) => {
            cx.report(Source::Work, format!("added to {}:{}  {}", edit.path.display(), edit.line, edit.statement));
            true
        }
        _ => false,
    };
    let moved: Vec<&String> = summary.moved.iter().map(|(name, ..)| name).collect();
    let is_still = |seen: &RemoteState| !moved.iter().any(|name| name.trim_end_matches('/') == seen.name);
    modules.seen.retain(is_still);
    let short = |commit: &str| commit.get(..10).unwrap_or(commit).to_owned();
    let mut lines = Vec::new();
    lines.extend(summary.came.iter().map(|(name, commit)| format!("fetched  {name}  {}", short(commit))));
    let moved =
        |(name, from, to): &(String, String, String)| format!("updated  {name}  {} to {}", short(from), short(to));
    lines.extend(summary.moved.iter().map(moved));
    lines.extend(summary.edited.iter().map(|name| format!("edited, not touched  {name}")));
    lines.extend(summary.kept.iter().map(|name| format!("not fetched by workbench, not touched  {name}")));
    lines.extend(summary.unused.iter().map(|name| format!("no longer imported  {name}")));
    lines.into_iter().for_each(|line| cx.report(Source::Work, line));
    let (came, moved) = (summary.came.len(), summary.moved.len());
    let stayed = summary.stayed.len() + summary.edited.len() + summary.kept.len();
    let plural = if came == 1 { "" } else { "s" };
    let words = match &wanted {
        Some(Task::Bump(name)) => bumped(&cx.look, name, summary),
        _ => format!("{came} module{plural} fetched, {moved} updated, {stayed} unchanged"),
    };
    cx.show_notice(Role::Good, words);
    if came + moved == 0 && !added {
        return;
    }
    cx.start(Job::Modules);
    cx.recompile();
    cx.effect(Effect::LoadModules);
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
