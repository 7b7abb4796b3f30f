//! The log of operations as rows: deploys, newest first; plans and fetches only on request.

use std::collections::BTreeMap;

use ratatui::text::{Line, Span};

use crate::plan::{Offered, Query};
use crate::session::history::{
    End, Ending, Failure, Purpose, Summary, UndoneBy, applied_words, ending_words, entry_words, place_words,
    purpose_words, short_entry, undone_by_words, undone_deploys, what_words,
};
use crate::session::operations::{Fetch, LogEntry, MadePlan, Operation, REFUSED_WORDS, What, fetch_words, plan_words};
use crate::source::headline;
use crate::tui::list::{self, Rows as _};
use crate::tui::look::{Look, Role};
use crate::tui::screen::deploys::data::State as Deploys;
pub use crate::tui::screen::deploys::data::{Key, Rows, Shown};
use crate::tui::screen::step::data::State as Step;
use crate::tui::widget::{list as rows, text};
use crate::tui::{cx::Cx, keymap::Folding, screen::deploys::data::Row, screen::step::seconds};

/// The words of a row whose journal is unreadable.
const UNREAD: &str = "unreadable";

impl Rows {
    /// Takes the new list, newest first.
    pub fn renew(&mut self, all: Vec<LogEntry>, words: &str, look: &Look) {
        self.all = all;
        self.texts.take();
        let named = |summary: &Summary| {
            summary.begin.as_ref().map_or(0, |begin| text::width(&text::safe(&applied_words(begin))))
        };
        self.widest = self.deploys().map(named).max().unwrap_or(0);
        self.undone_by = undone_deploys(self.deploys());
        self.entries = entries(&self.all);
        self.filter(words, look);
    }

    /// Keeps the rows that match a query by any of their text. A filter also searches hidden rows. The whole path of an
    /// entry matches that entry alone, and neither one below it nor one with a similar name.
    pub fn filter(&mut self, words: &str, look: &Look) {
        if words.is_empty() {
            return self.fold();
        }
        let is_it = |done: &LogEntry| self.entry_of(done).is_some_and(|entry| Query::for_name(&entry) == words);
        let mut rows: Vec<usize> = if words.starts_with('/') { self.positions(is_it) } else { vec![] };
        if rows.is_empty() {
            let query = Query::typed(words).unwrap_or_default();
            let text = |done: &LogEntry| format!("{} {}", text_of(done), self.shown_words(done, look)).into_boxed_str();
            let texts = self.texts.get_or_init(|| self.all.iter().map(text).collect());
            let fits = |done: &LogEntry, text: &str| {
                query.fits(&Offered { kind: done.kind(), state: state_word(done), ..Offered::text(text) })
            };
            let all = self.all.iter().zip(texts).enumerate();
            rows = all.filter(|(_, (done, text))| fits(done, text)).map(|(at, _)| at).collect();
        }
        self.clear();
        for at in rows {
            self.add(at);
        }
    }

    fn clear(&mut self) {
        self.rows.clear();
    }

    /// Adds a row, and below it why it failed.
    fn add(&mut self, at: usize) {
        self.rows.push(Row::LogEntry(at));
        let has_reason = matches!(self.all.get(at), Some(LogEntry::Deploy(summary)) if failure(summary).is_some());
        if has_reason {
            self.rows.push(Row::Why(at));
        }
    }

    fn positions(&self, fits: impl Fn(&LogEntry) -> bool) -> Vec<usize> {
        (0..self.all.len()).filter(|at| fits(&self.all[*at])).collect()
    }

    /// The words of a row for searching.
    fn shown_words(&self, done: &LogEntry, look: &Look) -> String {
        match done {
            LogEntry::Deploy(summary) => match &summary.begin {
                Some(begin) => format!("{} {}", short_time(&begin.time), self.ending(summary)),
                None => UNREAD.into(),
            },
            LogEntry::Operation(operation) => {
                let ending = operation_row(operation, look).3;
                format!("{} {ending}", short_time(&operation.time))
            }
        }
    }

    fn is_newest(&self, summary: &Summary) -> bool {
        self.deploys().next().is_some_and(|newest| newest.deploy == summary.deploy)
    }

    pub fn ending(&self, summary: &Summary) -> String {
        match self.undone_by(summary.deploy) {
            Some(back) => undone_by_words(back),
            None if summary.end.is_none() => match self.at_work {
                Some(true) if self.is_newest(summary) => "running".into(),
                Some(_) => "interrupted".into(),
                None => "interrupted, or running".into(),
            },
            None => ending_words(summary),
        }
    }

    fn fold(&mut self) {
        self.clear();
        let mut hidden = 0;
        for at in 0..self.all.len() {
            match (&self.all[at], self.shows_all) {
                (LogEntry::Operation(_), false) => hidden += 1,
                _ => self.add(at),
            }
        }
        if hidden > 0 {
            self.rows.push(Row::Hidden(hidden));
        }
    }

    /// Shows the rows that this row hides; false if it hides none.
    pub fn open(&mut self, row: usize) -> bool {
        let is_hidden = matches!(self.rows.get(row), Some(Row::Hidden(_)));
        if is_hidden {
            self.fold_all(false);
        }
        is_hidden
    }

    /// Whether there are plans or fetches.
    pub fn has_runs(&self) -> bool {
        self.all.iter().any(|done| matches!(done, LogEntry::Operation(_)))
    }

    /// Hides or shows plans and fetches.
    pub fn fold_all(&mut self, shut: bool) {
        self.shows_all = !shut;
        self.fold();
    }

    pub fn total(&self) -> usize {
        self.all.len()
    }

    pub fn shown(&self, row: usize) -> Option<Shown<'_>> {
        Some(match *self.rows.get(row)? {
            Row::Hidden(count) => Shown::Hidden(count),
            Row::LogEntry(at) | Row::Why(at) => match self.all.get(at)? {
                LogEntry::Deploy(summary) => Shown::Deploy(summary),
                LogEntry::Operation(operation) => Shown::Operation(operation),
            },
        })
    }

    /// All deploys, newest first.
    pub fn deploys(&self) -> impl Iterator<Item = &Summary> {
        self.all.iter().filter_map(|done| match done {
            LogEntry::Deploy(summary) => Some(&**summary),
            LogEntry::Operation(_) => None,
        })
    }

    /// That a deploy was undone, in words.
    pub fn undo_words(&self, deploy: u64) -> Option<String> {
        self.undone_by(deploy).map(undone_by_words)
    }

    /// The shortest path of a deploy's entry; of an undo whose deploy is unknown, its recorded name.
    pub fn entry(&self, summary: &Summary) -> Option<String> {
        self.entries.get(&summary.deploy).cloned().or_else(|| summary.begin.as_ref().map(place_words))
    }

    fn entry_of(&self, done: &LogEntry) -> Option<String> {
        match done {
            LogEntry::Deploy(summary) => self.entry(summary),
            LogEntry::Operation(operation) => Some(short_entry(&operation.entry)),
        }
    }

    pub fn undone_by(&self, deploy: u64) -> Option<UndoneBy> {
        self.undone_by.get(&deploy).copied()
    }
}

impl list::Rows for Rows {
    type Key = Key;

    fn len(&self) -> usize {
        self.rows.len()
    }

    fn key(&self, row: usize) -> Option<Key> {
        match *self.rows.get(row)? {
            Row::LogEntry(at) | Row::Why(at) => self.all.get(at).map(key),
            Row::Hidden(_) => Some(Key::Hidden),
        }
    }

    fn is_beside(&self, row: usize) -> bool {
        matches!(self.rows.get(row), Some(Row::Why(_)))
    }

    /// One fold has all plans and fetches.
    fn fold(&mut self, how: Folding, at: usize) -> Option<Key> {
        match (how, self.shown(at)) {
            (Folding::CloseAll, _) | (Folding::Toggle, Some(Shown::Operation(_))) => self.fold_all(true),
            (Folding::OpenAll, _) | (Folding::Toggle, Some(Shown::Hidden(_))) => self.fold_all(false),
            (Folding::Toggle, _) => {}
        }
        Some(Key::Hidden)
    }

    fn reveal(&mut self, key: &Key) {
        if matches!(key, Key::Operation(_)) {
            self.fold_all(false);
        }
    }
}

fn key(done: &LogEntry) -> Key {
    match done {
        LogEntry::Deploy(summary) => Key::Deploy(summary.deploy),
        LogEntry::Operation(operation) => Key::Operation(operation.clone()),
    }
}

/// The entry of each deploy. An undo of a later deploy is invalid and has no entry.
fn entries(all: &[LogEntry]) -> BTreeMap<u64, String> {
    let mut entries = BTreeMap::new();
    for done in all.iter().rev() {
        let LogEntry::Deploy(summary) = done else { continue };
        let Some(begin) = &summary.begin else { continue };
        let entry = match begin.purpose {
            Purpose::Undo { deploy } => entries.get(&deploy).cloned(),
            Purpose::Apply | Purpose::Resume { .. } => Some(entry_words(begin)),
        };
        entries.extend(entry.map(|entry| (summary.deploy, entry)));
    }
    entries
}

/// How it ended, as queries name it.
fn state_word(done: &LogEntry) -> Option<&'static str> {
    match done {
        LogEntry::Deploy(summary) => summary.end.as_ref().map(|end| if end.failed > 0 { "failed" } else { "done" }),
        LogEntry::Operation(Operation { what: What::Fetch(Fetch { refused: Some(_), .. }), .. }) => Some("failed"),
        LogEntry::Operation(Operation { what: What::Refused { .. }, .. }) => Some("failed"),
        LogEntry::Operation(Operation { what: What::Plan(plan), .. }) if plan.failing > 0 => Some("failed"),
        LogEntry::Operation(_) => Some("done"),
    }
}

fn text_of(done: &LogEntry) -> String {
    match done {
        LogEntry::Deploy(summary) => deploy_text(summary),
        LogEntry::Operation(operation) => operation_text(operation),
    }
}

fn deploy_text(summary: &Summary) -> String {
    let Some(begin) = &summary.begin else { return summary.deploy.to_string() };
    let who = begin.behind.as_ref().unwrap_or(&begin.user);
    format!("#{} {} {who} {} {}", summary.deploy, begin.time, what_words(begin), ending_words(summary))
}

fn operation_text(operation: &Operation) -> String {
    let Operation { time, user, entry, what } = operation;
    let words = match what {
        What::Plan(plan) => {
            let file = plan.file.as_ref().map(|file| format!(" {}", file.display())).unwrap_or_default();
            format!("plan {entry} {}{file}", plan_words(plan))
        }
        What::Fetch(fetch) => {
            let moved = fetch.moved.iter().map(|(name, _, _)| name);
            let names: Vec<_> = moved.chain(fetch.came.iter().map(|(name, _)| name)).map(String::as_str).collect();
            format!("fetch {entry} {} {}", fetch_words(fetch), names.join(" "))
        }
        What::Refused { .. } => format!("apply {entry} {REFUSED_WORDS}"),
    };
    format!("{time} {user} {words}")
}

/// `2026-11-21T12:03:11Z` without its seconds, for a narrow column.
pub fn short_time(time: &str) -> String {
    text::safe(time.get(..16).unwrap_or(time)).replace('T', " ")
}

/// The width of the columns other than the name, each with a gap after it.
const NUMBER: usize = 8;
const WHAT: usize = 11;
const TOOK: usize = 7;
/// The minimum width of the result.
const RESULT: usize = 12;
/// The width of most results.
const WHOLE_RESULT: usize = 32;
/// With the year, and without it.
const TIMES: [usize; 2] = [18, 13];

/// The column widths for the available room. Other columns go before the name is cut.
struct Columns {
    time: usize,
    what: usize,
    name: usize,
    result: usize,
    took: usize,
}

impl Columns {
    fn of(rows: &Rows, width: usize) -> Self {
        let [long, short] = TIMES;
        let room = |(time, what, took)| width.saturating_sub(3 + NUMBER + time + what + took);
        let ways = [(long, WHAT, TOOK), (short, WHAT, 0), (0, WHAT, 0), (0, 0, 0)];
        let widest = rows.widest.max(6);
        let fits = ways.into_iter().find(|way| room(*way) >= widest + 2 + RESULT);
        let (time, what, took) = fits.unwrap_or((0, 0, 0));
        let room = room((time, what, took));
        // In little room the end of a path tells more than its begin, and a result more than both.
        let is_short = (time, what, took) == (0, 0, 0);
        let name = if is_short {
            widest.min(room.saturating_sub(WHOLE_RESULT + 2).max(room / 3))
        } else {
            let result = if took == 0 { WHOLE_RESULT } else { RESULT };
            widest.min(room.saturating_sub(result + 2).max(room / 2))
        };
        Self { time, what, name, result: room.saturating_sub(name + 2), took }
    }

    /// A time in the column's width.
    fn time(&self, time: &str) -> String {
        let time = short_time(time);
        let shown = if self.time < TIMES[0] { time.get(5..).unwrap_or_default() } else { &time };
        text::fit(&text::pad(shown, self.time), self.time, "").into_owned()
    }

    /// The name in the column's width.
    fn what(&self, what: &str, cut: &str) -> String {
        let Some(room) = self.what.checked_sub(1) else { return String::new() };
        text::pad(&text::fit(&text::safe(what), room, cut), room) + " "
    }
}

pub fn header(deploys: &Deploys, cx: &Cx, width: usize) -> Line<'static> {
    let columns = Columns::of(&deploys.list.rows, width);
    let took = if columns.took > 0 { format!("{:>TOOK$}", "took") } else { String::new() };
    let words = format!(
        "   {:<NUMBER$}{}{}{}  {}{took}",
        "deploy",
        if columns.time > 0 { text::pad("started", columns.time) } else { String::new() },
        columns.what("what", ""),
        text::pad("module", columns.name),
        text::pad("result", columns.result),
    );
    Line::styled(text::fit(&words, width, cx.look.glyphs.cut).into_owned(), cx.look.style(Role::Dim))
}

pub fn row_line(deploys: &Deploys, step: &Step, cx: &Cx, row: usize, width: usize) -> rows::Row<'static> {
    let (state, look) = (deploys, &cx.look);
    match state.list.rows.shown(row) {
        Some(Shown::Deploy(summary)) if state.list.rows.is_beside(row) => {
            let words = failure(summary).map(|failure| format!("{}: {}", failure.resource, headline(&failure.error)));
            let words = format!("           {} {}", look.glyphs.failed, text::safe(&words.unwrap_or_default()));
            Line::styled(text::fit(&words, width, look.glyphs.cut).into_owned(), look.style(Role::Error)).into()
        }
        Some(Shown::Deploy(summary)) => deploy_line(deploys, step, cx, summary, width),
        Some(Shown::Operation(operation)) => operation_line(deploys, cx, operation, width),
        Some(Shown::Hidden(count)) => {
            let words = if count == 1 {
                "1 other record (plan or fetch) hidden".into()
            } else {
                format!("{count} other records (plans, fetches) hidden")
            };
            let words = format!("   {words}: zR shows all");
            Line::styled(text::fit(&words, width, look.glyphs.cut).into_owned(), look.style(Role::Dim)).into()
        }
        None => rows::Row::default(),
    }
}

/// The text of a detached deploy and its progress; `None` for any other.
fn detached(step: &Step, summary: &Summary) -> Option<String> {
    let status = step.live.detached.as_ref().filter(|status| status.is_parked())?;
    let is_it = status.deploy == summary.deploy && summary.end.is_none();
    is_it.then(|| format!("detached, {} of {} steps done", status.turned, status.total))
}

/// The status or end of a deploy, as shown beside its number.
pub fn ending(deploys: &Deploys, step: &Step, summary: &Summary) -> String {
    detached(step, summary).or_else(|| paused(step, summary)).unwrap_or_else(|| deploys.list.rows.ending(summary))
}

/// The progress of the live run of this session while it waits for a key; `None` for any other.
fn paused(step: &Step, summary: &Summary) -> Option<String> {
    let is_it = step.phase.is_live() && step.phase.deploy() == Some(summary.deploy) && summary.end.is_none();
    let ends = step.list.rows.ends();
    let failed = if ends.failed > 0 { format!(", {} failed", ends.failed) } else { String::new() };
    let is_waiting = is_it && !step.is_running() && step.next_id().is_some() || step.is_open_at_end() && is_it;
    is_waiting.then(|| format!("paused, {} of {} done{failed}", ends.done, step.list.rows.total()))
}

fn deploy_line(deploys: &Deploys, step: &Step, cx: &Cx, summary: &Summary, width: usize) -> rows::Row<'static> {
    let (state, look, glyphs) = (deploys, &cx.look, cx.look.glyphs);
    let is_back = state.list.rows.undone_by(summary.deploy).is_some();
    let (glyph, role) = match &summary.end {
        None => (glyphs.paused, Role::Warning),
        Some(end) if end.failed > 0 => (glyphs.failed, Role::Error),
        Some(_) if is_back => (glyphs.past, Role::Dim),
        Some(_) => (glyphs.done, Role::Good),
    };
    let number = summary.deploy.to_string();
    let Some(begin) = &summary.begin else {
        let spans = vec![
            Span::styled(format!(" {glyph} "), look.style(role)),
            Span::styled(format!("{number:<NUMBER$}"), look.style(Role::Strong)),
            Span::styled(UNREAD, look.style(Role::Error)),
        ];
        return Line::from(spans).into();
    };
    let ending = match (is_back, &summary.end) {
        (false, Some(end)) if end.how != Ending::CutOff && end.again == 0 => outcome(summary, end, look),
        // No process works on a deploy that can be resumed. The key must fit into a narrow column.
        (false, None) if can_resume(step, summary) => "interrupted (R)".into(),
        _ => ending(deploys, step, summary),
    };
    let role_of_ending = if role == Role::Good { Role::Dim } else { role };
    let place = if matches!(begin.purpose, Purpose::Undo { .. }) { String::new() } else { applied_words(begin) };
    let took = summary.took().map(seconds).unwrap_or_default();
    // The column only has room for the number.
    let what = purpose_words(&begin.purpose).replace("resume of ", "resume ").replace("deploy ", "");
    let head = (glyph, role, &*number);
    row_of(deploys, cx, head, &begin.time, (&what, &place), (&ending, role_of_ending, &took), width)
}

/// Why a deploy failed, if its record has it and it was not repaired.
fn failure(summary: &Summary) -> Option<&Failure> {
    summary.end.as_ref().filter(|end| end.failed > 0)?.failure.as_ref()
}

/// Whether R resumes it from here.
fn can_resume(step: &crate::tui::screen::step::State, summary: &Summary) -> bool {
    let cut = step.live.cut.as_ref().filter(|cut| !cut.is_other && !cut.as_root);
    cut.is_some_and(|cut| cut.deploy == summary.deploy)
}

/// The action counts, and how many steps failed, were blocked or skipped; in words if its record has an older version.
fn outcome(summary: &Summary, end: &End, look: &Look) -> String {
    let count = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
    let Some(sums) = &end.sums else { return ending_words(summary) };
    let plan = crate::plan::Summary {
        create: count(sums.create),
        change: count(sums.change),
        replace: count(sums.replace),
        remove: count(sums.remove),
        run: count(sums.run),
        refresh: count(sums.refresh),
        ..crate::plan::Summary::default()
    };
    let letters: Vec<_> = crate::tui::screen::step::counts(look, &plan).into_iter().map(|(words, _)| words).collect();
    let ends = [(end.failed, "failed"), (end.blocked, "blocked"), (end.skipped, "skipped")];
    let ends = ends.into_iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}"));
    let stopped = (end.how == Ending::Stopped).then(|| "stopped early".to_owned());
    let acts = (!letters.is_empty()).then(|| letters.join(" "));
    let all: Vec<String> = acts.into_iter().chain(ends).chain(stopped).collect();
    if all.is_empty() { "0 changes".into() } else { all.join(", ") }
}

/// An operation that changed nothing has no number.
fn operation_line(deploys: &Deploys, cx: &Cx, operation: &Operation, width: usize) -> rows::Row<'static> {
    let look = &cx.look;
    let (glyph, role, what, ending) = operation_row(operation, look);
    row_of(deploys, cx, (glyph, role, ""), &operation.time, (what, &operation.entry), (&ending, role, ""), width)
}

/// The sign of a plan or a fetch, its style, its text and its result.
fn operation_row(operation: &Operation, look: &Look) -> (&'static str, Role, &'static str, String) {
    let glyphs = look.glyphs;
    match &operation.what {
        What::Plan(plan) => {
            let role = if plan.tally().would_fail > 0 { Role::Warning } else { Role::Dim };
            let saved = if plan.file.is_some() { "  saved" } else { "" };
            (glyphs.waiting, role, "plan", format!("{}{saved}", sums(plan, look)))
        }
        What::Fetch(fetch) if fetch.refused.is_some() => (glyphs.failed, Role::Error, "fetch", "refused".into()),
        What::Fetch(fetch) => (glyphs.done, Role::Dim, "fetch", fetch_words(fetch)),
        What::Refused { .. } => (glyphs.failed, Role::Error, "apply", "refused".into()),
    }
}

/// The counts of a plan, as Step has them.
fn sums(plan: &MadePlan, look: &Look) -> String {
    let tally = plan.tally();
    // As in `Summary::once`.
    let once = crate::plan::Summary { none: tally.right(), refresh: tally.only_refreshed, ..tally.acts };
    let acts = crate::tui::screen::step::counts(look, &once).into_iter().map(|(words, _)| words);
    let counted = |(count, word): (u32, &str)| (count > 0).then(|| format!("{word} {count}"));
    let problems = [(tally.would_fail, "would fail"), (tally.would_be_blocked, "would be blocked")];
    let sums: Vec<_> = acts.chain(problems.into_iter().filter_map(counted)).collect();
    if sums.is_empty() { "nothing".into() } else { sums.join(" ") }
}

/// One row of the table: sign and number, time, entry, result and duration.
fn row_of(
    deploys: &Deploys,
    cx: &Cx,
    (glyph, role, number): (&str, Role, &str),
    time: &str,
    (what, place): (&str, &str),
    (ending, role_of_ending, took): (&str, Role, &str),
    width: usize,
) -> rows::Row<'static> {
    let (look, cut) = (&cx.look, cx.look.glyphs.cut);
    let columns = Columns::of(&deploys.list.rows, width);
    let fitted = |words: &str, room: usize| text::pad(&text::fit(&text::safe(words), room, cut), room);
    let place = text::safe(place);
    let place = text::pad(&text::fit_end(&place, columns.name, cut), columns.name);
    let took = if columns.took > 0 { format!("{took:>TOOK$}") } else { String::new() };
    let line = Line::from(vec![
        Span::styled(format!(" {glyph} "), look.style(role)),
        Span::styled(format!("{number:<NUMBER$}"), look.style(Role::Strong)),
        Span::styled(columns.time(time), look.style(Role::Dim)),
        Span::raw(columns.what(what, cut)),
        Span::raw(format!("{place}  ")),
        Span::styled(fitted(ending, columns.result), look.style(role_of_ending)),
        Span::styled(took, look.style(Role::Dim)),
    ]);
    rows::Row::marked(line, 3..3 + NUMBER + columns.time)
}
