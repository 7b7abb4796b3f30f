//! A report as one HTML page: no network, and readable without scripts.

use std::fmt::Write;

use super::{Document, Row, Sort};

/// Light and dark by the reader's setting, and black on white in print.
const STYLE: &str = ":root{color-scheme:light dark;--g:#177a3a;--r:#b3261e;--y:#8a5a00;--l:#8884}\
@media(prefers-color-scheme:dark){:root{--g:#6dd58c;--r:#ff8a80;--y:#ffd54f}}\
body{font:15px/1.5 system-ui,sans-serif;max-width:70em;margin:2em auto;padding:0 1em}\
code,pre{font:13px/1.45 ui-monospace,monospace}pre{overflow-x:auto;margin:.3em 0;padding:.4em;border:1px solid var(--l)}\
details,.row{border-top:1px solid var(--l);padding:.35em 0}summary{cursor:pointer}.a{color:var(--g)}.d{color:var(--r)}\
.c{color:var(--y)}.p{opacity:.65}ul{margin:.2em 0}svg text{font:11px ui-monospace,monospace;fill:currentColor}\
svg path{fill:none;stroke:currentColor;opacity:.45}input{font:inherit;width:20em;max-width:100%}\
@media print{input{display:none}body{margin:0;max-width:none}details>*{display:block}}";

/// Hides the rows that do not contain the words of the search field.
const SCRIPT: &str = "const f=document.getElementById('q');f.hidden=false;f.oninput=()=>{const w=f.value.toLowerCase().split(/\\s+/);\
for(const r of document.querySelectorAll('[data-row]'))r.hidden=!w.every(x=>r.textContent.toLowerCase().includes(x))}";

/// Nothing is loaded, and only the script above runs.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

/// The most names of one row before the rest is counted, unless they are removed.
const NAMES: usize = 200;

/// Writes a page.
pub fn html(document: &Document) -> String {
    let mut out = String::new();
    let title = escape(&document.title);
    // Writing to a text cannot fail.
    let _ = write!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n<style>{STYLE}</style>\n\
         <h1>{title}</h1>\n<p>{}</p>\n<input id=\"q\" type=\"search\" placeholder=\"Search\" aria-label=\"Search\" hidden>\n",
        escape(&document.summary)
    );
    for section in &document.sections {
        let _ = writeln!(out, "<h2>{}</h2>", escape(&section.title));
        if !section.about.is_empty() {
            let _ = writeln!(out, "<p><code>{}</code></p>", escape(&section.about));
        }
        section.rows.iter().for_each(|row| write_row(&mut out, row));
    }
    if document.graph.iter().any(|(_, before)| !before.is_empty()) {
        let _ = writeln!(out, "<h2>Order</h2>");
        write_graph(&mut out, &document.graph);
    }
    for (name, text) in &document.closing {
        let _ = writeln!(out, "<p>{}: <code>{}</code></p>", escape(name), escape(text));
    }
    let _ = writeln!(out, "<script>{SCRIPT}</script>\n</html>");
    out
}

fn write_row(out: &mut String, row: &Row) {
    let class = match row.sort {
        Sort::Add => "a",
        Sort::Remove | Sort::Fail => "d",
        Sort::Change | Sort::Other => "c",
    };
    let most = if row.sort == Sort::Remove { row.names.len() } else { NAMES };
    let mut names: Vec<String> =
        row.names.iter().take(most).map(|name| format!("<code>{}</code>", escape(name))).collect();
    if row.names.len() > most {
        names.push(format!("and {} more", row.names.len() - most));
    }
    let head = format!(
        "<span class=\"{class}\">{} {}</span> {} <span class=\"p\">{}</span>",
        row.sort.sign(),
        escape(&row.what),
        names.join(", "),
        escape(&row.place)
    );
    if row.details.is_empty() && row.notes.is_empty() {
        let _ = writeln!(out, "<div class=\"row\" data-row>{head}</div>");
        return;
    }
    let _ = write!(out, "<details open data-row><summary>{head}</summary><ul>");
    for detail in &row.details {
        let _ = write!(out, "<li><code>{}</code>", escape(&detail.property));
        if detail.lines.is_empty() {
            let value = |value: &Option<String>| match value {
                Some(value) => format!("<code>{}</code>", escape(value)),
                None => "(none)".into(),
            };
            let _ = write!(out, ": {} → {}", value(&detail.from), value(&detail.to));
        } else {
            out.push_str("<pre>");
            for line in &detail.lines {
                match line.as_bytes().first() {
                    Some(b'+') => {
                        let _ = writeln!(out, "<span class=\"a\">{}</span>", escape(line));
                    }
                    Some(b'-') => {
                        let _ = writeln!(out, "<span class=\"d\">{}</span>", escape(line));
                    }
                    _ => {
                        let _ = writeln!(out, "{}", escape(line));
                    }
                }
            }
            out.push_str("</pre>");
        }
        out.push_str("</li>");
    }
    for note in &row.notes {
        let _ = write!(out, "<li class=\"p\">{}</li>", escape(note));
    }
    out.push_str("</ul></details>\n");
}

/// The steps below each other, with an arc for each requirement.
fn write_graph(out: &mut String, graph: &[(String, Vec<usize>)]) {
    const LINE: usize = 18;
    const LEFT: usize = 130;
    let height = graph.len() * LINE + LINE;
    let _ = writeln!(out, "<svg width=\"900\" height=\"{height}\" role=\"img\" aria-label=\"Order of the steps\">");
    let y = |at: usize| at * LINE + LINE;
    for (at, (name, before)) in graph.iter().enumerate() {
        let short: String = name.chars().take(100).collect();
        let _ = writeln!(out, "<text x=\"{}\" y=\"{}\">{}</text>", LEFT + 8, y(at) + 4, escape(&short));
        for from in before {
            let bulge = LEFT.saturating_sub(12 + at.abs_diff(*from).min(14) * 8);
            let _ = writeln!(
                out,
                "<path d=\"M{LEFT} {} C{bulge} {} {bulge} {} {LEFT} {}\"/>",
                y(*from),
                y(*from),
                y(at),
                y(at)
            );
        }
    }
    out.push_str("</svg>\n");
}

/// A text in which nothing is markup.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Detail, Section, markdown};
    use super::*;

    fn document(text: &str) -> Document {
        let detail = Detail { property: text.into(), from: Some(text.into()), to: None, lines: Vec::new() };
        let lines = Detail { property: "content".into(), lines: vec![format!("+{text}")], ..Detail::default() };
        let row = Row {
            names: vec![text.into()],
            what: text.into(),
            place: text.into(),
            details: vec![detail, lines],
            notes: vec![text.into()],
            ..Row::default()
        };
        let section = Section { title: text.into(), about: text.into(), rows: vec![row] };
        let (graph, closing) = (vec![(text.into(), vec![0])], vec![(text.into(), text.into())]);
        Document { title: text.into(), summary: text.into(), sections: vec![section], graph, closing }
    }

    proptest! {
        #[test]
        fn no_name_or_content_is_markup(before in "[a-z<>&\"'`]{0,8}", tag in "(script|img|b|svg|/pre|/script)") {
            let plain = html(&document("x"));
            let page = html(&document(&format!("{before}<{tag} onload=alert(1)>")));
            for open in ["<script", "<img", "<b ", "<svg", "</pre", "</script"] {
                prop_assert_eq!(page.matches(open).count(), plain.matches(open).count(), "{}", open);
            }
        }

        #[test]
        fn code_spans_hold_any_text(text in "[a-z`<>*_ ]{0,20}") {
            let written = super::super::markdown::code(&text);
            let fence = written.chars().take_while(|c| *c == '`').count();
            prop_assert!(written.ends_with(&"`".repeat(fence)));
            prop_assert!(!written[fence..written.len() - fence].split(|c| c != '`').any(|run| run.len() == fence));
        }
    }

    #[test]
    fn a_long_report_keeps_its_removals() {
        let row = |at: usize, sort: Sort| Row {
            sort,
            names: vec![format!("file[/{sort:?}/{at}]")],
            what: "change".into(),
            details: vec![Detail { property: "content".into(), lines: vec!["+x".repeat(40); 20], ..Detail::default() }],
            ..Row::default()
        };
        let mut rows: Vec<Row> = (0..900).map(|at| row(at, Sort::Change)).collect();
        rows.extend((0..50).map(|at| row(at, Sort::Remove)));
        let text =
            markdown(&Document { sections: vec![Section { rows, ..Section::default() }], ..Document::default() });
        assert!(text.chars().count() <= 60_000, "{}", text.len());
        assert!((0..50).all(|at| text.contains(&format!("file[/Remove/{at}]"))));
        assert!(text.contains("shortened"));
    }
}
