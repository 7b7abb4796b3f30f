//! The details of a deploy, the differences of two, or the result of a plan or a fetch, as lines.

use std::{collections::BTreeMap, sync::Arc};

use ratatui::prelude::{Line, Span, Style};
use serde_json::Value as Json;

use crate::graph::ResourceId;
use crate::plan::CompiledFor;
use crate::session::history::{
    Amended, Deploy, Difference, Outcome, Summary, amended_words, outcome_words, status_words, tries, what_words,
};
use crate::session::operations::{Fetch, MadePlan, Operation, REFUSED_WORDS, What, fetch_words, plan_words};
use crate::session::recorded_in_own_words;
use crate::source::headline;
use crate::tui::look::{Look, Role};
pub use crate::tui::screen::deploys::data::Detail;
use crate::tui::widget::diff::{self, View};
use crate::tui::{widget::field::Fields, widget::text};

/// A longer deploy is cut; `workbench deploy show` prints all of it.
const LINES: usize = 20_000;
/// The details of a resource are below its name.
const INDENT: &str = "    ";

impl Detail {
    /// Whether it has a diff of multi-line texts.
    pub fn has_texts(&self) -> bool {
        let compares = |outcome: &Outcome| outcome.changes.iter().any(|change| texts(change).is_some());
        match self {
            Detail::Deploy { deploy, .. } => deploy.outcomes.iter().any(compares),
            Detail::Between { differences, .. } => {
                differences.iter().flat_map(|difference| [&difference.one, &difference.other]).flatten().any(compares)
            }
            Detail::Operation(_) | Detail::Error(_) => false,
        }
    }

    /// The title of a subject without a number.
    pub fn title(&self) -> &'static str {
        match self {
            Detail::Operation(Operation { what: What::Plan(_), .. }) => "Plan",
            Detail::Operation(Operation { what: What::Fetch(_), .. }) => "Fetch",
            Detail::Operation(Operation { what: What::Refused { .. }, .. }) => "Apply",
            Detail::Deploy { .. } | Detail::Between { .. } | Detail::Error(_) => "",
        }
    }

    /// All of it; texts are compared in that view.
    pub fn lines(&self, look: &Look, view: View, width: usize) -> Vec<Line<'static>> {
        let draw = Draw { look, view, width };
        match self {
            Detail::Deploy { deploy, at_work, undone_by } => draw.deploy(deploy, *at_work, undone_by.as_deref()),
            Detail::Between { one, other, differences } => draw.between(*one, *other, differences),
            Detail::Operation(operation) => draw.operation(operation),
            Detail::Error(error) => vec![Line::styled(text::safe(error), look.style(Role::Error))],
        }
    }
}

struct Draw<'a> {
    look: &'a Look,
    view: View,
    width: usize,
}

impl Draw<'_> {
    fn field(&self, name: &str, value: String) -> Line<'static> {
        self.fields().line(name, vec![Span::raw(value)])
    }

    fn fields(&self) -> Fields<'_> {
        Fields { look: self.look, names: 9, width: self.width }
    }

    /// A plan or a fetch.
    fn operation(&self, operation: &Operation) -> Vec<Line<'static>> {
        let Operation { time, user, entry, what } = operation;
        let word = match what {
            What::Plan(_) => "plan of",
            What::Fetch(_) => "fetch for",
            What::Refused { .. } => "apply of",
        };
        let mut lines = vec![
            self.field("what", text::safe(&format!("{word} {entry}"))),
            self.field("when", text::safe(time)),
            self.field("who", text::safe(user)),
        ];
        match what {
            What::Plan(plan) => self.plan(plan, &mut lines),
            What::Fetch(fetch) => self.fetch(fetch, &mut lines),
            What::Refused { .. } => lines.push(self.field("end", REFUSED_WORDS.into())),
        }
        lines
    }

    fn plan(&self, plan: &MadePlan, lines: &mut Vec<Line<'static>>) {
        let look = self.look;
        lines.push(self.field("plan", text::safe(plan.plan.get(..12).unwrap_or(&plan.plan))));
        lines.extend(plan.compiled_for.iter().flat_map(|compiled_for| self.compiled_for(compiled_for)));
        lines.push(self.field("would", plan_words(plan)));
        let right = plan.tally().right();
        if right > 0 {
            lines.push(self.field("", format!("{right} unchanged")));
        }
        lines.push(Line::raw(""));
        match &plan.file {
            Some(file) => {
                lines.push(self.field("saved as", text::safe(&file.display().to_string())));
                lines.push(Line::styled(
                    "Enter opens it on Plan and checks that it is still valid",
                    look.style(Role::Dim),
                ));
            }
            None => lines.extend(
                ["This plan was not saved.", "`workbench preview --out FILE` saves a plan."]
                    .map(|words| Line::styled(words, look.style(Role::Dim))),
            ),
        }
    }

    /// The node, the options and the facts.
    fn compiled_for(&self, compiled_for: &CompiledFor) -> Vec<Line<'static>> {
        let lines: Vec<_> = compiled_for.lines().iter().map(|line| text::safe(line)).collect();
        self.fields().text("compiled", &lines.join("\n"), Style::default())
    }

    fn fetch(&self, fetch: &Fetch, lines: &mut Vec<Line<'static>>) {
        let look = self.look;
        if let Some(refused) = &fetch.refused {
            let words = text::safe(&format!("refused: {refused}"));
            lines.extend(self.fields().text("end", &words, look.style(Role::Error)));
            return;
        }
        lines.push(self.field("end", fetch_words(fetch)));
        lines.push(Line::raw(""));
        let short = |commit: &str| text::safe(commit.get(..12).unwrap_or(commit));
        let name = |sign: &str, role: Role, name: &str| {
            let sign = Span::styled(format!("{sign} "), look.style(role));
            Line::from(vec![sign, Span::styled(text::safe(name), look.style(Role::Strong))])
        };
        for (module, from, to) in &fetch.moved {
            lines.push(name("~", Role::New, module));
            lines.push(Line::raw(format!("{INDENT}{} {} {}", short(from), look.glyphs.arrow, short(to))));
        }
        for (module, commit) in &fetch.came {
            lines.push(name("+", Role::New, module));
            lines.push(Line::raw(format!("{INDENT}fetched at {}", short(commit))));
        }
        if fetch.more > 0 {
            lines.push(Line::styled(format!("and {} more", fetch.more), look.style(Role::Dim)));
        }
    }

    fn deploy(&self, deploy: &Deploy, at_work: Option<bool>, undone_by: Option<&str>) -> Vec<Line<'static>> {
        let look = self.look;
        let begin = &deploy.begin;
        let who = match &begin.behind {
            Some(behind) => format!("{} (as {})", text::safe(behind), text::safe(&begin.user)),
            None => text::safe(&begin.user),
        };
        let summary = Summary { deploy: begin.deploy, begin: Some(begin.clone()), end: deploy.end.clone() };
        let mut lines = vec![
            self.field("what", text::safe(&what_words(begin))),
            self.field("when", text::safe(&begin.time)),
            self.field("who", format!("{who}, {}", text::safe(&begin.program))),
            self.field("result", status_words(&summary, at_work)),
        ];
        if let Some(words) = undone_by {
            lines.push(self.field("later", words.to_owned()));
        }
        lines.extend(begin.compiled_for.iter().flat_map(|compiled_for| self.compiled_for(compiled_for)));
        for (at, module) in begin.modules.iter().enumerate() {
            let commit = module.commit.as_deref().map_or("no commit", |commit| commit.get(..12).unwrap_or(commit));
            let edited = if module.edited { ", edited" } else { "" };
            let words = format!("{} ({commit}{edited})", module.path);
            lines.push(self.field(if at == 0 { "modules" } else { "" }, text::safe(&words)));
        }
        lines.push(Line::raw(""));
        let mut amended = deploy.amended.iter().peekable();
        let is_change = |outcome: &&Outcome| outcome.state != "done" || outcome.action != "none";
        let last: BTreeMap<&ResourceId, &str> =
            deploy.outcomes.iter().map(|outcome| (&outcome.resource, &*outcome.state)).collect();
        let right = deploy.outcomes.iter().filter(|outcome| !is_change(outcome)).count();
        for (at, (outcome, tried)) in deploy.outcomes.iter().zip(tries(deploy)).enumerate() {
            while let Some(amended) = amended.next_if(|amended| amended.at <= at) {
                self.amended(amended, &mut lines);
            }
            if !is_change(&outcome) {
                continue;
            }
            if lines.len() > LINES {
                let words = format!("more: workbench deploy show {}", begin.deploy);
                lines.push(Line::styled(words, look.style(Role::Dim)));
                return lines;
            }
            let at = lines.len();
            let is_skipped = last.get(&outcome.resource) == Some(&"skipped");
            self.outcome(outcome, is_skipped, &mut lines);
            if let Some(head) = lines.get_mut(at).filter(|_| tried > 1) {
                // After the name, because the rest may be long.
                head.spans.insert(2, Span::styled(format!("  try {tried}"), look.style(Role::Dim)));
            }
        }
        amended.for_each(|amended| self.amended(amended, &mut lines));
        if right > 0 {
            let words = format!("{right} {} unchanged", if right == 1 { "was" } else { "were" });
            lines.push(Line::styled(words, look.style(Role::Dim)));
        }
        for step in deploy.open_steps().filter(|step| !step.is_own) {
            let words = format!(
                "{} {}: {} was interrupted",
                look.glyphs.paused,
                step.intent.resource,
                step.intent.operation.words()
            );
            lines.push(Line::styled(text::safe(&words), look.style(Role::Warning)));
        }
        lines
    }

    /// The declarations that changed during the deploy.
    fn amended(&self, amended: &Amended, lines: &mut Vec<Line<'static>>) {
        let words = format!("{} {}  {}", self.look.glyphs.replace, amended.resource, amended_words(amended));
        lines.extend(text::wrap_line(&Line::styled(text::safe(&words), self.look.style(Role::Warning)), self.width));
    }

    /// `is_skipped`: the step was skipped in the end.
    fn outcome(&self, outcome: &Outcome, is_skipped: bool, lines: &mut Vec<Line<'static>>) {
        let look = self.look;
        let glyphs = look.glyphs;
        let (glyph, role) = match outcome.state.as_str() {
            "done" => (glyphs.done, Role::Good),
            "failed" if is_skipped => (glyphs.skipped, Role::Dim),
            "failed" => (glyphs.failed, Role::Error),
            "blocked" => (glyphs.blocked, Role::Warning),
            // An undo has no plan: an unchanged resource has another sign than a skipped step.
            _ if outcome.planned.is_none() => (glyphs.dash, Role::Dim),
            _ => (glyphs.skipped, Role::Dim),
        };
        lines.push(Line::from(vec![
            Span::styled(format!("{glyph} "), look.style(role)),
            Span::styled(text::safe(&outcome.resource.0), look.style(Role::Strong)),
            Span::styled(format!("  {}", text::safe(headline(outcome_words(outcome)))), look.style(role)),
        ]));
        let output = outcome.error.iter().flat_map(|error| error.lines().skip(1));
        lines.extend(output.map(|line| Line::styled(format!("{INDENT}{}", text::safe(line)), look.style(role))));
        // If the step reports an action, that is the result.
        if let Some(planned) = outcome.planned.as_ref().filter(|_| outcome.action.is_empty()) {
            let words = format!("{INDENT}planned: {} ({})", planned.action, planned.certainty);
            lines.push(Line::styled(text::safe(&words), look.style(Role::Dim)));
        }
        let changes = recorded_in_own_words(&outcome.resource, &outcome.changes);
        lines.extend(changes.iter().flat_map(|change| self.change(change)));
    }

    /// One property from the journal: multi-line texts as a diff, others on one line or one line per side.
    fn change(&self, change: &Json) -> Vec<Line<'static>> {
        let look = self.look;
        let name = text::safe(change["property"].as_str().unwrap_or_default());
        let (from, to) = (&change["from"], &change["to"]);
        if let Some((from, to)) = texts(change) {
            let mut lines = vec![Line::styled(format!("{INDENT}{name}"), look.style(Role::Dim))];
            let room = self.width.saturating_sub(INDENT.len());
            lines.extend(diff::lines(&from, &to, self.view, room, look).into_iter().map(|mut line| {
                line.spans.insert(0, Span::raw(INDENT));
                line
            }));
            return lines;
        }
        let (from, to) = (self.side(from), self.side(to));
        let head = Span::styled(format!("{INDENT}{name:<10} "), look.style(Role::Dim));
        let (gone, new) = (look.style(Role::Gone), look.style(Role::New));
        let arrow = format!(" {} ", look.glyphs.arrow);
        if head.width() + text::width(&from) + text::width(&arrow) + text::width(&to) <= self.width {
            return vec![Line::from(vec![head, Span::styled(from, gone), Span::raw(arrow), Span::styled(to, new)])];
        }
        let mut lines = vec![Line::from(head)];
        let room = self.width.saturating_sub(INDENT.len() + 2);
        for (mark, words, style) in [("- ", from, gone), ("+ ", to, new)] {
            let wrapped = text::wrap(&words, room).into_iter().enumerate();
            lines.extend(wrapped.map(|(at, words)| {
                Line::styled(format!("{INDENT}{}{words}", if at == 0 { mark } else { "  " }), style)
            }));
        }
        lines
    }

    /// One side of a change, in a line.
    fn side(&self, side: &Json) -> String {
        match side {
            Json::Null => "not set".into(),
            Json::String(words) if words.is_empty() => "\"\"".into(),
            Json::String(words) => text::safe(words.trim_end_matches('\n')),
            other if other.get("$sensitive").is_some() => "(secret)".into(),
            other => text::safe(&other.to_string()),
        }
    }

    fn between(&self, one: u64, other: u64, differences: &[Difference]) -> Vec<Line<'static>> {
        let look = self.look;
        if differences.is_empty() {
            return vec![Line::raw("No differences.")];
        }
        let mut lines = Vec::new();
        for difference in differences.iter().take(LINES) {
            for (deploy, outcome) in [(one, &difference.one), (other, &difference.other)] {
                let role = if deploy == one { Role::Gone } else { Role::New };
                match outcome {
                    None => {
                        let words = format!("{}  is not in #{deploy}", difference.resource);
                        lines.push(Line::styled(text::safe(&words), look.style(Role::Dim)));
                    }
                    Some(outcome) => {
                        lines.push(Line::styled(format!("#{deploy}"), look.style(role)));
                        self.outcome(outcome, false, &mut lines);
                    }
                }
            }
            lines.push(Line::raw(""));
        }
        lines
    }
}

/// The two texts of a property, if at least one has several lines.
fn texts(change: &Json) -> Option<(Arc<str>, Arc<str>)> {
    let (from, to) = (whole_text(&change["from"])?, whole_text(&change["to"])?);
    let is_long = |text: &str| text.trim_end_matches('\n').contains('\n');
    (is_long(&from) || is_long(&to)).then_some((from, to))
}

/// A side of a change that is text or missing.
fn whole_text(side: &Json) -> Option<Arc<str>> {
    match side {
        Json::Null => Some("".into()),
        Json::String(text) => Some(text.as_str().into()),
        _ => None,
    }
}
