//! The columns left of the text: breakpoint, problem or planned action, and the line number.

use std::{collections::BTreeMap, ops::RangeInclusive};

use ratatui::text::Span;

use super::{doc::Doc, problems::severity_words};
use crate::graph::NodeIndex;
use crate::tui::cx::Cx;
use crate::tui::look::{Look, Role};
use crate::tui::screen::step::data::State as Step;

pub(super) fn width(doc: &Doc) -> usize {
    digits(doc) + 4
}

fn digits(doc: &Doc) -> usize {
    doc.len().to_string().len().max(3)
}

pub(super) struct Gutter<'a> {
    cx: &'a Cx,
    step: &'a Step,
    is_relative: bool,
    declared: Option<&'a BTreeMap<u32, Vec<NodeIndex>>>,
    problems: Option<&'a BTreeMap<u32, Vec<usize>>>,
    digits: usize,
    /// The cursor's line, from 0.
    here: usize,
}

impl<'a> Gutter<'a> {
    pub fn new(cx: &'a Cx, step: &'a Step, is_relative: bool, doc: &Doc) -> Self {
        let declared = cx.graphed().and_then(|program| program.declared_in(&doc.name));
        let problems = cx.programs.newest.as_ref().and_then(|program| program.problems_in(&doc.name));
        Self { cx, step, is_relative, declared, problems, digits: digits(doc), here: doc.position.list.cursor }
    }

    /// The breakpoint or next-step mark; the worst problem, or the planned action of the resource declared here; the
    /// number.
    ///
    /// Only the number of the cursor's line is highlighted: colouring the whole line would send two whole lines per
    /// move. `last` is the last of the lines that are folded into this one: their marks show here.
    pub fn marks(&self, line: usize, last: usize, is_here: bool) -> Vec<Span<'static>> {
        let (look, digits) = (&self.cx.look, self.digits);
        let number = line as u32 + 1;
        let numbers = number..=last as u32 + 1;
        let nodes: Vec<NodeIndex> = self
            .declared
            .into_iter()
            .flat_map(|declared| declared.range(numbers.clone()))
            .flat_map(|(_, n)| n)
            .copied()
            .collect();
        let (first, second) = (self.stop_mark(look, &nodes), self.line_mark(look, numbers, &nodes));
        // A relative number is the count for a move; the cursor's own line shows its real number.
        let shown = if self.is_relative && !is_here { line.abs_diff(self.here) as u32 } else { number };
        let number = Span::styled(
            format!("{shown:>digits$} "),
            look.style(if is_here { Role::LineNumberHere } else { Role::LineNumber }),
        );
        vec![first, second, Span::raw(" "), number]
    }

    fn stop_mark(&self, look: &Look, nodes: &[NodeIndex]) -> Span<'static> {
        let Some(program) = self.cx.graphed().filter(|_| !nodes.is_empty()) else { return Span::raw(" ") };
        let step = self.step;
        if nodes.iter().any(|node| step.next_id() == Some(program.id(*node))) {
            Span::styled(look.glyphs.next, look.style(Role::Active))
        } else if nodes.iter().any(|node| step.stops_at(program.id(*node))) {
            Span::styled(look.glyphs.breakpoint, look.style(Role::Breakpoint))
        } else {
            Span::raw(" ")
        }
    }

    fn line_mark(&self, look: &Look, numbers: RangeInclusive<u32>, nodes: &[NodeIndex]) -> Span<'static> {
        let program = self.cx.programs.newest.as_ref();
        let here =
            self.problems.into_iter().flat_map(|problems| problems.range(numbers.clone())).flat_map(|(_, here)| here);
        let worst = here.filter_map(|at| Some(program?.problems.get(*at)?.diagnostic.severity)).min();
        if let Some(severity) = worst {
            let (letter, role) = severity_words(severity);
            return Span::styled(letter, look.style(role));
        }
        let Some(node) = nodes.first() else { return Span::raw(" ") };
        let sign = self.cx.graphed().and_then(|program| self.step.sign_of(look, program.id(*node)));
        match sign {
            Some((letter, _, style)) => Span::styled(letter, style),
            None => Span::styled(look.glyphs.declared, look.style(Role::Dim)),
        }
    }
}
