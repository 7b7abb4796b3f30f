//! A comparison as a report: the changes in groups with the same nodes, those on most nodes first.

use super::plan::{detail, violation};
use super::{Document, Row, Section, Sort, group};
use crate::compare::{Comparison, Difference, Finding, Meaning, What, ranges};
use crate::lang::note_in_own_words;
use crate::source::{Place, printable};

impl Comparison {
    /// Makes a report, with the names of both sides.
    pub fn document(&self, sides: &[String; 2], is_over_nodes: bool) -> Document {
        let sections = self
            .groups()
            .into_iter()
            .map(|(nodes, findings)| {
                let mut rows: Vec<Row> = findings.into_iter().map(finding).collect();
                // Removals and failures first; the sort keeps the order of the others.
                rows.sort_by_key(|row| !matches!(row.sort, Sort::Remove | Sort::Fail));
                let (title, about) = match is_over_nodes {
                    true => {
                        (format!("{} of {} nodes", nodes.len(), self.nodes.len()), ranges(self.names(nodes)).join(" "))
                    }
                    false => ("Changes".into(), String::new()),
                };
                Section { title, about: printable(&about).to_string(), rows: group(rows) }
            })
            .collect();
        let summary = match (is_over_nodes, self.is_equal()) {
            (true, _) => format!(
                "{} nodes: {} equal, {} changed, {} not compiled",
                self.nodes.len(),
                self.equal,
                self.changed,
                self.failing
            ),
            (false, true) => "both sides declare the same".into(),
            (false, false) if self.found.len() == 1 => "1 difference".into(),
            (false, false) => format!("{} differences", self.found.len()),
        };
        Document { title: title(sides), summary, sections, ..Document::default() }
    }
}

impl Meaning {
    /// Makes a report, with the names of both sides.
    pub fn document(&self, sides: &[String; 2]) -> Document {
        let mut rows: Vec<Row> =
            self.rows.iter().filter_map(Difference::in_own_words).map(|row| difference(&row)).collect();
        rows.extend(self.unknown.iter().map(|unknown| Row {
            sort: Sort::Other,
            names: vec![unknown.resource.to_string()],
            what: format!("unknown in {}", printable(&sides[unknown.side % 2])),
            place: unknown.source.as_ref().map(ToString::to_string).unwrap_or_default(),
            notes: vec![printable(&note_in_own_words(&unknown.resource, &unknown.why)).to_string()],
            ..Row::default()
        }));
        let sections = vec![Section { title: "End states".into(), rows: group(rows), ..Section::default() }];
        Document { title: title(sides), summary: self.verdict.word().into(), sections, ..Document::default() }
    }
}

fn title(sides: &[String; 2]) -> String {
    format!("{} compared with {}", printable(&sides[1]), printable(&sides[0]))
}

fn finding(finding: &Finding) -> Row {
    match finding {
        Finding::Difference(row) => difference(row),
        Finding::Violation(broken) => violation(broken),
        Finding::Fault { side, both, fault } => Row {
            sort: Sort::Fail,
            names: vec![printable(&fault.words()).to_string()],
            what: match (*both, *side) {
                (true, _) => "fails on both sides",
                (false, 0) => "compiles now; failed before",
                (false, _) => "fails now",
            }
            .into(),
            place: fault.place.as_ref().map(ToString::to_string).unwrap_or_default(),
            notes: fault.related.iter().map(|(_, message)| printable(message).to_string()).collect(),
            ..Row::default()
        },
    }
}

fn difference(row: &Difference) -> Row {
    let (sort, details) = match &row.what {
        What::Added => (Sort::Add, Vec::new()),
        What::Removed => (Sort::Remove, Vec::new()),
        What::Parameter(change) => (Sort::Change, vec![detail(change)]),
        _ => (Sort::Other, Vec::new()),
    };
    let what = match &row.what {
        What::Parameter(_) => "changed".into(),
        what => what.words(),
    };
    let place =
        |place: &Option<Place>| place.as_ref().map(|place| format!("{}:{}", printable(&place.file), place.line));
    let place = match (place(&row.places[0]), place(&row.places[1])) {
        (Some(a), Some(b)) if a != b => format!("{a} → {b}"),
        (a, b) => b.or(a).unwrap_or_default(),
    };
    Row { sort, names: vec![row.resource.to_string()], what, place, details, notes: Vec::new() }
}
