//! The order: one row a resource, with where it stands, what it does, and how sure that is.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use rustc_hash::FxHashMap;

use crate::engine::message::TurnState;
use crate::graph::{Graph, ResourceId};
use crate::plan::{Action, Offered, Plan, Query, Step, Summary};
use crate::tui::look::{Look, Role};
use crate::tui::message::Job;
use crate::tui::screen::Pane;
use crate::tui::state::State as Tui;
use crate::tui::widget::frame::{self, Frame};
use crate::tui::widget::{list, text};

/// One resource of the plan.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub id: ResourceId,
    /// Its position in the plan's steps.
    pub planned: usize,
    pub state: TurnState,
    /// What its turn really did, which may differ from the plan after skips.
    pub turned: Option<Box<Step>>,
    elapsed_ms: u64,
    /// What of it stands in the sums of actions; nothing where it fails, is skipped or blocked.
    counted: Option<(Action, bool)>,
}

/// A state as queries name it.
pub(super) fn state_word(state: &TurnState) -> &'static str {
    match state {
        TurnState::Waiting => "waiting",
        TurnState::Running => "running",
        TurnState::Done => "done",
        TurnState::Failed { .. } => "failed",
        TurnState::Skipped => "skipped",
        TurnState::Blocked { .. } => "blocked",
    }
}

/// All rows, those that the filter shows, and their sums, kept as turns come in.
#[derive(Debug, Default)]
pub(super) struct Rows {
    all: Vec<Row>,
    index: FxHashMap<ResourceId, usize>,
    /// Only while there is a filter.
    shown: Option<Vec<usize>>,
    pub summary: Summary,
    turned: usize,
    failed: usize,
    skipped: usize,
    blocked: usize,
}

impl Rows {
    pub fn new(plan: &Plan) -> Self {
        let mut rows = Rows::default();
        for (planned, step) in plan.steps.iter().enumerate() {
            rows.index.insert(step.resource.clone(), planned);
            rows.all.push(Row {
                id: step.resource.clone(),
                planned,
                state: TurnState::Waiting,
                turned: None,
                elapsed_ms: 0,
                counted: acts(step),
            });
            if let Some(counted) = acts(step) {
                count(&mut rows.summary, counted, true);
            }
        }
        rows
    }

    pub fn find(&self, id: &ResourceId) -> Option<&Row> {
        self.all.get(*self.index.get(id)?)
    }

    pub fn len(&self) -> usize {
        self.shown.as_ref().map_or(self.all.len(), Vec::len)
    }

    pub fn total(&self) -> usize {
        self.all.len()
    }

    pub fn turned(&self) -> usize {
        self.turned
    }

    /// A row as the filter counts.
    pub fn shown(&self, at: usize) -> Option<&Row> {
        match &self.shown {
            Some(shown) => self.all.get(*shown.get(at)?),
            None => self.all.get(at),
        }
    }

    /// Where the filter shows a resource.
    pub fn position(&self, id: &ResourceId) -> Option<usize> {
        let at = *self.index.get(id)?;
        match &self.shown {
            Some(shown) => shown.binary_search(&at).ok(),
            None => Some(at),
        }
    }

    /// Shows what fits the words of a query. A change of a row's state changes nothing until the next words.
    pub fn filter(&mut self, words: &str, graph: Option<&Graph>) {
        let query = Query::typed(words).unwrap_or_default();
        let fits = |row: &Row| {
            let action = row.turned.as_ref().map(|step| step.action).or(row.counted.map(|(action, _)| action));
            let state = Some(state_word(&row.state));
            let resource = graph.and_then(|graph| graph.resource(graph.find(&row.id)?));
            let offered = resource.map_or_else(|| Offered::text(&row.id.0), Offered::resource);
            query.fits(&Offered { action, state, ..offered })
        };
        self.shown = (!words.is_empty())
            .then(|| self.all.iter().enumerate().filter(|(_, row)| fits(row)).map(|(at, _)| at).collect());
    }

    /// Takes in a turn and keeps the sums right.
    pub fn turn(&mut self, plan: &Plan, id: &ResourceId, state: TurnState, step: Option<Step>, elapsed_ms: u64) {
        let Some(row) = self.index.get(id).and_then(|at| self.all.get_mut(*at)) else { return };
        for (is_before, state) in [(true, &row.state), (false, &state)] {
            let change = |sum: &mut usize| if is_before { *sum = sum.saturating_sub(1) } else { *sum += 1 };
            match state {
                TurnState::Waiting | TurnState::Running => continue,
                TurnState::Done => {}
                TurnState::Failed { .. } => change(&mut self.failed),
                TurnState::Skipped => change(&mut self.skipped),
                TurnState::Blocked { .. } => change(&mut self.blocked),
            }
            change(&mut self.turned);
        }
        let is_back = state == TurnState::Waiting;
        row.state = state;
        row.elapsed_ms = elapsed_ms;
        if let Some(step) = step {
            row.turned = Some(Box::new(step));
        } else if is_back {
            row.turned = None;
        }
        let stands = matches!(row.state, TurnState::Waiting | TurnState::Running | TurnState::Done);
        let now = row.turned.as_deref().or(plan.steps.get(row.planned)).filter(|_| stands).and_then(acts);
        for (counted, is_added) in [(row.counted, false), (now, true)] {
            if let Some(counted) = counted {
                count(&mut self.summary, counted, is_added);
            }
        }
        row.counted = now;
    }

    /// The rows that ended in a way one should know of, in order.
    pub fn troubled(&self) -> impl Iterator<Item = &Row> {
        let is_trouble =
            |row: &&Row| matches!(row.state, TurnState::Failed { .. } | TurnState::Skipped | TurnState::Blocked { .. });
        self.all.iter().filter(is_trouble)
    }
}

/// What a step adds to the sums of actions; a step that would fail does nothing.
fn acts(step: &Step) -> Option<(Action, bool)> {
    step.error.is_none().then_some((step.action, step.refresh))
}

fn count(summary: &mut Summary, (action, refresh): (Action, bool), is_added: bool) {
    let sum = match action {
        Action::Create => &mut summary.create,
        Action::Change => &mut summary.change,
        Action::Replace => &mut summary.replace,
        Action::Remove => &mut summary.remove,
        Action::Run => &mut summary.run,
        Action::None => &mut summary.none,
        Action::Unknown => &mut summary.unknown,
    };
    let change = |sum: &mut u32| *sum = if is_added { *sum + 1 } else { sum.saturating_sub(1) };
    change(sum);
    if refresh {
        change(&mut summary.refresh);
    }
}

pub(super) fn view(tui: &Tui, buf: &mut Buffer, area: Rect) {
    let (look, state) = (&tui.look, &tui.step);
    let focused = tui.focus() == Pane::Order;
    let height = usize::from(area.height.saturating_sub(3));
    let title = title(tui);
    let foot = state.list.foot(state.rows.len());
    let scroll = state.list.extent(state.rows.len(), height);
    let inner = frame::draw(buf, area, look, &Frame { title: &title, foot: &foot, focused, scroll });
    if !state.is_loaded() {
        return list::draw_text(buf, inner, 0, &empty(tui));
    }
    let (rows, sums) = (Rect { height: inner.height.saturating_sub(1), ..inner }, inner.height.saturating_sub(1));
    if state.rows.len() == 0 {
        let words = format!(" Filter `{}` hides {} rows.", text::safe(&state.words), state.rows.total());
        list::draw_text(buf, rows, 0, &[Line::raw(words), Line::styled(" Esc clears it.", look.style(Role::Dim))]);
    }
    list::draw(buf, rows, look, &state.list, state.rows.len(), focused, |at| {
        state.rows.shown(at).map(|row| row_line(tui, row, usize::from(rows.width))).unwrap_or_default()
    });
    let sums_at = Rect { y: inner.y + sums, height: inner.height.min(1), ..inner };
    list::draw_text(buf, sums_at, 0, &[sums_line(tui)]);
}

fn title(tui: &Tui) -> String {
    let state = &tui.step;
    let mut title = match state.replays {
        Some(deploy) => format!("Replay of #{deploy}"),
        None => "Order".to_string(),
    };
    if state.is_loaded() {
        title.push_str(&format!("  {}/{}", state.rows.turned(), state.rows.total()));
    }
    if state.running {
        title.push_str("  running");
    } else if state.finished {
        title.push_str("  end");
    }
    if state.is_loaded() && state.turn != tui.turn && state.replays.is_none() {
        title.push_str("  stale: p plans");
    }
    if !state.words.is_empty() {
        title.push_str(&format!("  /{}", text::safe(&state.words)));
    }
    title
}

fn empty(tui: &Tui) -> Vec<Line<'static>> {
    let dim = tui.look.style(Role::Dim);
    if tui.is_working(Job::Plan) {
        return vec![Line::styled(" looking at the machine…", dim)];
    }
    match &tui.program {
        None => vec![Line::styled(" compiling…", dim)],
        Some(program) if program.has_errors() => vec![
            Line::styled(
                format!(" {}: nothing can be planned.", program.tally.errors_in_words()),
                tui.look.style(Role::Error),
            ),
            Line::styled(" 2 shows them.", dim),
        ],
        Some(program) if program.graph.is_empty() => vec![Line::raw(" The program declares no resources.")],
        Some(program) => {
            vec![Line::raw(" No plan yet."), Line::styled(format!(" p plans {} resources.", program.order.len()), dim)]
        }
    }
}

fn row_line(tui: &Tui, row: &Row, width: usize) -> Line<'static> {
    let look = &tui.look;
    let (glyph, glyph_style) = tui.step.glyph_of(look, &row.id).unwrap_or((" ", look.style(Role::Text)));
    let step = tui.step.step_of(&row.id);
    let (letter, letter_style) = step.map_or((" ", look.style(Role::Dim)), |step| look.action(step.action));
    let refresh = if step.is_some_and(|step| step.refresh) { look.glyphs.refresh } else { " " };
    let (tail, tail_style) = tail(tui, row, step);
    // Where there is little room the mark alone has to do; the words stand in the pane beside.
    let tail_room = if width < 40 { 2.min(width / 3) } else { 11 };
    let tail = if tail_room < 3 {
        tail.split(' ').next().filter(|mark| text::width(mark) == 1).unwrap_or_default().into()
    } else {
        tail
    };
    let tail = text::pad(&text::fit(&tail, tail_room, look.glyphs.cut), tail_room);
    let room = width.saturating_sub(tail_room + 8);
    let name = text::pad(&super::name(&row.id, room, look), room);
    let is_done = row.state == TurnState::Done && step.is_some_and(|step| step.action == Action::None);
    Line::from(vec![
        Span::styled(format!(" {glyph} "), glyph_style),
        Span::styled(name, look.style(if is_done { Role::Dim } else { Role::Text })),
        Span::styled(format!(" {letter}"), letter_style),
        Span::styled(format!("{refresh} "), look.style(Role::Refresh)),
        Span::styled(tail, tail_style),
    ])
}

fn tail(tui: &Tui, row: &Row, step: Option<&Step>) -> (String, ratatui::style::Style) {
    let look: &Look = &tui.look;
    match &row.state {
        TurnState::Waiting => step.map_or((String::new(), look.style(Role::Dim)), |step| {
            let (mark, word, style) = look.certainty(step.certainty);
            (format!("{mark} {word}"), style)
        }),
        TurnState::Running => ("running".into(), look.style(Role::Active)),
        TurnState::Done if row.elapsed_ms == 0 => ("done".into(), look.style(Role::Dim)),
        TurnState::Done => (format!("done {}", elapsed(row.elapsed_ms)), look.style(Role::Dim)),
        TurnState::Failed { .. } => ("failed".into(), look.style(Role::Failed)),
        TurnState::Skipped => ("skipped".into(), look.style(Role::Skipped)),
        TurnState::Blocked { .. } => ("blocked".into(), look.style(Role::Blocked)),
    }
}

/// How long a row's turn took.
pub(super) fn row_elapsed(row: &Row) -> String {
    elapsed(row.elapsed_ms)
}

/// A duration as people read it.
fn elapsed(ms: u64) -> String {
    match ms {
        0 => "<1ms".into(),
        1..1000 => format!("{ms}ms"),
        _ => format!("{}.{}s", ms / 1000, ms % 1000 / 100),
    }
}

fn sums_line(tui: &Tui) -> Line<'static> {
    let rows = &tui.step.rows;
    let mut spans = vec![Span::raw(" ")];
    for (words, style) in super::counts(&tui.look, &rows.summary) {
        spans.push(Span::styled(words, style));
        spans.push(Span::raw(" "));
    }
    for (count, word, role) in [
        (rows.failed, "failed", Role::Failed),
        (rows.skipped, "skipped", Role::Dim),
        (rows.blocked, "blocked", Role::Blocked),
    ] {
        if count > 0 {
            spans.push(Span::styled(format!(" {word} {count}"), tui.look.style(role)));
        }
    }
    Line::from(spans)
}
