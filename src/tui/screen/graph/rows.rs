//! The pane of rows: rails or a tree, each row with its resource's status and planned action.

use std::cell::OnceCell;

use ratatui::prelude::{Buffer, Line, Rect, Span, Style};

use super::draw::{View, name};
use super::node;
use crate::graph::view::{Drawn, FoldKey, Row, What};
use crate::graph::{Node, NodeIndex, Reason, ResourceId};
use crate::plan::Summary;
use crate::tui::look::{Look, Role};
use crate::tui::program::{Program, Tally};
use crate::tui::screen::graph::data::State as Graph;
use crate::tui::screen::step::data::State as Step;
use crate::tui::screen::{Pane, step};
use crate::tui::widget::frame::{self, Frame};
use crate::tui::widget::{list, text};
use crate::tui::{cx::Cx, filter, message::Job, screen::step::stale::STALE};

/// A glyph with its style.
type Sign = (&'static str, Style);

pub(super) fn view(graph: &Graph, step: &Step, cx: &Cx, buf: &mut Buffer, area: Rect) {
    let (look, state) = (&cx.look, graph);
    let focused = cx.focus() == Pane::Rails;
    let title = title(graph, cx);
    let Some(program) = cx.graphed().filter(|program| !program.graph.is_empty()) else {
        let inner = frame::draw(buf, area, look, &Frame { title: &title, focused, ..Frame::default() });
        return list::draw_words(buf, inner, &empty(cx));
    };
    let foot = state.list.foot();
    let height = usize::from(area.height.saturating_sub(2));
    let scroll = state.list.extent(height);
    let inner = frame::draw(buf, area, look, &Frame { title: &title, foot: &foot, focused, scroll });
    if state.list.is_empty() {
        return list::draw_words(buf, inner, &nothing(graph, step, cx, program));
    }
    let (window, drawn, width) = (state.list.window(), state.picture(), usize::from(inner.width));
    let signs = OnceCell::new();
    list::draw(buf, inner, look, &window, drawn.rows.len(), focused, |row| {
        drawn.rows.get(row).map(|row| row_line(graph, step, cx, (program, &signs), row, width)).unwrap_or_default()
    });
    if cx.is_stale() {
        // The graph is older than the code, and is dimmed.
        buf.set_style(inner, look.style(Role::Dim));
    }
}

fn title(graph: &Graph, cx: &Cx) -> String {
    let state = graph;
    let mut title = if state.view() == View::Tree { "Dependencies" } else { "Apply order" }.to_string();
    let plain = Some(state.picture()).filter(|drawn| drawn.is_plain && drawn.stops.len() > 1);
    if let Some(drawn) = plain.filter(|_| !cx.is_working(Job::Rails)) {
        let way_out = if drawn.may_fold { "zM folds" } else { "/ or . narrows" };
        title.push_str(&format!("  (too many edges to draw: {way_out})"));
    }
    if cx.is_stale() && cx.graphed().is_some_and(|program| !program.graph.is_empty()) {
        title.push_str("  stale: last good graph");
    }
    if let Some(words) = state.lens.words() {
        title.push_str(&format!("  {words}"));
    }
    state.list.titled(title)
}

/// The text if the filter hides everything.
fn nothing(graph: &Graph, step: &Step, cx: &Cx, program: &Program) -> Vec<Line<'static>> {
    let what = (program.ways.order.len(), "resource", "resources");
    let mut lines = match (graph.list.words(), graph.lens.words()) {
        ("", Some(lens)) => filter::hidden(cx, graph, &format!("`{lens}`"), "", what),
        (words, _) => filter::hides_all(cx, graph, words, what),
    };
    if graph.list.words().contains("act:") && !step.is_loaded() {
        lines.push(Line::styled(" No plan yet: p makes one.", cx.look.style(Role::Dim)));
    }
    lines
}

/// Why there are no rows.
pub(super) fn why_nothing(graph: &Graph, step: &Step, cx: &Cx) -> Vec<Line<'static>> {
    match cx.graphed().filter(|program| !program.graph.is_empty()) {
        Some(program) => nothing(graph, step, cx, program),
        None => empty(cx),
    }
}

fn empty(cx: &Cx) -> Vec<Line<'static>> {
    let dim = cx.look.style(Role::Dim);
    let of_watch = cx.events.errors();
    let tally = cx
        .programs
        .newest
        .as_ref()
        .map(|program| Tally { errors: program.tally.errors.max(of_watch), ..program.tally });
    let tally = tally.or((of_watch > 0).then(|| Tally { errors: of_watch, ..Tally::default() }));
    match tally {
        None => vec![Line::styled(" compiling…", dim)],
        Some(tally) if tally.errors > 0 => {
            let way = if tally.errors == 1 { " 2 shows it." } else { " 2 shows them; ]d goes to the next." };
            let words = format!(" {}, so there is no graph.", tally.errors_in_words());
            vec![Line::styled(words, cx.look.style(Role::Error)), Line::styled(way, dim)]
        }
        Some(_) => {
            vec![Line::raw(" The program declares no resources."), Line::styled(" 2 shows it; e edits it.", dim)]
        }
    }
}

fn row_line(
    graph: &Graph,
    step: &Step,
    cx: &Cx,
    (program, signs_of): (&Program, &OnceCell<Vec<Option<Sign>>>),
    row: &Row,
    width: usize,
) -> list::Row<'static> {
    let (look, drawn) = (&cx.look, graph.picture());
    let rail = look.style(Role::Rail);
    let Some(node) = drawn.node_of(row).map(NodeIndex).filter(|node| (node.0 as usize) < program.graph.len()) else {
        return Line::styled(format!(" {}", row.before), rail).into();
    };
    let id = program.id(node);
    let is_again = matches!(row.what, What::Again { .. });
    let (glyph, glyph_style) = match row.what {
        What::Fold(fold) => fold_sign(step, cx, program, &drawn.folds[fold as usize].nodes),
        _ if let Node::Anchor(_) = program.graph.node(node) => {
            let signs = signs_of.get_or_init(|| signs(step, cx, program));
            signs[node.0 as usize].unwrap_or((look.glyphs.waiting, look.style(Role::Text)))
        }
        _ => step.glyph_of(look, id).unwrap_or((look.glyphs.waiting, look.style(Role::Text))),
    };
    let tail = tail(step, cx, program, drawn, row, id, width);
    let tail_width: usize = tail.iter().map(|span| text::width(&span.content)).sum();
    let gap = if graph.view() == View::Tree { " " } else { "  " };
    let drawing = 1 + text::width(&row.before) + 1 + text::width(&row.after) + gap.len();
    let room = width.saturating_sub(drawing + tail_width + 1);
    let number = drawn.numbers.get(&node.0).map(|number| numbered(look, *number));
    let (words, role) = words(program, drawn, row, node);
    let arrow = match row.what {
        What::Again { is_above: true, .. } => look.glyphs.above,
        What::Again { .. } => look.glyphs.below,
        _ => "",
    };
    let number = number.unwrap_or_default();
    let room_for_name =
        room.saturating_sub(text::width(&number) + text::width(arrow) + usize::from(!number.is_empty()));
    let fitted = text::fit_middle(&words, room_for_name, look.glyphs.cut).into_owned();
    let words = match (is_again, number.is_empty()) {
        (true, _) => format!("{number}{arrow} {fitted}"),
        (false, false) => format!("{fitted} {number}"),
        (false, true) => fitted,
    };
    let mut spans = vec![
        Span::raw(" "),
        Span::styled(row.before.clone(), rail),
        Span::styled(glyph, glyph_style),
        Span::styled(row.after.clone(), rail),
        Span::raw(gap),
        Span::styled(text::pad(&words, room), look.style(if is_again { Role::Dim } else { role })),
    ];
    spans.extend(tail);
    list::Row::marked(Line::from(spans), drawing..drawing + room)
}

fn words(program: &Program, drawn: &Drawn, row: &Row, node: NodeIndex) -> (String, Role) {
    let name = name(program, node);
    match (row.what, program.graph.node(node)) {
        (What::Fold(fold), _) => {
            let fold = &drawn.folds[fold as usize];
            // The begin of a container is its name, and not in it.
            let is_in = |node: &&u32| matches!(program.graph.node(NodeIndex(**node)), Node::Resource(_));
            let (name, more) = match &fold.key {
                FoldKey::Container(names) => {
                    (text::safe(names.last().map_or("", |name| name)), fold.nodes.iter().filter(is_in).count())
                }
                key => (node::fold_name(key), fold.nodes.len() - 1),
            };
            (format!("{name}  +{more} folded"), Role::Strong)
        }
        (What::Shut(_, needs), _) => (format!("{name}  +{needs} folded"), Role::Text),
        (_, Node::Anchor(_)) => (name, Role::Dim),
        _ => (name, Role::Text),
    }
}

/// The planned action of a row: a letter, or the sums of a fold.
fn tail(
    step: &Step,
    cx: &Cx,
    program: &Program,
    drawn: &Drawn,
    row: &Row,
    id: &ResourceId,
    width: usize,
) -> Vec<Span<'static>> {
    let look = &cx.look;
    if let What::Fold(fold) = row.what {
        let nodes = &drawn.folds[fold as usize].nodes;
        let is_stale = nodes.iter().any(|node| step.stale_words(program.id(NodeIndex(*node))).is_some());
        let mut spans = stale(look, is_stale, width);
        for (words, style) in step::counts(look, &sums(step, program, nodes)) {
            spans.push(Span::raw(" "));
            spans.push(Span::styled(words, style));
        }
        return spans;
    }
    let sign = step.sign_of(look, id);
    let (letter, style) = sign.map_or((" ", look.style(Role::Dim)), |(letter, _, style)| (letter, style));
    let refresh = look.refresh_mark(step.is_refreshed(id));
    let mut spans = stale(look, step.stale_words(id).is_some(), width);
    spans.extend([Span::raw(" "), refresh, Span::styled(letter, style)]);
    spans
}

/// The mark of a stale row, as on Step; short if there is little room.
fn stale(look: &Look, is_stale: bool, width: usize) -> Vec<Span<'static>> {
    const ROOM_FOR_WORD: usize = 34;
    let word = if width < ROOM_FOR_WORD { &STALE[..1] } else { STALE };
    is_stale.then(|| Span::styled(format!(" {word}"), look.style(Role::Warning))).into_iter().collect()
}

fn sums(step: &step::State, program: &Program, nodes: &[u32]) -> Summary {
    Summary::once(nodes.iter().filter_map(|node| step.step_of(program.id(NodeIndex(*node)))))
}

/// The status of a fold: that of its worst member.
fn fold_sign(step: &Step, cx: &Cx, program: &Program, nodes: &[u32]) -> Sign {
    let look = &cx.look;
    let signs = nodes.iter().filter_map(|node| step.glyph_of(look, program.id(NodeIndex(*node))));
    signs.min_by_key(|sign| urgency(look, *sign)).unwrap_or((look.glyphs.shut, look.style(Role::Key)))
}

/// The signs of all resources, and for the begin of each container the most urgent sign of its members. Takes one pass.
fn signs(step: &Step, cx: &Cx, program: &Program) -> Vec<Option<Sign>> {
    let (graph, look) = (&program.graph, &cx.look);
    let mut signs: Vec<Option<Sign>> = vec![None; graph.len()];
    // Members come after the begin of their container.
    for node in program.ways.order.iter().rev() {
        let at = node.0 as usize;
        signs[at] = match graph.node(*node) {
            Node::Resource(resource) => {
                Some(step.glyph_of(look, &resource.id).unwrap_or((look.glyphs.shut, look.style(Role::Key))))
            }
            Node::Anchor(_) => {
                let edges = program.ways.needed_by[at].iter().map(|edge| &graph.edges()[*edge as usize]);
                let members = edges.filter(|edge| edge.reason == Reason::Containment).map(|edge| edge.to);
                let is_inside = |to: &NodeIndex| match graph.node(*to) {
                    Node::Resource(_) => true,
                    Node::Anchor(anchor) => anchor.begin,
                };
                let inside = members.filter(is_inside).filter_map(|to| signs[to.0 as usize]);
                inside.min_by_key(|sign| urgency(look, *sign))
            }
        };
    }
    signs
}

/// The position of a sign among those that a container shows first.
fn urgency(look: &Look, (sign, _): Sign) -> usize {
    let glyphs = look.glyphs;
    let at_work = [glyphs.failed, glyphs.running, glyphs.next, glyphs.breakpoint];
    let all = at_work.into_iter().chain([glyphs.blocked, glyphs.skipped, glyphs.waiting]);
    all.take_while(|one| *one != sign).count()
}

/// The number that identifies a shared node.
fn numbered(look: &Look, number: u32) -> String {
    let circled = char::from_u32(0x245f + number).filter(|_| number <= 20 && !look.is_ascii());
    circled.map_or_else(|| format!("({number})"), String::from)
}
