//! A report as Markdown that fits a comment of a merge request.

use std::fmt::Write;

use super::{Document, Row, Sort};

/// The longest comment, in characters, with room for a heading of the user.
const LONGEST: usize = 60_000;

/// How much of a report is written, most first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Extent {
    All,
    ShortDiffs,
    NoDetails,
    OnlyRemovals,
}

/// How many lines of a diff remain in a shorter report.
const LINES: usize = 12;

/// Writes a report. Detail is dropped until it fits, and the report names what was dropped.
pub fn markdown(document: &Document) -> String {
    let all = [Extent::All, Extent::ShortDiffs, Extent::NoDetails, Extent::OnlyRemovals];
    let mut text = String::new();
    for extent in all {
        text = write(document, extent);
        if text.chars().count() <= LONGEST {
            break;
        }
    }
    text
}

fn write(document: &Document, extent: Extent) -> String {
    let mut out = String::new();
    // Writing to a text cannot fail.
    let _ = writeln!(out, "## {}\n\n{}\n", code(&document.title), plain(&document.summary));
    let dropped = match extent {
        Extent::All => "",
        Extent::ShortDiffs => "This report is shortened: long differences of contents are cut.",
        Extent::NoDetails => "This report is shortened: the values of changes are left out.",
        Extent::OnlyRemovals => "This report is shortened: only removals and failures are listed, the rest is counted.",
    };
    if !dropped.is_empty() {
        let _ = writeln!(out, "> {dropped}\n");
    }
    for section in &document.sections {
        let _ = writeln!(out, "### {}\n", plain(&section.title));
        if !section.about.is_empty() {
            let about: String = section.about.chars().take(2_000).collect();
            let _ = writeln!(out, "{}\n", code(&about));
        }
        let mut left_out = 0;
        for row in &section.rows {
            if extent == Extent::OnlyRemovals && !matches!(row.sort, Sort::Remove | Sort::Fail) {
                left_out += row.names.len();
                continue;
            }
            write_row(&mut out, row, extent);
        }
        if left_out > 0 {
            let _ = writeln!(out, "- and {left_out} more");
        }
        out.push('\n');
    }
    for (name, text) in &document.closing {
        let _ = writeln!(out, "{}: {}\n", plain(name), code(text));
    }
    out
}

fn write_row(out: &mut String, row: &Row, extent: Extent) {
    // All names of a removal are written, whatever they cost.
    let most = if row.sort == Sort::Remove { row.names.len() } else { 20 };
    let mut names: Vec<String> = row.names.iter().take(most).map(|name| code(name)).collect();
    if row.names.len() > most {
        names.push(format!("and {} more", row.names.len() - most));
    }
    let place = if row.place.is_empty() { String::new() } else { format!(" ({})", code(&row.place)) };
    let _ = writeln!(out, "- `{}` {}: {}{place}", row.sort.sign(), names.join(", "), plain(&row.what));
    if extent >= Extent::NoDetails {
        return;
    }
    for detail in &row.details {
        if detail.lines.is_empty() {
            let value = |value: &Option<String>| value.as_deref().map_or("(none)".into(), code);
            let (from, to) = (value(&detail.from), value(&detail.to));
            let _ = writeln!(out, "  - {}: {from} → {to}", code(&detail.property));
            continue;
        }
        let most = if extent == Extent::All { detail.lines.len() } else { LINES };
        let lines = &detail.lines[..most.min(detail.lines.len())];
        let fence = "`".repeat(longest_run(lines.iter().map(String::as_str)).max(2) + 1);
        let _ = writeln!(out, "  - {}:\n\n    {fence}diff", code(&detail.property));
        for line in lines {
            let _ = writeln!(out, "    {line}");
        }
        if lines.len() < detail.lines.len() {
            let _ = writeln!(out, "    … {} more lines", detail.lines.len() - lines.len());
        }
        let _ = writeln!(out, "    {fence}\n");
    }
    for note in &row.notes {
        let _ = writeln!(out, "  - {}", code(note));
    }
}

/// A text as a code span, in which nothing is markup.
pub(super) fn code(text: &str) -> String {
    let line = text.replace(['\n', '\r'], " ");
    let fence = "`".repeat(longest_run([&*line]) + 1);
    let pad = if line.starts_with('`') || line.ends_with('`') || line.is_empty() { " " } else { "" };
    format!("{fence}{pad}{line}{pad}{fence}")
}

/// A sentence of ours, in which letters that could be markup are escaped.
fn plain(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '\n' | '\r' => out.push(' '),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '#' | '|' | '~' | '@' | '!' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}

fn longest_run<'t>(texts: impl IntoIterator<Item = &'t str>) -> usize {
    let run = |text: &str| text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    texts.into_iter().map(run).max().unwrap_or(0)
}
