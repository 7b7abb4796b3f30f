//! A whole file highlighted, for terminals without the workbench and for web pages.

use std::fmt::Write;

use ratatui::style::{Color, Modifier, Style};

use super::document::Document;
use super::lines::{Piece, pieces};
use super::theme::Theme;

/// The document with escape sequences for colours; hostile characters are named, and marked.
pub fn ansi(document: &Document, theme: &Theme) -> String {
    let mut out = String::with_capacity(document.text().len() * 2);
    // The background is the terminal's own here, and so is the colour of ordinary text on it.
    let ordinary = theme.style("ui.text").fg;
    for (text, scope) in runs(document) {
        for piece in pieces(text) {
            let style = style(theme, &piece, scope);
            let sgr = sgr(if style.fg == ordinary { Style { fg: None, ..style } } else { style });
            // Each line is independent, so that a pager may start at any of them.
            for part in piece.text.split_inclusive('\n') {
                let (line, line_break) = part.strip_suffix('\n').map_or((part, ""), |line| (line, "\n"));
                if sgr.is_empty() || line.is_empty() {
                    out.push_str(line);
                } else {
                    out.push_str(&format!("\x1b[{sgr}m{line}\x1b[0m"));
                }
                out.push_str(line_break);
            }
        }
    }
    out
}

/// The document as a self-contained web page.
pub fn html(document: &Document, theme: &Theme, title: &str) -> String {
    let page = css(theme.style("ui.background").patch(theme.style("ui.text")));
    let mut out = String::with_capacity(document.text().len() * 4);
    out.push_str("<!doctype html>\n<meta charset=\"utf-8\">\n<title>");
    for piece in pieces(title) {
        escape(&mut out, &piece.text);
    }
    let _ = write!(out, "</title>\n<body style=\"{page}\">\n<pre><code>");
    for (text, scope) in runs(document) {
        for piece in pieces(text) {
            let css = css(style(theme, &piece, scope));
            if css.is_empty() {
                escape(&mut out, &piece.text);
            } else {
                let _ = write!(out, "<span style=\"{css}\">");
                escape(&mut out, &piece.text);
                out.push_str("</span>");
            }
        }
    }
    out.push_str("</code></pre>\n");
    out
}

fn style(theme: &Theme, piece: &Piece<'_>, scope: Option<&str>) -> Style {
    match scope {
        _ if piece.hostile => theme.style("ui.hostile"),
        Some(scope) => theme.style(scope),
        None => Style::new(),
    }
}

/// The text in runs of one scope each. Plain text is one run.
fn runs(document: &Document) -> Vec<(&str, Option<&'static str>)> {
    let text = document.text();
    let (mut runs, mut at) = (Vec::new(), 0);
    for styled in document.whole() {
        runs.push((&text[at..styled.range.start], None));
        runs.push((&text[styled.range.clone()], Some(styled.scope)));
        at = styled.range.end;
    }
    runs.push((&text[at..], None));
    runs.retain(|(text, _)| !text.is_empty());
    runs
}

/// The parameters of the escape sequence that sets a style; empty for none.
fn sgr(style: Style) -> String {
    let mut codes: Vec<String> = MODIFIERS
        .iter()
        .filter(|(modifier, ..)| style.add_modifier.contains(*modifier))
        .map(|(_, code, _)| (*code).to_string())
        .collect();
    codes.extend(style.fg.and_then(|color| color_code(color, 30)));
    codes.extend(style.bg.and_then(|color| color_code(color, 40)));
    codes.join(";")
}

const MODIFIERS: &[(Modifier, &str, &str)] = &[
    (Modifier::BOLD, "1", "font-weight:bold"),
    (Modifier::DIM, "2", "opacity:0.7"),
    (Modifier::ITALIC, "3", "font-style:italic"),
    (Modifier::UNDERLINED, "4", "text-decoration:underline"),
    (Modifier::REVERSED, "7", "filter:invert(1)"),
    (Modifier::CROSSED_OUT, "9", "text-decoration:line-through"),
];

/// A colour's codes from a base: 30 for the foreground, 40 for the background.
fn color_code(color: Color, base: u8) -> Option<String> {
    Some(match color {
        Color::Reset => return None,
        Color::Rgb(r, g, b) => format!("{};2;{r};{g};{b}", base + 8),
        Color::Indexed(index) => format!("{};5;{index}", base + 8),
        named => match super::theme::ansi_index(named)? {
            index @ 0..8 => (base + index).to_string(),
            index => (base + 60 + index - 8).to_string(),
        },
    })
}

fn css(style: Style) -> String {
    let mut rules: Vec<String> = Vec::new();
    rules.extend(style.fg.and_then(super::theme::rgb).map(|(r, g, b)| format!("color:#{r:02x}{g:02x}{b:02x}")));
    rules.extend(style.bg.and_then(super::theme::rgb).map(|(r, g, b)| format!("background:#{r:02x}{g:02x}{b:02x}")));
    rules.extend(
        MODIFIERS
            .iter()
            .filter(|(modifier, ..)| style.add_modifier.contains(*modifier))
            .map(|(.., css)| (*css).to_string()),
    );
    rules.join(";")
}

fn escape(out: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Grammar;
    use super::*;

    const TEXT: &str =
        "# a <b>\nimport \"fmt\"\nfile \"/tmp/${x}\\n\\q\" {\n\tmode => \"u=rw\",\n}\n$y = map.keys($a->b)\n$z = =\n";

    /// The colours of a byte do not depend on the size of the requested range.
    #[test]
    fn whole_files_look_as_viewports_do() {
        let document = Document::new(TEXT, Some(Grammar::Mcl));
        let mut at = 0;
        for (text, scope) in runs(&document) {
            let here = at..at + text.len();
            for byte in here.clone() {
                let seen = document.spans(byte..byte + 1).first().map(|styled| styled.scope);
                assert_eq!(seen, scope, "at byte {byte} of {text:?}");
            }
            at = here.end;
        }
        assert_eq!(at, TEXT.len());
    }

    #[test]
    fn nothing_hostile_passes() {
        let theme = Theme::built_in("night").expect("it is built in");
        let document = Document::new("# \x1b]0;x\x07\u{202e}<script>\n", Some(Grammar::Mcl));
        let ansi = ansi(&document, &theme);
        assert!(!ansi.contains("\x1b]") && !ansi.contains('\u{202e}') && ansi.contains("\\u{202e}"));
        let html = html(&document, &theme, "</title>\x1b");
        assert!(html.contains("&lt;script&gt;") && html.contains("<title>&lt;/title&gt;\\x1b</title>"));
    }
}
