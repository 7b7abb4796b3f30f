//! Draws diagnostics: source frames with carets for people, one JSON object a line for programs.

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use serde_json::{Value, json};

use super::{Diagnostic, Severity};
use crate::source::{Sources, Span, printable};

/// One diagnostic as text, with source frames; ANSI styles when `styled`.
pub fn text(diagnostic: &Diagnostic, sources: &Sources, styled: bool) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let label = shown(&diagnostic.label);
    let related: Vec<_> = diagnostic.related.iter().map(|(span, message)| (*span, shown(message))).collect();
    let title = if diagnostic.span.is_none() && !label.is_empty() {
        format!("{}: {label}", diagnostic.code.summary())
    } else {
        diagnostic.code.summary().to_string()
    };
    let mut group = Group::with_title(level.primary_title(title).id(diagnostic.code.as_str()));
    let mut elsewhere = Vec::new();
    if let Some(span) = diagnostic.span.filter(|span| !is_drawable(sources, *span)) {
        group = group.element(origin(sources, span)).element(Level::NOTE.message(label.clone()));
    } else if let Some(span) = diagnostic.span {
        let mut frame =
            frame(sources, span).annotation(AnnotationKind::Primary.span(within(sources, span)).label(label.clone()));
        for (other, message) in &related {
            if other.file == span.file && is_drawable(sources, *other) {
                frame = frame.annotation(AnnotationKind::Context.span(within(sources, *other)).label(message.clone()));
            } else {
                elsewhere.push((*other, message.clone()));
            }
        }
        group = group.element(frame);
    }
    for (span, message) in elsewhere {
        if !is_drawable(sources, span) {
            group = group.element(origin(sources, span)).element(Level::NOTE.message(message));
            continue;
        }
        group = group.element(
            frame(sources, span).annotation(AnnotationKind::Context.span(within(sources, span)).label(message)),
        );
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(shown(help)));
    }
    let renderer = if styled { Renderer::styled() } else { Renderer::plain() };
    renderer.render(&[group])
}

/// Printable, and cut where it gets longer than anybody reads: names of the user's may be of any length.
fn shown(text: &str) -> String {
    const LONGEST: usize = 500;
    match text.char_indices().nth(LONGEST) {
        None => printable(text).to_string(),
        Some((end, _)) => format!("{}…", printable(&text[..end])),
    }
}

/// Longer lines are named and not drawn: nobody reads them, and drawing costs seconds for each megabyte.
const LONGEST_LINE: usize = 10_000;

fn is_drawable(sources: &Sources, span: Span) -> bool {
    let file = sources.file(span.file);
    [span.start, span.end].iter().all(|at| file.line(file.line_column(*at).0).len() <= LONGEST_LINE)
}

/// The place alone.
fn origin(sources: &Sources, span: Span) -> Origin<'static> {
    let place = sources.place(span);
    Origin::path(printable(&place.file).to_string()).line(place.line as usize).char_column(place.column as usize)
}

fn frame(sources: &Sources, span: Span) -> Snippet<'_, annotate_snippets::Annotation<'_>> {
    let file = sources.file(span.file);
    Snippet::source(&*file.text).path(printable(&file.name).to_string())
}

/// The span's bytes, kept inside the text and on character boundaries.
fn within(sources: &Sources, span: Span) -> std::ops::Range<usize> {
    let text = &sources.file(span.file).text;
    let floor = |at: u32| {
        let mut at = (at as usize).min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    floor(span.start)..floor(span.end)
}

/// One diagnostic as the JSON object of `--error-format json`.
pub fn json(diagnostic: &Diagnostic, sources: &Sources) -> Value {
    let place = diagnostic.span.map(|span| sources.place(span));
    let related: Vec<_> = diagnostic
        .related
        .iter()
        .map(|(span, message)| {
            let place = sources.place(*span);
            json!({"file": &*place.file, "line": place.line, "column": place.column, "message": message})
        })
        .collect();
    json!({
        "code": diagnostic.code.as_str(),
        "stage": diagnostic.stage.map(|s| s.as_str()),
        "severity": diagnostic.severity.as_str(),
        "message": diagnostic.code.summary(),
        "label": diagnostic.label,
        "file": place.as_ref().map(|p| &*p.file),
        "line": place.as_ref().map(|p| p.line),
        "column": place.as_ref().map(|p| p.column),
        "end_line": place.as_ref().map(|p| p.end_line),
        "end_column": place.as_ref().map(|p| p.end_column),
        "help": diagnostic.help,
        "related": related,
        "error": diagnostic.error,
    })
}
