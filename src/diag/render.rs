//! Draws diagnostics: source frames with carets for people, one JSON object per line for programs.

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Renderer, Snippet};
use serde_json::{Value, json};

use super::frame::Piece;
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
    let mut columns = Vec::new();
    let mut elsewhere = Vec::new();
    if let Some(span) = diagnostic.span {
        let mut together = vec![span];
        for (other, message) in &related {
            together.push(*other);
            if other.file != span.file || Piece::lines(sources.file(span.file), together.iter().copied()).is_none() {
                together.pop();
                elsewhere.push((*other, message.clone()));
            }
        }
        let piece = piece(sources, &together, &mut columns);
        let primary = AnnotationKind::Primary.span(piece.within(span)).label(label.clone());
        let near = related.iter().filter(|(other, _)| together[1..].contains(other));
        let near =
            near.map(|(other, message)| AnnotationKind::Context.span(piece.within(*other)).label(message.clone()));
        let near: Vec<_> = near.collect();
        group = group.element(snippet(sources, span, piece).annotation(primary).annotations(near));
    }
    for (span, message) in elsewhere {
        let piece = piece(sources, &[span], &mut columns);
        let annotation = AnnotationKind::Context.span(piece.within(span)).label(message);
        group = group.element(snippet(sources, span, piece).annotation(annotation));
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(shown(help)));
    }
    let renderer = if styled { Renderer::styled() } else { Renderer::plain() };
    with_columns(renderer.render(&[group]), columns)
}

/// The excerpt for spans of one file; if it is cut, also its drawn place and the real one.
fn piece<'s>(sources: &'s Sources, spans: &[Span], columns: &mut Vec<[String; 2]>) -> Piece<'s> {
    let file = sources.file(spans[0].file);
    Piece::lines(file, spans.iter().copied()).unwrap_or_else(|| {
        let piece = Piece::columns(file, spans[0]);
        let place = sources.place(spans[0]);
        let drawn = format!("{}:{}:{}", printable(&place.file), place.line, piece.column(spans[0]));
        columns.push([drawn, place.to_string()]);
        piece
    })
}

/// The place above a cut line is drawn with the column within the excerpt: replaces it with the file's own.
fn with_columns(mut drawn: String, columns: Vec<[String; 2]>) -> String {
    let mut from = 0;
    for [cut, real] in columns {
        if let Some(at) = drawn[from..].find(&cut) {
            drawn.replace_range(from + at..from + at + cut.len(), &real);
            from += at + real.len();
        }
    }
    drawn
}

/// Printable, and cut to a readable length: user names may be of any length.
fn shown(text: &str) -> String {
    const LONGEST: usize = 500;
    // A frame has one line for a message.
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let text = &if lines.len() > 1 { lines.join(" ") } else { text.to_string() };
    match text.char_indices().nth(LONGEST) {
        None => printable(text).to_string(),
        Some((end, _)) => format!("{}…", printable(&text[..end])),
    }
}

fn snippet<'s>(sources: &Sources, span: Span, piece: Piece<'s>) -> Snippet<'s, Annotation<'s>> {
    let path = printable(&sources.file(span.file).name).to_string();
    Snippet::source(piece.text).line_start(piece.first_line).path(path)
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
